"""The file that keeps a reader's progress: read it, and change it without losing anything.

``.umlbook-progress.json`` lies beside the notebooks. It holds the sessions, one for each kernel,
and the name that was drawn for a reader who has given none. Several kernels may write it: each
changes its own session under a lock, and the file is replaced as a whole, so that a kernel that
dies while it writes leaves the old one.
"""

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

JSON_NAME = ".umlbook-progress.json"
_LOCK_NAME = ".umlbook-progress.lock"
_STALE = 5.0  # seconds after which a lock was left behind by a kernel that died
_PATIENCE = 2.0  # seconds that one waits for it; then it is better to write than to lose the work

Content = dict[str, Any]


def place(folder: str | Path | None = None) -> Path:
    """The folder: as given, else the environment's ``UMLBOOK_PROGRESS``, else the current one."""
    return Path(folder or os.environ.get("UMLBOOK_PROGRESS") or ".")


def content(folder: Path) -> Content:
    """What the file in a folder holds; nothing when there is no file.

    Raises
    ------
    ValueError
        When the file is not one that umlbook wrote.
    """
    path = folder / JSON_NAME
    if not path.exists():
        return {"sessions": []}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {**found, "sessions": list(found["sessions"])}
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path.name} is not a progress file that umlbook wrote: move it away and report again"
        ) from None


def changed(folder: Path, change: Callable[[Content], Content]) -> Content:
    """Change what the file holds, as one step that no other kernel interrupts."""
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        before = content(folder)
        after = change(before)
        if after != before:
            text = json.dumps(after, indent=1, ensure_ascii=False)
            write_whole(folder / JSON_NAME, text + "\n")
    return after


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, and never a part."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder: a file that only one process can create."""
    lock, own = folder / _LOCK_NAME, False
    end = time.monotonic() + _PATIENCE
    while not own and time.monotonic() < end:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            own = True
        except FileExistsError:
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > _STALE:
                    lock.unlink()
            time.sleep(0.01)
    try:
        yield
    finally:
        if own:
            lock.unlink(missing_ok=True)


def drawn_name(fallback: str) -> str:
    """The name of a reader who has given none: drawn once, and kept with the progress.

    Where nothing can be kept it is `fallback`, so that the data stay the same from day to day.
    """
    return _drawn_name(place().absolute(), fallback)


@cache
def _drawn_name(folder: Path, fallback: str) -> str:
    def with_name(found: Content) -> Content:
        if found.get("reader"):
            return found
        earlier = [s.get("student") for s in found["sessions"] if isinstance(s, dict)]
        name = earlier[-1] if earlier else f"{fallback}-{secrets.token_hex(3)}"
        return {"reader": name, **found}

    try:
        return str(changed(folder, with_name)["reader"])
    except (OSError, ValueError):
        return fallback
