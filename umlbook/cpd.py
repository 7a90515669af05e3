r"""CPD-UML: a smooth deformation of space under which k-means finds the clusters.

Every point moves along a velocity field that is a sum of Gaussians. The field and the labels take
turns: for given labels the best field is known in closed form (Eq. 20), and for a given field the
labels are found among the moved points.

=========  ====================================================  ==========
symbol     name in code                                          shape
=========  ====================================================  ==========
X          ``X``, rows are samples                               n x d
G          ``rbf(X, sigma=sigma)``                               n x n
Psi        ``psi``, coefficients of the field                    n x d
X_1        ``moved`` = X + G Psi                                 n x d
Y          ``indicator(labels)``, columns of norm one            n x K
P          I - YY', applied by ``deviations``                    n x n
J          ``objective`` = |P X_1|^2 + lam |Psi|^2               number
=========  ====================================================  ==========
"""

import warnings
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin, clone
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, gen_batches

from umlbook._base import SteppingClusterer, check_count, check_labels
from umlbook._cpd_field import (
    FieldProblem,
    check_penalty,
    deformation,
    deviations,
    full_basis,
    gradient,
    landmark_basis,
    objective,
    roughness,
    velocity,
)
from umlbook._cpd_selection import (
    Candidate,
    Selection,
    neighbor_graph,
    normalized_cut,
)
from umlbook._cpd_steps import (
    KMEANS_RUNS,
    CPDStep,
    cpd_steps,
    kmeans_labels,
    lloyd_labels,
    spectral_labels,
)
from umlbook.algebra import Array, Labels, nearest
from umlbook.kernels import check_width, distances, median_width, rbf, resolve_width

__all__ = [
    "CPDUML",
    "CPDStep",
    "Candidate",
    "Selection",
    "cpd_steps",
    "deformation",
    "deviations",
    "gradient",
    "kmeans_labels",
    "lam_path",
    "lloyd_labels",
    "neighbor_graph",
    "no_move",
    "normalized_cut",
    "objective",
    "roughness",
    "select",
    "spectral_labels",
    "velocity",
]

DEFAULT_LAM = {"coefficients": (2.5e-3, 2), "smoothness": (1e-2, 1)}
"""Factor and power of n in the default lam: G^2 grows as n^2, G as n."""
SMALLEST_COMPONENT = 1e-9


