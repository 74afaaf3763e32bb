"""Arithmetic on numbers, as Python's and NumPy's scalars do it.

Where Python would raise, grow an integer, or NumPy would warn, the statement is left to the
interpreter, which then does so. So compiled code only computes results that nobody is told of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp._loops import ranges
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    BITS,
    BOOL,
    F32,
    F64,
    FLOAT,
    I8,
    I64,
    INT,
    NP_BOOL,
    NP_FLOAT,
    NP_INT,
    Number,
    Type,
    Value,
    common,
    number_type,
    numpy_loop,
)

# The operators of Python's syntax tree, by the name of NumPy's function.
EXACT_INTEGERS = 1 << 53


def literal(e: Emitter, value: int | float) -> Value:
    """A number of the source."""
    if isinstance(value, bool):
        return Value(BOOL, (e.text.truth(value),), value)
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise Unsupported("an integer of more than 64 bits")
        return Value(INT, (e.text.integer(value),), value)
    return Value(FLOAT, (e.text.float(value),), value)


def constant(e: Emitter, known: Any) -> Value | None:
    """A number of Python's or NumPy's that the code takes for a constant; `None` of other objects,
    also of classes that are derived from numbers'.
    """
    type_ = number_type(known)
    if type_ is None:
        return None
    if type_.is_python:
        return literal(e, known)
    if type_.is_float:
        return Value(type_, (e.text.float(float(known), type_.registers[0]),))
    register = e.text.truth(bool(known)) if type_.is_bool else e.text.integer(int(known))
    return Value(type_, (register,))


def number(value: Value, what: str = "this") -> Number:
    """The type of a value that must be a number."""
    if not isinstance(value.type, Number):
        raise Unsupported(f"{what} on {value.type}")
    return value.type


# Conversions.


def to_integer(e: Emitter, value: Value) -> str:
    """An integer or truth value in an `i64` register."""
    type_ = number(value)
    if type_.is_bool:
        return e.text.op(I64, "b2i", value.register)
    if not type_.is_integer:
        raise Unsupported(f"{type_} where an integer is needed")
    return value.register


def to_float(e: Emitter, value: Value, kind: str = F64, exact: bool = False) -> str:
    """A number in a register of a floating-point type.

    With `exact`, an integer that the type does not hold is left to the interpreter.
    """
    type_ = number(value)
    if type_.is_float or type_.is_mixed:
        have = type_.registers[0]
        return value.register if have == kind else e.text.op(kind, "f2f", value.register)
    integer = to_integer(e, value)
    if isinstance(value.literal, int) and abs(value.literal) <= EXACT_INTEGERS and kind == F64:
        return e.text.float(float(value.literal))
    if exact and type_.name in ("int", "l", "int|l"):
        shifted = e.text.op(I64, "add", integer, e.text.integer(EXACT_INTEGERS))
        e.leave_unless(e.text.op(I8, "icmp.ule", shifted, e.text.integer(2 * EXACT_INTEGERS)))
    return e.text.op(kind, "i2f", integer)


def truth(e: Emitter, value: Value) -> str:
    """`bool(value)` in an `i8` register."""
    type_ = number(value, "a condition")
    if type_.is_bool:
        return value.register
    if type_.is_integer:
        return e.text.op(I8, "icmp.ne", value.register, e.text.integer(0))
    zero = e.text.float(0.0, type_.registers[0])  # of a mixed number, too
    return e.text.op(I8, "fcmp.ne", value.register, zero)


def convert(e: Emitter, value: Value, char: str, checked: bool) -> str:
    """A number as an element of NumPy's type `char`, in a register; what does not fit is left.

    `checked` says that the conversion of a number outside of the type's range is looked for, which
    NumPy wraps where arrays are stored to and refuses or warns of elsewhere.
    """
    target = Number(char)
    type_ = number(value)
    text = e.text
    if target.is_float:
        kind = target.registers[0]
        if type_.is_float and kind == F32 and type_.registers[0] == F64:
            narrow = text.op(F32, "f2f", value.register)
            return e.settle(Value(target, (narrow,), is_settled=False)).register
        return to_float(e, value, kind)
    if target.is_bool:
        return truth(e, value)
    if type_.is_float or type_.is_mixed:
        return float_to_integer(e, value, char)
    integer = to_integer(e, value)
    if checked and type_.name != char:
        in_range(e, integer, char)
    return integer


def float_to_integer(e: Emitter, value: Value, char: str) -> str:
    """A float without its fraction as an integer; what is no number of the type is left."""
    text, kind = e.text, value.type.registers[0]
    bits = 53 if BITS[char] == 64 else BITS[char] - char.islower()
    limit = text.float(float(1 << bits), kind)
    inside = text.op(I8, "fcmp.lt", text.op(kind, "fabs", value.register), limit)
    e.leave_unless(inside)
    integer = text.op(I64, "f2i", value.register)
    in_range(e, integer, char)
    return integer


def in_range(e: Emitter, integer: str, char: str) -> None:
    """Leaves where an integer does not fit NumPy's type."""
    bits = BITS[char]
    if bits == 64:
        return
    text = e.text
    if char.isupper():
        e.leave_unless(text.op(I8, "icmp.ult", integer, text.integer(1 << bits)))
    elif (wrapped := wrap(e, integer, char)) != integer:
        # Extended from its low bits, which takes no constants of 64 bits.
        e.leave_unless(text.op(I8, "icmp.eq", integer, wrapped))


