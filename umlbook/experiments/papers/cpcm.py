"""The experiments of the CPCM paper: Figures 1 and 2 as success rates, Table 1 beside ours.

``umlbook reproduce cpcm-figure-1 cpcm-figure-2 cpcm-table-1`` recomputes them (some minutes); the
stored copies are ``results/cpcm_success.csv`` and ``results/cpcm_table1.csv``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from umlbook.algebra import Array, Labels
from umlbook.cpcm import CPCM
from umlbook.datasets import load, make_noisy_lines, make_parallel_lines, make_rings
from umlbook.experiments.engine.agreement import spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.pictures import draw_shares
from umlbook.experiments.engine.storage import Row, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.kernels import median_width
from umlbook.scores import adjusted_rand_index, rand_index, variation_of_information

__all__ = ["TARGETS", "stored", "success_row", "table1_cells"]

Clusters = Callable[[Array, int, int], Labels]
"""Labels from the data, the number of clusters and a seed."""

SUCCESS = 0.9


# ------------------------------------------------------------------------- success rates


def cpcm(X: Array, n_clusters: int, seed: int, **params: Any) -> Labels:
    """CPCM with its defaults except for ``params``, and with the paper's choice of an end."""
    return CPCM(n_clusters, choose="blur", random_state=seed, **params).fit_predict(X)


def cpcm_from_kmeans(X: Array, n_clusters: int, seed: int) -> Labels:
    """CPCM started from the k-means partition."""
    return cpcm(X, n_clusters, seed, starts=kmeans(X, n_clusters, seed).astype(np.intp))


def kmeans(X: Array, n_clusters: int, seed: int, n_init: int = 10) -> Labels:
    """The best of ``n_init`` runs of k-means."""
    return KMeans(n_clusters, n_init=n_init, random_state=seed).fit_predict(X)


def spectral(X: Array, n_clusters: int, seed: int, width: float = 1.0) -> Labels:
    """Spectral clustering with a Gaussian of ``width`` median distances."""
    gamma = 0.5 / (width * median_width(X)) ** 2
    model = SpectralClustering(n_clusters, gamma=gamma, random_state=seed, assign_labels="kmeans")
    with warnings.catch_warnings():  # some versions say that their solver fell short of its digits
        warnings.simplefilter("ignore", UserWarning)
        return model.fit_predict(X)


