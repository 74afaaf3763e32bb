"""Complex numbers, as Python's `complex` and NumPy's `complex128` compute.

A result that is not finite is left: then the interpreter raises, warns, or repairs it. NumPy's
loops over arrays may fuse a product with a sum, which its scalars do not: operations that NumPy
computes with such a loop are left too.
"""

from __future__ import annotations

import platform
import sys
from typing import TypeGuard

from fastnp._loops import numbers
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    BOOL,
    BOTH_PARTS,
    COMPLEX,
    F64,
    FLOAT,
    I8,
    NP_BOOL,
    NP_COMPLEX,
    NP_FLOAT,
    ComplexType,
    Number,
    Value,
)

Parts = tuple[str, str]

# A compiler may fuse products and sums of the interpreter's where the machine can.
IS_EXACT = platform.machine() in ("x86_64", "AMD64")
# From here on Python does not make a complex number of the real operand first.
MIXES = sys.version_info >= (3, 14)
MAX_POWER = 8


def literal(e: Emitter, value: complex) -> Value:
    """A number of Python's, which the source has, or one of NumPy's."""
    type_ = COMPLEX if type(value) is complex else NP_COMPLEX
    return Value(type_, (e.text.float(value.real), e.text.float(value.imag)))


def is_complex(value: object) -> TypeGuard[Value]:
    return isinstance(value, Value) and isinstance(value.type, ComplexType)


def parts(e: Emitter, value: Value) -> Parts:
    """The real and the imaginary part of a number."""
    if isinstance(value.type, ComplexType):
        return value.registers[0], value.registers[1]
    if MIXES:
        raise Unsupported("a complex and a real number")
    return numbers.to_float(e, e.settle(value)), e.text.float(0.0)


def result_type(a: Value, b: Value) -> ComplexType:
    """The type of an operation's result; refuses what NumPy computes as arrays."""
    for value in (a, b):
        is_known = isinstance(value.type, ComplexType) or (
            isinstance(value.type, Number) and value.type.name in ("int", "float", "d")
        )
        if not is_known:
            raise Unsupported(f"an operation of {a.type} and {b.type}")
    # NumPy's float is one of Python's too, so right of Python's complex it is Python that adds.
    is_numpys = NP_COMPLEX in (a.type, b.type) or a.type == NP_FLOAT
    return NP_COMPLEX if is_numpys else COMPLEX


def finite(e: Emitter, type_: ComplexType, found: Parts) -> Value:
    """A result, unless it is infinite or undefined."""
    for register in found:
        e.leave_unless(e.is_finite(register))
    return Value(type_, found)


def product(e: Emitter, a: Parts, b: Parts) -> Parts:
    """The product by its definition."""

    def term(opcode: str, p: str, q: str, r: str, s: str) -> str:
        first, second = e.text.op(F64, "fmul", p, q), e.text.op(F64, "fmul", r, s)
        return e.text.op(F64, opcode, first, second)

    return term("fsub", a[0], b[0], a[1], b[1]), term("fadd", a[0], b[1], a[1], b[0])


def fused_product(e: Emitter, a: str, b: str) -> str:
    """The product of numbers in vectors, as the engine's kernels compute it: two roundings in each
    part.
    """
    text = e.text
    real, imaginary = split(e, a)
    signs = text.op(BOTH_PARTS, "pair", text.float(-1.0), text.float(1.0))
    exchanged = text.op(BOTH_PARTS, "fmul", text.op(BOTH_PARTS, "swap", b), signs)
    added = text.op(BOTH_PARTS, "fmul", imaginary, exchanged)
    return text.op(BOTH_PARTS, "fma", real, b, added)


def split(e: Emitter, vector: str) -> list[str]:
    """The real part everywhere in a vector, and the imaginary part in another one."""
    halves = [e.text.op(F64, half, vector) for half in ("low", "high")]
    return [e.text.op(BOTH_PARTS, "splat", half) for half in halves]


def total(e: Emitter, opcode: str, a: Parts, b: Parts) -> Parts:
    """The sum or difference."""
    return e.text.op(F64, opcode, a[0], b[0]), e.text.op(F64, opcode, a[1], b[1])


def quotient(e: Emitter, a: Parts, b: Parts, is_python: bool) -> Parts:
    """Smith's division. Python divides by the denominator, NumPy multiplies by its inverse."""
    text = e.text
    sizes = [text.op(F64, "fabs", part) for part in b]
    is_real = text.op(I8, "fcmp.ge", *sizes)

    def either(x: str, y: str) -> str:
        return text.op(F64, "select", is_real, x, y)

    larger, smaller = either(b[0], b[1]), either(b[1], b[0])
    e.leave_if(text.op(I8, "fcmp.eq", larger, text.float(0.0)))
    ratio = text.op(F64, "fdiv", smaller, larger)
    below = text.op(F64, "fadd", larger, text.op(F64, "fmul", smaller, ratio))
    first, second = either(a[0], a[1]), either(a[1], a[0])
    real = text.op(F64, "fadd", first, text.op(F64, "fmul", second, ratio))
    when_real = text.op(F64, "fsub", a[1], text.op(F64, "fmul", a[0], ratio))
    when_not = text.op(F64, "fsub", text.op(F64, "fmul", a[1], ratio), a[0])
    imaginary = either(when_real, when_not)
    if is_python:
        return text.op(F64, "fdiv", real, below), text.op(F64, "fdiv", imaginary, below)
    scale = text.op(F64, "fdiv", text.float(1.0), below)
    return text.op(F64, "fmul", real, scale), text.op(F64, "fmul", imaginary, scale)


