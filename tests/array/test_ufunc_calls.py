"""Calls of ufuncs: every keyword, type and layout, drawn at random, against NumPy.

Values, types, shapes and strides are compared, and so are warnings and the text of errors.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compare import difference

CODES = "?bBhHiIlLefdFD"
UNARY = ["negative", "absolute", "sqrt", "floor", "isnan", "square", "log", "reciprocal", "arctanh"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "less", "floor_divide", "logical_and"]
BINARY += ["bitwise_xor", "copysign", "fmin", "power", "remainder", "equal"]
FOLDS = ["add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or"]
FOLDS += ["logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
SHAPES: list[tuple[int, ...]] = [(), (1,), (4,), (2, 3), (3, 1), (2, 1, 3), (0,), (0, 3), (1100,)]
# Elementary functions and long sums round otherwise, within the bounds of the accuracy tests.
ROUNDED = 1e-3

Case = Callable[[Any], Any]


def values(
    np: Any, shape: tuple[int, ...], code: str, layout: int, seed: int, *, finite: bool = False
) -> Any:
    """An array of small numbers, some of them special, in one of several layouts."""
    random = numpy.random.default_rng(seed)
    bits = [-2, -1, 0, 1, 2, 3, 1.5, -0.0, numpy.inf, numpy.nan]
    most = 6 if code not in "efdFD" else 8 if finite else 10
    chosen = random.choice(bits[:most], size=shape)
    with numpy.errstate(all="ignore"):
        made = np.asarray(numpy.asarray(chosen).astype(code))
    ndim = len(shape)
    if layout == 1:
        return np.asarray(made.T.copy()).T if ndim else made
    if layout == 2 and ndim:
        wide = np.zeros((*shape[:-1], 2 * shape[-1] + 1), code)
        wide[..., 1::2] = made
        return wide[..., 1::2]
    if layout == 3 and ndim:
        return made[..., ::-1]
    return made


def drawn_as(np: Any, array: tuple[Any, Any, Any, Any], finite: bool) -> Any:
    """The array that hypothesis drew."""
    shape, code, layout, seed = array
    return values(np, shape, code, layout, seed, finite=finite)


def complex_among(*arrays: Any) -> bool:
    """Whether an operand is complex: NumPy warns of nan in comparisons of parts."""
    return any(isinstance(a, complex) or (isinstance(a, tuple) and a[1] in "FD") for a in arrays)


def outcome(np: Any, case: Case) -> tuple[Any, Any]:
    """The result or the exception of a program, and its warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result: Any = case(np)
            # Warnings of computing the result count too.
            list(map(str, result)) if isinstance(result, tuple) else str(result)
        except Exception as error:
            result = (type(error).__name__, str(error))
    # Which of a ufunc and the casts to and from its loop is named hangs on how NumPy buffers them.
    named = {
        (w.category.__name__, re.sub("encountered in.*", "encountered", str(w.message)))
        for w in told
    }
    return result, sorted(named)


def strides(result: Any) -> Any:
    """Strides that mean something, also of the arrays in a tuple."""
    if isinstance(result, tuple):
        return [strides(part) for part in result]
    if not hasattr(result, "strides") or result.size == 0:
        return None
    return [s for s, n in zip(result.strides, result.shape) if n > 1]


def check(case: Case) -> None:
    """The program under both modules."""
    ours, our_warnings = outcome(fastnp, case)
    theirs, their_warnings = outcome(numpy, case)
    found = difference(ours, theirs, rtol=ROUNDED)
    assert found is None, found
    assert our_warnings == their_warnings
    assert strides(ours) == strides(theirs)


shapes, codes, seeds = st.sampled_from(SHAPES), st.sampled_from(CODES), st.integers(0, 1000)
arrays = st.tuples(shapes, codes, st.integers(0, 3), seeds)
maybe_code = st.one_of(st.none(), st.none(), codes)


