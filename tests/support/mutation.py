"""Does each check look? Break the formulas beside a ledger call and see whether it goes red.

`verdicts` runs a notebook's code cells in one namespace. Before a cell with a ledger call it
re-runs that cell, on a copy of the namespace as it then stood, once for every mutant: ``+`` and
``-`` exchanged, a minus sign removed, a factor, divisor or power dropped. Mutated is what feeds
the call: its arguments, the assignments of its cell, and the functions of the notebook that these
use; not indices, keyword arguments, conditions, or expressions with a random draw (data).

An equation must turn red (raise, whatever the exception) for every mutant that reaches only *one*
of its sides; what reaches both, like data or an objective evaluated twice, is common ground of
which an identity stays true. Where no formula belongs to one side, and for inequalities and
errata without a corrected form, one `LedgerError` among the mutants and negated values is enough.

A line of `equivalent.csv`, or the comment ``# mutation: equivalent`` at the end of a line, excuses
the mutants of expressions that start on it.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import io
import signal
import textwrap
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support import equivalent
from support.equivalent import COMMENT
from support.scanning import ledger_calls, notebook_cells, scan_notebook
from umlbook.book.ledger.evidence import LedgerError

NOT_FORMULAS = {
    *((ast.Subscript, "slice"), (ast.Call, "keywords"), (ast.If, "test"), (ast.While, "test")),
    *((ast.FunctionDef, "args"), (ast.FunctionDef, "decorator_list"), (ast.Lambda, "args")),
}
COMPARERS = ("allclose", "isclose", "array_equal")
FLIPPED: dict[type[ast.operator], ast.operator] = {ast.Add: ast.Sub(), ast.Sub: ast.Add()}


@dataclass(frozen=True)
class Verdict:
    """What the mutants say of one ledger call; no complaints means that it looks."""

    id: str
    where: str
    mutants: int
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class _Mutant:
    old: ast.AST
    new: ast.AST

    def __str__(self) -> str:
        return f"survived: `{ast.unparse(self.old):.70}` -> `{ast.unparse(self.new):.70}`"


def _roots(target: ast.AST) -> set[str]:
    """The variables that an assignment to `target`, or a method call on it, changes."""
    if isinstance(target, ast.Tuple | ast.List):
        return set().union(*map(_roots, target.elts))
    if isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        return _roots(target.value)
    return {target.id} if isinstance(target, ast.Name) else set()


def _bindings(statements: Iterable[ast.stmt]) -> Iterator[tuple[set[str], ast.AST]]:
    """Pairs (variables, the expression or function that they come from), nested blocks too."""
    for node in statements:
        match node:
            case ast.FunctionDef():
                yield {node.name}, node
                continue
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                yield from ((_roots(n), v) for n, v in zip(names, values, strict=False))
            case ast.Assign():
                yield set().union(*map(_roots, node.targets)), node.value
            case ast.AugAssign():
                yield _roots(node.target), node
            case ast.For():
                yield _roots(node.target), node.iter
            case ast.Expr(value=ast.Call(func=ast.Attribute()) as call):  # left.append(...)
                yield _roots(call.func), call
        for block in ("body", "orelse"):
            yield from _bindings(getattr(node, block, []))


def _free(node: ast.AST) -> set[str]:
    """The variables that a node takes from outside."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    inside = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    inside |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    return {n.id for n in names} - inside


def _reached(root: ast.expr, bindings: list[tuple[set[str], ast.AST]]) -> list[ast.AST]:
    """The root and everything that it is computed from, as far as the notebook shows it."""
    nodes: list[ast.AST] = [root]
    for node in nodes:  # grows while it is walked
        wanted = _free(node)
        nodes += [n for names, n in bindings if names & wanted and n not in nodes]
    return nodes


def _condition_sides(condition: ast.expr) -> tuple[list[ast.expr], bool]:
    """The sides of the one equality in a condition, else all of it; no order is strict."""
    equalities: list[list[ast.expr]] = []
    for node in ast.walk(condition):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                equalities.append([left, right])
            case ast.Call(func=ast.Attribute(attr=name), args=[a, b, *_]) if name in COMPARERS:
                equalities.append([a, b])
            case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE():
                return [condition], False
    return (equalities[0] if len(equalities) == 1 else [condition]), True


def _sides(call: ast.Call) -> tuple[list[ast.expr], bool]:
    """The sides of a ledger call, and whether every mutant of one side must turn it red."""
    given = {k.arg: k.value for k in call.keywords}
    match ast.unparse(call.func), call.args[1:], given:
        case "erratum", _, {"corrected": ast.Tuple(elts=[left, right])}:
            return [left, right], True
        case "erratum", _, {"corrected": form} if not isinstance(form, ast.Constant):
            return _condition_sides(form)
        case "erratum", _, {"printed": form}:
            return [form], False
        case ("check_true", [condition, *_], _) | ("check_true", [], {"condition": condition}):
            return _condition_sides(condition)
        case "check", [left, right], _:
            return [left, right], True
        case "check", [left], {"right": right}:
            return [left, right], True
        case "check", [left], {"below": bound} | {"above": bound}:
            return [left, bound], False
    return [ast.Tuple(call.args[1:], ast.Load())], False  # check(id, *zip(*pairs))


