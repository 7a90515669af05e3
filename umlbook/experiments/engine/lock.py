"""One run in a folder at a time: a lock file that says which process holds it, and on which host.

The file is made in one step that fails when it is there already, so that two processes cannot both
have it. A run that is killed leaves its lock behind; the next one on the same host sees that no
such process lives, and takes the lock over. A lock of another host is not judged: whether its
process lives cannot be seen from here.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path

NAME = "umlbook.lock"
_held: set[Path] = set()


class LockedError(OSError):
    """Another run has the folder."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Hold the lock of a folder, or say in one sentence who does.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder)) as path:
    ...     json.loads(path.read_text())["process"] == os.getpid()
    True
    """
    path = folder.resolve() / NAME
    while not _taken(path):
        _refuse_the_living(path)
        with _taking_over(path):
            _refuse_the_living(path)  # another run may have been faster
            path.unlink(missing_ok=True)
    _held.add(path)
    try:
        yield path
    finally:
        _held.discard(path)
        path.unlink(missing_ok=True)


def _taken(path: Path) -> bool:
    """Make the file, in the name of this process; False when one is there."""
    try:
        with path.open("x") as file:
            json.dump({"process": os.getpid(), "host": platform.node()}, file)
    except FileExistsError:
        return False
    return True


@contextlib.contextmanager
def _taking_over(path: Path) -> Iterator[None]:
    """Only one run at a time may remove a dead lock: else one could remove the next one's."""
    mutex = path.with_name(f"{path.name}.takeover")
    if not _taken(mutex):
        raise _refusal("another run", mutex)
    try:
        yield
    finally:
        mutex.unlink()


def _refuse_the_living(path: Path) -> None:
    """Raise unless the lock is gone or that of a dead process of this host."""
    try:
        process, host = _holder(path.read_text())
    except FileNotFoundError:
        return  # just given back
    if host != platform.node() or _alive(process, path):
        raise _refusal(f"process {process} on {host}" if process else "another run", path)


def _refusal(holder: str, path: Path) -> LockedError:
    return LockedError(
        f"{holder} is at work in {path.parent}: wait until it is done, name another folder with "
        f"--out, or, if you know that it has ended, delete {path}"
    )


def _holder(text: str) -> tuple[int, str]:
    try:
        holder = json.loads(text)
        return int(holder["process"]), str(holder["host"])
    except (ValueError, KeyError, TypeError):
        return 0, ""  # it is being written


def _alive(process: int, path: Path) -> bool:
    """Whether a process of this host may be alive; always yes where one cannot ask."""
    if process == os.getpid():
        return path in _held  # else it was an earlier process of that number
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it belongs to somebody else
    return True
