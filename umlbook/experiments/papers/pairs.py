"""Learning from pairs beside its rivals, on tables that nothing was chosen on: chapter 11.

``umlbook reproduce pairs-development pairs-held-out pairs-fresh`` computes it again; the stored
copies are ``results/pairs_development.csv``, ``pairs_held_out.csv`` and ``pairs_fresh.csv``. Which
tables are which, and since when, is said in `umlbook.experiments.papers.pairs_tables`. The tables
are standardised; of those with more rows, 200 are drawn, class by class. Every method is given K.

In the first round the graph was always used (`FIRST`), and the held-out tables judged that. In the
second the pairs also decide whether it is (`OURS`), and the fresh tables judge this.

The score is the adjusted Rand index (ARI), of all rows and, as ``free``, of those that are in no
pair; 20 + 20 pairs, drawn five times (twice for the variants on the development tables).
``wrong`` counts, for each kind, the pairs that were said to be of the other kind, drawn so that no
two pairs contradict one another, since most rivals would refuse them. Latent classes are told the
true share of wrong pairs, the others are told nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax

from umlbook.algebra import Array, Labels, one_hot
from umlbook.experiments.engine import storage
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.ranking import p_against_control
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers.latent import (
    Clusters,
    PairArrays,
    drawn_pairs,
    kmeans,
    latent,
    named,
    scored_rows,
)
from umlbook.experiments.papers.pairs_tables import DEVELOPMENT, FRESH, HELD_OUT, table
from umlbook.pairs import BentMetric, PairTask, learned_metric
from umlbook.rivals import RCA

OURS, FIRST, ALONE = "bent metric", "bent metric, graph", "bent metric, no pairs"
N_PAIRS = 20
WRONG = (0, 2)  # of 20 pairs of each kind: 0 and 10 %
MORE_WRONG = (0, 2, 1, 4)  # on the fresh tables, 5 and 20 % besides
PARTS = ("bent metric, s = 1/2", "bent metric, s = 1", "bent metric, pairs dropped")
DOUBT = 0.05  # the share of wrong pairs that constrained EM reckons with

# ------------------------------------------------------------------------------ the methods


def constrained_em(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """EM of a Gaussian mixture with one covariance, whose E-step hears the partners of a sample.

    Mean field: a must-link adds log((1 - e)/e) times the partner's responsibilities to the
    log-odds of a sample, a cannot-link takes that away. It starts at k-means and takes 50 steps.
    """
    r = one_hot(kmeans(X, n_clusters).labels_, n_clusters)
    voice = float(np.log((1 - DOUBT) / DOUBT))
    for _ in range(50):
        sizes = r.sum(axis=0) + 1e-9
        means = (r.T @ X) / sizes[:, None]
        within = X.T @ X - (means.T * sizes) @ means  # about the means, all samples together
        C = within / len(X) + 1e-3 * np.eye(X.shape[1])
        toward = cho_solve(cho_factor(C), means.T)
        logits = X @ toward - 0.5 * np.sum(means.T * toward, axis=0) + np.log(sizes / len(X))
        for both, sign in zip(pairs, (voice, -voice), strict=True):
            for ends in (both, both[:, ::-1]):
                np.add.at(logits, ends[:, 0], sign * r[ends[:, 1]])
        r = softmax(logits, axis=1)
    return np.asarray(r.argmax(axis=1))


def bent(**params: object) -> Clusters:
    """The bent metric with its defaults except for ``params``."""

    def labels(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
        model = BentMetric(n_clusters, random_state=0, **params)  # type: ignore[arg-type]
        return model.fit(X, **named(pairs)).labels_

    return labels


def itml(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """K-means in ITML's metric, found among few coordinates (11.3), as it would be among all."""
    task = PairTask(X, *pairs, n_clusters)
    return np.asarray(kmeans(learned_metric(X, *pairs, task).at(X), n_clusters).labels_)


