"""Run the tests of this checkout as other machines would: ``python tests/machines.py``.

A rounded number in a notebook must not depend on the processor, the number of threads, the load or
the versions below it. One machine can stand in for many: OpenBLAS and numpy can be told which of
their kernels to take, and each Python gets a virtual environment of its own.

An environment that this machine does not have is named in the table with the reason. It is never
replaced by another one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]

# OpenBLAS reports the first name of a kernel table. Builds without the oldest processors use the
# table of Prescott for Katmai too.
KERNELS = {
    "Prescott": {"Prescott", "Katmai"},
    "Sandybridge": {"Sandybridge"},
    "Haswell": {"Haswell"},
    "Zen": {"Zen"},
    "SkylakeX": {"SkylakeX"},
}
AVX512 = {"AVX512_SKX", "X86_V4"}  # numpy's names, up to 2.3 and from 2.4 on
BEYOND_AVX = re.compile("AVX2|AVX512.*|FMA3|X86_V3|X86_V4")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PYTHONS = ("3.12", "3.13", "3.14")
OLDEST_PYTHON = "3.11"  # the lower bounds in pyproject.toml were tried with it

# Files of tests/ whose outcome does not depend on arithmetic.
NOT_NUMERIC = (
    "accessibility",
    "binder",
    "browser_beyond",
    "browser_papers",
    "cli",
    "doctor",
    "grade",
    "hand_in",
    "lint",
    "machines",
    "nbgrader",
    "packaging",
    "readme",
    "release",
    "site",
)

PROBE = """
import json
import numpy, scipy.linalg, threadpoolctl
try:
    from numpy._core import _multiarray_umath as core
except ImportError:
    from numpy.core import _multiarray_umath as core
libraries = threadpoolctl.threadpool_info()
print(json.dumps({
    "kernels": [x["architecture"] for x in libraries if x["internal_api"] == "openblas"],
    "features": [name for name, found in core.__cpu_features__.items() if found],
    "dispatched": list(core.__cpu_dispatch__),
}))
"""


@dataclass(frozen=True)
class Arithmetic:
    """What a Python computes with: OpenBLAS's kernels and the processor features numpy uses."""

    kernels: tuple[str, ...] = ()
    features: frozenset[str] = frozenset()
    dispatched: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Environment:
    """One row of the table, and what to set up before pytest runs."""

    name: str
    about: str
    variables: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()  # of pytest
    kernel: str = ""  # that OpenBLAS must have taken
    without: tuple[str, ...] = ()  # processor features that numpy must not use
    spinning: int = 0  # processes that keep the processor busy
    fresh: bool = False  # in a virtual environment of its own
    python: str = ""  # its version, empty for the one that runs this script
    oldest: bool = False  # with the oldest versions that pyproject.toml allows
    absent: str = ""  # why this machine cannot have it


