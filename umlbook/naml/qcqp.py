r"""The G step as its paper solves it: a quadratically constrained quadratic program.

.. math:: \max_{\beta, t}\ \sum_j \beta_j'L_j - \tfrac14 \sum_j \beta_j'\beta_j
          - \tfrac{t}{4\lambda} \quad\text{subject to}\quad
          t \ge \sum_j \beta_j'\hat G_i\beta_j, \quad i = 1, \dots, p

Slow, and here for comparison only; it needs the extra ``qcqp`` (cvxpy and Clarabel).
"""

import warnings
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from umlbook._checks import check_positive
from umlbook.algebra import Array
from umlbook.naml.weights import Kernels, as_bank


@dataclass(frozen=True)
class QCQPSolution:
    """What the solver found: ``objective`` is F_2, ``multipliers`` those of the p constraints.

    ``status`` is "optimal", or "optimal_inaccurate" where the solver stopped short of ``tol``.
    """

    weights: Array
    theta: Array
    objective: float
    multipliers: Array
    beta: Array
    status: str


def load_cvxpy() -> ModuleType:
    """The module cvxpy, with Clarabel installed, or an error that says how to get them."""
    try:
        import clarabel  # noqa: F401
        import cvxpy
    except ImportError as error:
        raise ImportError(
            "the QCQP needs cvxpy and Clarabel, which are not installed: "
            'pip install "umlbook[qcqp]"'
        ) from error
    module: ModuleType = cvxpy
    return module


def kernel_root(G: Array) -> Array:
    """R with RR' = G, of as many columns as G has rank."""
    values, vectors = eigh(G)
    kept = values > 1e-14 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def qcqp_weights(kernels: Kernels, L: ArrayLike, lam: float, *, tol: float = 1e-9) -> QCQPSolution:
    r"""The weights of the kernels by the QCQP of Theorem 3.3 of NAML.

    The multipliers :math:`\nu` of the constraints sum to :math:`1/4\lambda`, so the weights are
    :math:`w_i = 4\lambda\nu_i` and :math:`\theta_i = w_i / r_i`; the paper leaves out the factor.

    Parameters
    ----------
    kernels : kernel bank, or sequence of p matrices (n, n)
        Centred and trace-normalised here.
    L : array (n, k)
        Indicator with columns of norm one, or its relaxation.
    lam : float
    tol : float
        Tolerance asked of the solver.

    Returns
    -------
    QCQPSolution
    """
    cp = load_cvxpy()
    bank, lam = as_bank(kernels), check_positive("lam", lam)
    L = np.asarray(L, dtype=float)
    beta, t = cp.Variable(L.shape), cp.Variable()
    quadratics = [cp.sum_squares(kernel_root(G).T @ beta) <= t for G in bank]
    value = cp.sum(cp.multiply(beta, L)) - cp.sum_squares(beta) / 4 - t / (4 * lam)
    problem = cp.Problem(cp.Maximize(value), quadratics)
    with warnings.catch_warnings():  # what it warns of is kept as the status
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver="CLARABEL", tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
    multipliers = np.array([float(np.squeeze(c.dual_value)) for c in quadratics])
    weights = 4 * lam * multipliers
    theta = weights / bank.traces
    value, found = float(problem.value), np.array(beta.value)
    return QCQPSolution(weights, theta, value, multipliers, found, problem.status)
