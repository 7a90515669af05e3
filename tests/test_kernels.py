"""Kernels, widths, banks."""

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer

from umlbook import kernels
from umlbook.kernels import center, kernel_pca, rbf


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 4)) + 100.0  # far from the origin on purpose


def test_rbf_matches_scikit_learn_and_is_exactly_symmetric_with_unit_diagonal(X):
    K = kernels.rbf(X, sigma=1.5)
    np.testing.assert_allclose(K, rbf_kernel(X, gamma=1 / (2 * 1.5**2)), atol=1e-11)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diagonal(K), 1.0)


def test_exponential_matches_its_formula_and_is_exactly_symmetric(X):
    K = kernels.exponential(X, eta=2.0)
    naive = np.exp(-np.linalg.norm(X[:, None] - X[None], axis=2) / 2.0)
    np.testing.assert_allclose(K, naive, atol=1e-7)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diagonal(K), 1.0)


def test_kernels_between_two_sets_agree_with_the_block_of_the_whole(X):
    whole = kernels.rbf(X, sigma=2.0)
    np.testing.assert_allclose(kernels.rbf(X[:7], X[7:], sigma=2.0), whole[:7, 7:], atol=1e-12)


@pytest.mark.parametrize("sigma", [0.0, -1.0, np.inf, np.nan])
def test_a_width_that_is_no_width_is_refused(X, sigma):
    with pytest.raises(ValueError, match="sigma must be a positive finite number"):
        kernels.rbf(X, sigma=sigma)


@pytest.mark.parametrize("sigma", ["wide", None, True, [1.0]])
def test_a_width_of_the_wrong_kind_is_refused(X, sigma):
    with pytest.raises(TypeError, match="positive number"):
        kernels.rbf(X, sigma=sigma)


def test_median_width_skips_duplicates_and_scales_with_the_data(X):
    assert kernels.median_width([[0.0], [0.0], [0.0], [4.0]]) == 4.0
    assert kernels.median_width(3 * X) == pytest.approx(3 * kernels.median_width(X))
    with pytest.raises(ValueError, match="all rows are equal"):
        kernels.median_width(np.ones((3, 2)))


def test_median_width_of_many_rows_uses_evenly_spaced_ones():
    X = np.arange(101.0)[:, None]
    assert kernels.median_width(X, max_rows=3) == 50.0


def test_resolve_width_names_the_argument():
    with pytest.raises(ValueError, match="kernel_sigma must be a positive number or 'median'"):
        kernels.resolve_width("mean", np.eye(2), name="kernel_sigma")


def test_center_equals_the_projector_form_and_scikit_learn(X):
    K = kernels.rbf(X, sigma=2.0)
    H = np.eye(30) - 1 / 30
    np.testing.assert_allclose(kernels.center(K), H @ K @ H, atol=1e-13)
    np.testing.assert_allclose(kernels.center(K), KernelCenterer().fit_transform(K), atol=1e-13)
    np.testing.assert_array_equal(kernels.center(K), kernels.center(K).T)


def test_the_bank_equals_its_naive_twin(X):
    widths = [3.0, 3.0 / np.sqrt(2), 1.0]  # the second is made by squaring the first
    bank = kernels.RBFBank(X, widths)
    for G, sigma, trace in zip(bank, widths, bank.traces, strict=True):
        naive = kernels.center(kernels.rbf(X, sigma=sigma))
        np.testing.assert_allclose(G, naive / np.trace(naive), atol=1e-15)
        assert trace == pytest.approx(np.trace(naive))


def test_a_bank_of_matrices_is_centred_and_of_trace_one_and_leaves_its_input_alone(X):
    given = (kernels.rbf(X, sigma=1.0), (X - 100) @ (X - 100).T)
    before = [K.copy() for K in given]
    bank = kernels.MatrixBank(given)
    for G, K, trace in zip(bank, before, bank.traces, strict=True):
        np.testing.assert_allclose(G.sum(axis=0), 0, atol=1e-12)
        assert np.trace(G) == pytest.approx(1.0)
        np.testing.assert_allclose(G * trace, kernels.center(K), atol=1e-12)
    np.testing.assert_array_equal(given[1], before[1])


