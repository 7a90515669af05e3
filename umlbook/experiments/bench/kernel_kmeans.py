"""One Lloyd iteration on a kernel matrix, against three products of it with an n x K matrix."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from umlbook.algebra import Array
from umlbook.experiments.bench.speeds import Speed, interleaved_medians
from umlbook.kernels import rbf
from umlbook.spectral import kernel_kmeans_steps

N_SAMPLES = 2000


def rows() -> Iterator[Speed]:
    """Yield a row for each number of clusters."""
    rng = np.random.default_rng(0)
    K = rbf(rng.normal(size=(N_SAMPLES, 10)), sigma=3.0)
    for n_clusters in (2, 10, 50):
        start = np.arange(N_SAMPLES) % n_clusters
        iterations = kernel_kmeans_steps(K, start, n_clusters)
        weights = rng.random((N_SAMPLES, n_clusters))
        peer, ours = interleaved_medians(
            partial(_three_products, K, weights),
            partial(next, iterations),
            repeats=21,
        )
        size = f"n={N_SAMPLES}, K={n_clusters}"
        yield Speed("Lloyd iteration of KernelKMeans / 3 products", size, peer, ours)


def _three_products(K: Array, weights: Array) -> None:
    for _ in range(3):
        K @ weights
