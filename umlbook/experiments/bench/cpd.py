"""CPD-UML: the field of Eq. 20 in the eigenbasis of G, against Eq. 20 solved as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from umlbook.algebra import Array, indicator
from umlbook.cpd import CPDUML, kmeans_labels
from umlbook.cpd.field import FieldProblem, full_basis
from umlbook.datasets import make_two_moons
from umlbook.experiments.bench.speeds import Seconds, Speed, interleaved_medians
from umlbook.kernels import rbf

N_SAMPLES, N_ITERATIONS = 2000, 10
N_MANY, N_LANDMARKS = 50_000, 200


def rows() -> Iterator[Speed]:
    """Yield one iteration, ten with their set-up, and many points on landmarks within a minute."""
    X, _ = make_two_moons(N_SAMPLES, random_state=0)
    Y, G, lam = indicator(kmeans_labels(X, 2)), rbf(X, sigma=1.0), 2.5e-3 * N_SAMPLES**2
    problem = FieldProblem(X, full_basis(X, 1.0), lam)
    naive, fast, setup = interleaved_medians(
        partial(naive_deformation, X, G, Y, lam),
        partial(fast_deformation, problem, Y),
        partial(full_basis, X, 1.0),
        repeats=3,
    )
    size = f"n={N_SAMPLES}"
    yield Speed("field of CPD-UML / Eq. 20 as it stands", size, naive, fast, 95)
    ours, peer = setup + fast * N_ITERATIONS, naive * N_ITERATIONS
    yield Speed(f"set-up and {N_ITERATIONS} fields / the same", size, peer, ours)
    many, _ = make_two_moons(N_MANY, random_state=0)
    model = CPDUML(2, n_landmarks=N_LANDMARKS, random_state=0)
    (seconds,) = interleaved_medians(partial(model.fit, many), repeats=1)
    yield Speed(
        f"fit with {N_LANDMARKS} landmarks / one minute",
        f"n={N_MANY}",
        Seconds(60.0, 60.0),
        seconds,
    )


def naive_deformation(X: Array, G: Array, Y: Array, lam: float) -> Array:
    """Eq. 20 word for word: the projector and the matrix of order n are formed for every Y."""
    identity = np.eye(len(X))
    P = identity - Y @ Y.T
    return np.asarray(np.linalg.solve(G @ P @ G + lam * identity, -G @ P @ X), dtype=np.float64)


def fast_deformation(problem: FieldProblem, Y: Array) -> Array:
    """Psi and the moved points by two products with the eigenvectors."""
    return problem.best_field(Y).psi
