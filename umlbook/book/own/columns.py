"""Columns of cells as numbers: decimal commas, gaps, texts, constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from umlbook.book.own.files import MISSING
from umlbook.book.own.rows import RawTable

Floats = NDArray[np.float64]

FEW = 20
"""A column of texts with at most so many different ones can be compared with clusters."""
MOSTLY = 0.9
"""Share of numbers from which a column counts as numeric; its other cells count as missing."""
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?([eE][+-]?\d+)?|[+-]?,\d+")


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    kind : str
        "numbers", "text", "constant" (one value only) or "empty".
    values : ndarray or None
        Its numbers, NaN where one is missing; None for texts.
    decimal : str
        "." or ",".
    strangers : tuple of str
        Cells that are neither numbers nor marks of a gap, in a column of numbers.
    texts : tuple of str
        The cells as they stand, for a column of texts.
    """

    name: str
    kind: str
    values: Floats | None
    decimal: str = "."
    strangers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def n_missing(self) -> int:
        """Cells without a value."""
        if self.values is None:
            return sum(is_missing(cell) for cell in self.texts)
        return int(np.isnan(self.values).sum())

    @property
    def comparable(self) -> bool:
        """Whether clusters may be compared with it: texts, few different ones."""
        return self.kind == "text" and 2 <= len(set(self.texts)) <= FEW


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a value that is not there."""
    return cell.strip().lower() in MISSING


def number(cell: str, decimal: str = ".") -> float:
    """Return a cell as a finite number, or NaN.

    Examples
    --------
    >>> number("1.234,5", ","), number("1e400"), number("high")
    (1234.5, nan, nan)
    """
    text = cell.strip()
    if decimal == ",":
        text = text.replace(".", "").replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return np.nan
    return value if np.isfinite(value) and "_" not in text else np.nan


def numbers(cells: Sequence[str], decimal: str = ".") -> Floats:
    """Return cells as finite numbers, NaN for all else; quick when all are plain numbers."""
    if decimal == "." and not any("_" in cell for cell in cells):
        try:
            values = np.array(cells, dtype=float)
        except ValueError:
            pass
        else:
            return np.where(np.isfinite(values), values, np.nan)
    return np.array([number(cell, decimal) for cell in cells])


def decimal_of(cells: Sequence[str]) -> str:
    """Return the decimal mark of a column: a comma if all its numbers can be read so.

    Examples
    --------
    >>> decimal_of(["1,5", "2", ""]), decimal_of(["1.5", "2", ""])
    (',', '.')
    """
    present = [cell.strip() for cell in cells if not is_missing(cell)]
    commas = any("," in cell for cell in present)
    matching = sum(bool(_DECIMAL_COMMA.fullmatch(cell)) for cell in present)
    return "," if commas and matching >= MOSTLY * len(present) else "."


def column(name: str, cells: Sequence[str]) -> Column:
    """Return a column with its kind found out."""
    decimal = decimal_of(cells)
    values = numbers(cells, decimal)
    gaps = np.array([is_missing(cell) for cell in cells])
    readable, present = np.isfinite(values), int(np.sum(~gaps))
    if present == 0:
        return Column(name, "empty", values)
    if readable.sum() < MOSTLY * present:
        return Column(name, "text", None, texts=tuple(cell.strip() for cell in cells))
    strangers = tuple(cells[int(i)].strip() for i in np.flatnonzero(~readable & ~gaps))
    kind = "constant" if len(set(values[readable])) == 1 else "numbers"
    return Column(name, kind, values, decimal, strangers)


def columns(table: RawTable) -> dict[str, Column]:
    """Return the columns of a table by name."""
    by_place = zip(*table.rows, strict=True)
    return {name: column(name, cells) for name, cells in zip(table.names, by_place, strict=False)}
