"""Pictures of tables: gaps, lines, average ranks, print beside ours, and that cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike

from umlbook.book.page.figures import FAINT, INK, LINES, PALETTE, class_look, line_look

POINTS = "osD^vPX*"
HATCHES = ("", "//", "..", "--", "xx", "||", "++")


def draw_differences(
    ax: Axes, points: ArrayLike, rows: Sequence[str], columns: Sequence[str], least: float = 10
) -> Axes:
    """Draw losses as orange cells and gains as purple ones, with numbers on those that are large.

    Parameters
    ----------
    points : array (rows, columns)
        Full colour is reached at four times `least`.
    rows, columns : sequence of str
        Names of both.
    least : float
        Cells that round to less, up or down, are left without a number.
    """
    grid = np.asarray(points, dtype=float)
    ax.imshow(grid, cmap="PuOr", vmin=-4 * least, vmax=4 * least, aspect="auto")
    for (i, j), value in np.ndenumerate(grid):
        if abs(round(value)) >= least:
            dark = value > 2.3 * least or value < -2.7 * least  # orange is the lighter colour
            colour = "white" if dark else "#222222"
            ax.text(j, i, f"{value:+.0f}", ha="center", va="center", color=colour, fontsize=8)
    ax.set_xticks(range(len(columns)), columns, rotation=40, ha="right")
    ax.set_yticks(range(len(rows)), rows)
    ax.grid(False)
    return ax


def draw_lines(ax: Axes, lines: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Axes:
    """Draw a line for each name, with a colour and a marker of its own.

    Parameters
    ----------
    lines : mapping of str to (array (n,), array (n,))
        Where the points of each line are, and how high; at most as many as there are colours.
    """
    if len(lines) > len(LINES):
        raise ValueError(
            f"{len(lines)} lines, and {len(LINES)} colours that can be told apart: divide the "
            "lines among several axes"
        )
    for k, (name, (x, y)) in enumerate(lines.items()):
        ax.plot(x, y, marker=POINTS[k], ms=5, label=name, **line_look(k))
    return ax


def draw_ranks(ax: Axes, ranks: Mapping[str, float], difference: float, marked: str = "") -> Axes:
    """Draw average ranks with bars as long as the critical difference; told apart: no overlap.

    Parameters
    ----------
    ranks : mapping of str to float
        The average rank of each method.
    difference : float
        The critical difference; half of it goes to each side.
    marked : str
        The method whose bar is drawn over the whole height, for the others to be compared with.
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    for i, name in enumerate(names):
        look = class_look(1 if name == marked else 0)
        ends = [ranks[name] - difference / 2, ranks[name] + difference / 2]
        ax.plot(ends, [i, i], color=look["color"], lw=2, solid_capstyle="butt")
        ax.plot(ranks[name], i, ms=6, ls="none", **look)
        if name == marked:
            ax.axvspan(*ends, color=look["color"], alpha=0.12, lw=0)
    ax.set_yticks(range(len(names)), [f"{name} ({ranks[name]:.1f})" for name in names])
    ax.invert_yaxis()
    ax.set_xlabel("average rank; each bar is one critical difference long")
    return ax


def draw_beside(
    ax: Axes,
    printed: ArrayLike,
    ours: ArrayLike,
    verdicts: Sequence[str],
    hollow: Sequence[bool] = (),
) -> Axes:
    """Draw our number against the printed one, a mark per cell, by verdict; on the line they agree.

    Parameters
    ----------
    printed, ours : array (n,)
    verdicts : sequence of str
        What is said of each cell; each verdict has a marker and a colour of its own, the last of
        the alphabet the first of these.
    hollow : sequence of bool, optional
        The cells whose marks are open, as those of a second score.
    """
    x, y, said = np.asarray(printed), np.asarray(ours), np.asarray(verdicts)
    is_open = np.asarray(hollow if len(hollow) else np.zeros(len(x)), dtype=bool)
    both = np.concatenate([x, y])
    pad = 0.05 * np.ptp(both)
    ends = [both.min() - pad, both.max() + pad]
    ax.plot(ends, ends, color=INK, lw=1, ls="--")
    for i, verdict in enumerate(sorted(set(said.tolist()), reverse=True)):
        here = said == verdict
        look = class_look(i)
        filled = here & ~is_open
        ax.scatter(x[filled], y[filled], label=f"{verdict} ({here.sum()})", s=18, **look)
        edge = {"marker": look["marker"], "edgecolors": look["color"], "lw": 0.8}
        if np.any(here & is_open):
            ax.scatter(x[here & is_open], y[here & is_open], s=18, facecolors="none", **edge)
    ax.set(xlabel="printed", ylabel="ours", xlim=ends, ylim=ends)
    ax.legend(loc="upper left", fontsize=8)
    return ax


