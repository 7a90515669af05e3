"""Pictures of a clustering: the points, where the method sees them, and what the metric is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

import umlbook
from umlbook.book.own.explaining import MOST_COLUMNS, Effects
from umlbook.book.own.methods import feature_weights, learned_space
from umlbook.book.page.draw_points import draw_clusters, draw_ways
from umlbook.book.page.figures import (
    FAINT,
    MUTED,
    PALETTE,
    class_look,
    new_figure,
    style,
    styled,
)

Floats = NDArray[np.float64]

MOST_BARS = 12
MOST_POINTS = 600
"""Points that are drawn: more would only cover each other."""
MOST_WAYS = 40
"""Points whose way is drawn, for the same reason."""


def plane(points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, directions (d, 2) and shares of variance of the first two components.

    The sign of a direction is fixed by its largest entry, so that a picture does not flip.
    """
    mean = points.mean(axis=0)
    _, values, directions = np.linalg.svd(points - mean, full_matrices=False)
    signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
    axes = (directions * signs[:, None]).T[:, :2]
    if axes.shape[1] < 2:  # one column, or one row
        axes = np.column_stack([axes, np.zeros(len(axes))])
    power = values**2
    shares = np.append(power, 0.0)[:2] / max(float(power.sum()), np.finfo(float).tiny)
    return mean, axes, shares


@styled
def draw_points(ax: Axes, points: Floats, labels: NDArray[np.intp], title: str) -> Axes:
    """Draw points on their first two principal components, with their clusters."""
    mean, axes, shares = plane(points)
    flat = (points - mean) @ axes
    draw_clusters(ax, flat, labels, equal=False)
    ax.set(xlabel=f"component 1 ({shares[0]:.0%})", ylabel=f"component 2 ({shares[1]:.0%})")
    ax.set_title(title)
    return ax


@styled
def draw_moves(ax: Axes, X: Floats, moved: Floats, labels: NDArray[np.intp]) -> Axes:
    """Draw where points go, and the ways of some, on the first two components of their start."""
    mean, axes, _ = plane(X)
    start, end = (X - mean) @ axes, (moved - mean) @ axes
    draw_clusters(ax, np.concatenate([start, end]), np.concatenate([labels, labels]), equal=False)
    for collection in list(ax.collections):  # only the limits were wanted
        collection.remove()
    draw_ways(ax, start, end, labels, MOST_WAYS)
    for cluster in np.unique(labels):
        x, y = end[labels == cluster].T
        ax.scatter(x, y, s=14, linewidths=0.5, edgecolors="white", **class_look(int(cluster)))
    ax.set_title("where the points move")
    ax.set(xlabel="component 1", ylabel="component 2")
    return ax


@styled
def draw_bars(ax: Axes, names: Sequence[str], shares: Floats, title: str) -> Axes:
    """Draw the largest shares as horizontal bars with their numbers."""
    order = largest(shares, MOST_BARS)[::-1]
    ax.barh([_short(names[j]) for j in order], shares[order], color=PALETTE[0])
    for place, j in enumerate(order):
        ax.text(shares[j], place, f" {shares[j]:.0%}", va="center", fontsize=8)
    shown = f", the {len(order)} largest of {len(names)}" if len(order) < len(names) else ""
    ax.set(xlabel=f"share{shown}", xlim=(0, 1.2 * float(shares.max())))
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.tick_params(axis="y", labelsize=8)
    ax.set_title(title)
    return ax


@styled
def draw_profile(ax: Axes, found: Effects) -> Axes:
    """Draw how far the mean of each cluster is above that of all rows, column by column."""
    names = found.names[:MOST_COLUMNS]
    places = np.arange(len(names))[::-1]
    ax.axvline(0, color=MUTED, linewidth=0.8)
    for cluster, heights in enumerate(found.heights[:, :MOST_COLUMNS]):
        ax.scatter(heights, places, s=34, label=str(cluster), **class_look(cluster))
    labels = [
        f"{_short(name)} ({share:.0%})" for name, share in zip(names, found.between, strict=False)
    ]
    ax.set_yticks(places, labels, fontsize=8)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set(xlabel="standard deviations above the mean of all rows", ylim=(-0.6, len(names) - 0.4))
    ax.set_title("what sets the clusters apart")
    return ax


