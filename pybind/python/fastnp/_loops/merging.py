"""Values that come of several paths, as one."""

from __future__ import annotations

from fastnp._loops import numbers, references, symbols
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.text import Block
from fastnp._loops.types import (
    ListType,
    Number,
    SymbolType,
    TableType,
    TupleType,
    Type,
    Value,
    common,
)


def merged(e: Emitter, ends: list[tuple[Value, Block]]) -> Value:
    """The value that one of several paths ends with: a number, an object in memory, a symbol, or a
    list, a dictionary or a tuple of one type.
    """
    type_ = common_type([value for value, _ in ends])
    result = tuple(e.text.register(kind) for kind in type_.registers)
    after = e.text.new_block("merged")
    for value, block in ends:
        e.text.start(block)
        if isinstance(type_, Number):
            value = numbers.as_common(e, value, type_)
        for target, source in zip(result, value.registers, strict=True):
            e.text.copy(target, source)
        e.text.jump(after)
    e.text.start(after)
    return Value(type_, result)


def common_type(values: list[Value]) -> Type:
    """The type of a value that is one of several numbers, or of several objects of a class, or
    members of enumerations.
    """
    types = {value.type for value in values}
    if len(types) == 1 and isinstance(values[0].type, ListType | TableType | TupleType):
        return values[0].type
    if all(map(references.is_reference, values)) and len(types) == 1:
        return references.reference(values[0])
    if all(map(symbols.is_symbol, values)):
        return SymbolType(types.pop().class_ if len(types) == 1 else None)  # type: ignore[union-attr]
    type_ = numbers.number(values[0])
    for value in values[1:]:
        joined = common(type_, numbers.number(value))
        if joined is None:
            raise Unsupported(f"a value that is {type_} or {value.type}")
        type_ = joined
    return type_
