"""Exercises and questions of chapter 1: k-means is a trace."""

import numpy as np
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.metrics.cluster import contingency_matrix

from umlbook.algebra import Array, Labels, within_scatter
from umlbook.book.exercises.bank.ch01_indicator import EX_1_1, EX_1_2
from umlbook.book.exercises.bank.ch01_scatter import EX_1_3, EX_1_4
from umlbook.book.exercises.bank.properties import (
    before,
    begins_with,
    chosen,
    contains,
    is_finite,
    no_data,
    ordered,
)
from umlbook.book.exercises.model import Attempt, Case, Choice, Exercise, Mistake, Question

# ------------------------------------------------------------------------- 1.5 order a proof

STEPS_1_5 = {
    "a": "Hence SSE = ||X − YY'X||² = tr(X'(I − YY')'(I − YY')X).",
    "b": "The mean of cluster k is X'y_k / √n_k: y_k is 1/√n_k on the cluster and 0 elsewhere.",
    "c": "So SSE = tr(X'(I − YY')X) = tr(X'X) − tr(X'YY'X).",
    "d": "YY' = I, because the columns of Y are orthogonal and have norm one.",
    "e": "YY' is symmetric and YY'YY' = YY', as Y'Y = I; so (I − YY')'(I − YY') = I − YY'.",
    "f": "Rotating the trace, tr(X'YY'X) = tr(Y'XX'Y), so SSE = tr(X'X) − tr(Y'XX'Y).",
    "g": "Therefore row i of YY'X is the mean of the cluster of point i.",
}

EX_1_5 = Exercise(
    id="1.5",
    title="order the proof of the trace form",
    kind="order",
    reference=lambda: "bgaecf",
    cases=no_data,
    steps=STEPS_1_5,
    properties=[ordered({"a": "g", "b": "", "c": "ae", "d": "", "e": "", "f": "c", "g": "b"}, "d")],
    mistakes=[
        Mistake(
            "Y'Y and YY' confused",
            "orthonormal columns give Y'Y = I, which is K x K; YY' is n x n, of rank K",
            lambda: "bgadcf",
            contains("d"),
        ),
        Mistake(
            "from the end",
            "this begins with what is to be shown: begin with what is known about Y",
            lambda: "fceagb",
            begins_with("f"),
        ),
        Mistake(
            "projection used too early",
            "the product of the two brackets becomes one bracket only because YY' is a projection: "
            "show that first",
            lambda: "bgacef",
            before("c", "e"),
        ),
        Mistake(
            "means come late",
            "the norm of X - YY'X is the SSE only once it is known what the rows of YY'X are",
            lambda: "abgecf",
            before("a", "g"),
        ),
    ],
    hints=[
        "One of the steps is false. Try it with n = 2 points in K = 1 cluster.",
        "First say what Y does to X, then what that makes of the SSE, then simplify.",
        "It begins with (b) and ends with (f).",
    ],
    solution="Step (d) is false. Step (e) may come anywhere before (c).",
)

# -------------------------------------------------------------- 1.6 a metric is a linear map


def two_lines(rng: np.random.Generator) -> list[Case]:
    """Two parallel lines, long and close, at a slant."""
    along, labels = rng.uniform(-5.0, 5.0, 40), np.repeat([0, 1], 20)
    across = labels - 0.5 + rng.normal(0.0, 0.05, 40)
    angle = np.radians(rng.uniform(30.0, 60.0))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return [Case("the two lines in your data", X=np.c_[along, across] @ turn, labels=labels)]


def map_across_the_lines(X: Array, labels: Labels) -> Array:
    """The direction in which the clusters vary least."""
    _, directions = eigh(within_scatter(X, labels))
    return directions[:, :1]


def is_a_map(attempt: Attempt) -> str | None:
    """W has one row per feature and at least one column."""
    shape, d = attempt.array.shape, attempt.case.X.shape[1]
    if len(shape) == 2 and shape[0] == d and shape[1] >= 1:
        return None
    return f"W has shape {shape}; X @ W needs {d} rows and at least one column"


def separates_the_lines(attempt: Attempt) -> str | None:
    """k-means on X @ W finds the two lines."""
    mapped = attempt.case.X @ attempt.array
    if np.ptp(mapped, axis=0).max() < 1e-12:
        return "X @ W is the same point for all 40 points"
    found = KMeans(2, n_init=20, random_state=0).fit_predict(mapped)
    table = contingency_matrix(attempt.case.labels, found)
    astray = int(min(table[0, 0] + table[1, 1], table[0, 1] + table[1, 0]))
    return f"k-means on X @ W puts {astray} of 40 points with the other line" if astray else None


def _metric(attempt: Attempt) -> Array:
    """WW', the metric that W stands for."""
    return attempt.array @ attempt.array.T


def _along(attempt: Attempt) -> Array:
    """The direction of the lines."""
    return eigh(within_scatter(attempt.case.X, attempt.case.labels))[1][:, -1]


def is_zero(attempt: Attempt) -> str | None:
    """W sends everything to one point."""
    return "zero" if np.abs(_metric(attempt)).max() < 1e-12 else None


def is_rotation(attempt: Attempt) -> str | None:
    """WW' is a multiple of the identity."""
    metric = _metric(attempt)
    return "rotation" if np.allclose(metric, np.trace(metric) / 2 * np.eye(2)) else None


