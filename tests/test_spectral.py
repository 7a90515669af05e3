"""K-means relaxed, and k-means in feature space."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from umlbook import KernelKMeans, SpectralKMeans
from umlbook.algebra import indicator, kmeans_objective
from umlbook.datasets import make_rings
from umlbook.kernels import rbf
from umlbook.lloyd import fill_empty, lloyd_steps, plus_plus_labels
from umlbook.scores import clustering_accuracy
from umlbook.spectral import kernel_kmeans_steps, kernel_plus_plus_labels, spectral_embedding


@parametrize_with_checks(
    [KernelKMeans(), KernelKMeans(kernel="linear"), SpectralKMeans(), SpectralKMeans(centered=True)]
)
def test_estimators_keep_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def blobs():
    X, y = make_blobs(90, centers=3, cluster_std=1.5, random_state=4)
    return X + 50.0, y


def naive_objective(K, labels):
    """Sum over clusters of squared feature distances of pairs / (2 n_c)."""
    total = 0.0
    for c in np.unique(labels):
        block = K[np.ix_(labels == c, labels == c)]
        d = np.diagonal(block)
        total += (d[:, None] + d - 2 * block).sum() / (2 * len(block))
    return total


def test_kernel_objective_equals_the_naive_pair_sum_at_every_step(blobs, rng):
    K = rbf(blobs[0], sigma=3.0)
    steps = kernel_kmeans_steps(K, rng.integers(0, 3, 90), 3)
    for _, state in zip(range(6), steps, strict=False):
        assert state.objective == pytest.approx(naive_objective(K, state.labels), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_lloyd_in_feature_space_never_rises(blobs, seed):
    K = rbf(blobs[0], sigma=2.0)
    labels = kernel_plus_plus_labels(K, 5, np.random.RandomState(seed))
    path = [s.objective for _, s in zip(range(20), kernel_kmeans_steps(K, labels, 5), strict=False)]
    assert np.all(np.diff(path) <= 1e-12 * path[0])


@pytest.mark.parametrize("seed", range(5))
def test_linear_kernel_kmeans_and_scikit_learn_reach_the_same_objective_from_one_start(blobs, seed):
    X, _ = blobs
    labels = plus_plus_labels(X, 4, np.random.RandomState(seed))
    ours = KernelKMeans(4, kernel="linear", init=labels).fit(X)
    centers = np.array([X[labels == c].mean(axis=0) for c in range(4)])
    peer = KMeans(4, init=centers, n_init=1, tol=0, algorithm="lloyd").fit(X)
    assert ours.objective_ == pytest.approx(peer.inertia_, rel=1e-10)
    np.testing.assert_array_equal(ours.labels_, peer.labels_)


def test_plain_and_linear_kernel_streams_are_the_same(blobs):
    X = blobs[0] - blobs[0].mean(axis=0)
    labels = plus_plus_labels(X, 4, np.random.RandomState(1))
    both = zip(lloyd_steps(X, labels, 4), kernel_kmeans_steps(X @ X.T, labels, 4), strict=False)
    for _, (plain, kernel) in zip(range(8), both, strict=False):
        np.testing.assert_array_equal(plain.labels, kernel.labels)
        assert plain.objective == pytest.approx(kernel.objective, rel=1e-10)


def test_a_core_in_a_ring_is_told_apart_by_the_gaussian_kernel_and_not_by_kmeans():
    X, y = make_rings(200, radii=(0.5, 2.0), noise=0.05, random_state=0)
    ours = KernelKMeans(2, sigma=0.7, random_state=0).fit_predict(X)
    plain = KMeans(2, n_init=10, random_state=0).fit_predict(X)
    assert clustering_accuracy(y, ours) == 1.0
    assert clustering_accuracy(y, plain) < 0.8


def test_two_wide_rings_are_a_fixed_point_but_not_the_optimum_of_kernel_kmeans():
    X, y = make_rings(200, radii=(1.0, 2.0), noise=0.05, random_state=0)
    truth = KernelKMeans(2, sigma=0.5, init=y).fit(X)
    found = KernelKMeans(2, sigma=0.5, random_state=0).fit(X)
    assert clustering_accuracy(y, truth.labels_) == 1.0
    assert found.objective_ < truth.objective_


@pytest.mark.parametrize("kernel", ["rbf", "exponential", "linear", polynomial_kernel])
def test_predict_on_the_training_rows_gives_the_labels(blobs, kernel):
    X = blobs[0] / 50
    model = KernelKMeans(3, kernel=kernel, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_predict_on_the_training_rows_gives_the_labels_when_cut_short(blobs):
    X, _ = blobs
    with pytest.warns(match="max_iter=1"):
        model = KernelKMeans(6, max_iter=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_precomputed_kernels_give_the_same_as_computed_ones(blobs):
    X, _ = blobs
    direct = KernelKMeans(3, sigma=2.0, random_state=0).fit(X[:60])
    K = rbf(X, sigma=2.0)
    given = KernelKMeans(3, kernel="precomputed", random_state=0).fit(K[:60, :60])
    np.testing.assert_array_equal(direct.labels_, given.labels_)
    np.testing.assert_array_equal(direct.predict(X[60:]), given.predict(K[60:, :60]))


def test_new_points_far_away_go_to_the_nearest_cluster_under_the_linear_kernel(blobs):
    X, _ = blobs
    model = KernelKMeans(3, kernel="linear", random_state=0).fit(X)
    centers = model.cluster_centers_ @ X
    np.testing.assert_array_equal(model.predict(centers), [0, 1, 2])


@pytest.mark.parametrize(
    ("K", "says"),
    [
        (np.ones((4, 3)), "square"),
        (np.triu(np.ones((4, 4))), "symmetric"),
        (1 - np.eye(4), "positive semi-definite"),
    ],
)
def test_a_precomputed_matrix_that_is_no_kernel_is_refused(K, says):
    with pytest.raises(ValueError, match=says):
        KernelKMeans(2, kernel="precomputed").fit(K)


def test_empty_clusters_take_the_farthest_samples_and_the_objective_falls():
    X = np.array([[0.0], [0.0], [10.0], [11.0]])
    labels = fill_empty(np.array([0, 0, 0, 0]), np.array([0.0, 0.0, 100.0, 121.0]), 3)
    assert labels.tolist() == [0, 0, 2, 1]
    assert kmeans_objective(X, labels) < kmeans_objective(X, [0, 0, 0, 0])


def test_a_sample_alone_in_its_cluster_is_not_taken_away():
    assert fill_empty(np.array([0, 1, 1]), np.array([9.0, 1.0, 2.0]), 3).tolist() == [0, 1, 2]


def test_as_many_clusters_as_samples_even_with_duplicates():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="uses only 2 of n_clusters=4"):
        model = KernelKMeans(4, kernel="linear", random_state=0).fit(X)
    assert sorted(model.restarts_[0].labels.tolist()) == [0, 1, 2, 3]
    assert model.objective_ == pytest.approx(0.0)


def test_one_cluster_is_the_total_scatter(blobs):
    X, _ = blobs
    model = KernelKMeans(1, kernel="linear").fit(X)
    assert model.objective_ == pytest.approx(np.sum((X - X.mean(axis=0)) ** 2))


@pytest.mark.parametrize("Estimator", [KernelKMeans, SpectralKMeans])
def test_single_precision_gives_the_same_partition(blobs, Estimator):
    X = blobs[0].astype(np.float32)
    single = Estimator(3, random_state=0).fit(X)
    double = Estimator(3, random_state=0).fit(X.astype(np.float64))
    np.testing.assert_array_equal(single.labels_, double.labels_)


@pytest.mark.parametrize("Estimator", [KernelKMeans, SpectralKMeans])
def test_the_number_of_threads_changes_nothing(Estimator):
    X = load_iris().data
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.append(Estimator(3, random_state=0).fit(X))
    np.testing.assert_array_equal(results[0].labels_, results[1].labels_)
    assert results[0].objective_ == pytest.approx(results[1].objective_, rel=1e-8)


def test_the_relaxed_objective_bounds_every_partition(blobs, rng):
    X, y = blobs
    model = SpectralKMeans(3, random_state=0).fit(X)
    for labels in [y, model.labels_, *(rng.integers(0, 3, 90) for _ in range(20))]:
        Y = indicator(labels)
        assert np.sum((Y.T @ X) ** 2) <= model.relaxed_objective_ * (1 + 1e-12)
    floor = np.sum(X**2) - model.relaxed_objective_
    assert floor <= KMeans(3, n_init=10, random_state=0).fit(X).inertia_


def test_the_rounding_objective_is_the_distance_of_the_two_spaces(blobs):
    model = SpectralKMeans(3, random_state=0).fit(blobs[0])
    Y, V = indicator(model.labels_), model.embedding_
    assert model.objective_ == pytest.approx(np.sum((V - Y @ (Y.T @ V)) ** 2))
    assert np.all(np.diff(model.objective_path_) <= 1e-12)


def test_centred_embedding_is_pca_with_unit_columns(blobs):
    X, _ = blobs
    V = SpectralKMeans(2, centered=True, random_state=0).fit(X).embedding_
    scores = PCA(2).fit_transform(X)
    alignment = np.abs(np.sum(V * scores / np.linalg.norm(scores, axis=0), axis=0))
    np.testing.assert_allclose(alignment, 1.0)


def test_transform_and_predict_reproduce_the_training_rows(blobs):
    model = SpectralKMeans(3, random_state=0).fit(blobs[0])
    np.testing.assert_allclose(model.transform(blobs[0]), model.embedding_, atol=1e-12)
    np.testing.assert_array_equal(model.predict(blobs[0]), model.labels_)


def test_no_vector_is_invented_beyond_the_rank(rng):
    X = rng.normal(size=(20, 1)) @ rng.normal(size=(1, 5))
    V, R = spectral_embedding(X, 3)
    assert V.shape == (20, 1)
    np.testing.assert_allclose(X @ R, V, atol=1e-12)


def test_all_zero_data_has_a_finite_embedding():
    V, R = spectral_embedding(np.zeros((4, 2)), 2)
    assert np.isfinite(V).all() and not R.any()


def test_kmeans_on_pca_scores_is_not_the_rounding_of_the_relaxed_solution(rng):
    truth = np.repeat([0, 1, 2], 50)
    row = 10 * truth[:, None] * [1, 0] + rng.normal(size=(150, 2)) * [1, 2]
    relaxed = SpectralKMeans(3, centered=True, random_state=0).fit_predict(row)
    scores = PCA(2).fit_transform(row)
    by_scores = KMeans(3, n_init=10, random_state=0).fit_predict(scores)
    assert clustering_accuracy(truth, by_scores) == 1
    assert clustering_accuracy(truth, relaxed) < 0.8
