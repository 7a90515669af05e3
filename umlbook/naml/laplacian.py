"""The Laplacian of a graph as a kernel for NAML: Eq. 31 and Proposition 3.1, repaired."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import pinvh

from umlbook.algebra import ROUNDING, Array


def laplacian_kernel(affinity: ArrayLike) -> Array:
    r"""The pseudo-inverse of the Laplacian D - W of a graph, as a kernel.

    Its rows sum to zero, so it is centred as it stands (Proposition 3.1 of NAML, repaired).

    Parameters
    ----------
    affinity : array (n, n)
        W, symmetric with no negative entry.

    Examples
    --------
    >>> laplacian_kernel([[0.0, 1.0], [1.0, 0.0]]).round(3)
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    W = np.asarray(affinity, dtype=float)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not np.allclose(W, W.T) or W.min(initial=0) < 0:
        raise ValueError(
            "affinity must be a symmetric square matrix without negative entries: "
            "use np.maximum(W, W.T) if a neighbour graph made it uneven"
        )
    laplacian = np.diag(W.sum(axis=1)) - (W + W.T) / 2
    # What is zero but for rounding is the null space: scipy's own cut differs between versions.
    K: Array = pinvh(laplacian, rtol=ROUNDING)
    return (K + K.T) / 2
