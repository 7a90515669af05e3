"""Chapter 11: wrong answers that passed once do so for no student, and none gets a false name."""

import numpy as np
import pytest

from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.judge import OpenExercise
from umlbook.book.exercises.model import Status
from umlbook.book.exercises.progress import Progress

BANK = all_exercises()
border, projected = BANK["11.2"].reference, BANK["11.3"].reference


def opened(key, seed):
    return OpenExercise(BANK[key], seed, Progress())


def mark(noise):
    return (1 - noise) ** 2 + noise**2


def none_agrees(votes):
    return votes.sum(axis=0) == 0


#: Wrong answers to 11.4, with the mistake that they are told of.
DROPPED = {
    "most fits": lambda v, e: (v.mean(0) < 0.5) & (v.mean() > mark(e)),
    "any fit": lambda v, e: (v.min(0) == 0) & (v.mean() > mark(e)),
    "half of the mark": lambda v, e: none_agrees(v) & (v.mean() > (1 - e) ** 2),
    "1 - e for the mark": lambda v, e: none_agrees(v) & (v.mean() > 1 - e),
    "at the mark": lambda v, e: none_agrees(v) & (v.mean() >= mark(e)),
    "agreement of the best fit": lambda v, e: none_agrees(v) & (v.max(0).mean() > mark(e)),
    "nothing at all": lambda v, e: none_agrees(v) & (v.mean(0) > mark(e)),
    "without the mark": lambda v, e: none_agrees(v),
}
UNNAMED = {
    "1 - 2 e": lambda v, e: none_agrees(v) & (v.mean() > 1 - 2 * e),
    "a fixed mark": lambda v, e: none_agrees(v) & (v.mean() > 0.75),
    "the agreement of the best strength": lambda v, e: none_agrees(v) & (v.mean(1).max() > mark(e)),
    "one fit alone": lambda v, e: (v[0] == 0) & (v.mean() > mark(e)),
    "the votes": lambda v, e: v.mean(0),
}


@pytest.mark.parametrize("name", [*DROPPED, *UNNAMED])
def test_wrong_rule_for_dropping_passes_for_no_student(name):
    answer = (DROPPED | UNNAMED)[name]
    for seed in range(6):
        outcome = opened("11.4", seed).check(answer)
        assert outcome.status is Status.WRONG
        assert outcome.mistake == (name if name in DROPPED else None)


def test_agreement_at_the_mark_is_exact():
    (case,) = (c for c in BANK["11.4"].cases(np.random.default_rng(0)) if "at the mark" in c.name)
    assert case.votes.mean() == mark(case.noise) == 0.625


@pytest.mark.parametrize(
    ("key", "answer", "words"),
    [
        ("11.1", lambda X, y, k: 7.0, "a share is between 0 and 1, yours is 7"),
        ("11.2", lambda *a: (border(*a)[:-1], border(*a)[-1]), "one vector, np.append(w, b)"),
        ("11.2", lambda *a: border(*a)[:-1], "your result has shape (3,), not (4,)"),
        ("11.2", lambda *a: border(*a) + 1, "your w'x + b is"),
        ("11.3", lambda A, v, bound: A @ v @ v.T @ A, "vv' is np.outer(v, v)"),
        ("11.5", "2", "answer with one of the letters a, b, c, d, e"),
        ("1.5", "1, 2", "there is no step (1)"),
    ],
)
def test_answer_is_told_what_helps(key, answer, words):
    outcome = opened(key, 0).check(answer)
    assert not outcome.passed and words in outcome.reason


def test_another_error_is_not_taken_for_the_missing_outer_product():
    outcome = opened("11.3", 0).check(lambda A, v, bound: projected(A, v, bound) @ np.ones(9))
    assert outcome.status is Status.RAISED and outcome.mistake is None
