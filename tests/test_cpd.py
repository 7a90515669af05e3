"""CPD-UML as an algorithm and an estimator: invariants along its steps, starts, kernels, choice."""

import warnings
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from umlbook.algebra import centered, cluster_means, indicator, kmeans_objective
from umlbook.cpd import (
    CPDUML,
    deformation,
    kmeans_labels,
    lloyd_labels,
    neighbor_graph,
    no_move,
    normalized_cut,
    objective,
    select,
    spectral_labels,
)
from umlbook.cpd.field import FieldProblem, full_basis, landmark_basis
from umlbook.datasets import make_two_moons
from umlbook.experiments.papers import cpd as tables
from umlbook.kernels import distances, rbf
from umlbook.scores import clustering_accuracy


@parametrize_with_checks(
    [
        CPDUML(),
        CPDUML(y_step="spectral", init="kmeans"),
        CPDUML(kernel="rbf", n_components=3),
        CPDUML(penalty="smoothness", n_init=2),
        CPDUML(n_landmarks=1),
    ]
)
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def moons():
    return make_two_moons(120, noise=0.1, random_state=3)


def settled(**params):
    """A model that may stop early without a word: what it says is not the point here."""
    return CPDUML(2, sigma=1.0, random_state=0, **params)


# ------------------------------------------------------------------------------- two moons


def mean_accuracy(fit, seeds=20):
    sets = [make_two_moons(200, noise=0.1, random_state=seed) for seed in range(seeds)]
    return np.mean([clustering_accuracy(y, fit(X)) for X, y in sets])


def test_two_moons_are_found_with_the_default_steps():
    model = CPDUML(2, sigma=1.0, lam=100.0, random_state=0)
    assert mean_accuracy(model.fit_predict) >= 0.99
    assert 0.70 <= mean_accuracy(lambda X: kmeans_labels(X, 2)) <= 0.80


@pytest.mark.parametrize("init", ["kmeans", "spectral"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_moons_are_found_by_the_papers_reading(init):
    model = CPDUML(2, sigma=1.0, lam=100.0, y_step="spectral", init=init, random_state=0)
    assert mean_accuracy(model.fit_predict) >= 0.94


def test_two_moons_are_found_with_the_smoothness_of_point_drift():
    assert mean_accuracy(settled(penalty="smoothness").fit_predict, seeds=5) >= 0.98


# ---------------------------------------------------------------- invariants along the steps


@pytest.mark.parametrize("penalty", ["coefficients", "smoothness"])
@pytest.mark.parametrize("lam", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("init", ["kmeans", "spectral"])
def test_objective_never_rises_with_lloyd_in_either_half_step(moons, penalty, lam, init):
    states = list(settled(lam=lam, init=init, penalty=penalty).steps(moons[0]))
    path = [J for state in states for J in (state.before, state.objective)]
    assert len(path) >= 4
    assert np.all(np.diff(path) <= 1e-10 * path[0])


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.floats(-2, 4), st.floats(-1, 1))
def test_objective_never_rises_with_lloyd_whatever_the_data(seed, n_clusters, log_lam, log_sigma):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 2)) + rng.integers(0, 3, (25, 1))
    model = CPDUML(n_clusters, sigma=10**log_sigma, lam=10**log_lam, max_iter=8, random_state=0)
    path = [J for s in model.steps(X) for J in (s.before, s.objective)]
    assert np.all(np.diff(path) <= 1e-9 * path[0])


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
@pytest.mark.parametrize("penalty", ["coefficients", "smoothness"])
def test_objective_does_not_rise_with_lloyd_far_from_the_origin(offset, penalty):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n, n_clusters = int(rng.integers(8, 40)), int(rng.integers(2, 6))
        X = rng.normal(size=(n, int(rng.integers(1, 4)))) + offset
        start, lam = rng.permutation(np.arange(n) % n_clusters), 10 ** rng.uniform(-3, 2)
        model = CPDUML(n_clusters, sigma=1.0, lam=lam, init=start, penalty=penalty, max_iter=20)
        path = [J for s in model.steps(X) for J in (s.before, s.objective)]
        assert np.all(np.diff(path) <= 1e-8 * path[0]), seed  # X has seven digits left at 1e9


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.floats(-6, 4))
def test_objective_does_not_rise_with_lloyd_where_rows_are_repeated(seed, n_clusters, log_lam):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(20, 3)).astype(float)[rng.integers(0, 20, 20)]
    model = CPDUML(n_clusters, sigma=1.0, lam=10**log_lam, max_iter=8, random_state=0)
    path = [J for s in model.steps(X) for J in (s.before, s.objective)]
    assert np.all(np.diff(path) <= 1e-12 * np.sum(X**2))  # J itself may be zero to rounding


