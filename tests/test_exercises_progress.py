"""Who reads, what was tried, and that it lasts: over restarts, and beside other kernels."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from support.toy import TOY, doubled

from umlbook.book.exercises import kept
from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.judge import OpenExercise, exercise, seed_for
from umlbook.book.exercises.model import Outcome, Status
from umlbook.book.exercises.progress import Progress, report, set_student, student


@pytest.fixture
def toy():
    return OpenExercise(TOY, 0, Progress())


# ------------------------------------------------------------------------- students, progress


@pytest.fixture
def anonymous(monkeypatch):
    monkeypatch.delenv("UMLBOOK_STUDENT", raising=False)
    set_student(None)
    yield
    set_student(None)


def test_student_is_the_set_one_then_the_environments_then_a_drawn_one(anonymous, monkeypatch):
    assert re.fullmatch(r"reader-[0-9a-f]{6}", student())
    monkeypatch.setenv("UMLBOOK_STUDENT", "ada")
    assert student() == "ada"
    set_student("emmy")
    assert student() == "emmy"


def test_students_have_different_data_and_each_the_same_again(anonymous):
    def data():
        return exercise("1.3", progress=Progress()).data.X

    default = data()
    assert np.array_equal(default, data())
    set_student("emmy")
    assert not np.allclose(default, data())
    seeded = exercise("1.3", seed=5, progress=Progress()).data.X
    assert np.array_equal(seeded, exercise("1.3", seed=5, progress=Progress()).data.X)


def test_seed_is_the_same_on_every_machine():
    assert seed_for("1.1", "reader") == 17544302931957491231


def test_right_stays_right_in_the_record(toy):
    toy.check(doubled)
    toy.check(lambda x: x / 2)
    record = toy.progress.records["9.1"]
    assert (record.outcome, record.checks, record.mistakes) == ("correct", 2, ["halved"])


def test_report_says_the_same_whatever_was_kept_before(toy, tmp_path):
    toy.check(doubled)
    toy.hint()
    shown = report(tmp_path, progress=toy.progress)
    assert repr(shown) == (
        "1 of 1 answered correctly\n"
        "  Exercise 9.1: correct (1 check, 1 hint)\n"
        "kept in .umlbook-progress.json and umlbook-progress.html"
    )
    assert repr(report(tmp_path, progress=toy.progress)) == repr(shown)
    assert "Exercise 9.1: correct" in shown._repr_html_()


def test_report_keeps_every_session_once(toy, tmp_path):
    toy.check(lambda x: x / 2)
    later = replace(toy.progress, started="later")
    for progress in (toy.progress, toy.progress, later):
        report(tmp_path, progress=progress)
    sessions = json.loads((tmp_path / ".umlbook-progress.json").read_text("utf-8"))["sessions"]
    assert [session["started"] for session in sessions] == [toy.progress.started, "later"]
    assert sessions[0]["exercises"]["9.1"]["mistakes"] == ["halved"]
    assert {"python", "umlbook", "numpy"} <= set(sessions[0]["versions"])
    page = (tmp_path / "umlbook-progress.html").read_text("utf-8")
    assert page.count("<h2>") == 2 and "Exercise 9.1: wrong" in page


def test_report_goes_where_the_environment_says(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("UMLBOOK_PROGRESS", str(tmp_path / "kept"))
    report(progress=toy.progress)
    assert (tmp_path / "kept" / ".umlbook-progress.json").is_file()


def test_report_does_not_overwrite_a_file_it_cannot_read(toy, tmp_path):
    (tmp_path / ".umlbook-progress.json").write_text("mine", "utf-8")
    with pytest.raises(ValueError, match="move it away"):
        report(tmp_path, progress=toy.progress)
    assert (tmp_path / ".umlbook-progress.json").read_text("utf-8") == "mine"


# ---------------------------------------------------------------------- it lasts: new kernels


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of notebooks, where the progress is kept by default."""
    monkeypatch.delenv("UMLBOOK_PROGRESS", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kernel():
    """The session of a kernel that has just started."""
    return Progress(keeps=True)


def solved(progress, key="1.7"):
    spec = all_exercises()[key]
    return exercise(key, progress=progress).check(spec.reference())


def test_report_says_the_same_after_the_kernel_was_restarted(home):
    first = kernel()
    exercise("1.5", progress=first).hint()
    solved(first, "1.5")
    exercise("1.7", progress=first).check("b")
    said = repr(report(progress=first))
    assert said.startswith("1 of 2 answered correctly\n  Exercise 1.5: correct (1 check, 1 hint)")
    again = kernel()
    assert repr(report(progress=again)) == said  # before anything is opened
    panel = exercise("1.7", progress=again).panel("wrong_step", {})
    assert repr(report(progress=again)) == said  # and when one exercise of the chapter is
    assert "Exercise 1.7: wrong (1 check); chapter 1: 1 of 7 solved" in repr(panel)


def test_work_is_kept_without_a_report_and_adds_up(home):
    solved(kernel())
    second = kernel()
    exercise("1.7", progress=second).check("a")
    exercise("1.7", progress=second).solution()
    known = kernel().known()["1.7"]
    assert (known.outcome, known.checks, known.solutions) == ("correct", 2, 1)
    assert known.mistakes == ["a"]


def test_chapters_that_were_not_opened_are_left_out(home):
    solved(kernel(), "1.7")
    later = kernel()
    solved(later, "4.5")
    assert repr(report(progress=later)).count("Exercise") == 1
    assert repr(report(progress=kernel())).count("Exercise") == 2


def test_other_students_in_the_same_folder_do_not_count(home, anonymous):
    set_student("ada")
    solved(kernel())
    set_student("emmy")
    assert kernel().known() == {}


def test_kernels_at_once_do_not_lose_each_others_records(home):
    def work(number):
        progress = kernel()
        for k in range(5):
            outcome = Outcome(f"Exercise {number}.{k}", Status.CORRECT)
            progress.checked(f"{number}.{k}", outcome)
        return progress.notice()

    with ThreadPoolExecutor(4) as pool:  # each with a session of its own; the lock is a file
        assert list(pool.map(work, range(4))) == [""] * 4
    assert len(kernel().known()) == 20
    assert os.listdir() == [kept.JSON_NAME]  # no lock and no part is left


def test_lock_of_a_kernel_that_died_is_broken(home):
    (home / ".umlbook-progress.lock").touch()
    os.utime(home / ".umlbook-progress.lock", (0, 0))
    solved(kernel())
    assert kernel().passed("1.7") and not (home / ".umlbook-progress.lock").exists()


def test_work_is_written_even_if_the_lock_is_never_free(home, monkeypatch):
    monkeypatch.setattr(kept, "_PATIENCE", 0.02)
    (home / ".umlbook-progress.lock").touch()
    os.utime(home / ".umlbook-progress.lock", (2**32, 2**32))
    solved(kernel())
    assert kernel().passed("1.7") and (home / ".umlbook-progress.lock").exists()


def test_file_is_replaced_as_a_whole_or_stays(home, monkeypatch):
    solved(kernel())
    before = (home / kept.JSON_NAME).read_text("utf-8")

    def full(*args):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    progress = kernel()
    assert "(Your progress is not kept" in repr(solved(progress, "4.5"))
    assert (home / kept.JSON_NAME).read_text("utf-8") == before
    assert os.listdir() == [kept.JSON_NAME]


def test_folder_that_cannot_be_written_is_told_once_and_harms_nothing(home, anonymous, monkeypatch):
    def refused(*args, **kwargs):
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "open", refused)  # as in a folder that is read-only, for root too
    progress = kernel()
    assert student() == "reader"
    assert repr(solved(progress)) == (
        "Exercise 1.7: correct\n  (Your progress is not kept, since this folder cannot be written.)"
    )
    assert repr(solved(progress)) == "Exercise 1.7: correct"
    shown = repr(report(progress=progress))
    assert "1 of 1 answered correctly" in shown and "not kept" in shown


