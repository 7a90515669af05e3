"""The table of marks: one row for each notebook of each hand-in, kept as CSV as the rows come."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from umlbook.book.exercises.model import Status
from umlbook.tools.refresh import replace

_BEFORE = ["student", "file", "notebook"]
_AFTER = ["marks", "of", "hints", "solutions", "seconds", "remark", "sha256"]
_EXERCISE = re.compile(r"\d+\.\d+")
NOT_JUDGED = "not judged"


def plain(text: str, limit: int = 200) -> str:
    """Text that a stranger has chosen, made safe for a cell of a spreadsheet.

    >>> plain("=cmd()\\nx")
    "'=cmd() x"
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 2 * limit]).split())
    return ("'" if line[:1] in ("=", "+", "-", "@") else "") + line[:limit]


@dataclass
class MarkedNotebook:
    """What is known about one notebook of a hand-in."""

    file: str
    notebook: str = ""
    student: str = ""
    sha256: str = ""
    points: dict[str, float] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    hints: int | None = None
    solutions: int | None = None
    seconds: float | None = None
    remarks: list[str] = field(default_factory=list)

    def take(self, finding: dict[str, Any]) -> None:
        """Add what the worker has found."""
        self.remarks += finding.get("remarks", [])
        if "judges" in finding:
            self.student = finding["student"] or self.student  # else the name of the file
            self.notebook = finding["notebook"]
            self.points = {judge["exercise"]: judge["points"] for judge in finding["judges"]}
        if "exercise" in finding:
            self.outcomes[finding["exercise"]] = finding["outcome"]
        self.seconds = finding.get("seconds", self.seconds)

    @property
    def marks(self) -> float:
        """The points of the exercises that were answered correctly."""
        right = {key for key, outcome in self.outcomes.items() if outcome in _PASSED}
        return sum(points for key, points in self.points.items() if key in right)

    def cells(self) -> dict[str, str]:
        """The row as text by column."""
        own = {
            "student": plain(self.student, 60),
            "file": plain(self.file),
            "notebook": plain(self.notebook, 100),
            "marks": f"{self.marks:g}",
            "of": f"{sum(self.points.values()):g}",
            "hints": "" if self.hints is None else str(self.hints),
            "solutions": "" if self.solutions is None else str(self.solutions),
            "seconds": "" if self.seconds is None else f"{self.seconds:g}",
            "remark": plain("; ".join(dict.fromkeys(self.remarks))),
            "sha256": self.sha256,
        }
        return own | {key: self.outcomes.get(key, NOT_JUDGED) for key in self.points}


_PASSED = {status.value for status in Status if status.passed}


class Marks:
    """The rows in a CSV file; the whole file is written again, in one step, with each row."""

    def __init__(self, path: Path, again: bool = False) -> None:
        self.path = path
        self.rows: list[dict[str, str]] = [] if again else _read(path)

    def has(self, file: str, sha256: str) -> bool:
        """Whether a notebook, as it is now, has been marked already."""
        return any(r["file"] == plain(file) and r["sha256"] == sha256 for r in self.rows)

    def add(self, row: dict[str, str], replaces: Sequence[str] = ("file", "notebook")) -> None:
        """Add a row in place of an older one for the same notebook of the same file."""
        key = [row[name] for name in replaces]
        self.rows = [r for r in self.rows if [r.get(name) for name in replaces] != key]
        self.rows.append(row)
        self.rows.sort(key=lambda r: (r["student"], r["notebook"], r["file"]))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        replace(self.path, _csv(self.rows).encode("utf-8"))

    def more_than_once(self) -> list[tuple[str, str]]:
        """Student and notebook of which there are several hand-ins."""
        keys = [(row["student"], row["notebook"]) for row in self.rows if row["notebook"]]
        return sorted({key for key in keys if keys.count(key) > 1})


def _in_order(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))


def _csv(rows: Iterable[dict[str, str]]) -> str:
    rows = list(rows)
    exercises = {name for row in rows for name in row if _EXERCISE.fullmatch(name)}
    columns = [*_BEFORE, *sorted(exercises, key=_in_order), *_AFTER]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _read(path: Path) -> list[dict[str, str]]:
    """The rows that a file holds; ValueError when it is not a table of marks."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if not {*_BEFORE, *_AFTER} <= set(reader.fieldnames or ()):
            raise ValueError(
                f"{path} is not a table that umlbook grade wrote: choose another --out"
            )
        rows = [{name: text or "" for name, text in row.items() if name} for row in reader]
    return [{k: v for k, v in row.items() if v or not _EXERCISE.fullmatch(k)} for row in rows]
