r"""The metric that spreads cannot-links while must-links keep a total of one.

Both versions climb the same way. With :math:`A = LL'` the sum over D of :math:`\lVert L'v \rVert`
is a sum of norms, and a norm lies above its tangents. Scaled so that :math:`S_w = I`,

.. math:: L \leftarrow G L / \lVert G L \rVert_F, \qquad G = \sum_D \frac{v v'}{\lVert L'v \rVert},

is where the tangents at L are highest together, so the sum can only rise. It is concave in A:
the gradient G/2 at any A bounds the optimum, and the climb ends when value and bound meet.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.rivals._base import Linear, Shrinking, SteppingPairRival
from umlbook.rivals._scatter import matrix_power, pair_differences, pair_scatter


@dataclass(frozen=True)
class MMCProblem:
    """Differences of D in coordinates where S_w = I, and the map there from those of X."""

    V: Array
    whitening: Array


@dataclass(frozen=True)
class MMCStep:
    """L (d x d), the sum of distances over D, and a bound on how much more there is to gain."""

    factor: Array
    objective: float
    gap: float


def mmc_full_steps(V: Array) -> Iterator[MMCStep]:
    """The climb over all metrics with tr A = 1, from a multiple of the identity on.

    Parameters
    ----------
    V : array (n_pairs, d)
        Differences of the cannot-links.
    """
    L = np.eye(V.shape[1]) / np.sqrt(V.shape[1])
    while True:
        apart = np.linalg.norm(V @ L, axis=1)
        G = V.T @ (V / _positive(apart)[:, None])
        value = float(apart.sum())
        yield MMCStep(L, value, (float(eigh(G, eigvals_only=True)[-1]) - value) / 2)
        L = G @ L
        L = L / np.linalg.norm(L)


def mmc_diagonal_steps(V: Array) -> Iterator[MMCStep]:
    """The climb over diagonal metrics with tr A = 1, from a multiple of the identity on.

    Parameters
    ----------
    V : array (n_pairs, d)
        Differences of the cannot-links.
    """
    root = np.full(V.shape[1], V.shape[1] ** -0.5)
    while True:
        apart = np.linalg.norm(V * root, axis=1)
        g = (V**2 / _positive(apart)[:, None]).sum(axis=0)
        value = float(apart.sum())
        yield MMCStep(np.diag(root), value, (float(g.max()) - value) / 2)
        root = g * root
        root = root / np.linalg.norm(root)


def _positive(apart: Array) -> Array:
    """Distances without exact zeros: a pair that coincides under A has difference zero too."""
    return np.maximum(apart, np.finfo(float).tiny ** 0.5)


class MMC(Linear, Shrinking, SteppingPairRival):
    r"""The metric with the largest sum of distances over cannot-links, must-links bounded.

    .. math:: \max_{A \succeq 0} \sum_D \sqrt{(x_i - x_j)'A(x_i - x_j)} \quad \text{s.t.} \quad
       \sum_S (x_i - x_j)'A(x_i - x_j) = 1

    or the same over diagonal A, which the source writes without the constraint, as
    :math:`\min_{a \ge 0} \sum_S a'v - \log \sum_D \sqrt{a'v}` with v the squared differences: its
    solution is half of ours, as it has :math:`\sum_S a'v = 1/2`.

    The distances over D are not squared: with squares the optimum is one direction, whatever the
    pairs. The source climbs by gradients and projections; we climb by majorisation, without a step
    size, to the same optimum (the problem is concave), and know how far from it we are.

    **Left open by the source:** what to do when must-links leave some direction free, along which
    distances may grow without bound. We shrink :math:`S_w` towards a multiple of I, and warn.

    Parameters
    ----------
    diagonal : bool
        Learn weights of the features only.
    shrinkage : float in [0, 1] or None
        Shrinkage of the must-link scatter. None is 0 where it has full rank and 0.1, with a
        warning, where it has not.
    max_iter : int
        Most steps.
    tol : float
        Relative distance from the optimum at which the steps end.
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
        A factor of A.
    metric_ : array (d, d)
        A.
    shrinkage_ : float
        Shrinkage as used.
    gap_ : float
        The optimum is at most this much above ``objective_``.
    objective_ : float
        The sum of distances over D at the end.
    objective_path_ : array (n_iter_,)
        The sum of distances over D after each step, which never decreases.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the steps settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Xing, Ng, Jordan and Russell (2003), Distance metric learning with application to clustering
    with side-information.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 0.8]])
    >>> model = MMC(diagonal=True).fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[0, 2]])
    >>> bool(model.metric_[0, 0] < model.metric_[1, 1])
    True
    """

    def __init__(
        self,
        *,
        diagonal: bool = False,
        shrinkage: float | None = None,
        max_iter: int = 10_000,
        tol: float = 1e-9,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.diagonal = diagonal
        self.shrinkage = shrinkage
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> MMCProblem:
        self._require_pairs(X, must, cannot)
        S_w = pair_scatter(X, must)
        S_w = self._shrunk(np.diag(np.diag(S_w)) if self.diagonal else S_w)
        V = pair_differences(X, cannot)
        whitening = matrix_power(S_w, -0.5)
        return MMCProblem(V @ whitening, whitening)

    def _states(self, problem: MMCProblem) -> Iterator[MMCStep]:
        return (mmc_diagonal_steps if self.diagonal else mmc_full_steps)(problem.V)

    def _settled(self, previous: MMCStep, state: MMCStep) -> bool:
        return state.gap <= self.tol * state.objective

    def _adopt(self, problem: MMCProblem, state: MMCStep) -> None:
        self.components_ = problem.whitening @ state.factor
        self.gap_ = state.gap
