"""Landmarks: the rows on which a method is solved when an n x n matrix would be too large.

A method whose cost grows with the square of the number of rows, or faster, is solved on a random
subset of them, the landmarks; every other row then gets its place and its label as a new row does,
by ``transform`` and ``predict``. Memory and time are linear in n. A cluster has to be among the
landmarks to be found: one of a share s of the rows is expected m s times among m landmarks.

A method whose every step is linear in n anyway has only its starts compared on the landmarks; the
best of them is then continued on all rows.
"""

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from umlbook._checks import check_count
from umlbook.algebra import Array, Labels
from umlbook.lloyd import fill_empty

AUTO_ABOVE = 3000
"""Up to this number of rows ``n_landmarks="auto"`` takes all of them."""
AUTO = 1000
"""The number of landmarks that it takes above."""
UNKNOWN_MEMORY = 8 * 2**30


class LandmarkWarning(UserWarning):
    """A method was solved on some of the rows, because there are many."""


def landmark_rows(
    n_landmarks: int | str | None,
    n_samples: int,
    random_state: Any,
    *,
    always: ArrayLike = (),
    square: bool = True,
) -> Labels | None:
    """The rows to solve a method on, ascending; None where they are all the rows.

    Parameters
    ----------
    n_landmarks : int, "auto" or None
        How many; "auto" is ``AUTO`` of more than ``AUTO_ABOVE`` rows, with a warning, and else all;
        None is all.
    n_samples : int
    random_state : int, RandomState or None
        Draws the rows.
    always : integer array
        Rows that are taken in any case, for example those of pairs.
    square : bool
        Whether the method needs a square matrix of the rows: MemoryError where that of all of
        them does not fit into the memory.

    Examples
    --------
    >>> landmark_rows(3, 10, 0, always=[9]).tolist()
    [2, 8, 9]
    >>> landmark_rows("auto", 3000, 0) is None
    True
    """
    if n_landmarks is None:
        if square:
            check_square_fits(n_samples)
        return None
    if isinstance(n_landmarks, str):
        if n_landmarks != "auto":
            raise ValueError(f"n_landmarks must be an integer, 'auto' or None, got {n_landmarks!r}")
        if n_samples <= AUTO_ABOVE:
            return None
        warnings.warn(
            f"X has {n_samples} rows: {AUTO} of them, drawn at random, are the landmarks. The "
            "docstring says what for, and n_landmarks sets their number (None: all rows)",
            LandmarkWarning,
            stacklevel=5,
        )
        n_landmarks = AUTO
    check_count("n_landmarks", n_landmarks)
    if n_landmarks > n_samples:
        raise ValueError(
            f"n_landmarks={n_landmarks} is more than the {n_samples} rows of X: lower it, "
            "or set it to None to use every row"
        )
    drawn = check_random_state(random_state).permutation(n_samples)
    kept = np.unique(np.asarray(always, dtype=np.intp))
    others = drawn[~np.isin(drawn, kept)][: max(n_landmarks - len(kept), 0)]
    return np.sort(np.concatenate([kept, others]))


def on_landmarks(
    n_landmarks: int | str | None, X: Array, random_state: Any, start: Labels | None
) -> tuple[Array, Labels | None, Array | None]:
    """The landmarks among the rows of X, their labels to start from, and all rows (None: these).

    One row of each cluster of the start is always a landmark, so that none becomes empty.
    """
    first = () if start is None else np.unique(start, return_index=True)[1]
    rows = landmark_rows(n_landmarks, len(X), random_state, always=first)
    if rows is None:
        return X, start, None
    return X[rows], None if start is None else start[rows], X


def best_start_on_landmarks(model: Any, X: Any, rows: Labels, seed: int) -> Labels:
    """Labels of all rows by a model fitted to some of them from all its starts."""
    twin = clone(model).set_params(n_landmarks=None, random_state=seed)
    labels = np.asarray(twin.fit(np.asarray(X[rows])).predict(X))  # X may be a dask array
    return fill_empty(labels, np.zeros(len(X)), model.n_clusters)


def check_square_fits(n_samples: int) -> None:
    """Refuse a square matrix of so many rows that is larger than the memory, before it is made."""
    if 8 * n_samples**2 > physical_memory():
        raise MemoryError(
            f"a matrix of {n_samples} x {n_samples} numbers takes "
            f"{8 * n_samples**2 / 2**30:.0f} GiB, more than this machine has: set "
            "n_landmarks='auto', or to a number of rows to solve the method on"
        )


def physical_memory() -> int:
    """Bytes of memory of this machine; 8 GiB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return UNKNOWN_MEMORY
