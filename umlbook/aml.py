r"""AML: a projection whose Mahalanobis distance separates the clusters, learned with them.

.. math:: \max_{W, L}\ \operatorname{tr}\big(L'XW(W'SW)^{-1}W'X'L\big), \qquad
          S = \tfrac1n X'X + \lambda I

(X centred, rows are samples.) For fixed L the best W is :math:`S^{-1}X'L`, which leaves
:math:`n\operatorname{tr}(L'HL)` with :math:`H = X(X'X + n\lambda I)^{-1}X'`: over indicators that
is k-means with the kernel H, over all orthonormal L it is whitened principal components.

=========  ========================================================  ==========
symbol     name in code                                              shape
=========  ========================================================  ==========
X          ``X``, centred                                            n x d
S          covariance plus lambda, Eq. 6                             d x d
Z          ``rows`` = X S^-1/2 (in its own axes), so ZZ' = n H       n x r
W          ``W``; ``components_`` when fitted                        d x l
L          ``L``, indicator or relaxed                               n x K
=========  ========================================================  ==========
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh, svd

from umlbook._blocks import (
    BlockData,
    BlockRows,
    check_starts_from_some,
    is_blocks,
    nearest_of,
)
from umlbook._checks import (
    check_count,
    check_labels,
    check_landmarks,
    check_positive,
    check_several,
)
from umlbook._landmarks import best_start_on_landmarks, landmark_rows
from umlbook._loop import Run, SteppingClusterer, tighter_if_tied
from umlbook._pieces import MapsRows
from umlbook.algebra import (
    Array,
    Labels,
    fix_signs,
    indicator,
    indicator_basis,
    indicator_products,
    subspace_change,
    with_constant,
)
from umlbook.lloyd import lloyd_steps, plus_plus_labels, settled


@dataclass(frozen=True)
class AMLStep:
    """State after one metric (W) and the clusters found under it (labels, L, centers).

    ``before`` is the objective at the old L and the new W, ``objective`` that at the new L;
    ``sse`` is the k-means objective of the labels in the space in which they were found. ``rate``
    is the factor by which a relaxed step shrinks the angle to its limit, Eq. (4.15).
    """

    labels: Labels
    W: Array
    centers: Array
    sse: float
    before: float
    objective: float
    rate: float = 0.0
    relaxed: Array | None = None

    @cached_property
    def L(self) -> Array:
        """L (n x K): the indicator of the labels, or its relaxation."""
        return self.relaxed if self.relaxed is not None else indicator(self.labels)


@dataclass(frozen=True)
class Whitened:
    """The rows of X S^-1/2 in the axes of X's singular vectors, and the map X -> rows (d x r)."""

    rows: Any
    basis: Array


def whitened(X: Array, lam: float) -> Whitened:
    """Centred X whitened by S = X'X / n + lam I (Eq. 6), on the r directions in which X varies."""
    U, singular, Vt = svd(X, full_matrices=False)
    rank = int(np.sum(singular > singular[0] * max(X.shape) * np.finfo(float).eps))
    if rank == 0:
        raise ValueError("X has no feature that varies: give data with at least two different rows")
    deviations = np.sqrt(singular[:rank] ** 2 / len(X) + lam)
    return Whitened(U[:, :rank] * (singular[:rank] / deviations), Vt[:rank].T / deviations)


def whitened_blocks(data: BlockData, lam: float) -> Whitened:
    """The same from the scatter of the rows, which are then read block by block."""
    squares, V = eigh(data.scatter)
    # A direction that rounding may have made is far below lam, and carries next to nothing.
    kept = np.flatnonzero(squares > squares[-1] * len(squares) * np.finfo(float).eps)[::-1]
    if not kept.size:
        raise ValueError("X has no feature that varies: give data with at least two different rows")
    basis = V[:, kept] / np.sqrt(squares[kept] / len(data) + lam)
    return Whitened(BlockRows(data, basis, np.zeros(kept.size)), basis)


def best_directions(products: Array, n_components: int) -> tuple[Array, float]:
    """R with orthonormal columns that maximises tr(L'ZRR'Z'L), and that maximum, from Z'L.

    W = S^-1/2 R is then the best W of Eq. 12 for this L.
    """
    U, singular, _ = svd(products, full_matrices=False)
    rank = min(n_components, int(np.sum(singular > singular[0] * 1e-12)) or 1)
    return fix_signs(U[:, :rank]), float(np.sum(singular[:rank] ** 2))