def test_labels_far_from_the_origin_are_those_near_it(moons):
    X, start = moons[0], kmeans_labels(moons[0], 2)
    near = settled(lam=40.0, init=start).fit(X)
    far = settled(lam=40.0, init=start).fit(X + 1e9)
    np.testing.assert_array_equal(near.labels_, far.labels_)
    np.testing.assert_array_equal(far.labels_, far.restarts_[0].labels)


def test_each_state_holds_the_best_field_for_the_labels_it_was_given(moons):
    X, lam = moons[0], 50.0
    G = rbf(X, sigma=1.0)
    states = list(settled(lam=lam).steps(X))
    for before, after in pairwise(states):
        np.testing.assert_array_equal(after.given, before.labels)
    for state in states:
        Y, new_Y = indicator(state.given, 2), indicator(state.labels, 2)
        np.testing.assert_allclose(state.psi, deformation(X, G, Y, lam), atol=1e-12)
        np.testing.assert_allclose(state.moved, X + G @ state.psi, atol=1e-12)
        assert state.before == pytest.approx(objective(X, G, Y, state.psi, lam), rel=1e-10)
        assert state.objective == pytest.approx(objective(X, G, new_Y, state.psi, lam), rel=1e-10)
        np.testing.assert_allclose(state.centers, cluster_means(state.moved, state.labels))


def test_field_and_labels_match_at_the_end(moons):
    states = list(settled(lam=100.0).steps(moons[0]))
    np.testing.assert_array_equal(states[-1].given, states[-1].labels)
    assert states[-1].before == pytest.approx(states[-1].objective, rel=1e-12)


def test_spectral_step_can_raise_the_objective(moons):
    model = settled(lam=10.0, y_step="spectral", max_iter=10)
    path = [J for s in model.steps(moons[0]) for J in (s.before, s.objective)]
    assert np.max(np.diff(path)) > 1e-3 * path[0]


def test_a_cycle_of_the_spectral_step_is_detected_and_said():
    X, _ = make_two_moons(200, noise=0.1, random_state=CYCLE["seed"])
    model = CPDUML(
        2, sigma=CYCLE["sigma"], lam=CYCLE["lam"], y_step="spectral", init="kmeans", random_state=0
    )
    with pytest.warns(ConvergenceWarning, match="cycle"):
        model.fit(X)
    assert not model.converged_
    assert model.n_iter_ < model.max_iter
    np.testing.assert_array_equal(model.labels_, model.predict(X))


CYCLE = {"seed": 6, "sigma": 2.0, "lam": 1000.0}


def test_stopping_early_warns_and_keeps_labels_and_predictions_together(moons):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = settled(lam=100.0, init="kmeans", max_iter=1).fit(moons[0])
    np.testing.assert_array_equal(model.labels_, model.predict(moons[0]))


# ------------------------------------------------------------------------------ invariances


def test_scaling_data_and_width_together_changes_no_labels(moons):
    X = moons[0]
    labels = CPDUML(2, sigma=0.8, lam=40.0, random_state=0).fit_predict(X)
    scaled = CPDUML(2, sigma=8.0, lam=40.0, random_state=0).fit(10 * X)
    np.testing.assert_array_equal(labels, scaled.labels_)


def test_moving_and_turning_the_data_changes_no_labels_from_given_ones(moons, rng):
    X = moons[0]
    turn, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    start = kmeans_labels(X, 2)
    labels = settled(lam=40.0, init=start).fit_predict(X)
    np.testing.assert_array_equal(labels, settled(lam=40.0, init=start).fit_predict(X @ turn + 7.0))


