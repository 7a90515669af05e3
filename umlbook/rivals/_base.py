"""What the rivals share: pairs in, a map of the samples out, and states on the way there.

A rival learns where the samples should lie and leaves the clustering to k-means, so that all are
compared on equal terms: ``labels_`` are those of the best of ten k-means runs among the samples as
the map places them. When the pairs given teach it nothing, it says so in a warning and leaves
the samples where they are: `transform` then returns X, and ``learned_`` is False.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from umlbook._checks import check_clusters, check_count, validated_data
from umlbook._loop import Run
from umlbook._pieces import (
    FitsPairs,
    FitsSamples,
    MapsRows,
    ScoresPairs,
    StepsPairs,
    StepsSamples,
    UsesClusters,
)
from umlbook._rows import by_blocks
from umlbook.algebra import Array, Labels, cluster_means, nearest_center
from umlbook.constraints import IntArray, check_constraints
from umlbook.lloyd import best_rounded_labels
from umlbook.rivals._scatter import pair_differences, shrunk

Given = tuple[Array, IntArray, IntArray]
"""The samples, the must-links and the cannot-links."""
NO_PAIRS: IntArray = np.empty((0, 2), dtype=np.intp)


class NothingToLearn(ValueError):
    """The data and pairs given leave the method's problem without a solution; says why."""


