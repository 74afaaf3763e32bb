"""Lists of complex numbers in compiled loops."""

from __future__ import annotations

import pytest

from tests.loops import test_compiled

SETUP = """
C = [1j, 2 - 0.5j, -1.5 + 0j, 0.25 + 1j, -0.0 - 0.0j, 3 + 4j]
D = [np.complex128(1 - 1j), np.complex128(0.5j), np.complex128(2)]
R = [C[:3], [2j], C]
s = t = 0
"""
WHOLE = {
    "items": """
for k in range(9):
    for c in C:
        s = c * 0.5 + s * 0.25
    C[k % 6], C[k % 5] = C[k % 3] + 1, C[k % 4] * 1j
    C[k % 6] += 0.5 - k
    C[k % 4] = -C[k % 5].conjugate()
    D[k % 3] = D[k % 2] * 0.5 + D[2]
    D[k % 2] -= D[1]
    t = abs(C[k % 6]) + D[k % 3].real
""",
    "lists that grow": """
E = []
for k in range(9):
    C.append(complex(k, 0.5))
    E.append(C[k % 6] * 2)
    e = C.pop()
    D.append(D[k % 3])
    R[1].append(R[k % 3][0])
    h = [c * 1j for c in C if abs(c) > 1]
    i, j = C[::-2] + E, [0j] * k
    q = [C[k % 6], k + 1j]
    q = [D[k % 3], D[0] * 2j]
""",
    "sums": """
for k in range(9):
    s = sum(C)
    t = sum(D)
    s += sum(c * c for c in C) + sum([s, -0.0j])
    C[k % 6] = s / 8
    D[k % 3] = t / 4
""",
    "a transform": """
x = [complex(k % 5, k % 3) for k in range(16)]
for turn in range(2):
    j = 0
    for i in range(1, 16):
        bit = 8
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    length = 2
    while length <= 16:
        root = cmath.exp(-2j * cmath.pi / length)
        for i in range(0, 16, length):
            w = 1 + 0j
            for k in range(length // 2):
                even, odd = x[i + k], x[i + k + length // 2] * w
                x[i + k] = even + odd
                x[i + k + length // 2] = even - odd
                w *= root
        length <<= 1
""",
    "logarithms to a base": """
for k in range(1, 9):
    C[k % 6] = cmath.log(k + 1j, 2) + cmath.log(k, k + 1) + cmath.log(0.5 - k * 1j, 0.5j)
""",
}
LEFT = {
    "numbers that are not complex": "for k in range(9):\n    C[k % 6] = k if k == 7 else k * 1j",
    "NumPy's among Python's": "for k in range(9):\n    C[k % 6] = D[k % 3]",
    "Python's among NumPy's": "for k in range(9):\n    D[k % 3] = C[k % 6]",
    "what is not finite": """
C[3] = complex("inf"), 1
C[3] = complex(1e308, 1)
for k in range(9):
    s = C[3] + C[k % 6]
    t = sum(C) + k
    C[3] *= 1.5
""",
    "sums of nothing": "for k in range(9):\n    s = sum(C)\n    C.pop()",
    "an order": "for k in range(9):\n    s = max(C)",
    "searches": "for k in range(9):\n    s = C.index(C[k % 6]), C.count(1j), 2j in C",
    "a logarithm to the base of one": "for k in range(9):\n    s = cmath.log(k + 1, 7 - k)",
    "an item that is none": "C[4] = 2\nfor k in range(4):\n    s += C[k]",
    "NumPy's functions": "for k in range(9):\n    s = np.array(C).sum() + np.sum(C)",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + LEFT[name]))
