"""Wait for what happens, however long that takes: a busy machine fails no test."""

import json
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HANGS = 600.0  # seconds after which a test is taken to hang; nothing is measured by them


def wait_until(
    condition: Callable[[], Any],
    wanted: str,
    process: "subprocess.Popen[Any] | None" = None,
    log: Path | None = None,
    seconds: float = HANGS,
) -> Any:
    """The first true value of `condition()`.

    An AssertionError that says what was wanted, with what stands in the log, comes at the end of
    the seconds, or as soon as the process is gone that should bring it about.
    """
    end = time.monotonic() + seconds
    while True:
        ended = process is not None and process.poll() is not None
        if value := condition():  # asked after the process, which may have done it at the last
            return value
        if ended or time.monotonic() > end:
            why = f"the process ended before {wanted}" if ended else f"waited in vain for {wanted}"
            said = log.read_text(errors="replace")[-4000:] if log else ""
            raise AssertionError(f"{why}\n{said}")
        time.sleep(0.05)


def listening_server(process: "subprocess.Popen[Any]", runtime: Path, log: Path) -> dict[str, Any]:
    """What a Jupyter server says about itself in its runtime folder, once it can be reached.

    It writes the file and says that it is up before it listens.
    """

    def reached() -> dict[str, Any] | None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                info: dict[str, Any] = json.loads(file.read_text())
                socket.create_connection(("127.0.0.1", info["port"])).close()
            except (json.JSONDecodeError, ConnectionRefusedError):  # half written, not yet there
                return None
            return info
        return None

    return wait_until(reached, "the server to listen", process, log)
