"""Chapters 1 and 3: the k-means objective in five forms, and a direction that can be turned."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from umlbook.algebra import Array, Labels, encode, kmeans_objective, total_scatter, within_scatter
from umlbook.book.hands.hand import Hand, Question, Twin, in_plane, limits, two_clusters
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.figures import MUTED, line_look, new_figure

MOST_CLUSTERS = 3  # for as many there are markers that tell them apart


def five_forms(X: ArrayLike, labels: ArrayLike) -> Hand:
    """Chapter 1: drag points, change their clusters, and see J of (1.1) in five forms.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    labels : array-like of shape (n,)
        Two or three clusters.
    """
    points, codes = in_plane(X), encode(labels)
    if len(codes) != len(points) or codes.max() >= MOST_CLUSTERS:
        raise ValueError(
            f"labels must put the {len(points)} points into at most {MOST_CLUSTERS} clusters, got "
            f"{len(codes)} labels in {codes.max() + 1} clusters"
        )
    x, y = limits(points, 0.9)
    question = Question(
        "You pull one point far away from its cluster. Which of the five numbers changes most?",
        [
            "None: all five change alike",
            "The one with the means, (1.1)",
            "The one with the pairs, (1.4)",
        ],
        "Drag a point, or move it with the arrow keys; the keys 1, 2, 3 change its cluster.",
        order=(1, 2, 0),
    )
    data = {
        "X": points, "labels": codes, "sizes": np.bincount(codes), "x": x, "y": y,
        "J": kmeans_objective(points, codes),
    }  # fmt: skip
    files = ("linear", "kmeans", "points")
    return Hand("points", files, question, data, _one_point_moved(points, codes))


def _one_point_moved(X: Array, labels: Labels) -> Twin:
    moved = X.copy()
    moved[0] += [1.5, 1.0]
    fig, axes = new_figure(8.4, 3.4, ncols=2)
    for ax, points in zip(axes, (X, moved), strict=True):
        draw_clusters(ax, points, labels)
    axes[1].annotate("", moved[0], X[0], arrowprops={"arrowstyle": "->"})
    before, after = kmeans_objective(X, labels), kmeans_objective(moved, labels)
    return fig, (
        f"The points as they lie have J = {before:.3f}; with the first of them moved by (1.5, 1.0) "
        f"they have J = {after:.3f}, in each of the five forms."
    )


def turn_direction(X: ArrayLike, labels: ArrayLike, other: ArrayLike, *, names: list[str]) -> Hand:
    """Chapter 3: turn a direction, and see the blur ratio (3.7) of the points projected on it.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    labels, other : array-like of shape (n,)
        Two partitions into two clusters, to be looked at in turn.
    names : list of str
        What the two partitions are called.
    """
    points = in_plane(X)
    cuts = [two_clusters(labels, len(points)), two_clusters(other, len(points), "other")]
    x, y = limits(points, 0.4, flattest=1.9)
    reach = 0.36 * min(x[1] - x[0], y[1] - y[0])
    question = Question(
        f"On an arrow in which direction do {names[0]} look sharpest, that is, with the least blur "
        "ratio?",
        [
            "An arrow across the lines, near 90 degrees",
            "An arrow along the lines, near 0 degrees",
            "An arrow at 45 degrees",
        ],
        "Drag the ring round, or turn it with the arrow keys, one degree a step.",
        order=(1, 2, 0),
    )
    data = {
        "X": points, "x": x, "y": y, "reach": reach, "start": np.radians(20.0),
        "wide": float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) + 0.1,
        "cuts": [{"name": name, "labels": cut} for name, cut in zip(names, cuts, strict=True)],
    }  # fmt: skip
    files = ("linear", "kmeans", "direction")
    return Hand("direction", files, question, data, _by_direction(points, cuts, names))


def sharpest_direction(X: Array, labels: Labels) -> tuple[float, float]:
    """The least blur ratio of a direction, by (3.10), and its angle in [0, pi)."""
    values, vectors = eigh(within_scatter(X, labels), total_scatter(X))
    return float(values[0]), float(np.arctan2(vectors[1, 0], vectors[0, 0]) % np.pi)


def _by_direction(X: Array, cuts: list[Labels], names: list[str]) -> Twin:
    angles = np.radians(np.arange(181))
    sides = np.column_stack([np.cos(angles), np.sin(angles)])
    fig, axes = new_figure(8.6, 3.0, ncols=2)
    draw_clusters(axes[0], X, np.zeros(len(X)))
    axes[0].collections[0].set_color(MUTED)  # the colours belong to the two partitions
    axes[0].set(xlabel="first feature", ylabel="second feature")
    middle, said = X.mean(axis=0), []
    reach = 0.38 * min(np.ptp(axes[0].get_xlim()), np.ptp(axes[0].get_ylim()))
    for number, (cut, name) in enumerate(zip(cuts, names, strict=True)):
        within, total = (np.sum(sides @ S * sides, axis=1)
                         for S in (within_scatter(X, cut), total_scatter(X)))  # fmt: skip
        axes[1].plot(np.arange(181), within / total, label=name, **line_look(number))
        least, angle = sharpest_direction(X, cut)
        colour, side = line_look(number)["color"], np.array([np.cos(angle), np.sin(angle)])
        axes[1].plot(np.degrees(angle), least, "o", ms=7, color=colour)
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2.5, "shrinkA": 0, "shrinkB": 0}
        axes[0].annotate("", middle + reach * side, middle, arrowprops=arrow, zorder=5)
        axes[0].text(*(middle + 1.2 * reach * side), f"{np.degrees(angle):.0f}°", color=colour,
                     weight="bold", ha="center", va="center", zorder=5)  # fmt: skip
        said.append(f"{name}: {least:.3f} at {np.degrees(angle):.0f} degrees")
    axes[1].set(xlabel="direction of the arrow (0° along the first feature)", ylim=(0, 1.25))
    axes[1].set(ylabel="blur ratio", xticks=range(0, 181, 45))
    axes[1].legend(loc="upper center", ncols=2)
    return fig, (
        "Right: the blur ratio of two partitions of the points, projected on an arrow, by its "
        f"direction. The least (a dot here, an arrow on the left) is, for {said[0]}; for {said[1]}."
    )
