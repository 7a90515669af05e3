"""Pictures of functions of weights: contours on a triangle, and a curve above its tangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from numpy.typing import ArrayLike, NDArray

from umlbook.book.page.figures import INK, MARKERS, MUTED, line_look, styled

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
STEPS = 40
"""Intervals on a side of the triangle; the function is evaluated at 861 points."""
VALLEY, BANDS = 0.75, 9
"""The share of the points that lie in the bands of equal height, and the lines between these."""


@styled
def draw_triangle(
    ax: Axes,
    value: Callable[[NDArray[np.float64]], float],
    *,
    corners: Sequence[str],
    paths: Mapping[str, ArrayLike],
    label: str,
) -> Axes:
    """Draw a function of three weights as contours on the triangle, with paths of weights.

    Parameters
    ----------
    value : callable
        The function of an array of three weights that add up to one.
    corners : sequence of three str
        What stands at each corner.
    paths : mapping of str to array-like of shape (n_steps, 3)
        Name and weights of each path; a cross marks where it ends, and stands alone for a point.
    label : str
        Name of the function, written beside the colour bar.
    """
    counts = [(i, j, STEPS - i - j) for i in range(STEPS + 1) for j in range(STEPS + 1 - i)]
    weights = np.array(counts, dtype=float) / STEPS
    heights = np.array([value(w) for w in weights])
    x, y = (weights @ CORNERS).T
    # Equal steps, so that close lines mean a steep slope; the palest band has all higher values.
    valley = np.linspace(heights.min(), np.quantile(heights, VALLEY), BANDS)
    levels = np.unique(np.append(valley, heights.max()))
    steps = np.linspace(0, 1, len(levels) - 1)
    pale = ListedColormap([(0.45 + 0.5 * s, 0.62 + 0.35 * s, 0.85 + 0.14 * s) for s in steps])
    filled = ax.tricontourf(x, y, heights, levels, cmap=pale, norm=BoundaryNorm(levels, pale.N))
    ax.tricontour(x, y, heights, levels[1:-1], colors=MUTED, linewidths=0.7)
    ax.figure.colorbar(filled, ax=ax, shrink=0.8, label=label, format="%.3f")
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=INK, lw=1.2)
    for index, (name, path) in enumerate(paths.items()):
        points = np.asarray(path, dtype=float) @ CORNERS
        look = line_look(index + 1)
        walked = len(points) > 1  # a single point is a cross and nothing else
        if walked:
            shape = {"marker": MARKERS[index], "ms": 5, "mec": "white", "mew": 0.6, **look}
            ax.plot(*points.T, label=name, **shape)
            _name_start(ax, points[0])
        said = name if not walked else "last point" if index == len(paths) - 1 else None
        ax.plot(*points[-1], "x", ms=11, mew=2.5, color=look["color"], zorder=5, label=said, ls="")
    for (a, b), name, side in zip(CORNERS, corners, ("top", "top", "bottom"), strict=True):
        ax.text(a, b + (0.04 if side == "bottom" else -0.04), name, ha="center", va=side)
    ax.set_axis_off()
    ax.set(aspect="equal", xlim=(-0.15, 1.15), ylim=(-0.12, 1.0))
    ax.legend(loc="upper left", bbox_to_anchor=(-0.08, 1.0))
    return ax


def _name_start(ax: Axes, point: NDArray[np.float64]) -> None:
    """Write "start" beside the triangle, even where the point is near a corner, with a line."""
    ax.annotate(
        "start",
        (float(point[0]), float(point[1])),
        xytext=(40, 8),
        textcoords="offset points",
        va="center",
        arrowprops={"arrowstyle": "-", "color": MUTED},
    )


@styled
def draw_tangents(
    ax: Axes,
    shares: ArrayLike,
    values: ArrayLike,
    lines: Sequence[ArrayLike],
    *,
    name: str,
    of_lines: str = "one line for each beta",
) -> Axes:
    """Draw a curve over [0, 1] and straight lines below it, each with the place where it touches.

    Parameters
    ----------
    shares, values : array-like of shape (n,)
        The curve.
    lines : sequence of array-like of shape (n,)
        The lines at the same places.
    name : str
        What the curve is called in the legend and on its axis.
    of_lines : str
        What the lines are called in the legend.
    """
    x, y = np.asarray(shares, dtype=float), np.asarray(values, dtype=float)
    for index, line in enumerate(lines):
        z = np.asarray(line, dtype=float)
        touch = int(np.argmin(y - z))
        label = of_lines if index == 0 else None
        ax.plot(x, z, color=MUTED, lw=1.0, ls=(0, (5, 2)), label=label)
        ax.plot(x[touch], y[touch], "o", ms=6, color=INK)
    ax.plot(x, y, **line_look(0), label=name)
    ax.set(ylabel=name, xlim=(0, 1), ylim=(y.min() - 0.5 * np.ptp(y), y.max() + 0.1 * np.ptp(y)))
    ax.legend()
    return ax


@styled
def draw_distance(
    ax: Axes, x: float, upper: float, lower: float, name: str, *, shift: tuple[float, float]
) -> Axes:
    """Draw an arrow with two heads from one height to another, with its name beside it.

    Parameters
    ----------
    x : float
        Where the arrow stands.
    upper, lower : float
        Its ends.
    name : str
        What it measures.
    shift : tuple of two float
        From the middle of the arrow to the name, which lies on that side of it.
    """
    ax.annotate("", (x, upper), (x, lower), arrowprops={"arrowstyle": "<->", "color": MUTED})
    place = (x + shift[0], (upper + lower) / 2 + shift[1])
    side = "center" if shift[0] == 0 else "left" if shift[0] > 0 else "right"
    ax.text(*place, name, ha=side, va="center")
    return ax
