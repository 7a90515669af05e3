"""What a reader would miss in a figure: axes that do not say what they show, legends over marks.

`show` writes these sentences into the metadata of the stored picture, where a lint of the book
finds them without drawing anything.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from numpy.typing import NDArray

SLACK = 2.0
"""Dots by which a mark may reach under a legend."""


def faults(fig: Figure) -> list[str]:
    """Return what is wrong with a figure that has been drawn, one sentence each."""
    found = []
    for number, ax in enumerate(fig.axes, start=1):
        if ax.get_visible() and ax.axison:
            found += [
                f"axes {number}: the {name} axis has numbers and no label"
                for name, axis in (("x", ax.xaxis), ("y", ax.yaxis))
                if _is_nameless(ax, axis)
            ]
        legend = ax.get_legend()
        if legend is not None and (hidden := n_hidden(ax, legend)):
            found.append(f"axes {number}: the legend lies over {hidden} marks")
    return found


def _is_nameless(ax: Axes, axis: Axis) -> bool:
    """Whether an axis has tick labels that are numbers, and nothing says of what.

    Names of things need no label; a common label of the figure serves all its axes, and a label in
    a grid of axes its column or its row.
    """
    if not axis.get_visible() or any(other.get_label_text() for other in _in_line(ax, axis)):
        return False
    common = ax.figure.get_supxlabel() if axis is ax.xaxis else ax.figure.get_supylabel()
    numbers = [tick.label1 for tick in axis.get_major_ticks() if tick.label1.get_visible()]
    return not common and any(_is_number(label.get_text()) for label in numbers)


def _in_line(ax: Axes, axis: Axis) -> list[Axis]:
    """The axis itself, and in a grid of axes those of its column (x) or of its row (y)."""
    place = ax.get_subplotspec()
    if place is None:
        return [axis]
    across = axis is ax.xaxis
    found = [axis]
    for other in ax.figure.axes:
        spot = other.get_subplotspec()
        if spot is not None and spot.get_gridspec() is place.get_gridspec():
            if across and spot.colspan == place.colspan:
                found.append(other.xaxis)
            elif not across and spot.rowspan == place.rowspan:
                found.append(other.yaxis)
    return found


def _is_number(text: str) -> bool:
    plain = text.replace("\N{MINUS SIGN}", "-").replace("%", "").strip()
    if plain.startswith("$\\mathdefault{10^"):
        return True
    try:
        float(plain)
    except ValueError:
        return False
    return True


def n_hidden(ax: Axes, legend: Legend) -> int:
    """Return how many points of scatters and lines lie under the legend of their axes."""
    box = legend.get_window_extent()
    marks = [_seen(ax, np.asarray(c.get_offsets(), float)) for c in ax.collections]
    lines = [line for line in ax.lines if line.get_transform() == ax.transData]
    marks += [_seen(ax, np.asarray(line.get_xydata(), float)) for line in lines]
    points = np.concatenate([np.empty((0, 2)), *marks])
    inside = (points > np.add(box.min, SLACK)) & (points < np.subtract(box.max, SLACK))
    return int(inside.all(axis=1).sum())


def _seen(ax: Axes, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the plane in dots of the picture, without those at no place."""
    points = points[np.isfinite(points).all(axis=1)]
    places: NDArray[np.float64] = ax.transData.transform(points) if len(points) else points
    return places[np.isfinite(places).all(axis=1)]
