"""Whether there are clusters at all, how many, what sets them apart, how sure each row is."""

import csv
import re
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from umlbook.book.own import METHODS, analyse, diagnostics
from umlbook.book.own.advice import advice
from umlbook.book.own.choosing import Choice, choice, remembered_choice
from umlbook.book.own.clouds import one_cloud, round_cloud
from umlbook.book.own.diagnostics import Diagnostics
from umlbook.book.own.explaining import Refit, effects, renamed, sureness
from umlbook.book.own.pictures import draw_bars
from umlbook.book.page.figures import new_figure


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


# ------------------------------------------------------------- sharper than in one cloud?


def skewed(rng):
    return np.exp(0.35 * rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)))


ONE_CLOUD = {
    "correlated": lambda rng: rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)),
    "nearly on a line": lambda rng: rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 80),
    "skewed and correlated": skewed,
    "uniform": lambda rng: rng.uniform(size=(80, 3)),
    "counts": lambda rng: rng.poisson(skewed(rng)).astype(float),
    "a ball filled evenly": lambda rng: (
        (directions := rng.normal(size=(100, 3)))
        / np.linalg.norm(directions, axis=1, keepdims=True)
        * rng.uniform(size=(100, 1)) ** (1 / 3)
    ),
}


def long_tails(rng):
    return rng.normal(size=(80, 3)) / rng.gamma(1, size=(80, 1))


def bent(rng):
    angles = rng.uniform(0, np.pi, 80)
    return np.column_stack([np.cos(angles), np.sin(angles)]) + 0.1 * rng.normal(size=(80, 2))


CLUSTERS = {
    "two along the diagonal": lambda rng: (
        rng.normal(size=(80, 3)) + 4.0 * np.repeat([0, 1], 40)[:, None]
    ),
    "three, unequal and skewed, turned": lambda rng: (
        (
            np.exp(0.3 * rng.normal(size=(80, 2)))
            + np.repeat([[0, 0], [5, 1], [2, 5]], [40, 25, 15], axis=0)
        )
        @ [[1, 1], [-1, 1]]
    ),
}
TABLES = 16
LIMIT = binom.isf(0.005, TABLES, 1 / (1 + diagnostics.CLOUDS))
"""More have a probability below 0.5 % at the nominal rate of one in ten."""
QUICK = replace(METHODS["k-means"], cls=partial(KMeans, n_init=2))


def n_sharper(make, n_tables, n_clusters):
    """In how many random tables clusters are declared sharper than in one cloud."""
    found = 0
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = StandardScaler().fit_transform(make(rng))
        reference, null = diagnostics.null_sharpness(QUICK, X, n_clusters, 0, rng)
        found += reference > max(null)
    return found


@pytest.mark.parametrize("kind", ONE_CLOUD)
def test_one_cloud_is_declared_sharper_at_most_about_once_in_ten_times(kind):
    assert n_sharper(ONE_CLOUD[kind], TABLES, 2) <= LIMIT


def test_a_bent_cloud_passes_though_it_has_no_clusters():
    """Neither kind of cloud is bent: chapter 10 warns of it."""
    assert n_sharper(bent, TABLES, 2) > LIMIT


def test_very_long_tails_in_common_pass_more_often_than_once_in_ten_times():
    """A few rows make the covariance; chapter 10 warns of it, and of clusters that small."""
    assert n_sharper(long_tails, TABLES, 2) > LIMIT


def test_two_groups_in_one_column_pass_no_more_often_than_one_cloud():
    def groups(rng):
        return rng.normal(size=(80, 3)) + np.repeat([[0, 0, 0], [8, 0, 0]], 40, axis=0)

    assert n_sharper(groups, TABLES, 2) <= LIMIT


@pytest.mark.parametrize("kind", CLUSTERS)
def test_clear_clusters_are_sharper_than_one_cloud(kind):
    assert n_sharper(CLUSTERS[kind], 5, 2 + (kind != "two along the diagonal")) == 5


