"""Numbers as people write them: signs, currencies, percent, groups of three, decimal marks.

`1,200` is 1200 in one country and 1.2 in another. A cell alone does not say which; the other cells
of its column, the other columns and the delimiter of the file often do (`decimal_mark`). Where
they do not, the reader is asked: a number is never changed silently.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OTHER = {".": ",", ",": "."}
_CURRENCIES = (
    r"(?:R\$|[A-Z]{2,3}\$|[$€£¥₹₽₩₺₪฿₴₫]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|kr\.?|zł|Fr\.)"
)
_CURRENCY = re.compile(_CURRENCIES)
_PLAIN = str.maketrans(
    dict.fromkeys("\u2212\u2012\u2013\ufe63\uff0d", "-")  # minus signs and dashes
    | dict.fromkeys("\u00a0\u2007\u2008\u2009\u200a\u202f", " ")  # spaces that do not break
    | dict.fromkeys("\u2019\u02bc`\u00b4", "'")
    | dict.fromkeys("\u200b\ufeff\u200e\u200f", "")  # marks without width
)
_CELL = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[-+]?)\s*(?P<before>" + _CURRENCIES + r")?\s*(?P<inner>[-+]?)\s*"
    r"(?P<body>\d[\d.,' ]*|[.,]\d+)(?P<power>[eE][-+]?\d+)?\s*"
    r"(?P<after>" + _CURRENCIES + r"|[%‰°]?[^\W\d_]{0,6}[²³]?)?\s*(?P<end>-?)\s*(?P<close>\))?"
)
_GROUPED = re.compile(r"\d{1,3}(?:([ '])\d{3})(?:\1\d{3})*(?:[.,]\d*)?")
_EITHER = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_FORM = {
    decimal: re.compile(
        rf"(?:\d+|\d{{1,3}}(?:\{group}\d{{2,3}})*\{group}\d{{3}})?(?:\{decimal}\d*)?"
    )
    for decimal, group in OTHER.items()
}


class Numeral(NamedTuple):
    """A cell that is written like a number: ``-$1,200`` has the sign -1, the body 1,200, a $."""

    sign: int
    body: str
    power: str
    affix: str

    @property
    def mark(self) -> str:
        """The decimal mark that the cell shows by itself; "?" if it may be either; "" if none."""
        marks = [char for char in self.body if char in OTHER]
        if not marks:
            return ""
        if len(marks) == 1 and not self.power and _EITHER.fullmatch(self.body):
            return "?"
        if len(set(marks)) == 1 and len(marks) > 1:
            return OTHER[marks[0]]  # a mark that stands twice makes groups
        return marks[-1]

    def value(self, decimal: str) -> float:
        """The number, read with a decimal mark; NaN if it is not well formed so."""
        if not _FORM[decimal].fullmatch(self.body):
            return np.nan
        text = self.body.replace(OTHER[decimal], "").replace(decimal, ".") + self.power
        value = self.sign * float(text)
        return value if np.isfinite(value) else np.nan


@lru_cache(maxsize=1 << 16)
def numeral(cell: str) -> Numeral | None:
    """Return the parts of a cell that is written like a number; None if it is not.

    Examples
    --------
    >>> numeral("(1'200.50 CHF)")
    Numeral(sign=-1, body='1200.50', power='', affix='CHF')
    >>> numeral("2020-01-31") is None
    True
    """
    plain = cell.translate(_PLAIN).strip()
    found = _CELL.fullmatch(plain.removeprefix("'"))  # a spreadsheet's mark for a text
    if not found or bool(found["open"]) != bool(found["close"]):
        return None
    signs = [s for s in (found["sign"], found["inner"], found["end"]) if s]
    affixes = [a for a in (found["before"], found["after"]) if a]
    body = found["body"].strip()
    if " " in body or "'" in body:
        if not _GROUPED.fullmatch(body):
            return None
        body = body.replace(" ", "").replace("'", "")
    if len(signs) + bool(found["open"]) > 1 or len(affixes) > 1:
        return None
    if not any(form.fullmatch(body) for form in _FORM.values()):
        return None
    sign = -1 if found["open"] or "-" in signs else 1
    return Numeral(sign, body, found["power"] or "", affixes[0] if affixes else "")


def odd_forms(cells: Iterable[str], decimal: str, grouped: bool = True) -> list[str]:
    """Return how cells in brackets, with a minus behind, with groups and so on are read.

    An example of each; with `grouped` also of groups of three that "." or "," makes.

    Examples
    --------
    >>> odd_forms(["7", "(1'200.50)", "4.5-", "3-"], ".")
    ["(1'200.50) was read as -1200.5", '4.5- was read as -4.5']
    """
    group = f"\\{OTHER[decimal]}" if grouped else ""
    forms = (r"\(.*\)", r".*-", r"'.*", rf".*\d[ '{group}]\d.*")
    plain = {cell: cell.translate(_PLAIN).strip() for cell in cells}
    first = (next((c for c, text in plain.items() if re.fullmatch(f, text)), "") for f in forms)
    read = {cell: numeral(cell) for cell in first}
    return [
        f"{cell} was read as {found.value(decimal):.12g}"
        for cell, found in read.items()
        if found is not None
    ]


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, perhaps with a currency or a percent sign.

    Examples
    --------
    >>> is_number("1.234,5 €"), is_number("-3 %"), is_number("3rd"), is_number("1.2.2020")
    (True, True, False, False)
    """
    found = numeral(cell)
    return found is not None and (found.affix in ("", "%") or is_currency(found.affix))


