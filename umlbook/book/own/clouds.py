"""Tables that are one cloud and otherwise resemble a given one: how no clusters would look."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def one_cloud(X: Floats, rng: np.random.Generator, rounds: int = 10) -> Floats:
    """Return a random table that is one cloud, with the mean, covariance and columns of `X`.

    It begins with a sample of a normal distribution that is turned so that its mean and its
    covariance are those of `X`: if the rows of `X` are normal, `X` is itself such a table, drawn
    at random. Then the values of each column are replaced by those of `X` in the same order,
    which keeps skewness and long tails, and the covariance is restored, in turns. The
    covariance is exact in the end, and with more rows than columns the values are nearly those
    of `X`.

    One cloud of another shape, such as a ball that is filled evenly, is not such a table and can
    be sharper than these clouds: hence `round_cloud`.

    Shuffling each column by itself would not do: it destroys the correlation too, and a table
    with correlated columns is mostly sharper than that.
    """
    mean, ordered = X.mean(axis=0), np.sort(X, axis=0)
    _, sizes, axes = _principal(X - mean)
    G = rng.standard_normal(X.shape) @ axes.T
    Y = _orthonormal(G - G.mean(axis=0)) * sizes @ axes
    for _ in range(rounds):
        Y = np.take_along_axis(ordered, np.argsort(np.argsort(Y, axis=0), axis=0), axis=0) - mean
        Y = _orthonormal(Y @ axes.T * sizes) * sizes @ axes  # the nearest of this covariance
    return np.asarray(Y + mean)


def round_cloud(X: Floats, rng: np.random.Generator) -> Floats:
    """Return a random table whose rows are as far from the centre as those of `X`.

    The distances are those of Mahalanobis, in which the covariance of `X` is a ball: each row goes
    as far from the centre as some row of `X`, in a random direction. So mean and covariance are
    those of `X` on average, and not exactly: in a ball that is filled evenly, the direction that
    happens to be the longest is the one with most rows at both its ends, and clouds that are
    stretched to the same covariance without this look less sharp than the ball.

    A ball or ellipsoid that is filled evenly, or a normal cloud, is nearly such a table. With very
    long tails a few rows make the covariance, and the cloud loses their direction.
    """
    mean = X.mean(axis=0)
    left, sizes, axes = _principal(X - mean)
    far = rng.permutation(np.linalg.norm(left, axis=1))
    Z = rng.standard_normal(X.shape) @ axes.T
    Z *= (far / np.linalg.norm(Z, axis=1))[:, None]
    return np.asarray(Z * sizes @ axes + mean)


def clouds(X: Floats, rng: np.random.Generator, count: int) -> Iterator[Floats]:
    """Yield `count` clouds of each of the two kinds."""
    for _ in range(count):
        yield one_cloud(X, rng)
        yield round_cloud(X, rng)


def _principal(A: Floats) -> tuple[Floats, Floats, Floats]:
    """The singular value decomposition of A without the values that are zero but for rounding.

    The signs of the axes, and the axes of equal values, are up to the library that computes them.
    So clouds are drawn among the columns and turned to the axes, which leaves no trace of either.
    """
    left, sizes, axes = np.linalg.svd(A, full_matrices=False)
    rank = int(np.sum(sizes > sizes[0] * max(A.shape) * np.finfo(float).eps))
    return left[:, :rank], sizes[:rank], axes[:rank]


def _orthonormal(A: Floats) -> Floats:
    """The orthonormal columns nearest to those of A."""
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return np.asarray(left @ right)
