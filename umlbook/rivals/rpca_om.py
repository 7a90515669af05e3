r"""Robust PCA with optimal mean: the subspace nearest to the samples, distances not squared."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from umlbook._checks import check_count
from umlbook._loop import improving
from umlbook.algebra import Array, ky_fan
from umlbook.constraints import IntArray
from umlbook.rivals._base import SteppingRival
from umlbook.rivals._kernel import InKernelPCA

SMOOTHING = 1e-6  # relative to the root mean squared distance from the mean


@dataclass(frozen=True)
class SubspaceStep:
    """Mean b (d), frame W (d x p), residuals (n) and the smoothed objective at them."""

    mean: Array
    frame: Array
    residuals: Array
    objective: float


def residuals(X: Array, mean: Array, frame: Array) -> Array:
    """Distance of each row of X from the affine subspace through ``mean`` along ``frame``.

    >>> residuals(np.array([[3.0, 4.0]]), np.zeros(2), np.array([[1.0], [0.0]]))
    array([4.])
    """
    apart = X - mean
    return np.linalg.norm(apart - (apart @ frame) @ frame.T, axis=1)


def robust_subspace_steps(X: Array, n_components: int) -> Iterator[SubspaceStep]:
    r"""Reweighted PCA from plain PCA on; the smoothed objective never increases.

    The sum of :math:`\sqrt{r_i^2 + \epsilon^2}` lies below its tangents in :math:`r_i^2`, whose
    slopes are the weights :math:`w_i = 1 / (2 \sqrt{r_i^2 + \epsilon^2})`; for given weights the
    weighted mean and the top eigenvectors of the weighted scatter are best.

    Parameters
    ----------
    X : array (n, d)
    n_components : int
        p.
    """
    smoothing = max(SMOOTHING * np.sqrt(np.var(X, axis=0).sum()), np.finfo(float).tiny ** 0.5)
    weights = np.ones(len(X))
    while True:
        mean = weights @ X / weights.sum()
        apart = X - mean
        frame = ky_fan(apart.T @ (weights[:, None] * apart), n_components)[1]
        left = residuals(X, mean, frame)
        smooth = np.hypot(left, smoothing)
        yield SubspaceStep(mean, frame, left, float(smooth.sum()))
        weights = 1 / (2 * smooth)


class RPCAOM(SteppingRival):
    r"""The affine subspace with the smallest sum of distances to the samples.

    .. math:: \min_{b,\ W'W = I} \sum_i \lVert (I - WW')(x_i - b) \rVert

    PCA minimises the sum of squares; without them, samples far out count less. No pairs are used.

    **Left open by the source:** a sample on the subspace has an infinite weight; the distances are
    smoothed by :math:`\epsilon`, 1e-6 of the spread of X, and it is the smoothed sum that never
    increases. The problem is not convex, so the end is a stationary point.

    Parameters
    ----------
    n_components : int
        p; fewer where X has fewer features.
    max_iter : int
        Most steps.
    tol : float
        Relative change of the objective at which the steps end.
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
    mean_ : array (d,)
        b.
    objective_ : float
        The smoothed sum of distances at the end.
    objective_path_ : array (n_iter_,)
        The same after each step, which never increases; the first is plain PCA.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the steps settled within ``max_iter``.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Nie, Yuan and Huang (2014), Optimal mean robust principal component analysis.

    Examples
    --------
    >>> X = np.array([[x, 0.0] for x in range(-4, 5)] + [[4.0, 6.0]])
    >>> RPCAOM(1).fit(X).components_.round(3).ravel().tolist()  # plain PCA turns to the last row
    [1.0, 0.0]
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol

    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> Array:
        check_count("n_components", self.n_components)
        return X

    def _states(self, problem: Array) -> Iterator[SubspaceStep]:
        n_components = min(self.n_components, problem.shape[1])
        return improving(robust_subspace_steps(problem, n_components), -1)

    def _adopt(self, problem: Array, state: SubspaceStep) -> None:
        self.mean_, self.components_ = state.mean, state.frame

    def _map(self, X: Array) -> Array:
        return (X - self.mean_) @ self.components_


class KernelRPCAOM(InKernelPCA, RPCAOM):
    r"""`RPCAOM` on the coordinates of centred kernel PCA, as CPD-UML's comparison has it.

    Parameters
    ----------
    n_components : int
        As in `RPCAOM`.
    kernel : "rbf" or "exponential"
        How similar two samples are, by their distance.
    sigma : float or "median"
        Width of the kernel.
    max_iter : int
        As in `RPCAOM`.
    tol : float
        As in `RPCAOM`.
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
    mean_ : array (r,)
        b, for the coordinates.
    objective_ : float
        As in `RPCAOM`, for the coordinates.
    objective_path_ : array (n_iter_,)
        As in `RPCAOM`, for the coordinates.
    n_iter_ : int
        As in `RPCAOM`.
    converged_ : bool
        As in `RPCAOM`.
    learned_ : bool
        As in `RPCAOM`.
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
    >>> KernelRPCAOM(2).fit_transform(X).shape
    (6, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str = "rbf",
        sigma: float | str = "median",
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        super().__init__(
            n_components,
            max_iter=max_iter,
            tol=tol,
            n_clusters=n_clusters,
            random_state=random_state,
        )
        self.kernel = kernel
        self.sigma = sigma
