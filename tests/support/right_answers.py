"""What a right answer to an exercise is, by a route of its own that the check does not use."""

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.metrics import adjusted_rand_score

from umlbook.book.exercises.bank.ch07_board import learned
from umlbook.cpd import CPDUML, lam_path
from umlbook.scores import modified_rand

# ---------------------------------------------------------------------------------- functions


def _close(left: Any, right: Any) -> bool:
    if isinstance(left, str):  # which numpy would read as a number
        return False
    a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    if b.ndim == 0 and a.size == 1:
        a = a.reshape(())
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True)


def _as_label(left: Any, right: Any) -> bool:
    return np.asarray(left).dtype.kind in "iu" and _close(left, right)


def _same_span(left: Any, right: Any) -> bool:
    a, b = np.linalg.qr(np.asarray(left, float))[0], np.linalg.qr(np.asarray(right, float))[0]
    return np.shape(left) == np.shape(right) and np.allclose(a @ a.T, b @ b.T, atol=1e-6)


def _same_line(left: Any, right: Any) -> bool:
    if np.shape(left) != np.shape(right) or not np.all(np.isfinite(left)) or not np.any(left):
        return False
    return _same_span(np.reshape(left, (-1, 1)), np.reshape(right, (-1, 1)))


def _same_partition(left: Any, right: Any) -> bool:
    if np.asarray(left).dtype.kind not in "iu" or np.shape(left) != np.shape(right):
        return False
    return adjusted_rand_score(left, right) == 1.0


def _same_range(left: Any, right: Any) -> bool:
    """For 5.1: the span of the right Q is in that of the answer (constants do not matter)."""
    Q, R = (np.column_stack([np.ones(len(M)), np.asarray(M, float)]) for M in (left, right))
    gap = R - Q @ np.linalg.lstsq(Q, R, rcond=1e-10)[0]
    return len(Q) == len(R) and np.abs(gap).max() < 1e-5 * np.abs(R).max()


def _same_stream(left: Any, right: Any) -> bool:
    """All states, number by number; labels are integers."""
    if not isinstance(left, list) or len(left) != len(right):
        return False
    names = list(vars(right[0])) if right else []
    return all(
        (_as_label if name == "labels" else _close)(getattr(a, name), getattr(b, name))
        for a, b in zip(left, right, strict=True)
        for name in names
    )


SAME: dict[str, Callable[[Any, Any], bool]] = {
    "2.3": _same_partition,
    "2.6": _same_stream,
    "3.2": _same_line,
    "3.6": _same_stream,
    "4.3": _same_span,
    "5.1": _same_range,
    "6.5": _as_label,
    "6.6": _same_stream,
}


#: Answers that are right although they may differ, by luck, on some data; with the reason.
EXCUSED = {
    ("2.3", "`n_clusters` → `n_clusters + 1`, line 6"): (
        "One eigenvector more leaves the best clusters as they are: two clusters cost 1 when they "
        "are merged, and no split along a unit vector gains more than 1. Only a start of k-means "
        "that was not lucky ends elsewhere."
    ),
}


def is_same(exercise: str, left: Any, right: Any) -> bool:
    """Whether an answer means what the reference gives; what cannot be read does not."""
    try:
        return bool(SAME.get(exercise, _close)(left, right))
    except Exception:
        return False


# ------------------------------------------------------------------------------ values and letters


def _shows_the_lines(W: np.ndarray, X: np.ndarray, labels: np.ndarray) -> bool:
    if np.ndim(W) != 2 or not np.all(np.isfinite(W)) or not np.ptp(X @ W):
        return False
    return adjusted_rand_score(labels, KMeans(2, n_init=20, random_state=1).fit_predict(X @ W)) == 1


