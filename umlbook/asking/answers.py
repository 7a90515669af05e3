"""What has been answered, what follows from it, and what contradicts it.

`Answers` is a frozen state: an answer makes a new one. What follows is found in two ways.
*Closure*: together is transitive, and rows that are together with two rows that are apart are apart
themselves. *Elimination*, if the number of classes is known and all have been met: a row that is
apart from all of these classes but one is in that one.

Closure finds all that follows as long as the number of classes is open. Elimination is incomplete:
it is used only against the classes met (`Answers.groups`, taken greedily), so it does not find
everything that follows from the number of classes, and not every contradiction is seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from umlbook._checks import check_count
from umlbook.constraints import IntArray, chain, chunklets

TOGETHER, APART, UNKNOWN, UNDO = "together", "apart", "unknown", "undo"
REPLIES = (TOGETHER, APART, UNKNOWN)
ELIMINATED = "together, by elimination"


@dataclass(frozen=True)
class Answer:
    """A reply to the question whether two rows belong together."""

    first: int
    second: int
    reply: str

    def __str__(self) -> str:
        return f"{self.first} and {self.second} are {self.reply}"


class Contradiction(ValueError):
    """A reply that cannot be, with the shortest chain of answers that says the opposite."""

    def __init__(self, refused: Answer, chain: tuple[Answer, ...]) -> None:
        self.refused, self.chain = refused, chain
        because = ", ".join(map(str, chain))
        super().__init__(
            f"rows {refused.first} and {refused.second} cannot be {refused.reply}, because "
            f"{because}: answer otherwise, or undo one of these"
        )


@dataclass(frozen=True)
class Closed:
    """What follows from answers.

    Attributes
    ----------
    chunklet : array (n_samples,)
        Number of the set of rows that are known to be together with each row.
    apart : frozenset of pairs of int
        The numbers of chunklets that are known to be apart, in both orders.
    groups : tuple of int
        Chunklets that are all known to be apart from one another: classes that have been met.
    eliminated : array (m, 2)
        Must-links that follow by elimination and not by closure.
    """

    chunklet: IntArray
    apart: frozenset[tuple[int, int]]
    groups: tuple[int, ...]
    eliminated: IntArray


@dataclass(frozen=True)
class Answers:
    """All answers so far; never changed, only replaced by `plus` and `undone`.

    Parameters
    ----------
    n_samples : int
        Number of rows that are asked about.
    given : tuple of Answer
        The answers in their order.
    n_classes : int or None
        How many classes there are, if that is known for certain: then elimination is used against
        the classes met. It does not find everything that follows: of two classes and the answers
        0 and 1 apart, 2 and 3 apart, 3 and 4 apart it does not conclude that 2 and 4 are together.

    Examples
    --------
    >>> known = Answers(5).plus(0, 1, "together").plus(1, 2, "together").plus(2, 3, "apart")
    >>> known.relation(0, 3), known.relation(0, 4)
    ('apart', 'unknown')
    >>> known.plus(3, 0, "together")
    Traceback (most recent call last):
        ...
    umlbook.asking.answers.Contradiction: rows 3 and 0 cannot be together, because 3 and 2 are \
