"""BentMetric: its spaces, its choice, its conventions, and what it does with bad pairs."""

from contextlib import nullcontext
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import fractional_matrix_power
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from umlbook import BentCoordinates, BentMetric, LatentClassPairs
from umlbook import coordinates as coordinates_module
from umlbook.constraints import sample
from umlbook.coordinates import coordinates
from umlbook.datasets import load, make_two_moons
from umlbook.itml import itml_problem, itml_steps
from umlbook.pairs import (
    PairTask,
    Way,
    agreement,
    bent_spaces,
    choice,
    choosing,
    doubtful,
    folds,
    learned_metric,
    left_out_votes,
    wrong_if_contradicted,
)
from umlbook.pairs.choosing import WAYS
from umlbook.rivals import ITML
from umlbook.scores import adjusted_rand_index

NONE = np.empty((0, 2), dtype=np.intp)


@pytest.mark.filterwarnings("ignore:BentMetric was given no:UserWarning")
@parametrize_with_checks([BentMetric(), BentCoordinates()])
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    bunch = load("wine")
    return scale(bunch.data), bunch.target, *sample(bunch.target, 12, 12, random_state=0)


def fitted(X, must, cannot, n_clusters=2, **params):
    model = BentMetric(n_clusters, random_state=0, **params)
    return model.fit(X, must_link=must, cannot_link=cannot)


def thin_lines(n=80, seed=0):
    rng, side = np.random.default_rng(seed), np.arange(n) % 2
    along = rng.normal(size=n)
    across = 0.05 * (2 * side - 1) + 0.01 * rng.normal(size=n)
    return scale(np.column_stack([along, along + across])), side


# ---------------------------------------------------------------------------------- the metric


def test_metric_among_few_coordinates_is_that_of_all(wine):
    """ITML in 13 dimensions, and among the six that three pairs of each kind span (11.3)."""
    X, y, *_ = wine
    must, cannot = sample(y, 3, 3, random_state=1)
    learned = learned_metric(X, must, cannot, PairTask(X, must, cannot, 3))
    assert learned.basis.shape == (13, 6)
    whole = ITML(max_iter=100, tol=1e-6).fit(X, must_link=must, cannot_link=cannot)
    assert np.allclose(cdist(learned.at(X), learned.at(X)), cdist(*[whole.transform(X)] * 2))
    half = X @ fractional_matrix_power(whole.metric_, 0.25)
    assert np.allclose(cdist(*[learned.at(X, 0.5)] * 2), cdist(half, half))
    assert np.array_equal(learned.at(X, 0.0), X)


def test_pairs_of_equal_samples_and_no_pairs_teach_nothing(rng):
    X = np.vstack([rng.normal(size=(8, 3))] * 2)
    for must in (NONE, np.array([[0, 8], [1, 9]])):
        learned = learned_metric(X, must, NONE, PairTask(X, must, NONE, 2))
        assert np.array_equal(learned.at(X), X)


def naive_labels(X, must, cannot, n_clusters, s):
    """(11.4) with whole matrices, a fixed number of rounds, and k-means of scikit-learn."""

    def power(X, t):
        problem = itml_problem(X, must, cannot)
        A = next(state for k, state in enumerate(itml_steps(problem)) if k == 99).metric
        return X @ fractional_matrix_power(A, t)

    T = power(X, s / 2)
    Z = power(coordinates(T)(T), 0.5)
    return Z, KMeans(n_clusters, n_init=10, random_state=0).fit_predict(Z)


@pytest.mark.parametrize("s", [0.0, 0.5, 1.0])
def test_space_is_that_of_the_naive_twin(wine, s):
    X, _, must, cannot = wine
    Z, labels = naive_labels(X, must, cannot, 3, s)
    model = fitted(X, must, cannot, 3, strength=s, tol=0.0)
    assert np.allclose(cdist(Z, Z), cdist(*[model.embedding_] * 2), atol=1e-6)
    assert adjusted_rand_index(labels, model.labels_) == 1


# ---------------------------------------------------------------------------------- the choice


def test_each_pair_is_left_out_once():
    for n_pairs in (1, 2, 5, 7, 40):
        masks = list(folds(n_pairs, seed=3))
        assert len(masks) == min(5, n_pairs)
        assert np.array_equal(np.sum(masks, axis=0), np.ones(n_pairs))


