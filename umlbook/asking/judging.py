"""Pairs that were left out as judges of a clustering: folds of pairs, and grid search over them.

Cross-validation slices X and leaves index pairs as they are, so that they point to other rows. Here
the rows stay and the *pairs* are divided: a model is fitted to all rows and some of the pairs, and
judged by the share of the others that its clusters satisfy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from umlbook._checks import check_count
from umlbook.algebra import Array
from umlbook.constraints import IntArray, check_constraints, chunklets, validate_pairs

PairArrays = tuple[IntArray, IntArray]
"""Must-links and cannot-links."""


def pair_folds(
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    n_samples: int,
    *,
    n_splits: int = 5,
    random_state: int | np.random.RandomState | None = None,
) -> Iterator[tuple[PairArrays, PairArrays]]:
    """Yield pairs to learn from and pairs to judge by; all of them number the rows of one X.

    A pair that is left out but follows from those that are kept is no judge, since whoever meets
    the ones meets the other; it is in neither part of that fold.

    Parameters
    ----------
    must_link, cannot_link : integer array (n_pairs, 2) or None
        All pairs; each kind is divided for itself.
    n_samples : int
        Number of rows of X.
    n_splits : int
        Folds.
    random_state : int, RandomState or None
        Seed of the division.

    Yields
    ------
    learn : (must_link, cannot_link)
    judge : (must_link, cannot_link)

    Examples
    --------
    >>> must, cannot = [[0, 1], [2, 3], [0, 4]], [[0, 2], [1, 2], [3, 4]]
    >>> for learn, judge in pair_folds(must, cannot, 5, n_splits=3, random_state=0):
    ...     print([len(kind) for kind in learn], [len(kind) for kind in judge])
    [2, 2] [1, 1]
    [2, 2] [1, 0]
    [2, 2] [1, 0]
    """
    check_count("n_splits", n_splits, least=2)
    kinds = check_constraints(must_link, cannot_link, n_samples)
    if max(map(len, kinds)) < n_splits:
        raise ValueError(
            f"n_splits={n_splits} is more than the {max(map(len, kinds))} pairs of either kind: "
            "lower n_splits or give more pairs"
        )
    folds = [_fold_numbers(len(kind), n_splits, random_state) for kind in kinds]
    for fold in range(n_splits):
        learn, judge = (
            tuple(kind[(number == fold) == left] for kind, number in zip(kinds, folds, strict=True))
            for left in (False, True)
        )
        yield (learn[0], learn[1]), _not_implied(learn, judge, n_samples)


def _fold_numbers(n_pairs: int, n_splits: int, random_state: Any) -> IntArray:
    """The fold of each pair, as even as can be."""
    number = np.arange(n_pairs) % n_splits
    if n_pairs >= n_splits:
        for fold, (_, test) in enumerate(
            KFold(n_splits, shuffle=True, random_state=random_state).split(number)
        ):
            number[test] = fold
    return number


def _not_implied(
    learn: tuple[IntArray, ...], judge: tuple[IntArray, ...], n_samples: int
) -> PairArrays:
    """The pairs of `judge` that do not follow from those of `learn`."""
    chunklet = chunklets(learn[0], n_samples)
    must = judge[0][np.diff(chunklet[judge[0]], axis=1).ravel() != 0]
    parted = {tuple(sorted(pair)) for pair in chunklet[learn[1]].tolist()}
    keep = [tuple(sorted(pair)) not in parted for pair in chunklet[judge[1]].tolist()]
    return must, judge[1][np.array(keep, dtype=bool)]


class OnPairs(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A method for pairs whose samples are the pairs, so that scikit-learn can divide them.

    ``fit(pairs, together)`` fits the estimator to all rows of `X` and these pairs,
    ``predict(pairs)`` says which pairs its clusters put together, and ``score`` is the share of
    pairs on which they agree with what is known. `cross_val_score` and `GridSearchCV` then divide
    the pairs and leave the rows alone.

    Parameters
    ----------
    estimator : estimator
        With ``fit(X, must_link=..., cannot_link=...)``, and ``labels_`` or ``predict``. A pipeline
        is one if its last step asks for the pairs (``set_fit_request``; `LatentClassPairs` has an
        example).
    X : array (n_samples, n_features)
        All rows, those without pairs too.

    Attributes
    ----------
    estimator_ : estimator
        As fitted.
    classes_ : array (2,)
        False (apart) and True (together).

    Examples
    --------
    Which weight of the mutual information do the pairs prefer?

    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from umlbook import LatentClassPairs
    >>> from umlbook.constraints import sample
    >>> from umlbook.datasets import make_circle
    >>> X, y = make_circle(60, random_state=0)
    >>> must, cannot = sample(y, 10, 10, random_state=0)
    >>> pairs, together = np.concatenate([must, cannot]), np.repeat([True, False], 10)
    >>> model = OnPairs(LatentClassPairs(2, n_init=1, random_state=0), X)
    >>> search = GridSearchCV(model, {"estimator__n_graph_components": [0, 10]},
    ...                       cv=StratifiedKFold(3)).fit(pairs, together)
    >>> sorted(search.best_params_)
    ['estimator__n_graph_components']
    """

    def __init__(self, estimator: Any, X: Array):
        self.estimator = estimator
        self.X = X

    def fit(self, pairs: ArrayLike, together: ArrayLike) -> Self:
        """Fit the estimator to all rows of X and these pairs.

        Parameters
        ----------
        pairs : integer array (n_pairs, 2)
            Row numbers of `X`.
        together : boolean array (n_pairs,)
            Whether each pair belongs together.

        Returns
        -------
        self
        """
        given, same = np.asarray(pairs), np.asarray(together, dtype=bool)
        if given.ndim != 2 or given.shape[1] != 2 or same.shape != given.shape[:1]:
            raise ValueError(
                f"pairs of shape {given.shape} and together of shape {same.shape} do not fit: "
                "(n_pairs, 2) and (n_pairs,) are wanted"
            )
        self.classes_ = np.array([False, True])
        self.estimator_ = clone(self.estimator).fit(
            self.X, must_link=given[same], cannot_link=given[~same]
        )
        return self

    def predict(self, pairs: ArrayLike) -> NDArray[np.bool_]:
        """Whether the clusters put each pair together.

        Parameters
        ----------
        pairs : integer array (n_pairs, 2)

        Returns
        -------
        boolean array (n_pairs,)
        """
        check_is_fitted(self)
        given = np.asarray(pairs)
        validate_pairs(given, len(self.X), "pairs")
        labels = getattr(self.estimator_, "labels_", None)
        if labels is None:  # a pipeline shows those of its last step by ``predict`` only
            labels = self.estimator_.predict(self.X)
        return np.asarray(labels[given[:, 0]] == labels[given[:, 1]])
