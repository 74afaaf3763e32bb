"""Python functions of two numbers, folded: `reduce`, `reduceat`, `accumulate` and `at` of what
`vectorize` returns, compiled.

A fold becomes the body of a loop over the lanes of an array, each of which is folded in order. As
in `elementwise`, the function has no effects, so where compiled code is left, `None` is returned,
and NumPy begins again from the first element.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy

from fastnp._loops.array_functions import PYTHON, chars_of, emitted
from fastnp._loops.compiler import Compiled, compile_tasks
from fastnp._loops.elementwise import (
    CONVERSIONS,
    MAX_VERSIONS,
    as_input,
    is_loaded,
    kind_of,
    run_in_parallel,
)
from fastnp._loops.emitter import Unsupported
from fastnp._loops.loop import Loop
from fastnp._loops.names import Names
from fastnp._loops.outcome import Refusal
from fastnp._loops.returns import DifferentTypes
from fastnp._loops.statements import Refused
from fastnp._loops.text import TooLong
from fastnp._loops.types import BOOL, FLOAT, INT, MEMORY, Type

REDUCE = """
for i in turns:
    for j in range(segments):
        s = {x}(x[i, first[j]])
        for k in range(first[j] + 1, last[j]):
            s = function(s, {x}(x[i, k]))
        out[i, j] = s
"""
REDUCE_FROM = """
for i in turns:
    s = initial
    for k in range(items):
        s = function(s, {x}(x[i, k]))
    out[i, 0] = s
"""
ACCUMULATE = """
for i in turns:
    s = {x}(x[i, 0])
    out[i, 0] = s
    for k in range(1, items):
        s = function(s, {x}(x[i, k]))
        out[i, k] = s
"""
AT_ONE = """
for i in turns:
    out[position[i]] = function({out}(out[position[i]]))
"""
AT_TWO = """
for i in turns:
    out[position[i]] = function({out}(out[position[i]]), {y}(y[i]))
"""
# Types that a value may have in turn before it keeps one: an integer, a float, and one to see it.
MAX_TYPES = 4
OF_PYTHON: dict[type, Type] = {bool: BOOL, int: INT, float: FLOAT}


class Folds:
    """The loops of one function, compiled for the types and layouts they meet."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.versions: dict[object, Compiled | Refusal] = {}
        self.types: dict[object, list[str] | None] = {}

    def reduced(
        self, lanes: numpy.ndarray, first: numpy.ndarray, last: numpy.ndarray, char: str | None
    ) -> numpy.ndarray | None:
        """Each lane folded from `first` to before `last`, for each pair of these: an array of lanes
        and pairs.
        """
        lengths = set((last - first).tolist())
        char = char or self.char_of_values(None, lanes, lengths)
        if char is None:
            return None
        out = numpy.empty((len(lanes), len(first)), char)
        segments = {"first": first, "last": last, "segments": len(first)}
        return out if self.run(REDUCE, {"x": lanes, "out": out, **segments}) else None

    def reduced_from(
        self, initial: Any, lanes: numpy.ndarray, char: str | None
    ) -> numpy.ndarray | None:
        """Each lane folded from a number of Python's on."""
        items = lanes.shape[1]
        char = char or self.char_of_values(initial, lanes, [items + 1])
        if char is None:
            return None
        out = numpy.empty((len(lanes), 1), char)
        names = {"x": lanes, "out": out, "initial": initial, "items": items}
        return out if self.run(REDUCE_FROM, names) else None

    def accumulated(self, lanes: numpy.ndarray, char: str | None) -> numpy.ndarray | None:
        """All values that folding each lane goes through."""
        items = lanes.shape[1]
        char = char or self.char_of_values(None, lanes, range(1, min(items, MAX_TYPES) + 1))
        if char is None:
            return None
        out = numpy.empty(lanes.shape, char)
        return out if self.run(ACCUMULATE, {"x": lanes, "out": out, "items": items}) else None

    def at(self, array: numpy.ndarray, position: numpy.ndarray, other: Any) -> numpy.ndarray | None:
        """A copy of an array of one axis, whose elements at positions, one after the other, were
        replaced by the function of them, and of those of `other` if there is one.
        """
        out = array.copy()
        names = {"out": out, "position": position, "function": self.function}
        if other is not None:
            names["y"] = other
        text = AT_ONE if other is None else AT_TWO
        loop = self.version(text, names, range(len(position)))
        if isinstance(loop, Refusal):
            return None
        # One task: an element may be replaced twice.
        left = loop.run_tasks(Names({}, names, frozenset()), range(len(position)), 1)
        return out if left == [] else None

    def run(self, text: str, names: dict[str, Any]) -> bool:
        """Runs a loop over lanes, on several threads if there is work enough."""
        names["function"] = self.function
        lanes = len(names["x"])
        loop = self.version(text, names, range(lanes))
        done = None
        if not isinstance(loop, Refusal):
            done = run_in_parallel(loop, Names({}, names, frozenset()), lanes)
        return done or False

    def version(self, text: str, names: dict[str, Any], turns: range) -> Compiled | Refusal:
        """A loop, compiled for the types that the names have, and for what the function finds
        outside of it now.
        """
        of = ("x", "y", "out", "initial")
        key = (text, *(kind_of(names[name]) for name in of if name in names))
        known = self.versions.get(key)
        found = Names({}, names, frozenset())
        if isinstance(known, Compiled) and not known.are_constants(found):
            known = None
        if known is None and len(self.versions) < MAX_VERSIONS:
            known = compile_tasks(loop_of(text, names), found, turns[:1], looks_at_status=True)
            self.versions[key] = known
        return known or Refusal(0, "too many combinations of types and layouts")

    def char_of_values(
        self, initial: Any, lanes: numpy.ndarray, lengths: Iterable[int]
    ) -> str | None:
        """The type of an array of the values after folding so many numbers, the initial one
        included; `None` where it depends on the numbers.
        """
        item = PYTHON[lanes.dtype.kind]
        start = item if initial is None else OF_PYTHON[type(initial)]
        key = (start, item)
        if key not in self.types:
            self.types[key] = self.types_of_values(start, item)
        found = self.types[key]
        if found is None:
            return None
        chars = {found[min(length, len(found)) - 1] for length in lengths}
        return numpy.result_type(*chars).char

    def types_of_values(self, start: Type, item: Type) -> list[str] | None:
        """The types of arrays of the first value, the second and so on, of which the last one is
        that of all others.
        """
        types, chars = [start], [chars_of(start)]
        while len(types) <= MAX_TYPES:
            try:
                following = emitted(self.function, [types[-1], item], "")[1].type
            except (DifferentTypes, Unsupported, Refused, TooLong):
                return None
            char = chars_of(following)
            if char is None or len(char) != 1:
                return None
            if following == types[-1]:
                return [known for known in chars if known is not None]
            types.append(following)
            chars.append(char)
        return None


