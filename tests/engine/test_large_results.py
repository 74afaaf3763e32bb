"""Results that exceed the caches, which are written past them.

Rows are short or begin within cache lines; kernels fold what they store, or run in stages.
"""

from __future__ import annotations

import random
from typing import Any

import fastnp
import numpy
import pytest

SHAPES = [(21_000, 50), (1_100, 1_000), (1_049, 1_001), (350_000, 3), (150, 7, 1_000)]
BINARY = ["add", "subtract", "multiply", "maximum", "divide"]
UNARY = ["absolute", "negative", "sqrt", "square"]


def operand(r: random.Random, np: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """An operand: a whole array, a row, a column, a number, or a view that begins elsewhere."""
    kind, seed = r.choice(["whole", "whole", "row", "column", "number", "view"]), r.random()

    def values(*shape: int) -> Any:
        line = numpy.arange(int(numpy.prod(shape)), dtype=dtype) * 0.37 + seed
        return np.array((line % 7 + 0.5).astype(dtype).reshape(shape))

    match kind:
        case "whole":
            return values(*shape)
        case "row":
            return values(shape[-1])
        case "column":
            return values(*shape[:-1], 1)
        case "number":
            return float(numpy.dtype(dtype).type(seed))
        case _:
            return values(*shape[:-1], shape[-1] + 1)[..., 1:]


def program(seed: int, np: Any) -> list[Any]:
    """All results of a random program, of whose statements some fold or write in place."""
    r = random.Random(seed)
    shape, dtype = SHAPES[seed % len(SHAPES)], r.choice(["float64", "float64", "float32"])
    if dtype == "float32":
        shape = (2 * shape[0], *shape[1:])
    values = [operand(r, np, shape, dtype) for _ in range(3)]
    whole = np.zeros(shape, dtype) + values[0]
    results = [whole]
    for _ in range(r.randrange(2, 6)):
        a, b = r.choice(results + values), r.choice(results)
        match r.randrange(6):
            case 0:
                results.append(getattr(np, r.choice(UNARY))(np.abs(b)))
            case 1:
                results.append(np.where(b > 1.5, b, 0.25) + a)
            case 2:
                name, axis = r.choice(["max", "min"]), r.choice([None, 0, len(shape) - 1])
                values.append(getattr(b, name)(axis=axis, keepdims=True))
            case 3:
                b[..., r.choice([slice(1, None), slice(None, None, 2)])] *= np.float32(1.25)
            case _:
                results.append(getattr(np, r.choice(BINARY))(a, b))
    return results + values


@pytest.mark.parametrize("seed", range(30))
def test_programs_with_large_results(seed: int) -> None:
    with numpy.errstate(all="ignore"), fastnp.errstate(all="ignore"):
        expected, found = program(seed, numpy), program(seed, fastnp)
        fastnp.flush()
    for e, f in zip(expected, found, strict=True):
        numpy.testing.assert_array_equal(numpy.asarray(f), e)
