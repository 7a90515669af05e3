"""Why two streams of states part: the mistakes that leave a trace in the numbers, by name.

Each cause is a function of what the streams hold; it returns a sentence, or nothing when the trace
is not there. A sentence is given only when all states that were taken bear it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from umlbook.book.page.difference import Array, Measure, Unreadable, Value

Pair = tuple[Sequence[Value], Sequence[Value]]
"""One quantity along both streams."""

TIMES = {1: "one step", 2: "two steps"}


@dataclass(frozen=True)
class Evidence:
    """Two streams, quantity by quantity, and the step at which each quantity parts."""

    values: Mapping[str, Pair]
    parts: Mapping[str, int | None]
    measure: Measure

    @property
    def names(self) -> tuple[str, str]:
        """What the streams are called."""
        return self.measure.names

    def shift(self, name: str) -> int:
        """Return by how many steps a quantity runs late (negative: early); 0 when by none."""
        return next((k for k in (1, -1, 2, -2) if self._is_shifted(name, k)), 0)

    def _is_shifted(self, name: str, k: int) -> bool:
        mine, ours = self.values[name]
        late, early = (mine[k:], ours) if k > 0 else (mine, ours[-k:])
        pairs = list(zip(late, early, strict=False))
        moves = any(not self.measure.same(x, y) for x, y in zip(mine, ours, strict=False))
        varied = any(not self.measure.same(early[0], y) for _, y in pairs[1:])
        return moves and varied and all(self.measure.same(x, y) for x, y in pairs)

    def arrays(self, name: str) -> Iterator[tuple[Array, Array]]:
        """Yield the values of both streams, step by step; nothing when one cannot be read."""
        pairs = list(zip(*self.values[name], strict=False))
        if not any(isinstance(value, Unreadable) for pair in pairs for value in pair):
            yield from pairs  # type: ignore[misc]


def cause(evidence: Evidence, quantity: str) -> str:
    """Return the named cause of a difference in one quantity; empty when none is known."""
    for find in (_in_place, _float_labels, _whole_shift, _half_step, _transposed, _renamed,
                 _frozen, _constant, _factor):  # fmt: skip
        if found := find(evidence, quantity):
            return found
    return ""


def order(evidence: Evidence, quantity: str) -> str:
    """Return which quantities part together with this one, which follow, and which never do."""
    first = evidence.parts[quantity]
    others = {name: step for name, step in evidence.parts.items() if name != quantity}
    together = [name for name, step in others.items() if step == first]
    later = [f"{name} at step {n}" for name, n in others.items() if n is not None and n != first]
    never = [name for name, step in others.items() if step is None]
    if never and len(never) == len(others):
        return f"Nothing else differs: {listed(never)} {_verb('agree', never)} at every step taken."
    said = []
    if together:
        said.append(f"At this step {listed(together)} {_verb('differ', together)} as well.")
    if later:
        begin = "" if together else f"{quantity} parts first. "
        said.append(f"{begin}What parts later ({listed(later)}) can follow from it.")
    return " ".join(said)


def ending(lengths: tuple[int, int], names: tuple[str, str]) -> str:
    """Return the cause when the streams agree and one of them ends first."""
    mine, ours = names
    if lengths[0] < lengths[1]:
        return (
            f"{mine} is too short: the loop stops by itself after {lengths[0]} "
            f"state{'s' * (lengths[0] != 1)}. Let it yield again, or loosen its rule to stop."
        )
    return (
        f"{mine} is too long: it goes on where {ours} has stopped. Is a rule to stop missing, or "
        "is it tested after the yield?"
    )


# ------------------------------------------------------------------------------- the causes


def _in_place(evidence: Evidence, quantity: str) -> str:
    """All states hold one array, changed in place: each shows its last values, which are ours.

    A shared array alone is no proof: the loop may never write to it.
    """
    mine, ours = evidence.values[quantity]
    last = ours[min(len(mine), len(ours)) - 1]
    same = evidence.measure.same
    if not _is_shared(mine) or same(mine[0], ours[0]) or not same(mine[-1], last):
        return ""
    return (
        f"All states of {evidence.names[0]} hold one and the same array of {quantity}, changed in "
        f"place, so each of them shows its last values: yield a new array, {quantity}.copy()."
    )


def _is_shared(values: Sequence[Value]) -> bool:
    """Whether several states hold one and the same array."""
    first = values[0]
    return len(values) > 1 and all(
        isinstance(first, np.ndarray) and isinstance(x, np.ndarray) and np.shares_memory(first, x)
        for x in values[1:]
    )


def _float_labels(evidence: Evidence, quantity: str) -> str:
    for x, y in evidence.arrays(quantity):
        whole = x.shape == y.shape and x.ndim and x.dtype.kind == "f" and y.dtype.kind in "iu"
        if not whole or evidence.measure.far(x, y).any():
            return ""
        return (
            f"The {quantity} of {evidence.names[0]} have the right values as floats, which cannot "
            f"be used as an index: make them integers, {quantity}.astype(int)."
        )
    return ""


def _whole_shift(evidence: Evidence, quantity: str) -> str:
    """Every quantity runs late or early by the same number of steps."""
    (k, *others) = {evidence.shift(name) for name in evidence.values}
    if others or k == 0:
        return ""
    mine, ours = evidence.names
    if k > 0:
        return (
            f"{mine} starts {TIMES[k]} late: its step {k} is step 0 of {ours}, and so on. Is the "
            "start itself yielded, before the first update?"
        )
    return (
        f"{mine} starts {TIMES[-k]} early: its step 0 is step {-k} of {ours}, and so on. Is the "
        "first state lost, with an update before the loop or a yield after two?"
    )


def _half_step(evidence: Evidence, quantity: str) -> str:
    """One quantity is a step behind or ahead of the others."""
    k, first = evidence.shift(quantity), evidence.parts[quantity]
    on_time = [
        name
        for name, step in evidence.parts.items()
        if evidence.shift(name) == 0 and (step is None or first is None or step > first)
    ]
    if k == 0 or not on_time:
        return ""
    side = "behind" if k > 0 else "ahead of"
    when = "before" if k > 0 else "after"
    return (
        f"{quantity} of {evidence.names[0]} is {TIMES[abs(k)]} {side} {listed(on_time)}: the half "
        f"steps are swapped. {quantity} is yielded {when} its update; move the yield."
    )


def _transposed(evidence: Evidence, quantity: str) -> str:
    same = evidence.measure.same
    found = [x.ndim == 2 and same(x.T, y) for x, y in evidence.arrays(quantity)][:1]
    if found != [True]:
        return ""
    return f"{quantity} of {evidence.names[0]} is the transpose: rows and columns are swapped."


def _renamed(evidence: Evidence, quantity: str) -> str:
    """The same clusters under other names, at every step."""
    steps = list(evidence.arrays(quantity))
    if not steps or not all(is_renamed(x, y) for x, y in steps):
        return ""
    mine, ours = evidence.names
    x, y = next((x, y) for x, y in steps if (x != y).any())
    names = dict(sorted(set(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True))))
    if all(a == b + 1 for a, b in names.items()):
        return f"{quantity} of {mine} are numbered from 1, those of {ours} from 0: subtract 1."
    change = ", ".join(f"{a} to {b}" for a, b in names.items() if a != b)
    return (
        f"The clusters of {mine} are the same groups under other names, at every step: {quantity} "
        f"become those of {ours} by renaming {change}."
    )


def is_renamed(x: Array, y: Array) -> bool:
    """Whether two arrays of whole numbers are the same up to a one-to-one renaming."""
    if x.shape != y.shape or x.ndim == 0 or x.dtype.kind not in "iu" or y.dtype.kind not in "iu":
        return False
    pairs = set(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _frozen(evidence: Evidence, quantity: str) -> str:
    """A quantity is found once and never again."""
    mine, ours = evidence.values[quantity]
    same = evidence.measure.same
    if len(mine) < 2 or not all(same(mine[0], x) for x in mine[1:]) or not same(mine[0], ours[0]):
        return ""
    return (
        f"{quantity} of {evidence.names[0]} stay as they are at step 0: they are found once, "
        "outside the loop."
    )


def _constant(evidence: Evidence, quantity: str) -> str:
    """A quantity that moves in ours is the same in all states, and is not our first one.

    Once all states are taken, an array that nobody updates and one that is overwritten look alike.
    """
    mine, ours = evidence.values[quantity]
    same = evidence.measure.same
    if len(mine) < 2 or not all(same(mine[0], x) for x in mine):
        return ""
    if all(same(ours[0], y) for y in ours[: len(mine)]):
        return ""
    begin = f"All states of {evidence.names[0]} hold the same {quantity}: "
    if not _is_shared(mine):
        return f"{begin}the loop does not change {quantity} from step to step."
    return (
        f"{begin}either the loop never updates {quantity}, or it overwrites one array, of which "
        f"all states show the last values (then yield {quantity}.copy())."
    )


def _factor(evidence: Evidence, quantity: str) -> str:
    """One factor turns a quantity into ours, at every step."""
    pairs = list(evidence.arrays(quantity))
    if not pairs or any(x.shape != y.shape or x.dtype.kind not in "iuf" for x, y in pairs):
        return ""
    x = np.concatenate([x.ravel() for x, _ in pairs]).astype(float)
    y = np.concatenate([y.ravel() for _, y in pairs]).astype(float)
    if pairs[0][1].dtype.kind != "f" or np.ptp(y) <= 1e-6 * np.abs(y).max(initial=0.0):
        return ""  # equal numbers are a multiple of each other whatever the cause
    factor = float(x @ y / (y @ y))
    if factor == 0 or not evidence.measure.same(x, factor * y):
        return ""
    words = {-1.0: "minus", 2.0: "twice", 0.5: "half of"}.get(
        round(factor, 6), f"{factor:.4g} times"
    )
    return (
        f"{quantity} of {evidence.names[0]} is {words} that of {evidence.names[1]} at every step."
    )


def _verb(plural: str, subjects: Sequence[str]) -> str:
    return plural if len(subjects) > 1 or subjects[0].endswith("s") else f"{plural}s"


def listed(words: Sequence[str]) -> str:
    """Return words as in a sentence.

    >>> listed(["labels", "centers", "psi"])
    'labels, centers and psi'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
