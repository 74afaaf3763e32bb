"""Methods of what `vectorize` returns: the values of those of `frompyfunc`, compiled or not."""

from __future__ import annotations

import math
import warnings
from typing import Any

import fastnp as np
import numpy
import pytest
from fastnp._loops import elementwise
from fastnp._loops.outcome import Refusal


def larger(a: float, b: float) -> float:
    return a if a > b else b


def mean(a: float, b: float) -> float:
    return (a + b) / 2


def decayed(s: float, x: float) -> float:
    for _ in range(3):
        s = s * 0.5 + x
    return s


def remainder(a: int, b: int) -> int:
    return (a * 31 + b) % 1009


def quotient(a: float, b: float) -> float:
    return a / b


def either(a: float, b: float) -> float:
    return a if a > b else 7


def with_ufunc(a: float, b: float) -> float:
    return numpy.hypot(a, b)


# Typed as NumPy's, which has no such methods.
vectorize: Any = np.vectorize
frompyfunc: Any = numpy.frompyfunc
TWO = [larger, mean, decayed, remainder, quotient, either, with_ufunc, math.gcd]


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "COMPILE_AFTER", 0.0)


def refusals(function: Any) -> list[str]:
    found = vars(function)["_fold_loops"].versions.values()
    return [version.reason for version in found if isinstance(version, Refusal)]


def outcome(call: Any, *arguments: Any, **keywords: Any) -> Any:
    """An array's type, shape and bytes, or an error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = numpy.asarray(call(*arguments, **keywords))
            found: Any = (result.dtype, result.shape, result.tobytes())
        except Exception as error:
            found = type(error), str(error)
    return found, sorted((str(w.message), w.category) for w in caught)


def expected(function: Any, method: str, *arguments: Any, **keywords: Any) -> numpy.ndarray:
    """What the objects of NumPy's ufunc are as an array."""
    array, *rest = arguments
    ufunc = frompyfunc(function, 2, 1)
    objects = numpy.asarray(
        getattr(ufunc, method)(numpy.asarray(array, object), *rest, **keywords), object
    )
    return numpy.asarray(objects.ravel().tolist()).reshape(objects.shape)


def inputs(char: str) -> list[numpy.ndarray]:
    rng = numpy.random.default_rng(5)
    x = rng.integers(0, 2 if char == "?" else 90, (4, 6)).astype(char)
    y = rng.integers(1, 2 if char == "?" else 9, (3, 2, 4)).astype(char)
    return [x, x[0], x[:, :1], x.T, x[::-1, ::2], y, y[:, ::-1], numpy.broadcast_to(x[0], (2, 6))]


@pytest.mark.parametrize("char", "?bHlfd")
@pytest.mark.parametrize("function", TWO, ids=lambda f: f.__name__)
def test_folds_of_each_axis(function: Any, char: str) -> None:
    ours = vectorize(function)
    for x in inputs(char):
        for axis in range(x.ndim):
            part = [0, x.shape[axis] - 1, 0]
            for method, rest in [("reduce", ()), ("accumulate", ()), ("reduceat", (part,))]:
                want = outcome(expected, function, method, x, *rest, axis=axis)
                for array in (x, np.asarray(x)):
                    have = outcome(getattr(ours, method), array, *rest, axis=axis)
                    assert have == want, (method, x, axis)
    if function in (larger, mean, decayed, remainder, quotient):
        assert not refusals(ours)


@pytest.mark.parametrize("function", [larger, mean, decayed])
def test_parameters_of_a_reduction(function: Any) -> None:
    ours = vectorize(function)
    x = numpy.arange(12.0).reshape(3, 4)
    parameters: list[dict[str, Any]] = [
        {"keepdims": True},
        {"initial": 2.5},
        {"initial": 3},
        {"initial": True, "axis": 1},
        {"initial": 1.0, "where": x > 4},
        {"axis": (1,)},
        {"axis": ()},
        {"axis": None},
        {"axis": 5},
        {"where": x > 4},
    ]
    for keywords in parameters:
        want = outcome(expected, function, "reduce", x, **keywords)
        assert outcome(ours.reduce, x, **keywords) == want, keywords
    for one in (x[0], x[0, :1], 3.0, [1, 2, 3]):
        assert outcome(ours.reduce, one) == outcome(expected, function, "reduce", one)
    out = np.zeros(4)
    assert ours.reduce(x, out=out) is out
    assert out.tolist() == expected(function, "reduce", x).tolist()
    with pytest.raises(TypeError, match="same_kind"):
        ours.reduce(x, out=np.zeros(4, int))
    assert type(ours.reduce(x[0])) is numpy.float64
    assert ours.reduce(x, dtype="f").dtype == numpy.float32
    whole = vectorize(function, otypes=[int])
    assert whole.accumulate(x).tolist() == expected(function, "accumulate", x).astype(int).tolist()


