r"""Self-smoothing operator: a similarity carried along by its own random walk."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.base import TransformerMixin
from sklearn.neighbors import NearestNeighbors

from umlbook._checks import check_count
from umlbook._pieces import StepsSamples
from umlbook.algebra import Array, fix_signs
from umlbook.constraints import IntArray
from umlbook.kernels import SMALLEST_COMPONENT, median_width
from umlbook.rivals._base import Given
from umlbook.rivals._kernel import InKernel


@dataclass(frozen=True)
class SmoothingStep:
    """The similarity after a smoothing, and how much that changed it, relative to itself."""

    similarity: Array
    change: float


def smoothing_steps(W: Array) -> Iterator[SmoothingStep]:
    """W P, W P^2, ... with P = D^-1 W the random walk on W; each of them is symmetric.

    Parameters
    ----------
    W : array (n, n)
        Symmetric, nonnegative, with positive row sums.

    Examples
    --------
    >>> next(smoothing_steps(np.array([[1.0, 1.0], [1.0, 3.0]]))).similarity.tolist()
    [[0.75, 1.25], [1.25, 2.75]]
    """
    P = W / W.sum(axis=1, keepdims=True)
    while True:
        before, W = W, W @ P
        W = (W + W.T) / 2  # symmetric up to rounding
        yield SmoothingStep(W, float(np.linalg.norm(W - before) / np.linalg.norm(W)))


def psd_factor(S: Array) -> Array:
    """E (n x r) with EE' the positive semi-definite part of a symmetric S, largest column first.

    >>> psd_factor(np.diag([4.0, -1.0, 9.0])).tolist()
    [[0.0, 2.0], [0.0, 0.0], [3.0, 0.0]]
    """
    values, vectors = eigh(S)
    kept = np.flatnonzero(values > SMALLEST_COMPONENT * np.abs(values).max())[::-1]
    return fix_signs(vectors[:, kept]) * np.sqrt(values[kept])


def neighbour_width(X: Array, n_neighbors: int = 10) -> float:
    """Median distance to the ``n_neighbors``-th nearest other row; fewer where there are fewer.

    >>> neighbour_width(np.array([[0.0], [1.0], [3.0], [7.0]]), 1)
    1.5
    """
    tree = NearestNeighbors(n_neighbors=min(n_neighbors, len(X) - 1)).fit(X)
    return float(np.median(tree.kneighbors()[0][:, -1]))


class SSO(StepsSamples, TransformerMixin, InKernel):
    r"""Similarity smoothed by its own random walk. **Our reading.**

    .. math:: W_t = W P^t, \qquad P = D^{-1}W, \qquad D = \operatorname{diag}(W1)

    for a similarity W; the positive semi-definite part of :math:`W_t` is a kernel on the samples,
    and k-means on its factor is kernel k-means. No pairs are used. There is `fit_transform` and no
    ``transform``: the similarity is defined between the samples given and no others.

    **Our reading:** the full text of the source was not available. The number t of smoothings
    decides everything, and no rule for it is known: with one, near samples grow nearer; with many,
    all become alike. The width of W is our choice, and local, as a walk that can jump anywhere has
    nothing to follow; it was made with the labels of wine in sight.

    Parameters
    ----------
    n_steps : int
        t.
    kernel : "rbf" or "exponential"
        How similar two samples are, by their distance.
    sigma : float, "median" or "neighbours"
        Width of the kernel; "neighbours" is the median distance to the tenth nearest sample.
    n_clusters : int
        Clusters that k-means looks for in the learned space.
    random_state : int, RandomState or None
        Seed of k-means.

    Attributes
    ----------
    labels_ : array (n,)
        The nearest of ``cluster_centers_`` in the learned space.
    cluster_centers_ : array (n_clusters, p)
        Means of the clusters that k-means has found there.
    similarity_ : array (n, n)
        W_t, computed anew when it is asked for.
    embedding_ : array (n, r)
        A factor of its positive semi-definite part, computed anew when it is asked for.
    X_fit_ : array (n, d)
        The training samples.
    sigma_ : float
        Width of the kernel as used.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Jiang, Wang and Tu (2011), Unsupervised metric learning by self-smoothing operator.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [7.0]])
    >>> SSO(sigma=1.0).fit_transform(X).shape
    (4, 4)
    """

    our_reading = True

    def __init__(
        self,
        n_steps: int = 1,
        *,
        kernel: str = "rbf",
        sigma: float | str = "neighbours",
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_steps = n_steps
        self.kernel = kernel
        self.sigma = sigma

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Array:
        """The factor of the smoothed similarity of these samples.

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : ignored

        Returns
        -------
        array (n_samples, r)
        """
        self._fit(self._prepare(X))
        Z = self.embedding_
        self._cluster(Z)
        return Z

    @property
    def similarity_(self) -> Array:
        """W_t: n x n, so that it is not kept."""
        *_, last = islice(smoothing_steps(self._kernel_with(self.X_fit_, None)), self.n_steps)
        return last.similarity

    @property
    def embedding_(self) -> Array:
        """The factor of W_t, of up to n columns, so that it is not kept."""
        return psd_factor(self.similarity_)

    def _label(self, X: ArrayLike) -> Self:
        return self._cluster(self.embedding_)

    def _runs(self, given: Given) -> Iterator[Iterator[SmoothingStep]]:
        check_count("n_steps", self.n_steps)
        yield islice(smoothing_steps(self._fit_kernel(given[0])), self.n_steps)

    def _width(self, X: Array) -> float:
        if isinstance(self.sigma, str) and self.sigma == "neighbours":
            return neighbour_width(X) or median_width(X)  # where most samples are repeated
        return super()._width(X)

    def _learn(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        check_count("n_steps", self.n_steps)
        self._fit_kernel(X)
