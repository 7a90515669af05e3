"""The starts of CPCM: k-means, k-means on a line, and lines that no linear map changes."""

import numpy as np

from umlbook.algebra import ROUNDING, Array, Labels, centered, cluster_means, fix_signs
from umlbook.lloyd import best_rounded_labels, nearest_filled


def kmeans_labels(
    X: Array, n_clusters: int, rng: np.random.RandomState, n_init: int = 10
) -> Labels:
    """The best of ``n_init`` runs of k-means on X, in any unit."""
    data = centered(X)
    return best_rounded_labels(data / (np.abs(data).max() or 1.0), n_clusters, rng, n_init)


def order_but_for_rounding(x: Array) -> Labels:
    """Indices that sort the numbers; those that only rounding tells apart keep their order.

    >>> order_but_for_rounding(np.array([1.0, 1e-14, 0.0, -1.0])).tolist()
    [3, 1, 2, 0]
    """
    order = np.argsort(x, kind="stable")
    apart = np.diff(x[order]) > ROUNDING * np.abs(x - x.mean()).max()
    ranks = np.empty(len(x), dtype=np.intp)
    ranks[order] = np.concatenate([[0], np.cumsum(apart)])
    return np.argsort(ranks, kind="stable")


def one_dimensional_labels(x: Array, n_clusters: int, *, max_groups: int = 256) -> Labels:
    """The best k-means partition of numbers, by dynamic programming over their sorted order.

    Of more than ``max_groups`` numbers, groups of neighbours of equal count are kept together,
    and each number then goes to the nearest mean.

    Examples
    --------
    >>> one_dimensional_labels(np.array([5.0, 0.0, 5.1, 0.1, 9.0]), 3).tolist()
    [1, 0, 1, 0, 2]
    """
    order = order_but_for_rounding(x)
    edges = np.linspace(0, len(x), min(len(x), max_groups) + 1).astype(int)
    ordered = x[order] - x.mean()
    ordered /= np.abs(ordered).max() or 1.0  # squares of any unit stay finite
    sums, squares = (np.concatenate([[0.0], np.cumsum(ordered**power)])[edges] for power in (1, 2))
    counts = np.maximum(edges[None, :] - edges[:, None], 1)
    cost = (squares - squares[:, None]) - (sums - sums[:, None]) ** 2 / counts
    cost = np.where(np.triu(np.ones_like(cost), 1) > 0, np.maximum(cost, 0.0), np.inf)
    best, cuts, rounding = cost[0], [], len(x) * np.finfo(float).eps * squares[-1]
    for _ in range(n_clusters - 1):
        through = best[:, None] + cost
        best = np.min(through, axis=0)
        # Of cuts that tie but for rounding the first: that of the sums, and that of the costs.
        cuts.append(np.argmax(through <= best * (1 + ROUNDING) + rounding, axis=0))
    ends = [len(edges) - 1]
    for cut in reversed(cuts):
        ends.append(int(cut[ends[-1]]))
    labels = np.empty(len(x), dtype=np.intp)
    labels[order] = np.searchsorted(edges[ends[:0:-1]], np.arange(len(x)), side="right")
    if len(x) <= max_groups:
        return labels
    means = cluster_means(x[:, None], labels, n_clusters)
    return nearest_filled(x[:, None], means)


def invariant_coordinates(Q: Array) -> Array:
    r"""Coordinates of the samples that are the same for X and for every invertible affine map of X.

    With :math:`q_i` the rows of Q they are :math:`Qv_j`, where :math:`v_j` are the eigenvectors of
    the fourth moments :math:`\sum_i \lVert q_i \rVert^2 q_i q_i'`, by ascending eigenvalue:
    as a rule clusters of similar size differ along the first ones and outliers along the last.
    Another basis QO, O orthogonal, has the moments :math:`O'MO` and hence the same coordinates.
    Where two eigenvalues are equal, the coordinates are determined up to a rotation only.

    Parameters
    ----------
    Q : array (n, r)
        An orthonormal basis of the centred columns of X.

    References
    ----------
    Tyler, Critchley, Duembgen and Oja (2009), Invariant co-ordinate selection.
    """
    lengths = np.sum(Q**2, axis=1)
    return fix_signs(Q @ np.linalg.eigh(Q.T @ (lengths[:, None] * Q))[1])
