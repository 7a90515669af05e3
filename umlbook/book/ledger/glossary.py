"""The words of the book in plain words, each with the chapter that introduces it."""

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Term:
    """A word, the number of its chapter (``"06"``), and its meaning."""

    name: str
    chapter: str
    meaning: str

    @property
    def anchor(self) -> str:
        """The name of its place on the glossary's page.

        >>> Term("k-means", "01", "").anchor
        'term-k-means'
        """
        return "term-" + re.sub(r"\W+", "-", self.name.lower()).strip("-")


@cache
def terms() -> tuple[Term, ...]:
    """Every term, in alphabetical order."""
    text = (files("umlbook.book.ledger") / "glossary.csv").read_text(encoding="utf-8")
    rows = (Term(**row) for row in csv.DictReader(text.splitlines()))
    return tuple(sorted(rows, key=lambda term: term.name.casefold()))
