"""A bar under a slow cell, for a reader only."""

import ast
import time
from types import SimpleNamespace

import pytest
from support.waiting import wait_until

from umlbook.book.page import waiting


@pytest.fixture
def shown(monkeypatch):
    """The texts that a cell displays, in order."""
    texts = []

    def put(bar):
        texts.append(bar._repr_mimebundle_()["text/plain"])

    def display(bar, display_id):
        assert display_id
        put(bar)
        return SimpleNamespace(update=put)

    monkeypatch.setattr(waiting, "display", display)
    monkeypatch.setattr(waiting, "DELAY", 0.05)
    monkeypatch.setattr(waiting, "EVERY", 0.05)
    return texts


def shell(asks=True):
    return SimpleNamespace(kernel=SimpleNamespace(_allow_stdin=asks))


def run(watch, seconds):
    watch.begin()
    time.sleep(seconds)
    watch.end()


def test_a_slow_cell_is_announced_and_its_bar_taken_away(shown):
    run(waiting.Waiting(shell()), 1.0)
    assert shown[0] == "This cell has been running for 0 s"
    assert len(shown) > 2 and shown[-1] == ""


CELL = """
evens = [2 * x for x in range(3) if x]
pairs = {x: [y for y in range(x)] for x in {1, 2}}
def later():
    return [x for x in range(5)]
lazy = (x for x in range(2))
seen = []
for x in range(4):
    see(x)
    for y in range(2):
        seen.append((x, y))
    if x == 2:
        break
for x in zip("ab", "cd"):
    see(x)
"""


def executed(watch, see):
    """The names of the cell, run as a notebook would run it."""
    names = {"see": see}
    exec(compile(watch.loops.visit(ast.parse(CELL)), "cell", "exec"), names)
    return {name: names[name] for name in ("evens", "pairs", "seen", "x")}


def test_the_share_of_a_loop_is_shown_while_it_runs(shown):
    watch, said = waiting.Waiting(shell()), []

    def see(_):
        before = len(shown)
        wait_until(lambda: len(shown) > before + 1, "the bar")
        said.append(shown[-1])

    watch.begin()
    executed(watch, see)
    watch.end()
    assert said[0] == "Loop 3 of 4: 0 of 4 steps done"
    assert said[2].startswith("Loop 3 of 4: 2 of 4 steps done (50 %), about ")
    assert said[3].startswith("This cell has been running for ")  # nobody knows how long a zip is
    assert shown[-1] == "" and watch.loops.now is None


def test_a_cell_computes_the_same_whether_its_loops_are_counted_or_not():
    read, now = waiting.Waiting(shell()), []
    found = executed(read, lambda _: now.append(read.loops.now))
    unread = waiting.Waiting(shell(asks=False))
    assert executed(unread, lambda _: None) == found
    assert [loop and (loop.number, loop.total) for loop in now] == [(3, 4)] * 3 + [None] * 2
    same = ast.dump(unread.loops.visit(ast.parse(CELL)))
    assert same == ast.dump(ast.parse(CELL))


def test_a_bar_shows_the_share_that_is_done():
    loop = waiting.Loop(1, of=1, total=8, done=2)
    assert 'value="2" max="8"' in waiting.Bar(3.0, loop)._repr_mimebundle_()["text/html"]
    assert "value" not in waiting.Bar(3.0)._repr_mimebundle_()["text/html"]


def test_a_quick_cell_shows_nothing(shown, monkeypatch):
    monkeypatch.setattr(waiting, "DELAY", 60.0)
    run(waiting.Waiting(shell()), 0)
    assert shown == []


@pytest.mark.parametrize("nobody", [shell(asks=False), SimpleNamespace()])
def test_where_nobody_can_be_asked_nothing_is_shown(shown, nobody):
    run(waiting.Waiting(nobody), 0.3)
    assert shown == []


def test_a_notebook_is_watched_once(monkeypatch):
    registered = []
    events = SimpleNamespace(register=lambda name, _: registered.append(name))
    notebook = SimpleNamespace(events=events, ast_transformers=[])
    monkeypatch.setattr(waiting, "get_ipython", lambda: notebook)
    waiting.announce_slow_cells()
    waiting.announce_slow_cells()
    assert registered == ["pre_run_cell", "post_run_cell"]
    assert len(notebook.ast_transformers) == 1
    monkeypatch.setattr(waiting, "get_ipython", lambda: None)
    waiting.announce_slow_cells()