class Learner(UsesClusters, FitsSamples, ClusterMixin, BaseEstimator):
    """Base of all: validation, the way back to Euclid, k-means; a method writes ``_learn``."""

    n_clusters: int
    random_state: Any

    our_reading: ClassVar[bool] = False
    """True where the full text of the source was not available: tables must say so."""

    @classmethod
    def title(cls) -> str:
        """The name for a table, marked where the method is our reading of its source."""
        return f"{cls.__name__} (our reading)" if cls.our_reading else cls.__name__

    @abstractmethod
    def _learn(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        """Set the fitted attributes, or raise `NothingToLearn`."""

    def _keep_euclid(self, X: Array) -> None:
        """Set what the fitted attributes are when nothing was learned."""

    def _prepare(self, X: ArrayLike) -> Given:
        """The samples, and no pairs."""
        return self._validated(X, reset=True), NO_PAIRS, NO_PAIRS

    def _fit(self, given: Given) -> Self:
        self.learned_ = True
        try:
            self._learn(*given)
        except NothingToLearn as reason:
            self.learned_ = False
            self._keep_euclid(given[0])
            warnings.warn(
                f"{type(self).__name__} {reason}: the samples stay where they are",
                UserWarning,
                stacklevel=3,
            )
        return self

    def _cluster(self, Z: Array) -> Self:
        """Run k-means among the samples at Z."""
        rng = check_random_state(self.random_state)
        labels = best_rounded_labels(Z, self.n_clusters, rng)
        self.cluster_centers_ = cluster_means(Z, labels, self.n_clusters)
        self.labels_ = nearest_center(Z, self.cluster_centers_)
        self._warn_if_unused()
        return self

    def _validated(self, X: ArrayLike, *, reset: bool) -> Array:
        """X as a finite float array; ``fit`` needs two samples, and as many as clusters."""
        data = validated_data(self, X, reset=reset, ensure_min_samples=2 if reset else 1)
        if reset:
            check_clusters(self.n_clusters, len(data))
        return data


class Rival(MapsRows, Learner):
    """A rival that maps new samples too; a method writes ``_learn`` and ``_map``."""

    @abstractmethod
    def _map(self, X: Array) -> Array:
        """Where the rows of X lie in the learned space."""

    def transform(self, X: ArrayLike) -> Array:
        """Rows of X in the learned space, where Euclidean distances are the learned ones.

        Parameters
        ----------
        X : array (m, n_features)

        Returns
        -------
        array (m, n_components)
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest of the centres that k-means has found in the learned space.

        Parameters
        ----------
        X : array (m, n_features)

        Returns
        -------
        array (m,)
        """
        return nearest_center(self._places(X), self.cluster_centers_)

    def _places(self, X: ArrayLike) -> Array:
        X = self._validated(X, reset=False)
        return by_blocks(self._map, X) if self.learned_ else X.copy()

    def _label(self, X: ArrayLike) -> Self:
        return self._cluster(self._places(X))


class PairRival(FitsPairs, ScoresPairs, Rival):
    """A rival that learns from pairs."""

    needs: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link")
    """The kinds of pairs that the method cannot do without; empty if either kind will do."""

    def _prepare(
        self,
        X: ArrayLike,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Given:
        """The samples and the pairs, checked."""
        X = self._validated(X, reset=True)
        return X, *check_constraints(must_link, cannot_link, len(X))

    def _require_pairs(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        """Refuse to learn without the pairs that are needed, or from pairs of equal samples."""
        given = {"must_link": must, "cannot_link": cannot}
        wanted = [given[kind] for kind in self.needs] or [np.concatenate([must, cannot])]
        if not all(pair_differences(X, pairs).any() for pairs in wanted):
            kinds = " and ".join(self.needs) or "must_link or cannot_link"
            raise NothingToLearn(f"needs {kinds} pairs of samples that differ")


class Shrinking(PairRival):
    """A rival that divides by a matrix of the must-links, which few pairs leave singular."""

    shrinkage: float | None

    def _shrunk(self, S: Array) -> Array:
        """S after shrinkage; ``shrinkage_`` keeps the amount, and a warning says it if unasked."""
        result, self.shrinkage_ = shrunk(S, self.shrinkage)
        if self.shrinkage is None and self.shrinkage_:
            warnings.warn(
                f"{type(self).__name__}: the must_link pairs do not span all {len(S)} features, so "
                f"their scatter is shrunk by {self.shrinkage_}: give more pairs, or set shrinkage",
                UserWarning,
                stacklevel=6,
            )
        return result


class Linear(Rival):
    """A rival whose learned space is X times ``components_`` (d x p)."""

    components_: Array

    @property
    def metric_(self) -> Array:
        """A, d x d: squared learned distances are (x - y)' A (x - y)."""
        return self.components_ @ self.components_.T

    def _map(self, X: Array) -> Array:
        return X @ self.components_

    def _keep_euclid(self, X: Array) -> None:
        super()._keep_euclid(X)
        self.components_ = np.eye(X.shape[1])


class Stepping(Rival):
    """A rival whose algorithm is a stream of states; `fit` takes the last.

    A method writes ``_problem`` (what the data become), ``_states`` (the algorithm, without end)
    and ``_adopt`` (what to keep of the last state) in place of ``_learn``.
    """

    max_iter: int
    tol: float

    @abstractmethod
    def _problem(self, X: Array, must: IntArray, cannot: IntArray) -> Any:
        """Compute, once, what every step needs; or raise `NothingToLearn`."""

    @abstractmethod
    def _states(self, problem: Any) -> Iterator[Any]:
        """The states of the algorithm, each with an ``objective``."""

    @abstractmethod
    def _adopt(self, problem: Any, state: Any) -> None:
        """Set the fitted attributes from the last state."""

    def _settled(self, previous: Any, state: Any) -> bool:
        """Whether the objective has stopped changing, to within ``tol`` of itself."""
        size = max(abs(previous.objective), abs(state.objective))
        return bool(abs(previous.objective - state.objective) <= self.tol * size)

    def _run(self, problem: Any) -> Run:
        """The states up to the last, by the loop that all methods share."""
        check_count("max_iter", self.max_iter)
        return Run(self._states(problem), max_iter=self.max_iter, settled=self._settled)

    def _learn(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        problem = self._problem(X, must, cannot)
        run = self._run(problem)
        for _ in run:
            pass
        self.converged_ = run.ending == "settled"
        self.objective_path_ = np.array(run.objectives)
        self.objective_, self.n_iter_ = run.objectives[-1], len(run.objectives)
        self._adopt(problem, run.last)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before it settled: "
                "raise max_iter",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _keep_euclid(self, X: Array) -> None:
        super()._keep_euclid(X)
        self.objective_, self.objective_path_ = float("nan"), np.array([np.nan])
        self.n_iter_, self.converged_ = 1, True

    def _runs(self, given: Given) -> Iterator[Run]:
        """The one run that there is."""
        yield self._run(self._problem(*given))


class SteppingPairRival(StepsPairs, Stepping, PairRival):
    """An iterative rival that learns from pairs."""


class SteppingRival(StepsSamples, Stepping):
    """An iterative rival that learns from X alone."""
