"""Python functions applied to the elements of arrays: `vectorize`, compiled.

The function becomes the body of a loop over the elements, which the compiler of loops compiles. The
function has no effects, or it would not be compiled; so the elements may be computed in any order,
on several threads, and where compiled code is left, NumPy begins again from the first element. So
it does where a floating-point flag was raised, as it warns of those of Python's own arithmetic.
A function of which kernels can do all becomes operations on whole arrays instead
(`if_conversion`).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops.array_functions import Left, converted, result_types
from fastnp._loops.compiler import Compiled, compile_tasks
from fastnp._loops.functions import StoredCall
from fastnp._loops.loop import Loop
from fastnp._loops.names import Names
from fastnp._loops.outcome import Refusal
from fastnp._loops.source import as_statements
from fastnp._loops.types import MEMORY, Number

# Seconds that a function must be expected to take in the interpreter to be compiled, which takes
# about as long, and what a call is expected to take before one was measured.
COMPILE_AFTER = 4e-3
CALL = 1e-6
# Versions for other types and layouts, and compilations for other values of what a function finds
# outside of it.
MAX_VERSIONS = 64
MAX_CHANGES = 8
# Seconds of work from which it is shared between threads, and that a task takes: interrupts are
# looked for between two tasks.
SHARED_FROM = 1e-4
TASK = 1e-2
# Parts of the work of which the first is run alone, to find out how long it takes.
PARTS = 64
CONVERSIONS = {"b": "bool", "i": "int", "u": "int", "f": "float"}


class ElementLoop:
    """A Python function, compiled as the body of a loop over elements, for the types it meets.

    `seconds` is what the interpreter took for it so far, `elements` how many calls that was.
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.seconds, self.elements = 0.0, 0
        self.versions: dict[object, Compiled | Refusal] = {}
        self.changes = 0
        self.stored: dict[str, StoredCall] = {}
        self.array_functions: dict[object, Any] = {}
        self.chars: dict[str, str | None] = {}

    def is_worth(self, elements: int) -> bool:
        """Whether compiling costs less than to call the function so often."""
        a_call = self.seconds / self.elements if self.elements else CALL
        return self.seconds + a_call * elements > COMPILE_AFTER

    def fused(self, arguments: Sequence[Any], otypes: str | None) -> list[Any] | None:
        """The function of arrays and numbers as operations on whole arrays, recorded; `None` where
        it has loops that are no loops of kernels, or there are numbers for which Python would
        raise.
        """
        given = [as_argument(x) for x in arguments]
        if any(x is None for x in given) or self.changes > MAX_CHANGES:
            return None
        key = (otypes, *(x.dtype.char for x in given))
        if key not in self.array_functions:
            chars = otypes or self.result_chars(given)
            inputs = [x.dtype.char for x in given]
            self.array_functions[key] = chars and converted(self.function, inputs, chars)
        function = self.array_functions[key]
        try:
            results = function.apply([widened(x) for x in given]) if function else None
        except Left:
            return None
        if results is None:
            if function:
                # What it finds outside of it has changed; the next call converts it again.
                self.changes += 1
                del self.array_functions[key]
            return None
        # A function that does not look at an argument has results of another shape.
        shape = numpy.broadcast_shapes(*(x.shape for x in given))
        return results if all(x.shape == shape for x in results) else None

    def run(self, inputs: Sequence[Any], chars: str) -> list[numpy.ndarray] | None:
        """New arrays of these types with the function of the elements of `inputs`, arrays and
        numbers; `None` where that is not possible.
        """
        arrays = [x for x in inputs if isinstance(x, numpy.ndarray)]
        outputs: list[Any] = [None] * len(chars)
        if any(0 in x.strides for x in arrays):
            # NumPy copies its arguments first, and its copies of views that repeat elements do not.
            copies = [numpy.empty_like(x) if 0 in x.strides else x for x in arrays]
            outputs = list(iteration(copies, outputs, chars).operands[len(arrays) :])
        iterator = iteration(arrays, outputs, chars)
        # With axes in the order of memory, and as few as possible.
        views = [numpy.atleast_1d(view) for view in iterator.itviews]
        names = self.names(inputs, views, chars)
        turns = views[0].shape[0]
        loop = self.version(names, inputs, chars)
        if isinstance(loop, Refusal):
            return None
        done = run_in_parallel(loop, names, turns)
        if done is None:
            # What the function finds outside of it has changed.
            loop = self.version(names, inputs, chars, again=True)
            done = None if isinstance(loop, Refusal) else run_in_parallel(loop, names, turns)
        return list(iterator.operands[len(arrays) :]) if done else None

    def result_chars(self, inputs: Sequence[Any]) -> str | None:
        """The types of the results as NumPy finds them, by calling the function with scalars of its
        own, if all paths of the function have the same.
        """
        chars = ["l" if char == "q" else char for char in map(char_of, inputs)]
        key = "".join(chars)
        if key not in self.chars:
            self.chars[key] = result_types(self.function, [Number(char) for char in chars])
        return self.chars[key]

    def is_refused(self, inputs: Sequence[Any]) -> bool:
        """Whether the function cannot be compiled for inputs of these types; compiles it."""
        whole = all(
            x.dtype.kind in "bui" if hasattr(x, "dtype") else type(x) is int for x in inputs
        )
        chars = ("l" if whole else "d") * results_at_a_time(self.function)
        views = [x.reshape(-1)[:1] for x in inputs if isinstance(x, numpy.ndarray)]
        views += [numpy.empty((1,), char) for char in chars]
        return isinstance(self.version(self.names(inputs, views, chars), inputs, chars), Refusal)

    def names(self, inputs: Sequence[Any], views: Sequence[numpy.ndarray], chars: str) -> Names:
        """The names that the loop sees: `views` are those of the inputs that are arrays, then those
        of the results.
        """
        # The same object each time: the guards compare it by identity.
        stored = self.stored.setdefault(chars, StoredCall(self.function, chars.replace("q", "l")))
        names: dict[str, Any] = {"function": stored}
        remaining = iter(views)
        for i, x in enumerate(inputs):
            names[f"x{i}"] = next(remaining) if isinstance(x, numpy.ndarray) else x
        names.update({f"out{i}": view for i, view in enumerate(remaining)})
        names.update({f"n{axis}": n for axis, n in enumerate(views[0].shape) if axis})
        return Names({}, names, frozenset())

    def version(
        self, names: Names, inputs: Sequence[Any], chars: str, again: bool = False
    ) -> Compiled | Refusal:
        """The loop, compiled for the types that the names have; `again` if it was and no more is
        right.
        """
        axes = names["out0"].ndim
        key = (chars, axes, *(kind_of(names[f"x{i}"]) for i in range(len(inputs))))
        if key not in self.versions or again:
            self.changes += again
            line = self.function.__code__.co_firstlineno
            if self.changes > MAX_CHANGES:
                self.versions[key] = Refusal(line, "what the function finds outside of it changes")
            elif len(self.versions) >= MAX_VERSIONS:
                return Refusal(line, "too many combinations of types and layouts")
            else:
                loop = loop_over(names, len(inputs), len(chars), axes)
                self.versions[key] = compile_tasks(loop, names, range(1), looks_at_status=True)
        return self.versions[key]


