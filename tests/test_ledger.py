"""The ledger: its data, its three calls, its tables, and what the notebooks owe it."""

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support import scanning

from umlbook.book.ledger import check, check_true, entry, erratum
from umlbook.book.ledger import claims as ledger
from umlbook.book.ledger.concordance import concordance
from umlbook.book.ledger.evidence import LedgerError

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
PAPERS = ("CPD-UML", "PM", "NAML", "CPCM")
CHAPTERS = (
    "00-start-here",
    "01-kmeans-is-a-trace",
    "02-ky-fan",
    "03-blur-ratio",
    "04-adaptive-metric",
    "05-learning-the-kernel",
    "06-coherent-point-drift",
    "07-constraints-and-annealing",
    "08-side-by-side",
    "09-errata",
    "10-your-own-data",
    "11-learning-from-pairs",
    "12-asking-for-pairs",
    "13-latent-classes",
)
STATUSES = {"holds", "corrected", "equivalent", "definition", "fails", "unspecified"}


# The data ------------------------------------------------------------------------------------


def test_every_row_is_complete_and_in_the_vocabulary():
    kinds = {"definition", "claim", "derivation", "identity", "table", "model", "theorem"}
    kinds |= {"figure", "algorithm", "remark"}
    for row in ledger.entries():
        assert row.status in STATUSES, row.id
        assert row.kind in kinds, row.id
        assert row.chapter in CHAPTERS, row.id
        assert row.latex and row.printed and row.how_to_check, row.id
        assert re.fullmatch(r"(\d+\.\d+)?", row.number), row.id


def test_ids_are_unique_and_the_papers_follow_each_other():
    rows = ledger.entries()
    assert len({row.id for row in rows}) == len(rows)
    assert sum(row.paper in PAPERS for row in rows) == 212
    assert tuple(dict.fromkeys(row.paper for row in rows))[:4] == PAPERS
    changes = sum(a.paper != b.paper for a, b in pairwise(rows))
    assert changes == len({row.paper for row in rows}) - 1


@pytest.mark.parametrize(("paper", "last"), [("CPD-UML", 22), ("PM", 33), ("NAML", 36)])
def test_every_numbered_equation_has_a_row_in_order(paper, last):
    found = [re.match(r"Eq\. (\d+)", row.printed) for row in ledger.entries() if row.paper == paper]
    assert [int(m[1]) for m in found if m] == list(range(1, last + 1))


def test_errata_state_the_printed_form():
    silent = [
        row.id
        for row in ledger.entries()
        if row.status in ledger.ERRATA and scanning.checkable(row) and not row.printed_form
    ]
    assert silent == []


def latex_fault(latex):
    """What is unbalanced in a formula, or an empty string."""
    bare = re.sub(r"\\[{}\\]", "", latex)
    depth = np.cumsum([(c == "{") - (c == "}") for c in bare] or [0])
    if depth.min() < 0 or depth[-1] != 0:
        return "braces"
    if re.findall(r"\\begin\{(\w+)\}", bare) != re.findall(r"\\end\{(\w+)\}", bare)[::-1]:
        return "environments"
    if len(re.findall(r"\\left\b", bare)) != len(re.findall(r"\\right\b", bare)):
        return "left and right"
    return "dollar, percent or hash" if re.search(r"(?<!\\)[$%#]", bare) else ""


@pytest.mark.parametrize(
    ("latex", "fault"),
    [
        (r"\frac{1}{2", "braces"),
        (r"}{", "braces"),
        (r"\begin{bmatrix}1", "environments"),
        (r"\left(x", "left and right"),
        ("50%", "dollar, percent or hash"),
        (r"\{x\}\ 50\%", ""),
    ],
)
def test_latex_faults_are_found(latex, fault):
    assert latex_fault(latex) == fault


def test_every_formula_is_balanced_latex():
    formulas = {
        row.id: row.latex for row in ledger.entries() if row.kind not in ("figure", "table")
    }
    formulas |= {f"{row.id} (printed)": row.printed_form for row in ledger.entries()}
    assert {k: latex_fault(v) for k, v in formulas.items() if latex_fault(v)} == {}


def test_an_unknown_id_is_answered_with_near_ones():
    with pytest.raises(ValueError, match=r"no ledger entry 'cpd\.200'; near it: 'cpd\.20'"):
        entry("cpd.200")
    with pytest.raises(ValueError, match=r"ledger\.csv lists all"):
        entry("????")


