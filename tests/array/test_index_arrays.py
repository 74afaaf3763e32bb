"""Indexing with arrays: random indices on random layouts, read and written, against NumPy.

Values, shapes, strides and the errors' types and texts must be NumPy's. Where several elements are
written to one index, the same one must remain.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

DTYPES = ["f8", "f4", "i8", "i4", "u1", "?", "c16", "f2"]


def layouts(rng: random.Random, np: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """An array of a shape in a random layout: dense, transposed, stepped or turned around."""
    steps = [rng.choice([1, 1, 2, -1]) for _ in shape]
    axes = rng.sample(range(len(shape)), len(shape)) if rng.random() < 0.4 else range(len(shape))
    grown = [n * abs(s) for n, s in zip(shape, steps, strict=True)]
    size = int(numpy.prod(grown))
    whole = np.arange(size).astype(dtype).reshape([grown[a] for a in axes])
    back = numpy.argsort(list(axes))
    return whole.transpose(*back)[tuple(slice(None, None, s) for s in steps)]


def positions(rng: random.Random, np: Any, n: int, shape: tuple[int, ...]) -> Any:
    """An index array for an axis of extent n, in a random integer type and layout."""
    low = rng.choice([0, -n])
    wrong = n + 2 if rng.random() < 0.02 else n
    values = [rng.randrange(low, max(wrong, 1)) for _ in range(int(numpy.prod(shape)))]
    kind = rng.choice(["i8", "i8", "i8", "i4", "i2"])
    order = rng.choice("CCF")
    made = np.array(values, dtype=kind).reshape(shape, order=order)
    if shape and rng.random() < 0.2:
        made = made[tuple(slice(None, None, -1) for _ in shape)]
    return made.tolist() if kind == "i8" and rng.random() < 0.2 and 0 not in shape else made


def index(rng: random.Random, np: Any, shape: tuple[int, ...], large: bool) -> Any:
    """A random index with at least one array among its parts."""
    longest = (2000,) if large else (0, 1, 2, 3, 5, 5)
    common = tuple(rng.choice(longest) for _ in range(1 if large else rng.choice([0, 1, 1, 1, 2])))
    common = common or (rng.choice(longest),)
    parts: list[Any] = []
    axis = 0
    while axis < len(shape):
        kind = rng.choice("aaammisen")
        if kind == "a":
            given = tuple(n if rng.random() < 0.8 else 1 for n in common)
            parts.append(positions(rng, np, shape[axis], given[rng.randrange(len(given)) :]))
        elif kind == "m" and len(common) == 1:
            rank = rng.choice([1, 1, 2])
            extents = shape[axis : axis + rank]
            count = int(numpy.prod(extents))
            true = rng.sample(range(count), min(count, rng.choice([1, *common])))
            flags = numpy.zeros(count, bool)
            flags[true] = True
            parts.append(np.array(flags.tolist(), dtype=bool).reshape(extents))
            axis += len(extents) - 1
        elif kind == "i":
            parts.append(rng.randrange(-shape[axis], shape[axis]) if shape[axis] else 0)
        elif kind == "n":
            parts.append(None)
            continue
        elif kind == "e" and Ellipsis not in [p for p in parts if p is Ellipsis]:
            parts.append(Ellipsis)
            break
        else:
            step = rng.choice([1, 1, 2, -1])
            parts.append(slice(None, rng.choice([None, 1, -1]), step))
        axis += 1
        if rng.random() < 0.2:
            break
    return parts[0] if len(parts) == 1 and rng.random() < 0.7 else tuple(parts)


def outcome(work: Callable[[], Any]) -> Any:
    """The outcome of a call: its value, or its exception's type and text."""
    try:
        return work()
    except Exception as error:
        return type(error).__name__, str(error).replace("fastnp", "numpy")


def same(ours: Any, theirs: Any, layout: bool = True) -> None:
    """Asserts that two outcomes are the same."""
    if not isinstance(theirs, numpy.ndarray):
        assert ours == theirs or repr(ours) == repr(theirs)
        return
    assert type(ours) is fastnp.ndarray
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    if layout:
        assert ours.strides == theirs.strides
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def run(np: Any, seed: int) -> list[Any]:
    """Reads, writes and updates through a random index, as a user of `np` would."""
    rng = random.Random(seed)
    large = rng.random() < 0.1
    extents = (1, 2, 3, 4) if not large else (3, 40)
    shape = tuple(rng.choice(extents) for _ in range(rng.choice([1, 1, 2, 2, 3])))
    dtype = rng.choice(DTYPES)
    a = layouts(rng, np, dtype, shape)
    key = index(rng, np, shape, large)
    found: list[Any] = [key, outcome(lambda: a[key])]
    read = found[-1]
    shape = read.shape if hasattr(read, "shape") else ()
    kind = rng.choice("sseabo")
    if kind == "s":
        value = rng.choice([3, 2.5, True])
    elif kind == "e":
        value = numpy.float64(7)
    elif kind == "b":
        value = np.arange(shape[-1] if shape else 1).astype(dtype)
    elif kind == "o":
        value = a.reshape(-1)[: shape[-1] if shape else 1]
    else:
        value = layouts(rng, np, rng.choice([dtype, "f8", "i4"]), shape)

    def write() -> Any:
        a[key] = value
        return a.copy()

    def update() -> Any:
        a[key] += 1
        return a.copy()

    with numpy.errstate(all="ignore"):
        found += [outcome(write), outcome(update)]
    return found


@pytest.mark.parametrize("block", range(10))
@pytest.mark.filterwarnings("ignore")
def test_random_indices(block: int) -> None:
    for seed in range(block * 400, block * 400 + 400):
        ours, theirs = run(fastnp, seed), run(numpy, seed)
        for step, (mine, its) in enumerate(zip(ours[1:], theirs[1:], strict=True)):
            try:
                same(mine, its)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {step}, key {theirs[0]!r}") from error
