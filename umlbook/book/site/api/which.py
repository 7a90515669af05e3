"""*Which estimator?*: the guide of chapter 8 as a page to decide by.

The words are those of the table in the chapter; the numbers beside them are computed, while the
site is made, from the results that the chapter uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from docutils.nodes import make_id

from umlbook.book.site.api.names import public
from umlbook.book.site.pages import Page
from umlbook.book.site.snippets import raw
from umlbook.experiments.engine.storage import Row as Result
from umlbook.experiments.engine.storage import grouped, stored

CHAPTER = "08-side-by-side"
WORDS = {
    "kernel k-means": "umlbook.KernelKMeans",
    "bent metric": "umlbook.BentMetric",
    "latent classes": "umlbook.LatentClassPairs",
    "ITML": "umlbook.rivals.ITML",
    "CPCM": "umlbook.CPCM",
    "AML": "umlbook.AML",
    "NAML": "umlbook.NAML",
    "CPD-UML": "umlbook.CPDUML",
}
"""What the guide calls an estimator, and its name."""
_WORDS = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in WORDS))


@dataclass(frozen=True)
class Row:
    """A row of the guide: the data, what to try first, why, and what to beware of."""

    data: str
    first: str
    why: str
    beware: str

    @property
    def place(self) -> str:
        """Where it is on the page."""
        return make_id(self.data)


@dataclass(frozen=True)
class Measured:
    """The scores of some methods, and the sentence that says what was measured."""

    sentence: str
    scores: Mapping[str, float]


# ------------------------------------------------------------------------------- the guide


def guide(pages: Sequence[Page]) -> list[Row]:
    """Return the rows of the guide in chapter 8 that name something to try."""
    texts = [cell.source for page in pages if page.name == CHAPTER for cell in page.cells]
    table = next((text for text in texts if "| your data | try first |" in text), "")
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return [Row(*row) for row in rows[1:] if len(row) == 4 and row[1] != "none"]


def sections(pages: Sequence[Page]) -> dict[str, str]:
    """Return for each number of a section of a chapter the address of the section."""
    return {
        words.split()[0]: f"../{page.name}.html#{make_id(words)}"
        for page in pages
        for cell in page.cells
        for words in re.findall(r"^## (\d+\.\d+ .*)$", cell.source, re.MULTILINE)
        if "/" not in page.name
    }


# -------------------------------------------------------------------------- the measurements


def _mean(rows: Sequence[Result], column: str) -> dict[str, float]:
    found = grouped(rows, column, "method")
    return {str(method): float(np.mean(values)) for (method,), values in found.items()}


def _of(scores: Mapping[str, float], *methods: str) -> dict[str, float]:
    return {method: scores[method] for method in ("k-means", *methods)}


def _side_by_side(*methods: str) -> Measured:
    rows = [row for row in stored("side_by_side") if row["rule"] == "cut"]
    n_sets = len({row["dataset"] for row in rows})
    said = f"Mean adjusted Rand index on {n_sets} data sets, settings chosen without labels."
    return Measured(said, _of(_mean(rows, "ARI"), *methods))


def _fresh() -> Measured:
    rows = [row for row in stored("pairs_fresh") if row["wrong"] == 0]
    n_tables = len({row["table"] for row in rows})
    said = (
        f"Mean adjusted Rand index on {n_tables} tables that no choice was made on (chapter 11), "
        "of the rows that are in no pair."
    )
    return Measured(said, _of(_mean(rows, "free"), "ITML", "latent classes", "bent metric"))


def _cause(cause: str, value: float, words: str, *methods: str) -> Measured:
    rows = [row for row in stored("causes") if (row["cause"], row["value"]) == (cause, value)]
    n_draws = len({row["seed"] for row in rows})
    said = f"Mean adjusted Rand index on {n_draws} draws of {words}."
    return Measured(said, _of(_mean(rows, "ARI"), *methods))


MEASURED: dict[str, Callable[[], Measured]] = {
    "nothing is known": lambda: _side_by_side("kernel k-means", "Gaussian mixture"),
    "twenty pairs": _fresh,
    "long and slanted": lambda: _cause(
        "length", 10, "clusters ten times as long as wide", "Gaussian mixture", "CPCM"
    ),
    "carry nothing": lambda: _cause(
        "noise features", 5, "clusters with five features of noise", "Gaussian mixture", "AML"
    ),
    "bent around": lambda: _cause(
        "bend", 1, "clusters bent around each other", "spectral clustering", "CPD-UML",
        "latent classes",
    ),
    "several kernels": lambda: _side_by_side("NAML"),
    "more than a few thousand": lambda: _side_by_side("AML", "CPCM"),
}  # fmt: skip
"""For words in the first column of the guide, what was measured about them."""


def measured(row: Row) -> Measured | None:
    """Return what was measured about a row of the guide."""
    return next((make() for words, make in MEASURED.items() if words in row.data), None)


def bars(found: Measured) -> str:
    """Return scores as a table with bars."""
    rows = "".join(
        f'<tr><th scope="row">{escape(method)}</th><td><span class="bar" '
        f'style="width:{100 * max(score, 0.0):.0f}%"></span><span>{score:.2f}</span></td></tr>'
        for method, score in found.scores.items()
    )
    return f'<table class="bars"><caption>{escape(found.sentence)}</caption>{rows}</table>'


# ---------------------------------------------------------------------------------- the page


def which_page(pages: Sequence[Page]) -> str:
    """Return the source of the page."""
    rows, places = guide(pages), sections(pages)
    parts = [
        "# Which estimator?",
        f"This page follows the guide at the end of [chapter 8](../{CHAPTER}.md), which says how "
        "everything here was measured. An adjusted Rand index of 1 is the partition into the "
        "classes, 0 is chance.",
        raw(diagram(rows)),
    ]
    for row in rows:
        parts += [f"## {_capital(row.data)}", f"**Try first:** {with_links(row.first, places)}."]
        parts.append(f"**Why:** {with_links(row.why, places)}.")
        if row.beware.strip():
            parts.append(f"**Beware:** {with_links(row.beware, places)}.")
        if found := measured(row):
            parts.append(raw(bars(found)))
    parts += [
        "## What the names mean",
        "K-means, Gaussian mixtures and spectral clustering are scikit-learn's `KMeans`, "
        "`GaussianMixture` and `SpectralClustering`. All estimators of this package are in the "
        "[reference](index.md); [Use with scikit-learn](use.md) says how to pass pairs through "
        "cross-validation, and what happens with many rows.",
    ]
    return "\n\n".join(parts) + "\n"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def with_links(words: str, places: Mapping[str, str]) -> str:
    """Return a cell of the guide with its estimators, chapters and sections as links."""
    words = re.sub(r"\]\(([\w-]+)\.ipynb\)", r"](../\1.md)", words.strip())
    words = re.sub(
        r"(?:sections? )?(?<![\w.])(\d+\.\d)(?![\w])",
        lambda found: (
            f'<a href="{places[found[1]]}">section {found[1]}</a>'
            if found[1] in places
            else found[0]
        ),
        words,
    )

    def link(found: re.Match[str]) -> str:
        name = public()[WORDS[found[0]]]
        return f'<a href="{name.room}.html#{name.full}">{found[0]}</a>'

    pieces = re.split(r"(\[[^\]]*\]\([^)]*\)|<a .*?</a>)", words)  # no link within a link
    pieces[::2] = [_WORDS.sub(link, piece) for piece in pieces[::2]]
    return "".join(pieces)


def diagram(rows: Sequence[Row]) -> str:
    """Return the questions as a diagram: first about pairs, then about the data."""
    told = [row for row in rows if "pairs" in row.data]
    free = [row for row in rows if row not in told]
    return (
        '<div class="decide" role="group" aria-label="Questions that lead to an estimator">'
        '<p class="ask">Do you know of a few pairs of rows whether they belong together, or can '
        'you ask somebody?</p><div class="ways">'
        f'<div class="way"><p class="reply">Yes</p>{_leaves(told)}</div>'
        '<div class="way"><p class="reply">No</p><p class="ask">What is difficult about the data?'
        f"</p>{_leaves(free)}</div></div></div>"
    )


def _leaves(rows: Sequence[Row]) -> str:
    items = "".join(
        f'<li><a href="#{row.place}">{escape(_capital(row.data))}</a> '
        f"<span>{escape(_short(row.first))}</span></li>"
        for row in rows
    )
    return f"<ul>{items}</ul>"


def _short(first: str) -> str:
    """What to try first, without the links of the markdown."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first)
