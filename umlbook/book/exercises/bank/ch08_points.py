"""Exercise 8.4: the ranking scores of a column add up, so a wrong one shows and a gap is filled."""

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import is_finite, is_place_and_number
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake


def ranking_points(rng: np.random.Generator, n_methods: int, n_sets: int) -> Array:
    """Points of (8.7): methods by data sets, from strengths that are close enough for draws."""
    strength = rng.normal(0, 1, (n_methods, 1)) + rng.normal(0, 0.7, (n_methods, n_sets))
    ahead = strength[:, None] - strength[None]
    wins, draws = ahead > 0.5, np.abs(ahead) <= 0.5
    return np.asarray(wins.sum(axis=1) + (draws.sum(axis=1) - 1) / 2)  # no method meets itself


def printed_points(rng: np.random.Generator, n_methods: int, n_sets: int) -> Array:
    """The same as printed: one cell is wrong, and in another column one cannot be read."""
    points = ranking_points(rng, n_methods, n_sets)
    wrong, torn = rng.choice(n_sets, 2, replace=False)
    row = rng.integers(n_methods)
    up = points[row, wrong] < (n_methods - 1) / 2
    points[row, wrong] += 1 if up else -1
    # The best method's cell: neither the mean of the others nor zero is a lucky guess for it.
    points[points[:, torn].argmax(), torn] = np.nan
    return points


def points_cases(rng: np.random.Generator) -> list[Case]:
    """Tables of ten methods, of four, and of seven."""
    return [
        Case("the table in your data", points=printed_points(rng, 10, 6)),
        Case("four methods", points=printed_points(rng, 4, 5)),
        Case("seven methods on twelve data sets", points=printed_points(rng, 7, 12)),
    ]


def wrong_column_and_torn_cell(points: Array) -> Array:
    """Reference of 8.4."""
    n_methods = len(points)
    missing = n_methods * (n_methods - 1) / 2 - np.nansum(points, axis=0)
    torn = np.isnan(points).any(axis=0)
    wrong = np.argmax(np.where(torn, 0, np.abs(missing)))
    return np.array([wrong, missing[torn][0]])


def _torn(points: Array) -> int:
    return int(np.isnan(points).any(axis=0).argmax())


def cannot_be(attempt: Attempt) -> str | None:
    """The named column does not add up."""
    points, column = attempt.case.points, int(attempt.array[0])
    if column == _torn(points):
        return f"column {column} has the cell that cannot be read: no one knows its sum"
    if np.isclose(points[:, column].sum(), len(points) * (len(points) - 1) / 2):
        return f"column {column} adds up as it must"
    return None


def adds_up(attempt: Attempt) -> str | None:
    """With the points filled in, the torn column adds up."""
    points, value = attempt.case.points, attempt.array[1]
    column = _torn(points)
    total = np.nansum(points[:, column]) + value
    if np.isclose(total, len(points) * (len(points) - 1) / 2):
        return None
    return f"with your {value:g} points column {column} adds up to {total:g}: that cannot be"


def _filled(points: Array, total: float) -> Array:
    """The right column, and the torn cell filled so that its column has this total."""
    value = total - np.nansum(points[:, _torn(points)])
    return np.array([wrong_column_and_torn_cell(points)[0], value])


EX_8_4 = Exercise(
    id="8.4",
    title="the column that cannot be",
    reference=wrong_column_and_torn_cell,
    cases=points_cases,
    properties=[
        is_place_and_number("column", lambda case: case.points.shape[1], "the missing points"),
        is_finite,
        cannot_be,
        adds_up,
    ],
    mistakes=[
        Mistake(
            "each pair twice",
            "this fills up to m (m - 1): a pair of methods gives away one point, not two",
            lambda points: _filled(points, len(points) * (len(points) - 1)),
        ),
        Mistake(
            "a method against itself",
            "this fills up to m² / 2: no method meets itself, so there are m (m - 1) / 2 pairs",
            lambda points: _filled(points, len(points) ** 2 / 2),
        ),
        Mistake(
            "the mean of the column",
            "the cell is not a typical one, it is the one that makes the sum right",
            lambda points: np.array(
                [wrong_column_and_torn_cell(points)[0], np.nanmean(points[:, _torn(points)])]
            ),
        ),
        Mistake(
            "the torn column",
            "the column with the gap is short of points because of the gap: leave it out when you "
            "look for the wrong one",
            lambda points: np.array([_torn(points), wrong_column_and_torn_cell(points)[1]]),
            lambda attempt: "torn" if attempt.array[0] == _torn(attempt.case.points) else None,
        ),
        Mistake(
            "45 for any number of methods",
            "45 is for ten methods: here there are more or fewer",
            lambda points: _filled(points, 45.0),
        ),
    ],
    hints=[
        "How many pairs do m methods make? Each gives away one point.",
        "np.nansum(points, axis=0) has the sums without the gap.",
        "What a column lacks of m (m - 1) / 2 is zero, but for the torn and the wrong one.",
    ],
    solution="Each of the m (m - 1) / 2 pairs gives away one point, however they compare: a whole "
    "column that adds up to anything else is wrong, and a gap can be filled.",
)
