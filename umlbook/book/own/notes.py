"""What is said about the reading of a file: every row and column that is not used, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from umlbook.book.own.columns import Column
from umlbook.book.own.raw import RawTable

Floats = NDArray[np.float64]


def reading_notes(table: RawTable) -> list[str]:
    """Return what is to be said about the reading of the file."""
    notes = [f"{table.n_rows:,} rows, {_counted(len(table.names), 'column')}, {table.source.how}."]
    if not table.whole:
        notes = [f"The first {table.n_rows:,} rows were looked at, the file has more."]
    if table.sampled:
        notes.append(
            f"A random {len(table.rows):,} of these rows were used for learning; "
            "the others get the cluster that the learned metric puts them in."
        )
    notes += table.notes
    if table.renamed:
        notes.append(f"Names made up, because missing or taken: {', '.join(table.renamed)}.")
    return notes


def column_notes(found: dict[str, Column], names: Sequence[str]) -> list[str]:
    """Return which columns were left out and why, and what was read in an unusual way."""
    notes = []
    reasons = {
        "text": "Text, left out",
        "date": "Dates or times, left out",
        "constant": "The same value in every row, left out",
        "empty": "Without any value, left out",
        "numbers": "Numbers, not used",
    }
    for kind, words in reasons.items():
        out = [n for n, col in found.items() if col.kind == kind and n not in names]
        if out:
            notes.append(f"{words}: {', '.join(out)}.")
    for name, col in found.items():
        if col.kind == "text" and col.remarks:
            notes.append(f"{name} counts as text: {col.remarks[0]}; missing_values=[...] helps.")
        if col.kind == "label" and name not in names:
            notes.append(f"Left out, it measures nothing: {name} ({col.remarks[-1]}).")
    if any(found[n].spelling.decimal == "," and "," in "".join(found[n].texts) for n in names):
        notes.append("Decimal commas were read as decimal points.")
    for name in names:
        strangers, remarks = found[name].strangers, found[name].remarks
        if remarks:
            notes.append(f"{name}: {'; '.join(remarks)}.")
        if strangers:
            cells = _counted(len(strangers), "cell")
            notes.append(f"{cells} of {name} no number ({strangers[0]!r}), taken as missing.")
    return notes


def gap_notes(used: Sequence[Column], raw: Floats, missing: str) -> list[str]:
    """Return how many values are missing in each column, and what was done about it."""
    gaps = {col.name: col.n_missing for col in used if col.n_missing}
    if not gaps:
        return []
    counts = ", ".join(f"{name} {count}" for name, count in gaps.items())
    incomplete = int(np.isnan(raw).any(axis=1).sum())
    done = (
        f"{_counted(incomplete, 'row')} left out."
        if missing == "drop"
        else "filled with the median of the column."
    )
    return [f"Missing values: {counts}; {done}"]


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"
