"""The relaxed indicator that AML and NAML share: a basis without the constant, its update, labels.

L has K orthonormal columns. When it indicates clusters, the constant vector lies in its span, and
a centred kernel sends that vector to zero: only K - 1 directions carry anything. They are kept as
``V`` (n x l); L itself is V with the constant column beside it.
"""

from itertools import islice

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh, svd

from umlbook._base import Run
from umlbook.algebra import Array, Labels, centered, fix_signs, indicator
from umlbook.lloyd import LloydStep, lloyd_steps, until_settled

MAX_PASSES = 300


def check_several(X: Array) -> None:
    """Refuse a single sample: about its mean nothing is left of it."""
    if len(X) < 2:
        raise ValueError(f"X has n_samples={len(X)}, but a metric needs at least two samples")


def indicator_basis(labels: ArrayLike, n_clusters: int) -> Array:
    """K - 1 orthonormal columns, orthogonal to the constant, that span L with it.

    >>> indicator_basis([0, 0, 1, 1], 2).round(3).ravel().tolist()
    [0.5, 0.5, -0.5, -0.5]
    """
    if n_clusters == 1:  # nothing to span; one direction keeps every shape the same
        direction = centered(np.eye(len(np.asarray(labels)))[:, :1])
        return direction / np.linalg.norm(direction)
    U = svd(centered(indicator(labels, n_clusters)), full_matrices=False)[0]
    return fix_signs(U[:, : n_clusters - 1])


def with_constant(V: Array) -> Array:
    """V with the constant column of norm one beside it."""
    return np.column_stack([V, np.full(len(V), 1 / np.sqrt(len(V)))])


def subspace_step(M: Array, V: Array) -> tuple[Array, Array, float]:
    r"""The leading eigenvectors of G~ = M (V'M)^+ M' for M = HV, Eqs. 18 and 19 of NAML.

    Returns them as orthonormal columns, the T with M T equal to them, and their eigenvalue sum.
    They span the range of HV: one step of subspace iteration with H.
    """
    U, singular, Wt = svd(M, full_matrices=False)
    rank = int(np.sum(singular > singular[0] * 1e-13)) if singular.size else 0
    U, T = U[:, :rank], Wt[:rank].T / singular[:rank]
    B = V.T @ M
    inside = U.T @ M
    small = inside @ np.linalg.pinv((B + B.T) / 2, rcond=1e-13, hermitian=True) @ inside.T
    values, Y = eigh((small + small.T) / 2)
    Y = Y[:, ::-1]
    new = U @ Y
    signs = np.sign(np.einsum("ij,ij->j", fix_signs(new), new))
    return new * signs, T @ Y * signs, float(values.sum())


def rounded_labels(embedding: Array, labels: Labels, n_clusters: int) -> LloydStep:
    """Lloyd's algorithm on the rows of the embedding, from these labels until it settles."""
    passes = lloyd_steps(embedding, labels, n_clusters)
    *_, last = until_settled(islice(passes, MAX_PASSES))
    return last


def subspace_change(V: Array, other: Array) -> float:
    """Sum of the squared sines of the angles between two spaces; their dimension if it differs."""
    if V.shape != other.shape:
        return float(max(V.shape[1], other.shape[1]))
    return max(0.0, V.shape[1] - float(np.sum((V.T @ other) ** 2)))


def tighter_if_tied(best: Run, run: Run, tol: float) -> Run | None:
    """Of two runs that reached the same relaxed objective, the one whose labels fit L better."""
    reached = best.last.objective, run.last.objective
    if abs(reached[0] - reached[1]) > tol * max(map(abs, reached)):
        return None
    return run if run.last.sse < best.last.sse else best
