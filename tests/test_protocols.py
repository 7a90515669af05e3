"""The search for the protocol of a table: it finds a planted one, and says what is chance."""

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.metrics.cluster import contingency_matrix

from umlbook import scores
from umlbook.datasets import load
from umlbook.experiments.engine import found as found_module
from umlbook.experiments.engine import nulls, protocols, reproduce, search, storage
from umlbook.experiments.engine.agreement import MISSING
from umlbook.experiments.engine.protocols import (
    ANOTHER,
    NONE_FITS,
    NOT_RUN,
    NOT_UNDER_ANY,
    Search,
)
from umlbook.experiments.engine.reporting import (
    Report,
    Runs,
    over_draws,
    replicates,
    reported,
    scored,
)
from umlbook.experiments.engine.target import Comparison, Source, Target
from umlbook.experiments.papers import cpcm_protocols, naml_protocols
from umlbook.experiments.papers.treatments import COLUMNS, PLAIN, treated
from umlbook.tools import cli

SEARCHES = search.searches()

# -------------------------------------------------------------------------------- a planted one

SCALINGS, SETTINGS = ("none", "z-score"), ("narrow", "wide")


def toy_value(cell, method, setting, definition):
    """One number for each protocol, the same whenever it is asked for."""
    text = f"{cell['dataset']} {cell['scaling']} {method} {setting} {definition}"
    return round(random.Random(text).random(), 3)


def toy_work(cell):
    methods = {"own": [("new", "")]}.get(
        cell["part"], [("k-means", ""), *(("spectral", s) for s in SETTINGS)]
    )
    for method, setting in methods:
        for report in ("mean", "best"):
            row = {"method": method, "setting": setting, "report": report}
            row["treatment"] = {"scaling": cell["scaling"]}
            for definition in ("accuracy", "purity"):
                value = toy_value(cell, method, setting, definition + report)
                row |= {definition: value, f"{definition} spread": 0.0005}
            yield row


PLANTED = {"dataset": "a", "scaling": "z-score"}
"""Column a was printed with z-scores, the best run, purity and the wide setting; b otherwise."""


def toy_printed():
    found = {
        ("a", "ACC", method): toy_value(PLANTED, method, setting, "puritybest")
        for method, setting in {"k-means": "", "spectral": "wide", "new": ""}.items()
    }
    return found | {("b", "ACC", m): 2.0 for m in ("k-means", "spectral", "new")}


TOY = Search(
    name="toy-table-1",
    treatments=lambda name: [{"scaling": scaling} for scaling in SCALINGS],
    work=toy_work,
    baselines=("k-means", "spectral"),
    own=("new",),
    scores={"ACC": ("accuracy", "purity")},
    reports=(Report("mean", 20, "mean"), Report("best", 20, "objective")),
    text=lambda name: {"scaling": "none", "k-means": "", "spectral": "narrow"},
    printed=toy_printed,
    sets=lambda: ["a", "b"],
)


def toy_comparisons(rows):
    for (name, score, method), printed in toy_printed().items():
        yield Comparison(name, score, method, printed, 0.0, spread=0.0005)
    yield Comparison("c", "ACC", "new", 0.5, None)


TOY_TARGET = Target(
    "toy-table-1", "none", "a toy", Source("toy", lambda quick: [], toy_work, list), toy_comparisons
)


def toy_rows(dataset, part="baselines"):
    return [row for cell in TOY.cells(dataset, part) for row in toy_work(cell)]


def test_a_planted_protocol_is_found_among_all():
    shared = list(protocols.combinations(TOY, toy_rows("a")))
    assert protocols.number_of_protocols(shared) == 2 * 2 * 2 * 2
    fits = protocols.fitting(shared, TOY.printed_of("a"))
    assert protocols.number_of_protocols(fits) == 1
    text = protocols.text_choices(TOY, "a")
    (found,) = protocols.chosen(fits, TOY.printed_of("a"), text)
    assert found.named(text) == "scaling: z-score; report: best; ACC: purity; spectral: wide"


