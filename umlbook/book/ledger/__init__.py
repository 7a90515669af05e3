"""Every equation and claim of the papers, what was found of it, and the pages made from that.

- `claims`: the entries (``ledger.csv``) and the three calls that settle them
- `evidence`: how two sides are compared
- `concordance`, `errata`: tables made from the entries, and our own errata (``own_errata.csv``)
- `notation`, `glossary`: the letters and the words of the book, each with its csv
"""

from umlbook.book.ledger.claims import (
    ERRATA,
    OURS,
    Entry,
    check,
    check_true,
    entries,
    entry,
    erratum,
)
from umlbook.book.ledger.evidence import LedgerError

__all__ = [
    "ERRATA",
    "OURS",
    "Entry",
    "LedgerError",
    "check",
    "check_true",
    "entries",
    "entry",
    "erratum",
]
