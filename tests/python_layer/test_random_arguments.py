"""Functions with random arguments, as they are under NumPy: results, their types and strides,
errors and warnings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.array.test_updates import TYPES, numbers, ours, outcome
from tests.compare import difference

SEEDS, CALLS_EACH = 2, 40

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def array(rng: Any, shape: Any, types: str = TYPES) -> Any:
    """An array in some layout."""
    x = numbers(rng, str(rng.choice(list(types))), shape)
    layout = rng.integers(0, 4)
    if layout == 0:
        return numpy.asfortranarray(x)
    if layout == 1 and x.ndim:
        return numpy.repeat(x, 2, axis=-1)[..., ::2]
    return x[..., ::-1] if layout == 2 and x.ndim else x


def shape_of(rng: Any, most: int = 3) -> tuple[int, ...]:
    low = 0 if rng.random() < 0.1 else 1
    return tuple(int(n) for n in rng.integers(low, 6, rng.integers(1, most + 1)))


def correlate(rng: Any) -> Call:
    sizes = rng.integers(0 if rng.random() < 0.1 else 1, 80 if rng.random() < 0.3 else 9, 2)
    pair = tuple(array(rng, int(n)) for n in sizes)
    if rng.random() < 0.1:
        pair = (pair[0], pair[1].tolist())
    mode = str(rng.choice(["valid", "same", "full", "wrong"], p=[0.32, 0.32, 0.32, 0.04]))
    return str(rng.choice(["correlate", "convolve"])), (*pair, mode), {}


def positions(rng: Any, n: int) -> Any:
    """What `delete` and `insert` take as positions, mostly."""
    kind = rng.integers(0, 9)
    if kind == 0:
        first, last = (int(i) if rng.random() < 0.7 else None for i in rng.integers(-7, 8, 2))
        return slice(first, last, 2)
    if kind == 1:
        return slice(int(rng.integers(0, 4)), None)
    if kind == 2:
        return rng.random(n + (rng.random() < 0.1)) < 0.5
    if kind == 3:
        return [int(i) for i in rng.integers(-n, max(n, 1), rng.integers(0, 4))] if n else []
    if kind == 4:
        return slice(None, None, -1)
    if kind == 5:
        return numpy.array([int(rng.integers(-n - 1, n + 2))])
    if kind == 6:
        return rng.integers(-n, max(n, 1), rng.integers(0, 5))
    return int(rng.integers(-n - (rng.random() < 0.1), max(n, 1)))


def delete(rng: Any) -> Call:
    x = array(rng, shape_of(rng))
    axis = None if rng.random() < 0.3 else int(rng.integers(-x.ndim, x.ndim + (rng.random() < 0.1)))
    n = x.size if axis is None else x.shape[axis % x.ndim]
    return "delete", (x, positions(rng, n), axis), {}


def insert(rng: Any) -> Call:
    x = array(rng, shape_of(rng), "?bilefdFD")
    axis = None if rng.random() < 0.3 else int(rng.integers(-x.ndim, x.ndim))
    flat = x.ravel() if axis is None else x
    at = positions(rng, flat.shape[axis or 0])
    shape = list(flat.shape)
    if rng.random() < 0.5:
        shape[axis or 0] = 1
    elif rng.random() < 0.7:
        del shape[axis or 0]
    values = array(rng, tuple(shape), x.dtype.char if rng.random() < 0.6 else "?bild")
    return "insert", (x, at, 5 if rng.random() < 0.3 else values, axis), {}


def packbits(rng: Any) -> Call:
    x = array(rng, shape_of(rng), "?bBlLd" if rng.random() < 0.1 else "?bBiL")
    axis = None if rng.random() < 0.3 else int(rng.integers(-x.ndim, x.ndim))
    return "packbits", (x > 3 if rng.random() < 0.3 else x,), {"axis": axis, **bit_order(rng)}


def unpackbits(rng: Any) -> Call:
    x = array(rng, shape_of(rng), "B" if rng.random() < 0.9 else "bl")
    axis = None if rng.random() < 0.3 else int(rng.integers(-x.ndim, x.ndim))
    # What NumPy returns of no bytes is not initialised.
    count = None if rng.random() < 0.3 or not x.size else int(rng.integers(-20, 60))
    return "unpackbits", (x,), {"axis": axis, "count": count, **bit_order(rng)}


def bit_order(rng: Any) -> dict[str, str]:
    return {} if rng.random() < 0.5 else {"bitorder": str(rng.choice(["big", "little"]))}


def cov(rng: Any) -> Call:
    n = int(rng.integers(1, 9))
    x = array(rng, shape_of(rng, 1) + (n,) if rng.random() < 0.7 else n, "lfdFD?")
    named: dict[str, Any] = {}
    by_rows = bool(rng.random() < 0.8)
    if not by_rows:
        x, named["rowvar"] = x.T, False
    if rng.random() < 0.3:
        named["y"] = array(rng, n, "lfdD")
    if rng.random() < 0.3:
        return "corrcoef", (x,), named
    named["bias"] = bool(rng.random() < 0.3)
    if rng.random() < 0.3:
        named["ddof"] = int(rng.integers(0, 3))
    if rng.random() < 0.4:
        named["fweights"] = rng.integers(-1 if rng.random() < 0.1 else 0, 4, n)
    if rng.random() < 0.4:
        named["aweights"] = rng.random(n) - (rng.random() < 0.05)
    if rng.random() < 0.15:
        named["dtype"] = str(rng.choice(["f", "d", "D"]))
    return "cov", (x,), named


def histogram(rng: Any) -> Call:
    n = int(rng.integers(0 if rng.random() < 0.1 else 1, 40))
    x, y = (rng.normal(0, 2, n) if rng.random() < 0.8 else rng.integers(-3, 4, n) for _ in "xy")
    if n and rng.random() < 0.05:
        x = x.astype("d")
        x[0] = numpy.nan

    def bins() -> Any:
        kind = rng.integers(0, 4)
        if kind == 0:
            return numpy.array([-2, -1.0, 0, 0.5, 2])
        return [-1, 0, 3] if kind == 1 else int(rng.integers(0 if rng.random() < 0.05 else 1, 6))

    named: dict[str, Any] = {"density": bool(rng.random() < 0.3)}
    if rng.random() < 0.3:
        named["weights"] = rng.random(n)
    if rng.random() < 0.3:
        named["range"] = [(-2.0, 2.0), None if rng.random() < 0.2 else (-1, 3)]
    if rng.random() < 0.5:
        edges = numpy.array([-2, -1.0, 0, 2])
        named["bins"] = [bins(), bins()] if rng.random() < 0.6 else edges if n % 2 else bins()
        return "histogram2d", (x, y), named
    if rng.random() < 0.7:
        named["bins"] = [bins(), bins()] if rng.random() < 0.6 else int(rng.integers(1, 5))
    return "histogramdd", (numpy.stack([x, y], axis=1),), named


def piecewise(rng: Any) -> Call:
    x = array(rng, shape_of(rng, 2), "lfd")
    masks = [x > 1, x < -1][: rng.integers(1, 3)]
    functions = [numpy.negative, 7, lambda v, *more: v * 2, -1.5]
    chosen = functions[: len(masks) + int(rng.integers(0, 2 + (rng.random() < 0.1)))]
    conditions = masks[0] if len(masks) == 1 and rng.random() < 0.5 else masks
    return "piecewise", (x, conditions, chosen), {}


CALLS: dict[str, Callable[[Any], Call]] = {
    f.__name__: f
    for f in (correlate, delete, insert, packbits, unpackbits, cov, histogram, piecewise)
}
# Sums of products are added in another order, and more exactly than NumPy's.
ROUNDED = {"correlate": 1e-12, "convolve": 1e-12, "cov": 1e-9, "corrcoef": 1e-9}
ROUNDED |= {"histogram2d": 1e-14, "histogramdd": 1e-14}


def rounded(name: str, result: Any) -> float:
    """The relative difference that results may have."""
    dtype = getattr(result, "dtype", numpy.dtype("d")).char
    low = {"e": 0.02, "f": 1e-4, "F": 1e-4}
    return max(ROUNDED[name], low.get(dtype, 0.0)) if name in ROUNDED else 0.0


def steps(x: Any) -> list[int]:
    """Strides of the axes along which there is a step."""
    return [step for step, n in zip(x.strides, x.shape, strict=True) if n > 1]


def of_ours(value: Any) -> Any:
    return [ours(x) for x in value] if type(value) is list else ours(value)


def evaluated(run: Any, *args: Any, **named: Any) -> Any:
    """What a call returns, with the warnings of its evaluation."""
    result = run(*args, **named)
    fastnp.flush()
    return result


def both(functions: tuple[Any, Any], call: Call) -> tuple[Any, Any, list[Any]]:
    """What our function and NumPy's return or raise, each with its warnings; and our arguments."""
    _, args, named = call
    mine, passed = [of_ours(x) for x in args], {key: of_ours(x) for key, x in named.items()}
    found = outcome(evaluated, functions[0], *mine, **passed)
    return found, outcome(functions[1], *args, **named), mine


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_results_are_numpys(kind: str, seed: int) -> None:
    rng = numpy.random.default_rng([seed, *kind.encode()])
    for _ in range(CALLS_EACH):
        name, args, named = CALLS[kind](rng)
        finite = name in ROUNDED
        if finite and not all(numpy.isfinite(x).all() for x in args[:2] if type(x) is not int):
            continue
        told = f"{name} {args!r} {named!r}"
        functions = getattr(fastnp, name), getattr(numpy, name)
        (found, warned), (wanted, expected), _ = both(functions, (name, args, named))
        assert warned == expected, told
        if type(wanted) is tuple and type(wanted[0]) is str:
            assert type(found) is tuple and found == wanted, told
            continue
        reason = difference(found, wanted, rtol=rounded(name, wanted))
        assert reason is None, f"{told}: {reason}"
        if isinstance(wanted, numpy.ndarray) and wanted.size:
            assert steps(found) == steps(wanted), told
