"""Exercises and questions of chapter 3: the blur ratio."""

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.ch03_loop import EX_3_6
from umlbook.book.exercises.bank.ch03_prediction import EX_3_3, EX_3_4, predicted_memberships
from umlbook.book.exercises.bank.ch03_ratio import EX_3_1, EX_3_2
from umlbook.book.exercises.bank.properties import (
    before,
    begins_with,
    contains,
    is_finite,
    no_data,
    ordered,
)
from umlbook.book.exercises.model import Attempt, Case, Choice, Exercise, Mistake, Question
from umlbook.cpcm.blur import blur_ratio

# ------------------------------------------------------------------------- 3.5 order a proof

STEPS_3_5 = {
    "a": "K-means lowers the scatter of the predictions within clusters and leaves their total as "
    "it is.",
    "b": "For two clusters there is one canonical correlation, and least squares reaches the blur "
    "ratio 1 − ρ₁².",
    "c": "So the prediction stage does not raise the blur ratio either: it takes the labels to the "
    "least that any metric can give them.",
    "d": "So the clustering stage does not raise the blur ratio.",
    "e": "For any number of clusters least squares gives the metric of least blur for the labels.",
    "f": "Over all metrics, the least blur ratio of given labels is 1 − ρ₁².",
    "g": "Both stages together: the blur ratio never rises when K = 2.",
}

EX_3_5 = Exercise(
    id="3.5",
    title="order the proof that the blur falls for two clusters",
    kind="order",
    reference=lambda: "adbfcg",
    cases=no_data,
    steps=STEPS_3_5,
    properties=[ordered({"a": "", "b": "", "c": "bf", "d": "a", "e": "", "f": "", "g": "cd"}, "e")],
    mistakes=[
        Mistake(
            "true for every K",
            "least squares minimises the squared error of the predictions, not the blur: for three "
            "clusters the two part",
            lambda: "adefcg",
            contains("e"),
        ),
        Mistake(
            "from the end",
            "this begins with what is to be shown",
            lambda: "gcfbda",
            begins_with("g"),
        ),
        Mistake(
            "the minimum used before it is known",
            "that the prediction cannot be beaten needs both: what it reaches, and what the least "
            "is",
            lambda: "adbcfg",
            before("c", "f"),
        ),
        Mistake(
            "conclusion before its reason",
            "why does the clustering stage not raise the ratio? Say first what it does to the two "
            "sums",
            lambda: "dabfcg",
            before("d", "a"),
        ),
    ],
    hints=[
        "One of the steps is false. It is the one that would prove the claim for all K.",
        "Treat the two stages one after the other, then put them together.",
        "It ends with (c) or (d), and then (g).",
    ],
    solution="Step (e) is false. The two stages may come in either order.",
)

# --------------------------------------------------------------------- 3.7 a masked cluster


def how_sharp(rng: np.random.Generator) -> list[Case]:
    """How small the blur ratio has to be."""
    return [Case("your data", largest_blur=round(float(rng.uniform(0.03, 0.08)), 3))]


def masked_points(largest_blur: float) -> Array:
    """Reference of 3.7: three heaps in a row."""
    return np.repeat([-1.0, 0.0, 1.0], 4)


def _prediction(attempt: Attempt) -> Array:
    """Least-squares memberships of the twelve numbers, four to a cluster."""
    return predicted_memberships(attempt.array[:, None], np.repeat([0, 1, 2], 4))


def is_twelve_numbers(attempt: Attempt) -> str | None:
    """Four numbers for each of three clusters."""
    shape = attempt.array.shape
    return None if shape == (12,) else f"x has shape {shape}; give twelve numbers, four a cluster"


def is_sharp(attempt: Attempt) -> str | None:
    """The blur ratio is small."""
    blur = blur_ratio(_prediction(attempt), np.repeat([0, 1, 2], 4))
    if np.isnan(blur):
        return "all predictions are equal, so there is no blur ratio"
    wanted = attempt.case.largest_blur
    return None if blur <= wanted else f"your blur ratio is {blur:.3g}, more than {wanted:.3g}"


