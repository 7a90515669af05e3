"""The equations of PM and the steps of DAEM, as plain functions of coordinates and pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.cluster import KMeans

from umlbook.algebra import Array, Labels, nearest_center
from umlbook.constraints import IntArray
from umlbook.daem.solver import (
    AllPairs,
    ListedPairs,
    Minimum,
    PairCost,
    PairFeatures,
    projected_newton,
    softplus,
)

# The equations --------------------------------------------------------------------------------


def same_probability(t: ArrayLike) -> Array:
    """P(same) = 1 / (1 + exp(t)), Eq. 11 with the sign corrected: it decreases with the distance.

    >>> same_probability([-1.0, 0.0, 3.0]).round(2).tolist()
    [0.73, 0.5, 0.05]
    """
    return np.asarray(expit(-np.asarray(t, dtype=float)))


def shannon_entropy(t: ArrayLike) -> Array:
    """H(P), Eq. 13: the Shannon entropy of a pair's label, log 2 at t = 0 and 0 far from it.

    >>> shannon_entropy([0.0, 4.0]).round(3).tolist()
    [0.693, 0.09]
    """
    size: Array = np.abs(np.asarray(t, dtype=float))  # symmetric; this side keeps its digits
    return np.asarray(np.log1p(np.exp(-size)) + size * expit(-size))


def tempered_entropy(t: ArrayLike, lam: float) -> Array:
    r"""lam times the Renyi entropy of order a = 1/(1 - lam) of a pair's label.

    .. math:: \lambda H_a(P) = \log(1 + e^t) - (1 - \lambda) \log(1 + e^{t/(1-\lambda)})

    It is what EM with Eq. 29 descends; at lam = 1 it is the min-entropy -log max(P, 1 - P).

    >>> float(tempered_entropy(np.log(0.17 / 0.83), 0.6).round(8))
    0.17880648
    """
    size = np.abs(np.asarray(t, dtype=float))
    if lam == 1:
        return np.log1p(np.exp(-size))
    return np.log1p(np.exp(-size)) - (1 - lam) * np.log1p(np.exp(-size / (1 - lam)))


def e_step(t: ArrayLike, lam: float) -> Array:
    r"""Q = P^a / (P^a + (1 - P)^a) with a = 1/(1 - lam), Eq. 29; at lam = 1 it is hard.

    >>> [float(e_step(-1.0, lam).round(3)) for lam in (0.0, 0.5, 0.9, 1.0)]
    [0.731, 0.881, 1.0, 1.0]
    """
    margins = np.asarray(t, dtype=float)
    if lam == 1:
        return np.asarray((1 - np.sign(margins)) / 2)
    return np.asarray(expit(-margins / (1 - lam)))


@dataclass(frozen=True)
class Pairs:
    """All pairs i < j of n samples: ``target`` is 1 on S and 0 on D, ``weight`` their weights."""

    target: Array
    labelled: NDArray[np.bool_]
    weight: Array

    @property
    def has_both_kinds(self) -> bool:
        """Whether there is a pair in S and a pair in D."""
        return len(np.unique(self.target[self.labelled])) == 2

    def completed(self, belief: Array) -> Array:
        """The targets, with a belief where there is no label."""
        return np.where(self.labelled, self.target, belief)


def pair_numbers(pairs: IntArray, n_samples: int) -> IntArray:
    """Position of each pair i < j in the order of ``scipy``'s ``pdist``.

    >>> pair_numbers(np.array([[0, 1], [0, 2], [1, 2]]), 3).tolist()
    [0, 1, 2]
    """
    i, j = pairs[:, 0], pairs[:, 1]
    return n_samples * i - i * (i + 1) // 2 + j - i - 1


def weighted_pairs(
    must_link: IntArray, cannot_link: IntArray, n_samples: int, weight: float | None = None
) -> Pairs:
    """All pairs of n samples with their labels and weights.

    Parameters
    ----------
    must_link : integer array (n_pairs, 2)
        S, in canonical form.
    cannot_link : integer array (n_pairs, 2)
        D, in canonical form.
    n_samples : int
        n.
    weight : float or None
        What one unlabelled pair counts: 1 in the paper. None is (|S| + |D|) / |U|, so that U
        weighs as much as S and D together.

    Returns
    -------
    Pairs
    """
    n_pairs = n_samples * (n_samples - 1) // 2
    target, labelled = np.full(n_pairs, 0.5), np.zeros(n_pairs, dtype=bool)
    for pairs, value in ((must_link, 1.0), (cannot_link, 0.0)):
        numbers = pair_numbers(pairs, n_samples)
        target[numbers], labelled[numbers] = value, True
    n_labelled = int(labelled.sum())
    if weight is None:
        weight = n_labelled / max(n_pairs - n_labelled, 1)
    return Pairs(target, labelled, np.where(labelled, 1.0, weight))


def objective(t: Array, pairs: Pairs, lam: float, *, entropy: str = "renyi") -> float:
    r"""Eq. 26 with the sign corrected, at the margins t of all pairs.

    .. math:: \sum_S \log(1 + e^{t}) + \sum_D \log(1 + e^{-t}) + \lambda \sum_U w H(t)

    with the Renyi entropy of order 1/(1 - lam), which DAEM descends at fixed lam, or with the
    Shannon entropy that the paper prints, which it does not.

    Parameters
    ----------
    t : array (n(n-1)/2,)
        Margins of all pairs i < j.
    pairs : Pairs
    lam : float
        Between 0 and 1.
    entropy : "renyi" or "shannon"

    Returns
    -------
    float
    """
    if entropy not in ("renyi", "shannon"):
        raise ValueError(f"entropy must be 'renyi' or 'shannon', got {entropy!r}")
    known = pairs.labelled
    fit = softplus(t[known]) - (1 - pairs.target[known]) * t[known]
    unsure = t[~known]
    doubt = tempered_entropy(unsure, lam) if entropy == "renyi" else lam * shannon_entropy(unsure)
    return float(fit.sum() + pairs.weight[~known] @ doubt)


def m_step(
    features: PairFeatures, pairs: Pairs, posterior: Array, delta: Array, scale: Array, tau: float
) -> Minimum:
    """Delta = (theta, mu) of Eq. 30 for given beliefs, by projected Newton from ``delta`` on.

    Parameters
    ----------
    features : AllPairs or ListedPairs
    pairs : Pairs
    posterior : array (n(n-1)/2,)
        Beliefs about all pairs: 1 on S, 0 on D, those of the E step on U.
    delta : array (k + 1,)
        The start.
    scale : array (k + 1,)
        The sizes of the variables' features.
    tau : float
        Penalty on the sum of theta.

    Returns
    -------
    Minimum
        With ``x``, the margins ``t`` there, and whether the method ``converged``.
    """
    return projected_newton(PairCost(features, posterior, pairs.weight, tau), delta, scale)


def labelled_only(P: Array, pairs: Pairs, scale: Array, tau: float) -> Minimum:
    """Delta at lam = 0: the likelihood of S and D alone, a logistic metric (Yang and Jin)."""
    numbers = np.flatnonzero(pairs.labelled)
    i, j = (side[numbers] for side in np.triu_indices(len(P), k=1))
    cost = PairCost(
        ListedPairs((P[i] - P[j]) ** 2), pairs.target[numbers], pairs.weight[numbers], tau
    )
    start = np.append(np.ones(P.shape[1]) / (scale[:-1].sum()), 1.0)
    return projected_newton(cost, start, scale)


def schedule(n_temperatures: int = 20) -> Array:
    """lam of each temperature, sqrt(i / T) for i = 1, ..., T (Sec. 4.1).

    >>> schedule(4).round(3).tolist()
    [0.5, 0.707, 0.866, 1.0]
    """
    return np.sqrt(np.arange(1, n_temperatures + 1) / n_temperatures)


# The algorithm --------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairProblem:
    """What DAEM is given: coordinates, pairs, the sizes of the variables, penalties.

    ``tau`` is the penalty of the trace while annealing, ``start_tau`` that of the start, which
    may not be zero: S and D alone can often be separated, and then nothing else bounds theta.
    """

    P: Array
    pairs: Pairs
    scale: Array
    tau: float
    start_tau: float

    @cached_property
    def features(self) -> AllPairs:
        """The features of all pairs, which are never stored."""
        return AllPairs(self.P)


@dataclass(frozen=True)
class DAEMStep:
    """State after one E and one M step; the first state is the labelled-only start, lam = 0.

    ``posterior`` are the beliefs that the M step was given, ``margins`` the t after it.
    ``objective`` has the Renyi entropy of this lam and never increases while lam stays; ``shannon``
    is the paper's cost at the same place. Both include the penalty. ``unsettled`` counts the
    M steps so far that did not converge.
    """

    lam: float
    theta: Array
    mu: float
    margins: Array
    posterior: Array
    objective: float
    shannon: float
    n_newton: int
    unsettled: int
    embedding: Array = field(repr=False)
    cluster: Callable[[Array], KMeans] = field(repr=False)

    @cached_property
    def clustering(self) -> KMeans:
        """K-means in the learned space, run on demand."""
        return self.cluster(self.embedding)

    @cached_property
    def labels(self) -> Labels:
        """The nearest centre of each sample in the learned space."""
        return nearest_center(self.embedding, self.clustering.cluster_centers_)


def daem_steps(
    problem: PairProblem,
    delta: Array,
    lams: Array,
    *,
    n_em_steps: int = 10,
    tol: float = 1e-4,
    cluster: Callable[[Array], KMeans],
) -> Iterator[DAEMStep]:
    """Algorithm 1: EM at each lam in turn, from Delta = (theta, mu) on.

    At one lam at most ``n_em_steps``, fewer when the cost decreases by less than ``tol`` of itself.
    """
    pairs, tau, unsettled = problem.pairs, problem.tau, 0
    t = problem.features.dot(delta[:-1]) - delta[-1]

    def state(lam: float, posterior: Array, n_newton: int) -> DAEMStep:
        trace = tau * float(delta[:-1].sum())
        renyi = objective(t, pairs, lam) + trace
        shannon = objective(t, pairs, lam, entropy="shannon") + trace
        embedding = problem.P * np.sqrt(delta[:-1])
        return DAEMStep(
            *(float(lam), delta[:-1], float(delta[-1]), t, posterior, renyi, shannon),
            *(n_newton, unsettled, embedding, cluster),
        )

    yield state(0.0, pairs.completed(same_probability(t)), 0)
    for lam in lams:
        cost = objective(t, pairs, lam) + tau * delta[:-1].sum()
        for _ in range(n_em_steps):
            posterior = pairs.completed(e_step(t, lam))
            found = m_step(problem.features, pairs, posterior, delta, problem.scale, tau)
            delta, t, unsettled = found.x, found.t, unsettled + (not found.converged)
            after = state(lam, posterior, found.n_iter)
            yield after
            if cost - after.objective <= tol * abs(cost):
                break
            cost = after.objective
