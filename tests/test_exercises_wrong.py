"""Wrong answers are rejected, right ones in any form are not, and common mistakes have a name."""

import importlib.util
import warnings
from dataclasses import asdict, is_dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.alternatives import ALTERNATIVES
from support.mechanical import examine

from umlbook.algebra import indicator, kmeans_objective
from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.bank.ch06_loop import CPDState
from umlbook.book.exercises.bank.properties import agrees_with, apart
from umlbook.book.exercises.common import explained
from umlbook.book.exercises.judge import OpenExercise, seed_for
from umlbook.book.exercises.model import Case, Exercise, Status
from umlbook.book.exercises.progress import Progress
from umlbook.cpd import deformation, lloyd_labels
from umlbook.kernels import rbf

BANK = all_exercises()
ROOT = Path(__file__).parents[1]
STUDENTS = ("reader", "another", "ada")
#: Exercises with slow answers, of which the test judges one in so many.
EVERY = {"2.3": 2, "2.6": 2, "3.6": 8, "6.6": 12, "7.7": 12}


def opened(key, name="reader"):
    return OpenExercise(BANK[key], seed_for(key, name), Progress())


# ------------------------------------------------------------------------ made mechanically


def _document():
    spec = importlib.util.spec_from_file_location("wrong", ROOT / "docs" / "wrong_answers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows():
    """What was judged by the tests before, for the page as a whole."""
    return []


@pytest.mark.parametrize("key", BANK)
def test_no_wrong_answer_is_accepted_and_no_right_one_refused(key, rows, request):
    every = 1 if request.config.getoption("wrong_all") else EVERY.get(key, 1)
    row = examine(BANK[key], every)
    rows.append(row)
    assert row.rejected > 0
    assert not row.accepted, "wrong answers that pass"
    assert not row.refused, "right answers that do not pass"
    assert row.named > 0 or BANK[key].kind == "value"


def test_page_on_wrong_answers_is_up_to_date(rows, request):
    page = (ROOT / "docs" / "wrong-answers.md").read_text("utf-8")
    table = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| ")]
    counts = {cells[0].strip(): list(map(int, cells[1:])) for cells in table[1:]}
    assert [*counts] == [*BANK, "without the proofs to order", "all"]
    assert all(accepted == refused == 0 for *_, accepted, refused in counts.values())
    for row in rows:  # how an answer fares may depend on rounding; how many there are does not
        if BANK[row.exercise].kind != "value" and row.exercise not in EVERY:
            assert counts[row.exercise][0] == row.generated, "run python docs/wrong_answers.py"
    if request.config.getoption("wrong_all"):
        assert page == _document().page(rows)


# --------------------------------------------------------------- right answers in other forms


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize(
    ("key", "answer"),
    [(key, answer) for key, answers in ALTERNATIVES.items() for answer in answers],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_right_answer_written_in_another_way_passes(key, answer, name):
    outcome = opened(key, name).check(answer)
    assert outcome.passed, outcome


def test_every_function_without_states_has_another_right_answer():
    functions = {k for k, spec in BANK.items() if spec.kind == "function" and not spec.quantities}
    assert functions <= set(ALTERNATIVES)


def as_lists(value):
    """The same answer in plain Python: lists, ints, floats."""
    if isinstance(value, list) and value and is_dataclass(value[0]):
        return [SimpleNamespace(**{k: as_lists(v) for k, v in asdict(s).items()}) for s in value]
    return np.asarray(value).tolist()


def as_small(value):
    """Labels in as few bytes as they need; other answers as they are."""
    array = np.asarray(value)
    return array.astype(np.uint8) if array.dtype.kind == "i" and array.min() >= 0 else value


@pytest.mark.parametrize("form", [as_lists, as_small, np.asanyarray], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "key", [k for k, s in BANK.items() if s.kind in ("function", "value") and not s.quantities]
)
def test_right_answer_of_another_type_passes(key, form):
    ex, spec = opened(key), BANK[key]
    right = spec.reference
    answer = (lambda *a: form(right(*a))) if spec.kind == "function" else form(right(**ex.data))
    assert ex.check(answer).passed


@pytest.mark.parametrize("key", [k for k, spec in BANK.items() if spec.quantities])
def test_stream_of_plain_states_passes(key):
    right = BANK[key].reference

    def plain(*args):
        for state in right(*args):
            yield SimpleNamespace(**asdict(state))

    assert opened(key).check(plain).passed


# ------------------------------------------------------- answers that passed once, and others


def largest_label(labels, n_clusters):
    K = labels.max() + 1
    sizes = np.bincount(labels, minlength=K)
    return np.eye(K)[labels] / np.sqrt(np.maximum(sizes, 1))


def number_of_labels(D, labels):
    members = [labels == c for c in range(len(np.unique(labels)))]
    return sum(np.sum(D[np.ix_(c, c)] ** 2) / (2 * c.sum()) for c in members if c.any())


def sse_by_means(X, Y):
    labels = (Y != 0).argmax(axis=1)
    return kmeans_objective(X, labels)


def sse_by_equal_rows(X, Y):
    same = np.isclose(Y @ Y.T, 0) == 0
    means = (same @ X) / same.sum(axis=1, keepdims=True)
    return np.sum((X - means) ** 2)


def field_by_large_system(X, U, s, Y, lam):
    G = (U * s) @ U.T
    P = np.eye(len(X)) - Y @ Y.T
    return -np.linalg.solve(G @ P @ G + lam * np.eye(len(X)), G @ P @ X)


def field_of_the_book(X, U, s, Y, lam):
    return deformation(X, (U * s) @ U.T, Y, lam)


def float_labels(new, X, psi, centers, sigma):
    return BANK["6.5"].reference(new, X, psi, centers, sigma).astype(float)


def cpd_states(n_states):
    def steps(X, labels, sigma, lam):
        G = rbf(X, sigma=sigma)
        for _ in range(n_states):
            psi = deformation(X, G, indicator(labels, 2), lam)
            labels = lloyd_labels(X + G @ psi, labels, 2)
            J = kmeans_objective(X + G @ psi, labels) + lam * np.sum(psi**2)
            yield CPDState(labels, psi, J)

    return steps


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize(
    ("key", "answer", "mistake", "words"),
    [
        ("1.1", largest_label, "wrong K", "there are 3 and not 5"),
        ("1.2", sse_by_means, "clusters read off Y", "no cluster and no mean"),
        ("1.2", sse_by_equal_rows, "clusters read off Y", "no cluster and no mean"),
        ("1.4", number_of_labels, "labels taken for 0, 1, 2, ...", "np.unique(labels)"),
        ("6.4", field_by_large_system, "the large system", "a system of order 10: one of order K"),
        ("6.4", field_of_the_book, "the large system", "your result is right, but"),
        ("6.5", float_labels, None, "labels are integers, yours are of type float64"),
        ("6.6", cpd_states(3), "stream too short", "your stream ends after 3 states"),
        ("6.6", cpd_states(1), "stream too short", "your stream ends after 1 state:"),
    ],
)
def test_answer_that_passed_once_is_rejected_by_name(key, answer, mistake, words, name):
    outcome = opened(key, name).check(answer)
    assert outcome.status is Status.WRONG
    assert outcome.mistake == mistake
    assert words in outcome.reason


def test_width_that_is_not_positive_is_told_of_the_width():
    reason = opened("6.7").check(-1.0).reason
    assert "your sigma is -1: it must be larger than zero" in reason and "lam" not in reason


def test_negative_answer_to_6_3_leaks_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert opened("6.3").check(-1.0).mistake == "below zero"


def test_number_is_shown_with_the_digits_that_tell_it_apart():
    assert (apart(1.73, 1), apart(1.000004, 1), apart(1.0, 1)) == ("1.73", "1.000004", "1")
    right = BANK["1.1"].reference
    reason = opened("1.1").check(lambda *args: right(*args) * 1.0001).reason
    assert "has norm 1.0001, not 1" in reason


# ---------------------------------------------------------------------- mistakes met everywhere

TABLE = Exercise(
    id="9.9",
    title="means of the columns",
    reference=lambda X: X.mean(axis=0),
    cases=lambda rng: [
        Case("your data", X=rng.normal(size=(7, 4))),
        Case("one", X=np.ones((5, 3))),
    ],
    properties=[agrees_with(lambda X: X.mean(axis=0))],
    mistakes=[],
    hints=[],
    solution="",
)


@pytest.mark.parametrize(
    ("mistake", "answer"),
    [
        ("sign", lambda X: -X.mean(axis=0)),
        ("twice", lambda X: 2 * X.mean(axis=0)),
        ("half", lambda X: X.mean(axis=0) / 2),
        ("n - 1", lambda X: X.sum(axis=0) / (len(X) - 1)),
        ("mean or sum", lambda X: X.sum(axis=0)),
        ("sorted", lambda X: np.sort(X.mean(axis=0))),
        ("wrong axis", lambda X: X.mean(axis=1)),
        ("off by one", lambda X: X[:, 1:].mean(axis=0)),
        ("printed, not returned", lambda X: print(X.mean(axis=0))),
        (None, lambda X: X.mean(axis=0) + 0.1),
        (None, lambda X: 2 * X.mean(axis=0) * (len(X) == 7) - X.mean(axis=0) * (len(X) != 7)),
    ],
)
def test_common_mistake_has_its_name_and_nothing_else_has(mistake, answer, capsys):
    ex = OpenExercise(TABLE, 0, Progress())
    outcome = ex.check(answer)
    assert outcome.status is Status.WRONG and outcome.mistake == mistake
    assert bool(capsys.readouterr().out) == (mistake == "printed, not returned")


LABELS, MATRIX = np.array([2, 0, 1, 1]), np.arange(6.0).reshape(2, 3) + 0.25


@pytest.mark.parametrize(
    ("mistake", "value", "right"),
    [
        ("counted from one", LABELS + 1, LABELS),
        ("transposed", MATRIX.T, MATRIX),
        ("fractions lost", MATRIX.astype(int), MATRIX),
        ("wrong K", MATRIX[:, :2], MATRIX),
        ("wrong K", np.c_[MATRIX, [0, 0]], MATRIX),
        ("", MATRIX + 0.5, MATRIX),
        ("", MATRIX, MATRIX),
        ("", np.eye(2)[:, :1], MATRIX),
    ],
)
def test_transformation_of_a_result_is_recognised(mistake, value, right):
    assert explained(value, right, Case("data", x=np.zeros(9)), ())[0] == mistake


def _states(numbers, arrays=None):
    arrays = [np.full(2, n) for n in numbers] if arrays is None else arrays
    return [SimpleNamespace(x=a, J=2.0 * n) for n, a in zip(numbers, arrays, strict=True)]


@pytest.mark.parametrize(
    ("mistake", "states"),
    [
        ("stream too short", _states([1, 2])),
        ("stream too long", _states([1, 2, 3, 4, 5])),
        ("starts late", _states([2, 3, 4])),
        ("starts early", _states([0, 1, 2, 3])),
        ("one array for all states", _states([1, 2, 3, 4], [np.full(2, 4.0)[:]] * 4)),
        ("half", [SimpleNamespace(x=np.full(2, n), J=n) for n in (1, 2, 3, 4)]),
        ("", _states([5, 6, 7, 8])),
        ("", _states([1, 2, 3, 4])),
    ],
)
def test_what_is_wrong_with_a_stream_is_recognised(mistake, states):
    assert explained(states, _states([1, 2, 3, 4]), Case("data"), ("x", "J"))[0] == mistake
