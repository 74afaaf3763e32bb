"""Arrays on devices: computation, selection of devices, and memory exported to and imported from
other libraries until it is released.

The device is the mock device, `mock`, and the other library is `dlpack_peer`.
"""

from __future__ import annotations

import ctypes
import gc
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp
from fastnp._interop import interchange as _interchange

from tests.dlpack_peer import MOCK_DEVICE, Consumer, OldProducer, Producer, name_of

# What types say that NumPy's take is less than these take.
from_dlpack: Any = fastnp.from_dlpack
settings: Any = fastnp.settings

HOST = (1, 0)
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64".split() + (
    "float16 float32 float64 complex64 complex128".split()
)


@pytest.fixture(autouse=True)
def on_apart() -> Iterator[None]:
    """Every test begins on the device, and restores the previous state."""
    with fastnp.device("mock"):
        yield


def numbers(n: int = 12) -> Any:
    return fastnp.arange(float(n)) * 2


# --- exporting -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 2), (2, 0)])
def test_memory_is_exported_and_released(version: Any) -> None:
    x = numbers().reshape(3, 4)
    capsule = x.__dlpack__(max_version=version)
    new = version is not None and version[0] >= 1
    assert name_of(capsule) == (b"dltensor_versioned" if new else b"dltensor")
    assert _fastnp.is_exported_on_device(x) and x.__dlpack_device__() == MOCK_DEVICE
    consumer = Consumer(capsule)
    assert (consumer.device, consumer.kind) == (MOCK_DEVICE, (2, 64, 1))
    assert (consumer.shape, consumer.strides) == ((3, 4), (4, 1))
    if new:
        assert (consumer.managed.major, consumer.managed.minor, consumer.flags) == (1, 0, 0)
    del capsule
    assert _fastnp.is_exported_on_device(x)
    numpy.testing.assert_array_equal(consumer.view(), numpy.arange(12.0).reshape(3, 4) * 2)
    consumer.release()
    assert not _fastnp.is_exported_on_device(x)
    assert x.sum() == 132


def test_a_capsule_not_consumed_releases_its_export() -> None:
    x = numbers()
    for version in (None, (1, 0)):
        capsule = x.__dlpack__(max_version=version)
        assert _fastnp.is_exported_on_device(x)
        del capsule
        assert not _fastnp.is_exported_on_device(x)


def test_an_export_outlives_the_array() -> None:
    x = numbers()
    consumer = Consumer(x[2:4].__dlpack__())
    del x
    gc.collect()
    others = [numbers() for _ in range(20)]
    assert consumer.view().tolist() == [4, 6]
    consumer.release()
    del others


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_has_its_code(dtype: str) -> None:
    x = fastnp.arange(4).astype(dtype)
    theirs = Consumer(numpy.arange(4).astype(dtype).__dlpack__())
    consumer = Consumer(x.__dlpack__())
    assert consumer.kind == theirs.kind
    numpy.testing.assert_array_equal(consumer.view(dtype), numpy.arange(4).astype(dtype))
    theirs.release()
    consumer.release()


def test_writes_are_visible_to_both_sides_at_once() -> None:
    x = numbers()
    view = x[2:8:2]
    consumer = Consumer(x.__dlpack__())
    seen = consumer.view()
    x += 1
    assert seen[:3].tolist() == [1, 3, 5]
    view[...] = 0
    assert seen.tolist() == [1, 3, 0, 7, 0, 11, 0, 15, 17, 19, 21, 23]
    x[0] = 5.0
    assert seen[0] == 5
    seen[1] = -1
    assert x[1] == -1 and float((x * 1)[1]) == -1 and x.tolist()[:2] == [5, -1]
    x[[3, 4]] = [8.0, 9.0]
    assert seen[3:5].tolist() == [8, 9]
    x[x > 20] = 20.0
    assert seen.max() == 20
    fastnp.put(x, [0], [77])
    assert seen[0] == 77
    y = x * 2
    seen[:] = 0
    assert y[0] == 154 and x.sum() == 0
    consumer.release()
    x[0] = 3.0
    assert x.sum() == 3


