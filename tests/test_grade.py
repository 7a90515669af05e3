"""Hand-ins are run again and marked; none of them harms the run or the marks of another."""

import argparse
import csv
import io
import json
import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat import v4
from support.waiting import HANGS, wait_until

from umlbook.book.exercises import cells as _cells
from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.judge import judge, seed_for
from umlbook.tools.coursework import grade, limits, marks, plan, pool, submissions, values, worker
from umlbook.tools.coursework.kernel import Kernel, KernelLost, OutOfTime, Raised

ROOT = Path(__file__).parents[1]
SECONDS, MEMORY = 16, 900

# ------------------------------------------------------------------- a small released notebook

EXERCISES = {"1.1": ("indicator_of", 2), "1.5": ("proof", 1), "1.6": ("W", 3)}
STUBS = {
    "1.1": "def indicator_of(labels, n_clusters):\n    # YOUR CODE HERE\n    return ...",
    "1.5": "# YOUR CODE HERE\nproof = ...",
    "1.6": "X, labels = ex_1_6.data.X, ex_1_6.data.labels\n# YOUR CODE HERE\nW = ...",
}
RIGHT = {
    "1.1": "def indicator_of(labels, n_clusters):\n"
    "    Y = (labels[:, None] == np.arange(n_clusters)).astype(float)\n"
    "    return Y / np.sqrt(np.maximum(Y.sum(axis=0), 1))",
    "1.5": "proof = 'bgaecf'",
    "1.6": "X, labels = ex_1_6.data.X, ex_1_6.data.labels\n"
    "centred = np.vstack([X[labels == k] - X[labels == k].mean(axis=0) for k in (0, 1)])\n"
    "W = np.linalg.eigh(centred.T @ centred)[1][:, :1]",
}
WRONG = RIGHT | {"1.1": RIGHT["1.1"].replace("np.sqrt", ""), "1.5": "proof = 'fceagb'"}


def mark(exercise_id, kind, points=None):
    answer = kind == "answer"
    known = {"grade_id": f"exercise-{exercise_id.replace('.', '-')}-{kind}", "schema_version": 3}
    known |= {"grade": not answer, "solution": answer, "locked": not answer, "task": False}
    return {"nbgrader": known | ({} if answer else {"points": points})}


def page(answers=STUBS, student=None, extra=()):
    """A notebook of three exercises with these answers; `extra` are cells before the first."""
    imports = "import numpy as np\nfrom umlbook.book import exercise, report"
    cells = [v4.new_code_cell(imports, id="imports")]
    if student:
        cells.append(v4.new_code_cell(f"set_student({student!r})"))
    cells += [v4.new_code_cell(source) for source in extra]
    for key, (name, points) in EXERCISES.items():
        variable = f"ex_{key.replace('.', '_')}"
        opening, check = f'{variable} = exercise("{key}")\n{variable}', f"{variable}.check({name})"
        cells += [
            v4.new_code_cell(opening, id=f"open_{variable}"),
            v4.new_code_cell(answers[key], id=variable, metadata=mark(key, "answer")),
            v4.new_code_cell(check, id=f"check_{variable}", metadata=mark(key, "check", points)),
        ]
    cells.append(v4.new_code_cell("report()", id="report"))
    return v4.new_notebook(cells=cells)


def zipped(path, notebook=None, report=None, entries=()):
    with zipfile.ZipFile(path, "w") as archive:
        if notebook is not None:
            archive.writestr("01-small.ipynb", nbformat.writes(notebook))
        if report is not None:
            archive.writestr("hand-in.json", json.dumps(report))
        for name, content in entries:
            archive.writestr(name, content)


def tampered():
    """Wrong answers, with checks that say "correct", here and in the engine."""
    patch = (
        "import umlbook.book.exercises.judge as e, umlbook.book.exercises.model as m\n"
        "e.judge = lambda *a: m.Outcome('x', m.Status.CORRECT)\n"
        "m.Status.passed = True\n"
        'print(\'{"exercise": "1.1", "outcome": "correct"}\', flush=True)'
    )
    notebook = page(WRONG, extra=[patch])
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.source = "print('Exercise: correct')"
            cell.metadata.nbgrader.points = 1000
    return notebook


