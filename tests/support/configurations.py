"""Random data, pairs and options for every estimator: what ``tests/trials.py`` tries."""

from functools import partial

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge

import umlbook
from umlbook import constraints, rivals
from umlbook.kernels import exponential, rbf

# --------------------------------------------------------------------------------------- data


def blobs(rng, n, d, labels):
    return 4.0 * rng.normal(size=(labels.max() + 1, d))[labels] + rng.normal(size=(n, d))


def duplicates(rng, n, d, labels):
    few = rng.normal(size=(rng.randint(1, max(2, n // 2)), d))
    return few[rng.randint(len(few), size=n)]


def constant_columns(rng, n, d, labels):
    X = blobs(rng, n, d, labels)
    X[:, rng.uniform(size=d) < 0.5] = rng.choice([0.0, 1.0, 7.3, 1e6])
    return X


def rank_deficient(rng, n, d, labels):
    low = blobs(rng, n, max(1, d // 2), labels)
    return low @ rng.normal(size=(low.shape[1], d))


def collinear(rng, n, d, labels):
    return np.outer(blobs(rng, n, 1, labels)[:, 0], rng.normal(size=d)) + rng.choice([0.0, 5.0])


def heavy_tails(rng, n, d, labels):
    return rng.standard_t(1, size=(n, d))


def integers(rng, n, d, labels):
    return rng.randint(0, rng.choice([2, 3, 6]), size=(n, d)).astype(float)


def far_row(rng, n, d, labels):
    X = blobs(rng, n, d, labels)
    X[rng.randint(n)] *= 10.0 ** rng.uniform(2, 12)
    return X


def far_from_zero(rng, n, d, labels):
    return blobs(rng, n, d, labels) + 10.0 ** rng.uniform(2, 8)


KINDS = (blobs, blobs, duplicates, constant_columns, rank_deficient, collinear, heavy_tails,
         integers, far_row, far_from_zero)  # fmt: skip


def drawn_data(rng):
    """Samples, hidden labels, the number of clusters, and the unit that X is in."""
    n, d = rng.randint(2, 31), rng.choice([1, 1, 2, 2, 3, 5, 8, 40])
    k = n if rng.uniform() < 0.05 else rng.randint(1, min(n, 6) + 1)
    labels = rng.randint(max(2, k), size=n)
    kind = KINDS[rng.randint(len(KINDS))]
    unit = 1.0 if rng.uniform() < 0.4 else 10.0 ** rng.uniform(-138, 138)
    X = kind(rng, n, d, labels) * unit
    return X, labels, int(k), unit, kind.__name__


def drawn_pairs(rng, labels):
    """Some pairs of either kind that the hidden labels have, or none."""
    same = int(np.sum(np.bincount(labels) * (np.bincount(labels) - 1) // 2))
    most = (same, len(labels) * (len(labels) - 1) // 2 - same)
    n_must, n_cannot = (int(rng.randint(0, min(10, m) + 1)) for m in most)
    must, cannot = constraints.sample(labels, n_must, n_cannot, random_state=rng)
    return {"must_link": must, "cannot_link": cannot} if rng.uniform() < 0.9 else {}


# ------------------------------------------------------------------------------------ methods


def options(unit, n, d, k, rng):
    """For every method, the values to choose from for each of its options."""
    widths = ["median", unit, 0.1 * unit, 100 * unit]
    landmarks = ["auto", None, max(1, n // 2), n]
    start = rng.permutation(n) % k
    loop = {"n_init": [1, 2, 5], "max_iter": [1, 2, 50, 300], "tol": [0.0, 1e-6, 1e-2]}
    graph = {"n_components": [0, 1, 5, 30], "n_graph_components": [0, 1, 5, 20],
             "n_neighbors": [1, 3, 10, 50]}  # fmt: skip
    kernel = {"kernel": ["rbf", "exponential"], "sigma": widths}
    width = partial(rbf, sigma=unit), partial(exponential, eta=unit)
    stepping = {"max_iter": [1, 20, 500]}
    shrinkage = {"shrinkage": [None, 0.0, 0.3, 1.0]}
    own = {"n_components": [1, 2, d]}
    return {
        umlbook.SpectralKMeans: {"centered": [True, False], **loop},
        umlbook.KernelKMeans: {
            "kernel": ["rbf", "exponential", "linear", "precomputed", width[0]], "sigma": widths,
            "init": ["k-means++", start], "n_landmarks": landmarks, **loop,
        },
        umlbook.AML: {
            "n_components": [None, 1], "lam": [1e-2, *(unit**2 * lam for lam in (1e-8, 1e-2, 1e3))],
            "relaxed": [True, False], "init": ["k-means++", start],
            "n_landmarks": landmarks, **loop,
        },
        umlbook.NAML: {
            "kernels": ["rbf-bank", width, "matrices"], "n_kernels": [1, 3],
            "lam": [1e-6, 1e-2, 1.0], "l_step": ["constant", "eigen"],
            "init": ["kernel-kmeans", start], "mixed_start": [True, False],
            "n_landmarks": landmarks, **loop,
        },
        umlbook.CPDUML: {
            "sigma": widths, "lam": [None, np.inf, 1e-6, 1.0, 1e4], "y_step": ["lloyd", "spectral"],
            "init": ["spectral", "kmeans", start], "penalty": ["coefficients", "smoothness"],
            "kernel": [None, None, "rbf", width[1]], "kernel_sigma": widths,
            "n_components": [None, 1, 3], "n_landmarks": landmarks, **loop,
        },
        umlbook.CPCM: {
            "predictor": ["least-squares", "kernel-ridge", "stepwise", "lda", "lda-within",
                          LinearRegression(), Ridge(unit**2)],
            "sigma": widths, "lam": [None, 1e-6, 1.0],
            "starts": ["auto", "random", "columns", "invariant", start],
            "guard": [True, False], "min_cluster_size": [1, 2], "n_landmarks": landmarks, **loop,
        },
        umlbook.ProbabilisticMetric: {
            "kernel": ["exponential", None, width[0]], "eta": [None, "median", "paper", unit],
            "n_components": [None, 1, 5], "form": ["balanced", "paper"],
            "unlabelled_weight": [None, 0.0, 0.5], "penalty": [None, 0.0, 1.0],
            "n_temperatures": [0, 2], "n_em_steps": [1, 3], "n_landmarks": landmarks, **loop,
        },
        umlbook.LatentClassPairs: {
            "lam": [0.0, 0.4, 10.0], "ridge": [0.0, 0.03, 1.0], "balance": [0.0, 1.0],
            "noise": [0.0, 0.1], **graph, **loop,
        },
        umlbook.BentMetric: {
            "strength": [None, 0.0, 0.5, 1.0], "noise": [0.0, 0.1], **graph, **loop,
        },
        rivals.TraceRatio: {**own, **stepping},
        rivals.RCA: shrinkage,
        rivals.ERCA: {"scatter": ["original", "whitened"], **shrinkage},
        rivals.LLMA: {"lam": [1e-3, 1.0], "sigma": widths, "n_neighbors": [1, 5], **stepping},
        rivals.KernelBeta: {"n_components": [None, 1, 5], "centered": [True, False], **kernel},
        rivals.Baghshah: {**own, "alpha": [1e-3, 1.0], "n_neighbors": [1, 6], **kernel, **stepping},
        rivals.MMC: {"diagonal": [True, False], **shrinkage, **stepping},
        rivals.ITML: {"gamma": [1e-2, 1.0, 100.0], "percentiles": [(5, 95), (0, 100)], **stepping},
        rivals.YangJin: {"centered": [True, False], "penalty": [0.0, 1e-3, 1.0], **stepping},
        rivals.RPCAOM: {**own, **stepping},
        rivals.KernelRPCAOM: {**own, **kernel, **stepping},
        rivals.FME: {**own, "mu": [1.0, unit**2], "gamma": [1.0, unit**-2], "n_neighbors": [1, 5]},
        rivals.KernelFME: {**own, "n_neighbors": [1, 5], **kernel},
        rivals.SSO: {"n_steps": [1, 3, 50], **kernel},
    }  # fmt: skip


def drawn_model(rng, X, k, unit, only=None):
    """A method with some of its options; a kernel given as a matrix is made here."""
    table = options(unit, *X.shape, k, rng)
    methods = [method for method in table if only in (None, method.__name__)]
    method = methods[rng.randint(len(methods))]
    chosen = {
        name: values[rng.randint(len(values))]
        for name, values in table[method].items()
        if rng.uniform() < 0.5
    }
    if isinstance(chosen.get("kernels"), str) and chosen["kernels"] == "matrices":
        chosen["kernels"] = [rbf(X, sigma=unit), exponential(X, eta=unit)]
    return method(n_clusters=k, random_state=int(rng.randint(1000)), **chosen)
