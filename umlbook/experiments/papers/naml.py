"""Tables 3 and 4 of the NAML paper: seven sets, twenty runs, every column beside ours.

``umlbook reproduce naml-table-3`` (or 4: the runs are the same) computes them again, most of an
hour of work; the stored copy is ``results/naml_tables.csv``. ORL10P needs the extra ``images``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding, SpectralEmbedding
from sklearn.preprocessing import minmax_scale, scale

from umlbook._loop import Run
from umlbook.algebra import Array, Labels
from umlbook.datasets import load
from umlbook.experiments.engine.agreement import spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.kernels import RBFBank, bank_widths, combine, median_width
from umlbook.lloyd import lloyd_steps, settled
from umlbook.naml import NAML, Start, naml_steps
from umlbook.scores import clustering_accuracy, normalized_mutual_information, purity
from umlbook.spectral import kernel_kmeans_steps

__all__ = ["TARGETS", "stored"]

SETS: Mapping[str, tuple[str, str]] = {
    "iris": ("iris", "min-max"),
    "lymph": ("lymphography", "none"),
    "promoter": ("promoter", "none"),
    "satimage": ("satimage", "none"),
    "solar": ("solar_flare", "none"),
    "wine": ("wine", "z-score"),
    "ORL10P": ("orl10p", "none"),
}
"""The paper's name of each set, ours, and the scaling (unstated in print) that we use."""

SCALINGS: Mapping[str, Callable[[Array], Array]] = {
    "none": np.asarray,
    "min-max": minmax_scale,
    "z-score": scale,
}
WIDTHS = "2 to 1/4 of the median distance"
PER_CLASS = 80
PRINTED_RUNS = 20  # a printed number is the mean of so many

UNSTATED: Mapping[str, str] = {
    "NAML": "kernel widths, scaling and starts unstated",
    "k-means": "scaling unstated",
    "PCA": "scaling unstated",
    "LLE": "neighbours, dimension and scaling unstated",
    "Laplacian eigenmaps": "neighbours, dimension and scaling unstated",
}


def data(name: str) -> tuple[Array, Labels]:
    """A set as the tables use it, scaled; of satimage, 80 rows of each class."""
    loaded = load(SETS[name][0])
    X, y = np.asarray(loaded.data, dtype=float), np.asarray(loaded.target)
    if name == "satimage":
        rng = np.random.default_rng(0)
        classes = (np.flatnonzero(y == c) for c in np.unique(y))
        rows = np.concatenate([rng.choice(c, PER_CLASS, replace=False) for c in classes])
        X, y = X[rows], y[rows]
    return SCALINGS[SETS[name][1]](X), y


def available(names: Iterable[str]) -> list[str]:
    """The sets that can be loaded here."""
    kept = []
    for name in names:
        try:
            load(SETS[name][0])
        except ImportError:
            continue
        kept.append(name)
    return kept


# ----------------------------------------------------------------------- one run of each


def kmeans(X: Array, n_clusters: int, seed: int) -> Labels:
    """One run of k-means from random centres: the start of every other method of that run."""
    model = KMeans(n_clusters, init="random", n_init=1, random_state=seed)
    return model.fit_predict(X).astype(np.intp)


def kernel_kmeans(G: Array, labels: Labels, n_clusters: int) -> Labels:
    """Kernel k-means from given labels."""
    last = settled(kernel_kmeans_steps(G, labels, n_clusters))
    return last.labels


def naml_states(
    bank: RBFBank, labels: Labels, n_clusters: int, first: int, lam: float, l_step: str = "constant"
) -> list[Any]:
    """The passes of NAML from kernel k-means with one kernel, itself started from given labels."""
    weights = np.eye(len(bank))[first]
    start = Start(weights, kernel_kmeans(combine(bank, weights), labels, n_clusters))
    model = NAML(n_clusters, l_step=l_step, max_iter=50)
    states = naml_steps(bank, lam, start, n_clusters, l_step)
    return list(Run(states, max_iter=model.max_iter, settled=model._settled))


