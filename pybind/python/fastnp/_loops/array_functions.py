"""Functions of numbers as operations on whole arrays: found for types, and run.

`if_conversion` writes the steps. A call for which code would be left in any element is not done
here. Only functions with loops may be left, as it takes a computation at once to know. NumPy's
scalars do not raise but warn, which operations on arrays do too, under the same names; a ufunc of
numbers becomes that of arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops.emitter import Emitter, Learned, Unsupported, are_found
from fastnp._loops.if_conversion import (
    ARGUMENT,
    CAST,
    EXIT,
    FALSE,
    LOOP,
    Constant,
    Function,
    NotConvertible,
    Operand,
    Step,
    needed_for,
)
from fastnp._loops.names import Names
from fastnp._loops.ranges import Range
from fastnp._loops.returns import DifferentTypes
from fastnp._loops.statements import Refused, inline
from fastnp._loops.text import TooLong
from fastnp._loops.types import (
    BOOL,
    FLOAT,
    INT,
    Number,
    TupleType,
    Type,
    Value,
    range_of_type,
)

# The types of Python's numbers that elements become.
PYTHON = {"b": BOOL, "i": INT, "u": INT, "f": FLOAT}


class Left(Exception):
    """A call in which code is left for some element."""


class ArrayFunction:
    """The operations that a function is on whole arrays."""

    def __init__(
        self,
        conversion: Function,
        scoped_constants: Sequence[tuple[Any, str, object]],
        results: Sequence[Step],
    ) -> None:
        self.name, self.loops = conversion.name, conversion.loops
        self.scoped_constants = scoped_constants
        self.results, self.left = results, conversion.left
        self.reported = conversion.reported
        needed = needed_for(conversion.steps, [*results, self.left])
        self.steps = [
            (number, name, operands)
            for number, (name, operands) in enumerate(conversion.steps)
            if number in needed and name != ARGUMENT
        ]
        # By loop: what of what it carries is read.
        self.read: dict[int, list[int]] = {}
        for _, name, operands in self.steps:
            if name.startswith(EXIT) and isinstance(operands[0], Step):
                self.read.setdefault(operands[0].number, []).append(int(name[len(EXIT) :]))

    def apply(self, arguments: Sequence[Any]) -> list[Any] | None:
        """The results for arrays and numbers, recorded; `None` where what the function finds
        outside of it has changed. `Left` is raised where code is left for some element.
        """
        if not are_found(self.scoped_constants):
            return None
        values: dict[int, Any] = dict(enumerate(arguments))

        def value(operand: Operand) -> Any:
            return values[operand.number] if isinstance(operand, Step) else operand.value

        for number, name, operands in self.steps:
            taken = [value(operand) for operand in operands]
            if name == "where":
                made: Any = _fastnp.where(*taken)
            elif name.startswith(LOOP):
                read = self.read[number]
                found = self.loops[int(name[len(LOOP) :])].apply(read, *taken)
                made = found and dict(zip(read, found, strict=True))
            elif name.startswith(EXIT):
                made = taken[0][int(name[len(EXIT) :])]
            elif name.startswith(CAST):
                made = taken[0].astype(name[len(CAST) :])
            else:
                reported = self.reported.get(number, self.name)
                made = _fastnp.apply_step(reported, name, *taken)
            if made is None:
                return None
            values[number] = made
        if self.left != FALSE and value(self.left).any():
            raise Left
        return [value(result) for result in self.results]

    def __str__(self) -> str:
        """The steps, one a line."""

        def text(operand: Operand) -> str:
            if isinstance(operand, Constant):
                return repr(operand.value.item())
            is_argument = all(operand.number != number for number, _, _ in self.steps)
            return f"{'x' if is_argument else 't'}{operand.number}"

        lines = [
            f"t{number} = {name}({', '.join(map(text, operands))})"
            for number, name, operands in self.steps
        ]
        lines += [f"{LOOP}{i}:\n{loop.text}" for i, loop in enumerate(self.loops)]
        return "\n".join([*lines, f"return {', '.join(map(text, self.results))}"])


def emitted(
    function: FunctionType,
    types: Sequence[Type],
    chars: str,
    ranges: Sequence[Range | None] = (),
    is_recorded: bool = False,
) -> tuple[Emitter, Value]:
    """The text of a call of a function with values of these types, integers in these ranges."""
    e = Emitter({}, frozenset(), (), Names({}, {}, frozenset()), inline)
    e.is_recorded, e.polls = is_recorded, False
    values: list[Any] = [e.parameter(f"x{i}", type_) for i, type_ in enumerate(types)]
    for value, range_ in zip(values, ranges, strict=False):
        if range_ is not None:
            e.text.ranges[value.register] = range_
    call: Any = ast.parse("function()").body[0]
    try:
        value = inline(e, function, call.value, values, chars)
    except Learned:
        raise Unsupported("a function that makes lists, or draws numbers") from None
    if not isinstance(value, Value):
        raise Unsupported("a function that returns an array")
    return e, value


def result_types(function: FunctionType, types: Sequence[Type]) -> str | None:
    """The types that NumPy gives a function's results, where all values for such arguments have one
    type; the arguments are scalars of NumPy's. `None` too where integers may wrap, of which NumPy
    warns: then the call is to be made.
    """
    try:
        e, value = emitted(function, types, "")
        if e.exits and any(isinstance(type_, Number) and type_.is_integer for type_ in types):
            return None
        found = [value.type]
    except DifferentTypes as refusal:
        found = refusal.types
    except (Unsupported, Refused, TooLong):
        return None
    chars = {chars_of(type_) for type_ in found}
    return chars.pop() if len(chars) == 1 else None


def chars_of(type_: Type) -> str | None:
    """The element types of arrays of a number's type, or of those of a tuple; `None` of what may be
    an integer or a float.
    """
    items = type_.items if isinstance(type_, TupleType) else (type_,)
    if any(isinstance(item, Number) and item.is_mixed for item in items):
        return None
    python = {"int": "l", "float": "d", "bool": "?"}
    names = [item.name.partition("|")[0] for item in items if isinstance(item, Number)]
    return "".join(python.get(name, name) for name in names) if len(names) == len(items) else None


def converted(function: FunctionType, inputs: Sequence[str], chars: str) -> ArrayFunction | None:
    """A function of Python's numbers as operations on arrays whose elements are of the types
    `inputs`, if it has none that only scalar code does.
    """
    if "q" in chars:
        return None  # an element type that no operation gives, though there is an equal one
    try:
        types = [PYTHON[numpy.dtype(char).kind] for char in inputs]
        ranges = [range_of_type(Number(char)) for char in inputs]
        e, value = emitted(function, types, chars, ranges, is_recorded=True)
        conversion = Function(function, e, len(types), value)
    except (NotConvertible, Unsupported, Refused, TooLong):
        return None
    made: list[Step] = []
    for char, register in zip(chars, value.registers, strict=True):
        result = conversion.at_end[register]
        if char in "bBhHiI":
            result = conversion.cast(char, result)
        # A result is an array of its own, of the shape of all arguments.
        if isinstance(result, Constant) or result.number < len(types):
            return None
        made.append(result)
    return ArrayFunction(conversion, e.scoped_constants, made)
