r"""The velocity field of CPD-UML, its objective, and its best coefficients in closed form.

Eq. 20 solves a system of order n for every Y. In the eigenbasis G = U diag(s) U' the same
field costs two products with U. With :math:`A = G^2 + \lambda I`, diagonal there, and with

.. math:: m = \arg\min_m \operatorname{tr}\, (X - Ym)' A^{-1} (X - Ym),

the rows of Ym are the means of the moved clusters (row c of m is that mean times the square root of
the cluster's size), and the best field and its points are

.. math:: \Psi = -G A^{-1} (X - Ym), \qquad X_1 = Ym + \lambda A^{-1} (X - Ym):

whatever a smooth function can explain of the deviations from the means is taken away. With the
penalty tr(Psi'G Psi) in place of tr(Psi'Psi) the same holds for :math:`A = G + \lambda I` and
:math:`\Psi = -A^{-1}(X - Ym)`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh, lstsq, solve, svd

from umlbook.algebra import Array, about_median
from umlbook.kernels import rbf

PENALTIES = ("coefficients", "smoothness")
EPS = float(np.finfo(float).eps)


def velocity(X: Array, X_fit: Array, psi: Array, *, sigma: float) -> Array:
    """The velocity of each row of X, the sum of g(x, x_j) psi_j over the rows of X_fit (Eq. 1).

    >>> velocity([[0.0], [9.0]], [[0.0]], np.array([[2.0]]), sigma=1.0).round(3)
    array([[2.],
           [0.]])
    """
    return rbf(X, X_fit, sigma=sigma) @ psi


def deviations(X: Array, Y: Array) -> Array:
    """PX = X - YY'X: each row minus the mean of its cluster."""
    return X - Y @ (Y.T @ X)


def roughness(G: Array, psi: Array, penalty: str = "coefficients") -> float:
    """What lam multiplies: tr(Psi'Psi), as the paper has it, or CPD's own tr(Psi'G Psi)."""
    return float(np.sum(psi * (psi if check_penalty(penalty) == "coefficients" else G @ psi)))


def objective(
    X: Array, G: Array, Y: Array, psi: Array, lam: float, *, penalty: str = "coefficients"
) -> float:
    """J, the k-means objective of the moved points plus lam times the penalty (Eq. 11)."""
    return float(np.sum(deviations(X + G @ psi, Y) ** 2)) + lam * roughness(G, psi, penalty)


def gradient(X: Array, G: Array, Y: Array, psi: Array, lam: float) -> Array:
    """Derivative of J by Psi, 2 G P (X + G Psi) + 2 lam Psi (Eq. 15), n x d."""
    return 2 * G @ deviations(X + G @ psi, Y) + 2 * lam * psi


def deformation(
    X: Array, G: Array, Y: Array, lam: float, *, penalty: str = "coefficients"
) -> Array:
    r"""Psi of Eq. 20, the coefficients of least J for a fixed Y, from one n x n system.

    .. math:: \Psi = -(GPG + \lambda I)^{-1} GPX, \qquad P = I - YY'

    Parameters
    ----------
    X : array (n, d)
    G : array (n, n)
        Gaussian kernel of the rows of X.
    Y : array (n, K)
        Indicator with orthonormal columns.
    lam : float
    penalty : "coefficients" or "smoothness"
        With "smoothness", lam tr(Psi'G Psi): then Psi = -(PG + lam I)^{-1} PX.

    Returns
    -------
    array (n, d)
    """
    PG, PX = deviations(G, Y), deviations(X, Y)
    ridge = lam * np.eye(len(G))
    if check_penalty(penalty) == "smoothness":
        return -solve(PG + ridge, PX)
    return -solve(G @ PG + ridge, G @ PX, assume_a="pos")


def thin_product(A: Array, V: Array) -> Array:
    """A V for a V of few columns, as (V'A')': the BLAS is twice as fast at it."""
    return np.ascontiguousarray((V.T @ A.T).T)


