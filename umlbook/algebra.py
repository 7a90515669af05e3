r"""Indicators, scatter and the theorem of Ky Fan: the algebra under every chapter.

=========  ============================================  ==========
symbol     name in code                                  shape
=========  ============================================  ==========
X          ``X``, rows are samples                       n x d
Y          ``indicator(labels)``, columns of norm one    n x K
M          ``cluster_means(X, labels)``                  K x d
S_w, S_b   ``within_scatter``, ``between_scatter``       d x d
S_t        ``total_scatter`` = S_w + S_b                 d x d
=========  ============================================  ==========

Functions that Lloyd's algorithm calls with all rows are told in `umlbook._blocks` what they mean
for rows that are read block by block.
"""

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, svd
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist

Array = NDArray[np.float64]
Labels = NDArray[np.intp]

ROUNDING = 1e-10
"""Relative differences below this are noise of the arithmetic: no label may depend on one."""
DENSE = 1000
"""Up to this order all eigenvectors cost less than a Lanczos iteration."""


def encode(labels: ArrayLike, n_clusters: int | None = None) -> Labels:
    """Labels as integers 0 .. K-1 in sorted order; only checked where ``n_clusters`` is given.

    >>> encode(["b", "a", "b"]).tolist()
    [1, 0, 1]
    """
    given = np.asarray(labels)
    if given.ndim != 1 or given.size == 0:
        raise ValueError(f"labels must be a non-empty list of labels, got shape {given.shape}")
    if n_clusters is None:
        return np.unique(given, return_inverse=True)[1].astype(np.intp)
    if not np.issubdtype(given.dtype, np.integer) or given.min() < 0 or given.max() >= n_clusters:
        raise ValueError(
            f"labels must be integers from 0 to {n_clusters - 1} when n_clusters={n_clusters} is "
            "given; leave n_clusters out to have any labels renumbered"
        )
    return given.astype(np.intp)


def one_hot(labels: ArrayLike, n_clusters: int | None = None) -> Array:
    """Z with Z[i, c] = 1 where sample i is in cluster c.

    >>> one_hot([0, 1, 1])
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    codes = encode(labels, n_clusters)
    clusters = np.arange(n_clusters or int(codes.max()) + 1)
    return np.equal.outer(clusters, codes).astype(float).T  # three times as fast as row by row


def indicator(labels: ArrayLike, n_clusters: int | None = None) -> Array:
    r"""Y, the indicator with columns of norm one: :math:`Y_{ic} = [c_i = c] / \sqrt{n_c}`.

    Then Y'Y = I, and YY' replaces each sample by the mean of its cluster (Eq. 9 of CPD-UML,
    L of NAML). An empty cluster has no such column and is refused.

    >>> indicator([0, 1, 1]).round(3)
    array([[1.   , 0.   ],
           [0.   , 0.707],
           [0.   , 0.707]])
    """
    Z = one_hot(labels, n_clusters)
    return Z / np.sqrt(_sizes(Z))


@singledispatch
def cluster_means(X: Any, labels: ArrayLike, n_clusters: int | None = None) -> Array:
    """The mean of each cluster, K x d.

    >>> cluster_means([[0.0], [2.0], [5.0]], [0, 0, 1])
    array([[1.],
           [5.]])
    """
    Z = one_hot(labels, n_clusters)
    return Z.T @ np.asarray(X, dtype=float) / _sizes(Z)[:, None]


@singledispatch
def scatter_about(X: Any, centers: Array, labels: Labels) -> float:
    """Sum of squared distances of the rows of X to the centres of their labels.

    >>> scatter_about(np.array([[0.0], [2.0], [5.0]]), np.array([[1.0], [4.0]]), [0, 0, 1])
    3.0
    """
    return float(np.sum((X - centers[labels]) ** 2))


@singledispatch
def mean_and_scatter(X: Any) -> tuple[Array, float]:
    """The mean of the rows of X, and the sum of their squared distances to it."""
    mean = X.mean(axis=0)
    return mean, float(np.sum((X - mean) ** 2))


def indicator_products(X: Array, labels: Labels, n_clusters: int) -> Array:
    """Y'X, K x d: the mean of each cluster times the root of its size."""
    sizes = np.bincount(labels, minlength=n_clusters)
    return cluster_means(X, labels, n_clusters) * np.sqrt(sizes)[:, None]


def _sizes(Z: Array) -> Array:
    sizes = Z.sum(axis=0)
    if not sizes.all():
        raise ValueError(
            f"cluster {int(np.argmin(sizes))} is empty, so it has no mean and no indicator column: "
            "lower n_clusters, or give every cluster a sample"
        )
    return sizes


