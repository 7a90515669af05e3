"""The objective of latent-class pairs, its gradient, its starts and its descent."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import ROUNDING, Array, Labels, cluster_means, nearest
from umlbook.constraints import IntArray
from umlbook.lloyd import fill_empty

TEMPERATURE = 0.3  # of the starts: how soft the boundaries between the centres of k-means are
INTERCEPT_RIDGE = 1e-4


@dataclass(frozen=True)
class LatentProblem:
    """Coordinates P, pairs, classes, the weights of the objective, the share of wrong pairs.

    ``parts`` are the blocks that P is made of, which the starts look at one by one too.
    """

    P: Array
    must: IntArray
    cannot: IntArray
    n_clusters: int
    lam: float
    balance: float
    ridge: float
    noise: float = 0.0
    parts: tuple[Array, ...] = ()

    @property
    def n_pairs(self) -> int:
        """m, the number of pairs of both kinds."""
        return len(self.must) + len(self.cannot)


@dataclass(frozen=True)
class LatentStep:
    """State after an iteration of L-BFGS, or at its start; the rest is computed on demand."""

    objective: float
    coef: Array
    intercept: Array
    problem: LatentProblem = field(repr=False)

    @cached_property
    def log_responsibilities(self) -> Array:
        """log r, n x K."""
        return log_responsibilities(self.problem.P, self.coef, self.intercept)

    @property
    def responsibilities(self) -> Array:
        """r, the probabilities of the classes of each sample, n x K."""
        return np.exp(self.log_responsibilities)

    @cached_property
    def labels(self) -> Labels:
        """The most probable class of each sample."""
        return nearest(-self.responsibilities, ROUNDING)

    @property
    def likelihood(self) -> float:
        """The mean of minus log P over the pairs."""
        return pair_likelihood(self.log_responsibilities, self.problem)[0]

    @property
    def uncertainty(self) -> float:
        """The mean entropy of the samples' classes."""
        return uncertainty(self.log_responsibilities)[0]

    @property
    def spread(self) -> float:
        """The entropy of the mean class."""
        return spread(self.log_responsibilities)[0]


# The model ------------------------------------------------------------------------------------


def log_responsibilities(P: Array, coef: Array, intercept: Array) -> Array:
    """log r, where the rows of r are softmax(B'p + b)."""
    return np.asarray(log_softmax(P @ coef + intercept, axis=1))


def class_seeds(r: Array, labels: Labels) -> dict[int, Array]:
    """For each class that no sample is in: the probabilities of the sample that is to found it.

    That is the sample least like the mean of its own class.

    >>> r = np.array([[0.9, 0.1, 0.0], [0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.4, 0.6, 0.0]])
    >>> class_seeds(r, np.array([0, 0, 1, 1]))
    {2: array([0.1, 0.9, 0. ])}
    """
    used = np.unique(labels, return_inverse=True)[1]
    own = np.linalg.norm(r - cluster_means(r, used)[used], axis=1)
    filled = fill_empty(labels, own, r.shape[1])
    return {int(filled[i]): r[i] for i in np.flatnonzero(filled != labels)}


def same_class(r: Array, s: Array) -> Array:
    """P(same) = r_i . s_j for every row of r with every row of s.

    >>> same_class(np.array([[1.0, 0.0]]), np.array([[0.3, 0.7], [1.0, 0.0]]))
    array([[0.3, 1. ]])
    """
    return r @ s.T


def pair_terms(
    log_r: Array, pairs: IntArray, *, same: bool, noise: float = 0.0
) -> tuple[Array, Array, Array]:
    """log P of what is said of each pair, and the class of either end given that it is said.

    What is said is true of a share 1 - ``noise`` of the pairs. The sum runs over the classes of
    both ends, in logarithms: 1 - r_i . r_j has no digits left when both ends are certain.
    """
    truth, error = np.log1p(-noise), np.log(noise) if noise else -np.inf
    as_said = np.eye(log_r.shape[1], dtype=bool) == same
    joint = log_r[pairs[:, 0], :, None] + log_r[pairs[:, 1], None, :]
    joint = joint + np.where(as_said, truth, error)
    flat = joint.reshape(len(pairs), -1)
    posterior = softmax(flat, axis=1).reshape(joint.shape)
    return logsumexp(flat, axis=1), posterior.sum(axis=2), posterior.sum(axis=1)


# The objective --------------------------------------------------------------------------------


