"""
Compare the outputs of two calls of a kernel: whether they agree, and how much they differ.

Names, shapes and dtypes have to be the same. Integers and booleans have to be equal; for floats
the difference may be `rtol` of the element plus a thousandth of that of the largest element, since
a sum in another order is only as accurate as its largest terms. NaNs and infinities have to be at
the same indices. Leaves storing outputs to `outputs`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from npbench import outputs

Array = numpy.ndarray[Any, Any]

# Relative tolerances, by the bytes of a real component. They allow a few ulp in transcendental
# functions and sums in another order. NPBench itself allows 1e-5 for every dtype.
RTOL = {2: 5e-3, 4: 2e-5, 8: 1e-9}
# Elements compared at a time, so that temporaries are small compared to outputs of large presets.
BLOCK = 1 << 20


@dataclass(frozen=True)
class Agreement:
    """
    The verdict on all outputs of a call.

    `max_relative` is the largest difference relative to the element (infinite where the shapes
    or the special values differ); `norm` says that only the kernel's tolerance for the norm, and
    not the one for elements, was met; `detail` describes the difference.
    """

    agrees: bool
    max_relative: float
    norm: bool = False
    detail: str | None = None


def compare(reference: Path, other: Path, norm_tolerance: float | None = None) -> Agreement:
    """Compare the outputs in two folders; all must agree."""
    expected, expected_writes = outputs.load(reference)
    found, writes = outputs.load(other)
    if list(expected) != list(found):
        return refuse(f"outputs are {', '.join(found)} instead of {', '.join(expected)}")
    if set(writes) != set(expected_writes):
        return refuse(f"wrote to {writes} instead of {expected_writes}")
    verdict = Agreement(agrees=True, max_relative=0.0)
    for name, array in expected.items():
        verdict = worse(verdict, compare_arrays(name, array, found[name], norm_tolerance))
    return verdict


def compare_arrays(
    name: str, expected: Array, found: Array, norm_tolerance: float | None = None
) -> Agreement:
    """Compare one output, a block at a time."""
    if expected.shape != found.shape:
        return refuse(f"{name} has shape {found.shape} instead of {expected.shape}")
    if expected.dtype != found.dtype:
        return refuse(f"{name} has dtype {found.dtype} instead of {expected.dtype}")
    rtol = tolerance(expected.dtype)
    atol = rtol * 1e-3 * largest(expected)
    outside, worst, squared_error, squared = 0, 0.0, 0.0, 0.0
    for a, b in blocks(expected, found):
        error, size = differences(a, b)
        outside += int(numpy.count_nonzero(~(error <= atol + rtol * size)))
        if error.any():
            with numpy.errstate(divide="ignore"):
                worst = max(worst, float(numpy.max(error[error > 0] / (size + atol)[error > 0])))
        squared_error += float(numpy.sum(error**2))
        squared += float(numpy.sum(size**2))
    if outside == 0:
        return Agreement(agrees=True, max_relative=worst)
    # A norm that overflowed says nothing, so the relative error counts as infinite.
    relative = math.sqrt(squared_error / squared) if 0 < squared < math.inf else math.inf
    if norm_tolerance is not None and relative <= norm_tolerance:
        return Agreement(agrees=True, max_relative=worst, norm=True)
    return Agreement(False, worst, detail=f"{name} differs in {outside} of {expected.size}")


def tolerance(dtype: numpy.dtype[Any]) -> float:
    """The relative tolerance for elements of `dtype`; zero where they have to be equal."""
    if dtype.kind not in "fc":
        return 0.0
    component = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    return RTOL.get(component, RTOL[8])


def blocks(a: Array, b: Array) -> list[tuple[Array, Array]]:
    """The two arrays, flat, in pieces of `BLOCK` elements."""
    flat_a, flat_b = a.reshape(-1), b.reshape(-1)
    starts = range(0, flat_a.size, BLOCK)
    return [(flat_a[i : i + BLOCK], flat_b[i : i + BLOCK]) for i in starts]


def differences(expected: Array, found: Array) -> tuple[Array, Array]:
    """
    For each element the absolute difference and the size of the expected value.

    Equal special values differ by zero, unequal ones by infinity.
    """
    if expected.dtype.kind not in "fc":
        unequal = expected != found
        exact = numpy.abs(expected.astype(numpy.float64) - found.astype(numpy.float64))
        # Unequal integers beyond 2**53 may convert to the same float.
        return numpy.where(unequal, numpy.maximum(exact, 1.0), 0.0), numpy.abs(
            expected.astype(numpy.float64)
        )
    wide = numpy.complex128 if expected.dtype.kind == "c" else numpy.float64
    a, b = expected.astype(wide), found.astype(wide)
    alike = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
    finite = numpy.isfinite(a) & numpy.isfinite(b)
    with numpy.errstate(invalid="ignore", over="ignore"):
        error = numpy.where(alike, 0.0, numpy.where(finite, numpy.abs(a - b), numpy.inf))
        size = numpy.where(finite, numpy.abs(a), 0.0)
    return error, size


def largest(array: Array) -> float:
    """The largest finite magnitude in `array`; zero where there is none."""
    found = 0.0
    for block, _ in blocks(array, array):
        _, size = differences(block, block)
        found = max(found, float(size.max(initial=0.0)))
    return found if math.isfinite(found) else 0.0


def refuse(detail: str) -> Agreement:
    """The verdict on outputs that cannot be compared."""
    return Agreement(agrees=False, max_relative=math.inf, detail=detail)


def worse(a: Agreement, b: Agreement) -> Agreement:
    """The verdict on two sets of outputs together, with the detail of the first difference."""
    return Agreement(
        agrees=a.agrees and b.agrees,
        max_relative=max(a.max_relative, b.max_relative),
        norm=a.norm or b.norm,
        detail=a.detail or b.detail,
    )
