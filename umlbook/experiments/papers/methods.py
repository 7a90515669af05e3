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
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.manifold import SpectralEmbedding
from sklearn.mixture import GaussianMixture

from umlbook.algebra import Array, Labels
from umlbook.aml import AML
from umlbook.constraints import IntArray
from umlbook.coordinates import BentCoordinates
from umlbook.cpcm import CPCM
from umlbook.cpd import CPDUML
from umlbook.daem import ProbabilisticMetric
from umlbook.experiments.papers import pairs as learning
from umlbook.kernels import median_width
from umlbook.latent import LatentClassPairs
from umlbook.naml import NAML
from umlbook.pairs import BentMetric
from umlbook.rivals import (
    ERCA,
    ITML,
    LLMA,
    MMC,
    RCA,
    Baghshah,
    KernelBeta,
    TraceRatio,
    YangJin,
)
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


def nearest_rows(X: Array, near: int) -> IntArray:
    """The nearest other rows of each row; of rows that are equally far, the first ones.

    Distances that differ by less than 1e-9 of the largest count as equal: in tables of small
    integers many do, and rounding would choose among them.

    >>> nearest_rows(np.array([[0.0], [1.0], [-1.0], [5.0]]), 1).ravel()
    array([1, 0, 0, 1])
    """
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1)
    apart = np.diff(np.take_along_axis(D, order, axis=1), axis=1, prepend=0.0)
    level = np.empty_like(order)
    np.put_along_axis(level, order, np.cumsum(apart > 1e-9 * np.ptp(X), axis=1), axis=1)
    return np.argsort(level, axis=1, kind="stable")[:, : min(near, len(X) - 1)]


def lle_costs(X: Array, near: int, reg: float = 1e-3) -> Array:
    """The matrix M of the cost tr(Y'MY) of an embedding Y, locally linear: (I - W)'(I - W).

    Row i of W has the weights of the nearest rows whose weighted mean is nearest to row i, with a
    share ``reg`` of the trace on the diagonal, as in scikit-learn.
    """
    found = nearest_rows(X, near)
    Z = X[found] - X[:, None]
    G = Z @ Z.transpose(0, 2, 1)
    size = np.trace(G, axis1=1, axis2=2)
    size[size <= 1e-18 * size.max()] = 1.0  # all its nearest rows are equal to it, but for rounding
    G += reg * size[:, None, None] * np.eye(found.shape[1])
    weights = np.linalg.solve(G, np.ones((*found.shape, 1)))[:, :, 0]
    residual = np.eye(len(X))
    np.put_along_axis(residual, found, -weights / weights.sum(axis=1, keepdims=True), axis=1)
    return np.asarray(residual.T @ residual)


def lle(X: Array, n_components: int, near: int) -> Array:
    """Locally linear embedding; more components where the last of them would be arbitrary.

    The constant vector costs nothing and says nothing. Taking the first eigenvector for it, as
    is usual, is wrong when others cost nothing too (neighbours fall into closed groups): the
    solver returns any basis of them. So the constant is made expensive before, and of vectors
    that cost the same none is left out.
    """
    M = lle_costs(X, near)
    costs, vectors = np.linalg.eigh(M + np.trace(M) / len(M))
    last = costs[n_components - 1] + 1e-12 * costs[-1]
    return np.asarray(vectors[:, : np.searchsorted(costs, last, side="right")])


def after_lle(X: Array, k: int, seed: int, pairs: PairArguments, near: int) -> Labels:
    """K-means after locally linear embedding into K dimensions."""
    return kmeans(lle(X, min(k, X.shape[1]), near), k, seed, pairs)


def after_eigenmaps(X: Array, k: int, seed: int, pairs: PairArguments, width: float) -> Labels:
    """K-means after Laplacian eigenmaps into K dimensions."""
    gamma = 0.5 / (width * median_width(X)) ** 2
    maps = SpectralEmbedding(k, affinity="rbf", gamma=gamma, random_state=0)
    return kmeans(maps.fit_transform(X), k, seed, pairs)