def iteration(arrays: Sequence[Any], outputs: Sequence[Any], chars: str) -> numpy.nditer:
    """NumPy's iterator over arrays that broadcast, and new ones where an output is `None`."""
    flags: list[Any] = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]] * len(chars)
    types = [None] * len(arrays) + [numpy.dtype(char) for char in chars]
    return numpy.nditer([*arrays, *outputs], op_flags=flags, op_dtypes=types, order="K")


def char_of(value: Any) -> str:
    """The type of an array's elements, or of NumPy's scalar for a number."""
    found = getattr(value, "dtype", None)
    return found.char if found is not None else numpy.asarray(value).dtype.char


def kind_of(value: Any) -> object:
    """What of an input decides about the code."""
    if isinstance(value, numpy.ndarray):
        return value.dtype.char, value.strides[-1] == value.itemsize
    return type(value)


def loop_over(names: Names, inputs: int, outputs: int, axes: int) -> Loop:
    """The loop that calls the function with Python's numbers, as NumPy does, and stores its result.

    >>> import numpy
    >>> x = numpy.zeros((2, 3))
    >>> names = Names({}, {"x0": x, "x1": 2, "out0": x}, frozenset())
    >>> print(ast.unparse(loop_over(names, 2, 1, 2).node))
    for i0 in turns:
        for i1 in range(n1):
            out0[i0, i1] = function(float(x0[i0, i1]), x1)
    """
    index = ", ".join(f"i{axis}" for axis in range(axes))
    arguments = []
    for i in range(inputs):
        value = names[f"x{i}"]
        if isinstance(value, numpy.ndarray):
            arguments.append(f"{CONVERSIONS[value.dtype.kind]}(x{i}[{index}])")
        else:
            arguments.append(f"x{i}")
    targets = ", ".join(f"out{i}[{index}]" for i in range(outputs))
    lines = ["for i0 in turns:"]
    lines += [f"{' ' * axis}for i{axis} in range(n{axis}):" for axis in range(1, axes)]
    lines.append(f"{' ' * axes}{targets} = function({', '.join(arguments)})")
    node: Any = ast.parse("\n".join(lines)).body[0]
    loop = Loop(node, "<elements>", True)
    loop.resumable = frozenset(range(len(loop.statements)))
    return loop


