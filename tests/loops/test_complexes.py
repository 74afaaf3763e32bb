"""Statements on whole arrays of complex numbers in compiled loops, by kernels of the engine."""

from __future__ import annotations

import pytest

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
LEFT = {
    "an overflow": "for k in range(9):\n    z *= 1e100 * (1 + 1j)",
    "a division by zero": "for k in range(9):\n    z /= (w - w[k])",
    "complex numbers in a real array": "for k in range(3):\n    x[:] = k\n    x[:] = z[:7]",
    "shapes that differ": "for k in range(4, 9):\n    z[:k] = z[k] + w[:7]",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(name: str) -> None:
    test_compiled.assert_whole(*test_compiled.run(SETUP + WHOLE[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    _, difference = test_compiled.run(SETUP + LEFT[name])
    assert not difference


def test_numpys_arrays() -> None:
    """Those of NumPy's have its bits, which depend on the processor: left to it."""
    setup = "import numpy\nz = numpy.exp(1j * numpy.arange(24.0))\nw = z * 2\n"
    _, difference = test_compiled.run(setup + "for k in range(9):\n    z = z * w + z / 3\n")
    assert not difference
