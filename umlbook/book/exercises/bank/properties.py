"""Properties and remarks that several exercises share.

Each factory returns a `Property`: a function of the attempt that returns the sentence saying how
the answer fails, or None. A sentence follows "for the points in your data: " and never holds the
expected value.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from umlbook.book.exercises.model import Attempt, Case, Property, same_values
from umlbook.book.exercises.run import MAX_STATES, limited
from umlbook.book.exercises.traced import solved_order


def has_shape(shape: Callable[[Case], tuple[int, ...]]) -> Property:
    """The answer is an array of the shape that the case asks for."""

    def check(attempt: Attempt) -> str | None:
        got, want = np.shape(attempt.value), shape(attempt.case)
        return None if got == want else f"your result has shape {got}, not {want}"

    return check


def apart(value: float, other: float) -> str:
    """A number with as many digits as it takes to tell it from another.

    >>> apart(1.00002, 1.0), apart(1.73, 1.0)
    ('1.00002', '1.73')
    """
    shown = (f"{value:.{digits}g}" for digits in range(3, 18))
    return next((text for text in shown if float(text) != float(f"{other:.3g}")), f"{value:.17g}")


def is_number(attempt: Attempt) -> str | None:
    """The answer is one number (an array with a single entry counts)."""
    array = np.asarray(attempt.value)
    if array.size == 1 and np.issubdtype(array.dtype, np.number):
        return None
    return f"a number is asked for, your result is of type {type(attempt.value).__name__}"


def is_finite(attempt: Attempt) -> str | None:
    """No NaN, no infinity."""
    bad = np.argwhere(~np.isfinite(attempt.array))
    if not bad.size:
        return None
    place = f" at {tuple(map(int, bad[0]))}" if bad[0].size else ""
    return f"your result is not finite{place}"


def is_nonnegative(attempt: Attempt) -> str | None:
    """A sum of squares cannot be negative."""
    lowest = float(attempt.array.min())
    return f"your value {lowest:.3g} is negative" if lowest < -1e-9 else None


def is_positive(name: str) -> Property:
    """A number above zero, called so on the page."""
    return lambda attempt: (
        None
        if attempt.number > 0
        else f"your {name} is {attempt.number:.3g}: it must be larger than zero"
    )


def unmoved_by_shift(attempt: Attempt) -> str | None:
    """Moving all points together changes no scatter."""
    before, after = attempt.array, np.asarray(attempt.again(X=attempt.case.X + 3.0), dtype=float)
    if np.allclose(before, after, rtol=1e-6, atol=1e-6):
        return None
    at = int(np.argmax(np.abs(before - after)))
    was, now = before.flat[at], after.flat[at]
    return f"moving all points by the same vector changes your value from {was:.3g} to {now:.3g}"


def quadratic(attempt: Attempt) -> str | None:
    """Doubling all points makes a sum of squares four times as large."""
    before, after = attempt.array, np.asarray(attempt.again(X=2.0 * attempt.case.X), dtype=float)
    if np.allclose(4 * before, after, rtol=1e-6, atol=1e-9):
        return None
    factor = float(np.sum(after) / np.sum(before)) if np.sum(before) else np.inf
    return f"doubling all points makes your value {factor:.3g} times as large, not 4"


def agrees_with(reference: Callable[..., Any], what: str = "value") -> Property:
    """The answer equals the reference; says where it differs and in which direction."""

    def check(attempt: Attempt) -> str | None:
        want = np.asarray(reference(*attempt.case.values()), dtype=float)
        if same_values(attempt.array.reshape(want.shape), want):
            return None
        gap = attempt.array.reshape(want.shape) - want
        at = np.unravel_index(int(np.argmax(np.abs(gap))), want.shape)
        place = f" at {tuple(map(int, at))}" if want.ndim else ""
        return f"your {what}{place} is too {'large' if gap[at] > 0 else 'small'}"

    return check


@dataclass(frozen=True)
class Ordered:
    """The letters are a proof: all true steps, once each, each after those it needs.

    It is data, and no closure, so that a page without Python can judge by the same rule.
    """

    needs: Mapping[str, str]
    false_steps: str = ""

    def __call__(self, attempt: Attempt) -> str | None:
        """Return how the letters fail to be a proof, or None."""
        letters: str = attempt.value
        for letter in letters:
            if letter not in self.needs:
                return f"there is no step ({letter})"
            if letters.count(letter) > 1:
                return f"step ({letter}) stands there more than once"
            if letter in self.false_steps:
                return f"step ({letter}) is not true, so no proof can use it"
        for place, letter in enumerate(letters):
            for need in self.needs[letter]:
                if need in letters[place:]:
                    return f"step ({letter}) uses step ({need}), which comes later"
        missing = len(set(self.needs) - set(self.false_steps) - set(letters))
        return f"something is missing: {missing} more step(s)" if missing else None


def ordered(needs: Mapping[str, str], false_steps: str = "") -> Ordered:
    """The letters are a proof: all true steps, once each, each after those it needs."""
    return Ordered(needs, false_steps)


@dataclass(frozen=True)
class OrderSign:
    """For a mistake: what an order looks like that makes it; data, as `Ordered` is."""

    rule: Literal["begins", "contains", "before"]
    steps: str

    def __call__(self, attempt: Attempt) -> str | None:
        """Return the steps that give the mistake away, or None."""
        places = [attempt.value.find(step) for step in self.steps]
        seen = {
            "begins": places[0] == 0,
            "contains": places[0] >= 0,
            "before": 0 <= places[0] < places[-1],
        }
        return self.steps if seen[self.rule] else None


def begins_with(letter: str) -> OrderSign:
    """For a mistake: the order begins with this step."""
    return OrderSign("begins", letter)


def contains(letter: str) -> OrderSign:
    """For a mistake: the order has this step."""
    return OrderSign("contains", letter)


def before(early: str, late: str) -> OrderSign:
    """For a mistake: one step comes before another."""
    return OrderSign("before", early + late)


def chosen(right: str, letters: Sequence[str]) -> Property:
    """The answer is one letter, the right one."""

    def check(attempt: Attempt) -> str | None:
        if attempt.value not in letters:
            return f"answer with one of the letters {', '.join(letters)}"
        return None if attempt.value == right else f"it is not ({attempt.value})"

    return check


def no_data(_: np.random.Generator) -> list[Case]:
    """For exercises on a proof: one case without data."""
    return [Case("the proof")]


def loops(attempt: Attempt) -> str | None:
    """Remark: the function runs a Python loop where array operations would do."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(attempt.function)))
    except (OSError, TypeError, SyntaxError):  # no source to look at
        return None
    kinds = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return "it loops in Python: array operations alone can do it" if found else None


