"""The equations of the NAML paper, each against a second way to compute it."""

import numpy as np
import pytest
from scipy.linalg import eigh, pinvh, subspace_angles
from scipy.optimize import check_grad
from sklearn.preprocessing import minmax_scale, scale

from umlbook.algebra import centered, indicator
from umlbook.datasets import load
from umlbook.kernels import RBFBank, bank_widths, center, combine, rbf
from umlbook.naml import kernel_weights, laplacian_kernel, qcqp_weights
from umlbook.naml.qcqp import kernel_root
from umlbook.naml.weights import (
    as_bank,
    resolvent,
    simplex_quadratic_minimum,
    weight_hessian,
    weight_point,
    weight_steps,
)


@pytest.fixture
def problem(rng):
    """Five kernels on thirty points in three clusters, and their indicator."""
    y = np.repeat([0, 1, 2], 10)
    X = rng.normal(size=(30, 2)) + 2 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return RBFBank(X, [4.0, 2.0, 1.0, 0.5, 0.25]), indicator(y)


def f1(G, Q, L, lam):
    """Eq. 20."""
    return np.trace(np.linalg.solve(Q.T @ (G @ G + lam * G) @ Q, Q.T @ G @ L @ L.T @ G @ Q))


def f2(bank, L, lam, w):
    """Eq. 28, naively."""
    G = sum(weight * K for weight, K in zip(w, bank, strict=True))
    return np.trace(L.T @ np.linalg.solve(np.eye(len(G)) + G / lam, L))


@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_theorem_3_2_and_eqs_26_27_the_best_q(problem, lam, rng):
    bank, L = problem
    G = combine(bank, np.full(5, 0.2))
    star = np.trace(pinvh(G @ G + lam * G) @ G @ L @ L.T @ G)
    Q = np.linalg.solve(G + lam * np.eye(30), indicator_without_constant(L))
    assert f1(G, Q, L, lam) == pytest.approx(star, rel=1e-6)
    assert np.sum(L**2) - f2(bank, L, lam, np.full(5, 0.2)) == pytest.approx(star, rel=1e-6)
    for _ in range(100):
        other = rng.normal(size=Q.shape)
        assert f1(G, other, L, lam) <= star + 1e-9
        assert f1(G, Q + 1e-3 * np.abs(Q).max() * other, L, lam) <= star + 1e-9


def indicator_without_constant(L):
    return np.linalg.svd(centered(L), full_matrices=False)[0][:, :-1]


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0, 100.0])
def test_gradient_and_hessian_of_f2(problem, lam, rng):
    bank, L = problem
    L = centered(L)
    w = rng.dirichlet(np.ones(5))

    def point(weights):
        return weight_point(bank, L, lam, weights, resolvent(bank, L, lam, weights))

    assert point(w).objective == pytest.approx(f2(bank, L, lam, w), rel=1e-9)
    gradient = -point(w).scores / lam
    size = np.abs(gradient).max()
    error = check_grad(
        lambda x: f2(bank, L, lam, x) / size, lambda x: -point(x).scores / lam / size, w
    )
    assert error < 1e-4
    H = weight_hessian(point(w), lam)
    step = 1e-6
    columns = [
        (point(w + step * e).scores - point(w - step * e).scores) / (-2 * step * lam)
        for e in np.eye(5)
    ]
    np.testing.assert_allclose(H, np.array(columns), rtol=1e-4, atol=1e-4 * np.abs(H).max())
    assert eigh(H, eigvals_only=True)[0] >= -1e-9 * np.abs(H).max()


def test_f2_is_convex_along_random_chords(problem, rng):
    bank, L = problem
    for _ in range(20):
        a, b = rng.dirichlet(np.ones(5), size=2)
        ends = f2(bank, L, 0.01, a) + f2(bank, L, 0.01, b)
        assert 2 * f2(bank, L, 0.01, (a + b) / 2) <= ends + 1e-12


