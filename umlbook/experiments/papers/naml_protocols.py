"""The protocols searched for Table 3 of the NAML paper (`umlbook.experiments.engine.protocols`).

The paper states the number of clusters, the starts (a run of k-means begins all others), the share
of the variance that PCA keeps, both scores, and that a number is the mean of 20 runs. It does not
state the scaling, the codes of categories, nor the neighbours and dimensions of LLE and of
Laplacian eigenmaps. What it states is searched too, as people do not always do what they write.

Of satimage 80 rows of each class are drawn, of ORL ten people of 40, once by the paper and several
times by us: there a replicate is a draw. For these two only the scaling is varied, for time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding

from umlbook.algebra import Array, Labels
from umlbook.datasets import load
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.protocols import Search
from umlbook.experiments.engine.reporting import (
    Report,
    Runs,
    entropies,
    over_draws,
    reported,
    scored,
)
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.papers.naml import PER_CLASS, SETS, available, naml_states, printed_cells
from umlbook.experiments.papers.treatments import PLAIN, SCALINGS, treated
from umlbook.kernels import RBFBank, bank_widths, median_width
from umlbook.lloyd import lloyd_steps, settled

N_RUNS = 40
DRAWN = {"satimage": 3, "ORL10P": 4}
"""Sets of which a part is drawn, and how often we draw it; each draw has 20 runs."""

OWN_RUNS = {"solar": 8, "satimage": 4}
"""Runs of NAML where 20 take long."""

CODES = ("lymph", "promoter", "solar")
LAMS = {"NAML 1e-6": 1e-6, "NAML 1e-4": 1e-4, "NAML 1e-2": 1e-2}
BASELINES = ("k-means", "PCA", "LLE", "Laplacian eigenmaps")
SHARES = ("95 %", "K")
NEIGHBOURS = (5, 8, 12, 20)
DIMENSIONS = {"K - 1": -1, "K": 0, "K + 1": 1}
FULL = "all"


def definitions(counts: Array) -> dict[str, float]:
    """Both accuracies, and mutual information divided by each mean of the two entropies."""
    of_class, of_cluster, together = entropies(counts)
    shared, n = of_class + of_cluster - together, counts.sum()
    by = {
        "arithmetic mean": (of_class + of_cluster) / 2,
        "geometric mean": np.sqrt(max(of_class * of_cluster, 0.0)),
        "larger entropy": max(of_class, of_cluster),
        "smaller entropy": min(of_class, of_cluster),
    }
    return {
        "accuracy": float(counts[linear_sum_assignment(counts, maximize=True)].sum() / n),
        "purity": float(counts.max(axis=0).sum() / n),
        **{name: float(shared / scale) if scale > 0 else 0.0 for name, scale in by.items()},
    }


REPORTS = (
    Report("mean of 20", 20, "mean"),
    Report("best of 20", 20, "objective"),
    Report("best of 20 by labels", 20, "labels"),
)


# ------------------------------------------------------------------------------------ the data


def treatments(name: str) -> list[Cell]:
    """The scalings, times the columns that can be mistaken."""
    columns = [PLAIN]
    if name not in DRAWN:
        columns += ["with the class", "one-hot" if name in CODES else "with the row number"]
    return [{"scaling": s, "columns": c} for s in SCALINGS for c in columns]


@cache
def drawn(name: str, draw: int) -> tuple[Array, Labels]:
    """The rows of a set; of satimage and ORL those of one draw, of which number 0 is the book's."""
    loaded = load("orl400" if name == "ORL10P" and draw else SETS[name][0])
    X, y = np.asarray(loaded.data, dtype=float), np.asarray(loaded.target)
    rng = np.random.default_rng(draw)
    if name == "satimage":
        classes = (np.flatnonzero(y == c) for c in np.unique(y))
        rows = np.concatenate([rng.choice(c, PER_CLASS, replace=False) for c in classes])
        return X[rows], y[rows]
    if name == "ORL10P" and draw:
        rows = np.flatnonzero(np.isin(y, rng.choice(40, 10, replace=False)))
        return X[rows], np.unique(y[rows], return_inverse=True)[1]
    return X, y


# ---------------------------------------------------------------------------------- baselines


def eigenmap(W: Array, dimension: int) -> Array:
    """Laplacian eigenmaps of a graph: the smoothest functions on it but the constant."""
    degrees = W.sum(axis=1)
    return eigh(np.diag(degrees) - W, np.diag(degrees), subset_by_index=[1, dimension])[1]


def graph(X: Array, near: str) -> Array:
    """The graph of nearest neighbours, or (`FULL`) all pairs by a Gaussian of the median width."""
    apart = cdist(X, X)
    if near == FULL:
        return np.exp(-0.5 * (apart / median_width(X)) ** 2)
    rows = np.argsort(apart, axis=1, kind="stable")[:, : int(near) + 1]
    W = np.zeros_like(apart)
    np.put_along_axis(W, rows, 1.0, axis=1)
    return np.maximum(W, W.T)


