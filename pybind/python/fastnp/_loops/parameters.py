"""Values that a loop is given at its entry: their types, and what the entry checks of them."""

from __future__ import annotations

from collections import deque
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
)
from typing import Any

import numpy

from fastnp._loops.memory_order import of_strides
from fastnp._loops.types import (
    COMPLEX,
    COMPLEX_CHAR,
    MEMORY,
    NP_COMPLEX,
    ArrayType,
    ListType,
    Number,
    ObjectType,
    RangeType,
    ReferenceType,
    SymbolType,
    TableType,
    TextType,
    TupleType,
    Type,
    number_type,
)

KNOWN = (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    type,
    numpy.ufunc,
    slice,
    str,
    type(None),
)
MAX_AXES = 8
# Items of a tuple, each of which takes registers.
MAX_ITEMS = 64


def type_of(value: Any, root: int) -> Type | None:
    """The type of a value, or `None` if compiled code does not know such values. `root` is the
    number of the parameter that it would be. Lists are the emitter's (`type_at_entry`).
    """
    number = number_type(value)
    if number is not None:
        return number
    if type(value) is complex or type(value) is numpy.complex128:
        return COMPLEX if type(value) is complex else NP_COMPLEX
    # `isinstance` would ask objects for their `__class__`, which may be code of the program's.
    if issubclass(type(value), numpy.ndarray):
        return array_type(value, root)
    if type(value) is range:
        return RangeType()
    if type(value) is tuple:
        return tuple_type(value)
    if issubclass(type(value), KNOWN) or callable(value):
        return ObjectType(value)
    return None


def tuple_type(value: tuple[Any, ...]) -> TupleType | None:
    """The type of a tuple of numbers and slices, and of such tuples."""
    items: list[Type] = []
    for item in value:
        type_: Type | None = ObjectType(item) if type(item) is slice else number_type(item)
        if type(item) is tuple:
            type_ = tuple_type(item)
        if type_ is None or len(items) == MAX_ITEMS:
            return None
        items.append(type_)
    return TupleType(tuple(items))


def object_type(value: Any) -> ObjectType | None:
    """The type of an object that is known by identity; `None` of numbers, lists and arrays, whose
    type may take long to find.
    """
    if issubclass(type(value), (list, deque, numpy.ndarray)):
        return None
    type_ = type_of(value, 0)
    return type_ if isinstance(type_, ObjectType) else None


def has_own_elements(value: Any) -> bool:
    """Whether no two elements of an array lie in the same memory, as those of views by `as_strided`
    may: updated in place, one would be read after the other was stored. Entries check it, too.
    """
    span = value.itemsize
    axes = [(abs(step), n) for step, n in zip(value.strides, value.shape, strict=True) if n > 1]
    for step, extent in sorted(axes):
        if step < span:
            return 0 in value.shape
        span += step * (extent - 1)
    return True


def array_type(value: Any, root: int) -> ArrayType | None:
    """The type of an array of exactly our class or NumPy's, of a type that compiled code loads."""
    char = "l" if value.dtype.char == "q" else value.dtype.char
    if (
        not is_plain(type(value))
        or char not in (*MEMORY, COMPLEX_CHAR)
        or not value.dtype.isnative
        or value.ndim > MAX_AXES
        or value.ndim == 0
        or value.flags["ALIGNED"] is False
        or (value.flags.writeable and not has_own_elements(value))
    ):
        return None
    is_dense = value.strides[-1] == value.itemsize
    is_ours = type(value) is not numpy.ndarray
    order = of_strides(value.shape, value.strides) if value.ndim > 1 else ()
    is_writeable = bool(value.flags.writeable)
    return ArrayType(char, value.ndim, is_dense, is_writeable, root, True, is_ours, order=order)


def lengths_of(value: Any) -> tuple[int, ...]:
    """The lengths of an array's axes; an integer, which may be the length of a slice."""
    if type(value) is int:
        return (value,)
    return value.shape if issubclass(type(value), numpy.ndarray) else ()


def is_plain(class_: type) -> bool:
    """Whether a class is our array class or NumPy's itself."""
    import fastnp  # the package imports this module

    return class_ is numpy.ndarray or class_ is fastnp.ndarray


def specification(type_: Type) -> str:
    """How the entry is told to check a parameter, in the terms of `LoopProgram`."""
    match type_:
        case Number(name=name):
            return {"int": "i", "float": "f", "bool": "b", "d": "d", "f": "s", "l": "l"}.get(
                name, f"w:{name}"
            )
        case ArrayType():
            layout = "c" if type_.is_dense else "s"
            access = "w" if type_.is_writeable else "r"
            axes = "" if type_.order is None else type_.order or range(type_.ndim)
            order = "".join(map(str, axes)) if type_.ndim > 1 else ""
            return f"A{type_.char}{type_.ndim}{layout}{access}{order}"
        case RangeType():
            return "r"
        case TextType():
            return "AI1cr"
        case ListType() | ReferenceType() | SymbolType() | TableType():
            return "i"
    raise TypeError(f"no parameter is {type_}")
