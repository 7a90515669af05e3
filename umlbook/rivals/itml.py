r"""Information-theoretic metric learning: stay near Euclid, and meet bounds on the pairs.

A constraint k asks :math:`v_k'Av_k \le \xi_k` of a must-link (:math:`\delta_k = 1`) and
:math:`\ge \xi_k` of a cannot-link (:math:`\delta_k = -1`), where :math:`v_k` is the difference of
the pair and :math:`\xi_k` a bound that may give way at a price.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky
from scipy.spatial.distance import pdist

from umlbook._checks import check_positive
from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.rivals._base import Linear, SteppingPairRival
from umlbook.rivals._scatter import pair_differences

MOST_ROWS = 2000  # of X, for the percentiles


@dataclass(frozen=True)
class ITMLProblem:
    """Differences v (m x d), signs delta (1 must, -1 cannot), bounds xi_0, price gamma."""

    V: Array
    delta: Array
    bounds: Array
    gamma: float


@dataclass(frozen=True)
class ITMLStep:
    """State after a round over all constraints.

    ``objective`` is the dual value, which never decreases and ends where the primal does;
    ``primal`` is the cost of the problem at this A and xi, and only a bound where xi is met.
    """

    metric: Array
    slack: Array
    multipliers: Array
    objective: float
    primal: float


def log_det_divergence(A: Array) -> float:
    """tr A - log det A - d, the LogDet divergence of A from the identity.

    >>> log_det_divergence(np.eye(3))
    0.0
    """
    return float(np.trace(A) - np.linalg.slogdet(A)[1] - len(A))


def itml_primal(A: Array, xi: Array, problem: ITMLProblem) -> float:
    """The cost of the problem: divergence of A from I plus gamma times that of xi from xi_0."""
    ratio = xi / problem.bounds
    return log_det_divergence(A) + problem.gamma * float(np.sum(ratio - np.log(ratio) - 1))


def itml_dual(A: Array, xi: Array, problem: ITMLProblem) -> float:
    """-log det A - gamma sum log(xi / xi_0): the Lagrange dual where A and xi minimise it."""
    slack = float(np.sum(np.log(xi / problem.bounds)))
    return -float(np.linalg.slogdet(A)[1]) - problem.gamma * slack


def itml_steps(problem: ITMLProblem) -> Iterator[ITMLStep]:
    r"""Cyclic Bregman projections, one state per round; the dual never decreases.

    Projecting on constraint k moves its multiplier down by

    .. math:: \alpha = \min\Big(\lambda_k,\ \delta_k \frac{\gamma}{\gamma + 1}
       \Big(\frac{1}{v_k'Av_k} - \frac{1}{\xi_k}\Big)\Big),

    which is where both sides of the constraint meet, unless the multiplier reaches zero first.
    """
    V, delta, gamma = problem.V, problem.delta, problem.gamma
    A, xi, lam = np.eye(V.shape[1]), problem.bounds.copy(), np.zeros(len(V))
    share = gamma / (gamma + 1)
    while True:
        for k, v in enumerate(V):
            Av = A @ v
            p = float(v @ Av)
            alpha = min(lam[k], delta[k] * share * (1 / p - 1 / xi[k]))
            lam[k] -= alpha
            xi[k] = gamma * xi[k] / (gamma + delta[k] * alpha * xi[k])
            A = A + delta[k] * alpha / (1 - delta[k] * alpha * p) * np.outer(Av, Av)
        yield ITMLStep(
            A, xi.copy(), lam.copy(), itml_dual(A, xi, problem), itml_primal(A, xi, problem)
        )


def distance_bounds(X: Array, low: float, high: float) -> tuple[float, float]:
    """Two percentiles of the squared distances between different rows of X.

    Of more than 2000 rows, that many evenly spaced ones are used.

    >>> distance_bounds(np.array([[0.0], [1.0], [3.0]]), 0, 100)
    (1.0, 9.0)
    """
    rows = X if len(X) <= MOST_ROWS else X[np.linspace(0, len(X) - 1, MOST_ROWS).astype(int)]
    apart = pdist(rows, "sqeuclidean")
    u, length = np.percentile(apart[apart > 0], [low, high])
    return float(u), float(length)


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

    Attributes
    ----------
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
    ):
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
        V = pair_differences(X, np.concatenate([must, cannot]))
        differs = np.any(V != 0, axis=1)
        self.bounds_ = distance_bounds(X, low, high)
        delta = np.repeat([1.0, -1.0], [len(must), len(cannot)])[differs]
        return ITMLProblem(V[differs], delta, np.where(delta > 0, *self.bounds_), gamma)

    def _states(self, problem: ITMLProblem) -> Iterator[ITMLStep]:
        return itml_steps(problem)

    def _adopt(self, problem: ITMLProblem, state: ITMLStep) -> None:
        self.components_ = cholesky(state.metric, lower=True)
        self.slack_, self.multipliers_ = state.slack, state.multipliers
