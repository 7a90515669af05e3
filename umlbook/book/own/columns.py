"""Columns of cells as numbers: how they are written, what they are, and what is to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from umlbook.book.own.files import TableError
from umlbook.book.own.names import is_missing
from umlbook.book.own.numerals import (
    OTHER,
    common_affix,
    decimal_mark,
    is_currency,
    numeral,
    odd_forms,
    values,
)
from umlbook.book.own.raw import RawTable
from umlbook.book.own.roles import gap_marks, is_date, role

Floats = NDArray[np.float64]

FEW = 20
"""A column with at most so many different texts can be compared with clusters."""
MOSTLY = 0.9
"""Share of numbers from which a column counts as numeric; its other cells count as missing."""
FIRST = 500
"""Cells at the beginning of a column that are asked for the decimal mark."""
TRUTHS = (
    ("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("ja", "nein"),
    ("oui", "non"), ("sí", "no"), ("si", "no"), ("wahr", "falsch"), ("vrai", "faux"),
)  # fmt: skip
"""Two words that are read as 1 and 0."""
_UNITS = {"kg", "g", "mg", "t", "lb", "oz", "m", "cm", "mm", "km", "in", "ft", "l", "ml"}
_UNITS |= {"s", "ms", "min", "h", "d", "k", "K", "M", "B", "mio", "mrd"}


@dataclass(frozen=True)
class Spoken:
    """What the reader says about how a file is written; None and empty: find out.

    Attributes
    ----------
    decimal : str or None
        "." or ",".
    gaps : tuple of str or None
        Cells that stand for a gap beside the usual ones. None: numbers such as -999 do too, where
        they stand far apart.
    """

    decimal: str | None = None
    gaps: tuple[str, ...] | None = None


def spoken(decimal: str | None, thousands: str | None, gaps: Sequence[object] | None) -> Spoken:
    """Return what the reader says, checked.

    Examples
    --------
    >>> spoken(None, ",", ["-999"])
    Spoken(decimal='.', gaps=('-999',))
    """
    if decimal not in (None, ".", ","):
        raise TableError(f'decimal is {decimal!r}: "." or "," is wanted')
    if thousands not in (None, ".", ",", " ", "'"):
        raise TableError(f"""thousands is {thousands!r}: ",", ".", " " or "'" is wanted""")
    if decimal is not None and decimal == thousands:
        raise TableError(f"decimal and thousands are both {decimal!r}: they must differ")
    if isinstance(gaps, str):
        raise TableError(f"missing_values is {gaps!r}: give a list of cells, such as ['-999']")
    implied = OTHER.get(thousands or "")
    told = None if gaps is None else tuple(str(cell).strip() for cell in gaps)
    return Spoken(decimal or implied, told)


@dataclass(frozen=True)
class Spelling:
    """How the numbers of a column are written."""

    decimal: str = "."
    affix: str | None = None
    truth: tuple[str, str] | None = None
    marks: tuple[float, ...] = ()

    def numbers(self, cells: Sequence[str]) -> Floats:
        """Return cells as numbers, NaN for all else."""
        if self.truth:
            of = {self.truth[0]: 1.0, self.truth[1]: 0.0}
            return np.array([of.get(cell.strip().lower(), np.nan) for cell in cells])
        found = values(cells, self.decimal, self.affix)
        if self.marks:
            found[np.isin(found, self.marks)] = np.nan
        return found


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    kind : str
        "numbers", "text", "date", "label" (numbers that measure nothing), "constant" (one value
        only) or "empty".
    values : ndarray or None
        Its numbers, NaN where one is missing; None for texts and dates.
    spelling : Spelling
        How its numbers are written.
    strangers : tuple of str
        Cells that are neither numbers nor marks of a gap, in a column of numbers.
    texts : tuple of str
        The cells as they stand.
    question : str
        What must be known before it can be used; empty if nothing.
    remarks : tuple of str
        How it was read, where that is not plain.
    """

    name: str
    kind: str
    values: Floats | None
    spelling: Spelling = field(default_factory=Spelling)
    strangers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    question: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def n_missing(self) -> int:
        """Cells without a value."""
        if self.values is None:
            return sum(is_missing(cell) for cell in self.texts)
        return int(np.isnan(self.values).sum())

    @property
    def comparable(self) -> bool:
        """Whether clusters may be compared with it: texts or whole numbers, few different ones."""
        few = 2 <= len(set(self.texts)) <= FEW
        return few and (
            self.values is None or not np.any(self.values[np.isfinite(self.values)] % 1)
        )


