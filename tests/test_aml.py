"""AML as an algorithm and an estimator, and Sec. 2 of its paper."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from umlbook._loop import tighter_if_tied
from umlbook.algebra import (
    between_scatter,
    centered,
    indicator,
    indicator_basis,
    subspace_change,
    with_constant,
)
from umlbook.aml import AML, best_directions, relaxed_rate, whitened
from umlbook.datasets import load
from umlbook.kernels import center
from umlbook.naml.steps import subspace_step
from umlbook.scores import clustering_accuracy
from umlbook.spectral import KernelKMeans


@pytest.mark.filterwarnings("ignore:AML stopped at max_iter")  # noise has no leading directions
@parametrize_with_checks([AML(n_init=3), AML(relaxed=True, n_init=2, max_iter=50)])
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def blobs(rng):
    """Three clusters along two axes, and four axes of noise with a larger variance."""
    y = np.repeat([0, 1, 2], 20)
    means = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    return np.hstack([means[y] + 0.5 * rng.normal(size=(60, 2)), 3 * rng.normal(size=(60, 4))]), y


def covariance(X, lam):
    return centered(X).T @ centered(X) / len(X) + lam * np.eye(X.shape[1])


def trace_12(X, W, L, lam):
    """Eq. 12 written out."""
    inside = W.T @ covariance(X, lam) @ W
    XW = centered(X) @ W
    return np.trace(L.T @ XW @ np.linalg.solve(inside, XW.T @ L))


def test_whitened_rows_have_the_kernel_n_h(blobs):
    X, lam = centered(blobs[0]), 0.3
    data = whitened(X, lam)
    H = X @ np.linalg.solve(X.T @ X + len(X) * lam * np.eye(6), X.T)
    np.testing.assert_allclose(data.rows @ data.rows.T, len(X) * H, atol=1e-10)
    np.testing.assert_allclose(X @ data.basis, data.rows, atol=1e-12)


def test_eq_12_no_projection_does_better_than_the_best_directions(blobs, rng):
    X, y = blobs
    L = indicator(y)
    data = whitened(centered(X), 0.1)
    for n_components in (1, 2):
        R, value = best_directions(data.rows.T @ L, n_components)
        W = data.basis @ R
        assert trace_12(X, W, L, 0.1) == pytest.approx(value)
        random = [rng.normal(size=(6, n_components)) for _ in range(200)]
        near = [W + 1e-3 * rng.normal(size=W.shape) for _ in range(50)]
        assert max(trace_12(X, V, L, 0.1) for V in random + near) <= value + 1e-9
    whole = np.linalg.solve(covariance(X, 0.1), centered(X).T @ L)[:, :2]
    assert trace_12(X, whole, L, 0.1) == pytest.approx(value)  # S^-1 X'L, Eq. 12


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_the_objective_never_falls_within_or_between_steps(blobs, relaxed, lam):
    X, _ = blobs
    for seed in range(5):
        states = list(AML(3, relaxed=relaxed, lam=lam, random_state=seed, max_iter=40).steps(X))
        path = np.array([value for s in states for value in (s.before, s.objective)])
        assert np.diff(path).min() >= -1e-9


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_recorded_objective_is_eq_12_at_the_state(blobs, relaxed):
    X, _ = blobs
    for state in AML(3, relaxed=relaxed, lam=0.5, random_state=1, max_iter=10).steps(X):
        assert trace_12(X, state.W, state.L, 0.5) == pytest.approx(state.objective)


def test_discrete_components_whiten_and_the_metric_is_their_product(blobs):
    X, _ = blobs
    model = AML(3, lam=0.2, random_state=0).fit(X)
    W = model.components_
    np.testing.assert_allclose(W.T @ covariance(X, 0.2) @ W, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(model.metric_, W @ W.T)
    spread = model.metric_ @ between_scatter(X, model.labels_)
    assert model.objective_ == pytest.approx(np.trace(spread))


def test_discrete_aml_ends_no_worse_than_it_started_under_kernel_kmeans_with_h(blobs):
    X, y = blobs
    model = AML(3, lam=0.5, init=y).fit(X)
    rows = whitened(centered(X), 0.5).rows
    rival = KernelKMeans(3, kernel="precomputed", init=y).fit(rows @ rows.T)
    total = np.sum(rows**2)
    assert model.objective_ == pytest.approx(total - rival.objective_)
    np.testing.assert_array_equal(model.labels_, rival.labels_)


@pytest.mark.parametrize("seed", range(3))
def test_relaxed_aml_goes_to_the_leading_principal_components_from_three_starts(blobs, seed):
    X, _ = blobs
    model = AML(3, relaxed=True, lam=5.0, n_init=1, tol=1e-12, random_state=seed).fit(X)
    pca = PCA(2).fit(X)
    assert subspace_angles(model.components_, pca.components_.T).max() < 1e-4
    scores = pca.transform(X) / (pca.singular_values_)
    assert subspace_change(model.transform(X), scores) < 1e-8


def test_relaxed_aml_converges_at_the_ratio_of_eigenvalues_of_h(blobs):
    X, _ = blobs
    lam = 5.0
    s2 = np.linalg.svd(centered(X), compute_uv=False) ** 2
    h = s2 / (s2 + len(X) * lam)
    states = list(AML(3, relaxed=True, lam=lam, tol=1e-30, max_iter=60, random_state=0).steps(X))
    U = np.linalg.svd(centered(X))[0][:, :2]
    sines = np.array([np.sin(subspace_angles(s.L[:, :2], U).max()) for s in states])
    usable = sines > 1e-6
    rates = sines[1:][usable[1:]] / sines[:-1][usable[1:]]
    assert rates[-1] == pytest.approx(h[2] / h[1], rel=1e-3)


def test_relaxed_transform_is_l_without_its_constant_column(blobs):
    X, _ = blobs
    *_, last = AML(3, relaxed=True, random_state=0, max_iter=5).steps(X)
    model = AML(3, relaxed=True, lam=5.0, n_init=1, random_state=0).fit(X)
    np.testing.assert_allclose(model.transform(X).T @ model.transform(X), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(last.L.T @ last.L, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(centered(X) @ last.W, last.L[:, :2], atol=1e-10)


def test_noise_of_large_variance_is_ignored_by_the_indicator_but_not_by_the_relaxation(rng):
    y = np.repeat([0, 1], 40)
    X = np.column_stack([8.0 * y + 0.5 * rng.normal(size=80), 20 * rng.normal(size=80)])
    discrete = AML(2, lam=1e-6, random_state=0).fit(X)
    relaxed = AML(2, lam=10.0, relaxed=True, random_state=0).fit(X)
    assert clustering_accuracy(y, discrete.labels_) == 1.0
    assert clustering_accuracy(y, relaxed.labels_) < 0.7


def test_units_do_not_matter_when_lam_is_small(blobs):
    X, y = blobs
    scales = np.array([1.0, 1e3, 1e-2, 1.0, 50.0, 0.1])
    one = AML(3, lam=1e-12, init=y).fit(X)
    other = AML(3, lam=1e-12, init=y).fit(X * scales)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-6)


@pytest.mark.parametrize("relaxed", [False, True])
def test_predict_on_the_training_rows_gives_the_labels_even_when_cut_short(blobs, relaxed):
    X, _ = blobs
    with pytest.warns(Warning, match="max_iter"):
        model = AML(3, relaxed=relaxed, max_iter=1, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_one_component_keeps_the_most_separating_direction(blobs):
    X, y = blobs
    model = AML(3, n_components=1, init=y, lam=0.1).fit(X)
    assert model.components_.shape == (6, 1)
    assert model.cluster_centers_.shape == (3, 1)
    values = np.linalg.eigvals(
        np.linalg.solve(covariance(X, 0.1), between_scatter(X, model.labels_))
    )
    assert model.objective_ == pytest.approx(values.real.max())


@given(seed=st.integers(0, 1000), n_clusters=st.integers(1, 4), relaxed=st.booleans())
def test_any_data_gives_a_bounded_objective_and_used_labels(seed, n_clusters, relaxed):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 3, size=(12, 3)).astype(float)  # duplicates and flat columns on purpose
    X[0] = [5.0, 0.0, 1.0]
    *_, last = AML(n_clusters, relaxed=relaxed, random_state=seed, max_iter=10).steps(X)
    assert 0 <= last.objective <= len(X) * max(1, n_clusters - 1) + 1e-9
    assert set(last.labels) == set(range(n_clusters))


def test_single_precision_and_wide_data_work(rng):
    X = rng.normal(size=(20, 50))
    X[:10, 0] += 20
    one = AML(2, lam=1.0, random_state=0).fit(X)
    other = AML(2, lam=1.0, random_state=0).fit(X.astype(np.float32))
    assert clustering_accuracy(one.labels_, other.labels_) == 1.0
    assert one.components_.shape == (50, 1)


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_number_of_threads_changes_nothing(blobs, relaxed):
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.append(AML(3, relaxed=relaxed, lam=1.0, random_state=0).fit(blobs[0]))
    np.testing.assert_array_equal(results[0].labels_, results[1].labels_)
    np.testing.assert_allclose(results[0].components_, results[1].components_, atol=1e-8)


@pytest.mark.parametrize(
    ("params", "X", "says"),
    [
        ({"lam": 0.0}, None, "lam must be a positive finite number"),
        ({"lam": "small"}, None, "lam must be a positive number"),
        ({"n_components": 3}, None, "n_components=3 is more than n_clusters - 1 = 2"),
        ({"n_components": 1.5}, None, "n_components must be an integer"),
        ({"init": "random"}, None, "init must be 'k-means\\+\\+' or an array of labels"),
        ({"init": [0, 1, 2]}, None, "init must hold one integer label for each of the 60"),
        ({}, np.ones((5, 2)), "X has no feature that varies"),
        ({"n_clusters": 1}, np.ones((1, 2)), "n_samples=1"),
        ({}, np.full((5, 2), np.nan), "X contains NaN at"),
    ],
)
def test_bad_input_is_named_with_its_remedy(blobs, params, X, says):
    with pytest.raises((ValueError, TypeError), match=says):
        AML(**{"n_clusters": 3, **params}).fit(blobs[0] if X is None else X)


# ------------------------------------------------------------------- the relaxed indicator


def test_basis_and_constant_span_the_indicator():
    labels = np.array([0, 0, 1, 2, 2, 2])
    V = indicator_basis(labels, 3)
    L = with_constant(V)
    np.testing.assert_allclose(L.T @ L, np.eye(3), atol=1e-14)
    assert subspace_change(L, indicator(labels)) < 1e-14


def test_subspace_step_is_the_top_eigenvectors_of_g_tilde(rng):
    H = center(np.diag(rng.uniform(size=8)))
    V = indicator_basis([0, 0, 0, 1, 1, 2, 2, 2], 3)
    M = H @ V
    new, T, value = subspace_step(M, V)
    G_tilde = M @ np.linalg.pinv(V.T @ M) @ M.T
    values, vectors = np.linalg.eigh(G_tilde)
    assert value == pytest.approx(values[-2:].sum())
    np.testing.assert_allclose(np.abs(new.T @ vectors[:, :-3:-1]), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(M @ T, new, atol=1e-12)


def test_spaces_of_different_dimension_count_as_changed():
    assert subspace_change(np.eye(4)[:, :2], np.eye(4)[:, :3]) == 3.0


def ended(objective, sse):
    return SimpleNamespace(last=SimpleNamespace(objective=objective, sse=sse))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("objectives", "tol", "tied"),
    [
        ((1000.0, 1000.05), 1e-4, True),  # relative: an absolute 1e-4 would not tie them
        ((1000.0, 1000.2), 1e-4, False),
        ((1e-5, 2e-5), 1e-4, False),  # relative: an absolute 1e-4 would tie them
        ((1.0, 2.0), 0.5, True),  # of the larger one, and exactly tol still ties
        ((1.0, 2.0), 0.4, False),
    ],
)
def test_the_labels_that_fit_better_decide_among_runs_that_tie_and_only_there(
    sign, objectives, tol, tied
):
    for first, second in (objectives, objectives[::-1]):
        for sses in ((2.0, 1.0), (1.0, 2.0), (1.0, 1.0)):
            best, run = ended(sign * first, sses[0]), ended(sign * second, sses[1])
            chosen = run if sses[1] < sses[0] else best
            assert tighter_if_tied(best, run, tol) is (chosen if tied else None)


def test_relaxed_aml_goes_on_while_the_objective_or_the_space_still_changes():
    def state(objective, angle=0.0, rate=0.0):
        L = np.array([[np.cos(angle)], [np.sin(angle)], [0.0]])
        return SimpleNamespace(objective=objective, L=L, rate=rate)

    model = AML(2, relaxed=True, tol=1e-4)
    assert model._settled(state(1000.0), state(1000.05))  # relative to the objective
    assert not model._settled(state(1000.0), state(1000.2))
    assert not model._settled(state(1e-3), state(1.05e-3))
    assert model._settled(state(1.0), state(1.0, angle=0.009))  # the squared sine is 0.8e-4
    assert not model._settled(state(1.0), state(1.0, angle=0.011))
    # at the rate r a step of this size is (1 - r) / r of what is left
    assert model._settled(state(1.0), state(1.0, angle=0.009, rate=0.5))
    assert not model._settled(state(1.0), state(1.0, angle=0.009, rate=0.6))
    assert model._settled(state(1.0), state(1.0, angle=1e-5, rate=0.998))
    assert not model._settled(state(1.0), state(1.0, angle=1e-5, rate=0.9999))
    assert model._settled(state(1.0), state(1.0, rate=1.0))  # it does not turn at all


@pytest.mark.parametrize("lam", [1.0, 0.03, 1e-4, 1e-8])
def test_a_relaxed_run_that_settled_is_at_its_limit_whatever_the_rate(lam):
    X = load("iris").data
    limit = np.linalg.svd(centered(X), full_matrices=False)[0][:, :2]
    for seed in range(3):
        start = np.random.default_rng(seed).permutation(np.arange(150) % 3)
        model = AML(3, relaxed=True, lam=lam, init=start, max_iter=150)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.fit(X)
        away = subspace_change(limit, model.transform(X))
        assert model.converged_ == (lam > 1e-3) == (not told)
        assert away < 2 * model.tol if model.converged_ else away > 0.1


def test_relaxed_rate_is_the_ratio_of_eigenvalues_of_h_at_the_cut(rng):
    X = centered(rng.normal(size=(9, 4)) * [1, 4, 2, 3] + 7)
    values = np.linalg.eigvalsh(X @ np.linalg.solve(X.T @ X + 9 * 0.7 * np.eye(4), X.T))[::-1]
    rows = whitened(X, 0.7).rows
    for k in (1, 2, 3):
        assert relaxed_rate(rows, k) == pytest.approx(values[k] / values[k - 1])
    assert relaxed_rate(rows, 4) == 0.0  # nothing is left out: one step is enough
