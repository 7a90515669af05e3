r"""What left-out pairs say: which way to take, and which pairs are doubtful."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from umlbook.algebra import Array, Labels
from umlbook.pairs.steps import Choice, Mask, PairTask, Way, bent_spaces, clustered

WAYS = (Way(0.0), Way(0.5), Way(1.0), Way(1.0, graph=False))
N_FOLDS = 5
FOLD_STARTS = 3  # starts of k-means in a fit that only votes
MANY_ROWS, N_ROWS = 3000, 1000  # of more than so many rows, so many and those of the pairs vote


def ways(strength: float | None, graph: bool | None) -> tuple[Way, ...]:
    """The ways to choose from: where both are None, all of `WAYS`.

    >>> ways(0.5, None), ways(None, False)
    ((Way(strength=0.5, graph=True),), (Way(strength=1.0, graph=False),))
    """
    if graph is False:
        return (Way(1.0 if strength is None else strength, graph=False),)
    if strength is not None:
        return (Way(strength),)
    return WAYS if graph is None else tuple(way for way in WAYS if way.graph)


def agreement(labels: Labels, task: PairTask) -> Mask:
    """Which pairs the labels agree with, must-links first."""
    together, apart = (labels[pairs[:, 0]] == labels[pairs[:, 1]] for pairs in task.pairs)
    return np.concatenate([together, ~apart])


def agreements(told: PairTask, asked: PairTask, tried: tuple[Way, ...], seed: int) -> Array:
    """Ways x pairs: which pairs of a task the clusterings agree with that were told others."""
    spaces = bent_spaces(told, tried)
    return np.array([agreement(clustered(Z, told, seed)[0], asked) for _, _, Z in spaces])


def folds(n_pairs: int, seed: int) -> Iterator[Mask]:
    """Masks of the pairs to leave out: each pair once."""
    n_folds = min(N_FOLDS, n_pairs)
    numbers = np.random.RandomState(seed).permutation(n_pairs) % max(n_folds, 1)
    yield from (numbers == fold for fold in range(n_folds))


def left_out_votes(task: PairTask, tried: tuple[Way, ...], seed: int) -> Array:
    """o, ways x pairs: whether the fit without a pair agrees with it, 1 or 0."""
    votes = np.zeros((len(tried), task.n_pairs))
    brief = replace(task, n_init=min(task.n_init, FOLD_STARTS))
    for out in folds(task.n_pairs, seed):
        votes[:, out] = agreements(brief.only(~out), task, tried, seed)[:, out]
    return votes


def wrong_if_contradicted(noise: float, right: float) -> float:
    r"""P(pair wrong | contradicted) of (11.5): ``right`` is P(the labels are right about a pair).

    It has to be the same for right and for wrong pairs.

    >>> round(wrong_if_contradicted(0.1, 0.9), 9)
    0.5
    """
    both = noise * right + (1 - noise) * (1 - right)
    return noise * right / both if both else 0.0


def doubtful(votes: Array, noise: float) -> Mask:
    """Pairs that every fit without them contradicts, if the fits are more often right than pairs.

    They are when a > 1 - e, and then they agree with more than (1 - e)^2 + e^2 of the pairs (11.6).
    """
    trusted = noise > 0 and bool(np.mean(votes) > (1 - noise) ** 2 + noise**2)
    return np.asarray(~votes.any(axis=0) & trusted)


def thinned(task: PairTask) -> PairTask:
    """The same pairs among fewer rows: a choice needs many fits, and few rows tell as much."""
    n = len(task.X)
    if n <= MANY_ROWS:
        return task
    rows = np.unique(np.concatenate([np.arange(N_ROWS) * n // N_ROWS, *map(np.ravel, task.pairs)]))
    must, cannot = (np.searchsorted(rows, pairs) for pairs in task.pairs)
    return replace(task, X=task.X[rows], must=must, cannot=cannot)


def choice(task: PairTask, tried: tuple[Way, ...], noise: float, seed: int) -> Choice:
    """Leave pairs out to choose the way, and to doubt pairs.

    The way with the most agreement is taken (the first of equally good ones), where a pair counts
    half when the fit without it agrees with it and half when the fit with it does: the first is too
    hard a test, the second too easy a one.
    """
    if not task.n_pairs or (len(tried) == 1 and not noise):
        return Choice(tried[0], np.ones(task.n_pairs, dtype=bool), None)
    task = thinned(task)
    votes = left_out_votes(task, tried, seed)
    kept = ~doubtful(votes, noise)
    rest = task.only(kept)
    fitted = agreements(rest, rest, tried, seed)
    best = np.argmax(np.sum(votes[:, kept] + fitted, axis=1))  # whole numbers: ties are exact
    return Choice(tried[int(best)], kept, votes)
