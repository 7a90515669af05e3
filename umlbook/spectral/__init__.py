r"""K-means relaxed, and k-means in feature space.

``SpectralKMeans`` maximises tr(Y'XX'Y) over all orthonormal Y (Ky Fan) and rounds the answer to an
indicator (Zha, He, Ding, Simon and Gu 2001). ``KernelKMeans`` is Lloyd's algorithm run on a kernel
matrix: no feature vector is ever formed.

=========  ==============================================  ==========
symbol     name in code                                    shape
=========  ==============================================  ==========
V          ``embedding``, top left singular vectors of X   n x K
K          ``kernel``, the kernel matrix                   n x n
M          ``center_weights``, one-hot columns / n_c       n x K
=========  ==============================================  ==========

=================  ======================================  ==============
file               what it holds                           in chapter 2
=================  ======================================  ==============
``relaxation.py``  ``SpectralKMeans``                      (2.6)
``kernel.py``      ``KernelKMeans``, its steps and starts  (2.9)
=================  ======================================  ==============

Ky Fan's theorem and the singular vectors are in :mod:`umlbook.algebra`.
"""

from umlbook.algebra import spectral_embedding
from umlbook.spectral.kernel import (
    KernelKMeans,
    KernelStep,
    center_distances,
    kernel_kmeans_steps,
    kernel_plus_plus_labels,
)
from umlbook.spectral.relaxation import SpectralKMeans

__all__ = [
    "KernelKMeans",
    "KernelStep",
    "SpectralKMeans",
    "center_distances",
    "kernel_kmeans_steps",
    "kernel_plus_plus_labels",
    "spectral_embedding",
]