def centered(X: ArrayLike) -> Array:
    """X minus the mean of its rows.

    >>> centered([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """
    X = np.asarray(X, dtype=float)
    return X - X.mean(axis=0)


def about_median(X: Array) -> Array:
    """X minus the median of its rows, an origin that one far row does not move."""
    return X - np.median(X, axis=0)


def total_scatter(X: ArrayLike) -> Array:
    """S_t: scatter of all samples about their mean, d x d."""
    deviations = centered(X)
    return deviations.T @ deviations


def within_scatter(X: ArrayLike, labels: ArrayLike) -> Array:
    """S_w: scatter of the samples about the means of their clusters, d x d."""
    codes = encode(labels)
    deviations = np.asarray(X, dtype=float) - cluster_means(X, codes)[codes]
    return deviations.T @ deviations


def between_scatter(X: ArrayLike, labels: ArrayLike) -> Array:
    """S_b: scatter of the cluster means, each counted once per sample, d x d."""
    codes = encode(labels)
    return total_scatter(cluster_means(X, codes)[codes])


def kmeans_objective(X: ArrayLike, labels: ArrayLike) -> float:
    """Sum of squared distances to the cluster means, Eq. 2 of CPD-UML; Eqs. 6 to 8, 10 equal it.

    >>> kmeans_objective([[0.0], [2.0], [5.0]], [0, 0, 1])
    2.0
    """
    codes = encode(labels)
    deviations = np.asarray(X, dtype=float) - cluster_means(X, codes)[codes]
    return float(np.sum(deviations**2))


def fix_signs(V: ArrayLike) -> Array:
    """V with each column's largest entry (in absolute value) made positive.

    Entries within a relative 1e-9 of the largest count as ties, and the first of them decides, so
    rounding does not flip a column.

    >>> fix_signs([[-3.0, 1.0], [2.0, 4.0]])
    array([[ 3.,  1.],
           [-2.,  4.]])
    """
    V = np.asarray(V, dtype=float)
    size = np.abs(V)
    leading = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    signs = np.sign(V[leading, np.arange(V.shape[1])])
    return V * np.where(signs == 0, 1.0, signs)


def ky_fan(A: ArrayLike, k: int) -> tuple[float, Array]:
    """Sum of the k largest eigenvalues of a symmetric A, and their eigenvectors, signs fixed.

    The sum is the maximum of tr(Y'AY) over all Y with k orthonormal columns (Ky Fan 1949).

    >>> value, vectors = ky_fan([[2.0, 0.0], [0.0, 1.0]], 1)
    >>> value, vectors.tolist()
    (2.0, [[1.0], [0.0]])
    """
    A = np.asarray(A, dtype=float)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix, got shape {A.shape}")
    if not np.allclose(A, A.T, rtol=1e-10, atol=1e-10 * np.abs(A).max(initial=0.0)):
        raise ValueError("A must be symmetric: use (A + A.T) / 2 if only rounding made it uneven")
    n = A.shape[0]
    if not 1 <= k <= n:
        raise ValueError(f"k must lie between 1 and {n}, the order of A, got {k}")
    values, vectors = top_eigenvectors(A, k, above=None)
    return float(values.sum()), vectors