def relaxed_rate(rows: Array, n_directions: int) -> float:
    """h_(l+1) / h_l for l directions, Eq. (4.15); the columns of the whitened rows have n h_i."""
    h = np.sum(rows**2, axis=0)
    return float(h[n_directions] / h[n_directions - 1]) if n_directions < len(h) else 0.0


def aml_steps(
    data: Whitened, labels: Labels, n_clusters: int, n_components: int
) -> Iterator[AMLStep]:
    """AML with indicators: the best W for the clusters, k-means under its metric, and again."""
    while True:
        R, before = best_directions(
            indicator_products(data.rows, labels, n_clusters).T, n_components
        )
        projected = data.rows @ R
        found = settled(lloyd_steps(projected, labels, n_clusters))
        labels = found.labels
        between = float(np.sum(indicator_products(projected, labels, n_clusters) ** 2))
        yield AMLStep(labels, data.basis @ R, found.centers, found.objective, before, between)


def relaxed_aml_steps(
    data: Whitened, labels: Labels, n_clusters: int, n_components: int
) -> Iterator[AMLStep]:
    """AML with relaxed L: a subspace iteration with H. Labels come from k-means on the rows of L.

    W is scaled so that XW is L without its constant column.
    """
    V = indicator_basis(labels, n_clusters)
    while True:
        R, before = best_directions(data.rows.T @ V, n_components)
        U, singular, Tt = svd(data.rows @ R, full_matrices=False)
        V = fix_signs(U)
        signs = np.sign(np.einsum("ij,ij->j", U, V))
        L = with_constant(V)
        found = settled(lloyd_steps(L, labels, n_clusters))
        labels = found.labels
        W = data.basis @ (R @ (Tt.T * signs / singular))
        value, rate = float(np.sum(singular**2)), relaxed_rate(data.rows, V.shape[1])
        yield AMLStep(labels, W, found.centers, found.objective, before, value, rate, L)


@dataclass(frozen=True)
class AMLProblem:
    """The mean of the data, the data less it, and these whitened."""

    mean: Array
    X: Any
    data: Whitened


