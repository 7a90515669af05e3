"""Exercises 7.1 to 7.3: the sign of the likelihood, the belief as an argmax and in the limit."""

import numpy as np
from scipy.special import expit

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite, is_number
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ------------------------------------------------------------------------------ 7.1 the sign


def margin_cases(rng: np.random.Generator) -> list[Case]:
    """Margins of similar and of dissimilar pairs; the last are large enough to overflow."""
    return [
        Case(
            "the pairs in your data", similar=rng.normal(-1, 1, 5), dissimilar=rng.normal(1, 1, 4)
        ),
        Case("one pair of each kind", similar=np.array([0.5]), dissimilar=np.array([0.5])),
        Case(
            "pairs far from the threshold",
            similar=np.array([900.0, -900.0]),
            dissimilar=np.array([-800.0]),
        ),
    ]


def likelihood_cost(similar: Array, dissimilar: Array) -> float:
    """Reference of 7.1."""
    return float(np.logaddexp(0, similar).sum() + np.logaddexp(0, -dissimilar).sum())


def rises_with_similar_distance(attempt: Attempt) -> str | None:
    """Moving a similar pair apart makes the cost larger."""
    before = attempt.number
    after = float(np.asarray(attempt.again(similar=attempt.case.similar + 1.0)).item())
    return None if after > before else "moving the similar pairs apart does not raise your cost"


def falls_with_dissimilar_distance(attempt: Attempt) -> str | None:
    """Moving a dissimilar pair apart makes the cost smaller."""
    before = attempt.number
    after = float(np.asarray(attempt.again(dissimilar=attempt.case.dissimilar + 1.0)).item())
    return None if after < before else "moving the dissimilar pairs apart does not lower your cost"


EX_7_1 = Exercise(
    id="7.1",
    title="put the sign right",
    reference=likelihood_cost,
    cases=margin_cases,
    properties=[
        is_number,
        is_finite,
        rises_with_similar_distance,
        falls_with_dissimilar_distance,
        agrees_with(likelihood_cost),
    ],
    mistakes=[
        Mistake(
            "the printed sign",
            "this is the paper's sign: with it a similar pair is the better the farther it is",
            lambda similar, dissimilar: float(
                np.logaddexp(0, -similar).sum() + np.logaddexp(0, dissimilar).sum()
            ),
        ),
        Mistake(
            "one sign for both",
            "similar and dissimilar pairs have the same sign here: one kind wants t negative, the "
            "other positive",
            lambda similar, dissimilar: float(
                np.logaddexp(0, similar).sum() + np.logaddexp(0, dissimilar).sum()
            ),
        ),
        Mistake(
            "overflow",
            "exp of a large margin is infinite: np.logaddexp(0, t) is log(1 + exp(t)) without it",
            lambda similar, dissimilar: float(
                np.log(1 + np.exp(similar)).sum() + np.log(1 + np.exp(-dissimilar)).sum()
            ),
        ),
        Mistake(
            "mean instead of sum",
            "this is the mean over each kind: a likelihood is a product over pairs, its logarithm "
            "a sum",
            lambda similar, dissimilar: float(
                np.logaddexp(0, similar).mean() + np.logaddexp(0, -dissimilar).mean()
            ),
        ),
    ],
    hints=[
        "A similar pair should have a small distance, that is, a negative margin t.",
        "P(same) = 1 / (1 + exp(t)), and minus its logarithm is log(1 + exp(t)).",
        "np.logaddexp(0, t) is that logarithm, and never overflows.",
    ],
    solution="A similar pair costs log(1 + e^t), a dissimilar one log(1 + e^-t).",
)

# ---------------------------------------------------------------- 7.2 the E step as an argmax


def probability_cases(rng: np.random.Generator) -> list[Case]:
    """A probability and a weight of the wish for certainty."""
    return [
        Case(
            "the pair in your data",
            P=float(rng.uniform(0.55, 0.9)),
            lam=float(rng.uniform(0.3, 0.8)),
        ),
        Case("an undecided pair", P=0.5, lam=0.7),
        Case("a pair that is rather different", P=0.2, lam=0.25),
        Case("no wish for certainty", P=0.7, lam=0.0),
    ]


def best_belief(P: float, lam: float) -> float:
    """Reference of 7.2."""
    power = 1 / (1 - lam)
    return float(P**power / (P**power + (1 - P) ** power))


def _value(q: float, P: float, lam: float) -> float:
    """What the belief is to maximise."""
    h = -q * np.log(q) - (1 - q) * np.log(1 - q)
    return float(q * np.log(P) + (1 - q) * np.log(1 - P) + (1 - lam) * h)


def is_a_probability(attempt: Attempt) -> str | None:
    """Between 0 and 1, ends left out."""
    q = attempt.number
    return None if 0 < q < 1 else f"your belief {q:.3g} is not between 0 and 1"


