"""What ``ex.solution()`` shows runs in the student's notebook as it stands, and is right."""

import ast
import re
from html import unescape
from pathlib import Path

import pytest

from umlbook.book.exercises import cells as _cells
from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.progress import Progress
from umlbook.book.exercises.solution import plain_source

STUDENTS_NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks" / "exercises").glob("*.ipynb"))


def shown(note):
    """The code on the page: what the browser puts into the clipboard."""
    (code,) = re.findall(r"<pre>(.*)</pre>", note._repr_html_(), re.DOTALL)
    return unescape(code)


def run_as_shown(path):
    """The outcome of each exercise of a notebook, its answer being the solution as displayed.

    The cells run in order, in a namespace that has what the notebook puts there and nothing else.
    """
    cells = _cells.code_cells(_cells.parsed(path.read_bytes()))
    exercises = _cells.opened_exercises(cells)
    names, outcomes, opened = {"__name__": "__main__"}, {}, None
    for cell in cells:
        if cell.is_answer:
            fresh = dict(names)  # no solution may live on what another one has defined
            exec(shown(names[opened].solution()), fresh)
        elif cell.is_check:
            outcomes[exercises[opened]] = eval(cell.source, fresh)
        elif ".panel(" not in cell.source and ".debug(" not in cell.source:
            exec(cell.source, names)
            opened = next(iter(_cells.opened_exercises([cell])), opened)
    return outcomes


@pytest.mark.parametrize("path", STUDENTS_NOTEBOOKS, ids=lambda path: path.stem)
def test_every_solution_runs_as_displayed_and_is_correct(path, monkeypatch):
    monkeypatch.setattr("umlbook.book.exercises.judge.SESSION", Progress())
    outcomes = run_as_shown(path)
    assert {key: repr(said) for key, said in outcomes.items()} == {
        key: f"Exercise {key}: correct" for key in outcomes
    }
    chapter = str(int(path.stem[:2]))
    assert list(outcomes) == [k for k, spec in all_exercises().items() if spec.chapter == chapter]


def test_every_chapter_with_exercises_has_its_notebook_run():
    chapters = {str(int(path.stem[:2])) for path in STUDENTS_NOTEBOOKS}
    assert chapters == {spec.chapter for spec in all_exercises().values()}


def typed(x: "dict[str, int]", *more: int, λ: float = 1.0, **rest: object) -> "tuple[int, ...]":
    """Reference of nothing."""
    y: int = 2  # a comment stays
    return (y + len(x), *more)


def test_annotations_go_and_comments_stay():
    plain = plain_source(typed)
    nodes = list(ast.walk(ast.parse(plain)))
    assert not any(getattr(n, "annotation", None) or getattr(n, "returns", None) for n in nodes)
    assert "y = 2  # a comment stays" in plain and "Reference" not in plain
    names = {}
    exec(plain, names)
    assert names["typed"]({"a": 1}, 5) == typed({"a": 1}, 5) == (3, 5)
