"""Tables 1 to 3 of the CPD-UML paper with the grids as they are printed.

The paper searched 11 widths of the field (1 to 1024, by powers of two), 11 penalties (1 to 1e10, by
powers of ten) and, for all kernel methods, 16 widths of the kernel (1/32 to 1024): 121 fits of
CPD-UML for each fold, 1,936 of its kernel form. `umlbook.experiments.papers.cpd` has 20 runs of a
part of this grid; here is the whole of it, from the same folds and the same starts, so that the two
can be compared run by run. ``umlbook reproduce --continue cpd-grid-1`` (or 2, or 3: the runs are
the same) goes on from the stored copy, ``results/cpd_grid.csv``, to 20 runs of everything. A run of
one set takes one to two minutes of a processor with a kernel, of USPS20 five, and two without.

At the narrowest widths the kernel is the identity up to rounding, which then chooses its leading
eigenvectors. A pick by labels may take what k-means finds among them: of twelve runs of kernel
k-means one changed on another processor, by three points of accuracy, and no pick by the cut did.

Where a field moves no point by more than 1e-9 of the data's size, a stiffer one moves none either:
its labels are those of that field and are not computed again. The ranges of AML, NAML, RPCA-OM and
FME are not printed; they are ours (`umlbook.experiments.papers.cpd_rivals`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from umlbook.algebra import Array, Labels, cluster_means, nearest_center
from umlbook.cpd import CPDUML, kmeans_labels
from umlbook.cpd.selection import lam_fits
from umlbook.experiments.engine import storage
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.cpd import (
    DATASETS,
    MAX_ITER,
    N_RUNS,
    SCORES,
    Dataset,
    Family,
    all_stored,
    comparisons,
    run_rows,
    values,
)
from umlbook.experiments.papers.cpd_rivals import (
    Labelling,
    clustered,
    embeddings,
    kernel_coordinates,
)
from umlbook.kernels import rbf

SIGMAS = tuple(2.0**i for i in range(11))
LAMS = tuple(10.0**i for i in range(11))
KERNEL_WIDTHS = tuple(2.0**i for i in range(-5, 11))
STILL = 1e-9


def is_still(velocities: Array, points: Array) -> bool:
    """Whether the field moves no point, as far as labels can tell."""
    return float(np.abs(velocities).max()) <= STILL * float(np.abs(points).max())


def kmeans_fit(seen: Array, unseen: Array, n_clusters: int, seed: int) -> Labelling:
    """The best of several k-means runs; new points go to the nearest mean."""
    labels = kmeans_labels(seen, n_clusters, seed)
    return Labelling("k-means", labels, nearest_center(unseen, cluster_means(seen, labels)))


def grid_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, n_landmarks: int | None
) -> Iterator[Labelling]:
    """K-means, and from its labels CPD-UML at every printed sigma and lam."""
    start = kmeans_fit(seen, unseen, n_clusters, seed)
    yield start
    model = CPDUML(n_clusters, y_step="spectral", init=start.seen, n_landmarks=n_landmarks,
                   max_iter=MAX_ITER, random_state=seed)  # fmt: skip
    rows, origin = np.concatenate([seen, unseen]), np.median(seen, axis=0)
    kernel = np.empty((0, 0))  # that of the field; all lam share it
    for sigma in SIGMAS:
        for i, fitted in enumerate(lam_fits(model.set_params(sigma=sigma), seen, LAMS)):
            kernel = kernel if i else rbf(rows, fitted.X_fit_, sigma=sigma)
            velocities = kernel @ fitted.psi_
            moved = (rows + velocities)[len(seen) :]
            labels = nearest_center(moved - origin, fitted.cluster_centers_ - origin)
            yield Labelling("CPD-UML", fitted.labels_, labels)
            if is_still(velocities[: len(seen)], seen):
                break  # the stiffer ones would give the same labels once more


def field_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """CPD-UML in the input space."""
    return list(grid_fits(seen, unseen, n_clusters, seed, spec.n_landmarks))


def kernel_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """CPD-UML on kernel PCA coordinates, at every printed width of the kernel."""
    views = (kernel_coordinates(seen, unseen, width) for width in KERNEL_WIDTHS)
    fits = (fit for view in views for fit in grid_fits(*view, n_clusters, seed, spec.n_landmarks))
    return [in_kernel(fit) for fit in fits if fit.method == "CPD-UML"]


def kernel_kmeans_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """K-means on kernel PCA coordinates, at every printed width of the kernel."""
    views = (kernel_coordinates(seen, unseen, width) for width in KERNEL_WIDTHS)
    return [in_kernel(kmeans_fit(*view, n_clusters, seed)) for view in views]


def in_kernel(fit: Labelling) -> Labelling:
    """The same labels under the name of the kernel method."""
    return replace(fit, method=f"kernel {fit.method}")


def rival_fits(
    seen: Array, unseen: Array, n_clusters: int, seed: int, spec: Dataset
) -> list[Labelling]:
    """RPCA-OM and FME on kernel PCA coordinates, at every printed width, from the common start."""
    start: Labels = kmeans_labels(seen, n_clusters, seed)
    fits = []
    for width in KERNEL_WIDTHS:
        old, new = kernel_coordinates(seen, unseen, width)
        for name, model in embeddings(old.shape[1], n_clusters):
            placed = model.fit(old)
            views = placed.transform(old), placed.transform(new)
            fits.append(clustered(f"kernel {name}", *views, start))
    return fits


FAMILIES: Mapping[str, Family] = {
    "grid": field_fits,
    "kernel grid": kernel_fits,
    "kernel k-means": kernel_kmeans_fits,
    "kernel rivals": rival_fits,
}


def cells(quick: bool) -> list[Cell]:
    """Every run of every set by all families; quick: one run of the two smallest sets."""
    names = ["Cars", "E. coli"] if quick else list(DATASETS)
    runs: Iterable[int] = range(1) if quick else range(N_RUNS)
    return [
        {"dataset": name, "run": run, "family": family}
        for family in FAMILIES
        for run in runs
        for name in names
    ]


def work(cell: Cell) -> list[Row]:
    """The scores of one run on one data set."""
    name, run, family = cell["dataset"], cell["run"], cell["family"]
    return [{**row, "family": family} for row in run_rows(name, run, FAMILIES[family])]


def stored() -> list[Row]:
    """The runs that are stored with the package."""
    return storage.stored("cpd_grid")


def changes(score: str, rule: str) -> list[Row]:
    """The part of the grid beside the whole of it, at the same runs, which are paired."""
    whole = stored()
    runs = {(row["method"], row["dataset"], row["run"]) for row in whole}
    part = [row for row in all_stored() if (row["method"], row["dataset"], row["run"]) in runs]
    before, after = (
        values(sorted(rows, key=lambda row: int(row["run"])), score, rule) for rows in (part, whole)
    )
    return [
        {
            "method": method, "dataset": name, "runs": len(found),
            "part": round(float(before[method, name].mean()), 2),
            "whole": round(float(found.mean()), 2),
            "gain": round(float((found - before[method, name]).mean()), 2),
        }
        for (method, name), found in after.items()
        if method != "k-means"
    ]  # fmt: skip


def compared(score: str, rows: list[Row]) -> Iterator[Comparison]:
    """The printed cells beside ours, of methods with at least two runs: one has no spread."""
    runs = values(rows, score, "label")
    for cell in comparisons(score, rows):
        if len(runs.get((cell.method, cell.dataset), ())) > 1:
            yield cell


RUNS = Source("cpd-grid", cells, work, stored)
TARGETS = tuple(
    Target(f"cpd-grid-{i}", "CPD-UML", f"Table {i} ({score}) with the grids as they are printed",
           RUNS, partial(compared, score))
    for i, score in enumerate(SCORES, 1)
)  # fmt: skip
