"""``umlbook reproduce --protocols NAME``: search the protocols of a table, then judge its cells.

The searches are the ``SEARCH`` of the modules in `MODULES`; a table of another paper is one more
module there. The grid continues after any stop, in one process or several, as that of a table does.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module

from umlbook.experiments.engine.agreement import MISSING
from umlbook.experiments.engine.grid import Cell, Record
from umlbook.experiments.engine.grid import run as run_cells
from umlbook.experiments.engine.nulls import (
    BASELINE,
    OWN,
    null,
    other_columns,
    own_counts,
    shuffled_methods,
    with_chance,
)
from umlbook.experiments.engine.protocols import (
    ANOTHER,
    JUDGEMENTS,
    Protocol,
    Search,
    Shared,
    alone,
    chosen,
    combinations,
    fitting,
    number_of_protocols,
    protocol_of,
    text_choices,
    value_under,
    values_of,
)
from umlbook.experiments.engine.storage import Row, markdown, store
from umlbook.experiments.engine.target import Comparison

MODULES = (
    "cpcm_protocols", "naml_protocols", "naml4_protocols", "cpd_protocols", "pm_protocols",
)  # fmt: skip


def searches() -> dict[str, Search]:
    """All searches by the names of their tables; one that covers several has as many names."""
    modules = [import_module(f"umlbook.experiments.papers.{name}") for name in MODULES]
    return {table: module.SEARCH for module in modules for table in module.SEARCH.covers}


def file_of(name: str, what: str) -> str:
    """The name of a stored result of a table: ``cpd_verdicts`` for each of CPD-UML's tables.

    The search of a paper's first table has the paper's name, any other one the number as well.

    >>> file_of("naml-table-3", "protocols")
    'naml_protocols'
    """
    paper = name.split("-")[0]
    of_paper = {table: s for table, s in searches().items() if table.split("-")[0] == paper}
    covers = of_paper[name].covers
    number = "" if min(of_paper) in covers else min(covers).split("-")[-1]
    return f"{paper}{number}_{what}"


def summary(search: Search, dataset: str, shared: list[Shared]) -> tuple[Row, list[Protocol]]:
    """Counts for one data set, with both nulls, and the protocols that fit."""
    printed, text = search.printed_of(dataset), text_choices(search, dataset)
    fits = fitting(shared, printed)
    found = chosen(fits, printed, text)
    by_itself = alone(shared, printed)  # which of the baselines is it that fits nowhere?
    by_sets, any_set = null(shared, other_columns(search, dataset))
    by_methods, any_method = null(shared, shuffled_methods(search, printed))
    row = {
        "dataset": dataset,
        "searched": number_of_protocols(shared),
        "fit": number_of_protocols(fits),
        "by chance, other sets": round(by_sets, 2),
        "sets with any": round(any_set, 3),
        "by chance, methods exchanged": round(by_methods, 2),
        "exchanges with any": round(any_method, 3),
        "nearest to the text": found[0].named(text) if found else "",
        "common to all": in_common(found, text),
        "shared choices": len(shared),
        "each baseline alone": ", ".join(f"{m} {by_itself[m]}" for m in search.baselines),
    }
    return row, found


def in_common(found: list[Protocol], text: Mapping[str, str]) -> str:
    """The choices, settings aside, in which all these differ from the text in the same way."""
    changes = [set(protocol.changes(text).items()) - set(protocol.settings) for protocol in found]
    shared = set.intersection(*changes) if changes else set()
    return "; ".join(f"{name}: {value}" for name, value in sorted(shared))


def moves(search: Search, dataset: str, rows: list[Row]) -> Iterator[Row]:
    """Each baseline cell under the text's protocol with one choice changed."""
    text, printed = text_choices(search, dataset), search.printed_of(dataset)
    options = {
        key: dict.fromkeys(r["treatment"][key] for r in rows) for key in rows[0]["treatment"]
    }
    options |= {"report": dict.fromkeys(r["report"] for r in rows)}
    options |= {score: dict.fromkeys(names) for score, names in search.scores.items()}
    for method in search.baselines:
        options[method] = dict.fromkeys(r["setting"] for r in rows if r["method"] == method)
    for choice, values in options.items():
        for value in values:
            protocol = protocol_of(search, {**text, choice: value})
            touched = [choice] if choice in search.baselines else search.baselines
            for method in touched:
                for score in [choice] if choice in search.scores else search.scores:
                    number = value_under(protocol, rows, score, method)
                    if number is not None:
                        where = {"dataset": dataset, "choice": choice, "value": value}
                        cell = {"method": method, "score": score}
                        yield {**where, **cell, "printed": printed[score, method], **number}


