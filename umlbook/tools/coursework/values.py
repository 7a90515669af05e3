"""Values between the kernel that runs a hand-in and the process that judges it, as plain text.

The judge must not unpickle what a student's code has sent, so a value travels as JSON: numbers,
text, lists, numeric arrays, and objects as their attributes. What cannot travel arrives as an
`Opaque`, which no check accepts. Shared arrays stay shared, because a check may ask about that.
"""

from __future__ import annotations

import base64
import json
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_BYTES = 32_000_000  # of one message
_MAX_DEPTH = 8
_NUMERIC = "biufc"


class TooLarge(ValueError):
    """A value that is too large to be an answer."""


@dataclass(frozen=True)
class Opaque:
    """A value of a type that cannot travel."""

    type_name: str


class _Packer:
    """Turns values into JSON data; remembers the arrays so that each is packed once."""

    def __init__(self) -> None:
        self.arrays: list[list[Any]] = []
        self._seen: dict[int, tuple[int, Any]] = {}
        self._size = 0

    def _array(self, array: np.ndarray) -> int:
        if id(array) not in self._seen:
            self._grow(array.nbytes)
            content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
            self.arrays.append([array.dtype.str, list(array.shape), content])
            self._seen[id(array)] = (len(self.arrays) - 1, array)  # kept, so that the id stays its
        return self._seen[id(array)][0]

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_BYTES // 2:
            raise TooLarge(f"the result takes more than {MAX_BYTES // 2_000_000} MB")

    def pack(self, value: Any, depth: int = 0) -> Any:
        self._grow(16 + len(value) if isinstance(value, str) else 16)
        if value is None or type(value) in (bool, int, float, str):
            return value
        if depth == _MAX_DEPTH:
            return {"opaque": type(value).__name__}
        if isinstance(value, np.ndarray) and value.dtype.kind in _NUMERIC:
            return {"array": self._array(value)}
        if isinstance(value, np.generic) and value.dtype.kind in _NUMERIC:
            return {"scalar": self._array(np.asarray(value))}
        return self._container(value, depth + 1)

    def _container(self, value: Any, depth: int) -> Any:
        if isinstance(value, list):
            return [self.pack(item, depth) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.pack(item, depth) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self.pack(k, depth), self.pack(v, depth)] for k, v in value.items()]}
        if value is ...:
            return {"hole": "..."}
        if callable(value):
            return {"callable": type(value).__name__}
        if hasattr(value, "__array__"):  # a data frame, a subclass of an array
            array = np.asarray(value)
            return (
                {"array": self._array(array)} if array.dtype.kind in _NUMERIC else self._no(value)
            )
        if isinstance(getattr(value, "__dict__", None), dict):
            names = {str(k): self.pack(v, depth) for k, v in vars(value).items()}
            return {"object": [type(value).__name__, names]}
        return self._no(value)

    def _no(self, value: Any) -> dict[str, str]:
        return {"opaque": type(value).__name__}


def packed(value: Any) -> str:
    """A value as text, for `unpacked`.

    >>> unpacked(packed([np.arange(3), ..., (1, "a")]))
    [array([0, 1, 2]), Ellipsis, (1, 'a')]
    """
    packer = _Packer()
    data = packer.pack(value)
    return json.dumps({"value": data, "arrays": packer.arrays})


@dataclass(frozen=True)
class KernelFunction:
    """Stands for a function that stayed in the kernel."""

    type_name: str


def _array(raw: list[Any]) -> np.ndarray:
    name, shape, content = raw
    dtype = np.dtype(str(name))
    if dtype.kind not in _NUMERIC:
        raise ValueError(f"an array of dtype {name} cannot travel")
    flat = np.frombuffer(base64.b64decode(content), dtype=dtype)
    return flat.reshape([int(n) for n in shape]).copy()


def _unpacked(data: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(data, list):
        return [_unpacked(item, arrays) for item in data]
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    match kind:
        case "array":
            return arrays[content]
        case "scalar":
            return arrays[content][()]
        case "tuple":
            return tuple(_unpacked(item, arrays) for item in content)
        case "dict":
            return {_unpacked(k, arrays): _unpacked(v, arrays) for k, v in content}
        case "hole":
            return ...
        case "callable":
            return KernelFunction(str(content))
        case "object":
            name, attributes = content
            values = {str(k): _unpacked(v, arrays) for k, v in attributes.items()}
            return type(str(name), (types.SimpleNamespace,), {})(**values)
        case _:
            return Opaque(str(content))


def unpacked(text: str) -> Any:
    """The value that `packed` wrote; ValueError when the text is anything else."""
    try:
        data = json.loads(text)
        return _unpacked(data["value"], [_array(raw) for raw in data["arrays"]])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError(f"the result cannot be read ({type(error).__name__})") from None


def called(function: Callable[..., Any], arguments: str) -> str:
    """In the kernel: what a function gives for packed arguments, with all that a check looks at.

    The text holds the value, the first warning, and the arguments as the function left them; or the
    name and message of what it raised.
    """
    from umlbook.book.exercises.run import taken

    args = unpacked(arguments)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = taken(function(*args))
        said = str(caught[0].message) if caught else ""
        return packed({"value": value, "warned": said[:500], "args": args})
    except (Exception, SystemExit) as error:
        return packed({"error": type(error).__name__, "message": str(error)[:500]})
