"""Quiz questions: ``quiz("1.q1")`` shows one; a click, or ``.answer("b")``, says right or why not.

The page shows the id alone. Choices, the right one and the reason for each live in the bank, so
the notebook's source does not give the answer away.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

import ipywidgets

from umlbook.book.exercises.bank import all_questions
from umlbook.book.exercises.model import Outcome, Question, Status
from umlbook.book.exercises.progress import SESSION, Progress
from umlbook.book.page.twin import Twinned, live_view


class Quiz(Twinned):
    """A question on the page: radio buttons in a live notebook, plain text everywhere."""

    def __init__(self, question: Question, progress: Progress) -> None:
        self.question = question
        self.progress = progress
        progress.opened(question.id, self.label)

    @property
    def label(self) -> str:
        """The name on the page."""
        return f"Quiz {self.question.id}"

    def answer(self, letter: str) -> Outcome:
        """Judge a choice by its letter and say why."""
        choices = self.question.by_letter
        key = letter.strip(" ()").lower() if isinstance(letter, str) else letter
        if key not in choices:
            raise ValueError(f"answer with one of the letters {', '.join(choices)}, got {letter!r}")
        status = Status.CORRECT if choices[key].right else Status.WRONG
        outcome = Outcome(self.label, status, f"({key}) {choices[key].why}")
        self.progress.checked(self.question.id, outcome)
        return outcome

    def __repr__(self) -> str:
        lines = [f"({letter}) {c.text}" for letter, c in self.question.by_letter.items()]
        return "\n  ".join([f"{self.label}: {self.question.prompt}", *lines])

    def view(self) -> ipywidgets.VBox:
        """The question as radio buttons with a line under them that says how it went."""
        options = [
            (f"({letter}) {c.text}", letter) for letter, c in self.question.by_letter.items()
        ]
        radio = ipywidgets.RadioButtons(
            options=options, index=None, layout=ipywidgets.Layout(width="auto")
        )
        said = ipywidgets.HTML("Choose an answer.")

        def judge(change: Mapping[str, Any]) -> None:
            if change["new"] is not None:
                said.value = self.answer(change["new"])._repr_html_()

        radio.observe(judge, names="value")
        return ipywidgets.VBox([ipywidgets.HTML(self._prompt), radio, said])

    @property
    def _prompt(self) -> str:
        return f"<strong>{escape(self.label)}</strong>: {escape(self.question.prompt)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        choices = "".join(
            f"<li>({letter}) {escape(c.text)}</li>" for letter, c in self.question.by_letter.items()
        )
        html = f'<p>{self._prompt}</p><ul style="list-style:none">{choices}</ul>'
        return {**live_view(self.view()), "text/html": html, "text/plain": repr(self)}


def quiz(question_id: str, *, progress: Progress | None = None) -> Quiz:
    """Show a question of the book; answer by a click or with ``.answer("b")``."""
    bank = all_questions()
    if question_id not in bank:
        raise ValueError(f"there is no question {question_id!r}: choose one of {', '.join(bank)}")
    return Quiz(bank[question_id], SESSION if progress is None else progress)
