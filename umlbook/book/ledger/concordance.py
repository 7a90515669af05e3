"""The concordance: from a paper's equations to ours, typeset in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from umlbook.book.ledger import Entry, entries
from umlbook.book.page.tables import Table, table

COLUMNS = {
    "ours": "number",
    "paper": "paper",
    "equation": "printed",
    "status": "status",
    "chapter": "chapter",
}
"""Heading -> column of the ledger."""
LEFT = 'style="text-align: left"'


@dataclass(frozen=True)
class Concordance:
    """Entries as a table: typeset in a notebook, aligned columns as plain text."""

    rows: tuple[Entry, ...]
    with_printed_form: bool = False

    def table(self, *, statements: bool) -> Table:
        """Return the table; the chapter only where it is not the same for all."""
        columns = {
            head: [getattr(row, name) for row in self.rows] for head, name in COLUMNS.items()
        }
        if len(set(columns["chapter"])) == 1:
            del columns["chapter"]
        if statements:
            columns["statement"] = [self._statement(row) for row in self.rows]
        return table(columns)

    def _statement(self, row: Entry) -> str:
        """Our form and, under it if wanted, the printed one."""
        words = row.kind in ("figure", "table")  # their column `latex` is a sentence
        ours = row.latex if words else f"${row.latex}$"
        printed = self.with_printed_form and row.printed_form
        return f"{ours}\nin print: ${row.printed_form}$" if printed else ours

    def __repr__(self) -> str:
        return str(self.table(statements=False))

    def _repr_markdown_(self) -> str:
        return self.table(statements=True).markdown(bar=r"\vert ")  # right in formulas too

    def _repr_html_(self) -> str:
        return self.table(statements=True).html(LEFT, LEFT)


def concordance(
    paper: str | None = None,
    chapter: str | None = None,
    status: str | Sequence[str] | None = None,
    *,
    printed_form: bool = False,
) -> Concordance:
    """Return the table from a paper's equations to ours: number, chapter, status, statement.

    Parameters
    ----------
    paper, chapter, status : str, optional
        Keep these only: ``"CPD-UML"``; ``"01-kmeans-is-a-trace"`` or ``"01"``; one status or
        several. A chapter is sorted by our numbers, all else as the papers have it.
    printed_form : bool
        Add what the paper prints where it differs: the table of errata.
    """
    rows = entries()
    for name, wanted in (("paper", paper), ("chapter", chapter), ("status", status)):
        if wanted is None:
            continue
        choice = (wanted,) if isinstance(wanted, str) else tuple(wanted)
        known = dict.fromkeys(getattr(e, name) for e in entries())
        matches = {k for k in known if k in choice or (name == "chapter" and k[:2] in choice)}
        if not matches:
            raise ValueError(f"{name}={wanted!r}: the ledger has {', '.join(known)}")
        rows = tuple(e for e in rows if getattr(e, name) in matches)
    if chapter is not None:
        rows = tuple(sorted(rows, key=lambda e: _sort_key(e.number)))
    return Concordance(rows, printed_form)


def _sort_key(number: str) -> tuple[float, ...]:
    return tuple(map(int, number.split("."))) if number else (np.inf,)
