"""Operators and ufuncs on arrays, in the loops of NumPy's that their operands' types choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy

from fastnp._loops import complexes, element_loops, known_functions, numbers
from fastnp._loops.arrays import (
    Elementwise,
    Indices,
    elements,
    is_array,
    is_ours,
    map_elements,
    number_everywhere,
)
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    BOTH_PARTS,
    COMPLEX_CHAR,
    I8,
    I64,
    PACKED,
    ArrayType,
    ComplexType,
    Number,
    Value,
    numpy_loop,
)


def scalar_name(value: Value | Elementwise) -> str:
    """The type that a number or the elements of an array have for NumPy's choice of a loop."""
    if isinstance(value, Elementwise):
        return value.char
    if isinstance(value.type, ComplexType):
        return "complex" if value.type.is_python else COMPLEX_CHAR
    return value.type.char if isinstance(value.type, ArrayType) else numbers.number(value).name


# Operators of arrays of complex numbers.
OF_COMPLEX = ("add", "subtract", "multiply", "divide", "true_divide")


def complex_loop(name: str, values: Sequence[Value | Elementwise]) -> str | None:
    """The type of the elements of a ufunc of complex numbers, and others; `None` where none is
    complex. Only those of ours have the bits of kernels.
    """
    names = [scalar_name(value) for value in values]
    if not {COMPLEX_CHAR, "complex"} & {*names}:
        return None
    weak = {"int": int, "float": float, "complex": complex}
    if not any(map(is_ours, values)) or not {*names} <= {*"Ddl", *weak}:
        raise Unsupported(f"{name} of arrays of {', '.join(names)}")
    try:
        given = (*(weak.get(one) or numpy.dtype(one) for one in names), None)
        loop = [dtype.char for dtype in known_functions.ufunc(name).resolve_dtypes(given)]
    except TypeError:
        loop = []
    if set(loop[:-1]) != {COMPLEX_CHAR} or loop[-1] not in (COMPLEX_CHAR, "d"):
        raise Unsupported(f"{name} of arrays of {', '.join(names)}")
    return str(loop[-1])


def of_complexes(
    e: Emitter, name: str, char: str, values: Sequence[Value | Elementwise]
) -> Elementwise:
    """A ufunc of complex numbers, which a kernel computes, or a loop over few elements."""

    def element(_: list[str]) -> str:
        raise Unsupported(f"{name} of complex numbers, element by element")

    operands = []
    for value in values:
        have = scalar_name(value)
        if have in ("int", "float"):
            assert isinstance(value, Value)
            register = numbers.convert(e, e.settle(value), "d", checked=True)
            operands.append(number_everywhere(e, "d", register))
        else:
            operands.append(elements(e, value))
    step = "divide" if name == "true_divide" else name
    inputs = COMPLEX_CHAR * len(operands)
    of_parts = IN_PARTS.get(name)
    found = map_elements(
        e,
        operands,
        char,
        element,
        True,
        hides=True,
        step=step,
        inputs=inputs,
        of_parts=None if of_parts is None else lambda parts: of_parts(e, *parts),
    )
    if found.formula is None or not found.shape:
        raise Unsupported(f"{name} of these arrays")
    return found._replace(packed=None, is_ours=True, needs_kernel=found.parts is None)


# Operations of which a loop computes an element as a kernel does.
IN_PARTS: dict[str, Callable[..., str]] = {
    "add": lambda e, a, b: e.text.op(BOTH_PARTS, "fadd", a, b),
    "subtract": lambda e, a, b: e.text.op(BOTH_PARTS, "fsub", a, b),
    "multiply": complexes.fused_product,
}


def power(e: Emitter, arguments: Sequence[Value | Elementwise]) -> Value | Elementwise:
    """`pow(a, b)`, which is `a ** b`."""
    if len(arguments) != 2:
        raise Unsupported("pow with a modulus")
    a, b = arguments
    if is_array(a) or is_array(b):
        return binary(e, "power", a, b)
    assert isinstance(a, Value)
    assert isinstance(b, Value)
    return numbers.binary(e, "power", a, b)