def embeddings(X: Array, n_clusters: int) -> dict[str, Array]:
    """The data as PCA (95 % of the variance), LLE and Laplacian eigenmaps show it to k-means."""
    near = min(12, len(X) - 1)
    lle = LocallyLinearEmbedding(
        n_neighbors=near, n_components=n_clusters, random_state=0, eigen_solver="dense"
    )
    gamma = 0.5 / median_width(X) ** 2
    eigenmaps = SpectralEmbedding(n_clusters, affinity="rbf", gamma=gamma, random_state=0)
    return {
        "PCA": PCA(0.95).fit_transform(X),
        "LLE": lle.fit_transform(X),
        "Laplacian eigenmaps": eigenmaps.fit_transform(X),
    }


def one_run(name: str, seed: int, bank: RBFBank, views: Mapping[str, Array]) -> dict[str, Labels]:
    """The labels of every column of Tables 3 and 4 from one k-means start."""
    X, y = data(name)
    k = len(np.unique(y))
    start = kmeans(X, k, seed)
    found = {"k-means": start}
    for method, Z in views.items():
        found[method] = settled(lloyd_steps(Z, start, k)).labels
    for i, G in enumerate(bank):
        found[f"kernel {i}"] = kernel_kmeans(G, start, k)
    first = int(np.random.default_rng(seed).integers(len(bank)))
    found["initial kernel"] = found[f"kernel {first}"]
    for lam in ("1e-6", "1e-4", "1e-2"):
        found[f"NAML {lam}"] = naml_states(bank, start, k, first, float(lam))[-1].labels
    return found


SCORES: Mapping[str, Callable[[Any, Any], float]] = {
    "ACC": clustering_accuracy,
    "purity": purity,
    "MI": normalized_mutual_information,
}


@cache
def prepared(name: str) -> tuple[RBFBank, dict[str, Array]]:
    """The kernels and the embeddings of a set: the same in every run."""
    X, y = data(name)
    return RBFBank(X, bank_widths(X)), embeddings(X, len(np.unique(y)))


def run_work(cell: Cell) -> list[Row]:
    """Every score of every column in one run."""
    y = data(cell["dataset"])[1]
    found = one_run(cell["dataset"], cell["seed"], *prepared(cell["dataset"]))
    return [
        {**cell, "column": column}
        | {score: float(function(y, labels)) for score, function in SCORES.items()}
        for column, labels in found.items()
    ]


def scored_runs(rows: list[Row]) -> dict[str, dict[str, Array]]:
    """The runs on one set as score -> column -> one number a run, the kernels summed up."""
    scores = {}
    for score in SCORES:
        values = {
            c: np.array([row[score] for row in rows if row["column"] == c])
            for c in dict.fromkeys(row["column"] for row in rows)
        }
        names = [c for c in values if c.startswith("kernel ")]
        single = np.array([values.pop(c) for c in names])
        best = single[np.argmax(single.mean(axis=1))]
        worst = single[np.argmin(single.mean(axis=1))]
        summary = {
            "best kernel": best,
            "worst kernel": worst,
            "average kernel": single.mean(axis=0),
        }
        scores[score] = {**values, **summary}
    return scores


# ------------------------------------------------------------------------- Tables 3 and 4


@cache
def printed_cells() -> Sequence[Row]:
    """Table, set, score, column and number of every printed cell."""
    return stored("naml_printed")


def unstated(column: str) -> str:
    """What one would need to know to repeat a column of the tables."""
    method = "NAML" if column.startswith("NAML") else column
    return UNSTATED.get(method, "kernel widths and scaling unstated")


def table_rows(rows: list[Row]) -> list[Row]:
    """Every cell of Tables 3 and 4 from the runs: printed, ours, our spread."""
    names = dict.fromkeys(row["dataset"] for row in rows)
    return [cell for name in names for cell in _set_rows(name, rows)]


