"""Chapter 11: neighbours of the own class, and straight borders."""

import numpy as np
from scipy.spatial.distance import cdist

from umlbook.algebra import Array, Labels
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    apart,
    is_finite,
    is_number,
    not_plain_number,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ---------------------------------------------------------------------------------- the data


def thin_lines(rng: np.random.Generator, n: int, width: float) -> tuple[Array, Labels]:
    """Two classes that differ in a direction of small variance, in random order."""
    side = rng.permutation(np.arange(n) % 3 == 0).astype(np.intp)
    along = rng.normal(size=n)
    return np.column_stack([along, along + width * side + 0.1 * width * rng.normal(size=n)]), side


# ----------------------------------------------------------- 11.1 neighbours of the own class


def labelled_points(rng: np.random.Generator) -> list[Case]:
    """Thin lines, wide lines, and three features; k differs."""
    thin, side = thin_lines(rng, 30, 0.3)
    wide, other = thin_lines(rng, 24, 2.0)
    cloud = rng.normal(size=(20, 3)) + 1.5 * np.eye(3)[np.arange(20) % 3]
    return [
        Case("the 30 points in your data", X=thin, y=side, k=4),
        Case("wider lines", X=wide, y=other, k=7),
        Case("three classes", X=cloud, y=np.arange(20) % 3, k=3),
    ]


def nearest_numbers(X: Array, k: int, *, first: int = 1) -> Labels:
    """The numbers of k neighbours of each row, leaving out the ``first`` nearest."""
    return np.argsort(cdist(X, X), axis=1, kind="stable")[:, first : first + k]


def own_class(X: Array, y: Labels, k: int) -> float:
    """Share of the k nearest neighbours that are of the sample's own class."""
    return float(np.mean(y[nearest_numbers(X, k)] == y[:, None]))


def _majority(X: Array, y: Labels, k: int) -> float:
    """How many samples have most of their neighbours in their own class."""
    return float(np.mean(np.mean(y[nearest_numbers(X, k)] == y[:, None], axis=1) > 0.5))


def _is_share(attempt: Attempt) -> str | None:
    if -1e-9 <= attempt.number <= 1 + 1e-9:
        return None
    return f"a share is between 0 and 1, yours is {attempt.number:.3g}"


EX_11_1 = Exercise(
    id="11.1",
    title="neighbours of the own class",
    reference=own_class,
    cases=labelled_points,
    properties=[
        is_number,
        is_finite,
        _is_share,
        unmoved_by_shift,
        agrees_with(own_class, "share"),
    ],
    mistakes=[
        Mistake(
            "itself among the neighbours",
            "this counts each sample as its own nearest neighbour: it is of its own class for sure",
            lambda X, y, k: float(np.mean(y[nearest_numbers(X, k, first=0)] == y[:, None])),
        ),
        Mistake(
            "one neighbour too many",
            "this counts k + 1 neighbours",
            lambda X, y, k: own_class(X, y, k + 1),
        ),
        Mistake(
            "one neighbour too few",
            "this uses k - 1 neighbours: a slice ends before its second number",
            lambda X, y, k: own_class(X, y, k - 1),
        ),
        Mistake(
            "the farthest",
            "these are the farthest samples: the nearest are asked for",
            lambda X, y, k: float(np.mean(y[np.argsort(-cdist(X, X))[:, :k]] == y[:, None])),
        ),
        Mistake(
            "a majority vote",
            "this is the share of samples most of whose neighbours are of their class: count the "
            "neighbours themselves",
            _majority,
        ),
        Mistake(
            "of the other class",
            "this is the share of neighbours of another class",
            lambda X, y, k: 1 - own_class(X, y, k),
        ),
    ],
    hints=[
        "scipy.spatial.distance.cdist(X, X) has all distances; argsort ranks them.",
        "The nearest sample of all is the sample itself: leave the first column out.",
        "y[near] == y[:, None] is an n x k table of truth values; take its mean.",
    ],
    solution="Rank the distances, leave the sample itself out, and average y[near] == y[:, None].",
    remarks=[not_plain_number],
)