def column(
    name: str, cells: Sequence[str], *, rows: Sequence[int] = (), said: Spoken | None = None,
    elsewhere: str = "", delimiter: str = "", typed: bool = False,
) -> Column:  # fmt: skip
    """Return a column with its kind found out.

    Parameters
    ----------
    rows : sequence of int
        The numbers of its rows; by default 1, 2, 3, ...
    said : Spoken, optional
        What the reader says about the file.
    elsewhere : str
        The decimal mark that the other columns show, empty if none.
    delimiter : str
        What separates the cells of the file.
    typed : bool
        Whether its cells are numbers by type, and not texts that look like some.
    """
    said = said or Spoken()
    texts = tuple(cell.strip() for cell in cells)
    gaps = np.array([is_missing(cell) or cell in (said.gaps or ()) for cell in texts], dtype=bool)
    present = [cell for cell, gap in zip(texts, gaps, strict=True) if not gap]
    if not present:
        return Column(name, "empty", np.full(len(texts), np.nan), texts=texts)
    truth = next((pair for pair in TRUTHS if {cell.lower() for cell in present} <= set(pair)), None)
    if truth:
        spelling, question, remarks = Spelling(truth=truth), "", [f"{truth[0]}/{truth[1]} as 1/0"]
    else:
        spelling, question, remarks = spelled(present, said, elsewhere, delimiter, typed)
    found = np.where(gaps, np.nan, spelling.numbers(texts))
    readable = np.isfinite(found)
    if readable.sum() < MOSTLY * len(present) and not question:
        dates = sum(map(is_date, present)) >= MOSTLY * len(present)
        words = [cell for cell in present if not np.isfinite(spelling.numbers([cell]))[0]]
        mostly = not dates and 2 * len(words) < len(present)
        remarks = [f"mostly numbers, but {words[0]!r} is none"] if mostly else []
        kind = "date" if dates else "text"
        return Column(name, kind, None, texts=texts, remarks=tuple(remarks))
    strangers = tuple(texts[int(i)] for i in np.flatnonzero(~readable & ~gaps))
    marks, doubtful = (
        gap_marks(found) if said.gaps is None else (told_marks(said.gaps, spelling), ())
    )
    remarks += mark_remarks(found, marks, doubtful, told=said.gaps is not None)
    found[np.isin(found, marks)] = np.nan
    spelling = Spelling(spelling.decimal, spelling.affix, truth, marks)
    kind, remark = kind_of(name, texts, found, rows or range(1, len(texts) + 1), bool(question))
    remarks = [*remarks, remark] if remark else remarks
    return Column(name, kind, found, spelling, strangers, texts, question, tuple(remarks))


def mark_remarks(
    found: Floats, marks: Sequence[float], doubtful: Sequence[float], told: bool
) -> list[str]:
    """Return what is to be said about numbers that mark a gap, and about those that may."""
    times = {mark: int(np.sum(found == mark)) for mark in marks}
    keep = "" if told else ", missing_values=[] keeps it"
    return [
        f"{mark:g} taken as missing ({'once' if count == 1 else f'{count} times'}){keep}"
        for mark, count in times.items()
        if count
    ] + [
        f"{mark:g} is far from all others and was kept as a number, missing_values=['{mark:g}'] "
        "takes it as missing"
        for mark in doubtful
    ]


