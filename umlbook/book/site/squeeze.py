"""The picture that moves on the first page: two lines, squeezed until k-means finds them.

Everything in it is computed while the site is made: the clusters that k-means finds at each factor,
and how many points they get right. ``squeeze.js`` moves the points between these states.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from sklearn.cluster import KMeans

from umlbook.algebra import Array, Labels
from umlbook.book.page.figures import PALETTE
from umlbook.datasets import make_parallel_lines
from umlbook.scores import clustering_accuracy

FACTORS = np.geomspace(1.0, 6.0, 37)
WIDTH, HEIGHT, SCALE = 760, 310, 140  # of the picture, and pixels for a unit of the data
MARKS = ("M-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0", "M-4,-4H4V4H-4Z")  # a dot, a square


@dataclass(frozen=True)
class Squeezed:
    """What k-means finds when the horizontal axis is divided by a factor."""

    factor: float
    labels: Labels
    accuracy: float

    @property
    def sentence(self) -> str:
        """The caption of this state."""
        return (
            f"Horizontal axis divided by {self.factor:.1f}: "
            f"k-means gets {self.accuracy:.0%} of the {len(self.labels)} points right."
        )


def squeezed(X: Array, y: Labels, factors: Sequence[float] | Array) -> list[Squeezed]:
    """Return what k-means finds at each factor.

    Parameters
    ----------
    X : ndarray (n, 2)
        Points of two groups.
    y : ndarray (n,)
        The groups, 0 and 1: clusters are named after those that they agree with most.
    factors : sequence of float
        What the first feature is divided by.
    """
    found = []
    for factor in factors:
        labels = KMeans(2, n_init=10, random_state=0).fit_predict(X / [factor, 1.0])
        if np.mean(labels == y) < 0.5:
            labels = 1 - labels
        found.append(Squeezed(float(factor), labels, clustering_accuracy(y, labels)))
    return found


def moving_picture() -> str:
    """Return the picture as HTML: its first state, and the numbers of all others."""
    X, y = make_parallel_lines(200, noise=0.1, random_state=0)  # as in the first chapter
    X = X - X.mean(axis=0)
    states = squeezed(X, y, FACTORS)
    first, last = states[0], states[-1]
    alt = (
        "Two long parallel lines of points. K-means cuts both in half and gets "
        f"{first.accuracy:.0%} of the points right. When the horizontal axis is divided by "
        f"{last.factor:.0f}, it gets {last.accuracy:.0%} right."
    )
    return (
        f'<figure class="squeeze" data-picture="{escape(_data(X, states))}">'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(alt)}">'
        f'{_styles()}<line class="cut"/><g class="ruler"></g><g class="points">'
        f"{_marks(X, first.labels)}</g></svg>"
        f'<div class="controls" hidden><button type="button" class="play">❚❚ Pause</button>'
        f'<input type="range" min="0" max="{len(states) - 1}" step="any" value="0" '
        'aria-label="Squeeze the lines"></div>'
        f"<figcaption>{escape(first.sentence)}</figcaption></figure>"
    )


def _data(X: Array, states: Sequence[Squeezed]) -> str:
    """All numbers of the picture; equal partitions are written once."""
    named = ["".join(map(str, state.labels)) for state in states]
    partitions = list(dict.fromkeys(named))
    return json.dumps(
        {
            "points": np.round(X, 3).tolist(),
            "partitions": partitions,
            "states": [
                {"factor": s.factor, "partition": partitions.index(name), "says": s.sentence}
                for s, name in zip(states, named, strict=True)
            ],
            "marks": MARKS,
            "frame": [WIDTH, HEIGHT, SCALE],
        }
    )


def _styles() -> str:
    rules = "".join(f".squeeze .c{i} {{ fill: {PALETTE[i]}; }}" for i in range(len(MARKS)))
    return f"<style>{rules}</style>"


def _marks(X: Array, labels: Labels) -> str:
    places = np.round(X * [SCALE, -SCALE] + [WIDTH / 2, HEIGHT / 2 - 25], 1)
    return "".join(
        f'<path class="c{label}" d="{MARKS[label]}" transform="translate({x:g},{y:g})"/>'
        for (x, y), label in zip(places, labels, strict=True)
    )