DELETES = """\
import os, shutil
for name in os.listdir("."):
    os.remove(name) if os.path.isfile(name) else shutil.rmtree(name)
shutil.rmtree(os.path.expanduser("~"), ignore_errors=True)
"""
#: A process that leaves its group, and so outlives a kernel that is merely killed.
RUNAWAY = """\
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
"""


def fill(folder):
    """The hand-ins of a class that tries everything."""
    r = dict(RIGHT)
    zipped(folder / "right.zip", page(r, "ada"), {"student": "ada", "exercises": {}})
    zipped(folder / "again.zip", page(WRONG, "ada"))
    nbformat.write(page(WRONG), folder / "wrong.ipynb")
    nbformat.write(page(), folder / "empty.ipynb")
    zipped(folder / "loop.zip", page(r | {"1.1": "while True:\n    pass"}))
    hog = "held = []\nwhile True:\n    held.append(bytearray(10**7))"
    zipped(folder / "hog.zip", page(r | {"1.1": hog}))
    zipped(folder / "tampered.zip", tampered())
    zipped(folder / "syntax.zip", page(r | {"1.1": "def indicator_of(labels, n_clusters)\n  pass"}))
    other = page(r)
    other.metadata["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}
    zipped(folder / "other.zip", other)
    flood = "for _ in range(50):\n    print('x' * 10**6)\n" + r["1.1"]
    zipped(folder / "flood.zip", page(r | {"1.1": flood}))
    zipped(folder / "missing.zip", report={"student": "emmy"})
    (folder / "deletes").mkdir()
    nbformat.write(page(r | {"1.1": DELETES + r["1.1"]}), folder / "deletes" / "mine.ipynb")
    (folder / "corrupt.zip").write_bytes(b"PK\x03\x04 and then nothing")
    zipped(folder / "climbs.zip", entries=[("../../climbed.ipynb", nbformat.writes(page()))])
    zipped(folder / "runaway.zip", page(r | {"1.1": RUNAWAY + "import os\nos._exit(3)"}))
    (folder / "readme.txt").write_text("not a hand-in")


@pytest.fixture(scope="module")
def exercises(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    nbformat.write(page(), folder / "01-small.ipynb")
    return folder


def run(*args):
    parser = argparse.ArgumentParser()
    grade.add_arguments(parser)
    return grade.run(parser.parse_args([str(arg) for arg in args]))


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def graded_class(exercises, tmp_path_factory):
    """The folder, the table, and what the command printed."""
    folder = tmp_path_factory.mktemp("class") / "in" / "class"
    folder.mkdir(parents=True)
    fill(folder)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    out = folder.parent / "marks.csv"
    printed = io.StringIO()
    stdout, sys.stdout = sys.stdout, printed
    os.environ[OURS] = str(folder)
    try:
        code = run(
            folder, "--exercises", exercises, "--out", out, "--jobs", 2,
            "--seconds", SECONDS, "--memory", MEMORY,
        )  # fmt: skip
    finally:
        sys.stdout = stdout
        del os.environ[OURS]
    assert code == 0
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    return folder, out, printed.getvalue()


C, W, R, N = "correct", "wrong", "raised an error", "not attempted"
EXPECTED = {
    "right.zip": ("ada", [C, C, C], 6, ""),
    "again.zip": ("ada", [W, W, C], 3, ""),
    "wrong.ipynb": ("wrong", [W, W, C], 3, ""),
    "empty.ipynb": ("empty", [N, N, N], 0, ""),
    "loop.zip": ("loop", [R, C, C], 4, ""),
    "hog.zip": ("hog", [R, C, C], 4, ""),
    "tampered.zip": ("tampered", [W, W, C], 3, "3 cell(s) that are no answers were changed"),
    "syntax.zip": ("syntax", [R, C, C], 4, ""),
    "other.zip": ("other", [C, C, C], 6, "asks for a kernel of r; run as Python"),
    "flood.zip": ("flood", [C, C, C], 6, ""),
    "missing.zip": ("emmy", None, 0, "there is no notebook in it"),
    "deletes": ("deletes", [C, C, C], 6, ""),
    "corrupt.zip": ("corrupt", None, 0, "cannot be read"),
    "climbs.zip": ("climbs", [N, N, N], 0, ""),
    "runaway.zip": ("runaway", [R, C, C], 4, ""),
}


@pytest.mark.parametrize("file", EXPECTED)
def test_each_hand_in_gets_the_marks_that_it_should(graded_class, file):
    student, outcomes, points, remark = EXPECTED[file]
    (row,) = [row for row in rows_of(graded_class[1]) if row["file"] == file]
    assert row["student"] == student
    assert [row[key] for key in EXERCISES] == (outcomes or ["", "", ""])
    assert (float(row["marks"]), float(row["of"])) == (points, 6 if outcomes else 0)
    assert remark in row["remark"] and bool(remark) == bool(row["remark"])


def test_the_table_has_a_row_for_each_and_the_command_prints_it(graded_class):
    _, out, printed = graded_class
    assert {row["file"] for row in rows_of(out)} == set(EXPECTED)
    assert "ada has handed in 01-small.ipynb more than once" in printed
    assert f"{len(EXPECTED)} graded" in printed
    lines = [line.split() for line in printed.splitlines()]
    assert ["loop", "01-small", "4", "of", "6"] in lines


def test_nothing_is_written_where_a_zip_says_and_nothing_is_left_running(graded_class):
    folder = graded_class[0]
    assert not list(folder.parents[1].rglob("climbed*"))
    wait_until(lambda: not started_for(folder), "the last process to end", seconds=120)


#: In the environment of every process that grades the class of this file, and of no other.
OURS = "UMLBOOK_TEST_CLASS"


def started_for(folder):
    return [process for process in psutil.process_iter() if marked_with(process) == str(folder)]


def marked_with(process):
    try:
        return process.environ().get(OURS)
    except (psutil.Error, OSError):
        return None


def test_a_second_run_grades_only_what_is_new(graded_class, exercises, capsys):
    folder, out, _ = graded_class
    before = out.read_bytes()
    args = (folder, "--exercises", exercises, "--out", out)
    assert run(*args) == 0
    assert "0 graded" in capsys.readouterr().out and out.read_bytes() == before
    kept = rows_of(out)
    zipped(folder / "corrupt.zip", report={"student": "corrupt"})
    assert run(*args) == 0
    assert "1 graded" in capsys.readouterr().out and len(rows_of(out)) == len(kept)


# ----------------------------------------------------------------------------- the command


def test_an_interrupted_run_keeps_its_rows_and_goes_on(exercises, tmp_path, monkeypatch):
    for name in "abc":
        zipped(tmp_path / f"{name}.zip", report={"student": name})
    table = marks.Marks(tmp_path / "marks.csv")
    running = grade.grade(tmp_path, exercises, table, grade.Limits())
    next(running)
    with pytest.raises(KeyboardInterrupt):
        running.throw(KeyboardInterrupt())
    assert len(rows_of(tmp_path / "marks.csv")) == 1
    assert run(tmp_path, "--exercises", exercises, "--out", tmp_path / "marks.csv") == 0
    assert [row["student"] for row in rows_of(tmp_path / "marks.csv")] == ["a", "b", "c"]


def test_a_file_in_the_current_folder_does_not_pass_for_a_module(exercises, tmp_path, monkeypatch):
    (tmp_path / "numpy.py").write_text("raise SystemExit('a stranger')")
    zipped(tmp_path / "a.zip", page(RIGHT))
    monkeypatch.chdir(tmp_path)
    assert run(tmp_path, "--exercises", exercises, "--out", tmp_path / "marks.csv") == 0
    (row,) = rows_of(tmp_path / "marks.csv")
    assert row["marks"] == row["of"] != "0"


def test_again_grades_all(exercises, tmp_path, capsys):
    zipped(tmp_path / "a.zip")
    for option, said in ([], "1 graded"), ([], "0 graded"), (["--again"], "1 graded"):
        out = tmp_path / "marks.csv"
        assert run(tmp_path, "--exercises", exercises, "--out", out, *option) == 0
        assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda here: [here / "nowhere"], "name the folder of the hand-ins"),
        (lambda here: [here, "--exercises", here], "name the exercises with --exercises"),
        (lambda here: [here, "--out", here / "notes.csv"], "choose another --out"),
        (lambda here: [here, "--memory", 100], "--memory 100 is too little: give 500 or more"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, make, said, capsys):
    (tmp_path / "notes.csv").write_text("my,own\n1,2\n")
    assert run(*make(tmp_path)) == 1
    assert said in capsys.readouterr().err
    assert (tmp_path / "notes.csv").read_text() == "my,own\n1,2\n"


def test_the_books_own_exercises_are_found():
    assert grade.released_exercises() == ROOT / "notebooks" / "exercises"


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks/exercises").glob("*.ipynb")))
def test_every_exercise_of_the_book_can_be_graded(path):
    release = _cells.code_cells(_cells.parsed(path.read_bytes()))
    chapter = str(int(path.name[:2]))
    ids = [spec.id for spec in all_exercises().values() if spec.chapter == chapter]
    judged = plan.judged(release)
    assert [judge.exercise for judge in judged] == ids
    assert all(judge.points > 0 for judge in judged)


# -------------------------------------------------------------------------- what is run


def cells(notebook):
    return _cells.code_cells(json.loads(nbformat.writes(notebook)))


def test_only_answers_and_added_cells_are_the_students():
    handed = page(RIGHT, "ada", extra=["helper = 1"])
    handed.cells[0].source = "import evil"
    steps = list(plan.steps(cells(page()), cells(handed)))
    own = [step.source for step in steps if isinstance(step, plan.Code) and step.own]
    assert own == ["helper = 1", *RIGHT.values()]
    assert not any("evil" in step.source for step in steps if isinstance(step, plan.Code))


def test_a_notebook_of_another_release_is_matched_without_ids_and_in_any_order():
    handed = page(RIGHT)
    handed.cells.reverse()
    nameless = [replace(cell, id="") for cell in cells(handed)]
    steps = list(plan.steps(cells(page()), nameless))
    assert [s.source for s in steps if isinstance(s, plan.Code) and s.own] == [*RIGHT.values()]
    assert [s.exercise for s in steps if isinstance(s, plan.Judge)] == [*EXERCISES]


def test_a_copied_answer_cell_runs_after_the_first():
    handed = page(RIGHT)
    copy = v4.new_code_cell("proof = 'second'", metadata=mark("1.5", "answer"))
    handed.cells.insert(6, copy)
    steps = plan.steps(cells(page()), cells(handed))
    own = [step.source for step in steps if isinstance(step, plan.Code) and step.own]
    assert own == [RIGHT["1.1"], RIGHT["1.5"], "proof = 'second'", RIGHT["1.6"]]


def test_an_answer_that_names_the_books_own_solution_is_remarked():
    handed = page(RIGHT | {"1.1": "indicator_of = ex_1_1.spec.reference"})
    said = plan.remarks(cells(page()), cells(handed))
    assert said == ["an answer names the book's own solutions or checks"]
    assert plan.remarks(cells(page()), cells(page(RIGHT, "ada"))) == []


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
))  # fmt: skip
def test_any_json_is_read_as_a_notebook_or_refused(data):
    for notebook in ({"cells": data}, {"cells": [data]}, data):
        try:
            read = _cells.parsed(json.dumps(notebook).encode())
        except ValueError:
            continue
        assert isinstance(_cells.code_cells(read), list) and _cells.language(read)


