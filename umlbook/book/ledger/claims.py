r"""The ledger: every equation and claim of the four papers, and the checks that settle them.

Each row of ``ledger.csv`` is one equation, theorem, algorithm, claim, figure or table, in the
order in which its paper has it. The column ``number`` is ours (``1.4``): it is empty while the
chapter is not written, and the chapter's markdown carries the same number as ``\tag{1.4}``. Two
papers may share a number when one display of the book settles an equation of each. Rows of the
paper ``umlbook`` are the book's own claims. The column ``mistake`` says what kind of mistake an
erratum is, in one of the words of `errata.KINDS`.

A notebook calls `check`, `check_true` or `erratum`; each prints one line, or raises
`LedgerError`. The line quotes the tolerance that was *asked for*, never the error that was
measured: the measured one changes with the processor and the BLAS, the asserted one is the same
wherever the check passes. For a sharper sentence, ask for a sharper ``rtol``.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from umlbook.book.ledger.evidence import (
    Draws,
    LedgerError,
    counted,
    draws_of,
    matched,
    numbers,
    said_tolerance,
    short,
    worst_gap,
)

Side: TypeAlias = ArrayLike | Iterable[ArrayLike]
Form: TypeAlias = bool | NDArray[np.bool_] | Sequence[bool] | tuple[Side, Side]

SAID = {  # status -> what a passed check says of the entry
    "holds": "holds",
    "definition": "holds as defined",
    "equivalent": "holds in an equivalent form",
    "corrected": "holds as corrected",
    "unspecified": "is left open in print, our reading holds",
}
ERRATA = ("corrected", "fails")
CLEAR_MISS = 1e-6  # a printed form that misses by less than this may be right up to rounding
OURS = "umlbook"  # the paper of the rows that are the book's own claims
LEGIBLE = 1e-4  # extremes smaller than this are rounding or a solver's tolerance: not printed


@dataclass(frozen=True)
class Entry:
    """One row of the ledger; the fields are the columns of ``ledger.csv``."""

    id: str
    paper: str
    printed: str
    number: str
    kind: str
    latex: str
    printed_form: str
    status: str
    mistake: str
    how_to_check: str
    chapter: str

    @property
    def label(self) -> str:
        """Our number and the paper's: ``(1.4) CPD-UML Eq. 10``."""
        ours = f"({self.number})" if self.number else ""
        theirs = f"{self.paper} {self.printed.replace(', unnumbered', '')}"
        return f"{ours} {theirs if self.paper != OURS else ''}".strip()


@cache
def entries() -> tuple[Entry, ...]:
    """All entries, by paper and order of appearance."""
    text = files("umlbook.book.ledger").joinpath("ledger.csv").read_text(encoding="utf-8")
    return tuple(Entry(**row) for row in csv.DictReader(text.splitlines()))


def entry(id: str) -> Entry:
    """Return the entry with this id.

    Examples
    --------
    >>> entry("cpd.20").printed
    'Eq. 20'
    >>> entry("cpd.thm.kyfann")
    Traceback (most recent call last):
    ValueError: no ledger entry 'cpd.thm.kyfann'; near it: 'cpd.thm.kyfan', 'cpd.thm.horn'
    """
    known = {e.id: e for e in entries()}
    if id in known:
        return known[id]
    near = difflib.get_close_matches(str(id), known, n=3, cutoff=0.6)
    hint = "near it: " + ", ".join(map(repr, near)) if near else "ledger.csv lists all"
    raise ValueError(f"no ledger entry {id!r}; {hint}")