def draw_keywords(data: Any, np: Any) -> dict[str, Any]:
    """Keywords that need no array."""
    keywords: dict[str, Any] = {}
    if data["dtype"]:
        keywords["dtype"] = data["dtype"]
    if data["casting"]:
        keywords["casting"] = data["casting"]
    if data["order"]:
        keywords["order"] = data["order"]
    if data["subok"] is not None:
        keywords["subok"] = data["subok"]
    return keywords


keyword_sets = st.fixed_dictionaries(
    {
        "dtype": maybe_code,
        "casting": st.one_of(st.none(), st.sampled_from(CASTINGS)),
        "order": st.one_of(st.none(), st.sampled_from("CFAK")),
        "subok": st.one_of(st.none(), st.booleans()),
    }
)
common = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@common
@given(
    st.sampled_from(BINARY),
    arrays,
    st.one_of(arrays, st.sampled_from([2, 0, -1, 300, 1.5, 2j, True])),
    keyword_sets,
    st.one_of(st.none(), arrays),
    st.one_of(st.none(), st.tuples(shapes, seeds), st.booleans()),
)
def test_calls_with_keywords(
    name: str, left: Any, right: Any, drawn: Any, out: Any, where: Any
) -> None:
    def case(np: Any) -> Any:
        calm = complex_among(left, right, ((), drawn["dtype"] or "d"))
        a = drawn_as(np, left, calm)
        # NumPy crashes on masked comparisons with out-of-bounds numbers.
        number = 2 if where is not None and right in (-1, 300) else right
        b = drawn_as(np, right, calm) if isinstance(right, tuple) else number
        # NumPy casts what a mask leaves out as well, and may warn of it.
        keywords = draw_keywords({**drawn, "dtype": None} if where else drawn, np)
        if out is not None:
            # What a mask leaves out goes to the loop's type and back in NumPy, and may warn of it.
            keywords["out"] = np.ones(*out[:2]) if where else drawn_as(np, out, True)
        if isinstance(where, tuple):
            shape, seed = where
            keywords["where"] = values(np, shape, "?", 0, seed)
        elif where is not None:
            keywords["where"] = where
        result = getattr(np, name)(a, b, **keywords)
        if "where" in keywords and "out" not in keywords:
            # Elements left out are anything, with or without axes.
            mask = np.broadcast_to(keywords["where"], np.shape(result))
            result = np.where(mask, result, np.zeros((), np.asarray(result).dtype))
        return result, keywords.get("out")

    check(case)


@common
@given(
    st.sampled_from(UNARY), arrays, keyword_sets, st.one_of(st.none(), arrays), st.integers(0, 9)
)
def test_calls_of_one_argument(name: str, left: Any, drawn: Any, out: Any, seed: int) -> None:
    def case(np: Any) -> Any:
        a = drawn_as(np, left, complex_among(left, ((), drawn["dtype"] or "d")))
        keywords = draw_keywords({**drawn, "dtype": None} if out else drawn, np)
        if out is not None:
            keywords["out"] = np.ones(*out[:2])
            keywords["where"] = values(np, left[0], "?", 0, seed)
        return getattr(np, name)(a, **keywords), keywords.get("out")

    check(case)


@common
@given(
    st.sampled_from(FOLDS),
    arrays,
    st.one_of(st.none(), st.integers(-3, 2), st.sampled_from([(), (0, 1), (0, 0), (-1, 0)])),
    maybe_code,
    st.booleans(),
    st.one_of(st.none(), st.sampled_from([0, 1, 5, -1, 2.5, -0.0, 300])),
    st.one_of(st.none(), st.tuples(shapes, seeds)),
    st.one_of(st.none(), st.tuples(shapes, codes)),
    st.booleans(),
)
def test_reductions(
    name: str,
    array: Any,
    axis: Any,
    dtype: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    out: Any,
    as_method: bool,
) -> None:
    def case(np: Any) -> Any:
        # Whether infinities meet zeros or nan first hangs on the order of folding.
        a = drawn_as(np, array, name == "multiply")
        keywords: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
        # NumPy casts what a mask leaves out as well, and may warn of it.
        if dtype and not where:
            keywords["dtype"] = dtype
        if initial is not None:
            keywords["initial"] = initial
        if where:
            keywords["where"] = values(np, where[0], "?", 0, where[1])
        if out:
            keywords["out"] = np.ones(*out)
        method = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}.get(name)
        if as_method and method and not (dtype and method in ("min", "max")):
            return getattr(a, method)(**keywords)
        return getattr(np, name).reduce(a, **keywords)

    check(case)


