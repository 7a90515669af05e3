"""Least squares on rows that are read block by block: CPCM on a dask array.

Q of `umlbook.cpcm.predictors` is (X - mean) B, and only B is found, from X'X. That squares the
condition of X: directions of less than about a millionth of the largest, in columns scaled to one,
count as dependent here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from umlbook._blocks import BlockData, BlockRows
from umlbook.algebra import Array, Labels
from umlbook.cpcm.predictors import EPS, AffineMap, Predictor, directions_of


@dataclass(frozen=True, eq=False)
class BlockFit:
    """Predictions offset + (x - mean) coef of the rows of all blocks."""

    values: Any

    def map(self) -> AffineMap:
        return AffineMap(self.values.mean, self.values.coef, self.values.offset)


@dataclass(frozen=True, eq=False)
class BlockBasis:
    """B (p x r): the columns of (X - mean) B are orthonormal and span those of X - mean."""

    data: BlockData
    B: Array

    def products(self, labels: Labels, n_clusters: int) -> Array:
        """Q'Z, r x K."""
        return (self.data.sums(labels, n_clusters) @ self.B).T

    def fit(self, labels: Labels, n_clusters: int) -> BlockFit:
        """Regression of the memberships on X with an intercept."""
        offset = np.bincount(labels, minlength=n_clusters) / len(labels)
        return BlockFit(BlockRows(self.data, self.B @ self.products(labels, n_clusters), offset))

    def predictor(self, n_clusters: int) -> Predictor:
        """The predictor of labels."""
        return lambda labels: self.fit(labels, n_clusters)

    def correlations(self, labels: Labels, n_clusters: int) -> Array:
        """The squared canonical correlations of X and the labels, descending."""
        sizes = np.bincount(labels, minlength=n_clusters).astype(float)
        return directions_of(self.products(labels, n_clusters), sizes)[1]


def block_basis(data: BlockData) -> BlockBasis:
    """The basis from the scatter of columns that are scaled to norm one."""
    n, p = len(data), len(data.mean)
    norms = np.sqrt(np.diagonal(data.scatter))
    rounding = EPS * np.sqrt(n) * np.abs(data.mean)
    scale = np.where(norms > 10 * rounding, norms, np.inf)
    values, V = eigh(data.scatter / scale / scale[:, None])
    kept = np.flatnonzero(values > 10 * max(10, p) * EPS)[::-1]
    return BlockBasis(data, V[:, kept] / np.sqrt(values[kept]) / scale[:, None])
