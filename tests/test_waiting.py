"""A bar under a slow cell, for a reader only."""

import time
from types import SimpleNamespace

import pytest

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
    notebook = SimpleNamespace(events=events)
    monkeypatch.setattr(waiting, "get_ipython", lambda: notebook)
    waiting.announce_slow_cells()
    waiting.announce_slow_cells()
    assert registered == ["pre_run_cell", "post_run_cell"]
    monkeypatch.setattr(waiting, "get_ipython", lambda: None)
    waiting.announce_slow_cells()
