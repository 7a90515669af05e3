"""Two rows beside each other: where they differ, how they look, and where they lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from umlbook.book.own.pictures import draw_points, plane
from umlbook.book.own.preparing import Prepared
from umlbook.book.page.figures import INK, new_figure, style
from umlbook.book.page.tables import Table, table

Floats = NDArray[np.float64]

MOST_COLUMNS = 8
MOST_POINTS = 600
SMALLEST_PICTURE = 16
"""Pixels that a row must have to be drawn as a picture."""


def as_measured(data: Prepared) -> Floats:
    """The columns in the units of the file."""
    return np.asarray(data._scaler.inverse_transform(data.X))


def spreads_apart(values: Floats, first: int, second: int) -> Floats:
    """How far two rows are apart in each column, in standard deviations of the column.

    >>> spreads_apart(np.array([[0.0, 5.0], [2.0, 5.0]]), 0, 1)
    array([2., 0.])
    """
    spread = values.std(axis=0)
    gap = np.abs(values[first] - values[second])
    return np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0)


def pair_table(data: Prepared, first: int, second: int) -> Table:
    """The columns in which two rows differ most, and the texts that the file has of them."""
    values = as_measured(data)
    apart = spreads_apart(values, first, second)
    order = np.argsort(-np.round(apart, 6), kind="stable")[:MOST_COLUMNS]
    names = [data.names[j] for j in order] + list(data.texts)
    sides = {
        f"{letter}: row {data.rows[row]}": [f"{values[row, j]:.5g}" for j in order]
        + [str(texts[row]) for texts in data.texts.values()]
        for letter, row in (("A", first), ("B", second))
    }
    gaps: list[Any] = [float(apart[j]) for j in order] + [None] * len(data.texts)
    left = len(data.names) - len(order)
    said = f"; {left} more columns differ less" if left else ""
    caption = f"Where they differ most, in spreads (standard deviations) of the column{said}"
    return table({"column": names, **sides, "apart": gaps}, digits=3, caption=caption)


def picture_shape(names: Sequence[str]) -> tuple[int, int] | None:
    """Height and width if the columns are the pixels of a picture.

    Names such as ``pixel_3_7`` say so themselves. Otherwise the names must be one word and the
    numbers of a square: ``p0`` to ``p63``, or ``1`` to ``784``.

    >>> picture_shape([f"pixel_{i}_{j}" for i in range(4) for j in range(5)])
    (4, 5)
    >>> picture_shape([f"p{k}" for k in range(64)]), picture_shape(["height", "weight"])
    ((8, 8), None)
    """
    if len(names) < SMALLEST_PICTURE:
        return None
    grid = [re.fullmatch(r"\D*?(\d+)\D+(\d+)", name) for name in names]
    if all(grid):
        places = [(int(m[1]), int(m[2])) for m in grid if m]
        low, high = np.min(places, axis=0), np.max(places, axis=0)
        height, width = (high - low + 1).tolist()
        wanted = [(i + low[0], j + low[1]) for i in range(height) for j in range(width)]
        return (height, width) if places == wanted else None
    line = [re.fullmatch(r"(\D*)(\d+)", name) for name in names]
    side = isqrt(len(names))
    if side**2 == len(names) and all(line) and len({m[1] for m in line if m}) == 1:
        numbers = [int(m[2]) for m in line if m]
        return (side, side) if numbers == list(range(numbers[0], numbers[0] + side**2)) else None
    return None


def pair_pictures(data: Prepared, first: int, second: int, shape: tuple[int, int]) -> Figure:
    """The two rows as pictures, in one scale of grey."""
    values = as_measured(data)
    fig, axes = new_figure(4.2, 2.3, ncols=2)
    with style():
        for ax, letter, row in zip(axes, "AB", (first, second), strict=True):
            ax.imshow(values[row].reshape(shape), cmap="gray", vmin=values.min(), vmax=values.max())
            ax.set_axis_off()
            ax.set_title(f"{letter}: row {data.rows[row]}")
    return fig


def pair_map(data: Prepared, labels: NDArray[np.intp], first: int, second: int) -> Figure:
    """Where the two rows lie among the others, on the first two principal components."""
    few = np.linspace(0, len(data.X) - 1, min(len(data.X), MOST_POINTS)).astype(int)
    fig, ax = new_figure(4.2, 3.0)
    draw_points(ax, data.X[few], labels[few], "where they lie, with the clusters as they are")
    mean, axes, _ = plane(data.X[few])
    with style():
        for letter, row in (("A", first), ("B", second)):
            x, y = (data.X[row] - mean) @ axes
            ax.plot(x, y, "o", ms=15, mfc="none", mec=INK, mew=2, zorder=6)
            ax.annotate(letter, (x, y), xytext=(9, 7), textcoords="offset points", zorder=7,
                        weight="bold", bbox={"fc": "white", "ec": INK, "pad": 1.5})  # fmt: skip
    return fig