def test_default_lam_grows_with_the_square_of_n(moons):
    X = moons[0]
    assert CPDUML(2, random_state=0).fit(X).lam_ == pytest.approx(2.5e-3 * 120**2)
    doubled = CPDUML(2, random_state=0).fit(np.repeat(X, 2, axis=0))
    assert doubled.lam_ == pytest.approx(1e-2 * 120**2)


def test_repeating_every_row_changes_no_labels_at_the_default_lam(moons):
    X = moons[0]
    labels = CPDUML(2, sigma=1.0, random_state=0).fit_predict(X)
    twice = CPDUML(2, sigma=1.0, random_state=0).fit_predict(np.repeat(X, 2, axis=0))
    assert clustering_accuracy(np.repeat(labels, 2), twice) == 1.0


# --------------------------------------------------------------------------------- new points


def test_training_points_move_where_the_last_state_has_them(moons):
    X = moons[0]
    model = settled(lam=100.0).fit(X)
    last = list(settled(lam=100.0).steps(X))[-1]
    np.testing.assert_allclose(model.transform(X), last.moved, atol=1e-10)
    np.testing.assert_array_equal(model.labels_, last.labels)
    assert model.objective_ == last.objective
    assert model.psi_.shape == X.shape


def test_far_away_points_do_not_move(moons):
    model = settled(lam=100.0).fit(moons[0])
    far = np.array([[1e3, -1e3]])
    np.testing.assert_array_equal(model.transform(far), far)


def test_new_points_of_the_moons_get_the_labels_of_their_moon():
    X, y = make_two_moons(400, noise=0.1, random_state=1)
    model = settled(lam=100.0).fit(X[:200])
    assert clustering_accuracy(y[200:], model.predict(X[200:])) > 0.97


# --------------------------------------------------------------------------------- the control


def test_the_control_moves_nothing_and_is_plain_kmeans_from_the_same_start(moons):
    X = moons[0]
    control = no_move(settled(lam=100.0)).fit(X)
    assert not control.psi_.any()
    np.testing.assert_array_equal(control.transform(X), X)
    assert control.objective_ == pytest.approx(kmeans_objective(X, control.labels_))
    start = spectral_labels(X, 2)
    np.testing.assert_array_equal(control.labels_, lloyd_labels(X, start, 2))


def test_a_very_large_lam_is_close_to_the_control(moons):
    X = moons[0]
    stiff = settled(lam=1e12).fit(X)
    np.testing.assert_allclose(stiff.transform(X), X, atol=1e-6)
    np.testing.assert_array_equal(stiff.labels_, no_move(stiff).fit(X).labels_)


def test_no_repulsion_a_small_lam_draws_everything_together(moons):
    X = moons[0]
    spread = [np.linalg.norm(centered(settled(lam=lam).fit(X).transform(X)))
              for lam in (100.0, 1.0, 1e-3)]  # fmt: skip
    assert spread[0] > spread[1] > spread[2]


# --------------------------------------------------------------------- kernel PCA and landmarks


def test_kernel_coordinates_have_the_distances_of_the_kernel(moons):
    X = moons[0]
    model = CPDUML(2, kernel="rbf", kernel_sigma=0.7, random_state=0).fit(X)
    K = rbf_kernel(X, gamma=1 / (2 * 0.7**2))
    wanted = 2 - 2 * K
    np.testing.assert_allclose(distances(model.X_fit_, squared=True), wanted, atol=1e-6)
    np.testing.assert_allclose(model.X_fit_.mean(axis=0), 0.0, atol=1e-10)


def test_kernel_version_with_a_linear_kernel_is_the_plain_version(moons):
    X = moons[0]
    start = kmeans_labels(X, 2)
    plain = settled(lam=50.0, init=start).fit(X)
    through = settled(lam=50.0, init=start, kernel=lambda A, B: A @ B.T).fit(X)
    assert through.X_fit_.shape == X.shape
    np.testing.assert_array_equal(plain.labels_, through.labels_)
    assert through.objective_ == pytest.approx(plain.objective_, rel=1e-9)


def test_kernel_version_labels_new_points_and_keeps_the_components_asked_for(moons):
    X = moons[0]
    model = CPDUML(2, kernel="rbf", kernel_sigma=0.5, n_components=4, random_state=0).fit(X)
    assert model.transform(X[:7]).shape == (7, 4)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("penalty", ["coefficients", "smoothness"])
