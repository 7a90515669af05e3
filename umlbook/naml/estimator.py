"""NAML as an estimator: banks of kernels, starts, and the map of new points."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from umlbook._checks import (
    check_count,
    check_finite,
    check_labels,
    check_landmarks,
    check_positive,
    check_several,
)
from umlbook._landmarks import on_landmarks
from umlbook._loop import Run, SteppingClusterer, tighter_if_tied
from umlbook._pieces import MapsRows
from umlbook._rows import by_blocks
from umlbook.algebra import Array, Labels, nearest_center, subspace_change, top_eigenvectors
from umlbook.kernels import KernelBank, RBFBank, bank_widths, combine, rbf
from umlbook.lloyd import best_rounded_labels, settled
from umlbook.naml.steps import NAMLStep, Start, naml_steps
from umlbook.naml.weights import as_bank
from umlbook.spectral import kernel_kmeans_steps, kernel_plus_plus_labels

KernelFunction = Callable[[Array, Array], ArrayLike]


@dataclass(frozen=True)
class NAMLProblem:
    """The training rows and the bank of their kernels.

    ``everyone`` holds all rows where ``X`` are landmarks, and ``start`` the labels to start from.
    """

    X: Array
    bank: KernelBank
    start: Labels | None = None
    everyone: Array | None = None


class NAML(MapsRows, SteppingClusterer):
    r"""Nonlinear adaptive metric learning: the clusters and the mixture of kernels, together.

    Maximises :math:`\operatorname{tr}(L'GQ(Q'(GG + \lambda G)Q)^{+}Q'GL)` over a relaxed cluster
    indicator L, a projection Q and a convex combination G of the given kernels, each centred and
    scaled to trace one. Labels are k-means on the rows of L.

    Parameters
    ----------
    n_clusters : int
    kernels : "rbf-bank", or sequence of callables, or sequence of matrices (n, n)
        "rbf-bank": ``n_kernels`` Gaussian kernels with widths from two to a quarter of the median
        distance. Callables take arrays of rows (m, d), (n, d) and return the m x n kernel.
        Matrices are kernels of the training samples, from any source, for example one a view;
        ``fit`` then looks at the number of rows of X only, and ``transform`` and ``predict`` take
        the sequence of the m x n kernels of new samples with the training samples.
    n_kernels : int
        Number of kernels in the bank.
    lam : float
        Regularisation, on the scale of a kernel of trace one. Below the eigenvalues of G that
        matter it lets L move only slowly ("constant") and the result stays at the start.
    l_step : "constant" or "eigen"
        "constant": one eigenvector step, the last column of L being the constant vector, as it is
        for an indicator. With the same G, repeated steps end at the top n_clusters - 1 eigenvectors
        of G if there is a gap after them. "eigen": the top n_clusters eigenvectors of G at once.
        This is another problem, in which L has one more free column: its objective is the sum of
        n_clusters terms s / (s + lam), that of "constant" has n_clusters - 1 of them, so the two
        are not to be compared, and they can choose different kernels.
    init : "kernel-kmeans" or array (n,)
        Kernel k-means with one of the kernels, chosen at random, or labels to start from (then a
        single start is run, from equal weights).
    n_landmarks : int, "auto" or None
        Rows, drawn at random, on which the method is solved; the others are labelled as new rows
        are, and time and memory are linear in n. "auto": all of up to 3,000 rows, 1,000 of more,
        with a `LandmarkWarning`. None: all. Kernels given as
        matrices are always taken whole.
    n_init : int
        Number of starts of ``init``.
    mixed_start : bool
        After these, one start more from the equal mixture of the kernels and its leading
        eigenvectors (with ``init="kernel-kmeans"`` and several kernels). A single kernel can be a
        local maximum that lies below a mixture, and starts from one kernel often end there. No
        finite number of starts is sure to find the global maximum.
    max_iter : int
        Most passes per start.
    tol : float
        A start ends when the relative change of the objective and the squared sines between
        successive L are at most ``tol``, and no weight changes by more than its square root.
    random_state : int, RandomState or None
        Seed of the starts and the landmarks.
    verbose : bool
        Whether to show a progress bar over the passes.

    Attributes
    ----------
    labels_ : array (n,)
        Of the centre nearest to each row of L, as ``predict`` gives them: equal rows share a label,
        and a warning says how many clusters are in use if these are not all.
    kernel_weights_ : array (p,)
        w, on the simplex, for kernels of trace one.
    theta_ : array (p,)
        w_i / r_i, for the centred kernels as given.
    duality_gap_ : float
        How far at most the last G step lies from its optimum.
    embedding_ : array (n, K)
        L; with landmarks, that of the landmarks extended to all rows by ``transform``.
    X_fit_ : array (n, d), or (n_landmarks, d)
        The training rows or landmarks.
    cluster_centers_ : array (n_clusters, K)
        Means of its rows.
    widths_ : array (p,)
        Widths of the kernels of the bank ("rbf-bank" only).
    objective_ : float
        The trace above at the end.
    objective_path_ : array (n_iter_,)
        The trace after each pass. It never decreases.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether the last pass changed little. With a small ``lam`` every pass does, far from the
        limit too.
    restarts_ : tuple of Restart
        How every start ended.

    References
    ----------
    Chen, Zhao, Ye and Liu (2007), Nonlinear adaptive distance metric learning for clustering.

    Examples
    --------
    Two views of sixty samples, the first of them noise:

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 20)
    >>> views = rng.normal(size=(60, 3)), 3 * np.eye(3)[y] + 0.5 * rng.normal(size=(60, 3))
    >>> model = NAML(3, kernels=[rbf(view, sigma=2.0) for view in views], random_state=0)
    >>> model.fit(views[0]).kernel_weights_.round(2).tolist()
    [0.0, 1.0]
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernels: str | Sequence[KernelFunction] | Sequence[ArrayLike] = "rbf-bank",
        n_kernels: int = 10,
        lam: float = 1e-2,
        l_step: str = "constant",
        init: str | ArrayLike = "kernel-kmeans",
        n_landmarks: int | str | None = "auto",
        n_init: int = 3,
        mixed_start: bool = True,
        max_iter: int = 100,
        tol: float = 1e-5,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.lam = lam
        self.l_step = l_step
        self.init = init
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.mixed_start = mixed_start
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> NAMLProblem:
        X = self._validated(X, reset=True)
        check_several(X)
        check_landmarks(self.n_landmarks, self.n_clusters)
        check_positive("lam", self.lam)
        if self.l_step not in ("constant", "eigen"):
            raise ValueError(f"l_step must be 'constant' or 'eigen', got {self.l_step!r}")
        start = None
        if not isinstance(self.init, str):
            start = check_labels(self.init, len(X), self.n_clusters)
        everyone = None
        if isinstance(self.kernels, str) or all(map(callable, self.kernels)):
            X, start, everyone = on_landmarks(self.n_landmarks, X, self.random_state, start)
        bank = as_bank(self._bank(X))
        if bank.n_samples != len(X):
            raise ValueError(
                f"kernels are matrices on {bank.n_samples} samples but X has {len(X)} rows: "
                "give kernels of the samples that X holds"
            )
        return NAMLProblem(X, bank, start, everyone)

    def _bank(self, X: Array) -> KernelBank | list[Array]:
        if isinstance(self.kernels, str):
            if self.kernels != "rbf-bank":
                raise ValueError(
                    "kernels must be 'rbf-bank', a sequence of callables or a sequence of "
                    f"matrices, got {self.kernels!r}"
                )
            check_count("n_kernels", self.n_kernels)
            return RBFBank(X, bank_widths(X, self.n_kernels))
        given = (k(X, X) if callable(k) else k for k in self.kernels)
        return [np.ascontiguousarray(k, dtype=float) for k in given]

    def _starts(self, problem: NAMLProblem, rng: np.random.RandomState) -> Iterator[Start]:
        p = len(problem.bank)
        if problem.start is not None:
            yield Start(np.full(p, 1 / p), problem.start)
            return
        if self.init != "kernel-kmeans":
            raise ValueError(
                f"init must be 'kernel-kmeans' or an array of labels, got {self.init!r}"
            )
        for _ in range(self.n_init):
            weights = np.eye(p)[rng.randint(p)]
            G = combine(problem.bank, weights)
            seeds = kernel_plus_plus_labels(G, self.n_clusters, rng)
            yield Start(weights, settled(kernel_kmeans_steps(G, seeds, self.n_clusters)).labels)
        if self.mixed_start and p > 1:  # last, so that it changes none of the others
            yield self._mixed_start(problem.bank, rng)

    def _mixed_start(self, bank: KernelBank, rng: np.random.RandomState) -> Start:
        """The equal mixture, and as L its leading eigenvectors: no kernel is preferred."""
        weights = np.full(len(bank), 1 / len(bank))
        G = combine(bank, weights)
        V = top_eigenvectors(G, max(1, self.n_clusters - (self.l_step == "constant")))[1]
        return Start(weights, best_rounded_labels(V, self.n_clusters, rng), V)

    def _iterate(self, problem: NAMLProblem, start: Start) -> Iterator[NAMLStep]:
        states = naml_steps(problem.bank, float(self.lam), start, self.n_clusters, self.l_step)
        if not self.verbose:
            yield from states
            return
        from tqdm.auto import tqdm

        with tqdm(desc="NAML", unit="pass", total=self.max_iter) as bar:
            for state in states:
                bar.set_postfix(objective=f"{state.objective:.6f}", gap=f"{state.gap:.0e}")
                bar.update()
                yield state

    def _progress(self, runs: Iterable[Run]) -> Iterable[Run]:
        return runs  # the bar counts passes, which are what takes time here

    def _settled(self, previous: NAMLStep, state: NAMLStep) -> bool:
        change = abs(previous.objective - state.objective)
        moved = float(np.abs(previous.weights - state.weights).max())
        return (
            change <= self.tol * state.objective
            and moved <= np.sqrt(self.tol)
            and subspace_change(previous.L, state.L) <= self.tol
        )

    def _key(self, state: NAMLStep) -> None:
        return None  # the next state depends on L, which never repeats exactly

    def _criterion(self, problem: NAMLProblem, state: NAMLStep) -> float:
        return -state.objective

    def _better(self, problem: NAMLProblem, best: Run, run: Run) -> Run:
        return tighter_if_tied(best, run, self.tol) or super()._better(problem, best, run)

    def _adopt(self, problem: NAMLProblem, state: NAMLStep) -> None:
        self.X_fit_ = problem.X
        if isinstance(problem.bank, RBFBank):
            self.widths_ = problem.bank.widths
        self.kernel_weights_ = state.weights
        self.theta_ = state.weights / problem.bank.traces
        self.duality_gap_ = state.gap
        self.embedding_ = state.L
        self.cluster_centers_ = state.centers
        self._coefficients = state.Q  # and what centres the kernels of new rows
        self._means = [K.mean(axis=0) for K in problem.bank.plain()]
        if problem.everyone is not None:
            self.embedding_ = by_blocks(self._map, problem.everyone)

    def _label(self, X: Any) -> Self:
        return super()._label(X if self._takes_rows() else self.kernels)

    def _takes_rows(self) -> bool:
        """Whether the kernels of new rows can be computed from them; else they are to be given."""
        return isinstance(self.kernels, str) or callable(self.kernels[0])

    def _map(self, X: Array) -> Array:
        """L of rows, or of the kernels of rows side by side if these were given as matrices."""
        K = np.zeros((len(X), len(self.X_fit_)))
        for i in np.flatnonzero(self.theta_):
            K += self.theta_[i] * (self._cross_kernel(int(i), X) - self._means[i])
        V = K @ self._coefficients
        # the columns of Q sum to zero, so that nothing else of the centring is left to do
        missing = self.embedding_.shape[1] - V.shape[1]
        return np.column_stack([V, np.full((len(V), missing), len(self.X_fit_) ** -0.5)])

    def _cross_kernel(self, i: int, X: Array) -> Array:
        if isinstance(self.kernels, str):
            return rbf(X, self.X_fit_, sigma=self.widths_[i])
        function = self.kernels[i]
        if callable(function):
            return np.asarray(function(X, self.X_fit_), dtype=float)
        n = len(self.X_fit_)
        return X[:, i * n : (i + 1) * n]

    def _side_by_side(self, matrices: Sequence[ArrayLike]) -> Array:
        n, p = len(self.X_fit_), len(self.theta_)
        given = [np.asarray(K, dtype=float) for K in matrices]
        if len(given) != p or any(K.ndim != 2 or K.shape != (len(given[0]), n) for K in given):
            raise ValueError(
                f"kernels were given as matrices, so X must be the {p} kernels of the new samples "
                f"with the {n} training samples, in the same order and each of shape (m, {n}), "
                f"got shapes {[K.shape for K in given]}"
            )
        for i, K in enumerate(given):
            check_finite(K, f"X[{i}]")
        return np.hstack(given)

    def transform(self, X: Any) -> Array:
        """Rows of X as rows of L; the training rows give ``embedding_``.

        Parameters
        ----------
        X : array (m, d), or the sequence of p kernels (m, n) if ``kernels`` are matrices
        """
        return self._places(X)

    def _places(self, X: Any) -> Array:
        check_is_fitted(self)
        return (
            super()._places(X)
            if self._takes_rows()
            else by_blocks(self._map, self._side_by_side(X))
        )

    def predict(self, X: Any) -> Labels:
        """Label of the nearest centre among the rows of L.

        Parameters
        ----------
        X : array (m, d), or the sequence of p kernels (m, n) if ``kernels`` are matrices
        """
        return nearest_center(self._places(X), self.cluster_centers_)