def check(
    id: str,
    left: Side,
    right: Side | None = None,
    *,
    below: Side | None = None,
    above: Side | None = None,
    rtol: float = 1e-9,
    atol: float = 0.0,
    unit: str | None = None,
) -> None:
    r"""Check an equation, or a bound, of the ledger and print one line that says so.

    Parameters
    ----------
    id : str
        The entry, e.g. ``"cpd.20"``; one of status ``fails`` is refused: see `erratum`.
    left, right : number, array, or list, tuple or iterator of them
        The two sides. A list (tuple, iterator) holds draws, compared one by one; an array or a
        number is one value. Shapes must be equal: nothing is broadcast.
    below, above : number, or values of the shape of `left`
        Instead of `right`: every number of `left` is at most (at least) this, up to
        ``atol + rtol * abs(bound)``. A bound of zero has no slack unless `atol` gives it.
    rtol, atol : float
        A draw passes when :math:`\max|l-r| < atol + rtol\,s` (or the sides are identical), with
        :math:`s=\max(\max|l|,\max|r|)` over that draw: an entry near zero is judged by the size
        of the array it stands in. Beside a side that is exactly zero only `atol` has a meaning.
    unit : str, optional
        What is counted, in the plural: ``"draws"``, ``"steps"``, ``"clusters"``.

    Raises
    ------
    LedgerError
        When the sides differ, or cannot be compared: NaN, empty, unequal shapes or lengths.

    Examples
    --------
    >>> check("naml.table2", [150.0, 4.0], [150, 4], rtol=1e-12)
    NAML Table 2 holds as defined: 2 draws, worst relative error < 1e-12
    >>> check("cpd.fig1", [0.985, 0.99], above=0.98, unit="runs")
    CPD-UML Figure 1 holds: 2 runs, smallest 0.985 >= 0.98
    """
    row = _checked_entry(id)
    given = [side for side in (right, below, above) if side is not None]
    if len(given) != 1:
        raise LedgerError(f"check({id!r}): give one of right, below, above; {len(given)} given")
    try:
        if right is not None:
            evidence = _equality(left, right, rtol, atol, unit or "draws")
        else:
            sign = 1 if above is None else -1
            evidence = _one_sided(left, given[0], sign, rtol, atol, unit or "values")
    except LedgerError as error:
        raise LedgerError(f"{row.label} [{id}] is not shown: {error}") from error.__cause__
    print(f"{row.label} {SAID[row.status]}: {evidence}")


def _checked_entry(id: str) -> Entry:
    row = entry(id)
    if row.status not in SAID:
        raise LedgerError(f"{row.label} [{id}] has status {row.status!r}: use erratum")
    return row


def _equality(left: object, right: object, rtol: float, atol: float, unit: str) -> str:
    """The evidence that two sides agree, or LedgerError."""
    limit = said_tolerance(rtol, atol)
    pairs, several = matched(left, right)
    gap = worst_gap(pairs, rtol, atol)
    if gap.miss >= 1:
        zero = any(not np.any(side) for pair in pairs for side in pair) and not atol
        hint = "; one side is exactly zero: give atol, or compare the two terms" if zero else ""
        raise LedgerError(f"{gap.text}; wanted {limit}{hint}")
    return f"{counted(pairs, several, unit)}, {limit}"


def _values_and_bounds(values: object, bound: object) -> Draws:
    """Each array of `values` beside its bound; only a single number is repeated."""
    if draws_of(bound) is not None or np.ndim(np.asarray(bound)) > 0:
        return matched(values, bound)[0]
    draws = draws_of(values)
    arrays = [numbers(v, "left") for v in ([values] if draws is None else draws)]
    if not arrays:
        raise LedgerError("there are no values: nothing would be checked")
    return [(a, np.full(a.shape, numbers(bound, "the bound"))) for a in arrays]


def _one_sided(
    values: object, bound: object, sign: int, rtol: float, atol: float, unit: str
) -> str:
    """The evidence that values keep to a bound, or LedgerError."""
    said_tolerance(rtol, atol)
    pairs = _values_and_bounds(values, bound)
    x = np.concatenate([a.ravel() for a, _ in pairs])
    b = np.concatenate([c.ravel() for _, c in pairs])
    if np.iscomplexobj(x) or np.iscomplexobj(b):
        raise LedgerError("complex numbers have no order: give real ones")
    excess = sign * (x - b) - (atol + rtol * np.abs(b))
    word, sides = ("largest", "<=") if sign > 0 else ("smallest", ">=")
    if excess.max() > 0:
        i = int(np.argmax(excess))
        raise LedgerError(
            f"value {i} of {x.size} is {x[i]!s}, wanted {sides} {b[i]!s}; "
            f"{int((excess > 0).sum())} of {x.size} break the bound"
        )
    extreme = x.max() if sign > 0 else x.min()
    one = x.size == 1
    if np.ptp(b) > 0:
        said = f"each {sides} its own bound"
    elif abs(extreme) < LEGIBLE:
        said = f"{'at most' if sign > 0 else 'at least'} {short(b[0])}"
    else:
        said = f"{'' if one else word + ' '}{short(extreme)} {sides} {short(b[0])}"
    return f"{'one value' if one else f'{x.size} {unit}'}, {said}"


def _truths(condition: object, name: str) -> NDArray[np.bool_]:
    """`condition` as a flat array of booleans; anything merely truthy is refused."""
    if isinstance(condition, Iterator):
        condition = list(condition)
    array = np.asarray(condition)
    if array.dtype.kind != "b":
        given = f"{type(condition).__name__} {condition!r:.60}"
        raise TypeError(f"{name} is {given}: give a boolean, or an array or list of them")
    if array.size == 0:
        raise LedgerError(f"{name} is empty: nothing would be checked")
    return array.ravel()


