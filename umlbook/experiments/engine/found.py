"""What a search of protocols found for a table, for ``umlbook reproduce`` and for the book.

The results of a search are three stored tables: its counts, the verdict on each cell, and each
baseline with one choice changed. `recomputed` computes the cells once more, under the protocol
found that is nearest to the text.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from umlbook.experiments.engine.grid import Record
from umlbook.experiments.engine.grid import run as run_cells
from umlbook.experiments.engine.nulls import (
    BASELINE,
    OTHER_METHODS,
    OTHER_SETS,
    OWN,
    expected,
    is_clear,
)
from umlbook.experiments.engine.protocols import (
    ANOTHER,
    JUDGEMENTS,
    NONE_FITS,
    NOT_RUN,
    NOT_UNDER_ANY,
    Protocol,
    Search,
    judged,
    protocol_called,
    text_choices,
    values_of,
)
from umlbook.experiments.engine.search import cells_under, file_of, searches
from umlbook.experiments.engine.storage import RESULTS, Row, stored
from umlbook.experiments.engine.target import Comparison

NOT_UNDER_FOUND = "not under the protocol found"
Key = tuple[str, str, str]


def stored_searches() -> dict[str, Search]:
    """The searches that have stored results, by their first table."""
    each = {search.covers[0]: search for search in searches().values()}
    return {
        name: search
        for name, search in each.items()
        if (RESULTS / f"{file_of(name, 'verdicts')}.csv").exists()
    }


def is_searched(table: str) -> bool:
    """Whether a search with stored results covers this table."""
    return any(table in search.covers for search in stored_searches().values())


def result(table: str, what: str) -> list[Row]:
    """A stored result of the search of a table: its protocols, verdicts or moves."""
    return stored(file_of(table, what))


def key_of(row: Row) -> Key:
    """Which cell a row of verdicts is about; a CSV file does not say whether 123 is a name."""
    return str(row["dataset"]), str(row["score"]), str(row["method"])


def verdicts_of(table: str, cells: Iterable[Comparison]) -> dict[Key, Row]:
    """The stored verdicts on these cells of a table; a search may cover other tables as well."""
    mine = {(cell.dataset, cell.score, cell.method) for cell in cells}
    return {key_of(row): row for row in result(table, "verdicts") if key_of(row) in mine}


def names_cause(search: Search, row: Row) -> bool:
    """Whether a cell is reproduced under a protocol with a change that can touch this cell.

    A treatment, a report and the definition of its score can; a setting of another method cannot.
    """
    if row["verdict"] != ANOTHER:
        return False
    dataset, score, method = key_of(row)
    text = text_choices(search, dataset)
    changed = protocol_called(search, dataset, row["protocol"]).changes(text)
    elsewhere = {*search.scores, *search.baselines} - {score, method}
    return bool(set(changed) - elsewhere)


def halves_gap(row: Row) -> bool:
    """Whether the number under the protocol found is at most half as far from print as the text's.

    If not, the two agree because the number scatters more, and not because it is another one.
    """
    return bool(abs(row["found"] - row["printed"]) <= abs(row["text"] - row["printed"]) / 2)


def explained(table: str, cells: Iterable[Comparison]) -> list[Row]:
    """The cells with a cause that halves the gap, on sets with many more fits than by chance."""
    search = searches()[table]
    clear = {str(row["dataset"]) for row in result(table, "protocols") if is_clear(row)}
    return [
        row
        for row in verdicts_of(table, cells).values()
        if names_cause(search, row) and str(row["dataset"]) in clear and halves_gap(row)
    ]


def tally(table: str, cells: Sequence[Comparison]) -> Row:
    """Counts of a table: its protocols, its cells that differ, what is said of them, and chance."""
    search, rows = searches()[table], verdicts_of(table, cells).values()
    sets = result(table, "protocols")
    said = Counter(row["verdict"] for row in rows)
    own = [row for row in rows if row[OTHER_SETS] != ""]
    another = Counter(row["part"] for row in rows if row["verdict"] == ANOTHER)
    return {
        "table": table,
        "searched": sum(row["searched"] for row in sets),
        "fit": sum(row["fit"] for row in sets),
        "by chance": sum(expected(row) for row in sets),
        "differ": sum(said[v] for v in (ANOTHER, NOT_UNDER_ANY, NONE_FITS, NOT_RUN)),
        "another: baselines": another[BASELINE],
        "another: own": another[OWN],
        "own that differ": len(own),
        OTHER_SETS: sum(row[OTHER_SETS] for row in own),
        OTHER_METHODS: sum(row[OTHER_METHODS] for row in own),
        "cause named": sum(names_cause(search, row) for row in rows),
        "explained": len(explained(table, cells)),
        "excluded": said[NOT_UNDER_ANY] + said[NONE_FITS],
        **{verdict: said[verdict] for verdict in JUDGEMENTS},
    }


def nearest_protocols(table: str) -> dict[str, Protocol]:
    """For each set with a protocol that fits, the one nearest to the text."""
    search = searches()[table]
    named = {str(r["dataset"]): r["nearest to the text"] for r in result(table, "protocols")}
    return {data: protocol_called(search, data, name) for data, name in named.items() if name}


def recomputed(
    table: str, cells: Iterable[Comparison], args: argparse.Namespace, failures: list[Record]
) -> dict[Key, Row]:
    """The cells computed again under the protocol nearest to the text, each with a verdict.

    The grid is a part of that of the search, and is kept in the same file. Cells of it that failed
    are added to the failures.
    """
    search, nearest = searches()[table], nearest_protocols(table)
    path = args.out / f"{search.name}-protocols.jsonl"
    sets = search.sets()[:1] if args.quick else search.sets()
    rows: dict[str, list[Row]] = {}
    for dataset in sets:
        found = [nearest[dataset]] if dataset in nearest else []
        grid = [c for part in ("baselines", "own")
                for c in cells_under(search, dataset, found, part)]  # fmt: skip
        how = {"jobs": args.jobs, "dask": args.dask, "title": f"{search.name}, {dataset}"}
        records = run_cells(search.work, grid, path, **how)
        failures += [record for record in records if record.error]
        rows[dataset] = [row for record in records for row in record.rows]
    verdicts = {}
    for cell in cells:
        if cell.dataset in rows:
            found = [nearest[cell.dataset]] if cell.dataset in nearest else []
            known = values_of(cell, found, rows[cell.dataset])
            row = judged(cell, found, known, text_choices(search, cell.dataset))
            if row["verdict"] == NOT_UNDER_ANY:  # one protocol was asked, not all that fit
                row["verdict"] = NOT_UNDER_FOUND
            verdicts[cell.dataset, cell.score, cell.method] = row
    return verdicts


def beside_found(cells: Iterable[Comparison], verdicts: dict[Key, Row]) -> Iterator[Row]:
    """Each cell as a line of a table, with the number under the protocol found and its verdict."""
    for cell in cells:
        row = verdicts.get((cell.dataset, cell.score, cell.method), {"found": "", "verdict": ""})
        line = cell.row()
        note = {"note": line.pop("note")}  # stays the last column
        yield {**line, "found": row["found"], "with the protocol found": row["verdict"], **note}


def protocol_lines(table: str) -> Iterator[str]:
    """What the stored search says of a table's protocol."""
    yield f"protocol found (umlbook reproduce --protocols {table}):"
    for row in result(table, "protocols"):
        among = f"{row['fit']} of {row['searched']} protocols fit the baselines"
        nearest = f"; nearest to the text: {row['nearest to the text']}" if row["fit"] else ""
        yield f"  {row['dataset']}: {among}{nearest}"
