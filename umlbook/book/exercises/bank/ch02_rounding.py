"""Exercises 2.3 and 2.4: round the relaxed solution, and find where that misleads."""

from collections.abc import Callable
from itertools import product

import numpy as np
from scipy.linalg import hadamard
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from umlbook.algebra import Array, Labels, kmeans_objective, ky_fan
from umlbook.book.exercises.bank.properties import has_shape, is_finite, is_label
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake, Property

# ------------------------------------------------------------------------------ 2.3 rounding


def _gram(rng: np.random.Generator, scales: list[float], size: int, noise: float) -> Array:
    """Gram matrix of four clusters whose indicators mix evenly in all four eigenvectors."""
    centres = hadamard(4) * np.array(scales)
    X = np.repeat(centres, size, axis=0)[rng.permutation(4 * size)]
    X = X + rng.normal(0.0, noise, X.shape)
    return np.asarray(X @ X.T)


def gram_matrices(rng: np.random.Generator) -> list[Case]:
    """Four clear clusters, as Gram matrices; eigenvalues well apart."""
    return [
        Case("the matrix in your data", A=_gram(rng, [5.0, 4.0, 3.0, 2.0], 6, 0.1), n_clusters=4),
        Case("other scales", A=_gram(rng, [2.0, 7.0, 3.0, 5.0], 4, 0.1), n_clusters=4),
        Case("more noise", A=_gram(rng, [6.0, 5.0, 4.0, 3.0], 8, 0.3), n_clusters=4),
    ]


def relax_and_round(A: Array, n_clusters: int) -> Labels:
    """k-means on the rows of the top eigenvectors."""
    V = np.linalg.eigh(A)[1][:, -n_clusters:]
    return np.asarray(KMeans(n_clusters, n_init=10, random_state=0).fit_predict(V))


def same_partition(left: Labels, right: Labels) -> bool:
    """Whether two labellings differ by the names of the clusters at most."""
    return np.shape(left) == np.shape(right) and adjusted_rand_score(left, right) == 1.0


def uses_all_labels(attempt: Attempt) -> str | None:
    """There are as many clusters as asked for."""
    found, wanted = len(np.unique(attempt.array)), attempt.case.n_clusters
    return None if found == wanted else f"you give {found} clusters, not {wanted}"


def joins_equal_rows(attempt: Attempt) -> str | None:
    """Points with nearly the same row of V are together, others are not."""
    right, got = relax_and_round(*attempt.case.values()), np.asarray(attempt.value)
    together, same = right[:, None] == right, got[:, None] == got
    if (together & ~same).any():
        i, j = np.argwhere(together & ~same)[0]
        return f"points {i} and {j} have nearly the same row of V, but not the same label"
    if (same & ~together).any():
        i, j = np.argwhere(same & ~together)[0]
        return f"points {i} and {j} have the same label, but their rows of V are far apart"
    return None


def _is_argmax(of: Callable[[Array], Array]) -> Property:
    """For a mistake: the labels are the argmax of rows, whatever the signs of the vectors."""

    def check(attempt: Attempt) -> str | None:
        A, k = attempt.case.A, attempt.case.n_clusters
        V = ky_fan(A, k)[1]
        for signs in product([1.0, -1.0], repeat=k):
            if same_partition(np.argmax(of(V * np.array(signs)), axis=1), attempt.value):
                return "argmax"
        return None

    return check


def _clustered(V: Array, n_clusters: int) -> Labels:
    return np.asarray(KMeans(n_clusters, n_init=10, random_state=0).fit_predict(V))


EX_2_3 = Exercise(
    id="2.3",
    title="relax and round",
    reference=relax_and_round,
    cases=gram_matrices,
    same=same_partition,
    properties=[
        has_shape(lambda case: (len(case.A),)),
        is_label,
        uses_all_labels,
        joins_equal_rows,
    ],
    mistakes=[
        Mistake(
            "largest entry of a row",
            "this is the largest entry of each row: V spans the space of the indicators, but any "
            "rotation of it does so too, and an entry alone means nothing",
            lambda A, n_clusters: np.argmax(ky_fan(A, n_clusters)[1], axis=1),
            _is_argmax(lambda V: V),
        ),
        Mistake(
            "largest entry in size",
            "this is the entry of largest size in each row: without the signs it is still an entry "
            "of a V that is only known up to a rotation",
            lambda A, n_clusters: np.argmax(np.abs(ky_fan(A, n_clusters)[1]), axis=1),
            _is_argmax(np.abs),
        ),
        Mistake(
            "bottom eigenvectors",
            "these are the eigenvectors of the smallest eigenvalues: eigh sorts upwards",
            lambda A, n_clusters: _clustered(np.linalg.eigh(A)[1][:, :n_clusters], n_clusters),
        ),
        Mistake(
            "one eigenvector",
            "this is k-means on the top eigenvector alone: K clusters need K vectors",
            lambda A, n_clusters: _clustered(ky_fan(A, 1)[1], n_clusters),
        ),
    ],
    hints=[
        "Two points of one cluster have the same row in Y. What about their rows in V = YQ?",
        "Rotating V rotates all its rows together: the distances between rows stay.",
        "So cluster the rows of V, for instance with scikit-learn's KMeans.",
    ],
    solution="Rows of V = YQ are equal within a cluster for every rotation Q; k-means groups them.",
)

