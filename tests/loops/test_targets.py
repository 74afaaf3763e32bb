"""Several targets of one assignment, items of tuples at places that vary, lists whose first item is
taken out.
"""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
kind = [[k % 3 for k in range(i, i + 4)] for i in range(4)]
energy = [[k for k in range(i, i + 4)] for i in range(4)]
parent = np.array([0, 0, 1, 2, 3, 0, 5])
above = [0, 0, 1, 2, 3, 0, 5]
twice = [[1, 2], [3, 4]]
twice.append(twice[0])
class Box:
    def __init__(self):
        self.k, self.items = 2, [3, 1, 2, 0]
box = Box()
"""
WHOLE = {
    "items of lists of lists": """
for i in range(n):
    a, b = i % 4, (i * 3 + 1) % 4
    kind[a][b], energy[a][b] = 2, energy[b][a] + 3
    kind[a][b], kind[b][a] = kind[b][a], kind[a][b]
    kind[kind[a][b]][a], energy[b][a] = i, kind[a][b]
    twice[0][i % 2], twice[2][1] = i, twice[1][0]
    kind[a], energy[b][a] = kind[b], 7
""",
    "paths that are made shorter": """
for i in range(n):
    p, root = i, i
    while parent[root] != root:
        root = parent[root]
    while parent[p] != root:
        parent[p], p = root, parent[p]
    q = i
    while above[q] != 0:
        above[q], q = 0, above[q]
    box.items[box.k], box.k = i % 4, box.items[i % 4]
    x[i], i = i, 3
""",
    "a name after the element that it is the index of": """
for i in range(n):
    k = i
    u[k] = k = 2
    L[k], k, y[i] = k, 3, k
""",
    "quotients and remainders of NumPy's integers": """
for p in u:
    a, b = divmod(p, n)
    c, d = divmod(p * 4 - 9, u[2])
    s = divmod(b, 2)[0] + divmod(-7, p + 1)[1]
    z, e = divmod(x[a] * 1.5, 0.25)
    y[p] = c + d + s + z - e
    f[p] = divmod(7.5, p + 0.5)[1]
""",
    "items of tuples": """
masses, steps, words = (1.0, 0.5, 0.25), ((0, 1), (1, 0), (-1, 2)), (True, False)
for i in range(n):
    s = masses[i % 3] * masses[-(i % 3) - 1] + masses[u[i] % 3]
    p, q = steps[i % 3]
    if words[i % 2]:
        y[i] += s + p * q
    y[i] += (i, 3, s > 1, 2)[3] + (i, 4, 2 * i)[i % 3] + A.shape[i % 2] + (x[i], x[0])[i % 2]
""",
    "first items of lists": """
queue, found = [(3, 1)], []
while queue:
    a, b = queue.pop(0)
    found.append(a - b)
    if a > 0:
        queue.append((a - 1, b + 1))
        queue.append((a - 2, b))
def turned(v, k):
    p = v.pop(0)
    v.append(p * 2 + k)
    return p
for i in range(n):
    y[i] = turned(L, i) + turned(L, 1) + len(L)
    Q[0].append(turned(Q[2], i))
    Q[0].pop(0)
    F.pop(0)
    F.append(i / 2)
    F[0], F[1] = F[1], F[0]
""",
    "numbers from one on": """
for i in range(3):
    for j, p in enumerate(L, start=1):
        x[i] += j * p
    y[i] = sum([j * q for j, q in enumerate(F, start=i)])
""",
    "floats stored to unsigned integers": """
h = np.zeros(7, np.uint16)
for i in range(n):
    w[i] = 255.5 - i
    w[i - 1] = x[i] + 200.0
    h[i] = 65535.9 - i * 9000
    h[i - 1] = -0.5 * (i < 2)
""",
}
LEFT = {
    "an item of no tuple": """
for i in range(9):
    y[i % 7] = (1.5, 2.5, 0.5)[i - 3]
""",
    "a quotient by NumPy's zero": """
for p in u:
    a, b = divmod(7, p)
    y[b] = a
""",
    "a place that a target before changes": """
for i in range(n):
    a = i % 4
    a, energy[a][0] = 1, i
    above[1], above[above[1]] = 2, i
    if i > 4:
        box.k, box.items[box.k] = 1, i
""",
    "an index in a list that a target before changes": """
for i in range(n):
    a, b = i % 4, (i * 3 + 1) % 4
    kind[kind[a][b]][a], energy[b][kind[a][a]] = i % 4, kind[a][b]
    y[i] = energy[b][a]
""",
    "first items of lists that are empty": """
for i in range(9):
    s = K.pop(0)
""",
    "first items of truths, and of lists": """
queue = deque(H)
for i in range(7):
    m[i] = queue.popleft()
    H.append(H.pop(0))
    M.append(M.pop(0))
    M[0][i % 3] = i
""",
    "first items of a list that is iterated over": """
s = 0
for i in range(n):
    for a in L:
        if a > 2 and len(L) > 1:
            s += L.pop(0)
        s += a
""",
    "floats that no unsigned integer is": """
for i in range(4):
    w[i] = 257.5 - i
    w[i + 1] = -1.5 + i
""",
    "one list under two names": """
other = energy
for i in range(n):
    if i > 2:
        other[0], energy[0][1] = energy[1], i
    y[i] = energy[0][1]
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    """The loop is compiled, never left, and agrees."""
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    """The interpreter makes the statement, or the whole loop."""
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name]))
