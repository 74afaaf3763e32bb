"""Native functions whose calls on few elements, and on NumPy's arrays, run in NumPy."""

from __future__ import annotations

from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fallback.registry import NATIVE, native

FEW = 10


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[str]]:
    """A function, and who ran it: NumPy's `original`, or the native version."""
    ran: list[str] = []

    def original(*args: Any, **kwargs: Any) -> Any:
        ran.append("numpy")
        return args[0]

    @native(original, few=FEW)
    def function(*args: Any, **kwargs: Any) -> Any:
        ran.append("native")
        return args[0]

    return NATIVE.pop(original), ran


def test_who_runs(runs: tuple[Any, list[str]]) -> None:
    function, ran = runs

    def runner(*args: Any, **kwargs: Any) -> str:
        ran.clear()
        function(*args, **kwargs)
        (found,) = ran
        return found

    few, many = fastnp.ones(FEW), fastnp.ones(FEW + 1)
    assert runner(few) == runner(few, (few, 1), name=few) == "numpy"
    assert runner(many) == runner(few, (few, many)) == runner(few, name=many) == "native"
    # NumPy's arrays of any size, but not beside many elements of ours.
    assert runner(numpy.ones(1000)) == runner([numpy.ones(1000)]) == "numpy"
    assert runner(numpy.ones(1000), many) == "native"
    # Without arrays integers are extents.
    assert runner(FEW) == runner((2, FEW // 2), 1.5, "text", None) == "numpy"
    assert runner(FEW + 1) == runner((2, FEW)) == runner(2**70) == "native"
    assert runner([1] * 65) == "native"
    # Functions and objects of other classes are the native version's.
    assert runner(lambda: None, few) == runner([object()]) == runner({}) == "native"
    nested: list[Any] = [few]
    nested.append(nested)
    assert runner(nested) == "native"
    with fastnp.settings(tiny=0):
        assert runner(few) == runner(FEW) == "native"


def test_pending_elements_are_not_computed_for_numpy(runs: tuple[Any, list[str]]) -> None:
    function, ran = runs
    with fastnp.settings(tiny=0):
        pending = fastnp.ones(FEW) + 1
    function(pending)
    assert ran == ["native"]
    fastnp.eval(pending)
    function(pending)
    assert ran == ["native", "numpy"]


def test_an_array_that_is_returned_is_the_argument(runs: tuple[Any, list[str]]) -> None:
    function, ran = runs
    x = fastnp.ones(3)
    assert function(x) is x
    assert ran == ["numpy"]


def test_few_elements_are_no_fallback() -> None:
    x = fastnp.arange(6.0)
    before = fastnp.stats()["fallbacks"]
    with fastnp.strict():
        y = fastnp.tile(x, 2)
    assert type(y) is fastnp.ndarray
    assert y.tolist() == [*x.tolist(), *x.tolist()]
    assert fastnp.stats()["fallbacks"] == before


def test_writes_reach_the_argument() -> None:
    x = fastnp.zeros((3, 3))
    view = x[1:]
    fastnp.fill_diagonal(x, 2.0)
    assert view.tolist() == [[0, 2, 0], [0, 0, 2]]


@pytest.mark.parametrize("name", ["add", "sqrt", "sin", "less", "hypot"])
@pytest.mark.parametrize("n", [1, 32, 33, 1024, 1025])
def test_ufuncs_of_numpys_arrays(name: str, n: int) -> None:
    x = numpy.linspace(0.5, 4, n)
    args = [x, x[::-1]][: getattr(numpy, name).nin]
    made = getattr(fastnp, name)(*args)
    assert type(made) is fastnp.ndarray
    numpy.testing.assert_allclose(numpy.asarray(made), getattr(numpy, name)(*args), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16", "?", "M8[D]", "O"])
def test_few_elements_of_every_type(dtype: str) -> None:
    x = numpy.arange(5).astype(dtype)
    for function in (numpy.tile, numpy.repeat):
        made = getattr(fastnp, function.__name__)(fastnp.asarray(x), 2)
        want = function(x, 2)
        assert made.dtype == want.dtype
        assert made.tolist() == want.tolist()


def test_short_lists_with_floats_are_numpys(runs: tuple[Any, list[str]]) -> None:
    function, ran = runs
    before = fastnp.stats()["fallbacks"]
    for data in ([1.0, 2.0], [1, 2.5], [(0.5, 1.0)] * 9, (1.5,) * 64):
        function(data)
    function([1.0], 64)
    assert ran == ["numpy"] * 5
    ran.clear()
    function([1.0], 65)
    function([1.0] * 65)
    function((100, 2))
    function([1.0, fastnp.ones(FEW + 1)])
    assert ran == ["native"] * 4
    assert fastnp.stats()["fallbacks"] == before
