"""Figures 1 and 2 of the CPD-UML paper: two moons, as accuracies over 20 draws of the points.

``umlbook reproduce cpd-figure-1 cpd-figure-2`` computes them again, in minutes; the stored copies
are ``results/cpd_moons.csv`` and ``results/cpd_moons_kernel.csv``. The paper shows
one draw of each.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from umlbook.cpd import CPDUML, kmeans_labels
from umlbook.datasets import make_two_moons
from umlbook.experiments.engine.agreement import deviation, spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.pictures import draw_boxes
from umlbook.experiments.engine.storage import Row, grouped, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.scores import clustering_accuracy
from umlbook.spectral import KernelKMeans

N_DRAWS = 20
WIDTHS = (4.0, 8.0, 16.0, 32.0)
PRINTED = {"CPD-UML": 0.99}


def seeds(quick: bool) -> list[Cell]:
    """One cell for each draw of the points."""
    return [{"seed": seed} for seed in range(3 if quick else N_DRAWS)]


def moons_work(cell: Cell) -> Iterator[Row]:
    """K-means, our defaults and the paper's reading on one draw, sigma = 1, lambda = 100."""
    X, y = make_two_moons(random_state=cell["seed"])
    field = partial(CPDUML, 2, sigma=1.0, lam=100.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the spectral step may cycle
        found = {
            "k-means": kmeans_labels(X, 2, 0),
            "CPD-UML": field().fit_predict(X),
            "CPD-UML, the paper's Y step": field(y_step="spectral", init="kmeans").fit_predict(X),
        }
    for method, labels in found.items():
        yield cell | {"method": method, "ACC": round(clustering_accuracy(y, labels), 4)}


def kernel_work(cell: Cell) -> Iterator[Row]:
    """Kernel k-means and kernel CPD-UML (sigma the median distance) at the four printed widths."""
    X, y = make_two_moons(random_state=cell["seed"])
    for width in WIDTHS:
        plain = KernelKMeans(2, sigma=width, random_state=0).fit_predict(X)
        field = CPDUML(2, kernel="rbf", kernel_sigma=width, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            moved = field.fit_predict(X)
        for method, labels in {"kernel k-means": plain, "kernel CPD-UML": moved}.items():
            accuracy = round(clustering_accuracy(y, labels), 4)
            yield cell | {"method": f"{method}, width {width:g}", "ACC": accuracy}


def by_method(rows: list[Row]) -> dict[str, list[float]]:
    """The accuracies of each method over the draws."""
    return {method: scores for (method,), scores in grouped(rows, "ACC", "method").items()}


def comparisons(printed: Mapping[str, float], rows: list[Row]) -> Iterator[Comparison]:
    """Mean accuracy of each method."""
    for method, scores in by_method(rows).items():
        run = deviation(scores)
        apart = spread((run, 1), (run, len(scores)), unit=0.01)  # the paper has one draw
        mean = float(np.mean(scores))
        yield Comparison("two moons", "ACC", method, printed.get(method), mean, apart, len(scores))


def draw(rows: list[Row], fig: Any) -> None:
    """Box plots over the draws."""
    draw_boxes({"two moons, 200 points": by_method(rows)}, fig, "accuracy")
    fig.set_size_inches(7, 4.5)


TARGETS = (
    Target(
        "cpd-figure-1",
        "CPD-UML",
        "two moons: k-means and CPD-UML over 20 draws (99 % claimed of one)",
        Source("cpd-moons", seeds, moons_work, partial(stored, "cpd_moons")),
        partial(comparisons, PRINTED),
        draw,
    ),
    Target(
        "cpd-figure-2",
        "CPD-UML",
        "two moons: kernel k-means and kernel CPD-UML at widths 4 to 32",
        Source("cpd-moons-kernel", seeds, kernel_work, partial(stored, "cpd_moons_kernel")),
        partial(comparisons, {}),
        draw,
    ),
)
