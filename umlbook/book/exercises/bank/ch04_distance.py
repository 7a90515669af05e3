"""Chapter 4: distances in units of the data's own spread, and the trace between clusters."""

import numpy as np

from umlbook.algebra import Array, Labels, centered, indicator
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    has_shape,
    is_finite,
    is_nonnegative,
    is_number,
    not_plain_number,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Case, Exercise, Mistake

# ---------------------------------------------------------------------------------- the data


def blobs(rng: np.random.Generator, shift: float = 0.0) -> tuple[Array, Labels]:
    """Eighteen points in three clusters of unequal size, on four features of unequal scale."""
    labels = rng.permutation(np.repeat([0, 1, 2], [8, 6, 4]))
    X = rng.normal(size=(18, 4)) * [1.0, 3.0, 0.5, 2.0] + 2.0 * np.eye(3, 4)[labels]
    return X + shift, labels


def clustered_points(rng: np.random.Generator) -> list[Case]:
    """Points with labels and a regulariser, near the origin and far from it."""
    X, labels = blobs(rng)
    far, others = blobs(rng, shift=20.0)
    return [
        Case("the 18 points in your data", X=X, labels=labels, lam=0.5),
        Case("points far from the origin", X=far, labels=others, lam=0.1),
        Case("a large lam", X=X, labels=labels, lam=10.0),
    ]


def projected_points(rng: np.random.Generator) -> list[Case]:
    """The same with a projection."""
    return [
        Case(c.name, X=c.X, labels=c.labels, W=rng.normal(size=(4, 2)), lam=c.lam)
        for c in clustered_points(rng)
    ]


def covariance(X: Array, lam: float) -> Array:
    return centered(X).T @ centered(X) / len(X) + lam * np.eye(X.shape[1])


# ------------------------------------------------------------------- 4.1 Mahalanobis distances


def points_and_covariances(rng: np.random.Generator) -> list[Case]:
    """Points, and the covariance in whose units distances are wanted."""
    X, _ = blobs(rng)
    mixed = X @ rng.normal(size=(4, 4))
    return [
        Case("the 18 points in your data", X=X, S=covariance(X, 0.0)),
        Case("features that mix", X=mixed, S=covariance(mixed, 0.1)),
        Case("one feature", X=X[:, :1], S=np.array([[2.0]])),
    ]


def squared_distances(X: Array, S: Array) -> Array:
    """(x_i - x_j)'S^-1(x_i - x_j) for all pairs."""
    gaps = X[:, None] - X[None]
    return np.einsum("ijk,ijk->ij", gaps, np.linalg.solve(S, gaps[..., None])[..., 0])


def _through(X: Array, M: Array) -> Array:
    gaps = X[:, None] - X[None]
    return np.einsum("ijk,kl,ijl->ij", gaps, M, gaps)


EX_4_1 = Exercise(
    id="4.1",
    title="Mahalanobis distances",
    answer="mahalanobis_squared",
    reference=squared_distances,
    cases=points_and_covariances,
    properties=[
        has_shape(lambda case: (len(case.X), len(case.X))),
        is_finite,
        is_nonnegative,
        unmoved_by_shift,
        agrees_with(squared_distances, "squared distance"),
    ],
    mistakes=[
        Mistake(
            "Euclidean",
            "these are Euclidean distances: S does not enter",
            lambda X, S: _through(X, np.eye(len(S))),
        ),
        Mistake(
            "S and not its inverse",
            "this multiplies by S: a direction of large spread must count for less, not for more",
            _through,
        ),
        Mistake(
            "features one by one",
            "this divides every feature by its own variance and forgets that they are correlated",
            lambda X, S: _through(X, np.diag(1 / np.diag(S))),
        ),
        Mistake(
            "not squared",
            "these are the distances: their squares are asked for",
            lambda X, S: np.sqrt(squared_distances(X, S)),
        ),
    ],
    hints=[
        "X[:, None] - X[None] holds all differences, n x n x d.",
        "np.linalg.solve(S, v) is S^-1 v, without an inverse.",
        "Or whiten first: distances after x -> S^(-1/2) x are Euclidean.",
    ],
    solution="Solve with S for every difference, and take the inner product with it.",
)

# ------------------------------------------------------------------- 4.2 the trace between


def between_trace(X: Array, labels: Labels, W: Array, lam: float) -> float:
    """tr(L'XW(W'SW)^-1W'X'L) with centred X."""
    return _trace(centered(X), indicator(labels), W, covariance(X, lam))


def _trace(X: Array, L: Array, W: Array, S: Array) -> float:
    M = W.T @ X.T @ L
    return float(np.trace(M.T @ np.linalg.solve(W.T @ S @ W, M)))


EX_4_2 = Exercise(
    id="4.2",
    title="the scatter between clusters as a trace",
    reference=between_trace,
    cases=projected_points,
    properties=[
        is_number,
        is_finite,
        is_nonnegative,
        unmoved_by_shift,
        agrees_with(between_trace, "trace"),
    ],
    mistakes=[
        Mistake(
            "one-hot columns",
            "this is what the one-hot indicator gives: the columns of L have norm one",
            lambda X, labels, W, lam: _trace(centered(X), np.eye(3)[labels], W, covariance(X, lam)),
        ),
        Mistake(
            "no lam",
            "this is what you get with the plain covariance: lam is missing from S",
            lambda X, labels, W, lam: _trace(centered(X), indicator(labels), W, covariance(X, 0)),
        ),
        Mistake(
            "scatter and not covariance",
            "this is what you get with X'X + lam I: the covariance is X'X / n",
            lambda X, labels, W, lam: _trace(
                centered(X),
                indicator(labels),
                W,
                centered(X).T @ centered(X) + lam * np.eye(X.shape[1]),
            ),
        ),
        Mistake(
            "the identity for S",
            "this is the scatter of the projected means in Euclidean distance: W'SW is missing",
            lambda X, labels, W, lam: float(np.sum((W.T @ centered(X).T @ indicator(labels)) ** 2)),
        ),
    ],
    hints=[
        "Centre X first. umlbook.algebra.indicator gives L.",
        "S is d x d, W'SW is l x l; solve with the small one.",
        "The trace of M'C^-1 M with M = W'X'L.",
    ],
    solution="With M = W'X'L the trace is tr(M'(W'SW)^-1 M).",
    remarks=[not_plain_number],
)
