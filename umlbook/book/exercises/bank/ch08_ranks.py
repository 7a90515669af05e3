"""Exercises 8.5 and 8.6: average ranks, and who can be told apart by them."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import agrees_with, has_shape, is_finite, is_yes_or_no
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.experiments.engine.ranking import critical_difference

# -------------------------------------------------------------------------- 8.5 average ranks


def score_cases(rng: np.random.Generator) -> list[Case]:
    """Scores of methods on data sets, with ties for the first place and further down."""
    scores = np.round(rng.uniform(0.3, 0.9, (8, 5)), 2)
    for row, n_tied in ((0, 2), (1, 3), (2, 2)):
        scores[row, rng.choice(5, n_tied, replace=False)] = 0.95 if row < 2 else 0.25
    return [
        Case("the scores in your data", scores=scores),
        Case("methods that are all the same", scores=np.full((3, 4), 0.5)),
        Case("one data set", scores=scores[-1:]),
        Case("two methods", scores=scores[:, :2]),
    ]


def average_ranks(scores: Array) -> Array:
    """Reference of 8.5."""
    return np.asarray(rankdata(-scores, axis=1).mean(axis=0))


def adds_up_to_all_ranks(attempt: Attempt) -> str | None:
    """Ranks 1 to m are given away on each data set, ties or not."""
    m, total = attempt.case.scores.shape[1], float(attempt.array.sum())
    if np.isclose(total, m * (m + 1) / 2):
        return None
    return f"your ranks add up to {total:.3g}, but the numbers from 1 to {m} were to be shared out"


def best_has_rank_one(attempt: Attempt) -> str | None:
    """A method that is the best everywhere has rank 1."""
    scores = attempt.case.scores
    scores[:, 0] = scores.max() + 1
    rank = float(np.asarray(attempt.again(scores=scores), dtype=float)[0])
    return None if np.isclose(rank, 1) else f"a method that is best everywhere gets {rank:.3g}"


def equal_for_equals(attempt: Attempt) -> str | None:
    """A copy of a method has the same rank."""
    scores = attempt.case.scores
    scores[:, 1] = scores[:, 0]
    first, copy = np.asarray(attempt.again(scores=scores), dtype=float)[:2]
    if np.isclose(first, copy):
        return None
    return f"two methods with the same scores get the ranks {first:.3g} and {copy:.3g}"


EX_8_5 = Exercise(
    id="8.5",
    title="average ranks",
    reference=average_ranks,
    cases=score_cases,
    properties=[
        has_shape(lambda case: (case.scores.shape[1],)),
        is_finite,
        best_has_rank_one,
        equal_for_equals,
        adds_up_to_all_ranks,
        agrees_with(average_ranks, "rank"),
    ],
    mistakes=[
        Mistake(
            "the worst first",
            "this gives rank 1 to the smallest score: a large score is good",
            lambda scores: rankdata(scores, axis=1).mean(axis=0),
        ),
        Mistake(
            "ties by their order",
            "sorting puts equal scores in the order of the columns: they must share their ranks",
            lambda scores: 1 + np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
            .mean(axis=0),
        ),
        Mistake(
            "ties all take the best rank",
            "two winners share the ranks 1 and 2 and get 1.5 each; here both get 1",
            lambda scores: rankdata(-scores, axis=1, method="min").mean(axis=0),
        ),
        Mistake(
            "ranks of the means",
            "this ranks the mean scores, so one data set with large differences can decide: rank "
            "first, then average",
            lambda scores: rankdata(-scores.mean(axis=0)),
        ),
        Mistake(
            "the data sets ranked",
            "this ranks the data sets of each method: the methods of each data set are asked for",
            lambda scores: rankdata(-scores, axis=0).mean(axis=0),
        ),
    ],
    hints=[
        "Rank along the rows, the largest score first; then average down the columns.",
        "scipy.stats.rankdata ranks the smallest first, and lets ties share: what of minus scores?",
        "rankdata(-scores, axis=1) has all the ranks.",
    ],
    solution="On each data set the methods share the ranks 1 to m; only then is it averaged.",
)  # fmt: skip

# -------------------------------------------------------------- 8.6 who can be told apart?

N_DATASETS = 21
#: Sums of the ranks of six methods over 21 data sets. The second is close to the first, the third
#: within the critical difference, the next two hang on in a chain, the last is by itself.
_RANK_SUMS = np.array([38, 44, 65, 83, 87, 124])


def rank_cases(rng: np.random.Generator) -> list[Case]:
    """Average ranks of six methods in a drawn order; few data sets, two methods, two winners."""
    shared = rng.permutation([-0.5, -0.5, 0.0, 0.0, 0.5, 0.5])  # ties; the sum stays what it is
    ranks = rng.permutation(_RANK_SUMS + shared) / N_DATASETS
    few = rng.permutation([1.5, 2.5, 3.0, 4.0, 4.5, 5.5])
    return [
        Case("the ranks in your data", ranks=ranks, n_datasets=N_DATASETS),
        Case("two data sets", ranks=few, n_datasets=2),
        Case("two methods", ranks=np.array([1.7, 1.3]), n_datasets=20),
        Case("just beyond the difference", ranks=_beyond(rng), n_datasets=N_DATASETS),
        Case("two winners", ranks=np.array([3.9, 1.6, 3.0, 1.6, 4.9]), n_datasets=40),
    ]


def _beyond(rng: np.random.Generator) -> Array:
    """Ranks of four methods, of which two lie just within and just beyond the difference."""
    difference = critical_difference(4, N_DATASETS)
    return rng.permutation(1.3 + difference * np.array([0.0, 0.97, 1.03, 2.0]))


def level_with_the_first(ranks: Array, n_datasets: int) -> NDArray[np.bool_]:
    """Reference of 8.6."""
    behind = ranks - ranks.min()
    return np.asarray(behind < critical_difference(len(ranks), n_datasets))


def first_is_level(attempt: Attempt) -> str | None:
    """The first is level with itself."""
    first = int(np.argmin(attempt.case.ranks))
    return None if attempt.array[first] else f"method {first} is the first, and level with itself"


def keeps_to_the_difference(attempt: Attempt) -> str | None:
    """Those within the critical difference, and no others."""
    ranks, n = attempt.case.ranks, attempt.case.n_datasets
    wrong = np.flatnonzero(attempt.array != level_with_the_first(ranks, n))
    if not wrong.size:
        return None
    k = int(wrong[0])
    behind = f"method {k} is {ranks[k] - ranks.min():.2f} ranks behind the first"
    if attempt.array[k]:
        return f"{behind}: chance does not reach so far"
    return f"{behind}: methods that are equally good come as far apart by chance"


def _chained(ranks: Array, n_datasets: int) -> NDArray[np.bool_]:
    steps = np.diff(np.sort(ranks), prepend=ranks.min())
    together = np.cumprod(steps < critical_difference(len(ranks), n_datasets)).astype(bool)
    return np.asarray(together[np.argsort(np.argsort(ranks, kind="stable"))])


EX_8_6 = Exercise(
    id="8.6",
    title="who can be told apart",
    reference=level_with_the_first,
    cases=rank_cases,
    properties=[
        has_shape(lambda case: case.ranks.shape),
        is_yes_or_no,
        first_is_level,
        keeps_to_the_difference,
    ],
    mistakes=[
        Mistake(
            "any difference counts",
            "a smaller average rank alone proves nothing: how far apart can two equal methods be?",
            lambda ranks, n_datasets: ranks == ranks.min(),
        ),
        Mistake(
            "as if there were two methods",
            "this is the critical difference of two methods: with more there are more pairs that "
            "could differ by chance",
            lambda ranks, n_datasets: ranks - ranks.min() < critical_difference(2, n_datasets),
        ),
        Mistake(
            "methods and data sets exchanged",
            "critical_difference takes the number of methods first, then that of data sets",
            lambda ranks, n_datasets: (
                ranks - ranks.min() < critical_difference(n_datasets, len(ranks))
            ),
        ),
        Mistake(
            "a chain of neighbours",
            "each is near the next, but the last of the chain is far from the first: compare with "
            "the first itself",
            _chained,
        ),
        Mistake(
            "the wrong way round",
            "these are the methods that are significantly behind",
            lambda ranks, n_datasets: ~level_with_the_first(ranks, n_datasets),
        ),
    ],
    hints=[
        "How far is each method behind the one with the smallest rank?",
        "critical_difference(number of methods, number of data sets) says how far is too far.",
        "ranks - ranks.min() < critical_difference(len(ranks), n_datasets)",
    ],
    solution="Whoever is less than the critical difference behind the first may be as good. Not "
    "that it is: with more data sets one may tell.",
)
