"""References to equations become links: ``(6.3)`` leads to the display with this number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser

TAG = re.compile(r"\\tag\{([^}]*)\}")
REFERENCE = re.compile(r"\(([1-9]\d?\.[1-9]\d?)\)")
VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]
)
_CLOSED = frozenset(["a", "code", "h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "summary"])


def anchor(number: str) -> str:
    """Return the name of an equation's place on its page."""
    return f"eq-{number}"


class Walker(HTMLParser):
    """Walk through HTML, always knowing the open elements and the cell of the notebook."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[tuple[str, set[str]]] = []
        self.cell = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.cell = values.get("data-cell") or self.cell
        if tag not in VOID:
            self.open.append((tag, set((values.get("class") or "").split())))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:  # as it mostly is
            self.open.pop()
            return
        while any(tag == name for name, _ in self.open):
            if self.open.pop()[0] == tag:
                break

    def within(self, tags: frozenset[str] = frozenset(), *classes: str) -> bool:
        """Whether one of these elements, or one with such a class, is open."""
        return any(tag in tags or not found.isdisjoint(classes) for tag, found in self.open)


class _Linker(Walker):
    """Copy HTML, with each reference in text replaced by what `link` makes of it."""

    def __init__(self, link: Callable[[str, str, bool], str]) -> None:
        super().__init__()
        self.link, self.parts = link, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        self.parts.append(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if REFERENCE.search(data) and not self.within(_CLOSED, "math", "highlight"):
            must = not self.within(frozenset(), "output")
            data = REFERENCE.sub(lambda found: self.link(found[1], self.cell, must), data)
        self.parts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.parts.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.parts.append(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        self.parts.append(f"<!--{data}-->")


def with_equation_links(
    html: str, page: str, equations: Mapping[str, str]
) -> tuple[str, list[str]]:
    """Return the body of a page with its references linked, and what is wrong with them.

    Outputs may hold numbers in brackets that are no references, so there a number without an
    equation is left as it is; in prose it is a fault.

    Parameters
    ----------
    html : str
        The body of the page.
    page : str
        Its name, such as ``exercises/01-one``.
    equations : mapping
        For each number the name of the page that shows it.

    Examples
    --------
    >>> with_equation_links("<p>By (1.2) and (1.9).</p>", "two", {"1.2": "one"})
    ('<p>By <a class="equation" href="one.html#eq-1.2">(1.2)</a> and (1.9).</p>', \
['two: (1.9) is no equation of the book'])
    """
    problems: list[str] = []

    def link(number: str, cell: str, must: bool) -> str:
        if number in equations:
            target = "" if equations[number] == page else f"{equations[number]}.html"
            way = "../" * page.count("/") if target else ""
            address = f"{way}{target}#{anchor(number)}"
            return f'<a class="equation" href="{address}">({number})</a>'
        if must:
            place = f"{page}, cell {cell}" if cell else page
            problems.append(f"{place}: ({number}) is no equation of the book")
        return f"({number})"

    linker = _Linker(link)
    linker.feed(html)
    linker.close()
    return "".join(linker.parts), problems
