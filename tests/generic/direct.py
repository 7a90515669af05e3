"""What the pages define by sums over samples, added up as they stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from generic.problems import Array

Labels = NDArray[np.int64]
tr, norm = np.trace, np.linalg.norm


def regular(A: Array) -> Array:
    """Return A, or refuse it where rounding would decide what its inverse is."""
    if np.linalg.cond(A) > 1e11:
        raise np.linalg.LinAlgError("singular")
    return A


def inv(A: Array) -> Array:
    return np.linalg.inv(regular(A))


def det(A: Array) -> float:
    return float(np.linalg.det(A))


def generalised(A: Array, B: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors of A b = lambda B b, rising."""
    values, vectors = eigh(A, regular(B))
    return values, vectors


def clusters(labels: Labels) -> range:
    return range(int(labels.max()) + 1)


def mean(X: Array, labels: Labels, c: int) -> Array:
    return sum(x for x, k in zip(X, labels, strict=True) if k == c) / np.sum(labels == c)


def means(X: Array, labels: Labels) -> Array:
    return np.array([mean(X, labels, c) for c in clusters(labels)])


def sse(X: Array, labels: Labels) -> float:
    """The k-means objective (1.1)."""
    m = means(X, labels)
    return sum(np.sum((x - m[c]) ** 2) for x, c in zip(X, labels, strict=True))


def within(X: Array, labels: Labels) -> Array:
    m = means(X, labels)
    return sum(np.outer(x - m[c], x - m[c]) for x, c in zip(X, labels, strict=True))


def total(X: Array) -> Array:
    m = sum(X) / len(X)
    return sum(np.outer(x - m, x - m) for x in X)


def between(X: Array, labels: Labels) -> Array:
    m, sizes = sum(X) / len(X), np.bincount(labels)
    rows = means(X, labels) - m
    return sum(n_c * np.outer(row, row) for n_c, row in zip(sizes, rows, strict=True))


def blur(X: Array, labels: Labels) -> float:
    """SSC / SST of the rows of X under the Euclidean metric."""
    return float(tr(within(X, labels)) / tr(total(X)))


def gaussian(X: Array, Z: Array, sigma: float) -> Array:
    return np.array([[np.exp(-np.sum((x - z) ** 2) / (2 * sigma**2)) for z in Z] for x in X])


def top(A: Array, k: int) -> Array:
    """Eigenvectors of the k largest eigenvalues of a symmetric matrix, the largest first."""
    return np.linalg.eigh(A)[1][:, ::-1][:, :k]


def center(n: int) -> Array:
    """I - 11'/n."""
    return np.eye(n) - 1 / n


def pinv(G: Array) -> Array:
    """Pseudo-inverse of a symmetric matrix whose eigenvalues are 0 or clearly not."""
    return np.linalg.pinv(G, rcond=1e-9, hermitian=True)


def slope(f, x: Array, direction: Array, h: float = 1e-4) -> float:
    """Derivative along a direction, by differences whose error is of order h^4."""
    near, far = (f(x + s * h * direction) - f(x - s * h * direction) for s in (1, 2))
    return (8 * near - far) / (12 * h)
