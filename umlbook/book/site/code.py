"""Which code stands open on a page, and which is folded under what it shows.

The rule: **a cell that shows something is folded, and so is one that only imports**, since a reader
of the page wants the figure, the table or the verdict. A cell that shows nothing stays open: it
defines what the next ones use. An algorithm (a function that yields) stays open in any case, since
it is what the page is about. On a page of exercises only the cells for answers stay open.

Each folded cell can be opened by itself, without a script; ``fold.js`` adds the switch for all of
them and remembers it.
"""

from __future__ import annotations

import ast

from nbformat import NotebookNode

from umlbook.book.site.snippets import FENCE, raw


def is_folded(cell: NotebookNode, *, exercise: bool = False) -> bool:
    """Return whether the code of a cell is folded; `exercise` for one on a page of exercises."""
    if exercise:
        return not cell.metadata.get("nbgrader", {}).get("solution", False)
    statements = _statements(cell.source)
    only_imports = bool(statements) and all(
        isinstance(statement, ast.Import | ast.ImportFrom) for statement in statements
    )
    return only_imports or (bool(cell.outputs) and not _has_algorithm(statements))


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # a cell may use the notebook's magic
        return []


def _has_algorithm(statements: list[ast.stmt]) -> bool:
    return any(
        isinstance(part, ast.Yield | ast.YieldFrom)
        for statement in statements
        if isinstance(statement, ast.FunctionDef)
        for part in ast.walk(statement)
    )


def code_parts(cell: NotebookNode, *, exercise: bool = False) -> list[str]:
    """Return the code of a cell as parts of the page's source."""
    code = f"{FENCE}python\n{cell.source}\n{FENCE}"
    if not is_folded(cell, exercise=exercise):
        return [code]
    n_lines = len(cell.source.splitlines())
    lines = f"{n_lines} line{'s' * (n_lines != 1)}"
    opening = f'<details class="code"><summary>Code <span>({lines})</span></summary>'
    return [raw(opening), code, raw("</details>")]
