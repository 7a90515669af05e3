"""All checks of arguments: an error names the argument, what was given, and what to do."""

import sys
from numbers import Integral, Real
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_n_features, check_is_fitted, validate_data

from umlbook._blocks import READ_AT_ONCE, checked_blocks, is_blocks
from umlbook.algebra import Array, Labels


def check_positive(name: str, value: float) -> float:
    """The value as a float, or an error that says what it may be."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a positive number, got {value!r}")
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be a positive finite number, got {value!r}")
    return float(value)


def check_nonnegative(name: str, value: float) -> float:
    """The value as a float of at least zero, or an error that says what it may be."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number of at least 0, got {value!r}")
    if not 0 <= value < np.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
    return float(value)


def check_several(X: Array) -> None:
    """Refuse a single sample: about its mean nothing is left of it."""
    if len(X) < 2:
        raise ValueError(f"X has n_samples={len(X)}, but a metric needs at least two samples")


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


def check_landmarks(n_landmarks: Any, n_clusters: int) -> None:
    """Refuse fewer landmarks than the clusters that are to be found among them."""
    if isinstance(n_landmarks, Integral) and 0 < int(n_landmarks) < n_clusters:
        raise ValueError(
            f"n_landmarks={n_landmarks} is fewer than n_clusters={n_clusters}, which are to be "
            "found among the landmarks: raise it, or set it to None to use every row"
        )


def check_labels(labels: ArrayLike, n_samples: int, n_clusters: int, name: str = "init") -> Labels:
    """Labels given as a start: integers 0 .. n_clusters - 1, one per sample, no cluster empty."""
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


def check_not_in_a_fold(**pairs: ArrayLike | None) -> None:
    """Refuse index pairs that scikit-learn's cross-validation handed on with a part of the rows.

    It slices X and hands the pairs on as they are, or slices them as if they were samples; in both
    cases they point to other rows. That cannot be seen from X and the pairs, so we look who called:
    a fold of cross-validation keeps what it hands on in its variable ``fit_params``. Pairs that
    were made for the rows of the fold, by whatever stands between, are not refused.
    """
    given = {id(value): name for name, value in pairs.items() if value is not None}
    frame = sys._getframe().f_back
    while given and frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.model_selection._validation":
            handed = frame.f_locals.get("fit_params") or {}
            for name in (given[id(v)] for v in handed.values() if id(v) in given):
                raise ValueError(
                    f"{name} came through cross-validation, which slices X but not index pairs, so "
                    "that they would point to other rows: divide the pairs instead, with "
                    "umlbook.asking.OnPairs or umlbook.asking.pair_folds; or slice both yourself "
                    "with umlbook.constraints.restrict"
                )
        frame = frame.f_back


def validated_data(
    estimator: BaseEstimator,
    X: Any,
    *,
    reset: bool,
    ensure_min_samples: int = 1,
    blocks: bool = False,
) -> Array:
    """X as a finite float array; without ``reset``, of the features that ``fit`` has seen.

    With ``blocks`` a dask array may stay one; a few rows of one are computed to be learned from.
    """
    if not reset:
        check_is_fitted(estimator)
    if is_blocks(X):
        X = checked_blocks(X, type(estimator).__name__, allowed=blocks)
        if not reset or len(X) > READ_AT_ONCE:
            _check_n_features(estimator, X, reset=reset)
            return cast(Array, X)  # it is used as one, by functions that know it
        X = X.compute()
    if not issparse(X) and np.asarray(X).dtype.kind in "US":
        raise ValueError(
            "X holds strings: encode them as numbers first, for example with "
            "sklearn.preprocessing.OneHotEncoder"
        )
    data: Array = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=np.float64,
        order="C",  # so that no sum depends on how the array lies in memory
        ensure_all_finite=False,
        ensure_min_samples=ensure_min_samples,
    )
    check_finite(data)
    return data
