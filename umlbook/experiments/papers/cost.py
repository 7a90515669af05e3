"""What a fit costs as the number of rows grows: processor seconds and memory (chapter 8).

``umlbook reproduce cost`` measures again; the stored copy is ``results/cost.csv``. Every fit is one
of its kind in a process of its own, with one thread: processor seconds of ``fit`` alone, and by how
much it raised the memory that the process held, at the most (read from Linux's ``/proc``). Seconds
depend on the machine; how they grow depends on it much less.

The data are five round clusters in twenty features, four standard deviations from their common
centre along a feature each. Methods with pairs get 20 of each kind.

``umlbook reproduce cost-blocks`` (``results/cost_blocks.csv``) is the same for tables that are
never in memory: dask makes a block of rows when a method asks for it, in every pass anew, so the
seconds hold the making of the rows too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from umlbook.algebra import Array, Labels
from umlbook.aml import AML
from umlbook.constraints import sample
from umlbook.cpcm import CPCM
from umlbook.cpd import CPDUML
from umlbook.daem import ProbabilisticMetric
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.latent import LatentClassPairs
from umlbook.naml import NAML
from umlbook.pairs import BentMetric
from umlbook.spectral import KernelKMeans, SpectralKMeans

N_FEATURES, N_CLUSTERS, N_PAIRS = 20, 5, 20
SIZES = (300, 1000, 3000, 10_000, 100_000)
MANY = 1_000_000
"""The methods whose every step is linear in n are measured here too."""

BLOCK = 100_000
"""Rows of a block, where rows are read block by block."""

ESTIMATORS: Mapping[str, Callable[..., Any]] = {
    "k-means": partial(KMeans, n_init=10),
    "SpectralKMeans": SpectralKMeans,
    "AML": AML,
    "CPCM": CPCM,
    "CPCM kernel ridge": partial(CPCM, predictor="kernel-ridge"),
    "kernel k-means": KernelKMeans,
    "NAML": NAML,
    "CPD-UML": CPDUML,
    "PM": ProbabilisticMetric,
    "latent classes": LatentClassPairs,
    "bent metric": BentMetric,
}
PAIRED = ("PM", "latent classes", "bent metric")
LINEAR = ("k-means", "SpectralKMeans", "AML", "CPCM")
STREAMED = ("AML", "CPCM")
ORDERS: Mapping[str, int] = {
    **dict.fromkeys(LINEAR, 1),
    "kernel k-means": 2,
    **dict.fromkeys(("CPCM kernel ridge", "NAML", "CPD-UML", "PM"), 3),
    **dict.fromkeys(("latent classes", "bent metric"), 3),
}
"""The power of n in the operations of the exact method: of large n, with all else fixed."""


def blobs(n_samples: int, seed: int = 0) -> tuple[Array, Labels]:
    """The samples and their clusters."""
    rng = np.random.default_rng(seed)
    y = rng.integers(N_CLUSTERS, size=n_samples)
    X = rng.normal(size=(n_samples, N_FEATURES))
    X[np.arange(n_samples), y] += 4.0
    return X, y


def blocks(n_samples: int) -> Any:
    """The samples as a dask array: block i is the `blobs` of seed i."""
    import dask.array as da
    from dask import delayed

    sizes = [min(BLOCK, n_samples - first) for first in range(0, n_samples, BLOCK)]
    rows = delayed(lambda size, seed: blobs(size, seed)[0])
    parts = [
        da.from_delayed(rows(size, seed), (size, N_FEATURES), float)
        for seed, size in enumerate(sizes)
    ]
    return da.concatenate(parts)


def pairs_for(method: str, y: Labels) -> dict[str, Any]:
    """The arguments of ``fit`` beside the samples."""
    if method not in PAIRED:
        return {}
    must, cannot = sample(y, N_PAIRS, N_PAIRS, random_state=0)
    return {"must_link": must, "cannot_link": cannot}


def peak_megabytes(reset: bool = False) -> float:
    """The most memory that this process has held; with ``reset``, it counts anew from here (Linux).

    The two files are the kernel's own: see proc(5), ``clear_refs`` and ``VmHWM``.
    """
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10


def measured(method: str, n_samples: int, kind: str = "memory") -> Row:
    """Processor seconds of one fit in this process, and the megabytes that it added."""
    model = ESTIMATORS[method](N_CLUSTERS, random_state=0)
    if kind == "blocks":
        X, arguments = blocks(n_samples), {}
    else:
        X, y = blobs(n_samples)
        arguments = pairs_for(method, y)
    before, start = peak_megabytes(reset=True), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, **arguments)
    seconds = time.process_time() - start
    return {"seconds": round(seconds, 3), "megabytes": round(peak_megabytes() - before, 1)}


def work(cell: Cell) -> list[Row]:
    """One fit in a process of its own, which starts with no memory and one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    kind = cell.get("kind", "memory")
    command = [sys.executable, "-m", __name__, cell["method"], str(cell["n"]), kind]
    done = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
    return [cell | json.loads(done.stdout)]


def cells(quick: bool) -> list[Cell]:
    """Small sizes first."""
    sizes = SIZES[:1] if quick else (*SIZES, MANY)
    return [
        {"method": method, "n": n}
        for n in sizes
        for method in ESTIMATORS
        if n < MANY or method in LINEAR
    ]


def block_cells(quick: bool) -> list[Cell]:
    """Tables that are read block by block."""
    sizes = (BLOCK,) if quick else (MANY, 10 * MANY)
    return [{"method": method, "n": n, "kind": "blocks"} for n in sizes for method in STREAMED]


def slope(rows: list[Row], method: str, column: str, low: int, high: int) -> float:
    """The power of n with which a column grows between two sizes."""
    at = {row["n"]: row[column] for row in rows if row["method"] == method}
    return float(np.log(at[high] / at[low]) / np.log(high / low))


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Seconds and megabytes of each method at each size; nothing of it is in print."""
    for row in rows:
        for column in ("seconds", "megabytes"):
            yield Comparison(f"n={row['n']}", column, row["method"], None, row[column])


TARGETS = (
    Target(
        "cost",
        "umlbook",
        "processor seconds and memory of one fit against the number of rows (chapter 8)",
        Source("cost", cells, work, partial(stored, "cost")),
        comparisons,
    ),
    Target(
        "cost-blocks",
        "umlbook",
        "the same for rows that are read block by block and are never all in memory (chapter 8)",
        Source("cost_blocks", block_cells, work, partial(stored, "cost_blocks")),
        comparisons,
    ),
)

if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
