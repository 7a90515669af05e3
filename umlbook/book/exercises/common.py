"""The mistakes that are met in every exercise: sign, factor, axis, order, off by one.

An exercise names the mistakes of its own subject. When it knows none for an answer, this table is
asked: each entry compares the answer with what the reference gives for the same data, and says its
sentence only where one transformation of the reference is the answer, number by number.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from umlbook.book.exercises.model import Array, Case, same_values

#: From the answer, the reference's result and the data to the sentence, or None.
Explanation = Callable[[Array, Array, Case], str | None]


def explained(value: Any, right: Any, case: Case, quantities: Sequence[str]) -> tuple[str, str]:
    """Name and sentence of the common mistake that leads to `value`; two empty texts for none."""
    if quantities:
        found = _stream(value, right, case, quantities)
    else:
        found = _arrays(np.asarray(value), np.asarray(right), case)
    return next(found, ("", ""))


# ------------------------------------------------------------------------------- one array


def _wrong_sign(value: Array, right: Array, case: Case) -> str | None:
    return "the sign is wrong: this is minus what is asked for" if _is(value, -right) else None


def _twice(value: Array, right: Array, case: Case) -> str | None:
    return "this is twice what is asked for" if _is(value, 2 * right) else None


def _half(value: Array, right: Array, case: Case) -> str | None:
    return "this is half of what is asked for" if _is(value, right / 2) else None


def _one_less(value: Array, right: Array, case: Case) -> str | None:
    for n in _sizes(case):
        if _is(value, right * n / (n - 1)):
            return f"this is n / (n - 1) times what is asked for, with n = {n}: why n - 1?"
        if _is(value, right * (n - 1) / n):
            return f"this is (n - 1) / n times what is asked for, with n = {n}"
    return None


def _averaged(value: Array, right: Array, case: Case) -> str | None:
    for n in _sizes(case):
        if _is(value, right / n):
            return f"this is what is asked for, divided by {n}: a mean in place of a sum?"
        if _is(value, right * n):
            return f"this is {n} times what is asked for: a sum in place of a mean?"
    return None


def _sizes(case: Case) -> list[int]:
    """The lengths and widths of the data, from three on: with two, n - 1 is a half."""
    return sorted({n for array in case.values() for n in np.shape(array) if n > 2})


def _transposed(value: Array, right: Array, case: Case) -> str | None:
    turned = value.ndim == 2 and value.shape[::-1] == right.shape and _is(value.T, right)
    return "this is the transpose of what is asked for" if turned else None


def _from_one(value: Array, right: Array, case: Case) -> str | None:
    if not np.issubdtype(right.dtype, np.integer):
        return None
    if _is(value, right + 1):
        return "every number is one too large: here they are counted from 0, not from 1"
    return "every number is one too small" if _is(value, right - 1) else None


def _sorted(value: Array, right: Array, case: Case) -> str | None:
    if right.ndim != 1 or np.isnan(right).any():
        return None
    up = np.sort(right)
    if _is(value, up) or _is(value, up[::-1]):
        return "these are the right numbers, sorted: keep the order of the data"
    return None


def _whole(value: Array, right: Array, case: Case) -> str | None:
    cut = _is(value, np.trunc(right)) or _is(value, np.round(right))
    return "the fractions are lost: was an array of integers filled?" if cut else None


def _other_axis(value: Array, right: Array, case: Case) -> str | None:
    if value.ndim != 1 or right.ndim != 1:
        return None
    for name, array in case.items():
        if np.shape(array) in (pair := (len(value), len(right)), pair[::-1]):
            yours, ours = ("row", "column")[:: 1 if np.shape(array) == pair else -1]
            return (
                f"this has one number for each {yours} of {name}, asked for is one for each "
                f"{ours}: the axis is the wrong one"
            )
    return None


def _other_k(value: Array, right: Array, case: Case) -> str | None:
    if value.ndim != 2 or right.ndim != 2 or len(value) != len(right):
        return None
    wide, K = value.shape[1], right.shape[1]
    if wide == K or not same_values(value[:, : min(wide, K)], right[:, : min(wide, K)]):
        return None
    return f"the columns are right as far as they go, but there are {wide} and not {K}: K is wrong"


def _one_off(value: Array, right: Array, case: Case) -> str | None:
    if value.ndim != 1 or right.ndim != 1 or abs(len(value) - len(right)) != 1:
        return None
    short, long = sorted((value, right), key=len)
    for end, rest in (("last", long[:-1]), ("first", long[1:])):
        if same_values(short, rest):
            what = "is missing" if len(value) < len(right) else "is too many"
            return f"the {end} number {what}, the others are right: a range is off by one"
    return None


_TABLE: dict[str, Explanation] = {
    "sign": _wrong_sign,
    "twice": _twice,
    "half": _half,
    "n - 1": _one_less,
    "mean or sum": _averaged,
    "transposed": _transposed,
    "counted from one": _from_one,
    "sorted": _sorted,
    "fractions lost": _whole,
    "wrong axis": _other_axis,
    "wrong K": _other_k,
    "off by one": _one_off,
}


def _is(value: Array, wrong: Array) -> bool:
    return same_values(value, wrong)


def _arrays(value: Array, right: Array, case: Case) -> Iterator[tuple[str, str]]:
    if value.dtype.kind not in "biuf" or right.dtype.kind not in "iuf" or same_values(value, right):
        return
    for name, explain in _TABLE.items():
        if message := explain(value, right, case):
            yield name, message


# -------------------------------------------------------------------------- a stream of states


def _stream(
    value: Any, right: Any, case: Case, quantities: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with states that have all quantities: their arrays, number, or place."""
    if not isinstance(value, list) or not value:
        return
    mine, ours = ([_of(state, quantities) for state in states] for states in (value, right))
    for k, name in enumerate(quantities):
        if _shared([state[k] for state in mine]) and not _alike(mine, ours, k):
            yield (
                "one array for all states",
                f"all states hold the very same array of {name}, so that each shows the last: make "
                "a new array in each step",
            )
    yield from _shifted(mine, ours)
    for k, name in enumerate(quantities):
        others = [j for j in range(len(quantities)) if j != k]
        if len(mine) == len(ours) and all(_alike(mine, ours, j) for j in others):
            value, right = (np.array([state[k] for state in states]) for states in (mine, ours))
            for mistake, message in _arrays(value, right, case):
                yield mistake, f"{name}: {message}"


