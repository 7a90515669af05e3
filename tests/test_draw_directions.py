"""The pictures of canonical directions: what they say is so."""

import numpy as np
import pytest

from umlbook.algebra import total_scatter, within_scatter
from umlbook.book import new_figure
from umlbook.book.page.draw_directions import (
    canonical_directions,
    canonical_views,
    draw_canonical,
    draw_left_end,
    draw_rods,
    draw_two_on_means,
)

LABELS = np.repeat([0, 1, 2], 20)
X = np.random.default_rng(0).normal(size=(60, 2)) @ [[2.0, 1.0], [0.0, 0.5]] + LABELS[:, None]


def test_the_views_whiten_and_then_turn():
    measured, whitened, turned = canonical_views(X, LABELS)
    assert np.array_equal(measured, np.eye(2))
    for M in (whitened, turned):
        assert np.allclose(total_scatter(X @ M), 60 * np.eye(2))
    within = within_scatter(X @ turned, LABELS)
    assert within[0, 1] == pytest.approx(0, abs=1e-9)
    assert within[0, 0] < within[1, 1]
    turn = np.linalg.solve(whitened, turned)
    assert np.allclose(turn @ turn.T, np.eye(2))
    assert np.linalg.det(turn) == pytest.approx(1)  # no mirror
    assert np.allclose(turned, canonical_directions(X, LABELS))


def test_the_arrows_of_the_last_panel_lie_along_the_axes():
    _, axes = new_figure(9, 3, ncols=3)
    draw_canonical(axes, X, LABELS)
    tips = [text.get_position() for text in axes[2].texts if "b_" in text.get_text()]
    assert tips[0][1] == pytest.approx(0, abs=1e-9)
    assert tips[1][0] == pytest.approx(0, abs=1e-9)


def test_the_left_end_writes_the_balance_points():
    _, ax = new_figure()
    draw_left_end(ax, 0.02, 1.0, {"one": 0.01, "other": 0.02})
    said = {text.get_text() for text in ax.texts}
    assert {"0.030", "0.040", "99.0%", "2.0% at 1.00 →"} <= said


def test_rods_write_the_balance_point_of_each_row():
    _, ax = new_figure()
    draw_rods(ax, {"even": ([0.1, 0.5], [2, 2]), "one": ([0.2, 1.0], [1, 0])})
    assert [text.get_text() for text in ax.texts] == ["0.300", "0.200"]


def test_the_smaller_of_two_means_is_filled():
    _, ax = new_figure()
    draw_two_on_means(ax, {"least": (0.1, 0.2), "mean": (0.5, 0.2)}, ["a", "b"])
    filled = [
        line.get_markerfacecolor() != "white" for line in ax.lines if line.get_marker() in "os"
    ]
    assert filled == [True, False, False, True]
