"""Cluster a table in one call: the clusters, the metric, how far to trust them, what to do next."""

from __future__ import annotations

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
from umlbook.book.own.choosing import Choice, remembered_choice
from umlbook.book.own.diagnostics import Diagnostics, diagnose, fitted
from umlbook.book.own.explaining import Effects, Refit, effects, sure_sentence, sureness
from umlbook.book.own.files import TableError
from umlbook.book.own.keeping import Labelled, checked_folder, labelled_rows, redo_code, write_table
from umlbook.book.own.methods import METHODS, Method
from umlbook.book.own.pictures import metric_sentence, picture, profile_picture
from umlbook.book.own.preparing import Prepared, check_clusters, check_comparison, prepared
from umlbook.book.own.wording import html, listed, said
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
    choice : Choice
        What other numbers of clusters look like.
    refits : tuple of Refit
        Fits to parts of the rows.
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
    choice: Choice
    refits: tuple[Refit, ...]

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster of every row of ``data.X``."""
        return np.asarray(self.model.labels_)

    @property
    def sureness(self) -> NDArray[np.float64]:
        """For every row of ``data.X``, the share of the refits that put it into its cluster."""
        return sureness(self.refits, self.data.X, self.labels)

    @property
    def effects(self) -> Effects:
        """How far apart the clusters are in each column, in the units of the file."""
        return effects(self.data.unscaled(), self.labels, self.n_clusters, self.data.names)

    # ---- in words

    @property
    def title(self) -> str:
        """What was done, in a line."""
        n, d = self.data.X.shape
        what = f"{self.method.name}, {self.n_clusters} clusters of {n:,} rows in {d} columns"
        return f"{self.data.name}: {what}"

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
            "silhouette, scaled columns": said(found.silhouette),
            "silhouette, as the method sees them": said(found.learned_silhouette),
            f"the same, fitted to {found.null_rows} rows": said(found.null_reference),
            f"the same, in {len(found.null)} clouds without clusters": clouds,
            "agreement of different starts": said(found.starts_agree),
            f"agreement with fits to {found.refit_rows} of the rows": said(found.refits_agree),
            "agreement with plain k-means": said(found.kmeans_agrees),
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

    @property
    def sure_sentence(self) -> str:
        """How many rows stay in their cluster when a part of the rows is left out."""
        return sure_sentence(
            self.sureness, self.data.rows, self.diagnostics.refit_rows, self.refits
        )

    def figure(self) -> Figure:
        """Return the picture of the points and the metric."""
        return picture(self.model, self.data.X, self.data.names)

    def profile(self) -> Figure:
        """Return the picture of what sets the clusters apart, column by column."""
        return profile_picture(self.effects)

    def sections(self) -> list[tuple[str, Sequence[str], Table | None]]:
        """Return all but the picture: a heading, sentences, and a table or None, for each part."""
        compared = self.comparison()
        return [
            ("How the table was read", self.data.notes, None),
            ("Measured", (), self.measures()),
            ("How many clusters", (self.choice.sentence,), self.choice.table()),
            ("What sets them apart", (self.effects.sentence,), self.effects.table()),
            ("How sure the rows are", (self.sure_sentence,), None),
            *([] if compared is None else [("Compared with what is known", (), compared)]),
            ("The method warns", self.diagnostics.notes, None),
            ("What to try next", self.advice, None),
        ]

    def __repr__(self) -> str:
        parts = [listed(*section) for section in self.sections() if section[1] or section[2]]
        return "\n\n".join([self.title, *parts])

    def words(self) -> str:
        """Return all but the picture, as HTML."""
        return "".join(html(*section) for section in self.sections() if section[1] or section[2])

    def _repr_html_(self) -> str:
        shown = {self.sentence: self.figure(), self.effects.sentence: self.profile()}
        images = "".join(
            f'{image_html(png_bytes(fig), said)}<p style="max-width:44em">{escape(said)}</p>'
            for said, fig in shown.items()
        )
        return images + self.words()

    def _ipython_display_(self) -> None:
        # The picture by itself: a stored page is compared by its words, and not by its pixels.
        show(self.figure(), self.sentence)
        show(self.profile(), self.effects.sentence)
        display({"text/html": self.words(), "text/plain": repr(self)}, raw=True)

    # ---- to keep

    def code(self, path: str | None = None) -> str:
        """Return five lines of Python that do it again; `path` stands for the file's own."""
        options = {
            "scaling": self.scaling, "missing": self.missing,
            "max_rows": self.method.max_rows, "seed": self.seed,
        }  # fmt: skip
        return redo_code(self.data, self.method, self.n_clusters, options, path)

    def labelled_rows(self) -> Iterator[Labelled]:
        """Yield every row of the file with its number, cluster and sureness, however long it is."""
        return labelled_rows(self.data, self.model, self.labels, self.refits)

    def save(self, folder: str | Path = ".", path: str | None = None) -> tuple[Path, Path, Path]:
        """Write the table with its clusters (CSV), picture (PNG) and code (Python) to a folder.

        The table has all rows and columns of the file as they stand, after the number of the row,
        its cluster and its sureness. A row without a cluster, because a value is missing in it,
        has empty cells there. Files of the same file, method and K are replaced. `path` stands
        for the file's own path in the code.

        Returns
        -------
        tuple of Path
            The three files.
        """
        folder = checked_folder(folder)
        stem = f"{self.data.path.stem}-{self.method.name}-{self.n_clusters}"
        clusters, image, script = (
            folder / f"{stem}{end}" for end in ("-clusters.csv", ".png", "-redo.py")
        )
        write_table(clusters, self.data, self.labelled_rows())
        image.write_bytes(png_bytes(self.figure()))
        script.write_text(self.code(path) + "\n", encoding="utf-8")
        return clusters, image, script


