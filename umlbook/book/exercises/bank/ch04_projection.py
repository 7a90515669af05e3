"""Chapter 4: the best projection, and the kernel that AML iterates."""

import numpy as np

from umlbook.algebra import Array, Labels, centered, indicator
from umlbook.book.exercises.bank.ch04_distance import (
    between_trace,
    blobs,
    clustered_points,
    covariance,
)
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    has_shape,
    is_finite,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ------------------------------------------------------------------- 4.3 the best projection


def best_projection(X: Array, labels: Labels, lam: float) -> Array:
    """S^-1 X'L without its last column, which the others span."""
    W = np.linalg.solve(covariance(X, lam), centered(X).T @ indicator(labels))
    return np.asarray(W[:, :-1])


def has_two_columns(attempt: Attempt) -> str | None:
    """W is d x (K - 1) and its columns are independent."""
    shape = np.shape(attempt.value)
    if shape != (4, 2):
        return f"your W has shape {shape}; four features and K - 1 = 2 columns are wanted"
    if np.linalg.cond(attempt.array) > 1e10:
        return "the columns of your W are multiples of each other: W'SW has no inverse"
    return None


def reaches_the_maximum(attempt: Attempt) -> str | None:
    """No other W has a larger trace."""
    c = attempt.case
    got = between_trace(c.X, c.labels, attempt.array, c.lam)
    best = between_trace(c.X, c.labels, best_projection(c.X, c.labels, c.lam), c.lam)
    if got >= best * (1 - 1e-8):
        return None
    return f"the trace at your W is {got / best:.1%} of what the best W reaches"


def _same_space(left: Array, right: Array) -> bool:
    """W and WT are the same answer for every invertible T."""
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    if left.shape != right.shape or left.ndim != 2:
        return False
    Q, R = np.linalg.qr(left)[0], np.linalg.qr(right)[0]
    return bool(np.allclose(Q @ Q.T, R @ R.T, atol=1e-8))


EX_4_3 = Exercise(
    id="4.3",
    title="the best projection for given clusters",
    reference=best_projection,
    cases=clustered_points,
    same=_same_space,
    properties=[has_two_columns, is_finite, reaches_the_maximum],
    mistakes=[
        Mistake(
            "the means themselves",
            "this is X'L: the directions of the means, before they are divided by the spread",
            lambda X, labels, lam: (centered(X).T @ indicator(labels))[:, :-1],
        ),
        Mistake(
            "principal components",
            "these are the directions of largest spread: the clusters have no say in them",
            lambda X, labels, lam: np.linalg.svd(centered(X))[2][:2].T,
        ),
        Mistake(
            "X not centred",
            "this is what you get from means that are not taken from the overall mean",
            lambda X, labels, lam: np.linalg.solve(
                X.T @ X / len(X) + lam * np.eye(4), X.T @ indicator(labels)
            )[:, :-1],
        ),
        Mistake(
            "multiplied by S",
            "this is S X'L: solve with S, do not multiply by it",
            lambda X, labels, lam: (covariance(X, lam) @ centered(X).T @ indicator(labels))[:, :-1],
        ),
    ],
    hints=[
        "Put W = S^(-1/2) R. What does the objective become?",
        "A projector takes nothing away if its range holds everything: R spans S^(-1/2) X'L.",
        "S^-1 X'L has K columns and rank K - 1: keep K - 1 of them.",
    ],
    solution="One solve: S^-1 X'L, without one of its columns, as they add up to zero.",
)

# --------------------------------------------------------------------------- 4.4 the kernel H


def points_only(rng: np.random.Generator) -> list[Case]:
    """Points and lam; one case with more features than points."""
    X, _ = blobs(rng)
    wide = rng.normal(size=(6, 15)) + 3.0
    return [
        Case("the 18 points in your data", X=X, lam=0.5),
        Case("more features than points", X=wide, lam=0.2),
        Case("a large lam", X=X, lam=10.0),
    ]


def aml_kernel(X: Array, lam: float) -> Array:
    """X(X'X + n lam I)^-1X' with centred X."""
    return _kernel(centered(X), len(X) * lam)


def _kernel(X: Array, ridge: float) -> Array:
    return X @ np.linalg.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T)


EX_4_4 = Exercise(
    id="4.4",
    title="the kernel in which discrete AML is k-means",
    reference=aml_kernel,
    cases=points_only,
    properties=[
        has_shape(lambda case: (len(case.X), len(case.X))),
        is_finite,
        unmoved_by_shift,
        agrees_with(aml_kernel, "entry"),
    ],
    mistakes=[
        Mistake(
            "lam without n",
            "this is what you get with lam in place of n lam: S has X'X / n, so n S has n lam",
            lambda X, lam: _kernel(centered(X), lam),
        ),
        Mistake(
            "linear kernel",
            "this is XX': it has no inverse covariance in it, so large directions still rule",
            lambda X, lam: centered(X) @ centered(X).T,
        ),
        Mistake(
            "X not centred",
            "this is what you get without centring: then H 1 is not zero",
            lambda X, lam: _kernel(X, len(X) * lam),
        ),
        Mistake(
            "n times H",
            "this is XS^-1X' = nH: its eigenvalues go up to n, those of H up to one",
            lambda X, lam: len(X) * aml_kernel(X, lam),
        ),
    ],
    hints=[
        "Put W = S^-1 X'L into the objective and collect what stands between L' and L.",
        "XS^-1X' = nX(X'X + n lam I)^-1X'.",
        "Centre X, solve with X'X + n lam I.",
    ],
    solution="Centre, then X(X'X + n lam I)^-1X'.",
)
