r"""The G step of NAML: the convex combination of kernels that suits given clusters best.

.. math:: \min_{w \ge 0,\ \sum w_i = 1} F_2(w) = \operatorname{tr}(L'A^{-1}L), \qquad
          A = I + \tfrac1\lambda \sum_i w_i \hat G_i

F_2 is convex in w. One Cholesky factor of A gives the gradient, the Hessian and a bound on how
far from the optimum w can be, so Newton's method on the simplex needs a handful of steps where a
conic solver needs variables for every sample.

=========  ==============================================================  ==========
symbol     name in code                                                    shape
=========  ==============================================================  ==========
G_i hat    the kernels of ``bank``, centred and of trace one               n x n
w          ``weights``, on the simplex; theta_i = w_i / r_i                p
L          ``L``, orthonormal indicator or its relaxation                  n x k
b          ``resolvent`` = A^-1 L                                          n x k
q_i        ``scores`` = tr(b' G_i hat b); the gradient is -q_i / lambda    p
=========  ==============================================================  ==========
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, lstsq
from scipy.linalg.lapack import dpotrf, dpotrs

from umlbook._checks import check_finite, check_positive
from umlbook.algebra import Array, centered
from umlbook.kernels import KernelBank, MatrixBank, check_kernel, combine, kernel_products

Factor = tuple[Array, bool]
Kernels = KernelBank | Sequence[ArrayLike]


@dataclass(frozen=True)
class WeightStep:
    """Weights, F_2 at them, and what one Cholesky factor tells about them.

    ``gap`` bounds the distance of the objective from its minimum; ``products`` holds each
    :math:`\\hat G_i b`, ``factor`` the Cholesky factor of A.
    """

    weights: Array
    objective: float
    gap: float
    scores: Array
    resolvent: Array
    products: Array
    factor: Factor


@dataclass(frozen=True)
class KernelWeights:
    """The solved G step: ``weights`` on the simplex, F_2 there, and how far from optimal it is."""

    weights: Array
    theta: Array
    objective: float
    gap: float
    n_iter: int


def as_bank(kernels: Kernels) -> KernelBank:
    """The kernels as a bank; matrices are checked, and constant kernels are refused."""
    if hasattr(kernels, "plain"):
        bank, scales = cast(KernelBank, kernels), np.ones(len(kernels))
    else:
        matrices = tuple(np.asarray(K, dtype=float) for K in kernels)
        _check_matrices(matrices)
        bank, scales = MatrixBank(matrices), np.array([np.abs(K).max() for K in matrices])
    constant = np.flatnonzero(~(bank.traces > 1e-12 * bank.n_samples * scales))
    if constant.size:
        raise ValueError(
            f"kernels[{constant[0]}] is constant after centring, so it cannot have trace one: "
            "drop it, or choose a smaller width"
        )
    return bank


def _check_matrices(matrices: tuple[Array, ...]) -> None:
    if not matrices:
        raise ValueError("kernels must hold at least one kernel, got none")
    for i, K in enumerate(matrices):
        if K.shape != matrices[0].shape:
            raise ValueError(
                f"kernels must be matrices on the same samples, but kernels[0] is of shape "
                f"{matrices[0].shape} and kernels[{i}] of shape {K.shape}"
            )
        check_finite(K, f"kernels[{i}]")
        check_kernel(K, name=f"kernels[{i}]")


def resolvent(bank: KernelBank, L: Array, lam: float, weights: Array) -> tuple[Factor, Array]:
    """The Cholesky factor of A = I + G / lam, and b = A^-1 L."""
    A = combine(bank, weights)
    A /= lam
    A.flat[:: len(A) + 1] += 1.0
    factor, info = dpotrf(A.T, lower=True, clean=False, overwrite_a=True)  # as cho_factor does
    if info:
        raise LinAlgError(f"I + G / lam is not positive definite: leading minor {info}")
    return (factor, True), dpotrs(factor, L, lower=True)[0]


def weight_point(
    bank: KernelBank, L: Array, lam: float, weights: Array, solved: tuple[Factor, Array]
) -> WeightStep:
    """F_2, its gradient and its duality gap at these weights, from ``resolvent`` there."""
    factor, B = solved
    products = kernel_products(bank, B)
    scores = np.einsum("nk,pnk->p", B, products)
    gap = float(max(scores.max() - weights @ scores, 0.0) / lam)
    return WeightStep(weights, float(np.sum(L * B)), gap, scores, B, products, factor)


def weight_hessian(point: WeightStep, lam: float) -> Array:
    """Second derivatives of F_2 in the weights, 2/lam^2 tr(b' G_i A^-1 G_l b)."""
    p, n, k = point.products.shape
    columns = point.products.transpose(1, 0, 2).reshape(n, p * k)
    solved = dpotrs(point.factor[0], columns, lower=True)[0]
    H = 2 / lam**2 * np.einsum("npk,nqk->pq", columns.reshape(n, p, k), solved.reshape(n, p, k))
    return (H + H.T) / 2


def simplex_quadratic_minimum(H: Array, g: Array, start: Array) -> Array:
    """The x on the simplex that minimises g'(x - start) + (x - start)'H(x - start) / 2.

    A primal active-set method: solve with the zeros held, walk there or to the first weight that
    vanishes, release the zero with the most negative multiplier.
    """
    p = len(g)
    H = H + 1e-13 * (np.trace(H) / p + np.finfo(float).tiny) * np.eye(p)
    x, free = start.copy(), start > 0
    for _ in range(20 * p):
        f = np.flatnonzero(free)
        kkt = np.ones((len(f) + 1, len(f) + 1))
        kkt[:-1, :-1], kkt[-1, -1] = H[np.ix_(f, f)], 0.0
        gradient = g + H @ (x - start)
        step = lstsq(kkt, np.append(-gradient[f], 0.0), check_finite=False)[0][:-1]
        step -= step.mean()  # rounding must not leave the simplex
        reach = np.where(step < 0, x[f] / np.where(step < 0, -step, 1.0), np.inf)
        if reach.min() < 1:
            x[f] += reach.min() * step
            blocking = f[np.argmin(reach)]
            x[blocking], free[blocking] = 0.0, False
            continue
        x[f] += step
        gradient = g + H @ (x - start)
        multipliers = np.where(free, np.inf, gradient - gradient[f].mean())
        worst = int(np.argmin(multipliers))
        if not multipliers[worst] < -1e-12 * np.abs(gradient).max():
            break
        free[worst] = True
    x = np.maximum(x, 0.0)
    return x / x.sum()


def weight_steps(bank: KernelBank, L: Array, lam: float, weights: Array) -> Iterator[WeightStep]:
    """Newton's method for the G step from given weights; F_2 decreases at every step.

    The columns of L must have mean zero. The stream ends when rounding allows no further decrease.
    """
    point = weight_point(bank, L, lam, weights, resolvent(bank, L, lam, weights))
    while True:
        yield point
        gradient = -point.scores / lam
        target = simplex_quadratic_minimum(weight_hessian(point, lam), gradient, point.weights)
        direction = target - point.weights
        slope = float(gradient @ direction)
        length = 1.0
        while length > 1e-10 and slope < 0:
            trial = point.weights + length * direction if length < 1 else target
            solved = resolvent(bank, L, lam, trial)
            if float(np.sum(L * solved[1])) < point.objective + 1e-4 * length * slope:
                break
            length /= 2
        else:
            return
        point = weight_point(bank, L, lam, trial, solved)


def solved_weights(
    bank: KernelBank, L: Array, lam: float, weights: Array, *, tol: float, max_iter: int = 100
) -> tuple[float, WeightStep, int]:
    """F_2 at the start, the last point of Newton's method, and the number of its steps.

    It stops at a gap of ``tol``, or ``tol`` of the slope sum_i w_i q_i / lam where that is less
    than one, so that neither a small nor a large lam is taken for an optimum.
    """
    points = weight_steps(bank, L, lam, weights)
    point = next(points)
    first, count = point.objective, 0
    while count < max_iter and point.gap > tol * min(
        1.0, float(point.weights @ point.scores) / lam
    ):
        better = next(points, None)
        if better is None:
            break
        point, count = better, count + 1
    return first, point, count


def kernel_weights(
    kernels: Kernels,
    L: ArrayLike,
    lam: float,
    *,
    weights: ArrayLike | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> KernelWeights:
    r"""The weights of the kernels that minimise F_2 for given L, Eq. 28 of NAML.

    Minimises :math:`\operatorname{tr}(L'(I + \frac1\lambda\sum_i w_i\hat G_i)^{-1}L)` over the
    simplex by Newton's method, with :math:`\hat G_i` the given kernels centred and scaled to trace
    one. The paper solves the same problem as a QCQP (:func:`umlbook.naml.qcqp_weights`).

    Parameters
    ----------
    kernels : kernel bank, or sequence of p matrices (n, n)
        Centred and trace-normalised here; symmetric and positive semi-definite.
    L : array (n, k)
        Indicator with columns of norm one, or its relaxation.
    lam : float
    weights : array (p,), optional
        Where to start, on the simplex; equal weights if left out. The objective reached does not
        depend on it; the weights do not either where the minimum is unique.
    tol : float
        Duality gap to stop at.
    max_iter : int
        Most Newton steps.

    Returns
    -------
    KernelWeights
        ``weights`` (w), ``theta`` (w_i / r_i), ``objective`` (F_2), ``gap`` (how far at most F_2
        lies above its minimum: :math:`\frac1\lambda(\max_i q_i - \sum_i w_i q_i)`), ``n_iter``.

    Examples
    --------
    >>> good = np.array([[1.0, 1.0, -1.0, -1.0]]).T
    >>> bad = np.array([[1.0, -1.0, 1.0, -1.0]]).T
    >>> L = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]) / np.sqrt(2)
    >>> kernel_weights([good @ good.T, bad @ bad.T], L, lam=0.1).weights.tolist()
    [1.0, 0.0]
    """
    bank = as_bank(kernels)
    lam = check_positive("lam", lam)
    given = np.asarray(L, dtype=float)
    if given.ndim != 2 or len(given) != bank.n_samples:
        raise ValueError(
            f"L must have one row for each of the {bank.n_samples} samples of the kernels, "
            f"got shape {given.shape}"
        )
    check_finite(given, "L")
    start = _start_weights(weights, len(bank))
    inner = centered(given)
    _, point, n_iter = solved_weights(bank, inner, lam, start, tol=tol, max_iter=max_iter)
    # A maps constant columns to themselves, so the part of L that was centred away adds its norm
    constant = float(np.sum(given**2) - np.sum(inner**2))
    return KernelWeights(
        point.weights, point.weights / bank.traces, point.objective + constant, point.gap, n_iter
    )


def _start_weights(weights: ArrayLike | None, n_kernels: int) -> Array:
    if weights is None:
        return np.full(n_kernels, 1 / n_kernels)
    start = np.array(weights, dtype=float)
    if start.shape != (n_kernels,) or start.min() < 0 or not np.isclose(start.sum(), 1):
        raise ValueError(
            f"weights must be {n_kernels} numbers, none negative, with sum one, got {weights!r}"
        )
    return start / start.sum()
