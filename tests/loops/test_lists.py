"""Lists and random numbers in compiled loops: made, nested, with two names, grown, left."""

from __future__ import annotations

import ast
import ctypes
import linecache
import math
import random
import textwrap
from collections import deque
from typing import Any

import numpy
import pytest
from fastnp import _fastnp
from fastnp._loops import generators, heap
from fastnp._loops.rewrite import compile_tree

from tests.loops.compare import differing, eager, outcome, rewritten

PROGRAMS = {
    "lists that are extended, sorted and turned": """
        a, b, c, d = [3, 1, 2], [7], [0.5, -1.0], [(1, 2)]
        for i in range(9):
            a.extend(b)
            if i % 3 == 0:
                b.extend(b)
            c.extend([i * 0.5, -0.0])
            c.sort()
            d.extend([(i, 3)] * 2)
            e = sorted(a)
            a[1:4] = reversed(a[1:4])
            b.append(e[i % 3])
        """,
    "lists that are made longer in place": """
        a, rows = [3, 1], [[0], [5], [7]]
        b, c = a, [rows[0], a, rows[0]]
        for i in range(7):
            a += [i]
            a += b[:1]
            c[i % 3] += [i, 2]
            c[1] += a[:i]
            d = a
            d += d[:1]
            rows[1] += rows[0]
        """,
    "rows that are filled after they are in a list": """
        rows, groups = [], []
        for i in range(9):
            row = []
            rows.append(row)
            row.append(i)
            groups.append([[]])
            groups[i][0].append(0.5 * i)
        """,
    "a function that stores to a list, and makes it longer": """
        def f(a, k):
            a[0] += k + 1
            a.append(k)
            return 1
        a, b = [0], 0
        for j in range(3):
            try:
                for i in range(20):
                    b += f(a, i) + 1 // (i - 9 + j * 3)
            except ZeroDivisionError:
                print(i)
        """,
    "rows with two names": """
        a = [[1, 2], [3, 4], [5, 6]]
        b = [a[1], a[0], a[1]]
        for i in range(3):
            b[i][0] += 10
            a[i][1] = b[0][0]
            a[0], a[i] = a[i], a[0]
        """,
    "lists made in turns": """
        rows = []
        for i in range(5):
            row = [i] * 3
            other = row
            other[1] = -i
            rows.append(row)
            rows.append(other)
        row[0] = 99
        """,
    "a list that grows while a loop is over it": """
        a = [5]
        for x in a:
            if x > 0:
                a.append(x - 1)
                a.append(x - 2)
        """,
    "lists that shrink while loops are over them": """
        a, b, c = [2, 4, 6, 8], [1, 3, 5], [7, 7, 7, 7]
        for x, y in zip(a, b):
            a.pop()
            b.append(x)
        for i, z in enumerate(c):
            c.pop()
        """,
    "rows that are too short, before the targets are bound": """
        rows = [[1, 2, 3]] * 3
        for i, b, c in rows:
            rows = [[i] * 2] * 3
            for j, b, c in rows:
                c = b + j
        """,
    "a stack": """
        stack, seen = [(40)], []
        while stack:
            n = stack.pop()
            seen.append(n)
            if n > 3:
                stack.append(n // 2)
                stack.append(n // 3)
        """,
    "comprehensions": """
        n, i = 4, 7
        for k in range(3):
            grid = [[i * j + k for j in range(n)] for i in range(n) if i != k]
            flat = [row[0] + i for row in grid[1:]] + grid[0]
            pairs = [a - b for a, b in zip(flat, flat[1:])]
        """,
    "an index beyond": """
        a = [[1.0] * 3 for _ in range(3)]
        for i in range(4):
            for j in range(3):
                a[j][i] += i
                a[2][j] = a[j][i] * 2
        """,
    "a row of another length": """
        total = 0
        for a, b in [[1, 2], [3, 4], [5], [6, 7]]:
            total += a * b
        """,
    "an integer of more than 64 bits": """
        a, b = [1], [0]
        for i in range(70):
            a.append(a[i] * 2)
            b[0] = a[i]
        """,
    "numbers of another type": """
        a = [0] * 4
        for i in range(4):
            a[i] = i
            if i == 2:
                a[i] = 0.5
        b = []
        for i in range(4):
            b.append(i)
            if i > 1:
                b.append(0.5)
        """,
    "what functions append": """
        out, sizes = [], []
        def push(v, x):
            v.append(x)
            if x == 3:
                v[10] = 1
            return len(v)
        for i in range(5):
            k = push(out, i)
            sizes.append(k)
        """,
    "an empty list, or of empty lists": """
        near = [[] for _ in range(4)]
        none = []
        for i in range(4):
            near[i].append((i + 1) % 4)
            near[(i * 2) % 4].append(i)
            if i % 2:
                none = []
        total = sum([len(v) for v in near]) + max(near[0]) + min(near[0])
        """,
    "a stack of places": """
        import numpy as np
        grid, stack, count = np.zeros((6, 6), int), [(2, 3)], 0
        grid[2, 3] = 60
        while stack:
            i, j = stack.pop()
            if grid[i, j] < 4:
                continue
            grid[i, j] -= 4
            count += 1
            if grid[i, j] >= 4:
                stack.append((i, j))
            for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if 0 <= a < 6 and 0 <= b < 6:
                    grid[a, b] += 1
                    if grid[a, b] >= 4:
                        stack.append((a, b))
        """,
    "tuples of numbers of several types": """
        rows = [(1, 2.5, True), (3, -0.0, False), (5, 0.5, True)]
        same, kept = rows[1], []
        for i in range(3):
            k, x, flag = rows[i]
            rows[i] = (k + i, x * 2, not flag)
            kept.append((x, k))
            kept.append((x + 1, 2 * k))
            if (k, x) == (3, 0.0):
                rows.append((7, 7.0, rows[0][2]))
        last = rows.pop()
        total = 0
        for k, x, flag in rows:
            total += k if flag else -k
        """,
    "moves by number, and places compared": """
        moves, x, y, goal, steps = [(0, 1), (1, 0), (0, -1)], 0, 0, (4, 3), 0
        while (x, y) != goal and steps < 90:
            dx, dy = moves[(steps * steps + x) % 3]
            x, y = min(max(x + dx, 0), 4), min(max(y + dy, 0), 4)
            steps += 1
        """,
    "NumPy's numbers, there before and appended": """
        import numpy as np
        x = np.arange(9.0) / 2
        a, b, c = [x[1], x[2]], [], [np.int64(3), np.int64(-1)]
        for i in range(9):
            a.append(x[i] * 2)
            a[i % 2] = a[-1] + 1
            b.append(a[i])
            c[1] = c[0] + np.int64(i)
        last = [a.pop(), b.pop()]
        """,
    "Python's numbers and NumPy's in one list": """
        import numpy as np
        x = np.arange(9.0) / 2
        a, b = [0.5, x[3]], []
        for i in range(9):
            b.append(max(x[i] - 2, 0.0) if i % 3 else 0.0)
            a[i % 2] = b[i]
            a.append(1.5 if i == 4 else x[i])
        rest = a.pop()
        for y in b:
            rest = rest + y
        """,
    "slices with steps, and stores to slices": """
        tour, rows = [0, 1, 2, 3, 4, 5, 6, 7], [(1, 2), (3, 4), (5, 6)]
        for i in range(6):
            j = (3 * i) % 8
            a, b = min(i, j), max(i, j)
            tour[a : b + 1] = tour[a : b + 1][::-1]
            tour[:3] = tour[-3:]
            rows[:2] = rows[::2]
            last = tour[::-2]
        """,
    "a deque of places": """
        from collections import deque
        import numpy as np
        grid = np.arange(49).reshape(7, 7) % 3 > 0
        seen, count = np.zeros((7, 7), int), 0
        for i in range(7):
            for j in range(7):
                if grid[i, j] and not seen[i, j]:
                    count += 1
                    queue = deque([(i, j)])
                    seen[i, j] = count
                    while queue:
                        y, x = queue.popleft()
                        for dy, dx in [(-1, 0), (1, 0), (0, -1), (0, 1)]:
                            a, b = y + dy, x + dx
                            if 0 <= a < 7 and 0 <= b < 7 and grid[a, b] and not seen[a, b]:
                                seen[a, b] = count
                                queue.append((a, b))
        """,
    "deques that are there before and after": """
        from collections import deque
        a, b, c = deque([1, 2, 3]), deque(), deque([0.5])
        other = a
        for i in range(30):
            first = a.popleft()
            a.append(first + i)
            if i % 4 == 0:
                b.append(a[0] + a[-1])
            if len(b) > 2:
                b.popleft()
                c.append(b.pop() / 2)
            other[1] = i
        d = deque([i, i + 1])
        """,
    "a heap of tuples": """
        import heapq
        queue, out = [], []
        for i in range(60):
            heapq.heappush(queue, (float(i * 7 % 11), i % 4, -i))
            if i % 3 == 2:
                x, k, j = heapq.heappop(queue)
                out.append(j)
        while queue:
            x, k, j = heapq.heappop(queue)
            out.append(j)
        """,
    "a heap of numbers": """
        from heapq import heappop, heappush
        queue, out = [2.5, 3.0], []
        for i in range(40):
            heappush(queue, i * 5 % 7 / 2)
            if i > 5:
                out.append(heappop(queue))
        """,
    "a loop over tuples that a constant holds": """
        NEAR = ((0, 1), (1, 0), (0, -1), (-1, 0))
        found = []
        for dx, dy in NEAR:
            for k in range(3):
                for ex, ey in NEAR:
                    found.append((dx * ex - k, dy + ey))
        """,
    "random numbers, drawn and left": """
        import random
        random.seed(3)
        found, hits = [0.0] * 5, 0
        for i in range(9):
            if random.random() < 0.5 or random.uniform(-1, 1) > 0.25:
                hits += 1
            found[i] = random.random() + random.random()
        """,
    "random numbers and the program's own": """
        import random
        random.seed(3)
        found = []
        for i in range(40):
            x = random.random()
            if i % 10 == 9:
                found.append(random.randint(1, 6))
                random.seed(i)
            y = random.random() - x
            found.append(int(1000 * y))
        last = random.random()
        """,
}


