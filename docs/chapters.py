"""How long each chapter is, and how long it takes: `python docs/chapters.py`, perhaps with names.

Prints a Markdown table with the words of a chapter (formulas and code left out), its cells, those
before the first picture, the share of its code cells that are folded, the seconds of a processor
that it takes from the first import on, and those of its slowest cell. With ``--cells`` also every
cell of more than `SLOW` seconds. Each chapter is run in a process of its own with one BLAS thread
(``--threads`` says another number), from its stored file, which is left as it is. Seconds are those
of the processor, so a busy machine changes them little, though not nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from umlbook.book.page.folding import is_folded
from umlbook.book.page.tables import table
from umlbook.tools.refresh import KERNEL_ENVIRONMENT

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
SLOW = 3.0
"""Seconds above which a cell has to show its progress."""
_MATHS = re.compile(r"\$\$.*?\$\$|\$[^$]+\$|`[^`]*`|\]\([^)]*\)", re.DOTALL)


def words(cells: list[NotebookNode]) -> int:
    """The words of the text, without formulas, code and addresses."""
    texts = [_MATHS.sub(" ", cell.source) for cell in cells if cell.cell_type == "markdown"]
    return sum(len(re.findall(r"[A-Za-z][A-Za-z'’-]*", text)) for text in texts)


def cells_before_picture(cells: list[NotebookNode]) -> int | None:
    """How many cells stand before the first one that shows a picture; None without any."""
    for number, cell in enumerate(cells):
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            return number
    return None


def seconds_of_cells(path: Path) -> list[float]:
    """Processor seconds of each code cell, run here and now."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    os.chdir(path.parent)
    shell, spent = InteractiveShell.instance(), []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            start = time.process_time()
            with capture_output():
                shell.run_cell(cell.source)
            spent.append(time.process_time() - start)
    return spent


def timed(path: Path, threads: int) -> list[float]:
    """Processor seconds of each code cell of a notebook, run in a process of its own."""
    limits = {name: str(threads) for name in KERNEL_ENVIRONMENT if name.endswith("THREADS")}
    done = subprocess.run(
        [sys.executable, __file__, "--run", str(path.resolve())],
        env=os.environ | KERNEL_ENVIRONMENT | limits,
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(x) for x in json.loads(done.stdout.splitlines()[-1])]


def main() -> None:
    """Print the table of the notebooks that are named, or of all chapters."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--cells", action="store_true", help="list the slow cells, too")
    parser.add_argument("--threads", type=int, default=1, help="BLAS threads (default: 1)")
    parser.add_argument("--no-run", action="store_true", help="only count")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        print(json.dumps(seconds_of_cells(args.run)))
        return
    heads = ("chapter", "words", "cells", "before the picture", "folded", "seconds", "slowest")
    rows, slow = [], []
    for path in args.paths or sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        spent = [] if args.no_run else timed(path, args.threads)
        folded = f"{sum(map(is_folded, code))} of {len(code)}"
        sums = (None, None) if not spent else (round(sum(spent), 1), round(max(spent), 1))
        before = cells_before_picture(cells)
        rows.append((path.stem, words(cells), len(cells), before, folded, *sums))
        slow += [
            f"{path.stem}: {seconds:.1f} s: {cell.source.splitlines()[-1][:70]}"
            for seconds, cell in zip(spent, code, strict=False)
            if seconds > SLOW
        ]
        print(f"{path.stem}: {sums[0]} s", file=sys.stderr, flush=True)
    print(table(dict(zip(heads, map(list, zip(*rows, strict=True)), strict=True))).markdown())
    if args.cells:
        print("\n".join(["", *slow]))


if __name__ == "__main__":
    main()
