"""The parts of Python in the browser: one pinned version of each file, known by its sum.

``parts.json`` names them (``docs/pyodide.py`` writes it): the files of the interpreter and the
compiled packages of one release of Pyodide, and pure Python wheels. The wheels are fetched by pip,
which checks their sums, and are part of what is built; the files of Pyodide come from the public
CDN, or from a folder, where their sums are checked here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PARTS: dict[str, Any] = json.loads((files("umlbook.book.lite") / "parts.json").read_text("utf-8"))
VERSION: str = PARTS["version"]
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"

Entry = dict[str, Any]


class LiteError(Exception):
    """The book was not built; the message says what to do."""


def sha256(path: Path) -> str:
    """The sum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pyodide_files() -> dict[str, str]:
    """Name and sum of each file that comes from Pyodide."""
    packages = {part["file_name"]: part["sha256"] for part in PARTS["packages"].values()}
    return PARTS["core"] | packages


def wrong_files(folder: Path, sums: Mapping[str, str]) -> list[str]:
    """The files that a folder has not, or has with another content."""
    return [
        name
        for name, wanted in sums.items()
        if not (folder / name).is_file() or sha256(folder / name) != wanted
    ]


def cache_folder() -> Path:
    """Where fetched wheels are kept: ``UMLBOOK_CACHE``, or the user's cache folder."""
    named = os.environ.get("UMLBOOK_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(named) if named else Path(home or Path.home() / ".cache") / "umlbook"


def fetch_wheels(folder: Path) -> list[Path]:
    """Return the pure Python wheels in a folder, after fetching those that are not there."""
    sums = {part["file_name"]: part["sha256"] for part in PARTS["wheels"].values()}
    missing = wrong_files(folder, sums)
    if missing:
        with TemporaryDirectory() as scratch:
            _download([p for p in PARTS["wheels"].values() if p["file_name"] in missing], scratch)
            folder.mkdir(parents=True, exist_ok=True)
            for name in missing:
                shutil.copyfile(Path(scratch, name), folder / f"{name}.part{os.getpid()}")
                (folder / f"{name}.part{os.getpid()}").replace(folder / name)
    return [folder / name for name in sums]


def _download(parts: Iterable[Entry], folder: str) -> None:
    """Let pip fetch wheels of the Python in the browser, and refuse those with another sum."""
    lines = [f"{p['name']}=={p['version']} --hash=sha256:{p['sha256']}" for p in parts]
    wanted = Path(folder, "requirements.txt")
    wanted.write_text("\n".join(lines) + "\n", encoding="utf-8")
    python = ".".join(PARTS["info"]["python"].split(".")[:2])
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
        "--disable-pip-version-check", "--only-binary=:all:", "--platform=any", "--abi=none",
        "--implementation=py", f"--python-version={python}", f"--dest={folder}", "-r", str(wanted),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise LiteError(f"pip could not fetch {len(lines)} wheels: {reason}")


def entry(name: str, version: str, wheel: Path, imports: Iterable[str], *depends: str) -> Entry:
    """A wheel that is not pinned (the book's own, the kernel's), as the lock file wants it."""
    return {
        "name": name,
        "version": version,
        "file_name": wheel.name,
        "sha256": sha256(wheel),
        "depends": list(depends),
        "imports": list(imports),
    }


def lock(own: Iterable[Entry], pyodide: str, wheels: str) -> str:
    """The lock file of Pyodide, for all parts.

    Parameters
    ----------
    own : iterable of dict
        What `entry` returns.
    pyodide, wheels : str
        Where the files of Pyodide and the wheels are: addresses that end in ``/``, from the lock
        file on.
    """
    packages = {name: _placed(part, pyodide) for name, part in PARTS["packages"].items()}
    for part in [*PARTS["wheels"].values(), *own]:
        packages[part["name"]] = _placed(part, wheels)
    content = {"info": PARTS["info"], "packages": dict(sorted(packages.items()))}
    return json.dumps(content, indent=1) + "\n"


def _placed(part: Entry, where: str) -> Entry:
    fixed = {"install_dir": "site", "package_type": "package", "unvendored_tests": False}
    return {**part, "file_name": where + part["file_name"], **fixed}
