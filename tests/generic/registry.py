"""The claims that are tried on generated inputs, and how far each is missed.

``@claim("cpd.10", "L orthonormal")`` registers a function of a `Problem` for an entry of the
ledger and says what its inputs are special in, in words of `problems.WORDS`. It returns

- ``(left, right)`` for an equation,
- ``(left, "<=", right)`` for a bound, entry by entry,
- a boolean for anything else,
- or a list of these, which must all hold.

An entry may have several claims: a part of it that needs fewer words is claimed by itself.

The sides are written from the formula on the page; where a side is a function of the package, the
other is the formula.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generic.problems import WORDS, Problem, draws

HOLDS, BREAKS = 1e-7, 1e-4
"""A relative error below the first holds, above the second is a clear miss."""

UNDEFINED = (np.linalg.LinAlgError, ValueError, ArithmeticError)


@dataclass(frozen=True)
class Claim:
    """A function of a problem, with the entry that it stands for and the words it needs."""

    id: str
    words: frozenset[str]
    form: Callable[[Problem], object]

    def misses(self, words: frozenset[str] | None = None) -> list[float]:
        """Return how far each draw misses, of the claim's own class or of another."""
        return [max(self._misses(p)) for p in draws(self.words if words is None else words)]

    def equations_without(self, word: str) -> list[float]:
        """Return how far each of its equations is missed, at worst, when a word is dropped."""
        rows = [self._misses(p) for p in draws(self.words - {word})]
        return [
            max(row[k] if k < len(row) else np.inf for row in rows)
            for k, part in enumerate(parts(self.form(draws(self.words)[0])))
            if isinstance(part, tuple) and len(part) == 2
        ]

    def _misses(self, p: Problem) -> list[float]:
        """The misses of the parts; a single infinity where the claim is undefined."""
        try:
            with np.errstate(all="ignore"):
                return list(map(miss, parts(self.form(p))))
        except UNDEFINED:
            return [np.inf]


REGISTRY: list[Claim] = []
EXCUSED: dict[str, str] = {}
"""Entries without a function of a problem, each with the reason."""


def claim(id: str, *words: str) -> Callable[[Callable[[Problem], object]], Callable]:
    """Register a function of a problem as what entry `id` says of inputs with these words."""
    if unknown := set(words) - WORDS.keys():
        raise ValueError(f"{id}: no such words: {sorted(unknown)}; problems.WORDS lists all")

    def register(form: Callable[[Problem], object]) -> Callable[[Problem], object]:
        if any((c.id, c.words) == (id, frozenset(words)) for c in REGISTRY):
            raise ValueError(f"{id} is claimed twice of the same inputs")
        REGISTRY.append(Claim(id, frozenset(words), form))
        return form

    return register


def excuse(reason: str, *ids: str) -> None:
    """Register entries that no function of a problem can stand for, with the reason."""
    EXCUSED.update(dict.fromkeys(ids, reason))


def parts(form: object) -> list[object]:
    """Return what a claim says, one by one."""
    return form if isinstance(form, list) else [form]


def miss(form: object) -> float:
    """Return the relative error of an equation or bound, 0 or infinity for a truth value.

    The scale is the largest entry in absolute value of either side; shapes must be equal.
    """
    match form:
        case bool() | np.bool_():
            return 0.0 if form else np.inf
        case (left, "<=", right):
            excess = np.asarray(left, float) - np.asarray(right, float)
            return _relative(np.maximum(excess, 0), left, right)
        case (left, right):
            a, b = np.asarray(left), np.asarray(right)
            if a.shape != b.shape:
                raise TypeError(f"sides of shape {a.shape} and {b.shape}")
            return _relative(np.abs(a - b), a, b)
    raise TypeError(f"no form of a claim: {form!r:.60}")


def _relative(gap: object, *sides: object) -> float:
    if not all(np.isfinite(side).all() for side in sides):
        return np.inf
    largest = float(np.max(gap))
    scale = max(float(np.max(np.abs(side))) for side in sides)
    return largest / scale if largest else 0.0
