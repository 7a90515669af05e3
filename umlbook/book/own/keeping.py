"""What is kept of a clustering: the table with its clusters, and code to do it again."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from umlbook.book.own.explaining import Refit, sureness
from umlbook.book.own.files import TableError
from umlbook.book.own.frames import Frame
from umlbook.book.own.methods import Method
from umlbook.book.own.preparing import BLOCK, NO_CLUSTER, Prepared, predicted

ADDED = ("row", "cluster", "sureness in %")
"""The columns that stand before those of the file."""


class Labelled(NamedTuple):
    """A row of the file as it stands; its number, cluster (-1: none) and sureness (NaN: none)."""

    number: int
    cluster: int
    sureness: float
    cells: list[str]


def labelled_rows(
    data: Prepared, model: Any, labels: NDArray[np.intp], refits: Sequence[Refit]
) -> Iterator[Labelled]:
    """Yield every row of the file in its order, however long it is."""
    clusters, sure = np.full(data.n_rows + 1, NO_CLUSTER), np.full(data.n_rows + 1, np.nan)
    if not data.sampled:
        clusters[data.rows], sure[data.rows] = labels, sureness(refits, data.X, labels)
    for numbers, rows in data.source.blocks(BLOCK):
        if data.sampled:
            values = data.scaled(numbers, rows)
            found, known = predicted(model, values), ~np.isnan(values).any(axis=1)
            share = np.full(len(rows), np.nan)
            if known.any():
                share[known] = sureness(refits, values[known], found[known])
        else:
            found, share = clusters[numbers], sure[numbers]
        for row in zip(numbers, found.tolist(), share.tolist(), rows, strict=True):
            yield Labelled(*row)


def write_table(path: Path, data: Prepared, rows: Iterator[Labelled]) -> None:
    """Write the columns of a file unchanged, after row, cluster and sureness, for a spreadsheet.

    Whole percent and the delimiter of the file itself: a decimal mark would be another in each
    country. A mark at the beginning tells Excel that the letters are UTF-8.
    """
    given = data.source.given or data._table.names
    added = [name if name not in given else f"{name} (found)" for name in ADDED]
    delimiter = data.source.delimiter if data.source.delimiter in ("\t", ";", "|") else ","
    with path.open("w", newline="", encoding="utf-8-sig") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow([*added, *given])
        for number, cluster, sure, cells in rows:
            found = "" if cluster == NO_CLUSTER else cluster
            writer.writerow([number, found, "" if np.isnan(sure) else round(100 * sure), *cells])


def redo_code(
    data: Prepared, method: Method, n_clusters: int, options: dict[str, Any], path: str | None
) -> str:
    """Return five lines of Python that do it again; `path` stands for the file's own."""
    told = {
        "decimal": data.said.decimal,
        "header": data.header,
        "missing_values": None if data.said.gaps is None else list(data.said.gaps),
    }
    options = options | {name: value for name, value in told.items() if value is not None}
    said = ", ".join(f"{name}={value!r}" for name, value in options.items())
    table = "table" if isinstance(data.source, Frame) else repr(path or str(data.path))
    seed = options["seed"]
    return "\n".join(
        [
            f"from {method.source} import {method.cls.__name__}",
            "from umlbook.book.own import prepared",
            f"data = prepared({table}, {list(data.names)!r}, {said})",
            f"model = {method.call(n_clusters, seed)}.fit(data.X)",
            f"labels = data.labels(model)  # of every row; {NO_CLUSTER}: a value is missing",
        ]
    )


def checked_folder(folder: str | Path) -> Path:
    """Return a folder that exists, or say that it does not."""
    found = Path(folder).expanduser()
    if not found.is_dir():
        raise TableError(f"folder {found.name!r} does not exist: make it first, or give another")
    return found
