"""What `array`, `asarray` and lists of numbers make, and NumPy's functions on arrays of ours."""

from __future__ import annotations

import random
from typing import Any

import fastnp
import numpy
import pytest

NUMBERS: list[Any] = [
    True,
    3,
    2.5,
    1 + 2j,
    numpy.float32(0.1),
    numpy.float64(0.1),
    numpy.int64(7),
    numpy.int32(7),
    numpy.bool_(True),
    numpy.float16(0.5),
    float("nan"),
]
TYPES: list[Any] = [None, "f4", "f8", "i8", "c16", "?", "i2", "O"]


def outcome(np: Any, *args: Any) -> Any:
    """The result of `array`, or the class of the error."""
    try:
        made = np.array(*args)
    except Exception as error:
        return type(error)
    return made.dtype, made.shape, numpy.asarray(made).tobytes()


def test_lists_of_numbers() -> None:
    draw = random.Random(1)
    for _ in range(3000):
        kinds = draw.sample(NUMBERS, draw.randint(1, 3))
        numbers = [draw.choice(kinds) for _ in range(draw.randint(1, 5))]
        given = draw.choice([numbers, tuple(numbers), [numbers, numbers]])
        dtype = draw.choice(TYPES)
        if dtype == "O":
            assert fastnp.array(given, dtype).tolist() == numpy.array(given, dtype).tolist() or any(
                x != x for x in numbers
            )
            continue
        args = (given,) if dtype is None and draw.random() < 0.5 else (given, dtype)
        with numpy.errstate(all="ignore"):
            assert outcome(fastnp, *args) == outcome(numpy, *args), (given, dtype)


def test_a_type_that_is_the_arrays() -> None:
    x = fastnp.arange(3.0)
    for dtype in (float, "f8", numpy.float64, x.dtype):
        assert fastnp.asarray(x, dtype) is fastnp.asanyarray(x, dtype=dtype) is x
        made = fastnp.array(x, dtype)
        assert made is not x
        assert not fastnp.shares_memory(made, x)
    assert fastnp.asarray(x, "f4").dtype == "f4"
    assert fastnp.asarray(x, None) is x
    assert fastnp.copy([1, 2], "F").tolist() == [1, 2]


CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("sum", (), {}),
    ("sum", (), {"axis": 0, "keepdims": True}),
    ("mean", (1,), {}),
    ("ravel", (), {}),
    ("tile", (2,), {}),
    ("sort", (), {"axis": 0}),
    ("median", (), {}),
    ("unique", (), {}),
    ("broadcast_to", ((2, 2, 3),), {}),
    ("percentile", (30,), {"axis": 0}),
    ("apply_along_axis", (), {}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS, ids=[call[0] for call in CALLS])
def test_numpys_functions_on_arrays_of_ours(name: str, args: Any, kwargs: Any) -> None:
    x = numpy.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    given: tuple[Any, ...] = (x, *args)
    ours: tuple[Any, ...] = (fastnp.asarray(x), *args)
    if name == "apply_along_axis":
        given, ours = (numpy.sum, 0, x), (numpy.sum, 0, fastnp.asarray(x))
    want = getattr(numpy, name)(*given, **kwargs)
    made = getattr(numpy, name)(*ours, **kwargs)
    assert type(made) is (fastnp.ndarray if isinstance(want, numpy.ndarray) else type(want))
    numpy.testing.assert_array_equal(numpy.asarray(made), want)


def test_numpys_function_that_writes() -> None:
    x = fastnp.zeros(3)
    assert numpy.sum(fastnp.ones((2, 3)), 0, out=x) is x
    assert x.tolist() == [2, 2, 2]
    numpy.copyto(x, 5.0)
    numpy.put(x, [0], 1.0)
    assert x.tolist() == [1, 5, 5]


