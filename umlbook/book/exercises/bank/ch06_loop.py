"""Exercise 6.6: CPD-UML as a generator of states."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from umlbook.algebra import Array, Labels, indicator, kmeans_objective
from umlbook.book.exercises.bank.properties import same_states, yields_states
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.cpd import deformation, kmeans_labels, lloyd_labels
from umlbook.datasets import make_two_moons
from umlbook.kernels import rbf

QUANTITIES = ("labels", "psi", "objective")


@dataclass(frozen=True)
class CPDState:
    """State after one step: the new labels, the field that led to them, and J at both."""

    labels: Labels
    psi: Array
    objective: float


def start_cases(rng: np.random.Generator) -> list[Case]:
    """Small moons from k-means labels."""
    seeds = rng.integers(2**31, size=2)
    sets = [make_two_moons(40, noise=0.1, random_state=int(seed))[0] for seed in seeds]
    names = ("the moons in your data", "other moons")
    return [
        Case(name, X=X, labels=kmeans_labels(X, 2), sigma=1.0, lam=lam)
        for name, X, lam in zip(names, sets, (4.0, 1.0), strict=True)
    ]


def cpd_steps(X: Array, labels: Labels, sigma: float, lam: float) -> Iterator[CPDState]:
    """Reference of 6.6."""
    G = rbf(X, sigma=sigma)
    while True:
        psi = deformation(X, G, indicator(labels, 2), lam)
        moved = X + G @ psi
        labels = lloyd_labels(moved, labels, 2)
        yield CPDState(labels, psi, kmeans_objective(moved, labels) + lam * float(np.sum(psi**2)))


def field_is_best(attempt: Attempt) -> str | None:
    """Psi of each state is the best for the labels of the state before, from the original X."""
    X, labels, sigma, lam = attempt.case.values()
    G = rbf(X, sigma=sigma)
    for step, state in enumerate(attempt.value):
        if not np.allclose(state.psi, deformation(X, G, indicator(labels, 2), lam), atol=1e-7):
            return f"at step {step} Psi is not the best field for the labels before it"
        labels = np.asarray(state.labels)
    return None


def objective_fits(attempt: Attempt) -> str | None:
    """J belongs to the labels and the field of the same state."""
    X, _, sigma, lam = attempt.case.values()
    G = rbf(X, sigma=sigma)
    for step, state in enumerate(attempt.value):
        moved = X + G @ state.psi
        wanted = kmeans_objective(moved, state.labels) + lam * np.sum(np.square(state.psi))
        if not np.isclose(state.objective, wanted):
            return f"at step {step} the objective is not J at this state's labels and Psi"
    return None


def never_rises(attempt: Attempt) -> str | None:
    """J goes down or stays."""
    path = [state.objective for state in attempt.value]
    rises = np.flatnonzero(np.diff(path) > 1e-9 * abs(path[0]))
    return f"your objective rises at step {rises[0] + 1}" if rises.size else None


def labels_are_settled(attempt: Attempt) -> str | None:
    """The labels are where Lloyd settles among the moved points, from the labels before."""
    X, labels, sigma, _ = attempt.case.values()
    G = rbf(X, sigma=sigma)
    for step, state in enumerate(attempt.value):
        labels = lloyd_labels(X + G @ state.psi, labels, 2)
        if not np.array_equal(state.labels, labels):
            return f"at step {step} the labels are not those that lloyd_labels finds"
    return None


# --------------------------------------------------------------------------------- mistakes


def _keeps_moving(X: Array, labels: Labels, sigma: float, lam: float) -> Iterator[CPDState]:
    while True:
        G = rbf(X, sigma=sigma)
        psi = deformation(X, G, indicator(labels, 2), lam)
        X = X + G @ psi
        labels = lloyd_labels(X, labels, 2)
        yield CPDState(labels, psi, kmeans_objective(X, labels) + lam * float(np.sum(psi**2)))


def _labels_of_x(X: Array, labels: Labels, sigma: float, lam: float) -> Iterator[CPDState]:
    G = rbf(X, sigma=sigma)
    while True:
        psi = deformation(X, G, indicator(labels, 2), lam)
        labels = lloyd_labels(X, labels, 2)
        within = kmeans_objective(X + G @ psi, labels)
        yield CPDState(labels, psi, within + lam * float(np.sum(psi**2)))


def _no_penalty(X: Array, labels: Labels, sigma: float, lam: float) -> Iterator[CPDState]:
    for state in cpd_steps(X, labels, sigma, lam):
        price = lam * float(np.sum(state.psi**2))
        yield CPDState(state.labels, state.psi, state.objective - price)


def _old_labels(X: Array, labels: Labels, sigma: float, lam: float) -> Iterator[CPDState]:
    G = rbf(X, sigma=sigma)
    for state in cpd_steps(X, labels, sigma, lam):
        within = kmeans_objective(X + G @ state.psi, labels)
        yield CPDState(state.labels, state.psi, within + lam * float(np.sum(state.psi**2)))
        labels = state.labels


EX_6_6 = Exercise(
    id="6.6",
    title="CPD-UML as a generator",
    reference=cpd_steps,
    cases=start_cases,
    quantities=QUANTITIES,
    same=same_states(QUANTITIES),
    properties=[
        yields_states(CPDState),
        field_is_best,
        labels_are_settled,
        objective_fits,
        never_rises,
    ],
    mistakes=[
        Mistake(
            "moves the moved points",
            "each step deforms what the step before has moved: the field always starts from the "
            "original X, and G stays the same",
            _keeps_moving,
        ),
        Mistake(
            "labels from X",
            "the labels are looked for among the points as they lie: look among the moved ones",
            _labels_of_x,
        ),
        Mistake(
            "objective without the penalty",
            "this is the scatter of the moved points alone: J has lam |Psi|^2 as well",
            _no_penalty,
        ),
        Mistake(
            "objective of the old labels",
            "this is J at the labels before the step: compute it last",
            _old_labels,
        ),
    ],
    hints=[
        "One step: the best field for the labels, the moved points, new labels among them, yield.",
        "umlbook.cpd has deformation and lloyd_labels; G is found once, before the loop.",
        "debug(my_steps) names the first step and quantity at which you and the book part.",
    ],
    solution="Field, move, label, yield; X and G are never replaced.",
)
