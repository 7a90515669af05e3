"""How far a clustering can be trusted: measured, not felt.

Four questions: are there clusters of a decent size, do other starts and other parts of the data
give the same ones, are they those of plain k-means, and are they sharper than what the same method
finds in one cloud, in which there are none (`clouds`)?
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from umlbook.book.own.clouds import clouds
from umlbook.book.own.explaining import Refit, renamed
from umlbook.book.own.methods import UNCHECKED, Method, feature_weights, learned_space

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

STARTS = 10
REFITS = 5
CLOUDS = 9
"""Clouds of each of two kinds."""
SILHOUETTE_ROWS = 2000


@dataclass(frozen=True)
class Diagnostics:
    """What was measured about a clustering.

    Attributes
    ----------
    sizes : tuple of int
        Rows in each cluster.
    silhouette : float
        Of the clusters among the scaled columns; NaN with a single cluster.
    learned_silhouette : float
        The same where the method sees the points.
    starts_agree : float or None
        Mean adjusted Rand index between the ends of different starts; None if there is one start.
    refits_agree : float or None
        Mean adjusted Rand index with fits to random parts, at most four fifths, of the rows.
    kmeans_agrees : float
        Adjusted Rand index with plain k-means on the same columns.
    null : tuple of float
        `learned_silhouette` of the same method on tables that are one cloud, of two kinds in turn;
        empty if none was compared with.
    null_reference : float
        `learned_silhouette` of a fit to as many rows of the table itself.
    null_rows, refit_rows : int
        How many rows each of these fits had.
    variance_shares : tuple of float
        Share of each column in the total variance, as scaled.
    weights : tuple of float or None
        Share of each column in the learned metric, if that is linear.
    notes : tuple of str
        Warnings of the method.
    """

    sizes: tuple[int, ...]
    silhouette: float
    learned_silhouette: float
    starts_agree: float | None
    refits_agree: float | None
    kmeans_agrees: float
    null: tuple[float, ...]
    null_reference: float
    null_rows: int
    refit_rows: int
    variance_shares: tuple[float, ...]
    weights: tuple[float, ...] | None
    notes: tuple[str, ...]

    @property
    def beats_null(self) -> bool | None:
        """Whether the clusters are sharper than those in every cloud; None if not compared."""
        if not self.null or np.isnan(self.null_reference):
            return None
        return self.null_reference > max(self.null)


def fitted(method: Method, X: Floats, n_clusters: int, seed: int) -> tuple[Any, tuple[str, ...]]:
    """Return the fitted estimator and what it warned of, each sentence once."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = method.make(n_clusters, seed).fit(X)
    return model, tuple(dict.fromkeys(str(warning.message) for warning in heard))


def sharpness(points: Floats, labels: Labels) -> float:
    """Return the silhouette of labelled points, of a fixed part if they are many; else NaN."""
    if not 1 < len(set(labels.tolist())) < len(points):
        return float("nan")
    few = SILHOUETTE_ROWS if len(points) > SILHOUETTE_ROWS else None
    return float(silhouette_score(points, labels, sample_size=few, random_state=0))


def seen_sharpness(model: Any, X: Floats) -> float:
    """Return the silhouette of the clusters where the method sees the points."""
    space = learned_space(model, X)
    return sharpness(X if space is None else space, np.asarray(model.labels_))


def starts_agreement(model: Any, X: Floats, n_clusters: int) -> float | None:
    """Return the mean adjusted Rand index between the ends of different starts."""
    if isinstance(model, KMeans):
        ends = [KMeans(n_clusters, n_init=1, random_state=s).fit_predict(X) for s in range(STARTS)]
    else:
        ends = [restart.labels for restart in model.restarts_]
    if len(ends) < 2:
        return None
    return mean_agreement(ends)


