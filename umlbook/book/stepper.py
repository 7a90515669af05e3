"""The algorithm debugger: scrub through the states of an algorithm, or set two runs side by side.

An algorithm is a generator of states (`estimator.steps(X)`). `stepper` draws every state beforehand
and lets a slider choose among the pictures in the browser, so it moves without a kernel; in print
it is the table of iterations. `compare` names the first step at which two streams part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import islice
from typing import Any, cast

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from umlbook.book.draw import draw_path
from umlbook.book.figures import INK, image_html, new_figure, pixels, png_bytes, styled
from umlbook.book.tables import Table, formatted_column, table

State = Any
"""Whatever a stream yields: a frozen dataclass of ours, or a reader's own object or mapping."""
Draw = Callable[[Axes, State], object]
Quantities = Sequence[str] | Mapping[str, Callable[[State], Any]]
Invariant = Callable[[State | None, State], bool | None]
"""Whether a step keeps a promise, from the state before (None at first) and the state after it;
None where it cannot be said yet."""
Equations = Sequence[str] | Callable[[State], str | Sequence[str]]

LAMPS = {
    True: ("✓", "holds", "#00694B"),
    False: ("✗", "broken", "#A6341B"),
    None: ("–", "not yet", "#595959"),
}


# ---------------------------------------------------------------- invariants


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


# ------------------------------------------------------------------- stepper


class _MarkedPaths:
    """The paths of all quantities, drawn once; each step only draws its rings over them."""

    def __init__(self, values: Mapping[str, Sequence[float]]) -> None:
        self.paths = list(values.values())
        fig, axes = new_figure(3.3, 3.5, nrows=len(values), sharex=True, squeeze=False)
        look = {"marker": "o", "ms": 11, "mfc": "none", "mec": INK, "mew": 1.8}
        self.rings = []
        for ax, (name, path) in zip(axes[:, 0], values.items(), strict=True):
            draw_path(ax, path, label=name, sign=0)
            ax.label_outer()
            self.rings += ax.plot(0, path[0], animated=True, **look)  # left out of the background
        pixels(fig)
        self.canvas = cast(FigureCanvasAgg, fig.canvas)
        self.background = self.canvas.copy_from_bbox(fig.bbox)

    def pixels(self, step: int) -> NDArray[np.uint8]:
        """Return the paths with the given step ringed."""
        self.canvas.restore_region(self.background)
        for ring, path in zip(self.rings, self.paths, strict=True):
            ring.set_data([step], [path[step]])
            ring.axes.draw_artist(ring)
        return np.array(self.canvas.buffer_rgba())[..., :3]


