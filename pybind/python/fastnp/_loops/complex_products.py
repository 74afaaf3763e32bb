"""Products of vectors and matrices of complex numbers: sums of products, as `reductions` has them
of real ones.
"""

from __future__ import annotations

from fastnp._loops import complexes, scratch
from fastnp._loops.arrays import (
    Elementwise,
    Indices,
    array_type,
    bytes_of,
    in_scratch,
    is_ours,
    load,
    refuse_many,
    shape,
    size,
    steps,
)
from fastnp._loops.complexes import Parts
from fastnp._loops.element_loops import count_up, element_address, for_each, in_memory
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import COMPLEX_CHAR, F64, I8, I64, NP_COMPLEX, SIZES, Value

# Products of elements, of 4 ns each, from which the engine's product is faster.
MANY_MULTIPLIED = 2048


def inner(e: Emitter, a: Value | Elementwise, b: Value | Elementwise) -> Value | Elementwise:
    """`a @ b` of vectors and matrices of doubles and complex numbers."""
    left, right = in_memory(e, a), in_memory(e, b)
    types = array_type(left), array_type(right)
    if not {type_.char for type_ in types} <= {COMPLEX_CHAR, "d"}:
        raise Unsupported("a product of these types")
    if not {type_.ndim for type_ in types} <= {1, 2}:
        raise Unsupported("a product of numbers, or of stacks of matrices")
    text, extent, rows = e.text, shape(left)[-1], types[0].ndim - 1
    e.leave_unless(text.op(I8, "icmp.eq", extent, shape(right)[0]))
    outer = (*shape(left)[:-1], *shape(right)[1:])
    refuse_many(e, (*outer, extent), MANY_MULTIPLIED)
    e.spend(size(e, (*outer, extent)))

    def sum_of(indices: Indices) -> Parts:
        total = text.register(F64, "sum"), text.register(F64, "sum")
        for register in total:
            text.copy(register, text.float(0.0))
        k = text.register(I64, "k")
        text.line(f"{k} = iconst 0")

        def one() -> None:
            x = element(e, left, (*indices[:rows], k))
            y = element(e, right, (k, *indices[rows:]))
            for register, term in zip(total, complexes.product(e, x, y), strict=True):
                text.line(f"{register} = fadd {register}, {term}")

        count_up(e, k, extent, 1, one)
        return total

    if not outer:
        return complexes.finite(e, NP_COMPLEX, sum_of(()))
    memory = scratch.take(e, bytes_of(e, COMPLEX_CHAR, size(e, outer)))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)

    def put(indices: Indices) -> None:
        for offset, part in zip((0, 8), sum_of(indices), strict=True):
            text.line(f"store.f64 {cursor}, {offset}, {part}")
        text.line(f"{cursor} = add {cursor}, {text.integer(SIZES[COMPLEX_CHAR])}")

    for_each(e, outer, put)
    e.leave_if_raised()
    return in_scratch(e, memory, COMPLEX_CHAR, outer, is_ours(left) or is_ours(right))


def element(e: Emitter, array: Value, indices: Indices) -> Parts:
    """The real and the imaginary part of an element."""
    found = load(e, array_type(array).char, element_address(e, array, steps(e, array), indices))
    return complexes.parts(e, found)
