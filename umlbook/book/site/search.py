"""The text of all pages for the search, which shows excerpts from it.

A page that is opened from a folder may not read its neighbours, so Sphinx's search could show no
more than titles there. With the texts in a script of their own it shows excerpts, and on a server
it asks for one file in place of every page that is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape

from umlbook.book.site.references import Walker

SCRIPT = "search-texts.js"
_SILENT = frozenset(["script", "style", "button", "summary", "svg"])
_TEX = re.compile(r"\\(?:text|mathrm|operatorname\*?|left|right|q?quad|[()\[\],;!])|[\\{}$]")


class _Plain(Walker):
    """Keep the text of a page and the sections in which it stands."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "section":
            self.parts.append(f'<section id="{escape(dict(attrs).get("id") or "")}">')

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        self.parts.append("</section>" if tag == "section" else " " * (tag in ("p", "li", "td")))

    def handle_data(self, data: str) -> None:
        self._add(_TEX.sub(" ", data))

    def handle_entityref(self, name: str) -> None:
        self._add(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add(f"&#{name};")

    def _add(self, text: str) -> None:
        if text.isspace() or not self.within(
            _SILENT, "headerlink", "tools", "live", "code", "highlight"
        ):
            self.parts.append(text)


def plain_text(html: str) -> str:
    """Return the text of a page in its sections, without code, and formulas in plain signs.

    Examples
    --------
    >>> plain_text('<section id="a"><h1>One<a class="headerlink">#</a></h1>\\n<p>Two</p></section>')
    '<section id="a">One Two </section>'
    """
    reader = _Plain()
    reader.feed(html)
    reader.close()
    return re.sub(r"\s+", " ", "".join(reader.parts)).strip()


def texts_script(bodies: Mapping[str, str]) -> str:
    """Return the script with the text of each page, by its name."""
    texts = {name: plain_text(html) for name, html in sorted(bodies.items())}
    return f"const SEARCH_TEXTS = {json.dumps(texts, ensure_ascii=False)};\n"
