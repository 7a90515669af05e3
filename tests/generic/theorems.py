"""The theorems of chapters 2 and 3: shares, angles, rounding, and weights on directions."""

from itertools import permutations

import numpy as np
from scipy.optimize import linprog

from generic.cpcm import correlations, least_squares, membership, projector
from generic.direct import (
    between,
    blur,
    det,
    generalised,
    inv,
    means,
    norm,
    slope,
    sse,
    top,
    total,
    tr,
    within,
)
from generic.problems import Problem, orthonormal
from generic.registry import claim
from umlbook.cpcm.blur import blur_ratio

# Chapter 3 --------------------------------------------------------------------------------------


def rod(p: Problem):
    """The weights of the metric A on the canonical directions, and their blur ratios."""
    values, B = generalised(within(p.X, p.labels), total(p.X))
    S_t = total(p.X)
    return np.array([b @ S_t @ p.A @ S_t @ b for b in B.T]), values


@claim("book.blur.weights", "S_t regular")
def a_metric_weighs_the_canonical_directions(p):
    w, values = rod(p)
    return [
        (tr(within(p.X, p.labels) @ p.A), w @ values),
        (tr(total(p.X) @ p.A), w.sum()),
    ]


@claim("book.blur.weights", "S_t regular", "A psd")
def the_blur_ratio_is_a_weighted_mean(p):
    w, values = rod(p)
    return [
        (1 + blur_ratio(p.X, p.labels, p.A), 1 + w @ values / w.sum()),
        (0.0, "<=", w.min()),
    ]


@claim("book.blur.manova", "S_t regular")
def roy_and_pillai(p):
    roots = np.linalg.eigvals(inv(total(p.X)) @ between(p.X, p.labels)).real
    rho2 = correlations(p)
    return [(roots.max(), rho2[0]), (roots.sum(), rho2.sum())]


@claim("book.blur.manova", "S_w regular")
def hotelling_and_wilks(p):
    S_w, S_b, rho2 = within(p.X, p.labels), between(p.X, p.labels), correlations(p)
    q, beta = len(rho2), generalised(total(p.X), S_w)[1][:, ::-1][:, : len(correlations(p))]
    hotelling = tr(inv(S_w) @ S_b)
    return [
        (hotelling, np.sum(rho2 / (1 - rho2))),
        (det(inv(total(p.X)) @ S_w), np.prod(1 - rho2)),
        (beta.T @ S_w @ beta, np.eye(q)),
        (blur(p.X @ beta, p.labels), 1 / (1 + hotelling / q)),
    ]


@claim("book.blur.chain", "S_w regular")
def the_four_statistics_are_ordered(p):
    S_w, S_t, S_b = within(p.X, p.labels), total(p.X), between(p.X, p.labels)
    q = min(p.K - 1, p.d)
    first = 1 - np.linalg.eigvals(inv(S_t) @ S_b).real.max()
    harmonic = 1 / (1 + tr(inv(S_w) @ S_b) / q)
    geometric = det(inv(S_t) @ S_w) ** (1 / q)
    arithmetic = 1 - tr(inv(S_t) @ S_b) / q
    chain = np.array([first, harmonic, geometric, arithmetic])
    return [
        (1 + chain[:-1], "<=", 1 + chain[1:]),
        bool(q > 1 or np.ptp(chain) < 1e-9),
    ]


@claim("book.blur.squares")
def least_squares_weighs_directions_by_their_correlation(p):
    rho2, G = np.linalg.eigh(membership(p))
    w = np.array([r * sum(p.sizes * g**2) for r, g in zip(rho2, G.T, strict=True)])
    predictions = least_squares(p.X, p.Z)[0]
    return [
        (tr(total(predictions)), w.sum()),
        (1 + blur(predictions, p.labels), 1 + w @ (1 - rho2) / w.sum()),
    ]


@claim("book.blur.squares", "S_w regular")
def the_weights_of_least_squares_on_the_rod(p):
    _, beta = least_squares(p.X, p.Z)
    _, B = generalised(within(p.X, p.labels), total(p.X))
    q, (rho2, G) = len(correlations(p)), np.linalg.eigh(membership(p))
    S_t = total(p.X)
    w = [b @ S_t @ beta @ beta.T @ S_t @ b for b in B.T[:q]]
    return w, [r * sum(p.sizes * g**2) for r, g in zip(rho2[::-1][:q], G.T[::-1][:q], strict=True)]


