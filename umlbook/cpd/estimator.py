"""CPD-UML as an estimator: the field and the labels in turn, and the map of new points."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from umlbook._checks import check_count, check_labels, check_positive
from umlbook._landmarks import landmark_rows
from umlbook._loop import SteppingClusterer
from umlbook._pieces import MapsRows
from umlbook.algebra import Array, Labels, nearest_center
from umlbook.cpd.cut import neighbor_graph, normalized_cut
from umlbook.cpd.field import FieldProblem, check_penalty, full_basis, landmark_basis, velocity
from umlbook.cpd.steps import (
    KMEANS_RUNS,
    CPDStep,
    YStep,
    cpd_steps,
    kmeans_labels,
    lloyd_labels,
    spectral_labels,
)
from umlbook.kernels import KernelCoordinates, kernel_pca, rbf, resolve_width

DEFAULT_LAM = {"coefficients": (2.5e-3, 2), "smoothness": (1e-2, 1)}
"""Factor and power of n in the default lam: G^2 grows as n^2, G as n."""


@dataclass(frozen=True)
class KernelSpace:
    """Rows of X to coordinates of the kernel PCA of some of them."""

    kernel: Callable[[Array, Array], Array]
    rows: Array
    pca: KernelCoordinates

    def __call__(self, X: Array) -> Array:
        return self.pca.at(self.kernel(X, self.rows))

    def without_training_rows(self) -> "KernelSpace":
        """The same without the coordinates of the training rows, which new rows do not need."""
        return replace(self, pca=self.pca.without_training_rows())


@dataclass(frozen=True)
class CPDProblem:
    """The rows of X, the kernel space in which they move (None: their own), the field to find."""

    X: Array
    space: KernelSpace | None
    field: FieldProblem
    starts: dict[tuple[str, int, int], Labels] = attribute(default_factory=dict)
    """First labels by kind, seed and runs: the same for every lam."""

    @cached_property
    def graph(self) -> csr_array:
        """The neighbour graph of the input, in which starts are compared."""
        return neighbor_graph(self.X)


class CPDUML(MapsRows, SteppingClusterer):
    r"""Clustering by a smooth deformation that pulls the points of a cluster together.

    Minimises over labels (Y, P = I - YY') and coefficients Psi

    .. math:: J = \lVert P (X + G \Psi) \rVert^2 + \lambda \lVert \Psi \rVert^2, \qquad
       G_{ij} = \exp(-\lVert x_i - x_j \rVert^2 / 2 \sigma^2)

    in turn. A new point x moves to x + g(x, X) Psi and belongs to the nearest mean of the moved
    clusters.

    Parameters
    ----------
    n_clusters : int
    sigma : float or "median"
        Width of the field: points nearer than this move together.
    lam : float or None
        Stiffness. None is 2.5e-3 n^2, since G^2 grows with n^2 (1e-2 n for "smoothness").
        Infinity moves nothing: the control, see :func:`no_move`.
    y_step : "lloyd" or "spectral"
        How labels are found among the moved points. "lloyd": Lloyd's algorithm from the present
        labels, under which J does not increase beyond rounding. "spectral": k-means on the top
        singular vectors, our reading of the paper, which does not say when its Y is made discrete;
        J may increase and the labels may cycle. (With the relaxed Y of its Algorithm 1, J cannot
        increase, and nothing moves where X has no more features than clusters.)
    init : "spectral", "kmeans" or array (n,)
        First labels: k-means on the top singular vectors of X (centre X first), on X, or given.
    penalty : "coefficients" or "smoothness"
        tr(Psi'Psi) as in the paper, or tr(Psi'G Psi), the smoothness of coherent point drift.
    kernel : None, "rbf" or callable
        Deform the coordinates of a centred kernel PCA in place of X. A callable takes two arrays
        of rows and returns their kernel.
    kernel_sigma : float or "median"
        Width of the kernel "rbf".
    n_components : int or None
        Kernel PCA coordinates to keep; None keeps all above 1e-9 of the largest.
    n_landmarks : int, "auto" or None
        That many samples, drawn at random, carry the field (and the kernel PCA): time and memory
        are then linear in n. "auto": all of up to 3,000 samples, 1,000 of more, with a
        `LandmarkWarning`. None: all.
    n_init : int
        Number of starts. A single one is the best of ten k-means runs; several come from one run
        each, and the one with the least normalised cut in the neighbour graph of X is kept, not
        the one with the least J.
    max_iter : int
        Most steps per start.
    tol : float
        Relative change of J at which a start ends; with 0 it ends only when the labels repeat.
    random_state : int, RandomState or None
        Seed of the starts, the landmarks and the spectral Y step.
    verbose : bool
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        Of the nearest mean of the moved clusters, as ``predict`` gives them; a warning says so if
        they do not use all clusters. With "spectral" the
        labels in the embedding may differ: ``restarts_`` has them.
    psi_ : array (n, d), or (n_landmarks, d)
    X_fit_ : array (n, d), or (n_landmarks, d)
        The points that carry the field; in kernel PCA coordinates if there is a kernel.
    cluster_centers_ : array (n_clusters, d)
        Means of the moved clusters.
    objective_ : float
        J at the end.
    objective_path_ : array (n_iter_,)
        J after each step.
    sigma_ : float
        The width used.
    lam_ : float
        The stiffness used.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether it settled.
    restarts_ : tuple of Restart
        How every start ended.

    Notes
    -----
    J has no term that keeps clusters apart: as lam goes to zero so does J, for any labels, if the
    rows of X are distinct. Choose sigma and lam by :func:`select` and not by J.

    References
    ----------
    Unsupervised metric learning via nonlinear feature space transformations (CPD-UML), manuscript.
    Myronenko and Song (2010), Point set registration: coherent point drift.

    Examples
    --------
    >>> from umlbook.datasets import make_two_moons
    >>> from umlbook.scores import clustering_accuracy
    >>> X, y = make_two_moons(200, noise=0.1, random_state=0)
    >>> model = CPDUML(2, sigma=1.0, lam=100.0, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.predict(X)) > 0.98
    True
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        sigma: float | str = "median",
        lam: float | None = None,
        y_step: str = "lloyd",
        init: str | ArrayLike = "spectral",
        penalty: str = "coefficients",
        kernel: Any = None,
        kernel_sigma: float | str = "median",
        n_components: int | None = None,
        n_landmarks: int | str | None = "auto",
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 0.0,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.sigma = sigma
        self.lam = lam
        self.y_step = y_step
        self.init = init
        self.penalty = penalty
        self.kernel = kernel
        self.kernel_sigma = kernel_sigma
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, X: ArrayLike) -> CPDProblem:
        X = self._validated(X, reset=True)
        if self.y_step not in ("lloyd", "spectral"):
            raise ValueError(f"y_step must be 'lloyd' or 'spectral', got {self.y_step!r}")
        check_penalty(self.penalty)
        rows = landmark_rows(self.n_landmarks, len(X), self.random_state)
        space = None if self.kernel is None else self._kernel_space(X if rows is None else X[rows])
        points = X if space is None else space.pca.coordinates if rows is None else space(X)
        sigma = resolve_width(self.sigma, points)
        if rows is None:
            basis = full_basis(points, sigma)
        else:
            basis = landmark_basis(points, points[rows], sigma)
        return CPDProblem(
            X, space, FieldProblem(points, basis, self._stiffness(len(X)), self.penalty)
        )

    def _kernel_space(self, X: Array) -> KernelSpace:
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        kernel = self.kernel
        if isinstance(kernel, str) and kernel == "rbf":
            kernel = partial(rbf, sigma=resolve_width(self.kernel_sigma, X, name="kernel_sigma"))
        if not callable(kernel):
            raise ValueError(f"kernel must be None, 'rbf' or a callable, got {self.kernel!r}")
        return KernelSpace(kernel, X, kernel_pca(kernel(X, X), self.n_components))

    def _stiffness(self, n_samples: int) -> float:
        if self.lam is None:
            factor, power = DEFAULT_LAM[self.penalty]
            return factor * n_samples**power
        return np.inf if self.lam == np.inf else check_positive("lam", self.lam)

    def _starts(
        self, problem: CPDProblem, rng: np.random.RandomState
    ) -> Iterator[tuple[Labels, int]]:
        seed = int(rng.randint(2**31 - 1))  # of the Y step
        if not isinstance(self.init, str):
            yield check_labels(self.init, len(problem.X), self.n_clusters), seed
            return
        first = {"spectral": spectral_labels, "kmeans": kmeans_labels}
        if self.init not in first:
            raise ValueError(
                f"init must be 'spectral', 'kmeans' or an array of labels, got {self.init!r}"
            )
        runs = KMEANS_RUNS if self.n_init == 1 else 1  # the best of many would be the same start
        for _ in range(self.n_init):
            key = (self.init, int(rng.randint(2**31 - 1)), runs)
            if key not in problem.starts:
                found = first[self.init](problem.field.X, self.n_clusters, *key[1:])
                problem.starts[key] = found
            yield problem.starts[key], seed

    def _iterate(self, problem: CPDProblem, start: tuple[Labels, int]) -> Iterator[CPDStep]:
        labels, seed = start
        y_step: YStep = partial(lloyd_labels, n_clusters=self.n_clusters)
        if self.y_step == "spectral":

            def y_step(moved: Array, labels: Labels) -> Labels:
                # One seed throughout: the next labels are a function of these, so a cycle is one.
                return spectral_labels(moved, self.n_clusters, seed)

        return cpd_steps(problem.field, labels, self.n_clusters, y_step)

    def _criterion(self, problem: CPDProblem, state: CPDStep) -> float:
        if self.n_init == 1 or self.n_clusters == 1 or not isinstance(self.init, str):
            return 0.0  # nothing to choose from
        return normalized_cut(problem.graph, state.labels, self.n_clusters)

    def _adopt(self, problem: CPDProblem, state: CPDStep) -> None:
        self.sigma_, self.lam_ = problem.field.basis.sigma, problem.field.lam
        self.psi_ = state.psi
        self.X_fit_ = problem.field.basis.nodes
        self.cluster_centers_ = state.centers
        self._space = problem.space and problem.space.without_training_rows()
        self._origin = np.median(problem.field.X, axis=0)

    def _map(self, X: Array) -> Array:
        points = X if self._space is None else self._space(X)
        return points + velocity(points, self.X_fit_, self.psi_, sigma=self.sigma_)

    def transform(self, X: ArrayLike) -> Array:
        """Where the rows of X move to, X + g(X, X_fit_) Psi (Eq. 3).

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m, d)
            With a kernel, the moved kernel PCA coordinates (m, q).
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest mean of the moved clusters, once the rows of X are moved too.

        Parameters
        ----------
        X : array (m, d)
        """
        # about the median of the training rows: how near a tie is does not depend on the origin
        return nearest_center(self._places(X) - self._origin, self.cluster_centers_ - self._origin)
