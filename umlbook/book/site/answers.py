"""Questions that answer on a page: quizzes, steps to choose from, and proofs to put in order.

What a page says to an answer comes from the bank of the exercises. It stands in the page in base64,
which is no secret, but nothing that is read by accident. ``answers.js`` and ``proof.js`` read it,
and take away the sentence that says where to answer without them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from umlbook.book.exercises.bank import all_exercises, all_questions
from umlbook.book.exercises.bank.properties import Ordered, OrderSign
from umlbook.book.exercises.judge import judge
from umlbook.book.exercises.model import Exercise, Outcome, Question, Status
from umlbook.book.site.snippets import note, output


def veiled(value: object) -> str:
    """Return data as text that cannot be read at a glance.

    Examples
    --------
    >>> veiled({"b": "right"})
    'eyJiIjogInJpZ2h0In0='
    """
    return base64.b64encode(json.dumps(value, ensure_ascii=False).encode()).decode()


def _said(outcome: Outcome) -> dict[str, Any]:
    """What a page shows of an outcome."""
    return {
        "sign": outcome.status.symbol,
        "word": outcome.status.value,
        "why": outcome.reason,
        "right": outcome.passed,
    }


# ----------------------------------------------------------------------- one of a few answers


def quiz(question: Question, live: str) -> str:
    """Return a quiz as a question that answers.

    Parameters
    ----------
    question : Question
        From the bank.
    live : str
        HTML of the sentence that says where to answer without the script.
    """
    choices = question.by_letter
    status = {True: Status.CORRECT, False: Status.WRONG}
    said = {
        letter: _said(Outcome("", status[choice.right], f"({letter}) {choice.why}"))
        for letter, choice in choices.items()
    }
    texts = {letter: choice.text for letter, choice in choices.items()}
    return _question(f"Quiz {question.id}", question.prompt, texts, said, live)


def printed_question(text: str) -> Question | None:
    """Return the question that an output prints; None when it is something else."""
    found = re.match(r"Quiz ([\w.]+): ", text)
    return all_questions().get(found[1]) if found else None


def _question(
    label: str, prompt: str, choices: Mapping[str, str], said: Mapping[str, Any], live: str
) -> str:
    """A question whose choices are radio buttons."""
    name = re.sub(r"\W+", "-", label.lower())
    radios = "".join(
        f'<label><input type="radio" name="{name}" value="{letter}"> '
        f"<span>({letter}) {escape(text)}</span></label>"
        for letter, text in choices.items()
    )
    legend = f"<legend><b>{escape(label)}</b>: {escape(prompt)}</legend>"
    return output(
        f'<form class="question" data-label="{escape(label)}" data-said="{veiled(said)}">'
        f'<fieldset>{legend}{radios}</fieldset><button type="submit" hidden>Check</button>'
        f'<div class="verdict" role="status"></div>{note(live)}</form>',
        "twin",
    )


# ------------------------------------------------------------------------------------- proofs


def puzzle(exercise_id: str, live: str) -> list[str]:
    """Return an exercise on the steps of a proof as something to play with; other kinds: nothing.

    Parameters
    ----------
    exercise_id : str
        Chapter and number.
    live : str
        HTML of the sentence that says where to answer without the script.
    """
    spec = all_exercises().get(exercise_id)
    if spec is None or spec.kind not in ("choice", "order"):
        return []
    if spec.kind == "order":
        return [_proof(spec, live)]
    cases = spec.cases(np.random.default_rng(0))
    said = {letter: _said(judge(spec, letter, cases)) for letter in spec.steps}
    return [_question(spec.label, f"{spec.title}.", spec.steps, said, live)]


def order_rules(spec: Exercise) -> dict[str, Any]:
    """Return what makes an order of steps right, and the mistakes that are known by name, as data.

    ``proof.js`` judges by it as `judge` does; a test holds the two together.
    """
    (rule,) = spec.properties
    assert isinstance(rule, Ordered), f"{spec.label} is judged by something else than an order"
    mistakes = []
    for mistake in spec.mistakes:
        sign = mistake.recognises
        assert isinstance(sign, OrderSign), f"{spec.label} knows {mistake.name} by something else"
        mistakes.append({"rule": sign.rule, "steps": sign.steps, "message": mistake.message})
    return {"needs": rule.needs, "false": rule.false_steps, "mistakes": mistakes}


def _proof(spec: Exercise, live: str) -> str:
    """A proof whose steps are put in order."""
    steps = "".join(
        f'<li data-step="{letter}"><span>({letter}) {escape(text)}</span></li>'
        for letter, text in spec.steps.items()
    )
    signs = {status.value: status.symbol for status in Status}
    rules = veiled(order_rules(spec) | {"signs": signs})
    return output(
        f'<div class="proof" data-label="{spec.label}" data-rules="{rules}">'
        f"<p><b>{spec.label}</b>: {escape(spec.title)}.</p>"
        '<div class="yours" hidden><p>Your proof</p><ol></ol></div>'
        f'<div class="pool"><p>The steps, shuffled</p><ul>{steps}</ul></div>'
        '<button type="button" class="check" hidden>Check</button>'
        f'<div class="verdict" role="status"></div>{note(live)}</div>',
        "twin",
    )
