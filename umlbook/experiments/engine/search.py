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
from umlbook.experiments.engine.protocols import (
    JUDGEMENTS,
    Protocol,
    Search,
    Shared,
    alone,
    chosen,
    combinations,
    fitting,
    judged,
    null,
    number_of_protocols,
    other_columns,
    shuffled_methods,
    text_choices,
    value_under,
)
from umlbook.experiments.engine.storage import Row, markdown, store, stored
from umlbook.experiments.engine.target import Target

MODULES = ("cpcm_protocols", "naml_protocols", "cpd_protocols")


def searches() -> dict[str, Search]:
    """All searches by the name of their table."""
    modules = [import_module(f"umlbook.experiments.papers.{name}") for name in MODULES]
    found = [module.SEARCH for module in modules]
    return {name: search for search in found for name in (search.name, *search.also)}


def file_of(name: str, what: str) -> str:
    """The name of a stored result: ``naml_protocols``, ``naml_verdicts``, ``naml_moves``."""
    return f"{name.split('-')[0]}_{what}"


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
    treatment = {key: text[key] for key in rows[0]["treatment"]}
    options = {key: dict.fromkeys(r["treatment"][key] for r in rows) for key in treatment}
    options |= {"report": dict.fromkeys(r["report"] for r in rows)}
    options |= {score: dict.fromkeys(names) for score, names in search.scores.items()}
    for method in search.baselines:
        options[method] = dict.fromkeys(r["setting"] for r in rows if r["method"] == method)
    for choice, values in options.items():
        for value in values:
            choices = {**text, choice: value}
            protocol = Protocol(
                tuple(sorted((key, choices[key]) for key in treatment)),
                choices["report"],
                tuple((score, choices[score]) for score in search.scores),
                tuple((method, choices[method]) for method in search.baselines),
            )
            touched = [choice] if choice in search.baselines else search.baselines
            for method in touched:
                for score in [choice] if choice in search.scores else search.scores:
                    number = value_under(protocol, rows, score, method)
                    if number is not None:
                        where = {"dataset": dataset, "choice": choice, "value": value}
                        cell = {"method": method, "score": score}
                        yield {**where, **cell, "printed": printed[score, method], **number}


def own_cells(search: Search, dataset: str, found: list[Protocol]) -> list[Cell]:
    """The treatments under which the paper's own method is run: those of protocols that fit."""
    wanted = {protocol.treatment for protocol in found}
    cells = search.cells(dataset, "own")
    return [c for c in cells if any(set(t) <= set(c.items()) for t in wanted)]


def searched(target: Target, args: argparse.Namespace) -> bool:
    """Search, judge, print and write one table; False when a cell of the grid failed."""
    search = searches()[target.name]
    path = args.out / f"{search.name}-protocols.jsonl"
    counts: list[Row] = []
    moved: list[Row] = []
    verdicts: list[Row] = []
    failures: list[Record] = []

    def done(cells: list[Cell]) -> list[Row]:
        title = f"{search.name}, {cells[0]['dataset']}" if cells else search.name
        how = {"jobs": args.jobs, "dask": args.dask, "title": title}
        records = run_cells(search.work, cells, path, **how)
        failures.extend(record for record in records if record.error)
        return [row for record in records for row in record.rows]

    compared = search.compared() if search.compared else target.comparisons()
    names = search.sets()[:1] if args.quick else search.sets()
    for dataset in names:
        rows = done(search.cells(dataset))
        count, found = summary(search, dataset, list(combinations(search, rows)))
        counts.append(count)
        moved += moves(search, dataset, rows)
        rows += done(own_cells(search, dataset, found))
        text = text_choices(search, dataset)
        mine = [cell for cell in compared if cell.dataset == dataset]
        verdicts += [judged(cell, found, rows, text) for cell in mine]
    missing = [c for c in compared if c.verdict == MISSING and c.dataset not in names]
    verdicts += [judged(cell, [], [], {}) for cell in missing]
    for what, table in {"protocols": counts, "verdicts": verdicts, "moves": moved}.items():
        store(file_of(search.name, what), table, args.out)
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
    for record in failures:
        yield f"failed, tried again by the next run: {record.cell}: {record.error}"


def protocol_lines(name: str) -> Iterator[str]:
    """What the stored search says of a table's protocol; nothing for a table without a search."""
    if name not in searches():
        return
    yield f"protocol found (umlbook reproduce --protocols {name}):"
    for row in stored(file_of(name, "protocols")):
        among = f"{row['fit']} of {row['searched']} protocols fit the baselines"
        nearest = f"; nearest to the text: {row['nearest to the text']}" if row["fit"] else ""
        yield f"  {row['dataset']}: {among}{nearest}"
