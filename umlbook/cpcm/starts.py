"""K-means on a line, solved exactly: the starts of CPCM."""

import numpy as np

from umlbook.algebra import ROUNDING, Array, Labels, cluster_means
from umlbook.lloyd import nearest_filled


def one_dimensional_labels(x: Array, n_clusters: int, *, max_groups: int = 256) -> Labels:
    """The best k-means partition of numbers, by dynamic programming over their sorted order.

    Of more than ``max_groups`` numbers, groups of neighbours of equal count are kept together,
    and each number then goes to the nearest mean.

    Examples
    --------
    >>> one_dimensional_labels(np.array([5.0, 0.0, 5.1, 0.1, 9.0]), 3).tolist()
    [1, 0, 1, 0, 2]
    """
    order = np.argsort(x, kind="stable")
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