def spectral_neighbours(X: Array, n_clusters: int, seed: int) -> Labels:
    """Spectral clustering of the graph of ten nearest neighbours."""
    model = SpectralClustering(n_clusters, affinity="nearest_neighbors", random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        return model.fit_predict(X)


def turned_noisy_lines(random_state: int) -> tuple[Array, Labels]:
    """The noisy lines with the plane of the lines turned by 30 degrees."""
    X, y = make_noisy_lines(random_state=random_state)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    X[:, :2] = X[:, :2] @ np.array([[c, s], [-s, c]])
    return X, y


PLAIN: Mapping[str, Clusters] = {
    "k-means": kmeans,
    "spectral, width 0.1": partial(spectral, width=0.1),
    "spectral, width 1": spectral,
    "spectral, 10 neighbours": spectral_neighbours,
}
LSR_RANDOM = partial(cpcm, starts="random", n_init=20)
STEPWISE = partial(cpcm, predictor="stepwise")
LDA_KM = partial(cpcm, predictor="lda-within")
NOISY: Mapping[str, Clusters] = {
    "CPCM": cpcm,
    "CPCM stepwise": STEPWISE,
    "LDA-km": LDA_KM,
    "CPCM lda": partial(cpcm, predictor="lda"),
    "CPCM, 20 random starts": LSR_RANDOM,
    "CPCM stepwise, 20 random starts": partial(STEPWISE, starts="random", n_init=20),
    "LDA-km, 20 random starts": partial(LDA_KM, starts="random", n_init=20),
    **PLAIN,
}
RKHS = partial(cpcm, predictor="kernel-ridge")
KERNEL: Mapping[str, Clusters] = {
    "CPCM": cpcm,
    "CPCM kernel ridge": RKHS,
    "CPCM kernel ridge, 20 random starts": partial(RKHS, starts="random", n_init=20),
    **PLAIN,
}
SETTINGS: Mapping[str, tuple[Callable[..., tuple[Array, Any]], int, Mapping[str, Clusters]]] = {
    "two lines": (
        partial(make_parallel_lines, 200, noise=0.1034),
        2,
        {
            "CPCM": cpcm,
            "CPCM, one random start": partial(cpcm, starts="random", n_init=1),
            "CPCM, 20 random starts": LSR_RANDOM,
            "CPCM from k-means": cpcm_from_kmeans,
            **PLAIN,
        },
    ),
    "three lines": (partial(make_parallel_lines, 200, n_lines=3), 3, KERNEL),
    "three rings": (partial(make_rings, 200, n_rings=3), 3, KERNEL),
    "noisy lines": (make_noisy_lines, 3, NOISY),
    "noisy lines, turned": (
        turned_noisy_lines,
        3,
        {"CPCM": cpcm, "CPCM stepwise": STEPWISE, "LDA-km": LDA_KM},
    ),
}


def success_row(setting: str, method: str, seeds: Iterable[int]) -> Row:
    """How often a method finds the truth (adjusted Rand index above .9), one data set a seed."""
    make, n_clusters, methods = SETTINGS[setting]
    scores = []
    for seed in seeds:
        X, y = make(random_state=seed)
        scores.append(adjusted_rand_index(y, methods[method](X, n_clusters, seed)))
    return {
        "setting": setting,
        "method": method,
        "seeds": len(scores),
        "found": sum(score > SUCCESS for score in scores),
        "median_ari": round(float(np.median(scores)), 3),
    }


def success_cells(quick: bool) -> list[Cell]:
    """Every method in every setting, on 20 data sets each, or on 2."""
    return [
        {"setting": setting, "method": method, "seeds": 2 if quick else 20}
        for setting, (_, _, methods) in SETTINGS.items()
        for method in methods
    ]


def success_work(cell: Cell) -> list[Row]:
    """The one row of a cell."""
    return [success_row(cell["setting"], cell["method"], range(cell["seeds"]))]


def success_comparisons(settings: tuple[str, ...], rows: list[Row]) -> Iterator[Comparison]:
    """How often each method finds the truth in these settings; the paper draws one run of each."""
    for row in rows:
        if row["setting"] in settings:
            share = row["found"] / row["seeds"]
            yield Comparison(row["setting"], "found", row["method"], None, share, runs=row["seeds"])


def draw_success(settings: tuple[str, ...], rows: list[Row], fig: Any) -> None:
    """The same as bars, one panel a setting."""
    panels = {
        setting: {r["method"]: r["found"] / r["seeds"] for r in rows if r["setting"] == setting}
        for setting in settings
    }
    draw_shares(panels, fig, f"share of data sets with ARI > {SUCCESS}")


# ------------------------------------------------------------------------------- Table 1

TABLE_1_METHODS = ("CPCM-LSR", "CPCM-RKHS", "Spectral", "k-means", "k-means + PCA", "LDA-km")
TABLE_1: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "glass": ((0.383, 0.371, 0.27, 0.316, 0.37, 0.397), (0.68, 0.73, 0.627, 0.681, 0.67, 0.665)),
    "ionosphere": (
        (0.205, 0.202, 0.215, 0.198, 0.205, 0.203),
        (0.571, 0.501, 0.538, 0.589, 0.573, 0.577),
    ),
    "pima": ((0.189, 0.167, 0.136, 0.17, 0.181, 0.2), (0.516, 0.521, 0.547, 0.551, 0.572, 0.502)),
    "sonar": (
        (0.236, 0.231, 0.147, 0.257, 0.229, 0.229),
        (0.508, 0.499, 0.498, 0.503, 0.499, 0.499),
    ),
    "vehicle": (
        (0.323, 0.318, 0.285, 0.325, 0.372, 0.339),
        (0.674, 0.568, 0.564, 0.651, 0.648, 0.669),
    ),
    "vowel": ((0.429, 0.465, 0.432, 0.426, 0.466, 0.49), (0.861, 0.842, 0.709, 0.859, 0.85, 0.852)),
}
"""Printed variation of information (divided by log n) and Rand index, in the order above."""


OPEN: Mapping[str, str] = {
    "CPCM-LSR": "start rule and stopping rule not given",
    "CPCM-RKHS": "kernel, width, penalty and starts not given",
    "Spectral": "width and scaling not given",
    "k-means": "starts and treatment of the data not given",
    "k-means + PCA": "number of components and scaling not given",
    "LDA-km": "start rule not given",
}
"""What would be needed to repeat a column."""


def restarts(X: Array, n_clusters: int, n_runs: int, **params: Any) -> list[Labels]:
    """The ends of ``n_runs`` random starts of CPCM, the least blurred first."""
    blurred = partial(CPCM, n_clusters, starts="random", choose="blur", n_init=n_runs)
    model = blurred(random_state=0, **params).fit(X)
    return [model.labels_, *(restart.labels for restart in model.restarts_)]


def kernel_restarts(X: Array, n_clusters: int, n_runs: int) -> list[Labels]:
    """The ends of CPCM with kernel ridge from its default starts, the least blurred first."""
    blurred = partial(CPCM, n_clusters, predictor="kernel-ridge", choose="blur", n_init=n_runs)
    model = blurred(random_state=0)
    model.fit(StandardScaler().fit_transform(X))
    return [model.labels_, *(restart.labels for restart in model.restarts_)]


