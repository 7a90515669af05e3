"""Unsupervised and constrained metric learning for clustering: every equation has been run.

============  =======================================================  ========
room          what it holds                                            chapter
============  =======================================================  ========
``algebra``   indicators, scatter, Ky Fan; ``lloyd``: k-means steps    1, 2
``spectral``  k-means relaxed, and k-means with a kernel               2
``cpcm``      CPCM: the blur ratio, clusters that can be predicted     3
``aml``       AML: the linear half of the NAML paper                   4
``naml``      NAML: the kernel is learned; banks are in ``kernels``    5
``cpd``       CPD-UML: a smooth deformation of space                   6
``daem``      PM: a probabilistic metric, `ProbabilisticMetric`        7
``latent``    latent-class pairs; pairs are in ``constraints``        13
``pairs``     metric, graph, metric; see ``coordinates``, ``itml``     11
``asking``    questions about pairs, and pairs as judges               12
``rivals``    the methods that the papers compare with                 rivals
``scores``    accuracy, NMI, Rand indices; tables are in ``datasets``  8
============  =======================================================  ========

The first lines of each say which equation of its paper is where. ``book`` is what the pages show,
``experiments`` computes the papers' tables, ``tools`` is the command line.

Estimators are loaded on first use, so that ``import umlbook`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from umlbook.aml import AML
    from umlbook.coordinates import BentCoordinates
    from umlbook.cpcm import CPCM
    from umlbook.cpd import CPDUML
    from umlbook.daem import ProbabilisticMetric
    from umlbook.latent import LatentClassPairs
    from umlbook.naml import NAML
    from umlbook.pairs import BentMetric
    from umlbook.spectral import KernelKMeans, SpectralKMeans

_HOME = {
    "AML": "aml",
    "BentCoordinates": "coordinates",
    "BentMetric": "pairs",
    "CPCM": "cpcm",
    "CPDUML": "cpd",
    "KernelKMeans": "spectral",
    "LatentClassPairs": "latent",
    "NAML": "naml",
    "ProbabilisticMetric": "daem",
    "SpectralKMeans": "spectral",
}
_MODULES = {*_HOME.values(), "algebra", "asking", "constraints", "datasets", "itml", "kernels"}
_MODULES |= {"rivals", "scores"}

__all__ = [
    "AML",
    "CPCM",
    "CPDUML",
    "NAML",
    "BentCoordinates",
    "BentMetric",
    "KernelKMeans",
    "LatentClassPairs",
    "ProbabilisticMetric",
    "SpectralKMeans",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"umlbook.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"umlbook.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("umlbook")
    raise AttributeError(f"module 'umlbook' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__"})
