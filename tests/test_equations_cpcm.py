"""Every closed form of the blur ratio against the direct computation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge

from umlbook.algebra import cluster_means, one_hot, total_scatter, within_scatter
from umlbook.cpcm.blur import (
    blur_ratio,
    canonical_correlations,
    lda_blur_ratio,
    lda_within_blur_ratio,
    least_squares_blur_ratio,
    membership_scatter,
    rank_one_blur_ratio,
    simplex_coefficients,
    smoother_blur_ratio,
)
from umlbook.cpcm.predictors import (
    canonical_directions,
    degrees_of_freedom,
    kernel_basis,
    kernel_ridge_fit,
    lda_fit,
    least_squares_fit,
    linear_basis,
    ridge_penalty,
    stepwise_features,
    stepwise_fit,
)
from umlbook.kernels import center, rbf

IRIS = load_iris()
X_IRIS, Y_IRIS = IRIS.data, IRIS.target


def labelled(seed, n=40, p=4, K=3):
    """Random data with labels that are neither balanced nor independent of the data."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    labels = np.digitize(X[:, 0] + rng.normal(size=n), np.sort(rng.normal(size=K - 1)))
    labels[:K] = np.arange(K)
    return X, labels


cases = st.builds(labelled, st.integers(0, 10_000), p=st.integers(1, 6), K=st.integers(2, 6))


@given(cases, st.integers(0, 99))
def test_the_blur_ratio_is_the_within_share_of_the_sums_over_samples(case, seed):
    X, labels = case
    root = np.random.default_rng(seed).normal(size=(X.shape[1], 2))
    A = root @ root.T
    ssc = sum(
        (x - X[labels == k].mean(0)) @ A @ (x - X[labels == k].mean(0))
        for x, k in zip(X, labels, strict=True)
    )
    sst = sum((x - X.mean(0)) @ A @ (x - X.mean(0)) for x in X)
    assert blur_ratio(X, labels, A) == pytest.approx(ssc / sst, rel=1e-9)
    assert blur_ratio(X @ root, labels) == pytest.approx(ssc / sst, rel=1e-9)
    assert blur_ratio(X, labels, 7 * A) == pytest.approx(ssc / sst, rel=1e-9)


def test_the_blur_ratio_of_the_iris_truth_is_known():
    assert blur_ratio(X_IRIS, Y_IRIS) == pytest.approx(0.1310555519, abs=1e-10)
    assert blur_ratio(X_IRIS, IRIS.target_names[Y_IRIS]) == blur_ratio(X_IRIS, Y_IRIS)


@pytest.mark.parametrize("value", [0.0, 1.0, -3e7, 0.1])
def test_the_blur_ratio_of_constant_data_is_nan_and_never_0(value):
    X, labels = np.full((30, 3), value), np.arange(30) % 2
    assert np.isnan(blur_ratio(X, labels))
    assert np.isnan(blur_ratio(X, labels, np.eye(3)))
    assert np.isnan(blur_ratio(np.arange(30)[:, None], labels, np.zeros((1, 1))))


def test_an_ill_conditioned_direction_still_has_a_blur_ratio():
    X, labels = labelled(0)
    tiny = X * [1, 1, 1, 1e-10]
    assert blur_ratio(tiny[:, 3:], labels) == pytest.approx(blur_ratio(X[:, 3:], labels))


@pytest.mark.parametrize(
    "A, message",
    [
        (np.eye(3), "4 x 4"),
        (np.triu(np.ones((4, 4))), "symmetric"),
        (-np.eye(4), "positive semi-definite"),
    ],
)
def test_a_matrix_that_is_no_metric_is_refused(A, message):
    with pytest.raises(ValueError, match=message):
        blur_ratio(X_IRIS, Y_IRIS, A)


@given(cases)
def test_the_generalised_eigenvalues_are_one_minus_the_squared_canonical_correlations(case):
    X, labels = case
    eigenvalues = eigh(within_scatter(X, labels), total_scatter(X), eigvals_only=True)
    rho2 = canonical_correlations(X, labels)
    assert len(rho2) == min(labels.max(), X.shape[1])
    np.testing.assert_allclose(eigenvalues[: len(rho2)], 1 - rho2, atol=1e-9)
    np.testing.assert_allclose(eigenvalues[len(rho2) :], 1, atol=1e-9)


