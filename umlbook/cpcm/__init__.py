r"""CPCM: clusters that can be predicted, and the blur ratio that they make small.

The blur ratio of labels c under a metric A is the within-cluster share of the scatter,
:math:`BR(A, c) = \operatorname{tr}(S_c A) / \operatorname{tr}(S_m A)`. CPCM predicts the cluster
memberships from the data and clusters the predictions, in turn.

=========  ===================================================  ==========
symbol     name in code                                         shape
=========  ===================================================  ==========
X          ``X``, rows are samples                              n x p
Z          ``one_hot(labels)``, memberships                     n x K
Z hat      ``predictions``                                      n x q
theta      ``centers``, cluster means of the predictions        K x q
beta       ``coef_``: predictions = intercept_ + X beta         p x q
A          ``metric_`` = beta beta'                             p x p
=========  ===================================================  ==========

q is K for regressions and min(K - 1, rank of X) for discriminant coordinates.

==================  ==========================================  ===============================
file                what it holds                               in the paper
==================  ==========================================  ===============================
``blur.py``         the blur ratio, its closed forms            Sec. 2 and the values in 3.1
``predictors.py``   memberships predicted from the data         Secs. 3.1, 3.3, 4.1 and 5.1
``blocks.py``       least squares on rows read block by block   not in the paper
``steps.py``        predict, cluster, and again                 Algorithm 1, Property 2
``starts.py``       k-means, on a line too, where runs start    not in the paper
``choice.py``       Wilks' lambda chooses among the ends        not in the paper
``estimator.py``    CPCM for users: restarts and their choice   Algorithm 1, Definition 1
==================  ==========================================  ===============================

A new row joins the nearest mean of the predictions (Sec. 3.1): ``predict`` in ``estimator.py``.
"""

from umlbook.cpcm.blur import (
    blur_ratio,
    canonical_correlations,
    lda_blur_ratio,
    lda_within_blur_ratio,
    least_squares_blur_ratio,
    rank_one_blur_ratio,
    simplex_coefficients,
    smoother_blur_ratio,
)
from umlbook.cpcm.choice import explained_by_chance, log_wilks
from umlbook.cpcm.estimator import CPCM
from umlbook.cpcm.starts import invariant_coordinates, one_dimensional_labels
from umlbook.cpcm.steps import CPCMStep, cpcm_steps

__all__ = [
    "CPCM",
    "CPCMStep",
    "blur_ratio",
    "canonical_correlations",
    "cpcm_steps",
    "explained_by_chance",
    "invariant_coordinates",
    "lda_blur_ratio",
    "lda_within_blur_ratio",
    "least_squares_blur_ratio",
    "log_wilks",
    "one_dimensional_labels",
    "rank_one_blur_ratio",
    "simplex_coefficients",
    "smoother_blur_ratio",
]
