"""Execute notebooks, bring them into normal form, store them: ``umlbook refresh``.

A stored notebook is what a reader sees before running anything and what the tests compare with, so
it must depend on nothing but its sources: the normal form drops what changes from run to run or
from machine to machine (widget identifiers, tracebacks, timing, version stamps in pictures), and a
second refresh changes no byte. Every notebook is run twice, the second time with noise in the last
digits of its data; where that changes a word, nothing is stored.
"""

import argparse
import asyncio
import base64
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import nbformat
from nbformat import NotebookNode
from tqdm.auto import tqdm

from umlbook._threads import ONE_THREAD
from umlbook.book.exercises.progress import READER
from umlbook.book.page import folding, frames
from umlbook.tools import jitter
from umlbook.tools.authoring import METADATA, cell_ids

if TYPE_CHECKING:
    from nbclient import NotebookClient

#: One BLAS thread and one hash seed: sums and set orders that do not depend on the machine.
KERNEL_ENVIRONMENT = {**ONE_THREAD, "PYTHONHASHSEED": "0"}
SEED = 1  # of the noise with which a notebook is run a second time
CELL_TIMEOUT = 1800  # seconds, the same as in the tests; only a cell that hangs takes so long
START_TIMEOUT = 600  # seconds until a kernel answers, the same as in the tests

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_NOTEBOOK_NOISE = {"widgets", "signature", "vscode", "toc-autonumbering", "toc-showcode"}
_CELL_NOISE = {"execution", "ExecuteTime", "collapsed", "scrolled", "trusted", "vscode"}
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_TEXT = {b"tEXt", b"iTXt", b"zTXt", b"tIME"}


class RefreshError(Exception):
    """A notebook that must not be stored; the message names the cell and shows its first lines."""


# ---------------------------------------------------------------------------- normal form


def _png_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and whole bytes of each chunk of a PNG file."""
    start = len(_PNG_SIGNATURE)
    while start < len(png):
        length, name = struct.unpack_from(">I4s", png, start)
        yield name, png[start : start + length + 12]
        start += length + 12


def png_without_text(png: bytes) -> bytes:
    """The same picture without its text and time chunks (matplotlib stamps its version there)."""
    if not png.startswith(_PNG_SIGNATURE):
        raise ValueError(f"expected the bytes of a PNG file, got {png[:8]!r}...")
    kept = [chunk for name, chunk in _png_chunks(png) if name not in _PNG_TEXT]
    return _PNG_SIGNATURE + b"".join(kept)


def _normal_png(text: str) -> str:
    return base64.b64encode(png_without_text(base64.b64decode(text))).decode("ascii")


def _normal_output(output: NotebookNode, count: int | None) -> NotebookNode:
    """One output without what changes between runs."""
    output = NotebookNode(output)
    if output.output_type == "error":
        # The frames hold temporary file names and colours; name and message say what happened.
        output.traceback = [f"{output.ename}: {output.evalue}"]
    if "data" in output:
        # Without a kernel a viewer shows a stored widget view as an error; its text/plain instead.
        # Frames have files of their own.
        aside = (WIDGET_VIEW, frames.MIME)
        output.data = NotebookNode({k: v for k, v in output.data.items() if k not in aside})
        if "image/png" in output.data:
            output.data["image/png"] = _normal_png(output.data["image/png"])
    if output.output_type == "execute_result":
        output.execution_count = count
    return output


def _merged_streams(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Neighbouring pieces of one stream joined: where the kernel cuts them depends on timing."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last and last.output_type == output.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def _normal_cell(cell: NotebookNode, cell_id: str) -> NotebookNode:
    cell = NotebookNode(cell)
    cell.id = cell_id
    cell.metadata = NotebookNode({k: v for k, v in cell.metadata.items() if k not in _CELL_NOISE})
    if cell.cell_type == "code":
        normal = [_normal_output(output, cell.execution_count) for output in cell.outputs]
        # A widget is an output of its own, its twin the next: without its view nothing is left.
        cell.outputs = _merged_streams(output for output in normal if output.get("data") != {})
    return cell


def normalised(notebook: NotebookNode) -> NotebookNode:
    """The normal form of a notebook; sources, counts and outputs stay.

    Cells keep their ids where they have them; the others get ids made from their text.
    """
    made = cell_ids([cell.source for cell in notebook.cells])
    cells = [
        _normal_cell(cell, cell.get("id", new))
        for cell, new in zip(notebook.cells, made, strict=True)
    ]
    kept = {k: v for k, v in notebook.metadata.items() if k not in _NOTEBOOK_NOISE}
    return nbformat.from_dict(
        {"cells": cells, "metadata": kept | METADATA, "nbformat": 4, "nbformat_minor": 5}
    )


def fold_cells(notebook: NotebookNode) -> None:
    """Fold the code that only draws or confirms, and appendices, as the static pages do."""
    for cell in notebook.cells:
        folding.fold(cell)


def notebook_bytes(notebook: NotebookNode) -> bytes:
    """The file of a notebook: keys sorted, one space of indentation, a newline at the end."""
    nbformat.validate(notebook)
    return (nbformat.writes(notebook).rstrip("\n") + "\n").encode("utf-8")


# ------------------------------------------------------------------------------ execution


def _place(notebook: NotebookNode, index: int) -> str:
    """Which cell, for an error message, and how it begins."""
    lines = notebook.cells[index].source.splitlines()
    shown = lines[:3] + ["..."] * (len(lines) > 3)
    return f"cell {index + 1} of {len(notebook.cells)}\n" + "\n".join(f"    {x}" for x in shown)


def _client(notebook: NotebookNode, folder: Path, on_cell: Callable[..., None]) -> "NotebookClient":
    """A client whose kernel is this interpreter, whatever kernels the user has registered."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    own_kernel = KernelSpecManager(kernel_dirs=[])
    return NotebookClient(
        notebook,
        km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=own_kernel),
        timeout=CELL_TIMEOUT,
        startup_timeout=START_TIMEOUT,
        iopub_timeout=CELL_TIMEOUT,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=on_cell,
        extra_arguments=["--log-level=40"],  # the kernel's own notices are not for the reader
    )