@given(cases, st.integers(0, 99))
def test_no_metric_blurs_less_than_the_best_single_direction(case, seed):
    X, labels = case
    least = rank_one_blur_ratio(X, labels)
    vectors = eigh(within_scatter(X, labels), total_scatter(X))[1]
    assert blur_ratio(X @ vectors[:, :1], labels) == pytest.approx(least, rel=1e-6)
    root = np.random.default_rng(seed).normal(size=(X.shape[1], X.shape[1]))
    assert blur_ratio(X @ root, labels) >= least - 1e-9


@given(cases)
def test_the_closed_form_of_least_squares_is_the_blur_ratio_of_its_predictions(case):
    X, labels = case
    design = np.column_stack([np.ones(len(X)), X])
    predictions = design @ np.linalg.lstsq(design, one_hot(labels), rcond=None)[0]
    closed = least_squares_blur_ratio(X, labels)
    assert closed == pytest.approx(blur_ratio(predictions, labels), rel=1e-6)
    R, _ = membership_scatter(X, labels)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(R)[::-1][: labels.max()][: X.shape[1]],
        canonical_correlations(X, labels),
        atol=1e-9,
    )


def test_balanced_clusters_need_only_the_correlations_for_least_squares():
    rho2 = canonical_correlations(X_IRIS, Y_IRIS)
    expected = 1 - np.sum(rho2**2) / np.sum(rho2)
    assert least_squares_blur_ratio(X_IRIS, Y_IRIS) == pytest.approx(expected, rel=1e-12)
    unbalanced = np.r_[Y_IRIS[:-20], [0] * 20]
    rho2 = canonical_correlations(X_IRIS, unbalanced)
    wrong = 1 - np.sum(rho2**2) / np.sum(rho2)
    assert abs(least_squares_blur_ratio(X_IRIS, unbalanced) - wrong) > 1e-3


@given(cases)
def test_the_closed_forms_of_both_discriminant_whitenings(case):
    X, labels = case
    basis, Z = linear_basis(X), one_hot(labels)
    total, within = lda_fit(basis, Z).values, lda_fit(basis, Z, within=True).values
    q = total.shape[1]
    np.testing.assert_allclose(total_scatter(total), np.eye(q), atol=1e-9)
    np.testing.assert_allclose(within_scatter(within, labels), np.eye(q), atol=1e-7)
    assert lda_blur_ratio(X, labels) == pytest.approx(blur_ratio(total, labels), rel=1e-9)
    assert lda_within_blur_ratio(X, labels) == pytest.approx(blur_ratio(within, labels), rel=1e-6)


@given(st.builds(labelled, st.integers(0, 10_000), K=st.just(2)))
def test_for_two_clusters_all_closed_forms_are_one_minus_r_squared(case):
    X, labels = case
    values = [
        form(X, labels)
        for form in (
            rank_one_blur_ratio,
            least_squares_blur_ratio,
            lda_blur_ratio,
            lda_within_blur_ratio,
        )
    ]
    np.testing.assert_allclose(values, values[0], rtol=1e-6)


def test_the_harmonic_mean_takes_a_perfect_direction_as_0():
    X, labels = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0), np.repeat([0, 1, 2], 4)
    assert lda_within_blur_ratio(X, labels) == pytest.approx(0, abs=1e-9)


@given(cases, st.floats(0.01, 10))
def test_the_closed_form_of_a_smoother_holds_for_kernel_ridge(case, lam):
    X, labels = case
    sigma = float(np.median(pdist(X)))
    K = center(rbf(X, sigma=sigma))
    S = np.linalg.solve(K + lam * np.eye(len(X)), K)
    fit = kernel_ridge_fit(kernel_basis(X, sigma), one_hot(labels), lam)
    np.testing.assert_allclose(fit.values, one_hot(labels).mean(0) + S @ one_hot(labels), atol=1e-8)
    assert smoother_blur_ratio(S, labels) == pytest.approx(blur_ratio(fit.values, labels), rel=1e-6)


@given(cases)
def test_the_closed_form_of_a_smoother_holds_for_stepwise(case):
    X, labels = case
    fit = stepwise_fit(linear_basis(X), one_hot(labels))
    chosen = linear_basis(X[:, np.flatnonzero(fit.map().coef.any(axis=1))])
    closed = smoother_blur_ratio(chosen.Q @ chosen.Q.T, labels)
    assert closed == pytest.approx(blur_ratio(fit.values, labels), rel=1e-6)


