"""How the ledger compares two sides: draw by draw, entry by entry, nothing broadcast."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Draws: TypeAlias = list[tuple[NDArray[np.inexact], NDArray[np.inexact]]]
"""The two sides of each draw, as arrays of one shape."""


class LedgerError(AssertionError):
    """A check that failed, an erratum that is none, or a call that the entry's status forbids."""


@dataclass(frozen=True)
class Gap:
    """The worst disagreement of two sides; `miss` is in units of the tolerance."""

    miss: float
    relative: float
    text: str


def draws_of(side: object) -> list[object] | None:
    """The draws of a list, tuple or iterator; None for one array or one number."""
    if np.isscalar(side) or hasattr(side, "__array__") or not isinstance(side, Iterable):
        return None
    return list(side)


def numbers(value: object, name: str) -> NDArray[np.inexact]:
    """`value` as a finite, nonempty floating-point or complex array."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise LedgerError(f"{name} is ragged: give a list of draws, each an array") from error
    if array.dtype.kind == "b":
        raise LedgerError(f"{name} is true or false, not a number: use check_true")
    if array.dtype.kind not in "iufc":
        raise LedgerError(f"{name} has dtype {array.dtype}: numbers are expected")
    if array.size == 0:
        raise LedgerError(f"{name} is empty (shape {array.shape}): nothing would be checked")
    if not np.isfinite(array).all():
        at = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
        raise LedgerError(f"{name} has {array[at]} at {at}: finite numbers are expected")
    return array.astype(np.result_type(array.dtype, np.float64))


def matched(left: object, right: object) -> tuple[Draws, bool]:
    """Pairs of arrays of equal shape, and whether they are draws; nothing is broadcast."""
    lefts, rights = draws_of(left), draws_of(right)
    several = lefts is not None or rights is not None
    if several:  # beside a list, the first axis of an array counts the draws
        lefts = list(np.atleast_1d(np.asarray(left))) if lefts is None else lefts
        rights = list(np.atleast_1d(np.asarray(right))) if rights is None else rights
        if len(lefts) != len(rights):
            raise LedgerError(
                f"left has {len(lefts)} draws, right {len(rights)}: give as many on each side"
            )
        if not lefts:
            raise LedgerError("there are no draws: nothing would be checked")
    pairs = []
    for i, (a, b) in enumerate(zip(lefts or [left], rights or [right], strict=True)):
        at = f" of draw {i}" if several else ""
        x, y = numbers(a, f"left{at}"), numbers(b, f"right{at}")
        if x.shape != y.shape:
            raise LedgerError(f"left{at} has shape {x.shape}, right {y.shape}: make them equal")
        pairs.append((x, y))
    return pairs, several


def worst_gap(pairs: Draws, rtol: float, atol: float) -> Gap:
    """The worst draw; the scale of a draw is its largest entry in absolute value, either side."""
    worst = Gap(-1.0, 0.0, "")
    for draw, (a, b) in enumerate(pairs):
        gaps = np.abs(a - b)
        at = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        gap, scale = float(gaps[at]), float(max(np.abs(a).max(), np.abs(b).max()))
        allowed = atol + rtol * scale
        miss = 0.0 if gap == 0 else gap / allowed if allowed > 0 else np.inf
        if miss > worst.miss:
            where = f"draw {draw}, " if len(pairs) > 1 else ""
            text = (
                f"{where}shape {a.shape}, worst at {tuple(map(int, at))}: left {a[at]!s}, "
                f"right {b[at]!s}, difference {gap:.3g}, scale {scale:.3g}"
            )
            worst = Gap(miss, gap / scale if scale else 0.0, text)
    return worst


def short(x: float) -> str:
    """Four significant digits, without a negative zero or zeros in the exponent."""
    return re.sub(r"e([+-])0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", f"{x + 0.0:.4g}")


def said_tolerance(rtol: float, atol: float) -> str:
    if not (0 <= rtol < 1 and 0 <= atol < np.inf):
        raise ValueError(f"rtol={rtol}, atol={atol}: give 0 <= rtol < 1 and a finite atol >= 0")
    if rtol and atol:
        return f"worst error < {short(atol)} + {short(rtol)} x scale"
    if rtol or atol:
        return f"worst {'relative' if rtol else 'absolute'} error < {short(rtol or atol)}"
    return "equal exactly"


def counted(pairs: Draws, several: bool, unit: str) -> str:
    if several:
        return f"{len(pairs)} {unit}"
    shape = pairs[0][0].shape
    if not shape:
        return "one value"
    return " x ".join(map(str, shape)) + (" entries" if len(shape) == 1 else " array")