@pytest.mark.parametrize("lam", [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e5])
def test_kernel_weights_are_optimal_with_a_certified_gap(problem, lam, rng):
    bank, L = problem
    found = kernel_weights(bank, L, lam)
    assert found.gap <= 1e-8
    assert found.weights.sum() == pytest.approx(1)
    assert found.weights.min() >= 0
    np.testing.assert_allclose(found.theta, found.weights / bank.traces)
    assert found.objective == pytest.approx(f2(bank, L, lam, found.weights), rel=1e-7)
    spread = f2(bank, L, lam, np.full(5, 0.2)) - found.objective
    draws = [*rng.dirichlet(np.ones(5), 100), *rng.dirichlet(0.1 * np.ones(5), 100), *np.eye(5)]
    near = [0.999 * found.weights + 0.001 * v for v in draws]
    assert min(f2(bank, L, lam, w) for w in draws + near) >= found.objective - 1e-9 * spread - 1e-10


def test_the_gap_is_an_upper_bound_all_along(problem):
    bank, L = problem
    best = kernel_weights(bank, centered(L), 1e-3).objective
    states = []
    for state in weight_steps(bank, centered(L), 1e-3, np.full(5, 0.2)):
        states.append(state)
        assert state.objective - best <= state.gap + 1e-12
        if state.gap < 1e-10:
            break
    assert states[0].gap > 0.01
    assert np.diff([s.objective for s in states]).max() < 0


@pytest.mark.parametrize("lam", [1e-6, 1e-2, 1e3])
def test_the_start_does_not_change_the_weights(problem, lam):
    bank, L = problem
    reference = kernel_weights(bank, L, lam).weights
    for i in range(5):
        found = kernel_weights(bank, L, lam, weights=np.eye(5)[i]).weights
        np.testing.assert_allclose(found, reference, atol=1e-5)


def test_the_constant_part_of_l_only_adds_its_norm(problem):
    bank, L = problem
    whole, inner = (kernel_weights(bank, M, 0.01) for M in (L, centered(L)))
    np.testing.assert_allclose(whole.weights, inner.weights, atol=1e-6)
    assert whole.objective - inner.objective == pytest.approx(1.0)


def test_large_lam_selects_the_largest_normalised_alignment(problem):
    bank, L = problem
    alignment = [np.trace(L.T @ G @ L) for G in bank]
    assert kernel_weights(bank, L, 1e6).weights[int(np.argmax(alignment))] == 1.0


@pytest.mark.parametrize("seed", range(20))
def test_simplex_minimum_meets_the_optimality_conditions(seed):
    draw = np.random.default_rng(seed)
    p = int(draw.integers(1, 9))
    root = draw.normal(size=(p, int(draw.integers(1, p + 1))))  # singular on purpose
    H, g, start = root @ root.T, draw.normal(size=p), draw.dirichlet(np.ones(p))
    start[draw.uniform(size=p) < 0.3] = 0.0
    start = start / start.sum() if start.sum() else np.eye(p)[0]
    x = simplex_quadratic_minimum(H, g, start)
    gradient = g + H @ (x - start)
    assert x.min() >= 0
    assert x.sum() == pytest.approx(1)
    assert x @ gradient - gradient.min() < 1e-7


# ---------------------------------------------------------------------- the paper's route


SETS = {"iris": minmax_scale, "wine": scale, "promoter": scale}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
def test_theorem_3_3_the_qcqp_and_kernel_weights_agree(name, lam):
    pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    data = load(name)
    X, y = SETS[name](data.data.astype(float))[::3], data.target[::3]
    bank = RBFBank(X, bank_widths(X, 6))
    paper, ours = (solve(bank, indicator(y), lam) for solve in (qcqp_weights, kernel_weights))
    assert paper.objective == pytest.approx(ours.objective, rel=1e-6)
    np.testing.assert_allclose(paper.weights, ours.weights, atol=1e-3)
    assert paper.multipliers.sum() == pytest.approx(1 / (4 * lam), rel=1e-5)
    B = np.linalg.solve(np.eye(len(X)) + combine(bank, ours.weights) / lam, indicator(y))
    np.testing.assert_allclose(paper.beta, 2 * B, atol=1e-3)