def p_against_best(values: Mapping[str, Array]) -> dict[str, float]:
    """The p-value of a paired t-test of each column against the highest one; that one has 1.

    It answers: if a column had the same mean over all starts as the highest, how often would runs
    from as many starts differ at least so much? The runs of all columns begin from the same
    k-means starts, so they are compared in pairs. The starts are those on one data set: nothing
    is said about other data. A gap that is the same in every run has no spread, and p is 0.

    >>> p_against_best({"a": np.array([1.0, 2.0, 3.0]), "b": np.array([1.5, 2.7, 3.6])})["b"]
    1.0
    >>> p_against_best({"always .5": np.full(9, 0.5), "always .9": np.full(9, 0.9)})["always .5"]
    0.0
    """
    best = max(values, key=lambda column: values[column].mean())
    return {column: _paired_p(runs - values[best]) for column, runs in values.items()}


def _paired_p(gaps: Array) -> float:
    if np.ptp(gaps) <= 1e-12:  # the t-statistic is 0/0 or infinite
        return 1.0 if abs(gaps.mean()) <= 1e-12 else 0.0
    return float(ttest_1samp(gaps, 0.0).pvalue)


def _set_rows(name: str, rows: list[Row]) -> Iterator[Row]:
    mine = [row for row in rows if row["dataset"] == name]
    scores, n_runs = scored_runs(mine), len({row["seed"] for row in mine})
    printed = [cell for cell in printed_cells() if cell["dataset"] == name]
    in_table_3 = {cell["column"] for cell in printed if cell["table"] == 3}
    p = {
        score: p_against_best({c: v for c, v in scores[score].items() if c in in_table_3})
        for score in ("ACC", "MI")
    }
    for cell in printed:
        score, column = cell["score"], cell["column"]
        values, pure = scores[score][column], scores["purity"][column]
        yield {
            **cell,
            "ours": round(float(values.mean()), 3),
            "sd": round(float(values.std()), 3),
            "p": round(p[score][column], 4) if cell["table"] == 3 else "",
            "purity": round(float(pure.mean()), 3) if score == "ACC" else "",
            "purity_sd": round(float(pure.std()), 3) if score == "ACC" else "",
            "runs": n_runs,
            "scaling": SETS[name][1],
            "widths": WIDTHS if "NAML" in column or "kernel" in column else "",
        }


# -------------------------------------------------------------------------------- targets


def table_cells(quick: bool) -> list[Cell]:
    """Twenty runs on every set that can be loaded here, or two on wine."""
    names, runs = (["wine"], 2) if quick else (available(SETS), 20)
    return [{"dataset": name, "seed": seed} for seed in range(runs) for name in names]


def table_comparisons(table: int, rows: list[Row]) -> Iterator[Comparison]:
    """The cells of Table 3 or 4, those of the set that is not available among them."""
    ours = {(row["table"], row["dataset"], row["score"], row["column"]): row for row in rows}
    sets = {row["dataset"] for row in rows} | {"AR03P"}
    for cell in printed_cells():
        if cell["table"] != table or cell["dataset"] not in sets:
            continue
        where = cell["dataset"], cell["score"], cell["column"]
        row = ours.get((table, *where))
        if row is None:
            why = "AR03P is in no public package"
            yield Comparison(*where, cell["printed"], None, note=why)
            continue
        apart = spread((row["sd"], PRINTED_RUNS), (row["sd"], row["runs"]), unit=0.001)
        note = unstated(cell["column"])
        yield Comparison(*where, cell["printed"], row["ours"], apart, row["runs"], note=note)


RUNS = Source("naml-runs", table_cells, run_work, partial(stored, "naml_tables"), table_rows)
TARGETS = (
    Target(
        "naml-table-3",
        "NAML",
        "NAML, k-means, PCA, LLE and eigenmaps on eight sets",
        RUNS,
        partial(table_comparisons, 3),
    ),
    Target(
        "naml-table-4",
        "NAML",
        "k-means with the first, best, worst and average of ten kernels",
        RUNS,
        partial(table_comparisons, 4),
    ),
)
