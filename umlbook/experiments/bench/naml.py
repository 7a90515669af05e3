"""The G step of NAML by Newton's method, against the QCQP of its paper and against SLSQP."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from umlbook.algebra import Array, centered, indicator
from umlbook.experiments.bench.speeds import Speed, interleaved_medians, seconds_of
from umlbook.kernels import MatrixBank, RBFBank, bank_widths
from umlbook.naml import kernel_weights, qcqp_weights

N_KERNELS, LAM = 10, 1e-2


def rows(n_samples: int = 400, n_clusters: int = 3) -> Iterator[Speed]:
    """Yield a row for each rival; that of the QCQP only where cvxpy and Clarabel are installed."""
    bank, L = problem(n_samples, n_clusters)
    size = f"n={n_samples}, p={N_KERNELS}"
    given = MatrixBank(tuple(K.copy() for K in bank.plain()))
    scaled = list(bank)
    peer, ours, matrices = interleaved_medians(
        lambda: slsqp_weights(scaled, L, LAM),
        lambda: kernel_weights(bank, L, LAM),
        lambda: kernel_weights(given, L, LAM),
        repeats=5,
    )
    yield Speed("G step of NAML / SLSQP with its gradient", size, peer, ours)
    try:
        qcqp = seconds_of(lambda: qcqp_weights(bank, L, LAM))  # once: it takes minutes
    except ImportError:
        return
    yield Speed("G step, kernels as matrices / QCQP by Clarabel", size, qcqp, matrices, 1300)
    yield Speed("G step, bank of widths / QCQP by Clarabel", size, qcqp, ours, 1300)


def problem(n_samples: int, n_clusters: int) -> tuple[RBFBank, Array]:
    """Ten Gaussian kernels on overlapping blobs, and the indicator of the blobs."""
    rng = np.random.default_rng(0)
    labels = np.arange(n_samples) % n_clusters
    X = rng.standard_normal((n_samples, 5)) + 2 * np.eye(n_clusters, 5)[labels]
    return RBFBank(X, bank_widths(X, N_KERNELS)), indicator(labels)


def slsqp_weights(kernels: list[Array], L: Array, lam: float) -> Array:
    """The same minimum by scipy's general solver, from the stored kernels."""
    L, p = centered(L), len(kernels)

    def value_and_gradient(w: Array) -> tuple[float, Array]:
        A = np.eye(len(L)) + sum(wi * G for wi, G in zip(w, kernels, strict=True)) / lam
        B = cho_solve(cho_factor(A), L)
        return float(np.sum(L * B)), np.array([-np.sum(B * (G @ B)) for G in kernels]) / lam

    found = minimize(
        value_and_gradient,
        np.full(p, 1 / p),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * p,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(p)},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return np.asarray(found.x)
