"""Python inside a web page: it has no threads and no other processes.

The book runs there too (`umlbook.book.lite`). What it has to do in another way asks here, and here
is what it keeps for its next start.
"""

import io
import marshal
import sys
import zipfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any
from zipimport import zipimporter


def in_browser() -> bool:
    """Whether this Python was compiled to WebAssembly."""
    return sys.platform == "emscripten"


def needs_a_computer(what: str) -> str:
    """The sentence that says what a page cannot do.

    >>> needs_a_computer("grading")
    'grading starts other processes, which Python in a web page cannot: install umlbook for it'
    """
    return (
        f"{what} starts other processes, which Python in a web page cannot: install umlbook for it"
    )


def compiled_library() -> bytes:
    """The zip file of the standard library, with the bytecode of the modules that are loaded.

    Python writes no bytecode into a zip file, so it would compile them at each start.
    """
    found: list[Any] = [getattr(module, "__spec__", None) for module in [*sys.modules.values()]]
    specs = [spec for spec in found if isinstance(getattr(spec, "loader", None), zipimporter)]
    (archive,) = {spec.loader.archive for spec in specs}
    target = io.BytesIO()
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(target, "w") as library:
        for name in source.namelist():
            library.writestr(name, source.read(name))
        for spec in specs:
            name = Path(spec.origin).relative_to(archive).as_posix()
            library.writestr(f"{name}c", _unchecked(spec.loader.get_code(spec.name)))
    return target.getvalue()


def _unchecked(code: CodeType) -> bytes:
    """A file of bytecode that is taken without a look at its source."""
    return MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)
