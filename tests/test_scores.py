"""The scores against their definitions: permutations, loops over pairs, entropies."""

import itertools
from collections import Counter
from math import comb, log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from umlbook import scores

SCORES = [
    scores.clustering_accuracy,
    scores.purity,
    scores.variation_of_information,
    scores.modified_rand,
]
each_score = pytest.mark.parametrize("score", SCORES, ids=lambda f: f.__name__)


def labellings(how_many, max_clusters=4, max_samples=10):
    """Tuples of label lists of one common length."""
    return st.integers(1, max_samples).flatmap(
        lambda n: st.tuples(
            *[st.lists(st.integers(0, max_clusters - 1), min_size=n, max_size=n)] * how_many
        )
    )


def partition(labels):
    return {frozenset(np.flatnonzero(np.array(labels) == v).tolist()) for v in set(labels)}


def best_permutation_accuracy(true, pred):
    """Try every one-to-one map of clusters to classes; padding leaves clusters without a class."""
    clusters = sorted(set(pred))
    names = [*sorted(set(true)), *[None] * len(clusters)]
    hits = (
        sum(
            t == dict(zip(clusters, chosen, strict=True))[p]
            for t, p in zip(true, pred, strict=True)
        )
        for chosen in set(itertools.permutations(names, len(clusters)))
    )
    return max(hits) / len(true)


def majority_purity(true, pred):
    groups = [[t for t, p in zip(true, pred, strict=True) if p == cluster] for cluster in set(pred)]
    return sum(max(Counter(group).values()) for group in groups) / len(true)


def entropy(labels):
    return -sum(c / len(labels) * log(c / len(labels)) for c in Counter(labels).values())


def conditional_entropy(labels, given_labels):
    return entropy(list(zip(labels, given_labels, strict=True))) - entropy(given_labels)


def pair_loop_modified_rand(true, pred):
    """Eq. 33 of PM by a loop over pairs, an empty term replaced by its share of all pairs."""
    pairs = [
        (true[i] == true[j], pred[i] == pred[j])
        for i, j in itertools.combinations(range(len(true)), 2)
    ]
    if partition(true) == partition(pred):
        return 1.0
    same = [t for t, p in pairs if p] or [t for t, _ in pairs]
    different = [not t for t, p in pairs if not p] or [not t for t, _ in pairs]
    return 0.5 * np.mean(same) + 0.5 * np.mean(different)


@given(labellings(2, max_clusters=4, max_samples=8))
def test_accuracy_is_the_best_of_all_one_to_one_namings(pair):
    assert scores.clustering_accuracy(*pair) == pytest.approx(best_permutation_accuracy(*pair))


@given(labellings(2))
def test_purity_is_the_share_of_the_majority_classes(pair):
    assert scores.purity(*pair) == pytest.approx(majority_purity(*pair))


@given(labellings(2))
def test_variation_of_information_is_the_sum_of_the_conditional_entropies(pair):
    true, pred = pair
    expected = conditional_entropy(true, pred) + conditional_entropy(pred, true)
    assert scores.variation_of_information(true, pred) == pytest.approx(expected, abs=1e-12)


@given(labellings(2))
def test_modified_rand_is_eq_33_of_pm(pair):
    assert scores.modified_rand(*pair) == pytest.approx(pair_loop_modified_rand(*pair))


@given(labellings(2), st.permutations(range(4)), st.permutations("abcd"))
def test_scores_see_only_the_partitions(pair, names_true, names_pred):
    true, pred = pair
    renamed = [names_true[t] for t in true], [names_pred[p] for p in pred]
    for score in SCORES:
        assert score(*renamed) == pytest.approx(score(true, pred), abs=1e-12)


@given(labellings(2))
def test_scores_keep_their_bounds_and_their_best_value_means_equal_partitions(pair):
    n, equal = len(pair[0]), partition(pair[0]) == partition(pair[1])
    accuracy, rand = scores.clustering_accuracy(*pair), scores.modified_rand(*pair)
    information = scores.variation_of_information(*pair)
    assert 0 < accuracy <= scores.purity(*pair) <= 1
    assert (accuracy == 1) == equal
    assert 0 <= rand <= 1
    assert (rand == 1) == equal
    assert 0 <= information <= log(n)
    assert (information == 0) == equal


@given(labellings(2))
def test_accuracy_and_variation_of_information_are_symmetric(pair):
    for score in (scores.clustering_accuracy, scores.variation_of_information):
        assert score(*pair) == pytest.approx(score(*reversed(pair)), abs=1e-12)


@given(labellings(3))
def test_variation_of_information_keeps_the_triangle_inequality(triple):
    a, b, c = triple
    vi = scores.variation_of_information
    assert vi(a, c) <= vi(a, b) + vi(b, c) + 1e-12


@given(labellings(2))
def test_normalized_variation_of_information_divides_by_log_n(pair):
    assume(len(pair[0]) > 1)
    plain = scores.variation_of_information(*pair)
    normalized = scores.variation_of_information(*pair, normalize=True)
    assert normalized == pytest.approx(plain / log(len(pair[0])))


@given(labellings(2), st.integers(0, 9))
def test_splitting_a_cluster_never_lowers_the_purity(pair, at):
    true, pred = pair
    split = [-1 if i == at else p for i, p in enumerate(pred)]
    assert scores.purity(true, split) >= scores.purity(true, pred)


