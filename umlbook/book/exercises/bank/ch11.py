"""Exercises and questions of chapter 11: learning from pairs."""

from collections.abc import Callable

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.ch11_metric import EX_11_1, EX_11_2
from umlbook.book.exercises.bank.ch11_projection import EX_11_3
from umlbook.book.exercises.bank.properties import chosen, no_data
from umlbook.book.exercises.model import (
    Attempt,
    Case,
    Choice,
    Exercise,
    Mistake,
    Question,
    same_values,
)

# ------------------------------------------------------------------ 11.4 which pairs to drop


def vote_table(rng: np.random.Generator, fits: int, *zeros: tuple[int, int], pairs: int) -> Array:
    """Votes (fits x pairs); ``zeros`` has pairs (m, k): k fits contradict each of m pairs.

    Which fits and which pairs these are is drawn.
    """
    votes = np.ones((pairs, fits))
    against = np.repeat([k for _, k in zeros], [many for many, _ in zeros])
    votes[: len(against)] = np.arange(fits) >= against[:, None]
    return np.asarray(rng.permuted(rng.permutation(votes), axis=1).T)


def vote_tables(rng: np.random.Generator) -> list[Case]:
    """Agreements on both sides of the mark, and on it; pairs that some of the fits contradict."""
    good = vote_table(rng, 3, (2, 3), (1, 2), (1, 1), pairs=20)
    poor = vote_table(rng, 3, (6, 3), (3, 2), (1, 1), pairs=20)
    edge = vote_table(rng, 4, (3, 4), (1, 3), (1, 1), pairs=25)
    # At an agreement of 0.5 one fit is better than the others: its own agreement is 0.7.
    half = np.repeat([[0.0] * 3, [0.0, 0.0, 1.0], [1.0] * 3], [6, 6, 8], axis=0).T
    half = rng.permutation(rng.permutation(half), axis=1)
    split = rng.permutation(np.hstack([np.tile(np.eye(3), 6), np.zeros((3, 2))]), axis=1)
    return [
        Case("the votes in your data", votes=good, noise=0.1),
        Case("fits that are no better than the pairs", votes=poor, noise=0.1),
        Case("more wrong pairs", votes=poor, noise=0.4),
        Case("an agreement of 0.84, 10 % wrong", votes=edge, noise=0.1),
        Case("an agreement of 0.84, 5 % wrong", votes=edge, noise=0.05),
        Case("an agreement of 0.5, 40 % wrong", votes=half, noise=0.4),
        Case(
            "an agreement above 0.9",
            votes=vote_table(rng, 3, (1, 3), (1, 2), pairs=20),
            noise=0.1,
        ),
        Case("fits that agree with different pairs", votes=split, noise=0.4),
        # 5 / 8 = 0.75^2 + 0.25^2, without rounding
        Case("an agreement at the mark", votes=vote_table(rng, 4, (3, 4), pairs=8), noise=0.25),
    ]


def dropped(votes: Array, noise: float) -> Array:
    """1 for a pair that all fits contradict, if the fits may overrule the pairs (11.6)."""
    trusted = votes.mean() > (1 - noise) ** 2 + noise**2
    return ((votes.sum(axis=0) == 0) & trusted).astype(float)


def _mark(noise: float) -> float:
    return (1 - noise) ** 2 + noise**2


def _if(trusted: bool | np.bool_, contradicted: Array) -> Array:
    return np.asarray(contradicted * float(trusted))


def _same_pairs(attempt: Attempt) -> str | None:
    """The pairs are those of the rule; names a pair that should stay or go, and its votes."""
    votes, noise = attempt.case.values()
    got, want = attempt.array, dropped(votes, noise)
    if got.shape != want.shape:
        return f"one value for each of the {len(want)} pairs is asked for, got {got.shape}"
    if not np.isin(got, [0, 1]).all():
        return "give a 1 or a 0 for each pair"
    if np.array_equal(got, want):
        return None
    at = int(np.flatnonzero(got != want)[0])
    does = "drop a pair that should stay" if got[at] else "keep a pair that should go"
    against = int(np.sum(votes[:, at] == 0))
    return (
        f"you {does}, number {at}: {against} of {len(votes)} fits contradict it, noise = {noise:g} "
        f"and the agreement is {votes.mean():.3g}"
    )


def _always(name: str, message: str, wrong: Callable[[Array, float], Array]) -> Mistake:
    """A mistake that is recognised if it gives what the answer gives on tables of all kinds."""

    def recognised(attempt: Attempt) -> str | None:
        tables = [attempt.case, *vote_tables(np.random.default_rng(0))]
        answers = ((attempt.again(**table), wrong(*table.values())) for table in tables)
        return name if all(same_values(given, made) for given, made in answers) else None

    return Mistake(name, message, wrong, recognised)


