"""Sums of elements, and products of vectors and matrices, which are sums."""

from __future__ import annotations

import numpy

from fastnp._loops import numbers
from fastnp._loops.arrays import (
    MANY_ADDED,
    MANY_ADDED_PACKED,
    Elementwise,
    Indices,
    Shifted,
    elements,
    refuse_many,
    size,
)
from fastnp._loops.element_loops import count_up, for_each
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import F64, I8, I64, PACKED, Number, Value, numpy_loop

ACCUMULATORS = 4


def add_up(e: Emitter, source: Elementwise, char: str) -> str:
    """The sum of elements in type `char`; of the last axis in several accumulators.

    One accumulator would wait for the latency of each addition, and round more often.
    """
    text = e.text
    type_ = Number(char)
    kind = type_.registers[0]
    opcode = "fadd" if type_.is_float else "add"

    def fresh() -> str:
        register = text.register(kind, "sum")
        text.copy(register, text.float(0.0, kind) if type_.is_float else text.integer(0))
        return register

    total = fresh()

    def value(indices: Indices) -> str:
        have = Value(Number(source.char), (source.element(indices),))
        if have.type.registers == (I8,):
            return numbers.to_integer(e, have)
        return numbers.convert(e, have, char, checked=False)

    if not source.shape:
        return value(())
    outer, last = source.shape[:-1], source.shape[-1]
    four = text.integer(ACCUMULATORS)
    whole = text.op(I64, "mul", text.op(I64, "div", last, four), four)

    is_packed = source.packed is not None and source.pays_packed and source.char == char == "d"

    def row(indices: Indices) -> None:
        partial = [] if is_packed else [fresh() for _ in range(ACCUMULATORS)]
        k = text.register(I64, "k")
        text.line(f"{k} = iconst 0")

        def several() -> None:
            for i, accumulator in enumerate(partial):
                element = value((*indices, Shifted(k, i) if i else k))
                text.line(f"{accumulator} = {opcode} {accumulator}, {element}")

        def one() -> None:
            text.line(f"{partial[0]} = {opcode} {partial[0]}, {value((*indices, k))}")

        if is_packed:
            partial[:] = packed_sums(e, source, (*indices, k), whole)
        else:
            count_up(e, k, whole, ACCUMULATORS, several)
        count_up(e, k, last, 1, one)
        left = text.op(kind, opcode, partial[0], partial[1])
        right = text.op(kind, opcode, partial[2], partial[3])
        text.line(f"{total} = {opcode} {total}, {text.op(kind, opcode, left, right)}")

    for_each(e, outer, row)
    return total


def most_added(source: Elementwise) -> int:
    """The most elements that are added up here."""
    return MANY_ADDED_PACKED if source.packed and source.pays_packed else MANY_ADDED


def packed_sums(e: Emitter, source: Elementwise, indices: Indices, whole: str) -> list[str]:
    """The sums of every fourth double of the last axis up to `whole`, two in a vector."""
    text, kind = e.text, PACKED["d"][0]
    packed, k = source.packed, indices[-1]
    assert packed is not None
    assert isinstance(k, str)
    sums = [text.register(kind, "sums") for _ in range(2)]
    for register in sums:
        text.copy(register, text.op(kind, "splat", text.float(0.0)))

    def several() -> None:
        for i, register in enumerate(sums):
            vector = packed((*indices[:-1], Shifted(k, 2 * i) if i else k))
            text.line(f"{register} = fadd {register}, {vector}")

    count_up(e, k, whole, ACCUMULATORS, several)
    partial = [text.op(F64, half, register) for register in sums for half in ("low", "high")]
    first = text.register(F64, "sum")
    text.copy(first, partial[0])
    return [first, *partial[1:]]


def total(e: Emitter, value: Value | Elementwise) -> Value:
    """`np.sum(x)` over all axes."""
    source = elements(e, value)
    refuse_many(e, source.shape, most_added(source))
    char = numpy.add.reduce(numpy.empty(0, source.char)).dtype.char
    e.spend(size(e, source.shape))
    result = Value(Number(char), (add_up(e, source, char),))
    return warned(e, source, result)


def warned(e: Emitter, source: Elementwise, result: Value) -> Value:
    """A sum, which is unsettled: it is infinite or no number where one of its terms is.

    Only where a term may be finite nevertheless, the status is looked at: across a call no register
    keeps a float.
    """
    if source.hides:
        e.leave_if_raised()
    return Value(result.type, result.registers, is_settled=not numbers.number(result).is_float)


def inner(e: Emitter, a: Value | Elementwise, b: Value | Elementwise) -> Value | Elementwise:
    """`a @ b` where one of them has one axis."""
    left, right = elements(e, a), elements(e, b)
    if sorted((len(left.shape), len(right.shape))) not in ([1, 1], [1, 2]):
        raise Unsupported("a product of matrices")
    loop = numpy_loop("multiply", (left.char, right.char))
    if loop is None or not Number(loop[-1]).is_float:
        raise Unsupported("a product of vectors that are no floats")
    e.leave_unless(e.text.op(I8, "icmp.eq", left.shape[-1], right.shape[0]))
    char, kind = loop[-1], Number(loop[-1]).registers[0]
    extent = left.shape[-1]
    outer = (*left.shape[:-1], *right.shape[1:])
    are_packed = left.packed and right.packed and len(right.shape) == 1
    refuse_many(e, (*outer, extent), MANY_ADDED_PACKED if are_packed else MANY_ADDED)
    sources = (*left.sources, *right.sources)

    def sum_of(indices: Indices) -> str:
        def product(k: Indices) -> str:
            x = left.element((*indices[: len(left.shape) - 1], *k))
            y = right.element((*k, *indices[len(left.shape) - 1 :]))
            x = numbers.convert(e, Value(Number(left.char), (x,)), char, checked=False)
            y = numbers.convert(e, Value(Number(right.char), (y,)), char, checked=False)
            return e.text.op(kind, "fmul", x, y)

        terms = Elementwise(char, (extent,), product, sources, True)
        if left.packed and right.packed and left.char == right.char == char:

            def packed(k: Indices) -> str:
                assert left.packed is not None
                assert right.packed is not None
                x = left.packed((*indices[: len(left.shape) - 1], *k))
                y = right.packed((*k, *indices[len(left.shape) - 1 :]))
                return e.text.op(PACKED[char][0], "fmul", x, y)

            terms = terms._replace(
                packed=packed if len(right.shape) == 1 else None,
                pays_packed=left.pays_packed or right.pays_packed,
            )
        return add_up(e, terms, char)

    if outer:
        hides = left.hides or right.hides
        return Elementwise(char, outer, sum_of, sources, True, hides=hides)
    e.spend(extent)
    result = Value(Number(char), (sum_of(()),))
    hides = left.hides or right.hides
    return warned(e, Elementwise(char, (), sum_of, sources, True, hides=hides), result)
