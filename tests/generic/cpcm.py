"""The equations of CPCM."""

import numpy as np

from generic.direct import (
    between,
    blur,
    det,
    generalised,
    inv,
    means,
    norm,
    regular,
    sse,
    top,
    total,
    tr,
    within,
)
from generic.problems import Problem
from generic.registry import claim, excuse
from umlbook.algebra import nearest_center, one_hot
from umlbook.cpcm.blur import (
    blur_ratio,
    canonical_correlations,
    least_squares_blur_ratio,
    rank_one_blur_ratio,
    simplex_coefficients,
)
from umlbook.cpcm.predictors import lda_fit, least_squares_fit, linear_basis
from umlbook.lloyd import lloyd_steps


def least_squares(X, Z):
    """Predictions with an intercept, and the coefficients: of least norm where many fit alike."""
    beta = np.linalg.lstsq(X - X.mean(axis=0), Z - Z.mean(axis=0), rcond=1e-10)[0]
    return Z.mean(axis=0) + (X - X.mean(axis=0)) @ beta, beta


def projector(X):
    """H, on the columns of the centred X."""
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    U = U[:, s > 1e-9 * s[0]]
    return U @ U.T


def membership(p: Problem, labels=None):
    """R = D^(-1/2) Z'HZ D^(-1/2), of the problem's partition or of another."""
    Z = p.Z if labels is None else np.eye(labels.max() + 1)[labels]
    Y = Z / np.sqrt(Z.sum(axis=0))
    return Y.T @ projector(p.X) @ Y


def correlations(p: Problem, labels=None):
    """Squared canonical correlations of X and a partition, the largest first: K - 1 or rank X."""
    R = membership(p, labels)
    return np.linalg.eigvalsh(R)[::-1][: min(len(R) - 1, round(tr(projector(p.X))))]


def quadratic(p: Problem, rows):
    return sum(row @ p.A @ row for row in rows)


@claim("cpcm.1")
def a_point_belongs_to_its_nearest_centre(p):
    m, new = means(p.X, p.labels), p.normal("new", 5, p.d) + p.X.mean(axis=0)
    nearest = [min(range(p.K), key=lambda k: norm(x - m[k])) for x in new]
    return nearest_center(new, m) + 1, np.array(nearest) + 1


@claim("cpcm.text.Z")
def the_one_hot_matrix(p):
    Z = [[float(c == k) for k in range(p.K)] for c in p.labels]
    return [
        (one_hot(p.labels), Z),
        (one_hot(p.labels) @ np.diag(p.sizes**-0.5), p.Y),
    ]


@claim("cpcm.text.metric", "A psd")
def the_metric_is_euclidean_after_a_factor(p):
    values, V = np.linalg.eigh(p.A)
    root = V * np.sqrt(np.where(np.abs(values) < 1e-12, 0, values))
    x, y, z = p.X[:3]
    direct = np.sqrt((x - y) @ p.A @ (x - y))
    return [
        (direct, norm((x - y) @ root)),
        (direct, "<=", np.sqrt((x - z) @ p.A @ (x - z)) + np.sqrt((z - y) @ p.A @ (z - y))),
    ]


@claim("cpcm.text.ssc")
def the_sum_within_is_a_trace(p):
    rows = p.X - means(p.X, p.labels)[p.labels]
    return quadratic(p, rows), tr(within(p.X, p.labels) @ p.A)


@claim("cpcm.text.sst")
def the_sum_in_total_is_a_trace(p):
    parts = tr(within(p.X, p.labels) @ p.A) + tr(between(p.X, p.labels) @ p.A)
    sst = quadratic(p, p.X - p.X.mean(axis=0))
    return [(sst, tr(total(p.X) @ p.A)), (sst, parts)]


@claim("cpcm.text.br", "A psd")
def the_blur_ratio_is_a_share(p):
    rows = p.X - means(p.X, p.labels)[p.labels]
    ratio = quadratic(p, rows) / quadratic(p, p.X - p.X.mean(axis=0))
    return [
        (blur_ratio(p.X, p.labels, p.A), ratio),
        0 <= ratio <= 1,
    ]


@claim("cpcm.text.trace", "A psd")
def three_forms_of_the_blur_ratio(p):
    values, V = np.linalg.eigh(p.A)
    beta = V * np.sqrt(np.maximum(values, 0))
    X_c, X_m = p.X - means(p.X, p.labels)[p.labels], p.X - p.X.mean(axis=0)
    ratio = tr(beta.T @ within(p.X, p.labels) @ beta) / tr(beta.T @ total(p.X) @ beta)
    return [
        (blur(p.X @ beta, p.labels), ratio),
        (tr(X_c @ p.A @ X_c.T) / tr(X_m @ p.A @ X_m.T), ratio),
    ]


