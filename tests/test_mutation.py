"""Every check in the chapters goes red when its formula is broken; blind checks are reported."""

import json
from pathlib import Path

import nbformat
import pytest
from support import equivalent, scanning
from support.mutation import verdicts

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
CHAPTERS = [
    pytest.param(path, id=path.stem) for path in sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))
]
SETUP = """
import numpy as np
from umlbook.book.ledger import check, check_true, erratum
rng = np.random.default_rng(0)
X = rng.normal(size=(6, 3))
labels = np.array([0, 0, 0, 1, 1, 2])
means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
def sse(X, labels):
    return sum(np.sum((X[labels == c] - means[c]) ** 2) for c in range(3))
"""


@pytest.mark.parametrize("path", CHAPTERS)
def test_every_check_of_a_chapter_goes_red_when_its_formula_is_broken(path):
    found = verdicts(path)
    assert len(found) == len(scanning.scan_notebook(path).calls)
    blind = [f"{v.where} [{v.id}] {said}" for v in found for said in v.complaints]
    assert blind == [], "\n".join(blind)


@pytest.fixture
def judge(tmp_path):
    """The verdicts on a notebook of the setup and these code cells."""

    def run(*cells, tags=()):
        made = [
            {"cell_type": "code", "source": source, "metadata": {"tags": list(tags)}}
            for source in (SETUP, *cells)
        ]
        path = tmp_path / "01-demo.ipynb"
        path.write_text(json.dumps({"cells": made}), encoding="utf-8")
        return verdicts(path)

    return run


GOOD = {
    "arguments": 'check("cpd.10", np.trace(X @ X.T) - 6 * X.mean() ** 2, '
    "np.sum(X * X) - X.sum() ** 2 / 54)",
    "assignments": """
left = np.sum((X - X.mean(axis=0)) ** 2)
right = np.sum(X ** 2)
right -= 6 * np.sum(X.mean(axis=0) ** 2)
check("cpd.2", left, right)""",
    "draws": """
left, right = [], []
for _ in range(5):
    A = rng.normal(size=(3, 3)) + 1
    left.append(np.trace(A @ A.T))
    right.append(np.sum(A * A))
check("cpd.2", left, right)""",
    "earlier function": 'check("cpd.2", sse(X, labels), np.sum((X - means[labels]) ** 2))',
    "common ground": 'A = X - 1\ncheck("cpd.2", np.sum(A * A), np.trace(A @ A.T))',
    "random data": """
shift = 2 * rng.normal()
check("cpd.2", (X + shift).sum() - 18 * shift, X.sum())""",
    "seeded data": """
from scipy.stats import ortho_group
check("cpd.2", np.sum((X @ ortho_group.rvs(3, random_state=0)) ** 2), np.sum(X * X))""",
    "bound": 'check("cpd.thm.kyfan", -np.sum(X ** 2) / 3, below=0)',
    "condition": 'check_true("cpd.9", np.allclose(X.T @ X, (X.T @ X).T), says="symmetric")',
    "order": 'check_true("cpd.9", np.all(np.sum(X ** 2, axis=1) - 1e-9 > 0), says="positive")',
    "package functions only": 'check("cpd.2", np.linalg.norm(X), np.sqrt(np.vdot(X, X)))',
    "erratum": 'erratum("cpd.8", printed=(np.sum(X), 1e3), '
    'corrected=(np.sum(X - 1), np.sum(X) - 18), witness="X")',
    "counterexample": 'erratum("cpcm.claim.gmm", printed=np.sum(X ** 2) < 0, witness="X")',
}


@pytest.mark.parametrize("source", [pytest.param(s, id=name) for name, s in GOOD.items()])
def test_a_check_that_looks_has_no_complaints(judge, source):
    (verdict,) = judge(source)
    assert verdict.complaints == ()
    assert verdict.mutants > 0


BLIND = {
    "itself": ('a = X @ X.T - 1\ncheck("cpd.2", a, a)', "compares an expression with itself"),
    "itself under another name": (
        'a = X @ X.T - 1\nb = a\ncheck("cpd.2", a, b)',
        "survived: `X @ X.T - 1` -> `X @ X.T + 1`",
    ),
    "nothing added": ('check("cpd.2", X, means[labels] * 0 + X)', "survived"),
    "values from elsewhere": ('check("cpd.2", total, again)', "no formula of this call"),
    "true": ('check_true("cpd.9", True, says="so")', "no formula of this call"),
    "flag": (
        'ok = bool(np.isfinite(X).all())\ncheck_true("cpd.9", ok, says="finite")',
        "survived: `bool(np.isfinite(X).all())`",
    ),
    "loose": ('check("cpd.2", 1e6 + X.sum(), 1e6 - X.sum(), rtol=1e-3)', "survived"),
    "bound": ('check("cpd.2", np.tanh(X), below=100)', "survived"),
    "counterexample": ('erratum("cpcm.claim.gmm", printed=False, witness="X")', "no formula"),
    "one survivor": (
        'check("cpd.2", np.sum((X - X.mean()) ** 2), np.sum(X * (X - X.mean())) + 0 * X.sum())',
        "`np.sum(X * (X - X.mean())) + 0 * X.sum()` -> `np.sum(X * (X - X.mean())) - 0 * X.sum()`",
    ),
}


