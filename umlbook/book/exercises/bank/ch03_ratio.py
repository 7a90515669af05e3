"""Exercises 3.1 and 3.2: the blur ratio, and the direction in which it is least."""

import numpy as np
from scipy.linalg import eigh

from umlbook.algebra import Array, Labels, total_scatter, within_scatter
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    has_shape,
    is_finite,
    is_number,
    not_plain_number,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.cpcm.blur import blur_ratio


def labelled_cloud(rng: np.random.Generator, sizes: list[int], d: int) -> tuple[Array, Labels]:
    """Clusters of given sizes with slanted scatter, away from the origin, in random order."""
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    centres = rng.normal(0.0, 2.0, (len(sizes), d))
    scatter = rng.normal(size=(len(labels), d)) @ rng.normal(size=(d, d))
    return centres[labels] + scatter + 3.0, labels


# ------------------------------------------------------------------------- 3.1 the blur ratio


def metric_cases(rng: np.random.Generator) -> list[Case]:
    """Labelled points and a metric; clusters of unequal size."""

    def case(name: str, sizes: list[int], d: int) -> Case:
        X, labels = labelled_cloud(rng, sizes, d)
        root = rng.normal(size=(d, d))
        return Case(name, X=X, labels=labels, A=root @ root.T)

    return [
        case("the points in your data", [5, 7, 12], 3),
        case("two clusters", [4, 9], 2),
        case("a cluster of one point", [1, 6, 8], 2),
    ]


def blur(X: Array, labels: Labels, A: Array) -> float:
    """Reference of 3.1."""
    means = np.array([X[labels == label].mean(axis=0) for label in labels])
    within, total = X - means, X - X.mean(axis=0)
    return float(np.sum((within @ A) * within) / np.sum((total @ A) * total))


def is_a_share(attempt: Attempt) -> str | None:
    """The part within is never more than the whole."""
    value = attempt.number
    return None if -1e-9 <= value <= 1 + 1e-9 else f"your value {value:.3g} is not in [0, 1]"


def ignores_the_scale(attempt: Attempt) -> str | None:
    """Twice the metric has the same blur ratio."""
    twice = float(np.asarray(attempt.again(A=2 * attempt.case.A)).item())
    if np.isclose(twice, attempt.number):
        return None
    return f"doubling A changes your value from {attempt.number:.3g} to {twice:.3g}"


def _within_variances(X: Array, labels: Labels, A: Array) -> float:
    def spread(points: Array) -> float:
        deviations = points - points.mean(axis=0)
        return float(np.mean(np.sum((deviations @ A) * deviations, axis=1)))

    return float(np.mean([spread(X[labels == c]) for c in np.unique(labels)])) / spread(X)


def _total_about_origin(X: Array, labels: Labels, A: Array) -> float:
    total = X - X.mean(axis=0)
    return blur(X, labels, A) * float(np.sum((total @ A) * total) / np.sum((X @ A) * X))


EX_3_1 = Exercise(
    id="3.1",
    title="the blur ratio under a metric",
    reference=blur,
    cases=metric_cases,
    properties=[
        is_number,
        is_finite,
        is_a_share,
        ignores_the_scale,
        unmoved_by_shift,
        agrees_with(blur_ratio),
    ],
    mistakes=[
        Mistake(
            "within over between",
            "this is the scatter within over the scatter between: the blur ratio divides by the "
            "total",
            lambda X, labels, A: blur(X, labels, A) / (1 - blur(X, labels, A)),
        ),
        Mistake(
            "the sharp share",
            "this is the share of the scatter between the clusters: the blur is what is left",
            lambda X, labels, A: 1 - blur(X, labels, A),
        ),
        Mistake(
            "A used as a map",
            "this is the blur ratio of X @ A, whose metric is A times its transpose: distances "
            "under A need A once",
            lambda X, labels, A: blur(X @ A, labels, np.eye(len(A))),
        ),
        Mistake(
            "metric left out",
            "this is the blur ratio under the identity: where is A?",
            lambda X, labels, A: blur(X, labels, np.eye(len(A))),
        ),
        Mistake(
            "clusters averaged",
            "this is a mean of variances in which each cluster counts once: sums of squares let "
            "each sample count once",
            _within_variances,
        ),
        Mistake(
            "total about the origin",
            "this is what you get when the total is taken about the origin and not about the mean",
            _total_about_origin,
        ),
    ],
    hints=[
        "Two sums of squares: about the mean of the own cluster, and about the mean of all.",
        "For rows v of a matrix V, the numbers v A v' are np.sum((V @ A) * V, axis=1).",
    ],
    solution="Within over total, both measured by the same metric, so its scale cancels.",
    remarks=[not_plain_number],
)

