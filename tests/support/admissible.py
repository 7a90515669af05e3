"""What an exercise's text allows: inputs as general as it says.

Drawn independently of the cases that the check uses, and wider: other sizes, clusters without
points, labels with gaps, ties, one point. A mechanical wrong answer is wrong when it differs from
the reference on one of these, and equivalent when it differs on none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import hadamard
from sklearn.metrics.pairwise import rbf_kernel

Rng = np.random.Generator
Args = tuple[Any, ...]


def _labels(rng: Rng, n: int, K: int) -> np.ndarray:
    """Labels 0 to K - 1 of n points, none of them unused, in random order."""
    return rng.permutation(np.r_[np.arange(K), rng.integers(K, size=n - K)])


def _indicator(labels: np.ndarray) -> np.ndarray:
    Z = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
    return Z / np.sqrt(Z.sum(axis=0))


def _points(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    n, d, K = rng.integers(6, 14), rng.integers(1, 5), rng.integers(1, 5)
    return rng.normal(size=(n, d)) * rng.uniform(0.5, 3) + rng.normal(0, 5, d), _labels(rng, n, K)


def _psd(rng: Rng, d: int) -> np.ndarray:
    root = rng.normal(size=(d, d + 2))
    return root @ root.T


def _kernel(X: np.ndarray, sigma: float = 1.2) -> np.ndarray:
    return rbf_kernel(X, gamma=1 / (2 * sigma**2))


def _centred(K: np.ndarray) -> np.ndarray:
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def _in_1_1(rng: Rng) -> Args:
    K = int(rng.integers(1, 7))
    return rng.integers(K, size=rng.integers(1, 9)), K  # any cluster may be empty, the last too


def _in_1_2(rng: Rng) -> Args:
    X, labels = _points(rng)
    if rng.random() < 0.5:
        return X, _indicator(labels)
    with_ones = np.column_stack([np.ones(len(X)), rng.normal(size=(len(X), 2))])
    return X, np.linalg.qr(with_ones)[0] @ np.linalg.qr(rng.normal(size=(3, 3)))[0]


def _in_1_4(rng: Rng) -> Args:
    X, labels = _points(rng)
    D = np.linalg.norm(X[:, None] - X, axis=2) ** rng.uniform(0.5, 1)
    return D, rng.choice(np.arange(-9, 30), labels.max() + 1, replace=False)[labels]


def _in_2_1(rng: Rng) -> Args:
    n = int(rng.integers(2, 7))
    values = rng.integers(-3, 4, n).astype(float)  # tied now and then
    U = np.linalg.qr(rng.normal(size=(n, n)))[0]
    return (U * values) @ U.T, int(rng.integers(1, n + 1))


def _in_2_3(rng: Rng) -> Args:
    scales = rng.permutation([8.0, 6.0, 4.0, 2.5])
    sizes = rng.integers(5, 9, 4)
    X = np.repeat(hadamard(4) * scales, sizes, axis=0)
    X = rng.permutation(X + rng.normal(0, 0.1, X.shape))
    return X @ X.T, 4


def _in_2_6(rng: Rng) -> Args:
    X, K = rng.normal(0, 3, (15, 2)), int(rng.integers(1, 5))
    centers = rng.normal(0, 1, (K, 2))
    centers[rng.integers(K)] += 50 * (rng.random() < 0.5)  # a centre without points
    return X, centers


def _in_3_1(rng: Rng) -> Args:
    X, labels = _points(rng)
    return X, labels, _psd(rng, X.shape[1])


def _in_cloud(rng: Rng) -> Args:
    d, K = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    labels = _labels(rng, 30, K)
    return rng.normal(0, 3, (K, d))[labels] + rng.normal(size=(30, d)) @ rng.normal(
        size=(d, d)
    ), labels


def _in_3_4(rng: Rng) -> Args:
    X, labels = _in_cloud(rng)
    Z, sizes = np.eye(labels.max() + 1)[labels], np.bincount(labels)
    design = X - X.mean(axis=0)
    predicted = design @ np.linalg.lstsq(design, Z - Z.mean(axis=0), rcond=None)[0]
    R = (Z - Z.mean(axis=0)).T @ predicted / np.sqrt(np.outer(sizes, sizes))
    return R, sizes


def _in_3_6(rng: Rng) -> Args:
    return rng.normal(size=(20, 2)) + 3.0, rng.permutation(20) % int(rng.integers(2, 4))


def _in_4_1(rng: Rng) -> Args:
    d = int(rng.integers(1, 5))
    return rng.normal(0, 3, (7, d)) + 1, _psd(rng, d)


def _in_4_2(rng: Rng) -> Args:
    X, labels = _in_cloud(rng)
    return X, labels, rng.normal(size=(X.shape[1], 2)), float(rng.uniform(0.01, 5))


def _in_4_3(rng: Rng) -> Args:
    labels = _labels(rng, 18, 3)
    X = rng.normal(size=(18, 4)) + 2 * np.eye(3, 4)[labels] + rng.normal(0, 5, 4)
    return X, labels, float(rng.uniform(0.05, 5))


def _in_5_1(rng: Rng) -> Args:
    labels = _labels(rng, 15, 3)
    K = _centred(_kernel(rng.normal(size=(15, 2)), rng.uniform(0.5, 2)))
    return K / np.trace(K), _indicator(labels), float(np.exp(rng.uniform(-5, 1)))


def _in_5_2(rng: Rng) -> Args:
    p, n = int(rng.integers(1, 5)), 12
    kernels = [_centred(_kernel(rng.normal(size=(n, 2)), s)) for s in rng.uniform(0.5, 3, p)]
    L = _indicator(_labels(rng, n, 3))
    return np.array(kernels), L, rng.dirichlet(np.ones(p)), float(rng.uniform(0.05, 3))


def _in_5_3(rng: Rng) -> Args:
    p = int(rng.integers(1, 7))
    return rng.uniform(0.1, 1, p), rng.dirichlet(np.ones(p)), float(rng.uniform(0.01, 5))


def _in_5_4(rng: Rng) -> Args:
    lam, p = float(rng.uniform(0.01, 3)), 4
    return rng.dirichlet(np.ones(p)) / (4 * lam), rng.uniform(1, 40, p), lam


def _in_5_5(rng: Rng) -> Args:
    n, m = rng.integers(1, 9, 2)
    X, new = rng.normal(size=(n, 2)), rng.normal(size=(m, 2))
    return rbf_kernel(new, X), rbf_kernel(X)


def _problem(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, int(rng.integers(1, 4))))
    return X, _kernel(X), _indicator(_labels(rng, n, int(rng.integers(1, 4))))


def _in_6_1(rng: Rng) -> Args:
    X, G, Y = _problem(rng, 8)
    return X, G, Y, rng.normal(size=X.shape), float(rng.uniform(0.1, 3))


def _in_6_2(rng: Rng) -> Args:
    X, G, Y = _problem(rng, 7)
    return G, Y, float(rng.uniform(0.1, 3)), X.shape[1]


def _in_6_4(rng: Rng) -> Args:
    X, G, Y = _problem(rng, 10)
    s, U = np.linalg.eigh(G)
    return X, U, np.maximum(s, 0), Y, float(rng.uniform(0.1, 3))


def _in_6_5(rng: Rng) -> Args:
    d, K = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X, psi = rng.normal(size=(10, d)), rng.normal(size=(10, d))
    return rng.normal(0, 2, (60, d)), X, psi, rng.normal(size=(K, d)), float(rng.uniform(0.2, 2))


def _in_6_6(rng: Rng) -> Args:
    angle = rng.uniform(0, np.pi, 40)
    half = np.arange(40) % 2
    X = np.c_[np.cos(angle) + half, np.sin(angle) * (1 - 2 * half)] + rng.normal(0, 0.1, (40, 2))
    labels = (X @ rng.normal(size=2) > 0).astype(int)
    labels[:2] = 0, 1
    return X, labels, float(rng.uniform(0.5, 2)), float(rng.uniform(0.5, 5))


def _in_7_1(rng: Rng) -> Args:
    scale = 10.0 ** rng.integers(0, 4)
    return scale * rng.normal(size=rng.integers(1, 6)), scale * rng.normal(size=rng.integers(1, 6))


def _in_7_2(rng: Rng) -> Args:
    return float(rng.uniform(0.05, 0.95)), float(rng.uniform(0, 0.9))


def _in_7_3(rng: Rng) -> Args:
    t = rng.normal(0, 2, 6)
    t[0] = 0.0
    return t, float(rng.choice([0.0, 0.3, 0.9, 1.0]))


def _in_7_4(rng: Rng) -> Args:
    n, k = int(rng.integers(2, 8)), int(rng.integers(1, 5))
    R = np.triu(rng.normal(size=(n, n)), 1)
    return rng.normal(size=(n, k)) + 2, R + R.T


def _in_8_2(rng: Rng) -> Args:
    m, s, c = rng.integers(1, 7, 3)
    sizes = rng.integers(1, 100, (s, c))
    sizes[0, 1:] *= int(rng.random() < 0.5)  # filled up with zeros
    floor = sizes.max(axis=1) / sizes.sum(axis=1)
    return floor + rng.choice([-0.05, 0.004, 0.008, 0.015, 0.03, 0.2], (m, s)), sizes


def _in_8_3(rng: Rng) -> Args:
    plain, control = rng.uniform(0.2, 0.8, (2, 6))
    gain = rng.normal(0.05, 0.1, 6) * (rng.random() < 0.8)  # no gain at all, now and then
    return plain, control, plain + gain


def _in_8_4(rng: Rng) -> Args:
    m, s = int(rng.integers(2, 9)), int(rng.integers(2, 8))
    strength = rng.integers(0, 4, (m, s))
    ahead = np.sign(strength[:, None] - strength[None])
    points = ((ahead + 1) / 2).sum(axis=1) - 0.5
    wrong, torn = rng.choice(s, 2, replace=False)
    points[rng.integers(m), wrong] += rng.choice([-1.5, -1, -0.5, 0.5, 1, 2.5])
    points[rng.integers(m), torn] = np.nan
    return (points,)


def _in_8_5(rng: Rng) -> Args:
    return (rng.integers(0, 4, rng.integers(1, 7, 2)) / 4,)


def _in_8_6(rng: Rng) -> Args:
    m = int(rng.integers(2, 9))
    n = int(rng.integers(2, 60))
    return np.mean([rng.permutation(m) for _ in range(n)], axis=0) + 1 + np.linspace(0, 1.5, m), n


def _in_8_7(rng: Rng) -> Args:
    n = int(rng.integers(4, 40))
    parts = [np.bincount(rng.integers(k, size=n), minlength=k) for k in rng.integers(1, 6, 2)]
    return tuple(part[part > 0] for part in parts)


def _in_11_1(rng: Rng) -> Args:
    n, d, K = int(rng.integers(5, 20)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    y = rng.choice(np.arange(-9, 30), K, replace=False)[_labels(rng, n, K)]  # any integers
    return rng.normal(size=(n, d)) * rng.uniform(0.2, 5) + rng.normal(0, 5), y, rng.integers(1, n)


def _in_11_2(rng: Rng) -> Args:
    d = int(rng.integers(1, 6))
    root = rng.normal(size=(d, int(rng.integers(1, d + 1))))  # singular, now and then
    return *rng.normal(0, 3, (2, d)), root @ root.T


def _in_11_3(rng: Rng) -> Args:
    d = int(rng.integers(1, 6))
    return _psd(rng, d), rng.normal(0, 2, d), float(np.exp(rng.uniform(-3, 3)))


def _in_11_4(rng: Rng) -> Args:
    fits, pairs = int(rng.integers(1, 6)), int(rng.integers(1, 30))
    right = rng.uniform(0.5, 1, (fits, 1))
    votes = (rng.random((fits, pairs)) < right) * (rng.random(pairs) < 0.9)
    return votes.astype(float), float(rng.uniform(0, 0.5))


def _in_12_1(rng: Rng) -> Args:
    n, K = int(rng.integers(2, 13)), int(rng.integers(1, 6))
    labels = rng.integers(K, size=n)
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(rng.integers(0, 15))])
    pairs = pairs.reshape(-1, 2).astype(int)
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return pairs[together], pairs[~together], n


def _in_12_2(rng: Rng) -> Args:
    return (rng.permutation(np.r_[2, rng.integers(1, 40, size=rng.integers(0, 9))]),)


def _in_12_3(rng: Rng) -> Args:
    shares = rng.dirichlet(np.ones(rng.integers(1, 7)), size=rng.integers(1, 8))
    shares[0] = np.eye(shares.shape[1])[-1]  # a class that is certain, and ties
    return (shares,)


#: From a generator to the arguments of the answer, for each exercise that asks for a function.
DRAWN: dict[str, Callable[[Rng], Args]] = {
    "1.1": _in_1_1,
    "1.2": _in_1_2,
    "1.3": _points,
    "1.4": _in_1_4,
    "2.1": _in_2_1,
    "2.3": _in_2_3,
    "2.5": lambda rng: (_psd(rng, int(rng.integers(1, 7))) + rng.uniform(-1, 3),),
    "2.6": _in_2_6,
    "3.1": _in_3_1,
    "3.2": _in_cloud,
    "3.3": _in_cloud,
    "3.4": _in_3_4,
    "3.6": _in_3_6,
    "4.1": _in_4_1,
    "4.2": _in_4_2,
    "4.3": _in_4_3,
    "4.4": lambda rng: (rng.normal(2, 3, rng.integers(2, 9, 2)), float(rng.uniform(0.05, 5))),
    "5.1": _in_5_1,
    "5.2": _in_5_2,
    "5.3": _in_5_3,
    "5.4": _in_5_4,
    "5.5": _in_5_5,
    "6.1": _in_6_1,
    "6.2": _in_6_2,
    "6.4": _in_6_4,
    "6.5": _in_6_5,
    "6.6": _in_6_6,
    "7.1": _in_7_1,
    "7.2": _in_7_2,
    "7.3": _in_7_3,
    "7.4": _in_7_4,
    "8.2": _in_8_2,
    "8.3": _in_8_3,
    "8.4": _in_8_4,
    "8.5": _in_8_5,
    "8.6": _in_8_6,
    "8.7": _in_8_7,
    "11.1": _in_11_1,
    "11.2": _in_11_2,
    "11.3": _in_11_3,
    "11.4": _in_11_4,
    "12.1": _in_12_1,
    "12.2": _in_12_2,
    "12.3": _in_12_3,
}
