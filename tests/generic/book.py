"""The book's own equations."""

from itertools import islice

import numpy as np
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from scipy.special import entr, softmax

from generic import naml
from generic.cpcm import least_squares, lloyd, membership, transformed
from generic.cpd import J, best, psi, residual_maker
from generic.direct import (
    between,
    blur,
    center,
    gaussian,
    inv,
    mean,
    norm,
    pinv,
    slope,
    sse,
    top,
    total,
    tr,
    within,
)
from generic.pm import beliefs, m_cost, renyi, small, tempered_cost
from generic.problems import Problem, orthonormal
from generic.registry import claim
from umlbook.cpcm.blur import smoother_blur_ratio
from umlbook.cpd import deformation, objective
from umlbook.daem import (
    AllPairs,
    ListedPairs,
    PairCost,
    e_step,
    projected_newton,
    shannon_entropy,
    tempered_entropy,
)
from umlbook.itml import ITMLProblem, itml_problem, itml_steps
from umlbook.latent.blocks import SPREAD, graph_block, kernel_block, median_distance
from umlbook.latent.steps import (
    LatentProblem,
    log_responsibilities,
    pair_terms,
    same_class,
)
from umlbook.latent.steps import objective as latent_objective
from umlbook.pairs import PairTask, learned_metric, wrong_if_contradicted

# Chapters 1 and 2 -------------------------------------------------------------------------------


@claim("book.mean")
def the_mean_is_the_best_centre(p):
    m = p.normal("m", p.d)
    return [
        (
            sum(norm(x - m) ** 2 for x in S),
            sum(norm(x - mu) ** 2 for x in S) + len(S) * norm(m - mu) ** 2,
        )
        for c in range(p.K)
        for S, mu in [(p.X[p.labels == c], mean(p.X, p.labels, c))]
    ]


@claim("book.pairs")
def the_objective_is_a_sum_over_pairs(p):
    pairs = 0
    for c in range(p.K):
        S = p.X[p.labels == c]
        pairs += sum(norm(x - z) ** 2 for x in S for z in S) / (2 * len(S))
    return sse(p.X, p.labels), pairs


@claim("book.scatter")
def scatter_in_total_is_within_plus_between(p):
    return total(p.X), within(p.X, p.labels) + between(p.X, p.labels)


@claim("book.metric")
def a_linear_map_is_a_metric(p):
    W, (x, z) = p.normal("W", p.d, 2), p.X[:2]
    return (x - z) @ W @ W.T @ (x - z), norm(W.T @ x - W.T @ z) ** 2


@claim("book.weighted")
def the_objective_under_a_metric(p):
    W = p.normal("W", p.d, 2)
    return sse(p.X @ W, p.labels), tr(W @ W.T @ within(p.X, p.labels))


def shares(p: Problem):
    """Eigenvalues of S, and the share of L in each eigenvector."""
    values, V = np.linalg.eig(p.S)
    return values, np.array([norm(p.L.T @ v) ** 2 for v in V.T])


@claim("book.shares", "S symmetric", "L orthonormal")
def a_frame_has_shares_in_the_eigenvectors(p):
    _, t = shares(p)
    return [(0.0, "<=", t.min()), (t.max(), "<=", 1.0), (t.sum(), float(p.K))]


@claim("book.shares", "S symmetric")
def the_trace_is_a_sum_of_shares(p):
    values, t = shares(p)
    return tr(p.L.T @ p.S @ p.L), (values @ t).real


@claim("book.chain", "L orthonormal")
def the_missing_trace_is_a_sum_of_nonnegative_terms(p):
    A = p.S + p.S.T
    values, V = np.linalg.eigh(A)
    values, t = values[::-1], np.array([norm(p.L.T @ v) ** 2 for v in V.T[::-1]])
    K, edge = p.K, values[p.K - 1]
    missing = (values[:K] - edge) @ (1 - t[:K]) + (edge - values[K:]) @ t[K:]
    return [(values[:K].sum() - values @ t, missing), (0.0, "<=", missing)]


@claim("book.floor")
def no_partition_is_below_the_floor(p):
    values = np.linalg.eigvalsh(p.X @ p.X.T)[::-1]
    return values[p.K :].sum(), "<=", sse(p.X, p.labels)


@claim("book.floor.centred")
def centring_gives_a_higher_floor(p):
    centred = p.X - p.X.mean(axis=0)
    floors = [np.linalg.eigvalsh(M @ M.T)[::-1] for M in (centred, p.X)]
    higher, lower = 1 + floors[0][p.K - 1 :].sum(), 1 + floors[1][p.K :].sum()
    return [(lower, "<=", higher), (higher, "<=", 1 + sse(p.X, p.labels))]


@claim("book.pca", "X centred", "rank X >= K")
def the_relaxed_indicator_holds_principal_components(p):
    axes = top(np.cov(p.X.T, bias=True).reshape(p.d, p.d), p.K)
    V = np.column_stack([p.X @ w / norm(p.X @ w) for w in axes.T])
    best = top(p.X @ p.X.T, p.K)
    return V @ V.T, best @ best.T


