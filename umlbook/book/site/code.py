"""The code of a cell on a page: open, or folded over what it shows (`umlbook.book.page.folding`).

Each folded cell can be opened by itself, without a script; ``fold.js`` adds the switch for all of
them and remembers it.
"""

from __future__ import annotations

from nbformat import NotebookNode

from umlbook.book.page.folding import is_folded
from umlbook.book.site.snippets import FENCE, raw


def code_parts(cell: NotebookNode, *, exercise: bool = False) -> list[str]:
    """Return the code of a cell as parts of the page's source."""
    code = f"{FENCE}python\n{cell.source}\n{FENCE}"
    if not is_folded(cell, exercise=exercise):
        return [code]
    n_lines = len(cell.source.splitlines())
    lines = f"{n_lines} line{'s' * (n_lines != 1)}"
    opening = f'<details class="code"><summary>Code <span>({lines})</span></summary>'
    return [raw(opening), code, raw("</details>")]
