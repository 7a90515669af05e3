"""The exercise engine, and that every exercise knows its solution, its stub and its mistakes."""

import threading
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.toy import TOY, doubled
from support.waiting import HANGS

from umlbook.algebra import kmeans_objective
from umlbook.book.exercises import judge, run
from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.bank.ch02_rounding import best_two_clusters, rounding_ratio
from umlbook.book.exercises.bank.properties import ordered
from umlbook.book.exercises.judge import OpenExercise, exercise, seed_for
from umlbook.book.exercises.model import Attempt, Case, Note, Outcome, Status
from umlbook.book.exercises.progress import Progress

BANK = list(all_exercises().values())
MISTAKES = [(spec, mistake) for spec in BANK for mistake in spec.mistakes]
STUDENTS = ("reader", "another")


def opened(spec, name="reader"):
    return OpenExercise(spec, seed_for(spec.id, name), Progress())


def as_answer(spec, function, data):
    """What a reader would hand in: the function, or the value it gives for the reader's data."""
    return function if spec.kind == "function" else function(*data.values())


# ----------------------------------------------------------------------------- the whole bank


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize("spec", BANK, ids=lambda spec: spec.id)
def test_solution_is_correct(spec, name):
    ex = opened(spec, name)
    assert repr(ex.check(as_answer(spec, spec.reference, ex.data))) == f"{spec.label}: correct"


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize(
    ("spec", "mistake"), MISTAKES, ids=[f"{spec.id}-{mistake.name}" for spec, mistake in MISTAKES]
)
def test_mistake_is_recognised_by_its_name(spec, mistake, name):
    ex = opened(spec, name)
    outcome = ex.check(as_answer(spec, mistake.wrong, ex.data))
    assert not outcome.passed
    assert outcome.mistake == mistake.name
    assert outcome.reason.endswith(mistake.message)


@pytest.mark.parametrize(
    ("exercise_id", "name", "witness"),
    [
        ("1.1", "columns not normalised", "your column 0 has norm 2, not 1"),
        ("1.1", "transposed", "has shape (3, 7), not (7, 3)"),
        ("1.2", "no indicator", "moving all points by the same vector changes your value"),
        ("1.2", "norm not squared", "makes your value 2 times as large, not 4"),
        ("1.3", "variances added", "but your within + between is"),
        ("1.6", "distances unchanged", "of 40 points with the other line"),
        ("2.1", "the smallest eigenvalues", "a random frame V gives tr(V'AV) ="),
        ("2.1", "singular values", "must raise the value by 2k = 6"),
        ("2.3", "bottom eigenvectors", "have nearly the same row of V"),
        ("2.5", "one side only", "differ by"),
        ("2.5", "one number taken off", "not 0"),
        ("2.6", "labels never renewed", "is not with the nearest of the centres before"),
        ("2.6", "one array for all states", "the very same array of centers"),
    ],
)
def test_witness_says_what_is_wrong_before_the_mistake_is_named(exercise_id, name, witness):
    ex = opened(all_exercises()[exercise_id])
    mistake = next(mistake for mistake in ex.spec.mistakes if mistake.name == name)
    outcome = ex.check(as_answer(ex.spec, mistake.wrong, ex.data))
    assert witness in outcome.reason.splitlines()[0]


@pytest.mark.parametrize("spec", BANK, ids=lambda spec: spec.id)
@pytest.mark.parametrize("hole", [..., None, "", []], ids=repr)
def test_stub_is_not_attempted(spec, hole):
    ex = opened(spec)
    answers = [hole] if spec.kind != "function" else [hole, lambda *args: hole]
    for answer in answers:
        assert repr(ex.check(answer)) == f"{spec.label}: not attempted"
    assert ex.progress.records[spec.id].checks == 0


@pytest.mark.parametrize("spec", BANK, ids=lambda spec: spec.id)
def test_exercise_is_declared_in_full(spec):
    assert len(spec.mistakes) >= 3
    assert len(spec.hints) >= 2
    assert len({mistake.name for mistake in spec.mistakes}) == len(spec.mistakes)
    assert spec.title and spec.solution
    solution = opened(spec).solution()
    assert spec.solution in repr(solution) and solution.code


@pytest.mark.parametrize("chapter", sorted({spec.chapter for spec in BANK}))
def test_chapter_has_five_exercises_or_more_if_it_follows_a_paper_and_three_otherwise(chapter):
    assert sum(spec.chapter == chapter for spec in BANK) >= (5 if int(chapter) <= 8 else 3)