@claim("book.rows")
def equal_rows_are_equal_in_the_relaxed_indicator(p):
    corners = np.eye(p.K) + 0.3 * p.normal("corners", p.K, p.K)
    X = corners[p.labels]
    V = top(X @ X.T, p.K)
    Q = p.Y.T @ V
    return [(p.Y @ Q, V), (Q.T @ Q, np.eye(p.K)), (V @ V.T, p.Y @ p.Y.T)]


@claim("book.kernel")
def kernel_kmeans_is_a_trace_with_a_floor(p):
    cost = sse(naml.Phi(p), p.labels)
    values = np.linalg.eigvalsh(p.G)[::-1]
    return [
        (cost, tr(p.G) - tr(p.Y.T @ p.G @ p.Y)),
        (values[p.K :].sum() + 1, "<=", 1 + cost),
    ]


# Chapter 3 --------------------------------------------------------------------------------------


@claim("book.blur.two")
def the_clustering_step_lowers_the_blur_ratio(p):
    predictions, _ = least_squares(p.X, p.Z)
    labels = [s.labels for s, _ in zip(lloyd(predictions, p), range(3), strict=False)][-1]
    return 1 + blur(predictions, labels), "<=", 1 + blur(predictions, p.labels)


@claim("book.blur.two", "K = 2")
def least_squares_of_two_clusters_has_the_least_blur_ratio(p):
    beta = least_squares(p.X, p.Z)[1]
    direction = least_squares(p.X, p.Y @ top(membership(p), 1))[1]
    roots = [direction, *(p.normal(f"root {i}", p.d, size) for i, size in enumerate((1, 3)))]
    here = 1 + blur(p.X @ beta, p.labels)
    return [(here, "<=", 1 + blur(p.X @ root, p.labels)) for root in roots]


@claim("book.blur.lda")
def whitened_discriminants_lower_the_blur_ratio(p):
    _, s, Vt = np.linalg.svd(p.X - p.X.mean(axis=0), full_matrices=False)
    kept = s > 1e-9 * s[0]
    white = Vt[kept].T / s[kept]  # white' S_t white = I
    q = min(p.K - 1, white.shape[1])
    S_b = between(p.X, p.labels)
    lda = white @ top(white.T @ S_b @ white, q)
    other = white @ orthonormal(p.normal("frame", white.shape[1], q))
    return [
        (other.T @ total(p.X) @ other, np.eye(q)),
        (1 + blur(p.X @ other, p.labels), 2 - tr(other.T @ S_b @ other) / q),
        (1 + blur(p.X @ lda, p.labels), "<=", 1 + blur(p.X @ other, p.labels)),
    ]


@claim("book.blur.smoother", "S of column means 0")
def the_blur_ratio_after_a_smoother(p):
    M = p.Z.T @ p.S @ p.Z
    ratio = 1 - tr(np.diag(1 / p.sizes) @ M @ M.T) / tr(p.Z.T @ p.S.T @ p.S @ p.Z)
    predictions = p.Z.mean(axis=0) + p.S @ p.Z
    return [
        (blur(predictions, p.labels), ratio),
        (blur(predictions, p.labels), smoother_blur_ratio(p.S, p.labels)),
    ]


def invariant_coordinates(X):
    """U of (3.49), up to signs."""
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    Q = U[:, s > 1e-9 * s[0]]
    return np.abs(Q @ np.linalg.eigh(sum(norm(q) ** 2 * np.outer(q, q) for q in Q))[1])


@claim("book.blur.coordinates", "d < n-1")
def coordinates_that_no_linear_map_changes(p):
    return invariant_coordinates(transformed(p)[0]), invariant_coordinates(p.X)


# Chapters 4 and 5 -------------------------------------------------------------------------------


@claim("book.aml.kernel", "X centred")
def the_best_projection_is_a_kernel(p):
    best = tr(p.L.T @ p.X @ inv(naml.S(p)) @ p.X.T @ p.L)
    H = p.X @ inv(p.X.T @ p.X + p.n * p.lam * np.eye(p.d)) @ p.X.T
    other = p.normal("other", p.d, p.K)
    means = np.linalg.svd(p.X.T @ p.L)
    enough = inv(naml.S(p)) @ means[0][:, : np.sum(means[1] > 1e-9)]  # rank X'L columns
    return [
        (best, p.n * tr(p.L.T @ H @ p.L)),
        (naml.projected_trace(p, p.X, naml.S(p), enough), p.n * tr(p.L.T @ H @ p.L)),
        (naml.projected_trace(p, p.X, naml.S(p), other), "<=", p.n * tr(p.L.T @ H @ p.L)),
    ]


def tangents(p: Problem, H, L):
    """Tangents of the angles between span HL and the K - 1 leading eigenvectors of H.

    In the eigenvectors of H that span is a graph over the leading ones; entry (i, j) of the graph
    is multiplied by h_i / h_j in each step of the iteration L <- HL.
    """
    U, lead = top(H, p.n), p.K - 1
    V = top(H @ L @ L.T @ H, lead)
    return U[:, lead:].T @ V @ inv(U[:, :lead].T @ V)


def rates(p: Problem, H):
    h = np.linalg.eigvalsh(H)[::-1]
    return h[p.K - 1 :, None] / h[None, : p.K - 1]