@pytest.mark.parametrize("where", [True, False, None, 1, [True, False, True], [0, 2, 0]])
@pytest.mark.parametrize("value", [5, 2.5, [1, 2, 3]])
def test_where_copies_go(where: Any, value: Any) -> None:
    for pick in (False, True):
        ours, theirs = fastnp.arange(3.0), numpy.arange(3.0)
        for np, x in ((fastnp, ours), (numpy, theirs)):
            what = np.asarray(value, float) if pick else value
            assert np.copyto(x, what, "same_kind", where=where) is None
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("order", ["big", "little"])
def test_bits_of_vectors_of_any_length(order: Any) -> None:
    draw = numpy.random.default_rng(1)
    for n in (*range(40), 63, 64, 65, 127, 1000):
        for x in (draw.random(n) < 0.5, draw.integers(0, 3, n), draw.random(2 * n)[::2] < 0.5):
            bits = fastnp.packbits(fastnp.asarray(x), bitorder=order)
            assert bits.tolist() == numpy.packbits(x, bitorder=order).tolist()
            assert (
                fastnp.unpackbits(bits, bitorder=order).tolist()
                == numpy.unpackbits(numpy.asarray(bits), bitorder=order).tolist()
            )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [float, "i4", bool, "c8", object])
def test_unit_matrices(order: Any, dtype: Any) -> None:
    for rows in (0, 1, 3):
        for columns in (None, 0, 2, 4):
            for k in (-4, -2, -1, 0, 1, 2, 3, 5):
                made = fastnp.eye(rows, columns, k, dtype, order)
                want = numpy.eye(rows, columns, k, dtype, order)
                assert made.dtype == want.dtype
                assert made.flags.f_contiguous == want.flags.f_contiguous
                assert made.tolist() == want.tolist()


def shown(made: Any) -> Any:
    """What an array of a type that is NumPy's alone is."""
    assert type(made) is numpy.ndarray
    flags = made.flags
    return (
        str(made.dtype),
        made.shape,
        made.strides,
        flags.owndata,
        flags.writeable,
        repr(made.tolist() if made.size < 100 else 0),
    )


def told(call: Any, *args: Any, **kwargs: Any) -> Any:
    """What a call makes, or the class and the text of its error."""
    try:
        return shown(call(*args, **kwargs))
    except Exception as error:
        return type(error), str(error)


FIELDS = [("x", "f8"), ("y", "i4", (2,))]
SHAPES: list[Any] = [0, 3, (), (2, 3), [2, 2], True, -1, (2, -1), 2.5, (1,) * 64, (1,) * 65]
SHAPES += [2**62, (2**40, 2**40), 2**63, 2**64, numpy.int64(4), numpy.array([2, 3]), "ab", None]


@pytest.mark.parametrize("name", ["empty", "zeros", "ones"])
@pytest.mark.parametrize("dtype", [object, FIELDS, [], [("a", "S")], [("a", "no type")], [1]])
def test_types_that_are_numpys_alone_are_filled(name: str, dtype: Any) -> None:
    ours, theirs = getattr(fastnp, name), getattr(numpy, name)
    if name == "empty" and dtype is not object:
        ours, theirs = (lambda *a, f=f, **k: numpy.zeros_like(f(*a, **k)) for f in (ours, theirs))
    # NumPy fills any number of elements of no bytes.
    for shape in SHAPES if dtype in (object, FIELDS) else SHAPES[:7]:
        assert told(ours, shape, dtype) == told(theirs, shape, dtype), shape
        assert told(ours, shape, dtype=dtype) == told(theirs, shape, dtype=dtype), shape
    for order in ("C", "F", "K", "x", None):
        assert told(ours, (2, 3), dtype, order) == told(theirs, (2, 3), dtype, order), order


class Sequence:
    """An object with items, of which NumPy makes rows."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: int) -> int:
        return [7, 8][at]


RAGGED = [[1, 2], [3]]
LISTS: list[Any] = [[], [1, 2.5, "a", None], (1, 2), [[1, 2], [3, 4]], RAGGED, [Sequence()]]
LISTS += [[(1.5, (1, 2)), (2.5, (3, 4))], [(1.5,)], [numpy.arange(2), numpy.arange(2)], [{}, set()]]


@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray", "copy"])
@pytest.mark.parametrize("dtype", [object, FIELDS, [], [("a", "S")], [("a", "no type")]])
def test_lists_of_types_that_are_numpys_alone(name: str, dtype: Any) -> None:
    ours, theirs = getattr(fastnp, name), getattr(numpy, name)
    for values in LISTS:
        assert told(ours, values, dtype) == told(theirs, values, dtype), values
        assert told(ours, values, dtype=dtype) == told(theirs, values, dtype=dtype), values
    held = [object(), [object()]]
    assert fastnp.array(held, object)[0] is held[0]
