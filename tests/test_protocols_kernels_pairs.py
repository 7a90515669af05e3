"""The searches for PM's Table 2 and NAML's Table 4, and the rivals' columns that PM prints."""

import random

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.metrics.cluster import contingency_matrix

from umlbook import scores
from umlbook.experiments.engine import protocols, storage
from umlbook.experiments.engine.grid import attempt
from umlbook.experiments.engine.reporting import Report, Runs
from umlbook.experiments.papers import naml4_protocols, pm, pm_joint, pm_protocols
from umlbook.experiments.papers.treatments import SCALINGS
from umlbook.kernels import RBFBank
from umlbook.lloyd import lloyd_steps, settled
from umlbook.rivals import ERCA

# ------------------------------------------------------------------------------ PM's rivals


def cheap_rivals():
    rows = [
        row
        for row in storage.stored("pm_rivals")
        if row["dataset"] in ("soybean_small", "wine", "circle", "moon")
    ]
    return random.Random(3).sample(rows, 6)


@pytest.mark.filterwarnings("ignore:ERCA:UserWarning")  # few pairs, so it shrinks
@pytest.mark.parametrize("row", cheap_rivals(), ids=lambda row: f"{row['dataset']} {row['method']}")
def test_a_random_cell_of_a_rival_is_what_it_gives(row):
    cell = {key: row[key] for key in ("dataset", "pairs", "set", "method")}
    record = attempt(pm.work, cell)
    assert record.rows[0]["score"] == pytest.approx(row["score"], abs=0.03, nan_ok=True)


def test_every_column_of_the_paper_has_a_row_for_each_set_of_pairs_that_was_run():
    rows = storage.stored("pm_rivals")
    keys = [(r["dataset"], r["pairs"], r["set"], r["method"]) for r in rows]
    assert len(keys) == len(set(keys))
    assert {r["method"] for r in rows} | set(pm.OURS) == set(pm.PRINTED_DIGITS)
    cells = [cell for target in pm.TARGETS for cell in target.source.cells(False)]
    assert set(keys) <= {
        (c["dataset"], c["pairs"], c["set"], c["method"]) for c in cells if "method" in c
    }


# -------------------------------------------------------------------------------- PM's Table 2


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 5)])
def test_the_scores_of_the_search_are_those_of_the_package(seed, k):
    y, c = (np.random.default_rng(s).integers(m, size=60) for s, m in ((0, 3), (seed, k)))
    found = pm_protocols.definitions(contingency_matrix(y, c).astype(float))
    assert found["modified Rand"] == pytest.approx(scores.modified_rand(y, c))
    assert found["balanced by the classes"] == pytest.approx(scores.modified_rand(c, y))
    assert found["Rand"] == pytest.approx(scores.rand_index(y, c))
    assert found["adjusted Rand"] == pytest.approx(scores.adjusted_rand_index(y, c))
    assert found["accuracy"] == pytest.approx(scores.clustering_accuracy(y, c))
    mutual = scores.normalized_mutual_information(y, c)
    assert found["mutual information"] == pytest.approx(mutual, abs=1e-9)


def test_black_pixels_change_erca_by_a_factor_at_most(monkeypatch):
    monkeypatch.setattr(pm_protocols, "PIXELS", 20)
    X = np.random.default_rng(0).normal(size=(15, 8))
    black = np.column_stack([X, np.zeros((15, 12))])
    pairs = {"must_link": [[0, 1], [2, 3]], "cannot_link": [[0, 2], [4, 5]]}
    some = ERCA(shrinkage=pm_protocols.same_shrinkage(8)).fit(X, **pairs)
    whole = ERCA(shrinkage=0.1).fit(black, **pairs)
    ratio = pdist(some.transform(X)) / pdist(whole.transform(black))
    assert np.ptp(ratio) < 1e-9 * ratio.max()


@pytest.fixture
def small_digits(monkeypatch):
    """scikit-learn's digits in place of MNIST, and few draws of them."""
    X, y = load_digits(return_X_y=True)
    chosen = np.isin(y, (1, 2, 3))
    monkeypatch.setattr(pm_protocols, "pixels", lambda name: (X[chosen] / 16.0, y[chosen]))
    monkeypatch.setattr(pm_protocols, "N_DRAWS", 2)
    monkeypatch.setattr(pm_protocols, "N_SETS", 2)
    memories = (pm_protocols.drawn, pm_protocols.euclidean, pm_protocols.baseline_runs)
    for memory in memories:
        memory.cache_clear()
    yield X[chosen] / 16.0, y[chosen]
    for memory in memories:
        memory.cache_clear()


def test_a_cell_of_the_search_is_k_means_and_a_unit_changes_nothing(small_digits):
    X, y = small_digits
    text = {k: v for k, v in pm_protocols.text("1-2-3").items() if k in pm_protocols.CHOICES}
    cell = {**text, "dataset": "1-2-3", "part": "baselines"}
    rows = list(pm_protocols.work(cell))
    again = list(pm_protocols.work({**cell, "scaling": "0 to 255"}))
    without = [{k: v for k, v in r.items() if k != "treatment"} for r in rows]
    assert without == [{k: v for k, v in r.items() if k != "treatment"} for r in again]
    assert {r["method"] for r in rows} == set(pm_protocols.BASELINES)
    (alone,) = [
        r for r in rows if (r["method"], r["report"]) == ("Euclidean", "mean of all starts")
    ]
    assert alone["modified Rand"] == pytest.approx(pm.mean_score(X, y), abs=0.03)


