"""Pairwise constraints: must-link and cannot-link pairs of samples.

Pairs are an integer array of shape (n_pairs, 2) that holds row numbers of X, or None for no
pairs. Every function that returns pairs returns them in *canonical form*: i < j in each row,
rows unique and in lexicographic order, so that equal sets of pairs are equal arrays.

Row numbers belong to one X: when X is sliced, as in cross-validation, use `restrict`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from umlbook._checks import check_count
from umlbook.scores import label_codes

__all__ = [
    "Satisfaction",
    "chain",
    "check_constraints",
    "chunklets",
    "close",
    "restrict",
    "sample",
    "satisfaction",
    "validate_pairs",
]

IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Satisfaction:
    """Shares of satisfied constraints, each NaN where there is nothing to satisfy."""

    must_link: float
    cannot_link: float
    overall: float


def validate_pairs(pairs: ArrayLike | None, n_samples: int, name: str = "must_link") -> IntArray:
    """Pairs in canonical form, after checking that they index rows of X.

    Parameters
    ----------
    pairs : array-like of int, shape (n_pairs, 2), or None
        Whole numbers stored as floats are accepted.
    n_samples : int
        Number of rows of X.
    name : str
        The name of the argument, for the error messages.

    Returns
    -------
    ndarray of int, shape (n_unique_pairs, 2)

    Examples
    --------
    >>> validate_pairs([[3, 1], [0, 2], [1, 3]], n_samples=4)
    array([[0, 2],
           [1, 3]])
    """
    numbers = _checked_pairs(pairs, name)
    check_count("n_samples", n_samples, least=0)
    if numbers.size and numbers.max() >= n_samples:
        raise ValueError(
            f"{name} has index {int(numbers.max())} but X has {n_samples} rows: index pairs are "
            "not sliced by cross-validation; use umlbook.constraints.restrict(pairs, train_index)"
        )
    return _canonical(numbers)


def check_constraints(
    must_link: ArrayLike | None, cannot_link: ArrayLike | None, n_samples: int
) -> tuple[IntArray, IntArray]:
    """Both kinds of pairs in canonical form, after checking that some labelling satisfies them.

    Must-link is transitive, so a cannot-link pair contradicts not only the same must-link pair
    but any chain of must-links between its ends; the error names both.

    Parameters
    ----------
    must_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong together.
    cannot_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong apart.
    n_samples : int
        Number of rows of X.

    Returns
    -------
    must_link : ndarray of int, shape (n_unique_pairs, 2)
    cannot_link : ndarray of int, shape (n_unique_pairs, 2)

    Examples
    --------
    >>> check_constraints([[0, 1], [1, 2]], [[2, 0]], n_samples=4)
    Traceback (most recent call last):
        ...
    ValueError: cannot_link pair (0, 2) contradicts the must_link pairs (0, 1), (1, 2), which \