def _formulas(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and the nodes below it that belong to a formula."""
    yield node
    for name, value in ast.iter_fields(node):
        if (type(node), name) not in NOT_FORMULAS:
            for child in value if isinstance(value, list) else [value]:
                yield from _formulas(child) if isinstance(child, ast.AST) else ()


def rewrites(node: ast.AST) -> Iterator[ast.AST]:
    """A formula with one sign flipped or one factor dropped at its top."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            yield ast.BinOp(node.left, FLIPPED[type(node.op)], node.right)
        case ast.BinOp(op=ast.Mult() | ast.MatMult()):
            for kept, dropped in ((node.left, node.right), (node.right, node.left)):
                if not isinstance(getattr(dropped, "op", None), ast.Mult | ast.MatMult):
                    yield kept  # each factor of a longer product falls once
        case ast.BinOp(op=ast.Div() | ast.Pow()):
            yield node.left
        case ast.UnaryOp(op=ast.USub()) if not isinstance(node.operand, ast.Constant):
            yield node.operand
        case ast.AugAssign(op=ast.Add() | ast.Sub()):
            yield ast.AugAssign(node.target, FLIPPED[type(node.op)], node.value)
        case ast.AugAssign(op=ast.Mult() | ast.Div()):
            yield ast.Pass()


def _negations(node: ast.AST) -> Iterator[ast.AST]:
    """Values whose negation a check should notice: the whole, operands, arguments of calls."""
    values = [node]
    for part in _formulas(node):
        values += [part.left, *part.comparators] if isinstance(part, ast.Compare) else []
        values += part.args if isinstance(part, ast.Call) else []
    for value in values:
        if isinstance(value, ast.Call | ast.BinOp | ast.Attribute | ast.Subscript):
            yield value


def _is_draw(node: ast.AST) -> bool:
    """Whether a generator (a name with ``rng``) or a ``random_state`` has a part in it."""
    seeded = any(isinstance(n, ast.keyword) and n.arg == "random_state" for n in ast.walk(node))
    return seeded or any("rng" in name for name in _free(node))


def _mutants(nodes: list[ast.AST], negate: bool = False) -> list[_Mutant]:
    made = [_Mutant(old, new) for n in nodes for old in _formulas(n) for new in rewrites(old)]
    if negate:
        values = (v for n in nodes for v in _negations(n) if isinstance(v, ast.expr))
        made += [_Mutant(v, ast.UnaryOp(ast.USub(), v)) for v in values]
    return [m for m in made if not _is_draw(m.old)]


def rewritten(function: Callable[..., object]) -> Iterator[Callable[..., object]]:
    """Versions of a function with one formula broken, in it or in those beside it that it calls."""
    room = function.__module__.split(".")[0]
    own = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    called = [
        f for n in sorted(_free(own[0])) if inspect.isfunction(f := function.__globals__.get(n))
    ]
    called = [f for f in called if f.__module__.split(".")[0] == room]
    own += [ast.parse(inspect.getsource(f)).body[0] for f in called]
    for node in own:
        node.decorator_list = []
    for mutant in _mutants([part for node in own for part in node.body]):
        namespace = {k: v for f in [*called, function] for k, v in f.__globals__.items()}
        memo: dict[int, object] = {
            id(mutant.old): ast.copy_location(copy.deepcopy(mutant.new), mutant.old)
        }
        _run(copy.deepcopy(own, memo), namespace, "mutant")
        yield namespace[function.__name__]


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after `seconds` of processor time: a mutant may loop for ever.

    One that waits for ever is stopped after ten times as many real seconds. (No limit on Windows.)
    """

    def stop(signum: int, frame: object) -> None:
        raise TimeoutError(f"still running after {seconds:.0f} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    timers = [
        (signal.ITIMER_PROF, signal.SIGPROF, seconds),
        (signal.ITIMER_REAL, signal.SIGALRM, 10 * seconds),
    ]
    before = [signal.signal(number, stop) for _, number, _ in timers]
    try:
        for timer, _, after in timers:
            signal.setitimer(timer, after)
        yield
    finally:
        for timer, _, _ in timers:
            signal.setitimer(timer, 0)
        for (_, number, _), handler in zip(timers, before, strict=True):
            signal.signal(number, handler)


def _run(body: list[ast.stmt], namespace: dict[str, object], where: str) -> None:
    module = ast.fix_missing_locations(ast.Module(body, type_ignores=[]))
    quiet = io.StringIO()
    with redirect_stdout(quiet), redirect_stderr(quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            exec(compile(module, where, "exec"), namespace)


def _copied(namespace: dict[str, object], names: set[str]) -> dict[str, object]:
    """The namespace with `names` copied, as a cell may change them; what refuses is shared."""
    copies = dict(namespace)
    memo: dict[int, object] = {}
    for name in names & namespace.keys():
        if type(copies[name]).__module__.split(".")[0] not in ("matplotlib", "ipywidgets"):
            try:
                copies[name] = copy.deepcopy(copies[name], memo)
            except Exception:  # modules, generators and the like refuse in their own ways
                continue
    return copies


@dataclass
class _Cell:
    """A cell with ledger calls, the functions defined before it, the values it starts from."""

    tree: ast.Module
    functions: dict[str, ast.stmt]
    namespace: dict[str, object]
    escaped: set[ast.AST]

    def __post_init__(self) -> None:
        self.names = set().union(*map(_free, [self.tree, *self.functions.values()]))
        self.names |= {name for names, _ in _bindings(self.tree.body) for name in names}
        self.start = _copied(self.namespace, self.names)

    def outcome(self, call: ast.Call, mutant: _Mutant | None, limit: float) -> Exception | None:
        """What the cell raises up to `call`, the only ledger call left in it; None is green."""
        until = next(i for i, s in enumerate(self.tree.body) if call in ast.walk(s))
        program = self.tree.body[: until + 1]
        # deepcopy looks an object up in the memo first: that is how a node is replaced
        others = [c for c, _ in ledger_calls(self.tree, "") if c is not call]
        memo: dict[int, object] = {id(other): ast.Constant(None) for other in others}
        if mutant is not None:
            memo[id(mutant.old)] = ast.copy_location(copy.deepcopy(mutant.new), mutant.old)
            changed = [f for f in self.functions.values() if mutant.old in ast.walk(f)]
            program = [*changed, *program]
        try:
            with _time_limit(limit):
                _run(copy.deepcopy(program, memo), self.namespace, "mutant")
        except Exception as error:
            return error
        finally:  # into the same dictionary: the notebook's functions look their names up in it
            self.namespace.clear()
            self.namespace.update(_copied(self.start, self.names))
        return None

    def verdict(self, call: ast.Call) -> tuple[int, tuple[str, ...]]:
        """The number of mutants tried, and what is wrong with the call."""
        sides, strict = _sides(call)
        if len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1]):
            return 0, ("compares an expression with itself",)
        start = time.process_time()
        if (error := self.outcome(call, None, 600.0)) is not None:
            return 0, (f"fails when its cell is run again: {error}",)
        limit = 2.0 + 10 * (time.process_time() - start)
        bindings = [*_bindings(self.functions.values()), *_bindings(self.tree.body)]
        reached = [_reached(side, bindings) for side in sides]
        nodes = list(dict.fromkeys(n for side in reached for n in side))
        own = [n for n in nodes if len(sides) == 1 or not all(n in side for side in reached)]
        needed = [m for m in _mutants(own) if m.old not in self.escaped]
        if strict and needed:
            alive = [m for m in needed if self.outcome(call, m, limit) is None]
            return len(needed), tuple(map(str, alive))
        tried = _mutants(nodes, negate=True)
        for count, mutant in enumerate(tried, start=1):
            if isinstance(self.outcome(call, mutant, limit), LedgerError):
                return count, ()
        nothing = "no formula of this call stands in its cell or in the notebook's functions"
        return len(tried), tuple(map(str, tried)) or (nothing,)


def _function_names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.Assign([ast.Name(id=name)], ast.Lambda()):
            yield name


def verdicts(path: Path) -> list[Verdict]:
    """Run a notebook and try the mutants of every ledger call in it.

    Parameters
    ----------
    path : Path
        The notebook. Its code cells run in this process, without a kernel: no magics; a stream
        that is read across cells must be a list, since a generator cannot be copied.

    Returns
    -------
    list of Verdict
        One for each call, in order; good ones have no complaints.
    """
    quiet = {"display": lambda *args, **kwargs: None}
    namespace: dict[str, object] = {"__name__": "__main__", "__builtins__": builtins, **quiet}
    functions: dict[str, ast.stmt] = {}
    escaped: set[ast.AST] = set()
    found: list[Verdict] = []
    expected = len(scan_notebook(path).calls)
    equal = equivalent.equivalent_lines(path.stem)
    for i, (kind, source, tags) in enumerate(notebook_cells(path)):
        if kind != "code" or len(found) == expected:  # nothing is left to try after the last
            continue
        where, lines = f"{path.name}, cell {i}", source.splitlines()
        tree = ast.parse(source, where)
        commented = {line for line, _ in equivalent.commented(source)}
        excused = [COMMENT.sub("", line).strip() in equal | commented for line in lines]
        escaped |= {n for n in ast.walk(tree) if lines and excused[getattr(n, "lineno", 1) - 1]}
        with chdir(path.parent):
            if calls := ledger_calls(tree, where):
                cell = _Cell(tree, functions, namespace, escaped)
                found += [Verdict(c.id, c.where, *cell.verdict(node)) for node, c in calls]
            try:
                _run(tree.body, namespace, where)
            except Exception:
                if "raises-exception" not in tags:
                    raise
        functions |= {name: s for s in tree.body for name in _function_names(s)}
    return found