def test_the_spread_of_a_number_has_the_draw_of_images_and_of_pairs_in_it():
    level = lambda value: Runs({"score": np.full(20, value)}, np.ones(20))  # noqa: E731
    report = Report("mean", 20, "mean")
    draws, sets = [level(0.4), level(0.6)], [level(0.5), level(0.7)]
    row = pm_protocols.printed_number(sets, draws, report, one_draw=True)
    apart = np.std([0, 0.2], ddof=1)
    assert row["score"] == pytest.approx(0.6)
    wanted = apart * np.sqrt(1 + 1 + 1 / pm.N_SETS + 1 / 2)
    assert row["score spread"] == pytest.approx(wanted, abs=1e-4)
    alone = pm_protocols.printed_number([], draws, report, one_draw=True)
    assert alone["score"] == pytest.approx(0.4)  # k-means on our own draw
    assert alone["score spread"] == pytest.approx(apart * np.sqrt(2), abs=1e-4)


def moved(table, sets, choices, n_rows=5):
    """Random stored numbers of a baseline under the text's protocol with one of these choices."""
    rows = [
        row
        for row in storage.stored(table)
        if row["dataset"] in sets and str(row["value"]) in choices.get(row["choice"], ())
    ]
    return random.Random(5).sample(rows, n_rows)


@pytest.mark.parametrize("row", moved("pm_moves", pm.DIGITS, {"rows": ("100",)}, 2))
def test_a_random_cell_of_the_digits_is_what_its_method_gives(row):
    if not pm_protocols.available():
        pytest.skip("the images are not installed: pip install umlbook[images]")
    again(pm_protocols, row)


# ------------------------------------------------------------------------------ NAML's Table 4


CHEAP = {"widths": naml4_protocols.WIDTHS, "use": naml4_protocols.USES, "scaling": SCALINGS}


@pytest.mark.parametrize("row", moved("naml4_moves", ("iris", "wine", "lymph", "promoter"), CHEAP))
def test_a_random_cell_of_a_kernel_is_what_k_means_gives_with_it(row):
    again(naml4_protocols, row)


def again(module, row):
    """Compute a stored number of a baseline anew, under the text's protocol but for one choice."""
    text = protocols.text_choices(module.SEARCH, row["dataset"])
    choices = text | {row["choice"]: str(row["value"])}
    cell = {"dataset": row["dataset"], "part": "baselines"}
    cell |= {key: choices[key] for key in module.SEARCH.treatments(row["dataset"])[0]}
    wanted = row["method"], choices[row["method"]], choices["report"]
    (new,) = [r for r in module.work(cell) if (r["method"], r["setting"], r["report"]) == wanted]
    assert new[choices[row["score"]]] == pytest.approx(row["ours"], abs=0.02)


def test_the_best_kernel_is_above_the_average_and_the_worst_below():
    rng = np.random.default_rng(0)
    kernels = [Runs({"score": rng.random(20)}, rng.random(20)) for _ in range(10)]
    found = naml4_protocols.column_numbers(kernels, Report("mean", 20, "mean"), "score")
    mean = found["average kernel", ""]
    for setting in ("one for all runs", "one in each run"):
        assert (found["best kernel", setting] >= mean).all()
        assert (found["worst kernel", setting] <= mean).all()
    each, single = (found["best kernel", s] for s in ("one in each run", "one for all runs"))
    assert (each >= single - 1e-12).all()  # choosing anew in each run gains at least as much


def test_k_means_with_all_components_of_a_kernel_is_kernel_k_means():
    X = np.random.default_rng(1).normal(size=(30, 3))
    (centred,) = RBFBank(X, [1.0])
    start = np.arange(30) % 3
    (with_kernel,) = naml4_protocols.ends_with(centred, [start], 3, "kernel k-means")
    Z = naml4_protocols.leading(centred, 30)
    last = settled(lloyd_steps(Z, start, 3))
    assert np.array_equal(with_kernel[0], last.labels)
    assert with_kernel[1] == pytest.approx(last.objective)


# --------------------------------------------------------------------- all columns of PM at once


def shared(name, pairs, error):
    """One choice under which every baseline is off by so much."""
    printed = pm_protocols.SEARCH.printed_of(name)
    rows = {
        method: [{"setting": "", "score": printed["Rand", method] + error, "score spread": 0.001}]
        for method in pm_protocols.BASELINES
    }
    treatment = (("pairs", pairs),)
    return protocols.Shared(treatment, "mean", (("Rand", "score"),), rows)


def test_only_what_fits_every_column_is_kept():
    found = {
        name: [shared(name, "30 + 30", 0.0), shared(name, "15 + 15", 0.1 * (name == "7-8-9"))]
        for name in pm.DIGITS
    }
    columns = {name: pm_protocols.SEARCH.printed_of(name) for name in pm.DIGITS}
    assert pm_joint.in_all(found, columns) == {pm_joint.key_of(found["1-2-3"][0])}
    others = pm_joint.exchanged_columns(list(pm.DIGITS))
    assert len(others) == 5 and not any(pm_joint.in_all(found, other) for other in others)


def test_the_stored_protocols_of_the_whole_table_are_as_many_as_it_says():
    rows = storage.stored("pm_joint")
    assert {row["fit"] for row in rows} == {len(rows)}
    assert max(row["own that agree"] for row in rows if row["own that agree"] != "") <= 12