def test_without_cvxpy_the_error_names_the_extra(problem, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cvxpy", None)
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(ImportError, match=r'pip install "umlbook\[qcqp\]"'):
        qcqp_weights(problem[0], problem[1], 0.01)


def test_eq_29_the_dual_value_never_exceeds_f2(problem, rng):
    bank, L = problem
    lam, best = 0.01, kernel_weights(bank, L, 0.01).objective
    for _ in range(50):
        beta = rng.normal(size=L.shape) * rng.uniform(0, 2) + 2 * L * rng.uniform()
        t = max(np.trace(beta.T @ G @ beta) for G in bank)
        value = np.sum(beta * L) - np.sum(beta**2) / 4 - t / (4 * lam)
        assert value <= best + 1e-9


def test_kernel_root_has_as_many_columns_as_the_kernel_has_rank(rng):
    F = rng.normal(size=(9, 3))
    root = kernel_root(F @ F.T)
    assert root.shape == (9, 3)
    np.testing.assert_allclose(root @ root.T, F @ F.T, atol=1e-12)


# --------------------------------------------------------------------- Laplacian kernels


def graph(rng, n=12):
    W = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.5)
    W = np.triu(W, 1)
    return W + W.T


def test_proposition_3_1_the_pseudo_inverse_is_centred_and_a_kernel(rng):
    W = graph(rng)
    K = laplacian_kernel(W)
    np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(center(K), K, atol=1e-12)
    lap = np.diag(W.sum(axis=1)) - W
    np.testing.assert_allclose(lap @ K @ lap, lap, atol=1e-12)


def test_eq_33_differs_from_eq_26_by_the_null_space():
    W = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    lap, K, L, lam = (
        np.diag(W.sum(axis=1)) - W,
        laplacian_kernel(W),
        indicator([0] * 3 + [1] * 3),
        0.5,
    )
    eq_33 = np.trace(L.T @ np.linalg.solve(np.eye(6) + lam * lap, L))
    eq_26 = np.trace(L.T @ K @ np.linalg.solve(K + lam * np.eye(6), L))
    assert eq_33 == pytest.approx(2)
    assert eq_26 == pytest.approx(0, abs=1e-12)


def test_laplacian_eigenvectors_come_back_as_the_space_of_the_kernel(rng):
    W = graph(rng)
    _, vectors = eigh(np.diag(W.sum(axis=1)) - W)
    top = eigh(laplacian_kernel(W))[1][:, :-3:-1]
    assert subspace_angles(top, vectors[:, 1:3]).max() < 1e-6


@pytest.mark.parametrize("W", [np.ones((2, 3)), [[0, 1], [0.5, 0]], [[0, -1], [-1, 0]]])
def test_an_affinity_that_is_no_graph_is_refused(W):
    with pytest.raises(ValueError, match="affinity must be a symmetric square matrix"):
        laplacian_kernel(W)


# ------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("kernels", "L", "lam", "says"),
    [
        ([], np.eye(3), 1.0, "at least one kernel"),
        ([np.eye(3), np.eye(4)], np.eye(3), 1.0, "kernels\\[1\\] of shape"),
        ([np.eye(3), np.ones((3, 3))], np.eye(3), 1.0, "kernels\\[1\\] is constant after centring"),
        ([np.diag([1.0, 1.0, -1.0])], np.eye(3), 1.0, "kernels\\[0\\] must be a positive semi"),
        ([np.full((3, 3), np.nan)], np.eye(3), 1.0, "kernels\\[0\\] contains NaN"),
        ([np.eye(3)], np.eye(4), 1.0, "L must have one row for each of the 3 samples"),
        ([np.eye(3)], np.full((3, 1), np.inf), 1.0, "L contains inf"),
        ([np.eye(3)], np.eye(3), 0.0, "lam must be a positive finite number"),
    ],
)
def test_bad_kernels_are_named_with_their_remedy(kernels, L, lam, says):
    with pytest.raises(ValueError, match=says):
        kernel_weights(kernels, L, lam)


