"""Exercises 6.1 and 6.2: the slope of J and its curvature."""

import numpy as np

from umlbook.algebra import Array, indicator
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.cpd import deviations, objective
from umlbook.kernels import rbf


def drawn_points(rng: np.random.Generator, n: int, d: int, K: int) -> tuple[Array, Array, Array]:
    """X, G and Y of n points in d dimensions with K clusters."""
    X = rng.normal(size=(n, d))
    return X, rbf(X, sigma=1.2), indicator(rng.permutation(np.arange(n) % K), K)


# ------------------------------------------------------------------------------ 6.1 gradient


def gradient_cases(rng: np.random.Generator) -> list[Case]:
    """A random Psi, none, one cluster, and as many clusters as points."""
    X, G, Y = drawn_points(rng, 8, 2, 3)
    psi = rng.normal(size=(8, 2))
    return [
        Case("the points in ex.data", X=X, G=G, Y=Y, psi=psi, lam=0.6),
        Case("Psi = 0", X=X, G=G, Y=Y, psi=np.zeros((8, 2)), lam=0.6),
        Case("one cluster", X=X, G=G, Y=indicator(np.zeros(8, dtype=int)), psi=psi, lam=2.0),
        Case("as many clusters as points", X=X, G=G, Y=np.eye(8), psi=psi, lam=2.0),
    ]


def slope_of_J(X: Array, G: Array, Y: Array, psi: Array, lam: float) -> Array:
    """Reference of 6.1."""
    moved = X + G @ psi
    return 2 * G @ (moved - Y @ (Y.T @ moved)) + 2 * lam * psi


def follows_J(attempt: Attempt) -> str | None:
    """Along a random direction J changes as the gradient says."""
    X, G, Y, psi, lam = attempt.case.values()
    step = np.random.default_rng(0).normal(size=psi.shape)
    change = objective(X, G, Y, psi + step / 2, lam) - objective(X, G, Y, psi - step / 2, lam)
    said = float(np.sum(attempt.array * step))
    if np.isclose(said, change, rtol=1e-6, atol=1e-9):
        return None
    return f"in a random direction J changes by {change:.3g}, your gradient says {said:.3g}"


EX_6_1 = Exercise(
    id="6.1",
    title="the gradient of J",
    reference=slope_of_J,
    cases=gradient_cases,
    properties=[has_shape(lambda case: case.psi.shape), is_finite, follows_J,
                agrees_with(slope_of_J, "entry")],
    mistakes=[
        Mistake(
            "factor two lost",
            "this is half the gradient: a square has the derivative 2x",
            lambda X, G, Y, psi, lam: slope_of_J(X, G, Y, psi, lam) / 2,
        ),
        Mistake(
            "no projector",
            "this pulls the points to the origin: P = I - YY' is missing, which leaves deviations "
            "from the means",
            lambda X, G, Y, psi, lam: 2 * G @ (X + G @ psi) + 2 * lam * psi,
        ),
        Mistake(
            "chain rule forgotten",
            "this is the derivative by the moved points: Psi moves them through G, so G must stand "
            "before it",
            lambda X, G, Y, psi, lam: 2 * deviations(X + G @ psi, Y) + 2 * lam * psi,
        ),
        Mistake(
            "no penalty",
            "the penalty has a gradient too: 2 lam Psi is missing",
            lambda X, G, Y, psi, lam: 2 * G @ deviations(X + G @ psi, Y),
        ),
    ],
    hints=[
        "J is |P X_1|^2 + lam |Psi|^2 with X_1 = X + G Psi.",
        "The derivative of |P X_1|^2 by X_1 is 2 P X_1, as P is a projector.",
        "X_1 depends on Psi through G: multiply by G, and add 2 lam Psi.",
    ],
    solution="By the chain rule: 2 G P X_1 from the first term, 2 lam Psi from the second.",
)  # fmt: skip

# ------------------------------------------------------------------------------- 6.2 Hessian


def hessian_cases(rng: np.random.Generator) -> list[Case]:
    """Small problems, one with equal points, where G is singular."""
    _, G, Y = drawn_points(rng, 7, 2, 3)
    twins = np.repeat(rng.normal(size=(4, 2)), 2, axis=0)
    return [
        Case("the kernel in ex.data", G=G, Y=Y, lam=0.4, d=2),
        Case("one dimension", G=G, Y=Y, lam=3.0, d=1),
        Case("pairs of equal points", G=rbf(twins, sigma=1.0), Y=indicator(np.arange(8) % 2),
             lam=0.4, d=3),
    ]  # fmt: skip


def curvature(G: Array, Y: Array, lam: float, d: int) -> Array:
    """Reference of 6.2."""
    M = 2 * (G @ G - G @ Y @ Y.T @ G + lam * np.eye(len(G)))
    return np.asarray(np.kron(np.eye(d), M), dtype=float)


def _is_symmetric(attempt: Attempt) -> str | None:
    H = attempt.array
    return None if np.allclose(H, H.T) else "your matrix is not symmetric, a Hessian always is"


def least_curvature(attempt: Attempt) -> str | None:
    """The smallest eigenvalue is 2 lam."""
    least = float(np.linalg.eigvalsh(attempt.array)[0])
    wanted = 2 * attempt.case.lam
    if np.isclose(least, wanted, rtol=1e-6):
        return None
    side = "above" if least > wanted else "below"
    return f"your smallest eigenvalue {least:.3g} is {side} the bound of the convexity proof"


EX_6_2 = Exercise(
    id="6.2",
    title="the Hessian as a Kronecker product",
    reference=curvature,
    cases=hessian_cases,
    properties=[has_shape(lambda case: (len(case.G) * case.d,) * 2), is_finite, _is_symmetric,
                least_curvature, agrees_with(curvature, "entry")],
    mistakes=[
        Mistake(
            "rows stacked",
            "this is the Hessian for Psi stacked row by row: the exercise stacks its columns, so "
            "the blocks are whole matrices M",
            lambda G, Y, lam, d: np.kron(curvature(G, Y, lam, 1), np.eye(d)),
            lambda attempt: "rows" if attempt.case.d > 1 and np.allclose(
                attempt.array,
                np.kron(curvature(attempt.case.G, attempt.case.Y, attempt.case.lam, 1),
                        np.eye(attempt.case.d))) else None,
        ),
        Mistake(
            "factor two lost",
            "this is half the Hessian: differentiate 2 G P X_1 + 2 lam Psi once more",
            lambda G, Y, lam, d: curvature(G, Y, lam, d) / 2,
        ),
        Mistake(
            "lam not doubled",
            "the 2 stands before the whole bracket: the penalty contributes 2 lam I",
            lambda G, Y, lam, d: np.kron(
                np.eye(d), 2 * G @ deviations(G, Y) + lam * np.eye(len(G))
            ),
        ),
        Mistake(
            "no penalty",
            "without lam the matrix is singular: where is the penalty?",
            lambda G, Y, lam, d: np.kron(np.eye(d), 2 * G @ deviations(G, Y)),
        ),
    ],
    hints=[
        "The gradient is N + M Psi: each column of Psi has the same matrix M.",
        "Stacked by columns, the Hessian has M in each diagonal block and zeros elsewhere.",
        "np.kron(np.eye(d), M) with M = 2 (G P G + lam I).",
    ],
    solution="The gradient N + M Psi is affine, and no column of Psi meets another: I_d (x) M.",
)  # fmt: skip
