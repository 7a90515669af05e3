"""Exercises and questions of chapter 5: learning the kernel."""

from umlbook.book.exercises.bank.ch05_objective import EX_5_1, EX_5_2
from umlbook.book.exercises.bank.ch05_weights import EX_5_3, EX_5_4, EX_5_5
from umlbook.book.exercises.bank.properties import chosen, no_data
from umlbook.book.exercises.model import Choice, Exercise, Mistake, Question

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
            Choice(
                "It is multiplied by det T.",
                "T enters four times, twice inside the inverse and twice outside, and cancels.",
            ),
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
                "Every mixture is the same kernel, so F2 is constant and the gap is zero: it is "
                "convex, but not strictly.",
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
