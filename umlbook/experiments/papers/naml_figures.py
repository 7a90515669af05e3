"""Figures 1 and 2 and Table 5 of the NAML paper: passes, lambda, kernel weights.

``umlbook reproduce naml-figure-1 naml-figure-2 naml-table-5`` computes them again; the stored
copies are ``results/naml_iterations.csv``, ``naml_lambda.csv`` and ``naml_weights.csv``. The
paper's set AR03P is not available: satimage, wine and (with the extra ``images``) ORL10P stand in.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from umlbook.algebra import indicator
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.pictures import draw_curves
from umlbook.experiments.engine.storage import Row, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.naml import SETS, available, data, kmeans, naml_states
from umlbook.kernels import RBFBank, bank_widths
from umlbook.naml import kernel_weights
from umlbook.scores import clustering_accuracy, normalized_mutual_information

LAMS = tuple(10.0**e for e in (-8, -6, -4, -2, -1, 0, 1, 2, 3, 5))


def lambda_row(dataset: str, l_step: str, lam: float) -> Row:
    """Figure 2: scores at one lambda, with the passes that were needed; one run of large sets."""
    X, y = data(dataset)
    n_runs = 3 if len(X) < 300 else 1
    bank, k = RBFBank(X, bank_widths(X)), len(np.unique(y))
    ends = []
    for seed in range(n_runs):
        states = naml_states(bank, kmeans(X, k, seed), k, seed % len(bank), lam, l_step)
        ends.append((len(states), states[-1]))
    return {
        "dataset": dataset,
        "l_step": l_step,
        "lam": lam,
        "acc": round(float(np.mean([clustering_accuracy(y, s.labels) for _, s in ends])), 3),
        "mi": round(
            float(np.mean([normalized_mutual_information(y, s.labels) for _, s in ends])), 3
        ),
        "passes": round(float(np.mean([count for count, _ in ends])), 1),
        "kernels_used": round(float(np.mean([np.sum(s.weights > 0) for _, s in ends])), 1),
        "runs": n_runs,
    }


def iteration_rows(name: str = "satimage", first: int = 9) -> Iterator[Row]:
    """Figure 1: accuracy and objective after each pass, from the narrowest kernel."""
    X, y = data(name)
    bank, k = RBFBank(X, bank_widths(X)), len(np.unique(y))
    for lam in (0.01, 100.0):
        for i, state in enumerate(naml_states(bank, kmeans(X, k, 0), k, first, lam)[:12]):
            yield {
                "dataset": name,
                "lam": lam,
                "pass": i + 1,
                "acc": round(clustering_accuracy(y, state.labels), 3),
                "objective": round(state.objective, 5),
            }


def weight_rows(name: str = "ORL10P") -> Iterator[Row]:
    """Table 5: the exact weights at each lambda, for the classes as clusters."""
    X, y = data(name)
    bank = RBFBank(X, bank_widths(X))
    for exponent in range(-8, 6):
        found = kernel_weights(bank, indicator(y), 10.0**exponent)
        weights = {f"w{i + 1}": round(float(w), 4) for i, w in enumerate(found.weights)}
        yield {"dataset": name, "lam": f"1e{exponent}", **weights}


def lambda_cells(quick: bool) -> list[Cell]:
    """Every lambda on every set, with the second rule for L on two of them."""
    return [
        {"dataset": name, "l_step": rule, "lam": lam}
        for name in (["wine"] if quick else available(SETS))
        for rule in (("constant", "eigen") if name in ("iris", "wine") else ("constant",))
        for lam in ((1e-2, 1e1) if quick else LAMS)
    ]


def lambda_work(cell: Cell) -> list[Row]:
    """The one row of a cell."""
    return [lambda_row(**cell)]


def iteration_cells(quick: bool) -> list[Cell]:
    """Satimage stands in for AR03P, which is not available."""
    return [{"name": "wine" if quick else "satimage"}]


def weight_cells(quick: bool) -> list[Cell]:
    """Wine and, with the extra ``images``, ORL10P stand in for AR03P."""
    return [{"name": name} for name in (["wine"] if quick else available(["wine", "ORL10P"]))]


def iteration_work(cell: Cell) -> Iterator[Row]:
    """The passes on one set."""
    return iteration_rows(cell["name"])


def weight_work(cell: Cell) -> Iterator[Row]:
    """The weights on one set."""
    return weight_rows(cell["name"])


def lambda_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Accuracy at each lambda; the paper draws curves without numbers."""
    for row in rows:
        if row["l_step"] == "constant":
            method = f"NAML {row['lam']:g}"
            yield Comparison(row["dataset"], "ACC", method, None, row["acc"], runs=row["runs"])


def iteration_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Accuracy after each pass; the paper draws curves, of another set."""
    for row in rows:
        method = f"lambda {row['lam']:g}, pass {row['pass']}"
        yield Comparison(row["dataset"], "ACC", method, None, row["acc"], runs=1)


def weight_comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """The largest weight at each lambda on a set that stands in."""
    for row in rows:
        weights = [v for k, v in row.items() if k.startswith("w")]
        ours = max(weights)
        yield Comparison(
            row["dataset"], "largest weight", f"NAML {row['lam']}", None, ours,
            runs=1, note="the printed weights are of AR03P, which is in no public package",
        )  # fmt: skip


def curve(rows: list[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    """Two columns of some rows."""
    return [row[x] for row in rows], [row[y] for row in rows]


def draw_lambda(rows: list[Row], fig: Any) -> None:
    """Figure 2: accuracy and MI against lambda, one panel per set."""
    constant = [row for row in rows if row["l_step"] == "constant"]
    panels = {}
    for name in dict.fromkeys(row["dataset"] for row in constant):
        chosen = [row for row in constant if row["dataset"] == name]
        panels[name] = {score: curve(chosen, "lam", score) for score in ("acc", "mi")}
    draw_curves(panels, fig, "lambda", "score", log=True)


def draw_iterations(rows: list[Row], fig: Any) -> None:
    """Figure 1: accuracy after each pass, one panel a lambda."""
    panels = {
        f"lambda = {lam:g}": {
            "accuracy": curve([row for row in rows if row["lam"] == lam], "pass", "acc")
        }
        for lam in dict.fromkeys(row["lam"] for row in rows)
    }
    draw_curves(panels, fig, "pass", "accuracy")


TARGETS = (
    Target(
        "naml-figure-1",
        "NAML",
        "accuracy after each pass (of satimage: AR03P is not available)",
        Source("naml-passes", iteration_cells, iteration_work, partial(stored, "naml_iterations")),
        iteration_comparisons,
        draw_iterations,
    ),
    Target(
        "naml-figure-2",
        "NAML",
        "accuracy and MI against lambda",
        Source("naml-lambda", lambda_cells, lambda_work, partial(stored, "naml_lambda")),
        lambda_comparisons,
        draw_lambda,
    ),
    Target(
        "naml-table-5",
        "NAML",
        "kernel weights against lambda (of wine and ORL10P: AR03P is not available)",
        Source("naml-weights", weight_cells, weight_work, partial(stored, "naml_weights")),
        weight_comparisons,
    ),
)
