"""Elements and rows of an array at indices that are arrays."""

from __future__ import annotations

from fastnp._loops import memory_order
from fastnp._loops.arrays import (
    Elementwise,
    Indices,
    Item,
    address,
    array_type,
    broadcast,
    by_element,
    checked_position,
    element_address,
    elements,
    load,
    number_everywhere,
    position,
    shape,
    steps,
    strides,
    view,
)
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import COMPLEX_CHAR, I8, I64, Number, Value


def gathered(e: Emitter, array: Value, items: list[Item]) -> Elementwise:
    """`array[index, …]`: the first axes by arrays of integers and integers, then slices."""
    type_, text = array_type(array), e.text
    count = next((i for i, x in enumerate(items) if x.kind not in ("integer", "array")), len(items))
    if count > type_.ndim or type_.char == COMPLEX_CHAR:
        raise Unsupported("an index that is an array")
    ndim = type_.ndim
    rest = type_._replace(
        ndim=ndim - count,
        is_dense=type_.is_dense and count < ndim,
        order=memory_order.of_view(type_.order, range(count, ndim)),
    )
    registers = (address(array), *shape(array)[count:], *strides(array)[count:])
    part = view(e, Value(rest, registers), items[count:])
    for extent in shape(part):
        e.leave_if(text.op(I8, "icmp.eq", extent, text.integer(0)))
    positions: list[Elementwise] = []
    for item, extent in zip(items[:count], shape(array), strict=False):
        if item.kind == "integer":
            positions.append(number_everywhere(e, "l", checked_position(e, item, extent)))
            continue
        assert item.array is not None
        positions.append(by_element(e, elements(e, item.array)))
        if not Number(positions[-1].char).is_integer:
            raise Unsupported("an index that is an array")
    lead = broadcast(e, positions)
    head = list(zip(items, positions, shape(array), steps(e, array), strict=False))

    def element(indices: Indices) -> str:
        at = address(part)
        for item, given, extent, stride in head:
            index = given.element(indices[len(lead) - len(given.shape) : len(lead)])
            if item.kind == "array":
                index = position(e, Value(Number(given.char), (index,)), extent)
            at = text.op(I64, "add", at, text.op(I64, "mul", index, stride))
        row = Value(part.type, (at, *part.registers[1:]))
        at = element_address(e, row, steps(e, part), indices[len(lead) :])
        return load(e, type_.char, at).register

    sources = (array, *(source for given in positions for source in given.sources))
    orders = [given.order for given in positions]
    part_type = array_type(part)
    order = memory_order.of_gathered(orders, len(lead), part_type.order, part_type.ndim)
    return Elementwise(type_.char, (*lead, *shape(part)), element, sources, True, order=order)