def views(X: Array, k: int) -> Iterator[tuple[str, str, Array]]:
    """(method, setting, the coordinates that it shows to k-means)."""
    for share in SHARES:
        size = 0.95 if share == "95 %" else min(k, X.shape[1])
        yield "PCA", share, PCA(size, random_state=0).fit_transform(X)
    for words, more in DIMENSIONS.items():
        for near in NEIGHBOURS:
            lle = LocallyLinearEmbedding(
                n_neighbors=near, n_components=k + more, eigen_solver="dense"
            )
            yield "LLE", f"{near} neighbours, {words}", lle.fit_transform(X)
        for graph_of in (FULL, *map(str, NEIGHBOURS)):
            Z = eigenmap(graph(X, graph_of), k + more)
            yield "Laplacian eigenmaps", f"{graph_of} neighbours, {words}", Z


def starts(X: Array, k: int, n_runs: int) -> list[tuple[Labels, float]]:
    """Runs of k-means from random rows: the baseline, and the start of all others."""
    models = [
        KMeans(k, init="random", n_init=1, random_state=seed).fit(X) for seed in range(n_runs)
    ]
    return [(model.labels_.astype(np.intp), float(model.inertia_)) for model in models]


def from_start(Z: Array, start: Labels, k: int) -> tuple[Labels, float]:
    """K-means in other coordinates from given labels."""
    end = settled(lloyd_steps(Z, start, k))
    return end.labels, end.objective


def baseline_runs(X: Array, y: Labels, n_runs: int) -> dict[tuple[str, str], Runs]:
    """The runs of every baseline in every setting."""
    k = len(np.unique(y))
    begun = starts(X, k, n_runs)
    found = {("k-means", ""): scored(y, begun, definitions)}
    for method, setting, Z in views(X, k):
        ends = [from_start(Z, start, k) for start, _ in begun]
        found[method, setting] = scored(y, ends, definitions)
    return found


def kmeans_under_all(name: str) -> list[Row]:
    """K-means alone under each scaling, choice of columns and report, with every definition."""
    rows: list[Row] = []
    for treatment in treatments(name):
        X, y = treated(*drawn(name, 0), **treatment)
        runs = scored(y, starts(X, len(np.unique(y)), N_RUNS), definitions)
        rows += [{**treatment, **reported(runs, report, frozenset(), 0.001)} for report in REPORTS]
    return rows


# --------------------------------------------------------------------------------- NAML itself


def own_runs(X: Array, y: Labels, n_runs: int) -> dict[tuple[str, str], Runs]:
    """NAML at the three printed lambdas, and its gap to k-means, from the same starts."""
    k, bank = len(np.unique(y)), RBFBank(X, bank_widths(X))
    begun = starts(X, k, n_runs)
    found = {}
    for method, lam in LAMS.items():
        ends = []
        for seed, (start, _) in enumerate(begun):
            first = int(np.random.default_rng(seed).integers(len(bank)))
            state = naml_states(bank, start, k, first, lam)[-1]
            ends.append((state.labels, -float(state.objective)))
        found[method, ""] = scored(y, ends, definitions)
    return found


def work(cell: Cell) -> Iterator[Row]:
    """The numbers that would be printed, for every report and definition."""
    name, own = cell["dataset"], cell["part"] == "own"
    runs_of = own_runs if own else baseline_runs
    treatment = {key: cell[key] for key in ("scaling", "columns")}
    n_runs = OWN_RUNS.get(name, 20) if own else 20 if name in DRAWN else N_RUNS
    draws = [
        runs_of(*treated(*drawn(name, draw), **treatment), n_runs)
        for draw in range(DRAWN.get(name, 1))
    ]
    for method, setting in draws[0]:
        runs = [draw[method, setting] for draw in draws]
        for report in REPORTS:
            numbers = (
                over_draws(runs, report, frozenset(), 0.001)
                if name in DRAWN
                else reported(runs[0], report, frozenset(), 0.001)
            )
            yield {"method": method, "setting": setting, "treatment": treatment, **numbers}


# ----------------------------------------------------------------------------------- the search


def text(name: str) -> Mapping[str, str]:
    """The choices of the book: scaling for each set, PCA as stated, LLE and eigenmaps as usual."""
    scaling = {"min-max": "range"}.get(SETS[name][1], SETS[name][1])
    return {
        "scaling": scaling, "columns": PLAIN, "k-means": "", "PCA": "95 %",
        "LLE": "12 neighbours, K", "Laplacian eigenmaps": f"{FULL} neighbours, K",
    }  # fmt: skip


@cache
def printed() -> Mapping[tuple[str, str, str], float]:
    """Table 3 as it is printed."""
    return {
        (cell["dataset"], cell["score"], cell["column"]): cell["printed"]
        for cell in printed_cells()
        if cell["table"] == 3
    }


SEARCH = Search(
    name="naml-table-3",
    treatments=treatments,
    work=work,
    baselines=BASELINES,
    own=tuple(LAMS),
    scores={
        "ACC": ("accuracy", "purity"),
        "MI": ("arithmetic mean", "geometric mean", "larger entropy", "smaller entropy"),
    },
    reports=REPORTS,
    text=text,
    printed=printed,
    sets=lambda: available(SETS),
)
