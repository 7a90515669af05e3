r"""A trace ratio in feature space that also asks the samples to keep their neighbourhoods."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve
from sklearn.neighbors import kneighbors_graph

from umlbook._checks import check_count, check_positive
from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.rivals._base import SteppingPairRival
from umlbook.rivals._kernel import InKernel
from umlbook.rivals._scatter import matrix_power, pair_scatter
from umlbook.rivals.trace_ratio import TraceRatioStep, half_the_features, trace_ratio_steps

LLE_RIDGE = 1e-3


@dataclass(frozen=True)
class BaghshahProblem:
    """The two scatter matrices of the coordinates, columns to keep, and kernel to coordinates."""

    S_b: Array
    S_w: Array
    n_components: int
    scaling: Array


def reconstruction_weights(X: Array, n_neighbors: int) -> Array:
    r"""M (n x n) whose rows rebuild each sample from its neighbours, as in LLE; rows sum to one.

    Row i minimises :math:`\lVert x_i - \sum_j M_{ij} x_j \rVert^2`, with a ridge of 1e-3 of the
    trace where there are more neighbours than dimensions.

    >>> reconstruction_weights(np.array([[0.0], [1.0], [2.0]]), 2)[1].round(6).tolist()
    [0.5, 0.0, 0.5]
    """
    M = np.zeros((len(X), len(X)))
    graph = kneighbors_graph(X, min(n_neighbors, len(X) - 1))
    for i in range(len(X)):
        near = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        apart = X[near] - X[i]
        gram = apart @ apart.T
        size = np.trace(gram)
        gram += LLE_RIDGE * (size if size > 0 else 1.0) * np.eye(len(near))
        weights = solve(gram, np.ones(len(near)), assume_a="pos")
        M[i, near] = weights / weights.sum()
    return M


class Baghshah(InKernel, SteppingPairRival):
    r"""Trace ratio in the span of the linked samples, with neighbourhoods kept. **Our reading.**

    Samples get coordinates z by their kernel with the m samples that have a pair, scaled so that
    distances between those m are the kernel's. Then

    .. math:: \max_{A'A = I} \frac{\operatorname{tr}(A'S_bA)}
       {\operatorname{tr}\big(A'(S_w + \alpha E'E/n)A\big)}, \qquad E = (I - M) Z,

    with :math:`S_b` and :math:`S_w` the mean scatter of z over cannot-links and must-links and M
    the weights that rebuild each sample from its neighbours (LLE). The second term asks that the
    same weights rebuild it in the learned space, for samples without pairs too.

    **Our reading:** the full text of the source was not available. Scaling of the three terms,
    alpha, the number of columns (set with the labels of wine in sight) and of neighbours are our
    choice. A direction along which all samples agree costs nothing in the denominator and would
    win with ratio 0/0; what the two matrices do not see is removed first.

    Parameters
    ----------
    n_components : int or None
        Columns of A; None is half the features of X, as in `TraceRatio`.
    alpha : float
        Weight of the neighbourhoods.
    n_neighbors : int
        Neighbours that rebuild a sample.
    kernel : "rbf" or "exponential"
        How similar two samples are, by their distance.
    sigma : float or "median"
        Width of the kernel.
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
    components_ : array (m, p)
        What the kernel with the m linked samples is multiplied by.
    landmarks_ : array (m, d)
        The linked samples.
    objective_ : float
        The ratio at the end.
    objective_path_ : array (n_iter_,)
        The ratio after each step, which never decreases.
    X_fit_ : array (n, d)
        The training samples.
    sigma_ : float
        Width of the kernel as used.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the steps settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Baghshah and Shouraki (2009), Semi-supervised metric learning using pairwise constraints.

    Examples
    --------
    >>> from umlbook.constraints import sample
    >>> from umlbook.datasets import make_circle
    >>> X, y = make_circle(100, random_state=0)
    >>> must, cannot = sample(y, 15, 15, random_state=0)
    >>> Z = Baghshah(1).fit(X, must_link=must, cannot_link=cannot).transform(X)
    >>> bool(Z[y == 0].max() < Z[y == 1].min() or Z[y == 1].max() < Z[y == 0].min())
    True
    """

    our_reading = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1.0,
        n_neighbors: int = 6,
        kernel: str = "exponential",
        sigma: float | str = "median",
        max_iter: int = 100,
        tol: float = 1e-10,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_components = n_components
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> BaghshahProblem:
        self._require_pairs(X, must, cannot)
        p = half_the_features(self.n_components, X)
        check_count("n_neighbors", self.n_neighbors)
        alpha = check_positive("alpha", self.alpha)
        linked = np.unique(np.concatenate([must, cannot]))
        K = self._fit_kernel(X)
        self.landmarks_ = X[linked]
        scaling = matrix_power(K[np.ix_(linked, linked)], -0.5)
        Z = K[:, linked] @ scaling
        S_b = pair_scatter(Z, cannot) / len(cannot)
        E = Z - reconstruction_weights(X, self.n_neighbors) @ Z
        S_w = pair_scatter(Z, must) / len(must) + alpha * E.T @ E / len(X)
        return BaghshahProblem(S_b, S_w, p, scaling)

    def _states(self, problem: BaghshahProblem) -> Iterator[TraceRatioStep]:
        return trace_ratio_steps(problem.S_b, problem.S_w, problem.n_components)

    def _adopt(self, problem: BaghshahProblem, state: TraceRatioStep) -> None:
        self.components_ = problem.scaling @ state.frame

    def _map(self, X: Array) -> Array:
        return self._kernel_with(X, self.landmarks_) @ self.components_
