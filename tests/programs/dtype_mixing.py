"""Promotion: arrays, NumPy scalars and Python scalars of all kinds together."""

import numpy as np

kinds = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "e", "f", "d", "F", "D"]
for k in kinds:
    a = np.ones(3, dtype=k)
    row = [(a + np.ones(3, dtype=j)).dtype.char for j in kinds]
    scalars = [
        (a + s).dtype.char for s in (True, 1, 1.0, 1j, np.float32(1), np.int64(1), np.uint8(1))
    ]
    print(
        k,
        "".join(row),
        "".join(scalars),
        (a / a).dtype.char,
        (a * a).dtype.char,
        a.sum().dtype.char,
        a.mean().dtype.char,
        np.sqrt(a).dtype.char,
        (a**2).dtype.char,
    )
print(np.array([1, 2.5]).dtype, np.array([1, True]).dtype, np.array([1, 2], dtype="f4") * 3.7)
print(
    np.uint8([250]) + np.uint8(10),
    np.int8([100]) * 2,
    np.array([1]) / 2,
    np.array([7]) // 2.0,
    7 % np.array([4, -4]),
)
u = np.arange(3, dtype=np.uint8)
u += 250
print(u, u.astype(np.int8), u - 1 > u, (u.astype(float) / 3).astype(np.float16))
for operation in ("u + 300", "u + -1", "np.add(u, 1.5, out=u)", "u.__iadd__(1.5)"):
    try:
        print(eval(operation))
    except Exception as error:
        print(type(error).__name__, error)
