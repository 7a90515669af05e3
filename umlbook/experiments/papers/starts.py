"""Which end of its starts should CPCM keep? Rules that need no labels, designed on one half.

``umlbook reproduce cpcm-starts`` computes it again (three minutes on one core); the stored copy is
``results/cpcm_starts.csv``.

The sets of chapter 8 were divided before anything was computed, every second name in alphabetical
order: rules were designed on `DEVELOPMENT` and on drawn data, and the one that was taken was judged
once on `JUDGEMENT`, beside k-means and beside the rules that CPCM had before. Since then its floor
falls with the number of clusters (`umlbook.cpcm.choice.sharpest_counted`), set with rows of six,
eight and ten drawn lines; no mean of a judged set changed by it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import scale

from umlbook._loop import Restart
from umlbook.algebra import Array, Labels
from umlbook.cpcm import CPCM, canonical_correlations
from umlbook.cpd import neighbor_graph, normalized_cut
from umlbook.datasets import make_noisy_lines, make_parallel_lines
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row, stored
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.cpcm import turned_noisy_lines
from umlbook.experiments.papers.methods import kmeans
from umlbook.experiments.papers.side_by_side import CAUSES, DATASETS, data, means
from umlbook.scores import adjusted_rand_index

DEVELOPMENT, JUDGEMENT = tuple(sorted(DATASETS)[::2]), tuple(sorted(DATASETS)[1::2])
N_SEEDS, FIRST_DRAW = 3, 100
"""The drawn sets have seeds of their own, not those of chapter 8."""


def blobs(size: int, random_state: int) -> tuple[Array, Labels]:
    """Five round clusters of a size, each six standard deviations out along a feature of twenty."""
    y = np.repeat(np.arange(5), size)
    X = np.random.default_rng(random_state).standard_normal((5 * size, 20))
    X[np.arange(len(X)), y] += 6
    return X, y


def difficulty(cause: str, value: float, random_state: int) -> tuple[Array, Labels]:
    """A drawn set of chapter 8, standardised as there."""
    X, y = CAUSES[cause][0](value, np.random.default_rng(random_state))
    return scale(X), y


DRAWN: Mapping[str, Callable[..., tuple[Array, Labels]]] = {
    **{
        f"{c} {v:g}": partial(difficulty, c, v) for c, (_, values) in CAUSES.items() for v in values
    },
    "two lines": partial(make_parallel_lines, 200, noise=0.1034),
    "three lines": partial(make_parallel_lines, 200, n_lines=3),
    "noisy lines": make_noisy_lines,
    "noisy lines, turned": turned_noisy_lines,
    "blobs": partial(blobs, 200),
}


def problem(name: str, seed: int) -> tuple[Array, Labels]:
    """The samples and classes of a set, drawn or bundled."""
    return DRAWN[name](random_state=FIRST_DRAW + seed) if name in DRAWN else data(name)


# ------------------------------------------------------------------------ rules among the ends

Ends = list[Restart]
"""The ends of the default starts; the last began at k-means."""


def fixed_correlations(X: Array, ends: Ends) -> list[Array]:
    """The squared canonical correlations of X and the labels of each end."""
    return [canonical_correlations(X, end.labels) for end in ends]


def blur(X: Array, ends: Ends) -> list[float]:
    """The least blur ratio, k-means among the starts."""
    return [end.objective for end in ends]


def no_small_cluster(X: Array, ends: Ends) -> list[float]:
    """The same, without ends that have a cluster of less than a fifth of the mean size."""
    sizes = [np.bincount(end.labels) for end in ends]
    return [
        b if 5 * s.min() >= s.mean() else b + 1 for b, s in zip(blur(X, ends), sizes, strict=True)
    ]


def pillai(X: Array, ends: Ends) -> list[float]:
    """The largest sum of the squared correlations."""
    return [-float(rho2.sum()) for rho2 in fixed_correlations(X, ends)]


def wilks(X: Array, ends: Ends) -> list[float]:
    """The least product of the 1 - rho^2, whatever start it came from."""
    return [float(np.sum(np.log(np.maximum(1 - r, 1e-9)))) for r in fixed_correlations(X, ends)]


def cut(X: Array, ends: Ends) -> list[float]:
    """The fewest neighbours cut apart."""
    graph = neighbor_graph(X)
    return [normalized_cut(graph, end.labels, int(end.labels.max()) + 1) for end in ends]


def agreement(X: Array, ends: Ends) -> list[float]:
    """The highest mean agreement with the other ends."""
    return [-float(np.mean([adjusted_rand_index(a.labels, b.labels) for b in ends])) for a in ends]


def across_halves(X: Array, ends: Ends) -> list[float]:
    """The labels of one half of the rows best predicted from those of the other."""
    half = np.random.default_rng(0).permutation(len(X)) % 2 == 0
    return [
        -float(np.mean([carried_over(X, e.labels, part) for part in (half, ~half)])) for e in ends
    ]


def carried_over(X: Array, labels: Labels, half: NDArray[np.bool_]) -> float:
    """Agreement on one half of the rows with the least-squares predictions from the other."""
    Z = np.eye(labels.max() + 1)[labels]
    design = np.column_stack([np.ones(len(X)), X])
    predictions = design @ np.linalg.lstsq(design[half], Z[half], rcond=None)[0]
    kept = np.unique(labels[half])
    centers = np.array([predictions[half & (labels == k)].mean(axis=0) for k in kept])
    squares = np.sum((predictions[~half, None] - centers) ** 2, axis=2)
    return float(adjusted_rand_index(labels[~half], kept[np.argmin(squares, axis=1)]))


def from_kmeans(X: Array, ends: Ends) -> list[float]:
    """The end of the start at k-means, whatever the others are."""
    return [float(end is not ends[-1]) for end in ends]


RULES: Mapping[str, Callable[[Array, Ends], list[float]]] = {
    "least blur": blur,
    "least blur, no small cluster": no_small_cluster,
    "Pillai": pillai,
    "Wilks": wilks,
    "fewest neighbours cut": cut,
    "agreement of the ends": agreement,
    "predicted across halves": across_halves,
    "start at k-means": from_kmeans,
}
DEFAULT, BEFORE, INVARIANT, KMEANS = "CPCM", "CPCM, least blur", "CPCM, invariant", "k-means"
FITS = (DEFAULT, BEFORE, INVARIANT, KMEANS)
"""What is judged: CPCM as it is, as it was, with invariant starts as it was, and k-means."""


# ---------------------------------------------------------------------------------- the scores


def scored(X: Array, y: Labels, seed: int, rules: bool) -> Iterator[Row]:
    """The adjusted Rand index of each fit, and of the end that each rule would keep."""
    k = len(np.unique(y))
    model = CPCM(k, random_state=seed).fit(X)
    labels = {
        DEFAULT: model.labels_,
        BEFORE: CPCM(k, choose="blur", random_state=seed).fit(X).labels_,
        INVARIANT: CPCM(k, choose="blur", starts="invariant", random_state=seed).fit(X).labels_,
        KMEANS: kmeans(X, k, seed, {}),
    }
    ends = list(model.restarts_)
    for name, rule in RULES.items() if rules else ():
        labels[name] = ends[int(np.argmin(np.round(rule(X, ends), 9)))].labels
    labels |= {"the best end": max(ends, key=partial(found, y)).labels} if rules else {}
    for name, c in labels.items():
        yield {"rule": name, "ARI": round(float(adjusted_rand_index(y, c)), 4)}


def found(y: Labels, end: Restart) -> float:
    """How well an end agrees with the classes."""
    return float(adjusted_rand_index(y, end.labels))


def half(name: str) -> str:
    """What a set was used for."""
    return "drawn" if name in DRAWN else "judged" if name in JUDGEMENT else "designed on"


def work(cell: Cell) -> list[Row]:
    """All rules on a set to design on, the fits on one to judge by."""
    X, y = problem(cell["dataset"], cell["seed"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one set has more features than half its rows
        rows = list(scored(X, y, cell["seed"], half(cell["dataset"]) != "judged"))
    return [cell | {"half": half(cell["dataset"])} | row for row in rows]


def cells(quick: bool) -> list[Cell]:
    """Every set with every seed; when quick, two of them."""
    names = ("wine", "iris") if quick else (*DEVELOPMENT, *DRAWN, *JUDGEMENT)
    return [{"dataset": n, "seed": s} for n in names for s in range(1 if quick else N_SEEDS)]


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean adjusted Rand index of each rule on each set; nothing of it is in print."""
    for (name, rule), ours in means(rows, "ARI", "dataset", "rule").items():
        yield Comparison(str(name), "ARI", str(rule), None, ours)


TARGETS = (
    Target(
        "cpcm-starts",
        "umlbook",
        "which end of its starts CPCM should keep (chapter 3)",
        Source("cpcm-starts", cells, work, partial(stored, "cpcm_starts")),
        comparisons,
    ),
)
