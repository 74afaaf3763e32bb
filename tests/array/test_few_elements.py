"""Functions that the extension runs on few elements: the same arrays and errors as NumPy's."""

from __future__ import annotations

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
            (repr(numpy.asarray(x)), x.dtype, x.shape, x.strides, x.flags.writeable) for x in parts
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
