"""`parallel_for`, `parallel_reduce`, `parallel_scan`: Python functions of an index, compiled, on
several threads.

A work item is a function of the index and of what all items share. The items of `parallel_for`
become the body of a loop, whose turns run in any order; what compiled code leaves, the interpreter
ends, each task for itself. Those of a reduction and a scan have no effects, or are interpreted.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy

from fastnp import _fastnp
from fastnp._loops import compiler
from fastnp._loops.elementwise import tasks_for
from fastnp._loops.jit import with_sites
from fastnp._loops.loop import Loop, in_scope
from fastnp._loops.names import Names
from fastnp._loops.outcome import DONE, Outcome, Refusal
from fastnp._loops.site import Site
from fastnp._loops.source import defining, source_text
from fastnp._loops.types import MEMORY
from fastnp._state import loops as _switch

__all__ = ["parallel_for", "parallel_reduce", "parallel_scan"]

# Indices of a part of a reduction or scan, at least, and parts at most: they depend on the extent
# alone, so a result does not depend on the number of threads.
PART = 4096
MAX_PARTS = 64
_HIDDEN = "__fastnp_"


def parallel_for(extent: int | Sequence[int], item: Callable[..., Any], *arguments: Any) -> None:
    """Call `item(i, *arguments)` for each index below `extent`, or `item(i, j, *arguments)` for
    each pair below an extent of two integers, and so on, in any order and on several threads.

    No item may read what another one stores. What an item returns is dropped. If one raises, those
    with other indices may have run or not.

    >>> import fastnp as np
    >>> def axpy(i, a, x, y):
    ...     y[i] += a * x[i]
    >>> x, y = np.arange(4.0), np.ones(4)
    >>> np.parallel_for(4, axpy, 2.0, x, y)
    >>> y
    array([1., 3., 5., 7.])
    """
    shape = _shape(extent)
    loop = _item_loop(item, len(shape)) if _switch.enabled() else None
    if loop is None or len(arguments) != loop.arguments:
        for index in itertools.product(*map(range, shape)):
            item(*index, *arguments)
    elif math.prod(shape):
        loop.run(shape, arguments)


def parallel_reduce(
    extent: int | Sequence[int],
    item: Callable[..., Any],
    *arguments: Any,
    initial: Any = 0.0,
    combine: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """The last of the values `s = item(i, s, *arguments)` over all indices below `extent` in their
    order, the first with `s = initial`; `initial` if there are none.

    `s` is a number or a tuple of numbers. With `combine`, an associative function of two values of
    which `initial` is the neutral element, parts of the indices are computed at once, each from
    `initial` on, and combined in their order. The parts depend on the extent alone.

    >>> import fastnp as np
    >>> def dot(i, s, x, y):
    ...     return s + x[i] * y[i]
    >>> x = np.arange(4.0)
    >>> float(np.parallel_reduce(4, dot, x, x, combine=lambda a, b: a + b))
    14.0
    """
    shape = _shape(extent)
    scan = _Scan(shape, item, arguments, initial)
    return scan.reduced(combine)


def parallel_scan(
    extent: int | Sequence[int],
    item: Callable[..., Any],
    *arguments: Any,
    initial: Any = 0.0,
    combine: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """All values that `parallel_reduce` goes through: an array of the shape `extent`, or a tuple of
    such where the values are tuples.

    With `combine` the parts are computed twice: first their last values, then all of them. That
    pays where an item computes more than it loads.

    >>> import fastnp as np
    >>> def step(i, s, a, b):
    ...     return a[i] * s + b[i]
    >>> a, b = np.full(4, 0.5), np.ones(4)
    >>> np.parallel_scan(4, step, a, b)
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    shape = _shape(extent)
    scan = _Scan(shape, item, arguments, initial)
    return scan.scanned(combine)


for _function in (parallel_for, parallel_reduce, parallel_scan):
    _function.__module__ = "fastnp"


def _shape(extent: int | Sequence[int]) -> tuple[int, ...]:
    shape = (extent,) if hasattr(extent, "__index__") else tuple(extent)
    found = tuple(n.__index__() for n in shape)
    if not found or any(n < 0 for n in found):
        raise ValueError(f"an extent is one or more integers that are not negative, not {extent}")
    return found