@pytest.mark.parametrize("used_meanwhile", [False, True])
def test_a_write_by_numpy_reaches_the_device_after_its_view_is_gone(used_meanwhile: bool) -> None:
    x = numbers()
    assert (x * 2)[0] == 0
    view = numpy.asarray(x)
    if used_meanwhile:
        assert (x * 3)[0] == 0  # a copy on the device, made while the memory is shared
    view[0] = 7
    del view
    assert (x * 2)[0] == 14


def test_results_computed_on_the_host_are_uploaded() -> None:
    x = numbers()
    consumer = Consumer(x.__dlpack__())
    seen = consumer.view()
    with fastnp.device("cpu"):
        assert x.__dlpack_device__() == MOCK_DEVICE
        seen[0] = 100
        assert (x + x)[0] == 200
        x += 1
        assert seen[:2].tolist() == [101, 3]
        x[3] = -3.0
        x[fastnp.array([4, 5])] = 0.5
        x[x == 0.5] = 0.25
        x[:] = fastnp.matmul(fastnp.eye(12), fastnp.ones(12) * (x[3] + 4))
        assert seen.tolist() == [1.0] * 12
        x[fastnp.array([True, False] * 6)] = fastnp.arange(6.0)
    assert seen.tolist() == [0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1]
    consumer.release()


def test_results_computed_on_another_device_are_uploaded() -> None:
    x = numbers()
    consumer = Consumer(x.__dlpack__())
    seen = consumer.view()
    with fastnp.device("mock:1"):
        assert x.__dlpack_device__() == MOCK_DEVICE
        seen[0] = 100
        assert (x + x)[0] == 200
        x += 1
        x[4:] = x[4:] * 0
        assert fastnp.ones(3).__dlpack_device__() == (12, 1)
    assert seen.tolist() == [101, 3, 5, 7] + [0] * 8
    consumer.release()
    assert x.sum() == 116


def test_several_exports_of_one_memory() -> None:
    x = numbers()
    consumers = [Consumer(part.__dlpack__()) for part in (x, x[3:], x.reshape(3, 4).T)]
    assert consumers[1].address == consumers[0].address + 24
    assert consumers[2].strides == (1, 4)
    consumers.pop().release()
    consumers.pop().release()
    assert _fastnp.is_exported_on_device(x)
    x[0] = 9.0
    assert consumers[0].view()[0] == 9
    consumers.pop().release()
    assert not _fastnp.is_exported_on_device(x)


def test_selections_are_of_the_values_before_the_export() -> None:
    x = numbers()
    chosen = x[x > 10]
    consumer = Consumer(x.__dlpack__())
    consumer.view()[:] = 0
    assert chosen.tolist() == [12, 14, 16, 18, 20, 22]
    consumer.release()


def test_exported_memory_is_not_reused() -> None:
    x = numbers(1000)
    consumer = Consumer(x.__dlpack__())
    seen = consumer.view()
    x = x * 3
    y = x + 1
    del x
    assert seen[1] == 2 and y[1] == 7
    consumer.release()


def statement(np: Any, x: Any, y: Any, chance: random.Random) -> Any:
    """Some statement on two arrays; its result, if it has one."""
    n, number = x.shape[0], chance.choice([0.5, 3.0, 7.0])
    i, j = sorted(chance.sample(range(n + 1), 2))
    part = chance.choice([slice(i, j), slice(None, None, 2), slice(None, None, -1)])
    match chance.randrange(12):
        case 0:
            x[part] = number
        case 1:
            x[part] += y[part]
        case 2:
            y[part] = x[part] * 2 - 1
        case 3:
            x[x > number] = number / 2
        case 4:
            x[np.array([0, i, min(j, n - 1)])] = number
        case 5:
            return np.sum(x * 1.0)
        case 6:
            return x[i % n]
        case 7:
            y[...] = np.sort(x)
        case 8:
            x[: j - i] = x[i:j]
        case 9:
            return np.cumsum(x[part])
        case 10:
            x[y > number] = y[y > number]
        case _:
            np.multiply(x, 0.5, out=x)
    return None


