"""Products with a matrix whose rows are dense (`v @ m`, `a @ m`): columns in vectors.

A sum along a column would step over whole rows, and take its elements one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastnp._loops import arrays, scratch
from fastnp._loops.arrays import Elementwise, Index, Indices, Shifted
from fastnp._loops.counted_loops import count_up, count_up_by, for_each, one_more
from fastnp._loops.emitter import Emitter
from fastnp._loops.types import COMPLEX_CHAR, F64, I8, I64, PACKED, SIZES, Number

# Vectors of columns, or rows, that are summed up at once: one sum waits for the latency of each
# addition, of three cycles.
AT_ONCE, MANY = 4, 1 << 10
# The same of rows, whose sums are added up in the order of the elements: eight, where one matrix is
# read. Of two, there are no registers for so many addresses: NPBench's syr2k takes 30 µs by eight
# rows and 26 by four, and syrk 32 and 37 (preset S; Zen 4).
ROWS_AT_ONCE, ROWS_OF_SEVERAL = (8, 4, 2, 1), (4, 2, 1)
# The register for several elements, and how many. A complex number is a vector of its parts.
VECTORS = {**PACKED, COMPLEX_CHAR: ("f64x2", 1)}


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
    """Writes loops that add up each column, over all axes but the last, from its first element on,
    to zero or to the initial values, and that store the sums where a cursor is, which moves on.

    The last vector ends with the last column: where columns are no whole number of vectors, it has
    some that were summed up before, and gives them the same sums. One by one, those left over would
    take as long as a vector each.
    """
    text, char, columns = e.text, terms.char, terms.shape[-1]
    (kind, lanes), size = VECTORS[char], SIZES[char]
    number = F64 if char == COMPLEX_CHAR else Number(char).registers[0]
    zero, column = text.float(0.0, number), text.register(I64, "k")
    text.line(f"{column} = iconst 0")

    def sums_of(places: Sequence[Index], is_single: bool = False) -> None:
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

        for_each(e, terms.shape[:-1], add)
        access = number if is_single else kind
        for place, register in zip(places, sums, strict=True):
            index, by = (place.register, place.by) if isinstance(place, Shifted) else (place, 0)
            at = text.op(I64, "add", cursor, text.op(I64, "mul", index, text.integer(size)))
            text.line(f"store.{access} {at}, {by * size}, {register}")

    # As many vectors as an axis of a few elements has are summed up in one pass.
    width = lanes * min(AT_ONCE, max(-(-e.lengths.get(columns, MANY) // lanes), 1))

    def block() -> None:
        others = (Shifted(column, by) for by in range(lanes, width, lanes))
        sums_of([column, *others])

    last = text.op(I64, "sub", columns, text.integer(lanes))

    def pair() -> None:
        second = text.op(I64, "add", column, text.integer(lanes))
        is_before = text.op(I8, "icmp.lt", second, last)
        sums_of([column, text.op(I64, "select", is_before, second, last)])

    def singles() -> None:
        count_up(e, column, columns, 1, lambda: sums_of([column], is_single=True))

    count_up(e, column, text.op(I64, "sub", columns, text.integer(width - 1)), width, block)
    count_up(e, column, last, 2 * lanes, pair)
    if lanes > 1:
        one_more(e, text.op(I8, "icmp.lt", last, text.integer(0)), singles)
    one_more(e, text.op(I8, "icmp.lt", column, columns), lambda: sums_of([last]))
    bytes_ = text.op(I64, "mul", columns, text.integer(size))
    text.line(f"{cursor} = add {cursor}, {bytes_}")


def row_sums(
    e: Emitter, terms: Elementwise, cursor: str, initial: Elementwise, opcode: str
) -> None:
    """Writes loops that add up each row of a matrix, element after element, to initial values, and
    that store the sums where a cursor is. Rows have an even number of elements, in vectors of two.

    The sums of two rows are a vector: so the elements of both are exchanged between their vectors.
    """
    text, of_terms, (rows, columns) = e.text, terms.packed, terms.shape
    row = text.register(I64, "k")
    text.line(f"{row} = iconst 0")
    kind, lanes = PACKED["d"]
    assert of_terms is not None

    def sums_of(count: int) -> None:
        places = [text.op(I64, "add", row, text.integer(i)) for i in range(count)]
        starts = [initial.element((place,)) for place in places]
        at_once = min(count, lanes)
        register_kind = kind if at_once == lanes else F64
        pairs, sums = [places[i : i + at_once] for i in range(0, count, at_once)], []
        for i in range(0, count, at_once):
            sums.append(text.register(register_kind, "sums"))
            first = starts[i : i + at_once]
            text.copy(sums[-1], text.op(kind, "pair", *first) if at_once == lanes else first[0])
        column = text.register(I64, "k")
        text.line(f"{column} = iconst 0")

        def add() -> None:
            for pair, register in zip(pairs, sums, strict=True):
                vectors = [of_terms((place, column)) for place in pair]
                for half in ("low", "high"):
                    name = f"{half}s" if at_once == lanes else half
                    added = text.op(register_kind, name, *vectors)
                    text.line(f"{register} = {opcode} {register}, {added}")

        count_up(e, column, columns, lanes, add)
        for i, register in enumerate(sums):
            offset = i * at_once * SIZES["d"]
            text.line(f"store.{register_kind} {cursor}, {offset}, {register}")
        text.line(f"{cursor} = add {cursor}, {text.integer(count * SIZES['d'])}")

    matrices = [array for array in terms.sources if arrays.array_type(array).ndim > 1]
    counts = ROWS_AT_ONCE if len(matrices) == 1 else ROWS_OF_SEVERAL
    count_up_by(e, row, rows, counts, sums_of)
