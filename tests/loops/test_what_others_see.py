"""What code outside of a loop sees while the loop runs compiled, and after it: variables that
functions share, iterators that the program keeps, and the error state. Each program is run as it
is, and with loops that are compiled at once, where they can be.
"""

from __future__ import annotations

import ast
import linecache
from typing import Any

import pytest
from fastnp._loops.rewrite import compile_tree

PROGRAMS = {
    "a variable of the function around": """
def f(n):
    a = s = 0
    def now(): return a
    for i in range(n):
        s += now()
        a += 1
    return s
out = f(300)
""",
    "a target of the loop": """
def f(n):
    s = 0.0
    now = lambda: a * 0.5
    for a in range(n):
        s += now()
    return s
out = f(300)
""",
    "a condition that reads what the loop changes": """
def f():
    x, k = 0.0, 0
    def gap(): return abs(x - 3.0)
    while gap() > 1e-3: x += (3.0 - x) * 0.05; k += 1
    return x, k
out = f()
""",
    "a variable that the loop leaves alone": """
def f(n):
    s, scale = 0.0, 2.5
    def scaled(z): return z * scale
    for i in range(n):
        s += scaled(i)
    return s
out = f(300)
""",
    "an enumerate that is kept": """
def f(e, n):
    s = 0
    for i, v in e:
        s += i * v
        if i == n: break
    return s, next(e, None), next(e, None)
out = f(enumerate([5] * 600), 450), f(enumerate(range(300), 7), 1000), f(enumerate([5] * 600), 3)
""",
    "a zip that is kept": """
def f(z):
    s = 0
    for a, b in z:
        s += a * b
        if s > 5000: break
    for a, b in z:
        s -= a - b
    return s, next(z, None)
out = f(zip(range(300), [3] * 400)), f(zip([1.5] * 90, [0.5] * 80))
""",
    "an enumerate of the module": """
held = enumerate([2.5] * 300)
s = 0
for i, v in held:
    s += i * v
    if i == 200: break
out = s, next(held)
""",
    "a zip that a function keeps": """
kept = []
def both(n):
    kept.append(zip(range(n), range(1, n + 1)))
    return kept[-1]
s = 0
for a, b in both(300):
    s += a * b
    if a == 100: break
out = s, next(kept[0])
""",
    "a unit matrix of no type": """
import fastnp as np
def f(n):
    A = np.zeros((2, 3))
    for i in range(n):
        A[:] = np.identity(2, 3) + np.eye(2, 3)
    return A
try: out = f(9)
except TypeError as error: out = str(error)
""",
    "functions that are made again": """
def added(f, n):
    s = 0.0
    for i in range(n):
        s += f(i * 0.5)
    return s
out = [added(lambda x: x * x - 1, 300) for k in range(3)]
def scaled(k): return lambda x: x * k
out += [added(scaled(k), 300) for k in range(3)]
def shifted(k): return lambda x, c=k: x - c
out += [added(shifted(k), 300) for k in range(3)]
""",
    "integers that wrap in silence": """
import fastnp as np
def f(n):
    h, p, a, s = np.uint32(2166136261), np.uint32(16777619), np.int8(100), 0
    for i in range(n):
        h = (h ^ np.uint32(i & 255)) * p
        a = a * np.int8(3) - np.int8(7)
        s += int(a) + int(np.int16(a) * np.int16(300)) + int(a ** 2)
    return h, a, s
out = []
for over in "ignore", "warn", "ignore", "raise", "ignore":
    with np.errstate(over=over):
        try: out.append(repr(f(300)))
        except FloatingPointError as error: out.append(str(error))
""",
}


def run(code: Any) -> Any:
    names: dict[str, Any] = {"__name__": "program"}
    exec(code, names)
    return names["out"]


def run_compiled(name: str) -> tuple[Any, int]:
    """What a program has found, and how many turns ran compiled."""
    source = PROGRAMS[name]
    linecache.cache["program.py"] = (len(source), None, source.splitlines(True), "program.py")
    code, unit = compile_tree(ast.parse(source), "program.py")
    for site in unit.sites:
        site.is_eager = True
    return run(code), sum(site.turns for site in unit.sites)


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_the_interpreter(name: str) -> None:
    found, _ = run_compiled(name)
    assert found == run(compile(PROGRAMS[name], "program.py", "exec"))


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_what_is_compiled() -> None:
    """Variables that the loop does not assign are constants; integers wrap without a warning."""
    turns = {name: run_compiled(name)[1] for name in PROGRAMS}
    assert turns["a variable that the loop leaves alone"] == 300
    assert turns["integers that wrap in silence"] >= 300
    assert turns["functions that are made again"] == 9 * 300
    assert turns["a variable of the function around"] == 0
