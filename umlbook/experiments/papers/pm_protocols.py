"""The protocols searched for Table 2 of the PM paper (`umlbook.experiments.engine.protocols`).

The paper states the images (500 of each digit, drawn at random from 70,000), 30 pairs of each kind,
20 sets of pairs with 20 starts of k-means each, the score (Eq. 33) and that means are printed. It
does not state whether pixels are scaled, whether principal components are taken first, nor the
parameters of the rivals. What it states is searched too; 100 images of a digit, since the numbers
that Algorithm 1 stores for 1,500 of them fill 27 GB.

Pairs are drawn from all pairs of a kind. As all classes are of one size, drawing classes first, or
with replacement, gives nearly the same pairs, and is not searched; nor are the pairs that others
entail, since 30 pairs among 1,500 images entail two or three more.

Three columns of the table have few choices or none: Euclidean is k-means alone, Xiang's has a
number of columns, ERCA a reading and a shrinkage. These are the baselines.

The images were drawn once by the paper, and ours are another draw. How far this moves k-means is
estimated by drawing ours again with replacement, and taken to move the other columns as far.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA

from umlbook.algebra import Array, Labels
from umlbook.constraints import IntArray, sample
from umlbook.datasets import load
from umlbook.experiments.engine.agreement import deviation, spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.protocols import Search
from umlbook.experiments.engine.reporting import (
    Report,
    Runs,
    entropies,
    number,
    replicates,
    scored,
)
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.papers import pm
from umlbook.experiments.papers.cpcm_protocols import kmeans_ends
from umlbook.experiments.papers.treatments import SCALINGS, turned
from umlbook.rivals import ERCA, TraceRatio

N_CLUSTERS, N_DRAWS, N_SETS, N_STARTS = 3, 12, 4, 10
ALL, FULL = "all", "500"
PIXELS = 28 * 28
BASELINES = ("Euclidean", "Xiang's", "ERCA")
OWN = ("PM", "LLMA", "Kernel-beta", "Baghshah's")
OWN_SETS, OWN_TREATMENT = 2, {"rows": "100", "pairs": "30 + 30"}
"""On how many sets of pairs the methods that are judged are run, and under which treatments.

