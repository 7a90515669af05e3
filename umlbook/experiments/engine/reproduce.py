"""``umlbook reproduce``: compute a table or a figure of the papers again, and set it beside print.

The names are those of the targets (`umlbook.experiments.engine.target`) of the modules in
`MODULES`. For each name the cells are computed (`umlbook.experiments.engine.grid`: interrupted at
any moment, the next run continues; ``--continue`` begins with the rows stored with the package),
compared with the printed cells, and written as CSV, Markdown and, for figures, PNG. The folder is
locked meanwhile (`umlbook.experiments.engine.lock`). With ``--protocols`` the question is another
one: under which protocol was the table printed (`umlbook.experiments.engine.search`)? Where that
has been searched, each cell has a third number, that under the protocol found
(`umlbook.experiments.engine.found`): the stored one, or with ``--found`` computed again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from umlbook._browser import in_browser, needs_a_computer
from umlbook.experiments.engine.found import (
    beside_found,
    is_searched,
    protocol_lines,
    recomputed,
    verdicts_of,
)
from umlbook.experiments.engine.grid import NotARecordFileError, Record
from umlbook.experiments.engine.grid import run as run_cells
from umlbook.experiments.engine.lock import LockedError, locked
from umlbook.experiments.engine.search import searched, searches
from umlbook.experiments.engine.storage import Row, markdown, store
from umlbook.experiments.engine.target import Comparison, Target, close_count, verdict_counts

MODULES = (
    "cpcm", "naml", "naml_figures", "cpd_figures", "cpd", "cpd_grid", "pm", "latent",
    "side_by_side", "pairs", "asking", "cost", "landmarks", "starts", "llma",
)  # fmt: skip


def targets() -> dict[str, Target]:
    """All targets by name, paper after paper."""
    modules = [import_module(f"umlbook.experiments.papers.{name}") for name in MODULES]
    return {target.name: target for module in modules for target in module.TARGETS}


def named(words: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names that are meant; ``cpd-tables`` and ``pm-figures`` mean all of a paper's.

    >>> named(["pm-figures", "x"], ["pm-figure-2", "pm-figure-3", "pm-table-2"])
    ['pm-figure-2', 'pm-figure-3', 'x']
    """
    found = []
    for word in words:
        family = [name for name in known if name.startswith(f"{word.removesuffix('s')}-")]
        found += family if word.endswith(("-tables", "-figures")) and family else [word]
    return list(dict.fromkeys(found))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names, how much to run, on what, and where the results go."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="tables and figures (see --list); cpd-tables: all of a paper's",
    )
    parser.add_argument("--list", action="store_true", help="list what there is and run nothing")
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours: few runs")
    parser.add_argument(
        "--stored", action="store_true", help="compute nothing: use the results in the package"
    )
    parser.add_argument(
        "--continue", dest="go_on", action="store_true",
        help="compute only the cells that have no rows in the package or in the folder",
    )  # fmt: skip
    parser.add_argument(
        "--protocols", action="store_true",
        help="search the protocol that printed the baselines, and judge the cells under it",
    )  # fmt: skip
    parser.add_argument(
        "--found", action="store_true",
        help="compute the column 'found' again, under the protocol nearest to the text of those "
        "that a search found, instead of printing the stored numbers",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, help="processes; -1: one for each core")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the dask cluster at this address")
    parser.add_argument(
        "--out", type=Path, default=Path("umlbook-results"), help="folder for what is made"
    )


def run(args: argparse.Namespace) -> int:
    """Compute what was named, or list what there is."""
    known = targets()
    names = named(args.names, known)
    unknown = sorted(set(names) - set(known))
    if args.list:
        for target in known.values():
            print(f"{target.name:<15} {target.paper}: {target.what}")
        return 0
    if unknown or not names:
        said = f"nothing named {', '.join(unknown)}" if unknown else "name what to compute"
        print(f"umlbook reproduce: {said}: choose from {', '.join(known)}", file=sys.stderr)
        return 2
    if args.protocols and (without := sorted(set(names) - set(searches()))):
        said = f"no search of protocols for {', '.join(without)}"
        print(f"umlbook reproduce: {said}: choose from {', '.join(searches())}", file=sys.stderr)
        return 2
    if args.found and (without := [name for name in names if not is_searched(name)]):
        said = f"no protocol has been searched for {', '.join(without)}: leave out --found"
        print(f"umlbook reproduce: {said}", file=sys.stderr)
        return 2
    if args.found and (args.stored or args.protocols):
        said = "--found computes: leave out --stored and --protocols"
        print(f"umlbook reproduce: {said}", file=sys.stderr)
        return 2
    if args.jobs == 0:
        print("umlbook reproduce: --jobs 0 does nothing: give 1 or more, or -1", file=sys.stderr)
        return 2
    if in_browser() and (args.jobs != 1 or args.dask):
        said = needs_a_computer(f"reproduce with {'--dask' if args.dask else '--jobs'}")
        print(f"umlbook reproduce: {said}", file=sys.stderr)
        return 2
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        with locked(args.out):
            if args.protocols:
                failed = [name for name, done in _each_searched(names, args) if not done]
            else:
                failed = [name for name in names if not reproduced(known[name], args)]
    except LockedError as error:
        print(f"umlbook reproduce: {error}", file=sys.stderr)
        return 1
    except (OSError, NotARecordFileError, ImportError) as error:
        print(f"umlbook reproduce: {error}", file=sys.stderr)
        print("What was done is kept: run the same command again to continue.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to continue.", file=sys.stderr)
        raise
    return 1 if failed else 0


