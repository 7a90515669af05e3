"""The way from a page for reading to the same page alive: ``umlbook site --live``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from umlbook.book.site.pages import Page

FOLDER = "live"
SCRIPT = "_static/live-link.js"


def address(page: Page) -> str:
    """Where a page is alive."""
    return f"{page.root}{FOLDER}/notebooks/index.html?path={page.name}.ipynb"


def add_links(site: Path, pages: Iterable[Page]) -> None:
    """Put a link to the live page under the heading of each page."""
    for page in pages:
        link = (
            f'<p class="run-here"><a href="{address(page)}">Run this page in your browser</a></p>'
            f'<script src="{page.root}{SCRIPT}"></script>'
        )
        _insert(site / f"{page.name}.html", link)


def _insert(path: Path, html: str) -> None:
    head, heading, rest = path.read_text(encoding="utf-8").partition("</h1>")
    path.write_text(f"{head}{heading}\n{html}{rest}", encoding="utf-8")
