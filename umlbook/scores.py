r"""Scores that compare a clustering with the truth, where scikit-learn lacks them.

Every score takes ``(labels_true, labels_pred)``: two one-dimensional sequences of equal length.
Only equality of labels matters, so integers, strings, booleans, tuples in an object array or a
mixture of types will do, and the two sides need not have the same number of clusters.

Notation: :math:`n_{ij}` samples have true class :math:`i` and predicted cluster :math:`j` (the
contingency table), :math:`a_i` and :math:`b_j` are its row and column sums, :math:`n` its total.

=============================== ================= ====== =========================================
score                           range             best   symmetric in its arguments
=============================== ================= ====== =========================================
`clustering_accuracy`           (0, 1]            1      yes
`purity`                        (0, 1]            1      no, and it never falls when clusters split
`variation_of_information`      [0, log n]        0      yes, a metric on partitions
`modified_rand`                 [0, 1]            1      no, it conditions on the prediction
`rand_index`                    [0, 1]            1      yes
`adjusted_rand_index`           [-1/2, 1]         1      yes
`normalized_mutual_information` [0, 1]            1      yes
=============================== ================= ====== =========================================

The last three are scikit-learn's functions under the papers' names, with scikit-learn's own
checks of their input: `rand_index` is Eq. 32 of PM, and `normalized_mutual_information` divides
by the *arithmetic* mean of the two entropies, scikit-learn's default, which is Eq. 36 of NAML
("MI"). Other texts divide by the geometric mean or the maximum: pass ``average_method``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score as adjusted_rand_index
from sklearn.metrics import normalized_mutual_info_score as normalized_mutual_information
from sklearn.metrics import rand_score as rand_index
from sklearn.metrics.cluster import contingency_matrix

__all__ = [
    "adjusted_rand_index",
    "clustering_accuracy",
    "label_codes",
    "modified_rand",
    "normalized_mutual_information",
    "purity",
    "rand_index",
    "variation_of_information",
]


class _Overlaps(NamedTuple):
    """The contingency table (sparse, n_ij) with its row sums a_i and its column sums b_j."""

    table: sparse.csr_matrix
    true_sizes: NDArray[np.int64]
    pred_sizes: NDArray[np.int64]

    @property
    def n_samples(self) -> int:
        return int(self.true_sizes.sum())


def label_codes(labels: ArrayLike, name: str = "labels") -> NDArray[np.intp]:
    """Codes 0, 1, ... that are equal exactly where the labels are equal.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels of any hashable type, also of mixed types; 1 and ``"1"`` are different labels.
    name : str
        The name of the argument, for the error messages.

    Returns
    -------
    ndarray of int, shape (n_samples,)

    Examples
    --------
    >>> label_codes(["b", 1, "1", "b"])
    array([0, 1, 2, 0])
    """
    values = _one_dimensional(labels, name)
    mixed = values.dtype.kind == "O"
    try:
        found, codes = _hashed(values) if mixed else np.unique(values, return_inverse=True)
        # Only NaN and NaT differ from themselves.
        missing = [value is None or value != value for value in found]
    except TypeError as error:
        raise TypeError(f"{name} must hold plain numbers or strings: {error}") from error
    if any(missing):
        code = missing.index(True)
        raise ValueError(
            f"{name} has a missing value ({found[code]}) at position {(codes == code).argmax()}: "
            "drop the samples without a label first"
        )
    return codes


def _one_dimensional(labels: ArrayLike, name: str) -> NDArray[np.generic]:
    """The labels as a non-empty 1-d array, without turning the 1 of [1, "a"] into "1"."""
    wanted = f"{name} must be one-dimensional, with one label for each sample"
    try:
        values = np.asarray(labels)
        if values.dtype.kind in "US" and not isinstance(labels, np.ndarray):
            values = np.asarray(labels, dtype=object)
    except ValueError as error:
        raise ValueError(f"{wanted}, got sequences of unequal lengths") from error
    if values.ndim != 1:
        raise ValueError(f"{wanted}, got an array of shape {values.shape}")
    if values.size == 0:
        raise ValueError(f"{wanted}, got none")
    return values


def _hashed(values: NDArray[np.generic]) -> tuple[list[object], NDArray[np.intp]]:
    """The different values and their codes, by hashing: mixed types cannot be sorted."""
    seen: dict[object, int] = {}
    codes = [seen.setdefault(value, len(seen)) for value in values]
    return list(seen), np.array(codes, dtype=np.intp)


def _overlaps(labels_true: ArrayLike, labels_pred: ArrayLike) -> _Overlaps:
    """The contingency table of two label sequences, after checking them."""
    true = label_codes(labels_true, "labels_true")
    pred = label_codes(labels_pred, "labels_pred")
    if true.size != pred.size:
        raise ValueError(
            f"labels_true has {true.size} labels but labels_pred has {pred.size}: "
            "both must label the same samples in the same order"
        )
    # Counts of pairs outgrow the 32-bit default integer of some platforms.
    return _Overlaps(
        contingency_matrix(true, pred, sparse=True, dtype=np.int64),
        np.bincount(true).astype(np.int64),
        np.bincount(pred).astype(np.int64),
    )


def clustering_accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    r"""Share of samples that are right under the best one-to-one naming of the clusters.

    .. math:: \mathrm{ACC} = \frac1n \max_{\pi\ \text{one-to-one}} \sum_j n_{\pi(j)\,j}

    Eq. 34 of NAML. The maximum is a linear assignment problem (Kuhn-Munkres). With more clusters
    than classes some clusters stay without a name and all their samples count as wrong, and vice
    versa. The table is made dense: K_true x K_pred numbers.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each sample.
    labels_pred : array-like of shape (n_samples,)
        Predicted cluster of each sample.

    Returns
    -------
    float
        In (0, 1], and 1 only for equal partitions. At most the `purity`.

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [7, 7, 3, 7])
    0.75
    >>> clustering_accuracy(["a", "a", "b", "b"], [0, 1, 2, 3])
    0.5
    """
    overlaps = _overlaps(labels_true, labels_pred)
    table = overlaps.table.toarray()
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / overlaps.n_samples)


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    r"""Share of samples that belong to the majority class of their cluster.

    .. math:: \mathrm{purity} = \frac1n \sum_j \max_i n_{ij}

    Several clusters may share a class, so splitting a cluster never lowers the purity (n
    clusters of one sample have purity 1), and it is at least the share of the largest class:
    compare it only between clusterings with the same number of clusters.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each sample.
    labels_pred : array-like of shape (n_samples,)
        Predicted cluster of each sample.

    Returns
    -------
    float
        In (0, 1]. At least the `clustering_accuracy`.

    Examples
    --------
    >>> purity(["a", "a", "b", "b"], [7, 7, 3, 7])
    0.75
    >>> purity(["a", "a", "b", "b"], [0, 1, 2, 3])
    1.0
    """
    overlaps = _overlaps(labels_true, labels_pred)
    return float(overlaps.table.max(axis=0).sum() / overlaps.n_samples)


def variation_of_information(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, normalize: bool = False
) -> float:
    r"""Information lost plus information gained from one partition to the other, in nats.

    .. math::
        \mathrm{VI} = H(A \mid B) + H(B \mid A)
        = \sum_{ij} \frac{n_{ij}}{n}\Big(\log\frac{a_i}{n_{ij}} + \log\frac{b_j}{n_{ij}}\Big)

    A metric on partitions (Meila 2005): symmetric, zero only for equal partitions, with the
    triangle inequality. Its largest value is log n, between one cluster and n singletons.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each sample.
    labels_pred : array-like of shape (n_samples,)
        Predicted cluster of each sample.
    normalize : bool, default=False
        Divide by log n, for a value in [0, 1]: the scale of CPCM's Table 1. For n = 1 there is
        one partition only and the value is 0 either way.

    Returns
    -------
    float

    Examples
    --------
    >>> round(variation_of_information([0, 0, 1, 1], [0, 1, 0, 1]), 6)  # 2 log 2
    1.386294
    >>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1], normalize=True)
    1.0
    """
    overlaps = _overlaps(labels_true, labels_pred)
    cells = overlaps.table.tocoo()
    # Both ratios are at least 1, so no term is negative and equal partitions give exactly 0.
    lost = np.log(overlaps.true_sizes[cells.row] / cells.data)
    gained = np.log(overlaps.pred_sizes[cells.col] / cells.data)
    largest = float(np.log(overlaps.n_samples))
    # The sum of many terms may pass its bound by rounding.
    information = min(float(cells.data @ (lost + gained)) / overlaps.n_samples, largest)
    return information / largest if normalize and largest > 0 else information


def modified_rand(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    r"""Rand index that gives joined and separated pairs of the prediction equal weight.

    Eq. 33 of PM. Over the pairs of samples, with c the true and :math:`\hat c` the predicted
    labels,

    .. math::
        \widehat{\mathrm{RI}} = \tfrac12\, P(c_i = c_j \mid \hat c_i = \hat c_j)
        + \tfrac12\, P(c_i \ne c_j \mid \hat c_i \ne \hat c_j).

    It conditions on the *predicted* partition, so it is not symmetric: exchanging the arguments
    conditions on the truth and gives another number. A prediction independent of the truth has
    expectation 1/2, whatever the number of clusters, where the plain Rand index drifts to 1.

    A prediction of one cluster separates no pair, one of n singletons joins none, and Eq. 33 has
    a term 0/0. Such a prediction tells nothing about any pair, so the empty term gets the share
    that it has among *all* pairs; the two shares add up to one and the score is exactly 1/2, the
    chance level. If the truth is that same trivial partition the score is 1, so that it is 1 for
    equal partitions and for no others (a single sample included).

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        True class of each sample.
    labels_pred : array-like of shape (n_samples,)
        Predicted cluster of each sample.

    Returns
    -------
    float
        In [0, 1]. Time and memory grow with n, not with the number of pairs.

    Examples
    --------
    >>> round(modified_rand([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]), 8)
    0.66071429
    >>> round(modified_rand([0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]), 8)
    0.66666667
    >>> modified_rand([0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0])
    0.5
    """
    overlaps = _overlaps(labels_true, labels_pred)
    both_same = _n_pairs(overlaps.table.data)
    true_same, pred_same = _n_pairs(overlaps.true_sizes), _n_pairs(overlaps.pred_sizes)
    if both_same == true_same == pred_same:
        return 1.0
    all_pairs = _n_pairs(np.array([overlaps.n_samples], dtype=np.int64))
    pred_different = all_pairs - pred_same
    if pred_same == 0 or pred_different == 0:
        return 0.5
    both_different = all_pairs - true_same - pred_same + both_same
    return 0.5 * both_same / pred_same + 0.5 * both_different / pred_different


def _n_pairs(sizes: NDArray[np.int64]) -> int:
    """Number of unordered pairs within groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())
