"""The exercises and questions of the book, one module per chapter, found by id.

A chapter's module is called ``chNN`` and has a list ``EXERCISES`` and a list ``QUESTIONS``; longer
exercises live beside it in modules called ``chNN_...``.
"""

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from umlbook.book.exercises.model import Exercise, Question


def _chapters() -> list[ModuleType]:
    names = sorted(m.name for m in iter_modules(__path__) if re.fullmatch(r"ch\d\d", m.name))
    return [import_module(f"{__name__}.{name}") for name in names]


@cache
def all_exercises() -> "dict[str, Exercise]":
    """Every exercise by its id, in the order of the book."""
    return {item.id: item for chapter in _chapters() for item in chapter.EXERCISES}


@cache
def all_questions() -> "dict[str, Question]":
    """Every quiz question by its id, in the order of the book."""
    return {item.id: item for chapter in _chapters() for item in chapter.QUESTIONS}
