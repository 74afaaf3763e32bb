"""Variables and attributes of compiled loops that are `None` or a string at some times, and
functions that return values of different types.
"""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

NUMBERS = "a = b = c = s = 0\n"
# Compiled as a whole, on setups of `numeric_setup`.
WHOLE = {
    "the least so far": """
best = where = None
for i in range(n):
    if best is None or x[i] * y[i] < best:
        best, where = x[i] * y[i], i
        best = x[i]
""",
    "the one before": """
before, s = None, 0.0
for e in x:
    if before is not None:
        s += abs(e - before)
    before = e
""",
    "bounds by conditional expressions": """
low = high = None
for e in F:
    low = e if low is None else min(low, e)
    high = e if not high else max(high, e)
""",
    "the first, by its truth": """
first, count = None, 0
for i, e in enumerate(u):
    if e > 2 and not first: first = i
    count += first or 7
    if first != None and first == 3: count += 100
""",
    "set back": """
last = None
for i in range(30):
    if i % 3 == 0: last = None
    elif last is None: last = i
    else: last = last + 0.5
""",
    "until there is one": """
found, i = None, 0
while found is None:
    if abs(x[i]) == 2: found = i
    i += 1
""",
    "a machine of states": """
state, runs, start = "idle", 0, None
for i in range(28):
    e = m[i % n]
    if state == "idle":
        if e: state, start = "run", i
    elif state == "run":
        if not e:
            state = "done"
            runs += i - start
    else:
        state = "idle"
""",
    "directions by conditional expressions": """
heading = "n"
for i in range(30):
    if i % 5 == 2:
        heading = "e" if heading == "n" else "s" if heading == "e" else "n"
    if heading == "n": a += 1
    elif heading != "s": b += 1
    else: c += 1
""",
    "functions that return a number or None": """
for i in range(-3, 9):
    t = maybe(i, 2)
    if t is not None and t < 5: s += t
    if maybe(i, 4): c += 1
    maybe(i, 1)
""",
    "a function that hands on what another returns": """
def handed(p):
    if p == 5: return "five"
    return maybe(p, 2)
for i in range(-3, 9):
    t = handed(i)
    if t is None: a += 1
    elif t == "five": b += 1
    else: c += t
""",
    "a search that returns a place and an element": """
for i in range(n):
    hit = some(x, i - 2)
    if hit is None: continue
    a, b = hit
    s += a * b
""",
    "names of cases": """
low = middle = high = 0
for i in range(-3, 9):
    kind = named(i)
    if kind == "n": low += 1
    elif kind == "s": middle += 1
    else: high += 1
""",
    "attributes": """
for i in range(n - 1, -1, -1):
    c = box.seek(i)
    if box.found is not None and i == 3: box.found = None
    if box.mode == "a": box.mode = "b"
    elif box.mode == "b" and i < 2: box.mode = "a"; s += i
""",
    "None after a loop without turns, of which there is none": """
def tournament(v, k):
    best = None
    for j in range(k):
        i = (j * 7 + 3) % 7
        if best is None or v[i] < v[best]:
            best = i
    return v[best]
for i in range(n):
    s += tournament(x, 4)
    least = None
    for k in range(n):
        if least is None or y[k] < y[least]:
            least = k
    a += least
    y[least] += 10
""",
}
# Left by some statements, or with an error.
OTHERS = {
    "None among numbers": "for i in range(n):\n    s += maybe(i, 4)",
    "a variable that was never set": """
best = None
for i in range(n):
    if x[i] > 99: best = i
s = best + 1
""",
    "values of many types": """
value = None
for i in range(9):
    value = ("p" if value is None else 1 if value == "p" else 2.5 if value == 1 else
             x[0] if value == 2.5 else True if value == -3 else None)
""",
    "more types after a statement than code is written for": """
for i in range(40):
    k = i % 10
    if k == 1: s += 1; v = 1
    elif k == 2: s += 2; v = 2.5
    elif k == 3: s += 3; v = "p"
    elif k == 4: s += 4; v = x[0]
    elif k == 5: s += 5; v = f[0]
    elif k == 6: s += 6; v = (1, 2)
    elif k == 7: s += 7; v = 1j
    elif k == 8: s += 8; v = u[1]
    else: s += 9; v = None
    a += 1
    if v == 1: b += 1
""",
    "None after loops without turns": """
def tournament(v, k):
    best = None
    for j in range(k):
        if best is None or v[j] < v[best]:
            best = j
    return v[best]
try:
    for i in range(2 * n):
        best = None
        for k in range(i % 5):
            if best is None or y[k] < y[best]:
                best = k
        try:
            a += best
            y[best] += 10
        except TypeError:
            a += 1000
        s += tournament(x, (i + 1) % 13)
except (TypeError, IndexError) as error:
    print(error, i)
for i in range(n):
    way = None if i % 2 else "a"
    try:
        a += way.x
    except AttributeError:
        b += 1
""",
    "strings that the loop does not name": """
for name in ("alpha", "beta"):
    for i in range(n):
        if name == "alpha": s += 1
        name = name if i < 5 else "gamma"
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(NUMBERS + WHOLE[name]))


@pytest.mark.parametrize("name", OTHERS)
def test_others(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(NUMBERS + OTHERS[name]))


def test_one_version_serves_each_state_at_the_entry() -> None:
    """Where a variable is `None` at the entry and where it is a number, the code is another."""
    sites, difference = test_compiled.run("""
def lowest(v, best):
    for e in v:
        if best is None or e < best: best = e
    return best
a = [lowest(x, start) for start in (None, None, 0.5, None, -9.0)]
""")
    assert not difference
    (site,) = [site for site in sites if site.qualname == "lowest"]
    assert site.runs == 5
    assert len(site.compiled) == 2
