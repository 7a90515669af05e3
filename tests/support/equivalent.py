"""Lines of the chapters whose mutants are equivalent: kept here, out of the readers' cells.

`equivalent.csv` has a row for each: the chapter, the line of code without its indentation, and why
the mutants of its expressions change nothing. While a chapter is written, the comment
``# mutation: equivalent, REASON`` at the end of a line does the same; `python
tests/support/equivalent.py` moves these comments of all chapters, or of those named, into the file.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import nbformat

TABLE = Path(__file__).with_suffix(".csv")
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
HEAD = ("chapter", "line", "reason")
COMMENT = re.compile(r"[ \t]*# mutation: equivalent(?:, *(?P<reason>.*))?$", re.MULTILINE)

Row = tuple[str, str, str]


def rows(table: Path = TABLE) -> list[Row]:
    """Chapter, line and reason, in the order of the file."""
    with table.open(encoding="utf-8", newline="") as file:
        return [(row["chapter"], row["line"], row["reason"]) for row in csv.DictReader(file)]


def equivalent_lines(chapter: str, table: Path = TABLE) -> set[str]:
    """The lines of one chapter, without indentation."""
    return {line for name, line, _ in rows(table) if name == chapter}


def commented(source: str) -> list[tuple[str, str]]:
    """Line and reason of each comment in a cell.

    >>> commented("a = 1\\n  b = -a  # mutation: equivalent, b is even")
    [('b = -a', 'b is even')]
    """
    found = [(line, COMMENT.search(line)) for line in source.splitlines()]
    return [(line[: m.start()].strip(), m["reason"] or "") for line, m in found if m]


def collect(path: Path, table: Path = TABLE) -> list[Row]:
    """Move the comments of one notebook into the table; return the new rows."""
    notebook = nbformat.read(path, as_version=4)
    new: list[Row] = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            new += [(path.stem, *pair) for pair in commented(cell.source)]
            cell.source = COMMENT.sub("", cell.source)
    if new:
        text = nbformat.writes(notebook).rstrip("\n") + "\n"
        path.write_text(text, encoding="utf-8")
        _write({*rows(table), *new}, table)
    return new


def _write(kept: set[Row], table: Path) -> None:
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([HEAD, *sorted(kept)])


def prune(table: Path = TABLE, notebooks: Path = NOTEBOOKS) -> list[Row]:
    """Drop the rows whose line is in its chapter no more; return them."""
    gone = stale(table, notebooks)
    _write(set(rows(table)) - set(gone), table)
    return gone


def stale(table: Path = TABLE, notebooks: Path = NOTEBOOKS) -> list[Row]:
    """The rows whose line is in its chapter no more."""
    lines: dict[str, set[str]] = {}
    for name in {name for name, _, _ in rows(table)}:
        path = notebooks / f"{name}.ipynb"
        cells = nbformat.read(path, as_version=4).cells if path.is_file() else []
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        lines[name] = {
            COMMENT.sub("", line).strip() for source in code for line in source.splitlines()
        }
    return [row for row in rows(table) if row[1] not in lines[row[0]]]


if __name__ == "__main__":
    paths = [Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb"))
    for path in paths:
        for _, line, _ in collect(path):
            print(f"{path.name}: {line}")
    for name, line, _ in prune():
        print(f"dropped, as {name} has it no more: {line}")
