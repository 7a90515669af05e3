"""Grade notebooks in a process of its own: ``python -m umlbook.tools.coursework.worker``.

A job comes as a line of JSON on stdin, and each finding leaves as one on stdout. No code of the
student's runs here. It runs in a kernel, which is asked for values: the answer itself, or what the
answer gives for the arguments that a check tries. The checks are this package's, and so is the
verdict; a kernel that lies can only lie about values.
"""

from __future__ import annotations

import builtins
import json
import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from umlbook.book.exercises import cells as _cells
from umlbook.tools.coursework import limits, plan, values
from umlbook.tools.coursework.kernel import Kernel, KernelLost, OutOfTime, Raised

if TYPE_CHECKING:
    from umlbook.book.exercises.model import Outcome

#: For one call of an answer, as many as the engine gives a reader's own; counted by the kernel.
CALL_SECONDS = 10.0
#: One cell or call may take this part of the student's seconds.
SHARE = 0.25
RELEASED_SECONDS = 60.0  # for a cell of the book's own
_UNTOUCHED = "not attempted"
READER = "reader"  # whose data an exercise has when nobody is named
_VALUES = '__import__("umlbook.tools.coursework.values", fromlist=["values"])'
_TRACED = '__import__("umlbook.book.exercises.traced", fromlist=["traced"])'


@dataclass(frozen=True)
class Job:
    """What to grade: a notebook, the exercises it may hold, whose it is said to be, the limits.

    The mark stands in the environment of its kernels.
    """

    notebook: str
    exercises: str
    scratch: str
    claimed: str | None
    seconds: float
    memory_mb: int
    mark: str


@dataclass
class Clock:
    """The seconds that a student's own code may use, and has used, as `Kernel.ask` counts them."""

    seconds: float
    used: float = 0.0

    def ask(self, kernel: Kernel, code: str, expression: str | None, most: float) -> str:
        """Ask the kernel within what is left; `OutOfTime` at once when nothing is."""
        left = min(most, SHARE * self.seconds, self.seconds - self.used)
        if left <= 0:
            raise OutOfTime(f"the {self.seconds:g} s of this notebook are used up")
        try:
            return kernel.ask(code, expression, left)
        finally:
            self.used += min(kernel.spent, left)


class RemoteFunction:
    """A function of the student's, called here and run in the kernel."""

    def __init__(self, kernel: Kernel, clock: Clock, expression: str) -> None:
        self._kernel, self._clock, self._expression = kernel, clock, expression

    def processor_seconds(self) -> float:
        """The processor time so far: the kernel's, not that of this process."""
        return self._clock.used

    def solved_order(self, *args: Any) -> Any:
        """What `traced.solved_order` of the function gives, watched in the kernel."""
        watched = f"{_TRACED}.solved_order({self._expression})"
        return RemoteFunction(self._kernel, self._clock, watched)(*args)

    def __call__(self, *args: Any) -> Any:
        asked = f"{_VALUES}.called({self._expression}, {values.packed(list(args))!r})"
        told = values.unpacked(self._clock.ask(self._kernel, "", asked, CALL_SECONDS))
        if not isinstance(told, dict) or not {"error", "value"} & set(told):
            raise ValueError("the result cannot be read")
        if "error" in told:
            raise _exception(str(told["error"]), str(told.get("message", "")))
        if told.get("warned"):
            warnings.warn(str(told["warned"]), stacklevel=2)
        for mine, theirs in zip(args, told.get("args") or [], strict=False):
            if isinstance(mine, np.ndarray) and np.shape(theirs) == mine.shape:
                mine[...] = theirs  # so that a changed argument is seen here, too
        return told["value"]


def _exception(name: str, message: str) -> BaseException:
    """The exception that the kernel has named; one of that name where it is not a built-in."""
    kind = np.linalg.LinAlgError if name == "LinAlgError" else getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(name, (Exception,), {})
    try:
        return kind(message)
    except TypeError:  # one that wants other arguments, as UnicodeDecodeError does
        return RuntimeError(f"{name}: {message}")


class _Restart(Exception):
    """The kernel was lost to one step; the others deserve a new one."""


