"""Arrays as compiled code takes them: the fields of a `PyArrayObject`, and memory by its address.

`ctypes` stands for it: it reads the fields of an object where NumPy's header has them, and copies
memory from the addresses that stand there, with the GIL (`PyDLL`) and without (`CDLL`).
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

WORD = ctypes.sizeof(ctypes.c_ssize_t)
# The fields of NumPy's header, in words from the object's address.
DATA, AXES, SHAPE, STRIDES = 2, 3, 4, 5
WITH_THE_GIL, WITHOUT = ctypes.PyDLL(None).memmove, ctypes.CDLL(None).memmove
for _copy in (WITH_THE_GIL, WITHOUT):
    _copy.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def field(x: Any, number: int) -> int:
    """A field of the header, as a number."""
    return ctypes.c_ssize_t.from_address(id(x) + number * WORD).value


def shape(x: Any) -> tuple[int, ...]:
    """The extents that the header leads to."""
    return _lengths(x, SHAPE)


def strides(x: Any) -> tuple[int, ...]:
    """The strides that the header leads to, in bytes."""
    return _lengths(x, STRIDES)


def _lengths(x: Any, number: int) -> tuple[int, ...]:
    n = field(x, AXES) & 0xFFFFFFFF
    return tuple((ctypes.c_ssize_t * n).from_address(field(x, number))) if n else ()


def at_address(x: Any) -> numpy.ndarray:
    """NumPy's array on the memory that the header leads to; it keeps the array alive.

    Its loops are the compiled code that reads and writes. What the header says is taken once, in
    the order in which a function of C does: the address, then shape and strides.
    """
    address, extents, steps = field(x, DATA), shape(x), strides(x)
    spans = [step * (extent - 1) for step, extent in zip(steps, extents, strict=True)]
    low, high = (sum(f(span, 0) for span in spans) for f in (min, max))
    room = (ctypes.c_char * (high - low + x.itemsize)).from_address(address + low)
    room.array = x
    return numpy.ndarray(extents, x.dtype, room, -low, steps)


def read(address: int, n: int, copy: Any = WITH_THE_GIL) -> Any:
    """So many doubles from an address."""
    into = numpy.empty(n)
    copy(into.ctypes.data, address, 8 * n)
    return into


def write(address: int, values: Any, copy: Any = WITH_THE_GIL) -> None:
    """Doubles to an address."""
    values = numpy.ascontiguousarray(values, "f8")
    copy(address, values.ctypes.data, values.nbytes)