class AML(MapsRows, SteppingClusterer):
    r"""Adaptive metric learning: a projection and clusters that are far apart under its metric.

    Maximises :math:`\operatorname{tr}(L'XW(W'SW)^{-1}W'X'L)` over the projection W and the
    indicator L, where S is the covariance plus :math:`\lambda I`: the scatter between clusters
    in the Mahalanobis distance of the projected data.

    Parameters
    ----------
    n_clusters : int
    n_components : int or None
        Columns of W, at most n_clusters - 1 (the default): no further one can add anything.
    lam : float
        Added to the variance in every direction, so in squared units of X.
    relaxed : bool
        Let L be any matrix with orthonormal columns. The iteration then goes to the leading
        principal components, whitened, from almost every start, and the smaller ``lam`` is the
        more slowly; the labels are k-means on them.
    init : "k-means++" or array (n,)
        Seeding, by turns on X and on the whitened X, or labels to start from (then a single
        start is run).
    n_landmarks : int, "auto" or None
        Rows, drawn at random, on which the starts are compared; the best is then continued on all
        rows. "auto": all of up to 3,000 rows, 1,000 of more, with a
        `LandmarkWarning`. None: all.
    n_init : int
        Number of starts.
    max_iter : int
        Most states per start.
    tol : float
        Relative change of the objective at which a start ends. Without ``relaxed`` it ends when
        the labels repeat, too. With it the last step must also have turned the space of L so
        little that, at the rate of the iteration, the squared sines of the angles to its limit
        are about ``tol`` at most.
    random_state : int, RandomState or None
        Seed of the starts and the landmarks.
    verbose : bool
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        Of the nearest centre of each row, as ``predict`` gives them: equal rows share a label, and
        a warning says how many clusters are in use if these are not all.
    components_ : array (d, l)
        W. Scaled so that W'SW = I; with ``relaxed``, so that the projected training data are L
        without its constant column.
    metric_ : array (d, d)
        WW', the metric in which the clusters were found.
    cluster_centers_ : array (n_clusters, l)
        Means of the projected data.
    mean_ : array (d,)
        Mean of X, which is subtracted first.
    objective_ : float
        The trace above at the end.
    objective_path_ : array (n_iter_,)
        The trace after each step. It never decreases.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether it settled.
    restarts_ : tuple of Restart
        How every start ended.

    Notes
    -----
    X may be a dask array of any length (the extra ``umlbook[dask]``; not with ``relaxed``). It is
    read block by block, once for X'X and once for each round of k-means, and the result is that of
    the same rows in memory; W, which is unique up to a turn, may have other signs. ``labels_`` is a
    numpy array. `transform` and `predict` of a dask array give another one, still to be computed.

    References
    ----------
    Ye, Zhao and Liu (2007), Adaptive distance metric learning for clustering; Chen, Zhao, Ye and
    Liu (2007), Nonlinear adaptive distance metric learning for clustering, Sec. 2.

    Examples
    --------
    >>> from umlbook.datasets import load
    >>> from umlbook.scores import clustering_accuracy
    >>> iris = load("iris")
    >>> model = AML(3, random_state=0).fit(iris.data)
    >>> model.components_.shape
    (4, 2)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_components: int | None = None,
        lam: float = 1e-2,
        relaxed: bool = False,
        init: str | ArrayLike = "k-means++",
        n_landmarks: int | str | None = "auto",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.lam = lam
        self.relaxed = relaxed
        self.init = init
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> AMLProblem:
        X = self._validated(X, reset=True, blocks=not self.relaxed)
        if is_blocks(X):
            self._check_components()
            if isinstance(self.init, str):
                check_starts_from_some(self.n_landmarks, "init")
            data = BlockData(X)
            whitening = whitened_blocks(data, check_positive("lam", self.lam))
            return AMLProblem(data.mean, X - data.mean, whitening)
        check_several(X)
        check_landmarks(self.n_landmarks, self.n_clusters)
        lam = check_positive("lam", self.lam)
        self._check_components()
        mean = X.mean(axis=0)
        return AMLProblem(mean, X - mean, whitened(X - mean, lam))

    def _check_components(self) -> None:
        if self.n_components is None:
            return
        check_count("n_components", self.n_components)
        if self.n_components > max(1, self.n_clusters - 1):
            raise ValueError(
                f"n_components={self.n_components} is more than n_clusters - 1 = "
                f"{self.n_clusters - 1}, beyond which no direction separates cluster means: "
                "lower n_components or leave it out"
            )

    def _starts(self, problem: AMLProblem, rng: np.random.RandomState) -> Iterator[Labels]:
        if not isinstance(self.init, str):
            yield check_labels(self.init, len(problem.X), self.n_clusters)
            return
        if self.init != "k-means++":
            raise ValueError(f"init must be 'k-means++' or an array of labels, got {self.init!r}")
        chosen = landmark_rows(self.n_landmarks, len(problem.X), self.random_state, square=False)
        if chosen is not None:
            yield best_start_on_landmarks(self, problem.X, chosen, rng.randint(2**31 - 1))
            return
        for i in range(self.n_init):
            rows = problem.data.rows if i % 2 else problem.X
            yield plus_plus_labels(rows, self.n_clusters, rng)

    def _iterate(self, problem: AMLProblem, start: Labels) -> Iterator[AMLStep]:
        stream = relaxed_aml_steps if self.relaxed else aml_steps
        n_components = self.n_components or max(1, self.n_clusters - 1)
        return stream(problem.data, start, self.n_clusters, n_components)

    def _settled(self, previous: AMLStep, state: AMLStep) -> bool:
        if not self.relaxed:
            return super()._settled(previous, state)
        change = abs(previous.objective - state.objective)
        turned = subspace_change(previous.L, state.L)
        # a step that shrinks the angle to its limit by r leaves r / (1 - r) times what it turned
        left = turned * state.rate**2 <= self.tol * (1 - state.rate) ** 2
        return change <= self.tol * state.objective and turned <= self.tol and left

    def _key(self, state: AMLStep) -> Any:
        return None if self.relaxed else super()._key(state)

    def _criterion(self, problem: AMLProblem, state: AMLStep) -> float:
        return -state.objective

    def _better(self, problem: AMLProblem, best: Run, run: Run) -> Run:
        tied = tighter_if_tied(best, run, self.tol) if self.relaxed else None
        return tied or super()._better(problem, best, run)

    def _adopt(self, problem: AMLProblem, state: AMLStep) -> None:
        self.mean_ = problem.mean
        self.components_ = state.W
        self.metric_ = state.W @ state.W.T
        self.cluster_centers_ = state.centers[:, : state.W.shape[1]]

    @property
    def _reads_blocks(self) -> bool:
        return True

    def _map(self, X: Array) -> Array:
        return (X - self.mean_) @ self.components_

    def transform(self, X: ArrayLike) -> Array:
        """Rows of X, less the training mean, projected by W.

        Parameters
        ----------
        X : array (m, d)
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest centre in the learned metric.

        Parameters
        ----------
        X : array (m, d)
        """
        return nearest_of(self._places(X), self.cluster_centers_)
