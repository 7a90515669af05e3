"""The book alive in a browser: ``umlbook lite``.

A folder of static pages in which every notebook runs, in Python compiled to WebAssembly, without an
installation or a server. The pages are JupyterLite's; the kernel is Pyodide.

- `build`: all of it
- `parts`: which files Python is made of there, their sums, and where they come from
- `wheel`: the package itself, for the browser
- ``static``: how Python starts (``python.mjs``), and the bar on each page (``live.js``): what is
  being loaded, where the work is kept, the way back
"""

from __future__ import annotations

import argparse
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from umlbook.tools.copies import checkout_notebooks, packaged_notebooks

NEEDED = ("jupyterlite_core", "jupyterlite_pyodide_kernel", "pip")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``umlbook lite``."""
    parser.add_argument(
        "--out", type=Path, default=Path("live"), help="folder for the live book (default: live)"
    )
    add_pyodide_argument(parser)


def add_pyodide_argument(parser: argparse.ArgumentParser) -> None:
    """The argument that says where Python comes from; `umlbook site --live` has it, too."""
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="folder with the files of Pyodide, which are copied, so that the pages need no "
        "network (default: the pages fetch them from Pyodide's public CDN)",
    )


def run(args: argparse.Namespace) -> int:
    """Make the live book and say where it is; 1 when it was not made."""
    if missing := not_installed():
        return _failed(missing)
    notebooks = checkout_notebooks() or packaged_notebooks()
    if notebooks is None:
        return _failed("this installation has no notebooks; `umlbook doctor` says more")
    from umlbook.book.lite.build import MARKER, build
    from umlbook.book.lite.parts import LiteError

    out: Path = args.out
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARKER).exists())):
        return _failed(f"{out} is not a live book made before: name a new folder with --out")
    try:
        with TemporaryDirectory(prefix="umlbook-live-") as scratch:
            made = Path(scratch, "live")
            build(notebooks, made, pyodide=args.pyodide)
            (made / MARKER).touch()
            if out.exists():
                shutil.rmtree(out)
            shutil.copytree(made, out)
    except LiteError as error:
        return _failed(f"nothing was written.\n{error}")
    except OSError as error:
        return _failed(f"cannot write the live book: {error}\nName another folder with --out")
    print(f"The live book is in {out.resolve()}; to read it, serve the folder:")
    print(f"  {sys.executable} -m http.server --directory {out}")
    return 0


def not_installed() -> str:
    """What is missing for the live book and how to get it; empty when nothing is."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if not missing:
        return ""
    install = f'{sys.executable} -m pip install "umlbook[lite]"'
    return f"{', '.join(missing)} not installed; run\n  {install}"


def _failed(message: str) -> int:
    print(f"umlbook lite: {message}", file=sys.stderr)
    return 1