apart, 2 and 1 are together, 1 and 0 are together: answer otherwise, or undo one of these
    """

    n_samples: int
    given: tuple[Answer, ...] = ()
    n_classes: int | None = None

    def __post_init__(self) -> None:
        check_count("n_samples", self.n_samples, least=2)
        if self.n_classes is not None:
            check_count("n_classes", self.n_classes, least=2)

    def answered(self, reply: str) -> IntArray:
        """The pairs with this reply, in the order and direction in which they were asked."""
        pairs = [(a.first, a.second) for a in self.given if a.reply == reply]
        return np.array(pairs, dtype=np.intp).reshape(-1, 2)

    @cached_property
    def closed(self) -> Closed:
        """What follows from the answers."""
        must, cannot = self.answered(TOGETHER), self.answered(APART)
        eliminated = must[:0]
        while True:
            chunklet = chunklets(np.concatenate([must, eliminated]), self.n_samples)
            apart = _both_ways(chunklet[cannot])
            groups = _groups(self._met(chunklet), apart)
            more = _eliminated(chunklet, apart, groups, self.n_classes)
            if not len(more):
                return Closed(chunklet, apart, groups, eliminated)
            eliminated = np.concatenate([eliminated, more])

    def _met(self, chunklet: IntArray) -> Iterator[int]:
        """The chunklets that answers speak of, the earliest first."""
        for answer in self.given:
            if answer.reply != UNKNOWN:  # of a pair, the second was there before the first
                yield from chunklet[[answer.second, answer.first]].tolist()

    @property
    def must_link(self) -> IntArray:
        """Pairs that were answered *together*, or follow by elimination."""
        return np.concatenate([self.answered(TOGETHER), self.closed.eliminated])

    @property
    def cannot_link(self) -> IntArray:
        """Pairs that were answered *apart*."""
        return self.answered(APART)

    @cached_property
    def doubtful(self) -> frozenset[frozenset[int]]:
        """The pairs that were answered *unknown*."""
        return frozenset(frozenset(map(int, pair)) for pair in self.answered(UNKNOWN))

    @property
    def groups(self) -> list[IntArray]:
        """The rows of each class that has been met, the first met first."""
        chunklet = self.closed.chunklet
        return [np.flatnonzero(chunklet == group) for group in self.closed.groups]

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which rows a question was about."""
        rows = np.zeros(self.n_samples, dtype=bool)
        for answer in self.given:
            rows[[answer.first, answer.second]] = True
        return rows

    def relation(self, first: int, second: int) -> str:
        """What follows for two rows: "together", "apart", or "unknown" if nothing is found to.

        Without `n_classes` nothing is overlooked; with it, elimination may miss something.
        """
        a, b = self.closed.chunklet[[first, second]].tolist()
        return TOGETHER if a == b else APART if (a, b) in self.closed.apart else UNKNOWN

    def open(self, first: int, second: int) -> bool:
        """Whether it is worth asking: nothing follows, and nobody has said *don't know*."""
        known = self.relation(first, second) != UNKNOWN
        return not known and frozenset((int(first), int(second))) not in self.doubtful

    def plus(self, first: int, second: int, reply: str) -> Answers:
        """The answers with one more, or `Contradiction`.

        With `n_classes` a reply can be impossible and yet be accepted: see `relation`.

        Parameters
        ----------
        first, second : int
            The rows.
        reply : {"together", "apart", "unknown"}
            The answer.

        Returns
        -------
        Answers
        """
        answer = self._checked(first, second, reply)
        known = self.relation(first, second)
        if UNKNOWN not in (reply, known) and reply != known:
            raise Contradiction(answer, self.reason(first, second))
        return replace(self, given=(*self.given, answer))

    def undone(self) -> Answers:
        """The answers without the last."""
        return replace(self, given=self.given[:-1])

    def reason(self, first: int, second: int) -> tuple[Answer, ...]:
        """The shortest chain of answers from which the relation of two rows follows; or ()."""
        if self.relation(first, second) != APART:
            return tuple(self._links(chain(self.must_link, first, second, self.n_samples)))
        must, chunklet = self.must_link, self.closed.chunklet
        ways: list[list[Answer]] = []
        for a, b in (*self.cannot_link.tolist(), *self.cannot_link[:, ::-1].tolist()):
            if chunklet[a] == chunklet[first] and chunklet[b] == chunklet[second]:
                before = self._links(chain(must, first, a, self.n_samples))
                after = self._links(chain(must, b, second, self.n_samples))
                ways.append([*before, Answer(a, b, APART), *after])
        shortest = min(ways, key=len)
        return tuple(shortest)

    def _links(self, rows: list[int]) -> Iterator[Answer]:
        """The must-links along a chain, each as it came about."""
        said = {frozenset(pair) for pair in self.answered(TOGETHER).tolist()}
        for a, b in pairwise(rows):
            yield Answer(a, b, TOGETHER if frozenset((a, b)) in said else ELIMINATED)

    def _checked(self, first: int, second: int, reply: str) -> Answer:
        if reply not in REPLIES:
            raise ValueError(f"reply is {reply!r}: give one of {', '.join(REPLIES)}")
        for name, row in (("first", first), ("second", second)):
            check_count(name, row, least=0)
            if row >= self.n_samples:
                raise ValueError(f"{name} is {row}, but the rows are 0 to {self.n_samples - 1}")
        if first == second:
            raise ValueError(f"first and second are both row {first}: ask about two rows")
        return Answer(int(first), int(second), reply)


def _both_ways(pairs: IntArray) -> frozenset[tuple[int, int]]:
    return frozenset((int(a), int(b)) for a, b in np.concatenate([pairs, pairs[:, ::-1]]))


def _groups(met: Iterator[int], apart: frozenset[tuple[int, int]]) -> tuple[int, ...]:
    """Chunklets that are all apart from one another, taken greedily in the order given."""
    groups: list[int] = []
    for chunklet in met:
        if all((chunklet, group) in apart for group in groups):
            groups.append(chunklet)
    return tuple(groups)


def _eliminated(
    chunklet: IntArray, apart: frozenset[tuple[int, int]], groups: tuple[int, ...],
    n_classes: int | None,
) -> IntArray:  # fmt: skip
    """Must-links of chunklets that are apart from all classes met but one, if all K are met."""
    links = []
    if len(groups) == n_classes:
        for other in {a for a, _ in apart} - set(groups):
            left = [group for group in groups if (other, group) not in apart]
            if len(left) == 1:
                links.append([int(np.argmax(chunklet == c)) for c in (other, left[0])])
    return np.array(sorted(links), dtype=np.intp).reshape(-1, 2)
