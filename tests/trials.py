"""Random configurations of every estimator: no crash, no hang, no broken promise.

A trial draws data (kind, shape, unit), a method with some of its options, and pairs; it fits, and
then asks for what every estimator promises:

- an error is a ValueError of this package that says what to do;
- ``predict(X)`` is ``labels_``, and a row alone has the label and the place that it has in a batch;
- all clusters are in use, or a warning says why not;
- an objective that is said to be monotone is, and no number is NaN without a word;
- how the array lies in memory changes nothing, and the array itself is left as it was;
- there is a name for every column of ``transform``, and a pickle predicts the same.

``python tests/trials.py --number 10000`` runs that many and prints those that break a promise, with
the seed to run each again (``--first SEED --number 1``). The tests run a few of them.
"""

import argparse
import pickle
import signal
import time
import traceback
import warnings
from collections import Counter
from functools import partial

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.utils import check_random_state

import umlbook
from umlbook import constraints, rivals
from umlbook.cpcm import blur_ratio
from umlbook.kernels import exponential, rbf

SECONDS = 60  # of one trial: more is a hang
SAID = ("uses only", "mean nothing")  # of clusters that are not in use
SLACK = 1e-7  # of an objective, relative to the largest on its way: more than this is not rounding

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
                          LinearRegression(), Ridge()],
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


# ----------------------------------------------------------------------------------- promises

FALLING = ("KernelKMeans", "SpectralKMeans", "LatentClassPairs", "LLMA", "YangJin", "RPCAOM",
           "KernelRPCAOM")  # fmt: skip
RISING = ("AML", "NAML", "TraceRatio", "Baghshah", "MMC", "ITML")


def direction(model):
    """-1 or 1 where the docstring says that the objective never increases or decreases, else 0."""
    name, given = type(model).__name__, model.get_params()
    if name == "CPDUML":
        return -1 if given["y_step"] == "lloyd" else 0
    if name == "CPCM":
        return -1 if given["guard"] else 0
    return -1 if name in FALLING else 1 if name in RISING else 0


def monotone(model, X):
    path, sign = getattr(model, "objective_path_", np.zeros(1)), direction(model)
    path = path[np.isfinite(path)]
    if not sign or not path.size:
        return True
    size = np.abs(path).max()
    if isinstance(model, umlbook.KernelKMeans):  # its objective is what is left of the trace
        size = max(size, len(X) if model.kernel != "linear" else np.sum((X - X.mean(axis=0)) ** 2))
    return bool(np.all(sign * np.diff(path) >= -SLACK * size))


def new_rows(model, X):
    """What ``predict`` takes for the training rows, as a function of row numbers."""
    matrices = model.kernels if isinstance(model, umlbook.NAML) else None
    if isinstance(matrices, list):
        return lambda rows: [K[rows] for K in matrices]
    return lambda rows: X[rows]


def close(one, other, size):
    return np.allclose(one, other, rtol=0, atol=1e-9 * size)


def broken(model, X, pairs, said, rng):
    """The promises that a fitted model breaks."""
    n, used = len(X), len(np.unique(model.labels_))
    given, everyone = new_rows(model, X), np.arange(n)
    some = rng.permutation(n)[:4]
    if used < model.n_clusters and not any(word in text for text in said for word in SAID):
        yield f"{used} of {model.n_clusters} clusters in use, and not a word"
    if not monotone(model, X):
        yield f"the objective is not monotone: {model.objective_path_.tolist()}"
    if hasattr(model, "predict"):
        labels = model.predict(given(everyone))
        if not np.array_equal(labels, model.labels_):
            yield f"predict differs from labels_ in {np.mean(labels != model.labels_):.0%}"
        if not np.array_equal(labels[some], [model.predict(given([i]))[0] for i in some]):
            yield "the label of a row depends on the others"
        copy = pickle.loads(pickle.dumps(model))
        if not np.array_equal(copy.predict(given(everyone)), labels):
            yield "a pickle predicts something else"
    if hasattr(model, "transform"):
        places = model.transform(given(everyone))
        alone = np.vstack([model.transform(given([i])) for i in some])
        if not np.isfinite(places).all():
            yield "transform is not finite"
        elif not np.array_equal(alone, places[some]):
            yield "the place of a row depends on the others"
        if len(model.get_feature_names_out()) != places.shape[1]:
            yield "there are not as many feature names as columns"
    if type(model).__name__ == "CPCM" and not np.isnan(model.blur_ratio_):
        again = blur_ratio(model.transform(X), model.labels_)
        if not close(again, model.blur_ratio_, 1e3):  # a share of one, to six digits
            yield f"the blur ratio is {model.blur_ratio_}, computed again {again}"
    if type(model).__name__ == "SSO" or used < 2:
        return
    twin = type(model)(**model.get_params(deep=False)).fit(other_order(X, rng), **pairs)
    if not np.array_equal(twin.labels_, model.labels_):
        yield "the labels depend on how X lies in memory"