def draw_three(
    ax: Axes,
    groups: Sequence[str],
    numbers: Mapping[str, ArrayLike],
    ylabel: str,
    shaded: Sequence[bool] = (),
    names: Sequence[str] = (),
) -> Axes:
    """Draw several numbers of each cell of a table, cell after cell, its groups side by side.

    Parameters
    ----------
    groups : sequence of str
        The group of each cell; cells of a group stand together, and a line divides two groups.
    numbers : mapping of str to array (n,)
        For each mark of the legend one number a cell; NaN leaves it out.
    shaded : sequence of bool
        The cells that stand on a grey ground.
    names : sequence of str
        What to write below each cell; the names of the groups then stand above.
    """
    for i in np.flatnonzero(shaded):
        ax.axvspan(i - 0.5, i + 0.5, color=FAINT[:7], alpha=0.18, lw=0)
    where = {group: [i for i, g in enumerate(groups) if g == group] for group in groups}
    middles = [float(np.mean(places)) for places in where.values()]
    for k, (label, values) in enumerate(numbers.items()):
        colour = INK if k == 0 else class_look(k)["color"]
        ax.plot(
            range(len(groups)), np.asarray(values, dtype=float), ls="none", label=label,
            marker="sod"[k], ms=(7, 4, 5)[k], color=colour, mfc="none" if k == 0 else colour,
        )  # fmt: skip
    for places in list(where.values())[1:]:
        ax.axvline(places[0] - 0.5, color=INK, lw=0.5, alpha=0.4)
    if names:
        ax.set_xticks(range(len(names)), names, rotation=90, fontsize=6.5)
        for middle, group in zip(middles, where, strict=True):
            above = ax.get_xaxis_transform()
            ax.text(middle, 1.02, group, transform=above, ha="center", fontsize=9)
    else:
        ax.set_xticks(middles, list(where))
    ax.tick_params(axis="x", length=0)
    ax.set(ylabel=ylabel, xlim=(-0.5, len(groups) - 0.5))
    ax.grid(False, axis="x")
    return ax


def draw_shares(ax: Axes, rows: Sequence[str], parts: Mapping[str, Sequence[int]]) -> Axes:
    """Draw counts as stacked bars of equal length; all parts but the first are hatched.

    Parameters
    ----------
    rows : sequence of str
        Names of the bars; the sum of each is written behind its name.
    parts : mapping of str to sequence of int
        For each part its count in every bar, written on it in a box.
    """
    totals = np.sum(list(parts.values()), axis=0)
    left = np.zeros(len(rows))
    box = {"fc": "white", "ec": "none", "pad": 0.8}
    words: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "fontsize": 8}
    for i, (name, counts) in enumerate(parts.items()):
        width = np.asarray(counts) / totals
        drawn = np.flatnonzero(counts)
        ax.barh(drawn, width[drawn], left=left[drawn], height=0.7, label=name, lw=1,
                fc="none" if HATCHES[i] else (*to_rgb(PALETTE[i]), 0.22), ec=PALETTE[i],
                hatch=HATCHES[i])  # fmt: skip
        for row in drawn.tolist():
            ax.text(left[row] + width[row] / 2, row, str(counts[row]), bbox=box, **words)
        left += width
    names = [f"{name} ({total})" for name, total in zip(rows, totals, strict=True)]
    ax.set_yticks(range(len(rows)), names)
    ax.set(xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
    ax.grid(False)
    return ax
