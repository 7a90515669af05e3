"""The pieces of HTML of which the outputs on a page are made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from umlbook.book.page.frames import Frames, Step
from umlbook.book.page.stepper import LAMPS

FENCE = "`" * 12  # longer than any run of backticks in a cell
MATHS = "tex2jax_process"  # the class of HTML in which dollars mean a formula
SIGNS = {word: sign for sign, word, _ in LAMPS.values()}


def raw(html: str) -> str:
    """Return HTML as a block that markdown leaves alone.

    Search strips the tags: without the line breaks neighbouring cells would be one word to it. What
    brings a script is left as it is, since a line break inside of a script can break it.
    """
    if "<script" not in html:
        html = re.sub(r"</(?:t[dh]|d[dt]|li|p|figcaption|caption|summary)>", r"\g<0>\n", html)
    return f"{FENCE}{{raw}} html\n{html}\n{FENCE}"


def output(html: str, kind: str = "") -> str:
    """Return an output's HTML in its frame."""
    return f'<div class="{" ".join(filter(None, ["output", kind, MATHS]))}">{html}</div>'


def note(html: str) -> str:
    """Return the sentence that says where the live form is."""
    return f'<p class="live">{html}</p>'


def tools(notebook: str) -> str:
    """Return what stands under the heading of a page: its notebook, and the switch for its code."""
    return (
        '<p class="tools">'
        f'<a href="{escape(notebook)}" download>Download this notebook</a>'
        '<button type="button" class="all-code" aria-pressed="false" hidden>Show all code</button>'
        "</p>"
    )


def _image(address: str, size: tuple[int, int], alt: str) -> str:
    width, height = size
    return f'<img src="{escape(address)}" width="{width}" height="{height}" alt="{escape(alt)}">'


def figure(address: str, size: tuple[int, int], sentence: str) -> str:
    """Return a figure whose caption is its sentence."""
    return (
        f'<figure class="output picture">{_image(address, size, sentence)}'
        f'<figcaption class="{MATHS}">{escape(sentence)}</figcaption></figure>'
    )


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
    speeds = "".join(
        f'<option value="{speed}"{" selected" * (speed == 1)}>{speed:g}×</option>'
        for speed in (0.5, 1, 2, 4)
    )
    return (
        '<div class="controls" hidden>'
        f'<button type="button" class="play" aria-describedby="{name}">▶ Play</button>'
        '<button type="button" data-go="-1" aria-disabled="true">Previous</button>'
        '<button type="button" data-go="1">Next</button>'
        f'<input type="range" min="0" max="{n_steps - 1}" value="0" '
        f'aria-label="Step" aria-describedby="{name}">'
        f'<label>Speed <select class="speed">{speeds}</select></label></div>'
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
