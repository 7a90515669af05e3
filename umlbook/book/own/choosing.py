"""How many clusters, and whether any: the gap and the agreement of refits, for several K.

Both are computed with plain k-means in the scaled columns, whatever the method, on a part of the
rows, so that they cost little. The gap (Tibshirani, Walther and Hastie, 2001) compares the
objective W of k-means with that in tables without clusters; theirs are filled evenly, ours are
those of `clouds`, and W is divided by that of one cluster, so that the gap of one cluster is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from umlbook.book.own.clouds import clouds
from umlbook.book.own.methods import UNCHECKED
from umlbook.book.page.tables import Table, table

Floats = NDArray[np.float64]

ROWS = 300
"""Rows that are used."""
MOST = 6
"""The largest K that is tried, unless the reader asks for more."""
CLOUDS = 4
"""Clouds of each kind."""
REFITS = 3
CLEARLY = 2
"""Errors by which a gap must rise; with one, as usual, one cloud often gets a second cluster."""


@dataclass(frozen=True)
class Choice:
    """What several numbers of clusters look like.

    Attributes
    ----------
    ks : tuple of int
        1, 2, 3, ...
    gaps : tuple of float
        Mean of log W in clouds, minus log W in the table, for each K, where W is the objective
        divided by that of one cluster; 0 for one cluster.
    errors : tuple of float
        What the clouds differ by: their standard deviation, times sqrt(1 + 1 / clouds).
    agreements : tuple of float
        Mean adjusted Rand index of k-means on all the rows with k-means on four fifths of them;
        NaN for one cluster.
    """

    ks: tuple[int, ...]
    gaps: tuple[float, ...]
    errors: tuple[float, ...]
    agreements: tuple[float, ...]

    @property
    def by_gap(self) -> int | None:
        """The smallest K whose gap is not clearly below the next one; None if there is none.

        None too if the table was too small to be compared.
        """
        for i in range(len(self.ks) - 1):
            if self.gaps[i] >= self.gaps[i + 1] - CLEARLY * self.errors[i + 1]:
                return self.ks[i]
        return None

    @property
    def later(self) -> int | None:
        """The smallest K of three or more whose gap is clearly above zero; None if there is none.

        `by_gap` looks one K ahead, and two clusters can gain little where three gain much.
        """
        seen = zip(self.ks[2:], self.gaps[2:], self.errors[2:], strict=True)
        return next((K for K, gap, error in seen if gap > CLEARLY * error), None)

    @property
    def by_agreement(self) -> int:
        """The K of two or more whose refits agree best, to two digits; the smallest of these."""
        rounded = np.round(self.agreements[1:], 2)
        return self.ks[1 + int(np.argmax(rounded))]

    @property
    def sentence(self) -> str:
        """What they suggest, in words that claim no more."""
        if len(self.ks) < 2:
            return "Several K were not compared: the table has a single column, or too few rows."
        if self.by_gap is None:
            gap = f"The gap still grows at K = {self.ks[-1]}: it names no number of clusters."
        elif self.by_gap == 1 and self.later:
            gap = (
                "The gap does not clearly rise from one cluster to two, but it is clearly above "
                f"zero at K = {self.later}."
            )
        elif self.by_gap == 1:
            gap = (
                f"The gap names one cluster: no K up to {self.ks[-1]} gains clearly more than in "
                "one cloud."
            )
        else:
            gap = f"The gap names K = {self.by_gap}."
        best = max(np.round(self.agreements[1:], 2))
        return (
            f"{gap} Refits agree best at K = {self.by_agreement} ({best:.2f}). These are hints "
            "from plain k-means, and neither shows that there are clusters: a cloud with long "
            "tails can have a gap too, and a single cloud can be cut the same way again and again."
        )

    def table(self) -> Table:
        """Return the numbers."""
        return table(
            {
                "K": list(self.ks),
                "gap": [f"{gap + 0.0:.2f}" for gap in self.gaps],
                "error": [f"{error + 0.0:.2f}" for error in self.errors],
                "refits agree": ["-" if np.isnan(a) else f"{a:.2f}" for a in self.agreements],
            }
        )


@config_context(**UNCHECKED)
def choice(X: Floats, n_clusters: int, seed: int = 0, refits: int = REFITS) -> Choice:
    """Return gap and agreement for K from 1 to 6, or to one more than `n_clusters`.

    Without refits the agreements are NaN.
    """
    rng = np.random.default_rng(seed)
    if len(X) > ROWS:
        X = X[np.sort(rng.choice(len(X), ROWS, replace=False))]
    most = min(max(MOST, n_clusters + 1), len(np.unique(X, axis=0)) - 1, int(0.8 * len(X)) - 1)
    if X.shape[1] < 2 or most < 2:
        return Choice((1,), (0.0,), (0.0,), (float("nan"),))
    ks = tuple(range(1, most + 1))
    nulls = np.array([_log_objectives(Y, ks) for Y in clouds(X, rng, CLOUDS)])
    errors = nulls.std(axis=0) * np.sqrt(1 + 1 / len(nulls))
    gaps = nulls.mean(axis=0) - _log_objectives(X, ks)
    parts = [rng.choice(len(X), int(0.8 * len(X)), replace=False) for _ in range(refits)]
    agree = (float("nan"), *(_agreement(X, K, parts) for K in ks[1:]))
    return Choice(ks, tuple(gaps.tolist()), tuple(errors.tolist()), agree)


def remembered_choice(X: Floats, n_clusters: int, seed: int) -> Choice:
    """Return `choice`, computed once for a table: several methods are often tried on one."""
    return _choice_of(np.asarray(X, dtype=float).tobytes(), X.shape, n_clusters, seed)


@lru_cache(maxsize=8)
def _choice_of(values: bytes, shape: tuple[int, int], n_clusters: int, seed: int) -> Choice:
    return choice(np.frombuffer(values).reshape(shape), n_clusters, seed)


def _log_objectives(X: Floats, ks: tuple[int, ...]) -> Floats:
    """The logarithm of the objective of k-means for each K, divided by that of one cluster."""
    total = np.sum((X - X.mean(axis=0)) ** 2)
    fits = [KMeans(K, n_init=2, random_state=0).fit(X).inertia_ if K > 1 else total for K in ks]
    return np.asarray(np.log(np.maximum(np.array(fits) / total, np.finfo(float).tiny)))


def _agreement(X: Floats, K: int, parts: list[NDArray[np.intp]]) -> float:
    if not parts:
        return float("nan")
    whole = KMeans(K, n_init=5, random_state=0).fit_predict(X)
    fits = (KMeans(K, n_init=2, random_state=1).fit_predict(X[part]) for part in parts)
    return float(
        np.mean([adjusted_rand_score(whole[p], f) for p, f in zip(parts, fits, strict=True)])
    )
