"""Pictures of chapters 6 and 9: patterns over points, parabolas, ends of runs, gains with errors.

Like `draw`, each takes an Axes and plain arrays, draws, and returns the Axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from umlbook.book.page.figures import INK, MUTED, PALETTE, class_look, line_look, styled

Floats = NDArray[np.float64]
HATCHES = ("", "////", "....", "xxxx", "----", "||||", "++++")
SIGN_LOOK = (("^", INK, "positive"), ("v", "none", "negative"))  # colours are for clusters


@styled
def draw_pattern(ax: Axes, X: ArrayLike, values: ArrayLike) -> Axes:
    """Draw a number at each point of the plane: its sign by marker and fill, its size by area."""
    points, numbers = np.asarray(X, dtype=float), np.asarray(values, dtype=float)
    share = np.abs(numbers) / max(float(np.abs(numbers).max()), 1e-300)
    for (marker, fill, name), side in zip(SIGN_LOOK, (numbers >= 0, numbers < 0), strict=True):
        x, y = points[side].T
        ax.scatter(x, y, s=4 + 40 * share[side], marker=marker, facecolors=fill,
                   linewidths=0.8, edgecolors=INK, label=name)  # fmt: skip
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
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
    ax.plot(rho, kept, "o", ms=6, color=PALETTE[0], mec="white", label=f"measured, λ = {lams[0]:g}")
    ax.set(xscale="log", xlabel="singular value (rough to smooth)", ylim=(-0.04, 1.06),
           ylabel="share of the deviation that stays")  # fmt: skip
    ax.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
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
def draw_runs(ax: Axes, runs: Mapping[str, ArrayLike]) -> Axes:
    """Draw a row of dots for each way, equal values stacked; below them mean and standard error."""
    for row, values in enumerate(runs.values()):
        numbers = np.sort(np.asarray(values, dtype=float))
        ax.scatter(numbers, row - 0.045 * stacked(numbers), s=10, color=PALETTE[0], alpha=0.75,
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
    ax.legend(loc="best" if not counted else "upper left")
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
        For each part its count in every bar; each count is written into its part.
    """
    left = np.zeros(len(rows))
    for i, (name, counts) in enumerate(parts.items()):
        ax.barh(range(len(rows)), counts, left=left, height=0.7, label=name, lw=1,
                fc=(*to_rgb(PALETTE[i]), 0.22), ec=PALETTE[i], hatch=HATCHES[i])  # fmt: skip
        for row, count in enumerate(counts):
            if count:
                ax.text(left[row] + count / 2, row, str(count), ha="center", va="center",
                        weight="bold", fontsize=9,
                        bbox={"fc": "white", "ec": "none", "pad": 1.2})  # fmt: skip
        left += np.asarray(counts, dtype=float)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return ax
