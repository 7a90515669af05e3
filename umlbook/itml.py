r"""Information-theoretic metric learning: stay near Euclid, and meet bounds on the pairs.

A constraint k asks :math:`v_k'Av_k \le \xi_k` of a must-link (:math:`\delta_k = 1`) and
:math:`\ge \xi_k` of a cannot-link (:math:`\delta_k = -1`), where :math:`v_k` is the difference of
the pair and :math:`\xi_k` a bound that may give way at a price.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from umlbook.algebra import Array
from umlbook.constraints import IntArray

MOST_ROWS = 2000  # of X, for the percentiles
ROUNDING = 1e-14  # of the largest distance: a smaller one is none
DIGITS = 1e-13  # of the trace: in no direction may the metric become smaller, or it has no digits


@dataclass(frozen=True)
class ITMLProblem:
    """Differences v (m x d), signs delta (1 must, -1 cannot), bounds xi_0, price gamma."""

    V: Array
    delta: Array
    bounds: Array
    gamma: float


def pair_differences(X: Array, pairs: IntArray) -> Array:
    """x_i - x_j for each pair, n_pairs x d.

    >>> pair_differences(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([[0, 1]]))
    array([[-2.,  0.]])
    """
    return X[pairs[:, 0]] - X[pairs[:, 1]]


def itml_problem(
    X: Array,
    must: IntArray,
    cannot: IntArray,
    *,
    gamma: float = 1.0,
    percentiles: tuple[float, float] = (5.0, 95.0),
) -> ITMLProblem:
    """The problem of these pairs, without those of equal samples (at distance 0 in every metric).

    Must-links are to be nearer than the first percentile of the squared distances of the samples,
    cannot-links farther than the second.
    """
    V = pair_differences(X, np.concatenate([must, cannot]))
    lengths = np.linalg.norm(V, axis=1)
    differs = lengths > ROUNDING * np.max(lengths, initial=0.0)
    delta = np.repeat([1.0, -1.0], [len(must), len(cannot)])[differs]
    bounds = np.where(delta > 0, *distance_bounds(X, *percentiles))
    return ITMLProblem(V[differs], delta, bounds, gamma)


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
    share, squares = gamma / (gamma + 1), np.sum(V**2, axis=1)
    while True:
        least = DIGITS * np.trace(A) * squares
        for k, v in enumerate(V):
            Av = A @ v
            p = float(v @ Av)
            if not p > least[k]:
                continue
            alpha = min(lam[k], delta[k] * share * (1 / p - 1 / xi[k]))
            if delta[k] > 0:  # p becomes p / (1 - alpha p)
                alpha = max(alpha, 1 / p - 1 / least[k])
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
    u, length = np.percentile(apart[apart > ROUNDING**2 * apart.max()], [low, high])
    return float(u), float(length)