def angles_shrink(p: Problem, H):
    first, second = tangents(p, H, p.L), tangents(p, H, H @ p.L)
    return [
        (1 + second, 1 + rates(p, H) * first),
        (1 + norm(second, 2), "<=", 1 + rates(p, H).max() * norm(first, 2)),
    ]


def rate_far_out(p: Problem, H):
    r = rates(p, H)
    far = (r / r.max()) ** 100_000  # relative to the largest, so that it does not vanish
    steps = [norm(far * tangents(p, H, L), 2) for L in (p.L, H @ p.L)]
    return steps[1] / steps[0], r.max()


def limit(p: Problem, H):
    V = H @ p.L
    V = top(V @ V.T, np.linalg.matrix_rank(V, tol=1e-9))
    eight = np.linalg.matrix_power(H, 8)
    for _ in range(500):
        V = orthonormal(eight @ V)
    best = top(H, p.K - 1)
    return V @ V.T, best @ best.T


def metric_step(p: Problem):
    """H of chapter 4, of data whose inner products are G."""
    X = naml.Phi(p)
    return X @ inv(X.T @ X + p.n * p.lam * np.eye(X.shape[1])) @ X.T


FREE = ("G centred", "L indicator")  # the constant vector is in L, and H takes it to zero


@claim("book.aml.limit", *FREE)
def the_adaptive_metric_iterates_a_subspace(p):
    return angles_shrink(p, metric_step(p))


@claim("book.aml.limit", *FREE, "rank G >= K")
def the_rate_of_the_adaptive_metric(p):
    return rate_far_out(p, metric_step(p))


@claim("book.aml.limit", *FREE, "eigengap")
def the_limit_of_the_adaptive_metric(p):
    return limit(p, metric_step(p))


@claim("book.naml.subspace", *FREE)
def the_kernel_method_iterates_a_subspace(p):
    L, H = p.L, naml.H(p)
    G = naml.g_tilde(p, inv(p.G + p.lam * np.eye(p.n)) @ L)
    spans = [top(G, p.K - 1), top(H @ L @ L.T @ H, p.K - 1)]
    return [(spans[0] @ spans[0].T, spans[1] @ spans[1].T), *angles_shrink(p, H)]


@claim("book.naml.subspace", *FREE, "rank G >= K")
def the_rate_of_the_kernel_method(p):
    return rate_far_out(p, naml.H(p))


@claim("book.naml.subspace", *FREE, "eigengap")
def the_limit_of_the_kernel_method(p):
    return limit(p, naml.H(p))


@claim("book.naml.convex")
def the_second_derivative_in_the_weights(p):
    step = p.normal("step", len(p.w))
    H = naml.curvature(p, p.w)
    numeric = slope(lambda w: -naml.scores(p, w) / p.lam, p.w, step)
    return [(numeric, H @ step), bool(np.linalg.eigvalsh(H)[0] > -1e-9 * norm(H))]


@claim("book.naml.gap")
def the_gap_of_the_weights(p):
    q, b = naml.scores(p, p.w), inv(naml.A(p, p.w)) @ p.L
    gap = naml.F2(p, p.w) - naml.dual(p, 2 * b)
    value = naml.F2(p, p.w)
    return [
        (value + gap, value + (max(q) - sum(p.w * q)) / p.lam),
        (value - naml.F2(p, naml.best_weights(p)), "<=", gap),
    ]


def ridge(p: Problem, Q):
    """Squared residuals and penalty of kernel ridge regression of L, (5.49)."""
    return norm(p.L - p.G @ Q) ** 2 + p.lam * tr(Q.T @ p.G @ Q)


@claim("book.naml.ridge")
def the_complement_is_the_optimum_of_ridge_regression(p):
    Q = inv(p.G + p.lam * np.eye(p.n)) @ p.L
    b = inv(np.eye(p.n) + p.G / p.lam) @ p.L
    F2 = tr(p.L.T @ b)
    others = [Q + size * p.normal("other Q", p.n, p.K) for size in (-0.1, 0.1, 3)]
    return [
        (ridge(p, Q), F2),
        (p.L - p.G @ Q, b),
        *((F2, "<=", ridge(p, other)) for other in others),
    ]


def norms(p: Problem, coefficients):
    """The norm of each function, tr(C'GC)^(1/2)."""
    pairs = zip(coefficients, naml.hats(p), strict=True)
    return np.array([np.sqrt(tr(C.T @ G @ C)) for C, G in pairs])


def group_lasso(p: Problem, coefficients):
    """The right side of (5.50) for f_i = G_i C_i."""
    f = sum(G @ C for C, G in zip(coefficients, naml.hats(p), strict=True))
    return norm(p.L - f) ** 2 + p.lam * sum(norms(p, coefficients)) ** 2


@claim("book.naml.lasso")
def the_best_weights_solve_a_group_lasso(p):
    w = naml.best_weights(p)
    Q = inv(naml.A(p, w)) @ p.L / p.lam
    best = [w_i * Q for w_i in w]
    moves = [p.normal(f"C{i}", p.n, p.K) for i in range(len(w))]
    least = naml.F2(p, w)
    return [
        (group_lasso(p, best), least),
        (norms(p, best) / sum(norms(p, best)), w),
        *(
            (least, "<=", group_lasso(p, [C + s * D for C, D in zip(best, moves, strict=True)]))
            for s in (-0.1, 0.1, 3)
        ),
    ]


