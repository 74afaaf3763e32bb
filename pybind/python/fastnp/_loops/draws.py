"""Random numbers in compiled loops: `random.random()`, with the numbers that the interpreter draws.

Numbers are drawn in advance at the entry, into an array that compiled code takes them from. At the
end the generator gets the state back that it had, and those that were taken are drawn again. What
a statement took that is left in the middle does not count: its number is that of the statements
that are over.
"""

from __future__ import annotations

import sys
from itertools import repeat
from types import BuiltinMethodType, MethodType
from typing import Any, TypeGuard

import numpy

from fastnp._loops import numbers
from fastnp._loops.emitter import DRAWS, Emitter, Learned, Unsupported
from fastnp._loops.types import F64, FLOAT, I8, I64, ArrayType, Value

# Numbers drawn for an entry at first, and at most: each takes 40 ns, and 40 again if it was taken.
FEWEST = 1 << 12
MOST = 1 << 18


def generator_class() -> Any:
    """The class of Python's generators; `None` before the program has imported `random`, which
    takes 1 ms.
    """
    return getattr(sys.modules.get("random"), "Random", None)


def is_draw(function: object) -> TypeGuard[BuiltinMethodType]:
    """Whether a function is the method `random` of a generator of Python's."""
    owner = getattr(function, "__self__", None)
    return (
        type(function) is BuiltinMethodType
        and type(owner) is generator_class()
        and function.__name__ == "random"
    )


def prepare(e: Emitter) -> None:
    """Has each exit of a loop that draws numbers say how many it took."""
    if DRAWS in e.learned:
        first = len(e.parameters)
        buffers = [
            e.parameter(
                None, ArrayType(char, 1, True, True, first + k, True, False), lambda _: None
            )
            for k, char in enumerate("dl")
        ]
        e.draws, e.draws_parameter = (buffers[0].registers, buffers[1].register), first


def draw(e: Emitter, function: BuiltinMethodType) -> Value:
    """The next number; where there is none the statement is left."""
    known = e.learned.get(DRAWS)
    if known is None:
        raise Learned(DRAWS, function)
    if known != function:
        raise Unsupported("numbers from several generators")
    assert e.draws is not None
    (start, extent, *_), _ = e.draws
    text = e.text
    e.leave_unless(text.op(I8, "icmp.lt", e.drawn, extent))
    offset = text.op(I64, "mul", e.drawn, text.integer(8))
    number = text.op(F64, "load.f64", text.op(I64, "add", start, offset), 0)
    text.line(f"{e.drawn} = add {e.drawn}, {text.integer(1)}")
    return Value(FLOAT, (number,))


def is_uniform(function: object) -> TypeGuard[MethodType]:
    """Whether a function is the method `uniform` of a generator of Python's."""
    return (
        type(function) is MethodType
        and type(function.__self__) is generator_class()
        and function.__func__ is generator_class().uniform
    )


def uniform(e: Emitter, function: MethodType, arguments: list[Value]) -> Value:
    """`random.uniform(a, b)`: a + (b - a) * random()."""
    if len(arguments) != 2:
        raise Unsupported("uniform with other arguments")
    owner: Any = function.__self__
    a, b = (e.settle(value) for value in arguments)
    width = numbers.binary(e, "subtract", b, a)
    scaled = numbers.binary(e, "multiply", width, draw(e, owner.random))
    return numbers.binary(e, "add", a, scaled)


class Draws:
    """The numbers that are drawn for the entries of one compiled loop."""

    def __init__(self, function: BuiltinMethodType) -> None:
        self.function = function
        self.owner: Any = function.__self__
        self.count = FEWEST
        self.state: Any = None
        self.taken = numpy.zeros(1, "l")

    def begin(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Draws numbers: the array of them, and that in which compiled code counts."""
        self.state = self.owner.getstate()
        function = self.function
        self.taken = numpy.zeros(1, "l")
        return numpy.array([function() for _ in repeat(None, self.count)]), self.taken

    def end(self, turns: int = 0, left: int = 0) -> bool:
        """Has the generator be where the interpreter's would be; whether numbers were used up.

        `turns` were made and about so many are `left`, which says how many are drawn next time.
        """
        self.owner.setstate(self.state)
        taken = int(self.taken[0])
        for _ in repeat(None, taken):
            self.function()
        is_over = taken > 0.9 * self.count
        wanted = 4 * self.count if is_over else 2 * taken
        if turns and left:
            wanted = max(taken * left // turns * 5 // 4, wanted if is_over else 0)
        self.count = min(max(wanted, FEWEST), MOST)
        return is_over
