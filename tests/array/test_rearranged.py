"""Sorts, repetitions, insertions and the like, which the extension runs for few elements or for
all: the same arrays and errors as NumPy's.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import fastnp
import numpy
import pytest

DTYPES = "bBhHiIlLfd?eFD"
SIZES = (0, 1, 2, 10, 32, 33, 300)


def values(char: str, n: int, seed: int) -> numpy.ndarray:
    """Numbers with repetitions; of floats nan, infinities and zeros of both signs."""
    random = numpy.random.default_rng(seed)
    found = random.integers(0 if char in "BHIL?" else -9, 9, n).astype(char)
    if char in "fdeFD" and n > 5:
        found[random.integers(0, n, 4)] = [numpy.nan, numpy.inf, -numpy.inf, numpy.nan]
    return found


def answers(name: str, arguments: Any, **named: Any) -> list[Any]:
    """The outcome under each module: type, values, strides and flags; or the error."""
    found: list[Any] = []
    for module in (numpy, fastnp):
        try:
            result = getattr(module, name)(*arguments(module), **named)
        except Exception as error:
            found.append((type(error), str(error)))
            continue
        parts = result if isinstance(result, tuple) else (result,)
        described = [
            (repr(numpy.asarray(x).tolist()), x.dtype, x.shape, x.strides, x.flags.writeable)
            for x in parts
        ]
        found.append((isinstance(result, tuple), described))
    return found


def assert_same(name: str, arguments: Any, **named: Any) -> None:
    wanted, got = answers(name, arguments, **named)
    assert got == wanted, (name, named)


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sorted(char: str, n: int) -> None:
    for seed in range(3):
        drawn = values(char, n, seed)
        assert_same("sort", lambda module, drawn=drawn: (module.array(drawn),))
        assert_same("sort", lambda module, drawn=drawn: (module.array(drawn)[::-2],))
        assert_same("sort", lambda module, drawn=drawn: (module.array(drawn),), kind="stable")
        assert_same("sort", lambda module, drawn=drawn: (module.array([drawn, drawn]), 0))


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("shape", [(300,), (5000,), (7, 5), (3, 0), (2, 3, 70)])
def test_sorts_by_their_kind(char: str, shape: tuple[int, ...]) -> None:
    drawn = values(char, math.prod(shape), 7).reshape(shape)
    sources: list[Any] = [
        lambda m: (m.array(drawn),),
        lambda m: (m.array(drawn)[..., ::-1],),
        lambda m: (m.array(drawn).T,),
    ]
    kinds: list[dict[str, Any]] = [
        *({"kind": kind} for kind in ("stable", "mergesort", "heapsort", "quicksort", None)),
        *({"stable": True}, {"stable": False}, {"kind": "stable", "axis": -1}),
        *({"kind": "stable", "axis": 0}, {"kind": "stable", "axis": None}),
    ]
    for source in sources:
        for named in kinds:
            assert_same("sort", source, **named)
            if named.get("kind") in ("stable", "mergesort") or named.get("stable"):
                assert_same("argsort", source, **named)
    assert_same("argsort", lambda m: (m.array(drawn),), kind="stable", stable=True)
    assert_same("sort", lambda m: (m.array(drawn),), kind="fast")


def test_equal_numbers_stay_in_order() -> None:
    for n in (40, 4000):
        for given in (numpy.zeros(n), numpy.arange(n) % 3, (numpy.arange(n) % 5).astype("i1")):
            signed = given * numpy.where(numpy.arange(n) % 2, 1, -1).astype(given.dtype)
            wanted = numpy.sort(signed, kind="stable")
            got = numpy.asarray(fastnp.sort(fastnp.array(signed), kind="stable"))
            assert got.tobytes() == wanted.tobytes()
            order = fastnp.argsort(fastnp.array(signed), kind="stable")
            assert order.tolist() == numpy.argsort(signed, kind="stable").tolist()


def test_sorted_of_other_forms() -> None:
    for given in (3.5, [3, 1, 2], [[3, 1], [0, 2]], "text", [2, "a"], None):
        assert_same("sort", lambda _, given=given: (given,))
    assert_same("sort", lambda module: (module.arange(4.0),), axis=2)
    assert_same("sort", lambda module: (module.array(2.0),))
    pending = fastnp.arange(9.0)[::-1] * 2
    assert fastnp.sort(pending).tolist() == [2.0 * i for i in range(9)]
    assert pending[0] == 16


@pytest.mark.parametrize("n", (0, 1, 9, 32, 33, 257))
def test_order_by_several_keys(n: int) -> None:
    for seed, chars in enumerate(["dl", "fb", "ii", "?d", "Ld", "ed", "Dl"]):
        a, b = values(chars[0], n, seed), values(chars[1], n, seed + 9)
        keys = lambda module, a=a, b=b: ((module.array(a), module.array(b)),)  # noqa: E731
        assert_same("lexsort", keys)
        assert_same("lexsort", lambda module, a=a: ((module.array(a)[::-1],),))
        assert_same("lexsort", lambda module, a=a, b=b: (module.array([a, b]),))
    assert_same("lexsort", lambda module: ((module.arange(3), module.arange(4)),))
    assert_same("lexsort", lambda _: ((),))
    assert_same("lexsort", lambda module: ((module.arange(3), [3, 1, 2]),), axis=0)


@pytest.mark.parametrize("char", "bBhilLd?")
def test_coordinates(char: str) -> None:
    for shape in ((5,), (2, 3), (2, 3, 4), 7, (1, 1, 9), (2, 0), ()):
        for positions in ([0, 1, 4], [[1], [3]], [], [5], [6, 7], [-1], 3):
            given = numpy.array(positions).astype(char)
            assert_same("unravel_index", lambda m, g=given, s=shape: (m.array(g), s))
    given = numpy.arange(6).astype(char)
    assert_same("unravel_index", lambda m: (m.array(given)[::2], (3, 2)), order="F")
    assert_same("unravel_index", lambda m: (m.array(given)[::-1], (3, 2)))
    rows, columns = fastnp.unravel_index(fastnp.array([5, 1]), (2, 3))
    assert rows.base is columns.base
    rows[0] = 9
    assert columns.tolist() == [2, 1]


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("name", ["repeat", "tile"])
def test_repetitions(name: str, char: str) -> None:
    for n in (0, 1, 7, 3000):
        drawn = values(char, n, n)
        for times in (0, 1, 2, 5, -1, 2.5, True, (2,), None):
            assert_same(name, lambda m, d=drawn, t=times: (m.array(d), t))
            assert_same(name, lambda m, d=drawn, t=times: (m.array(d)[::3], t))
        assert_same(name, lambda m, d=drawn: (m.array([d, d]), 2))


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("n", (0, 1, 2, 10, 3000))
def test_insertions(char: str, n: int) -> None:
    drawn = values(char, n, n)
    one, several = numpy.array([2.5]), numpy.array([1.5, -2.0, 7.0])
    positions: list[Any] = [0, -1, n, n + 1, 1.5, [0, n], [], numpy.array([n, 0, n // 2]), [-1]]
    given: list[Any] = [3, 2.5, True, 300, 2 + 1j, numpy.float32(1.5), one, several, [4, 5], None]
    for at in positions:
        for put in given:

            def arguments(m: Any, at: Any = at, put: Any = put) -> tuple[Any, ...]:
                ours = [m.array(x) if isinstance(x, numpy.ndarray) else x for x in (at, put)]
                return (m.array(drawn), *ours)

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert_same("insert", arguments)
    assert_same("insert", lambda m: (m.array(drawn)[::-1], 0, m.array(several)[::-2]))


@pytest.mark.parametrize("n", (0, 1, 2, 9, 3000))
def test_slices_left_out(n: int) -> None:
    drawn = values("d", n, n)
    bounds = (None, 0, 1, 4, n, n + 3, -1, -5)
    for start in bounds:
        for stop in bounds:
            for step in (None, 1, 2, -1, -3):
                left_out = slice(start, stop, step)
                assert_same("delete", lambda m, part=left_out: (m.array(drawn), part))
    assert_same("delete", lambda m: (m.array(drawn)[::2], slice(0, 9, 2)))
    assert_same("delete", lambda m: (m.array(drawn), slice("a")))


@pytest.mark.parametrize("char", DTYPES)
def test_parts_of_numbers(char: str) -> None:
    for n in (0, 3, 7, 249, 251, 5000):
        drawn = values(char, n, n) / (1 if char in "bBhHiIlL?" else 4)
        drawn[:2] = -drawn[:2] if char != "?" else drawn[:2]
        assert_same("modf", lambda m, d=drawn: (m.array(d),))
        assert_same("modf", lambda m, d=drawn: (m.array(d)[::-2],))
        assert_same("nan_to_num", lambda m, d=drawn: (m.array(d),))
        assert_same("nan_to_num", lambda m, d=drawn: (m.array(d), True, 1.5), posinf=2, neginf=-3)
    pending = fastnp.linspace(-3, 3, 1000) * 2
    fraction, whole = fastnp.modf(pending)
    assert (fraction + whole == pending).all()


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("to", DTYPES)
def test_views_as_another_type(char: str, to: str) -> None:
    """Values, or the error, of views and of what is written through them."""
    for shape in ((4,), (2, 3), (3, 1), (0, 2), (), (2, 3, 4)):
        drawn = values(char, math.prod(shape), 3).reshape(shape)

        def seen(module: Any, order: str, drawn: numpy.ndarray = drawn) -> Any:
            array = module.array(drawn, order=order) + module.zeros((), char)
            try:
                view = array.view(to)
                view[..., :1] = module.ones((), to)
                described = view.shape, view.strides, numpy.asarray(view).tobytes()
                return described, numpy.asarray(array[..., ::-1]).tobytes(), view.base is not None
            except Exception as error:
                return type(error), str(error)

        for order in "CF":
            assert seen(fastnp, order) == seen(numpy, order), (shape, order)
