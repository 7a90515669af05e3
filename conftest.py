"""Shared settings of all tests, the notebooks' included.

One BLAS thread, repeatable property tests, and no progress report beside the notebooks.
"""

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# Set before anything loads numpy, which reads the number of threads only once.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("UMLBOOK_PROGRESS", tempfile.mkdtemp(prefix="umlbook-"))

settings.register_profile(
    "umlbook", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("umlbook")


@pytest.fixture
def rng():
    """A seeded generator: every draw in a test comes from it."""
    import numpy as np

    return np.random.default_rng(0)
