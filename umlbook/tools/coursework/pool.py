"""Workers that grade one notebook after the other, each in a process that can be ended.

A worker has the book loaded, which takes longer than most notebooks. It runs no code of a student's
itself; the kernels that do are its children and are ended after each notebook.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from umlbook.tools.coursework import limits
from umlbook.tools.coursework.kernel import python_path
from umlbook.tools.coursework.worker import Job

#: Real seconds beyond the student's own: starting kernels, the book's cells, the checks. So many
#: that only a worker which hangs has not finished by then.
OVERHEAD_SECONDS = 1800.0
#: -P: a file in the current folder, perhaps of a student's, must not pass for a module.
_COMMAND = [sys.executable, "-P", "-m", "umlbook.tools.coursework.worker"]
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class WorkerEnded(Exception):
    """The worker did not finish the notebook; says why."""


class Worker:
    """A process that grades; started when first needed, and again after it was ended.

    Parameters
    ----------
    mark : str
        Marks the process in its environment; a job's mark must not begin with it.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._process: subprocess.Popen[str] | None = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                _COMMAND,
                env=os.environ
                | _ONE_THREAD
                | {limits.MARK: self._mark, "PYTHONPATH": python_path()},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        return self._process

    def findings(self, job: Job) -> Iterator[dict[str, Any]]:
        """What the worker finds out about a notebook, as it finds it.

        Raises
        ------
        WorkerEnded
            When it takes too long, or the process dies.
        """
        process = self._started()
        assert process.stdin and process.stdout
        late = threading.Event()

        def end() -> None:
            late.set()
            limits.end_group(process.pid)

        timer = threading.Timer(limits.PATIENCE * job.seconds + OVERHEAD_SECONDS, end)
        timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):  # then there are no lines to read
                process.stdin.write(json.dumps(asdict(job)) + "\n")
                process.stdin.flush()
            for line in process.stdout:
                finding = json.loads(line)
                if "end" in finding:
                    return
                yield finding
            code = self.close()
            raise WorkerEnded("out of time" if late.is_set() else f"code {code} of the worker")
        finally:
            timer.cancel()
            limits.end_marked(job.mark)

    def close(self) -> int:
        """Let the process end, and return its code."""
        if self._process is None:
            return 0
        process, self._process = self._process, None
        with contextlib.suppress(BrokenPipeError):
            process.__exit__(None, None, None)  # closes its streams and waits
        return process.wait()
