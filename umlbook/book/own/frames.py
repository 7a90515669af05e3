"""Tables that are in memory already: data frames of pandas or polars, dictionaries, arrays.

Neither library is imported: a data frame is what has ``columns`` and gives a column by its place
or name. Its cells become texts, as they would stand in a file, and go the same way from there.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from umlbook.book.own.files import TableError
from umlbook.book.own.raw import RawTable
from umlbook.book.own.rows import unique_names

WANTED = (
    "the path of a text file, a data frame of pandas or polars, a dictionary of columns, or an "
    "array of rows and columns"
)


@dataclass(frozen=True)
class Frame:
    """The cells of a table in memory, as texts."""

    name: str
    given: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    how: str = ""
    delimiter: str = ""

    def rows(self, places: Sequence[int]) -> list[list[str]]:
        """Return the cells of some rows."""
        return [[column[i] for column in self.columns] for i in places]

    def blocks(self, size: int) -> Iterator[tuple[list[int], list[list[str]]]]:
        """Yield numbers and cells of the rows, a block at a time."""
        total = len(self.columns[0])
        for start in range(0, total, size):
            places = range(start, min(start + size, total))
            yield [i + 1 for i in places], self.rows(places)


def is_path(table: object) -> bool:
    """Return whether a table is given as the path of a file."""
    return isinstance(table, str | Path)


def columns_in(table: Any) -> list[tuple[str, list[Any]]]:
    """Return names and values of the columns of a table in memory, or raise `TypeError`."""
    if isinstance(table, Mapping):
        return [(str(name), list(values)) for name, values in table.items()]
    if hasattr(table, "columns") and hasattr(table, "iloc"):  # pandas; a name may stand twice
        return [(str(n), list(table.iloc[:, j])) for j, n in enumerate(table.columns)]
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        return [(str(name), list(table[name])) for name in table.columns]
    if isinstance(table, np.ndarray | list | tuple):
        array = np.asarray(table, dtype=object) if isinstance(table, np.ndarray) else _rows(table)
        if array is not None and array.ndim == 2:
            return [("", list(array[:, j])) for j in range(array.shape[1])]
    shape = f" of shape {table.shape}" if isinstance(table, np.ndarray) else ""
    raise TypeError(f"table is a {type(table).__name__}{shape}: {WANTED} is wanted")


def _rows(table: Sequence[Any]) -> Any:
    """Rows of equal length as an array; None if it is something else."""
    if not table or not all(isinstance(row, list | tuple | np.ndarray) for row in table):
        return None
    if len({len(row) for row in table}) > 1 or not len(table[0]):
        return None
    array = np.empty((len(table), len(table[0])), dtype=object)
    for i, row in enumerate(table):
        array[i] = list(row)
    return array


def text(value: Any) -> str:
    """Return a value as it would stand in a file; empty for one that is missing.

    Examples
    --------
    >>> [text(value) for value in (1.5, 3, True, None, float("nan"), np.float64(0.1), "1,200")]
    ['1.5', '3', 'True', '', '', '0.1', '1,200']
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, str):
        return value
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else str(value)
    return str(value)


def is_typed(value: Any) -> bool:
    """Return whether a value is a number by type, and no truth value."""
    return isinstance(value, numbers.Number) and not isinstance(value, bool | np.bool_)


def read_frame(table: Any, max_rows: int = 2000, seed: int = 0) -> RawTable:
    """Return a table in memory as one that was read from a file; see `rows.read`."""
    given = columns_in(table)
    if not given or not given[0][1]:
        raise TableError("table has no rows or no columns: there is nothing to cluster")
    lengths = {len(values) for _, values in given}
    if len(lengths) > 1:
        raise TableError(
            f"table has columns of {sorted(lengths)} values: they must be equally long"
        )
    raw = tuple(name for name, _ in given) if any(name for name, _ in given) else ()
    names, renamed = unique_names([name for name, _ in given])
    kind = type(table)
    how = f"a {kind.__module__.split('.')[0]} {kind.__name__}".replace("builtins ", "")
    cells = tuple(tuple(map(text, values)) for _, values in given)
    frame = Frame("table", raw, cells, how)
    (total,) = lengths
    places = np.arange(total)
    if total > max_rows:
        places = np.sort(np.random.default_rng(seed).choice(total, max_rows, replace=False))
    present = [[v for v in values if text(v)] for _, values in given]
    return RawTable(
        names,
        rows=tuple(frame.rows(places.tolist())),
        numbers=tuple((places + 1).tolist()),
        n_rows=total,
        n_ragged=0,
        whole=True,
        renamed=renamed if raw else (),
        source=frame,
        typed=tuple(bool(values) and all(map(is_typed, values)) for values in present),
    )
