"""The table of machines counts right, and never names a machine that was not there."""

import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import machines
import pytest
from machines import Absent, Arithmetic, Environment, Folders, Result

NEW = Arithmetic(
    ("SkylakeX",) * 2, frozenset({"X86_V2", "X86_V3", "X86_V4"}), frozenset({"X86_V3", "X86_V4"})
)
OLD = Arithmetic(("Haswell",) * 2, frozenset({"X86_V2", "X86_V3"}), NEW.dispatched)
OLDER_NUMPY = Arithmetic(
    ("Haswell",) * 2,
    frozenset({"SSE", "SSE42", "AVX", "FMA3", "AVX2"}),
    frozenset({"SSE42", "AVX", "FMA3", "AVX2", "AVX512F"}),
)


def by_name(native: Arithmetic) -> dict[str, Environment]:
    return {e.name: e for e in machines.environments(native, cores=2)}


@pytest.fixture
def folders(tmp_path) -> Folders:
    return Folders(tmp_path / "cache", tmp_path)


# ---------------------------------------------------------------------------- the environments


def test_avx_512_kernels_are_only_run_where_the_processor_has_them() -> None:
    assert by_name(NEW)["SkylakeX"].absent == ""
    assert by_name(OLD)["SkylakeX"].absent == "not on this processor"
    assert {name for name, e in by_name(OLD).items() if e.absent} == {"SkylakeX"}


@pytest.mark.parametrize(
    ("native", "names"),
    [(NEW, "X86_V3 X86_V4"), (OLD, "X86_V3"), (OLDER_NUMPY, "AVX2 FMA3")],
    ids=["AVX-512", "AVX2", "older numpy"],
)
def test_numpy_is_told_only_names_that_it_knows_and_the_processor_has(native, names) -> None:
    assert by_name(native)["no-AVX2"].variables == {"NPY_DISABLE_CPU_FEATURES": names}


def test_a_processor_without_avx2_has_no_row_without_it() -> None:
    assert by_name(Arithmetic())["no-AVX2"].absent == "not on this processor"


def test_environments_are_chosen_by_name_or_by_the_first_part_of_it() -> None:
    known = machines.environments(OLD, cores=2)
    assert machines.chosen(known, []) == known
    names = [e.name for e in machines.chosen(known, ["jitter", "native"])]
    assert names == ["native", "jitter-1", "jitter-2", "jitter-3"]
    with pytest.raises(ValueError, match="no environment 'Prescot'; there are native, Prescott"):
        machines.chosen(known, ["Prescot"])


def test_every_file_that_numeric_leaves_out_exists() -> None:
    folder = Path(machines.__file__).parent
    assert [n for n in machines.NOT_NUMERIC if not (folder / f"test_{n}.py").exists()] == []


# ---------------------------------------------------------- what an environment really computes


@pytest.mark.parametrize(
    ("name", "kernels", "says"),
    [
        ("Prescott", ("Katmai", "Katmai"), ""),
        ("Zen", ("Haswell", "Haswell"), "takes Haswell instead"),
        ("Sandybridge", ("Sandybridge", "Haswell"), "takes Haswell and Sandybridge instead"),
        ("Haswell", (), "do not use OpenBLAS"),
    ],
)
def test_a_kernel_that_was_not_taken_is_said_and_not_run(
    monkeypatch, folders, name, kernels, says
) -> None:
    monkeypatch.setattr(machines, "arithmetic", lambda python, variables: Arithmetic(kernels))
    if not says:
        machines.assert_taken(by_name(OLD)[name], sys.executable)
        return
    given = machines.result(by_name(OLD)[name], [], {}, folders)
    assert says in given.note
    assert given.minutes is None and not given.wrong


def test_a_numpy_that_keeps_its_features_is_said(monkeypatch) -> None:
    monkeypatch.setattr(machines, "arithmetic", lambda python, variables: OLD)
    with pytest.raises(Absent, match="not with this numpy: it still uses X86_V3"):
        machines.assert_taken(by_name(OLD)["no-AVX2"], sys.executable)


