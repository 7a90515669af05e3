"""Where the notebooks lie, and how a reader gets a copy that no upgrade overwrites.

Inside a checkout the notebooks are read in place. Elsewhere they are copied to a folder of the
reader's (from ``umlbook/_notebooks`` in an installed package, from the checkout in an editable
installation), together with a manifest:
the hash of each notebook as it was copied. A copy that still has this hash is the book's own and
is brought up to date in silence; any other copy is the reader's work.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MANIFEST = ".umlbook.json"
SUBFOLDER = "umlbook-notebooks"
_PACKAGE = Path(__file__).resolve().parents[1]

Action = Literal["copy", "upgrade", "same", "keep", "ask"]


def checkout_notebooks(*roots: Path) -> Path | None:
    """Return the ``notebooks`` folder of the first root that is a checkout of this project.

    Parameters
    ----------
    *roots
        Folders to look in; by default the current folder, then the one that holds the package
        (which is the checkout when the installation is editable).

    Returns
    -------
    Path or None
        None when none of the roots is a checkout.
    """
    for root in roots or (Path.cwd(), _PACKAGE.parent):
        notebooks = root / "notebooks"
        if notebooks.is_dir() and _project_name(root / "pyproject.toml") == "umlbook":
            return notebooks
    return None


def is_inside(folder: Path, root: Path) -> bool:
    """Return whether a folder is a root or lies below it."""
    return folder.resolve().is_relative_to(root.resolve())


def packaged_notebooks() -> Path | None:
    """Return the folder of notebooks inside the installed package, or None in a checkout."""
    folder = _PACKAGE / "_notebooks"
    return folder if folder.is_dir() else None


def reading_folder(here: Path) -> Path:
    """Return the folder that the notebooks are copied to when the reader names none.

    This is ``here`` if it already holds a copy or nothing of the reader's (hidden entries and
    virtual environments do not count), else a subfolder, so that a home folder is not littered.
    """
    if (here / MANIFEST).exists():
        return here
    occupied = any(
        not entry.name.startswith(".") and not (entry / "pyvenv.cfg").exists()
        for entry in here.iterdir()
    )
    return here / SUBFOLDER if occupied else here


def copy_plan(
    book: Mapping[str, str], reader: Mapping[str, str], manifest: Mapping[str, str]
) -> dict[str, Action]:
    """Decide for each notebook of the book what happens to the reader's copy.

    Parameters
    ----------
    book, reader, manifest
        Name to hash: of the book's notebooks, of the files in the reader's folder, and of the
        notebooks as they were last offered to the reader.

    Returns
    -------
    dict
        ``"copy"`` where the reader has no such file, ``"same"`` where it equals the book's,
        ``"upgrade"`` where it is an old copy that was never changed, ``"keep"`` where it was
        changed but the book has nothing newer, ``"ask"`` where both have changed.

    Examples
    --------
    >>> copy_plan({"a": "2", "b": "2"}, {"a": "1", "b": "mine"}, {"a": "1", "b": "1"})
    {'a': 'upgrade', 'b': 'ask'}
    """

    def action(name: str) -> Action:
        theirs, offered = reader.get(name), manifest.get(name)
        if theirs is None:
            return "copy"
        if theirs == book[name]:
            return "same"
        if theirs == offered:
            return "upgrade"
        return "keep" if book[name] == offered else "ask"

    return {name: action(name) for name in book}


@dataclass(frozen=True)
class CopyResult:
    """Names of the notebooks that were written, and of the changed copies that were left."""

    written: list[str]
    kept: list[str]


def copy_notebooks(source: Path, folder: Path, replace: Callable[[str], bool | None]) -> CopyResult:
    """Bring the reader's folder up to date without touching what the reader has changed.

    Parameters
    ----------
    source
        The book's notebooks.
    folder
        The reader's folder; made when it does not exist.
    replace
        Called with the name of a changed copy that the book has a newer version of. True replaces
        it, False keeps it and does not ask again for this version, None keeps it and asks again.

    Returns
    -------
    CopyResult
    """
    folder.mkdir(parents=True, exist_ok=True)
    book = _hashes(source, (path.relative_to(source).as_posix() for path in _files(source)))
    manifest = _read_manifest(folder)
    plan = copy_plan(book, _hashes(folder, book), manifest)
    answers = {name: replace(name) for name, action in plan.items() if action == "ask"}

    written = [
        name for name, act in plan.items() if act in ("copy", "upgrade") or answers.get(name)
    ]
    for name in written:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, folder / name)
    offered = {name: book[name] for name in book if answers.get(name, True) is not None}
    text = json.dumps({"sha256": manifest | offered}, indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return CopyResult(written, [name for name, answer in answers.items() if not answer])


def _files(folder: Path) -> list[Path]:
    """Return all files below a folder, those in hidden folders left out."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _hashes(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return name to SHA-256 for those of the named files that exist."""
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in names
        if (folder / name).is_file()
    }


def _read_manifest(folder: Path) -> dict[str, str]:
    """Return name to hash as last offered; empty when there is no readable manifest.

    A manifest lost or damaged must not cost the reader any work: without it every copy that
    differs from the book counts as changed.
    """
    try:
        entries = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["sha256"]
        return {str(name): str(digest) for name, digest in entries.items()}
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _project_name(pyproject: Path) -> str | None:
    """Return the project's name in a pyproject.toml, None if there is none."""
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return None
    name = project.get("name")
    return name if isinstance(name, str) else None
