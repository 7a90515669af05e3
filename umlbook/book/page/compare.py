"""Two streams of states side by side: the first step and quantity at which they part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

import ipywidgets as widgets
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from umlbook.book.page.figures import image_html, new_figure, png_bytes
from umlbook.book.page.invariants import State
from umlbook.book.page.stepper import Draw, Quantities, draw_titled, readers, scrubber


@dataclass(frozen=True)
class StreamComparison:
    """Two streams side by side and the first step at which they part.

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
    draw : callable or None
        ``draw(ax, state)``, for the pictures.
    """

    step: int | None
    quantity: str | None
    says: str
    streams: Mapping[str, Sequence[State]]
    draw: Draw | None = None

    @property
    def agree(self) -> bool:
        """Whether no difference was found."""
        return self.step is None

    def __bool__(self) -> bool:
        return self.agree

    def __repr__(self) -> str:
        return self.says

    def figure(self, step: int | None = None) -> Figure:
        """Return both streams at one step, by default the one at which they part."""
        if self.draw is None:
            raise ValueError("compare was given no draw: pass draw=, a function of (ax, state)")
        at = (self.step or 0) if step is None else step
        fig, axes = new_figure(7.6, 3.5, ncols=2)
        for ax, (name, states) in zip(axes, self.streams.items(), strict=True):
            if at < len(states):
                draw_titled(ax, self.draw, states[at], f"{name}, step {at}")
            else:
                ax.set_axis_off()
                ax.text(0.5, 0.5, f"{name} has no step {at}", ha="center", transform=ax.transAxes)
        return fig

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        texts = {"text/html": f"<p><b>{escape(self.says)}</b></p>", "text/plain": self.says}
        longest = max(map(len, self.streams.values()))
        if self.draw is None or longest == 0:
            return texts
        pictures = [image_html(png_bytes(self.figure(step)), f"Both streams at step {step}")
                    for step in range(longest)]  # fmt: skip
        start = min(self.step or 0, longest - 1)
        box = scrubber(self.says, [widgets.HTML(picture) for picture in pictures], [], start)
        return {**box._repr_mimebundle_(), **texts}


def compare(
    states_a: Iterable[State],
    states_b: Iterable[State],
    *,
    quantities: Quantities = ("labels", "objective"),
    rtol: float = 1e-6,
    atol: float = 1e-9,
    names: tuple[str, str] = ("yours", "ours"),
    draw: Draw | None = None,
    max_steps: int = 50,
) -> StreamComparison:
    """Return the first step and quantity at which two streams of states part.

    Parameters
    ----------
    states_a, states_b : iterable
        The streams. An exception raised by one of them is a finding, not an error.
    quantities : sequence of str, or mapping of str to callable
        What to compare, in this order: numbers or arrays. Integers, truth values and texts are
        compared exactly, floats within the tolerances.
    rtol, atol : float
        Tolerances relative to the largest magnitude of the quantity, and absolute.
    names : tuple of two str
        What to call the streams.
    draw : callable, optional
        ``draw(ax, state)``, for the two pictures side by side.
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
    """
    read_by_name = readers(quantities)
    (a, error_a), (b, error_b) = _taken(states_a, max_steps), _taken(states_b, max_steps)
    streams = dict(zip(names, (a, b), strict=True))
    for step, (left, right) in enumerate(zip(a, b, strict=False)):
        for name, read in read_by_name.items():
            reason = _difference(read, left, right, name, names, rtol, atol)
            if reason:
                return StreamComparison(step, name, f"step {step}: {reason}", streams, draw)
    step = min(len(a), len(b))
    ending = _ending(names, (len(a), len(b)), (error_a, error_b))
    if ending:
        return StreamComparison(step, None, f"step {step}: {ending}", streams, draw)
    length = f"all {step}" if step < max_steps else f"the first {step}"
    return StreamComparison(None, None, f"agree on {length} steps", streams, draw)


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


def _difference(
    read: Callable[[State], Any], a: State, b: State, name: str, names: tuple[str, str],
    rtol: float, atol: float,
) -> str:  # fmt: skip
    """Return in words how a quantity of two states differs; empty when it does not."""
    found = []
    for state, who in zip((a, b), names, strict=True):
        try:
            found.append(np.asarray(read(state)))
        except Exception as error:  # the state is a reader's own: any flaw of it is the finding
            return f"{name} of {who} cannot be read ({type(error).__name__}: {error})"
    x, y = found
    if x.shape != y.shape:
        return f"{name} has shape {x.shape} in {names[0]} but {y.shape} in {names[1]}"
    if x.dtype.kind in "biuf" and y.dtype.kind in "biuf" and "f" in x.dtype.kind + y.dtype.kind:
        return _float_difference(x.astype(float), y.astype(float), name, names, rtol, atol)
    unequal = int((x != y).sum())
    if unequal == 0:
        return ""
    if x.ndim == 0:
        return f"{name} differs"
    renamed = " (the same groups under other names)" if _same_partition(x, y) else ""
    return f"{name} differ at {unequal} of {x.size} points{renamed}"


def _float_difference(
    x: NDArray[np.float64], y: NDArray[np.float64], name: str, names: tuple[str, str],
    rtol: float, atol: float,
) -> str:  # fmt: skip
    scale = float(np.abs(y[np.isfinite(y)]).max(initial=0.0))
    far = ~np.isclose(x, y, rtol=0.0, atol=atol + rtol * scale, equal_nan=True)
    if not far.any():
        return ""
    if not np.isfinite(x[far]).all():
        return f"{name} is not finite in {names[0]}"
    worst = float(np.abs(x - y)[far].max())
    if x.ndim == 0:
        side = "larger" if x > y else "smaller"
        return f"{name} is {side} in {names[0]} by {worst:.3g}"
    return f"{name} differs in {far.sum()} of {x.size} entries, by at most {worst:.3g}"


def _same_partition(x: NDArray[Any], y: NDArray[Any]) -> bool:
    pairs = set(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
