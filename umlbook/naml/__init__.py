r"""NAML: clusters, a projection in feature space, and the kernel itself, learned together.

.. math:: \max_{Q, L, w}\ \operatorname{tr}\big(L'GQ\,(Q'(GG + \lambda G)Q)^{+}\,Q'GL\big), \qquad
          G = \sum_i w_i \hat G_i, \quad w \ge 0, \quad \sum_i w_i = 1

with centred kernels :math:`\hat G_i` of trace one and L'L = I. A pass chooses the weights w for
the present L (the G step), then Q, then L; each raises the same objective.

=========  ============================================================  ==========
symbol     name in code                                                  shape
=========  ============================================================  ==========
G_i hat    the kernels of ``bank``; r_i the traces before scaling        n x n
w          ``weights``; theta_i = w_i / r_i is ``theta_``                p
A          I + G / lambda                                                n x n
H          G (G + lambda)^-1 = I - A^-1                                  n x n
Q          ``Q``, with GQ = L (but for a constant column)                n x l
L          ``L``, relaxed indicator                                      n x K
=========  ============================================================  ==========

Beside the paper: every kernel is scaled to trace one, the first too; Q is computed after G, not
before it, without which the objective can decrease; the last column of L, which the paper leaves
to chance, is chosen by a rule (``l_step``); and one start is the equal mixture of the kernels, as
the joint problem has local maxima at single kernels.

==================  =========================================  ================================
file                what it holds                              in the paper
==================  =========================================  ================================
``weights.py``      the G step: F_2, Newton on the simplex     Eqs. 25 to 28
``qcqp.py``         the G step as a QCQP, for comparison       Theorem 3.3, Eq. 29
``steps.py``        the passes: G, then Q, then L              Eqs. 15, 16, 18 to 24, Thm 3.2
``laplacian.py``    the Laplacian of a graph as a kernel       Eqs. 30 to 33, Proposition 3.1
``estimator.py``    NAML for users: kernels, starts, new rows  Eqs. 13, 14, Algorithm NAML
==================  =========================================  ================================

The bank of centred kernels (Eq. 17) is in :mod:`umlbook.kernels`, linear AML (Eqs. 1 to 8 and 12)
in :mod:`umlbook.aml`, the indicator (Eqs. 9 to 11) and Ky Fan's theorem (3.1) are in
:mod:`umlbook.algebra`, the scores (Eqs. 34 to 36) in :mod:`umlbook.scores`.
"""

from umlbook.algebra import top_eigenvectors
from umlbook.naml.estimator import NAML
from umlbook.naml.laplacian import laplacian_kernel
from umlbook.naml.qcqp import QCQPSolution, qcqp_weights
from umlbook.naml.steps import NAMLStep, Start, naml_steps
from umlbook.naml.weights import KernelWeights, WeightStep, kernel_weights, weight_steps

__all__ = [
    "NAML",
    "KernelWeights",
    "NAMLStep",
    "QCQPSolution",
    "Start",
    "WeightStep",
    "kernel_weights",
    "laplacian_kernel",
    "naml_steps",
    "qcqp_weights",
    "top_eigenvectors",
    "weight_steps",
]
