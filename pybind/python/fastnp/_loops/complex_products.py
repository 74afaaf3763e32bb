"""Products of vectors and matrices of complex numbers: sums of products, as `reductions` has them
of real ones.
"""

from __future__ import annotations

from collections.abc import Callable

from fastnp._loops import column_products, complexes, scratch
from fastnp._loops.arrays import (
    Elementwise,
    Index,
    Indices,
    array_type,
    bytes_of,
    element_address,
    elements,
    in_scratch,
    is_ours,
    load,
    parts_of,
    refuse_many,
    shape,
    size,
    steps,
)
from fastnp._loops.counted_loops import for_each
from fastnp._loops.element_loops import in_memory
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import COMPLEX_CHAR, I8, I64, NP_COMPLEX, Value

# A complex number in a register.
VECTOR = "f64x2"
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
    of_left, of_right = parts_of(e, elements(e, left)), vectors(e, right)
    assert of_left is not None
    columns = outer[-1] if types[1].ndim == 2 else text.integer(1)
    memory = scratch.take(e, bytes_of(e, COMPLEX_CHAR, size(e, outer)))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)
    signs = text.op(VECTOR, "pair", text.float(-1.0), text.float(1.0))

    def row(indices: Indices) -> None:
        factors: dict[Index, tuple[str, str]] = {}

        def term(place: Indices) -> str:
            """`a * b` is `(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)`,
            so the real part times `b` and the imaginary part, negated once, times `b` exchanged.
            """
            k = place[0]
            if k not in factors:
                real, imaginary = (
                    text.op(VECTOR, "splat", part) for part in of_left((*indices, k))
                )
                factors[k] = real, text.op(VECTOR, "fmul", imaginary, signs)
            b = of_right(place[: types[1].ndim])
            ordered = text.op(VECTOR, "fmul", factors[k][0], b)
            exchanged = text.op(VECTOR, "fmul", factors[k][1], text.op(VECTOR, "swap", b))
            return text.op(VECTOR, "fadd", ordered, exchanged)

        terms = elements(e, right)._replace(char=COMPLEX_CHAR, shape=(extent, columns))
        column_products.column_sums(e, terms._replace(packed=term), cursor)

    for_each(e, outer[:rows], row)
    if not outer:
        real, imaginary = load(e, COMPLEX_CHAR, memory).registers
        return complexes.finite(e, NP_COMPLEX, (real, imaginary))
    e.leave_if_raised()
    return in_scratch(e, memory, COMPLEX_CHAR, outer, is_ours(left) or is_ours(right))


def vectors(e: Emitter, array: Value) -> Callable[[Indices], str]:
    """The elements of an array of complex numbers, or of doubles, as vectors of both parts."""
    char, strides = array_type(array).char, steps(e, array)

    def vector(indices: Indices) -> str:
        at = element_address(e, array, strides, indices)
        if char == COMPLEX_CHAR:
            return e.text.op(VECTOR, f"load.{VECTOR}", at, 0)
        return e.text.op(VECTOR, "pair", load(e, char, at).register, e.text.float(0.0))

    return vector
