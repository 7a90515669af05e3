"""LatentClassPairs: its objective, its coordinates, invariants along its steps, bad input."""

from dataclasses import FrozenInstanceError
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from umlbook import LatentClassPairs
from umlbook.constraints import restrict, sample
from umlbook.datasets import load, make_circle, make_two_moons
from umlbook.latent import (
    LatentProblem,
    coordinates,
    log_responsibilities,
    objective,
    pair_terms,
    same_class,
    split,
    start_at,
)
from umlbook.scores import adjusted_rand_index


@pytest.mark.filterwarnings("ignore:LatentClassPairs was given no:UserWarning")
@parametrize_with_checks([LatentClassPairs(), LatentClassPairs(n_graph_components=0)])
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def moons():
    """Data, truth, must-link and cannot-link pairs."""
    X, y = make_two_moons(80, random_state=1)
    return X, y, *sample(y, 8, 8, random_state=1)


def fitted(X, must, cannot, n_clusters=2, **params):
    model = LatentClassPairs(n_clusters, random_state=0, **params)
    return model.fit(X, must_link=must, cannot_link=cannot)


def small_problem(seed=0, **changes):
    rng = np.random.default_rng(seed)
    given = {
        "P": rng.normal(size=(12, 4)),
        "must": np.array([[0, 1], [0, 2], [4, 9]]),
        "cannot": np.array([[0, 5], [6, 7]]),
        "n_clusters": 3,
        "lam": 0.4,
        "balance": 1.0,
        "ridge": 0.01,
    }
    return LatentProblem(**(given | changes)), rng.normal(size=15)


# --------------------------------------------------------------------------------- objective


def naive_objective(weights, problem):
    """J by loops over samples, classes and pairs, in probabilities and not in logarithms."""
    B, b = weights[:-3].reshape(-1, 3), weights[-3:]
    r = []
    for p in problem.P:
        odds = [np.exp(sum(p[a] * B[a, c] for a in range(len(p))) + b[c]) for c in range(3)]
        r.append([o / sum(odds) for o in odds])
    together = {
        (i, j): sum(r[i][c] * r[j][c] for c in range(3)) for i in range(12) for j in range(12)
    }
    doubt = problem.noise
    said = {ij: (1 - doubt) * q + doubt * (1 - q) for ij, q in together.items()}
    pairs = [-np.log(said[i, j]) for i, j in problem.must]
    pairs += [-np.log(1 - said[i, j]) for i, j in problem.cannot]
    unsure = -sum(v * np.log(v) for row in r for v in row) / len(r)
    mean = [sum(row[c] for row in r) / len(r) for c in range(3)]
    even = -sum(v * np.log(v) for v in mean)
    ridge = problem.ridge / 2 * sum(v**2 for v in B.ravel()) + 1e-4 * sum(v**2 for v in b)
    return sum(pairs) / len(pairs) + problem.lam * (unsure - problem.balance * even) + ridge


