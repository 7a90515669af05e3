"""Sentences that claim something of all cases are listed with their support, and it stands up."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("sentences", ROOT / "docs/sentences.py")
assert spec is not None and spec.loader is not None
book = importlib.util.module_from_spec(spec)
spec.loader.exec_module(book)


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("J never rises. It falls.", ["J never rises."]),
        ("One. *Proof.* It is always so. $\\square$ Two is better.", ["Two is better."]),
        ("*Proof.* Always.\n\nNever.", []),  # a proof without its end goes to the end of the cell
        ("```python\nonly = 1\n```\nOnly this.", ["Only this."]),
        ("$$ only \\tag{1.1}$$ and `every` and $cannot$", []),
        ("At $x = 0.5. Y$ it is the same. So.", ["At $x = 0.5. Y$ it is the same."]),
        ("- one\n- every two\n\n| a | never b |", ["every two", "a | never b"]),
        ("**Never do it.** Do it.", ["**Never do it."]),
    ],
)
def test_a_claim_is_a_sentence_with_one_of_the_words_outside_proofs_and_formulas(
    text: str, wanted: list[str]
) -> None:
    assert book.claims(text) == wanted


@pytest.mark.parametrize(
    "support, fault",
    [
        ("(3.11)", ""),
        ("(3.11) and (9.99)", "no formula has the number 9.99"),
        ("below", ""),
        ("above", "the code cell above checks nothing"),
        ("shown below", "the code cell below shows nothing"),
        ("proof: a mean is not below its smallest part", ""),
        ("source: Fan (1949)", ""),
        ("source: folklore", "a source needs author and year"),
        ("tested: test_sentences.py::test_the_list_is_complete_and_every_support_stands_up", ""),
        ("tested: test_sentences.py::test_that_is_not_there", "wanted 'tested:"),
        ("obvious", "unknown support 'obvious'"),
        ("", "no support"),
    ],
)
def test_a_support_is_looked_at(support: str, fault: str) -> None:
    one = book.Found("page", "It never rises.", before="x = 1", after="assert x == 1")
    said = book.fault(support, one, {"3.11"})
    assert said.startswith(fault) and bool(said) == bool(fault)


def test_the_list_is_complete_and_every_support_stands_up() -> None:
    assert book.faults() == []
