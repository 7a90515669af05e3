"""Exercises and questions of chapter 4: an adaptive metric."""

from umlbook.book.exercises.bank.ch04_distance import EX_4_1, EX_4_2
from umlbook.book.exercises.bank.ch04_projection import EX_4_3, EX_4_4
from umlbook.book.exercises.bank.properties import chosen, no_data
from umlbook.book.exercises.model import Choice, Exercise, Mistake, Question

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
        Mistake(
            "c",
            "step (c) is right if the eigenvalues differ at the cut, for almost every start",
            lambda: "c",
        ),
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
        "One feature is multiplied by 1000. What happens to Mahalanobis distances between the "
        "samples, all features kept (lam = 0)?",
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
        "lam = 0, n = 100, and the two columns of the centred XW are linearly independent (l = 2). "
        "The total scatter of its rows in the Mahalanobis distance is",
        [
            Choice(
                "200, for each such W", "Each of the l whitened axes has variance one.", right=True
            ),
            Choice("larger for a better W", "Whitening fixes it. W changes how it splits."),
            Choice("100", "That is one axis; there are l = 2."),
        ],
    ),
    Question(
        "4.q3",
        "Relaxed AML is started from the true classes, and again from random labels, and both runs "
        "go on until nothing changes. The principal variances differ at the cut, and neither start "
        "is orthogonal to a leading direction. At the end",
        [
            Choice(
                "the first is better",
                "Both converge to the same space: the leading principal components.",
            ),
            Choice(
                "both have the same space",
                "With a gap at the cut, subspace iteration forgets such a start. With a tiny lam "
                "that takes very long.",
                right=True,
            ),
            Choice(
                "it depends on lam",
                "lam changes how fast it gets there and leaves the order of the directions alone.",
            ),
        ],
    ),
]
