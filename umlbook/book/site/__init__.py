"""The book as static pages: ``umlbook site``.

Made from the stored outputs of the notebooks, which are never run for it. The pages need neither a
kernel nor the network: formulas, steppers, quizzes, proofs and search work from a folder.

- `build`: all of it, in a folder of its own until nothing is wrong
- `landing`, `squeeze`: the first page, and the picture on it that moves
- `pages`, `snippets`: from a notebook to the source of a page; its pieces of HTML
- `code`: the rule by which code is folded
- `answers`: quizzes and proofs that answer, from the bank of the exercises
- `reference_pages`: concordance, errata, notation and glossary, made from the ledger
- `api`: the reference of the package, *Which estimator?*, and the use with scikit-learn
- `references`, `extension`: references that are links, and what Sphinx is taught for that
- `search`: the texts from which the search shows excerpts
- `live`: the links to the live book (`umlbook.book.lite`), where it is part of the site
- `checks`: links that lead nowhere, files from other machines

In ``static/`` each script is one thing that a reader can do, and a page loads those it needs.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from tqdm.auto import tqdm

from umlbook.book import lite
from umlbook.tools.copies import checkout_notebooks

NEEDED = ("sphinx", "furo", "myst_parser", "sphinx-mathjax-offline")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``umlbook site``."""
    parser.add_argument(
        "--out", type=Path, default=Path("site"), help="folder for the pages (default: site)"
    )
    parser.add_argument(
        "--solutions", action="store_true", help="add the solutions, for a teacher's own copy"
    )
    parser.add_argument(
        "--live", action="store_true", help="add the live book, which runs in the browser"
    )
    lite.add_pyodide_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Make the site and say where it is; 1 when it was not made."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        return _failed(
            f"{', '.join(missing)} not installed; in a copy of the repository, run\n"
            f'  {sys.executable} -m pip install -e ".[site]"'
        )
    notebooks = checkout_notebooks()
    if notebooks is None:
        return _failed(
            "this is not a copy of the repository, from which the pages are made.\n"
            "Run the command in such a copy, the folder with pyproject.toml and notebooks/"
        )
    if args.live and (missing_for_live := lite.not_installed()):
        return _failed(missing_for_live)
    from umlbook.book.lite.parts import LiteError
    from umlbook.book.site.build import SiteError, build

    def live(folder: Path) -> None:
        from umlbook.book.lite.build import build as build_live

        build_live(notebooks, folder, pyodide=args.pyodide, back="../")

    with tqdm(unit=" pages", disable=None) as bar:

        def show(what: str, done: int, total: int) -> None:
            bar.set_description(what, refresh=False)
            bar.total = total
            bar.update(done - bar.n)

        try:
            warnings = build(
                notebooks,
                args.out,
                solutions=args.solutions,
                live=live if args.live else None,
                progress=show,
            )
        except (SiteError, LiteError) as error:
            bar.close()
            return _failed(f"no pages were written.\n{error}")
        except OSError as error:
            bar.close()
            return _failed(f"cannot write the pages: {error}\nName another folder with --out")
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"The book is at {(args.out / 'index.html').resolve()}")
    if args.live:
        print(f"Its live pages need a server: {sys.executable} -m http.server -d {args.out}")
    return 0


def _failed(message: str) -> int:
    print(f"umlbook site: {message}", file=sys.stderr)
    return 1