def never_largest(attempt: Attempt) -> str | None:
    """The middle column is nowhere the strictly largest."""
    P = _prediction(attempt)
    ahead = np.flatnonzero(P[:, 1] > np.maximum(P[:, 0], P[:, 2]) + 1e-9)
    return f"at sample {ahead[0]} cluster 1 has the largest prediction" if ahead.size else None


EX_3_7 = Exercise(
    id="3.7",
    title="a sharp cluster that the largest prediction never shows",
    answer="x",
    kind="value",
    reference=masked_points,
    cases=how_sharp,
    properties=[is_twelve_numbers, is_finite, is_sharp, never_largest],
    mistakes=[
        Mistake(
            "all in one place",
            "all numbers are equal: nothing can be predicted from them",
            lambda largest_blur: np.zeros(12),
            lambda attempt: "constant" if np.ptp(attempt.array) < 1e-12 else None,
        ),
        Mistake(
            "cluster 1 at an end",
            "cluster 1 lies at one end of the line, where its prediction is the largest: put it "
            "between the others",
            lambda largest_blur: np.repeat([0.0, 5.0, 1.0], 4),
            lambda attempt: (
                "end"
                if attempt.array[4:8].mean() > attempt.array[[0, 1, 2, 3, 8, 9, 10, 11]].max()
                or attempt.array[4:8].mean() < attempt.array[[0, 1, 2, 3, 8, 9, 10, 11]].min()
                else None
            ),
        ),
        Mistake(
            "too wide",
            "the clusters overlap or nearly touch: pull the four numbers of each closer together",
            lambda largest_blur: np.linspace(-1.0, 1.0, 12),
            lambda attempt: "wide" if is_sharp(attempt) else None,
        ),
    ],
    hints=[
        "Samples 0 to 3 are cluster 0, samples 4 to 7 cluster 1, samples 8 to 11 cluster 2.",
        "A linear prediction of the middle one of three heaps is flat. Why?",
    ],
    solution="The middle cluster lies at the mean, so its membership has no slope: it is predicted "
    "as 1/3 everywhere.",
)

EXERCISES = [EX_3_1, EX_3_2, EX_3_3, EX_3_4, EX_3_5, EX_3_6, EX_3_7]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "3.q1",
        "A metric mixes two canonical directions. Along one the blur ratio is 0.1, along the other "
        "0.5. What can its blur ratio be?",
        [
            Choice(
                "0.05",
                "A mixture is a weighted mean of its parts, so it cannot be below the smaller one.",
            ),
            Choice(
                "0.2",
                "A weighted mean of 0.1 and 0.5; the weights are the shares of the total scatter.",
                right=True,
            ),
            Choice("0.6", "The ratios are averaged, not added: nothing above 0.5 can come out."),
        ],
    ),
    Question(
        "3.q2",
        "CPCM with the guard has stopped, K = 4. What is certain about the partition?",
        [
            Choice(
                "One more step would not change it.",
                "The guard may have refused a step that changes it and raises the blur.",
            ),
            Choice(
                "No single sample can be moved to lower the blur ratio.",
                "Least squares does not minimise the blur for given labels, so that can happen.",
            ),
            Choice(
                "The next step would not have lowered the blur ratio.",
                "That is what the guard tests, and all that it tests.",
                right=True,
            ),
        ],
    ),
    Question(
        "3.q3",
        "LDA-km reports the blur ratio 0.06 for its labels, least squares 0.17 for other labels. "
        "Which labels are better?",
        [
            Choice(
                "Those of LDA-km, the ratio is smaller.",
                "It weighs the directions in another way: of the species of iris, the same labels, "
                "the two say 0.06 and 0.17.",
            ),
            Choice(
                "These two numbers do not tell.",
                "A blur ratio can be compared within one way of predicting only.",
                right=True,
            ),
            Choice("Those of least squares, it uses all features.", "Both use all features."),
        ],
    ),
]
