"""Lloyd's algorithm as a stream of states, in plain coordinates: most methods end in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np
from sklearn.cluster import kmeans_plusplus

from umlbook.algebra import (
    ROUNDING,
    Array,
    Labels,
    cluster_means,
    nearest_with_distance,
    scatter_about,
)


class Labelled(Protocol):
    """Anything that has labels."""

    @property
    def labels(self) -> Labels: ...


S = TypeVar("S", bound=Labelled)

MAX_PASSES = 300
"""Passes after which a run of k-means inside another method is taken as it is."""


@dataclass(frozen=True)
class LloydStep:
    """Labels, the means of their clusters (K x d), and the k-means objective at them."""

    labels: Labels
    centers: Array
    objective: float


def lloyd_steps(X: Array, labels: Labels, n_clusters: int) -> Iterator[LloydStep]:
    """Lloyd's algorithm from given labels; the objective never increases.

    The state holds the labels and the objective at the means of these very labels; the next
    labels are the nearest means.
    """
    while True:
        centers = cluster_means(X, labels, n_clusters)
        yield LloydStep(labels, centers, scatter_about(X, centers, labels))
        labels = nearest_filled(X, centers)


def until_settled(states: Iterator[S]) -> Iterator[S]:
    """The states up to the first whose labels are those of the state before it, inclusive."""
    before = None
    for state in states:
        yield state
        if before is not None and np.array_equal(before, state.labels):
            return
        before = state.labels


def settled(states: Iterator[S]) -> S:
    """The state in which the labels first repeat, or that after ``MAX_PASSES`` passes."""
    for state in until_settled(islice(states, MAX_PASSES)):
        last = state
    return last


def nearest_filled(X: Array, centers: Array) -> Labels:
    """The nearest of the centres for each row of X, with no cluster left empty."""
    return fill_empty(*nearest_with_distance(X, centers), len(centers))


def fill_empty(labels: Labels, to_center: Array, n_clusters: int) -> Labels:
    """Give each empty cluster the sample farthest from its own centre.

    The objective never increases by it.
    ``to_center`` holds each sample's distance to its own centre. A sample alone in its cluster
    stays there; of samples that are equally far up to rounding the first is taken.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    if sizes.all():
        return labels
    labels, to_center = labels.copy(), to_center.copy()
    for empty in np.flatnonzero(sizes == 0):
        free = np.where(sizes[labels] > 1, to_center, -np.inf)
        farthest = int(np.argmax(free >= free.max() * (1 - ROUNDING)))
        sizes[labels[farthest]] -= 1
        sizes[empty] = 1
        labels[farthest] = empty
        to_center[farthest] = 0.0
    return labels


def plus_plus_labels(X: Array, n_clusters: int, rng: np.random.RandomState) -> Labels:
    """K-means++ seeding: each sample to the nearest of n_clusters sampled ones."""
    centers, _ = kmeans_plusplus(X, n_clusters, random_state=rng)
    return nearest_filled(X, centers)


def best_rounded_labels(
    embedding: Array, n_clusters: int, rng: np.random.RandomState, n_init: int = 10
) -> Labels:
    """The best of ten runs of k-means among the rows of the embedding; the first of equal ones."""
    seeds = (plus_plus_labels(embedding, n_clusters, rng) for _ in range(n_init))
    runs = (settled(lloyd_steps(embedding, labels, n_clusters)) for labels in seeds)
    best = next(runs)
    for run in runs:
        best = run if run.objective < best.objective * (1 - ROUNDING) else best
    return best.labels
