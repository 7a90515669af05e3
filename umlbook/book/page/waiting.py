"""A bar under every cell that keeps a reader waiting, and nothing under the others.

It is drawn by a thread beside the cell, appears after `DELAY` seconds, and is emptied when the cell
is done. It says which share of a loop is done and roughly how long the rest takes (`page.loops`),
and where no loop is running whose steps are known, how long the cell has been running. Only a
reader who could also be asked for input sees it: programs that run a notebook, such as the tests
and ``umlbook refresh``, say that they cannot be asked, and their outputs stay as they are.
"""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import display

from umlbook._browser import in_browser
from umlbook.book.page.loops import Loop, Loops

DELAY = 2.0
"""Seconds without a word."""
EVERY = 1.0
"""Seconds from one word to the next."""
_MARK = "_umlbook_waiting"


class Bar:
    """What a reader sees while a cell runs; nothing once it is done."""

    def __init__(self, seconds: float | None, loop: Loop | None = None) -> None:
        self.seconds, self.loop = seconds, loop

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        if self.seconds is None:
            return {"text/html": "", "text/plain": ""}
        said, share = f"This cell has been running for {self.seconds:.0f} s", ""
        if self.loop is not None:
            said = self.loop.said(time.monotonic())
            share = f' value="{self.loop.done}" max="{self.loop.total}"'
        bar = f'<progress aria-label="{said}"{share} style="vertical-align:middle"></progress>'
        return {"text/html": f"{bar} {said}", "text/plain": said}


class Waiting:
    """Watches the cells of a shell, one after the other."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.loops = Loops(self._is_read)
        self._done = Event()
        self._thread: Thread | None = None

    def begin(self, *_: object) -> None:
        """Start to wait for a cell."""
        self.end()
        if self._is_read():
            self._done = Event()
            self._thread = Thread(target=self._watch, args=(self._done,), daemon=True)
            self._thread.start()

    def _is_read(self) -> bool:
        """Whether somebody is there, who could also be asked for input."""
        return bool(getattr(getattr(self.shell, "kernel", None), "_allow_stdin", False))

    def end(self, *_: object) -> None:
        """The cell is done: take the bar away."""
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=10 * EVERY)
            self._thread = None

    def _watch(self, done: Event) -> None:
        start = time.monotonic()
        if done.wait(DELAY):
            return
        handle = display(Bar(time.monotonic() - start, self.loops.now), display_id=True)
        if handle is None:
            return
        while not done.wait(EVERY):
            handle.update(Bar(time.monotonic() - start, self.loops.now))
        handle.update(Bar(None))


def announce_slow_cells() -> None:
    """Watch the cells of this notebook from now on; outside a notebook do nothing."""
    shell = get_ipython()
    if shell is None or in_browser() or hasattr(shell, _MARK):
        return
    watch = Waiting(shell)
    setattr(shell, _MARK, watch)
    shell.ast_transformers.append(watch.loops)
    shell.events.register("pre_run_cell", watch.begin)
    shell.events.register("post_run_cell", watch.end)
