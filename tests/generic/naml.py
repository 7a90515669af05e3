"""The equations of NAML and of the adaptive metric (AML) that it starts from."""

from functools import cache
from itertools import permutations

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from generic.direct import center, inv, means, norm, pinv, slope, sse, top, total, tr
from generic.problems import Array, Problem, orthonormal
from generic.registry import claim, excuse
from umlbook.algebra import indicator, one_hot
from umlbook.naml import laplacian_kernel
from umlbook.naml.weights import (
    as_bank,
    resolvent,
    simplex_quadratic_minimum,
    weight_point,
)
from umlbook.scores import clustering_accuracy

# The adaptive metric -------------------------------------------------------------------------


def W(p: Problem):
    """A linear map to fewer features, or to one."""
    return p.normal("map", p.d, max(1, p.d // 2))


def covariance(X):
    return total(X) / len(X)


def S(p: Problem):
    return covariance(p.X) + p.lam * np.eye(p.d)


def mahalanobis(p: Problem):
    """Eq. 2: the distance of two projected samples."""
    inverse = inv(W(p).T @ S(p) @ W(p))
    return lambda x, z: np.sqrt((x - z) @ inverse @ (x - z))


def inner_and_outer(p: Problem):
    """SSE and SSIE, Eqs. 7 and 8."""
    rows, d_M = p.X @ W(p), mahalanobis(p)
    m, mu = means(rows, p.labels), sum(rows) / p.n
    inner = sum(d_M(x, m[c]) ** 2 for x, c in zip(rows, p.labels, strict=True))
    outer = sum(n_j * d_M(m_j, mu) ** 2 for n_j, m_j in zip(p.sizes, m, strict=True))
    return inner, outer


def root_inverse(A: Array) -> Array:
    values, V = np.linalg.eigh(A)
    return (V / np.sqrt(values)) @ V.T


def projected_trace(p: Problem, X, scatter, map_):
    """tr(L'XW (W'SW)^+ W'X'L)."""
    inner = pinv(map_.T @ scatter @ map_)
    return tr(p.L.T @ X @ map_ @ inner @ map_.T @ X.T @ p.L)


@claim("naml.1")
def each_sample_is_projected(p):
    return p.X @ W(p), [
        [sum(a * b for a, b in zip(w, x, strict=True)) for w in W(p).T] for x in p.X
    ]


@claim("naml.2")
def the_distance_is_euclidean_after_whitening(p):
    rows = p.X @ W(p)
    white = rows @ root_inverse(W(p).T @ S(p) @ W(p))
    return mahalanobis(p)(rows[0], rows[1]), norm(white[0] - white[1])


@claim("naml.3")
def the_covariance_of_projections_is_biased(p):
    rows = p.X @ W(p)
    return covariance(rows), np.atleast_2d(np.cov(rows.T, bias=True))


@claim("naml.4")
def the_covariance_of_projections_is_projected(p):
    return covariance(p.X @ W(p)), W(p).T @ covariance(p.X) @ W(p)


@claim("naml.5", "X centred")
def the_covariance_of_centred_data(p):
    return covariance(p.X), p.X.T @ p.X / p.n


@claim("naml.6", "X centred")
def the_regularised_covariance(p):
    return S(p), p.X.T @ p.X / p.n + p.lam * np.eye(p.d)


@claim("naml.7")
def the_sum_within_is_kmeans_after_whitening(p):
    white = p.X @ W(p) @ root_inverse(W(p).T @ S(p) @ W(p))
    return inner_and_outer(p)[0], sse(white, p.labels)


@claim("naml.8")
def the_sum_between_is_what_kmeans_leaves(p):
    white = p.X @ W(p) @ root_inverse(W(p).T @ S(p) @ W(p))
    return inner_and_outer(p)[1], tr(total(white)) - sse(white, p.labels)


def whole(p: Problem):
    """The sum of squared distances to the mean."""
    rows, d_M = p.X @ W(p), mahalanobis(p)
    return sum(d_M(x, rows.mean(axis=0)) ** 2 for x in rows)


@claim("naml.claim.constant")
def the_two_sums_have_a_fixed_total(p):
    rows, d_M, (i, j) = p.X @ W(p), mahalanobis(p), p.pairs
    pairs = sum(d_M(x, z) ** 2 for x, z in zip(rows[i], rows[j], strict=True))
    return [(sum(inner_and_outer(p)), whole(p)), (pairs / p.n, whole(p))]


@claim("naml.claim.constant", "X centred")
def the_total_is_a_trace(p):
    inner = inv(W(p).T @ S(p) @ W(p))
    return p.n * tr(inner @ W(p).T @ (p.X.T @ p.X / p.n) @ W(p)), whole(p)


@claim("naml.9")
def the_one_hot_indicator(p):
    F = one_hot(p.labels)
    return [
        (F, [[float(c == j) for j in range(p.K)] for c in p.labels]),
        (F.sum(axis=1), np.ones(p.n)),
        (F.sum(axis=0), p.sizes),
    ]


@claim("naml.10")
def the_indicator_has_orthonormal_columns(p):
    F = p.Z
    L = F @ root_inverse(F.T @ F)
    return [(indicator(p.labels), L), (L.T @ L, np.eye(p.K))]


@claim("naml.11")
def the_indicator_entry_by_entry(p):
    F = p.Z
    by_entry = [[(c == j) / np.sqrt(p.sizes[j]) for j in range(p.K)] for c in p.labels]
    return F @ root_inverse(F.T @ F), by_entry


@claim("naml.text.ssie", "X centred", "L indicator")
def the_sum_between_is_a_trace(p):
    return inner_and_outer(p)[1], projected_trace(p, p.X, S(p), W(p))


@claim("naml.12")
def the_best_projection_of_given_labels(p):
    best = tr(p.L.T @ p.X @ inv(S(p)) @ p.X.T @ p.L)
    star = inv(S(p)) @ p.X.T @ p.L
    others = [p.normal(f"other {i}", p.d, size) for i, size in enumerate((1, p.K, p.d))]
    others += [star + 0.1 * norm(star) * p.normal("near", p.d, p.K)]
    return [
        (projected_trace(p, p.X, S(p), star), best),
        *((projected_trace(p, p.X, S(p), other), "<=", best) for other in others),
    ]


# A kernel in the place of the data ------------------------------------------------------------


def Phi(p: Problem):
    """Features with G = Phi Phi', more of them than samples."""
    values, V = np.linalg.eigh(p.G)
    root = V * np.sqrt(np.maximum(values, 0))
    return root @ orthonormal(p.normal("features", p.n + 3, p.n)).T


def Q(p: Problem):
    return p.normal("Q", p.n, p.K)


def H(p: Problem, lam=None):
    """G (G + lam I)^-1."""
    lam = p.lam if lam is None else lam
    return p.G @ inv(p.G + lam * np.eye(p.n))


def scatters(p: Problem):
    """S_K1 and S_K2, Eq. 21."""
    return p.G @ p.L @ p.L.T @ p.G, p.G @ p.G + p.lam * p.G


def F1(p: Problem, Q):
    """Eq. 20; the pseudo-inverse where columns of GQ depend on each other."""
    one, two = scatters(p)
    return tr(pinv(Q.T @ two @ Q) @ Q.T @ one @ Q)


def kernel_trace(p: Problem, L, Q):
    """Eq. 15 as it stands."""
    inner = pinv(Q.T @ (p.G @ p.G + p.lam * p.G) @ Q)
    return tr(L.T @ p.G @ Q @ inner @ Q.T @ p.G @ L)


def g_tilde(p: Problem, Q):
    """Eq. 19."""
    inner = pinv(Q.T @ (p.G @ p.G + p.lam * p.G) @ Q)
    return p.G @ Q @ inner @ Q.T @ p.G


def spectrum(p: Problem):
    """U_1 and the diagonal of Sigma_t."""
    values, U = np.linalg.eigh(p.G)
    return U[:, values > 1e-9], values[values > 1e-9]


excuse("a map without a formula", "naml.text.map")


@claim("naml.text.kernel")
def inner_products_of_features_are_a_psd_matrix(p):
    G = [[x @ z for z in Phi(p)] for x in Phi(p)]
    return [(G, p.G), np.linalg.eigvalsh(G)[0] > -1e-9]


@claim("naml.text.objective")
def the_objective_in_feature_space_has_its_maximum(p):
    F = Phi(p)
    scatter = F.T @ F + p.lam * np.eye(F.shape[1])
    best = tr(p.L.T @ F @ inv(scatter) @ F.T @ p.L)
    others = [p.normal(f"W{i}", F.shape[1], p.K) for i in range(3)]
    return [
        (projected_trace(p, F, scatter, inv(scatter) @ F.T @ p.L), best),
        *((projected_trace(p, F, scatter, other), "<=", best) for other in others),
    ]


@claim("naml.13")
def the_regulariser_belongs_to_the_scatter(p):
    F = Phi(p)
    map_ = F.T @ Q(p)
    return projected_trace(p, F, F.T @ F + p.lam * np.eye(F.shape[1]), map_), kernel_trace(
        p, p.L, Q(p)
    )


@claim("naml.14")
def a_part_outside_the_span_of_the_samples_does_not_help(p):
    F = Phi(p)
    scatter = F.T @ F + p.lam * np.eye(F.shape[1])
    outside = np.linalg.svd(F)[2][p.n :].T
    map_ = F.T @ Q(p)
    wider = map_ + outside @ p.normal("outside", outside.shape[1], p.K)
    return projected_trace(p, F, scatter, wider), "<=", projected_trace(p, F, scatter, map_)


@claim("naml.15")
def the_objective_by_the_kernel_alone(p):
    F = Phi(p)
    scatter = F.T @ F + p.lam * np.eye(F.shape[1])
    return kernel_trace(p, p.L, Q(p)), projected_trace(p, F, scatter, F.T @ Q(p))


@claim("naml.16", "L orthonormal")
def the_objective_is_at_most_k(p):
    best = inv(p.G + p.lam * np.eye(p.n)) @ p.L
    return [(kernel_trace(p, p.L, q), "<=", float(p.K)) for q in (Q(p), best)]


@claim("naml.17", "w on the simplex")
def mixtures_of_trace_one(p):
    r = np.array([tr(G) for G in p.kernels])
    theta = p.w / r
    G = sum(t * G_i for t, G_i in zip(theta, p.kernels, strict=True))
    return [(theta @ r, 1.0), (tr(G), 1.0)]


@claim("naml.18", "L orthonormal")
def the_objective_in_l_is_a_ky_fan_problem(p):
    G = g_tilde(p, Q(p))
    largest = np.linalg.eigvalsh(G)[::-1][: p.K].sum()
    return kernel_trace(p, p.L, Q(p)), "<=", largest


@claim("naml.18")
def the_leading_eigenvectors_are_the_best_l(p):
    G = g_tilde(p, Q(p))
    largest = np.linalg.eigvalsh(G)[::-1][: p.K].sum()
    return kernel_trace(p, top(G, p.K), Q(p)), largest


@claim("naml.19")
def the_matrix_of_the_l_step(p):
    values = np.linalg.eigvalsh(g_tilde(p, Q(p)))
    best = inv(p.G + p.lam * np.eye(p.n)) @ p.L
    HL = H(p) @ p.L
    return [
        (g_tilde(p, Q(p)), g_tilde(p, Q(p)).T),
        bool(values[0] > -1e-9 and values[-1] < 1),
        (g_tilde(p, best), HL @ pinv(p.L.T @ HL) @ HL.T),
    ]


@claim("naml.thm3.1", "L orthonormal")
def ky_fan_for_the_l_step(p):
    G = g_tilde(p, Q(p))
    largest = np.linalg.eigvalsh(G)[::-1][: p.K].sum()
    return tr(p.L.T @ G @ p.L), "<=", largest


@claim("naml.thm3.1")
def ky_fan_is_reached_up_to_a_rotation(p):
    G = g_tilde(p, Q(p))
    largest = np.linalg.eigvalsh(G)[::-1][: p.K].sum()
    best = top(G, p.K) @ orthonormal(p.normal("P", p.K, p.K))
    return tr(best.T @ G @ best), largest


@claim("naml.20")
def the_objective_in_q_is_the_same_trace(p):
    T = np.eye(p.K) + 0.3 * p.normal("T", p.K, p.K)
    return [(F1(p, Q(p)), kernel_trace(p, p.L, Q(p))), (F1(p, Q(p) @ T), F1(p, Q(p)))]


@claim("naml.21")
def the_two_scatters_in_feature_space(p):
    F, (one, two) = Phi(p), scatters(p)
    scatter = F.T @ F + p.lam * np.eye(F.shape[1])
    return [(F @ scatter @ F.T, two), (F @ F.T @ p.L @ p.L.T @ F @ F.T, one)]


def best_q(p: Problem):
    """The leading eigenvectors of S_K2^+ S_K1, as many as its rank."""
    one, two = scatters(p)
    values, vectors = np.linalg.eig(pinv(two) @ one)
    keep = values.real > 1e-9 * values.real.max()
    return vectors.real[:, keep]


@claim("naml.thm3.2")
def the_best_q(p):
    one, two = scatters(p)
    best = tr(pinv(two) @ one)
    closed = inv(p.G + p.lam * np.eye(p.n)) @ p.L
    others = [p.normal(f"Q{i}", p.n, size) for i, size in enumerate((1, p.K, p.K + 1))]
    spans = [top(M @ M.T, best_q(p).shape[1]) for M in (p.G @ best_q(p), H(p) @ p.L)]
    return [
        (F1(p, best_q(p)), best),
        (F1(p, closed), best),
        (spans[0] @ spans[0].T, spans[1] @ spans[1].T),
        *((F1(p, other), "<=", best) for other in others),
        *((F1(p, closed + 0.1 * other[:, :1]), "<=", best) for other in others),
    ]


@claim("naml.22")
def the_kernel_by_its_nonzero_eigenvalues(p):
    U_1, s = spectrum(p)
    return [(p.G, U_1 @ np.diag(s) @ U_1.T), (U_1.T @ U_1, np.eye(len(s)))]


def factor(p: Problem):
    """B, and the roots of Sigma_t^2 + lam Sigma_t."""
    U_1, s = spectrum(p)
    root = np.sqrt(s**2 + p.lam * s)
    return np.diag(s / root) @ U_1.T @ p.L, root


@claim("naml.text.P")
def the_factor_has_the_eigenvalues_of_the_quotient(p):
    B, _ = factor(p)
    one, two = scatters(p)
    singular = np.linalg.svd(B)[1]
    values = np.sort(np.linalg.eigvals(pinv(two) @ one).real)[::-1][: len(singular)]
    return singular**2, values


def diagonaliser(p: Problem):
    """Z of Eq. 23, and the singular values of B."""
    B, root = factor(p)
    M, singular, _ = np.linalg.svd(B)
    values, U = np.linalg.eigh(p.G)
    null = U[:, values <= 1e-9]
    return np.column_stack([spectrum(p)[0] @ (M / root[:, None]), null]), singular


@claim("naml.23")
def the_diagonaliser_is_nonsingular(p):
    Z, _ = diagonaliser(p)
    return np.linalg.slogdet(Z)[1], -np.sum(np.log(factor(p)[1]))


@claim("naml.24")
def both_scatters_become_diagonal(p):
    Z, singular = diagonaliser(p)
    one, two = scatters(p)
    t = len(spectrum(p)[1])
    first = np.append(singular**2, np.zeros(p.n - len(singular)))
    second = np.append(np.ones(t), np.zeros(p.n - t))
    return [(Z.T @ one @ Z, np.diag(first)), (Z.T @ two @ Z, np.diag(second))]


@claim("naml.claim.lda", "L indicator")
def an_indicator_gives_kernel_discriminant_analysis(p):
    m = means(p.G, p.labels)
    return scatters(p)[0], sum(n_j * np.outer(m_j, m_j) for n_j, m_j in zip(p.sizes, m, strict=1))


@claim("naml.25")
def the_profile_is_the_value_at_the_best_q(p):
    closed = inv(p.G + p.lam * np.eye(p.n)) @ p.L
    return [
        (F1(p, closed), tr(p.L.T @ H(p) @ p.L)),
        (F1(p, Q(p)), "<=", F1(p, closed)),
    ]


@claim("naml.26")
def four_forms_of_the_profile(p):
    one, two = scatters(p)
    U_1, s = spectrum(p)
    wanted = tr(pinv(two) @ one)
    return [
        (np.sum(diagonaliser(p)[1] ** 2), wanted),
        (tr(p.L.T @ p.G @ pinv(two) @ p.G @ p.L), wanted),
        (tr(p.L.T @ U_1 @ inv(np.eye(len(s)) + p.lam * np.diag(1 / s)) @ U_1.T @ p.L), wanted),
    ]


@claim("naml.text.resolvent")
def the_two_resolvents_add_up_to_one(p):
    s = spectrum(p)[1]
    values, U = np.linalg.eigh(p.G)
    blocks = np.where(values > 1e-9, 1 / (1 + values / p.lam), 1.0)
    eye = np.eye(len(s))
    return [
        (inv(eye + p.lam * np.diag(1 / s)) + inv(eye + np.diag(s) / p.lam), eye),
        (inv(np.eye(p.n) + p.G / p.lam), (U * blocks) @ U.T),
    ]


@claim("naml.27")
def the_profile_is_what_the_resolvent_leaves(p):
    resolved = inv(np.eye(p.n) + p.G / p.lam)
    one, two = scatters(p)
    return tr(pinv(two) @ one), tr(p.L.T @ p.L) - tr(p.L.T @ resolved @ p.L)


@claim("naml.claim.nullspace")
def eigenvalue_zero_contributes_nothing(p):
    U_1, s = spectrum(p)
    kept = sum(s_i / (s_i + p.lam) * norm(p.L.T @ u) ** 2 for s_i, u in zip(s, U_1.T, strict=1))
    return tr(p.L.T @ H(p) @ p.L), kept


@claim("naml.30", "G nonsingular")
def the_profile_of_a_nonsingular_kernel(p):
    return tr(p.L.T @ H(p) @ p.L), tr(p.L.T @ inv(np.eye(p.n) + p.lam * inv(p.G)) @ p.L)


# The weights of the kernels -------------------------------------------------------------------


def hats(p: Problem):
    """The kernels, of trace one."""
    return np.array([G / tr(G) for G in p.kernels])


def A(p: Problem, w):
    return np.eye(p.n) + np.tensordot(w, hats(p), 1) / p.lam


def F2(p: Problem, w):
    return tr(p.L.T @ inv(A(p, w)) @ p.L)


def scores(p: Problem, w):
    """q_i = tr(b' G_i b)."""
    b = inv(A(p, w)) @ p.L
    return np.array([tr(b.T @ G @ b) for G in hats(p)])


def dual(p: Problem, beta):
    """The value of Eq. 29, at the least t."""
    t = max(tr(beta.T @ G @ beta) for G in hats(p))
    return np.sum(beta * p.L) - np.sum(beta**2) / 4 - t / (4 * p.lam)


@claim("naml.28")
def the_gradient_of_the_weights(p):
    step = p.normal("step", len(p.w))
    numeric = slope(lambda w: F2(p, w), p.w, step)
    bank, L = as_bank(p.kernels), p.L - p.L.mean(axis=0)  # the package centres its kernels
    centred = [center(p.n) @ G @ center(p.n) for G in p.kernels]
    G = sum(w * K / tr(K) for w, K in zip(p.w, centred, strict=True))
    b = inv(np.eye(p.n) + G / p.lam) @ L
    package = weight_point(bank, L, p.lam, p.w, resolvent(bank, L, p.lam, p.w)).scores
    return [
        (numeric, -(scores(p, p.w) @ step) / p.lam),
        (package, [tr(b.T @ K @ b) / tr(K) for K in centred]),
    ]


def curvature(p: Problem, w):
    """Second derivatives of F_2, (5.24)."""
    inverse = inv(A(p, w))
    Gb = [G @ inverse @ p.L for G in hats(p)]
    return 2 / p.lam**2 * np.array([[tr(x.T @ inverse @ y) for y in Gb] for x in Gb])


@cache
def best_weights(p: Problem):
    """The minimum of F_2 on the simplex, by Newton's method."""
    w = np.full(len(p.w), 1 / len(p.w))
    for _ in range(12):
        w = simplex_quadratic_minimum(curvature(p, w), -scores(p, w) / p.lam, w)
    return w


@claim("naml.thm3.3", "w on the simplex")
def the_dual_bounds_the_weights(p):
    found = best_weights(p)
    b = inv(A(p, found)) @ p.L
    betas = [2 * b, 2 * b + 0.1 * p.normal("beta", *b.shape), 2 * inv(A(p, p.w)) @ p.L]
    return [(dual(p, beta), "<=", F2(p, w)) for beta in betas for w in (p.w, found)]


@claim("naml.thm3.3")
def the_dual_meets_the_best_weights(p):
    found = best_weights(p)
    return dual(p, 2 * inv(A(p, found)) @ p.L), F2(p, found)


@claim("naml.29")
def the_quadratic_form_is_a_maximum(p):
    a = A(p, p.w)
    beta = 2 * inv(a) @ p.L
    step = p.normal("step", p.n, p.K)

    def value(beta):
        return np.sum(beta * p.L) - tr(beta.T @ a @ beta) / 4

    return [
        (value(beta), F2(p, p.w)),
        (value(beta + step), value(beta) - tr(step.T @ a @ step) / 4),
    ]


@claim("naml.claim.theta", "w on the simplex")
def the_multipliers_have_a_fixed_sum(p):
    return sum(p.w / (4 * p.lam)), 1 / (4 * p.lam)


@claim("naml.claim.theta")
def the_multipliers_are_the_weights_up_to_four_lam(p):
    r = np.array([tr(G) for G in p.kernels])
    nu, b = p.w / (4 * p.lam), inv(A(p, p.w)) @ p.L
    theta = 4 * p.lam * nu / r
    kernel = np.tensordot(theta, np.array(p.kernels), 1)
    pull = sum(2 * nu_i * G @ (2 * b) for nu_i, G in zip(nu, hats(p), strict=True))
    return [
        (b + pull, p.L),  # the Lagrangian is stationary in beta = 2b
        (kernel, np.tensordot(p.w, hats(p), 1)),
    ]


@claim("naml.thm3.4", "L orthonormal")
def a_pass_in_the_corrected_order_does_not_lower_the_value(p):
    start = tr(p.L.T @ H(p) @ p.L)  # Q already the best for G
    G = g_tilde(p, inv(p.G + p.lam * np.eye(p.n)) @ p.L)
    L = top(G, p.K)
    stepped, next_ = tr(L.T @ G @ L), tr(L.T @ H(p) @ L)
    return [(start, "<=", stepped), (stepped, "<=", next_), (next_, "<=", float(p.K))]


@claim("naml.claim.small")
def the_matrix_of_a_small_regulariser_is_a_projector(p):
    lam, (U_1, _) = 1e-9, spectrum(p)
    return p.G @ pinv(p.G @ p.G + lam * p.G) @ p.G, U_1 @ U_1.T


def gain_of_large_lam(p: Problem, w, lam=1e9):
    """lam times what the weights take from F_2."""
    G = np.tensordot(w, hats(p), 1)
    return lam * tr(p.L.T @ G @ inv(G + lam * np.eye(p.n)) @ p.L)


@claim("naml.claim.large")
def a_large_regulariser_leaves_the_alignment(p):
    aligned = np.array([tr(p.L.T @ G @ p.L) for G in p.kernels]) / [tr(G) for G in p.kernels]
    return gain_of_large_lam(p, p.w), p.w @ aligned


@claim("naml.claim.large", "w on the simplex")
def a_large_regulariser_selects_the_best_aligned_kernel(p):
    aligned = [tr(p.L.T @ G @ p.L) / tr(G) for G in p.kernels]
    corner = np.eye(len(p.w))[int(np.argmax(aligned))]
    return gain_of_large_lam(p, p.w), "<=", gain_of_large_lam(p, corner)


@claim("naml.claim.equal", "G nonsingular")
def a_small_regulariser_leaves_the_inverse(p):
    lam, G = 1e-10, np.tensordot(p.w, hats(p), 1)
    small = tr(p.L.T @ inv(np.eye(p.n) + G / lam) @ p.L)
    return small / lam, tr(p.L.T @ pinv(G) @ p.L)


# Laplacians -----------------------------------------------------------------------------------


def laplacian(p: Problem):
    return np.diag([sum(row) for row in p.W]) - p.W


@claim("naml.31", "W symmetric")
def the_laplacian_is_psd(p):
    edges = sum(
        p.W[i, j] * np.outer(e, e)
        for i, j in zip(*p.pairs, strict=True)
        for e in [np.eye(p.n)[i] - np.eye(p.n)[j]]
    )
    return laplacian(p), edges


@claim("naml.31")
def the_laplacian_takes_constants_to_zero(p):
    return np.diag(p.W.sum(axis=1)) @ np.ones(p.n), p.W @ np.ones(p.n)


@claim("naml.32")
def the_entries_of_the_laplacian_sum_to_zero(p):
    one = np.ones(p.n)
    return one @ np.diag(p.W.sum(axis=1)) @ one, one @ p.W @ one


@claim("naml.prop3.1", "W symmetric")
def the_pseudo_inverse_of_the_laplacian_is_centred(p):
    inverse = np.linalg.pinv(laplacian(p), rcond=1e-9)
    return [
        (1 + inverse.sum(axis=1), np.ones(p.n)),
        (1 + inverse.sum(), 1.0),
        (laplacian_kernel(p.W), inverse),
    ]


@claim("naml.33", "W symmetric")
def the_profile_of_a_laplacian_kernel(p):
    lap, eye = laplacian(p), np.eye(p.n)
    kernel = np.linalg.pinv(lap, rcond=1e-9)
    null = eye - lap @ kernel
    profile = tr(p.L.T @ kernel @ inv(kernel + p.lam * eye) @ p.L)
    return profile, tr(p.L.T @ inv(eye + p.lam * lap) @ p.L) - tr(p.L.T @ null @ p.L)


# Scores ---------------------------------------------------------------------------------------


def two_partitions(p: Problem):
    other = p.rng("other").integers(p.K, size=p.n)
    other[: p.K] = np.arange(p.K)
    return p.labels, other


@claim("naml.34")
def accuracy_is_that_of_the_best_renaming(p):
    y, c = two_partitions(p)
    best = max(np.mean(y == np.array(names)[c]) for names in permutations(range(p.K)))
    return clustering_accuracy(y, c), best


@claim("naml.35")
def equal_labels_are_counted(p):
    y, c = two_partitions(p)
    agree = sum(1.0 if a == b else 0.0 for a, b in zip(y, c, strict=True))
    return tr(one_hot(y, p.K).T @ one_hot(c, p.K)), agree


@claim("naml.36")
def mutual_information_is_normalised_by_the_mean_entropy(p):
    y, c = two_partitions(p)
    joint = np.array([[np.mean((y == a) & (c == b)) for b in range(p.K)] for a in range(p.K)])
    p_y, p_c = joint.sum(axis=1), joint.sum(axis=0)
    information = sum(
        joint[a, b] * np.log(joint[a, b] / (p_y[a] * p_c[b])) for a, b in np.argwhere(joint > 0)
    )
    entropies = [-sum(q * np.log(q) for q in marginal) for marginal in (p_y, p_c)]
    return normalized_mutual_info_score(y, c), 2 * information / sum(entropies)


excuse("reads printed numbers", "naml.claim.improves")
