"""Make the site: sources in a scratch folder, Sphinx over them, checks, then all of it in place."""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from umlbook.book.site.api.names import FOLDER as FOLDER_OF_NAMES
from umlbook.book.site.api.rooms import api_pages, source_files
from umlbook.book.site.api.which import CHAPTER as GUIDE
from umlbook.book.site.api.which import guide
from umlbook.book.site.checks import contents, external_loads, link_problems
from umlbook.book.site.landing import index
from umlbook.book.site.live import FOLDER, add_links
from umlbook.book.site.pages import Page, equation_pages, page_source, pages_in
from umlbook.book.site.reference_pages import reference_pages

MARKER = ".umlbook-site"  # says that a folder was written by this command and may be replaced
MATHJAX = "sphinx-mathjax-offline"  # the distribution, and its importable folder
STATIC = (
    "site.css",
    "features.css",
    "reference.css",
    "favicon.svg",
    "answers.js",
    "fold.js",
    "formulas.js",
    "live-link.js",
    "proof.js",
    "search.js",
    "squeeze.js",
    "stepper.js",
)

SETTINGS: dict[str, Any] = {
    "project": "umlbook",
    "html_title": "Metric learning for clustering",
    "extensions": [
        "myst_parser",
        "sphinx.ext.autodoc",
        "sphinx.ext.napoleon",
        "umlbook.book.site.extension",
        "umlbook.book.site.api.extension",
    ],
    "html_theme": "furo",
    "html_math_renderer": "umlbook",
    "html_static_path": ["_static"],
    "html_css_files": ["site.css", "features.css", "reference.css"],
    "html_favicon": "_static/favicon.svg",
    "html_copy_source": False,
    "html_use_index": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_permalinks_icon": "#",
    "myst_enable_extensions": ["dollarmath"],
    "myst_dmath_allow_labels": False,
    "myst_heading_anchors": 4,
    # What MyST adds to markdown and a notebook does not know stays text.
    "myst_disable_syntax": ["myst_role", "myst_target", "myst_line_comment", "myst_block_break"],
    "language": "en",
    "autodoc_typehints": "none",
    "autodoc_member_order": "bysource",
    "napoleon_google_docstring": False,
    # Types are words here ("float or None"): as fields of Sphinx each word would be a link.
    "napoleon_use_param": False,
    "napoleon_use_rtype": False,
    "napoleon_custom_sections": [("Attributes", "params_style")],
    "add_module_names": True,
    "toc_object_entries": False,
    "python_maximum_signature_line_length": 80,
    # A second build in one process registers everything again.
    "suppress_warnings": ["app.add_node", "app.add_directive", "app.add_role"],
}


class SiteError(Exception):
    """The site was not made; the message says what to fix, one line for each fault."""


def build(
    notebooks: Path,
    out: Path,
    *,
    solutions: bool = False,
    live: Callable[[Path], object] | None = None,
    reference: bool = True,
    progress: Callable[[str, int, int], object] = lambda name, done, all: None,
) -> list[str]:
    """Make the site of a folder of notebooks and return its warnings.

    Parameters
    ----------
    notebooks : Path
        Chapters, and below them ``exercises`` and ``solutions``.
    out : Path
        Where the site goes. It must not exist, be empty, or hold a site made before.
    solutions : bool
        Whether the solutions are part of it.
    live : callable, optional
        Makes the live book in the folder that it is given; the pages link to it.
    reference : bool
        Whether the reference of the package is part of it, whose links lead into the chapters.
    progress : callable
        Called with what is done now, how much of it is done, and how much there is.

    Raises
    ------
    SiteError
        When a link or a reference leads nowhere, a page would fetch something from elsewhere,
        or Sphinx complains; `out` is left as it was.
    """
    refuse_foreign(out)
    refuse_unwritable(out)
    pages = pages_in(notebooks, solutions=solutions)
    if not pages:
        raise SiteError(f"no notebook in {notebooks}")
    with TemporaryDirectory(prefix="umlbook-site-") as scratch:
        sources, made = Path(scratch, "sources"), Path(scratch, "html")
        problems, warnings = write_sources(
            pages, sources, live=live is not None, reference=reference
        )
        _stop_at(problems)
        _stop_at(run_sphinx(sources, made, equation_pages(pages), progress))
        (made / ".buildinfo").unlink(missing_ok=True)
        shutil.rmtree(made / "_sources", ignore_errors=True)  # empty, as no source is copied
        (made / ".nojekyll").touch()  # else some hosts leave out the folders that begin with _
        if live is not None:
            add_links(made, pages)
        finished = contents(made)
        loads = external_loads(made, finished)
        if live is not None:
            progress("the live book", 0, 0)
            live(made / FOLDER)
        _stop_at(link_problems(made, finished) + loads)
        put_in_place(made, out)
    return warnings


