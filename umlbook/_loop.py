"""The loop under every estimator: an algorithm is a generator of states, ``fit`` takes the last.

A method supplies five small pieces (what the data become, where to start, how to go on, when two
states agree, what to keep); restarts, tolerance, cycles, interruption, warnings and progress are
written here once. ``fit`` and ``steps`` both consume ``_runs``, the only place that starts an
algorithm, and what one piece has to tell another is in the problem that ``_prepare`` returns.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from hashlib import blake2b
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from umlbook._blocks import is_blocks
from umlbook._checks import check_clusters, check_count, validated_data
from umlbook._pieces import (
    FitsPairs,
    FitsSamples,
    ScoresPairs,
    StepsPairs,
    StepsSamples,
    UsesClusters,
)
from umlbook.algebra import ROUNDING, Array, Labels


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

    def __repr__(self) -> str:
        found = f"objective={self.objective:.6g}, n_iter={self.n_iter}, ending={self.ending!r}"
        return f"Restart({found})"


@dataclass(eq=False)
class Run:
    """Iterate over states until they settle, cycle, or ``max_iter`` of them have come.

    ``settled`` says whether two successive states agree; ``key`` is what the next state depends
    on, hashable, or None where that cannot be said: a key that comes again is a cycle. ``start`` is
    where the states began.
    """

    states: Iterator[Any]
    _: KW_ONLY
    max_iter: int
    settled: Callable[[Any, Any], bool]
    key: Callable[[Any], Any] = lambda state: None
    start: Any = None
    last: Any = field(default=None, init=False)
    objectives: list[float] = field(default_factory=list, init=False)
    ending: str = field(default="interrupted", init=False)

    def __iter__(self) -> Iterator[Any]:
        seen: set[Any] = set()
        for state in self.states:
            previous, self.last = self.last, state
            self.objectives.append(float(state.objective))
            yield state
            if previous is not None and self.settled(previous, state):
                self.ending = "settled"
                return
            key = self.key(state)
            if key is not None and key in seen:
                self.ending = "cycle"
                return
            seen.add(key)
            if len(self.objectives) >= self.max_iter:
                self.ending = "max_iter"
                return
        self.ending = "settled"  # the stream itself had nothing more to say

    def result(self) -> Restart:
        path = np.array(self.objectives)
        return Restart(self.last.labels, float(path[-1]), path, self.ending)


def improving(states: Iterator[Any], sign: int) -> Iterator[Any]:
    """The states of an objective that rises (1) or falls (-1), while it does.

    Where it goes the other way, which no exact step does, only rounding is left to gain.
    """
    reached = -np.inf
    for state in states:
        if not sign * state.objective >= reached:
            return
        reached = sign * state.objective
        yield state


def tighter_if_tied(best: Run, run: Run, tol: float) -> Run | None:
    """Of two runs that reached the same relaxed objective, the one whose labels fit L better."""
    reached = best.last.objective, run.last.objective
    if abs(reached[0] - reached[1]) > tol * max(map(abs, reached)):
        return None
    return run if run.last.sse < best.last.sse else best


class SteppingClusterer(UsesClusters, FitsSamples, StepsSamples, ClusterMixin, BaseEstimator):
    """Base of the estimators: ``steps`` shows the first run, ``fit`` keeps the best of all runs.

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
        """Validate X and compute, once, what every start needs; it sets no fitted attribute."""

    @abstractmethod
    def _starts(self, problem: Any, rng: np.random.RandomState) -> Iterable[Any]:
        """The ``n_init`` starts."""

    @abstractmethod
    def _iterate(self, problem: Any, start: Any) -> Iterator[Any]:
        """The algorithm: its states from this start on, without end."""

    @abstractmethod
    def _adopt(self, problem: Any, state: Any) -> None:
        """Set the fitted attributes that belong to the method, from the chosen state."""

    def _settled(self, previous: Any, state: Any) -> bool:
        """Whether two successive states agree: same labels, or objectives within ``tol``."""
        if np.array_equal(previous.labels, state.labels):
            return True
        change = abs(previous.objective - state.objective)
        return bool(change < self.tol * max(abs(previous.objective), abs(state.objective)))

    def _key(self, state: Any) -> Any:
        """What the next state depends on, hashable; None where that is more than the labels."""
        return blake2b(
            np.ascontiguousarray(state.labels).data
        ).digest()  # labels of many rows are long

    def _criterion(self, problem: Any, state: Any) -> float:
        """The restart whose last state has the least of this is kept."""
        return float(state.objective)

    def _runs(self, problem: Any) -> Iterator[Run]:
        """One run for each start, not yet iterated over: nothing else runs the algorithm."""
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        for start in self._starts(problem, check_random_state(self.random_state)):
            states = self._iterate(problem, start)
            yield Run(
                states, max_iter=self.max_iter, settled=self._settled, key=self._key, start=start
            )

    def _fit(self, problem: Any) -> Self:
        """Iterate over every run of a prepared problem and keep the best."""
        best: Run | None = None
        restarts: list[Restart] = []
        try:
            runs = self._runs(problem)
            for run in self._progress(runs) if self.verbose else runs:
                try:
                    for _ in run:
                        pass
                finally:  # an interrupted run counts too, as far as it came
                    if run.last is not None:
                        restarts.append(run.result())
                        best = run if best is None else self._better(problem, best, run)
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

    def _better(self, problem: Any, best: Run, run: Run) -> Run:
        """The run whose last state has the lower criterion; the earlier one in a tie.

        Criteria that differ by rounding tie: which of two equal ends is kept, and so the numbering
        of the labels, must not depend on the processor.
        """
        kept, tried = (self._criterion(problem, one.last) for one in (best, run))
        return run if kept - tried > ROUNDING * min(abs(kept), abs(tried)) else best

    def _progress(self, runs: Iterable[Run]) -> Iterable[Run]:
        """The same runs with a bar that counts them."""
        from tqdm.auto import tqdm

        return tqdm(runs, desc=type(self).__name__, unit="start")

    def _keep(self, problem: Any, best: Run, restarts: list[Restart]) -> None:
        result = best.result()
        self.labels_ = result.labels
        self.objective_ = result.objective
        self.objective_path_ = result.objective_path
        self.n_iter_ = len(result.objective_path)
        self.converged_ = result.ending == "settled"
        self.restarts_ = tuple(restarts)
        self._adopt(problem, best.last)
        advice = {
            "max_iter": f"stopped at max_iter={self.max_iter} before it settled: raise max_iter",
            "cycle": "came back to an earlier state and would cycle for ever: the last is kept",
        }.get(result.ending)
        if advice:
            warnings.warn(f"{type(self).__name__} {advice}", ConvergenceWarning, stacklevel=4)

    def _label(self, X: Any) -> Self:
        """Give the training rows the labels of ``predict``, and say which clusters stay empty.

        The label of a row depends on that row alone. So equal rows share one, and the last state of
        the algorithm may have others: one that was stopped, or in which a cluster had no row of its
        own and was lent one. A dask array is not read once more for that.
        """
        if hasattr(self, "predict") and not is_blocks(X):
            self.labels_ = self.predict(X)
        self._warn_if_unused()
        return self

    def _validated(self, X: ArrayLike, *, reset: bool, blocks: bool = False) -> Array:
        """X as a finite float array; with ``reset``, also checked against ``n_clusters``.

        With ``blocks`` a dask array stays one.
        """
        data = validated_data(self, X, reset=reset, blocks=blocks)
        if reset:
            check_clusters(self.n_clusters, len(data))
        return data


class PairClusterer(FitsPairs, StepsPairs, ScoresPairs, SteppingClusterer):
    """A method that is given must-link and cannot-link pairs beside the samples."""

    @abstractmethod
    def _prepare(
        self,
        X: ArrayLike,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Any:
        """Validate X and the pairs and compute, once, what every start needs."""
