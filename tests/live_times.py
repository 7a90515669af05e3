"""Measure how soon the live book answers: ``python tests/live_times.py`` prints a Markdown table.

The book is built and served as a static host would do it: compressed where that helps, and kept by
the browser for ten minutes. Chromium opens the first chapter with an empty profile (cold), then,
started again, with the profile that this left (warm), and then another chapter. Seconds count from
the request of the page. They depend on what else the machine does, so its load stands beside them;
the processor seconds of the browser depend on it less. A second table says when each stage of the
start of Python began.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from urllib.parse import unquote, urlsplit

from playwright.sync_api import BrowserContext, Page, sync_playwright
from support.browser import (
    CHROMIUM_FLAGS,
    chromium_path,
    move_slider,
    pictures_after,
    reveal,
    slider_areas,
)
from support.lite import built_book
from support.waiting import HANGS, wait_until

FIRST, OTHER = "00-start-here.ipynb", "01-kmeans-is-a-trace.ipynb"
SQUEEZED = (".html", ".css", ".js", ".mjs", ".json", ".ipynb", ".wasm", ".svg")
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
NOTE_STAGES = """
  window.stages = [];
  setInterval(() => {
    const said = document.querySelector('#umlbook-live [role=status]')?.textContent.split(':');
    const stage = said?.[0] === 'Starting Python' ? said.join(':') : said?.[0];
    if (stage && stage !== stages.at(-1)?.[1]) stages.push([performance.now() / 1000, stage]);
  }, 50);
"""
IDLE = ".jp-Notebook-ExecutionIndicator[data-status='idle']"


@dataclass(frozen=True)
class Visit:
    """One opening of a chapter: seconds since the request, megabytes sent, processor seconds."""

    page: float
    ready: float
    first_cell: float
    slider: float
    answer: float
    megabytes: float
    processor: float
    load: float
    stages: list[tuple[float, str]]


# ------------------------------------------------------------------------------- the static host


class Host(ThreadingHTTPServer):
    """A static host that counts the bytes it sends."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.folder, self.sent = folder, 0
        self.content = cache(self._content)
        for path in folder.rglob("*"):  # compressed once, before anything is measured
            if path.is_file():
                self.content(path)
        super().__init__(("127.0.0.1", 0), Answer)

    def _content(self, path: Path) -> bytes:
        data = path.read_bytes()
        return gzip.compress(data, 6) if path.suffix in SQUEEZED else data

    def handle_error(self, *args: object) -> None:
        """A page that is closed breaks off what it asked for."""


class Answer(BaseHTTPRequestHandler):
    """The answer to one request."""

    protocol_version = "HTTP/1.1"
    server: Host

    def do_GET(self) -> None:
        """Send a file, or say that there is none."""
        path = self.server.folder / unquote(urlsplit(self.path).path).lstrip("/")
        path = path / "index.html" if path.is_dir() else path
        data = self.server.content(path) if path.is_file() else b""
        self.send_response(200 if data else 404)
        kind = TYPES.get(path.suffix) or guess_type(path.name)[0] or "application/octet-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "max-age=600")
        if path.suffix in SQUEEZED:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(data)
        self.server.sent += len(data)

    do_HEAD = do_GET

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def hosted(folder: Path) -> Iterator[Host]:
    """The folder on a local port."""
    with Host(folder) as host:
        thread = Thread(target=host.serve_forever, daemon=True)
        thread.start()
        yield host
        host.shutdown()
        thread.join()


# ------------------------------------------------------------------------------------ the reader


def processor_seconds(profile: Path) -> float:
    """What the processes of the Chromium with this profile have used (Linux)."""
    own = [stat for stat in Path("/proc").glob("[0-9]*/stat") if _belongs(stat, str(profile))]
    ticks = 0
    for stat in own:
        fields = stat.read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _belongs(stat: Path, profile: str) -> bool:
    try:
        return profile.encode() in stat.with_name("cmdline").read_bytes()
    except OSError:  # it has just ended
        return False


