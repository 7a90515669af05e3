"""Ranks over several data sets, the critical difference, and their pictures."""

import numpy as np
import pytest
from scipy.stats import rankdata, ttest_rel, wilcoxon

from umlbook.book.page.draw_tables import (
    draw_beside,
    draw_differences,
    draw_ranks,
    draw_shares,
    draw_three,
)
from umlbook.book.page.figures import new_figure, pixels
from umlbook.experiments.engine.ranking import (
    average_ranks,
    critical_difference,
    friedman_p,
    groups,
    holm,
    p_against_control,
)
from umlbook.experiments.papers.naml import p_against_best


def test_average_ranks_share_ties_and_give_the_best_the_first_rank():
    scores = {"a": np.array([1.0, 0.2, 0.5]), "b": np.array([0.9, 0.3, 0.5]), "c": np.zeros(3)}
    assert average_ranks(scores) == {"a": 1.5, "b": 1.5, "c": 3.0}


def test_scores_that_differ_by_rounding_share_their_ranks():
    scores = {"a": np.array([0.3, 0.9]), "b": np.array([0.3, 0.9]) + 1e-15}
    scores["c"] = np.array([0.2, 0.95])
    assert average_ranks(scores) == {"a": 2.0, "b": 2.0, "c": 2.0}
    assert friedman_p(scores) == pytest.approx(1.0)


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


def test_holm_steps_down_and_never_falls():
    assert holm([0.04, 0.001, 0.02, 0.9]) == pytest.approx([0.08, 0.004, 0.06, 0.9])
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]


