"""Tables that a reader sees as HTML and a notebook test compares as aligned plain text.

Only what mathematics fixes may be stored: every number is rounded relative to the largest of its
column, so that the noise of the last bits never reaches the page, and ``-0.0`` becomes ``0.0``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from numbers import Integral, Real
from typing import TypeGuard, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Cell = object
"""Anything that can stand in a table: a number, a truth value, a text, or ``None`` for a gap."""

NOISE = 1e-12
"""A column whose largest entry is below this is rounding noise and prints as zeros."""
_ALIGNED = 'style="text-align:{}"'


@overload
def rounded(x: float, digits: int = ...) -> float: ...
@overload
def rounded(x: ArrayLike, digits: int = ...) -> float | NDArray[np.float64]: ...
def rounded(x: ArrayLike, digits: int = 6) -> float | NDArray[np.float64]:
    """Return `x` rounded to `digits` decimals, with every ``-0.0`` turned into ``0.0``.

    Parameters
    ----------
    x : float or array-like
        The numbers.
    digits : int, default=6
        Decimals to keep.

    Returns
    -------
    float or ndarray
        A float for a scalar, an array of the same shape otherwise.

    Examples
    --------
    >>> rounded(-1e-17)
    0.0
    >>> rounded([0.12345, -0.0], 2)
    array([0.12, 0.  ])
    """
    values = np.round(np.asarray(x, dtype=float), digits) + 0.0
    return float(values) if values.ndim == 0 else values


@dataclass(frozen=True)
class Table:
    """A table already formatted: as aligned text, as HTML and as Markdown.

    A cell may have several lines; aligned text has room for one only.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    caption: str = ""

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        lines = [_aligned(row, widths, self.numeric) for row in (self.header, *self.rows)]
        return "\n".join([self.caption, *lines] if self.caption else lines)

    __repr__ = __str__

    def html(self, th: str = 'scope="col" style="text-align:{}"', td: str = _ALIGNED) -> str:
        """Return the table as HTML, every text escaped, numbers aligned to the right.

        `th` and `td` are the attributes of the cells, ``{}`` their side.
        """

        def line(tag: str, attributes: str, cells: Sequence[str]) -> str:
            parts = (
                f"<{tag} {attributes.format('right' if number else 'left')}>"
                f"{escape(cell).replace(chr(10), '<br>')}</{tag}>"
                for cell, number in zip(cells, self.numeric, strict=True)
            )
            return f"<tr>{''.join(parts)}</tr>"

        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        body = "".join(line("td", td, row) for row in self.rows)
        head = line("th", th, self.header)
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>"

    def markdown(self, rule: str = " --- ", bar: str = r"\|") -> str:
        """Return the table as Markdown, without its caption.

        `rule` underlines a heading, and `bar` replaces the character that would end a cell.

        >>> print(table({"data": ["wine", "a|b"], "runs": [20, 3]}).markdown())
        | data | runs |
        | --- | --- |
        | wine | 20 |
        | a\\|b | 3 |
        """
        lines = [
            "| " + " | ".join(c.replace("|", bar).replace("\n", "<br>") for c in row) + " |"
            for row in (self.header, *self.rows)
        ]
        lines.insert(1, f"|{'|'.join([rule] * len(self.header))}|")
        return "\n".join(lines)

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": str(self)}


def table(columns: Mapping[str, Sequence[Cell]], *, digits: int = 5, caption: str = "") -> Table:
    """Return a table from its columns, numbers rounded to `digits` significant digits.

    Significant means relative to the largest magnitude of the column, so that all its entries
    share their decimals and an entry that is only noise beside the largest prints as zero.

    Parameters
    ----------
    columns : mapping of str to sequence
        Heading and cells of each column, all of one length. Cells may be numbers, truth values
        ("yes", "no"), texts, or ``None`` ("-").
    digits : int, default=5
        Significant digits of a column's largest number.
    caption : str, default=""
        A line above the table.

    Returns
    -------
    Table
        Displays as HTML and as plain text.

    Examples
    --------
    >>> table({"K": [2, 3], "objective": [12.34567, -1e-15], "falls": [None, True]})
    K  objective  falls
    2     12.346  -
    3      0.000  yes
    """
    if not columns:
        raise ValueError("columns is empty: give at least one heading with its cells")
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns has lengths {lengths}: all must be equal, use None for a gap")
    formatted = [formatted_column(cells, digits) for cells in columns.values()]
    numeric = tuple(all(map(_is_gap_or_number, cells)) for cells in columns.values())
    return Table(tuple(columns), tuple(zip(*formatted, strict=True)), numeric, caption)


def formatted_column(cells: Sequence[Cell], digits: int = 5) -> list[str]:
    """Return the cells of one column as texts, floats with common decimals.

    Examples
    --------
    >>> formatted_column([1234.5, 0.25, -1e-9])
    ['1234.5', '0.2', '0.0']
    """
    floats = [abs(float(cell)) for cell in cells if _is_float(cell) and math.isfinite(cell)]
    largest = max(floats, default=0.0)
    return [_text(cell, largest, digits) for cell in cells]


def _text(cell: Cell, largest: float, digits: int) -> str:
    """Return one cell as text; `largest` is the largest magnitude of its column."""
    if cell is None:
        return "-"
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if _is_float(cell):
        return _number(float(cell), largest, digits)
    return str(cell)


def magnitude(x: float) -> int:
    """The power of ten of a positive number; one that is 1 up to rounding has that of 1.

    Examples
    --------
    >>> magnitude(0.9999999), magnitude(1.0000001), magnitude(0.99)
    (0, 0, -1)
    """
    return math.floor(math.log10(x * (1 + 1e-6)))


def _number(x: float, largest: float, digits: int) -> str:
    if not math.isfinite(x):
        return str(x)
    if largest < NOISE:
        return "0"
    exponent = magnitude(largest)
    if -4 <= exponent <= 8:
        decimals = max(0, digits - 1 - exponent)
        return f"{rounded(x, decimals):.{decimals}f}"
    # Beyond that range fixed decimals are unreadable: round first, so noise is still removed.
    return f"{rounded(x, digits - 1 - exponent):.{digits - 1}e}"


def _is_float(cell: Cell) -> TypeGuard[float]:
    return isinstance(cell, Real) and not isinstance(cell, bool | np.bool_ | Integral)


def _is_gap_or_number(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, Real) and not isinstance(cell, bool | np.bool_))


def _aligned(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    cells = (
        cell.rjust(width) if number else cell.ljust(width)
        for cell, width, number in zip(row, widths, numeric, strict=True)
    )
    return "  ".join(cells).rstrip()
