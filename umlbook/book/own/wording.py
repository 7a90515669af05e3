"""Parts of a page in words: a heading, sentences, a table, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from umlbook.book.page.tables import Table


def said(value: float | None) -> str:
    """Return a number with two digits; a dash if there is none."""
    return "-" if value is None or np.isnan(value) else f"{value + 0.0:.2f}"


def listed(head: str, lines: Sequence[str], shown: Table | None) -> str:
    """Return a part of a page as text."""
    words = [f"- {line}" for line in lines] if shown is None else lines
    return "\n".join([f"{head}:", *words, *([] if shown is None else [str(shown)])])


def html(head: str, lines: Sequence[str], shown: Table | None) -> str:
    """Return a part of a page as HTML."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    words = f'<ul style="max-width:44em">{items}</ul>' if lines else ""
    return f"<p><b>{escape(head)}</b></p>{words}{'' if shown is None else shown.html()}"