@claim("book.naml.fractional")
def the_matrix_fractional_function_is_a_maximum_of_linear_ones(p):
    first, second = naml.A(p, np.eye(len(p.w))[0]), naml.A(p, p.w**2)
    x, y = p.normal("x", p.n), p.normal("y", p.n)
    beta, step = 2 * inv(first) @ y, p.normal("step", p.n)

    def linear(beta, y, A):
        return beta @ y - beta @ A @ beta / 4

    def fraction(y, A):
        return y @ inv(A) @ y

    halves = (fraction(y, first) + fraction(x, second)) / 2
    return [
        (linear(beta, y, first), fraction(y, first)),
        (linear(beta + step, y, first), "<=", fraction(y, first)),
        (fraction((x + y) / 2, (first + second) / 2), "<=", halves),
    ]


def joint_value(p: Problem, w, kernels, lam):
    """phi(w): the objective at the best Q and L."""
    s = np.linalg.eigvalsh(np.tensordot(w, kernels, 1))[::-1][: p.K - 1]
    return sum(s / (s + lam))


@claim("book.naml.single", "K = 2", "w on the simplex")
def for_two_clusters_a_corner_is_best(p):
    views = [np.outer(u, u) / norm(u) ** 2 for u in p.normal("views", 2, p.n)]
    bank = np.array([*views, *naml.hats(p)])
    weights = np.array([[*(np.ones(2) / 2), *(0 * p.w)], [0, 0, *p.w]])
    best = max(joint_value(p, e, bank, p.lam) for e in np.eye(len(bank)))
    return [(joint_value(p, w, bank, p.lam), "<=", best) for w in weights]


@claim("book.naml.single", "w on the simplex")
def for_a_large_regulariser_a_corner_is_best(p):
    bank = naml.hats(p)
    sums = [np.linalg.eigvalsh(G)[::-1][: p.K - 1].sum() for G in bank]
    second, first = np.sort(sums)[-2:]
    if first - second < 1e-6:  # no kernel is ahead, and nothing is claimed
        return True
    lam, corner = 2 / (first - second), np.eye(len(bank))[int(np.argmax(sums))]
    values = [lam * joint_value(p, w, bank, lam) for w in (p.w, 0.9 * corner + 0.1 * p.w, corner)]
    return [(values[0], "<=", values[2]), (values[1], "<=", values[2])]


def corner_slope(p: Problem):
    """The slope of phi from the first corner towards the second, by eigenvectors."""
    here, there = naml.hats(p)[:2]
    values, U = np.linalg.eigh(here)
    pairs = zip(values[::-1][: p.K - 1], U.T[::-1], strict=False)
    return sum(p.lam / (s + p.lam) ** 2 * (u @ there @ u - s) for s, u in pairs)


@claim("book.naml.corner", "eigengap")
def the_slope_at_a_corner(p):
    bank = naml.hats(p)
    start, step = np.eye(len(bank))[0], np.eye(len(bank))[1] - np.eye(len(bank))[0]
    return slope(lambda w: joint_value(p, w, bank, p.lam), start, step), corner_slope(p)


@claim("book.naml.corner")
def the_slope_at_a_corner_is_a_difference_of_scores(p):
    here, there = naml.hats(p)[:2]
    b = inv(np.eye(p.n) + here / p.lam) @ top(here, p.K - 1)
    return 1 + corner_slope(p), 1 + (tr(b.T @ there @ b) - tr(b.T @ here @ b)) / p.lam


# Chapter 6 --------------------------------------------------------------------------------------


@claim("book.representer")
def bumps_elsewhere_only_add_norm(p):
    sigma = p.sigma / 3
    elsewhere = p.normal("elsewhere", 4, p.d) + p.X.mean(axis=0)
    centres = np.vstack([p.X, elsewhere])
    coefficients = p.normal("coefficients", p.n + 4)
    values = gaussian(p.X, centres, sigma) @ coefficients
    G = gaussian(p.X, p.X, sigma)
    a = pinv(G) @ values
    return [
        (G @ a, values),
        (a @ G @ a, "<=", coefficients @ gaussian(centres, centres, sigma) @ coefficients),
    ]


def weighted_means(p: Problem, lam=None):
    """C and m of (6.22)."""
    C = p.G @ p.G + (p.lam if lam is None else lam) * np.eye(p.n)
    return C, inv(p.L.T @ inv(C) @ p.L) @ p.L.T @ inv(C) @ p.X


@claim("book.field", "L orthonormal")
def the_field_without_a_projector(p):
    C, m = weighted_means(p)
    moved, off = p.X + p.G @ best(p), p.X - p.L @ m
    return [
        (moved, p.L @ m + p.lam * inv(C) @ off),
        (best(p), -p.G @ inv(C) @ off),
        (p.L.T @ moved, m),
    ]


@claim("book.profile", "L orthonormal")
def the_least_objective_without_psi(p):
    C, m = weighted_means(p)
    off = p.X - p.L @ m
    return J(p, best(p)), p.lam * tr(off.T @ inv(C) @ off)


