"""An interview about the rows of a file: questions, answers on disk, and clusters by the answers.

Every answer is on disk before the next question is chosen (`umlbook.asking.journal`), with the rows
by their numbers in the file, so that a kernel that dies loses none and the interview goes on where
it was. `asking_panel` shows it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from umlbook.asking import Answer, Answers, Contradiction, journal
from umlbook.asking.answers import REPLIES, UNDO
from umlbook.asking.dialogue import checked_setting, chosen
from umlbook.asking.strategies import quietly
from umlbook.book.own.files import TableError
from umlbook.book.own.preparing import Prepared
from umlbook.constraints import satisfaction

STRATEGY = "explore"
SAID = {"together": "together", "apart": "apart", "unknown": "don't know"}
ONE_BY_ONE = 500
"""Rows up to which the clustering is made anew after every answer; beyond, after every fifth."""

Labels = NDArray[np.intp]


class Interview:
    """Questions about the rows of a file, and the clusters that follow the answers.

    Attributes
    ----------
    answers : Answers
        What was said about the rows of ``data.X``.
    pair : tuple of int or None
        The rows of ``data.X`` that are asked about; None when nothing is left to ask.
    before, labels : array (n,)
        The clusters without answers, and with them.
    """

    pair: tuple[int, int] | None

    def __init__(
        self, data: Prepared, n_clusters: int, model: Any, *, strategy: str = STRATEGY,
        folder: str | Path = ".", seed: int = 0, refit_every: int | None = None,
    ) -> None:  # fmt: skip
        self.data, self.folder = data, Path(folder).expanduser()
        self._every = refit_every or (1 if len(data.X) <= ONE_BY_ONE else 5)
        self._setting = checked_setting(data.X, n_clusters, model, 5, seed)
        self._choose = chosen(strategy)
        self._place = {int(row): place for place, row in enumerate(data.rows)}
        self._log = self._resumed()
        self.before = self._clusters(Answers(len(data.X)))
        self._go_on(forced=True)

    # ---- what was answered

    @property
    def n_answers(self) -> int:
        """How many answers are kept."""
        return len(self._log)

    @property
    def journal(self) -> Path:
        """The file that keeps the answers."""
        return self.folder / f"{self.data.path.stem}-answers.jsonl"

    def _resumed(self) -> list[tuple[int, int, str]]:
        """The answers in the journal: rows by their numbers in the file, and the reply."""
        try:
            events = journal.read(self.journal)
        except journal.NotAJournalError as error:
            raise TableError(str(error)) from error
        if not events:
            return []
        head, *events = events
        if head.get("n_rows") != self.data.n_rows:
            raise TableError(
                f"{self.journal.name} holds answers about a file of {head.get('n_rows')} rows, and "
                f"{self.data.path.name} has {self.data.n_rows}: move the answers away"
            )
        log: list[tuple[int, int, str]] = []
        for event in events:
            if event["reply"] == UNDO:
                log = log[:-1]
            else:
                log.append((*event["rows"], event["reply"]))
        return log

    @property
    def answers(self) -> Answers:
        """What was said about the rows of ``data.X``."""
        place = self._place
        given = (
            Answer(place[first], place[second], reply)
            for first, second, reply in self._log
            if first in place and second in place  # not left out by now
        )
        return Answers(len(self.data.X), tuple(given))

    def _keep(self, event: dict[str, Any]) -> None:
        if not self.journal.exists():
            head = {"file": self.data.path.name, "n_rows": self.data.n_rows}
            journal.append(self.journal, head)
        journal.append(self.journal, event)

    # ---- questions and answers

    def reply(self, reply: str) -> str:
        """Take the answer to the question that is open, and say what was done with it."""
        try:
            return self._undone() if reply == UNDO else self._answered(reply)
        except Contradiction as error:
            return self._contradiction(error)
        except (OSError, ValueError) as error:
            return f"This does not work: {error}"

    def _answered(self, reply: str) -> str:
        if self.pair is None:
            return "There is nothing left to ask: everything follows from your answers."
        rows = [int(self.data.rows[row]) for row in self.pair]
        self.answers.plus(*self.pair, reply)  # refuses a contradiction before it is kept
        self._keep({"rows": rows, "reply": reply})
        self._log.append((rows[0], rows[1], reply))
        self._go_on()
        return f"Kept: rows {rows[0]} and {rows[1]}, {SAID[reply]}."

    def _undone(self) -> str:
        if not self._log:
            return "There is no answer to undo."
        self._keep({"reply": UNDO})
        first, second, reply = self._log.pop()
        self._go_on(forced=True)
        return f"Undone: rows {first} and {second}, {SAID[reply]}."

    def ask_about(self, first: int, second: int) -> str:
        """Ask about two rows of the reader's choice, by their numbers in the file."""
        for row in (first, second):
            if row not in self._place:
                last = max(self._place)
                return f"There is no row {row} in use: rows are numbered 1 to {last}."
        if first == second:
            return f"Row {first} is with itself: name two rows."
        self.pair = self._place[first], self._place[second]
        return f"Your own question: rows {first} and {second}."

    def _contradiction(self, error: Contradiction) -> str:
        """What was refused and why, with the rows as the file numbers them."""
        rows = self.data.rows
        links = "; ".join(f"{rows[a.first]} and {rows[a.second]} {a.reply}" for a in error.chain)
        refused = error.refused
        return (
            f"Not kept: rows {rows[refused.first]} and {rows[refused.second]} cannot be "
            f"{refused.reply}, because you said: {links}. Answer otherwise, or undo back to the "
            "answer that is wrong."
        )

    @property
    def question(self) -> str:
        """The question that is shown, in words."""
        if self.pair is None:
            return "Nothing is left to ask: everything follows from your answers."
        first, second = (self.data.rows[row] for row in self.pair)
        return f"Do rows {first} (A) and {second} (B) belong together?"

    # ---- the clusters

    def _clusters(self, answers: Answers) -> Labels:
        model = self._setting.model
        return quietly(model, self.data.X, answers.must_link, answers.cannot_link)

    def _go_on(self, forced: bool = False) -> None:
        """Cluster again if it is time to, and choose the next question."""
        answers = self.answers
        if forced or len(answers.given) % self._every == 0:
            found = self._clusters(answers) if answers.given else self.before
            self.labels = renamed(found, self.before)
        self.pair = self._choose(self._setting, answers)

    @property
    def summary(self) -> str:
        """What the answers have changed, in words."""
        answers = self.answers
        pairs = answers.must_link, answers.cannot_link
        count = {word: sum(reply == word for *_, reply in self._log) for word in REPLIES}
        kinds = ", ".join(f"{count[word]} {SAID[word]}" for word in REPLIES)
        line = f"{len(self._log)} answers ({kinds})."
        if not len(np.concatenate(pairs)):
            return line
        shares = [satisfaction(labels, *pairs).overall for labels in (self.before, self.labels)]
        moved = int(np.sum(self.before != self.labels))
        return (
            f"{line} The clusters satisfied {shares[0]:.0%} of these pairs before and satisfy "
            f"{shares[1]:.0%} now; {moved} of {len(self.labels)} rows have changed their cluster. "
            f"Sizes {_sizes(self.before)} before, {_sizes(self.labels)} now."
        )

    # ---- to keep

    def export(self) -> tuple[Path, Path]:
        """Write the answers, and the cluster of each row before and after, as CSV files."""
        stem = self.folder / self.data.path.stem
        rows, before, after = self.data.rows, self.before, self.labels
        clusters = zip(rows.tolist(), before.tolist(), after.tolist(), strict=True)
        return (
            _written(Path(f"{stem}-answers.csv"), self.exported()),
            _written(Path(f"{stem}-asked-clusters.csv"), [("row", "before", "after"), *clusters]),
        )

    def exported(self) -> Iterator[list[Any]]:
        """The lines of the export: rows as the file numbers them, their texts, and the answer.

        `index_a` and `index_b` number the rows of ``data.X``, as ``must_link`` wants them; they are
        empty for a row that is not in use.
        """
        names = list(self.data.texts)
        texts = [f"{name}_{side}" for side in "ab" for name in names]
        yield ["row_a", "row_b", "index_a", "index_b", *texts, "answer"]
        for first, second, reply in self._log:
            places = [self._place.get(first), self._place.get(second)]
            known = [
                "" if p is None else str(self.data.texts[name][p]) for p in places for name in names
            ]
            yield [first, second, *("" if p is None else p for p in places), *known, SAID[reply]]


def _written(path: Path, rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


def renamed(labels: Labels, like: Labels) -> Labels:
    """The same clusters under the numbers of the clusters that they share most rows with.

    >>> renamed(np.array([1, 1, 0]), np.array([0, 0, 1]))
    array([0, 0, 1])
    """
    size = 1 + max(labels.max(), like.max())
    table = np.zeros((size, size), dtype=int)
    np.add.at(table, (labels, like), 1)
    return np.asarray(linear_sum_assignment(table, maximize=True)[1][labels])


def _sizes(labels: Labels) -> str:
    return ", ".join(map(str, np.bincount(labels)))
