"""Results of which every row depends on its own row of X alone."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from umlbook.algebra import Array

BLOCK = 256
Rows = TypeVar("Rows", bound=NDArray[Any])


def by_blocks(function: Callable[[Array], Rows], X: Array, size: int = BLOCK) -> Rows:
    """The rows of ``function(X)``, computed in blocks of exactly ``size`` rows.

    The last block is filled up with copies of its last row. A product of matrices may be summed in
    another order for one row than for many, and an ill-conditioned map makes the difference
    visible. In blocks of one shape a row gets the same digits whatever rows come with it, and no
    more than one block of a kernel with the training rows is in memory.

    >>> by_blocks(lambda rows: rows.sum(axis=1), np.arange(6.0).reshape(3, 2), size=2).tolist()
    [1.0, 5.0, 9.0]
    """
    parts = []
    for rows in gen_batches(len(X), size):
        block = X[rows]
        filled = np.concatenate([block, np.repeat(block[-1:], size - len(block), axis=0)])
        parts.append(function(filled)[: len(block)])
    return cast(Rows, np.concatenate(parts))
