r"""Learning from pairs: metric, graph, metric.

A neighbour graph of the features as they come can lose a direction of small variance, even if it
is the one that tells the classes apart. A Mahalanobis metric, learned from pairs, finds that
direction, and cannot bend. So the graph is built in the learned metric, and a second metric is
learned in the coordinates of the graph. The method is this book's own (class `BentMetric`), so the
equations are those of chapter 11.

=============  ==============================================  =================
symbol  name in code                                    shape
======  ==============================================  =================
A       ``space.first``, the metric of the features     d x d
s       ``strength`` of the first metric                number
T       ``metric`` stage: X A^(s/2)                     n x d
P       ``coordinates`` stage: the coordinates of T     n x k
M       ``space.second``, the metric of P               k x k
p~      ``metric again`` stage: P M^(1/2)               n x k
e       ``noise``, share of pairs that are wrong        number
======  ==============================================  =================
"""

from umlbook.pairs.choosing import (
    Choice,
    agreement,
    agreements,
    choice,
    doubtful,
    folds,
    left_out_votes,
    ways,
    wrong_if_contradicted,
)
from umlbook.pairs.estimator import BentMetric
from umlbook.pairs.steps import (
    BentSpace,
    LearnedMetric,
    PairStep,
    PairTask,
    Way,
    bent_spaces,
    bent_steps,
    learned_metric,
)

__all__ = [
    "BentMetric",
    "BentSpace",
    "Choice",
    "LearnedMetric",
    "PairStep",
    "PairTask",
    "Way",
    "agreement",
    "agreements",
    "bent_spaces",
    "bent_steps",
    "choice",
    "doubtful",
    "folds",
    "learned_metric",
    "left_out_votes",
    "ways",
    "wrong_if_contradicted",
]
