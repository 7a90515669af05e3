"""Draw docs/architecture.svg from the imports of the package: which room uses which.

``python docs/architecture.py`` writes the picture; ``--check`` writes nothing and exits with 1 when
the picture is out of date or an import goes in a direction that is not allowed. Only the standard
library is used, and the same imports always give the same bytes.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = Path(__file__).with_suffix(".svg")

COMMON = (
    "algebra", "lloyd", "kernels", "coordinates", "constraints", "itml", "scores", "datasets",
    "_loop", "_pieces", "_checks",
)  # fmt: skip
"""The common ground; so is every other name with an underscore. All other rooms are methods."""
DIVIDED = ("book", "experiments", "tools")  # their entries are rooms of their own
DOOR = ("umlbook", "__main__")  # the public names and ``python -m umlbook``: may import anything
ORDER = {"common ground": 0, "methods": 1, "book": 2, "experiments": 2, "tools": 3}
"""The floors; an import goes to the own floor or a lower one."""

ALLOWED = {
    ("methods", "spectral"): "kernel k-means and the relaxation of chapter 2 are parts of them",
    ("rivals", "daem"): "Yang and Jin's model is the labelled half of PM",
    ("experiments.engine", "book.page"): "the figures of `umlbook reproduce` look like the book's",
    ("book.exercises", "experiments.engine"): "the exercises of chapter 8 are about ranks",
    ("book.site", "tools.copies"): "`umlbook site` is a command and asks where the notebooks lie",
    ("book.site", "experiments.engine"): "*Which estimator?* shows results that are stored",
    ("book.lite", "tools.copies"): "`umlbook lite` is a command and asks where the notebooks lie",
}
"""Every import across rooms that the floors alone would forbid, and why it is there."""

Edges = set[tuple[str, str]]


# ---------------------------------------------------------------------------------- the imports


def modules(root: Path) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted((root / "umlbook").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: Iterable[str]) -> Iterator[str]:
    """The modules of the package that one of them imports, anywhere in its text."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield from [whole] if whole in known else [base] if base in known else []


def room(module: str) -> str:
    """The room of a module: ``naml``, ``book.page``.

    >>> room("umlbook.naml.weights"), room("umlbook.book.page.draw"), room("umlbook")
    ('naml', 'book.page', 'umlbook')
    """
    parts = module.split(".")[1:] or ["umlbook"]
    return ".".join(parts[:2] if parts[0] in DIVIDED else parts[:1])


def edges(root: Path = ROOT) -> tuple[set[str], Edges]:
    """The rooms, and which imports which."""
    known = modules(root)
    found = {
        (room(name), room(used))
        for name, path in known.items()
        for used in imports(name, path, known)
    }
    rooms = {room(name) for name in known} - {*DOOR, *DIVIDED}
    # ``book/__init__`` and its like only pass names on
    return rooms, {(a, b) for a, b in found if a != b and {a, b} <= rooms}


# -------------------------------------------------------------------------------- the directions


def floor(name: str) -> str:
    """The floor of a room."""
    head = name.split(".")[0]
    if head in DIVIDED:
        return head
    return "common ground" if head in COMMON or head.startswith("_") else "methods"


def allowed(importer: str, imported: str) -> bool:
    """Whether one room may import another: the table, or a lower floor, or the same one.

    Methods do not import one another, and of two rooms side by side neither imports the other.
    """
    for who in (importer, floor(importer)):
        if (who, imported) in ALLOWED:
            return True
    here, there = floor(importer), floor(imported)
    if here == there:
        return here != "methods"
    return ORDER[there] < ORDER[here]


def offences(root: Path = ROOT) -> list[str]:
    """The imports in a direction that is not allowed."""
    return [f"{a} imports {b}" for a, b in sorted(edges(root)[1]) if not allowed(a, b)]


def circles(found: Edges, names: set[str]) -> set[str]:
    """The rooms among these that import one another in a circle."""
    left = set(names)
    while free := {a for a in left if not any((a, b) in found for b in left if b != a)}:
        left -= free
    return left


# ----------------------------------------------------------------------------------- the picture

