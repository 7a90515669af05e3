"""Who is reading and how far: the student's name, what was tried, and a report kept on this disk.

Nothing is sent anywhere. Each check, hint and solution is kept at once in
``.umlbook-progress.json`` (every session so far), so that the report says the same after the kernel
was restarted; `report` also writes ``umlbook-progress.html`` (the same, to look at or to hand in).
"""

import os
import platform
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from umlbook.book.exercises import kept
from umlbook.book.exercises.kept import JSON_NAME
from umlbook.book.exercises.model import Outcome, Status

if TYPE_CHECKING:
    import ipywidgets

#: Who reads when nobody has said so; then there is nobody to hand in to.
READER = "reader"
HTML_NAME = "umlbook-progress.html"
_student: str | None = None


def set_student(name: str | None) -> None:
    """Name the student whose data the exercises draw from now on (None: the environment's)."""
    global _student
    _student = name


def _given_name() -> str | None:
    return _student or os.environ.get("UMLBOOK_STUDENT")


def student() -> str:
    """The student: as set, else the environment's ``UMLBOOK_STUDENT``, else a name drawn once."""
    return _given_name() or kept.drawn_name(READER)


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


def _is_record(raw: Any) -> bool:
    """Whether something in a file is what `asdict` makes of a record."""
    blank = asdict(Record(""))
    return (
        isinstance(raw, dict)
        and raw.keys() <= blank.keys()
        and all(type(value) is type(blank[name]) for name, value in raw.items())
        and "label" in raw
        and raw.get("outcome", blank["outcome"]) in [*Status]
    )


def merged_records(sessions: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """The records of several sessions, added up; what was once right stays right.

    >>> one = {"exercises": {"1.1": {"label": "Exercise 1.1", "hints": 1}}}
    >>> merged_records([one, one])["1.1"]["hints"]
    2
    """
    merged: dict[str, Record] = {}
    for session in sessions:
        exercises = session.get("exercises") if isinstance(session, dict) else None
        for key, raw in exercises.items() if isinstance(exercises, dict) else ():
            if _is_record(raw):
                merged[key] = _sum(merged[key], Record(**raw)) if key in merged else Record(**raw)
    return {key: asdict(record) for key, record in merged.items()}


def _sum(first: Record, second: Record) -> Record:
    later_counts = second.checks and not Status(first.outcome).passed
    return Record(
        second.label,
        second.outcome if later_counts else first.outcome,
        first.checks + second.checks,
        first.hints + second.hints,
        first.solutions + second.solutions,
        list(dict.fromkeys([*first.mistakes, *second.mistakes])),
    )


@dataclass
class Progress:
    """The records of this session, by id, in the order of opening; the time of the last check.

    With `keeps`, each change is written to the file at once, and what earlier sessions of the same
    student have done counts as well.
    """

    records: dict[str, Record] = field(default_factory=dict)
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(" ", "milliseconds"))
    checked_at: float = 0.0
    keeps: bool = False
    kernel: str = field(default_factory=lambda: uuid4().hex[:8])
    _notice: str | None = None

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
        self.changed()

    def changed(self) -> None:
        """Keep the records, where they are kept; a folder that refuses is told once, later."""
        if not self.keeps:
            return
        try:
            self.keep(kept.place())
        except (OSError, ValueError) as error:
            if self._notice is None:
                why = "cannot be written" if isinstance(error, OSError) else f"has a file: {error}"
                self._notice = f"(Your progress is not kept, since this folder {why}.)"

    def notice(self) -> str:
        """What there is to say about keeping, once; else nothing."""
        said, self._notice = self._notice or "", self._notice and ""
        return said

    def keep(self, folder: Path) -> list[dict[str, Any]]:
        """Write this session into the file of a folder; returns all sessions there."""

        own = [self.as_session()] if self.records else []

        def with_this(found: kept.Content) -> kept.Content:
            return {**found, "sessions": [*self._others(found["sessions"]), *own]}

        return list(kept.changed(folder, with_this)["sessions"])

    def _others(self, sessions: Iterable[Any]) -> list[dict[str, Any]]:
        """The sessions but this one; those of an older version have no kernel."""
        own, plain = (self.started, self.kernel), [s for s in sessions if isinstance(s, dict)]
        return [s for s in plain if (s.get("started"), s.get("kernel", self.kernel)) != own]

    def known(self, folder: Path | None = None) -> dict[str, Record]:
        """The records with those of the same student's other sessions, which come first."""
        sessions: list[Any] = []
        if self.keeps:
            try:
                found = self._others(kept.content(kept.place(folder))["sessions"])
                sessions = [s for s in found if s.get("student") == student()]
            except (OSError, ValueError):  # `changed` has told it
                pass
        own = {"exercises": {key: asdict(record) for key, record in self.records.items()}}
        merged = merged_records([*sessions, own])
        return {key: Record(**record) for key, record in merged.items()}

    def passed(self, key: str) -> bool:
        """Whether an exercise was answered rightly, in this session or an earlier one."""
        known = self.known()
        return key in known and Status(known[key].outcome).passed

    def as_session(self) -> dict[str, Any]:
        """This session as plain data for the file."""
        return {
            "started": self.started,
            "kernel": self.kernel,
            "student": student(),
            "versions": versions(),
            "exercises": {key: asdict(record) for key, record in self.records.items()},
        }


#: The session of this kernel; `exercise` and `quiz` record here unless told otherwise.
SESSION = Progress(keeps=True)


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


def kept_sessions(folder: Path) -> list[dict[str, Any]]:
    """The sessions kept in a folder, or where the environment's ``UMLBOOK_PROGRESS`` says."""
    return list(kept.content(Path(os.environ.get("UMLBOOK_PROGRESS") or folder))["sessions"])


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
    """Show what was tried, in this session and earlier ones, and keep it in `folder`.

    Shown are the exercises of the chapters that this session has opened; before it has opened one,
    all that were kept.

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
    where = kept.place(folder)
    try:
        sessions = progress.keep(where)
        kept.write_whole(where / HTML_NAME, _page(sessions))
        said = f"kept in {JSON_NAME} and {HTML_NAME}"
    except OSError:
        said = "not kept: this folder cannot be written"
    known = progress.known(where)
    chapters = {_chapter(key) for key in progress.records}
    shown = {key: r for key, r in known.items() if not chapters or _chapter(key) in chapters}
    return Report(shown, said, _given_name() not in (None, READER))


def _chapter(key: str) -> str:
    return key.partition(".")[0]
