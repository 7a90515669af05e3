r"""This is PM, the paper's probabilistic metric (class `ProbabilisticMetric`), solved by DAEM.

A pair is the same with probability :math:`P_{ij} = 1/(1 + e^{t_{ij}})`, where
:math:`t_{ij} = \theta^\top v_{ij} - \mu` is its squared learned distance less a threshold.
Labelled pairs S (must link) and D (cannot link) are fitted by maximum likelihood. Unlabelled pairs
U are asked to be certain, the more so the closer lam is to 1: deterministic annealing EM (DAEM)
raises it from 0 in steps and runs EM at each.

===============  ====================================================  =======================
file             what it holds                                         equations of the paper
===============  ====================================================  =======================
``coordinates``  eigenvectors of the correlation matrix or the         20 to 25, 31
                 kernel; the width of the kernel
``steps``        P(same), the entropies, the cost, the E and the       5 to 7, 10 to 14, 16,
                 M step, the schedule of lam, the algorithm            26, 28 to 30, Alg. 1
``solver``       squared differences of pairs, the convex cost of      17, 27, 30
                 the M step, and Newton's method for it
``estimator``    `ProbabilisticMetric`: kernel, metric, predictions    8, 9, 15, 18, 19
===============  ====================================================  =======================

Eqs. 1 to 4 are other methods (`umlbook.rivals`), 32 and 33 are scores (`umlbook.scores`). What the
book adds: the entropy that EM descends is ``tempered_entropy`` in ``steps``, sums over all pairs
as a Laplacian are ``AllPairs`` in ``solver``.

=========  =====================================================  ==========
symbol     name in code                                           shape
=========  =====================================================  ==========
p_l        ``P[:, l]``, coordinate l of every sample              n x k
theta, mu  ``theta``, ``mu``; Delta is both in one vector         k, number
t_ij       ``t`` or ``margins``, one for each pair i < j          n(n-1)/2
Q_ij       ``posterior``, belief that a pair is the same          n(n-1)/2
lam        ``lam``; the temperature is 1 - lam                    number
=========  =====================================================  ==========

The paper prints t with the wrong sign, and an entropy that its algorithm does not descend. Here P
decreases with the distance, and both entropies are available.
"""

from umlbook.daem.coordinates import correlation_basis, kernel_basis, mean_squared_distance
from umlbook.daem.estimator import ProbabilisticMetric
from umlbook.daem.solver import AllPairs, ListedPairs, Minimum, PairCost, projected_newton, softplus
from umlbook.daem.steps import (
    DAEMStep,
    PairProblem,
    Pairs,
    daem_steps,
    e_step,
    labelled_only,
    m_step,
    objective,
    pair_numbers,
    same_probability,
    schedule,
    shannon_entropy,
    tempered_entropy,
    weighted_pairs,
)

__all__ = [
    "AllPairs",
    "DAEMStep",
    "ListedPairs",
    "Minimum",
    "PairCost",
    "PairProblem",
    "Pairs",
    "ProbabilisticMetric",
    "correlation_basis",
    "daem_steps",
    "e_step",
    "kernel_basis",
    "labelled_only",
    "m_step",
    "mean_squared_distance",
    "objective",
    "pair_numbers",
    "projected_newton",
    "same_probability",
    "schedule",
    "shannon_entropy",
    "softplus",
    "tempered_entropy",
    "weighted_pairs",
]