def test_each_baseline_is_counted_by_itself():
    shared = list(protocols.combinations(TOY, toy_rows("a")))
    by_itself = protocols.alone(shared, TOY.printed_of("a"))
    assert by_itself == {"k-means": 1, "spectral": 1}  # one of eight shared choices, that planted
    assert not protocols.alone(shared, TOY.printed_of("b"))


def test_numbers_of_elsewhere_fit_by_chance_only():
    row, _ = search.summary(TOY, "a", list(protocols.combinations(TOY, toy_rows("a"))))
    assert (row["searched"], row["fit"]) == (16, 1)
    assert row["by chance, other sets"] == row["by chance, methods exchanged"] == 0


def test_where_everything_fits_chance_explains_all_of_it():
    rows = [{**row, "accuracy spread": 9.0, "purity spread": 9.0} for row in toy_rows("a")]
    row, _ = search.summary(TOY, "a", list(protocols.combinations(TOY, rows)))
    assert row["searched"] == row["fit"] == row["by chance, other sets"] == 16
    assert row["exchanges with any"] == 1


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(search, "searches", lambda: {"toy-table-1": TOY})
    for name in ("searches", "targets"):
        known = {"toy-table-1": TOY if name == "searches" else TOY_TARGET}
        monkeypatch.setattr(
            f"umlbook.experiments.engine.reproduce.{name}", lambda known=known: known
        )


def test_the_command_searches_judges_and_continues(tmp_path, toy, capsys):
    words = ["reproduce", "--protocols", "toy-table-1", "--out", str(tmp_path)]
    assert cli.main(words) == 0
    first, said = (tmp_path / "toy_verdicts.csv").read_text(), capsys.readouterr().out
    assert "| a | 16 | 1 |" in said and "cannot be computed: 1" in said
    records = (tmp_path / "toy-table-1-protocols.jsonl").read_text()
    assert cli.main(words) == 0
    assert (tmp_path / "toy_verdicts.csv").read_text() == first
    assert (tmp_path / "toy-table-1-protocols.jsonl").read_text() == records  # nothing done twice
    verdicts = {(r["dataset"], r["method"]): r for r in storage.read(tmp_path / "toy_verdicts.csv")}
    assert verdicts["a", "new"]["verdict"] == ANOTHER
    assert verdicts["a", "new"]["held"] == "nearest"
    assert verdicts["b", "new"]["verdict"] == NONE_FITS
    moved = storage.read(tmp_path / "toy_moves.csv")
    assert {r["value"] for r in moved if r["choice"] == "scaling"} == set(SCALINGS)


def test_a_search_of_several_tables_is_reached_by_each_name_and_done_once(tmp_path, monkeypatch):
    both = replace(TOY, name="toy-tables", tables=("toy-table-1", "toy-table-2"))
    other = replace(TOY, name="toy-table-3")
    known = {"toy-table-1": both, "toy-table-2": both, "toy-table-3": other}
    monkeypatch.setattr(search, "searches", lambda: known)
    monkeypatch.setattr(reproduce, "searches", lambda: known)
    none = replace(TOY_TARGET, name="toy-table-2", compare=lambda rows: [])
    tables = {"toy-table-1": TOY_TARGET, "toy-table-2": none}
    monkeypatch.setattr(reproduce, "targets", lambda: tables)
    assert [search.file_of(name, "moves") for name in known] == ["toy_moves"] * 2 + ["toy3_moves"]
    assert cli.main(["reproduce", "--protocols", "toy-tables", "--out", str(tmp_path)]) == 0
    assert len(storage.read(tmp_path / "toy_verdicts.csv")) == len(list(toy_comparisons([])))


