"""The equations of CPD-UML; where Y may be relaxed, L stands for it."""

import numpy as np

from generic.direct import (
    gaussian,
    inv,
    mean,
    means,
    norm,
    sse,
    tr,
)
from generic.problems import Problem, orthonormal
from generic.registry import claim
from umlbook.algebra import indicator, kmeans_objective
from umlbook.cpd import deformation, gradient, objective, velocity
from umlbook.kernels import rbf


def psi(p: Problem):
    return p.normal("psi", p.n, p.d)


def moved(p: Problem):
    """X_1 at a random Psi."""
    return p.X + p.G @ psi(p)


def residual_maker(p: Problem):
    """P = I - LL'."""
    return np.eye(p.n) - p.L @ p.L.T


def J(p: Problem, Psi, lam=None):
    """Eq. 13, with P written out."""
    lam = p.lam if lam is None else lam
    return norm(residual_maker(p) @ (p.X + p.G @ Psi)) ** 2 + lam * norm(Psi) ** 2


def M(p: Problem):
    return 2 * (p.G @ residual_maker(p) @ p.G + p.lam * np.eye(p.n))


def best(p: Problem):
    """Eq. 20."""
    P = residual_maker(p)
    return -inv(p.G @ P @ p.G + p.lam * np.eye(p.n)) @ p.G @ P @ p.X


@claim("cpd.text.tikhonov")
def point_drift_minimises_its_functional(p):
    step, target = psi(p), p.normal("T", p.n, p.d)

    def functional(Psi):
        misfit = target - p.X - p.G @ Psi
        return norm(misfit) ** 2 / 2 + p.lam / 2 * tr(Psi.T @ p.G @ Psi)

    found = inv(p.G + p.lam * np.eye(p.n)) @ (target - p.X)
    grown = norm(p.G @ step) ** 2 / 2 + p.lam / 2 * tr(step.T @ p.G @ step)
    return functional(found + step), functional(found) + grown


@claim("cpd.1")
def velocity_is_a_sum_of_bumps(p):
    new = p.normal("new", 3, p.d) + p.X.mean(axis=0)
    v = [
        sum(
            np.exp(-(norm(x - z) ** 2) / (2 * p.sigma**2)) * a
            for z, a in zip(p.X, psi(p), strict=1)
        )
        for x in new
    ]
    return velocity(new, p.X, psi(p), sigma=p.sigma), v


@claim("cpd.2")
def the_objective_is_the_double_sum(p):
    rows = ((p.X[p.labels == k], mean(p.X, p.labels, k)) for k in range(p.K))
    return kmeans_objective(p.X, p.labels), sum(norm(x - m) ** 2 for S, m in rows for x in S)


@claim("cpd.3")
def each_point_moves_by_its_velocity(p):
    G = gaussian(p.X, p.X, p.sigma)
    v = velocity(p.X, p.X, psi(p), sigma=p.sigma)
    return p.X + G @ psi(p), [x + v_x for x, v_x in zip(p.X, v, strict=True)]


@claim("cpd.4")
def the_objective_of_moved_points_has_the_moved_means(p):
    m = means(p.X, p.labels) + p.sizes[:, None] ** -0.5 * (p.Y.T @ p.G @ psi(p))
    return kmeans_objective(moved(p), p.labels), norm(moved(p) - m[p.labels]) ** 2


@claim("cpd.5")
def the_kernel_matrix_entry_by_entry(p):
    return rbf(p.X, sigma=p.sigma), gaussian(p.X, p.X, p.sigma)


def blocks(p: Problem, X):
    """The samples of each cluster, and p = a vector of ones."""
    return [(X[p.labels == k], np.ones(p.sizes[k])) for k in range(p.K)]


@claim("cpd.text.mean")
def the_mean_is_a_product_with_ones(p):
    return [
        (mean(p.X, p.labels, k), S.T @ one / len(S)) for k, (S, one) in enumerate(blocks(p, p.X))
    ]


@claim("cpd.6")
def the_objective_is_a_sum_of_block_norms(p):
    E = np.eye(p.n)[np.argsort(p.labels, kind="stable")].T
    sorted_rows = np.split(E.T @ moved(p), np.cumsum(p.sizes)[:-1])
    norms = sum(norm(S - np.ones((len(S), len(S))) @ S / len(S)) ** 2 for S in sorted_rows)
    return sse(moved(p), p.labels), norms


