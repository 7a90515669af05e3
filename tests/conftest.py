"""Shared settings of the tests: one BLAS thread, repeatable property tests."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "umlbook", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("umlbook")


@pytest.fixture
def rng():
    """A seeded generator: every draw in a test comes from it."""
    import numpy as np

    return np.random.default_rng(0)
