"""Pictures of numbers: a path of values, a kernel, a spectrum, the distances of pairs.

Each takes an Axes and plain arrays, draws, and returns the Axes. None of them touches pyplot, and
none says a class by its colour alone: markers, dashes or hatching say it as well.
"""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from umlbook.book.page.draw_points import matching
from umlbook.book.page.figures import INK, MUTED, PALETTE, styled


@styled
def draw_path(
    ax: Axes,
    values: ArrayLike,
    *,
    label: str,
    bound: float | None = None,
    sign: int = -1,
) -> Axes:
    """Draw a quantity along the steps and mark the steps at which it goes the wrong way.

    Parameters
    ----------
    values : array-like of shape (n_steps,)
        The quantity after each step; NaN leaves a gap.
    label : str
        Its name, written on the vertical axis.
    bound : float, optional
        A level that it cannot pass, drawn dashed.
    sign : {-1, 0, 1}, default=-1
        -1 marks rises, 1 marks falls, 0 marks nothing.
    """
    path = np.asarray(values, dtype=float)
    if path.ndim != 1 or len(path) == 0:
        raise ValueError(f"values has shape {path.shape}: one number for each step is expected")
    steps = np.arange(len(path))
    ax.plot(steps, path, color=PALETTE[0], marker="o", ms=4 if len(path) < 30 else 2.5)
    wrong = wrong_way(path, sign)
    if len(wrong):
        word = "rises" if sign < 0 else "falls"
        ax.plot(wrong, path[wrong], "^" if sign < 0 else "v", ms=9, color=PALETTE[1], label=word)
    if bound is not None:
        ax.axhline(bound, color=INK, lw=1.2, ls=(0, (5, 2)), label="bound")
    if len(wrong) or bound is not None:
        ax.legend()
    ax.set(xlabel="step", ylabel=label)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.margins(x=0.06, y=0.12)
    return ax


@styled
def draw_kernel(ax: Axes, K: ArrayLike, *, order: ArrayLike | None = None) -> Axes:
    """Draw a kernel matrix as a heat map with its colour bar.

    Parameters
    ----------
    K : array-like of shape (n, n)
        The kernel. The colours start at zero; with entries of both signs, as after centring,
        zero is white.
    order : array-like of shape (n,), optional
        Permutation of rows and columns, for instance ``np.argsort(labels, kind="stable")``.
    """
    values = np.asarray(K, dtype=float)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"K has shape {values.shape}: a square matrix is expected")
    if order is not None:
        index = np.asarray(order)
        if not np.array_equal(np.sort(index), np.arange(len(values))):
            raise ValueError(
                f"order is not a permutation of 0..{len(values) - 1}: "
                'from labels make one with np.argsort(labels, kind="stable")'
            )
        values = values[np.ix_(index, index)]
    reach = np.abs(values).max()
    # Rounding leaves tiny negative entries in a nonnegative kernel: they are not a second sign.
    signed = values.min() < -1e-9 * reach
    # Few levels, and an odd number of them so that zero has its own, keep the stored PNG small.
    levels = colormaps["PuOr" if signed else "cividis"].resampled(31)
    image = ax.imshow(values, levels, interpolation="nearest", vmin=-reach * signed, vmax=reach)
    ax.figure.colorbar(image, ax=ax, shrink=0.9, label="entry")
    ax.spines[:].set_visible(False)
    ax.set(xlabel="point", ylabel="point")
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    return ax


@styled
def draw_spectrum(ax: Axes, eigenvalues: ArrayLike, k: int) -> Axes:
    """Draw eigenvalues in descending order and set the `k` largest apart.

    Parameters
    ----------
    eigenvalues : array-like of shape (n,)
        The eigenvalues, in any order.
    k : int
        How many are kept: filled circles; the others are hollow squares.
    """
    values = np.sort(np.asarray(eigenvalues, dtype=float).ravel())[::-1]
    if not 0 <= k <= len(values):
        raise ValueError(f"k is {k}: between 0 and the {len(values)} eigenvalues given")
    place = np.arange(1, len(values) + 1)
    ax.axhline(0, color=MUTED, lw=0.8)
    ax.vlines(place, 0, values, color=[PALETTE[0]] * k + [MUTED] * (len(values) - k), lw=1.2)
    ax.plot(place[:k], values[:k], "o", ms=7, color=PALETTE[0], label=f"{k} largest")
    ax.plot(place[k:], values[k:], "s", ms=6, mfc="white", mec=MUTED, label="the others")
    if 0 < k < len(values):
        ax.axvline(k + 0.5, color=INK, lw=1.2, ls=(0, (5, 2)))
    ax.legend()
    ax.set(xlabel="place", ylabel="eigenvalue")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


@styled
def draw_pairs(ax: Axes, distances: ArrayLike, same: ArrayLike, *, bins: int = 30) -> Axes:
    """Draw how far apart pairs are: within one cluster, and across two.

    Parameters
    ----------
    distances : array-like of shape (n_pairs,)
        The distance of each pair.
    same : array-like of bool, shape (n_pairs,)
        Whether the two points belong together.
    bins : int, default=30
        Bars of the histogram.
    """
    gaps = np.asarray(distances, dtype=float).ravel()
    together = matching(same, gaps, "same").astype(bool)
    edges = np.histogram_bin_edges(gaps, bins).tolist()
    sides = ((together, "same cluster", "////", 0), (~together, "different", "....", 1))
    for chosen, name, hatch, index in sides:
        if not chosen.any():
            continue
        weights = np.full(chosen.sum(), 1.0 / chosen.sum())
        ax.hist(gaps[chosen], edges, weights=weights, histtype="stepfilled", lw=1.6, hatch=hatch,
                fc=(*to_rgb(PALETTE[index]), 0.18), ec=PALETTE[index],
                label=f"{name} ({chosen.sum()} pairs)")  # fmt: skip
    ax.legend()
    ax.set(xlabel="distance", ylabel="share of pairs")
    return ax


def wrong_way(values: ArrayLike, sign: int, *, rtol: float = 1e-9) -> NDArray[np.intp]:
    """Return the steps at which `values` moves against `sign` by more than rounding.

    Examples
    --------
    >>> wrong_way([3.0, 2.0, 2.5, 1.0], sign=-1)
    array([2])
    """
    path = np.asarray(values, dtype=float)
    slack = rtol * np.maximum(np.abs(path[1:]), np.abs(path[:-1]))
    return np.flatnonzero(sign * np.diff(path) < -slack) + 1