def test_the_own_method_is_run_only_under_protocols_that_fit(tmp_path, toy):
    assert cli.main(["reproduce", "--protocols", "toy-table-1", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "toy-table-1-protocols.jsonl").read_text()
    own = [line for line in text.splitlines() if '"part": "own"' in line]
    assert len(own) == 1 and '"scaling": "z-score"' in own[0]


def test_a_cell_that_no_fitting_protocol_gives_is_called_that():
    text, printed = protocols.text_choices(TOY, "a"), TOY.printed_of("a")
    rows = [*toy_rows("a"), *toy_rows("a", "own")]
    fits = protocols.fitting(protocols.combinations(TOY, toy_rows("a")), printed)
    found = protocols.chosen(fits, printed, text)
    far = Comparison("a", "ACC", "new", 5.0, 0.0, spread=0.01)
    known = protocols.values_of(far, found, rows)
    assert protocols.judged(far, found, known, text)["verdict"] == NOT_UNDER_ANY
    same = replace(far, printed=0.0)
    assert protocols.judged(same, found, known, text)["verdict"] == "reproduced"
    assert protocols.judged(far, found, [], text)["verdict"] == NOT_RUN
    assert protocols.judged(far, [], [], text)["verdict"] == NONE_FITS


def test_a_protocol_is_found_again_by_its_name():
    shared = protocols.combinations(TOY, toy_rows("a"))
    everything = {("ACC", method): 0.5 for method in ("k-means", "spectral")}
    wide = [replace(s, rows={m: r[:1] for m, r in s.rows.items()}) for s in shared]
    text = protocols.text_choices(TOY, "a")
    for protocol in protocols.chosen(wide, everything, text):
        assert protocols.protocol_called(TOY, "a", protocol.named(text)) == protocol


def test_what_passes_for_an_own_cell_by_chance_is_counted_by_the_same_rule():
    text = protocols.text_choices(TOY, "a")
    names = ("scaling: z-score", "report: best")
    found = [protocols.protocol_called(TOY, "a", name) for name in names]
    known = [(p, {"ours": ours, "spread": 0.01}) for p, ours in zip(found, (0.3, 0.7), strict=True)]
    cell = Comparison("a", "ACC", "new", 0.71, 0.5, spread=0.01)
    # 0.5 agrees with the text's protocol and is not asked about; 0.31 and 0.7 pass, 0.9 does not
    assert nulls.chance([0.5, 0.31, 0.7, 0.9], cell, found, known, text) == pytest.approx(2 / 3)
    assert nulls.chance([0.5], cell, found, known, text) == 1  # nothing to compare with
    row = nulls.with_chance(TOY, cell, found, known, text)
    assert (row["part"], row["verdict"], row["held"]) == ("own", ANOTHER, "other")
    assert row[nulls.OTHER_SETS] == 0  # column b was printed as 2.0
    assert nulls.own_counts([row])["own under another"] == 1


def test_a_table_without_a_search_is_answered_with_those_that_have_one(tmp_path, capsys):
    assert cli.main(["reproduce", "--protocols", "pm-figure-2", "--out", str(tmp_path)]) == 2
    assert "cpcm-table-1, naml-table-3" in capsys.readouterr().err


# ----------------------------------------------------------------------------- what is reported


def made_runs(n_runs, seed=0):
    rng = np.random.default_rng(seed)
    return Runs({"score": rng.normal(0.5, 0.1, n_runs)}, rng.random(n_runs))


def test_the_spread_of_a_mean_is_that_of_a_run_by_the_root_of_the_runs():
    runs = made_runs(400)
    row = reported(runs, Report("mean of 20", 20, "mean"), frozenset(), 0.001)
    assert row["score"] == pytest.approx(runs.scores["score"].mean(), abs=0.01)
    assert row["score spread"] == pytest.approx(0.1 / np.sqrt(20), rel=0.2)
    one = reported(runs, Report("one run", 1, "mean"), frozenset(), 0.001)
    assert one["score spread"] == pytest.approx(0.1, rel=0.2)


def test_the_best_run_is_picked_by_its_objective_or_by_the_labels():
    runs = Runs({"score": np.array([0.1, 0.9, 0.5])}, np.array([1.0, 3.0, 2.0]))
    few = lambda pick, low=False: replicates(runs, Report("", 50, pick), "score", low).mean()  # noqa: E731
    assert few("objective") == pytest.approx(0.1)
    assert few("labels") == pytest.approx(0.9) and few("labels", True) == pytest.approx(0.1)


def test_where_the_data_are_drawn_the_spread_is_that_of_the_draws():
    draws = [Runs({"score": np.full(20, level)}, np.ones(20)) for level in (0.4, 0.6)]
    row = over_draws(draws, Report("mean of 20", 20, "mean"), frozenset(), 0.001)
    deviation = np.std([0.4, 0.6], ddof=1)
    assert row["score"] == 0.5
    assert row["score spread"] == pytest.approx(deviation * np.sqrt(1 + 1 / 2), abs=1e-4)


def labels(seed, k):
    return np.random.default_rng(seed).integers(k, size=60)


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 5)])
def test_scores_from_counts_are_those_of_the_package(seed, k):
    y, c = labels(0, 3), labels(seed, k)
    counts = contingency_matrix(y, c).astype(float)
    found = naml_protocols.definitions(counts) | cpcm_protocols.definitions(counts)
    mutual = scores.normalized_mutual_information
    assert found["accuracy"] == pytest.approx(scores.clustering_accuracy(y, c))
    assert found["purity"] == pytest.approx(scores.purity(y, c))
    names = {"arithmetic mean": "arithmetic", "geometric mean": "geometric"}
    names |= {"larger entropy": "max", "smaller entropy": "min"}
    for name, word in names.items():
        assert found[name] == pytest.approx(mutual(y, c, average_method=word), abs=1e-9)
    vi = scores.variation_of_information
    assert found["divided by log n"] == pytest.approx(vi(y, c, normalize=True))
    assert found["divided by 2 log K"] == pytest.approx(vi(y, c) / (2 * np.log(max(3, k))))
    assert found["Rand index"] == pytest.approx(scores.rand_index(y, c))


