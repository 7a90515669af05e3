"""Which pair to ask about next: functions of the answers so far, pure if the model is.

A strategy takes a `Setting` and the `Answers` and returns a pair of rows, or None when nothing is
left to ask. It keeps no state of its own, so that a dialogue continues from its answers alone.

All but `random_pair` *place* rows: the classes met so far are `Answers.groups`, one row is asked
against one group after another until it is together with one or apart from all, and only then the
next row is chosen. They differ in which row that is, and in the order of the groups:

=======================  ================================  ===============================
strategy                 the row                           the groups
=======================  ================================  ===============================
`explore_consolidate`    the farthest from all groups      the nearest first
                         until K are met, then a random
`uncertain_point`        the most uncertain for the        the most similar first
                         questions it is expected to cost
`doubted_block`          at first as above; then the       the one with most votes first
                         middle of the block of rows that
                         the fitted model doubts most
=======================  ================================  ===============================
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import entropy
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import Array, Labels
from umlbook.asking.answers import UNKNOWN, Answers
from umlbook.constraints import IntArray

Pair = tuple[int, int]
Model = Callable[[Array, IntArray, IntArray], Labels]
"""Labels of the rows of X from must-links and cannot-links."""

N_TREES = 50
N_DRAWS = 5
"""Resampled fits that vote in `doubted_block`."""
KEPT = 30
"""Fits that are kept, for the next questions and for undo."""
DIGITS = 9
"""Scores that agree to so many digits tie, and the first row is taken: on every processor."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What a strategy may look at beside the answers.

    Parameters
    ----------
    X : array (n_samples, n_features)
        The rows.
    n_clusters : int
        K.
    model : callable
        From X, must-links and cannot-links to labels.
    seed : int
        Of all draws.
    refit_every : int
        After how many answers the model is fitted again.
    """

    X: Array
    n_clusters: int
    model: Model
    seed: int = 0
    refit_every: int = 5
    _kept: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)

    def rng(self, answers: Answers) -> np.random.RandomState:
        """A generator that is the same whenever this point is reached again."""
        return np.random.RandomState([self.seed, len(answers.given)])

    def learned_from(self, answers: Answers) -> Answers:
        """The answers that the model has been fitted to."""
        count = len(answers.given) // self.refit_every * self.refit_every
        return replace(answers, given=answers.given[:count])

    def once(self, name: str, answers: Answers, make: Callable[[Answers], Any]) -> Any:
        """What is made of the answers that the model has been fitted to; computed once."""
        known = self.learned_from(answers)
        if (known, name) not in self._kept:
            if len(self._kept) > KEPT:
                self._kept.clear()
            self._kept[known, name] = make(known)
        return self._kept[known, name]

    def labels(self, answers: Answers, draw: int = 0) -> Labels:
        """The fitted model's labels; of draw 1, 2, ... with pairs drawn with replacement."""

        def fitted(known: Answers) -> Labels:
            kinds = [known.must_link, known.cannot_link]
            if draw:
                rng = np.random.RandomState([self.seed, len(known.given), draw])
                kinds = [p[rng.randint(len(p), size=len(p))] if len(p) else p for p in kinds]
            return quietly(self.model, self.X, *kinds)

        return np.asarray(self.once(f"labels {draw}", answers, fitted))


