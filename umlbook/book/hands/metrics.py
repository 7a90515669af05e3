"""Chapters 4 and 7: an ellipse that can be stretched, and a metric that learns from pairs."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from umlbook.algebra import Array, Labels
from umlbook.book.hands.hand import Hand, Question, Twin, in_plane, limits, two_clusters
from umlbook.book.hands.two_means import best_two_means, right_labels
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.figures import INK, new_figure
from umlbook.daem import softplus

TAU = 0.1
"""Weight of tr A: pairs that can be told apart have no best metric without it (section 7.6)."""
CIRCLE = np.linspace(0, 2 * np.pi, 121)


def stretch_metric(X: ArrayLike, truth: ArrayLike) -> Hand:
    """Chapter 4: stretch and turn the ellipse of equal distance, and see the clusters of k-means.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    truth : array-like of shape (n,)
        Two clusters, with which those of k-means are compared.
    """
    points = in_plane(X)
    labels = two_clusters(truth, len(points), "truth")
    x, y = limits(points, 0.3, flattest=1.9)
    question = Question(
        "All points of an ellipse have the distance one from its centre. With the circle, k-means "
        "cuts the lines across. Which ellipse makes it find them?",
        [
            "One that is long along the lines",
            "One that is long across the lines",
            "None: k-means keeps cutting across",
        ],
        "Drag the two rings, or use the arrow keys: the first also turns the ellipse.",
    )
    values, vectors = np.linalg.eigh(np.cov(points.T, bias=True))
    data = {
        "X": points, "truth": labels, "x": x, "y": y, "centre": points.mean(axis=0),
        "lengths": [0.2, 2.4], "plain": right_labels(labels, best_two_means(points)),
        "deviations": np.sqrt(values[::-1]),
        "turn": float(np.arctan2(vectors[1, 1], vectors[0, 1]) % np.pi),
    }  # fmt: skip
    files = ("linear", "kmeans", "ellipse")
    return Hand("ellipse", files, question, data, _circle_and_whitening(points, labels))


def _circle_and_whitening(X: Array, labels: Labels) -> Twin:
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
    roots = [np.eye(2), vectors / np.sqrt(values)]
    found = [best_two_means(X @ root) for root in roots]
    right = [right_labels(labels, one) for one in found]
    circle = np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    fig, axes = new_figure(8.4, 3.0, ncols=2)
    for ax, one, root in zip(axes, found, roots, strict=True):
        draw_clusters(ax, X, one)
        ax.plot(*(X.mean(axis=0) + circle @ np.linalg.inv(root)).T, color=INK)
        ax.set(xlabel="first axis", ylabel="second axis")
    return fig, (
        f"The ellipse of distance one and the clusters of k-means. Left, the circle: {right[0]} of "
        f"{len(X)} points are right. Right, the ellipse of the data's own spread, with half axes "
        f"{np.sqrt(values[1]):.2f} and {np.sqrt(values[0]):.2f}: {right[1]} are right."
    )


def link_pairs(X: ArrayLike, truth: ArrayLike) -> Hand:
    """Chapter 7: say of two points that they belong together or apart, and see the metric learn.

    The metric minimises (7.11) over all 2 x 2 matrices without a negative eigenvalue, plus
    `TAU` times its trace; then k-means is run under it.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    truth : array-like of shape (n,)
        Two clusters, with which those of k-means are compared.
    """
    points = in_plane(X)
    labels = two_clusters(truth, len(points), "truth")
    x, y = limits(points, 0.5)
    question = Question(
        "You say that two ends of one band belong together, and that two points in different bands "
        "do not. What will the metric do with the direction along the bands?",
        [
            "Give it hardly any weight",
            "Give it more weight than before",
            "Leave it as it is",
        ],
        "Choose two points by a click (or arrow keys and Enter), then say together or apart.",
    )
    data = {
        "X": points, "truth": labels, "x": x, "y": y, "tau": TAU, "mu": 1.0, "near": 0.35,
        "centre": points.mean(axis=0), "first": int(np.argmin(points[:, 0])),
        "plain": right_labels(labels, best_two_means(points)),
    }  # fmt: skip
    files = ("linear", "kmeans", "logistic", "pairs")
    return Hand("pairs", files, question, data, _two_pairs_told(points, labels))


def learned_metric(differences: Array, kinds: Array, tau: float = TAU) -> tuple[Array, float]:
    """The A and mu of least (7.11) + tau tr A; kinds are +1 for together and -1 for apart."""

    def metric(x: Array) -> Array:
        root = x[:4].reshape(2, 2)
        return root @ root.T

    def cost(x: Array) -> float:
        A = metric(x)
        margins = np.sum(differences @ A * differences, axis=1) - x[4] ** 2
        return float(np.sum(softplus(kinds * margins)) + tau * np.trace(A))

    end = minimize(cost, np.array([1.0, 0.1, 0.0, 1.0, 1.0]), method="BFGS", options={"gtol": 1e-7})
    return metric(end.x), float(end.x[4] ** 2)


def telling_pairs(X: Array, labels: Labels) -> list[tuple[int, int]]:
    """The two samples of cluster 0 that are farthest apart, and the nearest two across clusters."""
    first, second = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    wide, close = cdist(X[first], X[first]), cdist(X[first], X[second])
    i, j = np.unravel_index(np.argmax(wide), wide.shape)
    k, l = np.unravel_index(np.argmin(close), close.shape)  # noqa: E741
    return [(int(first[i]), int(first[j])), (int(first[k]), int(second[l]))]


def _ball(centre: Array, A: Array, mu: float) -> Array:
    """The ellipse d^2 = mu around a point; where A is nearly singular it is cut far outside."""
    values, vectors = np.linalg.eigh(A)
    circle = np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    return centre + circle * np.sqrt(mu / np.maximum(values, 1e-3 * values[1])) @ vectors.T


def _two_pairs_told(X: Array, labels: Labels) -> Twin:
    told = telling_pairs(X, labels)
    A, mu = learned_metric(np.array([X[i] - X[j] for i, j in told]), np.array([1.0, -1.0]))
    values, vectors = np.linalg.eigh(A)
    found = [best_two_means(X), best_two_means(X @ (vectors * np.sqrt(np.maximum(values, 0.0))))]
    right = [right_labels(labels, one) for one in found]
    fig, axes = new_figure(8.4, 3.6, ncols=2)
    for ax, one, title in zip(axes, found, ("k-means", "k-means, learned metric"), strict=True):
        draw_clusters(ax, X, one)
        ax.set(title=title, xlabel="feature 1", ylabel="feature 2")
    for (i, j), dash in zip(told, ("-", ":"), strict=True):
        axes[1].plot(*X[[i, j]].T, color=INK, lw=2, ls=dash, zorder=0)
    window = axes[1].axis()
    axes[1].plot(*_ball(X[list(told[0])].mean(axis=0), A, mu).T, color=INK, lw=1, ls="--", zorder=0)
    axes[1].axis(window)
    angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])) % 180
    return fig, (
        f"Left, k-means: right for {right[0]} of {len(X)} points. Right, one pair told to belong "
        f"together (solid) and one apart (dotted): the metric weighs the direction at {angle:.0f} "
        f"degrees most, and k-means under it is right for {right[1]}. Between the dashed lines a "
        "point is called together with the middle of the first pair."
    )