WIDTH, MARGIN, GAP, STEP, LINE = 1240, 60, 14, 44, 17
GREY, RED = "#8a94a0", "#b3261e"
LOOK = {
    "tools": (
        "#fbeaea",
        "#9c2f2f",
        4,
        "the command line loads each command by its name; may import all others",
    ),
    "book": ("#fdf3e3", "#9a5b00", 2, "what a notebook shows"),
    "experiments": ("#f3ecf7", "#6b3d86", 2, "the papers' tables again"),
    "methods": ("#e8f3ee", "#1b6e53", 4, "a room for each, named after what its chapter is about"),
    "common ground": ("#eef2f6", "#44546a", 4, "knows no method"),
}
"""Background, colour, boxes in a row and subtitle of each floor."""


def text(x: float, y: float, words: str, size: int, colour: str, weight: str = "normal") -> str:
    """A line of text."""
    look = f'font-size="{size}" font-weight="{weight}" fill="{colour}"'
    return f'<text x="{x:g}" y="{y:g}" {look}>{words}</text>'


def rectangle(x: float, y: float, width: float, height: float, look: str) -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {look}/>'


def arrow(path: str) -> str:
    """A wide arrow from one floor to another."""
    look = f'stroke="{GREY}" stroke-width="6" stroke-linejoin="round" fill="none"'
    return f'<path d="{path}" {look} marker-end="url(#head)"/>'


def box_lines(name: str, found: Edges, rooms: set[str], width: float) -> list[tuple[str, str]]:
    """What a room uses, as lines of text with their colours; exceptions in red."""
    used = sorted(b for a, b in found if a == name)
    special = [b for b in used if is_exception(name, b)]
    plain = sorted(b.removeprefix(f"{floor(name)}.") for b in used if b not in special)
    if (methods := {b for b in rooms if floor(b) == "methods"}) <= set(plain):
        plain = [*(b for b in plain if b not in methods), "all\N{NO-BREAK SPACE}methods"]
    length = int((width - 16) / 6.6)
    lines = [(line, "#333333") for line in textwrap.wrap(", ".join(plain), length)]
    return lines + [
        (line, RED) for b in special for line in textwrap.wrap(f"exception: {b}", length)
    ]


def is_exception(importer: str, imported: str) -> bool:
    """Whether only the table allows an import."""
    return any((who, imported) in ALLOWED for who in (importer, floor(importer)))


class Panel:
    """A floor, or a half of one: boxes in rows, each with a name and what it uses."""

    def __init__(self, name: str, rooms: set[str], found: Edges) -> None:
        self.name, self.found, self.rooms = name, found, rooms
        own = [room for room in (*COMMON, *sorted(rooms)) if room in rooms and floor(room) == name]
        self.own = list(dict.fromkeys(own))
        self.height = 0.0

    def placed(self, x: float, y: float, width: float) -> Panel:
        """The panel with its boxes laid out below a corner."""
        self.x, self.y, self.width = x, y, width
        _, colour, columns, _ = LOOK[self.name]
        each, top = (width - GAP * (columns + 1)) / columns, y + 40
        self.drawing: list[str] = []
        for start in range(0, len(self.own), columns):
            names = self.own[start : start + columns]
            told = [box_lines(name, self.found, self.rooms, each) for name in names]
            tall = 34 + LINE * max(map(len, told))
            for i, (name, lines) in enumerate(zip(names, told, strict=True)):
                left = x + GAP + i * (each + GAP)
                self.drawing += self._box(left, top, each, tall, name, lines, colour)
            top += tall + GAP
        self.height = top - y
        return self

    def _box(
        self, x: float, y: float, width: float, height: float, name: str,
        lines: list[tuple[str, str]], colour: str,
    ) -> Iterator[str]:  # fmt: skip
        yield rectangle(x, y, width, height, f'rx="5" fill="#ffffff" stroke="{colour}"')
        yield text(x + 8, y + 21, name.split(".")[-1], 15, colour, "bold")
        for i, (line, shade) in enumerate(lines):
            yield text(x + 8, y + 40 + LINE * i, line, 12, shade)

    def svg(self) -> Iterator[str]:
        """The panel, its title and its boxes."""
        fill, colour, _, said = LOOK[self.name]
        look = f'rx="9" fill="{fill}" stroke="{colour}" stroke-width="1.5"'
        yield rectangle(self.x, self.y, self.width, self.height, look)
        title = f'{self.name}<tspan font-weight="normal" font-size="13">: {said}</tspan>'
        yield text(self.x + GAP, self.y + 26, title, 17, colour, "bold")
        yield from self.drawing


