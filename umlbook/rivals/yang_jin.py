r"""A logistic metric in the eigenspace of the data: PM without its unlabelled term."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from umlbook._checks import check_count, check_nonnegative
from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.daem import (
    ListedPairs,
    PairCost,
    correlation_basis,
    mean_squared_distance,
    projected_newton,
)
from umlbook.rivals._base import Linear, SteppingPairRival
from umlbook.rivals._scatter import pair_differences


@dataclass(frozen=True)
class LogisticProblem:
    """The basis U (d x k), the cost of (theta, mu), and the natural size of each variable."""

    basis: Array
    cost: PairCost
    scale: Array


@dataclass(frozen=True)
class LogisticStep:
    """theta (k, nonnegative), mu, the cost, and whether no step can lower it."""

    theta: Array
    mu: float
    objective: float
    optimal: bool


def logistic_metric_steps(problem: LogisticProblem) -> Iterator[LogisticStep]:
    """Projected Newton steps from a multiple of Euclid on; the cost never increases."""
    n_components = problem.basis.shape[1]
    x = np.append(np.ones(n_components) / problem.scale[:-1].sum(), 1.0)
    while True:
        here = projected_newton(problem.cost, x, problem.scale, max_iter=0)
        yield LogisticStep(here.x[:-1], float(here.x[-1]), here.value, here.converged)
        x = projected_newton(problem.cost, x, problem.scale, max_iter=1).x


class YangJin(Linear, SteppingPairRival):
    r"""Logistic regression of "same or not" on squared distance, the metric in an eigenspace.

    With :math:`t_{ij} = (x_i - x_j)'U \operatorname{diag}(\theta) U'(x_i - x_j) - \mu` and U the
    top eigenvectors of X'X, or of the covariance of X if ``centered``,

    .. math:: \min_{\theta, \mu \ge 0} \sum_S \log(1 + e^{t_{ij}}) + \sum_D \log(1 + e^{-t_{ij}})
       + \tau \sum_l \theta_l .

    This is PM at lambda = 0, in its linear version. The sign of t is corrected: as PM prints the
    method, must-links would be driven apart.

    **Left open by the source:** what to do when some theta separates S from D, which few pairs and
    many features all but guarantee: then theta grows without bound. Our choice is the small
    penalty tau, as in PM. And where the origin is: PM's account of the method takes the
    eigenvectors of X'X without centring, so that a shift of all samples changes the metric,
    although distances do not know of it. ``centered=True`` is free of that.

    Parameters
    ----------
    centered : bool
        Take the eigenvectors of the covariance. The default is X'X, as in PM.
    n_components : int or None
        Most eigenvectors; None takes all that are not rounding.
    penalty : float
        tau per pair and mean squared distance, so that it does not depend on units.
    max_iter : int
        Most Newton steps.
    tol : float
        Relative change of the cost at which the steps end.
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
    components_ : array (d, k)
        U diag(theta)^(1/2).
    metric_ : array (d, d)
        U diag(theta) U'.
    theta_ : array (k,)
        Weights of the eigenvectors, nonnegative.
    mu_ : float
        The squared distance at which a pair is as likely the same as not.
    tau_ : float
        The penalty as used.
    objective_ : float
        The cost at the end.
    objective_path_ : array (n_iter_,)
        The cost after each step, which never increases.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the steps settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Yang and Jin (2006), Distance metric learning: a comprehensive survey; Yang, Jin and Sukthankar
    (2007), Bayesian active distance metric learning.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 1.1]])
    >>> model = YangJin().fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[0, 2], [1, 3]])
    >>> bool(model.metric_[0, 0] < 0.1 * model.metric_[1, 1])
    True
    """

    def __init__(
        self,
        *,
        centered: bool = False,
        n_components: int | None = None,
        penalty: float = 1e-3,
        max_iter: int = 200,
        tol: float = 1e-10,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.centered = centered
        self.n_components = n_components
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> LogisticProblem:
        self._require_pairs(X, must, cannot)
        penalty = check_nonnegative("penalty", self.penalty)
        most = X.shape[1] if self.n_components is None else self.n_components
        check_count("n_components", most)
        size = mean_squared_distance(X)
        U = correlation_basis(X - X.mean(axis=0) if self.centered else X, most)
        P = X @ U
        pairs = np.concatenate([must, cannot])
        same = np.repeat([1.0, 0.0], [len(must), len(cannot)])
        self.tau_ = penalty * len(pairs) * size
        cost = PairCost(
            ListedPairs(pair_differences(P, pairs) ** 2), same, np.ones(len(pairs)), self.tau_
        )
        spread = 2 * np.var(P, axis=0, ddof=1)
        return LogisticProblem(U, cost, np.append(np.maximum(spread, 1e-10 * size), 1.0))

    def _states(self, problem: LogisticProblem) -> Iterator[LogisticStep]:
        return logistic_metric_steps(problem)

    def _settled(self, previous: LogisticStep, state: LogisticStep) -> bool:
        return state.optimal or super()._settled(previous, state)

    def _adopt(self, problem: LogisticProblem, state: LogisticStep) -> None:
        self.theta_, self.mu_ = state.theta, state.mu
        self.components_ = problem.basis * np.sqrt(state.theta)
