"""Noise in the last digits finds what another processor would change, and changes nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from umlbook.tools import jitter
from umlbook.tools.authoring import read_script
from umlbook.tools.refresh import RefreshError, refresh

ROOT = Path(__file__).parents[1]
LOOK = """
import json, sys
import numpy as np
rng = np.random.default_rng(0)
from umlbook.datasets import load, make_two_moons
wisconsin = load("breast_wisconsin").data
print(json.dumps({
    "draws": [*rng.normal(size=3), rng.uniform(), rng.random()],
    "again": np.random.default_rng(0).normal(size=3).tolist(),
    "chosen": [int(rng.integers(10**6)), rng.permutation(9).tolist()],
    "table": load("iris").data.tolist(), "made": make_two_moons(20, random_state=0)[0].tolist(),
    "zeros": int(np.sum(load("digits").data == 0)), "rows": len(np.unique(wisconsin, axis=0)),
    "target": load("iris").target.tolist(),
}))
"""


def looked(seed=None):
    """What a fresh Python draws and loads, with the noise of this seed."""
    environment = {k: v for k, v in os.environ.items() if k != jitter.VARIABLE}
    environment |= {} if seed is None else jitter.environment(seed)
    command = [sys.executable, "-c", LOOK]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def plain():
    return looked()


@pytest.mark.parametrize("seed", [1, 2])
def test_every_number_that_is_drawn_or_loaded_moves_in_its_last_digits(plain, seed):
    noisy = looked(seed)
    for what in ("draws", "table", "made"):
        numbers, moved = (flat(look[what]) for look in (plain, noisy))
        gaps = [abs(b - a) / max(abs(a), 1) for a, b in zip(numbers, moved, strict=True)]
        assert max(gaps) < 1e-11 and sum(gap > 0 for gap in gaps) > 0.9 * len(gaps)
    assert noisy == looked(seed), "the noise of one seed is always the same"


def flat(values):
    return [x for row in values for x in (row if isinstance(row, list) else [row])]


def test_choices_zeros_equal_rows_and_classes_stay_as_they_are(plain):
    noisy = looked(1)
    for what in ("chosen", "zeros", "rows", "target"):
        assert noisy[what] == plain[what]
    assert noisy["again"] == noisy["draws"][:3]


STEADY = """\
# %% [markdown]
# A page

# %%
import numpy as np
from umlbook.datasets import load

length = load("iris").data[0, 0]
print(f"The first flower measures {length:.1f} cm")
"""
TIES = {
    "rounding boundary": 'print(f"{length - 0.05:.1f}")',
    "tie": "print(np.argmin([abs(length - 5), abs(5.2 - length)]))",
    "rank": "print(np.linalg.matrix_rank([[length, 1], [5.1, 1]]))",
}


def written(folder, source):
    path = folder / "page.ipynb"
    nbformat.write(read_script(source), path)
    return path


def nbval(path, seed):
    """Exit code of this project's own pytest on one notebook, with the noise of a seed."""
    options = ["-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, f"--rootdir={path.parent}", str(path)]
    environment = os.environ | jitter.environment(seed)
    return subprocess.run(command, env=environment, capture_output=True, cwd=path.parent).returncode


def test_a_page_that_noise_does_not_change_is_stored_and_passes_with_noise(tmp_path):
    path = written(tmp_path, STEADY)
    assert refresh(path)
    assert nbval(path, 2) == 0


@pytest.mark.exact_data
@pytest.mark.parametrize("planted", TIES.values(), ids=TIES)
def test_a_page_on_which_noise_decides_is_not_stored(tmp_path, planted):
    path = written(tmp_path, f"{STEADY}{planted}\n")
    before = path.read_bytes()
    with pytest.raises(RefreshError, match="noise of 1e-12 in the data decides"):
        refresh(path)
    assert path.read_bytes() == before


@pytest.mark.exact_data
def test_a_stored_page_on_which_noise_decides_fails_with_noise(tmp_path, monkeypatch):
    path = written(tmp_path, f"{STEADY}{TIES['rounding boundary']}\n")
    with monkeypatch.context() as patch:
        patch.setattr(jitter, "environment", lambda seed: {})
        assert refresh(path), "without the second run it is stored"
    assert any(nbval(path, seed) == 1 for seed in (1, 2, 3))
