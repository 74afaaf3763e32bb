"""Statements on whole arrays of complex numbers in compiled loops."""

from __future__ import annotations

import random
import struct

import pytest
from fastnp._loops.complex_functions import OF_CMATH
from fastnp._loops.ufuncs import OF_COMPLEX

from tests.loops import test_compiled

SETUP = """
z = np.linspace(-1, 2, 24) * (1 - 0.5j) + 0.25j
w = (np.arange(24) % 5) / 4 - 1j
G = np.exp(1j * np.arange(35.0)).reshape(5, 7)
dt = 0.005
"""
WHOLE = {
    "operators": """
for k in range(9):
    z[1:] -= dt * w[:-1]
    z[:-1] = (2 - w[1:]) * z[:-1] + z[1:] / (w[1:] + 3)
    w *= 1 - 0.5j * dt
    w += 0.25j
    z = z - w ** 2
""",
    "new arrays and elements": """
for k in range(9):
    c = np.zeros(24, dtype=complex)
    d = np.zeros_like(z)
    c[0] = z[k] / w[0]
    for i in range(1, 24):
        m = w[i] - dt * c[i - 1]
        c[i] = dt / m
        d[i] = (z[i] - dt * d[i - 1]) / m
    z[:] = c + d * 2
""",
    "new arrays for several names at once": """
for k in range(9):
    c, d = np.zeros(24, dtype=complex), z * 2
    c, d, a = d + 1, c + w, k + 0.5
    c, d = d * d, c - d
    z[k] = c[k] + d[k] * a
""",
    "parts, conjugates and ufuncs": """
for k in range(9):
    x[:] = z[:7].real + z.imag[1:8]
    s = (abs(z) ** 2).max()
    z.real[k] = 3.5
    z = np.exp(z * 1j) + np.conj(w) * np.sqrt(z)
    y[k % 7] = (z * z.conj()).real.max() + s
""",
    "matrices, rows, strides and broadcasting": """
for k in range(5):
    G[k] = G[k, ::-1] * 2 + G[k, 0]
    G[:, k] *= G[0, 0]
    G[::2] += x * (1 + 2j)
    H = G.T - k
    G -= G[k] / 8
""",
    "products of whole numbers": """
P = (np.arange(9.0).reshape(3, 3) % 4) * (1 - 2j)
Q, M, v = P.T + 1j, np.arange(6.0).reshape(2, 3), P[0] * 2
for k in range(4):
    R = P[:2] @ Q[::-1]
    a = R @ v
    T, W = np.dot(M, P), P @ M.T - k
    c = v @ Q[:, k % 3]
    Q[k % 3] = (T[1] - W[:, 0]) * 1j
    Q[0, 0] = c - a[1]
    v[:2] = P[1, :2] * (k + 1j) + a * 0
    P[0] = (P @ M[0]) * 0.5
""",
    "products of every shape": """
P = (np.arange(60.0).reshape(6, 10) % 7 - 2) * (1 - 2j) + np.arange(10)
Q = (np.arange(70.0).reshape(10, 7) % 5 - 1) * (2 + 1j) - 3j
for i in range(1, 7):
    for n in range(1, 6):
        for j in range(1, 8):
            R = P[:i, :n] @ Q[:n, :j]
            T = P[::-1][:i, : 2 * n : 2] @ Q[::-2][:n, :j] - R * 2
            v = P[i - 1, :n] @ Q[:n, 7 - j :]
            z[:j] = T[i - 1] + v
""",
    "products without terms or elements": """
for k in range(9):
    R = G[:, :0] @ G[:0, : k % 3]
    T = G[:0] @ G.T[:, : k % 3]
    z[k] = R.shape[1] + T.shape[1]
""",
    "broadcasting and overlaps in place": """
for k in range(5):
    G[1:] += G[:-1] * 0.5
    G[k] -= G[k]
    G[:, k] += G[:, k] * G[:, k + 1] + w[:5]
    G[k, 1:] = G[k, :-1]
    G[:] = x * (2 - 1j)
    G[:, 1:2] *= 1j
    G += w[k]
""",
    "names of parts": """
for k in range(9):
    p, q = z.real, z[3:].imag
    p[k] = q[k] + 1
    h = G[::2].imag
    h[0, 1] = k
""",
    "numbers of NumPy's left of complex ones": """
a = np.float64(0.5)
for k in range(9):
    q = a * (z[k] + 1j)
    z[k] = a + q - (a - w[k])
    z[k + 1] = a * (2 - 1j)
""",
}
WHOLE["functions"] = """
import cmath
for k in range(24):
    p, q = complex(z[k].real, k / 4), z[k].conjugate()
    d = cmath.exp(-2j * cmath.pi * k / 24) + cmath.sqrt(p - 2) * cmath.sin(p) - cmath.cos(q)
    size, turn = cmath.polar(d)
    w[k] = np.exp(1j * z[k]) * np.sqrt(q) + cmath.rect(size, turn) + np.conj(p) + np.log(p + 3)
    h = abs(d) + np.abs(w[k]) + abs(q) + cmath.phase(q) + np.angle(p) + np.real(q) - np.imag(q)
    e = cmath.exp(k), cmath.log(k + 2), cmath.sqrt(-0.5), np.real(p), np.angle(q)
"""
LEFT = {
    "an overflow": "for k in range(9):\n    z *= 1e100 * (1 + 1j)",
    "an overflow half way": """
z[5] = 1e300
for k in range(3):
    z[2:9] *= 1e3 * (1 + 1j)
    z[::2] += z[::2] * 1e4
    w[:5] = z[3:8] * (1e3 - 1e3j)
""",
    "a product that overflows": """
z[3] = 1e200
for k in range(3):
    w[k] = z @ z[::-1]
    w[k] = (z * 1e50) @ z
    G[0] = G @ (G[0] * 1e308)
""",
    "products of numbers that are not finite": """
z[3], z[4], z[5] = np.inf, complex(0, np.nan), 1e308
A, B = z[:9].reshape(3, 3), w[:9].reshape(3, 3) + 0
for k in range(3):
    R = A @ B
    T = B @ A
    G[:3, :3] = R - B
    w[:3] = T[k]
""",
    "a division by zero": "for k in range(9):\n    z /= (w - w[k])",
    "complex numbers in a real array": "for k in range(3):\n    x[:] = k\n    x[:] = z[:7]",
    "shapes that differ": "for k in range(4, 9):\n    z[:k] = z[k] + w[:7]",
    "an overflow of cmath's": "for k in range(9):\n    d = cmath.exp(2 ** k * (3 + 1j))",
    "cmath's logarithm of zero": "for k in range(9):\n    d = cmath.log(5 - k + 0j)",
    "an overflow of a ufunc": "for k in range(9):\n    d = np.exp(2 ** k * (3 + 1j))",
    "a ufunc's logarithm of zero": "for k in range(9):\n    d = np.log(5 - k + 0j)",
    "a root of zero": "for k in range(9):\n    d = cmath.sqrt(5 - k + 0j)",
    "no numbers": "for k in range(9):\n    d = cmath.exp(z[k] / (5 - k))",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    test_compiled.assert_same(*test_compiled.run(SETUP + "import cmath\n" + LEFT[name]))


def test_numpys_arrays() -> None:
    """Those of NumPy's have its bits, which depend on the processor: left to it."""
    setup = "import numpy\nz = numpy.exp(1j * numpy.arange(24.0))\nw = z * 2\n"
    test_compiled.assert_same(
        *test_compiled.run(setup + "for k in range(9):\n    z = z * w + z / 3\n")
    )


SPECIAL = """0.0 -0.0 1.0 -1.0 0.71 1.73 5e-324 -2.2e-308 2.3e-308 1e-160 1e308 -1e308 4.4e307
708.3 708.5 709.9 -745.2 710.5 3.141592653589793 inf -inf nan 1e22 -0.5""".split()


def part(dice: random.Random) -> float:
    """A part of a complex number: often special."""
    kind = dice.random()
    if kind < 0.15:
        return float(dice.choice(SPECIAL))
    if kind < 0.8:
        return dice.uniform(-3, 3) * dice.choice((1, 250))
    found: float = struct.unpack("d", dice.randbytes(8))[0]
    return found


NUMPYS = tuple(f"np.{name}" for name in OF_COMPLEX)


@pytest.mark.parametrize(
    "function", (*(f"cmath.{name}" for name in OF_CMATH), "cmath.phase", "abs", *NUMPYS)
)
@pytest.mark.parametrize("number", ("complex(X[k], Y[k])", "Z[k]"))
def test_bits(function: str, number: str) -> None:
    """Those of the interpreter, for all numbers of which `cmath` does not raise."""
    dice = random.Random(function)
    numbers = [(part(dice), part(dice)) for _ in range(400)]
    setup = f"""
import cmath
inf, nan = float("inf"), float("nan")
def is_defined(x, y):
    try:
        {function}(complex(x, y))
    except (ValueError, OverflowError):
        return False
    return True
with np.errstate(all="ignore"):
    numbers = [part for part in {numbers} if is_defined(*part)]
X, Y = np.array(numbers).T.copy()
Z, found = np.zeros(len(X), complex), np.zeros(len(X), complex)
Z.real, Z.imag = X, Y
"""
    loop = (
        f"for k in range(len(X)):\n    found[k] = {function}({number})\nbits = bytes(found).hex()"
    )
    sites, difference = test_compiled.run(setup + loop)
    assert not difference
    assert sites[-1].runs
