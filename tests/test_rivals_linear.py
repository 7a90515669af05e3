"""Linear rivals: each optimum against an independent optimiser, and the properties it implies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh, subspace_angles
from scipy.optimize import brentq, minimize
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from umlbook.constraints import chunklets, sample
from umlbook.daem import ProbabilisticMetric
from umlbook.datasets import make_parallel_lines
from umlbook.rivals import (
    ERCA,
    ITML,
    MMC,
    RCA,
    TraceRatio,
    YangJin,
    pair_scatter,
    trace_ratio,
    trace_ratio_steps,
)
from umlbook.rivals._scatter import chunklet_covariance, matrix_power, pair_differences, shrunk
from umlbook.rivals.itml import ITMLProblem, distance_bounds, itml_dual, itml_primal, itml_steps


@pytest.fixture(scope="module")
def wine():
    return StandardScaler().fit_transform(load_wine().data)


@pytest.fixture(scope="module", params=[0, 1])
def pairs(request):
    must, cannot = sample(load_wine().target, 30, 30, random_state=request.param)
    return {"must_link": must, "cannot_link": cannot}


def last(steps, n):
    return [state for _, state in zip(range(n), steps, strict=False)][-1]


def test_pair_scatter_is_the_sum_over_pairs(wine, pairs):
    naive = sum(np.outer(wine[i] - wine[j], wine[i] - wine[j]) for i, j in pairs["must_link"])
    np.testing.assert_allclose(pair_scatter(wine, pairs["must_link"]), naive, rtol=1e-12)


# ------------------------------------------------------------------------------ trace ratio


def ratio_by_root(S_b, S_w, p):
    """Root of the sum of the p largest eigenvalues of S_b - lam S_w, by bracketing."""

    def f(lam):
        return eigh(S_b - lam * S_w, eigvals_only=True)[-p:].sum()

    high = 1.0
    while f(high) > 0:
        high *= 2
    return brentq(f, 0.0, high, xtol=1e-13, rtol=1e-13)


def random_psd(rng, d, rank):
    A = rng.normal(size=(d, rank))
    return A @ A.T


@pytest.mark.parametrize("p", [1, 2, 6, 12])
def test_dinkelbach_equals_bisection(wine, pairs, p):
    model = TraceRatio(p).fit(wine, **pairs)
    S_b, S_w = (pair_scatter(wine, pairs[kind]) for kind in ("cannot_link", "must_link"))
    assert model.objective_ == pytest.approx(ratio_by_root(S_b, S_w, p), rel=1e-8)
    assert model.objective_ == pytest.approx(trace_ratio(S_b, S_w, model.components_), rel=1e-12)


@given(d=st.integers(2, 7), p=st.integers(1, 6), seed=st.integers(0, 1000))
def test_trace_ratio_climbs_to_a_frame_that_no_random_one_beats(d, p, seed):
    rng, p = np.random.default_rng(seed), min(p, d)
    S_b, S_w = random_psd(rng, d, d), random_psd(rng, d, d)
    path = [s.objective for _, s in zip(range(60), trace_ratio_steps(S_b, S_w, p), strict=False)]
    assert np.all(np.diff(path) >= -1e-9 * np.abs(path[:-1]))
    for _ in range(20):
        W = np.linalg.qr(rng.normal(size=(d, p)))[0]
        assert trace_ratio(S_b, S_w, W) <= path[-1] * (1 + 1e-9)


def test_trace_ratio_beats_the_ratio_trace_solution(wine, pairs):
    S_b, S_w = (pair_scatter(wine, pairs[kind]) for kind in ("cannot_link", "must_link"))
    ratio_trace = np.linalg.qr(eigh(S_b, S_w)[1][:, -2:])[0]
    best = TraceRatio(2).fit(wine, **pairs).objective_
    assert best > 1.01 * trace_ratio(S_b, S_w, ratio_trace)


def test_trace_ratio_in_the_null_space_of_the_must_links():
    S_b, S_w = np.diag([5.0, 4.0, 1.0, 0.0]), np.diag([2.0, 0.0, 0.0, 0.0])
    (state,) = trace_ratio_steps(S_b, S_w, 2)
    assert state.objective == np.inf
    np.testing.assert_allclose(state.frame.T @ S_w @ state.frame, 0, atol=1e-12)
    assert np.trace(state.frame.T @ S_b @ state.frame) == pytest.approx(5.0)
    assert last(trace_ratio_steps(S_b, S_w, 3), 20).objective == pytest.approx(5.0)


def test_trace_ratio_gives_no_more_columns_than_the_pairs_span(wine):
    model = TraceRatio(5).fit(wine, must_link=[[0, 1]], cannot_link=[[0, 100]])
    assert model.components_.shape == (13, 2)
    np.testing.assert_allclose(model.components_.T @ model.components_, np.eye(2), atol=1e-12)


def test_trace_ratio_with_one_column_is_the_largest_generalised_eigenvalue(wine, pairs):
    S_b, S_w = (pair_scatter(wine, pairs[kind]) for kind in ("cannot_link", "must_link"))
    values, vectors = eigh(S_b, S_w)
    model = TraceRatio(1).fit(wine, **pairs)
    assert model.objective_ == pytest.approx(values[-1], rel=1e-9)
    assert subspace_angles(model.components_, vectors[:, -1:])[0] < 1e-5


# ------------------------------------------------------------------------------ RCA and ERCA


def test_rca_whitens_the_chunklets(wine, pairs):
    model = RCA().fit(wine, must_link=pairs["must_link"])
    Z = model.transform(wine)
    chunks = chunklets(pairs["must_link"], len(wine))
    deviations = [Z[chunks == c] - Z[chunks == c].mean(axis=0) for c in np.unique(chunks)]
    inside = np.vstack([d for d in deviations if len(d) > 1])
    np.testing.assert_allclose(inside.T @ inside / len(inside), np.eye(13), atol=1e-10)
    assert model.shrinkage_ == 0.0


def test_rca_distances_do_not_depend_on_a_linear_map_of_the_data(wine, pairs, rng):
    mixed = wine @ (np.eye(13) + 0.3 * rng.normal(size=(13, 13)))
    one, two = (RCA().fit_transform(X, must_link=pairs["must_link"]) for X in (wine, mixed))
    np.testing.assert_allclose(one @ one.T, two @ two.T, rtol=1e-6, atol=1e-6)


def test_rca_has_the_least_scatter_among_maps_of_its_volume(wine, pairs, rng):
    C = chunklet_covariance(wine, pairs["must_link"])
    L = RCA().fit(wine, must_link=pairs["must_link"]).components_
    least = np.trace(L.T @ C @ L)
    for _ in range(50):
        other = L + 0.1 * rng.normal(size=L.shape)
        other *= (abs(np.linalg.det(L)) / abs(np.linalg.det(other))) ** (1 / 13)
        assert np.trace(other.T @ C @ other) >= least


def test_erca_is_rca_recoloured(wine, pairs):
    C = chunklet_covariance(wine, pairs["must_link"])
    B = pair_scatter(wine, pairs["cannot_link"]) / 30
    half = matrix_power(C, -0.5)
    np.testing.assert_allclose(ERCA().fit(wine, **pairs).metric_, half @ B @ half, rtol=1e-8)
    after = ERCA(scatter="whitened").fit(wine, **pairs).metric_
    np.testing.assert_allclose(after, half @ (half @ B @ half) @ half, rtol=1e-8)


def test_shrinkage_keeps_the_trace_and_ends_at_euclid(wine, pairs):
    S = pair_scatter(wine, pairs["must_link"])
    for amount in (0.0, 0.3, 1.0):
        assert np.trace(shrunk(S, amount)[0]) == pytest.approx(np.trace(S))
    model = RCA(shrinkage=1.0).fit(wine, must_link=pairs["must_link"])
    np.testing.assert_allclose(model.metric_, model.metric_[0, 0] * np.eye(13), atol=1e-12)


# -------------------------------------------------------------------------------------- MMC


def xing_diagonal_objective(a, must, cannot):
    """The source's own form, on squared differences."""
    return a @ must.sum(axis=0) - np.log(np.sqrt(cannot @ a).sum())