def test_start_weights_off_the_simplex_are_refused(problem):
    with pytest.raises(ValueError, match="weights must be 5 numbers, none negative, with sum one"):
        kernel_weights(*problem, 0.1, weights=np.ones(5))


def test_a_bank_is_taken_as_it_is_and_matrices_give_the_same(problem):
    bank, _ = problem
    assert as_bank(bank) is bank
    X = np.random.default_rng(1).normal(size=(12, 2))
    labels = indicator(np.arange(12) % 2)
    one = kernel_weights(RBFBank(X, [1.0, 0.3]), labels, 0.01)
    other = kernel_weights([5 * rbf(X, sigma=1.0) + 3, rbf(X, sigma=0.3)], labels, 0.01)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-10)


# ------------------------------------------------------------------- one kernel, or a mixture


def random_bank(draw, n=12):
    """Two to four kernels, neither centred nor of equal rank nor with common eigenvectors."""
    ranks = draw.integers(1, n, size=draw.integers(2, 5))
    roots = [draw.normal(size=(n, rank)) + draw.normal() for rank in ranks]
    return as_bank([root @ np.diag(draw.uniform(0.1, 2, len(root.T))) @ root.T for root in roots])


def spectrum(bank, w):
    return np.linalg.eigvalsh(combine(bank, np.asarray(w, dtype=float)))[::-1]


def joint_value(bank, w, lam, n_directions):
    s = spectrum(bank, w)[:n_directions]
    return np.sum(s / (s + lam))


@pytest.mark.parametrize("seed", range(20))
def test_eq_5_47_for_two_clusters_no_mixture_is_better_than_the_best_kernel(seed):
    draw = np.random.default_rng(seed)
    bank, lam = random_bank(draw), 10 ** draw.uniform(-3, 1)
    best = max(joint_value(bank, e, lam, 1) for e in np.eye(len(bank)))
    mixtures = draw.dirichlet(0.5 * np.ones(len(bank)), size=200)
    assert max(joint_value(bank, w, lam, 1) for w in mixtures) <= best + 1e-12


@pytest.mark.parametrize("n_clusters", [3, 4])
@pytest.mark.parametrize("seed", range(10))
def test_eq_5_47_a_large_lam_chooses_one_kernel_for_any_number_of_clusters(seed, n_clusters):
    draw = np.random.default_rng(seed)
    ahead, k = 0.0, n_clusters - 1
    while ahead < 1e-6:  # two kernels of rank k or less tie: all of their trace is in k directions
        bank = random_bank(draw)
        sums = np.array([spectrum(bank, e)[:k].sum() for e in np.eye(len(bank))])
        ahead = np.diff(np.sort(sums))[-1]
    lam = 2 * k / ahead
    values = [joint_value(bank, e, lam, k) for e in np.eye(len(bank))]
    assert np.argmax(values) == np.argmax(sums)
    mixtures = draw.dirichlet(0.5 * np.ones(len(bank)), size=200)
    assert max(joint_value(bank, w, lam, k) for w in mixtures) < max(values)


def test_for_three_clusters_two_kernels_of_rank_one_are_mixed_in_equal_parts():
    u = np.linalg.qr(centered(np.random.default_rng(0).normal(size=(9, 2))))[0]
    bank = as_bank([np.outer(column, column) for column in u.T])
    for lam in (0.01, 1.0, 100.0):  # the two tie as single kernels, so that no lam is large
        half, end = (joint_value(bank, w, lam, 2) for w in ([0.5, 0.5], [1, 0]))
        assert half == pytest.approx(2 / (1 + 2 * lam))
        assert end == pytest.approx(1 / (1 + lam))
        assert half > end


