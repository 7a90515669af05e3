"""The errata: every one has a kind, a counterexample and a place, and none is forgotten."""

import re
from pathlib import Path

import pytest
from support import scanning

from umlbook.book.exercises.bank import all_questions
from umlbook.book.ledger import ERRATA, OURS, entries
from umlbook.book.ledger.errata import (
    KINDS,
    OwnErrata,
    OwnErratum,
    errata,
    errata_table,
    own_errata,
    sentence,
)

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def test_every_erratum_of_the_ledger_has_a_kind_and_nothing_else_has_one():
    for row in entries():
        wrong = row.status in ERRATA and row.paper != OURS
        assert row.mistake in (KINDS if wrong else [""]), row.id


def test_papers_and_kinds_each_hold_all_errata():
    everything = errata()
    assert sum(len(errata(kind=kind)) for kind in KINDS) == len(everything)
    papers = {row.paper for row in everything}
    assert sum(len(errata(paper)) for paper in papers) == len(everything)


def test_each_erratum_is_typeset_with_printed_form_counterexample_and_what_holds():
    made = errata_table()
    blocks = made._repr_markdown_().split("\n\n")
    assert len(blocks) == len(made.rows) == len(repr(made).splitlines()) - 1
    for row, block in zip(made.rows, blocks, strict=True):
        assert "- In print: " in block and "- How to see it: " in block
        assert ("- What holds: " in block) == bool(row.printed_form)
        assert block.count("$") % 2 == 0, row.id


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (r"x^2", "$x^2$"),
        (r"\text{all of it}", "all of it"),
        (r"a \ \text{ is } b,\quad\text{50\%}", "$a$ is $b,$ 50%"),
        (r"\left\{\text{no } x\right\}", r"$\left\{\text{no } x\right\}$"),
        (r"\frac{\text{one}}{2}", r"$\frac{\text{one}}{2}$"),
    ],
)
def test_words_are_taken_out_of_a_formula_where_it_can_be_cut(latex, said):
    assert sentence(latex) == said


# ---------------------------------------------------------------------------- our own errata


def missing_places(rows):
    """The places of own errata that the book does not have."""
    tags = {name: found.tags for name, found in scanning.scan(NOTEBOOKS).items()}
    missing = []
    for row in rows:
        if row.chapter != "all" and not (NOTEBOOKS / f"{row.chapter}.ipynb").exists():
            missing.append(row.where)
        for detail in row.where.split()[1:]:
            equation = re.fullmatch(r"\((\d+\.\d+)\)", detail)
            known = (
                equation[1] in tags[row.chapter]
                if equation
                else detail == "quiz" or detail in all_questions()
            )
            if not known:
                missing.append(row.where)
    return missing


def test_each_place_of_our_own_errata_exists_and_no_field_is_empty():
    rows = own_errata().rows
    assert missing_places(rows) == []
    for row in rows:
        assert row.was and row.now and row.found, row.where
        assert re.fullmatch(r"20\d\d-[01]\d", row.date), row.where
        assert (row.was + row.now + row.found).count("$") % 2 == 0, row.where


@pytest.mark.parametrize(
    "where", ["11-nowhere", "06-coherent-point-drift (6.99)", "06-coherent-point-drift quiz 6.q9"]
)
def test_a_place_that_does_not_exist_is_noticed(where):
    assert missing_places([OwnErratum(where, "a", "b", "c", "2026-11")]) == [where]


def test_our_own_errata_are_in_the_order_of_the_book_and_hold_the_withdrawn_ones():
    rows = own_errata().rows
    (withdrawn,) = [row for row in rows if row.where.endswith("(6.26)")]
    assert "Withdrawn" in withdrawn.now
    assert {row.id for row in entries() if row.number == "6.26"} == {"cpd.alg1"}
    assert sum(row.now.startswith("Withdrawn") for row in rows) == 2
    assert not {"cpd.alg1", "cpd.fig2"} & {row.id for row in errata()}


def test_our_own_errata_are_typeset_one_below_the_other():
    shown = OwnErrata((OwnErratum("06-coherent-point-drift (6.26)", "a", "b", "c", "2026-11"),))
    assert shown._repr_markdown_() == (
        "**Chapter 6, (6.26)** (2026-11)\n- Was: a\n- Now: b\n- Found: c"
    )
    blocks = own_errata()._repr_markdown_().split("\n\n")
    assert len(blocks) == len(own_errata().rows)
    assert sum(int(line.split()[-1]) for line in repr(own_errata()).splitlines()[1:]) == len(blocks)
