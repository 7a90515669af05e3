"""Every method on every data set, and on sets whose one difficulty is known: chapter 8's tables.

``umlbook reproduce side-by-side causes seconds`` computes them again (a quarter of an hour on one
core); the stored copies are ``results/side_by_side.csv``, ``causes.csv`` and ``seconds.csv``.

Data are standardised; of sets with more than 500 rows, 500 are drawn, class by class. Methods with
pairs get 20 of each kind. A setting is chosen in three ways from the same fits: ``default`` takes
the first, ``cut`` the one that cuts the fewest neighbours apart (no labels needed), ``label`` the
one with the highest adjusted Rand index (papers choose by the labels too, and nobody can who needs
a clustering). Every clustering is scored twice: on all rows, and (``untouched``, the adjusted Rand
index) on the rows that are in none of the pairs drawn with its seed, whether the method saw these
pairs or not, so that methods with and without pairs can be compared on rows of which neither was
told anything.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from umlbook.algebra import Array, Labels
from umlbook.constraints import sample
from umlbook.cpd import neighbor_graph, normalized_cut
from umlbook.datasets import load
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row, grouped, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.methods import METHODS, PairArguments, Setting
from umlbook.scores import (
    adjusted_rand_index,
    clustering_accuracy,
    normalized_mutual_information,
    purity,
    rand_index,
)

DATASETS = (
    "iris", "wine", "breast_cancer", "breast_wisconsin", "pima", "auto_mpg", "dermatology",
    "ecoli", "glass", "balance_scale", "lymphography", "satimage", "vehicle", "vowel",
    "soybean_small", "sonar", "ionosphere", "promoter", "solar_flare", "usps20", "digits",
)  # fmt: skip
N_SEEDS, N_DRAWS, N_ROWS, N_PAIRS = 3, 5, 500, 20
RULES = ("default", "cut", "label")
SCORES: Mapping[str, Callable[..., float]] = {
    "ACC": clustering_accuracy,
    "NMI": normalized_mutual_information,
    "purity": purity,
    "Rand": rand_index,
    "ARI": adjusted_rand_index,
}


# --------------------------------------------------------------------------------- the data


@cache
def data(name: str) -> tuple[Array, Labels]:
    """A bundled set, thinned and standardised; columns that do not vary are left out."""
    bunch = load(name)
    X, y = np.asarray(bunch.data, dtype=float), np.asarray(bunch.target)
    if len(X) > N_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=N_ROWS, stratify=y, random_state=0)
    return scale(X[:, np.ptp(X, axis=0) > 0]), y


def stretched(length: float, rng: np.random.Generator) -> tuple[Array, Labels]:
    """Three clusters side by side, ``length`` times as long as wide, turned by 30 degrees."""
    y = np.repeat(np.arange(3), 50)
    X = rng.standard_normal((150, 2)) * [1.0, length] + np.column_stack([6.0 * y, 0 * y])
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    return X @ np.array([[c, s], [-s, c]]), y


def with_noise(n_noise: float, rng: np.random.Generator) -> tuple[Array, Labels]:
    """Three round clusters in two features, and ``n_noise`` features of the same variance."""
    y = np.repeat(np.arange(3), 50)
    centers = 4.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    X = centers[y] + rng.standard_normal((150, 2))
    return np.column_stack([X, X.std() * rng.standard_normal((150, int(n_noise)))]), y


def bent(bend: float, rng: np.random.Generator) -> tuple[Array, Labels]:
    """Two parallel lines (0) that are bent into two interlocked moons (1)."""
    t, y = np.tile(np.linspace(0, np.pi, 75), 2), np.repeat([0, 1], 75)
    x = np.where(y == 0, np.cos(t), 1 - np.cos(t))
    lower = bend - 0.5  # half a unit below the upper one, inside of it when bent
    height = np.where(y == 0, bend * np.sin(t), lower - bend * np.sin(t))
    return np.column_stack([x, height]) + 0.08 * rng.standard_normal((150, 2)), y


CAUSES: Mapping[str, tuple[Callable[..., tuple[Array, Labels]], tuple[float, ...]]] = {
    "length": (stretched, (1, 3, 10)),
    "noise features": (with_noise, (0, 5, 20)),
    "bend": (bent, (0.0, 0.5, 1.0)),
}


# --------------------------------------------------------------------------------- the fits


def drawn_pairs(y: Labels, n_pairs: int, seed: int) -> PairArguments:
    """Pairs of each kind as arguments of ``fit``."""
    must, cannot = sample(y, n_pairs, n_pairs, random_state=seed)
    return {"must_link": must, "cannot_link": cannot}


def labelled(
    X: Array, k: int, method: str, seed: int, pairs: PairArguments, setting: Setting
) -> Labels:
    """The labels of one fit; one that has not settled is taken as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(METHODS[method].labels(X, k, seed, pairs, **setting))


def untouched_rows(n_rows: int, pairs: PairArguments) -> NDArray[np.bool_]:
    """Which rows are in no pair."""
    free = np.ones(n_rows, dtype=bool)
    free[np.concatenate([pair.ravel() for pair in pairs.values()])] = False
    return free


