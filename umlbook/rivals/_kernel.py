"""A kernel between samples, and the coordinates of kernel PCA, for the rivals that work there."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import KernelPCA

from umlbook.algebra import Array
from umlbook.coordinates import without_kernel
from umlbook.kernels import exponential, rbf, resolve_width
from umlbook.rivals._base import Given, Learner, Rival

SMALLEST_EIGENVALUE = 1e-9  # relative to the largest: below it is rounding

KERNELS: dict[str, Callable[..., Array]] = {
    "rbf": lambda X, Y, width: rbf(X, Y, sigma=width),
    "exponential": lambda X, Y, width: exponential(X, Y, eta=width),
}


class InKernel(Learner):
    """A rival that sees the samples through a kernel: ``kernel`` and ``sigma`` are parameters."""

    kernel: str
    sigma: float | str

    def _fit_kernel(self, X: Array) -> Array:
        """The kernel of the training samples, exactly symmetric; keeps what new ones need."""
        if self.kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {sorted(KERNELS)}, got {self.kernel!r}")
        self.X_fit_ = X
        self.sigma_ = self._width(X)
        return KERNELS[self.kernel](X, None, self.sigma_)

    def _width(self, X: Array) -> float:
        return resolve_width(self.sigma, X)

    def _kernel_with(self, X: Array, training: Array | None) -> Array:
        """Kernel of the rows of X with some training samples, or with themselves."""
        return KERNELS[self.kernel](X, training, self.sigma_)


class InKernelPCA(InKernel, Rival):
    """A method that works on coordinates, given those of centred kernel PCA instead of X.

    Mixed in left of a rival: what the rival is given and maps are the n - 1 coordinates, or fewer,
    whose distances are those of the feature space.
    """

    def _prepare(self, X: ArrayLike) -> Given:
        X, must, cannot = super()._prepare(X)
        K = self._fit_kernel(X)
        pca = KernelPCA(kernel="precomputed", eigen_solver="dense")
        self.kernel_pca_ = without_kernel(pca.fit(K))
        self._keep_large_eigenvalues()
        return self._coordinates(X), must, cannot

    def _keep_large_eigenvalues(self) -> None:
        """Drop the directions that are rounding, as division by their size would blow them up."""
        pca = self.kernel_pca_
        if not pca.eigenvalues_.size:
            raise ValueError(
                f"the centred kernel of the n_samples={len(self.X_fit_)} rows is zero, so kernel "
                "PCA has no coordinates: give rows that differ"
            )
        kept = pca.eigenvalues_ > SMALLEST_EIGENVALUE * pca.eigenvalues_.max()
        pca.eigenvalues_, pca.eigenvectors_ = pca.eigenvalues_[kept], pca.eigenvectors_[:, kept]

    def _coordinates(self, X: Array) -> Array:
        return np.asarray(self.kernel_pca_.transform(self._kernel_with(X, self.X_fit_)))

    def _map(self, X: Array) -> Array:
        return super()._map(self._coordinates(X))  # type: ignore[safe-super] # the mixed rival's
