r"""Locally linear metric adaptation: must-links pull, neighbours hold.

A sample moves by :math:`y = x + W'\pi(x)`, where :math:`\pi_r(x)` is a Gaussian bump around the
r-th linked sample. The pull between must-links is balanced against the distances of neighbours,
which should stay.

=========  ====================================================  ===========
symbol     name in code                                          shape
=========  ====================================================  ===========
Pi         ``bumps``, :math:`\pi` of every sample                n x m
W          ``W``, how far each bump pushes                       m x d
S, E       must-links; edges between neighbours                  pairs
d_e        ``lengths``, the distances along the edges before     |E|
=========  ====================================================  ===========
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.neighbors import kneighbors_graph

from umlbook._checks import check_count, check_positive
from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.kernels import rbf, resolve_width
from umlbook.rivals._base import SteppingPairRival
from umlbook.rivals._scatter import pair_differences

PROXIMITY = 1e-8  # relative: how much a step is held back, so that Pi'QPi may be singular


@dataclass(frozen=True)
class AdaptationProblem:
    """Differences of X and of Pi along must-links and edges, and the weight of the edges."""

    X_must: Array
    bumps_must: Array
    X_edges: Array
    bumps_edges: Array
    lam: float

    @property
    def lengths(self) -> Array:
        """Distances along the edges before anything moves."""
        return np.linalg.norm(self.X_edges, axis=1)


@dataclass(frozen=True)
class AdaptationStep:
    """W (m x d), the objective at it, and its last decrease as a share of its value at W = 0."""

    W: Array
    objective: float
    fall: float


def adaptation_objective(problem: AdaptationProblem, W: Array) -> float:
    """Squared distances over S plus lam times squared changes of distance over the edges."""
    must = problem.X_must + problem.bumps_must @ W
    edges = np.linalg.norm(problem.X_edges + problem.bumps_edges @ W, axis=1)
    return float(np.sum(must**2) + problem.lam * np.sum((edges - problem.lengths) ** 2))


def adaptation_steps(problem: AdaptationProblem) -> Iterator[AdaptationStep]:
    r"""Majorisation from W = 0 on, with one Cholesky factor; the objective never increases.

    A length lies above its tangents, so :math:`(\lVert y \rVert - d)^2` lies below
    :math:`\lVert y \rVert^2 - 2 d\, y'z / \lVert z \rVert + d^2` and meets it at y = z, the edge as
    it is now. What majorises the objective is a quadratic with the same matrix at every step.
    """
    S, E, lam = problem.bumps_must, problem.bumps_edges, problem.lam
    gram = S.T @ S + lam * E.T @ E
    hold = PROXIMITY * np.trace(gram) / len(gram)
    factor = cho_factor(gram + hold * np.eye(len(gram)))
    fixed = S.T @ problem.X_must + lam * E.T @ problem.X_edges
    W = np.zeros((S.shape[1], problem.X_must.shape[1]))
    start = before = adaptation_objective(problem, W)
    while True:
        value = adaptation_objective(problem, W)
        yield AdaptationStep(W, value, (before - value) / start)
        before = value
        edges = problem.X_edges + E @ W
        now = np.linalg.norm(edges, axis=1)
        stretch = np.divide(problem.lengths, now, out=np.zeros_like(now), where=now > 0)
        wanted = lam * E.T @ (stretch[:, None] * edges)
        W = cho_solve(factor, wanted - fixed + hold * W)


def neighbour_edges(X: Array, n_neighbors: int) -> IntArray:
    """Pairs i < j of which one is among the nearest of the other."""
    graph = kneighbors_graph(X, min(n_neighbors, len(X) - 1)).tocoo()
    edges = np.column_stack([graph.row, graph.col]).astype(np.intp)
    return np.unique(np.sort(edges, axis=1), axis=0)


class LLMA(SteppingPairRival):
    r"""Samples moved by smooth bumps so that must-links meet and neighbours stay. **Our reading.**

    .. math:: \min_W \sum_S \lVert y_i - y_j \rVert^2
       + \lambda \sum_E \big( \lVert y_i - y_j \rVert - \lVert x_i - x_j \rVert \big)^2,
       \qquad y_i = x_i + W'\pi(x_i)

    over the edges E of a graph of nearest neighbours; :math:`\pi_r(x)` is a Gaussian around the
    r-th sample that has a must-link. Cannot-links are checked and not used.

    **Our reading:** the full text of the source was not available. It moves the samples in
    several rounds with widths that change by a schedule we do not know; we make one round. Width,
    neighbours, lambda and when to stop are our choice, the last made with the labels of wine in
    sight.

    Parameters
    ----------
    lam : float
        Weight of the neighbours.
    sigma : float or "median"
        Width of the bumps.
    n_neighbors : int
        Neighbours of each sample in the graph.
    max_iter : int
        Most steps.
    tol : float
        Decrease of the objective at which the steps end, as a share of its start.
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
    displacements_ : array (m, d)
        W.
    centers_ : array (m, d)
        Where the bumps stand.
    sigma_ : float
        Width of the bumps as used.
    objective_ : float
        The objective at the end.
    objective_path_ : array (n_iter_,)
        The objective after each step, which never increases; the first is Euclid's.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the steps settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Chang and Yeung (2006), Locally linear metric adaptation with application to semi-supervised
    clustering and image retrieval.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 0.8]])
    >>> Y = LLMA(n_neighbors=1).fit(X, must_link=[[0, 1]]).transform(X)
    >>> bool(np.linalg.norm(Y[0] - Y[1]) < 1 < np.linalg.norm(X[0] - X[1]))
    True
    """

    needs = ("must_link",)
    our_reading = True

    def __init__(
        self,
        *,
        lam: float = 1.0,
        sigma: float | str = "median",
        n_neighbors: int = 5,
        max_iter: int = 1000,
        tol: float = 1e-4,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.lam = lam
        self.sigma = sigma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> AdaptationProblem:
        self._require_pairs(X, must, cannot)
        check_count("n_neighbors", self.n_neighbors)
        lam = check_positive("lam", self.lam)
        apart = pair_differences(X, must)
        self.sigma_ = resolve_width(self.sigma, X)
        self.centers_ = X[np.unique(must)]
        bumps = rbf(X, self.centers_, sigma=self.sigma_)
        edges = neighbour_edges(X, self.n_neighbors)
        return AdaptationProblem(
            apart,
            pair_differences(bumps, must),
            pair_differences(X, edges),
            pair_differences(bumps, edges),
            lam,
        )

    def _states(self, problem: AdaptationProblem) -> Iterator[AdaptationStep]:
        return adaptation_steps(problem)

    def _settled(self, previous: AdaptationStep, state: AdaptationStep) -> bool:
        return state.fall <= self.tol  # the objective itself may fall to zero

    def _adopt(self, problem: AdaptationProblem, state: AdaptationStep) -> None:
        self.displacements_ = state.W

    def _map(self, X: Array) -> Array:
        return X + rbf(X, self.centers_, sigma=self.sigma_) @ self.displacements_
