"""A name that could be imported from a module once can be imported from it still."""

from importlib import import_module
from pathlib import Path

import pytest

LINES = Path(__file__).with_name("public_names.txt").read_text(encoding="utf-8").splitlines()
NAMES = {module: names.split() for module, _, names in (line.partition(": ") for line in LINES)}

MOVED = {"umlbook.blur": "umlbook.cpcm.blur"}
"""Modules that have moved as a whole: the blur ratio is a part of CPCM."""


@pytest.mark.parametrize("module", NAMES)
def test_every_public_name_is_where_it_was(module):
    home = import_module(MOVED.get(module, module))
    assert [name for name in NAMES[module] if not hasattr(home, name)] == []


@pytest.mark.parametrize("module", MOVED)
def test_what_has_moved_is_not_in_two_places(module):
    with pytest.raises(ModuleNotFoundError):
        import_module(module)