def executed(
    notebook: NotebookNode,
    folder: Path,
    on_cell: Callable[[], object] = lambda: None,
    variables: Mapping[str, str] | None = None,
) -> NotebookNode:
    """A copy of the notebook, run from top to bottom by this interpreter in `folder`.

    Parameters
    ----------
    notebook : NotebookNode
        Left as it is.
    folder : Path
        The kernel's working directory.
    on_cell : callable
        Called when a code cell starts, for a progress bar.
    variables : mapping, optional
        Environment variables of the kernel, in addition to the book's own.

    Raises
    ------
    RefreshError
        When a cell raises (unless tagged ``raises-exception``), runs out of time, or writes to
        stderr (a warning on a page is a failure too).
    """
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = nbformat.from_dict(notebook)
    current = 0

    def start(cell: NotebookNode, cell_index: int) -> None:
        nonlocal current
        current = cell_index
        if cell.cell_type == "code":
            on_cell()

    try:
        client = _client(notebook, folder, start)
        with TemporaryDirectory() as progress:  # a reader's report is not the book's
            own = {"UMLBOOK_PROGRESS": progress, "UMLBOOK_STUDENT": READER, frames.WANTED: "1"}
            environment = os.environ | KERNEL_ENVIRONMENT | own | dict(variables or {})
            asyncio.run(client.async_execute(cleanup_kc=True, env=environment))
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        said = str(error).splitlines()[0]
        if isinstance(error, CellExecutionError):
            said = f"{error.ename}: {error.evalue}"
        raise RefreshError(f"{said} in {_place(notebook, current)}") from None
    _refuse_unstorable(notebook)
    return notebook