# ------------------------------------------------------------------------------------ treatments


def test_treatments_do_what_they_are_called():
    pima = load("pima")
    dropped, kept = treated(pima.data, pima.target, "zeros dropped", "none")
    assert len(dropped) == len(kept) == 392  # the rows that are complete
    imputed, _ = treated(pima.data, pima.target, "zeros imputed", "none")
    assert (imputed[:, 1:6] > 0).all() and imputed.shape == pima.data.shape
    with_class, y = treated(pima.data, pima.target, "with the class", "none")
    assert np.array_equal(with_class[:, -1], y)
    unit, _ = treated(pima.data, pima.target, "as they are", "unit rows")
    assert np.allclose(np.linalg.norm(unit, axis=1), 1)
    lymph = load("lymphography")
    codes, _ = treated(lymph.data, lymph.target, "one-hot", "none")
    assert np.array_equal(codes.sum(axis=1), np.full(148, 18.0))


def test_wide_tables_are_turned_without_changing_a_distance():
    X = np.random.default_rng(0).normal(size=(12, 40))
    turned, _ = treated(X, np.zeros(12, int), "as they are", "range")
    assert turned.shape == (12, 12)
    span = X.max(axis=0) - X.min(axis=0)
    assert np.allclose(pdist(turned), pdist((X - X.min(axis=0)) / span))


@pytest.mark.parametrize("name", SEARCHES)
def test_the_text_is_among_what_is_searched(name):
    table = SEARCHES[name]
    for dataset in table.sets():
        text = protocols.text_choices(table, dataset)
        assert any(set(cell.items()) <= set(text.items()) for cell in table.treatments(dataset))
        assert all(cell.get("columns", PLAIN) in COLUMNS for cell in table.treatments(dataset))


# ------------------------------------------------------------------------------- what is stored


