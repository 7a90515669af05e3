"""What Sphinx is taught for the reference: docstrings completed, names in them that are links."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from umlbook.book.site.api.docstrings import completed
from umlbook.book.site.api.names import named

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LITERAL = re.compile(r"(``.*?``|(?::[\w:]+:)?`[^`]*`(?:_\b)?|\S+`__?)")
_SIGNS = re.compile(r"\||(?<=\w)_(?![\w{])")
_NUMBER = re.compile(r"^(\s*[A-Za-z])\.(?= )")  # as "W. Scaled": not the W-th of a list
_WORDS = re.compile(r"(?<![`:\w])(?::(?:py:)?(?:func|class|meth|mod|obj):)?`~?([\w.]+)`(?![`_])")


def with_name_links(lines: list[str], module: str) -> list[str]:
    """Return lines in which a name in single backticks is a link, and other words there are code.

    Examples
    --------
    >>> with_name_links(["As `restrict` does with `pairs`."], "umlbook.constraints")
    ['As :py:obj:`restrict <umlbook.constraints.restrict>` does with ``pairs``.']
    """

    def link(found: re.Match[str]) -> str:
        name = named(found[1], module)
        return f":py:obj:`{found[1]} <{name.full}>`" if name else f"``{found[1]}``"

    return [_WORDS.sub(link, line) for line in lines]


def with_plain_signs(lines: list[str]) -> list[str]:
    """Return lines in which what reStructuredText would read as its own signs stays what it is.

    Formulas, examples, the names at the beginning of an entry and literals are left alone.

    Examples
    --------
    >>> with_plain_signs(["n : array (n_iter_,)", "    Of |S| ``n_iter_``.", ">>> n_"])
    ['n : array (n_iter\\\\_,)', '    Of \\\\|S\\\\| ``n_iter_``.', '>>> n_']
    """
    found, formula, example = list[str](), False, False
    for line in lines:
        formula = line.lstrip().startswith(".. math::") or (
            formula and (not line or line.startswith(" "))
        )
        example = line.startswith(">>>") or (example and bool(line))
        head, sep, tail = line.partition(" : ") if re.match(r"\w+ : ", line) else ("", "", line)
        if not formula and not example and not re.fullmatch(r"\w+", line):
            pieces = _LITERAL.split(tail)
            pieces[0] = _NUMBER.sub(r"\1\\.", pieces[0])
            pieces[::2] = [_SIGNS.sub(r"\\\g<0>", piece) for piece in pieces[::2]]
            tail = "".join(pieces)
        found.append(head + sep + tail)
    return found


def on_member(
    app: Sphinx, kind: str, name: str, thing: Any, skip: bool, options: object
) -> bool | None:
    """Leave out what scikit-learn gives to every estimator."""
    home = getattr(inspect.unwrap(thing) if callable(thing) else thing, "__module__", None) or ""
    return True if home.startswith("sklearn") or name.startswith("set_") else None


def on_docstring(
    app: Sphinx, kind: str, full: str, thing: Any, options: object, lines: list[str]
) -> None:
    """Complete a docstring in place, before Napoleon reads it."""
    if inspect.isclass(thing) or callable(thing):
        lines[:] = completed(thing, full, lines)
    module = full.rpartition(".")[0]
    lines[:] = with_name_links(with_plain_signs(lines), module)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what happens to docstrings."""
    app.connect("autodoc-process-docstring", on_docstring, priority=400)
    app.connect("autodoc-skip-member", on_member)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