def squared_differences(X, pairs):
    return [pair_differences(X, pairs[kind]) ** 2 for kind in ("must_link", "cannot_link")]


def test_diagonal_mmc_equals_an_independent_optimiser(wine, pairs):
    must, cannot = squared_differences(wine, pairs)
    size = must.sum(axis=0)

    def scaled(b):  # in units of the must-link sums, for the optimiser's sake
        slope = 1 - (cannot / size / (2 * np.sqrt(cannot @ (b / size)))[:, None]).sum(axis=0) / (
            np.sqrt(cannot @ (b / size)).sum()
        )
        return xing_diagonal_objective(b / size, must, cannot), slope

    start, bounds = np.full(13, 1 / 26), [(1e-12, None)] * 13  # all zero has no logarithm
    found = minimize(
        scaled, start, jac=True, method="L-BFGS-B", bounds=bounds,
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 20_000},
    )  # fmt: skip
    a = np.diag(MMC(diagonal=True, tol=1e-12).fit(wine, **pairs).metric_) / 2
    assert xing_diagonal_objective(a, must, cannot) == pytest.approx(found.fun, abs=1e-9)
    np.testing.assert_allclose(a * size, found.x, atol=1e-6)


def test_diagonal_mmc_equals_a_convex_solver(wine, pairs):
    cp = pytest.importorskip("cvxpy")
    must, cannot = squared_differences(wine, pairs)
    a = cp.Variable(13, nonneg=True)
    spread = cp.log(cp.sum(cp.sqrt(cannot @ a)))
    cp.Problem(cp.Minimize(must.sum(axis=0) @ a - spread)).solve("CLARABEL", tol_gap_rel=1e-12)
    ours = np.diag(MMC(diagonal=True, tol=1e-12).fit(wine, **pairs).metric_) / 2
    values = [xing_diagonal_objective(np.maximum(x, 0), must, cannot) for x in (ours, a.value)]
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    assert values[0] <= values[1] + 1e-9
    np.testing.assert_allclose(ours, a.value, atol=1e-6)


