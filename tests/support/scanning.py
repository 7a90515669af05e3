"""Reading notebooks without running them: ledger calls, numbered displays, references in prose."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path

from umlbook.book.ledger import Entry, entries
from umlbook.book.ledger.evidence import LedgerError

CALLS = ("check", "check_true", "erratum")
UNCHECKED_KINDS = ("figure", "table", "remark")  # reproduced, or settled in words


def checkable(row: Entry) -> bool:
    """Whether a notebook has to check an entry; figures and tables are reproduced instead."""
    return row.kind not in UNCHECKED_KINDS


def pending() -> tuple[Entry, ...]:
    """Entries that need a check and have no number yet: their chapters are not written."""
    return tuple(row for row in entries() if checkable(row) and not row.number)


@dataclass(frozen=True)
class Call:
    """A ledger call in a notebook; `where` names notebook, cell (from 0, of all) and line."""

    function: str
    id: str
    where: str


@dataclass(frozen=True)
class Scan:
    r"""What one notebook says to the ledger: calls, numbers in ``\tag{}``, numbers in prose."""

    calls: tuple[Call, ...]
    tags: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that are checked, each once."""
        return tuple(dict.fromkeys(call.id for call in self.calls))


def notebook_cells(path: Path) -> list[tuple[str, str, list[str]]]:
    """Return type, source and tags of every cell."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(c["cell_type"], "".join(c["source"]), c["metadata"].get("tags", [])) for c in cells]


def ledger_calls(tree: ast.AST, where: str) -> list[tuple[ast.Call, Call]]:
    """Return the calls of `check`, `check_true` and `erratum` in parsed code, in order.

    They are called by their bare names: ``ex.check(answer)`` belongs to an exercise.
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            given = node.args[0] if node.args else None
            if not (isinstance(given, ast.Constant) and isinstance(given.value, str)):
                raise LedgerError(f"{where}: the first argument must be an entry's id, in quotes")
            found.append((node, Call(node.func.id, given.value, f"{where}, line {node.lineno}")))
    return sorted(found, key=lambda pair: (pair[0].lineno, pair[0].col_offset))


def _prose(source: str) -> str:
    """Markdown without code, formulas and link targets, in which (0.5) is no reference."""
    return re.sub(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)", " ", source, flags=re.S)


def scan_notebook(path: Path) -> Scan:
    """Read one notebook; see `scan`."""
    calls: list[Call] = []
    tags: list[str] = []
    references: list[str] = []
    for i, (kind, source, _) in enumerate(notebook_cells(path)):
        if kind == "markdown":
            tags += re.findall(r"\\tag\{([^}]*)\}", source)
            references += re.findall(r"\(([1-9]\d?\.[1-9]\d?)\)", _prose(source))
        elif kind == "code":
            where = f"{path.name}, cell {i}"
            calls += [call for _, call in ledger_calls(ast.parse(source, where), where)]
    return Scan(tuple(calls), tuple(tags), tuple(dict.fromkeys(references)))


def scan(notebooks_dir: str | Path) -> dict[str, Scan]:
    r"""Read all numbered notebooks of a folder: chapter name -> calls, tags and references.

    A reference is ``(n.m)`` in prose with n and m from 1 to 99, outside code, formulas and
    links; write a plain decimal without brackets, or as a formula.
    """
    found = sorted(Path(notebooks_dir).glob("[0-9][0-9]-*.ipynb"))
    return {path.stem: scan_notebook(path) for path in found}
