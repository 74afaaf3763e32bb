"""The limits of numbers in compiled loops."""

from __future__ import annotations

from tests.loops import test_compiled


def test_limits() -> None:
    """They are constants, of the types that NumPy gives."""
    source = """
eps = np.finfo
for i in range(n):
    u[i] = np.iinfo(np.int64).max - i
    v[i] = np.iinfo(np.int32).min + np.iinfo(int).bits
    y[i] = np.finfo(float).eps * i + eps(np.float64).tiny - np.finfo(float).max
    s = np.finfo(np.float64).eps
    a = np.iinfo(np.uint8).max
    if abs(x[i]) < np.finfo(float).eps: x[i] = 9
"""
    test_compiled.assert_whole(*test_compiled.run(source))


def test_left() -> None:
    """Types without limits raise, and those of other floats are the interpreter's."""
    source = """
for i in range(n):
    y[i] = i
    if i == 3: f[i] = np.finfo(np.float32).eps
    if i == 5: y[i] = np.iinfo(float).max
"""
    assert not test_compiled.run(source)[1]
