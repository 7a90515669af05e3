"""Which columns are used: all that measure something, or those that the reader names."""

from __future__ import annotations

from collections.abc import Sequence

from umlbook.book.own.columns import Column
from umlbook.book.own.files import TableError, TableQuestion


def usable_names(
    file: str, found: dict[str, Column], without: str | None = None
) -> tuple[str, ...]:
    """Return the columns that are used by default: varying numbers, half of them or more there."""
    names = tuple(
        name for name, col in found.items()
        if col.kind == "numbers" and col.values is not None and name != without
        and (col.question or col.n_missing <= len(col.values) / 2)
    )  # fmt: skip
    sparse = [name for name, col in found.items() if col.kind == "numbers" and name != without]
    if not names and sparse:
        raise TableError(
            f"{file}: more than half of the values are missing in every column of numbers "
            f"({', '.join(sparse[:8])}): name those to be used, columns=[...]"
        )
    if not names:
        kinds = ", ".join(f"{name} ({col.kind})" for name, col in list(found.items())[:8])
        raise TableError(
            f"{file} has no column of varying numbers (found: {kinds}): a metric needs numbers; "
            "if there should be some, look at the delimiter and the decimal mark"
        )
    return names


def checked_names(found: dict[str, Column], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the chosen names if they can be used, or say which cannot, and why."""
    if isinstance(chosen, str) or not len(chosen):
        raise TableError(f"columns is {chosen!r}: give a list with at least one name")
    for name in chosen:
        if name not in found:
            raise TableError(f"there is no column {name!r}: the file has {', '.join(found)}")
        if found[name].kind in ("text", "date"):
            raise TableError(
                f"column {name!r} holds texts such as {found[name].texts[0]!r}: a metric needs "
                "numbers; leave it out, or give it as compare_with"
            )
        if found[name].kind in ("constant", "empty"):
            raise TableError(
                f"column {name!r} is {found[name].kind}: it says nothing, leave it out"
            )
    return tuple(dict.fromkeys(chosen))


def ask(file: str, used: Sequence[Column]) -> None:
    """Raise `TableQuestion` for the columns that cannot be used before something is known."""
    asked = [col for col in used if col.question]
    if not asked:
        return
    alike = [
        col.name
        for col in asked[1:]
        if col.question.split(":")[0] == asked[0].question.split(":")[0]
    ]
    more = f" The same is to be said of {', '.join(map(repr, alike))}." if alike else ""
    raise TableQuestion(f"{file}: column {asked[0].name!r} {asked[0].question}.{more}")