With 500 images a cell of theirs takes a minute or more; the text's own protocol is in the table.
"""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "scaling": ("0 to 1", "0 to 255", "z-score", "unit rows"),
    "features": (ALL, "50", "10"),
    "rows": (FULL, "100"),
    "pairs": ("30 + 30", "15 + 15"),
}
COLUMNS = {"half": None, "10": 10, "K - 1": N_CLUSTERS - 1}  # of Xiang's projection
REPORTS = (
    Report("mean of all starts", 20, "mean"),
    Report("best of 20 starts", 20, "objective"),
    Report("best of 20 starts by labels", 20, "labels"),
)


def definitions(counts: Array) -> dict[str, float]:
    """The Rand index, as it is, balanced and adjusted; accuracy; mutual information."""
    n = counts.sum()
    pairs = [
        float((x * (x - 1)).sum() / 2) for x in (counts, counts.sum(axis=1), counts.sum(axis=0))
    ]
    both, of_class, of_cluster = pairs
    every = n * (n - 1) / 2
    apart, chance = every - of_class - of_cluster + both, of_class * of_cluster / every
    entropy_class, entropy_cluster, together = entropies(counts)
    shared = entropy_class + entropy_cluster - together
    return {
        "modified Rand": _halves(both, of_cluster, apart, every),
        "balanced by the classes": _halves(both, of_class, apart, every),
        "Rand": (both + apart) / every,
        "adjusted Rand": (both - chance) / ((of_class + of_cluster) / 2 - chance),
        "accuracy": float(counts[linear_sum_assignment(counts, maximize=True)].sum() / n),
        "mutual information": 2 * shared / (entropy_class + entropy_cluster),
    }


def _halves(both: float, same: float, apart: float, every: float) -> float:
    """Mean of the shares of pairs that are right, among those together and those apart."""
    return both / same / 2 + apart / (every - same) / 2


# ------------------------------------------------------------------------------------ the data


def treatments(name: str) -> list[Cell]:
    """All combinations of the choices, but all pixels of 500 images unscaled only, for time."""
    every = (dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values()))
    large = {"features": ALL, "rows": FULL}
    return [c for c in every if c["scaling"].startswith("0") or not large.items() <= c.items()]


def available() -> list[str]:
    """The triples, where the images are installed."""
    try:
        load("mnist5000")
    except ImportError:
        return []
    return list(pm.DIGITS)


@cache
def pixels(name: str) -> tuple[Array, Labels]:
    """The images of a triple between 0 and 1, without the pixels that are black in all of them."""
    X, y = pm.data(name)
    return X[:, X.any(axis=0)], y


@lru_cache(maxsize=8)
def drawn(name: str, scaling: str, features: str, rows: str, draw: int) -> tuple[Array, Labels]:
    """One draw of images, scaled, and in principal components where so asked.

    Of 500 images number 0 are ours, and the others are drawn from these with replacement.
    """
    X, y = pixels(name)
    if rows != FULL or draw:
        rng = np.random.default_rng(draw)
        classes = (np.flatnonzero(y == c) for c in np.unique(y))
        size, again = int(rows), rows == FULL
        taken = np.concatenate([rng.choice(c, size, replace=again) for c in classes])
        X, y = X[taken], y[taken]
    X = np.asarray(SCALINGS["none" if scaling.startswith("0") else scaling](X), dtype=float)
    if features == ALL:
        return turned(X), y
    return PCA(int(features), svd_solver="full").fit_transform(X), y


def pairs_of(y: Labels, words: str, set_number: int) -> tuple[IntArray, IntArray]:
    """A set of as many pairs of each kind as the words say."""
    n_similar, n_dissimilar = (int(word) for word in words.split(" + "))
    return sample(y, n_similar, n_dissimilar, random_state=set_number)


# ---------------------------------------------------------------------------------- baselines


def runs_of(X: Array, y: Labels, n_runs: int) -> Runs:
    """K-means in given coordinates."""
    return scored(y, kmeans_ends(X, N_CLUSTERS, n_runs), definitions)


@cache
def euclidean(name: str, scaling: str, features: str, rows: str) -> list[Runs]:
    """K-means alone on several draws of images, our own first."""
    return [runs_of(*drawn(name, scaling, features, rows, draw), 20) for draw in range(N_DRAWS)]


def same_shrinkage(n_features: int) -> float:
    """What shrinks the kept pixels as a tenth shrinks all 784.

    The pixels that are always black change nothing but the number by which the trace is divided.

    >>> round(same_shrinkage(784), 6)
    0.1
    """
    odds = 0.1 / 0.9 * n_features / PIXELS
    return odds / (1 + odds)


def baseline_models(features: str, n_features: int) -> Iterator[tuple[str, str, pm.Coordinates]]:
    """(method, setting, from data and pairs to coordinates)."""
    for words, n_columns in COLUMNS.items():
        yield "Xiang's", words, pm.rival(TraceRatio(n_components=n_columns))
    tenth = same_shrinkage(n_features) if features == ALL else 0.1
    for scatter in ("original", "whitened"):
        yield "ERCA", scatter, pm.rival(ERCA(scatter=scatter, shrinkage=tenth))
    yield "ERCA", "shrunk by half", pm.rival(ERCA(shrinkage=0.5))


@cache
def baseline_runs(
    name: str, scaling: str, features: str, rows: str, pairs: str
) -> dict[tuple[str, str], list[Runs]]:
    """The runs of every baseline in every setting, one entry for each set of pairs."""
    found: dict[tuple[str, str], list[Runs]] = {("Euclidean", ""): []}
    for number_of_set in range(N_SETS):
        X, y = drawn(name, scaling, features, rows, 0 if rows == FULL else number_of_set)
        must, cannot = pairs_of(y, pairs, number_of_set)
        for method, setting, coordinates in baseline_models(features, X.shape[1]):
            runs = runs_of(coordinates(X, must, cannot), y, N_STARTS)
            found.setdefault((method, setting), []).append(runs)
    return found


def own_runs(cell: Cell) -> dict[tuple[str, str], list[Runs]]:
    """The runs of PM, and of the rivals that have many choices.

    PM is run without its unlabelled pairs, which take nearly all of its time: in the stored cells
    of the digits they change its score by half a point at most (``results/pm_scores.csv``).
    """
    models = {"PM": pm.METHODS["labelled only"]} | {m: pm.RIVALS[m] for m in OWN[1:]}
    found: dict[tuple[str, str], list[Runs]] = {}
    where = [cell[key] for key in ("dataset", "scaling", "features", "rows")]
    for number_of_set in range(OWN_SETS):
        X, y = drawn(*where, number_of_set)
        must, cannot = pairs_of(y, cell["pairs"], number_of_set)
        X = X * 255.0 if cell["scaling"] == "0 to 255" else X  # the kernels are not free of units
        for method in OWN:
            runs = runs_of(models[method](X, must, cannot), y, N_STARTS)
            found.setdefault((method, ""), []).append(runs)
    return found


def printed_number(
    sets: list[Runs], draws: list[Runs], report: Report, one_draw: bool, of_set: float = 0.0
) -> Row:
    """The mean over the sets of pairs, with the spread of another draw of images and of sets.

    Without sets (k-means alone) it is that of our draw, or the mean over all draws. A set of pairs
    deviates by ``of_set`` at least, for methods that are run on few sets.
    """
    row: Row = {"report": report.name}
    for definition in draws[0].scores:
        means = [[replicates(runs, report, definition, False).mean() for runs in some]
                 for some in (sets, draws)]  # fmt: skip
        value = np.mean(means[0] or (means[1][:1] if one_draw else means[1]))
        by_set, by_draw = (deviation(values) if values else 0.0 for values in means)
        by_set = max(by_set, of_set)
        apart = spread(
            (by_draw, 1), (by_draw, 1 if one_draw else len(draws)),
            (by_set, pm.N_SETS), (by_set, max(len(sets), 1)), unit=0.001,
        )  # fmt: skip
        row |= number(definition, float(value), apart)
    return row


def printed_deviation(method: str, name: str) -> float:
    """The deviation that stands behind a mean in Table 2."""
    return dict(zip(pm.DIGITS, pm.PRINTED_DIGITS[method], strict=True))[name][1]


def work(cell: Cell) -> Iterator[Row]:
    """The numbers that would be printed, for every report and definition."""
    if cell["part"] == "own" and not OWN_TREATMENT.items() <= cell.items():
        return
    treatment = {choice: cell[choice] for choice in CHOICES}
    # a unit changes neither k-means nor the baselines
    where = {**treatment, "scaling": treatment["scaling"].replace("255", "1")}
    pairs = where.pop("pairs")
    draws = euclidean(cell["dataset"], **where)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if cell["part"] == "own":
            found = own_runs(cell)
        else:
            found = baseline_runs(cell["dataset"], pairs=pairs, **where)
    for (method, setting), sets in found.items():
        for report in REPORTS:
            of_set = printed_deviation(method, cell["dataset"]) if method in OWN else 0.0
            numbers = printed_number(sets, draws, report, cell["rows"] == FULL, of_set)
            yield {"method": method, "setting": setting, "treatment": treatment, **numbers}


# ----------------------------------------------------------------------------------- the search


def text(name: str) -> Mapping[str, str]:
    """What the paper states, or else the book chose."""
    first = {choice: values[0] for choice, values in CHOICES.items()}
    return {**first, "Euclidean": "", "Xiang's": "half", "ERCA": "original"}


def printed() -> Mapping[tuple[str, str, str], float]:
    """Table 2 as it is printed."""
    return {
        (name, "Rand", column): mean
        for column, cells in pm.PRINTED_DIGITS.items()
        for name, (mean, _) in zip(pm.DIGITS, cells, strict=True)
    }


SEARCH = Search(
    name="pm-table-2",
    treatments=treatments,
    work=work,
    baselines=BASELINES,
    own=OWN,
    scores={
        "Rand": (
            "modified Rand", "balanced by the classes", "Rand", "adjusted Rand", "accuracy",
            "mutual information",
        )
    },
    reports=REPORTS,
    text=text,
    printed=printed,
    sets=available,
)  # fmt: skip