def test_a_single_sample_is_clustered_perfectly():
    assert [score(["x"], [3]) for score in SCORES] == [1, 1, 0, 1]
    assert scores.variation_of_information([0], [1], normalize=True) == 0


def test_modified_rand_conditions_on_the_predicted_partition():
    a, b = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    assert scores.modified_rand(a, b) == pytest.approx(0.5 * 4 / 7 + 0.5 * 6 / 8)
    assert scores.modified_rand(b, a) == pytest.approx(0.5 * 4 / 6 + 0.5 * 6 / 9)


@pytest.mark.parametrize("true", [[0, 0, 0, 0, 1, 2], [0, 0, 0, 1, 1, 1]])
@pytest.mark.parametrize("trivial", [[0] * 6, list(range(6))])
def test_modified_rand_of_a_trivial_prediction_is_the_chance_level(true, trivial):
    assert scores.modified_rand(true, trivial) == 0.5
    assert scores.modified_rand(trivial, trivial) == 1.0


def test_modified_rand_of_independent_labels_is_near_the_chance_level_where_rand_is_not():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 10, (2, 20_000))
    assert scores.modified_rand(true, pred) == pytest.approx(0.5, abs=0.005)
    assert scores.rand_index(true, pred) == pytest.approx(1 - 2 / 10 + 2 / 100, abs=0.005)


def test_pairs_of_a_million_samples_are_counted_exactly():
    half = 500_000
    true = np.repeat([0, 1], half).astype(np.int8)
    pred = true.copy()
    pred[0] = 1  # a cluster of half - 1 of class 0, and one of half of class 1 with an intruder
    joined = comb(half - 1, 2) + comb(half + 1, 2)
    parted = (half - 1) * (half + 1)
    expected = 0.5 * (joined - half) / joined + 0.5 * (parted - (half - 1)) / parted
    assert scores.modified_rand(true, pred) == pytest.approx(expected, rel=1e-14)


def test_many_clusters_need_no_dense_table():
    singletons = np.arange(200_000)
    assert scores.modified_rand(singletons, singletons[::-1]) == 1
    assert scores.purity(singletons, singletons) == 1
    assert scores.variation_of_information(singletons, singletons // 2) == pytest.approx(log(2))


def test_rounding_does_not_lift_the_variation_of_information_above_its_bound():
    singletons = np.arange(1_000_000)
    largest = scores.variation_of_information(singletons // 1_000_000, singletons, normalize=True)
    assert 1 - 1e-12 < largest <= 1


@each_score
def test_labels_of_any_type_are_compared_by_equality(score):
    true, pred = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    expected = score(true, pred)
    mixed = [{0: 1, 1: "1", 2: 2.5}[p] for p in pred]
    assert score(np.array(list("aabbcc")), mixed) == expected
    assert score(tuple(true), np.array(pred, dtype=float)) == expected
    assert score(true, np.array(mixed, dtype=object)) == expected
    assert score(np.array(true, dtype="datetime64[D]"), pred) == expected


def test_label_codes_are_integers_from_zero_without_gaps():
    assert scores.label_codes(np.array([7, -1, 7, 3])).tolist() == [2, 0, 2, 1]
    assert scores.label_codes([True, False, True]).tolist() == [1, 0, 1]


def test_different_numbers_of_clusters_leave_samples_without_a_name():
    assert scores.clustering_accuracy([0, 0, 0, 1], [0, 0, 1, 2]) == 0.75
    assert scores.clustering_accuracy([0, 0, 1, 2], [0, 0, 0, 0]) == 0.5


@each_score
@pytest.mark.parametrize(
    ("true", "pred", "error", "message"),
    [
        ([0, 1], [0, 1, 1], ValueError, "labels_true has 2 labels but labels_pred has 3"),
        ([], [], ValueError, "labels_true must be .* got none"),
        ([0, 1], [[0], [1]], ValueError, r"labels_pred must be one-dimensional.*\(2, 1\)"),
        ([0, 1], [[0], [1, 2]], ValueError, "labels_pred .* unequal lengths"),
        ("ab", [0, 1], ValueError, r"labels_true must be .* shape \(\)"),
        ([0, 1], [0, np.nan], ValueError, r"labels_pred has a missing value \(nan\) at position 1"),
        (["a", np.nan], [0, 1], ValueError, r"labels_true has a missing value \(nan\) at pos.* 1"),
        ([None, "a"], [0, 1], ValueError, r"labels_true has a missing value \(None\) at pos.* 0"),
        (np.array([{}, 1]), [0, 1], TypeError, "labels_true must hold plain numbers or strings"),
    ],
)
def test_unusable_labels_are_refused_by_name(score, true, pred, error, message):
    with pytest.raises(error, match=message):
        score(true, pred)


@given(labellings(2))
def test_normalized_mutual_information_divides_by_the_arithmetic_mean_as_in_eq_36_of_naml(pair):
    true, pred = pair
    total = entropy(true) + entropy(pred)
    assume(total > 0)
    mutual = entropy(true) - conditional_entropy(true, pred)
    nmi = scores.normalized_mutual_information(true, pred)
    assert nmi == pytest.approx(2 * mutual / total, abs=1e-9)


def test_the_papers_other_scores_are_those_of_scikit_learn():
    assert scores.rand_index is metrics.rand_score
    assert scores.adjusted_rand_index is metrics.adjusted_rand_score
    # Example of PM's Eq. 32: 4 pairs joined in both, 6 separated in both, of 15.
    assert scores.rand_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]) == pytest.approx(10 / 15)
