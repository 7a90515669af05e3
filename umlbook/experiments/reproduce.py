"""``umlbook reproduce``: compute the papers' tables again, and store them as CSV.

An experiment is a module with ``tables(quick) -> {name: rows}``. One that also has
``resume(folder) -> {name: rows}`` appends to its file as it goes, so that a run that was stopped
goes on where it stood; one that has ``beside_print(rows)`` sets the printed cells beside ours.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from umlbook.experiments.cpcm import store

Row = dict[str, Any]

EXPERIMENTS = {
    "cpcm-tables": ("umlbook.experiments.cpcm", "success rates of Figs. 1 and 2, and Table 1"),
    "cpd-tables": ("umlbook.experiments.cpd", "Tables 1 to 3 of CPD-UML (resumes where it stood)"),
    "naml-tables": ("umlbook.experiments.naml", "Tables 3 to 5 and Figs. 1 and 2 of NAML"),
}


def reproduced(module: ModuleType, folder: Path, quick: bool) -> Mapping[str, Sequence[Row]]:
    """The tables of one experiment, stored in the folder."""
    if not quick and hasattr(module, "resume"):
        resumed: Mapping[str, Sequence[Row]] = module.resume(folder)
        return resumed
    tables: Mapping[str, Sequence[Row]] = module.tables(quick)
    for name, rows in tables.items():
        store(name, list(rows), folder)
    return tables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of the experiments and where their results go."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="which tables to compute")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours: few runs")
    parser.add_argument(
        "--out", type=Path, default=Path("umlbook-results"), help="folder for the CSV files"
    )


def run(args: argparse.Namespace) -> int:
    """Compute and store the tables that were named, or list what there is."""
    unknown = sorted(set(args.names) - set(EXPERIMENTS))
    if unknown or not (args.names or args.list):
        said = f"no tables named {', '.join(unknown)}" if unknown else "name the tables to compute"
        print(f"umlbook reproduce: {said}: {', '.join(EXPERIMENTS)}", file=sys.stderr)
        return 2
    if args.list:
        for name, (_, what) in EXPERIMENTS.items():
            print(f"{name:<14} {what}")
        return 0
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.names:
        module = import_module(EXPERIMENTS[name][0])
        for table, rows in reproduced(module, args.out, args.quick).items():
            print(f"{args.out / table}.csv: {len(rows)} rows")
            for line in getattr(module, "beside_print", lambda _: ())(rows):
                print(line)
    return 0