def _scatter(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(float(np.sum((P - P.mean(0)) ** 2)) for k in (0, 1) if len(P := X[labels == k]))


def _best_cut(X: np.ndarray) -> np.ndarray:
    cuts = [np.array([0, *c]) for c in product([0, 1], repeat=len(X) - 1) if any(c)]
    return min(cuts, key=lambda cut: _scatter(X, cut))


def _misleads(X: np.ndarray, ratio: float) -> bool:
    if np.ndim(X) != 2 or not 4 <= len(X) <= 10 or not np.all(np.isfinite(X)):
        return False
    values, vectors = np.linalg.eigh(X @ X.T)
    least = _scatter(X, _best_cut(X))
    return values[-2] > 1e-9 < least and _scatter(X, _best_cut(vectors[:, -2:])) / least >= ratio


def _is_masked(x: np.ndarray, largest_blur: float) -> bool:
    if np.shape(x) != (12,) or not np.all(np.isfinite(x)) or not np.ptp(x):
        return False
    Z = np.repeat(np.eye(3), 4, axis=0)
    P = LinearRegression().fit(x[:, None], Z).predict(x[:, None])
    within = sum(np.sum((p - p.mean(0)) ** 2) for p in np.split(P, 3))
    sharp = within <= largest_blur * np.sum((P - P.mean(0)) ** 2)
    return bool(sharp and (P[:, 1] <= np.maximum(P[:, 0], P[:, 2]) + 1e-9).all())


def _leaves(lam: float, X: np.ndarray, G: np.ndarray, Y: np.ndarray, share: float) -> bool:
    if np.size(lam) != 1 or not lam > 0:
        return False
    P = np.eye(len(X)) - Y @ Y.T
    psi = np.linalg.solve(G @ P @ G + lam * np.eye(len(X)), -G @ P @ X)
    left = np.sum((P @ (X + G @ psi)) ** 2) + lam * np.sum(psi**2)
    return bool(abs(left / np.sum((P @ X) ** 2) - share) < 0.01 * share)


def _is_cheap(metric: np.ndarray, similar: np.ndarray, dissimilar: np.ndarray) -> bool:
    if np.shape(metric) != (3,) or not np.all(np.asarray(metric) >= 0):
        return False
    t, u = (V @ metric[:2] - metric[2] for V in (similar, dissimilar))
    return bool(-np.log(expit(-t)).sum() - np.log(expit(u)).sum() < 1e-6)


def _is_picked(answer: Any, scores: Any, cut: Any, reported: Any) -> bool:
    honest = [
        np.mean([scores[d, cut[d, :, k].argmin(), k] for k in range(scores.shape[2])])
        for d in range(len(scores))
    ]
    cell = int(np.argmax(np.abs(np.subtract(reported, honest))))
    return np.shape(answer) == (2,) and np.allclose(answer, [cell, honest[cell]], atol=1e-3, rtol=0)


def _finds_the_moons(sigma: Any, X: np.ndarray, truth: np.ndarray) -> bool:
    if np.size(sigma) != 1 or not 0 < sigma < np.inf:
        return False
    model = CPDUML(2, sigma=float(sigma), random_state=1)
    (fitted,) = lam_path(model, X, [2.5e-3 * len(X) ** 2])
    return adjusted_rand_score(truth, fitted.labels_) >= 0.9**2  # of 95 % in two equal halves


def _are_ten_true_pairs(rows: np.ndarray, X: np.ndarray, labels: np.ndarray) -> bool:
    if np.shape(rows) != (10, 3) or not all(float(v).is_integer() for v in np.ravel(rows)):
        return False
    pairs = {frozenset((i, j)) for i, j, _ in rows.tolist()}
    if len(pairs) < 10 or any(len(p) < 2 or min(p) < 0 or max(p) > 39 for p in pairs):
        return False
    said = [(labels[int(i)] == labels[int(j)], sign) for i, j, sign in rows]
    if any(sign != (1 if same else -1) for same, sign in said) or len(set(rows[:, 2])) < 2:
        return False
    return modified_rand(labels, learned(X, rows).labels_) >= 0.9  # the fit is the only judge


#: For exercises that ask for a value: whether it is right.
RIGHT: dict[str, Callable[..., bool]] = {
    "1.6": _shows_the_lines,
    "2.4": _misleads,
    "3.7": _is_masked,
    "6.3": _leaves,
    "6.7": _finds_the_moons,
    "7.5": _is_cheap,
    "7.7": _are_ten_true_pairs,
    "8.1": _is_picked,
}

#: For proofs to order: the pairs of steps of which the first must come before the second.
BEFORE = {
    "1.5": ("bg", "ga", "ac", "ec", "cf"),
    "2.2": ("cf", "fa", "fe", "ab", "eg", "bg"),
    "3.5": ("ad", "bc", "fc", "cg", "dg"),
    "7.6": ("cf", "fb", "fa", "ad", "bd"),
}


def right_orders(exercise: str, letters: str) -> set[str]:
    """All orders of the true steps that respect `BEFORE`."""
    orders = map("".join, permutations(sorted(letters)))
    return {o for o in orders if all(o.index(a) < o.index(b) for a, b in BEFORE[exercise])}


def wrong_orders(letters: str, false: str) -> Sequence[str]:
    """All orders of the true steps, one of them left out or exchanged for the false one, too."""
    whole = list(map("".join, permutations(sorted(letters))))
    short = [o[:-1] for o in whole] + [o[1:] for o in whole]
    return [*whole, *short, *(o[:k] + false + o[k + 1 :] for o in whole for k in range(len(o)))]
