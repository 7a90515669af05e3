"""Which of several methods is better over several data sets: ranks, and how far they can differ.

On each data set the best method gets rank 1, ties share their ranks; scores that are equal to nine
digits are tied, because means of the same numbers may differ in the last digit. Nemenyi's critical
difference is for the question whether any two of the methods differ, which is k (k - 1) / 2
comparisons. The question whether methods differ from one control has k - 1 of them:
`p_against_control` asks it by Wilcoxon's signed ranks with Holm's correction, and finds more
(Demsar 2006).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon

from umlbook.algebra import Array

DIGITS = 9
"""Scores and differences of scores are compared to so many decimals: the rest is rounding."""


def average_ranks(scores: Mapping[str, Array]) -> dict[str, float]:
    """Mean rank of each method, the best first; scores are one number for each data set.

    Scores that differ by rounding only (in the tenth decimal or later) share their ranks.

    >>> average_ranks({"a": np.array([0.5, 0.5]), "b": np.array([0.9, 0.5])})
    {'b': 1.25, 'a': 1.75}
    """
    table = np.round(np.column_stack(list(scores.values())), DIGITS)
    ranks = rankdata(-table, axis=1).mean(axis=0)
    return {name: float(rank) for rank, name in sorted(zip(ranks, scores, strict=True))}


def friedman_p(scores: Mapping[str, Array]) -> float:
    """Probability of ranks at least as unequal as these if all orders were equally likely."""
    rounded = [np.round(column, DIGITS) for column in scores.values()]
    return float(friedmanchisquare(*rounded).pvalue)


def holm(p_values: ArrayLike) -> Array:
    """Holm's adjusted p-values: below alpha, the chance of any wrong rejection is at most alpha.

    The smallest is multiplied by the number of tests, the next by one less, and so on; none is
    smaller than one before it.

    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def signed_rank_p(differences: ArrayLike) -> float:
    """P-value of Wilcoxon's signed ranks; differences of zero (to nine digits) are left out.

    Exact unless two sizes tie, then by the normal approximation: said here, because versions of
    scipy choose differently.

    >>> signed_rank_p([1.0, 2.0, 3.0, 4.0, 0.0])
    0.125
    """
    gaps = np.round(np.asarray(differences, dtype=float), DIGITS)
    gaps = gaps[gaps != 0]
    if not gaps.size:
        return 1.0
    tied = len(np.unique(np.abs(gaps))) < len(gaps)
    with warnings.catch_warnings():  # that an approximation needs more differences than these
        warnings.filterwarnings("ignore", "Sample size too small", UserWarning)
        return float(wilcoxon(gaps, method="approx" if tied else "exact").pvalue)


def p_against_control(scores: Mapping[str, Array], control: str) -> dict[str, float]:
    """Holm's p-value of each method against one: signed ranks of the differences on each set.

    >>> better = {"old": np.zeros(8), "new": np.arange(1.0, 9.0), "same": np.zeros(8)}
    >>> p_against_control(better, "old")
    {'new': 0.015625, 'same': 1.0}
    """
    others = [name for name in scores if name != control]
    p = holm([signed_rank_p(scores[name] - scores[control]) for name in others])
    return dict(zip(others, p.tolist(), strict=True))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    r"""How far two average ranks must be apart: :math:`q_\alpha \sqrt{k(k+1)/6N}` (Nemenyi).

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def groups(ranks: Mapping[str, float], difference: float) -> list[list[str]]:
    """The largest runs of methods within which no two ranks differ by ``difference`` or more.

    >>> groups({"a": 1.0, "b": 1.8, "c": 2.9, "d": 3.5}, 1.5)
    [['a', 'b'], ['b', 'c'], ['c', 'd']]
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    found: list[list[str]] = []
    for i, first in enumerate(names):
        run = [name for name in names[i:] if ranks[name] - ranks[first] < difference]
        if len(run) > 1 and not (found and set(run) <= set(found[-1])):
            found.append(run)
    return found
