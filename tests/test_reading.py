"""The rules for readers notice what they are for."""

import pytest
from nbformat import v4
from support import reading
from support.symbols import formulas, letters, main_letters

PICTURE = v4.new_output("display_data", {"image/png": "", "text/plain": "A picture."}, metadata={})
VERDICT = "(1.{}) Eq. 2 holds: 20 draws, worst relative error < 1e-9\n"


def page(*cells):
    """A notebook of texts, and of outputs of code cells."""
    made = [
        v4.new_markdown_cell(cell)
        if isinstance(cell, str)
        else v4.new_code_cell("pass", outputs=list(cell))
        for cell in cells
    ]
    return v4.new_notebook(cells=made)


def printed(text):
    return [v4.new_output("stream", text=text)]


def test_a_picture_comes_early():
    early = page(*["text"] * 8, [PICTURE])
    assert reading.picture_first(early) == []
    late = page(*["text"] * 9, [PICTURE])
    assert reading.picture_first(late) == ["9 cells before the first picture"]
    assert reading.picture_first(page("text")) == ["no picture"]


def test_faults_of_a_figure_are_read_from_its_metadata():
    assert reading.whole_figures(page([PICTURE])) == [
        "cell 1: a picture without width: `umlbook refresh`"
    ]
    known = {"image/png": {"width": 640, "faults": ["axes 1: the legend lies over 2 marks"]}}
    found = reading.whole_figures(
        page([v4.new_output("display_data", PICTURE.data, metadata=known)])
    )
    assert found == ["cell 1, axes 1: the legend lies over 2 marks"]


def test_code_is_folded_as_the_rule_says():
    notebook = page("text", [])
    assert reading.folded_code(notebook) == []
    notebook.cells[1].source = "import numpy"
    assert reading.folded_code(notebook) == ["cell 2 is open: run `umlbook refresh`"]


def test_a_section_is_collapsed_as_the_rule_says():
    notebook = page("text", "## The paper, line by line")
    assert reading.collapsed_sections(notebook) == [
        "the section of cell 2 is not collapsed: run `umlbook refresh`"
    ]
    notebook.cells[1].metadata["jp-MarkdownHeadingCollapsed"] = True
    assert reading.collapsed_sections(notebook) == []
    notebook.cells[1].source = "## What to remember"
    assert reading.collapsed_sections(notebook) == [
        "the section of cell 2 is not open: run `umlbook refresh`"
    ]


def test_a_row_of_verdicts_needs_words_between_them():
    three = [printed(VERDICT.format(n)) for n in range(3)]
    assert reading.no_walls(page(*three, "words", *three)) == []
    found = reading.no_walls(page("words", *three, printed(VERDICT.format(4))))
    assert found == ["cell 5: 4 verdicts in a row, without a word"]


def test_notes_for_the_tests_do_not_stand_in_cells():
    notebook = page([])
    notebook.cells[0].source = "b = -a  # mutation: equivalent"
    assert len(reading.plain_cells(notebook)) == 1


@pytest.mark.parametrize(
    "later", ["a = 2", "for a in (1, 2): pass", "def tenth(): pass", "import numpy as a"]
)
def test_a_later_cell_does_not_take_a_name_from_a_panel(later):
    notebook = page([], [], [])
    sources = [
        "a = 1\ndef tenth(x):\n    return x / 10\ndef draw(x):\n    return tenth(a * x)",
        "explorer(draw, sliders={'x': [1, 2]})",
        "def other():\n    a = 3\n    return [a for a in range(a)]\nx = draw",
    ]
    for cell, source in zip(notebook.cells, sources, strict=True):
        cell.source = source
    assert reading.lasting_names(notebook) == []
    notebook.cells.append(v4.new_code_cell(later))
    (found,) = reading.lasting_names(notebook)
    assert found.startswith("code cell 4 rebinds")


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("## What to remember\n\n**Next:** [chapter 2](02-two.ipynb)", True),
        ("## What to remember\n\nNothing.\n\n## Summary", False),
        ("## What to remember\n\n**Next:** chapter 2", False),
    ],
)
def test_the_last_words_say_what_to_remember_and_where_to_go(text, fine):
    notebook = page("# One\n\n## Summary", text)
    assert (not reading.way_on(notebook) and not reading.what_to_remember(notebook)) is fine


@pytest.mark.parametrize("inside", [True, False])
def test_the_way_on_is_not_hidden_in_a_collapsed_section(inside):
    way = "**Next:** [chapter 2](02-two.ipynb)"
    notebook = page("# One", *(["Words.", way] if inside else [way, "Words."]))
    notebook.cells.insert(2, v4.new_markdown_cell("## The paper, line by line"))
    assert bool(reading.way_on(notebook)) is inside


@pytest.mark.parametrize("title, wrong", [("## The paper, line by line", 1), ("## More", 0)])
def test_a_panel_is_not_hidden_in_a_collapsed_section(title, wrong):
    notebook = page("# One", title)
    notebook.cells.append(v4.new_code_cell("explorer(draw, sliders={})"))
    assert len(reading.panels_in_sight(notebook)) == wrong


def test_a_letter_that_is_used_often_is_explained():
    assert reading.explained_letters(page(*["Let $X$ be, and $Q_{X}$."] * 3), "01") == [
        "Q is in 3 cells and not in notation.csv"
    ]


def test_letters_are_read_from_formulas_and_not_from_words():
    assert formulas("Let $x$ be `$y$` and $$z = 1$$ so") == ["x", "z = 1"]
    found = letters(r"\operatorname{tr}(X' A X) = \sum_i \lambda_i h_{\mathrm{max}} BR")
    assert found == {"X", "A", "h", "\\lambda"}
    assert main_letters(["$A$", "$A x$", "$A_1$", "$C$"]) == {"A": 3}
