"""`try` statements in compiled loops, whose handlers are the interpreter's."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled
from tests.loops.conftest import Run

SETUP = """
def safe(p, q):
    try:
        found = p / q
        if found > 30:
            raise ValueError(p)
    except ZeroDivisionError:
        return -0.5
    except ValueError:
        found = 30
    else:
        found += 1
    return found
s = t = 0
"""
WHOLE = {
    "what does not raise": """
for k in range(9):
    try:
        s += L[k % 7] / (k + 1)
        found = L[k % 7]
    except (ZeroDivisionError, IndexError) as wrong:
        s = found = None
    else:
        t += found
""",
    "loops, breaks and try statements inside": """
for k in range(9):
    try:
        for j in range(1, 9):
            try:
                s += k // j
                if s % 5 == 4:
                    continue
                if s > 300:
                    break
            except ZeroDivisionError:
                s = "none"
        while s > 50:
            s -= 20
    except IndexError:
        pass
""",
    "what is reached where something was raised": """
for k in range(9):
    try:
        s += L[k % 7]
        continue
    except IndexError:
        pass
    print(k)
""",
    "functions": """
for k in range(1, 9):
    s += safe(k, 3) + safe(1, k)
    try:
        y[k % 7] = safe(k, 2)
    except ValueError:
        break
""",
}
LEFT = {
    "what raises": """
for k in range(40):
    try:
        s += 12 // (k % 10 - 3)
        t += L[k % 9]
        L[k % 7] = s
    except ZeroDivisionError as wrong:
        s -= len(str(wrong))
    except IndexError:
        t -= 1
        if k > 35:
            break
        continue
    else:
        t += 2
    s += 1
""",
    "names that the handler alone reads or binds": """
last, bad = "none", []
for k in range(40):
    try:
        z = 8.0 / (k % 11 - 4)
        last = k
    except ZeroDivisionError:
        bad = bad + [last]
        z = None
    s += 1 if z is None else z
""",
    "effects before what raises": """
for k in range(40):
    try:
        y[k % 7] += k
        G.append(k)
        box.p += 1
        x[2:4] = y[:2] * 2 / 1
        y[k % 7] = math.sqrt(20 - k)
        L[k % 9] += 1
    except ValueError:
        box.p -= 20
    except IndexError:
        G.pop()
""",
    "what raises in a function": """
for k in range(40):
    s += safe(k, k % 9 - 4) + safe(99, k % 5 + 1)
    try:
        poke(k, s)
        s += small(k % 11, k)
    except (IndexError, ValueError):
        s += 0.25
    try:
        assert k % 13, "thirteen"
    except AssertionError as wrong:
        print(wrong)
""",
    "what raises in a loop inside": """
for k in range(40):
    try:
        for j in range(6):
            s += 1 / (j - k % 8 + 0.0)
            t += 1
        else:
            t += 100
    except ZeroDivisionError:
        t += j
""",
    "a block that is run at last": """
for k in range(20):
    if k % 3 == 1:
        try:
            s += 1 / (k - 7)
        except ZeroDivisionError:
            s = 0
        finally:
            t += 1
    s += 1
""",
    "what no handler catches": """
for k in range(20):
    try:
        s += 1 / (k - 7)
    except IndexError:
        s = 0
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_left(*test_compiled.run(SETUP + LEFT[name]))


def test_a_statement_that_cannot_be_compiled(run: Run) -> None:
    """A loop that would be left in each turn, within `try`, is refused."""
    program = """
    def work(n):
        seen, s = {}, 0
        for i in range(n):
            try:
                s += seen[i]
            except KeyError:
                seen[i] = 1
        return s

    print(work(30_000))
    """
    found = run(program, options=("--report",))
    assert found.stdout == "0\n", found.stderr
    assert "not compiled" in found.stderr
