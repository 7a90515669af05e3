"""One notation for the whole book: which letter means what, its name in code, and its shape."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from umlbook.book.page.tables import Table, table

LONG = 12
"""Rows above which the table of a chapter is folded: it is to be looked up, not read."""


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
    text = (files("umlbook.book.ledger") / "notation.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(Symbol(tuple(row.pop("chapters").split()), **row) for row in rows)


@dataclass(frozen=True)
class NotationTable:
    """Rows of the notation; typeset in a notebook, under a fold if so wished; aligned in text."""

    rows: tuple[Symbol, ...]
    folded: bool = False

    def _table(self, formula: str = "{}", code: str = "{}") -> Table:
        return table(
            {
                "symbol": [formula.format(row.symbol) for row in self.rows],
                "in code": [code.format(row.code) for row in self.rows],
                "shape": [row.shape for row in self.rows],
                "meaning": [row.meaning for row in self.rows],
            }
        )

    def __repr__(self) -> str:
        return str(self._table())

    def _repr_markdown_(self) -> str:
        letters = self._table("${}$", "`{}`").markdown(rule=":--")
        if not self.folded:
            return letters
        head = f"<details><summary>The letters of this chapter ({len(self.rows)})</summary>"
        return f"{head}\n\n{letters}\n\n</details>"


def notation(chapter: str | None = None, only: Sequence[str] = ()) -> NotationTable:
    """The symbols of one chapter, or of the whole book.

    Parameters
    ----------
    chapter : str, optional
        Its number, such as ``"01"``.
    only : sequence of str
        Of its symbols these only, as they stand in the table; all if there are none.

    Examples
    --------
    >>> len(notation("01").rows) < len(notation().rows)
    True
    >>> [row.symbol for row in notation("01", only=["n"]).rows]
    ['n']
    """
    rows = tuple(row for row in symbols() if chapter is None or chapter in row.chapters)
    if not rows:
        known = sorted({c for row in symbols() for c in row.chapters})
        raise ValueError(f"chapter {chapter!r} has no symbols: known are {', '.join(known)}")
    if missing := set(only) - {row.symbol for row in rows}:
        raise ValueError(f"no symbol {', '.join(sorted(missing))} in the table asked for")
    rows = tuple(row for row in rows if not only or row.symbol in only)
    return NotationTable(rows, folded=chapter is not None and len(rows) > LONG)
