"""The protocols searched for Table 1 of the CPCM paper (`umlbook.experiments.engine.protocols`).

The paper states next to nothing: the six sets, the two scores, and that spectral clustering is that
of the R package kernlab, which is the method of Ng, Jordan and Weiss. Of the other table it says
that a number is the mean of 100 runs. The text's protocol is therefore the book's: k-means on the
data as they are, K - 1 principal components of standardised data, the best run by its objective.
The six sets are all in the R package mlbench, whose copy of vowel has nine numbers and a speaker in
place of ten numbers; so one number is left out there in some protocols.
LDA-km depends on its start as CPCM does, so it is judged with it and is no baseline.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize, scale

from umlbook.algebra import Array, Labels, part_of_spectrum
from umlbook.cpcm import CPCM
from umlbook.datasets import load
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.protocols import Search
from umlbook.experiments.engine.reporting import Report, Runs, entropies, reported, scored
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.papers.cpcm import TABLE_1, TABLE_1_METHODS
from umlbook.experiments.papers.treatments import PLAIN, SCALINGS, treated
from umlbook.kernels import median_width

N_RUNS, KERNEL_RUNS, SPECTRAL_RUNS = 50, 20, 20
BASELINES = ("k-means", "k-means + PCA", "Spectral")
OWN = ("CPCM-LSR", "CPCM-RKHS", "LDA-km")
COMPONENTS = ("2", "K - 1", "K", "95 %")
WIDTHS = ("0.1", "0.25", "0.5", "1", "2", "local")
MORE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "glass": ("with the row number",),
    "pima": ("zeros dropped", "zeros imputed"),
    "vowel": ("without the first", "without the last"),
}
VI = ("divided by log n", "divided by the joint entropy", "divided by 2 log K")
LOWER = frozenset(VI)
REPORTS = (
    Report("best of 10", 10, "objective"),
    Report("one run", 1, "mean"),
    Report("mean of 100", 100, "mean"),
    Report("best of 10 by labels", 10, "labels"),
)


def definitions(counts: Array) -> dict[str, float]:
    """Variation of information on three scales, and the Rand index."""
    of_class, of_cluster, together = entropies(counts)
    vi, n = 2 * together - of_class - of_cluster, counts.sum()
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    squares = [float((x * x).sum()) for x in (counts, rows, columns)]
    scales = np.log(n), together, 2 * np.log(max(counts.shape))
    return {
        **{name: float(vi / by) for name, by in zip(VI, scales, strict=True)},
        "Rand index": float(1 + (2 * squares[0] - squares[1] - squares[2]) / (n * (n - 1))),
    }


# ------------------------------------------------------------------------------------ the data


def treatments(name: str) -> list[Cell]:
    """The scalings, times the columns, and for glass a cluster for the type that has no rows."""
    columns = (PLAIN, "with the class", *MORE_COLUMNS.get(name, ()))
    clusters = ("classes", "classes + 1") if name == "glass" else ("classes",)
    return [
        {"scaling": s, "columns": c, "clusters": k}
        for s in SCALINGS
        for c in columns
        for k in clusters
    ]


def data(cell: Cell) -> tuple[Array, Labels, int]:
    """The treated data, their classes, and the number of clusters."""
    loaded = load(cell["dataset"])
    X, y = np.asarray(loaded.data, dtype=float), np.asarray(loaded.target)
    X, y = treated(X, y, cell["columns"], cell["scaling"])
    return X, y, len(np.unique(y)) + (cell["clusters"] != "classes")


# ---------------------------------------------------------------------------------- baselines


def kmeans_ends(X: Array, k: int, n_runs: int) -> list[tuple[Labels, float]]:
    """Runs of k-means from random rows, with their objectives."""
    model = partial(KMeans, k, init="random", n_init=1)
    with warnings.catch_warnings():  # a narrow width leaves fewer distinct rows than clusters
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [model(random_state=seed).fit(X) for seed in range(n_runs)]
    return [(model.labels_, float(model.inertia_)) for model in models]


def affinity(X: Array, width: str) -> Array:
    """A Gaussian of so many median distances, or with a width for each row: its 7th neighbour."""
    apart = cdist(X, X)
    if width == "local":
        near = np.maximum(np.sort(apart, axis=1)[:, min(7, len(X) - 1)], 1e-9 * apart.max())
        A = np.exp(-(apart**2) / np.outer(near, near))
    else:
        A = np.exp(-0.5 * (apart / (float(width) * median_width(X))) ** 2)
    np.fill_diagonal(A, 0.0)
    return A


def spectral_view(X: Array, k: int, width: str) -> Array:
    """The rows as spectral clustering (Ng, Jordan and Weiss) shows them to k-means."""
    A = affinity(X, width)
    half = 1 / np.sqrt(np.maximum(A.sum(axis=1), 1e-300))
    n = len(X)
    vectors = part_of_spectrum(half[:, None] * A * half, n - k, n - 1)[1]
    return normalize(vectors)


def views(X: Array, k: int, scaling: str) -> Iterator[tuple[str, str, Array]]:
    """(method, setting, coordinates); each on the data as treated, and standardised for itself."""
    scaled = {"treated": X} | ({} if scaling == "z-score" else {"z-score": scale(X)})
    for how, Z in scaled.items():
        sizes = {"2": 2, "K - 1": k - 1, "K": k, "95 %": 0.95}
        for words in COMPONENTS:
            if not (words == "2" and k == 2):  # that is K
                size = min(sizes[words], Z.shape[1])
                yield "k-means + PCA", f"{how}, {words}", PCA(size, random_state=0).fit_transform(Z)
        for width in WIDTHS:
            yield "Spectral", f"{how}, {width}", spectral_view(Z, k, width)


def baseline_runs(X: Array, y: Labels, k: int, scaling: str) -> Iterator[tuple[str, str, Runs]]:
    """The runs of every baseline in every setting."""
    yield "k-means", "", scored(y, kmeans_ends(X, k, N_RUNS), definitions)
    for method, setting, Z in views(X, k, scaling):
        n_runs = SPECTRAL_RUNS if method == "Spectral" else N_RUNS
        yield method, setting, scored(y, kmeans_ends(Z, k, n_runs), definitions)


# ------------------------------------------------------------------------------ CPCM and LDA-km


def own_runs(X: Array, y: Labels, k: int, scaling: str) -> Iterator[tuple[str, str, Runs]]:
    """The ends of random starts of CPCM with least squares and of LDA-km, and of kernel ridge."""
    cpcm = partial(CPCM, k, choose="blur", random_state=0)
    models = {
        "CPCM-LSR": cpcm(starts="random", n_init=N_RUNS),
        "CPCM-RKHS": cpcm(predictor="kernel-ridge", n_init=KERNEL_RUNS),
        "LDA-km": cpcm(predictor="lda-within", starts="random", n_init=N_RUNS),
    }
    for method, model in models.items():
        ends = [(end.labels, end.objective) for end in model.fit(X).restarts_]
        yield method, "", scored(y, ends, definitions)


def work(cell: Cell) -> Iterator[Row]:
    """The numbers that would be printed, for every report and definition."""
    treatment = {key: cell[key] for key in ("scaling", "columns", "clusters")}
    runs_of = own_runs if cell["part"] == "own" else baseline_runs
    for method, setting, runs in runs_of(*data(cell), cell["scaling"]):
        for report in REPORTS:
            numbers = reported(runs, report, LOWER, 0.001)
            yield {"method": method, "setting": setting, "treatment": treatment, **numbers}


# ----------------------------------------------------------------------------------- the search


def text(name: str) -> Mapping[str, str]:
    """The choices of the book, since the paper states none."""
    return {
        "scaling": "none", "columns": PLAIN, "clusters": "classes", "k-means": "",
        "k-means + PCA": "z-score, K - 1", "Spectral": "z-score, 1",
    }  # fmt: skip


@cache
def printed() -> Mapping[tuple[str, str, str], float]:
    """Table 1 as it is printed."""
    return {
        (name, score, method): value
        for name, rows in TABLE_1.items()
        for score, row in zip(("vi", "rand"), rows, strict=True)
        for method, value in zip(TABLE_1_METHODS, row, strict=True)
    }


SEARCH = Search(
    name="cpcm-table-1",
    treatments=treatments,
    work=work,
    baselines=BASELINES,
    own=OWN,
    scores={"vi": VI, "rand": ("Rand index",)},
    reports=REPORTS,
    text=text,
    printed=printed,
    sets=lambda: list(TABLE_1),
)
