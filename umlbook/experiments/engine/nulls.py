"""What chance alone would find in a search of protocols: numbers of elsewhere in place of print.

Two questions are asked. How many protocols fit baselines that were not printed in this place
(`null`)? And, once the protocols that fit are kept: how often would a number of elsewhere have
passed for a cell of the paper's own method (`chance`)? The second matters because a cell is called
reproduced under *one* of the protocols kept, and with many of them something always agrees.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import isnan
from typing import Any

import numpy as np

from umlbook.experiments.engine.agreement import REPRODUCED
from umlbook.experiments.engine.protocols import (
    ANOTHER,
    NOT_UNDER_ANY,
    Printed,
    Search,
    Shared,
    fitting,
    judged,
    number_of_protocols,
)
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison

OWN, BASELINE = "own", "baseline"
OTHER_SETS, OTHER_METHODS = "chance, other sets", "chance, other methods"


def shuffled_methods(search: Search, printed: Printed) -> list[Printed]:
    """The printed column with its baselines exchanged, in every way but the printed one."""
    return [
        {(s, m): printed[s, dict(zip(search.baselines, order, strict=True)).get(m, m)]
         for s, m in printed}
        for order in permutations(search.baselines)
        if order != search.baselines
    ]  # fmt: skip


def other_columns(search: Search, dataset: str) -> list[Printed]:
    """The printed columns of the other data sets."""
    names = dict.fromkeys(name for name, _, _ in search.printed())
    return [search.printed_of(name) for name in names if name != dataset]


def null(shared: list[Shared], others: list[Printed]) -> tuple[float, float]:
    """Mean number of protocols that fit numbers of elsewhere, and the share of these with any."""
    counts = [number_of_protocols(fitting(shared, printed)) for printed in others]
    return float(np.mean(counts)), float(np.mean([count > 0 for count in counts]))


def elsewhere(search: Search, cell: Comparison) -> dict[str, list[float]]:
    """Numbers of the same score that were not printed for this cell: the two nulls of a cell.

    Those of the paper's own methods on the other sets, and those of the other methods on this one.
    """
    found: dict[str, list[float]] = {OTHER_SETS: [], OTHER_METHODS: []}
    for (dataset, score, method), value in search.printed().items():
        if score == cell.score and not isnan(value):
            if dataset != cell.dataset and method not in search.baselines:
                found[OTHER_SETS].append(value)
            if dataset == cell.dataset and method != cell.method:
                found[OTHER_METHODS].append(value)
    return found


def chance(numbers: list[float], cell: Comparison, *under: Any) -> float:
    """The share of these numbers that would be reproduced under a protocol that fits.

    What follows the cell is what `judged` takes. Numbers that agree with the text's protocol are
    left out, as a cell with such a number is not asked about.
    """
    said = [judged(replace(cell, printed=x), *under)["verdict"] for x in numbers]
    differ = [verdict == ANOTHER for verdict in said if verdict != REPRODUCED]
    return float(np.mean(differ)) if differ else 1.0


def with_chance(search: Search, cell: Comparison, *under: Any) -> Row:
    """The verdict on a cell; whose it is; and of the own method, how often chance has as much."""
    row = judged(cell, *under)
    row |= {"part": BASELINE if cell.method in search.baselines else OWN}
    asked = row["part"] == OWN and row["verdict"] in (ANOTHER, NOT_UNDER_ANY)
    return row | {
        name: round(chance(numbers, cell, *under), 3) if asked else ""
        for name, numbers in elsewhere(search, cell).items()
    }


def own_counts(verdicts: list[Row]) -> Row:
    """Own cells that differ under the text's protocol where one fits; those that another gives."""
    asked = [row for row in verdicts if row[OTHER_SETS] != ""]
    return {
        "own that differ": len(asked),
        "own under another": sum(row["verdict"] == ANOTHER for row in asked),
        "own by chance, other sets": round(sum(row[OTHER_SETS] for row in asked), 2),
        "own by chance, other methods": round(sum(row[OTHER_METHODS] for row in asked), 2),
    }
