"""Random boolean indexing and `nonzero` on the current device, against NumPy.

python -m tests.on_masks [cuda]
"""

from __future__ import annotations

import sys
from typing import Any

import fastnp
import numpy

DTYPES = "bool int8 uint16 float16 int32 float32 int64 float64 complex64 complex128 uint8".split()


def layout(a: numpy.ndarray[Any, Any], kind: int) -> Any:
    """An array in one of several layouts."""
    if kind == 0 or a.ndim == 0:
        return a
    if kind == 1:
        return a[..., ::-1]
    if kind == 2:
        return a.swapaxes(0, -1)
    return a[1:]


def agreement(count: int, seed: int) -> tuple[int, list[str]]:
    """The number of programs compared, and those that differ."""
    random = numpy.random.default_rng(seed)
    compared, failed = 0, []
    for k in range(count):
        rank = int(random.integers(1, 4))
        top = (20_000, 150, 30)[rank - 1]
        shape = tuple(int(n) for n in random.integers(0 if k % 9 == 0 else 1, top, rank))
        dtype, kind = DTYPES[k % len(DTYPES)], int(random.integers(4))
        values = (random.standard_normal(shape) * 50).astype(dtype)
        mask = random.random(shape) < random.choice([0, 0.001, 0.3, 0.97, 1])
        x, m = fastnp.array(values), fastnp.array(mask)
        a, b = (layout(v, kind) for v in (values, mask))
        y, n = (layout(v, kind) for v in (x, m))
        pairs = [(y[n], a[b]), ((y == y)[n], (a == a)[b]), (fastnp.argwhere(n), numpy.argwhere(b))]
        pairs += zip(fastnp.nonzero(n), numpy.nonzero(b))
        for found, expected in pairs:
            got = numpy.asarray(found)
            same = got.dtype == expected.dtype and got.shape == expected.shape
            compared += 1
            if not same or not numpy.array_equal(got, expected, equal_nan=dtype[0] in "fc"):
                failed.append(f"program {k} of seed {seed}: {dtype} {shape}")
    return compared, failed


def main() -> None:
    """Prints the number of programs and the failures."""
    if len(sys.argv) > 1:
        fastnp.set_device(sys.argv[1])
    compared, failed = agreement(100, 1)
    print(compared, len(failed))
    print("\n".join(failed))


if __name__ == "__main__":
    main()
