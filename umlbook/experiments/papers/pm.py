"""Figures 2 and 3 and Table 2 of the PM paper: all its columns, 20 sets of pairs, 20 k-means runs.

``umlbook reproduce pm-figure-2`` (``pm-figure-3``, ``pm-table-2``) computes them again; the digits
need hours and the extra ``images``. The stored copies are ``results/pm_scores.csv``, PM and what is
set beside it in chapter 7, and ``results/pm_rivals.csv``, the other columns of the paper.

A method turns data and pairs into coordinates; k-means runs there 20 times from random starts, and
the mean of its modified Rand indices (Eq. 33) is one number in the file. The paper states the
kernel, its width, the schedule and the numbers of pairs and runs. Ours are the synthetic sets
(`umlbook.datasets`, 100 points), at most 30 components, the labelled-only start, and the pixels
of the digits divided by 255 (the width of Eq. 31 depends on such things).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from umlbook.algebra import Array, Labels
from umlbook.constraints import IntArray, sample
from umlbook.daem import ProbabilisticMetric
from umlbook.datasets import load, make_circle, make_cross, make_two_moons
from umlbook.experiments.engine import storage
from umlbook.experiments.engine.agreement import deviation, spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.pictures import draw_boxes, draw_curves
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.rivals import ERCA, ITML, LLMA, RCA, Baghshah, KernelBeta, TraceRatio
from umlbook.scores import modified_rand

N_SETS, N_RUNS, N_SAMPLES = 20, 20, 100
N_PAIRS = (10, 20, 40)
SHAPES: Mapping[str, Callable[..., tuple[Array, Labels]]] = {
    "circle": make_circle,
    "cross": make_cross,
    "moon": make_two_moons,
}
TABLES = ("soybean_small", "wine", "sonar", "glass", "ionosphere", "breast_cancer", "balance_scale")
DIGITS = {"1-2-3": (1, 2, 3), "4-5-6": (4, 5, 6), "7-8-9": (7, 8, 9)}

#: Table 2: mean and spread printed for the three triples of digits.
PRINTED_DIGITS = {
    "Euclidean": ((0.868, 0.04), (0.771, 0.06), (0.708, 0.02)),
    "Xiang's": ((0.862, 0.05), (0.828, 0.08), (0.745, 0.05)),
    "ERCA": ((0.853, 0.07), (0.871, 0.07), (0.774, 0.04)),
    "LLMA": ((0.636, 0.05), (0.715, 0.04), (0.645, 0.06)),
    "Kernel-beta": ((0.569, 0.08), (0.561, 0.06), (0.523, 0.01)),
    "Baghshah's": ((0.865, 0.04), (0.902, 0.05), (0.819, 0.01)),
    "PM": ((0.867, 0.03), (0.914, 0.05), (0.830, 0.01)),
}

Coordinates = Callable[[Array, IntArray, IntArray], Array]
Key = tuple[str, int, int]
"""Data set, pairs of each kind, number of the set of pairs."""


# ------------------------------------------------------------------------------ the metrics


def pm(**params: Any) -> Coordinates:
    """The learned space of PM with its defaults except for ``params`` and the paper's eta."""

    def coordinates(X: Array, must: IntArray, cannot: IntArray) -> Array:
        model = ProbabilisticMetric(**params, eta="paper", n_init=1, random_state=0)
        *_, last = model.steps(X, must_link=must, cannot_link=cannot)
        return np.asarray(last.embedding)

    return coordinates


def kernel_only(X: Array, must: IntArray, cannot: IntArray) -> Array:
    """The kernel coordinates of PM before anything is learned."""
    with warnings.catch_warnings():  # that there are no pairs is the point
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(next(ProbabilisticMetric(eta="paper").steps(X)).embedding)


def rival(model: Any) -> Coordinates:
    """The learned space of a rival; warnings that it has not settled are ignored."""

    def coordinates(X: Array, must: IntArray, cannot: IntArray) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mine = clone(model)  # cells may be done side by side, in threads of one process
            return np.asarray(mine.fit(X, must_link=must, cannot_link=cannot).transform(X))

    return coordinates


METHODS: Mapping[str, Coordinates] = {
    "Euclid": lambda X, must, cannot: X,
    "kernel only": kernel_only,
    "labelled only": pm(n_temperatures=0),
    "PM balanced": pm(),
    "PM as printed": pm(form="paper"),
    "RCA": rival(RCA(shrinkage=0.05)),
    "ITML": rival(ITML(max_iter=100, tol=1e-6)),
}