@claim("cpcm.claim.nphard")
def the_blur_ratio_orders_partitions_as_kmeans_does(p):
    other = p.rng("other").permutation(p.labels)
    ratios = [sse(p.X, c) / blur(p.X, c) for c in (p.labels, other)]
    return ratios[0], ratios[1]


@claim("cpcm.claim.kmeans")
def lloyd_lowers_the_blur_ratio(p):
    values = [blur(p.X, s.labels) for s, _ in zip(lloyd(p.X, p), range(5), strict=False)]
    later = np.array([*values[1:], values[-1]])
    return [
        (later, "<=", np.array(values)),
        (sse(p.X, p.labels) / tr(total(p.X)), blur(p.X, p.labels)),
    ]


@claim("cpcm.text.geneig", "S_t regular")
def generalised_eigenvalues_are_one_minus_correlations(p):
    values, _ = generalised(within(p.X, p.labels), total(p.X))
    rho2 = correlations(p)
    padded = np.append(1 - rho2, np.ones(p.d - len(rho2)))
    return [(values, padded), (canonical_correlations(p.X, p.labels), rho2)]


@claim("cpcm.claim.rankone", "S_t regular")
def no_metric_blurs_less_than_the_best_direction(p):
    values, vectors = generalised(within(p.X, p.labels), total(p.X))
    least = 1 - correlations(p)[0]
    roots = [p.normal(f"root {i}", p.d, rank) for i, rank in enumerate((1, 2, p.d, p.d + 1))]
    roots += [vectors[:, :1] + 0.1 * root for root in roots]
    return [
        (1 + rank_one_blur_ratio(p.X, p.labels), 1 + least),
        (1 + values[0], 1 + least),
        (1 + blur(p.X @ vectors[:, :1], p.labels), 1 + least),
        *((1 + least, "<=", 1 + blur(p.X @ root, p.labels)) for root in roots),
    ]


@claim("cpcm.text.constraint", "d >= K-1")
def the_means_go_to_a_regular_simplex(p):
    m, corners = means(p.X, p.labels), np.eye(p.K)
    beta = np.linalg.pinv(m[1:] - m[0], rcond=1e-9) @ (corners[1:] - corners[0])
    i, j = np.triu_indices(p.K, k=1)
    return [e @ beta @ beta.T @ e for e in m[i] - m[j]], np.full(len(i), 2.0)


@claim("cpcm.claim.lsr", "S_w regular", "d >= K-1")
def the_constrained_optimum_has_a_closed_form(p):
    m, corners = means(p.X, p.labels), np.eye(p.K)
    D_m, D_e, S = m[1:] - m[0], corners[1:] - corners[0], inv(within(p.X, p.labels))
    beta = S @ D_m.T @ inv(D_m @ S @ D_m.T) @ D_e
    free = np.eye(p.d) - np.linalg.pinv(D_m, rcond=1e-9) @ D_m  # directions that move no edge
    other = beta + free @ p.normal("other", p.d, p.K)
    least = tr(beta.T @ within(p.X, p.labels) @ beta)
    return [
        (simplex_coefficients(p.X, p.labels), beta),
        (least, "<=", tr(other.T @ within(p.X, p.labels) @ other)),
    ]


@claim("cpcm.claim.rhs", "A psd")
def the_scale_of_the_metric_is_free(p):
    rows = p.X - means(p.X, p.labels)[p.labels]
    ratio = quadratic(p, rows) / quadratic(p, p.X - p.X.mean(axis=0))
    return blur_ratio(p.X, p.labels, 3.7 * p.A), ratio


@claim("cpcm.text.factor")
def the_sum_within_after_a_linear_map(p):
    beta = p.normal("beta", p.d, p.K)
    theta = means(p.X, p.labels) @ beta
    loops = sum(norm(x @ beta - theta[c]) ** 2 for x, c in zip(p.X, p.labels, strict=True))
    return tr(within(p.X, p.labels) @ beta @ beta.T), loops


@claim("cpcm.text.model")
def least_squares_is_a_projection(p):
    design = np.column_stack([np.ones(p.n), p.X])
    predictions = design @ np.linalg.lstsq(design, p.Z, rcond=1e-10)[0]
    return predictions, p.Z.mean(axis=0) + projector(p.X) @ p.Z


