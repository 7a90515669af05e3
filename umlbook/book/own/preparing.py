"""From the cells of a file to the matrix that is clustered, with every decision written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, RobustScaler, StandardScaler

from umlbook.book.own.columns import Column, columns, numbers
from umlbook.book.own.files import Dialect, TableError
from umlbook.book.own.rows import RawTable, cut, file_lines, read

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
        Share of the rows that were read but left out, because a value is missing.
    """

    path: Path
    X: Floats
    rows: NDArray[np.int64]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    texts: dict[str, NDArray[np.str_]]
    n_rows: int
    sampled: bool
    share_dropped: float
    dialect: Dialect
    _width: int
    _places: tuple[int, ...]
    _decimals: tuple[str, ...]
    _fill: Floats | None
    _scaler: Any

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Yield numbers and scaled values of the file's rows, a block at a time, gaps as NaN."""
        lines = file_lines(self.path, self.dialect)
        while block := list(islice(lines, BLOCK)):
            values = self._numbers(cut(block, self.dialect))
            if self._fill is not None:
                values = np.where(np.isnan(values), self._fill, values)
            complete = ~np.isnan(values).any(axis=1)
            if complete.any():
                values[complete] = self._scaler.transform(values[complete])
            yield np.array([line.number for line in block]), values

    def _numbers(self, rows: list[list[str]]) -> Floats:
        """The chosen cells as numbers; a row of another length has none."""
        blank = [""] * self._width
        cells = [row if len(row) == self._width else blank for row in rows]
        chosen = zip(self._places, self._decimals, strict=True)
        return np.column_stack(
            [numbers([row[place] for row in cells], decimal) for place, decimal in chosen]
        )

    def labelled_blocks(self, model: Any) -> Iterator[tuple[NDArray[np.int64], NDArray[np.intp]]]:
        """Yield numbers and labels of the file's rows, a block at a time, by `model.predict`."""
        for rows, values in self.blocks():
            labels = np.full(len(rows), NO_CLUSTER)
            complete = ~np.isnan(values).any(axis=1)
            if complete.any():
                labels[complete] = model.predict(values[complete])
            yield rows, labels

    def labels(self, model: Any) -> NDArray[np.intp]:
        """Return the cluster of every row of the file; -1 for a row with a missing value."""
        if self.sampled:
            return np.concatenate([labels for _, labels in self.labelled_blocks(model)])
        labels = np.full(self.n_rows, NO_CLUSTER)
        labels[self.rows - 1] = model.labels_
        return labels


def prepared(
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    scaling: str = "standard",
    missing: str = "drop",
    max_rows: int = 2000,
    seed: int = 0,
) -> Prepared:
    """Return the matrix in a file, ready for an estimator.

    Parameters
    ----------
    path : str or Path
        A text file of rows.
    columns : sequence of str, optional
        The columns to use; by default all that hold varying numbers, at least half of them there.
    scaling : {"standard", "range", "robust", "none"}
        What makes the columns comparable.
    missing : {"drop", "median"}
        Leave out rows with a gap, or fill it with the median of its column.
    max_rows, seed : int
        A larger file is sampled.

    Returns
    -------
    Prepared
        ``X`` for ``fit``; ``labels(model)`` for the cluster of every row of the file.
    """
    _choice("scaling", scaling, SCALINGS)
    _choice("missing", missing, GAPS)
    table = read(path, max_rows, seed)
    return from_table(Path(path).expanduser(), table, columns, scaling, missing)


def from_table(
    path: Path, table: RawTable, chosen: Sequence[str] | None, scaling: str, missing: str
) -> Prepared:
    """Return the matrix in a table that was read; see `prepared`."""
    found = columns(table)
    if len(table.rows) < 2:
        count = "names but no rows" if not table.rows else "one row only"
        raise TableError(f"{path.name} has {count}: there is nothing to cluster")
    names = usable_names(path.name, found) if chosen is None else checked_names(found, chosen)
    used = [found[name] for name in names]
    raw = np.column_stack([values for col in used if (values := col.values) is not None])
    complete = ~np.isnan(raw).any(axis=1)
    fill = np.nanmedian(raw, axis=0) if missing == "median" else None
    kept = np.ones(len(raw), bool) if missing == "median" else complete
    if not kept.any():
        raise TableError(
            f"{path.name}: every row misses a value in the chosen columns; fill gaps by the "
            'median (missing="median"), or choose fewer columns'
        )
    filled = raw[kept] if fill is None else np.where(np.isnan(raw), fill, raw)
    scaler = SCALINGS[scaling]().fit(filled)
    notes = [*reading_notes(table), *column_notes(found, names)]
    notes += gap_notes(used, raw, missing)
    texts = {c.name: np.array(c.texts)[kept] for c in found.values() if c.comparable}
    return Prepared(
        path, np.asarray(scaler.transform(filled)),
        np.array(table.numbers)[kept], names, tuple(notes), texts,
        table.n_rows, table.sampled or not table.whole, float(1 - kept.mean()), table.dialect,
        len(table.names), tuple(table.names.index(name) for name in names),
        tuple(col.decimal for col in used), fill, scaler,
    )  # fmt: skip


