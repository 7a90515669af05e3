"""Where the table stands in a file: its delimiter, comments, titles above it, and its names."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

from umlbook.book.own.files import TableError, TableQuestion, text_of
from umlbook.book.own.names import has_header, is_word, mostly_numbers
from umlbook.book.own.numerals import is_number

LINES = 100
"""Lines that are looked at to tell the layout of a file."""
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
COMMENTS = ("#", "%", "//")
TOP = 5
"""Rows at the top that are searched for a second row of names, or of units."""
_TOLD = re.compile(r"sep=(.)", re.IGNORECASE)


class Row(NamedTuple):
    """Cells, and the line of the file in which they begin, counted from 1."""

    at: int
    cells: list[str]

    def __str__(self) -> str:
        return repr(", ".join(cell for cell in self.cells if cell.strip())[:50])


@dataclass(frozen=True)
class Dialect:
    """How the text of a file is cut into cells, and where its table begins.

    Attributes
    ----------
    header : bool
        Whether the first row holds names.
    skip : int
        Lines above that row.
    beneath : int
        Rows under the names that hold no data, such as units.
    comment : str
        What a line begins with that is none of the table; empty if there are no such lines.
    names : tuple of str
        The names, if they do not stand in a row of their own.
    notes : tuple of str
        What is to be said about it.
    """

    encoding: str
    delimiter: str
    header: bool
    skip: int = 0
    beneath: int = 0
    comment: str = ""
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"line {self.skip + 1}" if self.skip else "the first row"
        names = f"names in {where}" if self.header or self.names else "no row of names"
        return (
            f"{DELIMITERS.get(self.delimiter, self.delimiter)}-separated, {self.encoding}, {names}"
        )


def rows_of(lines: Sequence[str], delimiter: str, comment: str = "") -> list[Row]:
    """Return the rows that are neither blank nor comments."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    found, at = [], 1
    for cells in reader:
        remark = comment and lines[at - 1].lstrip().startswith(comment)
        if any(cell.strip() for cell in cells) and not remark:
            found.append(Row(at, cells))
        at = reader.line_num + 1
    return found


