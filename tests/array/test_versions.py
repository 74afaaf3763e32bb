"""What differs from one version of NumPy to the next: ours is what the installed one does.

Each test compares with NumPy, so it holds under every version; none asks which one it is.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fallback.registry import NATIVE, native

Program = Callable[[Any], Any]


def outcome(program: Program, np: Any) -> tuple[Any, list[tuple[type, str]]]:
    """What a program returns or raises, with what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = program(np)
        except Exception as error:
            result = type(error), str(error)
        fastnp.flush()
    return result, [(w.category, str(w.message)) for w in caught]


def assert_alike(program: Program) -> None:
    """Results, errors and warnings are NumPy's."""
    assert outcome(program, fastnp) == outcome(program, numpy)


def shown(x: Any) -> Any:
    """A result in a form that compares."""
    return type(x).__name__, x.dtype.str, x.shape, x.tolist()


# --- patterns, containers, sizes ------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 2), (0,)])
def test_patterns_of_sequences(shape: tuple[int, ...]) -> None:
    """From NumPy 2.5 on arrays match patterns in brackets."""

    def matched(np: Any) -> Any:
        match np.ones(shape):
            case []:
                return "empty"
            case [a, b]:
                return shown(np.asarray(a)), shown(np.asarray(b))
            case [first, *rest]:
                return float(first), len(rest)
            case _:
                return "no sequence"

    assert_alike(matched)


def test_arrays_are_no_registered_sequences() -> None:
    from collections.abc import Sequence

    assert issubclass(fastnp.ndarray, Sequence) == issubclass(numpy.ndarray, Sequence)
    assert not issubclass(fastnp.ndarray, list)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_what_meshgrid_returns(sparse: bool, copy: bool, indexing: str) -> None:
    """A list where it neither broadcasts nor copies; a tuple from NumPy 2.5 on."""

    def program(np: Any) -> Any:
        grids = np.meshgrid(np.arange(2), np.arange(3), sparse=sparse, copy=copy, indexing=indexing)
        return type(grids), [shown(grid) for grid in grids]

    assert_alike(program)


@pytest.mark.parametrize("make", ["ones", "zeros", "empty", "arange"])
def test_sizes_of_objects(make: str) -> None:
    """`sys.getsizeof` counts as NumPy's does: memory that the array owns, nothing for a view."""
    programs: list[Program] = [
        lambda np: getattr(np, make)(1000),
        lambda np: getattr(np, make)(1000)[::2],
        lambda np: getattr(np, make)(1000).reshape(10, 100),
        lambda np: getattr(np, make)(1000) + 1,
        lambda np: getattr(np, make)(1000).reshape(10, 100).T,
        lambda np: getattr(np, make)(10).view("u1"),
        lambda np: np.broadcast_to(getattr(np, make)(1), (1000,)),
        lambda np: getattr(np, make)(6).reshape(2, 3).copy(),
        lambda np: getattr(np, make)(1000)[np.arange(1000) >= 10],
    ]
    for program in programs:
        assert sys.getsizeof(program(fastnp)) == sys.getsizeof(program(numpy))
    size: Any = fastnp.ones(2).__sizeof__
    with pytest.raises(TypeError):
        size("a")


# --- out= and other arguments ---------------------------------------------------------------------

METHODS = "sum prod min max any all mean std var cumsum cumprod argmin argmax round".split()