@pytest.mark.parametrize("seed", range(40))
def test_programs_while_consumers_read_and_write(seed: int) -> None:
    chance = random.Random(seed)
    n = chance.choice([5, 40, 3000])
    theirs = [numpy.arange(float(n)), numpy.ones(n)]
    ours = [fastnp.arange(float(n)) * 1, fastnp.ones(n) * 1]
    consumers: list[tuple[int, Consumer]] = []
    for _ in range(25):
        fastnp.set_device(chance.choice(["mock", "mock", "cpu", "mock:1"]))
        if chance.random() < 0.3 and len(consumers) < 3 and fastnp.get_device() != "cpu":
            which = chance.randrange(2)
            consumers.append((which, Consumer(ours[which].__dlpack__())))
        if chance.random() < 0.2 and consumers:
            consumers.pop(chance.randrange(len(consumers)))[1].release()
        if chance.random() < 0.4 and consumers:
            which, consumer = chance.choice(consumers)
            theirs[which][n // 2] = consumer.view()[n // 2] = chance.random()
        state = chance.getstate()
        expected = statement(numpy, theirs[0], theirs[1], chance)
        chance.setstate(state)
        result = statement(fastnp, ours[0], ours[1], chance)
        if expected is not None:
            numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-9)
        for which, consumer in consumers:
            numpy.testing.assert_allclose(consumer.view(), theirs[which], rtol=1e-9)
    for _, consumer in consumers:
        consumer.release()
    for mine, other in zip(ours, theirs, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(mine), other, rtol=1e-9)


# --- exported arrays on the host -----------------------------------------------------------------


def test_numpy_gets_a_read_only_copy() -> None:
    x = numbers()
    consumer = Consumer(x.__dlpack__())
    theirs = x.to_numpy()
    assert numpy.asarray(x)[1] == 2, "compiled code reads a copy too"
    assert not theirs.flags.writeable and theirs[1] == 2
    with pytest.raises(ValueError, match="read-only"):
        theirs[0] = 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        theirs.flags.writeable = True
    assert memoryview(x).readonly
    with pytest.raises(ValueError, match="read-only"):
        numpy.copyto(x.to_numpy(), 1)
    with pytest.raises(ValueError, match="read-only"):
        x.sort()
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        x.__array__(copy=False)
    for name in ("__array_interface__", "__array_struct__", "ctypes"):
        with pytest.raises(BufferError, match="another library"):
            getattr(x, name)
    x[1] = 5.0
    assert theirs[1] == 2
    consumer.release()
    again = x.to_numpy()
    again[2] = 7
    assert again.flags.writeable and x[2] == 7 and theirs[2] == 4


def test_attributes_set_in_place_keep_the_memory() -> None:
    x = numbers()
    consumer = Consumer(x.__dlpack__())
    x.shape = (2, 6)
    x[1, 5] = -1.0
    assert consumer.view()[11] == -1 and x.shape == (2, 6)
    with pytest.raises(ValueError, match="cannot reshape"):
        x.shape = (5, 5)
    consumer.release()


def test_host_memory_is_not_exported() -> None:
    x = numbers()
    theirs = x.to_numpy()
    with pytest.raises(BufferError, match="shared, with NumPy or another library"):
        x.__dlpack__()
    copied = Consumer(x.__dlpack__(max_version=(1, 0), copy=True))
    assert copied.flags == 2 and copied.view()[1] == 2
    del theirs
    Consumer(x.__dlpack__()).release()
    copied.release()
    source = numpy.ones(5)
    ours: Any = fastnp.asarray(source)
    with pytest.raises(BufferError, match="shared"):
        ours.__dlpack__()
    del source
    # The program may have kept the address of the memory.
    with pytest.raises(BufferError, match="shared"):
        ours.__dlpack__()
    ours = ours.copy()
    consumer = Consumer(ours.__dlpack__())
    ours += 1
    assert consumer.view().tolist() == [2] * 5
    consumer.release()
    assert numpy.asarray(ours).tolist() == [2] * 5


