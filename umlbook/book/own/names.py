"""Whether a cell is a gap, a number or a word, and whether a row of them holds names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from umlbook.book.own.numerals import is_number, values

MISSING = frozenset(
    {"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "none", "?", "-", "--", "—",
     ".", "..", "missing", "unknown", "#div/0!", "#value!", "#ref!", "#num!"}
)  # fmt: skip
"""Cells, in lower case, that stand for a value that is not there."""


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a value that is not there."""
    return cell.strip().lower() in MISSING


def is_word(cell: str) -> bool:
    """Return whether a cell holds something that is no number."""
    return not is_missing(cell) and not is_number(cell)


def mostly_numbers(cells: Sequence[str]) -> bool:
    """Return whether four fifths or more of the cells that are there are numbers."""
    present = [cell for cell in cells if not is_missing(cell)]
    return bool(present) and sum(map(is_number, present)) >= 0.8 * len(present)


def has_header(first: Sequence[str], below: Sequence[Sequence[str]] = ()) -> bool | None:
    """Return whether a row holds names, by what stands below it; None if that leaves it open.

    A row without a number does. Numbers are names if they count or are years, and the numbers
    below are of another kind.

    Examples
    --------
    >>> has_header(["height", "width"]), has_header(["3", "tall"], [["4", "small"]])
    (True, False)
    >>> has_header(["country", "2019", "2020"], [["France", "67.2", "67.4"]])
    True
    >>> has_header(["low", "3.5"], [["1", "2.5"], ["2", "1.5"]]) is None
    True
    """
    places = [j for j, cell in enumerate(first) if is_number(cell)]
    if not places:
        return True
    labels = _are_labels([first[j] for j in places], [[row[j] for row in below] for j in places])
    if labels is not False:
        return labels
    over = (j for j, cell in enumerate(first) if is_word(cell))
    return None if any(mostly_numbers([row[j] for row in below]) for j in over) else False


def _are_labels(numbers: Sequence[str], below: Sequence[Sequence[str]]) -> bool | None:
    """Whether numbers are years, or count, unlike those below them; None if these are years too."""
    if not all(cell.strip().isdigit() for cell in numbers) or not any(below):
        return False
    counted = [int(cell) for cell in numbers]
    found = [column[np.isfinite(column)] for column in map(values, below)]
    if any(not len(column) for column in found):
        return False
    rising = all(a < b for a, b in pairwise(counted))
    years = all(1900 <= number <= 2100 for number in counted)
    if years and rising:
        alike = [np.mean((c >= 1900) & (c <= 2100) & (c % 1 == 0)) >= 0.5 for c in found]
        return True if not any(alike) else None if len(counted) > 1 else False
    return len(counted) > 1 and rising and all(np.mean(c % 1 != 0) >= 0.5 for c in found)