@dataclass(frozen=True)
class Result:
    """What one environment gave: counts, the ids of failed tests, and a note if it did not run."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()
    note: str = ""
    minutes: float | None = None  # None if pytest was not started
    wrong: bool = False  # something went wrong, in a test or before the first one


@dataclass(frozen=True)
class Folders:
    """Where virtual environments and logs are kept."""

    cache: Path
    logs: Path


class Absent(Exception):
    """This machine does not have the environment; the message says why."""


class SetUpError(Exception):
    """The environment should be there but could not be set up; the message says where to look."""


# ---------------------------------------------------------------------------- the environments


def environments(native: Arithmetic, cores: int) -> list[Environment]:
    """Return every environment; those that this processor cannot have say why."""
    wide = native.features & native.dispatched
    without = tuple(sorted(name for name in wide if BEYOND_AVX.fullmatch(name)))
    return [
        Environment("native", "as it is, with one BLAS thread"),
        *(
            Environment(
                name,
                f"OpenBLAS with its kernels for {name}",
                {"OPENBLAS_CORETYPE": name},
                kernel=name,
                # OpenBLAS takes these kernels without looking, and dies of an illegal instruction.
                absent="not on this processor"
                if name == "SkylakeX" and not native.features & AVX512
                else "",
            )
            for name in KERNELS
        ),
        Environment(
            "no-AVX2",
            "numpy without its code for AVX2 and later",
            {"NPY_DISABLE_CPU_FEATURES": " ".join(without)},
            without=without,
            absent="" if without else "not on this processor",
        ),
        Environment("two-threads", "two BLAS threads", dict.fromkeys(THREADS, "2")),
        Environment("busy", "twice as many spinning processes as cores", spinning=2 * cores),
        *(
            Environment(f"jitter-{n}", f"pytest --jitter {n}", options=("--jitter", str(n)))
            for n in (1, 2, 3)
        ),
        Environment(
            "oldest",
            f"the oldest allowed versions, on Python {OLDEST_PYTHON}",
            fresh=True,
            python=OLDEST_PYTHON,
            oldest=True,
        ),
        Environment("newest", "the newest versions, on this Python", fresh=True),
        *(
            Environment(f"python{v}", f"the newest versions, on Python {v}", fresh=True, python=v)
            for v in PYTHONS
        ),
    ]


def chosen(known: Iterable[Environment], names: Sequence[str]) -> list[Environment]:
    """Return the environments with these names, all for none; ``jitter`` means every jitter row."""
    known = list(known)
    for name in names:
        if not any(_is_called(environment, name) for environment in known):
            raise ValueError(
                f"there is no environment {name!r}; "
                f"there are {', '.join(environment.name for environment in known)}"
            )
    return [e for e in known if not names or any(_is_called(e, name) for name in names)]


def _is_called(environment: Environment, name: str) -> bool:
    return environment.name == name or environment.name.startswith(f"{name}-")


# ------------------------------------------------------------- what an environment really computes


def arithmetic(python: str, variables: Mapping[str, str]) -> Arithmetic:
    """Return what numpy and scipy use in a Python that is started with these variables."""
    command = [python, "-c", PROBE]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode:
        raise Absent((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
    seen = json.loads(done.stdout)
    return Arithmetic(
        tuple(seen["kernels"]), frozenset(seen["features"]), frozenset(seen["dispatched"])
    )


def assert_taken(environment: Environment, python: str) -> None:
    """Raise ``Absent`` if the kernels or features that the row is named after are not in use."""
    if environment.kernel:
        taken = arithmetic(python, environment.variables).kernels
        if not taken:
            raise Absent("numpy and scipy do not use OpenBLAS here")
        if not set(taken) <= KERNELS[environment.kernel]:
            raise Absent(f"this OpenBLAS takes {' and '.join(sorted(set(taken)))} instead")
    if environment.without:
        try:
            left = arithmetic(python, environment.variables).features & set(environment.without)
        except Absent as error:
            raise Absent(f"not with this numpy: {error}") from None
        if left:
            raise Absent(f"not with this numpy: it still uses {', '.join(sorted(left))}")


@contextmanager
def spinning(number: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep this many processes busy inside the block; none is left after it, whatever happens."""
    # A process whose parent was killed has another one: then it ends by itself.
    code = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(number):
            processes.append(subprocess.Popen([sys.executable, "-c", code, str(os.getpid())]))
        yield processes
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


# --------------------------------------------------------------------------------------- Pythons


def found_python(version: str, given: Mapping[str, str]) -> str:
    """Return an interpreter of this version: the given one, one on the PATH, or one of pyenv."""
    candidates = [given.get(version), shutil.which(f"python{version}"), _pyenv_python(version)]
    if version == "{}.{}".format(*sys.version_info):
        candidates.insert(1, sys.executable)
    code = "import sys; print('{}.{}'.format(*sys.version_info), sys.executable)"
    for candidate in filter(None, candidates):
        try:  # pyenv puts commands on the PATH that only say that the version is not switched on
            done = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
        except OSError:
            continue
        reported, _, executable = done.stdout.strip().partition(" ")
        if reported == version:
            return executable
    raise Absent(f"no python{version} found")


def _pyenv_python(version: str) -> str | None:
    """Return pyenv's interpreter of this version, None if there is no pyenv or no such version."""
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return None
    done = subprocess.run([pyenv, "prefix", version], capture_output=True, text=True)
    return str(Path(done.stdout.strip(), "bin", "python")) if done.returncode == 0 else None


