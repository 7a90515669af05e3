"""What an exercise is: data sets, properties to hold, known mistakes, hints; and what a check says.

An exercise is declared, not programmed. `Exercise` names a reference, the data sets (`Case`) drawn
for one student, the properties an answer must have (a `Property` returns the sentence that says how
it fails, or None), the mistakes that are recognised by name, and the remarks that turn "correct"
into "correct, but". The engine in `umlbook.book.exercises.judge` runs it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from umlbook.book.exercises.run import limited, taken

Array = NDArray[np.float64]


class Status(StrEnum):
    """The five outcomes of a check."""

    NOT_ATTEMPTED = "not attempted"
    WRONG = "wrong"
    RAISED = "raised an error"
    CORRECT = "correct"
    CORRECT_BUT = "correct, but"

    @property
    def passed(self) -> bool:
        """Whether the answer counts as right."""
        return self in (Status.CORRECT, Status.CORRECT_BUT)

    @property
    def symbol(self) -> str:
        """A sign of its own shape for each outcome, so that colour is never needed."""
        return _SYMBOLS[self]


_SYMBOLS = {
    Status.NOT_ATTEMPTED: "○",
    Status.WRONG: "✗",
    Status.RAISED: "⚠",
    Status.CORRECT: "✓",
    Status.CORRECT_BUT: "✓…",
}


def _paragraph(text: str) -> str:
    return escape(text).replace("\n", "<br>")


@dataclass(frozen=True, repr=False)
class Outcome:
    """What a check says: one stable line, and a second one where there is a reason.

    >>> Outcome("Exercise 1.1", Status.CORRECT)
    Exercise 1.1: correct
    >>> Outcome("Exercise 1.1", Status.WRONG, "column 2 has norm 1.73, not 1")
    Exercise 1.1: wrong
      column 2 has norm 1.73, not 1
    """

    label: str
    status: Status
    reason: str = ""
    mistake: str | None = None
    notice: str = ""

    @property
    def passed(self) -> bool:
        """Whether the answer counts as right."""
        return self.status.passed

    def __repr__(self) -> str:
        lines = [*self.reason.splitlines(), *self.notice.splitlines()]
        return "\n  ".join([f"{self.label}: {self.status}", *lines])

    def _repr_html_(self) -> str:
        said = "\n".join(filter(None, [self.reason, self.notice]))
        reason = f"<div>{_paragraph(said)}</div>" if said else ""
        return (
            f'<div role="status"><span aria-hidden="true">{self.status.symbol}</span> '
            f"{escape(self.label)}: <strong>{self.status}</strong>{reason}</div>"
        )


@dataclass(frozen=True, repr=False)
class Note:
    """Text for the reader (a hint, a solution), with code set apart where there is some."""

    title: str
    text: str
    code: str = ""

    def __repr__(self) -> str:
        parts = [f"{self.title}: {self.text}" if self.text else f"{self.title}:", self.code]
        return "\n".join(part.rstrip() for part in parts if part)

    def _repr_html_(self) -> str:
        code = f"<pre>{escape(self.code)}</pre>" if self.code else ""
        return f"<div><strong>{escape(self.title)}:</strong> {_paragraph(self.text)}{code}</div>"


def _described(value: object) -> str:
    """Shape and kind of one datum; no numbers, so it reads the same for every student."""
    if isinstance(value, np.ndarray):
        kind = "integers" if np.issubdtype(value.dtype, np.integer) else "numbers"
        return f"{' x '.join(map(str, value.shape))} {kind}"
    return "an integer" if isinstance(value, int | np.integer) else "a number"


class Case(Mapping[str, Any]):
    """One data set: a name that fits after "for", and the arguments of the answer in order.

    >>> case = Case("the points in your data", labels=np.array([0, 1, 1]), n_clusters=2)
    >>> case
    labels (3 integers), n_clusters (an integer)
    >>> case.labels
    array([0, 1, 1])
    """

    def __init__(self, name: str, /, **args: Any) -> None:
        self.name = name
        self._args = MappingProxyType(args)

    def __getitem__(self, key: str) -> Any:
        # A copy each time: what a reader's function does to its argument stays with the reader.
        value = self._args[key]
        return value.copy() if isinstance(value, np.ndarray) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._args)

    def __len__(self) -> int:
        return len(self._args)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        if key not in self._args:
            raise AttributeError(f"the data of this exercise are {', '.join(self._args)}; no {key}")
        return self[key]

    def __repr__(self) -> str:
        return ", ".join(f"{key} ({_described(value)})" for key, value in self._args.items())


class RaisedOnChange(Exception):
    """The answer raised when it was asked again on changed data."""


@dataclass(frozen=True)
class Attempt:
    """An answer on one data set: the value it gave, and `again` to ask it on changed data."""

    case: Case
    value: Any
    function: Callable[..., Any] = field(repr=False)

    @property
    def array(self) -> Array:
        """The value as an array of floats."""
        return np.asarray(self.value, dtype=float)

    @property
    def number(self) -> float:
        """The value as one float."""
        return float(self.array.item())

    def again(self, **changes: Any) -> Any:
        """What the answer gives when some of the arguments are changed."""
        args = (dict(self.case) | changes).values()
        try:
            return limited(lambda: taken(self.function(*args)))
        except Exception as error:
            said = f"on slightly changed data it raises {type(error).__name__}: {error}"
            raise RaisedOnChange(said) from error


#: The sentence that says how the answer fails (or what to remark on), or None.
Property = Callable[[Attempt], str | None]


@dataclass(frozen=True)
class Mistake:
    """A typical wrong answer: its name, what to tell the reader, and the wrong answer itself.

    `wrong` takes the arguments of a case, as the reference does. An answer is recognised when it
    gives what `wrong` gives; where many wrong answers have one cause, `recognises` says so instead.
    """

    name: str
    message: str
    wrong: Callable[..., Any]
    recognises: Property | None = None


def same_values(left: Any, right: Any) -> bool:
    """Whether two answers are equal up to rounding; shapes must agree, NaN equals NaN."""
    if isinstance(left, str) or isinstance(right, str):
        return type(left) is type(right) and left == right
    a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True)


@dataclass(frozen=True)
class Exercise:
    """A declared exercise.

    Parameters
    ----------
    id : str
        Chapter and number, such as ``"1.2"``.
    title : str
        What the reader does, in a few words.
    reference : callable
        A right answer: called with the arguments of a case. For a ``value`` it returns one.
    cases : callable
        From a random generator to the data sets; the first is the reader's own ``ex.data``.
    properties : sequence of Property
        What an answer must have, in the order in which to say it.
    mistakes : sequence of Mistake
        At least three typical wrong answers.
    hints : sequence of str
        From a nudge to nearly all.
    solution : str
        Why the reference is right, in a sentence or two.
    kind : {"function", "value", "order", "choice"}
        Whether the answer is a function, a value (number or array), an order of lettered steps, or
        one letter.
    remarks : sequence of Property
        What makes a right answer "correct, but".
    steps : mapping
        For ``order`` and ``choice``: the letter and text of each step, as the page shows them.
    quantities : sequence of str
        For an answer that yields states: what ``ex.debug`` compares.
    same : callable
        Whether two answers mean the same.
    answer : str
        The name under which the notebook looks for the answer; by default the reference's own,
        ``proof`` for an order and ``wrong_step`` for a choice.
    """

    id: str
    title: str
    reference: Callable[..., Any]
    cases: Callable[[np.random.Generator], Sequence[Case]]
    properties: Sequence[Property]
    mistakes: Sequence[Mistake]
    hints: Sequence[str]
    solution: str
    kind: Literal["function", "value", "order", "choice"] = "function"
    remarks: Sequence[Property] = ()
    steps: Mapping[str, str] = field(default_factory=dict)
    quantities: Sequence[str] = ()
    same: Callable[[Any, Any], bool] = same_values
    answer: str = ""

    @property
    def answer_name(self) -> str:
        """The name of the answer in the notebook."""
        usual = {"order": "proof", "choice": "wrong_step"}
        return self.answer or usual.get(self.kind) or self.reference.__name__

    @property
    def label(self) -> str:
        """The name on the page."""
        return f"Exercise {self.id}"

    @property
    def chapter(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]


@dataclass(frozen=True)
class Choice:
    """One possible answer, and what to tell the reader who picks it."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with exactly one right choice."""

    id: str
    prompt: str
    choices: Sequence[Choice]

    def __post_init__(self) -> None:
        right = sum(choice.right for choice in self.choices)
        if right != 1:
            raise ValueError(f"question {self.id} has {right} right choices, wanted exactly one")

    @property
    def by_letter(self) -> dict[str, Choice]:
        """The choices under a, b, c, ..."""
        return dict(zip(ascii_lowercase, self.choices, strict=False))
