"""Exercises and questions of chapter 12: asking for pairs."""

import numpy as np
from numpy.typing import NDArray

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite, is_number
from umlbook.book.exercises.model import Attempt, Case, Choice, Exercise, Mistake, Question
from umlbook.constraints import chunklets, sample

Pairs = NDArray[np.intp]

# ----------------------------------------------------------------------- 12.1 what follows


def answer_cases(rng: np.random.Generator) -> list[Case]:
    """Answers about classes, free of contradictions; many, few, and of one kind."""

    def case(name: str, sizes: tuple[int, ...], n_must: int, n_cannot: int) -> Case:
        labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        seed = int(rng.integers(2**31 - 1))
        must, cannot = sample(labels, n_must, n_cannot, random_state=seed)
        return Case(name, must_link=must, cannot_link=cannot, n_samples=len(labels))

    return [
        case("the answers in your data", (5, 4, 3), 8, 5),
        case("many answers", (6, 5), 9, 4),
        case("a chain of together alone", (7,), 5, 0),
        case("apart alone", (1, 1, 1, 1, 1), 0, 6),
    ]


def relations(must_link: Pairs, cannot_link: Pairs, n_samples: int) -> Array:
    """Reference of 12.1."""
    chunklet = chunklets(must_link, n_samples)
    known = np.where(chunklet[:, None] == chunklet, 1.0, 0.0)
    for a, b in chunklet[cannot_link]:
        apart = np.outer(chunklet == a, chunklet == b)
        known[apart | apart.T] = -1
    return known


def _direct(must_link: Pairs, cannot_link: Pairs, n_samples: int) -> Array:
    known = np.eye(n_samples)
    for pairs, sign in ((must_link, 1), (cannot_link, -1)):
        known[tuple(pairs.T)] = known[tuple(pairs.T[::-1])] = sign
    return known


def _apart_as_said(must_link: Pairs, cannot_link: Pairs, n_samples: int) -> Array:
    none = cannot_link[:0]
    known = relations(must_link, none, n_samples)
    known[tuple(cannot_link.T)] = known[tuple(cannot_link.T[::-1])] = -1
    return known


def _enemy_of_enemy(must_link: Pairs, cannot_link: Pairs, n_samples: int) -> Array:
    known = relations(must_link, cannot_link, n_samples)
    apart = (known < 0).astype(float)
    return np.where((known == 0) & (apart @ apart > 0), 1.0, known)


def _one_way(must_link: Pairs, cannot_link: Pairs, n_samples: int) -> Array:
    return np.triu(relations(must_link, cannot_link, n_samples))


def follows(attempt: Attempt) -> str | None:
    """Every pair has the relation that follows from the answers."""
    right = relations(*attempt.case.values())
    wrong = np.argwhere(attempt.array != right)
    if not len(wrong):
        return None
    i, j = wrong[0]
    words = {1.0: "together", -1.0: "apart", 0.0: "open"}
    said = words.get(attempt.array[i, j], f"{attempt.array[i, j]:g}")
    return f"for rows {i} and {j} your function says {said}; go through the answers about them"


EX_12_1 = Exercise(
    id="12.1",
    title="what follows from the answers",
    reference=relations,
    cases=answer_cases,
    properties=[has_shape(lambda case: (case.n_samples, case.n_samples)), is_finite, follows],
    mistakes=[
        Mistake(
            "nothing but what was said",
            "this has the answers alone: what follows from a chain of them is missing",
            _direct,
        ),
        Mistake(
            "apart is not inherited",
            "if i and j are apart, so are all rows that are together with i from all that are "
            "together with j",
            _apart_as_said,
        ),
        Mistake(
            "apart from the same row",
            "two rows that are both apart from a third may be together or not: that would follow "
            "only if there were two classes",
            _enemy_of_enemy,
        ),
        Mistake(
            "one half of the matrix",
            "together and apart go both ways: the matrix is symmetric",
            _one_way,
        ),
    ],
    hints=[
        "Find the sets of rows that chains of together join: each gets a number.",
        "umlbook.constraints.chunklets(must_link, n_samples) returns these numbers.",
        "An answer apart between rows of sets a and b parts all rows of a from all rows of b.",
    ],
    solution="Together is an equivalence: its classes are the connected components. One answer "
    "apart between two components parts all their rows, and nothing else can be concluded.",
)


# ------------------------------------------------------------- 12.2 pairs until one is together


def size_cases(rng: np.random.Generator) -> list[Case]:
    """Sizes of classes: a few, many, one large, and single rows."""
    return [
        Case("the classes in your data", sizes=rng.integers(2, 30, size=4)),
        Case("ten classes", sizes=rng.integers(1, 12, size=10)),
        Case("one large class", sizes=np.array([40, 2, 1])),
        Case("single rows and one pair", sizes=np.array([1, 1, 1, 2])),
    ]


def draws_until_together(sizes: NDArray[np.int64]) -> float:
    """Reference of 12.2."""
    n = int(sizes.sum())
    n_pairs, n_together = n * (n - 1) / 2, float(np.sum(sizes * (sizes - 1))) / 2
    return (n_pairs + 1) / (n_together + 1)


