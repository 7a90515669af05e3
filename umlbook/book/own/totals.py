"""Rows that sum up others: a total, a mean, a count at the end of a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from umlbook.book.own.names import is_word
from umlbook.book.own.numerals import OTHER, values

LAST = 3
"""Rows at the end among which totals are searched."""
_SUMMARIES: dict[str, Callable[[NDArray[np.float64]], float]] = {
    r"(grand |sub|zwischen)?(totals?|sum|summe|gesamt|insgesamt|somme)": np.sum,
    "average|avg|mean|mittelwert|durchschnitt|moyenne": np.mean,
    "median": np.median,
    "count": len,
    "min|minimum": np.min,
    "max|maximum": np.max,
}


def total_word(row: Sequence[str]) -> str:
    """Return the first word of a row if it is that of a total, and nothing but that; else "".

    Examples
    --------
    >>> total_word(["", "Total:", "9"]), total_word(["Mean Joe Greene", "9"])
    ('Total:', '')
    """
    word = next((cell.strip() for cell in row if is_word(cell)), "")
    return word if _summary(word) else ""


def sums_up(row: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Return whether every number in a row is what its first word says of the rows above it.

    Examples
    --------
    >>> above = [["BP", "4", "1"], ["Shell", "5", "3"]]
    >>> sums_up(["Total", "9", "4"], above), sums_up(["Total", "9", "2"], above)
    (True, False)
    >>> sums_up(["Mean", "4,5", ""], above)
    True
    """
    summary = _summary(total_word(row))
    same = [row_ for row_ in above if len(row_) == len(row)]
    if summary is None or len(same) < 2:
        return False
    columns = [(cell, [row_[j] for row_ in same]) for j, cell in enumerate(row)]
    numbers = [
        (c, column) for c, column in columns if any(np.isfinite(values([c], m)) for m in OTHER)
    ]
    return bool(numbers) and all(_fits(cell, column, summary) for cell, column in numbers)


def _summary(word: str) -> Callable[[NDArray[np.float64]], float] | None:
    plain = word.rstrip(" :").lower()
    return next((f for words, f in _SUMMARIES.items() if re.fullmatch(words, plain)), None)


def _fits(
    cell: str, column: Sequence[str], summary: Callable[[NDArray[np.float64]], float]
) -> bool:
    """Whether a cell is the summary of a column to the digits that it has, in a decimal mark."""
    for decimal in OTHER:
        (total,), found = values([cell], decimal), values(column, decimal)
        found = found[np.isfinite(found)]
        if not np.isfinite(total) or not len(found):
            continue
        _, mark, behind = cell.rpartition(decimal)
        places = sum(char.isdigit() for char in behind) if mark else 0
        if abs(float(summary(found)) - total) <= 0.5 * 10.0**-places + 1e-9 * abs(total):
            return True
    return False