def not_plain_number(attempt: Attempt) -> str | None:
    """Remark: an array with one entry stands where a number is asked for."""
    shape = np.shape(attempt.value)
    return f"it returns an array of shape {shape} where a number will do" if shape else None


def is_yes_or_no(attempt: Attempt) -> str | None:
    """Every entry is True or False."""
    return None if np.isin(attempt.array, [0, 1]).all() else "give True or False for each"


def is_label(attempt: Attempt) -> str | None:
    """Labels are integers, so that they can be used as an index."""
    kind = np.asarray(attempt.value).dtype
    if np.issubdtype(kind, np.integer):
        return None
    return f"labels are integers, yours are of type {kind}: they must do as an index"


def solves_at_most(order: Callable[[Case], int], enough: str) -> Property:
    """No linear system of a larger order is solved on the way."""

    def check(attempt: Attempt) -> str | None:
        watched, args = solved_order(attempt.function), attempt.case.values()
        largest, allowed = limited(lambda: watched(*args)), order(attempt.case)
        if largest <= allowed:
            return None
        return (
            f"your result is right, but on the way you solve or factor a system of order {largest}"
            f": {enough}"
        )

    return check


def is_place_and_number(place: str, count: Callable[[Case], int], number: str) -> Property:
    """The answer is two numbers: a place in the table, counted from 0, and what belongs there."""

    def check(attempt: Attempt) -> str | None:
        if attempt.array.shape != (2,):
            return f"give a {place} and {number}; yours has shape {attempt.array.shape}"
        given, n = attempt.array[0], count(attempt.case)
        if given in range(n):
            return None
        return f"there is no {place} {given:g}: they are numbered from 0 to {n - 1}"

    return check


def yields_states(state: type, ask: str = "", endless: bool = True) -> Property:
    """The answer yields states with the names of ours and never ends; else `ask` for them."""
    names = [part.name for part in fields(state)]
    ask = ask or f"yield a {state.__name__} after every step, without end: the caller stops"

    def check(attempt: Attempt) -> str | None:
        states = attempt.value
        if not isinstance(states, list) or not states:
            return ask
        missing = [name for one in states for name in names if not hasattr(one, name)]
        if missing:
            return f"your state has no {missing[0]}: yield {state.__name__}(...)"
        kinds = [np.asarray(one.labels).dtype for one in states]
        if floats := [kind for kind in kinds if not np.issubdtype(kind, np.integer)]:
            return f"labels are integers, yours are of type {floats[0]}: they must do as an index"
        if endless and len(states) < MAX_STATES:
            return f"your stream ends after {len(states)} state{'s' * (len(states) > 1)}: {ask}"
        return None

    return check


def same_states(names: Sequence[str]) -> Callable[[Sequence[Any], Sequence[Any]], bool]:
    """For `Exercise.same`: two lists have as many states, and they hold the same numbers."""

    def same(left: Sequence[Any], right: Sequence[Any]) -> bool:
        return len(left) == len(right) > 0 and all(
            same_values(getattr(a, name), getattr(b, name))
            for a, b in zip(left, right, strict=True)
            for name in names
        )

    return same
