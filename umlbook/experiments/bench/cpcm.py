"""A step of CPCM (prediction and one Lloyd pass), against lstsq and one Lloyd pass."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.linalg import lstsq
from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import Array, Labels, cluster_means, one_hot
from umlbook.cpcm import CPCM
from umlbook.cpcm.predictors import LinearBasis, least_squares_fit, linear_basis
from umlbook.experiments.bench.speeds import Speed, interleaved_medians
from umlbook.lloyd import nearest_filled

SIZES = (10_000, 1_000_000)
N_FEATURES, N_CLUSTERS = 50, 5


def rows() -> Iterator[Speed]:
    """Yield, for each number of samples, a step, and the factorisation that comes once."""
    for n_samples in SIZES:
        X, labels = problem(n_samples)
        copies = peak_copies(X, labels)
        basis = linear_basis(X)
        peer, ours, once = interleaved_medians(
            partial(step, partial(lstsq_predictions, X), labels),
            partial(step, partial(basis_predictions, basis), labels),
            partial(linear_basis, X),
            repeats=3,
        )
        size = f"n={n_samples:.0e}, p={N_FEATURES}, K={N_CLUSTERS}"
        bar = 15 if n_samples == SIZES[-1] else None
        yield Speed("step of CPCM / lstsq and a Lloyd pass", size, peer, ours, bar)
        yield Speed(f"factor X once ({copies:.1f} copies of X) / same", size, peer, once)


def problem(n_samples: int) -> tuple[Array, Labels]:
    """Gaussian clusters, and labels of which some are wrong.

    Without clusters Lloyd's passes go on for minutes, and the memory is that of the first anyway.
    """
    rng = np.random.default_rng(0)
    truth = rng.permutation(n_samples) % N_CLUSTERS
    X = rng.standard_normal((n_samples, N_FEATURES))
    X[np.arange(n_samples), truth] += 5.0
    return X, np.where(rng.random(n_samples) < 0.2, rng.permutation(truth), truth)


def step(predictions: Callable[[Array], Array], labels: Labels) -> Labels:
    """Predict the memberships and move each sample to the nearest mean of the predictions."""
    values = predictions(one_hot(labels, N_CLUSTERS))
    means = cluster_means(values, labels, N_CLUSTERS)
    return nearest_filled(values, means)


def lstsq_predictions(X: Array, Z: Array) -> Array:
    """Least squares with an intercept, from the beginning each time."""
    design = np.column_stack([np.ones(len(X)), X])
    return np.asarray(design @ lstsq(design, Z, check_finite=False)[0])


def basis_predictions(basis: LinearBasis, Z: Array) -> Array:
    """Least squares with an intercept, from the factorisation."""
    return least_squares_fit(basis, Z).values


def peak_copies(X: Array, labels: Labels) -> float:
    """The most memory that a fit of three steps holds, X included, in copies of X."""
    model = CPCM(N_CLUSTERS, starts=labels, max_iter=3)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1 + peak / X.nbytes
