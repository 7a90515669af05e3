"""Pictures of chapters 6 and 9: what is drawn is what was given, and no mark hides another."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from umlbook.book import new_figure
from umlbook.book.page import draw_drift, draw_points


@pytest.fixture
def ax():
    return new_figure()[1]


def lines(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_a_pattern_has_its_sign_by_marker_and_its_size_by_area(ax, rng):
    X, values = rng.normal(size=(6, 2)), np.array([3.0, -1.0, 0.0, 2.0, -3.0, 1.0])
    draw_drift.draw_pattern(ax, X, values)
    positive, negative = ax.collections
    assert np.allclose(positive.get_offsets(), X[values >= 0])
    assert np.allclose(negative.get_offsets(), X[values < 0])
    assert np.argsort(positive.get_sizes()).tolist() == np.argsort(values[values >= 0]).tolist()


@pytest.mark.parametrize("labels", [[0, 0, 1, 0, 1], [1, 1, 0, 1, 0]])
def test_wrong_labels_are_ringed_whichever_cluster_is_called_zero(ax, rng, labels):
    X = rng.normal(size=(5, 2))
    draw_drift.draw_wrong(ax, X, labels, [0, 0, 0, 0, 1])
    assert np.array_equal(ax.lines[0].get_xydata(), X[[2]])


def test_a_cut_is_as_far_from_both_centres(ax, rng):
    centers = rng.normal(size=(2, 2))
    draw_drift.draw_cut(ax, centers)
    on_line = [ax.lines[0].get_xy1(), ax.lines[0].get_xy2()]
    for place in on_line:
        first, second = np.linalg.norm(centers - place, axis=1)
        assert np.isclose(first, second)


def test_paths_are_drawn_with_their_rises(ax):
    draw_drift.draw_paths(ax, {"down": ([3, 2, 1], []), "up": ([3, 1, 2, 1], [2])})
    found = lines(ax)
    assert np.array_equal(found["down"][:, 1], [3, 2, 1])
    assert np.array_equal(ax.lines[-1].get_xydata(), [[2, 2]])
    assert [text.get_text() for text in ax.texts] == ["down", "up", "J rises"]


def test_shrinkage_draws_what_was_measured_and_the_curve_through_it(ax):
    sizes = np.array([8.0, 2.0, 0.5])
    draw_drift.draw_shrinkage(ax, sizes, 4 / (sizes**2 + 4), [4.0, 100.0])
    found = lines(ax)
    curve, points = found["λ = 4"], found["measured, λ = 4"]
    assert np.allclose(np.interp(points[:, 0], *curve.T), points[:, 1], atol=1e-3)
    assert np.all(found["λ = 100"][:, 1] > curve[:, 1])


def test_parabolas_and_their_bound_are_drawn(ax):
    along = np.linspace(-1, 1, 5)
    draw_drift.draw_parabolas(ax, along, [2 * along**2, 3 * along**2], along**2)
    assert np.allclose(lines(ax)["bound λ × distance²"][:, 1], along**2)
    assert len(ax.lines) == 3 and ax.get_ylim()[0] == 0


def test_dots_of_equal_value_do_not_hide_each_other(ax):
    draw_drift.draw_runs(ax, {"one": [0.5, 0.5, 0.9], "two": [0.1, 0.2, 0.3]})
    dots = np.vstack([c.get_offsets() for c in ax.collections if len(c.get_offsets()) == 3])
    assert len(np.unique(dots, axis=0)) == 6
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two"]


def test_each_end_is_drawn_once_with_its_number_of_runs(ax):
    ends = ([1.0, 1.0, 2.0], [0.5, 0.5, 0.7])
    draw_drift.draw_ends(ax, {"starts": ends, "truth": ([1.0], [0.5])}, counted=True)
    assert [len(c.get_offsets()) for c in ax.collections] == [2, 1]
    assert [text.get_text() for text in ax.texts] == ["2 runs", "1 run", "1 run"]


def test_gains_have_their_intervals_and_no_two_marks_share_a_height(ax):
    draw_drift.draw_gains(ax, ["a", "b"], {"x": ([1, -1], [2, 1]), "y": ([0, 0], [1, 1])})
    marks = np.vstack([bars[0].get_xydata() for bars in ax.containers])
    assert np.allclose(marks[:, 0], [1, -1, 0, 0]) and len(set(marks[:, 1])) == 4
    spans = [segment[:, 0] for bars in ax.containers for segment in bars[2][0].get_segments()]
    assert np.allclose(spans, [[-1, 3], [-2, 0], [-1, 1], [-1, 1]])


def test_stacked_counts_add_up_and_are_written(ax):
    draw_drift.draw_counts(ax, ["a", "b"], {"x": [2, 0], "y": [3, 4]})
    ends = [patch.get_x() + patch.get_width() for patch in ax.patches]
    assert ends == [2, 0, 5, 4]
    assert [text.get_text() for text in ax.texts] == ["2", "3", "4"]


def test_a_count_that_does_not_fit_stands_after_its_bar(ax):
    draw_drift.draw_counts(ax, ["a"], {"x": [99], "y": [1]})
    assert [text.get_position()[0] > 100 for text in ax.texts] == [False, True]


def test_discs_have_their_count_for_area_and_the_sums_at_the_margins(ax):
    draw_drift.draw_bubbles(ax, ["a", "b"], ["x", "y"], np.array([[1, 0], [2, 4]]))
    areas = np.concatenate([discs.get_sizes() for discs in ax.collections])
    assert np.allclose(areas / areas.min(), [1, 2, 4])
    assert [text.get_text() for text in ax.texts] == ["1", "2", "4", "1", "6", "3", "4"]


@pytest.mark.parametrize(("n", "ways"), [(200, 24), (5, 5), (3, 1), (4, 0)])
def test_a_deformation_draws_few_ways_and_all_points(ax, rng, n, ways):
    X = rng.normal(size=(n, 2))
    draw_points.draw_deformation(ax, X, lambda Z: Z + 1, ways=ways)
    bent, *faded = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(bent.get_segments()) == 26 and len(faded) == ways
    for way in faded:
        assert np.all(np.diff(way.get_colors()[:, 3]) > 0), "fades towards its beginning"
    assert len(ax.collections[-1].get_offsets()) == n
