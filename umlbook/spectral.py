r"""K-means relaxed, and k-means in feature space.

``SpectralKMeans`` maximises tr(Y'XX'Y) over all orthonormal Y (Ky Fan) and rounds the answer to an
indicator (Zha, He, Ding, Simon and Gu 2001). ``KernelKMeans`` is Lloyd's algorithm run on a kernel
matrix: no feature vector is ever formed.

=========  ==============================================  ==========
symbol     name in code                                    shape
=========  ==============================================  ==========
V          ``embedding``, top left singular vectors of X   n x K
K          ``kernel``, the kernel matrix                   n x n
M          ``center_weights``, one-hot columns / n_c       n x K
=========  ==============================================  ==========
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import svd
from sklearn.base import TransformerMixin
from sklearn.utils import Tags, gen_batches

from umlbook._base import SteppingClusterer, check_labels
from umlbook.algebra import Array, Labels, fix_signs, nearest, one_hot
from umlbook.kernels import check_kernel, distances, exponential, rbf, resolve_width
from umlbook.lloyd import LloydStep, lloyd_steps, nearest_filled, plus_plus_labels

Kernel = str | Callable[[Array, Array], ArrayLike]


@dataclass(frozen=True)
class KernelStep:
    """Labels, the weights of their centres on the samples, |centre|^2, the objective at them."""

    labels: Labels
    center_weights: Array
    center_norms: Array
    objective: float


def center_distances(products: Array, own: Array, center_norms: Array) -> Array:
    """Squared distances |phi(x) - m_c|^2 = k(x, x) - 2 <phi(x), m_c> + |m_c|^2, never negative."""
    return np.maximum(own[:, None] - 2 * products + center_norms, 0.0)


def kernel_kmeans_steps(K: Array, labels: Labels, n_clusters: int) -> Iterator[KernelStep]:
    """Lloyd's algorithm in the feature space of K: one product of K with n x n_clusters a step.

    The state holds the labels and the objective at the means of these very labels; the next
    labels are the nearest means.
    """
    own = np.diagonal(K).copy()
    while True:
        sizes = np.bincount(labels, minlength=n_clusters)
        weights = one_hot(labels, n_clusters) / sizes
        products = K @ weights
        norms = np.einsum("ic,ic->c", weights, products)
        D = center_distances(products, own, norms)
        yield KernelStep(labels, weights, norms, float(own.sum() - sizes @ norms))
        labels = nearest_filled(D)


def kernel_plus_plus_labels(K: Array, n_clusters: int, rng: np.random.RandomState) -> Labels:
    """K-means++ seeding in the feature space of K: the nearest of n_clusters sampled points."""
    own = np.diagonal(K)
    chosen = [int(rng.randint(len(K)))]
    D = np.maximum(own - 2 * K[:, chosen[0]] + own[chosen[0]], 0.0)[:, None]
    while len(chosen) < n_clusters:
        gap = D.min(axis=1)
        gap[chosen] = 0.0
        if not gap.sum() > 0:  # fewer distinct samples than clusters: any sample not yet taken
            gap = np.ones(len(K))
            gap[chosen] = 0.0
        chosen.append(int(rng.choice(len(K), p=gap / gap.sum())))
        last = np.maximum(own - 2 * K[:, chosen[-1]] + own[chosen[-1]], 0.0)
        D = np.column_stack([D, last])
    labels = nearest(D)
    labels[chosen] = np.arange(n_clusters)  # duplicates of a seed leave no cluster empty
    return labels


class KernelKMeans(SteppingClusterer):
    r"""K-means in the feature space of a kernel, without forming the features.

    Minimises :math:`\sum_i \lVert \phi(x_i) - m_{c_i} \rVert^2` over the labels c, where
    :math:`m_c` is the mean of cluster c in feature space. Needs memory for one n x n matrix.

    Parameters
    ----------
    n_clusters : int
    kernel : "rbf", "exponential", "linear", "precomputed" or callable
        A callable takes two arrays of rows (m, d) and (n, d) and returns their m x n kernel.
        With "precomputed", ``fit`` takes the n x n kernel and ``predict`` the m x n one.
    sigma : float or "median"
        Width of the Gaussian (exp(-d^2 / (2 sigma^2))) or exponential (exp(-d / sigma)) kernel.
    init : "k-means++" or array (n,)
        Seeding in feature space, or labels to start from (then a single start is run).
    n_init, max_iter, tol, random_state, verbose
        Starts; most states per start; relative change of the objective to stop at (0: only when
        the labels repeat); seed; progress bar.

    Attributes
    ----------
    labels_ : array (n,)
    cluster_centers_ : array (n_clusters, n)
        Each centre as weights on the training samples: it has no other coordinates.
    objective_, objective_path_ : float, array
        The objective at the end, and after each step.
    n_iter_, converged_, restarts_ : int, bool, tuple of Restart
    X_fit_ : array (n, d)
        The training rows (the kernel, if precomputed).
    sigma_ : float
        The width used ("rbf" and "exponential" only).

    References
    ----------
    Schoelkopf, Smola and Mueller (1998), Nonlinear component analysis as a kernel eigenvalue
    problem; Dhillon, Guan and Kulis (2004), Kernel k-means, spectral clustering and normalized
    cuts.

    Examples
    --------
    >>> from umlbook.datasets import make_rings
    >>> from umlbook.scores import clustering_accuracy
    >>> X, y = make_rings(200, radii=(0.5, 2.0), noise=0.05, random_state=0)
    >>> model = KernelKMeans(2, sigma=0.7, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.predict(X))
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: Kernel = "rbf",
        sigma: float | str = "median",
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.sigma = sigma
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _prepare(self, X: ArrayLike) -> Array:
        X = self._validated(X, reset=True)
        if isinstance(self.kernel, str) and self.kernel in ("rbf", "exponential"):
            self.sigma_ = resolve_width(self.sigma, X) if len(X) > 1 else 1.0
        self.X_fit_ = X
        K = self._kernel_matrix(X)
        if callable(self.kernel) or self.kernel == "precomputed":
            check_kernel(K)
        return K

    def _kernel_matrix(self, X: Array) -> Array:
        """Kernel of the rows of X with the training rows; exactly symmetric for the latter."""
        against = None if X is self.X_fit_ else self.X_fit_
        if callable(self.kernel):
            return np.asarray(self.kernel(X, self.X_fit_), dtype=float)
        if self.kernel == "precomputed":
            return X
        if self.kernel == "rbf":
            return rbf(X, against, sigma=self.sigma_)
        if self.kernel == "exponential":
            return exponential(X, against, eta=self.sigma_)
        if self.kernel == "linear":  # about the mean: the same distances, more digits
            origin = self.X_fit_.mean(axis=0)
            return (X - origin) @ (self.X_fit_ - origin).T
        raise ValueError(
            "kernel must be 'rbf', 'exponential', 'linear', 'precomputed' or a callable, "
            f"got {self.kernel!r}"
        )

    def _starts(self, problem: Array, rng: np.random.RandomState) -> Iterator[Labels]:
        if not isinstance(self.init, str):
            yield check_labels(self.init, len(problem), self.n_clusters)
            return
        if self.init != "k-means++":
            raise ValueError(f"init must be 'k-means++' or an array of labels, got {self.init!r}")
        for _ in range(self.n_init):
            yield kernel_plus_plus_labels(problem, self.n_clusters, rng)

    def _iterate(self, problem: Array, start: Labels) -> Iterator[KernelStep]:
        return kernel_kmeans_steps(problem, start, self.n_clusters)

    def _adopt(self, problem: Array, state: KernelStep) -> None:
        self.cluster_centers_ = state.center_weights.T
        self._center_norms = state.center_norms
        if not self.converged_:  # then the nearest centre may differ from the state's labels
            self.labels_ = nearest(self._relative_distances(problem))

    def _relative_distances(self, K: Array) -> Array:
        """Squared distances to the centres less k(x, x), which no comparison needs."""
        return self._center_norms - 2 * K @ self.cluster_centers_.T

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest centre in feature space for each row of X.

        Parameters
        ----------
        X : array (m, d), or the m x n kernel with the training samples if precomputed
        """
        X = self._validated(X, reset=False)
        parts = [
            nearest(self._relative_distances(self._kernel_matrix(X[rows])))
            for rows in gen_batches(len(X), 2048)
        ]
        return np.concatenate(parts)


def spectral_embedding(X: Array, n_vectors: int) -> tuple[Array, Array]:
    """The top left singular vectors of X (n x r), and the map R (d x r) with X R equal to them.

    r is the smaller of ``n_vectors`` and the numerical rank of X: beyond the rank any orthonormal
    vectors are as good as any other, and none says anything about X.
    """
    U, singular, Vt = svd(X, full_matrices=False)
    tiny = singular[0] * max(X.shape) * np.finfo(float).eps if singular.size else 0.0
    rank = max(1, min(n_vectors, int(np.sum(singular > tiny))))
    signs = np.sign(np.einsum("ij,ij->j", fix_signs(U[:, :rank]), U[:, :rank]))
    scale = np.where(singular[:rank] > tiny, singular[:rank], np.inf)
    return U[:, :rank] * signs, Vt[:rank].T * signs / scale


class SpectralKMeans(TransformerMixin, SteppingClusterer):
    r"""K-means relaxed by Ky Fan's theorem, then rounded.

    :math:`\max \operatorname{tr}(Y'XX'Y)` over all Y with Y'Y = I is solved by the top K left
    singular vectors V of X. Rounding: k-means on the rows of V, which looks for the indicator
    whose columns span nearly the same space.

    Parameters
    ----------
    n_clusters : int
    centered : bool
        Subtract the mean of X first; then at most K - 1 vectors carry the clusters.
    n_init, max_iter, tol, random_state, verbose
        Of the rounding, as in :class:`KernelKMeans`.

    Attributes
    ----------
    labels_ : array (n,)
    embedding_ : array (n, K)
        V; fewer columns where the rank of X is less than K.
    relaxed_objective_ : float
        Sum of the K largest eigenvalues of XX': no partition has a larger tr(Y'XX'Y), so none has
        a k-means objective below tr(XX') less this.
    cluster_centers_ : array (n_clusters, K)
        Means of the rows of V.
    objective_, objective_path_ : float, array
        :math:`\lVert V - YY'V \rVert^2`, the distance of the two spaces, at the end and along.
    n_iter_, converged_, restarts_ : int, bool, tuple of Restart

    References
    ----------
    Zha, He, Ding, Simon and Gu (2001), Spectral relaxation for k-means clustering.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    >>> SpectralKMeans(2, random_state=0).fit_predict(X).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        centered: bool = False,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.centered = centered
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> Array:
        X = self._validated(X, reset=True)
        self.offset_ = X.mean(axis=0) if self.centered else np.zeros(X.shape[1])
        X = X - self.offset_
        self.embedding_, self.components_ = spectral_embedding(X, self.n_clusters)
        self.relaxed_objective_ = float(np.sum((X.T @ self.embedding_) ** 2))
        return self.embedding_

    def _starts(self, problem: Array, rng: np.random.RandomState) -> Iterator[Labels]:
        for _ in range(self.n_init):
            yield plus_plus_labels(problem, self.n_clusters, rng)

    def _iterate(self, problem: Array, start: Labels) -> Iterator[LloydStep]:
        return lloyd_steps(problem, start, self.n_clusters)

    def _adopt(self, problem: Array, state: LloydStep) -> None:
        self.cluster_centers_ = state.centers
        if not self.converged_:  # then the nearest centre may differ from the state's labels
            self.labels_ = nearest(distances(problem, state.centers, squared=True))

    def transform(self, X: ArrayLike) -> Array:
        """Rows of X in the space of the singular vectors; training rows give ``embedding_``.

        Parameters
        ----------
        X : array (m, d)
        """
        return (self._validated(X, reset=False) - self.offset_) @ self.components_

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest centre in the space of the singular vectors.

        Parameters
        ----------
        X : array (m, d)
        """
        return nearest(distances(self.transform(X), self.cluster_centers_, squared=True))
