"""Properties that several exercises of chapter 8 share."""

from collections.abc import Callable

import numpy as np

from umlbook.book.exercise_model import Attempt, Case, Property


def is_yes_or_no(attempt: Attempt) -> str | None:
    """Every entry is True or False."""
    return None if np.isin(attempt.array, [0, 1]).all() else "give True or False for each"


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
