"""``ex.debug(my_steps)``: a reader's states beside ours, on every data set, as `check` judges them.

The verdict is that of `check`, so that the two cannot contradict each other; the comparison shows
where the streams part.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from umlbook.book.exercises.model import Case, Exercise, Outcome, Status
from umlbook.book.exercises.run import raised_by, taken
from umlbook.book.page.causes import listed
from umlbook.book.page.compare import StreamComparison, compare, noted

if TYPE_CHECKING:
    from umlbook.book.exercises.judge import _Trial


def debugged(
    spec: Exercise, trials: Sequence["_Trial"], outcome: Outcome | None
) -> StreamComparison | Outcome:
    """Return the first data set's comparison that parts, with the verdict of `check`.

    Parameters
    ----------
    spec : Exercise
        One whose answers yield states.
    trials : sequence of _Trial
        The reader's answer on the data sets, up to the first at which it raises.
    outcome : Outcome or None
        What `check` says; None when there are only states of the first data set to compare.
    """
    if trials[0].unanswered:
        return Outcome(spec.label, Status.NOT_ATTEMPTED)
    last = trials[-1]
    found = {t.case.name: _compared(spec, t, outcome is None) for t in trials if not t.result.error}
    parted = [name for name, comparison in found.items() if not comparison]
    if last.result.error is not None and not parted:
        said = raised_by(last.result.error, last.attempt.function)
        return outcome or Outcome(spec.label, Status.RAISED, said)
    shown = found[(parted or list(found))[0]]
    if outcome is None:
        return shown
    witness, *named = outcome.reason.splitlines() or [""]
    cause = named[-1] if outcome.mistake and named else ""
    notes = [_data_sentence(parted, [name for name in found if name not in parted])]
    if not outcome.passed:
        notes.append(f"ex.check: {outcome.status}, {witness}.")
    elif parted:
        notes.append("ex.check accepts it all the same: the exercise leaves open what differs.")
    return noted(shown, *notes, cause=cause, accepted=outcome.passed)


def _compared(spec: Exercise, trial: "_Trial", as_far_as_given: bool) -> StreamComparison:
    """Compare the states of one data set with ours."""
    mine = trial.result.value
    mine = list(mine) if isinstance(mine, list | tuple) else [mine]
    ours = taken(spec.reference(*trial.case.values()))
    if as_far_as_given:
        ours = ours[: len(mine)]
    return compare(mine, ours, quantities=spec.quantities, points=_points(trial.case))


def _points(case: Case) -> Any:
    """The points of a data set if they lie in the plane."""
    X = np.asarray(case.get("X", []))
    return X if X.ndim == 2 and X.shape[1] == 2 else None


def _data_sentence(parted: Sequence[str], agreed: Sequence[str]) -> str:
    if not parted:
        return f"The streams agree for {listed(agreed)}."
    rest = f" They agree for {listed(agreed)}." if agreed else ""
    return f"The streams part for {listed(parted)}; shown: {parted[0]}.{rest}"
