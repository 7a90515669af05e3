"""The pictures of theorems show what they say."""

from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull

from umlbook.book import new_figure
from umlbook.book.page.draw_theorems import (
    draw_balance,
    draw_hypersimplex,
    draw_levels,
    octahedron_place,
)


def test_the_balance_point_is_the_weighted_mean():
    _, ax = new_figure()
    draw_balance(ax, [0.1, 0.5], {"even": [2, 2], "left": [1, 0]})
    points = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "^"]
    assert np.allclose(points, [0.3, 0.1])
    assert [text.get_text() for text in ax.texts] == ["50%", "50%", "0.30", "100%", "0.10"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["even", "left"]


def test_levels_are_drawn_where_the_second_correlation_is_not_the_larger():
    _, ax = new_figure()
    draw_levels(ax, lambda first, second: 1 - (first + second) / 2, [0.25, 0.5], "mean")
    (lines,) = ax.collections
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        first, second = path.vertices.T
        assert np.allclose(1 - (first + second) / 2, level, atol=1e-9)
        assert (second <= first + 1e-9).all()


def test_the_corners_of_the_octahedron_are_apart_and_all_shares_lie_between_them():
    corners = np.array([[i in pair for i in range(4)] for pair in combinations(range(4), 2)])
    worth = [4.0, 3.0, 2.0, 1.0]
    places = octahedron_place(corners, worth)
    assert np.allclose(places[:, 1], corners @ worth)  # the height in the picture
    assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) > 0.3
    drawn = np.random.default_rng(0).dirichlet(np.ones(6), size=50) @ corners
    hull = ConvexHull(places)
    normals, offsets = hull.equations[:, :2], hull.equations[:, 2:]
    assert (normals @ octahedron_place(drawn, worth).T + offsets <= 1e-9).all()


def test_the_best_corner_is_named_with_its_worth():
    _, ax = new_figure()
    draw_hypersimplex(ax, [4.0, 3.0, 2.0, 1.0], [[0.5, 0.5, 0.5, 0.5]])
    names = {text.get_text(): text.get_weight() for text in ax.texts}
    assert names["12: 7.0"] == "bold" and names["34: 3.0"] == "normal" and len(names) == 6
