"""Exercises and questions of chapter 4: an adaptive metric."""

import numpy as np

from umlbook.algebra import Array, Labels, centered, indicator
from umlbook.book.bank.properties import (
    agrees_with,
    chosen,
    has_shape,
    is_finite,
    is_nonnegative,
    is_number,
    no_data,
    not_plain_number,
    unmoved_by_shift,
)
from umlbook.book.exercise_model import Attempt, Case, Exercise, Mistake
from umlbook.book.quiz import Choice, Question

# ---------------------------------------------------------------------------------- the data


def _blobs(rng: np.random.Generator, shift: float = 0.0) -> tuple[Array, Labels]:
    """Eighteen points in three clusters of unequal size, on four features of unequal scale."""
    labels = rng.permutation(np.repeat([0, 1, 2], [8, 6, 4]))
    X = rng.normal(size=(18, 4)) * [1.0, 3.0, 0.5, 2.0] + 2.0 * np.eye(3, 4)[labels]
    return X + shift, labels


def clustered_points(rng: np.random.Generator) -> list[Case]:
    """Points with labels and a regulariser, near the origin and far from it."""
    X, labels = _blobs(rng)
    far, others = _blobs(rng, shift=20.0)
    return [
        Case("the 18 points in your data", X=X, labels=labels, lam=0.5),
        Case("points far from the origin", X=far, labels=others, lam=0.1),
        Case("a large lam", X=X, labels=labels, lam=10.0),
    ]


def projected_points(rng: np.random.Generator) -> list[Case]:
    """The same with a projection."""
    return [
        Case(c.name, X=c.X, labels=c.labels, W=rng.normal(size=(4, 2)), lam=c.lam)
        for c in clustered_points(rng)
    ]


def _covariance(X: Array, lam: float) -> Array:
    return centered(X).T @ centered(X) / len(X) + lam * np.eye(X.shape[1])


# ------------------------------------------------------------------- 4.1 Mahalanobis distances


def points_and_covariances(rng: np.random.Generator) -> list[Case]:
    """Points, and the covariance in whose units distances are wanted."""
    X, _ = _blobs(rng)
    mixed = X @ rng.normal(size=(4, 4))
    return [
        Case("the 18 points in your data", X=X, S=_covariance(X, 0.0)),
        Case("features that mix", X=mixed, S=_covariance(mixed, 0.1)),
        Case("one feature", X=X[:, :1], S=np.array([[2.0]])),
    ]


def squared_distances(X: Array, S: Array) -> Array:
    """(x_i - x_j)'S^-1(x_i - x_j) for all pairs."""
    gaps = X[:, None] - X[None]
    return np.einsum("ijk,ijk->ij", gaps, np.linalg.solve(S, gaps[..., None])[..., 0])


def _through(X: Array, M: Array) -> Array:
    gaps = X[:, None] - X[None]
    return np.einsum("ijk,kl,ijl->ij", gaps, M, gaps)


EX_4_1 = Exercise(
    id="4.1",
    title="Mahalanobis distances",
    reference=squared_distances,
    cases=points_and_covariances,
    properties=[
        has_shape(lambda case: (len(case.X), len(case.X))),
        is_finite,
        is_nonnegative,
        unmoved_by_shift,
        agrees_with(squared_distances, "squared distance"),
    ],
    mistakes=[
        Mistake(
            "Euclidean",
            "these are Euclidean distances: S does not enter",
            lambda X, S: _through(X, np.eye(len(S))),
        ),
        Mistake(
            "S and not its inverse",
            "this multiplies by S: a direction of large spread must count for less, not for more",
            _through,
        ),
        Mistake(
            "features one by one",
            "this divides every feature by its own variance and forgets that they are correlated",
            lambda X, S: _through(X, np.diag(1 / np.diag(S))),
        ),
        Mistake(
            "not squared",
            "these are the distances: their squares are asked for",
            lambda X, S: np.sqrt(squared_distances(X, S)),
        ),
    ],
    hints=[
        "X[:, None] - X[None] holds all differences, n x n x d.",
        "np.linalg.solve(S, v) is S^-1 v, without an inverse.",
        "Or whiten first: distances after x -> S^(-1/2) x are Euclidean.",
    ],
    solution="Solve with S for every difference, and take the inner product with it.",
)

# ------------------------------------------------------------------- 4.2 the trace between


def between_trace(X: Array, labels: Labels, W: Array, lam: float) -> float:
    """tr(L'XW(W'SW)^-1W'X'L) with centred X."""
    return _trace(centered(X), indicator(labels), W, _covariance(X, lam))


def _trace(X: Array, L: Array, W: Array, S: Array) -> float:
    M = W.T @ X.T @ L
    return float(np.trace(M.T @ np.linalg.solve(W.T @ S @ W, M)))


