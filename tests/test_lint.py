"""The linters are part of the one test command."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent


def complaints(*linter: str) -> str:
    command = [sys.executable, "-m", *linter]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_ruff_finds_nothing_in_code_and_notebooks() -> None:
    assert complaints("ruff", "check") == ""


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0",
    reason="the type hints of older numpy have gaps: types are checked with newer ones",
)
def test_mypy_finds_nothing() -> None:
    assert complaints("mypy") == ""
