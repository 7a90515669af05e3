"""The book can be read without good eyes, without colour vision and without a mouse.

The order of headings and the sentence of each figure are rules of the lint, tested elsewhere.
"""

import ast
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb, to_rgba
from support.accessibility import (
    DICHROMACY,
    MARK,
    TEXT,
    coloured_styles,
    contrast,
    nearest_pair,
    seen,
    silent_images,
)
from support.browser import (
    open_notebook,
    run_all,
    running_chromium,
    running_lab,
    visible_pictures,
    watched_page,
)
from support.waiting import wait_until

from umlbook.book import explorer, new_figure, quiz, stepper, table
from umlbook.book.exercises.judge import exercise
from umlbook.book.exercises.model import Outcome, Status
from umlbook.book.own import own_data
from umlbook.book.page import draw_points, draw_tables, figures
from umlbook.book.page.figures import FAINT, INK, MUTED, PALETTE, STYLE, class_look, line_look
from umlbook.book.page.stepper import LAMPS
from umlbook.tools.authoring import read_script

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("**/[!.]*.ipynb"))
TELLING = 15.0
"""Least distance in CIELAB of two class colours, in every kind of vision; 2 can just be seen."""
LIGHT, DARK = ("#ffffff", "#000000de"), ("#111111", "#ffffff")
"""Page and text of JupyterLab's two themes."""
GROUNDS = (LIGHT[0], DARK[0], "#131416")
"""The pages that a picture lies on: JupyterLab's two, and the dark one of the static site."""


# ----------------------------------------------------------------------- the measuring sticks


def test_contrast_and_distance_have_their_known_values():
    assert contrast("white", "black") == pytest.approx(21)
    assert contrast("#767676", "white") == pytest.approx(4.54, abs=0.01)
    assert contrast("red", "red") == 1
    np.testing.assert_allclose(seen("white"), [100, 0, 0], atol=0.01)
    np.testing.assert_allclose(seen("red"), [53.24, 80.09, 67.20], atol=0.05)


def test_dichromats_keep_greys_and_lose_their_pair_of_colours():
    for vision in DICHROMACY:
        np.testing.assert_allclose(seen("#808080", vision), seen("#808080"), atol=0.05)
    confused = {"protanopia": ("#8c6d00", "#c85a00"), "deuteranopia": ("#7a7d00", "#a86c00")}
    for vision, pair in confused.items():
        assert nearest_pair(pair, vision)[0] < 0.6 * nearest_pair(pair)[0]
    blue, green = "#0072B2", "#009E73"
    assert nearest_pair((blue, green), "tritanopia")[0] < 0.4 * nearest_pair((blue, green))[0]


# ------------------------------------------------------------------------------ the pictures


@pytest.mark.parametrize("vision", DICHROMACY)
def test_any_two_class_colours_can_be_told_apart(vision):
    distance, one, other = nearest_pair(PALETTE, vision)
    assert distance >= TELLING, f"{one} and {other} are {distance:.1f} apart in {vision}"


@pytest.mark.parametrize("ground", GROUNDS)
def test_class_colours_and_secondary_marks_stand_out_from_light_and_dark_pages(ground):
    for colour in (*PALETTE, INK, MUTED, draw_points.GRID_LINES):
        assert contrast(colour, ground) >= MARK, colour


def test_every_text_colour_of_the_style_can_be_read_on_white_and_lifted_on_dark_pages():
    """No colour has 4.5 on both: on a dark page a rule of style makes pictures lighter."""
    colours = {
        value
        for name, value in STYLE.items()
        if name in ("text.color", "axes.labelcolor") or name.endswith("tick.labelcolor")
    }
    assert colours == {INK}
    assert contrast(INK, "white") >= TEXT
    assert contrast("white", DARK[0]) < TEXT**2
    css = (ROOT / "umlbook/book/site/static/site.css").read_text(encoding="utf-8")
    for rule in (figures.THEMED, css):
        (factor,) = set(re.findall(r"brightness\(([\d.]+)\)", rule))
        lifted = to_hex(np.minimum(float(factor) * np.array(to_rgb(INK)), 1))
        assert min(contrast(lifted, ground) for ground in GROUNDS if ground != "#ffffff") >= TEXT
    # Where no rule of style reaches, text has the most that a colour can have, less a tenth.
    assert min(contrast(INK, ground) for ground in GROUNDS) >= 0.9 * np.sqrt(
        min(contrast("white", ground) for ground in GROUNDS if ground != "#ffffff")
    )


