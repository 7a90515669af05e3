"""Kernels, widths, banks."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer

from umlbook import kernels


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