@claim("cpcm.text.predict")
def least_squares_has_the_least_residual(p):
    predictions, beta = least_squares(p.X, p.Z)
    b, step = p.Z.mean(axis=0) - p.X.mean(axis=0) @ beta, p.normal("step", p.d + 1, p.K)

    def rss(b, beta):
        return sum(norm(z - b - x @ beta) ** 2 for x, z in zip(p.X, p.Z, strict=True))

    more = norm(np.column_stack([np.ones(p.n), p.X]) @ step) ** 2
    return [
        (rss(b + step[0], beta + step[1:]), rss(b, beta) + more),
        (least_squares_fit(linear_basis(p.X), p.Z).values, predictions),
        (1 + beta.sum(axis=1), np.ones(p.d)),
        bool(np.linalg.matrix_rank(beta, tol=1e-9) <= min(p.d, p.K - 1)),
    ]


@claim("cpcm.claim.sumone")
def predictions_with_an_intercept_sum_to_one(p):
    return least_squares(p.X, p.Z)[0].sum(axis=1), np.ones(p.n)


@claim("cpcm.text.cluster")
def the_centres_of_the_predictions(p):
    beta = p.normal("beta", p.d, p.K)
    theta = [sum(p.X[p.labels == k] @ beta) / p.sizes[k] for k in range(p.K)]
    rss = sum(norm(x @ beta - theta[c]) ** 2 for x, c in zip(p.X, p.labels, strict=True))
    return [(theta, means(p.X, p.labels) @ beta), (rss, sse(p.X @ beta, p.labels))]


@claim("cpcm.text.assign")
def a_new_point_goes_to_the_nearest_prediction_centre(p):
    _, beta = least_squares(p.X, p.Z)
    theta, new = means(p.X, p.labels) @ beta, p.normal("new", 5, p.d)
    nearest = [min(range(p.K), key=lambda k: norm(x @ beta - theta[k])) for x in new]
    return nearest_center(new @ beta, theta) + 1, np.array(nearest) + 1


@claim("cpcm.claim.identified")
def a_shift_that_beta_does_not_see_changes_nothing(p):
    beta = p.normal("beta", p.d + 2, 2)
    X, m = p.normal("wide X", p.n, p.d + 2), p.normal("centres", p.K, p.d + 2)
    null = np.linalg.svd(beta.T)[2][2:]
    shifted = m + p.normal("shift", p.K, p.d) @ null
    cost = norm(X @ beta - (m @ beta)[p.labels]) ** 2
    return norm(X @ beta - (shifted @ beta)[p.labels]) ** 2, cost


@claim("cpcm.text.lsrbr")
def the_blur_ratio_after_least_squares(p):
    R, D = membership(p), np.diag(p.sizes)
    predictions, beta = least_squares(p.X, p.Z)
    share = tr(D @ R @ R) / tr(D @ R)
    spectrum = np.append(correlations(p), np.zeros(p.K - len(correlations(p))))
    return [
        (1 + blur(p.X @ beta, p.labels), 2 - share),
        (1 + least_squares_blur_ratio(p.X, p.labels), 2 - share),
        (np.linalg.eigvalsh(R)[::-1], spectrum),
        (predictions - p.Z.mean(axis=0), projector(p.X) @ p.Z),
    ]


def transformed(p: Problem):
    C = np.eye(p.d) + 0.5 * p.normal("C", p.d, p.d) / np.sqrt(p.d)
    return p.X @ C + p.normal("h", p.d), C


@claim("cpcm.prop1")
def predictions_are_affinely_invariant(p):
    return least_squares(transformed(p)[0], p.Z)[0], least_squares(p.X, p.Z)[0]


@claim("cpcm.prop1", "S_t regular")
def coefficients_are_affinely_equivariant(p):
    X, C = transformed(p)
    return C @ least_squares(X, p.Z)[1], least_squares(p.X, p.Z)[1]


@claim("cpcm.claim.fixedset")
def the_next_partition_is_affinely_invariant(p):
    steps = []
    for X in (p.X, transformed(p)[0]):
        predictions = least_squares(X, p.Z)[0]
        distances = norm(predictions[:, None] - means(predictions, p.labels), axis=2)
        steps.append(distances)
    return steps[0] + 1, steps[1] + 1


@claim("cpcm.fn3")
def predictions_are_invariant_to_a_scale(p):
    return least_squares(3.7 * p.X, p.Z)[0], least_squares(p.X, p.Z)[0]


