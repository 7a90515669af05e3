"""Two runs cannot write into one folder, and a run that was killed does not block the next."""

import json
import os
import platform
import subprocess
import sys

import pytest

from umlbook.experiments.engine.lock import NAME, LockedError, locked
from umlbook.tools import cli

STORED = ["reproduce", "cpcm-table-2", "--stored", "--out"]


def dead_process():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def leave_lock(folder, process, host):
    (folder / NAME).write_text(json.dumps({"process": process, "host": host}))


def test_a_second_run_is_told_in_one_sentence_who_is_at_work(tmp_path, capsys):
    leave_lock(tmp_path, os.getppid(), platform.node())
    assert cli.main([*STORED, str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"process {os.getppid()} on {platform.node()} is at work in {tmp_path}" in said
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_folder_is_free_again_after_a_run_even_one_that_failed(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        assert (tmp_path / NAME).exists()
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_a_folder_cannot_be_locked_twice(tmp_path):
    with locked(tmp_path):
        with pytest.raises(LockedError), locked(tmp_path):
            pass
        assert (tmp_path / NAME).exists()


@pytest.mark.skipif(os.name == "nt", reason="whether a process lives is not asked on Windows")
def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    leave_lock(tmp_path, dead_process(), platform.node())
    assert cli.main([*STORED, str(tmp_path)]) == 0
    assert (tmp_path / "cpcm-table-2.csv").exists() and not (tmp_path / NAME).exists()


def test_the_lock_of_an_earlier_process_with_our_number_is_taken_over(tmp_path):
    leave_lock(tmp_path, os.getpid(), platform.node())
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("text", [None, "", "{}"])
def test_a_lock_that_cannot_be_judged_is_left_alone(tmp_path, text):
    if text is None:
        leave_lock(tmp_path, dead_process(), "another host")
    else:
        (tmp_path / NAME).write_text(text)
    before = (tmp_path / NAME).read_text()
    with pytest.raises(LockedError, match=NAME), locked(tmp_path):
        pass
    assert (tmp_path / NAME).read_text() == before


RACE = """
import sys, time
from pathlib import Path
from umlbook.experiments.engine.lock import LockedError, locked
folder = Path(sys.argv[1])
while not (folder / "go").exists():
    time.sleep(0.001)
try:
    with locked(folder):
        (folder / sys.argv[2]).touch()
        while len(list(folder.glob("told*"))) < 3:
            time.sleep(0.001)
except LockedError:
    (folder / f"told{sys.argv[2]}").touch()
"""


@pytest.mark.skipif(os.name == "nt", reason="whether a process lives is not asked on Windows")
def test_of_four_that_find_a_dead_lock_one_takes_it(tmp_path):
    leave_lock(tmp_path, dead_process(), platform.node())
    words = [sys.executable, "-c", RACE, str(tmp_path)]
    runs = [subprocess.Popen([*words, str(number)]) for number in range(4)]
    (tmp_path / "go").touch()
    assert [run.wait(60) for run in runs] == [0] * 4
    assert len([path for path in tmp_path.iterdir() if path.name in "0123"]) == 1
