"""The first page: a picture that moves, three doors, what the book is, and its chapters."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

from umlbook.book.site.live import FOLDER
from umlbook.book.site.pages import Page
from umlbook.book.site.snippets import raw
from umlbook.book.site.squeeze import moving_picture

GITHUB = "https://github.com/umlbook/umlbook"
BINDER = (
    "https://mybinder.org/v2/gh/umlbook/umlbook/HEAD?urlpath=lab/tree/notebooks/00-start-here.ipynb"
)

_TOP = """---
hide-toc: true
---
# Metric learning for clustering

A clustering is only as good as its distance. Below, k-means cannot find two lines, until the
horizontal axis counts for less.

"""

_WHAT = """This is a textbook on **learning the distance**, without labels or with a few pairs that
belong together or apart, and every equation in it has been run: a claim stands beside its proof,
its numeric check and its picture, and where a source paper is wrong the book shows the
counterexample. On these pages algorithms play step by step, quizzes answer, and proofs can be put
in order.

"""

_LOOK_UP = "## To look things up\n\n"

_API = """- [Which estimator?](reference/which.md): from your data to a method, with measurements.
- [Reference](reference/index.md): every estimator and function, with its equations and an example.
- [Use with scikit-learn](reference/use.md): pairs in cross-validation, many rows, pickles.
"""

_BELOW = f"""- [The concordance](concordance.md): from the papers' equations to those of the book.
- [Errata](errata.md): what is printed, and what is meant.
- [Notation](notation.md): what each letter means, and its name in code.
- [Glossary](glossary.md): the words of the book in plain words.

## To install it

The live book, with its sliders and exercises, is one command away in a copy of
[the repository]({GITHUB}):

```bash
python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/umlbook
```

"""


def index(pages: Sequence[Page], *, live: bool = False, reference: bool = True) -> str:
    """Return the source of the first page; `live` says whether the live book is part of the site.

    Parameters
    ----------
    pages : sequence of Page
        All pages made from notebooks, in reading order.
    live : bool
        Where the door "Run" leads: into the site's own live book, or to Binder.
    reference : bool
        Whether the reference of the package is part of the site.
    """
    chapters = [page for page in pages if "/" not in page.name]
    shelves = {"Chapters": [page.name for page in chapters]}
    for name in ("exercises", "solutions"):
        shelves[name.capitalize()] = [p.name for p in pages if p.name.startswith(f"{name}/")]
    api = ["reference/which", "reference/use", "reference/index"] if reference else []
    shelves["Reference"] = [*api, "concordance", "errata", "notation", "glossary"]
    listed = raw(_chapter_list(chapters, {page.name for page in pages}))
    parts = [_TOP, raw(moving_picture()), raw(doors(chapters[0], live=live)), _WHAT]
    parts += ["## Chapters", listed, _LOOK_UP + (_API if reference else "") + _BELOW]
    parts += [_toctree(caption, names) for caption, names in shelves.items() if names]
    return "\n\n".join(parts) + "\n"


def doors(first: Page, *, live: bool = False) -> str:
    """Return the three ways into the book."""
    run = (
        (f"{FOLDER}/notebooks/index.html?path={first.name}.ipynb", "in this browser")
        if live
        else (BINDER, "on a server of Binder, in your browser")
    )
    return (
        '<nav class="doors" aria-label="Three ways into the book">'
        f'<a href="{first.name}.html"><b>Read</b> The pages as they are, with all results.</a>'
        f'<a href="{run[0]}"><b>Run</b> Sliders and exercises, {run[1]}, with nothing to '
        "install.</a>"
        '<a href="#to-install-it"><b>Install</b> On your own computer, with one command.</a></nav>'
    )


def questions(pages: Sequence[Page]) -> dict[str, str]:
    """Return the question of each chapter, from the table in the first one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from nbformat import v4
    >>> cell = v4.new_markdown_cell("| [2. Two](02-two.ipynb) | what next? (CPCM) |")
    >>> questions([Page("00-start", Path("00-start.ipynb"), [cell])])
    {'02-two': 'What next? (CPCM)'}
    """
    row = re.compile(r"^\| \[[^\]]*\]\(([\w-]+)\.ipynb\) \| (.*\?.*) \|$", re.MULTILINE)
    texts = [cell.source for cell in pages[0].cells if cell.cell_type == "markdown"]
    found = [pair for text in texts for pair in row.findall(text)]
    return {name: question[0].upper() + question[1:] for name, question in found}


def _chapter_list(chapters: Sequence[Page], names: Collection[str]) -> str:
    asked = questions(chapters)
    items = "".join(_chapter(page, asked.get(page.name, ""), names) for page in chapters)
    return f'<ol class="chapters">{items}</ol>'


def _chapter(page: Page, question: str, names: Collection[str]) -> str:
    """A chapter: its title, its question, what its reader will do, and its exercises."""
    will = re.search(r"\*\*You will\*\* (.*)", page.cells[0].source)
    plain = re.sub(r"[*`$]", "", will[1]) if will else ""
    exercises = f"exercises/{page.name}"
    link = f' <a href="{exercises}.html">Exercises</a>' if exercises in names else ""
    return (
        f'<li><a class="title" href="{page.name}.html">{escape(page.title)}</a>'
        + (f'<p class="asks">{escape(question)}</p>' if question else "")
        + (f"<p>You will {escape(plain)}{link}</p>" if plain else "")
        + "</li>"
    )


def _toctree(caption: str, names: Sequence[str]) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n:titlesonly:\n\n{listed}\n```"
