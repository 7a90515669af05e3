"""From a stored notebook to the source of a page: markdown as it is, outputs as HTML.

Nothing is run: a page shows what the notebook has stored. Live panels appear as their static twins,
each with a sentence that says where the live one is; a stepper is built from its stored frames.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath

import nbformat
from nbformat import NotebookNode

from umlbook.book.page.folding import is_collapsed
from umlbook.book.page.frames import frames_folder, read_frames
from umlbook.book.page.pixels import page_size
from umlbook.book.site.answers import printed_question, puzzle, quiz
from umlbook.book.site.code import code_parts
from umlbook.book.site.references import TAG
from umlbook.book.site.sections import COLLAPSED, cell_mark
from umlbook.book.site.snippets import figure, note, output, raw, stepper, tools

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+\.ipynb)(#[^)\s]*)?\)")
_EQUATION_CELL = re.compile(r'(<tr><td style="text-align: left">)(\d+\.\d+)(</td>)')
_CHAPTER_CELL = re.compile(r'(<td style="text-align: left">)(\d\d-[a-z0-9-]+)(</td>)')
IS_PANEL = re.compile(r"Predict: |\[[A-Z][^\]]*\] \[")  # as explorers and buttons are printed
IS_STEPPER = re.compile(r"^(?:.*: )?(?:the first )?\d+ states?\nstep\b")


@dataclass(frozen=True)
class Page:
    """A notebook and the address of its page, without ``.html``."""

    name: str
    path: Path
    cells: Sequence[NotebookNode]

    @property
    def title(self) -> str:
        """The first heading."""
        texts = (cell.source for cell in self.cells if cell.cell_type == "markdown")
        headings = (text.splitlines()[0] for text in texts if text.startswith("# "))
        return str(next(headings, self.name)).removeprefix("# ").strip()

    @property
    def is_exercise(self) -> bool:
        """Whether its cells wait for a reader's answers."""
        return self.name.startswith("exercises/")

    @property
    def root(self) -> str:
        """The way from the page to the first page of the site."""
        return "../" * self.name.count("/")


@dataclass
class Source:
    """What Sphinx gets of a page: its text and its pictures; and what is wrong with it."""

    page: Page
    names: Collection[str]  # of all pages of the site
    text: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def pages_in(folder: Path, *, solutions: bool = False) -> list[Page]:
    """Return the pages of a folder of notebooks, in reading order.

    Parameters
    ----------
    folder : Path
        With chapters, and below it ``exercises`` and ``solutions``.
    solutions : bool
        Whether the solutions are pages too.
    """
    parts = ["", "exercises", *(["solutions"] if solutions else [])]
    paths = [path for part in parts for path in sorted((folder / part).glob("*.ipynb"))]
    return [
        Page(
            path.relative_to(folder).with_suffix("").as_posix(),
            path,
            nbformat.read(path, as_version=4).cells,
        )
        for path in paths
    ]


def equation_pages(pages: Collection[Page]) -> dict[str, str]:
    r"""Return for each number in a ``\tag{}`` the name of the page that shows it."""
    found: dict[str, str] = {}
    for page in pages:
        for cell in page.cells:
            if cell.cell_type == "markdown":
                for number in TAG.findall(cell.source):
                    found.setdefault(number, page.name)
    return found


def page_source(page: Page, names: Collection[str]) -> Source:
    """Return the source of a page; `names` are the names of all pages of the site."""
    source, parts = Source(page, names), []
    for number, cell in enumerate(page.cells, start=1):
        parts.append(raw(cell_mark(number)))
        if cell.cell_type == "markdown":
            text = _with_page_links(source, cell.source, number)
            text = _under_heading(text, COLLAPSED) if is_collapsed(cell) else text
            parts.append(_with_tools(source, text) if number == 1 else text)
        elif cell.cell_type == "code":
            parts += code_parts(cell, exercise=page.is_exercise)
            parts += _panel_note(page, cell)
            parts += _outputs(source, cell, number)
        if number == 1 and "/" in page.name:
            parts.append(raw(_how_to_work(page)))
    source.text = "\n\n".join(parts) + "\n"
    return source


def _with_tools(source: Source, text: str) -> str:
    """The first cell with what can be done with the page, under its heading."""
    page, name = source.page, f"_static/notebooks/{source.page.name}.ipynb"
    source.files[name] = page.path.read_bytes()
    return _under_heading(text, tools(page.root + name))


def _under_heading(text: str, html: str) -> str:
    """Markdown with something between its first line and the others."""
    heading, _, rest = text.partition("\n")
    return f"{heading}\n\n{raw(html)}\n{rest}"


# --------------------------------------------------------------------------------- markdown