def test_a_vote_comes_from_a_fit_that_was_not_told_of_the_pair(wine, monkeypatch):
    X, _, must, cannot = wine
    task = PairTask(X, must[:4], cannot[:3], 3, coordinates(X), max_iter=2, n_init=1)
    seen = []

    def spy(told, asked, tried, seed):
        seen.append({(kind, *pair) for kind, pairs in enumerate(told.pairs) for pair in pairs})
        return np.full((len(tried), asked.n_pairs), len(seen))

    monkeypatch.setattr("umlbook.pairs.choosing.agreements", spy)
    votes = left_out_votes(task, (Way(0.0), Way(1.0)), seed=0)
    every = [(kind, *pair) for kind, pairs in enumerate(task.pairs) for pair in pairs]
    for pair, (vote, _) in zip(every, votes.T, strict=True):
        assert pair not in seen[int(vote) - 1]
    assert all(len(told) in (5, 6) for told in seen)


def test_agreement_is_counted_kind_by_kind():
    task = PairTask(np.zeros((4, 1)), np.array([[0, 1], [0, 2]]), np.array([[0, 3], [1, 0]]), 2)
    assert agreement(np.array([0, 0, 1, 1]), task).tolist() == [True, False, True, False]
    assert task.only(np.array([False, True, True, False])).must.tolist() == [[0, 2]]


def test_pairs_choose_the_metric_for_thin_lines_and_the_graph_for_moons():
    thin, side = thin_lines()
    moons, other = make_two_moons(100, random_state=1)
    for X, y, strength in ((thin, side, 1.0), (scale(moons), other, 0.0)):
        must, cannot = sample(y, 20, 20, random_state=1)
        model = fitted(X, must, cannot)
        assert model.strength_ == strength
        assert adjusted_rand_index(y, model.labels_) > 0.85
    assert model.graph_ and model.votes_.shape == (4, 40) and set(np.unique(model.votes_)) <= {0, 1}


def test_doubt_needs_all_votes_against_and_fits_that_are_better_than_the_pairs():
    votes = np.ones((3, 20))
    votes[:, 4] = 0
    votes[0, 7] = 0
    assert np.flatnonzero(doubtful(votes, 0.1)).tolist() == [4]
    assert not doubtful(votes, 0.0).any()
    assert not doubtful(votes, 0.01).any()  # 0.93 is below 0.98: the pairs are better
    assert wrong_if_contradicted(0.0, 1.0) == 0.0
    assert wrong_if_contradicted(0.2, 0.9) > 0.5 > wrong_if_contradicted(0.2, 0.7)


def test_wrong_pairs_are_listed_and_dropped_where_the_rest_is_clear(wine):
    X, y, *_ = wine
    must, cannot = sample(y, 20, 20, random_state=2)
    wrong = np.array([[0, 100], [1, 150]])  # wines of different cultivars
    model = fitted(X, np.vstack([must, wrong]), cannot, 3, noise=0.1)
    doubted = {tuple(pair) for pair in model.doubted_must_link_}
    assert {(0, 100), (1, 150)} <= doubted
    assert len(fitted(X, np.vstack([must, wrong]), cannot, 3).doubted_must_link_) == 0


def test_a_given_strength_is_used_and_nothing_is_left_out(wine):
    X, _, must, cannot = wine
    model = fitted(X, must, cannot, 3, strength=0.5)
    assert model.strength_ == 0.5 and model.votes_ is None


def test_equally_good_strengths_give_the_least(wine):
    X = wine[0]
    twin = np.array([[0, 1]])
    task = PairTask(np.repeat(X[:20], 2, axis=0), twin, NONE, 2, coordinates(X[:20]))
    chosen = choice(task, WAYS, 0.0, seed=0)  # a pair of equal samples teaches nothing
    assert chosen.way == Way(0.0) and chosen.kept.all()


@pytest.mark.parametrize("more", [0, 1])
def test_the_graph_is_left_out_only_where_that_agrees_with_more_pairs(wine, monkeypatch, more):
    X, _, must, cannot = wine
    task = PairTask(X, must[:4], cannot[:3], 3)

    def as_said(told, asked, tried, seed):
        agreed = [3 if way.graph else 3 + more for way in tried]
        return (np.arange(asked.n_pairs) < np.array(agreed)[:, None]).astype(float)

    monkeypatch.setattr("umlbook.pairs.choosing.agreements", as_said)
    assert choice(task, WAYS, 0.0, seed=0).way == (Way(1.0, graph=False) if more else WAYS[0])