EX_11_4 = Exercise(
    id="11.4",
    title="which pairs to drop",
    reference=dropped,
    cases=vote_tables,
    properties=[_same_pairs],
    mistakes=[
        _always(
            "without the mark",
            "this drops contradicted pairs whatever the agreement is: when the fits are right less "
            "often than the pairs, the pair is probably right",
            lambda votes, noise: 1 - votes.max(axis=0),
        ),
        _always(
            "nothing at all",
            "this drops nothing at all; the agreement is one number, over all fits and pairs, and "
            "not one for each pair",
            lambda votes, noise: 0 * votes[0],
        ),
        _always(
            "1 - e for the mark",
            "this compares the agreement with 1 - e: that is the mark for a, and the agreement at "
            "a = 1 - e is smaller",
            lambda votes, noise: _if(votes.mean() > 1 - noise, 1 - votes.max(axis=0)),
        ),
        _always(
            "half of the mark",
            "this compares the agreement with (1 - e)^2: the two also agree when both err",
            lambda votes, noise: _if(votes.mean() > (1 - noise) ** 2, 1 - votes.max(axis=0)),
        ),
        _always(
            "at the mark",
            "this drops pairs when the agreement is just the mark: then the fits are right as "
            "often as the pairs are, and not more often",
            lambda votes, noise: _if(votes.mean() >= _mark(noise), 1 - votes.max(axis=0)),
        ),
        _always(
            "agreement of the best fit",
            "this counts a pair as agreed with if a single fit agrees: the agreement is the mean "
            "over all fits and pairs",
            lambda votes, noise: _if(
                votes.max(axis=0).mean() > _mark(noise), 1 - votes.max(axis=0)
            ),
        ),
        _always(
            "any fit",
            "this drops pairs that a single fit contradicts: all of them have to",
            lambda votes, noise: _if(votes.mean() > _mark(noise), 1 - votes.min(axis=0)),
        ),
        _always(
            "most fits",
            "this drops pairs that most fits contradict: all of them have to",
            lambda votes, noise: _if(votes.mean() > _mark(noise), votes.mean(axis=0) < 0.5),
        ),
        _always(
            "the pairs that stay",
            "these are the pairs that stay: the dropped ones are asked for",
            lambda votes, noise: 1 - dropped(votes, noise),
        ),
    ],
    hints=[
        "votes.mean() estimates the agreement of (11.6).",
        "The mark is (1 - e)^2 + e^2.",
        "A pair that all fits contradict has a column of zeros.",
    ],
    solution="Columns of zeros, if votes.mean() > (1 - e)^2 + e^2, and none otherwise.",
)

# ------------------------------------------------------------------ 11.5 find the wrong step

STEPS_11_5 = {
    "a": "A thin direction changes no order of neighbours whose distances differ by enough.",
    "b": "So the coordinates of such a graph are nearly those without the direction.",
    "c": "A metric of these coordinates can weight each of them as the pairs ask.",
    "d": "So with enough pairs it brings the thin direction back.",
    "e": "A metric of the features can stretch the thin direction before the graph is built.",
}

EX_11_5 = Exercise(
    id="11.5",
    title="find the wrong step",
    kind="choice",
    reference=lambda: "d",
    cases=no_data,
    steps=STEPS_11_5,
    properties=[chosen("d", tuple(STEPS_11_5))],
    mistakes=[
        Mistake("a", "step (a) is right: it is claim (11.1)", lambda: "a"),
        Mistake("b", "step (b) is right: they are functions of the graph", lambda: "b"),
        Mistake("c", "step (c) is right: that is what ITML does", lambda: "c"),
        Mistake("e", "step (e) is right: that is the first metric of (11.4)", lambda: "e"),
    ],
    hints=[
        "Which step needs information that the step before it has just lost?",
        "Weights multiply what is there.",
    ],
    solution="No weighting of coordinates finds what none of them has. The wrong step:",
)

EXERCISES = [EX_11_1, EX_11_2, EX_11_3, EX_11_4, EX_11_5]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "11.q1",
        "One pair in ten is wrong. A clustering that was not told of any of these pairs is right "
        "about 80 % of the right pairs and about 80 % of the wrong ones. It contradicts one. Is "
        "that pair probably wrong?",
        [
            Choice(
                "No.",
                "0.8 is below 1 - e = 0.9: the clustering errs more often than the pairs do.",
                right=True,
            ),
            Choice(
                "Yes, since 80 % is more than one half.",
                "The pair is right in 90 % of the cases to begin with.",
            ),
            Choice(
                "It cannot be said without the number of classes.",
                "Together or apart: both say one of two things, whatever the number of classes.",
            ),
        ],
    ),
]
