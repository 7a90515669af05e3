"""``umlbook grade``: run the hand-ins of a folder again and write the marks as CSV.

Each notebook is graded by a worker (`umlbook.tools.coursework.worker`) and run in a kernel of its
own, with a limit on time and memory. Whatever a hand-in does, its processes are ended, its row is
written, and the next one is not touched by it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from umlbook.tools import copies
from umlbook.tools.coursework import limits, submissions
from umlbook.tools.coursework.marks import MarkedNotebook, Marks
from umlbook.tools.coursework.pool import Worker, WorkerEnded
from umlbook.tools.coursework.worker import Job

#: With less the book itself cannot be loaded, and every hand-in would fail.
MIN_MEMORY_MB = 500


@dataclass(frozen=True)
class Limits:
    """What one notebook may use.

    The seconds are processor seconds of the student's own code, in the kernel and in all that it
    starts. Ten real seconds count as one at least, so that code which only waits ends as well.
    """

    seconds: int = 120
    memory_mb: int = 2048


@dataclass(frozen=True)
class Task:
    """One notebook of one hand-in, or a hand-in in which there is none."""

    handed: submissions.HandIn
    name: str = ""

    @property
    def sha256(self) -> str:
        """Of the notebook and the report, so that a new hand-in is graded again."""
        content = self.handed.notebooks.get(self.name, self.handed.fault.encode())
        report = json.dumps(self.handed.report, sort_keys=True)
        return hashlib.sha256(content + report.encode()).hexdigest()[:16]

    def new_row(self) -> MarkedNotebook:
        """The row before anything is known but the file."""
        first = Path(self.handed.name).parts[0]  # the student's folder, or the file itself
        name = first.removesuffix(".zip").removesuffix(".ipynb")
        row = MarkedNotebook(self.handed.name, self.name, self.handed.student or name, self.sha256)
        row.remarks += [self.handed.fault] if self.handed.fault else []
        return row


def tasks_of(handed: submissions.HandIn) -> list[Task]:
    """A task for each notebook of a hand-in, or one that says that there is none."""
    return [Task(handed, notebook) for notebook in sorted(handed.notebooks)] or [Task(handed)]


def graded(task: Task, exercises: Path, limit: Limits, worker: Worker, mark: str) -> MarkedNotebook:
    """The row of one notebook.

    Parameters
    ----------
    task : Task
        The notebook.
    exercises : Path
        The folder of the released exercises: the checks and all other cells are theirs.
    limit : Limits
        What it may use.
    worker : Worker
        Who grades it.
    mark : str
        Marks the processes of this notebook, in their environment.
    """
    row = task.new_row()
    if not task.name:
        row.remarks.append("there is no notebook in it")
        return row
    with TemporaryDirectory(prefix="umlbook-", ignore_cleanup_errors=True) as scratch:
        notebook = Path(scratch) / "handed-in.ipynb"
        notebook.write_bytes(task.handed.notebooks[task.name])
        folder = Path(scratch) / "kernel"
        folder.mkdir()
        job = Job(
            str(notebook),
            str(exercises.resolve()),
            str(folder),
            task.handed.student,
            limit.seconds,
            limit.memory_mb,
            mark,
        )
        try:
            for finding in worker.findings(job):
                row.take(finding)
        except WorkerEnded as error:
            row.remarks.append(f"not graded to the end: {error}")
    row.hints = task.handed.count("hints", list(row.points))
    row.solutions = task.handed.count("solutions", list(row.points))
    return row


def grade(
    folder: Path, exercises: Path, marks: Marks, limit: Limits, jobs: int = 1
) -> Iterator[dict[str, str]]:
    """Grade what is in a folder and not yet among the marks; each row is kept, then yielded."""
    run_mark = secrets.token_hex(8)
    stopped = threading.Event()
    workers = [Worker(f"{run_mark}-worker-{number}") for number in range(jobs)]
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def rows(number: int, name: str, path: Path) -> list[MarkedNotebook]:
        tasks = tasks_of(submissions.read(name, path))  # read now: few are in memory at once
        worker = free.get()
        try:
            return [
                graded(task, exercises, limit, worker, f"{run_mark}-{number}-")
                for task in tasks
                if not stopped.is_set() and not marks.has(name, task.sha256)
            ]
        finally:
            free.put(worker)

    try:
        with ThreadPoolExecutor(jobs) as pool:  # threads suffice: the work is done in processes
            paths = enumerate(submissions.paths_in(folder))
            waiting = [pool.submit(rows, number, name, path) for number, (name, path) in paths]
            try:
                for future in as_completed(waiting):
                    for row in future.result():
                        marks.add(row.cells())
                        yield row.cells()
            finally:  # when interrupted: what is under way is ended, what waits never begins
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                limits.end_marked(run_mark)
    finally:
        for worker in workers:
            worker.close()


# ------------------------------------------------------------------------------- command line


def released_exercises() -> Path | None:
    """The exercises of this installation: the checkout's or the package's."""
    notebooks = copies.checkout_notebooks() or copies.packaged_notebooks()
    return notebooks / "exercises" if notebooks else None


def _positive(text: str) -> int:
    """A positive whole number, or the error that argparse shows."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``umlbook grade``."""
    limit = Limits()
    parser.add_argument(
        "folder", type=Path, help="hand-ins: zips, notebooks, a folder for each student; or one"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("marks.csv"), help="the table (default: marks.csv)"
    )
    parser.add_argument("--jobs", type=_positive, default=1, help="how many at once")
    parser.add_argument(
        "--seconds",
        type=_positive,
        default=limit.seconds,
        help="processor seconds for a student's own code in one notebook; ten real seconds count "
        f"as one at least (default: {limit.seconds})",
    )
    parser.add_argument(
        "--memory",
        type=_positive,
        default=limit.memory_mb,
        metavar="MB",
        help=f"for one notebook (default: {limit.memory_mb})",
    )
    parser.add_argument(
        "--exercises", type=Path, help="the released notebooks (default: those of the book)"
    )
    parser.add_argument(
        "--again", action="store_true", help="grade all, not only what is not in the table yet"
    )


_HEAD = {name: name for name in ("student", "notebook", "marks", "remark")} | {"of": "all"}


def _printed(row: dict[str, str]) -> str:
    points = f"{row['marks']} of {row['of']}"
    notebook = row["notebook"].removesuffix(".ipynb")
    return f"{row['student']:<16} {notebook:<28} {points:>9}  {row['remark']}".rstrip()


def run(args: argparse.Namespace) -> int:
    """Grade, print a line for each notebook; 1 when there is nothing to grade."""
    exercises = args.exercises or released_exercises()
    try:
        if not args.folder.exists():
            raise ValueError(f"there is no {args.folder}: name the folder of the hand-ins")
        if exercises is None or not list(exercises.glob("*.ipynb")):
            raise ValueError(f"no notebook in {exercises}: name the exercises with --exercises")
        if args.memory < MIN_MEMORY_MB:
            raise ValueError(f"--memory {args.memory} is too little: give {MIN_MEMORY_MB} or more")
        marks = Marks(args.out, again=args.again)
        done = 0
        for row in grade(
            args.folder, exercises, marks, Limits(args.seconds, args.memory), args.jobs
        ):
            if not done:
                print(_printed(_HEAD))
            done += 1
            print(_printed(row), flush=True)
    except (ValueError, OSError) as error:
        print(f"umlbook grade: {error}", file=sys.stderr)
        return 1
    for student, notebook in marks.more_than_once():
        print(f"{student} has handed in {notebook} more than once: each has a row")
    print(f"{done} graded, {len(marks.rows)} rows in {args.out}")
    return 0
