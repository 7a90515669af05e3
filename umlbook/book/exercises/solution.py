"""What a solution shows: code that runs as it stands, pasted into the student's notebook.

It is made from the source of the reference, without the annotations (whose names a notebook does
not have), with the helpers of the bank that it calls written out and all else imported. Its last
name is the one under which the notebook looks for the answer.
"""

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from umlbook.book.exercises.model import Exercise

_BANK = "umlbook.book.exercises.bank"
#: A span of the source: line and column where it begins and where it ends.
_Span = tuple[int, int, int, int]


def solution_code(spec: Exercise) -> str:
    """The code of a solution: a function, or what sets the value; letters with their steps."""
    if spec.steps:
        letters = spec.reference()
        steps = [f"# ({letter}) {spec.steps[letter]}" for letter in letters]
        return "\n".join([f'{spec.answer_name} = "{letters}"', *steps])
    parts = _Parts()
    parts.add_function(spec.reference, spec.answer_name if spec.kind == "function" else "")
    head = "\n\n".join(filter(None, map("\n".join, [parts.import_lines(), parts.constants])))
    call = f"{spec.reference.__name__}(**ex{spec.id.partition('.')[2]}.data)"
    last = f"{spec.answer_name} = {call}" if spec.kind == "value" else ""
    return "\n\n\n".join(filter(None, [head, *parts.functions, last]))


class _Parts:
    """The imports, constants and functions that a function needs, each once, in order."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.modules: dict[str, None] = {}
        self.constants: dict[str, None] = {}
        self.functions: dict[str, None] = {}
        self._seen: set[str] = set()

    def add_function(self, function: Callable[..., Any], name: str = "") -> None:
        """Add a function of the bank after all that it uses; under another name, if given."""
        source = plain_source(function)
        for used in _names(source):
            if used in function.__globals__ and used not in self._seen:
                self._seen.add(used)
                self._add(used, function)
        if name and name != function.__name__:
            source = re.sub(rf"^def {function.__name__}\b", f"def {name}", source)
        self.functions[source] = None

    def _add(self, name: str, user: Callable[..., Any]) -> None:
        """Add what `user` means by a name: a helper, an import, or a constant."""
        value, home = user.__globals__[name], _imported(user.__module__).get(name)
        if isinstance(value, FunctionType) and value.__module__.startswith(_BANK):
            self.add_function(value)
        elif home or isinstance(value, type):
            self.imports.setdefault(home or user.__module__, set()).add(name)
        elif not isinstance(value, ModuleType):
            self.constants[f"{name} = {value!r}"] = None
        elif name != "np":  # which every notebook has
            self.modules[f"import {name}"] = None

    def import_lines(self) -> list[str]:
        """The imports, those of the book last."""
        homes = sorted(self.imports, key=lambda home: (home.startswith("umlbook"), home))
        lines = [f"from {home} import {', '.join(sorted(self.imports[home]))}" for home in homes]
        return [*self.modules, *lines]


@cache
def _imported(module: str) -> dict[str, str]:
    """The names that a module takes from others, each with the module that it is taken from."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    nodes = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in nodes for alias in node.names}


def _names(source: str) -> Iterator[str]:
    """The names in some code, built-in ones left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            yield node.id


# ------------------------------------------------------------------------ source, made plain


def plain_source(function: Callable[..., Any]) -> str:
    """The source of a function without annotations; its comments stay.

    >>> def halved(x: float) -> float:
    ...     return x / 2
    >>> print(plain_source(halved))
    def halved(x):
        return x / 2
    """
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    lines = source.encode().split(b"\n")  # the parser counts columns in bytes
    for first, start, last, end in sorted(_typed(ast.parse(source), lines), reverse=True):
        lines[first] = lines[first][:start] + lines[last][end:]
        del lines[first + 1 : last + 1]
    return b"\n".join(lines).decode()


def _typed(tree: ast.AST, lines: list[bytes]) -> Iterator[_Span]:
    """Where annotations stand, and docstrings that only say whose reference this is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            start = node.col_offset + len(node.arg.encode())
            yield node.lineno - 1, start, *_end(node.annotation)
        elif isinstance(node, ast.AnnAssign):
            target = node.target
            yield (target.end_lineno or 0) - 1, target.end_col_offset or 0, *_end(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            if node.returns is not None:
                first = node.returns.lineno - 1
                arrow = lines[first].rindex(b" ->", 0, node.returns.col_offset)
                yield first, arrow, *_end(node.returns)
            said = node.body[0]
            if (ast.get_docstring(node) or "").startswith("Reference of"):
                yield said.lineno - 2, len(lines[said.lineno - 2]), *_end(said)


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno - 1, node.end_col_offset  # type: ignore[attr-defined]
