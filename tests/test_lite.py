"""The live book is made of pinned parts, the same bytes each time, and says what it cannot do.

That it runs is shown by test_lite_node.py (every notebook) and test_lite_browser.py (real pages).
"""

import argparse
import contextlib
import hashlib
import importlib
import json
import sys
import time
import zipfile
from pathlib import Path
from zipimport import zipimporter

import nbformat
import pytest
import yaml
from support.lite import NOTEBOOKS, built_book, pyodide_folder

from umlbook._browser import compiled_library, needs_a_computer
from umlbook.book import lite
from umlbook.book.exercises import hand_in, run
from umlbook.book.lite import build, parts, wheel
from umlbook.experiments.engine import grid, reproduce
from umlbook.tools import cli

ROOT = Path(__file__).parents[1]


def sums(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


# --------------------------------------------------------------------------------- the parts


def test_the_lock_file_names_every_part_with_its_sum_and_needs_nothing_else():
    own = [parts.entry("umlbook", "1", ROOT / "LICENSE", ["umlbook"], "ipywidgets", "scikit-learn")]
    packages = json.loads(parts.lock(own, "https://cdn.invalid/", "wheels/"))["packages"]
    assert packages["scipy"]["file_name"].startswith("https://cdn.invalid/scipy-")
    assert packages["ipython"]["file_name"].startswith("wheels/ipython-")
    license = (ROOT / "LICENSE").read_bytes()
    assert packages["umlbook"]["sha256"] == hashlib.sha256(license).hexdigest()
    for package in packages.values():
        assert len(package["sha256"]) == 64
        assert {*package["depends"]} <= packages.keys()


def test_pages_without_a_folder_ask_the_pinned_version_of_pyodide():
    assert parts.CDN.endswith(f"/v{parts.VERSION}/full/")
    script = build.static_file("python.mjs", parts.CDN)
    assert f'from "{parts.CDN}pyodide.mjs"' in script
    assert f'const PYODIDE = "{parts.CDN}"' in script


def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path):
    (tmp_path / "pyodide.mjs").write_text("// another version")
    wrong = parts.wrong_files(tmp_path, parts.pyodide_files())
    assert {*wrong} == {*parts.pyodide_files()}


def test_pip_says_why_a_wheel_cannot_be_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(parts.LiteError, match=r"pip could not fetch \d+ wheels: ERROR: "):
        parts.fetch_wheels(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_wheel_has_the_package_without_notebooks_and_the_same_bytes_each_time(tmp_path):
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made.append(wheel.write_wheel(tmp_path / name))
        time.sleep(0.01)
    assert made[0].read_bytes() == made[1].read_bytes()
    names = zipfile.ZipFile(made[0]).namelist()
    assert {"umlbook/__init__.py", "umlbook/book/ledger/ledger.csv"} <= {*names}
    assert not [name for name in names if name.endswith((".ipynb", ".pyc"))]


def test_the_kept_library_has_the_bytecode_of_what_is_loaded(tmp_path, monkeypatch):
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    with zipfile.ZipFile(first, "w") as archive:
        for name in ("umlbook_loaded", "umlbook_unused"):
            archive.writestr(f"{name}.py", f"answer = {name!r}")
    monkeypatch.syspath_prepend(first)
    monkeypatch.setitem(sys.modules, "umlbook_loaded", importlib.import_module("umlbook_loaded"))
    second.write_bytes(compiled_library())
    assert {*zipfile.ZipFile(second).namelist()} == {
        "umlbook_loaded.py", "umlbook_unused.py", "umlbook_loaded.pyc"
    }  # fmt: skip
    made = zipimporter(str(second)).get_code("umlbook_loaded")
    assert made.co_consts == compile("answer = 'umlbook_loaded'", "", "exec").co_consts
    assert made.co_filename == str(first / "umlbook_loaded.py")  # compiled once, from there


# --------------------------------------------------------------------------------- the folder


def test_built_twice_it_is_the_same_byte_for_byte(tmp_path):
    first, second = (built_book(tmp_path / name) for name in ("one", "two"))
    assert sums(first) == sums(second)
    notebooks = {path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.glob("**/[!.]*.ipynb")}
    assert {
        path.relative_to(first / "files") for path in first.glob("files/**/*.ipynb")
    } == notebooks
    assert not list(first.rglob("*.map"))
    assert "/tmp" not in (first / "jupyter-lite.json").read_text(encoding="utf-8")


def test_a_live_notebook_has_its_texts_in_one_piece_and_the_stored_outputs():
    path = NOTEBOOKS / "01-kmeans-is-a-trace.ipynb"
    stored, live = nbformat.read(path, 4), json.loads(build.live_copy(path))
    for cell, copy in zip(stored.cells, live["cells"], strict=True):
        assert copy["source"] == cell.source
        assert copy.get("outputs", []) == cell.get("outputs", [])


def test_a_folder_with_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "letter.txt").write_text("dear")
    assert lite.run(argparse.Namespace(out=tmp_path, pyodide=None)) == 1
    assert "name a new folder with --out" in capsys.readouterr().err
    assert (tmp_path / "letter.txt").exists()


