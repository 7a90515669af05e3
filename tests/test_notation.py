"""The notation table: one meaning a symbol, one home for all of them."""

from pathlib import Path

import pytest

from umlbook.book.ledger.notation import notation, symbols

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def test_no_symbol_has_two_rows():
    names = [row.symbol for row in symbols()]
    assert len(names) == len(set(names))


def test_no_row_has_a_gap():
    assert all(row.symbol and row.code and row.shape and row.meaning for row in symbols())


def test_every_chapter_with_symbols_exists_or_is_planned():
    planned = {f"{number:02d}" for number in range(14)}
    assert {c for row in symbols() for c in row.chapters} <= planned


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("0[1-7]-*.ipynb")), ids=lambda p: p.stem)
def test_each_chapter_shows_its_own_table(path):
    assert f'notation(\\"{path.stem[:2]}\\")' in path.read_text(encoding="utf-8")


def test_an_unknown_chapter_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="known are 00, 01"):
        notation("99")


def test_the_table_is_typeset_and_plain():
    table = notation("01")
    assert r"| $\mu_c$ | `means[c]` |" in table._repr_markdown_()
    assert "mean of cluster c" in repr(table)


def test_the_long_table_of_a_chapter_is_folded_and_that_of_the_book_is_not():
    shown = notation("07")._repr_markdown_()
    assert shown.startswith("<details><summary>") and shown.endswith("\n\n</details>")
    assert shown.count("\n| ") == len(notation("07").rows) + 1  # its head and every line
    assert "<details>" not in notation()._repr_markdown_()


def test_some_symbols_of_a_chapter_can_be_asked_for_by_name():
    assert [row.symbol for row in notation("08", only=["s_a", "n"]).rows] == ["n", "s_a"]
    with pytest.raises(ValueError, match="no symbol nonsense"):
        notation("08", only=["n", "nonsense"])
