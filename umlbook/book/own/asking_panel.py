"""The panel of an interview: two rows beside each other, a map, and buttons for the answers.

It is made of plain controls that Tab reaches and keys operate. What it does is in methods that a
test, or a reader without a mouse, can call: `reply`, `ask_about`, `export`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import numpy as np

from umlbook.asking.answers import UNDO
from umlbook.book.own.interview import SAID, STRATEGY, Interview
from umlbook.book.own.methods import pair_model
from umlbook.book.own.pair_page import pair_map, pair_pictures, pair_table, picture_shape
from umlbook.book.own.preparing import prepared
from umlbook.book.page.figures import image_html, png_bytes

KEYS = {"t": "together", "a": "apart", "d": "unknown", "u": "undo"}
MOST_ROWS = 1500


class AskingPanel:
    """Asks which rows belong together, and clusters by the answers.

    Attributes
    ----------
    interview : Interview
        The question, the answers and the clusters.
    status : str
        What the panel has done, or what went wrong.
    widget : ipywidgets.VBox
        The panel.
    """

    def __init__(self, interview: Interview) -> None:
        self.interview = interview
        self._build()
        count, name = interview.n_answers, interview.journal.name
        earlier = f"{count} earlier answers were read from {name}."
        self._show(earlier if count else f"Every answer is kept in {name}.")

    # ---- what the buttons do

    def reply(self, reply: str) -> None:
        """Answer the question that is shown: together, apart, unknown or undo."""
        self._show(self.interview.reply(reply))

    def ask_about(self, first: int, second: int) -> None:
        """Show two rows of the reader's choice, by their numbers in the file."""
        self._show(self.interview.ask_about(first, second))

    def export(self) -> None:
        """Write the answers, and the clusters before and after, as CSV files."""
        try:
            names = " and ".join(path.name for path in self.interview.export())
        except OSError as error:
            self._say(f"This does not work: {error}")
        else:
            self._say(f"Written: {names}.")

    # ---- the controls

    def _build(self) -> None:
        self._buttons = {
            reply: widgets.Button(description=f"{words} ({key})", tooltip=f"Key: {key}, then Enter")
            for key, (reply, words) in zip(
                KEYS, [*SAID.items(), (UNDO, "undo")], strict=True
            )
        }  # fmt: skip
        for reply, button in self._buttons.items():
            button.on_click(lambda _, reply=reply: self.reply(reply))
        wide = {"layout": widgets.Layout(width="min(100%, 30em)"),
                "style": {"description_width": "9em"}, "continuous_update": False}  # fmt: skip
        self._key = widgets.Text(description="Key", placeholder="t, a, d or u, then Enter", **wide)
        self._own = widgets.Text(
            description="Ask about rows", placeholder="two numbers, then Enter", **wide
        )
        self._key.observe(self._on_key, "value")
        self._own.observe(self._on_own, "value")
        self._write = widgets.Button(description="Export", tooltip="Write the answers as CSV")
        self._write.on_click(lambda _: self.export())
        self._status, self._page = widgets.HTML(), widgets.HTML()
        row = widgets.Layout(flex_flow="row wrap")
        buttons = widgets.HBox([*self._buttons.values(), self._write], layout=row)
        self.widget = widgets.VBox([self._page, buttons, self._status, self._key, self._own])

    def _on_key(self, change: dict[str, Any]) -> None:
        typed = change["new"].strip().lower()
        if typed:
            self._key.value = ""
            if typed in KEYS:
                self.reply(KEYS[typed])
            else:
                self._say(f"{typed!r} is no key: {', '.join(KEYS)} are.")

    def _on_own(self, change: dict[str, Any]) -> None:
        typed = change["new"].replace(",", " ").split()
        if typed:
            self._own.value = ""
            if len(typed) == 2 and all(word.isdecimal() for word in typed):
                self.ask_about(int(typed[0]), int(typed[1]))
            else:
                self._say("Two row numbers are wanted, such as 12 40.")

    def _say(self, words: str) -> None:
        self.status = words
        text = f"{escape(words)}<br>{escape(self.interview.summary)}"
        self._status.value = f'<p role="status" style="max-width:44em">{text}</p>'

    def _show(self, words: str) -> None:
        self._page.value = self._pictured()
        self._say(words)

    # ---- the question as a page

    def _pictured(self) -> str:
        head = f"<p><b>{escape(self.interview.question)}</b></p>"
        if self.interview.pair is None:
            return head
        shape = picture_shape(self.interview.data.names)
        first = (
            pair_table(self.interview.data, *self.interview.pair).html()
            if shape is None
            else image_html(
                png_bytes(pair_pictures(self.interview.data, *self.interview.pair, shape)),
                self.interview.question,
            )
        )
        together = (
            "the same cluster"
            if np.ptp(self.interview.labels[list(self.interview.pair)]) == 0
            else "two clusters"
        )
        alt = f"A map of all rows with the two that are asked about; they are in {together} now."
        image = image_html(
            png_bytes(pair_map(self.interview.data, self.interview.labels, *self.interview.pair)),
            alt,
        )
        return f'{head}<div style="display:flex;flex-wrap:wrap;gap:1em">{first}{image}</div>'

    # ---- the static twin

    def __repr__(self) -> str:
        names = [*(button.description for button in self._buttons.values()), "Export"]
        asked = self.interview
        shown = "" if asked.pair is None else f"\n{pair_table(asked.data, *asked.pair)}"
        buttons = " ".join(f"[{name}]" for name in names)
        return f"{asked.question}{shown}\n{buttons}\n{self.status}\n{asked.summary}"

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        words = f"<p>{escape(self.status)}</p><p>{escape(self.interview.summary)}</p>"
        # Without its pictures: their bytes differ between machines, and tests compare this text.
        page = re.sub(r"<img[^>]*>", "", self._pictured()) + words
        return {**self.widget._repr_mimebundle_(), "text/html": page, "text/plain": repr(self)}


def ask_pairs(
    path: str | Path,
    n_clusters: int = 3,
    *,
    columns: Sequence[str] | None = None,
    scaling: str = "standard",
    missing: str = "drop",
    model: Any = None,
    strategy: str = STRATEGY,
    folder: str | Path = ".",
    seed: int = 0,
    refit_every: int | None = None,
) -> AskingPanel:
    """Return a panel that asks which rows of a file belong together.

    Parameters
    ----------
    path : str or Path
        A text file of rows; see `prepared` for this and `columns`, `scaling` and `missing`.
    n_clusters : int
        K.
    model : estimator, optional
        Fitted to X, ``must_link`` and ``cannot_link``.
    strategy : {"doubt", "uncertain", "explore", "random"}
        Chooses the questions; see `umlbook.asking`.
    folder : str or Path
        Where the answers are kept, and the export is written.
    seed : int
        Of the sample of a large file, of the model and of the questions.
    refit_every : int, optional
        After how many answers the clusters are made anew; by default after each one, and of more
        than 500 rows after every fifth.

    Returns
    -------
    AskingPanel
        Displays as the panel; prints as the question and what was answered.
    """
    data = prepared(path, columns, scaling=scaling, missing=missing, max_rows=MOST_ROWS, seed=seed)
    chosen_model = pair_model(n_clusters, seed) if model is None else model
    asked = Interview(
        data, n_clusters, chosen_model, strategy=strategy, folder=folder, seed=seed,
        refit_every=refit_every,
    )  # fmt: skip
    return AskingPanel(asked)