@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0])
def test_landmarks_at_every_sample_give_the_full_field(moons, sigma, penalty):
    X, Y = moons[0], indicator(kmeans_labels(moons[0], 2))
    full = FieldProblem(X, full_basis(X, sigma), 10.0, penalty).best_field(Y)
    thin = FieldProblem(X, landmark_basis(X, X, sigma), 10.0, penalty).best_field(Y)
    np.testing.assert_allclose(thin.moved, full.moved, atol=1e-9)
    assert thin.cost == pytest.approx(full.cost, rel=1e-6)


def test_landmarks_carry_the_field_to_all_samples(moons):
    X, Y = moons[0], indicator(kmeans_labels(moons[0], 2))
    basis = landmark_basis(X, X[::4], 1.0)
    field = FieldProblem(X, basis, 10.0).best_field(Y)
    np.testing.assert_allclose(X + rbf(X, X[::4], sigma=1.0) @ field.psi, field.moved, atol=1e-8)


def test_few_landmarks_find_the_moons():
    X, y = make_two_moons(3000, noise=0.1, random_state=0)
    model = CPDUML(2, n_landmarks=60, random_state=0).fit(X)
    assert model.psi_.shape == model.X_fit_.shape == (60, 2)
    assert clustering_accuracy(y, model.labels_) > 0.98


# ------------------------------------------------------------------------------------- choice


def naive_cut(X, labels, k):
    """The definition, pair by pair."""
    D = distances(X)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1, kind="stable")[:, :k]
    W = np.zeros_like(D)
    for i, row in enumerate(near):
        W[i, row] = 1
    W = np.maximum(W, W.T)
    total = 0.0
    for c in np.unique(labels):
        inside = labels == c
        total += W[np.ix_(inside, ~inside)].sum() / W[inside].sum()
    return total


@pytest.mark.parametrize("k", [1, 4, 10])
def test_normalized_cut_equals_its_definition(moons, k, rng):
    X = moons[0]
    labels = rng.integers(0, 3, len(X))
    found = normalized_cut(neighbor_graph(X, k), labels, 3)
    assert found == pytest.approx(naive_cut(X, labels, k), rel=1e-12)


def test_an_empty_cluster_is_never_chosen(moons):
    graph = neighbor_graph(moons[0])
    assert normalized_cut(graph, np.zeros(120, dtype=int), 2) == np.inf


def test_select_finds_the_moons_without_labels():
    sets = [make_two_moons(200, noise=0.1, random_state=seed) for seed in range(5)]
    scores = [clustering_accuracy(y, select(X, 2, random_state=0).best.labels) for X, y in sets]
    assert np.mean(scores) >= 0.96


def test_select_returns_what_the_estimator_then_finds(moons):
    X = moons[0]
    choice = select(X, 2, sigmas=[0.5, 1.0], lams=[10.0, 40.0], random_state=0)
    assert len(choice.candidates) == 4
    assert choice.best.cut == min(c.cut for c in choice.candidates)
    for c in choice.candidates:
        model = CPDUML(2, sigma=c.sigma, lam=c.lam, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, c.labels)
        assert model.objective_ == pytest.approx(c.objective, rel=1e-12)


def test_the_objective_would_choose_the_smallest_lam(moons):
    X = moons[0]
    found = select(X, 2, sigmas=[1.0], lams=[1e-2, 1.0, 40.0], random_state=0).candidates
    assert [c.lam for c in sorted(found, key=lambda c: c.objective)] == [1e-2, 1.0, 40.0]


@pytest.fixture
def strips():
    """Three long parallel strips: a cut across them has the smaller objective."""
    rng = np.random.default_rng(1)
    along = rng.uniform(0, 8, 90)
    return np.column_stack([along, 1.5 * np.repeat([0, 1, 2], 30) + 0.1 * rng.normal(size=90)])


