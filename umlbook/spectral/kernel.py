"""K-means in the feature space of a kernel, on the kernel matrix alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags

from umlbook._checks import check_labels, check_landmarks
from umlbook._landmarks import on_landmarks
from umlbook._loop import SteppingClusterer
from umlbook._rows import by_blocks
from umlbook.algebra import ROUNDING, Array, Labels, nearest, one_hot
from umlbook.kernels import check_kernel, exponential, rbf, resolve_width
from umlbook.lloyd import fill_empty

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


def nearest_kernel_center(products: Array, center_norms: Array) -> Labels:
    """The nearest centre of each row, from <phi(x), m_c> (m x K) and |m_c|^2.

    |m_c|^2 - 2 <phi(x), m_c> is the squared distance less k(x, x), which no comparison needs; its
    rounding goes with the two terms of which it is the difference.
    """
    costs, rows = center_norms - 2 * products, np.arange(len(products))
    size = center_norms + 2 * np.abs(products)
    return nearest(costs, ROUNDING * size[rows, np.argmin(costs, axis=1)])


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
        # Cluster by cluster: in one sum a far sample would take the digits of all the others.
        scatter = np.bincount(labels, own, minlength=n_clusters) - sizes * norms
        yield KernelStep(labels, weights, norms, float(scatter.sum()))
        labels = nearest_kernel_center(products, norms)
        D = center_distances(products, own, norms)
        labels = fill_empty(labels, D[np.arange(len(D)), labels], n_clusters)


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
    labels = nearest(D, ROUNDING * own)
    labels[chosen] = np.arange(n_clusters)  # duplicates of a seed leave no cluster empty
    return labels


@dataclass(frozen=True)
class KernelProblem:
    """The training rows, the width of their kernel if it has one, and the kernel itself.

    ``everyone`` holds all rows where ``X`` are landmarks, and ``start`` the labels to start from.
    """

    X: Array
    sigma: float | None
    K: Array
    start: Labels | None = None
    everyone: Array | None = None


class KernelKMeans(SteppingClusterer):
    r"""K-means in the feature space of a kernel, without forming the features.

    Minimises :math:`\sum_i \lVert \phi(x_i) - m_{c_i} \rVert^2` over the labels c, where
    :math:`m_c` is the mean of cluster c in feature space. Needs memory for one n x n matrix, n
    being the number of landmarks where there are some.

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
    n_landmarks : int, "auto" or None
        Rows, drawn at random, on which the method is solved; the others are labelled as new rows
        are, and time and memory are linear in n. "auto": all of up to 3,000 rows, 1,000 of more,
        with a `LandmarkWarning`. None: all. A precomputed kernel is always taken whole.
    n_init : int
        Number of starts.
    max_iter : int
        Most states per start.
    tol : float
        Relative change of the objective at which a start ends; with 0 it ends only when the labels
        repeat.
    random_state : int, RandomState or None
        Seed of the starts and the landmarks.
    verbose : bool
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        Of the nearest centre of each row, as ``predict`` gives them: equal rows share a label, and
        a warning says how many clusters are in use if these are not all.
    cluster_centers_ : array (n_clusters, n), or (n_clusters, n_landmarks)
        Each centre as weights on the training samples: it has no other coordinates.
    objective_ : float
        The objective at the end.
    objective_path_ : array (n_iter_,)
        The objective after each step. It does not increase beyond rounding, which goes with the
        trace of the kernel, of which the objective is a part.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether it settled.
    restarts_ : tuple of Restart
        How every start ended.
    X_fit_ : array (n, d), or (n_landmarks, d)
        The training rows or landmarks. None is kept of a precomputed kernel.
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
        n_landmarks: int | str | None = "auto",
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
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    def _prepare(self, X: ArrayLike) -> KernelProblem:
        X = self._validated(X, reset=True)
        check_landmarks(self.n_landmarks, self.n_clusters)
        has_width = isinstance(self.kernel, str) and self.kernel in ("rbf", "exponential")
        sigma = resolve_width(self.sigma, X) if has_width else None
        start = None
        if not isinstance(self.init, str):
            start = check_labels(self.init, len(X), self.n_clusters)
        everyone = None
        if not self._is_precomputed():
            X, start, everyone = on_landmarks(self.n_landmarks, X, self.random_state, start)
        K = self._kernel_matrix(X, X, sigma)
        if callable(self.kernel) or self.kernel == "precomputed":
            check_kernel(K)
        return KernelProblem(X, sigma, K, start, everyone)

    def _kernel_matrix(self, X: Array, X_fit: Array, sigma: float | None) -> Array:
        """Kernel of the rows of X with the training rows; exactly symmetric for the latter."""
        against = None if X is X_fit else X_fit
        if callable(self.kernel):
            return np.asarray(self.kernel(X, X_fit), dtype=float)
        if self.kernel == "precomputed":
            return X
        if self.kernel == "rbf" and sigma is not None:
            return rbf(X, against, sigma=sigma)
        if self.kernel == "exponential" and sigma is not None:
            return exponential(X, against, eta=sigma)
        if self.kernel == "linear":  # about the median: the same distances, more digits
            origin = np.median(X_fit, axis=0)
            return (X - origin) @ (X_fit - origin).T
        raise ValueError(
            "kernel must be 'rbf', 'exponential', 'linear', 'precomputed' or a callable, "
            f"got {self.kernel!r}"
        )

    def _starts(self, problem: KernelProblem, rng: np.random.RandomState) -> Iterator[Labels]:
        if problem.start is not None:
            yield problem.start
            return
        if self.init != "k-means++":
            raise ValueError(f"init must be 'k-means++' or an array of labels, got {self.init!r}")
        for _ in range(self.n_init):
            yield kernel_plus_plus_labels(problem.K, self.n_clusters, rng)

    def _iterate(self, problem: KernelProblem, start: Labels) -> Iterator[KernelStep]:
        return kernel_kmeans_steps(problem.K, start, self.n_clusters)

    def _adopt(self, problem: KernelProblem, state: KernelStep) -> None:
        if not self._is_precomputed():
            self.X_fit_ = problem.X
        if problem.sigma is not None:
            self.sigma_ = problem.sigma
        self.cluster_centers_ = state.center_weights.T
        self._center_norms = state.center_norms

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _nearest(self, X: Array) -> Labels:
        """The nearest centre of each row of X, or of its kernel with the training samples."""
        K = X
        if not self._is_precomputed():
            K = self._kernel_matrix(X, self.X_fit_, getattr(self, "sigma_", None))
        return nearest_kernel_center(K @ self.cluster_centers_.T, self._center_norms)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest centre in feature space for each row of X.

        Parameters
        ----------
        X : array (m, d), or the m x n kernel with the training samples if precomputed
        """
        return by_blocks(self._nearest, self._validated(X, reset=False))
