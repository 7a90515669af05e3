r"""Kernels, their widths, and banks of trace-one centred kernels.

Widths follow one convention: :math:`\exp(-d^2 / 2\sigma^2)` for the Gaussian kernel and
:math:`\exp(-d / \eta)` for the exponential one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import gen_batches

from umlbook._checks import check_positive
from umlbook.algebra import Array, centered, top_eigenvectors

CANCELLED = 1e-4
"""A squared distance below this share of its two squared lengths has lost four digits or more."""
MANY = 8
"""Cancelled distances of one row that are listed one by one."""
SMALLEST_COMPONENT = 1e-9
"""Eigenvalues of a kernel below this share of the largest are rounding."""
KEPT_BYTES = 2**28
"""Kernels of a bank that take no more than this together are computed once."""
NEGATIVE = 1e-5
"""A negative eigenvalue beyond this share of the largest is no rounding."""


def distances(X: ArrayLike, Y: ArrayLike | None = None, *, squared: bool = False) -> Array:
    """Euclidean distances of the rows of X and Y; exactly symmetric, zero diagonal without Y.

    They come from one product of matrices, about the median of Y, which one far row does not
    move. Where the product cancels (the rows are much nearer to each other than to the median)
    the differences are summed instead, so that a distance depends on its two rows alone.
    """
    left = np.asarray(X, dtype=float)
    right = left if Y is None else np.asarray(Y, dtype=float)
    origin = np.median(right, axis=0)
    left, right = left - origin, right - origin
    D: Array = euclidean_distances(left, right, squared=True)
    own, theirs = (np.einsum("ij,ij->i", side, side) for side in (left, right))
    for rows in gen_batches(len(left), 1024):
        cancelled = D[rows] <= CANCELLED * (own[rows, None] + theirs)
        # More than a few in a row: all of them cost less than a list. Each row decides for itself.
        many = np.flatnonzero(cancelled.sum(axis=1) > MANY)
        D[rows][many] = cdist(left[rows][many], right, "sqeuclidean")
        cancelled[many] = False
        i, j = np.nonzero(cancelled)
        D[rows][i, j] = np.sum((left[rows][i] - right[j]) ** 2, axis=1)
    if Y is None:
        D = (D + D.T) / 2
        np.fill_diagonal(D, 0.0)
    return D if squared else np.sqrt(D, out=D)


def rbf(X: ArrayLike, Y: ArrayLike | None = None, *, sigma: float) -> Array:
    """Gaussian kernel exp(-d^2 / (2 sigma^2)); exactly symmetric with unit diagonal without Y.

    >>> rbf([[0.0], [1.0]], sigma=1.0).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """
    D = distances(X, Y, squared=True)
    D /= -2 * check_positive("sigma", sigma) ** 2
    return np.exp(D, out=D)


def exponential(X: ArrayLike, Y: ArrayLike | None = None, *, eta: float) -> Array:
    """Exponential (Laplace) kernel exp(-d / eta); exactly symmetric with unit diagonal without Y.

    >>> exponential([[0.0], [1.0]], eta=1.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    D = distances(X, Y)
    D /= -check_positive("eta", eta)
    return np.exp(D, out=D)


check_width = check_positive
"""Its name while only widths were checked."""


def median_width(X: ArrayLike, *, max_rows: int = 4000) -> float:
    """Median distance between distinct rows of X, the default width of every kernel here.

    Of more than ``max_rows`` rows, that many evenly spaced ones are used.

    >>> median_width([[0.0], [1.0], [3.0]])
    2.0
    """
    rows = np.asarray(X, dtype=float)
    if len(rows) > max_rows:
        rows = rows[np.linspace(0, len(rows) - 1, max_rows).astype(int)]
    apart = pdist(rows)
    apart = apart[apart > 0]
    if not apart.size:
        raise ValueError(
            "sigma='median' needs at least two different rows in X, but all rows are equal: "
            "give sigma as a number"
        )
    return float(np.median(apart))


def resolve_width(width: float | str, X: ArrayLike, *, name: str = "sigma") -> float:
    """A width given as a number or as ``"median"``, as a number; one for a single row.

    Parameters
    ----------
    width : float or "median"
    X : array (n, d)
        The rows whose median distance is taken.
    name : str
        What the error calls the width.
    """
    if isinstance(width, str):
        if width != "median":
            raise ValueError(f"{name} must be a positive number or 'median', got {width!r}")
        return median_width(X) if len(np.asarray(X)) > 1 else 1.0
    return check_positive(name, width)


def center(K: ArrayLike) -> Array:
    """HKH with H = I - 11'/n: the kernel of the features minus their mean, exactly symmetric.

    >>> center([[2.0, 0.0], [0.0, 2.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    K = np.asarray(K, dtype=float)
    means = K.mean(axis=0)
    shift = means - means.mean() / 2
    C = K - np.add.outer(shift, shift)
    return (C + C.T) / 2


def center_rows(K: Array, column_means: Array) -> Array:
    """The kernel of new rows with the training rows, in features minus their training mean.

    ``column_means`` are those of the training kernel; in place of their own mean over all samples,
    which is unknown, new rows have their mean over the training samples.
    """
    return K - column_means - K.mean(axis=1, keepdims=True) + column_means.mean()


@dataclass(frozen=True)
class KernelCoordinates:
    """What :func:`kernel_pca` finds: the coordinates of the training rows, and those of new rows.

    ``vectors`` are the eigenvectors of the centred kernel, each divided by the root of its
    eigenvalue.
    """

    coordinates: Array
    eigenvalues: Array
    vectors: Array
    column_means: Array

    def at(self, K: Array) -> Array:
        """The coordinates of new rows by their kernel with the training rows, m x n."""
        return center_rows(K, self.column_means) @ self.vectors

    def without_training_rows(self) -> "KernelCoordinates":
        """The same without the coordinates of the training rows, which new rows do not need."""
        return replace(self, coordinates=self.coordinates[:0].copy())


def kernel_pca(
    K: Array, n_components: int | None = None, *, above: float = SMALLEST_COMPONENT
) -> KernelCoordinates:
    r"""Centred kernel PCA: coordinates whose products are the entries of the centred kernel.

    With :math:`HKH = V \operatorname{diag}(s) V'` the training rows get :math:`V \sqrt{s}`, and
    new rows, by the same map, their centred kernel with the training rows times
    :math:`V / \sqrt{s}`.

    Parameters
    ----------
    K : array (n, n)
        Kernel of the training rows, not yet centred.
    n_components : int, optional
        Most coordinates to keep.
    above : float
        Coordinates whose eigenvalue does not exceed this share of the largest are dropped: they
        are rounding, and new rows would be divided by it.

    Returns
    -------
    KernelCoordinates

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> found = kernel_pca(X @ X.T)
    >>> found.coordinates.round(3).ravel().tolist(), found.at([[3.0]] @ X.T).round(3).tolist()
    ([-2.0, -1.0, 3.0], [[1.0]])
    """
    values, V = top_eigenvectors(center(K), above=None)
    if values[-1] < -NEGATIVE * np.abs(values).max():
        raise ValueError(
            "the kernel is not positive semi-definite, so kernel PCA has no coordinates whose "
            "products it could be: clip its negative eigenvalues to zero first"
        )
    kept = values > above * max(values[0], 0.0)
    if not kept.any():
        raise ValueError(
            f"the centred kernel of the n_samples={len(K)} rows is zero, so kernel PCA has no "
            "coordinates: give rows that differ, or no kernel"
        )
    kept[n_components or len(kept) :] = False
    vectors, means = V[:, kept] / np.sqrt(values[kept]), K.mean(axis=0)
    return KernelCoordinates(center_rows(K, means) @ vectors, values[kept], vectors, means)


def check_kernel(K: Array, *, name: str = "X") -> None:
    """Refuse a precomputed kernel that is not square, symmetric and positive semi-definite."""
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(
            f"{name} must be the square kernel matrix of the training samples when "
            f"kernel='precomputed', got shape {K.shape}"
        )
    scale = np.abs(K).max(initial=0.0)
    uneven = np.abs(K - K.T)
    if uneven.max(initial=0.0) > 1e-8 * scale:
        i, j = np.unravel_index(int(uneven.argmax()), K.shape)
        raise ValueError(
            f"{name} must be a symmetric kernel, but entries [{i}, {j}] and [{j}, {i}] differ by "
            f"{uneven[i, j]:.3g}: use (K + K.T) / 2 if that is only rounding"
        )
    try:  # a shift of 1e-8 forgives the rounding of an exact zero eigenvalue
        cholesky(K + (1e-8 * scale + np.finfo(float).tiny) * np.eye(len(K)), lower=True)
    except LinAlgError:
        raise ValueError(
            f"{name} must be a positive semi-definite kernel but has a negative eigenvalue: "
            "distances under it are not defined; clip its negative eigenvalues to zero first"
        ) from None


class KernelBank(Protocol):
    """p kernels on the same n samples, each centred and of trace one, made when asked for."""

    @property
    def n_samples(self) -> int: ...
    @property
    def traces(self) -> Array: ...
    @property
    def kept(self) -> Array | None:
        """All plain kernels, p x n x n, where they are few and small enough to be held at once."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Array]: ...
    def plain(self) -> Iterator[Array]:
        """The kernels before centring and scaling; each may be overwritten by the next one."""


def combine(bank: KernelBank, weights: ArrayLike) -> Array:
    """G = sum_i w_i G_i, centring only the sum; of kernels that are not kept, one is held."""
    theta = np.asarray(weights, dtype=float) / bank.traces
    if bank.kept is not None:
        K = np.tensordot(theta, bank.kept, axes=1)
    else:
        K = np.zeros((bank.n_samples, bank.n_samples))
        for weight, kernel in zip(theta, bank.plain(), strict=True):
            if weight:
                K += weight * kernel
    return center(K)


def kernel_products(bank: KernelBank, B: Array) -> Array:
    """Every kernel of the bank, centred and of trace one, times B: p x n x k."""
    kept, B = bank.kept, centered(B)  # rounding can leave it a mean
    products = np.stack([K @ B for K in bank.plain()]) if kept is None else kept @ B
    products -= products.mean(axis=1, keepdims=True)
    return products / bank.traces[:, None, None]


def fits(n_kernels: int, n_samples: int) -> bool:
    """Whether so many kernels are kept once they are made."""
    return 8 * n_kernels * n_samples**2 <= KEPT_BYTES


@dataclass(frozen=True)
class MatrixBank:
    """Bank of given n x n kernel matrices, centred and scaled one at a time on the way out."""

    matrices: tuple[Array, ...]

    @cached_property
    def kept(self) -> Array | None:
        """The matrices as one array, unless that would be large."""
        return np.stack(self.matrices) if fits(len(self), self.n_samples) else None

    @property
    def n_samples(self) -> int:
        return len(self.matrices[0])

    @cached_property
    def traces(self) -> Array:
        """r_i, the trace of each centred kernel."""
        return np.array([np.trace(K) - K.mean() * len(K) for K in self.matrices])

    def __len__(self) -> int:
        return len(self.matrices)

    def __iter__(self) -> Iterator[Array]:
        return (_trace_one(center(K)) for K in self.plain())

    def plain(self) -> Iterator[Array]:
        """The matrices as they were given."""
        return iter(self.matrices)


class RBFBank:
    """Bank of Gaussian kernels of several widths on the rows of X.

    Kernels that take up to ``KEPT_BYTES`` together are kept once they are made. Of more, only the
    squared distances are stored (n x n), and each kernel is computed when it is asked for. Where a
    width is 1/sqrt(2) of the one before it, its kernel is the square of that one and costs a
    product instead of an exponential.

    Parameters
    ----------
    X : array (n, d)
    widths : array (p,)

    Examples
    --------
    >>> bank = RBFBank([[0.0], [1.0], [3.0]], [2.0, 1.0])
    >>> [round(float(np.trace(G)), 12) for G in bank]
    [1.0, 1.0]
    """

    def __init__(self, X: ArrayLike, widths: ArrayLike):
        self.widths = np.array([check_positive("widths", s) for s in np.ravel(widths)])
        self.squared_distances = distances(X, squared=True)
        self.n_samples = len(self.squared_distances)
        small = fits(len(self), self.n_samples)
        self.kept = np.stack([K.copy() for K in self._made()]) if small else None
        self.traces = np.array([np.trace(K) - K.mean() * len(K) for K in self.plain()])

    def __len__(self) -> int:
        return len(self.widths)

    def __iter__(self) -> Iterator[Array]:
        return (_trace_one(center(K)) for K in self.plain())

    def plain(self) -> Iterator[Array]:
        """The plain kernels in order; each may be overwritten by the next one."""
        return self._made() if self.kept is None else iter(self.kept)

    def _made(self) -> Iterator[Array]:
        previous, K = np.inf, np.empty_like(self.squared_distances)
        for width in self.widths:
            if abs(previous / width / np.sqrt(2) - 1) < 1e-14:
                np.square(K, out=K)
            else:
                np.exp(np.multiply(self.squared_distances, -0.5 / width**2, out=K), out=K)
            yield K
            previous = width


def bank_widths(X: ArrayLike, n_kernels: int = 10) -> Array:
    """Widths from 2 m down to m/4 for the median distance m, equally spaced on a log scale."""
    return median_width(X) * np.sqrt(0.5 * 2.0 ** np.linspace(3, -3, n_kernels))


def _trace_one(K: Array) -> Array:
    trace = np.trace(K)
    if not trace > 1e-12 * len(K) * np.abs(K).max(initial=0.0):
        raise ValueError(
            "a kernel of the bank is constant after centring, so it cannot have trace one: "
            "drop it, or choose a smaller width"
        )
    K /= trace
    return K
