"""What a reader predicts before a picture is shown, and what the page says afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import ipywidgets as widgets


@dataclass(frozen=True)
class Prediction:
    """A question, the predictions to choose from, and the answer with its reason.

    Attributes
    ----------
    question : str
        What to predict.
    choices : tuple of str
        The predictions to choose from; without them the reader writes one.
    answer : str
        What is true: one of `choices` where there are some; empty when the page leaves it open.
    because : str
        Why, in a sentence.
    """

    question: str
    choices: tuple[str, ...] = ()
    answer: str = ""
    because: str = ""

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise ValueError(
                "question is empty: ask the reader to predict what the sliders will do"
            )
        if self.answer and self.choices and self.answer not in self.choices:
            raise ValueError(
                f"answer is {self.answer!r}: one of the choices {list(self.choices)} is expected"
            )
        if bool(self.answer) != bool(self.because.strip()):
            raise ValueError("give answer and because together: what is true, and why")

    @property
    def told(self) -> str:
        """The answer as the beginning of a sentence that goes on: without its full stop."""
        return self.answer.removesuffix(".")

    def reply(self, said: str) -> str:
        """Return what the panel says when the picture is first shown."""
        begin = f"You predict: <i>{escape(said)}</i>. Now move" if said else "Move"
        then = ", then press the button." if self.answer else "."
        return f"<p>{begin} a slider and see{then}</p>"

    def verdict(self, said: str) -> str:
        """Return whether a prediction held, and why, in words."""
        if not said or not self.choices:
            before = f"You predicted: {said}. " if said else ""
            return f"{before}The answer: {self.told}. {self.because}"
        if said == self.answer:
            return f"✓ Your prediction held: {self.told}. {self.because}"
        guess = said.removesuffix(".")
        return f"✗ You predicted: {guess}. The answer is another one: {self.told}. {self.because}"

    def verdict_html(self, said: str) -> str:
        """Return the verdict for the panel; a screen reader announces it."""
        words = escape(self.verdict(said))
        return f'<p role="status" style="max-width:44em;line-height:1.5"><b>{words}</b></p>'

    def text(self, shown: str) -> str:
        """Return question, choices, what the sliders show, and last the answer, as plain text."""
        choices = [f"  ( ) {choice}" for choice in self.choices]
        end = [f"Answer: {self.told}. {self.because}"] if self.answer else []
        return "\n".join([f"Predict: {self.question}", *choices, shown, *end])

    def html(self, shown: str) -> str:
        """Return the same as HTML, what the sliders show and the answer folded."""
        choices = "".join(f"<li>{escape(choice)}</li>" for choice in self.choices)
        parts = [
            f"<p><b>{escape(self.question)}</b></p>",
            f"<ul>{choices}</ul>" if choices else "",
            f"<details><summary>Predict, then open this.</summary>{shown}</details>",
        ]
        if self.answer:
            told = f"<p><b>{escape(self.told)}</b>. {escape(self.because)}</p>"
            parts.append(f"<details><summary>Was I right?</summary>{told}</details>")
        return "".join(parts)

    def widget(self) -> widgets.Widget:
        """Return the buttons to choose a prediction with, or a line to write one on."""
        if self.choices:
            return widgets.RadioButtons(
                options=list(self.choices), value=None, layout=widgets.Layout(width="auto")
            )
        return widgets.Text(
            placeholder="Write your prediction, then press Enter",
            continuous_update=False,
            layout=widgets.Layout(width="min(100%, 32em)"),
        )
