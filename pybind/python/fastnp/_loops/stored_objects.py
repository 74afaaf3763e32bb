"""Objects of the words that compiled code stores where it is left."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops.emitter import Opaque
from fastnp._loops.heap import layout_of
from fastnp._loops.types import (
    ArrayType,
    CharType,
    ComplexType,
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
    UnrolledList,
    rooted,
)
from fastnp._loops.views import rebuilt_view

RESULTS = {"int": "i", "float": "f", "bool": "b", "d": "d", "f": "s", "l": "l"}


def words_of(type_: Type | Opaque) -> list[str]:
    """How each word that is stored of a variable becomes an object: its registers, and the address
    of the array for each view.
    """
    return of_registers(type_) + ["i"] * len(rooted(type_))


def of_registers(type_: Type | Opaque) -> list[str]:
    """How the registers of a variable become objects."""
    match type_:
        case Number(name=name, is_either=True):
            return [RESULTS[name.split("|")[0]], "b"]
        case Number(name=name, is_mixed=True):
            return [RESULTS[name.split("|")[1]], "b"]
        case Number(name=name):
            return [RESULTS.get(name, f"w{name}")]
        case ComplexType():
            return ["f", "f"]
        case TupleType(items=items) | UnrolledList(items=items):
            return [kind for item in items for kind in of_registers(item)]
    return ["i"] * len(type_.registers)


class StoredObjects:
    """The objects of one exit: `values` are those of the code's parameters, `names` what variables
    of the loop are bound to, `symbols` those that the code knows.
    """

    def __init__(
        self, values: list[Any], heap: _fastnp.ListHeap | None, symbols: list[object]
    ) -> None:
        self.values, self.heap, self.symbols = values, heap, symbols
        self.names: dict[str, Any] = {}
        # New arrays by the buffers that they are in: two names of one array stay so.
        self.made: dict[int, Any] = {}

    def object_of(self, type_: Type, stored: list[Any]) -> Any:
        """The object of a type that words stand for."""
        match type_:
            case Number(name=name):
                if type_.is_mixed and stored[1]:
                    return int(stored[0])
                if type_.is_either and stored[1]:
                    return numpy.dtype(name[-1]).type(stored[0])
                return stored[0]
            case ComplexType(is_python=is_python):
                return (complex if is_python else numpy.complex128)(stored[0], stored[1])
            case TupleType():
                return tuple(self.items_of(type_, stored))
            case UnrolledList():
                return self.items_of(type_, stored)
            case RangeType():
                return range(*stored)
            case CharType():
                return chr(stored[0])
            case TextType():
                return self.values[type_.root]
            case ObjectType():
                return type_.value
            case SymbolType() if self.heap is None:
                return self.symbols[stored[0] - 1] if stored[0] else None
            case ListType() | ReferenceType() | SymbolType() | TableType():
                assert self.heap is not None
                return self.heap.object_at(stored[0], layout_of(type_))
            case ArrayType(is_made=True):
                if type_.root not in self.made:
                    self.made[type_.root] = copied(type_, stored)
                return self.made[type_.root]
            case ArrayType():
                root: Any = self.values[type_.root]
                return root if type_.is_root else rebuilt_view(root, type_, stored)
        raise AssertionError(type_)

    def items_of(self, type_: TupleType | UnrolledList, stored: list[Any]) -> list[Any]:
        """The items of several values, whose registers come first."""
        count = len(type_.registers)
        registers, addresses = stored[:count], stored[count:]
        found = []
        for item in type_.items:
            own, views = len(item.registers), len(rooted(item))
            found.append(self.object_of(item, [*registers[:own], *addresses[:views]]))
            registers, addresses = registers[own:], addresses[views:]
        return found


def copied(type_: ArrayType, stored: list[int]) -> object:
    """A new array with the contents of a buffer of the code."""
    address, *shape = stored[: 1 + type_.ndim]
    dtype = numpy.dtype(type_.char)
    size = math.prod(shape) * dtype.itemsize
    contents = ctypes.string_at(address, size) if size else b""
    axes = type_.order or range(type_.ndim)
    in_memory = numpy.frombuffer(contents, dtype).reshape([shape[axis] for axis in axes])
    array = in_memory.transpose(numpy.argsort(axes)).copy(order="K")
    return fastnp_array(array) if type_.is_ours else array


def fastnp_array(array: numpy.ndarray) -> object:
    """An array of ours on the memory of a new one."""
    from fastnp._fastnp import adopt

    return adopt(array)
