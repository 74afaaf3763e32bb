"""Functions of complex numbers: those of `cmath`, and NumPy's that are no ufuncs.

`cmath` computes by the C library's functions of real numbers, and so does compiled code, in the
same steps. Where an operand is so large or so small that `cmath` scales it, or a result is not
finite, the interpreter finds out what comes of it.
"""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable
from typing import TypeAlias

from fastnp._loops import complexes, creation, numbers, tuples, ufuncs
from fastnp._loops.arrays import Elementwise
from fastnp._loops.complexes import Parts
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import COMPLEX, F64, FLOAT, I8, Value

Operand: TypeAlias = Value | Elementwise

# Above it `cmath` scales; the second is what an exponential may grow from.
LARGE = sys.float_info.max / 4
LARGE_LOG = math.log(LARGE)
SMALLEST = sys.float_info.min


def operand(e: Emitter, arguments: list[Operand], name: str) -> Parts:
    """The one argument of a function of `cmath`, a finite number."""
    if len(arguments) != 1 or not isinstance(arguments[0], Value):
        raise Unsupported(f"cmath.{name} with these arguments")
    parts = complexes.stored(e, arguments[0])
    for part in parts:
        e.leave_unless(e.is_finite(part))
    return parts


def magnitudes(e: Emitter, z: Parts) -> Parts:
    """The absolute values of both parts, of which one at least is no subnormal number."""
    x, y = (e.text.op(F64, "fabs", part) for part in z)
    smallest = e.text.float(SMALLEST)
    are_small = [e.text.op(I8, "fcmp.lt", size, smallest) for size in (x, y)]
    e.leave_if(e.text.op(I8, "and", *are_small))
    return x, y


def times(e: Emitter, *factors: str) -> str:
    return e.text.op(F64, "fmul", *factors)


def turned(e: Emitter, size: str, angle: str) -> Parts:
    """The number of this absolute value and argument."""
    return times(e, size, e.text.call(F64, "cos", angle)), times(
        e, size, e.text.call(F64, "sin", angle)
    )


def exponential(e: Emitter, z: Parts) -> Parts:
    e.leave_if(e.text.op(I8, "fcmp.gt", z[0], e.text.float(LARGE_LOG)))
    return turned(e, e.text.call(F64, "exp", z[0]), z[1])


def hyperbolic(e: Emitter, z: Parts, names: tuple[str, str]) -> Parts:
    """The products of the cosine and the sine with two functions of the real part."""
    size = e.text.op(F64, "fabs", z[0])
    e.leave_if(e.text.op(I8, "fcmp.gt", size, e.text.float(LARGE_LOG)))
    first, second = (e.text.call(F64, name, z[0]) for name in names)
    cosine, sine = e.text.call(F64, "cos", z[1]), e.text.call(F64, "sin", z[1])
    return times(e, cosine, first), times(e, sine, second)


def hyperbolic_sine(e: Emitter, z: Parts) -> Parts:
    return hyperbolic(e, z, ("sinh", "cosh"))


def hyperbolic_cosine(e: Emitter, z: Parts) -> Parts:
    return hyperbolic(e, z, ("cosh", "sinh"))


def sine(e: Emitter, z: Parts) -> Parts:
    """`-i sinh(iz)`."""
    real, imaginary = hyperbolic_sine(e, (e.text.op(F64, "fneg", z[1]), z[0]))
    return imaginary, e.text.op(F64, "fneg", real)


def cosine(e: Emitter, z: Parts) -> Parts:
    """`cosh(iz)`."""
    return hyperbolic_cosine(e, (e.text.op(F64, "fneg", z[1]), z[0]))


def logarithm(e: Emitter, z: Parts) -> Parts:
    """The logarithm of the absolute value, by what it differs from 1 where it is close to that."""
    if not complexes.IS_EXACT:
        raise Unsupported("log of a complex number")
    text, sizes = e.text, magnitudes(e, z)
    for size in sizes:
        e.leave_if(text.op(I8, "fcmp.gt", size, text.float(LARGE)))
    absolute, result = text.call(F64, "hypot", *sizes), text.register(F64)
    is_close = text.op(
        I8,
        "and",
        text.op(I8, "fcmp.ge", absolute, text.float(0.71)),
        text.op(I8, "fcmp.le", absolute, text.float(1.73)),
    )
    close, other, after = (text.new_block("log") for _ in range(3))
    text.branch(is_close, close, other)
    text.start(close)
    is_first = text.op(I8, "fcmp.gt", *sizes)
    larger = text.op(F64, "select", is_first, *sizes)
    smaller = text.op(F64, "select", is_first, *reversed(sizes))
    one = text.float(1.0)
    product = times(e, text.op(F64, "fsub", larger, one), text.op(F64, "fadd", larger, one))
    above = text.op(F64, "fadd", product, times(e, smaller, smaller))
    twice = text.call(F64, "log1p", above)
    text.copy(result, text.op(F64, "fdiv", twice, text.float(2.0)))
    text.jump(after)
    text.start(other)
    text.copy(result, text.call(F64, "log", absolute))
    text.jump(after)
    text.start(after)
    return result, argument(e, z)


