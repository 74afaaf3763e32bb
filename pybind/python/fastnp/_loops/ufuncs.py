"""Ufuncs of numbers, by NumPy's own loop over one element, so with its own results."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TypeAlias

import numpy

from fastnp._loops import complexes, creation, numbers
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.known_functions import ufunc
from fastnp._loops.types import (
    COMPLEX_CHAR,
    F32,
    F64,
    I64,
    NP_COMPLEX,
    NP_FLOAT,
    Number,
    Value,
    numpy_loop,
)

Operand: TypeAlias = Value | Elementwise

# Ufuncs of complex numbers that NumPy computes one by one. Of its squares, which it computes in
# vectors too, the last bits depend on where the operand lies.
OF_COMPLEX = (
    "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh"
    " arcsinh arccosh arctanh absolute conjugate".split()
)


@cache
def inner_loop(function: numpy.ufunc, chars: tuple[str, ...]) -> tuple[int, int] | None:
    """The addresses of a ufunc's inner loop for these types, and of its data.

    From the public fields of NumPy's `PyUFuncObject`.
    """
    # After the object's head: four ints, then functions, data, ntypes, reserved, name, types.
    at = id(function) + object.__basicsize__ + 16
    read = ctypes.c_size_t.from_address
    functions, data = read(at).value, read(at + 8).value
    if not functions or not data:
        return None
    for i, signature in enumerate(function.types):
        have = signature.replace("->", "")
        if tuple(have) == chars:
            return read(functions + 8 * i).value, read(data + 8 * i).value
    return None


def of_numbers(e: Emitter, name: str, arguments: list[Operand]) -> Value:
    """A ufunc of one or two floats, or of a complex number."""
    original = ufunc(name)
    if original is None or len(arguments) > 2:
        raise Unsupported(f"a call of {name}")
    if len(arguments) == 1 and complexes.is_complex(arguments[0]):
        return of_complex(e, original, arguments[0])
    values = [creation.scalar(value, name) for value in arguments]
    types = [numbers.number(value) for value in values]
    if all(type_.may_be_python for type_ in types):
        values = [numbers.as_numpys(e, value) for value in values]
    elif any(type_.is_either for type_ in types):
        raise Unsupported(f"{name} of {types[0]} and {types[1]}")
    loop = numpy_loop(name, tuple(numbers.number(value).name for value in values))
    if loop is None or set(loop) not in ({"d"}, {"f"}):
        raise Unsupported(f"{name} of these types")
    registers = []
    for value, char in zip(values, loop, strict=False):
        registers.append(numbers.convert(e, e.settle(value), char, checked=False))
    kind = F64 if loop[0] == "d" else F32
    if e.is_recorded:
        result = e.text.call(kind, f"ufunc.{name}", *registers)
        e.text.reported[result] = name
        return Value(Number(loop[-1]), (result,))
    found = inner_loop(original, loop)
    if found is None:
        raise Unsupported(f"{name} of these types")
    addresses = [e.text.integer(address) for address in found]
    routine = f"loop{len(values)}" + ("f" if kind == F32 else "")
    result = e.text.call(kind, routine, *addresses, *registers)
    # An infinite operand may have a finite result, so the status is always looked at.
    e.leave_if_raised()
    return Value(Number(loop[-1]), (result,))


def of_complex(e: Emitter, function: numpy.ufunc, value: Value) -> Value:
    """A ufunc of a complex number: a complex number of NumPy's, or a float of its."""
    text = e.text
    if e.is_recorded or function.__name__ not in OF_COMPLEX:
        raise Unsupported(f"{function.__name__} of a complex number")
    for result, type_ in ((COMPLEX_CHAR, NP_COMPLEX), ("d", NP_FLOAT)):
        found = inner_loop(function, (COMPLEX_CHAR, result))
        if found is None:
            continue
        addresses = [text.integer(address) for address in found]
        at = text.call(I64, "loop1c", *addresses, *complexes.parts(e, value))
        registers = [
            text.op(F64, "load.f64", at, offset)
            for offset, _ in zip((0, 8), type_.registers, strict=False)
        ]
        e.leave_if_raised()
        for register in registers:
            e.leave_unless(e.is_finite(register))
        return Value(type_, tuple(registers))
    raise Unsupported(f"{function.__name__} of a complex number")
