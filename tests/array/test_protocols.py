"""Protocols of Python and NumPy: conversion without copies, dispatch, pickle, numbers.

`real` is NumPy; `np` is the module under test.
"""

from __future__ import annotations

import array
import copy
import ctypes
import gc
import math
import operator
import pickle
import struct
import sys
import weakref
from typing import Any

import fastnp
import numpy as real
import pytest
from fastnp._fastnp import call_numpy

from tests.compare import assert_same, both

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def pending(dtype: str = "f8") -> Any:
    """An array that is recorded, not yet run, and does not start its storage."""
    return (fastnp.arange(12).astype(dtype).reshape(3, 4) * fastnp.array(1, dtype=dtype))[1:, ::-1]


def expected(dtype: str = "f8") -> real.ndarray:
    """The same in NumPy."""
    return (real.arange(12).astype(dtype).reshape(3, 4) * real.array(1, dtype=dtype))[1:, ::-1]


# --- conversion ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_array_protocol(dtype: str) -> None:
    x = pending(dtype)
    assert type(real.asarray(x)) is real.ndarray
    assert_same(x, expected(dtype))
    assert real.array_equal(real.asarray(x, dtype="c16"), expected(dtype))
    assert not real.shares_memory(real.array(x), real.asarray(x))
    assert real.shares_memory(real.asarray(x), real.asarray(x))
    assert real.array(x, copy=True, dtype=dtype).dtype == real.dtype(dtype)
    assert real.array_equal(x.__array__(), expected(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_buffer_protocol(dtype: str) -> None:
    source: Any = expected(dtype)
    view, theirs = memoryview(pending(dtype)), memoryview(source)
    assert (view.shape, view.strides, view.ndim) == (theirs.shape, theirs.strides, theirs.ndim)
    assert (view.itemsize, view.format) == (theirs.itemsize, theirs.format)
    assert view.tobytes() == theirs.tobytes()
    assert bytes(fastnp.arange(3, dtype=dtype if dtype != "?" else "u1"))


def test_buffer_is_writable_and_shared() -> None:
    x: Any = fastnp.arange(6.0)
    later = x * 2
    view: Any = memoryview(x)
    view[1] = 50.0
    assert_same((later, x), (real.arange(6.0) * 2, real.array([0.0, 50, 2, 3, 4, 5])))
    x[2] = 60
    assert view[2] == 60.0
    x += 1
    assert view[1] == 51.0
    view.release()
    x.flags.writeable = False
    assert memoryview(x).readonly


REQUESTS = {
    "simple": 0,
    "writable": 0x1,
    "format": 0x4,
    "nd": 0x8,
    "strides": 0x18,
    "c": 0x38,
    "f": 0x58,
    "any": 0x98,
    "full": 0x11D,
    "full read-only": 0x11C,
}
ORDERS: dict[str, Any] = {
    "vector": lambda np: np.arange(6.0),
    "rows": lambda np: np.arange(6.0).reshape(2, 3),
    "columns": lambda np: np.arange(6.0).reshape(2, 3).T,
    "strided": lambda np: np.arange(12.0)[::2],
    "no axes": lambda np: np.array(2.0),
    "one row": lambda np: np.arange(6.0).reshape(2, 3)[:1],
    "empty": lambda np: np.zeros((0, 3)),
}


class Buffer(ctypes.Structure):
    """The structure of the buffer protocol."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def requested(x: Any, flags: int) -> Any:
    """What a request for a buffer gives: the fields without the address, or the error."""
    view = Buffer()
    get = ctypes.pythonapi.PyObject_GetBuffer
    try:
        get(ctypes.py_object(x), ctypes.byref(view), ctypes.c_int(flags))
    except (BufferError, ValueError) as error:
        return type(error), str(error)
    axes = [
        [field[i] for i in range(view.ndim)] if field else None
        for field in (view.shape, view.strides)
    ]
    found = view.len, view.itemsize, view.readonly, view.ndim, view.format, axes
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return found


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("request_of", REQUESTS)
def test_requests_for_buffers(order: str, request_of: str) -> None:
    flags = REQUESTS[request_of]
    ours, theirs = ORDERS[order](fastnp), ORDERS[order](real)
    assert requested(ours, flags) == requested(theirs, flags)
    ours.flags.writeable = theirs.flags.writeable = False
    assert requested(ours, flags) == requested(theirs, flags)


def test_flags_and_type_of_a_selection_are_read_without_it() -> None:
    x = fastnp.arange(100_000.0)
    selected = x[x > 3]
    before = fastnp.stats()["flushes"]
    flags: Any = selected.flags
    assert (flags.owndata, flags.writeable, selected.dtype) == (True, True, real.dtype("f8"))
    assert fastnp.stats()["flushes"] == before
    assert not selected[1:].flags.owndata


def test_a_buffer_keeps_the_array_until_it_is_released() -> None:
    x: Any = fastnp.arange(6.0)
    view, gone = memoryview(x), weakref.ref(x)
    assert view.obj is x
    outside: Any = real.asarray(view)
    del x
    outside[0] = 9.0
    assert (view[0], gone() is not None) == (9.0, True)
    back: Any = fastnp.asarray(outside)
    back[1] = 8.0
    assert view[1] == 8.0
    del outside, back
    view.release()
    assert gone() is None


def test_array_interface() -> None:
    x = pending()
    ours, theirs = x.__array_interface__, expected().__array_interface__
    for key in ("shape", "strides", "typestr", "version", "descr"):
        assert ours[key] == theirs[key]
    assert ours["data"][1] is False
    pointer = ctypes.cast(ours["data"][0], ctypes.POINTER(ctypes.c_double))
    assert pointer[0] == float(x[0, 0])

    class Foreign:
        """Something else that owns an array."""

        __array_interface__ = expected().__array_interface__

    assert_same(fastnp.asarray(Foreign()), real.asarray(Foreign()))
    assert_same(fastnp.asarray(array.array("d", [1, 2])), real.array([1.0, 2.0]))
    assert_same(fastnp.frombuffer(b"\x01\x02", dtype="u1"), real.array([1, 2], dtype="u1"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_both_ways(dtype: str) -> None:
    with fastnp.device("cpu"):
        x, source = pending(dtype), expected(dtype).copy()
        assert x.__dlpack_device__() == (1, 0)
        theirs = real.from_dlpack(x)
        assert real.array_equal(theirs, expected(dtype)) and theirs.dtype == real.dtype(dtype)
        ours = fastnp.from_dlpack(source)
        assert_same(ours, source)
        source[0, 0] = not source[0, 0]
        assert_same(ours, source)
        assert isinstance(fastnp.from_dlpack(x), fastnp.ndarray)


def test_memory_shared_with_numpy_is_seen_by_both() -> None:
    source = real.zeros((4, 5))
    ours = fastnp.asarray(source)
    source[1] = 7
    assert float(ours[1, 2]) == 7
    ours[:, 0] = 3
    assert source[2, 0] == 3
    lazy = ours + 1
    source[0, 0] = 100
    assert float(lazy[0, 0]) == 4
    exported = real.asarray(ours[2:])
    ours[2:] *= 2
    assert exported[0, 0] == 6 and source[2, 0] == 6
    exported[1] = -1
    assert float(ours[3].sum()) == -5


def test_what_numpy_made_just_now_is_taken_over() -> None:
    """New results of NumPy become arrays of ours: small ones are copied to aligned memory, large
    ones keep theirs. Those with other references stay NumPy's.
    """

    def place(x: Any) -> int:
        return int(real.asarray(x).__array_interface__["data"][0])

    source = real.asfortranarray(real.arange(600.0).reshape(20, 30))
    odd = real.arange(41, dtype=real.float64)[1:]
    drawn = fastnp.random.default_rng(0).random(999)
    for taken in (fastnp.array(source), fastnp.array(odd), drawn, fastnp.fromiter(range(99), int)):
        assert place(taken) % 64 == 0
        assert taken.flags.owndata and taken.flags.writeable and taken.base is None
    assert fastnp.array(source).strides == source.strides
    assert_same(fastnp.array(source[::2, ::-1]), source[::2, ::-1])
    assert_same(fastnp.array(real.zeros((3, 0, 2))), real.zeros((3, 0, 2)))
    assert_same(fastnp.array(real.array(2, "f4")), real.array(2, "f4"))
    copied = fastnp.array(source)
    copied[0, 0] = -1
    assert source[0, 0] == 0

    kept = real.zeros(5)
    assert call_numpy(lambda: kept, ()) is kept
    assert type(call_numpy(real.zeros, [5])) is fastnp.ndarray
    large = call_numpy(real.zeros, (1 << 18,))
    assert type(large) is fastnp.ndarray and large.base is None and large.flags.owndata
    pair = call_numpy(real.unique_counts, (real.arange(1 << 18),))
    assert isinstance(pair, tuple) and {type(part) for part in pair} == {fastnp.ndarray}
    for function, args in (
        (real.broadcast_to, (kept, (2, 5))),
        (real.frombuffer, (bytes(8),)),
        (real.zeros, (5, "M8[s]")),
    ):
        assert type(call_numpy(function, args)) is real.ndarray


def test_memory_outlives_its_owner() -> None:
    exported = real.asarray(fastnp.arange(1000.0)[10:20] * 2)
    ours = fastnp.asarray(real.arange(1000.0))[10:20]
    gc.collect()
    fastnp.eval(*[fastnp.ones(1000) for _ in range(20)])
    assert_same(ours, real.arange(10.0, 20.0))
    assert exported.tolist() == [2.0 * k for k in range(10, 20)]


@both
def test_flags_strides_and_base(np: Any) -> Any:
    a = np.arange(24.0).reshape(2, 3, 4)
    result = []
    for x in (
        a,
        a.T,
        a[:, ::2],
        a[..., 0],
        a[::-1],
        (a + 1),
        (a.T + 1),
        a.copy("F"),
        np.array(3.0),
    ):
        flags = x.flags
        row = [flags.c_contiguous, flags["F_CONTIGUOUS"], flags.writeable, flags.owndata]
        result.append([row, x.strides, x.nbytes, x.itemsize, x.size, x.ndim, x.base is None])
    return result, a[1:].base is a.base, np.shares_memory(a, a[0]), a.ctypes.data % a.itemsize


# --- copies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickle(dtype: str, protocol: int) -> None:
    back = pickle.loads(pickle.dumps(pending(dtype), protocol))
    assert_same(back, expected(dtype))
    back[...] = 0


def test_pickle_out_of_band() -> None:
    buffers: list[pickle.PickleBuffer] = []
    x = fastnp.arange(5000.0) * 2
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 2000 and len(buffers) == 1
    back = pickle.loads(data, buffers=buffers)
    assert_same(back, real.arange(5000.0) * 2)
    assert fastnp.shares_memory(back, x)


@both
def test_copies(np: Any) -> Any:
    a = np.arange(6.0).reshape(2, 3)
    shallow, deep = copy.copy(a), copy.deepcopy({"a": a.T, "again": a.T})
    a[0] = -1
    deep["a"][0, 0] = 9
    return a, shallow, deep["a"], np.shares_memory(a, shallow), a.copy("F").flags.f_contiguous


def test_weak_references() -> None:
    x = fastnp.arange(3.0)
    seen = weakref.ref(x)
    table = weakref.WeakValueDictionary({"x": x})
    assert seen() is x and "x" in table
    del x
    gc.collect()
    assert seen() is None and "x" not in table


# --- dispatch -----------------------------------------------------------------------------------


def test_numpy_functions_take_our_arrays() -> None:
    x, y = pending(), expected()
    for name in ("sin", "negative", "isnan", "exp"):
        result = getattr(real, name)(x)
        assert_same(result, getattr(real, name)(y), rtol=1e-15)
    for name in ("sum", "mean", "sort", "ravel", "transpose", "cumsum", "median", "diff", "unique"):
        assert_same(getattr(real, name)(x), getattr(real, name)(y), rtol=1e-15)
    assert_same(real.concatenate([x, y]), real.concatenate([y, y]))
    assert_same(real.where(x > 4, x, 0), real.where(y > 4, y, 0))
    assert_same(real.add(y, x), y + y)
    assert_same(y + x, y + y)
    assert_same(real.add.reduce(x, axis=0), real.add.reduce(y, axis=0))
    assert_same(real.linalg.norm(x), real.linalg.norm(y), rtol=1e-15)


def test_numpy_writes_through_out() -> None:
    x, theirs = fastnp.zeros(4), real.zeros(4)
    assert real.add(real.arange(4.0), 1, out=x) is x
    assert_same(x, real.arange(1.0, 5.0))
    assert fastnp.add(fastnp.arange(4.0), 1, out=theirs) is theirs
    assert theirs.tolist() == [1.0, 2.0, 3.0, 4.0]
    real.copyto(x, 7)
    assert_same(x, real.full(4, 7.0))
    theirs += fastnp.ones(4)
    assert isinstance(theirs, (real.ndarray, fastnp.ndarray)) and float(theirs[0]) == 2.0


class Quantity:
    """Another library's class that implements both protocols."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Say what was asked."""
        kinds = [type(x).__name__ for x in inputs]
        return ("ufunc", ufunc.__name__, method, kinds, sorted(kwargs))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Say what was asked."""
        return ("function", func.__name__, sorted(kwargs))


class Refusing:
    """A class that overrides the operation."""

    __array_ufunc__ = None

    def __radd__(self, other: Any) -> str:
        """The reflected operation."""
        return "radd"

    def __rmatmul__(self, other: Any) -> str:
        """The reflected operation."""
        return "rmatmul"


@both
def test_foreign_classes_are_asked(np: Any) -> Any:
    a, q = np.arange(3.0), Quantity()
    return [
        np.add(a, q)[:3],
        (a + q)[:3],
        np.multiply(q, 2),
        np.add(a, 1, out=(q,)),
        np.add.reduce(q),
        np.sum(q, axis=0),
        np.concatenate([a, q]),
        np.linalg.norm(q),
        np.fft.fft(q),
        a + Refusing(),
        a @ Refusing(),
        (a == q)[:3],
    ]


class Bag:
    """Only `__array__`: an array is made of it."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> real.ndarray:
        """Three numbers."""
        return real.arange(3.0)


@both
def test_objects_that_only_convert(np: Any) -> Any:
    a = np.arange(3.0)
    return a + Bag(), np.sin(Bag()), np.asarray(Bag()), a + [1, 2, 3], (1, 2, 3) * a, a * range(3)


@both
def test_subclasses_keep_their_type(np: Any) -> Any:
    class Tagged(np.ndarray):
        """A user's subclass, made by view."""

        tag = "none"

        def __array_finalize__(self, source: Any) -> None:
            self.tag = getattr(source, "tag", "fresh")

    t = np.arange(4.0).view(Tagged)
    t.tag = "mine"
    kinds = [type(x).__name__ for x in (t, t + 1, t[1:], np.sin(t), t.copy(), t.sum())]
    return kinds, (t * 2).tag, t[::2].tag, isinstance(t, np.ndarray), np.asarray(t + 1)


def test_is_an_array_to_numpy() -> None:
    x: Any = fastnp.arange(3.0)
    assert isinstance(x, real.ndarray) or hasattr(x, "__array_function__")
    assert real.shape(x) == (3,) and real.ndim(x) == 1 and real.size(x) == 3
    assert real.result_type(x, "f4") == real.float64
    assert real.iterable(x) and not real.isscalar(x)


# --- numbers and containers ---------------------------------------------------------------------


@both
def test_containers(np: Any) -> Any:
    a = np.arange(6.0).reshape(2, 3)
    row, *rest = a
    x, y = np.array([1, 2])
    pairs = [(int(k), float(v)) for k, v in zip(np.arange(3), a[0])]
    return [
        len(a),
        list(a),
        [float(v) for v in a[0]],
        3.0 in a,
        9 in a,
        row,
        rest,
        (x, y),
        pairs,
        list(reversed(a[0])),
        sorted(np.array([3, 1, 2])),
        max(a[1]),
        sum(a[0]),
        dict(enumerate(np.array([5, 6]))),
        a.tolist(),
        list(a.flat),
        [list(map(int, index)) for index, _ in np.ndenumerate(a)],
        "".join(map(str, np.array([1, 2]))),
        any(np.array([False, True])),
        a.tobytes(),
    ]


@both
def test_numbers(np: Any) -> Any:
    z, n, b = np.array(2.5), np.array([3]), np.array(True)
    i = np.arange(4)
    return [
        float(z),
        int(z),
        complex(z),
        bool(z),
        bool(np.array([0])),
        bool(b),
        operator.index(i[2]),
        operator.index(np.array(3)),
        [10, 20, 30, 40][np.array(1)],
        math.floor(z[()]),
        math.sqrt(z),
        f"{z:.3f}",
        f"{z[()]:8.2f}",
        format(i),
        f"{i[1]:>4}",
        "%.2f" % z,  # noqa: UP031
        "%d" % i[3],  # noqa: UP031
        str(n),
        repr(n),
        repr(z),
        repr(i[1]),
        np.array([1, 2, 3]).tolist()[i[1]],
        z.item(),
        type(i[0]).__name__,
        struct.pack("d", z),
        round(float(z)),
        abs(-z),
        divmod(i, 2),
        pow(i, 2),
        -i,
        +i,
        ~i,
        2**i,
        i // 2,
        7 % (i + 1),
        1 << i,
        i @ i,
        (i > 1) & (i < 3),
        i.__index__ is not None,
    ]


@both
def test_text_of_pending_arrays(np: Any) -> Any:
    a = np.arange(6).reshape(2, 3)
    return (
        repr(a * 2),
        str(a.T),
        f"{a + 0.5}",
        repr(a[a > 2]),
        repr(a.astype("f4")),
        f"{a[:0]!r}",
    )


@both
def test_in_place_operators_return_the_same_object(np: Any) -> Any:
    a = np.arange(4.0)
    b = a
    for action in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"):
        a = getattr(operator, action)(a, 2)
    return a is b, a


class Answering:
    """Answers a call of a ufunc with what it was given as `out`."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ufunc.__name__, method, len(inputs), kwargs["out"][0]


class Important:
    """An operand without `__array_ufunc__` that goes first."""

    __array_priority__ = 1

    def __radd__(self, other: Any) -> Any:
        return "reflected", other


IN_PLACE = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operators_return_what_an_operand_answers(name: str) -> None:
    for np in (fastnp, real):
        x = np.ones((2, 2), int)
        answer = getattr(operator, "i" + name)(x, Answering())
        assert answer[1:3] == ("__call__", 2)
        assert answer[3] is x or name == "matmul"
        assert answer[:1] == getattr(operator, "i" + name)(real.ones((2, 2), int), Answering())[:1]


@both
def test_in_place_operators_leave_it_to_what_is_more_important(np: Any) -> Any:
    x = np.ones(2)
    x += Important()
    results = [x]
    for value in (object(), "text", [1.0], (1.0, 2.0), 3, None):
        y = np.ones(2)
        try:
            y += value
        except TypeError:
            results.append("TypeError")
        else:
            results.append(y)
    return [r if isinstance(r, (str, np.ndarray)) else r[0] for r in results]


@both
def test_attributes_can_be_set(np: Any) -> Any:
    a = np.arange(6.0)
    a.shape = (2, 3)
    b = a.view()
    b.shape = (3, 2)
    c = np.array([1 + 2j, 3])
    c.real = [7, 8]
    c.imag[0] = -1
    a.flat = 5
    a.T[0] = 6
    return a, b, c, a.dtype, np.arange(4, dtype="u1").view("u2")


@both
def test_an_address_that_was_given_away_sees_every_write(np: Any) -> Any:
    a = np.zeros(5_000)
    interface = dict(a.__array_interface__)
    (address, _), size = interface["data"], a.nbytes
    bytes_of = (ctypes.c_double * 5_000).from_address(address)
    a += 2.0
    a[3] = 7.0
    first = list(bytes_of[:5])
    bytes_of[0] = -1.0
    return first, a * 2, size


@both
def test_writes_to_elements_that_share_memory_keep_their_order(np: Any) -> Any:
    def rows() -> Any:
        base = np.arange(4_000.0)
        return base, np.lib.stride_tricks.as_strided(base, (50, 1_500), (8, 8))

    results = []
    base, shared = rows()
    shared[...] = np.arange(75_000.0).reshape(50, 1_500)
    results.append(base)
    base, shared = rows()
    np.negative(np.arange(75_000.0).reshape(50, 1_500), out=shared)
    results.append(base)
    base, shared = rows()
    shared += np.arange(1_500.0)
    results.append(base)
    return results


def test_base_of_an_array_on_a_buffer_is_the_buffer() -> None:
    text, memory = bytes(16), bytearray(16)
    bases: list[Any] = [x.base for x in (fastnp.frombuffer(text), fastnp.frombuffer(memory))]
    assert bases[0] is text and type(bases[1]) is memoryview
    made: Any = fastnp.ndarray((2,), "f8", memory)
    assert made.base is memory
    whole = fastnp.frombuffer(memory)
    assert whole[1:].base is whole


def test_an_array_on_bytes_keeps_them_and_is_read_only() -> None:
    text = real.arange(6.0).tobytes()
    before = sys.getrefcount(text)
    x: Any = fastnp.frombuffer(text, count=4, offset=16)
    assert x.base is text and type(x) is fastnp.ndarray
    assert sys.getrefcount(text) == before + 1
    assert not x.flags.owndata and not x.flags.writeable and x.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True of this array"):
        x.flags.writeable = True
    later = x * 2 + 1
    view = real.asarray(x)
    assert view.__array_interface__["data"] == (real.frombuffer(text).ctypes.data + 16, True)
    del x, view
    assert later.tolist() == [5.0, 7.0, 9.0, 11.0]
    del later
    assert sys.getrefcount(text) == before

    class Text(bytes):
        """Bytes of a class of their own."""

    assert fastnp.frombuffer(b"").strides == real.frombuffer(b"").strides
    own = Text(text)
    on_own: Any = fastnp.frombuffer(own)
    assert on_own.base is own
    for dtype, offset in (("i4", 2), (">i4", 0), ("S4", 0), ("M8[s]", 8)):  # not native
        want = real.frombuffer(text, dtype, 2, offset)
        got: Any = fastnp.frombuffer(text, dtype, 2, offset)
        assert type(got) is real.ndarray and got.base is text
        assert got.dtype == want.dtype and got.tobytes() == want.tobytes()
