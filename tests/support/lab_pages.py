"""The notebooks as a reader has them: each is run in a real JupyterLab, and its controls are used.

Two files of tests share the notebooks, so that two processes take about as long.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser

from support.browser import (
    Lab,
    add_stripped_copy,
    answer_after_check,
    assert_controls_draw,
    exercise_areas,
    open_notebook,
    run_all,
    running_lab,
    slider_areas,
    watched_page,
)
from umlbook.tools.authoring import read_script

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CHAPTERS = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
EXERCISES = sorted(f"exercises/{path.name}" for path in NOTEBOOKS.glob("exercises/*.ipynb"))
PAPERS = [name for name in CHAPTERS if name < "08"]
"""The way in, and the chapters on the methods of the papers."""
BEYOND = [name for name in CHAPTERS if name not in PAPERS]
"""The methods side by side, errata, a reader's own data, pairs, and the gallery."""


@contextmanager
def lab_over(
    factory: pytest.TempPathFactory, names: Sequence[str], scripts: Mapping[str, str]
) -> Iterator[Lab]:
    """JupyterLab over stripped copies of notebooks, and over notebooks made from scripts."""
    root, private = factory.mktemp("book"), factory.mktemp("jupyter")
    for name in names:
        add_stripped_copy(NOTEBOOKS / name, root, name)
    for name, script in scripts.items():
        nbformat.write(read_script(script), root / name)
    with running_lab(root, private) as running:
        yield running


def assert_page_runs(lab: Lab, browser: Browser, name: str) -> tuple[int, int]:
    """A page runs, its controls draw, exercises answer, and nothing is asked of another machine.

    Return how many outputs have controls, and how many exercises there are.
    """
    with watched_page(browser, lab) as (page, watch):
        open_notebook(page, lab, name)
        assert run_all(page) == []
        areas = slider_areas(page)
        for area in areas:
            assert_controls_draw(area)
        answers = [answer_after_check(area) for area in exercise_areas(page)]
        assert watch.strangers() == [], "the page asks another machine"
        assert watch.errors == [], "the page threw"
    assert all("not attempted" in answer for answer in answers)
    return len(areas), len(answers)
