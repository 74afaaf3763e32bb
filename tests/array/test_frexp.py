"""`frexp`: mantissas and exponents as NumPy's, bit for bit, with every argument of the call."""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

SIZES = (0, 1, 9, 100, 101, 300, 5000)


def numbers(char: str, n: int, seed: int) -> numpy.ndarray:
    """Any bits, many of them subnormal; and zeros, infinities and nans of both signs."""
    random = numpy.random.default_rng(seed)
    if char not in "efd":
        return random.integers(0, 2 if char == "?" else 99, n).astype(char)
    size = numpy.dtype(char).itemsize
    drawn = numpy.frombuffer(random.bytes(n * size), char).copy()
    nans = numpy.isnan(drawn)
    # Signalling ones raise a flag in NumPy.
    drawn[nans] = numpy.copysign(numpy.nan, drawn[nans])
    tiny = numpy.finfo(char).smallest_normal
    drawn[: n // 5] = tiny * random.uniform(-1, 1, n // 5).astype(char)
    special = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, -numpy.nan, tiny, -tiny]
    if n > 50:
        drawn[n // 3 : n // 3 + 8] = special
    return drawn


def outcome(call: Any, module: Any) -> list[Any]:
    """Bytes, types and layouts of what a call returns, or its error; and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = call(module)
        except Exception as error:
            return [type(error), str(error)]
        plain = [numpy.asarray(x) for x in results]
    # A long double has bytes without a meaning.
    data = [x.tolist() if x.dtype.char == "g" else x.tobytes() for x in plain]
    found = [(value, x.dtype, x.shape, x.strides) for value, x in zip(data, plain, strict=True)]
    return [found, [(w.category, str(w.message)) for w in caught]]


def assert_same(call: Any) -> None:
    assert outcome(call, fastnp) == outcome(call, numpy)


@pytest.mark.parametrize("char", "efd?bBhHiIlL")
def test_every_type_and_layout(char: str) -> None:
    for n in SIZES:
        drawn = numbers(char, n, n)
        assert_same(lambda m, x=drawn: m.frexp(m.array(x)))
        assert_same(lambda m, x=drawn: m.frexp(m.array(x)[::-3]))
    for shape in ((20, 30), (5, 8, 15), (600,), (1, 600, 1)):
        drawn = numbers(char, 600, 3).reshape(shape)
        assert_same(lambda m, x=drawn: m.frexp(m.array(x)))
        assert_same(lambda m, x=drawn: m.frexp(m.array(x).T))
        assert_same(lambda m, x=drawn: m.frexp(m.array(x, order="F")[::2]))
    assert_same(lambda m: m.frexp(m.array(drawn.flat[7])))
    assert_same(lambda m: m.frexp(drawn.ravel().tolist()))


@pytest.mark.parametrize("char", ["g", "F", "D", "O", "U1", "M8[s]"])
def test_other_types_are_numpys(char: str) -> None:
    given = numpy.zeros(300, char)
    assert outcome(lambda _: fastnp.frexp(given), numpy) == outcome(
        lambda _: numpy.frexp(given), numpy
    )


def test_subnormal_numbers() -> None:
    for char, word in (("e", "u2"), ("f", "u4"), ("d", "u8")):
        bits = 8 * numpy.dtype(char).itemsize
        patterns = [(1 << k) + near for k in range(bits - 1) for near in (-1, 0, 1)]
        drawn = numpy.array(patterns * 4, word).view(char)
        drawn = drawn[~numpy.isnan(drawn)]
        assert_same(lambda m, x=drawn: m.frexp(m.array(x)))
        assert_same(lambda m, x=drawn: m.frexp(-m.array(x)))


@pytest.mark.parametrize("n", (5, 400))
def test_destinations(n: int) -> None:
    drawn = numbers("d", n, 1)
    for mantissas in ("d", "f", "e", "D", "i", None):
        for exponents in ("i", "l", "h", "d", "e", "?", "I", None):

            def call(m: Any, kinds: Any = (mantissas, exponents), **named: Any) -> Any:
                outs = tuple(None if kind is None else m.zeros(n, kind) for kind in kinds)
                found = m.frexp(m.array(drawn), out=outs, **named)
                assert all(out is None or out is x for out, x in zip(outs, found, strict=True))
                # Without a destination, elements that a mask excludes are anything.
                is_whole = "where" not in named
                return [
                    x for x, out in zip(found, outs, strict=True) if is_whole or out is not None
                ]

            assert_same(call)
            assert_same(lambda m: call(m, casting="unsafe"))
            assert_same(lambda m: call(m, casting="no"))
            assert_same(lambda m: call(m, where=m.array(drawn > 0)))
            assert_same(lambda m: call(m, where=m.array(drawn > 0)[:1]))
            assert_same(lambda m: call(m, where=False))
    assert_same(lambda m: m.frexp(m.array(drawn), m.empty(n), m.empty(n, "i4")))
    assert_same(lambda m: m.frexp(m.array(drawn), m.empty(n)))
    assert_same(lambda m: m.frexp(m.array(drawn), None, m.empty(n, "i4")))
    assert_same(lambda m: m.frexp(m.array(drawn), out=(m.empty((2, n)), None)))
    assert_same(lambda m: m.frexp(m.array(drawn), out=(m.empty(n + 1), None)))
    assert_same(lambda m: m.frexp(m.array(drawn), m.empty(n), out=(None, None)))
    assert_same(lambda m: m.frexp(m.array(drawn), out=m.empty(n)))


@pytest.mark.parametrize("n", (5, 400))
def test_destinations_that_share_memory(n: int) -> None:
    drawn = numbers("d", n, 2)

    def over_argument(m: Any) -> Any:
        x = m.array(drawn)
        return m.frexp(x, out=(x, None))

    def shifted(m: Any) -> Any:
        x = m.array(drawn)
        return m.frexp(x[1:], out=(x[:-1], None))

    def exponents_over_argument(m: Any) -> Any:
        x = m.array(drawn)
        return m.frexp(x, out=(None, x), casting="unsafe")

    def by_masks(m: Any) -> Any:
        x, mask = m.array(drawn), m.array(drawn > 1)
        return (*m.frexp(x, out=(x, m.zeros(n, "i4")), where=mask), x)

    def read_only(m: Any) -> Any:
        x = m.array(drawn)
        x.flags.writeable = False
        return m.frexp(x, out=(x, None))

    for call in (over_argument, shifted, exponents_over_argument, by_masks, read_only):
        assert_same(call)


@pytest.mark.parametrize("n", (5, 400))
def test_other_arguments(n: int) -> None:
    drawn = numbers("d", n, 4)
    square = numbers("f", 400, 5).reshape(20, 20)
    for named in (
        {"dtype": None},
        {"dtype": "f8"},
        {"dtype": numpy.int32},
        {"signature": "d->di"},
        {"signature": "f->fi"},
        {"sig": "f->fi", "casting": "unsafe"},
        {"signature": "d->dd"},
        {"signature": (None, "f8", "i4")},
        {"casting": "no"},
        {"casting": "wrong"},
        {"subok": False},
        {"wrong": 1},
        {"order": "F"},
    ):
        with numpy.errstate(all="ignore"), fastnp.errstate(all="ignore"):
            assert_same(lambda m, named=named: m.frexp(m.array(drawn), **named))
            assert_same(lambda m, named=named: m.frexp(m.array(drawn.astype("i8")), **named))
    for order in "KACF":
        assert_same(lambda m, order=order: m.frexp(m.array(square), order=order))
        assert_same(lambda m, order=order: m.frexp(m.array(square).T, order=order))
    assert_same(lambda m: m.frexp())
    assert_same(lambda m: m.frexp(m.array(drawn), None, None, None))


def test_types_of_results() -> None:
    for n, kinds in ((400, (fastnp.ndarray,) * 2), (5, (fastnp.ndarray,) * 2)):
        assert tuple(map(type, fastnp.frexp(fastnp.ones(n)))) == kinds
    assert tuple(map(type, fastnp.frexp(fastnp.array(2.0)))) == (numpy.float64, numpy.int32)
    assert tuple(map(type, fastnp.frexp(2.0))) == (numpy.float64, numpy.int32)


def test_masks_alone_warn_and_write_where_they_are_true() -> None:
    drawn = numbers("d", 400, 6)

    def call(m: Any) -> Any:
        return [x[drawn > 0] for x in m.frexp(m.array(drawn), where=m.array(drawn > 0))]

    assert_same(call)


def test_both_results_fuse_with_other_operations(assert_kernels: Any) -> None:
    x = fastnp.linspace(1, 9, 100_000)

    def program() -> Any:
        mantissa, exponent = fastnp.frexp(x * 3)
        return mantissa * 2.0**exponent

    assert_kernels(program, 1)
    assert program().tolist() == (x * 3).tolist()


def test_no_fallback() -> None:
    x: Any = fastnp.linspace(1, 9, 1000)
    frexp: Any = fastnp.frexp
    before = fastnp.stats()["fallbacks"]
    frexp(x)
    numpy.frexp(x)
    frexp(x, out=(None, fastnp.empty(1000, "i8")))
    frexp(x, where=x > 3, out=(x, None))
    assert fastnp.stats()["fallbacks"] == before
