"""Pictures of the theorems of chapters 2 and 3: weights on a rod, levels of a criterion, shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from umlbook.book.page.figures import INK, MUTED, PALETTE, styled

Floats = NDArray[np.float64]

OCTAHEDRON = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]).T / 2
"""Axes of the picture of the shares of four eigenvectors in a plane: t to three coordinates."""
ASIDE = np.array([0.0, -0.55, 1.0])
"""What is drawn across the page, less its part along the worth: no two corners coincide."""
WRITTEN_SHARE = 0.03
"""Smaller weights on a rod have a disc and no number, so that no two numbers lie on each other."""


@styled
def draw_balance(ax: Axes, places: ArrayLike, weights: Mapping[str, ArrayLike]) -> Axes:
    """Draw weights that lie on a line, a row for each set of them, and where each row balances.

    Parameters
    ----------
    places : array-like of shape (m,)
        Where the weights lie.
    weights : mapping of str to array-like of shape (m,)
        A row for each name; none negative. The area of a disc is its share of the row's sum, which
        is written above it if it is at least `WRITTEN_SHARE`.
    """
    at = np.asarray(places, dtype=float)
    for height, row in enumerate(weights.values()):
        shares = np.asarray(row, dtype=float) / np.sum(row)
        ax.plot([at.min(), at.max()], [height, height], color=MUTED, lw=1, zorder=1)
        ax.scatter(at, np.full(len(at), height), s=330 * shares, color=PALETTE[0], alpha=0.75,
                   linewidths=0, zorder=2)  # fmt: skip
        for place, share in zip(at, shares, strict=True):
            if share >= WRITTEN_SHARE:
                ax.annotate(f"{share:.0%}", (place, height), xytext=(0, 12), ha="center",
                            textcoords="offset points", fontsize=8)  # fmt: skip
        balance = shares @ at
        ax.plot(balance, height + 0.32, marker="^", ms=9, color=PALETTE[1], mec="white", ls="",
                zorder=3, label="balance point" if height == 0 else None)  # fmt: skip
        ax.annotate(f"{balance:.2f}", (balance, height + 0.32), xytext=(8, 0), va="center",
                    textcoords="offset points", color=PALETTE[1], weight="bold")  # fmt: skip
    ax.set_yticks(range(len(weights)), list(weights))
    ax.set_ylim(len(weights) - 0.4, -0.6)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), handletextpad=0.1)
    return ax


@styled
def draw_levels(
    ax: Axes, criterion: Callable[[Floats, Floats], Floats], levels: ArrayLike, title: str
) -> Axes:
    """Draw the lines on which a criterion of two squared correlations is constant.

    Parameters
    ----------
    criterion : callable
        Its value for arrays of the larger and of the smaller one, between 0 and 1.
    levels : array-like
        The values whose lines are drawn, each with its number.
    title : str
    """
    axis = np.linspace(0.005, 0.995, 199)
    first, second = np.meshgrid(axis, axis)
    inside = second <= first
    values = np.where(inside, criterion(first, np.minimum(second, first)), np.nan)
    lines = ax.contour(first, second, values, levels=np.asarray(levels), colors=PALETTE[0],
                       linewidths=1.3)  # fmt: skip
    middles = [part[len(part) // 2] for parts in lines.allsegs for part in parts if len(part)]
    ax.clabel(lines, fmt="%.1f", fontsize=7, manual=middles)  # away from the edges
    ax.plot([0, 1], [0, 1], color=INK, lw=1)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=title)
    ax.set_xlabel(r"$\rho_1^2$")
    return ax


def octahedron_view(eigenvalues: ArrayLike) -> Floats:
    """Two axes of the page, as columns: across it, and up, along which the worth grows."""
    up = np.asarray(eigenvalues, dtype=float) @ OCTAHEDRON
    steep = up @ up
    return np.column_stack([ASIDE - (ASIDE @ up / steep if steep else 0.0) * up, up])


def octahedron_place(shares: ArrayLike, eigenvalues: ArrayLike) -> Floats:
    """Where the shares of four eigenvectors in a plane are drawn; the height is their worth."""
    at = np.asarray(shares, dtype=float) @ OCTAHEDRON @ octahedron_view(eigenvalues)
    at[:, 1] += np.sum(eigenvalues) / 2  # the worth of the middle, where all shares are a half
    return np.asarray(at)


@styled
def draw_hypersimplex(ax: Axes, eigenvalues: ArrayLike, shares: ArrayLike) -> Axes:
    """Draw the shares that four eigenvectors can have in a plane, an octahedron, and points in it.

    It is looked at from such a side that the height of a point is what its shares are worth.

    Parameters
    ----------
    eigenvalues : array-like of shape (4,)
        What a unit of each share is worth; each corner is named with its worth.
    shares : array-like of shape (m, 4)
        Points to be drawn.
    """
    pairs = list(combinations(range(4), 2))
    corners = np.array([[float(i in pair) for i in range(4)] for pair in pairs])
    places = octahedron_place(corners, eigenvalues)
    toward = np.cross(*octahedron_view(eigenvalues).T)
    depth = corners @ OCTAHEDRON @ toward
    for i, j in combinations(range(6), 2):
        if set(pairs[i]) & set(pairs[j]):  # opposite corners have no edge
            third = np.abs(toward).sum() - abs(depth[i]) - abs(depth[j])
            hidden = depth[i] + depth[j] + third < 0  # both faces at the edge look away
            ax.plot(*places[[i, j]].T, color=MUTED, lw=1, ls=":" if hidden else "-", zorder=1)
    top = places[:, 1].max()
    for pair, (x, y) in zip(pairs, places, strict=True):
        best = y == top
        ax.plot(x, y, marker="o", ms=9 if best else 6, color=PALETTE[1] if best else INK, zorder=3)
        name = "".join(str(i + 1) for i in pair)
        ax.annotate(f"{name}: {y:.1f}", (x, y), xytext=(9 if x > 0 else -9, 7 if best else 0),
                    textcoords="offset points", ha="left" if x > 0 else "right", va="center",
                    weight="bold" if best else "normal")  # fmt: skip
    x, y = octahedron_place(shares, eigenvalues).T
    ax.scatter(x, y, marker="s", s=34, color=PALETTE[0], edgecolors="white", zorder=4,
               label="partitions")  # fmt: skip
    ax.axhline(top, color=PALETTE[1], lw=1.2, ls=(0, (5, 2)), zorder=0, label="Ky Fan's bound")
    ax.margins(0.2, 0.08)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.set_ylabel("worth: sum of eigenvalue times share")
    ax.legend(loc="lower right")
    return ax
