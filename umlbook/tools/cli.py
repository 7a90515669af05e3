"""The command ``umlbook``: open the book, or run one of its tools.

A tool is a module with ``add_arguments(parser)`` and ``run(args) -> int``; a line in `COMMANDS`
puts it on the command line. Only the module of the command that was typed is imported.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from umlbook._browser import in_browser, needs_a_computer
from umlbook._threads import limit_children
from umlbook.tools import copies

FIRST_NOTEBOOK = "00-start-here.ipynb"

COMMANDS = {
    "doctor": ("umlbook.tools.doctor", "check this environment and say how to fix it"),
    "bench": ("umlbook.experiments.bench.speeds", "print the table of speeds"),
    "reproduce": ("umlbook.experiments.engine.reproduce", "compute the papers' tables again"),
    "refresh": ("umlbook.tools.refresh", "run the notebooks again and store their outputs"),
    "release-exercises": ("umlbook.tools.release", "write the exercises from their solutions"),
    "site": ("umlbook.book.site", "build the static pages"),
    "hand-in": ("umlbook.book.exercises.hand_in", "make one file of your exercises for a teacher"),
    "grade": ("umlbook.tools.coursework.grade", "run hand-ins again and write their marks"),
    "lite": ("umlbook.book.lite", "build the book that runs in a browser"),
}
IN_BROWSER = ("doctor", "reproduce", "hand-in")
"""The commands that can do without other processes, which Python in a web page has not."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv
        The words after ``umlbook``; by default those of this process.

    Returns
    -------
    int
        0 for success, 1 for a failure that was explained, 130 when interrupted.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if in_browser() and not {*IN_BROWSER, "-h", "--help", "--version"} & {*words}:
        named = next((word for word in words if word in COMMANDS), "")
        print(needs_a_computer(f"umlbook {named}".strip()), file=sys.stderr)
        return 1
    args = build_parser(words).parse_args(words)
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 130


def build_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser, with the arguments of those commands that occur among the words.

    Importing every tool only to print ``--help`` would take seconds.
    """
    parser = argparse.ArgumentParser(
        prog="umlbook",
        description="An executable textbook on metric learning for clustering. "
        "Without a command: open it in JupyterLab.",
    )
    version = importlib.metadata.version("umlbook")
    parser.add_argument("--version", action="version", version=f"umlbook {version}")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address instead of opening a browser"
    )
    parser.add_argument("--port", type=_port, help="port of JupyterLab (default: 8888 or the next)")
    parser.add_argument(
        "--folder",
        type=Path,
        help="folder for your copy of the notebooks (default: the current folder if it is empty "
        f"or has a copy already, else {copies.SUBFOLDER} in it)",
    )
    parser.set_defaults(run=read)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"{summary}.".capitalize())
        if name in words:
            _load(command, module)
    return parser


def read(args: argparse.Namespace) -> int:
    """Open JupyterLab on a copy of the notebooks, or inside a checkout on its own."""
    try:
        folder = notebook_folder(args.folder)
    except OSError as error:
        print(
            f"umlbook: cannot copy the notebooks: {error}\n"
            "Run umlbook in a folder of your own, or name one: umlbook --folder PATH",
            file=sys.stderr,
        )
        return 1
    if folder is None:
        print(
            "umlbook: this installation has no notebooks; fix it with\n"
            f"  {sys.executable} -m pip install --force-reinstall --no-deps umlbook",
            file=sys.stderr,
        )
        return 1
    return open_jupyterlab(folder, browser=not args.no_browser, port=args.port)


def notebook_folder(chosen: Path | None) -> Path | None:
    """Return the folder to read in, the package's notebooks copied to it where needed.

    Parameters
    ----------
    chosen
        The folder that the reader named, if any: it gets a copy even in a checkout.

    Returns
    -------
    Path or None
        None when there is nothing to read.
    """
    checkout, packaged = copies.checkout_notebooks(), copies.packaged_notebooks()
    if checkout is not None and chosen is None and copies.is_inside(Path.cwd(), checkout.parent):
        print(
            f"Opening the notebooks of the checkout itself, {checkout}: what you change there you "
            "change in the book (in another folder umlbook makes you a copy)",
            flush=True,
        )
        return checkout
    source = packaged or checkout
    if source is None:
        return None
    folder = (chosen.expanduser() if chosen else copies.reading_folder(Path.cwd())).resolve()
    result = copies.copy_notebooks(source, folder, _ask_to_replace)
    if result.written:
        print(f"Copied {len(result.written)} files of the book to {folder}", flush=True)
    else:
        print(f"Opening your copy of the book in {folder}", flush=True)
    for name in result.kept:
        print(f"Kept your {name}; the book has a newer one (rename yours to get it)", flush=True)
    return folder


def open_jupyterlab(folder: Path, *, browser: bool, port: int | None) -> int:
    """Run JupyterLab in a folder, on its first notebook, until it is stopped."""
    from jupyterlab.labapp import LabApp  # slow to import, and not needed for --help

    limit_children()
    LabApp.launch_instance(jupyterlab_arguments(folder, browser=browser, port=port))
    return 0


def jupyterlab_arguments(folder: Path, *, browser: bool, port: int | None) -> list[str]:
    """Return JupyterLab's arguments: the folder is its root, the first notebook its page."""
    first = next((path.name for path in sorted(folder.glob("*.ipynb"))), None)
    page = FIRST_NOTEBOOK if (folder / FIRST_NOTEBOOK).exists() else first
    arguments = [f"--ServerApp.root_dir={folder}"]
    if page is not None:
        # the address that --no-browser prints leads to the notebook, too
        arguments.append(f"--LabApp.default_url=/lab/tree/{page}")
    if port is not None:
        arguments.append(f"--port={port}")
    if not browser:
        arguments.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # in a container there is often no other user; the server listens on localhost only
        arguments.append("--allow-root")
    return arguments


def _ask_to_replace(name: str) -> bool | None:
    """Ask at the terminal whether a changed copy may go; None where nobody can answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    answer = input(f"You changed {name} and the book has a newer one. Replace yours? [y/N] ")
    return answer.strip().lower() in ("y", "yes")


def _load(command: argparse.ArgumentParser, module: str) -> None:
    """Give a subcommand the arguments and the function of its module."""
    try:
        tool = importlib.import_module(module)
    except ImportError as error:
        command.error(f"{error}; `umlbook doctor` says what is missing and how to fix it")
    tool.add_arguments(command)
    command.set_defaults(run=tool.run)


def _port(text: str) -> int:
    """Return a port number, or raise the error that argparse shows."""
    if text.isdecimal() and int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port: give a number from 0 to 65535")
