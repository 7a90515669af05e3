"""K-means relaxed by Ky Fan's theorem, and its answer rounded to clusters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from umlbook._loop import SteppingClusterer
from umlbook._pieces import MapsRows
from umlbook.algebra import Array, Labels, nearest_center, spectral_embedding
from umlbook.lloyd import LloydStep, lloyd_steps, plus_plus_labels


@dataclass(frozen=True)
class SpectralProblem:
    """What was subtracted from X, its singular vectors V, the map to them, and tr(V'XX'V)."""

    offset: Array
    V: Array
    components: Array
    value: float


class SpectralKMeans(MapsRows, SteppingClusterer):
    r"""K-means relaxed by Ky Fan's theorem, then rounded.

    :math:`\max \operatorname{tr}(Y'XX'Y)` over all Y with Y'Y = I is solved by the top K left
    singular vectors V of X. Rounding: k-means on the rows of V, which looks for the indicator
    whose columns span nearly the same space.

    Parameters
    ----------
    n_clusters : int
    centered : bool
        Subtract the mean of X first; then at most K - 1 vectors carry the clusters.
    n_init : int
        Number of starts of the rounding.
    max_iter : int
        Most states per start.
    tol : float
        Relative change of the objective at which a start ends; with 0 it ends only when the labels
        repeat.
    random_state : int, RandomState or None
        Seed of the starts.
    verbose : bool
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        Of the nearest centre of each row, as ``predict`` gives them: equal rows share a label, and
        a warning says how many clusters are in use if these are not all.
    embedding_ : array (n, K)
        V; fewer columns where the rank of X is less than K.
    relaxed_objective_ : float
        Sum of the K largest eigenvalues of XX': no partition has a larger tr(Y'XX'Y), so none has
        a k-means objective below tr(XX') less this.
    cluster_centers_ : array (n_clusters, K)
        Means of the rows of V.
    objective_ : float
        :math:`\lVert V - YY'V \rVert^2`, the distance of the two spaces, at the end.
    objective_path_ : array (n_iter_,)
        The same after each step.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether it settled.
    restarts_ : tuple of Restart
        How every start ended.

    References
    ----------
    Zha, He, Ding, Simon and Gu (2001), Spectral relaxation for k-means clustering.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    >>> SpectralKMeans(2, random_state=0).fit_predict(X).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        centered: bool = False,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.centered = centered
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> SpectralProblem:
        X = self._validated(X, reset=True)
        offset = X.mean(axis=0) if self.centered else np.zeros(X.shape[1])
        V, components = spectral_embedding(X - offset, self.n_clusters)
        return SpectralProblem(offset, V, components, float(np.sum(((X - offset).T @ V) ** 2)))

    def _starts(self, problem: SpectralProblem, rng: np.random.RandomState) -> Iterator[Labels]:
        for _ in range(self.n_init):
            yield plus_plus_labels(problem.V, self.n_clusters, rng)

    def _iterate(self, problem: SpectralProblem, start: Labels) -> Iterator[LloydStep]:
        return lloyd_steps(problem.V, start, self.n_clusters)

    def _adopt(self, problem: SpectralProblem, state: LloydStep) -> None:
        self.offset_, self.components_ = problem.offset, problem.components
        self.embedding_, self.relaxed_objective_ = problem.V, problem.value
        self.cluster_centers_ = state.centers

    def _map(self, X: Array) -> Array:
        return (X - self.offset_) @ self.components_

    def transform(self, X: ArrayLike) -> Array:
        """Rows of X in the space of the singular vectors; training rows give ``embedding_``.

        Parameters
        ----------
        X : array (m, d)
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest centre in the space of the singular vectors.

        Parameters
        ----------
        X : array (m, d)
        """
        return nearest_center(self._places(X), self.cluster_centers_)
