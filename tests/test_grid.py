"""Grids of cells: kept as they come, resumed after any stop, the same wherever they run."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.waiting import HANGS, wait_until

from umlbook.experiments.engine import grid
from umlbook.experiments.engine.grid import NotARecordFileError, Record, read_records, run

CELLS = [{"seed": seed, "size": 30} for seed in range(6)]


def spectrum(cell):
    """Numbers whose last bits depend on the number of threads."""
    A = np.random.default_rng(cell["seed"]).normal(size=(cell["size"], cell["size"]))
    yield {"largest": float(np.linalg.eigvalsh(A @ A.T)[-1])}


def failing(cell):
    if cell["seed"] == 2:
        raise ValueError("two is not a seed")
    return spectrum(cell)


def counting(cell):
    """Leave a mark for every call, so that a second one would be seen; wait at a gate."""
    with open(cell["marks"], "a") as marks:
        marks.write(f"{cell['seed']}\n")
    if "gate" in cell:
        wait_until(Path(cell["gate"]).exists, "the gate to open")
    return [{"double": 2 * cell["seed"]}]


def without_seconds(records):
    return [replace(record, seconds=0.0) for record in records]


def test_results_come_in_the_order_of_the_cells():
    records = run(spectrum, CELLS)
    assert [record.cell for record in records] == CELLS
    assert all(record.rows and not record.error for record in records)


def test_two_processes_give_what_one_gives(tmp_path):
    serial = run(spectrum, CELLS)
    assert without_seconds(run(spectrum, CELLS, tmp_path / "two.jsonl", jobs=2)) == without_seconds(
        serial
    )


def test_a_dask_cluster_of_two_workers_gives_what_one_process_gives():
    distributed = pytest.importorskip("distributed")
    serial = run(spectrum, CELLS)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        spread = run(spectrum, CELLS, dask=cluster.scheduler_address)
    assert without_seconds(spread) == without_seconds(serial)


def test_an_address_where_nobody_answers_is_named(monkeypatch):
    pytest.importorskip("distributed")
    import distributed

    def silent(address, timeout):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", silent)
    with pytest.raises(ConnectionError, match=r"tcp://127\.0\.0\.1:1.*dask scheduler"):
        run(spectrum, CELLS, dask="tcp://127.0.0.1:1")


def test_a_second_run_computes_only_what_is_missing(tmp_path):
    path, marks = tmp_path / "cells.jsonl", tmp_path / "marks"
    cells = [{"seed": seed, "marks": str(marks)} for seed in range(4)]
    run(counting, cells[:2], path)
    records = run(counting, cells, path)
    assert marks.read_text().split() == ["0", "1", "2", "3"]
    assert [record.rows for record in records] == [[{"double": 2 * i}] for i in range(4)]


def test_a_cell_that_fails_is_recorded_and_tried_again_and_stops_nothing(tmp_path):
    path = tmp_path / "cells.jsonl"
    records = run(failing, CELLS, path)
    assert [record.error for record in records if record.error] == ["ValueError: two is not a seed"]
    fixed = run(spectrum, CELLS, path)
    assert not any(record.error for record in fixed)
    assert len(read_records(path)) == len(CELLS)


def test_a_torn_last_line_is_computed_again(tmp_path):
    path = tmp_path / "cells.jsonl"
    whole = run(spectrum, CELLS, path)
    path.write_bytes(path.read_bytes()[:-25])
    assert len(read_records(path)) == len(CELLS) - 1
    assert without_seconds(run(spectrum, CELLS, path)) == without_seconds(whole)
    assert len(path.read_text().splitlines()) == len(CELLS)


@pytest.mark.parametrize("text", ["not json\n", '{"cell": 1, "other": 2}\n', "[1, 2]\n"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "cells.jsonl"
    path.write_text(text)
    with pytest.raises(NotARecordFileError, match="line 1, is not a result"):
        run(spectrum, CELLS, path)
    assert path.read_text() == text


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
sys.path.insert(0, {folder!r})
from pathlib import Path
from test_grid import counting
from umlbook.experiments.engine.grid import run
run(counting, {cells!r}, Path({path!r}))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("blow", ["SIGKILL", "SIGINT"])
def test_a_run_that_is_cut_off_loses_nothing_that_was_done(tmp_path, blow):
    path, marks, gate = tmp_path / "cells.jsonl", tmp_path / "marks", tmp_path / "gate"
    cells = [{"seed": seed, "marks": str(marks)} for seed in range(8)]
    cells[5]["gate"] = str(gate)
    script = SCRIPT.format(folder=os.path.dirname(__file__), cells=cells, path=str(path))
    log = tmp_path / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen([sys.executable, "-c", script], stderr=stream)
    try:
        under_way = lambda: marks.exists() and marks.read_text().endswith("5\n")  # noqa: E731
        wait_until(under_way, "the sixth cell to be under way", process, log)
        process.send_signal(getattr(signal, blow))
        process.wait(HANGS)
    finally:
        process.kill()
    assert [record.cell["seed"] for record in read_records(path)] == [0, 1, 2, 3, 4]
    gate.touch()
    records = run(counting, cells, path)
    assert [record.rows for record in records] == [[{"double": 2 * i}] for i in range(8)]
    assert marks.read_text().split() == list("012345567")  # only the cell under way is done twice


def test_a_full_disk_ends_the_run_and_the_next_goes_on(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "cells.jsonl"
    run(spectrum, CELLS[:2], path)
    size = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            run(spectrum, CELLS, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert len(read_records(path)) == 2
    assert without_seconds(run(spectrum, CELLS, path)) == without_seconds(run(spectrum, CELLS))


def test_a_record_survives_the_way_through_the_file(tmp_path):
    record = Record({"data": "Süd", "x": 0.1}, [{"score": 1 / 3}], "", 0.5)
    path = tmp_path / "one.jsonl"
    with path.open("wb") as file:
        grid._append(file, record)
    assert read_records(path) == [record]
    assert json.loads(path.read_text(encoding="utf-8"))["cell"]["data"] == "Süd"


# ------------------------------------------------------------------------- rows that are known


def test_cells_whose_rows_are_known_are_not_done_again(tmp_path):
    marks = tmp_path / "marks"
    cells = [{"seed": seed, "marks": str(marks)} for seed in range(3)]
    known = [{**cells[1], "double": "kept"}, {"seed": 2, "double": "of another grid"}]
    records = run(counting, cells, tmp_path / "cells.jsonl", known=known)
    assert [record.rows[0]["double"] for record in records] == [0, "kept", 4]
    assert marks.read_text().split() == ["0", "2"]


def test_a_row_belongs_to_the_cell_with_the_most_settings():
    cells = [{"data": "123", "set": 0}, {"data": "123", "set": 0, "method": "LLMA"}]
    rows = [{"data": 123, "set": 0, "PM": 0.7}, {"data": 123, "set": 0, "method": "LLMA"}]
    found = grid.cells_of_rows(cells, rows)
    assert [found[grid.cell_key(cell)] for cell in cells] == [[rows[0]], [rows[1]]]