def square_root(e: Emitter, z: Parts) -> Parts:
    text, (x, y) = e.text, magnitudes(e, z)
    eight, two = text.float(8.0), text.float(2.0)
    x, part = text.op(F64, "fdiv", x, eight), text.op(F64, "fdiv", y, eight)
    total = text.op(F64, "fadd", x, text.call(F64, "hypot", x, part))
    root = times(e, two, text.op(F64, "sqrt", total))
    other = text.op(F64, "fdiv", y, times(e, two, root))
    is_right = text.op(I8, "fcmp.ge", z[0], text.float(0.0))
    real = text.op(F64, "select", is_right, root, other)
    imaginary = text.op(F64, "select", is_right, other, root)
    return real, text.op(F64, "copysign", imaginary, z[1])


def argument(e: Emitter, z: Parts) -> str:
    return e.text.call(F64, "atan2", z[1], z[0])


Complex: TypeAlias = Callable[[Emitter, Parts], Parts]
OF_CMATH: dict[str, Complex] = {
    "exp": exponential,
    "log": logarithm,
    "sqrt": square_root,
    "sin": sine,
    "cos": cosine,
    "sinh": hyperbolic_sine,
    "cosh": hyperbolic_cosine,
}


def complex_function(name: str) -> Callable[[Emitter, list[Operand]], Value]:
    """A function of `cmath` whose result is a complex number."""

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        return complexes.finite(e, COMPLEX, OF_CMATH[name](e, operand(e, arguments, name)))

    return compute


def logarithm_to_base(e: Emitter, arguments: list[Operand]) -> Value:
    """`cmath.log(z)`, `cmath.log(z, base)`: a quotient of two logarithms."""
    if len(arguments) != 2:
        return complex_function("log")(e, arguments)
    z, base = (logarithm(e, operand(e, [argument], "log")) for argument in arguments)
    return complexes.finite(e, COMPLEX, complexes.quotient(e, z, base, is_python=True))


def phase(e: Emitter, arguments: list[Operand]) -> Value:
    """`cmath.phase(z)`."""
    return Value(FLOAT, (argument(e, operand(e, arguments, "phase")),))


def polar(e: Emitter, arguments: list[Operand]) -> Value:
    """`cmath.polar(z)`."""
    z = operand(e, arguments, "polar")
    size = e.text.call(F64, "hypot", *z)
    e.leave_unless(e.is_finite(size))
    return tuples.of_items([Value(FLOAT, (size,)), Value(FLOAT, (argument(e, z),))])


def rect(e: Emitter, arguments: list[Operand]) -> Value:
    """`cmath.rect(r, phi)`."""
    if len(arguments) != 2:
        raise Unsupported("cmath.rect with these arguments")
    size, angle = (
        numbers.to_float(e, e.settle(creation.scalar(value, "rect"))) for value in arguments
    )
    e.leave_unless(e.is_finite(angle))
    return complexes.finite(e, COMPLEX, turned(e, size, angle))


def functions_of_cmath() -> dict[int, Callable[[Emitter, list[Operand]], Operand]]:
    """By the functions' addresses."""
    known: dict[int, Callable[[Emitter, list[Operand]], Operand]] = {
        id(getattr(cmath, name)): complex_function(name) for name in OF_CMATH
    }
    known.update(
        {
            id(cmath.log): logarithm_to_base,
            id(cmath.phase): phase,
            id(cmath.polar): polar,
            id(cmath.rect): rect,
        }
    )
    return known


# NumPy.


def part(name: str) -> Callable[[Emitter, list[Operand]], Value]:
    """`np.real(z)`, `np.imag(z)`."""

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        return complexes.attribute(e, complex_number(arguments, name), name)

    return compute


def angle(e: Emitter, arguments: list[Operand]) -> Value:
    """`np.angle(z)`."""
    real, imaginary = complexes.parts(e, complex_number(arguments, "angle"))
    parts: list[Operand] = [Value(FLOAT, (imaginary,)), Value(FLOAT, (real,))]
    return ufuncs.of_numbers(e, "arctan2", parts)


def complex_number(arguments: list[Operand], name: str) -> Value:
    """The one argument of a function, a complex number."""
    if len(arguments) == 1 and complexes.is_complex(arguments[0]):
        return arguments[0]
    raise Unsupported(f"{name} of these arguments")
