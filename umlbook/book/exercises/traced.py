"""By which route an answer comes to its result: the largest linear system that it solves.

An exercise may ask for a route and not for a number alone: "a system of order K is enough". Two
routes give the same numbers, so the calls themselves are watched, of the functions in numpy and
scipy that solve or factor a matrix.
"""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

_ROOMS = ("numpy.linalg", "scipy.linalg", "scipy.sparse.linalg")
_SOLVER = re.compile(
    r"solve|inv|pinvh?|lstsq|cholesky|cho_factor|cho_solve|lu|lu_factor|lu_solve|ldl|qr|svd|svdvals"
    r"|eig|eigh|eigs|eigsh|eigvals|eigvalsh|schur|spsolve|splu|cg|gmres|minres"
)


def solved_order(function: Callable[..., Any]) -> Callable[..., int]:
    """A function that calls `function` and returns the order of the largest system it solved.

    A function that runs elsewhere has a method of this name, which watches it there.

    >>> solved_order(lambda A: np.linalg.solve(A, A) @ A)(np.eye(3))
    3
    >>> solved_order(lambda A: A @ A)(np.eye(3))
    0
    """
    elsewhere = getattr(function, "solved_order", None)
    if elsewhere is not None:
        return elsewhere

    def watched(*args: Any) -> int:
        largest = 0

        def watch(frame: FrameType, event: str, arg: Any) -> None:
            nonlocal largest
            solver = event == "call" and _SOLVER.fullmatch(frame.f_code.co_name)
            if solver and frame.f_globals.get("__name__", "").startswith(_ROOMS):
                largest = max(largest, _order(frame))

        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            function(*args)
        finally:
            sys.setprofile(before)
        return largest

    return watched


def _order(frame: FrameType) -> int:
    """The rank that the first argument of a call can have at most."""
    first: Any = frame.f_locals.get(frame.f_code.co_varnames[0])
    shape = np.shape(first[0] if isinstance(first, tuple) and first else first)  # cho_solve((c, _))
    return min(shape[-2:]) if len(shape) >= 2 else 0
