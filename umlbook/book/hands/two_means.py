"""K-means for two clusters without chance: the best of n runs, one from each sample."""

from collections.abc import Iterator

import numpy as np

from umlbook.algebra import ROUNDING, Array, Labels
from umlbook.lloyd import LloydStep, lloyd_steps, nearest_filled, settled


def runs(X: Array) -> Iterator[LloydStep]:
    """Where Lloyd's algorithm ends from each sample and the sample farthest from it."""
    for x in X:
        far = np.sum((X - x) ** 2, axis=1)
        other = X[np.argmax(far >= far.max() * (1 - ROUNDING))]
        yield settled(lloyd_steps(X, nearest_filled(X, np.array([x, other])), 2))


def best_two_means(X: Array) -> Labels:
    """The labels of the best run, the first of equal ones; sample 0 is in cluster 0.

    >>> best_two_means(np.array([[0.0], [5.0], [1.0], [6.0]])).tolist()
    [0, 1, 0, 1]
    """
    best: LloydStep | None = None
    for run in runs(X):
        if best is None or run.objective < best.objective * (1 - ROUNDING):
            best = run
    assert best is not None, "X has no rows"
    return best.labels if best.labels[0] == 0 else 1 - best.labels


def right_labels(truth: Labels, labels: Labels) -> int:
    """How many labels agree with the truth, whatever the two clusters are called.

    >>> right_labels(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
    3
    """
    same = int(np.sum(truth == labels))
    return max(same, len(truth) - same)