EACH = {table.covers[0]: table for table in SEARCHES.values()}


def test_no_two_searches_are_stored_under_one_name():
    assert len({search.file_of(name, "verdicts") for name in EACH}) == len(EACH)


def stored(name, what):
    return storage.stored(search.file_of(name, what))


@pytest.mark.parametrize("name", EACH)
def test_every_printed_cell_has_one_verdict(name):
    rows = {(r["dataset"], r["score"], r["method"]): r for r in stored(name, "verdicts")}
    targets = reproduce.targets()
    cells = [cell for table in EACH[name].covers for cell in targets[table].comparisons()]
    assert len(rows) == len(cells) == len(stored(name, "verdicts"))
    for cell in cells:
        row = rows[cell.dataset, cell.score, cell.method]
        assert row["verdict"] in protocols.JUDGEMENTS
        assert row["printed"] == pytest.approx(cell.printed, nan_ok=True)  # not all can be read
        assert (row["verdict"] == "reproduced") == (cell.verdict == "reproduced")
        assert (row["verdict"] == "cannot be computed") == (cell.verdict == MISSING)
        assert (row["verdict"] == ANOTHER) == bool(row["protocol"]) == bool(row["held"])


@pytest.mark.parametrize("name", SEARCHES)
def test_a_set_without_a_fitting_protocol_has_no_cell_under_one(name):
    none = {row["dataset"] for row in stored(name, "protocols") if not row["fit"]}
    for row in stored(name, "verdicts"):
        if row["verdict"] in (ANOTHER, NOT_UNDER_ANY):
            assert row["dataset"] not in none
        assert (row["verdict"] != NONE_FITS) or row["dataset"] in none


