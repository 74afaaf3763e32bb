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
    elements,
    in_scratch,
    is_ours,
    parts_of,
    refuse_many,
    shape,
    size,
    store,
)
from fastnp._loops.complexes import Parts
from fastnp._loops.element_loops import count_up, for_each, in_memory
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
    of_left, of_right = (parts_of(e, elements(e, array)) for array in (left, right))
    assert of_left is not None
    assert of_right is not None

    def sum_of(indices: Indices) -> Parts:
        total = text.register(F64, "sum"), text.register(F64, "sum")
        for register in total:
            text.copy(register, text.float(0.0))
        k = text.register(I64, "k")
        text.line(f"{k} = iconst 0")

        def one() -> None:
            factors = of_left((*indices[:rows], k)), of_right((k, *indices[rows:]))
            for register, term in zip(total, complexes.product(e, *factors), strict=True):
                text.line(f"{register} = fadd {register}, {term}")

        count_up(e, k, extent, 1, one)
        return total

    if not outer:
        return complexes.finite(e, NP_COMPLEX, sum_of(()))
    memory = scratch.take(e, bytes_of(e, COMPLEX_CHAR, size(e, outer)))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)

    def put(indices: Indices) -> None:
        store(e, COMPLEX_CHAR, cursor, *sum_of(indices))
        text.line(f"{cursor} = add {cursor}, {text.integer(SIZES[COMPLEX_CHAR])}")

    for_each(e, outer, put)
    e.leave_if_raised()
    return in_scratch(e, memory, COMPLEX_CHAR, outer, is_ours(left) or is_ours(right))
