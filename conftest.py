"""Shared settings of all tests, the notebooks' included.

One BLAS thread, repeatable property tests, and no progress report beside the notebooks.
"""

import os
import runpy
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# Set before anything loads numpy, which reads the number of threads only once.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# Not setdefault: the processes of pytest-xdist would inherit the folder and share it.
PROGRESS = os.environ["UMLBOOK_PROGRESS"] = tempfile.mkdtemp(prefix="umlbook-")
os.environ["UMLBOOK_STUDENT"] = "reader"  # whose data the stored pages show

settings.register_profile(
    "umlbook", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("umlbook")

collect_ignore = ["tests/support/pyodide_driver.py"]  # it can be imported in a web page only


def pytest_addoption(parser):
    parser.addoption(
        "--jitter",
        type=int,
        metavar="SEED",
        help="multiply all data by 1 + 1e-12 times noise from this seed: nothing may change",
    )
    parser.addoption(
        "--lite-all",
        action="store_true",
        help="run the long chapters, too, in the Python of a browser (test_lite_node.py)",
    )
    parser.addoption(
        "--wrong-all",
        action="store_true",
        help="judge all mechanical wrong answers, and compare docs/wrong-answers.md as a whole",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "exact_data: about the data as they are; not with --jitter")
    if config.getoption("jitter") is not None:
        from umlbook.tools import jitter

        os.environ.update(jitter.environment(config.getoption("jitter")))
        runpy.run_path(str(jitter.CHANGES))


def pytest_runtest_setup(item):
    if item.config.getoption("jitter") is not None and item.get_closest_marker("exact_data"):
        pytest.skip("the data are not as they are")
    # A notebook that is run in this folder finds no progress of another's.
    os.environ["UMLBOOK_PROGRESS"] = os.path.join(PROGRESS, item.path.parent.name, item.path.stem)


def pytest_collection_modifyitems(items):
    """Give nbval a minute for the outputs of a cell that has run; it takes five seconds at most."""
    for item in items:
        if hasattr(item, "output_timeout"):
            item.output_timeout = 60


@pytest.fixture
def rng():
    """A seeded generator: every draw in a test comes from it."""
    import numpy as np

    return np.random.default_rng(0)