def scales_the_axes(attempt: Attempt) -> str | None:
    """WW' is diagonal."""
    metric = _metric(attempt)
    return "axes" if np.isclose(metric[0, 1], 0.0) else None


def keeps_the_length(attempt: Attempt) -> str | None:
    """W shrinks the gap more than the length."""
    metric, along = _metric(attempt), _along(attempt)
    length = along @ metric @ along
    return "length" if 2 * length > np.trace(metric) else None


EX_1_6 = Exercise(
    id="1.6",
    title="a linear map that makes k-means right",
    answer="W",
    kind="value",
    reference=map_across_the_lines,
    cases=two_lines,
    properties=[is_a_map, is_finite, separates_the_lines],
    mistakes=[
        Mistake(
            "everything in one point",
            "this map sends all points to one: nothing is left to tell them apart",
            lambda X, labels: np.zeros((2, 2)),
            is_zero,
        ),
        Mistake(
            "distances unchanged",
            "WW' is a multiple of the identity: a turn and one common scale change no clustering",
            lambda X, labels: np.eye(2),
            is_rotation,
        ),
        Mistake(
            "axes scaled one by one",
            "WW' is diagonal: scaling the features one by one cannot follow lines at a slant",
            lambda X, labels: np.diag(1.0 / X.std(axis=0) ** [1, 2]),
            scales_the_axes,
        ),
        Mistake(
            "the wrong direction shrunk",
            "this map keeps the length of the lines and shrinks the gap: turn it by 90 degrees",
            lambda X, labels: eigh(within_scatter(X, labels))[1][:, -1:],
            keeps_the_length,
        ),
    ],
    hints=[
        "k-means cuts where the points spread most. Along the lines or across them?",
        "A map of one column is a direction to project on. Which one shows two heaps?",
        "The scatter within the clusters has an eigenvector along the lines, and another one.",
    ],
    solution="Across the lines the clusters are tight and apart, so that direction is kept.",
)

# ------------------------------------------------------------------ 1.7 find the wrong step

STEPS_1_7 = {
    "a": "For a point i of cluster k, x_i − m = (x_i − m_k) + (m_k − m).",
    "b": "So ||x_i − m||² = ||x_i − m_k||² + 2 (x_i − m_k)'(m_k − m) + ||m_k − m||².",
    "c": "Summed over cluster k the middle term vanishes, because the x_i − m_k sum to zero.",
    "d": "Summed over cluster k the last term is ||m_k − m||², because it does not depend on i.",
    "e": "Summing over k: the total is the within-cluster scatter plus Σ_k ||m_k − m||².",
}

EX_1_7 = Exercise(
    id="1.7",
    title="find the wrong step",
    kind="choice",
    reference=lambda: "d",
    cases=no_data,
    steps=STEPS_1_7,
    properties=[chosen("d", tuple(STEPS_1_7))],
    mistakes=[
        Mistake("a", "step (a) only adds and takes away m_k", lambda: "a"),
        Mistake("b", "step (b) is the square of a sum, written out", lambda: "b"),
        Mistake(
            "c",
            "step (c) is right: m_k − m is the same for the whole cluster and can be taken out",
            lambda: "c",
        ),
        Mistake(
            "e",
            "step (e) is false, but it follows: the mistake was made in a step before it",
            lambda: "e",
        ),
    ],
    hints=[
        "Try the claim with two clusters of two points each, on a line.",
        "The claim is too small on the right. Which step lost something?",
    ],
    solution="The term does not depend on i, so it is summed n_k times. The wrong step:",
)

EXERCISES = [EX_1_1, EX_1_2, EX_1_3, EX_1_4, EX_1_5, EX_1_6, EX_1_7]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "1.q1",
        "All points are moved by the same vector. What happens to the k-means objective?",
        [
            Choice(
                "It stays.",
                "The means move along, so no difference of a point to its mean changes.",
                right=True,
            ),
            Choice(
                "It grows.", "Only sums of squares about the origin grow; here each mean moves too."
            ),
            Choice("It depends on K.", "For every K the means move along with their points."),
        ],
    ),
    Question(
        "1.q2",
        "Ten points are put into three clusters, none of them empty; Y is their indicator. What "
        "is the rank of YY'?",
        [
            Choice("10", "YY' is 10 x 10, but Y has only three columns."),
            Choice("3", "Y has three orthonormal columns; YY' projects on their span.", right=True),
            Choice("1", "That would be one cluster: YY' then averages over all points."),
        ],
    ),
    Question(
        "1.q3",
        "All features are lengths in metres and vary about equally much. Then one of them is given "
        "in millimetres. What does k-means do?",
        [
            Choice(
                "The same clusters: units do not matter.",
                "Squared distances add the features up, and that feature now varies a thousand "
                "times as much as the others, so it decides nearly alone.",
            ),
            Choice(
                "It nearly clusters by that feature alone.",
                "Its squared differences grow by a factor of a million and those of the others do "
                "not; the unit is a choice of metric.",
                right=True,
            ),
            Choice(
                "It ignores that feature.",
                "The other way round: larger differences weigh more.",
            ),
        ],
    ),
]