def pair_likelihood(log_r: Array, problem: LatentProblem) -> tuple[float, Array]:
    """Mean of -log P over the pairs, and its gradient in the logits.

    The gradient at an end of a pair is r less the posterior of its class, over m.
    """
    value, slope = 0.0, np.zeros_like(log_r)
    for pairs, same in ((problem.must, True), (problem.cannot, False)):
        if len(pairs):
            log_p, first, second = pair_terms(log_r, pairs, same=same, noise=problem.noise)
            value -= float(log_p.sum())
            for end, posterior in zip(pairs.T, (first, second), strict=True):
                np.add.at(slope, end, np.exp(log_r[end]) - posterior)
    m = max(problem.n_pairs, 1)
    return value / m, slope / m


def uncertainty(log_r: Array) -> tuple[float, Array]:
    """Mean entropy of the rows of r, and its gradient in the logits."""
    r = np.exp(log_r)
    entropies = -np.sum(r * log_r, axis=1)
    return float(entropies.mean()), -r * (log_r + entropies[:, None]) / len(r)


def spread(log_r: Array) -> tuple[float, Array]:
    """Entropy of the mean row of r, and its gradient in the logits."""
    r = np.exp(log_r)
    log_mean = logsumexp(log_r, axis=0) - np.log(len(r))
    slope = r * ((r @ log_mean)[:, None] - log_mean) / len(r)
    return -float(np.exp(log_mean) @ log_mean), slope


def objective(weights: Array, problem: LatentProblem) -> tuple[float, Array]:
    r"""J and its gradient at the weights (B, b) in one vector; rho is ``problem.ridge``.

    .. math:: J = -\frac1m \Big[\sum_S \log r_i^\top r_j + \sum_D \log(1 - r_i^\top r_j)\Big]
       + \lambda \Big[\frac1n \sum_i H(r_i) - H(\bar r)\Big]
       + \frac{\rho}{2} \lVert B \rVert^2 + 10^{-4} \lVert b \rVert^2
    """
    coef, intercept = split(weights, problem)
    log_r = log_responsibilities(problem.P, coef, intercept)
    likelihood, slope_likelihood = pair_likelihood(log_r, problem)
    unsure, slope_unsure = uncertainty(log_r)
    even, slope_even = spread(log_r)
    ridge, lam, balance = problem.ridge, problem.lam, problem.balance
    penalty = ridge / 2 * float(np.sum(coef**2)) + INTERCEPT_RIDGE * float(intercept @ intercept)
    slope = slope_likelihood + lam * (slope_unsure - balance * slope_even)
    gradient = np.vstack(
        [problem.P.T @ slope + ridge * coef, slope.sum(axis=0) + 2 * INTERCEPT_RIDGE * intercept]
    )
    return likelihood + lam * (unsure - balance * even) + penalty, gradient.ravel()


def split(weights: Array, problem: LatentProblem) -> tuple[Array, Array]:
    """B (k x K) and b (K) of a vector that has both."""
    rows = weights.reshape(-1, problem.n_clusters)
    return rows[:-1], rows[-1]


# The descent ----------------------------------------------------------------------------------


def start_at(centers: Array) -> Array:
    """Weights that put a sample softly with the nearest of these centres.

    B = C'/tau and b = -|c|^2 / 2 tau make the logits those of a mixture of Gaussians.
    """
    return np.vstack(
        [centers.T / TEMPERATURE, -np.sum(centers**2, axis=1) / (2 * TEMPERATURE)]
    ).ravel()


def starts(parts: Sequence[Array], n_clusters: int, seeds: Iterable[int]) -> Iterator[Array]:
    """Starts at the centres of k-means in all coordinates, then in each block alone, by seed."""
    spaces = [np.hstack(parts)]
    if len(parts) > 1:
        alone = np.eye(len(parts))
        spaces += [
            np.hstack([w * part for w, part in zip(row, parts, strict=True)]) for row in alone
        ]
    for seed, space in product(seeds, spaces):
        with warnings.catch_warnings():  # fewer different samples than clusters
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = KMeans(n_clusters, n_init=1, random_state=seed).fit(space)
        yield start_at(found.cluster_centers_)


def latent_steps(
    problem: LatentProblem, start: Array, *, max_iter: int, tol: float
) -> Iterator[LatentStep]:
    """Yield the start and the state after each iteration of L-BFGS, which runs to its end first."""
    ends = [OptimizeResult(x=start, fun=objective(start, problem)[0])]

    def keep(intermediate_result: OptimizeResult) -> None:  # scipy looks at this name
        ends.append(OptimizeResult(x=intermediate_result.x.copy(), fun=intermediate_result.fun))

    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": tol}
    given = {"args": (problem,), "jac": True, "method": "L-BFGS-B"}
    minimize(objective, start, **given, callback=keep, options=options)
    yield from (LatentStep(float(end.fun), *split(end.x, problem), problem) for end in ends)
