"""Grids of independent cells: run them, keep each result as it comes, go on after any stop.

A cell is plain data (a dict of names and numbers, its seed among them), the work a function that
turns a cell into rows. `run` appends one line to a file for every cell that is done, before it
takes up the next: whatever ends it (Ctrl-C, ``kill -9``, a full disk), the next `run` with the same
file computes only what is missing. A cell that fails is recorded with its error and tried again by
the next run; it does not end this one.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from umlbook._browser import in_browser, needs_a_computer
from umlbook.experiments.engine.storage import Row

Cell = dict[str, Any]
Work = Callable[[Cell], Iterable[Mapping[str, Any]]]

DASK_SECONDS = 60  # for a scheduler, and for its first worker, to answer


@dataclass(frozen=True)
class Record:
    """What one cell gave: its rows, or the error that it ended with."""

    cell: Cell
    rows: list[Row] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0


class NotARecordFileError(ValueError):
    """A file that `run` did not write."""


def cell_key(cell: Mapping[str, Any]) -> str:
    """The cell as text: equal cells have equal keys, in whatever order they were written.

    >>> cell_key({"seed": 0, "data": "wine"}) == cell_key({"data": "wine", "seed": 0})
    True
    """
    return json.dumps(cell, sort_keys=True, ensure_ascii=False)


def attempt(work: Work, cell: Cell) -> Record:
    """Do one cell; an exception becomes a part of the record."""
    start = time.perf_counter()
    try:
        # one thread: the same sums in this process, in another one and on a cluster
        with threadpool_limits(1):
            rows, error = [dict(row) for row in work(cell)], ""
    except Exception as caught:
        rows, error = [], f"{type(caught).__name__}: {caught}"
    return Record(cell, rows, error, round(time.perf_counter() - start, 3))


# ------------------------------------------------------------------------------------ the file


def read_records(path: Path) -> list[Record]:
    """The records of a file, the last one for each cell; a torn last line is left out."""
    return list(_read(path)[0].values())


def _read(path: Path) -> tuple[dict[str, Record], int]:
    """Records by key, and how many bytes of the file are whole lines."""
    found: dict[str, Record] = {}
    whole = 0
    if path.exists():
        for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                break  # the run was cut while it wrote this one
            try:
                record = Record(**json.loads(line))
                found[cell_key(record.cell)] = record
            except (ValueError, TypeError):
                raise NotARecordFileError(
                    f"{path}, line {number}, is not a result that umlbook wrote: "
                    "move the file away, or choose another folder"
                ) from None
            whole += len(line)
    return found, whole


@contextlib.contextmanager
def _opened(path: Path, whole: int) -> Iterator[IO[bytes]]:
    """The file, open for appending after its last whole line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.truncate(whole)
        yield file


def _append(file: IO[bytes], record: Record) -> None:
    """Write one line and wait until the disk has it."""
    file.write((json.dumps(asdict(record), ensure_ascii=False) + "\n").encode())
    file.flush()
    os.fsync(file.fileno())


def cells_of_rows(cells: Iterable[Cell], rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each cell that has any, by the cell's key.

    A row belongs to a cell if it has all its settings, compared as text, since a CSV file does not
    say whether 123 is a name. If several cells would do, it is the one with the most settings.

    >>> cells_of_rows([{"seed": 0}, {"seed": 1}], [{"seed": 1, "score": 0.5}])
    {'{"seed": 1}': [{'seed': 1, 'score': 0.5}]}
    """
    by_settings: dict[tuple[str, ...], dict[tuple[str, ...], str]] = {}
    for cell in cells:
        settings = tuple(sorted(cell))
        texts = tuple(str(cell[s]) for s in settings)
        by_settings.setdefault(settings, {})[texts] = cell_key(cell)
    found: dict[str, list[Row]] = {}
    for row in rows:
        for settings in sorted(by_settings, key=len, reverse=True):
            texts = tuple(str(row.get(s, "")) for s in settings)
            if texts in by_settings[settings]:
                found.setdefault(by_settings[settings][texts], []).append(row)
                break
    return found


# ------------------------------------------------------------------------------------- the run


def run(
    work: Work,
    cells: Iterable[Cell],
    path: Path | None = None,
    *,
    jobs: int = 1,
    dask: str | None = None,
    title: str = "",
    known: Iterable[Row] = (),
) -> list[Record]:
    """Do every cell that the file does not have yet, and return the records of all of them.

    Parameters
    ----------
    work : callable
        From a cell to its rows; a function of a module, so that other processes can import it.
    cells : iterable of dict
        Plain data: text, numbers, booleans, None, lists of these.
    path : Path, optional
        The file that keeps the records; without it nothing is kept.
    jobs : int
        Processes; with -1 one for each core.
    dask : str, optional
        Address of a scheduler, such as ``"tcp://127.0.0.1:8786"``: the cells go to its workers.
    title : str
        Stands before the progress bar, which is drawn when a terminal is there to see it.
    known : iterable of dict
        Rows of an earlier run; a cell whose settings are all in some of them is not done again
        (`cells_of_rows`). A record in the file goes before them.

    Returns
    -------
    list of Record
        In the order of the cells.

    Examples
    --------
    >>> records = run(lambda cell: [{"square": cell["x"] ** 2}], [{"x": 2}, {"x": 3}])
    >>> [record.rows for record in records]
    [[{'square': 4}], [{'square': 9}]]
    """
    wanted = {cell_key(cell): cell for cell in cells}
    found, whole = _read(path) if path else ({}, 0)
    for key, rows in cells_of_rows(wanted.values(), known).items():
        if key not in found or found[key].error:
            found[key] = Record(wanted[key], rows)
    missing = [cell for key, cell in wanted.items() if key not in found or found[key].error]
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(_opened(path, whole)) if path and missing else None
        bar = stack.enter_context(
            tqdm(total=len(wanted), initial=len(wanted) - len(missing), desc=title, disable=None)
        )
        for record in stack.enter_context(
            contextlib.closing(_attempts(work, missing, jobs, dask if missing else None))
        ):
            if file:
                _append(file, record)
            found[cell_key(record.cell)] = record
            bar.update()
    return [found[key] for key in wanted]


def _attempts(
    work: Work, cells: list[Cell], jobs: int, dask: str | None
) -> Generator[Record, None, None]:
    """The records as they come."""
    if dask is None and (jobs == 1 or len(cells) < 2):
        yield from (attempt(work, cell) for cell in cells)
        return
    if in_browser():
        raise OSError(needs_a_computer("a grid with jobs or dask"))
    with _dask_backend(dask) if dask else contextlib.nullcontext():
        parallel = Parallel(n_jobs=-1 if dask else jobs, return_as="generator_unordered")
        yield from parallel(delayed(attempt)(work, cell) for cell in cells)


@contextlib.contextmanager
def _dask_backend(address: str) -> Iterator[None]:
    """Send joblib's work to the cluster at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(
            'dask is not installed: pip install "umlbook[dask]", or leave out --dask'
        ) from None
    try:
        client = Client(address, timeout=f"{DASK_SECONDS}s")
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no dask scheduler answers at {address!r}: start one with `dask scheduler` and "
            "workers with `dask worker ADDRESS`"
        ) from error
    with client, parallel_config("dask", wait_for_workers_timeout=DASK_SECONDS):
        yield