@pytest.mark.parametrize("noise_seed", [None, 0, 1, 2, 3])
def test_of_several_starts_the_one_of_least_cut_is_kept_and_not_the_one_of_least_objective(
    strips, noise_seed
):
    X = strips
    if noise_seed is not None:  # the choice must not hang on the last digits
        X = X * (1 + 1e-9 * np.random.default_rng(noise_seed).normal(size=X.shape))
    model = CPDUML(3, sigma=2.0, lam=20.0, init="kmeans", n_init=8, random_state=0).fit(X)
    graph = neighbor_graph(X)
    cuts = np.array([normalized_cut(graph, restart.labels, 3) for restart in model.restarts_])
    objectives = np.array([restart.objective for restart in model.restarts_])
    assert len(cuts) == 8
    assert normalized_cut(graph, model.labels_, 3) == cuts.min()
    assert cuts.min() < 0.6 * cuts[objectives.argmin()], "the two choices are far apart in cut"
    assert model.objective_ > 1.1 * objectives.min(), "and in objective"


def test_the_cut_that_chooses_is_that_of_the_graph_of_the_input(moons):
    X, y = moons
    model = CPDUML(2, n_init=2, kernel="rbf", n_components=2, random_state=0)
    problem = model._prepare(X)
    graph = neighbor_graph(X)
    sides = (X[:, 0] > X[:, 0].mean()).astype(int)
    true, split = (
        SimpleNamespace(last=SimpleNamespace(labels=labels, objective=J, moved=problem.field.X))
        for labels, J in ((y, 9.0), (sides, 1.0))
    )
    for run in (true, split):
        wanted = normalized_cut(graph, run.last.labels, 2)
        assert model._criterion(problem, run.last) == wanted
        assert wanted != normalized_cut(neighbor_graph(problem.field.X), run.last.labels, 2)
    assert model._criterion(problem, true.last) < model._criterion(problem, split.last)
    assert model._better(problem, true, split) is model._better(problem, split, true) is true


@pytest.mark.parametrize(
    "params", [{"n_init": 1}, {"n_clusters": 1, "n_init": 3}, {"init": np.arange(120) % 2}]
)
def test_where_there_is_nothing_to_choose_no_graph_is_made(moons, params):
    model = CPDUML(**{"n_clusters": 2, "n_init": 3, **params})
    problem = model._prepare(moons[0])
    state = SimpleNamespace(labels=np.arange(120) % model.n_clusters)
    assert model._criterion(problem, state) == 0.0
    assert "graph" not in vars(problem)


def test_neighbours_that_are_equally_near_are_all_joined(rng):
    grid = np.stack(np.meshgrid(range(6), range(5)), axis=-1).reshape(-1, 2).astype(float)
    graph = neighbor_graph(grid, 3).toarray()
    inner = (grid > 0).all(axis=1) & (grid < [5, 4]).all(axis=1)
    steps = np.abs(grid[:, None] - grid).sum(axis=2)
    np.testing.assert_array_equal(graph[inner][:, inner], (steps == 1)[inner][:, inner])
    for _ in range(3):
        noisy = grid * (1 + 1e-12 * rng.normal(size=grid.shape))
        np.testing.assert_array_equal(neighbor_graph(noisy, 3).toarray(), graph)
        order = rng.permutation(30)
        np.testing.assert_array_equal(
            neighbor_graph(grid[order], 3).toarray(), graph[np.ix_(order, order)]
        )


# ---------------------------------------------------------------------------------- edge cases


@pytest.mark.parametrize(
    ("params", "error", "says"),
    [
        ({"sigma": -1.0}, ValueError, "sigma must be a positive finite number"),
        ({"sigma": "mean"}, ValueError, "sigma must be a positive number or 'median'"),
        ({"lam": 0.0}, ValueError, "lam must be a positive finite number"),
        ({"lam": "big"}, TypeError, "lam must be a positive number"),
        ({"y_step": "ky-fan"}, ValueError, "y_step must be 'lloyd' or 'spectral'"),
        ({"init": "random"}, ValueError, "init must be 'spectral', 'kmeans' or an array"),
        ({"init": [0, 1]}, ValueError, "one integer label for each of the 120 samples"),
        ({"penalty": "l1"}, ValueError, "penalty must be one of 'coefficients', 'smoothness'"),
        ({"kernel": "cosine"}, ValueError, "kernel must be None, 'rbf' or a callable"),
        ({"kernel": "rbf", "kernel_sigma": 0}, ValueError, "kernel_sigma must be"),
        ({"kernel": "rbf", "n_components": 0}, ValueError, "n_components must be at least 1"),
        ({"n_landmarks": 121}, ValueError, "n_landmarks=121 is more than the 120 rows"),
        ({"n_landmarks": 1.5}, TypeError, "n_landmarks must be an integer"),
        ({"n_clusters": 0}, ValueError, "n_clusters must be at least 1"),
        ({"n_clusters": 121}, ValueError, "n_clusters=121 is more than the n_samples=120"),
    ],
)
def test_bad_parameters_are_named_with_what_is_wanted(moons, params, error, says):
    with pytest.raises(error, match=says):
        CPDUML(**params).fit(moons[0])