def test_full_mmc_equals_a_convex_solver(wine, pairs):
    cp = pytest.importorskip("cvxpy")
    X = wine[:, :6]
    V, S_w = pair_differences(X, pairs["cannot_link"]), pair_scatter(X, pairs["must_link"])
    A = cp.Variable((6, 6), PSD=True)
    lengths = cp.hstack([cp.sqrt(cp.sum(cp.multiply(np.outer(v, v), A))) for v in V])
    problem = cp.Problem(cp.Maximize(cp.sum(lengths)), [cp.trace(A @ S_w) == 1])
    model = MMC().fit(X, **pairs)
    assert model.objective_ == pytest.approx(problem.solve("CLARABEL"), rel=1e-6)
    np.testing.assert_allclose(model.metric_, A.value, atol=1e-4 * np.abs(A.value).max())


@pytest.mark.parametrize("diagonal", [False, True])
def test_mmc_climbs_within_its_certificate(wine, pairs, diagonal):
    states = list(MMC(diagonal=diagonal).steps(wine, **pairs))
    values, gaps = (np.array([getattr(s, k) for s in states]) for k in ("objective", "gap"))
    assert np.all(np.diff(values) >= -1e-12 * values[0])
    assert np.all(gaps >= -1e-12) and np.all(values + gaps >= values[-1] - 1e-9)
    assert gaps[-1] <= 1e-9 * values[-1]


@pytest.mark.parametrize("diagonal", [False, True])
def test_mmc_keeps_its_constraint_and_counts_unsquared_distances(wine, pairs, diagonal):
    model = MMC(diagonal=diagonal).fit(wine, **pairs)
    S_w = pair_scatter(wine, pairs["must_link"])
    assert np.sum(model.metric_ * S_w) == pytest.approx(1.0)
    apart = pair_differences(wine, pairs["cannot_link"]) @ model.components_
    assert np.linalg.norm(apart, axis=1).sum() == pytest.approx(model.objective_)


