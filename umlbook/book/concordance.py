"""The concordance: from a paper's equations to ours, typeset in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from umlbook.book.ledger import Entry, entries


@dataclass(frozen=True)
class Concordance:
    """Entries as a table: typeset in a notebook, aligned columns as plain text."""

    rows: tuple[Entry, ...]
    with_printed_form: bool = False

    def _cells(self) -> list[list[str]]:
        """Heading and rows; the chapter only where it is not the same for all."""
        table = [["ours", "paper", "equation", "status", "chapter"]]
        table += [[r.number, r.paper, r.printed, r.status, r.chapter] for r in self.rows]
        one_chapter = len({row.chapter for row in self.rows}) == 1
        return [cells[:-1] for cells in table] if one_chapter else table

    def _statement(self, row: Entry) -> list[str]:
        """Our form and, under it if wanted, the printed one."""
        words = row.kind in ("figure", "table")  # their column `latex` is a sentence
        ours = row.latex if words else f"${row.latex}$"
        printed = self.with_printed_form and row.printed_form
        return [ours, f"in print: ${row.printed_form}$"] if printed else [ours]

    def _typeset(self, escape: Callable[[str], str]) -> list[list[str]]:
        head, *body = self._cells()
        statements = ["<br>".join(map(escape, self._statement(row))) for row in self.rows]
        rows = [[*map(escape, cells), s] for cells, s in zip(body, statements, strict=True)]
        return [[*head, "statement"], *rows]

    def __repr__(self) -> str:
        table = self._cells()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ("  ".join(map(str.ljust, cells, widths)).rstrip() for cells in table)
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        # a bare | would end the cell, in formulas too
        head, *body = self._typeset(lambda cell: cell.replace("|", r"\vert "))
        rule = ["---"] * len(head)
        return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *body])

    def _repr_html_(self) -> str:
        def line(tag: str, cells: list[str]) -> str:
            style = ' style="text-align: left"'
            return "<tr>" + "".join(f"<{tag}{style}>{cell}</{tag}>" for cell in cells) + "</tr>"

        head, *body = self._typeset(html.escape)
        rows = "".join(line("td", cells) for cells in body)
        return f"<table><thead>{line('th', head)}</thead><tbody>{rows}</tbody></table>"


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
