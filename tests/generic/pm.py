"""The equations of PM, with their sign put right."""

import numpy as np
from scipy.special import expit
from sklearn.metrics import rand_score

from generic.direct import between, inv, norm, slope, top, tr, within
from generic.problems import Problem, orthonormal
from generic.registry import claim, excuse
from umlbook.constraints import sample
from umlbook.daem import (
    correlation_basis,
    e_step,
    kernel_basis,
    mean_squared_distance,
    objective,
    same_probability,
    schedule,
    shannon_entropy,
    weighted_pairs,
)
from umlbook.kernels import exponential
from umlbook.rivals.trace_ratio import trace_ratio_steps
from umlbook.scores import modified_rand

LAM = 0.6  # the weight of the entropy, between 0 and 1


def H(P):
    """Shannon entropy of a coin, Eq. 13."""
    return -P * np.log(P) - (1 - P) * np.log(1 - P)


def renyi(P, lam):
    """Renyi entropy of order 1/(1 - lam) of a coin, by its definition."""
    a = 1 / (1 - lam)
    return np.log(P**a + (1 - P) ** a) / (1 - a)


def small(p: Problem):
    """The margins, scaled so that no probability is 0 or 1 to rounding."""
    return 4 * p.t / np.abs(p.t).max()


def cost(p: Problem, t, lam=LAM, entropy=H):
    """Eq. 26 as it stands."""
    S, D, U = (t[p.kinds == kind] for kind in (1, -1, 0))
    likelihood = np.sum(np.log(1 + np.exp(S))) + np.sum(np.log(1 + np.exp(-D)))
    return likelihood + lam * np.sum(entropy(1 / (1 + np.exp(U))))


def listed(p: Problem, kind):
    return np.column_stack(p.pairs)[p.kinds == kind]


def package_pairs(p: Problem):
    return weighted_pairs(listed(p, 1), listed(p, -1), p.n, 1.0)


excuse("the problem that another method solves", "pm.1")
excuse("a map without a formula", "pm.18")


@claim("pm.2")
def the_cost_is_minus_the_log_likelihood(p):
    t = small(p)
    S, D = t[p.kinds == 1], t[p.kinds == -1]
    P = [1 / (1 + np.exp(y * t_ij)) for y, t_ij in zip(p.kinds, t, strict=True) if y]
    logs = np.sum(np.log(1 + np.exp(S))) + np.sum(np.log(1 + np.exp(-D)))
    return logs, -sum(map(np.log, P))


