"""What can be reproduced: a table or a figure of a paper, its printed cells beside ours.

A `Source` is a grid of cells with the work that does them; several targets may share one (three
tables of scores come from the same runs). A `Target` turns the rows of its source into
`Comparison` s, one for each printed cell, and into a picture where the paper has one.

Whether a cell is reproduced is decided here and nowhere else, by `verdict`. A paper's module says
how far its numbers scatter (`joint_spread`) and what it had to assume (the note), and never judges.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from umlbook.experiments.engine.grid import Cell, Work
from umlbook.experiments.engine.storage import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPRODUCED, DIFFERS = "reproduced", "differs"
MISSING, NO_NUMBER = "not available", "no number printed"
VERDICTS = (REPRODUCED, DIFFERS, MISSING, NO_NUMBER)
WITHIN = 2.0


def deviations(printed: float | None, ours: float | None, spread: float) -> float | None:
    """How many standard deviations ours lies above the printed number; None without both.

    >>> round(deviations(0.95, 0.97, spread=0.01), 6)
    2.0
    """
    if printed is None or ours is None or math.isnan(printed):
        return None
    gap = ours - printed
    return gap / spread if spread else math.copysign(math.inf, gap) if gap else 0.0


def verdict(printed: float | None, ours: float | None, spread: float) -> str:
    """Reproduced when the two are at most two standard deviations apart.

    >>> verdict(0.95, 0.97, spread=0.01), verdict(0.95, 0.98, spread=0.01)
    ('reproduced', 'differs')
    """
    if printed is None:
        return NO_NUMBER
    apart = deviations(printed, ours, spread)
    if apart is None:
        return MISSING
    return REPRODUCED if abs(apart) <= WITHIN + 1e-9 else DIFFERS


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
        Their joint standard deviation over the runs, at least half a unit of the last digit.
    runs
        Runs behind our number.
    honest
        Our number with parameters chosen without labels, where the printed one used them.
    note
        What the paper leaves open, or why a number is missing; never whether the two agree.
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
        """How many standard deviations ours lies above the printed number."""
        return deviations(self.printed, self.ours, self.spread)

    @property
    def verdict(self) -> str:
        """What the one rule says of this cell."""
        return verdict(self.printed, self.ours, self.spread)

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
    return "" if value is None or math.isnan(value) else round(value, digits) + 0.0


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
    """How many cells were reproduced, differ, are not available, or have no number in print.

    >>> verdict_counts([Comparison("wine", "ACC", "k-means", 0.95, 0.95)])["reproduced"]
    1
    """
    counts = Counter(comparison.verdict for comparison in comparisons)
    return {word: counts[word] for word in VERDICTS}