@pytest.mark.parametrize("name", SEARCHES)
def test_a_stored_table_says_which_protocol_was_found(name, tmp_path, capsys):
    assert cli.main(["reproduce", name, "--stored", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    for row in stored(name, "protocols"):
        assert f"{row['dataset']}: {row['fit']} of {row['searched']} protocols fit" in said
    verdicts = found_module.verdicts_of(name, reproduce.targets()[name].comparisons())
    lines = storage.read(tmp_path / f"{name}.csv")
    assert len(lines) == len(verdicts)
    for line in lines:
        row = verdicts[str(line["data"]), line["score"], line["method"]]
        assert (line["found"], line["with the protocol found"]) == (row["found"], row["verdict"])


def test_found_computes_the_cells_again_under_the_nearest_protocol(tmp_path, toy, monkeypatch):
    monkeypatch.setattr(storage, "RESULTS", tmp_path)
    monkeypatch.setattr(found_module, "RESULTS", tmp_path)
    monkeypatch.setattr(found_module, "searches", lambda: {"toy-table-1": TOY})
    out = ["--out", str(tmp_path)]
    assert cli.main(["reproduce", "toy-table-1", "--found", *out]) == 2  # nothing is stored yet
    assert cli.main(["reproduce", "toy-table-1", "--protocols", *out]) == 0
    (tmp_path / "toy-table-1-protocols.jsonl").unlink()  # so that everything is computed again
    assert cli.main(["reproduce", "toy-table-1", "--found", *out]) == 0
    lines = {(r["data"], r["method"]): r for r in storage.read(tmp_path / "toy-table-1.csv")}
    for method, setting in {"k-means": "", "spectral": "wide", "new": ""}.items():
        assert lines["a", method]["found"] == toy_value(PLANTED, method, setting, "puritybest")
        assert lines["a", method]["with the protocol found"] == ANOTHER
    assert lines["b", "new"]["with the protocol found"] == NONE_FITS
    assert cli.main(["reproduce", "toy-table-1", "--found", "--stored", *out]) == 2


@pytest.mark.parametrize("name", EACH)
def test_the_tally_of_a_table_counts_every_cell_once(name):
    for table in EACH[name].covers:
        cells = reproduce.targets()[table].comparisons()
        tally = found_module.tally(table, cells)
        assert sum(tally[verdict] for verdict in protocols.JUDGEMENTS) == len(cells)
        assert tally["differ"] == sum(cell.verdict == "differs" for cell in cells)
        assert tally["another: own"] + tally["another: baselines"] == tally[ANOTHER]
        assert tally["explained"] <= tally["cause named"] <= tally[ANOTHER]
        assert 0 <= tally[nulls.OTHER_SETS] <= tally["own that differ"]


def test_a_setting_of_another_method_is_no_cause():
    row = {"dataset": "a", "score": "ACC", "method": "new", "verdict": ANOTHER}
    for changes, is_cause in {
        "spectral: wide": False,
        "as in the text": False,
        "scaling: z-score; spectral: wide": True,
        "ACC: purity": True,
        "report: best": True,
    }.items():
        assert found_module.names_cause(TOY, {**row, "protocol": changes}) == is_cause
    of_itself = {**row, "method": "spectral", "protocol": "spectral: wide"}
    assert found_module.names_cause(TOY, of_itself)
    assert not found_module.names_cause(TOY, {**row, "verdict": NOT_UNDER_ANY, "protocol": ""})


def test_a_number_that_merely_scatters_more_explains_nothing():
    row = {"printed": 0.9, "text": 0.8, "found": 0.81}
    assert not found_module.halves_gap(row)
    assert found_module.halves_gap({**row, "found": 0.94})


def test_a_set_is_clear_when_more_than_twice_as_many_fit_as_by_chance():
    counts = {"by chance, other sets": 3.0, "by chance, methods exchanged": 5.0, "fit": 10}
    assert nulls.expected(counts) == 5 and not nulls.is_clear(counts)
    assert nulls.is_clear({**counts, "fit": 11})


SMALL = {"cpcm-table-1": ("glass", "sonar"), "naml-table-3": ("iris", "wine", "lymph")}
CHEAP = [
    (name, row)
    for name, sets in SMALL.items()
    for row in random.Random(1).sample(
        [
            row
            for row in stored(name, "moves")
            if row["dataset"] in sets and row["method"] == "k-means" and row["choice"] == "scaling"
        ],
        3,
    )
]


@pytest.mark.parametrize(("name", "row"), CHEAP)
def test_a_random_cell_under_another_protocol_is_what_k_means_gives(name, row):
    module = {"cpcm-table-1": cpcm_protocols, "naml-table-3": naml_protocols}[name]
    text = protocols.text_choices(SEARCHES[name], row["dataset"])
    definition = text[row["score"]]
    if module is cpcm_protocols:
        cell = {**text, "dataset": row["dataset"], "scaling": row["value"]}
        X, y, k = module.data(cell)
        ends = module.kmeans_ends(X, k, module.N_RUNS)
    else:
        X, y = treated(*module.drawn(row["dataset"], 0), text["columns"], row["value"])
        ends = module.starts(X, len(np.unique(y)), module.N_RUNS)
    runs = scored(y, ends, module.definitions)
    lower = getattr(module, "LOWER", frozenset())
    again = reported(runs, SEARCHES[name].reports[0], lower, 0.001)
    assert again[definition] == pytest.approx(row["ours"], abs=0.02)  # another processor's ties


def test_k_means_under_all_treatments_and_reports_has_the_stored_numbers_among_them():
    rows = naml_protocols.kmeans_under_all("lymph")
    assert len(rows) == 4 * 3 * len(naml_protocols.REPORTS)
    wanted = {"scaling": "z-score", "columns": PLAIN, "report": "mean of 20"}
    (again,) = (row for row in rows if wanted.items() <= row.items())
    one = {"dataset": "lymph", "value": "z-score", "method": "k-means", "score": "ACC"}
    (known,) = (row for row in stored("naml-table-3", "moves") if one.items() <= row.items())
    assert again["accuracy"] == pytest.approx(known["ours"], abs=0.02)
