"""Chapter 11: one projection of ITML."""

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake


def metric_and_pair(rng: np.random.Generator) -> list[Case]:
    """A metric, the difference of a pair, and the squared distance that it is to have."""
    W, v = rng.normal(size=(4, 4)), rng.normal(size=4)
    return [
        Case("the pair in your data", A=np.eye(4), v=v, bound=float(v @ v) / 3),
        Case("a pair to be moved apart", A=np.eye(4), v=v, bound=4.0 * float(v @ v)),
        Case("a metric that is not Euclid's", A=W @ W.T + np.eye(4), v=v, bound=1.5),
        Case("two features", A=W[:2] @ W[:2].T, v=v[:2], bound=0.5),
    ]


def projected(A: Array, v: Array, bound: float) -> Array:
    """The metric A + b Avv'A in which the squared length of v is the bound."""
    p = float(v @ A @ v)
    return A + (bound - p) / p**2 * np.outer(A @ v, A @ v)


def _meets_its_bound(attempt: Attempt) -> str | None:
    case = attempt.case
    if np.isclose(case.v @ attempt.array @ case.v, case.bound, rtol=1e-6):
        return None
    return "in your metric the pair does not have the squared distance that is asked for"


def _changes_along_Av(attempt: Attempt) -> str | None:
    """Directions that A makes orthogonal to v keep their lengths."""
    case = attempt.case
    for x in np.random.default_rng(4).normal(size=(4, len(case.v))):
        u = x - case.v * (case.v @ case.A @ x) / (case.v @ case.A @ case.v)
        if not np.isclose(u @ attempt.array @ u, u @ case.A @ u, rtol=1e-6):
            return "a direction that is orthogonal to v in the old metric has another length now"
    return None


def _symmetric(attempt: Attempt) -> str | None:
    return None if np.allclose(attempt.array, attempt.array.T) else "your matrix is not symmetric"


def _number_times_matrix(attempt: Attempt) -> str | None:
    """The answer raises since ``A @ v @ v.T`` is a number, which ``@`` does not take."""
    try:
        attempt.function(*attempt.case.values())
    except ValueError as error:
        return "a number" if "does not have enough dimensions" in str(error) else None
    return None


EX_11_3 = Exercise(
    id="11.3",
    title="one projection of ITML",
    reference=projected,
    cases=metric_and_pair,
    properties=[
        has_shape(lambda case: case.A.shape),
        is_finite,
        _symmetric,
        _meets_its_bound,
        _changes_along_Av,
        agrees_with(projected, "entry"),
    ],
    mistakes=[
        Mistake(
            "the whole metric",
            "this scales the whole metric: the other directions are to keep their lengths",
            lambda A, v, bound: A * bound / (v @ A @ v),
        ),
        Mistake(
            "vv' for Avv'A",
            "this adds a multiple of vv': that is right for A = I alone",
            lambda A, v, bound: A + (bound - v @ A @ v) / (v @ v) ** 2 * np.outer(v, v),
        ),
        Mistake(
            "p and not its square",
            "this divides by v'Av once: v'Avv'Av has it twice",
            lambda A, v, bound: A + (bound - v @ A @ v) / (v @ A @ v) * np.outer(A @ v, A @ v),
        ),
        Mistake(
            "the wrong way",
            "the sign is wrong: the pair moves away from its bound",
            lambda A, v, bound: A - (bound - v @ A @ v) / (v @ A @ v) ** 2 * np.outer(A @ v, A @ v),
        ),
        Mistake(
            "a number for a matrix",
            "v has one axis, so v @ v.T is a number: vv' is np.outer(v, v)",
            lambda A, v, bound: A + (bound - v @ A @ v) / (v @ A @ v) ** 2 * (A @ v @ v.T @ A),
            _number_times_matrix,
        ),
    ],
    hints=[
        "Put A + b Avv'A between v' and v. What is it, with p = v'Av?",
        "It is p + b p^2, and is to be the bound: solve for b.",
    ],
    solution="v'(A + b Avv'A)v = p + b p^2, so b = (bound - p) / p^2.",
)
