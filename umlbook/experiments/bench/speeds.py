"""``umlbook bench``: what the package's work costs beside a naive or a rival way to do it.

Ratios are those of processor time with one thread: they hold on a busy machine, too.

A benchmark is a module ``umlbook/experiments/bench/NAME.py`` with a one-line docstring and a
generator ``rows()`` of `Speed`; putting the file there is all the registration it needs.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

from threadpoolctl import threadpool_limits

import umlbook.experiments.bench


@dataclass(frozen=True)
class Seconds:
    """What a task took: time of the processor, and time on the clock."""

    processor: float
    clock: float

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.processor + other.processor, self.clock + other.clock)

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.processor - other.processor, self.clock - other.clock)

    def __mul__(self, times: float) -> Seconds:
        return Seconds(self.processor * times, self.clock * times)


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
        What the two took.
    bar
        How many times as long the peer has to take, where that was promised.
    """

    what: str
    size: str
    peer: Seconds
    ours: Seconds
    bar: float | None = None

    @property
    def times(self) -> float:
        """Processor seconds of the peer's for one of ours."""
        return self.peer.processor / self.ours.processor


def seconds_of(task: Callable[[], object]) -> Seconds:
    """What a task takes with one thread, the processes that it starts and awaits included."""
    with threadpool_limits(1):  # threads that wait for one another count as processor time
        begun = Seconds(_processor_seconds(), time.perf_counter())
        task()
        return Seconds(_processor_seconds(), time.perf_counter()) - begun


def _processor_seconds() -> float:
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def interleaved_medians(*tasks: Callable[[], object], repeats: int = 7) -> list[Seconds]:
    """Return the median seconds of each task.

    The tasks take turns, so that a machine that grows slow or busy is so for all of them; a first
    round, not counted, warms the caches.
    """
    taken: list[list[Seconds]] = [[] for _ in tasks]
    for _ in range(repeats + 1):
        for task, times in zip(tasks, taken, strict=True):
            times.append(seconds_of(task))
    return [
        Seconds(
            statistics.median(one.processor for one in times[1:]),
            statistics.median(one.clock for one in times[1:]),
        )
        for times in taken
    ]


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
    """Yield the table line by line, as the rows come: processor time, and clock time behind it.

    Examples
    --------
    >>> peer, ours = Seconds(2e-3, 4e-3), Seconds(1e-3, 1.5e-3)
    >>> _, line = table([Speed("sort a list", "n=1000", peer, ours, bar=3)])
    >>> " ".join(line.split())
    'sort a list n=1000 2.000 (4.000) 1.000 (1.500) 2.0, below 3'
    """
    yield f"{'what':<48} {'size':<14} {'peer ms (clock)':>19} {'ours ms (clock)':>18} {'times':>7}"
    for row in lines:
        peer, ours = (f"{_milliseconds(t)}" for t in (row.peer, row.ours))
        line = f"{row.what:<48} {row.size:<14} {peer:>19} {ours:>18} {row.times:>7.1f}"
        if row.bar is not None:
            line += f", {'at least' if row.times >= row.bar else 'below'} {row.bar:g}"
        yield line


def _milliseconds(taken: Seconds) -> str:
    return f"{1e3 * taken.processor:.3f} ({1e3 * taken.clock:.3f})"


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
