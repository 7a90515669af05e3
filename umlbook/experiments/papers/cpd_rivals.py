"""The methods beside which the CPD-UML paper sets its own: AML, RPCA-OM, FME, NAML, kernel forms.

The paper searched the parameters of each "within the same range as in their publications", which
give none for these data; the grids here are ours. All start from the same k-means labels, and the
kernel forms work on the leading 20 kernel PCA coordinates, as our kernel CPD-UML does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from umlbook.algebra import Array, Labels, cluster_means, nearest_center
from umlbook.aml import AML
from umlbook.kernels import kernel_pca, median_width, rbf
from umlbook.lloyd import lloyd_steps, settled
from umlbook.naml import NAML
from umlbook.rivals import FME, RPCAOM

METRIC_LAMS = (1e-4, 1e-2, 1.0)
KERNEL_LAMS = (1e-4, 1e-2)
FME_WEIGHTS = (1e-2, 1.0, 1e2)
WIDTHS = (0.5, 1.0, 2.0)  # times the median distance
N_COMPONENTS = 20


@dataclass(frozen=True)
class Labelling:
    """Labels that one fit gives to the seen and to the unseen points."""

    method: str
    seen: Labels
    unseen: Labels


def rival_fits(seen: Array, unseen: Array, start: Labels, n_clusters: int) -> Iterator[Labelling]:
    """Every rival with every one of its parameters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the best of a grid is picked anyway
        for lam in METRIC_LAMS:
            aml = AML(n_clusters, lam=lam, init=start).fit(seen)
            yield Labelling("AML", aml.labels_, aml.predict(unseen))
        for lam in KERNEL_LAMS:
            naml = NAML(n_clusters, lam=lam, init=start, max_iter=10).fit(seen)
            yield Labelling("NAML", naml.labels_, naml.predict(unseen))
        views = {"": (seen, unseen)} | {
            f"kernel {width}": kernel_view(seen, unseen, width) for width in WIDTHS
        }
        for view, (old, new) in views.items():
            for name, model in embeddings(old.shape[1], n_clusters):
                placed = model.fit(old)
                method = f"kernel {name}" if view else name
                yield clustered(method, placed.transform(old), placed.transform(new), start)


def kernel_view(seen: Array, unseen: Array, width: float) -> tuple[Array, Array]:
    """Kernel PCA coordinates of both, for a Gaussian of so many median distances."""
    return kernel_coordinates(seen, unseen, width * median_width(seen))


def kernel_coordinates(seen: Array, unseen: Array, sigma: float) -> tuple[Array, Array]:
    """The leading kernel PCA coordinates of both, for a Gaussian of this width."""
    found = kernel_pca(rbf(seen, sigma=sigma), N_COMPONENTS)
    return found.coordinates, found.at(rbf(unseen, seen, sigma=sigma))


def embeddings(n_features: int, n_clusters: int) -> Iterator[tuple[str, Any]]:
    """The rivals that only place the points: k-means follows."""
    for p in sorted({min(p, n_features) for p in (n_clusters - 1, n_clusters, 2 * n_clusters)}):
        yield "RPCA-OM", RPCAOM(p)
    for mu, gamma in product(FME_WEIGHTS, FME_WEIGHTS):
        yield "FME", FME(min(n_clusters, n_features), mu=mu, gamma=gamma)


def clustered(name: str, seen: Array, unseen: Array, start: Labels) -> Labelling:
    """K-means on the placed points from the common start; new points go to the nearest mean."""
    n_clusters = int(start.max()) + 1
    labels = settled(lloyd_steps(seen, start, n_clusters)).labels
    centers = cluster_means(seen, labels, n_clusters)
    return Labelling(name, labels, nearest_center(unseen, centers))
