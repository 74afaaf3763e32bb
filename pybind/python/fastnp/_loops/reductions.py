"""Reductions: sums, extremes, truth; and products of vectors and matrices, which are sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy

from fastnp._loops import (
    column_products,
    complex_products,
    formulas,
    memory_order,
    numbers,
    scratch,
)
from fastnp._loops.array_operators import binary
from fastnp._loops.arrays import (
    MANY_ADDED,
    MANY_ADDED_PACKED,
    MANY_COMPARED,
    MANY_COMPARED_IN_TILES,
    Elementwise,
    Indices,
    Shifted,
    address,
    array_type,
    by_element,
    bytes_of,
    dense_strides,
    element_address,
    elements,
    in_scratch,
    is_backwards,
    is_ours,
    load,
    number_everywhere,
    refuse_many,
    size,
    steps,
)
from fastnp._loops.counted_loops import count_up, for_each
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.memory_order import Order
from fastnp._loops.types import (
    COMPLEX_CHAR,
    F64,
    I8,
    I64,
    INT,
    PACKED,
    Number,
    Value,
    numpy_loop,
    range_of_type,
)

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
    whole = text.op(I64, "and", last, text.integer(-ACCUMULATORS))

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


def most_in_loop(name: str, source: Elementwise, folded: Sequence[int]) -> int:
    """The most elements that are reduced in a loop over them."""
    if name not in SUMS:
        return MANY_COMPARED_IN_TILES if folds_tiles(source, folded) else MANY_COMPARED
    if not (source.packed and source.pays_packed):
        return MANY_ADDED
    # The engine's kernel copies its operands to tiles: 3 µs for what vectors take 0.3 here.
    return formulas.MOST_ELEMENTS if folds_tiles(source, folded) else MANY_ADDED_PACKED


def folds_tiles(source: Elementwise, folded: Sequence[int]) -> bool:
    """Whether several axes are folded, and the last one is not."""
    return len(folded) > 1 and folded[-1] < len(source.shape) - 1


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


def reduced(
    e: Emitter,
    name: str,
    value: Value | Elementwise,
    axes: tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> Value | Elementwise:
    """`np.sum(x)`, `np.max(x, axis=0)`, `np.sum(x, axis=(1, 2))` and the like."""
    source = elements(e, value)
    if source.char == COMPLEX_CHAR:
        raise Unsupported(f"{name} of complex numbers")
    ndim = len(source.shape)
    char, fold = result_char(name, source.char), FOLDS[name]
    if not all(-ndim <= axis < ndim for axis in axes or ()):
        raise Unsupported("a reduction along an axis that is not there")
    folded = range(ndim) if axes is None else sorted({axis % ndim for axis in axes})
    if axes is not None and len(folded) < len(axes):
        raise Unsupported("a reduction along an axis that is named twice")
    has_kernel = takes_kernel(e, name, source, folded)
    if has_kernel:
        refuse_many(e, source.shape, formulas.MOST_ELEMENTS)
    else:
        source = by_element(e, source)
        refuse_many(e, source.shape, most_in_loop(name, source, folded))
    if name not in ("sum", "any", "all"):
        # The interpreter raises, and warns of means.
        for extent in (source.shape[axis] for axis in folded):
            e.leave_if(e.text.op(I8, "icmp.eq", extent, e.text.integer(0)))
    e.spend(size(e, source.shape))
    if has_kernel:
        return by_kernel(e, name, source, char, folded, keepdims)
    if len(folded) == ndim and not keepdims:
        result = Value(Number(char), (fold(e, source, char),))
        return warned(e, source, result)
    if len(folded) == ndim:
        raise Unsupported("`keepdims` of all axes")
    kept = [axis for axis in range(ndim) if keepdims or axis not in folded]

    lengths = tuple(source.shape[axis] for axis in folded)
    of_packed = source.packed

    def whole(indices: Indices, k: Indices) -> Indices:
        """The indices of all axes, by those of the result and those along the folded axes."""
        by_axis = dict(zip([*kept, *folded], [*indices, *k], strict=True))
        return tuple(by_axis[axis] for axis in range(ndim))

    def element(indices: Indices) -> str:
        lane = source._replace(
            shape=lengths, element=lambda k: source.element(whole(indices, k)), packed=None
        )
        if of_packed is not None and folded[-1] == ndim - 1:
            lane = lane._replace(packed=lambda k: of_packed(whole(indices, k)))
        return fold(e, lane, char)

    is_packed = name == "sum" and of_packed is not None and folded[-1] < ndim - 1
    if is_packed and char == source.char and source.pays_packed:
        return by_columns(e, source, folded, keepdims)
    return Elementwise(
        char,
        reduced_shape(e, source, folded, keepdims),
        element,
        source.sources,
        source.warns or Number(char).is_float,
        hides=source.hides,
        order=reduced_order(name, source, folded, keepdims),
    )


def by_columns(
    e: Emitter, source: Elementwise, folded: Sequence[int], keepdims: bool
) -> Value | Elementwise:
    """A sum along axes of which the last one is none, in vectors along that, in scratch memory."""
    char, of_packed = source.char, source.packed
    assert of_packed is not None
    kept = [axis for axis in range(len(source.shape)) if axis not in folded]
    extents = tuple(source.shape[axis] for axis in kept)
    memory = scratch.take(e, bytes_of(e, char, size(e, extents)))
    cursor = e.text.register(I64, "at")
    e.text.copy(cursor, memory)

    def row(indices: Indices) -> None:
        def whole(k: Indices) -> Indices:
            """The indices of all axes, by those along the folded axes and the last one."""
            by_axis = dict(zip([*kept[:-1], *folded, kept[-1]], [*indices, *k], strict=True))
            return tuple(by_axis[axis] for axis in range(len(source.shape)))

        terms = source._replace(
            shape=tuple(source.shape[axis] for axis in (*folded, kept[-1])),
            element=lambda k: source.element(whole(k)),
            packed=lambda k: of_packed(whole(k)),
        )
        column_products.column_sums(e, terms, cursor)

    for_each(e, extents[:-1], row)
    e.leave_if_raised()
    result = in_scratch(
        e, memory, char, reduced_shape(e, source, folded, keepdims), is_ours(source)
    )
    return result._replace(order=reduced_order("sum", source, folded, keepdims))


def reduced_shape(
    e: Emitter, source: Elementwise, folded: Sequence[int], keepdims: bool
) -> tuple[str, ...]:
    """The shape of a reduction along some axes."""
    ones = {axis: e.text.integer(1) for axis in folded} if keepdims else {}
    axes = [axis for axis in range(len(source.shape)) if keepdims or axis not in folded]
    return tuple(ones.get(axis, source.shape[axis]) for axis in axes)


def reduced_order(name: str, source: Elementwise, folded: Sequence[int], keepdims: bool) -> Order:
    """The order in memory of a reduction along some axes."""
    if name in ("argmax", "argmin") or source.order == ():
        return ()
    if keepdims:
        return None  # NumPy's result is no dense array then
    ndim = len(source.shape)
    return memory_order.of_view(source.order, [k for k in range(ndim) if k not in folded])


# The folds of kernels, by the reductions that they compute.
KERNEL_FOLDS = {
    "sum": "add",
    "mean": "add",
    "max": "maximum",
    "min": "minimum",
    "argmax": "argmax",
    "argmin": "argmin",
    "any": "logical_or",
    "all": "logical_and",
}


def takes_kernel(e: Emitter, name: str, source: Elementwise, folded: Sequence[int]) -> bool:
    """Whether a kernel reduces an array. Which of the zeros of both signs is the extreme of NumPy's
    arrays depends on NumPy.
    """
    if name in ("max", "min") and Number(source.char).is_float and not is_ours(source):
        return False
    most = most_in_loop(name, source, folded)
    if folds_tiles(source, folded):
        return source.formula is not None and formulas.about(e, source.shape) > most
    cost = ADDED if name in SUMS else COMPARED
    some = len(folded) < len(source.shape)
    return formulas.pays_to_fold(e, source.formula, source.shape, most, cost, some)


def by_kernel(
    e: Emitter,
    name: str,
    source: Elementwise,
    char: str,
    folded: Sequence[int],
    keepdims: bool,
) -> Value | Elementwise:
    """A reduction that a kernel computes, into scratch memory."""
    of_terms = char if name in SUMS else "?" if name in ("any", "all") else source.char
    formula = formulas.cast(source.formula, of_terms)
    assert formula is not None
    extents = reduced_shape(e, source, folded, keepdims=False)
    memory = scratch.take(e, bytes_of(e, char, size(e, extents)))
    strides = dense_strides(e, char, extents) if extents else ()
    place = formulas.Place(memory, strides, char)
    formulas.fold(e, formula, source.shape, KERNEL_FOLDS[name], folded, place)
    count = None
    if name == "mean":
        length = size(e, tuple(source.shape[axis] for axis in folded))
        count = numbers.convert(e, Value(INT, (length,)), char, checked=False)
    if not extents and not keepdims:
        total = load(e, char, memory)
        if count is None:
            return total
        kind = Number(char).registers[0]
        return Value(total.type, (e.text.op(kind, "fdiv", total.register, count),))
    if not extents:
        raise Unsupported("`keepdims` of all axes")
    extents = reduced_shape(e, source, folded, keepdims)
    result = in_scratch(e, memory, char, extents, is_ours(source))
    result = result._replace(order=reduced_order(name, source, folded, keepdims))
    if count is None:
        return result
    return binary(e, "divide", result, number_everywhere(e, char, count))


def result_char(name: str, char: str) -> str:
    """The type of a reduction of elements of a type."""
    found = getattr(numpy.ones(1, char), name)().dtype.char
    if (char == "?" and name not in ("sum", "any", "all")) or found not in "dfl?" + char:
        raise Unsupported(f"{name} of an array of {char}")
    return str(found)


def mean(e: Emitter, source: Elementwise, char: str) -> str:
    """The sum, divided by the number of elements."""
    kind = Number(char).registers[0]
    count = numbers.convert(e, Value(INT, (size(e, source.shape),)), char, checked=False)
    return e.text.op(kind, "fdiv", add_up(e, source, char), count)


def truth(is_all: bool) -> Callable[[Emitter, Elementwise, str], str]:
    """Whether all elements are true, or any."""

    def fold(e: Emitter, source: Elementwise, _: str) -> str:
        result = e.text.register(I8, "truth")
        e.text.line(f"{result} = copy {e.text.truth(is_all)}")
        opcode = "and" if is_all else "or"

        def one(indices: Indices) -> None:
            element = Value(Number(source.char), (source.element(indices),))
            e.text.line(f"{result} = {opcode} {result}, {numbers.truth(e, element)}")

        for_each(e, source.shape, one)
        return result

    return fold


def extreme(is_max: bool, is_place: bool) -> Callable[[Emitter, Elementwise, str], str]:
    """The greatest element, or the least, and nan before all others; or where the first of it is.

    Which of the zeros of both signs NumPy gives depends on its vectors: that is left to it.
    """

    def fold(e: Emitter, source: Elementwise, _: str) -> str:
        text, type_ = e.text, Number(source.char)
        kind, compare = type_.registers[0], "gt" if is_max else "lt"
        best, place, at = text.register(kind, "best"), text.register(I64), text.register(I64)
        mixed = text.register(I8, "mixed")
        if type_.is_float:
            text.copy(best, text.float(-math.inf if is_max else math.inf, kind))
            text.copy(mixed, text.truth(False))
        else:
            text.copy(best, text.integer(-(1 << 63) if is_max else (1 << 63) - 1))
        for register in (place, at):
            text.line(f"{register} = iconst 0")

        def one(indices: Indices) -> None:
            have = source.element(indices)
            if type_.is_float:
                is_better = text.op(I8, f"fcmp.{compare}", have, best)
                ordered = text.op(I8, "fcmp.eq", best, best)
                first_nan = text.op(I8, "and", text.op(I8, "fcmp.ne", have, have), ordered)
                is_better = text.op(I8, "or", is_better, first_nan)
                if not is_place:
                    ones = [
                        text.op(kind, "copysign", text.float(1.0, kind), x) for x in (have, best)
                    ]
                    differ = text.op(I8, "fcmp.ne", *ones)
                    differ = text.op(I8, "and", differ, text.op(I8, "fcmp.eq", have, best))
                    text.line(f"{mixed} = or {mixed}, {differ}")
            else:
                is_better = text.op(I8, f"icmp.{compare}", have, best)
            text.line(f"{best} = select {is_better}, {have}, {best}")
            if is_place:
                text.line(f"{place} = select {is_better}, {at}, {place}")
                text.line(f"{at} = add {at}, {text.integer(1)}")

        for_each(e, source.shape, one)
        if is_place:
            return place
        if type_.is_float:
            is_zero = text.op(I8, "fcmp.eq", best, text.float(0.0, kind))
            e.leave_if(text.op(I8, "and", mixed, is_zero))
        elif (range_ := range_of_type(type_)) is not None:
            text.ranges[best] = range_
        return best

    return fold


Fold = Callable[[Emitter, Elementwise, str], str]
SUMS = ("sum", "mean")
# What it costs to fold an element in a loop, in additions: a comparison waits for the one before.
ADDED, COMPARED = 1, 20
FOLDS: dict[str, Fold] = {
    "sum": add_up,
    "mean": mean,
    "max": extreme(True, False),
    "min": extreme(False, False),
    "argmax": extreme(True, True),
    "argmin": extreme(False, True),
    "any": truth(False),
    "all": truth(True),
}


def warned(e: Emitter, source: Elementwise, result: Value) -> Value:
    """A sum, which is unsettled: it is infinite or no number where one of its terms is.

    Only where a term may be finite nevertheless, the status is looked at: across a call no register
    keeps a float.
    """
    if source.hides:
        e.leave_if_raised()
    return Value(result.type, result.registers, is_settled=not numbers.number(result).is_float)


# Elements of which a function adds up the products faster than code for vectors of two, whose sums
# wait for each other: 128 take 14 ns and 31.
LEAST_CALLED = 32


def dense_vectors(
    e: Emitter, left: Elementwise, right: Elementwise
) -> tuple[Value, Value, str] | None:
    """The operands of a product whose rows and whose vector are in memory and lie densely, and the
    function that adds it up: one of them may lie backwards, and comes first then.
    """
    found = []
    for operand in (left, right):
        formula = operand.formula
        array = None if formula is None or any(formula.repeated) else formula.array
        if array is None or operand.char != "d":
            return None
        found.append(array)
    if len(right.shape) != 1:
        return None
    dense = [array_type(array).is_dense for array in found]
    if all(dense):
        return found[0], found[1], "inner_product"
    if dense[1] and is_backwards(e, found[0]):
        return found[0], found[1], "inner_product_backwards"
    if dense[0] and len(left.shape) == 1 and is_backwards(e, found[1]):
        return found[1], found[0], "inner_product_backwards"
    return None


def dense_product(
    e: Emitter, function: str, a: str, b: str, count: str, in_loop: Callable[[], str]
) -> str:
    """The sum of the products of so many doubles at two addresses, by a function if they are
    many.
    """
    text, total = e.text, e.text.register(F64, "sum")
    many, few, after = text.new_block("many"), text.new_block("few"), text.new_block()
    text.branch(text.op(I8, "icmp.lt", count, text.integer(LEAST_CALLED)), few, many)
    text.start(many)
    text.copy(total, text.call(F64, function, a, b, count))
    text.jump(after)
    text.start(few)
    text.copy(total, in_loop())
    text.jump(after)
    text.start(after)
    return total


def along_first_axis(e: Emitter, right: Elementwise, char: str) -> Callable[[Indices], str] | None:
    """The vectors of a vector, or of columns of a matrix of doubles; `None` if it has none."""
    if right.char != char or right.packed is None:
        return None
    if len(right.shape) == 1:
        return right.packed
    if char != "d":
        return None

    def vector(indices: Indices) -> str:
        (k, *rest), element = indices, right.element
        after = Shifted(k, 1) if isinstance(k, str) else Shifted(k.register, k.by + 1)
        return e.text.op(PACKED["d"][0], "pair", element(indices), element((after, *rest)))

    return vector


def inner(e: Emitter, a: Value | Elementwise, b: Value | Elementwise) -> Value | Elementwise:
    """`a @ b` of vectors and matrices."""
    if COMPLEX_CHAR in (elements(e, a).char, elements(e, b).char):
        return complex_products.inner(e, a, b)
    left, right = (by_element(e, elements(e, operand)) for operand in (a, b))
    if not {len(left.shape), len(right.shape)} <= {1, 2}:
        raise Unsupported("a product of numbers, or of stacks of matrices")
    loop = numpy_loop("multiply", (left.char, right.char))
    if loop is None or loop[-1] not in "dfl":
        raise Unsupported("a product of these types")
    opcode = "fmul" if Number(loop[-1]).is_float else "mul"
    e.leave_unless(e.text.op(I8, "icmp.eq", left.shape[-1], right.shape[0]))
    char, kind = loop[-1], Number(loop[-1]).registers[0]
    extent = left.shape[-1]
    outer = (*left.shape[:-1], *right.shape[1:])
    # A matrix with one column is a vector: its elements are added up along the first axis.
    is_vector = e.lengths.get(right.shape[-1]) == 1 or len(right.shape) == 1
    by_columns = not is_vector and column_products.are_packed(left, right, char)
    of_right = along_first_axis(e, right, char)
    are_packed = (left.packed and of_right and is_vector) or by_columns
    vectors = dense_vectors(e, left, right)
    most = formulas.MOST_ELEMENTS if vectors else MANY_ADDED_PACKED if are_packed else MANY_ADDED
    refuse_many(e, (*outer, extent), most)
    if by_columns:
        e.spend(size(e, (*outer, extent)))
        return column_products.product(e, left, right, char)
    sources = (*left.sources, *right.sources)

    def sum_of(indices: Indices) -> str:
        if vectors is None:
            return in_loop(indices)
        first, second, function = vectors
        row = (*indices[: len(left.shape) - 1], e.text.integer(0))
        at = element_address(e, first, steps(e, first), row)
        return dense_product(e, function, at, address(second), extent, lambda: in_loop(indices))

    def in_loop(indices: Indices) -> str:
        def product(k: Indices) -> str:
            x = left.element((*indices[: len(left.shape) - 1], *k))
            y = right.element((*k, *indices[len(left.shape) - 1 :]))
            x = numbers.convert(e, Value(Number(left.char), (x,)), char, checked=False)
            y = numbers.convert(e, Value(Number(right.char), (y,)), char, checked=False)
            return e.text.op(kind, opcode, x, y)

        terms = Elementwise(char, (extent,), product, sources, True)
        if left.packed and of_right and is_vector and left.char == char:

            def packed(k: Indices) -> str:
                assert left.packed is not None
                assert of_right is not None
                x = left.packed((*indices[: len(left.shape) - 1], *k))
                y = of_right((*k, *indices[len(left.shape) - 1 :]))
                return e.text.op(PACKED[char][0], "fmul", x, y)

            terms = terms._replace(
                packed=packed,
                pays_packed=left.pays_packed or right.pays_packed,
            )
        return add_up(e, terms, char)

    if outer:
        e.spend(size(e, (*outer, extent)))
        hides = left.hides or right.hides
        return Elementwise(char, outer, sum_of, sources, True, hides=hides)
    e.spend(extent)
    result = Value(Number(char), (sum_of(()),))
    hides = left.hides or right.hides
    return warned(e, Elementwise(char, (), sum_of, sources, True, hides=hides), result)