@given(cases, st.integers(0, 99))
def test_the_closed_form_of_a_smoother_needs_no_symmetry_and_no_zero_rows(case, seed):
    X, labels = case
    S = np.random.default_rng(seed).normal(size=(len(X), len(X)))
    S -= S.mean(axis=0)
    Z, weights = one_hot(labels), np.diag(1 / np.bincount(labels))
    M, total = Z.T @ S @ Z, np.sum((S @ Z) ** 2)
    direct = blur_ratio(S @ Z, labels)
    assert smoother_blur_ratio(S, labels) == pytest.approx(direct, rel=1e-9)
    assert 1 - np.trace(weights @ M @ M.T) / total == pytest.approx(direct, rel=1e-9)
    sizes = np.bincount(labels)
    if np.ptp(sizes) > 3:  # with M'M in place of MM' it is right for a symmetric S only
        assert 1 - np.trace(weights @ M.T @ M) / total != pytest.approx(direct, rel=1e-6)


def partitions(n, K):
    """All labellings of n samples with K clusters, one of each that differ by names only."""
    codes = itertools.product(range(K), repeat=n)
    return [np.array(c) for c in codes if list(dict.fromkeys(c)) == list(range(K))]


def test_more_clusters_can_blur_more_for_least_squares_but_not_over_all_metrics():
    X = np.array([(0, 0), (0, 1), (0, 2), (1, 2), (7, 2), (8, 0), (8, 2)], dtype=float)
    two, three = (
        [(least_squares_blur_ratio(X, c), rank_one_blur_ratio(X, c)) for c in partitions(7, K)]
        for K in (2, 3)
    )
    least_two, least_three = np.min(two, axis=0), np.min(three, axis=0)
    assert least_three[0] > 1.1 * least_two[0]
    assert least_three[1] <= least_two[1] + 1e-12


def test_a_smoother_of_nothing_has_no_blur_ratio():
    assert np.isnan(smoother_blur_ratio(np.zeros((6, 6)), [0, 0, 1, 1, 2, 2]))


def test_least_squares_without_any_correlation_has_no_blur_ratio():
    X = np.array([[-1.0, -1], [1, 1], [-1, 1], [1, -1]])
    assert np.isnan(least_squares_blur_ratio(X, [0, 0, 1, 1]))


@given(cases)
def test_the_constrained_optimum_is_a_regular_simplex_of_least_scatter(case):
    X, labels = case
    if X.shape[1] < labels.max():
        with pytest.raises(ValueError, match="span"):
            simplex_coefficients(X, labels)
        return
    beta = simplex_coefficients(X, labels)
    means, S_c = cluster_means(X, labels), within_scatter(X, labels)
    np.testing.assert_allclose(pdist(means @ beta), np.sqrt(2), rtol=1e-6)
    edges, corners = means[1:] - means[0], np.eye(len(means))[1:] - np.eye(len(means))[0]
    direct = np.linalg.solve(S_c, edges.T) @ np.linalg.solve(
        edges @ np.linalg.solve(S_c, edges.T), corners
    )
    np.testing.assert_allclose(beta, direct, rtol=1e-4, atol=1e-6 * np.abs(direct).max())


def test_moving_within_the_constraint_only_adds_scatter(rng):
    beta = simplex_coefficients(X_IRIS, Y_IRIS)
    means, S_c = cluster_means(X_IRIS, Y_IRIS), within_scatter(X_IRIS, Y_IRIS)
    free = np.linalg.svd(means[1:] - means[0])[2][2:].T  # directions that move no edge
    best = np.trace(beta.T @ S_c @ beta)
    for _ in range(50):
        other = beta + free @ rng.normal(size=(2, 3))
        np.testing.assert_allclose(pdist(means @ other) ** 2, 2)
        assert np.trace(other.T @ S_c @ other) > best


def test_the_constrained_optimum_refuses_a_singular_scatter():
    with pytest.raises(ValueError, match="singular"):
        simplex_coefficients(np.column_stack([X_IRIS, X_IRIS[:, 0]]), Y_IRIS)


@given(cases)
def test_one_factorisation_predicts_what_lstsq_predicts(case):
    X, labels = case
    design, Z = np.column_stack([np.ones(len(X)), X]), one_hot(labels)
    naive = np.linalg.lstsq(design, Z, rcond=None)[0]
    fit = least_squares_fit(linear_basis(X), Z)
    np.testing.assert_allclose(fit.values, design @ naive, atol=1e-8)
    mapped = fit.map()
    np.testing.assert_allclose(mapped.coef, naive[1:], atol=1e-6 * np.abs(naive).max())
    np.testing.assert_allclose(mapped.intercept, naive[0], atol=1e-6 * np.abs(naive).max())
    np.testing.assert_allclose(mapped(X), fit.values, atol=1e-8)
    np.testing.assert_allclose(fit.values.sum(axis=1), 1, atol=1e-10)


