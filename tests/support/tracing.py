"""How far a reader has to go to follow a fit: the functions and files that it passes through.

``python tests/support/tracing.py`` prints the path of CPD-UML and of NAML on iris.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import umlbook

PACKAGE = Path(umlbook.__file__).parent


@dataclass(frozen=True)
class Trace:
    """The functions of the package in the order of their calls, each as (file, name)."""

    calls: tuple[tuple[str, str], ...]

    @property
    def functions(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys(self.calls))

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(file for file, _ in self.calls))

    def __str__(self) -> str:
        """The functions under the file that holds them, with how many of each there are."""
        lines = [f"{len(self.functions)} functions in {len(self.files)} files"]
        for file in self.files:
            names = [name for where, name in self.functions if where == file]
            lines.append(f"  {file}: {len(names)}")
            lines += [f"    {name}" for name in names]
        return "\n".join(lines)


def trace(call: Callable[[], Any]) -> Trace:
    """What ``call`` passes through in the package, without comprehensions and lambdas."""
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE) and not code.co_name.startswith("<"):
            calls.append((str(path.relative_to(PACKAGE)), code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Trace(tuple(calls))


if __name__ == "__main__":
    from sklearn.datasets import load_iris

    X = load_iris().data
    for estimator in (umlbook.CPDUML(3), umlbook.NAML(3)):
        print(f"{type(estimator).__name__}(3).fit(iris):", trace(lambda e=estimator: e.fit(X)))
