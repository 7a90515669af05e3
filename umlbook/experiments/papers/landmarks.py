"""How near a method on landmarks comes to the same method on all rows (chapter 8).

``umlbook reproduce landmarks`` computes it again; the stored copy is ``results/landmarks.csv``. Of
2,000 rows of the data of `umlbook.experiments.papers.cost`, some are landmarks. The labels that
come from them are scored against the clusters (``ARI``) and against the labels of the exact method
(``same``), and the objective of the exact method is taken at them, on all 2,000 rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

import umlbook.coordinates
from umlbook.algebra import Array, Labels, indicator, kmeans_objective, one_hot
from umlbook.cpcm import blur_ratio
from umlbook.cpcm.predictors import kernel_basis, kernel_ridge_fit, ridge_penalty
from umlbook.cpd.field import FieldProblem, full_basis
from umlbook.daem import objective as pair_objective
from umlbook.daem import weighted_pairs
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.cost import ESTIMATORS, N_CLUSTERS, blobs, pairs_for
from umlbook.experiments.papers.side_by_side import means
from umlbook.kernels import RBFBank, bank_widths, median_width, rbf
from umlbook.naml import kernel_weights
from umlbook.scores import adjusted_rand_index

N_ROWS, N_SEEDS = 2000, 3
NUMBERS = (50, 100, 200, 500, 1000, N_ROWS)
METHODS = tuple(
    name for name in ESTIMATORS if name not in ("k-means", "SpectralKMeans", "bent metric")
)
"""Those that have landmarks; the bent metric has those of the latent classes' coordinates."""
FIXED = ("latent classes",)
"""Their number of landmarks is that of their coordinates and no parameter."""


@cache
def bank() -> RBFBank:
    """The kernels that NAML has by default."""
    X, _ = blobs(N_ROWS)
    return RBFBank(X, bank_widths(X))


@cache
def field() -> FieldProblem:
    """What CPD-UML solves by default."""
    X, _ = blobs(N_ROWS)
    return FieldProblem(X, full_basis(X, median_width(X)), 2.5e-3 * N_ROWS**2)


def kernel_scatter(X: Array, labels: Labels, model: Any) -> float:
    """The objective of kernel k-means with its default kernel."""
    K, L = rbf(X, sigma=median_width(X)), indicator(labels)
    return float(np.trace(K) - np.sum(L * (K @ L)))


def weighted_fit(X: Array, labels: Labels, model: Any) -> float:
    """F_2 of NAML at the best weights for these labels."""
    return kernel_weights(bank(), indicator(labels), model.lam).objective


def moved_scatter(X: Array, labels: Labels, model: Any) -> float:
    """J of CPD-UML at the best field for these labels."""
    best = field().best_field(indicator(labels))
    return kmeans_objective(best.moved, labels) + best.cost


def ridge_blur(X: Array, labels: Labels, model: Any) -> float:
    """The blur ratio of the labels in their predictions by kernel ridge."""
    basis = kernel_basis(X, median_width(X))
    lam = ridge_penalty(basis.eigenvalues, 8.0)
    return blur_ratio(kernel_ridge_fit(basis, one_hot(labels), lam).values, labels)


def pair_cost(X: Array, labels: Labels, model: Any) -> float:
    """The objective of PM at its last temperature, over all pairs of rows."""
    known = pairs_for("PM", blobs(N_ROWS)[1])
    pairs = weighted_pairs(known["must_link"], known["cannot_link"], len(X))
    return pair_objective(pdist(model.transform(X), "sqeuclidean") - model.mu_, pairs, 1.0)


def own(X: Array, labels: Labels, model: Any) -> float:
    """The objective that the model itself reports: it is that of all rows."""
    return float(model.objective_)


OBJECTIVES: Mapping[str, Callable[[Array, Labels, Any], float]] = {
    "AML": own,
    "CPCM": own,
    "CPCM kernel ridge": ridge_blur,
    "kernel k-means": kernel_scatter,
    "NAML": weighted_fit,
    "CPD-UML": moved_scatter,
    "PM": pair_cost,
    "latent classes": own,
}


def fitted(method: str, n_landmarks: int, seed: int) -> Any:
    """The method on so many landmarks; on all rows it is the exact one."""
    X, y = blobs(N_ROWS)
    model = ESTIMATORS[method](N_CLUSTERS, random_state=seed)
    if method not in FIXED:
        model.set_params(n_landmarks=None if n_landmarks == N_ROWS else n_landmarks)
    default = umlbook.coordinates.MOST_LANDMARKS
    umlbook.coordinates.MOST_LANDMARKS = n_landmarks
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X, **pairs_for(method, y))
    finally:
        umlbook.coordinates.MOST_LANDMARKS = default


def work(cell: Cell) -> list[Row]:
    """One method on all rows, then on fewer and fewer landmarks, three draws of each number."""
    method, (X, y) = cell["method"], blobs(N_ROWS)
    exact, rows = fitted(method, N_ROWS, 0), []
    for m in cell["numbers"]:
        for seed in range(1 if m == N_ROWS else N_SEEDS):
            model = exact if m == N_ROWS else fitted(method, m, seed)
            labels = model.labels_
            scores = {
                "ARI": adjusted_rand_index(y, labels),
                "same": adjusted_rand_index(exact.labels_, labels),
                "objective": OBJECTIVES[method](X, labels, model),
            }
            rounded = {name: float(f"{value:.6g}") for name, value in scores.items()}
            rows.append({"method": method, "landmarks": m, "seed": seed} | rounded)
    return rows


def cells(quick: bool) -> list[Cell]:
    """One cell for each method: the exact fit is made once in it."""
    methods = ("AML", "kernel k-means") if quick else METHODS
    return [{"method": m, "numbers": [*NUMBERS[2:3], N_ROWS] if quick else [*NUMBERS]}
            for m in methods]  # fmt: skip


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean agreement with the exact labels; nothing of it is in print."""
    for (method, m), same in means(rows, "same", "method", "landmarks").items():
        yield Comparison(f"{m} landmarks", "ARI with exact", str(method), None, same)


TARGETS = (
    Target(
        "landmarks",
        "umlbook",
        "methods on landmarks beside the same methods on all of 2,000 rows (chapter 8)",
        Source("landmarks", cells, work, partial(stored, "landmarks")),
        comparisons,
    ),
)