@claim("book.collapse", "L orthonormal", "G nonsingular")
def the_least_objective_is_bounded_by_a_full_collapse(p):
    pull = inv(p.G) @ residual_maker(p) @ p.X
    return J(p, best(p)), "<=", p.lam * norm(pull) ** 2


@claim("book.collapse", "L orthonormal")
def the_least_objective_grows_with_the_stiffness(p):
    P = residual_maker(p)
    lam = p.lam + 1e-20j  # the derivative is the imaginary part
    Psi = -inv(p.G @ P @ p.G + lam * np.eye(p.n)) @ p.G @ P @ p.X
    rest = P @ (p.X + p.G @ Psi)
    least = np.sum(rest * rest) + lam * np.sum(Psi * Psi)
    return least.imag / 1e-20, norm(best(p)) ** 2


def rough_cost(p: Problem, Psi, X):
    return norm(residual_maker(p) @ (X + p.G @ Psi)) ** 2 + p.lam * tr(Psi.T @ p.G @ Psi)


def least_rough(p: Problem):
    P = residual_maker(p)
    return -inv(P @ p.G + p.lam * np.eye(p.n)) @ P @ p.X


@claim("book.smoothness", "L orthonormal")
def the_field_of_least_roughness(p):
    Psi, step = least_rough(p), psi(p)
    return rough_cost(p, Psi + step, p.X), rough_cost(p, Psi, p.X) + rough_cost(p, step, 0)


@claim("book.smoothness")
def the_field_of_least_roughness_in_the_package(p):
    return [
        (deformation(p.X, p.G, p.L, p.lam, penalty="smoothness"), least_rough(p)),
        (
            objective(p.X, p.G, p.L, psi(p), p.lam, penalty="smoothness"),
            rough_cost(p, psi(p), p.X),
        ),
    ]


@claim("book.springs")
def springs_between_neighbours(p):
    tau, Delta, step = p.lam, p.kernels[0], psi(p)

    def cost(Psi, X=p.X):
        moved = X + p.G @ Psi
        return tr(moved.T @ Delta @ moved) + tr(Psi.T @ p.G @ Psi) / tau

    moved = inv(np.eye(p.n) + tau * p.G @ Delta) @ p.X
    Psi = -tau * Delta @ moved
    return [(p.X + p.G @ Psi, moved), (cost(Psi + step), cost(Psi) + cost(step, X=0))]


@claim("book.ridge")
def the_objective_is_that_of_a_ridge_regression(p):
    P, Psi = residual_maker(p), psi(p)
    loss = norm(-P @ p.X - P @ p.G @ Psi) ** 2 + p.lam * norm(Psi) ** 2
    return objective(p.X, p.G, p.L, Psi, p.lam), loss


@claim("book.ridge", "L orthonormal")
def the_best_field_is_that_ridge_regression(p):
    P = residual_maker(p)
    features = P @ p.G
    ridge = inv(features.T @ features + p.lam * np.eye(p.n)) @ features.T @ (-P @ p.X)
    return best(p), ridge


@claim("book.shrinkage", "L orthonormal")
def along_a_pattern_a_fixed_share_stays(p):
    P = residual_maker(p)
    e, rho, _ = np.linalg.svd(P @ p.G)
    share = p.lam / (rho**2 + p.lam)
    least = sum(w * norm(x) ** 2 for w, x in zip(share, e.T @ P @ p.X, strict=True))
    moved = p.X + p.G @ best(p)
    return [(e.T @ P @ moved, share[:, None] * (e.T @ P @ p.X)), (J(p, best(p)), least)]


@claim("book.gls", "L orthonormal")
def the_least_objective_is_a_likelihood(p):
    C, m = weighted_means(p)

    def deviance(m):
        off = p.X - p.L @ m
        return tr(off.T @ inv(C) @ off) + p.d * (np.linalg.slogdet(C)[1] + p.n * np.log(2 * np.pi))

    other = m + p.normal("other means", p.K, p.d)
    log_det = np.sum(np.log(2 * np.pi * np.linalg.eigvalsh(C)))
    process = p.G @ p.G @ inv(C) @ (p.X - p.L @ m)
    return [
        (deviance(m), J(p, best(p)) / p.lam + p.d * log_det),
        (deviance(m), "<=", deviance(other)),
        (p.X + p.G @ best(p), p.X - process),
    ]


# Chapter 7 --------------------------------------------------------------------------------------


@claim("book.tempered")
def the_tempered_entropy(p):
    t, lam = small(p), 0.2 + 0.15 * (p.seed % 5)
    closed = np.log(1 + np.exp(t)) - (1 - lam) * np.log(1 + np.exp(t / (1 - lam)))
    return [
        (lam * renyi(1 / (1 + np.exp(t)), lam), closed),
        (tempered_entropy(t, lam), closed),
    ]


@claim("book.laplacian")
def a_weighted_sum_of_pairs_is_a_laplacian(p):
    r, (i, j) = p.normal("r", len(p.t)), p.pairs
    R = np.zeros((p.n, p.n))
    R[i, j] = R[j, i] = r
    D = np.diag(R.sum(axis=1))
    sums = [x @ (D - R) @ x for x in p.X.T]
    return [(r @ p.v, sums), (AllPairs(p.X).adjoint(r), sums)]


