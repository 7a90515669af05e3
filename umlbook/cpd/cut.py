r"""The normalised cut of a neighbour graph, by which CPD-UML chooses among clusterings.

The objective does not choose: the smaller lam, the smaller J, and the labels of least J need not be
the best. The share of edges that a clustering cuts in the graph of nearest neighbours of the
*input* space may, because no deformation has touched that space.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, vstack
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from umlbook.algebra import encode, one_hot

BATCH = 512
TIED = 1e-9  # neighbours whose distances differ by less than this share are equally near


def neighbor_graph(X: ArrayLike, n_neighbors: int = 10) -> csr_array:
    """Symmetric graph of 0 and 1: an edge where one row is among the other's nearest neighbours.

    Rows as far as the last neighbour, up to rounding, are neighbours too: in a table of small
    integers many are, and the order of the rows should not choose among them.

    >>> neighbor_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    rows = np.asarray(X, dtype=float)
    k = min(n_neighbors, len(rows) - 1)
    if k < 1:
        raise ValueError(
            f"n_neighbors={n_neighbors} and {len(rows)} rows: at least one neighbour and two rows "
            "are wanted"
        )
    parts = []
    for batch in gen_batches(len(rows), BATCH):
        D = cdist(rows[batch], rows)
        D[np.arange(len(D)), np.arange(len(rows))[batch]] = np.inf  # no row is its own neighbour
        reach = np.partition(D, k - 1, axis=1)[:, k - 1 : k]
        parts.append(csr_array((reach * (1 + TIED) >= D).astype(float)))
    W = csr_array(vstack(parts))
    return W.maximum(W.T)


def normalized_cut(graph: csr_array, labels: ArrayLike, n_clusters: int | None = None) -> float:
    r"""Sum over the clusters of the share of their edge ends that leave them.

    .. math:: \sum_c \frac{\mathrm{cut}(c, \bar c)}{\mathrm{vol}(c)}

    Between 0 and K; infinite when one of the ``n_clusters`` clusters is empty.

    >>> graph = neighbor_graph([[0.0], [1.0], [5.0], [6.0]], 1)
    >>> normalized_cut(graph, [0, 0, 1, 1]), normalized_cut(graph, [0, 1, 0, 1])
    (0.0, 2.0)
    """
    Z = one_hot(encode(labels) if n_clusters is None else labels, n_clusters)
    volume = Z.T @ graph.sum(axis=1)
    inside = np.einsum("ic,ic->c", Z, graph @ Z)
    return float(np.sum(1 - inside / volume)) if volume.all() else float("inf")
