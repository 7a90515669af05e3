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

=================  ==============================================  =============================
file               what it holds                                   in the paper
=================  ==============================================  =============================
``field.py``       the field, J, its gradient, its minimiser       Eqs. 1, 4, 11, 13 to 22
``steps.py``       field and labels in turn; the two Y steps       Algorithm 1, Eq. 12
``estimator.py``   CPDUML for users: kernel, landmarks, new rows   Eq. 3, Sec. 2.4
``cut.py``         the normalised cut of a neighbour graph         not in the paper
``selection.py``   sigma and lam by that cut, and the control      not in the paper
=================  ==============================================  =============================

The kernel G (Eq. 5) is in :mod:`umlbook.kernels`, the indicator Y (Eq. 9) and the k-means
objective (Eq. 2, in other forms Eqs. 6 to 8 and 10) are in :mod:`umlbook.algebra`; Eqs. 14, 21 and
22 are J written out, and ``objective`` in ``field.py`` is J.
"""

from umlbook.cpd.cut import neighbor_graph, normalized_cut
from umlbook.cpd.estimator import CPDUML
from umlbook.cpd.field import deformation, deviations, gradient, objective, roughness, velocity
from umlbook.cpd.selection import Candidate, Selection, lam_path, no_move, select
from umlbook.cpd.steps import CPDStep, cpd_steps, kmeans_labels, lloyd_labels, spectral_labels

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
