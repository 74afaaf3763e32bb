"""`insert` and `delete` with every kind of positions, on arrays of every layout, as NumPy's: the
same arrays, errors and warnings. What NumPy accepts is no fallback.
"""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

TYPES = "bBhHiIlLefdFD?"
EXTENTS = (0, 1, 2, 3, 5, 7, 12, 40)


def random_shape(random: Any) -> tuple[int, ...]:
    """Few elements, which NumPy's function may take, and more."""
    large: tuple[Any, ...] = ((5000,), (60, 50), (12, 15, 20), (2, 3000), (3000, 1))
    if random.random() < 0.4:
        return tuple(large[random.integers(len(large))])
    return tuple(map(int, random.choice(EXTENTS, random.integers(1, 4))))


def laid_out(module: Any, drawn: numpy.ndarray, form: int) -> Any:
    """An array of a module in one of several layouts, computed or pending."""
    array = module.array(drawn, order="F" if form % 7 == 1 else "C")
    if form % 7 == 2:
        array = array[::-1]
    if form % 7 == 3:
        array = array[..., ::2]
    if form % 7 == 4:
        array = array.T
    if form % 7 == 5 and array.ndim > 1:
        array = array.swapaxes(0, 1)
    return array + array if form >= 7 and drawn.dtype.char != "?" else array


def positions(random: Any, n: int) -> Any:
    """Positions on an axis, most of them in bounds, in one of the forms NumPy takes, or not."""
    beyond = 2 if n == 0 or random.random() < 0.05 else 0
    count = int(random.choice([0, 1, 2, 3, 10]))
    drawn = random.integers(-n - beyond, n + beyond, count)
    bounds: Any = [
        None if random.random() < 0.3 else int(x) for x in random.integers(-n - 2, n + 3, 2)
    ]
    step = [None, 1, 2, 3, -1, -2, 5, -7, 9][random.integers(9)]
    mask = random.random(n + (random.random() < 0.05)) < 0.5
    one = int(random.integers(-n - beyond, n + beyond))
    forms: tuple[Any, ...] = (
        *(one, numpy.int64(one), numpy.int32(one), numpy.array(one), numpy.array([one])),
        *(slice(bounds[0], bounds[1], step), drawn, drawn, numpy.sort(drawn), drawn.tolist()),
        *(
            drawn.astype(TYPES[random.integers(8)]),
            mask,
            mask,
            mask.tolist(),
            tuple(drawn.tolist()),
        ),
        *(drawn[None], drawn * 1.5, True, 1.5, "a", None, numpy.array([]), [], ()),
    )
    return forms[random.integers(len(forms))]


def values(random: Any, shape: tuple[int, ...], axis: int) -> Any:
    """What is inserted: numbers, lists, and arrays that broadcast, or do not."""
    along = list(shape)
    along[axis] = int(random.choice([0, 1, 2, 3, 10]))
    array = random.integers(0, 9, along).astype(TYPES[random.integers(len(TYPES))])
    forms: tuple[Any, ...] = (
        *(3, 2.5, True, -1, 300, numpy.float32(2), numpy.uint8(7), 1 + 2j, None, "3"),
        *(array, array, array[:1], array[..., :1], array[0] if len(array) else array),
        *([1, 2], [300], [[1], [2]], random.random(3), random.random((2, 3))),
    )
    return forms[random.integers(len(forms))]


def outcome(module: Any, name: str, array: Any, arguments: Any, named: Any) -> list[Any]:
    """The result with its layout, or the error; and the warnings. The strides of axes of one
    element have no meaning.
    """
    ours = [module.array(x) if type(x) is numpy.ndarray else x for x in arguments]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = getattr(module, name)(array, *ours, **named)
        except Exception as error:
            return [type(error), str(error)]
        assert type(result) is module.ndarray
        plain = numpy.asarray(result)
    strides = [s for s, n in zip(plain.strides, plain.shape, strict=True) if n > 1 and plain.size]
    found = (plain.tobytes(), plain.dtype, plain.shape, strides, plain.flags.writeable)
    return [found, [(w.category, str(w.message)) for w in caught]]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("name", ["insert", "delete"])
