"""Answers on disk: a line for each, written before the next question is shown.

An event is a line of JSON; undo is an event too, so that the file is only ever appended to. A line
that was cut while it was written is left out when the file is read, and removed by the next event.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

Event = dict[str, Any]


class NotAJournalError(ValueError):
    """A file that holds something else than events."""


def read(path: Path) -> list[Event]:
    """The events of a file in their order; none if there is no file."""
    return _read(path)[0]


def _read(path: Path) -> tuple[list[Event], int]:
    """The events, and how many bytes of the file are whole lines."""
    events, whole = [], 0
    for number, line in enumerate(_lines(path), 1):
        if not line.endswith(b"\n"):
            break
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            raise NotAJournalError(
                f"{path.name}, line {number}, is not an answer that umlbook wrote: move the file "
                "away, or name another"
            )
        events.append(event)
        whole += len(line)
    return events, whole


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def append(path: Path, event: Event) -> None:
    """Write one event and wait until the disk has it."""
    _, whole = _read(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.truncate(whole)
        file.write((json.dumps(event, ensure_ascii=False) + "\n").encode())
        file.flush()
        with contextlib.suppress(OSError):  # a folder in a browser has no disk to wait for
            os.fsync(file.fileno())