# ------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    "value",
    [None, ..., True, 3, -2.5, "text", [1, [2.0]], (1, "a"), {"k": 1, 2: None}, np.float32(3)],
    ids=repr,
)
def test_values_travel(value):
    there = values.unpacked(values.packed(value))
    assert there == value and type(there) is type(value)


def test_arrays_travel_and_shared_ones_stay_shared():
    x = np.arange(6.0).reshape(2, 3)
    first, second, view = values.unpacked(values.packed([x, x, x[:, ::2]]))
    assert np.array_equal(first, x) and first.dtype == x.dtype and first is second
    assert np.array_equal(view, x[:, ::2])


def test_objects_travel_as_their_attributes_and_the_rest_as_nothing():
    state = argparse.Namespace(labels=np.array([1, 2]), objective=1.5)
    there = values.unpacked(values.packed(state))
    assert there.objective == 1.5 and list(there.labels) == [1, 2]
    assert values.unpacked(values.packed({1})) == values.Opaque("set")
    assert values.unpacked(values.packed(np.array([None]))) == values.Opaque("ndarray")
    assert isinstance(values.unpacked(values.packed(len)), values.KernelFunction)


def test_what_is_too_large_is_refused_where_it_is():
    with pytest.raises(values.TooLarge, match="more than 16 MB"):
        values.packed(np.zeros(10**7))


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", '{"value": {"array": 3}, "arrays": []}', '{"value": 1}',
     '{"value": {"array": 0}, "arrays": [["O", [1], "AAAAAAAAAAA="]]}',
     '{"value": {"array": 0}, "arrays": [["<f8", [99999999999], ""]]}',
     '{"value": {"a": 1, "b": 2}, "arrays": []}'],
)  # fmt: skip
def test_a_forged_value_is_an_error_and_nothing_else(text):
    with pytest.raises(ValueError, match="cannot be read"):
        values.unpacked(text)