def is_currency(affix: str) -> bool:
    """Return whether what stands beside a number is a currency."""
    return bool(_CURRENCY.fullmatch(affix))


def values(
    cells: Sequence[str], decimal: str = ".", affix: str | None = None, quick: bool = False
) -> Floats:
    """Return cells as finite numbers, NaN for all else; quick when all are plain numbers.

    With an `affix` only cells with it count, or without one if it is a currency. With `quick`
    cells that are not all plain numbers are all NaN.

    Examples
    --------
    >>> values(["1.234,5", "7", "high", "1e400"], ",")
    array([1234.5,    7. ,    nan,    nan])
    """
    if decimal == "." and not affix and not any("_" in cell for cell in cells):
        try:
            plain = np.array(cells, dtype=float)
        except ValueError:
            pass
        else:
            return np.where(np.isfinite(plain), plain, np.nan)
    if quick:
        return np.full(len(cells), np.nan)
    allowed = None if affix is None else {affix, ""} if is_currency(affix) else {affix}
    found = (numeral(cell) for cell in cells)
    return np.array(
        [np.nan if n is None or (allowed is not None and n.affix not in allowed)
         else n.value(decimal) for n in found], dtype=float,
    )  # fmt: skip


def common_affix(numerals: Iterable[Numeral]) -> tuple[str, tuple[str, ...]]:
    """Return what stands beside the numbers of a column, and the rivals that make it unclear.

    A currency may be missing beside some of them; a unit may not, since 950 and 1.2k differ.

    Examples
    --------
    >>> common_affix([numeral("$5"), numeral("7")])
    ('$', ())
    >>> common_affix([numeral("$5"), numeral("7 €")])
    ('$', ('$', '€'))
    """
    counts = Counter(n.affix for n in numerals)
    if len(counts) < 2:
        return next(iter(counts), ""), ()
    named = [affix for affix, _ in counts.most_common() if affix]
    if len(named) == 1 and is_currency(named[0]):
        return named[0], ()
    return named[0], tuple(affix or "none" for affix, _ in counts.most_common())


class Mark(NamedTuple):
    """The decimal mark of a column, why, and a question if the cells leave it open."""

    decimal: str
    reason: str = ""
    question: str = ""


def decimal_mark(
    numerals: Collection[Numeral], given: str | None, elsewhere: str, delimiter: str
) -> Mark:
    """Return the decimal mark of a column of numbers.

    Cells that show it by themselves decide; then what the reader says (`given`); then, if they do
    not contradict each other, whether whole numbers stand beside groups of three, what the other
    columns show (`elsewhere`), and a comma that separates the cells of the file.

    Examples
    --------
    >>> decimal_mark([numeral("950"), numeral("1,200")], None, "", ";").decimal
    '.'
    >>> decimal_mark([numeral("1,200"), numeral("2,300")], None, "", ";").question
    '1,200 is 1.2 or 1200. Say which, decimal="," or thousands=","'
    """
    shown = {n.mark for n in numerals} - {"", "?"}
    open_ones = [n for n in numerals if n.mark == "?"]
    if len(shown) > 1 and not given:
        pair = [next(n.body for n in numerals if n.mark == mark) for mark in ".,"]
        which = f"{pair[0]} has a decimal point and {pair[1]} a decimal comma"
        return Mark(".", question=f'{which}. Say which is meant, decimal="." or decimal=","')
    if len(shown) == 1 or not open_ones:
        return Mark(next(iter(shown)) if len(shown) == 1 else given or ".")
    if given:
        return Mark(given)
    if len({_own_mark(n) for n in open_ones}) > 1:
        pair = [next(n.body for n in open_ones if mark in n.body) for mark in ".,"]
        both = f"{pair[0]} and {pair[1]} cannot both have decimals or thousands"
        return Mark(".", question=f'{both}. Say which is meant, decimal="." or decimal=","')
    votes = {
        "whole numbers below 1000 stand beside them": _from_whole(numerals, open_ones),
        "the other columns say so": elsewhere,
        "the cells are separated by commas": "." if delimiter == "," else "",
    }
    said = {mark for mark in votes.values() if mark}
    if len(said) == 1:
        decimal = said.pop()
        reason = next(why for why, mark in votes.items() if mark)
        if decimal == _own_mark(open_ones[0]) == "." == votes["the cells are separated by commas"]:
            return Mark(decimal)  # 1.250 in a plain CSV file is a plain number
        return Mark(decimal, f"{_example(open_ones[0], decimal)}, because {reason}")
    own = _own_mark(open_ones[0])
    both = " or ".join(f"{open_ones[0].value(mark):g}" for mark in (own, OTHER[own]))
    say = f'Say which, decimal="{own}" or thousands="{own}"'
    return Mark(".", question=f"{open_ones[0].body} is {both}. {say}")


def _own_mark(one: Numeral) -> str:
    return "." if "." in one.body else ","


def _example(one: Numeral, decimal: str) -> str:
    return f"{one.body} was read as {one.value(decimal):.12g}"


def _from_whole(numerals: Iterable[Numeral], open_ones: Sequence[Numeral]) -> str:
    """What whole numbers without a mark tell of cells such as 1.200.

    1000 or more without a mark: nothing is grouped, so the mark is a decimal one. All below 1000,
    and some 1.200 that ends in 0: a program that writes 3 for 3.000 writes 1.2 for 1.200.
    """
    mark = _own_mark(open_ones[0])
    whole = [int(n.body) for n in numerals if n.body.isdigit() and int(n.body)]
    if any(number >= 1000 for number in whole):
        return mark
    if whole and any(n.body.endswith("0") for n in open_ones):
        return OTHER[mark]
    return ""
