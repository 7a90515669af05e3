"""Draw docs/picture.png, the picture of the README: two lines, two metrics, the same k-means."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.cluster import KMeans

from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.figures import new_figure, png_bytes
from umlbook.datasets import make_parallel_lines
from umlbook.scores import clustering_accuracy

METRICS = {"the Euclidean metric": [1.0, 1.0], "a metric that shortens the lines": [0.1, 1.0]}


def picture() -> tuple[Figure, str]:
    """Return the figure and the sentence that says what is to be seen in it."""
    X, y = make_parallel_lines(200, random_state=0)
    fig, axes = new_figure(8, 2.9, ncols=2)
    right = []
    for ax, (name, stretch) in zip(axes, METRICS.items(), strict=True):
        L = np.diag(stretch)  # distances are those of the rows of X L
        model = KMeans(2, n_init=10, random_state=0).fit(X @ L)
        right.append(f"{clustering_accuracy(y, model.labels_):.0%}")
        draw_clusters(ax, X, model.labels_, predict=lambda P, m=model, L=L: m.predict(P @ L))
        ax.set_title(f"{name}: {right[-1]} right", fontsize=11)
    euclidean, learned = right
    return fig, (
        f"k-means on two parallel lines: cut across, {euclidean} right, in the Euclidean metric; "
        f"cut between the lines, {learned} right, in a metric that shortens them."
    )


if __name__ == "__main__":
    figure, sentence = picture()
    Path(__file__).with_suffix(".png").write_bytes(png_bytes(figure))
    print(sentence)