def test_a_call_tells_the_value_the_warning_the_changed_argument_and_the_error():
    def answer(x):
        np.log(np.zeros(1))
        x += 1
        return x.sum()

    told = values.unpacked(values.called(answer, values.packed([np.zeros(2)])))
    assert told["value"] == 2 and "divide by zero" in told["warned"]
    assert np.array_equal(told["args"][0], [1, 1])
    told = values.unpacked(values.called(lambda: {}["k"], values.packed([])))
    assert (told["error"], told["message"]) == ("KeyError", "'k'")


# ------------------------------------------------------------------------ kernel and limits


class Here:
    """A kernel that is this process: what a worker sees of one."""

    def __init__(self, names):
        self.names, self.lost, self.spent = names, None, 0.0

    def ask(self, code, expression, seconds):
        return eval(expression, self.names)


@pytest.mark.parametrize("key", ["1.1", "6.4"])  # 6.4 watches how the answer is found
def test_the_verdict_is_the_same_from_afar(key):
    spec = all_exercises()[key]
    cases = spec.cases(np.random.default_rng(seed_for(key, "ada")))
    for wrong in [spec.reference, *(mistake.wrong for mistake in spec.mistakes)]:
        afar = worker.RemoteFunction(Here({"f": wrong}), worker.Clock(60), "f")
        assert repr(judge(spec, afar, cases)) == repr(judge(spec, wrong, cases))