# --- the arguments of __dlpack__ -----------------------------------------------------------------


def test_dl_device_may_be_the_host() -> None:
    x = numbers().reshape(3, 4).T
    theirs: Any = numpy.from_dlpack(x, device="cpu")
    numpy.testing.assert_array_equal(theirs, numpy.arange(12.0).reshape(3, 4).T * 2)
    assert not _fastnp.is_exported_on_device(x)
    consumer = Consumer(x.__dlpack__(dl_device=HOST, max_version=(1, 0)))
    assert (consumer.device, consumer.flags) == (HOST, 2)
    consumer.view()[0, 0] = 50
    assert x[0, 0] == 0
    consumer.release()
    with pytest.raises(BufferError, match="only be a copy"):
        x.__dlpack__(dl_device=HOST, copy=False)


def test_copy_may_be_required_or_refused() -> None:
    x = numbers()
    consumer = Consumer(x.__dlpack__(max_version=(1, 0), copy=True))
    assert consumer.flags == 2 and not _fastnp.is_exported_on_device(x)
    consumer.view()[0] = 50
    assert x[0] == 0
    consumer.release()
    consumer = Consumer(
        x.__dlpack__(max_version=(1, 0), copy=False, dl_device=MOCK_DEVICE, stream=1)
    )
    assert consumer.flags == 0 and _fastnp.is_exported_on_device(x)
    consumer.release()


def test_read_only_arrays_say_so() -> None:
    x = numbers()
    x.flags.writeable = False
    consumer = Consumer(x.__dlpack__(max_version=(1, 0)))
    assert consumer.flags == 1
    consumer.release()
    with pytest.raises(BufferError, match="Cannot export readonly array"):
        x.__dlpack__()
    Consumer(x.__dlpack__(copy=True)).release()


def test_wrong_arguments_raise_as_in_numpy() -> None:
    x, theirs = numbers(), numpy.arange(3.0)
    wrong: list[dict[str, Any]] = [
        {"max_version": 1},
        {"max_version": (1,)},
        {"max_version": [1, 0]},
        {"dl_device": 1},
        {"dl_device": [1, 0]},
        {"dl_device": (2, 7)},
        {"other": 1},
    ]
    for kwargs in wrong:
        with pytest.raises(Exception, match="e") as known:
            theirs.__dlpack__(**kwargs)
        with pytest.raises(known.type) as raised:
            x.__dlpack__(**kwargs)
        if "other" not in kwargs:
            assert str(raised.value) == str(known.value)
    assert not _fastnp.is_exported_on_device(x)
    odd: Any = fastnp.lib.stride_tricks.as_strided(fastnp.zeros(8, "c16"), (2,), (24,))
    with pytest.raises(BufferError, match="multiple of itemsize"):
        odd.__dlpack__()


def test_arrays_without_elements_or_axes() -> None:
    for x in (fastnp.zeros((0, 3)), numbers()[4:4], numbers()[3]):
        x = fastnp.asarray(x)
        consumer = Consumer(x.__dlpack__())
        assert consumer.shape == x.shape
        ours = from_dlpack(x)
        assert ours.shape == x.shape and ours.tolist() == x.tolist()
        consumer.release()


def test_on_the_host_the_protocol_is_numpys() -> None:
    with fastnp.device("cpu"):
        x = numbers()
        assert x.__dlpack_device__() == HOST
        assert not hasattr(x, "__cuda_array_interface__")
        theirs: Any = numpy.from_dlpack(x)
        theirs[0] = 4
        assert x[0] == 4
        with pytest.raises(RuntimeError, match="NumPy only supports stream=None"):
            x.__dlpack__(stream=1)


# --- importing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [fastnp.from_dlpack, fastnp.asarray, fastnp.asanyarray])
def test_memory_is_imported_without_a_copy(convert: Any) -> None:
    x = numbers()
    theirs = Producer(x, (3, 4))
    ours = convert(theirs)
    assert _fastnp.is_exported_on_device(ours) and type(ours) is fastnp.ndarray
    assert ours.shape == (3, 4) and ours.__dlpack_device__() == MOCK_DEVICE
    ours[0] = 7.0
    assert theirs.source.view()[:5].tolist() == [7, 7, 7, 7, 8]
    theirs.source.view()[11] = 1
    assert ours[2, 3] == 1 and ours.sum() == x.sum()
    view = ours[1:]
    del ours
    assert theirs.released == 0
    del view
    assert theirs.released == 1


