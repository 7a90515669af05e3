r"""NAML: clusters, a projection in feature space, and the kernel itself, learned together.

.. math:: \max_{Q, L, w}\ \operatorname{tr}\big(L'GQ\,(Q'(GG + \lambda G)Q)^{+}\,Q'GL\big), \qquad
          G = \sum_i w_i \hat G_i, \quad w \ge 0, \quad \sum_i w_i = 1

with centred kernels :math:`\hat G_i` of trace one and L'L = I. A pass chooses the weights w for
the present L (the G step), then Q, then L; each raises the same objective.

=========  ============================================================  ==========
symbol     name in code                                                  shape
=========  ============================================================  ==========
G_i hat    the kernels of ``bank``; r_i the traces before scaling        n x n
w          ``weights``; theta_i = w_i / r_i is ``theta_``                p
A          I + G / lambda                                                n x n
H          G (G + lambda)^-1 = I - A^-1                                  n x n
Q          ``Q``, with GQ = L (but for a constant column)                n x l
L          ``L``, relaxed indicator                                      n x K
=========  ============================================================  ==========

Beside the paper: every kernel is scaled to trace one, the first too; Q is computed after G, not
before it, without which the objective can fall; and the last column of L, which the paper leaves
to chance, is chosen by a rule (``l_step``).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import pinvh
from sklearn.base import TransformerMixin
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from umlbook._base import Run, SteppingClusterer, check_count, check_finite, check_labels
from umlbook._kernel_weights import KernelWeights, WeightStep, as_bank, kernel_weights, weight_steps
from umlbook._naml_steps import NAMLStep, Start, naml_steps, top_eigenvectors
from umlbook._qcqp import QCQPSolution, qcqp_weights
from umlbook._relaxed import check_several, subspace_change, tighter_if_tied
from umlbook.algebra import Array, Labels, nearest
from umlbook.kernels import KernelBank, RBFBank, bank_widths, check_width, combine, distances, rbf
from umlbook.lloyd import until_settled
from umlbook.spectral import kernel_kmeans_steps, kernel_plus_plus_labels

__all__ = [
    "NAML",
    "KernelWeights",
    "NAMLStep",
    "QCQPSolution",
    "Start",
    "WeightStep",
    "kernel_weights",
    "laplacian_kernel",
    "naml_steps",
    "qcqp_weights",
    "top_eigenvectors",
    "weight_steps",
]

MAX_PASSES = 300
BATCH = 2048  # rows of new data at a time
KernelFunction = Callable[[Array, Array], ArrayLike]


def laplacian_kernel(affinity: ArrayLike) -> Array:
    r"""The pseudo-inverse of the Laplacian D - W of a graph, as a kernel.

    Its rows sum to zero, so it is centred as it stands (Proposition 3.1 of NAML, repaired).

    Parameters
    ----------
    affinity : array (n, n)
        W, symmetric with no negative entry.

    Examples
    --------
    >>> laplacian_kernel([[0.0, 1.0], [1.0, 0.0]]).round(3)
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    W = np.asarray(affinity, dtype=float)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not np.allclose(W, W.T) or W.min(initial=0) < 0:
        raise ValueError(
            "affinity must be a symmetric square matrix without negative entries: "
            "use np.maximum(W, W.T) if a neighbour graph made it uneven"
        )
    laplacian = np.diag(W.sum(axis=1)) - (W + W.T) / 2
    K: Array = pinvh(laplacian)
    return (K + K.T) / 2