def no_other_belief_is_better(attempt: Attempt) -> str | None:
    """No q on a grid beats the answer."""
    P, lam = attempt.case.P, attempt.case.lam
    mine = _value(attempt.number, P, lam)
    for q in np.linspace(0.001, 0.999, 999):
        if _value(float(q), P, lam) > mine + 1e-7:
            return f"q = {q:.3f} is better than your {attempt.number:.3f}"
    return None


EX_7_2 = Exercise(
    id="7.2",
    title="the belief as an argmax",
    reference=best_belief,
    cases=probability_cases,
    properties=[is_number, is_a_probability, no_other_belief_is_better, agrees_with(best_belief)],
    mistakes=[
        Mistake(
            "the posterior itself",
            "this is P: it is best when lambda is zero only",
            lambda P, lam: P,
        ),
        Mistake(
            "power 1 - lambda",
            "this blurs instead of sharpening: the odds are raised to 1 / (1 - lambda)",
            lambda P, lam: P ** (1 - lam) / (P ** (1 - lam) + (1 - P) ** (1 - lam)),
        ),
        Mistake(
            "not normalised",
            "this is the power of P alone: divide by the sum of the powers of P and 1 - P",
            lambda P, lam: P ** (1 / (1 - lam)),
        ),
        Mistake(
            "power 1 / lambda",
            "lambda and 1 - lambda are exchanged: at lambda = 0 the belief must be P",
            lambda P, lam: (
                P ** (1 / lam) / (P ** (1 / lam) + (1 - P) ** (1 / lam)) if lam else float(P > 0.5)
            ),
        ),
    ],
    hints=[
        "Set the derivative of q log P + (1-q) log(1-P) + (1-lambda) H(q) to zero.",
        "The derivative of H is log((1-q)/q), so the log odds of q are those of P divided by ...",
        "With a = 1/(1-lambda) the odds of q are (P/(1-P))**a.",
    ],
    solution="The log odds of the belief are those of P, divided by 1 - lambda.",
)

# ------------------------------------------------------------------------ 7.3 lambda -> 1


def schedule_cases(rng: np.random.Generator) -> list[Case]:
    """Margins and a lambda: in the middle, at both ends, and close to one."""
    t = rng.normal(0, 2, 6)
    return [
        Case("the margins in your data", t=t, lam=0.8),
        Case("lambda = 1", t=np.array([-3.0, -1e-9, 0.0, 2.0]), lam=1.0),
        Case("lambda = 0", t=t, lam=0.0),
        Case("lambda next to 1", t=np.array([-900.0, 0.5, 900.0]), lam=1 - 1e-12),
    ]


def belief_at(t: Array, lam: float) -> Array:
    """Reference of 7.3."""
    if lam == 1:
        return np.asarray((1 - np.sign(t)) / 2)
    return np.asarray(expit(-t / (1 - lam)))


def falls_with_the_margin(attempt: Attempt) -> str | None:
    """A pair with a larger margin is never believed in more."""
    order = np.argsort(attempt.case.t)
    rises = np.diff(attempt.array[order]) > 1e-12
    return "your belief rises with the margin: far pairs are not similar" if rises.any() else None


def _divided(t: Array, lam: float) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(expit(-t / np.float64(1 - lam)))


def _powers(t: Array, lam: float) -> Array:
    with np.errstate(all="ignore"):
        P, a = expit(-t), np.float64(1) / np.float64(1 - lam)
        return np.asarray(P**a / (P**a + (1 - P) ** a))


EX_7_3 = Exercise(
    id="7.3",
    title="lambda goes to one",
    reference=belief_at,
    cases=schedule_cases,
    properties=[
        has_shape(lambda case: case.t.shape),
        is_finite,
        falls_with_the_margin,
        agrees_with(belief_at, "belief"),
    ],
    mistakes=[
        Mistake(
            "the wrong way round",
            "this is the belief that the pair is different: mind the sign of t",
            lambda t, lam: 1 - belief_at(t, lam),
        ),
        Mistake(
            "zero divided by zero",
            "at lambda = 1 a pair with t = 0 gives 0/0: that end needs a branch of its own",
            _divided,
        ),
        Mistake(
            "powers of probabilities",
            "powers underflow long before lambda is 1, and 0/0 is no belief: use the margin",
            _powers,
        ),
        Mistake(
            "a tie that takes sides",
            "at lambda = 1 a pair exactly at the threshold is undecided: one half",
            lambda t, lam: (t < 0).astype(float) if lam == 1 else belief_at(t, lam),
        ),
        Mistake(
            "lambda added",
            "this adds where it should divide: the log odds of P are -t, those of Q are "
            "-t / (1 - lambda)",
            lambda t, lam: expit(-t - lam),
        ),
    ],
    hints=[
        "The log odds of P are -t. What are those of the belief?",
        "scipy.special.expit(-t / (1 - lam)) never overflows; only lam == 1 needs a branch.",
        "In the limit: 1 where t < 0, 0 where t > 0, one half where t = 0.",
    ],
    solution="The belief is the logistic function of -t / (1 - lambda), a step at the end.",
)