@pytest.mark.parametrize("shape", [(60, 3), (12, 30)])
def test_rows_of_a_round_cloud_are_as_far_from_the_centre_and_spread_alike_on_average(rng, shape):
    X = np.exp(rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1])) / shape[1])
    inverse, Y = np.linalg.pinv(np.cov(X.T)), round_cloud(X, rng)

    def distances(A):  # of Mahalanobis
        return np.sort(np.einsum("ij,jk,ik->i", A - X.mean(axis=0), inverse, A - X.mean(axis=0)))

    np.testing.assert_allclose(distances(Y), distances(X), rtol=1e-6)

    def moments(A):  # second ones, about the mean of X
        return (A - X.mean(axis=0)).T @ (A - X.mean(axis=0)) / (len(X) - 1)

    many = np.mean([moments(round_cloud(X, rng)) for _ in range(2000)], axis=0)
    np.testing.assert_allclose(many, np.cov(X.T), atol=0.05 * np.cov(X.T).max())
    assert not np.allclose(Y, X, atol=0.1 * X.std())


@pytest.mark.parametrize("shape", [(60, 3), (12, 30)])
def test_a_cloud_has_the_mean_and_the_covariance_of_the_table_and_almost_its_values(rng, shape):
    X = np.exp(rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1])) / shape[1])
    Y = one_cloud(X, rng)
    np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0))
    np.testing.assert_allclose(np.cov(Y.T), np.cov(X.T), atol=1e-9)
    if shape[0] > shape[1]:  # otherwise the covariance leaves no room for the values
        assert np.abs(np.sort(Y, axis=0) - np.sort(X, axis=0)).mean() < 0.1 * X.std()
    assert not np.allclose(Y, X, atol=0.1 * X.std())


def turned(rng, left, sizes, axes):
    """Another decomposition of the same table: any axes of equal values, any signs, any kernel."""
    orthogonal = np.linalg.qr(rng.normal(size=(2, 2)))[0]  # of the last two that are not zero
    last = np.sum(sizes > 1e-9 * sizes[0])
    pair = slice(last - 2, last)
    signs = rng.choice([-1.0, 1.0], len(sizes))
    left, axes = left.copy(), axes.copy()
    left[:, pair], axes[pair] = left[:, pair] @ orthogonal, orthogonal.T @ axes[pair]
    return left * signs, sizes, axes * signs[:, None]


@pytest.mark.parametrize("make", [one_cloud, round_cloud])
@pytest.mark.parametrize("shape", [(30, 4), (8, 12)])
def test_a_cloud_hangs_on_neither_the_signs_nor_the_choice_of_the_axes(
    rng, monkeypatch, make, shape
):
    """Libraries differ in both; with more columns than rows a value is zero but for rounding."""
    A = rng.normal(size=shape)
    left, sizes, axes = np.linalg.svd(A - A.mean(axis=0), full_matrices=False)
    last = int(np.sum(sizes > 1e-9 * sizes[0]))
    sizes[last - 2] = sizes[last - 1]  # two equal values
    X = left * sizes @ axes
    expected = make(X, np.random.default_rng(0))
    svd = np.linalg.svd

    def other(A, full_matrices):
        same = A.shape == X.shape and np.allclose(A, X)
        return turned(rng, *svd(A, full_matrices=False)) if same else svd(A, full_matrices=False)

    monkeypatch.setattr(np.linalg, "svd", other)
    np.testing.assert_allclose(make(X, np.random.default_rng(0)), expected, atol=1e-9)


def test_noise_is_unmasked(tmp_path, rng):
    path = written(tmp_path / "noise.csv", rng.uniform(size=(150, 4)).tolist())
    found = analyse(path, "k-means", 3)
    assert found.diagnostics.beats_null is False
    assert any("No sharper than in one cloud" in said for said in found.advice)


def test_clusters_in_a_single_column_are_not_certified(tmp_path, rng):
    """Neither a table of one column nor two peaks in one of several pass for more than a cut."""
    peaks = rng.normal(size=120) + 9.0 * (np.arange(120) < 50)
    alone = analyse(written(tmp_path / "one.csv", peaks[:, None].round(4).tolist()), "k-means", 2)
    assert alone.diagnostics.beats_null is None
    assert "was not compared" in " ".join(alone.advice)
    assert "not compared" in repr(alone.measures())


