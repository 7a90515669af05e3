"""Exercises 1.1 and 1.2: the indicator, and the k-means objective as a trace."""

import numpy as np
from scipy.stats import ortho_group

from umlbook.algebra import Array, Labels, indicator
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    apart,
    has_shape,
    is_finite,
    is_nonnegative,
    is_number,
    loops,
    not_plain_number,
    quadratic,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ---------------------------------------------------------------------------------- the data


def labelled_points(rng: np.random.Generator) -> list[Case]:
    """Points with labels: clusters of unequal size, of one point, of equal points, only one."""
    labels = rng.permutation([0, 0, 0, 0, 1, 1, 2])
    X = rng.normal(size=(7, 2)) + 2.0 * labels[:, None]
    twins = np.repeat(rng.normal(size=(3, 2)), 2, axis=0)
    return [
        Case("the 7 points in your data", X=X, labels=labels),
        Case("points far from the origin", X=X + 100.0, labels=labels),
        Case("one cluster", X=X, labels=np.zeros(7, dtype=int)),
        Case("clusters of one point each", X=X, labels=rng.permutation(7)),
        Case("three pairs of equal points", X=twins, labels=np.repeat([0, 1, 2], 2)),
        Case("points on a line", X=X[:, :1], labels=labels),
    ]


RELAXED = "a Y with orthonormal columns that is no indicator"


def with_indicator(rng: np.random.Generator) -> list[Case]:
    """The same with the indicator in place of the labels; at last a relaxed one."""
    cases = [Case(c.name, X=c.X, Y=indicator(c.labels)) for c in labelled_points(rng)]
    # A column of ones is in the span, as for an indicator: moving all points still changes nothing.
    frame = np.linalg.qr(np.column_stack([np.ones(7), rng.normal(size=(7, 2))]))[0]
    relaxed = frame @ ortho_group.rvs(3, random_state=rng)
    return [*cases, Case(RELAXED, X=cases[0].X, Y=relaxed)]


# ------------------------------------------------------------------------------ 1.1 indicator


def label_cases(rng: np.random.Generator) -> list[Case]:
    """Labels: clusters of unequal size, one cluster, and a cluster without points anywhere."""
    own = rng.permutation([0, 0, 0, 0, 1, 1, 2])
    return [
        Case("the 7 labels in your data", labels=own, n_clusters=3),
        Case("one cluster", labels=np.zeros(4, dtype=int), n_clusters=1),
        Case("as many clusters as points", labels=rng.permutation(5), n_clusters=5),
        Case("a cluster without points", labels=rng.permutation([0, 0, 1, 3, 3]), n_clusters=4),
        Case("a last cluster without points", labels=rng.permutation([0, 1, 1, 2]), n_clusters=5),
        Case("a first cluster without points", labels=rng.permutation([1, 2, 2, 3]), n_clusters=4),
    ]


def indicator_of(labels: Labels, n_clusters: int) -> Array:
    """Rows are points, columns clusters; a column has norm one, or is zero without points."""
    Z = np.eye(n_clusters)[labels]
    sizes = Z.sum(axis=0)
    return Z / np.sqrt(np.maximum(sizes, 1.0))


def marks_the_clusters(attempt: Attempt) -> str | None:
    """Nonzero exactly where the label says."""
    marked, labels = attempt.array != 0, attempt.case.labels
    wrong = np.flatnonzero((marked != (labels[:, None] == np.arange(marked.shape[1]))).any(axis=1))
    if not wrong.size:
        return None
    where = np.flatnonzero(marked[wrong[0]]).tolist()
    point = int(wrong[0])
    return f"point {point} has label {labels[point]}, but its row is nonzero in columns {where}"


def unit_columns(attempt: Attempt) -> str | None:
    """Every column of a cluster with points has norm one."""
    norms = np.linalg.norm(attempt.array, axis=0)
    for column in np.unique(attempt.case.labels):
        if not np.isclose(norms[column], 1.0):
            return f"your column {column} has norm {apart(norms[column], 1.0)}, not 1"
    return None


def not_float(attempt: Attempt) -> str | None:
    """Remark: single precision."""
    kind = np.asarray(attempt.value).dtype
    return None if kind == np.float64 else f"it has dtype {kind}: float64 keeps twice the digits"


