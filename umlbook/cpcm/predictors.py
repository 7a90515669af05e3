r"""The prediction step of CPCM: cluster memberships predicted from the data.

Every predictor but a scikit-learn regressor works in one orthonormal basis of the centred data,
found once; after that a prediction costs two products with an n x r matrix, however it is made.

=========  ===================================================  ==========
symbol     name in code                                         shape
=========  ===================================================  ==========
Z          ``Z``, one-hot memberships                           n x K
Q          ``Q``, orthonormal, spans the centred data           n x r
Q'Z        ``Q.T @ Z``                                          r x K
W          ``weights``: the predictions are offset + Q W        r x q
beta       ``coef``: the same predictions are linear in X       p x q
rho_j      canonical correlations of X and Z, svd of Q'ZD^-1/2  at most K-1
=========  ===================================================  ==========
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import lstsq, qr, svd
from scipy.optimize import brentq
from sklearn.base import clone

from umlbook._checks import check_positive
from umlbook.algebra import ROUNDING, Array, Labels, fix_signs, one_hot, top_eigenvectors
from umlbook.kernels import center, rbf

EPS = float(np.finfo(float).eps)
Map = Callable[[Array], Array]


class Fit(Protocol):
    """A predictor fitted to one labelling: its predictions at the samples, and anywhere."""

    @property
    def values(self) -> Array: ...
    def map(self) -> Map: ...


Predictor = Callable[[Labels], Fit]


@dataclass(frozen=True)
class AffineMap:
    """Rows x to offset + (x - mean) coef; centring first loses fewer digits far from zero."""

    mean: Array
    coef: Array
    offset: Array

    @property
    def intercept(self) -> Array:
        return self.offset - self.mean @ self.coef

    def __call__(self, X: Array) -> Array:
        return self.offset + (X - self.mean) @ self.coef


@dataclass(frozen=True)
class LinearBasis:
    """Q spanning the centred columns of X; the scaled ``columns`` of X in use are Q features."""

    Q: Array
    features: Array
    columns: Labels
    mean: Array
    scale: Array

    def map(self, weights: Array, offset: Array) -> AffineMap:
        """The shortest coef, in scaled columns, whose predictions are offset + Q weights."""
        coef = np.zeros((len(self.mean), weights.shape[1]))
        solution = lstsq(self.features, weights, check_finite=False)[0]
        coef[self.columns] = solution / self.scale[self.columns, None]
        return AffineMap(self.mean, coef, offset)


def linear_basis(X: Array) -> LinearBasis:
    """Orthonormal basis of the centred columns of X, by one QR with column pivoting, in place.

    Columns are first scaled to norm one, so units do not matter. What rounding alone can produce
    is cut: a column counts as constant, and a direction as dependent, when it is no larger than
    the rounding of the entries of X.
    """
    n, p = X.shape
    mean = X.mean(axis=0)
    Q = np.subtract(X, mean, out=np.empty((n, p), order="F"))
    left = Q.mean(axis=0)  # the mean of many rows far from zero has lost digits
    Q -= left
    mean = mean + left
    norms = np.sqrt(np.einsum("ij,ij->j", Q, Q))
    rounding = EPS * np.sqrt(n) * np.maximum(X.max(axis=0), -X.min(axis=0))
    scale = np.where(norms > 10 * rounding, norms, np.inf)
    Q /= scale
    Q, R, order = qr(Q, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
    cut = max(10, p) * np.max(rounding / scale, initial=EPS)
    rank = int(np.sum(np.abs(np.diagonal(R)) > cut))
    features = np.empty((rank, p))
    features[:, order] = R[:rank]
    Q = Q[:, :rank]
    Q -= Q.mean(axis=0)  # an ill-conditioned X magnifies what rounding left of its mean
    return LinearBasis(Q, features, np.arange(p), mean, scale)


def check_rank(rank: int, n_samples: int, *, penalised: bool) -> None:
    """Refuse data in which every labelling predicts itself, and warn where many nearly do."""
    if rank == 0:
        raise ValueError(
            "X has no feature that varies, so nothing can be predicted from it: "
            "give data with at least two different rows"
        )
    if penalised or rank < n_samples / 2:
        return
    found = f"X has rank {rank} about its mean and only {n_samples} rows"
    advice = (
        "reduce the features first, for example with sklearn.decomposition.PCA, give more rows, "
        "or use predictor='stepwise' or 'kernel-ridge'"
    )
    if rank >= n_samples - 1:
        raise ValueError(
            f"{found}: a linear prediction then reproduces every labelling exactly, with blur "
            f"ratio 0; {advice}"
        )
    warnings.warn(
        f"{found}: with so many directions most labellings look predictable; {advice}",
        UserWarning,
        stacklevel=2,
    )


@dataclass(frozen=True)
class KernelMap:
    """Rows x to offset + k_c(x, X) dual, with k_c the kernel centred by the training rows."""

    X_fit: Array
    sigma: float
    dual: Array
    offset: Array
    column_means: Array

    def __call__(self, X: Array) -> Array:
        K = rbf(X, self.X_fit, sigma=self.sigma)
        K -= K.mean(axis=1, keepdims=True) + self.column_means - self.column_means.mean()
        return self.offset + K @ self.dual


@dataclass(frozen=True)
class KernelBasis:
    """Q: eigenvectors of the centred Gaussian kernel of X, by descending eigenvalue."""

    Q: Array
    eigenvalues: Array
    X_fit: Array
    sigma: float
    column_means: Array

    def map(self, weights: Array, offset: Array) -> KernelMap:
        dual = self.Q @ (weights / self.eigenvalues[:, None])
        return KernelMap(self.X_fit, self.sigma, dual, offset, self.column_means)


def kernel_basis(X: Array, sigma: float) -> KernelBasis:
    """Eigenvectors of the centred Gaussian kernel, without those of eigenvalue zero."""
    K = rbf(X, sigma=sigma)
    eigenvalues, Q = top_eigenvectors(center(K), above=None)
    rank = int(np.sum(eigenvalues > len(X) * EPS * max(eigenvalues[0], 1.0)))
    check_rank(rank, len(X), penalised=True)
    return KernelBasis(Q[:, :rank], eigenvalues[:rank], X, sigma, K.mean(axis=0))


def degrees_of_freedom(eigenvalues: Array, lam: float) -> float:
    r"""Trace of the smoother of kernel ridge, :math:`\sum_j s_j / (s_j + \lambda)`."""
    return float(np.sum(eigenvalues / (eigenvalues + lam)))


def ridge_penalty(eigenvalues: Array, wanted: float) -> float:
    """The lam at which kernel ridge has the ``wanted`` degrees of freedom."""
    top = float(eigenvalues[0]) * len(eigenvalues) / wanted  # leaves at most `wanted`
    if not 0 < wanted < len(eigenvalues):
        raise ValueError(
            f"{wanted:g} degrees of freedom were wanted of kernel ridge, but the centred kernel "
            f"has rank {len(eigenvalues)}: give lam as a number"
        )

    def excess(log_lam: float) -> float:
        return degrees_of_freedom(eigenvalues, np.exp(log_lam)) - wanted

    low = np.log(max(float(eigenvalues[-1]) * 1e-6, np.finfo(float).tiny))
    return float(np.exp(brentq(excess, low, np.log(top), xtol=1e-12)))


@dataclass(frozen=True)
class BasisFit:
    """Predictions offset + Q weights."""

    basis: LinearBasis | KernelBasis
    weights: Array
    offset: Array

    @cached_property
    def values(self) -> Array:
        values = self.weights.T @ self.basis.Q.T  # K rows first: three times as fast as Q weights
        values += self.offset[:, None]
        return values.T

    def map(self) -> AffineMap | KernelMap:
        return self.basis.map(self.weights, self.offset)


def coordinates(Q: Array, Z: Array) -> Array:
    """Q'Z, with the long axis where BLAS likes it."""
    return (Z.T @ Q).T