@pytest.mark.parametrize("name", METHODS)
def test_out_that_is_no_array(name: str) -> None:
    """`...` and tuples as `out=` of methods and of functions are NumPy's errors, in its words."""

    def check(out: Any) -> None:
        assert_alike(lambda np: shown(getattr(np.arange(4.0), name)(out=out)))
        assert_alike(lambda np: shown(getattr(np, name)(np.arange(4.0), out=out)))

    for out in (..., (), (...,), [1.0], 3.0):
        check(out)
    kind = "f8" if name not in ("any", "all", "argmin", "argmax") else "?"
    kind = "i8" if name.startswith("arg") else kind
    shape = 4 if name in ("cumsum", "cumprod", "round") else ()
    assert_alike(
        lambda np: shown(getattr(np.arange(4.0), name)(out=(np.zeros(shape, kind),))),
    )
    assert_alike(lambda np: shown(getattr(np.arange(4.0), name)(out=np.zeros(shape, kind))))


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_out_of_a_ufuncs_methods(method: str) -> None:
    shape = () if method == "reduce" else (4,)

    def check(make: Program) -> None:
        assert_alike(lambda np: shown(getattr(np.add, method)(np.arange(4.0), out=make(np))))
        assert_alike(lambda np: shown(getattr(np.add, method)(np.arange(4.0), 0, None, make(np))))

    check(lambda np: ...)
    check(lambda np: (...,))
    check(lambda np: np.zeros(shape))
    check(lambda np: (np.zeros(shape),))


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "add"])
def test_out_by_position(name: str) -> None:
    """Deprecated for `maximum` and `minimum` from NumPy 2.4 on: they look as if they took three."""
    programs: list[Program] = [
        lambda np: shown(getattr(np, name)(np.arange(3.0), np.ones(3), np.zeros(3))),
        lambda np: shown(getattr(np, name)(np.arange(3.0), np.ones(3), None)),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, np.zeros(3, "f4"))),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, np.zeros(2))),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, (np.zeros(3),))),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, ...)),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, np.zeros(3), out=np.zeros(3))),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, np.zeros(3), where=np.ones(3, "?"))),
        lambda np: shown(getattr(np, name)(np.arange(3.0), 1, np.zeros(3), np.zeros(3))),
    ]
    for program in programs:
        assert_alike(program)