def test_bad_data_are_named_with_what_to_do(moons):
    X = moons[0].copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN at \[3, 1\]"):
        CPDUML().fit(X)
    with pytest.raises(ValueError, match="all rows are equal"):
        CPDUML().fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="at least one neighbour"):
        neighbor_graph([[0.0]])


def test_equal_rows_are_one_cluster_and_a_warning_says_so():
    with pytest.warns(ConvergenceWarning, match="uses only 1 of n_clusters=2"):
        model = CPDUML(2, sigma=1.0, random_state=0).fit(np.ones((5, 2)))
    assert model.objective_ == pytest.approx(0.0, abs=1e-20)
    np.testing.assert_array_equal(model.labels_, model.predict(np.ones((5, 2))))


def test_one_cluster_and_as_many_clusters_as_samples(moons):
    X = moons[0][:6]
    assert not CPDUML(1, random_state=0).fit_predict(X).any()
    assert sorted(CPDUML(6, random_state=0).fit_predict(X)) == list(range(6))


def test_single_precision_is_lifted_to_double(moons):
    X = moons[0].astype(np.float32)
    single = settled(lam=40.0).fit(X)
    double = settled(lam=40.0).fit(X.astype(np.float64))
    np.testing.assert_array_equal(single.labels_, double.labels_)
    assert single.psi_.dtype == np.float64
    assert single.objective_ == double.objective_


@pytest.mark.parametrize("y_step", ["lloyd", "spectral"])
def test_results_do_not_depend_on_the_number_of_threads(moons, y_step):
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            results.append(settled(lam=40.0, y_step=y_step).fit(moons[0]))
    one, two = results
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_allclose(one.psi_, two.psi_, atol=1e-8 * np.abs(one.psi_).max())
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-8)


# ------------------------------------------------------------------------- the paper's tables


@pytest.fixture(scope="module")
def stored():
    return tables.stored()


def test_stored_runs_are_complete_where_they_are_stored(stored):
    wanted = {
        (prefix + method, rule)
        for prefix in ("", "kernel ")
        for method in tables.METHODS
        for rule in ("label", "cut")
    }
    found = {}
    for row in stored:
        found.setdefault((row["dataset"], row["run"]), []).append((row["method"], row["rule"]))
    assert {name for name, _ in found} == set(tables.DATASETS)
    assert all(sorted(keys) == sorted(wanted) for keys in found.values())


def test_a_stored_run_can_be_recomputed(stored):
    """Other processors round differently, and k-means may end elsewhere: hence three points."""
    again = {(row["method"], row["rule"]): row for row in tables.run_rows("Cars", 0)}
    kept = [row for row in stored if (row["dataset"], row["run"]) == ("Cars", 0)]
    assert len(kept) == len(again) == 12
    for row in kept:
        for score in tables.SCORES:
            assert again[row["method"], row["rule"]][score] == pytest.approx(row[score], abs=3.0)


def test_schedule_has_every_run_of_every_set_once():
    everything = {(name, run) for name in tables.DATASETS for run in range(tables.N_RUNS)}
    assert len(list(tables.schedule())) == len(everything)
    assert set(tables.schedule()) == everything