def spectral(X: Array, k: int, seed: int, pairs: PairArguments, near: int) -> Labels:
    """Spectral clustering of the graph of nearest neighbours, each row among its own."""
    graph = np.eye(len(X))
    np.put_along_axis(graph, nearest_rows(X, near - 1), 1.0, axis=1)
    model = SpectralClustering(k, affinity="precomputed", random_state=seed)
    return np.asarray(model.fit_predict((graph + graph.T) / 2))


def mixture(X: Array, k: int, seed: int, pairs: PairArguments, shape: str) -> Labels:
    """Gaussian mixture, the covariances kept away from singular."""
    model = GaussianMixture(k, covariance_type=shape, reg_covar=1e-2, n_init=5, random_state=seed)
    return np.asarray(model.fit_predict(X))


def after_bending(X: Array, k: int, seed: int, pairs: PairArguments) -> Labels:
    """K-means in the coordinates of a kernel and of the graph of nearest neighbours."""
    return kmeans(BentCoordinates().fit_transform(X), k, seed, pairs)


def itml_after_bending(X: Array, k: int, seed: int, pairs: PairArguments, **setting: Any) -> Labels:
    """K-means in the metric that ITML learns in these coordinates."""
    return in_space_of(ITML)(BentCoordinates().fit_transform(X), k, seed, pairs, **setting)


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


def constrained_em(X: Array, k: int, seed: int, pairs: PairArguments) -> Labels:
    """Chapter 11's EM whose E-step hears the partners of a row; its start does not use the seed."""
    return learning.constrained_em(X, k, (pairs["must_link"], pairs["cannot_link"]))


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
    "bent k-means": Method(after_bending),
    "SpectralKMeans": Method(fitted(SpectralKMeans), book=True),
    "CPCM": Method(
        fitted(CPCM), _settings("predictor", "least-squares", "stepwise", "lda-within"), book=True
    ),
    "CPCM kernel ridge": Method(
        fitted(CPCM), ({"predictor": "kernel-ridge"},), book=True
    ),
    "AML": Method(fitted(AML), _settings("lam", 1e-2, 1.0, 1e2), book=True),
    "NAML": Method(
        fitted(NAML), ({"lam": 1e-2, "max_iter": 20}, {"lam": 1.0, "max_iter": 20}), book=True
    ),
    "CPD-UML": Method(fitted(CPDUML), WIDTHS, book=True),
    "PM": Method(
        fitted(partial(ProbabilisticMetric, eta="paper")), ({}, {"n_temperatures": 0}),
        pairs=True, book=True
    ),
    "RCA": Method(in_space_of(RCA), _settings("shrinkage", 0.05, 0.5), pairs=True),
    "ITML": Method(
        in_space_of(ITML), ({"max_iter": 100, "tol": 1e-6},), pairs=True
    ),
    "bent ITML": Method(
        itml_after_bending, ({"max_iter": 100, "tol": 1e-6},), pairs=True
    ),
    "latent classes": Method(fitted(LatentClassPairs), pairs=True, book=True),
    "bent metric": Method(fitted(BentMetric), pairs=True, book=True),
    "constrained EM": Method(constrained_em, pairs=True),
    "Xiang": Method(in_space_of(TraceRatio), ({}, {"n_components": 2}), pairs=True),
    "ERCA": Method(in_space_of(ERCA), _settings("shrinkage", 0.05, 0.5), pairs=True),
    "MMC": Method(in_space_of(MMC), _settings("diagonal", False, True), pairs=True),
    "Yang and Jin": Method(in_space_of(YangJin), pairs=True),
    "LLMA": Method(in_space_of(LLMA), pairs=True),
    "Kernel-beta": Method(
        in_space_of(KernelBeta), ({}, {"centered": True, "n_components": 10}), pairs=True
    ),
    "Baghshah": Method(in_space_of(Baghshah), ({}, {"n_components": 2}), pairs=True),
}  # fmt: skip