def run_in_parallel(loop: Compiled, names: Names, turns: int) -> bool | None:
    """Runs all turns, on several threads if there is work enough; whether no turn was left.

    `None` if the loop was compiled for other types.
    """
    for part, tasks in tasks_for(range(turns)):
        left = loop.run_tasks(names, part, tasks)
        if left is None or left:
            return None if left is None else False
    return True


def tasks_for(turns: range) -> Iterator[tuple[range, int]]:
    """Parts of the turns of a loop, and in how many tasks to run each: a first part alone, and the
    others as long as it took.
    """
    first = max(1, len(turns) // PARTS)
    begun = perf_counter()
    yield turns[:first], 1
    rest = turns[first:]
    seconds = (perf_counter() - begun) * len(rest) / first
    if rest and seconds > SHARED_FROM:
        fewest = 4 * _fastnp.threads_of_this_thread()
        yield rest, min(len(rest), max(fewest, math.ceil(seconds / TASK)))
    elif rest:
        yield rest, 1


def as_input(value: Any) -> Any:
    """An array of a type that compiled code loads, or one of Python's numbers; else `None`."""
    import fastnp  # the package imports this module

    if isinstance(value, (list, tuple)):
        value = numpy.asarray(value)
    # Every array of NumPy's is an instance of ours.
    if type(value) is fastnp.ndarray:
        ours: Any = value
        value = _fastnp.to_numpy(ours)
    if (type(value) is numpy.ndarray and value.ndim == 0) or isinstance(value, numpy.generic):
        value = value.item() if value.dtype.char in MEMORY or value.dtype.char in "qLQ" else None
    if type(value) is numpy.ndarray:
        return value if is_loaded(value.dtype) and value.flags.aligned else None
    return value if type(value) in (bool, int, float) else None


def as_argument(value: Any) -> Any:
    """An array, or a scalar of NumPy's, that operations take in place of Python's numbers."""
    import fastnp  # the package imports this module

    if type(value) in (bool, int, float) or isinstance(value, numpy.generic):
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            return None
        value = numpy.asarray(value)[()]
    elif not (type(value) is fastnp.ndarray or type(value) is numpy.ndarray) or value.ndim == 0:
        return None
    elif 0 in value.strides:
        return None  # NumPy's copies of such views decide about the order of the result.
    return value if is_loaded(value.dtype) else None


def is_loaded(dtype: numpy.dtype[Any]) -> bool:
    """Whether compiled code loads elements of a type."""
    return (dtype.char in MEMORY or dtype.char == "q") and dtype.isnative


def widened(value: Any) -> Any:
    """An array of the type that Python's numbers have: `int64`, `float64` or `bool`."""
    char = {"i": "l", "u": "l", "f": "d"}.get(value.dtype.kind)
    return value if char is None or value.dtype.char == char else value.astype(char)


def results_at_a_time(function: FunctionType) -> int:
    """How many numbers a function returns, as far as its source shows."""
    source = as_statements(function)
    found = {
        len(node.value.elts) if isinstance(node.value, ast.Tuple) else 1
        for statement in (source[1] if source else [])
        for node in ast.walk(statement)
        if isinstance(node, ast.Return)
    }
    return found.pop() if len(found) == 1 else 1