def test_faint_is_used_for_decoration_only():
    """Its contrast is too low for anything that has to be seen: frames of labels, no marks."""
    *colour, share = to_rgba(FAINT)
    for ground in GROUNDS:
        mixed = share * np.array(colour) + (1 - share) * np.array(to_rgb(ground))
        assert contrast(to_hex(mixed), ground) < MARK
    tree = ast.parse(Path(draw_points.__file__).read_text(encoding="utf-8"))
    uses = [node.lineno for node in ast.walk(tree) if getattr(node, "id", "") == "FAINT"]
    lines = Path(draw_points.__file__).read_text(encoding="utf-8").splitlines()
    assert all("bbox" in lines[line - 1] for line in uses)


def test_marks_on_tinted_regions_have_a_white_rim_and_the_tints_are_pale():
    _, ax = new_figure(4, 3)
    X = np.random.default_rng(0).normal(size=(70, 2))
    labels = np.arange(70) % len(PALETTE)
    draw_points.draw_clusters(ax, X, labels, predict=lambda points: (points[:, 0] > 0).astype(int))
    for marks in [c for c in ax.collections if len(c.get_offsets()) > 1]:
        assert to_hex(marks.get_edgecolor()[0]) == "#ffffff"
        assert min(marks.get_linewidths()) >= 0.8  # more than a pixel, at 100 dots an inch
    colours = np.array(ax.images[0].get_cmap().colors)
    assert len(colours) == len(PALETTE)
    for ground in GROUNDS:
        share = colours[:, 3:]
        tints = map(to_hex, share * colours[:, :3] + (1 - share) * np.array(to_rgb(ground)))
        assert max(contrast(tint, ground) for tint in tints) < 1.5


def test_no_class_and_no_line_is_told_by_colour_alone():
    looks = [class_look(i) for i in range(len(PALETTE))]
    assert len({look["marker"] for look in looks}) == len(looks)
    lines = [line_look(i) for i in range(len(figures.DASHES))]
    assert len({str(line["linestyle"]) for line in lines}) == len(lines)


def test_no_two_lines_of_a_picture_share_a_colour():
    _, ax = new_figure(4, 3)
    lines = {f"line {i}": ([0, 1], [0, i]) for i in range(len(figures.LINES))}
    drawn = draw_tables.draw_lines(ax, lines).get_lines()
    assert len({line.get_color() for line in drawn}) == len(lines) == 8
    assert len({line.get_marker() for line in drawn}) == len(lines)
    with pytest.raises(ValueError, match="9 lines, and 8 colours"):
        draw_tables.draw_lines(ax, {**lines, "one more": ([0], [0])})


def test_every_stored_picture_carries_its_sentence_as_alternative_text():
    seen_any = False
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "image/png" in data:
                    seen_any = True
                    alt = output.metadata["image/png"]["alt"]
                    assert alt == data["text/plain"], path.name
    assert seen_any


# --------------------------------------------------------------------------------- the pages


def bars(height):
    figure, axes = new_figure(3, 2)
    axes.bar([0, 1], [1, height])
    return figure, f"Two bars, one of height 1 and the other of height {height}."


def html_of(widget):
    """All HTML in a tree of widgets."""
    own = getattr(widget, "value", "")
    inside = "".join(html_of(child) for child in getattr(widget, "children", ()))
    return (own if isinstance(own, str) else "") + inside


def emitted():
    """Name and HTML of everything that the book puts on a page."""
    ex = exercise("1.1")
    panel = explorer(bars, question="Which?", sliders={"height": [1, 2]}, choices=["a", "b"])
    panel.reveal()
    halving = [{"x": 1.0}, {"x": 0.5}]
    steps = stepper(
        halving,
        draw=lambda ax, state: ax.bar([0], state["x"]),
        quantities=["x"],
        invariants={"falls": lambda old, new: None if old is None else new["x"] < old["x"]},
    )
    yield "explorer", html_of(panel.widget)
    yield "stepper", html_of(steps.widget)
    yield "quiz", html_of(quiz("1.q1").view())
    yield "exercise", html_of(ex.panel("answer").view()) + ex.hint()._repr_html_()
    for status in Status:
        yield status.name, Outcome("Exercise 1.1", status, "because")._repr_html_()
    yield "table", table({"K": [2], "value": [1.5]}, caption="A table").html()
    yield "own data", html_of(own_data().widget)


@pytest.fixture(scope="module")
def pages():
    return dict(emitted())


def test_a_page_sets_text_and_ground_together_or_neither_and_they_contrast(pages):
    """What a page leaves to JupyterLab's theme is readable in the light and in the dark one."""
    assert all(contrast(text[:7], page) >= TEXT for page, text in (LIGHT, DARK))
    pairs = [pair for html in pages.values() for pair in coloured_styles(html)]
    assert pairs, "the lamps of the stepper have colours: the search is blind"
    for text, ground in pairs:
        assert text and ground and contrast(text, ground) >= TEXT, (text, ground)


