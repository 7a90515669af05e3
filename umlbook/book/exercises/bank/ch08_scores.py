"""Exercises 8.2 and 8.7: the purity that says nothing, and the Rand index by chance."""

import numpy as np
from numpy.typing import NDArray

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    has_shape,
    is_finite,
    is_number,
    is_yes_or_no,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.scores import rand_index

Sizes = NDArray[np.int64]

# --------------------------------------------------------------------- 8.2 the trivial purity

MARGIN = 0.01  # one point
N_METHODS = 5


def _class_sizes(rng: np.random.Generator, n_classes: int, share: float) -> Sizes:
    """Sizes of classes of which one has about the given share, and the others are alike."""
    n = int(rng.integers(200, 600))
    largest = round(share * n)
    others = np.full(n_classes - 1, (n - largest) // (n_classes - 1))
    return rng.permutation(np.append(others, largest))


def purity_cases(rng: np.random.Generator) -> list[Case]:
    """Three data sets at the purity of one cluster and three above it, in a drawn order."""
    kinds = [  # classes, share of the largest, lowest and highest purity above that share
        (2, rng.uniform(0.85, 0.95), 0.000, 0.008),
        (3, rng.uniform(0.60, 0.68), 0.000, 0.008),
        (2, 0.50, 0.001, 0.008),
        (9, rng.uniform(0.12, 0.14), 0.250, 0.300),
        (3, rng.uniform(0.36, 0.42), 0.002, 0.300),
        (2, rng.uniform(0.52, 0.56), 0.300, 0.306),
    ]
    sizes, purities = np.zeros((len(kinds), 9), dtype=int), np.zeros((N_METHODS, len(kinds)))
    for k, (n_classes, share, low, high) in enumerate(kinds):
        sizes[k, :n_classes] = _class_sizes(rng, n_classes, share)
        one_cluster = sizes[k].max() / sizes[k].sum()
        purities[:, k] = one_cluster + rng.permutation(np.linspace(low, high, N_METHODS))
    order = rng.permutation(len(kinds))
    purities, sizes = np.round(purities[:, order], 4), sizes[order]
    return [
        Case("the table in your data", purities=purities, sizes=sizes),
        Case("one method", purities=purities[:1], sizes=sizes),
        Case("one data set", purities=purities[:, :1], sizes=sizes[:1]),
        Case(
            "few points",
            purities=np.array([[0.603, 0.615, 0.509]]),
            sizes=np.array([[3, 2], [3, 2], [5, 5]]),
        ),
    ]


def says_nothing(purities: Array, sizes: Sizes) -> NDArray[np.bool_]:
    """Reference of 8.2."""
    one_cluster = sizes.max(axis=1) / sizes.sum(axis=1)
    return np.asarray(purities.max(axis=0) < one_cluster + 0.01)


def is_judged_by_one_cluster(attempt: Attempt) -> str | None:
    """Each data set is judged by the purity of a single cluster."""
    purities, sizes = attempt.case.purities, attempt.case.sizes
    wrong = np.flatnonzero(attempt.array != says_nothing(purities, sizes))
    if not wrong.size:
        return None
    k = int(wrong[0])
    best = f"the best purity of data set {k} is {purities[:, k].max():.3f}"
    if attempt.array[k]:
        return f"{best}, and you say that doing nothing gets as far"
    return f"{best}, and doing nothing gets within a point of it"


EX_8_2 = Exercise(
    id="8.2",
    title="the purity that says nothing",
    reference=says_nothing,
    cases=purity_cases,
    properties=[
        has_shape(lambda case: (len(case.sizes),)),
        is_yes_or_no,
        is_judged_by_one_cluster,
    ],
    mistakes=[
        Mistake(
            "one over the number of classes",
            "1/K is what one cluster gets when all classes are alike: take the largest class",
            lambda purities, sizes: purities.max(axis=0) < 1 / (sizes > 0).sum(axis=1) + MARGIN,
        ),
        Mistake(
            "low purities",
            "a low purity can say much: with nine classes, 0.4 is far from nothing",
            lambda purities, sizes: purities.max(axis=0) < 0.5,
        ),
        Mistake(
            "the worst method",
            "that the worst method does nothing says nothing of the best: take the largest purity",
            lambda purities, sizes: (
                purities.min(axis=0) < sizes.max(axis=1) / sizes.sum(axis=1) + MARGIN
            ),
        ),
        Mistake(
            "methods that agree",
            "methods may agree because they are all good: compare with one cluster, not with "
            "each other",
            lambda purities, sizes: np.ptp(purities, axis=0) < MARGIN,
        ),
        Mistake(
            "the wrong way round",
            "these are the data sets whose purity says something",
            lambda purities, sizes: ~says_nothing(purities, sizes),
        ),
    ],
    hints=[
        "Put all points into one cluster: what is its purity?",
        "It is the share of the largest class: sizes.max(axis=1) / sizes.sum(axis=1).",
        "Compare it with the best method of the column, purities.max(axis=0).",
    ],
    solution="One cluster has the share of the largest class as its purity, and no method is "
    "needed for it.",
)

# ------------------------------------------------------------------- 8.7 the Rand index by chance


def size_cases(rng: np.random.Generator) -> list[Case]:
    """Sizes of classes and of clusters of the same points; few points, alike, and one cluster."""
    n = int(rng.integers(30, 50))
    # The integers of an index, which multinomial does not give where an index has 32 bits.
    classes = 2 + rng.multinomial(n - 6, [0.6, 0.3, 0.1]).astype(np.intp)
    clusters = 2 + rng.multinomial(n - 8, np.full(4, 0.25)).astype(np.intp)
    return [
        Case("the sizes in your data", classes=classes, clusters=clusters),
        Case("six points", classes=np.array([3, 3]), clusters=np.array([2, 2, 2])),
        Case("ten large classes", classes=np.full(10, 100), clusters=np.full(10, 100)),
        Case("one cluster", classes=np.array([5, 3]), clusters=np.array([8])),
        Case("a cluster for each point", classes=np.array([4, 4]), clusters=np.ones(8, dtype=int)),
    ]


def rand_by_chance(classes: Sizes, clusters: Sizes) -> float:
    """Reference of 8.7."""
    n = classes.sum()
    p = np.sum(classes * (classes - 1)) / (n * (n - 1))
    q = np.sum(clusters * (clusters - 1)) / (n * (n - 1))
    return float(p * q + (1 - p) * (1 - q))


def is_a_share(attempt: Attempt) -> str | None:
    """A Rand index lies between 0 and 1."""
    value = attempt.number
    return None if 0 <= value <= 1 else f"your {value:.3g} is no Rand index: it lies from 0 to 1"


def is_symmetric(attempt: Attempt) -> str | None:
    """Classes and clusters may be exchanged."""
    case = attempt.case
    turned = attempt.again(classes=case.clusters, clusters=case.classes)
    if np.isclose(attempt.number, float(np.asarray(turned).item())):
        return None
    return "exchanging classes and clusters changes your value; the Rand index does not care"


def fits_shuffled_labels(attempt: Attempt) -> str | None:
    """Shuffled labels score it on average."""
    y, c = (np.repeat(np.arange(len(s)), s) for s in (attempt.case.classes, attempt.case.clusters))
    rng = np.random.default_rng(0)
    scores = np.array([rand_index(y, rng.permutation(c)) for _ in range(50)])
    gap, error = attempt.number - scores.mean(), scores.std() / np.sqrt(len(scores))
    if abs(gap) <= 5 * error + 1e-9:
        return None
    side = "less" if gap > 0 else "more"
    return f"shuffled 50 times, labels of these sizes score {side} than your {attempt.number:.3f}"


def _of_shares(classes: Sizes, clusters: Sizes) -> float:
    p, q = (np.sum((s / s.sum()) ** 2) for s in (classes, clusters))
    return float(p * q + (1 - p) * (1 - q))


def _of_equal_classes(classes: Sizes, clusters: Sizes) -> float:
    return 1 - 2 / len(classes) + 2 / len(classes) ** 2


def _together_only(classes: Sizes, clusters: Sizes) -> float:
    n = classes.sum()
    p, q = (np.sum(s * (s - 1)) / (n * (n - 1)) for s in (classes, clusters))
    return float(p * q)


EX_8_7 = Exercise(
    id="8.7",
    title="the Rand index by chance",
    reference=rand_by_chance,
    cases=size_cases,
    properties=[
        is_number,
        is_finite,
        is_a_share,
        is_symmetric,
        fits_shuffled_labels,
        agrees_with(rand_by_chance),
    ],
    mistakes=[
        Mistake(
            "a point paired with itself",
            "the squares of the shares count each point as a pair with itself: among n points "
            "there are n (n - 1) ordered pairs",
            _of_shares,
        ),
        Mistake(
            "classes alike",
            "this is (8.5), for many points in classes and clusters of one size: here the sizes "
            "differ",
            _of_equal_classes,
        ),
        Mistake(
            "together only",
            "pairs that are apart in both partitions count too",
            _together_only,
        ),
        Mistake(
            "chance is zero",
            "zero is the chance level of the adjusted Rand index, made so by taking this one away",
            lambda classes, clusters: 0.0,
        ),
    ],
    hints=[
        "Which share p of all pairs is together in the classes? Which share q in the clusters?",
        "A class of m points has m (m - 1) / 2 pairs.",
        "Shuffled, the two have nothing to do with each other: p q + (1 - p) (1 - q).",
    ],
    solution="A random pair is together in both with probability p q, apart in both with "
    "(1 - p)(1 - q); the shares p and q follow from the sizes.",
)
