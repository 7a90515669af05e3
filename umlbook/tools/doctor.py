"""``umlbook doctor``: what is wrong with this environment, and the command that fixes it."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from packaging.requirements import Requirement

from umlbook.tools import copies

WIDGETS = "@jupyter-widgets/jupyterlab-manager"
FONTS = ("DejaVu Sans", "DejaVu Sans Mono")
KERNEL_TIMEOUT = 600  # seconds, so that a busy machine with a cold disk is not called broken


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what was seen and, if it is wrong, what fixes it."""

    name: str
    says: str
    fix: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is nothing to fix."""
        return not self.fix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the doctor looks at everything."""


def run(args: argparse.Namespace) -> int:
    """Print every finding, the wrong ones with their cure; return 1 if something is wrong."""
    wrong = 0
    for finding in findings():
        print(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.name}: {finding.says}", flush=True)
        if not finding.ok:
            wrong += 1
            print(f"       fix it with: {finding.fix}", flush=True)
    print(f"{wrong} thing(s) to fix" if wrong else "All is well.")
    return 1 if wrong else 0


def findings() -> Iterator[Finding]:
    """Yield what each check has found; a check that cannot import its subject finds that."""
    for check in CHECKS:
        try:
            yield from check()
        except ImportError as error:
            name = check.__name__.replace("_", " ")
            yield Finding(name, str(error), _install(error.name or "umlbook"))


def python() -> Iterator[Finding]:
    """Yield the version of Python, and whether the environment is an isolated one."""
    isolated = sys.prefix != sys.base_prefix or "CONDA_PREFIX" in os.environ
    where = "in a virtual environment" if isolated else "not in a virtual environment"
    yield Finding("Python", f"{platform.python_version()}, {where}")


def versions() -> Iterator[Finding]:
    """Yield each package that umlbook needs, with the version that is installed."""
    for text in importlib.metadata.requires("umlbook") or ():
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        fix = _install(f"{wanted.name}{wanted.specifier}")
        try:
            found = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding(wanted.name, f"not installed, wanted {wanted.specifier}", fix)
            continue
        if wanted.specifier.contains(found, prereleases=True):
            yield Finding(wanted.name, found)
        else:
            yield Finding(wanted.name, f"{found}, wanted {wanted.specifier}", fix)


def arithmetic() -> Iterator[Finding]:
    """Yield the libraries that compute, with their kernels and threads, and numpy's own features.

    The last digits of a result depend on them, so a report of a number that differs needs them.
    """
    from threadpoolctl import threadpool_info

    for module in ("numpy.linalg", "scipy.linalg", "sklearn.cluster"):
        importlib.import_module(module)  # each loads libraries of its own
    for library in threadpool_info():
        yield Finding("arithmetic", _library_words(library))
    yield Finding("arithmetic", _feature_words())


def _library_words(library: dict[str, Any]) -> str:
    """Return one library of threadpoolctl in a line: whose it is, its version, kernel, threads."""
    path = Path(library["filepath"])
    folder = path.parent.name
    words = [library["internal_api"], library["version"] or "of unknown version"]
    words.append(f"of {folder.removesuffix('.libs')}" if folder.endswith(".libs") else f"({path})")
    if kernels := library.get("architecture"):
        words.append(f"with kernels for {kernels}")
    count = library["num_threads"]
    return f"{' '.join(words)}, {count} thread{'s' if count != 1 else ''}"


def _feature_words() -> str:
    """Return the processor features that numpy was built for, and those it found beyond them."""
    try:
        core = importlib.import_module("numpy._core._multiarray_umath")
    except ImportError:  # before numpy 2
        core = importlib.import_module("numpy.core._multiarray_umath")
    found = [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]]
    baseline = " ".join(core.__cpu_baseline__) or "nothing"
    return f"numpy built for {baseline}, found {' '.join(found) or 'nothing'} in addition"