def test_many_rows_left_out_are_spoken_of_first(tmp_path, rng):
    X = rng.normal(size=(120, 3)) + 8.0 * (np.arange(120) % 2)[:, None]
    cells = X.round(4).astype(object)
    for k in range(3):
        cells[k * 35 : (k + 1) * 35, k] = ""
    path = written(tmp_path / "holes.csv", [["x", "y", "z"], *cells.tolist()])
    found = analyse(path, "k-means", 2)
    assert len(found.data.X) == 15 and found.data.share_dropped == pytest.approx(105 / 120)
    assert found.advice[0].startswith("88% of the rows were left out")
    assert not any("No warning" in said for said in found.advice)
    filled = analyse(path, "k-means", 2, missing="median")
    assert filled.data.share_dropped == 0.0


def test_more_columns_than_rows_are_compared_where_the_method_can(tmp_path, rng):
    path = written(tmp_path / "wide.csv", rng.normal(size=(20, 25)).tolist())
    found = analyse(path, "k-means", 2).diagnostics
    assert found.beats_null is not None and found.refits_agree is not None


GOOD = Diagnostics(
    (50, 50), 0.6, 0.7, 0.9, 0.9, 0.5, (0.1, 0.2), 0.7, 100, 80, (0.5, 0.5), (0.5, 0.5), ()
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "No warning"),
        ({"variance_shares": (0.99, 0.01)}, r"x carries 99% of the variance.*standard"),
        ({"weights": (0.1, 0.9)}, "y has 90% of the learned metric"),
        ({"sizes": (99, 1)}, "smallest cluster has 1 of 100 rows"),
        ({"sizes": (100, 0)}, "1 of 2 clusters are empty"),
        ({"starts_agree": 0.3}, "starts disagree.*comes back on other rows"),
        ({"starts_agree": 0.3, "refits_agree": 0.3}, "starts disagree.*fewer local optima"),
        ({"refits_agree": 0.3}, "Fits to 80 of the rows give other clusters"),
        ({"null": (0.1, 0.8)}, r"No sharper.*0\.70.*0\.80"),
        ({"null": ()}, "was not compared"),
        ({"refits_agree": None}, "Fits to a part of the rows were not compared"),
        ({"kmeans_agrees": 0.99}, "Nearly the clusters of plain k-means"),
    ],
)
def test_each_rule_speaks_when_its_number_says_so(change, said):
    words = advice(replace(GOOD, **change), ["x", "y"], "AML", "none")
    assert re.search(said, words[0])
    assert ("No warning" in words[0]) == (change == {})


def test_what_was_left_out_is_spoken_of_and_never_passes_for_checked(tmp_path, rng):
    """A column that is mostly empty is not used, and the advice says so, however clear the rest."""
    X = rng.normal(size=(60, 2)) + 9.0 * (np.arange(60) % 2)[:, None]
    cells = np.column_stack([X.round(3), rng.normal(size=60).round(3)]).astype(object)
    cells[20:, 2] = ""
    found = analyse(
        written(tmp_path / "t.csv", [["x", "y", "rare"], *cells.tolist()]), "k-means", 2
    )
    assert found.data.names == ("x", "y")
    assert found.advice[0].startswith("Not used and not checked") and "rare" in found.advice[0]
    assert not any("No warning" in said for said in found.advice)


def test_no_words_of_advice_certify_clusters():
    (said,) = advice(GOOD, ["x", "y"], "AML", "none")
    assert "does not show that they are real" in said
    kinds = [(0.0, -1.0), (0.0, 1.0), (0.0, 1.0, 0.5)]
    for gaps in kinds:
        n = len(gaps)
        shown = Choice(tuple(range(1, n + 1)), gaps, (0.01,) * n, (np.nan, *[0.9] * (n - 1)))
        assert "neither shows that there are clusters" in shown.sentence


# ----------------------------------------------------------------------------- how many


def test_the_gap_of_one_cluster_is_zero_and_clear_clusters_are_counted(rng):
    centres = 7.0 * np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1]])
    X = StandardScaler().fit_transform(np.repeat(centres, 30, axis=0) + rng.normal(size=(90, 3)))
    found = choice(X, 3)
    assert found.ks == (1, 2, 3, 4, 5, 6) and abs(found.gaps[0]) < 1e-9
    assert found.by_gap == 3 and found.agreements[2] > 0.99
    assert "The gap names K = 3" in found.sentence
    assert choice(X, 8).ks[-1] == 9


