"""Every equation of the ledger holds for inputs as general as it says, and says no less.

A claim in `generic` declares what its inputs are special in. It must hold on every generated draw
of that class, and fail on some draw when one declared word is dropped.
"""

import numpy as np
import pytest
from generic import (  # noqa: F401  (they register their claims)
    asking,
    book,
    cpcm,
    cpd,
    naml,
    pm,
    theorems,
)
from generic.direct import blur, norm, tr
from generic.problems import SHAPES, WORDS, Problem, draws
from generic.registry import BREAKS, EXCUSED, HOLDS, REGISTRY, Claim, claim, miss, parts
from support.mutation import rewritten

from umlbook.book.ledger import entries

CLAIMS = [pytest.param(c, id=f"{c.id}-{c.form.__name__}") for c in REGISTRY]
DECLARED = [pytest.param(c, w, id=f"{c.id}-{w}") for c in REGISTRY for w in sorted(c.words)]
TRIED = {c.id for c in REGISTRY}
EQUATIONS = {
    row.id
    for row in entries()
    if row.kind not in ("figure", "table", "algorithm", "remark")
    and row.status in ("holds", "equivalent", "corrected", "definition")
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_holds_for_all_inputs_of_its_class(claim):
    misses = claim.misses()
    assert max(misses) < HOLDS, dict(zip(SHAPES, misses, strict=True))


@pytest.mark.parametrize(("claim", "word"), DECLARED)
def test_a_declared_word_is_needed(claim, word):
    assert max(claim.misses(claim.words - {word})) > BREAKS, f"holds without {word!r} too"
    equations = claim.equations_without(word)
    assert min(equations, default=np.inf) > BREAKS, f"a part holds without {word!r}: {equations}"


WITHOUT_FORMULA = {  # they count, or look at a function of the package alone
    "accuracy_is_that_of_the_best_renaming",
    "the_one_hot_indicator",
    "similar_pairs_share_a_class",
    "dissimilar_pairs_do_not",
    "predictions_with_an_intercept_sum_to_one",
    "the_relaxed_y_of_few_features_moves_nothing",
    "the_exponential_kernel_is_definite",
}


def gives_another_number(form, words):
    """Whether a broken form is missed on some draw; one that cannot be computed does not count."""
    with np.errstate(all="ignore"):
        try:
            return any(miss(part) > HOLDS for p in draws(words) for part in parts(form(p)))
        except Exception:
            return False


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_goes_red_when_a_formula_of_it_is_broken(claim):
    red = any(gives_another_number(form, claim.words) for form in rewritten(claim.form))
    assert red != (claim.form.__name__ in WITHOUT_FORMULA)


def test_every_equation_of_the_ledger_is_tried_or_excused():
    assert sorted(EQUATIONS - TRIED - EXCUSED.keys()) == []


def test_every_claim_and_excuse_belongs_to_an_entry():
    known = {row.id for row in entries()}
    assert sorted((TRIED | EXCUSED.keys()) - known) == []
    assert sorted(EXCUSED.keys() - EQUATIONS | EXCUSED.keys() & TRIED) == []


# What the inputs are like --------------------------------------------------------------------


@pytest.mark.parametrize("word", WORDS)
def test_a_word_narrows_the_draws_and_without_it_some_draw_violates_it(word):
    _, is_so = WORDS[word]
    assert all(is_so(p) for p in draws(frozenset({word})))
    assert not all(is_so(p) for p in draws())


def test_the_draws_of_a_claim_keep_to_all_its_words():
    for words in {c.words for c in REGISTRY}:
        assert all(WORDS[word][1](p) for p in draws(words) for word in words), words


def test_every_word_is_used():
    assert set(WORDS) == set().union(*(c.words for c in REGISTRY))


def test_the_draws_are_as_different_as_they_are_said_to_be():
    drawn = draws()
    assert {p.K for p in drawn} == {2, 3, 4, 5}
    for relation in (
        lambda p: p.d < p.K, lambda p: p.d == p.K, lambda p: p.d > p.K, lambda p: p.d > p.n,
        lambda p: p.sizes.min() == 1, lambda p: p.w.min() == 0, lambda p: p.w.min() > 0,
    ):  # fmt: skip
        assert any(map(relation, drawn))
    assert all(p.sizes.min() < p.sizes.max() for p in drawn)
    assert all((p.labels[1:] < p.labels[:-1]).any() for p in drawn), "not sorted by cluster"


def test_an_unknown_word_is_refused():
    with pytest.raises(ValueError, match="no such words"):
        Problem(SHAPES[0], 0, frozenset({"friendly"}))


# The machinery itself ------------------------------------------------------------------------


def blur_after_smoother(square):
    """(3.42) with a square of M = Z'SZ, which is M'M or MM'."""

    def form(p):
        predictions, M = p.S @ p.Z, p.Z.T @ p.S @ p.Z
        return blur(predictions, p.labels), 1 - tr(square(M) / p.sizes) / norm(predictions) ** 2

    return form


def test_an_equation_of_symmetric_matrices_is_caught_when_it_is_claimed_of_all():
    """An earlier page had M'M, which is right for a symmetric S, and checked it with one."""
    centred = frozenset({"S of column means 0"})
    planted = Claim("planted", centred, blur_after_smoother(lambda M: M.T @ M))
    assert max(planted.misses()) > BREAKS
    assert max(planted.misses(centred | {"S symmetric"})) < HOLDS, "the friendly check was green"
    corrected = Claim("corrected", centred, blur_after_smoother(lambda M: M @ M.T))
    assert max(corrected.misses()) < HOLDS


def test_a_word_that_is_not_needed_shows_in_the_whole_and_in_a_part():
    words = frozenset({"X centred"})
    timid = Claim("planted", words, lambda p: (p.X + p.X, 2 * p.X))
    assert max(timid.misses(frozenset())) == 0
    sums = Claim("planted", words, lambda p: [(1 + p.X.sum(), 1.0), (p.X + p.X, 2 * p.X)])
    whole, part = sums.equations_without("X centred")
    assert whole > BREAKS and part == 0


def test_the_same_claim_of_the_same_inputs_is_refused():
    with pytest.raises(ValueError, match="claimed twice"):
        claim("cpd.2")(lambda p: True)


@pytest.mark.parametrize(
    ("form", "far"),
    [
        ((np.ones(3), np.ones(3)), 0),
        (([1.0, 4.0], [1.0, 3.0]), 0.25),
        ((3.0, "<=", 4.0), 0),
        ((4.0, "<=", 3.0), 0.25),
        (True, 0),
        (np.bool_(False), np.inf),
        ((np.nan, 1.0), np.inf),
        ((np.inf, 1.0), np.inf),
        ((0.0, 0.0), 0),
    ],
)
def test_a_miss_is_relative_to_the_larger_side(form, far):
    assert miss(form) == far


@pytest.mark.parametrize("form", [(np.ones(3), 1.0), None, 1.0, (1.0, ">=", 0.0)])
def test_what_is_no_form_of_a_claim_is_refused(form):
    with pytest.raises(TypeError, match=r"sides of shape|no form of a claim"):
        miss(form)


def test_a_claim_that_is_undefined_on_a_draw_misses_it():
    undefined = Claim("planted", frozenset(), lambda p: (np.linalg.inv(0 * p.G), p.G))
    assert undefined.misses() == [np.inf] * len(SHAPES)
