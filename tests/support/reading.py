"""What a chapter owes to somebody who reads it: rules as in `lint`, for chapters only.

The chapters that do not keep a rule yet are named in `COMING`, and nowhere else.
"""

from __future__ import annotations

import re
import symtable
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from support.equivalent import commented
from support.symbols import letters, main_letters
from umlbook.book.ledger.notation import symbols
from umlbook.book.page.folding import COLLAPSED, is_collapsed, is_folded

COMING: tuple[str, ...] = ()
"""Chapters that are still being brought into this form."""
REMEMBERED = ("01", "02", "03", "04", "05", "06", "07", "08", "11", "12", "13")
"""Chapters that teach a method, or how to compare methods."""

CELLS_BEFORE_PICTURE = 8
VERDICTS = 3
"""So many lines of verdicts one after the other are a wall; there is text between fewer."""

PANELS = {"explorer", "stepper", "compare"}
"""What is called again when the reader moves something."""
SLIDERS = {"explorer", "stepper"}

_VERDICT = re.compile(r"^\(\d+\.\d+\) .* holds: .*<", re.MULTILINE)
_NEXT = re.compile(r"\*\*Next:\*\*.*?\]\([^)]+\.ipynb[^)]*\)", re.DOTALL)
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def folded_code(notebook: NotebookNode) -> list[str]:
    """Code that only draws or confirms is folded, as `umlbook refresh` stores it."""
    return [
        f"cell {number} is {'open' if is_folded(cell) else 'folded'}: run `umlbook refresh`"
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.cell_type == "code"
        and is_folded(cell) != cell.metadata.get("jupyter", {}).get("source_hidden", False)
    ]


def collapsed_sections(notebook: NotebookNode) -> list[str]:
    """An appendix is collapsed, as `umlbook refresh` stores it."""
    return [
        f"the section of cell {number} is not {'collapsed' if is_collapsed(cell) else 'open'}: "
        "run `umlbook refresh`"
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.cell_type == "markdown"
        and is_collapsed(cell) != cell.metadata.get(COLLAPSED, False)
    ]


def whole_figures(notebook: NotebookNode) -> list[str]:
    """Axes say what they show, legends hide nothing, and pictures are stored for dense screens."""
    problems = []
    for number, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                known = output.metadata.get("image/png", {})
                problems += [f"cell {number}, {fault}" for fault in known.get("faults", [])]
                if "width" not in known:
                    problems.append(f"cell {number}: a picture without width: `umlbook refresh`")
    return problems


def picture_first(notebook: NotebookNode) -> list[str]:
    """A reader meets a picture on the first screens."""
    for number, cell in enumerate(notebook.cells):
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            late = number > CELLS_BEFORE_PICTURE
            return [f"{number} cells before the first picture"] if late else []
    return ["no picture"]


def plain_cells(notebook: NotebookNode) -> list[str]:
    """No note for the tests stands in a reader's cell."""
    return [
        f"cell {number}: move {line!r} to equivalent.csv (python tests/support/equivalent.py)"
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.cell_type == "code"
        for line, _ in commented(cell.source)
    ]


def no_walls(notebook: NotebookNode) -> list[str]:
    """No long row of verdicts without a word between them."""
    problems, run = [], 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown":
            run = 0
            continue
        texts = [out.get("text", "") for out in cell.get("outputs", [])]
        texts += [out.get("data", {}).get("text/plain", "") for out in cell.get("outputs", [])]
        run += sum(len(_VERDICT.findall(text)) for text in texts)
        if run > VERDICTS:
            problems.append(f"cell {number}: {run} verdicts in a row, without a word")
            run = 0
    return problems


def way_on(notebook: NotebookNode) -> list[str]:
    """The last words lead to the next page: those in sight, which a collapsed section hides."""
    texts = [cell.source for cell, hidden in _with_hidden(notebook)
             if cell.cell_type == "markdown" and not hidden]  # fmt: skip
    found = _NEXT.search("".join(texts[-1:]))
    return [] if found else ["no link **Next:** in the last cell of text in sight"]


