"""Exercises 7.4 and 7.5: sums over all pairs without the pairs, and pairs that can be separated."""

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite, loops
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake, Property

# ------------------------------------------------------------------ 7.4 the Laplacian


def _weights(rng: np.random.Generator, n: int) -> Array:
    R = rng.normal(size=(n, n))
    R = R + R.T
    np.fill_diagonal(R, 0.0)
    return R


def weighted_pairs(rng: np.random.Generator) -> list[Case]:
    """Coordinates P and symmetric weights R with a zero diagonal."""
    return [
        Case("the points in your data", P=rng.normal(size=(8, 3)), R=_weights(rng, 8)),
        Case("far from the origin", P=rng.normal(size=(6, 2)) + 100.0, R=_weights(rng, 6)),
        Case("two points", P=np.array([[0.0], [2.0]]), R=np.array([[0.0, 1.0], [1.0, 0.0]])),
    ]


def pair_sums(P: Array, R: Array) -> Array:
    """Reference of 7.4."""
    return np.asarray(R.sum(axis=1) @ P**2 - np.sum(P * (R @ P), axis=0))


def unmoved_by_a_shift(attempt: Attempt) -> str | None:
    """Differences do not change when all points move."""
    before = attempt.array
    after = np.asarray(attempt.again(P=attempt.case.P + 1.0), dtype=float)
    same = np.allclose(before, after, rtol=1e-5, atol=1e-5)
    return None if same else "moving all points by the same vector changes your sums"


EX_7_4 = Exercise(
    id="7.4",
    title="all pairs, none of them formed",
    reference=pair_sums,
    cases=weighted_pairs,
    properties=[
        has_shape(lambda case: (case.P.shape[1],)),
        is_finite,
        unmoved_by_a_shift,
        agrees_with(pair_sums, "sum"),
    ],
    mistakes=[
        Mistake(
            "ordered pairs",
            "this counts every pair twice, as (i, j) and as (j, i)",
            lambda P, R: 2 * pair_sums(P, R),
        ),
        Mistake(
            "without the row sums",
            "this is p'Rp: the squares p_i² and p_j² of the difference are missing",
            lambda P, R: np.sum(P * (R @ P), axis=0),
        ),
        Mistake(
            "plus instead of minus",
            "this adds p'Rp to the squares: it is the sum of r (p_i + p_j)²",
            lambda P, R: R.sum(axis=1) @ P**2 + np.sum(P * (R @ P), axis=0),
        ),
        Mistake(
            "summed over components",
            "one number for each component is asked for, this is their sum",
            lambda P, R: pair_sums(P, R).sum(),
        ),
    ],
    hints=[
        "Write out the square: p_i² + p_j² - 2 p_i p_j.",
        "Over all i and j, half of it is (row sums of R) times p² less p'Rp.",
        "R @ P multiplies all components at once; no pair is ever formed.",
    ],
    solution="Half the double sum of r (p_i - p_j)² is p'(D - R)p, the Laplacian of the weights.",
    remarks=[loops],
)

# --------------------------------------------------------------- 7.5 separable constraints

TARGET = 1e-6


def separable_pairs(rng: np.random.Generator) -> list[Case]:
    """Features of similar and dissimilar pairs; only the first component tells them apart."""
    telling = rng.uniform(0.1, 0.5, 5), rng.uniform(1.5, 3.0, 5)
    other = rng.uniform(0.0, 4.0, (2, 5))
    similar, dissimilar = (np.column_stack([t, o]) for t, o in zip(telling, other, strict=True))
    return [Case("the pairs in your data", similar=similar, dissimilar=dissimilar)]


def separator(similar: Array, dissimilar: Array) -> Array:
    """Reference of 7.5: the threshold halfway between the kinds, scaled up."""
    threshold = (similar[:, 0].max() + dissimilar[:, 0].min()) / 2
    return 100.0 * np.array([1.0, 0.0, threshold])


def _margins(attempt: Attempt) -> tuple[Array, Array]:
    """t of the similar and of the dissimilar pairs."""
    theta, mu = attempt.array[:2], attempt.array[2]
    return attempt.case.similar @ theta - mu, attempt.case.dissimilar @ theta - mu


def is_three_numbers(attempt: Attempt) -> str | None:
    """theta_1, theta_2, mu."""
    shape = attempt.array.shape
    return None if shape == (3,) else f"give theta_1, theta_2 and mu; yours has shape {shape}"


def is_allowed(attempt: Attempt) -> str | None:
    """Nothing is negative."""
    lowest = attempt.array.min()
    return None if lowest >= 0 else f"{lowest:.3g} is negative: theta and mu must not be"


def separates(attempt: Attempt) -> str | None:
    """Similar pairs have negative margins, dissimilar ones positive."""
    t_similar, t_dissimilar = _margins(attempt)
    if (t_similar >= 0).any():
        return f"similar pair {int(t_similar.argmax())} has the margin {t_similar.max():.3g}"
    if (t_dissimilar <= 0).any():
        return (
            f"dissimilar pair {int(t_dissimilar.argmin())} has the margin {t_dissimilar.min():.3g}"
        )
    return None


def is_cheap(attempt: Attempt) -> str | None:
    """The likelihood cost is below the target."""
    t_similar, t_dissimilar = _margins(attempt)
    cost = np.logaddexp(0, t_similar).sum() + np.logaddexp(0, -t_dissimilar).sum()
    return None if cost < TARGET else f"your cost is {cost:.3g}, asked for is less than {TARGET:g}"


def _known(name: str) -> Property:
    def recognises(attempt: Attempt) -> str | None:
        theta, mu = attempt.array[:2], attempt.array[2]
        t_similar, t_dissimilar = _margins(attempt)
        facts = {
            "zero": not attempt.array.any(),
            "negative": attempt.array.min() < 0,
            "no threshold": mu == 0 and theta.any(),
            "small": bool((t_similar < 0).all() and (t_dissimilar > 0).all()),
        }
        return name if facts[name] else None

    return recognises


EX_7_5 = Exercise(
    id="7.5",
    title="a cost below any bound",
    answer="metric",
    kind="value",
    reference=separator,
    cases=separable_pairs,
    properties=[is_three_numbers, is_finite, is_allowed, separates, is_cheap],
    mistakes=[
        Mistake(
            "nothing learned",
            "with zeros every pair is a coin flip and costs log 2",
            lambda similar, dissimilar: np.zeros(3),
            _known("zero"),
        ),
        Mistake(
            "a negative weight",
            "a negative weight would make far pairs similar: the metric must not be indefinite",
            lambda similar, dissimilar: np.array([100.0, -1.0, 100.0]),
            _known("negative"),
        ),
        Mistake(
            "no threshold",
            "with mu = 0 no margin is negative: no pair can be called similar",
            lambda similar, dissimilar: np.array([100.0, 0.0, 0.0]),
            _known("no threshold"),
        ),
        Mistake(
            "not scaled up",
            "this separates the pairs: now multiply all three numbers by the same large factor",
            lambda similar, dissimilar: separator(similar, dissimilar) / 100.0,
            _known("small"),
        ),
    ],
    hints=[
        "Plot the two components of the similar and the dissimilar pairs: one of them tells.",
        "Put a threshold between the two kinds in that component.",
        "What happens to the cost when theta and mu are both multiplied by 10? By 100?",
    ],
    solution="Any separator, scaled up far enough, costs as little as you like: none is best.",
)
