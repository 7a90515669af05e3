"""Chapter 5: the best coefficients for one kernel, and the gradient in the weights of several."""

import numpy as np

from umlbook.algebra import Array, indicator
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.kernels import center, rbf

# ---------------------------------------------------------------------------------- the data


def _kernels(rng: np.random.Generator, n: int, p: int) -> tuple[Array, Array]:
    """p centred Gaussian kernels of trace one on n points, p x n x n, and an indicator."""
    labels = rng.permutation(np.arange(n) % 3)
    X = rng.normal(size=(n, 2)) + 2.0 * np.eye(3, 2)[labels]
    bank = [center(rbf(X, sigma=s)) for s in np.geomspace(3.0, 0.5, p)]
    return np.array([K / np.trace(K) for K in bank]), indicator(labels)


def one_kernel(rng: np.random.Generator) -> list[Case]:
    """A kernel, an indicator, lam."""
    cases = []
    for name, lam in (("the kernel in your data", 0.05), ("a small lam", 1e-3), ("a large lam", 5)):
        kernels, L = _kernels(rng, 15, 1)
        cases.append(Case(name, G=kernels[0], L=L, lam=lam))
    return cases


def several_kernels(rng: np.random.Generator) -> list[Case]:
    """A bank of kernels, an indicator, weights on the simplex, lam."""
    cases = []
    for name, p, lam in (("the kernels in your data", 4, 0.05), ("two kernels", 2, 1.0)):
        kernels, L = _kernels(rng, 15, p)
        w = rng.dirichlet(np.ones(p))
        cases.append(Case(name, kernels=kernels, L=L, weights=w, lam=lam))
    return cases


# ------------------------------------------------------------------------ 5.1 the best Q


def best_q(G: Array, L: Array, lam: float) -> Array:
    """(G + lam I)^-1 L."""
    return np.asarray(np.linalg.solve(G + lam * np.eye(len(G)), L))


def objective(G: Array, Q: Array, L: Array, lam: float) -> float:
    """Eq. 16 of NAML, with a pseudo-inverse where the columns of GQ are dependent."""
    inside = Q.T @ (G @ G + lam * G) @ Q
    half = Q.T @ G @ L
    return float(np.trace(half.T @ np.linalg.pinv(inside, rcond=1e-10, hermitian=True) @ half))


def has_rows(attempt: Attempt) -> str | None:
    """Q has one row per sample, and at least K - 1 columns."""
    shape, n = np.shape(attempt.value), len(attempt.case.G)
    if len(shape) == 2 and shape[0] == n and shape[1] >= 2:
        return None
    return f"your Q has shape {shape}; {n} rows and at least K - 1 = 2 columns are wanted"


def reaches_the_maximum(attempt: Attempt) -> str | None:
    """No other Q does better."""
    c = attempt.case
    got = objective(c.G, attempt.array, c.L, c.lam)
    best = float(np.trace(c.L.T @ c.G @ best_q(c.G, c.L, c.lam)))
    if got >= best * (1 - 1e-6):
        return None
    return f"the objective at your Q is {got / best:.1%} of what the best Q reaches"


EX_5_1 = Exercise(
    id="5.1",
    title="the best projection without an eigenproblem",
    reference=best_q,
    cases=one_kernel,
    properties=[has_rows, is_finite, reaches_the_maximum],
    mistakes=[
        Mistake(
            "L itself",
            "this is Q = L: the samples' own clusters, before anything is divided by the spread",
            lambda G, L, lam: L,
        ),
        Mistake(
            "top eigenvectors of G",
            "these are the top eigenvectors of G: they do not know the clusters",
            lambda G, L, lam: np.linalg.eigh(G)[1][:, -3:],
        ),
        Mistake(
            "G multiplied",
            "this is GL: solve with G + lam I, do not multiply by G",
            lambda G, L, lam: G @ L,
        ),
        Mistake(
            "G squared",
            "this solves with GG + lam I: in S_2 = GG + lam G one G cancels against that of GL",
            lambda G, L, lam: np.linalg.solve(G @ G + lam * np.eye(len(G)), L),
        ),
    ],
    hints=[
        "The paper takes eigenvectors of S_2^+ S_1, (5.12). Only their span matters.",
        "S_2^+ GL = (GG + lam G)^+ GL. One G cancels.",
        "One call of np.linalg.solve.",
    ],
    solution="Solve with G + lam I: every matrix with the same span is as good.",
)

# ------------------------------------------------------------------------ 5.2 the gradient


def f2_gradient(kernels: Array, L: Array, weights: Array, lam: float) -> Array:
    """-tr(b'G_i b) / lam with b = A^-1 L."""
    b = _resolvent(kernels, L, weights, lam)
    return -np.einsum("nk,pnm,mk->p", b, kernels, b) / lam


def _resolvent(kernels: Array, L: Array, weights: Array, lam: float) -> Array:
    A = np.eye(len(L)) + np.tensordot(weights, kernels, 1) / lam
    return np.asarray(np.linalg.solve(A, L))


EX_5_2 = Exercise(
    id="5.2",
    title="the gradient of F2 in the weights",
    reference=f2_gradient,
    cases=several_kernels,
    properties=[
        has_shape(lambda case: (len(case.kernels),)),
        is_finite,
        agrees_with(f2_gradient, "slope"),
    ],
    mistakes=[
        Mistake(
            "the sign",
            "the sign is wrong: more of any kernel makes A larger and F2 smaller",
            lambda kernels, L, weights, lam: -f2_gradient(kernels, L, weights, lam),
        ),
        Mistake(
            "lam forgotten",
            "this lacks 1/lam, the derivative of A = I + G/lam",
            lambda kernels, L, weights, lam: lam * f2_gradient(kernels, L, weights, lam),
        ),
        Mistake(
            "one inverse too few",
            "this is -tr(L'G_i A^-1 L)/lam: the derivative of an inverse has the inverse twice",
            lambda kernels, L, weights, lam: (
                -np.einsum("nk,pnm,mk->p", L, kernels, _resolvent(kernels, L, weights, lam)) / lam
            ),
        ),
        Mistake(
            "no inverse",
            "this is the slope at G = 0, where A is the identity",
            lambda kernels, L, weights, lam: -np.einsum("nk,pnm,mk->p", L, kernels, L) / lam,
        ),
    ],
    hints=[
        "The derivative of A^-1 is -A^-1 (dA) A^-1.",
        "dA/dw_i = G_i / lam.",
        "With b = A^-1 L, every slope is a trace of b'G_i b.",
    ],
    solution="Solve once for b = A^-1 L; then -tr(b'G_i b) / lam for every kernel.",
)
