"""The exercise engine: ``ex = exercise("1.2")``, then ``ex.check(answer)``, ``ex.hint()`` ...

A check never prints the expected value. It says which property fails and for which points, and,
where the answer is one of the mistakes that the exercise knows, what the mistake is. The data are
drawn from a seed made of the student's name and the exercise, so two students have different data
and each of them always the same.
"""

import hashlib
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.common import explained
from umlbook.book.exercises.model import (
    Attempt,
    Case,
    Exercise,
    Mistake,
    Note,
    Outcome,
    Property,
    RaisedOnChange,
    Status,
)
from umlbook.book.exercises.progress import SESSION, Progress, student
from umlbook.book.exercises.run import Result, is_hole, raised_by, run
from umlbook.book.exercises.solution import solution_code

if TYPE_CHECKING:
    from umlbook.book.exercises.widget import Panel

#: An answer is slow when all data sets together take so long, and so many times the reference.
SLOW_SECONDS, SLOW_FACTOR = 2.0, 20.0
PRINTED = "your function prints and returns nothing: end it with return in place of print"


def seed_for(exercise_id: str, name: str) -> int:
    """The seed of one student's data: the same on every machine and in every Python.

    >>> seed_for("1.1", "reader") == seed_for("1.1", "reader") != seed_for("1.2", "reader")
    True
    """
    return int.from_bytes(hashlib.sha256(f"{name}/{exercise_id}".encode()).digest()[:8], "big")


# --------------------------------------------------------------------------------- reading


def _letters(answer: Any) -> str:
    """Letters of an answer such as ``"b, a, c"`` or ``["b", "a"]``, in lower case.

    An answer without any letter stays as it is, so that the exercise can say what it asks for.
    """
    text = answer if isinstance(answer, str) else "".join(map(str, answer))
    return "".join(filter(str.isalpha, text.lower())) or text


def _as_function(spec: Exercise, answer: Any) -> Callable[..., Any]:
    """The answer as a function of a case's arguments; TypeError when it is of the wrong kind."""
    if spec.kind == "function":
        if not callable(answer):
            kind = type(answer).__name__
            raise TypeError(f"give the function itself, without calling it; this is of type {kind}")
        return answer
    if callable(answer):
        raise TypeError("give a value, not a function: did you forget to call it?")
    value = answer if spec.kind == "value" else _letters(answer)
    return lambda *_: value


# --------------------------------------------------------------------------------- judging


@dataclass(frozen=True)
class _Trial:
    """An answer called on one data set."""

    attempt: Attempt
    result: Result

    @property
    def case(self) -> Case:
        return self.attempt.case

    @property
    def unanswered(self) -> bool:
        error = self.result.error
        return is_hole(self.result.value) if error is None else is_hole(error)


def _trials(function: Callable[..., Any], cases: Sequence[Case]) -> list[_Trial]:
    """The answer on each data set, up to the first at which it raises or is a stub."""
    trials: list[_Trial] = []
    for case in cases:
        result = run(function, case)
        trials.append(_Trial(Attempt(case, result.value, function), result))
        if result.error is not None or trials[0].unanswered:
            break
    return trials


