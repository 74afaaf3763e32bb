"""Random programs begin with the definitions that they need."""

from __future__ import annotations

import pytest

from tests.loops import numeric
from tests.loops.definitions import needed

SETUP = """\
import random, math
random.seed(5)
a, b = [1], [2]
c = a
rows = [a, b]
rows[0].append(3)
for row in rows:
    row.append(4)
n = 7
def used(p, n=2):
    return helper(p)
def helper(q):
    b = q
    return q.rows(c)
class Kept:
    size = n
    def __len__(self):
        return 3
    def method(self):
        return used(self)
    @property
    def other(self):
        return self.method() + math.pi
class Last:
    size = 3
    def method(self):
        return b
"""
LINES = SETUP.splitlines()


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("print(x.n, 'used')", []),
        ("math.pi", [0, 1]),
        ("def f(n):\n    a = n\n    return n", []),
        ("def f():\n    return a", [2]),
        ("c", [2, 3]),
        ("rows", [2, 4, 5, 6, 7]),
        ("used(1)", [2, 3, *range(9, 14)]),
        ("Kept", [8, *range(14, 18)]),
        ("Kept.method", [2, 3, *range(8, 20)]),
        ("Kept.other", [0, 1, 2, 3, *range(8, 23)]),
        ("Last, x.method", [2, *range(23, 27)]),
    ],
)
def test_definitions_that_are_needed(program: str, lines: list[int]) -> None:
    """Those that names lead to, with what changes them, in the order of the source."""
    assert needed(SETUP, program).splitlines() == [LINES[k] for k in lines]


@pytest.mark.parametrize("seed", range(50))
def test_programs_have_no_other_definitions(seed: int) -> None:
    """What a program needs of itself is all of it, and Python's names are all that it lacks."""
    program = numeric.Writer(seed).program()
    assert needed(program, program) == program
