"""The rooms of the book import each other one way only, and nothing of the tests."""

import ast
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[1] / "umlbook" / "book"
ALLOWED = {
    "page": set(),
    "ledger": {"page"},
    "exercises": {"page"},
    "hands": {"page"},
    "own": {"page"},
    "lite": set(),
    "site": {"page", "ledger", "exercises", "lite"},
}


def imported(path):
    """The modules that a file imports, in its functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_every_room_is_listed():
    assert {path.parent.name for path in BOOK.glob("*/__init__.py")} == set(ALLOWED)


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_the_rooms_before_it(room):
    modules = {name for path in (BOOK / room).rglob("*.py") for name in imported(path)}
    rooms = {name.split(".")[2] for name in modules if name.startswith("umlbook.book.")}
    assert rooms - {room} <= ALLOWED[room]


def test_the_package_imports_nothing_of_the_tests():
    modules = {name for path in BOOK.parent.rglob("*.py") for name in imported(path)}
    assert not [name for name in modules if name.split(".")[0] in ("support", "tests", "pytest")]
