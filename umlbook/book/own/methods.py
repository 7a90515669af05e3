"""The methods that a reader can choose, how many rows each can take, and how to make one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

import umlbook

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """A method of the book.

    Attributes
    ----------
    cls : type
        The estimator.
    max_rows : int
        Rows it learns from; more are sampled, so that an answer comes in seconds.
    refit_rows : int
        Rows on which it is fitted again and again for the diagnostics.
    """

    name: str
    cls: Any
    max_rows: int
    refit_rows: int

    @property
    def source(self) -> str:
        """Where the estimator is imported from."""
        return "sklearn.cluster" if self.cls is KMeans else "umlbook"

    def call(self, n_clusters: int, seed: int) -> str:
        """Return the code that makes the estimator.

        >>> METHODS["CPCM"].call(3, 0)
        'CPCM(3, random_state=0)'
        """
        extra = "n_init=10, " if self.cls is KMeans else ""
        return f"{self.cls.__name__}({n_clusters}, {extra}random_state={seed})"

    def make(self, n_clusters: int, seed: int) -> Any:
        """Return the estimator, not fitted."""
        extra = {"n_init": 10} if self.cls is KMeans else {}
        return self.cls(n_clusters, random_state=seed, **extra)


UNCHECKED = {"assume_finite": True, "skip_parameter_validation": True}
"""For scikit-learn's `config_context`, in fits to tables that were checked before: of a fit to a
hundred rows, these checks take half the time."""

METHODS = {
    method.name: method
    for method in (
        Method("k-means", KMeans, 5000, 400),
        Method("SpectralKMeans", umlbook.SpectralKMeans, 5000, 400),
        Method("KernelKMeans", umlbook.KernelKMeans, 1500, 400),
        Method("CPCM", umlbook.CPCM, 2000, 250),
        Method("AML", umlbook.AML, 3000, 250),
        Method("NAML", umlbook.NAML, 400, 80),
        Method("CPDUML", umlbook.CPDUML, 1500, 300),
    )
}


def pair_model(n_clusters: int, seed: int) -> Any:
    """Return the estimator that answers about pairs are given to, not fitted."""
    return umlbook.BentMetric(n_clusters, random_state=seed)


def learned_space(model: Any, X: Floats) -> Floats | None:
    """Return the points where the method sees them; None if it sees them where they are."""
    if isinstance(model, KMeans) or not hasattr(model, "transform"):
        return None
    return np.asarray(model.transform(X), dtype=float)


def feature_weights(model: Any, X: Floats) -> Floats | None:
    """Return the share of each column in a linear metric, in units of its own spread.

    The metric A stretches column j by the square root of its diagonal entry; the share is that
    entry times the variance of the column. None for methods whose metric is not linear.
    """
    if isinstance(model, KMeans):
        diagonal = np.ones(X.shape[1])
    elif hasattr(model, "metric_"):
        diagonal = np.diag(model.metric_)
    elif isinstance(model, umlbook.SpectralKMeans):
        diagonal = np.sum(model.components_**2, axis=1)
    else:
        return None
    shares = diagonal * X.var(axis=0)
    return np.asarray(shares / shares.sum())
