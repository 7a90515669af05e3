"""What Sphinx is taught for these pages: formulas with anchors, references that are links."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from docutils import nodes

from umlbook.book.site.references import TAG, anchor, with_equation_links

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def inline_formula(translator: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    formula = translator.encode(node.astext())
    translator.body.append(f'<span class="math">\\({formula}\\)</span>')
    raise nodes.SkipNode


def displayed_formula(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with an anchor where it has a number."""
    tag = TAG.search(node.astext())
    place = f' id="{anchor(tag[1])}"' if tag else ""
    formula = translator.encode(node.astext().strip())
    translator.body.append(f'<div class="math"{place}>\\[{formula}\\]</div>\n')
    raise nodes.SkipNode


def connect(
    app: Sphinx, equations: dict[str, str], problems: list[str], progress: Callable[[], object]
) -> None:
    """Link references while pages are written; faults are added to `problems`."""

    def on_page(
        app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        if "body" in context:
            context["body"], found = with_equation_links(context["body"], page, equations)
            problems.extend(found)
            progress()

    app.connect("source-read", lambda *args: progress())
    app.connect("html-page-context", on_page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the way in which formulas are written."""
    app.add_html_math_renderer("umlbook", (inline_formula, None), (displayed_formula, None))
    return {"parallel_read_safe": False, "parallel_write_safe": False}