def _stop_at(problems: Sequence[str]) -> None:
    if problems:
        raise SiteError("\n".join(dict.fromkeys(problems)))


def write_sources(
    pages: Sequence[Page], folder: Path, *, live: bool = False, reference: bool = True
) -> tuple[list[str], list[str]]:
    """Write what Sphinx reads; return the faults and the warnings."""
    names = {page.name for page in pages}
    made = {page.name: page_source(page, names) for page in pages}
    texts = {name: source.text for name, source in made.items()} | reference_pages(pages)
    problems = [problem for source in made.values() for problem in source.problems]
    if reference and not problems:
        if guide(pages):
            texts |= api_pages(pages)
        else:
            problems.append(f"{GUIDE}: no table with the guide, | your data | try first | ...")
    texts["index"] = index(pages, live=live, reference=reference)
    contents: dict[str, bytes] = {f"{name}.md": text.encode() for name, text in texts.items()}
    for source in made.values():
        contents |= source.files
    contents |= static_files() | (source_files() if reference else {})
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return problems, [warning for source in made.values() for warning in source.warnings]


def static_files() -> dict[str, bytes]:
    """Return the style, the scripts and MathJax: all that a page loads besides its pictures."""
    own = files("umlbook.book.site") / "static"
    mathjax = files(MATHJAX) / "static" / "mathjax" / "tex-svg-full.js"
    found = {f"_static/{name}": (own / name).read_bytes() for name in STATIC}
    return found | {"_static/mathjax.js": mathjax.read_bytes()}


def run_sphinx(
    sources: Path,
    out: Path,
    equations: dict[str, str],
    progress: Callable[[str, int, int], object],
) -> list[str]:
    """Let Sphinx make the pages; return its complaints and the broken references."""
    from sphinx.application import Sphinx

    from umlbook.book.site.extension import connect

    problems: list[str] = []
    said = io.StringIO()
    total = 2 * len(list(sources.rglob("*.md")))  # each page is read and written
    done = iter(range(1, total + 1))
    app = Sphinx(
        str(sources),
        None,
        str(out),
        str(sources.parent / "doctrees"),
        "html",
        confoverrides=SETTINGS | {"release": version("umlbook")},
        status=None,
        warning=said,
        freshenv=True,
    )
    reference = (sources / FOLDER_OF_NAMES).is_dir()
    step = partial(next, done, total)
    connect(app, equations, problems, lambda: progress("pages", step(), total), reference=reference)
    app.build()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said.getvalue())  # without colours
    return problems + [_placed(line, sources) for line in plain.splitlines() if line.strip()]


def _placed(complaint: str, sources: Path) -> str:
    """A complaint of Sphinx with page and cell in place of a scratch file and its line."""
    found = re.match(r"(.*\.md):(\d+): (.*)", complaint)
    if not found:
        return complaint
    path, above = Path(found[1]), int(found[2])
    lines = path.read_text(encoding="utf-8").splitlines()[:above]
    cells = re.findall(r'data-cell="(\d+)"', "\n".join(lines))
    page = path.relative_to(sources).with_suffix("").as_posix()
    return f"{page}{f', cell {cells[-1]}' if cells else ''}: {found[3]}"


def refuse_foreign(out: Path) -> None:
    """Raise unless a folder may be replaced: it is empty, or holds a site made before."""
    if out.is_dir() and any(out.iterdir()) and not (out / MARKER).exists():
        raise SiteError(
            f"{out} holds files that are not a site made by this command: "
            "name an empty or a new folder with --out"
        )
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file: name a folder with --out")


def refuse_unwritable(out: Path) -> None:
    """Raise when nothing can be written to a folder, before minutes of work are lost."""
    there = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise SiteError(f"cannot write to {there}: name another folder with --out")


def put_in_place(made: Path, out: Path) -> None:
    """Replace the site in `out` by the new one."""
    out.mkdir(parents=True, exist_ok=True)
    (out / MARKER).touch()  # first of all: what is broken off in the middle can be made again
    for old in out.iterdir():
        if old.name != MARKER:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(made, out, dirs_exist_ok=True)