@claim("book.blur.scoring")
def optimal_scores_leave_the_least_residual(p):
    root = np.sqrt(p.sizes / p.n)
    rest = orthonormal(np.column_stack([root, p.normal("rest", p.K, p.K - 1)]))[:, 1:]
    values, U = np.linalg.eigh(rest.T @ membership(p) @ rest)
    off = np.eye(p.n) - projector(p.X)
    results = []
    for q in range(1, p.K):
        best = rest @ U[:, ::-1][:, :q]
        other = rest @ orthonormal(p.normal(f"scores {q}", p.K - 1, q))
        here, there = (
            norm(off @ p.Z @ (V / np.sqrt(p.sizes)[:, None])) ** 2 for V in (best, other)
        )
        results += [(1 + here, 1 + q - values[::-1][:q].sum()), (1 + here, "<=", 1 + there)]
    return results


def equal_clusters(p: Problem):
    """Data with K - 1 features or more, in clusters of equal size."""
    m, d = 8, max(p.d, p.K - 1)
    labels = p.rng("equal labels").permutation(np.repeat(np.arange(p.K), m))
    return 3 + p.normal("equal", m * p.K, d) + 2 * p.normal("places", p.K, d)[labels], labels


def equal_correlations(X, labels):
    Y = np.eye(labels.max() + 1)[labels] / np.sqrt(np.bincount(labels))
    return np.linalg.eigvalsh(Y.T @ projector(X) @ Y)[::-1][: labels.max()]


@claim("book.blur.collapse")
def a_weak_direction_raises_the_blur_ratio_of_least_squares(p):
    X, labels = equal_clusters(p)

    def squares_blur(r):
        return 1 - np.sum(r**2) / np.sum(r)

    r = equal_correlations(X, labels)
    here = squares_blur(r)
    slopes = [slope(squares_blur, r, e) for e in np.eye(len(r))]
    return [
        (here, blur(least_squares(X, np.eye(p.K)[labels])[0], labels)),
        (slopes, (1 - here - 2 * r) / r.sum()),
    ]


@claim("book.blur.diffrac")
def the_penalised_residual_of_the_memberships(p):
    Xc = p.X - p.X.mean(axis=0)
    rows = np.vstack([np.column_stack([np.ones(p.n), p.X]), np.zeros((p.d, p.d + 1))])
    rows[p.n :, 1:] = np.sqrt(p.lam) * np.eye(p.d)
    goal = np.vstack([p.Z, np.zeros((p.d, p.K))])
    left = norm(goal - rows @ np.linalg.lstsq(rows, goal, rcond=None)[0]) ** 2
    S = Xc @ inv(Xc.T @ Xc + p.lam * np.eye(p.d)) @ Xc.T
    return left, p.n - sum(p.sizes**2) / p.n - tr(p.Z.T @ S @ p.Z)


@claim("book.blur.simplex")
def means_on_a_regular_simplex_have_a_harmonic_mean(p):
    X, labels = equal_clusters(p)
    m, corners, S = means(X, labels), np.eye(p.K), inv(within(X, labels))
    D_m, D_e = m[1:] - m[0], corners[1:] - corners[0]
    beta = S @ D_m.T @ inv(D_m @ S @ D_m.T) @ D_e
    r = equal_correlations(X, labels)
    return blur(X @ beta, labels), 1 - (p.K - 1) / np.sum(1 / r)


@claim("book.blur.chance")
def chance_explains_the_same_share_of_all_labels(p):
    X, labels = p.X[:6], np.unique(p.labels[:6], return_inverse=True)[1]
    n, K, H = len(X), labels.max() + 1, projector(X)
    Y = np.eye(K)[labels] / np.sqrt(np.bincount(labels))
    orders = map(list, permutations(range(n)))
    mean = np.mean([np.sum(Y[order] * (H @ Y[order])) for order in orders])
    return mean, (K - 1) * np.linalg.matrix_rank(X - X.mean(axis=0)) / (n - 1)


# Chapter 2 --------------------------------------------------------------------------------------