@claim("cpd.7")
def the_objective_is_a_sum_of_traces(p):
    traces = 0
    for S, one in blocks(p, moved(p)):
        C = np.eye(len(S)) - np.outer(one, one) / len(S)
        traces += tr(S.T @ C.T @ C @ S)
    return sse(moved(p), p.labels), traces


@claim("cpd.8")
def the_scalar_stands_outside_the_trace(p):
    terms = (tr(S @ S.T) - one @ S @ S.T @ one / len(S) for S, one in blocks(p, moved(p)))
    return sse(moved(p), p.labels), sum(terms)


@claim("cpd.9")
def the_indicator_averages_within_clusters(p):
    Y = indicator(p.labels)
    by_entry = [[(c == k) / np.sqrt(np.sum(p.labels == k)) for k in range(p.K)] for c in p.labels]
    return [
        (Y, by_entry),
        (Y.T @ Y, np.eye(p.K)),
        (Y @ Y.T @ p.X, means(p.X, p.labels)[p.labels]),
    ]


@claim("cpd.10", "L indicator")
def the_objective_is_a_difference_of_traces(p):
    X1 = moved(p)
    return [
        (sse(X1, p.labels), tr(X1 @ X1.T) - tr(p.L.T @ X1 @ X1.T @ p.L)),
        (sse(X1, p.labels), norm(residual_maker(p) @ X1) ** 2),
    ]


@claim("cpd.claim.penalty", "G nonsingular")
def the_penalty_of_the_paper_by_eigenvectors(p):
    s, U = np.linalg.eigh(p.G)
    m = U.T @ p.G @ psi(p)
    return norm(psi(p)) ** 2, sum(norm(m_k) ** 2 / s_k**2 for m_k, s_k in zip(m, s, strict=True))


@claim("cpd.claim.penalty")
def the_penalty_of_point_drift_by_eigenvectors(p):
    s, U = np.linalg.eigh(p.G)
    m = U.T @ p.G @ psi(p)
    sums = sum(norm(m_k) ** 2 / s_k for m_k, s_k in zip(m, s, strict=True) if s_k > 1e-9)
    return tr(psi(p).T @ p.G @ psi(p)), sums


@claim("cpd.11", "L indicator")
def the_objective_is_kmeans_of_the_moved_plus_the_penalty(p):
    penalty = p.lam * sum(norm(row) ** 2 for row in psi(p))
    return objective(p.X, p.G, p.L, psi(p), p.lam), sse(moved(p), p.labels) + penalty


@claim("cpd.12", "L orthonormal")
def the_best_y_for_a_given_field_has_the_largest_trace(p):
    other = orthonormal(p.normal("other", p.n, p.K))
    X1 = moved(p)
    both = [objective(p.X, p.G, Y, psi(p), p.lam) + tr(Y.T @ X1 @ X1.T @ Y) for Y in (p.L, other)]
    return both[0], both[1]


@claim("cpd.thm.kyfan", "S symmetric")
def ky_fan_bounds_the_trace_and_is_reached(p):
    values, V = np.linalg.eig(p.S)
    order = np.argsort(-values.real)[: p.K]
    largest = values.real[order].sum()
    frames = [orthonormal(p.normal(f"Y{i}", p.n, p.K)) for i in range(5)]
    frames += [orthonormal(V.real[:, order] + 0.1 * Y) for Y in frames]
    Q = orthonormal(p.normal("Q", p.K, p.K))
    reached = orthonormal(V.real[:, order]) @ Q
    return [
        *((tr(Y.T @ p.S @ Y), "<=", largest) for Y in frames),
        (tr(reached.T @ p.S @ reached), largest),
    ]


@claim("cpd.claim.ystep", "d <= K")
def the_relaxed_y_of_few_features_moves_nothing(p):
    Y = np.linalg.svd(p.X)[0][:, : p.K]  # V_K(XX'), at Psi = 0
    Psi = deformation(p.X, p.G, Y, p.lam)
    return [(Y @ Y.T @ p.X, p.X), (1 + Psi, np.ones_like(Psi))]


@claim("cpd.13", "L orthonormal")
def the_function_of_psi_is_eq_11(p):
    X1 = moved(p)
    traces = tr(X1 @ X1.T) - tr(p.L.T @ X1 @ X1.T @ p.L) + p.lam * tr(psi(p).T @ psi(p))
    return J(p, psi(p)), traces


