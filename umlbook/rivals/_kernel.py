"""A kernel between samples, and the coordinates of kernel PCA, for the rivals that work there."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from umlbook.algebra import Array
from umlbook.kernels import exponential, kernel_pca, rbf, resolve_width
from umlbook.rivals._base import Given, Learner, Rival

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
        found = kernel_pca(self._fit_kernel(X))
        self.kernel_pca_ = found.without_training_rows()
        return found.coordinates, must, cannot

    def _coordinates(self, X: Array) -> Array:
        return self.kernel_pca_.at(self._kernel_with(X, self.X_fit_))

    def _map(self, X: Array) -> Array:
        return super()._map(self._coordinates(X))  # type: ignore[safe-super] # the mixed rival's