# ------------------------------------------------------------------- 11.2 the straight border


def two_centres(rng: np.random.Generator) -> list[Case]:
    """Two centres and a metric: a full one, a singular one, Euclid's, one of two features."""
    full, thin = rng.normal(size=(3, 3)), rng.normal(size=(3, 1))
    m, other = rng.normal(size=(2, 3)) + np.array([[1.0], [-2.0]])
    return [
        Case("the centres in your data", m=m, other=other, A=full @ full.T),
        Case("a metric that sees one direction", m=m, other=other, A=thin @ thin.T),
        Case("Euclid's metric", m=2 * m, other=other, A=np.eye(3)),
        Case("two features", m=m[:2], other=other[:2], A=full[:2] @ full[:2].T),
    ]


def border(m: Array, other: Array, A: Array) -> Array:
    """(w, b) in one vector: w'x + b is the squared distance to m less that to the other."""
    return np.append(2 * A @ (other - m), m @ A @ m - other @ A @ other)


def _one_vector(attempt: Attempt) -> str | None:
    """One vector, and not a pair of w and b."""
    value, want = attempt.value, (len(attempt.case.m) + 1,)
    if isinstance(value, tuple | list) and len(value) == 2 and any(map(np.ndim, value)):
        return "these are two things: return one vector, np.append(w, b)"
    got = np.shape(value)
    return None if got == want else f"your result has shape {got}, not {want}"


def _is_the_gap(attempt: Attempt) -> str | None:
    """w'x + b equals the difference of squared distances at points of our own."""
    case, line = attempt.case, attempt.array
    for x in np.random.default_rng(3).normal(size=(5, len(case.m))):
        gap = (x - case.m) @ case.A @ (x - case.m) - (x - case.other) @ case.A @ (x - case.other)
        mine = line[:-1] @ x + line[-1]
        if not np.isclose(mine, gap, rtol=1e-6, atol=1e-8):
            return (
                f"at x = {np.round(x, 2).tolist()} your w'x + b is {apart(mine, gap)}, the "
                f"difference of the squared distances {apart(gap, mine)}"
            )
    return None


EX_11_2 = Exercise(
    id="11.2",
    title="the straight border",
    reference=border,
    cases=two_centres,
    properties=[_one_vector, is_finite, _is_the_gap],
    mistakes=[
        Mistake(
            "the sign",
            "this is the other way round: it is negative where x is nearer to the second centre",
            lambda m, other, A: -border(m, other, A),
        ),
        Mistake(
            "the sign of w",
            "b is right, w has the wrong sign: -2 (Am)'x comes from the first distance",
            lambda m, other, A: border(m, other, A) * np.append(-np.ones(len(m)), 1),
        ),
        Mistake(
            "the sign of b",
            "w is right, b has the wrong sign: at x = 0 the first squared distance is m'Am",
            lambda m, other, A: border(m, other, A) * np.append(np.ones(len(m)), -1),
        ),
        Mistake(
            "b first",
            "this has b first: the vector begins with w",
            lambda m, other, A: np.roll(border(m, other, A), 1),
        ),
        Mistake(
            "without the two",
            "the factor 2 of the mixed term is missing from w",
            lambda m, other, A: np.append(A @ (other - m), m @ A @ m - other @ A @ other),
        ),
        Mistake(
            "Euclid's metric",
            "this is the border in Euclid's metric: A does not enter",
            lambda m, other, A: border(m, other, np.eye(len(m))),
        ),
        Mistake(
            "through the origin",
            "the border need not pass through the origin: b is missing",
            lambda m, other, A: np.append(2 * A @ (other - m), 0.0),
        ),
    ],
    hints=[
        "Expand (x - m)'A(x - m). Which term do both distances share?",
        "What is left is affine in x. Collect what stands with x into w.",
        "b is the value at x = 0.",
    ],
    solution="x'Ax cancels: w = 2A(m' - m), and b = m'Am less the same of the other centre.",
)
