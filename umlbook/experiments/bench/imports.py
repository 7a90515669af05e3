"""Importing umlbook, against importing sklearn.cluster, each in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from umlbook.experiments.bench.speeds import Speed, interleaved_medians

PEER = "import sklearn.cluster"
OURS = {
    "import umlbook": "import umlbook",
    "import all of umlbook": "from umlbook import *",
}


def rows() -> Iterator[Speed]:
    """Yield the bare import and one that loads every estimator.

    The start of the interpreter itself is taken off all of them.
    """
    codes = ("pass", PEER, *OURS.values())
    bare, peer, *ours = interleaved_medians(*(partial(_interpret, code) for code in codes))
    for what, seconds in zip(OURS, ours, strict=True):
        yield Speed(f"{what} / sklearn.cluster", "", peer - bare, seconds - bare)


def _interpret(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