@settings(max_examples=25)
@given(st.integers(0, 10**6), *[st.floats(0, 2)] * 2, st.floats(0, 1), st.floats(0, 0.4))
def test_objective_is_the_one_of_the_loops(seed, lam, balance, ridge, noise):
    changes = {"lam": lam, "balance": balance, "ridge": ridge, "noise": noise}
    problem, weights = small_problem(seed, **changes)
    expected = naive_objective(weights, problem)
    assert objective(weights, problem)[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("size", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(
    "changes",
    [{}, {"lam": 0.0}, {"balance": 0.0}, {"ridge": 0.0}, {"must": np.empty((0, 2), int)},
     {"cannot": np.empty((0, 2), int)}, {"noise": 0.1}],
)  # fmt: skip
def test_gradient_is_that_of_the_objective(size, changes):
    problem, weights = small_problem(**changes)
    value, slope = (lambda w, part=part: objective(w, problem)[part] for part in (0, 1))
    assert check_grad(value, slope, size * weights) < 1e-6


def test_objective_and_gradient_stay_finite_where_all_is_certain():
    """1 - r_i . r_j is zero to all digits there, and its logarithm is about -1e4."""
    problem, weights = small_problem()
    same = np.zeros_like(weights)
    same[-3:] = [1e4, 0.0, 0.0]
    for extreme in (same, 1e4 * weights):
        value, slope = objective(extreme, problem)
        assert np.isfinite(value) and np.isfinite(slope).all()
    log_r = np.array([[0.0, -50.0], [0.0, -60.0]])
    log_p = pair_terms(log_r, np.array([[0, 1]]), same=False)[0]
    assert log_p == pytest.approx(-50.0, abs=1e-4)


def test_class_of_an_end_is_that_of_bayes():
    r = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
    _, first, second = pair_terms(np.log(r), np.array([[0, 1]]), same=True)
    assert np.allclose(first, r[0] * r[1] / (r[0] @ r[1])) and np.allclose(first, second)
    _, first, second = pair_terms(np.log(r), np.array([[0, 1]]), same=False)
    assert np.allclose(first, r[0] * (1 - r[1]) / (1 - r[0] @ r[1]))
    assert np.allclose(second, r[1] * (1 - r[0]) / (1 - r[0] @ r[1]))


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_renaming_the_classes_changes_nothing(seed):
    problem, weights = small_problem(seed)
    rows = weights.reshape(-1, 3)
    values = [
        objective(rows[:, order].ravel(), problem)[0] for order in map(list, permutations(range(3)))
    ]
    assert np.allclose(values, values[0], rtol=1e-12)
    r = np.exp(log_responsibilities(problem.P, *split(weights, problem)))
    assert np.allclose(same_class(r, r), same_class(r[:, [2, 0, 1]], r[:, [2, 0, 1]]))


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_certain_pairs_are_transitive_and_there_are_at_most_k_strangers(seed, n_classes):
    """P(i, k) >= P(i, j) + P(j, k) - 1; of K + 1 samples two have 1 / K or more."""
    r = np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.3), size=n_classes + 1)
    P = same_class(r, r)
    assert (P[:, None, :] >= P[:, :, None] + P[None, :, :] - 1 - 1e-12).all()
    assert P[np.triu_indices(n_classes + 1, k=1)].max() >= 1 / n_classes - 1e-12


def test_a_start_puts_samples_with_the_nearest_centre(rng):
    centers, P = rng.normal(size=(3, 4)), rng.normal(size=(50, 4))
    problem = small_problem()[0]
    r = log_responsibilities(P, *split(start_at(centers), problem))
    assert np.array_equal(r.argmax(axis=1), cdist(P, centers).argmin(axis=1))


# ------------------------------------------------------------------------------- coordinates


def test_blocks_have_equal_size_and_unit_does_not_matter(rng):
    X = rng.normal(size=(60, 3))
    place = coordinates(X)
    sizes = [np.mean(np.sum(part**2, axis=1)) for part in place.parts(X)]
    assert np.allclose(sizes, 0.5)
    larger = coordinates(1000 * X)
    assert np.allclose(cdist(place(X), place(X)), cdist(larger(1000 * X), larger(1000 * X)))


def test_training_samples_keep_their_coordinates_when_they_come_again(rng):
    """The extension divides by the eigenvalue: at a training sample that is the eigenequation."""
    X = rng.normal(size=(50, 2))
    place = coordinates(X, n_components=0)
    (block,) = place.blocks
    D = cdist(X, X)
    near = np.maximum.outer(block.reach, block.reach) >= D
    W = np.where(near, np.exp(-(D**2) / np.outer(block.scale, block.scale)), 0.0)
    walk = W / W.sum(axis=1, keepdims=True)
    P = block.at(D)
    omega = np.sum(P * (walk @ P), axis=0) / np.sum(P * P, axis=0)
    assert np.allclose(walk @ P, omega * P, atol=1e-10)
    assert (W.sum(axis=1) @ P == pytest.approx(0.0, abs=1e-9)) and omega.min() > 0.1
    assert np.allclose(place(X[7:8]), place(X)[7:8], rtol=1e-12)


