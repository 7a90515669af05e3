"""Pictures of pairs: links, the plane of pairs with its lines, intervals that hide nothing."""

import numpy as np
import pytest

from umlbook.book import PALETTE, new_figure
from umlbook.book.page.draw_margins import draw_intervals, draw_links, draw_pair_plane


@pytest.fixture
def ax():
    return new_figure(5, 4)[1]


def test_links_join_their_points_solid_together_and_dotted_apart(ax):
    X = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    draw_links(ax, X, [[0, 1]], [[1, 2]])
    together, apart = ax.get_lines()
    np.testing.assert_array_equal(together.get_xydata(), X[[0, 1]])
    np.testing.assert_array_equal(apart.get_xydata(), X[[1, 2]])
    assert (together.get_linestyle(), apart.get_linestyle()) == ("-", ":")


@pytest.mark.parametrize(("theta", "mu"), [((0.3, 0.7), 1.1), ((2.0, 0.0), 3.0), ((0.0, 1.0), 0.5)])
def test_the_line_of_a_metric_crosses_the_plane_where_the_distance_is_the_threshold(ax, theta, mu):
    v = np.random.default_rng(0).exponential(size=(30, 2)) * 3
    kinds = np.arange(30) % 3 - 1
    draw_pair_plane(ax, v, kinds, {"metric": (theta, mu)})
    (line,) = ax.get_lines()
    ends = line.get_xydata()
    np.testing.assert_allclose(ends @ theta, mu)
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    assert np.any((ends < low) | (ends > high), axis=1).all(), "the line ends outside the picture"
    assert sum(len(marks.get_offsets()) for marks in ax.collections) == 30


def test_intervals_of_one_row_stand_below_one_another(ax):
    series = {"one": ([0.1, 0.2], [0.05, 0.05]), "two": ([0.1, 0.2], [0.05, 0.05])}
    draw_intervals(ax, ["first", "second"], series)
    places = [bars.lines[0].get_ydata() for bars in ax.containers]
    assert np.min(np.abs(places[0] - places[1])) > 0.1
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    top, bottom = ax.transData.transform([(0, 0), (0, 1)])[:, 1]
    assert top > bottom


def test_intervals_begin_with_the_look_that_is_asked_for(ax):
    draw_intervals(ax, ["row"], {"one": ([0.1], [0.1]), "two": ([0.2], [0.1])}, first_look=3)
    assert [bars.lines[0].get_color() for bars in ax.containers] == list(PALETTE[3:5])
