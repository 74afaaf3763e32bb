"""Memory that code outside the engine can write: whose it is, and how long.

What a user handed in is shared for good. What a call of NumPy's returned is private, if nothing
else references it. Operations recorded before a write from outside must not see that write.
"""

from __future__ import annotations

import ctypes
import gc
import pickle
import weakref
from typing import Any

import fastnp
import numpy
import pytest

LONG = 200_000  # elements whose operations are recorded, not run eagerly


def is_deferred(x: Any) -> bool:
    """Whether an operation on `x` is recorded instead of run."""
    fastnp.flush()
    y = x * 2
    pending = fastnp.explain().startswith("pending")
    assert len(y) == len(x)
    return bool(pending)


def test_an_address_kept_by_a_library_is_shared_for_good() -> None:
    buffer = numpy.full(LONG, 1.0)
    address = buffer.ctypes.data
    x = fastnp.asarray(buffer)
    del buffer
    gc.collect()
    frame = x * 2
    (ctypes.c_double * LONG).from_address(address)[0] = 7.0
    assert float(frame[0]) == 2.0
    assert not is_deferred(x)


@pytest.mark.parametrize("write", ["values", "positions"])
def test_a_weak_reference_reaches_the_memory(write: str) -> None:
    if write == "values":
        cache: Any = weakref.WeakValueDictionary()
        cache["k"] = raw = numpy.ones(LONG)
        x = fastnp.asarray(raw)
        del raw
        y = x * 2
        cache["k"][:] = 100.0
        assert float(y[0]) == 2.0
        return
    positions = numpy.zeros(LONG, dtype=numpy.int64)
    reference = weakref.ref(positions)
    index = fastnp.asarray(positions)
    del positions
    taken = fastnp.arange(100.0)[index]
    reference()[:] = 1 << 34  # type: ignore[index]
    assert float(taken.sum()) == 0.0


def test_memory_without_an_owner_is_shared() -> None:
    """An array that a C extension made on its own buffer has no base and does not own its data."""
    api = numpy._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(api, None), ctypes.POINTER(ctypes.c_void_p))
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_ssize_t),
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_void_p,
    )(table[93])  # PyArray_New
    buffer = (ctypes.c_double * LONG)(*([1.0] * LONG))
    shape = (ctypes.c_ssize_t * 1)(LONG)
    array = make(id(numpy.ndarray), 1, shape, 12, None, ctypes.addressof(buffer), 0, 0x0401, None)
    assert array.base is None and not array.flags.owndata
    x = fastnp.asarray(array)
    del array
    y = x * 2
    buffer[0] = 100.0
    assert float(y[0]) == 2.0


def test_numpy_does_not_resize_what_is_imported() -> None:
    arrays = [numpy.arange(10)]
    x = fastnp.asarray(arrays[0])
    with pytest.raises(ValueError, match="cannot resize an array that references or is referenced"):
        arrays.pop().resize(10**6)
    assert x[:3].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: fastnp.random.default_rng(1).random(LONG),
        lambda: fastnp.sort(fastnp.arange(float(LONG))[::-1]),
        lambda: fastnp.unique(fastnp.arange(float(LONG)), return_counts=True)[0],
        lambda: pickle.loads(pickle.dumps(fastnp.arange(float(LONG)), protocol=4)),
        lambda: fastnp.ndarray(LONG),
    ],
    ids=["random", "sort", "unique", "pickle", "constructor"],
)
def test_what_a_call_returned_is_private(make: Any) -> None:
    assert is_deferred(make())


def test_what_a_function_of_the_user_returned_is_shared_while_the_user_has_it() -> None:
    mine = numpy.ones((400, 500))
    x = fastnp.apply_over_axes(lambda a, axis: mine, fastnp.ones((1, 1)), [0])
    y = x * 2
    mine[:] = 5.0
    assert float(y[0, 0]) == 2.0


@pytest.mark.parametrize("n", [4, LONG])
def test_strides_stay_within_the_memory(n: int) -> None:
    x = fastnp.ones(n)[::-1]
    with pytest.raises(ValueError, match="strides is not compatible with available memory"):
        x.strides = (8,)
    assert x.strides == (-8,) and float(x.sum()) == n


def test_unaligned_pickles_are_restored() -> None:
    x = fastnp.arange(1000.0)
    parts: list[pickle.PickleBuffer] = []
    head = pickle.dumps(x, protocol=5, buffer_callback=parts.append)
    raw = bytearray(1) + bytearray(parts[0].raw())
    y = pickle.loads(head, buffers=[memoryview(raw)[1:]])
    assert type(y) is fastnp.ndarray and float(y[-1]) == 999.0


def test_pickles_without_elements_are_restored_wherever_they_are() -> None:
    head = pickle.dumps(fastnp.empty((0, 3)), protocol=5, buffer_callback=lambda _: None)
    restored = pickle.loads(head, buffers=[memoryview(bytearray(9))[1:1]])
    assert type(restored) is fastnp.ndarray and restored.shape == (0, 3)


def test_views_of_unaligned_memory() -> None:
    raw = numpy.arange(81, dtype=numpy.uint8)[1:]
    expected = raw.view(numpy.float64).copy()
    assert numpy.array_equal(fastnp.asarray(raw).view(float), expected, equal_nan=True)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_results_have_the_memory_order_of_unaligned_operands(layout: Any) -> None:
    raw = numpy.ndarray((3, 4), float, bytearray(97), offset=1, order=layout)
    raw[...] = numpy.arange(12).reshape(3, 4)
    for result, expected in ((fastnp.add(raw, 1), raw + 1), (fastnp.array(raw), numpy.array(raw))):
        assert result.strides == expected.strides
        assert numpy.array_equal(result, expected)


@pytest.mark.parametrize("n", [12, 4_000, LONG])
@pytest.mark.parametrize("written", ["mask", "values"])
@pytest.mark.parametrize("way", ["array", "view of it", "address"])
def test_a_selection_is_of_what_was_there_before_it_is_written_from_outside(
    n: int, written: str, way: str
) -> None:
    x = fastnp.arange(n) * 1.0
    mask = x % 3 == 0
    expected = numpy.arange(n)[numpy.arange(n) % 3 == 0] * -1.0
    fastnp.flush()
    selected = -x[mask]  # neither its size nor its elements are needed yet
    target = mask if written == "mask" else x
    if way == "address":
        room = (ctypes.c_char * target.nbytes).from_address(target.ctypes.data)
        outside: Any = numpy.frombuffer(memoryview(room), target.dtype.str)
    else:
        outside = numpy.asarray(target)
    outside = outside[:] if way == "view of it" else outside
    outside[...] = 1
    assert selected.tolist() == expected.tolist()
