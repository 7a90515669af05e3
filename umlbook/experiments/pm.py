"""Figures 2 and 3 and Table 2 of the PM paper: seven metrics, 20 sets of pairs, 20 k-means runs.

``python -m umlbook.experiments.pm --minutes 40`` runs what is missing of ``results/pm_scores.csv``
and appends it, one data set and one set of pairs at a time: it may be stopped and started at will.
Chapter 7 reads the stored file.

A method turns data and pairs into coordinates; k-means runs there 20 times from random starts, and
the mean of its modified Rand indices (Eq. 33) is one number in the file. The paper states the
kernel, its width, the schedule and the numbers of pairs and runs. Ours are the synthetic sets
(`umlbook.datasets`, 100 points), at most 30 components, the labelled-only start, and the pixels
of the digits divided by 255 (the width of Eq. 31 depends on such things).
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from umlbook.algebra import Array, Labels
from umlbook.constraints import IntArray, sample
from umlbook.daem import ProbabilisticMetric
from umlbook.datasets import MissingExtraError, load, make_circle, make_cross, make_two_moons
from umlbook.rivals import ITML, RCA
from umlbook.scores import modified_rand

RESULTS = Path(str(files("umlbook.experiments"))) / "results"
SCORES = RESULTS / "pm_scores.csv"
N_SETS, N_RUNS, N_SAMPLES = 20, 20, 100
N_PAIRS = (10, 20, 40)
SHAPES: Mapping[str, Callable[..., tuple[Array, Labels]]] = {
    "circle": make_circle,
    "cross": make_cross,
    "moon": make_two_moons,
}
TABLES = ("soybean_small", "wine", "sonar", "glass", "ionosphere", "breast_cancer", "balance_scale")
DIGITS = {"123": (1, 2, 3), "456": (4, 5, 6), "789": (7, 8, 9)}

#: Table 2: mean and spread printed for digits 123, 456, 789.
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
Cell = tuple[str, int, int]
"""Data set, pairs of each kind, number of the set of pairs."""


# ------------------------------------------------------------------------------ the metrics


def pm(**params: Any) -> Coordinates:
    """The learned space of PM with its defaults but for ``params``."""

    def coordinates(X: Array, must: IntArray, cannot: IntArray) -> Array:
        model = ProbabilisticMetric(**params, n_init=1, random_state=0)
        *_, last = model.steps(X, must_link=must, cannot_link=cannot)
        return np.asarray(last.embedding)

    return coordinates


def kernel_only(X: Array, must: IntArray, cannot: IntArray) -> Array:
    """The kernel coordinates of PM before anything is learned."""
    with warnings.catch_warnings():  # that there are no pairs is the point
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(next(ProbabilisticMetric().steps(X)).embedding)


def rival(model: RCA | ITML) -> Coordinates:
    """The learned space of a rival; that it stopped at its last round is no news here."""

    def coordinates(X: Array, must: IntArray, cannot: IntArray) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return np.asarray(model.fit(X, must_link=must, cannot_link=cannot).transform(X))

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


def cells() -> Iterator[Cell]:
    """All cells; the sets of pairs in turn, so that a run cut short has a few of every cell.

    The digits cost as much as all tables together: after the first set they come last.
    """
    for number in range(N_SETS):
        yield from ((name, 15, number) for name in SHAPES)
    for number in range(N_SETS):
        yield from ((name, pairs, number) for name in TABLES for pairs in N_PAIRS)
        if number == 0:
            yield from ((name, 30, 0) for name in DIGITS)
    for number in range(1, N_SETS):
        yield from ((name, 30, number) for name in DIGITS)


def cell_scores(cell: Cell, methods: Mapping[str, Coordinates] = METHODS) -> dict[str, float]:
    """The score of every method in one cell."""
    name, n_pairs, number = cell
    X, truth = data(name)
    must, cannot = sample(truth, n_pairs, n_pairs, random_state=number)
    found = {method: mean_score(of(X, must, cannot), truth) for method, of in methods.items()}
    return {method: round(score, 4) for method, score in found.items()}


# ------------------------------------------------------------------------------- the results


def stored(path: Path = SCORES) -> dict[Cell, dict[str, float]]:
    """The scores in the file, by cell."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["dataset"], int(row["pairs"]), int(row["set"])): {
                method: float(row[method]) for method in METHODS
            }
            for row in csv.DictReader(lines)
        }


def scores_by_method(
    dataset: str, n_pairs: int, found: Mapping[Cell, Mapping[str, float]] | None = None
) -> dict[str, Array]:
    """The stored scores of one data set, one array over the sets of pairs for each method."""
    found = stored() if found is None else found
    rows = [row for (name, pairs, _), row in found.items() if (name, pairs) == (dataset, n_pairs)]
    return {method: np.array([row[method] for row in rows]) for method in METHODS}


def tables(quick: bool = False) -> dict[tuple[str, int], dict[str, tuple[float, float, int]]]:
    """Mean, standard deviation and number of sets, by (data set, pairs) and method.

    ``quick`` computes the first set of pairs of the small data sets afresh; otherwise the stored
    file is summed up.
    """
    found: Mapping[Cell, Mapping[str, float]] = stored()
    if quick:
        small = [(name, 15, 0) for name in SHAPES] + [("soybean_small", 10, 0), ("wine", 10, 0)]
        found = {cell: cell_scores(cell) for cell in small}
    summed = {}
    for key in dict.fromkeys((name, pairs) for name, pairs, _ in found):
        by_method = scores_by_method(*key, found)
        summed[key] = {
            method: (float(np.nanmean(v)), float(np.nanstd(v)), len(v))
            for method, v in by_method.items()
        }
    return summed


def extend(path: Path = SCORES, minutes: float = 40.0) -> Iterator[Cell]:
    """Append missing cells to the file until the time is over; yield each when it is written."""
    until, done = time.monotonic() + 60 * minutes, stored(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(",".join(["dataset", "pairs", "set", *METHODS]) + "\n", encoding="utf-8")
    for cell in cells():
        if cell in done:
            continue
        if time.monotonic() > until:
            return
        try:
            scores = cell_scores(cell)
        except MissingExtraError:  # the digits come with the extra "images"
            continue
        with path.open("a", encoding="utf-8", newline="") as lines:
            csv.writer(lines, lineterminator="\n").writerow([*cell, *scores.values()])
        yield cell


def main() -> None:
    """Run what is missing, with a line for each cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=40.0, help="when to stop")
    parser.add_argument("--path", type=Path, default=SCORES)
    given = parser.parse_args()
    for name, pairs, number in extend(given.path, given.minutes):
        print(f"{name}, {pairs} pairs of each kind, set {number}", flush=True)


if __name__ == "__main__":
    main()
