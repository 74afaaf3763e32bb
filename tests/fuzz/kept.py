"""Regression programs: shrunk programs that failed once, each named after its fault.

They are kept as text, since a seed gives another program after any change of the generator.
"""

from __future__ import annotations

KEPT: dict[str, str] = {
    "whole numbers of any width divide in float64": """
        a = np.arange(6, dtype='i1')
        v = a / 2, True / (a + 1), (a > 1) / a.astype('u1')
    """,
    "the loop of a ufunc is found by casts of each argument, not of their common type": """
        a, b = np.arange(4, dtype='i1'), np.arange(4, dtype='u1')
        v = np.arctan2(a, b), np.copysign(b, a), np.hypot(a, b)
    """,
    "int64 and uint64 compare exactly": """
        a, b = np.array([2**63 - 1, -1, 5]), np.array([2**63, 2**64 - 1, 5], dtype='u8')
        v = a < b, a == b, b <= a, a != b, b > a, a >= b
    """,
    "the operator squares booleans in int8": """
        a = np.arange(2000) > 3
        v = a**2, np.power(a, 2), (a[a] > 0)**2
    """,
    "sums of one negative zero start from zero": """
        a = np.full((1, 4), -0.0)
        v = a.sum(axis=0), a[:, 0].sum(), a.mean(axis=0), a.astype('f2').sum(axis=0)
    """,
    "matrix products start from positive zero": """
        a, b = np.array([[-6.0, 3.0]]), np.zeros((2, 3))
        c = np.arange(51).reshape(3, 17) - 9
        d = np.zeros((5, 1)) @ -np.ones((1, 5))
        v = np.zeros((2, 3))[-1::-1] @ c, a @ b, b.T @ a.T, a[:, :1] @ b[:1], d
    """,
    "stacked products have the axis order of their operands, each product is row-major": """
        a = np.arange(3, dtype='i1') @ np.ones((2, 3, 2), dtype='?', order='F')
        b = np.ones((4, 2, 3, 2), order='F') @ np.arange(2.0)
        c = np.ones((4, 2, 3, 2), order='F') @ np.ones((2, 5))
        d, e, f = a.ravel(), b.ravel(), c.ravel()
        d[1] = e[1] = f[1] = 5
        v = a, b, c, d, e, f
    """,
    "extremes over an empty axis are errors even if the result is empty": """
        a = np.zeros((0, 1, 8, 0))
        v = np.min(a, axis=(0, 1))
    """,
    "a sum over an empty axis writes memory that a reversed view reads": """
        a = np.zeros((0, 5)).sum(axis=0)
        v = a[::-1] + 1, a[1:] * 2, a
    """,
    "the axis order of a concatenation follows the axes longer than one": """
        a = np.ones((5, 1, 17), order='F').reshape((1, 5, -1), order='F')
        b = np.concatenate([a, a])
        c = b.reshape((85, 2), order='F')
        np.subtract(-1, c, out=c)
        v = b, c
    """,
    "operands of different memory orders give row-major results": """
        a = np.arange(6.0).reshape(3, 2) + np.zeros((3, 2), order='F')
        b = a.ravel()
        b[0] = 7
        v = a, b
    """,
    "copies of broadcast arrays have the broadcast axis innermost": """
        a = np.array(np.broadcast_to(np.arange(3), (2, 3)))
        b = a.reshape((6,), order='F')
        b[1] = 9
        v = a, b
    """,
    "results of argmax are row-major": """
        a = np.ones((8, 2, 7), order='F').argmax(axis=1)
        b = a.reshape((4, 7, 2), order='F')
        b[...] = 5
        v = a, b
    """,
    "a scan over an axis of extent one beside a fold over the same": """
        a = np.arange(12.0).reshape(3, 4, 1)
        b = np.cumsum(a, axis=2)
        c = np.argmax(a - b, axis=2)
        v = b, c, np.cumprod(a, axis=-1) + 1
    """,
    "scalars out of the range of a type are errors, 0-d arrays are cast": """
        a = np.ones((3, 2), dtype='i1')
        a[1:] = np.uint8(254)
        a[0, 0] = np.int64(300)
        a[2:] = np.array(254, 'u1')
        a[a > 0] = np.int64(300)
        v = a
    """,
    "an array with an axis cannot be assigned to one element": """
        a = np.arange(4.0)
        a[0] += a[-1:]
        v = a
    """,
}
