"""From ``ls`` to the function of an equation: the tables on the way are complete and up to date."""

import csv
import re
from importlib import import_module
from pathlib import Path

import pytest

import umlbook

PACKAGE = Path(umlbook.__file__).parent
LEDGER = PACKAGE / "book" / "ledger" / "ledger.csv"
ROOMS = {"CPD-UML": "cpd", "NAML": "naml", "PM": "daem"}
"""Where the equations of a paper are; CPCM numbers only one and is read by its sections."""


def numbered(paper):
    """The numbers of the equations of a paper that the ledger has."""
    with LEDGER.open(encoding="utf-8", newline="") as file:
        printed = [row["printed"] for row in csv.DictReader(file) if row["paper"] == paper]
    return {int(found[1]) for text in printed if (found := re.match(r"Eq\. (\d+)", text))}


def listed(text):
    """The equation numbers in a text, with ranges such as 5 to 8 filled in.

    >>> sorted(listed("Eqs. 1, 5 to 7 and Theorem 3.2, Algorithm 9"))
    [1, 5, 6, 7]
    """
    text = re.sub(r"(Algorithm|Alg\.|Property|Definition) \d+|\d+\.\d+", "", text)
    spans = re.findall(r"(?<!\w)(\d+)(?: to (\d+))?(?!\w)", text)
    return {n for low, high in spans for n in range(int(low), int(high or low) + 1)}


def files(room):
    return {path.stem for path in (PACKAGE / room).glob("*.py")} - {"__init__"}


def test_the_package_names_every_room():
    entries = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "."))}
    assert [name for name in sorted(entries - {"py"}) if f"``{name}``" not in umlbook.__doc__] == []


@pytest.mark.parametrize("paper", ROOMS)
def test_a_room_says_where_every_numbered_equation_is(paper):
    assert len(numbered(paper)) > 20
    assert numbered(paper) - listed(import_module(f"umlbook.{ROOMS[paper]}").__doc__) == set()


@pytest.mark.parametrize("room", ["asking", "cpcm", "cpd", "daem", "latent", "naml", "rivals"])
def test_a_room_says_what_each_of_its_files_holds(room):
    text = import_module(f"umlbook.{room}").__doc__
    named = {name.removesuffix(".py") for name in re.findall(r"``(\w+(?:\.py)?)``", text)}
    assert files(room) <= named
