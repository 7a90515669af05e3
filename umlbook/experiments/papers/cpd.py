"""Tables 1 to 3 of the CPD-UML paper: seen and unseen points, 3 folds, 20 runs, three scores.

``umlbook reproduce cpd-table-1`` (or 2, or 3: the runs are the same) computes them again, hours of
work that may be stopped and started at will; the stored copies are ``results/cpd_runs.csv`` for the
methods of chapter 6, ``results/cpd_control.csv`` for the control with as many starts to pick from
as CPD-UML has settings, and ``results/cpd_rivals.csv`` for the others.

A method is fitted on two folds and labels the third by its nearest centre. The paper says neither
how the data were scaled nor by what the parameters were picked: scalings are ours (`DATASETS`), and
every pick is made twice, by the labels of the seen points (`"label"`, which a clustering does not
have) and by the normalised cut of a neighbour graph of the seen points (`"cut"`). The grid is a
part of the paper's: widths 1 to 16 of its 1 to 1024 and five penalties of its eleven; the kernel
version works on the leading 20 kernel PCA coordinates. `umlbook.experiments.papers.cpd_grid` has
the grid as printed, `umlbook.experiments.papers.cpd_protocols` the search for the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from scipy.stats import t, ttest_ind
from sklearn.model_selection import KFold
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from umlbook.algebra import Array, Labels, cluster_means, nearest_center
from umlbook.cpd import (
    CPDUML,
    kmeans_labels,
    lam_path,
    neighbor_graph,
    normalized_cut,
    spectral_labels,
)
from umlbook.datasets import load
from umlbook.experiments.engine import storage
from umlbook.experiments.engine.agreement import deviation, paired_spread, spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.cpd_rivals import WIDTHS, Labelling, kernel_view, rival_fits
from umlbook.scores import clustering_accuracy, normalized_mutual_information, purity

N_RUNS, N_FOLDS = 20, 3
SIGMAS = (1.0, 2.0, 4.0, 8.0, 16.0)
LAMS = (1.0, 1e2, 1e3, 1e4, 1e6)
KERNEL_SIGMAS = (0.5, 1.0)  # two points of the feature space are at most 1.42 apart
KERNEL_LAMS = (1e1, 1e3, 1e5)
MAX_ITER = 20
ALPHA = 0.05
ROUNDING = 0.02  # stored scores have two decimals


@dataclass(frozen=True)
class Dataset:
    """Our name, the scaling, and the landmarks (None: all) of one of the paper's sets."""

    name: str
    scaler: Any
    n_landmarks: int | None = None
    sigmas: tuple[float, ...] = SIGMAS


DATASETS: Mapping[str, Dataset] = {
    "Breast": Dataset("breast_wisconsin", FunctionTransformer()),
    "Diabetes": Dataset("pima", StandardScaler()),
    "Cars": Dataset("auto_mpg", StandardScaler()),
    "Dermatology": Dataset("dermatology", MinMaxScaler()),
    "E. coli": Dataset("ecoli", FunctionTransformer()),
    "USPS20": Dataset("usps20", MinMaxScaler((0, 1)), 200, (4.0, 8.0)),
}
METHODS = ("k-means", "no move", "CPD-UML")
CONTROL = "no move, many starts"
SCORES = {
    "ACC": clustering_accuracy,
    "NMI": normalized_mutual_information,
    "purity": purity,
}


# ------------------------------------------------------------------------------ one fold


def field_fits(
    seen: Array,
    unseen: Array,
    n_clusters: int,
    seed: int,
    sigmas: Iterable[float],
    lams: Iterable[float],
    n_landmarks: int | None = None,
) -> Iterator[Labelling]:
    """K-means, the no-move control, and CPD-UML with the spectral step at every sigma and lam."""
    start = kmeans_labels(seen, n_clusters, seed)
    centers = cluster_means(seen, start)
    yield Labelling("k-means", start, nearest_center(unseen, centers))
    model = CPDUML(n_clusters, y_step="spectral", init=start, n_landmarks=n_landmarks,
                   max_iter=MAX_ITER, random_state=seed)  # fmt: skip
    for i, sigma in enumerate(sigmas):
        tried = [*lams, np.inf] if i == 0 else list(lams)  # the control knows no width
        for fitted in lam_path(model.set_params(sigma=sigma), seen, tried):
            name = "no move" if fitted.lam == np.inf else "CPD-UML"
            yield Labelling(name, fitted.labels_, fitted.predict(unseen))