# --- parallel_for -----------------------------------------------------------------------------


class _ItemLoop:
    """A function whose outermost loop has the body of a work item."""

    def __init__(self, item: FunctionType, node: ast.FunctionDef, axes: int) -> None:
        self.function, unit = with_sites(item, node)
        self.site = next(site for site in unit.sites if site.depth == 0)
        self.versions: list[compiler.Compiled] = []
        self.arguments = item.__code__.co_argcount - axes
        for site in unit.sites:
            site.is_eager = True

    def run(self, shape: tuple[int, ...], arguments: Sequence[Any]) -> None:
        """Runs all items; what tasks have left is ended by the interpreter."""
        tasks = _Tasks(self.site, self.versions)
        self.site.compiled = [tasks]
        self.site.revive()
        self.function(range(shape[0]), *shape[1:], *arguments)
        for outcome in tasks.left:
            resumed = _Resumed(outcome, self.versions)
            # However often it was left: what a task has begun must be ended.
            self.site.compiled = [resumed]
            self.site.revive()
            self.function(outcome.iterators[0], *shape[1:], *arguments)
            if resumed.outcome is not None:
                raise RuntimeError("a debugger was started while items of parallel_for ran")


class _Tasks:
    """The compiled loop of a site, whose turns are run in parts on several threads.

    If several parts are left before their end, `run` returns the outcome of the first, and `left`
    has those of the others.
    """

    copies_lists = is_for_others = False
    quick = None

    def __init__(self, site: Site, versions: list[compiler.Compiled]) -> None:
        self.site, self.versions = site, versions
        self.left: list[Outcome] = []

    def run(self, names: Names, source: Any) -> Outcome | None:
        if not isinstance(source, range):
            return None
        for loop in self.versions:
            outcome = self.shared(loop, names, source)
            if outcome is not None:
                return outcome
        compiled = compiler.compile_tasks(self.site, names, source)
        if isinstance(compiled, Refusal):
            return None
        self.versions.append(compiled)
        return self.shared(compiled, names, source)

    def shared(self, loop: compiler.Compiled, names: Names, turns: range) -> Outcome | None:
        left: list[Outcome] = []
        for part, tasks in tasks_for(turns):
            found = loop.run_tasks(names, part, tasks)
            if found is None:
                return None
            left += found
        self.left += left[1:]
        return left[0] if left else Outcome(DONE, turns=len(turns))

    def describe(self) -> str:
        return described(self.versions)


class _Resumed:
    """A run that has been left already: the first call of `run` returns its outcome, later calls
    run the turns that remain.
    """

    copies_lists = is_for_others = False
    quick = None

    def __init__(self, outcome: Outcome, versions: list[compiler.Compiled]) -> None:
        self.outcome: Outcome | None = outcome
        self.versions = versions

    def run(self, names: Names, source: Any) -> Outcome | None:
        if self.outcome is not None:
            first, self.outcome = self.outcome, None
            return first
        for loop in self.versions:
            outcome = loop.run(names, source)
            if outcome is not None:
                return outcome
        return None

    def describe(self) -> str:
        return described(self.versions)


def described(versions: Sequence[compiler.Compiled]) -> str:
    return "\n".join(loop.describe() for loop in versions)


_LOOPS: WeakKeyDictionary[FunctionType, dict[int, _ItemLoop | None]] = WeakKeyDictionary()


def _item_loop(item: Any, axes: int) -> _ItemLoop | None:
    """The loop of a work item over so many axes, if its source is one that can be a loop's body."""
    if not isinstance(item, FunctionType):
        return None
    known = _LOOPS.setdefault(item, {})
    if axes not in known:
        try:
            node = defining(item, ast.parse(source_text(item)))
        except (OSError, SyntaxError):
            node = None
        looped = _looped(node, axes) if isinstance(node, ast.FunctionDef) else None
        known[axes] = None if looped is None else _ItemLoop(item, looped, axes)
    return known[axes]


