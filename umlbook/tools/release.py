"""Exercise notebooks from solution notebooks: ``umlbook release-exercises``.

What stands between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` (nbgrader's markers) becomes a
stub that still runs: a body returns or yields ``...``, a variable is set to ``...``, and each check
then answers "not attempted". Cells tagged ``solution-only`` are left out. nbgrader's cell metadata
stay, so the same sources serve a teacher who uses it. The result depends on the source alone.

For a student (``--student NAME``, or ``--class-list FILE`` for many) the notebook also says whose
it is, which draws the data, and ends with the cell that hands it in.
"""

import argparse
import ast
import csv
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from umlbook.tools.authoring import METADATA, cell_ids
from umlbook.tools.refresh import (
    normalised,
    notebook_bytes,
    notebooks_folder,
    notebooks_in,
    replace,
)

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
PLACEHOLDER = "# YOUR CODE HERE"
SOLUTION_ONLY = "solution-only"
HAND_IN_TEXT = """\
## Hand in

Save this notebook (Ctrl+S), then run the last cell. It makes one file of all exercises in this \
folder, and says where it is. Send that file to your teacher. You may hand in again: the new file \
replaces the old one."""
HAND_IN_CODE = "from umlbook.book import hand_in\n\nhand_in()"


# ------------------------------------------------------------------------------------- stubs


def _answers(code: str) -> list[str]:
    """The names that the last assignment sets: the answer; those before it are on the way to it."""
    assignments = [n for n in ast.parse(code).body if isinstance(n, ast.Assign | ast.AnnAssign)]
    if not assignments:
        raise ValueError(f"a solution at the top level sets no variable: {code.strip()[:60]!r}")
    names = [node for node in ast.walk(assignments[-1]) if isinstance(node, ast.Name)]
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]


def stub(block: str) -> str:
    """Code that stands in for a solution, at the solution's own indentation.

    Indented, it is the body of a function, which then returns or yields ``...``; otherwise the
    variable set last is set to ``...``.

    >>> print(stub("    total = X.sum()\\n    return total"))
        # YOUR CODE HERE
        return ...
    >>> print(stub("W = np.eye(2)"))
    # YOUR CODE HERE
    W = ...
    """
    code = textwrap.dedent(block)
    first = next(line for line in block.splitlines() if line.strip())
    indent = first[: len(first) - len(first.lstrip())]
    if indent:
        body = ast.parse("def body():\n" + textwrap.indent(code, "    "))
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(body))
        lines = ["yield ..." if yields else "return ..."]
    else:
        lines = [f"{name} = ..." for name in _answers(code)]
    return textwrap.indent("\n".join([PLACEHOLDER, *lines]), indent)


def without_solutions(source: str) -> str:
    """The source of a cell with every marked solution replaced by a stub."""
    kept: list[str] = []
    block: list[str] | None = None
    for line in source.splitlines():
        mark = line.strip()
        if mark == BEGIN:
            if block is not None:
                raise ValueError(f"{BEGIN!r} stands inside a solution: end that one first")
            block = []
        elif mark == END:
            if block is None or not "".join(block).strip():
                raise ValueError(f"{END!r} ends no solution, or an empty one")
            kept.append(stub("\n".join(block)))
            block = None
        else:
            (kept if block is None else block).append(line)
    if block is not None:
        raise ValueError(f"{BEGIN!r} without {END!r}")
    return "\n".join(kept)


# ------------------------------------------------------------------------------ the notebook


_FIXED = {"editable": False, "deletable": False}


def _student_cell(name: str) -> NotebookNode:
    source = f"from umlbook.book.exercises.progress import set_student\n\nset_student({name!r})"
    return v4.new_code_cell(source, metadata=_FIXED)


def _hand_in_cells() -> list[NotebookNode]:
    return [
        v4.new_markdown_cell(HAND_IN_TEXT, metadata=_FIXED),
        v4.new_code_cell(HAND_IN_CODE, metadata=_FIXED),
    ]


def _released_cells(cells: list[NotebookNode], student: str | None) -> Iterator[NotebookNode]:
    awaiting = student
    for cell in cells:
        if SOLUTION_ONLY in cell.metadata.get("tags", []):
            continue
        source = without_solutions(cell.source) if cell.cell_type == "code" else cell.source
        yield getattr(v4, f"new_{cell.cell_type}_cell")(source, metadata=cell.metadata)
        if awaiting is not None and cell.cell_type == "code":  # after the imports, before the rest
            yield _student_cell(awaiting)
            awaiting = None
    if student is not None:
        yield from _hand_in_cells()