@contextmanager
def opened_chromium(profile: Path) -> Iterator[BrowserContext]:
    """Chromium with a profile that stays when it ends."""
    with sync_playwright() as driver:
        path = chromium_path(driver)
        if path is None:
            sys.exit("no Chromium: `apt install chromium` or `playwright install chromium`")
        context = driver.chromium.launch_persistent_context(
            str(profile), executable_path=path, args=CHROMIUM_FLAGS, timeout=HANGS * 1000,
            viewport={"width": 1280, "height": 900},
        )  # fmt: skip
        context.set_default_timeout(HANGS * 1000)
        yield context
        context.close()


def run_first_cell(page: Page) -> None:
    """Run the first code cell, as a reader does."""
    cell = page.locator(".jp-CodeCell").first
    prompt = cell.locator(".jp-InputArea-prompt")
    prompt.evaluate("prompt => { prompt.textContent = ''; }")  # the stored number looks like "done"
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    wait_until(lambda: prompt.inner_text().strip(" []:").isdigit(), "the first cell to end")


def move_first_slider(page: Page, clock: Callable[[], float]) -> float:
    """Run the cells to the first slider, move it, and return the seconds until the answer."""
    page.locator(".lm-MenuBar-item", has_text="Run").click()
    page.locator("li[data-command='runmenu:run-all']").click()
    wait_until(lambda: slider_areas(page), "a slider")
    area = slider_areas(page)[0]
    area.scroll_into_view_if_needed()
    reveal(area)
    slider, before = area.locator(".widget-slider:visible").first, clock()
    pictures_after(area, lambda: move_slider(slider), "a move")
    return clock() - before


def visit(host: Host, profile: Path, name: str, *, is_first: bool) -> Visit:
    """Open a chapter, run its first cell, and move its first slider.

    The first time the reader stays until Python is kept for the next start.
    """
    sent, load = host.sent, os.getloadavg()[0]
    with opened_chromium(profile) as context:
        page = context.pages[0]
        page.add_init_script(NOTE_STAGES)
        used, start = processor_seconds(profile), time.monotonic()

        def clock() -> float:
            return time.monotonic() - start

        page.goto(f"http://127.0.0.1:{host.server_port}/notebooks/index.html?path={name}")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        shown = clock()
        bar = page.locator("#umlbook-live").get_by_role("status")
        bar.filter(has_text="Python is ready").wait_for()
        page.locator(IDLE).wait_for()
        ready = clock()
        run_first_cell(page)
        done = clock()
        processor = processor_seconds(profile) - used
        megabytes = (host.sent - sent) / 1e6
        stages = page.evaluate("stages")
        answer = move_first_slider(page, clock)
        seen = Visit(shown, ready, done, clock(), answer, megabytes, processor, load, stages)
        if is_first:
            bar.filter(has_text="faster next time").wait_for()
        return seen


HEAD = """\
| | page visible (s) | Python ready (s) | first cell done (s) | first slider moved (s) \
| its answer (s) | MB compressed, to first cell | processor seconds, to first cell | load before |
|---|---:|---:|---:|---:|---:|---:|---:|---:|"""


def line(name: str, seen: Visit) -> str:
    """A line of the table."""
    numbers = (
        seen.page, seen.ready, seen.first_cell, seen.slider, seen.answer, seen.megabytes,
        seen.processor, seen.load,
    )  # fmt: skip
    return f"| {name} | " + " | ".join(f"{number:.1f}" for number in numbers) + " |"


def stage_lines(name: str, seen: Visit) -> list[str]:
    """When each stage of the start began, as the bar of the page said it."""
    return [f"| {name} | {seconds:.1f} | {stage.rstrip('.')} |" for seconds, stage in seen.stages]


def main() -> None:
    """Build, serve, visit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, help="a live book made before (default: build one)")
    parser.add_argument("--warm", type=int, default=1, help="how often to come back (default: 1)")
    args = parser.parse_args()
    with TemporaryDirectory(prefix="umlbook-times-") as scratch:
        book = args.book or built_book(Path(scratch, "live"))
        profile = Path(scratch, "profile")
        print(HEAD, flush=True)
        with hosted(book) as host:
            visits = [("cold", FIRST), *[("warm", FIRST)] * args.warm, ("another chapter", OTHER)]
            stages = ["", "| | since (s) | the bar says |", "|---|---:|---|"]
            for name, notebook in visits:
                seen = visit(host, profile, notebook, is_first=name == "cold")
                print(line(name, seen), flush=True)
                stages += stage_lines(name, seen)
        print("\n".join(stages))


if __name__ == "__main__":
    main()