@pytest.mark.parametrize(
    ("source", "complaint"), [pytest.param(*case, id=name) for name, case in BLIND.items()]
)
def test_a_check_that_cannot_fail_is_reported(judge, source, complaint):
    verdict = judge("total = np.sum(X)\nagain = total", source)[-1]
    assert any(complaint in said for said in verdict.complaints)


def test_each_call_of_a_cell_is_judged_alone(judge):
    seeing, blind = judge(
        'a = X - 1\ncheck("cpd.2", a.sum(), X.sum() - 18)\n'
        'check_true("cpd.10", np.isfinite(a).all(), says="finite")'
    )
    assert (seeing.id, seeing.complaints) == ("cpd.2", ())
    assert (blind.id, blind.complaints) == ("cpd.10", ("survived: `X - 1` -> `X + 1`",))


def test_an_equivalent_mutant_is_excused_on_its_own_line_only(judge):
    source = """
P = np.eye(6) - 1 / 6
once = np.trace(X.T @ P @ X)
twice = np.trace(X.T @ P @ P @ X){}
check("cpd.7", once, twice)"""
    (plain,) = judge(source.format(""))
    assert plain.complaints and all("P @ P" in s or "X.T @ P" in s for s in plain.complaints)
    (excused,) = judge(source.format("  # mutation: equivalent, P is a projector"))
    assert excused.complaints == () and excused.mutants > 0


def test_the_file_of_equivalent_lines_does_what_the_comment_does(judge, monkeypatch):
    line = "twice = np.trace(X.T @ P @ P @ X)"
    source = f"""
P = np.eye(6) - 1 / 6
once = np.trace(X.T @ P @ X)
{line}
check("cpd.7", once, twice)"""
    monkeypatch.setattr(equivalent, "rows", lambda table: [("01-demo", line, "a projector")])
    assert judge(source)[0].complaints == ()
    monkeypatch.setattr(equivalent, "rows", lambda table: [("02-demo", line, "a projector")])
    assert judge(source)[0].complaints != ()


def test_comments_are_moved_from_the_cells_into_the_file(tmp_path):
    cell = nbformat.v4.new_code_cell("def f(b):\n    return -b  # mutation: equivalent, b is even")
    path, table = tmp_path / "01-demo.ipynb", tmp_path / "equivalent.csv"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    table.write_text("chapter,line,reason\n01-demo,gone = 1,it was there\n", encoding="utf-8")
    row = ("01-demo", "return -b", "b is even")
    assert equivalent.collect(path, table) == [row]
    assert equivalent.collect(path, table) == []
    assert nbformat.read(path, 4).cells[0].source == "def f(b):\n    return -b"
    assert equivalent.prune(table, tmp_path) == [("01-demo", "gone = 1", "it was there")]
    assert equivalent.rows(table) == [row]


def test_every_equivalent_line_is_a_line_of_its_chapter():
    assert equivalent.stale() == []


def test_mutants_start_from_the_values_before_the_cell(judge):
    # the cell passes only once, so it would fail after its mutants if they left a trace
    once = """
log.append(1)
check("cpd.2", np.sum(X * X) + len(log), np.trace(X @ X.T) + 1)"""
    (verdict,) = judge("log = []", once)
    assert verdict.complaints == () and verdict.mutants > 3


def test_a_mutant_that_never_ends_counts_as_red(judge):
    source = """
def halvings(x):
    n = 0
    while x > 1:
        x = x - x / 2
        n += 1
    return n
check("cpd.2", halvings(8.0), 4.0 - 1)"""
    (verdict,) = judge(source)
    assert verdict.complaints == ()


def test_a_cell_that_is_meant_to_raise_does_not_stop_the_notebook(judge):
    boom, good = "raise ValueError('shown to the reader')", GOOD["assignments"]
    assert judge(boom, good, tags=["raises-exception"])[0].complaints == ()
    with pytest.raises(ValueError, match="shown to the reader"):
        judge(boom, good)
