"""Masks of an array or of its first axes: `x[m]`, stores of a number, or of an element for each
where the mask is true (`x[m] = v`, `x[m] += v`), and `np.where(m, a, b)`.

Stores and `where` select: each element is stored, with what it was where the mask is false. What
would warn or raise at an element that the mask leaves out has the statement left to the
interpreter.
"""

from __future__ import annotations

from fastnp._loops import array_operators, arrays, numbers, scratch
from fastnp._loops.arrays import Elementwise, Indices, Item
from fastnp._loops.counted_loops import for_each
from fastnp._loops.element_loops import in_memory
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.ranges import EXTENT
from fastnp._loops.types import COMPLEX_CHAR, I8, I64, SIZES, Number, Value, numpy_loop


def mask_of(e: Emitter, array: Value, items: list[Item]) -> Elementwise | None:
    """The mask of its first axes that an array is indexed by; `None` if it is indexed otherwise."""
    if len(items) != 1 or items[0].array is None:
        return None
    mask = arrays.by_element(e, arrays.elements(e, items[0].array))
    type_ = arrays.array_type(array)
    if mask.char != "?":
        return None
    if not 1 <= len(mask.shape) <= type_.ndim or type_.char == COMPLEX_CHAR:
        raise Unsupported("a mask of another shape")
    for own, other in zip(arrays.shape(array), mask.shape, strict=False):
        e.leave_unless(e.text.op(I8, "icmp.eq", own, other))
    return mask


def widened(e: Emitter, mask: Elementwise, array: Value) -> Elementwise:
    """A mask of an array's first axes with an axis of one element for each that it lacks."""
    more = arrays.array_type(array).ndim - len(mask.shape)
    if more == 0:
        return mask
    element, ndim = mask.element, len(mask.shape)
    shape = (*mask.shape, *(e.text.integer(1) for _ in range(more)))
    return mask._replace(
        shape=shape,
        element=lambda indices: element(indices[:ndim]),
        packed=None,
        formula=None,
        order=(),
    )


def taken(e: Emitter, array: Value, mask: Elementwise) -> Elementwise:
    """`x[m]`: the elements, or rows, where a mask is true, one after another in scratch memory."""
    type_, text = arrays.array_type(array), e.text
    width, source = SIZES[type_.char], arrays.elements(e, array)
    arrays.refuse_many(e, source.shape)
    total, inner = arrays.size(e, source.shape), source.shape[len(mask.shape) :]
    e.spend(total)
    memory = scratch.take(e, arrays.bytes_of(e, type_.char, total))
    cursor, count = text.register(I64, "at"), text.register(I64, "count")
    text.copy(cursor, memory)
    text.copy(count, text.integer(0))

    taken_bytes = arrays.bytes_of(e, type_.char, arrays.size(e, inner))

    def keep(indices: Indices) -> None:
        # Every element is stored, and overwritten unless it is taken: no branch is mispredicted.
        at = text.register(I64, "at")
        text.copy(at, cursor)

        def store(rest: Indices) -> None:
            arrays.store(e, type_.char, at, source.element((*indices, *rest)))
            text.line(f"{at} = add {at}, {text.integer(width)}")

        for_each(e, inner, store)
        one = text.op(I64, "b2i", mask.element(indices))
        text.line(f"{count} = add {count}, {one}")
        text.line(f"{cursor} = add {cursor}, {text.op(I64, 'mul', one, taken_bytes)}")

    for_each(e, mask.shape, keep)
    if mask.warns:
        e.leave_if_raised()
    text.ranges[count] = EXTENT
    return arrays.in_scratch(e, memory, type_.char, (count, *inner), type_.is_ours)


