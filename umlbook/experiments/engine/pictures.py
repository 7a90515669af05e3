"""The pictures of ``umlbook reproduce``: functions that fill a Matplotlib figure.

A series is told apart by its marker or its place, never by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "osD^vPX<>*"


def draw_shares(panels: Mapping[str, Mapping[str, float]], fig: Figure, label: str) -> None:
    """Bars between 0 and 1, one panel for each key, each bar named."""
    fig.set_size_inches(4.5 * len(panels), 0.8 + 0.33 * max(map(len, panels.values())))
    axes = fig.subplots(1, len(panels), squeeze=False)[0]
    for ax, (title, shares) in zip(axes, panels.items(), strict=True):
        ax.barh(list(shares), list(shares.values()))
        ax.set(title=title, xlabel=label, xlim=(0, 1))
        ax.invert_yaxis()


def draw_boxes(panels: Mapping[str, Mapping[str, Any]], fig: Figure, label: str) -> None:
    """Box plots, one panel for each key, each box named."""
    fig.set_size_inches(4.2 * len(panels), 3.6)
    axes = fig.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for ax, (title, samples) in zip(axes, panels.items(), strict=True):
        ax.boxplot([np.asarray(v)[~np.isnan(v)] for v in samples.values()])
        ax.set_xticklabels(list(samples), rotation=45, ha="right")
        ax.set_title(title)
    axes[0].set_ylabel(label)


def draw_curves(
    panels: Mapping[str, Mapping[str, tuple[Sequence[float], Sequence[float]]]],
    fig: Figure,
    xlabel: str,
    ylabel: str,
    *,
    log: bool = False,
) -> None:
    """Lines with markers, one panel for each key, at most four panels in a row."""
    columns = min(4, len(panels))
    n_rows = -(-len(panels) // columns)
    fig.set_size_inches(3.4 * columns, 2.8 * n_rows)
    axes = fig.subplots(n_rows, columns, squeeze=False).ravel()
    for ax, (title, curves) in zip(axes, panels.items(), strict=False):
        for marker, (name, (x, y)) in zip(MARKERS * 2, curves.items(), strict=False):
            ax.plot(x, y, marker=marker, ms=4, label=name)
        ax.set(title=title, xlabel=xlabel, ylabel=ylabel, xscale="log" if log else "linear")
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    handles, names = axes[0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=4)
