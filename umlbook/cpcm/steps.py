"""The steps of CPCM as a stream of states: predict the labels, cluster the predictions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from umlbook.algebra import ROUNDING, Array, Labels, mean_and_scatter
from umlbook.cpcm.blur import share
from umlbook.cpcm.predictors import Fit, Predictor
from umlbook.lloyd import MAX_PASSES, LloydStep, lloyd_steps, until_settled


@dataclass(frozen=True)
class CPCMStep:
    """State after one prediction and one clustering of the predictions.

    ``objective`` is the blur ratio of the new labels in the space of the predictions; ``before``
    is that of the labels that were predicted, under the same predictions.
    """

    labels: Labels
    predictions: Array
    centers: Array
    before: float
    objective: float
    model: Fit


def clustered(predictions: Array, labels: Labels, n_clusters: int) -> tuple[LloydStep, LloydStep]:
    """Lloyd's algorithm on the predictions from these labels: its first and its settled state."""
    passes = islice(lloyd_steps(predictions, labels, n_clusters), MAX_PASSES)
    first, *_, last = until_settled(passes)
    return first, last


def cpcm_steps(
    predictor: Predictor,
    labels: Labels,
    n_clusters: int,
    *,
    guard: bool = True,
    min_cluster_size: int = 1,
) -> Iterator[CPCMStep]:
    """CPCM from given labels: predict them, cluster the predictions, and again.

    With the guard the stream ends before the first state that does not lower the blur ratio or
    that has a cluster smaller than ``min_cluster_size``; without it the stream has no end, and
    for three clusters or more the blur ratio can increase.
    """
    reached = np.inf
    while True:
        model = predictor(labels)
        first, last = clustered(model.values, labels, n_clusters)
        mean, total = mean_and_scatter(model.values)
        squares = total + len(labels) * float(np.sum(mean**2))
        before, after = (share(s.objective, total, squares) for s in (first, last))
        small = smallest_cluster(last.labels, n_clusters) < min_cluster_size
        # The rounding of a share is that of one: what falls by less has not fallen.
        if guard and reached < np.inf and (small or not reached - after > ROUNDING):
            return
        yield CPCMStep(last.labels, model.values, last.centers, before, after, model)
        labels, reached = last.labels, after if after == after else -np.inf


def smallest_cluster(labels: Labels, n_clusters: int) -> int:
    """The number of samples in the smallest cluster."""
    return int(np.bincount(labels, minlength=n_clusters).min())
