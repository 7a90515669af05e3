"""What authors may have done to a table before clustering it, for the search of protocols.

A treatment has a scaling and a choice of columns. Some of these are mistakes, such as the class
left among the features; they are searched because they are easily made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from sklearn.preprocessing import OneHotEncoder, minmax_scale, normalize, scale

from umlbook.algebra import Array, Labels

Table = tuple[Array, Labels]

SCALINGS: Mapping[str, Callable[[Array], Array]] = {
    "none": np.asarray,
    "z-score": scale,
    "range": minmax_scale,
    "unit rows": normalize,
}
PLAIN = "as they are"
PIMA_ZEROS = (1, 2, 3, 4, 5)  # no living person has glucose, pressure, skin, insulin or mass zero


def with_class(X: Array, y: Labels) -> Table:
    """The class as one more feature."""
    return np.column_stack([X, y]), y


def with_number(X: Array, y: Labels) -> Table:
    """The number of the row as one more feature."""
    return np.column_stack([X, np.arange(len(X))]), y


def with_names(X: Array, y: Labels) -> Table:
    """A column for each row, as where a name that no two rows share is read as a category."""
    return np.column_stack([X, np.eye(len(X))]), y


def without_first(X: Array, y: Labels) -> Table:
    """Without the first column, as where it is read as text and left out."""
    return X[:, 1:], y


def without_last(X: Array, y: Labels) -> Table:
    """Without the last column."""
    return X[:, :-1], y


def one_hot(X: Array, y: Labels) -> Table:
    """Each value of each feature as a column of its own."""
    return OneHotEncoder(sparse_output=False).fit_transform(X), y


def zeros_dropped(X: Array, y: Labels) -> Table:
    """Pima without the rows that have an impossible zero."""
    whole = (X[:, PIMA_ZEROS] > 0).all(axis=1)
    return X[whole], y[whole]


def zeros_imputed(X: Array, y: Labels) -> Table:
    """Pima with the impossible zeros replaced by the mean of the other rows."""
    X = X.copy()
    for j in PIMA_ZEROS:
        X[X[:, j] == 0, j] = X[X[:, j] > 0, j].mean()
    return X, y


COLUMNS: Mapping[str, Callable[[Array, Labels], Table]] = {
    PLAIN: lambda X, y: (X, y),
    "with the class": with_class,
    "with the row number": with_number,
    "with the names": with_names,
    "without the first": without_first,
    "without the last": without_last,
    "one-hot": one_hot,
    "zeros dropped": zeros_dropped,
    "zeros imputed": zeros_imputed,
}


def turned(X: Array) -> Array:
    """X in as few columns as it has rows, where it has more: a rotation changes no distance."""
    if X.shape[1] <= len(X):
        return X
    X = X - X.mean(axis=0)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return np.asarray(U * s)


def treated(X: Array, y: Labels, columns: str, scaling: str) -> Table:
    """The table with these columns, scaled, and turned into as few columns as it has rows."""
    X, y = COLUMNS[columns](X, y)
    return turned(np.asarray(SCALINGS[scaling](X), dtype=float)), y