def binary(e: Emitter, name: str, a: Value | Elementwise, b: Value | Elementwise) -> Elementwise:
    """`a op b` of which at least one is an array."""
    if (char := complex_loop(name, (a, b))) is not None:
        if name == "power" and isinstance(b, Value) and b.literal == 2:
            return of_complexes(e, "square", char, (a,))
        if name not in OF_COMPLEX:
            raise Unsupported(f"{name} of arrays of complex numbers")
        return of_complexes(e, name, char, (a, b))
    if name == "power" and isinstance(b, Value) and b.literal == 2 and scalar_name(a) in "fd":
        return square(e, elements(e, a))
    names = (scalar_name(a), scalar_name(b))
    loop = numpy_loop(name, names)
    if loop is None:
        raise Unsupported(f"{name} of arrays of {names[0]} and {names[1]}")
    operands = [elements(e, a), elements(e, b)]
    # A Python number takes the array's type before the loop: it must fit.
    operands = [
        taken_by(e, operand, have, to)
        for operand, have, to in zip(operands, names, loop, strict=False)
    ]
    chars = [operand.char for operand in operands]
    if Number(loop[-1]).is_bool and name in numbers.COMPARISONS:

        def compare(x: list[str]) -> str:
            values = [Value(Number(c), (r,)) for c, r in zip(chars, x, strict=True)]
            return numbers.compare(e, name, values[0], values[1]).register

        inputs = "".join(loop[:-1])
        return map_elements(e, operands, "?", compare, False, hides=True, step=name, inputs=inputs)

    def compute(x: list[str]) -> str:
        left, right = (
            numbers.convert(e, Value(Number(c), (r,)), to, checked=False)
            for c, r, to in zip(chars, x, loop, strict=False)
        )
        return numbers.numpy_binary(e, name, loop, left, right, checked=False).register

    plain = name in ("add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor")
    warns = Number(loop[-1]).is_float or not plain
    opcode = PACKED_OPCODES.get(name, "")
    by_kernel = is_general_power(name, loop, a, b)
    step, inputs = name if by_kernel else kernel_step(name, loop, b), "".join(loop[:-1])
    found = map_elements(
        e, operands, loop[-1], compute, warns, not plain, opcode, step=step, inputs=inputs
    )
    return found._replace(needs_kernel=True, packed=None) if by_kernel else found


# Exponents of which powers are reciprocals, roots, copies and squares.
REDUCED = (-1, 0.5, 1, 2)


def is_general_power(
    name: str, loop: tuple[str, ...], base: Value | Elementwise, exponent: Value | Elementwise
) -> bool:
    """Whether `base ** exponent` is an array of ours to the power of a number of the source, which
    has the bits of kernels. One power takes as long as several additions of the C library's.
    """
    literal = exponent.literal if isinstance(exponent, Value) else None
    is_known = literal is not None and type(literal) is not bool and literal not in REDUCED
    return name == "power" and loop[-1] in "fd" and is_known and is_ours(base)


def taken_by(e: Emitter, operand: Elementwise, have: str, char: str) -> Elementwise:
    """An operand of a loop: a Python number takes the loop's type, and must fit."""
    if len(have) == 1:
        return operand
    number = Value(Number(have), (operand.element(()),))
    return number_everywhere(e, char, numbers.convert(e, number, char, checked=True))


def kernel_step(name: str, loop: tuple[str, ...], exponent: Value | Elementwise) -> str:
    """The step of kernels that computes `a op b` in a loop of NumPy's, if there is one."""
    if name != "power":
        return "divide" if name == "true_divide" else name
    # Powers by Python's numbers may be squares, roots, reciprocals; integers may raise.
    is_python = isinstance(exponent, Value) and numbers.number(exponent).may_be_python
    return "" if is_python or loop[-1] not in "fd" else name


