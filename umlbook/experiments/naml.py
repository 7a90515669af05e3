"""The experiments of the NAML paper: Tables 3, 4 and 5, Figures 1 and 2, and the QCQP beside ours.

``python -m umlbook.experiments.naml`` recomputes every table (an hour; name some to do only
those) and stores it as ``results/naml_NAME.csv``, from which chapter 5 reads it. ORL10P needs the
extra ``images``, the tables ``qcqp`` and ``speed`` the extra ``qcqp``; they are left out without.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding, SpectralEmbedding
from sklearn.preprocessing import minmax_scale, scale
from tqdm.auto import tqdm

from umlbook._base import Run
from umlbook._relaxed import rounded_labels
from umlbook.algebra import Array, Labels, indicator
from umlbook.datasets import load
from umlbook.experiments.bench import interleaved_medians
from umlbook.experiments.bench_naml import problem
from umlbook.experiments.cpcm import RESULTS, Row, store, stored
from umlbook.kernels import RBFBank, bank_widths, combine, median_width
from umlbook.lloyd import until_settled
from umlbook.naml import NAML, Start, kernel_weights, naml_steps, qcqp_weights
from umlbook.scores import clustering_accuracy, normalized_mutual_information, purity
from umlbook.spectral import kernel_kmeans_steps

__all__ = ["stored", "tables"]

SETS: Mapping[str, tuple[str, str]] = {
    "iris": ("iris", "min-max"),
    "lymph": ("lymphography", "none"),
    "promoter": ("promoter", "none"),
    "satimage": ("satimage", "none"),
    "solar": ("solar_flare", "none"),
    "wine": ("wine", "z-score"),
    "ORL10P": ("orl10p", "none"),
}
"""The paper's name of each set, ours, and the scaling (unstated in print) that we use."""

SCALINGS: Mapping[str, Callable[[Array], Array]] = {
    "none": np.asarray,
    "min-max": minmax_scale,
    "z-score": scale,
}
WIDTHS = "2 to 1/4 of the median distance"
PER_CLASS = 80

COLUMNS = ("NAML 1e-6", "NAML 1e-4", "NAML 1e-2", "k-means", "PCA", "LLE", "Laplacian eigenmaps")
TABLE_3: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "iris": (
        (0.908, 0.901, 0.883, 0.865, 0.865, 0.848, 0.829),
        (0.767, 0.780, 0.752, 0.726, 0.726, 0.631, 0.726),
    ),
    "lymph": (
        (0.707, 0.709, 0.716, 0.701, 0.701, 0.686, 0.703),
        (0.183, 0.187, 0.197, 0.179, 0.178, 0.173, 0.164),
    ),
    "promoter": (
        (0.689, 0.698, 0.698, 0.672, 0.673, 0.677, 0.656),
        (0.156, 0.168, 0.148, 0.104, 0.106, 0.103, 0.087),
    ),
    "satimage": (
        (0.658, 0.742, 0.743, 0.633, 0.628, 0.599, 0.640),
        (0.520, 0.586, 0.587, 0.515, 0.515, 0.452, 0.520),
    ),
    "solar": (
        (0.593, 0.587, 0.584, 0.576, 0.575, 0.511, 0.562),
        (0.395, 0.386, 0.342, 0.389, 0.388, 0.290, 0.350),
    ),
    "wine": (
        (0.413, 0.972, 0.972, 0.954, 0.954, 0.961, 0.964),
        (0.011, 0.893, 0.893, 0.850, 0.850, 0.837, 0.875),
    ),
    "ORL10P": (
        (0.766, 0.766, 0.768, 0.722, 0.722, 0.715, 0.333),
        (0.819, 0.819, 0.822, 0.801, 0.801, 0.793, 0.368),
    ),
}
"""Printed ACC and MI, in the order of the columns."""

KERNEL_COLUMNS = ("initial kernel", "best kernel", "worst kernel", "average kernel")
TABLE_4: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "iris": ((0.887, 0.927, 0.887, 0.903), (0.729, 0.792, 0.729, 0.771)),
    "lymph": ((0.681, 0.716, 0.681, 0.708), (0.159, 0.197, 0.159, 0.187)),
    "promoter": ((0.585, 0.734, 0.585, 0.686), (0.128, 0.223, 0.109, 0.161)),
    "satimage": ((0.594, 0.746, 0.594, 0.715), (0.485, 0.590, 0.485, 0.568)),
    "solar": ((0.593, 0.600, 0.572, 0.584), (0.372, 0.375, 0.344, 0.360)),
    "wine": ((0.933, 0.972, 0.933, 0.967), (0.773, 0.893, 0.773, 0.876)),
    "ORL10P": ((0.738, 0.762, 0.738, 0.760), (0.800, 0.819, 0.800, 0.817)),
}
"""Printed ACC and MI of k-means with one kernel."""

