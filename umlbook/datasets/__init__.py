"""The data sets of the book: tables and images by name, synthetic sets by function.

``load("wine")`` gives a table as a scikit-learn ``Bunch``; ``names()`` lists what can be loaded.
``make_two_moons`` and the other ``make_`` functions draw the synthetic sets of the papers from a
seed. Nothing here uses the network; ``SOURCES.md`` beside this file says where each table comes
from.
"""

from umlbook.datasets.images import MissingExtraError
from umlbook.datasets.loading import load, names
from umlbook.datasets.synthetic import (
    make_circle,
    make_cross,
    make_noisy_lines,
    make_parallel_lines,
    make_rings,
    make_two_moons,
)

__all__ = [
    "MissingExtraError",
    "load",
    "make_circle",
    "make_cross",
    "make_noisy_lines",
    "make_parallel_lines",
    "make_rings",
    "make_two_moons",
    "names",
]
