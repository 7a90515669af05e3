"""What a table prints of several runs: their mean, one of them, or the best; and how it scatters.

A paper makes some runs and prints one number of them. `Report` says which. The number scatters if
the runs are made again, and `reported` estimates how much from runs of ours: it draws as many of
them as the paper made, with replacement, takes the number, and does so many times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy
from sklearn.metrics.cluster import contingency_matrix

from umlbook.algebra import Array, Labels
from umlbook.experiments.engine.agreement import deviation, spread
from umlbook.experiments.engine.storage import Row

DRAWS = 100
Scores = Callable[[Array], Mapping[str, float]]
"""From the counts of class and cluster together to the scores, by definition."""


@dataclass(frozen=True)
class Report:
    """How many runs are made, and what is printed of them: "mean", "objective" or "labels".

    "objective" prints the run with the smallest objective, "labels" the one with the best score,
    which only somebody who knows the classes can pick.
    """

    name: str
    runs: int
    pick: str


@dataclass(frozen=True)
class Runs:
    """The scores of several runs of one method, by definition of the score, and its objective."""

    scores: Mapping[str, Array]
    objective: Array

    def __len__(self) -> int:
        return len(self.objective)


def scored(truth: Labels, found: list[tuple[Labels, float]], scores: Scores) -> Runs:
    """All scores of all runs, given as (labels, objective); equal labels are scored once."""
    known: dict[bytes, Mapping[str, float]] = {}
    rows = []
    for labels, _ in found:
        key = np.asarray(labels, dtype=np.int16).tobytes()
        if key not in known:
            known[key] = scores(contingency_matrix(truth, labels).astype(float))
        rows.append(known[key])
    values = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Runs(values, np.array([objective for _, objective in found]))


def entropies(counts: Array) -> tuple[float, float, float]:
    """Those of the classes, of the clusters, and of both together, in nats."""
    p = counts / counts.sum()
    of_class, of_cluster, together = (
        -float(xlogy(q, q).sum()) for q in (p.sum(axis=1), p.sum(axis=0), p)
    )
    return of_class, of_cluster, together


def replicates(runs: Runs, report: Report, definition: str, lower_is_better: bool) -> Array:
    """The printed number of `DRAWS` experiments, each with runs drawn from ours."""
    index = np.random.default_rng(0).integers(len(runs), size=(DRAWS, report.runs))
    values = runs.scores[definition][index]
    if report.pick == "mean":
        return np.asarray(values.mean(axis=1))
    if report.pick == "labels":
        return np.asarray(values.min(axis=1) if lower_is_better else values.max(axis=1))
    # rounded, so that of equal objectives the first is taken on every machine
    scale = np.abs(runs.objective).max() or 1.0
    best = np.round(runs.objective / scale, 9)[index].argmin(axis=1)
    return np.asarray(values[np.arange(DRAWS), best])


def reported(runs: Runs, report: Report, lower_is_better: frozenset[str], unit: float) -> Row:
    """The printed number and its spread, for every definition of the score."""
    row: Row = {"report": report.name}
    for definition in runs.scores:
        values = replicates(runs, report, definition, definition in lower_is_better)
        own = deviation(values)
        apart = spread((own, 1), (own, len(runs) / report.runs), unit=unit)
        row |= number(definition, float(values.mean()), apart)
    return row


def over_draws(draws: list[Runs], report: Report, lower: frozenset[str], unit: float) -> Row:
    """The same where the data themselves are drawn: a replicate is a draw with all its runs."""
    row: Row = {"report": report.name}
    for definition in draws[0].scores:
        means = [replicates(runs, report, definition, definition in lower).mean() for runs in draws]
        apart = spread((deviation(means), 1), (deviation(means), len(means)), unit=unit)
        row |= number(definition, float(np.mean(means)), apart)
    return row


def number(definition: str, value: float, apart: float) -> Row:
    """A number and its spread as two columns."""
    return {definition: round(value, 4), f"{definition} spread": round(apart, 5)}
