"""Stores under a mask: `x[m] = v`, `x[m] += v` of a number, and `np.where(m, a, b)`.

They select: each element is stored, with what it was where the mask is false. What would warn or
raise at an element that the mask leaves out has the statement left to the interpreter.
"""

from __future__ import annotations

from fastnp._loops import arrays, numbers
from fastnp._loops.arrays import Elementwise, Item
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import COMPLEX_CHAR, I8, Number, Value, numpy_loop


def mask_of(e: Emitter, array: Value, items: list[Item]) -> Elementwise | None:
    """The mask that an array is indexed by, of its own shape; `None` if it is indexed otherwise."""
    if len(items) != 1 or items[0].array is None:
        return None
    mask = arrays.elements(e, items[0].array)
    type_ = arrays.array_type(array)
    if mask.char != "?":
        return None
    if len(mask.shape) != type_.ndim or type_.char == COMPLEX_CHAR:
        raise Unsupported("a mask of another shape")
    for own, other in zip(arrays.shape(array), mask.shape, strict=True):
        e.leave_unless(e.text.op(I8, "icmp.eq", own, other))
    return mask


def stored(e: Emitter, array: Value, mask: Elementwise, value: Value | Elementwise) -> Elementwise:
    """The elements of an array after a number was stored under a mask."""
    if arrays.is_array(value):
        raise Unsupported("an array stored under a mask")
    assert isinstance(value, Value)
    char = arrays.array_type(array).char
    python = numbers.number(value).may_be_python
    register = numbers.convert(e, e.settle(value), char, python)
    return selected(e, mask, arrays.number_everywhere(e, char, register), array)


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
    )


def where(e: Emitter, arguments: list[Value | Elementwise]) -> Elementwise:
    """`np.where(mask, a, b)`, in the type that NumPy finds for both."""
    if len(arguments) != 3 or not arrays.is_array(arguments[0]):
        raise Unsupported("where without a mask")
    mask = arrays.elements(e, arguments[0])
    names = tuple(arrays.scalar_name(value) for value in arguments[1:])
    if mask.char != "?" or not any(arrays.is_array(value) for value in arguments[1:]):
        raise Unsupported("where of these values")
    # Sums have the common type, but those of truth values.
    loop = numpy_loop("add", names)
    if loop is None or loop[-1] == "?":
        raise Unsupported("where of these values")
    char = loop[-1]
    sides = []
    for value, have in zip(arguments[1:], names, strict=True):
        side = arrays.elements(e, value)
        if len(have) > 1:
            number = Value(Number(have), (side.element(()),))
            side = arrays.number_everywhere(e, char, numbers.convert(e, number, char, checked=True))
        elif have != char:
            raise Unsupported("where of values of several types")
        sides.append(side)
    return selected(e, mask, *sides)