def test_combine_is_the_weighted_sum(X):
    bank = kernels.RBFBank(X, [2.0, 1.0, 0.5])
    naive = sum(w * G for w, G in zip([0.2, 0.0, 0.8], list(bank), strict=True))
    np.testing.assert_allclose(kernels.combine(bank, [0.2, 0.0, 0.8]), naive, atol=1e-15)


def test_a_constant_kernel_cannot_enter_a_bank():
    with pytest.raises(ValueError, match="constant after centring"):
        list(kernels.MatrixBank((np.ones((4, 4)),)))


def test_bank_widths_surround_the_median_distance(X):
    widths = kernels.bank_widths(X, 10)
    m = kernels.median_width(X)
    assert widths[0] == pytest.approx(2 * m)
    assert widths[-1] == pytest.approx(m / 4)
    np.testing.assert_allclose(widths[:-1] / widths[1:], widths[0] / widths[1])


@pytest.mark.parametrize(
    ("K", "says"),
    [
        (np.ones((2, 3)), "square"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), r"entries \[0, 1\] and \[1, 0\] differ by 0.1"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "negative eigenvalue"),
    ],
)
def test_a_matrix_that_is_no_kernel_is_refused_with_the_reason(K, says):
    with pytest.raises(ValueError, match=says):
        kernels.check_kernel(K)


def test_a_singular_kernel_is_a_kernel():
    kernels.check_kernel(np.ones((5, 5)))
    kernels.check_kernel(np.zeros((3, 3)))


def test_kernel_pca_has_the_distances_of_the_feature_space_and_maps_training_rows_to_themselves(
    rng,
):
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(7, 3))
    K = rbf(X, sigma=1.5)
    found = kernel_pca(K)
    np.testing.assert_allclose(found.coordinates @ found.coordinates.T, center(K), atol=1e-8)
    np.testing.assert_array_equal(found.at(K), found.coordinates)
    both = center(rbf(np.vstack([X, new]), sigma=1.5))  # distances do not depend on the centre
    wanted = np.diag(both)[30:, None] - 2 * both[30:, :30] + np.diag(both)[:30]
    outside = 1 + K.mean() - 2 * rbf(new, X, sigma=1.5).mean(axis=1)  # |phi(x) - mean|^2
    at = found.at(rbf(new, X, sigma=1.5))
    lost = outside - np.sum(at**2, axis=1)  # what no training sample spans
    assert lost.min() > -1e-8
    apart = np.sum((at[:, None] - found.coordinates) ** 2, axis=2)
    np.testing.assert_allclose(apart + lost[:, None], wanted, atol=1e-7)


def test_kernel_pca_is_that_of_scikit_learn_without_the_components_that_are_rounding(rng):
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(5, 2))
    K, cross = rbf(X, sigma=1.0), rbf(new, X, sigma=1.0)
    theirs = KernelPCA(4, kernel="precomputed").fit(K)
    ours = kernel_pca(K, 4)
    np.testing.assert_allclose(ours.eigenvalues, theirs.eigenvalues_)
    np.testing.assert_allclose(np.abs(ours.at(cross)), np.abs(theirs.transform(cross)), atol=1e-10)
    linear = kernel_pca(X @ X.T)
    assert linear.coordinates.shape == (25, 2), "the kernel has rank two"


def test_kernel_pca_says_when_there_are_no_coordinates():
    with pytest.raises(ValueError, match="centred kernel of the n_samples=3 rows is zero"):
        kernel_pca(np.ones((3, 3)))
    with pytest.raises(ValueError, match="not positive semi-definite"):
        kernel_pca(np.diag([1.0, -1.0, 1.0]))
