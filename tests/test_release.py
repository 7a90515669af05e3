"""The exercises handed out are those that the solutions give; they run, and hide the answers."""

import argparse
import re
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from umlbook.book.exercises.bank import all_exercises
from umlbook.tools import release
from umlbook.tools.authoring import read_script
from umlbook.tools.refresh import executed

ROOT = Path(__file__).parents[1] / "notebooks"
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))

SCRIPT = """\
# %% [markdown]
# A page

# %% [markdown] {"tags": ["solution-only"]}
For the teacher.

# %%
import math

# %% {"nbgrader": {"grade": false, "grade_id": "a", "locked": false, "schema_version": 3, \
"solution": true, "task": false}}
def area(r):
    ### BEGIN SOLUTION
    square = r * r

    return math.pi * square
    ### END SOLUTION

# %%
given = 1
### BEGIN SOLUTION
half = given / 2
answer, rest = half, given - half
### END SOLUTION
"""


def run(*args):
    parser = argparse.ArgumentParser()
    release.add_arguments(parser)
    return release.run(parser.parse_args([str(arg) for arg in args]))


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "solutions"
    folder.mkdir()
    nbformat.write(read_script(SCRIPT), folder / "01-page.ipynb")
    return folder


def sources(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


# -------------------------------------------------------------------------- the book's own


def test_there_are_solutions_of_both_chapters():
    assert [path.name[:2] for path in SOLUTIONS][:2] == ["01", "02"]


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_exercises_are_what_the_solutions_give(path):
    target = ROOT / "exercises" / path.name
    assert release.is_current(target, release.released_bytes(path)), "umlbook release-exercises"


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_page_has_every_exercise_of_its_chapter_with_nbgraders_cells(path):
    chapter = str(int(path.name[:2]))
    ids = [spec.id for spec in all_exercises().values() if spec.chapter == chapter]
    text = "\n".join(sources(ROOT / "exercises" / path.name))
    assert re.findall(r"## Exercise ([\d.]+): ", text) == ids
    assert re.findall(r'exercise\("([\d.]+)"\)', text) == ids
    cells = nbformat.read(path, as_version=4).cells
    marks = [cell.metadata.nbgrader for cell in cells if "nbgrader" in cell.metadata]
    assert len({mark.grade_id for mark in marks}) == len(marks) == 2 * len(ids)
    assert sum(mark.solution for mark in marks) == sum(mark.grade for mark in marks) == len(ids)
    assert all(mark.schema_version == 3 for mark in marks)
    assert all("points" in mark for mark in marks if mark.grade)


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_every_check_of_the_solutions_says_correct(path):
    texts = [
        output.data["text/plain"]
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    said = re.findall(r"^Exercise ([\d.]+): (.+)$", "\n".join(texts), re.MULTILINE)
    chapter = str(int(path.name[:2]))
    ids = [spec.id for spec in all_exercises().values() if spec.chapter == chapter]
    assert said == [(exercise_id, "correct") for exercise_id in ids]


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_exercises_do_not_show_a_solution(path):
    text = "\n".join(sources(ROOT / "exercises" / path.name))
    assert "SOLUTION" not in text
    notebook = nbformat.read(ROOT / "exercises" / path.name, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)


# ------------------------------------------------------------------------------------ stubs


def test_body_of_a_function_returns_a_hole_at_its_own_indentation(source, tmp_path):
    assert run("--source", source, "--out", tmp_path / "out") == 0
    cells = sources(tmp_path / "out" / "01-page.ipynb")
    assert cells[2] == "def area(r):\n    # YOUR CODE HERE\n    return ..."


def test_only_what_is_set_last_is_asked_for(source, tmp_path):
    run("--source", source, "--out", tmp_path / "out")
    last = sources(tmp_path / "out" / "01-page.ipynb")[-1]
    assert last == "given = 1\n# YOUR CODE HERE\nanswer = ...\nrest = ..."


def test_generator_yields_a_hole():
    assert release.stub("  for i in x:\n    yield i") == "  # YOUR CODE HERE\n  yield ..."


def test_cells_for_the_teacher_are_left_out_and_metadata_stay(source, tmp_path):
    run("--source", source, "--out", tmp_path / "out")
    cells = nbformat.read(tmp_path / "out" / "01-page.ipynb", as_version=4).cells
    assert len(cells) == 4 and "teacher" not in str(cells)
    assert cells[2].metadata.nbgrader.grade_id == "a"


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e")))
def test_code_without_solutions_is_left_as_it_is(code):
    assert release.without_solutions(code) == code.removesuffix("\n")


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("### BEGIN SOLUTION\nx = 1", "without"),
        ("x = 1\n### END SOLUTION", "ends no solution"),
        ("### BEGIN SOLUTION\n\n### END SOLUTION", "an empty one"),
        ("### BEGIN SOLUTION\nx = 1\n### BEGIN SOLUTION", "inside a solution"),
        ("### BEGIN SOLUTION\nprint(1)\n### END SOLUTION", "sets no variable"),
    ],
)
def test_bad_marks_are_named(code, fault):
    with pytest.raises(ValueError, match=fault):
        release.without_solutions(code)


