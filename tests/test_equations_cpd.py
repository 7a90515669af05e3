"""Equations 1 to 22 of CPD-UML, rows as samples: X_1 = X + G Psi, P = I - YY'."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize

from umlbook.algebra import cluster_means, indicator, kmeans_objective
from umlbook.cpd import (
    CPDUML,
    deformation,
    deviations,
    gradient,
    kmeans_labels,
    lloyd_labels,
    objective,
    roughness,
    velocity,
)
from umlbook.cpd.field import FieldProblem, full_basis
from umlbook.datasets import load, make_two_moons
from umlbook.kernels import rbf
from umlbook.spectral import spectral_embedding

LAM = 0.7


SHAPES = {  # sizes of the clusters, features
    "more clusters than features": ((7, 4, 2, 1), 3),
    "fewer clusters than features": ((6, 3), 4),
    "one feature": ((5, 5, 1), 1),
}


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def problem(rng, request):
    """X, G, Y, Psi and the labels of Y: not centred, of unequal sizes, with a repeated row."""
    sizes, d = request.param
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(1, 2, size=(len(labels), d))
    X[1] = X[0]
    return X, rbf(X, sigma=2.6), indicator(labels), rng.normal(size=X.shape), labels


def naive_deformation(X, G, Y, lam):
    """Eq. 20 as it stands, with P and the inverse written out."""
    P = np.eye(len(X)) - Y @ Y.T
    return np.linalg.solve(G @ P @ G + lam * np.eye(len(X)), -G @ P @ X)


def test_point_drift_solution_minimises_its_tikhonov_functional(rng):
    U, T = rng.normal(size=(2, 12, 2))
    G = rbf(U, sigma=1.0)

    def functional(psi):
        return 0.5 * np.sum((T - U - G @ psi) ** 2) + 0.5 * LAM * roughness(G, psi, "smoothness")

    best = np.linalg.solve(G + LAM * np.eye(12), T - U)
    for _ in range(100):
        assert functional(best) < functional(best + 0.1 * rng.normal(size=best.shape))


def test_eq_1_and_3_velocity_is_the_sum_over_the_samples(problem):
    X, _, _, psi, _ = problem
    new = X[:4] + 0.1
    loop = [
        sum(np.exp(-np.sum((x - z) ** 2) / (2 * 1.3**2)) * p for z, p in zip(X, psi, strict=True))
        for x in new
    ]
    np.testing.assert_allclose(velocity(new, X, psi, sigma=1.3), loop, rtol=1e-11, atol=1e-14)


def test_eq_11_is_kmeans_on_the_moved_points_plus_the_penalty(problem):
    X, G, Y, psi, labels = problem
    wanted = kmeans_objective(X + G @ psi, labels) + LAM * np.sum(psi**2)
    assert objective(X, G, Y, psi, LAM) == pytest.approx(wanted, rel=1e-12)


def test_eq_14_21_22_are_expansions_of_eq_13(problem):
    X, G, Y, psi, _ = problem
    tr, GP = np.trace, G @ psi
    inner = X @ X.T + GP @ X.T + X @ psi.T @ G + GP @ GP.T
    eq21 = tr(inner) - tr(Y.T @ inner @ Y) + LAM * tr(psi.T @ psi)
    eq14 = (
        tr(X @ X.T) + 2 * tr(X.T @ G @ psi) + tr(psi.T @ G @ G @ psi)
        - tr(Y.T @ X @ X.T @ Y) - 2 * tr(Y.T @ G @ psi @ X.T @ Y)
        - tr(psi.T @ G @ Y @ Y.T @ G @ psi) + LAM * tr(psi.T @ psi)
    )  # fmt: skip
    np.testing.assert_allclose([eq21, eq14], objective(X, G, Y, psi, LAM), rtol=1e-12)


def test_eq_15_gradient_agrees_with_finite_differences(problem):
    X, G, Y, psi, _ = problem

    def J(flat):
        return objective(X, G, Y, flat.reshape(X.shape), LAM)

    def slope(flat):
        return gradient(X, G, Y, flat.reshape(X.shape), LAM).ravel()

    assert check_grad(J, slope, psi.ravel()) < 1e-5 * np.linalg.norm(slope(psi.ravel()))


def test_hessian_is_kronecker_and_its_least_eigenvalue_is_two_lam(problem):
    X, G, Y, _, _ = problem
    n, d = X.shape
    M = 2 * (G @ deviations(G, Y) + LAM * np.eye(n))
    columns = []
    for j in range(d):
        for i in range(n):
            unit = np.zeros((n, d))
            unit[i, j] = 1.0
            step = gradient(X, G, Y, unit, LAM) - gradient(X, G, Y, 0 * unit, LAM)
            columns.append(step.ravel(order="F"))
    H = np.array(columns).T
    np.testing.assert_allclose(H, np.kron(np.eye(d), M), atol=1e-10)
    assert np.linalg.eigvalsh(H)[0] == pytest.approx(2 * LAM, rel=1e-8)


def test_repeated_rows_make_g_singular_but_not_m():
    X = load("breast_wisconsin").data
    assert len(np.unique(X, axis=0)) == 449
    rows = np.repeat(X[:20], 2, axis=0)
    G, Y = rbf(rows, sigma=3.0), indicator(np.arange(40) % 2)
    assert np.linalg.eigvalsh(G)[0] < 1e-12
    M = 2 * (G @ deviations(G, Y) + LAM * np.eye(40))
    assert np.linalg.eigvalsh(M)[0] == pytest.approx(2 * LAM, rel=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 12))
def test_the_rank_of_g_is_the_number_of_distinct_rows(seed, d, distinct):
    rng = np.random.default_rng(seed)
    X = rng.permutation(np.arange(40))[:distinct, None] * np.ones(d) + rng.uniform(0, 0.2, d)
    rows = X[np.r_[np.arange(distinct), rng.integers(0, distinct, 5)]]
    assert np.linalg.matrix_rank(rbf(rows, sigma=0.7), tol=1e-8) == distinct
    assert np.linalg.eigvalsh(rbf(X, sigma=0.7))[0] > 1e-8


def test_eq_20_is_where_a_generic_optimiser_ends_from_any_start(problem, rng):
    X, G, Y, _, _ = problem
    best = deformation(X, G, Y, LAM)
    for _ in range(3):
        found = minimize(
            lambda f: objective(X, G, Y, f.reshape(X.shape), LAM),
            rng.normal(size=X.size),
            jac=lambda f: gradient(X, G, Y, f.reshape(X.shape), LAM).ravel(),
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-11, "maxiter": 2000},
        )
        np.testing.assert_allclose(found.x.reshape(X.shape), best, atol=1e-6 * np.abs(best).max())


@pytest.mark.parametrize("lam", [1e-2, 1.0, 1e2, 1e6])
@pytest.mark.parametrize("sigma", [0.2, 1.0, 5.0])
def test_fast_field_equals_eq_20_written_naively(sigma, lam):
    X, _ = make_two_moons(150, noise=0.1, random_state=0)
    Y, G = indicator(kmeans_labels(X, 2)), rbf(X, sigma=sigma)
    naive = naive_deformation(X, G, Y, lam)
    fast = FieldProblem(X, full_basis(X, sigma), lam).best_field(Y)
    assert np.linalg.norm(fast.psi - naive) < 1e-8 * np.linalg.norm(naive)
    plain = deformation(X, G, Y, lam)
    assert np.linalg.norm(plain - naive) < 1e-8 * np.linalg.norm(naive)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 4), st.floats(-1, 5))
def test_fast_field_equals_the_plain_solve_whatever_the_data(seed, n_clusters, d, log_lam):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, d))
    Y = indicator(rng.permutation(np.arange(20) % n_clusters), n_clusters)
    lam = 10.0**log_lam
    for penalty in ("coefficients", "smoothness"):
        wanted = deformation(X, rbf(X, sigma=1.0), Y, lam, penalty=penalty)
        field = FieldProblem(X, full_basis(X, 1.0), lam, penalty).best_field(Y)
        np.testing.assert_allclose(field.psi, wanted, atol=1e-8 * np.abs(wanted).max() + 1e-14)


def test_smoothness_variant_is_stationary_for_its_own_objective(problem, rng):
    X, G, Y, _, _ = problem
    best = deformation(X, G, Y, LAM, penalty="smoothness")
    reached = objective(X, G, Y, best, LAM, penalty="smoothness")
    for _ in range(50):
        other = best + 0.05 * rng.normal(size=best.shape)
        assert objective(X, G, Y, other, LAM, penalty="smoothness") > reached


def test_profiled_objective_needs_no_psi(problem):
    X, G, Y, _, _ = problem
    C = G @ G + LAM * np.eye(len(X))
    m = np.linalg.solve(Y.T @ np.linalg.solve(C, Y), Y.T @ np.linalg.solve(C, X))
    D = X - Y @ m
    by_means = LAM * np.trace(D.T @ np.linalg.solve(C, D))  # (6.23)
    assert objective(X, G, Y, deformation(X, G, Y, LAM), LAM) == pytest.approx(by_means, rel=1e-9)
    P = np.eye(len(X)) - Y @ Y.T
    profiled = LAM * np.trace(
        X.T @ P @ np.linalg.solve(P @ G @ G @ P + LAM * np.eye(len(X)), P @ X)
    )
    psi = deformation(X, G, Y, LAM)
    assert objective(X, G, Y, psi, LAM) == pytest.approx(profiled, rel=1e-10)


def test_weighted_means_are_the_means_of_the_moved_clusters(problem):
    X, G, Y, _, labels = problem
    A = G @ G + LAM * np.eye(len(X))
    A_inverse_Y = np.linalg.solve(A, Y)
    means = np.linalg.solve(Y.T @ A_inverse_Y, A_inverse_Y.T @ X)
    moved = X + G @ deformation(X, G, Y, LAM)
    np.testing.assert_allclose(means, Y.T @ moved, atol=1e-12)
    sizes = np.bincount(labels)[:, None]
    np.testing.assert_allclose(means / np.sqrt(sizes), cluster_means(moved, labels), atol=1e-12)


def test_relaxed_y_moves_nothing_where_there_are_no_more_features_than_clusters():
    X, _ = make_two_moons(200, noise=0.1, random_state=0)
    G = rbf(X, sigma=1.0)
    relaxed, _ = spectral_embedding(X, 2)
    assert np.abs(deformation(X, G, relaxed, 100.0)).max() < 1e-14
    assert np.abs(deformation(X, G, indicator(kmeans_labels(X, 2)), 100.0)).max() > 1e-3


def test_relaxed_y_only_shrinks_what_the_top_components_leave_out(rng):
    X = rng.normal(size=(40, 5)) * [5, 4, 3, 2, 1]
    relaxed, _ = spectral_embedding(X, 2)
    top = np.linalg.svd(X)[2][:2]
    psi = deformation(X, rbf(X, sigma=3.0), relaxed, 10.0)
    np.testing.assert_allclose(psi @ top.T, 0.0, atol=1e-12)
    assert np.abs(psi).max() > 1e-3


def test_eq_12_as_printed_never_sees_the_deformation():
    X, _ = make_two_moons(200, noise=0.1, random_state=0)
    first = next(iter(CPDUML(2, sigma=1.0, lam=100.0, init="kmeans", random_state=0).steps(X)))
    from_x = kmeans_labels(X, 2)
    from_moved = lloyd_labels(first.moved, from_x, 2)
    np.testing.assert_array_equal(first.given, from_x)
    assert not np.array_equal(from_moved, from_x)
    assert kmeans_objective(first.moved, from_moved) < kmeans_objective(first.moved, from_x)


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5), st.floats(-2, 3),
    st.floats(-1, 1),
)  # fmt: skip
def test_algorithm_1_as_printed_with_its_relaxed_y_never_raises_j(
    seed, n_clusters, d, log_lam, log_sigma
):
    """The half steps minimise J over all orthonormal Y, and over Psi: see (6.26)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(1, 2, size=(18, d)) * rng.uniform(0.2, 3, d)
    G, lam, psi, path = rbf(X, sigma=10**log_sigma), 10**log_lam, np.zeros_like(X), []
    for _ in range(6):
        Y, _ = spectral_embedding(X + G @ psi, n_clusters)
        path.append(objective(X, G, Y, psi, lam))
        psi = deformation(X, G, Y, lam)
        path.append(objective(X, G, Y, psi, lam))
    assert np.all(np.diff(path) <= 1e-10 * np.sum(X**2))
    if d <= n_clusters:
        assert np.abs(G @ psi).max() < 1e-9, "and then nothing moves, (6.24)"