RIVALS: Mapping[str, Coordinates] = {
    "Xiang's": rival(TraceRatio()),
    "ERCA": rival(ERCA()),
    "Kernel-beta": rival(KernelBeta()),
    "Baghshah's": rival(Baghshah()),
    "LLMA": rival(LLMA()),
}
"""The paper's other columns, with the defaults of our implementations; the slow one comes last."""


def mean_score(points: Array, truth: Labels, n_runs: int = N_RUNS) -> float:
    """Mean modified Rand index of k-means from random starts; NaN where all points are one."""
    if not np.ptp(points, axis=0).max() > 0:
        return float("nan")
    n_clusters = len(np.unique(truth))
    with warnings.catch_warnings():  # duplicate points
        warnings.simplefilter("ignore", ConvergenceWarning)
        runs = [
            KMeans(n_clusters, init="random", n_init=1, random_state=run).fit_predict(points)
            for run in range(n_runs)
        ]
    return float(np.mean([modified_rand(truth, labels) for labels in runs]))


# --------------------------------------------------------------------------------- the cells


@cache
def data(name: str) -> tuple[Array, Labels]:
    """Data as the protocol has them: UCI tables standardised, digits between 0 and 1."""
    if name in SHAPES:
        return SHAPES[name](N_SAMPLES, random_state=0)
    if name in DIGITS:
        images = load("mnist5000")
        chosen = np.isin(images.target, DIGITS[name])
        return images.data[chosen] / 255.0, images.target[chosen]
    bunch = load(name)
    return StandardScaler().fit_transform(bunch.data), bunch.target


def cell_scores(key: Key, methods: Mapping[str, Coordinates] = METHODS) -> dict[str, float]:
    """The score of every method in one cell."""
    name, n_pairs, number = key
    X, truth = data(name)
    must, cannot = sample(truth, n_pairs, n_pairs, random_state=number)
    found = {method: mean_score(of(X, must, cannot), truth) for method, of in methods.items()}
    return {method: round(score, 4) for method, score in found.items()}


# ------------------------------------------------------------------------------- the results


def by_key(rows: list[Row]) -> dict[Key, dict[str, float]]:
    """The scores of every method, by data set, pairs and number of the set of pairs."""
    return {
        (row["dataset"], row["pairs"], row["set"]): {m: row[m] for m in METHODS}
        for row in rows
        if "method" not in row
    }


def stored() -> dict[Key, dict[str, float]]:
    """The stored scores, by cell."""
    return by_key(storage.stored("pm_scores"))


def scores_by_method(
    dataset: str, n_pairs: int, found: Mapping[Key, Mapping[str, float]] | None = None
) -> dict[str, Array]:
    """The scores of one data set (by default the stored ones), one array over the sets of pairs."""
    found = stored() if found is None else found
    rows = [row for (name, pairs, _), row in found.items() if (name, pairs) == (dataset, n_pairs)]
    return {method: np.array([row[method] for row in rows]) for method in METHODS}


def tables(
    found: Mapping[Key, Mapping[str, float]] | None = None,
) -> dict[tuple[str, int], dict[str, tuple[float, float, int]]]:
    """Mean, standard deviation and number of sets, by (data set, pairs) and method."""
    found = stored() if found is None else found
    summed = {}
    for key in dict.fromkeys((name, pairs) for name, pairs, _ in found):
        by_method = scores_by_method(*key, found)
        summed[key] = {
            method: (float(np.nanmean(v)), float(np.nanstd(v)), len(v))
            for method, v in by_method.items()
        }
    return summed


# --------------------------------------------------------------------------------- the targets


def grid(
    names: tuple[str, ...], pairs: tuple[int, ...], quick_names: tuple[str, ...], quick: bool
) -> list[Cell]:
    """The sets of pairs in turn, so that a run cut short has a few of every data set."""
    return [
        {"dataset": name, "pairs": n_pairs, "set": number}
        for number in range(2 if quick else N_SETS)
        for name in (quick_names if quick else names)
        for n_pairs in pairs
    ]


def cells(
    names: tuple[str, ...], pairs: tuple[int, ...], quick_names: tuple[str, ...], quick: bool
) -> list[Cell]:
    """All our methods together on every set of pairs, and each rival, the slow one at the end."""
    together = grid(names, pairs, quick_names, quick)
    few = [cell for cell in together if not (quick and cell["set"])]
    *fast, slow = RIVALS
    return [
        *({**cell, "method": method} for cell in few for method in fast),
        *together,
        *({**cell, "method": slow} for cell in few),
    ]


def work(cell: Cell) -> list[Row]:
    """One row: of all our methods, or of one rival."""
    key = cell["dataset"], cell["pairs"], cell["set"]
    if "method" not in cell:
        return [cell | cell_scores(key)]
    scores = cell_scores(key, {cell["method"]: RIVALS[cell["method"]]})
    return [cell | {"score": scores[cell["method"]]}]


