"""How arrays and scalars print: repr, str, format, print options, f-strings."""

import numpy as np

a = np.arange(6).reshape(2, 3)
print(a, repr(a), str(a.T))
for value in (
    np.zeros(0),
    np.zeros((2, 0)),
    np.array(5),
    np.array(2.5),
    np.array([True, False]),
    np.array([1e-9, 1, 1e9]),
    np.array([1e300, -np.inf, np.nan]),
    np.arange(2000),
    np.array([1 + 2j, -1j]),
    np.array(["a", "bcd"]),
    np.array([b"x"]),
    np.float32(0.1),
    np.arange(4, dtype=np.int8),
    np.linspace(0, 1, 4, dtype=np.float32),
    np.array([None, 1]),
    np.array([1.0, 2.0]),
    np.array([0.1 + 0.2]),
    np.arange(2500.0).reshape(50, 50),
):
    print(repr(value))
    print(value)
print(f"{np.float64(2.5):8.3f}|{np.int64(42):>6d}|{np.array(3.0):.2f}|{a.sum()}|{a}")
with np.printoptions(precision=2, suppress=True, linewidth=40):
    print(np.array([1e-5, 3.14159, 1000.123456]), np.arange(30))
print(
    np.array2string(a * 1.5, separator=", "),
    "%d %s" % (a[0, 1], a[1]),
    a.tolist(),
    [a[0, 0]],
    (a[0],),
)
print(a.dtype, a.shape, a.dtype.name, repr(a.dtype), np.float64, type(a[0, 0]).__name__)