@pytest.mark.parametrize("spec", BANK, ids=lambda spec: spec.id)
@pytest.mark.parametrize(
    "rubbish", [object(), "zzz", np.full((2, 2, 2), np.nan), {"a": 1}, 10**400], ids=type
)
def test_rubbish_is_wrong_and_never_an_exception(spec, rubbish):
    answer = (lambda *args: rubbish) if spec.kind == "function" else rubbish
    outcome = opened(spec).check(answer)
    assert outcome.status is Status.WRONG
    assert outcome.reason


@given(st.permutations("bgaecf"))
def test_order_of_a_proof_is_right_exactly_when_each_step_follows_those_it_uses(letters):
    order = "".join(letters)
    follows = all(
        order.index(need) < order.index(step) for need, step in ("bg", "ga", "ac", "ec", "cf")
    )
    assert opened(all_exercises()["1.5"]).check(list(letters)).passed == follows


def test_order_says_what_is_missing_twice_or_unknown():
    check = ordered({"a": "", "b": "a", "c": ""}, "c")

    def said(letters):
        return check(Attempt(Case("the proof"), letters, print))

    assert said("ab") is None
    assert "more than once" in said("aba")
    assert "no step (x)" in said("axb")
    assert "missing" in said("a")
    assert "not true" in said("abc")


@given(st.integers(0, 10**6), st.integers(4, 7))
def test_best_two_clusters_are_the_best_of_all_labellings(seed, n):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    labellings = [np.array(bits) for bits in np.ndindex(*[2] * n) if 0 < sum(bits) < n]
    least = min(kmeans_objective(X, labels) for labels in labellings)
    assert kmeans_objective(X, best_two_clusters(X)) == pytest.approx(least)
    assert rounding_ratio(X) >= 1 - 1e-9


def test_any_map_that_shows_the_lines_is_accepted_and_a_turned_one_too():
    ex = opened(all_exercises()["1.6"])
    W = ex.spec.reference(*ex.data.values())
    for answer in (W, -3 * W, W @ [[0.6, 0.8]], W.tolist()):
        assert ex.check(answer).passed


def test_rounding_is_judged_up_to_the_names_of_the_clusters():
    ex = opened(all_exercises()["2.3"])
    assert ex.check(lambda A, k: (ex.spec.reference(A, k) + 1) % k).passed


def test_combined_mistakes_get_the_witness_and_the_mistake_that_shows_there():
    ex = opened(all_exercises()["1.1"])

    def two_mistakes(labels, n_clusters):
        sizes = np.bincount(labels, minlength=n_clusters)
        return np.eye(n_clusters)[labels] / np.where(sizes == 0, 0.5, sizes)

    assert ex.check(two_mistakes).mistake == "divided by the size"


# --------------------------------------------------------------------------------- the engine


@pytest.fixture
def toy():
    return opened(TOY)


def test_outcome_is_one_line_and_its_reason():
    outcome = Outcome("Exercise 9.1", Status.WRONG, "first\nsecond")
    assert repr(outcome) == "Exercise 9.1: wrong\n  first\n  second"


def test_outcome_in_html_has_a_symbol_and_the_word_and_is_escaped():
    symbols = {status.symbol for status in Status}
    assert len(symbols) == len(Status) == 5
    html = Outcome("Exercise 9.1", Status.WRONG, "a < b")._repr_html_()
    assert Status.WRONG.symbol in html and "wrong" in html and "a &lt; b" in html
    assert "<pre>1 &lt; 2</pre>" in Note("Hint", "", "1 < 2")._repr_html_()


def test_wrong_answer_gets_a_witness_without_the_expected_value(toy):
    outcome = toy.check(lambda x: 2 * x + 1)
    assert outcome.status is Status.WRONG and outcome.mistake is None
    assert outcome.reason.startswith("for the numbers in your data: your entry at (")
    assert outcome.reason.endswith("is too large")


def test_error_is_told_with_the_readers_own_line(toy):
    def broken(x):
        y = x + 1
        return y / undefined  # noqa: F821

    outcome = toy.check(broken)
    assert outcome.status is Status.RAISED
    assert "NameError: name 'undefined' is not defined" in outcome.reason
    assert "line 3 of broken: return y / undefined" in outcome.reason


def test_wrong_number_of_arguments_is_told(toy):
    outcome = toy.check(lambda: 1)
    assert outcome.status is Status.RAISED and "argument" in outcome.reason


