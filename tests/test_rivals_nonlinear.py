"""Kernel, manifold and unsupervised rivals: objectives, optima, and what new samples get."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from umlbook.constraints import sample
from umlbook.datasets import make_circle, make_two_moons
from umlbook.kernels import center, exponential, median_width, rbf
from umlbook.rivals import (
    FME,
    ITML,
    LLMA,
    RCA,
    RPCAOM,
    SSO,
    Baghshah,
    KernelBeta,
    KernelFME,
    KernelRPCAOM,
    TraceRatio,
    pair_differences,
    trace_ratio,
)
from umlbook.rivals.baghshah import reconstruction_weights
from umlbook.rivals.fme import (
    fme_matrix,
    fme_objective,
    graph_laplacian,
    ridge_map,
    smallest_balanced,
)
from umlbook.rivals.kernel_beta import component_weights
from umlbook.rivals.llma import (
    AdaptationProblem,
    adaptation_objective,
    adaptation_steps,
    neighbour_edges,
)
from umlbook.rivals.rpca_om import residuals, robust_subspace_steps
from umlbook.rivals.sso import neighbour_width, psd_factor, smoothing_steps
from umlbook.scores import modified_rand


@pytest.fixture(scope="module")
def wine():
    return StandardScaler().fit_transform(load_wine().data)


@pytest.fixture(scope="module")
def pairs():
    must, cannot = sample(load_wine().target, 30, 30, random_state=0)
    return {"must_link": must, "cannot_link": cannot}


def squared_distances(Z):
    return np.sum((Z[:, None] - Z[None]) ** 2, axis=2)


def mean_score(model, make, seeds=3, n_pairs=30):
    scores = []
    for seed in range(seeds):
        X, y = make(200, random_state=seed)
        must, cannot = sample(y, n_pairs, n_pairs, random_state=seed)
        Z = model.fit_transform(X, must_link=must, cannot_link=cannot)
        found = KMeans(2, n_init=10, random_state=0).fit_predict(Z)
        scores.append(modified_rand(y, found))
    return np.mean(scores)


# ------------------------------------------------------------------------------------- LLMA


def adaptation_problem(rng):
    X = rng.normal(size=(15, 2))
    must = np.array([[0, 1], [2, 3], [4, 9]])
    bumps, edges = rbf(X, X[np.unique(must)], sigma=1.0), neighbour_edges(X, 3)
    problem = AdaptationProblem(
        *(pair_differences(Z, p) for p in (must, edges) for Z in (X, bumps)), lam=0.7
    )
    return problem, X, bumps, must, edges


def test_llma_objective_is_what_its_docstring_states(rng):
    problem, X, bumps, must, edges = adaptation_problem(rng)
    W = rng.normal(size=(6, 2))
    Y = X + bumps @ W
    pull = sum(np.sum((Y[i] - Y[j]) ** 2) for i, j in must)
    hold = sum((np.linalg.norm(Y[i] - Y[j]) - np.linalg.norm(X[i] - X[j])) ** 2 for i, j in edges)
    assert adaptation_objective(problem, W) == pytest.approx(pull + 0.7 * hold)


def test_llma_never_rises_and_ends_where_no_descent_goes_on(rng):
    problem, *_ = adaptation_problem(rng)
    states = [s for _, s in zip(range(5000), adaptation_steps(problem), strict=False)]
    path = np.array([s.objective for s in states])
    assert np.all(np.diff(path) <= 1e-12 * path[0])
    found = minimize(
        lambda w: adaptation_objective(problem, w.reshape(6, 2)), states[-1].W.ravel(),
        options={"gtol": 1e-7},
    )  # fmt: skip
    assert path[-1] == pytest.approx(found.fun, rel=1e-5)


def test_llma_ends_in_the_same_place_however_much_its_steps_are_held_back(rng, monkeypatch):
    problem, *_ = adaptation_problem(rng)
    ends = []
    for proximity in (1e-8, 0.01):
        monkeypatch.setattr("umlbook.rivals.llma.PROXIMITY", proximity)
        states = [s for _, s in zip(range(5000), adaptation_steps(problem), strict=False)]
        assert np.all(np.diff([s.objective for s in states]) <= 1e-12 * states[0].objective)
        ends.append(states[-1].objective)
    assert ends[0] == pytest.approx(ends[1], rel=1e-3)


def test_llma_never_rises_on_wine_and_starts_at_euclid(wine, pairs):
    model = LLMA().fit(wine, **pairs)
    start = np.sum(pair_differences(wine, pairs["must_link"]) ** 2)
    assert model.objective_path_[0] == pytest.approx(start)
    assert np.all(np.diff(model.objective_path_) <= 0)


def test_llma_moves_nothing_far_from_its_bumps(wine, pairs):
    model = LLMA().fit(wine, **pairs)
    far = np.full((1, 13), 100.0)
    np.testing.assert_array_equal(model.transform(far), far)


# ------------------------------------------------------------------------------ Kernel-beta


def test_component_weights_minimise_under_their_sum(rng):
    spread = rng.uniform(0.1, 2.0, size=6)
    found = minimize(
        lambda b: b**2 @ spread, np.full(6, 0.5), method="SLSQP",
        constraints={"type": "eq", "fun": lambda b: b.sum() - 3.0}, options={"ftol": 1e-14},
    )  # fmt: skip
    np.testing.assert_allclose(component_weights(spread, 3.0), found.x, atol=1e-5)


@pytest.mark.parametrize("centered", [False, True])
def test_kernel_beta_maps_to_the_reweighted_kernel(wine, pairs, centered):
    model = KernelBeta(centered=centered, n_components=20).fit(wine, **pairs)
    K = exponential(wine, eta=median_width(wine))
    values, vectors = eigh(center(K) if centered else K)
    kept = vectors[:, ::-1][:, :20] * np.sqrt(values[::-1][:20])
    K_b = (kept * model.weights_**2) @ kept.T
    Z = model.transform(wine)
    np.testing.assert_allclose(Z @ Z.T, K_b, atol=1e-8 * np.abs(K_b).max())
    close = squared_distances(Z)[tuple(pairs["must_link"].T)].sum()
    assert close == pytest.approx(model.objective_)


def test_kernel_beta_as_specified_gives_the_tail_the_most_weight(wine, pairs):
    weights = KernelBeta().fit(wine, **pairs).weights_
    assert np.median(weights[-20:]) > 5 * np.median(weights[:20])


# --------------------------------------------------------------------------------- Baghshah


def test_reconstruction_weights_sum_to_one_and_rebuild_best(rng):
    X = rng.normal(size=(30, 5))
    M = reconstruction_weights(X, 4)
    np.testing.assert_allclose(M.sum(axis=1), 1)
    assert np.all((M != 0).sum(axis=1) == 4) and not np.diag(M).any()
    near = np.flatnonzero(M[0])
    for _ in range(50):
        shift = 0.1 * rng.normal(size=4)
        other = M[0, near] + shift - shift.mean()
        penalty = 1e-3 * np.sum((X[near] - X[0]) ** 2)
        cost = [np.sum((w @ X[near] - X[0]) ** 2) + penalty * w @ w for w in (M[0, near], other)]
        assert cost[0] <= cost[1]


def test_baghshah_is_the_trace_ratio_of_its_three_terms(wine, pairs, rng):
    model = Baghshah(2, alpha=2.0).fit(wine, **pairs)
    linked = np.unique(np.vstack(list(pairs.values())))
    K = exponential(wine, eta=median_width(wine))
    values, vectors = eigh(K[np.ix_(linked, linked)])
    Z = K[:, linked] @ (vectors / np.sqrt(values)) @ vectors.T
    E = Z - reconstruction_weights(wine, 6) @ Z
    apart, near = (pair_differences(Z, pairs[kind]) for kind in ("cannot_link", "must_link"))
    S_b, S_w = apart.T @ apart / 30, near.T @ near / 30 + 2.0 * E.T @ E / len(wine)
    frame = np.linalg.lstsq(Z, model.transform(wine), rcond=None)[0]
    assert trace_ratio(S_b, S_w, frame) == pytest.approx(model.objective_, rel=1e-6)
    for _ in range(20):
        W = np.linalg.qr(rng.normal(size=(len(linked), 2)))[0]
        assert trace_ratio(S_b, S_w, W) < model.objective_


def test_baghshah_does_not_return_a_constant():
    X, y = make_circle(120, random_state=0)
    must, cannot = sample(y, 20, 20, random_state=0)
    Z = Baghshah(1).fit_transform(X, must_link=must, cannot_link=cannot)
    assert Z.std() > 0.1 * np.abs(Z).max()


@pytest.mark.parametrize(
    ("model", "make", "least"),
    [
        (Baghshah(), make_circle, 0.99),
        (Baghshah(), make_two_moons, 0.95),
        (LLMA(), make_two_moons, 0.95),
        (KernelBeta(centered=True, n_components=5, kernel="rbf"), make_circle, 0.99),
    ],
    ids=["Baghshah-circle", "Baghshah-moons", "LLMA-moons", "KernelBeta-circle"],
)
def test_nonlinear_rivals_bend_where_they_should(model, make, least):
    assert mean_score(model, make) >= least


@pytest.mark.parametrize("model", [TraceRatio(1), RCA(), ITML()], ids=repr)
def test_no_linear_rival_solves_the_circle(model):
    assert mean_score(model, make_circle) <= 0.6


# ---------------------------------------------------------------------------------- RPCA-OM


def test_robust_subspace_never_rises_and_has_orthonormal_frames(wine):
    states = [s for _, s in zip(range(40), robust_subspace_steps(wine, 3), strict=False)]
    path = np.array([s.objective for s in states])
    assert np.all(np.diff(path) <= 1e-10 * path[0])
    for s in states:
        np.testing.assert_allclose(s.frame.T @ s.frame, np.eye(3), atol=1e-12)
        assert s.objective == pytest.approx(residuals(wine, s.mean, s.frame).sum(), rel=1e-4)


def test_robust_subspace_starts_at_pca_and_beats_it_on_its_own_objective(wine):
    states = list(RPCAOM(2).steps(wine))
    pca = PCA(2).fit(wine)
    first = residuals(wine, pca.mean_, pca.components_.T).sum()
    assert states[0].objective == pytest.approx(first, rel=1e-6)
    assert states[-1].objective < first


def test_robust_subspace_is_stationary(wine, rng):
    model = RPCAOM(2, tol=1e-12).fit(wine)
    best = residuals(wine, model.mean_, model.components_).sum()
    for _ in range(100):
        W = np.linalg.qr(model.components_ + 1e-2 * rng.normal(size=(13, 2)))[0]
        b = model.mean_ + 1e-2 * rng.normal(size=13)
        assert residuals(wine, b, W).sum() >= best - 1e-6


def line_and_outlier(height):
    jitter = np.random.default_rng(0).normal(scale=0.01, size=50)
    return np.vstack([np.column_stack([np.linspace(-5, 5, 50), jitter]), [[5.0, height]]])


def test_robust_subspace_ignores_an_outlier_that_turns_pca():
    X = line_and_outlier(30.0)
    assert abs(RPCAOM(1).fit(X).components_[0, 0]) > 0.999
    assert abs(PCA(1).fit(X).components_[0, 0]) < 0.5


def test_robust_subspace_may_end_at_a_stationary_point_that_is_not_the_best():
    X = line_and_outlier(60.0)
    along = residuals(X, np.zeros(2), np.array([[1.0], [0.0]])).sum()
    assert RPCAOM(1).fit(X).objective_ > 1.5 * along


def test_kernel_versions_work_on_coordinates_with_the_distances_of_feature_space(wine):
    model = KernelRPCAOM(5).fit(wine)
    coordinates = model._coordinates(wine)
    K = rbf(wine, sigma=median_width(wine))
    np.testing.assert_allclose(coordinates @ coordinates.T, center(K), atol=1e-7)
    again = RPCAOM(5).fit(coordinates)
    np.testing.assert_allclose(model.transform(wine), again.transform(coordinates), atol=1e-8)
    same = KernelFME(3).fit(wine)
    np.testing.assert_allclose(
        same.transform(wine), FME(3).fit(coordinates).transform(coordinates), atol=1e-8
    )


# -------------------------------------------------------------------------------------- FME


def test_fme_objective_is_the_sum_of_its_eigenvalues(wine):
    model = FME(3, mu=0.5, gamma=2.0).fit(wine)
    L, F = graph_laplacian(wine, 5), model.embedding_
    stated = fme_objective(wine, L, F, model.components_, model.intercept_, mu=0.5, gamma=2.0)
    assert stated == pytest.approx(model.objective_, rel=1e-9)
    np.testing.assert_allclose(F.T @ F, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(F.sum(axis=0), 0, atol=1e-10)


def test_fme_is_optimal_in_all_three_blocks(wine, rng):
    model = FME(2).fit(wine)
    L = graph_laplacian(wine, 5)

    def objective(F, W, b):
        return fme_objective(wine, L, F, W, b, mu=1.0, gamma=1.0)

    F, W, b = model.embedding_, model.components_, model.intercept_
    for _ in range(30):
        other = np.linalg.qr(F + 0.02 * (lambda N: N - N.mean(axis=0))(rng.normal(size=F.shape)))[0]
        assert objective(other, W, b) >= model.objective_ - 1e-10
        assert objective(F, W + 1e-3 * rng.normal(size=W.shape), b) >= model.objective_
        assert objective(F, W, b + 1e-2 * rng.normal(size=2)) >= model.objective_


def test_fme_map_is_ridge_regression(wine):
    model = FME(2, gamma=3.0).fit(wine)
    ridge = Ridge(alpha=1 / 3.0).fit(wine, model.embedding_)
    np.testing.assert_allclose(model.components_, ridge.coef_.T, atol=1e-10)
    np.testing.assert_allclose(model.transform(wine), ridge.predict(wine), atol=1e-10)
    np.testing.assert_allclose(
        ridge_map(wine, 3.0) @ model.embedding_, model.components_, atol=1e-12
    )


def test_the_constant_would_be_first_without_deflation(wine):
    M = fme_matrix(wine, graph_laplacian(wine, 5), 1.0, 1.0)
    values, vectors = eigh(M)
    assert abs(values[0]) < 1e-9 and np.ptp(vectors[:, 0]) < 1e-6
    np.testing.assert_allclose(smallest_balanced(M, 2)[0], values[1:3], rtol=1e-8)


# -------------------------------------------------------------------------------------- SSO


def test_smoothing_multiplies_by_the_random_walk_and_stays_symmetric_and_psd(wine):
    W = rbf(wine, sigma=neighbour_width(wine))
    P = np.diag(1 / W.sum(axis=1)) @ W
    for t, state in zip(range(1, 5), smoothing_steps(W), strict=False):
        np.testing.assert_allclose(state.similarity, W @ np.linalg.matrix_power(P, t), rtol=1e-9)
        E = psd_factor(state.similarity)
        np.testing.assert_allclose(E @ E.T, state.similarity, atol=1e-6)


def test_many_smoothings_make_all_samples_alike(wine):
    few, many = (SSO(t).fit(wine).similarity_ for t in (1, 200))
    spread = [np.std(S / np.sqrt(np.outer(np.diag(S), np.diag(S)))) for S in (few, many)]
    assert spread[1] < 0.01 * spread[0]


def test_sso_has_no_transform_and_gives_its_embedding(wine):
    model = SSO(2)
    Z = model.fit_transform(wine)
    assert not hasattr(model, "transform")
    np.testing.assert_allclose(Z @ Z.T, model.similarity_, atol=1e-6)


# ---------------------------------------------------------------------- the table's landmarks


def test_on_wine_more_pairs_help_the_linear_rivals(wine):
    y = load_wine().target

    def score(model, n_pairs, seed):
        must, cannot = sample(y, n_pairs, n_pairs, random_state=seed)
        Z = model.fit_transform(wine, must_link=must, cannot_link=cannot)
        return modified_rand(y, KMeans(3, n_init=10, random_state=0).fit_predict(Z))

    for model in (RCA(), ITML()):
        few, many = (np.mean([score(model, n, s) for s in range(4)]) for n in (30, 90))
        assert many > few and many > 0.96