def _each_searched(names: Iterable[str], args: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Each search that is meant, once, and whether all of its cells could be done."""
    known, all_searches = targets(), searches()
    for search in {all_searches[name].name: all_searches[name] for name in names}.values():
        cells = [cell for table in search.covers for cell in known[table].comparisons()]
        yield search.name, searched(search, cells, args)


def reproduced(target: Target, args: argparse.Namespace) -> bool:
    """Compute, print and write one target; False when one of its cells failed."""
    if target.source is None or args.stored:
        rows, failures = target.source.stored() if target.source else [], []
    else:
        name = f"{target.source.name}{'-quick' if args.quick else ''}.jsonl"
        records = run_cells(
            target.source.work, target.source.cells(args.quick), args.out / name,
            jobs=args.jobs, dask=args.dask, title=target.name,
            known=target.source.stored() if args.go_on else (),
        )  # fmt: skip
        failures = [record for record in records if record.error]
        rows = target.source.summed([row for record in records for row in record.rows])
    comparisons = target.comparisons(rows)
    lines = compared(target, comparisons, args, failures)
    for line in report(target, comparisons, lines, failures):
        print(line)
    write(target, rows, lines, args)
    return not failures


def compared(
    target: Target, cells: list[Comparison], args: argparse.Namespace, failures: list[Record]
) -> list[Row]:
    """The lines of the table: print, ours, and ours under the protocol found where there is one."""
    if not is_searched(target.name):
        return [cell.row() for cell in cells]
    if args.found:
        return list(beside_found(cells, recomputed(target.name, cells, args, failures)))
    return list(beside_found(cells, verdicts_of(target.name, cells)))


def report(
    target: Target, comparisons: list[Comparison], rows: list[Row], failures: Iterable[Record]
) -> Iterable[str]:
    """The table as lines of text, what its verdicts sum up to, the protocol, and what failed."""
    yield f"{target.name}, {target.paper}: {target.what}"
    columns = [c for c in (rows[0] if rows else []) if any(row[c] != "" for row in rows)]
    shown = [columns, *([_text(row[c]) for c in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for line in shown if rows else []:
        yield "  ".join(map(str.ljust, line, widths)).rstrip()
    counts = verdict_counts(comparisons)
    said = [f"{verdict}: {count}" for verdict, count in counts.items() if count]
    if any(comparison.close is not None for comparison in comparisons):
        said.append(f"within half a point: {close_count(comparisons)}")
    yield ", ".join(said)
    if is_searched(target.name):
        yield from protocol_lines(target.name)
    for record in failures:
        where = ", ".join(f"{key} {value}" for key, value in record.cell.items())
        yield f"failed, tried again by the next run: {where}: {record.error}"


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def write(target: Target, rows: list[Row], table: list[Row], args: argparse.Namespace) -> None:
    """Write the comparison as CSV and Markdown, the rows as CSV, the figure, and what made them."""
    made = [store(target.name, table, args.out)]
    page = args.out / f"{target.name}.md"
    page.write_text(f"# {target.name}\n\n{target.paper}: {target.what}\n\n{markdown(table)}\n")
    made.append(page)
    if rows and target.source:
        made.append(store(f"{target.source.name}-rows", rows, args.out))
    if target.draw and rows:
        made.append(args.out / f"{target.name}.png")
        picture(target, rows, made[-1])
    about = args.out / f"{target.name}.json"
    about.write_text(json.dumps(provenance(target, args), indent=1) + "\n")
    print(f"written: {', '.join(path.name for path in [*made, about])} in {args.out}\n")


def picture(target: Target, rows: list[Row], path: Path) -> None:
    """Draw the figure in the book's style."""
    from matplotlib.figure import Figure

    from umlbook.book.page.figures import style

    assert target.draw is not None
    with style():
        fig = Figure(layout="constrained")
        target.draw(rows, fig)
        fig.savefig(path, dpi=150)


def provenance(target: Target, args: argparse.Namespace) -> dict[str, object]:
    """The command and the versions that made a result."""
    how = "--stored" if args.stored else "--quick" if args.quick else ""
    names = ("umlbook", "numpy", "scipy", "scikit-learn")
    return {
        "command": f"umlbook reproduce {target.name} {how}".strip(),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in names},
        "processors": os.cpu_count(),
    }