class Stepper:
    """States of an algorithm, as a widget that moves without a kernel and as a table.

    Attributes
    ----------
    states : tuple
        The states.
    values : dict of str to list of float
        Each quantity along the states.
    lamps : dict of str to list of {True, False, None}
        Each invariant along the states.
    complete : bool
        False when `max_steps` cut the stream.
    """

    def __init__(
        self,
        states: Iterable[State],
        draw: Draw | None,
        quantities: Quantities,
        equations: Equations | None,
        invariants: Mapping[str, Invariant] | None,
        title: str,
        max_steps: int,
    ) -> None:
        self.states, self.complete = _first_states(states, max_steps)
        self.draw, self.equations, self.title = draw, equations, title
        readers = _readers(quantities)
        self.values = {
            name: [_scalar(read(state), name) for state in self.states]
            for name, read in readers.items()
        }
        if draw is None and not readers:
            raise ValueError("nothing to show: give draw, quantities, or both")
        before = (None, *self.states[:-1])
        self.lamps = {
            name: [_lamp(keeps(old, new)) for old, new in zip(before, self.states, strict=True)]
            for name, keeps in (invariants or {}).items()
        }
        self._paths: _MarkedPaths | None = None
        self._widget: widgets.VBox | None = None

    @property
    def broken(self) -> dict[str, list[int]]:
        """The steps at which each invariant is broken; empty when all hold."""
        steps = {
            name: [step for step, lamp in enumerate(lamps) if lamp is False]
            for name, lamps in self.lamps.items()
        }
        return {name: found for name, found in steps.items() if found}

    def table(self) -> Table:
        """Return the table of iterations."""
        columns: dict[str, Sequence[object]] = {"step": range(len(self.states)), **self.values}
        for name, lamps in self.lamps.items():
            columns[name] = [LAMPS[lamp][1] for lamp in lamps]
        return table(columns, digits=6)

    def __repr__(self) -> str:
        return f"{self._heading()}\n{self.table()}"

    def _heading(self) -> str:
        n = len(self.states)
        length = f"{n} state{'s' * (n > 1)}" if self.complete else f"the first {n} states"
        return f"{self.title}: {length}" if self.title else length

    @styled
    def figure(self, steps: Sequence[int] = (0, 1, -1)) -> Figure:
        """Return the chosen states side by side, above the paths: the static twin, for `show`.

        Parameters
        ----------
        steps : sequence of int
            The states to draw; negative ones count from the end, those that repeat or lie beyond
            the end are left out.
        """
        n = len(self.states)
        chosen = sorted({step % n for step in steps if -n <= step < n}) if self.draw else []
        rows = [row for row in (chosen, list(self.values)) if row]
        fig = Figure(figsize=(9.0, 1.0 + 2.1 * len(rows)), layout="constrained")
        parts = fig.subfigures(len(rows), 1, squeeze=False)[:, 0]
        if chosen:
            axes = parts[0].subplots(1, len(chosen), squeeze=False)[0]
            for ax, step in zip(axes, chosen, strict=True):
                self._draw_state(ax, step)
        if self.values:
            axes = parts[-1].subplots(1, len(self.values), squeeze=False)[0]
            for ax, (name, path) in zip(axes, self.values.items(), strict=True):
                draw_path(ax, path, label=name, sign=0)
        return fig

    def pixels(self, step: int) -> NDArray[np.uint8]:
        """Return the picture of one state beside the paths on which it is marked."""
        parts = []
        if self.draw:
            fig, ax = new_figure(4.3, 3.5)
            self._draw_state(ax, step)
            parts.append(pixels(fig))
        if self.values:
            if self._paths is None:
                self._paths = _MarkedPaths(self.values)
            parts.append(self._paths.pixels(step))
        return np.concatenate(parts, axis=1)

    def _draw_state(self, ax: Axes, step: int) -> None:
        if self.draw is not None:
            _draw_titled(ax, self.draw, self.states[step], f"step {step}")

    def sentence(self, step: int) -> str:
        """Return what one step shows, in words: its quantities and its lamps."""
        parts = [
            f"{name} {formatted_column(values, 6)[step]}" for name, values in self.values.items()
        ]
        parts += [f"{name}: {LAMPS[lamps[step]][1]}" for name, lamps in self.lamps.items()]
        return f"Step {step} of {len(self.states) - 1}: " + "; ".join(parts)

    def panel(self, step: int) -> widgets.VBox:
        """Return the widget of one step: picture, equation, quantities and lamps."""
        alt = ". ".join(filter(None, [self.title, self.sentence(step)]))
        children = [widgets.HTML(image_html(png_bytes(self.pixels(step)), alt))]
        if callable(self.equations):
            children.append(_equation_widget(self.equations(self.states[step])))
        children.append(widgets.HTML(self._readout(step)))
        return widgets.VBox(children)

    def _readout(self, step: int) -> str:
        numbers = " &nbsp; ".join(
            f"{escape(name)} = <b>{escape(formatted_column(values, 6)[step])}</b>"
            for name, values in self.values.items()
        )
        lamps = " ".join(_lamp_html(name, lamps[step]) for name, lamps in self.lamps.items())
        return f'<div style="line-height:1.9">{numbers}<br>{lamps}</div>'

    @property
    def widget(self) -> widgets.VBox:
        """The widget, made when first asked for: every state is drawn then."""
        if self._widget is None:
            panels = [self.panel(step) for step in range(len(self.states))]
            shared = []
            if self.equations is not None and not callable(self.equations):
                shared = [_equation_widget(self.equations)]  # outside the stack it cannot flicker
            self._widget = _scrubber(self._heading(), panels, shared)
        return self._widget

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        html = f"<p><b>{escape(self._heading())}</b></p>{self.table().html()}"
        texts = {"text/html": html, "text/plain": repr(self)}
        return {**self.widget._repr_mimebundle_(), **texts}


