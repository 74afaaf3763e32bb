"""Test arguments of elementary functions: the whole range, and hard points where algorithms change or results overflow.

A point is a row of arguments. The caller passes the random generator.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Draw = Callable[[np.random.Generator, int], np.ndarray]

# Ranges at which an algorithm changes, and ranges that are common in programs.
RANGES = [(-1, 1), (-4, 4), (-100, 100), (-750, 720), (-110, 90), (0.5, 2), (-1e6, 1e6), (0.9, 1.1)]

# Hard points: poles, zeros, ends of series, overflows; their neighbours are tested.
HARD = (
    [0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 10.0, 2**0.5, 0.5**0.5, 2**0.5 - 1, 2**0.5 + 1]
    + [709.782712893384, -708.3964185322641, -745.1332191019411, 710.4758600739439, 1024.0]
    + [-1022.0, -1074.0, 88.72283905206835, -87.33654475055310, -103.97208, 89.41598629223294]
    + [128.0, -126.0, -149.0, 11.089866488461016, -9.704060527839234, 16.0, -14.0, -24.0]
    + [2.0**20, 2.0**16, 1e5, 1e10, 1e15, 1e22]
)


def whole_range(dtype: np.dtype, rng: np.random.Generator, n: int) -> np.ndarray:
    """Random bits: each exponent is equally frequent."""
    bits = rng.integers(0, 2 ** (dtype.itemsize * 8), n, dtype=f"u{dtype.itemsize}")
    return bits.view(dtype)


def neighbours(values: np.ndarray, dtype: np.dtype, spread: int = 40) -> np.ndarray:
    """The values, their negatives, and the numbers around them."""
    with np.errstate(over="ignore"):
        values = np.concatenate([values, -values]).astype(dtype)
    integers = values.view(f"i{dtype.itemsize}")
    offsets = np.arange(-spread, spread + 1, dtype=integers.dtype)
    return (integers[:, None] + offsets).ravel().view(dtype)


def hard(dtype: np.dtype, rng: np.random.Generator, n: int) -> np.ndarray:
    """The neighbours of hard numbers, of multiples of pi/2 and of powers of two, and subnormals."""
    info = np.finfo(dtype)
    turns = np.concatenate([np.arange(1, 200), rng.integers(200, 10**6, 200)])
    steps = 2.0 ** np.arange(max(info.minexp, -300), min(info.maxexp, 300))
    ends = np.array([info.tiny, info.max, info.smallest_subnormal, info.eps], dtype=np.float64)
    near = [
        neighbours(np.array(HARD), dtype),
        neighbours(turns * (np.pi / 2), dtype, 2),
        neighbours(steps, dtype, 2),
        neighbours(ends, dtype, 20),
        neighbours(1 + rng.choice([-1.0, 1.0], 200) * 2.0 ** -rng.uniform(1, 50, 200), dtype, 1),
        neighbours(info.tiny * rng.random(500), dtype, 1),
    ]
    points = np.concatenate(near)
    return rng.choice(points, n) if n < len(points) else points


def unary(dtype: np.dtype, rng: np.random.Generator, n: int) -> np.ndarray:
    """Arguments of functions of one number; for halves, all of them."""
    if dtype.itemsize == 2:
        return np.arange(2**16, dtype=np.uint16).view(np.float16)
    each = n // (len(RANGES) + 4)
    parts = [rng.uniform(low, high, each).astype(dtype) for low, high in RANGES]
    parts += [whole_range(dtype, rng, 2 * each), hard(dtype, rng, each)]
    large = 10 ** rng.uniform(5, min(300, np.log10(float(np.finfo(dtype).max))), each)
    return np.concatenate([*parts, large.astype(dtype)])


def pairs(dtype: np.dtype, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Arguments of functions of two numbers: of similar and different magnitude, and for powers over the whole range."""
    each = n // 6
    exponent = float(np.finfo(dtype).maxexp)
    base = 2.0 ** rng.uniform(-exponent + 2, exponent - 2, each)
    size = rng.uniform(-1.01 * exponent, 1.01 * exponent, each)
    close = 1 + rng.choice([-1.0, 1.0], each) * 2.0 ** -rng.uniform(1, 20, each)
    like = rng.standard_normal(each) * base
    spread = 2.0 ** rng.uniform(-60, 60, each)
    with np.errstate(over="ignore"):
        unlike = rng.standard_normal(each) * base * spread
    parts = [
        (rng.uniform(-4, 4, each), rng.uniform(-4, 4, each)),
        (whole_range(dtype, rng, each), whole_range(dtype, rng, each)),
        (base, size / np.log2(base)),
        (close, size / np.log2(close)),
        (like, np.clip(unlike, -1e300, 1e300)),
        (hard(dtype, rng, each)[:each], rng.permutation(hard(dtype, rng, each))[:each]),
    ]
    with np.errstate(all="ignore"):
        left = np.concatenate([np.asarray(x).astype(dtype) for x, y in parts])
        right = np.concatenate([np.asarray(y).astype(dtype) for x, y in parts])
    return left, right