def analyse(
    table: Any,
    method: str = "k-means",
    n_clusters: int = 3,
    *,
    columns: Sequence[str] | None = None,
    scaling: str = "standard",
    missing: str = "drop",
    compare_with: str | None = None,
    seed: int = 0,
    **reading: Any,
) -> Analysis:
    """Cluster the rows of a table and say how far the result can be trusted.

    Parameters
    ----------
    table : str, Path, data frame, dictionary of columns, or array
        A text file of rows, whose delimiter, encoding, decimal mark and header are found out; a
        data frame of pandas or polars; or rows and columns in memory.
    method : str
        "k-means", "SpectralKMeans", "KernelKMeans", "CPCM", "AML", "NAML" or "CPDUML".
    n_clusters : int
        K, two or more.
    columns : sequence of str, optional
        The columns to use; by default all that hold varying numbers that measure something.
    scaling : {"standard", "range", "robust", "none"}
        What makes the columns comparable.
    missing : {"drop", "median"}
        Leave out rows with a gap, or fill it with the median of its column.
    compare_with : str, optional
        A column of a few different texts or whole numbers, held against the clusters afterwards.
        It is never used to find them.
    seed : int
        Of the sample, the starts and the diagnostics.
    **reading
        ``decimal``, ``thousands``, ``header`` and ``missing_values``, where the file leaves open
        how it is to be read: see `prepared`.

    Returns
    -------
    Analysis
        Displays as pictures, measures and advice; ``save`` and ``code`` keep it.

    Raises
    ------
    TableError
        If there is nothing that could be clustered so; the message says what to do.
    TableQuestion
        If the file can be read in several ways; the message says how to say which.
    TypeError
        If `table` is none of these.
    """
    if method not in METHODS:
        raise TableError(f"method is {method!r}: choose one of {', '.join(METHODS)}")
    chosen = METHODS[method]
    data = prepared(
        table, columns, scaling=scaling, missing=missing, without=compare_with,
        max_rows=chosen.max_rows, seed=seed, **reading,
    )  # fmt: skip
    check_clusters(data, n_clusters)
    check_comparison(data, compare_with)
    try:
        model, notes = fitted(chosen, data.X, n_clusters, seed)
    except ValueError as error:  # what a method cannot do, it says well
        raise TableError(f"{method} cannot cluster {data.name}: {error}") from error
    found, refits = diagnose(chosen, model, data.X, n_clusters, seed, notes)
    tried = remembered_choice(data.X, n_clusters, seed)
    tips = advice(found, data.names, method, scaling, data.share_dropped, data.unused, tried)
    return Analysis(
        data, chosen, n_clusters, scaling, missing, seed, compare_with, model, found, tips, tried,
        refits,
    )  # fmt: skip