@dataclass
class Grading:
    """One run of a plan, in as many kernels as it costs."""

    steps: Sequence[plan.Step]
    student: str
    scratch: Path
    clock: Clock
    memory_mb: int
    mark: str
    skipped: dict[int, str] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def outcomes(self) -> Iterator[tuple[plan.Judge, Outcome]]:
        """Each exercise with its outcome; a step that costs the kernel its life is left out."""
        while True:
            try:
                with Kernel(self.scratch, self.student, self.memory_mb, self.mark) as kernel:
                    yield from self._one_pass(kernel)
                return
            except _Restart:
                continue

    def _one_pass(self, kernel: Kernel) -> Iterator[tuple[plan.Judge, Outcome]]:
        fault: str | None = None  # of the cells since the last exercise
        for index, step in enumerate(self.steps):
            if isinstance(step, plan.Code):
                fault = self._run(kernel, index, step) or fault
                continue
            if step.exercise not in self.done:
                outcome = self._outcome(kernel, step, fault)
                self.done.add(step.exercise)
                yield step, outcome
                if kernel.lost:
                    raise _Restart
            fault = None

    def _run(self, kernel: Kernel, index: int, step: plan.Code) -> str | None:
        """Run a cell and return what went wrong, if anything did."""
        if index in self.skipped:
            return self.skipped[index]
        try:
            if step.own:
                self.clock.ask(kernel, step.source, None, self.clock.seconds)
            else:
                kernel.ask(step.source, None, RELEASED_SECONDS)
            return None
        except Raised as error:
            if error.name != "MemoryError" or not step.own:
                return str(error)
            lost = f"used more than {self.memory_mb} MB"  # and still holds it
        except OutOfTime as error:
            self.skipped[index] = str(error)  # should there be another pass
            return str(error)
        except KernelLost as error:
            if not step.own:
                raise
            lost = str(error)
        self.skipped[index] = lost
        raise _Restart

    def _outcome(self, kernel: Kernel, step: plan.Judge, fault: str | None) -> Outcome:
        from umlbook.book.exercises.bank import all_exercises
        from umlbook.book.exercises.judge import judge, seed_for
        from umlbook.book.exercises.model import Outcome, Status

        spec = all_exercises()[step.exercise]
        try:
            answer = self._answer(kernel, step.answer)
        except Raised as error:
            if error.name == "NameError":  # the cell that should set it did not, or is empty
                status = Status.RAISED if fault else Status.NOT_ATTEMPTED
                return Outcome(spec.label, status, fault or "")
            return Outcome(spec.label, Status.RAISED, str(error))
        except (OutOfTime, KernelLost) as error:
            return Outcome(spec.label, Status.RAISED, str(error))
        except ValueError as error:
            return Outcome(spec.label, Status.WRONG, str(error))
        cases = spec.cases(np.random.default_rng(seed_for(spec.id, self.student)))
        outcome = judge(spec, answer, cases)
        return Outcome(spec.label, Status.RAISED, kernel.lost) if kernel.lost else outcome

    def _answer(self, kernel: Kernel, expression: str) -> Any:
        asked = f"{_VALUES}.packed({expression})"
        value = values.unpacked(self.clock.ask(kernel, "", asked, CALL_SECONDS))
        if isinstance(value, values.KernelFunction):
            return RemoteFunction(kernel, self.clock, expression)
        return value


# ------------------------------------------------------------------------------------ the job


def _release_of(handed: list[_cells.Cell], folder: Path) -> tuple[Path, list[_cells.Cell]]:
    """The released notebook that shares most cells with a hand-in, whatever its file is called."""
    ids = {cell.grade_id for cell in handed} - {""}
    releases = {p: _cells.code_cells(_cells.parsed(p.read_bytes())) for p in folder.glob("*.ipynb")}
    shared = {p: len(ids & {cell.grade_id for cell in cells}) for p, cells in releases.items()}
    best = max(sorted(shared), key=shared.__getitem__, default=None)
    if best is None or not shared[best]:
        raise ValueError("no exercise of the book in it: its cells have lost their grade ids")
    return best, releases[best]


def findings(job: Job) -> Iterator[dict[str, Any]]:
    """What there is to say about a notebook: whose and which it is, each outcome, the time."""
    try:
        notebook = _cells.parsed(Path(job.notebook).read_bytes())
        handed = _cells.code_cells(notebook)
        path, release = _release_of(handed, Path(job.exercises))
    except ValueError as error:
        yield {"remarks": [str(error)]}
        return
    named = _cells.named_student(handed)
    student = named or job.claimed
    remarks = plan.remarks(release, handed)
    if named and job.claimed and named != job.claimed:
        remarks.append("the report names another student than the notebook")
    if _cells.language(notebook) != "python":
        remarks.append(f"asks for a kernel of {_cells.language(notebook)[:20]}; run as Python")
    judges = plan.judged(release)
    asked = [asdict(step) for step in judges]
    yield {"student": student, "notebook": path.name, "judges": asked, "remarks": remarks}
    steps = list(plan.steps(release, handed))
    if steps == list(plan.steps(release, [])):  # as it was released: no need to run it
        yield from ({"exercise": step.exercise, "outcome": _UNTOUCHED} for step in judges)
        yield {"seconds": 0}
        return
    clock = Clock(job.seconds)
    scratch = Path(job.scratch)
    grading = Grading(steps, student or READER, scratch, clock, job.memory_mb, job.mark)
    try:
        for step, outcome in grading.outcomes():
            yield {"exercise": step.exercise, "outcome": outcome.status, "reason": outcome.reason}
    except KernelLost as error:
        yield {"remarks": [f"not graded to the end: {error}"]}
    yield {"seconds": round(clock.used, 1)}


def main() -> None:
    """Take on the limits of each job that is read, and print the findings."""
    from umlbook.book.exercises import run as exercise_run

    exercise_run.TIME_LIMIT = math.inf  # no code of the student's runs here; the kernel stops it
    for line in sys.stdin:
        job = Job(**json.loads(line))
        limits.take_on(job.memory_mb)
        for finding in findings(job):
            print(json.dumps(finding), flush=True)
        print(json.dumps({"end": True}), flush=True)


if __name__ == "__main__":
    main()