@claim("cpd.14", "L orthonormal")
def seven_traces(p):
    X, G, Y, Psi = p.X, p.G, p.L, psi(p)
    traces = (
        tr(X @ X.T) + 2 * tr(X.T @ G @ Psi) + tr(Psi.T @ G @ G @ Psi)
        - tr(Y.T @ X @ X.T @ Y) - 2 * tr(Y.T @ G @ Psi @ X.T @ Y)
        - tr(Psi.T @ G @ Y @ Y.T @ G @ Psi) + p.lam * tr(Psi.T @ Psi)
    )  # fmt: skip
    return J(p, Psi), traces


@claim("cpd.21", "L orthonormal")
def two_traces_of_four_terms(p):
    X, G, Y, Psi = p.X, p.G, p.L, psi(p)
    inner = X @ X.T + G @ Psi @ X.T + X @ Psi.T @ G + G @ Psi @ Psi.T @ G
    return J(p, Psi), tr(inner) - tr(Y.T @ inner @ Y) + p.lam * tr(Psi.T @ Psi)


@claim("cpd.22", "L orthonormal")
def traces_with_the_cross_terms_doubled(p):
    X, G, Y, Psi = p.X, p.G, p.L, psi(p)
    traces = (
        tr(X @ X.T) + 2 * tr(G @ Psi @ X.T) + tr(G @ Psi @ Psi.T @ G)
        - tr(Y.T @ X @ X.T @ Y) - 2 * tr(Y.T @ G @ Psi @ X.T @ Y)
        - tr(Y.T @ G @ Psi @ Psi.T @ G @ Y) + p.lam * tr(Psi.T @ Psi)
    )  # fmt: skip
    return J(p, Psi), traces


def difference_of_j(p: Problem, step):
    """The derivative of J along a step: for a quadratic, the central difference is exact."""
    return (J(p, psi(p) + step) - J(p, psi(p) - step)) / 2


def slopes(p: Problem):
    P = residual_maker(p)
    return 2 * p.G @ P @ p.X + 2 * p.G @ P @ p.G @ psi(p) + 2 * p.lam * psi(p)


@claim("cpd.15", "L orthonormal")
def the_gradient(p):
    step = p.normal("step", p.n, p.d)
    return difference_of_j(p, step), np.sum(slopes(p) * step)


@claim("cpd.15")
def the_gradient_of_the_package(p):
    return gradient(p.X, p.G, p.L, psi(p), p.lam), slopes(p)


@claim("cpd.16", "L orthonormal")
def the_gradient_is_affine_in_psi(p):
    N = 2 * p.G @ residual_maker(p) @ p.X
    step = p.normal("step", p.n, p.d)
    return [
        (difference_of_j(p, step), np.sum((N + M(p) @ psi(p)) * step)),
        (np.linalg.eigvalsh(M(p))[0], 2 * p.lam),
    ]


@claim("cpd.17", "L orthonormal")
def the_gradient_entry_by_entry(p):
    N, m, Psi = 2 * p.G @ residual_maker(p) @ p.X, M(p), psi(p)
    i, j = p.n // 2, p.d - 1
    step = np.zeros((p.n, p.d))
    step[i, j] = 1
    return difference_of_j(p, step), N[i, j] + sum(m[i, u] * Psi[u, j] for u in range(p.n))


@claim("cpd.thm.horn")
def products_in_both_orders_have_the_same_spectrum(p):
    m, n = sorted((p.K, p.d + 1))
    A, B = p.normal("A", m, n), p.normal("B", n, m)
    longer = np.append(np.poly(A @ B), np.zeros(n - m))
    ones = np.poly(np.append(np.ones(p.K), np.zeros(p.n - p.K)))
    return [(np.poly(B @ A), longer), (np.poly(p.Y @ p.Y.T), ones)]


@claim("cpd.claim.gpd")
def the_gaussian_kernel_has_the_rank_of_its_distinct_points(p):
    values = np.linalg.eigvalsh(gaussian(p.X, p.X, p.sigma / 3))
    distinct = len(np.unique(p.X, axis=0))
    return [bool(values[0] > -1e-10), (np.sum(values > 1e-8), distinct)]


@claim("cpd.claim.gpd", "L orthonormal")
def the_system_is_definite_whatever_the_points(p):
    G = gaussian(p.X, p.X, p.sigma / 3)
    least = np.linalg.eigvalsh(G @ residual_maker(p) @ G + p.lam * np.eye(p.n))[0]
    return p.lam, "<=", least