join its ends: remove one of them
    """
    must = validate_pairs(must_link, n_samples, "must_link")
    cannot = validate_pairs(cannot_link, n_samples, "cannot_link")
    component = _components(must, n_samples)
    broken = component[cannot[:, 0]] == component[cannot[:, 1]]
    if broken.any():
        _raise_contradiction(must, cannot[broken], n_samples)
    return must, cannot


def chain(must_link: ArrayLike | None, start: int, end: int, n_samples: int) -> list[int]:
    """The rows on a shortest path of must-links from one row to another; empty if there is none.

    Parameters
    ----------
    must_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong together.
    start, end : int
        Row numbers.
    n_samples : int
        Number of rows of X.

    Returns
    -------
    list of int
        From `start` to `end`; each with the next is a pair of `must_link`.

    Examples
    --------
    >>> chain([[0, 1], [1, 2], [2, 3], [1, 3]], 0, 3, n_samples=5)
    [0, 1, 3]
    """
    must = validate_pairs(must_link, n_samples, "must_link")
    before = breadth_first_order(_graph(must, n_samples), start, directed=False)[1]
    rows = [int(end)]
    while rows[-1] != start:
        if before[rows[-1]] < 0:  # what was not reached has no row before it
            return []
        rows.append(int(before[rows[-1]]))
    return rows[::-1]


def chunklets(must_link: ArrayLike | None, n_samples: int) -> IntArray:
    """Number of the chunklet of each sample: the connected components of the must-links.

    Parameters
    ----------
    must_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong together.
    n_samples : int
        Number of rows of X.

    Returns
    -------
    ndarray of int, shape (n_samples,)
        Chunklets are numbered from 0 in the order of their first members. A sample without
        must-links is a chunklet of its own.

    Examples
    --------
    >>> chunklets([[1, 3], [3, 4]], n_samples=5)
    array([0, 1, 2, 1, 1])
    """
    return _components(validate_pairs(must_link, n_samples, "must_link"), n_samples)


def close(
    must_link: ArrayLike | None, cannot_link: ArrayLike | None, n_samples: int
) -> tuple[IntArray, IntArray]:
    """All pairs that the given ones entail.

    All samples of a chunklet must link; and when one sample of a chunklet cannot link with one
    of another, no sample of the first can link with any of the second.

    Parameters
    ----------
    must_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong together.
    cannot_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong apart.
    n_samples : int
        Number of rows of X.

    Returns
    -------
    must_link : ndarray of int, shape (n_entailed_pairs, 2)
    cannot_link : ndarray of int, shape (n_entailed_pairs, 2)

    Examples
    --------
    >>> must, cannot = close([[0, 1], [1, 2]], [[2, 3]], n_samples=4)
    >>> must.tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> cannot.tolist()
    [[0, 3], [1, 3], [2, 3]]
    """
    must, cannot = check_constraints(must_link, cannot_link, n_samples)
    component = _components(must, n_samples)
    order = np.argsort(component, kind="stable")
    ends = np.cumsum(np.bincount(component))

    def members(c: int) -> IntArray:
        return order[ends[c - 1] if c else 0 : ends[c]]

    # The empty block keeps the shape when there is nothing to stack.
    inside = [must[:0], *(_pairs_within(members(c)) for c in np.unique(component[must[:, 0]]))]
    rivals = _canonical(component[cannot])
    across = [cannot[:0], *(_pairs_between(members(a), members(b)) for a, b in rivals)]
    return _canonical(np.concatenate(inside)), _canonical(np.concatenate(across))


def sample(
    labels: ArrayLike,
    n_similar: int,
    n_dissimilar: int,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[IntArray, IntArray]:
    """Random pairs of samples with equal labels, and random pairs with different labels.

    Each set is uniform over all sets of that many different pairs of its kind. Time and memory
    grow with the number of samples and of pairs asked for, not with n squared: the pairs of a
    kind are numbered, numbers are drawn without replacement, and each is turned into its pair.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels of any type (see `umlbook.scores.label_codes`).
    n_similar : int
        How many pairs with equal labels.
    n_dissimilar : int
        How many pairs with different labels.
    random_state : int, RandomState or None
        Seed of the draw.

    Returns
    -------
    must_link : ndarray of int, shape (n_similar, 2)
    cannot_link : ndarray of int, shape (n_dissimilar, 2)
        In canonical form, so the first few are *not* a smaller random sample.

    Examples
    --------
    >>> must, cannot = sample(["a", "b", "a", "b"], 2, 1, random_state=0)
    >>> must.tolist()
    [[0, 2], [1, 3]]
    >>> cannot.shape
    (1, 2)
    """
    codes = label_codes(labels)
    rng = check_random_state(random_state)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    # In the order of the classes, the earlier samples with the label of sample s stand at
    # first[s], ..., s - 1, and those with other labels at 0, ..., first[s] - 1.
    similar = _drawn(first, np.arange(codes.size) - first, n_similar, "similar", rng)
    dissimilar = _drawn(np.zeros_like(first), first, n_dissimilar, "dissimilar", rng)
    return _canonical(order[similar]), _canonical(order[dissimilar])


def restrict(pairs: ArrayLike | None, index: ArrayLike) -> IntArray:
    """Pairs with both ends in `index`, renumbered to positions in `index`.

    So that ``X[index]`` goes with ``restrict(pairs, index)``.

    Parameters
    ----------
    pairs : array-like of int, shape (n_pairs, 2), or None
        Row numbers of the whole X.
    index : array-like of int, shape (n_kept,)
        Different row numbers in any order, such as the `train_index` of a splitter.

    Returns
    -------
    ndarray of int, shape (n_kept_pairs, 2)

    Examples
    --------
    >>> restrict([[0, 5], [5, 8], [2, 8]], index=[8, 5, 2])
    array([[0, 1],
           [0, 2]])
    """
    numbers = _checked_pairs(pairs, "pairs")
    rows = _row_numbers(index)
    order = np.argsort(rows)
    place = np.searchsorted(rows, numbers, sorter=order)
    # Numbers beyond the largest row have no place; the others may still fall between rows.
    below = (place < rows.size).all(axis=1)
    position = order[place[below]]
    return _canonical(position[(rows[position] == numbers[below]).all(axis=1)])


def satisfaction(
    labels: ArrayLike, must_link: ArrayLike | None = None, cannot_link: ArrayLike | None = None
) -> Satisfaction:
    """Shares of the must-links, of the cannot-links and of all pairs that the labels satisfy.

    Repeated pairs count once; contradictory ones are allowed here, and cannot all be satisfied.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels of any type, usually those of a clustering.
    must_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong together.
    cannot_link : array-like of int, shape (n_pairs, 2), or None
        Pairs of samples that belong apart.

    Returns
    -------
    Satisfaction
        With `must_link`, `cannot_link` and `overall`; NaN where there is no pair.

    Examples
    --------
    >>> satisfaction([0, 0, 1, 1], must_link=[[0, 1], [1, 2]], cannot_link=[[0, 3]])
    Satisfaction(must_link=0.5, cannot_link=1.0, overall=0.6666666666666666)
    """
    codes = label_codes(labels)
    must = validate_pairs(must_link, codes.size, "must_link")
    cannot = validate_pairs(cannot_link, codes.size, "cannot_link")
    joined = codes[must[:, 0]] == codes[must[:, 1]]
    parted = codes[cannot[:, 0]] != codes[cannot[:, 1]]
    return Satisfaction(_share(joined), _share(parted), _share(np.concatenate([joined, parted])))


def _share(satisfied: NDArray[np.bool_]) -> float:
    return float(satisfied.mean()) if satisfied.size else float("nan")


def _whole_numbers(values: ArrayLike, name: str, wanted: str) -> IntArray:
    """Row numbers, after checking that they are whole and not negative."""
    try:
        numbers = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be {wanted}, got rows of unequal lengths") from error
    if numbers.size == 0:
        return numbers.astype(np.intp)
    if numbers.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be {wanted}, got values of type {numbers.dtype}")
    for wrong, complaint in (
        (~np.isfinite(numbers) | (np.trunc(numbers) != numbers), "is not a whole number"),
        (numbers < 0, "is negative: rows are counted from 0"),
        (numbers > 2**53, "is larger than any row number"),  # where floats stop being exact
    ):
        if wrong.any():
            raise ValueError(f"{name} must be {wanted}, but {numbers[wrong][0]} {complaint}")
    return numbers.astype(np.intp)


def _checked_pairs(pairs: ArrayLike | None, name: str) -> IntArray:
    """Pairs of different row numbers, (n_pairs, 2), with no upper bound on the numbers."""
    wanted = "an integer array of shape (n_pairs, 2), one pair of row numbers a row"
    if pairs is None:
        return np.empty((0, 2), dtype=np.intp)
    numbers = _whole_numbers(pairs, name, wanted)
    if numbers.shape == (0,):
        return numbers.reshape(0, 2)
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        hint = ": transpose it" if numbers.ndim == 2 and numbers.shape[0] == 2 else ""
        raise ValueError(f"{name} must be {wanted}, got the shape {numbers.shape}{hint}")
    itself = numbers[:, 0] == numbers[:, 1]
    if itself.any():
        row = int(itself.argmax())
        raise ValueError(
            f"{name} pairs sample {numbers[row, 0]} with itself (row {row} of {name}): remove it"
        )
    return numbers


def _row_numbers(index: ArrayLike) -> IntArray:
    """The rows that `restrict` keeps: different row numbers, (n_kept,)."""
    wanted = "a one-dimensional array of row numbers (of a mask, give np.flatnonzero(mask))"
    rows = _whole_numbers(index, "index", wanted)
    if rows.ndim != 1:
        raise ValueError(f"index must be {wanted}, got the shape {rows.shape}")
    values, counts = np.unique(rows, return_counts=True)
    if values.size < rows.size:
        raise ValueError(
            f"index has {values[counts.argmax()]} more than once, so its position is ambiguous: "
            "give each row once"
        )
    return rows


def _canonical(pairs: IntArray) -> IntArray:
    """The same set of pairs with i < j, each once, in lexicographic order."""
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _graph(must: IntArray, n_samples: int) -> csr_matrix:
    """The must-links as edges between samples, one direction each."""
    edges = np.ones(len(must), dtype=np.int8)
    return csr_matrix((edges, (must[:, 0], must[:, 1])), shape=(n_samples, n_samples))


def _components(must: IntArray, n_samples: int) -> IntArray:
    """Component numbers of canonical must-links, in the order of the first members."""
    return connected_components(_graph(must, n_samples), directed=False)[1].astype(np.intp)


def _raise_contradiction(must: IntArray, broken: IntArray, n_samples: int) -> NoReturn:
    """Name the first broken cannot-link and the shortest chain of must-links that breaks it."""
    start, end = (int(i) for i in broken[0])
    rows = chain(must, start, end, n_samples)
    links = [str((min(a, b), max(a, b))) for a, b in pairwise(rows)]
    if len(links) > 6:
        links[3:-2] = ["..."]
    culprit = (
        f"must_link pair {links[0]}"
        if len(links) == 1
        else f"must_link pairs {', '.join(links)}, which join its ends"
    )
    others = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    raise ValueError(
        f"cannot_link pair ({start}, {end}){others} contradicts the {culprit}: remove one of them"
    )


def _pairs_within(members: IntArray) -> IntArray:
    """All pairs of two members."""
    return np.column_stack([members[side] for side in np.triu_indices(members.size, k=1)])


def _pairs_between(members: IntArray, others: IntArray) -> IntArray:
    """All pairs of a member of the one and a member of the other."""
    return np.column_stack([np.repeat(members, others.size), np.tile(others, members.size)])


def _drawn(
    first: IntArray, n_partners: IntArray, n_wanted: int, kind: str, rng: np.random.RandomState
) -> IntArray:
    """Different random pairs (earlier, later): `later` has the partners first, first + 1, ..."""
    check_count(f"n_{kind}", n_wanted, least=0)
    last_rank = np.cumsum(n_partners, dtype=np.int64)
    n_pairs = int(last_rank[-1])
    if n_wanted > n_pairs:
        raise ValueError(
            f"n_{kind}={n_wanted} but the labels have only {n_pairs} {kind} pairs: "
            f"ask for at most {n_pairs}"
        )
    rank = sample_without_replacement(n_pairs, int(n_wanted), random_state=rng)
    later = np.searchsorted(last_rank, rank, side="right")
    earlier = first[later] + rank - (last_rank[later] - n_partners[later])
    return np.column_stack([earlier, later])