def test_eigenvectors_of_the_graph_have_unit_variance_under_the_degrees(rng):
    X = rng.normal(size=(50, 2))
    (block,) = coordinates(X, n_components=0).blocks
    D = cdist(X, X)
    near = np.maximum.outer(block.reach, block.reach) >= D
    W = np.where(near, np.exp(-(D**2) / np.outer(block.scale, block.scale)), 0.0)
    share = W.sum(axis=1) / W.sum()
    P = block.at(D)
    omega = np.sum(P * (W / W.sum(axis=1, keepdims=True) @ P), axis=0) / np.sum(P * P, axis=0)
    assert np.allclose(share @ P**2, (1 - 0.99) / (1 - 0.99 * omega))


def test_a_graph_in_two_pieces_has_a_coordinate_that_tells_them_apart(rng):
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 100])
    P = coordinates(X, n_components=0)(X)
    piece = np.repeat([0, 1], 30)
    within = max(np.ptp(P[piece == c, 0]) for c in (0, 1))
    assert within < 1e-9 < 0.1 < abs(P[0, 0] - P[-1, 0])


def test_samples_that_are_all_equally_far_apart_have_all_their_kernel_coordinates():
    # nearly all eigenvalues are equal, and a solver for the leading ones alone finds too few
    place = coordinates(np.eye(300), n_components=30, n_graph_components=0)
    Z = place(np.eye(300))
    assert Z.shape == (300, 30)
    assert np.linalg.matrix_rank(Z) == 30


def test_samples_far_away_and_many_equal_ones_have_finite_coordinates(rng):
    X = np.vstack([np.zeros((15, 2)), rng.normal(size=(15, 2))])
    place = coordinates(X)
    assert np.isfinite(place(X)).all()
    assert np.isfinite(place(np.array([[1e6, -1e6], [0.0, 1e-12]]))).all()


# ----------------------------------------------------------------------------------- results


def test_shapes_that_kmeans_cuts_are_found_from_few_pairs():
    for make in (make_two_moons, make_circle):
        X, y = make(100, random_state=0)
        scores = [
            adjusted_rand_index(y, fitted(X, *sample(y, 10, 10, random_state=s)).labels_)
            for s in range(5)
        ]
        plain = KMeans(2, n_init=10, random_state=0).fit_predict(X)
        assert np.mean(scores) > adjusted_rand_index(y, plain) + 0.3


def test_more_classes_than_two_and_new_samples():
    iris = load("iris")
    train, test = np.arange(150) % 3 > 0, np.arange(150) % 3 == 0
    X, y = iris.data[train], iris.target[train]
    model = fitted(X, *sample(y, 20, 20, random_state=0), n_clusters=3)
    assert adjusted_rand_index(y, model.labels_) > 0.8
    assert adjusted_rand_index(iris.target[test], model.predict(iris.data[test])) > 0.8


def test_pairs_have_the_probabilities_of_their_kind(moons):
    X, _, must, cannot = moons
    model = fitted(X, must, cannot)
    P = model.pair_probability(X, X)
    r = model.predict_proba(X)
    assert np.allclose(r.sum(axis=1), 1) and np.allclose(P, r @ r.T)
    assert P[tuple(must.T)].min() > 0.5 > P[tuple(cannot.T)].max()


def test_labels_are_the_prediction_of_the_training_samples(moons):
    X, _, must, cannot = moons
    model = fitted(X, must, cannot)
    assert np.array_equal(model.predict(X.copy()), model.labels_)
    assert np.array_equal(model.predict_proba(X).argmax(axis=1), model.labels_)
    assert np.array_equal(model.transform(X), model.embedding_)
    weights = model.predict_proba(X)
    assert np.allclose(
        model.cluster_centers_ * weights.sum(axis=0)[:, None], weights.T @ model.embedding_
    )


def test_a_pair_that_may_be_wrong_does_not_tear_neighbours_apart(rng):
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 2)) + 6 * y[:, None]
    right = np.column_stack([np.arange(5), 20 + np.arange(5)])
    wrong = np.array([[10, 11]])
    cannot = np.concatenate([right, wrong])
    said = {
        noise: fitted(X, None, cannot, noise=noise).pair_probability(X[10:11], X[11:12]).item()
        for noise in (0.0, 0.3)
    }
    assert said[0.0] < 0.5 < 0.9 < said[0.3]