# ------------------------------------------------------------------------------------- ITML


def itml_problem(X, pairs, gamma):
    must, cannot = pairs["must_link"], pairs["cannot_link"]
    u, length = distance_bounds(X, 5, 95)
    V = pair_differences(X, np.vstack([must, cannot]))
    return ITMLProblem(V, np.repeat([1.0, -1.0], 30), np.repeat([u, length], 30), gamma)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 4.0])
def test_itml_equals_a_convex_solver(wine, pairs, gamma):
    cp = pytest.importorskip("cvxpy")
    X = wine[:, :5]
    problem = itml_problem(X, pairs, gamma)
    A, xi = cp.Variable((5, 5), PSD=True), cp.Variable(60, pos=True)
    ratio = cp.multiply(xi, 1 / problem.bounds)
    lengths = cp.hstack([cp.sum(cp.multiply(np.outer(v, v), A)) for v in problem.V])
    cost = cp.trace(A) - cp.log_det(A) - 5 + gamma * cp.sum(ratio - cp.log(ratio) - 1)
    limits = [cp.multiply(problem.delta, lengths - xi) <= 0]
    optimum = cp.Problem(cp.Minimize(cost), limits).solve("CLARABEL")
    model = ITML(gamma=gamma, tol=1e-12, max_iter=20_000).fit(X, **pairs)
    assert model.objective_ == pytest.approx(optimum, rel=1e-6)
    np.testing.assert_allclose(model.metric_, A.value, atol=1e-4)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 4.0])
def test_itml_equals_a_descent_over_factors_of_the_metric(wine, pairs, gamma):
    X = wine[:, :3]
    problem = itml_problem(X, pairs, gamma)
    lower = np.tril_indices(3)

    def cost(entries):
        L = np.zeros((3, 3))
        L[lower] = entries
        lengths = np.sum((problem.V @ L) ** 2, axis=1)
        outside = problem.delta * (lengths - problem.bounds) > 0
        best_slack = np.where(outside, lengths, problem.bounds)  # a bound moves only if it must
        return itml_primal(L @ L.T, best_slack, problem)

    found = minimize(cost, np.eye(3)[lower], method="BFGS", options={"gtol": 1e-6})
    ours = ITML(gamma=gamma, tol=1e-12, max_iter=20_000).fit(X, **pairs)
    assert ours.objective_ == pytest.approx(found.fun, rel=1e-6)
    L = np.zeros((3, 3))
    L[lower] = found.x
    np.testing.assert_allclose(ours.metric_, L @ L.T, atol=1e-4)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
def test_itml_climbs_its_dual_meets_its_slack_bounds_and_closes_the_gap(wine, pairs, gamma):
    model = ITML(gamma=gamma, tol=1e-13, max_iter=20_000).fit(wine, **pairs)
    problem = itml_problem(wine, pairs, gamma)
    path = model.objective_path_
    assert np.all(np.diff(path) >= -1e-12 * np.abs(path[1:]))
    lengths = np.sum((problem.V @ model.components_) ** 2, axis=1)
    excess = problem.delta * (lengths - model.slack_)
    assert np.all(model.multipliers_ >= 0)
    assert excess.max() <= 1e-4 * model.slack_.max()
    assert np.abs(model.multipliers_ * excess).max() <= 1e-4
    primal = itml_primal(model.metric_, model.slack_, problem)
    assert primal == pytest.approx(model.objective_, rel=1e-4)
    assert itml_dual(model.metric_, model.slack_, problem) == pytest.approx(model.objective_)


@pytest.mark.parametrize("gamma", [0.2, 1.0, 7.0])
def test_our_projection_meets_its_constraint_and_the_common_one_only_at_gamma_one(gamma):
    v, bound = np.array([2.0, 1.0]), 1.5
    problem = ITMLProblem(v[None], np.array([1.0]), np.array([bound]), gamma)
    state = next(itml_steps(problem))
    assert v @ state.metric @ v == pytest.approx(state.slack[0], rel=1e-12)
    p = v @ v
    common = 0.5 * (1 / p - gamma / bound)  # as it is widely written
    length = 1 / (1 / p - common)
    slack = gamma * bound / (gamma + common * bound)
    assert (abs(length - slack) < 1e-12) == (gamma == 1.0)


