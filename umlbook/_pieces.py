"""What an estimator offers its users, piece by piece: ``fit``, ``steps``, ``transform``, ``score``.

Each piece is a mixin and calls what a method supplies; `umlbook._loop` joins them to estimators.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning

from umlbook._blocks import is_blocks
from umlbook._checks import check_not_in_a_fold
from umlbook._rows import by_blocks
from umlbook.algebra import Array, Labels
from umlbook.constraints import satisfaction
from umlbook.scores import rand_index


class Pieces:
    """The pieces of ``fit`` and ``steps``: ``_prepare`` makes the problem that the others solve."""

    _prepare: Callable[..., Any]
    _fit: Callable[..., Self]
    _label: Callable[..., Self]
    _runs: Callable[..., Iterator[Iterable[Any]]]


class FitsSamples(Pieces):
    """``fit`` on samples alone."""

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn from the samples.

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        return self._fit(self._prepare(X))._label(X)


class StepsSamples(Pieces):
    """``steps`` on samples alone."""

    def steps(self, X: ArrayLike) -> Iterator[Any]:
        """Run the algorithm from its first start, yielding the state after each step.

        The estimator itself is left as it was.

        Parameters
        ----------
        X : array (n_samples, n_features)

        Yields
        ------
        frozen dataclass
            The objective and what the equations name; of a clustering method the labels too.
        """
        twin = clone(self)
        yield from next(twin._runs(twin._prepare(X)))


class FitsPairs(Pieces):
    """``fit`` on samples and pairs."""

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Learn from the samples and the pairs.

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : ignored
        must_link : integer array (n_pairs, 2), optional
            Row numbers of samples that belong together.
        cannot_link : integer array (n_pairs, 2), optional
            Row numbers of samples that belong apart.

        Returns
        -------
        self
        """
        check_not_in_a_fold(must_link=must_link, cannot_link=cannot_link)
        return self._fit(self._prepare(X, must_link, cannot_link))._label(X)


class StepsPairs(Pieces):
    """``steps`` on samples and pairs."""

    def steps(
        self,
        X: ArrayLike,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Iterator[Any]:
        """Run the algorithm from its first start, yielding the state after each step.

        The estimator itself is left as it was.

        Parameters
        ----------
        X : array (n_samples, n_features)
        must_link : integer array (n_pairs, 2), optional
            Row numbers of samples that belong together.
        cannot_link : integer array (n_pairs, 2), optional
            Row numbers of samples that belong apart.

        Yields
        ------
        frozen dataclass
            The objective and what the equations name; of a clustering method the labels too.
        """
        twin = clone(self)
        yield from next(twin._runs(twin._prepare(X, must_link, cannot_link)))


class UsesClusters:
    """What is said when fewer clusters are in use than were asked for."""

    n_clusters: int
    labels_: Labels

    def _warn_if_unused(self) -> None:
        """Say so when fewer clusters are in use than were asked for."""
        used = len(np.unique(self.labels_))
        if used < self.n_clusters:
            warnings.warn(
                f"{type(self).__name__} uses only {used} of n_clusters={self.n_clusters} clusters: "
                f"{self._reason_unused()}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _reason_unused(self) -> str:
        """Why a cluster may be left empty, and what to do about it."""
        return (
            "it cannot tell more groups apart in X; remove outliers and repeated rows, rescale X, "
            "or lower n_clusters"
        )


class MapsRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """An estimator with ``transform``, whose columns are named after the class and numbered."""

    cluster_centers_: Array
    _map: Callable[[Array], Array]
    _validated: Callable[..., Array]

    @property
    def _reads_blocks(self) -> bool:
        """Whether a dask array is mapped as one."""
        return False

    @property
    def _n_features_out(self) -> int:
        """Columns of ``transform``: the centres lie in the space that it maps to."""
        return self.cluster_centers_.shape[1]

    def _places(self, X: ArrayLike) -> Array:
        """What ``transform`` gives for X, as an array whatever ``set_output`` asks for."""
        # First of all: it says if nothing is fitted.
        rows = self._validated(X, reset=False, blocks=self._reads_blocks)
        return self._map(rows) if is_blocks(rows) else by_blocks(self._map, rows)


class ScoresPairs:
    """``score`` by pairs."""

    predict: Callable[[ArrayLike], Labels]

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> float:
        """The share of pairs that the predicted clusters satisfy.

        Of pairs that were fitted it says little; give pairs that were left out
        (`umlbook.asking.pair_folds`).

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : array (n_samples,), optional
            Classes: without pairs, all pairs of samples are taken as y has them, so that the score
            is the Rand index.
        must_link, cannot_link : integer array (n_pairs, 2), optional
            Row numbers of this X.

        Returns
        -------
        float
            Between 0 and 1.
        """
        labels = self.predict(X)
        if must_link is None and cannot_link is None and y is not None:
            return float(rand_index(y, labels))
        share = satisfaction(labels, must_link, cannot_link).overall
        if np.isnan(share):
            raise ValueError(
                "score needs pairs to be satisfied: give must_link, cannot_link or y; in a grid "
                "search, umlbook.asking.OnPairs divides the pairs"
            )
        return share
