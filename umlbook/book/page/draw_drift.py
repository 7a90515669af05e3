"""Pictures of chapters 6 and 9: patterns over points, parabolas, ends of runs, gains with errors.

Like `draw_points`, each takes an Axes and plain arrays, draws, and returns the Axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from umlbook.book.page.figures import INK, MUTED, PALETTE, class_look, line_look, styled

Floats = NDArray[np.float64]
NARROW = 0.035
"""Share of the longest bar below which a count does not fit into its part."""
HATCHES = ("", "////", "....", "xxxx", "----", "||||", "++++")
SIGN_LOOK = (("^", PALETTE[4], True, "positive"), ("v", PALETTE[5], False, "negative"))
"""Marker, colour, whether it is filled, and name: colours that no cluster of two or three has."""


@styled
def draw_pattern(ax: Axes, X: ArrayLike, values: ArrayLike) -> Axes:
    """Draw a number at each point of the plane: its sign by marker and fill, its size by area."""
    points, numbers = np.asarray(X, dtype=float), np.asarray(values, dtype=float)
    share = np.abs(numbers) / max(float(np.abs(numbers).max()), 1e-300)
    sides = (numbers >= 0, numbers < 0)
    for (marker, color, filled, name), side in zip(SIGN_LOOK, sides, strict=True):
        x, y = points[side].T
        ax.scatter(x, y, s=8 + 60 * share[side], marker=marker, linewidths=0.9, label=name,
                   facecolors=color if filled else "none", edgecolors=color)  # fmt: skip
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    return ax


@styled
def draw_wrong(ax: Axes, X: ArrayLike, labels: ArrayLike, truth: ArrayLike) -> Axes:
    """Draw a ring around each point with the wrong one of two labels, whichever is called 0."""
    wrong = np.asarray(labels) != np.asarray(truth)
    x, y = np.asarray(X, dtype=float)[wrong if wrong.mean() <= 0.5 else ~wrong].T
    ax.plot(x, y, "o", ms=8, mfc="none", mec=PALETTE[2], mew=1.4, ls="none", zorder=6)
    return ax


@styled
def draw_cut(ax: Axes, centers: ArrayLike) -> Axes:
    """Draw the line half way between two centres, which parts what is nearer to each."""
    means = np.asarray(centers, dtype=float)
    (x, y), (across, up) = means.mean(axis=0), np.diff(means, axis=0)[0]
    ax.axline((x, y), (x - up, y + across), color=INK, lw=1.6)
    return ax


@styled
def draw_shrinkage(ax: Axes, sizes: ArrayLike, kept: ArrayLike, lams: Sequence[float]) -> Axes:
    """Draw which share of a deviation a ridge regression keeps, by the size of its feature.

    Parameters
    ----------
    sizes : array-like of shape (m,)
        Singular values of the features.
    kept : array-like of shape (m,)
        The share that was measured at ``lams[0]``.
    lams : sequence of float
        The curves lam / (size^2 + lam) to draw.
    """
    rho = np.asarray(sizes, dtype=float)
    grid = np.geomspace(rho.min() / 2, rho.max() * 2, 200)
    for i, lam in enumerate(lams):
        ax.plot(grid, lam / (grid**2 + lam), lw=1.4, label=f"λ = {lam:g}", **line_look(i))
        half = float(np.clip(np.sqrt(lam), grid[0], grid[-1]))  # where half stays, if it is seen
        ax.annotate(f"λ = {lam:g}", (half, lam / (half**2 + lam)), (-5, -2), ha="right", va="top",
                    textcoords="offset points", color=PALETTE[i], fontsize=8)  # fmt: skip
    ax.plot(rho, kept, "o", ms=6, color=PALETTE[0], mec="white", label=f"measured, λ = {lams[0]:g}")
    ax.set(xscale="log", xlabel="singular value ρ (rough to smooth)", ylim=(-0.04, 1.1),
           ylabel="share that stays")  # fmt: skip
    return ax


@styled
def draw_parabolas(ax: Axes, along: ArrayLike, rows: ArrayLike, floor: ArrayLike) -> Axes:
    """Draw how an objective grows from its minimum along several lines, and a bound from below."""
    steps = np.asarray(along, dtype=float)
    for i, row in enumerate(np.asarray(rows, dtype=float)):
        ax.plot(steps, row, color=PALETTE[0], lw=1.2, alpha=0.6,
                label=None if i else "random directions")  # fmt: skip
    ax.plot(steps, floor, color=PALETTE[1], lw=2.2, ls=(0, (5, 2)), label="bound λ × distance²")
    ax.fill_between(steps, 0, floor, color=PALETTE[1], alpha=0.12, lw=0)
    ax.set(xlabel="signed distance from the minimiser", ylabel="J minus its minimum")
    ax.set_ylim(bottom=0)
    ax.legend(loc="upper center")
    return ax


@styled
def draw_paths(ax: Axes, paths: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Axes:
    """Draw quantities along their steps, each with its name at its end and marks at some steps.

    Parameters
    ----------
    paths : mapping of str to two arrays
        For each path its values and the steps at which they rise.
    """
    for i, (name, (values, steps)) in enumerate(paths.items()):
        path, rises = np.asarray(values, dtype=float), np.asarray(steps, dtype=int)
        ax.plot(path, marker="o", ms=5, label=name, **line_look(i))
        ax.annotate(name, (len(path) - 1, path[-1]), (8, 0), textcoords="offset points",
                    va="center", color=PALETTE[i])  # fmt: skip
        ax.plot(rises, path[rises], "^", ms=12, mfc="none", mec=PALETTE[6], mew=1.8)
        if len(rises):
            ax.annotate("J rises", (rises[0], path[rises[0]]), (-4, 12), ha="right",
                        textcoords="offset points", color=PALETTE[6])  # fmt: skip
    return ax


@styled
def draw_runs(ax: Axes, runs: Mapping[str, ArrayLike]) -> Axes:
    """Draw a row of dots for each way, equal values stacked; below them mean and standard error."""
    for row, values in enumerate(runs.values()):
        numbers = np.sort(np.asarray(values, dtype=float))
        ax.scatter(numbers, row - 0.045 * stacked(numbers), s=22, color=PALETTE[0], alpha=0.8,
                   linewidths=0)  # fmt: skip
        error = numbers.std(ddof=1) / np.sqrt(len(numbers))
        ax.errorbar(numbers.mean(), row + 0.2, xerr=error, fmt="D", ms=5, color=PALETTE[1],
                    capsize=3, lw=1.4)  # fmt: skip
    ax.set_yticks(range(len(runs)), list(runs))
    ax.set_ylim(len(runs) - 0.5, -0.9)
    return ax


def stacked(values: ArrayLike, width: float = 0.012) -> NDArray[np.intp]:
    """Return the place of each value among those in the same bin of `width`: 0 for the first.

    Examples
    --------
    >>> stacked([0.5, 0.501, 0.9])
    array([0, 1, 0])
    """
    bins = np.round(np.asarray(values, dtype=float) / width).astype(int)
    return np.array([np.sum(bins[:i] == place) for i, place in enumerate(bins)])


@styled
def draw_ends(
    ax: Axes, groups: Mapping[str, tuple[ArrayLike, ArrayLike]], *, counted: bool = False
) -> Axes:
    """Draw where runs end, each distinct end once; later groups as rings around earlier ones.

    Parameters
    ----------
    groups : mapping of str to two arrays
        For each kind of start the objectives and the scores at the ends.
    counted : bool, default=False
        Whether to write beside each end how many runs share it.
    """
    for i, (name, ends) in enumerate(groups.items()):
        pairs = np.round(np.column_stack([np.ravel(part) for part in ends]), 3)
        places, counts = np.unique(pairs, axis=0, return_counts=True)
        look = class_look(i)
        x, y = places.T
        ax.scatter(x, y, s=70 + 110 * i, marker=look["marker"], linewidths=1.6, zorder=3,
                   facecolors="none" if i else look["color"], edgecolors=look["color"],
                   label=f"{name} ({len(pairs)})")  # fmt: skip
        for place, count in zip(places, counts, strict=True):
            if counted:
                words = "1 run" if count == 1 else f"{count} runs"
                ax.annotate(words, place, (9, 0), textcoords="offset points", va="center",
                            fontsize=9)  # fmt: skip
    ax.margins(0.25 if counted else 0.12)
    if len(groups) > 1:
        ax.legend(loc="best", markerscale=0.6)
    return ax


@styled
def draw_gains(
    ax: Axes, rows: Sequence[str], gains: Mapping[str, tuple[ArrayLike, ArrayLike]]
) -> Axes:
    """Draw gains over a control with their intervals: a row for each set, a mark for each column.

    Parameters
    ----------
    rows : sequence of str
        Names of the data sets.
    gains : mapping of str to two arrays
        For each column the gains and the half widths of their intervals, one for each row.
    """
    for i, (name, (gain, half)) in enumerate(gains.items()):
        height = np.arange(len(rows)) + 0.17 * (i - (len(gains) - 1) / 2)
        ax.errorbar(np.asarray(gain), height, xerr=np.asarray(half), fmt=class_look(i)["marker"],
                    ms=5, color=class_look(i)["color"], capsize=2, lw=1.1, label=name)  # fmt: skip
    ax.axvline(0, color=INK, lw=1)
    for edge in np.arange(len(rows) - 1) + 0.5:
        ax.axhline(edge, color=MUTED, lw=0.5, ls=":")
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return ax


@styled
def draw_counts(ax: Axes, rows: Sequence[str], parts: Mapping[str, Sequence[int]]) -> Axes:
    """Draw counts as stacked bars, a bar for each row and a hatched part for each name.

    Parameters
    ----------
    rows : sequence of str
        Names of the bars.
    parts : mapping of str to sequence of int
        For each part its count in every bar, written into it, or after the bar if it is narrow.
    """
    left, total = np.zeros(len(rows)), np.sum(list(parts.values()), axis=0)
    for i, (name, counts) in enumerate(parts.items()):
        ax.barh(range(len(rows)), counts, left=left, height=0.7, label=name, lw=1,
                fc=(*to_rgb(PALETTE[i]), 0.22), ec=PALETTE[i], hatch=HATCHES[i])  # fmt: skip
        for row in np.flatnonzero(counts).tolist():
            right = left[row] + counts[row]
            outside = counts[row] < NARROW * total.max() and right == total[row]
            box = {"fc": "white", "ec": "none", "pad": 1.2} if HATCHES[i] else None
            place = right + 0.01 * total.max() if outside else left[row] + counts[row] / 2
            ax.text(place, row, str(counts[row]), ha="left" if outside else "center", va="center",
                    weight="bold", fontsize=9, bbox=box)  # fmt: skip
        left += np.asarray(counts, dtype=float)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return ax


@styled
def draw_bubbles(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], counts: NDArray[np.intp]
) -> Axes:
    """Draw a table of counts as discs with the count for their area; sums stand at its margins.

    Parameters
    ----------
    rows, columns : sequence of str
        Names of the rows and of the columns.
    counts : array of shape (rows, columns)
    """
    down, across = np.nonzero(counts)
    ax.scatter(across, down, s=130 * counts[down, across], lw=1.2,
               fc=(*to_rgb(PALETTE[0]), 0.2), ec=PALETTE[0])  # fmt: skip
    words: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    for row, column in zip(down.tolist(), across.tolist(), strict=True):
        ax.text(column, row, str(counts[row, column]), weight="bold", **words)
    width, height = len(columns) - 0.2, len(rows) - 0.2
    for row, count in enumerate(counts.sum(axis=1).tolist()):
        ax.text(width, row, str(count), color=MUTED, **words)
    for column, count in enumerate(counts.sum(axis=0).tolist()):
        ax.text(column, height, str(count), color=MUTED, **words)
    for edge in np.arange(len(rows)) + 0.5:
        ax.axhline(edge, color=MUTED, lw=0.5, ls=":")
    ax.set_xticks([*range(len(columns)), width], [*columns, "all"])
    ax.set_yticks([*range(len(rows)), height], [*rows, "all"])
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set(xlim=(-0.6, len(columns) + 0.1), ylim=(len(rows) + 0.2, -0.6))
    return ax
