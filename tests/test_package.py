"""What ``import umlbook`` gives, and what it must not load."""

import subprocess
import sys

import pytest

import umlbook

HEAVY = ("matplotlib", "ipywidgets", "IPython", "jupyterlab", "tqdm")


def test_import_loads_no_plotting_widgets_or_jupyter():
    code = f"import umlbook, sys; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_estimators_load_none_of_it_either():
    code = f"from umlbook import *; import sys; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", umlbook.__all__)
def test_every_public_estimator_is_available_by_its_name(name):
    assert getattr(umlbook, name).__name__ == name


def test_modules_and_version_are_available_too():
    assert umlbook.scores.purity([0, 1], [0, 1]) == 1.0
    assert umlbook.__version__.count(".") == 2
    assert {"scores", "CPCM", "__version__"} <= set(dir(umlbook))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'KMeans'"):
        umlbook.KMeans  # noqa: B018
