"""The package as a wheel for the browser: the same bytes from the same files, and no notebooks."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
SKIPPED = {"__pycache__", "_notebooks"}  # the notebooks lie beside the pages


def package_files(package: Path = PACKAGE) -> Iterator[Path]:
    """The files of the package that a page may need, in a fixed order."""
    for path in sorted(package.rglob("*")):
        folders = path.relative_to(package).parts[:-1]
        if path.is_file() and not SKIPPED & {*folders} and path.suffix != ".pyc":
            yield path


def write_wheel(folder: Path, package: Path = PACKAGE) -> Path:
    """Write the wheel into a folder and return its path."""
    number = version("umlbook")
    content = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for path in package_files(package)
    }
    info = f"umlbook-{number}.dist-info"
    content[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: umlbook\nVersion: {number}\n".encode()
    )
    content[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    content[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in content).encode()
    path = folder / f"umlbook-{number}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name)  # of 1980, whenever the file was written
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return path
