"""`ProbabilisticMetric`: DAEM under scikit-learn's conventions, then k-means in the metric."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from umlbook._checks import check_count, check_landmarks, check_nonnegative
from umlbook._landmarks import landmark_rows
from umlbook._loop import PairClusterer
from umlbook._pieces import MapsRows
from umlbook.algebra import Array, Labels, nearest_center
from umlbook.constraints import check_constraints, restrict
from umlbook.daem.coordinates import (
    SMALLEST_EIGENVALUE,
    Kernel,
    correlation_basis,
    kernel_basis,
    kernel_matrix,
    mean_squared_distance,
    unit_free_width,
)
from umlbook.daem.steps import (
    DAEMStep,
    PairProblem,
    daem_steps,
    labelled_only,
    same_probability,
    schedule,
    weighted_pairs,
)
from umlbook.kernels import distances, resolve_width

MOST_COMPONENTS = 30
PENALTY = 1e-3


@dataclass(frozen=True)
class MetricProblem(PairProblem):
    """What DAEM is given, and what gives the coordinates of new samples: see the estimator.

    ``everyone`` holds all rows where ``X`` are landmarks.
    """

    X: Array
    eta: float | None
    basis: Array
    everyone: Array | None = None


class ProbabilisticMetric(MapsRows, PairClusterer):
    r"""Clustering under a metric learned from pairs, with deterministic annealing EM.

    The squared distance of two samples is :math:`\sum_l \theta_l (p_{il} - p_{jl})^2` in the
    coordinates of the eigenvectors of a kernel (or of X'X). Minimises over theta, mu >= 0

    .. math:: \sum_S \log(1 + e^{t_{ij}}) + \sum_D \log(1 + e^{-t_{ij}})
       + \lambda w \sum_U H(t_{ij}) + \tau \sum_l \theta_l,
       \qquad t_{ij} = \theta^\top v_{ij} - \mu

    while :math:`\lambda` increases to 1, where H is the Renyi entropy of order
    :math:`1/(1 - \lambda)`, and then runs k-means on :math:`\sqrt{\theta_l}\, p_{il}`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, K.
    kernel : "exponential", callable or None
        exp(-d / eta); a function of two arrays of rows; or None for the linear version.
    eta : float, "median", "paper" or None
        Width of the exponential kernel. "paper" is Eq. 31, the mean *squared* distance. It is
        divided into distances that are not squared, so that the kernel changes with the unit of X:
        a thousandth of the unit makes all samples alien to one another, a thousandfold one makes
        them all alike. None is Eq. 31 for X in units of its own spread, the root mean square of the
        standard deviations of its columns. Then the unit does not matter, and for standardised X
        it is Eq. 31 as printed.
    n_components : int or None
        Most coordinates to keep; None keeps 30. Those with eigenvalue zero are left out.
    form : "balanced" or "paper"
        "balanced": all unlabelled pairs together weigh as much as the labelled ones, and the trace
        is penalised. "paper": every pair weighs one and nothing is penalised; then theta grows
        without bound where the pairs can be separated.
    unlabelled_weight : float or None
        w. None is what ``form`` says: (|S| + |D|) / |U| if "balanced", 1 if "paper".
    penalty : float or None
        tau per labelled pair and mean squared distance. None is what ``form`` says: 1e-3 if
        "balanced", 0 if "paper".
    n_temperatures : int
        Number of values of lam after zero, which are sqrt(i / n_temperatures). Zero of them is
        the labelled-only fit (Yang and Jin).
    n_em_steps : int
        Most EM steps at each value of lam.
    init : "labelled" or array (k + 1,)
        Start of the annealing: the labelled-only fit, or (theta, mu).
    n_landmarks : int, "auto" or None
        Rows, drawn at random, on which the method is solved; the others are labelled as new rows
        are, and time and memory are linear in n. "auto": all of up to 3,000 rows, 1,000 of more,
        with a `LandmarkWarning`. None: all. The rows of pairs are
        always among them.
    n_init : int
        Starts of the final k-means.
    max_iter : int
        Most states in all.
    tol : float
        Relative decrease of the cost at which the EM steps of one temperature end.
    random_state : int, RandomState or None
        Seed of the final k-means and the landmarks.
    verbose : bool
        Show a progress bar.

    Attributes
    ----------
    theta_ : array (k,)
        Weights of the coordinates, nonnegative.
    mu_ : float
        The squared distance at which a pair is as likely the same as not.
    labels_ : array (n,)
        The nearest centre of each sample, as ``predict`` gives it; a warning says so if they do not
        use all clusters.
    cluster_centers_ : array (n_clusters, k)
        In the learned space.
    objective_ : float
        The cost above, with the Renyi entropy, at the end.
    objective_path_ : array (n_iter_,)
        The cost of each state: it never increases while lam stays, and jumps when lam changes.
    basis_ : array (n, k) or (d, k)
        Z with P = KZ, or U with P = XU.
    metric_ : array (d, d)
        A = U diag(theta) U' (linear version only).
    eta_ : float
        Width of the kernel as used (exponential kernel only).
    unlabelled_weight_ : float
        w as used.
    tau_ : float
        Penalty as used.
    X_fit_ : array (n, d), or (n_landmarks, d)
        The training samples or landmarks.
    n_iter_ : int
        Number of states.
    converged_ : bool
        Whether the annealing came to its end within ``max_iter``.
    restarts_ : tuple of Restart
        How the run ended.

    Notes
    -----
    With no pairs, or pairs of one kind only, the likelihood is best when all pairs are called the
    same (or all different): a warning is given and theta is one everywhere, which is k-means on
    the kernel coordinates. A penalty so large that theta vanishes puts all samples into one
    cluster, with a warning. Index pairs belong to one X: see `umlbook.constraints.restrict`.

    See Also
    --------
    LatentClassPairs : has an example of ``cross_validate`` with pairs, which holds here too.

    References
    ----------
    Babagholami-Mohamadabadi, Zarghami, Abdollahi Pourhaghighi and Manzuri-Shalmani (2013),
    Probabilistic non-linear distance metric learning for constrained clustering.
    Yang and Jin (2006), Distance metric learning: a comprehensive survey.
    Ueda and Nakano (1998), Deterministic annealing EM algorithm.

    Examples
    --------
    >>> from umlbook.constraints import sample
    >>> from umlbook.datasets import make_circle
    >>> from umlbook.scores import modified_rand
    >>> X, y = make_circle(100, random_state=0)
    >>> must, cannot = sample(y, 15, 15, random_state=0)
    >>> model = ProbabilisticMetric(2, random_state=0)
    >>> modified_rand(y, model.fit(X, must_link=must, cannot_link=cannot).labels_)
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str | Kernel | None = "exponential",
        eta: float | str | None = None,
        n_components: int | None = None,
        form: str = "balanced",
        unlabelled_weight: float | None = None,
        penalty: float | None = None,
        n_temperatures: int = 20,
        n_em_steps: int = 10,
        init: str | ArrayLike = "labelled",
        n_landmarks: int | str | None = "auto",
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.eta = eta
        self.n_components = n_components
        self.form = form
        self.unlabelled_weight = unlabelled_weight
        self.penalty = penalty
        self.n_temperatures = n_temperatures
        self.n_em_steps = n_em_steps
        self.init = init
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(
        self,
        X: ArrayLike,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> MetricProblem:
        X = self._validated(X, reset=True)
        self._check_parameters()
        check_landmarks(self.n_landmarks, self.n_clusters)
        must, cannot = check_constraints(must_link, cannot_link, len(X))
        eta = self._width(X) if self.kernel == "exponential" else None
        paired = np.union1d(must, cannot)
        rows = landmark_rows(self.n_landmarks, len(X), self.random_state, always=paired)
        everyone = None
        if rows is not None:
            everyone, X = X, X[rows]
            must, cannot = restrict(must, rows), restrict(cannot, rows)
        K = X if self.kernel is None else kernel_matrix(self.kernel, X, X, eta)
        basis = self._basis(K)
        P = K @ basis
        weight, penalty = {"balanced": (None, PENALTY), "paper": (1.0, 0.0)}[self.form]
        weight = weight if self.unlabelled_weight is None else self.unlabelled_weight
        penalty = penalty if self.penalty is None else self.penalty
        pairs = weighted_pairs(must, cannot, len(X), weight)
        size = 2 * np.var(P, axis=0) * len(P) / max(len(P) - 1, 1)
        per_penalty = float(pairs.labelled.sum() * size.sum())
        # A component that is the same for all samples has no size, and needs none.
        scale = np.append(np.maximum(size, SMALLEST_EIGENVALUE * max(size.sum(), 1e-300)), 1.0)
        tau, start_tau = penalty * per_penalty, (penalty or PENALTY) * per_penalty
        return MetricProblem(P, pairs, scale, tau, start_tau, X, eta, basis, everyone)

    def _check_parameters(self) -> None:
        check_count("n_temperatures", self.n_temperatures, least=0)
        check_count("n_em_steps", self.n_em_steps)
        if self.form not in ("balanced", "paper"):
            raise ValueError(f"form must be 'balanced' or 'paper', got {self.form!r}")
        for name in ("unlabelled_weight", "penalty"):
            value = getattr(self, name)
            if value is not None:
                check_nonnegative(name, value)

    def _basis(self, K: Array) -> Array:
        """Z for a kernel K, or U where there is none and K is X."""
        most = MOST_COMPONENTS if self.n_components is None else self.n_components
        check_count("n_components", most)
        return (correlation_basis if self.kernel is None else kernel_basis)(K, most)

    def _width(self, X: Array) -> float:
        printed = isinstance(self.eta, str) and self.eta == "paper"
        if not (printed or self.eta is None):
            return resolve_width(self.eta, X, name="eta")
        if len(X) == 1:
            return 1.0
        if not np.any(X[0] != X):
            raise ValueError(
                f"eta={self.eta!r} (Eq. 31) needs at least two different rows in X, but all rows "
                "are equal: give eta as a number"
            )
        return mean_squared_distance(X) if printed else unit_free_width(X)

    def _kernel_matrix(self, X: Array) -> Array:
        """Kernel of the rows of X with the training rows; X itself if there is no kernel."""
        if self.kernel is None:
            return X
        return kernel_matrix(self.kernel, X, self.X_fit_, getattr(self, "eta_", None))

    def _starts(
        self, problem: PairProblem, rng: np.random.RandomState
    ) -> Iterator[tuple[Array, int]]:
        seed = int(rng.randint(np.iinfo(np.int32).max))
        if not problem.pairs.has_both_kinds:
            warnings.warn(
                "ProbabilisticMetric needs must_link and cannot_link pairs, one of each at least, "
                "to learn a metric: without them the samples are clustered by the kernel alone",
                UserWarning,
                stacklevel=5,
            )
            mean = float(problem.scale[:-1].sum())
            yield np.append(np.ones(problem.P.shape[1]), mean), seed
        elif not isinstance(self.init, str):
            yield self._given_start(problem), seed
        elif self.init == "labelled":
            yield labelled_only(problem.P, problem.pairs, problem.scale, problem.start_tau).x, seed
        else:
            raise ValueError(f"init must be 'labelled' or an array, got {self.init!r}")

    def _given_start(self, problem: PairProblem) -> Array:
        delta, size = np.array(self.init, dtype=float), problem.P.shape[1] + 1
        if delta.shape != (size,) or not (np.isfinite(delta) & (delta >= 0)).all():
            raise ValueError(
                f"init must hold theta and mu, {size} finite numbers of at least 0, "
                f"got shape {delta.shape}"
            )
        return delta

    def _iterate(self, problem: PairProblem, start: tuple[Array, int]) -> Iterator[DAEMStep]:
        delta, seed = start
        lams = schedule(self.n_temperatures) if problem.pairs.has_both_kinds else np.empty(0)
        cluster = partial(_kmeans, n_clusters=self.n_clusters, n_init=self.n_init, seed=seed)
        return daem_steps(
            problem, delta, lams, n_em_steps=self.n_em_steps, tol=self.tol, cluster=cluster
        )

    def _settled(self, previous: DAEMStep, state: DAEMStep) -> bool:
        return False  # the schedule ends the stream

    def _key(self, state: DAEMStep) -> None:
        return None

    def _adopt(self, problem: MetricProblem, state: DAEMStep) -> None:
        self.theta_, self.mu_ = state.theta, state.mu
        self.cluster_centers_ = state.clustering.cluster_centers_
        self.tau_, pairs = problem.tau, problem.pairs
        self.unlabelled_weight_ = float(pairs.weight[~pairs.labelled].max(initial=0.0))
        self.X_fit_, self.basis_ = problem.X, problem.basis
        if problem.eta is not None:
            self.eta_ = problem.eta
        if self.kernel is None:
            self.metric_ = (self.basis_ * self.theta_) @ self.basis_.T
        if state.unsettled:
            warnings.warn(
                f"{state.unsettled} M steps of ProbabilisticMetric did not converge: give it a "
                "penalty, or another scale of X",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _reason_unused(self) -> str:
        if self.theta_.any():
            return super()._reason_unused()
        return (
            "it has learned theta = 0, under which all samples are alike; lower penalty, give more "
            "pairs, or remove outliers"
        )

    def _map(self, X: Array) -> Array:
        return self._kernel_matrix(X) @ self.basis_ * np.sqrt(self.theta_)

    def transform(self, X: ArrayLike) -> Array:
        """The rows of X in the learned space, where Euclidean distance is the learned distance.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m, k)
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest centre in the learned space.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m,)
        """
        return nearest_center(self._places(X), self.cluster_centers_)

    def pair_probability(self, A: ArrayLike, B: ArrayLike) -> Array:
        """P(same) of every row of A with every row of B.

        Parameters
        ----------
        A : array (m, d)
        B : array (r, d)

        Returns
        -------
        array (m, r)
        """
        apart = distances(self._places(A), self._places(B), squared=True)
        return same_probability(apart - self.mu_)


def _kmeans(points: Array, *, n_clusters: int, n_init: int, seed: int) -> KMeans:
    """K-means in the learned space, silent where there are fewer distinct points than clusters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(n_clusters, n_init=n_init, random_state=seed).fit(points)
