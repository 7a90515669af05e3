"""Every method on every set: how settings are chosen, and what the made sets are like."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.neighbors import NearestNeighbors

from umlbook.experiments.papers import side_by_side as experiment
from umlbook.experiments.papers.methods import (
    METHODS,
    Method,
    fitted,
    lle,
    lle_costs,
    nearest_rows,
)
from umlbook.kernels import median_width

rng = np.random.default_rng


@pytest.fixture
def three_settings(monkeypatch):
    """A method whose settings name the feature at whose middle the samples are cut in two."""

    def halves(X, k, seed, pairs, feature):
        return (X[:, feature] > np.median(X[:, feature])).astype(int)

    settings = tuple({"feature": feature} for feature in range(3))
    monkeypatch.setitem(METHODS, "halves", Method(halves, settings))


def test_each_rule_chooses_by_what_it_says_and_by_nothing_else(three_settings):
    """Feature 1 has the gap that neighbours see, feature 2 the classes, feature 0 neither."""
    gap, y = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    X = np.column_stack([rng(0).normal(size=40), 50.0 * gap, y + 0.01 * rng(1).normal(size=40)])
    rows = {row["rule"]: row for row in experiment.scored(X, y, "halves", 0, 5)}
    by_feature = [METHODS["halves"].labels(X, 2, 0, {}, feature) for feature in range(3)]
    wanted = dict(zip(("default", "cut", "label"), by_feature, strict=True))
    assert list(rows) == list(experiment.RULES)
    for rule, labels in wanted.items():
        for name, score in experiment.SCORES.items():
            assert rows[rule][name] == pytest.approx(score(y, labels), abs=1e-4)
    assert rows["label"]["ACC"] == 1.0 > rows["cut"]["ACC"]


def test_labels_choose_the_setting_with_the_highest_score_that_is_shown(monkeypatch):
    """Accuracy prefers nearly one cluster here, the adjusted Rand index the other setting."""
    y = np.repeat([0, 1], [90, 10])
    fits = {"one cluster": np.arange(100) == 0, "two": np.arange(100) >= 75}
    accuracy = [experiment.clustering_accuracy(y, labels) for labels in fits.values()]
    assert accuracy[0] > accuracy[1]
    monkeypatch.setitem(
        METHODS, "given",
        Method(lambda X, k, seed, pairs, which: fits[which].astype(int),
               tuple({"which": name} for name in fits)),
    )  # fmt: skip
    rows = {r["rule"]: r for r in experiment.scored(rng(0).normal(size=(100, 2)), y, "given", 0, 5)}
    shown = experiment.adjusted_rand_index(y, fits["two"])
    assert rows["label"]["ARI"] == pytest.approx(shown, abs=1e-4)
    assert shown > rows["default"]["ARI"]


def test_stored_rows_chosen_by_labels_have_the_highest_score_of_the_three_rules():
    """The rule chose by accuracy once, and the score that is shown was not always its best."""
    by_cell = {}
    for row in experiment.stored("side_by_side"):
        by_cell.setdefault((row["dataset"], row["method"], row["seed"]), {})[row["rule"]] = row
    assert all(r["label"]["ARI"] == max(x["ARI"] for x in r.values()) for r in by_cell.values())


def test_untouched_rows_are_in_no_pair_and_are_the_same_for_every_method(monkeypatch):
    """A method that gets the linked rows right and all others wrong has nothing to show there."""
    y = np.repeat([0, 1, 2], [30, 20, 10])
    pairs = experiment.drawn_pairs(y, 6, 3)
    free = experiment.untouched_rows(len(y), pairs)
    told = {int(i) for pair in pairs.values() for i in pair.ravel()}
    assert set(np.flatnonzero(~free)) == told and 0 < free.sum() < len(y)

    def parrot(X, k, seed, pairs):
        labels = np.arange(len(X)) % k
        labels[~free] = y[~free]
        return labels

    monkeypatch.setitem(METHODS, "parrot", Method(parrot, pairs=True))
    monkeypatch.setitem(METHODS, "deaf parrot", Method(parrot))
    X = rng(0).normal(size=(60, 2))
    for name in ("parrot", "deaf parrot"):
        row = next(experiment.scored(X, y, name, 3, 6))
        assert row["ARI"] > 0.05 > row["untouched"] and row["n_untouched"] == free.sum()
        labels = parrot(X, 3, 3, {})
        assert row["untouched"] == pytest.approx(
            experiment.adjusted_rand_index(y[free], labels[free]), abs=1e-4
        )


@pytest.mark.parametrize("cause", experiment.CAUSES)
def test_every_made_set_is_standardised_before_it_is_clustered(cause, monkeypatch):
    seen = []

    def spy(X, k, seed, pairs):
        seen.append(X)
        return np.arange(len(X)) % k

    monkeypatch.setitem(METHODS, "spy", Method(spy))
    value = experiment.CAUSES[cause][1][-1]
    experiment.cause_work({"cause": cause, "value": value, "method": "spy", "seed": 0})
    assert seen[0].mean(axis=0) == pytest.approx(np.zeros(seen[0].shape[1]), abs=1e-9)
    assert seen[0].std(axis=0) == pytest.approx(np.ones(seen[0].shape[1]))


# -------------------------------------------------------------------- neighbours and LLE


def test_nearest_rows_are_those_of_scikit_learn_where_no_distances_are_equal():
    X = rng(0).normal(size=(40, 3))
    theirs = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(return_distance=False)
    np.testing.assert_array_equal(nearest_rows(X, 5), theirs)
    assert nearest_rows(X, 99).shape == (40, 39)


def test_rounding_does_not_choose_among_rows_that_are_equally_far():
    X = rng(0).integers(3, size=(60, 4)).astype(float)
    noisy = X * (1 + 1e-12 * rng(1).normal(size=X.shape))
    np.testing.assert_array_equal(nearest_rows(X, 7), nearest_rows(noisy, 7))


def test_lle_spans_what_scikit_learn_finds_where_one_direction_costs_nothing():
    X = rng(0).normal(size=(80, 5)) ** 3
    theirs = LocallyLinearEmbedding(n_neighbors=8, n_components=3, eigen_solver="dense")
    assert subspace_angles(theirs.fit_transform(X), lle(X, 3, 8)).max() < 1e-6


def test_lle_of_closed_groups_does_not_hang_on_rounding():
    """Four far groups: three directions besides the constant cost nothing, two are asked for."""
    X = np.repeat(50.0 * rng(0).normal(size=(4, 3)), 15, axis=0) + rng(1).normal(size=(60, 3))
    assert np.sum(np.linalg.eigvalsh(lle_costs(X, 6)) < 1e-12) == 4
    Z = lle(X, 2, 6)
    assert Z.shape == (60, 3)  # none of the three comes before the others
    assert np.abs(Z.sum(axis=0)).max() < 1e-9  # and the constant is not among them
    again = lle(X * (1 + 1e-12 * rng(2).normal(size=X.shape)), 2, 6)
    assert subspace_angles(Z, again).max() < 1e-6


def test_only_methods_with_pairs_are_given_any(monkeypatch):
    seen = {}

    def spy(name):
        def labels(X, k, seed, pairs):
            seen[name] = pairs
            return np.arange(len(X)) % k

        return labels

    monkeypatch.setitem(METHODS, "with", Method(spy("with"), pairs=True))
    monkeypatch.setitem(METHODS, "without", Method(spy("without")))
    y = np.repeat([0, 1], 10)
    for name in ("with", "without"):
        list(experiment.scored(rng(0).normal(size=(20, 2)), y, name, 3, 4))
    assert seen["without"] == {}
    must, cannot = seen["with"]["must_link"], seen["with"]["cannot_link"]
    assert len(must) == len(cannot) == 4
    assert np.all(y[must[:, 0]] == y[must[:, 1]]) and np.all(y[cannot[:, 0]] != y[cannot[:, 1]])


def test_a_width_that_is_a_number_counts_median_distances():
    class Recorder:
        def __init__(self, k, random_state, sigma):
            self.labels_ = [sigma]

        def fit(self, X):
            return self

    X = rng(0).normal(size=(12, 3))
    assert fitted(Recorder)(X, 2, 0, {}, sigma=0.5) == pytest.approx([0.5 * median_width(X)])
    assert fitted(Recorder)(X, 2, 0, {}, sigma="median") == ["median"]


def test_clusters_are_as_long_as_they_are_said_to_be():
    for length in (1, 3, 10):
        X, y = experiment.stretched(length, rng(0))
        axes = [np.linalg.svd(X[y == c] - X[y == c].mean(axis=0))[1] for c in range(3)]
        assert np.mean([long / short for long, short in axes]) == pytest.approx(length, rel=0.3)


def test_noise_features_have_the_variance_of_the_others_and_know_nothing_of_the_classes():
    X, y = experiment.with_noise(400, rng(0))
    noise = X[:, 2:]
    assert noise.std() == pytest.approx(X[:, :2].std(), rel=0.05)
    means = np.array([noise[y == c].mean(axis=0) for c in range(3)])
    assert np.abs(means).mean() < 3 * noise.std() / np.sqrt(50)
    assert experiment.with_noise(0, rng(0))[0].shape == (150, 2)


@pytest.mark.parametrize("bend", [0.0, 0.5, 1.0])
def test_bent_lines_stay_apart_and_a_straight_cut_divides_them_only_before(bend):
    X, y = experiment.bent(bend, rng(0))
    gaps = np.linalg.norm(X[y == 0][:, None] - X[y == 1], axis=2)
    assert gaps.min() > 0.05
    design = np.column_stack([np.ones(len(X)), X])
    side = design @ np.linalg.lstsq(design, 2.0 * y - 1, rcond=None)[0] > 0
    assert (np.mean(side == y) > 0.99) == (bend == 0.0)


@pytest.mark.parametrize("name", ["iris", "satimage"])
def test_sets_are_thinned_class_by_class_and_standardised(name):
    X, y = experiment.data(name)
    full = experiment.load(name).target
    assert len(X) == min(len(full), experiment.N_ROWS)
    shares = [np.bincount(labels) / len(labels) for labels in (y, full)]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    assert X.mean(axis=0) == pytest.approx(np.zeros(X.shape[1]), abs=1e-9)
    assert X.std(axis=0) == pytest.approx(np.ones(X.shape[1]))
