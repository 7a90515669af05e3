"""An M step of DAEM without the array of all pair features, against the same step with it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from umlbook.algebra import Array
from umlbook.constraints import sample
from umlbook.daem import AllPairs, ListedPairs, ProbabilisticMetric, e_step, labelled_only, m_step
from umlbook.datasets import make_circle
from umlbook.experiments.bench.speeds import Speed, interleaved_medians

N_SAMPLES = N_COMPONENTS = 400
LAM = 0.5


def rows() -> Iterator[Speed]:
    """Yield the M step, and the margins with a gradient that a line search asks for."""
    fast, naive = tasks()
    ours_mb, peer_mb = (peak_megabytes(task["M step"]) for task in (fast, naive))
    said = {"M step": f" ({ours_mb:.0f} against {peer_mb:.0f} MB)", "gradient": ""}
    for what, memory in said.items():
        peer, ours = interleaved_medians(naive[what], fast[what], repeats=5)
        size = f"n={N_SAMPLES}, k={N_COMPONENTS}"
        bar = 4 if what == "M step" else None
        yield Speed(f"{what} of DAEM{memory} / array of pairs", size, peer, ours, bar)


def tasks() -> tuple[dict[str, Callable[[], object]], dict[str, Callable[[], object]]]:
    """The same two tasks, matrix-free and with the array; each begins with the coordinates."""
    X, y = make_circle(N_SAMPLES, random_state=0)
    must, cannot = sample(y, 15, 15, random_state=0)
    model = ProbabilisticMetric(2, n_components=N_COMPONENTS)
    problem = model._prepare(X, must, cannot)
    start = labelled_only(problem.P, problem.pairs, problem.scale, problem.start_tau)
    margins = AllPairs(problem.P).dot(start.x[:-1]) - start.x[-1]
    posterior = problem.pairs.completed(e_step(margins, LAM))

    def step(features: Callable[[Array], AllPairs | ListedPairs]) -> object:
        given = (problem.pairs, posterior, start.x, problem.scale, problem.tau)
        return m_step(features(problem.P), *given)

    def gradient(features: AllPairs | ListedPairs) -> object:
        return features.adjoint(features.dot(start.x[:-1]) - margins.mean())

    listed = partial(gradient, pair_array(problem.P))
    return (
        {
            "M step": partial(step, AllPairs),
            "gradient": partial(gradient, AllPairs(problem.P)),
        },
        {"M step": partial(step, pair_array), "gradient": listed},
    )


def pair_array(P: Array) -> ListedPairs:
    """The features of all pairs as one array of n(n-1)/2 x k numbers."""
    i, j = np.triu_indices(len(P), k=1)
    return ListedPairs((P[i] - P[j]) ** 2)


def peak_megabytes(task: Callable[[], object]) -> float:
    """The most memory that a task holds at once beyond what was held before."""
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
