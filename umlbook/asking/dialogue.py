"""The questions as a generator of states: each is yielded, and its answer is sent back."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_array

from umlbook._checks import check_clusters, check_count
from umlbook.algebra import Array, Labels
from umlbook.asking.answers import APART, TOGETHER, UNDO, Answers
from umlbook.asking.strategies import STRATEGIES, Model, Pair, Setting, Strategy
from umlbook.constraints import IntArray
from umlbook.scores import label_codes

Oracle = Callable[[int, int], str]
"""From two rows to an answer."""


@dataclass(frozen=True)
class Question:
    """Do rows `first` and `second` belong together? `answers` is what is known so far."""

    first: int
    second: int
    answers: Answers


def questions(
    X: ArrayLike,
    n_clusters: int,
    model: Any,
    *,
    strategy: str | Strategy = "doubt",
    answers: Answers | None = None,
    refit_every: int = 5,
    seed: int = 0,
) -> Generator[Question, str, Answers]:
    """Yield questions about pairs of rows, and take the answers by ``send``.

    Parameters
    ----------
    X : array (n_samples, n_features)
        The rows.
    n_clusters : int
        K.
    model : estimator or callable
        What the answers are for: an estimator with ``fit(X, must_link=..., cannot_link=...)`` and
        ``labels_``, or a function from X, must-links and cannot-links to labels. The strategies
        "uncertain" and "doubt" look at its labels.
    strategy : {"doubt", "uncertain", "explore", "random"} or callable
        Chooses the pairs; see `umlbook.asking.strategies`.
    answers : Answers, optional
        What was answered before; the dialogue continues from it.
    refit_every : int
        After how many answers the model is fitted again.
    seed : int
        Of all draws. Equal seeds and answers give equal questions.

    Yields
    ------
    Question
        Send "together", "apart", "unknown" (it will not be asked again) or "undo" (the question
        before comes again).

    Returns
    -------
    Answers
        All answers, when nothing is left to ask.

    Examples
    --------
    >>> from umlbook import LatentClassPairs
    >>> from umlbook.datasets import make_parallel_lines
    >>> X, y = make_parallel_lines(60, random_state=0)
    >>> dialogue = questions(X, 2, LatentClassPairs(2, random_state=0))
    >>> asked = next(dialogue)
    >>> asked = dialogue.send("together" if y[asked.first] == y[asked.second] else "apart")
    >>> len(asked.answers.given)
    1
    """
    setting = checked_setting(X, n_clusters, model, refit_every, seed)
    choose = chosen(strategy)
    state = Answers(len(setting.X)) if answers is None else answers
    if state.n_samples != len(setting.X):
        raise ValueError(
            f"answers are about {state.n_samples} rows but X has {len(setting.X)}: answers belong "
            "to one X"
        )
    while (pair := choose(setting, state)) is not None:
        state = replied(state, pair, (yield Question(*pair, state)))
    return state


def replied(answers: Answers, pair: Pair, reply: str) -> Answers:
    """The answers after a reply, which may be "undo"."""
    return answers.undone() if reply == UNDO else answers.plus(*pair, reply)


def checked_setting(
    X: ArrayLike, n_clusters: int, model: Any, refit_every: int = 5, seed: int = 0
) -> Setting:
    """What the strategies look at, after checking it."""
    data = check_array(X, dtype=np.float64, ensure_min_samples=2)
    check_clusters(n_clusters, len(data))
    check_count("n_clusters", n_clusters, least=2)
    check_count("refit_every", refit_every)
    return Setting(data, n_clusters, as_model(model), seed, refit_every)


def as_model(model: Any) -> Model:
    """An estimator as a function from X and pairs to labels; a function as it is."""
    if not hasattr(model, "fit"):
        if not callable(model):
            raise TypeError(
                f"model is {model!r}: give an estimator that is fitted to X, must_link and "
                "cannot_link, or a function of these"
            )
        return model

    def labels(X: Array, must: IntArray, cannot: IntArray) -> Labels:
        return np.asarray(clone(model).fit(X, must_link=must, cannot_link=cannot).labels_)

    return labels


def chosen(strategy: str | Strategy) -> Strategy:
    """A strategy by its name, or as it is."""
    if callable(strategy):
        return strategy
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy is {strategy!r}: choose one of {', '.join(STRATEGIES)}")
    return STRATEGIES[strategy]


def oracle(labels: ArrayLike, wrong: float = 0.0, seed: int = 0) -> Oracle:
    """Somebody who knows the classes, and errs in a share `wrong` of the answers.

    Whether a pair is answered wrongly depends on the pair and the seed, and not on when it is
    asked: asked again, the same error is made again.

    Examples
    --------
    >>> oracle(["a", "b", "a"])(0, 2)
    'together'
    """
    codes = label_codes(labels)

    def reply(first: int, second: int) -> str:
        draw = np.random.RandomState([seed, *sorted((int(first), int(second)))]).uniform()
        same = codes[first] == codes[second]
        return TOGETHER if same != (draw < wrong) else APART

    return reply


def conversation(dialogue: Generator[Question, str, Answers], reply: Oracle) -> Iterator[Answers]:
    """The answers after each question that an oracle is asked, until nothing is left to ask."""
    asked = next(dialogue, None)
    while asked is not None:
        pair = asked.first, asked.second
        answer = reply(*pair)
        yield replied(asked.answers, pair, answer)
        try:
            asked = dialogue.send(answer)
        except StopIteration:
            return
