"""Which names a turn of a loop reads before it binds them, and what that means for entries."""

from __future__ import annotations

import ast
import linecache
from typing import Any

import pytest
from fastnp._loops.liveness import live_at_head
from fastnp._loops.rewrite import compile_tree

LOOPS = {
    "for i in r: s = s + i": "s",
    "for i in r: t = i; s += t": "s",
    "for i in r:\n if c: t = 1\n s = t": "c t",
    "for i in r:\n if c: t = 1\n else: t = 2\n s = t": "c",
    "for i in r:\n if c: continue\n else: t = 2\n s = t": "c",
    "for i in r:\n for j in q: t = j\n s = t, j": "q t j",
    "while (n := n - 1) and (m := f()): s = m, n": "n f m",
    "while x < 1:\n while (y := g()): pass\n x = y": "x g",
    "for a[k] in r: k = 1": "a k",
    "for i, (j, *k) in r: i, j, k": "",
    "for i in r:\n try: t = f()\n except E: pass\n s = t": "f",
    "for i in r:\n def g(): return t\n t = 1": "t",
    "for i in r:\n t = 1\n g = lambda: t + u\n u = g()": "u",
    "for i in r: t = [t for t in q]": "q t",
    "for i in r: t = i if (k := c) else k; s = k": "c",
    "for i in r: s = c and (k := i); t = k": "c k",
    "for i in r: x.y = z[i] = w; x = z = 1": "x z w",
    "for i in r:\n match i:\n  case 1: t = 2\n s = t": "t",
    "for i in r:\n with f() as t: u = t\n s = u": "f t u",
    "for i in r: t: int = i; t += 1; del t": "",
}


@pytest.mark.parametrize("source", LOOPS)
def test_names(source: str) -> None:
    loop: Any = ast.parse(source).body[0]
    assert live_at_head(loop) == set(LOOPS[source].split())


# The names that a turn binds first are bound to something else at each entry, or not at all.
PROGRAM = """
def f(n, start):
    total = 0.0
    if start is not None:
        item = half = start
    for i in range(n):
        half = i * 0.5
        if i % 7 == 6:
            continue
        for item in range(i % 3):
            half += item
        total += half
    found = [total]
    try:
        found.append(half)
        found.append(item)
    except UnboundLocalError:
        pass
    return found
out = [f(n, start) for n in (300, 0, 300, 2, 1) for start in (None, 3, 2.5, "text", [1, 2], 1j)]
"""


def test_entries_with_other_values_of_names_that_are_not_live() -> None:
    linecache.cache["program.py"] = (len(PROGRAM), None, PROGRAM.splitlines(True), "program.py")
    code, unit = compile_tree(ast.parse(PROGRAM), "program.py")
    outer = unit.sites[0]
    outer.is_eager = True
    found: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    exec(code, found)
    exec(compile(PROGRAM, "program.py", "exec"), expected)
    assert found["out"] == expected["out"]
    assert repr(found["out"]) == repr(expected["out"])
    assert len(outer.compiled) == 1
    assert outer.turns == 12 * 300 + 6 * 3