def test_file_of_somebody_else_is_left_alone_and_told_once(home):
    (home / kept.JSON_NAME).write_text("mine", "utf-8")
    progress = kernel()
    assert "is not a progress file that umlbook wrote" in repr(solved(progress))
    assert repr(solved(progress)) == "Exercise 1.7: correct"
    assert (home / kept.JSON_NAME).read_text("utf-8") == "mine"


# -------------------------------------------------------------------------- data of one's own


def test_two_readers_have_data_of_their_own_and_each_keeps_them(tmp_path, anonymous, monkeypatch):
    def data(folder):
        monkeypatch.setenv("UMLBOOK_PROGRESS", str(tmp_path / folder))
        kept._drawn_name.cache_clear()  # as a new kernel would
        return exercise("1.3", progress=Progress()).data.X

    here, there = data("here"), data("there")
    assert not np.allclose(here, there)
    assert np.array_equal(here, data("here"))


def test_reader_of_an_older_version_keeps_the_data(home, anonymous):
    session = {"started": "before", "student": "reader", "versions": {}, "exercises": {}}
    (home / kept.JSON_NAME).write_text(json.dumps({"sessions": [session]}), "utf-8")
    assert student() == "reader"


def test_drawn_name_is_nobody_to_hand_in_for(home, anonymous):
    assert not report(progress=kernel()).hands_in
    set_student("ada")
    assert report(progress=kernel()).hands_in
