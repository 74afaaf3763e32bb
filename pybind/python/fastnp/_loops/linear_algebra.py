"""`np.linalg.inv`, `det` and `solve` of a matrix of doubles, by NumPy's own loop over one matrix,
which calls LAPACK: so with its own results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from numpy.linalg import _umath_linalg

from fastnp._loops import arrays, element_loops, scratch
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, I64, SIZES, Value
from fastnp._loops.ufuncs import inner_loop

Operand: TypeAlias = "Value | Elementwise"
Function: TypeAlias = Callable[[Emitter, list[Operand]], Operand]

# Words of the arguments of `loop_arrays`: addresses, lengths and steps.
LENGTHS_AT, STEPS_AT, WORDS = 3, 6, 15


def inverse(is_ours: bool) -> Function:
    """`np.linalg.inv(a)`, of NumPy or of ours."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        matrix = square_matrix(e, arguments, "inv", 1)
        both = is_ours or arrays.is_ours(matrix)
        return arrays.elements(e, run(e, "inv", [matrix], arrays.shape(matrix), both))

    return compute


def determinant(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.linalg.det(a)`."""
    matrix = square_matrix(e, arguments, "det", 1)
    return arrays.load(e, "d", arrays.address(run(e, "det", [matrix], (), False)))


def solution(is_ours: bool) -> Function:
    """`np.linalg.solve(a, b)` for one vector, or for the columns of a matrix."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        matrix = square_matrix(e, arguments, "solve", 2)
        right = operand(e, arguments[1], "solve")
        if arrays.array_type(right).ndim > 2:
            raise Unsupported("solve for several matrices")
        is_fitting = e.text.op(I8, "icmp.eq", arrays.shape(right)[0], arrays.shape(matrix)[0])
        e.leave_unless(is_fitting)
        name = "solve" if arrays.array_type(right).ndim == 2 else "solve1"
        both = is_ours or arrays.is_ours(matrix) or arrays.is_ours(right)
        return arrays.elements(e, run(e, name, [matrix, right], arrays.shape(right), both))

    return compute


def operand(e: Emitter, value: Operand, name: str) -> Value:
    """An array of doubles in memory."""
    if not arrays.is_array(value):
        raise Unsupported(f"{name} of a number")
    found = element_loops.in_memory(e, value)
    if arrays.array_type(found).char != "d":
        raise Unsupported(f"{name} of these types")
    return found


def square_matrix(e: Emitter, arguments: list[Operand], name: str, count: int) -> Value:
    """The matrix that is the first of so many arguments; leaves if it is empty, or not square."""
    if len(arguments) != count:
        raise Unsupported(f"{name} with these arguments")
    matrix = operand(e, arguments[0], name)
    if arrays.array_type(matrix).ndim != 2:
        raise Unsupported(f"{name} of an array of other than two axes")
    rows, columns = arrays.shape(matrix)
    e.leave_unless(e.text.op(I8, "icmp.eq", rows, columns))
    e.leave_unless(e.text.op(I8, "icmp.gt", rows, e.text.integer(0)))
    return matrix


def run(
    e: Emitter, name: str, operands: list[Value], extents: tuple[str, ...], is_ours: bool
) -> Value:
    """The result of NumPy's loop over one matrix, in scratch memory; leaves where NumPy raises or
    warns. The loop clears the floating-point status.
    """
    text = e.text
    loop = inner_loop(getattr(_umath_linalg, name), ("d",) * (len(operands) + 1))
    if loop is None or e.is_recorded:
        raise Unsupported(f"{name} of these types")
    rows = arrays.shape(operands[0])[0]
    arrays.refuse_many(e, arrays.shape(operands[0]))
    arrays.refuse_many(e, extents)
    e.leave_if_raised()
    e.spend(text.op(I64, "mul", arrays.size(e, arrays.shape(operands[0])), rows))
    memory = scratch.take(e, arrays.bytes_of(e, "d", arrays.size(e, extents)))
    result = arrays.scratch_array(e, memory, "d", extents or (text.integer(1),), is_ours)
    places = [*operands, result]
    lengths = [text.integer(1), rows, *extents[1:]]
    steps = [text.integer(0)] * len(places)
    for place in places if extents else operands:
        steps += arrays.strides(place)
    words = scratch.take(e, text.integer(SIZES["l"] * WORDS))
    for at, found in (
        (0, [*map(arrays.address, places)]),
        (LENGTHS_AT, lengths),
        (STEPS_AT, steps),
    ):
        for k, register in enumerate(found):
            text.line(f"store.i64 {words}, {8 * (at + k)}, {register}")
    text.call(I64, "loop_arrays", *(text.integer(address) for address in loop), words)
    e.leave_if_raised()
    return result