def compared(source: str) -> tuple[list[Any], str]:
    """The sites of a program whose loops are compiled at once, and what differs."""
    lines = [line[8:] for line in source.splitlines()]
    text = "\n".join(lines)
    linecache.cache["program.py"] = (len(text), None, text.splitlines(True), "program.py")
    code, unit = compile_tree(ast.parse(text), "program.py")
    for site in unit.sites:
        site.is_eager = True
    plain = outcome(compile(text, "program.py", "exec", dont_inherit=True))
    return unit.sites, differing(plain, outcome(code))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    sites, difference = compared(PROGRAMS[name])
    assert not difference
    assert any(site.compiled for site in sites), [site.refusals for site in sites]


def test_slices_that_change_the_length() -> None:
    source = """
        a = [1, 2, 3, 4]
        for i in range(6):
            a[1:3] = a[1 : 2 + i % 3]
            b = a[3:1]
            a[4:2] = b
        """
    _, difference = compared(source)
    assert not difference


def test_tuples_that_are_left() -> None:
    """Items of other types, nan, and a heap that is empty."""
    source = """
        import heapq, math
        a, queue, out = [(1, 2.0)], [(1.0, 2)], []
        for i in range(6):
            try:
                a.append((i, 0.5 if i != 3 else math.nan))
                if i == 4:
                    a[0] = (i, 1)
                out.append(heapq.heappop(queue) == (1.0, 2))
            except IndexError as error:
                out.append(str(error))
        """
    _, difference = compared(source)
    assert not difference


