"""A stepping clusterer that is given pairs: what those that learn from pairs share."""

from collections.abc import Iterator
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from umlbook._base import Run, SteppingClusterer


class PairClusterer(SteppingClusterer):
    """Passes must-link and cannot-link pairs on to ``_prepare(X, must_link, cannot_link)``."""

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Learn from the samples and the pairs, and cluster.

        Parameters
        ----------
        X : array (n_samples, n_features)
        y : ignored
        must_link, cannot_link : integer array (n_pairs, 2), optional
            Row numbers of samples that belong together, or apart.

        Returns
        -------
        self
        """
        return self._fit(X, must_link=must_link, cannot_link=cannot_link)

    def steps(
        self,
        X: ArrayLike,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Iterator[Any]:
        """Yield the states from the first start on; the estimator itself is left as it was.

        Parameters
        ----------
        X : array (n_samples, n_features)
        must_link, cannot_link : integer array (n_pairs, 2), optional
        """
        twin = clone(self)
        problem = twin._prepare(X, must_link=must_link, cannot_link=cannot_link)
        start = next(iter(twin._starts(problem, check_random_state(twin.random_state))))
        yield from Run(twin, twin._iterate(problem, start))
