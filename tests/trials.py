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

import numpy as np
from sklearn.utils import check_random_state
from support.configurations import drawn_data, drawn_model, drawn_pairs

import umlbook
from umlbook.cpcm import blur_ratio
from umlbook.kernels import rbf

SECONDS = 60  # of the processor for one trial: more is a hang
SAID = ("uses only", "mean nothing")  # of clusters that are not in use
SLACK = 1e-7  # of an objective, relative to the largest on its way: more than this is not rounding

EPS = np.finfo(float).eps

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
    scatter, kernel = np.sum((X - X.mean(axis=0)) ** 2), getattr(model, "kernel", None)
    if isinstance(model, umlbook.KernelKMeans):  # its objective is what is left of the trace
        size = max(size, scatter if kernel == "linear" else len(X))
    if isinstance(model, umlbook.CPDUML):  # and J what the field has left of the scatter
        size = max(size, 1e-6 * (scatter if kernel is None else len(X)))
    if isinstance(model, umlbook.SpectralKMeans):  # and its rows have K in all
        size = max(size, 1e-6 * model.n_clusters)
    return bool(np.all(sign * np.diff(path) >= -SLACK * size))


def reach(X):
    """How far from the others the farthest row lies, in units of a usual distance."""
    apart = np.abs(X - np.median(X, axis=0)).max(axis=1)
    return apart.max() / (np.median(apart) or 1.0)


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
        if not close(again, model.blur_ratio_, max(1e3, reach(X) * 1e9 * EPS)):
            # a share of one, to six digits, or as many as the coordinates of its farthest row have
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
    signal.signal(signal.SIGVTALRM, interrupted)
    for seed in range(given.first, given.first + given.number):
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        outcome, method, texts = trial(seed, given.only)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        counts[outcome] += 1
        counts[f"{method} {outcome}"] += 1
        if (seed + 1 - given.first) % 500 == 0:
            done = {outcome: counts[outcome] for outcome in ("fitted", "refused", "broken")}
            print(seed + 1 - given.first, done, flush=True)
        if outcome == "broken" or (given.refusals and outcome == "refused"):
            for text in texts:
                print(f"{seed}: {text}", flush=True)
    print(dict(sorted(counts.items())), f"in {time.monotonic() - started:.0f} s")
    return bool(counts["broken"])


if __name__ == "__main__":
    raise SystemExit(main())
