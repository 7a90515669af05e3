"""What a file is, from its first bytes: a table of text, or something that only looks like one."""

from __future__ import annotations

import codecs
import difflib
import zipfile
from pathlib import Path

HEAD = 1 << 16
"""Bytes that are looked at to tell what a file is."""

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
    b"[{": "JSON",
    b"[[": "JSON",
    b"<!": "a page of HTML or XML",
    b"<?": "a page of HTML or XML",
    b"<html": "a page of HTML or XML",
    b"<table": "a page of HTML or XML",
    b"@relation": "an ARFF file of Weka",
    b"@RELATION": "an ARFF file of Weka",
}
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MEMBERS = {
    "xl/": "an Excel workbook",
    "content.xml": "an OpenDocument file",
    "word/": "a Word document",
}


class TableError(ValueError):
    """A file that cannot be clustered as it is; the message says why and what to do."""


class TableQuestion(TableError):
    """A table that can be read in several ways; the message names them, and how to say which."""


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

    Bytes that Latin-1 leaves empty are letters and signs of Windows, the euro among them.

    Examples
    --------
    >>> [encoding_of("é€,1".encode(code, "ignore")) for code in ("utf-8", "latin-1", "cp1252")]
    ['utf-8', 'latin-1', 'cp1252']
    """
    for mark, encoding in _BOMS.items():
        if head.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        return "cp1252" if any(0x80 <= byte < 0xA0 for byte in head) else "latin-1"
    return "utf-8"


def text_of(path: Path) -> tuple[str, str]:
    """Return encoding and beginning of a file, or raise `TableError` if it is no table of text."""
    head = head_of(path)
    kind = binary_kind(head, path)
    if kind:
        raise TableError(
            f"{path.name} looks like {kind}, not like a table of text: "
            "save or export the table as CSV and give that file"
        )
    encoding = encoding_of(head)
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
    if len(head) == HEAD and "\n" in text:
        text = text[: text.rindex("\n") + 1]  # the last line is cut in the middle
    return encoding, text
