"""What sets clusters apart, column by column, and how sure each row is of its cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from umlbook.algebra import one_hot
from umlbook.book.page.tables import Table, table

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

MOST_COLUMNS = 8
"""Columns that a table or a picture of differences shows."""


@dataclass(frozen=True)
class Refit:
    """A fit to a part of the rows, and the cluster of the whole fit that each of its own is."""

    model: Any
    names: Labels

    def labels(self, X: Floats) -> Labels:
        """Return the clusters of rows, numbered as in the fit to all rows."""
        return self.names[np.asarray(self.model.predict(X))]


def renamed(labels: Labels, others: Labels, n_clusters: int) -> Labels:
    """Return for each cluster of `others` the cluster of `labels` with which it has most in common.

    Each is taken once: the sum of the rows in common is as large as possible.

    Examples
    --------
    >>> renamed(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 1]), 3)
    array([1, 2, 0])
    """
    common = one_hot(others, n_clusters).T @ one_hot(labels, n_clusters)
    return np.asarray(linear_sum_assignment(-common)[1])


def sureness(refits: Sequence[Refit], X: Floats, labels: Labels) -> Floats:
    """Return for each row the share of the refits that put it into its cluster; NaN without refits.

    It is no probability that the cluster is right: fits can agree on clusters that mean nothing.
    """
    if not refits:
        return np.full(len(X), np.nan)
    return np.asarray(np.mean([refit.labels(X) == labels for refit in refits], axis=0))


def sure_sentence(
    sure: Floats, rows: NDArray[np.int64], refit_rows: int, refits: Sequence[Refit]
) -> str:
    """Return how many rows stay in their cluster when a part of the rows is left out."""
    if not refits:
        return "How sure each row is was not measured: a part of the rows is too small to fit."
    firm = int(np.sum(sure == 1))
    worst = f"row {rows[int(np.argmin(sure))]}, in {sure.min():.0%} of them"
    unsure = f"; the least sure is {worst}" if firm < len(sure) else ""
    return (
        f"{firm} of {len(sure)} rows keep their cluster in all {len(refits)} fits to "
        f"{refit_rows} of the rows{unsure}."
    )


@dataclass(frozen=True)
class Effects:
    """How far apart clusters are in each column.

    Attributes
    ----------
    names : tuple of str
        The columns, the one that sets them apart most first.
    between : ndarray of shape (d,)
        Share of the variance of each that lies between the clusters (eta squared): 0 if all
        clusters have the same mean, 1 if all rows of a cluster are equal.
    means : ndarray of shape (K, d)
        Mean of each cluster in the units of the file.
    heights : ndarray of shape (K, d)
        How far these are above the mean of all rows, in standard deviations of the column.
    """

    names: tuple[str, ...]
    between: Floats
    means: Floats
    heights: Floats

    def table(self) -> Table:
        """Return the columns that set the clusters apart most, with the means of the clusters."""
        few = slice(MOST_COLUMNS)
        # Means of short decimals are often ties of rounding: all are moved the same way.
        means = {
            f"cluster {c}": [f"{mean * (1 + 1e-9):.4g} ({height + 1e-9:+.1f})" for mean, height in
                             zip(self.means[c, few], self.heights[c, few], strict=True)]
            for c in range(len(self.means))
        }  # fmt: skip
        shares = [f"{share:.0%}" for share in self.between[few]]
        caption = (
            "Mean in each cluster, and in brackets how many standard deviations above all rows"
        )
        return table({"column": list(self.names[few]), "between": shares, **means}, caption=caption)

    @property
    def sentence(self) -> str:
        """What sets the clusters apart, in words."""
        first = ", ".join(
            f"{name} ({share:.0%})"
            for name, share in zip(self.names[:3], self.between[:3], strict=False)
        )
        return (
            f"Set apart most by {first}: so much of the variance of each lies between the "
            "clusters. The clusters were made from these columns, so they differ in some of them "
            "even if they are parts of one cloud."
        )


def effects(values: Floats, labels: Labels, n_clusters: int, names: Sequence[str]) -> Effects:
    """Return how far apart clusters are in each column of `values`, in the units of the file."""
    S = one_hot(labels, n_clusters)
    sizes = S.sum(axis=0)
    means = np.where(sizes[:, None] > 0, S.T @ values / np.maximum(sizes, 1)[:, None], np.nan)
    heights = (means - values.mean(axis=0)) / values.std(axis=0)
    between = sizes @ np.nan_to_num(heights) ** 2 / len(values)
    order = np.argsort(-np.round(between, 6), kind="stable")
    named = tuple(names[int(j)] for j in order)
    return Effects(named, between[order], means[:, order], heights[:, order])
