"""The command line: it opens the right notebooks and never costs a reader any work."""

import argparse
import importlib.metadata
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.waiting import HANGS, listening_server

from umlbook._threads import ONE_THREAD, limit_children
from umlbook.tools import cli, copies

ROOT = Path(__file__).parent.parent


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A small book, as a wheel would carry it."""
    folder = tmp_path / "site-packages" / "umlbook" / "_notebooks"
    (folder / "exercises").mkdir(parents=True)
    (folder / "00-start-here.ipynb").write_text("start")
    (folder / "exercises" / "01.ipynb").write_text("exercise")
    return folder


@pytest.fixture
def reader(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, the small book installed, JupyterLab not to be started."""
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(copies, "_PACKAGE", book.parent)
    monkeypatch.setattr(cli, "open_jupyterlab", lambda folder, *, browser, port: 0)
    return folder


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> list[str]:
    """Let a reader at a terminal answer every question with the text; return the questions."""
    questions: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: questions.append(prompt) or text)
    return questions


# --- where the notebooks are read


def test_a_checkout_opens_its_own_notebooks(monkeypatch, capsys) -> None:
    opened = []
    monkeypatch.setattr(cli, "open_jupyterlab", lambda folder, **_: opened.append(folder) or 0)
    for folder in (ROOT, ROOT / "notebooks", ROOT / "docs"):
        monkeypatch.chdir(folder)
        assert cli.main([]) == 0
        assert f"notebooks of the checkout itself, {ROOT / 'notebooks'}" in capsys.readouterr().out
    assert opened == 3 * [ROOT / "notebooks"]


def test_an_editable_installation_copies_to_an_empty_folder_elsewhere(
    monkeypatch, tmp_path, capsys
) -> None:
    opened = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "open_jupyterlab", lambda folder, **_: opened.append(folder) or 0)
    assert cli.main([]) == 0
    assert opened == [tmp_path]
    copied = (tmp_path / "00-start-here.ipynb").read_bytes()
    assert copied == (ROOT / "notebooks" / "00-start-here.ipynb").read_bytes()
    assert f"files of the book to {tmp_path}" in capsys.readouterr().out
    assert cli.main([]) == 0
    assert f"Opening your copy of the book in {tmp_path}" in capsys.readouterr().out


def test_kernels_get_one_thread_unless_the_reader_has_said_how_many() -> None:
    environment: dict[str, str] = {}
    limit_children(environment)
    assert environment == ONE_THREAD
    chosen = {"OMP_NUM_THREADS": "4"}
    limit_children(chosen)
    assert chosen == {"OMP_NUM_THREADS": "4"}


def test_a_notebook_limits_its_threads_and_a_library_user_keeps_them() -> None:
    said = "max(l['num_threads'] for l in threadpoolctl.threadpool_info())"
    code = (
        "import threadpoolctl, scipy.linalg, sklearn.cluster; from unittest.mock import patch;"
        "threadpoolctl.threadpool_limits(2);"
        f"import umlbook; umlbook.KernelKMeans; before = {said};"
        "patch('IPython.core.getipython.get_ipython', lambda: object()).start();"
        f"import umlbook._threads; umlbook._threads.limit_kernel(); print(before, {said})"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ONE_THREAD}
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, text=True, env=environment).split() == ["2", "1"]


def test_an_installed_book_is_copied_to_an_empty_folder(reader, capsys) -> None:
    assert cli.main([]) == 0
    assert (reader / "00-start-here.ipynb").read_text() == "start"
    assert (reader / "exercises" / "01.ipynb").read_text() == "exercise"
    assert "Copied 2 files" in capsys.readouterr().out


def test_a_second_start_copies_nothing(reader, capsys) -> None:
    cli.main([])
    capsys.readouterr()
    assert cli.main([]) == 0
    assert capsys.readouterr().out == f"Opening your copy of the book in {reader}\n"


def test_a_folder_in_use_gets_a_subfolder(reader) -> None:
    (reader / "thesis.tex").touch()
    cli.main([])
    assert (reader / copies.SUBFOLDER / "00-start-here.ipynb").exists()
    assert not (reader / "00-start-here.ipynb").exists()


def test_a_virtual_environment_and_hidden_files_leave_a_folder_empty(reader) -> None:
    (reader / "venv").mkdir()
    (reader / "venv" / "pyvenv.cfg").touch()
    (reader / ".python-version").touch()
    assert copies.reading_folder(reader) == reader


def test_the_reader_may_name_the_folder(reader) -> None:
    assert cli.main(["--folder", "my/book"]) == 0
    assert (reader / "my" / "book" / "00-start-here.ipynb").exists()


def test_a_folder_that_cannot_be_written_is_explained(reader, capsys) -> None:
    (reader / "file").touch()
    assert cli.main(["--folder", "file/below"]) == 1
    assert "umlbook --folder PATH" in capsys.readouterr().err


def test_a_package_without_notebooks_is_explained(reader, book, capsys) -> None:
    book.rename(book.with_name("elsewhere"))
    assert cli.main([]) == 1
    assert "--force-reinstall" in capsys.readouterr().err


# --- what happens to a reader's copy when the book is newer


def test_an_unchanged_copy_is_upgraded_in_silence(reader, book, monkeypatch) -> None:
    questions = answer(monkeypatch, "n")
    cli.main([])
    (book / "00-start-here.ipynb").write_text("start, second edition")
    cli.main([])
    assert (reader / "00-start-here.ipynb").read_text() == "start, second edition"
    assert questions == []


