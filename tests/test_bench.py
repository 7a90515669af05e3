"""``umlbook bench``: the tasks take turns, the table tells what was measured."""

import pytest

from umlbook.experiments.bench import speeds as bench
from umlbook.tools import cli


def test_tasks_take_turns_and_the_first_round_does_not_count(monkeypatch) -> None:
    order: list[str] = []
    clock = iter([0, 100, 0, 100, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6])
    monkeypatch.setattr(bench.time, "perf_counter", lambda: next(clock))
    medians = bench.interleaved_medians(
        lambda: order.append("a"), lambda: order.append("b"), repeats=3
    )
    assert order == list("abababab")
    assert medians == [3, 4]


def test_ratio_is_ours_over_the_peers() -> None:
    assert bench.Speed("", "", peer=2.0, ours=1.0).ratio == 0.5


def test_list_names_each_benchmark_and_runs_none(monkeypatch, capsys) -> None:
    monkeypatch.setattr(bench, "rows", lambda name: pytest.fail(f"{name} was run"))
    assert cli.main(["bench", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == bench.names()
    assert {"imports", "kernel-kmeans"} <= set(bench.names())
    assert all(len(line.split()) > 3 for line in lines)


def test_only_the_benchmarks_asked_for_are_run(monkeypatch, capsys) -> None:
    monkeypatch.setattr(bench, "rows", lambda name: iter([bench.Speed(f"<{name}>", "", 1.0, 1.0)]))
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
    return [float(1 + index) for index, _ in enumerate(tasks)]