def fresh_python(environment: Environment, base: str, cache: Path, log: Path) -> str:
    """Return the Python of a virtual environment into which this checkout was installed."""
    folder = cache / environment.name
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = (python, "-m", "pip", "install", "-q")
    variables: dict[str, str] = {}
    with log.open("w", encoding="utf-8") as output:
        if not Path(python).exists():
            _run([base, "-m", "venv", str(folder)], variables, output)
        if environment.oldest:
            variables["PIP_CONSTRAINT"] = str(folder / "oldest.txt")
            if shutil.which("uv") is None:
                _run([*pip, "uv"], {}, output)
            uv = ["uv"] if shutil.which("uv") else [python, "-m", "uv"]
            lowest = ["--resolution", "lowest-direct", "--strip-extras", "--extra", "test"]
            files = ["pyproject.toml", "-o", variables["PIP_CONSTRAINT"]]
            _run([*uv, "pip", "compile", "-q", "--python", python, *lowest, *files], {}, output)
        newest = [] if environment.oldest else ["--upgrade", "--upgrade-strategy", "eager"]
        _run([*pip, *newest, "-e", ".[test]"], variables, output)
    return python


def _run(command: Sequence[str], variables: Mapping[str, str], output: TextIO) -> None:
    """Run a command of the installation in the checkout, and write down what it says."""
    print("+", *command, file=output, flush=True)
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        raise SetUpError(f"could not be installed: see {output.name}")


# ----------------------------------------------------------------------------------------- a run


PROCESSES = ("-n", "2")


def pytest_command(python: str, options: Sequence[str], report: Path) -> list[str]:
    """Return the command that runs pytest and writes a JUnit report."""
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PROCESSES]
    # Of the two forms of the report only this one names the file of a test.
    command += ["-o", "junit_family=xunit1", f"--junitxml={report}"]
    return [*command, *options]


def counts(name: str, report: Path, code: int, minutes: float) -> Result:
    """Return the result of a pytest run from its JUnit report and its exit code."""
    if not report.exists():
        return Result(name, note=f"pytest gave up, code {code}", minutes=minutes, wrong=True)
    cases = list(ElementTree.parse(report).iter("testcase"))
    skipped = sum(case.find("skipped") is not None for case in cases)
    bad = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    unexplained = code != 0 and not bad  # no test was found, or pytest itself broke
    return Result(
        name,
        passed=len(cases) - skipped - len(bad),
        failed=len(bad),
        skipped=skipped,
        failures=tuple(_test_id(case) for case in bad),
        note=f"pytest ended with code {code}" if unexplained else "",
        minutes=minutes,
        wrong=bool(bad or unexplained),
    )


def _test_id(case: ElementTree.Element) -> str:
    """Return the id with which pytest runs this test again."""
    file, owner, name = (case.get(key, "") for key in ("file", "classname", "name"))
    module = re.sub(r"\.py$", "", file).replace("/", ".")
    inner = owner.removeprefix(module).strip(".") if owner.startswith(module) else ""
    return "::".join(filter(None, (file, inner, name)))


def result(
    environment: Environment, options: Sequence[str], given: Mapping[str, str], folders: Folders
) -> Result:
    """Return what the tests gave in this environment, or why they were not run."""
    log, report = (folders.logs / f"{environment.name}{end}" for end in (".log", ".xml"))
    report.unlink(missing_ok=True)
    try:
        if environment.absent:
            raise Absent(environment.absent)
        python = sys.executable
        if environment.python:
            python = found_python(environment.python, given)
        if environment.fresh:
            print(f"{environment.name}: installing", flush=True)
            python = fresh_python(
                environment, python, folders.cache, folders.logs / f"{environment.name}-install.log"
            )
        assert_taken(environment, python)
    except Absent as error:
        return Result(environment.name, note=str(error))
    except SetUpError as error:
        return Result(environment.name, note=str(error), wrong=True)
    command = pytest_command(python, [*environment.options, *options], report)
    # Notebooks have a folder of their own and would import an installed umlbook, perhaps another.
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment.variables}
    print(f"{environment.name}: running, see {log}", flush=True)
    begin = time.monotonic()
    with log.open("w", encoding="utf-8") as output, spinning(environment.spinning):
        done = subprocess.run(
            command, cwd=ROOT, env=variables, stdout=output, stderr=subprocess.STDOUT
        )
    return counts(environment.name, report, done.returncode, (time.monotonic() - begin) / 60)


