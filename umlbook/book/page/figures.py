"""One look for every picture of the book, and `show`, which gives each picture its sentence.

Pictures are pure `matplotlib.figure.Figure` objects. Pyplot keeps a global list of figures that
widget callbacks, which run in another thread, would share and draw blank; nothing here touches it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar, cast

import matplotlib as mpl
from IPython.core.getipython import get_ipython
from IPython.display import display
from matplotlib.figure import Figure

from umlbook.book.page.faults import faults
from umlbook.book.page.pixels import DPI, Pixels, page_size, png, transparent

P = ParamSpec("P")
R = TypeVar("R")

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7E47ED", "#827741", "#C90022")
"""Class colours, the first four after Okabe and Ito: contrast 3:1 or more on white and on the dark
grounds of JupyterLab and of the static pages.

Any two of them stay apart in protanopia, deuteranopia and tritanopia: see `accessibility`.
"""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Class markers; seven colours and eight markers give 56 classes a look of their own."""
DASHES = ("solid", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
"""Line styles, used beside colour for lines."""

INK, MUTED, FAINT = "#767676", "#888888", "#88888859"
"""Text and main lines; secondary marks; grids and other decoration, which let the page through.

No colour has contrast 4.5 on white and on JupyterLab's dark ground, since these two differ by 18.9
and not by 4.5 squared. `INK` has 4.54 on white and 4.16 on the dark one, where `THEMED` lifts it.
"""

LINES = (*PALETTE, INK)
"""Colours of lines: one more than there are classes."""

PICTURE = "umlbook-picture"
"""The class of a picture in HTML."""
DARK = "body[data-jp-theme-light=false]"
"""JupyterLab's body in a dark theme."""
THEMED = f"<style>{DARK} :is(.jp-RenderedImage img,.{PICTURE}){{filter:brightness(1.2)}}</style>"
"""The rule that makes pictures lighter on a dark ground; a page that does not run it drops it."""

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "white",
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.dpi": DPI,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "hatch.linewidth": 0.8,
    "image.cmap": "cividis",
    "legend.fontsize": 9,
    "legend.framealpha": 0.9,
    "lines.linewidth": 1.6,
    "savefig.dpi": DPI,
    "savefig.facecolor": "white",
    "savefig.transparent": False,
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 9,
}

SHORTEST_SENTENCE = 40
LARGEST_PNG = 60_000
COLOURS = (256, 64, 16)
"""Sizes of the palette of a picture."""


def style() -> AbstractContextManager[None]:
    """Return a context in which everything that is drawn has the book's look."""
    return mpl.rc_context(cast(Any, STYLE))  # newer stubs want every key as a literal


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Return `draw` made to run inside `style`."""

    @wraps(draw)
    def drawn_in_style(*args: P.args, **kwargs: P.kwargs) -> R:
        with style():
            return draw(*args, **kwargs)

    return drawn_in_style


def class_look(index: int) -> dict[str, Any]:
    """Return colour and marker of class number `index`, as keywords for a scatter or a line.

    Examples
    --------
    >>> class_look(1)
    {'color': '#D55E00', 'marker': 's'}
    """
    return {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}


def line_look(index: int) -> dict[str, Any]:
    """Return colour and dash of line number `index`, as keywords for `Axes.plot`.

    The first `len(LINES)` lines have a colour of their own, that of the text among them.

    Examples
    --------
    >>> line_look(0)
    {'color': '#0072B2', 'linestyle': 'solid'}
    """
    return {"color": LINES[index % len(LINES)], "linestyle": DASHES[index % len(DASHES)]}


@styled
def new_figure(
    width: float = 6.4, height: float = 3.6, nrows: int = 1, ncols: int = 1, **subplot_kw: Any
) -> tuple[Figure, Any]:
    """Return a figure in the book's look and its axes.

    Parameters
    ----------
    width, height : float
        Size in inches, at 100 dots an inch.
    nrows, ncols : int
        Shape of the array of axes; a single one comes bare.
    **subplot_kw
        Passed to `matplotlib.figure.Figure.subplots`.

    Returns
    -------
    fig : matplotlib.figure.Figure
        A figure that pyplot does not know.
    axes : Axes or ndarray of Axes
        As `Figure.subplots` returns them.

    Examples
    --------
    >>> fig, ax = new_figure()
    >>> _ = ax.plot([0, 1], [1, 0])
    """
    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots(nrows, ncols, **subplot_kw)


@styled
def pixels(fig: Figure) -> Pixels:
    """Return the figure as it is shown, the page's white transparent, with four channels."""
    return transparent(fig, INK)


