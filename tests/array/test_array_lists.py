"""Lists and tuples of arrays, as the arrays that NumPy makes of them, and folded by ufuncs."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import fastnp
import numpy
import pytest

FOLDS = (
    *("minimum", "maximum", "fmin", "fmax", "logical_and", "logical_or", "logical_xor"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "add", "multiply", "subtract", "hypot", "less"),
)
TYPES = "?bBhilLefdFD"


def outcome(run: Callable[[], Any]) -> Any:
    """Type, shape, strides and bytes of a result, or its error; and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = run()
        except Exception as error:
            return type(error), str(error).replace("fastnp", "numpy")
        found = numpy.asarray(made)
    told = [(w.category, str(w.message)) for w in caught]
    return found.dtype, found.shape, found.strides, found.tobytes(), told


def arrays(r: random.Random) -> list[Any]:
    """NumPy's arrays, mostly of one shape and type; some have no axes, no elements or gaps."""
    shape = r.choice([(), (0,), (1,), (5,), (3, 4), (40, 50), (2, 1, 3)])
    code = r.choice(TYPES)
    # The sign of a minimum of zeros is not specified, nor what parts a product of infinities has.
    numbers = [0, 1, 2, -3, 0.5] + ([float("nan"), float("inf")] if code in "fd" else [])
    made = []
    for _ in range(r.randrange(1, 5)):
        values: Any = numpy.array([r.choice(numbers) for _ in range(64)])
        values = numpy.resize(values, shape)
        with numpy.errstate(all="ignore"):
            array = values.astype(code if r.random() < 0.9 else r.choice(TYPES))
        if r.random() < 0.1:
            array = numpy.resize(array, (3,))
        if array.ndim and r.random() < 0.2:
            array = numpy.repeat(array, 2, axis=-1)[..., ::2]
        if array.ndim and r.random() < 0.1:
            array = array[::-1]
        if r.random() < 0.2:
            array = numpy.asfortranarray(array)
        made.append(array)
    return made


def ours(array: Any, r: random.Random) -> Any:
    """The same array as one of ours: from memory, or pending."""
    made = fastnp.asarray(array)
    return made.copy() if array.flags.c_contiguous and r.random() < 0.5 else made


CALLS: list[Callable[[Any, Any, str], Any]] = [
    lambda np, x, fold: getattr(np, fold).reduce(x),
    lambda np, x, fold: getattr(np, fold).reduce(x, axis=0),
    lambda np, x, fold: np.array(x),
    lambda np, x, fold: np.add(x, 1),
]


@pytest.mark.parametrize("seed", range(40))
def test_folds_and_conversions_of_lists(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(25):
        given = arrays(r)
        kind, fold = r.choice([list, tuple]), r.choice(FOLDS)
        numpys, fastnps = kind(given), kind(ours(array, r) for array in given)
        for call in CALLS:
            want = outcome(partial(call, numpy, numpys, fold))
            got = outcome(partial(call, fastnp, fastnps, fold))
            assert got == want, (fold, [(a.dtype, a.shape, a.strides) for a in given])


def test_pending_arrays_of_a_list_are_folded_in_one_kernel() -> None:
    x = fastnp.arange(50_000.0)
    fastnp.flush()
    fastnp.reset_stats()
    nearest = fastnp.minimum.reduce([abs(x - 3), abs(x - 70), abs(x - 1000)])
    assert fastnp.stats()["kernels_launched"] == 0
    assert float(nearest[71]) == 1
    assert fastnp.stats()["kernels_launched"] == 1
    items = [numpy.abs(numpy.arange(50_000.0) - k) for k in (3, 70, 1000)]
    assert numpy.array_equal(numpy.asarray(nearest), numpy.minimum.reduce(items))


def test_a_result_is_no_view_of_an_item() -> None:
    x, y = fastnp.ones(3), fastnp.zeros(3)
    for made in (fastnp.maximum.reduce([x, y]), fastnp.maximum.reduce([x]), fastnp.array([x])[0]):
        made[0] = 5
        assert x.tolist() == [1, 1, 1]
