"""``umlbook doctor`` finds what is wrong and names the command that fixes it."""

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

from umlbook.tools import cli, copies, doctor


def wrong(check) -> list[doctor.Finding]:
    return [finding for finding in check() if not finding.ok]


def test_this_environment_is_well(capsys) -> None:
    assert cli.main(["doctor"]) == 0, capsys.readouterr().out
    out = capsys.readouterr().out
    assert out.endswith("All is well.\n")
    for name in ("Python", "numpy", "arithmetic", "kernel", "widgets", "font", "notebooks"):
        assert f"ok     {name}: " in out


def test_something_wrong_is_printed_with_its_cure_and_exit_code_1(monkeypatch, capsys) -> None:
    sick = doctor.Finding("patient", "has a fever", "drink water")
    monkeypatch.setattr(doctor, "CHECKS", (lambda: iter([sick]),))
    assert cli.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "WRONG  patient: has a fever\n       fix it with: drink water\n" in out


@pytest.mark.parametrize(
    ("requirement", "says"),
    [("numpy>=999", "wanted >=999"), ("no-such-package>=1", "not installed, wanted >=1")],
)
def test_a_package_too_old_or_missing_is_to_be_installed(monkeypatch, requirement, says) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: [requirement])
    (finding,) = wrong(doctor.versions)
    assert says in finding.says
    assert "pip install" in finding.fix
    assert finding.fix.endswith(f'"{requirement}"')


def test_arithmetic_names_each_library_that_computes_and_numpys_features() -> None:
    found = list(doctor.arithmetic())
    assert all(finding.ok and finding.name == "arithmetic" for finding in found)
    says = [finding.says for finding in found]
    assert len(says) == len(threadpool_info()) + 1
    for library, words in zip(threadpool_info(), says, strict=False):
        assert words.startswith(f"{library['internal_api']} {library['version'] or 'of unknown'}")
        assert library.get("architecture", "") in words
        assert f", {library['num_threads']} thread" in words
    assert says[-1].startswith("numpy built for ")


@pytest.mark.parametrize(
    ("library", "words"),
    [
        (
            {
                "filepath": "/env/numpy.libs/libscipy_openblas64_.so",
                "internal_api": "openblas",
                "version": "0.3.31",
                "architecture": "Haswell",
                "num_threads": 2,
            },
            "openblas 0.3.31 of numpy with kernels for Haswell, 2 threads",
        ),
        (
            {
                "filepath": "/usr/lib/libgomp.so.1",
                "internal_api": "openmp",
                "version": None,
                "num_threads": 1,
            },
            f"openmp of unknown version ({Path('/usr/lib/libgomp.so.1')}), 1 thread",
        ),
    ],
    ids=["with kernels", "without"],
)
def test_a_library_is_said_with_owner_version_kernels_and_threads(library, words) -> None:
    assert doctor._library_words(library) == words


def test_packages_of_extras_are_not_missed(monkeypatch) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: ["nope; extra == 'test'"])
    assert list(doctor.versions()) == []


def test_a_check_whose_subject_cannot_be_imported_finds_that(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(doctor, "CHECKS", (doctor.fonts,))
    (finding,) = doctor.findings()
    assert finding.name == "fonts"
    assert finding.fix.endswith('"matplotlib"')


def test_the_cure_is_one_of_uv_where_there_is_no_pip(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", "/a b/python")
    assert doctor._install("--force-reinstall x") == (
        'uv pip install --python "/a b/python" --force-reinstall "x"'
    )


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit", "does not start"),
        (
            "import sys; sys.modules['umlbook'] = None\n"
            "from ipykernel import kernelapp; kernelapp.launch_new_instance(sys.argv[1:])",
            "ModuleNotFoundError",
        ),
    ],
    ids=["dead", "of another Python"],
)
def test_a_kernel_that_is_not_ours_is_found(tmp_path, monkeypatch, code, says) -> None:
    folder = tmp_path / "kernels" / "python3"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-c", code, "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "other", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    (finding,) = wrong(doctor.kernel)
    assert says in finding.says
    assert "ipykernel install" in finding.fix


def test_widgets_switched_off_are_found(tmp_path, monkeypatch) -> None:
    config = tmp_path / "labconfig" / "page_config.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"disabledExtensions": {doctor.WIDGETS: True}}))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    (finding,) = wrong(doctor.widgets)
    assert "labextension enable" in finding.fix


def test_a_missing_widget_extension_is_found(monkeypatch) -> None:
    monkeypatch.setattr("jupyterlab_server.config.get_federated_extensions", lambda paths: {})
    (finding,) = wrong(doctor.widgets)
    assert "jupyterlab_widgets" in finding.fix


def test_a_missing_font_and_a_locked_cache_are_found(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "FONTS", ("No Such Font",))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    font, cache = wrong(doctor.fonts)
    assert "No Such Font" in font.says
    assert "MPLCONFIGDIR" in cache.fix


def test_an_installation_without_notebooks_is_found(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(copies, "_PACKAGE", tmp_path / "umlbook")
    (finding,) = wrong(doctor.notebooks)
    assert "--force-reinstall" in finding.fix