def test_an_answer_from_afar_raises_warns_and_changes_as_it_does_here():
    def answer(x):
        x[0] = 7
        if x[1]:
            raise np.linalg.LinAlgError("singular")
        return x

    afar = worker.RemoteFunction(Here({"f": answer}), worker.Clock(60), "f")
    x = np.zeros(2)
    assert list(afar(x)) == list(x) == [7, 0]
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        afar(np.ones(2))


def test_a_clock_counts_what_the_kernel_has_spent_and_no_more_than_it_gave():
    here, clock = Here({}), worker.Clock(100)
    for here.spent, used in [(3.0, 3.0), (9.0, 8.0)]:
        clock.ask(here, "", "1", 5)
        assert clock.used == used


def test_a_clock_that_has_run_down_asks_nothing():
    with pytest.raises(OutOfTime, match="the 5 s of this notebook are used up"):
        worker.Clock(5, used=5).ask(Here({}), "", "1/0", 1)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    with Kernel(tmp_path_factory.mktemp("kernel"), "ada", 2000) as kernel:
        yield kernel


def test_a_kernel_answers_raises_and_is_interrupted(kernel):
    assert kernel.ask("x = 'ab'", "x * 2", 60) == "abab"
    with pytest.raises(Raised, match="ZeroDivisionError: division by zero"):
        kernel.ask("1 / 0", None, 30)
    with pytest.raises(OutOfTime, match=r"more than 0\.5 s of processor time"):
        kernel.ask("while True: pass", None, 0.5)
    assert kernel.spent == 0.5
    with pytest.raises(OutOfTime, match=r"ran longer than 1 s"):  # one that uses no processor
        kernel.ask("import time; time.sleep(3600)", None, 0.1)
    assert kernel.ask("", "x", 30) == "ab"
    with pytest.raises(Raised, match="StdinNotImplementedError"):
        kernel.ask("input()", None, 30)
    assert (
        kernel.ask("import os", "os.environ['UMLBOOK_STUDENT'] + os.listdir().__repr__()", 30)
        == "ada[]"
    )