EX_12_2 = Exercise(
    id="12.2",
    title="random pairs until one is together",
    reference=draws_until_together,
    cases=size_cases,
    properties=[is_number, is_finite, agrees_with(draws_until_together, "number of pairs")],
    mistakes=[
        Mistake(
            "as if pairs came again",
            "N / M is for pairs that may be drawn again: no pair is asked twice",
            lambda sizes: sizes.sum() * (sizes.sum() - 1) / np.sum(sizes * (sizes - 1)),
        ),
        Mistake(
            "each pair twice",
            "this counts (i, j) and (j, i): there are n (n - 1) / 2 pairs",
            lambda sizes: (sizes.sum() * (sizes.sum() - 1) + 1) / (np.sum(sizes * (sizes - 1)) + 1),
        ),
        Mistake(
            "a row with itself",
            "this counts the pairs of a row with itself: n² / 2 and n_c² / 2",
            lambda sizes: (sizes.sum() ** 2 / 2 + 1) / (np.sum(sizes**2) / 2 + 1),
        ),
    ],
    hints=[
        "How many pairs are there, and how many of them are together?",
        "The M pairs that are together cut the others into M + 1 gaps, all of one expected length.",
        "Before the first comes one gap: (N - M) / (M + 1) pairs, and then the pair itself.",
    ],
    solution="(N + 1) / (M + 1): by symmetry the gap before the first of M marked pairs among N is "
    "(N - M) / (M + 1) on average, and one more draw takes the pair.",
)


# ------------------------------------------------------------ 12.3 questions to place a row


def share_cases(rng: np.random.Generator) -> list[Case]:
    """Probabilities of the classes of rows: for several rows, for one, and for two classes."""
    return [
        Case("the rows in your data", shares=rng.dirichlet(np.full(4, 0.7), size=6)),
        Case("one row", shares=rng.dirichlet(np.ones(5), size=1)),
        Case("two classes", shares=rng.dirichlet(np.ones(2), size=4)),
    ]


def placing_questions(shares: Array) -> Array:
    """Reference of 12.3."""
    ranked = -np.sort(-shares, axis=1)
    return np.asarray(ranked @ np.arange(1, shares.shape[1] + 1))


def is_least(attempt: Attempt) -> str | None:
    """The number of questions of each row is that of the best order."""
    right = placing_questions(attempt.case.shares)
    wrong = np.flatnonzero(~np.isclose(attempt.array, right))
    if not wrong.size:
        return None
    row = int(wrong[0])
    side = "more" if attempt.array[row] > right[row] else "fewer"
    return (
        f"row {row}: your {attempt.array[row]:.3f} questions are {side} than the best order needs"
    )


EX_12_3 = Exercise(
    id="12.3",
    title="questions to place a row",
    reference=placing_questions,
    cases=share_cases,
    properties=[has_shape(lambda case: (len(case.shares),)), is_finite, is_least],
    mistakes=[
        Mistake(
            "the classes as they stand",
            "this asks the classes in the order of the columns: begin with the most probable",
            lambda shares: shares @ np.arange(1, shares.shape[1] + 1),
        ),
        Mistake(
            "the least probable first",
            "sorted upwards, the most probable class is asked last: turn the order round",
            lambda shares: np.sort(shares, axis=1) @ np.arange(1, shares.shape[1] + 1),
        ),
        Mistake(
            "counted from nought",
            "the first class costs one question, not none",
            lambda shares: placing_questions(shares) - 1,
        ),
    ],
    hints=[
        "If the classes are asked in some order, the class in place r is found by question r.",
        "The mean of r is the sum of r times the probability of the class in place r.",
        "-np.sort(-shares, axis=1) has each row in falling order.",
    ],
    solution="The expected number is the sum of rank times probability, which is least when the "
    "probabilities fall: exchanging two that rise lowers it.",
)

EXERCISES = [EX_12_1, EX_12_2, EX_12_3]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "12.q1",
        "Rows 1 and 2 were answered apart, rows 2 and 3 apart. How many classes there are is not "
        "known. What follows for rows 1 and 3?",
        [
            Choice(
                "They are together",
                "That would follow if there were two classes. With three, each of the rows may be "
                "in one of its own.",
            ),
            Choice("They are apart", "Both may be in the same class, with row 2 in another one."),
            Choice(
                "Nothing",
                "Both are possible. Together is transitive, apart is not.",
                right=True,
            ),
        ],
    ),
    Question(
        "12.q2",
        "A table has ten classes of equal size. You ask about random pairs. What will most of the "
        "answers be?",
        [
            Choice(
                "Together and apart about equally often",
                "Two random rows share one of ten classes with a probability of about one tenth.",
            ),
            Choice(
                "Apart",
                "About nine of ten. Such an answer says little: it leaves nine classes for each of "
                "the two rows.",
                right=True,
            ),
            Choice(
                "Together", "Only if one class had most of the rows; here they are of equal size."
            ),
        ],
    ),
]