# ------------------------------------------------------------------ 2.4 where it misleads

MAX_POINTS = 10  # few enough to try all partitions into two


def _two_way_labels(n: int) -> Array:
    """All partitions of n points into two non-empty clusters, each a row of zeros and ones."""
    codes = np.arange(1, 2 ** (n - 1))
    return (codes[:, None] >> np.arange(n) & 1).astype(float)


def best_two_clusters(X: Array) -> Labels:
    """The labels with the least k-means objective for K = 2, found by trying all."""
    X = X - X.mean(axis=0)
    Z = _two_way_labels(len(X))
    sizes = Z.sum(axis=1)
    # The means of the two clusters are s/m and -s/(n - m): between = |s|² (1/m + 1/(n - m)).
    between = np.sum((Z @ X) ** 2, axis=1) * (1 / sizes + 1 / (len(X) - sizes))
    return Z[np.argmax(between)].astype(np.intp)


def rounding_ratio(X: Array) -> float:
    """Objective of the rounded relaxation over the optimum, for K = 2; one is perfect."""
    V = ky_fan(X @ X.T, 2)[1]
    return kmeans_objective(X, best_two_clusters(V)) / kmeans_objective(X, best_two_clusters(X))


def target_ratio(rng: np.random.Generator) -> list[Case]:
    """How far off the rounding has to be."""
    return [Case("your data", ratio=round(float(rng.uniform(1.2, 1.5)), 2))]


def misleading_points(ratio: float) -> Array:
    """Two heaps on one axis, and one point a little off it."""
    x = np.array([1.0, 1.1, 0.9, 1.0, 3.0, 3.1, 2.9, 3.0])
    y = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    return np.c_[x, y]


def is_a_small_set(attempt: Attempt) -> str | None:
    """A matrix of at most ten points."""
    shape = attempt.array.shape
    if len(shape) == 2 and 4 <= shape[0] <= MAX_POINTS and shape[1] >= 1:
        return None
    return f"X has shape {shape}; give 4 to {MAX_POINTS} points, one in each row"


def has_two_directions(attempt: Attempt) -> str | None:
    """XX' has two nonzero eigenvalues."""
    rank = np.linalg.matrix_rank(attempt.array)
    return None if rank >= 2 else f"X has rank {rank}, so the second vector of V is arbitrary"


def has_an_objective(attempt: Attempt) -> str | None:
    """The optimum is not zero."""
    least = kmeans_objective(attempt.array, best_two_clusters(attempt.array))
    return None if least > 1e-9 else "the best two clusters have objective zero: there is no ratio"


def is_misled(attempt: Attempt) -> str | None:
    """The rounded objective is larger than the optimum by the factor asked for."""
    ratio, wanted = rounding_ratio(attempt.array), attempt.case.ratio
    if ratio >= wanted:
        return None
    return f"rounding gives {ratio:.3g} times the least objective, asked for are {wanted:.3g} times"


def is_isotropic(attempt: Attempt) -> str | None:
    """For a mistake: X'X is a multiple of the identity."""
    S = attempt.array.T @ attempt.array
    return "isotropic" if np.allclose(S, np.trace(S) / len(S) * np.eye(len(S))) else None


EX_2_4 = Exercise(
    id="2.4",
    title="points for which the relaxation misleads",
    answer="points",
    kind="value",
    reference=misleading_points,
    cases=target_ratio,
    properties=[is_a_small_set, is_finite, has_two_directions, has_an_objective, is_misled],
    mistakes=[
        Mistake(
            "points on a line through the origin",
            "then XX' has one eigenvalue that is not zero, and V is yours to choose: that is a "
            "fault of another kind",
            lambda ratio: np.arange(1.0, 7.0)[:, None] * [[1.0, 2.0]],
            lambda attempt: "rank" if np.linalg.matrix_rank(attempt.array) == 1 else None,
        ),
        Mistake(
            "only two different points",
            "with two different points both answers are perfect",
            lambda ratio: np.repeat([[1.0, 0.0], [0.0, 2.0]], 3, axis=0),
            has_an_objective,
        ),
        Mistake(
            "same spread in all directions",
            "X'X is a multiple of the identity: V is X up to scale and rotation, so nothing is "
            "lost. Make one direction weak",
            lambda ratio: (
                np.array([[2.0, 1], [2, -1], [-2, 1], [-2, -1], [1, 0], [-1, 0], [0, 3]])
                * np.sqrt([13.0, 18.0])
            ),
            is_isotropic,
        ),
        Mistake(
            "clusters that are too clear",
            "here the rounding finds the best clusters: give one point something of its own in a "
            "direction in which the others do not vary",
            lambda ratio: np.array([[5.0, 1], [5.2, 1], [5, 1.2], [1, 5], [1.2, 5], [1, 5.2]]),
            lambda attempt: "perfect" if rounding_ratio(attempt.array) < 1 + 1e-9 else None,
        ),
    ],
    hints=[
        "V has columns of norm one: a weak direction of X counts in V as much as a strong one.",
        "Put two heaps on one axis, on one side of the origin, and think about the other axis.",
        "Let a single point leave the axis a little: the second vector is nearly its indicator.",
    ],
    solution="The vector of the weak direction is nearly the indicator of the one point off the "
    "axis, so the rounding gives that point a cluster of its own.",
)
