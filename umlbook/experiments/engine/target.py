"""What can be reproduced: a table or a figure of a paper, its printed cells beside ours.

A `Source` is a grid of cells with the work that does them; several targets may share one (three
tables of scores come from the same runs). A `Target` turns the rows of its source into
`Comparison` s, one for each printed cell, and into a picture where the paper has one.

Whether a cell is reproduced is decided in `umlbook.experiments.engine.agreement` and nowhere else.
A paper's module says how far its numbers scatter (`spread` there) and what it had to assume (the
note), and never judges.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from umlbook.experiments.engine.agreement import VERDICTS, deviations, is_close, verdict
from umlbook.experiments.engine.grid import Cell, Work
from umlbook.experiments.engine.storage import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Comparison:
    """One cell of a table: what is printed, what we find, and how far apart they are.

    Parameters
    ----------
    dataset, score, method
        Which cell.
    printed
        The number in the paper: None where it prints none, NaN where it cannot be read.
    ours
        Our number; None where there is none.
    spread
        Standard deviation of their difference if the experiment were repeated
        (`umlbook.experiments.engine.agreement.spread`).
    runs
        Runs behind our number.
    honest
        Our number with parameters chosen without labels, where the printed one used them.
    note
        What the paper leaves open, or why a number is missing; never whether the two agree.
    points
        What one unit of the score is in points: 1 where percents are printed.
    """

    dataset: str
    score: str
    method: str
    printed: float | None
    ours: float | None
    spread: float = 0.0
    runs: int = 0
    honest: float | None = None
    note: str = ""
    points: float = 100.0

    @property
    def deviations(self) -> float | None:
        """How many spreads ours lies above the printed number."""
        return deviations(self.printed, self.ours, self.spread)

    @property
    def verdict(self) -> str:
        """What the one rule says of this cell."""
        return verdict(self.printed, self.ours, self.spread)

    @property
    def close(self) -> bool | None:
        """Whether the two are within half a point; None where there are not two."""
        return is_close(self.printed, self.ours, self.points)

    def row(self) -> Row:
        """The comparison as a line of a table."""
        return {
            "data": self.dataset,
            "score": self.score,
            "method": self.method,
            "printed": _number(self.printed),
            "ours": _number(self.ours),
            "honest": _number(self.honest),
            "runs": self.runs or "",
            "deviations": _number(self.deviations, 1),
            "verdict": self.verdict,
            "within half a point": {True: "yes", False: "no", None: ""}[self.close],
            "note": self.note,
        }


def _number(value: float | None, digits: int = 3) -> float | str:
    return "" if value is None or math.isnan(value) else round(value, digits) + 0.0


@dataclass(frozen=True)
class Source:
    """A grid: the cells (few when quick), the work on one, and the rows stored with the package.

    Parameters
    ----------
    name
        Names the file that keeps the cells.
    cells
        From ``quick`` to the cells.
    work
        From a cell to its rows.
    stored
        The rows of the full grid, as they were stored.
    summed
        From the rows of the cells to rows like the stored ones, where these are sums.
    """

    name: str
    cells: Callable[[bool], list[Cell]]
    work: Work
    stored: Callable[[], list[Row]]
    summed: Callable[[list[Row]], list[Row]] = list


@dataclass(frozen=True)
class Target:
    """A table or a figure of a paper that can be computed again, or the reason why it cannot."""

    name: str
    paper: str
    what: str
    source: Source | None
    compare: Callable[[list[Row]], Iterable[Comparison]]
    draw: Callable[[list[Row], Figure], Any] | None = None

    def comparisons(self, rows: list[Row] | None = None) -> list[Comparison]:
        """Each cell beside ours, from these rows, or else from those stored with the package."""
        if rows is None:
            rows = self.source.stored() if self.source else []
        return list(self.compare(rows))


def close_count(comparisons: Iterable[Comparison]) -> int:
    """How many cells are within half a point of print."""
    return sum(bool(comparison.close) for comparison in comparisons)


def verdict_counts(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """How many cells were reproduced, differ, are not available, or have no number in print.

    >>> verdict_counts([Comparison("wine", "ACC", "k-means", 0.95, 0.95)])["reproduced"]
    1
    """
    counts = Counter(comparison.verdict for comparison in comparisons)
    return {word: counts[word] for word in VERDICTS}