def test_exit_in_an_answer_does_not_end_the_kernel(toy):
    def leaves(x):
        raise SystemExit

    assert toy.check(leaves).status is Status.RAISED


def test_stub_that_raises_not_implemented_is_not_attempted(toy):
    def stub(x):
        raise NotImplementedError

    assert toy.check(stub).status is Status.NOT_ATTEMPTED


def test_generator_stub_is_not_attempted():
    def stub(X, centers):
        yield ...

    ex = opened(all_exercises()["2.6"])
    assert ex.check(stub).status is Status.NOT_ATTEMPTED
    assert ex.debug(stub).status is Status.NOT_ATTEMPTED


def test_value_in_place_of_a_function_and_the_other_way_round_are_explained(toy):
    assert "the function itself" in toy.check(np.ones(3)).reason
    assert "not a function" in opened(all_exercises()["1.6"]).check(np.eye).reason


def test_endless_answer_is_stopped_and_its_thread_ends(toy, monkeypatch):
    monkeypatch.setattr(run, "TIME_LIMIT", 0.2)
    inside = []

    def endless(x):
        inside.append(threading.current_thread())
        while True:
            try:
                x = x + 1
            except Exception:
                continue

    outcome = toy.check(endless)
    assert outcome.status is Status.RAISED and "longer than 0.2 s" in outcome.reason
    inside[0].join(HANGS)
    assert not inside[0].is_alive()


def test_waiting_counts_a_tenth_and_the_processor_never_more_than_the_real_time(monkeypatch):
    now = SimpleNamespace(real=0.0, busy=0.0)
    clocks = SimpleNamespace(perf_counter=lambda: now.real, process_time=lambda: now.busy)
    monkeypatch.setattr(run, "time", clocks)
    spent = run.stopwatch()
    for now.real, now.busy, seconds in [(30, 2, 3), (30, 9, 9), (30, 50, 30)]:
        assert spent() == seconds


def test_a_page_that_is_open_for_an_hour_still_checks_answers(toy, monkeypatch):
    def overrun():
        raise RuntimeError("the processor time used is not available")  # in a page, after 2^31 us

    monkeypatch.setattr(run.time, "process_time", overrun)
    monkeypatch.setattr(run, "in_browser", lambda: True)
    assert toy.check(lambda x: 2 * x).status is Status.CORRECT


def test_answer_that_only_waits_is_stopped_too(toy, monkeypatch):
    monkeypatch.setattr(run, "TIME_LIMIT", 0.05)
    never = threading.Event()
    outcome = toy.check(lambda x: never.wait(HANGS))
    never.set()
    assert outcome.status is Status.RAISED and "longer than 0.05 s" in outcome.reason


def test_answer_cannot_change_the_data(toy):
    before = toy.data.x

    def greedy(x):
        x *= 2
        return x

    outcome = toy.check(greedy)
    assert outcome.status is Status.CORRECT_BUT
    assert "changes its argument x" in outcome.reason
    toy.data.x[:] = 0
    assert np.array_equal(toy.data.x, before)


def test_warning_and_slowness_make_a_right_answer_correct_but(toy, monkeypatch):
    def warns(x):
        np.log(np.zeros(1))
        return 2 * x

    assert "warns: divide by zero" in toy.check(warns).reason
    monkeypatch.setattr(judge, "SLOW_SECONDS", -1.0)
    monkeypatch.setattr(judge, "SLOW_FACTOR", 0.0)
    assert "slow" in toy.check(doubled).reason
    monkeypatch.setattr(judge, "SLOW_FACTOR", np.inf)  # a slow machine is not a slow answer
    assert toy.check(doubled).status is Status.CORRECT


def test_loop_and_dtype_and_shape_are_remarked():
    def looped(labels, n_clusters):
        Y = np.zeros((len(labels), n_clusters))
        for i, label in enumerate(labels):
            Y[i, label] = 1 / np.sqrt(np.sum(labels == label))
        return Y

    ex = opened(all_exercises()["1.1"])
    assert "loops" in ex.check(looped).reason
    halved = ex.check(lambda labels, k: ex.spec.reference(labels, k).astype("float32"))
    assert halved.status in (Status.WRONG, Status.CORRECT_BUT)

    trace = opened(all_exercises()["1.2"])
    boxed = trace.check(lambda X, Y: np.array([[trace.spec.reference(X, Y)]]))
    assert "shape (1, 1)" in boxed.reason and boxed.status is Status.CORRECT_BUT


