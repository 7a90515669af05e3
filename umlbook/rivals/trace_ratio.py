r"""The trace ratio problem, and Xiang's metric from pairs that solves it.

.. math:: \max_{W'W = I}\ \frac{\operatorname{tr}(W'S_bW)}{\operatorname{tr}(W'S_wW)}

Let :math:`f(\lambda)` be the sum of the p largest eigenvalues of :math:`S_b - \lambda S_w`. By Ky
Fan's theorem a frame with a ratio of at least lambda exists exactly when f(lambda) >= 0; f is
decreasing, so the best ratio is its root. Dinkelbach's method is Newton's method on f: it climbs to
the root from below, faster than linearly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from umlbook._checks import check_count
from umlbook.algebra import Array, ky_fan
from umlbook.constraints import IntArray
from umlbook.rivals._base import Linear, SteppingPairRival
from umlbook.rivals._scatter import RANK_TOLERANCE, pair_scatter


@dataclass(frozen=True)
class TraceRatioStep:
    """A frame W (d x p, orthonormal columns) and its trace ratio, infinite where S_w W = 0."""

    frame: Array
    objective: float


def trace_ratio(S_b: Array, S_w: Array, W: Array) -> float:
    """tr(W'S_b W) / tr(W'S_w W), infinite where the denominator is zero.

    >>> trace_ratio(np.diag([3.0, 1.0]), np.eye(2), np.eye(2))
    2.0
    """
    above, below = (float(np.sum(W * (S @ W))) for S in (S_b, S_w))
    return above / below if below > 0 else float("inf")


def trace_ratio_steps(S_b: Array, S_w: Array, n_components: int) -> Iterator[TraceRatioStep]:
    r"""Dinkelbach's method from the top eigenvectors of S_b on; the ratio never decreases.

    What neither matrix sees is removed first, so at most rank(S_b + S_w) columns come out. Where
    p of what is left lies in the null space of S_w the ratio has no bound, and the one state is
    the top of S_b in that null space.

    Parameters
    ----------
    S_b : array (d, d)
        What is to be large; symmetric positive semi-definite.
    S_w : array (d, d)
        What is to be small; symmetric positive semi-definite.
    n_components : int
        p.

    Yields
    ------
    TraceRatioStep

    Examples
    --------
    >>> steps = trace_ratio_steps(np.diag([4.0, 3.0]), np.diag([2.0, 1.0]), 1)
    >>> [next(steps).objective for _ in range(2)]
    [2.0, 3.0]
    """
    Q = range_basis(S_b + S_w)
    B, C = Q.T @ S_b @ Q, Q.T @ S_w @ Q
    p = min(n_components, Q.shape[1])
    N = null_basis(C)
    if p <= N.shape[1]:
        frame = N @ ky_fan(_even(N.T @ B @ N), p)[1]
        yield TraceRatioStep(Q @ frame, float("inf"))
        return
    lam = 0.0
    while True:
        frame = ky_fan(_even(B - lam * C), p)[1]
        lam = trace_ratio(B, C, frame)
        yield TraceRatioStep(Q @ frame, lam)


def range_basis(S: Array) -> Array:
    """Orthonormal columns that span the range of a positive semi-definite S."""
    values, vectors = eigh(S)
    return vectors[:, values > RANK_TOLERANCE * max(values[-1], 0.0)]


def null_basis(S: Array) -> Array:
    """Orthonormal columns that span the null space of a positive semi-definite S."""
    values, vectors = eigh(S)
    return vectors[:, values <= RANK_TOLERANCE * max(values[-1], 0.0)]


def half_the_features(n_components: int | None, X: Array) -> int:
    """The number of columns asked for; for None half the features of X, but at least one."""
    if n_components is None:
        return max(1, X.shape[1] // 2)
    check_count("n_components", n_components)
    return int(n_components)


def _even(S: Array) -> Array:
    return (S + S.T) / 2


class TraceRatio(Linear, SteppingPairRival):
    r"""Projection with the largest ratio of cannot-link to must-link scatter.

    .. math:: \max_{W'W = I}\ \frac{\sum_D \lVert W'(x_i - x_j) \rVert^2}
       {\sum_S \lVert W'(x_i - x_j) \rVert^2}

    The source solves it by bisection; we climb by Dinkelbach's steps, which end at the same
    optimum (the tests and the gallery compare the two).

    **Left open by the source:** the number p of columns. Our choice is half the features; the
    number of clusters less one is as natural and gives other results, so tables show both.

    Parameters
    ----------
    n_components : int or None
        p; None is half the features, rounded down but at least one. Fewer columns come out where
        the pairs span fewer directions.
    max_iter : int
        Most steps.
    tol : float
        Relative change of the ratio at which the steps end.
    n_clusters : int
        Clusters that k-means looks for in the learned space.
    random_state : int, RandomState or None
        Seed of k-means.

    Attributes
    ----------
    labels_ : array (n,)
        The nearest of ``cluster_centers_`` in the learned space.
    cluster_centers_ : array (n_clusters, p)
        Means of the clusters that k-means has found there.
    components_ : array (d, p)
        W.
    metric_ : array (d, d)
        WW'.
    objective_ : float
        The ratio at the end; infinite where must-links have no scatter in p directions that
        cannot-links see.
    objective_path_ : array (n_iter_,)
        The ratio after each step, which never decreases.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the steps settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Xiang, Nie and Zhang (2008), Learning a Mahalanobis distance metric for data clustering and
    classification.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 1.1]])
    >>> model = TraceRatio(1).fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[0, 2], [1, 3]])
    >>> np.abs(model.transform(X)).round(1).ravel().tolist()
    [0.0, 0.0, 1.0, 1.0]
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        max_iter: int = 100,
        tol: float = 1e-12,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> tuple[Array, Array, int]:
        self._require_pairs(X, must, cannot)
        p = half_the_features(self.n_components, X)
        S_b, S_w = pair_scatter(X, cannot), pair_scatter(X, must)
        return S_b, S_w, p

    def _states(self, problem: tuple[Array, Array, int]) -> Iterator[TraceRatioStep]:
        return trace_ratio_steps(*problem)

    def _adopt(self, problem: tuple[Array, Array, int], state: TraceRatioStep) -> None:
        self.components_ = state.frame
