"""Every public name of NumPy's resolves to an object of the right kind, which is cached."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fastnp import UFUNCS

# The stubs give NumPy's types, which say less than is tested here.
np: Any = fastnp

MODULES = [
    "linalg",
    "fft",
    "random",
    "polynomial",
    "polynomial.chebyshev",
    "ma",
    "testing",
    "char",
    "strings",
    "rec",
    "exceptions",
    "dtypes",
    "ctypeslib",
    "typing",
    "lib",
    "lib.stride_tricks",
    "lib.scimath",
    "lib.array_utils",
    "lib.format",
    "lib.recfunctions",
    "_core",
    "_core.umath",
    "_core.numeric",
    "_core.multiarray",
    "_core._multiarray_umath",
    "_core.fromnumeric",
    "lib._function_base_impl",
    "testing._private.utils",
]


@pytest.mark.parametrize("name", sorted(numpy.__all__))
def test_every_name(name: str) -> None:
    ours = getattr(np, name)
    assert getattr(np, name) is ours
    assert name in vars(np)
    original = getattr(numpy, name)
    if isinstance(original, type) and issubclass(original, (numpy.generic, Exception)):
        assert ours is original


@pytest.mark.parametrize("name", MODULES)
def test_every_module(name: str) -> None:
    module = importlib.import_module(f"fastnp.{name}")
    original = importlib.import_module(f"numpy.{name}")
    for public in getattr(original, "__all__", dir(original)):
        getattr(module, public)
    assert set(dir(original)) <= set(dir(module))


def test_imports() -> None:
    from fastnp.lib.stride_tricks import as_strided, sliding_window_view
    from fastnp.linalg import norm

    assert norm is np.linalg.norm
    assert as_strided is np.lib.stride_tricks.as_strided
    assert type(sliding_window_view(np.arange(5), 2)) is np.ndarray
    assert np.emath.sqrt(-1) == 1j
    names: dict[str, object] = {}
    exec("from fastnp import *", names)
    assert names["sin"] is np.sin
    assert "eval" not in names
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("fastnp.nothing")
    with pytest.raises(AttributeError, match="module 'fastnp' has no attribute 'nothing'"):
        np.nothing
    with pytest.raises(AttributeError, match=r"fastnp\.linalg"):
        np.linalg.nothing


def test_names_that_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        with pytest.raises(
            AttributeError, match="module 'fastnp' has no attribute 'comes_later'"
        ) as raised:
            np.comes_later
        assert raised.value.name == "comes_later"
    monkeypatch.setattr(numpy, "comes_later", 5, raising=False)
    assert np.comes_later == 5
    del np.comes_later


def test_aliases_are_one_thing() -> None:
    assert np.abs is np.absolute is UFUNCS["absolute"]
    assert np.mod is np.remainder
    assert np.conj is np.conjugate
    assert np.degrees is UFUNCS["degrees"]
    assert np.acos is np.arccos
    assert np._core.umath.add is np.add
    assert np._core.multiarray.ndarray is np.ndarray
    assert np._core.numeric.where is np.where
    assert np._core.fromnumeric.sum is np.sum


def test_ufuncs_of_numpys() -> None:
    assert isinstance(np.add, np.ufunc)
    assert isinstance(np.ldexp, np.ufunc)
    assert np.ldexp.nin == 2
    assert type(np.ldexp(np.ones(2), 1)) is np.ndarray
    assert pickle.loads(pickle.dumps(np.ldexp)) is np.ldexp
    assert np.float_power.reduce(np.array([2.0, 3.0])) == 8.0


def test_pickle_of_functions_and_arrays() -> None:
    for function in (np.sum, np.sort, np.linalg.svd, np.linalg.norm, np.fft.fft):
        assert pickle.loads(pickle.dumps(function)) is function
    x = np.arange(6.0).reshape(2, 3)
    for protocol in range(6):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert type(y) is np.ndarray
        assert y.tolist() == x.tolist()
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert pickle.loads(data, buffers=buffers).tolist() == x.tolist()


def test_grids() -> None:
    assert type(np.r_[0:3, np.arange(2)]) is np.ndarray
    assert np.c_[np.arange(2), np.arange(2)].shape == (2, 2)
    assert type(np.mgrid[0:2, 0:3]) is np.ndarray
    assert [type(part) for part in np.ogrid[0:2, 0:3]] == [np.ndarray, np.ndarray]
    assert np.s_[1:2] == slice(1, 2)
    rows, columns = np.ix_([0, 1], [2])
    assert type(rows) is type(columns) is np.ndarray


def test_classes() -> None:
    x = np.arange(3.0)
    assert type(np.vectorize(lambda v: v + 1)(x)) is np.ndarray
    assert isinstance(np.vectorize(abs), numpy.vectorize)
    assert type(np.poly1d([1, 2])(x)) is np.ndarray
    assert isinstance(np.polydiv(np.poly1d([1, 2]), 2.0)[0], np.poly1d)
    assert [index for index, _ in np.ndenumerate(x)] == [(0,), (1,), (2,)]
    with np.nditer([x], op_flags=[["readwrite"]]) as it:
        for value in it:
            value[...] = 2 * value
    assert x.tolist() == [0, 2, 4]
    assert np.broadcast(x, x[:, None]).shape == (3, 3)
    assert np.finfo(np.float32) is not None
    assert isinstance(np.matrix([[1]]), np.ndarray)
    assert not isinstance([1], np.ndarray)


def test_random() -> None:
    ours, theirs = np.random.default_rng(3), numpy.random.default_rng(3)
    got = ours.normal(size=4)
    assert type(got) is np.ndarray
    assert got.tolist() == theirs.normal(size=4).tolist()
    assert isinstance(ours, numpy.random.Generator)
    assert isinstance(ours, np.random.Generator)
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is np.random.Generator
    assert again.random() == theirs.random()
    assert np.random.default_rng(ours) is ours
    assert [type(child) for child in ours.spawn(2)] == [np.random.Generator] * 2
    x = np.arange(9)
    ours.shuffle(x)
    assert sorted(x.tolist()) == list(range(9))
    assert x.tolist() != list(range(9))
    out = np.empty(3)
    assert ours.random(out=out) is out
    assert np.isscalar(ours.choice(2, replace=True))
    items = [np.ones(1), None, 2]
    for shuffle in (ours.shuffle, np.random.shuffle, np.random.RandomState(0).shuffle):
        shuffle(items)
        assert {type(item) for item in items} == {np.ndarray, type(None), int}
    np.random.seed(1)
    numpy.random.seed(1)
    state = np.random.RandomState(1)
    assert np.random.rand(2).tolist() == state.rand(2).tolist()
    state.standard_normal()  # leaves a second normal deviate behind
    again = pickle.loads(pickle.dumps(state))
    assert again.standard_normal() == state.standard_normal()
    assert again.rand() == state.rand()
    state.set_state(np.random.RandomState(5).get_state())
    assert state.rand() == numpy.random.RandomState(5).rand()
    assert not [r for r in np.fallbacks() if "random" in r.name or "shuffle" in r.name]


def test_testing() -> None:
    np.reset_stats()
    x = np.arange(3.0)
    np.testing.assert_allclose(x, [0, 1, 2])
    np.testing.assert_equal(x, x)
    with np.testing.assert_raises(AssertionError):
        np.testing.assert_array_equal(x, x + 1)
    kinds: list[type] = []
    with pytest.raises(AssertionError):
        np.testing.assert_raises(ValueError, lambda v: kinds.append(type(v)), x)
    assert kinds == [np.ndarray]
    assert not np.fallbacks()


def test_numpys_functions_come_back_to_ours() -> None:
    x = np.arange(3.0)
    assert type(numpy.concatenate([x, x])) is np.ndarray
    assert type(numpy.sort(x)) is np.ndarray
    assert type(numpy.add(x, 1.0)) is np.ndarray
    assert numpy.add.reduce(x) == 3.0
    assert type(numpy.ldexp(x, 1)) is np.ndarray

    class Other:
        __array_ufunc__ = None

    with pytest.raises(TypeError):
        numpy.add(x, Other())  # type: ignore[call-overload]


def test_types_are_asked_without_counting() -> None:
    np.reset_stats()
    x = np.ones(2, "f4")
    assert np.result_type(x, 1.0) == np.float32
    assert np.promote_types("f4", "i8") == np.float64
    assert np.array_repr(x) == "array([1., 1.], dtype=float32)"
    assert np.array2string(x) == "[1. 1.]"
    with np.printoptions(precision=1):
        pass
    assert not np.fallbacks()


def test_import_is_lazy() -> None:
    code = (
        "import sys, fastnp;"
        "print([m for m in sys.modules if m in ('numpy.random', 'numpy.testing')])"
    )
    path = __file__.rsplit("/", 1)[0]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["chararray", "core.multiarray", "in1d"])
def test_warnings_of_names_have_the_place_of_their_use(name: str) -> None:
    found = []
    for module in ("numpy", "fastnp"):
        # In a process of its own: a name is looked up once.
        source = f"""
import warnings
import {module} as np
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try: np.{name}
    except AttributeError: pass
print([(w.category.__name__, w.filename, w.lineno) for w in caught])
"""
        done = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, text=True, check=True
        )
        found.append(done.stdout)
    assert found[1] == found[0]