def stepper(
    states: Iterable[State],
    *,
    draw: Draw | None = None,
    quantities: Quantities = ("objective",),
    equations: Equations | None = None,
    invariants: Mapping[str, Invariant] | None = None,
    title: str = "",
    max_steps: int = 50,
) -> Stepper:
    r"""Return the debugger of a stream of states.

    Parameters
    ----------
    states : iterable
        For instance ``estimator.steps(X)``; an endless stream is cut at `max_steps`.
    draw : callable, optional
        ``draw(ax, state)`` draws one state.
    quantities : sequence of str, or mapping of str to callable
        Numbers of a state: names of its attributes, or ``name -> function of the state``. They
        fill the table and are plotted with the current step marked.
    equations : sequence of str, or callable, optional
        LaTeX of the equations of one step, shown throughout; or a function of the state, when
        different steps have different ones.
    invariants : mapping of str to callable, optional
        ``name -> function(before, after)``, true where the step keeps the promise. Ready-made:
        `monotone`, `psd`, `on_simplex`, `rows_sum_to_one`, `orthonormal`.
    title : str
        What runs.
    max_steps : int, default=50
        The most states to take.

    Returns
    -------
    Stepper
        Displays as a widget; prints as the table of iterations.

    Examples
    --------
    >>> halving = ({"x": 0.5 ** t} for t in range(4))
    >>> stepper(halving, quantities=["x"], invariants={"x falls": monotone("x")}, title="Halving")
    Halving: 4 states
    step        x  x falls
       0  1.00000  not yet
       1  0.50000  holds
       2  0.25000  holds
       3  0.12500  holds
    """
    return Stepper(states, draw, quantities, equations, invariants, title, max_steps)


# ---------------------------------------------------------------- comparison