def test_no_elements() -> None:
    ours, empty = vectorize(larger), numpy.zeros((0, 3))
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        ours.reduce(empty)
    with pytest.raises(ValueError, match="size 0 inputs unless `otypes` is set"):
        ours.reduce(empty, axis=1)
    assert vectorize(larger, otypes="f").accumulate(empty).dtype == numpy.float32


def test_what_is_no_fold() -> None:
    x = numpy.arange(4.0)
    with pytest.raises(ValueError, match="single value"):
        vectorize(lambda a, b: (a, b)).reduce(x[:2])
    with pytest.raises(RuntimeError, match="signature"):
        vectorize(larger, signature="(),()->()").reduce(x)
    with pytest.raises(IndexError, match="out-of-bounds"):
        vectorize(larger).reduceat(x, [5])
    with pytest.raises(TypeError, match="missing 1 required"):
        vectorize(decayed).at(x, [0])


def test_errors_are_pythons_and_leave_the_array() -> None:
    x = numpy.array([3.0, 2.0, 0.0, 1.0])
    ours = vectorize(quotient)
    for method in ("reduce", "accumulate"):
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            getattr(ours, method)(x)
    for ufunc in (ours, frompyfunc(quotient, 2, 1)):
        y = x.copy()
        with pytest.raises(ZeroDivisionError):
            ufunc.at(y, [0, 1, 2], [2.0, 0.0, 1.0])
        assert y.tolist() == [1.5, 2.0, 0.0, 1.0]


@pytest.mark.parametrize("char", "?bHilfd")
def test_elements_replaced_in_order(char: str) -> None:
    for function in (mean, decayed, remainder):
        ours, numpys = vectorize(function), frompyfunc(function, 2, 1)
        for index in ([0, 1, 1, 2], [-1, 0], slice(1, 3), (slice(None), 1), ([0, 1], [1, 1]), ...):
            x = numpy.arange(1, 13).reshape(4, 3).astype(char)
            for array in (x, x.T, x[::-1], x[:, 0]):
                if isinstance(index, tuple) and array.ndim == 1:
                    continue
                for other in (2, array[index] if index is not ... else array, 1.5):
                    want, have = array.copy(), np.asarray(array.copy())
                    b = numpy.array(other)
                    assert outcome(ours.at, have, index, b) == outcome(numpys.at, want, index, b)
                    assert have.tolist() == want.tolist()
    squares = vectorize(lambda x: x * x)
    y = np.arange(5)
    squares.at(y, [2, 2, 3])
    assert y.tolist() == [0, 1, 16, 9, 4]
    assert not refusals(squares)
    with pytest.raises(IndexError):
        squares.at(y, [5])


def test_outer() -> None:
    ours, numpys = vectorize(mean), frompyfunc(mean, 2, 1)
    x, y = numpy.arange(6.0).reshape(2, 3), numpy.arange(4)
    for a, b in [(x, y), (y, x), (x.T, 2.0), (3, y), ([1, 2], [3])]:
        want = numpys.outer(a, b).astype(float)
        for made in (ours.outer(a, b), ours.outer(np.asarray(a), np.asarray(b))):
            assert made.shape == want.shape
            assert made.tolist() == want.tolist()


def test_masks_and_outputs() -> None:
    ours = vectorize(mean)
    x, where = numpy.arange(6.0).reshape(2, 3), numpy.array([True, False, True])
    out = np.full((2, 3), -1.0)
    assert ours(x, 2, out=out, where=where) is out
    want = numpy.full((2, 3), -1.0)
    frompyfunc(mean, 2, 1)(x, 2, out=want, where=where, casting="unsafe")
    assert out.tolist() == want.tolist()
    assert ours(x, 2, out=(out,)) is out
    assert out.tolist() == ((x + 2) / 2).tolist()
    assert ours(x, 2, where=where)[:, 0].tolist() == [1.0, 2.5]
    with pytest.raises(TypeError, match="same_kind"):
        ours(x, 2, out=np.zeros((2, 3), int))
    with pytest.raises(TypeError, match="ArrayType"):
        ours(x, 2, out=[1])
    with pytest.raises(TypeError, match="safe"):
        ours(x, 2, where=x)
    # What the function names so is the function's.
    assert vectorize(lambda x, out: x + out)(x, out=1.0).tolist() == (x + 1.0).tolist()


def test_what_a_function_finds_outside_may_change() -> None:
    scale = 1.0

    def scaled(a: float, b: float) -> float:
        return a * scale + b

    ours = vectorize(scaled)
    x = numpy.arange(5.0)
    for value in (1.0, 2.0, 3, 1.0):
        scale = value
        want = expected(scaled, "accumulate", x)
        assert ours.accumulate(x).tolist() == want.tolist()


def test_off() -> None:
    ours = vectorize(mean)
    with np.settings(loops=0):
        assert ours.reduce(numpy.arange(3.0)) == 1.25
    assert "_fold_loops" not in vars(ours)
