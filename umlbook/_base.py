"""The loop under every estimator: an algorithm is a generator of states, ``fit`` takes the last.

A method supplies five small pieces (what the data become, where to start, how to go on, when two
states agree, what to keep); restarts, tolerance, cycles, interruption, warnings and progress are
written here once.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from umlbook.algebra import Array, Labels


class State(Protocol):
    """What every step of every algorithm shows: the labels, and the objective at them."""

    @property
    def labels(self) -> Labels: ...
    @property
    def objective(self) -> float: ...


@dataclass(frozen=True)
class Restart:
    """How one start ended; ``ending`` is settled, cycle, max_iter or interrupted."""

    labels: Labels
    objective: float
    objective_path: Array
    ending: str

    @property
    def n_iter(self) -> int:
        return len(self.objective_path)


class Run:
    """Iterate over states until they settle, cycle, or ``max_iter`` of them have come."""

    def __init__(self, estimator: "SteppingClusterer", states: Iterator[Any]):
        self.estimator = estimator
        self.states = states
        self.last: Any = None
        self.objectives: list[float] = []
        self.ending = "interrupted"

    def __iter__(self) -> Iterator[Any]:
        seen: set[Any] = set()
        for state in self.states:
            previous, self.last = self.last, state
            self.objectives.append(float(state.objective))
            yield state
            if previous is not None and self.estimator._settled(previous, state):
                self.ending = "settled"
                return
            key = self.estimator._key(state)
            if key is not None and key in seen:
                self.ending = "cycle"
                return
            seen.add(key)
            if len(self.objectives) >= self.estimator.max_iter:
                self.ending = "max_iter"
                return
        self.ending = "settled"  # the stream itself had nothing more to say

    def result(self) -> Restart:
        path = np.array(self.objectives)
        return Restart(self.last.labels, float(path[-1]), path, self.ending)


class SteppingClusterer(ClusterMixin, BaseEstimator):
    """Base of the estimators: ``steps`` runs one start and shows each state, ``fit`` runs them all.

    Subclasses set ``n_clusters, n_init, max_iter, tol, random_state, verbose`` in their own
    ``__init__`` and write ``_prepare``, ``_starts``, ``_iterate`` and ``_adopt``.
    """

    n_clusters: int
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    verbose: bool

    @abstractmethod
    def _prepare(self, X: ArrayLike) -> Any:
        """Validate X and compute, once, what every start needs."""

    @abstractmethod
    def _starts(self, problem: Any, rng: np.random.RandomState) -> Iterable[Any]:
        """The ``n_init`` starts."""

    @abstractmethod
    def _iterate(self, problem: Any, start: Any) -> Iterator[Any]:
        """The algorithm: its states from this start on, without end."""

    @abstractmethod
    def _adopt(self, problem: Any, state: Any) -> None:
        """Set the fitted attributes that belong to the method from the chosen state."""

    def _settled(self, previous: Any, state: Any) -> bool:
        """Whether two successive states agree: same labels, or objectives within ``tol``."""
        if np.array_equal(previous.labels, state.labels):
            return True
        change = abs(previous.objective - state.objective)
        return bool(change < self.tol * max(abs(previous.objective), abs(state.objective)))

    def _key(self, state: Any) -> Any:
        """What the next state depends on, hashable; None where that is more than the labels."""
        return state.labels.tobytes()

    def _criterion(self, state: Any) -> float:
        """What the best restart has least of."""
        return float(state.objective)

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Run the algorithm from every start and keep the best end.

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        return self._fit(X)

    def steps(self, X: ArrayLike) -> Iterator[Any]:
        """Run the algorithm from its first start, yielding the state after each step.

        The estimator itself is left as it was.
        """
        twin = clone(self)
        problem = twin._prepare(X)
        start = next(iter(twin._starts(problem, check_random_state(twin.random_state))))
        yield from Run(twin, twin._iterate(problem, start))

    def _fit(self, X: ArrayLike, **side: Any) -> Self:
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        problem = self._prepare(X, **side)
        starts = self._starts(problem, check_random_state(self.random_state))
        best: Run | None = None
        restarts: list[Restart] = []
        try:
            for start in self._progress(starts):
                run = Run(self, self._iterate(problem, start))
                try:
                    for _ in run:
                        pass
                finally:  # an interrupted run counts too, as far as it came
                    if run.last is not None:
                        restarts.append(run.result())
                        best = run if best is None else self._better(best, run)
        except KeyboardInterrupt:
            if best is None:
                raise
            warnings.warn(
                f"{type(self).__name__}.fit was interrupted: the best state so far is kept, and "
                "it may not be final",
                ConvergenceWarning,
                stacklevel=3,
            )
        assert best is not None, "a method gave no starts"
        self._keep(problem, best, restarts)
        return self

    def _better(self, best: Run, run: Run) -> Run:
        """The run whose last state has the lower criterion; the earlier one in a tie."""
        return run if self._criterion(run.last) < self._criterion(best.last) else best

    def _progress(self, starts: Iterable[Any]) -> Iterable[Any]:
        if not self.verbose:
            return starts
        from tqdm.auto import tqdm

        return tqdm(starts, desc=type(self).__name__, unit="start")

    def _keep(self, problem: Any, best: Run, restarts: list[Restart]) -> None:
        result = best.result()
        self.labels_ = result.labels
        self.objective_ = result.objective
        self.objective_path_ = result.objective_path
        self.n_iter_ = result.n_iter
        self.converged_ = result.ending == "settled"
        self.restarts_ = tuple(restarts)
        self._adopt(problem, best.last)
        advice = {
            "max_iter": f"stopped at max_iter={self.max_iter} before it settled: raise max_iter",
            "cycle": "came back to an earlier state and would cycle for ever: the last is kept",
        }.get(result.ending)
        if advice:
            warnings.warn(f"{type(self).__name__} {advice}", ConvergenceWarning, stacklevel=4)

    def _validated(self, X: ArrayLike, *, reset: bool) -> Array:
        """X as a finite float array; with ``reset``, also checked against ``n_clusters``."""
        if not reset:
            check_is_fitted(self)
        if not issparse(X) and np.asarray(X).dtype.kind in "US":
            raise ValueError(
                "X holds strings: encode them as numbers first, for example with "
                "sklearn.preprocessing.OneHotEncoder"
            )
        data: Array = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        check_finite(data)
        if reset:
            check_clusters(self.n_clusters, len(data))
        return data


def check_finite(X: Array, name: str = "X") -> None:
    """Refuse NaN and infinity, and say where the first one stands."""
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        where = ", ".join(str(i) for i in bad[0])
        kind = "NaN" if np.isnan(X[tuple(bad[0])]) else "inf"
        raise ValueError(
            f"{name} contains {kind} at [{where}]: remove or impute such values first, for example "
            "with sklearn.impute.SimpleImputer"
        )


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Refuse what is not an integer of at least ``least``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if int(value) < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")


def check_clusters(n_clusters: Any, n_samples: int) -> None:
    """Refuse fewer than one cluster, or more clusters than samples."""
    check_count("n_clusters", n_clusters)
    if n_clusters > n_samples:
        raise ValueError(
            f"n_clusters={n_clusters} is more than the n_samples={n_samples} rows of X: "
            "lower n_clusters or give more rows"
        )


def check_labels(labels: ArrayLike, n_samples: int, n_clusters: int, name: str = "init") -> Labels:
    """Labels given as a start: integers 0 .. n_clusters - 1, one a sample, no cluster empty."""
    given = np.asarray(labels)
    if given.shape != (n_samples,) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(
            f"{name} must hold one integer label for each of the {n_samples} samples, "
            f"got shape {given.shape} of {given.dtype}"
        )
    present = np.unique(given)
    if not np.array_equal(present, np.arange(n_clusters)):
        raise ValueError(
            f"{name} must use every label from 0 to {n_clusters - 1} at least once, "
            f"got the labels {present.tolist()}"
        )
    return given.astype(np.intp)
