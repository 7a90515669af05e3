"""Noise in the last digits, to find on one machine what another processor would change.

Everything that the book loads or draws is multiplied by 1 + 1e-12 times noise from a seed, a
thousand times what another processor's rounding does. A number, a tie or a rank that this changes
must not be stored or tested: ``umlbook refresh`` refuses it, and ``pytest --jitter 1`` goes red.
"""

import os
from pathlib import Path

VARIABLE = "UMLBOOK_JITTER"
"""Environment variable with the seed; it acts where this folder is on Python's path."""

CHANGES = Path(__file__).with_name("sitecustomize.py")
"""What a Python runs when it starts, if it finds it on its path."""


def environment(seed: int) -> dict[str, str]:
    """Variables with which a Python that is started has the noise of this seed.

    >>> environment(3)["UMLBOOK_JITTER"]
    '3'
    """
    path = [str(CHANGES.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {VARIABLE: str(seed), "PYTHONPATH": os.pathsep.join(path)}