def test_one_control_finds_what_all_pairs_miss():
    """Thirteen methods, one clearly worse than the control, the others like it."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=21)
    scores = {f"m{k}": base + 0.1 * rng.normal(size=21) for k in range(12)}
    scores["worse"] = base - 0.1 * rng.uniform(0.1, 1, size=21)
    p = p_against_control(scores, "m0")
    assert list(p) == [name for name in scores if name != "m0"]
    assert p["worse"] < 0.05 and min(p[f"m{k}"] for k in range(1, 12)) > 0.05
    ranks = average_ranks(scores)
    assert ranks["worse"] - ranks["m0"] < critical_difference(13, 21)
    raw = wilcoxon(scores["worse"] - scores["m0"]).pvalue
    assert raw <= p["worse"] <= 12 * raw + 1e-12


def test_equal_scores_and_differences_that_are_rounding_say_nothing():
    base = np.linspace(0, 1, 12)
    scores = {"control": base, "same": base, "rounded": base + 1e-15}
    assert p_against_control(scores, "control") == {"same": 1.0, "rounded": 1.0}


def test_false_alarms_against_a_control_are_as_rare_as_promised():
    """At most 5 % by Holm; more than 22 of 200 have a probability below 0.1 %."""
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(200):
        scores = dict(zip("abcde", rng.normal(size=(5, 20)), strict=True))
        alarms += min(p_against_control(scores, "a").values()) < 0.05
    assert alarms <= 22


def test_a_constant_deficit_over_starts_is_no_draw():
    runs = {"low": np.full(20, 0.5), "high": np.full(20, 0.9), "high too": np.full(20, 0.9)}
    assert p_against_best(runs) == {"low": 0.0, "high": 1.0, "high too": 1.0}
    noise = np.random.default_rng(0).normal(size=(2, 20))
    p = p_against_best({"a": noise[0], "b": noise[1] + 1})["a"]
    assert p == pytest.approx(ttest_rel(noise[0], noise[1] + 1).pvalue)


def test_groups_never_hold_two_methods_that_differ_and_miss_no_pair_that_does_not():
    ranks = dict(zip("abcdef", [1.0, 1.4, 2.2, 4.0, 4.1, 6.0], strict=True))
    found = groups(ranks, 1.0)
    for run in found:
        assert ranks[run[-1]] - ranks[run[0]] < 1.0
    together = {(a, b) for run in found for a in run for b in run if a < b}
    close = {(a, b) for a in ranks for b in ranks if a < b and ranks[b] - ranks[a] < 1.0}
    assert together == close


# ----------------------------------------------------------------------------------- pictures


def test_a_difference_has_its_sign_and_a_small_one_no_number():
    _, ax = new_figure(3, 3)
    draw_differences(ax, [[9.4, -10.2], [31.0, 9.6]], ["r", "s"], ["c", "d"])
    assert {text.get_text(): text.get_position() for text in ax.texts} == {
        "-10": (1, 0),
        "+31": (0, 1),
        "+10": (1, 1),
    }


def test_bars_of_ranks_overlap_where_the_test_cannot_tell_two_methods_apart():
    fig, ax = new_figure(6, 4)
    ranks = {"b": 2.0, "a": 1.2, "c": 2.8}
    draw_ranks(ax, ranks, 0.9, marked="a")
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["a (1.2)", "b (2.0)", "c (2.8)"]
    bars = [sorted(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 2]
    overlap = {(i, j) for i in range(3) for j in range(i) if bars[i][0] < bars[j][1]}
    close = [set(run) for run in groups(ranks, 0.9)]
    assert overlap == {(1, 0), (2, 1)} and close == [{"a", "b"}, {"b", "c"}]
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


def test_the_marks_of_a_second_score_are_open_and_stand_where_the_others_would():
    _, ax = new_figure(3, 3)
    draw_beside(ax, [0.5, 0.6, 0.7], [0.5, 0.9, 0.7], ["differs"] * 3, [False, True, False])
    filled, hollow = ax.collections
    assert len(filled.get_facecolor()) and not len(hollow.get_facecolor())
    assert filled.get_offsets().tolist() == [[0.5, 0.5], [0.7, 0.7]]
    assert hollow.get_offsets().tolist() == [[0.6, 0.9]]
    assert np.array_equal(filled.get_facecolor()[0], hollow.get_edgecolor()[0])


def test_the_numbers_of_a_cell_stand_above_each_other_and_groups_are_divided():
    _, ax = new_figure(4, 3)
    numbers = {"printed": [0.1, 0.2, 0.3], "text": [0.1, 0.4, 0.3], "found": [0.1, np.nan, 0.3]}
    draw_three(ax, ["wine", "wine", "iris"], numbers, "ACC", [True, False, True])
    assert [band.get_center()[0] for band in ax.patches] == [0, 2]
    marks = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [line.get_label() for line in marks] == list(numbers)
    assert len({line.get_marker() for line in marks}) == 3
    assert [text.get_text() for text in ax.get_xticklabels()] == ["wine", "iris"]
    assert len(ax.lines) == len(marks) + 1


def test_names_of_cells_stand_below_them_and_those_of_groups_above():
    _, ax = new_figure(4, 3)
    groups, names = ["wine", "wine", "iris"], ["PCA", "k-means", "PCA"]
    draw_three(ax, groups, {"printed": [0.1, 0.2, 0.3]}, "ACC", names=names)
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    above = {text.get_text(): text.get_position() for text in ax.texts}
    assert {group: x for group, (x, _) in above.items()} == {"wine": 0.5, "iris": 2}
    assert min(y for _, y in above.values()) > 1


def test_shares_fill_a_bar_for_each_row_and_show_each_count_but_zero():
    ax = new_figure()[1]
    draw_shares(ax, ["a", "b"], {"one": [1, 0], "two": [3, 5]})
    assert [text.get_text() for text in ax.texts] == ["1", "3", "5"]
    first, second = ([bar.get_width() for bar in part] for part in ax.containers)
    assert (first, second) == ([0.25], [0.75, 1.0])
    assert [part[0].get_hatch() or "" for part in ax.containers] == ["", "//"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a (4)", "b (5)"]
