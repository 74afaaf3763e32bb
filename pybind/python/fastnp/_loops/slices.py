"""Slices: the items that `x[a:b:c]` takes of an axis, or of a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, I64, Number, Value


def bounds(e: Emitter, parts: tuple[Value | None, ...], extent: str) -> tuple[str, str, str]:
    """First position, number and step of a slice's items; leaves where the step is zero.

    What the range of the step decides is not written.
    """
    start, stop, by = parts
    text, zero, minus = e.text, e.text.integer(0), e.text.integer(-1)
    step = text.integer(1) if by is None else integer(by)
    e.leave_if(text.op(I8, "icmp.eq", step, zero))
    is_back = text.op(I8, "icmp.lt", step, zero)

    def either(forth: Callable[[], str], back: Callable[[], str]) -> str:
        known = text.truths.get(is_back)
        if known is not None:
            return back() if known else forth()
        return text.op(I64, "select", is_back, back(), forth())

    def top() -> str:
        return text.op(I64, "add", extent, minus)

    def difference(a: str, b: str) -> Callable[[], str]:
        return lambda: text.op(I64, "sub", a, b)

    low, high = either(lambda: zero, lambda: minus), either(lambda: extent, top)
    if start is None:
        first = either(lambda: zero, top)
    else:
        first = clamped(e, start, extent, low, high)
    if stop is None:
        last = either(lambda: extent, lambda: minus)
    else:
        last = clamped(e, stop, extent, low, high)
    length = either(difference(last, first), difference(first, last))
    size = either(lambda: step, difference(zero, step))
    return first, count(e, length, size), step


def integer(part: Value) -> str:
    if not isinstance(part.type, Number) or not part.type.is_integer:
        raise Unsupported(f"a slice with {part.type}")
    return part.register


def clamped(e: Emitter, part: Value, extent: str, low: str, high: str) -> str:
    """A bound, counted from the end if it is negative, between two positions."""
    text, at = e.text, integer(part)
    is_negative = text.op(I8, "icmp.lt", at, text.integer(0))
    if text.truths.get(is_negative) is not False:
        wrapped = text.op(I64, "add", at, extent)
        at = text.op(I64, "select", is_negative, wrapped, at)
    at = text.op(I64, "select", text.op(I8, "icmp.lt", at, low), low, at)
    return text.op(I64, "select", text.op(I8, "icmp.gt", at, high), high, at)


def count(e: Emitter, length: str, size: str) -> str:
    """How many steps of a positive size begin within a length, which may be negative."""
    text, zero, one = e.text, e.text.integer(0), e.text.integer(1)
    if text.ranges.get(size) != (1, 1):
        before = text.op(I64, "div", text.op(I64, "sub", length, one), size)
        more = text.op(I64, "add", before, one)
        is_empty = text.op(I8, "icmp.le", length, zero)
        return text.op(I64, "select", is_empty, zero, more)
    is_empty = text.op(I8, "icmp.lt", length, zero)
    return text.op(I64, "select", is_empty, zero, length)


def about(parts: tuple[Value | None, ...], extent: int | None) -> int | None:
    """About how many items a slice takes of an axis that has about so many; `None` if nothing is
    known of that. With one bound that is computed it takes half of the axis on average; those with
    two tend to be short.
    """
    literals: list[Any] = [None if part is None else part.literal for part in parts]
    is_known = [part is None or type(of) is int for part, of in zip(parts, literals, strict=True)]
    if extent is None or not any(is_known[:2]):
        return None
    if all(is_known) and literals[2] != 0:
        return len(range(extent)[slice(*literals)])
    # That of an axis of one element is known.
    return max(extent // 2, 2)
