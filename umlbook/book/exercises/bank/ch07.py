"""Exercises and questions of chapter 7: constraints and annealing."""

from umlbook.book.exercises.bank.ch07_beliefs import EX_7_1, EX_7_2, EX_7_3
from umlbook.book.exercises.bank.ch07_board import EX_7_7
from umlbook.book.exercises.bank.ch07_pairs import EX_7_4, EX_7_5
from umlbook.book.exercises.bank.properties import before, begins_with, contains, no_data, ordered
from umlbook.book.exercises.model import Choice, Exercise, Mistake, Question

# ------------------------------------------------------------------------- 7.6 order a proof

STEPS_7_6 = {
    "a": "The M step changes (θ, μ) to the minimiser of B(Q, ·), so B does not rise in it.",
    "b": "So the new cost F(θ', μ') = min_q B(q, θ', μ') ≤ B(Q, θ', μ').",
    "c": "Let B(q, θ, μ) be the likelihood of S and D plus, for each pair of U, "
    "−q log P − (1 − q) log(1 − P) − (1 − λ) H(q).",
    "d": "Hence F(θ', μ') ≤ B(Q, θ', μ') ≤ B(Q, θ, μ) = F(θ, μ): the cost never rises.",
    "e": "B is convex in (q, θ, μ) together, so the E and the M step find its global minimum.",
    "f": "The E step takes the q = Q that minimises B at the present (θ, μ), so B(Q, θ, μ) is "
    "the cost F(θ, μ) with Rényi's entropy.",
}

EX_7_6 = Exercise(
    id="7.6",
    title="order the proof that annealed EM never rises",
    kind="order",
    reference=lambda: "cfabd",
    cases=no_data,
    steps=STEPS_7_6,
    properties=[ordered({"a": "cf", "b": "cf", "c": "", "d": "ab", "e": "", "f": "c"}, "e")],
    mistakes=[
        Mistake(
            "convex in both together",
            "B is convex in q alone and in (θ, μ) alone, but not in both: q log P is a product, "
            "and the minima found depend on the start",
            lambda: "cfaebd",
            contains("e"),
        ),
        Mistake(
            "from the end",
            "this begins with what is to be shown: begin by saying what is minimised",
            lambda: "dbafc",
            begins_with("d"),
        ),
        Mistake(
            "M step before the beliefs",
            "the M step minimises B(Q, ·) for the beliefs of the E step: find those first",
            lambda: "cafbd",
            before("a", "f"),
        ),
        Mistake(
            "new cost before its bound",
            "that the new cost is a minimum over q is known only once f has said what the cost is",
            lambda: "cbfad",
            before("b", "f"),
        ),
    ],
    hints=[
        "One of the steps is false: is there a single minimum?",
        "First the function of both, then the E step, then the M step, then the chain.",
        "It begins with (c) and ends with (d).",
    ],
    solution="Step (e) is false: B is convex in q and in (θ, μ), but not in both together. "
    "Steps (a) and (b) may be exchanged.",
)

EXERCISES = [EX_7_1, EX_7_2, EX_7_3, EX_7_4, EX_7_5, EX_7_6, EX_7_7]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "7.q1",
        "The paper prints exp(-y t) where exp(y t) is meant. Which change of the data has the same "
        "effect on the cost as the printed sign?",
        [
            Choice(
                "Exchanging must-links and cannot-links",
                "P(same) and P(different) exchange their roles, and the entropy does not notice.",
                right=True,
            ),
            Choice(
                "Changing the sign of all features",
                "Distances do not see that, so neither does anything else.",
            ),
            Choice(
                "Setting the threshold to zero",
                "That moves every t by the same amount; the sign in front of t stays.",
            ),
        ],
    ),
    Question(
        "7.q2",
        "At fixed lambda, which cost never rises in an EM step with the sharpened beliefs?",
        [
            Choice(
                "The printed one, with Shannon's entropy",
                "In the example above no step lowers it, and the first steps raise it.",
            ),
            Choice(
                "The one with Renyi's entropy of order 1/(1 - lambda)",
                "It is the minimum over the beliefs of the function that both steps lower.",
                right=True,
            ),
            Choice(
                "The likelihood of the labelled pairs",
                "The M step may give up some of it for certainty about the others.",
            ),
        ],
    ),
    Question(
        "7.q3",
        "All labelled pairs can be separated, and there is no penalty. What does a larger lambda "
        "change in the infimum of the cost (7.14)?",
        [
            Choice(
                "Nothing: it is zero for every lambda",
                "Scaling a separator up makes every pair certain; there is no best metric to move.",
                right=True,
            ),
            Choice(
                "It picks the separator with the widest margin",
                "That would take a penalty: the cost alone goes to zero whatever the margin.",
            ),
            Choice(
                "It lets the unlabelled pairs choose",
                "They are certain too once the separator is scaled up.",
            ),
        ],
    ),
]
