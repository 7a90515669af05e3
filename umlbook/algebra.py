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
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


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
    return np.eye(n_clusters or int(codes.max()) + 1)[codes]


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


def cluster_means(X: ArrayLike, labels: ArrayLike, n_clusters: int | None = None) -> Array:
    """The mean of each cluster, K x d.

    >>> cluster_means([[0.0], [2.0], [5.0]], [0, 0, 1])
    array([[1.],
           [5.]])
    """
    Z = one_hot(labels, n_clusters)
    return Z.T @ np.asarray(X, dtype=float) / _sizes(Z)[:, None]


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
    """Sum of squared distances to the cluster means, Eq. 2 of CPD-UML.

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
    values, vectors = eigh(A, subset_by_index=[n - k, n - 1])
    return float(values.sum()), fix_signs(vectors[:, ::-1])


def nearest(distances: Array) -> Labels:
    """The column of the smallest entry in each row; near-ties go to the first column.

    A gap below 1e-10 of the largest distance is rounding, not geometry: without this rule a
    point midway between two centres changes sides with the number of threads.

    >>> nearest(np.array([[2.0, 1.0], [1.0, 1.0 - 1e-15]])).tolist()
    [1, 0]
    """
    slack = 1e-10 * np.abs(distances).max(initial=0.0)
    return np.argmax(distances <= distances.min(axis=1, keepdims=True) + slack, axis=1)
