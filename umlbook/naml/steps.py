"""The passes of NAML as a stream of states: weights, then Q, then L by one of two rules."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from umlbook.algebra import (
    Array,
    Labels,
    fix_signs,
    indicator_basis,
    top_eigenvectors,
    with_constant,
)
from umlbook.kernels import KernelBank, combine
from umlbook.lloyd import lloyd_steps, settled
from umlbook.naml.weights import WeightStep, solved_weights

LStep = tuple[Array, Array, Array, float]
GAP = 1e-8


@dataclass(frozen=True)
class NAMLStep:
    """State after one pass: weights, then Q, then L and the labels that k-means finds in its rows.

    The objective is recorded three times: ``before`` with the old weights and the old L,
    ``halfway`` with the new weights and the old L, ``objective`` with both new. ``gap`` is the
    certified gap of the G step, ``sse`` the k-means objective of the labels on the rows of L.
    """

    labels: Labels
    weights: Array
    gap: float
    Q: Array
    L: Array
    centers: Array
    sse: float
    before: float
    halfway: float
    objective: float


@dataclass(frozen=True)
class Start:
    """The kernel a run starts with, as weights, and labels.

    ``V`` is the first L without its constant column; that of the labels if it is left out.
    """

    weights: Array
    labels: Labels
    V: Array | None = None


def subspace_step(M: Array, V: Array) -> tuple[Array, Array, float]:
    r"""The leading eigenvectors of G~ = M (V'M)^+ M' for M = HV, Eqs. 18 and 19 of NAML.

    Returns them as orthonormal columns, the T with M T equal to them, and their eigenvalue sum.
    They span the range of HV: one step of subspace iteration with H.
    """
    U, singular, Wt = svd(M, full_matrices=False)
    rank = int(np.sum(singular > singular[0] * 1e-13)) if singular.size else 0
    U, T = U[:, :rank], Wt[:rank].T / singular[:rank]
    B = V.T @ M
    parts, turn = top_eigenvectors((B + B.T) / 2, above=1e-13)
    root = U.T @ (M @ turn) / np.sqrt(parts)  # the inverse itself would lose half of the digits
    values, Y = top_eigenvectors(root @ root.T, above=None)
    new = U @ Y
    signs = np.sign(np.einsum("ij,ij->j", fix_signs(new), new))
    return new * signs, T @ Y * signs, float(values.sum())


def subspace_l_step(point: WeightStep, V: Array, lam: float) -> LStep:
    """Rule "constant": L is the eigenvectors of G~ (Eq. 19), its last column the constant.

    Returns V (L without that column), Q with GQ = V, L, and tr(L'G~L).
    """
    HV = np.einsum("p,pnk->nk", point.weights, point.products) / lam
    V, T, value = subspace_step(HV, V)
    return V, point.resolvent @ T / lam, with_constant(V), value


def eigen_l_step(bank: KernelBank, point: WeightStep, lam: float, k: int) -> LStep:
    """Rule "eigen": L is the top k eigenvectors of G, the best of all L with k centred columns."""
    values, V = top_eigenvectors(combine(bank, point.weights), k)
    return V, V / values, V, float(np.sum(values / (values + lam)))


def naml_steps(
    bank: KernelBank, lam: float, start: Start, n_clusters: int, l_step: str = "constant"
) -> Iterator[NAMLStep]:
    """NAML from a first kernel and labels: weights, Q, L; none lowers the objective."""
    weights, labels = start.weights, start.labels
    V = indicator_basis(labels, n_clusters) if start.V is None else start.V
    while True:
        first, point, _ = solved_weights(bank, V, lam, weights, tol=GAP)
        before, halfway = (V.shape[1] - value for value in (first, point.objective))
        if l_step == "eigen":
            V, Q, L, value = eigen_l_step(bank, point, lam, n_clusters)
        else:
            V, Q, L, value = subspace_l_step(point, V, lam)
        found = settled(lloyd_steps(L, labels, n_clusters))
        weights, labels, gap = point.weights, found.labels, point.gap
        del point  # it holds an n x n factor, and the next pass needs the room
        yield NAMLStep(
            labels, weights, gap, Q, L, found.centers, found.objective, before, halfway, value
        )
