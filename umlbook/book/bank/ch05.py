"""Exercises and questions of chapter 5: learning the kernel."""

import numpy as np

from umlbook.algebra import Array, indicator
from umlbook.book.bank.properties import (
    agrees_with,
    chosen,
    has_shape,
    is_finite,
    is_nonnegative,
    is_number,
    no_data,
    not_plain_number,
)
from umlbook.book.exercise_model import Attempt, Case, Exercise, Mistake
from umlbook.book.quiz import Choice, Question
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
    """Q has one row a sample, and at least K - 1 columns."""
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
            "this solves with GG + lam I: in S_K2 = GG + lam G one G cancels against that of GL",
            lambda G, L, lam: np.linalg.solve(G @ G + lam * np.eye(len(G)), L),
        ),
    ],
    hints=[
        "The paper takes eigenvectors of S_K2^+ S_K1. Only their span matters.",
        "S_K2^+ GL = (GG + lam G)^+ GL. One G cancels.",
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

# ----------------------------------------------------------------------------- 5.3 the gap


def score_cases(rng: np.random.Generator) -> list[Case]:
    """Scores q, weights, lam; one case with all weight on the best kernel."""
    q = rng.uniform(0.1, 1.0, size=5)
    return [
        Case("the scores in your data", scores=q, weights=rng.dirichlet(np.ones(5)), lam=0.02),
        Case("another lam", scores=q, weights=rng.dirichlet(np.ones(5)), lam=3.0),
        Case("all weight on the best", scores=q, weights=np.eye(5)[np.argmax(q)], lam=0.1),
    ]


def duality_gap(scores: Array, weights: Array, lam: float) -> float:
    """(max q - w'q) / lam."""
    return float((scores.max() - weights @ scores) / lam)


EX_5_3 = Exercise(
    id="5.3",
    title="the duality gap",
    reference=duality_gap,
    cases=score_cases,
    properties=[is_number, is_finite, is_nonnegative, agrees_with(duality_gap, "gap")],
    mistakes=[
        Mistake(
            "lam forgotten",
            "this lacks 1/lam: the slopes of F2 are -q_i / lam",
            lambda scores, weights, lam: float(scores.max() - weights @ scores),
        ),
        Mistake(
            "the plain mean",
            "this takes the mean of the scores: they are weighted by w",
            lambda scores, weights, lam: float((scores.max() - scores.mean()) / lam),
        ),
        Mistake(
            "the smallest score",
            "this is max q - min q: a kernel without weight does not widen the gap, however bad",
            lambda scores, weights, lam: float(np.ptp(scores) / lam),
        ),
        Mistake(
            "the wrong way round",
            "this is negative: the best kernel has the largest score",
            lambda scores, weights, lam: -duality_gap(scores, weights, lam),
        ),
    ],
    hints=[
        "How much could F2 fall at most, if all weight went where its slope is steepest?",
        "A convex function lies above its tangent: F2(v) >= F2(w) + gradient'(v - w).",
        "Minimise the tangent over the simplex: its corner with the largest q.",
    ],
    solution="The tangent at w, minimised over the simplex, lies this far below F2(w).",
    remarks=[not_plain_number],
)

# ------------------------------------------------------------------- 5.4 the multipliers


def multiplier_cases(rng: np.random.Generator) -> list[Case]:
    """Multipliers of the QCQP, which sum to 1 / (4 lam), and traces."""
    cases = []
    for name, lam in (("the multipliers in your data", 0.01), ("a larger lam", 2.0)):
        w = rng.dirichlet(np.ones(4))
        r = rng.uniform(5.0, 40.0, 4)
        cases.append(Case(name, multipliers=w / (4 * lam), traces=r, lam=lam))
    return cases


def theta(multipliers: Array, traces: Array, lam: float) -> Array:
    """4 lam nu_i / r_i."""
    return np.asarray(4 * lam * multipliers / traces)


def has_trace_one(attempt: Attempt) -> str | None:
    """The mixture has trace one."""
    total = float(attempt.array @ attempt.case.traces)
    if np.isclose(total, 1.0):
        return None
    return f"the sum of theta_i r_i is {total:.4g}: the mixture must have trace one"


EX_5_4 = Exercise(
    id="5.4",
    title="from multipliers to weights",
    reference=theta,
    cases=multiplier_cases,
    properties=[
        has_shape(lambda case: (4,)),
        is_finite,
        has_trace_one,
        agrees_with(theta, "theta"),
    ],
    mistakes=[
        Mistake(
            "as the paper has it",
            "this is nu_i / r_i, as printed: the multipliers do not sum to one but to 1 / (4 lam)",
            lambda multipliers, traces, lam: multipliers / traces,
        ),
        Mistake(
            "w and not theta",
            "these are the weights w_i of kernels of trace one: theta_i is w_i / r_i",
            lambda multipliers, traces, lam: 4 * lam * multipliers,
        ),
        Mistake(
            "lam and not 4 lam",
            "the factor is 4 lam: the objective of the QCQP has t / (4 lam)",
            lambda multipliers, traces, lam: lam * multipliers / traces,
        ),
        Mistake(
            "times the trace",
            "this multiplies by r_i: a kernel of larger trace needs a smaller theta",
            lambda multipliers, traces, lam: 4 * lam * multipliers * traces,
        ),
    ],
    hints=[
        "Differentiate the Lagrangian of the QCQP with respect to t.",
        "So the multipliers sum to 1 / (4 lam). What must theta_i r_i sum to?",
    ],
    solution="The multipliers, brought to sum one, are w; theta_i = w_i / r_i.",
)

# ---------------------------------------------------------------- 5.5 centre a new kernel


def new_kernel_cases(rng: np.random.Generator) -> list[Case]:
    """Kernels of the training samples, and of new samples with them."""
    X = rng.normal(size=(9, 2))
    new = rng.normal(size=(4, 2)) + 1.0
    return [
        Case("the kernels in your data", K_new=rbf(new, X, sigma=1.5), K=rbf(X, sigma=1.5)),
        Case("one new sample", K_new=rbf(new[:1], X, sigma=1.5), K=rbf(X, sigma=1.5)),
        Case("the training samples again", K_new=rbf(X, sigma=1.5), K=rbf(X, sigma=1.5)),
    ]


def centred_new(K_new: Array, K: Array) -> Array:
    """Inner products of centred features, the mean being that of the training samples."""
    return np.asarray(K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean())


EX_5_5 = Exercise(
    id="5.5",
    title="centre the kernel of new samples",
    reference=centred_new,
    cases=new_kernel_cases,
    properties=[
        has_shape(lambda case: case.K_new.shape),
        is_finite,
        agrees_with(centred_new, "entry"),
    ],
    mistakes=[
        Mistake(
            "means of the new samples",
            "this centres with the means of the new samples: then a sample's place would depend "
            "on which others came with it",
            lambda K_new, K: (
                K_new - K_new.mean(axis=1, keepdims=True) - K_new.mean(axis=0) + K_new.mean()
            ),
        ),
        Mistake(
            "no grand mean",
            "this lacks the mean of K: the mean of the features was taken away twice",
            lambda K_new, K: K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0),
        ),
        Mistake(
            "columns only",
            "this takes the training means from the columns and leaves the rows as they are",
            lambda K_new, K: K_new - K.mean(axis=0),
        ),
    ],
    hints=[
        "Expand (phi(x) - m)'(phi(x_j) - m), with m the mean of the training features.",
        "Four terms: K_new itself, its row means, the column means of K, and the mean of K.",
    ],
    solution="Only means over training samples appear: rows of K_new, columns of K, all of K.",
)

