"""NAML as an algorithm and an estimator: invariants along its steps, views, limits, new points."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale, scale
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from umlbook.algebra import centered, indicator, indicator_basis, subspace_change
from umlbook.aml import AML
from umlbook.datasets import load, make_rings
from umlbook.experiments.papers import naml as experiment
from umlbook.experiments.papers import naml_figures, naml_qcqp
from umlbook.kernels import RBFBank, bank_widths, center, combine, kernel_products, rbf
from umlbook.naml import (
    NAML,
    Start,
    kernel_weights,
    laplacian_kernel,
    naml_steps,
    top_eigenvectors,
)
from umlbook.naml.weights import as_bank
from umlbook.scores import clustering_accuracy


@pytest.mark.filterwarnings("ignore:NAML stopped at max_iter")  # noise has no leading directions
@parametrize_with_checks(
    [NAML(n_kernels=3, max_iter=10), NAML(n_kernels=2, max_iter=10, l_step="eigen")]
)
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def blobs(rng):
    y = np.repeat([0, 1, 2], 15)
    return rng.normal(size=(45, 2)) * 0.4 + 2 * np.array([[0, 0], [1, 0], [0, 1]])[y], y


@pytest.fixture(scope="module")
def iris():
    data = load("iris")
    return minmax_scale(data.data), data.target


def trace_16(G, Q, L, lam):
    """Eq. 16 written out."""
    inside = Q.T @ (G @ G + lam * G) @ Q
    return np.trace(L.T @ G @ Q @ np.linalg.solve(inside, Q.T @ G @ L))


# ------------------------------------------------------------------------- along the steps


@pytest.mark.parametrize("l_step", ["constant", "eigen"])
@pytest.mark.parametrize("lam", [1e-6, 1e-4, 1e-2, 1.0, 100.0])
def test_the_objective_never_falls_and_every_gap_is_certified(iris, l_step, lam):
    X, _ = iris
    model = NAML(3, lam=lam, l_step=l_step, random_state=4, max_iter=15)
    path = []
    for state in model.steps(X[::2]):
        path += [state.before, state.halfway, state.objective]
        assert state.gap <= 1e-8
        assert state.weights.min() >= 0
        assert state.weights.sum() == pytest.approx(1)
        np.testing.assert_allclose(state.L.T @ state.L, np.eye(3), atol=1e-9)
    assert np.diff(path).min() >= -1e-10
    assert path[-1] <= 3 - (l_step == "constant")


@pytest.mark.parametrize("l_step", ["constant", "eigen"])
def test_the_recorded_objective_is_eq_16_at_the_state_and_gq_is_l(blobs, l_step):
    X, _ = blobs
    bank = RBFBank(X, bank_widths(X, 4))
    for state in NAML(3, n_kernels=4, l_step=l_step, random_state=0, max_iter=6).steps(X):
        G = combine(bank, state.weights)
        np.testing.assert_allclose(G @ state.Q, state.L[:, : state.Q.shape[1]], atol=1e-9)
        assert trace_16(G, state.Q, state.L, 1e-2) == pytest.approx(state.objective, rel=1e-6)


def test_the_weights_of_a_pass_are_the_g_step_for_the_l_before_it(blobs):
    X, y = blobs
    bank = RBFBank(X, bank_widths(X, 4))
    first, second, *_ = NAML(3, n_kernels=4, init=y, tol=0.0, max_iter=3).steps(X)
    for V, state in ((indicator_basis(y, 3), first), (first.L[:, :2], second)):
        expected = kernel_weights(bank, V, 1e-2)
        np.testing.assert_allclose(state.weights, expected.weights, atol=1e-5)
        assert state.halfway == pytest.approx(2 - expected.objective, abs=1e-7)


def test_the_l_step_is_one_subspace_iteration_with_h(blobs):
    X, y = blobs
    bank = RBFBank(X, [1.0])
    G = combine(bank, [1.0])
    H = np.linalg.solve(G + 0.1 * np.eye(45), G)
    V = indicator_basis(y, 3)
    stream = naml_steps(bank, 0.1, Start(np.ones(1), y), 3)
    for _ in range(4):
        V = np.linalg.qr(H @ V)[0]
        assert subspace_change(next(stream).L[:, :2], V) < 1e-12


def test_with_one_kernel_the_space_of_l_converges_at_the_ratio_of_eigenvalues(blobs):
    X, y = blobs
    bank = RBFBank(X, [1.0])
    values, vectors = top_eigenvectors(combine(bank, [1.0]), 3)
    h = values / (values + 1.0)
    stream = naml_steps(bank, 1.0, Start(np.ones(1), y), 3)
    sines = [np.sin(subspace_angles(next(stream).L[:, :2], vectors[:, :2]).max()) for _ in range(9)]
    assert sines[-1] / sines[-2] == pytest.approx(h[2] / h[1], rel=1e-2)


def test_at_a_tiny_lam_the_constant_rule_stays_at_the_start_and_eigen_does_not(iris):
    X, _ = iris
    start = (np.arange(150) // 7) % 3  # far from any cluster
    stays = NAML(3, lam=1e-9, init=start).fit(X)
    moves = NAML(3, lam=1e-9, init=start, l_step="eigen").fit(X)
    assert clustering_accuracy(start, stays.labels_) > 0.9
    assert clustering_accuracy(start, moves.labels_) < 0.6


def naml_state(objective=1.0, moved=0.0, angle=0.0):
    """A state whose weights and whose space have moved by this much from those of the plain one."""
    return SimpleNamespace(
        objective=objective,
        weights=np.full(10, 0.1) + moved * np.eye(10)[3],
        L=np.array([[np.cos(angle)], [np.sin(angle)], [0.0]]),
    )


@pytest.mark.parametrize(
    ("before", "after", "settled"),
    [
        ({}, {}, True),
        ({"objective": 1000.0}, {"objective": 1000.05}, True),  # relative to the objective
        ({"objective": 1000.0}, {"objective": 1000.2}, False),
        ({"objective": 1000.2}, {"objective": 1000.0}, False),
        ({"objective": 1e-3}, {"objective": 1.05e-3}, False),
        ({}, {"moved": 0.009}, True),  # the root of tol, 0.01, for the largest move of a weight
        ({}, {"moved": 0.011}, False),
        ({}, {"moved": -0.011}, False),
        ({}, {"angle": 0.009}, True),  # the squared sine is 0.8e-4
        ({}, {"angle": 0.011}, False),
        ({}, {"angle": -0.011}, False),
    ],
)
def test_the_passes_go_on_while_any_of_objective_weights_and_space_changes(before, after, settled):
    assert NAML(2, tol=1e-4)._settled(naml_state(**before), naml_state(**after)) == settled


# ------------------------------------------------------------------- what it is equal to


@pytest.mark.parametrize("lam", [0.003, 0.3])
def test_with_a_linear_kernel_it_is_relaxed_aml_with_lam_translated(blobs, lam):
    X, y = blobs
    trace = np.sum(centered(X) ** 2)
    naml = NAML(3, kernels=[lambda A, B: A @ B.T], lam=lam, init=y, tol=1e-9, max_iter=60)
    aml = AML(3, relaxed=True, lam=lam * trace / len(X), init=y, tol=1e-9, max_iter=60)
    for one, other in zip(naml.steps(X), aml.steps(X), strict=False):
        assert subspace_change(one.L, other.L) < 1e-8
        assert one.objective == pytest.approx(other.objective / len(X), rel=1e-8)
        np.testing.assert_array_equal(one.labels, other.labels)


def test_with_one_kernel_it_is_aml_on_explicit_features(blobs):
    X, y = blobs
    G = center(rbf(X, sigma=1.0))
    values, vectors = np.linalg.eigh(G / np.trace(G))
    features = vectors * np.sqrt(np.maximum(values, 0))
    naml = NAML(3, kernels=[rbf(X, sigma=1.0)], lam=0.05, init=y, max_iter=20, tol=1e-9)
    aml = AML(3, relaxed=True, lam=0.05 / len(X), init=y, max_iter=20, tol=1e-9)
    for one, other in zip(naml.steps(X), aml.steps(features), strict=False):
        assert subspace_change(one.L, other.L) < 1e-6
        assert one.objective == pytest.approx(other.objective / len(X), rel=1e-6)


def test_eigen_l_is_kernel_pca_without_its_scale(blobs):
    X, _ = blobs
    model = NAML(3, kernels=[rbf(X, sigma=1.0)], l_step="eigen", random_state=0).fit(X)
    _, vectors = np.linalg.eigh(center(rbf(X, sigma=1.0)))
    assert subspace_change(model.embedding_, vectors[:, -3:]) < 1e-10
    np.testing.assert_allclose(
        np.abs(model.embedding_.T @ vectors[:, :-4:-1]), np.eye(3), atol=1e-8
    )


# ----------------------------------------------------------------------------- kernels


def test_two_views_the_weights_find_the_informative_one(rng):
    y = np.repeat([0, 1, 2], 20)
    signal = 3 * np.eye(3)[y] + 0.5 * rng.normal(size=(60, 3))
    noise = rng.normal(size=(60, 3))
    views = [rbf(view, sigma=2.0) for view in (noise, signal)]
    model = NAML(3, kernels=views, n_init=5, random_state=0).fit(np.zeros((60, 1)))
    assert model.kernel_weights_[1] > 0.95
    assert clustering_accuracy(y, model.labels_) == 1.0


def test_views_as_callables_on_half_of_the_features_each(rng):
    y = np.repeat([0, 1], 25)
    X = np.hstack([4 * y[:, None] + rng.normal(size=(50, 2)), rng.normal(size=(50, 2))])
    views = [
        lambda A, B: rbf(A[:, :2], B[:, :2], sigma=2.0),
        lambda A, B: rbf(A[:, 2:], B[:, 2:], sigma=2.0),
    ]
    model = NAML(2, kernels=views, lam=0.1, n_init=5, random_state=0).fit(X)
    assert model.kernel_weights_[0] > 0.95
    assert clustering_accuracy(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_laplacian_kernels_cluster_a_neighbour_graph():
    X, y = make_rings(90, radii=(0.5, 2.0), noise=0.05, random_state=0)
    nearby = rbf(X, sigma=0.3)
    np.fill_diagonal(nearby, 0.0)
    model = NAML(2, kernels=[laplacian_kernel(nearby), rbf(X, sigma=2.0)], random_state=0, n_init=5)
    model.fit(X)
    assert clustering_accuracy(y, model.labels_) == 1.0
    assert model.kernel_weights_[0] > 0.9


def test_scaling_or_shifting_a_kernel_changes_theta_and_nothing_else(blobs):
    X, y = blobs
    K = [rbf(X, sigma=s) for s in (0.5, 2.0)]
    one = NAML(3, kernels=K, init=y).fit(X)
    other = NAML(3, kernels=[7 * K[0] + 2, K[1]], init=y).fit(X)
    np.testing.assert_allclose(one.kernel_weights_, other.kernel_weights_, atol=1e-6)
    np.testing.assert_allclose(one.theta_ / [7, 1], other.theta_, atol=1e-6)
    np.testing.assert_allclose(one.embedding_, other.embedding_, atol=1e-5)


# ------------------------------------------------------------- one kernel, or a mixture


def complementary_views(seed, sigma=2.0):
    """Two views of three clusters of unequal size: each tells one cluster from the other two."""
    draw = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [20, 16, 24])
    columns = (3.0 * (y == c) + 0.3 * draw.normal(size=60) for c in (0, 1))
    return [rbf(column[:, None], sigma=sigma) for column in columns], y


def joint_value(bank, w, lam, n_directions):
    """The objective at the best Q and the best relaxed L: the sum of s / (s + lam)."""
    s = np.linalg.eigvalsh(combine(bank, np.asarray(w, dtype=float)))[::-1][:n_directions]
    return np.sum(s / (s + lam))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sigma", [1.0, 2.0, 4.0])
def test_complementary_views_are_mixed_and_the_mixture_lies_above_both(seed, sigma):
    kernels, y = complementary_views(seed, sigma)
    model = NAML(3, kernels=kernels, random_state=0).fit(np.zeros((60, 1)))
    grid = [joint_value(as_bank(kernels), [1 - t, t], 0.01, 2) for t in np.linspace(0, 1, 41)]
    assert model.objective_ == pytest.approx(max(grid), abs=2e-3)
    assert model.objective_ > max(grid[0], grid[-1]) + 0.015
    assert 0.4 < model.kernel_weights_[0] < 0.6
    assert clustering_accuracy(y, model.labels_) == 1.0


def test_without_the_mixed_start_the_same_views_end_at_a_vertex():
    kernels, _ = complementary_views(0)
    without = NAML(3, kernels=kernels, mixed_start=False, random_state=0).fit(np.zeros((60, 1)))
    assert without.kernel_weights_.max() == 1.0
    assert without.objective_ < 1.9


@pytest.mark.parametrize("l_step", ["constant", "eigen"])
def test_the_mixed_start_comes_after_the_others_and_leaves_them_as_they_were(blobs, l_step):
    X, _ = blobs
    params = {"n_kernels": 4, "l_step": l_step, "n_init": 2, "random_state": 3, "max_iter": 300}
    more, fewer = (NAML(3, mixed_start=mixed, **params).fit(X) for mixed in (True, False))
    assert (len(more.restarts_), len(fewer.restarts_)) == (3, 2)
    for one, other in zip(more.restarts_, fewer.restarts_, strict=False):
        np.testing.assert_array_equal(one.labels, other.labels)
        np.testing.assert_array_equal(one.objective_path, other.objective_path)
    assert more.objective_ >= fewer.objective_ * (1 - more.tol)


def test_there_is_no_mixed_start_for_one_kernel_or_for_given_labels(blobs):
    X, y = blobs
    assert len(NAML(3, n_kernels=1, n_init=2, max_iter=300).fit(X).restarts_) == 2
    assert len(NAML(3, n_kernels=2, init=y, max_iter=300).fit(X).restarts_) == 1


@pytest.mark.parametrize("lam", [0.01, 0.3])
def test_eigen_has_the_objective_of_constant_with_one_cluster_more(blobs, lam):
    X, _ = blobs
    params = {"n_kernels": 4, "lam": lam, "tol": 1e-9, "max_iter": 3000, "random_state": 0}
    eigen = NAML(3, l_step="eigen", **params).fit(X)
    constant = [NAML(k, **params).fit(X) for k in (3, 4)]
    assert eigen.objective_ == pytest.approx(constant[1].objective_, rel=1e-5)
    assert eigen.objective_ > constant[0].objective_ * 1.05
    bank = RBFBank(X, eigen.widths_)
    assert eigen.objective_ == pytest.approx(joint_value(bank, eigen.kernel_weights_, lam, 3))


# ----------------------------------------------------------------------------- new points


@pytest.mark.parametrize("l_step", ["constant", "eigen"])
def test_training_rows_come_back_and_test_kernels_are_centred_by_training_means(blobs, l_step):
    X, _ = blobs
    model = NAML(3, n_kernels=4, l_step=l_step, random_state=0, max_iter=300).fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-8)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    alone = np.vstack([model.transform(x[None]) for x in X[:5]])
    np.testing.assert_allclose(alone, model.embedding_[:5], atol=1e-8)


def test_new_rows_near_a_cluster_join_it(iris):
    X, y = iris
    model = NAML(3, random_state=0).fit(X[::2])
    assert clustering_accuracy(y[1::2], model.predict(X[1::2])) > 0.85


def test_matrices_take_the_kernels_of_new_samples(blobs):
    X, _ = blobs
    train, new = X[::2], X[1::2]
    widths = (0.5, 1.5)
    given = NAML(3, kernels=[rbf(train, sigma=s) for s in widths], random_state=0).fit(train)
    made = [lambda A, B, s=s: rbf(A, B, sigma=s) for s in widths]
    computed = NAML(3, kernels=made, random_state=0).fit(train)
    cross = [rbf(new, train, sigma=s) for s in widths]
    np.testing.assert_allclose(given.transform(cross), computed.transform(new), atol=1e-9)
    np.testing.assert_array_equal(given.predict(cross), computed.predict(new))
    with pytest.raises(ValueError, match="X must be the 2 kernels of the new samples with the 23"):
        given.predict(cross[:1])
    with pytest.raises(ValueError, match="shape \\(m, 23\\)"):
        given.predict([K.T for K in cross])


# ----------------------------------------------------------------------- quality and safety


@pytest.mark.parametrize(
    ("name", "rescale", "least"), [("iris", minmax_scale, 0.87), ("wine", scale, 0.95)]
)
def test_iris_and_wine_are_clustered_as_in_the_paper(name, rescale, least):
    data = load(name)
    model = NAML(3, random_state=0).fit(rescale(data.data))
    assert clustering_accuracy(data.target, model.labels_) > least
    assert model.duality_gap_ <= 1e-8


def test_of_starts_that_tie_the_one_with_tighter_labels_is_kept(iris):
    X, _ = iris
    model = NAML(3, l_step="eigen", lam=1.0, n_init=6, random_state=0).fit(scale(X))
    ends = [end for end in model.restarts_ if abs(end.objective - model.objective_) < 1e-6]
    L = model.embedding_

    def sse(labels):
        return sum(np.sum((L[labels == c] - L[labels == c].mean(axis=0)) ** 2) for c in range(3))

    assert sse(model.labels_) == pytest.approx(min(sse(end.labels) for end in ends))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 1000),
    n_clusters=st.integers(1, 5),
    l_step=st.sampled_from(["constant", "eigen"]),
)
def test_duplicates_and_few_distinct_rows_do_no_harm(seed, n_clusters, l_step):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 2, size=(10, 2)).astype(float)
    X[0] += 2.0
    model = NAML(n_clusters, n_kernels=3, l_step=l_step, random_state=seed, n_init=1, max_iter=5)
    path = [value for s in model.steps(X) for value in (s.before, s.halfway, s.objective)]
    assert np.isfinite(path).all()
    assert np.diff(path[2:]).min(initial=0.0) >= -1e-8


def test_more_than_a_thousand_samples_use_lanczos_with_the_same_answer(rng):
    G = center(rbf(rng.normal(size=(1100, 3)), sigma=2.0))
    values, vectors = top_eigenvectors(G, 3)
    reference = np.linalg.eigvalsh(G)[:-4:-1]
    np.testing.assert_allclose(values, reference, rtol=1e-9)
    np.testing.assert_allclose(G @ vectors, vectors * values, atol=1e-8 * values[0])


def test_single_precision_gives_the_same_partition(iris):
    X, _ = iris
    one, other = (NAML(3, random_state=0, n_init=1).fit(X.astype(t)) for t in ("f4", "f8"))
    assert clustering_accuracy(one.labels_, other.labels_) == 1.0


@pytest.mark.parametrize("l_step", ["constant", "eigen"])
def test_the_number_of_threads_changes_nothing(iris, l_step):
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.append(NAML(3, l_step=l_step, random_state=0, n_init=1).fit(iris[0][::3]))
    np.testing.assert_array_equal(results[0].labels_, results[1].labels_)
    np.testing.assert_allclose(results[0].kernel_weights_, results[1].kernel_weights_, atol=1e-8)
    np.testing.assert_allclose(results[0].embedding_, results[1].embedding_, atol=1e-7)


def test_too_few_passes_are_told(iris):
    with pytest.warns(ConvergenceWarning, match="NAML stopped at max_iter=2"):
        NAML(3, lam=1e-3, max_iter=2, n_init=1, random_state=0).fit(iris[0])


def test_verbose_shows_the_passes_and_changes_nothing(blobs, capsys):
    X, _ = blobs
    loud, quiet = (NAML(3, n_init=1, random_state=0, verbose=v).fit(X) for v in (True, False))
    np.testing.assert_array_equal(loud.labels_, quiet.labels_)
    assert "pass" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("params", "X", "says"),
    [
        ({"lam": -1.0}, None, "lam must be a positive finite number"),
        ({"l_step": "qr"}, None, "l_step must be 'constant' or 'eigen', got 'qr'"),
        ({"kernels": "linear"}, None, "kernels must be 'rbf-bank', a sequence of callables"),
        ({"kernels": [np.eye(4)]}, None, "kernels are matrices on 4 samples but X has 45 rows"),
        ({"kernels": []}, None, "kernels must hold at least one kernel"),
        ({"n_kernels": 0}, None, "n_kernels must be at least 1"),
        ({"init": "k-means"}, None, "init must be 'kernel-kmeans' or an array of labels"),
        ({}, np.ones((5, 2)), "all rows are equal"),
        ({"n_clusters": 1}, np.ones((1, 2)), "n_samples=1"),
        ({}, np.full((5, 2), np.inf), "X contains inf at"),
    ],
)
def test_bad_input_is_named_with_its_remedy(blobs, params, X, says):
    with pytest.raises((ValueError, TypeError), match=says):
        NAML(**{"n_clusters": 3, **params}).fit(blobs[0] if X is None else X)


# -------------------------------------------------------------------- the stored experiments


def test_stored_weights_are_what_the_g_step_gives_now():
    rows = [row for row in experiment.stored("naml_weights") if row["dataset"] == "wine"]
    for now, then in zip(naml_figures.weight_rows("wine"), rows, strict=True):
        names = [f"w{i}" for i in range(1, 11)]
        np.testing.assert_allclose([now[k] for k in names], [then[k] for k in names], atol=1e-3)


def test_a_stored_cell_of_figure_2_is_what_the_protocol_gives_now():
    rows = experiment.stored("naml_lambda")
    (then,) = (r for r in rows if (r["dataset"], r["l_step"], r["lam"]) == ("wine", "eigen", 0.01))
    now = naml_figures.lambda_row("wine", "eigen", 0.01)
    assert now["acc"] == pytest.approx(then["acc"], abs=0.01)
    assert now["mi"] == pytest.approx(then["mi"], abs=0.02)


def test_stored_conic_weights_are_those_of_the_g_step():
    for row in experiment.stored("naml_qcqp"):
        X, y = (part[::2] for part in experiment.data(row["dataset"]))
        ours = kernel_weights(RBFBank(X, bank_widths(X, 6)), indicator(y), row["lam"])
        assert row["f2_qcqp"] == pytest.approx(ours.objective, rel=1e-6)
        np.testing.assert_allclose([row[f"w{i}"] for i in range(1, 7)], ours.weights, atol=1e-3)


def test_the_conic_route_gives_its_stored_row_again():
    pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    (then,) = (
        r for r in experiment.stored("naml_qcqp") if (r["dataset"], r["lam"]) == ("iris", 0.01)
    )
    now = naml_qcqp.qcqp_row("iris", 0.01)
    assert now["f2_qcqp"] == pytest.approx(then["f2_qcqp"], rel=1e-6)
    assert now["multiplier_sum"] == pytest.approx(then["multiplier_sum"], rel=1e-4)


def test_every_printed_cell_has_a_stored_one():
    rows = experiment.stored("naml_tables")
    cells = {(r["table"], r["dataset"], r["score"], r["column"]): r for r in rows}
    for cell in experiment.printed_cells():
        if cell["dataset"] == "AR03P":
            continue  # in no public package
        row = cells[cell["table"], cell["dataset"], cell["score"], cell["column"]]
        assert row["printed"] == cell["printed"]
        assert row["runs"] == 20


def test_objective_does_not_fall_where_the_kernel_has_hardly_any_rank():
    """One wide kernel, as many clusters as rows: eigenvalues from one down to rounding."""
    X = 5.8e7 + np.random.default_rng(0).gamma(2.0, 2.0, size=(16, 1))
    model = NAML(16, n_kernels=1, n_init=1, tol=0.0, max_iter=30, random_state=0)
    with pytest.warns(ConvergenceWarning):
        path = model.fit(X).objective_path_
    assert np.diff(path).min() > -1e-9


def test_kernel_products_do_not_ask_for_centred_columns(rng):
    bank, B = RBFBank(rng.normal(size=(7, 2)), np.array([0.5, 2.0])), rng.normal(size=(7, 3))
    np.testing.assert_allclose(kernel_products(bank, B), [G @ B for G in bank], atol=1e-14)
