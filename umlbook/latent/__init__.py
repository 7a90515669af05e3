r"""Latent-class pairs: what the pairs of PM teach when classes, not distances, are learned.

PM calls a pair the same when its learned distance is below a threshold. That is not transitive,
does not know K, and can be certain of everything by calling all pairs the same. Here a sample has
a class, with probabilities :math:`r_i = \operatorname{softmax}(B^\top p_i + b)`, and a pair is the
same with probability :math:`r_i^\top r_j`. The method is this book's own (class
`LatentClassPairs`), so the equations are those of chapter 13.

=============  =====================================================  =============
file           what it holds                                          equations
=============  =====================================================  =============
``blocks``     the coordinates p, from `umlbook.coordinates`: a       13.9 to 13.11
               kernel, a neighbourhood graph, their extension
``steps``      classes, pairs, the objective and its gradient, the    13.1, 13.2,
               starts, the descent                                    13.5 to 13.7
``estimator``  `LatentClassPairs`, with ``predict_proba`` and         13.1, 13.2
               ``pair_probability`` for new samples
=============  =====================================================  =============

======  ==============================================  ==========
symbol  name in code                                    shape
======  ==============================================  ==========
p_i     ``P[i]``, coordinates of sample i               k
B, b    ``coef``, ``intercept``                         k x K, K
r_i     ``responsibilities[i]``, pi_i in chapter 7      K
m       ``n_pairs``, pairs of both kinds                number
======  ==============================================  ==========
"""

from umlbook.coordinates import Coordinates, coordinates
from umlbook.latent.estimator import LatentClassPairs
from umlbook.latent.steps import (
    LatentProblem,
    LatentStep,
    latent_steps,
    log_responsibilities,
    objective,
    pair_likelihood,
    pair_terms,
    same_class,
    split,
    spread,
    start_at,
    starts,
    uncertainty,
)

__all__ = [
    "Coordinates",
    "LatentClassPairs",
    "LatentProblem",
    "LatentStep",
    "coordinates",
    "latent_steps",
    "log_responsibilities",
    "objective",
    "pair_likelihood",
    "pair_terms",
    "same_class",
    "split",
    "spread",
    "start_at",
    "starts",
    "uncertainty",
]