# The instructions of operations on floats, which take vectors too.
PACKED_OPCODES = {
    "add": "fadd",
    "subtract": "fsub",
    "multiply": "fmul",
    "divide": "fdiv",
    "true_divide": "fdiv",
}


def square(e: Emitter, operand: Elementwise) -> Elementwise:
    """`x ** 2` of floats."""
    kind = Number(operand.char).registers[0]
    squared = map_elements(
        e,
        [operand],
        operand.char,
        lambda x: e.text.op(kind, "fmul", x[0], x[0]),
        True,
        step="square",
        inputs=operand.char,
    )
    if (of_packed := operand.packed) is not None:

        def packed(indices: Indices) -> str:
            part = of_packed(indices)
            return e.text.op(PACKED[operand.char][0], "fmul", part, part)

        return squared._replace(packed=packed)
    return squared


def unary(e: Emitter, name: str, value: Value | Elementwise) -> Elementwise:
    """`-x`, `~x`, `abs(x)`, `sqrt(x)` of an array."""
    if (char := complex_loop(name, (value,))) is not None:
        return of_complexes(e, name, char, (value,))
    operand = elements(e, value)
    loop = numpy_loop(name, (operand.char,))
    if loop is not None and not Number(loop[-1]).is_float:
        return unary_of_integers(e, name, operand)
    if loop is None or not Number(loop[-1]).is_float or loop[0] != loop[1]:
        raise Unsupported(f"{name} of an array of {operand.char}")
    opcode = {"negative": "fneg", "absolute": "fabs", "sqrt": "sqrt"}[name]
    kind = Number(loop[-1]).registers[0]

    def compute(x: list[str]) -> str:
        have = Value(Number(operand.char), (x[0],))
        return e.text.op(kind, opcode, numbers.convert(e, have, loop[0], checked=False))

    return map_elements(
        e, [operand], loop[-1], compute, name == "sqrt", opcode=opcode, step=name, inputs=loop[0]
    )


def unary_of_integers(e: Emitter, name: str, operand: Elementwise) -> Elementwise:
    """`~x` of truth values and integers, `-x` and `abs(x)` of 64 bits, which wrap."""
    char, text = operand.char, e.text
    if name == "invert" and (char == "?" or char in "bhil"):
        kind = Number(char).registers[0]

        def compute(x: list[str]) -> str:
            return text.op(kind, "not", x[0])

    elif char == "l" and name in ("negative", "absolute"):

        def compute(x: list[str]) -> str:
            opposite = text.op(I64, "sub", text.integer(0), x[0])
            if name == "negative":
                return opposite
            is_negative = text.op(I8, "icmp.lt", x[0], text.integer(0))
            return text.op(I64, "select", is_negative, opposite, x[0])

    else:
        raise Unsupported(f"{name} of an array of {char}")
    return map_elements(e, [operand], char, compute, False, step=name, inputs=char)


def ufunc(e: Emitter, name: str, arguments: Sequence[Value | Elementwise]) -> Elementwise:
    """A ufunc of ours, which a kernel computes; operands that no kernel computes, as products of
    matrices, are computed before.
    """
    if (char := complex_loop(name, arguments)) is not None and name != "power":
        return of_complexes(e, name, char, arguments)
    names = tuple(scalar_name(value) for value in arguments)
    loop = numpy_loop(name, names)
    if loop is None or name == "power":
        raise Unsupported(f"{name} of arrays of {', '.join(names)}")
    operands = [
        taken_by(e, elements(e, value), have, to)
        for value, have, to in zip(arguments, names, loop, strict=False)
    ]
    operands = [
        elements(e, element_loops.in_memory(e, one)) if one.shape and not one.formula else one
        for one in operands
    ]

    def element(_: list[str]) -> str:
        raise Unsupported(f"{name} of an array, element by element")

    found = map_elements(
        e, operands, loop[-1], element, True, hides=True, step=name, inputs="".join(loop[:-1])
    )
    if found.formula is None or not found.shape:
        raise Unsupported(f"{name} of these arrays")
    return found._replace(packed=None, is_ours=True, needs_kernel=True)
