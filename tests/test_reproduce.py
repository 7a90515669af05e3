"""``umlbook reproduce``: each table and figure has a name, is resumed, and is set beside print."""

import json
import math
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.waiting import HANGS, wait_until

from umlbook.book.ledger import entries
from umlbook.experiments.engine import agreement, reproduce, storage
from umlbook.experiments.engine.grid import attempt, read_records
from umlbook.experiments.engine.target import (
    Comparison,
    Source,
    Target,
    close_count,
    verdict_counts,
)
from umlbook.experiments.papers import pm, side_by_side
from umlbook.tools import cli

TARGETS = reproduce.targets()


def test_every_table_and_figure_of_results_has_a_name():
    """Tables of data sets and of notation hold no results; Figure 1 of PM shows the points."""
    not_results = {"pm.fig1", "pm.table1", "naml.table1", "naml.table2", "cpd.table4"}
    for entry in entries():
        if entry.kind in ("table", "figure") and entry.id not in not_results:
            paper, what = entry.id.split(".")
            name = what.replace("table", "table-").replace("fig", "figure-")
            assert f"{paper}-{name}" in TARGETS


def test_list_names_each_target_and_runs_none(capsys):
    assert cli.main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(TARGETS)


def test_the_tables_of_a_paper_have_a_name_together(tmp_path, capsys):
    assert cli.main(["reproduce", "cpd-tables", "--stored", "--out", str(tmp_path)]) == 0
    assert {f"cpd-table-{i}.csv" for i in (1, 2, 3)} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("names", [[], ["cpd-tabel-1"]])
