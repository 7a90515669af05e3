"""Wrong answers to the exercises, made mechanically.

Two kinds. `rewritten` changes one place in the code that ``ex.solution()`` shows: a sign, a factor,
an axis, an index, a transpose, a comparison, a statement left out. `distorted` takes the right
answer and returns something else: its half, its transpose, sorted, counted from one, printed;
for a stream of states: too short, too late, one array for all. Both are functions of the same
arguments, as a student's answer is.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

import numpy as np

from support.mutation import rewrites
from umlbook.book.exercises.model import Exercise
from umlbook.book.exercises.run import taken
from umlbook.book.exercises.solution import solution_code

Function = Callable[..., Any]


@dataclass(frozen=True)
class WrongAnswer:
    """An answer and how it was made; it may turn out to be right after all."""

    how: str
    function: Function


# -------------------------------------------------------------------------- rewriting the code

_COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_EXCHANGED = {
    "max": ("min",),
    "min": ("max",),
    "argmax": ("argmin",),
    "argmin": ("argmax",),
    "sum": ("mean", "max"),
    "mean": ("sum", "max", "median"),
    "maximum": ("minimum",),
    "eigh": ("eig",),
    "nansum": ("nanmean", "sum"),
    "any": ("all",),
    "unique": ("sort",),
    "logaddexp": ("maximum",),
    "trace": ("sum",),
    "diagonal": ("ravel",),
    "take_along_axis": (),
}
#: Calls that change their first argument; a mistake leaves them out.
_LEFT_OUT = ("sqrt", "abs", "exp", "centered", "maximum", "sign", "copy", "log")


def _expression(text: str, **parts: ast.AST) -> ast.expr:
    """An expression in which names stand for parts."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copy.deepcopy(parts[node.id]) if node.id in parts else node

    return Put().visit(ast.parse(text, mode="eval").body)


def _of_constant(value: Any) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + step) for step in (1, -1))
        yield ast.Constant(2 * value)
    elif isinstance(value, float):
        yield from (ast.Constant(factor * value) for factor in (2.0, 0.5, 0.0))


def _of_operation(node: ast.BinOp) -> Iterator[ast.expr]:
    left, right = node.left, node.right
    match node.op:
        case ast.Add() | ast.Sub():
            yield from (left, right)
        case ast.Mult():
            yield ast.BinOp(left, ast.Div(), right)
            yield ast.BinOp(left, ast.Add(), right)
        case ast.Div():
            yield ast.BinOp(left, ast.Mult(), right)
            yield ast.BinOp(right, ast.Div(), left)
            yield _expression("a / (b - 1)", a=left, b=right)
        case ast.Pow():
            yield from (ast.Constant(1), _expression("abs(a)", a=left))
        case ast.MatMult():
            yield ast.BinOp(right, ast.MatMult(), left)
            yield ast.BinOp(left, ast.Mult(), right)
            yield _expression("a.T @ b", a=left, b=right)
            yield _expression("a @ b.T", a=left, b=right)


def _of_call(node: ast.Call) -> Iterator[ast.expr]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    for other in _EXCHANGED.get(name, ()):
        changed = copy.deepcopy(node)
        if isinstance(changed.func, ast.Attribute):
            changed.func.attr = other
            yield changed
    if name in _LEFT_OUT and node.args:
        yield node.args[0]
    if name == "copy" and isinstance(node.func, ast.Attribute):
        yield node.func.value
    if name == "len":
        yield from (_expression(text, n=node) for text in ("n - 1", "n + 1"))
    if name == "unique":
        yield _expression("range(len(a))", a=node)
    if name in ("mean", "sum") and isinstance(node.func, ast.Attribute):
        yield _expression("a * 1.25", a=node)
    for k, keyword in enumerate(node.keywords):
        if keyword.arg in ("axis", "keepdims", "minlength"):
            changed = copy.deepcopy(node)
            del changed.keywords[k]
            yield changed
    if len(node.args) == 2:
        yield ast.Call(node.func, node.args[::-1], node.keywords)


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """What a slip makes of one node."""
    yield from rewrites(node)
    match node:
        case ast.Constant(value=value):
            yield from _of_constant(value)
        case ast.BinOp():
            yield from _of_operation(node)
        case ast.Call():
            yield from _of_call(node)
        case ast.Attribute(attr="T"):
            yield node.value
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield operand
        case ast.Compare(ops=[op]):
            for kind in _COMPARED.get(type(op), ()):
                yield ast.Compare(node.left, [kind()], node.comparators)
        case ast.Slice(lower=lower, upper=upper, step=None) if lower or upper:
            yield ast.Slice(upper, lower, None)
            yield ast.Slice(None, None, None)
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.If(body=body):
            yield ast.If(ast.Constant(True), body, node.orelse)
            yield ast.If(ast.Constant(False), body, node.orelse)
        case ast.Name(id="n_clusters", ctx=ast.Load()):
            for text in ("labels.max() + 1", "len(np.unique(labels))", "n_clusters + 1"):
                yield _expression(text)
        case ast.Name(id="labels", ctx=ast.Load()):
            yield _expression("np.sort(labels)")
            yield _expression("labels - labels.min()")
        case ast.Name(ctx=ast.Load()) if node.id in ("lam", "sigma", "share"):
            yield from (_expression(f"{f} * {node.id}") for f in ("2", "0.5", "0"))


