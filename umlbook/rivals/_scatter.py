"""Scatter of pairs and chunklets, matrix roots and shrinkage: shared by the linear rivals."""

import numpy as np
from scipy.linalg import eigh

from umlbook.algebra import Array, within_scatter
from umlbook.constraints import IntArray, chunklets
from umlbook.itml import pair_differences

RANK_TOLERANCE = 1e-10  # relative to the largest eigenvalue: below it is rounding
SINGULAR_SHRINKAGE = 0.1  # the default where S lacks full rank


def pair_scatter(X: Array, pairs: IntArray) -> Array:
    """Sum of (x_i - x_j)(x_i - x_j)' over the pairs, d x d.

    >>> pair_scatter(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([[0, 1]]))
    array([[4., 0.],
           [0., 0.]])
    """
    apart = pair_differences(X, pairs)
    return apart.T @ apart


def chunklet_covariance(X: Array, must: IntArray) -> Array:
    """Mean covariance within the chunklets of two samples and more, d x d.

    >>> chunklet_covariance(np.array([[0.0], [2.0], [7.0]]), np.array([[0, 1]]))
    array([[1.]])
    """
    chunks = chunklets(must, len(X))
    linked = np.bincount(chunks)[chunks] > 1
    return within_scatter(X[linked], chunks[linked]) / linked.sum()


def rank(S: Array) -> int:
    """Number of eigenvalues of a positive semi-definite S that are not rounding.

    >>> rank(np.diag([1.0, 1e-3, 1e-14]))
    2
    """
    values = eigh(S, eigvals_only=True)
    return int(np.sum(values > RANK_TOLERANCE * max(values[-1], 0.0)))


def shrunk(S: Array, amount: float | None) -> tuple[Array, float]:
    r"""S mixed with a multiple of I of the same trace, and the share that was mixed in.

    .. math:: (1 - \gamma) S + \gamma \frac{\operatorname{tr} S}{d} I

    Parameters
    ----------
    S : array (d, d)
        Positive semi-definite and not zero.
    amount : float in [0, 1] or None
        None mixes in nothing where S has full rank, and 0.1 where it has not.

    Examples
    --------
    >>> shrunk(np.diag([2.0, 0.0]), 0.5)[0].tolist()
    [[1.5, 0.0], [0.0, 0.5]]
    """
    if amount is not None and not 0 <= amount <= 1:
        raise ValueError(f"shrinkage must lie between 0 and 1, or be None, got {amount!r}")
    if amount is None:
        amount = 0.0 if rank(S) == len(S) else SINGULAR_SHRINKAGE
    return (1 - amount) * S + amount * np.trace(S) / len(S) * np.eye(len(S)), float(amount)


def matrix_power(S: Array, exponent: float) -> Array:
    """S to a real power, for a symmetric positive semi-definite S; zero stays zero.

    >>> matrix_power(np.diag([4.0, 9.0]), -0.5).round(3).tolist()
    [[0.5, 0.0], [0.0, 0.333]]
    """
    values, vectors = eigh(S, driver="evd")  # the default can fail on many equal eigenvalues
    kept = values > RANK_TOLERANCE * max(values[-1], 0.0)
    return (vectors[:, kept] * values[kept] ** exponent) @ vectors[:, kept].T
