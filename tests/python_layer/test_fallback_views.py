"""The views that NumPy gets for the time of a call: what keeps one has the array's memory, and one
that nothing keeps serves again.
"""

from __future__ import annotations

import gc
import inspect
import sys
import weakref
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fallback.call import function_of

# The stubs give NumPy's types, which say less than is tested here.
np: Any = fastnp


def run(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as NumPy's are run: on views of arrays of ours."""
    return function_of(function, None)


@pytest.mark.parametrize("n", [3, 100_000])
def test_a_view_that_is_kept_has_the_memory(n: int) -> None:
    x = np.zeros(n)
    kept: list[Any] = []
    run(kept.append)(x)
    (view,) = kept
    assert type(view) is numpy.ndarray
    view[0] = 1.0
    x[1] = 2.0
    x += 1.0
    assert x[:3].tolist() == view[:3].tolist() == [2, 3, 1]
    del x
    gc.collect()
    others = [np.full(n, 9.0) for _ in range(4)]
    assert view[:3].tolist() == [2, 3, 1]
    assert others[0][0] == 9


def test_what_keeps_a_view_may_be_a_view() -> None:
    x = np.arange(4.0)
    kept: list[Any] = []
    run(lambda view: kept.append(view[1:]))(x)
    x *= 10.0
    assert kept[0].tolist() == [10, 20, 30]
    kept[0][0] = 7.0
    assert x.tolist() == [0, 7, 20, 30]


def test_a_view_of_an_argument_is_a_view_of_the_array() -> None:
    x = np.arange(6.0)
    made = run(lambda view: view.reshape(2, 3)[:, ::2])(x)
    assert type(made) is np.ndarray
    assert made.base is x
    x += 1.0
    assert made.tolist() == [[1, 3], [4, 6]]
    made[...] = 0.0
    assert x.tolist() == [0, 2, 0, 0, 5, 0]


def test_an_argument_that_is_returned_is_the_array() -> None:
    x, y = np.arange(3.0), np.arange(4.0)
    assert run(lambda view: view)(x) is x
    made = run(lambda *views: views)(x, y, x)
    assert made[0] is x
    assert made[1] is y
    assert made[2] is x
    assert run(lambda views: views)([x, y])[1] is y


def test_views_serve_again_as_they_are_needed() -> None:
    def report(view: Any) -> tuple[Any, ...]:
        return view.shape, view.strides, str(view.dtype), view.flags.num, view.tolist()

    arrays = [
        np.arange(6.0),
        np.arange(6, dtype="i2").reshape(2, 3),
        np.arange(6.0).reshape(2, 3).T,
        np.float32(2.0) * np.ones((1, 2, 3), "f4"),
        np.array(5.0),
        np.zeros((0, 3)),
        np.arange(8)[::-2],
        np.broadcast_to(np.arange(3), (2, 3)),
        np.zeros((1, 2, 1, 2, 1, 2)),
    ]
    for x in arrays * 3:
        shape, strides, dtype, _, values = run(report)(x)
        assert (shape, strides, dtype, values) == (x.shape, x.strides, str(x.dtype), x.tolist())
        assert run(lambda view: (view.flags.c_contiguous, view.flags.f_contiguous))(x) == (
            x.flags.c_contiguous,
            x.flags.f_contiguous,
        )
        assert run(lambda view: view.flags.writeable)(x) == x.flags.writeable


def test_a_view_that_was_changed_does_not_serve_again() -> None:
    def change(view: Any) -> None:
        view.shape = (2, 2)
        view.setflags(write=False)

    def cast(view: Any) -> None:
        view.dtype = "i8"

    for _ in range(3):
        for function in (change, cast):
            x = np.zeros(4)
            run(function)(x)
            assert x.shape == (4,)
            assert x.dtype == float
            x[0] = 1.0
            assert run(lambda view: view.sum())(x) == 1
    y = np.ones((2, 2), "f4")
    assert run(lambda view: (view.shape, str(view.dtype)))(y) == ((2, 2), "float32")


def test_weak_references_and_buffers_of_a_view_are_not_those_of_the_next() -> None:
    references: list[Any] = []
    buffers: list[Any] = []

    def keep(view: Any) -> None:
        references.append(weakref.ref(view))
        buffers.append(memoryview(view))

    for i in range(3):
        run(keep)(np.full(3, float(i)))
    assert [buffer.tolist() for buffer in buffers] == [[i] * 3 for i in range(3)]
    for buffer in buffers:
        buffer.release()
    buffers.clear()
    run(lambda view: references.append(weakref.ref(view)))(np.ones(3))
    gc.collect()
    assert [reference() for reference in references] == [None] * 4


def test_an_error_keeps_the_memory_of_its_views() -> None:
    def fail(view: Any) -> None:
        raise KeyError(view.size)

    x = np.arange(3.0)
    with pytest.raises(KeyError) as error:
        run(fail)(x)
    view = error.traceback[-1].frame.f_locals["view"]
    del x
    np.full(3, 9.0)
    assert view.tolist() == [0, 1, 2]


def test_calls_within_calls() -> None:
    x = np.arange(3.0)

    def twice(view: Any) -> Any:
        assert np.sort(x).tolist() == [0, 1, 2]
        np.put(x, [0], 5.0)
        return view * 2.0

    assert run(twice)(x).tolist() == [10, 2, 4]
    assert x.tolist() == [5, 1, 2]


def test_elements_of_object_arrays_are_the_arrays() -> None:
    x, y = np.arange(3.0), np.arange(2.0)

    def hold(*views: Any) -> Any:
        made = numpy.empty(len(views), object)
        made[:] = views
        return made

    made = run(hold)(x, y)
    assert made[0] is x
    assert made[1] is y


def test_what_a_list_holds() -> None:
    x = np.arange(3.0)
    given = [x, (x, [1, x]), "text"]
    got = run(lambda value: [type(value[0]), type(value[1][0]), type(value[1][1][1]), value[2]])(
        given
    )
    assert got == [numpy.ndarray] * 3 + ["text"]
    assert given[0] is x
    plain = [1.0, (2, "three")]
    assert run(lambda value: value is plain)(plain)
    endless: list[Any] = [x]
    endless.append(endless)
    assert run(len)(endless) == 2


def test_a_foreign_ufunc_is_counted_at_the_users_line() -> None:
    def double(value: float) -> float:
        return 2 * value

    ufunc = numpy.frompyfunc(double, 1, 1)
    np.reset_stats()
    x = np.arange(3.0)
    got = ufunc(x)
    assert got.tolist() == [0, 2, 4]
    (record,) = np.fallbacks()
    assert record.count == 1
    line = inspect.currentframe().f_lineno - 4  # type: ignore[union-attr]
    assert list(record.sites) == [f"{__file__}:{line}"]
    out = numpy.empty(3, object)
    assert ufunc(x, out=out) is out
    with np.strict(), pytest.raises(np.FallbackError, match="double"):
        ufunc(x)


def test_classes_with_their_own_version_are_asked() -> None:
    class Own:
        def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return func.__name__

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            return ufunc.__name__

    x = np.arange(3.0)
    assert np.searchsorted(x, Own()) == "searchsorted"
    assert np.lexsort((x, Own())) == "lexsort"
    assert np.ldexp(x, Own()) == "ldexp"
    assert np.add.outer(x, Own()) == "add"


def test_errors_of_functions_in_c_are_numpys() -> None:
    x = np.arange(3)
    calls: list[Callable[[Any, Any], Any]] = [
        lambda m, a: m.bincount(),
        lambda m, a: m.bincount(a, minlengths=3),
        lambda m, a: m.lexsort(),
        lambda m, a: m.ravel_multi_index(a),
        lambda m, a: m.packbits(a * 1.5),
        lambda m, a: m.searchsorted(a),
        lambda m, a: m.sort(a, axes=1),
    ]
    for call in calls:
        with pytest.raises(TypeError) as expected:
            call(numpy, numpy.arange(3))
        with pytest.raises(TypeError) as found:
            call(np, x)
        assert str(found.value) == str(expected.value)


def test_calls_leave_no_references() -> None:
    x, y = np.arange(3), np.arange(3)
    before = sys.getrefcount(x)
    for _ in range(3):
        np.testing.assert_equal(x, y)
        np.sort(x)
        np.lexsort((x, y))
        x.argsort()
    assert sys.getrefcount(x) == before
