"""From the cells of a file to the matrix that is clustered, with every decision written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, RobustScaler, StandardScaler

from umlbook.book.own.columns import Spelling, Spoken, columns, spoken
from umlbook.book.own.files import TableError
from umlbook.book.own.frames import is_path, read_frame
from umlbook.book.own.notes import column_notes, gap_notes, reading_notes
from umlbook.book.own.raw import RawTable, Source
from umlbook.book.own.rows import read
from umlbook.book.own.using import ask, checked_names, usable_names

Floats = NDArray[np.float64]

SCALINGS: dict[str, Any] = {
    "standard": StandardScaler,  # mean 0, standard deviation 1
    "range": MinMaxScaler,  # from 0 to 1
    "robust": RobustScaler,  # median 0, interquartile range 1
    "none": FunctionTransformer,  # as measured
}
GAPS = ("drop", "median")
BLOCK = 5000
"""Rows that are labelled at once when a file is too large to be held."""
NO_CLUSTER = -1
"""The label of a row that has none: a value is missing in it, or it is no row of the table."""


@dataclass(frozen=True)
class Prepared:
    """A matrix to be clustered, and how it came to be.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The chosen columns, gaps dealt with, scaled.
    rows : ndarray of shape (n,)
        The number in the file of each row of `X`; 1 is the first one under the names.
    names : tuple of str
        The columns of `X`.
    notes : tuple of str
        What was left out, filled in or sampled, a sentence each.
    texts : dict of str to ndarray
        Columns of texts that clusters may be compared with, never used for fitting.
    n_rows : int
        Rows of the file.
    sampled : bool
        Whether `X` holds a part of them only.
    share_dropped : float
        Share of the rows that were read but left out: a value is missing, or too many or too few.
    unused : tuple of str
        Columns of numbers that were left out though they vary, because most values are missing.
    source : Source
        The file or data frame.
    """

    source: Source
    X: Floats
    rows: NDArray[np.int64]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    texts: dict[str, NDArray[np.str_]]
    n_rows: int
    sampled: bool
    share_dropped: float
    unused: tuple[str, ...]
    said: Spoken
    header: int | None
    _table: RawTable
    _places: tuple[int, ...]
    _spellings: tuple[Spelling, ...]
    _fill: Floats | None
    _scaler: Any

    @property
    def name(self) -> str:
        """What the file is called in sentences."""
        return self.source.name

    @property
    def path(self) -> Path:
        """The path of the file; its name alone if there is none."""
        return Path(getattr(self.source, "path", self.source.name))

    def scaled(self, numbers: Sequence[int], rows: list[list[str]]) -> Floats:
        """Return the chosen cells of rows as scaled numbers; NaN all along a row that has gaps."""
        width = len(self._table.names)
        blank = [""] * width
        usable = [
            row if len(row) == width and number not in self._table.without else blank
            for number, row in zip(numbers, rows, strict=True)
        ]
        chosen = zip(self._places, self._spellings, strict=True)
        values = np.column_stack([s.numbers([row[j] for row in usable]) for j, s in chosen])
        there = ~np.isnan(values)
        if self._fill is not None:
            values = np.where(there, values, self._fill)
            values[~there.any(axis=1)] = np.nan  # nothing to begin with
        complete = ~np.isnan(values).any(axis=1)
        values[~complete] = np.nan
        if complete.any():
            values[complete] = self._scaler.transform(values[complete])
        return np.asarray(values)

    def unscaled(self) -> Floats:
        """Return the rows of `X` in the units of the file."""
        return np.asarray(self._scaler.inverse_transform(self.X))

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Yield numbers and scaled values of the file's rows, a block at a time, gaps as NaN."""
        for numbers, rows in self.source.blocks(BLOCK):
            yield np.array(numbers), self.scaled(numbers, rows)

    def labelled_blocks(self, model: Any) -> Iterator[tuple[NDArray[np.int64], NDArray[np.intp]]]:
        """Yield numbers and labels of the file's rows, a block at a time, by `model.predict`."""
        for rows, values in self.blocks():
            yield rows, predicted(model, values)

    def labels(self, model: Any) -> NDArray[np.intp]:
        """Return the cluster of every row of the file; -1 for a row with a missing value."""
        if self.sampled:
            return np.concatenate([labels for _, labels in self.labelled_blocks(model)])
        labels = np.full(self.n_rows, NO_CLUSTER)
        labels[self.rows - 1] = model.labels_
        return labels


def predicted(model: Any, values: Floats) -> NDArray[np.intp]:
    """Return the clusters of scaled rows by `model.predict`; -1 for rows with gaps."""
    labels = np.full(len(values), NO_CLUSTER)
    complete = ~np.isnan(values).any(axis=1)
    if complete.any():
        labels[complete] = model.predict(values[complete])
    return labels