@claim("pm.3", "S_w regular")
def the_trace_ratio_is_greatest_where_the_difference_of_traces_vanishes(p):
    S_b, S_w, size = between(p.X, p.labels), within(p.X, p.labels), max(1, p.d // 2)
    ratio, W = 0.0, np.eye(p.d)[:, :size]
    for _ in range(25):
        ratio = tr(W.T @ S_b @ W) / tr(W.T @ S_w @ W)
        W = top(S_b - ratio * S_w, size)
    others = [orthonormal(p.normal(f"W{i}", p.d, size)) for i in range(4)]
    *_, last = (s for s, _ in zip(trace_ratio_steps(S_b, S_w, size), range(25), strict=False))
    return [
        (tr(W.T @ S_b @ W), ratio * tr(W.T @ S_w @ W)),
        (last.objective, ratio),
        *((tr(V.T @ S_b @ V) / tr(V.T @ S_w @ V), "<=", ratio) for V in others),
    ]


@claim("pm.4")
def the_divergence_is_nonnegative_and_invariant(p):
    A, A_0 = (R @ R.T + np.eye(p.d) for R in (p.normal(f"R{i}", p.d, p.d) for i in range(2)))
    B = np.eye(p.d) + 0.5 * p.normal("B", p.d, p.d) / np.sqrt(p.d)

    def divergence(A, A_0):
        ratio = A @ inv(A_0)
        return tr(ratio) - np.linalg.slogdet(ratio)[1] - p.d

    return [
        (0.0, "<=", divergence(A, A_0)),
        (1 + divergence(A, A), 1.0),
        (divergence(A, A_0), divergence(B @ A @ B.T, B @ A_0 @ B.T)),
    ]


@claim("pm.5")
def similar_pairs_share_a_class(p):
    must, _ = sample(p.labels, 2, 3, random_state=p.seed)
    return bool((p.labels[must[:, 0]] == p.labels[must[:, 1]]).all())


@claim("pm.6")
def dissimilar_pairs_do_not(p):
    must, cannot = sample(p.labels, 2, 3, random_state=p.seed)
    disjoint = not set(map(tuple, must)) & set(map(tuple, cannot))
    return disjoint and bool((p.labels[cannot[:, 0]] != p.labels[cannot[:, 1]]).all())


@claim("pm.7")
def each_unlabelled_pair_counts_once(p):
    labelled = {frozenset(pair) for kind in (1, -1) for pair in listed(p, kind).tolist()}
    U = [(i, j) for j in range(p.n) for i in range(j) if frozenset((i, j)) not in labelled]
    count = p.n * (p.n - 1) / 2 - len(listed(p, 1)) - len(listed(p, -1))
    return [(len(U), count), (np.sum(~package_pairs(p).labelled), count)]


@claim("pm.8", "A psd")
def the_metric_keeps_the_triangle_inequality(p):
    def d(x, z):
        return np.sqrt((x - z) @ p.A @ (x - z))

    x, y, z = p.X[:3]
    return [(d(x, y), d(y, x)), (d(x, y), "<=", d(x, z) + d(z, y))]


@claim("pm.9")
def the_metric_is_a_distance_after_projection(p):
    W, (x, z) = p.normal("W", p.d, p.K), p.X[:2]
    return np.sqrt((x - z) @ W @ W.T @ (x - z)), norm(W.T @ (x - z))


@claim("pm.10")
def the_sign_of_a_pair(p):
    i, j = np.array(p.pairs)[:, p.kinds != 0]
    target = package_pairs(p).target[p.kinds != 0]
    return 2 * target - 1, np.where(p.labels[i] == p.labels[j], 1.0, -1.0)


@claim("pm.11")
def the_probability_falls_with_the_distance(p):
    t, order = small(p), np.argsort(p.t)
    P = 1 / (1 + np.exp(t))
    return [
        (same_probability(t), P),
        (P + 1 / (1 + np.exp(-t)), np.ones(len(t))),
        (P[order][1:], "<=", P[order][:-1]),
    ]


@claim("pm.12")
def the_entropy_of_a_distribution(p):
    P = p.rng("P").dirichlet(np.ones(p.K))
    entropy = -sum(x * np.log(x) for x in P)
    split = H(P[0]) + (1 - P[0]) * -sum(x * np.log(x) for x in P[1:] / P[1:].sum())
    return [(entropy, "<=", np.log(p.K)), (entropy, split)]


@claim("pm.13")
def the_entropy_of_a_pair(p):
    t = small(p)
    P = 1 / (1 + np.exp(t))
    return [(shannon_entropy(t), H(P)), (H(P), H(1 - P)), (H(P), "<=", np.full(len(t), np.log(2)))]


@claim("pm.14")
def the_cost_of_a_metric(p):
    root = p.normal("root", p.d, p.d)
    i, j = p.pairs
    A, differences = root @ root.T, p.X[i] - p.X[j]
    t = np.array([x @ A @ x for x in differences])
    t = 4 * (t - np.median(t)) / np.abs(t).max()
    return objective(t, package_pairs(p), LAM, entropy="shannon"), cost(p, t)


@claim("pm.text.correlation")
def the_correlation_matrix_by_its_eigenvectors(p):
    U = correlation_basis(p.X, min(p.n, p.d))
    R = sum(np.outer(x, x) for x in p.X) / p.n
    return [(R, sum((u @ R @ u) * np.outer(u, u) for u in U.T)), (U.T @ U, np.eye(U.shape[1]))]


def component_basis(p: Problem):
    return orthonormal(p.normal("U", p.d, p.d))


def component_metric(p: Problem):
    return sum(t * np.outer(u, u) for t, u in zip(p.theta, component_basis(p).T, strict=True))


@claim("pm.15")
def the_metric_has_the_weights_as_eigenvalues(p):
    return np.linalg.eigvalsh(component_metric(p)), np.sort(p.theta)


@claim("pm.17")
def the_distance_is_linear_in_the_weights(p):
    i, j = p.pairs
    v = (p.X[i] @ component_basis(p) - p.X[j] @ component_basis(p)) ** 2
    A, differences = component_metric(p), p.X[i] - p.X[j]
    return v @ p.theta, [x @ A @ x for x in differences]


@claim("pm.16")
def the_cost_in_the_weights_of_components(p):
    i, j = p.pairs
    v = ((p.X[i] - p.X[j]) @ component_basis(p)) ** 2
    A, differences, size = component_metric(p), p.X[i] - p.X[j], np.abs(p.t).max()
    by_metric = np.array([x @ A @ x - p.mu for x in differences]) / size
    by_weights = (v @ p.theta - p.mu) / size
    return objective(by_weights, package_pairs(p), LAM, entropy="shannon"), cost(p, by_metric)


# Kernels --------------------------------------------------------------------------------------


def Phi(p: Problem):
    values, V = np.linalg.eigh(p.G)
    return V * np.sqrt(np.maximum(values, 0)) @ orthonormal(p.normal("Phi", p.n, p.n))


def feature_eigenvectors(p: Problem):
    """sigma_l > 0 and a_l, of unit length."""
    values, a = np.linalg.eigh(Phi(p).T @ Phi(p) / p.n)
    return values[values > 1e-9], a[:, values > 1e-9]


def coefficients(p: Problem):
    """sigma_l > 0 and z_l = e_l / sqrt(N sigma_l)."""
    values, e = np.linalg.eigh(p.G)
    kept = values > 1e-9
    return values[kept] / p.n, e[:, kept] / np.sqrt(values[kept])


@claim("pm.19")
def a_kernel_matrix_has_features(p):
    return [[x @ z for z in Phi(p)] for x in Phi(p)], p.G


@claim("pm.20")
def the_feature_scatter_is_a_sum_over_samples(p):
    R = sum(np.outer(x, x) for x in Phi(p)) / p.n
    sigma, a = feature_eigenvectors(p)
    return R @ a, a * sigma


@claim("pm.21")
def the_eigenvector_is_a_sum_over_samples(p):
    sigma, a = feature_eigenvectors(p)
    return sum(np.outer(x, x @ a) for x in Phi(p)) / p.n, a * sigma


@claim("pm.22")
def eigenvectors_lie_in_the_span_of_the_samples(p):
    _, a = feature_eigenvectors(p)
    z = np.linalg.lstsq(Phi(p).T, a, rcond=1e-9)[0]
    return Phi(p).T @ z, a


@claim("pm.23")
def the_eigenvalue_problem_in_coefficients(p):
    sigma, z = coefficients(p)
    F = Phi(p)
    return F.T @ F @ F.T @ z / p.n, sigma * (F.T @ z)


@claim("pm.24")
def the_eigenvalue_problem_of_the_squared_kernel(p):
    sigma, a = feature_eigenvectors(p)
    z = np.linalg.lstsq(Phi(p).T, a, rcond=1e-9)[0]
    z = z + (np.eye(p.n) - np.linalg.pinv(p.G, rcond=1e-9) @ p.G) @ p.normal("null", *z.shape)
    return p.G @ p.G @ z, p.n * sigma * (p.G @ z)


@claim("pm.25")
def the_normalised_coefficients(p):
    sigma, z = coefficients(p)
    a = Phi(p).T @ z
    package = kernel_basis(p.G, p.n)
    return [
        (p.G @ z, p.n * sigma * z),
        (a.T @ a, np.eye(len(sigma))),
        (z.T @ p.G @ z, np.eye(len(sigma))),
        (package @ package.T, z @ z.T),
    ]


@claim("pm.27")
def coordinates_by_features_and_by_kernel_columns(p):
    _, z = coefficients(p)
    i, j = p.pairs
    a, P = Phi(p).T @ z, p.G @ z
    by_features = ((Phi(p)[i] - Phi(p)[j]) @ a) ** 2
    return [
        (by_features, ((p.G[:, i] - p.G[:, j]).T @ z) ** 2),
        (by_features, (P[i] - P[j]) ** 2),
    ]


@claim("pm.text.kernel")
def the_exponential_kernel(p):
    eta = p.sigma / 2
    return exponential(p.X, eta=eta), [[np.exp(-norm(x - z) / eta) for z in p.X] for x in p.X]


@claim("pm.text.kernel", "distinct rows")
def the_exponential_kernel_is_definite(p):
    return bool(np.linalg.eigvalsh(exponential(p.X, eta=p.sigma / 2))[0] > 1e-8)


def mean_of_pairs(p: Problem):
    i, j = p.pairs
    pairs = sum(norm(x - z) ** 2 for x, z in zip(p.X[i], p.X[j], strict=True))
    return 2 / (p.n * (p.n - 1)) * pairs


@claim("pm.31")
def the_width_is_a_mean_squared_distance(p):
    return mean_squared_distance(p.X), mean_of_pairs(p)


@claim("pm.31", "X standardised")
def the_width_of_standardised_data(p):
    return mean_of_pairs(p), 2 * p.d * p.n / (p.n - 1)


# The cost and its descent -----------------------------------------------------------------------


@claim("pm.26")
def the_cost_in_one_vector(p):
    size = np.abs(p.t).max()
    Delta = np.append(p.theta, p.mu) / size
    t = np.array([Delta @ np.append(v, -1) for v in p.v])
    return objective(t, package_pairs(p), LAM, entropy="shannon"), cost(p, p.t / size)


@claim("pm.claim.argmin", "pairs separated")
def separated_pairs_have_cost_zero_at_infinity(p):
    scale = np.array([1, 10, 100]) * 3 / np.abs(p.t).min()
    with np.errstate(over="ignore"):
        costs = [objective(c * p.t, package_pairs(p), LAM, entropy="shannon") for c in scale]
    return [bool(costs[0] > costs[1] >= costs[2]), (1 + costs[2], 1.0)]


@claim("pm.28")
def the_likelihood_form_is_minus_the_cost(p):
    t = small(p)
    P = 1 / (1 + np.exp(t))
    logs = np.log(P[p.kinds == 1]).sum() + np.log(1 - P[p.kinds == -1]).sum()
    U = P[p.kinds == 0]
    logs += LAM * np.sum(U * np.log(U) + (1 - U) * np.log(1 - U))
    return logs, -cost(p, t)


@claim("pm.claim.concave")
def the_entropy_is_concave_near_zero_only(p):
    def second(t, h=1e-3):
        return (H(expit(t + h)) - 2 * H(expit(t)) + H(expit(t - h))) / h**2

    t = 3 * np.tanh(p.normal("t", 20))
    inside = t * np.tanh(t / 2) < 1
    clear = np.abs(t * np.tanh(t / 2) - 1) > 0.02
    return bool((np.sign(second(t)) == np.where(inside, -1, 1))[clear].all())


@claim("pm.29")
def the_belief_maximises_its_bound(p):
    t = small(p)
    P, a = 1 / (1 + np.exp(t)), 1 / (1 - LAM)
    Q = P**a / (P**a + (1 - P) ** a)

    def bound(q):
        return q * np.log(P) + (1 - q) * np.log(1 - P) + (1 - LAM) * H(q)

    others = p.rng("q").uniform(0.01, 0.99, size=(5, len(t)))
    return [
        (e_step(t, LAM), Q),
        (Q, 1 / (1 + np.exp(t / (1 - LAM)))),
        (bound(Q), -LAM * renyi(P, LAM)),
        *((bound(q), "<=", bound(Q)) for q in others),
    ]


def m_cost(p: Problem, t, Q):
    """Eq. 30."""
    return np.sum(Q * np.log(1 + np.exp(t)) + (1 - Q) * np.log(1 + np.exp(-t)))


def beliefs(p: Problem, t, lam=LAM):
    return np.where(p.kinds == 1, 1.0, np.where(p.kinds == -1, 0.0, e_step(t, lam)))


def tempered_cost(p: Problem, t, lam=LAM):
    return cost(p, t, lam, entropy=lambda P: renyi(P, lam))


@claim("pm.claim.surrogate")
def the_m_step_bounds_the_tempered_cost(p):
    t = small(p)
    other = t + 0.3 * p.normal("other", len(t))
    Q = beliefs(p, t)
    allowed = tempered_cost(p, t) + m_cost(p, other, Q) - m_cost(p, t, Q)
    return [
        (tempered_cost(p, other), "<=", allowed),
        (objective(t, package_pairs(p), LAM), tempered_cost(p, t)),
    ]


@claim("pm.30")
def ordered_pairs_double_the_cost(p):
    t, (i, j) = small(p), p.pairs
    margins, Q = np.zeros((p.n, p.n)), np.zeros((p.n, p.n))
    margins[i, j] = margins[j, i] = t
    Q[i, j] = Q[j, i] = beliefs(p, t)
    ordered = sum(
        Q[a, b] * np.log(1 + np.exp(margins[a, b]))
        + (1 - Q[a, b]) * np.log(1 + np.exp(-margins[a, b]))
        for a in range(p.n)
        for b in range(p.n)
        if a != b
    )
    return ordered, 2 * m_cost(p, t, beliefs(p, t))


@claim("pm.claim.mstep")
def the_hessian_of_the_m_step_is_psd(p):
    size = np.abs(p.t).max() / 4
    V = np.column_stack([p.v, -np.ones(len(p.v))]) / size
    Delta, Q = np.append(p.theta, p.mu), beliefs(p, small(p))
    one, two = p.normal("one", p.d + 1), p.normal("two", p.d + 1)

    def gradient(x):
        return V.T @ (expit(V @ x) - (1 - Q))

    s = expit(V @ Delta)
    hessian = (V.T * (s * (1 - s))) @ V
    return [
        (slope(lambda x: m_cost(p, V @ x, Q), Delta, one), gradient(Delta) @ one),
        (slope(gradient, Delta, two), hessian @ two),
        bool(np.linalg.eigvalsh(hessian)[0] > -1e-9 * norm(hessian)),
    ]


@claim("pm.text.schedule")
def the_schedule_of_temperatures(p):
    T = p.n + 5
    return schedule(T), [np.sqrt(i / T) for i in range(1, T + 1)]


# Scores -----------------------------------------------------------------------------------------


def agreements(p: Problem):
    """For each pair: together in one partition, together in the other."""
    other = p.rng("other").integers(p.K, size=p.n)
    other[:2], (i, j) = [0, 1], p.pairs
    return other, p.labels[i] == p.labels[j], other[i] == other[j]


@claim("pm.32")
def the_rand_index_counts_pairs(p):
    other, one, two = agreements(p)
    N_s, N_d = np.sum(one & two), np.sum(~one & ~two)
    return rand_score(p.labels, other), 2 * (N_s + N_d) / (p.n * (p.n - 1))


@claim("pm.33")
def the_modified_rand_index_conditions_on_the_prediction(p):
    other, truth, found = agreements(p)
    together = np.sum(truth & found) / np.sum(found)
    apart = np.sum(~truth & ~found) / np.sum(~found)
    return modified_rand(p.labels, other), together / 2 + apart / 2


@claim("pm.claim.ribias")
def random_labels_agree_more_with_more_clusters(p):
    joint = np.full((p.K, p.K), 1 / p.K**2)  # the classes of a pair: independent, balanced
    same = tr(joint)
    return same**2 + (1 - same) ** 2, 1 - 2 / p.K + 2 / p.K**2