@dataclass(frozen=True)
class FieldBasis:
    """Eigenvectors U (n x r) and eigenvalues s (r) of G, and the points that carry the field.

    Coordinates a in this basis stand for Psi = U a; ``lift`` takes them to the coefficients of the
    ``nodes``. With r < n what U does not span is never moved.
    """

    U: Array
    s: Array
    lift: Array
    nodes: Array
    sigma: float

    def split(self, V: Array) -> tuple[Array, Array]:
        """Coordinates of the columns of V in U, and what they leave over (no rows if nothing)."""
        inside = thin_product(self.U.T, V)
        n, rank = self.U.shape
        return inside, V[:0] if rank == n else V - thin_product(self.U, inside)


def full_basis(X: Array, sigma: float) -> FieldBasis:
    """Every sample carries the field: G = U diag(s) U', found once."""
    s, U = eigh(rbf(X, sigma=sigma), overwrite_a=True, check_finite=False)
    return FieldBasis(U, np.maximum(s, 0.0), U, X, sigma)


def landmark_basis(X: Array, nodes: Array, sigma: float) -> FieldBasis:
    r"""Only the nodes carry the field: G is replaced by :math:`B W^+ B'` (Nystroem).

    B is the kernel of the samples with the nodes (n x m) and W that of the nodes; nothing of size
    n x n is formed. It is G itself where the nodes are all the samples.
    """
    w, Q = eigh(rbf(nodes, sigma=sigma))
    kept = w > len(w) * EPS * w[-1]
    whiten = Q[:, kept] / np.sqrt(w[kept])
    U, root, Vt = svd(rbf(X, nodes, sigma=sigma) @ whiten, full_matrices=False)
    rank = int(np.sum(root > max(U.shape) * EPS * root[0]))
    lift = whiten @ (Vt[:rank].T * root[:rank])
    return FieldBasis(U[:, :rank], root[:rank] ** 2, lift, nodes, sigma)


@dataclass(frozen=True)
class Field:
    """The best field for one Y: its coordinates in the basis, the points it moves, its cost."""

    basis: FieldBasis
    coordinates: Array
    moved: Array
    cost: float

    @cached_property
    def psi(self) -> Array:
        """Psi, one row for each node."""
        return thin_product(self.basis.lift, self.coordinates)


@dataclass(frozen=True)
class FieldProblem:
    """X and a basis, with what every Y needs computed once; ``lam`` may be inf: nothing moves."""

    X: Array
    basis: FieldBasis
    lam: float
    penalty: str = "coefficients"

    @cached_property
    def split_X(self) -> tuple[Array, Array]:
        return self.basis.split(about_median(self.X))  # the digits of data far from the origin stay

    def best_field(self, Y: Array) -> Field:
        """Psi of Eq. 20 in O(n^2 K), or O(n m K) with m nodes.

        Y is the indicator of a clustering: it spans the constant vector, so where the origin lies
        changes nothing. A relaxed Y does not; use :func:`deformation` for one.
        """
        s, lam = self.basis.s, self.lam
        prior = s**2 if self.penalty == "coefficients" else s
        keep = 1 / (1 + prior / lam)  # lam A^-1 in the basis: the share of a deviation that stays
        taken = prior / (prior + lam)
        (X_in, X_out), (Y_in, Y_out) = self.split_X, self.basis.split(Y)
        weight = np.sqrt(keep)[:, None]
        means = lstsq(
            np.concatenate([weight * Y_in, Y_out]),
            np.concatenate([weight * X_in, X_out]),
            check_finite=False,
        )[0]
        apart = X_in - Y_in @ means
        gain = (s if self.penalty == "coefficients" else 1.0) / (prior + lam)
        coordinates = -gain[:, None] * apart
        moved = self.X - thin_product(self.basis.U, taken[:, None] * apart)
        return Field(self.basis, coordinates, moved, self._cost(coordinates))

    def _cost(self, coordinates: Array) -> float:
        """lam tr(Psi'Psi) or lam tr(Psi'G Psi); nothing costs nothing, whatever lam."""
        weight = 1.0 if self.penalty == "coefficients" else self.basis.s[:, None]
        rough = float(np.sum(weight * coordinates**2))
        return self.lam * rough if rough else 0.0


def check_penalty(penalty: str) -> str:
    """The penalty, if there is one of that name."""
    if penalty not in PENALTIES:
        raise ValueError(
            f"penalty must be one of {', '.join(map(repr, PENALTIES))}, got {penalty!r}"
        )
    return penalty