# The calls -----------------------------------------------------------------------------------


@pytest.fixture
def demo(monkeypatch):
    """A ledger with one entry of each status, ``demo.holds`` numbered 1.4 and so on."""
    rows = [
        replace(entry("cpd.10"), id=f"demo.{status}", status=status, number="1.4")
        for status in sorted(STATUSES)
    ]
    monkeypatch.setattr(ledger, "entries", lambda: tuple(rows))


@pytest.mark.usefixtures("demo")
class TestCheck:
    def test_prints_one_line_with_the_tolerance_asked_for(self, capsys):
        check("demo.holds", [1.0] * 200, [1.0 + 1e-15] * 200, rtol=1e-12)
        check("demo.holds", np.ones((3, 2)), np.ones((3, 2)))
        check("demo.holds", np.ones(3), np.ones(3), rtol=0)
        check("demo.holds", 1e-14, 0.0, rtol=0, atol=1e-12)
        check("demo.definition", (x for x in [1, 2]), np.array([1.0, 2.0]), unit="steps")
        assert capsys.readouterr().out.splitlines() == [
            "(1.4) CPD-UML Eq. 10 holds: 200 draws, worst relative error < 1e-12",
            "(1.4) CPD-UML Eq. 10 holds: 3 x 2 array, worst relative error < 1e-9",
            "(1.4) CPD-UML Eq. 10 holds: 3 entries, equal exactly",
            "(1.4) CPD-UML Eq. 10 holds: one value, worst absolute error < 1e-12",
            "(1.4) CPD-UML Eq. 10 holds as defined: 2 steps, worst relative error < 1e-9",
        ]

    def test_the_line_does_not_change_with_rounding(self, capsys, rng):
        exact = rng.normal(size=50)
        for noise in (0.0, 1e-16, 1e-11):
            check("demo.holds", exact, exact * (1 + noise))
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 3 and len(set(lines)) == 1

    def test_an_entry_near_zero_is_judged_by_its_array(self):
        check("demo.holds", np.array([1.0, 1e-13]), np.array([1.0, 0.0]))
        with pytest.raises(LedgerError):
            check("demo.holds", [1.0, 1e-13], [1.0, 0.0])  # draws are judged one by one

    def test_a_failure_names_entry_place_and_values(self):
        left, right = np.ones((2, 3)), np.ones((2, 3))
        right[1, 2] = 1.5
        with pytest.raises(LedgerError) as caught:
            check("demo.holds", [left, left], [left, right])
        for part in ("(1.4) CPD-UML Eq. 10", "demo.holds", "draw 1", "(2, 3)", "(1, 2)", "1.5"):
            assert part in str(caught.value)

    def test_just_inside_passes_and_just_outside_fails(self):
        check("demo.holds", 1.0, 1.0 - 0.9e-6, rtol=1e-6)
        with pytest.raises(LedgerError):
            check("demo.holds", 1.0, 1.0 - 1.1e-6, rtol=1e-6)

    @pytest.mark.parametrize(
        ("left", "right", "message"),
        [
            (np.nan, 1.0, "left has nan"),
            (np.ones(2), np.array([1, np.inf]), r"right has inf at \(1,\)"),
            (np.ones(0), np.ones(0), "empty"),
            ([], [], "no draws"),
            (np.ones(3), np.ones((3, 1)), r"shape \(3,\), right \(3, 1\)"),
            ([1.0, 2.0], np.ones((2, 1)), r"shape \(\), right \(1,\)"),
            (np.ones(3), 1.0, r"shape \(3,\), right \(\)"),
            ([1.0, 1.0], 1.0, "2 draws, right 1"),
            ([1.0, 1.0], [1.0], "2 draws, right 1"),
            (True, True, "use check_true"),
            ("one", "one", "numbers are expected"),
            ([[1.0, [2.0]]], [1.0], "ragged"),
            (1e-17, 0.0, "one side is exactly zero: give atol"),
        ],
    )
    def test_what_cannot_be_compared_is_an_error(self, left, right, message):
        with pytest.raises(LedgerError, match=message):
            check("demo.holds", left, right)

    def test_bounds_show_the_extreme_only_when_it_is_legible(self, capsys):
        check("demo.holds", [0.25, 0.49976], below=0.5, unit="steps")
        check("demo.holds", np.array([[2.0, 0.5]]), above=0)
        check("demo.holds", [3e-15], below=1e-10)
        check("demo.holds", 0.3, above=0.2)
        check("demo.holds", [1.0, 2.0], below=[1.5, 2.0])
        out = [line.split("holds: ")[1] for line in capsys.readouterr().out.splitlines()]
        assert out == [
            "2 steps, largest 0.4998 <= 0.5",
            "2 values, smallest 0.5 >= 0",
            "one value, at most 1e-10",
            "one value, 0.3 >= 0.2",
            "2 values, each <= its own bound",
        ]

    def test_bounds_have_relative_slack_and_none_at_zero(self):
        check("demo.holds", 2 + 1e-12, below=2)
        with pytest.raises(LedgerError, match="wanted <= 2"):
            check("demo.holds", [1.0, 2 + 1e-8], below=2)
        with pytest.raises(LedgerError, match=r"1 of 2 break the bound"):
            check("demo.holds", [1e6, -1e-12], above=0)
        with pytest.raises(LedgerError, match="no order"):
            check("demo.holds", 1j, below=2)
        with pytest.raises(LedgerError, match="left has nan"):
            check("demo.holds", np.nan, below=2)
        with pytest.raises(LedgerError, match="no values"):
            check("demo.holds", [], below=2)

    @pytest.mark.parametrize("given", [{}, {"right": 1.0, "below": 1.0}, {"below": 1, "above": 0}])
    def test_exactly_one_comparison_is_wanted(self, given):
        with pytest.raises(LedgerError, match="give one of right, below, above"):
            check("demo.holds", 1.0, **given)

    @pytest.mark.parametrize("given", [{"rtol": -1e-9}, {"rtol": 1.0}, {"atol": np.nan}])
    def test_a_senseless_tolerance_is_refused(self, given):
        with pytest.raises(ValueError, match="give 0 <= rtol < 1"):
            check("demo.holds", 1.0, 1.0, **given)

    def test_status_decides_which_call_is_allowed(self, capsys):
        for status in STATUSES - {"fails"}:
            check(f"demo.{status}", 1.0, 1.0)
        with pytest.raises(LedgerError, match="'fails': use erratum"):
            check("demo.fails", 1.0, 1.0)
        with pytest.raises(LedgerError, match="'fails': use erratum"):
            check_true("demo.fails", True, says="it holds")
        for status in STATUSES - {"fails", "corrected"}:
            with pytest.raises(LedgerError, match="use check or check_true"):
                erratum(f"demo.{status}", printed=False, corrected=True, witness="x = 1")


