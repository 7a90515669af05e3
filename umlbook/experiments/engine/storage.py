"""Tables as CSV: those stored with the package, and those that a reader makes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

Row = dict[str, Any]

RESULTS = Path(str(files("umlbook.experiments"))) / "results"
"""The stored tables; ``made.csv`` among them says what made each of the others."""


def stored(name: str) -> list[Row]:
    """A table stored with the package, numbers as numbers.

    >>> stored("made")[0]["file"]
    'cpcm_success'
    """
    return read(RESULTS / f"{name}.csv")


def read(path: Path) -> list[Row]:
    """The rows of a CSV file, numbers as numbers."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [{k: _value(v) for k, v in row.items()} for row in csv.DictReader(lines)]


def _value(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def grouped(rows: Iterable[Row], column: str, *keys: str) -> dict[tuple[Any, ...], list[Any]]:
    """The values of a column, by the values of others.

    >>> grouped([{"set": "wine", "ACC": 0.9}, {"set": "wine", "ACC": 0.8}], "ACC", "set")
    {('wine',): [0.9, 0.8]}
    """
    found: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row[column])
    return found


def store(name: str, rows: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Write a table as CSV, a cell empty where a row has no such column, and return the file."""
    path, columns = folder / f"{name}.csv", dict.fromkeys(key for row in rows for key in row)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table for a Markdown page.

    >>> print(markdown([{"data": "wine", "ours": 0.95}, {"data": "a|b", "ours": 1}]))
    | data | ours |
    | --- | --- |
    | wine | 0.95 |
    | a\\|b | 1 |
    """
    if not rows:
        return ""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
