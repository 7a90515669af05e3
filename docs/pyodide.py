"""Write umlbook/book/lite/parts.json: every file that Python in the browser is made of.

``python docs/pyodide.py PYODIDE WHEELS`` reads two folders: PYODIDE is an unpacked npm package
``pyodide``, of which the four files of the interpreter and the lock file are used; WHEELS holds the
pure Python wheels that come from the Python package index. Run it to move to another version, then
run the tests with the new parts: what they try is what readers get.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PARTS = Path(__file__).resolve().parents[1] / "umlbook" / "book" / "lite" / "parts.json"
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
WANTED = ("matplotlib", "micropip", "numpy", "scikit-learn", "scipy")
UNUSED = {"fonttools", "pytz"}  # matplotlib needs the one for PDF and the other for old pandas
DEPENDS = {
    "asttokens": ["six"],
    "ipython": [
        "decorator", "ipython-pygments-lexers", "jedi", "matplotlib-inline", "prompt-toolkit",
        "pygments", "stack-data", "traitlets",
    ],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "jedi": ["parso"],
    "matplotlib-inline": ["traitlets"],
    "prompt-toolkit": ["wcwidth"],
    "stack-data": ["asttokens", "executing", "pure-eval"],
}  # fmt: skip


def sha256(path: Path) -> str:
    """The sum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def closure(names: Iterator[str] | tuple[str, ...], packages: dict[str, Any]) -> set[str]:
    """These packages and all that they need."""
    found: set[str] = set()
    for name in names:
        found |= {name} | closure(tuple(set(packages[name]["depends"]) - UNUSED), packages)
    return found


def wheel_entry(path: Path) -> dict[str, Any]:
    """A wheel as the lock file of Pyodide describes it."""
    name, version, *_ = path.name.split("-")
    inside = zipfile.ZipFile(path).namelist()
    tops = {file.split("/")[0] for file in inside if ".dist-info/" not in file}
    name = name.replace("_", "-").lower()
    return {
        "name": name,
        "version": version,
        "file_name": path.name,
        "sha256": sha256(path),
        "depends": DEPENDS.get(name, []),
        "imports": sorted(top.removesuffix(".py") for top in tops if ".data" not in top),
    }


def main(pyodide: Path, wheels: Path) -> None:
    """Write the parts."""
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    pure = {entry["name"]: entry for entry in map(wheel_entry, sorted(wheels.glob("*.whl")))}
    names = closure(WANTED, lock["packages"]) - pure.keys()
    kept = ("name", "version", "file_name", "sha256", "depends", "imports")
    packages = {}
    for name in sorted(names):
        entry = {key: lock["packages"][name][key] for key in kept}
        packages[name] = entry | {"depends": sorted(set(entry["depends"]) - UNUSED)}
    parts = {
        "version": json.loads((pyodide / "package.json").read_text(encoding="utf-8"))["version"],
        "info": lock["info"],
        "core": {name: sha256(pyodide / name) for name in CORE},
        "packages": packages,
        "wheels": pure,
    }
    PARTS.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
