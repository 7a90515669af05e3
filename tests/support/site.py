"""Static pages: built in this process, and opened in a browser that has no network."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from nbformat import NotebookNode, v4
from PIL import Image
from playwright.sync_api import Browser, Locator, Page

from support.browser import Watch
from support.waiting import HANGS
from umlbook.book.site.build import build


def quietly_built(*arguments: Any) -> list[str]:
    """Build in this process; what Sphinx and its theme deprecate is not our concern."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(*arguments, reference=False)  # a small book has not the equations for it


def small_book(folder: Path, *cells: NotebookNode) -> Path:
    """A folder of notebooks with one chapter."""
    made = [v4.new_markdown_cell("# One page\n\n$$x \\tag{1.1}$$"), *cells]
    (folder / "notebooks").mkdir()
    nbformat.write(v4.new_notebook(cells=made), folder / "notebooks" / "01-one.ipynb")
    return folder / "notebooks"


@contextmanager
def opened(browser: Browser, page_file: Path, **settings: Any) -> Iterator[Page]:
    """A page opened from its folder, its formulas typeset; it must be quiet to the end."""
    desk = {"viewport": {"width": 1200, "height": 1000}}
    with browser.new_context(**(desk | settings)) as context:
        context.set_default_timeout(HANGS * 1000)
        watch = Watch()
        context.on("request", lambda request: watch.requests.append(request.url))
        page = context.new_page()
        page.on("pageerror", lambda error: watch.errors.append(str(error)))
        page.on(
            "console",
            lambda said: watch.errors.append(said.text) if said.type in ("error", "warning") else 0,
        )
        page.goto(page_file.as_uri())
        page.wait_for_function("!window.MathJax || MathJax.startup.promise.then(() => true)")
        yield page
        assert watch.strangers() == [], "the page asks another machine"
        assert watch.errors == [], "the page complains"


def pixels(locator: Locator) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"))
