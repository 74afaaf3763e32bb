"""Arrays that are made of numbers: `np.full`, and `np.array` of a list."""

from __future__ import annotations

from collections.abc import Sequence

from fastnp._loops import arrays, formulas, numbers, scratch
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.ranges import EXTENT, LONGEST_AXIS
from fastnp._loops.types import BOTH_PARTS, COMPLEX_CHAR, I8, INT, MEMORY, SIZES, Value


def filled(
    e: Emitter, extents: tuple[str, ...], value: int, char: str, is_ours: bool
) -> Elementwise:
    """`np.full(extents, value, char)`."""
    for extent in extents:
        e.leave_unless(e.text.op(I8, "icmp.ule", extent, e.text.integer(LONGEST_AXIS)))
    extents = tuple(e.snapshot(Value(INT, (extent,))).register for extent in extents)
    e.text.ranges.update(dict.fromkeys(extents, EXTENT))
    if char == COMPLEX_CHAR:
        real = numbers.convert(e, numbers.literal(e, value), "d", checked=False)
        formula = formulas.cast(formulas.scalar("d", real), char)
        both = e.text.op(BOTH_PARTS, "pair", real, e.text.float(0.0))
        return arrays.of_complex(extents, (), formula, lambda _: both, is_ours=is_ours)
    register = numbers.convert(e, numbers.literal(e, value), char, checked=False)
    formula = formulas.scalar(char, register)
    return Elementwise(char, extents, lambda _: register, (), False, is_ours, formula=formula)


def listed(e: Emitter, values: Sequence[Value], is_ours: bool, rows: int = 0) -> Elementwise:
    """`np.array([a, b, …])` of numbers, which are stored at once; in rows, if there are some."""
    names = {numbers.number(value).name for value in values}
    if names <= {"float", "d", "int", "l"} and names:
        char = "d" if names & {"float", "d"} else "l"
    elif len(names) == 1 and names <= MEMORY.keys():
        (char,) = names
    else:
        raise Unsupported("an array of these numbers")
    text, size = e.text, SIZES[char]
    memory = scratch.take(e, text.integer(size * len(values)))
    for i, value in enumerate(values):
        register = numbers.convert(e, e.settle(value), char, checked=False)
        text.line(f"store.{MEMORY[char]} {memory}, {size * i}, {register}")

    extents = (rows, len(values) // rows) if rows else (len(values),)
    lengths = tuple(map(text.integer, extents))
    e.lengths.update(zip(lengths, extents, strict=True))
    return arrays.in_scratch(e, memory, char, lengths, is_ours)