class CPDUML(TransformerMixin, SteppingClusterer):
    r"""Clustering by a smooth deformation that pulls the points of a cluster together.

    Minimises over labels (Y, P = I - YY') and coefficients Psi

    .. math:: J = \lVert P (X + G \Psi) \rVert^2 + \lambda \lVert \Psi \rVert^2, \qquad
       G_{ij} = \exp(-\lVert x_i - x_j \rVert^2 / 2 \sigma^2)

    by turns. A new point x moves to x + g(x, X) Psi and belongs to the nearest mean of the moved
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
        labels, under which J never rises. "spectral": k-means on the top singular vectors, the
        paper's way, under which J may rise and the labels may cycle.
    init : "spectral", "kmeans" or array (n,)
        First labels: k-means on the top singular vectors of X, or on X itself, or given ones.
    penalty : "coefficients" or "smoothness"
        tr(Psi'Psi) as in the paper, or tr(Psi'G Psi), the smoothness of coherent point drift.
    kernel : None, "rbf" or callable
        Deform the coordinates of a centred kernel PCA in place of X. A callable takes two arrays
        of rows and returns their kernel.
    kernel_sigma : float or "median"
        Width of the kernel "rbf".
    n_components : int or None
        Kernel PCA coordinates to keep; None keeps all above 1e-9 of the largest.
    n_landmarks : int or None
        That many samples, drawn at random, carry the field (and the kernel PCA): time and memory
        are then linear in n.
    n_init, max_iter, tol, random_state, verbose
        Starts: one from the best of ten k-means runs, or several from one run each, of which that
        with the least normalised cut in the neighbour graph of X is kept (never that with the
        least J); most steps per start; relative change of J to stop at (0: only when the labels
        repeat); seed; progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        Of the nearest mean of the moved clusters, as ``predict`` gives them. With "spectral" the
        labels in the embedding may differ: ``restarts_`` has them.
    psi_ : array (n, d), or (n_landmarks, d)
    X_fit_ : array (n, d), or (n_landmarks, d)
        The points that carry the field; in kernel PCA coordinates if there is a kernel.
    cluster_centers_ : array (n_clusters, d)
        Means of the moved clusters.
    objective_, objective_path_ : float, array
        J at the end, and after each step.
    sigma_, lam_ : float
        As used.
    n_iter_, converged_, restarts_ : int, bool, tuple of Restart

    Notes
    -----
    J has no term that keeps clusters apart: as lam falls, everything is drawn together and J goes
    to zero. Choose sigma and lam by :func:`select`, never by J.

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
        n_landmarks: int | None = None,
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

    def _prepare(self, X: ArrayLike, problem: FieldProblem | None = None) -> FieldProblem:
        if problem is not None:  # of lam_path, prepared before
            return problem
        X = self._validated(X, reset=True)
        if self.y_step not in ("lloyd", "spectral"):
            raise ValueError(f"y_step must be 'lloyd' or 'spectral', got {self.y_step!r}")
        check_penalty(self.penalty)
        self._input = X
        rows = self._landmark_rows(len(X))
        self._kpca = self._fitted_kpca(X[rows])
        points = self._coordinates(X)
        self.sigma_ = _width("sigma", self.sigma, points)
        self.lam_ = self._stiffness(len(X))
        if self.n_landmarks is None:
            basis = full_basis(points, self.sigma_)
        else:
            basis = landmark_basis(points, points[rows], self.sigma_)
        return FieldProblem(points, basis, self.lam_, self.penalty)

    def _landmark_rows(self, n_samples: int) -> Any:
        if self.n_landmarks is None:
            return slice(None)
        check_count("n_landmarks", self.n_landmarks)
        if self.n_landmarks > n_samples:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} is more than the {n_samples} rows of X: lower it, "
                "or leave it out to use every row"
            )
        rng = check_random_state(self.random_state)
        return np.sort(rng.permutation(n_samples)[: self.n_landmarks])

    def _fitted_kpca(self, X: Array) -> KernelPCA | None:
        if self.kernel is None:
            return None
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        kernel = self.kernel
        if isinstance(kernel, str) and kernel == "rbf":
            kernel = partial(rbf, sigma=_width("kernel_sigma", self.kernel_sigma, X))
        if not callable(kernel):
            raise ValueError(f"kernel must be None, 'rbf' or a callable, got {self.kernel!r}")
        self._kernel_rows, self._kernel = X, kernel
        kpca = KernelPCA(kernel="precomputed", eigen_solver="dense").fit(kernel(X, X))
        kept = kpca.eigenvalues_ > SMALLEST_COMPONENT * kpca.eigenvalues_.max(initial=0.0)
        if not kept.any():
            raise ValueError(
                f"the centred kernel of the n_samples={len(X)} rows is zero, so kernel PCA has no "
                "coordinates: give rows that differ, or kernel=None"
            )
        kept[self.n_components or len(kept) :] = False
        kpca.eigenvalues_ = kpca.eigenvalues_[kept]
        kpca.eigenvectors_ = kpca.eigenvectors_[:, kept]
        return kpca

    def _coordinates(self, X: Array) -> Array:
        """X itself, or its kernel PCA coordinates."""
        if self._kpca is None:
            return X
        K: Array = self._kpca.transform(self._kernel(X, self._kernel_rows))
        return K

    def _stiffness(self, n_samples: int) -> float:
        if self.lam is None:
            factor, power = DEFAULT_LAM[self.penalty]
            return factor * n_samples**power
        return np.inf if self.lam == np.inf else check_width("lam", self.lam)

    def _starts(self, problem: FieldProblem, rng: np.random.RandomState) -> Iterable[Labels]:
        self._seed = int(rng.randint(2**31 - 1))
        if not isinstance(self.init, str):
            yield check_labels(self.init, len(problem.X), self.n_clusters)
            return
        first = {"spectral": spectral_labels, "kmeans": kmeans_labels}
        if self.init not in first:
            raise ValueError(
                f"init must be 'spectral', 'kmeans' or an array of labels, got {self.init!r}"
            )
        runs = KMEANS_RUNS if self.n_init == 1 else 1  # the best of many would be the same start
        for _ in range(self.n_init):
            yield first[self.init](problem.X, self.n_clusters, int(rng.randint(2**31 - 1)), runs)

    def _iterate(self, problem: FieldProblem, start: Labels) -> Iterator[CPDStep]:
        def y_step(moved: Array, labels: Labels) -> Labels:
            if self.y_step == "lloyd":
                return lloyd_labels(moved, labels, self.n_clusters)
            # One seed throughout: the next labels are a function of these, so a cycle is one.
            return spectral_labels(moved, self.n_clusters, self._seed)

        return cpd_steps(problem, start, self.n_clusters, y_step)

    def _criterion(self, state: CPDStep) -> float:
        if self.n_init == 1 or self.n_clusters == 1 or not isinstance(self.init, str):
            return 0.0  # nothing to choose from
        if not hasattr(self, "_graph"):
            self._graph = neighbor_graph(self._input)
        return normalized_cut(self._graph, state.labels, self.n_clusters)

    def _adopt(self, problem: FieldProblem, state: CPDStep) -> None:
        self.psi_ = state.psi
        self.X_fit_ = problem.basis.nodes
        self.cluster_centers_ = state.centers
        self.labels_ = nearest(distances(self._moved(problem.X), state.centers, squared=True))
        self.__dict__.pop("_graph", None)  # and the rows: only the choice of a start needs them
        self.__dict__.pop("_input", None)

    def _moved(self, points: Array) -> Array:
        parts = [
            points[rows] + velocity(points[rows], self.X_fit_, self.psi_, sigma=self.sigma_)
            for rows in gen_batches(len(points), 2048)
        ]
        return np.concatenate(parts)

    def transform(self, X: ArrayLike) -> Array:
        """Where the rows of X move to, X + g(X, X_fit_) Psi (Eq. 3).

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m, d), or the moved kernel PCA coordinates (m, q)
        """
        return self._moved(self._coordinates(self._validated(X, reset=False)))

    def predict(self, X: ArrayLike) -> Labels:
        """Label of the nearest mean of the moved clusters, once the rows of X are moved too.

        Parameters
        ----------
        X : array (m, d)
        """
        return nearest(distances(self.transform(X), self.cluster_centers_, squared=True))


def _width(name: str, width: float | str, X: Array) -> float:
    """A width; the median is one where X has a single row and so no distances."""
    return 1.0 if len(X) == 1 and width == "median" else resolve_width(width, X, name=name)


def no_move(model: CPDUML) -> CPDUML:
    """The control: the same start and the same Y step with Psi = 0, as an unfitted estimator.

    What CPD-UML gains over k-means is due to the deformation only as far as it exceeds this.

    >>> no_move(CPDUML(3, y_step="spectral")).lam
    inf
    """
    control: CPDUML = clone(model).set_params(lam=np.inf)
    return control


def select(
    X: ArrayLike,
    n_clusters: int,
    *,
    sigmas: ArrayLike | None = None,
    lams: ArrayLike | None = None,
    n_neighbors: int = 10,
    **params: Any,
) -> Selection:
    r"""Choose sigma and lam without labels, by the normalised cut of a neighbour graph of X.

    Parameters
    ----------
    X : array (n, d)
    n_clusters : int
    sigmas, lams : array, optional
        What to try; by default 1/4 to 2 times the median distance (of the kernel PCA coordinates,
        if there is a kernel), and 1/25 to 25 times the default lam.
    n_neighbors : int
        Of the graph, in the input space.
    **params
        Of :class:`CPDUML`, all but ``sigma`` and ``lam``.

    Returns
    -------
    Selection
        With ``sigma``, ``lam``, ``best`` and all ``candidates``.

    Examples
    --------
    >>> from umlbook.datasets import make_two_moons
    >>> from umlbook.scores import clustering_accuracy
    >>> X, y = make_two_moons(200, noise=0.1, random_state=0)
    >>> choice = select(X, 2, random_state=0)
    >>> model = CPDUML(2, sigma=choice.sigma, lam=choice.lam, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_) > 0.98
    True
    """
    model = CPDUML(n_clusters, **params)
    unit = clone(model).set_params(sigma=1.0)
    points = unit._prepare(X).X
    widths = median_width(points) * 2.0 ** np.arange(-2, 2) if sigmas is None else np.ravel(sigmas)
    stiff = unit.lam_ * 5.0 ** np.arange(-2, 3) if lams is None else np.ravel(lams)
    graph = neighbor_graph(unit._input, n_neighbors)
    found = [
        Candidate(
            float(sigma),
            fitted.lam_,
            normalized_cut(graph, fitted.labels_, n_clusters),
            fitted.objective_,
            fitted.labels_,
        )
        for sigma in widths
        for fitted in lam_path(clone(model).set_params(sigma=float(sigma)), X, stiff)
    ]
    return Selection(tuple(found))


def lam_path(model: CPDUML, X: ArrayLike, lams: ArrayLike) -> list[CPDUML]:
    """The model fitted with each lam; the eigenvectors of G, the costly part, are found once.

    No warning is given for fits that do not converge: see their ``converged_``.
    """
    prepared = clone(model)
    problem = prepared._prepare(X)
    fits = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for lam in map(float, np.ravel(lams)):
            fitted = copy(prepared).set_params(lam=lam)
            fitted.lam_ = fitted._stiffness(len(problem.X))
            fits.append(fitted._fit(X, problem=replace(problem, lam=fitted.lam_)))
    return fits
