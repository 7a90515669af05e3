r"""The blur ratio, and its closed forms in squared canonical correlations.

With H the projector on the centred columns of X, Z the one-hot labels and D = diag(n_k), the matrix
:math:`R = D^{-1/2} Z'HZ D^{-1/2}` has the eigenvalues :math:`\rho_j^2`, the squared canonical
correlations of X and the partition. Each way to choose the metric for given labels has a blur ratio
that depends on the labels through R and D alone.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import pinv, qr, solve_triangular

from umlbook.algebra import Array, centered, cluster_means, encode, one_hot
from umlbook.cpcm.predictors import EPS, canonical_directions, linear_basis


def blur_ratio(X: ArrayLike, labels: ArrayLike, A: ArrayLike | None = None) -> float:
    r"""Within-cluster share of the scatter under the metric A, between 0 and 1.

    .. math:: BR(A, c) = \frac{SSC}{SST}
        = \frac{\sum_i (x_i - \mu_{c_i}) A (x_i - \mu_{c_i})'}{\sum_i (x_i - \mu) A (x_i - \mu)'}

    Parameters
    ----------
    X : array (n, p)
    labels : array (n,)
    A : array (p, p), positive semi-definite; the identity when None
        For an ill-conditioned ``A = beta @ beta.T`` give ``X @ beta`` and no A: the product
        squares the condition.

    Returns
    -------
    float
        NaN where SST is no larger than rounding: a ratio of nothing to nothing, not a perfect 0.

    Examples
    --------
    >>> blur_ratio([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.038461538461538464
    >>> blur_ratio([[3.0], [3.0]], [0, 1])
    nan
    """
    data = np.asarray(X, dtype=float)
    codes = encode(labels)
    within, total = data - cluster_means(data, codes)[codes], centered(data)
    if A is None:
        return share(np.sum(within**2), np.sum(total**2), float(np.sum(data**2)))
    metric = _checked_metric(A, data.shape[1])
    ssc, sst = np.sum((within @ metric) * within), np.sum((total @ metric) * total)
    rounding = 10 * EPS * np.sum(data**2) * np.abs(metric).max(initial=0.0)
    return float(ssc / sst) if sst > rounding else float("nan")


def share(within: float, total: float, squares: float) -> float:
    """within / total, or NaN where the total is no larger than the rounding of the data.

    ``squares`` is the sum of the squares of the data.
    """
    return float(within / total) if total > (10 * EPS) ** 2 * squares else float("nan")


def _checked_metric(A: ArrayLike, n_features: int) -> Array:
    metric = np.asarray(A, dtype=float)
    if metric.shape != (n_features, n_features):
        raise ValueError(
            f"A must be a {n_features} x {n_features} matrix, one row and column for each feature "
            f"of X, got shape {metric.shape}"
        )
    slack = 1e-8 * np.abs(metric).max(initial=0.0)
    if np.abs(metric - metric.T).max(initial=0.0) > slack:
        raise ValueError("A must be symmetric: use (A + A.T) / 2")
    if np.linalg.eigvalsh(metric)[0] < -n_features * slack:
        raise ValueError("A must be positive semi-definite, but it has a negative eigenvalue")
    return metric


def canonical_correlations(X: ArrayLike, labels: ArrayLike) -> Array:
    """Squared canonical correlations rho_j^2 of X and the partition, descending.

    There are min(K - 1, rank of the centred X) of them.

    Examples
    --------
    >>> canonical_correlations([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]).round(4)
    array([0.9615])
    """
    data, Z = np.asarray(X, dtype=float), one_hot(labels)
    return canonical_directions(linear_basis(data).Q, Z)[1]


def membership_scatter(X: ArrayLike, labels: ArrayLike) -> tuple[Array, Array]:
    """R (K x K) and the cluster sizes, the diagonal of D."""
    Z = one_hot(labels)
    sizes = Z.sum(axis=0)
    coordinates = linear_basis(np.asarray(X, dtype=float)).Q.T @ (Z / np.sqrt(sizes))
    return coordinates.T @ coordinates, sizes


def rank_one_blur_ratio(X: ArrayLike, labels: ArrayLike) -> float:
    r"""The smallest blur ratio of given labels over all metrics, :math:`1 - \rho_1^2`.

    Examples
    --------
    >>> round(rank_one_blur_ratio([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 12)
    0.038461538462
    """
    return float(1 - canonical_correlations(X, labels)[0])


def least_squares_blur_ratio(X: ArrayLike, labels: ArrayLike) -> float:
    r"""Blur ratio of the least-squares predictions, :math:`1 - \mathrm{tr}(DR^2)/\mathrm{tr}(DR)`.

    For clusters of equal size it is :math:`1 - \sum_j \rho_j^4 / \sum_j \rho_j^2`.
    """
    R, sizes = membership_scatter(X, labels)
    total = float(sizes @ np.diagonal(R))
    rounding = EPS * sizes.sum()
    return float(1 - sizes @ np.diagonal(R @ R) / total) if total > rounding else float("nan")


def lda_blur_ratio(X: ArrayLike, labels: ArrayLike) -> float:
    r"""Blur ratio of discriminant coordinates whitened by the total scatter: 1 - mean rho_j^2."""
    return float(1 - canonical_correlations(X, labels).mean())


def lda_within_blur_ratio(X: ArrayLike, labels: ArrayLike) -> float:
    r"""The same whitened by the within scatter (LDA-km): the harmonic mean of the 1 - rho_j^2."""
    blurs = 1 - canonical_correlations(X, labels)
    return float(len(blurs) / np.sum(1 / blurs)) if blurs.all() else 0.0


def smoother_blur_ratio(S: ArrayLike, labels: ArrayLike) -> float:
    r"""Blur ratio of predictions :math:`\bar Z + SZ` by any centred linear smoother S.

    .. math:: BR = 1 - \frac{\mathrm{tr}(D^{-1}MM')}{\mathrm{tr}(Z'S'SZ)}, \qquad M = Z'SZ

    S has columns that sum to zero, and need not be symmetric: the projector on the features that a
    stepwise regression chose, or :math:`K_c(K_c + \lambda I)^{-1}` for kernel ridge.
    """
    Z = one_hot(labels)
    smoothed = np.asarray(S, dtype=float) @ Z
    between, total = (Z.T @ smoothed) / np.sqrt(Z.sum(axis=0))[:, None], np.sum(smoothed**2)
    return float(1 - np.sum(between**2) / total) if total > EPS**2 * len(Z) else float("nan")


def simplex_coefficients(X: ArrayLike, labels: ArrayLike) -> Array:
    r"""The beta (p x K) of least within-cluster scatter that sends the means to a regular simplex.

    Minimises :math:`\mathrm{tr}(\beta' S_c \beta)` under
    :math:`(\mu_i - \mu_j)\beta\beta'(\mu_i - \mu_j)' = 2` for all :math:`i \ne j`. With
    :math:`D_m, D_e` the rows :math:`\mu_k - \mu_1` and :math:`e_k - e_1`,

    .. math:: \beta = S_c^{-1} D_m' (D_m S_c^{-1} D_m')^{-1} D_e

    up to a rotation of the simplex.

    Raises
    ------
    ValueError
        Where S_c is singular or the means do not span K - 1 dimensions.
    """
    data, codes = np.asarray(X, dtype=float), encode(labels)
    means = cluster_means(data, codes)
    K, p = means.shape
    within = data - means[codes]
    # Each column in units of its own size, so that a rank does not depend on the units of X.
    scale = np.linalg.norm(within, axis=0)
    factor, order = qr(
        within / np.where(scale > 0, scale, 1.0), mode="r", pivoting=True, check_finite=False
    )
    # With pivoting the diagonal is descending; its last entry tells how dependent columns are.
    largest = np.max(np.abs(data).max(axis=0) / np.where(scale > 0, scale, 1.0))
    rounding = max(10, p) * EPS * np.sqrt(len(data)) * largest  # that of a column of n entries
    if len(factor) < p or np.abs(factor[p - 1, p - 1]) <= rounding:
        raise ValueError(
            "the within-cluster scatter of X is singular, so no beta is best: drop features that "
            "are constant or sums of others, or give more rows"
        )
    factor = factor[:p]
    edges = (means[1:] - means[0]) / scale
    whitened = solve_triangular(factor, edges[:, order].T, trans="T")
    if np.linalg.matrix_rank(whitened) < K - 1:
        raise ValueError(
            f"the means of {K} clusters must span {K - 1} dimensions to form a simplex, "
            f"but X has {p} features and the means span {np.linalg.matrix_rank(whitened)}"
        )
    corners = np.eye(K)[1:] - np.eye(K)[0]
    beta = np.empty((p, K))
    beta[order] = solve_triangular(factor, pinv(whitened).T @ corners)
    return beta / scale[:, None]
