"""The wheel carries the book, the sdist can build the wheel, the files about it agree."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SENTINEL = "notebooks/exercises/99-sentinel.ipynb"


def build(source: Path, target: str, folder: Path) -> Path:
    """Build a distribution without fetching anything, and return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with a notebook more and the litter of a working day."""
    copy = tmp_path_factory.mktemp("source") / "umlbook"
    litter = shutil.ignore_patterns(".git", ".venv", "dist", ".*_cache", ".hypothesis", ".umlbook*")
    shutil.copytree(ROOT, copy, ignore=litter)
    (copy / SENTINEL).parent.mkdir(exist_ok=True, parents=True)
    (copy / SENTINEL).write_text("{}")
    checkpoint = copy / "notebooks" / ".ipynb_checkpoints" / "00-checkpoint.ipynb"
    checkpoint.parent.mkdir(exist_ok=True)
    checkpoint.write_text("{}")
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"))


def names(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def test_wheel_carries_every_notebook_and_no_checkpoint(wheel: Path, source: Path) -> None:
    carried = {name for name in names(wheel) if name.endswith(".ipynb")}
    notebooks = {path.relative_to(source) for path in source.glob("notebooks/**/*.ipynb")}
    wanted = {path for path in notebooks if ".ipynb_checkpoints" not in path.parts}
    assert carried == {f"umlbook/_{path.as_posix()}" for path in wanted}
    assert f"umlbook/_{SENTINEL}" in carried


def test_wheel_carries_the_package_its_types_and_its_data_and_nothing_else(
    wheel: Path, source: Path
) -> None:
    tables = {path.relative_to(source).as_posix() for path in source.glob("umlbook/**/*.gz")}
    assert {"umlbook/py.typed", "umlbook/tools/cli.py"} | tables <= names(wheel)
    assert {name.split("/")[0] for name in names(wheel)} == {
        "umlbook",
        f"umlbook-{PROJECT['version']}.dist-info",
    }


def test_sdist_builds_the_same_wheel(wheel: Path, source: Path, tmp_path: Path) -> None:
    sdist = build(source, "sdist", tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / sdist.name.removesuffix(".tar.gz")
    assert names(build(unpacked, "wheel", tmp_path / "wheel")) == names(wheel)


def test_an_editable_install_is_a_path_and_nothing_else(source: Path, tmp_path: Path) -> None:
    code = "import sys, hatchling.build as b; b.build_editable(sys.argv[1])"
    (tmp_path / "out").mkdir()
    command = [sys.executable, "-c", code, str(tmp_path / "out")]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (editable,) = (tmp_path / "out").iterdir()
    content = {name for name in names(editable) if ".dist-info/" not in name}
    assert content == {"_umlbook.pth"}


def test_the_wheel_in_an_empty_folder_copies_the_notebooks(wheel: Path, tmp_path: Path) -> None:
    """The wheel is unpacked, not installed; a JupyterLab that only notes its arguments follows."""
    site, reader = tmp_path / "site", tmp_path / "reader"
    reader.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    code = "from umlbook.tools import cli; "
    code += "cli.open_jupyterlab = lambda folder, **_: print(folder) or 0; "
    code += "raise SystemExit(cli.main([]))"
    environment = os.environ | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=reader, env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == str(reader)
    assert (reader / "exercises" / "99-sentinel.ipynb").exists()


def test_citation_agrees_with_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]


def test_every_requirement_but_the_package_itself_has_a_lower_bound() -> None:
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    unbound = [item for group in groups for item in group if not re.search(r">=\d", item)]
    # With a bound `uv pip compile` would look for umlbook in the registry instead of here.
    assert unbound == ["umlbook[dask,lite,site]"]


def test_ci_and_hooks_run_what_the_tests_run() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    *_, command, jitter = [step.get("run") for step in workflow["jobs"]["test"]["steps"]]
    assert command == ".ci/run"
    assert jitter.endswith("-m pytest -n auto --jitter 1")
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks["repos"][0]["hooks"]] == ["ruff", "mypy"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no executable bit")
@pytest.mark.parametrize("script", [".ci/run", "binder/postBuild", "binder/start"])
def test_scripts_can_be_executed(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