def test_without_a_graph_it_is_k_means_in_the_metric_of_itml(wine):
    X, _, must, cannot = wine
    model = fitted(X, must, cannot, 3, graph=False)
    metric = learned_metric(X, must, cannot, PairTask(X, must, cannot, 3))
    assert np.allclose(model.embedding_, metric.at(X))
    assert np.allclose(model.transform(X[:5]), model.embedding_[:5])
    assert (model.strength_, model.graph_, model.votes_) == (1.0, False, None)
    assert fitted(X, must, cannot, 3, graph=True).votes_.shape[0] == len(WAYS) - 1


# ------------------------------------------------------------------------------- the estimator


def test_states_are_the_four_spaces_and_the_last_is_the_fit(wine):
    X, _, must, cannot = wine
    model = BentMetric(3, random_state=0)
    states = list(model.steps(X, must_link=must, cannot_link=cannot))
    assert [s.stage for s in states] == ["features", "metric", "coordinates", "metric again"]
    model.fit(X, must_link=must, cannot_link=cannot)
    assert np.array_equal(states[-1].labels, model.labels_)
    assert np.allclose(model.objective_path_, [s.objective for s in states])
    for state in states:
        Z, centers = state.embedding, state.centers
        assert 0 < state.objective < 1
        assert np.array_equal(cdist(Z, centers).argmin(axis=1), state.labels)
        within = np.sum((Z - centers[state.labels]) ** 2) / np.sum((Z - Z.mean(axis=0)) ** 2)
        assert state.objective == pytest.approx(within)
        assert np.allclose(centers, [Z[state.labels == c].mean(axis=0) for c in range(3)])
    with pytest.raises(FrozenInstanceError):
        states[0].labels = None


def test_new_samples_are_labelled_one_by_one_and_training_samples_keep_their_labels(wine):
    X, y, must, cannot = wine
    train = np.arange(len(X)) % 3 > 0
    place = np.cumsum(train) - 1
    inside = [pairs[train[pairs].all(axis=1)] for pairs in (must, cannot)]
    model = fitted(X[train], *(place[pairs] for pairs in inside), 3)
    assert np.array_equal(model.predict(X[train]), model.labels_)
    assert np.allclose(model.transform(X[train]), model.embedding_)
    late = model.predict(X[~train])
    assert np.array_equal([model.predict(x[None])[0] for x in X[~train][:5]], late[:5])
    assert adjusted_rand_index(y[~train], late) > 0.8


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 4), st.booleans())
def test_all_clusters_are_used_where_there_are_rows_enough(seed, n_clusters, n_pairs, whole):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(8, 30), rng.integers(1, 4)))
    X = np.round(X) if whole else X
    if len(np.unique(X, axis=0)) < max(n_clusters, 2):
        return
    pairs = rng.permuted(np.tile(np.arange(len(X)), (2 * n_pairs, 1)), axis=1)[:, :2]
    must, cannot = pairs[:n_pairs], pairs[n_pairs:]  # random, so that many contradict one another
    with nullcontext() if n_pairs else pytest.warns(UserWarning, match="no must_link"):
        model = fitted(X, must, cannot, n_clusters)
    assert np.array_equal(np.unique(model.labels_), np.arange(n_clusters))
    assert np.array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("kind", ["must_link", "cannot_link"])
def test_one_kind_of_pairs_is_enough_and_so_is_one_pair(wine, kind):
    X, y, must, cannot = wine
    pairs = must if kind == "must_link" else cannot
    for some in (pairs, pairs[:1]):
        model = BentMetric(3, random_state=0).fit(X, **{kind: some})
        assert adjusted_rand_index(y, model.labels_) > 0.8


def test_without_pairs_it_says_so_and_is_kmeans_in_the_coordinates(wine):
    X = wine[0]
    with pytest.warns(UserWarning, match="no must_link and no cannot_link"):
        model = BentMetric(3, random_state=0).fit(X)
    labels = KMeans(3, n_init=10, random_state=0).fit_predict(coordinates(X)(X))
    assert adjusted_rand_index(labels, model.labels_) == 1