def test_arrays_that_are_added_to_items() -> None:
    source = """
        import fastnp as np
        x, a = np.arange(3.0), [1.0, 2.5, 3.0]
        for i in range(6):
            a[i % 3] += i
            if i > 3:
                a[2] += np.where(x > i, x, -x)
        """
    _, difference = compared(source)
    assert not difference


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_is_used_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no memory for a new list, or no number is left, the loop is entered anew."""
    monkeypatch.setattr(heap, "MADE", 24)
    monkeypatch.setattr(generators, "FEWEST", 2)
    monkeypatch.setattr(generators, "MOST", 3)
    assert not compared(PROGRAMS[name])[1]


def test_a_list_gets_shorter_than_what_was_taken_of_it() -> None:
    source = textwrap.dedent("""
        for _ in range(3):
            a = [2, 4, 6]
            for x, y in zip(a, [3, -1, 4, 1]):
                a.pop()
            print(a, x, y)
        """)
    linecache.cache["program.py"] = (len(source), None, source.splitlines(True), "program.py")
    expected = outcome(compile(source, "program.py", "exec"))
    for seed in range(60):  # entered after one turn, two or three
        dice = random.Random(seed)
        code, _ = rewritten(source, dice)
        with eager(dice):
            assert not differing(expected, outcome(code))


def words_at(address: int, count: int) -> Any:
    """Words of memory, which can be changed."""
    return (ctypes.c_int64 * count).from_address(address)


def test_lists_in_memory() -> None:
    """Exact classes go in, and come out where they differ."""
    cases: list[tuple[str, list[Any]]] = [
        ("i", [1, -(2**63), 2**63 - 1]),
        ("f", [0.5, -0.0, math.inf]),
        ("l", [numpy.int64(3), numpy.int64(-1), numpy.int64(7)]),
        ("d", [numpy.float64(3), numpy.float64("nan"), numpy.float64(7)]),
        ("I", [1, numpy.int64(-1), 7]),
        ("F", [1.5, numpy.float64(-1), 7.0]),
        ("(if)", [(1, 1.5), (2, -0.0), (3, math.inf)]),
    ]
    for letter, values in cases:
        width = 2 if letter in ("I", "F", "(if)") else 1
        layout = _fastnp.ListLayout(f"[{letter}]")
        kept = [*values]
        lists_ = _fastnp.ListHeap([kept], [layout], 0)
        assert lists_.is_entered
        items, length, room, number = words_at(lists_.addresses[0], 4)
        assert (length, room, number) == (3, 3, 0)
        assert lists_.object_at(lists_.addresses[0], layout) is kept
        memory = words_at(items, 3 * width)
        memory[:width] = memory[2 * width :]
        lists_.put_back()
        assert [*map(repr, kept)] == [*map(repr, [values[2], *values[1:]])]
        assert kept[1] is values[1]
        assert kept[2] is values[2]
        words_at(lists_.addresses[0], 2)[1] = 2
        lists_.put_back()
        assert len(kept) == 2
        with pytest.raises(IndexError):
            kept.clear()
            lists_.put_back()
        for other in (2**63, True, None, "1", numpy.float32(1), (1,), (1, 2), (1, math.nan), [1]):
            assert not _fastnp.ListHeap([[*values, other]], [layout], 0).is_entered
        assert not _fastnp.ListHeap([values], [_fastnp.ListLayout("[]")], 0).is_entered
        assert not _fastnp.ListHeap([deque(values)], [layout], 0).is_entered
        assert _fastnp.ListHeap([[]], [layout], 0).is_entered
    for text in ("", "i", "[x]", "[i", "[i]]", "[(i]", "{[i}"):
        with pytest.raises(ValueError, match="no layout"):
            _fastnp.ListLayout(text)


def test_truth_values_and_rows_in_memory() -> None:
    truths, layout = [True, False] * 5, _fastnp.ListLayout("[b]")
    lists_ = _fastnp.ListHeap([truths], [layout], 0)
    items = words_at(lists_.addresses[0], 1)[0]
    (ctypes.c_uint8 * 10).from_address(items)[9] = 1
    lists_.put_back()
    assert truths == [True, False] * 4 + [True, True]
    row = [3]
    rows, deep = [[1], row, [], row], _fastnp.ListLayout("[[i]]")
    lists_ = _fastnp.ListHeap([rows, row], [deep, _fastnp.ListLayout("[i]")], 24)
    first, *_ = words_at(lists_.addresses[0], 4)
    children = words_at(first, 4)
    assert children[1] == children[3] == lists_.addresses[1]
    # A list that the code made, in two places.
    made, _ = words_at(lists_.base, 2)
    words_at(made, 5)[:] = made + 32, 1, 1, -1, 8
    children[0] = children[2] = made
    lists_.put_back()
    assert rows == [[8], [3], [8], [3]]
    assert rows[0] is rows[2]
    assert rows[1] is row
    assert not _fastnp.ListHeap([rows, row], [deep, _fastnp.ListLayout("[f]")], 0).is_entered


def test_rows_are_entered_at_once() -> None:
    """Many rows of one length are copied together, and those that changed are put back."""
    source = """
        rows = [[i, i + 1] for i in range(50)]
        same = rows[7]
        for k in range(50):
            if rows[k][0] % 5 == 2:
                rows[k][1] = -k
        rows[3] = same
        for k in range(50):
            rows[k][0] += rows[k][1]
        others = rows[::-1]
        rows[3] = [0, 0]
        for k in range(50):
            others[k][0] += 1000 * rows[k][1] + same[0]
            rows[0], rows[k] = rows[k], rows[0]
        """
    sites, difference = compared(source)
    assert not difference
    assert all(site.compiled for site in sites), [site.refusals for site in sites]


def test_the_generator_goes_on() -> None:
    """The next number after a compiled loop is the interpreter's."""

    def last(code: Any) -> float:
        random.seed(11)
        exec(code, {"random": random})
        return random.random()

    text = "for i in range(20000): x = random.random() * 2"
    code, unit = compile_tree(ast.parse(text), "program.py")
    unit.sites[0].is_eager = True
    assert last(code) == last(compile(text, "program.py", "exec"))
    assert unit.sites[0].turns > 10_000