def least_squares_fit(basis: LinearBasis, Z: Array) -> BasisFit:
    """Regression of Z on X with an intercept: the projection of Z on the span of X and 1."""
    return BasisFit(basis, coordinates(basis.Q, Z), Z.mean(axis=0))


def kernel_ridge_fit(basis: KernelBasis, Z: Array, lam: float) -> BasisFit:
    """Kernel ridge regression of Z with an unpenalised intercept, K_c (K_c + lam I)^-1 Z."""
    shrink = basis.eigenvalues / (basis.eigenvalues + check_positive("lam", lam))
    return BasisFit(basis, shrink[:, None] * coordinates(basis.Q, Z), Z.mean(axis=0))


def canonical_directions(Q: Array, Z: Array) -> tuple[Array, Array]:
    """Directions of the canonical correlations of Q and Z (r x q), and rho_j^2, descending.

    At most K - 1 of them can differ from zero, and at most r exist.
    """
    return directions_of(coordinates(Q, Z), Z.sum(axis=0))


def directions_of(products: Array, sizes: Array) -> tuple[Array, Array]:
    """The same from Q'Z (r x K) and the sizes of the clusters."""
    directions, rho, _ = svd(products / np.sqrt(sizes), full_matrices=False)
    q = max(1, min(products.shape[1] - 1, len(products)))
    return fix_signs(directions[:, :q]), np.minimum(rho[:q], 1.0) ** 2