def png_bytes(
    picture: Figure | Pixels, *, largest: int = LARGEST_PNG, colours: int = COLOURS[0]
) -> bytes:
    """Return a figure, or its pixels, as a transparent PNG with a palette of `colours` or fewer.

    A picture that is larger than `largest` bytes gets fewer colours.
    """
    if colours not in COLOURS:
        raise ValueError(f"colours must be one of {COLOURS}, got {colours}")
    dots = pixels(picture) if isinstance(picture, Figure) else picture
    data = b""
    for number in (number for number in COLOURS if number <= colours):
        data = png(dots, number)
        if len(data) <= largest:
            break
    return data


def image_html(png: bytes, alt: str) -> str:
    """Return an HTML image with the bytes inside it and `alt` for those who cannot see it."""
    source = b64encode(png).decode("ascii")
    return (
        f'<img alt="{escape(alt)}" src="data:image/png;base64,{source}" class="{PICTURE}" '
        f'width="{page_size(png)[0]}" style="max-width:100%;height:auto">'
    )


class Picture:
    """A PNG whose plain text and alternative text are its sentence.

    Its metadata say how wide it is on the page, and what a lint has to complain of.
    """

    def __init__(self, png: bytes, sentence: str, faults: Sequence[str] = ()) -> None:
        self.png, self.sentence, self.faults = png, sentence, list(faults)

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, **kwargs: object) -> tuple[dict[str, Any], dict[str, Any]]:
        # As text: the kernel in a browser does not encode the bytes of what is displayed.
        png = b64encode(self.png).decode("ascii")
        data = {"image/png": png, "text/plain": self.sentence}
        known: dict[str, Any] = {"alt": self.sentence, "width": page_size(self.png)[0]}
        if self.faults:
            known["faults"] = self.faults
        return data, {"image/png": known}


class _Caption:
    """The same sentence as visible text: JupyterLab shows neither alt nor plain text of a PNG."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        html = f'<p class="umlbook-caption" style="max-width:44em">{escape(self.sentence)}</p>'
        return {"text/html": THEMED + html, "text/plain": self.sentence}


def show(fig: Figure, sentence: str, *, colours: int = COLOURS[0]) -> None:
    """Display a figure and, under it, the sentence that says what it shows.

    The sentence carries the figure's numbers. It is the caption, the alternative text and the
    `text/plain` of the output, so a notebook test fails when a number in it changes.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The picture.
    sentence : str
        What is to be seen, at least 40 characters.
    colours : {256, 64, 16}
        Most colours of its palette: a page with many pictures of marks in few colours is smaller
        with 64, and looks the same.
    """
    if not isinstance(fig, Figure):
        raise TypeError(
            f"fig is a {type(fig).__name__}: show expects a matplotlib Figure; "
            "make one with new_figure, or pass ax.figure"
        )
    sentence = " ".join(sentence.split())
    if len(sentence) < SHORTEST_SENTENCE:
        raise ValueError(
            f"sentence has {len(sentence)} characters ({sentence!r}): at least "
            f"{SHORTEST_SENTENCE} are expected; say what is to be seen, with its numbers"
        )
    display(Picture(png_bytes(fig, colours=colours), sentence, faults(fig)))
    if get_ipython() is not None:  # outside a notebook the line above has printed the sentence
        display(_Caption(sentence))
