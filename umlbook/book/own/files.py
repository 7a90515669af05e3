"""What a file is, from its first bytes: a table of text, or something that only looks like one."""

from __future__ import annotations

import codecs
import csv
import difflib
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HEAD = 1 << 16
"""Bytes that are looked at to tell what a file is."""
LINES = 100
"""Lines that are looked at to tell its delimiter and header."""
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", ".", "missing"})
"""Cells, in lower case, that stand for a value that is not there."""

_SIGNATURES = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"PAR1": "a Parquet table",
    b"ARROW1": "an Arrow table",
    b"SQLite format": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"{": "JSON",
    b"<!": "a page of HTML or XML",
    b"<?": "a page of HTML or XML",
    b"<html": "a page of HTML or XML",
}
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MEMBERS = {
    "xl/": "an Excel workbook",
    "content.xml": "an OpenDocument file",
    "word/": "a Word document",
}


class TableError(ValueError):
    """A file that cannot be clustered as it is; the message says why and what to do."""


@dataclass(frozen=True)
class Dialect:
    """How the text of a file is cut into cells; its first row may hold names."""

    encoding: str
    delimiter: str
    header: bool

    def __str__(self) -> str:
        names = "names in the first row" if self.header else "no row of names"
        return f"{DELIMITERS[self.delimiter]}-separated, {self.encoding}, {names}"


def head_of(path: Path) -> bytes:
    """Return the first bytes of a readable, non-empty file, or raise `TableError`."""
    if path.is_dir():
        inside = ", ".join(sorted(p.name for p in path.glob("*.csv"))[:5]) or "no .csv file"
        raise TableError(f"{path.name} is a folder: give one file; it holds {inside}")
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except FileNotFoundError:
        raise TableError(
            f"there is no file {path.name}: check the path; {_neighbours(path)}"
        ) from None
    except PermissionError:
        raise TableError(
            f"{path.name} may not be read: ask its owner, or copy it to a folder of your own"
        ) from None
    except OSError as error:
        raise TableError(f"{path.name} cannot be read: {error.strerror}") from None
    if not head.strip():
        raise TableError(f"{path.name} is empty: a table needs a row of names and rows of numbers")
    return head


def _neighbours(path: Path) -> str:
    """What to say about the folder of a file that is not there."""
    if not path.parent.is_dir():
        return "its folder does not exist either"
    inside = sorted(p.name for p in path.parent.iterdir() if p.is_file())
    near = difflib.get_close_matches(path.name, inside, n=3)
    tables = [name for name in inside if name.endswith(".csv")][:5]
    if near:
        return f"near it: {', '.join(near)}"
    return f"its folder holds {', '.join(tables) or 'no .csv file'}"


def binary_kind(head: bytes, path: Path) -> str:
    """Return what a file that is no table of text looks like; empty for a table of text.

    Examples
    --------
    >>> binary_kind(b"a,b\\n1,2\\n", Path("t.csv"))
    ''
    >>> binary_kind(b"%PDF-1.7", Path("t.csv"))
    'a PDF document'
    """
    if head.startswith(b"PK"):
        return _zip_kind(path)
    for signature, kind in _SIGNATURES.items():
        if head.lstrip().startswith(signature):
            return kind
    if head.startswith(tuple(_BOMS)):
        return ""
    control = sum(head.count(bytes([code])) for code in range(32) if code not in b"\t\n\r\f")
    return "binary data" if b"\0" in head or control > 0.01 * len(head) else ""


def _zip_kind(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            inside = archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return "a damaged ZIP archive"
    for start, kind in _MEMBERS.items():
        if any(name.startswith(start) for name in inside):
            return kind
    return "a ZIP archive"


def encoding_of(head: bytes) -> str:
    """Return the encoding of the text: by its mark, else UTF-8 if it is that, else Latin-1.

    Examples
    --------
    >>> encoding_of("é,1".encode()), encoding_of("é,1".encode("latin-1"))
    ('utf-8', 'latin-1')
    """
    for mark, encoding in _BOMS.items():
        if head.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def cells_of(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the cells of the lines that are not blank."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    return [row for row in reader if any(cell.strip() for cell in row)]


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the delimiter that cuts most lines into the same number of clean cells.

    Examples
    --------
    >>> delimiter_of(["a;b", "1,5;2,5", "3,5;4,5"])
    ';'
    """

    def quality(delimiter: str) -> float:
        rows = cells_of(lines, delimiter)
        width, times = Counter(map(len, rows)).most_common(1)[0]
        if width < 2:
            return 0.0
        cells = [cell for row in rows for cell in row]
        # A cell that holds a stronger delimiter was cut in the wrong places.
        unclean = sum(any(mark in cell for mark in ";\t|") for cell in cells)
        share = times / len(rows) * (1 - unclean / len(cells))
        return share * (0.5 if delimiter == " " else 1.0)  # spaces stand inside texts too

    best = max(DELIMITERS, key=quality)
    return best if quality(best) > 0.25 else ","


def is_number(cell: str) -> bool:
    """Return whether a cell reads as a number, with a decimal point or a decimal comma."""
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return cell.strip().lower() not in MISSING


def has_header(first: Sequence[str]) -> bool:
    """Return whether the first row holds names: there is no number in it.

    Examples
    --------
    >>> has_header(["height", "width"]), has_header(["3", "tall"])
    (True, False)
    """
    return not any(map(is_number, first))


def dialect_of(path: Path) -> Dialect:
    """Return how a file is to be read, or raise `TableError` if it is no table of text."""
    head = head_of(path)
    kind = binary_kind(head, path)
    if kind:
        raise TableError(
            f"{path.name} looks like {kind}, not like a table of text: "
            "save or export the table as CSV and give that file"
        )
    encoding = encoding_of(head)
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
    lines = text.splitlines(keepends=True)
    if len(head) == HEAD and len(lines) > 1:
        lines.pop()  # cut in the middle
    lines = lines[:LINES]
    try:
        delimiter = delimiter_of(lines)
        first = cells_of(lines, delimiter)[0]
    except csv.Error as error:
        raise TableError(f"{path.name} cannot be cut into cells ({error}): is it CSV?") from None
    return Dialect(encoding, delimiter, has_header(first))