def _looped(node: ast.FunctionDef, axes: int) -> ast.FunctionDef | None:
    """The function with its body as that of a loop over the first parameters."""
    a = node.args
    plain = not (a.vararg or a.kwarg or a.kwonlyargs or a.defaults)
    parameters = [argument.arg for argument in (*a.posonlyargs, *a.args)]
    scope = list(in_scope(*node.body))
    declares = any(isinstance(n, (ast.Global, ast.Nonlocal, ast.Yield, ast.Await)) for n in scope)
    if not plain or len(parameters) < axes or declares:
        return None
    body = _Continuing()
    statements = [body.visit(copy.deepcopy(statement)) for statement in node.body]
    if body.returns_from_loop:
        return None
    stored = {n.id for n in scope if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    shared = parameters[axes:]
    # A parameter that an item binds anew is as it was for the next item.
    hidden = {name: f"{_HIDDEN}{name}" for name in shared if name in stored}
    line = node.lineno
    for name, kept in hidden.items():
        statements.insert(0, ast.parse(f"{name} = {kept}").body[0])
    extents = [f"{_HIDDEN}n{axis}" for axis in range(1, axes)]
    loop: Any = statements
    for axis in reversed(range(axes)):
        over = f"range({extents[axis - 1]})" if axis else f"{_HIDDEN}turns"
        head: Any = ast.parse(f"for {parameters[axis]} in {over}: pass").body[0]
        head.body = loop
        loop = [head]
    names = [f"{_HIDDEN}turns", *extents, *(hidden.get(name, name) for name in shared)]
    made: Any = ast.parse(f"def {node.name}({', '.join(names)}): pass").body[0]
    made.body = loop
    part: Any
    for part in ast.walk(made):
        if getattr(part, "lineno", line) == 1 != line:
            part.lineno = part.end_lineno = line
    return made


class _Continuing(ast.NodeTransformer):
    """Makes `return` go on with the next item."""

    def __init__(self) -> None:
        self.loops = 0
        self.returns_from_loop = False

    def visit_Return(self, node: ast.Return) -> Any:
        self.returns_from_loop |= self.loops > 0
        made: list[ast.stmt] = [ast.Expr(node.value)] if node.value is not None else []
        return [ast.copy_location(s, node) for s in [*made, ast.Continue()]]

    def visit_For(self, node: ast.For) -> Any:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node


# --- parallel_reduce, parallel_scan -----------------------------------------------------------

_PARTS = """\
for part in parts:
    s = {start}
    for i in range(int(bounds[part]), int(bounds[part + 1])):
        s = item({index}, s{arguments})
        {each}
    {last}
"""
_SEQUENCE = """\
for i in turns:
    s = item({index}, s{arguments})
    {each}
"""


class _Scan:
    """A reduction or scan over the indices of a shape, in C order."""

    def __init__(
        self,
        shape: tuple[int, ...],
        item: Callable[..., Any],
        arguments: Sequence[Any],
        initial: Any,
    ) -> None:
        self.shape, self.size = shape, math.prod(shape)
        self.initial = initial
        self.names: dict[str, Any] = {"item": item, "initial": initial}
        self.names.update({f"x{i}": x for i, x in enumerate(arguments)})
        self.names.update({f"n{axis}": n for axis, n in enumerate(shape)})
        rest, index = "i", [""] * len(shape)
        for axis in reversed(range(len(shape))):
            index[axis] = f"{rest} % n{axis}" if axis else rest
            rest = f"{rest} // n{axis}"
        self.fields = {
            "index": ", ".join(index),
            "arguments": "".join(f", x{i}" for i in range(len(arguments))),
            "each": "pass",
            "last": "pass",
            "start": "initial",
        }
        # The first value says of which types the values are.
        self.first = item(*(0,) * len(shape), initial, *arguments) if self.size else initial

    def items(self) -> tuple[Any, ...]:
        return self.first if isinstance(self.first, tuple) else (self.first,)

    def arrays(self, prefix: str, length: int) -> list[numpy.ndarray] | None:
        """New arrays for values, which the loop knows by names; `None` if they are no numbers."""
        dtypes = [numpy.asarray(value).dtype for value in self.items()]
        if any(dtype.char not in MEMORY for dtype in dtypes):
            return None
        made = [numpy.empty(length, dtype) for dtype in dtypes]
        self.names.update({f"{prefix}{i}": array for i, array in enumerate(made)})
        return made

    def targets(self, prefix: str, index: str) -> str:
        return ", ".join(f"{prefix}{i}[{index}]" for i in range(len(self.items())))

    def value(self, arrays: Sequence[Any], at: int) -> Any:
        """A value from arrays, of the class of the first one."""
        found = [array[at] for array in arrays]
        for i, value in enumerate(self.items()):
            found[i] = type(value)(found[i]) if type(value) in (bool, int, float) else found[i]
        return tuple(found) if isinstance(self.first, tuple) else found[0]

    def reduced(self, combine: Callable[[Any, Any], Any] | None) -> Any:
        if self.size <= 1:
            return self.first
        parts = self.parts()
        last = self.arrays("last", parts) if combine is not None and parts > 1 else None
        if combine is None or last is None:
            return self.sequence()
        self.fields["last"] = f"{self.targets('last', 'part')} = s"
        self.run(_PARTS, range(parts))
        total = self.first
        for part in range(parts):
            total = combine(total, self.value(last, part))
        return total

    def scanned(self, combine: Callable[[Any, Any], Any] | None) -> Any:
        out = self.arrays("out", self.size)
        if out is None:
            raise TypeError(f"parallel_scan gives arrays of numbers, not of {self.first!r}")
        if self.size:
            for array, value in zip(out, self.items(), strict=True):
                array[0] = value
        parts = self.parts()
        self.fields["each"] = f"{self.targets('out', 'i')} = s"
        if combine is None or parts < 2:
            if self.size > 1:
                self.sequence()
        else:
            last, start = self.arrays("last", parts), self.arrays("start", parts)
            assert last is not None
            assert start is not None
            fields = dict(self.fields)
            self.fields.update(each="pass", last=f"{self.targets('last', 'part')} = s")
            self.run(_PARTS, range(parts))
            before = self.first
            for part in range(parts):
                values = before if isinstance(before, tuple) else (before,)
                for array, value in zip(start, values, strict=True):
                    array[part] = value
                before = combine(before, self.value(last, part))
            starts = [f"start{i}[part]" for i in range(len(start))]
            for i, value in enumerate(self.items()):
                if type(value) in (bool, int, float):
                    starts[i] = f"{type(value).__name__}({starts[i]})"
            joined = ", ".join(starts)
            self.fields = {**fields, "start": f"({joined})" if len(starts) > 1 else joined}
            self.run(_PARTS, range(parts))
        made = tuple(_fastnp.adopt(array.reshape(self.shape)) for array in out)
        return made if isinstance(self.first, tuple) else made[0]

    def parts(self) -> int:
        """The number of parts that the indices after the first are cut into."""
        parts = min(MAX_PARTS, max(1, self.size // PART))
        self.names["bounds"] = 1 + numpy.arange(parts + 1) * (self.size - 1) // parts
        return parts

    def sequence(self) -> Any:
        """All values after the first, one after the other; the last one."""
        self.names["s"] = self.first
        return self.run(_SEQUENCE, range(1, self.size))["s"]

    def run(self, template: str, turns: range) -> dict[str, Any]:
        """Runs a loop compiled, or else in the interpreter; the names that it has bound."""
        text = template.format(**self.fields)
        node: Any = ast.parse(text).body[0]
        loop = Loop(node, "<items>", True)
        loop.resumable = frozenset(range(len(loop.statements)))
        names = Names({}, self.names, frozenset())
        compiled = compiler.compile_tasks(loop, names, turns) if _switch.enabled() else None
        if isinstance(compiled, compiler.Compiled):
            if template is _PARTS:
                if compiled.run_tasks(names, turns, len(turns)) == []:
                    return self.names
            else:
                outcome = compiled.run(names, turns)
                if outcome is not None and outcome.at == DONE:
                    return outcome.values
        # An item has no effects if it was compiled: what ran of it may run again.
        scope = dict(self.names, parts=turns, turns=turns)
        exec(compile(text, "<items>", "exec"), scope)
        return scope