def no_pairs(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """The bent metric without pairs: k-means in the coordinates."""
    return BentMetric(n_clusters, random_state=0).fit(X).labels_


def rca(X: Array, n_clusters: int, pairs: PairArrays) -> Labels:
    """K-means after relevant component analysis."""
    return np.asarray(kmeans(RCA().fit(X, **named(pairs)).transform(X), n_clusters).labels_)


def methods(share: float) -> dict[str, Clusters]:
    """Every method; ``share`` of the pairs is wrong, which latent classes alone are told."""
    return {
        "k-means": lambda X, n_clusters, pairs: np.asarray(kmeans(X, n_clusters).labels_),
        ALONE: no_pairs,
        "RCA": rca,
        "constrained EM": constrained_em,
        "ITML": itml,
        "ITML, coordinates": bent(strength=0.0),
        "latent classes": latent(noise=share),
        PARTS[0]: bent(strength=0.5),
        PARTS[1]: bent(strength=1.0),
        PARTS[2]: bent(noise=0.1, graph=True),
        FIRST: bent(graph=True),
        OURS: bent(),
    }


# -------------------------------------------------------------------------------- the cells


def work(cell: Cell) -> list[Row]:
    """The scores of every method with one draw of pairs of one table."""
    X, truth = table(cell["table"])
    pairs = drawn_pairs(truth, N_PAIRS, cell["wrong"], cell["set"])
    asked = methods(cell["wrong"] / N_PAIRS)
    wanted = compared(cell["table"])
    chosen = {name: clusters for name, clusters in asked.items() if name in wanted}
    return [{**cell, **row} for row in scored_rows(chosen, X, truth, pairs)]


def compared(name: str) -> list[str]:
    """The methods on a table: rivals where it is held out, variants of ours where it is not."""
    variants = ("ITML, coordinates", *PARTS, FIRST, OURS)
    return [m for m in methods(0.0) if (m in variants if name in DEVELOPMENT else m not in PARTS)]


def cells(
    quick: bool, names: tuple[str, ...], n_sets: int, wrongs: tuple[int, ...] = WRONG
) -> list[Cell]:
    """The draws of pairs in turn, so that a run cut short has a few of everything."""
    return [
        {"table": name, "wrong": wrong, "set": number}
        for number in range(1 if quick else n_sets)
        for wrong in (wrongs[:1] if quick else wrongs)
        for name in (names[:2] if quick else names)
    ]


# ------------------------------------------------------------------------------ the results


def stored(which: str) -> list[Row]:
    """The rows of ``development``, ``held_out`` or ``fresh``."""
    return storage.stored(f"pairs_{which}")


def means(rows: list[Row], wrong: int, score: str = "ari") -> dict[str, dict[str, float]]:
    """Mean score over the draws, by method and table, with so many wrong pairs of each kind."""
    by_method: dict[str, dict[str, float]] = {}
    found = storage.grouped([r for r in rows if r["wrong"] == wrong], score, "method", "table")
    for (method, name), scores in found.items():
        by_method.setdefault(str(method), {})[str(name)] = float(np.mean(scores))
    return by_method


def summary(rows: list[Row], wrong: int, control: str = OURS) -> list[Row]:
    """Each method's mean over the tables, its worst table beside ours, and Holm's p-value."""
    scores = {
        method: np.array(list(by_table.values())) for method, by_table in means(rows, wrong).items()
    }
    p = p_against_control(scores, control) | {control: float("nan")}
    return [
        {
            "method": method,
            "mean": float(values.mean()),
            "ours ahead on": int(np.sum(scores[control] - values > 5e-5)),
            "behind on": int(np.sum(values - scores[control] > 5e-5)),
            "worst": float((scores[control] - values).min()),
            "p": p[method],
        }
        for method, values in scores.items()
    ]


def comparisons(rows: list[Row]) -> Iterator[Comparison]:
    """Mean ARI of every method on every table, clean and wrong; nothing of it is in print."""
    found = storage.grouped(rows, "ari", "method", "table", "wrong")
    for (method, name, wrong), scores in found.items():
        what = f"ARI, {5 * int(wrong)} % wrong"
        yield Comparison(
            str(name), what, str(method), None, float(np.mean(scores)), runs=len(scores)
        )


def _target(
    which: str, names: tuple[str, ...], n_sets: int, what: str, wrongs: tuple[int, ...] = WRONG
) -> Target:
    grid = partial(cells, names=names, n_sets=n_sets, wrongs=wrongs)
    source = Source(f"pairs-{which}", grid, work, partial(stored, which))
    return Target(f"pairs-{which.replace('_', '-')}", "umlbook", what, source, comparisons)


TARGETS = (
    _target("development", DEVELOPMENT, 2, "variants of it on the tables it was made with"),
    _target("held_out", HELD_OUT, 5, "learning from pairs on tables that nothing was chosen on"),
    _target("fresh", tuple(FRESH), 5, "the second round, on tables listed for it", MORE_WRONG),
)
