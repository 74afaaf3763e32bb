"""Folds of the numbers in lists, and of those that a generator gives: `sum`, `min`, `max`."""

from __future__ import annotations

import sys
from typing import TypeAlias

from fastnp._loops import complexes, numbers
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.lists import address, each, length, list_type, load, width_of
from fastnp._loops.types import (
    BOOL,
    F64,
    FLOAT,
    I8,
    I64,
    INT,
    NP_FLOAT,
    NP_INT,
    ComplexType,
    Number,
    Value,
)

# From 3.12 on Python adds to a sum of floats what rounding has lost of it; of integers after a
# float it adds no such thing. What later versions than these do is not known.
IS_COMPENSATED = sys.version_info >= (3, 12)
MIXED_IS_KNOWN = sys.version_info < (3, 14)
ZERO = f"fconst 0x{0:016x}"


class Sum:
    """A sum of integers or floats as Python adds them, one after the other."""

    def __init__(self, e: Emitter, item: Number) -> None:
        if item not in (INT, FLOAT, NP_FLOAT):
            raise Unsupported(f"a sum of {item}")
        self.e, self.item = e, item
        self.total, self.lost = e.text.register(item.registers[0]), e.text.register(F64)
        self.is_compensated = item == FLOAT and IS_COMPENSATED

    def beginning(self) -> list[str]:
        """The lines that set it to zero."""
        lines = [f"{self.total} = {'iconst 0' if self.item == INT else ZERO}"]
        return lines + [f"{self.lost} = {ZERO}"] * self.is_compensated

    def add(self, value: Value) -> None:
        """Adds a number."""
        text, register = self.e.text, value.register
        if self.item == INT:
            text.copy(self.total, numbers.overflowing(self.e, "add", self.total, register))
            return
        after = text.op(F64, "fadd", self.total, register)
        if self.is_compensated:
            lost = rounding(self.e, self.total, register, after)
            text.copy(self.lost, text.op(F64, "fadd", self.lost, lost))
        text.copy(self.total, after)

    def result(self, count: str, beside: str = "") -> Value:
        """The sum of so many numbers; that of no floats is an integer, so it is left, unless it is
        combined with a float of a type (`beside`): then zero is as good.
        """
        e, text = self.e, self.e.text
        if self.item == INT:
            return Value(INT, (self.total,))
        if beside != "d" and (beside != "float" or self.item != FLOAT):
            e.leave_unless(text.op(I8, "icmp.gt", count, text.integer(0)))
        if self.is_compensated:
            text.copy(self.total, compensated(e, self.total, self.lost))
        result = Value(self.item, (self.total,), is_settled=self.item == FLOAT)
        return e.settle(result)


class MixedSum:
    """A sum of numbers that are integers or floats: an integer as long as no float was added."""

    def __init__(self, e: Emitter, item: Number) -> None:
        is_pythons = item.name == "int|float"
        if is_pythons and not MIXED_IS_KNOWN:
            raise Unsupported(f"a sum of {item}")
        self.e, self.item = e, item
        self.total, self.lost = e.text.register(F64), e.text.register(F64)
        self.is_integer = e.text.register(I8)
        self.is_compensated = is_pythons and IS_COMPENSATED

    def beginning(self) -> list[str]:
        """The lines that set it to the integer zero."""
        return [
            f"{self.total} = {ZERO}",
            f"{self.is_integer} = iconst 1",
            *[f"{self.lost} = {ZERO}"] * self.is_compensated,
        ]

    def add(self, value: Value) -> None:
        """Adds a number; leaves where an integer outgrows what a double holds."""
        text, (number, is_integer) = self.e.text, value.registers
        after = text.op(F64, "fadd", self.total, number)
        both = text.op(I8, "and", self.is_integer, is_integer)
        limit = text.float(float(numbers.EXACT_INTEGERS), F64)
        is_exact = text.op(I8, "fcmp.lt", text.op(F64, "fabs", after), limit)
        self.e.leave_unless(text.op(I8, "or", is_exact, text.op(I8, "not", both)))
        if self.is_compensated:
            either = text.op(I8, "or", self.is_integer, is_integer)
            lost = rounding(self.e, self.total, number, after)
            lost = text.op(F64, "select", either, text.float(0.0), lost)
            text.copy(self.lost, text.op(F64, "fadd", self.lost, lost))
        text.copy(self.total, after)
        text.copy(self.is_integer, both)

    def result(self, _count: str, _beside: str = "") -> Value:
        """The sum; that of no numbers is the integer zero."""
        total = self.total
        if self.is_compensated:
            total = compensated(self.e, total, self.lost)
        is_settled = self.item.name == "int|float"
        return self.e.settle(Value(self.item, (total, self.is_integer), is_settled=is_settled))


