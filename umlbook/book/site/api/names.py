"""The public names: where each is documented, and the equations that it implements."""

from __future__ import annotations

import csv
import inspect
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

FOLDER = "reference"
"""Where the pages of the reference are."""


@dataclass(frozen=True)
class Name:
    """A public name: its module, its equations, and the reason why where it has none."""

    module: str
    name: str
    equations: tuple[str, ...]
    because: str

    @property
    def full(self) -> str:
        """The name with its module, which is its place on its page."""
        return f"{self.module}.{self.name}"

    @property
    def thing(self) -> Any:
        """What has this name."""
        return getattr(import_module(self.module), self.name)

    @property
    def room(self) -> str:
        """The room of the package whose page it is on.

        Examples
        --------
        >>> public()["umlbook.CPDUML"].room, public()["umlbook.cpcm.blur.share"].room
        ('cpd', 'cpcm')
        """
        home = self.thing.__module__ if self.module == "umlbook" else self.module
        return str(home.split(".")[1])

    @property
    def is_estimator(self) -> bool:
        """Whether it is an estimator of scikit-learn's kind."""
        return inspect.isclass(self.thing) and hasattr(self.thing, "get_params")

    @property
    def address(self) -> str:
        """Where it is documented, from the first page of the site."""
        return f"{FOLDER}/{self.room}.html#{self.full}"

    @property
    def summary(self) -> str:
        """What it is, in one line of its docstring; of a constant, what the table says."""
        thing = self.thing
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            return self.because[0].upper() + self.because[1:] + "."
        return (inspect.getdoc(thing) or "").partition("\n")[0]


@cache
def public() -> dict[str, Name]:
    """Return every public name by its full name, in the order of the book."""
    text = (files("umlbook.book.site.api") / "names.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    found = [
        Name(row["module"], row["name"], tuple(row["equations"].split()), row["because"])
        for row in rows
    ]
    return {name.full: name for name in found}


@cache
def by_word() -> dict[str, Name]:
    """Return the names that mean one thing wherever they stand: long or capital, and unique.

    Examples
    --------
    >>> by_word()["NAML"].full, "objective" in by_word(), "S" in by_word()
    ('umlbook.NAML', False, False)
    """
    found: dict[str, list[Name]] = {}
    for name in public().values():
        found.setdefault(name.name, []).append(name)
    return {
        word: names[0]
        for word, names in found.items()
        if len(names) == 1 and len(word) > 1 and (word[0].isupper() or "_" in word)
    }


def named(words: str, module: str) -> Name | None:
    """Return what a name in a docstring means: in its own module, or anywhere if it is clear."""
    names = public()
    for full in (words, f"umlbook.{words}", f"{module}.{words}"):
        if full in names:
            return names[full]
    return by_word().get(words)