def weighted(p: Problem):
    """w_ij = (v_ij, -1), the features of a pair, and a metric with its threshold."""
    size = np.abs(p.t).max()
    return np.column_stack([p.v, -np.ones(len(p.v))]), 4 * np.append(p.theta, p.mu) / size


@claim("book.cccp")
def a_step_of_daem_is_a_concave_convex_step(p):
    w, start = weighted(p)
    lam, Q = 0.7, beliefs(p, w @ start, 0.7)
    hidden, apart = p.kinds == 0, p.kinds == -1

    def f(x):
        return np.sum(np.log(1 + np.exp(np.where(apart, -1, 1) * (w @ x))))

    def h(x):
        return (1 - lam) * np.sum(np.log(1 + np.exp((w @ x)[hidden] / (1 - lam))))

    slope_of_h = (1 - Q)[hidden] @ w[hidden]
    step = 0.3 * p.normal("step", len(start)) * np.abs(start)
    bound = f(start + step) - h(start) - slope_of_h @ step
    return [
        (
            m_cost(p, w @ (start + step), Q) - m_cost(p, w @ start, Q),
            bound - f(start) + h(start),
        ),
        (10 + slope(h, start, step), 10 + slope_of_h @ step),
        (f(start + step) - h(start + step), "<=", bound),
        (f(start) - h(start), tempered_cost(p, w @ start, lam)),
    ]


@claim("book.hot")
def beliefs_are_even_when_hot_and_the_threshold_is_a_hill_when_cold(p):
    t, T, h = small(p), 0.3 + 1.1 * (p.seed % 5), 1e-3

    def g(t, T=T):
        return np.log(1 + np.exp(t)) - T * np.log(1 + np.exp(t / T))

    return [
        (np.abs(e_step(t, 1 - T) - 0.5), "<=", np.abs(t) / (4 * T)),
        (1 + g(t, 1.0), np.ones(len(t))),
        (10 + (g(h) - 2 * g(0.0) + g(-h)) / h**2, 10 + (1 - 1 / T) / 4),
        ((T - 1) * g(t), "<=", (T - 1) * g(2 * t)),  # a valley, or a hill, on both sides
    ]


@claim("book.push")
def what_an_unlabelled_pair_asks_for(p):
    t, lam = small(p), 0.1 + 0.18 * (p.seed % 5)
    s = 1 / (1 + np.exp(-t))
    sharp = 1 / (1 + np.exp(-t / (1 - lam)))
    by_shannon = slope(lambda x: lam * shannon_entropy(x), t, 1.0)
    by_renyi = slope(lambda x: tempered_entropy(x, lam), t, 1.0)
    return [(10 + by_shannon, 10 - lam * t * s * (1 - s)), (10 + by_renyi, 10 + s - sharp)]


@claim("book.margin", "pairs separated")
def a_vanishing_penalty_gives_the_largest_margin(p):
    told = p.kinds != 0
    v, side = p.v[told], -p.kinds[told]
    k, tau = v.shape[1], 1e-4
    rows = np.column_stack([-side[:, None] * v, side, np.ones(len(v))])
    unit = {"A_eq": [[*np.ones(k), 0, 0]], "b_eq": [1]}
    bounds = [(0, None)] * (k + 1) + [(None, None)]
    ends = linprog([0] * (k + 1) + [-1], rows, np.zeros(len(v)), **unit, bounds=bounds)
    most = -ends.fun
    if not most > 0:
        raise ValueError("no line separates these pairs")
    v = v / most  # so that the largest margin is one
    cost = PairCost(ListedPairs(v), (1 - side) / 2, np.ones(len(v)), tau)
    x = projected_newton(cost, np.full(k + 1, 0.1), np.append(v.mean(axis=0), 1.0)).x
    margin = np.min(side * (v @ x[:-1] - x[-1])) / x[:-1].sum()
    B = np.log(1 / tau) + len(v)
    if not (tau < 1 and 2 * tau * B <= 1):
        raise ValueError("the penalty is too large for the bound")
    return [(margin, "<=", 1.0), ((np.log(1 / tau) - np.log(2 * B)) / B, "<=", margin)]


# Chapter 13 -------------------------------------------------------------------------------------


def softmax_weights(p: Problem):
    return p.normal("B", p.d, p.K) / np.sqrt(p.d), p.normal("b", p.K)


def classes(p: Problem):
    """pi_i of (13.1), by odds."""
    B, b = softmax_weights(p)
    odds = np.array([np.exp(B.T @ x + b) for x in p.X])
    return odds / odds.sum(axis=1, keepdims=True)


def random_classes(p: Problem, count):
    """Class vectors inside the simplex and at its corners."""
    soft = p.rng("classes").dirichlet(0.3 * np.ones(p.K), size=count)
    soft[p.seed % count] = np.eye(p.K)[p.seed % p.K]
    return soft


@claim("book.latent.classes")
def class_probabilities(p):
    return np.exp(log_responsibilities(p.X, *softmax_weights(p))), classes(p)


@claim("book.latent.same")
def two_draws_agree(p):
    r = classes(p)
    joint = np.einsum("ia,jb->ijab", r, r)
    agree = sum(joint[:, :, c, c] for c in range(p.K))
    return [(same_class(r, r), agree), (joint.sum(axis=(2, 3)), np.ones((p.n, p.n)))]