@common
@given(st.sampled_from(FOLDS), arrays, st.integers(-2, 1), maybe_code, st.one_of(st.none(), codes))
def test_running_folds(name: str, array: Any, axis: int, dtype: Any, out: Any) -> None:
    def case(np: Any) -> Any:
        a = values(np, *array)
        target = None if out is None else np.ones(a.shape, out)
        return getattr(np, name).accumulate(a, axis, dtype, target)

    check(case)


@common
@given(st.sampled_from(BINARY), arrays, arrays, keyword_sets)
def test_outer(name: str, left: Any, right: Any, drawn: Any) -> None:
    def case(np: Any) -> Any:
        if numpy.prod(left[0]) * numpy.prod(right[0]) > 10_000:
            return None
        calm = complex_among(left, right, ((), drawn["dtype"] or "d"))
        a, b = drawn_as(np, left, calm), drawn_as(np, right, calm)
        return getattr(np, name).outer(a, b, **draw_keywords(drawn, np))

    check(case)


@common
@given(
    st.sampled_from(["mean", "var", "std"]),
    arrays,
    st.one_of(st.none(), st.integers(-1, 1)),
    st.one_of(st.none(), st.sampled_from("fd")),
    st.booleans(),
    st.sampled_from([0, 1, 3]),
    st.one_of(st.none(), st.tuples(shapes, seeds)),
)
def test_means_and_variances(
    name: str, array: Any, axis: Any, dtype: Any, keepdims: bool, ddof: int, where: Any
) -> None:
    def case(np: Any) -> Any:
        a = values(np, *array)
        keywords: dict[str, Any] = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
        if where:
            keywords["where"] = values(np, where[0], "?", 0, where[1])
        if name != "mean":
            keywords["ddof"] = ddof
        return getattr(a, name)(**keywords)

    check(case)


NUMBERS = [3, -2, 0, 2.5, numpy.float32(2), numpy.int8(3), 300, 2**40]


@common
@given(arrays, st.one_of(arrays, st.sampled_from(NUMBERS)), st.sampled_from("ufkodr"))
def test_divmod(left: Any, right: Any, way: str) -> None:
    def case(np: Any) -> Any:
        a = drawn_as(np, left, False)
        b = drawn_as(np, right, False) if isinstance(right, tuple) else right
        if way == "k":
            return np.divmod(a, b, dtype="d")
        if way == "d":
            return np.divmod(a, b, out=(np.zeros_like(a), None))
        if way == "r":
            return divmod(b, a)
        return divmod(a, b) if way == "o" else np.divmod(a, b)

    check(case)
    if way == "u":
        # Both are reported under its name.
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                list(map(str, case(fastnp)))
            except (TypeError, ValueError):
                return
        messages = [str(warning.message) for warning in told]
        assert all(re.search(r"divmod|cast", message) for message in messages), messages


@pytest.mark.parametrize("step", [1, -1, 2])
@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_operands_destination_and_mask_may_overlap(step: int, shift: int) -> None:
    def case(np: Any) -> Any:
        a = np.arange(12.0)
        flags = np.arange(12) % 3 == 0
        left, right = a[1:9:step], a[1 + shift : 9 + shift : step]
        np.add(left, 1, out=right, where=flags[1 : 1 + right.shape[0]])
        np.logical_not(flags[1:9], out=flags[2:10], where=flags[1:9])
        np.add.accumulate(a[1:9], out=a[1 + shift : 9 + shift])
        np.add.reduce(a.reshape(3, 4), axis=0, out=a[:4])
        return a, flags

    check(case)
