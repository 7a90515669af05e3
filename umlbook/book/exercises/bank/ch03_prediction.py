"""Exercises 3.3 and 3.4: predict memberships, and the blur ratio without the data."""

import numpy as np

from umlbook.algebra import Array, Labels, one_hot
from umlbook.book.exercises.bank.ch03_ratio import cloud_cases, is_a_share, labelled_cloud
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    has_shape,
    is_finite,
    is_number,
    not_plain_number,
    unmoved_by_shift,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.cpcm.blur import membership_scatter

# ---------------------------------------------------------------------- 3.3 predict memberships


def predicted_memberships(X: Array, labels: Labels) -> Array:
    """Reference of 3.3."""
    design = np.column_stack([np.ones(len(X)), X])
    return np.asarray(
        design @ np.linalg.lstsq(design, np.eye(labels.max() + 1)[labels], rcond=None)[0]
    )


def sums_to_one(attempt: Attempt) -> str | None:
    """Rows of predictions sum to one."""
    sums = attempt.array.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1)))
    return None if np.isclose(sums[worst], 1) else f"your row {worst} sums to {sums[worst]:.3g}"


def _without_intercept(X: Array, labels: Labels) -> Array:
    return np.asarray(X @ np.linalg.lstsq(X, one_hot(labels), rcond=None)[0])


EX_3_3 = Exercise(
    id="3.3",
    title="predict the memberships",
    answer="memberships",
    reference=predicted_memberships,
    cases=cloud_cases,
    properties=[
        has_shape(lambda case: (len(case.X), int(case.labels.max()) + 1)),
        is_finite,
        sums_to_one,
        unmoved_by_shift,
        agrees_with(predicted_memberships, "prediction"),
    ],
    mistakes=[
        Mistake(
            "no intercept",
            "this is the regression without an intercept: add a column of ones, or centre X and "
            "add the mean of Z",
            _without_intercept,
        ),
        Mistake(
            "mean not added",
            "these are the predictions minus the mean of Z: rows then sum to zero",
            lambda X, labels: predicted_memberships(X, labels) - one_hot(labels).mean(axis=0),
        ),
        Mistake(
            "cut to the simplex",
            "negative predictions were cut off and the rows divided by their sums: a regression "
            "may leave the simplex, and its distances need it so",
            lambda X, labels: (
                np.maximum(predicted_memberships(X, labels), 0)
                / np.maximum(predicted_memberships(X, labels), 0).sum(axis=1, keepdims=True)
            ),
        ),
        Mistake(
            "memberships themselves",
            "this is Z, not its prediction from X",
            lambda X, labels: one_hot(labels),
        ),
        Mistake(
            "hard predictions",
            "this is one-hot in the largest prediction: keep the predictions as they are",
            lambda X, labels: np.eye(labels.max() + 1)[predicted_memberships(X, labels).argmax(1)],
        ),
    ],
    hints=[
        "Z is np.eye(K)[labels]; np.linalg.lstsq takes all its columns at once.",
        "The column of ones belongs to the features: np.column_stack([np.ones(n), X]).",
    ],
    solution="Least squares with an intercept projects Z on the span of X and a column of ones.",
)

# --------------------------------------------------------------------------- 3.4 closed form


def scatter_cases(rng: np.random.Generator) -> list[Case]:
    """The matrix R of labelled points, and the cluster sizes."""

    def case(name: str, sizes: list[int], d: int) -> Case:
        X, labels = labelled_cloud(rng, sizes, d)
        R, counted = membership_scatter(X, labels)
        return Case(name, R=R, sizes=counted)

    return [
        case("the matrix in your data", [10, 15, 30], 3),
        case("four clusters", [8, 8, 12, 30], 4),
        case("two clusters", [12, 20], 2),
    ]


def closed_form(R: Array, sizes: Array) -> float:
    """Reference of 3.4."""
    return float(1 - sizes @ np.diagonal(R @ R) / (sizes @ np.diagonal(R)))


def _mean_blur(R: Array, sizes: Array) -> float:
    return float(1 - np.trace(R) / (len(sizes) - 1))


EX_3_4 = Exercise(
    id="3.4",
    title="the blur ratio without the data",
    answer="blur_from",
    reference=closed_form,
    cases=scatter_cases,
    properties=[is_number, is_finite, is_a_share, agrees_with(closed_form)],
    mistakes=[
        Mistake(
            "sizes left out",
            "this is 1 - tr(R R)/tr(R), which holds for clusters of equal size only",
            lambda R, sizes: 1 - np.trace(R @ R) / np.trace(R),
        ),
        Mistake(
            "entries squared",
            "R**2 squares the entries one by one: the matrix product is R @ R",
            lambda R, sizes: 1 - sizes @ np.diagonal(R**2) / (sizes @ np.diagonal(R)),
        ),
        Mistake(
            "divided by the sizes",
            "this weighs with 1/n_c: a large cluster has more samples to predict, so it weighs "
            "more",
            lambda R, sizes: 1 - (1 / sizes) @ np.diagonal(R @ R) / ((1 / sizes) @ np.diagonal(R)),
        ),
        Mistake(
            "plain mean",
            "this is 1 - mean of the squared correlations: LDA weighs the directions alike, least "
            "squares does not",
            _mean_blur,
            lambda attempt: (
                "mean" if np.isclose(attempt.number, _mean_blur(*attempt.case.values())) else None
            ),
        ),
        Mistake(
            "the sharp share",
            "this is the share between the clusters: subtract it from one",
            lambda R, sizes: 1 - closed_form(R, sizes),
        ),
    ],
    hints=[
        "Total: tr(D R). Between: tr(D R R). D has the sizes on its diagonal.",
        "np.trace and np.diag(sizes), or a dot product of the sizes with a diagonal.",
    ],
    solution="The centred predictions are HZ; their scatter is tr(DR), of their means tr(DRR).",
    remarks=[not_plain_number],
)
