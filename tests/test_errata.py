"""The errata: every one has a kind, a counterexample and a place, and none is forgotten."""

import pytest

from umlbook.book.ledger import ERRATA, OURS, entries
from umlbook.book.ledger.errata import KINDS, errata, errata_table, sentence


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
