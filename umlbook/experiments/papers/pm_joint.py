"""One protocol for all three columns of PM's Table 2: more numbers to fit than a column has.

The three triples of digits stand in one table, so they were scaled, drawn and scored alike. The
search (`umlbook.experiments.papers.pm_protocols`) asks of each triple alone which protocols fit.
Here a protocol has to fit the three baselines of all three triples; the settings of the baselines
may still be other ones for each triple. What fits by chance is counted with the printed columns
of the triples exchanged, and with the baselines exchanged in all triples at once.

``python -m umlbook.experiments.papers.pm_joint FOLDER`` reads the records that ``umlbook reproduce
--protocols pm-table-2 --out FOLDER`` has left and writes ``pm_joint.csv`` there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from umlbook.experiments.engine.agreement import REPRODUCED, verdict
from umlbook.experiments.engine.grid import Cell, read_records
from umlbook.experiments.engine.nulls import shuffled_methods
from umlbook.experiments.engine.protocols import (
    Printed,
    Shared,
    chosen,
    combinations,
    fitting,
    text_choices,
)
from umlbook.experiments.engine.storage import Row, store
from umlbook.experiments.papers.pm_protocols import SEARCH

Key = tuple[Any, ...]


def key_of(shared: Shared) -> Key:
    """The choices that all columns share."""
    return shared.treatment, shared.report, shared.definitions


def in_all(found: Mapping[str, list[Shared]], columns: Mapping[str, Printed]) -> set[Key]:
    """The shared choices that fit the printed column of every data set."""
    fits = [{key_of(s) for s in fitting(found[name], columns[name])} for name in found]
    return set.intersection(*fits)


def exchanged_columns(names: list[str]) -> list[dict[str, Printed]]:
    """The printed columns given to other data sets, in every way but the printed one."""
    return [
        {name: SEARCH.printed_of(other) for name, other in zip(names, order, strict=True)}
        for order in permutations(names)
        if list(order) != names
    ]


def exchanged_methods(names: list[str]) -> list[dict[str, Printed]]:
    """The baselines exchanged, in all columns alike."""
    each = {name: shuffled_methods(SEARCH, SEARCH.printed_of(name)) for name in names}
    return [dict(zip(names, columns, strict=True)) for columns in zip(*each.values(), strict=True)]


def own_that_agree(key: Key, own: Mapping[str, list[Row]]) -> int | str:
    """How many cells of the other methods, on all triples, agree with print; blank if not run."""
    treatment, report, ((score, definition),) = key
    rows = [
        (name, row)
        for name, found in own.items()
        for row in found
        if (tuple(sorted(row["treatment"].items())), row["report"]) == (treatment, report)
    ]
    said = [
        verdict(SEARCH.printed_of(name)[score, row["method"]], row[definition],
                row[f"{definition} spread"])
        for name, row in rows
    ]  # fmt: skip
    return said.count(REPRODUCED) if rows else ""


def summary(found: Mapping[str, list[Shared]], own: Mapping[str, list[Row]]) -> list[Row]:
    """One row for each shared choice that fits all columns, those nearest to the text first.

    Each row has the counts of the whole search: shared choices searched, those that fit, and the
    mean number that fit by chance. Without any that fits there is one row with the counts.
    """
    names = list(found)
    printed = {name: SEARCH.printed_of(name) for name in names}
    kept = in_all(found, printed)
    by_columns = [len(in_all(found, other)) for other in exchanged_columns(names)]
    by_methods = [len(in_all(found, other)) for other in exchanged_methods(names)]
    counts: Row = {
        "searched": len({key_of(s) for s in found[names[0]]}),
        "fit": len(kept),
        "by chance, columns exchanged": round(float(np.mean(by_columns)), 2),
        "by chance, methods exchanged": round(float(np.mean(by_methods)), 2),
    }
    first, text = names[0], text_choices(SEARCH, names[0])
    fits = [s for s in fitting(found[first], printed[first]) if key_of(s) in kept]
    rows: list[Row] = []
    for protocol in chosen(fits, printed[first], text):
        changes = protocol.changes(text).items()
        way = [f"{k}: {v}" for k, v in changes if k not in SEARCH.baselines]
        key = protocol.treatment, protocol.report, protocol.definitions
        agree = own_that_agree(key, own)
        rows.append({"changes": len(way), "protocol": "; ".join(way), "own that agree": agree})
    rows.sort(key=lambda row: row["changes"])
    blank: Row = {"changes": "", "protocol": "", "own that agree": ""}
    return [{**counts, **row} for row in rows or [blank]]


def main(folder: Path) -> None:
    """Read the records of the search and write the summary beside them."""
    records = read_records(folder / f"{SEARCH.name}-protocols.jsonl")

    def rows_of(cells: list[Cell]) -> list[Row]:
        return [row for record in records if record.cell in cells for row in record.rows]

    names = SEARCH.sets()
    found = {name: list(combinations(SEARCH, rows_of(SEARCH.cells(name)))) for name in names}
    own = {name: rows_of(SEARCH.cells(name, "own")) for name in names}
    store("pm_joint", summary(found, own), folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