@pytest.mark.parametrize("kind", ["correlated", "a ball filled evenly", "uniform"])
def test_the_gap_names_one_cluster_for_most_single_clouds(kind):
    """More than 3 of 8 have a probability below 1 % at a rate of one in ten."""
    tables = (ONE_CLOUD[kind](np.random.default_rng(seed)) for seed in range(8))
    named = [choice(StandardScaler().fit_transform(X), 2).by_gap for X in tables]
    assert sum(K != 1 for K in named) <= 3


def test_three_groups_at_the_corners_of_a_triangle_are_not_called_one(rng):
    """Two clusters gain little there, three gain much: the rule that looks one K ahead says one."""
    corners = 20 * np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    X = np.repeat(corners, 30, axis=0) + rng.normal(size=(90, 2))
    tried = choice(StandardScaler().fit_transform(X), 2)
    assert tried.by_gap == 1 and tried.later == 3
    said = "clearly above zero at K = 3"
    assert said in tried.sentence and "names one cluster" not in tried.sentence
    assert said in " ".join(advice(GOOD, ["x", "y"], "AML", "none", tried=tried))
    assert "gap" not in " ".join(
        advice(replace(GOOD, sizes=(30, 30, 30)), ["x", "y"], "AML", "none", tried=tried)
    )


@pytest.mark.parametrize(
    ("gaps", "later", "said"),
    [
        ((0.0, 0.01, 0.01, 0.01), None, "no K up to 4 gains clearly more than in one cloud"),
        ((0.0, -0.1, 0.02, 0.3), 4, "clearly above zero at K = 4"),
    ],
)
def test_the_whole_column_of_gaps_is_read_before_one_cluster_is_named(gaps, later, said):
    tried = Choice((1, 2, 3, 4), gaps, (0.0, 0.01, 0.01, 0.01), (np.nan, 0.9, 0.9, 0.9))
    assert tried.by_gap == 1 and tried.later == later
    assert said in tried.sentence
    assert said in advice(GOOD, ["x", "y"], "AML", "none", tried=tried)[0]


def test_the_gap_is_the_naive_one_and_nothing_is_compared_in_one_column(rng):
    X = rng.normal(size=(40, 2))
    found, again = choice(X, 2), choice(X, 2)
    assert found == replace(again, agreements=found.agreements)
    rises = [g >= n - 2 * e for g, n, e in zip(found.gaps, found.gaps[1:], found.errors[1:])]  # noqa: B905
    assert found.by_gap == found.ks[rises.index(True)]
    line = np.outer(rng.normal(size=80), [3, 3]) + rng.normal(size=(80, 2))
    assert choice(line, 2).agreements[1] > 0.8  # one cloud, cut the same way again and again
    assert choice(X[:, :1], 2).ks == (1,) and "not compared" in choice(X[:, :1], 2).sentence
    assert choice(np.repeat(X[:3], 9, axis=0), 2).ks == (1, 2)


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_the_mean_agreement_is_that_of_every_two_clusterings(rng, n_clusters):
    ends = [rng.integers(n_clusters, size=30) for _ in range(5)] + [np.zeros(30, int)]
    ends += [ends[0], (ends[0] + 1) % n_clusters]
    one_by_one = [adjusted_rand_score(a, b) for a, b in combinations(ends, 2)]
    assert diagnostics.mean_agreement(ends) == pytest.approx(np.mean(one_by_one), abs=1e-12)


def test_the_choice_is_computed_once_for_a_table_and_again_for_another(rng):
    X = rng.normal(size=(2, 40)).T  # not in the order in which it is remembered
    kept, found = remembered_choice(X, 2, 0), choice(np.ascontiguousarray(X), 2)
    assert kept == replace(found, agreements=kept.agreements)
    np.testing.assert_array_equal(kept.agreements, found.agreements)
    assert remembered_choice(X.copy(), 2, 0) is kept
    assert remembered_choice(2 * X + X**2, 2, 0).gaps != kept.gaps
    assert remembered_choice(X, 8, 0).ks != kept.ks
    quick = choice(np.ascontiguousarray(X), 2, refits=0)
    assert quick.gaps == found.gaps and np.isnan(quick.agreements).all()