@claim("cpd.hessian", "L orthonormal")
def the_hessian_is_a_kronecker_product(p):
    step, other = p.normal("step", p.n, p.d), p.normal("other step", p.n, p.d)
    ends = [J(p, psi(p) + s * step + t * other) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
    mixed = (ends[0] - ends[1] - ends[2] + ends[3]) / 4
    hessian = np.kron(np.eye(p.d), M(p))
    return mixed, step.ravel(order="F") @ hessian @ other.ravel(order="F")


@claim("cpd.18")
def the_hessian_form_is_a_sum_over_columns(p):
    z = p.normal("z", p.n * p.d)
    form = z @ np.kron(np.eye(p.d), M(p)) @ z
    return form, sum(z_i @ M(p) @ z_i for z_i in z.reshape(p.d, p.n))


@claim("cpd.18", "L orthonormal")
def the_hessian_is_at_least_two_lam(p):
    z = p.normal("z", p.n * p.d)
    form = z @ np.kron(np.eye(p.d), M(p)) @ z
    return [
        (2 * p.lam * norm(z) ** 2, "<=", form),
        (np.linalg.eigvalsh(np.kron(np.eye(p.d), M(p)))[0], 2 * p.lam),
    ]


@claim("cpd.claim.convex", "L orthonormal")
def the_objective_is_strongly_convex_in_psi(p):
    a, b = p.normal("a", p.n, p.d), p.normal("b", p.n, p.d)
    flattest = b + np.outer(np.linalg.eigh(M(p))[1][:, 0], np.ones(p.d))
    slopes = gradient(p.X, p.G, p.L, b, p.lam)

    def parabola(a):
        return J(p, b) + np.sum(slopes * (a - b)) + p.lam * norm(a - b) ** 2

    return [
        (parabola(a), "<=", J(p, a)),
        (parabola(flattest), J(p, flattest)),
        (J(p, best(p)), "<=", J(p, a)),
    ]


@claim("cpd.19", "L orthonormal")
def the_normal_equation(p):
    step, P = p.normal("step", p.n, p.d), residual_maker(p)
    Psi = np.linalg.lstsq(p.G @ P @ p.G + p.lam * np.eye(p.n), -p.G @ P @ p.X, rcond=None)[0]
    slope_there = (J(p, Psi + step) - J(p, Psi - step)) / 2
    return J(p, Psi) + slope_there, J(p, Psi)


@claim("cpd.20", "L orthonormal")
def the_closed_form_is_the_minimum(p):
    step = p.normal("step", p.n, p.d)
    grown = tr(step.T @ M(p) @ step) / 2
    return J(p, best(p) + step), J(p, best(p)) + grown


@claim("cpd.20")
def the_field_of_the_package(p):
    P = np.eye(p.n) - p.Y @ p.Y.T
    field = -inv(p.G @ P @ p.G + p.lam * np.eye(p.n)) @ p.G @ P @ p.X
    return deformation(p.X, p.G, p.Y, p.lam), field


@claim("cpd.text.score")
def the_points_of_one_data_set_have_a_fixed_sum(p):
    methods = 2 * p.K
    order = np.sign(np.round(p.normal("order", methods, methods)))
    order = np.triu(order, 1) - np.triu(order, 1).T  # +1: a better than b, 0: no difference
    points = [
        sum((order[a, b] > 0) + (order[a, b] == 0) / 2 for b in range(methods) if b != a)
        for a in range(methods)
    ]
    return sum(points), methods * (methods - 1) / 2


@claim("cpd.text.kpca")
def all_components_keep_the_distances_of_the_kernel(p):
    values, V = np.linalg.eigh(p.G - p.G.mean(axis=0) - p.G.mean(axis=1)[:, None] + p.G.mean())
    rows, (i, j) = V * np.sqrt(np.maximum(values, 0)), p.pairs
    distances = p.G[i, i] + p.G[j, j] - 2 * p.G[i, j]
    return [norm(x) ** 2 for x in rows[i] - rows[j]], distances


@claim("cpd.text.unseen")
def training_samples_go_to_the_nearest_moved_centre(p):
    G = gaussian(p.X, p.X, p.sigma)
    X1 = p.X + G @ psi(p)
    m = means(X1, p.labels)
    v = velocity(p.X, p.X, psi(p), sigma=p.sigma)
    return [[norm(x + v_x - c) for c in m] for x, v_x in zip(p.X, v, strict=1)], norm(
        X1[:, None] - m, axis=2
    )