def test_a_folder_without_pyodide_is_refused_and_nothing_written(tmp_path, capsys):
    pyodide_folder()  # skips where the wheels could not be fetched either
    out = tmp_path / "live"
    assert lite.run(argparse.Namespace(out=out, pyodide=tmp_path)) == 1
    assert f"is not Pyodide {parts.VERSION} with its packages" in capsys.readouterr().err
    assert not out.exists()


def test_missing_tools_are_named_with_the_command_that_installs_them(monkeypatch):
    monkeypatch.setattr(lite, "NEEDED", ("jupyterlite_that_is_not_there",))
    assert 'pip install "umlbook[lite]"' in lite.not_installed()


def test_the_published_folder_is_that_of_the_command():
    workflow = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["publish"]["steps"]
    tested, command = [step["run"] for step in steps if "run" in step]
    assert "tests/test_lite_node.py --lite-all" in tested
    assert command == "umlbook site --live --out public"
    (upload,) = [s for s in steps if s.get("uses", "").startswith("actions/upload-pages-artifact")]
    assert upload["with"]["path"] == "public"


def test_the_first_badge_runs_the_book_and_the_second_is_binder():
    badges = [
        line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if "[![" in line
    ]
    assert badges[0].startswith("[![Run in your browser]")
    assert badges[1].startswith("[![Open in Binder]")


# ------------------------------------------------------------------- what a page's Python does


@pytest.fixture
def in_page(monkeypatch):
    """As if this Python ran in a web page."""
    for module in (run, hand_in, grid, reproduce, cli):
        monkeypatch.setattr(module, "in_browser", lambda: True)


def test_a_traced_call_returns_raises_and_is_stopped_like_one_in_a_thread(in_page):
    assert run.limited(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        run.limited(lambda: 1 / 0)

    def endless():
        while True:
            with contextlib.suppress(Exception):
                sum(range(10))

    with pytest.raises(run.OutOfTime, match=r"it ran longer than 0.2 s and was stopped"):
        run.limited(endless, 0.2)


def test_a_traced_call_starts_no_thread_and_leaves_the_tracer_as_it_was(in_page, monkeypatch):
    monkeypatch.setattr(run, "Thread", None)
    before = sys.gettrace()

    def endless():
        while True:
            pass

    with pytest.raises(run.OutOfTime):
        run.limited(endless, 0.1)
    assert sys.gettrace() is before


@pytest.mark.parametrize("command", ["grade", "refresh", "site", "lite", "bench"])
def test_a_command_that_starts_processes_says_so(in_page, capsys, command):
    assert cli.main([command]) == 1
    assert capsys.readouterr().err == needs_a_computer(f"umlbook {command}") + "\n"


@pytest.mark.parametrize("option", [["--jobs", "2"], ["--dask", "tcp://127.0.0.1:1"]])
def test_reproduce_with_processes_says_so(in_page, capsys, tmp_path, option):
    words = ["reproduce", "pm-figure-2", "--out", str(tmp_path), *option]
    assert cli.main(words) == 2
    said = needs_a_computer(f"reproduce with {option[0]}")
    assert capsys.readouterr().err == f"umlbook reproduce: {said}\n"


def test_a_grid_runs_in_one_process_and_refuses_more(in_page):
    cells = [{"x": 1}, {"x": 2}]
    assert [r.rows for r in grid.run(lambda cell: [cell], cells)] == [[c] for c in cells]
    with pytest.raises(OSError, match="a grid with jobs or dask starts other processes"):
        grid.run(lambda cell: [cell], cells, jobs=2)


def test_the_link_to_a_hand_in_carries_the_file(in_page, tmp_path):
    path = tmp_path / "hand-in-Ada.zip"
    path.write_bytes(b"PK")
    html = hand_in.Receipt(path, ("one.ipynb",), {})._repr_html_()
    assert '<a href="data:application/zip;base64,UEs=" download="hand-in-Ada.zip">' in html