def prepared(
    table: Any,
    columns: Sequence[str] | None = None,
    *,
    scaling: str = "standard",
    missing: str = "drop",
    decimal: str | None = None,
    thousands: str | None = None,
    header: int | None = None,
    missing_values: Sequence[object] | None = None,
    without: str | None = None,
    max_rows: int = 2000,
    seed: int = 0,
) -> Prepared:
    """Return the matrix in a file or a data frame, ready for an estimator.

    Parameters
    ----------
    table : str, Path, data frame, dictionary of columns, or array
        A text file of rows; a data frame of pandas or polars; or rows and columns in memory.
    columns : sequence of str, optional
        The columns to use; by default all that hold varying numbers that measure something, at
        least half of them there.
    scaling : {"standard", "range", "robust", "none"}
        What makes the columns comparable.
    missing : {"drop", "median"}
        Leave out rows with a gap, or fill it with the median of its column.
    decimal : {".", ","}, optional
        The decimal mark, where the file leaves it open.
    thousands : {",", ".", " ", "'"}, optional
        What stands between groups of three; the decimal mark is then the other of "." and ",".
    header : int, optional
        The line of the names, counted from 1; 0 if there are none.
    missing_values : sequence, optional
        Cells that stand for a gap, beside "", "NA", "?" and the like. By default numbers such as
        -999 do too, where they stand far from all others; an empty list keeps these as numbers.
    without : str, optional
        A column that is not used unless it is named in `columns`.
    max_rows, seed : int
        A larger file is sampled.

    Returns
    -------
    Prepared
        ``X`` for ``fit``; ``labels(model)`` for the cluster of every row of the file.

    Raises
    ------
    TableError
        If there is nothing that could be clustered so; the message says what to do.
    TableQuestion
        If the file can be read in several ways; the message says how to say which.
    TypeError
        If `table` is none of these.
    """
    _choice("scaling", scaling, SCALINGS)
    _choice("missing", missing, GAPS)
    said = spoken(decimal, thousands, missing_values)
    raw = (
        read(table, max_rows, seed, header) if is_path(table) else read_frame(table, max_rows, seed)
    )
    return from_table(raw, columns, scaling, missing, said, header, without)


def from_table(
    table: RawTable, chosen: Sequence[str] | None, scaling: str, missing: str,
    said: Spoken | None = None, header: int | None = None, without: str | None = None,
) -> Prepared:  # fmt: skip
    """Return the matrix in a table that was read; see `prepared`."""
    file, said = table.source.name, said or Spoken()
    found = columns(table, said)
    if len(table.rows) < 2:
        count = "names but no rows" if not table.rows else "one row only"
        raise TableError(f"{file} has {count}: there is nothing to cluster")
    names = (
        checked_names(found, chosen) if chosen is not None else usable_names(file, found, without)
    )
    ask(file, [found[name] for name in names])
    used = [found[name] for name in names]
    raw = np.column_stack([values for col in used if (values := col.values) is not None])
    fill = np.nanmedian(raw, axis=0) if missing == "median" else None
    there = ~np.isnan(raw)
    kept = there.all(axis=1) if fill is None else there.any(axis=1)
    if not kept.any():
        raise TableError(
            f"{file}: every row misses a value in the chosen columns; fill gaps by the "
            'median (missing="median"), or choose fewer columns'
        )
    filled = raw[kept] if fill is None else np.where(there, raw, fill)[kept]
    scaler = SCALINGS[scaling]().fit(filled)
    unused = [n for n, col in found.items() if n not in (*names, without)
              and (col.kind == "numbers" or (col.kind == "text" and col.remarks))]  # fmt: skip
    notes = [*reading_notes(table), *column_notes(found, names), *gap_notes(used, raw, missing)]
    return Prepared(
        table.source, np.asarray(scaler.transform(filled)),
        np.array(table.numbers)[kept], names, tuple(notes),
        {c.name: np.array(c.texts)[kept] for c in found.values()
         if c.comparable and c.name not in names},
        table.n_rows, table.sampled or not table.whole,
        1 - float(kept.sum()) / (len(raw) + table.n_ragged),
        tuple(unused) if chosen is None else (), said, header, table,
        tuple(table.names.index(name) for name in names),
        tuple(col.spelling for col in used), fill, scaler,
    )  # fmt: skip


def _choice(name: str, given: str, known: Any) -> None:
    if given not in known:
        raise TableError(f"{name} is {given!r}: choose one of {', '.join(known)}")


def check_clusters(data: Prepared, n_clusters: int) -> None:
    """Raise `TableError` if a table cannot have so many clusters."""
    different = len(np.unique(data.X, axis=0))
    if isinstance(n_clusters, bool) or not isinstance(n_clusters, int | np.integer):
        raise TableError(f"n_clusters is {n_clusters!r}: a whole number, two or more, is wanted")
    if n_clusters < 2:
        raise TableError(f"n_clusters is {n_clusters}: two or more are wanted")
    if different <= n_clusters:
        raise TableError(
            f"{data.name} has {different} different rows without gaps for {n_clusters} "
            "clusters: more rows than clusters are wanted; lower n_clusters, or fill gaps "
            '(missing="median")'
        )


def check_comparison(data: Prepared, name: str | None) -> None:
    """Raise `TableError` if clusters cannot be compared with a column."""
    if name is not None and name in data.names:
        raise TableError(
            f"compare_with is {name!r}, which is in columns too: use it for one of both"
        )
    if name is not None and name not in data.texts:
        known = ", ".join(data.texts) or "none"
        raise TableError(
            f"compare_with is {name!r}: a column of 2 to 20 different texts or whole numbers is "
            f"wanted; the file has {known}"
        )