def test_a_changed_copy_is_left_alone_while_the_book_is_the_same(reader, monkeypatch) -> None:
    questions = answer(monkeypatch, "y")
    cli.main([])
    (reader / "00-start-here.ipynb").write_text("my notes")
    cli.main([])
    assert (reader / "00-start-here.ipynb").read_text() == "my notes"
    assert questions == []


@pytest.mark.parametrize(
    ("reply", "left"), [("y", "second edition"), ("n", "my notes"), ("", "my notes")]
)
def test_a_changed_copy_is_replaced_only_when_the_reader_says_so(
    reader, book, monkeypatch, reply, left
) -> None:
    cli.main([])
    (reader / "00-start-here.ipynb").write_text("my notes")
    (book / "00-start-here.ipynb").write_text("second edition")
    questions = answer(monkeypatch, reply)
    cli.main([])
    cli.main([])
    assert (reader / "00-start-here.ipynb").read_text() == left
    assert len(questions) == 1  # the answer holds until the book changes again


def test_a_changed_copy_is_kept_where_nobody_can_answer(reader, book, capsys, monkeypatch) -> None:
    cli.main([])
    (reader / "00-start-here.ipynb").write_text("my notes")
    (book / "00-start-here.ipynb").write_text("second edition")
    assert cli.main([]) == 0
    assert (reader / "00-start-here.ipynb").read_text() == "my notes"
    assert "Kept your 00-start-here.ipynb" in capsys.readouterr().out
    questions = answer(monkeypatch, "n")
    cli.main([])
    assert len(questions) == 1


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"sha256": 3}'])
def test_a_damaged_manifest_costs_no_work(reader, book, damage) -> None:
    cli.main([])
    (reader / "00-start-here.ipynb").write_text("my notes")
    (reader / copies.MANIFEST).write_text(damage)
    (book / "00-start-here.ipynb").write_text("second edition")
    cli.main([])
    assert (reader / "00-start-here.ipynb").read_text() == "my notes"


HASHES = st.dictionaries(st.sampled_from("abc"), st.sampled_from("123"))


@given(book=HASHES, reader=HASHES, manifest=HASHES)
def test_no_plan_overwrites_what_only_the_reader_has(book, reader, manifest) -> None:
    plan = copies.copy_plan(book, reader, manifest)
    assert plan.keys() == book.keys()
    for name, action in plan.items():
        the_readers_own = name in reader and reader[name] not in (book[name], manifest.get(name))
        assert (action in ("keep", "ask")) == the_readers_own


# --- JupyterLab


def test_jupyterlab_is_told_folder_page_port_and_browser(tmp_path) -> None:
    for name in ("00-start-here.ipynb", "!before.ipynb"):
        (tmp_path / name).touch()
    arguments = cli.jupyterlab_arguments(tmp_path, browser=False, port=9999)
    assert f"--ServerApp.root_dir={tmp_path}" in arguments
    assert "--LabApp.default_url=/lab/tree/00-start-here.ipynb" in arguments
    assert {"--port=9999", "--no-browser"} <= set(arguments)


def test_jupyterlab_chooses_port_and_browser_itself_unless_told(tmp_path) -> None:
    arguments = cli.jupyterlab_arguments(tmp_path, browser=True, port=None)
    assert not any(word.startswith(("--port", "--no-browser", "--LabApp")) for word in arguments)


def test_the_command_serves_the_notebooks(tmp_path, monkeypatch) -> None:
    for variable in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR"):
        monkeypatch.setenv(f"JUPYTER_{variable}", str(tmp_path / variable))
    monkeypatch.setenv("JUPYTER_TOKEN", "secret")
    command = [sys.executable, "-m", "umlbook", "--no-browser", "--port", "0"]
    log = tmp_path / "log"
    with log.open("wb") as stream:
        server = subprocess.Popen(command, cwd=ROOT, stdout=stream, stderr=stream)
        try:
            info = listening_server(server, tmp_path / "RUNTIME_DIR", log)
            assert info["root_dir"] == str(ROOT / "notebooks")  # it was started in the checkout
            with urllib.request.urlopen(f"{info['url']}lab?token=secret") as page:
                assert page.status == 200
        finally:
            server.terminate()
            server.wait(HANGS)


# --- the words of the command line


def test_help_names_every_command_and_imports_none(capsys) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert all(f"    {name}" in text for name in cli.COMMANDS)
    heavy = "{'matplotlib', 'ipywidgets', 'IPython', 'jupyterlab', 'sklearn', 'numpy'}"
    code = "import sys; from umlbook.tools.cli import build_parser as b; b([]).format_help(); "
    code += f"print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(name, capsys) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"])
    assert end.value.code == 0
    assert f"usage: umlbook {name}" in capsys.readouterr().out


def test_version_is_that_of_the_installation(capsys) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"umlbook {importlib.metadata.version('umlbook')}\n"


@pytest.mark.parametrize("words", [["reed"], ["--port", "http"], ["--port", "65536"]])
def test_a_wrong_word_is_answered_with_what_is_wanted(words, capsys) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 2
    wanted = "doctor" if words == ["reed"] else "0 to 65535"
    error = capsys.readouterr().err
    assert wanted in error
    assert words[-1] in error


def test_a_command_that_does_not_load_breaks_no_other(monkeypatch, capsys) -> None:
    monkeypatch.setitem(cli.COMMANDS, "broken", ("umlbook.no_such_module", "never works"))
    assert cli.main(["bench", "--list"]) == 0
    with pytest.raises(SystemExit) as end:
        cli.main(["broken"])
    assert end.value.code == 2
    assert "no_such_module" in capsys.readouterr().err


def test_an_interrupted_command_ends_quietly(monkeypatch) -> None:
    def interrupted(args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("umlbook.tools.cli.read", interrupted)
    assert cli.main([]) == 130
