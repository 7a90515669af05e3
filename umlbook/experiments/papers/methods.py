"""Every method of the book and its baselines as one kind of function: data in, labels out.

Each has a short list of settings. The first is its default, which needs no labels to choose; the
others are what someone would try next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding, SpectralEmbedding
from sklearn.mixture import GaussianMixture

from umlbook.algebra import Array, Labels
from umlbook.aml import AML
from umlbook.constraints import IntArray
from umlbook.cpcm import CPCM
from umlbook.cpd import CPDUML
from umlbook.daem import ProbabilisticMetric
from umlbook.kernels import median_width
from umlbook.latent import LatentClassPairs
from umlbook.naml import NAML
from umlbook.rivals import ITML, RCA
from umlbook.spectral import KernelKMeans, SpectralKMeans

PairArguments = dict[str, IntArray]
"""Pairs as arguments of ``fit``: ``must_link`` and ``cannot_link``, or none."""

Setting = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """A way to cluster.

    Parameters
    ----------
    labels
        From the data, the number of clusters, a seed, the pairs and a setting to labels.
    settings
        The default, then others.
    pairs
        Whether it uses pairs.
    book
        Whether a chapter of the book is about it.
    """

    labels: Callable[..., Any]
    settings: tuple[Setting, ...] = ({},)
    pairs: bool = False
    book: bool = False


def kmeans(X: Array, k: int, seed: int, pairs: PairArguments) -> Labels:
    """The best of ten runs of k-means."""
    return np.asarray(KMeans(k, n_init=10, random_state=seed).fit_predict(X))


def after_pca(X: Array, k: int, seed: int, pairs: PairArguments, share: float) -> Labels:
    """K-means on the principal components that hold a share of the variance."""
    return kmeans(PCA(share, svd_solver="full").fit_transform(X), k, seed, pairs)


def after_lle(X: Array, k: int, seed: int, pairs: PairArguments, near: int) -> Labels:
    """K-means after locally linear embedding into K dimensions."""
    lle = LocallyLinearEmbedding(
        n_neighbors=min(near, len(X) - 1), n_components=min(k, X.shape[1]), eigen_solver="dense"
    )
    return kmeans(lle.fit_transform(X), k, seed, pairs)


def after_eigenmaps(X: Array, k: int, seed: int, pairs: PairArguments, width: float) -> Labels:
    """K-means after Laplacian eigenmaps into K dimensions."""
    gamma = 0.5 / (width * median_width(X)) ** 2
    maps = SpectralEmbedding(k, affinity="rbf", gamma=gamma, random_state=0)
    return kmeans(maps.fit_transform(X), k, seed, pairs)


def spectral(X: Array, k: int, seed: int, pairs: PairArguments, near: int) -> Labels:
    """Spectral clustering of the graph of nearest neighbours."""
    near = min(near, len(X) - 1)
    model = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=near, random_state=seed)
    return np.asarray(model.fit_predict(X))


def mixture(X: Array, k: int, seed: int, pairs: PairArguments, shape: str) -> Labels:
    """Gaussian mixture, the covariances kept away from singular."""
    model = GaussianMixture(k, covariance_type=shape, reg_covar=1e-2, n_init=5, random_state=seed)
    return np.asarray(model.fit_predict(X))


def fitted(estimator: Callable[..., Any]) -> Callable[..., Labels]:
    """An estimator of the book with its defaults but for the setting.

    A width that is given as a number counts median distances.
    """

    def labels(X: Array, k: int, seed: int, pairs: PairArguments, **setting: Any) -> Labels:
        if isinstance(setting.get("sigma"), float):
            setting["sigma"] *= median_width(X)
        model = estimator(k, random_state=seed, **setting)
        return np.asarray(model.fit(X, **pairs).labels_)

    return labels


def in_space_of(estimator: Callable[..., Any]) -> Callable[..., Labels]:
    """K-means in the space that a rival learns from pairs."""

    def labels(X: Array, k: int, seed: int, pairs: PairArguments, **setting: Any) -> Labels:
        return kmeans(estimator(**setting).fit(X, **pairs).transform(X), k, seed, pairs)

    return labels


def _settings(name: str, *values: Any) -> tuple[Setting, ...]:
    return tuple({name: value} for value in values)


WIDTHS = _settings("sigma", "median", 0.5, 2.0)
METHODS: Mapping[str, Method] = {
    "k-means": Method(kmeans),
    "PCA": Method(after_pca, _settings("share", 0.95, 0.8, 0.6)),
    "LLE": Method(after_lle, _settings("near", 12, 6, 24)),
    "Laplacian eigenmaps": Method(after_eigenmaps, _settings("width", 1.0, 0.5, 0.25)),
    "spectral clustering": Method(spectral, _settings("near", 10, 5, 20)),
    "Gaussian mixture": Method(mixture, _settings("shape", "full", "diag", "tied")),
    "kernel k-means": Method(fitted(KernelKMeans), WIDTHS),
    "SpectralKMeans": Method(fitted(SpectralKMeans), book=True),
    "CPCM": Method(
        fitted(CPCM), _settings("predictor", "least-squares", "stepwise", "lda-within"), book=True
    ),
    "CPCM kernel ridge": Method(
        fitted(CPCM), ({"predictor": "kernel-ridge"},), book=True
    ),
    "AML": Method(fitted(AML), _settings("lam", 1e-2, 1.0, 1e2), book=True),
    "NAML": Method(  # from the starts that its paper names; the stored tables were made so
        fitted(partial(NAML, mixed_start=False)),
        ({"lam": 1e-2, "max_iter": 20}, {"lam": 1.0, "max_iter": 20}),
        book=True,
    ),
    "CPD-UML": Method(fitted(CPDUML), WIDTHS, book=True),
    "PM": Method(
        fitted(ProbabilisticMetric), ({}, {"n_temperatures": 0}), pairs=True, book=True
    ),
    "RCA": Method(in_space_of(RCA), _settings("shrinkage", 0.05, 0.5), pairs=True),
    "ITML": Method(
        in_space_of(ITML), ({"max_iter": 100, "tol": 1e-6},), pairs=True
    ),
    "latent classes": Method(fitted(LatentClassPairs), pairs=True, book=True),
}  # fmt: skip
