"""How far the loops of a cell have come, for the bar under it.

Before a reader's cell is run, each loop and each comprehension that stands in it at the top is made
to count its steps. What the cell computes stays the same, and so does its text.
"""

from __future__ import annotations

import ast
import builtins
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import length_hint
from typing import Any, TypeVar

T = TypeVar("T")
NAME = "_umlbook_counted"
"""Among the built-in names, where no cell can lose it."""


@dataclass
class Loop:
    """The loop that is running now: which one, and how many of its steps are done."""

    number: int
    of: int
    total: int
    done: int = 0
    began: float = field(default_factory=time.monotonic)

    def said(self, now: float) -> str:
        """Return how much is done, and roughly how long the rest of the loop takes.

        Examples
        --------
        >>> Loop(1, of=1, total=20, done=5, began=0.0).said(now=4.0)
        '5 of 20 steps done (25 %), about 12 s left'
        >>> Loop(2, of=3, total=20, began=0.0).said(now=4.0)
        'Loop 2 of 3: 0 of 20 steps done'
        """
        which = f"Loop {self.number} of {self.of}: " if self.of > 1 else ""
        said = f"{which}{self.done} of {self.total} steps done"
        if not self.done:
            return said
        left = (now - self.began) * (self.total - self.done) / self.done
        share = 100 * self.done / self.total
        return f"{said} ({share:.0f} %), about {max(left, 1):.0f} s left"


def _length(things: object) -> int:
    """How many things there are; 0 where they do not say."""
    try:
        return length_hint(things)
    except (NotImplementedError, TypeError, ValueError):
        return 0


class Loops(ast.NodeTransformer):
    """Makes the loops of a cell count while somebody is there to read it."""

    def __init__(self, wanted: Callable[[], bool]) -> None:
        self.wanted = wanted
        self.now: Loop | None = None
        self._found: list[Any] = []
        setattr(builtins, NAME, self.counted)

    def counted(self, things: Iterable[T], number: int, of: int) -> Iterator[T]:
        """Iterate over things; where it is known how many there are, count them."""
        total = _length(things)
        loop = self.now = Loop(number, of, total) if total else None
        try:
            for thing in things:
                yield thing
                if loop is not None:
                    loop.done += 1
        finally:
            self.now = None

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Let the loops of a cell count."""
        self.now, self._found = None, []
        if not self.wanted():
            return node
        for statement in node.body:
            self.visit(statement)
        for number, loop in enumerate(self._found, start=1):
            given = [loop.iter, ast.Constant(number), ast.Constant(len(self._found))]
            loop.iter = ast.Call(ast.Name(NAME, ast.Load()), given, [])
        return ast.fix_missing_locations(node)

    def visit_For(self, node: ast.For) -> ast.For:
        """Find a loop, and not those that it holds."""
        self._found.append(node)
        return node

    def _comprehension(self, node: Any) -> Any:
        if not node.generators[0].is_async:
            self._found.append(node.generators[0])
        return node

    def _not_now(self, node: Any) -> Any:
        """What is run later, or perhaps never."""
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = _comprehension
    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _not_now
    visit_GeneratorExp = visit_AsyncFor = visit_If = visit_IfExp = visit_While = _not_now
    visit_With = visit_AsyncWith = visit_Try = visit_TryStar = visit_Match = _not_now