def test_constant_and_dependent_columns_leave_the_predictions_alone():
    X, labels = labelled(3)
    Z = one_hot(labels)
    wide = np.column_stack([X, np.full(len(X), 1e6), X[:, 0] - 2 * X[:, 1] + 5, X[:, 2]])
    fit, plain = least_squares_fit(linear_basis(wide), Z), least_squares_fit(linear_basis(X), Z)
    assert linear_basis(wide).Q.shape[1] == 4
    np.testing.assert_allclose(fit.values, plain.values, atol=1e-10)
    np.testing.assert_allclose(fit.map()(wide), plain.values, atol=1e-10)
    assert not fit.map().coef[4].any()


def test_columns_of_very_different_units_all_count():
    X, _ = labelled(4)
    assert linear_basis(X * [1e-150, 1, 1e8, 1e150]).Q.shape[1] == 4


def test_kernel_ridge_predicts_new_rows_as_at_the_samples():
    X, labels = labelled(5)
    fit = kernel_ridge_fit(kernel_basis(X, 2.0), one_hot(labels), 0.3)
    np.testing.assert_allclose(fit.map()(X), fit.values, atol=1e-9)


def test_kernel_ridge_without_centring_is_scikit_learns():
    X, labels = labelled(6)
    Z, lam, sigma = one_hot(labels), 0.3, 2.0
    K = center(rbf(X, sigma=sigma))
    theirs = KernelRidge(alpha=lam, kernel="precomputed").fit(K, Z - Z.mean(0)).predict(K)
    ours = kernel_ridge_fit(kernel_basis(X, sigma), Z, lam).values
    np.testing.assert_allclose(ours, theirs + Z.mean(0), atol=1e-9)


@pytest.mark.parametrize("wanted", [0.5, 3.0, 10.0, 30.0])
def test_the_penalty_gives_the_degrees_of_freedom_asked_for(wanted):
    eigenvalues = kernel_basis(labelled(7)[0], 1.0).eigenvalues
    lam = ridge_penalty(eigenvalues, wanted)
    assert degrees_of_freedom(eigenvalues, lam) == pytest.approx(wanted, rel=1e-9)


def test_more_degrees_of_freedom_than_the_kernel_has_are_refused():
    eigenvalues = kernel_basis(labelled(7)[0], 1.0).eigenvalues
    with pytest.raises(ValueError, match="degrees of freedom"):
        ridge_penalty(eigenvalues, 1000.0)


def test_stepwise_takes_the_features_that_a_plain_search_takes(rng):
    n, p = 80, 7
    X = rng.normal(size=(n, p))
    labels = np.digitize(X[:, 4] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n), [-0.5, 0.5])
    Z = one_hot(labels)

    def residual(columns):
        design = np.column_stack([np.ones(n), X[:, columns]])
        return np.sum((Z - design @ np.linalg.lstsq(design, Z, rcond=None)[0]) ** 2)

    naive, rss = [], residual([])
    while True:
        rest = {j: residual([*naive, j]) for j in range(p) if j not in naive}
        best = min(rest, key=rest.get)
        if naive and rss - rest[best] <= 2 * np.log(p) * rest[best] / (n - len(naive) - 2):
            break
        naive, rss = [*naive, best], rest[best]
    basis = linear_basis(X)
    target = basis.Q.T @ Z
    outside = np.sum((Z - Z.mean(0)) ** 2) - np.sum(target**2)
    assert stepwise_features(basis.features, target, outside, n) == naive
    assert naive[:2] == [4, 1]
    used = np.flatnonzero(stepwise_fit(basis, Z).map().coef.any(axis=1))
    assert used.tolist() == sorted(naive)


def test_stepwise_takes_one_feature_of_pure_noise_and_not_all(rng):
    X, labels = rng.normal(size=(200, 30)), np.arange(200) % 3
    basis = linear_basis(X)
    assert 1 <= stepwise_fit(basis, one_hot(labels)).map().coef.any(axis=1).sum() <= 3


def test_discriminant_directions_are_at_most_k_minus_one():
    X, labels = labelled(8, p=6, K=3)
    directions, rho2 = canonical_directions(linear_basis(X).Q, one_hot(labels))
    assert directions.shape == (6, 2)
    assert rho2.shape == (2,)
    assert np.all(np.diff(rho2) <= 0)
