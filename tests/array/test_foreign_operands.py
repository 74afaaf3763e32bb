"""Operands of NumPy beside arrays of ours: its scalars on the left, and its arrays on either side.

Each result is compared with NumPy's for the same values.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.mod,
    operator.lshift,
    operator.rshift,
    operator.and_,
    operator.xor,
    operator.or_,
    operator.floordiv,
    operator.truediv,
    operator.pow,
    operator.lt,
    operator.eq,
    operator.ne,
]


def outcome(run: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """The result, or the type and the text of the error; with the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = run(a, b)
            fastnp.flush()
        except (TypeError, ValueError, OverflowError) as error:
            result = type(error).__name__, str(error).replace("fastnp", "numpy")
    return result, sorted({str(w.message) for w in caught})


def array(np: Any, dtype: str) -> Any:
    """Values of a type, two rows of three."""
    return np.array([[0, 1, 2], [3, 5, 7]]).astype(dtype)


@pytest.mark.parametrize("run", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_scalars_on_the_left(dtype: str, run: Callable[[Any, Any], Any]) -> None:
    scalar = numpy.dtype(dtype).type(3)
    for other in DTYPES:
        ours, theirs = (outcome(run, scalar, array(np, other)) for np in (fastnp, numpy))
        assert_same(ours[0], theirs[0])
        assert ours[1] == theirs[1], other
        if isinstance(theirs[0], numpy.ndarray):
            assert type(ours[0]) is fastnp.ndarray


@pytest.mark.parametrize("other", ["pending", "selection", "view", "empty", "no axes"])
def test_scalars_on_the_left_of_other_arrays(other: str) -> None:
    def make(np: Any) -> Any:
        a = np.arange(12.0)
        return {
            "pending": lambda: np.ones(100_000) * 2 + 1,
            "selection": lambda: a[a > 3],
            "view": lambda: a.reshape(3, 4)[::-1, ::2],
            "empty": lambda: a[:0],
            "no axes": lambda: np.array(2.5),
        }[other]()

    for scalar in (numpy.float64(3), numpy.float32(0.5), numpy.int8(-2), numpy.complex64(1j)):
        assert_same(scalar * make(fastnp), scalar * make(numpy))
        assert_same(scalar - make(fastnp), scalar - make(numpy))


def test_scalars_beside_other_operands_are_numpys() -> None:
    three = numpy.float64(3)
    assert type(three * 2.5) is numpy.float64
    assert type(three * numpy.arange(3.0)) is numpy.ndarray
    assert (three + [1.0, 2.0]).tolist() == [4.0, 5.0]  # type: ignore[operator]
    assert (three / 2, three // 2, three % 2) == (1.5, 1.0, 1.0)
    assert numpy.int64(5) & numpy.int64(3) == 1
    with pytest.raises(TypeError):
        operator.mul(three, object())
    assert operator.add(fastnp.arange(2), three).tolist() == [3.0, 4.0]


def test_a_class_derived_from_a_scalar_is_asked() -> None:
    class Length(numpy.float64):
        """A number with its own version of ufuncs."""

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            return "asked", ufunc.__name__, method

    class Plain(numpy.float64):
        """A number that leaves ufuncs to NumPy."""

    a: Any = fastnp.arange(3.0)
    assert Length(2) * a == ("asked", "multiply", "__call__")
    assert_same(Plain(2) * a, Plain(2) * numpy.arange(3.0))


def test_numpys_ufuncs_ask_a_class_derived_from_a_scalar() -> None:
    class Length(numpy.float64):
        """A number with its own version of ufuncs."""

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            return "asked", ufunc.__name__, len(inputs)

    a: Any = fastnp.arange(3.0)
    add: Any = numpy.add
    # The second call does not pass through NumPy's search for classes.
    for _ in range(2):
        assert type(numpy.add(a, a)) is fastnp.ndarray
        assert numpy.add(a, Length(2)) == numpy.add(Length(2), a) == ("asked", "add", 2)
        assert_same(numpy.add(a, 2), numpy.add(numpy.arange(3.0), 2))
        assert_same(numpy.add(a, numpy.arange(3)), numpy.add(numpy.arange(3.0), numpy.arange(3)))
        assert_same(numpy.add(a, [1, 2, 3]), numpy.add(numpy.arange(3.0), [1, 2, 3]))
        assert_same(numpy.negative(a), numpy.negative(numpy.arange(3.0)))
        masked = numpy.add(a, numpy.ma.masked_equal([1, 2, 3], 2))
        assert isinstance(masked, numpy.ma.MaskedArray) and masked.mask.tolist() == [0, 1, 0]
        out = numpy.zeros(3)
        assert numpy.add(a, a, out) is out and out.tolist() == [0.0, 2.0, 4.0]
        assert numpy.add(a, a, dtype="f4").dtype == "f4"
        assert numpy.add(numpy.arange(2), 1).tolist() == [1, 2]
        with pytest.raises(ValueError, match="could not be broadcast together"):
            numpy.add(a, fastnp.zeros(2))
        for wrong in ((a,), (a, object())):
            with pytest.raises(TypeError):
                add(*wrong)


def test_what_is_raised_beside_a_scalar_is_raised() -> None:
    three: Any = numpy.float64(3)
    with fastnp.errstate(divide="raise"), pytest.raises(FloatingPointError):
        (three / fastnp.zeros(3)).tolist()
    wide: Any = numpy.arange(6).reshape(2, 3) * numpy.uint8(1)
    assert_same(numpy.uint8(200) + fastnp.array(wide), numpy.uint8(200) + wide)


BINARY = [operator.add, operator.mul, operator.truediv, operator.lt, operator.eq, operator.pow]
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "dense": lambda a: a,
    "transposed": lambda a: a.T.copy().T,
    "strided": lambda a: numpy.repeat(a, 2, axis=1)[:, ::2],
    "reversed": lambda a: a[::-1, ::-1],
    "row": lambda a: a[0],
    "empty": lambda a: a[:, :0],
    "large": lambda a: numpy.resize(a, (2, 3)).repeat(1000, axis=0)[::1000],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("run", BINARY, ids=lambda f: f.__name__)
def test_numpys_arrays_on_either_side(run: Callable[[Any, Any], Any], layout: str) -> None:
    for dtype in ("f8", "f4", "i8", "u1", "?", "c16"):
        theirs: Any = LAYOUTS[layout](array(numpy, "f8") + 1).astype(dtype, copy=False)
        base: Any = array(numpy, "f8")
        base = base[:, :0] if layout == "empty" else base
        ours: Any = fastnp.array(base)
        before = fastnp.stats()["fallbacks"]
        both = [run(ours, theirs), run(theirs, ours)]
        assert fastnp.stats()["fallbacks"] == before
        assert [type(x) for x in both] == [fastnp.ndarray] * 2
        assert_same(both, [run(base, theirs), run(theirs, base)])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["add", "less", "maximum", "negative", "sqrt", "isnan"])
def test_ufuncs_of_numpys_arrays_alone(name: str, layout: str) -> None:
    ours, numpys = getattr(fastnp, name), getattr(numpy, name)
    for dtype in ("f8", "f4", "i8", "u1", "c16", "O"):
        theirs: Any = LAYOUTS[layout](array(numpy, "f8") + 1).astype(dtype, copy=False)
        operands = (theirs, theirs[::-1])[: numpys.nin]
        before = fastnp.stats()["fallbacks"]
        try:
            expected: Any = numpys(*operands)
        except TypeError:
            with pytest.raises(TypeError):
                ours(*operands)
            continue
        found = ours(*operands)
        assert dtype == "O" or type(found) is fastnp.ndarray
        assert dtype == "O" or fastnp.stats()["fallbacks"] == before
        assert_same(found, expected)


DOUBLES = [0.0, -0.0, 2.5, -2.5, -0.5, 1e-300, 65504.0, 65520.0, 2.0**53 + 2, 2.0**62, -(2.0**62)]
LARGE = [2.0**63 - 1024, 2.0**63, -(2.0**63), 1e39, 1e300, numpy.inf, -numpy.inf, numpy.nan]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", [numpy.float64, float, numpy.float32], ids=lambda f: f.__name__)
def test_an_element_is_set_to_a_number(make: Any, dtype: str) -> None:
    """With NumPy's value, error and warning."""

    def run(np: Any, value: Any) -> Any:
        x = np.zeros(3, dtype)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                x[1] = value
            except (TypeError, OverflowError, ValueError) as error:
                return type(error), x.tolist()
        return [str(w.message) for w in caught], x.tobytes()

    with numpy.errstate(over="ignore"):
        values = [make(value) for value in DOUBLES + LARGE]
    for value in values:
        assert run(fastnp, value) == run(numpy, value), value


OUTPUTS: dict[str, tuple[tuple[Any, ...], str]] = {
    "divmod": ((2.5,), "f8 f8"),
    "modf": ((), "f8 f8"),
    "frexp": ((), "f8 i4"),
    "ldexp": ((numpy.int64(2),), "f8"),
    "float_power": ((2.0,), "f8"),
    "nextafter": ((2.0,), "f8"),
    "add": ((2.0,), "f8"),
}


@pytest.mark.parametrize("n", [5, 30_000])
@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("operand", [numpy.asarray, fastnp.array], ids=["NumPy's", "ours"])
@pytest.mark.parametrize("made", [numpy.zeros, fastnp.zeros], ids=["into NumPy's", "into ours"])
def test_what_is_given_to_be_written_is_returned(
    made: Any, operand: Any, name: str, n: int
) -> None:
    more, types = OUTPUTS[name]
    x = operand(numpy.linspace(0.5, 9, n))
    expected: Any = getattr(numpy, name)(numpy.linspace(0.5, 9, n), *more)
    for by_name in (False, True):
        given = tuple(made(n, t) for t in types.split())
        call: Any = partial(getattr(fastnp, name), x, *more)
        result = call(out=given) if by_name else call(*given)
        several = result if isinstance(result, tuple) else (result,)
        assert len(several) == len(given)
        assert all(a is b for a, b in zip(several, given, strict=True))
        assert_same(result, expected)


def test_numpys_arrays_are_read_as_they_are() -> None:
    theirs, ours = numpy.arange(6.0), fastnp.arange(6.0)
    total = ours + theirs
    theirs[0] = 100.0
    assert total.tolist() == [0, 2, 4, 6, 8, 10]
    shared = numpy.asarray(ours)
    ours += shared[::-1]
    assert ours.tolist() == [5.0] * 6
    dates = numpy.array(["2020-01-01"], "M8[D]")
    assert (fastnp.array([1]) == dates).tolist() == (numpy.array([1]) == dates).tolist()


@pytest.mark.parametrize("operator", [operator.add, operator.lt, operator.pow])
def test_views_by_numpy_of_what_is_pending(operator: Any) -> None:
    """A few elements of a large array of ours, as NumPy's view, beside a small array: the large
    one may be pending, or closed to code outside.
    """
    for _ in range(12):
        large = fastnp.ones(100_000) * 2 + 1
        fastnp.eval(large)
        view, small = numpy.asarray(large)[:1000], fastnp.ones(1000)
        expected = numpy.full(1000, 3.0)
        for _ in range(3):
            for flush in (False, True):
                if flush:
                    fastnp.flush()
                assert_same(operator(small, view), operator(numpy.ones(1000), expected))
                assert_same(operator(view, small), operator(expected, numpy.ones(1000)))
            large += 1
            expected += 1
