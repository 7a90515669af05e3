"""How one quantity of two states differs: in words, and as a row of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umlbook.book.page.invariants import State

Array = NDArray[Any]


@dataclass(frozen=True)
class Unreadable:
    """A quantity that could not be read from a state, and why."""

    why: str


Value = Array | Unreadable


@dataclass(frozen=True)
class Difference:
    """How a quantity differs between two states.

    Attributes
    ----------
    quantity : str
        Its name.
    says : str
        The difference in words.
    cells : tuple of str
        The value in each stream at the entry that differs most, where that entry is, and how many
        entries differ; texts, empty where there is nothing to say.
    """

    quantity: str
    says: str
    cells: tuple[str, str, str, str] = ("", "", "", "")


@dataclass(frozen=True)
class Measure:
    """When two values count as equal, and what the two streams are called."""

    rtol: float
    atol: float
    names: tuple[str, str]

    def same(self, x: Value, y: Value) -> bool:
        """Whether two values are equal: floats within the tolerances, all others exactly."""
        if isinstance(x, Unreadable) or isinstance(y, Unreadable) or x.shape != y.shape:
            return False
        return not self.far(x, y).any()

    def far(self, x: Array, y: Array) -> NDArray[np.bool_]:
        """Return which entries of two arrays of one shape differ."""
        if not _has_floats(x, y):
            return np.asarray(x != y)
        a, b = x.astype(float), y.astype(float)
        scale = float(np.abs(b[np.isfinite(b)]).max(initial=0.0))
        close = np.isclose(a, b, rtol=0.0, atol=self.atol + self.rtol * scale, equal_nan=True)
        return np.asarray(~close)

    def difference(self, name: str, x: Value, y: Value) -> Difference | None:
        """Return how a quantity differs; None when it does not."""
        for value, who in zip((x, y), self.names, strict=True):
            if isinstance(value, Unreadable):
                return Difference(name, f"{name} of {who} cannot be read ({value.why})")
        assert not isinstance(x, Unreadable) and not isinstance(y, Unreadable)
        if x.shape != y.shape:
            mine, theirs = self.names
            says = f"{name} has shape {x.shape} in {mine} but {y.shape} in {theirs}"
            return Difference(name, says, (str(x.shape), str(y.shape), "shape", ""))
        far = self.far(x, y)
        if far.any():
            return Difference(name, self._says(name, x, y, far), _cells(name, x, y, far))
        if x.ndim and x.dtype.kind == "f" and y.dtype.kind in "iu":
            says = f"{name} are floats in {self.names[0]}, integers in {self.names[1]}"
            return Difference(name, says, ("floats", "integers", "type", ""))
        return None

    def _says(self, name: str, x: Array, y: Array, far: NDArray[np.bool_]) -> str:
        if not _has_floats(x, y):
            return (
                f"{name} differ at {far.sum()} of {x.size} points" if x.ndim else f"{name} differs"
            )
        if not np.isfinite(x[far].astype(float)).all():
            return f"{name} is not finite in {self.names[0]}"
        worst = float(np.abs(x.astype(float) - y)[far].max())
        if x.ndim == 0:
            side = "larger" if x > y else "smaller"
            return f"{name} is {side} in {self.names[0]} by {worst:.3g}"
        return f"{name} differs in {far.sum()} of {x.size} entries, by at most {worst:.3g}"


def read_values(read: Callable[[State], Any], states: Sequence[State]) -> list[Value]:
    """Return one quantity along a stream."""
    return [_read(read, state) for state in states]


def _read(read: Callable[[State], Any], state: State) -> Value:
    try:
        return np.asarray(read(state))
    except Exception as error:  # the state is a reader's own: any flaw of it is the finding
        return Unreadable(f"{type(error).__name__}: {error}")


def _has_floats(x: Array, y: Array) -> bool:
    kinds = x.dtype.kind + y.dtype.kind
    return set(kinds) <= set("biuf") and "f" in kinds


def worst_entry(x: Array, y: Array, far: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return where two arrays differ most, or first, where there is no size of a difference."""
    gap = far.astype(float)
    if _has_floats(x, y):
        with np.errstate(invalid="ignore"):
            gap = np.where(far, np.abs(x.astype(float) - y), 0.0)
        gap[far & ~np.isfinite(gap)] = np.inf
    # The first among equals, up to rounding: noise in the last digits must not choose the entry.
    at = int(np.argmax(gap.ravel() >= gap.max() * (1 - 1e-6)))
    return tuple(int(i) for i in np.unravel_index(at, x.shape))


def _cells(name: str, x: Array, y: Array, far: NDArray[np.bool_]) -> tuple[str, str, str, str]:
    at = worst_entry(x, y, far)
    count = f"{far.sum()} of {far.size}" if x.ndim else ""
    return shown(x[at]), shown(y[at]), _place(name, at), count


def _place(name: str, at: tuple[int, ...]) -> str:
    if len(at) == 1:
        return f"{'point' if name == 'labels' else 'entry'} {at[0]}"
    if len(at) == 2:
        return f"row {at[0]}, column {at[1]}"
    return str(at) if at else ""


def shown(value: Any) -> str:
    """Return one entry as text, with four digits."""
    if isinstance(value, float | np.floating):
        return f"{float(value) + 0.0:.4g}"
    return str(value)
