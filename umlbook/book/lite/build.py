"""Put the live book together: JupyterLite's pages, the notebooks, and the parts of Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat

from umlbook.book.lite import parts
from umlbook.book.lite.parts import LiteError
from umlbook.book.lite.wheel import write_wheel

MARKER = ".umlbook-lite"  # says that a folder was written by this command and may be replaced
FIRST = "00-start-here.ipynb"
APPS = ("notebooks", "lab", "tree", "edit")
EPOCH = 1767225600  # the time of all files: any fixed day, here the first of 2026
KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = (KERNEL, "@jupyter-widgets/jupyterlab-manager")
STATIC = ("index.html", "live.css", "live.js", "python.mjs")
ICONS = ("favicon-notebook.ico", "favicon-busy-1.ico")

SETTINGS: dict[str, Any] = {
    # Else cells out of view are not in the page: neither found by search nor printed.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 10},
}


def build(notebooks: Path, out: Path, *, pyodide: Path | None = None, back: str = "") -> None:
    """Make the live book of a folder of notebooks.

    Parameters
    ----------
    notebooks : Path
        Chapters, and below them ``exercises`` and ``solutions``.
    out : Path
        Where it goes: a folder that does not exist yet or is empty.
    pyodide : Path, optional
        A folder with the files of Pyodide, which are copied; by default pages fetch them from the
        public CDN.
    back : str
        The way from `out` to the pages for reading, such as ``../``; empty when there are none.

    Raises
    ------
    LiteError
        When a part is missing or is not the pinned one.
    """
    with TemporaryDirectory(prefix="umlbook-lite-") as scratch:
        shutil.copytree(run_jupyterlite(notebooks, Path(scratch)), out, dirs_exist_ok=True)
    address = put_parts(out, pyodide)
    configure(out)
    for page in (out / app / "index.html" for app in APPS):
        page.write_text(with_script(page.read_text("utf-8"), back, kernel_script(out)), "utf-8")
    for name in STATIC:
        (out / name).write_text(static_file(name, address), "utf-8")
    put_icons(out)
    (out / ".nojekyll").touch()


def run_jupyterlite(notebooks: Path, scratch: Path) -> Path:
    """Let JupyterLite write its pages and the notebooks; nothing of this machine gets in.

    It changes the times of all files beside its folder, so it gets one where there are no others.
    """
    made = scratch / "out" / "live"
    contents = scratch / "contents"
    for path in sorted(notebooks.glob("**/*.ipynb")):
        where = path.relative_to(notebooks)
        if not any(part.startswith(".") for part in where.parts):
            (contents / where).parent.mkdir(parents=True, exist_ok=True)
            (contents / where).write_text(live_copy(path), encoding="utf-8")
            os.utime(contents / where, (EPOCH, EPOCH))
    lite = scratch / "lite"
    lite.mkdir()
    (lite / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    config = {
        "LiteBuildConfig": {
            "apps": APPS,
            "cache_dir": str(scratch / "cache"),
            "contents": [str(contents)],
            "federated_extensions": [str(folder) for folder in map(extension_folder, EXTENSIONS)],
            "ignore_sys_prefix": True,
            "lite_dir": str(lite),
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
            "output_dir": str(made),
            "source_date_epoch": EPOCH,
        }
    }
    (lite / "jupyter_lite_config.json").write_text(json.dumps(config), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    done = subprocess.run(command, cwd=lite, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LiteError(f"JupyterLite stopped:\n{(done.stdout + done.stderr).strip()[-2000:]}")
    return made


def live_copy(path: Path) -> str:
    """A notebook as JupyterLite wants it: texts in one piece, and its outputs trusted.

    A server would join the lines of a text and know whose outputs these are; here there is none.
    """
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata["trusted"] = True
    return json.dumps(notebook, ensure_ascii=False, sort_keys=True)


def extension_folder(name: str) -> Path:
    """Where an extension of JupyterLab is installed."""
    from jupyter_core.paths import jupyter_path

    for folder in jupyter_path("labextensions"):
        if (Path(folder) / name / "package.json").is_file():
            return Path(folder) / name
    raise LiteError(
        f'{name} is not installed: run\n  {sys.executable} -m pip install "umlbook[lite]"'
    )


def put_parts(out: Path, pyodide: Path | None) -> str:
    """Put the wheels and the lock file in place, and Pyodide too; return Pyodide's address."""
    wheels = out / "wheels"
    wheels.mkdir()
    for wheel in parts.fetch_wheels(parts.cache_folder() / "wheels"):
        shutil.copyfile(wheel, wheels / wheel.name)
    own = [
        parts.entry(
            "umlbook", version("umlbook"), write_wheel(wheels), ["umlbook"],
            "ipywidgets", "matplotlib", "numpy", "scikit-learn", "scipy", "tqdm",
        ),
        *(kernel_part(name, out) for name in ("ipykernel", "piplite", "pyodide-kernel")),
    ]  # fmt: skip
    address = parts.CDN
    if pyodide is not None:
        address = "./pyodide/"
        sums = parts.pyodide_files()
        if wrong := parts.wrong_files(pyodide, sums):
            raise LiteError(
                f"{pyodide} is not Pyodide {parts.VERSION} with its packages: "
                f"{', '.join(wrong)} missing or different"
            )
        (out / address).mkdir()
        for name in sums:
            shutil.copyfile(pyodide / name, out / address / name)
    (out / "pyodide-lock.json").write_text(parts.lock(own, address, "wheels/"), encoding="utf-8")
    return address