def kernel_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, n_landmarks: int | None
) -> Iterator[Labelling]:
    """The same on kernel PCA coordinates, at several widths of the kernel."""
    for width in WIDTHS:
        yield from field_fits(
            *kernel_view(seen, unseen, width), n_clusters, seed,
            KERNEL_SIGMAS, KERNEL_LAMS, n_landmarks,
        )  # fmt: skip


def picked(
    fits: list[Labelling], rule: str, truth: Labels, seen: Array, n_clusters: int
) -> Labelling:
    """The best fit by the labels of the seen points, or by what it cuts among their neighbours."""
    if rule == "label":
        return max(fits, key=lambda fit: clustering_accuracy(truth, fit.seen))
    graph = neighbor_graph(seen)
    return min(fits, key=lambda fit: normalized_cut(graph, fit.seen, n_clusters))


def own_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """The methods of chapter 6, in the input space and on kernel PCA coordinates."""
    plain = field_fits(seen, unseen, n_clusters, seed, spec.sigmas, LAMS, spec.n_landmarks)
    kernel = kernel_fits(seen, unseen, n_clusters, seed, spec.n_landmarks)
    named = (Labelling(f"kernel {fit.method}", fit.seen, fit.unseen) for fit in kernel)
    return [*plain, *named]


def others_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """The methods that the paper compares with, from the same k-means start."""
    return list(rival_fits(seen, unseen, kmeans_labels(seen, n_clusters, seed), n_clusters))


def still_fits(seen: Array, unseen: Array, n_clusters: int, n_starts: int) -> Iterator[Labelling]:
    """The control from many starts: one k-means run each on the singular vectors, no motion."""
    for seed in range(n_starts):
        centers = cluster_means(seen, spectral_labels(seen, n_clusters, seed, 1), n_clusters)
        yield Labelling(CONTROL, nearest_center(seen, centers), nearest_center(unseen, centers))


def control_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """The control with as many fits to pick from as CPD-UML has, and as its kernel form has."""
    plain = still_fits(seen, unseen, n_clusters, len(spec.sigmas) * len(LAMS))
    kernel = (
        fit
        for width in WIDTHS
        for fit in still_fits(
            *kernel_view(seen, unseen, width), n_clusters, len(KERNEL_SIGMAS) * len(KERNEL_LAMS)
        )
    )
    named = (Labelling(f"kernel {fit.method}", fit.seen, fit.unseen) for fit in kernel)
    return [*plain, *named]


Family = Callable[[Array, Array, int, int, Dataset], list[Labelling]]
"""From seen and unseen points, clusters, seed and data set to the fits of several methods."""

FAMILIES: Mapping[str, Family] = {
    "own": own_fits,
    "control": control_fits,
    "rivals": others_fits,
}


def fold_scores(
    name: str, run: int, fold: int, family: Family = own_fits
) -> Iterator[tuple[tuple[str, str], Array]]:
    """(method, rule) and its scores on the unseen points, for one fold of one run."""
    data, spec = load(DATASETS[name].name), DATASETS[name]
    folds = list(KFold(N_FOLDS, shuffle=True, random_state=run).split(data.data))
    train, test = folds[fold]
    scaler = spec.scaler.fit(data.data[train])
    seen, unseen = scaler.transform(data.data[train]), scaler.transform(data.data[test])
    n_clusters = len(np.unique(data.target))
    fits = family(seen, unseen, n_clusters, N_FOLDS * run + fold, spec)
    for method in dict.fromkeys(fit.method for fit in fits):
        own = [fit for fit in fits if fit.method == method]
        for rule in ("label", "cut"):
            best = picked(own, rule, data.target[train], seen, n_clusters)
            scores = [score(data.target[test], best.unseen) for score in SCORES.values()]
            yield (method, rule), np.array(scores)


