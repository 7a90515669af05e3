"""Rows of a file of any size: all of them when they fit, else a seeded sample, one pass."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from umlbook.book.own.files import Dialect, TableError, dialect_of

CELLS = 2_000_000
"""Cells that are held at once; a wide table keeps fewer rows."""
LONGEST = 1000
"""Lines that a row may have; a longer one has lost a quote."""
SCAN = 1 << 29
"""Bytes (512 MB) of a file through which the sample is drawn; what lies behind is not looked at."""


class Line(NamedTuple):
    """The text of a row, and its number: 1 is the first one under the names."""

    number: int
    text: str


@dataclass(frozen=True)
class RawTable:
    """Names and cells as they stand in the file.

    Attributes
    ----------
    names : tuple of str
        One for each column, none twice.
    rows : tuple of list of str
        The cells of all rows of the right length, or of a sample of them, in the file's order.
    numbers : tuple of int
        The number of each of these rows.
    n_rows : int
        Rows in the file, or in the part of it that was scanned.
    n_ragged : int
        Rows with too few or too many cells, which are left out; in a sample, those seen in it.
    whole : bool
        Whether the scan came to the end of the file.
    renamed : tuple of str
        Names that were given to columns without one, or whose name was taken.
    """

    names: tuple[str, ...]
    rows: tuple[list[str], ...]
    numbers: tuple[int, ...]
    n_rows: int
    n_ragged: int
    whole: bool
    renamed: tuple[str, ...]
    dialect: Dialect

    @property
    def sampled(self) -> bool:
        """Whether there are more rows than are held."""
        return len(self.rows) + self.n_ragged < self.n_rows


def file_lines(path: Path, dialect: Dialect, limit: float = math.inf) -> Iterator[Line]:
    """Yield the rows of a file under the names as they stand, blank lines left out.

    A line break inside quotes ends no row. Nothing is cut into cells here, so that rows which
    nobody asks for cost little.
    """
    number, read = 0 if dialect.header else 1, 0
    opened: list[str] = []  # lines of a row in which a quoted cell is still open
    with path.open(encoding=dialect.encoding, newline="") as stream:
        for line in stream:
            read += len(line)
            if opened or line.count('"') % 2:
                opened.append(line)
                if '"' not in line or has_open_quote("".join(opened), dialect.delimiter):
                    if len(opened) > LONGEST:
                        break
                    continue
                line, opened = "".join(opened), []
            if line.isspace():
                continue
            if number:  # the names have number 0
                yield Line(number, line)
            number += 1
            if read > limit:
                return
    if opened:
        raise TableError(f"{path.name} has an unclosed quote in row {number}: close or remove it")


def has_open_quote(text: str, delimiter: str) -> bool:
    """Return whether a quoted cell is still open at the end of a text.

    Examples
    --------
    >>> has_open_quote('1,"two\\nlines', ","), has_open_quote('1,5" pipe', ",")
    (True, False)
    """
    try:
        next(csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def unique_names(given: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a name for each column, none twice, and those that had to be made.

    Examples
    --------
    >>> unique_names(["x", "x", ""])
    (('x', 'x (2)', 'column 3'), ('x (2)', 'column 3'))
    """
    taken: list[str] = []
    made = []
    for place, name in enumerate(given, start=1):
        plain = " ".join(name.split()) or f"column {place}"
        unique, count = plain, 1
        while unique in taken:
            count += 1
            unique = f"{plain} ({count})"
        if unique != name.strip():
            made.append(unique)
        taken.append(unique)
    return tuple(taken), tuple(made)


def sample(lines: Iterable[Line], size: int, rng: np.random.Generator) -> tuple[list[Line], int]:
    """Return a uniform sample without replacement, in order, and the number of lines (Li, 1994).

    The next line to enter is known in advance, so one that is passed over costs no random number.

    Examples
    --------
    >>> kept, n = sample((Line(i, "") for i in range(10)), 3, np.random.default_rng(0))
    >>> len(kept), n
    (3, 10)
    """
    kept: list[Line] = []
    count, weight, entering = 0, 1.0, size
    for count, line in enumerate(lines, start=1):
        if count <= size:
            kept.append(line)
        if count == entering:
            if count > size:
                kept[rng.integers(size)] = line
            weight *= (1 - rng.random()) ** (1 / size)
            jump = math.log(1 - rng.random()) / math.log1p(-weight) if weight < 1 else 0
            entering = count + 1 + math.floor(jump)
    return sorted(kept), count


def read(path: str | Path, max_rows: int = 2000, seed: int = 0) -> RawTable:
    """Return the table in a file, or a sample of its rows if there are more than `max_rows`.

    Parameters
    ----------
    path : str or Path
        A text file of rows; delimiter, encoding and header are found out.
    max_rows : int, default=2000
        Most rows to keep. Memory does not depend on the size of the file.
    seed : int, default=0
        Of the sample.

    Raises
    ------
    TableError
        If the file is no table; the message says what it looks like.
    """
    path = Path(path).expanduser()
    found = dialect_of(path)
    try:
        return _table(path, found, max_rows, seed)
    except UnicodeDecodeError:  # the first bytes were plain ASCII, a later one is not UTF-8
        return _table(path, replace(found, encoding="latin-1"), max_rows, seed)
    except csv.Error as error:
        raise TableError(
            f"{path.name} cannot be cut into cells ({error}): look for an unclosed quote"
        ) from None


def cut(lines: Sequence[Line], dialect: Dialect) -> list[list[str]]:
    """Return the cells of each line."""
    texts = (line.text for line in lines)
    return list(csv.reader(texts, delimiter=dialect.delimiter, skipinitialspace=True))


def _table(path: Path, dialect: Dialect, max_rows: int, seed: int) -> RawTable:
    first = next(file_lines(path, replace(dialect, header=False)))  # a file is not empty here
    (cells,) = cut([first], dialect)
    names, renamed = unique_names(cells if dialect.header else [""] * len(cells))
    size = max(1, min(max_rows, CELLS // len(names)))
    lines, count = sample(file_lines(path, dialect, SCAN), size, np.random.default_rng(seed))
    rows = cut(lines, dialect)
    kept = [i for i, cells in enumerate(rows) if len(cells) == len(names)]
    ragged = len(lines) - len(kept)
    if ragged > len(kept):
        raise TableError(
            f"{path.name}: {ragged} of {len(lines)} rows do not have the {len(names)} cells of "
            "the first one: it is no table, or its delimiter is none of comma, semicolon, tab, "
            "bar, space"
        )
    renamed = renamed if dialect.header else ()
    return RawTable(
        names,
        rows=tuple(rows[i] for i in kept),
        numbers=tuple(lines[i].number for i in kept),
        n_rows=count,
        n_ragged=ragged,
        whole=path.stat().st_size <= SCAN,
        renamed=renamed,
        dialect=dialect,
    )
