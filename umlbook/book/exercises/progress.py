"""Who is reading and how far: the student's name, what was tried, and a report kept on this disk.

Nothing is sent anywhere. `report` writes two files into a folder: ``.umlbook-progress.json`` (every
session so far) and ``umlbook-progress.html`` (the same, to look at or to hand in).
"""

import json
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from umlbook.book.exercises.model import Outcome, Status

if TYPE_CHECKING:
    import ipywidgets

#: Who reads when nobody has said so; then there is nobody to hand in to.
READER = "reader"
JSON_NAME, HTML_NAME = ".umlbook-progress.json", "umlbook-progress.html"
_student: str | None = None


def set_student(name: str | None) -> None:
    """Name the student whose data the exercises draw from now on (None: the environment's)."""
    global _student
    _student = name


def student() -> str:
    """The student: as set, else the environment's ``UMLBOOK_STUDENT``, else ``"reader"``."""
    return _student or os.environ.get("UMLBOOK_STUDENT") or READER


@dataclass
class Record:
    """What happened to one exercise or question in one session."""

    label: str
    outcome: str = Status.NOT_ATTEMPTED.value
    checks: int = 0
    hints: int = 0
    solutions: int = 0
    mistakes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [(self.checks, "check"), (self.hints, "hint"), (self.solutions, "solution")]
        counts = ", ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in parts if n)
        return f"{self.label}: {self.outcome.removesuffix(', but')}" + f" ({counts})" * bool(counts)


@dataclass
class Progress:
    """The records of this session, by id, in the order of opening; the time of the last check."""

    records: dict[str, Record] = field(default_factory=dict)
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(" ", "milliseconds"))
    checked_at: float = 0.0

    def opened(self, key: str, label: str) -> Record:
        """The record of an exercise, made when it is opened first."""
        return self.records.setdefault(key, Record(label))

    def checked(self, key: str, outcome: Outcome) -> None:
        """Count a check, unless there was no answer; what was once right stays right."""
        record = self.opened(key, outcome.label)
        if outcome.status is Status.NOT_ATTEMPTED:
            return
        self.checked_at = time.time()
        record.checks += 1
        if outcome.passed or not Status(record.outcome).passed:
            record.outcome = outcome.status.value
        if outcome.mistake and outcome.mistake not in record.mistakes:
            record.mistakes.append(outcome.mistake)

    def passed(self, key: str) -> bool:
        """Whether an exercise was answered rightly in this session."""
        return key in self.records and Status(self.records[key].outcome).passed

    def as_session(self) -> dict[str, Any]:
        """This session as plain data for the file."""
        return {
            "started": self.started,
            "student": student(),
            "versions": versions(),
            "exercises": {key: asdict(record) for key, record in self.records.items()},
        }


#: The session of this kernel; `exercise` and `quiz` record here unless told otherwise.
SESSION = Progress()


def versions() -> dict[str, str]:
    """The versions of Python and of what computes the answers."""
    found = {"python": platform.python_version()}
    for name in ("umlbook", "numpy", "scipy", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


@dataclass(frozen=True, repr=False)
class Report:
    """The session's records as text that depends on nothing but them, and where they were kept.

    For a student of a class (`hands_in`) a notebook shows it with a button "Hand in".
    """

    records: Mapping[str, Record]
    kept: str = ""
    hands_in: bool = False

    def __repr__(self) -> str:
        passed = sum(Status(record.outcome).passed for record in self.records.values())
        head = f"{passed} of {len(self.records)} answered correctly"
        lines = [head, *(f"  {record}" for record in self.records.values()), self.kept]
        return "\n".join(line for line in lines if line)

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<li><span aria-hidden="true">{Status(r.outcome).symbol}</span> {escape(str(r))}</li>'
            for r in self.records.values()
        )
        head = escape(repr(self).splitlines()[0])
        return f"<p><strong>{head}</strong></p><ul>{rows}</ul><p>{escape(self.kept)}</p>"

    def view(self) -> "ipywidgets.VBox":
        """The report with the button, for a page."""
        import ipywidgets

        from umlbook.book.exercises.hand_in import hand_in

        said = ipywidgets.HTML()
        button = ipywidgets.Button(
            description="Hand in", tooltip="Make one file of the exercises in this folder"
        )

        def clicked(_: "ipywidgets.Button") -> None:
            try:
                said.value = hand_in()._repr_html_()
            except (OSError, ValueError) as error:
                said.value = f'<p role="alert">Not handed in: {escape(str(error))}</p>'

        button.on_click(clicked)
        return ipywidgets.VBox([ipywidgets.HTML(self._repr_html_()), button, said])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        if not self.hands_in:
            return {}  # the text and the page above are all there is
        return {**self.view()._repr_mimebundle_(**kwargs), "text/plain": repr(self)}


def _sessions(path: Path) -> list[dict[str, Any]]:
    """The sessions that a file holds; none when there is no file."""
    if not path.exists():
        return []
    try:
        sessions = json.loads(path.read_text(encoding="utf-8"))["sessions"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path.name} is not a progress file that umlbook wrote: move it away and report again"
        ) from None
    return list(sessions)


def kept_sessions(folder: Path) -> list[dict[str, Any]]:
    """The sessions kept in a folder, or where the environment's ``UMLBOOK_PROGRESS`` says."""
    return _sessions(Path(os.environ.get("UMLBOOK_PROGRESS") or folder) / JSON_NAME)


def _page(sessions: list[dict[str, Any]]) -> str:
    """All sessions as one small page."""
    parts = []
    for session in reversed(sessions):
        records = {key: Record(**value) for key, value in session["exercises"].items()}
        body = Report(records)._repr_html_()
        stamp = ", ".join(f"{name} {number}" for name, number in session["versions"].items())
        title = escape(f"{session['student']}, {session['started']}")
        parts.append(f"<h2>{title}</h2>{body}<p><small>{escape(stamp)}</small></p>")
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>umlbook: progress</title>'
    return f"{head}<h1>Progress</h1>{''.join(parts)}</html>\n"


def report(folder: str | Path | None = None, *, progress: Progress | None = None) -> Report:
    """Show what was tried in this session, and keep it in `folder`.

    Parameters
    ----------
    folder : path, optional
        Where the two files go; by default the environment's ``UMLBOOK_PROGRESS``, else the current
        folder, which in a notebook is the notebook's own. Earlier sessions in the file are kept.
    progress : Progress, optional
        The records; by default those of this kernel.

    Returns
    -------
    Report
        Its text names no time, path or version, so a page can store it.
    """
    progress = SESSION if progress is None else progress
    place = Path(folder or os.environ.get("UMLBOOK_PROGRESS") or ".")
    place.mkdir(parents=True, exist_ok=True)
    earlier = [s for s in _sessions(place / JSON_NAME) if s["started"] != progress.started]
    sessions = [*earlier, progress.as_session()]
    try:
        (place / JSON_NAME).write_text(
            json.dumps({"sessions": sessions}, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
        (place / HTML_NAME).write_text(_page(sessions), "utf-8")
        kept = f"kept in {JSON_NAME} and {HTML_NAME}"
    except PermissionError:
        kept = "not kept: this folder cannot be written"
    return Report(dict(progress.records), kept, student() != READER)