def loop_of(text: str, names: dict[str, Any]) -> Loop:
    """A loop whose elements are converted to Python's numbers.

    >>> print(ast.unparse(loop_of(AT_ONE, {"out": numpy.zeros(3)}).node))
    for i in turns:
        out[position[i]] = function(float(out[position[i]]))
    """
    conversions = {
        name: CONVERSIONS[names[name].dtype.kind] for name in ("x", "y", "out") if name in names
    }
    node: Any = ast.parse(text.format(**conversions)).body[0]
    loop = Loop(node, "<elements>", True)
    loop.resumable = frozenset(range(len(loop.statements)))
    return loop


def folded(
    folds: Folds,
    method: str,
    array: Any,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    dtype: numpy.dtype[Any] | None,
) -> Any:
    """The result of a method of ufuncs, compiled; `None` where that is not possible."""
    x, axis = as_input(array), keywords["axis"]
    if not isinstance(x, numpy.ndarray) or x.size == 0:
        return None
    (axis,) = axis if isinstance(axis, tuple) and len(axis) == 1 else (axis,)
    axis = 0 if axis is None and x.ndim == 1 else axis
    if type(axis) is not int or not -x.ndim <= axis < x.ndim:
        return None
    if dtype is not None and not (dtype.isnative and dtype.char in MEMORY):
        return None
    axis %= x.ndim
    char = None if dtype is None else dtype.char
    # A view where that is possible.
    lanes = numpy.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    if method == "accumulate":
        result = folds.accumulated(lanes, char)
    elif method == "reduceat":
        parts = parts_of(arguments[0], x.shape[axis])
        result = folds.reduced(lanes, *parts, char) if parts else None
    elif keywords["where"] is not True:
        return None
    elif "initial" in keywords:
        initial = keywords["initial"]
        is_number = type(initial) in OF_PYTHON
        result = folds.reduced_from(initial, lanes, char) if is_number else None
    else:
        whole = numpy.array([0]), numpy.array([x.shape[axis]])
        result = folds.reduced(lanes, *whole, char)
    if result is None:
        return None
    others = x.shape[:axis] + x.shape[axis + 1 :]
    if method == "reduce" and not keywords["keepdims"]:
        return result.reshape(others)[()]
    return numpy.ascontiguousarray(numpy.moveaxis(result.reshape(*others, -1), -1, axis))


def parts_of(indices: Any, items: int) -> tuple[numpy.ndarray, numpy.ndarray] | None:
    """Where the parts of `reduceat` begin and end; `None` for indices that are wrong."""
    first = numpy.asarray(indices)
    if first.ndim != 1 or first.size == 0 or first.dtype.kind not in "iu":
        return None
    if first.min() < 0 or first.max() >= items:
        return None
    first = first.astype("l")
    following = numpy.append(first[1:], items)
    # A part that would end before it begins is one element.
    return first, numpy.maximum(following, first + 1)


def replaced_at(folds: Folds, array: Any, indices: Any, other: Any) -> bool:
    """Replaces the elements of an array, as `ufunc.at` does; `False`, and nothing done, where that
    is not possible in compiled code.
    """
    x = as_input(array)
    if not isinstance(x, numpy.ndarray) or x.size == 0 or not x.flags.writeable:
        return False
    if x.dtype.char not in MEMORY:
        return False
    try:
        position = numpy.arange(x.size).reshape(x.shape)[indices]
        y = None
        if other is not None and (given := as_input(other)) is not None:
            y = numpy.broadcast_to(given, position.shape).reshape(-1)
    except (IndexError, ValueError, TypeError):
        return False
    if position.size == 0 or (other is not None and (y is None or not is_loaded(y.dtype))):
        return False
    replaced = folds.at(x.reshape(-1), numpy.asarray(position).reshape(-1), y)
    if replaced is None:
        return False
    array[...] = replaced.reshape(x.shape)
    return True
