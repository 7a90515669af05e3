"""Hand in: one file with the exercise notebooks of a folder and a report of the work on them.

``hand_in()`` in a notebook, ``umlbook hand-in`` at the command line. The file stays in the folder;
it is for the student to send it. The report tells what was checked, which hints and solutions were
asked for, and the versions; the marks come from the notebooks, which the teacher runs again.
"""

import argparse
import json
import os
import re
import sys
import zipfile
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from umlbook._browser import in_browser
from umlbook.book.exercises import cells as _cells
from umlbook.book.exercises.model import Status
from umlbook.book.exercises.progress import (
    READER,
    SESSION,
    Progress,
    Record,
    kept_sessions,
    merged_records,
    report,
    student,
    versions,
)

REPORT_NAME = "hand-in.json"


@dataclass(frozen=True, repr=False)
class Receipt:
    """Where the hand-in is, and what is in it."""

    path: Path
    notebooks: tuple[str, ...]
    records: dict[str, Record]
    unsaved: tuple[str, ...] = ()

    def _lines(self) -> list[str]:
        passed = sum(Status(record.outcome).passed for record in self.records.values())
        n, of = len(self.notebooks), len(self.records)
        known = f", {passed} of {of} answered correctly so far" if of else ""
        lines = [
            f"{self.path.name}: {n} notebook{'s' * (n != 1)}{known}",
            f"It is in {self.path.parent}. Send this one file to your teacher.",
        ]
        for name in self.unsaved:
            lines.append(
                f"But {name} was saved before your last check: "
                "save it (Ctrl+S), then hand in again."
            )
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        first, *others = map(escape, self._lines())
        name = escape(self.path.name)
        target = f'href="{name}" download'
        if in_browser():  # no server has the file, so the link carries it
            data = b64encode(self.path.read_bytes()).decode("ascii")
            target = f'href="data:application/zip;base64,{data}" download="{name}"'
        link = first.replace(name, f"<a {target}>{name}</a>", 1)
        return f"<p><strong>{link}</strong></p>" + "".join(f"<p>{line}</p>" for line in others)


# ------------------------------------------------------------------------------------ the file


def _exercise_notebooks(path: Path) -> dict[Path, list[_cells.Cell]]:
    """The notebooks at `path` that have exercises to mark, each with its code cells."""
    found = {}
    for notebook in sorted(path.glob("*.ipynb")) if path.is_dir() else [path]:
        try:
            cells = _cells.code_cells(_cells.parsed(notebook.read_bytes()))
        except (OSError, ValueError):
            continue
        if any(cell.is_check for cell in cells):
            found[notebook] = cells
    if not found:
        raise ValueError(
            f"{path} has no exercise notebook: hand in from the folder of your exercises, "
            "or name a notebook of it"
        )
    return found


def _unsaved(notebooks: dict[Path, list[_cells.Cell]], progress: Progress) -> tuple[str, ...]:
    """The notebooks of this session whose file is older than the last check in it."""
    return tuple(
        path.name
        for path, cells in notebooks.items()
        if progress.records.keys() & _cells.opened_exercises(cells).values()
        and path.stat().st_mtime < progress.checked_at
    )


def file_name(name: str) -> str:
    """The name of a student's hand-in, safe on every disk.

    >>> file_name("Ada L.")
    'hand-in-Ada-L.zip'
    """
    plain = re.sub(r"[^\w@+-]+", "-", name).strip("-")
    return f"hand-in-{plain or READER}.zip"


def hand_in(
    path: str | Path = ".",
    *,
    name: str | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Receipt:
    """Put the exercise notebooks of a folder and the report on them into one file.

    Parameters
    ----------
    path : path
        The folder, by default the notebook's own; or one notebook.
    name : str, optional
        The student; by default the one whom the notebooks name, else `set_student`'s.
    out : path, optional
        The folder that gets the file; by default that of the notebooks.
    progress : Progress, optional
        This session's records; by default those of this kernel.
    """
    progress = SESSION if progress is None else progress
    place = Path(path).expanduser().resolve()
    notebooks = _exercise_notebooks(place)
    folder = place if place.is_dir() else place.parent
    if progress.records:
        report(os.environ.get("UMLBOOK_PROGRESS") or folder, progress=progress)
    records = merged_records(kept_sessions(folder))
    named = [_cells.named_student(cells) for cells in notebooks.values()]
    who = name or next((n for n in named if n), None) or student()
    content = {
        "student": who,
        "made": datetime.now(UTC).isoformat(" ", "seconds"),
        "versions": versions(),
        "notebooks": [notebook.name for notebook in notebooks],
        "exercises": records,
    }
    target = (Path(out).expanduser().resolve() if out else folder) / file_name(who)
    _write(target, content, notebooks)
    kept = {key: Record(**record) for key, record in records.items()}
    names = tuple(notebook.name for notebook in notebooks)
    return Receipt(target, names, kept, _unsaved(notebooks, progress))


def _write(target: Path, content: dict[str, Any], notebooks: Iterable[Path]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(REPORT_NAME, json.dumps(content, indent=1, ensure_ascii=False))
        for notebook in notebooks:
            archive.write(notebook, notebook.name)


# ------------------------------------------------------------------------------- command line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``umlbook hand-in``."""
    parser.add_argument(
        "path", nargs="?", type=Path, default=Path(), help="folder or notebook (default: here)"
    )
    parser.add_argument("--student", metavar="NAME", help="whose (default: as the notebooks say)")
    parser.add_argument("--out", type=Path, help="folder for the file (default: the notebooks')")


def run(args: argparse.Namespace) -> int:
    """Write the hand-in and say where it is; 1 when there is nothing to hand in."""
    try:
        print(hand_in(args.path, name=args.student, out=args.out, progress=Progress()))
    except (ValueError, OSError) as error:
        print(f"umlbook hand-in: {error}", file=sys.stderr)
        return 1
    return 0
