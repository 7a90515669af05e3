"""The concordance: from a paper's equations to ours, typeset in a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from umlbook.book.ledger import Entry, entries
from umlbook.book.ledger.errata import sentence
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
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.S)
_BREAKS = {r"\quad", r"\qquad", r"\Longrightarrow", "+", "-", "="}
_OPEN = {"{", "(", "[", r"\{", r"\begin", r"\left", r"\lVert"}
_CLOSE = {"}", ")", "]", r"\}", r"\end", r"\right", r"\rVert"}
_EDGE = re.compile(r"^(?:\\q?quad|\\ |\s)+|(?:\\ |\s)+$")  # "\ $" would lose its dollar


@dataclass(frozen=True)
class Concordance:
    """Entries as a table: typeset in a notebook, aligned columns as plain text."""

    rows: tuple[Entry, ...]
    with_printed_form: bool = False
    stacked: bool = False

    def table(self, *, statements: bool) -> Table:
        """Return the table; the chapter only where it is not the same for all."""
        columns = {
            head: [getattr(row, name) for row in self.rows] for head, name in COLUMNS.items()
        }
        if len(set(columns["chapter"])) == 1:
            del columns["chapter"]
        if statements and self.stacked:
            return table(
                {
                    "equation": [
                        f"{row.number or '-'}\n{row.paper} {row.printed}\n{row.status}"
                        for row in self.rows
                    ],
                    "statement": [self._statement(row) for row in self.rows],
                }
            )
        if statements:
            columns["statement"] = [self._statement(row) for row in self.rows]
        return table(columns)

    def _statement(self, row: Entry) -> str:
        """Our form and, under it if wanted, the printed one."""
        words = row.kind in ("figure", "table")  # their column `latex` is a sentence
        ours = row.latex if words else self._formula(row.latex)
        printed = self.with_printed_form and row.printed_form
        return f"{ours}\nin print: {self._formula(row.printed_form)}" if printed else ours

    def _formula(self, latex: str) -> str:
        return breakable(latex) if self.stacked else f"${latex}$"

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
    stacked: bool = False,
) -> Concordance:
    """Return the table from a paper's equations to ours: number, chapter, status, statement.

    Parameters
    ----------
    paper, chapter, status : str, optional
        Keep these only: ``"CPD-UML"``; ``"01-kmeans-is-a-trace"`` or ``"01"``; one status or
        several. A chapter is sorted by our numbers, all else as the papers have it.
    printed_form : bool
        Add what the paper prints where it differs: the table of errata.
    stacked : bool
        Two columns, number, place and status in the first, and long formulas broken: for a page
        that is not wide.
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
    return Concordance(rows, printed_form, stacked)


def _sort_key(number: str) -> tuple[float, ...]:
    return tuple(map(int, number.split("."))) if number else (np.inf,)


def breakable(latex: str) -> str:
    """Return a formula as Markdown that a page can break: words taken out, long formulas cut.

    A cut stands before a space, an arrow or a sign that no bracket, brace or environment encloses.

    >>> print(breakable(r"J = (A + B)^2 + \\lambda \\text{ for all } A"))
    $J$ ${}= (A + B)^2$ ${}+ \\lambda$ for all $A$
    """
    return re.sub(r"\$([^$]*)\$", lambda match: _pieces(match[1]), sentence(latex))


def _pieces(formula: str) -> str:
    parts, depth = [""], 0
    for token in _TOKEN.findall(formula):
        if depth == 0 and token in _BREAKS and parts[-1].strip():
            parts.append("{}" if token in "+-=" else "")
        depth += (token in _OPEN) - (token in _CLOSE)
        parts[-1] += token
    bare = (_EDGE.sub("", part) for part in parts)
    return " ".join(f"${part}$" for part in bare if part)