def scored(X: Array, y: Labels, method: str, seed: int, n_pairs: int) -> Iterator[Row]:
    """The scores of one method under each rule of choosing its setting."""
    k, graph, drawn = len(np.unique(y)), neighbor_graph(X), drawn_pairs(y, n_pairs, seed)
    pairs, free = drawn if METHODS[method].pairs else {}, untouched_rows(len(y), drawn)
    fits = [labelled(X, k, method, seed, pairs, setting) for setting in METHODS[method].settings]
    cuts = [normalized_cut(graph, labels, k) for labels in fits]
    chosen = {
        "default": 0,
        "cut": int(np.argmin(np.round(cuts, 9))),
        "label": int(np.argmax([adjusted_rand_index(y, labels) for labels in fits])),
    }
    for rule, i in chosen.items():
        scores = {name: round(float(score(y, fits[i])), 4) for name, score in SCORES.items()}
        untouched = round(float(adjusted_rand_index(y[free], fits[i][free])), 4)
        yield {"rule": rule, **scores, "untouched": untouched, "n_untouched": int(free.sum())}


def work(cell: Cell) -> list[Row]:
    """One method on one data set with one seed."""
    X, y = data(cell["dataset"])
    return [cell | row for row in scored(X, y, cell["method"], cell["seed"], N_PAIRS)]


def time_work(cell: Cell) -> list[Row]:
    """Processor seconds of one fit at the default setting."""
    X, y = data(cell["dataset"])
    method = METHODS[cell["method"]]
    pairs = drawn_pairs(y, N_PAIRS, 0) if method.pairs else {}
    start = time.process_time()
    labelled(X, len(np.unique(y)), cell["method"], 0, pairs, method.settings[0])
    return [cell | {"seconds": round(time.process_time() - start, 3)}]


def cause_work(cell: Cell) -> list[Row]:
    """One method on one draw of a set whose difficulty is known; no labels choose a setting."""
    make, _ = CAUSES[cell["cause"]]
    X, y = make(cell["value"], np.random.default_rng(cell["seed"]))
    rows = scored(scale(X), y, cell["method"], cell["seed"], 10)
    found = {row["rule"]: row for row in rows}
    cut = {"ARI": found["cut"]["ARI"], "untouched": found["cut"]["untouched"]}
    return [cell | cut | {"default": found["default"]["ARI"]}]


# ------------------------------------------------------------------------------ the targets


def cells(quick: bool) -> list[Cell]:
    """The seeds in turn, so that a run cut short has a few of everything."""
    return [
        {"dataset": name, "method": method, "seed": seed}
        for seed in range(1 if quick else N_SEEDS)
        for name in (("iris", "wine", "soybean_small") if quick else DATASETS)
        for method in METHODS
    ]


def cause_cells(quick: bool) -> list[Cell]:
    """Every difficulty at three strengths."""
    return [
        {"cause": cause, "value": value, "method": method, "seed": seed}
        for seed in range(1 if quick else N_DRAWS)
        for cause, (_, values) in CAUSES.items()
        for value in values
        for method in METHODS
    ]


def time_cells(quick: bool) -> list[Cell]:
    """Sets of 500 rows."""
    names = ("pima", "vowel", "usps20")
    return [{"dataset": d, "method": m} for d in (names[:1] if quick else names) for m in METHODS]


def means(rows: list[Row], score: str, *keys: str) -> dict[tuple[object, ...], float]:
    """The mean of a score over all rows that agree in some columns."""
    return {key: float(np.mean(values)) for key, values in grouped(rows, score, *keys).items()}


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean adjusted Rand index of each method on each set: by labels, and honestly by the cut."""
    found = means(rows, "ARI", "dataset", "method", "rule")
    for name, method, rule in found:
        if rule == "label":
            yield Comparison(
                str(name), "ARI", str(method), None, found[name, method, "label"],
                honest=found[name, method, "cut"],
            )  # fmt: skip


def cause_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean adjusted Rand index at each strength of each difficulty."""
    for (cause, value, method), ours in means(rows, "ARI", "cause", "value", "method").items():
        yield Comparison(f"{cause} {value:g}", "ARI", str(method), None, ours)


def time_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean processor seconds of each method."""
    for (method,), ours in means(rows, "seconds", "method").items():
        yield Comparison("500 rows", "seconds", str(method), None, ours)


TARGETS = (
    Target(
        "side-by-side",
        "umlbook",
        "28 methods on twenty-one data sets (chapter 8)",
        Source("side-by-side", cells, work, partial(stored, "side_by_side")),
        comparisons,
    ),
    Target(
        "causes",
        "umlbook",
        "what each method is good for: length, noise features, bend (chapter 8)",
        Source("causes", cause_cells, cause_work, partial(stored, "causes")),
        cause_comparisons,
    ),
    Target(
        "seconds",
        "umlbook",
        "processor seconds of one fit of each method (chapter 8)",
        Source("seconds", time_cells, time_work, partial(stored, "seconds")),
        time_comparisons,
    ),
)
