"""Pictures of chapter 7: the samples behind the told pairs, and costs over one threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from umlbook.book.page.figures import FAINT, INK, MUTED, class_look, line_look, styled


@styled
def draw_told(
    ax: Axes,
    X: ArrayLike,
    groups: ArrayLike,
    pairs: tuple[ArrayLike, ArrayLike],
    ringed: Sequence[int] = (),
) -> Axes:
    """Draw samples of two groups in grey, and the told pairs as lines in the looks of their kind.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The samples.
    groups : array-like of shape (n,)
        0 is drawn as an open circle, 1 as a filled one.
    pairs : (together, apart)
        Numbers of the samples of each pair: solid in the first colour, dotted in the second.
    ringed : sequence of int
        Samples with a ring around them.
    """
    points, kinds = np.asarray(X, dtype=float), np.asarray(groups)
    for kind, (told, dash) in enumerate(zip(pairs, ("-", ":"), strict=True)):
        for i, j in np.asarray(told):
            look = {"color": class_look(kind)["color"], "ls": dash, "lw": 1.3 + 0.5 * kind}
            ax.plot(*points[[i, j]].T, zorder=1, **look)
    for kind, fill in ((0, "none"), (1, MUTED)):
        ax.plot(*points[kinds == kind].T, "o", color=MUTED, mfc=fill, ms=6, mew=1.5, zorder=2)
    ax.plot(*points[list(ringed)].T, "o", color=INK, mfc="none", ms=13, mew=1.6, zorder=3)
    return ax


@styled
def draw_pair_marks(ax: Axes, together: ArrayLike, apart: ArrayLike, other: ArrayLike) -> Axes:
    """Mark squared distances of told and of other pairs along the bottom of a cost over mu."""
    height, whole = 0.05, ax.get_xaxis_transform()
    kinds = {"told together": together, "told apart": apart}
    for kind, (name, values) in enumerate(kinds.items()):
        look = {"ls": "", "ms": 8, "label": name, "clip_on": False, **class_look(kind)}
        ax.plot(values, np.full(np.shape(values), height), transform=whole, **look)
    marks = np.asarray(other, dtype=float)
    look = {"ls": "", "marker": "|", "ms": 13, "mew": 2.2, "color": MUTED, "label": "not told"}
    ax.plot(marks, np.full(marks.shape, height), transform=whole, **look)
    return ax


@styled
def draw_rolls(
    ax: Axes, mu: ArrayLike, cost: ArrayLike, starts: ArrayLike, ends: ArrayLike
) -> Axes:
    """Draw a cost over the threshold, with open circles where it starts and dots where it ends.

    Parameters
    ----------
    mu, cost : array-like of shape (m,)
        The curve; the cost is drawn less its least value.
    starts, ends : array-like of shape (k,)
        Thresholds before and after.
    """
    x, y = np.asarray(mu, dtype=float), np.asarray(cost, dtype=float)
    y = y - y.min()
    ax.plot(x, y, color=line_look(0)["color"], lw=2, zorder=1)
    for place in np.unique(np.round(np.asarray(ends, dtype=float), 3)):
        ax.axvline(place, color=FAINT, lw=1, zorder=0)
    look: dict[str, Any] = {"ls": "", "marker": "o", "color": INK}
    ax.plot(
        starts,
        np.interp(np.asarray(starts, dtype=float), x, y),
        mfc="none",
        mew=1.6,
        ms=9,
        label="start",
        **look,
    )
    ax.plot(
        ends, np.interp(np.asarray(ends, dtype=float), x, y), ms=6, label="end", zorder=4, **look
    )
    return ax


@styled
def draw_counted(ax: Axes, values: Sequence[float], row: float, label: str) -> Axes:
    """Draw crosses in one row; beside those that coincide stands how many they are of how many."""
    look: dict[str, Any] = {"marker": "x", "color": MUTED, "ms": 8, "mew": 1.8, "ls": ""}
    ax.plot(values, np.full(len(values), row), label=label, **look)
    places, counts = np.unique(np.round(values, 2), return_counts=True)
    for place, count in zip(places, counts, strict=True):
        if count > 1:
            ax.annotate(f"{count} of {len(values)}", (place, row), (8, 0), va="center",
                        textcoords="offset points", fontsize=8, color=INK)  # fmt: skip
    return ax