def test_property_may_ask_the_answer_again_on_changed_data():
    case = Case("x", x=np.ones(2), k=3)
    attempt = Attempt(case, None, lambda x, k: x.sum() + k)
    assert attempt.again(k=5) == 7.0


def test_answer_that_raises_on_changed_data_only_is_told_so():
    picky = replace(TOY, properties=[lambda attempt: attempt.again(x=None)])
    outcome = opened(picky).check(doubled)
    assert "on slightly changed data it raises TypeError: unsupported" in outcome.reason


def test_hints_come_one_at_a_time_and_are_counted(toy):
    assert repr(toy.hint()) == "Hint 1 of 2: First."
    assert repr(toy.hint()) == "Hint 2 of 2: Second."
    assert "First.\nSecond." in repr(toy.hint())
    assert toy.progress.records["9.1"].hints == 2


def test_solution_shows_why_and_the_code_and_is_counted(toy):
    assert "Two times it." in repr(toy.solution())
    assert "return 2 * x" in repr(toy.solution())
    assert toy.progress.records["9.1"].solutions == 2


def test_debug_names_the_step_and_quantity_at_which_the_streams_part():
    ex = opened(all_exercises()["2.6"])
    wrong = next(m.wrong for m in ex.spec.mistakes if m.name == "objective before the update")
    assert repr(ex.debug(wrong)).startswith("step 0: objective")
    agreed = ex.debug(ex.spec.reference)
    assert agreed
    first = [next(ex.spec.reference(*ex.data.values()))]
    assert ex.debug(first)
    assert ex.debug(lambda X, centers: 1 / 0).status is Status.RAISED


def test_debug_of_an_exercise_without_states_says_what_to_do(toy):
    with pytest.raises(ValueError, match=r"Exercise 9\.1 yields no states"):
        toy.debug([])


def test_unknown_exercise_names_the_known_ones():
    with pytest.raises(ValueError, match=r"no exercise '7\.77': choose one of 1\.1, 1\.2"):
        exercise("7.77")


def test_data_names_what_it_has(toy):
    with pytest.raises(AttributeError, match="are x; no y"):
        _ = toy.data.y
    assert repr(toy) == "Exercise 9.1, double it\n  data: x (3 numbers)"


def test_page_shows_the_steps_of_a_proof():
    ex = opened(all_exercises()["1.7"])
    assert repr(ex).count("\n  (") == 5
    assert "(e) Summing over k" in ex._repr_html_()


def test_under_nbgrader_a_failed_check_raises(toy, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert toy.check(doubled).passed
    with pytest.raises(AssertionError, match=r"Exercise 9\.1: not attempted"):
        toy.check(...)


# --------------------------------------------------------------------------------- the widget


def test_panel_checks_the_answer_of_that_name_as_it_is_now():
    names = {}
    ex = opened(all_exercises()["1.7"])
    panel = ex.panel("wrong_step", names)
    assert "not attempted; chapter 1: 0 of 7 solved" in repr(panel)
    panel.check.click()
    assert "run the cell that defines wrong_step first" in panel.said.value
    names["wrong_step"] = "b"
    panel.check.click()
    assert "it is not (b)" in panel.said.value and panel.bar.value == 0
    names["wrong_step"] = "d"
    panel.check.click()
    assert "correct" in panel.said.value and panel.bar.value == 1
    assert panel.state.value == "Exercise 1.7: correct (2 checks); chapter 1: 1 of 7 solved"


def test_panel_gives_hints_and_the_solution_only_when_asked():
    ex = opened(TOY)
    panel = ex.panel("answer", {})
    assert panel.said.value == ""
    panel.hint.click()
    assert "Hint 1 of 2" in panel.said.value
    panel.solution.click()
    assert "return 2 * x" in panel.said.value
    assert "1 hint, 1 solution" in panel.state.value


def test_panel_is_shown_as_widgets_with_stable_text():
    panel = opened(TOY).panel("answer", {})
    bundle = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"] == repr(panel)
    assert "0x" not in repr(panel)


def test_permutations_of_letters_are_read_however_they_are_written():
    ex = opened(all_exercises()["2.2"])
    for answer in ("cfaebg", "C, F, A, E, B, G", list("cfaebg"), ("c", "f", "a", "e", "b", "g")):
        assert ex.check(answer).passed
    right = [p for p in map("".join, permutations("cfaebg")) if ex.check(p).passed]
    assert set(right) == {"cfaebg", "cfabeg", "cfeabg"}
