"""Which of several methods is better over several data sets: ranks, and how far they can differ.

On each data set the best method gets rank 1, ties share their ranks. Average ranks that differ by
less than the critical difference of Nemenyi's test may be due to chance (Demsar 2006).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from umlbook.algebra import Array


def average_ranks(scores: Mapping[str, Array]) -> dict[str, float]:
    """Mean rank of each method, the best first; scores are one number for each data set.

    >>> average_ranks({"a": np.array([0.5, 0.5]), "b": np.array([0.9, 0.5])})
    {'b': 1.25, 'a': 1.75}
    """
    ranks = rankdata(-np.column_stack(list(scores.values())), axis=1).mean(axis=0)
    return {name: float(rank) for rank, name in sorted(zip(ranks, scores, strict=True))}


def friedman_p(scores: Mapping[str, Array]) -> float:
    """Probability of ranks as unequal as these if the methods were all the same."""
    return float(friedmanchisquare(*scores.values()).pvalue)


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