def _choice(name: str, given: str, known: Any) -> None:
    if given not in known:
        raise TableError(f"{name} is {given!r}: choose one of {', '.join(known)}")


def usable_names(file: str, found: dict[str, Column]) -> tuple[str, ...]:
    """Return the columns that are used by default: varying numbers, half of them or more there."""
    names = tuple(
        name for name, col in found.items()
        if col.kind == "numbers" and col.values is not None
        and col.n_missing <= len(col.values) / 2
    )  # fmt: skip
    if not names:
        kinds = ", ".join(f"{name} ({col.kind})" for name, col in list(found.items())[:8])
        raise TableError(
            f"{file} has no column of varying numbers (found: {kinds}): a metric needs numbers; "
            "if there should be some, look at the delimiter and the decimal mark"
        )
    return names


def checked_names(found: dict[str, Column], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the chosen names if they can be used, or say which cannot, and why."""
    if isinstance(chosen, str) or not len(chosen):
        raise TableError(f"columns is {chosen!r}: give a list with at least one name")
    for name in chosen:
        if name not in found:
            raise TableError(f"there is no column {name!r}: the file has {', '.join(found)}")
        if found[name].kind == "text":
            raise TableError(
                f"column {name!r} holds texts such as {found[name].texts[0]!r}: a metric needs "
                "numbers; leave it out, or give it as compare_with"
            )
        if found[name].kind != "numbers":
            raise TableError(
                f"column {name!r} is {found[name].kind}: it says nothing, leave it out"
            )
    return tuple(dict.fromkeys(chosen))


def reading_notes(table: RawTable) -> list[str]:
    """Return what is to be said about the reading of the file."""
    notes = [f"{table.n_rows:,} rows, {len(table.names)} columns, {table.dialect}."]
    if not table.whole:
        notes = [f"The first {table.n_rows:,} rows were looked at, the file has more."]
    if table.sampled:
        notes.append(
            f"A random {len(table.rows):,} of these rows were used for learning; "
            "the others get the cluster that the learned metric puts them in."
        )
    if table.n_ragged:
        notes.append(f"{_counted(table.n_ragged, 'row')} of another length left out.")
    if table.renamed:
        notes.append(f"Names made up, because missing or taken: {', '.join(table.renamed)}.")
    return notes


def column_notes(found: dict[str, Column], names: Sequence[str]) -> list[str]:
    """Return which columns were left out and why, and what was read in an unusual way."""
    notes = []
    reasons = {
        "text": "Text, left out",
        "constant": "The same value in every row, left out",
        "empty": "Without any value, left out",
        "numbers": "Numbers, not used",
    }
    for kind, words in reasons.items():
        out = [n for n, col in found.items() if col.kind == kind and n not in names]
        if out:
            notes.append(f"{words}: {', '.join(out)}.")
    if any(found[name].decimal == "," for name in names):
        notes.append("Decimal commas were read as decimal points.")
    for name in names:
        strangers = found[name].strangers
        if strangers:
            cells = _counted(len(strangers), "cell")
            notes.append(f"{cells} of {name} no number ({strangers[0]!r}), taken as missing.")
    return notes


def gap_notes(used: Sequence[Column], raw: Floats, missing: str) -> list[str]:
    """Return how many values are missing in each column, and what was done about it."""
    gaps = {col.name: col.n_missing for col in used if col.n_missing}
    if not gaps:
        return []
    counts = ", ".join(f"{name} {count}" for name, count in gaps.items())
    incomplete = int(np.isnan(raw).any(axis=1).sum())
    done = (
        f"{_counted(incomplete, 'row')} left out."
        if missing == "drop"
        else "filled with the median of the column."
    )
    return [f"Missing values: {counts}; {done}"]


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"