def profile_picture(found: Effects) -> Figure:
    """Return the picture of the means of the clusters in the columns that differ most."""
    rows = min(len(found.names), MOST_COLUMNS)
    fig, ax = new_figure(6.0, 1.3 + 0.28 * rows)
    draw_profile(ax, found)
    with style():
        fig.legend(*ax.get_legend_handles_labels(), loc="outside lower left", title="cluster",
                   ncols=10, fontsize=8, title_fontsize=8, frameon=False)  # fmt: skip
    return fig


def _short(name: str, most: int = 18) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def metric_bars(
    model: Any, X: Floats, names: Sequence[str]
) -> tuple[list[str], Floats, str] | None:
    """Return names, shares and title of the learned metric; None for a deformation or a kernel."""
    if isinstance(model, umlbook.NAML):
        return (
            [f"width {w:.2g}" for w in model.widths_],
            model.kernel_weights_,
            "shares of the kernels",
        )
    weights = feature_weights(model, X)
    return None if weights is None else (list(names), weights, "shares of the columns")


def largest(shares: Floats, count: int) -> NDArray[np.intp]:
    """Return the places of the largest shares; equal ones, up to rounding, in their order."""
    return np.argsort(-np.round(shares, 6), kind="stable")[:count]


def alike(shares: Floats) -> bool:
    """Return whether there are several shares, all of them equal: then bars say nothing."""
    return len(shares) > 1 and float(np.ptp(shares)) < 1e-6


def metric_sentence(model: Any, X: Floats, names: Sequence[str]) -> str:
    """Return in words what the metric is."""
    bars = metric_bars(model, X, names)
    if bars is not None and alike(bars[1]):
        return f"{_all_alike(*bars)}."
    if bars is not None:
        shares = (f"{bars[0][j]} {bars[1][j]:.0%}" for j in largest(bars[1], 3))
        return f"Largest {bars[2]}: {', '.join(shares)}."
    if isinstance(model, umlbook.CPDUML):
        move = np.linalg.norm(model.transform(X) - X, axis=1).mean()
        spread = np.sqrt(X.var(axis=0).sum())
        return f"The deformation moves a point by {move / spread:.0%} of the spread of the data."
    return f"No metric is learned; the width of the kernel is {model.sigma_:.2g}."


def _all_alike(names: Sequence[str], shares: Floats, title: str) -> str:
    return f"All {len(names)} {title.split()[-1]} count alike ({shares[0]:.0%} each)"


def picture(model: Any, X: Floats, names: Sequence[str]) -> Figure:
    """Return the picture of a fitted model: points, learned space or moves, and the metric."""
    labels = np.asarray(model.labels_)
    few = np.linspace(0, len(X) - 1, min(len(X), MOST_POINTS)).astype(int)
    space, bars = learned_space(model, X), metric_bars(model, X, names)
    even = bars is not None and alike(bars[1])
    panels = 1 + (space is not None) + (bars is not None and not even)
    fig, axes = new_figure(3.3 * panels if panels > 1 else 5.2, 3.6, ncols=panels, squeeze=False)
    places = iter(axes[0])
    title = f"the scaled data\n{_all_alike(*bars)}" if bars and even else "the scaled data"
    first = draw_points(next(places), X[few], labels[few], title)
    with style():  # under the picture, where it covers no point
        fig.legend(*first.get_legend_handles_labels(), loc="outside lower left", title="cluster",
                   ncols=10, fontsize=8, title_fontsize=8, frameon=False)  # fmt: skip
    if isinstance(model, umlbook.CPDUML):
        draw_moves(next(places), X[few], np.asarray(space)[few], labels[few])
    elif space is not None:
        draw_points(next(places), space[few], labels[few], "as the method sees them")
    if bars is not None and not even:
        draw_bars(next(places), *bars)
    return fig
