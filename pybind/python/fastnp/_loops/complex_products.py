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
    address,
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
from fastnp._loops.types import (
    BOTH_PARTS,
    COMPLEX_CHAR,
    I8,
    I64,
    NP_COMPLEX,
    SIZES,
    ArrayType,
    Value,
)

MATRIX = 2  # axes of one
WORDS = 6  # extents and distances that the function takes
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
    columns = outer[-1] if types[1].ndim == 2 else text.integer(1)
    memory = scratch.take(e, bytes_of(e, COMPLEX_CHAR, size(e, outer)))
    if is_called(*types):
        by_function(e, left, right, memory)
        return in_scratch(e, memory, COMPLEX_CHAR, outer, is_ours(left) or is_ours(right))
    of_left, of_right = parts_of(e, elements(e, left)), vectors(e, right)
    assert of_left is not None
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)
    signs = text.op(BOTH_PARTS, "pair", text.float(-1.0), text.float(1.0))

    def row(indices: Indices) -> None:
        factors: dict[Index, tuple[str, str]] = {}

        def term(place: Indices) -> str:
            """`a * b` is `(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)`,
            so the real part times `b` and the imaginary part, negated once, times `b` exchanged.
            """
            k = place[0]
            if k not in factors:
                real, imaginary = complexes.split(e, of_left((*indices, k)))
                factors[k] = real, text.op(BOTH_PARTS, "fmul", imaginary, signs)
            b = of_right(place[: types[1].ndim])
            ordered = text.op(BOTH_PARTS, "fmul", factors[k][0], b)
            exchanged = text.op(BOTH_PARTS, "fmul", factors[k][1], text.op(BOTH_PARTS, "swap", b))
            return text.op(BOTH_PARTS, "fadd", ordered, exchanged)

        terms = elements(e, right)._replace(char=COMPLEX_CHAR, shape=(extent, columns))
        column_products.column_sums(e, terms._replace(packed=term), cursor)

    for_each(e, outer[:rows], row)
    if not outer:
        real, imaginary = load(e, COMPLEX_CHAR, memory).registers
        return complexes.finite(e, NP_COMPLEX, (real, imaginary))
    e.leave_if_raised()
    return in_scratch(e, memory, COMPLEX_CHAR, outer, is_ours(left) or is_ours(right))


def is_called(left: ArrayType, right: ArrayType) -> bool:
    """Whether a function computes a product: of 3 × 3 numbers in 8 ns, code for vectors of one
    number in 25.
    """
    is_complex = left.char == right.char == COMPLEX_CHAR
    return is_complex and right.ndim == MATRIX and right.is_dense


def by_function(e: Emitter, left: Value, right: Value, memory: str) -> None:
    """Has a function store a product in memory; leaves where NumPy warns. Then some of the product
    is not finite: the function says that sooner than the floating-point status is read.
    """
    text, none = e.text, e.text.integer(0)
    *rows, step = steps(e, left)
    extents = (*(shape(left)[:-1] or [text.integer(1)]), *shape(right))
    words = scratch.take(e, text.integer(SIZES["l"] * WORDS))
    for at, word in enumerate((*extents, *(rows or [none]), step, steps(e, right)[0])):
        text.line(f"store.i64 {words}, {SIZES['l'] * at}, {word}")
    operands = (memory, address(left), address(right), words)
    has_non_finite = text.call(I8, "complex_product", *operands)
    non_finite, after = text.new_block("non_finite"), text.new_block()
    text.unlikely(has_non_finite, non_finite, after)
    text.start(non_finite)
    e.leave_if_raised()
    text.jump(after)
    text.start(after)


def vectors(e: Emitter, array: Value) -> Callable[[Indices], str]:
    """The elements of an array of complex numbers, or of doubles, as vectors of both parts."""
    char, strides = array_type(array).char, steps(e, array)

    def vector(indices: Indices) -> str:
        at = element_address(e, array, strides, indices)
        if char == COMPLEX_CHAR:
            return e.text.op(BOTH_PARTS, f"load.{BOTH_PARTS}", at, 0)
        return e.text.op(BOTH_PARTS, "pair", load(e, char, at).register, e.text.float(0.0))

    return vector
