"""Exercise 3.6: the loop of CPCM, with its guard, as a generator of states."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from umlbook.algebra import Array, Labels
from umlbook.book.exercises.bank.ch03_prediction import predicted_memberships
from umlbook.book.exercises.bank.properties import same_states, yields_states
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.cpcm.blur import blur_ratio

QUANTITIES = ("labels", "objective")


@dataclass(frozen=True)
class CPCMState:
    """State after one prediction and one clustering: the labels and their blur ratio."""

    labels: Labels
    objective: float


def clustered(predictions: Array, labels: Labels) -> Labels:
    """Lloyd's algorithm on the predictions, from these labels, until they stay."""
    while not np.array_equal(moved := nearest_centre(predictions, labels), labels):
        labels = moved
    return labels


def nearest_centre(predictions: Array, labels: Labels) -> Labels:
    """One pass of Lloyd's algorithm: the cluster of the nearest mean."""
    present = np.unique(labels)
    centres = [predictions[labels == c].mean(axis=0) for c in present]
    return present[cdist(predictions, centres).argmin(axis=1)]


def cpcm_steps(X: Array, labels: Labels) -> Iterator[CPCMState]:
    """Reference of 3.6."""
    reached = np.inf
    while True:
        predictions = predicted_memberships(X, labels)
        labels = clustered(predictions, labels)
        objective = blur_ratio(predictions, labels)
        if not objective < reached - 1e-12:
            return
        yield CPCMState(labels, objective)
        reached = objective


def _raw(X: Array, labels: Labels) -> Iterator[CPCMState]:
    while True:
        predictions = predicted_memberships(X, labels)
        labels = clustered(predictions, labels)
        yield CPCMState(labels, blur_ratio(predictions, labels))


# ------------------------------------------------------------------------------------- cases


def _rising(rng: np.random.Generator) -> tuple[Array, Labels]:
    """Small data and a start from which the raw alternation raises the blur ratio at step 2."""
    while True:
        X, labels = rng.normal(size=(14, 2)) + 3.0, rng.permutation(14) % 3
        states = list(islice(_raw(X, labels), 4))
        path = [state.objective for state in states]
        full = all(len(np.unique(state.labels)) == 3 for state in states)
        if full and path[1] < path[0] - 1e-3 and path[2] > path[1] + 1e-3:
            return X, labels


def _long(rng: np.random.Generator) -> tuple[Array, Labels]:
    """Small data and a start from which the blur ratio falls at least three times."""
    while True:
        X, labels = rng.normal(size=(20, 2)) + 3.0, rng.permutation(20) % 2
        path = [state.objective for state in cpcm_steps(X, labels)]
        if len(path) > 3 and np.diff(path).max() < -1e-3:
            return X, labels


def loop_cases(rng: np.random.Generator) -> list[Case]:
    """Data on which the guard is needed, and two lines, on which it is not."""
    X, labels = _rising(rng)
    other, start = _rising(rng)
    far, first = _long(rng)
    t = np.linspace(-2.0, 2.0, 20)
    lines = np.column_stack([np.r_[t, t + 0.05], np.repeat([0.0, 1.0], 20)])
    lines += rng.normal(0.0, 0.05, lines.shape)
    return [
        Case("the points in your data", X=X, labels=labels),
        Case("other points", X=other, labels=start),
        Case("two clusters", X=far, labels=first),
        Case("two lines", X=lines, labels=(lines[:, 0] * 0.3 + lines[:, 1] > 0.5).astype(np.intp)),
    ]


# -------------------------------------------------------------------------------- properties


def objective_fits(attempt: Attempt) -> str | None:
    """The first objective is the blur ratio of the first labels under the first predictions."""
    first = attempt.value[0]
    predictions = predicted_memberships(attempt.case.X, attempt.case.labels)
    if np.isclose(first.objective, blur_ratio(predictions, first.labels)):
        return None
    return "at step 0 the objective is not the blur ratio of the predictions with the new labels"


def is_settled_kmeans(attempt: Attempt) -> str | None:
    """K-means on the first predictions would leave the first labels where they are."""
    first = attempt.value[0]
    predictions = predicted_memberships(attempt.case.X, attempt.case.labels)
    labels = np.asarray(first.labels, dtype=np.intp)
    moved = np.flatnonzero(clustered(predictions, labels) != labels)
    return f"at step 0 k-means would still move sample {moved[0]}" if moved.size else None