# --------------------------------------------------------------------------- along the steps


@pytest.mark.parametrize("params", [{}, {"lam": 2.0}, {"ridge": 0.0}, {"balance": 0.0}])
def test_objective_never_rises_along_the_steps(moons, params):
    X, _, must, cannot = moons
    model = LatentClassPairs(3, random_state=0, **params)
    states = list(model.steps(X, must_link=must, cannot_link=cannot))
    path = np.array([state.objective for state in states])
    assert len(path) > 5
    assert (np.diff(path) <= 1e-12 * np.abs(path[:-1])).all()
    assert not hasattr(model, "coef_"), "steps leave the estimator alone"


def test_a_state_shows_the_parts_of_its_objective_and_is_frozen(moons):
    X, _, must, cannot = moons
    model = LatentClassPairs(2, random_state=0)
    for state in model.steps(X, must_link=must, cannot_link=cannot):
        ridge = 0.03 / 16 / 2 * np.sum(state.coef**2) + 1e-4 * np.sum(state.intercept**2)
        parts = state.likelihood + 0.4 * (state.uncertainty - state.spread) + ridge
        assert state.objective == pytest.approx(parts)
        assert np.array_equal(state.labels, state.responsibilities.argmax(axis=1))
    with pytest.raises(FrozenInstanceError):
        state.objective = 0.0


def test_fit_keeps_the_lowest_of_six_starts_and_ends_at_a_stationary_point(moons):
    X, _, must, cannot = moons
    model = fitted(X, must, cannot)
    ends = [restart.objective for restart in model.restarts_]
    assert len(ends) == 6 and model.objective_ == min(ends)
    weights = np.vstack([model.coef_, model.intercept_]).ravel()
    problem = model._prepare(X, must, cannot)
    value, slope = objective(weights, problem)
    assert value == pytest.approx(model.objective_) and np.abs(slope).max() < 1e-3
    assert model.converged_


def test_max_iter_ends_early_with_a_warning(moons):
    X, _, must, cannot = moons
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        assert fitted(X, must, cannot, max_iter=3).n_iter_ == 3


@pytest.mark.filterwarnings("ignore:LatentClassPairs uses only")  # more classes than moons
@settings(max_examples=8)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_any_pairs_give_finite_answers(seed, n_clusters):
    X, y = make_two_moons(24, random_state=seed)
    must, cannot = sample(y, 5, 5, random_state=seed)
    if n_clusters == 1:
        cannot = None
    model = fitted(X, must, cannot, n_clusters, n_init=1)
    assert np.isfinite(model.objective_path_).all() and np.isfinite(model.coef_).all()
    assert set(model.labels_) <= set(range(n_clusters))


# ------------------------------------------------------------------------------- conventions


def test_one_or_two_threads_and_both_precisions_agree(moons):
    X, _, must, cannot = moons
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(fitted(X, must, cannot))
    assert np.array_equal(found[0].labels_, found[1].labels_)
    assert found[0].objective_ == pytest.approx(found[1].objective_, rel=1e-6)
    single = X.astype(np.float32)
    narrow, wide = (fitted(data, must, cannot) for data in (single, single.astype(np.float64)))
    assert np.array_equal(narrow.coef_, wide.coef_)


def test_without_pairs_certainty_and_balance_decide_and_it_says_so(moons):
    X = moons[0]
    for side in ({}, {"must_link": [], "cannot_link": np.empty((0, 2), int)}):
        with pytest.warns(UserWarning, match="given no must_link and no cannot_link"):
            model = LatentClassPairs(2, random_state=0).fit(X, **side)
        assert np.bincount(model.labels_, minlength=2).min() > 20


def test_pairs_of_one_kind_do_not_make_one_class(moons):
    X, _, must, cannot = moons
    for side in ({"must_link": must}, {"cannot_link": cannot}):
        model = LatentClassPairs(2, random_state=0).fit(X, **side)
        assert len(np.unique(model.labels_)) == 2


