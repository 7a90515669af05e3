"""Judge the mechanical wrong answers: which are rejected, which of them by name, which are right.

``python docs/wrong_answers.py`` judges all of them and writes the table ``docs/wrong-answers.md``;
the tests judge a fixed part where an exercise is slow.
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any
from unittest import mock

import numpy as np

from support.admissible import DRAWN
from support.right_answers import EXCUSED, RIGHT, is_same, right_orders, wrong_orders
from support.wrong_answers import WrongAnswer, wrong_answers
from umlbook.book.exercises import run
from umlbook.book.exercises.judge import judge, seed_for
from umlbook.book.exercises.model import Case, Exercise

SECONDS = 0.5  # of the processor, for one call: a changed loop may never end
N_DRAWS, N_STREAMS = 25, 6


@dataclass
class Row:
    """How one exercise fares; the last three lists say how each answer was made."""

    exercise: str
    generated: int = 0
    rejected: int = 0
    named: int = 0
    equivalent: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def examine(spec: Exercise, every: int = 1, student: str = "reader") -> Row:
    """Judge the wrong answers to an exercise, or one in `every` of them."""
    row = Row(spec.id)
    cases = spec.cases(np.random.default_rng(seed_for(spec.id, student)))
    quiet = contextlib.redirect_stdout(io.StringIO())
    with mock.patch.object(run, "TIME_LIMIT", SECONDS), quiet, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for how, answer, is_right in islice(_answers(spec, cases), 0, None, every):
            outcome = judge(spec, answer, cases)
            row.generated += 1
            right = is_right() or (spec.id, how) in EXCUSED
            if right:
                (row.equivalent if outcome.passed else row.refused).append(how)
            elif outcome.passed:
                row.accepted.append(how)
            else:
                row.rejected += 1
                row.named += outcome.mistake is not None
    return row


Judged = tuple[str, Any, Callable[[], bool]]


def _answers(spec: Exercise, cases: Sequence[Case]) -> Iterator[Judged]:
    """How each answer was made, what is handed in, and whether it is right."""
    if spec.kind == "choice":
        for letter in spec.steps:
            yield f"({letter})", letter, partial(str.__eq__, letter, spec.reference())
    elif spec.kind == "order":
        true = spec.reference()
        right = right_orders(spec.id, true)
        for order in wrong_orders(true, *(set(spec.steps) - set(true))):
            yield order, order, partial(right.__contains__, order)
    elif spec.kind == "value":
        yield from _values(spec, cases[0])
    else:
        inputs = list(_inputs(spec, cases))
        for wrong in wrong_answers(spec):
            yield wrong.how, wrong.function, partial(_agrees, spec, wrong, inputs)


def _values(spec: Exercise, case: Case) -> Iterator[Judged]:
    for wrong in wrong_answers(spec):
        result = run.run(wrong.function, case)
        if result.error is None:  # what raises gives no value to hand in
            yield wrong.how, result.value, partial(_rightly, spec.id, result.value, case)


def _rightly(exercise: str, value: Any, case: Case) -> bool:
    try:
        is_text = isinstance(value, str)  # which numpy would read as a number
        return not is_text and RIGHT[exercise](np.asarray(value, dtype=float), *case.values())
    except Exception:
        return False


def _inputs(spec: Exercise, cases: Sequence[Case]) -> Iterator[tuple[Case, Any]]:
    """Data that the text allows, with what the reference gives for them."""
    rng, n = np.random.default_rng(1), N_STREAMS if spec.quantities else N_DRAWS
    names = list(cases[0])
    others = spec.cases(np.random.default_rng(2))
    drawn = [Case("drawn", **dict(zip(names, DRAWN[spec.id](rng), strict=True))) for _ in range(n)]
    for case in [*others, *drawn]:
        result = run.run(spec.reference, case)
        assert result.error is None, (spec.id, result.error)
        yield case, result.value


def _agrees(spec: Exercise, wrong: WrongAnswer, inputs: Sequence[tuple[Case, Any]]) -> bool:
    """Whether an answer is what the reference is, on all inputs."""
    for case, expected in inputs:
        result = run.run(wrong.function, case)
        if result.error is not None or not is_same(spec.id, result.value, expected):
            return False
    return True
