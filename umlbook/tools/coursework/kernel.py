"""A kernel of its own for one hand-in: asked over its message channel, never listened to.

What the code prints or draws goes nowhere: no one subscribes to the kernel's output, its own
streams are closed, and a reply of more than `values.MAX_BYTES` is refused by the socket.
"""

from __future__ import annotations

import ast
import json
import os
import secrets
import signal
import site
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.session import Session

import umlbook
from umlbook.tools.coursework.limits import MARK, PATIENCE, Meter, Watch, end_group, limit_time
from umlbook.tools.coursework.values import MAX_BYTES

START_SECONDS = 60.0  # as in `Kernel.ask`
CPU_SECONDS = 600  # of one kernel in all
_GRACE = 5.0  # between an interrupt and the end, as in `Kernel.ask`
_POLL = 0.2  # real seconds between two looks at the processor time


class KernelLost(Exception):
    """The kernel is gone: it was killed, it left, or it could not be interrupted."""


class OutOfTime(Exception):
    """The code used up its seconds; it was interrupted and the kernel goes on."""


class Raised(Exception):
    """The code raised: the name of the error, and what it says."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name, self.message = name, message


def python_path() -> str:
    """PYTHONPATH with this package in reach, installed or not."""
    root = str(Path(umlbook.__file__).parents[1])
    return os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))


def kernel_environment(folder: Path, student: str, mark: str) -> dict[str, str]:
    """The environment of a kernel whose home is a scratch folder, with this package in reach."""
    home = Path.home()
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {
        **os.environ,
        **dict.fromkeys(threads, "1"),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONPATH": python_path(),
        # As without the new home: packages of the user, and Matplotlib's list of fonts.
        "PYTHONUSERBASE": site.getuserbase(),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(home / ".cache")),
        "JPY_PARENT_PID": str(os.getpid()),  # the kernel ends when this process does
        "UMLBOOK_STUDENT": student,
        "UMLBOOK_PROGRESS": str(folder),
        MARK: mark,
    }


@dataclass
class _Channel:
    """The connection to the kernel: a socket, and the session that signs."""

    socket: Any
    session: Session


class Kernel:
    """A running kernel; a context manager that ends it with all that it has started.

    Parameters
    ----------
    folder : Path
        A scratch folder, which the code may do with as it likes.
    student : str
        Whose data the exercises have.
    memory_mb : int
        Limit for the kernel and its children together.
    mark : str
        Marks the kernel and all that it starts, in their environment.

    Attributes
    ----------
    lost : str or None
        Why the kernel is gone, None while it is there.
    spent : float
        Seconds of the last request, counted as in `ask`.
    """

    def __init__(self, folder: Path, student: str, memory_mb: int, mark: str = "") -> None:
        work = folder / "work"
        work.mkdir(exist_ok=True)
        self._connection = folder / f"kernel-{secrets.token_hex(4)}.json"
        self._why = "the kernel died"
        self.lost: str | None = None
        self.spent = 0.0
        arguments = ["-f", str(self._connection), "--log-level=50"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ipykernel_launcher", *arguments],
            cwd=work,
            env=kernel_environment(folder, student, mark),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        limit_time(self._process.pid, CPU_SECONDS)
        self._meter = Meter(self._process.pid)
        self._watch = Watch(self._process.pid, memory_mb, self._end)
        self._context = zmq.Context()
        self._channel: _Channel | None = None

    def __enter__(self) -> Kernel:
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.stop()
        end_group(self._process.pid)
        self._process.wait()
        self._context.destroy(linger=0)

    def _end(self, why: str) -> None:
        self._why = why
        end_group(self._process.pid)

    def _gone(self, why: str | None = None) -> KernelLost:
        self.lost = why or self._why
        return KernelLost(self.lost)

    def _connected(self) -> _Channel:
        """The channel; the kernel chooses its ports and writes them to the connection file."""
        if self._channel is None:
            info = self._connection_info()
            socket = self._context.socket(zmq.DEALER)
            socket.maxmsgsize = MAX_BYTES
            socket.connect(f"tcp://{info['ip']}:{info['shell_port']}")
            channel = _Channel(socket, Session(key=info["key"].encode("ascii")))
            # What the kernel needs before it listens is not the student's time.
            request = self._sent(channel, "kernel_info_request", {})
            if self._reply(channel, request, START_SECONDS) is None:
                raise self._gone("the kernel did not start")
            self._channel = channel
        return self._channel

    def _connection_info(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE * START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            try:
                info: dict[str, Any] = json.loads(self._connection.read_bytes())
                return info
            except (FileNotFoundError, ValueError):  # not yet, or half written
                time.sleep(0.02)
        raise self._gone("the kernel did not start")

    def _sent(self, channel: _Channel, kind: str, content: dict[str, Any]) -> str:
        """Send a request, and return its id."""
        request = channel.session.msg(kind, content)
        channel.session.send(channel.socket, request)
        return str(request["msg_id"])

    def _reply(self, channel: _Channel, request: str, seconds: float) -> dict[str, Any] | None:
        """The content of the reply to a request, None when the seconds are used up before."""
        start, busy, self.spent = time.monotonic(), self._meter.seconds, 0.0
        while self.spent < seconds:
            try:
                if (content := self._next_content(channel, request)) is not None:
                    return content
            finally:
                waited = time.monotonic() - start
                self.spent = max(self._meter.read() - busy, waited / PATIENCE)
        return None

    def _next_content(self, channel: _Channel, request: str) -> dict[str, Any] | None:
        """The content of the next message if it replies to the request, None if none comes soon."""
        if channel.socket.poll(_POLL * 1000):
            try:
                _, message = channel.session.recv(channel.socket)
            except (ValueError, TypeError, RecursionError):  # unsigned, or no message at all
                return None
            if message and message["parent_header"].get("msg_id") == request:
                content: dict[str, Any] = message["content"]
                return content
        elif self._process.poll() is not None:
            raise self._gone()
        return None

    def _interrupted(self, channel: _Channel, request: str) -> None:
        """Interrupt; when that does not help, the kernel is lost."""
        if sys.platform != "win32":
            self._process.send_signal(signal.SIGINT)
        if self._reply(channel, request, _GRACE) is None:
            raise self._gone("ran on after its time and could not be interrupted")

    def ask(self, code: str, expression: str | None, seconds: float) -> str:
        """Run code, then evaluate an expression that gives a text, and return the text.

        The seconds are those of the processor, for the kernel and its children together. Behind
        them stands the clock on the wall: ten real seconds (`PATIENCE`) count as one at least, so
        that code which only waits is ended, too.

        Raises
        ------
        Raised, OutOfTime, KernelLost
            When the code raises, uses up its `seconds`, or costs the kernel its life.
        """
        channel = self._connected()
        content = {
            "code": code,
            "silent": False,
            "store_history": False,
            "user_expressions": {"asked": expression} if expression else {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        request = self._sent(channel, "execute_request", content)
        reply = self._reply(channel, request, seconds)
        if reply is None:
            try:
                self._interrupted(channel, request)
            finally:
                self.spent = seconds
            raise OutOfTime(
                f"it used more than {seconds:g} s of processor time, "
                f"or ran longer than {PATIENCE * seconds:g} s, and was stopped"
            )
        return _text_of(reply, expression)


def _text_of(reply: dict[str, Any], expression: str | None) -> str:
    """The text that the expression gave; `Raised` when the code or the expression raised."""
    asked = reply.get("user_expressions", {}).get("asked") if expression else None
    for part in (reply, asked or {}):
        if part.get("status") in ("error", "aborted"):
            name, message = str(part.get("ename", "Error")), str(part.get("evalue", ""))
            raise Raised(name, message[:500])
    if not asked:
        return ""
    try:
        return str(ast.literal_eval(asked["data"]["text/plain"]))
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError):
        raise Raised("ValueError", "the answer cannot be read") from None
