"""What NumPy refuses or warns of: values assigned, filled and masked, and slices of nan only. The
same errors, and the same warnings at the same lines.
"""

from __future__ import annotations

import ctypes
import warnings
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fastnp import resolved_faults

# Programs of a line or two each, after which `r` is looked at.
PROGRAMS = [
    "r = np.zeros((2, 2, 3), np.uint8); r[0, 0] = [300, 0, 0]",
    "r = np.zeros(2, 'u1'); r[[0, 1]] = [-1, 2]",
    "r = np.zeros(3, 'i4'); r[:] = [2**40, 1, 1]",
    "r = np.zeros(2, int); r[:] = [np.nan, 1]",
    "r = np.zeros(3, int); r[r == 0] = [1, np.nan, 2]",
    "r = np.zeros(3, int); r[:] = [np.inf, 1, 2]",
    "r = np.zeros(3, int); r[:] = (1e300, 1, 2)",
    "r = np.zeros(3, int); r[:] = [1.7, 2.5, -3.9]",
    "r = np.zeros(3, int); r[:] = [2**53 + 1, 1.5, 2]",
    "r = np.zeros(3, 'u8'); r[:] = [2**63 + 5, 1, 3]",
    "r = np.zeros(3, 'i1'); r[:] = (127, -128, 0)",
    "r = np.zeros(3, 'i1'); r[:] = (128, -128, 0)",
    "r = np.zeros(3, 'f4'); r[:] = [1e300, 1, 2]",
    "r = np.zeros(3, 'f2'); r[:] = [70000, 1, 2]",
    "r = np.zeros(3, bool); r[:] = [2, 0, np.nan]",
    "r = np.zeros(3); r[:] = [2, 1j, 3]",
    "r = np.zeros(3, 'c8'); r[:] = [2, 1j, 1e300]",
    "r = np.zeros(2, 'u1'); np.put(r, [0, 1], [256, 1])",
    "r = np.zeros(2, 'u1'); np.putmask(r, r == 0, [256, 1])",
    "r = np.insert(np.zeros(2, 'u1'), 0, [300])",
    "r = np.zeros((2, 3)); r.fill([1, 2, 3])",
    "r = np.zeros((2, 3), int); r.fill([1, 2, 3])",
    "r = np.zeros(3, bool); r.fill([])",
    "r = np.zeros(3); r.fill()",
    "r = np.zeros(3); r.fill(2, 3)",
    "r = np.zeros(3); r.fill(value=2)",
    "r = np.zeros(3, int); r.fill(np.nan)",
    "r = np.zeros(2); r[:] = np.array([1j, 2])",
    "r = np.full(2, np.nan, int)",
    "r = np.full(2, 1e300, 'f4')",
    "r = np.full(2, np.inf, 'u1')",
    "r = np.full(2, 300, 'u1')",
    "r = np.full_like(np.zeros(2, int), np.nan)",
    "r = np.full_like(np.zeros(2, 'f4'), 1e300)",
    "r = np.full_like(np.zeros(2), np.inf, dtype='u1')",
    "r = np.full_like(np.zeros(2, 'u1'), 300)",
    "a = np.arange(3); r = np.sum(a, where=a % 2)",
    "r = np.arange(3.0); np.add(r, 1, out=r, where=np.array([0, 1, 0]))",
    "r = np.sum(np.arange(3.0), where=[1, 0, 1])",
    "r = np.mean(np.arange(3.0), where=np.array([1.0, 0, 1]))",
    "r = np.array([1j]).astype(float)",
    "r = np.array([]).mean()",
    "r = np.nanmean([np.nan])\nr = np.nanmean(np.array([np.nan]))",
    "r = np.nanvar(np.array([1.0]), ddof=3)",
    "r = np.nanmax(np.array([np.nan]))",
    "r = np.cov(np.array([1.0]))",
    "r = np.cross([1, 2], [1, 2])",
    "r = np.cross(np.array([1, 2]), np.array([1, 2]))",
    "r = np.ones(3); r.real = 1j",
    "r = np.ones(3, 'i1'); r.real = 300",
    "r = np.ones(3, int); r.real = np.nan",
    "r = np.ones(3); r.real = [r, r]",
    "r = np.ones(3, complex); r.imag = [1, 2, 3]",
    "r = np.full(3, 1e308); np.add.at(r, [0, 0], 1e308)",
    "r = np.cov(np.array([1.0, 2, 3]), bias=None)",
    "r = np.roll(np.arange(3), (1, 1), axis=[0])",
    "r = np.cumulative_prod(np.arange(3), out=(np.ones(3, int),))",
    "r = np.sum(np.arange(3.0), initial=1j)",
    "r = np.arange(3).sum(keepdims='yes')",
    "r = np.arange(3).sum(0, axis=0)",
    "r = np.arange(3).argmax(0, axis=0)",
    "r = np.arange(3).argmin(where=[True])",
    "r = np.arange(3).cumsum(keepdims=True)",
    "r = np.arange(3).mean(initial=3)",
    "r = np.arange(3).any(initial=3)",
    "r = np.arange(3).mean(where=np.arange(3) > 1)",
    "r = np.add.accumulate(np.arange(3), keepdims=True)",
    "r = np.arange(6).reshape(2, 3).sum(axis=True)",
    "r = np.arange(6).reshape(2, 3).sum(axis=(0, True))",
    "r = np.concatenate([np.eye(2), np.eye(2)], axis=True)",
    "r = np.zeros(True)",
    "r = np.empty([True]).shape",
    "r = np.eye(True)",
    "r = np.zeros((2, 3), order='A')",
    "r = np.full(2, 1.0, order='K')",
    "r = np.linspace(2.5, 2**64)",
    "r = np.fft.fftshift(np.array(5))",
    "r = np.average(np.arange(3), 3)",
    "r = np.astype(np.arange(3), 'f4', device='cuda') if hasattr(np, 'astype') else 0",
    "r = np.add.reduceat(np.arange(3), np.array([0, 1], 'u8'))",
    "r = np.tril(np.ones((3, 3)), 0.5)",
    "r = np.cross(np.array([200, 5, 7], 'u1'), np.array([7, 5, 200], 'u1'))",
    "r = np.split(np.arange(5), 2.5)",
    "r = np.split(np.arange(5), None)",
    "r = np.unstack(np.arange(3)) if hasattr(np, 'unstack') else 0",
    "r = np.expand_dims(np.array(5), ())",
    "r = 'zz' in np.arange(5)",
    "r = np.arange(2) ** np.matrix([[1, 2], [3, 4]])",
    "r = np.broadcast_to(np.arange(3), (2, 3)).ravel('K')",
    "r = np.broadcast_to(np.arange(3), (2, 3)).T.flatten('K')",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_errors_and_the_places_of_warnings(program: str) -> None:
    """The values or the error, and the warnings with their texts, at the program's lines."""
    found = []
    for module in (numpy, fastnp):
        names: dict[str, Any] = {"np": module}
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            try:
                exec(compile(program, "program", "exec"), names)
                end = repr(names["r"])
            except Exception as error:
                end = f"{type(error)} {error}"
        found.append((end, [(w.category, str(w.message), w.filename, w.lineno) for w in raised]))
    assert found[1] == found[0]


def test_a_foreign_array_is_asked_as_numpy_asks() -> None:
    """With `dtype` and `copy`; what it gives is not copied."""

    def calls(np: Any) -> Any:
        asked: list[Any] = []

        class Foreign:
            data = np.arange(3.0)

            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                asked.append((dtype, copy))
                return self.data if dtype is None else self.data.astype(dtype)

        x = np.zeros(3)
        x[:] = Foreign()
        results = [
            np.array(Foreign()),
            np.asarray(Foreign(), "f4"),
            np.array(Foreign(), copy=False),
        ]
        results += [np.dot(Foreign(), Foreign()), np.sin(Foreign()), x + Foreign()]
        shared = np.shares_memory(results[0], Foreign.data)
        return asked, shared, [numpy.asarray(result).tolist() for result in results]

    assert calls(fastnp) == calls(numpy)


def test_what_a_buffer_showed_is_not_deferred_again() -> None:
    """Code may keep the address after the buffer is released: it reads there without a fault."""
    x = fastnp.arange(100_000.0) * 2
    with memoryview(x) as view:  # type: ignore[arg-type]
        address = numpy.frombuffer(view).ctypes.data
    faults = resolved_faults()
    pending = x + 1
    assert ctypes.c_double.from_address(address + 8).value == 2.0
    assert resolved_faults() == faults
    assert pending[1] == 3.0