def quietly(model: Model, X: Array, must: IntArray, cannot: IntArray) -> Labels:
    """The model's labels; a dialogue begins without pairs, of which a model may well warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model(X, must, cannot))


Strategy = Callable[[Setting, Answers], Pair | None]


def random_pair(setting: Setting, answers: Answers) -> Pair | None:
    """Two random rows of which nothing is known yet."""
    n, rng = answers.n_samples, setting.rng(answers)
    for first in rng.permutation(n).tolist():
        others = rng.permutation(n).tolist()
        for second in others:
            if first != second and answers.open(first, second):
                return first, second
    return None


def explore_consolidate(setting: Setting, answers: Answers) -> Pair | None:
    """Farthest first until K classes are met, then random rows, the nearest class first.

    References
    ----------
    Basu, Banerjee and Mooney (2004), Active semi-supervision for pairwise constrained clustering.
    """
    groups, rows = _groups_and_candidates(setting, answers)
    order = np.array([setting.X[g].mean(axis=0) for g in groups])
    near = -cdist(setting.X, order)
    if len(groups) >= setting.n_clusters:
        scores = setting.rng(answers).uniform(size=len(setting.X))
    else:
        scores = cdist(setting.X, setting.X[np.concatenate(groups)]).min(axis=1)
    return _placing(setting, answers, groups, rows, scores, near)


def uncertain_point(setting: Setting, answers: Answers) -> Pair | None:
    """The row with the largest entropy of its class for the questions that it will cost.

    A random forest is trained on the model's labels; rows are as similar as the share of trees in
    which they reach the same leaf, the probability of a class is the mean similarity with its rows,
    divided by the sum over classes, and a row whose classes are asked in the order of probability
    is expected to cost the sum of rank times probability. Other than in the paper, the first two
    classes are met farthest first, and the model is fitted again after `refit_every` answers
    instead of after each row.

    References
    ----------
    Xiong, Azimi and Fern (2014), Active learning of constraints for semi-supervised clustering.
    """
    groups, rows = _groups_and_candidates(setting, answers)
    if len(groups) < 2:  # with one class there is no uncertainty yet
        return explore_consolidate(setting, answers)

    def grown(known: Answers) -> Labels:
        forest = RandomForestClassifier(N_TREES, random_state=setting.seed)
        return np.asarray(forest.fit(setting.X, setting.labels(known)).apply(setting.X))

    leaves = setting.once("leaves", answers, grown)
    alike = [np.mean([(leaves == leaves[m]).mean(axis=1) for m in g], axis=0) for g in groups]
    shares = _normalised(np.column_stack(alike))
    scores = entropy(shares, axis=1) / expected_questions(shares)
    return _placing(setting, answers, groups, rows, scores, shares)


def expected_questions(shares: Array) -> Array:
    """Questions that it takes to place a row if the classes are asked the most probable first.

    >>> expected_questions(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([1. , 1.5])
    """
    ranked = -np.sort(-shares, axis=1)
    return np.asarray(ranked @ np.arange(1, shares.shape[1] + 1))


def doubted_block(setting: Setting, answers: Answers) -> Pair | None:
    """The middle of the block of rows on whose class resampled fits of the model disagree most.

    The model is fitted to five samples of the pairs, drawn with replacement. Rows that are in the
    same clusters in all five fits form a block: the model does not tell them apart, so one answer
    speaks for all of them. A fit divides its vote for a block among the classes met, in proportion
    to the share of the placed rows of each class that are in the cluster of the block. The block
    with the largest entropy of votes, times its rows, divided by one plus those that are placed, is
    asked. Before, until K classes are met or 3 K questions are asked (and until two classes are
    met), it does as `explore_consolidate` does.
    """
    groups, rows = _groups_and_candidates(setting, answers)
    exploring = len(groups) < setting.n_clusters and len(answers.given) < 3 * setting.n_clusters
    if exploring or len(groups) < 2:
        return explore_consolidate(setting, answers)
    fits = [setting.labels(answers, draw) for draw in range(1, N_DRAWS + 1)]
    votes = np.mean([_votes(fit, groups) for fit in fits], axis=0)
    block = np.unique(np.column_stack(fits), axis=0, return_inverse=True)[1].ravel()
    placed = np.zeros(len(block), dtype=bool)
    placed[np.concatenate(groups)] = True
    size = np.bincount(block)
    weight = size / (1 + np.bincount(block, weights=placed))
    middle = np.array([setting.X[block == b].mean(axis=0) for b in range(len(size))])
    spread = np.linalg.norm(setting.X - middle[block], axis=1)
    doubt = entropy(_normalised(votes), axis=1) * weight[block]
    scores = np.round(doubt, DIGITS) - 1e-6 * spread / (1 + spread)  # within a block, its middle
    return _placing(setting, answers, groups, rows, scores, votes)


STRATEGIES: dict[str, Strategy] = {
    "random": random_pair,
    "explore": explore_consolidate,
    "uncertain": uncertain_point,
    "doubt": doubted_block,
}
"""The strategies by name."""


def _groups_and_candidates(setting: Setting, answers: Answers) -> tuple[list[IntArray], IntArray]:
    """The classes met, a random row to begin with; and the rows that are not settled yet."""
    n = len(setting.X)
    groups = answers.groups or [np.array([setting.rng(Answers(n)).randint(n)])]
    inside = np.zeros(n, dtype=bool)
    inside[np.concatenate(groups)] = True
    free = np.flatnonzero(~inside).tolist()
    rows = [row for row in free if next(_open_groups(answers, row, groups), None) is not None]
    return groups, np.array(rows, dtype=np.intp)


def _open_groups(answers: Answers, row: int, groups: list[IntArray]) -> Iterator[int]:
    """The groups that a row may still be asked against."""
    for number, group in enumerate(groups):
        doubted = any(frozenset((row, int(m))) in answers.doubtful for m in group)
        if answers.relation(row, int(group[0])) == UNKNOWN and not doubted:
            yield number


def _placing(
    setting: Setting, answers: Answers, groups: list[IntArray], rows: IntArray, scores: Array,
    ranks: Array,
) -> Pair | None:  # fmt: skip
    """The question that goes on with the row in hand, or begins with the row of largest score.

    `ranks` (n_samples, n_groups) is large for the groups that are to be asked first; the row is
    shown beside the nearest member of the group.
    """
    if not len(rows):
        return None
    last = answers.given[-1].first if answers.given else -1
    row = last if last in rows else int(rows[np.argmax(np.round(scores[rows], DIGITS))])
    group = max(_open_groups(answers, row, groups), key=lambda g: round(ranks[row, g], DIGITS))
    members = groups[group]
    apart = cdist(setting.X[[row]], setting.X[members])[0]
    return row, int(members[np.argmin(np.round(apart, DIGITS))])


def _normalised(amounts: Array) -> Array:
    """Rows that sum to one; even where there is nothing."""
    amounts = amounts + 1e-12
    return np.asarray(amounts / amounts.sum(axis=1, keepdims=True))


def _votes(labels: Labels, groups: list[IntArray]) -> Array:
    """For each row the part of each group that is in its cluster, scaled to sum 1, (n, groups)."""
    counts = np.array([np.bincount(labels[g], minlength=labels.max() + 1) for g in groups])
    return np.asarray(_normalised(counts.T / [len(g) for g in groups])[labels])