def test_one_pair_leaves_all_classes_in_use():
    """One must-link between two species of iris put all samples into one class once."""
    X = load("iris").data
    model = LatentClassPairs(3, random_state=0).fit(X, must_link=[[0, 100]])
    assert np.bincount(model.labels_, minlength=3).min() > 10


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.booleans())
def test_all_classes_are_used_where_there_are_rows_enough(seed, n_clusters, whole):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(8, 30), rng.integers(1, 4)))
    X = np.round(X) if whole else X
    if len(np.unique(X, axis=0)) < n_clusters:
        return
    model = LatentClassPairs(n_clusters, random_state=0).fit(X, must_link=[[0, 1]])
    assert np.array_equal(np.unique(model.labels_), np.arange(n_clusters))
    assert np.array_equal(model.predict(X), model.labels_)


def test_fewer_different_rows_than_classes_are_said_in_a_warning(rng):
    X = np.repeat(rng.normal(size=(2, 2)), 6, axis=0)
    with pytest.warns(ConvergenceWarning, match="uses only 2 of n_clusters=3"):
        LatentClassPairs(3, random_state=0).fit(X, must_link=[[0, 1]])


def test_certainty_without_balance_may_leave_classes_empty(moons):
    """PM's wish alone is granted by one class; the balance forbids it."""
    X, _, must, _ = moons
    unbalanced = fitted(X, must, None, lam=5.0, balance=0.0)
    assert unbalanced.class_seeds_ and len(np.unique(unbalanced.labels_)) == 2
    balanced = fitted(X, must, None, lam=5.0, balance=1.0)
    uneven = [model.predict_proba(X).mean(axis=0).min() for model in (unbalanced, balanced)]
    assert uneven[0] < 0.05 < 0.4 < uneven[1]


def test_equal_rows_and_one_cluster():
    with pytest.raises(ValueError, match="n_samples=5 rows are all equal"):
        LatentClassPairs(2).fit(np.ones((5, 2)))
    X, y = make_two_moons(20, random_state=0)
    must, cannot = sample(y, 3, 3, random_state=0)
    assert (fitted(X, must, None, n_clusters=1).labels_ == 0).all()
    with pytest.raises(ValueError, match="n_clusters=1 has no two classes"):
        fitted(X, must, cannot, n_clusters=1)


BAD = [
    ({"must_link": [[0, 1], [1, 2]], "cannot_link": [[0, 2]]}, {}, r"\(0, 2\) contradicts"),
    ({"must_link": [[0, 99]]}, {}, "has index 99 but X has 80 rows.*restrict"),
    ({"cannot_link": [[4, 4]]}, {}, "sample 4 with itself"),
    ({"must_link": [[0, 1, 2]]}, {}, r"shape \(n_pairs, 2\)"),
    ({}, {"lam": -1.0}, "lam must be"),
    ({}, {"ridge": np.nan}, "ridge must be"),
    ({}, {"balance": np.inf}, "balance must be"),
    ({}, {"tol": -1.0}, "tol must be"),
    ({}, {"noise": 0.5}, "exchange must_link and cannot_link"),
    ({}, {"n_neighbors": 0}, "n_neighbors must be"),
    ({}, {"n_components": -1}, "n_components must be"),
    ({}, {"n_components": 0, "n_graph_components": 0}, "leaves no coordinates"),
    ({}, {"n_clusters": 0}, "n_clusters must be"),
]


@pytest.mark.parametrize(("side", "params", "says"), BAD)
def test_bad_input_is_told_what_is_wanted(moons, side, params, says):
    X, _, must, cannot = moons
    pairs = side or {"must_link": must, "cannot_link": cannot}
    with pytest.raises(ValueError, match=says):
        LatentClassPairs(**params).fit(X, **pairs)


def test_pairs_follow_a_fold_by_restriction(moons):
    X, _, must, cannot = moons
    train = np.arange(60)
    model = fitted(X[train], restrict(must, train), restrict(cannot, train))
    assert model.predict_proba(X[60:]).shape == (20, 2)
