"""Choosing sigma and lam without labels, and the control that moves nothing.

Every candidate is fitted and the normalised cut of its labels in the neighbour graph of the input
(:mod:`umlbook.cpd.cut`) decides, not J.
"""

import warnings
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import Labels
from umlbook.cpd.cut import neighbor_graph, normalized_cut
from umlbook.cpd.estimator import CPDUML
from umlbook.kernels import median_width


@dataclass(frozen=True)
class Candidate:
    """One pair of parameters, the labels it leads to, and their normalised cut and objective."""

    sigma: float
    lam: float
    cut: float
    objective: float
    labels: Labels


@dataclass(frozen=True)
class Selection:
    """The candidates in the order tried; the best has the least cut, the first one in a tie."""

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        return min(self.candidates, key=lambda candidate: candidate.cut)

    @property
    def sigma(self) -> float:
        return self.best.sigma

    @property
    def lam(self) -> float:
        return self.best.lam


def no_move(model: CPDUML) -> CPDUML:
    """The control: the same start and the same Y step with Psi = 0, as an unfitted estimator.

    It has no sigma and no lam to choose. Where those of CPD-UML were chosen with the help of
    labels, a gain over the control holds that choice as well as the deformation.

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
    sigmas : array, optional
        Widths to try; by default 1/4 to 2 times the median distance (of the kernel PCA
        coordinates, if there is a kernel).
    lams : array, optional
        Values of lam to try; by default 1/25 to 25 times the default lam.
    n_neighbors : int
        Number of neighbours in the graph of the input space.
    **params
        Parameters of :class:`CPDUML`, all but ``sigma`` and ``lam``.

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
    unit = clone(model).set_params(sigma=1.0)._prepare(X)
    points, lam = unit.field.X, unit.field.lam
    widths = median_width(points) * 2.0 ** np.arange(-2, 2) if sigmas is None else np.ravel(sigmas)
    stiff = lam * 5.0 ** np.arange(-2, 3) if lams is None else np.ravel(lams)
    graph = neighbor_graph(unit.X, n_neighbors)
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

    Parameters
    ----------
    model : CPDUML
        Is left as it is.
    X : array (n, d)
    lams : array

    Returns
    -------
    list of CPDUML
        One fitted model for each lam, in the same order.
    """
    return list(lam_fits(model, X, lams))


def lam_fits(model: CPDUML, X: ArrayLike, lams: ArrayLike) -> Iterator[CPDUML]:
    """The same one after the other: whoever has seen enough fits no more."""
    prepared = clone(model)
    problem = prepared._prepare(X)
    for lam in map(float, np.ravel(lams)):
        model = copy(prepared).set_params(lam=lam)
        field = replace(problem.field, lam=model._stiffness(len(problem.X)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = model._fit(replace(problem, field=field))._label(X)
        yield fitted
