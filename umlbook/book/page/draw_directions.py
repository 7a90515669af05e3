"""Pictures of canonical directions: how they are found, and what lies along each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from umlbook.algebra import total_scatter, within_scatter
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.figures import INK, MUTED, PALETTE, styled

Floats = NDArray[np.float64]
FAR = 1.18
"""How far out, in lengths of its arrow, the name of a direction stands."""


def canonical_directions(X: ArrayLike, labels: ArrayLike) -> Floats:
    """The directions as columns, in the order of their sharpness, with total scatter n."""
    data = np.asarray(X, dtype=float)
    B = eigh(within_scatter(data, labels), total_scatter(data))[1] * np.sqrt(len(data))
    B *= np.sign(B[np.abs(B).argmax(axis=0), range(len(B))])
    B[:, 0] *= np.sign(np.linalg.det(B))  # so that the last step is a turn, without a mirror
    return np.asarray(B)


def canonical_views(X: ArrayLike, labels: ArrayLike) -> list[Floats]:
    """Three maps for the columns of centred data: as measured, whitened, and turned.

    Whitened data have ``S_t = n I``; the last map takes the canonical directions to the axes.
    """
    data = np.asarray(X, dtype=float)
    values, vectors = np.linalg.eigh(total_scatter(data) / len(data))
    B = canonical_directions(data, labels)
    return [np.eye(data.shape[1]), vectors / np.sqrt(values) @ vectors.T, B]


@styled
def draw_canonical(axes: Sequence[Axes], X: ArrayLike, labels: ArrayLike) -> Sequence[Axes]:
    """Draw two features as measured, whitened, and turned to the canonical directions.

    Each panel has the ellipses of the scatter in total (solid) and within clusters (dashed), and
    the two directions on which to project, as arrows.

    Parameters
    ----------
    axes : three axes
    X : array-like of shape (n, 2)
    labels : array-like of shape (n,)
    """
    data = np.asarray(X, dtype=float)
    centred = data - data.mean(axis=0)
    scatters = [total_scatter(data) / len(data), within_scatter(data, labels) / len(data)]
    B = canonical_directions(data, labels)
    circle = np.array([np.cos(t := np.linspace(0, 2 * np.pi, 200)), np.sin(t)])
    for ax, M in zip(axes, canonical_views(data, labels), strict=True):
        draw_clusters(ax, centred @ M, labels)
        for mark in ax.collections:
            mark.set_alpha(0.35)
        for S, dash in zip(scatters, ("-", "--"), strict=True):
            ellipse = np.linalg.cholesky(M.T @ S @ M) @ circle
            ax.plot(*ellipse, dash, color=INK, lw=2, zorder=5)
        for number, b in enumerate(np.linalg.solve(M, B).T, start=1):
            tip = 0.36 * np.ptp(ax.get_xlim()) * b / np.linalg.norm(b)
            ax.annotate("", tip, (0, 0), zorder=6,
                        arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 2})  # fmt: skip
            x, y = FAR * tip
            ax.text(x, y, rf"$b_{number}$", ha="center", va="center", zorder=6, fontsize=12)
    return axes


@styled
def draw_left_end(ax: Axes, place: float, far: float, shares: Mapping[str, float]) -> Axes:
    """Draw the left end of a rod with two places, a row for each share of weight at the far one.

    Parameters
    ----------
    place, far : float
        The two places; only the first is in the picture, of the other an arrow tells.
    shares : mapping of str to float
        The weight at the far place as a share of the whole, for each row.
    """
    balances = [place + share * (far - place) for share in shares.values()]
    right = max(balances) + 0.8 * (max(balances) - place)
    for row, (share, balance) in enumerate(zip(shares.values(), balances, strict=True)):
        ax.plot([place, right], [row, row], color=MUTED, lw=1, zorder=1)
        ax.scatter(place, row, s=300 * (1 - share), color=PALETTE[0], alpha=0.75, lw=0, zorder=2)
        ax.text(place, row - 0.2, f"{1 - share:.1%}", ha="center", va="bottom", fontsize=8)
        ax.text(right, row - 0.1, f"{share:.1%} at {far:.2f} →", ha="right", fontsize=8)
        ax.plot(balance, row + 0.2, "^", ms=9, color=PALETTE[1], mec="white", zorder=3)
        ax.text(balance, row + 0.42, f"{balance:.3f}", color=PALETTE[1], weight="bold",
                ha="center", va="center")  # fmt: skip
    ax.set(yticks=range(len(shares)), yticklabels=list(shares), ylim=(len(shares) - 0.3, -0.6))
    ax.set(xlim=(place - 0.15 * (right - place), right))
    return ax


@styled
def draw_rods(ax: Axes, rods: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Axes:
    """Draw rods with a line for each direction, so that no weight hides another.

    Parameters
    ----------
    rods : mapping of str to (places, shares)
        Where the directions of a rod lie, marked by ticks, and their shares of the weight, which
        are the areas of the discs; a triangle marks the balance point.
    """
    for row, (places, shares) in enumerate(rods.values()):
        at, share = np.asarray(places, dtype=float), np.asarray(shares, dtype=float)
        heights = row + 0.16 * np.arange(len(at)) - 0.3
        middle, low = float(share @ at / share.sum()), heights[-1] + 0.2
        ax.hlines(heights, 0, 1, color=MUTED, lw=0.8, zorder=1)
        ax.scatter(at, heights, s=330 * share / share.sum(), color=PALETTE[0], alpha=0.75, lw=0,
                   zorder=2)  # fmt: skip
        ax.plot(at, heights, "|", ms=9, mew=1.5, color=INK, zorder=3)
        ax.plot(middle, low, "^", ms=10, color=PALETTE[1], mec="white", ls="",
                label=None if row else "balance point")  # fmt: skip
        ax.text(middle + 0.05, low, f"{middle:.3f}", va="center", color=PALETTE[1],
                weight="bold")  # fmt: skip
    ax.set(yticks=range(len(rods)), yticklabels=list(rods), xlim=(-0.03, 1.03))
    ax.set(ylim=(len(rods) - 0.4, -0.5))
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), handletextpad=0.1)
    return ax


@styled
def draw_two_on_means(
    ax: Axes, means: Mapping[str, tuple[float, float]], names: Sequence[str]
) -> Axes:
    """Draw what each mean says of two partitions, a row for each mean; the smaller one is filled.

    Parameters
    ----------
    means : mapping of str to (float, float)
    names : sequence of two str
        Names of the partitions.
    """
    looks = [(PALETTE[0], "o"), (PALETTE[1], "s")]
    for row, pair in enumerate(means.values()):
        ax.plot([0, 1], [row, row], color=MUTED, lw=1, zorder=1)
        for value, (colour, mark), name in zip(pair, looks, names, strict=True):
            fill = colour if value == min(pair) else "white"
            ax.plot(value, row, mark, ms=10, color=colour, mfc=fill, mew=2, ls="", zorder=2,
                    label=None if row else name)  # fmt: skip
            side = -0.36 if name == names[0] else 0.36
            ax.text(value, row + side, f"{value:.2f}", ha="center", va="center", fontsize=8)
    ax.set(yticks=range(len(means)), yticklabels=list(means), xlim=(-0.03, 1.03))
    ax.set(ylim=(len(means) - 0.4, -0.7))
    for handle in ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2).legend_handles:
        if handle is not None:
            handle.set_markerfacecolor(handle.get_color())  # type: ignore[attr-defined]
    return ax
