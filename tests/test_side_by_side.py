"""Every method on every set: how settings are chosen, and what the made sets are like."""

import numpy as np
import pytest

from umlbook.experiments.papers import side_by_side as experiment
from umlbook.experiments.papers.methods import METHODS, Method, fitted
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
