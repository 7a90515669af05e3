"""What LLMA uses on the digits: its parts taken away one by one, and how far its pull is passed on.

``umlbook reproduce llma`` computes it again (about 20 minutes on one core; MNIST needs the extra
``images``); the stored copy is ``results/llma.csv``, read by the gallery of rivals.

The protocol is that of PM's Table 2 (`umlbook.experiments.papers.pm`): pixels between 0 and 1, 30
pairs of each kind, the mean modified Rand index of 20 runs of k-means. ``score`` is that of all
rows, ``free`` that of the rows in no pair. ``same`` and ``different`` say what the map does to rows
in no pair: their distances within a class and between classes (root mean squares), as shares of
what they were before.

The parts: ``formed``, three triples of scikit-learn's digits, on which the claims of the gallery
were formed; ``tested``, 20 triples drawn from all others; ``MNIST``, the triples of the paper;
``pairs`` and ``features``, other numbers of pairs and of principal components; ``tables``, the sets
of chapter 8 as they are there, standardised, with 20 pairs of each kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import Array, Labels
from umlbook.constraints import IntArray, sample
from umlbook.datasets import load
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row, grouped, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers import pm, side_by_side
from umlbook.experiments.papers.methods import METHODS, spectral
from umlbook.kernels import median_width, rbf
from umlbook.rivals import LLMA, pair_differences
from umlbook.rivals.llma import AdaptationProblem, adaptation_steps, neighbour_edges
from umlbook.scores import modified_rand

FORMED = ("1-2-3", "4-5-6", "7-8-9")
N_TESTED, N_SETS, N_PAIRS = 20, 3, 30
PAIRS, FEATURES = (3, 10, 30, 90), (2, 3, 6, 12, 24)
RIDGE = 0.1
"""Weight of the norm of the field where there is no graph; chosen on the triples in `FORMED`."""


def tested() -> list[str]:
    """Triples of digits that are not in `FORMED`, drawn without looking at anything."""
    triples = ["-".join(triple) for triple in combinations("0123456789", 3)]
    others = [triple for triple in triples if triple not in FORMED]
    return [others[k] for k in np.random.default_rng(0).permutation(len(others))[:N_TESTED]]


# ------------------------------------------------------------------------------- the variants


def pulled(X: Array, must: IntArray, cannot: IntArray) -> Array:
    """X moved so that must-links meet, the norm of the field held down: no graph, no other rows.

    The field is that of LLMA, bumps of one width around the linked samples; what holds it back is
    its norm in the space of the kernel, so that W solves one linear system.
    """
    centers = X[np.unique(must)]
    width = median_width(X)
    bumps, K = (rbf(points, centers, sigma=width) for points in (X, centers))
    S, apart = pair_differences(bumps, must), pair_differences(X, must)
    W = np.linalg.solve(S.T @ S + RIDGE * K, -S.T @ apart)
    return np.asarray(X + bumps @ W)


def straight(X: Array, must: IntArray, cannot: IntArray) -> Array:
    """LLMA with inner products in place of its bumps, so that its map is linear."""
    Z = X - X.mean(axis=0)
    bumps, edges = Z @ Z[np.unique(must)].T, neighbour_edges(X, LLMA().n_neighbors)
    along = [pair_differences(V, pairs) for pairs in (must, edges) for V in (X, bumps)]
    problem = AdaptationProblem(along[0], along[1], along[2], along[3], lam=1.0)
    for k, state in enumerate(adaptation_steps(problem)):
        if k and state.fall <= LLMA().tol:
            break
    return np.asarray(X + bumps @ state.W)


def shuffled(pairs: IntArray) -> IntArray:
    """As many pairs of the linked samples as can be had, whatever their classes."""
    mixed = np.random.default_rng(0).permutation(np.unique(pairs))
    return mixed[: len(mixed) // 2 * 2].reshape(-1, 2)


def labelled(method: str) -> Callable[..., Labels]:
    """The labels of a method of chapter 8 at its default setting."""
    known = METHODS[method]

    def labels(X: Array, k: int, must: IntArray, cannot: IntArray) -> Labels:
        pairs = {"must_link": must, "cannot_link": cannot}
        return np.asarray(known.labels(X, k, 0, pairs, **known.settings[0]))

    return labels


_llma = pm.rival(LLMA())
MAPS: Mapping[str, pm.Coordinates] = {
    "Euclid": lambda X, must, cannot: X,
    "LLMA": _llma,
    "wrong pairs": lambda X, must, cannot: _llma(X, shuffled(must), cannot),
    "no graph": pulled,
    "straight": straight,
    "RCA": pm.METHODS["RCA"],
    "ITML": pm.METHODS["ITML"],
}
LABELS: Mapping[str, Callable[..., Labels]] = {
    "graph, no pairs": lambda X, k, must, cannot: spectral(X, k, 0, {}, near=6),
    "bent ITML": labelled("bent ITML"),
    "latent classes": labelled("latent classes"),
}
TRIPLE_METHODS = (*MAPS, *LABELS)
MNIST_METHODS = ("Euclid", "LLMA", "wrong pairs", "no graph", "bent ITML", "latent classes")


# ------------------------------------------------------------------------------------ the cells


def data(cell: Cell) -> tuple[Array, Labels]:
    """The rows of a cell, on their first principal components where it names a number."""
    if cell["part"] == "MNIST":
        return pm.data(cell["data"])
    if cell["part"] == "tables":
        return side_by_side.data(cell["data"])
    digits = load("digits")
    chosen = np.isin(digits.target, [int(digit) for digit in cell["data"].split("-")])
    X, y = digits.data[chosen] / 16.0, digits.target[chosen]
    return (PCA(cell["features"]).fit_transform(X) if "features" in cell else X), y


def spreads(X: Array, y: Labels) -> Array:
    """Root mean squared distance within classes, and between classes.

    >>> spreads(np.array([[0.0], [2.0], [7.0], [9.0]]), np.array([0, 0, 1, 1]))
    array([2.        , 7.14142843])
    """
    i, j = np.triu_indices(len(y), 1)
    squared, together = pdist(X, "sqeuclidean"), y[i] == y[j]
    return np.sqrt([squared[together].mean(), squared[~together].mean()])


def kmeans_runs(points: Array, k: int) -> list[Labels]:
    """The labels of k-means from random starts, as in PM's protocol."""
    with warnings.catch_warnings():  # duplicate points
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [
            np.asarray(KMeans(k, init="random", n_init=1, random_state=run).fit_predict(points))
            for run in range(pm.N_RUNS)
        ]


