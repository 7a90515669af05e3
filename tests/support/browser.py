"""A real JupyterLab and a real Chromium: open a notebook, run it, move its sliders, see pixels."""

import base64
import io
import json
import os
import secrets
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import nbformat
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from support.waiting import HANGS, listening_server, wait_until

SETTINGS = {
    # Cells out of view would not be in the document, and so not be waited for.
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a stray request goes nowhere
]

_ERROR = (
    ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error'],"
    ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr'],"
    ".jupyter-widgets.jupyter-error, .jp-OutputArea-output .widget-error"
)
_PROMPTS_DONE = """() => {
  const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')];
  return prompts.length > 0 && prompts.every(p => /^\\[\\d+\\]:$/.test(p.textContent.trim()));
}"""
_VISIBLE_IMAGES = """async area => {
  const seen = [...area.querySelectorAll('.jupyter-widgets img')].filter(
    image => image.checkVisibility({visibilityProperty: true}) && image.clientWidth > 1);
  return Promise.all(seen.map(async image => {
    const bytes = new Uint8Array(await (await fetch(image.src)).arrayBuffer());
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  }));
}"""


# ------------------------------------------------------------------------------ the server


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab that serves `root`."""

    root: Path
    url: str
    token: str

    def ask(self, path: str, method: str = "GET") -> Any:
        """The server's answer to a request of its API."""
        request = urllib.request.Request(
            f"{self.url}api/{path}",
            headers={"Authorization": f"token {self.token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=HANGS) as answer:
            return json.loads(answer.read() or "null")

    def kernel_is_ready(self, name: str) -> bool:
        """Whether the notebook has an idle kernel and the page is connected to it."""
        kernels = [session["kernel"] for session in self.ask("sessions") if session["path"] == name]
        return any(k["execution_state"] == "idle" and k["connections"] > 0 for k in kernels)

    def stop_kernels(self) -> None:
        """End all kernels: a whole book of them would fill the memory."""
        for kernel in self.ask("kernels"):
            self.ask(f"kernels/{kernel['id']}", method="DELETE")


def add_stripped_copy(path: Path, root: Path, name: str) -> None:
    """Put a notebook under `root` without its outputs: old prompts would look like "done"."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, root / name)


def _lab_environment(private: Path) -> dict[str, str]:
    """Folders of its own, so that no setting of this machine has a say."""
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    for name, setting in SETTINGS.items():
        file = private / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(setting))
    return os.environ | {name: str(private / folder) for name, folder in folders.items()}


@contextmanager
def running_lab(root: Path, private: Path) -> Iterator[Lab]:
    """JupyterLab on a free local port, stopped at the end; its own files go to `private`."""
    token, log = secrets.token_hex(16), private / "server.log"
    arguments = [
        "--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root", f"--notebook-dir={root}",
        f"--IdentityProvider.token={token}",
    ]  # fmt: skip
    environment = _lab_environment(private)
    with log.open("w") as stream:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *arguments],
            env=environment, stdout=stream, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        info = listening_server(server, private / "runtime", log)
        yield Lab(root, f"http://127.0.0.1:{info['port']}/", token)
    finally:
        server.terminate()
        server.wait(HANGS)


# ----------------------------------------------------------------------------- the browser


def chromium_path(playwright: Playwright) -> str | None:
    """The Chromium of this machine, or the one that playwright installed, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    own = playwright.chromium.executable_path
    return found or (own if Path(own).exists() else None)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Chromium without a window; a machine without it skips, but CI must have it."""
    with sync_playwright() as driver:
        path = chromium_path(driver)
        if path is None:
            reason = "no Chromium: `apt install chromium` or `playwright install chromium`"
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
        chromium = driver.chromium.launch(
            executable_path=path, args=CHROMIUM_FLAGS, timeout=HANGS * 1000
        )
        yield chromium
        chromium.close()


@dataclass
class Watch:
    """What a page did besides showing something."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def strangers(self) -> list[str]:
        """The requests that were meant for another machine."""
        local = {"127.0.0.1", None}  # data: and blob: have no host
        return [url for url in self.requests if urlsplit(url).hostname not in local]


@contextmanager
def watched_page(browser: Browser, lab: Lab) -> Iterator[tuple[Page, Watch]]:
    """A fresh page, with all its requests, sockets and uncaught errors written down."""
    with browser.new_context(viewport={"width": 1200, "height": 1400}) as context:
        context.set_default_timeout(HANGS * 1000)
        watch = Watch()
        context.on("request", lambda request: watch.requests.append(request.url))
        page = context.new_page()
        page.on("websocket", lambda socket: watch.requests.append(socket.url))
        page.on("pageerror", lambda error: watch.errors.append(str(error)))
        yield page, watch
    lab.stop_kernels()


def open_notebook(page: Page, lab: Lab, name: str) -> None:
    """Open a notebook and wait until its kernel listens (else a dialog asks for one)."""
    page.goto(f"{lab.url}doc/tree/{quote(name)}?token={lab.token}&reset")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    wait_until(lambda: lab.kernel_is_ready(name), f"the kernel of {name}")


def run_all(page: Page) -> list[str]:
    """Run all cells; the texts of the errors that the page shows then."""
    page.locator(".lm-MenuBar-item", has_text="Run").click()
    page.locator("li[data-command='runmenu:run-all']").click()
    shown_errors = page.locator(_ERROR)
    wait_until(lambda: shown_errors.count() or page.evaluate(_PROMPTS_DONE), "all cells to run")
    return shown_errors.all_inner_texts()


def _areas(page: Page, selector: str) -> list[Locator]:
    return page.locator(f".jp-OutputArea-output:has({selector})").all()


def slider_areas(page: Page) -> list[Locator]:
    """The outputs with a slider, seen or still hidden behind a question."""
    return _areas(page, ".noUi-handle")


def exercise_areas(page: Page) -> list[Locator]:
    """The outputs with a Check button."""
    return _areas(page, "button:text-is('Check')")


def reveal(area: Locator) -> None:
    """Ask to see the picture that waits for a prediction, if there is one."""
    button = area.locator("button:visible", has_text="Show me")
    if button.count():
        button.click()
        wait_until(lambda: visible_pictures(area), "the picture behind 'Show me'")


def answer_after_check(area: Locator) -> str:
    """What an exercise's panel says once its Check button was pressed."""
    before = area.inner_text()
    area.locator("button:text-is('Check')").click()
    wait_until(lambda: area.inner_text() != before, "an answer to 'Check'")
    return area.inner_text()


# ------------------------------------------------------------------------------ the pixels


def visible_pictures(area: Locator) -> list[np.ndarray]:
    """The pictures in an output that a reader sees now, decoded, each height x width x 3."""
    files = [base64.b64decode(data) for data in area.evaluate(_VISIBLE_IMAGES)]
    return [np.asarray(Image.open(io.BytesIO(file)).convert("RGBA")) for file in files]


def is_blank(picture: np.ndarray) -> bool:
    """Whether a picture has only one colour."""
    return bool((picture == picture[:1, :1]).all())


def same_pictures(before: list[np.ndarray], after: list[np.ndarray]) -> bool:
    """Whether two lists of pictures agree, pixel for pixel."""
    return len(before) == len(after) and all(map(np.array_equal, before, after))


def move_slider(slider: Locator) -> None:
    """One step to the right, or to the left from the right end."""
    handle = slider.locator(".noUi-handle").first
    readout = slider.locator(".widget-readout")
    before = readout.inner_text()
    for key in ("ArrowRight", "ArrowLeft"):
        handle.focus()
        handle.press(key)
        if readout.inner_text() != before:
            return
    raise AssertionError(f"the slider stays at {before!r} whatever key is pressed")


def pictures_after(
    area: Locator, action: Callable[[], None], name: str, seconds: float = HANGS
) -> list[np.ndarray]:
    """What `area` shows after `action`; AssertionError when that is what it showed before."""
    before = visible_pictures(area)
    action()

    def changed() -> list[np.ndarray] | None:
        try:
            after = visible_pictures(area)
            assert "raised an error" not in area.inner_text(), f"{name}: {area.inner_text()}"
        except PlaywrightError:  # caught in the act: the old picture was gone before it was read
            return None
        return after if after and not same_pictures(before, after) else None

    return wait_until(changed, f"another picture after {name}", seconds=seconds)


def assert_drawn(pictures, when):
    assert pictures, f"no picture {when}"
    assert not any(map(is_blank, pictures)), f"a picture is blank {when}"


def assert_controls_draw(area):
    """Every slider, and the play button, leads to other pictures, none of them blank."""
    reveal(area)
    assert_drawn(visible_pictures(area), "before any move")
    for slider in area.locator(".widget-slider:visible").all():
        when = f"after moving the slider {' '.join(slider.inner_text().split())!r}"
        assert_drawn(pictures_after(area, lambda slider=slider: move_slider(slider), when), when)
    for play in area.locator(".widget-play:visible").all():
        when = "after pressing play"
        assert_drawn(pictures_after(area, play.locator("button").first.click, when), when)