# ------------------------------------------------------------------------------ the command


def test_second_release_changes_nothing(source, tmp_path, capsys):
    target = tmp_path / "out" / "01-page.ipynb"
    run("--source", source, "--out", target.parent)
    before = target.read_bytes()
    assert run("--source", source, "--out", target.parent) == 0
    assert target.read_bytes() == before
    assert "unchanged" in capsys.readouterr().out


def test_check_sees_a_stale_exercise_and_writes_nothing(source, tmp_path):
    target = tmp_path / "out" / "01-page.ipynb"
    assert run("--source", source, "--out", target.parent, "--check") == 1
    assert not target.exists()
    run("--source", source, "--out", target.parent)
    assert run("--source", source, "--out", target.parent, "--check") == 0
    target.write_text(target.read_text("utf-8").replace("YOUR CODE", "NO CODE"), "utf-8")
    assert run("--source", source, "--out", target.parent, "--check") == 1


def test_outputs_stored_in_an_exercise_do_not_make_it_stale(source, tmp_path):
    target = tmp_path / "out" / "01-page.ipynb"
    run("--source", source, "--out", target.parent)
    nbformat.write(executed(nbformat.read(target, as_version=4), tmp_path), target)
    assert run("--source", source, "--out", target.parent, "--check") == 0


def test_each_student_gets_a_folder_and_a_cell_with_the_name(source, tmp_path):
    assert run("--source", source, "--out", tmp_path, "--student", "s1", "--student", "s2") == 0
    for name in ("s1", "s2"):
        cells = sources(tmp_path / name / "01-page.ipynb")
        assert cells[1] == "import math"
        assert cells[2].endswith(f"set_student('{name}')")


def test_a_students_notebook_ends_with_the_cell_that_hands_it_in(source, tmp_path):
    run("--source", source, "--out", tmp_path, "--student", "s1")
    *_, text, code = sources(tmp_path / "s1" / "01-page.ipynb")
    assert text.startswith("## Hand in") and code.endswith("hand_in()")
    run("--source", source, "--out", tmp_path / "out")
    assert "hand_in" not in str(sources(tmp_path / "out" / "01-page.ipynb"))


@pytest.mark.parametrize(
    "text",
    ["Group,Student\n1,s1\n1,s2\n2,s1\n", "\ufeffstudent\ns1\n\n s2 \n", "s1\ns2\n", "s1,a\ns2,b"],
)
def test_a_class_list_names_the_students_each_once(source, tmp_path, text):
    path = tmp_path / "class.csv"
    path.write_text(text, "utf-8")
    assert run("--source", source, "--out", tmp_path / "out", "--class-list", path) == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["s1", "s2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("student\n", "names no student"),
        ("", "names no student"),
        ("a b\n", "cannot name a folder"),
    ],
)
def test_a_class_list_that_cannot_be_used_is_refused(source, tmp_path, text, said, capsys):
    path = tmp_path / "class.csv"
    path.write_text(text)
    assert run("--source", source, "--out", tmp_path / "out", "--class-list", path) == 1
    assert said in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert run("--source", source, "--out", tmp_path, "--class-list", tmp_path / "none") == 1


def test_a_students_work_is_never_overwritten(source, tmp_path, capsys):
    run("--source", source, "--out", tmp_path, "--student", "s1")
    target = tmp_path / "s1" / "01-page.ipynb"
    target.write_text(target.read_text("utf-8").replace("return ...", "return 1"), "utf-8")
    before = target.read_bytes()
    assert run("--source", source, "--out", tmp_path, "--student", "s1") == 0
    assert "kept: somebody has worked on it" in capsys.readouterr().out
    assert target.read_bytes() == before


@pytest.mark.parametrize("args", [["--student", "../x"], ["--student", ".."], ["--student", ""]])
def test_student_that_is_no_folder_name_is_refused(source, tmp_path, args, capsys):
    assert run("--source", source, "--out", tmp_path / "out", *args) == 1
    assert "cannot name a folder" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_student_needs_a_folder_and_source_needs_notebooks(source, tmp_path, capsys):
    assert run("--source", source, "--student", "s1") == 1
    assert "--student needs --out" in capsys.readouterr().err
    assert run("--source", tmp_path / "nothing") == 1
    assert "name the folder of solutions" in capsys.readouterr().err


def test_bad_source_is_named(source, tmp_path, capsys):
    script = "# %%\n### BEGIN SOLUTION\nx = 1\n"
    nbformat.write(read_script(script), source / "02-bad.ipynb")
    assert run("--source", source, "--out", tmp_path / "out") == 1
    assert "02-bad.ipynb: " in capsys.readouterr().err