def _sites(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Every node of the functions in a program with each of its variants; statements left out."""
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for node in (n for top in function.body for n in ast.walk(top)):
            yield from ((node, new) for new in _variants(node))
            if isinstance(node, ast.Assign | ast.AugAssign):
                yield node, ast.Pass()


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def program(spec: Exercise) -> ast.Module:
    """The code that the solution shows, without the line that sets a value."""
    tree = ast.parse(solution_code(spec))
    if spec.kind == "value":
        del tree.body[-1]
    return tree


def rewritten(spec: Exercise) -> Iterator[WrongAnswer]:
    """The solution with one place changed, each change once."""
    tree = program(spec)
    name = spec.answer_name if spec.kind == "function" else spec.reference.__name__
    seen = {ast.unparse(tree)}
    for old, new in _sites(tree):
        changed = copy.deepcopy(tree, {id(old): ast.copy_location(copy.deepcopy(new), old)})
        text = ast.unparse(ast.fix_missing_locations(changed))
        if text not in seen and not _is_docstring(old):
            seen.add(text)
            how = f"`{_short(old)}` → `{_short(new)}`, line {getattr(old, 'lineno', 1)}"
            yield WrongAnswer(how, _function(text, name))


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())
    return text if len(text) <= 50 else text[:47] + "..."


def _function(text: str, name: str) -> Function:
    """The function of that name in a program; a name error of the program is the function's."""
    namespace: dict[str, Any] = {"np": np, "__name__": "answer"}
    exec(compile(text, "answer", "exec"), namespace)
    return namespace[name]


# ----------------------------------------------------------------------- distorting the result


def _changed_one(value: np.ndarray) -> np.ndarray:
    changed = np.array(value, dtype=float)
    changed.flat[-1] += 0.5 + abs(changed.flat[-1])
    return changed


def _swapped_ends(value: np.ndarray) -> np.ndarray:
    """The first two entries (or rows) exchanged."""
    changed = np.array(value)
    changed[[0, 1]] = changed[[1, 0]]
    return changed


def _n_over(value: np.ndarray, args: tuple[Any, ...]) -> np.ndarray:
    n = max(len(arg) for arg in args if np.ndim(arg))
    return value * n / (n - 1)


_DISTORTIONS: dict[str, Callable[[np.ndarray, tuple[Any, ...]], Any]] = {
    "the sign": lambda v, _: -v,
    "twice": lambda v, _: 2 * v,
    "half": lambda v, _: v / 2,
    "n / (n - 1) times": _n_over,
    "one added": lambda v, _: v + 1,
    "transposed": lambda v, _: v.T,
    "sorted": lambda v, _: np.sort(v, axis=0),
    "reversed": lambda v, _: v[::-1],
    "truncated to integers": lambda v, _: v.astype(int),
    "squared": lambda v, _: v**2,
    "in absolute value": lambda v, _: np.abs(v),
    "summed up": lambda v, _: v.sum(),
    "the last entry dropped": lambda v, _: v[:-1],
    "an entry repeated": lambda v, _: np.concatenate([v, v[-1:]]),
    "a column dropped": lambda v, _: v[:, :-1],
    "a column of zeros added": lambda v, _: np.column_stack([v, np.zeros(len(v))]),
    "one number changed": lambda v, _: _changed_one(v),
    "the first two exchanged": lambda v, _: _swapped_ends(v),
    "zeros for all": lambda v, _: np.zeros_like(v),
    "labels as floats": lambda v, _: v.astype(float) if v.dtype.kind in "iu" else v,
    "as text": lambda v, _: str(v),
    "not a number": lambda v, _: v * np.nan,
}


def _printed(reference: Function) -> Function:
    def answer(*args: Any) -> None:
        print(taken(reference(*args)))

    return answer


def _distorted(reference: Function, change: Callable[..., Any]) -> Function:
    return lambda *args: change(np.asarray(reference(*args)), args)


_STREAMS: dict[str, Callable[[Iterator[Any]], Iterator[Any]]] = {
    "one state": lambda states: islice(states, 1),
    "three states": lambda states: islice(states, 3),
    "39 states": lambda states: islice(states, 39),
    "started one step late": lambda states: islice(states, 1, None),
    "every second state": lambda states: islice(states, 0, None, 2),
    "each state twice": lambda states: (s for state in states for s in (state, state)),
    "the first state for ever": lambda states: _for_ever(next(states)),
    "one array for all states": lambda states: _in_place(states),
    "the objective of the state before": lambda states: _late(states),
}


def _for_ever(state: Any) -> Iterator[Any]:
    while True:
        yield state


def _in_place(states: Iterator[Any]) -> Iterator[Any]:
    first = next(states)
    arrays = {f.name: getattr(first, f.name) for f in fields(first)}
    arrays = {name: v.copy() for name, v in arrays.items() if isinstance(v, np.ndarray)}
    yield replace(first, **arrays)
    for state in states:
        for name, array in arrays.items():
            array[...] = getattr(state, name)
        yield replace(state, **arrays)


def _late(states: Iterator[Any]) -> Iterator[Any]:
    before = None
    for state in states:
        yield state if before is None else replace(state, objective=before)
        before = state.objective


def _of_states(reference: Function, change: Callable[..., Any]) -> Function:
    return lambda *args: change(reference(*args))


def _of_quantity(reference: Function, name: str, change: Callable[..., Any]) -> Function:
    def answer(*args: Any) -> Iterator[Any]:
        for state in reference(*args):
            changed = change(np.asarray(getattr(state, name)), args)
            yield replace(state, **{name: changed})

    return answer


def _first(reference: Function, name: str, change: Callable[..., Any] | None = None) -> Function:
    """One quantity of the first state, changed or not."""

    def answer(*args: Any) -> Any:
        value = np.asarray(getattr(next(reference(*args)), name))
        return change(value, args) if change else value

    return answer


def _is_changed(spec: Exercise, function: Function, reference: Function) -> bool:
    """Whether an answer differs from the reference at all, if only by its type."""
    cases = spec.cases(np.random.default_rng(0))
    pairs = ((f(*case.values()) for f in (function, reference)) for case in cases)
    try:
        return any(_written(a) != _written(b) for a, b in pairs)
    except Exception:
        return True


def _written(value: Any) -> str:
    return f"{np.shape(value)} {np.asarray(value).dtype} {np.asarray(value).tolist()}"


def distorted(spec: Exercise) -> Iterator[WrongAnswer]:
    """The right result, spoilt on its way to the reader."""
    reference = spec.reference
    yield WrongAnswer("printed, not returned", _printed(reference))
    if not spec.quantities:
        for how, change in _DISTORTIONS.items():
            if _is_changed(spec, function := _distorted(reference, change), reference):
                yield WrongAnswer(how, function)
        return
    for how, change in _STREAMS.items():
        yield WrongAnswer(how, _of_states(reference, change))
    for name in spec.quantities:
        for how, change in _DISTORTIONS.items():
            if not _is_changed(spec, _first(reference, name, change), _first(reference, name)):
                continue
            yield WrongAnswer(f"{name}: {how}", _of_quantity(reference, name, change))


def wrong_answers(spec: Exercise) -> list[WrongAnswer]:
    """All of them, for a function or a value."""
    return [*rewritten(spec), *distorted(spec)]