def lda_fit(basis: LinearBasis, Z: Array, *, within: bool = False) -> BasisFit:
    """Discriminant coordinates, whitened by the total scatter or, for LDA-km, by the within one."""
    directions, rho2 = canonical_directions(basis.Q, Z)
    if within:  # a cluster without scatter would ask for an infinite stretch
        directions = directions / np.sqrt(np.maximum(1 - rho2, 1e-12))
    return BasisFit(basis, directions, np.zeros(directions.shape[1]))


def stepwise_features(features: Array, target: Array, unexplained: float, n: int) -> list[int]:
    """Forward selection of one set of columns for all memberships; the first is always taken.

    A further column must lower the residual sum of squares by more than 2 log p times the residual
    mean square, the risk inflation criterion.

    Parameters
    ----------
    features : array (r, p)
        The columns of X in the basis.
    target : array (r, K)
        Z in the basis.
    unexplained : float
        Sum of squares of Z outside the basis.
    n : int
        Number of samples; at most n/2 columns are taken.
    """
    left, target = features.copy(), target.copy()
    size = np.einsum("rj,rj->j", left, left)
    tiny, chosen = 1e-10 * size, list[int]()
    while len(chosen) < min(len(features), max(1, n // 2)):
        norms = np.einsum("rj,rj->j", left, left)
        gains = np.sum((left.T @ target) ** 2, axis=1)
        gains = np.where(norms > tiny, gains / np.maximum(norms, np.finfo(float).tiny), 0.0)
        best = int(np.argmax(gains >= gains.max() * (1 - ROUNDING)))  # of equal columns the first
        rest = unexplained + np.sum(target**2) - gains[best]
        entry = 2 * np.log(max(len(size), 2)) * rest / max(n - len(chosen) - 2, 1)
        if gains[best] <= 0 or (chosen and gains[best] <= entry):
            break
        chosen.append(best)
        direction = left[:, best] / np.sqrt(norms[best])
        left -= np.outer(direction, direction @ left)
        target -= np.outer(direction, direction @ target)
    return chosen


def stepwise_fit(basis: LinearBasis, Z: Array) -> BasisFit:
    """Regression of Z on a selected set of features, the same for every cluster."""
    target, mean = coordinates(basis.Q, Z), Z.mean(axis=0)
    unexplained = float(np.sum((Z - mean) ** 2) - np.sum(target**2))
    chosen = stepwise_features(basis.features, target, max(unexplained, 0.0), len(Z))
    if not chosen:
        return BasisFit(basis, np.zeros_like(target), mean)
    features = basis.features[:, chosen]
    span, _ = qr(features, mode="economic")
    selected = replace(basis, features=features, columns=np.array(chosen))
    return BasisFit(selected, span @ (span.T @ target), mean)


@dataclass(frozen=True)
class RegressorFit:
    """A scikit-learn regressor fitted to Z, and its predictions at the samples."""

    regressor: Any
    values: Array

    def map(self) -> Map:
        return self._predict

    def _predict(self, X: Array) -> Array:
        return np.asarray(self.regressor.predict(X), dtype=float).reshape(len(X), -1)


def regressor_fit(regressor: Any, X: Array, Z: Array) -> RegressorFit:
    """A clone of the regressor fitted to Z; it must predict one column for each cluster."""
    fitted = clone(regressor).fit(X, Z)
    values = np.asarray(fitted.predict(X), dtype=float).reshape(len(X), -1)
    if values.shape != Z.shape:
        raise ValueError(
            f"predictor={regressor!r} gave predictions of shape {values.shape} for memberships of "
            f"shape {Z.shape}: wrap it in sklearn.multioutput.MultiOutputRegressor"
        )
    return RegressorFit(fitted, values)


def one_hot_fit(fit: Callable[[Array], Fit], n_clusters: int) -> Predictor:
    """The predictor of labels that ``fit`` is of their one-hot matrix."""
    return lambda labels: fit(one_hot(labels, n_clusters))
