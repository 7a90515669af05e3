"""Pictures of chapter 7: told pairs, marks along a cost, starts and ends, counted crosses."""

import numpy as np
import pytest

from umlbook.book import PALETTE, new_figure
from umlbook.book.page.draw_pairs import draw_counted, draw_pair_marks, draw_rolls, draw_told


@pytest.fixture
def ax():
    return new_figure(5, 4)[1]


def test_pairs_have_the_look_of_their_kind_and_samples_that_of_their_group(ax):
    X = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    draw_told(ax, X, [0, 1, 1], ([[1, 2]], [[0, 1]]), ringed=[0])
    together, apart, group, other, ring = ax.get_lines()
    np.testing.assert_array_equal(together.get_xydata(), X[[1, 2]])
    np.testing.assert_array_equal(apart.get_xydata(), X[[0, 1]])
    looks = [(line.get_color(), line.get_linestyle()) for line in (together, apart)]
    assert looks == [(PALETTE[0], "-"), (PALETTE[1], ":")]
    np.testing.assert_array_equal(group.get_xydata(), X[:1])
    np.testing.assert_array_equal(other.get_xydata(), X[1:])
    assert group.get_markerfacecolor() == "none" != other.get_markerfacecolor()
    np.testing.assert_array_equal(ring.get_xydata(), X[:1])


def test_marks_stand_at_the_squared_distances(ax):
    draw_pair_marks(ax, [1.0], [9.0], [5.0, 6.0])
    places = [list(line.get_xdata()) for line in ax.get_lines()]
    assert places == [[1.0], [9.0], [5.0, 6.0]]
    assert len({line.get_marker() for line in ax.get_lines()}) == 3


def test_starts_and_ends_lie_on_the_curve_whose_least_value_is_zero(ax):
    mu = np.linspace(0, 4, 41)
    draw_rolls(ax, mu, (mu - 1) ** 2 + 7, [0.0, 3.0], [1.0, 1.0])
    curve, level, starts, ends = ax.get_lines()
    assert curve.get_ydata().min() == 0
    np.testing.assert_allclose(level.get_xdata(), 1.0)
    np.testing.assert_allclose(starts.get_xydata(), [[0, 1], [3, 4]])
    np.testing.assert_allclose(ends.get_xydata(), [[1, 0], [1, 0]], atol=1e-12)


def test_coinciding_crosses_are_counted_and_single_ones_are_not(ax):
    draw_counted(ax, [0.5, 0.967, 0.967], 2.0, "random")
    (crosses,) = ax.get_lines()
    np.testing.assert_array_equal(crosses.get_ydata(), [2, 2, 2])
    (note,) = ax.texts
    assert (note.get_text(), note.xy) == ("2 of 3", (0.97, 2.0))
