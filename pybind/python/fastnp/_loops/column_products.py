"""Products with a matrix whose rows are dense (`v @ m`, `a @ m`): columns in vectors.

A sum along a column would step over whole rows, and take its elements one by one.
"""

from __future__ import annotations

from functools import partial

from fastnp._loops import arrays, scratch
from fastnp._loops.arrays import Elementwise, Index, Indices, Shifted
from fastnp._loops.element_loops import count_up, count_up_by, for_each
from fastnp._loops.emitter import Emitter
from fastnp._loops.types import F64, I64, MEMORY, PACKED, SIZES, Number

# Vectors of columns, or rows, that are summed up at once: one sum waits for the latency of each
# addition, of three cycles.
AT_ONCE = 4


def are_packed(left: Elementwise, right: Elementwise, char: str) -> bool:
    """Whether the product of a vector or a matrix and a matrix is computed so."""
    return (
        len(right.shape) == 2
        and char in PACKED
        and left.char == right.char == char
        and right.packed is not None
        and right.pays_packed
    )


def product(e: Emitter, left: Elementwise, right: Elementwise, char: str) -> Elementwise:
    """The product in scratch memory; leaves where NumPy may warn."""
    text, kind = e.text, PACKED[char][0]
    number, of_right = Number(char).registers[0], right.packed
    assert of_right is not None
    outer = (*left.shape[:-1], right.shape[1])
    memory = scratch.take(e, arrays.bytes_of(e, char, arrays.size(e, outer)))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)

    def row(indices: Indices) -> None:
        factors: dict[Index, str] = {}

        def element(place: Indices) -> str:
            factor = left.element((*indices, place[0]))
            return text.op(number, "fmul", factor, right.element(place))

        def packed(place: Indices) -> str:
            if place[0] not in factors:
                factors[place[0]] = text.op(kind, "splat", left.element((*indices, place[0])))
            return text.op(kind, "fmul", factors[place[0]], of_right(place))

        column_sums(e, right._replace(element=element, packed=packed), cursor)

    for_each(e, left.shape[:-1], row)
    e.leave_if_raised()
    return arrays.in_scratch(e, memory, char, outer, arrays.is_ours(left) or arrays.is_ours(right))


def column_sums(
    e: Emitter,
    terms: Elementwise,
    cursor: str,
    initial: Elementwise | None = None,
    opcode: str = "fadd",
) -> None:
    """Writes loops that add up each column of a matrix from its first row on, to zero or to the
    initial values, and that store the sums where a cursor is, which moves on.
    """
    text, char, (rows, columns) = e.text, terms.char, terms.shape
    (kind, lanes), size, number = PACKED[char], SIZES[char], Number(char).registers[0]
    zero, column = text.float(0.0, number), text.register(I64, "k")
    text.line(f"{column} = iconst 0")

    def sums_of(width: int, lanes: int) -> None:
        places: list[Index] = [column]
        places += (Shifted(column, by) for by in range(lanes, width, lanes))
        is_single = lanes == 1
        sums = []
        for place in places:
            sums.append(text.register(number if is_single else kind, "sums"))
            if initial is not None:
                first = initial.element if is_single else initial.packed
                assert first is not None
                text.copy(sums[-1], first((place,)))
            else:
                text.copy(sums[-1], zero if is_single else text.op(kind, "splat", zero))
        of_terms = terms.element if is_single else terms.packed
        assert of_terms is not None

        def add(k: Indices) -> None:
            for place, register in zip(places, sums, strict=True):
                text.line(f"{register} = {opcode} {register}, {of_terms((*k, place))}")

        for_each(e, (rows,), add)
        for i, register in enumerate(sums):
            access = MEMORY[char] if is_single else kind
            text.line(f"store.{access} {cursor}, {i * lanes * size}, {register}")
        text.line(f"{cursor} = add {cursor}, {text.integer(len(sums) * lanes * size)}")

    steps = (AT_ONCE * lanes, lanes)
    if count_up_by(e, column, columns, steps, partial(sums_of, lanes=lanes)) != columns:
        count_up(e, column, columns, 1, partial(sums_of, 1, 1))


def row_sums(
    e: Emitter, terms: Elementwise, cursor: str, initial: Elementwise, opcode: str
) -> None:
    """Writes loops that add up each row of a matrix, element after element, to initial values, and
    that store the sums where a cursor is. Rows have an even number of elements, in vectors of two.
    """
    text, of_terms, (rows, columns) = e.text, terms.packed, terms.shape
    row = text.register(I64, "k")
    text.line(f"{row} = iconst 0")
    assert of_terms is not None

    def sums_of(count: int) -> None:
        places = [text.op(I64, "add", row, text.integer(i)) for i in range(count)]
        sums = [text.register(F64, "sums") for _ in places]
        for place, register in zip(places, sums, strict=True):
            text.copy(register, initial.element((place,)))
        column = text.register(I64, "k")
        text.line(f"{column} = iconst 0")

        def add() -> None:
            for place, register in zip(places, sums, strict=True):
                vector = of_terms((place, column))
                for half in ("low", "high"):
                    text.line(f"{register} = {opcode} {register}, {text.op(F64, half, vector)}")

        count_up(e, column, columns, PACKED["d"][1], add)
        for i, register in enumerate(sums):
            text.line(f"store.f64 {cursor}, {i * SIZES['d']}, {register}")
        text.line(f"{cursor} = add {cursor}, {text.integer(count * SIZES['d'])}")

    count_up_by(e, row, rows, (AT_ONCE, 1), sums_of)
