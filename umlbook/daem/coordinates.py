"""The coordinates of PM: along eigenvectors of the correlation matrix, or of a kernel."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from umlbook.algebra import Array, fix_signs, part_of_spectrum

Kernel = Callable[[Array, Array], ArrayLike]
SMALLEST_EIGENVALUE = 1e-10  # relative to the largest: below it is rounding


def kernel_matrix(kernel: str | Kernel, X: Array, Y: Array, eta: float | None) -> Array:
    """Kernel of the rows of X with those of Y: exp(-d / eta), or a function of the two.

    Distances are summed pair by pair: the root of one that cancels in a matrix product would be
    1e-8 where it should be zero, and a new sample equal to an old one would not meet it.
    """
    if callable(kernel):
        return np.asarray(kernel(X, Y), dtype=float)
    if kernel != "exponential":
        raise ValueError(f"kernel must be 'exponential', a callable or None, got {kernel!r}")
    assert eta is not None
    return np.exp(cdist(X, Y) / -eta)


def mean_squared_distance(X: Array) -> float:
    """The mean of |x_i - x_j|^2 over all pairs, Eq. 31: the paper's width of the kernel.

    >>> mean_squared_distance(np.array([[0.0], [1.0], [3.0]])).__round__(3)
    4.667
    """
    n = len(X)
    return float(2 * np.var(X, axis=0).sum() * n / (n - 1))


def unit_free_width(X: Array) -> float:
    r"""Eq. 31 for X in units of its own spread s: a width that scales with X.

    .. math:: s \cdot \overline{\lVert x_i/s - x_j/s \rVert^2}, \qquad
       s^2 = \tfrac1d \sum_l \operatorname{var}_l

    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> unit_free_width(X).__round__(3), unit_free_width(1000 * X).__round__(3)
    (3.742, 3741.657)
    """
    spread = float(np.sqrt(np.mean(np.var(X, axis=0))))
    return spread * mean_squared_distance(X / spread)


def correlation_basis(X: Array, n_components: int) -> Array:
    """U, the top eigenvectors of X'X / N (not centred), d x k: the coordinates are XU."""
    return _top_eigenvectors(X.T @ X / len(X), n_components)[1]


def kernel_basis(K: Array, n_components: int) -> Array:
    """Z with columns z_l = e_l / sqrt(N sigma_l), Eq. 25 with |a_l| = 1: the coordinates are KZ."""
    values, vectors = _top_eigenvectors(K, n_components)
    return vectors / np.sqrt(values)


def _top_eigenvectors(A: Array, n_components: int) -> tuple[Array, Array]:
    """The largest eigenvalues and their vectors, without those that are zero up to rounding."""
    n = len(A)
    values, vectors = part_of_spectrum(A, n - min(n_components, n), n - 1)
    kept = np.flatnonzero(values > SMALLEST_EIGENVALUE * max(values[-1], 0.0))[::-1]
    return values[kept], fix_signs(vectors[:, kept])
