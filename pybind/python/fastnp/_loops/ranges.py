"""Ranges of integers: what is known of the result of an operation, from what is known of its
operands.

A range is a lowest and a highest value. What is not known is `None`: any integer of 64 bits.
"""

from __future__ import annotations

Range = tuple[int, int]

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
WHOLE: Range = (LOWEST, HIGHEST)
# No axis is longer: the entry refuses arrays that have a longer one, and so do `zeros` and `ones`.
LONGEST_AXIS = 1 << 48
EXTENT: Range = (0, LONGEST_AXIS)


def fitting(low: int, high: int) -> Range | None:
    """A range; `None` where an operation may wrap."""
    return (low, high) if low >= LOWEST and high <= HIGHEST else None


def union(a: Range | None, b: Range | None) -> Range | None:
    """What holds of a value that is in one range or the other."""
    return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))


def within(inner: Range | None, outer: Range | None) -> bool:
    """Whether what is known says that a value is in a range."""
    if outer is None:
        return True
    return inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def of_bits(bits: int, is_signed: bool) -> Range | None:
    """The integers of a type of fewer than 64 bits."""
    if bits >= 64:
        return None
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)


def of_result(name: str, a: Range, b: Range) -> Range | None:
    """The range of `name a, b`."""
    match name:
        case "add":
            return fitting(a[0] + b[0], a[1] + b[1])
        case "sub":
            return fitting(a[0] - b[1], a[1] - b[0])
        case "neg":
            return fitting(-a[1], -a[0])
        case "not":
            return (~a[1], ~a[0])
        case "mul":
            products = [x * y for x in a for y in b]
            return fitting(min(products), max(products))
        case "and":
            highs = [high for low, high in (a, b) if low >= 0]
            return (0, min(highs)) if highs else None
        case "or" | "xor" if a[0] >= 0 and b[0] >= 0:
            return (0, (1 << max(a[1], b[1]).bit_length()) - 1)
        case "shl" if 0 <= b[0] == b[1] < 64:
            return fitting(a[0] << b[0], a[1] << b[0])
        case "sar" if 0 <= b[0] == b[1] < 64:
            return (a[0] >> b[0], a[1] >> b[0])
        case "sar" if a[0] >= 0:
            return (0, a[1])
        case "div" if a[0] >= 0 and b[0] > 0:
            return (a[0] // b[1], a[1] // b[0])
        case "rem" if b[0] > 0:
            return (0 if a[0] >= 0 else 1 - b[1], min(max(a[1], 0), b[1] - 1))
    return None


def where(comparison: str, a: Range, b: Range) -> Range:
    """What holds of a value in the range `a` that compares so with one in the range `b`."""
    low, high = a
    match comparison:
        case "Lt":
            high = min(high, b[1] - 1)
        case "LtE":
            high = min(high, b[1])
        case "Gt":
            low = max(low, b[0] + 1)
        case "GtE":
            low = max(low, b[0])
        case "Eq":
            low, high = max(low, b[0]), min(high, b[1])
    # Of a path that is never taken nothing is said.
    return (low, high) if low <= high else a


def decided(condition: str, a: Range, b: Range) -> bool | None:
    """Whether a comparison holds of all values, or of none; else `None`."""
    match condition:
        case "ult" | "ule" if a[0] < 0 or b[0] < 0:
            return None
        case "lt" | "ult":
            return True if a[1] < b[0] else False if a[0] >= b[1] else None
        case "le" | "ule":
            return True if a[1] <= b[0] else False if a[0] > b[1] else None
        case "gt":
            return decided("lt", b, a)
        case "ge":
            return decided("le", b, a)
        case "eq":
            if a[1] < b[0] or b[1] < a[0]:
                return False
            return True if a == b and a[0] == a[1] else None
        case "ne":
            equal = decided("eq", a, b)
            return None if equal is None else not equal
    return None
