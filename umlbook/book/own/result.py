"""Cluster a file in one call: the clusters, the metric, how far to trust them, what to do next."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from IPython.display import display
from matplotlib.figure import Figure
from numpy.typing import NDArray

from umlbook.book.own.advice import advice
from umlbook.book.own.diagnostics import CLOUDS, Diagnostics, diagnose, fitted
from umlbook.book.own.files import TableError
from umlbook.book.own.methods import METHODS, Method
from umlbook.book.own.pictures import metric_sentence, picture
from umlbook.book.own.preparing import NO_CLUSTER, Prepared, prepared
from umlbook.book.page.figures import image_html, png_bytes, show
from umlbook.book.page.tables import Table, table
from umlbook.scores import adjusted_rand_index


@dataclass(frozen=True)
class Analysis:
    """A clustered file; displays as a page, prints as text.

    Attributes
    ----------
    data : Prepared
        The matrix, and how it came to be.
    model : estimator
        As fitted to ``data.X``.
    diagnostics : Diagnostics
        What was measured.
    advice : tuple of str
        What to try next.
    """

    data: Prepared
    method: Method
    n_clusters: int
    scaling: str
    missing: str
    seed: int
    compare_with: str | None
    model: Any
    diagnostics: Diagnostics
    advice: tuple[str, ...]

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster of every row of ``data.X``."""
        return np.asarray(self.model.labels_)

    # ---- in words

    @property
    def title(self) -> str:
        """What was done, in a line."""
        n, d = self.data.X.shape
        what = f"{self.method.name}, {self.n_clusters} clusters of {n:,} rows in {d} columns"
        return f"{self.data.path.name}: {what}"

    @property
    def sentence(self) -> str:
        """What the picture shows, with its numbers."""
        learned = metric_sentence(self.model, self.data.X, self.data.names)
        sizes = ", ".join(map(str, self.diagnostics.sizes))
        return f"{self.title}, of sizes {sizes}. {learned}"

    def measures(self) -> Table:
        """Return what was measured, with the meaning of each number."""
        found = self.diagnostics
        clouds = f"{min(found.null):.2f} to {max(found.null):.2f}" if found.null else "not compared"
        rows = {
            "sizes": ", ".join(map(str, found.sizes)),
            "silhouette, scaled columns": _said(found.silhouette),
            "silhouette, as the method sees them": _said(found.learned_silhouette),
            f"the same, fitted to {found.null_rows} rows": _said(found.null_reference),
            f"the same, in {CLOUDS} clouds of that covariance": clouds,
            "agreement of different starts": _said(found.starts_agree),
            f"agreement with fits to {found.refit_rows} of the rows": _said(found.refits_agree),
            "agreement with plain k-means": _said(found.kmeans_agrees),
        }
        return table({"measured": list(rows), "value": list(rows.values())})

    def comparison(self) -> Table | None:
        """Return how many rows of each text of ``compare_with`` are in each cluster."""
        if self.compare_with is None:
            return None
        texts, labels = self.data.texts[self.compare_with], self.labels
        kinds = sorted(set(texts.tolist()))
        counts = {
            f"cluster {c}": [int(np.sum((texts == kind) & (labels == c))) for kind in kinds]
            for c in range(self.n_clusters)
        }
        agreement = adjusted_rand_index(texts, labels)
        caption = f"Clusters and {self.compare_with}: adjusted Rand index {agreement:.2f}"
        return table({self.compare_with: kinds, **counts}, caption=caption)

    def figure(self) -> Figure:
        """Return the picture."""
        return picture(self.model, self.data.X, self.data.names)

    def __repr__(self) -> str:
        parts = [self.title, _listed("Read", self.data.notes), str(self.measures())]
        if self.comparison() is not None:
            parts.append(str(self.comparison()))
        if self.diagnostics.notes:
            parts.append(_listed("The method warns", self.diagnostics.notes))
        return "\n\n".join([*parts, _listed("What to try next", self.advice)])

    def words(self) -> str:
        """Return all but the picture, as HTML."""
        compared = self.comparison()
        return "".join(
            [
                _html_list("How the file was read", self.data.notes),
                self.measures().html(),
                "" if compared is None else compared.html(),
                _html_list("The method warns", self.diagnostics.notes),
                _html_list("What to try next", self.advice),
            ]
        )

    def _repr_html_(self) -> str:
        image = image_html(png_bytes(self.figure()), self.sentence)
        return f'{image}<p style="max-width:44em">{escape(self.sentence)}</p>{self.words()}'

    def _ipython_display_(self) -> None:
        # The picture by itself: a stored page is compared by its words, and not by its pixels.
        show(self.figure(), self.sentence)
        display({"text/html": self.words(), "text/plain": repr(self)}, raw=True)

    # ---- to keep

    def code(self, path: str | None = None) -> str:
        """Return five lines of Python that do it again; `path` stands for the file's own."""
        name = str(self.data.path) if path is None else path
        options = f"scaling={self.scaling!r}, missing={self.missing!r}"
        sample = f"max_rows={self.method.max_rows}, seed={self.seed}"
        return "\n".join(
            [
                f"from {self.method.source} import {self.method.cls.__name__}",
                "from umlbook.book.own import prepared",
                f"data = prepared({name!r}, {list(self.data.names)!r}, {options}, {sample})",
                f"model = {self.method.call(self.n_clusters, self.seed)}.fit(data.X)",
                f"labels = data.labels(model)  # of every row; {NO_CLUSTER}: a value is missing",
            ]
        )

    def labelled_rows(self) -> Iterator[tuple[int, int]]:
        """Yield number and cluster of every row of the file, however long it is."""
        if self.data.sampled:
            for rows, labels in self.data.labelled_blocks(self.model):
                yield from zip(rows.tolist(), labels.tolist(), strict=True)
        else:
            yield from enumerate(self.data.labels(self.model).tolist(), start=1)

    def save(self, folder: str | Path = ".", path: str | None = None) -> tuple[Path, Path, Path]:
        """Write clusters (CSV: row and cluster), picture (PNG) and code (Python) to a folder.

        A row without a cluster, because a value is missing in it, has an empty cell. Files of the
        same file, method and K are replaced. `path` stands for the file's own path in the code.

        Returns
        -------
        tuple of Path
            The three files.
        """
        folder = Path(folder).expanduser()
        if not folder.is_dir():
            raise TableError(
                f"folder {folder.name!r} does not exist: make it first, or give another"
            )
        stem = f"{self.data.path.stem}-{self.method.name}-{self.n_clusters}"
        clusters, image, script = (
            folder / f"{stem}{end}" for end in ("-clusters.csv", ".png", "-redo.py")
        )
        with clusters.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["row", "cluster"])
            writer.writerows([n, "" if c == NO_CLUSTER else c] for n, c in self.labelled_rows())
        image.write_bytes(png_bytes(self.figure()))
        script.write_text(self.code(path) + "\n", encoding="utf-8")
        return clusters, image, script


