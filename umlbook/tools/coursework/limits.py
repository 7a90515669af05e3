"""Limits on what a hand-in may use, and the end of every process that it has started.

The limits of the operating system are inherited, so the worker takes them on before it starts the
kernel. They hold for each process alone; `Watch` looks at all of them together.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator

import psutil

#: An environment variable that marks every process of one hand-in, the runaways too.
MARK = "UMLBOOK_GRADING"
MAX_FILE_MB = 200
MAX_PROCESSES = 32
#: Real seconds that count as one: code may wait, or the machine be busy, but not for ever.
PATIENCE = 10.0


def take_on(memory_mb: int) -> None:
    """Limit this process and those it starts: data in memory, size of a file, no core dump.

    Windows has no such limits; there `Watch` alone sees to the memory.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = {
        resource.RLIMIT_DATA: memory_mb * 2**20,
        resource.RLIMIT_FSIZE: MAX_FILE_MB * 2**20,
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in wanted.items():
        hard = resource.getrlimit(kind)[1]
        lowest = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (lowest, lowest))


def limit_time(pid: int, seconds: int) -> None:
    """Limit the processor time of a process and of those it starts, should all else fail."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))


def end_group(pid: int) -> None:
    """Kill a process that leads a group, and the whole group with it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


def _marked(mark: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        # SystemError: psutil on some systems, for processes of others
        with contextlib.suppress(psutil.Error, OSError, SystemError):
            if process.pid != os.getpid() and process.environ().get(MARK, "").startswith(mark):
                yield process


def end_marked(mark: str) -> None:
    """Kill every process whose environment has the mark, wherever it has gone."""
    for _ in range(3):  # what was started while the others were ended
        found = list(_marked(mark))
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if not found:
            return
        psutil.wait_procs(found, timeout=2)


class Watch:
    """Calls `end` once a process and its children together use too much memory, or are too many.

    Parameters
    ----------
    pid : int
        The process at the top.
    memory_mb : int
        How much memory all of them may have together.
    end : callable
        Called with the reason, from a thread.
    """

    def __init__(self, pid: int, memory_mb: int, end: Callable[[str], None]) -> None:
        self._pid, self._memory, self._end = pid, memory_mb, end
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.5):
            try:
                top = psutil.Process(self._pid)
                everyone = [top, *top.children(recursive=True)]
            except psutil.Error:
                return
            if len(everyone) > MAX_PROCESSES:
                return self._end(f"started more than {MAX_PROCESSES} processes")
            if sum(map(_resident, everyone)) > self._memory * 2**20:
                return self._end(f"used more than {self._memory} MB")

    def stop(self) -> None:
        """Stop watching."""
        self._over.set()
        self._thread.join()


class Meter:
    """The processor time of a process and its children, those that have ended included.

    Parameters
    ----------
    pid : int
        The process at the top.

    Attributes
    ----------
    seconds : float
        As of the last reading.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.seconds = 0.0

    def read(self) -> float:
        """The processor seconds until now; those of the last reading once the process is gone."""
        with contextlib.suppress(psutil.Error):
            top = psutil.Process(self._pid)
            used = sum(map(_processor_seconds, [top, *top.children(recursive=True)]))
            self.seconds = max(self.seconds, used)  # an orphan takes its seconds with it
        return self.seconds


def _processor_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
