"""The QCQP of NAML beside our solver, its speed, and the whole of satimage: the book's own tables.

``python -m umlbook.experiments.papers.naml_qcqp qcqp speed satimage FOLDER`` makes those named and
writes ``FOLDER/naml_NAME.csv``; the first two need the extra ``qcqp``. The stored copies are
``results/naml_qcqp.csv`` and its neighbours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from umlbook.algebra import indicator
from umlbook.datasets import load
from umlbook.experiments.bench.naml import problem
from umlbook.experiments.bench.speeds import interleaved_medians, seconds_of
from umlbook.experiments.engine.storage import Row, store
from umlbook.experiments.papers.naml import data
from umlbook.kernels import RBFBank, bank_widths
from umlbook.naml import NAML, kernel_weights, qcqp_weights
from umlbook.scores import clustering_accuracy, normalized_mutual_information


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
    """Processor seconds of the G step by both routes in one run, ten kernels, lambda = 0.01."""
    bank, L = problem(n_samples, n_clusters)
    (ours,) = interleaved_medians(lambda: kernel_weights(bank, L, 1e-2), repeats=5)
    qcqp = seconds_of(lambda: qcqp_weights(bank, L, 1e-2))
    return {
        "n": n_samples,
        "p": len(bank),
        "k": n_clusters,
        "qcqp_seconds": round(qcqp.processor, 2),
        "newton_seconds": round(ours.processor, 5),
        "times_as_fast": round(qcqp.processor / ours.processor),
    }


def satimage_row() -> Row:
    """The whole of satimage (6435 rows), which the paper could not hold: seconds and memory."""
    import resource

    loaded = load("satimage")
    X, y = np.asarray(loaded.data, dtype=float), loaded.target
    start, busy = time.perf_counter(), time.process_time()
    model = NAML(6, l_step="eigen", n_init=1, mixed_start=False, random_state=0, verbose=True)
    model.fit(X)
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


TABLES: Mapping[str, Callable[[], Iterable[Row]]] = {
    "qcqp": lambda: (
        qcqp_row(name, 10.0**e) for name in ("iris", "wine", "promoter") for e in range(-4, 1)
    ),
    "speed": lambda: map(speed_row, (100, 200, 400)),
    "satimage": lambda: [satimage_row()],
}


if __name__ == "__main__":
    *names, folder = sys.argv[1:]
    for name in names:
        store(f"naml_{name}", list(TABLES[name]()), Path(folder))
