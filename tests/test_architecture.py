"""The map of the package is up to date, and every import goes in a direction that it allows."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "docs" / "architecture.py"

_spec = importlib.util.spec_from_file_location("architecture", SCRIPT)
architecture = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(architecture)

ROOMS, EDGES = architecture.edges()


def importers(where):
    """Which rooms import one whose floor is here, and which one."""
    return {(a, b) for a, b in EDGES if architecture.floor(b) == where}


def test_the_picture_is_up_to_date():
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_import_goes_in_an_allowed_direction():
    assert architecture.offences() == []


def test_the_common_ground_imports_no_method_and_has_no_circle():
    ground = {room for room in ROOMS if architecture.floor(room) == "common ground"}
    assert {"algebra", "_loop", "_checks"} <= ground
    assert {b for a, b in EDGES if a in ground} <= ground
    assert architecture.circles(EDGES, ground) == set()


def test_methods_import_the_common_ground_and_one_another_only_where_it_is_listed():
    methods = {room for room in ROOMS if architecture.floor(room) == "methods"}
    for a, b in EDGES:
        if a in methods and architecture.floor(b) != "common ground":
            listed = {(a, b), ("methods", b)} & set(architecture.ALLOWED)
            assert b in methods and listed, f"{a} imports {b}"
    assert architecture.circles(EDGES, methods) == set()


@pytest.mark.parametrize("where", ["book", "experiments", "tools"])
def test_what_lies_above_is_imported_from_above_or_as_the_table_says(where):
    for a, b in importers(where):
        own, higher = architecture.floor(a) == where, architecture.floor(a) == "tools"
        assert own or higher or (a, b) in architecture.ALLOWED, f"{a} imports {b}"


def test_every_exception_is_needed():
    for who, what in architecture.ALLOWED:
        assert any(  # else take it off the table
            b == what and who in (a, architecture.floor(a)) for a, b in EDGES - {(what, what)}
        )


def written(root, **texts):
    """A small package of modules with these texts."""
    for name, text in texts.items():
        path = root / "umlbook" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"algebra": "", "naml": "from umlbook.algebra import Array"}, []),
        ({"algebra": "import umlbook.naml", "naml": ""}, ["algebra imports naml"]),
        ({"algebra": "def f():\n    from . import naml", "naml": ""}, ["algebra imports naml"]),
        ({"cpd": "from umlbook import naml", "naml": ""}, ["cpd imports naml"]),
        ({"cpd": "from umlbook.spectral import x", "spectral": ""}, []),
        ({"naml": "", "book__page": "from umlbook.naml import NAML"}, []),
        ({"naml": "from umlbook.book.page import show", "book__page": ""},
         ["naml imports book.page"]),
        ({"book__page": "import umlbook.experiments.papers", "experiments__papers": ""},
         ["book.page imports experiments.papers"]),
        ({"experiments__papers": "import umlbook.tools.cli", "tools__cli": ""},
         ["experiments.papers imports tools.cli"]),
    ],
)  # fmt: skip
def test_an_import_in_a_forbidden_direction_is_found(tmp_path, texts, said):
    root = written(tmp_path, **texts)
    assert architecture.offences(root) == said
    assert architecture.picture(root) == architecture.picture(root)


def test_circles_are_found():
    edges = {("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")}
    assert architecture.circles(edges, {"a", "b", "c", "d"}) == {"a", "b", "c", "d"}
    assert architecture.circles(edges - {("c", "a")}, {"a", "b", "c", "d"}) == set()


def test_no_text_of_the_picture_is_smaller_than_twelve_pixels():
    sizes = [part.partition('"')[0] for part in architecture.picture().split('font-size="')[1:]]
    assert min(map(int, sizes)) >= 12
