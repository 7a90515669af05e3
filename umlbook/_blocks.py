r"""Rows that are read block by block: what AML and CPCM need of a dask array, never all at once.

Both methods see the data through an affine map, :math:`y_i = o + (x_i - \bar x)C`, and of the
mapped rows they need the scatter, the means of clusters, and the nearest of some centres. The
scatter and the means follow from :math:`\bar x`, X'X and the sums of X over the clusters; so one
pass over the blocks finds X'X, and one pass for each round of Lloyd's algorithm finds the labels
and their sums.

`BlockRows` stands where an algorithm has an array of rows: the functions of `umlbook.algebra` and
`umlbook.lloyd` that the algorithms call are told here what they mean for it. In memory are one
block for each thread, and the labels and a distance of each row.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from umlbook.algebra import (
    Array,
    Labels,
    cluster_means,
    mean_and_scatter,
    nearest_center,
    nearest_with_distance,
    one_hot,
    scatter_about,
)

READ_AT_ONCE = 3000
"""A dask array of up to so many rows is small, and is computed."""


def is_blocks(X: Any) -> bool:
    """Whether X is a dask array; asking does not import dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(X, module.Array)


def checked_blocks(X: Any, method: str, *, allowed: bool) -> Any:
    """X in blocks of whole rows of floats, or an error that says what to do."""
    if not allowed:
        raise TypeError(
            f"{method} cannot read a dask array block by block (AML with relaxed=False can, and "
            "CPCM with predictor='least-squares'): give X.compute(), or rows of X, as a numpy array"
        )
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got a dask array of shape {X.shape} instead: reshape")
    if np.isnan(X.shape[0]):
        raise ValueError(
            "X is a dask array of unknown length: call X.compute_chunk_sizes() first, or from a "
            "data frame take to_dask_array(lengths=True)"
        )
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X is a dask array of {X.dtype}: encode it as numbers first")
    return X.rechunk({1: -1}).astype(np.float64)


@dataclass(eq=False)
class BlockData:
    """The blocks of a dask array (n x d), their mean and scatter, and the sums of the last labels.

    ``scatter`` is that of the rows about ``mean``, d x d.
    """

    X: Any
    mean: Array = field(init=False)
    scatter: Array = field(init=False)
    _last: tuple[Labels, Array] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        moments = self.computed(block_moments)
        n, mean, scatter = moments[0]
        for m, other, own in moments[1:]:  # of two parts, as Chan, Golub and LeVeque join them
            gap = other - mean
            scatter = scatter + own + np.outer(gap, gap) * (n * m / (n + m))
            n, mean = n + m, mean + gap * (m / (n + m))
        if not np.isfinite(scatter).all():
            raise ValueError(
                "X contains NaN or infinity, or numbers too large to be squared: remove or impute "
                "such values first, for example with X = da.nan_to_num(X)"
            )
        self.mean, self.scatter = mean, (scatter + scatter.T) / 2

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def computed(self, function: Any, labels: Labels | None = None) -> list[Any]:
        """What a function gives for each block, and for the labels of its rows where there are."""
        import dask

        blocks = self.X.to_delayed().ravel()
        given: list[tuple[Labels, ...]] = [()] * len(blocks)
        if labels is not None:
            given = [(part,) for part in np.split(labels, np.cumsum(self.X.chunks[0])[:-1])]
        task = dask.delayed(function, pure=False, traverse=False)
        return list(dask.compute(*(task(b, *g) for b, g in zip(blocks, given, strict=True))))

    def sums(self, labels: Labels, n_clusters: int) -> Array:
        """The sum of x - mean over each cluster, K x d; the pass that found the labels knows it."""
        if self._last is None or not np.array_equal(self._last[0], labels):
            add = partial(block_sums, mean=self.mean, n_clusters=n_clusters)
            self.remember(labels, sum(self.computed(add, labels)))
        assert self._last is not None
        return self._last[1]

    def remember(self, labels: Labels, sums: Array) -> None:
        """Keep the sums of these labels until others come."""
        self._last = labels, sums


def block_moments(X: Array) -> tuple[int, Array, Array]:
    """Number of rows, mean and scatter of a block."""
    mean = X.mean(axis=0)
    apart = X - mean
    return len(X), mean, apart.T @ apart


def block_sums(X: Array, labels: Labels, *, mean: Array, n_clusters: int) -> Array:
    """The sum of x - mean over each cluster of a block, K x d."""
    return np.asarray(one_hot(labels, n_clusters).T @ (X - mean))


def block_pass(X: Array, *, rows: BlockRows, centers: Array) -> tuple[Labels, Array, Array]:
    """One round of Lloyd's algorithm in a block: labels, distances, and the sums of the labels."""
    apart = X - rows.mean
    labels, distance = nearest_with_distance(rows.offset + apart @ rows.coef, centers)
    return labels, distance, np.asarray(one_hot(labels, len(centers)).T @ apart)


@dataclass(frozen=True, eq=False)
class BlockRows:
    """The rows offset + (x - mean) coef (n x q) of blocks of x, for the algorithms to work on."""

    data: Any
    coef: Array
    offset: Array

    @property
    def mean(self) -> Array:
        return np.asarray(self.data.mean)

    def __len__(self) -> int:
        return len(self.data)

    def __matmul__(self, R: Array) -> BlockRows:
        """These rows times R, still to be computed."""
        return replace(self, coef=self.coef @ R, offset=self.offset @ R)

    def scatter(self) -> Array:
        """Their scatter about their mean, q x q."""
        return self.coef.T @ self.data.scatter @ self.coef


@cluster_means.register
def _(X: BlockRows, labels: Labels, n_clusters: int) -> Array:
    sizes = np.bincount(labels, minlength=n_clusters)
    return X.offset + X.data.sums(labels, n_clusters) @ X.coef / sizes[:, None]


@nearest_with_distance.register
def _(X: BlockRows, centers: Array) -> tuple[Labels, Array]:
    bare = replace(X, data=Bare(X.mean))  # a worker needs the map, and not the other blocks
    parts = X.data.computed(partial(block_pass, rows=bare, centers=centers))
    labels, distance = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    X.data.remember(labels, sum(part[2] for part in parts))
    return labels, distance


@dataclass(frozen=True)
class Bare:
    """What of the data a map needs."""

    mean: Array


@mean_and_scatter.register
def _(X: BlockRows) -> tuple[Array, float]:
    return X.offset, float(np.trace(X.scatter()))


@scatter_about.register
def _(X: BlockRows, centers: Array, labels: Labels) -> float:
    sizes = np.bincount(labels, minlength=len(centers))
    means = cluster_means(X, labels, len(centers)) - X.offset
    gaps = centers - X.offset - means
    within = np.trace(X.scatter()) - np.sum(sizes[:, None] * means**2)
    return float(max(within, 0.0) + np.sum(sizes[:, None] * gaps**2))


def nearest_of(X: Any, centers: Array) -> Any:
    """`nearest_center` of the rows of an array; of a dask array another one, to be computed."""
    if not is_blocks(X):
        return nearest_center(X, centers)
    return X.map_blocks(nearest_center, centers, drop_axis=1, dtype=np.intp)


def check_starts_from_some(n_landmarks: Any, name: str) -> None:
    """Refuse to compare starts on all rows of a dask array."""
    if n_landmarks is None:
        raise ValueError(
            "n_landmarks=None compares the starts on all rows, and those of a dask array are never "
            f"in memory together: give a number or 'auto', or {name} as an array of labels"
        )
