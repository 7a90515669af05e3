"""Pairwise constraints against brute force: boolean closure, enumeration of all pairs."""

import itertools
from math import comb, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from umlbook import constraints
from umlbook.constraints import Satisfaction

N = 7


def pair_lists(n=N, max_size=6):
    different = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(
        lambda p: p[0] != p[1]
    )
    return st.lists(different, max_size=max_size)


def as_set(pairs):
    return {(int(i), int(j)) for i, j in pairs}


def ordered(pairs):
    return {(min(p), max(p)) for p in pairs}


def reachable(must, n=N):
    """Transitive closure of the must-links by Warshall's triple loop."""
    together = np.eye(n, dtype=bool)
    for i, j in must:
        together[i, j] = together[j, i] = True
    for k, i, j in itertools.product(range(n), repeat=3):
        together[i, j] |= together[i, k] and together[k, j]
    return together


def entailed(must, cannot, n=N):
    """Both closures by definition, over all pairs."""
    together = reachable(must, n)
    all_pairs = list(itertools.combinations(range(n), 2))
    apart = {
        (i, j)
        for i, j in all_pairs
        for a, b in [*cannot, *[pair[::-1] for pair in cannot]]
        if together[i, a] and together[b, j]
    }
    return {(i, j) for i, j in all_pairs if together[i, j]}, apart


def is_canonical(pairs):
    rows = pairs.tolist()
    return (
        pairs.shape == (len(rows), 2)
        and pairs.dtype == np.intp
        and all(i < j for i, j in rows)
        and all(a < b for a, b in itertools.pairwise(rows))
    )


def assert_frequencies(counts, weights):
    """Chi-square test; a right sampler fails it for one choice of seeds in a thousand."""
    expected = np.sum(counts) * weights / weights.sum()
    assert chisquare(counts, expected).pvalue > 0.001


@given(pair_lists())
def test_validated_pairs_are_the_same_set_in_canonical_form(pairs):
    valid = constraints.validate_pairs(pairs, N)
    assert is_canonical(valid)
    assert as_set(valid) == ordered(pairs)


@pytest.mark.parametrize("nothing", [None, [], (), np.empty((0, 2)), np.empty((0, 2), dtype=int)])
def test_no_pairs_are_an_array_of_no_rows(nothing):
    assert is_canonical(constraints.validate_pairs(nothing, 3))
    assert is_canonical(constraints.restrict(nothing, [0, 1]))
    assert all(is_canonical(p) for p in constraints.close(nothing, nothing, 3))


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64])
def test_whole_numbers_of_any_type_are_row_numbers(dtype):
    given_pairs = np.array([[2, 0], [1, 2]], dtype=dtype)
    assert constraints.validate_pairs(given_pairs, 3).tolist() == [[0, 2], [1, 2]]
    assert given_pairs.tolist() == [[2, 0], [1, 2]]


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([[0, 1.5]], ValueError, "must_link .* 1.5 is not a whole number"),
        ([[0, np.nan]], ValueError, "nan is not a whole number"),
        ([[0, np.inf]], ValueError, "inf is not a whole number"),
        ([[0, 1e300]], ValueError, "larger than any row number"),
        ([[True, False]], TypeError, "must_link must be an integer array .* type bool"),
        ([["a", "b"]], TypeError, "must be an integer array"),
        (
            [[0, 1], [2, 2]],
            ValueError,
            r"must_link pairs sample 2 with itself \(row 1 of must_link",
        ),
        ([[0, 1], [2, -1]], ValueError, "must_link .* -1 is negative"),
        ([0, 1], ValueError, r"shape \(n_pairs, 2\).* got the shape \(2,\)"),
        ([[0, 1, 2], [1, 2, 3]], ValueError, r"got the shape \(2, 3\): transpose it"),
        (np.empty((0, 3)), ValueError, r"got the shape \(0, 3\)"),
        ([[0, 1], [2]], ValueError, "rows of unequal lengths"),
    ],
)
def test_unusable_pairs_are_refused_with_the_reason(pairs, error, message):
    with pytest.raises(error, match=message):
        constraints.validate_pairs(pairs, 5)
    with pytest.raises(error, match=message.replace("must_link", "pairs")):
        constraints.restrict(pairs, [0, 1, 2])


def test_an_index_out_of_range_says_that_cross_validation_does_not_slice_pairs():
    with pytest.raises(ValueError) as caught:
        constraints.validate_pairs([[3, 178], [0, 1]], 120)
    assert str(caught.value) == (
        "must_link has index 178 but X has 120 rows: index pairs are not sliced by "
        "cross-validation; use umlbook.constraints.restrict(pairs, train_index)"
    )
    with pytest.raises(ValueError, match="cannot_link has index 3 but X has 3 rows"):
        constraints.check_constraints(None, [[0, 3]], 3)
    assert constraints.validate_pairs([[0, 2]], 3).tolist() == [[0, 2]]


