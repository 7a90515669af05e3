r"""Logistic costs on pairs of samples, and the projected Newton method that minimises them.

A pair has one feature a component, :math:`v_{ij}^l = (p_{il} - p_{jl})^2`. The cost is

.. math:: f(\theta, \mu) = \sum_{i<j} c_{ij} \big[ \log(1 + e^{t_{ij}}) - (1 - q_{ij}) t_{ij} \big]
   + \tau \sum_l \theta_l, \qquad t_{ij} = \theta^\top v_{ij} - \mu, \quad \theta, \mu \ge 0,

convex for given targets q. `AllPairs` never forms the n(n-1)/2 x k array of the features:

====================================  ======================================================
what the cost needs                   how to get it from P (n x k) and n x n matrices
====================================  ======================================================
theta' v_ij for all pairs             squared distances of the rows of P diag(theta)^(1/2)
sum g_ij v_ij^l                       p_l' (D_g - g) p_l, the Laplacian of the weights g
sum w_ij v_ij^l v_ij^m                products of the weights with p_l, p_l^2 and p_l p_m
====================================  ======================================================

Why Newton's method is written here: SciPy's L-BFGS-B, given the same scaled variables, gradients
and bounds, reaches the same minimum, to 1e-15 of it with ``gtol=1e-10`` and ``ftol=0``, but takes
4 to 8 times the processor time (3 to 7 times with ``gtol=1e-8``): 16 to 34 evaluations for each
minimum, against 2 or 3 Newton steps. Measured on all M steps of `ProbabilisticMetric` on 200 and
400 points of `make_circle` with 30 kernel coordinates, and on iris with the linear version, both
as given and times 1000.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import nnls
from scipy.spatial.distance import pdist, squareform
from scipy.special import expit

from umlbook.algebra import Array, Labels, centered

ARMIJO = 1e-4
MAX_HALVINGS = 40
RIDGE = 1e-12


class PairFeatures(Protocol):
    """A linear map from weights of components to pairs, its adjoint, and its weighted Gram."""

    @property
    def n_components(self) -> int: ...
    def dot(self, theta: Array) -> Array:
        """theta' v for every pair."""

    def adjoint(self, g: Array) -> Array:
        """The sum of g v over the pairs."""

    def gram(self, w: Array, columns: Labels, size: Array | float = 1.0) -> Array:
        """The sum of w v v' over the pairs, for some of the components, in units of ``size``."""


@dataclass(frozen=True)
class ListedPairs:
    """Features given as an array V, one pair per row: for few pairs, and as the naive twin."""

    V: Array

    @property
    def n_components(self) -> int:
        return self.V.shape[1]

    def dot(self, theta: Array) -> Array:
        return self.V @ theta

    def adjoint(self, g: Array) -> Array:
        return self.V.T @ g

    def gram(self, w: Array, columns: Labels, size: Array | float = 1.0) -> Array:
        V = self.V[:, columns] / size
        return V.T @ (w[:, None] * V)


