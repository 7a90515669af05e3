"""What can be reproduced: a table or a figure of a paper, its printed cells beside ours.

A `Source` is a grid of cells with the work that does them; several targets may share one (three
tables of scores come from the same runs). A `Target` turns the rows of its source into
`Comparison` s, one for each printed cell, and into a picture where the paper has one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from umlbook.experiments.grid import Cell, Work
from umlbook.experiments.storage import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPRODUCED, DIFFERS, MISSING = "reproduced", "differs", "cannot be had"
NOT_RUN, NO_NUMBER = "not run", "no number printed"
VERDICTS = (REPRODUCED, DIFFERS, MISSING, NOT_RUN, NO_NUMBER)
WITHIN = 2.0


@dataclass(frozen=True)
class Comparison:
    """One cell of a table: what is printed, what we find, and how far apart they are.

    Parameters
    ----------
    dataset, score, method
        Which cell.
    printed, ours
        The two numbers; None where there is none.
    spread
        Their joint standard deviation over the runs, at least half a unit of the last digit.
    runs
        Runs behind our number.
    honest
        Our number with parameters chosen without labels, where the printed one used them.
    note
        What differs in the protocol, or why a number cannot be had; begins with "not run" where it
        could be had but was not.
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

    @property
    def deviations(self) -> float | None:
        """How many standard deviations ours lies above the printed number.

        >>> round(Comparison("wine", "ACC", "k-means", 0.95, 0.97, spread=0.01).deviations, 6)
        2.0
        """
        if self.printed is None or self.ours is None:
            return None
        gap = self.ours - self.printed
        return gap / self.spread if self.spread else math.copysign(math.inf, gap) if gap else 0.0

    @property
    def verdict(self) -> str:
        """Reproduced when the two are at most two standard deviations apart."""
        if self.printed is None:
            return MISSING if self.note else NO_NUMBER
        if self.ours is None:
            return NOT_RUN if self.note.startswith(NOT_RUN) else MISSING
        deviations = self.deviations
        assert deviations is not None
        return REPRODUCED if abs(deviations) <= WITHIN + 1e-9 else DIFFERS

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
            "note": self.note,
        }


def _number(value: float | None, digits: int = 3) -> float | str:
    return "" if value is None else round(value, digits) + 0.0


def joint_spread(*spreads: float, unit: float) -> float:
    """Standard deviation of a difference, at least half a unit of the last printed digit.

    >>> round(joint_spread(0.03, 0.04, unit=0.001), 6), joint_spread(0.0, unit=0.01)
    (0.05, 0.005)
    """
    return max(math.hypot(*spreads), unit / 2)


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


def verdict_counts(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """How many cells were reproduced, differ, cannot be had, or have no number in print.

    >>> verdict_counts([Comparison("wine", "ACC", "k-means", 0.95, 0.95)])["reproduced"]
    1
    """
    counts = Counter(comparison.verdict for comparison in comparisons)
    return {verdict: counts[verdict] for verdict in VERDICTS}
