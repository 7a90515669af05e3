"""The pictures of a stepper, stored beside the book so that a page can step without a kernel.

A stored notebook keeps only a stepper's table. While ``umlbook refresh`` runs, a stepper adds its
frames to its output under `MIME`; refresh takes them out again and stores them in
``docs/frames/CHAPTER/``: for each cell a file of words, ``CELL.json``, and a picture for each step,
``CELL-00.png``. They lie outside ``notebooks/``, so that readers' copies of the book stay small.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode  # slow to import, and every kernel of the book imports this

MIME = "application/vnd.umlbook.frames+json"
WANTED = "UMLBOOK_FRAMES"
"""The variable of the environment that asks steppers for their frames."""


@dataclass(frozen=True)
class Step:
    """What one step shows: its picture, and in words its numbers, equations and lamps."""

    picture: Path
    sentence: str
    equations: tuple[str, ...]
    lamps: Mapping[str, str]


@dataclass(frozen=True)
class Frames:
    """A stored stepper: its heading, the equations of all steps, and the steps."""

    heading: str
    equations: tuple[str, ...]
    steps: tuple[Step, ...]


def frames_folder(notebook: Path) -> Path | None:
    """Return where the frames of a chapter lie; None for a notebook that is no chapter.

    Examples
    --------
    >>> frames_folder(Path("book/notebooks/01-one.ipynb")).parts[-4:]
    ('book', 'docs', 'frames', '01-one')
    """
    folder = notebook.absolute().parent
    return folder.parent / "docs" / "frames" / notebook.stem if folder.name == "notebooks" else None


def frame_files(notebook: NotebookNode, ids: Iterable[str]) -> dict[str, bytes]:
    """Return name and content of the files for all steppers of a notebook that was just run.

    Parameters
    ----------
    notebook : NotebookNode
        With the frames still in its outputs.
    ids : iterable of str
        What its cells are called once they are stored.
    """
    files: dict[str, bytes] = {}
    for cell, cell_id in zip(notebook.cells, ids, strict=True):
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                files.update(_files_of_cell(cell_id, output.data[MIME]))
    return files


def _files_of_cell(cell_id: str, shown: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    words = []
    for number, step in enumerate(shown["steps"]):
        name = f"{cell_id}-{number:02d}.png"
        yield name, base64.b64decode(step["png"])
        words.append({"picture": name} | {key: step[key] for key in step if key != "png"})
    text = json.dumps({**shown, "steps": words}, ensure_ascii=False, indent=1)
    yield f"{cell_id}.json", f"{text}\n".encode()


def stored_files(folder: Path) -> dict[str, bytes]:
    """Return name and content of the files of one chapter, as they are stored now."""
    found = sorted(folder.glob("*")) if folder.is_dir() else []
    return {path.name: path.read_bytes() for path in found if not path.name.startswith(".")}


def store(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder hold these files and no others; without files it goes away."""
    before = stored_files(folder)
    for name in before.keys() - files.keys():
        (folder / name).unlink()
    if files:
        folder.mkdir(parents=True, exist_ok=True)
    elif folder.is_dir():
        folder.rmdir()
    for name, content in files.items():
        if before.get(name) != content:
            (folder / name).write_bytes(content)


def read_frames(folder: Path, cell_id: str) -> Frames | None:
    """Return the stored frames of one cell; None when there are none."""
    path = folder / f"{cell_id}.json"
    if not path.is_file():
        return None
    stored = json.loads(path.read_text(encoding="utf-8"))
    steps = tuple(
        Step(
            folder / step["picture"],
            step["sentence"],
            tuple(step["equations"]),
            step["lamps"],
        )
        for step in stored["steps"]
    )
    return Frames(stored["heading"], tuple(stored["equations"]), steps)