def test_a_numpy_that_cannot_be_imported_is_said(monkeypatch) -> None:
    monkeypatch.setattr(machines, "PROBE", "raise RuntimeError('unknown feature')")
    with pytest.raises(Absent, match="not with this numpy: RuntimeError: unknown feature"):
        machines.assert_taken(by_name(OLD)["no-AVX2"], sys.executable)


def test_the_probe_sees_the_kernels_and_features_of_this_python() -> None:
    seen = machines.arithmetic(sys.executable, {})
    assert seen.features
    assert all(isinstance(kernel, str) for kernel in seen.kernels)


# ---------------------------------------------------------------------------------------- a run

TESTS = """\
import pytest

def test_passes(): pass

class TestInside:
    def test_fails(self): assert False

@pytest.mark.skip
def test_skipped(): pass
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    """A checkout with one test that passes, one that fails and one that is skipped."""
    root = tmp_path / "checkout"
    (root / "tests").mkdir(parents=True)
    (root / "pytest.ini").write_text("[pytest]\n")
    (root / "tests" / "test_three.py").write_text(TESTS)
    monkeypatch.setattr(machines, "ROOT", root)
    monkeypatch.setattr(machines, "PROCESSES", ())
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # three tests need no plugins
    return root


def test_counts_and_ids_are_those_of_a_real_run(checkout, folders) -> None:
    given = machines.result(Environment("native", ""), [], {}, folders)
    assert (given.passed, given.failed, given.skipped) == (1, 1, 1)
    assert given.failures == ("tests/test_three.py::TestInside::test_fails",)
    assert given.wrong and not given.note
    assert "1 failed, 1 passed, 1 skipped" in (folders.logs / "native.log").read_text()


@pytest.mark.parametrize(
    ("options", "note"),
    [(["-k", "nothing"], "pytest ended with code 5"), (["--no-such-option"], "gave up, code 4")],
    ids=["no test", "no such option"],
)
def test_a_run_without_tests_is_wrong(checkout, folders, options, note) -> None:
    given = machines.result(Environment("native", ""), options, {}, folders)
    assert given.wrong and note in given.note


def test_variables_and_options_of_the_environment_reach_the_tests(checkout, folders) -> None:
    (checkout / "tests" / "test_three.py").write_text(
        "import os\ndef test_a(): assert os.environ['COLOUR'] == 'red'\ndef test_b(): assert 0"
    )
    red = Environment("red", "", {"COLOUR": "red"}, options=("-k", "test_a"))
    given = machines.result(red, [], {}, folders)
    assert (given.passed, given.failed, given.wrong) == (1, 0, False)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_no_process_spins_after_a_run_that_fails(error) -> None:
    with pytest.raises(error), machines.spinning(3) as processes:
        assert [process.poll() for process in processes] == [None] * 3
        raise error
    assert None not in [process.returncode for process in processes]


def test_a_busy_run_that_fails_leaves_no_process(folders, monkeypatch) -> None:
    broken = [sys.executable, "-c", "raise SystemExit(3)"]
    monkeypatch.setattr(machines, "pytest_command", lambda *given: broken)
    seen = []
    spinning = machines.spinning

    @contextmanager
    def watched(number):
        with spinning(number) as processes:
            seen.extend(processes)
            yield processes

    monkeypatch.setattr(machines, "spinning", watched)
    given = machines.result(Environment("busy", "", spinning=2), [], {}, folders)
    assert given.wrong and given.note == "pytest gave up, code 3"
    assert len(seen) == 2
    assert None not in [process.returncode for process in seen]


# --------------------------------------------------------------------------------------- Pythons


def test_this_python_is_found_and_one_that_does_not_exist_is_not() -> None:
    version = "{}.{}".format(*sys.version_info)
    assert machines.found_python(version, {}) == sys.executable
    with pytest.raises(Absent, match=r"no python3\.999 found"):
        machines.found_python("3.999", {})


def test_an_interpreter_of_another_version_is_not_taken_for_the_one_wanted() -> None:
    with pytest.raises(Absent, match=r"no python3\.999 found"):
        machines.found_python("3.999", {"3.999": sys.executable})


def test_a_failed_installation_is_wrong_and_names_its_log(monkeypatch, folders) -> None:
    monkeypatch.setattr(machines, "found_python", lambda version, given: sys.executable)
    python = folders.cache / "old" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    python.parent.mkdir(parents=True)
    python.touch()  # a virtual environment whose Python does not run
    monkeypatch.setattr(machines, "_run", refused)
    given = machines.result(Environment("old", "", fresh=True, python="3.11"), [], {}, folders)
    assert given.wrong and "old-install.log" in given.note


def refused(command, variables, output) -> None:
    raise machines.SetUpError(f"could not be installed: see {output.name}")


# -------------------------------------------------------------------------------------- the table


def test_the_table_has_a_row_for_each_environment_and_the_failures_below() -> None:
    results = [
        Result("native", 12, 0, 1, minutes=2.04),
        Result("Zen", note="this OpenBLAS takes Haswell instead"),
        Result("busy", 10, 2, 1, ("tests/a.py::b", "n.ipynb::Cell 3"), minutes=31.5, wrong=True),
    ]
    lines = machines.table(results).splitlines()
    assert {len(line) for line in lines[:5]} == {len(lines[0])}
    assert [re.sub(" +", " ", line) for line in lines] == [
        "| environment | passed | failed | skipped | minutes | note |",
        f"| {'-' * 11} | -----: | -----: | ------: | ------: | {'-' * 35} |",
        "| native | 12 | 0 | 1 | 2.0 | |",
        "| Zen | | | | | this OpenBLAS takes Haswell instead |",
        "| busy | 10 | 2 | 1 | 31.5 | |",
        "",
        "failed in busy:",
        " tests/a.py::b",
        " n.ipynb::Cell 3",
    ]


@pytest.mark.parametrize(("wrong", "code"), [(False, 0), (True, 1)])
def test_the_exit_code_says_what_failed(monkeypatch, capsys, tmp_path, wrong, code) -> None:
    given = {}

    def result(environment, options, pythons, folders):
        given.update(options=options, pythons=pythons)
        return Result(environment.name, 1, int(wrong), minutes=1.0, wrong=wrong)

    monkeypatch.setattr(machines, "arithmetic", lambda python, variables: OLD)
    monkeypatch.setattr(machines, "result", result)
    words = [
        "native",
        "--logs",
        str(tmp_path),
        "--numeric",
        "--python",
        "3.14=/a=b",
        "--",
        "tests",
        "-k",
        "x",
    ]
    assert machines.main(words) == code
    assert given["options"][-3:] == ["tests", "-k", "x"]
    assert "--ignore=tests/test_lint.py" in given["options"]
    assert given["pythons"] == {"3.14": "/a=b"}
    assert "| native " in capsys.readouterr().out


def test_after_ctrl_c_the_table_shows_what_was_run(monkeypatch, capsys, tmp_path) -> None:
    def result(environment, options, pythons, folders):
        if environment.name != "native":
            raise KeyboardInterrupt
        return Result("native", 7, minutes=1.0)

    monkeypatch.setattr(machines, "arithmetic", lambda python, variables: OLD)
    monkeypatch.setattr(machines, "result", result)
    assert machines.main(["--logs", str(tmp_path)]) == 130
    assert "| native      |      7 |" in capsys.readouterr().out


def test_the_list_says_what_this_processor_does_not_have(monkeypatch, capsys) -> None:
    monkeypatch.setattr(machines, "arithmetic", lambda python, variables: OLD)
    assert machines.main(["--list", "SkylakeX"]) == 0
    out = capsys.readouterr().out
    assert out == "SkylakeX     OpenBLAS with its kernels for SkylakeX (not on this processor)\n"
