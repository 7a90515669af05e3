"""``umlbook bench``: the tasks take turns, the table tells what was measured."""

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from umlbook.experiments.bench import speeds as bench
from umlbook.tools import cli


def test_tasks_take_turns_and_the_first_round_does_not_count(monkeypatch) -> None:
    order: list[str] = []
    clock = iter([0, 100, 0, 100, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6])
    monkeypatch.setattr(bench.time, "perf_counter", lambda: next(clock))
    processor = iter(x for pair in [(0, 9)] * 2 + [(0, n) for n in range(10, 70, 10)] for x in pair)
    monkeypatch.setattr(bench, "_processor_seconds", lambda: next(processor))
    medians = bench.interleaved_medians(
        lambda: order.append("a"), lambda: order.append("b"), repeats=3
    )
    assert order == list("abababab")
    assert medians == [bench.Seconds(30, 3), bench.Seconds(40, 4)]


def test_processor_time_is_that_of_the_work_and_of_processes_that_it_awaits() -> None:
    """Sleeping costs none of it; a process of its own costs some."""
    asleep = bench.seconds_of(lambda: time.sleep(0.2))
    assert asleep.clock >= 0.2 > 10 * asleep.processor
    code = [sys.executable, "-c", "sum(range(2_000_000))"]
    assert bench.seconds_of(lambda: subprocess.run(code, check=True)).processor > 0.01


def test_a_speed_counts_processor_time_and_says_whether_it_reached_its_bar() -> None:
    row = bench.Speed("", "", bench.Seconds(6.0, 1.0), bench.Seconds(2.0, 9.0), bar=3.5)
    assert row.times == 3.0
    (_, below), (_, reached) = (bench.table([replace(row, bar=bar)]) for bar in (3.5, 3.0))
    assert below.endswith("3.0, below 3.5")
    assert reached.endswith("3.0, at least 3")


def test_list_names_each_benchmark_and_runs_none(monkeypatch, capsys) -> None:
    monkeypatch.setattr(bench, "rows", lambda name: pytest.fail(f"{name} was run"))
    assert cli.main(["bench", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == bench.names()
    assert {"imports", "kernel-kmeans"} <= set(bench.names())
    assert all(len(line.split()) > 3 for line in lines)


def test_only_the_benchmarks_asked_for_are_run(monkeypatch, capsys) -> None:
    one = bench.Seconds(1.0, 1.0)
    monkeypatch.setattr(bench, "rows", lambda name: iter([bench.Speed(f"<{name}>", "", one, one)]))
    assert cli.main(["bench", "kernel-kmeans"]) == 0
    out = capsys.readouterr().out
    assert "<kernel-kmeans>" in out
    assert "<import>" not in out


def test_an_unknown_benchmark_is_answered_with_the_known_ones(capsys) -> None:
    assert cli.main(["bench", "sleep"]) == 2
    error = capsys.readouterr().err
    assert "sleep" in error
    assert "kernel-kmeans" in error


@pytest.mark.parametrize("name", bench.names())
def test_every_benchmark_runs(name, monkeypatch) -> None:
    """Its first and smallest row, not for its time: one that no longer runs is found here."""
    monkeypatch.setattr(f"{bench._module(name).__name__}.interleaved_medians", run_once)
    assert next(iter(bench.rows(name))).what


def run_once(*tasks, repeats: int = 1) -> list[float]:
    for task in tasks:
        task()
    return [bench.Seconds(1.0 + index, 1.0 + index) for index, _ in enumerate(tasks)]