def test_contradictory_pairs_are_taken(wine):
    X, y, must, cannot = wine
    model = fitted(X, np.vstack([must, cannot[:1]]), cannot, 3)
    assert adjusted_rand_index(y, model.labels_) > 0.8
    fitted(X, must, cannot, 1)  # nothing to put apart


def test_order_of_pairs_and_ends_does_not_matter(wine):
    X, _, must, cannot = wine
    one = fitted(X, must, cannot, 3)
    other = fitted(X, must[::-1, ::-1], cannot[::-1], 3)
    assert np.array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"noise": 0.5}, "exchange must_link and cannot_link"),
        ({"noise": -0.1}, "noise must be"),
        ({"strength": 1.5}, "strength must lie between 0 and 1"),
        ({"graph": "no"}, "graph must be True, False or None"),
        ({"n_components": 0, "n_graph_components": 0}, "leaves no coordinates"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"n_init": 0}, "n_init must be at least 1"),
    ],
)
def test_bad_parameters_are_refused_by_name(params, message):
    with pytest.raises(ValueError, match=message):
        BentMetric(2, **params).fit(np.arange(12.0)[:, None], must_link=[[0, 1]])


def test_pairs_that_are_no_rows_are_refused_by_name():
    with pytest.raises(ValueError, match="cannot_link has index 12"):
        BentMetric(2).fit(np.arange(12.0)[:, None], cannot_link=[[0, 12]])


# --------------------------------------------------------------------------------- many samples


def test_of_many_samples_the_coordinates_come_from_landmarks(monkeypatch, rng):
    """Landmarks keep their coordinates; the others get theirs as new samples do, in batches."""
    X, y = make_two_moons(300, random_state=0)
    monkeypatch.setattr(coordinates_module, "MOST_LANDMARKS", 100)
    monkeypatch.setattr(coordinates_module, "BATCH", 70)
    place = coordinates(X)
    assert len(place.X) == 100
    assert np.allclose(place(X), np.vstack([place(x[None]) for x in X]))
    must, cannot = sample(y, 20, 20, random_state=0)
    model = fitted(X, must, cannot)
    assert np.array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_index(y, model.labels_) > 0.9


def test_bent_coordinates_are_the_coordinates(rng):
    X = rng.normal(size=(40, 3))
    model = BentCoordinates(5, n_graph_components=4, n_neighbors=6).fit(X)
    place = coordinates(X, n_components=5, n_graph_components=4, n_neighbors=6)
    new = rng.normal(size=(7, 3))
    assert np.allclose(model.transform(new), place(new))
    with pytest.raises(ValueError, match="leaves no coordinates"):
        BentCoordinates(0, n_graph_components=0).fit(X)


def test_spaces_of_a_task_without_coordinates_are_the_same(wine):
    X, _, must, cannot = wine
    tasks = [PairTask(X, must, cannot, 3, place) for place in (coordinates(X), None)]
    one, other = (next(iter(bent_spaces(task, [Way(0.0)])))[2] for task in tasks)
    assert np.allclose(one, other)


# ------------------------------------------------------------------- latent classes and pairs


def test_latent_classes_take_contradictory_pairs_where_some_are_believed_wrong(wine):
    X, y, must, cannot = wine
    both = np.vstack([must, cannot[:1]])
    with pytest.raises(ValueError, match="contradicts"):
        LatentClassPairs(3, random_state=0).fit(X, must_link=both, cannot_link=cannot)
    model = LatentClassPairs(3, noise=0.1, random_state=0)
    model.fit(X, must_link=both, cannot_link=cannot)
    assert adjusted_rand_index(y, model.labels_) > 0.8


def test_many_rows_are_thinned_for_the_choice_and_keep_their_pairs(rng):
    X = rng.normal(size=(3001, 3))
    must, cannot = np.array([[5, 2999], [7, 8]]), np.array([[0, 3000]])
    task = PairTask(X, must, cannot, 2)
    few = choosing.thinned(task)
    enough = replace(task, X=X[:3000], cannot=must)
    assert choosing.thinned(enough) is enough
    assert len(few.X) <= choosing.N_ROWS + 6
    for pairs, thin in zip(task.pairs, few.pairs, strict=True):
        np.testing.assert_array_equal(few.X[thin], X[pairs])
