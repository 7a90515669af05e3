"""Exercises 1.3 and 1.4: total = within + between, and the objective from pairs."""

import numpy as np
from scipy.spatial.distance import cdist

from umlbook.algebra import (
    Array,
    Labels,
    between_scatter,
    total_scatter,
    within_scatter,
)
from umlbook.book.exercises.bank.ch01_indicator import labelled_points
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    apart,
    has_shape,
    is_finite,
    is_nonnegative,
    is_number,
    not_plain_number,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ----------------------------------------------------------------- 1.3 total, within, between


def scatter_split(X: Array, labels: Labels) -> tuple[float, float, float]:
    """Total, within and between: three sums of squared distances."""
    means = np.array([X[labels == label].mean(axis=0) for label in labels])
    total = np.sum((X - X.mean(axis=0)) ** 2)
    within = np.sum((X - means) ** 2)
    between = np.sum((means - X.mean(axis=0)) ** 2)
    return float(total), float(within), float(between)


def _traces(X: Array, labels: Labels) -> tuple[float, float, float]:
    scatters = total_scatter(X), within_scatter(X, labels), between_scatter(X, labels)
    total, within, between = map(np.trace, scatters)
    return float(total), float(within), float(between)


def adds_up(attempt: Attempt) -> str | None:
    """Total = within + between."""
    total, within, between = attempt.array
    if np.isclose(total, within + between, rtol=1e-8, atol=1e-8):
        return None
    return f"your total is {total:.4g}, but your within + between is {within + between:.4g}"


def _between_unweighted(X: Array, labels: Labels) -> tuple[float, float, float]:
    total, within, _ = _traces(X, labels)
    means = np.array([X[labels == label].mean(axis=0) for label in np.unique(labels)])
    return total, within, float(np.sum((means - X.mean(axis=0)) ** 2))


def _between_mean_of_means(X: Array, labels: Labels) -> tuple[float, float, float]:
    total, within, _ = _traces(X, labels)
    names, sizes = np.unique(labels, return_counts=True)
    means = np.array([X[labels == label].mean(axis=0) for label in names])
    return total, within, float(sizes @ np.sum((means - means.mean(axis=0)) ** 2, axis=1))


def _within_variances(X: Array, labels: Labels) -> tuple[float, float, float]:
    total, _, between = _traces(X, labels)
    variances = [X[labels == label].var(axis=0).sum() for label in np.unique(labels)]
    return total, float(np.sum(variances)), between


def _total_from_origin(X: Array, labels: Labels) -> tuple[float, float, float]:
    return float(np.sum(X**2)), *_traces(X, labels)[1:]


EX_1_3 = Exercise(
    id="1.3",
    title="total = within + between",
    reference=scatter_split,
    cases=labelled_points,
    properties=[
        has_shape(lambda case: (3,)),
        is_finite,
        is_nonnegative,
        unmoved_by_shift,
        adds_up,
        agrees_with(_traces),
    ],
    mistakes=[
        Mistake(
            "between without the sizes",
            "this is what you get when each mean counts once: it must count once for every point "
            "of its cluster",
            _between_unweighted,
        ),
        Mistake(
            "mean of the means",
            "this is what you get when the means are compared with their own average: clusters of "
            "unequal size make that another point than the mean of all points",
            _between_mean_of_means,
        ),
        Mistake(
            "variances added",
            "this is what you get when the scatter within a cluster is divided by its size: "
            "scatters add up, variances do not",
            _within_variances,
        ),
        Mistake(
            "total about the origin",
            "this is what you get when the total is taken about the origin and not about the mean",
            _total_from_origin,
        ),
    ],
    hints=[
        "Make an array that has, in row i, the mean of the cluster of point i.",
        "Then all three are sums of squares of differences between X, that array, and one vector.",
        "Within: X minus that array. Between: that array minus X.mean(axis=0).",
    ],
    solution="The cross terms vanish in every cluster, because deviations from a mean sum to zero.",
)

# ---------------------------------------------------------------------------- 1.4 pair form


def pair_cases(rng: np.random.Generator) -> list[Case]:
    """Distances and labels: the usual ones, labels with gaps, and distances that no points have."""
    points = [case for case in labelled_points(rng) if "far" not in case.name]
    cases = [Case(c.name, D=_distances(c.X), labels=c.labels) for c in points]
    own = cases[0]
    around = np.abs(np.arange(7)[:, None] - np.arange(7))
    ring = np.minimum(around, 7 - around) * rng.uniform(1.0, 2.0)  # along a ring, not across
    return [
        *cases,
        Case("labels that are not consecutive", D=own.D, labels=np.array([9, 2, 5])[own.labels]),
        Case("distances along a ring", D=ring, labels=own.labels),
    ]