def test_picks_look_at_nothing_but_their_own_rule():
    X, y = make_two_moons(60, noise=0.05, random_state=0)
    right, wrong = y.astype(int), (np.arange(60) % 2).astype(int)
    fits = [tables.Labelling("a", wrong, wrong), tables.Labelling("b", right, wrong)]
    assert tables.picked(fits, "cut", wrong, X, 2).method == "b"
    assert tables.picked(fits, "label", wrong, X, 2).method == "a"


def test_significance_and_ranking_are_those_of_a_t_test():
    low, high = np.array([1.0, 1.2, 1.1]), np.array([5.0, 5.2, 5.1])
    assert tables.significance(high, low) == 1
    assert tables.significance(low, high) == -1
    assert tables.significance(low, low + 0.01) == 0
    assert tables.significance(np.full(3, 2.0), np.full(3, 1.0)) == 1
    scores = tables.ranking({"low": low, "high": high, "same": high + 0.01})
    assert scores == {"low": 0.0, "high": 1.5, "same": 1.5}


def test_the_corrected_test_is_exact_for_equally_correlated_folds():
    """Any two fold differences with correlation 1/3, no true gain: 5 % of the tests say there is.

    The plain t-test on the same runs says so in most of them.
    """
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(4000, 1, 1)) * np.sqrt(1 / 3)
    folds = shared + rng.normal(size=(4000, 20, 3)) * np.sqrt(2 / 3)
    runs, zero = folds.mean(axis=2), np.zeros(20)
    corrected = np.mean([tables.corrected_p_value(run, zero) < 0.05 for run in runs])
    plain = np.mean(ttest_1samp(runs, 0, axis=1).pvalue < 0.05)
    assert corrected == pytest.approx(0.05, abs=0.015)
    assert plain > 0.5


def test_the_corrected_test_of_constant_differences_says_what_they_say():
    assert tables.corrected_p_value(np.full(20, 0.9), np.full(20, 0.5)) == 0.0
    assert tables.corrected_p_value(np.full(20, 0.5), np.full(20, 0.5)) == 1.0


def test_the_control_has_as_many_fits_to_pick_from_as_cpd_uml():
    X, _ = make_two_moons(60, noise=0.1, random_state=0)
    spec = tables.DATASETS["Cars"]
    ours = Counter(fit.method for fit in tables.own_fits(X[:40], X[40:], 2, 0, spec))
    control = Counter(fit.method for fit in tables.control_fits(X[:40], X[40:], 2, 0, spec))
    for prefix in ("", "kernel "):
        assert control[prefix + tables.CONTROL] == ours[prefix + "CPD-UML"] > 1


def test_the_stored_control_is_complete_and_can_be_recomputed():
    rows = tables.stored_control()
    assert len(rows) == len(tables.DATASETS) * tables.N_RUNS * 2 * 2
    found = tables.run_rows("Cars", 0, tables.control_fits)
    again = {(row["method"], row["rule"]): row for row in found}
    kept = [row for row in rows if (row["dataset"], row["run"]) == ("Cars", 0)]
    assert len(kept) == len(again) == 4
    for row in kept:
        assert again[row["method"], row["rule"]]["ACC"] == pytest.approx(row["ACC"], abs=3.0)


def test_printed_cells_are_those_of_the_tables_and_three_cannot_be_read():
    printed = tables.printed()
    assert len(printed) == 3 * 10 * 6
    assert printed["NMI", "CPD-UML", "E. coli"] == (46.98, 8.29)
    assert [key for key, cell in printed.items() if cell is None] == [
        ("ACC", "kernel CPD-UML", name) for name in ("Cars", "E. coli", "USPS20")
    ]


def test_gains_are_paired_by_run():
    rows = tables.all_stored()
    turned = [*rows[::-1][7:], *rows[::-1][:7]]
    for score in tables.SCORES:
        gains = {(c.method, c.dataset): c for c in tables.gains(score, rows)}
        again = {(c.method, c.dataset): c for c in tables.gains(score, turned)}
        assert gains.keys() == again.keys() and not any(m == "k-means" for m, _ in gains)
        by_run = tables.values(rows, score, "label")
        for (method, name), cell in gains.items():
            assert cell.spread == pytest.approx(again[method, name].spread)
            means = [by_run[m, name].mean() for m in (method, "k-means")]
            assert cell.ours == pytest.approx(means[0] - means[1])
