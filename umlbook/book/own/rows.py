"""Rows of a file of any size: all of them when they fit, else a seeded sample, one pass."""

from __future__ import annotations

import csv
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from umlbook.book.own.files import TableError
from umlbook.book.own.layout import Dialect, dialect_of
from umlbook.book.own.raw import RawTable
from umlbook.book.own.totals import LAST, sums_up, total_word

CELLS = 2_000_000
"""Cells that are held at once; a wide table keeps fewer rows."""
LONGEST = 1000
"""Lines that a row may have; a longer one has lost a quote."""
SCAN = 1 << 29
"""Bytes (512 MB) of a file through which the sample is drawn; what lies behind is not looked at."""
REPEATS = "repeats the names"


class Line(NamedTuple):
    """The text of a row; its number: 1 is the first one under the names; its line in the file."""

    number: int
    text: str
    at: int = 0


@dataclass(frozen=True)
class TextFile:
    """A file of text, and how it is cut into cells."""

    path: Path
    dialect: Dialect
    given: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def how(self) -> str:
        """How it was read."""
        return str(self.dialect)

    @property
    def delimiter(self) -> str:
        """What separates its cells."""
        return self.dialect.delimiter

    def blocks(self, size: int) -> Iterator[tuple[list[int], list[list[str]]]]:
        """Yield numbers and cells of the rows, a block at a time."""
        lines = file_lines(self.path, self.dialect)
        while block := list(islice(lines, size)):
            yield [line.number for line in block], cut(block, self.dialect)


def file_lines(path: Path, dialect: Dialect, limit: float = math.inf) -> Iterator[Line]:
    """Yield the rows of a file under the names as they stand, blank lines and comments left out.

    A line break inside quotes ends no row. Nothing is cut into cells here, so that rows which
    nobody asks for cost little.
    """
    number, read = (-dialect.beneath if dialect.header else 1), 0
    opened: list[str] = []  # lines of a row in which a quoted cell is still open
    with path.open(encoding=dialect.encoding, newline="") as stream:
        for at, line in enumerate(islice(stream, dialect.skip, None), start=dialect.skip + 1):
            read += len(line)
            if opened or line.count('"') % 2:
                opened.append(line)
                if '"' not in line or has_open_quote("".join(opened), dialect.delimiter):
                    if len(opened) > LONGEST:
                        break
                    continue
                line, opened = "".join(opened), []
            if line.isspace() or (dialect.comment and line.lstrip().startswith(dialect.comment)):
                continue
            if number > 0:  # the names have number 0 or below
                yield Line(number, line, at)
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


def read(
    path: str | Path, max_rows: int = 2000, seed: int = 0, header: int | None = None
) -> RawTable:
    """Return the table in a file, or a sample of its rows if there are more than `max_rows`.

    Parameters
    ----------
    path : str or Path
        A text file of rows; delimiter, encoding and header are found out.
    max_rows : int, default=2000
        Most rows to keep. Memory does not depend on the size of the file.
    seed : int, default=0
        Of the sample.
    header : int, optional
        The line of the names, counted from 1; 0 if there are none. By default it is found out.

    Raises
    ------
    TableError
        If the file is no table; the message says what it looks like.
    TableQuestion
        If the file leaves open which line holds the names; the message says what to pass.
    """
    path = Path(path).expanduser()
    if header is not None and (
        isinstance(header, bool) or not isinstance(header, int) or header < 0
    ):
        raise TableError(f"header is {header!r}: the line of the names is wanted, or 0 for none")
    found = dialect_of(path, header)
    for encoding in (found.encoding, "cp1252", "latin-1"):
        try:
            return _table(path, replace(found, encoding=encoding), max_rows, seed)
        except UnicodeDecodeError:  # the first bytes were plain ASCII, a later one is not UTF-8
            continue
        except csv.Error as error:
            raise TableError(
                f"{path.name} cannot be cut into cells ({error}): look for an unclosed quote"
            ) from None
    raise AssertionError("Latin-1 reads every byte")


def cut(lines: Iterable[Line], dialect: Dialect) -> list[list[str]]:
    """Return the cells of each line."""
    texts = (line.text for line in lines)
    return list(csv.reader(texts, delimiter=dialect.delimiter, skipinitialspace=True))