def _with_page_links(source: Source, text: str, number: int) -> str:
    """Markdown whose links to notebooks lead to pages."""
    page = source.page

    def link(match: re.Match[str]) -> str:
        words, address, anchor = match[1], match[2], match[3] or ""
        target = normpath((PurePosixPath(page.name).parent / address).as_posix())
        if target.removesuffix(".ipynb") in source.names:
            return f"[{words}]({address.removesuffix('.ipynb')}.md{anchor})"
        if (page.path.parent / address).is_file():  # the solutions, which have no page
            return f"{words} (in the repository, `notebooks/{target}`)"
        where = f"{page.name}, cell {number}"
        source.problems.append(f"{where}: {match[0]} links to {address}, which does not exist")
        return match[0]

    return _LINK.sub(link, text)


def _live(page: Page) -> str:
    return f"run <code>umlbook</code> and open <code>{escape(page.name)}.ipynb</code>"


def _how_to_work(page: Page) -> str:
    return note(
        "Proofs can be put in order here. To work on all exercises, with data of your own, checks "
        f"and hints, {_live(page)} in JupyterLab."
    )


def _panel_note(page: Page, cell: NotebookNode) -> list[str]:
    """What stands where an exercise that was not run would have its steps or its buttons."""
    if cell.outputs:
        return []
    if opened := re.search(r'\bexercise\("([\d.]+)"\)', cell.source):
        return [
            raw(html) for html in puzzle(opened[1], f"To be told what is wrong, {_live(page)}.")
        ]
    if ".panel(" not in cell.source:
        return []
    said = f"The buttons <b>Check</b>, <b>Hint</b> and <b>Solution</b> are live: {_live(page)}."
    return [raw(note(said))]


# ---------------------------------------------------------------------------------- outputs


def _outputs(source: Source, cell: NotebookNode, number: int) -> Iterator[str]:
    """The outputs of one cell, as parts of the page's source."""
    page, captions = source.page, set()
    for place, shown in enumerate(cell.outputs):
        data: Mapping[str, str] = shown.get("data", {})
        if "image/png" in data:
            name = f"_static/pictures/{page.name}/{number:03d}-{place}.png"
            source.files[name] = base64.b64decode(data["image/png"])
            captions.add(data["text/plain"])
            size = page_size(source.files[name])
            yield raw(figure(page.root + name, size, data["text/plain"]))
        elif "umlbook-caption" in data.get("text/html", "") and data["text/plain"] in captions:
            continue  # it is the figure's caption already
        elif IS_STEPPER.match(data.get("text/plain", "")):
            yield raw(_stepper(source, cell.id, number, data))
        elif "text/markdown" in data and "text/html" not in data:
            yield data["text/markdown"]
        else:
            yield raw(_output_html(source, shown, data))


def _output_html(source: Source, shown: NotebookNode, data: Mapping[str, str]) -> str:
    """One output that is neither a picture nor a stepper."""
    live = _live(source.page)
    if shown.output_type == "error":
        return output(f'<pre class="raised">{escape(f"{shown.ename}: {shown.evalue}")}</pre>')
    text = data.get("text/plain", shown.get("text", ""))
    if question := printed_question(text):
        return quiz(question, f"To answer it and be told why, {live}.")
    html = data.get("text/html", f"<pre>{escape(text)}</pre>")
    if data and IS_PANEL.match(text):
        return output(html + note(f"In JupyterLab this panel is live: {live}."), "twin")
    return output(linked_cells(html, source.page.root, source.names))


def linked_cells(html: str, root: str, names: Collection[str]) -> str:
    """A table of the concordance, its numbers written as references, its chapters linked."""
    if '<th style="text-align: left">ours</th>' not in html:
        return html

    def link(found: re.Match[str]) -> str:
        name = found[2]
        words = f"chapter {int(name[:2])}"
        shown = f'<a href="{root}{name}.html">{words}</a>' if name in names else words
        return f"{found[1]}{shown}{found[3]}"

    html = html.replace("<table>", '<table class="concordance">')
    return _CHAPTER_CELL.sub(link, _EQUATION_CELL.sub(r"\1(\2)\3", html))


def _stepper(source: Source, cell_id: str, number: int, data: Mapping[str, str]) -> str:
    """A stepper that moves, or its table where no frames are stored."""
    page = source.page
    folder = frames_folder(page.path)
    stored = read_frames(folder, cell_id) if folder else None
    if stored is None:
        source.warnings.append(
            f"{page.name}, cell {number}: a stepper without stored frames, shown as its table; "
            f"`umlbook refresh {page.path}` stores them"
        )
        return output(data["text/html"], "twin")
    addresses = []
    for step in stored.steps:
        name = f"_static/frames/{page.name}/{step.picture.name}"
        source.files[name] = step.picture.read_bytes()
        addresses.append(page.root + name)
    size = page_size(stored.steps[0].picture.read_bytes())
    return stepper(stored, addresses, size, data["text/html"], f"steps-{number}")