@pytest.mark.parametrize(("n", "error"), [(-1, ValueError), (2.5, TypeError)])
def test_n_samples_must_be_a_count(n, error):
    with pytest.raises(error, match="n_samples must"):
        constraints.validate_pairs(None, n)


@given(pair_lists(), pair_lists())
def test_constraints_are_refused_exactly_when_the_closure_contradicts_them(must, cannot):
    together = reachable(must)
    if any(together[i, j] for i, j in cannot):
        with pytest.raises(ValueError, match=r"cannot_link pair \(\d, \d\).* contradicts"):
            constraints.check_constraints(must, cannot, N)
    else:
        checked = constraints.check_constraints(must, cannot, N)
        assert [as_set(p) for p in checked] == [ordered(must), ordered(cannot)]


def test_a_contradiction_names_the_pair_that_is_given_as_both():
    with pytest.raises(ValueError) as caught:
        constraints.check_constraints([[4, 1]], [[1, 4], [0, 2]], 5)
    assert str(caught.value) == (
        "cannot_link pair (1, 4) contradicts the must_link pair (1, 4): remove one of them"
    )


def test_a_contradiction_names_the_shortest_chain_that_joins_the_ends():
    must = [[0, 3], [3, 5], [5, 2], [0, 1], [1, 4], [4, 6], [6, 2]]
    with pytest.raises(ValueError) as caught:
        constraints.check_constraints(must, [[2, 0], [2, 4]], 7)
    assert str(caught.value) == (
        "cannot_link pair (0, 2) (and 1 more) contradicts the must_link pairs (0, 3), (3, 5), "
        "(2, 5), which join its ends: remove one of them"
    )


def test_a_long_chain_is_shortened_in_the_message():
    chain = [[i, i + 1] for i in range(50)]
    with pytest.raises(ValueError, match=r"\(2, 3\), \.\.\., \(48, 49\), \(49, 50\), which"):
        constraints.check_constraints(chain, [[0, 50]], 51)


@given(pair_lists())
def test_chunklets_are_the_classes_of_the_closure_numbered_by_first_member(must):
    labels = constraints.chunklets(must, N)
    np.testing.assert_array_equal(labels[:, None] == labels, reachable(must))
    first_seen = list(dict.fromkeys(labels.tolist()))
    assert first_seen == list(range(len(first_seen)))


def test_chunklets_without_must_links_are_single_samples():
    assert constraints.chunklets(None, 3).tolist() == [0, 1, 2]
    assert constraints.chunklets(None, 0).tolist() == []


def consistent():
    """Must-links and cannot-links that agree with one random labelling."""

    def split(drawn):
        labels, pairs = drawn
        must = [p for p in pairs if labels[p[0]] == labels[p[1]]]
        return must, [p for p in pairs if labels[p[0]] != labels[p[1]]]

    labels = st.lists(st.integers(0, 2), min_size=N, max_size=N)
    return st.tuples(labels, pair_lists(max_size=10)).map(split)


@given(consistent())
def test_the_closure_is_all_that_is_entailed_and_closing_again_adds_nothing(pairs):
    closed = constraints.close(*pairs, N)
    assert all(is_canonical(p) for p in closed)
    assert tuple(as_set(p) for p in closed) == entailed(*pairs)
    for once, twice in zip(closed, constraints.close(*closed, N), strict=True):
        np.testing.assert_array_equal(once, twice)


def test_the_closure_of_contradictory_pairs_is_refused():
    with pytest.raises(ValueError, match="contradicts"):
        constraints.close([[0, 1], [1, 2]], [[0, 2]], 3)