def panels_in_sight(notebook: NotebookNode) -> list[str]:
    """JupyterLab draws no slider below a heading that is collapsed when the page has run."""
    return [
        f"cell {number} has a panel in a collapsed section: move it to the story"
        for number, (cell, hidden) in enumerate(_with_hidden(notebook), start=1)
        if hidden and cell.cell_type == "code" and SLIDERS & _names_of(cell.source)
    ]


def _with_hidden(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, bool]]:
    """Each cell, and whether a collapsed heading hides it."""
    hidden = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            hidden = is_collapsed(cell) or (hidden and not _SECTION.match(cell.source))
        yield cell, hidden


def _names_of(source: str) -> set[str]:
    return set(symtable.symtable(source, "cell", "exec").get_identifiers())


def what_to_remember(notebook: NotebookNode) -> list[str]:
    """The story ends with what to remember; after it comes the collapsed appendix, if at all."""
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    story = [
        title.lower()
        for cell in texts
        for title in _SECTION.findall(cell.source)
        if not is_collapsed(cell)
    ]
    if "what to remember" in story[-1]:
        return []
    return [f"the last section of the story is {story[-1]!r}, not what to remember"]


def explained_letters(notebook: NotebookNode, chapter: str) -> list[str]:
    """The letters that a chapter uses often are in its table of notation."""
    rows = [row for row in symbols() if chapter in row.chapters]
    known = {letter for row in rows for letter in letters(row.symbol)}
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return [
        f"{letter} is in {n} cells and not in notation.csv"
        for letter, n in main_letters(texts).items()
        if letter not in known
    ]


def lasting_names(notebook: NotebookNode) -> list[str]:
    """What a panel draws with is not given another meaning by a later cell.

    A panel's function is called when the reader moves a slider, long after the page has run.
    """
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    tables = [symtable.symtable(source, "cell", "exec") for source in cells]
    functions = {child.get_name(): child for table in tables for child in table.get_children()}
    problems = []
    for number, table in enumerate(tables):
        if not PANELS & set(table.get_identifiers()):
            continue
        wanted = [child for child in table.get_children() if child.get_name() == "lambda"]
        wanted += [functions[name] for name in table.get_identifiers() if name in functions]
        used = _names_used(wanted, functions)
        problems += [
            f"code cell {later + 1} rebinds {name!r}, with which the panel of code cell "
            f"{number + 1} draws"
            for later in range(number + 1, len(tables))
            for name in sorted(used & _bound(tables[later]))
        ]
    return problems


def _names_used(wanted: list[symtable.SymbolTable], functions: dict[str, Any]) -> set[str]:
    """The names of the page that functions use, and those that these use."""
    used: set[str] = set()
    while wanted:
        table = wanted.pop()
        wanted += table.get_children()
        new = {s.get_name() for s in table.get_symbols() if s.is_global()} - used
        used |= new
        wanted += [functions[name] for name in new if name in functions]
    return used


def _bound(table: symtable.SymbolTable) -> set[str]:
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}


RULES: tuple[Callable[[NotebookNode], list[str]], ...] = (
    folded_code, collapsed_sections, whole_figures, picture_first, plain_cells, no_walls,
    lasting_names, panels_in_sight,
)  # fmt: skip


def reading_problems(path: Path, notebook: NotebookNode) -> list[str]:
    """All that a reader of a chapter would miss, one sentence each; nothing for other notebooks."""
    chapter = path.name[:2]
    if path.parent.name != "notebooks" or chapter in COMING:
        return []
    problems = [problem for rule in RULES for problem in rule(notebook)]
    if chapter.isdecimal() and chapter != "00":
        problems += way_on(notebook)
        if chapter != "09":  # the errata speak the language of each chapter in turn
            problems += explained_letters(notebook, chapter)
    if chapter in REMEMBERED:
        problems += what_to_remember(notebook)
    return problems