def kernel_part(name: str, out: Path) -> parts.Entry:
    """A wheel that comes with the kernel, moved to the other wheels."""
    stem = name.replace("-", "_")
    (path,) = (out / "extensions" / KERNEL / "static" / "pypi").glob(f"{stem}-*.whl")
    shutil.copyfile(path, out / "wheels" / path.name)
    return parts.entry(name, path.name.split("-")[1], out / "wheels" / path.name, [stem])


def configure(out: Path) -> None:
    """Say in JupyterLite's settings where Python is, and put what depends on chance in order."""
    path = out / "jupyter-lite.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    config = whole["jupyter-config-data"]
    config["appName"] = "umlbook"
    config["federated_extensions"].sort(key=lambda extension: extension["name"])
    config.setdefault("litePluginSettings", {})[f"{KERNEL}:kernel"] = {
        "pyodideUrl": "./python.mjs",
        "disablePyPIFallback": True,
        "pipliteUrls": [],
        "loadPyodideOptions": {
            # What python.mjs has loaded; the kernel itself would fetch it one by one.
            "packages": [
                "micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython",
                "umlbook",
            ],
        },
    }  # fmt: skip
    path.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def static_file(name: str, pyodide: str) -> str:
    """A file of the book's own, which takes Pyodide from an address."""
    content = (files("umlbook.book.lite") / "static" / name).read_text("utf-8")
    return content.replace("./pyodide/", pyodide)


def put_icons(out: Path) -> None:
    """The icons of a tab, which the pages ask for and JupyterLite does not bring."""
    folder = out / "static" / "favicons"
    folder.mkdir(parents=True)
    for name in ICONS:
        shutil.copyfile(out / "notebooks" / "favicon.ico", folder / name)


def kernel_script(out: Path) -> str:
    """Where the kernel is, from the folder of the book on."""
    (path,) = (out / "extensions" / KERNEL / "static").glob("comlink.worker.*.js")
    return path.relative_to(out).as_posix()


def with_script(page: str, back: str, kernel: str) -> str:
    """A page of JupyterLite with the book's own bar on it."""
    added = (
        '<link rel="icon" href="../static/favicons/favicon-notebook.ico">'
        '<link rel="stylesheet" href="../live.css">'
        f'<script src="../live.js" data-back="{back}" data-kernel="{kernel}"></script>'
    )
    changed, found = re.subn(r"<head[^>]*>", lambda head: head[0] + added, page, count=1)
    if not found:
        raise LiteError("a page of JupyterLite has no head: is this a version that was tried?")
    return changed
