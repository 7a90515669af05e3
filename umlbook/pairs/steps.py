r"""Metric, graph, metric: the spaces in which the samples are clustered, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr

from umlbook._loop import Run, improving
from umlbook.algebra import Array, Labels, centered, cluster_means, nearest_center
from umlbook.constraints import IntArray
from umlbook.coordinates import Coordinates, coordinates
from umlbook.itml import itml_problem, itml_steps, pair_differences
from umlbook.lloyd import best_rounded_labels

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class PairTask:
    """Samples, pairs, the number of clusters, and how the spaces are made.

    ``plain`` are the coordinates of X in Euclid's metric, which do not depend on the pairs.
    """

    X: Array
    must: IntArray
    cannot: IntArray
    n_clusters: int
    plain: Coordinates | None = field(default=None, repr=False)
    max_iter: int = 100
    tol: float = 1e-6
    n_init: int = 10
    blocks: tuple[tuple[str, int], ...] = ()

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Must-links and cannot-links."""
        return self.must, self.cannot

    @property
    def n_pairs(self) -> int:
        """m, the number of pairs of both kinds."""
        return len(self.must) + len(self.cannot)

    def only(self, kept: Mask) -> PairTask:
        """The same with those pairs alone that a mask names, must-links first."""
        parts = np.split(kept, [len(self.must)])
        return replace(self, must=self.must[parts[0]], cannot=self.cannot[parts[1]])


class Way(NamedTuple):
    """How far the first metric goes, and whether a graph and a second metric follow."""

    strength: float
    graph: bool = True


@dataclass(frozen=True)
class Choice:
    """The way to take, and the pairs that are kept.

    ``votes`` (ways x pairs, must-links first) says whether the fit without a pair agrees with it;
    None where no pair was left out.
    """

    way: Way
    kept: Mask
    votes: Array | None


@dataclass(frozen=True)
class LearnedMetric:
    """A of (11.3): I + Q (core - I) Q', where Q (d x r) spans the differences of the pairs."""

    basis: Array
    core: Array

    def at(self, X: Array, power: float = 1.0) -> Array:
        r"""The rows of X times :math:`A^{power / 2}`: at 1 their distances are the learned ones."""
        if not power or not self.core.size:
            return X
        values, vectors = eigh(self.core)
        change = (vectors * values ** (power / 2)) @ vectors.T - np.eye(len(values))
        return X + X @ self.basis @ change @ self.basis.T


def euclid(n_features: int) -> LearnedMetric:
    """The metric that changes nothing."""
    return LearnedMetric(np.zeros((n_features, 0)), np.zeros((0, 0)))


def learned_metric(X: Array, must: IntArray, cannot: IntArray, task: PairTask) -> LearnedMetric:
    """The metric that ITML learns from these pairs of rows of X; Euclid's if they teach nothing.

    Outside the span of the differences A is the identity, so the problem is solved within it.
    """
    V = pair_differences(X, np.concatenate([must, cannot]))
    if not np.any(V):
        return euclid(X.shape[1])
    problem = itml_problem(X, must, cannot)
    basis = qr(problem.V.T, mode="economic")[0]
    inner = replace(problem, V=problem.V @ basis)

    def settled(previous: object, state: object) -> bool:
        gaps = [s.objective for s in (previous, state)]  # type: ignore[attr-defined]
        return abs(gaps[0] - gaps[1]) <= task.tol * max(map(abs, gaps))

    run = Run(improving(itml_steps(inner), 1), max_iter=task.max_iter, settled=settled)
    for _ in run:
        pass
    return LearnedMetric(basis, run.last.metric)


def as_they_are(T: Array) -> Array:
    """T itself: what stands in for the coordinates where no graph is used."""
    return T


@dataclass(frozen=True)
class BentSpace:
    """The map from samples to the space of (11.4): a metric, coordinates, a metric.

    Without a graph it is the first metric alone.
    """

    first: LearnedMetric
    strength: float
    place: Callable[[Array], Array] = field(repr=False)
    second: LearnedMetric

    def __call__(self, X: Array) -> Array:
        """Where the rows of X lie."""
        return self.second.at(self.place(self.first.at(X, self.strength)))


def bent_spaces(task: PairTask, ways: Sequence[Way]) -> Iterator[tuple[BentSpace, Array, Array]]:
    """For each way the learned space, and the samples before and after its second metric.

    ITML, the coordinates in its metric to the given strength, ITML again (11.4); or ITML alone.
    """
    first = learned_metric(task.X, task.must, task.cannot, task)
    for strength, graph in ways:
        stretched = first.at(task.X, strength)
        if not graph:
            flat = BentSpace(first, strength, as_they_are, euclid(stretched.shape[1]))
            yield flat, stretched, stretched
            continue
        moved = strength > 0 and first.basis.size > 0
        place = None if moved else task.plain
        place = place or coordinates(stretched, **dict(task.blocks))
        P = place(stretched)
        second = learned_metric(P, task.must, task.cannot, task)
        yield BentSpace(first, strength, place, second), P, second.at(P)


@dataclass(frozen=True)
class PairStep:
    """K-means in one of the spaces; ``objective`` is the share of the scatter within clusters."""

    stage: str
    labels: Labels
    objective: float
    centers: Array
    embedding: Array = field(repr=False)
    space: BentSpace = field(repr=False)
    choice: Choice = field(repr=False)


def clustered(embedding: Array, task: PairTask, seed: int) -> tuple[Labels, Array]:
    """Labels and means of k-means from ``n_init`` starts; each sample is with its nearest mean."""
    rng = np.random.RandomState(seed)
    labels = best_rounded_labels(embedding, task.n_clusters, rng, task.n_init)
    centers = cluster_means(embedding, labels, task.n_clusters)
    return nearest_center(embedding, centers), centers


def bent_steps(task: PairTask, chosen: Choice, seed: int) -> Iterator[PairStep]:
    """Yield k-means in the features, the metric, the coordinates, and the metric again."""
    ((space, P, Z),) = bent_spaces(task.only(chosen.kept), [chosen.way])
    T = space.first.at(task.X, chosen.way.strength)
    spaces = {"features": task.X, "metric": T, "coordinates": P, "metric again": Z}
    for stage, embedding in spaces.items():
        labels, centers = clustered(embedding, task, seed)
        within = float(np.sum((embedding - centers[labels]) ** 2))
        share = within / float(np.sum(centered(embedding) ** 2))
        yield PairStep(stage, labels, share, centers, embedding, space, chosen)
