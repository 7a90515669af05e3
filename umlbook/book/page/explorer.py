"""The live panel: predict first, then move the sliders and see, then be told whether it held.

A panel is made from one function of parameters that returns a figure and its sentence. Because the
figure is a pure Figure and not pyplot's, the panel can be moved in a test as well as in a browser;
its static twin, for pages without a kernel, is the question with a table of sentences.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets as widgets
import numpy as np
from matplotlib.figure import Figure

from umlbook.book.page.figures import image_html, pixels, png_bytes, style
from umlbook.book.page.pixels import DENSITY, DPI
from umlbook.book.page.prediction import Prediction
from umlbook.book.page.tables import Table, table
from umlbook.book.page.twin import Twinned, live_view

Value = Any
"""What a slider can hold: a number or a text."""

WIDEST = 9.6
"""Inches that a row of pictures may take; wider ones are stacked."""


class Explorer(Twinned):
    """A question, sliders, and a picture that waits for a prediction.

    Attributes
    ----------
    prediction : Prediction
        What is asked before the picture is shown, and the answer.
    values : dict
        The present value of each slider.
    sentence : str
        What the present picture shows, or the error that the function raised.
    revealed : bool
        Whether a prediction was made or given up.
    verdict : str
        Whether the prediction held and why; empty until the reader asks.
    widget : ipywidgets.VBox
        The panel.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        prediction: Prediction,
        sliders: Mapping[str, Sequence[Value]],
        sentence: Callable[..., str] | None,
        start: Mapping[str, Value] | None,
    ) -> None:
        self.function, self.prediction, self._say = function, prediction, sentence
        self._options = {name: list(values) for name, values in sliders.items()}
        self.default = {name: values[0] for name, values in self._options.items()}
        self.default.update(_checked(start or {}, self._options))
        # An error at the start belongs to the author, not to the reader: let it out.
        self._drawn = {tuple(self.default.values()): self._rendered(self.default)}
        self._build()

    # ---- the function

    def evaluate(self, **values: Value) -> tuple[Figure, str]:
        """Return figure and sentence for the given values; sliders not named keep their default."""
        params = {**self.default, **_checked(values, self._options)}
        with style():
            made = self.function(**params)
        if self._say is not None:
            made = (made, self._say(**params))
        if not (isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], Figure)):
            raise TypeError(
                f"function returned {type(made).__name__}: a pair (Figure, sentence) is expected, "
                "or a Figure when `sentence` is given"
            )
        return made[0], str(made[1])

    def figure(self, **values: Value) -> Figure:
        """Return the figure for the given values, for `show`."""
        return self.evaluate(**values)[0]

    def twin(self, name: str | None = None, values: Sequence[Value] | None = None) -> Figure:
        """Return the pictures for a few values of one slider in one figure, for `show`.

        Parameters
        ----------
        name : str, optional
            The slider; the first one by default.
        values : sequence, optional
            Its values; its first, middle and last by default.
        """
        name = next(iter(self._options)) if name is None else name
        chosen = _few(self._options[name]) if values is None else list(values)
        pictures = [pixels(self.figure(**{name: value})) for value in chosen]
        return _assembled(pictures, [f"{name} = {_text(value)}" for value in chosen])

    def table(self) -> Table:
        """Return the sentences for the default and, slider by slider, for a few other values."""
        rows = [self.default]
        for name, options in self._options.items():
            rows += [{**self.default, name: value} for value in _few(options)]
        unique = {tuple(row.values()): row for row in rows}
        ordered = sorted(unique.values(), key=self._place)
        columns: dict[str, list[object]] = {
            name: [_text(row[name]) for row in ordered] for name in self._options
        }
        columns["what the picture shows"] = [self._sentence(row) for row in ordered]
        return table(columns)

    def _sentence(self, row: Mapping[str, Value]) -> str:
        """What the picture shows, without drawing it where the sentence comes by itself."""
        return self._outcome(row)[1] if self._say is None else self._say(**row)

    def _place(self, row: Mapping[str, Value]) -> list[int]:
        return [options.index(row[name]) for name, options in self._options.items()]

    def _outcome(self, params: Mapping[str, Value]) -> tuple[str, str]:
        """Return the HTML of the picture and its sentence, or the error instead."""
        key = tuple(params.values())
        if key not in self._drawn:
            try:
                self._drawn[key] = self._rendered(params)
            except Exception as error:  # in a callback it would be lost without a trace
                html = "<p><b>The function raised an error for these values.</b></p>"
                self._drawn[key] = html, f"{type(error).__name__}: {error}"
        return self._drawn[key]

    def _rendered(self, params: Mapping[str, Value]) -> tuple[str, str]:
        fig, sentence = self.evaluate(**params)
        return image_html(png_bytes(fig), sentence), sentence

    # ---- the panel

    def _build(self) -> None:
        ask = widgets.HTML(
            f'<p style="max-width:44em"><b>{escape(self.prediction.question)}</b></p>'
        )
        self._prediction = self.prediction.widget()
        self._button = widgets.Button(description="Show me", tooltip="Show the picture")
        self._judge = widgets.Button(description="Was I right?", tooltip="Say whether it held")
        self._reply, self._picture, self._caption = (widgets.HTML() for _ in range(3))
        self._verdict = widgets.HTML()
        self._sliders = {
            name: widgets.SelectionSlider(
                options=[(_text(value), value) for value in options],
                value=self.default[name],
                description=name,
                continuous_update=False,
                layout=widgets.Layout(width="min(100%, 32em)"),
                style={"description_width": "initial"},
            )
            for name, options in self._options.items()
        }
        told = [self._judge, self._verdict] if self.prediction.answer else []
        self._result = widgets.VBox([*self._sliders.values(), self._picture, self._caption, *told])
        self._result.layout.display = "none"
        self._prediction.observe(self._on_prediction, "value")
        self._button.on_click(lambda _: self.reveal())
        self._judge.on_click(lambda _: self.judge())
        for slider in self._sliders.values():
            slider.observe(self._on_slider, "value")
        self._busy = False
        self.widget = widgets.VBox([ask, self._prediction, self._button, self._reply, self._result])

    def _on_prediction(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self.reveal()
        if self.verdict:  # a reader who has been told changes the prediction
            self.judge()

    def _on_slider(self, change: Mapping[str, Any]) -> None:
        if self.revealed and not self._busy:
            self._refresh()

    def _refresh(self) -> None:
        html, sentence = self._outcome(self.values)
        self._picture.value = html
        self._caption.value = (
            f'<p role="status" style="max-width:44em;line-height:1.5">{escape(sentence)}</p>'
        )

    @property
    def revealed(self) -> bool:
        """Whether the picture is shown."""
        return self._result.layout.display != "none"

    @property
    def values(self) -> dict[str, Value]:
        """The present value of each slider."""
        return {name: slider.value for name, slider in self._sliders.items()}

    @property
    def sentence(self) -> str:
        """What the present picture shows, or the error that the function raised."""
        return self._outcome(self.values)[1]

    @property
    def picture(self) -> str:
        """The HTML of the picture; empty before it is revealed."""
        return str(self._picture.value)

    def predict(self, answer: str) -> None:
        """Make a prediction, as a click or Enter in the panel does."""
        choices = self.prediction.choices
        if choices and answer not in choices:
            raise ValueError(f"answer is {answer!r}: one of {list(choices)} is expected")
        self._prediction.value = answer

    def reveal(self) -> None:
        """Show the picture, with the prediction above it if one was made."""
        self._reply.value = self.prediction.reply(self._prediction.value or "")
        self._button.layout.display = "none"
        self._refresh()
        self._result.layout.display = ""  # None does not reach a page whose kernel is a browser's

    @property
    def verdict(self) -> str:
        """Whether the prediction held and why, as the panel shows it; empty until it is asked."""
        return str(self._verdict.value)

    def judge(self) -> None:
        """Say whether the prediction held, as a click on "Was I right?" does."""
        if not self.prediction.answer:
            raise ValueError("this panel has no answer: make it with answer= and because=")
        self._verdict.value = self.prediction.verdict_html(self._prediction.value or "")

    def set(self, **values: Value) -> Explorer:
        """Move the sliders, as the reader would, and return the panel."""
        self._busy = True  # several sliders, one drawing
        try:
            for name, value in _checked(values, self._options).items():
                self._sliders[name].value = value
        finally:
            self._busy = False
        self.reveal()
        return self

    # ---- the static twin

    def __repr__(self) -> str:
        return self.prediction.text(str(self.table()))

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        return {
            **live_view(self.widget),
            "text/html": self.prediction.html(self.table().html()),
            "text/plain": repr(self),
        }


def explorer(
    function: Callable[..., Any],
    *,
    question: str,
    sliders: Mapping[str, Sequence[Value]],
    sentence: Callable[..., str] | None = None,
    choices: Sequence[str] = (),
    answer: str = "",
    because: str = "",
    start: Mapping[str, Value] | None = None,
) -> Explorer:
    """Return a live panel that asks for a prediction, lets the reader try, and then judges it.

    Parameters
    ----------
    function : callable
        ``function(**params) -> (Figure, sentence)``; it draws on a figure from `new_figure` and
        never with pyplot.
    question : str
        What to predict before the picture is shown.
    sliders : mapping of str to sequence
        The values that each parameter can take.
    sentence : callable, optional
        ``sentence(**params) -> str``, when `function` returns the figure alone.
    choices : sequence of str, optional
        Predictions to choose from; without them the reader writes one.
    answer : str, optional
        The choice that is true. Compute it in the cell from what `function` computes, so that it
        cannot be wrong.
    because : str, optional
        Why it is true, in a sentence; wanted with `answer`.
    start : mapping, optional
        Where the sliders stand at first; at their first value by default.

    Returns
    -------
    Explorer
        Displays as the panel; prints as the question and a table of sentences.
    """
    prediction = Prediction(question, tuple(choices), answer, because)
    empty = [name for name, values in sliders.items() if len(values) == 0]
    if empty or not sliders:
        raise ValueError(f"sliders {empty or dict(sliders)!r}: give each at least one value")
    try:
        inspect.signature(function).bind(**dict.fromkeys(sliders))
    except TypeError as error:
        raise ValueError(
            f"sliders are {list(sliders)} but function has parameters "
            f"{list(inspect.signature(function).parameters)}: {error}"
        ) from error
    return Explorer(function, prediction, sliders, sentence, start)


def _assembled(pictures: Sequence[np.ndarray], titles: Sequence[str]) -> Figure:
    """Return one figure with the pictures, pixel for pixel, in a row if they fit, else stacked."""
    dots = DPI * DENSITY  # an inch
    head = 26 * DENSITY  # above each picture for its title
    heights = [picture.shape[0] + head for picture in pictures]
    widths = [picture.shape[1] for picture in pictures]
    row = sum(widths) <= dots * WIDEST
    width, height = (sum(widths), max(heights)) if row else (max(widths), sum(heights))
    fig = Figure(figsize=(width / dots, height / dots), dpi=dots)
    left, top = 0, height
    for picture, title in zip(pictures, titles, strict=True):
        with style():
            place = (left + 8 * DENSITY) / width, (top - 6 * DENSITY) / height
            fig.text(*place, title, va="top", weight="bold")
        fig.figimage(picture, left, top - head - picture.shape[0])
        left, top = (left + picture.shape[1], top) if row else (0, top - head - picture.shape[0])
    return fig


def _few(options: Sequence[Value]) -> list[Value]:
    """Return the first, middle and last value, without repeats."""
    places = sorted({0, (len(options) - 1) // 2, len(options) - 1})
    return [options[place] for place in places]


def _checked(
    values: Mapping[str, Value], options: Mapping[str, Sequence[Value]]
) -> Mapping[str, Value]:
    for name, value in values.items():
        if name not in options:
            raise ValueError(f"there is no slider {name!r}: the panel has {list(options)}")
        if value not in options[name]:
            raise ValueError(f"slider {name!r} has no value {value!r}: one of {options[name]}")
    return values


def _text(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
