"""Examples that stand in no docstring: walks through the parts of a room, and those of the guides.

They are in ``walks/``, and the doctest run of the package runs them. The reference shows the walk
of a room under its heading *Parts*, for the names whose docstring has no example of its own.
"""

from importlib.resources import files

WALKS = {
    walk.name.removesuffix(".txt"): walk.read_text(encoding="utf-8")
    for walk in sorted((files(__package__) / "walks").iterdir(), key=lambda walk: walk.name)
}
"""The lines of each walk by its name: that of a room, or of a guide."""

__test__ = WALKS  # where doctest looks beside the docstrings
