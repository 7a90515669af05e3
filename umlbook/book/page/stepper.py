"""The algorithm debugger: scrub through the states of an algorithm.

An algorithm is a generator of states (`estimator.steps(X)`). `stepper` draws every state beforehand
and lets a slider choose among the pictures in the browser, so it moves without a kernel; in print
it is the table of iterations.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from html import escape
from itertools import islice
from typing import Any, cast

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from umlbook.book.page import frames
from umlbook.book.page.draw import draw_path
from umlbook.book.page.figures import INK, image_html, new_figure, pixels, png_bytes, styled
from umlbook.book.page.invariants import Invariant, State, value_of
from umlbook.book.page.pixels import Pixels, black_page, drawn, matted
from umlbook.book.page.tables import Table, formatted_column, table
from umlbook.book.page.twin import Twinned, live_view

Draw = Callable[[Axes, State], object]
Quantities = Sequence[str] | Mapping[str, Callable[[State], Any]]
Equations = Sequence[str] | Callable[[State], str | Sequence[str]]

LAMPS = {
    True: ("✓", "holds", "#00694B"),
    False: ("✗", "broken", "#A6341B"),
    None: ("–", "not yet", "#595959"),
}


class _MarkedPaths:
    """The paths of all quantities, drawn once; each step only draws its rings over them."""

    def __init__(self, values: Mapping[str, Sequence[float]]) -> None:
        self.paths = list(values.values())
        fig, axes = new_figure(3.3, 3.5, nrows=len(values), sharex=True, squeeze=False)
        look = {"marker": "o", "ms": 11, "mfc": "none", "mec": INK, "mew": 1.8}
        self.rings = []
        for ax, (name, path) in zip(axes[:, 0], values.items(), strict=True):
            draw_path(ax, path, label="", sign=0)
            ax.set_title(name, loc="left", fontsize="medium")  # at the side long names would meet
            ax.label_outer()
            # Left out of the grounds; at the first and last step a ring reaches over the frame.
            self.rings += ax.plot(0, path[0], animated=True, clip_on=False, **look)
        drawn(fig)  # finds the places
        self.grounds = [self._ground(fig)]
        with black_page(fig):
            self.grounds.append(self._ground(fig))

    @staticmethod
    def _ground(fig: Figure) -> tuple[FigureCanvasAgg, Any]:
        """All but the rings, on a canvas of its own."""
        drawn(fig)
        canvas = cast(FigureCanvasAgg, fig.canvas)
        return canvas, canvas.copy_from_bbox(fig.bbox)

    def pixels(self, step: int) -> Pixels:
        """Return the paths with the given step ringed."""
        for ring, path in zip(self.rings, self.paths, strict=True):
            ring.set_data([step], [path[step]])
        return matted(*(self._ringed(*ground) for ground in self.grounds))

    def _ringed(self, canvas: FigureCanvasAgg, ground: Any) -> NDArray[np.uint8]:
        canvas.restore_region(ground)
        for ring in self.rings:
            ring.draw(canvas.get_renderer())
        return np.array(canvas.buffer_rgba())[..., :3]


class Stepper(Twinned):
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
        read_by_name = readers(quantities)
        self.values = {
            name: [_scalar(read(state), name) for state in self.states]
            for name, read in read_by_name.items()
        }
        if draw is None and not read_by_name:
            raise ValueError("nothing to show: give draw, quantities, or both")
        before = (None, *self.states[:-1])
        self.lamps = {
            name: [_lamp(keeps(old, new)) for old, new in zip(before, self.states, strict=True)]
            for name, keeps in (invariants or {}).items()
        }
        self._paths: _MarkedPaths | None = None
        self._widget: widgets.VBox | None = None
        self._png = cache(lambda step: png_bytes(self.pixels(step)))  # for the widget and frames

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

    def pixels(self, step: int) -> Pixels:
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
            draw_titled(ax, self.draw, self.states[step], f"step {step}")

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
        children = [widgets.HTML(image_html(self._png(step), alt))]
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
            self._widget = scrubber(self._heading(), panels, shared)
        return self._widget

    def frames(self) -> dict[str, Any]:
        """Return all that the widget shows as plain data, for a page that has no widgets."""
        fixed = () if self.equations is None or callable(self.equations) else self.equations
        steps = range(len(self.states))
        return {
            "heading": self._heading(),
            "equations": _lines(fixed),
            "steps": [self._frame(step) for step in steps],
        }

    def _frame(self, step: int) -> dict[str, Any]:
        own = self.equations(self.states[step]) if callable(self.equations) else ()
        return {
            "png": b64encode(self._png(step)).decode("ascii"),
            "sentence": self.sentence(step),
            "equations": _lines(own),
            "lamps": {name: LAMPS[lamps[step]][1] for name, lamps in self.lamps.items()},
        }

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        html = f"<p><b>{escape(self._heading())}</b></p>{self.table().html()}"
        texts = {"text/html": html, "text/plain": repr(self)}
        stored = {frames.MIME: self.frames()} if os.environ.get(frames.WANTED) else {}
        return {**live_view(self.widget), **texts, **stored}


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
    >>> from umlbook.book.page.invariants import monotone
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


def readers(quantities: Quantities) -> dict[str, Callable[[State], Any]]:
    if isinstance(quantities, Mapping):
        return dict(quantities)
    if isinstance(quantities, str):
        quantities = (quantities,)  # else its letters would be taken for names
    return {name: partial(value_of, name=name) for name in quantities}


def _first_states(states: Iterable[State], max_steps: int) -> tuple[tuple[State, ...], bool]:
    """Return the first states of a stream and whether it ended by itself."""
    if max_steps < 1:
        raise ValueError(f"max_steps is {max_steps}: at least one step is expected")
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
            f"quantity {name!r} has shape {np.shape(value)}: one number a state is expected; "
            f"give a function of the state, such as {{{name!r}: lambda s: s.{name}.sum()}}"
        )
    number = np.asarray(value).item()
    return number if isinstance(number, int) else float(number)


@styled
def draw_titled(ax: Axes, draw: Draw, state: State, title: str) -> None:
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
    return widgets.HTMLMath(
        "".join(f"<div>$${escape(line, quote=False)}$$</div>" for line in _lines(equations))
    )


def _lines(equations: str | Sequence[str]) -> list[str]:
    return [equations] if isinstance(equations, str) else list(equations)


def scrubber(
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