@claim("book.latent.transitive")
def together_is_almost_transitive(p):
    i, j, k = random_classes(p, 3)
    return 1 + i @ j + j @ k - 1, "<=", 1 + i @ k


@claim("book.latent.strangers")
def more_samples_than_classes_are_not_all_strangers(p):
    r = random_classes(p, p.K + 1)
    most = max(r[i] @ r[j] for j in range(p.K + 1) for i in range(j))
    even = np.vstack([np.eye(p.K), np.full(p.K, 1 / p.K)])  # where the bound is attained
    attained = max(even[i] @ even[j] for j in range(p.K + 1) for i in range(j))
    return [(1 / p.K, "<=", most), (attained, 1 / p.K)]


@claim("book.latent.information")
def entropies_differ_by_the_information(p):
    r = classes(p)
    average = sum(r) / p.n
    information = sum(r_i @ np.log(r_i / average) for r_i in r) / p.n
    return sum(entr(r_i).sum() for r_i in r) / p.n - entr(average).sum(), -information


def latent_problem(p: Problem, gamma=0.7):
    must, cannot = (np.column_stack(p.pairs)[p.kinds == kind] for kind in (1, -1))
    ridge = gamma / (len(must) + len(cannot))
    return LatentProblem(p.X, must, cannot, p.K, lam=p.lam, balance=1.0, ridge=ridge)


def penalty(p: Problem, gamma=0.7):
    B, b = softmax_weights(p)
    return gamma * norm(B) ** 2 / (2 * np.sum(p.kinds != 0)) + 1e-4 * norm(b) ** 2


@claim("book.latent.objective")
def the_cost_of_latent_classes(p):
    problem, r = latent_problem(p), classes(p)
    logs = sum(np.log(r[i] @ r[j]) for i, j in problem.must)
    logs += sum(np.log(1 - r[i] @ r[j]) for i, j in problem.cannot)
    entropies = entr(r).sum(axis=1).mean() - entr(r.mean(axis=0)).sum()
    weights = np.vstack(softmax_weights(p)).ravel()
    by_hand = -logs / problem.n_pairs + p.lam * entropies + penalty(p)
    return latent_objective(weights, problem)[0], by_hand


@claim("book.latent.floor")
def the_cost_has_a_floor(p):
    weights = np.vstack(softmax_weights(p)).ravel()
    floor = penalty(p) - p.lam * np.log(p.K)
    return 5 + floor, "<=", 5 + latent_objective(weights, latent_problem(p))[0]


@claim("book.latent.gradient")
def the_slope_of_a_pair_in_the_logits(p):
    z_i, z_j, step = (p.normal(name, p.K) for name in ("z_i", "z_j", "step"))
    pi, pj = softmax(z_i), softmax(z_j)
    P = pi @ pj
    q_same, q_other = pi * pj / P, pi * (1 - pj) / (1 - P)
    logs, ends = np.log([pi, pj]), np.array([[0, 1]])
    package = [pair_terms(logs, ends, same=same)[1][0] for same in (True, False)]
    return [
        (slope(lambda z: -np.log(softmax(z) @ pj), z_i, step), (pi - q_same) @ step),
        (slope(lambda z: -np.log(1 - softmax(z) @ pj), z_i, step), (pi - q_other) @ step),
        (package, [q_same, q_other]),
    ]


@claim("book.latent.kernel")
def the_kernel_block_has_the_distances_of_the_kernel(p):
    D = cdist(p.X, p.X)
    g = np.exp(-2 * D**2 / np.median(D[D > 0]) ** 2)
    coordinates = kernel_block(D, p.n).at(D)
    C = center(p.n)
    return [
        (cdist(coordinates, coordinates, "sqeuclidean"), 2 - 2 * g),
        (coordinates @ coordinates.T, C @ g @ C),
    ]


def walk(p: Problem, D):
    """The weights of the graph in which all are neighbours, each row divided by its sum."""
    apart = np.sort(D, axis=1)[:, min(7, p.n - 1)]
    s = np.maximum(apart, 1e-6 * median_distance(D))
    W = np.exp(-(D**2) / np.outer(s, s))
    return W / W.sum(axis=1, keepdims=True), W.sum(axis=1)


@claim("book.latent.graph")
def the_graph_block_holds_eigenvectors_of_a_walk(p):
    D = cdist(p.X, p.X)
    f = graph_block(D, p.n, p.n).at(D)
    step, degree = walk(p, D)
    weight = degree / degree.sum()
    off = f - weight @ f
    variance = weight @ off**2
    omega = (weight @ (off * (step @ off))) / variance
    return [
        (step @ f, f * omega),
        (variance * (1 - SPREAD * omega), np.full(len(omega), 1 - SPREAD)),
    ]


@claim("book.latent.extension")
def a_new_sample_has_the_mean_of_its_neighbours(p):
    D = cdist(p.X, p.X)
    block = graph_block(D, p.n, p.n)
    f, (step, degree) = block.at(D), walk(p, D)
    weight = degree / degree.sum()
    omega = (weight @ (f * (step @ f))) / (weight @ f**2)
    new = p.normal("new", 3, p.d) + p.X.mean(axis=0)
    far = cdist(new, p.X)
    s = np.sort(far, axis=1)[:, min(7, p.n - 1)]
    w = np.exp(-(far**2) / np.outer(s, np.sort(D, axis=1)[:, min(7, p.n - 1)]))
    extended = w / w.sum(axis=1, keepdims=True) @ f / omega
    return [(block.at(far), extended), (step @ f / omega, f)]


