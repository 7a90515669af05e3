"""What was handed in: zips, folders and bare notebooks, read within limits and never unpacked.

Only notebooks and the report are taken from a hand-in, into memory; no file of it is written under
a name that it has chosen itself.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from umlbook.book.exercises.hand_in import REPORT_NAME, merged_records
from umlbook.book.exercises.progress import JSON_NAME

MAX_NOTEBOOK = 100_000_000  # bytes; a notebook of the book has 20 000
MAX_REPORT = 5_000_000
MAX_FILES = 2000  # looked at in one zip


@dataclass(frozen=True)
class HandIn:
    """One hand-in: its name in the folder, its notebooks, and what its own report says."""

    name: str
    notebooks: dict[str, bytes] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    fault: str = ""

    @property
    def student(self) -> str | None:
        """The student that the report names."""
        name = self.report.get("student")
        return name if isinstance(name, str) and name else None

    def count(self, what: str, exercises: list[str]) -> int | None:
        """How many hints or solutions the report tells of, None when it tells of none of these."""
        records = self.report.get("exercises")
        if not isinstance(records, dict):
            return None
        found = [records[key].get(what) for key in exercises if isinstance(records.get(key), dict)]
        return sum(n for n in found if isinstance(n, int)) if found else None


def _report(data: bytes) -> dict[str, Any]:
    """The report in a hand-in, empty when it cannot be read."""
    try:
        report = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return report if isinstance(report, dict) else {}


def _limited(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of an entry; ValueError when it is larger than it may be, or says."""
    with archive.open(entry) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"larger than {limit // 1_000_000} MB")
    return data


def _from_zip(name: str, path: Path) -> HandIn:
    notebooks: dict[str, bytes] = {}
    report: dict[str, Any] = {}
    faults: list[str] = []
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist()[:MAX_FILES]:
            inside = PurePosixPath(entry.filename.replace("\\", "/"))
            if "__MACOSX" in inside.parts or ".ipynb_checkpoints" in inside.parts:
                continue
            try:
                if inside.name == REPORT_NAME:
                    report = _report(_limited(archive, entry, MAX_REPORT))
                elif inside.suffix == ".ipynb":
                    notebooks.setdefault(inside.name, _limited(archive, entry, MAX_NOTEBOOK))
            except (ValueError, RuntimeError, OSError, zipfile.BadZipFile, zlib.error) as error:
                faults.append(f"{inside.name[:60]} cannot be read: {error}")
    return HandIn(name, notebooks, report, "; ".join(faults))


def _from_files(name: str, paths: list[Path], folder: Path) -> HandIn:
    large = [path for path in paths if path.stat().st_size > MAX_NOTEBOOK]
    fault = f"{large[0].name} is larger than {MAX_NOTEBOOK // 1_000_000} MB" if large else ""
    notebooks = {path.name: path.read_bytes() for path in paths if path not in large}
    kept = folder / JSON_NAME
    sessions = _report(kept.read_bytes()).get("sessions") if kept.is_file() else None
    report = {"exercises": merged_records(sessions)} if isinstance(sessions, list) else {}
    return HandIn(name, notebooks, report, fault)


def read(name: str, path: Path) -> HandIn:
    """The hand-in at a path; what cannot be read of it is said in its `fault`."""
    try:
        if path.is_dir():
            return _from_files(name, sorted(path.glob("*.ipynb")), path)
        if path.suffix == ".zip":
            return _from_zip(name, path)
        return _from_files(name, [path], path / "none")
    except (OSError, RuntimeError, NotImplementedError, ValueError, zipfile.BadZipFile) as error:
        return HandIn(name, fault=f"cannot be read: {error}")


def paths_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and path of each hand-in: zips, notebooks, and folders with notebooks in them.

    In a student's folder a zip is the hand-in and the notebooks beside it are the work on it.
    """
    if folder.is_file():
        yield folder.name, folder
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            zips = sorted(path.glob("*.zip"))
            yield from ((f"{path.name}/{inner.name}", inner) for inner in zips)
            if not zips:
                yield path.name, path
        elif path.suffix in (".zip", ".ipynb"):
            yield path.name, path