def other_order(X, rng):
    """The same numbers in Fortran order, as every second of an array, or that cannot be written."""
    made = [np.asfortranarray(X), np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2], X.copy()]
    chosen = made[rng.randint(3)]
    chosen.flags.writeable = False
    return chosen


# ------------------------------------------------------------------------------------- trials


class Hang(Exception):
    """A trial took too long."""


def interrupted(*_):
    raise Hang(f"longer than {SECONDS} s")


def fitted(seed, only=None):
    """The model of this seed, its data and pairs, what it warned of, and the generator."""
    rng = check_random_state(seed)
    X, labels, k, unit, kind = drawn_data(rng)
    pairs = drawn_pairs(rng, labels)
    model = drawn_model(rng, X, k, unit, only)
    if getattr(model, "kernel", None) == "precomputed" and isinstance(model, umlbook.KernelKMeans):
        X = rbf(X, sigma=unit)
    pairs = pairs if hasattr(model, "set_fit_request") else {}
    about = f"{model!r} on {kind} {X.shape}, unit {unit:.0e}".replace("\n", " ")
    return model, X, pairs, about, rng


def own_error(error):
    """Whether it is an error of ours, or one of scikit-learn's checks of its arguments."""
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    return isinstance(error, ValueError) and ("umlbook" in last or "validation" in last)


def trial(seed, only=None):
    """What came of it (fitted, refused, broken), the method, and the promises that it broke."""
    model, X, pairs, about, rng = fitted(seed, only)
    before, method, found = X.copy(), type(model).__name__, []
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.fit(X, **pairs)
            texts = [str(w.message) for w in said]
            found += broken(model, X, pairs, texts, rng)
        found += [str(w.message) for w in said if issubclass(w.category, RuntimeWarning)][:2]
        if not np.array_equal(before, X):
            found.append("X was changed")
    except Exception as error:
        if own_error(error) and not hasattr(model, "labels_"):
            return "refused", method, [str(error)]
        found.append("".join(traceback.format_exception_only(error)).strip()
                     + " at " + str(traceback.extract_tb(error.__traceback__)[-1]))  # fmt: skip
    return ("broken" if found else "fitted"), method, [f"{about}: {text}" for text in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=1000, help="trials to run")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--only", help="name of the one method to try")
    parser.add_argument("--refusals", action="store_true", help="print those too")
    given = parser.parse_args()
    counts, started = Counter(), time.monotonic()
    signal.signal(signal.SIGALRM, interrupted)
    for seed in range(given.first, given.first + given.number):
        signal.alarm(SECONDS)
        outcome, method, texts = trial(seed, given.only)
        signal.alarm(0)
        counts[outcome] += 1
        counts[f"{method} {outcome}"] += 1
        if outcome == "broken" or (given.refusals and outcome == "refused"):
            for text in texts:
                print(f"{seed}: {text}", flush=True)
    print(dict(sorted(counts.items())), f"in {time.monotonic() - started:.0f} s")
    return bool(counts["broken"])


if __name__ == "__main__":
    raise SystemExit(main())