def stored_rows(names: tuple[str, ...]) -> list[Row]:
    """The stored rows of some data sets."""
    rows = [*storage.stored("pm_scores"), *storage.stored("pm_rivals")]
    return [row for row in rows if row["dataset"] in names]


def rival_scores(rows: list[Row]) -> dict[tuple[Any, ...], list[float]]:
    """The scores of each rival, one for each set of pairs, by data set, pairs and method."""
    mine = [row for row in rows if "method" in row]
    return storage.grouped(mine, "score", "dataset", "pairs", "method")


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean modified Rand index of every method; figures print no numbers."""
    for (name, pairs), methods in tables(by_key(rows)).items():
        rivals = {m: v for (d, n, m), v in rival_scores(rows).items() if (d, n) == (name, pairs)}
        summed = {m: (np.nanmean(v), np.nanstd(v), len(v)) for m, v in rivals.items()}
        for method, (mean, apart, n_sets) in (methods | summed).items():
            yield Comparison(
                name, f"Rand, {pairs} pairs", method, None, float(mean), float(apart),
                runs=n_sets * N_RUNS,
            )  # fmt: skip


OURS = {"Euclidean": "Euclid", "PM": "PM as printed"}
"""The columns of Table 2 that we run on the digits."""


def table2_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Each cell of Table 2; PM beside the printed form, and its balanced form as the honest one."""
    found, rivals = tables(by_key(rows)), rival_scores(rows)
    for column, printed in PRINTED_DIGITS.items():
        for name, (mean, theirs) in zip(DIGITS, printed, strict=True):
            scores = rivals.get((name, 30, column))
            ours = (float(np.mean(scores)), deviation(scores), len(scores)) if scores else None
            if column in OURS and (name, 30) in found:
                ours = found[name, 30][OURS[column]]
            if column == "Euclidean" and ours:  # needs no pairs: the same starts for every set
                ours = ours[0], theirs, N_RUNS
            if ours is None:
                yield Comparison(name, "Rand", column, mean, None, note="not run")
                continue
            apart = spread((theirs, N_SETS), (ours[1], ours[2]), unit=0.001)  # a set of pairs
            honest = found[name, 30]["PM balanced"][0] if column == "PM" else None
            runs = N_RUNS if column == "Euclidean" else ours[2] * N_RUNS
            yield Comparison(name, "Rand", column, mean, ours[0], apart, runs, honest)


def in_print(name: str, pairs: int, rows: list[Row]) -> dict[str, Array]:
    """The scores of the paper's seven columns, those that were run, in its order."""
    ours = scores_by_method(name, pairs, by_key(rows))
    rivals = {m: v for (d, n, m), v in rival_scores(rows).items() if (d, n) == (name, pairs)}
    found = rivals | {column: ours[method] for column, method in OURS.items()}
    return {column: np.array(found[column]) for column in PRINTED_DIGITS if column in found}


def draw_figure2(rows: list[Row], fig: Any) -> None:
    """Box plots over the sets of pairs, one panel a shape."""
    draw_boxes({name: in_print(name, 15, rows) for name in SHAPES}, fig, "modified Rand index")


def draw_figure3(rows: list[Row], fig: Any) -> None:
    """Mean scores against the number of pairs, one panel a data set."""
    panels: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    for name, pairs in dict.fromkeys((name, pairs) for name, pairs, _ in by_key(rows)):
        for column, scores in in_print(name, pairs, rows).items():
            counts, means = panels.setdefault(name, {}).setdefault(column, ([], []))
            counts.append(pairs)
            means.append(float(np.nanmean(scores)))
    draw_curves(panels, fig, "pairs of each kind", "modified Rand index")


def _source(name: str, names: tuple[str, ...], pairs: tuple[int, ...], *quick: str) -> Source:
    return Source(name, partial(cells, names, pairs, quick), work, partial(stored_rows, names))


TARGETS = (
    Target(
        "pm-figure-2",
        "PM",
        "circle, cross and moon, 15 + 15 pairs, 20 sets of pairs x 20 k-means runs",
        _source("pm-shapes", tuple(SHAPES), (15,), *SHAPES),
        comparisons,
        draw_figure2,
    ),
    Target(
        "pm-figure-3",
        "PM",
        "Rand index against the number of pairs on seven UCI sets",
        _source("pm-uci", TABLES, N_PAIRS, "soybean_small", "wine"),
        comparisons,
        draw_figure3,
    ),
    Target(
        "pm-table-2",
        "PM",
        "three triples of MNIST digits, 30 + 30 pairs (extra images)",
        _source("pm-digits", tuple(DIGITS), (30,), "1-2-3"),
        table2_comparisons,
    ),
)