def _table(path: Path, dialect: Dialect, max_rows: int, seed: int) -> RawTable:
    bare = replace(dialect, header=False)
    (cells,) = cut([next(file_lines(path, bare))], dialect)  # a file is not empty here
    given = dialect.names or (tuple(cells) if dialect.header else ())
    names, renamed = unique_names(given or [""] * len(cells))
    size = max(1, min(max_rows, CELLS // len(names)))
    last: deque[Line] = deque(maxlen=LAST)
    scanned = _remembered(file_lines(path, dialect, SCAN), last)
    lines, count = sample(scanned, size, np.random.default_rng(seed))
    rows = cut(lines, dialect)
    whole = path.stat().st_size <= SCAN
    numbered = {line.number: row for line, row in zip(lines, rows, strict=True)}
    without = {n: REPEATS for n, row in numbered.items() if tuple(row) == given}
    if whole and count == len(rows):  # of a sample no sum is known
        without |= totals({n: row for n, row in numbered.items() if n not in without})
    seen = numbered | dict(zip((line.number for line in last), cut(last, dialect), strict=True))
    inside = {n: w for n, row in seen.items() if n not in without and (w := total_word(row))}
    right = [i for i, row in enumerate(rows) if len(row) == len(names)]
    kept = [i for i in right if lines[i].number not in without]
    wrong = set(range(len(lines))).difference(right)
    ragged = [lines[i] for i in sorted(wrong) if lines[i].number not in without]
    if len(ragged) > len(right):
        raise TableError(
            f"{path.name}: {len(ragged)} of {len(lines)} rows do not have the {len(names)} cells "
            "of the first one: it is no table, or its delimiter is none of comma, semicolon, tab, "
            "bar, space"
        )
    return RawTable(
        names,
        rows=tuple(rows[i] for i in kept),
        numbers=tuple(lines[i].number for i in kept),
        n_rows=count,
        n_ragged=len(ragged),
        whole=whole,
        renamed=renamed if given else (),
        source=TextFile(path, dialect, given),
        typed=(False,) * len(names),
        without=frozenset(without),
        notes=(*dialect.notes, *_row_notes(without, inside, ragged)),
    )


def _remembered(lines: Iterable[Line], last: deque[Line]) -> Iterator[Line]:
    for line in lines:
        last.append(line)
        yield line


def totals(rows: Mapping[int, list[str]]) -> dict[int, str]:
    """Return the numbers of those of the last rows that sum up the rows above, and why.

    Examples
    --------
    >>> totals({1: ["BP", "3"], 2: ["Total", "4"], 3: ["Total", "7"], 4: ["Source", ""]})
    {3: "begins with 'Total' and sums up the rows above"}
    """
    found: dict[int, str] = {}
    for number in list(rows)[-LAST:]:
        above = [row for n, row in rows.items() if n < number and n not in found]
        if sums_up(rows[number], above):
            found[number] = f"begins with {total_word(rows[number])!r} and sums up the rows above"
    return found


def _row_notes(
    without: dict[int, str], inside: dict[int, str], ragged: Sequence[Line]
) -> list[str]:
    """What is to be said about rows that are no data, or have another number of cells."""
    repeated = sorted(number for number, why in without.items() if why == REPEATS)
    silent = repeated[3:]
    told = {number: why for number, why in without.items() if number not in silent}
    notes = [f"Row {number} {why}, left out." for number, why in sorted(told.items())]
    if silent:
        more = "1 more row repeats" if len(silent) == 1 else f"{len(silent):,} more rows repeat"
        notes.append(f"{more} the names, left out.")
    if inside:
        number, word = min(inside.items())
        notes.append(
            f"Row {number} begins with {word!r}{' and others do' * (len(inside) > 1)}, and was "
            "kept: take it out of the file if it sums up others."
        )
    if ragged:
        rows = "1 row" if len(ragged) == 1 else f"{len(ragged):,} rows"
        first = f"line {ragged[0].at}: {ragged[0].text.strip()[:30]!r}"
        notes.append(f"{rows} of another length left out ({first}).")
    return notes
