"""CPCM: the alternation, its guard, its starts, and what it refuses."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

from umlbook.algebra import ROUNDING, kmeans_objective, one_hot
from umlbook.cpcm import (
    CPCM,
    blur_ratio,
    canonical_correlations,
    cpcm_steps,
    invariant_coordinates,
    lda_blur_ratio,
    least_squares_blur_ratio,
    one_dimensional_labels,
)
from umlbook.cpcm.predictors import linear_basis
from umlbook.cpcm.steps import clustered
from umlbook.datasets import make_noisy_lines, make_parallel_lines, make_rings
from umlbook.experiments.bench import cpcm as bench_cpcm
from umlbook.experiments.papers import cpcm as experiments
from umlbook.scores import adjusted_rand_index

PREDICTORS = ["least-squares", "stepwise", "lda", "lda-within", "kernel-ridge"]
LINEAR = PREDICTORS[:4]
X_IRIS = load_iris().data
RISING = np.array([(5, 3), (3, 1), (1, 0), (0, 0), (1, 4), (3, 5), (3, 3), (5, 4)], dtype=float)
RISING_START = np.array([1, 1, 1, 2, 0, 2, 2, 0])


def same_partition(a, b):
    return adjusted_rand_index(a, b) == 1


class SingleOutput(Ridge):
    """A regressor that forgets all columns of its target but one."""

    def predict(self, X):
        return super().predict(X)[:, 0]


def raw_paths(X, K, predictor, n_starts=20):
    """Blur ratios before and after each clustering, without the guard, from random starts."""
    for seed in range(n_starts):
        model = CPCM(K, predictor=predictor, starts="random", guard=False, random_state=seed)
        states = list(model.steps(X))
        yield np.array([[s.before, s.objective] for s in states])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("predictor", [*PREDICTORS, Ridge()], ids=str)
def test_scikit_learns_own_checks_pass(predictor):
    check_estimator(CPCM(predictor=predictor, n_init=2))


@pytest.mark.parametrize("predictor", [*PREDICTORS, LinearRegression()], ids=str)
def test_the_fitted_parts_agree_with_each_other(predictor):
    model = CPCM(3, predictor=predictor, random_state=0).fit(X_IRIS)
    predictions = model.transform(X_IRIS)
    np.testing.assert_array_equal(model.predict(X_IRIS), model.labels_)
    assert model.blur_ratio_ == model.objective_ == model.objective_path_[-1]
    assert blur_ratio(predictions, model.labels_) == pytest.approx(model.blur_ratio_, rel=1e-8)
    assert kmeans_objective(predictions, model.labels_) == pytest.approx(
        np.sum((predictions - model.cluster_centers_[model.labels_]) ** 2)
    )
    assert len(model.restarts_) == len(model.restart_blur_ratios_)
    assert np.abs(model.restart_blur_ratios_ - model.blur_ratio_).min() < 1e-9
    least = CPCM(3, predictor=predictor, choose="blur", random_state=0).fit(X_IRIS)
    assert least.restart_blur_ratios_.min() == pytest.approx(least.blur_ratio_, abs=1e-9)


@pytest.mark.parametrize("predictor", LINEAR)
def test_a_linear_predictor_has_coefficients_and_a_metric(predictor):
    model = CPCM(3, predictor=predictor, random_state=0).fit(X_IRIS)
    predictions = X_IRIS @ model.coef_ + model.intercept_
    np.testing.assert_allclose(predictions, model.transform(X_IRIS), atol=1e-10)
    np.testing.assert_allclose(model.metric_, model.coef_ @ model.coef_.T)
    assert blur_ratio(X_IRIS, model.labels_, model.metric_) == pytest.approx(model.blur_ratio_)
    np.testing.assert_allclose(
        model.canonical_correlations_, canonical_correlations(X_IRIS, model.labels_)
    )


@pytest.mark.parametrize("predictor", ["kernel-ridge", Ridge()], ids=str)
def test_other_predictors_claim_no_linear_metric(predictor):
    model = CPCM(3, predictor=predictor, random_state=0).fit(X_IRIS)
    assert not hasattr(model, "metric_")
    assert not hasattr(model, "canonical_correlations_")


def test_linear_regression_of_scikit_learn_takes_the_same_steps():
    start = np.random.default_rng(0).permutation(150) % 3
    ours = CPCM(3, starts=start).steps(X_IRIS)
    theirs = CPCM(3, starts=start, predictor=LinearRegression()).steps(X_IRIS)
    for a, b in itertools.zip_longest(ours, theirs):
        np.testing.assert_array_equal(a.labels, b.labels)
        np.testing.assert_allclose(a.predictions, b.predictions, atol=1e-10)


def test_a_naive_loop_takes_the_same_steps():
    labels = start = np.random.default_rng(1).permutation(150) % 3
    design = np.column_stack([np.ones(150), X_IRIS])
    for state in CPCM(3, starts=start, guard=False).steps(X_IRIS):
        values = design @ np.linalg.lstsq(design, np.eye(3)[labels], rcond=None)[0]
        while True:
            theta = np.array([values[labels == k].mean(axis=0) for k in range(3)])
            moved = np.argmin(((values[:, None] - theta) ** 2).sum(axis=2), axis=1)
            if np.array_equal(moved, labels):
                break
            labels = moved
        np.testing.assert_array_equal(state.labels, labels)
        np.testing.assert_allclose(state.centers, theta, atol=1e-10)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from(LINEAR))
def test_with_the_guard_the_blur_ratio_falls_strictly(seed, K, predictor):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    model = CPCM(K, predictor=predictor, starts="random", random_state=seed)
    states = list(model.steps(X))
    path = np.array([s.objective for s in states])
    assert np.all(np.diff(path) < -ROUNDING)
    assert all(s.objective <= s.before + 1e-12 for s in states)
    assert np.all((path >= 0) & (path <= 1))
    assert model.fit(X).converged_


@pytest.mark.parametrize("predictor", ["least-squares", "lda", "lda-within"])
def test_for_two_clusters_the_raw_blur_ratio_never_rises(predictor):
    for path in raw_paths(X_IRIS, 2, predictor):
        assert np.all(np.diff(path.ravel()) <= 1e-10)


@pytest.mark.parametrize("K", [3, 4])
def test_the_totally_whitened_discriminant_never_rises(K):
    for path in raw_paths(X_IRIS, K, "lda"):
        assert np.all(np.diff(path.ravel()) <= 1e-10)


def test_for_three_clusters_the_raw_blur_ratio_rises_and_the_guard_stops_it():
    raw = list(CPCM(3, starts=RISING_START, guard=False).steps(RISING))
    before = [s.before for s in raw[:3]]
    np.testing.assert_allclose(before, [0.502327, 0.146627, 0.186728], atol=1e-6)
    np.testing.assert_allclose(
        [s.objective for s in raw[:3]], [0.126498, 0.099066, 0.186728], atol=1e-6
    )
    guarded = CPCM(3, starts=RISING_START).fit(RISING)
    np.testing.assert_allclose(guarded.objective_path_, [0.126498, 0.099066], atol=1e-6)
    np.testing.assert_allclose(
        before,
        [
            least_squares_blur_ratio(RISING, labels)
            for labels in (RISING_START, raw[0].labels, raw[1].labels)
        ],
    )


def test_the_guard_can_stop_where_one_more_step_would_move():
    X = np.array([[4, 0], [1, 1], [1, 4], [5, 3], [0, 0], [1, 2], [3, 2], [1, 0]], dtype=float)
    start = np.array([1, 1, 2, 0, 0, 0, 1, 2])
    assert not CPCM(3, starts=start).fit(X).fixed_point_
    assert CPCM(3, starts=start, guard=False).fit(X).fixed_point_


def test_for_two_clusters_three_predictors_take_the_same_steps():
    start = np.random.default_rng(3).permutation(150) % 2
    streams = [
        CPCM(2, starts=start, predictor=p).steps(X_IRIS)
        for p in ("least-squares", "lda", "lda-within")
    ]
    for a, b, c in itertools.zip_longest(*streams):
        np.testing.assert_array_equal(a.labels, b.labels)
        np.testing.assert_array_equal(a.labels, c.labels)
        np.testing.assert_allclose([b.objective, c.objective], a.objective)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_for_two_clusters_three_predictors_take_the_same_steps_on_any_data(seed, p):
    rng = np.random.default_rng(seed)
    X, start = 3 + rng.normal(size=(35, p)), (rng.uniform(size=35) < 0.3).astype(int)
    start[:2] = [0, 1]
    paths = [
        [state.labels.tolist() for state in CPCM(2, starts=start, predictor=kind).steps(X)]
        for kind in ("least-squares", "lda", "lda-within")
    ]
    assert paths[0] == paths[1] == paths[2]


def affine(p, condition, rng):
    """A random invertible map of given condition, and a shift."""
    left, right = (np.linalg.qr(rng.normal(size=(p, p)))[0] for _ in range(2))
    return left @ np.diag(np.geomspace(1, 1 / condition, p)) @ right, rng.normal(size=p)


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize("predictor", ["least-squares", "lda", "lda-within"])
def test_an_affine_map_of_condition_1e10_changes_no_partition(data, predictor, rng):
    X = data().data / data().data.std(axis=0)
    C, shift = affine(X.shape[1], 1e10, rng)
    model = CPCM(3, predictor=predictor, starts="random", random_state=0)
    plain = model.fit(X).restarts_
    mapped = model.fit(X @ C + shift).restarts_
    assert all(same_partition(a.labels, b.labels) for a, b in zip(plain, mapped, strict=True))


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize("predictor", ["least-squares", "lda", "lda-within"])
def test_with_invariant_starts_the_whole_fit_is_invariant(data, predictor):
    X = data().data / data().data.std(axis=0)
    C, shift = affine(X.shape[1], 1e8, np.random.default_rng(1))  # far from orthogonal
    moved = X @ C + shift
    model = CPCM(3, predictor=predictor, starts="invariant", random_state=0)
    plain, mapped = model.fit(X), CPCM(**model.get_params()).fit(moved)
    assert len(plain.restarts_) == X.shape[1] + 10
    assert all(
        same_partition(a.labels, b.labels)
        for a, b in zip(plain.restarts_, mapped.restarts_, strict=True)
    )
    assert same_partition(plain.labels_, mapped.labels_)
    assert mapped.blur_ratio_ == pytest.approx(plain.blur_ratio_, abs=1e-6)


@pytest.mark.parametrize("data", [load_iris, load_wine])
def test_with_the_default_starts_a_linear_map_changes_the_fit(data):
    X = data().data
    C = np.random.default_rng(0).normal(size=(X.shape[1], X.shape[1]))
    plain, mapped = (CPCM(3, random_state=0).fit_predict(x) for x in (X, X @ C))
    assert not same_partition(plain, mapped)


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_invariant_coordinates_are_those_of_every_linear_image(seed, p):
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(60, p)) ** 1.5
    C, shift = rng.normal(size=(p, p)), rng.normal(size=p)
    coordinates = invariant_coordinates(linear_basis(X).Q)
    np.testing.assert_allclose(coordinates.T @ coordinates, np.eye(p), atol=1e-9)
    lengths = np.sum(coordinates**2, axis=1)
    moments = coordinates.T @ (lengths[:, None] * coordinates)
    np.testing.assert_allclose(moments, np.diag(np.sort(np.diagonal(moments))), atol=1e-9)
    gaps = np.diff(np.diagonal(moments))
    if gaps.min(initial=1.0) > 1e-4 and np.linalg.cond(C) < 1e4:  # else hardly determined
        mapped = invariant_coordinates(linear_basis(X @ C + shift).Q)
        np.testing.assert_allclose(mapped, coordinates, atol=1e-6)


@pytest.mark.parametrize("predictor", ["stepwise", "kernel-ridge", Ridge()], ids=str)
def test_invariant_starts_are_refused_where_the_predictor_is_not_invariant(predictor):
    with pytest.raises(ValueError, match="starts='invariant' needs a predictor"):
        CPCM(3, predictor=predictor, starts="invariant").fit(X_IRIS)


@pytest.mark.parametrize("seed", range(5))
def test_invariant_starts_find_lines_that_a_linear_map_has_hidden(seed):
    lines, y = make_parallel_lines(200, n_lines=3, random_state=seed)
    C = np.random.default_rng(seed).normal(size=(2, 2))
    hidden = CPCM(3, starts="invariant", n_init=1, random_state=0).fit(lines @ C)
    assert same_partition(hidden.labels_, y)


def test_the_starts_from_columns_are_not_invariant_and_ridge_is_not_either():
    X, y = make_noisy_lines(random_state=0)
    turned = X @ np.linalg.qr(np.random.default_rng(0).normal(size=(56, 56)))[0]
    assert same_partition(CPCM(3, random_state=0).fit_predict(X), y)
    assert not same_partition(CPCM(3, random_state=0).fit_predict(turned), y)
    start = np.random.default_rng(0).permutation(150) % 3
    a, b = (
        next(CPCM(3, starts=start, predictor=Ridge()).steps(X_IRIS * scale)).predictions
        for scale in (1.0, np.array([1, 10, 0.1, 1]))
    )
    assert np.abs(a - b).max() > 0.01


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("predictor", ["least-squares", "stepwise", "lda-within"])
def test_three_lines_are_found_among_53_features_of_noise(seed, predictor):
    X, y = make_noisy_lines(random_state=seed)
    model = CPCM(3, predictor=predictor, random_state=seed, n_init=1).fit(X)
    assert adjusted_rand_index(y, model.labels_) > 0.9
    if predictor == "stepwise":
        assert model.coef_[1].any()
        assert np.sum(model.coef_.any(axis=1)) <= 3


@pytest.mark.parametrize("make", [make_rings, make_parallel_lines])
def test_kernel_ridge_finds_three_rings_and_three_lines(make):
    three = {"n_rings": 3} if make is make_rings else {"n_lines": 3}
    X, y = make(200, **three, random_state=0)
    model = CPCM(3, predictor="kernel-ridge", starts="columns").fit(X)
    assert adjusted_rand_index(y, model.labels_) > 0.9
    assert len(model.restarts_) == 25 + 2


def test_two_lines_are_found_and_new_points_go_to_the_nearest_theta():
    X, y = make_parallel_lines(200, random_state=0)
    model = CPCM(2, random_state=0).fit(X)
    new, truth = make_parallel_lines(500, random_state=1)
    assert same_partition(y, model.labels_)
    assert adjusted_rand_index(truth, model.predict(new)) > 0.98


def test_the_nearest_theta_finds_the_class_that_the_largest_prediction_masks():
    X = np.repeat([-1.0, 0.0, 1.0], 5)[:, None]
    y = np.repeat([0, 1, 2], 5)
    model = CPCM(3, starts=y).fit(X)
    np.testing.assert_allclose(model.transform([[-1.0]]), [[5 / 6, 1 / 3, -1 / 6]], atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.blur_ratio_ == pytest.approx(0, abs=1e-12)
    middle = model.transform([[0.0]])[0]
    assert middle[1] <= max(middle[0], middle[2]) + 1e-12


@pytest.mark.parametrize("p", [29, 30, 60])
@pytest.mark.parametrize("predictor", ["least-squares", "lda", "lda-within"])
def test_as_many_directions_as_samples_are_refused(p, predictor, rng):
    with pytest.raises(ValueError, match="reproduces every labelling"):
        CPCM(2, predictor=predictor).fit(rng.normal(size=(30, p)))


def test_half_as_many_directions_as_samples_are_warned_of(rng):
    with pytest.warns(UserWarning, match="rank 15 about its mean and only 30 rows"):
        CPCM(2, random_state=0).fit(rng.normal(size=(30, 15)))
    CPCM(2, random_state=0).fit(rng.normal(size=(30, 14)))  # warnings are errors here


def test_many_features_of_low_rank_and_a_stepwise_choice_are_welcome(rng):
    X = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 40))
    CPCM(2, random_state=0).fit(X)
    CPCM(2, predictor="stepwise", starts="random", n_init=2, random_state=0).fit(
        rng.normal(size=(30, 40))
    )


def test_constant_predictions_have_blur_ratio_nan_and_say_so():
    X = np.array([[-1.0, -1], [1, 1], [-1, 1], [1, -1], [0, 0], [0, 0]])
    with pytest.warns(UserWarning, match="constant predictions"):
        model = CPCM(2, starts=np.array([0, 0, 1, 1, 0, 1])).fit(X)
    assert np.isnan(model.blur_ratio_)


def test_a_restart_of_constant_predictions_is_never_the_best():
    X = np.array([[-1.0, -1], [1, 1], [-1, 1], [1, -1], [0, 0.5], [0, -0.5]])
    model = CPCM(2, n_init=30, random_state=0).fit(X)
    assert np.isfinite(model.blur_ratio_)


def test_the_blur_ratio_likes_an_outlier_and_a_minimum_size_refuses_it():
    X, y = make_parallel_lines(200, random_state=0)
    X = np.vstack([X, [300.0, 0.5]])
    alone = CPCM(2, random_state=0).fit(X)
    assert np.bincount(alone.labels_).min() == 1
    model = CPCM(2, min_cluster_size=10, random_state=0).fit(X)
    assert np.bincount(model.labels_).min() >= 10
    assert adjusted_rand_index(y, model.labels_[:-1]) > 0.9
    assert model.blur_ratio_ > alone.blur_ratio_


def test_a_minimum_size_that_no_restart_reaches_is_said():
    X = np.r_[np.zeros(20), 1e-3 * np.arange(20), 1000.0][:, None]
    with pytest.warns(UserWarning, match="fewer than 15 samples"):
        CPCM(2, min_cluster_size=15, random_state=0).fit(X)


@given(st.lists(st.floats(-50, 50), min_size=5, max_size=9), st.integers(1, 4))
def test_one_dimensional_kmeans_is_optimal(values, K):
    x = np.array(values)
    labels = one_dimensional_labels(x, K)
    assert set(labels) == set(range(K))
    order = np.sort(x)
    best = min(
        sum(np.sum((part - part.mean()) ** 2) for part in np.split(order, cuts))
        for cuts in itertools.combinations(range(1, len(x)), K - 1)
    )
    assert kmeans_objective(x[:, None], labels) == pytest.approx(best, abs=1e-8)


def test_one_dimensional_kmeans_of_many_numbers_keeps_neighbours_together(rng):
    x = np.r_[rng.normal(0, 1, 3000), rng.normal(20, 1, 3000), rng.normal(50, 1, 3000)]
    assert same_partition(one_dimensional_labels(x, 3), np.repeat([0, 1, 2], 3000))


@given(st.integers(0, 10_000))
def test_one_dimensional_kmeans_does_not_part_equal_numbers_by_their_rounding(seed):
    rng = np.random.default_rng(seed)
    x = np.r_[-1.0, np.zeros(45), 1.0]  # one cut too many: it goes through the zeros
    noisy = x + 1e-14 * rng.normal(size=len(x))
    assert np.array_equal(one_dimensional_labels(noisy, 4), one_dimensional_labels(x, 4))


def test_one_dimensional_kmeans_takes_numbers_of_any_size():
    x = np.array([1.0, 2.0, 9.0, 10.0])
    for unit in (1e-200, 1e200):
        assert one_dimensional_labels(unit * x, 2).tolist() == [0, 0, 1, 1]
    assert one_dimensional_labels(np.zeros(4), 2).max() == 1


@pytest.mark.parametrize("predictor", LINEAR)
def test_fewer_different_rows_than_clusters_still_predict_their_own_labels(predictor):
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 6, axis=0)
    with pytest.warns(ConvergenceWarning, match="uses only 2 of n_clusters=3"):
        model = CPCM(3, predictor=predictor, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_starts_are_one_a_column_then_the_random_ones_then_kmeans():
    model = CPCM(3, n_init=4, random_state=0).fit(X_IRIS)
    assert len(model.restarts_) == 4 + 4 + 1
    assert len(CPCM(3, choose="blur", n_init=4, random_state=0).fit(X_IRIS).restarts_) == 4 + 4
    assert len(CPCM(3, starts="columns").fit(X_IRIS).restarts_) == 4
    assert len(CPCM(3, starts="random", n_init=2, random_state=0).fit(X_IRIS).restarts_) == 2
    assert len(CPCM(3, starts=np.arange(150) % 3).fit(X_IRIS).restarts_) == 1


@pytest.mark.parametrize(
    "params, message",
    [
        ({"predictor": "lasso"}, "predictor must be"),
        ({"predictor": 3}, "predictor must be"),
        ({"starts": "kmeans"}, "starts must be"),
        ({"starts": np.zeros(150, dtype=int)}, "starts must use every label"),
        ({"starts": np.zeros(7, dtype=int)}, "starts must hold one integer label"),
        ({"n_clusters": 0}, "n_clusters must be at least 1"),
        ({"n_clusters": 151}, "n_clusters=151"),
        ({"min_cluster_size": 0}, "min_cluster_size must be at least 1"),
        ({"min_cluster_size": 76}, "min_cluster_size=76 times"),
        ({"predictor": "kernel-ridge", "lam": -1.0}, "lam must be"),
        ({"predictor": "kernel-ridge", "sigma": 0.0}, "sigma must be"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        CPCM(**params).fit(X_IRIS)


def test_constant_data_and_single_output_regressors_are_refused():
    with pytest.raises(ValueError, match="no feature that varies"):
        CPCM(2).fit(np.full((20, 3), 0.1))
    with pytest.raises(ValueError, match="MultiOutputRegressor"):
        CPCM(3, predictor=SingleOutput()).fit(X_IRIS)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad):
    X = X_IRIS.copy()
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"X contains .* at \[3, 1\]"):
        CPCM(3).fit(X)


@pytest.mark.parametrize(
    "regressor",
    [
        Lasso(alpha=0.01),
        RandomForestRegressor(10, max_depth=2, random_state=0),
        MultiOutputRegressor(Ridge()),
    ],
    ids=lambda r: type(r).__name__,
)
def test_any_regressor_may_predict(regressor):
    model = CPCM(2, predictor=regressor, starts="columns").fit(X_IRIS)
    assert np.all(np.diff(model.objective_path_) < 0)
    np.testing.assert_array_equal(model.predict(X_IRIS), model.labels_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X_IRIS), model.labels_)


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_float32_gives_the_partition_of_float64(predictor):
    X, _ = make_parallel_lines(200, random_state=0)
    labels = [
        CPCM(2, predictor=predictor, random_state=0).fit_predict(X.astype(kind))
        for kind in (np.float32, np.float64)
    ]
    assert same_partition(*labels)


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_one_and_two_threads_agree(predictor):
    fits = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            fits.append(CPCM(3, predictor=predictor, random_state=0).fit(X_IRIS))
    np.testing.assert_array_equal(fits[0].labels_, fits[1].labels_)
    one, two = (fit.restart_blur_ratios_ for fit in fits)
    np.testing.assert_allclose(one, two, atol=1e-8)
    np.testing.assert_allclose(fits[0].transform(X_IRIS), fits[1].transform(X_IRIS), atol=1e-8)


def test_the_clustering_step_ends_at_a_fixed_point_of_lloyd(rng):
    values = rng.normal(size=(60, 2))
    first, last = clustered(values, np.arange(60) % 3, 3)
    assert last.objective < first.objective
    np.testing.assert_array_equal(clustered(values, last.labels, 3)[1].labels, last.labels)


def test_the_stream_can_be_run_on_any_predictor_of_labels():
    class Constant:
        def __init__(self, values):
            self.values = values

        def map(self):
            return lambda X: X

    X, y = make_parallel_lines(60, random_state=0)
    states = list(cpcm_steps(lambda labels: Constant(X), y, 2))
    assert len(states) == 1  # the predictions never change, so a second step cannot lower them


def test_one_cluster_is_allowed_and_blurs_nothing():
    model = CPCM(1, random_state=0).fit(X_IRIS)
    assert not model.labels_.any()
    assert np.isnan(model.blur_ratio_)


def test_the_discriminant_closed_form_is_reached_at_a_fixed_point():
    model = CPCM(3, predictor="lda", random_state=0).fit(X_IRIS)
    assert model.fixed_point_
    assert model.blur_ratio_ == pytest.approx(lda_blur_ratio(X_IRIS, model.labels_))


# --------------------------------------------------------------- experiments and benchmark


@pytest.mark.parametrize("dataset", ["ionosphere", "pima", "vehicle"])
def test_the_kmeans_cells_of_table_1_are_reproduced(dataset):
    stored = [r for r in experiments.stored("cpcm_table1") if r["dataset"] == dataset]
    fresh = list(experiments.table1_cells(dataset, "k-means", 1))
    assert [r["ours"] for r in fresh] == [r["ours"] for r in stored if r["method"] == "k-means"]
    assert all(abs(r["ours"] - r["printed"]) <= 0.002 for r in fresh)


def test_every_cell_of_table_1_is_stored_with_its_range():
    cells = experiments.stored("cpcm_table1")
    assert len(cells) == 6 * 6 * 2
    assert all(r["low"] <= r["ours"] <= r["high"] for r in cells)


def test_the_stored_success_rates_are_those_that_are_promised():
    found = {(r["setting"], r["method"]): r["found"] for r in experiments.stored("cpcm_success")}
    assert set(found) == {(s, m) for s, (_, _, ms) in experiments.SETTINGS.items() for m in ms}
    assert found["noisy lines", "CPCM"] >= 19
    assert found["noisy lines", "CPCM stepwise"] >= 19
    assert min(found[s, "CPCM kernel ridge"] for s in ("three lines", "three rings")) >= 18


@pytest.mark.parametrize("setting", ["three lines", "three rings"])
def test_a_few_of_the_stored_runs_are_found_again(setting):
    assert experiments.success_row(setting, "CPCM kernel ridge", range(7, 9))["found"] == 2


def test_the_benchmark_compares_the_same_predictions():
    X, labels = bench_cpcm.problem(500)
    Z = one_hot(labels)
    fast = bench_cpcm.basis_predictions(linear_basis(X), Z)
    np.testing.assert_allclose(fast, bench_cpcm.lstsq_predictions(X, Z), atol=1e-10)


def test_a_fit_holds_fewer_than_three_copies_of_the_data():
    assert bench_cpcm.peak_copies(*bench_cpcm.problem(20_000)) < 3


@pytest.mark.parametrize("seed", range(3))
def test_a_column_that_repeats_another_far_from_zero_adds_no_direction(seed):
    """The mean of many rows loses digits, and what it loses was once taken for a direction."""
    X = np.random.default_rng(seed).normal([2.0, -30.0, 0.0], size=(20_000, 3))
    assert linear_basis(np.column_stack([X, 3 * X[:, 1]])).Q.shape[1] == 3
