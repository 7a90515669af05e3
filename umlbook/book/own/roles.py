"""Numbers that measure nothing: row numbers, identifiers, codes, times, marks of a gap.

Each is told by its values, and some by the name of their column. Nothing is decided silently: what
is left out is named on the page, and a reader who names the column gets it back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NAMES = re.compile(
    r"id|ids|uuid|guid|zip|zipcode|postcode|postal|plz|phone|telephone|ean|isbn|ssn|sku"
)
_WEAK = re.compile(r"no|nr|num|number|code|index|idx|key|row|case|record|serial|unnamed")
_MEASURES = re.compile(
    r"rates?|ratio|share|percent|pct|price|costs?|bill|income|counts?|calls|minutes|usage|use|users|"
    r"score|length|size|time|age|area|density|population|sales"
)
_DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}( .*)?"
    r"|\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]\.?m\.?)?"
    r"|\d{1,2}/\d{4}|\d{4}-?[QW]\d{1,2}|[QW]\d[ /-]?\d{4}"
    r"|(\d{1,2}\.?[ -])?[^\W\d_]{3,9}\.?[ -](\d{1,2},? )?('?\d{2}|\d{4})", re.IGNORECASE,
)  # fmt: skip
_MARKS = {
    sign * float(digit * length) / 10**places
    for digit in "789" for length in range(2, 7) for places in (0, 1, 2) for sign in (1, -1)
    if length - places > 1
} | {-1.0}  # fmt: skip
_SECONDS = (
    datetime(2000, 1, 1, tzinfo=UTC).timestamp(),
    datetime(2040, 1, 1, tzinfo=UTC).timestamp(),
)


def is_date(cell: str) -> bool:
    """Return whether a cell is written like a date, a month or a time of day.

    Examples
    --------
    >>> [is_date(cell) for cell in ("2020-01-31", "31.1.20", "5 Mar 2020", "10:30", "1.5", "red")]
    [True, True, True, True, False, False]
    """
    return bool(_DATES.fullmatch(cell.strip()))


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("customerID"), words_of("zip_code"), words_of("Nr.")
    (['customer', 'id'], ['zip', 'code'], ['nr'])
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+", name)
    return [part.lower() for part in parts]


def role(name: str, cells: Sequence[str], numbers: Floats, rows: Sequence[int]) -> str:
    """Return what a column of numbers is if it measures nothing; empty if it may measure something.

    Parameters
    ----------
    numbers : ndarray
        Its values, NaN where one is missing.
    rows : sequence of int
        The numbers of the rows.

    Examples
    --------
    >>> role("x", ["5", "6", "7", "8"], np.arange(5.0, 9), [1, 2, 3, 4])
    'counts the rows'
    """
    there = np.isfinite(numbers)
    found = numbers[there]
    if np.any(found % 1):
        return ""
    if np.abs(found).max() >= 2**53:
        return "identifiers, of more digits than a number keeps"
    if _written(cells, there):
        return "codes, written with leading zeros"
    if len(found) > 3 and len(set((found - np.asarray(rows)[there]).tolist())) == 1:
        return "counts the rows"
    when = _times(name, found)
    if when:
        return when
    words = words_of(name)
    if words and _MEASURES.fullmatch(words[-1]):
        return ""  # the rate of a zip code
    if any(_NAMES.fullmatch(word) for word in words):
        return "identifiers, by the name"
    different = len(set(found.tolist())) == len(found) > 3
    if different and any(_WEAK.fullmatch(word) for word in words):
        return "identifiers, by the name, no two the same"
    return ""


def _written(cells: Sequence[str], there: NDArray[np.bool_]) -> bool:
    """Whether most cells have the same length, and some begin with a zero, as codes do."""
    texts = [cells[int(i)].strip() for i in np.flatnonzero(there)]
    zeros = any(len(text) > 1 and text.startswith("0") and text.isdigit() for text in texts)
    return zeros and len(set(map(len, texts))) == 1


def _times(name: str, found: Floats) -> str:
    """How whole numbers say when something was; empty if they do not."""
    for unit, per_second in {"seconds": 1, "milliseconds": 1e3, "microseconds": 1e6}.items():
        seconds = found / per_second
        if seconds.min() >= _SECONDS[0] and seconds.max() < _SECONDS[1]:
            first, last = (
                datetime.fromtimestamp(s, UTC).date() for s in (seconds.min(), seconds.max())
            )
            return f"{unit} since 1970, that is {first} to {last}"
    if found.min() >= 19000101 and found.max() <= 21001231 and all(map(_is_day, found.tolist())):
        return "days, written as year, month, day"
    named = {"date", "day", "datum", "time", "timestamp"} & set(words_of(name))
    if named and found.min() >= 20000 and found.max() < 60000:
        return "days, as a spreadsheet counts them"
    return ""


def _is_day(number: float) -> bool:
    try:
        datetime.strptime(f"{number:.0f}", "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def gap_marks(found: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return values such as -999 that mark a gap, and values that look like it but may be real.

    Both stand farther from the next value than the others are from each other; -1 only among
    positive ones. They mark a gap if they stand there more than once, or are negative among values
    that are not, or are above all others by ten times the range of these: a single 99 among
    incomes of 50,000 may be one.

    Examples
    --------
    >>> gap_marks(np.array([12.0, 15, -999, 20, -999])), gap_marks(np.array([95.0, 97, 99]))
    (((-999.0,), ()), ((), ()))
    >>> gap_marks(np.array([50_000.0, 51_000, 99, 49_000]))
    ((), (99.0,))
    """
    there = found[np.isfinite(found)]
    others = there[~np.isin(there, list(_MARKS))]
    if len(set(others.tolist())) < 2:
        return (), ()
    low, high = others.min(), others.max()
    marks = sorted(set(there.tolist()) & _MARKS)
    far = [mark for mark in marks if max(low - mark, mark - high) > high - low]
    far = [mark for mark in far if mark != -1 or low >= 0]
    sure = [
        mark for mark in far
        if np.sum(there == mark) > 1 or mark < 0 <= low or mark - high > 10 * (high - low)
    ]  # fmt: skip
    return tuple(sure), tuple(mark for mark in far if mark not in sure)