def told_marks(gaps: Sequence[str], spelling: Spelling) -> tuple[float, ...]:
    """Return the numbers that stand for a gap because the reader says so."""
    found = values(gaps, spelling.decimal)
    return tuple(found[np.isfinite(found)].tolist())


def kind_of(
    name: str, texts: Sequence[str], found: Floats, rows: Sequence[int], asked: bool
) -> tuple[str, str]:
    """Return the kind of a column of numbers, and why if they measure nothing."""
    there = found[np.isfinite(found)]
    if asked or not len(there):
        return ("numbers" if asked else "empty"), ""
    if len(set(there.tolist())) == 1:
        return "constant", ""
    what = role(name, texts, found, rows)
    return ("label" if what else "numbers"), what


def spelled(
    present: Sequence[str], said: Spoken, elsewhere: str, delimiter: str, typed: bool
) -> tuple[Spelling, str, list[str]]:
    """Return how the numbers of a column are written, what is to be asked, and what to remark."""
    if typed or is_plain(present):
        return Spelling(), "", []
    numerals = [found for cell in present if (found := numeral(cell)) is not None]
    if len(numerals) < MOSTLY * len(present):
        return Spelling(), "", []
    affix, rivals = common_affix(numerals)
    known = [a for a in rivals if a in ("%", "none") or is_currency(a) or a in _UNITS]
    if rivals and len(known) == len(rivals):
        mixed = " and ".join(rivals)
        question = (
            f"has different units beside its numbers ({mixed}): write all in the same unit, or "
            "leave the column out with columns=[...]"
        )
        return Spelling(), question, []
    if rivals:  # 3a, 4b: not numbers with a unit
        return Spelling(affix=""), "", []
    mark = decimal_mark(numerals, said.decimal, elsewhere, delimiter)
    remarks = [f"{affix} beside the numbers left aside"] if affix and affix != "%" else []
    if affix == "%":
        remarks = [f"percent, {present[0]} as {numerals[0].value(mark.decimal):g}"]
    if mark.reason:
        remarks.append(mark.reason)
    remarks += odd_forms(present, mark.decimal, grouped=not mark.reason)
    question = f"can be read in two ways: {mark.question}" if mark.question else ""
    return Spelling(mark.decimal, affix), question, remarks


def is_plain(present: Sequence[str]) -> bool:
    """Return whether all cells are plain numbers, and the first ones show a point or no mark.

    It says nothing new about them, quickly: a wide table has millions of cells.
    """
    first = {found.mark for cell in present[:FIRST] if (found := numeral(cell)) is not None}
    if not ("." in first or not any("." in cell for cell in present)):
        return False
    return bool(np.isfinite(values(present, quick=True)).all())


def columns(table: RawTable, said: Spoken | None = None) -> dict[str, Column]:
    """Return the columns of a table by name."""
    delimiter = table.source.delimiter if len(table.names) > 1 else ""
    by_place = list(zip(*table.rows, strict=True)) or [()] * len(table.names)
    shown = [shown_mark(cells) for cells in by_place]
    return {
        name: column(
            name, cells, rows=table.numbers, said=said, delimiter=delimiter,
            elsewhere=agreed(shown[:j] + shown[j + 1 :]), typed=table.typed[j],
        )
        for j, (name, cells) in enumerate(zip(table.names, by_place, strict=True))
    }  # fmt: skip


def shown_mark(cells: Sequence[str]) -> str:
    """Return the decimal mark that the first cells show by themselves; empty if none, or both."""
    found = map(numeral, cells[:FIRST])
    marks = {one.mark for one in found if one is not None} - {"", "?"}
    return marks.pop() if len(marks) == 1 else ""


def agreed(marks: Sequence[str]) -> str:
    """Return the mark that all columns agree on, empty if none."""
    different = set(marks) - {""}
    return different.pop() if len(different) == 1 else ""