def frame_with_shares(t, K):
    """K orthonormal columns whose rows have the squared lengths t, by plane rotations."""
    n = len(t)
    order = np.argsort(-t)
    P = np.diag((np.argsort(order) < K).astype(float))
    for _ in range(n):
        gap = np.diag(P) - t
        i, j = int(np.argmax(gap)), int(np.argmin(gap))
        if gap[i] < 1e-12:
            break
        goal = P[i, i] - min(gap[i], -gap[j])
        a, b, c = P[i, i], P[i, j], P[j, j]
        middle, radius = (a + c) / 2, np.hypot((a - c) / 2, b)
        cosine = np.clip((goal - middle) / radius, -1, 1)
        phi = (np.arctan2(b, (a - c) / 2) - np.arccos(cosine)) / 2
        turn = np.eye(n)
        turn[[i, i, j, j], [i, j, i, j]] = [np.cos(phi), np.sin(phi), -np.sin(phi), np.cos(phi)]
        P = turn @ P @ turn.T
    return top(P, K), P


@claim("book.hypersimplex")
def shares_fill_the_hypersimplex(p):
    values, V = np.linalg.eigh(p.S + p.S.T)
    corners = np.array([p.rng(f"corner {k}").permutation(p.n) < p.K for k in range(6)])
    t = p.rng("mix").dirichlet(np.ones(6)) @ corners
    frame, _ = frame_with_shares(t, p.K)
    Y = V @ frame
    programme = linprog(-values, A_eq=np.ones((1, p.n)), b_eq=[p.K], bounds=(0, 1))
    return [
        (Y.T @ Y, np.eye(p.K)),
        ([norm(Y.T @ v) ** 2 for v in V.T], t),
        (-programme.fun, values[-p.K :].sum()),
    ]


@claim("book.sines")
def a_perturbed_frame_turns_by_at_most_noise_over_gap(p):
    A, E = p.S + p.S.T, p.normal("E", p.n, p.n)
    results = []
    for size in (1e-3, 0.1, 3.0):
        other = A + size * (E + E.T)
        V, W = top(A, p.K), top(other, p.K)
        values = np.linalg.eigvalsh(A)[::-1]
        sines = np.sqrt(max(p.K - norm(V.T @ W) ** 2, 0))
        gap = values[p.K - 1] - values[p.K]
        results += [
            (1 + norm(V @ V.T - W @ W.T) ** 2, 1 + 2 * sines**2),
            (gap * sines, "<=", np.sqrt(2) * norm(other - A)),
        ]
    return results


@claim("book.excess")
def a_cheap_partition_is_near_the_relaxed_frame(p):
    values = np.linalg.eigvalsh(p.X @ p.X.T)[::-1]
    V = top(p.X @ p.X.T, p.K)
    off = norm(V - p.Y @ p.Y.T @ V) ** 2
    excess = sse(p.X, p.labels) - values[p.K :].sum()
    return [
        (off, p.K - norm(p.Y.T @ V) ** 2),
        ((values[p.K - 1] - values[p.K]) * off, "<=", excess + 1e-9 * values[0]),
        *centred_excess(p),
    ]


def centred_excess(p: Problem):
    """The same for centred data, where the constant vector takes the place of one eigenvector."""
    X = p.X - p.X.mean(axis=0)
    values = np.linalg.eigvalsh(X @ X.T)[::-1]
    V = np.column_stack([np.full(p.n, p.n**-0.5), top(X @ X.T, p.K - 1)])
    off, excess = p.K - norm(p.Y.T @ V) ** 2, sse(X, p.labels) - values[p.K - 1 :].sum()
    return [((values[p.K - 2] - values[p.K - 1]) * off, "<=", excess + 1e-9 * values[0])]


@claim("book.rounding")
def few_samples_are_put_elsewhere(p):
    group = np.repeat(p.labels, 100)
    corners = np.eye(p.K) + 0.2 * p.normal("corners of groups", p.K, p.K)
    X = corners[group] + 0.01 * p.normal("noise of groups", len(group), p.K)
    labels = group.copy()
    moved = p.rng("moved").choice(np.flatnonzero(group == p.sizes.argmax()), 1 + p.seed % 2)
    labels[moved] = p.sizes.argmin()
    V = np.linalg.svd(X, full_matrices=False)[0]
    off, rounded = (p.K - norm(V.T @ (Z / np.sqrt(Z.sum(axis=0)))) ** 2
                    for Z in (np.eye(p.K)[labels], np.eye(p.K)[group]))  # fmt: skip
    wrong = sum(np.mean(group[labels == c] != c) for c in range(p.K))
    centres = np.array([V[labels == c].mean(axis=0) for c in range(p.K)])
    return [
        (norm(V - centres[labels]) ** 2, off),
        bool(wrong > 0 and off < 1 / 9 and rounded <= off),
        (wrong, "<=", 8 * off / (1 - off)),
    ]
