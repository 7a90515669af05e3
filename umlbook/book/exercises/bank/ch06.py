"""Exercises and questions of chapter 6: coherent point drift."""

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.ch06_convex import EX_6_1, EX_6_2
from umlbook.book.exercises.bank.ch06_field import EX_6_3, EX_6_4, EX_6_5
from umlbook.book.exercises.bank.ch06_loop import EX_6_6
from umlbook.book.exercises.bank.properties import (
    chosen,
    is_finite,
    is_number,
    is_positive,
    no_data,
)
from umlbook.book.exercises.model import Attempt, Case, Choice, Exercise, Mistake, Question
from umlbook.cpd import CPDUML, lam_path
from umlbook.datasets import make_two_moons
from umlbook.kernels import median_width
from umlbook.scores import clustering_accuracy

# ---------------------------------------------------------------- 6.7 choose before you look

UNIT = 1.2
"""The median distance of the points of two moons of radius one."""


def scaled_moons(rng: np.random.Generator) -> list[Case]:
    """Moons in units of the student's own."""
    X, y = make_two_moons(200, noise=0.08, random_state=int(rng.integers(2**31)))
    unit = float(rng.choice([0.01, 0.05, 20.0, 300.0]))
    return [Case("your moons", X=unit * X, truth=y)]


def good_width(X: Array, truth: Array) -> float:
    """Reference of 6.7."""
    return 0.8 * median_width(X)


def _found(attempt: Attempt) -> float:
    model = CPDUML(2, sigma=attempt.number, random_state=0)
    (fitted,) = lam_path(model, attempt.case.X, [2.5e-3 * 200**2])
    return clustering_accuracy(attempt.case.truth, fitted.labels_)


def finds_the_moons(attempt: Attempt) -> str | None:
    """CPD-UML with this width finds both moons."""
    right = _found(attempt)
    return None if right >= 0.95 else f"with your sigma {right:.0%} of the points are right"


def _relative(attempt: Attempt) -> float:
    """The width in units of the median distance."""
    return attempt.number / median_width(attempt.case.X)


def _scale(attempt: Attempt) -> float:
    return median_width(attempt.case.X) / UNIT


def forgets_the_units(attempt: Attempt) -> str | None:
    """The width of the chapter's picture, whatever the units."""
    return "units" if 0.5 <= attempt.number <= 2.0 and not 0.5 < _scale(attempt) < 2 else None


EX_6_7 = Exercise(
    id="6.7",
    title="choose a width before you look",
    answer="my_sigma",
    kind="value",
    reference=good_width,
    cases=scaled_moons,
    properties=[is_number, is_finite, is_positive("sigma"), finds_the_moons],
    mistakes=[
        Mistake(
            "units forgotten",
            "sigma = 1 was right for moons of radius one: these have another scale, and the width "
            "has the units of the data",
            lambda X, truth: 1.0,
            forgets_the_units,
        ),
        Mistake(
            "too narrow",
            "so narrow a field moves each point by itself: neighbours no longer drift together",
            lambda X, truth: 0.05 * median_width(X),
            lambda attempt: "narrow" if 0 < _relative(attempt) < 0.4 else None,
        ),
        Mistake(
            "too wide",
            "so wide a field moves all points alike, and moving all alike brings none together",
            lambda X, truth: 8.0 * median_width(X),
            lambda attempt: "wide" if _relative(attempt) > 1.5 else None,
        ),
    ],
    hints=[
        "Look at the range of ex.data.X before you look at anything else.",
        "In the chapter moons of radius one wanted a sigma near one.",
        "The median distance between points is a width that knows the units.",
    ],
    solution="A width near the median distance between the points, whatever their units.",
)

# ------------------------------------------------------------------ 6.8 find the wrong step

STEPS_6_8 = {
    "a": "YY' has the eigenvalues 1 (K times) and 0, so P = I − YY' has 0 (K times) and 1.",
    "b": "G is a Gaussian kernel matrix, so it is positive definite for any points x_1, …, x_n.",
    "c": "z'GPGz = ||PGz||² ≥ 0 for every z, because P is symmetric and P² = P.",
    "d": "Hence z'Mz = 2 z'GPGz + 2λ||z||² ≥ 2λ||z||² > 0 for z ≠ 0.",
    "e": "J is a quadratic function of Ψ whose Hessian has only positive eigenvalues, so it has "
    "exactly one minimum.",
}

EX_6_8 = Exercise(
    id="6.8",
    title="find the wrong step",
    kind="choice",
    reference=lambda: "b",
    cases=no_data,
    steps=STEPS_6_8,
    properties=[chosen("b", tuple(STEPS_6_8))],
    mistakes=[
        Mistake("a", "step (a) is right: Y'Y = I, and YY' sends all else to zero", lambda: "a"),
        Mistake("c", "step (c) is right: P = P'P, so the form is a squared norm", lambda: "c"),
        Mistake("d", "step (d) is right, and needs nothing of G but symmetry", lambda: "d"),
        Mistake("e", "step (e) is right: a strongly convex function has one minimum", lambda: "e"),
    ],
    hints=[
        "One step is not needed by any other. Is it true?",
        "What does G look like when two of the points are equal?",
    ],
    solution="Two equal points make two equal rows of G; λ > 0 saves the proof. Wrong was",
)

EXERCISES = [EX_6_1, EX_6_2, EX_6_3, EX_6_4, EX_6_5, EX_6_6, EX_6_7, EX_6_8]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "6.q1",
        "Every point is moved by the same vector. What does that do to the scatter |P X_1|²?",
        [
            Choice(
                "Nothing: the means move along.",
                "P takes the mean of each cluster away, and with it every common motion.",
                right=True,
            ),
            Choice(
                "It grows with the length of the vector.",
                "Sums of squares about the origin grow; here the means move too.",
            ),
            Choice(
                "It shrinks if the vector points at the means.",
                "All points keep their differences, so nothing comes nearer to its mean.",
            ),
        ],
    ),
    Question(
        "6.q2",
        "J is convex in Psi for fixed labels. What does that say about CPD-UML as a whole?",
        [
            Choice(
                "It always ends at the best labels.",
                "Convexity holds for one half of the problem only; the labels are discrete.",
            ),
            Choice(
                "Each field is the best for its labels; the labels can still be caught.",
                "The field step is exact, the alternation of the two steps is not.",
                right=True,
            ),
            Choice(
                "The start does not matter.",
                "It decides which labels the first field is made for, and that can last.",
            ),
        ],
    ),
    Question(
        "6.q3",
        "CPD-UML gets 70 % on a table where k-means gets 58 %. Which of these says most about what "
        "the motion did?",
        [
            Choice(
                "The gain of 12 points.",
                "Start, spectral step and choice of parameters differ from k-means as well.",
            ),
            Choice(
                "That J fell.",
                "The least J falls whenever lambda does, whatever becomes of the labels.",
            ),
            Choice(
                "The gain over the same method with Psi = 0 and as many starts to choose from, "
                "each chosen by the same rule.",
                "Both have a choice, made in the same way, and one of them has the motion besides. "
                "Whether the gain is chance is for a test over many splits.",
                right=True,
            ),
            Choice(
                "The gain over the same method with Psi = 0, sigma and lambda picked by labels.",
                "Psi = 0 has nothing to pick, so part of the gain is the help of the labels.",
            ),
        ],
    ),
]