EX_1_1 = Exercise(
    id="1.1",
    title="write the indicator",
    reference=indicator_of,
    cases=label_cases,
    properties=[
        has_shape(lambda case: (len(case.labels), case.n_clusters)),
        is_finite,
        marks_the_clusters,
        unit_columns,
        agrees_with(indicator_of, "entry"),
    ],
    mistakes=[
        Mistake(
            "columns not normalised",
            "this is what you get when the ones are left as they are: the columns are orthogonal, "
            "but not of norm one",
            lambda labels, n_clusters: np.eye(n_clusters)[labels],
        ),
        Mistake(
            "divided by the size",
            "this is what you get with 1/n_c: the columns then sum to one; for norm one, ask what "
            "the sum of the squares must be",
            lambda labels, n_clusters: indicator_of(labels, n_clusters) ** 2,
        ),
        Mistake(
            "transposed",
            "this is the transpose: rows are points, columns are clusters",
            lambda labels, n_clusters: indicator_of(labels, n_clusters).T,
        ),
        Mistake(
            "zero divided by zero",
            "this is what you get when the column of a cluster without points is divided by the "
            "root of its size, zero",
            lambda labels, n_clusters: (
                np.eye(n_clusters)[labels] / np.sqrt(np.bincount(labels, minlength=n_clusters))
            ),
        ),
    ],
    hints=[
        "Start with a matrix of zeros and ones: row i has its one in column labels[i].",
        "np.eye(n_clusters)[labels] picks the rows of the identity.",
        "Divide each column by the square root of its sum, and mind a sum of zero.",
    ],
    solution="A column with n_c equal entries has norm one when each is 1/sqrt(n_c).",
    remarks=[not_float, loops],
)

# --------------------------------------------------------------------------- 1.2 SSE, a trace


def sse_as_trace(X: Array, Y: Array) -> float:
    """What the cluster means do not explain of the points."""
    return float(np.trace(X.T @ X) - np.trace(Y.T @ X @ X.T @ Y))


def _sse_by_means(X: Array, Y: Array) -> float:
    """The objective from the means of the clusters that the entries of Y mark."""
    labels = np.abs(Y).argmax(axis=1)
    means = np.array([X[labels == label].mean(axis=0) for label in labels])
    return float(np.sum((X - means) ** 2))


def reads_the_clusters(attempt: Attempt) -> str | None:
    """For a mistake: right as long as the entries of Y show the clusters, and only then."""
    right = np.isclose(attempt.number, sse_as_trace(*attempt.case.values()))
    return "clusters" if right or attempt.case.name == RELAXED else None


EX_1_2 = Exercise(
    id="1.2",
    title="the k-means objective as a trace",
    reference=sse_as_trace,
    cases=with_indicator,
    properties=[
        is_number,
        is_finite,
        is_nonnegative,
        quadratic,
        unmoved_by_shift,
        agrees_with(sse_as_trace),
    ],
    mistakes=[
        Mistake(
            "no indicator",
            "this is tr(X'X): the part that the clusters explain, tr(Y'XX'Y), is not taken off",
            lambda X, Y: np.sum(X**2),
        ),
        Mistake(
            "the explained part",
            "this is tr(Y'XX'Y), which k-means makes large: the objective is the rest of tr(X'X)",
            lambda X, Y: np.sum((Y.T @ X) ** 2),
        ),
        Mistake(
            "a mean of squares",
            "this is the objective divided by the number of points: it is a sum, not a mean",
            lambda X, Y: sse_as_trace(X, Y) / len(X),
        ),
        Mistake(
            "norm not squared",
            "this is the norm of X - YY'X: square it",
            lambda X, Y: np.linalg.norm(X - Y @ (Y.T @ X)),
        ),
        Mistake(
            "distances to the global mean",
            "this is the total scatter: compare each point with the mean of its own cluster",
            lambda X, Y: np.sum((X - X.mean(axis=0)) ** 2),
        ),
        Mistake(
            "clusters read off Y",
            "this is right as long as Y is an indicator: the trace form needs no cluster and no "
            "mean, only that the columns of Y are orthonormal",
            _sse_by_means,
            reads_the_clusters,
        ),
    ],
    hints=[
        "YY'X has, in row i, the mean of the cluster of point i.",
        "So the objective is the squared norm of X - YY'X.",
        "YY' is a projection: the square opens into tr(X'X) - tr(Y'XX'Y).",
    ],
    solution="YY' projects, so the squared norm of X - YY'X is the difference of two traces.",
    remarks=[not_plain_number, loops],
)
