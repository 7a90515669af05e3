"""Promises that an algorithm keeps from state to state: the lamps of the stepper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

State = Any
"""Whatever a stream yields: a frozen dataclass of ours, or a reader's own object or mapping."""
Invariant = Callable[[State | None, State], bool | None]
"""Whether a step keeps a promise, from the state before (None at first) and the state after it;
None where it cannot be said yet."""


def value_of(state: State, name: str) -> Any:
    """Return a named part of a state, be it an attribute or, in a mapping, an entry."""
    if isinstance(state, Mapping):
        if name in state:
            return state[name]
        parts = list(state)
    else:
        if hasattr(state, name):
            return getattr(state, name)
        named = getattr(
            state, "_fields", getattr(state, "__dict__", ())
        )  # of a named tuple, or not
        parts = [part for part in named if not part.startswith("_")]
    has = (
        f"it has {', '.join(map(str, parts))}"
        if parts
        else f"a {type(state).__name__} has no names"
    )
    raise AttributeError(f"a state has no {name!r}; {has}")


def monotone(name: str = "objective", sign: int = -1, *, rtol: float = 1e-9) -> Invariant:
    """Return the invariant that a quantity never rises (`sign` -1) or never falls (`sign` 1)."""

    def keeps_direction(before: State | None, after: State) -> bool | None:
        if before is None:
            return None
        old, new = float(value_of(before, name)), float(value_of(after, name))
        return bool(sign * (new - old) >= -rtol * max(abs(old), abs(new)))

    return keeps_direction


def psd(name: str = "metric", *, atol: float = 1e-9) -> Invariant:
    """Return the invariant that a matrix is symmetric and has no negative eigenvalue."""

    def is_psd(before: State | None, after: State) -> bool:
        A = np.asarray(value_of(after, name), dtype=float)
        slack = atol * max(float(np.abs(A).max(initial=0.0)), 1.0)
        symmetric = bool((np.abs(A - A.T) <= slack).all())
        return symmetric and bool(np.linalg.eigvalsh(A)[0] >= -slack)

    return is_psd


def on_simplex(name: str = "weights", *, atol: float = 1e-9) -> Invariant:
    """Return the invariant that weights are nonnegative and sum to one."""

    def is_on_simplex(before: State | None, after: State) -> bool:
        w = np.asarray(value_of(after, name), dtype=float)
        return bool((w >= -atol).all() and abs(w.sum() - 1) <= atol * max(w.size, 1))

    return is_on_simplex


def rows_sum_to_one(name: str = "Z", *, atol: float = 1e-9) -> Invariant:
    """Return the invariant that every row of a matrix sums to one."""

    def has_unit_rows(before: State | None, after: State) -> bool:
        rows = np.asarray(value_of(after, name), dtype=float).sum(axis=1)
        return bool((np.abs(rows - 1) <= atol).all())

    return has_unit_rows


def orthonormal(name: str = "Y", *, atol: float = 1e-9) -> Invariant:
    """Return the invariant that the columns of a matrix are orthonormal."""

    def is_orthonormal(before: State | None, after: State) -> bool:
        Y = np.asarray(value_of(after, name), dtype=float)
        return bool((np.abs(Y.T @ Y - np.eye(Y.shape[1])) <= atol).all())

    return is_orthonormal