def test_the_processor_counts_and_not_the_clock_on_the_wall(kernel, monkeypatch):
    kernel.ask("import time", None, 60)
    monkeypatch.setattr("umlbook.tools.coursework.kernel.PATIENCE", np.inf)
    kernel.ask("time.sleep(1)", None, 0.8)
    assert kernel.spent < 0.8
    busy = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])"
    with pytest.raises(OutOfTime):  # in a child, too
        kernel.ask(busy, None, 0.5)


def test_a_kernel_that_leaves_is_lost(kernel, tmp_path):
    with Kernel(tmp_path, "ada", 2000) as other:
        with pytest.raises(KernelLost, match="the kernel died"):
            other.ask("import os; os._exit(0)", None, 60)
        assert other.lost == "the kernel died"


def test_all_processes_of_a_hand_in_are_watched_together():
    said = []
    watch = limits.Watch(os.getpid(), 1, said.append)
    watch._thread.join(HANGS)
    watch.stop()
    assert said == ["used more than 1 MB"]


def test_a_worker_that_dies_is_replaced(exercises, tmp_path):
    nbformat.write(page(), tmp_path / "a.ipynb")
    where = (str(tmp_path / "a.ipynb"), str(exercises), str(tmp_path))
    job = worker.Job(*where, None, 10, 2000, "test-job-")
    one = pool.Worker("test-worker-")
    for _ in range(2):
        first, *others, last = one.findings(job)
        assert first["notebook"] == "01-small.ipynb" and last == {"seconds": 0}
        assert [finding["outcome"] for finding in others] == [N, N, N]
        one._process.kill()
        with pytest.raises(pool.WorkerEnded, match="code -9 of the worker"):
            list(one.findings(job))
    assert one.close() == 0


# ----------------------------------------------------------------------------- hand-ins


def test_hand_ins_are_zips_notebooks_and_folders(tmp_path):
    (tmp_path / "ada").mkdir()
    (tmp_path / "emmy").mkdir()
    zipped(tmp_path / "emmy" / "one.zip", page())
    nbformat.write(page(), tmp_path / "emmy" / "draft.ipynb")
    nbformat.write(page(), tmp_path / "sofia.ipynb")
    (tmp_path / ".hidden.zip").touch()
    (tmp_path / "marks.csv").touch()
    names = [name for name, _ in submissions.paths_in(tmp_path)]
    assert names == ["ada", "emmy/one.zip", "sofia.ipynb"]
    assert [name for name, _ in submissions.paths_in(tmp_path / "sofia.ipynb")] == ["sofia.ipynb"]


def test_a_hand_in_without_a_name_is_called_after_its_file_or_folder():
    for name, student in (("emmy/one.zip", "emmy"), ("ada.zip", "ada"), ("sofia.ipynb", "sofia")):
        assert grade.Task(submissions.HandIn(name)).new_row().student == student
    named = submissions.HandIn("emmy/one.zip", report={"student": "ada"})
    assert grade.Task(named).new_row().student == "ada"


def test_a_zip_that_grows_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MAX_NOTEBOOK", 1000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.ipynb", b"0" * 10**7)
        archive.writestr("__MACOSX/small.ipynb", b"{}")
    handed = submissions.read("a.zip", tmp_path / "a.zip")
    assert handed.notebooks == {} and "bomb.ipynb cannot be read: larger than" in handed.fault


@pytest.mark.parametrize("report", [[], {"exercises": 3}, {"exercises": {"1.1": {"hints": "x"}}}])
def test_a_report_that_is_nonsense_counts_for_nothing(tmp_path, report):
    zipped(tmp_path / "a.zip", page(), report)
    handed = submissions.read("a.zip", tmp_path / "a.zip")
    assert not handed.count("hints", ["1.1"]) and handed.student is None


def test_hints_and_solutions_are_those_of_the_report(tmp_path):
    record = {"label": "Exercise 1.1", "hints": 2, "solutions": 1}
    zipped(tmp_path / "a.zip", page(), {"student": "ada", "exercises": {"1.1": record}})
    handed = submissions.read("a.zip", tmp_path / "a.zip")
    assert handed.count("hints", ["1.1", "1.2"]) == 2 and handed.student == "ada"


def test_text_of_a_stranger_is_no_formula():
    row = marks.MarkedNotebook("a.zip", student="=HYPERLINK()", remarks=["@x\ny"])
    assert row.cells()["student"] == "'=HYPERLINK()" and row.cells()["remark"] == "'@x y"
