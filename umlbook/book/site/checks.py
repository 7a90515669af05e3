"""Checks of finished pages: every link leads somewhere, and nothing is fetched from elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from umlbook.book.site.references import Walker

_EXTERNAL = re.compile(r"(?:https?:)?//", re.I)
_CSS_LOAD = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", re.I)
_JS_LOAD = re.compile(
    r"""(?:\bimport\s*\(?|\bfrom\s*|\bimportScripts\(|\bfetch\(|\.src\s*=)\s*"""
    r"""["'`]((?:https?:)?//[^"'`]+)"""
)


@dataclass
class Link:
    """A link of a page: where it leads, its text, and the cell that it stands in."""

    address: str
    cell: str
    text: str = ""


@dataclass
class Content:
    """The links of a page, the places that can be linked to, and what it loads in which cell."""

    links: list[Link] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    loaded: list[tuple[str, str]] = field(default_factory=list)


class _Reader(Walker):
    """Collect the links, the anchors and the loaded files of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found = Content()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.found.anchors.update(filter(None, [values.get("id"), values.get("name")]))
        loaded = [values[name] for name in ("src", "srcset", "data", "poster") if name in values]
        loaded += _CSS_LOAD.findall(values.get("style", ""))
        if tag in ("a", "area") and "href" in values:
            self.found.links.append(Link(values["href"], self.cell))
        elif tag == "link" and values.get("rel") not in ("canonical", "author"):
            loaded.append(values.get("href", ""))
        self.found.loaded += [(address, self.cell) for address in loaded]

    def handle_data(self, data: str) -> None:
        if self.found.links and not data.isspace() and self.within(frozenset(["a"])):
            self.found.links[-1].text += data


def contents(site: Path) -> dict[Path, Content]:
    """Return what each page of a site holds."""
    found = {}
    for path in sorted(site.resolve().rglob("*.html")):
        reader = _Reader()
        reader.feed(path.read_text(encoding="utf-8"))
        reader.close()
        found[path] = reader.found
    return found


def link_problems(site: Path, pages: dict[Path, Content]) -> list[str]:
    """Return a sentence for each link or file of a page that leads nowhere within the site."""
    problems = []
    for path, content in pages.items():
        for link in content.links + [Link(url, cell, url) for url, cell in content.loaded]:
            fault = _fault(link.address, path, site, pages)
            if fault:
                problems.append(f"{_place(path, site, link.cell)}: {link.text.strip()!r} {fault}")
    return problems


def _fault(address: str, path: Path, site: Path, pages: dict[Path, Content]) -> str:
    """How a link fails; empty when it leads somewhere, or out of the site."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return f"leads to {address}, which does not exist"
    fragment = unquote(parts.fragment)
    if fragment and target in pages and fragment not in pages[target].anchors:
        return f"leads to {address}, but that page has no such place"
    return ""


def external_loads(site: Path, pages: dict[Path, Content]) -> list[str]:
    """Return a sentence for each file that a page would fetch from another machine."""
    problems = []
    for path, content in pages.items():
        for url, cell in content.loaded:
            if _EXTERNAL.match(url):
                problems.append(f"{_place(path, site, cell)}: loads {url}")
    for pattern, load in (("*.css", _CSS_LOAD), ("*.js", _JS_LOAD)):
        for path in sorted(site.rglob(pattern)):
            found = load.findall(path.read_text(encoding="utf-8"))
            problems += [f"{_place(path, site, '')}: loads {url}" for url in found]
    return problems


def _place(path: Path, site: Path, cell: str) -> str:
    page = path.resolve().relative_to(site.resolve()).as_posix()
    return f"{page}, cell {cell}" if cell else page
