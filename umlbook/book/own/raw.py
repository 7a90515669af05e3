"""A table as it stands in a file or a data frame: names and cells, nothing read as a number yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class Source(Protocol):
    """Where rows come from: a file (`rows.TextFile`) or a data frame (`frames.Frame`)."""

    @property
    def name(self) -> str:
        """What it is called in sentences."""

    @property
    def how(self) -> str:
        """How it was read."""

    @property
    def delimiter(self) -> str:
        """What separates its cells; empty if nothing does."""

    @property
    def given(self) -> tuple[str, ...]:
        """The names as they stand; empty if there are none."""

    def blocks(self, size: int) -> Iterator[tuple[list[int], list[list[str]]]]:
        """Yield numbers and cells of the rows, a block at a time."""


@dataclass(frozen=True)
class RawTable:
    """Names and cells as they stand in the file.

    Attributes
    ----------
    names : tuple of str
        One for each column, none twice.
    rows : tuple of list of str
        The cells of all rows of the right length, or of a sample of them, in the file's order.
    numbers : tuple of int
        The number of each of these rows.
    n_rows : int
        Rows in the file, or in the part of it that was scanned.
    n_ragged : int
        Rows with too few or too many cells, which are left out; in a sample, those seen in it.
    whole : bool
        Whether the scan came to the end of the file.
    renamed : tuple of str
        Names that were given to columns without one, or whose name was taken.
    source : Source
        Where the rows come from.
    typed : tuple of bool
        For each column, whether its cells are numbers by type.
    without : frozenset of int
        Numbers of rows that are no data: totals at the end, the names once more.
    notes : tuple of str
        What is to be said about the rows.
    """

    names: tuple[str, ...]
    rows: tuple[list[str], ...]
    numbers: tuple[int, ...]
    n_rows: int
    n_ragged: int
    whole: bool
    renamed: tuple[str, ...]
    source: Source
    typed: tuple[bool, ...]
    without: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def sampled(self) -> bool:
        """Whether there are more rows than are held."""
        return len(self.rows) + self.n_ragged + len(self.without) < self.n_rows
