"""What the README says is so."""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
READ, TEST = re.findall(r"^```bash\n(.*)\n```$", README, flags=re.MULTILINE)


def test_example_prints_what_is_printed_below_it() -> None:
    code, output = re.findall(r"```(?:python|text)\n(.*?)```", README, flags=re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == output


def test_picture_shows_what_its_text_says() -> None:
    _, sentence = runpy.run_path(str(ROOT / "docs" / "picture.py"))["picture"]()
    assert f"![{sentence}](docs/picture.png)" in README


def test_chapter_is_linked_if_and_only_if_its_notebook_exists() -> None:
    rows = re.findall(r"^\| (\d\d) \| (.*?) \|", README, flags=re.MULTILINE)
    assert [number for number, _ in rows] == [f"{n:02d}" for n in range(14)]
    for number, cell in rows:
        name = re.sub(r"^\[|\].*| \(in preparation\)", "", cell)
        notebook = Path("notebooks") / f"{number}-{name}.ipynb"
        exists = (ROOT / notebook).exists()
        linked, waiting = f"[{name}]({notebook.as_posix()})", f"{name} (in preparation)"
        assert cell == (linked if exists else waiting)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"(notebooks/{path.name})" in README


def test_files_that_the_readme_links_to_exist() -> None:
    local = [link for link in re.findall(r"\]\((.*?)\)", README) if "://" not in link]
    assert local
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_contributing_gives_the_same_test_command() -> None:
    assert f"```bash\n{TEST}\n```" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_both_commands_make_their_own_environment() -> None:
    for command in (READ, TEST):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install -q -e ")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")
def test_ci_script_runs_the_test_command_of_the_readme(tmp_path: Path) -> None:
    """Run it in a copy where every program is a stand-in that only notes its arguments."""
    log = tmp_path / "log"
    note = f'#!/bin/sh\necho "${{0##*/}} $*" >> "{log}"\n'
    venv = 'for p in pip python; do cp "$0.note" .venv/bin/$p; done\n'
    stand_ins = {"apt-get": note, "sudo": note, "python3.note": note, "python3": note + venv}
    for folder in ("bin", "repo/.ci", "repo/.venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    for name, script in stand_ins.items():
        (tmp_path / "bin" / name).write_text(script)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "repo" / "README.md").write_text(README, encoding="utf-8")
    script = tmp_path / "repo" / ".ci" / "run"
    script.write_text((ROOT / ".ci" / "run").read_text(encoding="utf-8"))

    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    subprocess.run(["bash", str(script)], env=environment, check=True, capture_output=True)

    *_, venv_line, pip_line, pytest_line = log.read_text().splitlines()
    assert venv_line == "python3 -m venv .venv"
    assert pip_line == "pip install -q -e .[test]"
    assert pytest_line == "python -m pytest -n auto"
