"""One notation for the whole book: which letter means what, its name in code, and its shape."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from umlbook.book.tables import Table, table


@dataclass(frozen=True)
class Symbol:
    """A letter of the book; ``chapters`` lists where its table shows it."""

    chapters: tuple[str, ...]
    symbol: str
    code: str
    shape: str
    meaning: str


@cache
def symbols() -> tuple[Symbol, ...]:
    """Every symbol, in the order of the book."""
    text = (files("umlbook.book") / "notation.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(Symbol(tuple(row.pop("chapters").split()), **row) for row in rows)


class NotationTable:
    """Rows of the notation; typeset in a notebook, aligned in plain text."""

    def __init__(self, rows: tuple[Symbol, ...]):
        self.rows = rows

    def _plain(self) -> Table:
        return table(
            {
                "symbol": [row.symbol for row in self.rows],
                "in code": [row.code for row in self.rows],
                "shape": [row.shape for row in self.rows],
                "meaning": [row.meaning for row in self.rows],
            }
        )

    def __repr__(self) -> str:
        return str(self._plain())

    def _repr_markdown_(self) -> str:
        lines = ["| symbol | in code | shape | meaning |", "|:--|:--|:--|:--|"]
        lines += [
            f"| ${row.symbol}$ | `{row.code}` | {row.shape} | {row.meaning} |" for row in self.rows
        ]
        return "\n".join(lines)


def notation(chapter: str | None = None) -> NotationTable:
    """The symbols of one chapter (``"01"``), or of the whole book.

    >>> len(notation("01").rows) < len(notation().rows)
    True
    """
    rows = tuple(row for row in symbols() if chapter is None or chapter in row.chapters)
    if not rows:
        known = sorted({c for row in symbols() for c in row.chapters})
        raise ValueError(f"chapter {chapter!r} has no symbols: known are {', '.join(known)}")
    return NotationTable(rows)
