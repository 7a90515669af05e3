"""Two streams of states side by side: the first step and quantity at which they part, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import islice
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from umlbook.book.page import causes
from umlbook.book.page.difference import Difference, Measure, read_values
from umlbook.book.page.figures import Picture, image_html, png_bytes
from umlbook.book.page.invariants import State
from umlbook.book.page.side_by_side import SideBySide
from umlbook.book.page.stepper import Draw, Quantities, readers, scrubber
from umlbook.book.page.tables import Table, table
from umlbook.book.page.twin import Twinned, live_view

DRAWN = 8
"""The most steps of which a slider shows the picture: those around the one that matters."""


@dataclass(frozen=True)
class StreamComparison(Twinned):
    """Two streams side by side, the first step at which they part, and the cause if it has a name.

    As a truth value it says whether the streams agree.

    Attributes
    ----------
    step : int or None
        That step; None when they agree.
    quantity : str or None
        What differs there; None when one stream merely ends or fails before the other.
    says : str
        The finding in words.
    streams : mapping of str to list
        The states of each stream, by its name.
    cause : str
        What made them part, in a sentence; empty when no known mistake fits.
    notes : tuple of str
        More to say: which quantities follow, on which data.
    differences : tuple of Difference
        Every quantity that differs at the step.
    pictures : SideBySide or None
        Draws both streams at a step; None when there is nothing to draw.
    accepted : bool or None
        The verdict of someone who knows better than the numbers alone, such as an exercise.
    """

    step: int | None
    quantity: str | None
    says: str
    streams: Mapping[str, Sequence[State]]
    cause: str = ""
    notes: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    pictures: SideBySide | None = None
    accepted: bool | None = None

    @property
    def agree(self) -> bool:
        """Whether no difference was found, or none that counts."""
        return self.step is None if self.accepted is None else self.accepted

    def __bool__(self) -> bool:
        return self.agree

    def table(self) -> Table | None:
        """Return the values that differ at the step; None when none can be shown."""
        rows = [(found.quantity, *found.cells) for found in self.differences if any(found.cells)]
        heads = ("quantity", *self.streams, "where", "entries that differ")
        if not rows:
            return None
        return table(dict(zip(heads, map(list, zip(*rows, strict=True)), strict=True)))

    @property
    def _words(self) -> list[str]:
        named = [f"Cause: {self.cause}"] if self.cause else []
        return [*named, *self.notes]

    def __repr__(self) -> str:
        values = self.table()
        return "\n".join([self.says, *self._words, *([str(values)] if values else [])])

    def figure(self, step: int | None = None) -> Figure:
        """Return both streams at one step, by default the one at which they part."""
        if self.pictures is None:
            raise ValueError("there is nothing to draw: the streams agree, and no draw was given")
        return self.pictures.figure((self.step or 0) if step is None else step)

    @property
    def sentence(self) -> str:
        """What the picture at the parting shows."""
        names = " and ".join(self.streams)
        return f"{names.capitalize()} side by side at {self.says}."

    @cached_property
    def _png(self) -> bytes:
        return png_bytes(self.figure())

    def _html(self) -> str:
        values = self.table()
        return (
            f"<p><b>{escape(self.says)}</b></p>"
            + "".join(f"<p>{escape(words)}</p>" for words in self._words)
            + (values.html() if values else "")
        )

    def _twin_picture(self) -> Picture | None:
        return Picture(self._png, self.sentence) if self.step is not None else None

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        texts = {"text/html": self._html(), "text/plain": repr(self)}
        longest = max(map(len, self.streams.values()))
        if self.pictures is None or longest == 0:
            return texts
        start = min(self.step or 0, longest - 1)
        panels = [self._panel(step, start, longest) for step in range(longest)]
        below = (
            self._html().partition("</p>")[2].replace("<table>", '<table style="margin-left:0">')
        )
        words = widgets.HTML(below)
        words.add_class("jp-RenderedHTMLCommon")  # tables as elsewhere on the page
        return {**live_view(scrubber(self.says, panels, [words], start)), **texts}

    def _panel(self, step: int, start: int, longest: int) -> widgets.HTML:
        """Return the picture of a step, or, far from the one that matters, a sentence."""
        first = max(0, min(start - DRAWN // 2, longest - DRAWN))
        if not first <= step < first + DRAWN:
            return widgets.HTML(f"Step {step} is far from step {start}, and not drawn.")
        png = self._png if step == self.step else png_bytes(self.figure(step))
        return widgets.HTML(image_html(png, f"Both streams at step {step}. {self.says}"))


def compare(
    states_a: Iterable[State],
    states_b: Iterable[State],
    *,
    quantities: Quantities = ("labels", "objective"),
    rtol: float = 1e-6,
    atol: float = 1e-9,
    names: tuple[str, str] = ("yours", "ours"),
    draw: Draw | None = None,
    points: ArrayLike | None = None,
    max_steps: int = 50,
) -> StreamComparison:
    """Return the first step and quantity at which two streams of states part, and why.

    Parameters
    ----------
    states_a, states_b : iterable
        The streams: dataclasses, named tuples, dictionaries or other objects with the names of the
        quantities. An exception raised by a stream is a finding, not an error.
    quantities : sequence of str, or mapping of str to callable
        What to compare, in this order: numbers or arrays. Integers, truth values and texts are
        compared exactly, floats within the tolerances.
    rtol, atol : float
        Tolerances relative to the largest magnitude of the quantity, and absolute.
    names : tuple of two str
        What to call the streams.
    draw : callable, optional
        ``draw(ax, state)``, for the two pictures side by side. By default they show the points
        with the labels of the state, or else the quantity that differs.
    points : array-like of shape (n, 2), optional
        The points that are clustered, if they lie in the plane.
    max_steps : int, default=50
        The most states to take from each.

    Returns
    -------
    StreamComparison
        True as a truth value when the streams agree.

    Examples
    --------
    >>> ours = [{"labels": [0, 0, 1]}, {"labels": [0, 1, 1]}]
    >>> yours = [{"labels": [0, 0, 1]}, {"labels": [0, 0, 1]}]
    >>> compare(yours, ours, quantities=["labels"])
    step 1: labels differ at 1 of 3 points
    Cause: labels of yours stay as they are at step 0: they are found once, outside the loop.
    quantity  yours  ours  where    entries that differ
    labels    0      1     point 1  1 of 3
    """
    (a, error_a), (b, error_b) = _taken(states_a, max_steps), _taken(states_b, max_steps)
    streams = dict(zip(names, (a, b), strict=True))
    evidence, found = _evidence(a, b, quantities, Measure(rtol, atol, names))
    steps = [step for step in evidence.parts.values() if step is not None]
    step = min(steps) if steps else min(len(a), len(b))
    quantity = next((name for name in evidence.parts if evidence.parts[name] == step), None)
    pictures = SideBySide((a, b), evidence, quantity, draw, points)
    if quantity is not None:
        here = tuple(found[name] for name in found if evidence.parts[name] == step)
        order = causes.order(evidence, quantity)
        return StreamComparison(
            step, quantity, f"step {step}: {here[0].says}", streams,
            causes.cause(evidence, quantity), (order,) if order else (), here, pictures,
        )  # fmt: skip
    lengths = (len(a), len(b))
    if ending := _ending(names, lengths, (error_a, error_b)):
        why = "" if error_a or error_b else causes.ending(lengths, names)
        says = f"step {step}: {ending}"
        return StreamComparison(step, None, says, streams, why, pictures=pictures)
    length = f"all {step}" if step < max_steps else f"the first {step}"
    shown = pictures if draw is not None else None
    return StreamComparison(None, None, f"agree on {length} steps", streams, pictures=shown)


def _evidence(
    a: Sequence[State], b: Sequence[State], quantities: Quantities, measure: Measure
) -> tuple[causes.Evidence, dict[str, Difference]]:
    """Return all values of both streams, and how each quantity differs where it parts first."""
    values = {
        name: (read_values(read, a), read_values(read, b))
        for name, read in readers(quantities).items()
    }
    parts: dict[str, int | None] = dict.fromkeys(values)
    found = {}
    for name, (mine, ours) in values.items():
        for step, (x, y) in enumerate(zip(mine, ours, strict=False)):
            if difference := measure.difference(name, x, y):
                parts[name], found[name] = step, difference
                break
    return causes.Evidence(values, parts, measure), found


def noted(found: StreamComparison, *notes: str, cause: str, accepted: bool) -> StreamComparison:
    """Return a comparison with more to say, and with the verdict of one who knows better.

    A `cause` replaces the one that was found in the numbers alone.
    """
    said = f"{cause[:1].upper()}{cause[1:]}." if cause else found.cause
    return replace(found, notes=(*found.notes, *notes), cause=said, accepted=accepted)


def _taken(states: Iterable[State], max_steps: int) -> tuple[list[State], str]:
    """Return the first states of a stream and, if it raised, what it raised."""
    taken: list[State] = []
    try:
        taken.extend(islice(states, max_steps))  # keeps what came before an exception
    except Exception as error:  # a reader's stream may raise anything, and that is the finding
        return taken, f"{type(error).__name__}: {error}"
    return taken, ""


def _ending(names: tuple[str, str], lengths: tuple[int, int], errors: tuple[str, str]) -> str:
    """Return how two streams that agree so far end differently; empty when they do not."""
    shorter = min(lengths)
    for name, length, error in zip(names, lengths, errors, strict=True):
        if error and length == shorter:
            return f"{name} raised {error}"
    if lengths[0] == lengths[1]:
        return ""
    first, second = names if lengths[0] < lengths[1] else names[::-1]
    return f"{first} ends here, {second} goes on"