def analyse(
    path: str | Path,
    method: str = "k-means",
    n_clusters: int = 3,
    *,
    columns: Sequence[str] | None = None,
    scaling: str = "standard",
    missing: str = "drop",
    compare_with: str | None = None,
    seed: int = 0,
) -> Analysis:
    """Cluster the rows of a file and say how far the result can be trusted.

    Parameters
    ----------
    path : str or Path
        A text file of rows; delimiter, encoding, decimal mark and header are found out.
    method : str
        "k-means", "SpectralKMeans", "KernelKMeans", "CPCM", "AML", "NAML" or "CPDUML".
    n_clusters : int
        K, two or more.
    columns : sequence of str, optional
        The columns to use; by default all that hold varying numbers.
    scaling : {"standard", "range", "robust", "none"}
        What makes the columns comparable.
    missing : {"drop", "median"}
        Leave out rows with a gap, or fill it with the median of its column.
    compare_with : str, optional
        A column of a few different texts, held against the clusters afterwards. It is never used
        to find them.
    seed : int
        Of the sample, the starts and the diagnostics.

    Returns
    -------
    Analysis
        Displays as picture, measures and advice; ``save`` and ``code`` keep it.

    Raises
    ------
    TableError
        If there is nothing that could be clustered so; the message says what to do.
    """
    if method not in METHODS:
        raise TableError(f"method is {method!r}: choose one of {', '.join(METHODS)}")
    chosen = METHODS[method]
    data = prepared(
        path, columns, scaling=scaling, missing=missing, max_rows=chosen.max_rows, seed=seed
    )
    _check_clusters(data, n_clusters)
    _check_comparison(data, compare_with)
    try:
        model, notes = fitted(chosen, data.X, n_clusters, seed)
    except ValueError as error:  # what a method cannot do, it says well
        raise TableError(f"{method} cannot cluster {data.path.name}: {error}") from error
    found = diagnose(chosen, model, data.X, n_clusters, seed, notes)
    return Analysis(
        data, chosen, n_clusters, scaling, missing, seed, compare_with, model, found,
        advice(found, data.names, method, scaling, data.share_dropped),
    )  # fmt: skip


def _check_clusters(data: Prepared, n_clusters: int) -> None:
    different = len(np.unique(data.X, axis=0))
    if isinstance(n_clusters, bool) or not isinstance(n_clusters, int | np.integer):
        raise TableError(f"n_clusters is {n_clusters!r}: a whole number, two or more, is wanted")
    if n_clusters < 2:
        raise TableError(f"n_clusters is {n_clusters}: two or more are wanted")
    if different <= n_clusters:
        raise TableError(
            f"{data.path.name} has {different} different rows without gaps for {n_clusters} "
            "clusters: more rows than clusters are wanted; lower n_clusters, or fill gaps "
            '(missing="median")'
        )


def _check_comparison(data: Prepared, name: str | None) -> None:
    if name is not None and name not in data.texts:
        known = ", ".join(data.texts) or "none"
        raise TableError(
            f"compare_with is {name!r}: a column of 2 to 20 different texts is wanted; "
            f"the file has {known}"
        )


def _said(value: float | None) -> str:
    return "-" if value is None or np.isnan(value) else f"{value + 0.0:.2f}"


def _listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{head}:", *(f"- {line}" for line in lines)])


def _html_list(head: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<p><b>{escape(head)}</b></p><ul style="max-width:44em">{items}</ul>' if lines else ""