UNSTATED: Mapping[str, str] = {
    "NAML": "kernel widths, scaling and starts unstated",
    "k-means": "scaling unstated",
    "PCA": "scaling unstated",
    "LLE": "neighbours, dimension and scaling unstated",
    "Laplacian eigenmaps": "neighbours, dimension and scaling unstated",
}


def data(name: str) -> tuple[Array, Labels]:
    """A set as the tables use it, scaled; of satimage, 80 rows of each class."""
    loaded = load(SETS[name][0])
    X, y = np.asarray(loaded.data, dtype=float), np.asarray(loaded.target)
    if name == "satimage":
        rng = np.random.default_rng(0)
        classes = (np.flatnonzero(y == c) for c in np.unique(y))
        rows = np.concatenate([rng.choice(c, PER_CLASS, replace=False) for c in classes])
        X, y = X[rows], y[rows]
    return SCALINGS[SETS[name][1]](X), y


def available(names: Iterable[str]) -> list[str]:
    """The sets that can be loaded here."""
    kept = []
    for name in names:
        try:
            load(SETS[name][0])
        except ImportError:
            continue
        kept.append(name)
    return kept


# ----------------------------------------------------------------------- one run of each


def kmeans(X: Array, n_clusters: int, seed: int) -> Labels:
    """One run of k-means from random centres: the start of every other method of that run."""
    model = KMeans(n_clusters, init="random", n_init=1, random_state=seed)
    return model.fit_predict(X).astype(np.intp)


def kernel_kmeans(G: Array, labels: Labels, n_clusters: int) -> Labels:
    """Kernel k-means from given labels."""
    *_, last = until_settled(islice(kernel_kmeans_steps(G, labels, n_clusters), 300))
    return last.labels


def naml_states(
    bank: RBFBank, labels: Labels, n_clusters: int, first: int, lam: float, l_step: str = "constant"
) -> list[Any]:
    """The passes of NAML from kernel k-means with one kernel, itself started from given labels."""
    weights = np.eye(len(bank))[first]
    start = Start(weights, kernel_kmeans(combine(bank, weights), labels, n_clusters))
    model = NAML(n_clusters, l_step=l_step, max_iter=50)
    return list(Run(model, naml_steps(bank, lam, start, n_clusters, l_step)))


def embeddings(X: Array, n_clusters: int) -> dict[str, Array]:
    """The data as PCA (95 % of the variance), LLE and Laplacian eigenmaps show it to k-means."""
    near = min(12, len(X) - 1)
    lle = LocallyLinearEmbedding(
        n_neighbors=near, n_components=n_clusters, random_state=0, eigen_solver="dense"
    )
    gamma = 0.5 / median_width(X) ** 2
    eigenmaps = SpectralEmbedding(n_clusters, affinity="rbf", gamma=gamma, random_state=0)
    return {
        "PCA": PCA(0.95).fit_transform(X),
        "LLE": lle.fit_transform(X),
        "Laplacian eigenmaps": eigenmaps.fit_transform(X),
    }


def one_run(name: str, seed: int, bank: RBFBank, views: Mapping[str, Array]) -> dict[str, Labels]:
    """The labels of every column of Tables 3 and 4 from one k-means start."""
    X, y = data(name)
    k = len(np.unique(y))
    start = kmeans(X, k, seed)
    found = {"k-means": start}
    for method, Z in views.items():
        found[method] = rounded_labels(Z, start, k).labels
    for i, G in enumerate(bank):
        found[f"kernel {i}"] = kernel_kmeans(G, start, k)
    first = int(np.random.default_rng(seed).integers(len(bank)))
    found["initial kernel"] = found[f"kernel {first}"]
    for lam in ("1e-6", "1e-4", "1e-2"):
        found[f"NAML {lam}"] = naml_states(bank, start, k, first, float(lam))[-1].labels
    return found


SCORES: Mapping[str, Callable[[Any, Any], float]] = {
    "ACC": clustering_accuracy,
    "purity": purity,
    "MI": normalized_mutual_information,
}


def scored_runs(name: str, n_runs: int) -> dict[str, dict[str, Array]]:
    """Every score of every column in every run: score -> column -> one number a run."""
    X, y = data(name)
    bank, views = RBFBank(X, bank_widths(X)), embeddings(X, len(np.unique(y)))
    runs = [one_run(name, seed, bank, views) for seed in range(n_runs)]
    scores = {}
    for score, function in SCORES.items():
        values = {c: np.array([function(y, run[c]) for run in runs]) for c in runs[0]}
        single = np.array([values.pop(f"kernel {i}") for i in range(len(bank))])
        best = single[np.argmax(single.mean(axis=1))]
        worst = single[np.argmin(single.mean(axis=1))]
        summary = {
            "best kernel": best,
            "worst kernel": worst,
            "average kernel": single.mean(axis=0),
        }
        scores[score] = {**values, **summary}
    return scores


