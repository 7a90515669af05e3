"""Quiz questions: one right choice, a reason for each, and no answer in the page's source."""

import json
import re
from pathlib import Path

import pytest

from umlbook.book.exercises.bank import all_questions
from umlbook.book.exercises.model import Choice, Question, Status
from umlbook.book.exercises.progress import Progress
from umlbook.book.exercises.quiz import Quiz, quiz

QUESTIONS = list(all_questions().values())
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def shown(question):
    return Quiz(question, Progress())


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_exactly_one_letter_is_right_and_each_has_its_own_reason(question):
    outcomes = [shown(question).answer(letter) for letter in question.by_letter]
    assert sum(outcome.passed for outcome in outcomes) == 1
    assert len({outcome.reason for outcome in outcomes}) == len(question.choices) >= 3


def test_every_question_is_shown_once_in_the_chapter_of_its_number():
    asked = [
        (question_id, path.stem[:2])
        for path in sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for question_id in re.findall(r'^quiz\("(.+?)"\)', "".join(cell["source"]), re.M)
    ]
    assert sorted(asked) == sorted((q.id, f"{int(q.id.split('.')[0]):02}") for q in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_text_shows_all_choices_and_no_reason(question):
    text = repr(shown(question))
    assert question.prompt in text
    for choice in question.choices:
        assert choice.text in text
        assert choice.why not in text


def test_right_letter_is_not_always_the_same():
    right = {q.id: next(k for k, c in q.by_letter.items() if c.right) for q in QUESTIONS}
    assert len(set(right.values())) > 1


def test_answer_is_recorded():
    progress = Progress()
    question = Quiz(QUESTIONS[0], progress)
    question.answer(" (B) ")
    assert progress.records[QUESTIONS[0].id].checks == 1


def test_letter_that_is_no_choice_is_refused():
    with pytest.raises(ValueError, match="one of the letters a, b, c, got 'z'"):
        shown(QUESTIONS[0]).answer("z")


def test_unknown_question_names_the_known_ones():
    with pytest.raises(ValueError, match=r"no question '9\.q9': choose one of .*1\.q1"):
        quiz("9.q9")


def test_question_without_a_right_choice_is_refused():
    with pytest.raises(ValueError, match="0 right choices"):
        Question("9.q1", "?", [Choice("yes", "no"), Choice("no", "no")])


def test_click_on_a_radio_button_says_why():
    question = QUESTIONS[0]
    _, radio, said = shown(question).view().children
    assert radio.value is None and said.value == "Choose an answer."
    for letter, choice in question.by_letter.items():
        radio.value = letter
        status = Status.CORRECT if choice.right else Status.WRONG
        assert f"<strong>{status}</strong>" in said.value and f"({letter})" in said.value


def test_quiz_is_shown_as_widgets_with_stable_text():
    bundle = shown(QUESTIONS[0])._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"] == repr(shown(QUESTIONS[0]))
