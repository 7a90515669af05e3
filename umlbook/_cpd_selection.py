r"""Choosing widths and penalties without labels: the normalised cut of a neighbour graph.

The objective of CPD-UML cannot choose anything: the smaller lam, the smaller J, and the labels of
least J need not be the best. What a clustering cuts in the graph of nearest neighbours of the
*input* space, which no deformation has touched, can.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.neighbors import kneighbors_graph

from umlbook.algebra import Labels, encode, one_hot


def neighbor_graph(X: ArrayLike, n_neighbors: int = 10) -> csr_array:
    """Symmetric graph of 0 and 1: an edge where one row is among the other's nearest neighbours.

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
    W = csr_array(kneighbors_graph(rows, k))
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


@dataclass(frozen=True)
class Candidate:
    """One pair of parameters, the labels it leads to, and their normalised cut and objective."""

    sigma: float
    lam: float
    cut: float
    objective: float
    labels: Labels


@dataclass(frozen=True)
class Selection:
    """The candidates in the order tried; the best has the least cut, the first one in a tie."""

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        return min(self.candidates, key=lambda candidate: candidate.cut)

    @property
    def sigma(self) -> float:
        return self.best.sigma

    @property
    def lam(self) -> float:
        return self.best.lam