def stored(e: Emitter, array: Value, mask: Elementwise, value: Value | Elementwise) -> Elementwise:
    """The elements of an array after a value was stored under a mask."""
    if arrays.is_array(value):
        return scattered(e, array, mask, value)
    assert isinstance(value, Value)
    char = arrays.array_type(array).char
    python = numbers.number(value).may_be_python
    register = numbers.convert(e, e.settle(value), char, python)
    return selected(e, widened(e, mask, array), arrays.number_everywhere(e, char, register), array)


def scattered(
    e: Emitter, array: Value, mask: Elementwise, value: Value | Elementwise
) -> Elementwise:
    """The elements of an array after those of another one, of its type, were stored where a mask is
    true, one after another. It is left where these are not as many.
    """
    type_, text = arrays.array_type(array), e.text
    values = in_memory(e, value)
    source = arrays.array_type(values)
    if source.ndim != 1 or len(mask.shape) != type_.ndim or source.char != type_.char:
        raise Unsupported("an array of this kind stored under a mask")
    (length,), (stride,) = arrays.shape(values), arrays.strides(values)
    total = arrays.size(e, mask.shape)
    arrays.refuse_many(e, mask.shape)
    e.spend(total)
    memory = scratch.take(e, arrays.bytes_of(e, type_.char, total))
    to, cursor, count = (text.register(I64, name) for name in ("to", "at", "count"))
    text.copy(to, memory)
    text.copy(cursor, arrays.address(values))
    text.copy(count, text.integer(0))

    def choose(indices: Indices) -> None:
        is_taken = mask.element(indices)
        # Of more trues than values the loop is left below, and no address beyond the last is read.
        is_inside = text.op(I8, "icmp.lt", count, length)
        own = arrays.element_address(e, array, arrays.strides(array), indices)
        at = text.op(I64, "select", text.op(I8, "and", is_taken, is_inside), cursor, own)
        arrays.store(e, type_.char, to, arrays.load(e, type_.char, at).register)
        one = text.op(I64, "b2i", is_taken)
        text.line(f"{to} = add {to}, {text.integer(SIZES[type_.char])}")
        text.line(f"{count} = add {count}, {one}")
        text.line(f"{cursor} = add {cursor}, {text.op(I64, 'mul', one, stride)}")

    for_each(e, mask.shape, choose)
    if mask.warns:
        e.leave_if_raised()
    e.leave_unless(text.op(I8, "icmp.eq", count, length))
    return arrays.in_scratch(e, memory, type_.char, mask.shape, type_.is_ours)


def selected(
    e: Emitter, mask: Elementwise, a: Value | Elementwise, b: Value | Elementwise
) -> Elementwise:
    """The elements of `a` where a mask is true, else of `b`, of the same type."""
    then, otherwise = arrays.elements(e, a), arrays.elements(e, b)
    kind = Number(then.char).registers[0]
    return arrays.map_elements(
        e,
        [mask, then, otherwise],
        then.char,
        lambda x: e.text.op(kind, "select", *x),
        False,
        hides=True,
        step="where",
        inputs=f"?{then.char}{then.char}",
    )


def where(e: Emitter, arguments: list[Value | Elementwise]) -> Elementwise:
    """`np.where(mask, a, b)`, in the type that NumPy finds for both."""
    if len(arguments) != 3 or not arrays.is_array(arguments[0]):
        raise Unsupported("where without a mask")
    mask = arrays.elements(e, arguments[0])
    names = tuple(array_operators.scalar_name(value) for value in arguments[1:])
    if mask.char != "?" or not any(arrays.is_array(value) for value in arguments[1:]):
        raise Unsupported("where of these values")
    # Sums have the common type, but those of truth values.
    loop = numpy_loop("add", names)
    if loop is None or loop[-1] == "?":
        raise Unsupported("where of these values")
    char = loop[-1]
    sides = []
    for value, have in zip(arguments[1:], names, strict=True):
        if len(have) == 1 and have != char:
            raise Unsupported("where of values of several types")
        sides.append(array_operators.taken_by(e, arrays.elements(e, value), have, char))
    return selected(e, mask, *sides)