def _of(state: Any, quantities: Sequence[str]) -> list[Array]:
    return [np.asarray(getattr(state, name)) for name in quantities]


def _alike(mine: list[list[Array]], ours: list[list[Array]], k: int) -> bool:
    """Whether quantity `k` is right in all states that both have."""
    return all(same_values(a[k], b[k]) for a, b in zip(mine, ours, strict=False))


def _same(mine: list[list[Array]], ours: list[list[Array]]) -> bool:
    """Whether two streams agree in all quantities as far as both go."""
    return bool(mine and ours) and all(_alike(mine, ours, k) for k in range(len(ours[0])))


def _shared(arrays: list[Array]) -> bool:
    """Whether several arrays are one in memory."""
    first, *others = arrays
    return bool(first.ndim and others) and all(np.shares_memory(first, a) for a in others)


def _shifted(mine: list[list[Array]], ours: list[list[Array]]) -> Iterator[tuple[str, str]]:
    if _same(mine, ours):
        if len(mine) < len(ours):
            yield "stream too short", "what you yield is right, but more is to come"
        elif len(mine) > len(ours):
            yield "stream too long", f"the first {len(ours)} states are right, then it should end"
    elif _same(mine, ours[1:]):
        yield "starts late", "the first state is missing: the stream starts one step late"
    elif _same(mine[1:], ours):
        yield "starts early", "the states are right after the first: yield after a step, not before"
