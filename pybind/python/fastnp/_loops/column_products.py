"""Products with a matrix whose rows are dense (`v @ m`, `a @ m`): columns in vectors.

A sum along a column would step over whole rows, and take its elements one by one.
"""

from __future__ import annotations

from functools import partial

from fastnp._loops import arrays, scratch
from fastnp._loops.arrays import Elementwise, Shifted
from fastnp._loops.element_loops import count_up, for_each
from fastnp._loops.emitter import Emitter
from fastnp._loops.types import I64, PACKED, SIZES

# Vectors of columns that are summed up at once: one sum waits for the latency of each addition, of
# three cycles.
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
    text, (kind, lanes), size = e.text, PACKED[char], SIZES[char]
    of_right = right.packed
    assert of_right is not None
    rows, (extent, columns) = left.shape[:-1], right.shape
    outer = (*rows, columns)
    memory = scratch.take(e, arrays.bytes_of(e, char, arrays.size(e, outer)))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)

    def row(indices: arrays.Indices) -> None:
        column = text.register(I64, "k")
        text.line(f"{column} = iconst 0")

        def several(count: int) -> None:
            sums = [text.register(kind, "sums") for _ in range(count)]
            for register in sums:
                text.copy(register, text.op(kind, "splat", zero))

            def add(k: arrays.Indices) -> None:
                factor = text.op(kind, "splat", left.element((*indices, *k)))
                for i, register in enumerate(sums):
                    place = Shifted(column, i * lanes) if i else column
                    term = text.op(kind, "fmul", factor, of_right((*k, place)))
                    text.line(f"{register} = fadd {register}, {term}")

            for_each(e, (extent,), add)
            for i, register in enumerate(sums):
                text.line(f"store.{kind} {cursor}, {i * lanes * size}, {register}")
            text.line(f"{cursor} = add {cursor}, {text.integer(count * lanes * size)}")

        def single() -> None:
            total = text.register(number, "sum")
            text.copy(total, zero)

            def add(k: arrays.Indices) -> None:
                factors = left.element((*indices, *k)), right.element((*k, column))
                text.line(f"{total} = fadd {total}, {text.op(number, 'fmul', *factors)}")

            for_each(e, (extent,), add)
            arrays.store(e, char, cursor, total)
            text.line(f"{cursor} = add {cursor}, {text.integer(size)}")

        for count in (AT_ONCE, 1):
            whole = text.op(I64, "and", columns, text.integer(-count * lanes))
            count_up(e, column, whole, count * lanes, partial(several, count))
        if whole != columns:
            count_up(e, column, columns, 1, single)

    number = kind[: kind.index("x")]
    zero = text.float(0.0, number)
    for_each(e, rows, row)
    e.leave_if_raised()
    return arrays.in_scratch(e, memory, char, outer, arrays.is_ours(left) or arrays.is_ours(right))
