"""What Sphinx is taught for these pages: formulas with anchors, references that are links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from umlbook.book.site.api.links import with_code_links, with_import_links, with_plain_quotes
from umlbook.book.site.references import TAG, anchor, with_equation_links
from umlbook.book.site.search import SCRIPT, texts_script
from umlbook.book.site.sections import collapse_sections
from umlbook.book.site.snippets import MATHS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LEVEL = 'role="heading" aria-level="2"'
_FORMULAS = (MATHS, 'class="math')
SCRIPTS = {  # each with what is on the pages that need it
    "formulas.js": _FORMULAS,
    "mathjax.js": _FORMULAS,
    "answers.js": ('class="question"', 'class="proof"'),
    "proof.js": ('class="proof"',),
    "fold.js": ("<details",),
    "squeeze.js": ('class="squeeze"',),
    "stepper.js": ('class="output stepper"',),
}


def inline_formula(translator: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    formula = translator.encode(node.astext())
    translator.body.append(f'<span class="math">\\({formula}\\)</span>')
    raise nodes.SkipNode


def displayed_formula(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with an anchor where it has a number.

    The number stands beside the box in which a wide formula scrolls: in it, a phone would hide it.
    """
    tag = TAG.search(node.astext())
    formula = translator.encode(TAG.sub("", node.astext()).strip())
    html = f'<div class="math">\\[{formula}\\]</div>'
    if tag:
        number = f'<span class="number">({tag[1]})</span>'
        html = f'<div class="numbered" id="{anchor(tag[1])}">{html}{number}</div>'
    translator.body.append(f"{html}\n")
    raise nodes.SkipNode


def add_scripts(app: Sphinx, body: str) -> None:
    """Let the page that is being written load what it needs and nothing else."""
    for script, marks in SCRIPTS.items():
        if any(mark in body for mark in marks):
            app.add_js_file(script, defer="defer")


def connect(
    app: Sphinx,
    equations: dict[str, str],
    problems: list[str],
    progress: Callable[[], object],
    *,
    reference: bool = True,
) -> None:
    """Link references while pages are written; faults are added to `problems`."""

    bodies: dict[str, str] = {}

    def on_page(
        app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        # The theme's captions are headings without a level, which no screen reader can place.
        tree = context.get("furo_navigation_tree", "")
        context["furo_navigation_tree"] = tree.replace('role="heading"', _LEVEL)
        if "body" in context:
            body = context["body"]
            if reference:
                body = with_code_links(with_plain_quotes(body, page), page)
                body = with_import_links(body, page)
            context["body"], found = with_equation_links(body, page, equations)
            bodies[page] = context["body"]
            add_scripts(app, context["body"])
            problems.extend(found)
            progress()
        elif page == "search":  # made after all others
            Path(app.outdir, "_static", SCRIPT).write_text(texts_script(bodies), encoding="utf-8")
            for script in (SCRIPT, "search.js"):
                app.add_js_file(script)

    app.connect("doctree-read", lambda app, doctree: collapse_sections(doctree))
    app.connect("source-read", lambda *args: progress())
    app.connect("html-page-context", on_page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the way in which formulas are written."""
    app.add_html_math_renderer("umlbook", (inline_formula, None), (displayed_formula, None))
    return {"parallel_read_safe": False, "parallel_write_safe": False}