@claim("cpcm.claim.ridge")
def ridge_with_a_free_intercept(p):
    Xc = p.X - p.X.mean(axis=0)
    closed = p.Z.mean(axis=0) + Xc @ inv(Xc.T @ Xc + p.lam * np.eye(p.d)) @ Xc.T @ p.Z
    rows = np.vstack([np.column_stack([np.ones(p.n), p.X]), np.zeros((p.d, p.d + 1))])
    rows[p.n :, 1:] = np.sqrt(p.lam) * np.eye(p.d)
    beta = np.linalg.lstsq(rows, np.vstack([p.Z, np.zeros((p.d, p.K))]), rcond=None)[0]
    return rows[: p.n] @ beta, closed


@claim("cpcm.fn1.soft")
def the_projector_with_intercept_acts_once(p):
    H_1 = np.full((p.n, p.n), 1 / p.n) + projector(p.X)
    soft = p.rng("soft").dirichlet(np.ones(p.K), size=p.n)
    once = least_squares(p.X, soft)[0]
    return [(H_1 @ soft, once), (H_1 @ once, once)]


@claim("cpcm.claim.gmm", "S_t regular")
def the_determinant_ratio_is_a_product(p):
    ratio = det(within(p.X, p.labels)) / det(regular(total(p.X)))
    return 1 + ratio, 1 + np.prod(1 - correlations(p))


@claim("cpcm.claim.metrics", "S_t regular")
def the_determinant_ratio_is_affinely_invariant(p):
    ratios = [det(within(X, p.labels)) / det(regular(total(X))) for X in (p.X, transformed(p)[0])]
    return 1 + ratios[0], 1 + ratios[1]


@claim("cpcm.claim.lda")
def the_blur_ratio_of_coordinates_whitened_in_total(p):
    rho2 = correlations(p)
    fitted = lda_fit(linear_basis(p.X), p.Z).values
    return [
        (total(fitted), np.eye(len(rho2))),
        (1 + blur(fitted, p.labels), 2 - rho2.mean()),
    ]


@claim("cpcm.claim.lda", "S_w regular")
def the_blur_ratio_of_coordinates_whitened_within(p):
    rho2, (values, B) = correlations(p), generalised(within(p.X, p.labels), total(p.X))
    beta = B[:, : len(rho2)] / np.sqrt(regular(np.diag(values[: len(rho2)])).diagonal())
    return blur(p.X @ beta, p.labels), len(rho2) / np.sum(1 / (1 - rho2))


@claim("cpcm.claim.ldakm", "K = 2", "S_w regular")
def two_clusters_have_one_discriminant(p):
    _, beta = least_squares(p.X, p.Z)
    _, B = generalised(within(p.X, p.labels), total(p.X))
    spaces = [top(M @ M.T, 1) for M in (beta, B[:, : p.K - 1])]
    planes = [V @ V.T for V in spaces]
    return [
        (planes[0], planes[1]),
        (beta @ beta.T, tr(beta @ beta.T) * planes[1]),
        (B[:, : p.K - 1] @ B[:, : p.K - 1].T, norm(B[:, : p.K - 1]) ** 2 * planes[1]),
    ]


def lloyd(X, p: Problem):
    return lloyd_steps(X, p.labels, p.K)


@claim("cpcm.claim.rightK")
def a_finer_partition_has_a_lower_minimum(p):
    finer = np.where(p.rng("split").uniform(size=p.n) < 0.5, p.labels, p.labels + p.K)
    least = [
        1 - correlations(p, c).max() for c in (p.labels, np.unique(finer, return_inverse=1)[1])
    ]
    return 1 + least[1], "<=", 1 + least[0]


@claim("cpcm.text.rkhs")
def kernel_ridge_with_a_linear_kernel_is_ridge(p):
    Xc = p.X - p.X.mean(axis=0)
    linear = Xc @ Xc.T
    ridge = Xc @ inv(Xc.T @ Xc + p.lam * np.eye(p.d)) @ Xc.T
    return linear @ inv(linear + p.lam * np.eye(p.n)) @ p.Z, ridge @ p.Z


excuse("asserts how often runs succeed or how weights shrink with n", "cpcm.claim.noise")
excuse("which start helps is an experiment", "cpcm.claim.stepwise")
excuse("counts operations", "cpcm.claim.complexity")
excuse("a set without a formula", "cpcm.text.simplex")
excuse("a set of partitions, defined by a run", "cpcm.def1")
excuse("about the end of a run, with a counterexample in the chapter", "cpcm.prop2")
