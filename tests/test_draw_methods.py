"""Each method looks the same in every picture, and names beside lines do not overlap."""

import numpy as np
import pytest

from umlbook.book.page.draw_methods import (
    draw_methods,
    method_look,
    name_lines,
    spread_out,
)
from umlbook.book.page.figures import new_figure
from umlbook.experiments.engine.storage import stored

TOGETHER = (
    ("k-means", "CPCM", "Gaussian mixture", "CPD-UML", "bent metric"),
    ("k-means", "AML", "CPCM", "Gaussian mixture", "bent metric"),
    ("k-means", "spectral clustering", "CPD-UML", "bent metric"),
    ("k-means", "SpectralKMeans", "AML", "CPCM"),
    tuple(dict.fromkeys(row["method"] for row in stored("landmarks"))),
)
"""The methods of each picture of chapter 8."""


@pytest.mark.parametrize("names", TOGETHER, ids="-".join)
def test_methods_of_a_picture_differ_in_their_markers_and_in_colour_or_dash(names):
    looks = [method_look(name) for name in names]
    assert len({look["marker"] for look in looks}) == len(names)
    assert len({(look["color"], str(look["linestyle"])) for look in looks}) == len(names)


def test_lines_and_names_have_the_look_of_their_method():
    _, ax = new_figure(4, 3)
    draw_methods(ax, {name: ([0, 1], [0, k]) for k, name in enumerate(TOGETHER[0])})
    name_lines(ax, TOGETHER[0], 1.1, range(5), 0.5, [f"{name}!" for name in TOGETHER[0]])
    for name, line, text in zip(TOGETHER[0], ax.get_lines(), ax.texts, strict=True):
        assert (line.get_color(), line.get_marker()) == tuple(method_look(name).values())[:2]
        assert text.get_color() == line.get_color() and text.get_text() == f"{name}!"


def test_names_that_stand_too_close_are_moved_apart_around_their_middle():
    heights = np.random.default_rng(0).uniform(size=12)
    placed = spread_out(heights, 0.05)
    assert np.all(np.diff(np.sort(placed)) > 0.05 - 1e-9)
    assert np.argsort(placed).tolist() == np.argsort(heights).tolist()
    assert placed.mean() == pytest.approx(heights.mean())
    apart = np.array([0.9, 0.1, 0.5])
    assert spread_out(apart, 0.1).tolist() == apart.tolist()
