"""Pictures of functions of weights show the function and the paths that they are given."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from umlbook.book import new_figure
from umlbook.book.page.draw_weights import CORNERS, draw_tangents, draw_triangle

PATH = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])


@pytest.fixture
def triangle():
    """The axes of a triangle, and all weights at which the function was evaluated."""
    asked = []

    def value(w):
        asked.append(w)
        return float(np.sum((w - PATH[1]) ** 2))

    _, ax = new_figure(6, 4)
    draw_triangle(ax, value, corners=("a", "b", "c"), paths={"way": PATH}, label="value")
    return ax, np.array(asked)


def test_the_function_is_evaluated_on_the_whole_simplex_and_nowhere_else(triangle):
    _, asked = triangle
    assert asked.min() >= 0
    np.testing.assert_allclose(asked.sum(axis=1), 1)
    assert {tuple(e) for e in np.eye(3)} <= {tuple(w) for w in asked}


def test_a_path_is_drawn_in_barycentric_coordinates_and_its_end_is_marked(triangle):
    ax, _ = triangle
    way = next(line for line in ax.lines if line.get_label() == "way")
    np.testing.assert_allclose(way.get_xydata(), PATH @ CORNERS)
    end = next(line for line in ax.lines if line.get_marker() == "x")
    np.testing.assert_allclose(end.get_xydata(), PATH[1:] @ CORNERS)


def test_the_colours_are_darkest_in_the_valley(triangle):
    ax, _ = triangle
    fills = [to_hex(c) for c in ax.collections[0].get_facecolor()]
    assert len(set(fills)) == len(fills) and fills == sorted(fills)
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c", "start"}


def test_the_legend_names_the_cross_and_a_point_has_no_start(triangle):
    _, ax = new_figure(6, 4)
    draw_triangle(ax, np.max, corners=("a", "b", "c"), paths={"least": PATH[1:]}, label="value")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["least"]
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c"}
    walked = [text.get_text() for text in triangle[0].get_legend().get_texts()]
    assert walked == ["way", "last point"]


def test_each_line_is_marked_where_it_touches_the_curve():
    x = np.linspace(0, 1, 11)
    lines = [a**2 + 2 * a * (x - a) for a in (0.2, 0.7)]
    _, ax = new_figure(4, 3)
    draw_tangents(ax, x, x**2, lines, name="square")
    touches = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(touches, [[0.2, 0.04], [0.7, 0.49]])
    assert ax.get_ylabel() == "square"
