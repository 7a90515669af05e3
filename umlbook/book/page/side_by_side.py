"""Pictures of two streams at one step, side by side: points, the array that differs, the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from umlbook.book.page.causes import Evidence
from umlbook.book.page.difference import Value, worst_entry
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.figures import INK, MUTED, PALETTE, new_figure, styled
from umlbook.book.page.invariants import State

Draw = Callable[[Axes, State], object]
RED = "#A6341B"
"""The colour of what differs; a ring or a box says it as well."""


@dataclass(frozen=True)
class SideBySide:
    """What to draw of two streams, and how.

    Attributes
    ----------
    streams : sequence of two sequences
        The states.
    evidence : Evidence
        Their quantities.
    quantity : str or None
        The one that parts first.
    draw : callable or None
        ``draw(ax, state)``, in place of the points.
    points : array-like of shape (n, 2) or None
        Points of the plane, drawn with the labels (and centres) of the states.
    """

    streams: tuple[Sequence[State], Sequence[State]]
    evidence: Evidence
    quantity: str | None
    draw: Draw | None
    points: ArrayLike | None

    @styled
    def figure(self, step: int) -> Figure:
        """Return both streams at one step: a column for each, a row for each kind of picture."""
        rows = self._rows()
        fig, axes = new_figure(8.0, 0.3 + 2.9 * len(rows), len(rows), 2, squeeze=False)
        for line, draw_row in zip(axes, rows, strict=True):
            draw_row(line, step)
        for ax, name, states in zip(axes[0], self.evidence.names, self.streams, strict=True):
            if step < len(states):
                ax.set_title(f"{name}, step {step}")
        return fig

    def _rows(self) -> list[Callable[[Sequence[Axes], int], None]]:
        if self.draw is not None:
            return [self._drawn]
        planar = self.points is not None and "labels" in self.evidence.values
        if planar and self.quantity in (None, "labels", "centers"):
            return [self._planar]
        if self.quantity is None:
            return [self._nothing]
        return [self._planar, self._numbers] if planar else [self._numbers]

    def _each(self, axes: Sequence[Axes], step: int, draw: Callable[[Axes, int], object]) -> None:
        """Draw each stream on its axes, or say why there is nothing to draw."""
        for side, ax in enumerate(axes):
            name, states = self.evidence.names[side], self.streams[side]
            if step >= len(states):
                _say(ax, f"{name} has no step {step}")
                continue
            try:
                draw(ax, side)
            except Exception as error:  # a reader's state can hold anything
                ax.clear()
                _say(ax, f"cannot be drawn\n({type(error).__name__})")

    def _drawn(self, axes: Sequence[Axes], step: int) -> None:
        assert self.draw is not None
        draw = self.draw
        self._each(axes, step, lambda ax, side: draw(ax, self.streams[side][step]))

    def _nothing(self, axes: Sequence[Axes], step: int) -> None:
        self._each(axes, step, lambda ax, side: _say(ax, "a state"))

    # ---- points

    def _planar(self, axes: Sequence[Axes], step: int) -> None:
        X = np.asarray(self.points, dtype=float)
        far = self._far("labels", step)
        moved = self._far("centers", step) if "centers" in self.evidence.values else None

        def draw(ax: Axes, side: int) -> None:
            labels = np.asarray(self._value("labels", side, step)).astype(int)
            centers = self._centres(side, step, X.shape[1])
            draw_clusters(ax, X, labels, centers=centers)
            rings: dict[str, Any] = {
                "facecolors": "none",
                "edgecolors": RED,
                "linewidths": 1.8,
                "zorder": 6,
            }
            if far is not None and far.any():
                ax.scatter(X[far, 0], X[far, 1], s=110, **rings)
                ax.set_xlabel(f"ringed: labels that differ ({far.sum()} of {far.size})")
            elif centers is not None and moved is not None and moved.any():
                ringed = centers[moved.any(axis=1)]
                ax.scatter(ringed[:, 0], ringed[:, 1], s=420, **rings)
                ax.set_xlabel("ringed: centres that differ")

        self._each(axes, step, draw)

    def _centres(self, side: int, step: int, width: int) -> NDArray[Any] | None:
        if "centers" not in self.evidence.values:
            return None
        centers = np.asarray(self._value("centers", side, step))
        return centers if centers.ndim == 2 and centers.shape[1] == width else None

    # ---- numbers

    def _numbers(self, axes: Sequence[Axes], step: int) -> None:
        value = self._value(self.quantity or "", 1, step)
        if isinstance(value, np.ndarray) and value.ndim:
            self._arrays(axes, step)
        else:
            self._paths(axes, step)

    def _arrays(self, axes: Sequence[Axes], step: int) -> None:
        """Draw an array of each stream on one scale of colours, with the worst entry in a box."""
        name = self.quantity or ""
        both = [self._value(name, side, step) for side in (0, 1)]
        finite = [x[np.isfinite(x)] for x in both if isinstance(x, np.ndarray) and x.size]
        low, high = min(map(np.min, finite)), max(map(np.max, finite))
        far = self._far(name, step)

        def draw(ax: Axes, side: int) -> None:
            x = _flat(np.asarray(self._value(name, side, step), dtype=float))
            image = ax.imshow(x, aspect="auto", vmin=low, vmax=high, interpolation="nearest")
            ax.figure.colorbar(image, ax=ax, shrink=0.85)
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(6, integer=True))
            ax.set(ylabel=name, xlabel=f"{x.shape[0]} x {x.shape[1]} entries")
            if far is not None and far.any():
                row, column = _corner(worst_entry(both[0], both[1], far), far.ndim)  # type: ignore[arg-type]
                box: dict[str, Any] = {"xy": (column - 0.5, row - 0.5), "width": 1, "height": 1}
                ax.add_patch(Rectangle(**box, fill=False, ec=RED, lw=2.5, clip_on=False))
                ax.set_xlabel(f"{far.sum()} of {far.size} entries differ; boxed: the worst")

        self._each(axes, step, draw)

    def _paths(self, axes: Sequence[Axes], step: int) -> None:
        """Draw a number along each stream; the other stream is there too, in grey."""
        paths = [_path(values) for values in self.evidence.values[self.quantity or ""]]

        def draw(ax: Axes, side: int) -> None:
            ax.plot(paths[1 - side], color=MUTED, lw=1.2, ls=(0, (1, 1.2)), marker=".", ms=4)
            ax.plot(paths[side], color=PALETTE[0], marker="o", ms=4)
            ax.plot([step], paths[side][step : step + 1], "o", ms=12, mfc="none", mec=INK, mew=1.8)
            ax.set(xlabel=f"step (dotted: {self.evidence.names[1 - side]})", ylabel=self.quantity)
            ax.margins(0.08, 0.15)

        self._each(axes, step, draw)

    # ---- values

    def _value(self, name: str, side: int, step: int) -> Value | None:
        values = self.evidence.values[name][side]
        return values[step] if step < len(values) else None

    def _far(self, name: str, step: int) -> NDArray[np.bool_] | None:
        """Return which entries of a quantity differ; None when that cannot be said."""
        x, y = (self._value(name, side, step) for side in (0, 1))
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.shape == y.shape:
            return self.evidence.measure.far(x, y)
        return None


def _say(ax: Axes, text: str) -> None:
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes)


def _flat(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an array as a matrix: a vector becomes one row."""
    return x.reshape(1, -1) if x.ndim == 1 else x.reshape(len(x), -1)


def _corner(at: tuple[int, ...], ndim: int) -> tuple[int, int]:
    return (0, at[0]) if ndim == 1 else (at[0], at[1])


def _path(values: Sequence[Value]) -> list[float]:
    """Return a number along the steps; NaN where it is none."""
    return [
        float(x) if isinstance(x, np.ndarray) and x.size == 1 and x.dtype.kind in "biuf" else np.nan
        for x in values
    ]