# -------------------------------------------------------------------------------------- the table


def table(results: Iterable[Result]) -> str:
    """Return the results as a Markdown table, and below it the ids of the tests that failed."""
    results = list(results)
    rows = [["environment", "passed", "failed", "skipped", "minutes", "note"]]
    for r in results:
        numbers = ["", "", "", ""]
        if r.minutes is not None:
            numbers = [str(r.passed), str(r.failed), str(r.skipped), f"{r.minutes:.1f}"]
        rows.append([r.name, *numbers, r.note])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = ("<", ">", ">", ">", ">", "<")

    def line(row: Iterable[str]) -> str:
        cells = (f"{c:{a}{w}}" for c, a, w in zip(row, aligned, widths, strict=True))
        return f"| {' | '.join(cells)} |"

    rule = [
        "-" * (w - 1) + (":" if a == ">" else "-") for a, w in zip(aligned, widths, strict=True)
    ]
    lines = [line(rows[0]), line(rule), *map(line, rows[1:])]
    for r in results:
        if r.failures:
            lines += ["", f"failed in {r.name}:", *(f"  {test}" for test in r.failures)]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------ the command


def parser() -> argparse.ArgumentParser:
    """Return the command line without what follows ``--``."""
    made = argparse.ArgumentParser(
        description="Run the tests of this checkout as other machines would, and print a table.",
        epilog="Everything after -- goes to pytest: -- tests/test_naml.py -k trace",
    )
    made.add_argument("names", nargs="*", metavar="ENVIRONMENT", help="which to run, default all")
    made.add_argument("--list", action="store_true", help="only print the environments")
    made.add_argument(
        "--numeric",
        action="store_true",
        help="leave out the test files that arithmetic cannot change: " + ", ".join(NOT_NUMERIC),
    )
    made.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="VERSION=PATH",
        help="an interpreter that is not found by itself, as 3.14=/opt/python3.14/bin/python3",
    )
    made.add_argument(
        "--cache",
        type=Path,
        help="a folder where the virtual environments stay for the next time, default none",
    )
    made.add_argument(
        "--logs", type=Path, help="a folder for pytest's output, default a new temporary one"
    )
    return made


def main(words: Sequence[str]) -> int:
    """Run the environments that the words name; return 1 if anything failed, 130 after Ctrl-C."""
    own, options = list(words), []
    if "--" in own:
        where = own.index("--")
        own, options = own[:where], own[where + 1 :]
    command = parser()
    args = command.parse_args(own)
    try:
        native = arithmetic(sys.executable, {})
    except Absent as reason:
        command.error(f"{reason}: run it with the Python of an environment that has umlbook[test]")
    try:
        wanted = chosen(environments(native, os.cpu_count() or 1), args.names)
    except ValueError as error:
        command.error(str(error))
    if any("=" not in pair for pair in args.python):
        command.error(f"--python {' '.join(args.python)}: wanted VERSION=PATH, as 3.14=/usr/bin/py")
    given = dict(pair.split("=", 1) for pair in args.python)
    if args.list:
        for environment in wanted:
            why = f" ({environment.absent})" if environment.absent else ""
            print(f"{environment.name:12} {environment.about}{why}")
        return 0
    if args.numeric:
        options = [*(f"--ignore=tests/test_{name}.py" for name in NOT_NUMERIC), *options]
    logs = args.logs or Path(tempfile.mkdtemp(prefix="umlbook-machines-"))
    logs.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    stopped = False
    with tempfile.TemporaryDirectory(prefix="umlbook-pythons-") as temporary:
        folders = Folders((args.cache or Path(temporary)).resolve(), logs.resolve())
        try:
            for environment in wanted:
                results.append(result(environment, options, given, folders))
                print(f"{environment.name}: {summary(results[-1])}", flush=True)
        except KeyboardInterrupt:
            stopped = True
    print(f"\n{table(results)}")
    return 130 if stopped else int(any(r.wrong for r in results))


def summary(r: Result) -> str:
    """Return a result in a few words."""
    if r.minutes is None:
        return r.note
    return f"{r.passed} passed, {r.failed} failed, {r.skipped} skipped {r.note}".strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
