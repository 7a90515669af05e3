"""The steps of CPD-UML as a stream of states, and the two ways to find labels in it."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import (
    Array,
    Labels,
    about_median,
    cluster_means,
    indicator,
    spectral_embedding,
)
from umlbook.cpd.field import Field, FieldProblem, deviations
from umlbook.lloyd import lloyd_steps, nearest_filled, settled

KMEANS_RUNS = 10

YStep = Callable[[Array, Labels], Labels]


@dataclass(frozen=True)
class CPDStep:
    """State after one deformation and the labels found among the points that it moved.

    ``given`` are the labels that the deformation was made for. ``before`` is J at them, after the
    first half of the step; ``objective`` is J at the new ``labels``, after the second.
    """

    labels: Labels
    given: Labels
    field: Field
    centers: Array
    before: float
    objective: float

    @property
    def psi(self) -> Array:
        """Psi, the coefficients of the field."""
        return self.field.psi

    @property
    def moved(self) -> Array:
        """X_1, the moved points."""
        return self.field.moved


def cpd_steps(
    problem: FieldProblem, labels: Labels, n_clusters: int, y_step: YStep
) -> Iterator[CPDStep]:
    """CPD-UML from given labels: the best field for them, then new labels, and again."""
    while True:
        Y = indicator(labels, n_clusters)
        field = problem.best_field(Y)
        before = float(np.sum(deviations(field.moved, Y) ** 2)) + field.cost
        given, labels = labels, y_step(field.moved, labels)
        centers = cluster_means(field.moved, labels, n_clusters)
        within = float(np.sum((field.moved - centers[labels]) ** 2))
        yield CPDStep(labels, given, field, centers, before, within + field.cost)


def lloyd_labels(moved: Array, labels: Labels, n_clusters: int) -> Labels:
    """Where Lloyd's algorithm settles among the moved points, from the present labels on.

    They are taken about their median: how near a tie is does not depend on the origin.
    """
    return settled(lloyd_steps(about_median(moved), labels, n_clusters)).labels


def spectral_labels(X: Array, n_clusters: int, seed: int = 0, n_runs: int = KMEANS_RUNS) -> Labels:
    """K-means on the top left singular vectors of X, unscaled and uncentred (Sec. 2.2)."""
    return kmeans_labels(spectral_embedding(X, n_clusters)[0], n_clusters, seed, n_runs)


def kmeans_labels(
    points: Array, n_clusters: int, seed: int = 0, n_runs: int = KMEANS_RUNS
) -> Labels:
    """Labels of the best of several k-means runs, no cluster empty, numbered as they appear."""
    with warnings.catch_warnings():  # fewer distinct points than clusters: filled below
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(n_clusters, n_init=n_runs, random_state=seed).fit(points)
    return _numbered(nearest_filled(points, model.cluster_centers_))


def _numbered(labels: Labels) -> Labels:
    """The same clusters numbered in the order of their first samples: one name per partition."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
