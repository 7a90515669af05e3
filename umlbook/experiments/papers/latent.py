"""Latent-class pairs beside its rivals: pairs, parts left out, wrong pairs, unseen samples.

``umlbook reproduce latent-pairs`` computes it again; the stored copy is
``results/latent_scores.csv``, from which chapter 13 reads. The score is the adjusted Rand index
(ARI), of all samples and, as ``free``, of those that are in no pair: 10 sets of pairs each, k-means
from 10 starts where a method leaves the clustering to it, data standardised.

All settings are the estimators' defaults, except for the rounds of ITML and the starts of the plain
features. Two controls take the method apart: ITML in the coordinates of the latent classes, and
these on plain features; as part ``controls`` also PM, which has one weight for each coordinate, in
these coordinates, and the plain features without the information term. A share of wrong pairs means
that so many of each kind were said to be of the other kind; they are drawn so that no cannot-link
joins samples that must-links join, which every method here would refuse.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any, cast

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler, scale

from umlbook.algebra import Array, Labels
from umlbook.constraints import IntArray, check_constraints, sample
from umlbook.daem import ProbabilisticMetric
from umlbook.datasets import load
from umlbook.experiments.engine import storage
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.kernels import median_width
from umlbook.latent import LatentClassPairs, coordinates
from umlbook.latent.estimator import PlacedProblem
from umlbook.rivals import ITML
from umlbook.scores import adjusted_rand_index
from umlbook.spectral import KernelKMeans

DATASETS = ("balance_scale", "breast_cancer", "vehicle", "ecoli", "glass", "dermatology")
N_SETS = 10
N_PAIRS = (10, 20, 40)
N_WRONG = (0, 1, 2, 4)  # of 20 pairs of each kind: 0, 5, 10, 20 %
OURS, PLAIN = "latent classes", "latent classes, plain features"
CALLED: Mapping[str, str] = {  # the longer names first
    PLAIN: "classes on features",
    OURS: "classes in coordinates",
    "ITML, same coordinates": "ITML in coordinates",
    "ITML": "ITML on features",
    "PM, same coordinates": "PM in coordinates",
}
"""What chapter 13 calls the methods whose parts it compares: see `called`."""

PairArrays = tuple[IntArray, IntArray]
"""The pairs that must link and those that cannot."""

Clusters = Callable[[Array, int, PairArrays], Labels]
"""Labels of the samples from the data, the number of clusters and the pairs."""


# ------------------------------------------------------------------------------ the methods


def kmeans(X: Array, n_clusters: int) -> KMeans:
    """K-means from ten starts."""
    return KMeans(n_clusters, n_init=10, random_state=0).fit(X)


def kernel_kmeans(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """Kernel k-means with the kernel of the first block of coordinates."""
    model = KernelKMeans(n_clusters, sigma=median_width(X) / 2, n_init=10, random_state=0)
    return model.fit(X).labels_


def labelled_only(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """PM without its unlabelled pairs, which do not help it (chapter 7)."""
    model = ProbabilisticMetric(n_clusters, eta="paper", n_temperatures=0, random_state=0)
    return model.fit(X, **named(pairs)).labels_


def itml(X: Array, pairs: PairArrays) -> ITML:
    """ITML after at most 100 rounds."""
    return ITML(max_iter=100, tol=1e-6).fit(X, **named(pairs))


def itml_labels(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """K-means in the learned space of ITML."""
    return np.asarray(kmeans(itml(X, pairs).transform(X), n_clusters).labels_)


def itml_in_coordinates(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """The same on the coordinates that the latent classes are learned on: the honest rival."""
    return itml_labels(coordinates(X)(X), n_clusters, pairs)


class GivenCoordinates(ProbabilisticMetric):
    """PM whose weights (7.17) are those of the columns of X itself, without a kernel."""

    def _basis(self, K: Array) -> Array:
        return np.eye(K.shape[1])


def pm_in_coordinates(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """PM, labelled only, on the coordinates of the latent classes: one weight for each of them."""
    model = GivenCoordinates(n_clusters, kernel=None, n_temperatures=0, random_state=0)
    return model.fit(coordinates(X)(X), **named(pairs)).labels_


class PlainClasses(LatentClassPairs):
    """Latent classes of the features, centred and brought to mean squared length one."""

    def _prepare(self, X: Any, must_link: Any = None, cannot_link: Any = None) -> PlacedProblem:
        problem = super()._prepare(X, must_link, cannot_link)
        center, size = X.mean(axis=0), np.sqrt(X.var(axis=0).sum())

        def place(rows: Array) -> Array:
            return np.asarray((rows - center) / size)

        return replace(problem, P=place(X), parts=(place(X),), place=cast(Any, place))


def latent(kind: type[LatentClassPairs] = LatentClassPairs, **params: Any) -> Clusters:
    """Latent-class pairs with its defaults except for ``params``."""

    def labels(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
        return kind(n_clusters, **params, random_state=0).fit(X, **named(pairs)).labels_

    return labels


def without_pairs(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """Latent classes by certainty and balance alone."""
    return LatentClassPairs(n_clusters, random_state=0).fit(X).labels_


def named(pairs: PairArrays) -> dict[str, IntArray]:
    """The pairs as arguments of ``fit``."""
    return dict(zip(("must_link", "cannot_link"), pairs, strict=True))


METHODS: Mapping[str, Clusters] = {
    "k-means": lambda X, n_clusters, pairs: np.asarray(kmeans(X, n_clusters).labels_),
    "kernel k-means": kernel_kmeans,
    "PM, labelled only": labelled_only,
    "ITML": itml_labels,
    "ITML, same coordinates": itml_in_coordinates,
    PLAIN: latent(PlainClasses, n_init=6),  # as many starts as the coordinates: 2 in 3 spaces
    OURS: latent(),
}
ABLATION: Mapping[str, Clusters] = {
    "no graph": latent(n_graph_components=0),
    "no kernel": latent(n_components=0),
    "lam = 0": latent(lam=0.0),
    "no balance": latent(balance=0.0),
    "no ridge": latent(ridge=0.0),
    "no pairs": without_pairs,
    "no coordinates, 2 starts": latent(PlainClasses),
}
CONTROLS: Mapping[str, Clusters] = {
    "PM, same coordinates": pm_in_coordinates,
    f"{PLAIN}, lam = 0": latent(PlainClasses, n_init=6, lam=0.0),
}
DOUBT: Mapping[str, Clusters] = {
    "latent classes, plain features, noise 0.1": latent(PlainClasses, n_init=6, noise=0.1),
    "latent classes, noise 0.1": latent(noise=0.1),
}


# -------------------------------------------------------------------------------- the cells


@cache
def data(name: str) -> tuple[Array, Labels]:
    """Raw data and classes."""
    bunch = load(name)
    return np.asarray(bunch.data, dtype=float), np.asarray(bunch.target)


def drawn_pairs(truth: Labels, n_pairs: int, n_wrong: int, seed: int) -> PairArrays:
    """Pairs of each kind, ``n_wrong`` of each said to be of the other, free of contradictions."""
    right = sample(truth, n_pairs - n_wrong, n_pairs - n_wrong, random_state=seed)
    for attempt in count():
        wrong = sample(truth, n_wrong, n_wrong, random_state=1000 * (attempt + 1) + seed)
        must, cannot = (np.concatenate(both) for both in zip(right, wrong[::-1], strict=True))
        try:
            return check_constraints(must, cannot, len(truth))
        except ValueError:  # they contradict one another: draw the wrong ones again
            continue
    raise AssertionError("unreachable")


def scored_rows(
    methods: Mapping[str, Clusters], X: Array, truth: Labels, pairs: PairArrays
) -> Iterator[Row]:
    """The scores of each method, of all samples and of those in no pair."""
    free = ~np.isin(np.arange(len(X)), np.concatenate(pairs))
    for name, clusters in methods.items():
        with warnings.catch_warnings():  # rounds that ended early, no pairs in the ablation
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", UserWarning)
            labels = clusters(X, len(np.unique(truth)), pairs)
        yield {
            "method": name,
            "ari": round(adjusted_rand_index(truth, labels), 4),
            "free": round(adjusted_rand_index(truth[free], labels[free]), 4),
        }


def seen_rows(cell: Cell) -> Iterator[Row]:
    """The methods of a part on all samples of a data set; fewer where pairs are wrong."""
    X, truth = data(cell["dataset"])
    pairs = drawn_pairs(truth, cell["pairs"], cell["wrong"], cell["set"])
    parts = {"pairs": METHODS, "ablation": ABLATION, "controls": CONTROLS, "doubt": DOUBT}
    chosen = parts[cell["part"]]
    if cell["part"] == "pairs" and cell["wrong"]:
        chosen = {name: METHODS[name] for name in ("ITML", "ITML, same coordinates", PLAIN, OURS)}
    return scored_rows(chosen, scale(X), truth, pairs)


def unseen_rows(cell: Cell) -> Iterator[Row]:
    """Fit on two thirds, which have the pairs, and label the last third.

    ``ari`` is that of the last third alone. The row "seen all along" is the same third when its
    samples were in the fit, without pairs of their own: what is lost by not having seen them.
    """
    X, truth = data(cell["dataset"])
    train, test = next(KFold(3, shuffle=True, random_state=cell["set"]).split(X))
    pairs = drawn_pairs(truth[train], cell["pairs"], 0, cell["set"])
    scaler = StandardScaler().fit(X[train])
    seen, unseen = scaler.transform(X[train]), scaler.transform(X[test])
    n_clusters = len(np.unique(truth))
    model, again = (LatentClassPairs(n_clusters, random_state=0) for _ in range(2))
    plain = PlainClasses(n_clusters, n_init=6, random_state=0)
    with warnings.catch_warnings():  # a class left empty shows in the score
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(seen, **named(pairs))
        plain.fit(seen, **named(pairs))
        again.fit(np.vstack([seen, unseen]), **named(pairs))
        places = model.embedding_, model.transform(unseen)
        labels = {
            "k-means": kmeans(seen, n_clusters).predict(unseen),
            "ITML": _after_itml(seen, unseen, n_clusters, pairs),
            "ITML, same coordinates": _after_itml(*places, n_clusters, pairs),
            PLAIN: plain.predict(unseen),
            OURS: model.predict(unseen),
            "latent classes, seen all along": again.labels_[len(seen) :],
        }
    for name, found in labels.items():
        score = round(adjusted_rand_index(truth[test], found), 4)
        yield {"method": name, "ari": score, "free": score}


def _after_itml(seen: Array, unseen: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    metric = itml(seen, pairs)
    return np.asarray(kmeans(metric.transform(seen), n_clusters).predict(metric.transform(unseen)))


PARTS: Mapping[str, Callable[[Cell], Iterator[Row]]] = {
    "pairs": seen_rows,
    "ablation": seen_rows,
    "controls": seen_rows,
    "doubt": seen_rows,
    "unseen": unseen_rows,
}


def cells(quick: bool = False) -> list[Cell]:
    """All cells, the sets of pairs in turn; quick: the first set on the two smallest tables."""
    asked = [*(("pairs", n, 0) for n in N_PAIRS), ("ablation", 20, 0), ("unseen", 20, 0)]
    asked += [("controls", 20, 0)]
    asked += [("pairs", 20, wrong) for wrong in N_WRONG if wrong]
    asked += [("doubt", 20, wrong) for wrong in N_WRONG]
    return [
        {"part": part, "dataset": name, "pairs": pairs, "wrong": wrong, "set": number}
        for number in range(1 if quick else N_SETS)
        for part, pairs, wrong in asked
        for name in (("glass", "ecoli") if quick else DATASETS)
    ]


def work(cell: Cell) -> list[Row]:
    """The rows of one cell."""
    return [{**cell, **row} for row in PARTS[cell["part"]](cell)]


# ------------------------------------------------------------------------------ the results


def stored() -> list[Row]:
    """The rows that are stored with the package."""
    return storage.stored("latent_scores")


def called(method: str) -> str:
    """The name of a method on the page: what learns, and what it learns on."""
    for stored_name, name in CALLED.items():
        if method.startswith(stored_name):
            return name + method.removeprefix(stored_name)
    return method


def means(
    rows: list[Row], *, part: str = "pairs", pairs: int = 20, wrong: int = 0, score: str = "ari"
) -> dict[str, dict[str, float]]:
    """Mean score over the sets of pairs, by method and data set, of one part of the rows."""
    found = storage.grouped(rows, score, "method", "dataset", "part", "pairs", "wrong")
    by_method: dict[str, dict[str, float]] = {}
    for (method, name, *which), scores in found.items():
        if which == [part, pairs, wrong]:
            by_method.setdefault(method, {})[name] = float(np.mean(scores))
    return by_method


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean ARI of every method on every data set with 20 + 20 pairs; nothing of it is in print."""
    found = storage.grouped(rows, "ari", "method", "dataset", "part", "pairs", "wrong")
    for (method, name, *which), scores in found.items():
        if which == ["pairs", 20, 0]:
            mean = float(np.mean(scores))
            yield Comparison(name, "ARI", method, None, mean, runs=len(scores))


TARGETS = (
    Target(
        "latent-pairs",
        "umlbook",
        "latent-class pairs beside ITML and k-means, with parts left out and wrong pairs",
        Source("latent-pairs", cells, work, stored),
        comparisons,
    ),
)
