"""The errata of the four papers, from the ledger, and our own, from ``own_errata.csv``."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from umlbook.book.ledger import ERRATA, OURS, Entry, entries
from umlbook.book.page.tables import Table, table

KINDS = ("slip", "undefined", "condition", "objective", "asserted", "cause", "table", "reading")
"""The kinds of mistake, the cheapest to find first: the words of the column ``mistake``."""

_WORDS = re.compile(r"\\text\{([^{}]*)\}")
_SPACE = re.compile(r"^(?:\s|\\ |\\[,;:]|\\q?quad)+|(?:\s|\\ |\\[,;:]|\\q?quad)+$")


def errata(paper: str | None = None, kind: str | None = None) -> tuple[Entry, ...]:
    """Return the entries that are wrong, undefined or incomplete as printed, by paper or kind."""
    return tuple(
        row
        for row in entries()
        if row.status in ERRATA
        and row.paper != OURS
        and paper in (None, row.paper)
        and kind in (None, row.mistake)
    )


@dataclass(frozen=True)
class ErrataTable:
    """Errata with printed form, counterexample and corrected form; typeset in a notebook."""

    rows: tuple[Entry, ...]

    def plain(self) -> Table:
        """Return place, status and kind, without the formulas."""
        return table(
            {
                "ours": [row.number or "-" for row in self.rows],
                "chapter": [row.chapter[:2] for row in self.rows],
                "paper": [row.paper for row in self.rows],
                "place": [_place(row) for row in self.rows],
                "status": [row.status for row in self.rows],
                "kind": [row.mistake for row in self.rows],
            }
        )

    def __repr__(self) -> str:
        return str(self.plain())

    def _repr_markdown_(self) -> str:
        # One below the other and not in columns: a formula cannot be broken, and needs the width.
        return "\n\n".join(map(_block, self.rows))


def _block(row: Entry) -> str:
    number = f"({row.number})" if row.number else f"chapter {int(row.chapter[:2])}"
    words = row.kind in ("figure", "table")  # their column `latex` is a sentence
    held = row.latex if words else sentence(row.latex)
    witness = re.sub(r"([*_~<])", r"\\\1", row.how_to_check)  # marks of Markdown
    lines = [
        f"**{row.paper}, {_place(row)}**, {number}: *{row.mistake}*",
        f"- In print: {sentence(row.printed_form) if row.printed_form else held}",
        f"- How to see it: {witness}",
    ]
    if row.printed_form:
        lines.append(f"- What holds: {held}")
    return "\n".join(lines)


def _place(row: Entry) -> str:
    return row.printed.replace(", unnumbered", "")


def sentence(latex: str) -> str:
    r"""Return a formula as Markdown, its words taken out of the formula so that lines can break.

    Examples
    --------
    >>> print(sentence(r"\text{the rank of } A \text{ is } 2"))
    the rank of $A$ is $2$
    """
    *parts, last = _WORDS.split(latex)
    formulas = [*parts[::2], last]
    if any(not _is_whole(formula) for formula in formulas):
        return f"${latex}$"
    set_ = [f"${bare}$" if (bare := _SPACE.sub("", formula)) else "" for formula in formulas]
    words = [*(word.replace(r"\%", "%") for word in parts[1::2]), ""]
    joined = " ".join(part for pair in zip(set_, words, strict=True) for part in pair)
    return re.sub(r" ([,;:)]|\.(?!\d))", r"\1", " ".join(joined.split()))


def _is_whole(formula: str) -> bool:
    """Whether a part of a formula can stand alone: nothing is opened in it and closed elsewhere."""
    bare = re.sub(r"\\[{}]", "", formula)
    pairs = (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end"))
    return all(bare.count(one) == bare.count(other) for one, other in pairs)


def errata_table(paper: str | None = None, kind: str | None = None) -> ErrataTable:
    """Return the errata of one paper or of one kind as a table for a page."""
    return ErrataTable(errata(paper, kind))


# ----------------------------------------------------------------------- our own


@dataclass(frozen=True)
class OwnErratum:
    """What an earlier edition of this book had wrong; the fields are the columns of the file.

    ``where`` is a notebook, with the number of an equation or of a quiz if there is one, or "all".
    """

    where: str
    was: str
    now: str
    found: str
    date: str

    @property
    def chapter(self) -> str:
        """The notebook, or "all"."""
        return self.where.split()[0]


@dataclass(frozen=True)
class OwnErrata:
    """Our own errata in the order of the book; typeset in a notebook, counted as plain text."""

    rows: tuple[OwnErratum, ...]

    def __repr__(self) -> str:
        chapters = [row.chapter for row in self.rows]
        names = list(dict.fromkeys(chapters))
        return str(table({"where": names, "errors": [chapters.count(name) for name in names]}))

    def _repr_markdown_(self) -> str:
        return "\n\n".join(map(_own_block, self.rows))


def _own_block(row: OwnErratum) -> str:
    _, _, detail = row.where.partition(" ")
    named = {"all": "The whole book", "rivals": "The rivals"}
    place = named.get(row.chapter) or f"Chapter {int(row.chapter[:2])}"
    return (
        f"**{place}{', ' if detail else ''}{detail}** ({row.date})\n"
        f"- Was: {row.was}\n- Now: {row.now}\n- Found: {row.found}"
    )


@cache
def own_errata() -> OwnErrata:
    """Return what this book had wrong, what stands there now, and how it was found."""
    text = (files("umlbook.book.ledger") / "own_errata.csv").read_text(encoding="utf-8")
    return OwnErrata(tuple(OwnErratum(**row) for row in csv.DictReader(text.splitlines())))