def test_itml_bounds_are_percentiles_of_squared_distances(rng):
    X = rng.normal(size=(30, 3))
    squared = [np.sum((a - b) ** 2) for i, a in enumerate(X) for b in X[:i]]
    np.testing.assert_allclose(distance_bounds(X, 5, 95), np.percentile(squared, [5, 95]))


def test_itml_learns_from_one_kind_of_pairs_alone(wine, pairs):
    for kind in ("must_link", "cannot_link"):
        assert ITML().fit(wine, **{kind: pairs[kind]}).learned_


# ----------------------------------------------------------------------------- Yang and Jin


def test_yang_jin_is_pm_at_lambda_zero(wine, pairs):
    model = YangJin().fit(wine, **pairs)
    pm = ProbabilisticMetric(3, kernel=None, n_components=13, n_temperatures=0, random_state=0).fit(
        wine, **pairs
    )
    np.testing.assert_allclose(model.theta_, pm.theta_, rtol=1e-4, atol=1e-6)
    assert (model.mu_, model.tau_) == pytest.approx((pm.mu_, pm.tau_), rel=1e-5)


def test_yang_jin_equals_an_independent_optimiser(wine, pairs):
    model = YangJin().fit(wine, **pairs)
    basis = eigh(wine.T @ wine)[1]
    V = [pair_differences(wine @ basis, pairs[k]) ** 2 for k in ("must_link", "cannot_link")]

    def cost(x):
        must, cannot = (v @ x[:-1] - x[-1] for v in V)
        fit = np.logaddexp(0, must).sum() + np.logaddexp(0, -cannot).sum()
        return fit + model.tau_ * x[:-1].sum()

    found = minimize(
        cost, np.append(np.full(13, 0.05), 1.0), method="L-BFGS-B", bounds=[(0, None)] * 14,
        options={"ftol": 1e-15, "gtol": 1e-8, "maxiter": 5000, "maxfun": 200_000},
    )  # fmt: skip
    assert model.objective_ <= found.fun + 1e-8
    assert model.objective_ == pytest.approx(found.fun, rel=1e-5)


def test_yang_jin_falls_and_puts_must_links_nearer_than_cannot_links(wine, pairs):
    model = YangJin().fit(wine, **pairs)
    assert np.all(np.diff(model.objective_path_) <= 1e-12)
    Z = model.transform(wine)
    near, far = (
        np.sum(pair_differences(Z, pairs[kind]) ** 2, axis=1)
        for kind in ("must_link", "cannot_link")
    )
    assert np.median(near) < model.mu_ < np.median(far)


def test_yang_jin_without_penalty_has_no_minimum_on_separable_pairs(wine):
    few = {"must_link": [[0, 1], [2, 3]], "cannot_link": [[0, 100], [1, 150]]}
    sizes = [YangJin(penalty=p).fit(wine, **few).theta_.sum() for p in (1e-3, 1e-5, 1e-7)]
    assert sizes[0] < 0.8 * sizes[1] < 0.64 * sizes[2]


def test_yang_jin_centred_does_not_see_the_origin_and_as_printed_it_does(rng):
    X, y = make_parallel_lines(201, n_lines=3, random_state=0)
    must, cannot = sample(y, 20, 14, random_state=0)
    given = {"must_link": must, "cannot_link": cannot}
    moved = X + rng.normal(size=2) * 5
    centred, again = (YangJin(centered=True).fit(data, **given).metric_ for data in (X, moved))
    np.testing.assert_allclose(again, centred, rtol=1e-6, atol=1e-9)
    printed, shifted = (YangJin().fit(data, **given).metric_ for data in (X, moved))
    assert np.linalg.norm(printed - shifted) > 0.1 * np.linalg.norm(printed)
    np.testing.assert_allclose(YangJin().fit(X - X.mean(axis=0), **given).metric_, centred)