@given(
    st.lists(st.sampled_from(["a", 1, "1"]), min_size=2, max_size=9),
    st.integers(0, 2**32 - 1),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_sampled_pairs_are_distinct_and_of_their_kind(labels, seed, similar, dissimilar):
    same = [labels[i] == labels[j] for i, j in itertools.combinations(range(len(labels)), 2)]
    n_similar, n_dissimilar = int(similar * sum(same)), int(dissimilar * (len(same) - sum(same)))
    must, cannot = constraints.sample(labels, n_similar, n_dissimilar, seed)
    assert is_canonical(must) and is_canonical(cannot)
    assert (len(must), len(cannot)) == (n_similar, n_dissimilar)
    assert all(labels[i] == labels[j] for i, j in must)
    assert all(labels[i] != labels[j] for i, j in cannot)


def test_all_pairs_of_each_kind_can_be_sampled_and_not_one_more():
    labels = [0, 1, 0, 2, 1, 0]
    must, cannot = constraints.sample(labels, 4, 11, random_state=0)
    assert as_set(must) | as_set(cannot) == set(itertools.combinations(range(6), 2))
    with pytest.raises(ValueError, match="n_similar=5 but the labels have only 4 similar pairs"):
        constraints.sample(labels, 5, 0, random_state=0)
    with pytest.raises(ValueError, match="n_dissimilar=12 but the labels have only 11 dissimilar"):
        constraints.sample(labels, 0, 12, random_state=0)


def test_every_set_of_pairs_is_sampled_equally_often():
    labels = [0, 1, 0, 1, 0, 2]
    pairs = list(itertools.combinations(range(6), 2))
    subsets = [
        list(
            itertools.combinations([p for p in pairs if (labels[p[0]] == labels[p[1]]) == same], 2)
        )
        for same in (True, False)
    ]
    rng = np.random.RandomState(0)
    drawn = [constraints.sample(labels, 2, 2, rng) for _ in range(40 * len(subsets[1]))]
    for kind, possible in enumerate(subsets):
        seen = [tuple(map(tuple, draw[kind].tolist())) for draw in drawn]
        assert_frequencies([seen.count(subset) for subset in possible], np.ones(len(possible)))


def test_small_samples_of_many_pairs_meet_each_class_by_its_number_of_pairs():
    sizes = np.array([600, 300, 100])
    labels = np.random.RandomState(1).permutation(np.repeat(np.arange(3), sizes))
    draws = [constraints.sample(labels, 2000, 2000, seed) for seed in range(20)]
    must, cannot = (
        np.sort(labels[np.concatenate(kind)], axis=1) for kind in zip(*draws, strict=True)
    )
    similar = np.array([comb(size, 2) for size in sizes])
    assert_frequencies(np.bincount(must[:, 0]), similar)
    classes = [[0, 1], [0, 2], [1, 2]]
    dissimilar = np.array([sizes[a] * sizes[b] for a, b in classes])
    assert_frequencies([(cannot == pair).all(axis=1).sum() for pair in classes], dissimilar)


def test_pairs_of_a_million_samples_are_sampled_without_listing_them():
    labels = np.arange(1_000_000) % 3
    must, cannot = constraints.sample(labels, 500, 500, random_state=0)
    assert constraints.satisfaction(labels, must, cannot) == Satisfaction(1.0, 1.0, 1.0)
    assert len(must) == len(cannot) == 500


def test_a_seed_fixes_the_sample_and_the_global_generator_is_left_alone():
    labels = np.arange(60) % 3
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the state is only read
    first, again, other = (constraints.sample(labels, 5, 5, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(("wanted", "error"), [(-1, ValueError), (1.5, TypeError)])
def test_the_number_of_sampled_pairs_must_be_a_count(wanted, error):
    with pytest.raises(error, match="n_similar must"):
        constraints.sample([0, 0, 1], wanted, 0, random_state=0)
    with pytest.raises(error, match="n_dissimilar must"):
        constraints.sample([0, 0, 1], 0, wanted, random_state=0)


@given(pair_lists(), st.permutations(range(N)), st.integers(0, N))
def test_restricted_pairs_are_those_inside_the_index_at_their_positions(pairs, rows, n_kept):
    index = rows[:n_kept]
    kept = constraints.restrict(pairs, index)
    assert is_canonical(kept)
    expected = [(index.index(i), index.index(j)) for i, j in pairs if {i, j} <= set(index)]
    assert as_set(kept) == ordered(expected)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ([True, False, True], TypeError, r"give np.flatnonzero\(mask\)"),
        ([0, 1, 2, 1], ValueError, "index has 1 more than once"),
        ([[0, 1]], ValueError, r"one-dimensional .* got the shape \(1, 2\)"),
        ([0, -1], ValueError, "-1 is negative"),
    ],
)
def test_an_unusable_index_is_refused_with_the_reason(index, error, message):
    with pytest.raises(error, match=message):
        constraints.restrict([[0, 1]], index)


@given(st.lists(st.integers(0, 2), min_size=N, max_size=N), pair_lists(), pair_lists())
def test_satisfaction_is_the_share_of_different_pairs_that_the_labels_obey(labels, must, cannot):
    joined = [labels[i] == labels[j] for i, j in ordered(must)]
    parted = [labels[i] != labels[j] for i, j in ordered(cannot)]
    result = constraints.satisfaction(labels, must, cannot)
    shares = [result.must_link, result.cannot_link, result.overall]
    expected = [sum(x) / len(x) if x else np.nan for x in (joined, parted, joined + parted)]
    np.testing.assert_allclose(shares, expected)


def test_satisfaction_of_no_pairs_is_nan():
    result = constraints.satisfaction(["a", "b"], cannot_link=[[0, 1]])
    assert isnan(result.must_link)
    assert (result.cannot_link, result.overall) == (1.0, 1.0)
    assert isnan(constraints.satisfaction(["a", "b"]).overall)


def test_satisfaction_refuses_pairs_beyond_the_labels():
    with pytest.raises(ValueError, match="cannot_link has index 2 but X has 2 rows"):
        constraints.satisfaction([0, 1], None, [[0, 2]])
