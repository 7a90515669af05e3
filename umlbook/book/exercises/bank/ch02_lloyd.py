"""Exercise 2.6: Lloyd's loop as a generator of states."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from umlbook.algebra import Array, Labels
from umlbook.book.exercises.bank.properties import same_states, yields_states
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

QUANTITIES = ("labels", "centers", "objective")


@dataclass(frozen=True)
class LloydState:
    """State after one step: the labels, the means they give, and the objective of both."""

    labels: Labels
    centers: Array
    objective: float


def start_cases(rng: np.random.Generator) -> list[Case]:
    """Points and first centres: several steps to go, one to go, and a centre that loses all."""
    X = np.sort(rng.uniform(-5.0, 5.0, 12))[:, None] * [[1.0, 0.3]] + rng.normal(0, 0.3, (12, 2))
    far = np.vstack([[[99.0, 99.0]], X[:2]])  # not the last: the labels then have a gap
    mixed = rng.permutation(X)  # the first centres lie at one end, the points in any order
    return [
        Case("the points in your data", X=mixed, centers=X[:3] + 0.01),
        Case("centres at the points", X=X[:4], centers=X[:4]),
        Case("a centre without points", X=mixed, centers=far),
    ]


def lloyd_steps(X: Array, centers: Array) -> Iterator[LloydState]:
    """Assign, move the centres, yield; the caller stops."""
    while True:
        labels = np.argmin(cdist(X, centers, "sqeuclidean"), axis=1)
        centers = centers.copy()
        for k in np.unique(labels):  # a centre without points stays where it is
            centers[k] = X[labels == k].mean(axis=0)
        yield LloydState(labels, centers, float(np.sum((X - centers[labels]) ** 2)))


# ------------------------------------------------------------------------------- properties


def _states(attempt: Attempt) -> list[Any]:
    return list(attempt.value)


def is_fresh(attempt: Attempt) -> str | None:
    """No two states share one array."""
    first, second = _states(attempt)[:2]
    shared = [n for n in ("labels", "centers") if np.shares_memory(*_pair(first, second, n))]
    return f"states 0 and 1 hold the very same array of {shared[0]}" if shared else None


def _pair(first: Any, second: Any, name: str) -> tuple[Any, Any]:
    return np.asarray(getattr(first, name)), np.asarray(getattr(second, name))


def labels_are_nearest(attempt: Attempt) -> str | None:
    """Each step assigns the points to the centres that the step before has left."""
    centers = attempt.case.centers
    for step, state in enumerate(_states(attempt)):
        distances = cdist(attempt.case.X, centers)
        chosen = distances[np.arange(len(distances)), np.asarray(state.labels, dtype=int)]
        worse = np.flatnonzero(chosen > distances.min(axis=1) + 1e-9)
        if worse.size:
            return f"at step {step} point {worse[0]} is not with the nearest of the centres before"
        centers = state.centers
    return None


def centers_are_means(attempt: Attempt) -> str | None:
    """Each step leaves the means of its own labels; a centre without points stays."""
    before = attempt.case.centers
    for step, state in enumerate(_states(attempt)):
        labels, centers = np.asarray(state.labels), np.asarray(state.centers)
        for k in range(len(before)):
            members = attempt.case.X[labels == k]
            wanted = members.mean(axis=0) if len(members) else before[k]
            if not np.allclose(centers[k], wanted):
                what = "the mean of its points" if len(members) else "where it was, without points"
                return f"at step {step} centre {k} is not {what}"
        before = centers
    return None


def objective_fits(attempt: Attempt) -> str | None:
    """The objective belongs to the labels and centres of the same state."""
    for step, state in enumerate(_states(attempt)):
        wanted = np.sum((attempt.case.X - np.asarray(state.centers)[state.labels]) ** 2)
        if not np.isclose(state.objective, wanted):
            return f"at step {step} the objective is not that of this state's labels and centres"
    return None


def never_rises(attempt: Attempt) -> str | None:
    """The objective goes down or stays."""
    path = [state.objective for state in _states(attempt)]
    rises = np.flatnonzero(np.diff(path) > 1e-9)
    return f"your objective rises at step {rises[0] + 1}" if rises.size else None


# --------------------------------------------------------------------------------- mistakes


def _changed(change: Callable[[Array, LloydState, Array], LloydState]) -> Callable[..., Any]:
    """The reference with every state changed; `change` sees X, the state, the centres before."""

    def wrong(X: Array, centers: Array) -> Iterator[LloydState]:
        for state in lloyd_steps(X, centers):
            yield change(X, state, centers)
            centers = state.centers

    return wrong


def _old_objective(X: Array, state: LloydState, before: Array) -> LloydState:
    return replace(state, objective=float(np.sum((X - before[state.labels]) ** 2)))


def _distances(X: Array, state: LloydState, before: Array) -> LloydState:
    gaps = np.linalg.norm(X - state.centers[state.labels], axis=1)
    return replace(state, objective=float(gaps.sum()))


def _labels_once(X: Array, centers: Array) -> Iterator[LloydState]:
    state = next(lloyd_steps(X, centers))
    while True:
        yield replace(state, labels=state.labels.copy(), centers=state.centers.copy())


def _same_array(X: Array, centers: Array) -> Iterator[LloydState]:
    kept = centers.copy()
    for state in lloyd_steps(X, centers):
        kept[:] = state.centers
        yield replace(state, centers=kept)


def _empty_mean(X: Array, centers: Array) -> Iterator[LloydState]:
    while True:
        labels = np.argmin(cdist(X, centers, "sqeuclidean"), axis=1)
        centers = np.array([X[labels == k].mean(axis=0) for k in range(len(centers))])
        yield LloydState(labels, centers, float(np.sum((X - centers[labels]) ** 2)))


EX_2_6 = Exercise(
    id="2.6",
    title="Lloyd's loop as a generator",
    reference=lloyd_steps,
    cases=start_cases,
    quantities=QUANTITIES,
    same=same_states(QUANTITIES),
    properties=[
        yields_states(LloydState),
        is_fresh,
        labels_are_nearest,
        centers_are_means,
        objective_fits,
        never_rises,
    ],
    mistakes=[
        Mistake(
            "objective before the update",
            "this is the objective of the new labels with the old centres: compute it last",
            _changed(_old_objective),
        ),
        Mistake(
            "labels never renewed",
            "the labels are found once and never again: assign inside the loop",
            _labels_once,
        ),
        Mistake(
            "one array for all states",
            "the centres are changed in place, so every state shows the last ones: make a new "
            "array in each step",
            _same_array,
        ),
        Mistake(
            "distances not squared",
            "this is the sum of distances: the objective has their squares",
            _changed(_distances),
        ),
        Mistake(
            "mean of no points",
            "the mean of a cluster without points is NaN: leave such a centre where it is",
            _empty_mean,
        ),
    ],
    hints=[
        "One step: assign every point to its nearest centre, then move the centres, then yield.",
        "scipy.spatial.distance.cdist(X, centers) and argmin give the labels.",
        "debug(lloyd_steps) names the first step and quantity at which you and the book part.",
    ],
    solution="Assign, move, yield; the generator never decides when to stop.",
)