def floors(rooms: set[str], found: Edges) -> dict[str, Panel]:
    """The panels in their places, the highest first."""
    made = {name: Panel(name, rooms, found) for name in LOOK}
    inner = WIDTH - 2 * MARGIN
    half = (inner - 2 * GAP) / 2
    tools = made["tools"].placed(MARGIN, 56, inner)
    y = tools.y + tools.height + STEP
    book = made["book"].placed(MARGIN, y, half)
    experiments = made["experiments"].placed(MARGIN + half + 2 * GAP, y, half)
    book.height = experiments.height = max(book.height, experiments.height)
    methods = made["methods"].placed(MARGIN, y + book.height + STEP, inner)
    made["common ground"].placed(MARGIN, methods.y + methods.height + STEP, inner)
    return made


def arrows(made: dict[str, Panel], found: Edges) -> Iterator[str]:
    """One arrow for all imports between two floors; past the methods it goes in the margin."""
    pairs = {(floor(a), floor(b)) for a, b in found if not is_exception(a, b)}
    for upper, lower in sorted(pairs):
        top, bottom = made[upper], made[lower]
        narrow = min((top, bottom), key=lambda panel: panel.width)
        if upper == lower or ORDER[upper] - ORDER[lower] > 2:
            continue
        if ORDER[upper] - ORDER[lower] == 1:
            x = narrow.x + narrow.width / 2
            yield arrow(f"M{x:g} {top.y + top.height:g}V{bottom.y - 10:g}")
            continue
        left = top.x == MARGIN
        edge, out, end = (MARGIN, 24, MARGIN - 10) if left else (WIDTH - MARGIN, WIDTH - 24, 0)
        start, height = top.y + top.height / 2, bottom.y + bottom.height / 2
        yield arrow(f"M{edge} {start:g}H{out}V{height:g}H{end or WIDTH - MARGIN + 10}")


def exceptions(found: Edges) -> list[str]:
    """The lines of the table that the imports make use of."""
    return [
        f"{'a method' if who == 'methods' else who} imports {what}: {why}"
        for (who, what), why in ALLOWED.items()
        if any(b == what and who in (a, floor(a)) and a != b for a, b in found)
    ]


def picture(root: Path = ROOT) -> str:
    """The whole picture as SVG."""
    rooms, found = edges(root)
    made = floors(rooms, found)
    lowest = made["common ground"]
    foot, said = lowest.y + lowest.height + 34, exceptions(found)
    height = foot + 20 * len(said) + 14
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH} {height:g}" font-family="DejaVu Sans, Arial, sans-serif" '
        f'role="img">',
        "<title>The rooms of umlbook, and which imports which</title>",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="2.6" '
        'markerHeight="2.6" orient="auto">'
        f'<path d="M0 0L10 5L0 10z" fill="{GREY}"/></marker></defs>',
        rectangle(0, 0, WIDTH, height, 'fill="#ffffff"'),
        text(MARGIN, 36, "The rooms of umlbook: imports point down", 20, "#222222", "bold"),
        *arrows(made, found),
        *(line for panel in made.values() for line in panel.svg()),
        text(MARGIN, foot, "In a box: the rooms that it imports. Exceptions:", 13, RED, "bold"),
        *(text(MARGIN, foot + 20 * i, line, 13, "#333333") for i, line in enumerate(said, 1)),
    ]
    return "\n".join([*lines, "</svg>", ""])


def main(words: list[str]) -> int:
    """Write the picture, or check it."""
    wrong = offences()
    for line in wrong:
        print(f"not allowed: {line}", file=sys.stderr)
    drawing = picture().encode("utf-8")
    if "--check" not in words:
        PICTURE.write_bytes(drawing)
    elif not PICTURE.exists() or PICTURE.read_bytes() != drawing:
        print(f"{PICTURE.name} is out of date: python docs/architecture.py", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
