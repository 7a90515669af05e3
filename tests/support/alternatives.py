"""Right answers written in other ways than the solution: loops, other formulas, other types."""

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.spatial.distance import cdist
from scipy.special import expit
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import KernelCenterer

from umlbook.experiments.engine.ranking import critical_difference


def indicator_by_loop(labels, n_clusters):
    Y = [[0.0] * n_clusters for _ in labels]
    for i, c in enumerate(labels):
        Y[i][c] = 1 / list(labels).count(c) ** 0.5
    return Y


def sse_by_norm(X, Y):
    return np.linalg.norm(X - Y @ Y.T @ X) ** 2


def sse_with_einsum(X, Y):
    P = np.eye(len(X)) - Y @ np.linalg.pinv(Y)
    return np.einsum("ij,ik,jk->", P, X, X)


def split_by_clusters(X, labels):
    mean, within, between = X.mean(axis=0), 0.0, 0.0
    for c in set(labels.tolist()):
        members = X[labels == c]
        within += ((members - members.mean(axis=0)) ** 2).sum()
        between += len(members) * ((members.mean(axis=0) - mean) ** 2).sum()
    return [((X - mean) ** 2).sum(), within, between]


def pairs_by_loop(D, labels):
    total = 0.0
    for c in np.unique(labels):
        members = np.flatnonzero(labels == c)
        pairs = [(i, j) for i in members for j in members if i < j]
        total += sum(D[i, j] ** 2 for i, j in pairs) / len(members)
    return total


def ky_fan_by_sorting(A, k):
    return sum(sorted(np.linalg.eigvalsh(A), reverse=True)[:k])


def rounded_by_svd(A, n_clusters):
    V = np.linalg.svd(A)[0][:, :n_clusters]
    return KMeans(n_clusters, n_init=30, random_state=3).fit(V).labels_.tolist()


def centred_by_projector(K):
    H = np.eye(len(K)) - np.ones(K.shape) / len(K)
    return H @ K @ H


def lloyd_with_lists(X, centers):
    centers = [tuple(c) for c in centers]
    while True:
        labels = [int(np.argmin([np.sum((x - c) ** 2) for c in centers])) for x in X]
        for k in range(len(centers)):
            group = [x for x, a in zip(X, labels, strict=True) if a == k]
            if group:
                centers[k] = tuple(np.mean(group, axis=0))
        cost = sum(np.sum((x - centers[a]) ** 2) for x, a in zip(X, labels, strict=True))
        yield SimpleNamespace(labels=labels, centers=np.array(centers), objective=cost)


def blur_by_traces(X, labels, A):
    total = np.cov(X.T, bias=True).reshape(A.shape) * len(X)
    parts = [X[labels == c] for c in np.unique(labels)]
    within = sum((p - p.mean(0)).T @ (p - p.mean(0)) for p in parts)
    return np.trace(within @ A) / np.trace(total @ A)


def sharpest_by_whitening(X, labels):
    D = X - X.mean(axis=0)
    means = np.array([D[labels == c].mean(axis=0) for c in labels])
    V = eigh(means.T @ means, D.T @ D)[1]
    return (-7 * V[:, -1]).tolist()


def memberships_by_sklearn(X, labels):
    Z = (labels[:, None] == np.unique(labels)).astype(float)
    return LinearRegression().fit(X, Z).predict(X)


def blur_by_matrices(R, sizes):
    D = np.diag(sizes)
    return np.array(1 - np.trace(R.T @ D @ R) / np.trace(R @ D))


def mahalanobis_by_whitening(X, S):
    half = np.linalg.cholesky(np.linalg.inv(S))
    return cdist(X @ half, X @ half, "sqeuclidean")


def trace_by_eigenvalues(X, labels, W, lam):
    X = X - X.mean(axis=0)
    Z = np.eye(labels.max() + 1)[labels]
    L = Z / np.sqrt(Z.sum(axis=0))
    S = np.cov(X.T, bias=True) + lam * np.eye(X.shape[1])
    return np.linalg.eigvals(np.linalg.inv(W.T @ S @ W) @ W.T @ X.T @ L @ L.T @ X @ W).real.sum()


def projection_by_eigenvectors(X, labels, lam):
    X = X - X.mean(axis=0)
    S = X.T @ X / len(X) + lam * np.eye(X.shape[1])
    means = np.array([X[labels == c].mean(axis=0) for c in labels])
    return eigh(means.T @ means, S)[1][:, -2:]


