"""Chapter 6: the way from X to X + G Psi, with the grid that bends."""

from numpy.typing import ArrayLike

from umlbook.algebra import Array, Labels, indicator
from umlbook.book.hands.hand import Hand, Question, Twin, in_plane, limits, two_clusters
from umlbook.book.hands.two_means import best_two_means
from umlbook.book.page.draw_points import draw_clusters, draw_deformation
from umlbook.book.page.figures import new_figure
from umlbook.cpd import deformation, objective, velocity
from umlbook.kernels import rbf

SIGMAS, LAMS = (0.3, 0.6, 1.2), (0.1, 1.0, 10.0)
START = (0.6, 1.0)  # the middle ones, with which the page begins


def bend_space(X: ArrayLike, truth: ArrayLike) -> Hand:
    """Chapter 6: move the points from X to X + G Psi, Psi the best field (6.20) of the labels.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Some forty points: the page solves a system of order n.
    truth : array-like of shape (n,)
        Two clusters; the page can take those of k-means in their place.
    """
    points = in_plane(X)
    labels = two_clusters(truth, len(points), "truth")
    x, y = limits(points, 0.4)
    question = Question(
        "On the way from t = 0 to t = 1 the scatter within the clusters falls and the cost of the "
        "motion grows. What does J, their sum, do?",
        [
            "It falls all the way to t = 1",
            "It is least half way, then it grows",
            "It falls to zero",
        ],
        "Drag t to 1 and beyond; then try other widths, other λ, and the labels of k-means.",
        order=(1, 0, 2),
    )
    data = {
        "X": points, "x": x, "y": y, "spacing": 0.3, "sigmas": list(SIGMAS), "lams": list(LAMS),
        "cuts": [
            {"name": "the moons", "labels": labels},
            {"name": "k-means", "labels": best_two_means(points)},
        ],
    }  # fmt: skip
    files = ("linear", "kmeans", "field", "bend")
    return Hand("bend", files, question, data, _before_and_after(points, labels))


def _before_and_after(X: Array, labels: Labels) -> Twin:
    sigma, lam = START
    G, Y = rbf(X, sigma=sigma), indicator(labels)
    psi = deformation(X, G, Y, lam)
    values = [objective(X, G, Y, t * psi, lam) for t in (0.0, 0.5, 1.0)]
    fig, axes = new_figure(8.6, 3.6, ncols=2)
    draw_clusters(axes[0], X, labels)
    draw_deformation(axes[1], X, lambda Z: Z + velocity(Z, X, psi, sigma=sigma), labels=labels)
    for ax, t in zip(axes, (0, 1), strict=True):
        ax.set(title=f"t = {t}", xlabel="feature 1", ylabel="feature 2")
    return fig, (
        f"The points at t = 0, and at t = 1 with the grid that the field has bent (sigma = "
        f"{sigma}, lambda = {lam:.0f}): J is {values[0]:.2f} at t = 0, {values[1]:.2f} half way "
        f"and {values[2]:.2f} at t = 1."
    )