def kernel() -> Iterator[Finding]:
    """Yield whether the notebooks' kernel starts, and whether umlbook can be imported in it.

    A kernel of the same name in the user's folder may belong to another Python.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    fix = f"{_quote(sys.executable)} -m ipykernel install --sys-prefix --name python3"
    try:
        where = KernelSpecManager().get_kernel_spec("python3").resource_dir
        complaint = _kernel_complaint("python3", "import umlbook")
    except NoSuchKernel:
        yield Finding("kernel", "there is no kernel python3", fix)
    except (OSError, RuntimeError, TimeoutError) as error:
        yield Finding("kernel", f"does not start: {error}", fix)
    else:
        if complaint:
            yield Finding("kernel", f"python3 of {where} says: {complaint}", fix)
        else:
            yield Finding("kernel", f"python3 starts and imports umlbook ({where})")


def _kernel_complaint(name: str, code: str) -> str:
    """Return the error that a fresh kernel answers the code with, empty if there is none."""
    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import run_kernel

    with run_kernel(startup_timeout=KERNEL_TIMEOUT, kernel_name=name, stderr=DEVNULL) as client:
        assert isinstance(client, BlockingKernelClient)  # its type hint promises less
        reply = client.execute(code, reply=True, timeout=KERNEL_TIMEOUT)["content"]
    return "" if reply["status"] == "ok" else f"{reply['ename']}: {reply['evalue']}"


def widgets() -> Iterator[Finding]:
    """Yield whether JupyterLab has the extension that draws widgets, and has it switched on."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    paths = jupyter_path("labextensions")
    extension = get_federated_extensions(paths).get(WIDGETS)
    if extension is None:
        fix = _install("--force-reinstall jupyterlab_widgets")
        yield Finding("widgets", f"JupyterLab has no extension {WIDGETS}", fix)
    elif WIDGETS in get_page_config(paths).get("disabledExtensions", ()):
        fix = f"{_quote(sys.executable)} -m jupyter labextension enable {WIDGETS}"
        yield Finding("widgets", f"the extension {WIDGETS} is switched off", fix)
    else:
        yield Finding("widgets", f"{WIDGETS} {extension['version']}")


def fonts() -> Iterator[Finding]:
    """Yield whether Matplotlib finds the fonts of the figures and a place to remember them."""
    import matplotlib
    from matplotlib.font_manager import findfont

    for font in FONTS:
        try:
            yield Finding("font", f"{font} ({findfont(font, fallback_to_default=False)})")
        except ValueError as error:
            yield Finding("font", f"{font}: {error}", _install("--force-reinstall matplotlib"))
    cache = Path(matplotlib.get_cachedir())
    if os.access(cache, os.W_OK):
        yield Finding("font cache", str(cache))
    else:
        fix = "set the environment variable MPLCONFIGDIR to a folder of your own"
        yield Finding("font cache", f"{cache} is not writable", fix)


def notebooks() -> Iterator[Finding]:
    """Yield where the notebooks are read from."""
    folder = copies.checkout_notebooks() or copies.packaged_notebooks()
    if folder is None:
        fix = _install("--force-reinstall --no-deps umlbook")
        yield Finding("notebooks", "none in this installation", fix)
    else:
        yield Finding("notebooks", f"{len(list(folder.glob('*.ipynb')))} in {folder}")


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    python,
    versions,
    arithmetic,
    kernel,
    widgets,
    fonts,
    notebooks,
)


def _install(what: str) -> str:
    """Return the command that installs something here; environments made by uv have no pip."""
    *options, package = what.split()
    words = [*options, f'"{package}"']
    if importlib.util.find_spec("pip") is None:
        return " ".join(["uv", "pip", "install", "--python", _quote(sys.executable), *words])
    return " ".join([_quote(sys.executable), "-m", "pip", "install", *words])


def _quote(path: str) -> str:
    """Return a path as it must be typed in a shell."""
    return f'"{path}"' if " " in path else path