@pytest.mark.parametrize("seed", range(20))
def test_eq_5_48_the_slope_of_the_joint_value_decides_whether_a_vertex_is_an_end(seed):
    draw = np.random.default_rng(seed)
    bank, lam, k = random_bank(draw), 10 ** draw.uniform(-2, 0), int(draw.integers(1, 3))
    for j, e in enumerate(np.eye(len(bank))):
        values, vectors = eigh(list(bank)[j])
        s, U = values[::-1][:k], vectors[:, ::-1][:, :k]
        if s[-1] < 1e-9 or s[-1] - values[::-1][k] < 1e-3:  # no gap, no slope
            continue
        share = [np.einsum("nk,nm,mk->k", U, G, U) for G in bank]
        slopes = np.array([np.sum(lam * (along - s) / (s + lam) ** 2) for along in share])
        step = 1e-6
        for other, slope in zip(np.eye(len(bank)), slopes, strict=True):
            ahead = joint_value(bank, e + step * (other - e), lam, k) - joint_value(bank, e, lam, k)
            assert ahead / step == pytest.approx(slope, abs=1e-3 * (1 + abs(slope)))
        stays = kernel_weights(bank, U, lam).weights[j] > 1 - 1e-6
        assert stays == (np.delete(slopes, j).max() <= 0)


# ------------------------------------------- the certificate, on kernels and L of any kind


@pytest.mark.parametrize("seed", range(10))
def test_eqs_5_25_to_5_27_hold_for_kernels_of_any_rank_and_any_l(seed):
    draw = np.random.default_rng(seed)
    bank, lam = random_bank(draw), 10 ** draw.uniform(-3, 2)
    L = draw.normal(size=(12, 3))  # neither orthonormal nor centred
    kernels = list(bank)

    def dual(beta):
        t = max(np.trace(beta.T @ G @ beta) for G in kernels)
        return np.sum(beta * L) - np.sum(beta**2) / 4 - t / (4 * lam)

    best = kernel_weights(bank, L, lam, tol=1e-10)
    for w in draw.dirichlet(np.ones(len(bank)), size=10):
        b = np.linalg.solve(np.eye(12) + combine(bank, w) / lam, L)
        q = np.array([np.trace(b.T @ G @ b) for G in kernels])
        gap = (q.max() - w @ q) / lam
        assert f2(bank, L, lam, w) - dual(2 * b) == pytest.approx(gap, rel=1e-8, abs=1e-10)
        assert f2(bank, L, lam, w) - gap <= best.objective + 1e-9
        assert dual(2 * b + draw.normal(size=L.shape)) <= best.objective
    b = np.linalg.solve(np.eye(12) + combine(bank, best.weights) / lam, L)
    assert dual(2 * b) == pytest.approx(best.objective, rel=1e-6)


def test_the_weights_are_unique_if_and_only_if_the_hessian_has_no_null_direction_of_sum_zero():
    draw = np.random.default_rng(0)
    one, other = (draw.normal(size=(12, r)) for r in (2, 5))
    twins = as_bank([one @ one.T, 3 * one @ one.T, other @ other.T])
    L = centered(draw.normal(size=(12, 2)))
    starts = draw.dirichlet(np.ones(3), size=6)
    found = np.array([kernel_weights(twins, L, 0.1, weights=w).weights for w in starts])
    assert np.ptp(found[:, 0]) > 0.1  # the twins share their weight in any way
    assert np.ptp(found[:, 2]) < 1e-4
    bank = as_bank([one @ one.T, other @ other.T])
    found = np.array(
        [
            kernel_weights(bank, L, 0.1, weights=w).weights
            for w in starts[:, :2] / starts[:, :2].sum(axis=1, keepdims=True)
        ]
    )
    assert np.ptp(found, axis=0).max() < 1e-4