def _refuse_unstorable(notebook: NotebookNode) -> None:
    """Raise when an output must not stand on a page."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                message = f"stderr says {output.text.strip()!r}"
            elif "sk-container-id" in output.get("data", {}).get("text/html", ""):
                # 44 kB each, and dropping it from the file would make nbval see a difference.
                message = "a bare estimator is shown (assign it to _, or print it)"
            else:
                continue
            raise RefreshError(f"{message} in {_place(notebook, index)}")


def _words(cell: NotebookNode) -> list[str]:
    """The lines of text that a cell has put out."""
    texts = (o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)
    return "\n".join(texts).splitlines()


def _refuse_noise(notebook: NotebookNode, with_noise: NotebookNode) -> None:
    """Raise when noise in the last digits of the data has changed a word of an output."""
    ours, theirs = normalised(notebook).cells, normalised(with_noise).cells
    for index, (cell, other) in enumerate(zip(ours, theirs, strict=True)):
        if cell.cell_type != "code":
            continue
        for line, changed in zip_longest(_words(cell), _words(other), fillvalue="(nothing)"):
            if line != changed:
                raise RefreshError(
                    f"noise of 1e-12 in the data decides what is shown:\n    {line}\n"
                    f"    {changed}\nRound further, or choose data away from the tie, in "
                    + _place(notebook, index)
                )


def refreshed_bytes(
    path: Path, on_cell: Callable[[], object] = lambda: None
) -> tuple[bytes, dict[str, bytes]]:
    """What a refresh would store at `path`, and the files of the frames of its steppers."""
    written = nbformat.read(path, as_version=4)
    notebook = executed(written, path.parent, on_cell)
    with_noise = executed(written, path.parent, on_cell, jitter.environment(SEED))
    _refuse_noise(notebook, with_noise)
    normal = normalised(notebook)
    if frames.frames_folder(path) is not None:  # a chapter
        fold_cells(normal)
    return notebook_bytes(normal), frames.frame_files(notebook, [cell.id for cell in normal.cells])


# --------------------------------------------------------------------------- command line


def notebooks_folder() -> Path:
    """The checkout's notebooks, else those of the current folder."""
    checkout = Path(__file__).parents[2] / "notebooks"
    return checkout if checkout.is_dir() else Path("notebooks")


def default_paths() -> list[Path]:
    """Chapters and solutions; the exercises are made from the solutions."""
    folder = notebooks_folder()
    return [*notebooks_in(folder), *notebooks_in(folder / "solutions")]


def notebooks_in(folder: Path) -> list[Path]:
    """The notebooks directly in a folder, in order of their names."""
    return sorted(folder.glob("*.ipynb"))


def replace(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step: whoever reads sees the old file or the new one."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        scratch.write_bytes(content)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def refresh(
    path: Path, *, check: bool = False, on_cell: Callable[[], object] = lambda: None
) -> bool:
    """Refresh one notebook and say whether a file changed (or, with `check`, would change).

    The files are the notebook and, for a chapter, the frames of its steppers.

    Raises
    ------
    RefreshError
        When the notebook fails, or was edited while it ran; the file is left as it was.
    """
    before, folder = path.read_bytes(), frames.frames_folder(path)
    try:
        after, pictures = refreshed_bytes(path, on_cell)
    except RefreshError as error:
        raise RefreshError(f"{path}: not stored. {error}") from None
    if path.read_bytes() != before:
        raise RefreshError(f"{path}: not stored. It was edited while it ran: refresh it again")
    other_frames = folder is not None and frames.stored_files(folder) != pictures
    if after != before and not check:
        replace(path, after)
    if folder is not None and other_frames and not check:
        frames.store(folder, pictures)
    return after != before or other_frames


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``umlbook refresh``."""
    parser.add_argument(
        "paths", nargs="*", type=Path, help="notebooks or folders (default: chapters and solutions)"
    )
    parser.add_argument(
        "--check", action="store_true", help="store nothing; exit 1 if a notebook would change"
    )
    parser.add_argument("--jobs", type=int, default=1, help="notebooks run at once (default: 1)")


def run(args: argparse.Namespace) -> int:
    """Refresh the notebooks that `args` names; 1 when one failed or, with --check, would change."""
    named = [path for p in args.paths for path in (notebooks_in(p) if p.is_dir() else [p])]
    paths = named if args.paths else default_paths()
    missing = [str(path) for path in paths if not path.is_file()]
    if missing or not paths:
        where = ", ".join(missing or map(str, args.paths)) or "notebooks/"
        print(f"umlbook refresh: no notebook at {where}", file=sys.stderr)
        return 1
    cells = [cell for path in paths for cell in nbformat.read(path, 4).cells]
    with tqdm(total=2 * sum(cell.cell_type == "code" for cell in cells), unit="cell") as bar:

        def outcome(path: Path) -> tuple[str, bool]:
            """What to say about a notebook, and whether it is well."""
            bar.set_description(path.stem)
            try:
                changed = refresh(path, check=args.check, on_cell=bar.update)
            except RefreshError as error:
                return str(error), False
            word = ("would change" if args.check else "stored") if changed else "unchanged"
            return f"{path}: {word}", not (changed and args.check)

        # Threads suffice: the work is done in the kernels, which are processes.
        with ThreadPoolExecutor(max(1, args.jobs)) as pool:
            outcomes = list(pool.map(outcome, paths))
    print("\n".join(message for message, _ in outcomes))
    return 0 if all(well for _, well in outcomes) else 1