@pytest.mark.usefixtures("demo")
class TestCheckTrue:
    def test_the_sentence_is_part_of_the_line(self, capsys):
        check_true("demo.holds", True, says="Y has rank K")
        check_true("demo.unspecified", (x > 0 for x in (1, 2)), says="every step falls")
        assert capsys.readouterr().out.splitlines() == [
            "(1.4) CPD-UML Eq. 10 holds: Y has rank K",
            "(1.4) CPD-UML Eq. 10 is left open in print, our reading holds: "
            "every step falls (2 cases)",
        ]

    def test_one_false_case_fails_and_is_named(self):
        with pytest.raises(
            LedgerError, match=r"'it falls' is false in 1 of 3 cases, first in case 1"
        ):
            check_true("demo.holds", np.array([True, False, True]), says="it falls")

    @pytest.mark.parametrize("condition", [1, "yes", [0.5], None, [[True], 2]])
    def test_what_is_merely_truthy_is_refused(self, condition):
        with pytest.raises((TypeError, ValueError)):
            check_true("demo.holds", condition, says="it falls")

    def test_nothing_is_not_everything(self):
        with pytest.raises(LedgerError, match="empty"):
            check_true("demo.holds", np.ones(0, dtype=bool), says="it falls")
        with pytest.raises(LedgerError, match="`says` is empty"):
            check_true("demo.holds", True, says=" ")


