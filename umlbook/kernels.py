r"""Kernels, their widths, and banks of trace-one centred kernels.

Widths follow one convention: :math:`\exp(-d^2 / 2\sigma^2)` for the Gaussian kernel and
:math:`\exp(-d / \eta)` for the exponential one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import euclidean_distances

from umlbook.algebra import Array


def distances(X: ArrayLike, Y: ArrayLike | None = None, *, squared: bool = False) -> Array:
    """Euclidean distances of the rows of X and Y; exactly symmetric, zero diagonal without Y.

    Both are first shifted by the mean of Y, which loses fewer digits far from the origin.
    """
    X = np.asarray(X, dtype=float)
    other = X if Y is None else np.asarray(Y, dtype=float)
    origin = other.mean(axis=0)
    D: Array = euclidean_distances(X - origin, other - origin, squared=True)
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
    D /= -2 * check_width("sigma", sigma) ** 2
    return np.exp(D, out=D)


def exponential(X: ArrayLike, Y: ArrayLike | None = None, *, eta: float) -> Array:
    """Exponential (Laplace) kernel exp(-d / eta); exactly symmetric with unit diagonal without Y.

    >>> exponential([[0.0], [1.0]], eta=1.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    D = distances(X, Y)
    D /= -check_width("eta", eta)
    return np.exp(D, out=D)


def check_width(name: str, width: float) -> float:
    """The width as a float, or an error that says what a width may be."""
    if isinstance(width, bool) or not isinstance(width, Real):
        raise TypeError(f"{name} must be a positive number, got {width!r}")
    if not 0 < width < np.inf:
        raise ValueError(f"{name} must be a positive finite number, got {width!r}")
    return float(width)


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
    """A width given as a number or as ``"median"``, as a number."""
    if isinstance(width, str):
        if width != "median":
            raise ValueError(f"{name} must be a positive number or 'median', got {width!r}")
        return median_width(X)
    return check_width(name, width)


def center(K: ArrayLike) -> Array:
    """HKH with H = I - 11'/n: the kernel of the features minus their mean, exactly symmetric.

    >>> center([[2.0, 0.0], [0.0, 2.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    K = np.asarray(K, dtype=float)
    means = K.mean(axis=0)
    C = K - means - means[:, None] + means.mean()
    return (C + C.T) / 2


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
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Array]: ...
    def plain(self) -> Iterator[Array]:
        """The kernels before centring and scaling; each may be overwritten by the next one."""


def combine(bank: KernelBank, weights: ArrayLike) -> Array:
    """G = sum_i w_i G_i, holding one kernel of the bank at a time and centring only the sum."""
    K = np.zeros((bank.n_samples, bank.n_samples))
    theta = np.asarray(weights, dtype=float) / bank.traces
    for weight, kernel in zip(theta, bank.plain(), strict=True):
        if weight:
            K += weight * kernel
    return center(K)


@dataclass(frozen=True)
class MatrixBank:
    """Bank of given n x n kernel matrices, centred and scaled one at a time on the way out."""

    matrices: tuple[Array, ...]

    @property
    def n_samples(self) -> int:
        return len(self.matrices[0])

    @property
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

    Only the squared distances are stored (n x n); each kernel is computed when it is asked for.
    Where a width is 1/sqrt(2) of the one before it, its kernel is the square of that one and costs
    a product instead of an exponential.

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
        self.widths = np.array([check_width("widths", s) for s in np.ravel(widths)])
        self.squared_distances = distances(X, squared=True)
        self.n_samples = len(self.squared_distances)
        self.traces = np.array([np.trace(K) - K.mean() * len(K) for K in self.plain()])

    def __len__(self) -> int:
        return len(self.widths)

    def __iter__(self) -> Iterator[Array]:
        return (_trace_one(center(K)) for K in self.plain())

    def plain(self) -> Iterator[Array]:
        """The plain kernels in order; each is overwritten by the next one."""
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
