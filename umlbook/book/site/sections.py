"""A section of a page that is collapsed under its heading, as JupyterLab collapses it.

The words of the heading's own cell stay in sight, up to the first heading below it. What follows
can be opened without a script; ``fold.js`` opens it where a link leads into it.
"""

from __future__ import annotations

from docutils import nodes

COLLAPSED = '<span class="collapsed"></span>'
"""Stands under the heading of a section that is collapsed."""
_CELL = '<span class="cell"'
_OPENING = (
    '<details class="section"><summary><span class="shut">Show this section</span>'
    '<span class="opened">Hide this section</span></summary>\n'
)


def cell_mark(number: int) -> str:
    """Return what stands before a cell on its page, unseen: where Sphinx complains is told by it.

    Examples
    --------
    >>> cell_mark(3)
    '<span class="cell" data-cell="3"></span>'
    """
    return f'{_CELL} data-cell="{number}"></span>'


def collapse_sections(doctree: nodes.document) -> None:
    """Put what belongs to collapsed sections into boxes that are closed."""
    for section in doctree.findall(nodes.section):
        if any(_is_raw(child, COLLAPSED) for child in section.children):
            ends = (n for n, child in enumerate(section.children) if _ends_words(child))
            section.insert(next(ends, len(section)), nodes.raw("", _OPENING, format="html"))
            section += nodes.raw("", "</details>", format="html")


def _ends_words(child: nodes.Node) -> bool:
    """Whether the next cell, or a section below, begins here."""
    return isinstance(child, nodes.section) or _is_raw(child, _CELL)


def _is_raw(child: nodes.Node, beginning: str) -> bool:
    return isinstance(child, nodes.raw) and child.astext().startswith(beginning)