@pytest.mark.usefixtures("demo")
class TestErratum:
    def test_printed_fails_and_corrected_holds(self, capsys):
        erratum("demo.corrected", printed=(9.46, 18.67), corrected=(18.67, 18.67), witness="w")
        erratum("demo.corrected", printed=lambda: False, corrected=lambda: True, witness="w")
        erratum("demo.fails", printed=np.array([True, False]), witness="w")
        erratum("demo.fails", printed=(np.inf, 1.0), witness="w")
        erratum("demo.fails", printed=lambda: (np.eye(2) @ np.eye(3), 1.0), witness="w")
        erratum("demo.fails", printed=False, witness="w", verdict="not supported here")
        out = [line.removeprefix("(1.4) CPD-UML ") for line in capsys.readouterr().out.splitlines()]
        assert out == [
            "Eq. 10 corrected: the printed form misses by 0.49, ours holds; witness: w",
            "Eq. 10 corrected: the printed form is false, ours holds; witness: w",
            "Eq. 10 fails: the printed form is false; witness: w",
            "Eq. 10 fails: the printed form is not finite; witness: w",
            "Eq. 10 fails: the printed form is undefined; witness: w",
            "Eq. 10: not supported here; witness: w",
        ]

    def test_draws_may_come_from_iterators(self):
        erratum(
            "demo.corrected",
            printed=(iter([1.0, 2.0]), iter([1.0, 3.0])),
            corrected=(iter([1.0, 3.0]), iter([1.0, 3.0])),
            witness="the second draw",
        )

    @pytest.mark.parametrize(
        ("forms", "message"),
        [
            ({"printed": (1.0, 1.0), "corrected": True}, "the printed form agrees"),
            ({"printed": (1.0, 1.0 + 1e-8), "corrected": True}, "agrees to 1e-08"),
            ({"printed": True, "corrected": True}, "true at the witness"),
            ({"printed": False, "corrected": False}, "corrected form is false"),
            ({"printed": False, "corrected": (1.0, 2.0)}, "difference 1"),
            ({"printed": False, "corrected": (np.nan, 2.0)}, "left has nan"),
            ({"printed": (np.ones(2), np.ones(3)), "corrected": True}, "make them equal"),
            ({"printed": False}, "give the corrected form"),
        ],
    )
    def test_what_is_no_erratum_is_refused(self, forms, message):
        with pytest.raises(LedgerError, match=message):
            erratum("demo.corrected", witness="w", **forms)

    def test_a_slip_of_the_author_is_not_taken_for_an_undefined_form(self):
        with pytest.raises(NameError):
            erratum("demo.fails", printed=lambda: undefined_name, witness="w")  # noqa: F821

    def test_a_witness_is_wanted(self):
        with pytest.raises(LedgerError, match="`witness` is empty"):
            erratum("demo.fails", printed=False, witness="")


# The concordance -----------------------------------------------------------------------------


def test_the_concordance_holds_every_entry_in_plain_aligned_text():
    lines = repr(concordance()).splitlines()
    assert len(lines) == 1 + len(ledger.entries())
    assert lines[0].split() == ["ours", "paper", "equation", "status", "chapter"]
    assert {line[lines[0].index("chapter") :] for line in lines[1:]} <= set(CHAPTERS)


def test_the_concordance_can_be_narrowed():
    assert {row.paper for row in concordance(paper="NAML").rows} == {"NAML"}
    assert concordance(chapter="02").rows == concordance(chapter="02-ky-fan").rows != ()
    errata = concordance(status=("corrected", "fails"), printed_form=True)
    assert {row.status for row in errata.rows} == {"corrected", "fails"}
    assert errata._repr_markdown_().count("<br>in print: $") == sum(
        bool(row.printed_form) for row in errata.rows
    )
    with pytest.raises(ValueError, match="paper='XYZ': the ledger has CPD-UML, PM"):
        concordance(paper="XYZ")


def test_a_single_chapter_is_not_named_in_every_row():
    assert repr(concordance(chapter="01")).splitlines()[0].split()[-1] == "status"


def test_a_chapter_is_sorted_by_our_numbers(monkeypatch):
    rows = [replace(entry("cpd.2"), id=n, number=n) for n in ("1.10", "", "1.9")]
    module = sys.modules[concordance.__module__]  # the function hides it in umlbook.book
    monkeypatch.setattr(module, "entries", lambda: tuple(rows))
    assert [row.number for row in concordance(chapter="01").rows] == ["1.9", "1.10", ""]
    assert [row.number for row in concordance().rows] == ["1.10", "", "1.9"]


