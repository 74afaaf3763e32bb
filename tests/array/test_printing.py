"""Arrays print as NumPy's, under every option, and printing computes only what it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

TYPES: list[Any] = (
    "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 g G S3 U3 O M8[s] m8[ms] V4 >f8 >i4".split()
)
TYPES.append([("a", "i4"), ("b", "f8")])
SHAPES: list[tuple[int, ...]] = [
    *((), (0,), (1,), (7,), (3, 4), (1, 1), (2, 3, 4)),
    *((0, 3), (2, 2, 2, 2), (1200,), (60, 60)),
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"precision": 2},
    {"suppress": True},
    {"threshold": 5, "edgeitems": 1},
    {"linewidth": 30},
    {"sign": "+"},
    {"floatmode": "fixed"},
    {"floatmode": "maxprec_equal", "precision": 3},
    {"formatter": {"float": lambda x: f"<{x:.1f}>", "int": lambda x: f"{x:+}"}},
    {"nanstr": "none", "infstr": "endless"},
    {"legacy": "1.13"},
    {"legacy": "1.25"},
]


def sample(dtype: Any, shape: tuple[int, ...]) -> numpy.ndarray:
    """An array of a type, with a NaN and an infinity where there are such."""
    count = numpy.arange(int(numpy.prod(shape))).reshape(shape)
    if isinstance(dtype, list):
        made = numpy.zeros(shape, dtype)
        made["b"] = count
        return made
    if dtype == "V4":
        return numpy.asarray(count, "i4").view("V4")
    with numpy.errstate(all="ignore"):
        whole = numpy.dtype(dtype).kind in "Mm"
        made = numpy.asarray(count if whole else count * 1.37 - 3).astype(dtype)
    if made.dtype.kind in "fc" and made.size > 3:
        made.flat[1], made.flat[2] = numpy.nan, numpy.inf
    return made


WAYS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("repr", lambda np, x: repr(x)),
    ("str", lambda np, x: str(x)),
    ("format", lambda np, x: f"{x}"),
    ("%", lambda np, x: "%s" % (x,)),  # noqa: UP031
    ("array2string", lambda np, x: np.array2string(x, separator=", ", prefix="x = ")),
    ("array_repr", lambda np, x: np.array_repr(x, max_line_width=40)),
    ("array_str", lambda np, x: np.array_str(x, precision=1)),
]


def shown(np: Any, way: Callable[[Any, Any], Any], x: Any) -> str:
    """What is printed, or the error."""
    try:
        return str(way(np, x))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_text_is_numpys(dtype: Any) -> None:
    for shape in SHAPES:
        theirs = sample(dtype, shape)
        ours = fastnp.array(theirs)
        for options in OPTIONS:
            with numpy.printoptions(**options):
                for name, way in WAYS:
                    expected = shown(numpy, way, theirs)
                    assert shown(fastnp, way, ours) == expected, (name, shape, options)
                with fastnp.printoptions(edgeitems=2, threshold=10):
                    assert repr(ours) == repr(theirs), (shape, options)
                assert repr(ours) == repr(theirs), (shape, options)


def test_options_set_here_hold_there() -> None:
    before = numpy.get_printoptions()
    try:
        fastnp.set_printoptions(precision=3, suppress=True)
        assert fastnp.get_printoptions() == numpy.get_printoptions()
        assert repr(fastnp.array([1 / 3])) == repr(numpy.array([1 / 3])) == "array([0.333])"
    finally:
        numpy.set_printoptions(**before)


def test_a_large_array_is_computed_once_and_not_formatted_whole() -> None:
    x = fastnp.arange(1_000_000.0)
    unwanted = fastnp.exp(x)
    pending = (x * 2.0 + 1.0).reshape(1000, 1000)
    del unwanted
    fastnp.reset_stats()
    assert repr(pending) == repr((numpy.arange(1_000_000.0) * 2 + 1).reshape(1000, 1000))
    stats = fastnp.stats()
    assert (stats["flushes"], stats["kernels_launched"], stats["fallbacks"]) == (1, 1, 0)
    formatted: list[float] = []

    def show(value: float) -> str:
        formatted.append(value)
        return "x"

    formatter: Any = {"float": show}
    with numpy.printoptions(formatter=formatter):
        str(pending)
    assert len(formatted) == 36
    assert fastnp.stats()["flushes"] == 1