def test_every_image_in_a_widget_has_an_alternative_text(pages):
    images = sum(html.count("<img") for html in pages.values())
    assert images >= 3
    assert [tag for html in pages.values() for tag in silent_images(html)] == []


def test_states_are_said_in_words(pages):
    for status in Status:
        assert status.value in pages[status.name]
    for symbol, word, colour in LAMPS.values():
        assert word.strip() and symbol.strip()
        assert contrast(colour, "white") >= TEXT
    assert "holds" in pages["stepper"]
    assert 'role="status"' in pages["explorer"] and 'role="status"' in pages["own data"]
    assert re.search(r'<th scope="col"', pages["table"])


# ------------------------------------------------------------------------------ the keyboard

PAGE = """\
# %%
from umlbook.book import exercise, explorer, new_figure, quiz, stepper
from umlbook.book.own import own_data

# %%
def bars(height):
    figure, axes = new_figure(3, 2)
    axes.bar([0, 1], [1, height])
    return figure, f"Two bars, one of height 1 and the other of height {height}."


explorer(bars, question="Which?", sliders={"height": [1, 2, 3]}, choices=["left", "right"])

# %%
halving = [{"x": 0.5**step} for step in range(4)]
stepper(halving, draw=lambda axes, state: axes.bar([0, 1], [1, state["x"]]), quantities=["x"])

# %%
quiz("1.q1")

# %%
answer = ...
exercise("1.1").panel("answer")

# %%
own_data()
"""
EXPLORER, STEPPER, QUIZ, EXERCISE, OWN = range(1, 6)
_FOCUS = """() => {
  const e = document.activeElement, cells = [...document.querySelectorAll('.jp-Cell')];
  const kind = e.getAttribute('role') || e.type || e.tagName.toLowerCase();
  const words = e.tagName === 'BUTTON' ? e.innerText : '';
  return [cells.indexOf(e.closest('.jp-Cell')), kind, words.trim()];
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """JupyterLab on a page with each kind of control, run, the first cell selected by key."""
    root, private = tmp_path_factory.mktemp("keys"), tmp_path_factory.mktemp("jupyter")
    nbformat.write(read_script(PAGE), root / "keys.ipynb")
    with (
        running_chromium() as browser,
        running_lab(root, private) as lab,
        watched_page(browser, lab) as (opened, _),
    ):
        open_notebook(opened, lab, "keys.ipynb")
        assert run_all(opened) == []
        yield opened


def tab_to(page, *wanted):
    """Press Tab until a control has the focus; AssertionError when it never does."""
    stops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(tuple(page.evaluate(_FOCUS)))
        if stops[-1][: len(wanted)] == wanted:
            return
    raise AssertionError(f"Tab never reaches {wanted}, only {sorted(set(stops))}")


def words(page, cell):
    return page.locator(".jp-Cell").nth(cell).locator(".jp-Cell-outputArea").inner_text()


def pressed(page, cell, key, said):
    """Press a key and wait until the cell's output says something."""
    page.keyboard.press(key)
    wait_until(lambda: re.search(said, words(page, cell)), f"{said!r} after {key}")


def test_every_control_is_reached_and_operated_by_keys_alone(page):
    page.keyboard.press("Escape")
    tab_to(page, EXPLORER, "radio")
    pressed(page, EXPLORER, "Space", "You predict: left")
    tab_to(page, EXPLORER, "slider")
    pressed(page, EXPLORER, "ArrowRight", "the other of height 2")
    assert visible_pictures(page.locator(".jp-Cell").nth(EXPLORER))

    tab_to(page, STEPPER, "submit")
    before = words(page, STEPPER)
    page.keyboard.press("Enter")  # play
    wait_until(lambda: words(page, STEPPER) != before, "the stepper to play")
    tab_to(page, STEPPER, "slider")
    page.keyboard.press("End")
    wait_until(lambda: "0.125" in words(page, STEPPER), "the last step")

    tab_to(page, QUIZ, "radio")
    pressed(page, QUIZ, "Space", "Quiz 1.q1: (correct|wrong)")
    tab_to(page, EXERCISE, "submit", "Check")
    pressed(page, EXERCISE, "Enter", "Exercise 1.1: not attempted")
    tab_to(page, EXERCISE, "submit", "Hint")
    pressed(page, EXERCISE, "Space", "(?i)hint")


def test_the_panel_for_own_data_needs_no_mouse(page):
    for kind in ("text", "select-multiple", "select-one", "number"):
        tab_to(page, OWN, kind)
    tab_to(page, OWN, "submit", "Cluster")
    pressed(page, OWN, "Enter", "This does not work: there is no file yet")
    tab_to(page, OWN, "text")
    page.keyboard.type("gone.csv")
    pressed(page, OWN, "Enter", "there is no file gone.csv")
