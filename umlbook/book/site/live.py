"""The way from a page for reading to the same page alive: ``umlbook site --live``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from umlbook.book.site.pages import Page

FOLDER = "live"
SCRIPT = "_static/live-link.js"
DOORS = """<nav class="doors" aria-label="Three ways into the book">
<a href="00-start-here.html"><b>Read</b> The pages as they are, with all results.</a>
<a href="live/notebooks/index.html?path=00-start-here.ipynb"><b>Run here</b> Sliders, quizzes and
exercises, in this browser, with nothing to install.</a>
<a href="#to-install-it"><b>Install</b> On your own computer, with one command.</a>
</nav>"""


def address(page: Page) -> str:
    """Where a page is alive."""
    return f"{page.root}{FOLDER}/notebooks/index.html?path={page.name}.ipynb"


def add_links(site: Path, pages: Iterable[Page]) -> None:
    """Put a link to the live page under the heading of each page, and three doors on the first."""
    for page in pages:
        link = (
            f'<p class="run-here"><a href="{address(page)}">Run this page in your browser</a></p>'
            f'<script src="{page.root}{SCRIPT}"></script>'
        )
        _insert(site / f"{page.name}.html", link)
    _insert(site / "index.html", DOORS)


def _insert(path: Path, html: str) -> None:
    head, heading, rest = path.read_text(encoding="utf-8").partition("</h1>")
    path.write_text(f"{head}{heading}\n{html}{rest}", encoding="utf-8")