def cells_under(
    search: Search, dataset: str, found: list[Protocol], part: str = "own"
) -> list[Cell]:
    """The cells of the grid that these protocols need, by default of the paper's own method."""
    wanted = {protocol.treatment for protocol in found}
    cells = search.cells(dataset, part)
    return [c for c in cells if any(set(t) <= set(c.items()) for t in wanted)]


def searched(search: Search, cells: list[Comparison], args: argparse.Namespace) -> bool:
    """Search, judge all cells, print and write them; False when a cell of the grid failed."""
    path = args.out / f"{search.name}-protocols.jsonl"
    counts: list[Row] = []
    moved: list[Row] = []
    verdicts: list[Row] = []
    failures: list[Record] = []

    def done(grid: list[Cell]) -> list[Row]:
        title = f"{search.name}, {grid[0]['dataset']}" if grid else search.name
        how = {"jobs": args.jobs, "dask": args.dask, "title": title}
        records = run_cells(search.work, grid, path, **how)
        failures.extend(record for record in records if record.error)
        return [row for record in records for row in record.rows]

    names = search.sets()[:1] if args.quick else search.sets()
    for dataset in names:
        rows = done(search.cells(dataset))
        count, found = summary(search, dataset, list(combinations(search, rows)))
        moved += moves(search, dataset, rows)
        rows += done(cells_under(search, dataset, found))
        text = text_choices(search, dataset)
        mine = [
            with_chance(search, cell, found, values_of(cell, found, rows), text)
            for cell in cells
            if cell.dataset == dataset
        ]
        counts.append(count | own_counts(mine))
        verdicts += mine
    missing = [c for c in cells if c.verdict == MISSING and c.dataset not in names]
    verdicts += [with_chance(search, cell, [], [], {}) for cell in missing]
    for what, table in {"protocols": counts, "verdicts": verdicts, "moves": moved}.items():
        store(file_of(search.covers[0], what), table, args.out)
    for line in report(search.name, counts, verdicts, failures):
        print(line)
    return not failures


def report(
    name: str, counts: list[Row], verdicts: list[Row], failures: list[Record]
) -> Iterator[str]:
    """The counts of each data set, the verdicts, and what failed, as text."""
    yield f"{name}: protocols searched, and those under which all baselines agree with print"
    yield markdown(counts)
    said = Counter(row["verdict"] for row in verdicts)
    yield ", ".join(f"{word}: {said[word]}" for word in JUDGEMENTS if said[word])
    yield from own_lines(counts, verdicts)
    for record in failures:
        yield f"failed, tried again by the next run: {record.cell}: {record.error}"


def own_lines(counts: list[Row], verdicts: list[Row]) -> Iterator[str]:
    """Whose the cells under another protocol are, and how many own ones chance would give."""
    parts = Counter(row["part"] for row in verdicts if row["verdict"] == ANOTHER)
    yield f"  of those under another protocol: {parts[OWN]} own, {parts[BASELINE]} baselines"
    differ, another, sets, methods = (sum(row[key] for row in counts) for key in own_counts([]))
    yield (
        f"  own cells that differ where a protocol fits: {differ}; under another: {another}; "
        f"by chance {sets:.1f} (numbers of other sets), {methods:.1f} (of other methods)"
    )
