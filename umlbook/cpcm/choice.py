r"""The choice among the ends of restarts: Wilks' lambda, and what chance explains of any labels.

The blur ratio weighs directions as the predictor does, and least squares lets one sharp direction
outweigh all others: five slices of one round cloud are less blurred than five round clouds.
Wilks' lambda :math:`\prod_j (1 - \rho_j^2)` asks how much smaller the clusters are than the data in
all directions together.
"""

import numpy as np
from scipy.linalg import svd

from umlbook.algebra import Array, Labels, centered, one_hot
from umlbook.cpcm.predictors import coordinates, directions_of

SHARPEST, GRID_SHARE = 0.03, 0.5


def sharpest_counted(n_clusters: int) -> float:
    """The blur as which a sharper direction counts: a column of few values would have none.

    An even rectangle cut into a grid of K equal cells has the product 1/K^2, whatever the grid. The
    floor is at most half of that, so that one sharp direction can win against such a cut.

    >>> [round(sharpest_counted(k), 4) for k in (2, 4, 5, 10)]
    [0.03, 0.03, 0.02, 0.005]
    """
    return min(SHARPEST, GRID_SHARE / n_clusters**2)


def log_wilks(predictions: Array, labels: Labels, *, sharpest: float | None = None) -> float:
    r"""Wilks' lambda of the labels among their predictions: the less, the sharper the clusters.

    .. math:: \sum_j \log \max(1 - \rho_j^2, s), \qquad s = \min(0.03, 1 / 2K^2)

    unless another s is given as ``sharpest``, with :math:`\rho_j^2` the squared canonical
    correlations of predictions and labels. For least squares and LDA, where a further step changes
    nothing, they are those of X and the labels.

    Examples
    --------
    >>> round(log_wilks(np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([0, 0, 1, 1])), 4)
    -3.2581
    """
    Z = one_hot(labels)
    U, sizes, _ = svd(centered(predictions), full_matrices=False)
    U = U[:, sizes > 1e-8 * sizes[0]]  # predictions that sum to one have a direction without any
    rho2 = directions_of(coordinates(U, Z), Z.sum(axis=0))[1]
    if sharpest is None:
        sharpest = sharpest_counted(Z.shape[1])
    return float(np.sum(np.log(np.maximum(1 - rho2, sharpest))))


def explained_by_chance(rank: float, n_clusters: int, n_samples: int) -> float:
    r"""The mean of :math:`\sum_j \rho_j^2` over all orders of the labels, (K - 1) r / (n - 1).

    Examples
    --------
    >>> explained_by_chance(13, 3, 179)
    0.14606741573033707
    """
    return (n_clusters - 1) * rank / (n_samples - 1)
