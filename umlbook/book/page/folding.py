"""Which code stands open on a page, and which is folded over what it shows.

The rule, for JupyterLab and the static pages alike: **code that only draws or tabulates, code that
only confirms, and imports are folded**; their picture, their table or their one-line verdict stays
in sight. Code that holds the answer to a prediction (`explorer`, ``because``) is folded too. An
algorithm (a function that yields) is what the page is about and stays open, and so do the
definition of a function that no check of its cell confirms, and a cell that merely computes or
prints. On a page of exercises only the cells for answers stay open. A cell with the tag ``open`` or
``folded`` is what its tag says.

A section that goes through a paper, or through the measurements of a method of the book's own, line
by line, or through tables cell by cell, is collapsed under its heading, on both.

``umlbook refresh`` writes the rules into the cells of the chapters in JupyterLab's own form.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

CHECKS = {"check", "check_true", "erratum"}
SHOWING = {"show", "new_figure", "stepper", "explorer", "table", "notation", "concordance", "quiz"}
HANDS = "umlbook.book.hands"
OPEN, FOLDED = "open", "folded"
"""The tags by which a cell overrides the rule."""
COLLAPSED = "jp-MarkdownHeadingCollapsed"
"""The metadata by which JupyterLab collapses the section under a heading."""
_APPENDIX = re.compile(
    r"## .*\bthe ((paper|measurements), line by line|tables, cell by cell)\b", re.IGNORECASE
)


def is_folded(cell: NotebookNode, *, exercise: bool = False) -> bool:
    """Return whether the code of a cell is folded; `exercise` for one on a page of exercises."""
    tags = cell.metadata.get("tags", [])
    if OPEN in tags or FOLDED in tags:
        return FOLDED in tags
    if exercise:
        return not cell.metadata.get("nbgrader", {}).get("solution", False)
    statements = _statements(cell.source)
    if any(map(_yields, statements)):
        return False
    only_imports = all(isinstance(s, ast.Import | ast.ImportFrom) for s in statements)
    if (only_imports and statements) or any(map(_confirms, statements)):
        return True
    if any(map(_answers, statements)):
        return True
    definitions = [s for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)]
    return all(map(_shows, definitions)) and any(map(_shows, statements))


def is_collapsed(cell: NotebookNode) -> bool:
    """Return whether a cell of text begins a section that is collapsed."""
    return _APPENDIX.match(cell.source) is not None


def fold(cell: NotebookNode) -> None:
    """Write into a cell, in JupyterLab's form, whether its code or its section is folded."""
    if cell.cell_type == "code":
        _fold_code(cell)
    else:
        cell.metadata.pop(COLLAPSED, None)
        if is_collapsed(cell):
            cell.metadata[COLLAPSED] = True


def _fold_code(cell: NotebookNode) -> None:
    kept = {k: v for k, v in cell.metadata.get("jupyter", {}).items() if k != "source_hidden"}
    if is_folded(cell):
        kept["source_hidden"] = True
    cell.metadata.pop("jupyter", None)
    if kept:
        cell.metadata["jupyter"] = kept


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # a cell may use the notebook's magic
        return []


def _called(node: ast.AST) -> Iterator[str]:
    """The names of the functions that are called in a statement."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            function = part.func
            yield (
                function.attr
                if isinstance(function, ast.Attribute)
                else getattr(function, "id", "")
            )


def _yields(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)
    )


def _confirms(node: ast.stmt) -> bool:
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call and not CHECKS.isdisjoint(_called(node))


def _answers(node: ast.stmt) -> bool:
    """Whether a statement holds the answer to a question that a reader is to predict."""
    named = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(name, ast.Name) and name.id == "because" for name in named) or (
        isinstance(node, ast.Expr) and "explorer" in _called(node)
    )


def _shows(node: ast.stmt) -> bool:
    """Whether a statement shows something to look at, or defines a function that fills axes."""
    if isinstance(node, ast.ImportFrom):
        return node.module == HANDS
    takes_axes = isinstance(node, ast.FunctionDef) and "ax" in {a.arg for a in node.args.args}
    return takes_axes or any(name in SHOWING or name.startswith("draw_") for name in _called(node))