def released(notebook: NotebookNode, student: str | None = None) -> NotebookNode:
    """The exercise notebook of a solution notebook, without outputs.

    Parameters
    ----------
    notebook : NotebookNode
        The solutions; left as they are.
    student : str, optional
        Adds a cell after the imports that sets the student, and so the data, and at the end one
        that hands in.
    """
    cells = list(_released_cells(notebook.cells, student))
    for cell, cell_id in zip(cells, cell_ids([cell.source for cell in cells]), strict=True):
        cell.id = cell_id
    return v4.new_notebook(cells=cells, metadata=METADATA)


def _stripped(notebook: NotebookNode) -> NotebookNode:
    """A copy without outputs and counts."""
    copy = nbformat.from_dict(notebook)
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return copy


def released_bytes(path: Path, student: str | None = None) -> bytes:
    """The file of the exercises made from the solutions at `path`."""
    try:
        return notebook_bytes(normalised(released(nbformat.read(path, as_version=4), student)))
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"{path.name}: {error}") from None


def is_current(path: Path, content: bytes) -> bool:
    """Whether the notebook at `path` is the released one; outputs stored since do not count."""
    if not path.is_file():
        return False
    return notebook_bytes(normalised(_stripped(nbformat.read(path, as_version=4)))) == content


# ------------------------------------------------------------------------------ command line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``umlbook release-exercises``."""
    parser.add_argument("--source", type=Path, help="solutions (default: notebooks/solutions)")
    parser.add_argument("--out", type=Path, help="where to write (default: notebooks/exercises)")
    parser.add_argument(
        "--student", action="append", metavar="ID", help="with this student's data, in OUT/ID"
    )
    parser.add_argument(
        "--class-list",
        type=Path,
        metavar="FILE",
        help="a CSV of students: its column `student`, or the first when none is called so",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a notebook would change"
    )


def class_list(path: Path) -> list[str]:
    """The students that a CSV file names, each once, in its order."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = [[cell.strip() for cell in row] for row in csv.reader(stream) if any(row)]
    heads = [cell.lower() for cell in rows[0]] if rows else []
    column = heads.index("student") if "student" in heads else 0
    body = rows[1:] if "student" in heads else rows
    names = [row[column] for row in body if len(row) > column]
    if not names:
        raise ValueError(f"{path} names no student: write one in each line, under `student`")
    return list(dict.fromkeys(names))


def _students(args: argparse.Namespace) -> list[str]:
    """The students to release to; none for the book's own exercises."""
    students = [*(args.student or []), *(class_list(args.class_list) if args.class_list else [])]
    for name in students:
        if not re.fullmatch(r"[\w.@+-]*\w[\w.@+-]*", name):
            raise ValueError(
                f"the student {name!r} cannot name a folder: use letters, digits and . @ + - _"
            )
    return students


def _jobs(args: argparse.Namespace) -> Iterator[tuple[Path, Path, str | None]]:
    """Source, target and student of every notebook to write."""
    source = args.source or notebooks_folder() / "solutions"
    paths = notebooks_in(source)
    if not paths:
        raise ValueError(f"no notebook in {source}: name the folder of solutions with --source")
    students = _students(args)
    if students and not args.out:
        raise ValueError("--student needs --out, the folder that gets one folder for each student")
    out = args.out or notebooks_folder() / "exercises"
    everyone: list[str | None] = [*students] or [None]
    for student in everyone:
        folder = out / student if student else out
        yield from ((path, folder / path.name, student) for path in paths)


def run(args: argparse.Namespace) -> int:
    """Write (or check) the exercises: 0 when all is well, 1 when one is stale or a source bad."""
    n_stale = 0
    try:
        for source, target, student in _jobs(args):
            content = released_bytes(source, student)
            current = is_current(target, content)
            n_stale += not current
            word = "unchanged" if current else "would change" if args.check else "written"
            if student and target.exists() and not current:
                word = "kept: somebody has worked on it (delete it to release it again)"
            elif not current and not args.check:
                target.parent.mkdir(parents=True, exist_ok=True)
                replace(target, content)
            print(f"{target}: {word}")
    except (ValueError, OSError) as error:
        print(f"umlbook release-exercises: {error}", file=sys.stderr)
        return 1
    return 1 if n_stale and args.check else 0