def mean_agreement(clusterings: Sequence[Labels]) -> float:
    """Return the mean adjusted Rand index of every two clusterings of the same rows.

    One product of matrices has the counts of all of them; to compare three hundred pairs of
    clusterings one by one would take longer than to find them.
    """
    n_rows, n_clusters = len(clusterings[0]), 1 + max(int(labels.max()) for labels in clusterings)
    members = np.hstack([np.eye(n_clusters)[labels] for labels in clusterings])
    shape = (len(clusterings), n_clusters) * 2
    counts = (members.T @ members).reshape(shape)
    both = np.sum(counts * (counts - 1), axis=(1, 3))  # pairs of rows that both put together, twice
    own = np.diag(both)
    expected, most = np.outer(own, own) / (n_rows * (n_rows - 1)), (own[:, None] + own) / 2
    index = np.ones_like(both)
    np.divide(both - expected, most - expected, out=index, where=most > expected)
    return float(np.mean(index[np.triu_indices(len(clusterings), 1)]))


def part_size(method: Method, n_rows: int) -> int:
    """Return how many rows a fit to a part of them has."""
    return min(int(0.8 * n_rows), method.refit_rows)


def refits(
    method: Method, X: Floats, labels: Labels, n_clusters: int, rng: np.random.Generator
) -> tuple[tuple[Refit, ...], float | None]:
    """Return fits to a part of the rows, and the mean adjusted Rand index of `labels` with them.

    None, and no fits, if the part is too small for the method.
    """
    size = part_size(method, len(X))
    if size <= n_clusters:
        return (), None
    made, found = [], []
    for seed in range(REFITS):
        part = rng.choice(len(X), size, replace=False)
        try:
            model, _ = fitted(method, X[part], n_clusters, seed)
        except ValueError:
            return (), None
        found.append(adjusted_rand_score(labels[part], model.labels_))
        made.append(Refit(model, renamed(labels[part], np.asarray(model.labels_), n_clusters)))
    return tuple(made), float(np.mean(found))


def null_sharpness(
    method: Method, X: Floats, n_clusters: int, seed: int, rng: np.random.Generator
) -> tuple[float, tuple[float, ...]]:
    """Return the sharpness of a part of the rows, and of as many rows of clouds like it.

    A single column is its own cloud, and few rows may be too few for the method: then there is
    no comparison.
    """
    part = np.sort(rng.choice(len(X), min(len(X), method.refit_rows), replace=False))
    if X.shape[1] < 2 or len(part) <= n_clusters:
        return float("nan"), ()
    tables = [X[part], *clouds(X[part], rng, CLOUDS)]
    try:
        models = [fitted(method, table, n_clusters, seed)[0] for table in tables]
    except ValueError:
        return float("nan"), ()
    seen = [seen_sharpness(model, table) for model, table in zip(models, tables, strict=True)]
    return seen[0], tuple(seen[1:])


@config_context(**UNCHECKED)
def diagnose(
    method: Method, model: Any, X: Floats, n_clusters: int, seed: int, notes: tuple[str, ...] = ()
) -> tuple[Diagnostics, tuple[Refit, ...]]:
    """Return all that is measured about a fitted model, and the fits to parts of the rows."""
    rng = np.random.default_rng(seed)
    labels = np.asarray(model.labels_)
    plain = KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)
    reference, null = null_sharpness(method, X, n_clusters, seed, rng)
    again, agreement = refits(method, X, labels, n_clusters, rng)
    weights = feature_weights(model, X)
    spread = X.var(axis=0)
    found = Diagnostics(
        sizes=tuple(np.bincount(labels, minlength=n_clusters).tolist()),
        silhouette=sharpness(X, labels),
        learned_silhouette=seen_sharpness(model, X),
        starts_agree=starts_agreement(model, X, n_clusters),
        refits_agree=agreement,
        kmeans_agrees=float(adjusted_rand_score(plain, labels)),
        null=null,
        null_reference=reference,
        null_rows=min(len(X), method.refit_rows),
        refit_rows=part_size(method, len(X)),
        variance_shares=tuple((spread / spread.sum()).tolist()),
        weights=None if weights is None else tuple(weights.tolist()),
        notes=notes,
    )
    return found, again