EX_4_2 = Exercise(
    id="4.2",
    title="the scatter between clusters as a trace",
    reference=between_trace,
    cases=projected_points,
    properties=[
        is_number,
        is_finite,
        is_nonnegative,
        unmoved_by_shift,
        agrees_with(between_trace, "trace"),
    ],
    mistakes=[
        Mistake(
            "one-hot columns",
            "this is what the one-hot indicator gives: the columns of L have norm one",
            lambda X, labels, W, lam: _trace(
                centered(X), np.eye(3)[labels], W, _covariance(X, lam)
            ),
        ),
        Mistake(
            "no lam",
            "this is what you get with the plain covariance: lam is missing from S",
            lambda X, labels, W, lam: _trace(centered(X), indicator(labels), W, _covariance(X, 0)),
        ),
        Mistake(
            "scatter and not covariance",
            "this is what you get with X'X + lam I: the covariance is X'X / n",
            lambda X, labels, W, lam: _trace(
                centered(X),
                indicator(labels),
                W,
                centered(X).T @ centered(X) + lam * np.eye(X.shape[1]),
            ),
        ),
        Mistake(
            "the identity for S",
            "this is the scatter of the projected means in Euclidean distance: W'SW is missing",
            lambda X, labels, W, lam: float(np.sum((W.T @ centered(X).T @ indicator(labels)) ** 2)),
        ),
    ],
    hints=[
        "Centre X first. umlbook.algebra.indicator gives L.",
        "S is d x d, W'SW is l x l; solve with the small one.",
        "The trace of M'C^-1 M with M = W'X'L.",
    ],
    solution="With M = W'X'L the trace is tr(M'(W'SW)^-1 M).",
    remarks=[not_plain_number],
)

# ------------------------------------------------------------------- 4.3 the best projection


def best_projection(X: Array, labels: Labels, lam: float) -> Array:
    """S^-1 X'L without its last column, which the others span."""
    W = np.linalg.solve(_covariance(X, lam), centered(X).T @ indicator(labels))
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
            lambda X, labels, lam: (_covariance(X, lam) @ centered(X).T @ indicator(labels))[
                :, :-1
            ],
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
    X, _ = _blobs(rng)
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

# ------------------------------------------------------------------ 4.5 find the wrong step

STEPS_4_5 = {
    "a": "For fixed L the best W is S^-1 X'L, and the objective becomes n tr(L'HL).",
    "b": "For fixed W the best relaxed L spans XW = XS^-1X'L, so the new L spans HL.",
    "c": "Repeating this is subspace iteration: it converges to the top eigenvectors of H.",
    "d": "H has the eigenvectors of XX' and eigenvalues s/(s + n lam), which grow with s.",
    "e": "So the limit depends on lam, and for a good lam it separates the clusters.",
}

EX_4_5 = Exercise(
    id="4.5",
    title="find the wrong step",
    kind="choice",
    reference=lambda: "e",
    cases=no_data,
    steps=STEPS_4_5,
    properties=[chosen("e", tuple(STEPS_4_5))],
    mistakes=[
        Mistake("a", "step (a) is right: it is what is left when W is put in", lambda: "a"),
        Mistake(
            "b", "step (b) is right: the eigenvectors of a product span its range", lambda: "b"
        ),
        Mistake("c", "step (c) is right whenever the eigenvalues differ at the cut", lambda: "c"),
        Mistake("d", "step (d) is right: put the singular values of X in", lambda: "d"),
    ],
    hints=[
        "Which of the steps names something that the steps before it do not contain?",
        "If the order of the eigenvalues is that of s, whatever lam is, what changes with lam?",
    ],
    solution="lam changes the rate; the limit is the same principal components. The wrong step:",
)

EXERCISES = [EX_4_1, EX_4_2, EX_4_3, EX_4_4, EX_4_5]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "4.q1",
        "One feature is multiplied by 1000. What happens to Mahalanobis distances (lam = 0)?",
        [
            Choice(
                "They stay.",
                "Its standard deviation grows by the same factor and is divided out.",
                right=True,
            ),
            Choice("They grow up to 1000-fold.", "That is the Euclidean distance."),
            Choice(
                "They shrink.", "The inverse covariance shrinks, the differences grow: they cancel."
            ),
        ],
    ),
    Question(
        "4.q2",
        "lam = 0, l = 2, n = 100. The total scatter in the Mahalanobis distance is",
        [
            Choice(
                "200, whatever W is", "Each of the l whitened axes has variance one.", right=True
            ),
            Choice("larger for a better W", "Whitening fixes it; only its split changes."),
            Choice("100", "That is one axis; there are l = 2."),
        ],
    ),
    Question(
        "4.q3",
        "Relaxed AML is started from the true classes, and again from random labels. At the end",
        [
            Choice(
                "the first is better",
                "Both converge to the same space: the leading principal components.",
            ),
            Choice(
                "both have the same space",
                "Subspace iteration forgets its start, whatever that was.",
                right=True,
            ),
            Choice(
                "it depends on lam",
                "lam changes how fast it gets there and leaves the order of the directions alone.",
            ),
        ],
    ),
]