def test_random_calls(name: str, seed: int) -> None:
    random = numpy.random.default_rng([seed, name == "insert"])
    for _ in range(25):
        char = TYPES[random.integers(len(TYPES))]
        drawn = random.integers(0, 99, random_shape(random)).astype(char)
        form = int(random.integers(14))
        shape = laid_out(numpy, drawn, form).shape
        axis = int(random.integers(-len(shape), len(shape))) if random.random() < 0.8 else None
        n = int(numpy.prod(shape)) if axis is None else shape[axis]
        arguments = [positions(random, n)]
        if name == "insert":
            arguments.append(values(random, (n,) if axis is None else shape, axis or 0))
        axis = 7 if random.random() < 0.02 else axis
        named = {"axis": axis} if random.random() < 0.5 else {}
        if not named:
            arguments.append(axis)
        wanted = outcome(numpy, name, laid_out(numpy, drawn, form), arguments, named)
        ours = laid_out(fastnp, drawn, form)
        before = fastnp.stats()["fallbacks"]
        assert outcome(fastnp, name, ours, arguments, named) == wanted, (name, arguments, named)
        # Negative positions beyond the first of several are NumPy's to wrap around.
        is_native = isinstance(wanted[0], tuple) and (name == "delete" or "-" not in str(arguments))
        assert fastnp.stats()["fallbacks"] == before or not is_native, (name, arguments, named)


@pytest.mark.parametrize("n", (30, 3000))
def test_other_classes_are_numpys(n: int) -> None:
    class Derived(numpy.ndarray):
        """A subclass."""

    at = [1, 3]
    masked = numpy.ma.masked_less(numpy.arange(float(n)), 5)
    objects = numpy.array(["a", 1, None] * (n // 3), dtype=object)
    texts = numpy.array(["abc", "d"] * (n // 2))
    long = numpy.arange(n, dtype=numpy.longdouble)
    arrays: tuple[Any, ...] = (masked, objects, texts, long, numpy.arange(n).view(Derived))
    for array in arrays:
        for ours, theirs in (
            (fastnp.delete(array, at), numpy.delete(array, at)),
            (fastnp.insert(array, at, array[:2]), numpy.insert(array, at, array[:2])),
        ):
            assert type(ours) is type(theirs)
            assert ours.dtype == theirs.dtype
            assert ours.tolist() == theirs.tolist()


def test_other_classes_as_positions_and_values() -> None:
    class Taking:
        """Takes every function."""

        def __array_function__(self, func: Any, *_: Any) -> str:
            return str(func.__name__)

    taking: Any = Taking()
    for shape in ((10,), (3000,), (60, 50)):
        x: Any = fastnp.ones(shape)
        assert fastnp.delete(x, taking) == "delete"
        assert fastnp.insert(x, taking, 1, 0) == "insert"
        assert fastnp.insert(x, [1, 2], taking, 0) == "insert"


def test_the_argument_and_later_writes_stay_apart() -> None:
    for shape in ((5000,), (100, 50)):
        x = fastnp.arange(5000.0).reshape(shape) + 1
        wanted = numpy.asarray(x).copy()
        left, more = fastnp.delete(x, [1, 2], 0), fastnp.insert(x, [1, 2], 0.5, 0)
        sliced = fastnp.delete(x, slice(1, None, 3), 0)
        x[...] = 0
        assert numpy.asarray(left).tolist() == numpy.delete(wanted, [1, 2], 0).tolist()
        assert numpy.asarray(more).tolist() == numpy.insert(wanted, [1, 2], 0.5, 0).tolist()
        steps = slice(1, None, 3)
        assert numpy.asarray(sliced).tolist() == numpy.delete(wanted, steps, 0).tolist()
