"""Indicators, scatter, Ky Fan."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from umlbook import algebra
from umlbook.daem import kernel_basis
from umlbook.kernels import center, rbf


@st.composite
def labelled_data(draw):
    """X (n x d) and labels that use every one of K clusters."""
    K = draw(st.integers(1, 4))
    extra = draw(st.lists(st.integers(0, K - 1), max_size=12))
    labels = np.array([*range(K), *extra])
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.normal(size=(len(labels), draw(st.integers(1, 4)))) * 3 + 1, rng.permutation(labels)


@given(labelled_data())
def test_indicator_has_orthonormal_columns_and_averages_within_clusters(data):
    X, labels = data
    Y = algebra.indicator(labels)
    np.testing.assert_allclose(Y.T @ Y, np.eye(Y.shape[1]), atol=1e-12)
    np.testing.assert_allclose(Y @ Y.T @ X, algebra.cluster_means(X, labels)[labels], atol=1e-12)


@given(labelled_data())
def test_total_scatter_is_within_plus_between(data):
    X, labels = data
    parts = algebra.within_scatter(X, labels) + algebra.between_scatter(X, labels)
    np.testing.assert_allclose(algebra.total_scatter(X), parts, atol=1e-10)


@given(labelled_data())
def test_kmeans_objective_equals_the_double_loop_and_the_trace(data):
    X, labels = data
    loop = sum(
        np.sum((x - X[labels == c].mean(axis=0)) ** 2) for x, c in zip(X, labels, strict=True)
    )
    Y = algebra.indicator(labels)
    trace = np.trace(X @ X.T) - np.trace(Y.T @ X @ X.T @ Y)
    assert algebra.kmeans_objective(X, labels) == pytest.approx(loop, rel=1e-12, abs=1e-12)
    assert algebra.kmeans_objective(X, labels) == pytest.approx(trace, rel=1e-9, abs=1e-9)


def test_labels_of_any_kind_are_numbered_in_sorted_order():
    assert algebra.encode(np.array(["dog", "cat", "dog"])).tolist() == [1, 0, 1]
    assert algebra.one_hot([7, 3]).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("labels", "n_clusters", "says"),
    [
        ([], None, "non-empty"),
        ([[0, 1]], None, "shape"),
        ([0, 2], 2, "from 0 to 1"),
        ([0.5, 1.0], 2, "integers"),
        ([0, 0], 2, "cluster 1 is empty"),
    ],
)
def test_bad_labels_are_refused_with_the_reason(labels, n_clusters, says):
    with pytest.raises(ValueError, match=says):
        algebra.indicator(labels, n_clusters)


def test_ky_fan_bounds_every_orthonormal_frame_and_is_reached(rng):
    B = rng.normal(size=(6, 6))
    A = B + B.T
    value, V = algebra.ky_fan(A, 3)
    assert np.trace(V.T @ A @ V) == pytest.approx(value)
    rotated = V @ ortho_group.rvs(3, random_state=0)
    assert np.trace(rotated.T @ A @ rotated) == pytest.approx(value)
    for seed in range(200):
        Y = ortho_group.rvs(6, random_state=seed)[:, :3]
        assert np.trace(Y.T @ A @ Y) <= value + 1e-12


@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(2, 6))
def test_the_floor_of_centred_data_lies_between_that_of_ky_fan_and_the_objective(seed, d, K):
    rng = np.random.default_rng(seed)
    X = 2 + rng.normal(size=(12, d)) @ rng.normal(size=(d, d))
    labels = rng.permutation(np.append(np.arange(K), rng.integers(0, K, size=12 - K)))
    X_t = X - X.mean(axis=0)
    plain = np.sum(X**2) - algebra.ky_fan(X @ X.T, K)[0]
    sharper = np.sum(X_t**2) - algebra.ky_fan(X_t @ X_t.T, K - 1)[0]
    rounding = 1e-9 * np.sum(X**2)
    assert plain - rounding <= sharper <= algebra.kmeans_objective(X, labels) + rounding


def test_ky_fan_vectors_come_in_falling_order_of_their_eigenvalues():
    _, V = algebra.ky_fan(np.diag([1.0, 3.0, 2.0]), 2)
    np.testing.assert_allclose(V, np.eye(3)[:, [1, 2]], atol=1e-15)


@pytest.mark.parametrize(
    ("A", "k", "says"),
    [
        (np.ones((2, 3)), 1, "square"),
        (np.array([[0.0, 1.0], [0.0, 0.0]]), 1, "symmetric"),
        (np.eye(2), 3, "between 1 and 2"),
        (np.eye(2), 0, "between 1 and 2"),
    ],
)
def test_ky_fan_refuses_what_the_theorem_does_not_cover(A, k, says):
    with pytest.raises(ValueError, match=says):
        algebra.ky_fan(A, k)


@given(st.integers(0, 10**6))
def test_fixed_signs_do_not_depend_on_the_signs_given(seed):
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(5, 3))
    flipped = V * rng.choice([-1.0, 1.0], size=3)
    np.testing.assert_array_equal(algebra.fix_signs(V), algebra.fix_signs(flipped))


def test_fixed_signs_ignore_rounding_in_ties():
    v = np.array([[1.0], [-1.0]])
    nudge = np.array([[0.0], [-1e-15]])
    assert np.sign(algebra.fix_signs(v)).tolist() == np.sign(algebra.fix_signs(v + nudge)).tolist()


def test_nearest_gives_near_ties_to_the_first_column():
    D = np.array([[1.0, 1.0 - 1e-14, 5.0], [3.0, 2.0, 2.0 - 1e-3]])
    assert algebra.nearest(D).tolist() == [0, 2]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_all_the_eigenvectors_that_are_asked_for_come_although_most_eigenvalues_are_equal(seed, k):
    """A narrow kernel is nearly the identity; LAPACK's solver for a part of it may return none."""
    X = np.random.default_rng(seed).normal(size=(100, 3))
    K = center(rbf(X, sigma=0.01))
    value, vectors = algebra.ky_fan(K, k)
    assert np.isclose(value, np.linalg.eigvalsh(K)[-k:].sum())
    assert vectors.shape == (100, k) and np.allclose(vectors.T @ vectors, np.eye(k))
    assert kernel_basis(K, k).shape == (100, k)


def test_a_solver_that_returns_too_few_eigenvectors_is_not_believed(monkeypatch):
    def eigh(A, subset_by_index=None, driver=None):
        values, vectors = np.linalg.eigh(A)
        return (values[:0], vectors[:, :0]) if subset_by_index else (values, vectors)

    monkeypatch.setattr(algebra, "eigh", eigh)
    A = np.diag([1.0, 4.0, 2.0, 3.0])
    values, vectors = algebra.part_of_spectrum(A, 1, 2)
    assert values.tolist() == [2, 3] and np.allclose(A @ vectors, vectors * values)
