"""CPCM as an estimator: predictors by name, starts, and the choice among restarts."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_regressor

from umlbook._blocks import BlockData, check_starts_from_some, is_blocks, nearest_of
from umlbook._checks import check_count, check_labels, check_landmarks
from umlbook._landmarks import best_start_on_landmarks, landmark_rows, on_landmarks
from umlbook._loop import Run, SteppingClusterer
from umlbook._pieces import MapsRows
from umlbook.algebra import ROUNDING, Array, Labels, nearest_center, one_hot
from umlbook.cpcm.blocks import BlockBasis, block_basis
from umlbook.cpcm.blur import blur_ratio
from umlbook.cpcm.choice import explained_by_chance, log_wilks
from umlbook.cpcm.predictors import (
    AffineMap,
    Fit,
    LinearBasis,
    Predictor,
    canonical_directions,
    check_rank,
    degrees_of_freedom,
    kernel_basis,
    kernel_ridge_fit,
    lda_fit,
    least_squares_fit,
    linear_basis,
    one_hot_fit,
    regressor_fit,
    ridge_penalty,
    stepwise_fit,
)
from umlbook.cpcm.starts import invariant_coordinates, kmeans_labels, one_dimensional_labels
from umlbook.cpcm.steps import CPCMStep, clustered, cpcm_steps, smallest_cluster
from umlbook.kernels import resolve_width

N_COMPONENT_STARTS = 25
DEGREES_OF_FREEDOM = 8.0
LINEAR: dict[str, Callable[[LinearBasis, Array], Fit]] = {
    "least-squares": least_squares_fit,
    "stepwise": stepwise_fit,
    "lda": lda_fit,
    "lda-within": partial(lda_fit, within=True),
}
INVARIANT = ("least-squares", "lda", "lda-within")
"""Predictors with which a start leads to the same end for X and for XC + h, C invertible."""


@dataclass(frozen=True)
class Start:
    """Labels to start from, and how much sharper than their end another must be to be chosen."""

    labels: Labels
    margin: float = 0.0


@dataclass(frozen=True)
class CPCMProblem:
    """A predictor of labels from the data, and the columns whose clusters are starts.

    ``rank`` counts its degrees of freedom, and the features are the last of the columns. ``basis``
    is that of a linear predictor; ``sigma`` and ``lam`` are those of kernel ridge, and ``everyone``
    holds all rows where its problem has only landmarks.
    """

    predictor: Predictor
    columns: Any
    rank: float
    basis: LinearBasis | BlockBasis | None = None
    sigma: float | None = None
    lam: float | None = None
    start: Labels | None = None
    everyone: Array | None = None


class CPCM(MapsRows, SteppingClusterer):
    r"""Clustering predictions of cluster membership: a metric under which clusters are sharp.

    Lowers the blur ratio :math:`BR(A, c) = \operatorname{tr}(S_c A) / \operatorname{tr}(S_m A)` by
    turns: predict the memberships from the data, which gives :math:`A = \beta\beta'`, then run
    k-means on the predictions, which gives the labels c.

    Parameters
    ----------
    n_clusters : int
    predictor : "least-squares", "kernel-ridge", "stepwise", "lda", "lda-within" or a regressor
        Least squares with an intercept; kernel ridge with a Gaussian kernel; least squares on
        features chosen jointly for all clusters by forward selection; discriminant coordinates
        whitened by the total scatter, or by the within scatter (the LDA-km of Ding and Li); or
        any scikit-learn regressor of several outputs.
    sigma : float or "median"
        Width of the kernel, exp(-d^2 / (2 sigma^2)). For "kernel-ridge" only.
    lam : float or None
        Penalty of kernel ridge; None sets it so that the smoother has 8 degrees of freedom, or a
        third of the samples if that is less.
    starts : "auto", "random", "columns", "invariant" or array (n,)
        "random": ``n_init`` balanced random labellings. "columns": the best one-dimensional k-means
        of each feature (for kernel ridge, of the 25 leading kernel components first). "auto":
        both, and where the choice is "wilks" the best of ``n_init`` runs of k-means on X too.
        "invariant": the best one-dimensional k-means of each invariant coordinate of X (see
        Notes) and the random ones. An array of labels is the only start.
    choose : "wilks" or "blur"
        Which end of all starts is kept. "wilks": that of least `log_wilks`, but the end of k-means
        unless another is less by more than chance explains of any labels, (K - 1) r / (n - 1) with
        r the rank of X (for kernel ridge, its degrees of freedom). "blur": that of the least blur
        ratio, as in the paper.
    guard : bool
        Take a step only if it lowers the blur ratio. Without it, and with three clusters or more,
        the blur ratio can increase and the labels can cycle.
    min_cluster_size : int
        Steps and restarts with a smaller cluster are refused. The blur ratio likes a single far
        outlier as a cluster of its own.
    n_landmarks : int, "auto" or None
        Rows, drawn at random, on which the starts are compared; the best is then continued on all
        rows. Kernel ridge is solved on them, and the others are labelled as new rows are.
        "auto": all of up to 3,000 rows, 1,000 of more, with a `LandmarkWarning`. None: all.
    n_init : int
        Number of random starts.
    max_iter : int
        Most states per start.
    tol : float
        Relative change of the blur ratio at which a start ends; with 0 it ends only when the labels
        repeat.
    random_state : int, RandomState or None
        Seed of the starts and the landmarks.
    verbose : bool
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        Of the nearest theta of each row, as ``predict`` gives them. Equal rows share a label, and a
        warning says how many clusters are in use if these are not all, or that the labels mean
        nothing because the predictions are constant.
    blur_ratio_ : float
        The blur ratio of ``labels_`` among the predictions that ``transform`` gives; NaN if these
        are constant.
    objective_ : float
        The same number. The last of the path is that of the last step: it differs where a step had
        to lend a row to an empty cluster, and where only landmarks were clustered.
    objective_path_ : array (n_iter_,)
        The blur ratio after each step of the chosen restart.
    restart_blur_ratios_ : array
        That of every restart's end; ``restarts_`` has their labels too.
    cluster_centers_ : array (n_clusters, q)
        theta, the cluster means of the predictions.
    fixed_point_ : bool
        Whether one more step would leave ``labels_`` as they are; with three clusters or more the
        guard can stop elsewhere.
    canonical_correlations_ : array
        Squared, of X and ``labels_``. For linear predictors only.
    coef_ : array (p, q)
        beta. For linear predictors only.
    intercept_ : array (q,)
        For linear predictors only.
    metric_ : array (p, p)
        A = beta beta'. For linear predictors only.
    sigma_ : float
        The width used. For kernel ridge only.
    lam_ : float
        The penalty used. For kernel ridge only.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether it settled.
    restarts_ : tuple of Restart
        How every start ended.

    Notes
    -----
    The smallest blur ratio over all metrics and labels never grows with ``n_clusters`` (that of
    least squares alone can), and a small ``sigma`` or ``lam`` sends it to zero: choose none of
    them by it.

    With the predictors "least-squares", "lda" and "lda-within" the end that a given start leads to
    is the same for X and for XC + h, C invertible. The whole fit is so only if the starts are:
    those of "random" and "invariant" and given labels are; those of "columns" and of k-means, and
    with them the default, are not. "invariant" is for these three predictors only.

    With "least-squares" X may be a dask array of any length (the extra ``umlbook[dask]``). It is
    read block by block, once for X'X and once for each round of k-means, and the result is that of
    the same rows in memory. ``labels_`` is a numpy array. `transform` and `predict` of a dask array
    give another one, still to be computed.

    References
    ----------
    Gupta, Foster and Ungar (2008), Unsupervised distance metric learning using predictability.
    Ding and Li (2007), Adaptive dimension reduction using discriminant analysis and k-means
    clustering.
    Tyler, Critchley, Duembgen and Oja (2009), Invariant co-ordinate selection.

    Examples
    --------
    >>> from umlbook.datasets import make_parallel_lines
    >>> from umlbook.scores import clustering_accuracy
    >>> X, y = make_parallel_lines(200, noise=0.1, random_state=0)
    >>> model = CPCM(2, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.predict(X))
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        predictor: Any = "least-squares",
        sigma: float | str = "median",
        lam: float | None = None,
        starts: str | ArrayLike = "auto",
        choose: str = "wilks",
        guard: bool = True,
        min_cluster_size: int = 1,
        n_landmarks: int | str | None = "auto",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.predictor = predictor
        self.sigma = sigma
        self.lam = lam
        self.starts = starts
        self.choose = choose
        self.guard = guard
        self.min_cluster_size = min_cluster_size
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> CPCMProblem:
        X = self._validated(X, reset=True, blocks=self.predictor == "least-squares")
        if len(X) < 2:
            raise ValueError("X has n_samples=1, but a prediction needs at least two rows")
        check_count("min_cluster_size", self.min_cluster_size)
        check_landmarks(self.n_landmarks, self.n_clusters)
        if self.min_cluster_size * self.n_clusters > len(X):
            raise ValueError(
                f"min_cluster_size={self.min_cluster_size} times n_clusters={self.n_clusters} is "
                f"more than the {len(X)} rows of X: lower one of them"
            )
        if self.predictor == "kernel-ridge":
            return self._kernel_problem(X)
        if is_blocks(X):
            return self._block_problem(X)
        if isinstance(self.predictor, str) and self.predictor in LINEAR:
            return self._linear_problem(X)
        if hasattr(self.predictor, "fit") and is_regressor(self.predictor):
            fit = partial(regressor_fit, self.predictor, X)
            start = self._given_start(len(X))
            return CPCMProblem(one_hot_fit(fit, self.n_clusters), X, X.shape[1], start=start)
        raise ValueError(
            f"predictor must be {', '.join(map(repr, LINEAR))}, 'kernel-ridge' or a scikit-learn "
            f"regressor, got {self.predictor!r}"
        )

    def _linear_problem(self, X: Array) -> CPCMProblem:
        basis = linear_basis(X)
        rank = basis.Q.shape[1]
        check_rank(rank, len(X), penalised=self.predictor == "stepwise")
        fit = partial(LINEAR[self.predictor], basis)
        start = self._given_start(len(X))
        return CPCMProblem(one_hot_fit(fit, self.n_clusters), X, rank, basis, start=start)

    def _block_problem(self, X: Any) -> CPCMProblem:
        start = self._given_start(len(X))
        if start is None:
            check_starts_from_some(self.n_landmarks, "starts")
        basis = block_basis(BlockData(X))
        rank = basis.B.shape[1]
        check_rank(rank, len(X), penalised=False)
        return CPCMProblem(basis.predictor(self.n_clusters), X, rank, basis, start=start)

    def _kernel_problem(self, X: Array) -> CPCMProblem:
        sigma = resolve_width(self.sigma, X)
        start = self._given_start(len(X))
        X, start, everyone = on_landmarks(self.n_landmarks, X, self.random_state, start)
        basis = kernel_basis(X, sigma)
        wanted = min(DEGREES_OF_FREEDOM, len(X) / 3)
        lam = self.lam if self.lam is not None else ridge_penalty(basis.eigenvalues, wanted)
        fit = partial(kernel_ridge_fit, basis, lam=lam)
        columns = np.hstack([basis.Q[:, :N_COMPONENT_STARTS], X])
        predictor = one_hot_fit(fit, self.n_clusters)
        rank = degrees_of_freedom(basis.eigenvalues, lam)
        return CPCMProblem(predictor, columns, rank, None, sigma, lam, start, everyone)

    def _given_start(self, n_samples: int) -> Labels | None:
        if isinstance(self.starts, str):
            return None
        return check_labels(self.starts, n_samples, self.n_clusters, name="starts")

    def _starts(self, problem: CPCMProblem, rng: np.random.RandomState) -> Iterator[Start]:
        n = len(problem.columns)
        if self.choose not in ("wilks", "blur"):
            raise ValueError(f"choose must be 'wilks' or 'blur', got {self.choose!r}")
        if problem.start is not None:
            yield Start(problem.start)
            return
        if self.starts not in ("auto", "random", "columns", "invariant"):
            raise ValueError(
                "starts must be 'auto', 'random', 'columns', 'invariant' or an array of labels, "
                f"got {self.starts!r}"
            )
        if problem.everyone is None and self.predictor != "kernel-ridge":
            rows = landmark_rows(self.n_landmarks, n, self.random_state, square=False)
            if rows is not None:
                size = max(1, self.min_cluster_size * len(rows) // n)
                fewer = clone(self).set_params(min_cluster_size=size)
                seed = rng.randint(2**31 - 1)
                yield Start(best_start_on_landmarks(fewer, problem.columns, rows, seed))
                return
        if self.starts != "random":
            for x in self._lines(problem).T:
                yield Start(one_dimensional_labels(x, self.n_clusters))
        if self.starts != "columns":
            for _ in range(self.n_init):
                yield Start(rng.permutation(n) % self.n_clusters)
        if self.starts == "auto" and self.choose == "wilks":
            features = problem.columns[:, -self.n_features_in_ :]
            labels = kmeans_labels(features, self.n_clusters, rng, self.n_init)
            yield Start(labels, explained_by_chance(problem.rank, self.n_clusters, n))

    def _lines(self, problem: CPCMProblem) -> Array:
        """The columns whose one-dimensional clusters are starts."""
        if self.starts != "invariant":
            return problem.columns
        if not isinstance(problem.basis, LinearBasis) or self.predictor not in INVARIANT:
            raise ValueError(
                f"starts='invariant' needs a predictor that no linear map of X changes, one of "
                f"{', '.join(map(repr, INVARIANT))}, got {self.predictor!r}: use starts='auto'"
            )
        return invariant_coordinates(problem.basis.Q)

    def _iterate(self, problem: CPCMProblem, start: Start) -> Iterator[CPCMStep]:
        return cpcm_steps(
            problem.predictor,
            start.labels,
            self.n_clusters,
            guard=self.guard,
            min_cluster_size=self.min_cluster_size,
        )

    def _usable(self, state: CPCMStep) -> bool:
        """Whether the predictions vary and no cluster is too small."""
        small = smallest_cluster(state.labels, self.n_clusters) < self.min_cluster_size
        return not small and not np.isnan(state.objective)

    def _criterion(self, problem: CPCMProblem, state: CPCMStep) -> float:
        if not self._usable(state):
            return np.inf
        if self.choose == "blur":
            return state.objective
        return log_wilks(state.predictions, state.labels)

    def _better(self, problem: CPCMProblem, best: Run, run: Run) -> Run:
        kept, tried = (self._criterion(problem, r.last) - r.start.margin for r in (best, run))
        # The rounding of a share is that of one, however small the share.
        return run if kept - tried > ROUNDING else best

    def _adopt(self, problem: CPCMProblem, state: CPCMStep) -> None:
        if problem.sigma is not None and problem.lam is not None:
            self.sigma_, self.lam_ = problem.sigma, problem.lam
        self.blur_ratio_ = self.objective_
        self.restart_blur_ratios_ = np.array([restart.objective for restart in self.restarts_])
        self.cluster_centers_ = state.centers
        self._map = state.model.map()
        onward = problem.predictor(state.labels).values
        settled = clustered(onward, state.labels, self.n_clusters)[1]
        self.fixed_point_ = bool(np.array_equal(settled.labels, state.labels))
        if problem.basis is not None and isinstance(self._map, AffineMap):
            labels = nearest_center(state.predictions, state.centers)
            self.canonical_correlations_ = self._correlations(problem.basis, labels)
            self.coef_, self.intercept_ = self._map.coef, self._map.intercept
            self.metric_ = self.coef_ @ self.coef_.T
        if self.n_clusters > 1 and not self._usable(state):
            warnings.warn(self._trouble(state), UserWarning, stacklevel=5)

    def _label(self, X: ArrayLike) -> Self:
        found = self.labels_
        super()._label(X)
        if not np.array_equal(found, self.labels_) and not np.isnan(self.blur_ratio_):
            self.blur_ratio_ = self.objective_ = blur_ratio(self._places(X), self.labels_)
        return self

    def _correlations(self, basis: LinearBasis | BlockBasis, labels: Labels) -> Array:
        """Squared canonical correlations of X and the labels."""
        if isinstance(basis, LinearBasis):
            return canonical_directions(basis.Q, one_hot(labels))[1]
        return basis.correlations(labels, int(labels.max()) + 1)

    @property
    def _reads_blocks(self) -> bool:
        return bool(self.predictor == "least-squares")

    def _warn_if_unused(self) -> None:
        if not np.isnan(self.objective_):  # then the labels mean nothing, which was said
            super()._warn_if_unused()

    def _trouble(self, state: CPCMStep) -> str:
        if np.isnan(state.objective):
            return (
                "every start led to constant predictions, so the blur ratio is NaN and the labels "
                "mean nothing: the memberships cannot be predicted from X"
            )
        return (
            f"every restart ended with a cluster of fewer than {self.min_cluster_size} samples: "
            "remove outliers, lower min_cluster_size or raise n_init"
        )

    def transform(self, X: ArrayLike) -> Array:
        """Predicted memberships (or discriminant coordinates) of the rows of X.

        Parameters
        ----------
        X : array (m, p)

        Returns
        -------
        array (m, q)
            Rows need not lie in the simplex: a regression is not a probability.
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest theta in the space of the predictions, never of the largest one.

        Parameters
        ----------
        X : array (m, p)
        """
        return nearest_of(self._places(X), self.cluster_centers_)
