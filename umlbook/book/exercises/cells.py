"""The cells of a notebook file that somebody else wrote, read without trusting or validating it.

A notebook that was handed in may be anything: another format, damaged, edited by hand. Only what
the coursework needs is taken from it, and whatever cannot be read is left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_STUDENT = re.compile(r"^set_student\((['\"])(.+)\1\)$", re.MULTILINE)
_EXERCISE = re.compile(r"^(\w+) = exercise\(['\"]([\w.]+)['\"]\)", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A code cell: its text, its id, and what nbgrader's metadata say of it."""

    source: str
    id: str = ""
    grade_id: str = ""
    is_answer: bool = False
    is_check: bool = False
    points: float = 0.0


def _text(value: Any) -> str:
    """A text, or the list of lines that the file format allows in its place."""
    lines = value if isinstance(value, list) else [value]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.encode("utf-8", "replace").decode("utf-8")  # JSON allows what no message can carry


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _cell(raw: dict[str, Any]) -> Cell:
    mark = _mapping(_mapping(raw.get("metadata")).get("nbgrader"))
    points = mark.get("points", 0)
    return Cell(
        source=_text(raw.get("source")).strip("\n"),
        id=_text(raw.get("id")),
        grade_id=_text(mark.get("grade_id")),
        is_answer=mark.get("solution") is True,
        is_check=mark.get("grade") is True,
        points=float(points) if isinstance(points, int | float) else 0.0,
    )


def parsed(data: bytes) -> dict[str, Any]:
    """The notebook that the bytes hold; ValueError when they hold none."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a notebook: {type(error).__name__}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("not a notebook: it has no list of cells")
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    """The code cells of a notebook, in order.

    >>> code_cells({"cells": [{"cell_type": "code", "source": ["x = 1\\n", "x"]}, "rubbish"]})[0]
    Cell(source='x = 1\\nx', id='', grade_id='', is_answer=False, is_check=False, points=0.0)
    """
    raw = [_mapping(cell) for cell in notebook["cells"]]
    return [_cell(cell) for cell in raw if cell.get("cell_type") == "code"]


def language(notebook: dict[str, Any]) -> str:
    """The language that the notebook's kernel speaks, in lower case; Python when it is not said."""
    kernel = _mapping(_mapping(notebook.get("metadata")).get("kernelspec"))
    return _text(kernel.get("language")).lower() or "python"


def named_student(cells: list[Cell]) -> str | None:
    """The student for whom a notebook was released, None when it is for any reader."""
    names = [name for cell in cells for _, name in _STUDENT.findall(cell.source)]
    return names[0] if names else None


def sets_student(cell: Cell) -> bool:
    """Whether a cell sets the student: the release puts one there."""
    return bool(_STUDENT.search(cell.source))


def opened_exercises(cells: list[Cell]) -> dict[str, str]:
    """The variables that hold exercises, each with the exercise's id.

    >>> opened_exercises([Cell('ex1 = exercise("1.1")\\nex1')])
    {'ex1': '1.1'}
    """
    return {name: key for cell in cells for name, key in _EXERCISE.findall(cell.source)}
