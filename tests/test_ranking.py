"""Ranks over several data sets, the critical difference, and their pictures."""

import numpy as np
import pytest
from scipy.stats import rankdata

from umlbook.book.page.draw_tables import draw_beside, draw_cells, draw_ranks
from umlbook.book.page.figures import new_figure, pixels
from umlbook.experiments.engine.ranking import (
    average_ranks,
    critical_difference,
    friedman_p,
    groups,
)


def test_average_ranks_share_ties_and_give_the_best_the_first_rank():
    scores = {"a": np.array([1.0, 0.2, 0.5]), "b": np.array([0.9, 0.3, 0.5]), "c": np.zeros(3)}
    assert average_ranks(scores) == {"a": 1.5, "b": 1.5, "c": 3.0}


def test_average_ranks_are_the_ranks_of_each_set_by_hand():
    table = np.random.default_rng(0).normal(size=(12, 5))
    by_hand = np.mean([rankdata(-row) for row in table], axis=0)
    found = average_ranks(dict(zip("abcde", table.T, strict=True)))
    assert [found[name] for name in "abcde"] == pytest.approx(list(by_hand))
    assert list(found.values()) == sorted(found.values())


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_difference_uses_the_published_quantiles(k, q):
    assert critical_difference(k, 6) == pytest.approx(q * np.sqrt(k * (k + 1) / 36), abs=2e-3)


def test_equal_methods_keep_below_the_critical_difference_in_most_draws():
    rng = np.random.default_rng(1)
    limit, beyond = critical_difference(4, 20), 0
    for _ in range(200):
        ranks = average_ranks(dict(zip("abcd", rng.normal(size=(4, 20)), strict=True)))
        beyond += max(ranks.values()) - min(ranks.values()) >= limit
    assert beyond / 200 <= 0.08


def test_friedman_tells_a_better_method_from_equal_ones():
    noise = np.random.default_rng(2).normal(size=(3, 15))
    equal = dict(zip("abc", noise, strict=True))
    assert friedman_p(equal) > 0.05 > friedman_p(equal | {"a": noise[0] + 5})


def test_groups_never_hold_two_methods_that_differ_and_miss_no_pair_that_does_not():
    ranks = dict(zip("abcdef", [1.0, 1.4, 2.2, 4.0, 4.1, 6.0], strict=True))
    found = groups(ranks, 1.0)
    for run in found:
        assert ranks[run[-1]] - ranks[run[0]] < 1.0
    together = {(a, b) for run in found for a in run for b in run if a < b}
    close = {(a, b) for a in ranks for b in ranks if a < b and ranks[b] - ranks[a] < 1.0}
    assert together == close


# ----------------------------------------------------------------------------------- pictures


def test_each_number_stands_in_its_cell_and_a_hole_stays_empty():
    _, ax = new_figure(3, 3)
    draw_cells(ax, [[0.1, np.nan], [1.0, 0.456]], ["r", "s"], ["c", "d"])
    assert {text.get_text(): text.get_position() for text in ax.texts} == {
        "10": (0, 0),
        "100": (0, 1),
        "46": (1, 1),
    }


def test_every_method_is_named_with_its_rank_and_the_measure_is_as_long_as_the_difference():
    fig, ax = new_figure(6, 4)
    ranks = {"a": 1.2, "b": 2.0, "c": 2.8}
    draw_ranks(ax, ranks, 0.9, groups(ranks, 0.9))
    texts = [text.get_text() for text in ax.texts]
    assert {"a (1.2)", "b (2.0)", "c (2.8)", "critical difference 0.90"} <= set(texts)
    lengths = [np.ptp(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 2]
    assert lengths == pytest.approx([0.9])
    assert np.ptp(pixels(fig)) > 0


def test_marks_lie_where_print_and_ours_say_and_verdicts_keep_their_looks():
    looks = []
    for said in (["reproduced", "differs"], ["differs", "reproduced"]):
        _, ax = new_figure(3, 3)
        draw_beside(ax, [0.5, 0.6], [0.5, 0.9], said)
        by_name = dict(
            zip([t.get_text() for t in ax.get_legend().texts], ax.collections, strict=True)
        )
        looks.append({name: tuple(c.get_facecolor()[0]) for name, c in by_name.items()})
        places = np.concatenate([c.get_offsets() for c in ax.collections])
        assert sorted(map(tuple, places)) == [(0.5, 0.5), (0.6, 0.9)]
    assert looks[0] == looks[1]
