"""Chapter 5: the duality gap, weights from multipliers, and the kernel of new samples."""

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    has_shape,
    is_finite,
    is_nonnegative,
    is_number,
    not_plain_number,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.kernels import rbf

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
