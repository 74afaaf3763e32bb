"""Strings in compiled loops: their length, their characters, and what is asked of a character.

A string whose characters a loop uses is given to it as an array of code points. A character is its
code point in a register; where it leaves the code it is a string again. What is asked of characters
beyond ASCII is left to the interpreter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from fastnp._loops import arrays, numbers
from fastnp._loops.emitter import TEXTS, Emitter, Learned, Unsupported
from fastnp._loops.entry import Objects, Rest
from fastnp._loops.iterators import Items, move
from fastnp._loops.types import BOOL, I8, I64, INT, CharType, ObjectType, TextType, Value

CODE_POINTS = 0x110000
ASCII = 0x80
# Characters of a string that is tested for one, at most.
MOST_COMPARED = 64


@lru_cache(maxsize=16)
def code_points(text: str) -> numpy.ndarray:
    """The characters of a string, in memory."""
    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def is_text(value: object) -> bool:
    """Whether a value of the compiled code is a string whose characters it uses."""
    return isinstance(value, Value) and isinstance(value.type, TextType)


def is_char(value: object) -> bool:
    """Whether a value of the compiled code is a character."""
    return isinstance(value, Value) and isinstance(value.type, CharType)


def known_text(value: object) -> str | None:
    """A string that is known when the loop is compiled; `None` of other values."""
    type_ = value.type if isinstance(value, Value) else None
    known = type_.value if isinstance(type_, ObjectType) else None
    return known if type(known) is str else None


def refuse_known(e: Emitter, value: Value) -> None:
    """Of a string that is known, has the loop be written again with its characters."""
    known = known_text(value)
    if known is not None and (TEXTS, known) not in e.learned:
        raise Learned((TEXTS, known), True)


def item(e: Emitter, value: Value, index: Value) -> Value:
    """`text[index]`."""
    at = arrays.position(e, index, value.registers[1])
    return load(e, value, at)


def load(e: Emitter, value: Value, at: str) -> Value:
    text = e.text
    place = text.op(I64, "add", value.registers[0], text.op(I64, "mul", at, text.integer(4)))
    return Value(CharType(), arrays.load(e, "I", place).registers)


def items(e: Emitter, value: Value, taken: str | None = None) -> Items:
    """What a loop over a string takes, from a position on."""
    text, type_ = e.text, value.type
    at, by, remaining = (text.register(I64, name) for name in ("at", "by", "left"))
    first = taken or text.integer(0)
    text.copy(at, first)
    text.copy(by, text.integer(1))
    text.copy(remaining, text.op(I64, "sub", value.registers[1], first))

    def rebuild(words: list[Any], objects: Objects) -> Any:
        position, _, _ = (words.pop(0) for _ in range(3))
        return Rest(objects.object_of(type_, []), position)

    return Items(
        (at, by, remaining),
        remaining,
        lambda e: load(e, value, at),
        lambda e: move(e, remaining, (at, by)),
        rebuild,
        CharType(),
    )


def compare(e: Emitter, name: str, left: Value, right: Value) -> Value:
    """A comparison of characters, or of a character and a string that is known."""
    text = e.text
    for one in (left, right):
        known = known_text(one)
        if known is not None and len(known) != 1:
            if name not in ("equal", "not_equal"):
                raise Unsupported("an order of strings")
            return numbers.literal(e, name == "not_equal")
    codes = [code(e, value) for value in (left, right)]
    opcode = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le"}.get(name)
    if opcode is None:
        opcode = {"greater": "gt", "greater_equal": "ge"}[name]
    return Value(BOOL, (text.op(I8, f"icmp.{opcode}", *codes),))


def code(e: Emitter, value: Value) -> str:
    """The code point of a character, in a register."""
    known = known_text(value)
    if known is not None and len(known) == 1:
        return e.text.integer(ord(known))
    if not is_char(value):
        raise Unsupported(f"a comparison of a character and {value.type}")
    return value.register


def is_within(e: Emitter, value: Value, known: str) -> str:
    """Whether a character is one of a string's that is known."""
    if len(known) > MOST_COMPARED:
        raise Unsupported("`in` of a long string")
    return any_of(e, value.register, [(ord(char), ord(char)) for char in sorted({*known})])


def any_of(e: Emitter, register: str, ranges: list[tuple[int, int]]) -> str:
    """Whether a code point lies in one of these ranges."""
    text = e.text
    found = text.truth(False)
    for first, last in ranges:
        moved = text.op(I64, "sub", register, text.integer(first))
        found = text.op(I8, "or", found, text.op(I8, "icmp.ule", moved, text.integer(last - first)))
    return found


DIGITS, UPPER, LOWER = (48, 57), (65, 90), (97, 122)
CLASSES = {
    "isdigit": [DIGITS],
    "isdecimal": [DIGITS],
    "isnumeric": [DIGITS],
    "isalpha": [UPPER, LOWER],
    "isalnum": [DIGITS, UPPER, LOWER],
    "isupper": [UPPER],
    "islower": [LOWER],
    "isspace": [(9, 13), (28, 32)],
}


def method(e: Emitter, value: Value, name: str) -> Value:
    """`char.isdigit()`, `char.lower()` and the like."""
    text = e.text
    if name not in (*CLASSES, "upper", "lower"):
        raise Unsupported(f"the method `{name}` of a string")
    e.leave_unless(text.op(I8, "icmp.lt", value.register, text.integer(ASCII)))
    if name in CLASSES:
        return Value(BOOL, (any_of(e, value.register, CLASSES[name]),))
    changes = any_of(e, value.register, [LOWER if name == "upper" else UPPER])
    flipped = text.op(I64, "xor", value.register, text.integer(32))
    return Value(CharType(), (text.op(I64, "select", changes, flipped, value.register),))


def ordinal(e: Emitter, arguments: list[Any]) -> Value:
    """`ord(char)`."""
    if len(arguments) != 1 or not is_char(arguments[0]):
        raise Unsupported("ord of this")
    register = arguments[0].register
    e.text.ranges[register] = (0, CODE_POINTS - 1)
    return Value(INT, (register,))


def character(e: Emitter, arguments: list[Any]) -> Value:
    """`chr(code)`."""
    if len(arguments) != 1 or not isinstance(arguments[0], Value) or arguments[0].type != INT:
        raise Unsupported("chr of this")
    register = arguments[0].register
    e.leave_unless(e.text.op(I8, "icmp.ult", register, e.text.integer(CODE_POINTS)))
    return Value(CharType(), (register,))


def digit(e: Emitter, value: Value) -> Value:
    """`int(char)`."""
    e.leave_unless(any_of(e, value.register, [DIGITS]))
    found = e.text.op(I64, "sub", value.register, e.text.integer(DIGITS[0]))
    e.text.ranges[found] = (0, 9)
    return Value(INT, (found,))