# Chapter 11 -------------------------------------------------------------------------------------


@claim("book.bent.thin")
def a_thin_feature_does_not_change_the_neighbours(p):
    v = p.normal("v", p.n)
    between = cdist(p.X, p.X, "sqeuclidean")
    most = max((a - b) ** 2 for a in v for b in v)
    said = []
    for width in (0.01, 0.2, 1.5):
        wide = cdist(*[np.column_stack([p.X, width * v])] * 2, "sqeuclidean")
        said.append((wide, between + width**2 * (v[:, None] - v) ** 2))
        surely = between[:, :, None] + width**2 * most < between[:, None, :] * (1 - 1e-9)
        said.append(bool(np.all((wide[:, :, None] < wide[:, None, :])[surely])))
    return said


def any_metric(p: Problem):
    """A, singular where there are more than two features."""
    W = p.normal("W", p.d, 2)
    return W @ W.T


@claim("book.bent.straight")
def a_metric_cuts_straight(p):
    A, (m, other), (x, z) = any_metric(p), p.normal("centres", 2, p.d), p.X[[0, -1]]

    def gap(x):
        return (x - m) @ A @ (x - m) - (x - other) @ A @ (x - other)

    between = [gap(w * x + (1 - w) * z) for w in (0.1, 0.5, 0.8)]
    return [
        (10 + gap(x), 10 + 2 * (other - m) @ A @ x + m @ A @ m - other @ A @ other),
        (10 + np.array(between), "<=", 10 + np.full(3, max(gap(x), gap(z)))),
    ]


def pair_arrays(p: Problem):
    return [np.column_stack(p.pairs)[p.kinds == kind] for kind in (1, -1)]


@claim("book.bent.span")
def the_metric_of_pairs_lives_in_their_span(p):
    problem = itml_problem(p.X, *pair_arrays(p))
    Q = np.linalg.svd(problem.V, full_matrices=False)[2].T
    inner = ITMLProblem(problem.V @ Q, problem.delta, problem.bounds, problem.gamma)
    core, A = (next(islice(itml_steps(x), 4, None)).metric for x in (inner, problem))
    eye = np.eye(p.d)
    return [
        (A, eye + Q @ (core - np.eye(Q.shape[1])) @ Q.T),
        (A, eye + Q @ (Q.T @ A @ Q - np.eye(Q.shape[1])) @ Q.T),
    ]


@claim("book.bent.space")
def the_learned_space_has_the_learned_distances(p):
    must, cannot = pair_arrays(p)
    task = PairTask(p.X, must, cannot, p.K, None, max_iter=5, tol=0.0)
    learned = learned_metric(p.X, must, cannot, task)
    A = next(islice(itml_steps(itml_problem(p.X, must, cannot)), 4, None)).metric
    values, U = np.linalg.eigh(A)
    gaps = p.X[:, None] - p.X
    return [
        (
            cdist(*[learned.at(p.X, power)] * 2, "sqeuclidean"),
            np.einsum("ija,ab,ijb->ij", gaps, (U * values**power) @ U.T, gaps),
        )
        for power in (0.5, 1.0)
    ]


def said_and_found(p: Problem):
    """e, a, and the probabilities that a pair is wrong (row) and contradicted (column)."""
    e, a = p.rng("shares").uniform(0.02, 0.48), p.rng("skill").uniform(0.1, 0.98)
    return e, a, np.array([[(1 - e) * a, (1 - e) * (1 - a)], [e * (1 - a), e * a]])


def counted_pairs_of_one_kind(p: Problem):
    """Share of the contradicted must-links that are wrong, and the fraction with its two shares."""
    rng = p.rng("kinds")
    truth, found = rng.integers(5, size=(2, 300, 2))
    together, joined = truth[:, 0] == truth[:, 1], found[:, 0] == found[:, 1]
    e = np.mean(~together)  # all are said to be must-links
    of_right, of_wrong = np.mean(joined[together]), np.mean(~joined[~together])
    fraction = e * of_wrong / (e * of_wrong + (1 - e) * (1 - of_right))
    return np.mean(~together[~joined]), fraction


@claim("book.bent.wrong")
def a_contradicted_pair_is_wrong_if_the_clusters_are_better(p):
    e, a, joint = said_and_found(p)
    wrong = joint[1, 1] / joint[:, 1].sum()
    counted, of_kind = counted_pairs_of_one_kind(p)
    return [
        (wrong_if_contradicted(e, a), wrong),
        bool((wrong > 0.5) == (a > 1 - e)),
        (of_kind, counted),
    ]


@claim("book.bent.trust")
def the_agreement_tells_whether_the_clusters_are_better(p):
    e, a, joint = said_and_found(p)
    agree = joint[:, 0].sum()
    formula = (1 - e) * a + e * (1 - a)
    return [(agree, formula), bool((agree > (1 - e) ** 2 + e**2) == (a > 1 - e))]