# ------------------------------------------------------------------ 3.2 the sharpest direction


def cloud_cases(rng: np.random.Generator) -> list[Case]:
    """Labelled points with slanted scatter."""
    shapes = {
        "the points in your data": ([10, 15, 20], 3),
        "two clusters": ([12, 20], 2),
        "more features": ([10, 10, 15], 5),
    }
    drawn = {name: labelled_cloud(rng, *shape) for name, shape in shapes.items()}
    return [Case(name, X=X, labels=labels) for name, (X, labels) in drawn.items()]


def sharpest_direction(X: Array, labels: Labels) -> Array:
    """Reference of 3.2."""
    return np.asarray(eigh(within_scatter(X, labels), total_scatter(X))[1][:, 0])


def same_direction(left: Array, right: Array) -> bool:
    """Whether two vectors lie on one line through the origin."""
    a, b = np.ravel(left).astype(float), np.ravel(right).astype(float)
    if a.shape != b.shape or not (np.any(a) and np.any(b)):
        return False
    return bool(abs(a @ b) > (1 - 1e-9) * np.linalg.norm(a) * np.linalg.norm(b))


def is_sharpest(attempt: Attempt) -> str | None:
    """No other direction has a smaller blur ratio."""
    X, labels, b = attempt.case.X, attempt.case.labels, attempt.array
    if np.ptp(X @ b) < 1e-12:
        return "X @ b is the same number for all points"
    least = blur_ratio(X @ sharpest_direction(X, labels)[:, None], labels)
    yours = blur_ratio(X @ b[:, None], labels)
    return f"along your direction the blur ratio is {yours:.3g}" if yours > least + 1e-8 else None


EX_3_2 = Exercise(
    id="3.2",
    title="the sharpest direction",
    answer="sharpest",
    reference=sharpest_direction,
    cases=cloud_cases,
    same=same_direction,
    properties=[has_shape(lambda case: (case.X.shape[1],)), is_finite, is_sharpest],
    mistakes=[
        Mistake(
            "the other end",
            "this is the direction of the largest blur: eigh sorts upwards, and less is better",
            lambda X, labels: eigh(within_scatter(X, labels), total_scatter(X))[1][:, -1],
        ),
        Mistake(
            "least scatter within",
            "this is the direction of least scatter within the clusters: it may have as little "
            "between them. Divide by the total",
            lambda X, labels: eigh(within_scatter(X, labels))[1][:, 0],
        ),
        Mistake(
            "largest variance",
            "this is the first principal component: it does not know the labels",
            lambda X, labels: eigh(total_scatter(X))[1][:, -1],
        ),
        Mistake(
            "means farthest apart",
            "this is the direction in which the means scatter most: it does not know how wide the "
            "clusters are in it",
            lambda X, labels: eigh(total_scatter(X) - within_scatter(X, labels))[1][:, -1],
        ),
    ],
    hints=[
        "You want the b with the least ratio b' S_w b / b' S_t b.",
        "Such a ratio is stationary at the solutions of S_w b = lambda S_t b.",
        "scipy.linalg.eigh takes two matrices.",
    ],
    solution="The generalised eigenvalue is the blur ratio along its eigenvector; take the least.",
)