class NAML(TransformerMixin, SteppingClusterer):
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
        Of the bank.
    lam : float
        Regularisation, on the scale of a kernel of trace one. Below the eigenvalues of G that
        matter it lets L move only slowly ("constant") and the result stays at the start.
    l_step : "constant" or "eigen"
        "constant": one eigenvector step, the last column of L being the constant vector, as it is
        for an indicator. "eigen": the top n_clusters eigenvectors of G, which is where repeated
        steps with the same G would end.
    init : "kernel-kmeans" or array (n,)
        Kernel k-means with one of the kernels, chosen at random, or labels to start from (then a
        single start is run, from equal weights).
    n_init, max_iter, tol, random_state, verbose
        Starts; most passes per start; when to stop: relative change of the objective and squared
        sines between successive L below ``tol``, weights within its square root; seed; progress
        bar over passes.

    Attributes
    ----------
    labels_ : array (n,)
    kernel_weights_ : array (p,)
        w, on the simplex, for kernels of trace one.
    theta_ : array (p,)
        w_i / r_i, for the centred kernels as given.
    duality_gap_ : float
        How far at most the last G step lies from its optimum.
    embedding_ : array (n, K)
        L.
    cluster_centers_ : array (n_clusters, K)
        Means of its rows.
    widths_ : array (p,)
        Of the bank ("rbf-bank" only).
    objective_, objective_path_ : float, array
        The trace above at the end, and after each pass. It never falls.
    n_iter_, converged_, restarts_ : int, bool, tuple of Restart

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
        n_init: int = 3,
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
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> KernelBank:
        X = self._validated(X, reset=True)
        check_several(X)
        check_width("lam", self.lam)
        if self.l_step not in ("constant", "eigen"):
            raise ValueError(f"l_step must be 'constant' or 'eigen', got {self.l_step!r}")
        self.X_fit_ = X
        bank = as_bank(self._bank(X))
        if bank.n_samples != len(X):
            raise ValueError(
                f"kernels are matrices on {bank.n_samples} samples but X has {len(X)} rows: "
                "give kernels of the samples that X holds"
            )
        self._means = [K.mean(axis=0) for K in bank.plain()]
        self._traces = bank.traces
        return bank

    def _bank(self, X: Array) -> KernelBank | list[Array]:
        if isinstance(self.kernels, str):
            if self.kernels != "rbf-bank":
                raise ValueError(
                    "kernels must be 'rbf-bank', a sequence of callables or a sequence of "
                    f"matrices, got {self.kernels!r}"
                )
            check_count("n_kernels", self.n_kernels)
            self.widths_ = bank_widths(X, self.n_kernels)
            return RBFBank(X, self.widths_)
        return [np.asarray(k(X, X) if callable(k) else k, dtype=float) for k in self.kernels]

    def _starts(self, problem: KernelBank, rng: np.random.RandomState) -> Iterator[Start]:
        p = len(problem)
        if not isinstance(self.init, str):
            labels = check_labels(self.init, problem.n_samples, self.n_clusters)
            yield Start(np.full(p, 1 / p), labels)
            return
        if self.init != "kernel-kmeans":
            raise ValueError(
                f"init must be 'kernel-kmeans' or an array of labels, got {self.init!r}"
            )
        for _ in range(self.n_init):
            weights = np.eye(p)[rng.randint(p)]
            yield Start(weights, self._kernel_labels(combine(problem, weights), rng))

    def _kernel_labels(self, G: Array, rng: np.random.RandomState) -> Labels:
        seeds = kernel_plus_plus_labels(G, self.n_clusters, rng)
        passes = kernel_kmeans_steps(G, seeds, self.n_clusters)
        *_, last = until_settled(islice(passes, MAX_PASSES))
        return last.labels

    def _iterate(self, problem: KernelBank, start: Start) -> Iterator[NAMLStep]:
        states = naml_steps(problem, float(self.lam), start, self.n_clusters, self.l_step)
        if not self.verbose:
            yield from states
            return
        from tqdm.auto import tqdm

        with tqdm(desc="NAML", unit="pass", total=self.max_iter) as bar:
            for state in states:
                bar.set_postfix(objective=f"{state.objective:.6f}", gap=f"{state.gap:.0e}")
                bar.update()
                yield state

    def _progress(self, starts: Any) -> Any:
        return starts  # the bar counts passes, which are what takes time here

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

    def _criterion(self, state: NAMLStep) -> float:
        return -state.objective

    def _better(self, best: Run, run: Run) -> Run:
        return tighter_if_tied(best, run, self.tol) or super()._better(best, run)

    def _adopt(self, problem: KernelBank, state: NAMLStep) -> None:
        self.kernel_weights_ = state.weights
        self.theta_ = state.weights / self._traces
        self.duality_gap_ = state.gap
        self.embedding_ = state.L
        self.cluster_centers_ = state.centers
        self._coefficients = state.Q

    def _mixed_kernel(self, X: Array) -> Array:
        """Kernels of the rows of X with the training rows less their training means, mixed."""
        K = np.zeros((len(X), len(self.X_fit_)))
        for i in np.flatnonzero(self.theta_):
            K += self.theta_[i] * (self._cross_kernel(int(i), X) - self._means[i])
        return K

    def _cross_kernel(self, i: int, X: Array) -> Array:
        if isinstance(self.kernels, str):
            return rbf(X, self.X_fit_, sigma=self.widths_[i])
        function = self.kernels[i]
        assert callable(function)
        return np.asarray(function(X, self.X_fit_), dtype=float)

    def _mixed_matrices(self, matrices: Sequence[ArrayLike]) -> Array:
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
        terms = zip(self.theta_, given, self._means, strict=True)
        mixed: Array = sum(theta * (K - means) for theta, K, means in terms if theta)
        return mixed

    def transform(self, X: Any) -> Array:
        """Rows of X as rows of L; the training rows give ``embedding_``.

        Parameters
        ----------
        X : array (m, d), or the sequence of p kernels (m, n) if ``kernels`` are matrices
        """
        check_is_fitted(self)
        if isinstance(self.kernels, str) or callable(self.kernels[0]):
            X = self._validated(X, reset=False)
            batches = (X[rows] for rows in gen_batches(len(X), BATCH))
            blocks = [self._mixed_kernel(batch) @ self._coefficients for batch in batches]
            V = np.concatenate(blocks)
        else:
            V = self._mixed_matrices(X) @ self._coefficients
        # the columns of Q sum to zero, so that nothing else of the centring is left to do
        missing = self.embedding_.shape[1] - V.shape[1]
        return np.column_stack([V, np.full((len(V), missing), len(self.X_fit_) ** -0.5)])

    def predict(self, X: Any) -> Labels:
        """Label of the nearest centre among the rows of L.

        Parameters
        ----------
        X : array (m, d), or the sequence of p kernels (m, n) if ``kernels`` are matrices
        """
        return nearest(distances(self.transform(X), self.cluster_centers_, squared=True))