def top_eigenvectors(
    A: Array, k: int | None = None, *, above: float | None = 1e-12
) -> tuple[Array, Array]:
    """The k largest eigenvalues of a symmetric A, descending, and their vectors, signs fixed.

    Parameters
    ----------
    A : array (n, n)
    k : int, optional
        All of them where it is left out.
    above : float or None
        Eigenvalues that do not exceed this share of the largest are dropped. None keeps them, and
        asks for the dense solver whatever n is: Lanczos can miss a repeated eigenvalue zero.

    Examples
    --------
    >>> values, vectors = top_eigenvectors(np.diag([0.0, 1.0, 3.0]), 3)
    >>> values.tolist(), vectors.tolist()
    ([3.0, 1.0], [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    """
    n = len(A)
    k = n if k is None else min(k, n)
    if n <= DENSE or 10 * k > n or above is None:
        values, vectors = part_of_spectrum(A, n - k, n - 1)
    else:
        start = np.cos(np.arange(n, dtype=float))  # any fixed vector, always the same one
        values, vectors = eigsh(A, k=k, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    if above is not None:
        order = order[values[order] > above * max(values.max(initial=0.0), 0.0)]
    return values[order], fix_signs(vectors[:, order])


def part_of_spectrum(A: Array, first: int, last: int) -> tuple[Array, Array]:
    """The eigenvalues number `first` to `last` of a symmetric A, ascending, and their vectors.

    LAPACK's solver for a part of a spectrum can find too few of them, or none, without an error
    where very many are nearly equal, as those of a narrow kernel are: then all are computed.

    Examples
    --------
    >>> part_of_spectrum(np.diag([3.0, 1.0, 2.0]), 1, 2)[0].tolist()
    [2.0, 3.0]
    """
    values, vectors = eigh(A, subset_by_index=[first, last])
    if len(values) > last - first:
        return values, vectors
    values, vectors = eigh(A, driver="evd")
    return values[first : last + 1], vectors[:, first : last + 1]


def spectral_embedding(X: Array, n_vectors: int) -> tuple[Array, Array]:
    """The top left singular vectors of X (n x r), and the map R (d x r) with X R equal to them.

    r is the smaller of ``n_vectors`` and the numerical rank of X: beyond the rank any orthonormal
    vectors are as good as any other, and none says anything about X.
    """
    U, singular, Vt = svd(X, full_matrices=False)
    tiny = singular[0] * max(X.shape) * np.finfo(float).eps if singular.size else 0.0
    rank = max(1, min(n_vectors, int(np.sum(singular > tiny))))
    signs = np.sign(np.einsum("ij,ij->j", fix_signs(U[:, :rank]), U[:, :rank]))
    scale = np.where(singular[:rank] > tiny, singular[:rank], np.inf)
    return U[:, :rank] * signs, Vt[:rank].T * signs / scale


def indicator_basis(labels: ArrayLike, n_clusters: int) -> Array:
    """V: K - 1 orthonormal columns, orthogonal to the constant, that span the indicator with it.

    The constant vector lies in the span of an indicator, and a centred kernel sends it to zero:
    only these K - 1 directions carry anything.

    >>> indicator_basis([0, 0, 1, 1], 2).round(3).ravel().tolist()
    [0.5, 0.5, -0.5, -0.5]
    """
    if n_clusters == 1:  # nothing to span; one direction keeps every shape the same
        direction = centered(np.eye(len(np.asarray(labels)))[:, :1])
        return direction / np.linalg.norm(direction)
    U = svd(centered(indicator(labels, n_clusters)), full_matrices=False)[0]
    return fix_signs(U[:, : n_clusters - 1])


def with_constant(V: Array) -> Array:
    """V with the constant column of norm one beside it."""
    return np.column_stack([V, np.full(len(V), 1 / np.sqrt(len(V)))])


def subspace_change(V: Array, other: Array) -> float:
    """Sum of the squared sines of the angles between two spaces; their dimension if it differs.

    Taken from what of one space lies outside the other, so that small angles are not lost in the
    rounding of 1 - cos^2.
    """
    if V.shape != other.shape:
        return float(max(V.shape[1], other.shape[1]))
    return float(np.sum((other - V @ (V.T @ other)) ** 2))


def nearest(costs: Array, slack: Array | float | None = None) -> Labels:
    """The column of the smallest entry in each row; near-ties go to the first column.

    Entries within ``slack`` of a row's smallest one tie with it: such a gap is rounding, not
    geometry, and without this rule a point midway between two centres changes sides with the
    processor or the number of threads. The slack of a row depends on that row alone, so that one
    far row changes no other; by default it is 1e-10 of the smallest entry.

    >>> nearest(np.array([[2.0, 1.0], [1.0, 1.0 - 1e-15]])).tolist()
    [1, 0]
    >>> nearest(np.array([[1.0, 1.0 - 1e-6], [1e30, 2e30]])).tolist()
    [1, 0]
    """
    least = costs.min(axis=1)
    reach = least + (ROUNDING * np.abs(least) if slack is None else slack)
    return np.argmax(costs <= reach[:, None], axis=1)


def nearest_center(X: Array, centers: Array) -> Labels:
    """The nearest of the centres for each row of X; a near-tie goes to the first of them.

    Distances tie when they differ by less than rounding can make of the row's own coordinates.
    They are summed pair by pair: expanded into products, a far centre would take the digits of
    the near ones.

    >>> nearest_center(np.array([[0.0], [1.0], [9.0]]), np.array([[0.0], [2.0]])).tolist()
    [0, 0, 1]
    """
    return nearest_with_distance(X, centers)[0]


@singledispatch
def nearest_with_distance(X: Any, centers: Array) -> tuple[Labels, Array]:
    """The nearest centre of each row as in :func:`nearest_center`, and the distance to it."""
    D = cdist(centers, X)  # a row for each centre: the few are then looped over, not the many
    slack = ROUNDING * (D.min(axis=0) + np.sqrt(np.einsum("ij,ij->i", X, X)))
    labels = nearest(D.T, slack)
    return labels, D[labels, np.arange(len(X))]
