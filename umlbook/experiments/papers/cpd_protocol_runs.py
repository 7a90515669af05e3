"""Runs of the methods of the CPD-UML paper under a protocol: fits, their scores, what is picked.

A run has three folds. On each, every method is fitted to the seen points from the same k-means
labels, at each of its parameters; a rule picks one of these fits (`RULES`), and the scores of
the folds are averaged (`runs_of`). `umlbook.experiments.papers.cpd_protocols` has the protocols.

Kernel k-means is the exact one: with a narrow kernel an unseen point is far from all centres alike,
and nearest is the centre of the largest cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.model_selection import KFold

from umlbook.algebra import Array, Labels, nearest_center, one_hot
from umlbook.cpd import neighbor_graph, normalized_cut
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.reporting import Runs
from umlbook.experiments.papers import cpd, naml_protocols
from umlbook.experiments.papers.cpd import DATASETS, N_FOLDS
from umlbook.experiments.papers.cpd_rivals import Labelling, kernel_view, rival_fits
from umlbook.kernels import distances, median_width
from umlbook.lloyd import fill_empty

OWN = (
    "CPD-UML", "kernel CPD-UML", "AML", "RPCA-OM", "FME", "NAML", "kernel RPCA-OM", "kernel FME",
)  # fmt: skip
WIDTHS = tuple(2.0**i for i in range(-5, 11))
FIELDS = (1.0, 4.0, 16.0), (1.0, 1e3, 1e6)
KERNEL_FIELDS = (0.5,), (1e1, 1e3, 1e5)
"""Widths and penalties of CPD-UML under the protocols that fit: a thin grid, for time."""

STARTS = {"best of 10": 10, "one": 1}
POINTS = ("unseen", "seen", "all")
RULES = BY_SEEN, BY_SCORED, BY_EACH, BY_CUT = (
    "parameters by labels of seen points", "parameters by labels of scored points",
    "parameters by labels for each score", "parameters by the cut",
)  # fmt: skip
"""By what the parameters of all methods are picked; scored and seen points may be the same."""

PICKED, MEDIAN = "picked", "median"


def definitions(counts: Array, seen: Array) -> dict[str, float]:
    """All scores in percent; ``seen`` are the counts from which clusters may get their class."""
    n, k = counts.sum(), min(seen.shape)
    rows, columns = linear_sum_assignment(seen, maximize=True)
    found = naml_protocols.definitions(counts)
    found["matched on seen points"] = float(counts[rows[:k], columns[:k]].sum() / n)
    most = seen.argmax(axis=0)
    found["majority of seen points"] = float(counts[most, np.arange(seen.shape[1])].sum() / n)
    return {name: 100 * value for name, value in found.items()}


def counted(truth: Labels, labels: Labels, n_classes: int, n_clusters: int) -> Array:
    """How many points each class and cluster have in common; empty ones keep their place."""
    cells = np.bincount(truth * n_clusters + labels, minlength=n_classes * n_clusters)
    return cells.reshape(n_classes, n_clusters).astype(float)


# ---------------------------------------------------------------------------------- baselines


def kernel_kmeans(K: Array, new: Array, start: Labels, n_clusters: int) -> Labelling:
    """Exact kernel k-means from the kernel of the seen points, and of the unseen with these."""
    labels = start
    for _ in range(100):
        Z = one_hot(labels, n_clusters)
        means = Z / Z.sum(axis=0)
        inner = K @ means
        norms = np.einsum("ik,ik->k", means, inner)
        # rounded, so that of equal distances the first is taken on every machine
        apart = np.round(1 + norms - 2 * inner, 9)
        after = fill_empty(apart.argmin(axis=1), apart.min(axis=1), n_clusters)
        if np.array_equal(after, labels):
            break
        labels = after
    far = np.round(norms - 2 * new @ means, 9).argmin(axis=1)
    return Labelling("kernel k-means", labels, far)


def gaussian_kernels(squares: Array) -> Iterator[Array]:
    """The kernels of all `WIDTHS` from squared distances, the widest first.

    Half the width is the fourth power: two products in place of an exponential. Every fourth one
    is computed anew, so that rounding does not add up.
    """
    K = squares
    for i, width in enumerate(reversed(WIDTHS)):
        K = np.square(np.square(K)) if i % 4 else np.exp(-squares / (2 * width**2))
        yield K


def baseline_fits(
    seen: Array, unseen: Array, start: Labels, n_clusters: int
) -> Iterator[tuple[str, str, Labelling]]:
    """(method, setting, labels): kernel k-means at every width, the narrowest first.

    The order counts: where several widths are equally good on the seen points, as all narrow ones
    are, which leave the labels of the start as they are, the first is picked.
    """
    both = distances(seen, squared=True), distances(unseen, seen, squared=True)
    kernels = zip(*map(gaussian_kernels, both), strict=True)
    fits = [kernel_kmeans(K, new, start, n_clusters) for K, new in kernels]
    for width, fit in zip(WIDTHS, reversed(fits), strict=True):
        yield "kernel k-means", str(width), fit
    K, new = (np.exp(-squares / (2 * median_width(seen) ** 2)) for squares in both)
    yield "kernel k-means", MEDIAN, kernel_kmeans(K, new, start, n_clusters)


def own_fits(
    seen: Array, unseen: Array, start: Labels, n_clusters: int, seed: int, landmarks: int | None
) -> Iterator[tuple[str, str, Labelling]]:
    """CPD-UML on a thin grid, in the input and in three kernel spaces, and the rest of the row."""
    fits = list(cpd.field_fits(seen, unseen, n_clusters, seed, *FIELDS, landmarks))
    for width in cpd.WIDTHS:
        view = kernel_view(seen, unseen, width)
        tried = cpd.field_fits(*view, n_clusters, seed, *KERNEL_FIELDS, landmarks)
        fits += [Labelling(f"kernel {fit.method}", fit.seen, fit.unseen) for fit in tried]
    fits += rival_fits(seen, unseen, start, n_clusters)
    for i, fit in enumerate(fits):
        if fit.method in OWN:
            yield fit.method, str(i), fit


# ------------------------------------------------------------------- folds and what is picked


@dataclass(frozen=True)
class Fit:
    """The scores of a fit on the seen and on the unseen points, and what its labels cut."""

    seen: Mapping[str, float]
    unseen: Mapping[str, float]
    cut: float

    def on(self, points: str) -> Mapping[str, float]:
        """Its scores on these points."""
        return self.unseen if points == "unseen" else self.seen


def picked(fits: list[Fit], rule: str, points: str) -> Mapping[str, float]:
    """The scores that a rule reports of the fits at several parameters."""
    if rule == BY_EACH:
        return {name: max(fit.on(points)[name] for fit in fits) for name in fits[0].seen}
    if rule == BY_CUT:
        return min(fits, key=lambda fit: fit.cut).on(points)
    by: Callable[[Fit], float] = {
        BY_SEEN: lambda fit: fit.seen["accuracy"],
        BY_SCORED: lambda fit: fit.on(points)["accuracy"],
    }[rule]
    return max(fits, key=by).on(points)


Fits = dict[tuple[str, str], Fit]


def fold_fits(
    X: Array, y: Labels, train: Labels, test: Labels, seed: int, cell: Cell
) -> tuple[Fits, float]:
    """All fits on some rows, scored on these and on others, and the inertia of the start."""
    k = int(y.max()) + 1
    n_init = STARTS[cell["starts"]]
    model = KMeans(k, init="random", n_init=n_init, random_state=seed).fit(X[train])
    start = model.labels_.astype(np.intp)
    graph = neighbor_graph(X[train])

    def scored(fit: Labelling) -> Fit:
        seen = counted(y[train], fit.seen, k, k)
        unseen = counted(y[test], fit.unseen, k, k)
        cut = round(normalized_cut(graph, fit.seen, k), 9)
        return Fit(definitions(seen, seen), definitions(unseen, seen), cut)

    tried: Iterator[tuple[str, str, Labelling]] = iter(())
    if cell["part"] == "own":
        landmarks = DATASETS[cell["dataset"]].n_landmarks
        tried = own_fits(X[train], X[test], start, k, seed, landmarks)
    elif cell["part"] == "baselines":
        tried = baseline_fits(X[train], X[test], start, k)
    far = nearest_center(X[test], model.cluster_centers_)
    fits = {("k-means", ""): scored(Labelling("k-means", start, far))}
    fits |= {(method, setting): scored(fit) for method, setting, fit in tried}
    return fits, float(model.inertia_)


def settings(fits: Fits, points: str, rule: str) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """(method, setting, scores): the parameter that was picked, or fixed at the median distance."""
    for method in dict.fromkeys(method for method, _ in fits):
        if method == "k-means":
            yield method, "", fits[method, ""].on(points)
            continue
        own = {setting: fit for (of, setting), fit in fits.items() if of == method}
        varied = [fit for setting, fit in own.items() if setting != MEDIAN]
        yield method, PICKED, picked(varied, rule, points)
        if MEDIAN in own:
            yield method, MEDIAN, own[MEDIAN].on(points)


Key = tuple[str, str, str, str]
"""Points, rule, method and setting."""


def runs_of(X: Array, y: Labels, cell: Cell, n_runs: int) -> dict[Key, Runs]:
    """The scores of all runs, means over the folds, for each rule on each kind of points."""
    everything = np.arange(len(X))
    values: dict[Key, list[Mapping[str, float]]] = {}
    objectives: dict[str, list[float]] = {points: [] for points in POINTS}
    for run in range(n_runs):
        folds = list(KFold(N_FOLDS, shuffle=True, random_state=run).split(X))
        found = [
            fold_fits(X, y, train, test, N_FOLDS * run + i, cell)
            for i, (train, test) in enumerate(folds)
        ]
        whole = [fold_fits(X, y, everything, everything, run, cell)]
        for points, parts in {"unseen": found, "seen": found, "all": whole}.items():
            objectives[points].append(sum(inertia for _, inertia in parts))
            for rule in RULES if points == "unseen" else (BY_SEEN, BY_EACH, BY_CUT):
                listed = [list(settings(fits, points, rule)) for fits, _ in parts]
                for same in zip(*listed, strict=True):
                    method, setting, first = same[0]
                    means = {d: float(np.mean([s[d] for *_, s in same])) for d in first}
                    values.setdefault((points, rule, method, setting), []).append(means)
    return {
        key: Runs({d: np.array([row[d] for row in rows]) for d in rows[0]},
                  np.array(objectives[key[0]]))
        for key, rows in values.items()
    }  # fmt: skip
