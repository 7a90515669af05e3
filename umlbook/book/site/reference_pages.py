"""The pages that are made from data, not from notebooks: contents, concordance, glossary, ..."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

from umlbook.book.ledger import ERRATA, entries
from umlbook.book.ledger.concordance import Concordance, concordance
from umlbook.book.ledger.glossary import terms
from umlbook.book.ledger.notation import notation
from umlbook.book.site.pages import Page, linked_cells, raw
from umlbook.book.site.snippets import output

STATUS = {
    "definition": "a name for something; the code computes what is named",
    "holds": "as printed",
    "equivalent": "the book uses another form, shown to be the same",
    "corrected": "not as printed; the form of the book holds, with a counterexample to the other",
    "fails": "not as printed, nor in a form near it; the chapter has a counterexample",
    "unspecified": "the paper leaves something open; the chapter says how it is read",
}
GITHUB = "https://github.com/umlbook/umlbook"


def reference_pages(pages: Sequence[Page]) -> dict[str, str]:
    """Return name and source of every page that is no notebook."""
    names = {page.name for page in pages}
    return {
        "index": index(pages),
        "concordance": concordance_page(names),
        "errata": errata_page(names),
        "glossary": glossary_page(pages),
        "notation": notation_page(),
    }


def index(pages: Sequence[Page]) -> str:
    """The first page: what this is, how to get the live form, and all that there is."""
    chapters = [page for page in pages if "/" not in page.name]
    shelves = {"Chapters": [page.name for page in chapters]}
    for name in ("exercises", "solutions"):
        shelves[name.capitalize()] = [p.name for p in pages if p.name.startswith(f"{name}/")]
    shelves["Reference"] = ["concordance", "errata", "notation", "glossary"]
    lists = [_toctree(caption, names) for caption, names in shelves.items() if names]
    offers = [f"- {_offer(page, {p.name for p in pages})}" for page in chapters]
    return _INDEX + "\n".join(offers) + "\n\n" + _LOOKING_UP + "\n\n".join(lists) + "\n"


_INDEX = f"""# Metric learning for clustering

A clustering is only as good as its distance. This is a textbook on **learning the distance**,
without labels or with a few pairs that belong together or apart, and every equation in it has been
run: a claim stands beside its proof, its numeric check and its picture, and where a source paper is
wrong the book shows the counterexample.

These pages show what the notebooks of the book have stored. Algorithms can be stepped through here;
sliders, quizzes and exercises answer in the live book.

## To install it

The live book is one command away in a copy of [the repository]({GITHUB}):

```bash
python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/umlbook
```

## Chapters

"""

_LOOKING_UP = """## To look things up

- [The concordance](concordance.md): from the papers' equations to those of the book.
- [Errata](errata.md): what is printed, and what is meant.
- [Notation](notation.md): what each letter means, and its name in code.
- [Glossary](glossary.md): the words of the book in plain words.

"""


def _toctree(caption: str, names: Sequence[str]) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n:titlesonly:\n\n{listed}\n```"


def _offer(page: Page, names: Collection[str]) -> str:
    """A chapter, what its reader will do, and its exercises."""
    found = re.search(r"\*\*You will\*\* (.*)", page.cells[0].source)
    parts = [f"[{page.title}]({page.name}.md).", f"You will {found[1]}" if found else ""]
    if f"exercises/{page.name}" in names:
        parts.append(f"[Exercises](exercises/{page.name}.md)")
    return " ".join(filter(None, parts))


def _section(heading: str, rows: Concordance, names: Collection[str]) -> str:
    html = linked_cells(rows._repr_html_(), "", names)
    return f"## {heading}\n\n{raw(output(html, 'one-paper'))}"


def concordance_page(names: Collection[str]) -> str:
    """Every registered entry, paper by paper, in the order of the paper."""
    papers = dict.fromkeys(entry.paper for entry in entries())
    sections = [_section(p, concordance(paper=p), names) for p in papers]
    words = "".join(f"- *{status}*: {meaning}\n" for status, meaning in STATUS.items())
    return (
        "# Concordance\n\nEvery numbered equation, theorem, algorithm and checkable claim of the "
        "papers, and where the book settles it; entries without a number have no display of "
        "their own. The status says how the check came out:\n\n"
        + words
        + "\n"
        + "\n\n".join(sections)
        + "\n"
    )


def errata_page(names: Collection[str]) -> str:
    """What is wrong in print, paper by paper."""
    wrong = [entry for entry in entries() if entry.status in ERRATA]
    papers = dict.fromkeys(entry.paper for entry in wrong)
    sections = [
        _section(p, concordance(paper=p, status=ERRATA, printed_form=True), names) for p in papers
    ]
    return (
        f"# Errata of the papers\n\n{len(wrong)} entries of the ledger do not hold as printed. "
        "Equations and claims have their counterexample in the chapter, figures and tables our "
        "own numbers beside them. *Corrected* means that the form shown first holds, *fails* that "
        "no form near the printed one does.\n\n" + "\n\n".join(sections) + "\n"
    )


def notation_page() -> str:
    """All symbols of the book."""
    return (
        "# Notation\n\nOne notation for the whole book: rows are samples. Each chapter repeats the "
        f"part that it uses.\n\n{notation()._repr_markdown_()}\n"
    )


def glossary_page(pages: Sequence[Page]) -> str:
    """The words of the book, each with the chapter that introduces it."""
    by_number = {page.name[:2]: page for page in pages if "/" not in page.name}
    items = []
    for term in terms():
        page = by_number.get(term.chapter)
        place = (
            f'<a href="{page.name}.html">{escape(page.title)}</a>'
            if page
            else f"chapter {int(term.chapter)}"
        )
        items.append(
            f'<dt id="{term.anchor}">{escape(term.name)}</dt>'
            f"<dd>{escape(term.meaning)} <span>({place})</span></dd>"
        )
    listed = raw(output(f"<dl>{''.join(items)}</dl>", "glossary"))
    return f"# Glossary\n\nThe words of the book, and where each is introduced.\n\n{listed}\n"
