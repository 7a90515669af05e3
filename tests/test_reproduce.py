"""``umlbook reproduce``: tables computed again, stored, resumed, set beside the printed ones."""

import pytest

from umlbook import cli
from umlbook.experiments import cpd, reproduce


def test_list_names_each_experiment_and_runs_none(capsys):
    assert cli.main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(reproduce.EXPERIMENTS)


@pytest.mark.parametrize("names", [[], ["cpd-tabels"]])
def test_what_is_not_there_is_answered_with_what_is(names, capsys):
    assert cli.main(["reproduce", *names]) == 2
    assert "cpd-tables" in capsys.readouterr().err


def test_a_quick_table_is_stored_and_set_beside_print(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cpd, "schedule", lambda: pytest.fail("quick runs no schedule"))
    monkeypatch.setattr(cpd, "run_rows", lambda name, run: rows_of(name, run))
    assert cli.main(["reproduce", "cpd-tables", "--quick", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert cpd.read(tmp_path / "cpd_runs.csv") == [*rows_of("Cars", 0), *rows_of("E. coli", 0)]
    assert any(line.startswith("ACC     Cars         k-means") for line in out.splitlines())


def test_a_stopped_run_goes_on_where_it_stood(tmp_path, monkeypatch, capsys):
    done = []

    def once(name, run):
        if (name, run) == ("Cars", 1) and done == [("Cars", 0)]:
            done.append("stopped")
            raise KeyboardInterrupt
        done.append((name, run))
        return rows_of(name, run)

    monkeypatch.setattr(cpd, "schedule", lambda: iter([("Cars", 0), ("Cars", 1), ("Cars", 2)]))
    monkeypatch.setattr(cpd, "run_rows", once)
    words = ["reproduce", "cpd-tables", "--out", str(tmp_path)]
    assert cli.main(words) == 130
    assert cli.main(words) == 0
    assert done == [("Cars", 0), "stopped", ("Cars", 1), ("Cars", 2)]
    assert "3 rows" in capsys.readouterr().out


def rows_of(name, run):
    method = next(m for score, m, data in cpd.printed() if (score, data) == ("ACC", name))
    scores = dict.fromkeys(cpd.SCORES, 50.0)
    return [{"dataset": name, "run": run, "method": method, "rule": "label", **scores}]
