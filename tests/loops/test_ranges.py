"""What is known of integers in compiled loops, and `if` statements that select."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import fastnp as np
import pytest
from fastnp._loops import ranges
from fastnp._loops.install import program_code
from fastnp._loops.text import Text

BOUNDS = (-9, -2, -1, 0, 1, 3, 8)
RANGES = [(a, b) for a in BOUNDS for b in BOUNDS if a <= b]
WRAPPED = 1 << 64


def quotient(a: int, b: int) -> int:
    """Rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a, b: -a,
    "not": lambda a, b: ~a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << (b % 64),
    "sar": lambda a, b: a >> (b % 64),
    "div": lambda a, b: quotient(a, b) if b else 0,
    "rem": lambda a, b: a - b * quotient(a, b) if b else 0,
}
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "ult": lambda a, b: a % WRAPPED < b % WRAPPED,
    "ule": lambda a, b: a % WRAPPED <= b % WRAPPED,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_results_are_in_their_range(name: str) -> None:
    for a, b in itertools.product(RANGES, repeat=2):
        found = ranges.of_result(name, a, b)
        if found is None:
            continue
        for x, y in itertools.product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
            assert found[0] <= OPERATIONS[name](x, y) <= found[1], (name, a, b, x, y)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_decided_holds(condition: str) -> None:
    for a, b in itertools.product(RANGES, repeat=2):
        found = ranges.decided(condition, a, b)
        if found is None:
            continue
        for x, y in itertools.product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
            assert CONDITIONS[condition](x, y) == found, (condition, a, b, x, y)


def test_no_range_may_wrap() -> None:
    assert ranges.of_result("add", (0, ranges.HIGHEST), (0, 1)) is None
    assert ranges.of_result("sub", (ranges.LOWEST, 0), (1, 1)) is None
    assert ranges.of_result("mul", (0, 1 << 40), (0, 1 << 40)) is None
    assert ranges.of_result("neg", (ranges.LOWEST, 0), (0, 0)) is None
    assert ranges.of_result("shl", (1, 1), (63, 63)) is None


def test_what_is_known_is_not_written() -> None:
    text = Text()
    x = text.register("i64")
    text.ranges[x] = (0, 100)
    written = len(text.block.lines)
    assert text.op("i64", "add", x, text.integer(0)) == x
    assert text.truths[text.op("i8", "icmp.lt", x, text.integer(101))]
    assert not text.truths[text.op("i8", "icmp.lt", x, text.integer(0))]
    assert text.op("i64", "add", text.integer(2), text.integer(3)) == text.integer(5)
    constants = sum("const" in line for line in text.block.lines)
    assert len(text.block.lines) - constants == written
    assert text.checked("addo", x, text.integer(1))[1] == text.truth(False)
    assert text.checked("addo", text.register("i64"), x)[1] != text.truth(False)


def both(tmp_path: Path, source: str, *arguments: object) -> tuple[object, object]:
    """What `f` returns as the interpreter runs it, and rewritten, the second time compiled."""
    plain: dict[str, object] = {}
    exec(source, plain)
    path = tmp_path / "program.py"
    path.write_text(source)
    rewritten: dict[str, object] = {}
    code = program_code(source.encode(), str(path))
    assert code is not None
    exec(code, rewritten)
    for _ in range(3):
        found = rewritten["f"](*arguments)  # type: ignore[operator]
    return plain["f"](*arguments), found  # type: ignore[operator]


SELECTING = """
def f(n):
    a, b, odd = 7, 0, 0
    for i in range(n):
        if i & 1:
            odd += 1
        if (a ^ i) & 4:
            a = (a >> 1) ^ 0x8408
            b = b - i
        else:
            a >>= 1
        if b < -1000:
            b = 0
        a |= i & 0xFF
    return a, b, odd
"""
GROWING = """
def f(n):
    a = (1 << 62) + 5
    for i in range(n):
        if i > n - 4:
            a = a + a
        else:
            a = a - 1
    return a
"""
NEGATIVE = """
def f(x, n):
    total = 0.0
    for i in range(n):
        for j in range(-3, 3):
            total += x[j] * x[(i - 5) % 7] + x[j - 2 if j > 0 else j + 3]
        k = 2
        while k > -8:
            total += x[k]
            k -= 1
    return total
"""
TURNED = """
def f(x, n):
    b = x[::2, ::2]
    total = 0.0
    for i in range(n):
        b = b.T
        total += b[0, 1] * (i % 3) + b.shape[0]
    return total
"""


def test_small_ifs_select(tmp_path: Path) -> None:
    plain, found = both(tmp_path, SELECTING, 60_000)
    assert plain == found


def test_a_side_that_may_overflow_branches(tmp_path: Path) -> None:
    plain, found = both(tmp_path, GROWING, 60_000)
    assert plain == found
    assert isinstance(found, int)
    assert found > 1 << 64


@pytest.mark.parametrize("source", [NEGATIVE, TURNED])
def test_indices_of_any_sign(tmp_path: Path, source: str) -> None:
    x = np.arange(8.0) * 0.5 if source is NEGATIVE else np.arange(24.0).reshape(4, 6)
    plain, found = both(tmp_path, source, x, 6000)
    assert plain == found
