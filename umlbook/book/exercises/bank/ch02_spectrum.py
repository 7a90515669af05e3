"""Exercises 2.1 and 2.5: the value of Ky Fan's theorem, and centring a kernel."""

import numpy as np
from scipy.stats import ortho_group

from umlbook.algebra import Array, ky_fan
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite, is_number
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ------------------------------------------------------------------------------- 2.1 Ky Fan


def _symmetric(rng: np.random.Generator, eigenvalues: Array) -> Array:
    U = ortho_group.rvs(len(eigenvalues), random_state=rng)
    A = (U * eigenvalues) @ U.T
    return (A + A.T) / 2


def symmetric_matrices(rng: np.random.Generator) -> list[Case]:
    """Eigenvalues of both signs, tied, all negative; k from one to all."""
    own = np.array([5.0, 3.0, 1.0, -2.0, -4.0, -7.0]) + rng.uniform(0.0, 0.5, 6)
    return [
        Case("the matrix in your data", A=_symmetric(rng, own), k=3),
        Case("k = 1", A=_symmetric(rng, own), k=1),
        Case("k = n", A=_symmetric(rng, own), k=6),
        Case("tied eigenvalues", A=_symmetric(rng, np.array([2.0, 2.0, 2.0, -1.0, -1.0])), k=2),
        Case("negative eigenvalues", A=_symmetric(rng, -np.arange(1.0, 6.0)), k=2),
    ]


def ky_fan_value(A: Array, k: int) -> float:
    """The sum of the k largest eigenvalues."""
    return float(np.linalg.eigvalsh(A)[-k:].sum())


def grows_with_the_identity(attempt: Attempt) -> str | None:
    """Adding 2I to A adds 2k to the bound, since tr(V'V) = k."""
    A, k = attempt.case.A, attempt.case.k
    growth = np.asarray(attempt.again(A=A + 2.0 * np.eye(len(A)))).item() - attempt.number
    if np.isclose(growth, 2.0 * k):
        return None
    return f"A + 2I must raise the value by 2k = {2 * k}, yours changes by {growth:.3g}"


def bounds_the_frames(attempt: Attempt) -> str | None:
    """No frame of k orthonormal columns gives more."""
    rng, A, k = np.random.default_rng(0), attempt.case.A, attempt.case.k
    frames = [np.linalg.qr(rng.normal(size=(len(A), k)))[0] for _ in range(50)]
    best = max(float(np.trace(V.T @ A @ V)) for V in frames)
    if best <= attempt.number + 1e-9:
        return None
    return f"a random frame V gives tr(V'AV) = {best:.3g}, more than your {attempt.number:.3g}"


EX_2_1 = Exercise(
    id="2.1",
    title="the value of Ky Fan's theorem",
    reference=ky_fan_value,
    cases=symmetric_matrices,
    properties=[
        is_number,
        is_finite,
        bounds_the_frames,
        grows_with_the_identity,
        agrees_with(lambda A, k: ky_fan(A, k)[0]),
    ],
    mistakes=[
        Mistake(
            "the smallest eigenvalues",
            "these are the k smallest: eigh sorts the eigenvalues upwards",
            lambda A, k: np.linalg.eigvalsh(A)[:k].sum(),
        ),
        Mistake(
            "singular values",
            "these are singular values: they lose the signs, and a negative eigenvalue of large "
            "size counts as large",
            lambda A, k: np.linalg.svd(A, compute_uv=False)[:k].sum(),
        ),
        Mistake(
            "all eigenvalues",
            "this is the trace, the sum of all eigenvalues: take the k largest",
            lambda A, k: np.trace(A),
        ),
        Mistake(
            "k times the largest",
            "this is k times the largest: k orthonormal columns cannot all be the same vector",
            lambda A, k: k * np.linalg.eigvalsh(A)[-1],
        ),
    ],
    hints=[
        "For k = 1 this is the largest value of v'Av over unit vectors v.",
        "np.linalg.eigvalsh gives the eigenvalues of a symmetric matrix. In which order?",
    ],
    solution="The maximum of tr(V'AV) over V'V = I is the sum of the k largest eigenvalues.",
)

# ------------------------------------------------------------------------------ 2.5 centring


def kernel_matrices(rng: np.random.Generator) -> list[Case]:
    """A Gaussian kernel, a linear one far from the origin, one point."""
    X = rng.normal(size=(6, 2))
    squared = np.sum((X[:, None] - X) ** 2, axis=2)
    return [
        Case("the kernel in your data", K=np.exp(-squared / 2)),
        Case("a linear kernel", K=(X + 5.0) @ (X + 5.0).T),
        Case("one point", K=np.ones((1, 1))),
    ]


def centred_kernel(K: Array) -> Array:
    """HKH with H = I - 11'/n, without forming H."""
    means = K.mean(axis=0)
    return np.asarray(K - means[:, None] - means + means.mean())


def is_symmetric(attempt: Attempt) -> str | None:
    """A Gram matrix is symmetric."""
    gap = np.abs(attempt.array - attempt.array.T)
    i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
    if gap[i, j] < 1e-9:
        return None
    return f"your entries ({i}, {j}) and ({j}, {i}) differ by {gap[i, j]:.3g}"


def rows_sum_to_zero(attempt: Attempt) -> str | None:
    """Centred features sum to zero, so every row of their Gram matrix does."""
    sums = attempt.array.sum(axis=1)
    row = int(np.argmax(np.abs(sums)))
    if np.allclose(sums, 0.0, atol=1e-8):
        return None
    return f"your row {row} sums to {sums[row]:.3g}, not 0"


EX_2_5 = Exercise(
    id="2.5",
    title="centre a kernel",
    reference=centred_kernel,
    cases=kernel_matrices,
    properties=[
        has_shape(lambda case: case.K.shape),
        is_finite,
        is_symmetric,
        rows_sum_to_zero,
        agrees_with(centred_kernel, "entry"),
    ],
    mistakes=[
        Mistake(
            "one side only",
            "this is HK: the features on one side are centred, those on the other are not",
            lambda K: K - K.mean(axis=0),
        ),
        Mistake(
            "the other side only",
            "this is KH: the features on one side are centred, those on the other are not",
            lambda K: K - K.mean(axis=1, keepdims=True),
        ),
        Mistake(
            "one number taken off",
            "this takes the mean of all entries off: it centres the numbers, not the features",
            lambda K: K - K.mean(),
        ),
        Mistake(
            "mean not added back",
            "this takes row and column means off and forgets the mean of all entries, which has "
            "now been taken off twice",
            lambda K: K - K.mean(axis=0) - K.mean(axis=1, keepdims=True),
        ),
        Mistake(
            "the part taken off",
            "this is K - HKH, the part that centring takes off, not what it leaves",
            lambda K: K - centred_kernel(K),
        ),
    ],
    hints=[
        "Write k(x, y) as a product of features and take the mean feature off both factors.",
        "Four terms come out: K, a mean over rows, a mean over columns, a mean over both.",
        "It is HKH with H = I - 11'/n.",
    ],
    solution="(f_i - m)'(f_j - m) = K_ij - mean of row i - mean of row j + mean of all.",
)
