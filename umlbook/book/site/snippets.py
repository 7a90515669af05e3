"""The pieces of HTML of which the outputs on a page are made."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from html import escape

from umlbook.book.page.frames import Frames, Step
from umlbook.book.page.stepper import LAMPS

MATHS = "tex2jax_process"  # the class of HTML in which dollars mean a formula
SIGNS = {word: sign for sign, word, _ in LAMPS.values()}


def output(html: str, kind: str = "") -> str:
    """Return an output's HTML in its frame."""
    return f'<div class="{" ".join(filter(None, ["output", kind, MATHS]))}">{html}</div>'


def note(html: str) -> str:
    """Return the sentence that says where the live form is."""
    return f'<p class="live">{html}</p>'


def picture_size(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG, in pixels."""
    width, height = struct.unpack_from(">II", png, 16)
    return width, height


def _image(address: str, size: tuple[int, int], alt: str) -> str:
    width, height = size
    return f'<img src="{escape(address)}" width="{width}" height="{height}" alt="{escape(alt)}">'


def figure(address: str, size: tuple[int, int], sentence: str) -> str:
    """Return a figure whose caption is its sentence."""
    return (
        f'<figure class="output picture">{_image(address, size, sentence)}'
        f'<figcaption class="{MATHS}">{escape(sentence)}</figcaption></figure>'
    )


def quiz(text: str, live: str) -> str:
    """Return a question and its answers, as they are printed, as a list."""
    question, *answers = text.split("\n")
    label, _, prompt = question.partition(": ")
    items = "".join(
        f"<li>{escape(re.sub(r'^ *[(][a-z][)] ', '', answer))}</li>" for answer in answers
    )
    asked = f"<p><b>{escape(label)}</b>: {escape(prompt)}</p>"
    return output(f'{asked}<ol type="a">{items}</ol>{note(live)}', "twin")


def stepper(
    frames: Frames, addresses: Sequence[str], size: tuple[int, int], table: str, name: str
) -> str:
    """Return a stepper in plain HTML; ``stepper.js`` moves it.

    Parameters
    ----------
    frames : Frames
        What the steps say.
    addresses : sequence of str
        Where the pictures of the steps are.
    size : tuple of int
        Width and height of the pictures.
    table : str
        HTML of the table of iterations, which stands under the stepper, folded.
    name : str
        A name of its own on this page.
    """
    steps = "".join(
        _step(step, address, size, first=number == 0)
        for number, (step, address) in enumerate(zip(frames.steps, addresses, strict=True))
    )
    first = escape(frames.steps[0].sentence)
    return (
        f'<figure class="output stepper" role="group" aria-labelledby="{name}">'
        f'<p class="heading" id="{name}">{escape(frames.heading)}</p>'
        f"{_controls(len(frames.steps), name)}{_equations(frames.equations)}{steps}"
        f'<figcaption role="status" aria-live="polite">{first}</figcaption>'
        f"<details><summary>All steps as a table</summary>{table}</details></figure>"
    )


def _controls(n_steps: int, name: str) -> str:
    if n_steps == 1:
        return ""
    return (
        '<div class="controls">'
        '<button type="button" data-go="-1" aria-disabled="true">◀ Previous</button>'
        f'<input type="range" min="0" max="{n_steps - 1}" value="0" '
        f'aria-label="Step" aria-describedby="{name}">'
        '<button type="button" data-go="1">Next ▶</button></div>'
    )


def _step(step: Step, address: str, size: tuple[int, int], *, first: bool) -> str:
    lamps = "".join(_lamp(name, word) for name, word in step.lamps.items())
    return (
        f'<div class="step{" now" * first}" data-says="{escape(step.sentence)}">'
        f"{_image(address, size, step.sentence)}{_equations(step.equations)}"
        f'<p class="lamps">{lamps}</p></div>'
    )


def _lamp(name: str, word: str) -> str:
    look = word.replace(" ", "-")  # the class: holds, broken, not-yet
    return (
        f'<span><span class="lamp {look}" aria-hidden="true">{SIGNS[word]}</span> '
        f"{escape(name)}: {word}</span>"
    )


def _equations(lines: Sequence[str]) -> str:
    return "".join(f'<div class="math">\\[{escape(line, quote=False)}\\]</div>' for line in lines)
