"""A hand-in is one file with the notebooks and the report, and says where it is."""

import argparse
import json
import os
import zipfile
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from IPython.core.formatters import DisplayFormatter

from umlbook.book import exercise, hand_in, report, set_student
from umlbook.book.exercises.progress import JSON_NAME, Progress
from umlbook.tools.coursework import submissions
from umlbook.tools.release import released

command = import_module("umlbook.book.exercises.hand_in")  # a function's name too

SOLUTIONS = Path(__file__).parents[1] / "notebooks" / "solutions"
FIRST, SECOND = "01-kmeans-is-a-trace.ipynb", "02-ky-fan.ipynb"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What ada has been given, with a notebook of her own and a broken one beside it."""
    monkeypatch.delenv("UMLBOOK_PROGRESS", raising=False)
    for name in (FIRST, SECOND):
        source = nbformat.read(SOLUTIONS / name, as_version=4)
        nbformat.write(released(source, "ada"), tmp_path / name)
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "notes.ipynb")
    (tmp_path / "broken.ipynb").write_text("{")
    return tmp_path


@pytest.fixture
def worked():
    """Some work: one exercise right after a hint and a mistake, one looked up."""
    progress = Progress()
    first = exercise("1.5", progress=progress)
    first.hint()
    first.check("fceagb")
    first.check("bgaecf")
    exercise("1.7", progress=progress).solution()
    return progress


@pytest.fixture
def as_ada():
    set_student("ada")
    yield
    set_student(None)


def content(path):
    with zipfile.ZipFile(path) as archive:
        return archive.namelist(), json.loads(archive.read("hand-in.json"))


def run(*args):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(arg) for arg in args]))


def test_one_file_has_the_exercises_of_the_folder_and_the_report(folder, worked):
    receipt = hand_in(folder, progress=worked)
    assert receipt.path == folder / "hand-in-ada.zip"
    names, told = content(receipt.path)
    assert names == ["hand-in.json", FIRST, SECOND]
    assert told["student"] == "ada" and told["notebooks"] == [FIRST, SECOND]
    assert {"python", "umlbook", "numpy"} <= told["versions"].keys()
    order, choice = told["exercises"]["1.5"], told["exercises"]["1.7"]
    assert (order["outcome"], order["checks"], order["hints"]) == ("correct", 2, 1)
    assert order["mistakes"] == ["from the end"] and choice["solutions"] == 1


def test_it_says_where_the_file_is_and_what_to_do(folder, worked):
    for path in folder.glob("*.ipynb"):
        os.utime(path, (worked.checked_at + 1,) * 2)
    said = repr(hand_in(folder, progress=worked)).splitlines()
    assert said == [
        "hand-in-ada.zip: 2 notebooks, 1 of 2 answered correctly so far",
        f"It is in {folder}. Send this one file to your teacher.",
    ]
    html = hand_in(folder, progress=worked)._repr_html_()
    assert '<a href="hand-in-ada.zip" download>hand-in-ada.zip</a>: 2 notebooks' in html


def test_a_notebook_that_was_not_saved_since_the_last_check_is_named(folder, worked):
    for path in folder.glob("*.ipynb"):
        os.utime(path, (worked.checked_at - 1,) * 2)
    receipt = hand_in(folder, progress=worked)
    assert receipt.unsaved == (FIRST,)  # the second was not worked on
    assert f"But {FIRST} was saved before your last check: save it" in repr(receipt)


def test_earlier_sessions_count_and_handing_in_again_replaces_the_file(folder, worked):
    report(folder, progress=Progress({"1.5": worked.records["1.5"]}, started="earlier"))
    for _ in range(2):
        receipt = hand_in(folder, progress=worked)
        assert content(receipt.path)[1]["exercises"]["1.5"]["hints"] == 2
    assert len(list(folder.glob("*.zip"))) == 1


def test_what_was_once_right_stays_right():
    right = {"exercises": {"1.1": {"label": "x", "outcome": "correct", "checks": 1}}}
    wrong = {"exercises": {"1.1": {"label": "x", "outcome": "wrong", "checks": 1}}}
    opened = {"exercises": {"1.1": {"label": "x"}}}
    for sessions in ([right, wrong], [wrong, right], [right, opened], [opened, right]):
        assert command.merged_records(sessions)["1.1"]["outcome"] == "correct"
    assert command.merged_records([wrong, opened])["1.1"]["outcome"] == "wrong"


@pytest.mark.parametrize(
    "session",
    [3, {}, {"exercises": 3}, {"exercises": {"1.1": {"label": 3}}}, {"exercises": {"1.1": {}}},
     {"exercises": {"1.1": {"label": "x", "outcome": "excellent"}}},
     {"exercises": {"1.1": {"label": "x", "hints": True}}}],
)  # fmt: skip
def test_records_that_are_none_are_left_out(session):
    assert command.merged_records([session]) == {}


def test_the_teacher_reads_what_the_student_wrote(folder, worked):
    receipt = hand_in(folder, progress=worked)
    handed = submissions.read("x.zip", receipt.path)
    assert sorted(handed.notebooks) == [FIRST, SECOND] and not handed.fault
    assert handed.notebooks[FIRST] == (folder / FIRST).read_bytes()
    assert handed.student == "ada"
    assert (handed.count("hints", ["1.5", "1.7"]), handed.count("solutions", ["1.7"])) == (1, 1)
    receipt.path.unlink()
    beside = submissions.read("folder", folder)
    assert beside.count("hints", ["1.5"]) == 1  # from the progress that was kept


def test_the_command_hands_in_a_folder_or_a_notebook(folder, tmp_path, capsys):
    assert run(folder) == 0
    assert "hand-in-ada.zip: 2 notebooks\n" in capsys.readouterr().out
    out = tmp_path / "elsewhere"
    assert run(folder / FIRST, "--student", "Emmy N.", "--out", out) == 0
    names, told = content(out / "hand-in-Emmy-N.zip")
    assert names == ["hand-in.json", FIRST] and told["student"] == "Emmy N."
    assert not (folder / JSON_NAME).exists()  # the command has seen no work


def test_a_folder_without_exercises_says_what_to_do(tmp_path, capsys):
    assert run(tmp_path) == 1
    assert "has no exercise notebook: hand in from the folder" in capsys.readouterr().err
    with pytest.raises(ValueError, match="no exercise notebook"):
        hand_in(tmp_path)


@pytest.mark.parametrize("name", ["../../x", "a/b", "", "...", "Ada L."])
def test_a_name_never_leads_out_of_the_folder(name):
    assert Path(command.file_name(name)).name == command.file_name(name)


# --------------------------------------------------------------------------------- the button


def test_a_student_sees_the_report_with_a_button_that_hands_in(folder, worked, as_ada, monkeypatch):
    monkeypatch.chdir(folder)
    shown = report(progress=worked)
    bundle, _ = DisplayFormatter().format(shown)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"] == repr(shown)
    _, button, said = shown.view().children
    button.click()
    assert "hand-in-ada.zip" in said.value and (folder / "hand-in-ada.zip").is_file()
    for path in folder.glob("*.ipynb"):
        path.unlink()
    button.click()
    assert "Not handed in: " in said.value and 'role="alert"' in said.value


def test_a_reader_sees_the_report_alone(worked, tmp_path, monkeypatch):
    monkeypatch.delenv("UMLBOOK_STUDENT", raising=False)
    bundle, _ = DisplayFormatter().format(report(tmp_path, progress=worked))
    assert bundle.keys() == {"text/plain", "text/html"}
