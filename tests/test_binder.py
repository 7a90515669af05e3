"""A Binder of this repository builds in the right order and opens the first chapter.

The build itself needs a package index and a minute or two: it runs with ``CI=true`` or
``UMLBOOK_BINDER=1``, in a copy of the repository.
"""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.waiting import HANGS, listening_server

ROOT = Path(__file__).parents[1]
BINDER = ROOT / "binder"
PAGE = "notebooks/00-start-here.ipynb"
IN_CI = os.environ.get("CI") == "true"


@pytest.fixture
def copy(tmp_path):
    """The part of the repository that a build reads."""
    folder = tmp_path / "copy"
    ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", ".umlbook*")
    for name in ("binder", "notebooks", "umlbook"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    return folder


# ----------------------------------------------------------------------------- the four files


def test_the_package_is_installed_from_the_repository_and_not_before_it_is_there():
    # A bare "." would be installed from a copy of this one file, before the repository is copied.
    assert (BINDER / "requirements.txt").read_text() == "-e .\n"
    assert re.fullmatch(r"python-3\.\d+\n", (BINDER / "runtime.txt").read_text())


def test_scripts_can_be_run_and_start_becomes_the_server():
    for name in ("postBuild", "start"):
        assert os.access(BINDER / name, os.X_OK), name
        assert (BINDER / name).read_text().startswith("#!/bin/bash\n")
    assert (BINDER / "start").read_text().endswith('exec "$@"\n')


@pytest.mark.skipif(sys.platform == "win32", reason="binder's scripts are for bash")
def test_start_limits_the_threads_of_what_it_starts(tmp_path):
    words = [str(BINDER / "start"), "printenv", "OPENBLAS_NUM_THREADS"]
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_the_badge_opens_the_first_chapter():
    assert f"urlpath=lab/tree/{PAGE}" in (ROOT / "README.md").read_text("utf-8")
    assert (ROOT / PAGE).is_file()


# ------------------------------------------------------------------------------- the Dockerfile


def test_dockerfile_copies_installs_builds_and_starts_in_this_order(copy):
    if importlib.util.find_spec("repo2docker") is None:
        if IN_CI:
            pytest.fail('repo2docker is missing: pip install -e ".[test]"')
        pytest.skip("needs jupyter-repo2docker (in the extra `test`)")
    words = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."]
    done = subprocess.run(words, cwd=copy, capture_output=True, text=True, check=True)
    dockerfile = done.stdout + done.stderr
    wanted = [
        r"COPY \S+ src/ \$\{REPO_DIR\}/",
        r'pip install \S* ?-r "binder/requirements\.txt"',
        r"RUN \./binder/postBuild",
        r'R2D_ENTRYPOINT="\$\{REPO_DIR\}/binder/start"',
    ]
    found = [re.search(pattern, dockerfile) for pattern in wanted]
    assert all(found), dockerfile
    places = [match.start() for match in found]
    assert places == sorted(places), dockerfile
    assert "python=3.12" in dockerfile


# --------------------------------------------------------------------------- a build, emulated


@pytest.fixture
def built(copy, tmp_path):
    """A fresh environment with binder/requirements.txt installed from the repository's root."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["PATH"] = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{environment['PATH']}"
    for name in ("config", "data", "runtime"):
        environment[f"JUPYTER_{name.upper()}_DIR"] = str(tmp_path / name)
    environment |= {"HOME": str(tmp_path), "JUPYTER_TOKEN": "secret"}
    run = {"cwd": copy, "env": environment, "check": True}
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], **run)
    pip = ["python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", "binder/requirements.txt"], **run)
    subprocess.run(["binder/postBuild"], **run)
    return environment


@pytest.mark.skipif(sys.platform == "win32", reason="binder's scripts are for bash")
@pytest.mark.skipif(
    not (IN_CI or os.environ.get("UMLBOOK_BINDER")),
    reason="builds an environment from a package index: set UMLBOOK_BINDER=1 to try it",
)
def test_an_emulated_build_serves_the_first_chapter(copy, built, tmp_path):
    words = ["binder/start", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", "--port=0"]
    words += ["--allow-root"] if os.geteuid() == 0 else []
    log = tmp_path / "log"
    with log.open("wb") as stream:
        server = subprocess.Popen(words, cwd=copy, env=built, stdout=stream, stderr=stream)
        try:
            url = listening_server(server, tmp_path / "runtime", log)["url"]
            for path in (f"lab/tree/{PAGE}", f"api/contents/{PAGE}?content=0"):
                separator = "&" if "?" in path else "?"
                with urllib.request.urlopen(f"{url}{path}{separator}token=secret") as page:
                    assert page.status == 200
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(HANGS) is not None
