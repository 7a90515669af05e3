r"""Coordinates that bend: one block of a kernel, one of a neighbourhood graph.

Both are functions of the distances to the training samples, and both give a training sample,
presented as a new one, the coordinates that it was fitted with. Of more than 1000 samples so many,
evenly spaced, are *landmarks*: the blocks are made of their distances alone, and every sample gets
its coordinates as a new one does. So memory grows with the number of samples, not with its square.

The class `BentCoordinates` is the same under scikit-learn's conventions.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import gen_batches

from umlbook._checks import check_count, validated_data
from umlbook._rows import by_blocks
from umlbook.algebra import Array, fix_signs, part_of_spectrum
from umlbook.kernels import KernelCoordinates, kernel_pca

MOST_LANDMARKS = 1000  # of more samples so many, evenly spaced, carry the blocks
BATCH = 1000  # rows whose distances to the landmarks are held at a time

SCALE_NEIGHBOR = 7  # the distance to it is the local scale of a sample
SPREAD = 0.99  # a in sqrt((1 - a) / (1 - a omega)): near 1 the smooth eigenvectors count most
SMALLEST_EIGENVALUE = 0.1  # the extension divides by it
TIED = 1e-9  # neighbours whose distances differ by less than this share are equally near
SMALLEST_SCALE = 1e-6  # of the median distance: the local scale among many equal samples


@dataclass(frozen=True)
class KernelBlock:
    r"""Centred kernel PCA of :math:`\exp(-2 d^2 / \operatorname{median} d^2)`."""

    median: float
    pca: KernelCoordinates

    def at(self, D: Array) -> Array:
        """Coordinates of samples by their distances D (m x n) to the training samples."""
        return self.pca.at(_gaussian(D, self.median))


@dataclass(frozen=True)
class GraphBlock:
    r"""Smooth eigenvectors of the normalised neighbourhood graph, and their Nystroem extension.

    ``F[j, l]`` is :math:`f_l(x_j) / \omega_l`; the coordinate of any sample is the mean of it over
    the neighbours, weighted as in the graph.
    """

    n_neighbors: int
    floor: float
    reach: Array
    scale: Array
    F: Array

    def at(self, D: Array) -> Array:
        """Coordinates of samples by their distances D (m x n) to the training samples."""
        reach, scale = neighborhood(D, self.n_neighbors, self.floor)
        exponents = _log_affinity(D, reach, scale, self.reach, self.scale)
        return np.asarray(softmax(exponents, axis=1) @ self.F)


def neighborhood(D: Array, n_neighbors: int, floor: float) -> tuple[Array, Array]:
    """Distances to the last and to the seventh neighbour, for each row of D.

    Neighbours are counted from 0, and a training sample is its own neighbour 0: so a new sample
    at the place of an old one has the same neighbourhood.
    """
    last = D.shape[1] - 1
    ranks = [min(n_neighbors, last), min(SCALE_NEIGHBOR, last)]
    reach, scale = np.partition(D, ranks, axis=1)[:, ranks].T
    return reach, np.maximum(scale, floor)


def kernel_block(D: Array, n_components: int) -> KernelBlock:
    """The kernel block of training samples with distances D (n x n)."""
    median = median_distance(D)
    found = kernel_pca(_gaussian(D, median), n_components)
    return KernelBlock(median, found.without_training_rows())


def graph_block(D: Array, n_components: int, n_neighbors: int) -> GraphBlock:
    r"""The graph block of training samples with distances D (n x n).

    Weights are :math:`w_{ij} = \exp(-d_{ij}^2 / s_i s_j)` where one of the two is among the
    neighbours of the other, s being the distance to the seventh neighbour. The eigenvectors
    :math:`u_l` of :math:`D^{-1/2} W D^{-1/2}` become :math:`f_l = c_l D^{-1/2} u_l` of unit
    variance under the degrees, times :math:`\sqrt{(1 - a)/(1 - a\,\omega_l)}`.
    """
    floor = SMALLEST_SCALE * median_distance(D)
    reach, scale = neighborhood(D, n_neighbors, floor)
    W = np.exp(_log_affinity(D, reach, scale, reach, scale))
    degree = W.sum(axis=1)
    root = np.sqrt(degree)
    trivial = root / np.linalg.norm(root)
    # Without its constant eigenvector, which the others must not mix with when the graph falls
    # apart and the eigenvalue 1 is there several times.
    A = W / np.outer(root, root) - np.outer(trivial, trivial)
    n = len(D)
    omega, U = part_of_spectrum((A + A.T) / 2, max(n - n_components, 1), n - 1)
    kept = np.flatnonzero(omega > SMALLEST_EIGENVALUE)[::-1]
    omega, U = omega[kept], fix_signs(U[:, kept])
    weights = np.sqrt((1 - SPREAD) / (1 - SPREAD * omega) * degree.sum()) / omega
    return GraphBlock(n_neighbors, floor, reach, scale, U / root[:, None] * weights)


@dataclass(frozen=True)
class Coordinates:
    """The blocks side by side; each has mean squared length 1 / (number of blocks) in training."""

    X: Array
    blocks: tuple[KernelBlock | GraphBlock, ...]
    factors: tuple[float, ...]

    def parts(self, X: Array) -> list[Array]:
        """Each block's coordinates of the rows of X.

        Distances are summed pair by pair, so that that of equal samples is zero.
        """
        made = []
        for rows in gen_batches(len(X), BATCH):
            D = cdist(X[rows], self.X)
            made.append([block.at(D) for block in self.blocks])
        return [
            factor * np.vstack(parts)
            for factor, parts in zip(self.factors, zip(*made, strict=True), strict=True)
        ]

    def __call__(self, X: Array) -> Array:
        """The coordinates P of the rows of X."""
        return np.hstack(self.parts(X))

    def __repr__(self) -> str:
        blocks = " and ".join(type(block).__name__ for block in self.blocks)
        return f"Coordinates({blocks} of {len(self.X)} rows)"


def coordinates(
    X: Array, *, n_components: int = 30, n_graph_components: int = 20, n_neighbors: int = 10
) -> Coordinates:
    """The coordinates of these training samples; a block of no components is left out.

    The result is a function: called with samples, old or new, it gives their coordinates.

    >>> place = coordinates(np.arange(12.0)[:, None], n_components=3, n_graph_components=2)
    >>> float((place(place.X) ** 2).sum(axis=1).mean().round(12))
    1.0
    """
    X = landmarks(X)
    D = cdist(X, X)
    made: list[KernelBlock | GraphBlock] = []
    if n_components:
        made.append(kernel_block(D, n_components))
    if n_graph_components:
        made.append(graph_block(D, n_graph_components, n_neighbors))
    sizes = [float(np.mean(np.sum(block.at(D) ** 2, axis=1))) for block in made]
    # Of a few samples the graph may have no smooth eigenvector: then the kernel is all there is.
    kept = [(block, size) for block, size in zip(made, sizes, strict=True) if size > 0]
    if not kept:
        raise ValueError(
            "the neighbourhood graph of X has no smooth coordinates: give n_components of at "
            "least 1, which adds those of a kernel"
        )
    factors = tuple(1 / np.sqrt(size * len(kept)) for _, size in kept)
    return Coordinates(X, tuple(block for block, _ in kept), factors)


def landmarks(X: Array) -> Array:
    """The rows that carry the coordinates: all, or 1000 evenly spaced ones of more.

    >>> landmarks(np.arange(5000.0)[:, None]).shape
    (1000, 1)
    """
    if len(X) <= MOST_LANDMARKS:
        return X
    return X[np.linspace(0, len(X) - 1, MOST_LANDMARKS).astype(int)]


def median_distance(D: Array) -> float:
    """The median of the distances between different samples."""
    apart = D[np.triu_indices(len(D), k=1)]
    apart = apart[apart > 0]
    if not apart.size:
        raise ValueError(
            f"X must have at least two different rows, but its n_samples={len(D)} rows are all "
            "equal: there is nothing to cluster"
        )
    return float(np.median(apart))


def _gaussian(D: Array, median: float) -> Array:
    return np.asarray(np.exp(-2 * (D / median) ** 2))


def _log_affinity(D: Array, reach: Array, scale: Array, reach_of: Array, scale_of: Array) -> Array:
    """log w of rows and columns of D; minus infinity where neither is near to the other."""
    near = np.maximum.outer(reach, reach_of) * (1 + TIED) >= D
    return np.where(near, -(D**2) / np.outer(scale, scale_of), -np.inf)


class BentCoordinates(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Coordinates of a kernel and of a neighbourhood graph, side by side, for any estimator.

    The first block is centred kernel PCA of :math:`\exp(-2 d^2 / \operatorname{median} d^2)`. The
    second holds the smooth eigenvectors of the normalised graph of nearest neighbours. Each block
    has mean squared length 1/2 in training. Clusters that are bent in X, but hang together, are
    compact here.

    Parameters
    ----------
    n_components : int
        Coordinates of the kernel; 0 leaves that block out.
    n_graph_components : int
        Most coordinates of the graph; 0 leaves that block out.
    n_neighbors : int
        Neighbours of each sample in the graph.

    Attributes
    ----------
    coordinates_ : Coordinates
        The map from samples to coordinates.

    Notes
    -----
    Of more than 1000 samples the blocks are made from so many evenly spaced ones.

    References
    ----------
    Zelnik-Manor and Perona (2004), Self-tuning spectral clustering, for the weights of the graph.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.pipeline import make_pipeline
    >>> from umlbook.datasets import make_rings
    >>> X, y = make_rings(200, random_state=0)
    >>> bent = make_pipeline(BentCoordinates(), KMeans(2, n_init=10, random_state=0))
    >>> bool(np.unique([y, bent.fit_predict(X)], axis=1).shape[1] == 2)
    True
    """

    def __init__(
        self, n_components: int = 30, *, n_graph_components: int = 20, n_neighbors: int = 10
    ):
        self.n_components = n_components
        self.n_graph_components = n_graph_components
        self.n_neighbors = n_neighbors

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Make the coordinates of the samples.

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = validated_data(self, X, reset=True, ensure_min_samples=2)
        check_blocks(self.n_components, self.n_graph_components, self.n_neighbors)
        self.coordinates_ = coordinates(X, **self.get_params())
        self._n_features_out = self.coordinates_(X[:1]).shape[1]
        return self

    def transform(self, X: ArrayLike) -> Array:
        """The coordinates of the rows of X; for new samples by the Nystroem extension.

        Parameters
        ----------
        X : array (m, n_features)

        Returns
        -------
        array (m, k)
        """
        return by_blocks(self.coordinates_, validated_data(self, X, reset=False))


def check_blocks(n_components: int, n_graph_components: int, n_neighbors: int) -> None:
    """Refuse numbers of coordinates and neighbours that make no coordinates."""
    check_count("n_neighbors", n_neighbors)
    check_count("n_components", n_components, least=0)
    check_count("n_graph_components", n_graph_components, least=0)
    if not (n_components or n_graph_components):
        raise ValueError(
            "n_components and n_graph_components are both 0, which leaves no coordinates: "
            "give one of them at least 1"
        )