def power(e: Emitter, a: Value, b: Value) -> Value:
    """A power with a small literal exponent, by the products that each of them makes."""
    exponent = b.literal
    if not isinstance(exponent, int) or isinstance(exponent, bool) or MIXES:
        raise Unsupported("a complex power")
    x = parts(e, a)
    if a.type == NP_COMPLEX:
        if exponent != 2:
            raise Unsupported("a complex power")
        return finite(e, NP_COMPLEX, product(e, x, x))
    if not 0 < exponent <= MAX_POWER:
        raise Unsupported("a complex power")
    result: Parts = (e.text.float(1.0), e.text.float(0.0))
    while exponent:
        if exponent & 1:
            result = product(e, result, x)
        exponent >>= 1
        x = product(e, x, x) if exponent else x
    return finite(e, COMPLEX, result)


def binary(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """`a op b` of which at least one is complex."""
    if name == "power" and is_complex(a):
        return power(e, a, b)
    type_ = result_type(a, b)
    if a.type == NP_FLOAT and name not in ("add", "subtract", "multiply"):
        # NumPy's loops compute it; of sums, and products with a real number, no step can be fused.
        raise Unsupported("a complex number right of NumPy's scalar")
    x, y = parts(e, a), parts(e, b)
    if name in ("add", "subtract"):
        found = total(e, "fadd" if name == "add" else "fsub", x, y)
    elif name == "multiply" and IS_EXACT:
        found = product(e, x, y)
    elif name == "divide" and IS_EXACT:
        found = quotient(e, x, y, type_.is_python)
    else:
        raise Unsupported(f"{name} of complex numbers")
    return finite(e, type_, found)


def compare(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """`a == b`, `a != b`."""
    type_ = result_type(a, b)
    if name not in ("equal", "not_equal") or not (is_complex(a) and is_complex(b)):
        raise Unsupported(f"{name} of complex numbers")
    x, y = parts(e, a), parts(e, b)
    same = [e.text.op(I8, "fcmp.eq", p, q) for p, q in zip(x, y, strict=True)]
    both = e.text.op(I8, "and", *same)
    result = both if name == "equal" else e.text.op(I8, "not", both)
    return Value(BOOL if type_.is_python else NP_BOOL, (result,))


def unary(e: Emitter, name: str, value: Value) -> Value:
    """`-z`, `+z`, `abs(z)`."""
    assert isinstance(value.type, ComplexType)
    x = parts(e, value)
    if name == "negative":
        return Value(value.type, tuple(e.text.op(F64, "fneg", part) for part in x))
    if name == "positive":
        return value
    if name == "absolute":
        size = e.text.call(F64, "hypot", *x)
        e.leave_unless(e.is_finite(size))
        return Value(FLOAT if value.type.is_python else NP_FLOAT, (size,))
    raise Unsupported(f"{name} of complex numbers")


def attribute(e: Emitter, value: Value, name: str) -> Value:
    """`z.real`, `z.imag`."""
    assert isinstance(value.type, ComplexType)
    if name not in ("real", "imag"):
        raise Unsupported(f"`.{name}` of {value.type}")
    kind = FLOAT if value.type.is_python else NP_FLOAT
    return Value(kind, (value.registers[name == "imag"],))


def conjugate(e: Emitter, value: Value) -> Value:
    """`z.conjugate()`."""
    real, imaginary = value.registers
    return Value(value.type, (real, e.text.op(F64, "fneg", imaginary)))


def made(e: Emitter, arguments: list[Value]) -> Value:
    """`complex(a)`, `complex(a, b)` of real numbers."""
    if not 1 <= len(arguments) <= 2:
        raise Unsupported("complex with these arguments")
    found = [numbers.to_float(e, e.settle(argument)) for argument in arguments]
    return Value(COMPLEX, (found[0], found[1] if len(found) == 2 else e.text.float(0.0)))


def stored(e: Emitter, value: Value) -> Parts:
    """A number as an element of a complex array."""
    if isinstance(value.type, ComplexType):
        return parts(e, value)
    return numbers.to_float(e, e.settle(value)), e.text.float(0.0)


def put(e: Emitter, at: str, found: Parts) -> None:
    """Stores a complex number at an address."""
    for offset, register in zip((0, 8), found, strict=True):
        e.text.line(f"store.f64 {at}, {offset}, {register}")