def test_what_is_not_there_is_answered_with_what_is(names, capsys):
    assert cli.main(["reproduce", *names]) == 2
    assert "cpd-table-1" in capsys.readouterr().err


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_stored_results_are_compared_written_and_drawn(target, tmp_path, capsys):
    assert cli.main(["reproduce", target.name, "--stored", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{target.name}, {target.paper}: ")
    assert (tmp_path / f"{target.name}.png").exists() == (target.draw is not None)
    table = storage.read(tmp_path / f"{target.name}.csv")
    assert len(table) == len(target.comparisons()) > 0
    assert (tmp_path / f"{target.name}.md").read_text().count("\n|") == len(table) + 2
    about = json.loads((tmp_path / f"{target.name}.json").read_text())
    assert about["command"] == f"umlbook reproduce {target.name} --stored"
    assert {"umlbook", "numpy", "scipy", "scikit-learn"} <= set(about["versions"])


def test_every_stored_table_says_what_made_it():
    made = {row["file"] for row in storage.stored("made")}
    there = {path.stem for path in storage.RESULTS.glob("*.csv")} - {"made"}
    assert made == there
    commands = [row["command"] for row in storage.stored("made")]
    names = [word for c in commands if c.startswith("umlbook reproduce") for word in c.split()[2:]]
    assert {name for name in names if name != "--protocols"} <= set(TARGETS)


# -------------------------------------------------------------------------- a few cells again


def few(rows, number):
    return random.Random(0).sample(rows, number)


CHEAP = [
    row
    for row in side_by_side.stored("side_by_side")
    if row["method"] in ("k-means", "PCA", "AML", "CPD-UML", "RCA", "spectral clustering")
    and row["dataset"] in ("iris", "wine", "soybean_small", "glass", "sonar")
]


@pytest.mark.parametrize("row", few(CHEAP, 6), ids=lambda row: f"{row['method']}, {row['dataset']}")
def test_a_random_cell_of_side_by_side_is_what_its_method_gives(row):
    cell = {key: row[key] for key in ("dataset", "method", "seed")}
    record = attempt(side_by_side.work, cell)
    (again,) = [new for new in record.rows if new["rule"] == row["rule"]]
    for score in side_by_side.SCORES:  # another processor may round a tie the other way
        assert again[score] == pytest.approx(row[score], abs=0.03)


@pytest.mark.parametrize(
    "row", few(side_by_side.stored("causes"), 4), ids=lambda row: row["method"]
)
def test_a_random_cell_of_causes_is_what_its_method_gives(row):
    cell = {key: row[key] for key in ("cause", "value", "method", "seed")}
    (again,) = attempt(side_by_side.cause_work, cell).rows
    assert again["ARI"] == pytest.approx(row["ARI"], abs=0.03)


# ------------------------------------------------------------------------------ cut and resumed


def final_tables(folder):
    return {path.name: path.read_text() for path in folder.glob("*.csv")}


WORDS = ["reproduce", "pm-figure-2", "--quick"]
#: The command, with a third cell that is never done.
STUCK = """
import sys, time
from umlbook.tools import cli
from umlbook.experiments.engine import grid

attempt, begun = grid.attempt, []

def stuck(work, cell):
    begun.append(cell)
    if len(begun) == 3:
        time.sleep(3600)
    return attempt(work, cell)

grid.attempt = stuck
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    assert cli.main([*WORDS, "--out", str(folder)]) == 0
    return final_tables(folder)


def test_killed_and_run_again_gives_the_table_of_an_uninterrupted_run(tmp_path, uninterrupted):
    command = [sys.executable, "-c", STUCK, *WORDS, "--out", str(tmp_path)]
    cells, log = tmp_path / "pm-shapes-quick.jsonl", tmp_path / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stderr=stream, stdout=stream)
    try:
        done = lambda: cells.exists() and cells.read_bytes().count(b"\n") == 2  # noqa: E731
        wait_until(done, "two cells to be done", process, log)
    finally:
        process.kill()  # SIGKILL, except on Windows
        process.wait(HANGS)
    before = cells.read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    assert len(read_records(cells)) == 2 < len(pm.TARGETS[0].source.cells(True))
    assert cli.main([*WORDS, "--out", str(tmp_path)]) == 0
    assert final_tables(tmp_path) == uninterrupted
    assert cells.read_bytes().startswith(before)  # no cell was computed twice
    keys = [json.dumps(record.cell) for record in read_records(cells)]
    assert len(keys) == len(set(keys)) == cells.read_bytes().count(b"\n")


def test_two_processes_give_the_same_table(tmp_path, uninterrupted):
    assert cli.main([*WORDS, "--jobs", "2", "--out", str(tmp_path)]) == 0
    assert final_tables(tmp_path) == uninterrupted


def test_a_dask_cluster_gives_the_same_table(tmp_path, uninterrupted):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        words = [*WORDS, "--dask", cluster.scheduler_address, "--out", str(tmp_path)]
        assert cli.main(words) == 0
    assert final_tables(tmp_path) == uninterrupted


def test_stored_rows_are_not_computed_again_when_one_continues(tmp_path, monkeypatch):
    whole = {row["setting"] for row in storage.stored("cpcm_success")}
    rows = [row for row in storage.stored("cpcm_success") if row["setting"] != "two lines"]
    done = []

    def work(cell):
        done.append(cell["setting"])
        return [{**cell, "found": 0, "median_ari": 0.0}]

    known = TARGETS["cpcm-figure-1"]
    source = replace(known.source, work=work, stored=lambda: rows)
    monkeypatch.setattr(reproduce, "targets", lambda: {known.name: replace(known, source=source)})
    words = ["reproduce", known.name, "--out", str(tmp_path)]
    assert cli.main([*words, "--continue"]) == 0
    assert set(done) == {"two lines"}
    assert {r["setting"] for r in storage.read(tmp_path / "cpcm-success-rows.csv")} == whole


# --------------------------------------------------------------------------------- when it fails


def half_broken(cell):
    if cell["seed"]:
        raise ValueError("no such seed")
    return [{"seed": 0, "score": 0.5}]


def broken_target():
    source = Source("broken", lambda quick: [{"seed": 0}, {"seed": 1}], half_broken, list)
    compare = lambda rows: [Comparison("d", "s", "m", 0.5, row["score"]) for row in rows]  # noqa: E731
    return Target("broken", "none", "a grid with a hole", source, compare)


def test_a_cell_that_fails_is_shown_and_the_others_are_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "targets", lambda: {"broken": broken_target()})
    assert cli.main(["reproduce", "broken", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "failed, tried again by the next run: seed 1: ValueError: no such seed" in said
    assert "reproduced: 1" in said


def test_a_folder_that_cannot_be_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["reproduce", "cpcm-table-2", "--out", str(tmp_path / "file")]) == 1
    assert "file" in capsys.readouterr().err


# ------------------------------------------------------------------------------------ verdicts


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        (Comparison("d", "s", "m", 0.50, 0.60, spread=0.05), "reproduced"),
        (Comparison("d", "s", "m", 0.50, 0.61, spread=0.05), "differs"),
        (Comparison("d", "s", "m", 0.50, 0.50), "reproduced"),
        (Comparison("d", "s", "m", 0.50, 0.51), "differs"),
        (Comparison("d", "s", "m", 0.50, None), "not available"),
        (Comparison("d", "s", "m", math.nan, 0.5), "not available"),
        (Comparison("d", "s", "m", None, 0.5), "no number printed"),
    ],
)
def test_verdicts(comparison, verdict):
    assert comparison.verdict == verdict
    assert verdict_counts([comparison])[verdict] == 1


@pytest.mark.parametrize(
    ("printed", "ours", "points", "close"),
    [
        (0.500, 0.505, 100, True),
        (0.500, 0.506, 100, False),
        (50.0, 49.5, 1, True),
        (50.0, 49.4, 1, False),
        (None, 0.5, 100, None),
        (math.nan, 0.5, 100, None),
        (0.5, None, 100, None),
    ],
)
def test_the_stricter_column_is_half_a_point_whatever_the_spread(printed, ours, points, close):
    cell = Comparison("d", "s", "m", printed, ours, spread=10.0, points=points)
    assert cell.close is close
    assert cell.row()["within half a point"] == {True: "yes", False: "no", None: ""}[close]
    assert close_count([cell]) == bool(close)


def test_a_number_repeated_as_print_was_made_is_reproduced_as_often_as_the_rule_says():
    """Two deviations of a normal difference: 95.4 %, whatever the number of runs behind each."""
    rng = np.random.default_rng(0)
    theirs, ours = rng.normal(0.5, 0.1, (2000, 20)), rng.normal(0.5, 0.1, (2000, 8))
    marks = [
        agreement.verdict(a.mean(), b.mean(), agreement.spread((0.1, 20), (0.1, 8), unit=0.001))
        for a, b in zip(theirs, ours, strict=True)
    ]
    assert marks.count("reproduced") / len(marks) == pytest.approx(0.954, abs=0.015)


def test_paired_runs_have_the_spread_of_their_differences():
    rng = np.random.default_rng(0)
    start = rng.normal(0.5, 0.1, 20)
    gain = rng.normal(0.02, 0.001, 20)
    paired = agreement.paired_spread(start + gain, start, 20, unit=1e-9)
    assert paired == pytest.approx(agreement.deviation(gain) * math.sqrt(2 / 20))
    assert paired < 0.02 * agreement.deviation(start)


def test_deviations_have_the_sign_of_ours_less_print():
    assert Comparison("d", "s", "m", 0.5, 0.4, spread=0.05).deviations == pytest.approx(-2)


#: Words of a verdict, in any form: a note that has one would judge by a rule of its own.
JUDGING = re.compile(r"reproduc|differ|agree|deviation|\b(in|out)side\b|\bsame\b|verdict|confirm")


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_one_rule_decides_and_no_note_does(target):
    for cell in target.comparisons():
        assert cell.verdict == agreement.verdict(cell.printed, cell.ours, cell.spread)
        assert not JUDGING.search(cell.note) and cell.note not in agreement.VERDICTS
        assert cell.note != "not run"  # all that is stored was run


@pytest.mark.parametrize("table", [1, 2, 3])
def test_a_number_of_cpd_uml_picked_by_labels_has_one_picked_by_the_cut_beside_it(table):
    """Also where the printed cell cannot be read: those are cells of the method that wins."""
    cells = reproduce.targets()[f"cpd-table-{table}"].comparisons()
    ours = [cell for cell in cells if cell.ours is not None]
    assert ours and all(cell.honest is not None for cell in ours)


def test_the_rule_is_defined_once():
    folder = Path(agreement.__file__).parents[1]
    text = "\n".join(path.read_text() for path in folder.rglob("*.py"))
    assert len(re.findall(r"def \w*verdict\(", text)) == 2  # the function, and the cell's property
