"""Call a reader's function safely: on copies, within a time limit, its errors caught and told.

The call runs in a thread of its own, so that the limit holds on every platform and inside widget
callbacks too. The limit counts processor time, so that a busy machine stops nobody. A function
that runs on is stopped at its next line of Python; one that hangs inside compiled code cannot be
stopped, but the check still returns. In a web page, where there are no threads, the call is traced
instead: the clock is read at each line of Python, and compiled code runs to its end.
"""

import ctypes
import inspect
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from threading import Thread
from types import FrameType
from typing import Any

import numpy as np

from umlbook._browser import in_browser

TIME_LIMIT = 10.0  # seconds for one call, as `stopwatch` counts them
PATIENCE = 10.0  # real seconds that count as one, for a call that only waits
MAX_STATES = 40  # how many states are taken from an answer that yields for ever


class OutOfTime(TimeoutError):
    """The reader's function ran longer than the limit."""


class _Stop(BaseException):
    """Raised inside the reader's thread; no Exception, so ``except Exception`` ends too."""


@dataclass(frozen=True)
class Result:
    """What one call gave: a value or an error, a warning, an argument changed, processor time."""

    value: Any = None
    error: BaseException | None = None
    warned: str = ""
    changed: str = ""
    seconds: float = 0.0
    printed: bool = False


def _processor_seconds() -> float:
    """Seconds of the processor, or real ones in a web page, whose counter ends after 36 minutes."""
    return time.perf_counter() if in_browser() else time.process_time()


def stopwatch() -> Callable[[], float]:
    """A function that tells the seconds since now: of the processor, and never more than real ones.

    A tenth of the real seconds (`PATIENCE`) counts where that is more: waiting has its limit, too.
    """
    start, busy = time.perf_counter(), _processor_seconds()

    def spent() -> float:
        real = time.perf_counter() - start
        return min(real, max(_processor_seconds() - busy, real / PATIENCE))

    return spent


def limited(task: Callable[[], Any], seconds: float | None = None) -> Any:
    """What `task()` returns or raises; `OutOfTime` when the `stopwatch` passes `seconds`."""
    limit = TIME_LIMIT if seconds is None else seconds
    return (_traced if in_browser() else _in_thread)(task, limit)


def _traced(task: Callable[[], Any], limit: float) -> Any:
    """`limited` where there are no threads: a trace function ends the task at its next line."""
    spent = stopwatch()

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if spent() > limit:
            raise _Stop
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return task()
    except _Stop:
        raise _out_of_time(limit) from None
    finally:
        sys.settrace(before)


def _in_thread(task: Callable[[], Any], limit: float) -> Any:
    """`limited` elsewhere: the task runs beside the clock."""
    values: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            values.append(task())
        except (Exception, SystemExit, _Stop) as error:
            errors.append(error)

    thread, spent = Thread(target=work, daemon=True), stopwatch()
    thread.start()
    try:
        while thread.is_alive() and (left := limit - spent()) > 0:
            thread.join(min(max(left, 0.05), 1.0))
    finally:
        ran_on = thread.is_alive()
        if ran_on:  # out of time, or the reader pressed stop
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stop)
            )
    if ran_on:
        raise _out_of_time(limit)
    if errors:
        raise errors[0]
    return values[0]


def _out_of_time(limit: float) -> OutOfTime:
    return OutOfTime(f"it ran longer than {limit:g} s and was stopped")


def is_hole(value: Any) -> bool:
    """Whether a value is what a stub leaves: ``...``, None, nothing, or a list that begins so."""
    if value is ... or value is None or isinstance(value, NotImplementedError):
        return True
    if isinstance(value, str | list | tuple):
        return len(value) == 0 or value[0] is ...
    return False


class StateDict(dict[str, Any]):
    """A dictionary whose entries are attributes too, as the states of the book have theirs."""

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"a state has no {name!r}; it has {', '.join(self)}")
        return self[name]


def taken(value: Any) -> Any:
    """The value; from an iterator, its first states as a list, dictionaries as `StateDict`."""
    if not isinstance(value, Iterator | list):
        return value
    # All states first: one dictionary that is changed and yielded again must show as such.
    states = list(islice(value, MAX_STATES)) if isinstance(value, Iterator) else value
    return [StateDict(state) if isinstance(state, dict) else state for state in states]


def run(function: Callable[..., Any], case: Mapping[str, Any]) -> Result:
    """Call `function` with the arguments of a case (which hands out copies) and tell all of it."""
    args = dict(case)

    def task() -> tuple[Any, str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = taken(function(*args.values()))
        return value, str(caught[0].message) if caught else ""

    stream = sys.stdout
    sys.stdout = heard = _Heard(stream)  # type: ignore[assignment]
    # A function that runs elsewhere knows the processor time of that place.
    clock = getattr(function, "processor_seconds", _processor_seconds)
    start = clock()
    try:
        value, warned = limited(task)
    except (Exception, SystemExit) as error:
        return Result(error=error)
    finally:
        sys.stdout = stream
    seconds = clock() - start
    changed = [k for k, v in args.items() if isinstance(v, np.ndarray) and not _same(v, case[k])]
    changed_one = changed[0] if changed else ""
    return Result(value, None, warned, changed_one, seconds, heard.something)


class _Heard:
    """A stream that passes everything on and remembers whether there was something."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.something = stream, False

    def write(self, text: str) -> Any:
        self.something = self.something or bool(text.strip())
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and np.array_equal(left, right, equal_nan=True)


def raised_by(error: BaseException, function: Callable[..., Any]) -> str:
    """The error in one line, and the reader's own line that raised it, where that is known."""
    said = f"{type(error).__name__}: {error}".rstrip(": ").splitlines()[0]
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if code is not None and frame.filename == code.co_filename and frame.line
    ]
    if not own or code is None:
        return said
    line = (own[-1].lineno or 0) - code.co_firstlineno + 1
    return f"{said}\nline {line} of {code.co_name}: {own[-1].line}"