def spectral_runs(X: Array, n_clusters: int, n_runs: int) -> list[Labels]:
    """Spectral clustering of standardised data with the median width, 20 seeds at most."""
    X = StandardScaler().fit_transform(X)
    return [spectral(X, n_clusters, seed) for seed in range(min(n_runs, 20))]


def kmeans_runs(X: Array, n_clusters: int, n_runs: int) -> list[Labels]:
    """K-means: the best of 50 runs first, then single ones."""
    singles = [kmeans(X, n_clusters, seed, n_init=1) for seed in range(n_runs)]
    return [kmeans(X, n_clusters, 0, n_init=50), *singles]


def pca_runs(X: Array, n_clusters: int, n_runs: int) -> list[Labels]:
    """The same on the first K - 1 principal components of the standardised data."""
    scores = PCA(n_clusters - 1, random_state=0).fit_transform(StandardScaler().fit_transform(X))
    return kmeans_runs(scores, n_clusters, n_runs)


RUNS: Mapping[str, Callable[[Array, int, int], list[Labels]]] = {
    "CPCM-LSR": partial(restarts, predictor="least-squares"),
    "CPCM-RKHS": kernel_restarts,
    "Spectral": spectral_runs,
    "k-means": kmeans_runs,
    "k-means + PCA": pca_runs,
    "LDA-km": partial(restarts, predictor="lda-within"),
}


def table1_cells(dataset: str, method: str, n_runs: int = 50) -> Iterator[Row]:
    """Both scores of one method on one set: printed, ours (the chosen run), and our range."""
    data = load(dataset)
    n_clusters = len(np.unique(data.target))
    runs = RUNS[method](data.data, n_clusters, n_runs)
    scores: dict[str, Callable[[Any, Any], float]] = {
        "vi": partial(variation_of_information, normalize=True),
        "rand": rand_index,
    }
    for (name, score), printed in zip(scores.items(), TABLE_1[dataset], strict=True):
        values = [float(score(data.target, labels)) for labels in runs]
        yield {
            "dataset": dataset,
            "score": name,
            "method": method,
            "printed": printed[TABLE_1_METHODS.index(method)],
            "ours": round(values[0], 3),
            "low": round(min(values), 3),
            "high": round(max(values), 3),
            "sd": round(float(np.std(values)), 4),
            "runs": len(values),
        }


def table1_grid(quick: bool) -> list[Cell]:
    """Every method on every set, 50 runs each, or 5 on the two small sets."""
    return [
        {"dataset": dataset, "method": method, "runs": 5 if quick else 50}
        for dataset in (("glass", "sonar") if quick else TABLE_1)
        for method in TABLE_1_METHODS
    ]


def table1_work(cell: Cell) -> Iterator[Row]:
    """Both scores of a cell."""
    return table1_cells(cell["dataset"], cell["method"], cell["runs"])


def table1_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Each cell of Table 1: our chosen run; the printed one is a run, with the spread of ours."""
    for row in rows:
        yield Comparison(
            row["dataset"], row["score"], row["method"], row["printed"], row["ours"],
            spread((row["sd"], 1), unit=0.001), row["runs"], note=OPEN[row["method"]],
        )  # fmt: skip


def table2_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """The three cells of Table 2, whose data are not available."""
    why = "the 96 x 4026 lymphoma matrix is in no public package"
    for method, printed in {"k-means": 0.748, "Spectral": 0.777, "CPCM-RKHS": 0.845}.items():
        yield Comparison("lymphoma", "rand", method, printed, None, note=why)


SUCCESSES = Source("cpcm-success", success_cells, success_work, partial(stored, "cpcm_success"))
LINES, NOISY_LINES = (
    ("two lines", "three lines", "three rings"),
    ("noisy lines", "noisy lines, turned"),
)
TARGETS = (
    Target(
        "cpcm-figure-1",
        "CPCM",
        "lines and rings: how often each method finds them",
        SUCCESSES,
        partial(success_comparisons, LINES),
        partial(draw_success, LINES),
    ),
    Target(
        "cpcm-figure-2",
        "CPCM",
        "three lines among noise features: how often they are found",
        SUCCESSES,
        partial(success_comparisons, NOISY_LINES),
        partial(draw_success, NOISY_LINES),
    ),
    Target(
        "cpcm-table-1",
        "CPCM",
        "variation of information and Rand index on six UCI sets",
        Source("cpcm-table1", table1_grid, table1_work, partial(stored, "cpcm_table1")),
        table1_comparisons,
    ),
    Target("cpcm-table-2", "CPCM", "Rand index on lymphoma samples", None, table2_comparisons),
)