@dataclass(frozen=True)
class Comparison:
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
                _draw_titled(ax, self.draw, states[at], f"{name}, step {at}")
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
        box = _scrubber(self.says, [widgets.HTML(picture) for picture in pictures], [], start)
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
) -> Comparison:
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
    Comparison
        True as a truth value when the streams agree.

    Examples
    --------
    >>> ours = [{"labels": [0, 0, 1]}, {"labels": [0, 1, 1]}]
    >>> yours = [{"labels": [0, 0, 1]}, {"labels": [0, 0, 1]}]
    >>> compare(yours, ours, quantities=["labels"])
    step 1: labels differ at 1 of 3 points
    """
    readers = _readers(quantities)
    (a, error_a), (b, error_b) = _taken(states_a, max_steps), _taken(states_b, max_steps)
    streams = dict(zip(names, (a, b), strict=True))
    for step, (left, right) in enumerate(zip(a, b, strict=False)):
        for name, read in readers.items():
            reason = _difference(read, left, right, name, names, rtol, atol)
            if reason:
                return Comparison(step, name, f"step {step}: {reason}", streams, draw)
    step = min(len(a), len(b))
    ending = _ending(names, (len(a), len(b)), (error_a, error_b))
    if ending:
        return Comparison(step, None, f"step {step}: {ending}", streams, draw)
    length = f"all {step}" if step < max_steps else f"the first {step}"
    return Comparison(None, None, f"agree on {length} steps", streams, draw)


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


# ------------------------------------------------------------------- helpers


def value_of(state: State, name: str) -> Any:
    """Return a named part of a state, be it an attribute or, in a mapping, an entry."""
    if isinstance(state, Mapping):
        if name in state:
            return state[name]
        parts = list(state)
    else:
        if hasattr(state, name):
            return getattr(state, name)
        parts = [part for part in getattr(state, "__dict__", {}) if not part.startswith("_")]
    raise AttributeError(f"a state has no {name!r}; it has {', '.join(map(str, parts)) or 'none'}")


def _readers(quantities: Quantities) -> dict[str, Callable[[State], Any]]:
    if isinstance(quantities, Mapping):
        return dict(quantities)
    if isinstance(quantities, str):
        quantities = (quantities,)  # else its letters would be taken for names
    return {name: partial(value_of, name=name) for name in quantities}


def _first_states(states: Iterable[State], max_steps: int) -> tuple[tuple[State, ...], bool]:
    """Return the first states of a stream and whether it ended by itself."""
    if max_steps < 1:
        raise ValueError(f"max_steps is {max_steps}: at least one step is wanted")
    stream = iter(states)
    taken = tuple(islice(stream, max_steps))
    if not taken:
        raise ValueError("states is empty: the stream ended before its first state")
    return taken, next(stream, None) is None


def _scalar(value: Any, name: str) -> float:
    if value is None:
        return float("nan")
    if np.size(value) != 1:
        raise ValueError(
            f"quantity {name!r} has shape {np.shape(value)}: one number for each state is wanted; "
            f"give a function of the state, such as {{{name!r}: lambda s: s.{name}.sum()}}"
        )
    number = np.asarray(value).item()
    return number if isinstance(number, int) else float(number)


@styled
def _draw_titled(ax: Axes, draw: Draw, state: State, title: str) -> None:
    draw(ax, state)
    ax.set_title(title)


def _lamp(kept: bool | None) -> bool | None:
    return None if kept is None else bool(kept)  # NumPy's truth values are not Python's


def _lamp_html(name: str, lamp: bool | None) -> str:
    symbol, word, colour = LAMPS[lamp]
    return (
        f'<span style="white-space:nowrap;margin-right:1.2em"><span aria-hidden="true" '
        f'style="display:inline-block;min-width:1.5em;text-align:center;border-radius:0.75em;'
        f'background:{colour};color:white;line-height:1.5em;font-weight:bold">{symbol}</span> '
        f"{escape(name)}: {word}</span>"
    )


def _equation_widget(equations: str | Sequence[str]) -> widgets.HTMLMath:
    lines = [equations] if isinstance(equations, str) else equations
    return widgets.HTMLMath(
        "".join(f"<div>$${escape(line, quote=False)}$$</div>" for line in lines)
    )


def _scrubber(
    heading: str, panels: Sequence[widgets.Widget], shared: Sequence[widgets.Widget], start: int = 0
) -> widgets.VBox:
    """Return panels of which a slider shows one, joined in the browser so no kernel is needed."""
    title = widgets.HTML(f"<b>{escape(heading)}</b>")
    stack = widgets.Stack(list(panels), selected_index=start)
    if len(panels) == 1:
        return widgets.VBox([title, *shared, stack])
    last = len(panels) - 1
    play = widgets.Play(min=0, max=last, value=start, interval=800, tooltip="Play the steps")
    slider = widgets.IntSlider(min=0, max=last, value=start, description="Step")
    slider.layout.width = "min(100%, 30em)"
    slider.style.description_width = "initial"
    widgets.jslink((play, "value"), (slider, "value"))
    widgets.jslink((slider, "value"), (stack, "selected_index"))
    controls = widgets.HBox([play, slider], layout=widgets.Layout(flex_flow="row wrap"))
    return widgets.VBox([title, controls, *shared, stack])
