"""What every thing to take in the hand is made of: its question, its data, its picture, its page.

The HTML holds style, scripts and data, all inline: it works in JupyterLab, in the live book and on
a static page. It must be the same on every processor, so its numbers are rounded here, before
anything is computed from them, and the picture, whose bytes depend on Matplotlib, stands in an
output of its own. Where scripts are not run, that picture and a sentence are what is seen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from IPython.display import display
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from umlbook.algebra import Array, Labels, encode
from umlbook.book.page.figures import show
from umlbook.book.page.tables import rounded

STATIC = Path(__file__).with_name("static")
POINT_DIGITS, DIGITS = 4, 6  # decimals of points, and of other numbers
Twin = tuple[Figure, str]
"""What a page without scripts shows: a picture, and the sentence with its numbers."""
ASLEEP = (
    "Here stands a picture that can be moved by hand. It wakes up when the cell is run, or when "
    "the notebook is trusted; a web page needs JavaScript for it."
)


@dataclass(frozen=True)
class Question:
    """What to predict: the right choice is the first; they are shown in the order of `order`."""

    text: str
    choices: Sequence[str]
    hint: str
    order: Sequence[int] = (0, 1, 2)

    def shown(self) -> list[dict[str, Any]]:
        """The choices as a page shows them."""
        return [{"text": self.choices[i], "right": i == 0} for i in self.order]


@dataclass(frozen=True)
class Hand:
    """A picture to move: the functions of `files` build it from `data`; `twin` does not move."""

    name: str
    files: Sequence[str]
    question: Question
    data: Mapping[str, Any]
    twin: Twin

    def html(self) -> str:
        """The page's part that is alive; the same bytes on every machine."""
        asked = {
            "question": self.question.text,
            "choices": self.question.shown(),
            "hint": self.question.hint,
        }
        text = json.dumps(asked | plain(self.data), ensure_ascii=False, separators=(",", ":"))
        data = text.replace("<", "\\u003c")  # nothing in it may end the script
        code = script(["core", *self.files])
        return (
            f"<style>{_lines(STATIC / 'hand.css')}</style>\n"
            f'<div class="umlhand" data-hand="{self.name}">{escape(ASLEEP)}</div>\n'
            f"<script>\n(function () {{\n{code}\n"
            f"mount(document.currentScript, {self.name}, {data});\n}})();\n</script>"
        )

    def __repr__(self) -> str:
        choices = "".join(f"\n  ( ) {choice['text']}" for choice in self.question.shown())
        return f"Take in the hand: {self.question.text}{choices}"

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        show(*self.twin)
        display(self._repr_mimebundle_(), raw=True)


def script(files: Sequence[str]) -> str:
    """The JavaScript of these files, one after the other, without comments and indentation."""
    return "\n".join(_lines(STATIC / f"{name}.js") for name in files)


def _lines(path: Path) -> str:
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))


def plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data as JSON has them: arrays as lists, numbers rounded."""
    return {name: _plain(value) for name, value in data.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.asarray(rounded(value, DIGITS)).tolist()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return rounded(value, DIGITS) if isinstance(value, float) else value


def in_plane(X: ArrayLike, name: str = "X") -> Array:
    """Points of the plane, rounded: the picture, its twin and all numbers start from these."""
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"{name} must hold points of the plane, n x 2, got shape {points.shape}: "
            "choose two of its columns"
        )
    return np.asarray(rounded(points, POINT_DIGITS))


def two_clusters(labels: ArrayLike, n: int, name: str = "labels") -> Labels:
    """Labels 0 and 1, one for each of n points."""
    codes = encode(labels)
    if len(codes) != n or codes.max() != 1:
        raise ValueError(
            f"{name} must put each of the {n} points into one of two clusters, got {len(codes)} "
            f"labels in {codes.max() + 1} clusters"
        )
    return codes


def limits(X: Array, margin: float, flattest: float = 2.4) -> tuple[list[float], list[float]]:
    """The sides of a picture of the points, in tenths: a margin, and neither tall nor very flat."""
    low, high = X.min(axis=0) - margin, X.max(axis=0) + margin
    wide, tall = high - low
    more = np.array([max(1.1 * tall - wide, 0.0), max(wide / flattest - tall, 0.0)]) / 2
    low, high = np.floor(10 * (low - more)) / 10, np.ceil(10 * (high + more)) / 10
    return [low[0], high[0]], [low[1], high[1]]
