"""A page for each room of the package, and the list of all names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from pathlib import Path

import umlbook
from umlbook.book.site.api.examples import WALKS
from umlbook.book.site.api.guides import use_page
from umlbook.book.site.api.names import FOLDER, Name, public
from umlbook.book.site.api.which import which_page
from umlbook.book.site.pages import Page, equation_pages
from umlbook.book.site.references import anchor
from umlbook.book.site.snippets import FENCE, output, raw

ROOMS = {
    "spectral": "K-means relaxed, and with a kernel",
    "cpcm": "CPCM and the blur ratio",
    "aml": "AML",
    "naml": "NAML",
    "cpd": "CPD-UML",
    "daem": "PM, the probabilistic metric",
    "latent": "Latent-class pairs",
    "coordinates": "Coordinates that bend",
    "pairs": "The bent metric",
    "asking": "Asking for pairs, judging by pairs",
    "constraints": "Pairs",
    "rivals": "Rivals",
    "scores": "Scores",
    "datasets": "Data sets",
    "algebra": "Indicators, scatter, Ky Fan",
    "lloyd": "The steps of k-means",
    "kernels": "Kernels and banks of kernels",
    "itml": "The steps of ITML",
    "book": "What the pages use",
}
"""The rooms in the order of the list, with the titles of their pages."""

SOURCES = "_static/source"
LISTS = {
    "Estimators": ("spectral", "cpcm", "aml", "naml", "cpd", "daem", "latent", "coordinates",
                   "pairs", "rivals"),
    "Pairs": ("constraints", "asking"),
    "Scores and data": ("scores", "datasets"),
    "Common ground": ("algebra", "lloyd", "kernels", "itml"),
    "The pages": ("book",),
}  # fmt: skip
"""The rooms in the list of all names."""


def api_pages(pages: Sequence[Page]) -> dict[str, str]:
    """Return name and source of all pages of the reference.

    Parameters
    ----------
    pages : sequence of Page
        Those made from notebooks, which have the equations and the guide of chapter 8.
    """
    equations = equation_pages(pages)
    made = {"index": list_page(equations), "which": which_page(pages), "use": use_page()}
    return {f"{FOLDER}/{name}": text for name, text in made.items()} | room_pages(equations)


def room_pages(equations: Mapping[str, str]) -> dict[str, str]:
    """Return name and source of the page of each room.

    Parameters
    ----------
    equations : mapping
        For each number of an equation the name of the page that shows it.
    """
    names: dict[str, list[Name]] = {room: [] for room in ROOMS}
    for name in public().values():
        names[name.room].append(name)
    return {f"{FOLDER}/{room}": _page(room, found, equations) for room, found in names.items()}


def _page(room: str, names: Sequence[Name], equations: Mapping[str, str]) -> str:
    first = [name for name in names if name.is_estimator]
    rest = [name for name in names if not name.is_estimator]
    parts = [f"# {ROOMS[room]}", raw(_chapters(names, equations))]
    if first and rest:
        parts += [_entry(name, equations, 2) for name in first]
        parts += ["## Parts", *_walk(room), *(_entry(name, equations, 3) for name in rest)]
    else:
        parts += [*_walk(room), *(_entry(name, equations, 2) for name in names)]
    return "\n\n".join(parts) + "\n"


def _walk(room: str) -> list[str]:
    """The example for names that have none of their own, folded."""
    if room not in WALKS:
        return []
    opening = raw("<details><summary>An example that uses them</summary>")
    return [opening, f"{FENCE}pycon\n{WALKS[room].rstrip()}\n{FENCE}", raw("</details>")]


def _chapters(names: Sequence[Name], equations: Mapping[str, str]) -> str:
    """The sentence under the heading: the module, and the chapters with its equations."""
    pages = sorted({equations[n] for name in names for n in name.equations if n in equations})
    links = ", ".join(f'<a href="../{page}.html">{_chapter(page)}</a>' for page in pages)
    module = min((name.module for name in names if name.module != "umlbook"), default="umlbook")
    said = f"The module <code>{module}</code>"
    return f"<p>{said}, explained in {links}.</p>" if links else f"<p>{said}.</p>"


def _chapter(page: str) -> str:
    return f"chapter {int(page[:2])}" if page[:2].isdigit() else page


def equation_links(name: Name, equations: Mapping[str, str], root: str = "../") -> str:
    """Return the equations of a name as links to their places; nothing where it has none."""
    return ", ".join(
        f'<a class="equation" href="{root}{equations[number]}.html#{anchor(number)}">({number})</a>'
        for number in name.equations
        if number in equations
    )


def _entry(name: Name, equations: Mapping[str, str], level: int) -> str:
    """One name: its heading for the list beside the page, and what Sphinx makes of it."""
    links = equation_links(name, equations)
    word = "Equations" if len(name.equations) > 1 else "Equation"
    said = f"{word} {links} · " if links else ""
    about = raw(f'<p class="implements">{said}{_source(name)}</p>')
    heading = f"{'#' * level} {name.name}"
    made = f"{heading}\n\n{about}\n\n{FENCE}{{eval-rst}}\n{_directive(name)}\n{FENCE}"
    return f"{made}\n\n{raw(_inherited(name))}" if name.is_estimator else made


def _inherited(name: Name) -> str:
    """The methods that scikit-learn gives to an estimator, in one sentence."""
    found = [word for word in dir(name.thing) if not word.startswith("_")]
    things = {word: getattr(name.thing, word, None) for word in found}
    own = "umlbook"
    words = [
        f"<code>{word}</code>"
        for word, thing in things.items()
        if callable(thing) and not str(getattr(thing, "__module__", "")).startswith(own)
    ]
    return f'<p class="inherited">As in scikit-learn: {", ".join(words)}.</p>'


def _source(name: Name) -> str:
    """The link to the text of the file in which it is defined; browsers go to its line."""
    thing = name.thing
    module = getattr(thing, "__module__", "") or ""
    if not module.startswith("umlbook"):
        return f"Name of <code>{name.module}</code>"
    kind = "class" if inspect.isclass(thing) else "def"
    path = source_path(module)
    where = f"../{SOURCES}/{path}.txt#:~:text={kind}%20{name.name}"
    return f'<a href="{where}">Source: <code>{path}</code></a>'


def source_path(module: str) -> str:
    """Return the path of a module in the repository.

    Examples
    --------
    >>> source_path("umlbook.aml"), source_path("umlbook.cpd.field")
    ('umlbook/aml.py', 'umlbook/cpd/field.py')
    """
    file = Path(inspect.getsourcefile(import_module(module)) or "")
    return file.relative_to(Path(umlbook.__file__).parents[1]).as_posix()


def source_files() -> dict[str, bytes]:
    """Return the text of every module that a page of the reference links to."""
    modules = {getattr(name.thing, "__module__", "") or "" for name in public().values()}
    paths = {source_path(module) for module in modules if module.startswith("umlbook")}
    root = Path(umlbook.__file__).parents[1]
    return {f"{SOURCES}/{path}.txt": (root / path).read_bytes() for path in sorted(paths)}


def _directive(name: Name) -> str:
    thing = name.thing
    if inspect.isclass(thing):
        inherited = "   :inherited-members:\n" if name.is_estimator else ""
        return f".. autoclass:: {name.full}\n   :members:\n{inherited}"
    if inspect.isfunction(thing) and thing.__module__.startswith("umlbook"):
        return f".. autofunction:: {name.full}"
    if inspect.isfunction(thing):  # scikit-learn's own, under the name that the book uses
        words = f"scikit-learn's ``{thing.__name__}``: {name.summary}"
        return f".. py:function:: {name.full}{inspect.signature(thing)}\n\n   {words}"
    return f".. py:data:: {name.full}\n\n   {name.summary}"


def list_page(equations: Mapping[str, str]) -> str:
    """Return the source of the first page of the reference: all names, each in one line."""
    parts = [
        "# Reference",
        "Every public name of the package, with the equations that it implements. Each has its "
        "arguments, its example and its source on the page of its module.",
        "[Which estimator?](which.md) leads from your data to an estimator, with what was "
        "measured. [Use with scikit-learn](use.md) is about pairs in cross-validation, many rows, "
        "and pickles.",
    ]
    for heading, rooms in LISTS.items():
        parts.append(f"## {heading}")
        for room in rooms:
            names = [name for name in public().values() if name.room == room]
            first = [name for name in names if name.is_estimator] or names
            parts.append(f"### [{ROOMS[room]}]({room}.md)")
            parts.append(raw(_table(first, equations)))
            if len(first) < len(names):
                rest = [name for name in names if name not in first]
                words = f"<summary>Its parts ({len(rest)})</summary>"
                parts.append(raw(f"<details>{words}{_table(rest, equations)}</details>"))
    listed = "\n".join(ROOMS)
    parts.append(f"```{{toctree}}\n:hidden:\n:titlesonly:\n\n{listed}\n```")
    return "\n\n".join(parts) + "\n"


def _table(names: Sequence[Name], equations: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><td><a href="{name.room}.html#{name.full}"><code>{name.name}</code></a></td>'
        f"<td>{_plain(name.summary)} {equation_links(name, equations)}</td></tr>"
        for name in names
    )
    return output(f"<table>{rows}</table>", "names")


def _plain(summary: str) -> str:
    """A line of a docstring as HTML: its formulas, and no other marks."""
    summary = re.sub(r":math:`([^`]*)`", r"\\(\1\\)", escape(summary, quote=False))
    return re.sub(r"\*\*|`", "", summary)