def work(cell: Cell) -> list[Row]:
    """One method on one set of pairs: its scores, and what its map does to rows in no pair."""
    X, y = data(cell)
    must, cannot = sample(y, cell["pairs"], cell["pairs"], random_state=cell["set"])
    free = side_by_side.untouched_rows(len(y), {"must": must, "cannot": cannot})
    k, moved = len(np.unique(y)), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if cell["method"] in LABELS:
            found = [LABELS[cell["method"]](X, k, must, cannot)]
        else:
            Y = MAPS[cell["method"]](X, must, cannot)
            found = kmeans_runs(Y, k)
            ratio = spreads(Y[free], y[free]) / spreads(X[free], y[free])
            moved = dict(zip(("same", "different"), ratio.round(4).tolist(), strict=True))
    score, there = (
        round(float(np.mean([modified_rand(y[rows], labels[rows]) for labels in found])), 4)
        for rows in (slice(None), free)
    )
    return [cell | {"score": score, "free": there} | moved]


# ------------------------------------------------------------------------------------ the target


def cells(quick: bool) -> list[Cell]:
    """The sets of pairs in turn, so that a run cut short has a few of everything."""
    both = ("Euclid", "LLMA")
    some = (*FORMED, *tested()[:3])
    parts: list[tuple[str, str, int, tuple[str, ...], Cell]] = [
        *(("formed", name, N_PAIRS, TRIPLE_METHODS, {}) for name in FORMED),
        *(("tested", name, N_PAIRS, TRIPLE_METHODS, {}) for name in tested()),
        *(("pairs", name, n, both, {}) for name in some for n in PAIRS),
        *(("features", name, N_PAIRS, both, {"features": p}) for name in some for p in FEATURES),
        *(("tables", name, side_by_side.N_PAIRS, both, {}) for name in side_by_side.DATASETS),
        *(("MNIST", name, N_PAIRS, MNIST_METHODS, {}) for name in FORMED),
    ]
    return [
        {"part": part, "data": name, "pairs": n, "set": number, "method": method} | more
        for number in range(1 if quick else N_SETS)
        for part, name, n, methods, more in (parts[:1] if quick else parts)
        if part != "MNIST" or number == 0  # minutes for each set of pairs
        for method in methods
    ]


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean modified Rand index of every method in every part."""
    for (part, method), scores in grouped(rows, "score", "part", "method").items():
        yield Comparison(part, "Rand", method, None, float(np.mean(scores)), runs=len(scores))


TARGETS = (
    Target(
        "llma",
        "umlbook",
        "what LLMA uses on the digits (gallery of rivals; extra images)",
        Source("llma", cells, work, partial(stored, "llma")),
        comparisons,
    ),
)