def test_the_concordance_is_typeset_without_breaking_its_table():
    table = concordance(printed_form=True)
    lines = table._repr_markdown_().splitlines()
    assert {line.count("|") for line in lines} == {7}  # six columns, also where |U| is meant
    page = table._repr_html_()
    assert page.count("<tr>") == page.count("</tr>") == 1 + len(table.rows)
    assert "i&lt;j" in page and "$" in page


def test_a_stacked_concordance_has_two_columns_and_no_long_formula():
    made = concordance(chapter="06", stacked=True)
    lines = made._repr_markdown_().splitlines()
    assert {line.count("|") for line in lines} == {3}
    assert len(lines) == 2 + len(made.rows) and repr(made) == repr(concordance(chapter="06"))
    longest = {len(part) for line in lines for part in re.findall(r"\$([^$]*)\$", line)}
    assert not any(r"\$" in line for line in lines)
    assert max(longest) < 150 < max(len(row.latex) for row in made.rows)


# What the notebooks owe ----------------------------------------------------------------------


def debts(scans, rows, pending):
    """Everything that the ledger and the notebooks disagree about, as sentences."""
    known = {row.id: row for row in rows}
    tags = Counter(tag for found in scans.values() for tag in found.tags)
    said = [f"tag {tag} stands {n} times" for tag, n in tags.items() if n > 1]
    shared = Counter((row.paper, row.number) for row in rows if row.number)
    said += [f"{p} has {number} {n} times" for (p, number), n in shared.items() if n > 1]
    for chapter, found in scans.items():
        for call in found.calls:
            if call.id not in known:
                said.append(f"{call.where}: no entry {call.id}")
            elif known[call.id].chapter != chapter:
                said.append(f"{call.where}: {call.id} belongs to {known[call.id].chapter}")
        said += [
            f"tag {tag} in {chapter}"
            for tag in found.tags
            if tag.split(".")[0] != str(int(chapter[:2]))
        ]
        said += [f"{chapter} refers to ({r})" for r in found.references if r not in tags]
    for row in rows:
        found = scans.get(row.chapter)
        if row.number and row.number not in (found.tags if found else ()):
            said.append(f"{row.id}: {row.number} is no tag of {row.chapter}")
        if found and scanning.checkable(row):
            calls = {call.function for call in found.calls if call.id == row.id}
            wanted = {"erratum"} if row.status in ledger.ERRATA else set(scanning.CALLS)
            if not calls & wanted:
                said.append(f"{row.id} wants {' or '.join(sorted(wanted))} in {row.chapter}")
    unwritten = {row.id for row in rows if scanning.checkable(row) and row.chapter not in scans}
    said += [f"{id} is pending or its chapter is not, but not both" for id in pending ^ unwritten]
    return said


def test_the_notebooks_owe_the_ledger_nothing():
    pending = {row.id for row in scanning.pending()}
    assert debts(scanning.scan(NOTEBOOKS), ledger.entries(), pending) == []


def test_the_pending_entries_are_listed_by_chapter(record_property):
    pending = scanning.pending()
    record_property("pending", [row.id for row in pending])
    print(f"{len(pending)} entries wait:", dict(Counter(row.chapter for row in pending)))
    unwritten = set(CHAPTERS) - set(scanning.scan(NOTEBOOKS))
    assert {row.chapter for row in pending} <= unwritten
    assert not any(row.kind in scanning.UNCHECKED_KINDS for row in pending)


@pytest.mark.parametrize("folder", ["exercises", "solutions"])
def test_exercises_refer_to_equations_that_exist(folder):
    tags = {tag for found in scanning.scan(NOTEBOOKS).values() for tag in found.tags}
    referred = {
        (name, r)
        for name, found in scanning.scan(NOTEBOOKS / folder).items()
        for r in found.references
    }
    assert {(name, r) for name, r in referred if r not in tags} == set()


def write_notebook(path, *cells):
    """A notebook of (type, source) cells."""
    made = [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells]
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4}), encoding="utf-8")


@pytest.fixture
def rows():
    """Three entries of chapter 01, one of them an erratum, and one of chapter 02."""
    return [
        replace(entry("cpd.2"), number="1.1"),
        replace(entry("cpd.10"), number="1.2"),
        replace(entry("cpd.8"), number="1.3"),
        replace(entry("cpd.thm.horn"), number=""),
    ]