# ------------------------------------------------------------------ 5.6 find the wrong step

STEPS_5_6 = {
    "a": "For fixed G and L, Q = (G + lam I)^-1 L maximises the objective.",
    "b": "For that Q, new weights that minimise F2 give a G for which the objective is larger.",
    "c": "For fixed Q and G, the top eigenvectors of G~(Q, G) are the best relaxed L.",
    "d": "The objective is at most K, because the eigenvalues of G~ are below one.",
}

EX_5_6 = Exercise(
    id="5.6",
    title="find the wrong step",
    kind="choice",
    reference=lambda: "b",
    cases=no_data,
    steps=STEPS_5_6,
    properties=[chosen("b", tuple(STEPS_5_6))],
    mistakes=[
        Mistake("a", "step (a) is Theorem 3.2, proved in the chapter", lambda: "a"),
        Mistake("c", "step (c) is Ky Fan's theorem of chapter 2", lambda: "c"),
        Mistake(
            "d",
            "step (d) is right: G~ is below the projector on the range of GQ",
            lambda: "d",
        ),
    ],
    hints=[
        "F2 is the complement of the maximum over Q. Which Q belongs to the new G?",
        "On seven points of the chapter one step makes the objective fall. Which?",
    ],
    solution="F2 presumes the best Q of the new G; the old Q is not it. The wrong step:",
)

EXERCISES = [EX_5_1, EX_5_2, EX_5_3, EX_5_4, EX_5_5, EX_5_6]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "5.q1",
        "A kernel matrix of 50 samples is centred. How many of its eigenvalues can be positive?",
        [
            Choice("50", "The all-one vector is sent to zero, so one eigenvalue at least is zero."),
            Choice("49", "All but the one that belongs to the all-one vector.", right=True),
            Choice(
                "As many as X has features",
                "That holds for the linear kernel; a Gaussian kernel of different points has "
                "full rank before centring.",
            ),
        ],
    ),
    Question(
        "5.q2",
        "Q is replaced by QT with an invertible T. What happens to the objective?",
        [
            Choice(
                "It stays.",
                "T and its inverse cancel around the inner inverse: only the span of Q counts.",
                right=True,
            ),
            Choice("It is multiplied by det T.", "T enters three times and cancels three times."),
            Choice("It can grow, if T stretches.", "The inner inverse shrinks by as much."),
        ],
    ),
    Question(
        "5.q3",
        "All kernels of a bank are equal. What are the weights of the G step?",
        [
            Choice(
                "Equal weights.",
                "That is one of the answers, but nothing singles it out: F2 is constant.",
            ),
            Choice(
                "Anything on the simplex.",
                "Every mixture is the same kernel, so F2 is flat and the gap is zero everywhere.",
                right=True,
            ),
            Choice("One kernel gets all.", "That is one of the answers; no kernel is better."),
        ],
    ),
    Question(
        "5.q4",
        "A run stops after two passes because the objective changed by less than 1e-5. "
        "What do you know?",
        [
            Choice(
                "The algorithm has converged.",
                "Or it cannot move: with a tiny lam each pass changes next to nothing.",
            ),
            Choice(
                "Nothing yet: look at the rate h_K / h_(K-1).",
                "Near one, small changes mean slow progress and not arrival.",
                right=True,
            ),
            Choice("The start was already the best.", "It was left where it was, good or bad."),
        ],
    ),
]
