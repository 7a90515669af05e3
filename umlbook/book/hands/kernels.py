"""Chapters 2 and 5: a frame that can be tilted, and a mixture of kernels that can be moved."""

import numpy as np
from numpy.typing import ArrayLike

from umlbook.algebra import ROUNDING, Array, Labels, fix_signs, indicator, top_eigenvectors
from umlbook.book.hands.hand import POINT_DIGITS, Hand, Question, Twin, limits, two_clusters
from umlbook.book.page.draw_weights import draw_triangle
from umlbook.book.page.figures import MUTED, PALETTE, new_figure
from umlbook.book.page.tables import rounded
from umlbook.kernels import center, rbf
from umlbook.naml import kernel_weights

BINS = 40
SIGMA, LAM = 1.0, 0.1
START = (0.1, 0.1, 0.8)  # near the corner that is to be left
NEAR = 0.005  # F2 this little above its minimum counts as found


def turn_frame(A: ArrayLike, labels: ArrayLike, traces: ArrayLike) -> Hand:
    """Chapter 2: tilt an orthonormal frame from a partition to the top eigenvectors and beyond.

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric.
    labels : array-like of shape (n,)
        The partition of the largest trace, where the frame begins.
    traces : array-like
        tr(Y'AY) of all partitions.
    """
    values, way = _way_to_the_top(np.asarray(A, dtype=float), indicator(labels))
    counts, edges = np.histogram(np.asarray(traces, dtype=float), BINS)
    K, best = len(way["angles"]), float(np.max(traces))
    bound = float(values[:K].sum())
    step = 20 if bound > 60 else 5
    question = Question(
        f"The frame starts at the best of all {len(np.ravel(traces))} partitions, with trace "
        f"{best:.1f}. You tilt it towards the top eigenvectors, and on. Where does it go?",
        [
            "Up to some limit, then down again",
            "It does not rise: no partition is better",
            "Up and up, the farther one tilts",
        ],
        "Drag the first slider to 100 % and beyond; then turn the columns in their plane.",
        order=(1, 0, 2),
    )
    low = float(np.floor(min(edges[0], bound) / step) * step)
    data = {
        "values": values, **way, "best": best,
        "bars": [[a, b, int(c)] for a, b, c in zip(edges, edges[1:], counts, strict=False)],
        "x": [low, 1.06 * bound], "ticks": [int(v) for v in np.arange(low, 1.06 * bound, step)],
    }  # fmt: skip
    return Hand("frame", ("frame",), question, data, _two_frames(values, way, best))


def _way_to_the_top(A: Array, Y: Array) -> tuple[Array, dict[str, Array]]:
    """All eigenvalues, and the shortest way from the span of Y to that of the top eigenvectors.

    In the eigenbasis of A the frame after the share s of the way has the columns
    ``from_j cos(s angle_j) + towards_j sin(s angle_j)``, with the principal angles of the spans.
    """
    values, V = _eigenbasis(A)
    C, K = V.T @ Y, Y.shape[1]
    U, cosines, Wt = np.linalg.svd(C[:K])
    start = fix_signs(C @ Wt.T)
    end = np.zeros_like(start)
    end[:K] = U * np.sign(np.sum(U * start[:K], axis=0))
    angles = np.arccos(np.clip(cosines, -1.0, 1.0))
    towards = (end - start * np.cos(angles)) / np.where(angles > 1e-9, np.sin(angles), np.inf)
    return values, {"from": start, "towards": towards, "angles": angles}


def _eigenbasis(A: Array) -> tuple[Array, Array]:
    """Eigenvalues, descending, and eigenvectors that rounding does not choose where values tie.

    The space of a repeated eigenvalue gets the basis that Gram and Schmidt make of the projections
    of the first unit vectors on it.
    """
    values, V = top_eigenvectors(A, above=None)
    groups = np.cumsum(np.append(True, -np.diff(values) > ROUNDING * np.abs(values).max()))
    for group in np.unique(groups):
        block = V[:, groups == group]
        if block.shape[1] > 1:
            Q, R = np.linalg.qr((block @ block.T)[:, : block.shape[1]])
            V[:, groups == group] = Q * np.sign(np.diagonal(R))
    return values, V


