"""Asking for pairs: the score against the number of questions, strategy by strategy.

``umlbook reproduce asking-strategies`` computes it again; the stored copy is
``results/asking_scores.csv``, from which chapter 12 reads.

**Tables.** Of the tables that were held out (`pairs_tables`, fixed before anything was tuned) every
second one from the second, without the one that has 500 columns, for the time it would take. The
strategies were written and tried on the development tables only.

**Model.** The same for all strategies, and cheap, since it is fitted a few thousand times: ITML
learns from what the answers entail (at most 100 pairs of a kind), k-means clusters in its metric,
once from random starts and once from the means of the classes that have been met, and of the two
clusterings the one that satisfies more of the pairs is kept, at a tie the first. The second start
helps only strategies that meet classes, and so does elimination, which is used against these.

**Parts.** "right" has right answers; "wrong" has a tenth of them wrong, drawn for each pair, on
every second of the tables. ``ari`` is the adjusted Rand index of all rows, ``free`` that of the
rows that no question was about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from umlbook.algebra import Array, Labels
from umlbook.asking import STRATEGIES, Answer, Answers, conversation, oracle, questions
from umlbook.asking.strategies import Model, quietly
from umlbook.constraints import IntArray, close, satisfaction
from umlbook.experiments.engine import storage
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.pairs_tables import HELD_OUT, table
from umlbook.rivals import ITML
from umlbook.scores import adjusted_rand_index

DATASETS = tuple(name for name in HELD_OUT[1::2] if name != "tissues")
COUNTS = (0, 10, 20, 40, 80)
PARTS = {"right": (5, DATASETS), "wrong": (1, DATASETS[::2])}
"""The parts: how many seeds, and which tables."""
MOST_PAIRS = 100


# -------------------------------------------------------------------------------- the model


def seeded_clusters(n_clusters: int) -> Model:
    """K-means in the metric of ITML, from the classes met or from random starts."""

    def labels(X: Array, must: IntArray, cannot: IntArray) -> Labels:
        free = KMeans(n_clusters, n_init=5, random_state=0)
        if not len(must) + len(cannot):
            return np.asarray(free.fit(X).labels_)
        pairs = close(must, cannot, len(X))
        some = [thinned(kind) for kind in pairs]
        metric = ITML(max_iter=20, tol=1e-3).fit(X, must_link=some[0], cannot_link=some[1])
        Z = metric.transform(X)
        met = KMeans(n_clusters, init=met_means(Z, n_clusters, must, cannot), n_init=1)
        found = [np.asarray(model.fit(Z).labels_) for model in (free, met)]
        return max(found, key=lambda one: round(satisfaction(one, *pairs).overall, 9))

    return labels


def thinned(pairs: IntArray) -> IntArray:
    """At most a hundred of the pairs, always the same ones."""
    return pairs[np.sort(np.random.RandomState(0).permutation(len(pairs))[:MOST_PAIRS])]


def met_means(Z: Array, n_clusters: int, must: IntArray, cannot: IntArray) -> Array:
    """The means of the classes met, the largest first; of more, the rows farthest from these."""
    kinds = ((must, "together"), (cannot, "apart"))
    given = (Answer(i, j, reply) for pairs, reply in kinds for i, j in pairs.tolist())
    groups = sorted(Answers(len(Z), tuple(given)).groups, key=len, reverse=True)[:n_clusters]
    means = [Z[group].mean(axis=0) for group in groups]
    while len(means) < n_clusters:
        means.append(Z[cdist(Z, means).min(axis=1).round(9).argmax()])
    return np.array(means)


# -------------------------------------------------------------------------------- the cells


def work(cell: Cell) -> Iterator[Row]:
    """The scores of one dialogue after 0, 10, 20, ... questions."""
    X, y = table(cell["dataset"])
    truth = np.unique(y, return_inverse=True)[1]
    n_clusters = int(truth.max()) + 1
    model = seeded_clusters(n_clusters)
    dialogue = questions(
        X, n_clusters, model, strategy=cell["strategy"], seed=cell["seed"], refit_every=10,
        answers=Answers(len(X), n_classes=n_clusters),
    )  # fmt: skip
    share = 0.1 if cell["part"] == "wrong" else 0.0
    replies = conversation(dialogue, oracle(truth, share, cell["seed"]))
    states = [Answers(len(X)), *islice(replies, COUNTS[-1])]
    for count in COUNTS:
        state = states[min(count, len(states) - 1)]  # the last, where all is known before
        labels = quietly(model, X, state.must_link, state.cannot_link)
        free = ~state.asked
        yield {
            **cell,
            "questions": count,
            "ari": round(adjusted_rand_index(truth, labels), 4),
            "free": round(adjusted_rand_index(truth[free], labels[free]), 4),
            "classes": len(state.groups),
            "rows": int(state.asked.sum()),
        }


def cells(quick: bool = False) -> list[Cell]:
    """All dialogues, seed by seed; quick: one seed on two tables."""
    return [
        {"part": part, "dataset": name, "strategy": strategy, "seed": seed}
        for part, (n_seeds, tables) in PARTS.items()
        for seed in range(1 if quick else n_seeds)
        for name in (tables[:2] if quick else tables)
        for strategy in STRATEGIES
    ]


# ------------------------------------------------------------------------------ the results


def stored() -> list[Row]:
    """The rows that are stored with the package."""
    return storage.stored("asking_scores")


def curves(rows: list[Row], part: str = "right", score: str = "ari") -> dict[str, Array]:
    """Of each strategy the mean score over tables and seeds after 0, 10, 20, ... questions."""
    found = storage.grouped(rows, score, "strategy", "part", "questions")
    return {
        name: np.array([np.mean(found[name, part, count]) for count in COUNTS])
        for name in dict.fromkeys(key[0] for key in found)
    }


def by_table(rows: list[Row], count: int, part: str = "right") -> dict[str, dict[str, float]]:
    """Mean score over the seeds after so many questions, by strategy and table."""
    found = storage.grouped(rows, "ari", "strategy", "dataset", "part", "questions")
    means: dict[str, dict[str, float]] = {}
    for (name, dataset, *which), scores in found.items():
        if which == [part, count]:
            means.setdefault(name, {})[dataset] = float(np.mean(scores))
    return means


def questions_until(curve: Sequence[float] | Array, level: float) -> float | None:
    """Questions after which a curve first reaches a level, on the lines between its points.

    >>> questions_until([0.0, 0.5, 0.7, 0.7, 0.9], 0.6), questions_until([0, 0, 0, 0, 0.5], 0.6)
    (15.0, None)
    """
    if curve[0] >= level:
        return 0.0
    for (q0, s0), (q1, s1) in pairwise(zip(COUNTS, curve, strict=True)):
        if s1 >= level:
            return float(q0 + (q1 - q0) * (level - s0) / (s1 - s0))
    return None


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean ARI of every strategy after every number of questions; nothing of it is in print."""
    for part in dict.fromkeys(row["part"] for row in rows):
        runs = len({(row["dataset"], row["seed"]) for row in rows if row["part"] == part})
        for name, curve in curves(rows, part).items():
            for count, mean in zip(COUNTS, curve, strict=True):
                score = f"ARI, {count} questions"
                yield Comparison(part, score, name, None, float(mean), runs=runs)


TARGETS = (
    Target(
        "asking-strategies",
        "umlbook",
        "score against number of questions, by strategy, on held-out tables",
        Source("asking-strategies", cells, work, stored),
        comparisons,
    ),
)
