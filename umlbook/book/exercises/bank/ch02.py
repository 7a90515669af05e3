"""Exercises and questions of chapter 2: Ky Fan."""

from umlbook.book.exercises.bank.ch02_lloyd import EX_2_6
from umlbook.book.exercises.bank.ch02_rounding import EX_2_3, EX_2_4
from umlbook.book.exercises.bank.ch02_spectrum import EX_2_1, EX_2_5
from umlbook.book.exercises.bank.properties import before, begins_with, contains, no_data, ordered
from umlbook.book.exercises.model import Choice, Exercise, Mistake, Question

# ------------------------------------------------------------------------- 2.2 order a proof

STEPS_2_2 = {
    "a": "So the weights sum to Σ_i p_i = ||Q||² = k.",
    "b": "Then λ_1 + … + λ_k − Σ_i λ_i p_i "
    "= Σ_{i≤k} (λ_i − λ_k)(1 − p_i) + Σ_{i>k} (λ_k − λ_i) p_i.",
    "c": "Write A = UΛU' with λ_1 ≥ … ≥ λ_n, and Q = U'V. Then tr(V'AV) = tr(Q'ΛQ) = Σ_i λ_i p_i, "
    "where p_i is the squared norm of row i of Q.",
    "d": "Each weight p_i is 0 or 1, because the columns of Q are orthonormal.",
    "e": "Each weight has 0 ≤ p_i ≤ 1: with more columns Q becomes square and orthogonal, and then "
    "its rows have norm one.",
    "f": "The columns of Q are orthonormal, since Q'Q = V'UU'V = V'V = I.",
    "g": "No term on the right is negative, so tr(V'AV) ≤ λ_1 + … + λ_k, and V = (u_1, …, u_k) "
    "attains it.",
}

EX_2_2 = Exercise(
    id="2.2",
    title="order the proof of Ky Fan's theorem",
    kind="order",
    reference=lambda: "cfaebg",
    cases=no_data,
    steps=STEPS_2_2,
    properties=[
        ordered({"a": "f", "b": "ac", "c": "", "d": "", "e": "f", "f": "c", "g": "be"}, "d")
    ],
    mistakes=[
        Mistake(
            "weights of zero and one",
            "the weights lie between 0 and 1, and a frame that is turned has weights in between: "
            "take k = 1 and a unit vector halfway between u_1 and u_2",
            lambda: "cfadbg",
            contains("d"),
        ),
        Mistake(
            "from the end",
            "this begins with what is to be shown: begin by writing the trace in the eigenbasis",
            lambda: "gbeafc",
            begins_with("g"),
        ),
        Mistake(
            "sum used too early",
            "the difference can be split so only because k λ_k = λ_k Σ p_i: show the sum first",
            lambda: "cfbaeg",
            before("b", "a"),
        ),
        Mistake(
            "bounds used too early",
            "a factor 1 − p_i is not negative only once p_i ≤ 1 is known",
            lambda: "cfabge",
            before("g", "e"),
        ),
    ],
    hints=[
        "One of the steps is false. Try it with k = 1 in the plane.",
        "Eigenbasis first, then all that is known about the weights, then the bound.",
        "It begins with (c) and ends with (g).",
    ],
    solution="Step (d) is false. Step (e) may come anywhere between (f) and (g).",
)

EXERCISES = [EX_2_1, EX_2_2, EX_2_3, EX_2_4, EX_2_5, EX_2_6]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "2.q1",
        "The relaxed problem has more candidates than k-means. How do the two optima compare?",
        [
            Choice(
                "The relaxed objective is a lower bound of the k-means objective.",
                "Every indicator is a frame, so the best frame explains at least as much.",
                right=True,
            ),
            Choice(
                "The relaxed objective is an upper bound of the k-means objective.",
                "A minimum over more candidates is not larger.",
            ),
            Choice(
                "They are equal when the clusters are balanced.",
                "Balance does not make the eigenvectors constant on the clusters.",
            ),
        ],
    ),
    Question(
        "2.q2",
        "V maximises tr(V'AV). Which other frame does so for certain?",
        [
            Choice("V with a row's sign changed", "That changes V'AV unless A allows it."),
            Choice(
                "VQ for any orthogonal Q of order K",
                "tr(Q'V'AVQ) = tr(V'AV): only the span matters.",
                right=True,
            ),
            Choice(
                "QV for any orthogonal Q of order n",
                "In general that turns the span away from the top eigenvectors.",
            ),
        ],
    ),
    Question(
        "2.q3",
        "The points lie on a line through the origin and K = 2. What is the second vector of V?",
        [
            Choice(
                "Any unit vector orthogonal to the first",
                "XX' has rank one: its other eigenvalues are zero, so all of these add nothing.",
                right=True,
            ),
            Choice(
                "The indicator of the second cluster", "Nothing in XX' prefers it to any other."
            ),
            Choice("It does not exist", "It does; there are too many of it, not too few."),
        ],
    ),
]