class ComplexSum:
    """A sum of complex numbers, which begins with the integer zero."""

    def __init__(self, e: Emitter, item: ComplexType) -> None:
        if not MIXED_IS_KNOWN:
            raise Unsupported(f"a sum of {item}")
        self.e, self.item = e, item
        self.parts = e.text.register(F64), e.text.register(F64)

    def beginning(self) -> list[str]:
        """The lines that set it to zero."""
        return [f"{part} = {ZERO}" for part in self.parts]

    def add(self, value: Value) -> None:
        """Adds a number."""
        for part, more in zip(self.parts, value.registers, strict=True):
            self.e.text.copy(part, self.e.text.op(F64, "fadd", part, more))

    def result(self, count: str, _beside: str = "") -> Value:
        """The sum of so many numbers; that of none is an integer, so it is left."""
        self.e.leave_unless(self.e.text.op(I8, "icmp.gt", count, self.e.text.integer(0)))
        return complexes.finite(self.e, self.item, self.parts)


AnySum: TypeAlias = Sum | MixedSum | ComplexSum


def sum_of(e: Emitter, item: Number | ComplexType) -> AnySum:
    """A sum of numbers of a type."""
    if isinstance(item, ComplexType):
        return ComplexSum(e, item)
    return MixedSum(e, item) if item.is_mixed else Sum(e, item)


def total(e: Emitter, value: Value) -> Value:
    """`sum(value)` of integers or floats."""
    type_, text = list_type(value), e.text
    if not isinstance(type_.item, Number | ComplexType) or type_.is_deque:
        raise Unsupported(f"sum of {type_}")
    found = sum_of(e, type_.item)
    for line in found.beginning():
        text.line(line)
    at, left, count = text.register(I64), text.register(I64), length(e, value)
    text.copy(at, address(e, value, text.integer(0)))
    text.copy(left, count)

    def add() -> None:
        found.add(load(e, type_, at))
        text.line(f"{at} = add {at}, {text.integer(width_of(type_))}")

    e.spend(left)
    each(e, left, add)
    return found.result(count)


def rounding(e: Emitter, a: str, b: str, total: str) -> str:
    """What a sum of two floats has lost (Neumaier), as Python adds them from 3.12 on."""
    text = e.text
    is_larger = text.op(I8, "fcmp.ge", text.op(F64, "fabs", a), text.op(F64, "fabs", b))
    large = text.op(F64, "select", is_larger, a, b)
    small = text.op(F64, "select", is_larger, b, a)
    return text.op(F64, "fadd", text.op(F64, "fsub", large, total), small)


def compensated(e: Emitter, total: str, lost: str) -> str:
    """A sum with what it has lost, if that is a number."""
    text = e.text
    known = text.op(F64, "select", e.is_finite(lost), lost, text.float(0.0))
    return text.op(F64, "fadd", total, known)


EXTREMES = (INT, FLOAT, BOOL, NP_INT, NP_FLOAT)


def extreme(e: Emitter, value: Value, is_less: bool) -> Value:
    """`min(value)` or `max(value)`; of no items it is left."""
    type_, text = list_type(value), e.text
    item = type_.item
    if not isinstance(item, Number) or not (item in EXTREMES or item.is_mixed):
        raise Unsupported(f"min or max of {type_}")
    at, left = text.register(I64), text.register(I64)
    e.leave_unless(text.op(I8, "icmp.gt", length(e, value), text.integer(0)))
    text.copy(at, address(e, value, text.integer(0)))
    text.copy(left, length(e, value))
    best = e.snapshot(load(e, type_, at))
    e.spend(left)

    def compare() -> None:
        found = load(e, type_, at)
        name = "less" if is_less else "greater"
        is_better = numbers.compare(e, name, found, best).register
        for kind, one, other in zip(item.registers, best.registers, found.registers, strict=True):
            text.copy(one, text.op(kind, "select", is_better, other, one))
        text.line(f"{at} = add {at}, {text.integer(width_of(type_))}")

    each(e, left, compare)
    return best