def _quietly(check: Property, attempt: Attempt) -> str | None:
    """What a property says, without the warnings that reading the answer may cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check(attempt)


def _said(check: Property, attempt: Attempt) -> str | None:
    """What a property says; an answer that it cannot even read fails it."""
    try:
        return _quietly(check, attempt)
    except RaisedOnChange as error:
        return str(error)
    except Exception as error:  # the reader's value can be anything
        return f"the result cannot be read ({type(error).__name__}: {error})"


def _matches(spec: Exercise, mistake: Mistake, trial: _Trial) -> bool:
    """Whether the answer, on one data set, is what the mistake gives."""
    try:
        if mistake.recognises is not None:
            return bool(_quietly(mistake.recognises, trial.attempt))
        wrong, result = run(mistake.wrong, trial.case), trial.result
        if wrong.error is not None or result.error is not None:
            return type(wrong.error) is type(result.error)
        return spec.same(result.value, wrong.value)
    except Exception:  # as in `_said`: what cannot be read is no known mistake
        return False


def _recognised(spec: Exercise, trials: Sequence[_Trial], at: _Trial) -> Mistake | None:
    """The mistake that explains the failure `at` one data set, and most of the others."""
    best, most = None, 0
    for mistake in spec.mistakes:
        if _matches(spec, mistake, at):
            count = sum(_matches(spec, mistake, trial) for trial in trials)
            best, most = (mistake, count) if count > most else (best, most)
    return best


def _common(spec: Exercise, trials: Sequence[_Trial], at: _Trial) -> tuple[str, str]:
    """Name and sentence of a mistake met in every exercise, if it explains all that is wrong."""

    def of(trial: _Trial) -> tuple[str, str]:
        right = run(spec.reference, trial.case).value
        if trial is not at and spec.same(trial.result.value, right):
            return found
        return explained(trial.result.value, right, trial.case, spec.quantities)

    found = ("", "")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = of(at)
            return found if all(of(trial)[0] == found[0] for trial in trials) else ("", "")
    except Exception:  # as in `_said`
        return "", ""


def _failed(
    spec: Exercise, status: Status, witness: str, trials: Sequence[_Trial], at: _Trial
) -> Outcome:
    mistake = _recognised(spec, trials, at)
    name, message = (mistake.name, mistake.message) if mistake else ("", "")
    if not mistake and status is Status.WRONG and spec.kind == "function":
        name, message = _common(spec, trials, at)
    place = f"for {at.case.name}: " if spec.kind == "function" else ""
    lines = [place + witness, *([message] if message else [])]
    return Outcome(spec.label, status, "\n".join(lines), name or None)


def _is_slow(spec: Exercise, trials: Sequence[_Trial]) -> bool:
    """Whether an answer is slow, and not merely the machine: the reference is timed beside it."""
    seconds = sum(trial.result.seconds for trial in trials)
    if seconds <= SLOW_SECONDS or spec.kind != "function":
        return False
    return seconds > SLOW_FACTOR * sum(run(spec.reference, t.case).seconds for t in trials)


def _general_remarks(spec: Exercise, trials: Sequence[_Trial]) -> list[str]:
    """What is odd about a right answer whatever the exercise."""
    remarks = []
    for trial in trials:
        if trial.result.changed:
            remarks.append(f"it changes its argument {trial.result.changed}: work on a copy")
        if trial.result.warned:
            remarks.append(f"for {trial.case.name} it warns: {trial.result.warned}")
    if _is_slow(spec, trials):
        remarks.append("it is slow on these small data: is there a way without the loops?")
    return remarks


def judge(spec: Exercise, answer: Any, cases: Sequence[Case]) -> Outcome:
    """The outcome of an answer: the first property that fails decides, in the order declared."""
    if is_hole(answer):
        return Outcome(spec.label, Status.NOT_ATTEMPTED)
    try:
        function = _as_function(spec, answer)
    except TypeError as error:
        return Outcome(spec.label, Status.WRONG, str(error))
    trials = _trials(function, cases)
    last = trials[-1]
    if trials[0].unanswered and trials[0].result.printed:
        return Outcome(spec.label, Status.WRONG, PRINTED, "printed, not returned")
    if trials[0].unanswered:
        return Outcome(spec.label, Status.NOT_ATTEMPTED)
    if last.result.error is not None:
        said = raised_by(last.result.error, function)
        return _failed(spec, Status.RAISED, said, trials, last)
    for trial in trials:
        for check in spec.properties:
            if witness := _said(check, trial.attempt):
                return _failed(spec, Status.WRONG, witness, trials, trial)
    first = trials[0].attempt
    remarks = [note for remark in spec.remarks if (note := _said(remark, first))]
    if remarks := remarks + _general_remarks(spec, trials):
        return Outcome(spec.label, Status.CORRECT_BUT, remarks[0])
    return Outcome(spec.label, Status.CORRECT)


# ------------------------------------------------------------------------------ the reader's


class OpenExercise:
    """An exercise with one student's data; what `exercise` returns.

    Attributes
    ----------
    spec : Exercise
        The declaration.
    data : Case
        This student's data: ``ex.data.X`` and so on.
    """

    def __init__(self, spec: Exercise, seed: int, progress: Progress) -> None:
        self.spec = spec
        self.progress = progress
        self._cases = tuple(spec.cases(np.random.default_rng(seed)))
        self.data = self._cases[0]
        self._record = progress.opened(spec.id, spec.label)

    @property
    def _lines(self) -> list[str]:
        """What the page shows: the title, and the data or the lettered steps."""
        steps = [f"({letter}) {text}" for letter, text in self.spec.steps.items()]
        data = [f"data: {self.data!r}"] if self.data else []
        return [f"{self.spec.label}, {self.spec.title}", *data, *steps]

    def __repr__(self) -> str:
        return "\n  ".join(self._lines)

    def _repr_html_(self) -> str:
        title, *lines = map(escape, self._lines)
        return f"<strong>{title}</strong>" + "".join(f"<div>{line}</div>" for line in lines)

    def check(self, answer: Any) -> Outcome:
        """Judge an answer: a function, a value, or letters, as the exercise asks.

        Under nbgrader (which sets ``NBGRADER_EXECUTION``) an answer that does not pass raises
        AssertionError, since a cell earns its points there by not raising.
        """
        outcome = judge(self.spec, answer, self._cases)
        self.progress.checked(self.spec.id, outcome)
        outcome = replace(outcome, notice=self.progress.notice())
        if os.environ.get("NBGRADER_EXECUTION") and not outcome.passed:
            raise AssertionError(repr(outcome))
        return outcome

    def hint(self) -> Note:
        """The next hint; they come one at a time and are counted. After the last: all of them."""
        total = len(self.spec.hints)
        if self._record.hints == total:
            return Note(f"All {total} hints", "\n".join(["", *self.spec.hints]))
        self._record.hints += 1
        self.progress.changed()
        number = self._record.hints
        return Note(f"Hint {number} of {total}", self.spec.hints[number - 1])

    def solution(self) -> Note:
        """A solution and why it is one; shown on request only, and counted."""
        self._record.solutions += 1
        self.progress.changed()
        return Note(f"Solution of {self.spec.label}", self.spec.solution, solution_code(self.spec))

    def debug(self, steps: Any) -> Any:
        """Show where the reader's states part from ours, on all data, and what `check` makes of it.

        Parameters
        ----------
        steps : callable or iterable
            The function that yields states, called with each data set of the exercise; or the
            states that it gave for ``ex.data``, of which only those given are compared.
        """
        if not self.spec.quantities:
            raise ValueError(f"{self.spec.label} yields no states: ex.check(answer) says more here")
        from umlbook.book.exercises.debugging import debugged

        if callable(steps):
            outcome = judge(self.spec, steps, self._cases)
            return debugged(self.spec, _trials(steps, self._cases), outcome)
        return debugged(self.spec, _trials(lambda *_: iter(steps), [self.data]), None)

    def panel(self, name: str, namespace: Mapping[str, Any] | None = None) -> "Panel":
        """Buttons for the same: Check looks up the reader's answer by `name` when clicked."""
        from umlbook.book.exercises.widget import Panel

        return Panel(self, name, namespace)


def exercise(
    exercise_id: str, seed: int | None = None, *, progress: Progress | None = None
) -> OpenExercise:
    """Open an exercise of the book.

    Parameters
    ----------
    exercise_id : str
        Chapter and number, such as ``"1.2"``.
    seed : int, optional
        Draws the data; by default made of the exercise and the student (`set_student`).
    progress : Progress, optional
        Where to record; by default this kernel's session.
    """
    bank = all_exercises()
    if exercise_id not in bank:
        raise ValueError(f"there is no exercise {exercise_id!r}: choose one of {', '.join(bank)}")
    if seed is None:
        seed = seed_for(exercise_id, student())
    return OpenExercise(bank[exercise_id], seed, SESSION if progress is None else progress)