def _distances(X: Array) -> Array:
    return np.asarray(cdist(X, X))


def sse_from_pairs(D: Array, labels: Labels) -> float:
    """Half the mean squared distance to the points of the own cluster, summed over points."""
    same = labels[:, None] == labels
    return float(np.sum(D**2 * same / same.sum(axis=1)) / 2)


def _pair_sum(D: Array, labels: Labels, weights: Array, power: int = 2) -> float:
    """Sum over all ordered pairs of one cluster, each pair's distance weighted by its row."""
    return float(np.sum(D**power * (labels[:, None] == labels) * weights[:, None]))


def _inverse_sizes(labels: Labels) -> Array:
    return np.asarray(1.0 / (labels[:, None] == labels).sum(axis=1), dtype=float)


def grows_with_the_square(attempt: Attempt) -> str | None:
    """Doubling all distances makes a sum of squares four times as large."""
    before, after = attempt.number, float(np.asarray(attempt.again(D=2.0 * attempt.case.D)).item())
    if np.isclose(4 * before, after, rtol=1e-6, atol=1e-9):
        return None
    factor = after / before if before else np.inf
    return f"doubling all distances makes your value {apart(factor, 4)} times as large, not 4"


def ignores_the_names(attempt: Attempt) -> str | None:
    """Other names for the clusters change nothing."""
    renamed = float(np.asarray(attempt.again(labels=10 * attempt.case.labels + 3)).item())
    if np.isclose(renamed, attempt.number):
        return None
    was, now = apart(attempt.number, renamed), apart(renamed, attempt.number)
    return f"calling the clusters 3, 13, 23, ... changes your value from {was} to {now}"


def _consecutive_only(D: Array, labels: Labels) -> float:
    clusters = [labels == label for label in range(len(np.unique(labels)))]
    return sum(float(np.sum(D[np.ix_(c, c)] ** 2)) / (2 * c.sum()) for c in clusters if c.any())


EX_1_4 = Exercise(
    id="1.4",
    title="the objective from pairs alone",
    reference=sse_from_pairs,
    cases=pair_cases,
    properties=[
        is_number,
        is_finite,
        is_nonnegative,
        grows_with_the_square,
        agrees_with(sse_from_pairs),
        ignores_the_names,
    ],
    mistakes=[
        Mistake(
            "pairs counted twice",
            "this is twice the objective: a sum over ordered pairs meets each pair as (i, j) and "
            "as (j, i), so halve it",
            lambda D, labels: _pair_sum(D, labels, _inverse_sizes(labels)),
        ),
        Mistake(
            "no division by the size",
            "this is what you get without 1/n_k: each cluster's sum must be divided by its size",
            lambda D, labels: _pair_sum(D, labels, np.full(len(D), 0.5)),
        ),
        Mistake(
            "divided by n",
            "this is what you get with 1/n: divide by the size of the cluster, not by the number "
            "of all points",
            lambda D, labels: _pair_sum(D, labels, np.full(len(D), 0.5 / len(D))),
        ),
        Mistake(
            "distances not squared",
            "this is the sum of distances: the objective has their squares",
            lambda D, labels: _pair_sum(D, labels, _inverse_sizes(labels) / 2, power=1),
        ),
        Mistake(
            "all pairs",
            "this is the total scatter: only pairs within one cluster count",
            lambda D, labels: sse_from_pairs(D, np.zeros_like(labels)),
        ),
        Mistake(
            "labels taken for 0, 1, 2, ...",
            "this looks for the clusters 0, 1, 2, ... only: go through np.unique(labels), or "
            "compare the labels with each other",
            _consecutive_only,
        ),
    ],
    hints=[
        "Which pairs (i, j) count? labels[:, None] == labels says it for all of them at once.",
        "In one cluster, the sum over all ordered pairs is 2 n_k times the objective.",
        "The pair i = j adds nothing, so you need not leave it out.",
    ],
    solution="Within a cluster, the mean squared distance of pairs is twice that to the mean.",
    remarks=[not_plain_number],
)