# ------------------------------------------------------------------------- Tables 3 and 4


def printed_cells() -> Iterator[tuple[str, str, str, str, float]]:
    """Table, set, score, column and number of every printed cell of a set that we have."""
    for table, columns, printed in (("3", COLUMNS, TABLE_3), ("4", KERNEL_COLUMNS, TABLE_4)):
        for name, rows in printed.items():
            for score, numbers in zip(("ACC", "MI"), rows, strict=True):
                for column, number in zip(columns, numbers, strict=True):
                    yield table, name, score, column, number


def verdict(row: Row) -> str:
    """Whether a printed cell is ours, and if not, what would be needed to know why."""
    if abs(row["ours"] - row["printed"]) <= max(row["sd"], 0.001):
        return "reproduced within one standard deviation"
    if row["purity"] != "" and abs(row["purity"] - row["printed"]) <= max(row["purity_sd"], 0.001):
        return "purity reproduces it, the matching does not"
    method = row["column"].split()[0] if row["column"] in COLUMNS[:3] else row["column"]
    side = "above" if row["ours"] > row["printed"] else "below"
    return f"differs (ours {side}): {UNSTATED.get(method, 'kernel widths and scaling unstated')}"


def table_rows(name: str, n_runs: int = 20) -> Iterator[Row]:
    """Every cell of one set in Tables 3 and 4: printed, ours with its spread, and a verdict."""
    scores = scored_runs(name, n_runs)
    for table, dataset, score, column, printed in printed_cells():
        if dataset != name:
            continue
        values, pure = scores[score][column], scores["purity"][column]
        row: Row = {
            "table": table,
            "dataset": name,
            "score": score,
            "column": column,
            "printed": printed,
            "ours": round(float(values.mean()), 3),
            "sd": round(float(values.std()), 3),
            "purity": round(float(pure.mean()), 3) if score == "ACC" else "",
            "purity_sd": round(float(pure.std()), 3) if score == "ACC" else "",
            "runs": n_runs,
            "scaling": SETS[name][1],
            "widths": WIDTHS if "NAML" in column or "kernel" in column else "",
        }
        yield {**row, "verdict": verdict(row)}


# --------------------------------------------------------- Figures 1 and 2, and Table 5


def lambda_row(name: str, l_step: str, lam: float) -> Row:
    """Figure 2: scores at one lambda, with the passes that were needed; one run of large sets."""
    X, y = data(name)
    n_runs = 3 if len(X) < 300 else 1
    bank, k = RBFBank(X, bank_widths(X)), len(np.unique(y))
    ends = []
    for seed in range(n_runs):
        states = naml_states(bank, kmeans(X, k, seed), k, seed % len(bank), lam, l_step)
        ends.append((len(states), states[-1]))
    return {
        "dataset": name,
        "l_step": l_step,
        "lam": lam,
        "acc": round(float(np.mean([clustering_accuracy(y, s.labels) for _, s in ends])), 3),
        "mi": round(
            float(np.mean([normalized_mutual_information(y, s.labels) for _, s in ends])), 3
        ),
        "passes": round(float(np.mean([count for count, _ in ends])), 1),
        "kernels_used": round(float(np.mean([np.sum(s.weights > 0) for _, s in ends])), 1),
        "runs": n_runs,
    }


def iteration_rows(name: str = "satimage", first: int = 9) -> Iterator[Row]:
    """Figure 1: accuracy and objective after each pass, from the narrowest kernel."""
    X, y = data(name)
    bank, k = RBFBank(X, bank_widths(X)), len(np.unique(y))
    for lam in (0.01, 100.0):
        for i, state in enumerate(naml_states(bank, kmeans(X, k, 0), k, first, lam)[:12]):
            yield {
                "dataset": name,
                "lam": lam,
                "pass": i + 1,
                "acc": round(clustering_accuracy(y, state.labels), 3),
                "objective": round(state.objective, 5),
            }


def weight_rows(name: str = "ORL10P") -> Iterator[Row]:
    """Table 5: the exact weights at each lambda, for the classes as clusters."""
    X, y = data(name)
    bank = RBFBank(X, bank_widths(X))
    for exponent in range(-8, 6):
        found = kernel_weights(bank, indicator(y), 10.0**exponent)
        weights = {f"w{i + 1}": round(float(w), 4) for i, w in enumerate(found.weights)}
        yield {"dataset": name, "lam": f"1e{exponent}", **weights}


# ------------------------------------------------------------------- the QCQP beside ours