def always_falls(attempt: Attempt) -> str | None:
    """The blur ratio falls at every step."""
    path = [state.objective for state in attempt.value]
    wrong = np.flatnonzero(np.diff(path) > -1e-12)
    return f"your blur ratio does not fall at step {wrong[0] + 1}" if wrong.size else None


def same_streams(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether two lists of states are equal, step by step and in length."""
    return len(left) == len(right) and same_states(QUANTITIES)(left, right)


def takes_our_steps(attempt: Attempt) -> str | None:
    """The states are those of the reference."""
    ours = list(cpcm_steps(attempt.case.X, attempt.case.labels))
    if same_streams(attempt.value, ours):
        return None
    if len(attempt.value) != len(ours):
        return f"you take {len(attempt.value)} steps: one too many, or one too few?"
    return "your labels part from ours: ex.debug names the step"


# ---------------------------------------------------------------------------------- mistakes


def _loop(
    predict: Callable[[Array, Labels], Array], cluster: Callable[[Array, Labels], Labels]
) -> Callable[[Array, Labels], Iterator[CPCMState]]:
    """The reference with other stages."""

    def wrong(X: Array, labels: Labels) -> Iterator[CPCMState]:
        reached = np.inf
        while True:
            predictions = predict(X, labels)
            labels = cluster(predictions, labels)
            objective = blur_ratio(predictions, labels)
            if not objective < reached - 1e-12:
                return
            yield CPCMState(labels, objective)
            reached = objective

    return wrong


def _no_intercept(X: Array, labels: Labels) -> Array:
    Z = np.eye(labels.max() + 1)[labels]
    return np.asarray(X @ np.linalg.lstsq(X, Z, rcond=None)[0])


def _yields_refused(X: Array, labels: Labels) -> Iterator[CPCMState]:
    reached = np.inf
    for state in _raw(X, labels):
        yield state
        if not state.objective < reached - 1e-12:
            return
        reached = state.objective


def _blur_in_data(X: Array, labels: Labels) -> Iterator[CPCMState]:
    for state in cpcm_steps(X, labels):
        yield CPCMState(state.labels, blur_ratio(X, state.labels))


EX_3_6 = Exercise(
    id="3.6",
    title="the loop of CPCM, with its guard",
    reference=cpcm_steps,
    cases=loop_cases,
    quantities=QUANTITIES,
    same=same_streams,
    properties=[
        yields_states(CPCMState, "yield a CPCMState(labels, objective) after every step", False),
        objective_fits,
        is_settled_kmeans,
        always_falls,
        takes_our_steps,
    ],
    mistakes=[
        Mistake(
            "no guard",
            "the loop goes on when the blur ratio rises or stays: return before you yield such a "
            "state",
            _raw,
        ),
        Mistake(
            "the refused state is shown",
            "the state that the guard refuses is yielded before the loop ends: test first, then "
            "yield",
            _yields_refused,
        ),
        Mistake(
            "no intercept",
            "the regression has no intercept, so the predictions depend on where the origin is",
            _loop(_no_intercept, clustered),
        ),
        Mistake(
            "largest prediction",
            "the labels are those of the largest prediction, which can mask a cluster: run k-means "
            "on the predictions",
            _loop(predicted_memberships, lambda predictions, _: predictions.argmax(axis=1)),
        ),
        Mistake(
            "one pass of Lloyd",
            "the clustering stops after one pass: repeat it until no label changes",
            _loop(predicted_memberships, nearest_centre),
        ),
        Mistake(
            "blur in the original space",
            "this is the blur ratio of X under the identity: measure it on the predictions",
            _blur_in_data,
        ),
    ],
    hints=[
        "One step: predict (exercise 3.3), cluster the predictions from the labels that you have, "
        "compute the blur ratio.",
        "Keep the blur ratio of the last state; if the new one is not smaller, return.",
        "debug(cpcm_steps) names the first step and quantity at which you and the book part.",
    ],
    solution="Predict, cluster, compare, yield; the guard ends the stream.",
)
