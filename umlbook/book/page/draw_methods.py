"""Lines of methods: each method looks the same in every picture, and its line can bear its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from umlbook.algebra import Array
from umlbook.book.page.figures import DASHES, INK, PALETTE

BLUE, ORANGE, GREEN, PINK, VIOLET, OLIVE, RED = PALETTE
_LOOKS: Mapping[str, tuple[str, str, int]] = {
    "k-means": (INK, "*", 0),
    "kernel k-means": (INK, "o", 1),
    "CPCM": (GREEN, "D", 0),
    "CPCM kernel ridge": (GREEN, "d", 1),
    "AML": (PINK, "X", 0),
    "NAML": (OLIVE, "v", 0),
    "CPD-UML": (BLUE, "P", 0),
    "PM": (RED, "^", 3),
    "latent classes": (VIOLET, "s", 3),
    "bent metric": (ORANGE, "h", 1),
    "spectral clustering": (RED, "o", 0),
    "SpectralKMeans": (VIOLET, "o", 0),
    "Gaussian mixture": (OLIVE, "s", 2),
}
"""Colour, marker and dash: a method and its kernel form have one colour, and a colour serves two
others only where these do not meet in a picture."""


def method_look(name: str) -> dict[str, Any]:
    """Return colour, marker and dash of a method, as keywords for `Axes.plot`.

    Examples
    --------
    >>> method_look("CPCM")
    {'color': '#009E73', 'marker': 'D', 'linestyle': 'solid'}
    """
    colour, marker, dash = _LOOKS[name]
    return {"color": colour, "marker": marker, "linestyle": DASHES[dash]}


def draw_methods(ax: Axes, lines: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Axes:
    """Draw a line for each method, in the look that it has in every picture.

    Parameters
    ----------
    lines : mapping of str to (array (n,), array (n,))
        Where the points of each line are, and how high.
    """
    for name, (x, y) in lines.items():
        ax.plot(x, y, ms=6, label=name, **method_look(name))
    return ax


def spread_out(heights: ArrayLike, least: float) -> Array:
    """Return heights in the same order that are at least `least` apart, moved as little as needed.

    Groups that stand too close are centred where they would be, the closest first.

    Examples
    --------
    >>> spread_out([0.0, 1.0, 1.0], 0.5).tolist()
    [0.0, 0.75, 1.25]
    """
    wanted = np.asarray(heights, dtype=float)
    order = np.argsort(np.round(wanted, 9), kind="stable")
    blocks: list[list[int]] = []
    for i in order.tolist():
        blocks.append([i])
        while (
            len(blocks) > 1
            and _ends(wanted[blocks[-2]], least)[1] + least
            > _ends(wanted[blocks[-1]], least)[0] + 1e-9
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    placed = np.empty_like(wanted)
    for block in blocks:
        low, _ = _ends(wanted[block], least)
        placed[block] = low + least * np.arange(len(block))
    return placed


def _ends(heights: Array, least: float) -> tuple[float, float]:
    """The lowest and the highest place of a group around its middle."""
    half = least * (len(heights) - 1) / 2
    return float(heights.mean() - half), float(heights.mean() + half)


def name_lines(
    ax: Axes,
    names: Sequence[str],
    x: float,
    heights: ArrayLike,
    least: float,
    words: Sequence[str] = (),
) -> Axes:
    """Write the name of each method right of the end of its line, in its colour.

    Parameters
    ----------
    names : sequence of str
    x : float
        Where the names begin.
    heights : array (n,)
        Where each line ends.
    least : float
        How far two names have to be apart.
    words : sequence of str, optional
        What to write in place of the names.
    """
    for name, word, y in zip(names, words or names, spread_out(heights, least), strict=True):
        ax.text(x, y, word, color=_LOOKS[name][0], va="center", fontsize=8, weight="bold")
    return ax
