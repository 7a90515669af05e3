"""Docstrings in numpydoc, read and completed.

An argument that means the same everywhere (``X``, ``labels``, ``rng``) need not be explained in
every docstring: what one leaves out comes from ``parameters.csv``. Defaults come from the
signature.
"""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Any

_ENTRY = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.*))?$")


@dataclass(frozen=True)
class Entry:
    """What a docstring says of an argument or an attribute."""

    name: str
    type: str
    lines: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """What it is, in one line."""
        return " ".join(line.strip() for line in self.lines).strip()


def sections(doc: str) -> dict[str, list[str]]:
    """Return the lines of each section of a docstring; what comes first is under ``""``.

    Examples
    --------
    >>> sections("Twice x.\\n\\nParameters\\n----------\\nx : float")
    {'': ['Twice x.', ''], 'Parameters': ['x : float']}
    """
    lines, found, now = doc.splitlines(), {"": list[str]()}, ""
    skip = False
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        if skip:
            skip = False
        elif line and len(below) >= 3 and set(below) == {"-"}:
            now, skip = line, True
            found[now] = []
        else:
            found[now].append(line)
    return found


def entries(lines: Sequence[str]) -> list[Entry]:
    """Return the entries of a section ``Parameters`` or ``Attributes``.

    Examples
    --------
    >>> entries(["a, b : int", "    Sides."])
    [Entry(name='a', type='int', lines=('    Sides.',)), \
Entry(name='b', type='int', lines=('    Sides.',))]
    """
    found: list[tuple[str, str, list[str]]] = []
    for line in lines:
        if start := _ENTRY.match(line):
            found.append((start[1], start[2] or "", []))
        elif found and (line.strip() or found[-1][2]):
            found[-1][2].append(line)
    return [
        Entry(name.strip("* "), kind, tuple("\n".join(body).rstrip().splitlines()))
        for names, kind, body in found
        for name in names.split(",")
    ]


@cache
def _common() -> dict[tuple[str, str], Entry]:
    text = (files("umlbook.book.site.api") / "parameters.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {
        (row["of"], row["name"]): Entry(row["name"], row["type"], (f"    {row['meaning']}",))
        for row in rows
    }


def common(full: str, name: str) -> Entry | None:
    """Return what is known of an argument that a docstring does not explain.

    Parameters
    ----------
    full : str
        The full name of what it is an argument of: rows for it come first, then those of its
        module, then those that are for all.
    name : str
        The argument.

    Examples
    --------
    >>> common("umlbook.spectral.kernel_kmeans_steps", "n_clusters").type
    'int'
    """
    module = full.rpartition(".")[0]
    known = _common()
    places = [full, module, ".".join(module.split(".")[:2]), ""]
    return next((known[at, name] for at in places if (at, name) in known), None)


def arguments(thing: Any) -> dict[str, inspect.Parameter]:
    """Return the arguments that a caller gives, in their order."""
    try:
        found = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return {}
    return {name: one for name, one in found.items() if name != "self" and not name.startswith("_")}


def _default(argument: inspect.Parameter) -> str:
    """The default as it would be typed; nothing where there is none."""
    value = argument.default
    if value is inspect.Parameter.empty or "factory" in repr(value):
        return ""
    return f"default {getattr(value, '__name__', repr(value))}".replace("'", '"')


def explained(thing: Any, full: str) -> dict[str, Entry]:
    """Return what is said of each argument, in the order of the signature; what nobody says: not.

    Parameters
    ----------
    thing : callable
        A function, a method or a class.
    full : str
        Its full name.
    """
    parts = sections(inspect.getdoc(thing) or "")
    own = {one.name: one for one in entries(parts.get("Parameters", parts.get("Attributes", [])))}
    found = {}
    for name, argument in arguments(thing).items():
        told, known = own.get(name), common(full, name)
        if told is None and known is None:
            continue
        kind = (told and told.type) or (known and known.type) or ""
        lines = (told and told.lines) or (known and known.lines) or ()
        words = [kind, _default(argument) if "default" not in kind else ""]
        found[name] = Entry(name, ", ".join(filter(None, words)), lines)
    return found


def completed(thing: Any, full: str, lines: Sequence[str]) -> list[str]:
    """Return a docstring with all arguments explained, as far as is known, and their defaults."""
    parts = sections("\n".join(lines))
    told = explained(thing, full)
    if told:
        listed = [line for one in told.values() for line in _written(one)]
        is_record = is_dataclass(thing) and "Parameters" not in parts
        heading = "Attributes" if is_record else "Parameters"
        rest = {name: body for name, body in parts.items() if name not in ("", heading)}
        parts = {"": parts[""], heading: [*listed, ""]} | rest
    if "Attributes" in parts:
        told = {one.name: one for one in entries(parts["Attributes"])}
        listed = [line for one in _filled(told.values(), full) for line in _written(one)]
        parts["Attributes"] = [*listed, ""]
    found = []
    for heading, body in parts.items():
        found += [*([heading, "-" * len(heading)] if heading else []), *body]
        if found and found[-1]:
            found.append("")
    return found


def _filled(told: Iterable[Entry], full: str) -> Iterator[Entry]:
    """Entries with the meaning that a docstring leaves out."""
    for one in told:
        known = None if one.lines else common(full, one.name)
        yield replace(one, lines=known.lines) if known else one


def _written(one: Entry) -> list[str]:
    kind = f" : {one.type}" if one.type else ""
    return [f"{one.name}{kind}", *one.lines]