def test_copies_are_made_on_request() -> None:
    x = numbers()
    theirs = Producer(x, (12,))
    ours = from_dlpack(theirs, copy=False)
    assert theirs.requests[-1] == {"max_version": (1, 0), "copy": False}
    ours[0] = 3.0
    assert theirs.source.view()[0] == 3
    assert fastnp.array(theirs, copy=False)[0] == 3
    copy: Any = fastnp.array(theirs)
    copy[0] = 9
    assert not _fastnp.is_exported_on_device(copy) and ours[0] == 3
    assert fastnp.asarray(theirs, dtype="f4").dtype == "f4"


def test_read_only_memory_stays_so() -> None:
    x = numbers()
    for theirs in (Producer(x, (12,), flags=1), OldProducer(x, (12,), name=b"dltensor")):
        ours = from_dlpack(theirs)
        assert ours[1] == 2
        with pytest.raises(ValueError, match="read-only"):
            ours[0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            ours += 1
        del ours
        assert theirs.released == 1


def test_layouts_of_all_kinds() -> None:
    x = numbers()
    backwards = from_dlpack(Producer(x, (3,), (-2,), offset=8 * 10))
    assert backwards.tolist() == [20, 16, 12]
    backwards += 1
    assert x[6:11].tolist() == [13, 14, 17, 18, 21]
    repeated = from_dlpack(Producer(x, (3, 2), (0, 1), offset=8))
    assert repeated.tolist() == [[2, 4]] * 3
    windows = from_dlpack(Producer(x, (3, 3), (1, 1)))
    assert windows.sum(axis=1).tolist() == [6, 12, 18]
    assert from_dlpack(Producer(x, (2, 2), (1, 3))).tolist() == [[0, 6], [2, 8]]
    assert from_dlpack(Producer(x, ())).tolist() == 0
    assert from_dlpack(Producer(x, (0, 4))).shape == (0, 4)


def test_elements_that_are_not_aligned_are_copied() -> None:
    x = numbers()
    x.view("u1")  # of what is on the device
    theirs = Producer(x, (2, 2), (3, 2), offset=3)
    raw = theirs.source.view().tobytes()
    expected = [
        [numpy.frombuffer(raw, "f8", 1, 3 + 8 * (3 * i + 2 * j))[0] for j in range(2)]
        for i in range(2)
    ]
    ours = from_dlpack(theirs)
    numpy.testing.assert_array_equal(ours, expected)
    assert not ours.flags.writeable and theirs.released == 1
    with pytest.raises(BufferError, match="not aligned"):
        from_dlpack(theirs, copy=False)


def test_two_arrays_on_the_same_memory() -> None:
    """Two arrays imported separately: that they overlap is known by their addresses only."""
    for shift in range(-2, 3):
        x = numbers()
        memory = numpy.arange(12.0) * 2
        ours = from_dlpack(Producer(x, (6,), offset=8 * 3))
        others = from_dlpack(Producer(x, (6,), offset=8 * (3 + shift)))
        theirs, both_theirs = memory[3:9], memory[3 + shift : 9 + shift]
        assert fastnp.may_share_memory(ours, others) and fastnp.may_share_memory(ours, x)
        ours += others
        theirs += both_theirs
        fastnp.multiply(x[1:7], 2, out=others)
        numpy.multiply(memory[1:7], 2, out=both_theirs)
        assert x.tolist() == memory.tolist()


def test_round_trips() -> None:
    x = numbers()
    y = from_dlpack(x)
    y[0] = 5.0
    assert x[0] == 5 and y is not x and fastnp.shares_memory(x, y)
    copy = from_dlpack(x, copy=True)
    copy[0] = 6
    assert x[0] == 5
    again = from_dlpack(Producer(from_dlpack(Producer(x, (12,))), (12,)))
    again[1] = 1.0
    assert x[1] == 1
    there: Any = from_dlpack(x, device="cpu")
    assert there[1] == 1


def test_what_cannot_be_imported() -> None:
    x = numbers()
    for change, kind, text in [
        ({"kind": (2, 128, 1)}, BufferError, "Unsupported dtype"),
        ({"kind": (4, 16, 1)}, BufferError, "Unsupported dtype"),
        ({"kind": (2, 64, 2)}, BufferError, "Unsupported lanes"),
        ({"device": (4, 0)}, BufferError, "number 0 of DLPack's type 4"),
        ({"device": (12, 9)}, BufferError, "number 9 of DLPack's type 12"),
        ({"version": 2}, BufferError, "major version is too high"),
    ]:
        theirs = Producer(x, (4,), **change)  # type: ignore[arg-type]
        with pytest.raises(kind, match=text):
            from_dlpack(theirs)

    class Wrong:
        def __dlpack_device__(self) -> tuple[int, int]:
            return MOCK_DEVICE

        def __dlpack__(self, **kwargs: Any) -> Any:
            return None

    with pytest.raises(ValueError, match="no capsule"):
        from_dlpack(Wrong())
    theirs = Producer(x, (4,))
    with pytest.raises(ValueError, match="Device not understood"):
        from_dlpack(theirs, device="cuda")
    with pytest.raises(AttributeError, match="__dlpack__"):
        from_dlpack(3)


def test_the_host_reads_imported_device_memory() -> None:
    x = numbers()
    theirs = Producer(x, (12,))
    with fastnp.device("cpu"):
        ours = from_dlpack(theirs)
        ours += 1
        assert ours.__dlpack_device__() == MOCK_DEVICE and x[0] == 1
        assert numpy.asarray(ours)[11] == 23
        fastnp.sin(ours, out=ours)
    assert x[0] == numpy.sin(1.0)


# --- CUDA's array interface ----------------------------------------------------------------------


def test_the_cuda_interface_exists_on_cuda_only() -> None:
    x = numbers()
    assert not hasattr(x, "__cuda_array_interface__") and not _fastnp.is_exported_on_device(x)


def test_the_cuda_interface_describes_the_array() -> None:
    x = numbers().reshape(3, 4)
    said = _interchange.cuda_interface(x)
    assert (said["shape"], said["typestr"], said["strides"]) == ((3, 4), "<f8", None)
    assert (said["version"], said["stream"], said["data"][1]) == (3, None, False)
    assert said["descr"] == [("", "<f8")]
    part = x[1:, ::2]
    told = _interchange.cuda_interface(part)
    assert told["strides"] == (32, 16) and told["data"][0] == said["data"][0] + 32
    assert _fastnp.is_exported_on_device(x)
    ctypes.c_double.from_address(said["data"][0]).value = 9
    assert x[0, 0] == 9
    # A second export lasts no longer than the first.
    assert _interchange.cuda_interface(x)["data"] == said["data"]
    del part
    kept = x.T
    del x
    gc.collect()
    assert not _fastnp.is_exported_on_device(kept) and not _interchange._exports


def test_arrays_are_made_from_a_cuda_interface() -> None:
    x = numbers()
    said = _interchange.cuda_interface(x)

    class Theirs:
        __cuda_array_interface__ = said

    theirs = Theirs()
    ours = _interchange.from_cuda_interface(theirs, said, MOCK_DEVICE)
    ours += 1
    assert x[1] == 3 and ours.base is theirs
    read = {**said, "data": (said["data"][0], True), "shape": (2, 3), "strides": (8, 16)}
    ours = _interchange.from_cuda_interface(theirs, read, MOCK_DEVICE)
    assert ours.tolist() == [[1, 5, 9], [3, 7, 11]]
    with pytest.raises(ValueError, match="read-only"):
        ours[0] = 0
    empty = {**said, "data": (0, False), "shape": (0,)}
    assert _interchange.from_cuda_interface(theirs, empty, MOCK_DEVICE).shape == (0,)
    for change, text in [({"typestr": ">f8"}, "cannot be used"), ({"mask": theirs}, "mask")]:
        with pytest.raises(BufferError, match=text):
            _interchange.from_cuda_interface(theirs, {**said, **change}, MOCK_DEVICE)
    with pytest.raises(BufferError, match="no device here is number 99 of DLPack's type 2"):
        _interchange.from_cuda_interface(theirs, said, (2, 99))


# --- choosing devices ----------------------------------------------------------------------------


def test_devices_have_names() -> None:
    assert fastnp.get_device() == "mock"
    with fastnp.device("cpu"):
        assert fastnp.get_device() == "cpu"
        with fastnp.device("mock"):
            assert fastnp.get_device() == "mock"
            with fastnp.device("mock:1"):
                assert fastnp.get_device() == "mock:1"
            assert fastnp.get_device() == "mock"
        assert fastnp.get_device() == "cpu"
    assert fastnp.get_device() == "mock"


def test_the_setting_of_a_device_leaves_the_best_backend_on_the_host() -> None:
    before = fastnp.settings()["backend"]["value"]
    with fastnp.device("cpu"):
        fastnp.settings(backend="")
        best = fastnp.settings()["backend"]["value"]
        try:
            fastnp.settings(backend="portable")
            fastnp.settings(backend="mock")
            with fastnp.device("cpu"):
                assert fastnp.settings()["backend"]["value"] == best
        finally:
            fastnp.settings(backend=str(before))


def test_the_former_device_is_restored_after_errors() -> None:
    with pytest.raises(ZeroDivisionError), fastnp.device("cpu"):
        raise ZeroDivisionError
    assert fastnp.get_device() == "mock"
    with pytest.raises(ValueError, match='there is no device "nope"'), fastnp.device("nope"):
        pass
    assert fastnp.get_device() == "mock"
    again = fastnp.device("cpu")
    with again, again:
        assert fastnp.get_device() == "cpu"
    assert fastnp.get_device() == "mock" and repr(again) == "fastnp.device('cpu')"


def test_unknown_device_names_are_refused() -> None:
    for name in ("nope", "", "mock:2", "cpu:0"):
        with pytest.raises(ValueError, match="there is no device"):
            fastnp.set_device(name)
    with pytest.raises(TypeError):
        fastnp.set_device(3)  # type: ignore[arg-type]
    assert fastnp.get_device() == "mock"


def test_settings_go_back_and_forth() -> None:
    assert settings()["backend"]["value"] == "mock"
    with settings(tiny=0):
        x = numbers() + 1
        assert x.sum() == 144
    with fastnp.device("cpu"):
        before = settings()["backend"]["value"]
        with settings(backend="portable"):
            assert settings()["backend"]["value"] == "portable" and fastnp.get_device() == "cpu"
        with settings(backend="mock"):
            assert fastnp.get_device() == "mock"
        assert fastnp.get_device() == "cpu" and settings()["backend"]["value"] == before
    assert fastnp.get_device() == "mock"


def test_what_is_pending_runs_where_it_was_recorded() -> None:
    x = fastnp.ones(100_000) * 3
    fastnp.reset_stats()
    fastnp.set_device("cpu")
    assert fastnp.stats()["flushes"] == 1
    assert x[5] == 3 and (x + 1)[5] == 4


def test_a_process_may_end_with_exports() -> None:
    program = """
import fastnp
from fastnp import _fastnp
from fastnp._interop import interchange as _interchange

from tests.dlpack_peer import MOCK_DEVICE, Consumer, OldProducer, Producer, name_of
x = fastnp.arange(5.0) * 2
capsule = x.__dlpack__(max_version=(1, 0))
ours = _fastnp.from_capsule(x.__dlpack__(max_version=(1, 0)), None)
said = _interchange.cuda_interface(ours)
ours += 1
print(x.sum())
"""
    done = subprocess.run(
        [sys.executable, "-c", "import fastnp; fastnp.set_device('mock')\n" + program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "25.0\n", "")
