"""The limits of numbers: `np.iinfo(np.int64).max`, `np.finfo(float).eps`, constants of the code."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp._loops import numbers
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import NP_FLOAT, ObjectType, Value


def of_type(e: Emitter, class_: Any, arguments: list[Value | Elementwise]) -> Value:
    """`np.iinfo(type)` or `np.finfo(type)`."""
    types = [value.type for value in arguments if isinstance(value, Value)]
    if len(types) != 1 or not isinstance(types[0], ObjectType):
        raise Unsupported(f"{class_.__name__} with these arguments")
    known = types[0].value
    if not isinstance(known, type) or not issubclass(known, int | float | numpy.number):
        raise Unsupported(f"{class_.__name__} of this type")
    try:
        return Value(ObjectType(class_(known)), ())
    except ValueError:
        raise Unsupported(f"{class_.__name__} of {known.__name__}") from None


def is_limits(value: Value) -> bool:
    """Whether a value is what `of_type` gives."""
    known = value.type.value if isinstance(value.type, ObjectType) else None
    return isinstance(known, numpy.iinfo | numpy.finfo)


def attribute(e: Emitter, value: Value, name: str) -> Value:
    """A limit: a number of Python's, or a double of NumPy's."""
    assert isinstance(value.type, ObjectType)
    found: Any = getattr(value.type.value, name, None) if name in LIMITS else None
    if type(found) in (int, float):
        return numbers.literal(e, found)
    if type(found) is numpy.float64:
        return Value(NP_FLOAT, (e.text.float(float(found)),))
    raise Unsupported(f"`.{name}` of {type(value.type.value).__name__}")


LIMITS = ("max", "min", "eps", "tiny", "bits", "resolution", "epsneg", "smallest_normal")
