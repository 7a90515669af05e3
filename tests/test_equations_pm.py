"""Equations of PM with their sign put right: probability, entropy, coordinates, E and M step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, brentq, check_grad, minimize
from scipy.spatial.distance import pdist
from scipy.special import entr, expit

from umlbook.constraints import check_constraints
from umlbook.daem import (
    correlation_basis,
    e_step,
    kernel_basis,
    labelled_only,
    mean_squared_distance,
    objective,
    pair_numbers,
    same_probability,
    schedule,
    shannon_entropy,
    tempered_entropy,
    weighted_pairs,
)
from umlbook.daem.solver import AllPairs, ListedPairs, PairCost, projected_newton
from umlbook.kernels import exponential

SIX = np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.0], [3.0, 0.1], [3.2, 1.1], [4.0, 0.3]])
MUST, CANNOT = [[0, 1], [3, 4], [1, 2]], [[0, 3], [2, 5], [1, 4]]
LAMS = (0.0, 0.2, 0.5, 0.8, 0.95, 1.0)


def pair_array(P):
    """V, one pair i < j a row: the array that the package does without."""
    i, j = np.triu_indices(len(P), k=1)
    return (P[i] - P[j]) ** 2


def six_points(weight=1.0):
    must, cannot = check_constraints(MUST, CANNOT, 6)
    return weighted_pairs(must, cannot, 6, weight)


@pytest.fixture
def random_cost(rng):
    """A cost on all pairs of 12 points, the same on listed pairs, and a place to look at it."""
    P = rng.normal(size=(12, 4)) + 5.0
    target, weight = rng.random(66), rng.random(66)
    theta = np.array([0.3, 0.0, 1.2, 0.05])
    costs = [PairCost(f, target, weight, 0.3) for f in (AllPairs(P), ListedPairs(pair_array(P)))]
    return *costs, np.append(theta, 1.7)


# ----------------------------------------------------------------- probability and entropy


def test_eq_11_probability_falls_with_the_distance_and_both_labels_sum_to_one():
    t = np.array([0.0, 1.0, 4.0]) - 1.0
    assert np.allclose(same_probability(t), [0.7311, 0.5, 0.0474], atol=1e-4)
    assert np.allclose(same_probability(t) + same_probability(-t), 1.0)


@given(st.floats(-700, 700), st.floats(0.01, 0.99))
def test_eq_13_entropies_are_those_of_the_probability(t, lam):
    P = np.longdouble(1) / (1 + np.exp(np.longdouble(t)))
    R = np.longdouble(1) / (1 + np.exp(-np.longdouble(t)))
    plogp = [-p * np.log(p) if p > 0 else 0.0 for p in (P, R)]
    assert shannon_entropy(t) == pytest.approx(float(sum(plogp)), rel=1e-9, abs=1e-12)
    a = 1 / (1 - lam)
    larger, smaller = max(P, R), min(P, R)
    renyi = (a * np.log(larger) + np.log1p((smaller / larger) ** a)) / (1 - a)
    assert tempered_entropy(t, lam) == pytest.approx(float(lam * renyi), rel=1e-7, abs=1e-12)


def test_entropy_is_concave_in_the_margin_only_near_zero():
    edge = brentq(lambda t: t * np.tanh(t / 2) - 1, 1, 2)
    assert edge == pytest.approx(1.5434, abs=1e-4)

    def second(t, h=1e-4):
        return (shannon_entropy(t + h) - 2 * shannon_entropy(t) + shannon_entropy(t - h)) / h**2

    assert second(edge - 0.05) < 0 < second(edge + 0.05)
    assert second(0.0) == pytest.approx(-0.25, abs=1e-5)


@pytest.mark.parametrize("lam", [0.2, 0.6, 0.9])
def test_gradients_of_both_entropies(lam):
    for t in (-2.5, -0.3, 0.4, 3.0):
        renyi = approx_fprime([t], lambda t: tempered_entropy(t[0], lam), 1e-6)[0]
        assert renyi == pytest.approx(expit(t) - expit(t / (1 - lam)), abs=1e-5)
        shannon = approx_fprime([t], lambda t: lam * shannon_entropy(t[0]), 1e-6)[0]
        assert shannon == pytest.approx(-lam * t * expit(t) * expit(-t), abs=1e-5)


def test_tempered_entropy_has_its_limits_zero_and_min_entropy():
    t = np.linspace(-5, 5, 21)
    assert np.allclose(tempered_entropy(t, 0.0), 0.0)
    assert np.allclose(tempered_entropy(t, 1.0), -np.log(np.maximum(expit(t), expit(-t))))
    assert np.allclose(tempered_entropy(t, 1 - 1e-9), tempered_entropy(t, 1.0), atol=1e-8)


# ------------------------------------------------------------------------------ the E step


@given(st.floats(-8, 8), st.sampled_from(LAMS[1:-1]))
def test_eq_29_is_the_best_belief_and_its_value_is_minus_the_tempered_entropy(t, lam):
    P, a, best = expit(-t), 1 / (1 - lam), float(e_step(t, lam))
    assert best == pytest.approx(P**a / (P**a + (1 - P) ** a), rel=1e-9)

    def value(q):
        mean = q * np.log(P) + (1 - q) * np.log1p(-P)
        return mean + (1 - lam) * (entr(q) + entr(1 - q))

    assert value(best) == pytest.approx(-float(tempered_entropy(t, lam)), abs=1e-9)
    assert value(np.linspace(0, 1, 1001)).max() <= value(best) + 1e-12


def test_eq_29_is_hard_at_one_splits_ties_and_never_overflows():
    assert e_step([-3.0, 0.0, 1e-9], 1.0).tolist() == [1.0, 0.5, 0.0]
    assert np.isfinite(e_step([-800.0, 800.0], 1 - 1e-15)).all()


def test_schedule_runs_from_the_root_of_one_twentieth_to_one():
    lams = schedule(20)
    assert lams[0] == pytest.approx(0.2236, abs=1e-4)
    assert lams[-1] == 1.0
    assert np.allclose(np.diff(lams**2), 1 / 20)


# ------------------------------------------------------------------------------ coordinates


def test_eq_15_to_17_distance_under_A_is_the_weighted_sum_over_components(rng):
    X, theta = rng.normal(size=(8, 3)), np.array([0.5, 0.0, 2.0])
    U = correlation_basis(X, 3)
    A = (U * theta) @ U.T
    i, j = np.triu_indices(8, k=1)
    direct = np.einsum("pi,ij,pj->p", X[i] - X[j], A, X[i] - X[j])
    assert np.allclose(AllPairs(X @ U).dot(theta), direct)
    assert np.allclose(U.T @ (X.T @ X / 8) @ U, np.diag(np.diag(U.T @ (X.T @ X / 8) @ U)))


def test_eq_20_to_27_kernel_coordinates_are_those_of_explicit_features(rng):
    X = rng.normal(size=(9, 2))
    K = exponential(X, eta=1.5)
    values, vectors = np.linalg.eigh(K)
    Phi = vectors * np.sqrt(values)  # K = Phi Phi'
    Z = kernel_basis(K, 4)
    a = Phi.T @ Z
    assert np.allclose(np.linalg.norm(a, axis=0), 1.0)
    sigma = np.sort(values)[::-1][:4] / 9
    assert np.allclose(Phi.T @ Phi @ a / 9, a * sigma)
    assert np.allclose(K @ Z, Phi @ a)
    assert np.allclose(pair_array(K @ Z), pair_array(Phi @ a))


@pytest.mark.parametrize(("n", "m", "rank"), [(9, 4, 4), (4, 9, 4), (9, 7, 3)])
def test_eq_20_to_27_hold_for_features_of_any_shape_and_rank(rng, n, m, rank):
    """More samples than features, fewer, and neither R nor K invertible; nothing is centred."""
    Phi = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, m)) + 1
    K = Phi @ Phi.T
    Z = kernel_basis(K, n)
    a = Phi.T @ Z
    assert Z.shape[1] == np.linalg.matrix_rank(Phi) < max(n, m)
    assert np.allclose(a.T @ a, np.eye(Z.shape[1]))
    assert np.allclose(K @ Z, n * Z * np.diag(a.T @ Phi.T @ Phi @ a / n))
    assert np.allclose(AllPairs(K @ Z).dot(np.ones(Z.shape[1])), pdist(Phi, "sqeuclidean"))


def test_eq_25_a_repeated_point_costs_one_component(rng):
    X = rng.normal(size=(6, 2))
    X[5] = X[0]
    assert kernel_basis(exponential(X, eta=1.0), 6).shape == (6, 5)


def test_eq_31_is_the_mean_squared_distance_of_all_pairs(rng):
    X = rng.normal(size=(30, 4))
    assert mean_squared_distance(X) == pytest.approx(pdist(X, "sqeuclidean").mean())
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert mean_squared_distance(standard) == pytest.approx(2 * 4 * 30 / 29)


# ------------------------------------------------------------- costs, gradients, naive twin


def test_eq_7_every_pair_is_counted_once_and_numbered_as_pdist_does():
    pairs = six_points()
    assert pairs.labelled.sum() == 6 and (~pairs.labelled).sum() == 9
    i, j = np.triu_indices(6, k=1)
    assert pair_numbers(np.column_stack([i, j]), 6).tolist() == list(range(15))
    same = np.column_stack([i, j])[pairs.labelled & (pairs.target == 1)]
    assert same.tolist() == sorted(MUST)


def test_eq_26_by_the_sums_as_written():
    theta, mu, lam, pairs = np.array([0.2, 0.3]), 1.0, 0.5, six_points()
    t = pair_array(SIX) @ theta - mu

    def margin(i, j):
        return float(theta @ (SIX[i] - SIX[j]) ** 2 - mu)

    cost = sum(np.log(1 + np.exp(margin(*p))) for p in MUST)
    cost += sum(np.log(1 + np.exp(-margin(*p))) for p in CANNOT)
    rest = [(i, j) for i in range(6) for j in range(i) if [j, i] not in MUST + CANNOT]
    P = np.array([1 / (1 + np.exp(margin(*p))) for p in rest])
    cost += lam * np.sum(-P * np.log(P) - (1 - P) * np.log(1 - P))
    assert objective(t, pairs, lam, entropy="shannon") == pytest.approx(cost, rel=1e-12)


def test_printed_sign_is_the_same_as_exchanging_the_two_kinds_of_pairs():
    t = pair_array(SIX) @ [0.2, 0.3] - 1.0
    swapped = weighted_pairs(np.array(CANNOT), np.array(MUST), 6, 1.0)
    for lam in LAMS:
        assert objective(-t, six_points(), lam) == pytest.approx(objective(t, swapped, lam))


def test_unlabelled_weight_balances_the_two_sums():
    pairs = weighted_pairs(np.array(MUST), np.array(CANNOT), 6)
    assert pairs.weight[~pairs.labelled].sum() == pytest.approx(pairs.labelled.sum())
    t = np.ones(15)
    doubled = weighted_pairs(np.array(MUST), np.array(CANNOT), 6, 2.0)
    once, twice = objective(t, six_points(), 0.5), objective(t, doubled, 0.5)
    assert twice - once == pytest.approx(9 * float(tempered_entropy(1.0, 0.5)))


def test_matrix_free_value_gradient_and_hessian_are_those_of_the_array(random_cost):
    fast, naive, x = random_cost
    every = np.arange(5)
    ours, theirs = fast.at(x), naive.at(x)
    assert ours.value == pytest.approx(theirs.value, rel=1e-10)
    assert np.allclose(ours.gradient, theirs.gradient, rtol=1e-10, atol=1e-10)
    assert np.allclose(ours.hessian(every), theirs.hessian(every), rtol=1e-10, atol=1e-10)
    some = np.array([0, 2])
    assert np.allclose(ours.hessian(some), theirs.hessian(every)[np.ix_(some, some)])


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 6))
def test_laplacian_gives_every_weighted_sum_of_features(seed, n, k):
    rng = np.random.default_rng(seed)
    P, g = rng.normal(size=(n, k)), rng.normal(size=n * (n - 1) // 2)
    V = pair_array(P)
    assert np.allclose(AllPairs(P).adjoint(g), V.T @ g, atol=1e-10)
    assert np.allclose(AllPairs(P).gram(g**2, np.arange(k)), V.T @ (g[:, None] ** 2 * V), atol=1e-9)


def test_gradient_and_hessian_by_finite_differences(random_cost):
    cost, _, x = random_cost
    assert check_grad(lambda x: cost.at(x).value, lambda x: cost.at(x).gradient, x + 0.1) < 1e-4
    numeric = approx_fprime(x + 0.1, lambda x: cost.at(x).gradient, 1e-6)
    assert np.allclose(cost.at(x + 0.1).hessian(np.arange(5)), numeric, rtol=1e-3, atol=1e-3)


def test_eq_30_is_convex(random_cost):
    cost, _, x = random_cost
    for scale in (0.1, 1.0, 3.0):
        assert np.linalg.eigvalsh(cost.at(scale * x).hessian(np.arange(5)))[0] > -1e-9


# -------------------------------------------------------------------------------- the M step


@given(st.integers(0, 10**6))
def test_newton_ends_where_no_neighbour_is_lower(seed):
    rng = np.random.default_rng(seed)
    P = rng.normal(size=(8, 3)) * [1.0, 10.0, 0.1]
    cost = PairCost(AllPairs(P), rng.random(28), rng.random(28), 0.05)
    scale = np.append(pair_array(P).mean(axis=0), 1.0)
    found = projected_newton(cost, np.ones(4) / scale, scale)
    assert found.converged and found.n_iter <= 40
    assert (found.x >= 0).all()
    bounds = [(0, None)] * 4
    start = found.x * scale
    rival = minimize(lambda y: cost.at(y / scale).value, start, bounds=bounds, method="L-BFGS-B")
    assert found.value <= rival.fun + 1e-7


def test_newton_gives_the_known_threshold_of_a_metric_that_is_held_at_zero():
    """Without distances t = -mu, and the best mu is the log odds of the targets."""
    cost = PairCost(ListedPairs(np.ones((4, 1))), np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4), 5.0)
    found = projected_newton(cost, np.array([1.0, 1.0]), np.ones(2))
    assert found.x == pytest.approx([0.0, np.log(3)], abs=1e-7)


def test_newton_says_when_it_did_not_converge(random_cost):
    cost, _, x = random_cost
    assert not projected_newton(cost, x, np.ones(5), max_iter=1).converged


def test_separable_pairs_have_no_minimiser_without_a_penalty():
    line = np.array([[0.0], [0.1], [5.0], [5.1]])
    pairs = weighted_pairs(np.array([[0, 1]]), np.array([[1, 2]]), 4, 1.0)
    V = pair_array(line)
    costs = [
        objective(V @ [c] - 5 * c, pairs, 0.7, entropy=e)
        for e in ("renyi", "shannon")
        for c in (1, 10, 100)
    ]
    assert costs[0] > costs[1] > costs[2] and costs[2] < 1e-100
    assert costs[3] > costs[4] > costs[5] and costs[5] < 1e-100
    scale = np.append(V.mean(axis=0), 1.0)
    bounded = labelled_only(line, pairs, scale, 0.1)
    less = labelled_only(line, pairs, scale, 0.001)
    assert bounded.converged and bounded.x[0] < less.x[0]


@given(st.integers(0, 10**6), st.floats(0.0, 1.0))
def test_any_separator_scaled_up_has_a_cost_that_vanishes(seed, lam):
    """Three classes, more cannot-links than must-links, weights some of which are zero."""
    rng = np.random.default_rng(seed)
    V = pair_array(rng.normal(size=(8, 3)) + 2)
    theta = np.array([1.0, 0.0, rng.exponential()])
    t = V @ theta - np.quantile(V @ theta, rng.uniform(0.2, 0.8))
    t[np.abs(t) < 1e-3] = 1e-3
    near, far = np.flatnonzero(t < 0)[:3], np.flatnonzero(t > 0)[:5]
    i, j = np.triu_indices(8, k=1)
    pairs = weighted_pairs(*(np.column_stack([i[k], j[k]]) for k in (near, far)), 8, 1.0)
    for entropy in ("renyi", "shannon"):
        costs = [objective(c * t, pairs, lam, entropy=entropy) for c in (1.0, 10.0, 1e5)]
        assert costs[0] > 0 and costs[-1] < 1e-9


def test_labelled_only_looks_at_the_labelled_pairs_alone(rng):
    moved = SIX.copy()
    pairs = weighted_pairs(np.array([[0, 1]]), np.array([[1, 2]]), 6)
    moved[3:] = rng.normal(size=(3, 2))
    scale = np.ones(3)
    assert np.array_equal(
        labelled_only(SIX, pairs, scale, 0.1).x, labelled_only(moved, pairs, scale, 0.1).x
    )