def qcqp_row(name: str, lam: float, every: int = 2, n_kernels: int = 6) -> Row:
    """The G step for the classes of a thinned set by both routes."""
    X, y = (part[::every] for part in data(name))
    bank = RBFBank(X, bank_widths(X, n_kernels))
    paper, ours = qcqp_weights(bank, indicator(y), lam), kernel_weights(bank, indicator(y), lam)
    return {
        "dataset": name,
        "n": len(X),
        "lam": lam,
        "f2_qcqp": round(paper.objective, 9),
        "multiplier_sum": round(float(paper.multipliers.sum()), 4),
        **{f"w{i + 1}": round(float(w), 5) + 0.0 for i, w in enumerate(paper.weights)},
        "relative_difference_below": 1e-6 if _close(paper.objective, ours.objective) else 1.0,
        "status": paper.status,
    }


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * abs(b)


def speed_row(n_samples: int, n_clusters: int = 3) -> Row:
    """Seconds of the G step by both routes in the same run, ten kernels, lambda = 0.01."""
    bank, L = problem(n_samples, n_clusters)
    (ours,) = interleaved_medians(lambda: kernel_weights(bank, L, 1e-2), repeats=5)
    start = time.perf_counter()
    qcqp_weights(bank, L, 1e-2)
    seconds = time.perf_counter() - start
    return {
        "n": n_samples,
        "p": len(bank),
        "k": n_clusters,
        "qcqp_seconds": round(seconds, 2),
        "newton_seconds": round(ours, 5),
        "times_as_fast": round(seconds / ours),
    }


def satimage_row() -> Row:
    """The whole of satimage (6435 rows), which the paper could not hold: seconds and memory."""
    import resource

    loaded = load("satimage")
    X, y = np.asarray(loaded.data, dtype=float), loaded.target
    start, busy = time.perf_counter(), time.process_time()
    model = NAML(6, l_step="eigen", n_init=1, random_state=0, verbose=True).fit(X)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "n": len(X),
        "kernels": len(model.kernel_weights_),
        "passes": model.n_iter_,
        "objective": round(model.objective_, 5),
        "gap_below_1e-8": model.duality_gap_ <= 1e-8,
        "acc": round(clustering_accuracy(y, model.labels_), 3),
        "mi": round(normalized_mutual_information(y, model.labels_), 3),
        "seconds": round(seconds),
        "processor_seconds": round(busy),
        "peak_gb": round(peak, 2),
    }


# -------------------------------------------------------------------------------- storage


def jobs(quick: bool = False) -> dict[str, list[Callable[[], Iterable[Row]]]]:
    """The tables, each as a list of pieces of work that give rows."""
    names = ["wine"] if quick else available(SETS)
    conic = find_spec("cvxpy") and find_spec("clarabel")
    lams = [10.0**e for e in ((-2, 1) if quick else (-8, -6, -4, -2, -1, 0, 1, 2, 3, 5))]
    runs = 2 if quick else 20
    return {
        "tables": [partial(table_rows, name, runs) for name in names],
        "lambda": [
            partial(_single, lambda_row, name, rule, lam)
            for name in names
            for rule in (("constant", "eigen") if name in ("iris", "wine") else ("constant",))
            for lam in lams
        ],
        "iterations": [iteration_rows],
        "weights": [partial(weight_rows, name) for name in names if name in ("wine", "ORL10P")],
        **(_conic_jobs(quick) if conic else {}),
        **({} if quick else {"satimage": [partial(_single, satimage_row)]}),
    }


def _conic_jobs(quick: bool) -> dict[str, list[Callable[[], Iterable[Row]]]]:
    exponents, sizes = ((-2,), (30,)) if quick else (tuple(range(-4, 1)), (100, 200, 400))
    return {
        "qcqp": [
            partial(_single, qcqp_row, name, 10.0**e)
            for name in ("iris", "wine", "promoter")
            for e in exponents
        ],
        "speed": [partial(_single, speed_row, n) for n in sizes],
    }


def _single(function: Callable[..., Row], *args: Any) -> list[Row]:
    return [function(*args)]


def tables(quick: bool = False) -> dict[str, list[Row]]:
    """Every table; ``quick`` takes one set, two values of lambda and two runs."""
    return {f"naml_{name}": _rows(name, work) for name, work in jobs(quick).items()}


def _rows(name: str, work: list[Callable[[], Iterable[Row]]]) -> list[Row]:
    return [row for piece in tqdm(work, desc=name) for row in piece()]


def main(names: list[str]) -> None:
    """Compute and store the tables named, or all."""
    for name, work in jobs().items():
        if not names or name in names:
            store(f"naml_{name}", _rows(name, work), Path(str(RESULTS)))


if __name__ == "__main__":
    main(sys.argv[1:])
