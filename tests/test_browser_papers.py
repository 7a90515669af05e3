"""The pages as a reader has them: they run in a real JupyterLab and their controls draw pictures.

nbval cannot see a widget that draws a blank picture, and Python cannot see a page that asks
another machine for a script. These tests open the chapters on the papers and one exercise in a real
browser, and pages that show what the tests can see; `test_browser_beyond` opens the other chapters.
"""

import numpy as np
import pytest
from support.browser import (
    assert_controls_draw,
    is_blank,
    open_notebook,
    pictures_after,
    run_all,
    running_chromium,
    same_pictures,
    slider_areas,
    watched_page,
)
from support.lab_pages import EXERCISES, PAPERS, assert_page_runs, lab_over
from support.waiting import wait_until

PAGES = [*PAPERS, *EXERCISES[:1]]

#: Pages of the test's own: one with a control of each kind, one with every fault it must see.
GOOD = """\
# %%
from umlbook.book.exercises.judge import exercise
from umlbook.book.page.explorer import explorer
from umlbook.book.page.figures import new_figure
from umlbook.book.page.stepper import stepper

# %%
def bars(height, colour):
    figure, axes = new_figure(3, 2)
    axes.bar([0, 1], [1, height], color=colour)
    return figure, f"Two bars, one of height 1 and the other of height {height}."

# %%
sliders = {"height": [1, 2, 3], "colour": ["C0", "C1"]}
explorer(bars, question="Which bar will be the taller one?", sliders=sliders)

# %%
halving = [{"x": 0.5**step} for step in range(4)]
stepper(halving, draw=lambda axes, state: axes.bar([0, 1], [1, state["x"]]), quantities=["x"])

# %%
answer = ...
exercise("1.1").panel("answer")
"""
NIGHT = """\
# %%
from umlbook.book import compare, explorer, new_figure, quiz, stepper
halving = [{"objective": 0.5**step} for step in range(4)]

# %%
quiz("1.q1")

# %%
stepper(halving, title="Halving")

# %%
compare(halving, halving[1:], quantities=["objective"])

# %%
explorer(lambda a: (new_figure(3, 2)[0], f"It is {a}."), question="Which?", sliders={"a": [1, 2]})

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
## The paper, line by line

# %%
print("Run and", "not seen.")

# %% [markdown]
## What to remember
"""
BAD = """\
# %% [markdown]
<img src="http://pictures.invalid/one.png">

# %%
import io

import ipywidgets as widgets
from matplotlib.figure import Figure

# %%
buffer = io.BytesIO()
Figure(figsize=(1, 1)).savefig(buffer, format="png")
widgets.VBox([widgets.IntSlider(), widgets.Image(value=buffer.getvalue())])

# %%
1 / 0
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab over half of the book and the pages of this test."""
    own = {"good.ipynb": GOOD, "bad.ipynb": BAD, "night.ipynb": NIGHT}
    with lab_over(tmp_path_factory, PAGES, own) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as chromium:
        yield chromium


@pytest.mark.parametrize("name", ["good.ipynb", *PAGES])
def test_page_runs_and_its_controls_draw(lab, browser, name):
    found = assert_page_runs(lab, browser, name)
    if name == "good.ipynb":
        assert found == (2, 1)


def test_a_page_opened_the_next_day_shows_twins_and_no_error(lab, browser):
    twins, views = ".umlbook-twin:visible", ".umlbook-live:visible"
    with watched_page(browser, lab) as (page, _):
        open_notebook(page, lab, "night.ipynb")
        assert run_all(page) == []
        wait_until(lambda: page.locator(views).count() == 4, "four widgets")
        assert page.locator(twins).count() == 0, "widget and twin are both shown"
        collapsed = page.locator(".jp-OutputArea-output", has_text="Run and not seen.")
        assert collapsed.count() == 1 and not collapsed.is_visible()
        page.locator(".jp-Notebook").press("Control+s")
        path = lab.root / "night.ipynb"
        wait_until(lambda: "umlbook-twin" in path.read_text(), "the page to be saved")
    with watched_page(browser, lab) as (page, _):  # its kernel is gone, a new one has no widgets
        open_notebook(page, lab, "night.ipynb")
        lost = page.get_by_text("model not found")
        wait_until(lambda: lost.count() == 4, "JupyterLab to look for the widgets")
        assert page.locator(twins).count() == 4 and page.locator(views).count() == 0
        assert not any(error.is_visible() for error in lost.all())
        assert page.locator(f"{twins} td", has_text="0.12500").is_visible()


def test_faults_of_a_page_are_seen(lab, browser):
    with watched_page(browser, lab) as (page, watch):
        open_notebook(page, lab, "bad.ipynb")
        (error,) = run_all(page)
        assert "ZeroDivisionError" in error
        assert watch.strangers() == ["http://pictures.invalid/one.png"]
        (area,) = slider_areas(page)
        with pytest.raises(AssertionError, match="blank before any move"):
            assert_controls_draw(area)
        with pytest.raises(AssertionError, match="another picture"):
            pictures_after(area, lambda: None, "nothing", seconds=1)


def test_a_picture_of_one_colour_is_blank_and_one_pixel_makes_another_picture():
    blank = np.full((4, 5, 3), 255, np.uint8)
    drawn = blank.copy()
    drawn[2, 2, 0] = 0
    assert is_blank(blank) and not is_blank(drawn)
    assert same_pictures([blank], [blank.copy()])
    assert not same_pictures([blank], [drawn]) and not same_pictures([blank], [])
