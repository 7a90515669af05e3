"""Generated inputs for equations: nothing is special about them that is not declared.

A `Problem` has data that are neither centred nor isotropic, clusters of unequal sizes with single
samples among them, more and fewer features than clusters and than samples, dependent columns and
repeated rows in some draws, matrices without symmetry, kernels that are singular in some draws,
and weights on and off the simplex. Each word of `WORDS` narrows the class; without it some draw
violates it. Draws are seeded, so that a failure comes again, and well conditioned, so that
rounding decides nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """Sizes of the clusters, the number of features, and what else is unfriendly about a draw."""

    sizes: tuple[int, ...]
    d: int
    dependent: bool = False  # a column of X is an affine combination of the others
    repeated: bool = False  # two rows of X are equal
    rank: int = 0  # of the kernels; 0 is full rank
    boundary: bool = False  # some weights are zero


SHAPES = (
    Shape((5, 3, 1), 2, boundary=True),
    Shape((4, 6, 2), 3, rank=6),
    Shape((1, 7, 3), 5, dependent=True),
    Shape((6, 3), 1, repeated=True),
    Shape((2, 9), 4, rank=5, boundary=True),
    Shape((3, 1, 5, 4), 2),
    Shape((2, 4, 1, 5, 3), 3, repeated=True, boundary=True),
    Shape((4, 2, 1), 9, rank=2),
    Shape((3, 5, 2, 4), 4),
    Shape((2, 3, 1, 3), 12, dependent=True),
)


def orthonormal(A: Array) -> Array:
    """Return the Q of a QR decomposition."""
    return np.asarray(np.linalg.qr(A)[0])


class Problem:
    """One draw of the class that `words` declare; each attribute has a random stream of its own."""

    def __init__(self, shape: Shape, seed: int, words: frozenset[str] = frozenset()):
        if unknown := words - WORDS.keys():
            raise ValueError(f"no such words: {sorted(unknown)}; WORDS lists all")
        self.shape, self.seed, self.words = shape, seed, words
        sizes = shape.sizes
        if "K = 2" in words:
            sizes = (sizes[0], sum(sizes[1:]))
        self.sizes = np.array(sizes)
        self.n, self.K = sum(sizes), len(sizes)
        self.labels = self.rng("labels").permutation(np.repeat(np.arange(self.K), sizes))

    def rng(self, name: str) -> np.random.Generator:
        """Return the generator of one attribute: a new attribute leaves the others as they are."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    def normal(self, name: str, *shape: int) -> Array:
        """Return independent normal numbers, always the same under the same name."""
        return self.rng(name).normal(size=shape)

    @cached_property
    def d(self) -> int:
        """Features of X."""
        d = self.shape.d
        if "d <= K" in self.words:
            d = min(d, self.K)
        if "d >= K-1" in self.words:
            d = max(d, self.K - 1)
        if "rank X >= K" in self.words:
            d = max(d, self.K)
        if "d < n-1" in self.words:
            d = min(d, self.n - 2)
        if "S_w regular" in self.words:
            d = min(d, self.n - self.K)
        if "S_t regular" in self.words:
            d = min(d, self.n - 1)
        return d

    @cached_property
    def X(self) -> Array:
        """Data, a row is a sample: off centre, of unequal scales, correlated, with clusters."""
        rng, n, d = self.rng("X"), self.n, self.d
        X = rng.normal(size=(n, d)) * rng.permutation(np.geomspace(0.5, 2.5, d))
        X = X @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)) / np.sqrt(d))
        X += 1.2 * rng.normal(size=(self.K, d))[self.labels] + 2 * rng.normal(size=d)
        if self.shape.dependent and not {"S_t regular", "S_w regular"} & self.words and d > 1:
            X[:, -1] = X[:, :-1] @ rng.normal(size=d - 1) / np.sqrt(d) + 1
        if self.shape.repeated and "distinct rows" not in self.words:
            X[-1] = X[0]
        if {"X centred", "X standardised"} & self.words:
            X = X - X.mean(axis=0)
        return X / X.std(axis=0) if "X standardised" in self.words else X

    @cached_property
    def Z(self) -> Array:
        """One-hot indicator of the labels."""
        return np.eye(self.K)[self.labels]

    @cached_property
    def Y(self) -> Array:
        """Indicator with columns of norm one."""
        return self.Z / np.sqrt(self.sizes)

    @cached_property
    def L(self) -> Array:
        """What stands in the place of the indicator: any n x K matrix unless a word says more."""
        if "L indicator" in self.words or ("L orthonormal" in self.words and self.seed % 2):
            return self.Y
        L = self.normal("L", self.n, self.K)
        return orthonormal(L) if "L orthonormal" in self.words else L

    @cached_property
    def A(self) -> Array:
        """A symmetric d x d matrix with eigenvalues of both signs; singular in some draws."""
        signs = np.ones(self.d)
        if "A psd" not in self.words:
            signs[: self.d // 2 + 1] = -1
        values = signs * self.rng("A").uniform(0.4, 2, size=self.d)
        if self.shape.rank and self.d > 2:
            values[-1] = 0
        Q = orthonormal(self.normal("axes of A", self.d, self.d))
        return (Q * values) @ Q.T

    @cached_property
    def S(self) -> Array:
        """A square n x n matrix: a smoother of labels, a metric of samples."""
        S = self.normal("S", self.n, self.n)
        if "S of column means 0" in self.words:
            S = S - S.mean(axis=0)
            if "S symmetric" in self.words:
                S = S - S.mean(axis=1, keepdims=True)
        return S + S.T if "S symmetric" in self.words else S

    def _kernel(self, name: str) -> Array:
        """A psd matrix, of full rank or of the rank of the shape."""
        rank = self.shape.rank or self.n
        if "rank G >= K" in self.words:
            rank = max(rank, self.K)
        if "G nonsingular" in self.words:
            rank = self.n
        values = np.geomspace(0.3, 3, rank) ** self.rng(name).uniform(0.5, 1.1)
        if "eigengap" not in self.words and self.seed % 3 == 0:
            values[-self.K - 1 :] = values[-1]  # the largest K + 1 tie
        Q = orthonormal(self.normal(f"axes of {name}", self.n, self.n))[:, :rank]
        if "G centred" in self.words:
            Q = orthonormal((Q - Q.mean(axis=0))[:, : min(rank, self.n - 1)])
            values = values[: Q.shape[1]]
        return (Q * values) @ Q.T

    @cached_property
    def G(self) -> Array:
        """A kernel matrix: psd, neither centred nor of unit diagonal."""
        return self._kernel("G")

    @cached_property
    def kernels(self) -> list[Array]:
        """Two to four kernel matrices of different traces."""
        count = 2 + self.seed % 3
        return [(1 + 2 * i) * self._kernel(f"G{i}") for i in range(count)]

    @cached_property
    def w(self) -> Array:
        """A weight for each kernel: none negative, some zero in the boundary draws."""
        w = self.rng("w").uniform(0.2, 2, size=len(self.kernels))
        if self.shape.boundary:
            w[0] = 0
        return w / w.sum() if "w on the simplex" in self.words else w

    @cached_property
    def W(self) -> Array:
        """Weights of the edges of a graph, in two components in some draws."""
        W = self.rng("W").uniform(0.2, 2, size=(self.n, self.n))
        if self.shape.boundary:
            W[:3, 3:] = W[3:, :3] = 0
        return W + W.T if "W symmetric" in self.words else W

    @cached_property
    def lam(self) -> float:
        """A regulariser."""
        return float(np.exp(self.rng("lam").uniform(np.log(0.1), np.log(2))))

    @cached_property
    def sigma(self) -> float:
        """A width of kernels, of the size of a typical distance."""
        return float(np.sqrt(np.trace(np.cov(self.X.T).reshape(self.d, self.d)))) * 0.7

    @cached_property
    def theta(self) -> Array:
        """Weights of the features: none negative, some zero in the boundary draws."""
        theta = self.rng("theta").uniform(0.1, 1, size=self.d)
        if self.shape.boundary:
            theta[0] = 0
        return theta

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """All pairs i < j."""
        return np.triu_indices(self.n, k=1)

    @cached_property
    def v(self) -> Array:
        """Squared differences of the features of each pair."""
        i, j = self.pairs
        return (self.X[i] - self.X[j]) ** 2

    @cached_property
    def mu(self) -> float:
        """A threshold on squared distances, in the widest gap of the middle third of them."""
        middle = np.sort(self.v @ self.theta)[len(self.v) // 3 : 2 * len(self.v) // 3]
        widest = int(np.argmax(np.diff(middle)))
        return float(middle[widest : widest + 2].mean())

    @cached_property
    def t(self) -> Array:
        """The margin of each pair."""
        return self.v @ self.theta - self.mu

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """For each pair +1 (known to be together), -1 (apart) or 0: unequal numbers of each."""
        i, j = self.pairs
        truth = np.where(self.labels[i] == self.labels[j], 1, -1)
        if "pairs separated" in self.words:
            truth = np.where(self.t < 0, 1, -1)
        known = self.rng("kinds").uniform(size=len(i)) < np.where(truth > 0, 0.6, 0.3)
        known[np.flatnonzero(truth > 0)[0]] = known[np.flatnonzero(truth < 0)[0]] = True
        return np.where(known, truth, 0)


WORDS: dict[str, tuple[str, Callable[[Problem], bool]]] = {
    "K = 2": ("two clusters", lambda p: p.K == 2),
    "X centred": ("column means 0", lambda p: np.allclose(p.X.mean(axis=0), 0)),
    "X standardised": (
        "column means 0 and variances 1",
        lambda p: np.allclose(p.X.mean(axis=0), 0) and np.allclose(p.X.var(axis=0), 1),
    ),
    "distinct rows": ("no sample twice", lambda p: len(np.unique(p.X, axis=0)) == p.n),
    "d <= K": ("not more features than clusters", lambda p: p.d <= p.K),
    "d >= K-1": ("K - 1 features at least", lambda p: p.d >= p.K - 1),
    "d < n-1": ("the centred features do not span all centred vectors", lambda p: p.d < p.n - 1),
    "rank X >= K": ("rank K at least", lambda p: np.linalg.matrix_rank(p.X) >= p.K),
    "S_t regular": ("total scatter of full rank", lambda p: _rank(p.X - p.X.mean(axis=0)) == p.d),
    "S_w regular": (
        "scatter within clusters of full rank",
        lambda p: _rank(p.X - (p.Y @ p.Y.T @ p.X)) == p.d,
    ),
    "L orthonormal": ("L'L = I", lambda p: np.allclose(p.L.T @ p.L, np.eye(p.K))),
    "L indicator": ("columns of L constant on a cluster", lambda p: np.array_equal(p.L, p.Y)),
    "A psd": ("no negative eigenvalue of A", lambda p: np.linalg.eigvalsh(p.A)[0] > -1e-9),
    "S symmetric": ("S' = S", lambda p: np.allclose(p.S, p.S.T)),
    "S of column means 0": ("1'S = 0", lambda p: np.allclose(p.S.sum(axis=0), 0)),
    "G nonsingular": ("no eigenvalue 0 of the kernel", lambda p: _rank(p.G) == p.n),
    "rank G >= K": ("rank of the kernel K at least", lambda p: _rank(p.G) >= p.K),
    "G centred": ("G1 = 0, and so for each of several kernels", lambda p: _centred(p)),
    "eigengap": (
        "nonzero eigenvalues of the kernel are distinct",
        lambda p: np.diff(np.linalg.eigvalsh(p.G)[-_rank(p.G) :]).min() > 1e-3,
    ),
    "w on the simplex": ("sum w = 1", lambda p: bool(np.isclose(p.w.sum(), 1))),
    "pairs separated": (
        "the metric puts pairs of S below the threshold and pairs of D above it",
        lambda p: bool((p.kinds * p.t <= 0).all()),
    ),
    "W symmetric": ("an undirected graph", lambda p: np.allclose(p.W, p.W.T)),
}
"""What may be special about the inputs of a claim: word -> (definition, whether a draw is so)."""


def _rank(A: Array) -> int:
    return int(np.linalg.matrix_rank(A, tol=1e-9 * np.abs(A).max()))


def _centred(p: Problem) -> bool:
    return all(np.allclose(G.sum(axis=0), 0) for G in (p.G, *p.kernels))


@cache
def draws(words: frozenset[str] = frozenset()) -> tuple[Problem, ...]:
    """Return a problem of each shape, narrowed by the words."""
    return tuple(Problem(shape, seed, words) for seed, shape in enumerate(SHAPES))