def comment_mark(lines: Sequence[str]) -> str:
    """Return what comments begin with; empty if there are none.

    Examples
    --------
    >>> comment_mark(["# made by hand", "x,y", "1,2"]), comment_mark(["#1,5", "#2,7", "#3,9"])
    ('#', '')
    """
    told = [line.strip() for line in lines if line.strip()]
    for mark in COMMENTS:
        top = sum(1 for _ in takewhile(lambda line, m=mark: line.startswith(m), told))  # type: ignore[misc]
        marked = [line.startswith(mark) for line in told[top:]]
        if (top or any(marked)) and len(marked) > 1 and 2 * sum(marked) < len(marked):
            return mark
    return ""


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the delimiter that cuts most lines into the same number of clean cells.

    Examples
    --------
    >>> delimiter_of(["a;b", "1,5;2,5", "3,5;4,5"]), delimiter_of(["1,5 2,5", "3,5 4,5"])
    (';', ' ')
    """

    def quality(delimiter: str) -> float:
        rows = [row.cells for row in rows_of(lines, delimiter)]
        width, times = Counter(map(len, rows)).most_common(1)[0]
        if width < 2:
            return 0.0
        cells = [cell for row in rows for cell in row]
        # A cell that holds a stronger delimiter was cut in the wrong places.
        unclean = sum(any(mark in cell for mark in ";\t|") for cell in cells)
        share = times / len(rows) * (1 - unclean / len(cells))
        if delimiter != " ":
            split = sum(" " in cell and not is_number(cell) for cell in cells)
            return share * (1 - 0.5 * split / len(cells))
        return share * (0.5 + 0.4 * sum(map(is_number, cells)) / len(cells))  # texts have spaces

    best = max(DELIMITERS, key=quality)
    return best if quality(best) > 0.25 else ","


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row.cells)


def dialect_of(path: Path, header: int | None = None) -> Dialect:
    """Return how a file is to be read, or raise `TableError` if it is no table of text.

    `header` is the line of the names, counted from 1; 0 if there are none.
    """
    encoding, text = text_of(path)
    lines = list(islice(io.StringIO(text, newline=""), LINES))
    told = _TOLD.fullmatch(lines[0].strip())
    if told:
        lines[0] = "\n"  # a line for Excel
    comment = comment_mark(lines)
    table = [line for line in lines if not (comment and line.lstrip().startswith(comment))]
    try:
        delimiter = told[1] if told else delimiter_of(table)
        rows = rows_of(lines, delimiter, comment)
    except csv.Error as error:
        raise TableError(f"{path.name} cannot be cut into cells ({error}): is it CSV?") from None
    if not rows:
        raise TableError(f"{path.name} is empty: a table needs a row of names and rows of numbers")
    found = Layout(path.name, lines, rows, delimiter, comment)
    return found.told(encoding, header) if header else found.found(encoding, header)


@dataclass(frozen=True)
class Layout:
    """The rows at the beginning of a file, and what they say about where its table begins."""

    file: str
    lines: Sequence[str]
    rows: Sequence[Row]
    delimiter: str
    comment: str

    @cached_property
    def width(self) -> int:
        """The number of cells that most rows have."""
        counts = Counter(len(row.cells) for row in self.rows)
        return max(counts, key=lambda width: (counts[width], width))

    def told(self, encoding: str, header: int) -> Dialect:
        """Return the dialect for names in a line that the reader gave."""
        places = [i for i, row in enumerate(self.rows) if row.at == header]
        if not places:
            raise TableError(
                f"header is {header}: line {header} of {self.file} is no row of the table; give "
                f"the line of the names, counted from 1 (the first is {self.rows[0].at}), or 0"
            )
        start = places[0]
        beneath = 0
        while beneath < TOP and self._is_wordy(start + 1 + beneath):
            beneath += 1
        units = [
            f"under the names was passed over: {self.rows[start + 1 + i]}" for i in range(beneath)
        ]
        notes = tuple(f"Line {header + 1 + i} {words}." for i, words in enumerate(units))
        return Dialect(encoding, self.delimiter, True, header - 1, beneath, self.comment, (), notes)

    def found(self, encoding: str, header: int | None) -> Dialect:
        """Return the dialect as far as the file itself shows it, or ask."""
        start = self._start()
        row, below = self.rows[start], self._full(start + 1)
        named = False if header == 0 else has_header(row.cells, below)
        names = () if named or header == 0 else self._names_above(start)
        if header is None:
            self._ask_about_names(start, named)
        if names:
            named = False
        notes = [f"Lines that begin with {self.comment} were passed over."] if self.comment else []
        above = [row for row in self.rows[:start] if tuple(row.cells) != names[1:]]
        if above:
            lines = ", ".join(f"{row.at} ({row})" for row in above[:3])
            more = ", ..." if len(above) > 3 else ""
            notes.append(f"Passed over, above the table: line {lines}{more}.")
        if named and any(map(is_number, row.cells)):
            notes.append(f"Line {row.at} ({row}) was taken for names; header=0 takes it for data.")
        return Dialect(
            encoding, self.delimiter, bool(named), row.at - 1, 0, self.comment, names, tuple(notes)
        )

    def _start(self) -> int:
        """The place of the first row of the table, of names or of data; titles stand above it."""
        if self.width < 2:
            return 0
        full = [len(row.cells) == self.width for row in self.rows]
        if 2 * sum(full) < len(full):
            raise TableError(
                f"{self.file} is no table: more than half of its rows do not have "
                f"{self.width} cells, the most frequent number; or its delimiter is none of comma, "
                "semicolon, tab, bar, space"
            )
        rich = [ok and _filled(row) > 1 for ok, row in zip(full, self.rows, strict=True)]
        start = rich.index(True) if any(rich) else full.index(True)
        # One name alone may stand over the numbers: the others are empty.
        one_name = start > 0 and full[start - 1] and any(map(is_number, self.rows[start].cells))
        return start - 1 if one_name else start

    def _full(self, start: int) -> list[list[str]]:
        return [row.cells for row in self.rows[start:] if len(row.cells) == self.width]

    def _is_wordy(self, place: int) -> bool:
        """Whether a row has words where the rows below it have numbers."""
        below = self._full(place + 1)
        if place >= len(self.rows) or len(below) < 2 or len(self.rows[place].cells) != self.width:
            return False
        numeric = [j for j in range(self.width) if mostly_numbers([row[j] for row in below])]
        return bool(numeric) and all(is_word(self.rows[place].cells[j]) for j in numeric)

    def _names_above(self, start: int) -> tuple[str, ...]:
        """Names that stand in a comment, or in a row without a cell for the numbers of the rows."""
        first = self.rows[start]
        above = [line for line in self.lines[: first.at - 1] if line.strip()]
        if self.comment and above and above[-1].lstrip().startswith(self.comment):
            line = above[-1].lstrip().lstrip(self.comment)
            (row,) = rows_of([line], self.delimiter) or [Row(0, [])]
            if len(row.cells) == self.width and all(map(is_word, row.cells)):
                return tuple(row.cells)
        counts = [row[0].strip() for row in self._full(start)]
        shorter = start > 0 and len(self.rows[start - 1].cells) == self.width - 1
        if shorter and counts in ([str(i) for i in range(k, k + len(counts))] for k in (0, 1)):
            return ("row", *self.rows[start - 1].cells)
        return ()

    def _ask_about_names(self, start: int, named: bool | None) -> None:
        """Raise `TableQuestion` if another line might hold the names as well."""
        row = self.rows[start]
        if named is None:
            raise TableQuestion(
                f"{self.file}: line {row.at} ({row}) may hold names or data: "
                f"header={row.at} takes it for names, header=0 for data"
            )
        for place in range(start + 1, min(start + TOP, len(self.rows))):
            other = self.rows[place]
            if self._is_wordy(place) and other.cells != row.cells:
                raise TableQuestion(
                    f"{self.file}: the names may stand in line {row.at} ({row}) or in line "
                    f"{other.at} ({other}): say which, header={row.at} or header={other.at}; what "
                    "has no numbers under the names, such as units, is then left out"
                )
        above = self.rows[start - 1] if start else None
        if above and not named and not self._names_above(start):
            raise TableQuestion(
                f"{self.file}: line {above.at} ({above}) has {len(above.cells)} and the rows under "
                f"it have {self.width} cells: if numbers have a comma inside, put quotes around "
                "them; if the names lack one, add it; header=0 reads the rows without names"
            )