def kernel_by_dual(X, lam):
    K = (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T
    return np.linalg.solve(K + len(X) * lam * np.eye(len(X)), K)


def q_by_cholesky(G, L, lam):
    return 3 * cho_solve(cho_factor(G + lam * np.eye(len(G))), L)[:, 1:]


def gradient_by_loop(kernels, L, weights, lam):
    A = np.eye(len(L)) + sum(w * G for w, G in zip(weights, kernels, strict=True)) / lam
    inverse = np.linalg.inv(A)
    return [float(-np.trace(L.T @ inverse @ G @ inverse @ L) / lam) for G in kernels]


def gap_by_loop(scores, weights, lam):
    return sum(w * (max(scores) - q) for w, q in zip(weights, scores, strict=True)) / lam


def theta_by_normalising(multipliers, traces, lam):
    return multipliers / multipliers.sum() / traces


def new_by_sklearn(K_new, K):
    return KernelCenterer().fit(K).transform(K_new)


def slope_by_projector(X, G, Y, psi, lam):
    P = np.eye(len(X)) - Y @ Y.T
    return 2 * (G @ P @ X + (G @ P @ G + lam * np.eye(len(X))) @ psi)


def curvature_by_blocks(G, Y, lam, d):
    n = len(G)
    H, PG = np.zeros((n * d, n * d)), G - Y @ (Y.T @ G)
    for k in range(d):
        H[k * n : (k + 1) * n, k * n : (k + 1) * n] = 2 * PG.T @ PG + 2 * lam * np.eye(n)
    return H


def field_by_inverse(X, U, s, Y, lam):
    inside = U.T @ Y
    weights = 1 / (s * s + lam)
    m = np.linalg.inv(inside.T @ (weights[:, None] * inside)) @ (inside.T * weights) @ (U.T @ X)
    return -(U * (s * weights)) @ (U.T @ (X - Y @ m))


def labels_by_loop(new, X, psi, centers, sigma):
    found = []
    for x in new:
        moved = x + np.exp(-np.sum((X - x) ** 2, axis=1) / (2 * sigma**2)) @ psi
        found.append(int(np.argmin(np.linalg.norm(centers - moved, axis=1))))
    return found


def cost_by_expit(similar, dissimilar):
    cut = (np.maximum(v, 0) + np.log1p(np.exp(-np.abs(v))) for v in (similar, -dissimilar))
    return float(sum(v.sum() for v in cut))


def belief_by_log_odds(P, lam):
    return expit(np.log(P / (1 - P)) / (1 - lam))


def belief_with_where(t, lam):
    if lam < 1:
        return expit(-t / (1 - lam))
    return np.where(t < 0, 1.0, np.where(t > 0, 0.0, 0.5))


def sums_by_laplacian(P, R):
    return np.diag(P.T @ (np.diag(R.sum(axis=0)) - R) @ P)


def nothing_by_loop(purities, sizes):
    return [bool(max(p) < max(s) / sum(s) + 0.01) for p, s in zip(purities.T, sizes, strict=True)]


def share_of_sums(plain, control, method):
    gained = sum(method) - sum(plain)
    return (sum(control) - sum(plain)) / gained if gained > 1e-12 else float("nan")


def column_by_loop(points):
    m, wrong, torn = len(points), None, None
    for k, column in enumerate(points.T):
        lacking = m * (m - 1) / 2 - np.sum(column[~np.isnan(column)])
        if np.isnan(column).any():
            torn = lacking
        elif abs(lacking) > 1e-9:
            wrong = k
    return wrong, torn


def ranks_by_counting(scores):
    better = (scores[:, None] > scores[:, :, None]).sum(axis=2)
    level = (scores[:, None] == scores[:, :, None]).sum(axis=2)
    return (better + (level + 1) / 2).mean(axis=0)


def ranks_by_rows(scores):
    return np.mean([rankdata([-s for s in row]) for row in scores], axis=0).tolist()


def level_by_loop(ranks, n_datasets):
    limit = critical_difference(len(ranks), n_datasets)
    return [1 if r - min(ranks) < limit else 0 for r in ranks]


def rand_by_pairs(classes, clusters):
    def share(sizes):
        return sum(int(s) * (int(s) - 1) for s in sizes) / (sum(sizes) * (sum(sizes) - 1))

    p, q = share(classes), share(clusters)
    return 1 - p - q + 2 * p * q


def own_by_loop(X, y, k):
    own = 0
    for i, x in enumerate(X):
        others = [j for j in range(len(X)) if j != i]
        near = sorted(others, key=lambda j: np.sum((X[j] - x) ** 2))[:k]
        own += sum(y[j] == y[i] for j in near)
    return own / (k * len(X))


def border_by_values(m, other, A):
    def gap(x):
        return sum(s * (x - c) @ A @ (x - c) for s, c in ((1, m), (-1, other)))

    b = gap(np.zeros(len(m)))
    return [*(gap(e) - b for e in np.eye(len(m))), b]


def projected_by_inverse(A, v, bound):
    """The rank-one change of the inverse, by Sherman and Morrison."""
    p = v @ A @ v
    return np.linalg.inv(np.linalg.inv(A) + (1 / bound - 1 / p) * np.outer(v, v))


def dropped_by_columns(votes, noise):
    if votes.sum() <= (1 - 2 * noise + 2 * noise**2) * votes.size:
        return [0] * votes.shape[1]
    return [0 if any(column) else 1 for column in votes.T]


def dropped_as_bool(votes, noise):
    accuracy = (votes.mean() - noise) / (1 - 2 * noise)
    return ~votes.any(axis=0) & (accuracy > 1 - noise)


def relations_by_closure(must_link, cannot_link, n_samples):
    together, apart = np.eye(n_samples, dtype=int), np.zeros((n_samples, n_samples), dtype=int)
    for pairs, said in ((must_link, together), (cannot_link, apart)):
        for i, j in pairs:
            said[i, j] = said[j, i] = 1
    together = np.linalg.matrix_power(together, n_samples) > 0
    return together.astype(int) - (together @ apart @ together > 0)


def draws_by_survival(sizes):
    n, M = int(sum(sizes)), sum(int(s) * (int(s) - 1) // 2 for s in sizes)
    N = n * (n - 1) // 2
    expected, survived = 0.0, 1.0
    for t in range(N - M + 1):
        expected += survived
        survived *= (N - M - t) / (N - t)
    return expected


def placing_by_orders(shares):
    places = list(permutations(range(1, shares.shape[1] + 1)))
    return [min(float(row @ np.array(order)) for order in places) for row in shares]


ALTERNATIVES: dict[str, list[Any]] = {
    "1.1": [indicator_by_loop],
    "1.2": [sse_by_norm, sse_with_einsum],
    "1.3": [split_by_clusters],
    "1.4": [pairs_by_loop],
    "2.1": [ky_fan_by_sorting],
    "2.3": [rounded_by_svd],
    "2.5": [centred_by_projector],
    "2.6": [lloyd_with_lists],
    "3.1": [blur_by_traces],
    "3.2": [sharpest_by_whitening],
    "3.3": [memberships_by_sklearn],
    "3.4": [blur_by_matrices],
    "4.1": [mahalanobis_by_whitening],
    "4.2": [trace_by_eigenvalues],
    "4.3": [projection_by_eigenvectors],
    "4.4": [kernel_by_dual],
    "5.1": [q_by_cholesky],
    "5.2": [gradient_by_loop],
    "5.3": [gap_by_loop],
    "5.4": [theta_by_normalising],
    "5.5": [new_by_sklearn],
    "6.1": [slope_by_projector],
    "6.2": [curvature_by_blocks],
    "6.4": [field_by_inverse],
    "6.5": [labels_by_loop],
    "7.1": [cost_by_expit],
    "7.2": [belief_by_log_odds],
    "7.3": [belief_with_where],
    "7.4": [sums_by_laplacian],
    "8.2": [nothing_by_loop],
    "8.3": [share_of_sums],
    "8.4": [column_by_loop],
    "8.5": [ranks_by_counting, ranks_by_rows],
    "8.6": [level_by_loop],
    "8.7": [rand_by_pairs],
    "11.1": [own_by_loop],
    "11.2": [border_by_values],
    "11.3": [projected_by_inverse],
    "11.4": [dropped_by_columns, dropped_as_bool],
    "12.1": [relations_by_closure],
    "12.2": [draws_by_survival],
    "12.3": [placing_by_orders],
}