GOOD = (
    ("markdown", r"$$J \tag{1.1}$$ and $$\tag{1.2}$$ and $$\tag{1.3}$$ follow (1.1)."),
    ("code", 'check("cpd.2", 1, 1)\nfor x in y:\n    check_true("cpd.10", x, says="so")'),
    ("code", 'erratum("cpd.8", printed=False, corrected=True, witness="w")\nex.check(answer)'),
)


def test_scan_reads_calls_tags_and_references(tmp_path):
    write_notebook(tmp_path / "01-kmeans-is-a-trace.ipynb", *GOOD)
    write_notebook(tmp_path / "draft.ipynb", ("code", 'check("nothing", 1, 1)'))
    found = scanning.scan(tmp_path)
    assert list(found) == ["01-kmeans-is-a-trace"]
    scan = found["01-kmeans-is-a-trace"]
    assert scan.ids == ("cpd.2", "cpd.10", "cpd.8")
    assert scan.calls[1].where == "01-kmeans-is-a-trace.ipynb, cell 1, line 3"
    assert (scan.tags, scan.references) == (("1.1", "1.2", "1.3"), ("1.1",))


def test_decimals_in_code_formulas_and_links_are_no_references(tmp_path):
    prose = "`f(1.5)` $f(1.6)$ [page](1.7) (0.5) (1.05)\n```\n(1.8)\n```\nbut (2.3) and (3.10) are"
    write_notebook(tmp_path / "01-a.ipynb", ("markdown", prose))
    assert scanning.scan(tmp_path)["01-a"].references == ("2.3", "3.10")


def test_an_id_must_be_written_out(tmp_path):
    write_notebook(tmp_path / "01-a.ipynb", ("code", "check(name, 1, 1)"))
    with pytest.raises(LedgerError, match=r"01-a\.ipynb, cell 0: the first argument"):
        scanning.scan(tmp_path)


def test_a_good_chapter_owes_nothing(tmp_path, rows):
    write_notebook(tmp_path / "01-kmeans-is-a-trace.ipynb", *GOOD)
    assert debts(scanning.scan(tmp_path), rows, {"cpd.thm.horn"}) == []
    assert debts({}, [replace(row, number="") for row in rows], {row.id for row in rows}) == []


@pytest.mark.parametrize(
    ("cells", "debt"),
    [
        ([*GOOD, ("markdown", r"$$\tag{1.1}$$")], "tag 1.1 stands 2 times"),
        ([*GOOD, ("markdown", r"$$\tag{2.1}$$")], "tag 2.1 in 01-kmeans-is-a-trace"),
        ([*GOOD, ("markdown", "see (1.9)")], "01-kmeans-is-a-trace refers to (1.9)"),
        ([*GOOD, ("code", 'check("cpd.x", 1, 1)')], "no entry cpd.x"),
        ([*GOOD, ("code", 'check("cpd.thm.horn", 1, 1)')], "cpd.thm.horn belongs to 02-ky-fan"),
        (GOOD[:2], "cpd.8 wants erratum in 01-kmeans-is-a-trace"),
        ([*GOOD[:2], ("code", 'check("cpd.8", 1, 1)')], "cpd.8 wants erratum"),
        (GOOD[1:], "cpd.2: 1.1 is no tag of 01-kmeans-is-a-trace"),
    ],
)
def test_each_debt_is_named(tmp_path, rows, cells, debt):
    write_notebook(tmp_path / "01-kmeans-is-a-trace.ipynb", *cells)
    assert any(debt in said for said in debts(scanning.scan(tmp_path), rows, {"cpd.thm.horn"}))


def test_a_number_is_shared_by_two_papers_at_most_once_each(tmp_path, rows):
    write_notebook(tmp_path / "01-kmeans-is-a-trace.ipynb", *GOOD)
    scans = scanning.scan(tmp_path)
    rows[1] = replace(rows[1], number="1.1")
    assert debts(scans, rows, {"cpd.thm.horn"}) == ["CPD-UML has 1.1 2 times"]
    rows[1] = replace(rows[1], paper="NAML")
    assert debts(scans, rows, {"cpd.thm.horn"}) == []


def test_a_written_chapter_leaves_nothing_pending(tmp_path, rows):
    write_notebook(tmp_path / "01-kmeans-is-a-trace.ipynb", *GOOD)
    said = debts(scanning.scan(tmp_path), rows, {"cpd.thm.horn", "cpd.2"})
    assert said == ["cpd.2 is pending or its chapter is not, but not both"]
