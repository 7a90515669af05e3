"""`ITML`: information-theoretic metric learning as a rival; its solver is `umlbook.itml`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh

from umlbook._checks import check_positive
from umlbook._loop import improving
from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.itml import (
    ITMLProblem,
    ITMLStep,
    distance_bounds,
    itml_dual,
    itml_primal,
    itml_problem,
    itml_steps,
    log_det_divergence,
)
from umlbook.rivals._base import Linear, SteppingPairRival

__all__ = [
    "ITML",
    "ITMLProblem",
    "ITMLStep",
    "distance_bounds",
    "itml_dual",
    "itml_primal",
    "itml_problem",
    "itml_steps",
    "log_det_divergence",
]


def _factor(A: Array) -> Array:
    """L with LL' = A, lower triangular unless rounding has left A a direction below zero.

    >>> _factor(np.array([[4.0, 2.0], [2.0, 2.0]]))
    array([[2., 0.],
           [1., 1.]])
    >>> _factor(np.array([[1.0, 0.0], [0.0, -1e-17]])).round(9) ** 2
    array([[0., 1.],
           [0., 0.]])
    """
    try:
        return cholesky(A, lower=True)
    except LinAlgError:
        values, vectors = eigh(A)
        return vectors * np.sqrt(np.maximum(values, 0.0))


class ITML(Linear, SteppingPairRival):
    r"""The metric nearest to Euclid in LogDet divergence that keeps pairs within bounds.

    .. math:: \min_{A \succeq 0,\ \xi > 0}\ \operatorname{tr} A - \log\det A
       + \gamma \sum_k \Big(\frac{\xi_k}{\xi^0_k} - \log \frac{\xi_k}{\xi^0_k}\Big)
       \quad \text{s.t.}\quad v_k'Av_k \le \xi_k\ (S), \quad v_k'Av_k \ge \xi_k\ (D)

    where :math:`\xi^0` is u for must-links and l for cannot-links.

    **Left open by the source:** u and l, for which it takes percentiles of distances; the bounds
    are on squared distances, so ours are percentiles of squared ones. The step that is commonly
    written for the projection, :math:`\frac{\delta}{2}(1/p - \gamma/\xi)`, meets its constraint
    only at gamma = 1; ours does for every gamma. Pairs of equal samples, whose distance is zero
    in every metric, are left out.

    Parameters
    ----------
    gamma : float
        Price of moving the bounds; large is strict.
    percentiles : pair of float
        Of all squared distances, for u and l.
    max_iter : int
        Most rounds over all pairs.
    tol : float
        Relative increase of the dual value at which the rounds end.
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
    components_ : array (d, d)
        The Cholesky factor of A.
    metric_ : array (d, d)
        A.
    bounds_ : tuple of float
        u and l.
    slack_ : array (n_pairs,)
        xi, must-links first.
    multipliers_ : array (n_pairs,)
        lambda, must-links first.
    objective_ : float
        The dual value at the end.
    objective_path_ : array (n_iter_,)
        The dual value after each round, which never decreases.
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the rounds settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Davis, Kulis, Jain, Sra and Dhillon (2007), Information-theoretic metric learning.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 0.8]])
    >>> model = ITML().fit(X, must_link=[[0, 1]], cannot_link=[[0, 2]])
    >>> A = model.metric_
    >>> bool(A[0, 0] < 1 < A[1, 1])
    True
    """

    needs = ()

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        percentiles: tuple[float, float] = (5.0, 95.0),
        max_iter: int = 2000,
        tol: float = 1e-9,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.gamma = gamma
        self.percentiles = percentiles
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> ITMLProblem:
        self._require_pairs(X, must, cannot)
        gamma = check_positive("gamma", self.gamma)
        low, high = self.percentiles
        if not 0 <= low <= high <= 100:
            raise ValueError(f"percentiles must rise from 0 to 100, got {self.percentiles!r}")
        self.bounds_ = distance_bounds(X, low, high)
        return itml_problem(X, must, cannot, gamma=gamma, percentiles=self.percentiles)

    def _states(self, problem: ITMLProblem) -> Iterator[ITMLStep]:
        return improving(itml_steps(problem), 1)

    def _adopt(self, problem: ITMLProblem, state: ITMLStep) -> None:
        self.components_ = _factor(state.metric)
        self.slack_, self.multipliers_ = state.slack, state.multipliers