def test_a_warning_that_is_an_error_comes_before_the_write() -> None:
    def program(np: Any) -> Any:
        out = np.zeros(3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                np.maximum(np.ones(3), 0, out)
            except DeprecationWarning:
                return "refused", out.tolist()
        return "written", out.tolist()

    assert_alike(program)


def test_a_mask_without_out() -> None:
    """The text of the warning was mended in NumPy 2.5."""
    assert_alike(lambda np: np.add(np.ones(3), 1, where=np.ones(3, "?")).tolist())
    assert_alike(lambda np: np.sqrt(np.ones(3), where=np.ones(3, "?")).tolist())
    assert_alike(lambda np: np.add(np.ones(3), 1, out=None, where=np.ones(3, "?")).tolist())


def test_fix() -> None:
    """Deprecated from NumPy 2.5 on."""
    assert_alike(lambda np: shown(np.fix(np.array([1.5, -1.5]))))
    assert_alike(lambda np: shown(np.fix(np.array([1.5, -1.5]), np.zeros(2))))
    assert_alike(lambda np: np.fix(2.5))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fastnp.fix(fastnp.ones(2))
    assert all(w.filename == __file__ for w in caught)


def test_wrong_arguments() -> None:
    assert_alike(lambda np: np.from_dlpack())
    assert_alike(lambda np: np.from_dlpack(3, 4))
    assert_alike(lambda np: np.from_dlpack(object()))
    assert_alike(lambda np: np.from_dlpack([1]))
    assert_alike(lambda np: np.rot90(np.ones((2, 2)), 2.25).tolist())
    assert_alike(lambda np: np.rot90(np.ones((2, 2)), 1.0).tolist())
    assert_alike(lambda np: np.reshape(np.ones(4), newshape=(2, 2)).tolist())
    assert_alike(lambda np: np.corrcoef(np.eye(2), None, True, 1).tolist())
    assert_alike(lambda np: hash(np.ones(2)))
    assert_alike(lambda np: {np.ones(2)})
    assert_alike(lambda np: {np.ones(2): 1})


@pytest.mark.parametrize(
    ("name", "value"), [("shape", (3, 2)), ("strides", (8, 16)), ("dtype", "i8"), ("shape", 5)]
)
def test_setting_attributes(name: str, value: Any) -> None:
    """Deprecated one after the other in NumPy 2.4 and 2.5."""

    def program(np: Any) -> Any:
        x = np.arange(6.0).reshape(2, 3)
        setattr(x, name, value)
        return shown(x)

    assert_alike(program)


def test_resizing_in_place() -> None:
    def program(np: Any) -> Any:
        x = np.arange(3.0)
        x.resize(5, refcheck=False)
        return shown(x)

    assert_alike(program)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is of Python 3.12")
def test_buffers_of_any_flags() -> None:
    def program(np: Any) -> Any:
        x = np.arange(6, dtype="i4").reshape(2, 3)
        views = [x.__buffer__(flags) for flags in (0, 0x1, 0x18, 0x100, 0x200, 0x11C)]
        return [(v.tobytes(), v.readonly, v.ndim, v.format) for v in views]

    assert_alike(program)


# --- promotion ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [3, 300, -1, 3.0, True, 1j])
@pytest.mark.parametrize("dtype", ["i1", "u1", "f4", "f8"])
def test_numbers_in_outer_and_at(dtype: str, number: Any) -> None:
    """Python's numbers have their own type here, and that of the array from NumPy 2.6 on."""

    def at(np: Any) -> Any:
        x = np.zeros(3, dtype)
        np.add.at(x, [0, 0, 2], number)
        return shown(x)

    assert_alike(at)
    assert_alike(lambda np: shown(np.add.outer(np.arange(2, dtype=dtype), number)))
    assert_alike(lambda np: shown(np.add.outer(number, np.arange(2, dtype=dtype))))
    assert_alike(lambda np: shown(np.add.outer(np.arange(2, dtype=dtype), [number])))


def test_reductions_of_two_results() -> None:
    assert_alike(lambda np: np.divmod.reduce(np.ones(3)))


# --- names that NumPy adds ------------------------------------------------------------------------


def test_a_new_function_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `top_k` of NumPy 2.6 will."""

    def newest(a: Any, k: int, /, *, largest: bool = True) -> tuple[Any, Any]:
        assert type(a) is numpy.ndarray
        order = numpy.argsort(a)[-k:] if largest else numpy.argsort(a)[:k]
        return a[order], order

    newest.__module__ = "numpy"
    monkeypatch.setattr(numpy, "newest", newest, raising=False)
    try:
        np: Any = fastnp
        values, order = np.newest(np.array([3.0, 1.0, 2.0]), 2)
        assert type(values) is type(order) is fastnp.ndarray
        assert (values.tolist(), order.tolist()) == ([2.0, 3.0], [2, 0])
    finally:
        vars(fastnp).pop("newest", None)


def test_a_new_keyword_falls_back() -> None:
    def newer(a: Any, axis: Any = None, *, fresh: int = 0) -> Any:
        assert type(a) is numpy.ndarray
        return a.sum(axis) + fresh

    newer.__module__ = "numpy"
    asked = []

    @native(newer)
    def ours(a: Any, axis: Any = None) -> Any:
        asked.append(axis)
        return a.sum(axis)

    try:
        x = fastnp.arange(4.0)
        assert NATIVE[newer](x, axis=0) == 6.0
        assert asked == [0]
        assert NATIVE[newer](x, 0, fresh=2) == 8.0
        assert asked == [0]
        with pytest.raises(TypeError):
            NATIVE[newer](x, wrong=1)
    finally:
        del NATIVE[newer]


def test_new_keywords_of_methods_are_numpys_to_judge() -> None:
    """As `partition(descending=)` of NumPy 2.6."""
    assert_alike(lambda np: np.arange(3.0).partition(1, unheard_of=True))
    assert_alike(lambda np: np.arange(3.0).sum(unheard_of=True))
    assert_alike(lambda np: np.partition(np.arange(3.0), 1, unheard_of=True))
    assert_alike(lambda np: shown(np.sort(np.arange(3.0), descending=True)))