class AllPairs:
    """Features of all pairs i < j of the rows of P, in the order of ``scipy``'s ``pdist``.

    Memory is a few n x n matrices, whatever the number of components.
    """

    def __init__(self, P: Array):
        self.P = centered(P)  # distances stay, and fewer digits cancel

    @property
    def n_components(self) -> int:
        return self.P.shape[1]

    def dot(self, theta: Array) -> Array:
        used = np.flatnonzero(theta)
        if not used.size:
            return np.zeros(len(self.P) * (len(self.P) - 1) // 2)
        return np.asarray(pdist(self.P[:, used] * np.sqrt(theta[used]), "sqeuclidean"))

    def adjoint(self, g: Array) -> Array:
        G = squareform(g, checks=False)
        return np.asarray(G.sum(axis=0) @ self.P**2 - np.sum(self.P * (G @ self.P), axis=0))

    def gram(self, w: Array, columns: Labels, size: Array | float = 1.0) -> Array:
        W, P = squareform(w, checks=False), self.P[:, columns] / np.sqrt(size)
        S = P**2
        mixed = S.T @ (P * (W @ P))
        H = S.T @ (W.sum(axis=0)[:, None] * S) + S.T @ (W @ S) - 2 * (mixed + mixed.T)
        for c in range(len(columns)):  # one component at a time keeps the memory at n x k
            R = P[:, c : c + 1] * P[:, c:]
            quartic = 2 * np.sum(R * (W @ R), axis=0)
            H[c, c:] += quartic
            H[c + 1 :, c] += quartic[1:]
        return H


def softplus(t: Array) -> Array:
    """log(1 + exp(t)) without overflow.

    >>> softplus(np.array([-800.0, 0.0, 800.0])).round(3).tolist()
    [0.0, 0.693, 800.0]
    """
    return np.logaddexp(0.0, t)


@dataclass(frozen=True)
class PairCost:
    """The cost f of the module, for targets q, weights c and penalty tau."""

    features: PairFeatures
    target: Array
    weight: Array
    tau: float

    def at(self, x: Array) -> "Point":
        """The cost at x = (theta, mu)."""
        return Point(self, x, self.features.dot(x[:-1]) - x[-1])


@dataclass(frozen=True)
class Point:
    """A cost at x, where the pairs have the margins t; its derivatives are computed on demand."""

    cost: PairCost
    x: Array
    t: Array

    @cached_property
    def value(self) -> float:
        """f(x)."""
        loss = softplus(self.t) - (1 - self.cost.target) * self.t
        return float(self.cost.weight @ loss + self.cost.tau * self.x[:-1].sum())

    @cached_property
    def far(self) -> Array:
        """1 - P of every pair."""
        return np.asarray(expit(self.t))

    @cached_property
    def gradient(self) -> Array:
        """The derivatives of f by theta and mu."""
        r = self.cost.weight * (self.far - (1 - self.cost.target))
        return np.append(self.cost.features.adjoint(r) + self.cost.tau, -r.sum())

    def hessian(self, free: Labels, scale: Array | None = None) -> Array:
        """The second derivatives of f by some of the variables, in ascending order.

        With ``scale``, the sizes of the variables' features, by the variables times their sizes:
        the features are divided first, as their squares can overflow.
        """
        features = self.cost.features
        w = self.cost.weight * self.far * (1 - self.far)
        of_theta = free[free < features.n_components]
        size = np.ones(len(self.x)) if scale is None else scale
        H = features.gram(w, of_theta, size[of_theta])
        if len(of_theta) == len(free):
            return H
        cross = -(features.adjoint(w)[of_theta] / size[of_theta])[:, None] / size[-1]
        return np.block([[H, cross], [cross.T, np.full((1, 1), w.sum() / size[-1] ** 2)]])


@dataclass(frozen=True)
class Minimum:
    """Where the Newton method ended; ``residual`` is the projected gradient in scaled units."""

    x: Array
    t: Array
    value: float
    residual: float
    n_iter: int
    converged: bool


def projected_newton(
    cost: PairCost, x: Array, scale: Array, *, tol: float = 1e-8, max_iter: int = 200
) -> Minimum:
    """Minimise a pair cost over x >= 0 by Newton steps that respect the bounds.

    Each step minimises the quadratic model over x >= 0, for the variables that are positive or
    want to be, by nonnegative least squares, and is halved until the cost decreases.

    Parameters
    ----------
    cost : PairCost
    x : array (k + 1,)
        The start, nonnegative.
    scale : array (k + 1,)
        The natural size of each variable's features: x * scale is what the residual is measured
        in, so that the test for convergence does not depend on units.
    tol : float
        The residual to stop at, relative to the sum of the weights.
    max_iter : int
        Most Newton steps.

    Returns
    -------
    Minimum
    """
    enough = tol * float(cost.weight.sum())
    point, n_iter = cost.at(x), 0
    while (residual := _residual(point, scale)) > enough and n_iter < max_iter:
        following = _lower_point(point, _model_minimum(point, scale))
        if following is None:  # the cost cannot be told from its neighbours any more
            break
        point, n_iter = following, n_iter + 1
    return Minimum(point.x, point.t, point.value, residual, n_iter, residual <= enough)


def _residual(point: Point, scale: Array) -> float:
    """Largest entry of x - max(0, x - gradient) in scaled variables; zero at a minimum."""
    y, slope = point.x * scale, point.gradient / scale
    return float(np.abs(y - np.maximum(0.0, y - slope)).max())


def _model_minimum(point: Point, scale: Array) -> Array:
    """Where the quadratic model at the point is least over x >= 0, in the variables in play."""
    free = np.flatnonzero((point.x > 0) | (point.gradient < 0))
    size = scale[free]
    H = point.hessian(free, scale)
    found = np.zeros_like(point.x)
    found[free] = _bounded_minimum(H, point.gradient[free] / size, point.x[free] * size) / size
    return found


def _bounded_minimum(H: Array, g: Array, x: Array) -> Array:
    """The y >= 0 that minimises g'(y - x) + (y - x)'H(y - x)/2.

    Where H is singular up to rounding, or so nearly that least squares gives up, the diagonal
    is raised: any definite H leads downwards, a larger one in a shorter step.
    """
    shift = RIDGE * max(float(np.trace(H)), np.finfo(float).tiny)
    while True:
        raised = H + shift * np.eye(len(H))
        try:
            L = cholesky(raised, lower=True)
            return np.asarray(nnls(L.T, solve_triangular(L, raised @ x - g, lower=True))[0])
        except (LinAlgError, RuntimeError):
            shift *= 100


def _lower_point(point: Point, aim: Array) -> Point | None:
    """The first point on the way back from ``aim`` that is lower enough; None if there is none."""
    slope = float(point.gradient @ (aim - point.x))
    length = 1.0
    for _ in range(MAX_HALVINGS if slope < 0 else 0):
        tried = point.cost.at(point.x + length * (aim - point.x))
        if tried.value <= point.value + ARMIJO * length * slope:
            return tried
        length /= 2
    return None
