"""Pictures of pairs: as links between points, as points of their own, and as intervals of gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from umlbook.book.page.figures import FAINT, INK, MUTED, class_look, line_look, styled


@styled
def draw_links(ax: Axes, X: ArrayLike, must: ArrayLike, cannot: ArrayLike) -> Axes:
    """Draw a line for each pair: solid for together, dotted for apart.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The points.
    must, cannot : array-like of shape (pairs, 2)
        Numbers of the points of each pair.
    """
    points = np.asarray(X, dtype=float)
    for pairs, dash in ((must, "-"), (cannot, ":")):
        for i, j in np.asarray(pairs):
            ax.plot(*points[[i, j]].T, color=INK, lw=1, ls=dash, zorder=0)
    return ax


@styled
def draw_pair_plane(
    ax: Axes, v: ArrayLike, kinds: ArrayLike, lines: Mapping[str, tuple[ArrayLike, float]]
) -> Axes:
    """Draw each pair as a point, and each metric with its threshold as the line theta'v = mu.

    Parameters
    ----------
    v : array-like of shape (pairs, 2)
        Squared differences of the two coordinates of each pair.
    kinds : array-like of shape (pairs,)
        1 together, -1 apart, 0 not known.
    lines : mapping of str to (theta, mu)
        A name, two weights and a threshold for each metric.
    """
    points, marks = np.asarray(v, dtype=float), np.asarray(kinds)
    names = {0: "not known", 1: "together", -1: "apart"}
    for kind, name in names.items():
        look = {"color": FAINT, "marker": "."} if kind == 0 else class_look((1 - kind) // 2)
        x, y = points[marks == kind].T
        size, above = (14, 1) if kind == 0 else (46, 2)
        ax.scatter(x, y, s=size, label=name, zorder=above, alpha=0.9, **look)
    reach = 1.04 * points.max(axis=0)
    for index, (name, (theta, mu)) in enumerate(lines.items()):
        weights = np.asarray(theta, dtype=float)
        foot, along = mu * weights / (weights @ weights), np.array([-weights[1], weights[0]])
        ends = foot + np.outer([-1, 1], along) * reach.sum() / np.linalg.norm(along)
        look = line_look(index + 2) | ({} if index else {"linestyle": "solid"})
        ax.plot(*ends.T, label=name, zorder=4, lw=2, **look)
    ax.set(xlim=(-0.03 * reach[0], reach[0]), ylim=(-0.03 * reach[1], reach[1]))
    ax.set(xlabel="squared difference, coordinate 1", ylabel="squared difference, coordinate 2")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


@styled
def draw_intervals(
    ax: Axes,
    rows: Sequence[str],
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    first_look: int = 0,
) -> Axes:
    """Draw means with their intervals, one row a name, the series of a row below one another.

    Parameters
    ----------
    rows : sequence of str
        Names of the rows, from the top.
    series : mapping of str to (means, half widths)
        One mean and one half width for each row.
    first_look : int
        Number of the class whose colour and mark the first series has, the next one those of the
        next, where the colours before it mean something else on the page.
    """
    places = np.arange(len(rows), dtype=float)
    ax.axvline(0, color=MUTED, lw=1)
    for index, (name, (means, reach)) in enumerate(series.items()):
        shift = 0.3 * (index - (len(series) - 1) / 2)
        look = class_look(first_look + index)
        ax.errorbar(np.asarray(means), places + shift, xerr=np.asarray(reach), fmt=look["marker"],
                    color=look["color"], ms=4, lw=1, capsize=2, label=name)  # fmt: skip
    ax.set_yticks(places, rows)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(series))
    return ax