# ------------------------------------------------------------------- what sets them apart


def test_effects_are_the_shares_of_variance_between_the_clusters(rng):
    values, labels = rng.normal(size=(50, 4)) * [1, 5, 0.1, 9], rng.integers(3, size=50)
    values[:, 2] += labels
    found = effects(values, labels, 3, ["a", "b", "c", "d"])
    assert found.names[0] == "c"
    for name, share, means in zip(found.names, found.between, found.means.T, strict=True):
        x = values[:, "abcd".index(name)]
        parts = [x[labels == c] for c in range(3)]
        between = sum(len(part) * (part.mean() - x.mean()) ** 2 for part in parts)
        assert share == pytest.approx(between / np.sum((x - x.mean()) ** 2))
        assert means == pytest.approx([part.mean() for part in parts])
    assert "Set apart most by c" in found.sentence and "parts of one cloud" in found.sentence


def test_an_empty_cluster_has_no_mean_and_does_not_spoil_the_others(rng):
    values, labels = rng.normal(size=(20, 2)), rng.integers(2, size=20)
    with_empty, without = (effects(values, labels, K, ["a", "b"]) for K in (3, 2))
    np.testing.assert_allclose(with_empty.between, without.between)
    assert np.isnan(with_empty.means[2]).all()


def test_clusters_of_a_refit_are_renamed_after_those_they_share_most_rows_with(rng):
    labels, names = rng.integers(4, size=60), rng.permutation(4)
    others = names[labels]
    others[:5] = rng.integers(4, size=5)
    np.testing.assert_array_equal(renamed(labels, others, 4)[names], range(4))


def test_sureness_is_the_share_of_refits_that_agree(rng):
    X = np.array([[0.0], [1.0], [5.2], [9.0], [10.0]])
    whole = KMeans(2, n_init=1, init=np.array([[0.0], [9.0]])).fit(X)
    cuts = [4.0, 4.5, 5.0, 5.5]

    class Cut:
        def __init__(self, at):
            self.at = at

        def predict(self, X):
            return (X[:, 0] < self.at).astype(int)

    refits = [Refit(Cut(at), np.array([1, 0])) for at in cuts]
    found = sureness(refits, X, np.array([0, 0, 1, 1, 1]))
    np.testing.assert_array_equal(found, [1, 1, 0.75, 1, 1])
    assert np.isnan(sureness((), X, whole.labels_)).all()


def test_rows_between_two_clusters_are_less_sure_and_the_page_says_so(rng):
    X = rng.uniform(size=(150, 2)) * [10, 1]  # cut near 5, a little elsewhere in every refit
    found = analyse(X, "k-means", 2, scaling="none")
    middle = np.abs(X[:, 0] - 5) < 1
    assert found.sureness[~middle].mean() == 1 > found.sureness[middle].mean()
    assert re.search(r"\d+ of 150 rows keep their cluster in all 5 fits", repr(found))
    page = found._repr_html_()
    assert page.count("data:image/png") == 2 and "What sets them apart" in page


@pytest.mark.parametrize(("columns", "said"), [(12, "share"), (13, "share, the 12 largest of 13")])
def test_bars_say_when_columns_are_left_out(columns, said):
    ax = draw_bars(new_figure()[1], list("abcdefghijklm")[:columns], np.ones(columns), "bars")
    assert (ax.get_xlabel(), len(ax.patches)) == (said, 12)


@pytest.mark.parametrize(("scaling", "panels"), [("standard", 1), ("none", 2)])
def test_columns_that_count_alike_get_a_line_and_no_bars(rng, scaling, panels):
    found = analyse(rng.normal(size=(60, 4)) * [1, 2, 3, 4], "k-means", 2, scaling=scaling)
    words = "All 4 columns count alike (25% each)"
    axes = found.figure().axes
    assert len(axes) == panels
    assert {words in found.sentence, words in axes[0].get_title("left")} == {panels == 1}
