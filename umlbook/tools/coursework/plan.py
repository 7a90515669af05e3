"""What is run of a hand-in: the released notebook, with the student's answers in their places.

Cells are matched by nbgrader's grade id, then by their own id, then by their text. Only answer
cells, and cells that the student has added, are the student's; every other cell is the released
one, whatever the hand-in says. Check cells are not run at all: they say which expression is the
answer to which exercise, and the worker judges its value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from umlbook.book.exercises.cells import Cell, opened_exercises, sets_student

#: What an answer has no reason to name: the book's own solutions and the engine behind the checks.
_INSIDES = re.compile(r"\ball_exercises\b|\bbook\.(bank|exercise\w*)\b|\.(spec|reference)\b")
_HAND_IN = re.compile(r"^hand_in\(", re.MULTILINE)


@dataclass(frozen=True)
class Code:
    """Code to run: the release's, or the student's own."""

    source: str
    own: bool


@dataclass(frozen=True)
class Judge:
    """An exercise to judge: the expression that gives the answer, and what it is worth."""

    exercise: str
    answer: str
    points: float


Step = Code | Judge


def _checked(cell: Cell) -> tuple[str, str] | None:
    """The exercise's variable and the answer in ``ex1.check(answer)``."""
    try:
        tree = ast.parse(cell.source, mode="eval").body
    except SyntaxError:
        return None
    match tree:
        case ast.Call(ast.Attribute(ast.Name(variable), "check"), [answer], []):
            return variable, ast.unparse(answer)
    return None


def _only_shows(source: str) -> bool:
    """Whether a cell is made of expressions, such as ``report()``: nothing later needs it."""
    try:
        return all(isinstance(statement, ast.Expr) for statement in ast.parse(source).body)
    except SyntaxError:  # a magic of IPython's
        return False


def _matches(release: Sequence[Cell], handed: Sequence[Cell]) -> list[int | None]:
    """For each cell handed in, the place of the released cell that it is, None for an own one."""
    keys: dict[tuple[str, str], int] = {}
    for place, cell in enumerate(release):
        for key in (("text", cell.source), ("id", cell.id), ("grade", cell.grade_id)):
            if key[1]:
                keys.setdefault(key, place)
    taken: set[int] = set()
    matches: list[int | None] = []
    for cell in handed:
        wanted = (("grade", cell.grade_id), ("id", cell.id), ("text", cell.source))
        found = next((keys[key] for key in wanted if key in keys), None)
        matches.append(None if found in taken else found)  # a second copy is the student's own
        taken.update(() if found is None else (found,))
    return matches


def steps(release: Sequence[Cell], handed: Sequence[Cell]) -> Iterator[Step]:
    """The steps of grading, in the order of the released notebook.

    An own cell follows the released cell after which it stands in the hand-in.
    """
    answers: dict[int, Cell] = {}
    added: dict[int, list[Cell]] = {}
    anchor = -1
    for cell, place in zip(handed, _matches(release, handed), strict=True):
        if place is None:
            added.setdefault(anchor, []).append(cell)
        else:
            answers[place], anchor = cell, place
    variables = opened_exercises(list(release))
    yield from _own(added.get(-1, []))
    for place, cell in enumerate(release):
        checked = _checked(cell) if cell.is_check else None
        if checked and checked[0] in variables:
            yield Judge(variables[checked[0]], checked[1], cell.points)
        elif cell.is_answer:
            yield from (Code(c.source, own=True) for c in [answers.get(place, cell)] if c.source)
        elif not _only_shows(cell.source):
            yield Code(cell.source, own=False)
        yield from _own(added.get(place, []))


def _own(cells: Sequence[Cell]) -> Iterator[Code]:
    for cell in cells:
        released_too = sets_student(cell) or _HAND_IN.search(cell.source)
        if cell.source and not released_too:
            yield Code(cell.source, own=True)


def judged(release: Sequence[Cell]) -> list[Judge]:
    """The exercises of a released notebook."""
    return [step for step in steps(release, []) if isinstance(step, Judge)]


def remarks(release: Sequence[Cell], handed: Sequence[Cell]) -> list[str]:
    """What a teacher may want to look at: changed cells that are no answers, and peeking."""
    pairs = list(zip(handed, _matches(release, handed), strict=True))
    changed = sum(
        place is not None and not release[place].is_answer and release[place].source != cell.source
        for cell, place in pairs
    )
    own = [c for c, place in pairs if place is None or release[place].is_answer]
    said = []
    if changed:
        said.append(f"{changed} cell(s) that are no answers were changed; the released ones count")
    if any(_INSIDES.search(cell.source) for cell in own):
        said.append("an answer names the book's own solutions or checks")
    return said