def _two_frames(values: Array, way: dict[str, Array], best: float) -> Twin:
    K, n = len(way["angles"]), len(values)
    fig, axes = new_figure(8.4, 2.8, ncols=2)
    end = way["from"] * np.cos(way["angles"]) + way["towards"] * np.sin(way["angles"])
    titles = (f"best partition: trace {best:.1f}", f"top {K}: trace {values[:K].sum():.1f}")
    names = [f"{i}\n{value:.1f}" for i, value in enumerate(np.round(values, 1) + 0.0, start=1)]
    for ax, Y, title in zip(axes, (way["from"], end), titles, strict=True):
        colours = [PALETTE[1]] * K + [MUTED] * (n - K)
        ax.bar(np.arange(1, n + 1), np.sum(Y**2, axis=1), color=colours, edgecolor="k")
        ax.set_xticks(np.arange(1, n + 1), names)
        ax.set(xlabel="eigenvector, and its eigenvalue", ylabel="share", ylim=(0, 1.05))
        ax.set_title(title)
    return fig, (
        f"Shares of the {n} eigenvectors in the frame of the best partition, with trace "
        f"{best:.2f}, and in that of the top {K}, with the largest of all, {values[:K].sum():.2f}."
    )


def mix_kernels(X: ArrayLike, truth: ArrayLike) -> Hand:
    """Chapter 5: move in the triangle of three kernels, one Gaussian for each feature of X.

    Parameters
    ----------
    X : array-like of shape (n, 3)
        Some forty samples: the page solves systems of order n.
    truth : array-like of shape (n,)
        Two clusters, those of F2 (5.23).
    """
    points = np.asarray(rounded(np.asarray(X, dtype=float), POINT_DIGITS))
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"X must have three columns, one for each kernel, got {points.shape}")
    labels = two_clusters(truth, len(points), "truth")
    x, y = limits(points[:, :2], 0.3)
    question = Question(
        "F₂ is small where the kernel suits the true clusters. Where in the triangle is it least?",
        [
            "Between features 1 and 2: a mixture",
            "At the corner of the better feature",
            "In the middle: equal weights",
        ],
        "Drag the ring, or use the arrow keys, to where F₂ is least; the whole map appears when "
        "you are there.",
        order=(1, 0, 2),
    )
    bank = feature_kernels(points)
    found = kernel_weights(bank, indicator(labels), LAM)
    corners = [complement(G, labels) for G in bank]
    data = {
        "X": points, "truth": labels, "x": x, "y": y, "sigma": SIGMA, "lam": LAM, "near": NEAR,
        "start": list(START), "weights": rounded(found.weights, 4),  # where Newton's method stopped
        "least": rounded(found.objective, 4), "corners": corners, "most": max(corners),
    }  # fmt: skip
    files = ("linear", "kmeans", "field", "kernels", "triangle")
    twin = _map_with_its_least_point(bank, labels, found.weights)
    return Hand("triangle", files, question, data, twin)


def feature_kernels(X: Array) -> list[Array]:
    """A Gaussian kernel for each feature, centred and of trace one."""
    kernels = [center(rbf(X[:, [k]], sigma=SIGMA)) for k in range(X.shape[1])]
    return [K / np.trace(K) for K in kernels]


def complement(G: Array, labels: Labels, lam: float = LAM) -> float:
    """F2 of (5.23) for the indicator of the labels."""
    L = indicator(labels)
    return float(np.sum(L * np.linalg.solve(np.eye(len(G)) + G / lam, L)))


def _map_with_its_least_point(bank: list[Array], labels: Labels, best: Array) -> Twin:
    def value(w: Array) -> float:
        return complement(np.tensordot(w, np.array(bank), 1), labels)

    fig, ax = new_figure(6.6, 4.4)
    corners, label = ("feature 1", "feature 2", "feature 3, noise"), "F2 of the true clusters"
    draw_triangle(ax, value, corners=corners, paths={"least F2": [best]}, label=label)
    alone = [value(w) for w in np.eye(3)]
    return fig, (
        f"F2 of the true clusters is {alone[0]:.3f} with feature 1 alone, {alone[1]:.3f} with "
        f"feature 2 alone, {alone[2]:.3f} with the noise; its least value, {value(best):.3f}, is "
        f"at the weights {', '.join(f'{w:.2f}' for w in best)} (cross). The lines are "
        "equal steps of F2 apart; all higher values are in the palest band."
    )