def run_rows(name: str, run: int, family: Family = own_fits) -> list[Row]:
    """One run on one data set: the mean over the folds, in percent."""
    totals: dict[tuple[str, str], Array] = {}
    for fold in range(N_FOLDS):
        for key, scores in fold_scores(name, run, fold, family):
            totals[key] = totals.get(key, 0) + 100 * scores / N_FOLDS
    return [
        {"dataset": name, "run": run, "method": method, "rule": rule}
        | {score: round(float(value), 2) for score, value in zip(SCORES, values, strict=True)}
        for (method, rule), values in totals.items()
    ]


# --------------------------------------------------------------------------- what was printed


@cache
def printed() -> Mapping[tuple[str, str, str], tuple[float, float] | None]:
    """Printed mean and deviation by score, method and data set; None where it cannot be read."""
    return {
        (row["score"], row["method"], row["dataset"]): (
            None if row["mean"] == "" else (float(row["mean"]), float(row["deviation"]))
        )
        for row in storage.stored("cpd_printed")
    }


# ------------------------------------------------------------------------------------ tables


def summary(rows: list[Row], score: str, rule: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and standard deviation over the runs, by method and data set."""
    return {key: (float(v.mean()), float(v.std())) for key, v in values(rows, score, rule).items()}


def values(rows: list[Row], score: str, rule: str) -> dict[tuple[str, str], Array]:
    """The scores of the runs, by method and data set."""
    chosen = (row for row in rows if row["rule"] == rule)
    found = storage.grouped(chosen, score, "method", "dataset")
    return {(method, name): np.array(scores, float) for (method, name), scores in found.items()}


def significance(ours: Array, theirs: Array) -> int:
    """1 where ours is significantly better, -1 where worse, 0 where the t-test cannot say."""
    if max(np.ptp(ours), np.ptp(theirs)) < ROUNDING:  # the test divides by their spread
        return int(np.sign(round(float(np.mean(ours) - np.mean(theirs)), 2)))
    test = ttest_ind(ours, theirs)
    return int(np.sign(test.statistic)) if test.pvalue < ALPHA else 0


def corrected_error(ours: Array, theirs: Array) -> float:
    r"""Standard error of the mean difference, which allows for overlapping splits.

    A run is the mean over the `N_FOLDS` folds of one split, so with r runs and fold differences
    of equal variance s^2 and correlation q = 1/`N_FOLDS` (the share of the rows in a test fold)
    between any two, the runs' sample variance estimates (1 - q) s^2 / `N_FOLDS`. The correction of
    Nadeau and Bengio (2003) replaces the factor 1/m of the m = r `N_FOLDS` differences by
    1/m + n_test/n_train. The plain error takes the runs for independent and is far too small.
    """
    gain = np.asarray(ours) - np.asarray(theirs)
    factor = N_FOLDS * (1 / (N_FOLDS * len(gain)) + 1 / (N_FOLDS - 1))
    return float(np.sqrt(factor * gain.var(ddof=1)))


def corrected_p_value(ours: Array, theirs: Array) -> float:
    """P-value of the paired resampled t-test with the error of :func:`corrected_error`.

    >>> corrected_p_value(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.5, 1.0])) > 0.1
    True
    """
    gain = np.asarray(ours) - np.asarray(theirs)
    if np.ptp(gain) < ROUNDING:  # the test divides by their spread
        return float(abs(gain.mean()) < ROUNDING)
    return float(2 * t.sf(abs(gain.mean()) / corrected_error(ours, theirs), len(gain) - 1))


def ranking(samples: Mapping[str, Array]) -> dict[str, float]:
    """The paper's score: 1 for each method beaten significantly, 1/2 for each draw.

    >>> ranking({"a": np.array([1.0, 1.1]), "b": np.array([5.0, 5.1]), "c": np.array([5.0, 5.2])})
    {'a': 0.0, 'b': 1.5, 'c': 1.5}
    """
    scores = dict.fromkeys(samples, 0.0)
    for one, other in combinations(samples, 2):
        won = significance(samples[one], samples[other])
        scores[one] += (1 + won) / 2
        scores[other] += (1 - won) / 2
    return scores


# ------------------------------------------------------------------------------------ targets


def schedule() -> Iterator[tuple[str, int]]:
    """Five runs of everything, then the rest, the slow set last."""
    small = [name for name in DATASETS if name != "USPS20"]
    for first, last, names in ((0, 5, list(DATASETS)), (5, N_RUNS, small), (5, N_RUNS, ["USPS20"])):
        for run in range(first, last):
            yield from ((name, run) for name in names)


def cells(quick: bool) -> list[Cell]:
    """Every run of every data set by all families; quick: one run of the two smallest sets."""
    wanted = [("Cars", 0), ("E. coli", 0)] if quick else list(schedule())
    return [
        {"dataset": name, "run": run, "family": family}
        for name, run in wanted
        for family in FAMILIES
    ]


def work(cell: Cell) -> list[Row]:
    """The scores of one run on one data set."""
    return run_rows(cell["dataset"], cell["run"], FAMILIES[cell["family"]])


def stored() -> list[Row]:
    """The runs of the methods of chapter 6 that are stored with the package."""
    return storage.stored("cpd_runs")


def all_stored() -> list[Row]:
    """The stored runs of all methods, each with its family: they say which cells are done."""
    found = {"own": stored(), "control": stored_control(), "rivals": storage.stored("cpd_rivals")}
    return [{**row, "family": family} for family, rows in found.items() for row in rows]


def stored_control() -> list[Row]:
    """The stored runs of the control with many starts."""
    return storage.stored("cpd_control")


def comparisons(score: str, rows: list[Row]) -> Iterator[Comparison]:
    """Each printed cell of one score beside ours, picked by labels and, for honesty, by the cut."""
    runs = {rule: values(rows, score, rule) for rule in ("label", "cut")}
    for (of, method, name), theirs in printed().items():
        ours, honest = (runs[rule].get((method, name)) for rule in ("label", "cut"))
        if of != score or not _covers(rows, name):
            continue
        if theirs is None or ours is None:
            note = "the printed cell cannot be read" if theirs is None else "not run"
            means = [None if found is None else float(found.mean()) for found in (ours, honest)]
            value = theirs[0] if theirs else nan
            yield Comparison(
                name, score, method, value, means[0], honest=means[1], note=note, points=1
            )
            continue
        yield Comparison(
            name, score, method, theirs[0], float(ours.mean()),
            spread((theirs[1], N_RUNS), (deviation(ours), len(ours)), unit=0.01), len(ours),
            None if honest is None else float(honest.mean()), points=1,
        )  # fmt: skip


def gains(score: str, rows: list[Row]) -> Iterator[Comparison]:
    """The printed gain of each method over k-means beside ours; all label the same folds."""
    ours = values(sorted(rows, key=lambda row: row["run"]), score, "label")
    for (of, method, name), theirs in printed().items():
        base = printed()[score, "k-means", name]
        if of != score or method == "k-means" or not theirs or not base:
            continue
        runs, start = ours[method, name], ours["k-means", name]
        apart = paired_spread(runs, start, N_RUNS, unit=0.01)
        gain, found = round(theirs[0] - base[0], 2), float((runs - start).mean())
        yield Comparison(name, score, method, gain, found, apart, len(runs), points=1)


def _covers(rows: list[Row], name: str) -> bool:
    return any(row["dataset"] == name for row in rows)


RUNS = Source("cpd-runs", cells, work, all_stored)
TARGETS = tuple(
    Target(f"cpd-table-{i}", "CPD-UML", f"{words} on unseen points, ten methods, six data sets",
           RUNS, partial(comparisons, score))
    for i, (score, words) in enumerate(
        {"ACC": "accuracy", "NMI": "normalised mutual information", "purity": "purity"}.items(), 1
    )
)  # fmt: skip
