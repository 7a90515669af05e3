"""The pages that are made from the ledger: concordance, errata, notation and glossary."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from umlbook.book.ledger import ERRATA, entries
from umlbook.book.ledger.concordance import Concordance, concordance
from umlbook.book.ledger.glossary import terms
from umlbook.book.ledger.notation import notation
from umlbook.book.site.pages import Page, linked_cells
from umlbook.book.site.snippets import output, raw

STATUS = {
    "definition": "a name for something; the code computes what is named",
    "holds": "as printed",
    "equivalent": "the book uses another form, shown to be the same",
    "corrected": "not as printed; the form of the book holds, with a counterexample to the other",
    "fails": "not as printed, nor in a form near it; the chapter has a counterexample",
    "unspecified": "the paper leaves something open; the chapter says how it is read",
}


def reference_pages(pages: Sequence[Page]) -> dict[str, str]:
    """Return name and source of the pages to look things up in."""
    names = {page.name for page in pages}
    return {
        "concordance": concordance_page(names),
        "errata": errata_page(names),
        "glossary": glossary_page(pages),
        "notation": notation_page(),
    }


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
