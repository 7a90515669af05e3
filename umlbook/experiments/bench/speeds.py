"""``umlbook bench``: what the package's work costs beside a naive or a rival way to do it.

A benchmark is a module ``umlbook/experiments/bench/NAME.py`` with a one-line docstring and a
generator ``rows()`` of `Speed`; putting the file there is all the registration it needs.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

import umlbook.experiments.bench


@dataclass(frozen=True)
class Speed:
    """One line of the table: the same work done by the peer and by the package.

    Parameters
    ----------
    what
        The work, and in words what the peer is.
    size
        The size of the data, such as ``"n=2000, K=10"``.
    peer, ours
        Seconds.
    """

    what: str
    size: str
    peer: float
    ours: float

    @property
    def ratio(self) -> float:
        """Our seconds for one second of the peer's."""
        return self.ours / self.peer


def interleaved_medians(*tasks: Callable[[], object], repeats: int = 7) -> list[float]:
    """Return the median seconds of each task.

    The tasks take turns, so that a machine that grows slow or busy is so for all of them; a first
    round, not counted, warms the caches.
    """
    seconds: list[list[float]] = [[] for _ in tasks]
    for _ in range(repeats + 1):
        for task, times in zip(tasks, seconds, strict=True):
            start = time.perf_counter()
            task()
            times.append(time.perf_counter() - start)
    return [statistics.median(times[1:]) for times in seconds]


def names() -> list[str]:
    """Return the names of all benchmarks.

    Examples
    --------
    >>> "imports" in names()
    True
    """
    found = pkgutil.iter_modules(umlbook.experiments.bench.__path__)
    return sorted(m.name.replace("_", "-") for m in found if m.name != __name__.split(".")[-1])


def rows(name: str) -> Iterator[Speed]:
    """Run one benchmark and yield its rows."""
    yield from _module(name).rows()


def summary(name: str) -> str:
    """Return the first line of a benchmark's docstring."""
    return (_module(name).__doc__ or "").strip().partition("\n")[0]


def table(lines: Iterable[Speed]) -> Iterator[str]:
    """Yield the table line by line, as the rows come.

    Examples
    --------
    >>> for line in table([Speed("sort a list", "n=1000", peer=2e-4, ours=1e-4)]):
    ...     print(line)
    what                                             size                  peer        ours  ratio
    sort a list                                      n=1000            0.200 ms    0.100 ms   0.50
    """
    yield f"{'what':<48} {'size':<14} {'peer':>11} {'ours':>11} {'ratio':>6}"
    for row in lines:
        peer, ours = (f"{1e3 * seconds:.3f} ms" for seconds in (row.peer, row.ours))
        yield f"{row.what:<48} {row.size:<14} {peer:>11} {ours:>11} {row.ratio:>6.2f}"


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"umlbook.experiments.bench.{name.replace('-', '_')}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of the benchmarks and ``--list``."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="which to run (default: all)")
    parser.add_argument("--list", action="store_true", help="list what there is and run nothing")


def run(args: argparse.Namespace) -> int:
    """Print the table, or the list of benchmarks."""
    known = names()
    unknown = sorted(set(args.names) - set(known))
    if unknown:
        print(
            f"umlbook bench: no benchmark named {', '.join(unknown)}: "
            f"choose from {', '.join(known)}",
            file=sys.stderr,
        )
        return 2
    if args.list:
        for name in known:
            print(f"{name:<16} {summary(name)}")
        return 0
    for line in table(row for name in args.names or known for row in rows(name)):
        print(line, flush=True)
    return 0