def check_true(id: str, condition: object, says: str) -> None:
    """Check a claim that is true or false, in every case given, and print its sentence.

    Parameters
    ----------
    id : str
        The entry; one of status ``fails`` is refused: see `erratum`.
    condition : bool, or array, list or iterator of bool
        All must be true.
    says : str
        What has been shown, as the end of a sentence.

    Examples
    --------
    >>> check_true("naml.table2", [True, True], says="the shapes are those of the files")
    NAML Table 2 holds as defined: the shapes are those of the files (2 cases)
    """
    row = _checked_entry(id)
    if not says.strip():
        raise LedgerError(f"check_true({id!r}): `says` is empty, write what has been shown")
    truths = _truths(condition, f"the condition of {id!r}")
    if not truths.all():
        first, wrong = int(np.argmin(truths)), int((~truths).sum())
        raise LedgerError(
            f"{row.label} [{id}] is not shown: {says!r} is false in {wrong} of {truths.size} "
            f"cases, first in case {first}"
        )
    cases = f" ({truths.size} cases)" if truths.size > 1 else ""
    print(f"{row.label} {SAID[row.status]}: {says}{cases}")


def erratum(
    id: str,
    *,
    printed: Form | Callable[[], Form],
    corrected: Form | Callable[[], Form] | None = None,
    witness: str,
    verdict: str = "",
    rtol: float = 1e-9,
    atol: float = 0.0,
) -> None:
    """Show by a counterexample that the printed form fails, and that the corrected one holds.

    Parameters
    ----------
    id : str
        An entry of status ``corrected`` or ``fails``.
    printed, corrected : (left, right), bool or booleans, or a function that returns one of them
        The two forms at the witness. The printed one must miss clearly (relative error above
        1e-6), be false, not finite, or, as a function, be undefined (raise ValueError or
        ArithmeticError). `corrected` may be left out for the status ``fails`` only.
    witness : str
        The counterexample in words.
    verdict : str
        What to print in place of the status and the flaw, e.g. of a claim about data, which runs
        may not support and cannot refute.
    rtol, atol : float
        As in `check`, for the corrected form.

    Examples
    --------
    >>> erratum("pm.table1", printed=(10, 9), corrected=(9, 9), witness="the columns of Glass")
    PM Table 1 corrected: the printed form misses by 0.1, ours holds; witness: the columns of Glass
    """
    row = entry(id)
    if row.status not in ERRATA:
        raise LedgerError(f"{row.label} [{id}] has status {row.status!r}: use check or check_true")
    if not witness.strip():
        raise LedgerError(f"erratum({id!r}): `witness` is empty, name the counterexample")
    if corrected is None and row.status == "corrected":
        raise LedgerError(f"{row.label} [{id}] is corrected: give the corrected form too")
    try:
        flaw = _flaw(printed)
        if corrected is not None:
            _require(corrected() if callable(corrected) else corrected, rtol, atol)
    except LedgerError as error:
        raise LedgerError(f"{row.label} [{id}] is no erratum: {error}") from error.__cause__
    ours = "" if corrected is None else ", ours holds"
    said = f": {verdict}" if verdict else f" {row.status}: the printed form {flaw}{ours}"
    print(f"{row.label}{said}; witness: {witness}")


def _sides(form: object) -> tuple[object, object] | None:
    """The two sides of an equation, draws as lists; None for a boolean or several."""
    if not isinstance(form, tuple) or len(form) != 2 or isinstance(form[0], bool | np.bool_):
        return None
    left, right = (side if (draws := draws_of(side)) is None else draws for side in form)
    return left, right


def _flaw(printed: Form | Callable[[], Form]) -> str:
    """How the printed form fails, or LedgerError when it does not."""
    try:
        form = printed() if callable(printed) else printed
    except (ValueError, ArithmeticError):
        return "is undefined"
    sides = _sides(form)
    if sides is None:
        if _truths(form, "the printed form").all():
            raise LedgerError("the printed form is true at the witness")
        return "is false"
    flat = chain.from_iterable(side if isinstance(side, list) else [side] for side in sides)
    if any(a.dtype.kind in "fc" and not np.isfinite(a).all() for a in map(np.asarray, flat)):
        return "is not finite"
    gap = worst_gap(matched(*sides)[0], CLEAR_MISS, 0.0)
    if gap.miss < 1:
        raise LedgerError(f"the printed form agrees to {gap.relative:.1g}: {gap.text}")
    return f"misses by {gap.relative:.2g}"


def _require(form: object, rtol: float, atol: float) -> None:
    """Raise LedgerError unless the corrected form holds."""
    sides = _sides(form)
    if sides is not None:
        _equality(*sides, rtol, atol, "draws")
    elif not _truths(form, "the corrected form").all():
        raise LedgerError("the corrected form is false at the witness")
