"""Exercises 6.3 to 6.5: what the best field costs, how it is found, and what it does elsewhere."""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh, solve
from scipy.optimize import brentq

from umlbook.algebra import Array, Labels
from umlbook.book.exercises.bank.ch06_convex import drawn_points
from umlbook.book.exercises.bank.properties import (
    has_shape,
    is_finite,
    is_label,
    is_number,
    is_positive,
    solves_at_most,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake, Property
from umlbook.cpd import deformation, deviations, gradient, objective
from umlbook.kernels import distances, rbf

# ------------------------------------------------------------------------------ 6.3 collapse


def collapse_cases(rng: np.random.Generator) -> list[Case]:
    """One problem, and the share of the k-means objective that is to be left."""
    X, G, Y = drawn_points(rng, 15, 2, 3)
    return [Case("the points in ex.data", X=X, G=G, Y=Y, share=float(rng.uniform(0.2, 0.4)))]


def _share_left(X: Array, G: Array, Y: Array, lam: float) -> float:
    """J at the best field, as a share of J without motion."""
    psi = deformation(X, G, Y, lam)
    return objective(X, G, Y, psi, lam) / float(np.sum(deviations(X, Y) ** 2))


def lam_for_share(X: Array, G: Array, Y: Array, share: float) -> float:
    """Reference of 6.3."""
    return float(np.exp(brentq(lambda t: _share_left(X, G, Y, np.exp(t)) - share, -20, 20)))


def leaves_the_share(attempt: Attempt) -> str | None:
    """J at the best field is the share asked for, to one percent."""
    X, G, Y, share = attempt.case.values()
    left = _share_left(X, G, Y, attempt.number)
    if abs(left - share) < 0.01 * share:
        return None
    return f"with your lam J falls to {left:.3f} of the k-means objective; {share:.3f} is asked for"


def _lam_without_penalty(X: Array, G: Array, Y: Array, share: float) -> float:
    total = np.sum(deviations(X, Y) ** 2)

    def excess(t: float) -> float:
        psi = deformation(X, G, Y, np.exp(t))
        return float(np.sum(deviations(X + G @ psi, Y) ** 2) / total - share)

    return float(np.exp(brentq(excess, -20, 20)))


def _near(wrong: float, attempt: Attempt) -> str | None:
    return "near" if abs(np.log(attempt.number / wrong)) < 1e-3 else None


def _is_like(function: Callable[..., float]) -> Property:
    return lambda attempt: _near(function(*attempt.case.values()), attempt)


EX_6_3 = Exercise(
    id="6.3",
    title="how J collapses",
    answer="my_lam",
    kind="value",
    reference=lam_for_share,
    cases=collapse_cases,
    properties=[is_number, is_finite, is_positive("lam"), leaves_the_share],
    mistakes=[
        Mistake(
            "penalty left out",
            "this is where the scatter of the moved points is that share: J counts lam |Psi|^2 too",
            _lam_without_penalty,
            _is_like(_lam_without_penalty),
        ),
        Mistake(
            "the share that is gone",
            "this lam takes that share away: it is to be left",
            lambda X, G, Y, share: lam_for_share(X, G, Y, 1 - share),
            _is_like(lambda X, G, Y, share: lam_for_share(X, G, Y, 1 - share)),
        ),
        Mistake(
            "below zero",
            "a negative lam rewards motion, and J has no minimum",
            lambda X, G, Y, share: -1.0,
            lambda attempt: "negative" if attempt.number < 0 else None,
        ),
    ],
    hints=[
        "J at the best field grows with lam, from 0 to the k-means objective of the points.",
        "umlbook.cpd.deformation gives the best field, umlbook.cpd.objective its J.",
        "Search for log lam by halving, or with scipy.optimize.brentq.",
    ],
    solution="min J grows with lam at the rate |Psi|^2, so halving finds the one lam.",
)

# ------------------------------------------------------------------------------ 6.4 Woodbury


def woodbury_cases(rng: np.random.Generator) -> list[Case]:
    """Eigenvectors and eigenvalues of G in place of G."""
    cases = []
    for name, n, K, lam in (
        ("the points in ex.data", 10, 3, 0.5),
        ("a stiff field", 10, 3, 500.0),
        ("one cluster", 9, 1, 0.5),
        ("many points", 40, 4, 5.0),
    ):
        X, G, Y = drawn_points(rng, n, 2, K)
        s, U = eigh(G)
        cases.append(Case(name, X=X, U=U, s=np.maximum(s, 0.0), Y=Y, lam=lam))
    return cases


def field_by_eigenvectors(X: Array, U: Array, s: Array, Y: Array, lam: float) -> Array:
    """Reference of 6.4."""
    weights = 1 / (s**2 + lam)  # the inverse of G^2 + lam I in the basis U
    X_in, Y_in = U.T @ X, U.T @ Y
    weighted = (Y_in.T * weights) @ Y_in  # K x K: the only system to solve
    means = solve(weighted, (Y_in.T * weights) @ X_in)
    psi: Array = -U @ ((s * weights)[:, None] * (X_in - Y_in @ means))
    return psi


def is_stationary(attempt: Attempt) -> str | None:
    """The gradient vanishes at the answer."""
    X, U, s, Y, lam = attempt.case.values()
    G = (U * s) @ U.T
    slope = np.abs(gradient(X, G, Y, attempt.array, lam)).max()
    still = np.abs(gradient(X, G, Y, np.zeros_like(X), lam)).max()
    if slope < 1e-7 * still:
        return None
    return f"the gradient at your Psi is {slope / still:.2g} times that at Psi = 0, not zero"


def _field(X: Array, U: Array, weights: Array, gains: Array, Y: Array) -> Array:
    """The field with given weights for the means and gains for the deviations."""
    X_in, Y_in = U.T @ X, U.T @ Y
    means = solve((Y_in.T * weights) @ Y_in, (Y_in.T * weights) @ X_in)
    psi: Array = -U @ (gains[:, None] * (X_in - Y_in @ means))
    return psi


EX_6_4 = Exercise(
    id="6.4",
    title="the best field without a large system",
    reference=field_by_eigenvectors,
    cases=woodbury_cases,
    properties=[
        has_shape(lambda case: case.X.shape),
        is_finite,
        is_stationary,
        solves_at_most(lambda case: case.Y.shape[1], "one of order K is enough"),
    ],
    mistakes=[
        Mistake(
            "plain means",
            "this takes deviations from the plain means: the means must be weighted by the inverse "
            "of G^2 + lam I, because they move too",
            lambda X, U, s, Y, lam: _field(X, U, np.ones_like(s), s / (s**2 + lam), Y),
        ),
        Mistake(
            "G in place of its square",
            "this inverts G + lam I: the penalty tr(Psi'Psi) belongs to G^2 + lam I",
            lambda X, U, s, Y, lam: _field(X, U, 1 / (s + lam), s / (s + lam), Y),
        ),
        Mistake(
            "wrong sign",
            "this pushes the points away from their means: the sign is wrong",
            lambda X, U, s, Y, lam: -field_by_eigenvectors(X, U, s, Y, lam),
        ),
        Mistake(
            "the large system",
            "this solves a system of n x n: in the basis U all but a K x K system is diagonal",
            lambda X, U, s, Y, lam: deformation(X, (U * s) @ U.T, Y, lam),
            lambda attempt: None if is_stationary(attempt) else "large",
        ),
        Mistake(
            "left in the basis",
            "these are the coordinates in the eigenbasis: multiply by U to come back",
            lambda X, U, s, Y, lam: U.T @ field_by_eigenvectors(X, U, s, Y, lam),
        ),
    ],
    hints=[
        "With C = G^2 + lam I and m = (Y'C^-1 Y)^-1 Y'C^-1 X, Psi = -G C^-1 (X - Ym).",
        "In the basis U both G and C are diagonal: s and s^2 + lam.",
        "m solves a K x K system: (Y' C^-1 Y) m = Y' C^-1 X.",
    ],
    solution="Only the K x K system for m is solved; all else is diagonal.",
)

# ---------------------------------------------------------------------------- 6.5 new points


def unseen_cases(rng: np.random.Generator) -> list[Case]:
    """A fitted field and new points, one of them far away; two clusters, and three."""
    cases = []
    for name, K, sigma in (
        ("the points in ex.data", 2, 0.9),
        ("a narrow field", 2, 0.3),
        ("three clusters", 3, 0.9),
    ):
        X, _, Y = drawn_points(rng, 12, 2, K)
        G = rbf(X, sigma=sigma)
        psi = deformation(X, G, Y, 0.2)
        centers = (Y.T @ (X + G @ psi)) / Y.sum(axis=0)[:, None]
        new = np.vstack([rng.normal(size=(60, 2)), [[30.0, 0.0]], X])
        cases.append(Case(name, new=new, X=X, psi=psi, centers=centers, sigma=sigma))
    return cases


def label_new_points(new: Array, X: Array, psi: Array, centers: Array, sigma: float) -> Labels:
    """Reference of 6.5."""
    bumps = np.exp(-((new[:, None] - X[None]) ** 2).sum(axis=2) / (2 * sigma**2))
    moved = new + bumps @ psi
    return ((moved[:, None] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)


def labels_of_the_moved(attempt: Attempt) -> str | None:
    """Each label is that of the nearest centre, once the point is moved."""
    wanted = label_new_points(*attempt.case.values())
    wrong = np.flatnonzero(attempt.array != wanted)
    if not wrong.size:
        return None
    return f"{wrong.size} of {len(wanted)} points have another label, the first is point {wrong[0]}"


def _nearest(points: Array, centers: Array) -> Labels:
    return distances(points, centers).argmin(axis=1)


EX_6_5 = Exercise(
    id="6.5",
    title="labels for new points",
    reference=label_new_points,
    cases=unseen_cases,
    properties=[has_shape(lambda case: (len(case.new),)), is_label, labels_of_the_moved],
    mistakes=[
        Mistake(
            "not moved",
            "the centres live among the moved points: move the new points too before comparing",
            lambda new, X, psi, centers, sigma: _nearest(new, centers),
        ),
        Mistake(
            "velocity for position",
            "this compares velocities with centres: a point moves *to* x + v(x)",
            lambda new, X, psi, centers, sigma: _nearest(rbf(new, X, sigma=sigma) @ psi, centers),
        ),
        Mistake(
            "two lost in the width",
            "the bump is exp(-d^2 / (2 sigma^2)): the 2 is missing",
            lambda new, X, psi, centers, sigma: _nearest(
                new + rbf(new, X, sigma=sigma / np.sqrt(2)) @ psi, centers
            ),
        ),
        Mistake(
            "farthest centre",
            "this is the farthest centre, not the nearest",
            lambda new, X, psi, centers, sigma: distances(
                new + rbf(new, X, sigma=sigma) @ psi, centers
            ).argmax(axis=1),
        ),
    ],
    hints=[
        "First the bumps between new points and training points, a matrix of 73 x 12.",
        "new + bumps @ psi are the moved points.",
        "Then the nearest of the centres, which are means of moved points.",
    ],
    solution="Move, then compare: the centres are means of moved points.",
)