def wrap(e: Emitter, integer: str, char: str) -> str:
    """An integer modulo the range of NumPy's type, as arrays compute."""
    bits = BITS[char]
    if bits == 64:
        return integer
    text = e.text
    if char.isupper():
        return text.op(I64, "and", integer, text.integer((1 << bits) - 1))
    range_ = ranges.of_bits(bits, True)
    if range_ is None or ranges.within(text.ranges.get(integer), range_):
        return integer
    shift = text.integer(64 - bits)
    wrapped = text.op(I64, "sar", text.op(I64, "shl", integer, shift), shift)
    text.ranges[wrapped] = range_
    return wrapped


# Binary operations.


def binary(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """`a op b` of two numbers; `name` is NumPy's name of the operation."""
    left, right = number(a, name), number(b, name)
    if left.is_mixed or right.is_mixed:
        return mixed_binary(e, name, a, b)
    if left.is_either or right.is_either:
        return either_binary(e, name, a, b)
    if left.is_python and right.is_python:
        return python_binary(e, name, a, b)
    loop = numpy_loop(name, (left.name, right.name))
    if loop is None:
        raise Unsupported(f"{name} of {left} and {right}")
    weak = left.is_python or right.is_python
    x = convert(e, a, loop[0], checked=weak)
    y = convert(e, b, loop[1], checked=weak)
    settled = a.is_settled and b.is_settled
    return numpy_binary(e, name, loop, x, y, checked=True, settled=settled, exponent=b.literal)


def either_binary(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """An operation of numbers of which one may be Python's or NumPy's, of 64 bits both."""
    for value in (a, b):
        if number(value).name not in ("int", "l", "int|l", "float", "d", "float|d"):
            raise Unsupported(f"{name} of {a.type} and {b.type}")
    result = python_binary(e, name, plain(e, a), plain(e, b))
    return doubtful(e, result, a, b)


def plain(e: Emitter, value: Value) -> Value:
    """The number as Python's; infinite and undefined floats of NumPy's are looked at first."""
    type_ = number(value)
    if type_.is_python:
        return value
    value = e.settle(value)
    names = {"l": INT, "d": FLOAT, "?": BOOL}
    return Value(type_.plain if type_.is_either else names[type_.name], value.registers[:1])


def as_numpys(e: Emitter, value: Value) -> Value:
    """A number as NumPy's scalar of its type."""
    type_ = number(value, "a ufunc")
    chars = {"int": "l", "float": "d", "bool": "?"}
    if type_.is_either:
        value = plain(e, value)
        type_ = number(value)
    if not type_.is_python:
        return value
    return Value(Number(chars[type_.name]), value.registers)


def doubtful(e: Emitter, result: Value, *operands: Value) -> Value:
    """A result that is NumPy's if one of the operands is: always, or as registers say."""
    type_ = number(result)
    tags = []
    for operand in operands:
        have = number(operand)
        if have.is_either:
            tags.append(operand.registers[1])
        elif have.name == "int|d":
            tags.append(e.text.op(I8, "not", operand.registers[1]))
        elif not have.is_python and not have.is_mixed:
            chars = {"int": NP_INT, "float": NP_FLOAT, "bool": NP_BOOL}
            return Value(chars[type_.name], result.registers, is_settled=type_.name != "float")
    if not tags:
        return result
    tag = tags[0] if len(tags) == 1 else e.text.op(I8, "or", *tags)
    name = {"int": "int|l", "float": "float|d", "bool": "bool|?"}[type_.name]
    return Value(Number(name), (*result.registers, tag), is_settled=type_.name != "float")


def as_common(e: Emitter, value: Value, type_: Number) -> Value:
    """A number with the register that says whether it is NumPy's, or an integer."""
    have = number(value)
    if have == type_:
        return value
    if type_.is_mixed:
        is_integer = e.text.truth(have == INT)
        double = to_float(e, value, exact=True)
        return Value(type_, (double, is_integer), is_settled=value.is_settled)
    tag = e.text.truth(not have.is_python)
    return Value(type_, (value.register, tag), is_settled=value.is_settled)


MIXED_OPERANDS = ("int", "float", "d", "float|d", "int|float", "int|d")


def mixed_binary(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """An operation of numbers of which one may be an integer of Python's or a float."""
    left, right = number(a), number(b)
    names = {left.name, right.name}
    if not names <= {*MIXED_OPERANDS} or {"int|float", "int|d"} <= names:
        raise Unsupported(f"{name} of {left} and {right}")
    a, b = e.settle(a), e.settle(b)
    x, y = to_float(e, a, exact=True), to_float(e, b, exact=True)
    if "d" in names:
        return numpy_binary(e, name, ("d", "d", "d"), x, y, checked=True)
    if not names & {"float", "float|d"} and name != "divide":
        return mixed_integers(e, name, a, b, (x, y))
    return doubtful(e, Value(FLOAT, (python_floats(e, name, x, y),)), a, b)


def mixed_integers(e: Emitter, name: str, a: Value, b: Value, doubles: tuple[str, str]) -> Value:
    """A sum, a difference, a product or a square of numbers that may be integers."""
    text = e.text
    opcode = {"add": "fadd", "subtract": "fsub", "multiply": "fmul"}.get(name)
    type_, is_square = common(number(a), number(b)), name == "power" and b.literal == 2
    if type_ is None or not (opcode or is_square):
        raise Unsupported(f"{name} of {a.type} and {b.type}")
    tags = [v.registers[1] for v in (a, b) if number(v).is_mixed]
    are_integers = tags[0] if len(tags) == 1 else text.op(I8, "and", *tags)
    if is_square:
        power = python_floats(e, name, *doubles, is_whole=True)
        square = text.op(F64, "fmul", doubles[0], doubles[0])
        result = text.op(F64, "select", are_integers, square, power)
    else:
        result = text.op(F64, str(opcode), *doubles)
    limit = text.float(float(EXACT_INTEGERS), F64)
    # The limit itself is what the next integer is rounded to.
    is_exact = text.op(I8, "fcmp.lt", text.op(F64, "fabs", result), limit)
    e.leave_unless(text.op(I8, "or", is_exact, text.op(I8, "not", are_integers)))
    # No integer is -0.0.
    positive = text.op(F64, "fadd", result, text.float(0.0, F64))
    result = text.op(F64, "select", are_integers, positive, result)
    return Value(type_, (result, are_integers), is_settled=type_.name == "int|float")


def mixed_compare(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """A comparison of numbers of which one may be an integer of Python's or a float."""
    text = e.text
    names = {number(a).name, number(b).name}
    if not names <= {*MIXED_OPERANDS, "l"}:
        raise Unsupported(f"{name} of {a.type} and {b.type}")
    x, y = to_float(e, a, exact=True), to_float(e, b, exact=True)
    result = text.op(I8, f"fcmp.{COMPARISONS[name]}", x, y)
    return doubtful(e, Value(BOOL, (result,)), a, b)


def numpy_binary(
    e: Emitter,
    name: str,
    loop: tuple[str, ...],
    x: str,
    y: str,
    *,
    checked: bool,
    settled: bool = True,
    exponent: int | float | None = None,
) -> Value:
    """One element of NumPy's loop. `checked` for its scalars, which warn of integers that wrap."""
    text = e.text
    result = Number(loop[-1])
    if result.is_float:
        register = floats(e, name, result, x, y, settled, checked)
        e.text.reported[register] = f"scalar {name.removeprefix('true_')}"
        return Value(result, (register,), is_settled=not checked)
    if result.is_bool:
        if name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
            return Value(result, (text.op(I8, name[8:], x, y),))
        raise Unsupported(f"{name} of truth values")
    char = result.name
    checked = checked and not e.may_wrap()
    if name in ("add", "subtract", "multiply"):
        opcode = {"add": "add", "subtract": "sub", "multiply": "mul"}[name]
        if not checked:
            return Value(result, (wrap(e, text.op(I64, opcode, x, y), char),))
        integer = overflowing(e, opcode, x, y) if BITS[char] == 64 else text.op(I64, opcode, x, y)
        in_range(e, integer, char)
        return Value(result, (integer,))
    if name in ("floor_divide", "remainder"):
        quotient, rest = floor_division(e, x, y)
        integer = quotient if name == "floor_divide" else rest
        in_range(e, integer, char)
        return Value(result, (integer,))
    if name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        return Value(result, (text.op(I64, name[8:], x, y),))
    if name in ("left_shift", "right_shift"):
        e.leave_unless(text.op(I8, "icmp.ult", y, text.integer(BITS[char])))
        if name == "right_shift":
            return Value(result, (text.op(I64, "sar", x, y),))
        return Value(result, (wrap(e, text.op(I64, "shl", x, y), char),))
    if name == "power" and isinstance(exponent, int) and 0 < exponent <= 4:
        integer = x
        for _ in range(exponent - 1):
            integer = (
                overflowing(e, "mul", integer, x) if checked else text.op(I64, "mul", integer, x)
            )
            if checked:
                in_range(e, integer, char)
        return Value(result, (integer if checked else wrap(e, integer, char),))
    raise Unsupported(f"{name} of integers")


def floats(
    e: Emitter, name: str, result: Number, x: str, y: str, settled: bool, checked: bool
) -> str:
    """One element of a floating-point loop of NumPy's."""
    text, kind = e.text, result.registers[0]
    simple = {"add": "fadd", "subtract": "fsub", "multiply": "fmul"}
    if name in simple:
        return text.op(kind, simple[name], x, y)
    if checked and not settled:
        # What is infinite or no number below the line would not show in the quotient.
        y = e.settle(Value(result, (y,), is_settled=False)).register
    if name in ("divide", "true_divide"):
        return text.op(kind, "fdiv", x, y)
    if checked and not settled:
        x = e.settle(Value(result, (x,), is_settled=False)).register
    if name == "power":
        return e.text.call(kind, "pow" if kind == F64 else "powf", x, y)
    if name in ("floor_divide", "remainder"):
        quotient, rest = float_floor_division(e, kind, x, y)
        return quotient if name == "floor_divide" else rest
    raise Unsupported(f"{name} of floats")


def python_binary(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """An operation of Python's own numbers."""
    text = e.text
    if number(a).is_float or number(b).is_float:
        x, y = to_float(e, a), to_float(e, b)
        is_whole = isinstance(b.literal, int) and b.literal > 0
        return Value(FLOAT, (python_floats(e, name, x, y, is_whole),))
    if (
        name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        and number(a).is_bool
        and number(b).is_bool
    ):
        return Value(BOOL, (text.op(I8, name[8:], a.register, b.register),))
    if name == "divide":
        x, y = to_float(e, a, exact=True), to_float(e, b, exact=True)
        return Value(FLOAT, (python_floats(e, name, x, y),))
    x, y = to_integer(e, a), to_integer(e, b)
    if name in ("add", "subtract", "multiply"):
        opcode = {"add": "add", "subtract": "sub", "multiply": "mul"}[name]
        return Value(INT, (overflowing(e, opcode, x, y),))
    if name in ("floor_divide", "remainder"):
        return Value(INT, (floor_division(e, x, y, b.literal)[name == "remainder"],))
    if name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        return Value(INT, (text.op(I64, name[8:], x, y),))
    if name == "right_shift":
        e.leave_unless(text.op(I8, "icmp.ult", y, text.integer(64)))
        return Value(INT, (text.op(I64, "sar", x, y),))
    if name == "left_shift":
        e.leave_unless(text.op(I8, "icmp.ult", y, text.integer(63)))
        shifted = text.op(I64, "shl", x, y)
        back = text.op(I64, "sar", shifted, y)
        e.leave_unless(text.op(I8, "icmp.eq", back, x))
        return Value(INT, (shifted,))
    if name == "power" and isinstance(b.literal, int) and 0 < b.literal <= 8:
        integer = x
        for _ in range(b.literal - 1):
            integer = overflowing(e, "mul", integer, x)
        return Value(INT, (integer,))
    if name == "power":
        return integer_power(e, a, b, x, y)
    raise Unsupported(f"{name} of integers")


def integer_power(e: Emitter, a: Value, b: Value, x: str, y: str) -> Value:
    """`a ** b` of integers, by squaring; a negative exponent, which gives a float, is left."""
    text, bases = e.text, (a.literal, b.literal)
    if all(isinstance(part, int) for part in bases):
        base, exponent = map(int, bases)  # type: ignore[arg-type]
        if 0 <= exponent < 64 and abs(base**exponent) < 1 << 63:
            return literal(e, base**exponent)
    result, square, left = (text.register(I64) for _ in range(3))
    e.leave_unless(text.op(I8, "icmp.ge", y, text.integer(0)))
    text.copy(result, text.integer(1))
    text.copy(square, x)
    text.copy(left, y)
    head, odd, even, more, after = (text.new_block("power") for _ in range(5))
    text.jump(head)
    text.start(head)
    last_bit = text.op(I64, "and", left, text.integer(1))
    text.branch(text.op(I8, "icmp.ne", last_bit, text.integer(0)), odd, even)
    text.start(odd)
    text.copy(result, overflowing(e, "mul", result, square))
    text.jump(even)
    text.start(even)
    text.copy(left, text.op(I64, "shr", left, text.integer(1)))
    text.branch(text.op(I8, "icmp.gt", left, text.integer(0)), more, after)
    text.start(more)
    text.copy(square, overflowing(e, "mul", square, square))
    text.jump(head)
    text.start(after)
    return Value(INT, (result,))


def python_floats(e: Emitter, name: str, x: str, y: str, is_whole: bool = False) -> str:
    """An operation of two Python floats, which raises where it divides by zero or a power
    overflows. `is_whole` says that `y` is a positive integer.
    """
    text = e.text
    simple = {"add": "fadd", "subtract": "fsub", "multiply": "fmul"}
    if name in simple:
        return text.op(F64, simple[name], x, y)
    if name == "power":
        if not is_whole:
            e.leave_unless(text.op(I8, "fcmp.gt", x, text.float(0.0)))
        power = text.call(F64, "pow", x, y)
        e.leave_unless(e.is_finite(power))
        return power
    if name in ("divide", "floor_divide", "remainder"):
        e.leave_if(text.op(I8, "fcmp.eq", y, text.float(0.0)))
        if name == "divide":
            return text.op(F64, "fdiv", x, y)
        quotient, rest = float_floor_division(e, F64, x, y)
        return quotient if name == "floor_divide" else rest
    raise Unsupported(f"{name} of floats")


def overflowing(e: Emitter, opcode: str, x: str, y: str) -> str:
    """An operation of 64-bit integers that is left where the result has more bits."""
    result, flag = e.text.checked(f"{opcode}o", x, y)
    e.leave_if(flag)
    return result


def floor_division(
    e: Emitter, x: str, y: str, divisor: int | float | None = None
) -> tuple[str, str]:
    """Quotient and remainder of integers as Python rounds them: downwards."""
    text = e.text
    zero = text.integer(0)
    if not isinstance(divisor, int) or divisor in (0, -1):
        e.leave_if(text.op(I8, "icmp.eq", y, zero))
        # The one quotient that does not fit; `-1` is rare enough to be left whatever it divides.
        e.leave_if(text.op(I8, "icmp.eq", y, text.integer(-1)))
    quotient, rest = text.op(I64, "div", x, y), text.op(I64, "rem", x, y)
    signs = text.op(I8, "icmp.lt", text.op(I64, "xor", rest, y), zero)
    differs = text.op(I8, "and", signs, text.op(I8, "icmp.ne", rest, zero))
    down = text.op(I64, "sub", quotient, text.integer(1))
    moved = text.op(I64, "add", rest, y)
    return (
        text.op(I64, "select", differs, down, quotient),
        text.op(I64, "select", differs, moved, rest),
    )


def float_floor_division(e: Emitter, kind: str, x: str, y: str) -> tuple[str, str]:
    """Quotient and remainder of floats as Python and NumPy compute them, both finite and `y` not
    zero.
    """
    text = e.text
    zero = text.float(0.0, kind)
    e.leave_if(text.op(I8, "fcmp.eq", y, zero))
    rest = text.call(kind, "fmod" if kind == F64 else "fmodf", x, y)
    for operand in (x, y):
        e.leave_unless(e.is_finite(operand))
    quotient = text.op(kind, "fdiv", text.op(kind, "fsub", x, rest), y)
    has_rest = text.op(I8, "fcmp.ne", rest, zero)
    opposite = text.op(
        I8, "xor", text.op(I8, "fcmp.lt", y, zero), text.op(I8, "fcmp.lt", rest, zero)
    )
    adjust = text.op(I8, "and", has_rest, opposite)
    rest_adjusted = text.op(kind, "select", adjust, text.op(kind, "fadd", rest, y), rest)
    rest_signed = text.op(
        kind, "select", has_rest, rest_adjusted, text.op(kind, "copysign", zero, y)
    )
    one = text.float(1.0, kind)
    quotient = text.op(kind, "select", adjust, text.op(kind, "fsub", quotient, one), quotient)
    floor = text.op(kind, "floor", quotient)
    half = text.float(0.5, kind)
    above = text.op(I8, "fcmp.gt", text.op(kind, "fsub", quotient, floor), half)
    rounded = text.op(kind, "select", above, text.op(kind, "fadd", floor, one), floor)
    is_zero = text.op(I8, "fcmp.eq", quotient, zero)
    signed_zero = text.op(kind, "copysign", zero, text.op(kind, "fdiv", x, y))
    return text.op(kind, "select", is_zero, signed_zero, rounded), rest_signed


# Comparisons and unary operations.

COMPARISONS = {
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}


def compare(e: Emitter, name: str, a: Value, b: Value) -> Value:
    """`a op b`: a truth value of Python, or of NumPy where one of the two is NumPy's."""
    left, right = number(a, name), number(b, name)
    a, b = e.settle(a), e.settle(b)
    if left.is_mixed or right.is_mixed:
        return mixed_compare(e, name, a, b)
    if left.is_either or right.is_either:
        for type_ in (left, right):
            if type_.name not in ("int", "l", "int|l", "float", "d", "float|d"):
                raise Unsupported(f"{name} of {left} and {right}")
        return doubtful(e, compare(e, name, plain(e, a), plain(e, b)), a, b)
    result = BOOL if left.is_python and right.is_python else NP_BOOL
    condition = COMPARISONS[name]
    if left.is_float or right.is_float:
        kind, are_pythons = F64, left.is_python and right.is_python
        if not are_pythons:
            loop = numpy_loop(name, (left.name, right.name))
            if loop is None:
                raise Unsupported(f"{name} of {left} and {right}")
            kind = Number(loop[0]).registers[0]
        x, y = to_float(e, a, kind, are_pythons), to_float(e, b, kind, are_pythons)
        return Value(result, (e.text.op(I8, f"fcmp.{condition}", x, y),))
    x, y = to_integer(e, a), to_integer(e, b)
    return Value(result, (e.text.op(I8, f"icmp.{condition}", x, y),))


def negative(e: Emitter, value: Value) -> Value:
    """`-value`."""
    type_ = number(value, "negative")
    if type_.is_either:
        return doubtful(e, negative(e, plain(e, value)), value)
    if type_.is_mixed:
        negated = e.text.op(F64, "fneg", value.register)
        # No integer is -0.0.
        integer = e.text.op(F64, "fsub", e.text.float(0.0, F64), value.register)
        chosen = e.text.op(F64, "select", value.registers[1], integer, negated)
        return Value(type_, (chosen, value.registers[1]), is_settled=value.is_settled)
    if value.literal is not None and type_.is_python and not type_.is_bool:
        return literal(e, -value.literal)
    if type_.is_float:
        register = e.text.op(type_.registers[0], "fneg", value.register)
        return Value(type_, (register,), is_settled=value.is_settled)
    if type_.is_bool and not type_.is_python:
        raise Unsupported("the negative of a truth value")
    if not type_.is_python and type_.name.isupper():
        raise Unsupported("the negative of an unsigned integer")
    result = INT if type_.is_python else type_
    integer = overflowing(e, "sub", e.text.integer(0), to_integer(e, value))
    if not result.is_python:
        in_range(e, integer, result.name)
    return Value(result, (integer,))


def absolute(e: Emitter, value: Value) -> Value:
    """`abs(value)`."""
    type_ = number(value, "abs")
    if type_.is_either:
        return doubtful(e, absolute(e, plain(e, value)), value)
    if type_.is_mixed:
        register = e.text.op(F64, "fabs", value.register)
        return Value(type_, (register, value.registers[1]), is_settled=value.is_settled)
    if type_.is_float:
        register = e.text.op(type_.registers[0], "fabs", value.register)
        return Value(type_, (register,), is_settled=value.is_settled)
    if type_.is_bool:
        raise Unsupported("abs of a truth value")
    if not type_.is_python and type_.name.isupper():
        return value
    opposite = negative(e, value).register
    is_negative = e.text.op(I8, "icmp.lt", value.register, e.text.integer(0))
    return Value(type_, (e.text.op(I64, "select", is_negative, opposite, value.register),))


def invert(e: Emitter, value: Value) -> Value:
    """`~value`."""
    type_ = number(value, "invert")
    if type_.is_either:
        raise Unsupported(f"~ of {type_}")
    if type_.name == "?":
        return Value(type_, (e.text.op(I8, "not", value.register),))
    if type_.is_integer and (type_.is_python or type_.name.islower()):
        return Value(type_, (e.text.op(I64, "not", value.register),))
    raise Unsupported(f"~ of {type_}")


def choose(e: Emitter, condition: str, a: Value, b: Value) -> Value:
    """`a` where a condition holds, else `b`; their types differ by whose they are at most, or by
    whether they are integers.
    """
    type_ = common(number(a), number(b))
    if type_ is None:
        raise Unsupported(f"a value that is {a.type} or {b.type}")
    a, b = as_common(e, a, type_), as_common(e, b, type_)
    registers = tuple(
        e.text.op(kind, "select", condition, x, y)
        for kind, x, y in zip(type_.registers, a.registers, b.registers, strict=True)
    )
    return Value(type_, registers, is_settled=a.is_settled and b.is_settled)


UNARY: dict[str, Callable[[Emitter, Value], Value]] = {
    "negative": negative,
    "absolute": absolute,
    "invert": invert,
}


def is_number(type_: Type) -> bool:
    return isinstance(type_, Number)
