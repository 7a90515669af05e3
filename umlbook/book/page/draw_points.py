"""Pictures of points in the plane: clusters and their regions, a deformation, a triangle.

Each takes an Axes and plain arrays, draws, and returns the Axes. None of them touches pyplot, and
none says a class by its colour alone: its marker says it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, to_rgb, to_rgba
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter

from umlbook.book.page.figures import FAINT, INK, class_look, styled

Floats = NDArray[np.float64]
Map = Callable[[Floats], ArrayLike]
"""A function of an (m, 2) array of points."""

GRID_LINES = "#8C8C8C"
"""Lines of a grid that is to be seen: contrast 3.4 on white, 5.6 on a dark page."""
TINT = 0.12
"""How much of its colour a region has; the rest is page."""
GRID = 30_000
"""Points of the grid on which a decision boundary is looked for."""


@styled
def draw_clusters(
    ax: Axes,
    X: ArrayLike,
    labels: ArrayLike,
    *,
    centers: ArrayLike | None = None,
    predict: Map | None = None,
    equal: bool = True,
) -> Axes:
    """Draw points of the plane with a marker and colour for each cluster.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The points.
    labels : array-like of shape (n,)
        Their clusters. Numbers 0, 1, ... keep their look from picture to picture even when a
        cluster is empty; other labels get theirs in sorted order.
    centers : array-like of shape (K, 2), optional
        Centres of clusters 0, 1, ..., or in sorted order; rows of NaN are left out.
    predict : callable, optional
        Labels of new points; its regions are tinted and their boundary drawn.
    equal : bool, default=True
        One unit is as long on both axes, as a distance needs; False for mixed units.
    """
    points, marks = _plane(X, "X"), matching(labels, X, "labels")
    _frame(ax, points, equal)
    if predict is not None:
        _draw_regions(ax, predict, marks)
    # A rim sets a mark off from the tint of its region, which takes some of its contrast.
    _scatter(ax, points, marks, rim=0.5 if predict is None else 0.8)
    if centers is not None:
        for index, center in enumerate(_plane(centers, "centers")):
            look = class_look(index)
            ax.plot(*center, ms=15, mec="white", mfc=INK, mew=1.5, marker=look["marker"], zorder=4)
            ax.plot(*center, ms=8, mec="white", mfc=look["color"], marker=look["marker"], zorder=5)
    return ax


@styled
def draw_deformation(
    ax: Axes,
    X: ArrayLike,
    move: Map,
    *,
    labels: ArrayLike | None = None,
    lines: int = 13,
    ways: int = 24,
) -> Axes:
    """Draw what a map of the plane does: the image of a grid, the points, the ways of some.

    A way is thick and fades towards its beginning; all of them would hide each other.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The points before the map.
    move : callable
        The positions (not the displacements) to which it moves an (m, 2) array of points.
    labels : array-like of shape (n,), optional
        Clusters of the points.
    lines : int, default=13
        Grid lines each way.
    ways : int, default=24
        Points whose way is drawn, spread over the rows; fewer if there are fewer points, and
        none with 0.
    """
    start = _plane(X, "X")
    marks = np.zeros(len(start), int) if labels is None else matching(labels, X, "labels")
    end = _plane(move(start), "move(X)")
    if len(end) != len(start):
        raise ValueError(f"move(X) has {len(end)} rows but X has {len(start)}: it must keep them")
    bent = [_plane(move(line), "move(grid)") for line in _grid_lines(start, lines)]
    _frame(ax, np.concatenate([start, end, *bent]), True)
    ax.add_collection(LineCollection(bent, colors=GRID_LINES, linewidths=0.6, alpha=0.7))
    if ways:
        draw_ways(ax, start, end, marks, ways)
    _scatter(ax, end, marks)
    return ax


def draw_ways(ax: Axes, start: Floats, end: Floats, marks: NDArray[Any], ways: int) -> None:
    """Draw the ways of some points, of each cluster in proportion to its size."""
    names = np.unique(marks)
    for name, number in zip(names, class_numbers(names), strict=True):
        rows = np.flatnonzero(marks == name)
        share = max(1, round(ways * len(rows) / len(start)))
        some = rows[np.linspace(0, len(rows) - 1, min(share, len(rows))).astype(int)]
        for i in some:
            _draw_fading(ax, start[i], end[i], class_look(number)["color"])


@styled
def draw_simplex(
    ax: Axes, P: ArrayLike, labels: ArrayLike, *, corners: Sequence[str] = ("1", "2", "3")
) -> Axes:
    """Draw rows that sum to one as points of a triangle; some may lie outside it.

    Parameters
    ----------
    P : array-like of shape (n, 3)
        Barycentric coordinates; a negative entry puts a point outside.
    labels : array-like of shape (n,)
        Clusters of the points.
    corners : sequence of three str
        Names of the corners.
    """
    shares = np.asarray(P, dtype=float)
    if shares.ndim != 2 or shares.shape[1] != 3:
        raise ValueError(f"P has shape {shares.shape}: three columns are expected")
    excess = np.abs(shares.sum(axis=1) - 1)
    if excess.size and excess.max() > 1e-6:
        raise ValueError(
            f"P has row {excess.argmax()} with sum {shares[excess.argmax()].sum():.6g}: "
            "barycentric coordinates sum to one; divide the rows by their sums"
        )
    marks = matching(labels, shares, "labels")
    vertices = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    points = shares @ vertices
    # A name stands beyond all points in the direction of its corner, so that it hides none.
    most = shares.max(axis=0, initial=1)
    beyond = most - 1 + 0.15 * most.max()
    places = vertices + 1.5 * beyond[:, None] * (vertices - vertices.mean(axis=0))
    ax.add_patch(Polygon(vertices, closed=True, fc="white", ec=INK, lw=1.2, zorder=0))
    _frame(ax, np.concatenate([points, places]), True, pad=0.08)
    _scatter(ax, points, marks)
    for (x, y), name in zip(places, corners, strict=True):
        ax.text(x, y, name, ha="center", va="center", weight="bold", zorder=5,
                bbox={"fc": "white", "ec": FAINT, "boxstyle": "round", "alpha": 0.9})  # fmt: skip
    ax.set_axis_off()
    return ax


def class_numbers(names: NDArray[Any]) -> list[int]:
    """Return the number that gives each name its look: itself if it is one, else its place.

    Examples
    --------
    >>> class_numbers(np.array([0, 2])), class_numbers(np.array(["left", "right"]))
    ([0, 2], [0, 1])
    """
    if names.dtype.kind in "iu" and len(names) and names.min() >= 0:
        return [int(name) for name in names]
    return list(range(len(names)))


def matching(values: ArrayLike, like: ArrayLike, name: str) -> NDArray[Any]:
    """Return `values` as an array with one entry for each of `like`, or say what is wrong."""
    array, n = np.asarray(values), len(np.asarray(like))
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}: one entry for each of {n} is expected")
    return array


def _draw_regions(ax: Axes, predict: Map, marks: NDArray[Any]) -> None:
    """Tint the region of each label and draw the lines between them."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    box = ax.get_window_extent()
    columns = round(float(np.sqrt(GRID * box.width / box.height)))
    x, y = np.linspace(left, right, columns), np.linspace(low, high, GRID // columns)
    mesh = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    found = np.asarray(predict(mesh))
    if found.shape != (len(mesh),):
        raise ValueError(f"predict gave shape {found.shape} for {len(mesh)} points: one label each")
    names = np.unique(np.concatenate([marks, found]))
    region = np.searchsorted(names, found).reshape(len(y), len(x))
    colours = [class_look(number)["color"] for number in class_numbers(names)]
    tints = ListedColormap([to_rgba(colour, TINT) for colour in colours])
    ax.imshow(region, tints, origin="lower", extent=(left, right, low, high),
              aspect=ax.get_aspect(), vmin=-0.5, vmax=len(names) - 0.5,
              interpolation="nearest", zorder=0)  # fmt: skip
    for index in np.unique(region) if np.ptp(region) else ():
        # Blurred over one cell, the staircase of the grid becomes the line that it stands for.
        inside = gaussian_filter((region == index).astype(float), 1.0)
        ax.contour(x, y, inside, [0.5], colors=INK, linewidths=1.2, zorder=1)


def _draw_fading(ax: Axes, start: Floats, end: Floats, colour: str, parts: int = 12) -> None:
    """A thick straight way that is faint where it begins."""
    places = start + np.linspace(0, 1, parts + 1)[:, None] * (end - start)
    shades = [(*to_rgb(colour), alpha) for alpha in np.linspace(0.08, 0.6, parts)]
    pieces = list(np.stack([places[:-1], places[1:]], axis=1))
    ax.add_collection(
        LineCollection(pieces, colors=shades, linewidths=2.2, capstyle="butt", zorder=2)
    )


def _grid_lines(points: Floats, lines: int) -> list[Floats]:
    """Return vertical and horizontal lines over the box of `points`, finely cut to be bent."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * (high - low)
    x, y = np.linspace(low - margin, high + margin, lines).T
    fine_x, fine_y = np.linspace(low - margin, high + margin, 60).T
    vertical = [np.column_stack([np.full(60, at), fine_y]) for at in x]
    return vertical + [np.column_stack([fine_x, np.full(60, at)]) for at in y]


def _scatter(ax: Axes, points: Floats, marks: NDArray[Any], rim: float = 0.5) -> None:
    size = float(np.clip(4000 / max(len(points), 1), 12, 40))
    names = np.unique(marks)
    for name, number in zip(names, class_numbers(names), strict=True):
        x, y = points[marks == name].T
        ax.scatter(x, y, s=size, linewidths=rim, edgecolors="white", zorder=3,
                   label=str(name), **class_look(number))  # fmt: skip


def _frame(ax: Axes, points: Floats, equal: bool, *, pad: float = 0.07) -> None:
    """Fix the limits around `points`; with `equal`, widen them to the shape of the axes."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    margin = pad * np.maximum(high - low, 1e-3 * max(float((high - low).max()), 1e-12))
    if equal:
        box = ax.get_window_extent()
        scale = max((high - low + 2 * margin) / (box.width, box.height))
        margin = (scale * np.array([box.width, box.height]) - (high - low)) / 2
    ax.set_xlim(low[0] - margin[0], high[0] + margin[0])
    ax.set_ylim(low[1] - margin[1], high[1] + margin[1])
    ax.set_aspect("equal" if equal else "auto")
    place = ax.get_subplotspec()  # in a grid of axes the outer ones speak for all
    if not ax.get_xlabel() and (place is None or place.is_last_row()):
        ax.set_xlabel("first coordinate")
    if not ax.get_ylabel() and (place is None or place.is_first_col()):
        ax.set_ylabel("second coordinate")


def _plane(points: ArrayLike, name: str) -> Floats:
    array = np.asarray(points, dtype=float)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0:
        raise ValueError(
            f"{name} has shape {array.shape}: points of the plane, shape (n, 2), are expected; "
            "choose or project to two columns first"
        )
    return array
