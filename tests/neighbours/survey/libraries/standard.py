"""The standard library: pickle, copies, buffers, shared memory, ctypes, processes, and types."""

import array
import contextlib
import copy
import ctypes
import dataclasses
import decimal
import fractions
import functools
import hashlib
import io
import math
import mmap
import multiprocessing
import operator
import pickle
import random
import statistics
import struct
import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import shared_memory

from tests.neighbours.survey.inputs import grid, pending, raised

PACKAGE = "python"


def pickled(np):
    x = pending(np)
    return [pickle.loads(pickle.dumps(x, protocol)) for protocol in range(6)]


def pickled_out_of_band(np):
    buffers = []
    data = pickle.dumps(pending(np), 5, buffer_callback=buffers.append)
    return len(data) < 1000, pickle.loads(data, buffers=buffers)


def copied(np):
    x = pending(np)
    y, z = copy.copy(x), copy.deepcopy([x, x])
    x += 1
    return x, y, z[0], z[0] is z[1]


def memory_view(np):
    x = pending(np)
    m = memoryview(x)
    x += 1
    first = m[0]
    m[1] = 7.5
    y = x * 2
    return first, m.format, m.shape, m.strides, m.nbytes, x, y


def memory_view_of_a_view(np):
    x = grid(np)
    m = memoryview(x[::2, 1:5])
    x *= 2
    return m.tolist()[3], m.shape, m.strides, m.contiguous


def memory_view_keeps_the_array(np):
    m = memoryview(pending(np))
    others = [pending(np) for _ in range(3)]
    return m[5], sum(m[:100]), len(others)


def buffer_cast(np):
    m = memoryview(pending(np, "int32")).cast("B")
    m[0] = 255
    return bytes(m[:8]), len(m)


def bytes_of_an_array(np):
    x = pending(np)
    return (
        bytes(np.arange(3)),
        x.tobytes() == bytes(x),
        hashlib.sha256(x).hexdigest(),
        bytearray(x)[:9],
    )


def written_by_a_file(np):
    file = io.BytesIO(bytes(range(200)) * 8000)
    x = pending(np)
    read = file.readinto(x)
    x += 1
    return read, x


def written_to_a_file(np):
    with open("a.bin", "wb") as out:
        out.write(pending(np))
        pending(np, "int16").tofile(out)
    return np.fromfile("a.bin", "f8", 200_000), np.fromfile("a.bin", "i2", offset=1_600_000)


def mapped_file(np):
    pending(np).tofile("b.bin")
    with open("b.bin", "r+b") as file, mmap.mmap(file.fileno(), 0) as held:
        x = np.frombuffer(held)
        x[0] = 5
        y = x * 2
        del x
    return y, np.memmap("b.bin", "f8", "r")[:3]


def shared(np):
    held = shared_memory.SharedMemory(create=True, size=1_600_000)
    try:
        x = np.ndarray((200_000,), dtype="f8", buffer=held.buf)
        x[:] = pending(np)
        held.buf[:8] = struct.pack("d", -1.0)
        x += 1
        first = struct.unpack("d", held.buf[:8])[0]
        y = x.copy()
        del x
        return first, y
    finally:
        held.close()
        held.unlink()


def shared_with_a_process(np):
    held = multiprocessing.get_context("fork").RawArray("d", 200_000)
    x = np.frombuffer(held)
    x[:] = pending(np)
    x *= 2

    def work():
        held[0] = 50

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()
    x += 1
    return x, held[0]


def structures(np):
    x = pending(np)
    struct.pack_into("dd", x, 16, -1.0, -2.0)
    return struct.unpack_from("ddd", x, 8), x[:5], struct.pack("d", np.float64(3))


def arrays_of_python(np):
    a = array.array("d", pending(np))
    x = np.asarray(a)
    x += 1
    return len(a), a[0], np.array(array.array("i", [1, 2]))


def c_types(np):
    x = pending(np)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    pointer[0] = 9
    x += 1
    y = x * 2
    pointer[1] = -3
    return pointer[0], pointer[1], x, y


def c_function(np):
    libm = ctypes.CDLL(None)
    x, y = pending(np), np.zeros(200_000)
    libm.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    libm.memcpy(y.ctypes.data, x.ctypes.data, y.nbytes)
    y += 1
    return y


def c_pointer_types(np):
    kind = np.ctypeslib.ndpointer(dtype="f8", ndim=1, flags="C_CONTIGUOUS")
    qsort = ctypes.CDLL(None).memset
    qsort.argtypes = [kind, ctypes.c_int, ctypes.c_size_t]
    x = pending(np)
    qsort(x, 0, 80)
    wrong = raised(lambda: qsort(np.arange(3), 0, 0))
    return (
        x,
        wrong[0],
        np.ctypeslib.as_array((ctypes.c_int * 3)(1, 2, 3)),
        np.ctypeslib.as_ctypes(x)[11],
    )


def foreign_functions(np):
    import cffi

    ffi = cffi.FFI()
    x = pending(np)
    held = ffi.cast("double *", ffi.from_buffer(x))
    held[0] = 4
    x += 1
    return x, held[0], np.frombuffer(ffi.buffer(held, 24))


def sizes(np):
    x, view = np.zeros(1000), np.zeros(1000)[::2]
    return (
        sys.getsizeof(x),
        sys.getsizeof(view),
        sys.getsizeof(pending(np)),
        sys.getsizeof(np.zeros((3, 4, 5), "i2")),
    )


def size_method(np):
    return np.zeros(1000).__sizeof__(), np.zeros(0).__sizeof__()


def sizes_of_any_kind(np):
    parts = (np.array(3.0), np.arange(3), np.zeros(0), np.array(["ab"]), np.zeros(3, "M8[s]"))
    return [sys.getsizeof(a) for a in parts]


def references(np):
    x = pending(np)
    held = [x, x]
    return sys.getrefcount(x) - len(held)


def threads(np):
    x = pending(np)
    with ThreadPoolExecutor(4) as pool:
        sums = list(pool.map(lambda k: float((x[k::8] * 2).sum()), range(8)))
    return sums


def threads_that_write(np):
    x = pending(np)

    def work(k):
        x[k::4] += k

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    return x


def processes(np):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(functools.partial(np.multiply, 2), [np.arange(3), pending(np)])


def data_classes(np):
    @dataclasses.dataclass
    class Point:
        x: typing.Any = dataclasses.field(default_factory=lambda: np.arange(3))

    p = Point()
    return dataclasses.asdict(p), repr(p), dataclasses.replace(p, x=pending(np))


def dispatch(np):
    @functools.singledispatch
    def kind(value):
        return "other"

    kind.register(np.ndarray)(lambda value: "array")
    kind.register(np.floating)(lambda value: "float")
    return kind(np.ones(2)), kind(np.float32(1)), kind(pending(np)), kind([1])


def hints(np):
    hint = np.typing.NDArray[np.float64]
    return (
        typing.get_origin(hint) is np.ndarray,
        typing.get_args(hint)[1] == np.dtype[np.float64],
        hint,
    )


def hints_of_a_function(np):
    import numpy.typing

    def f(
        a: np.typing.ArrayLike, b: "np.ndarray", c: np.ndarray[typing.Any, np.dtype[np.int32]]
    ): ...

    found = typing.get_type_hints(f, {"np": np}, {"np": np})
    return (
        found["b"] is np.ndarray,
        typing.get_origin(found["c"]) is np.ndarray,
        numpy.typing is not None,
    )


def matching(np):
    def kind(value):
        match value:
            case np.ndarray(shape=(n,)):
                return f"vector {n}"
            case np.ndarray():
                return "array"
            case np.float64():
                return "float"
            case [first, *_]:
                return f"list {first}"
        return "other"

    return kind(np.ones(3)), kind(grid(np)), kind(np.float64(1)), kind([1])


def numbers(np):
    x = np.arange(1.0, 4)
    parts = (
        math.sqrt(x[2]),
        math.hypot(*x),
        math.fsum(x),
        statistics.mean(x),
        max(x),
        sum(x),
        sorted(x)[0],
    )
    return (
        parts,
        decimal.Decimal(float(x[0])),
        fractions.Fraction(np.int64(3)),
        operator.index(np.int8(2)),
        round(x[1], 1),
    )


def formats(np):
    x = np.array([1.5, 2.25])
    return (
        f"{x} {x[0]:.3f} {x!r} {x!s:>12}",
        "%s %d" % (x, np.int64(3)),
        str(pending(np)),
        f"{np.float32(1):>6}",
    )


def iteration(np):
    x = np.arange(5)
    return (
        list(zip(x, x[::-1])),
        [*enumerate(x)],
        dict(zip("ab", x)),
        list(map(int, x)),
        set(x.tolist()),
        3 in x,
    )


def random_choices(np):
    random.seed(1)
    x = np.arange(10)
    return random.choice(x), random.sample(list(x), 3), random.shuffle(x), x


def contexts(np):
    with np.errstate(divide="raise"), contextlib.suppress(FloatingPointError):
        return np.ones(3) / np.zeros(3)
    return raised(lambda: np.arange(3) + np.arange(4))


def attributes(np):
    x = pending(np)
    names = "shape dtype ndim size itemsize nbytes strides".split()
    return (
        [getattr(x, name) for name in names],
        raised(lambda: x.unknown),
        raised(lambda: setattr(x, "y", 1)),
        hasattr(x, "__array_interface__"),
    )


def array_interface(np):
    class Held:
        def __init__(self, x):
            self.held, self.__array_interface__ = x, x.__array_interface__

    x = pending(np)
    y = np.asarray(Held(x))
    y += 1
    return x, sorted(x.__array_interface__), np.shares_memory(x, y)


def weak_references(np):
    import gc
    import weakref

    x = pending(np)
    ref = weakref.ref(x)
    alive = ref() is x
    del x
    gc.collect()
    return alive, ref() is None


def classes(np):
    x = np.ones(3)
    return (
        type(x) is np.ndarray,
        isinstance(x, np.ndarray),
        issubclass(type(x), np.ndarray),
        x.__class__ is np.ndarray,
        type(x).__name__,
        type(x).__mro__[-1],
    )


def views_with_metadata(np):
    d = np.dtype("f8", metadata={"a": 1})
    x = np.ones(3).view(d)
    return (
        dict(x.dtype.metadata or {}),
        dict(np.zeros(2, d).dtype.metadata or {}),
        dict(np.ones(3).astype(d).dtype.metadata or {}),
        dict(pending(np).view(d).dtype.metadata or {}),
    )


def identity(np):
    x = np.ones(3)
    return (
        np.asarray(x) is x,
        np.asarray(x) is np.asarray(x),
        np.asanyarray(x) is x,
        np.ascontiguousarray(x) is x,
    )


def hashing(np):
    return (
        raised(lambda: hash(np.ones(3))),
        raised(lambda: {np.ones(3)}),
        hash(np.float64(2)) == hash(2),
    )


def subclass(np):
    class Named(np.ndarray):
        def __new__(cls, values, name):
            made = np.asarray(values).view(cls)
            made.name = name
            return made

        def __array_finalize__(self, other):
            self.name = getattr(other, "name", None)

    x = Named(pending(np), "n")
    y = x[3:5] * 2
    return (
        type(y).__name__,
        y.name,
        np.asarray(y),
        isinstance(x, np.ndarray),
        type(x.sum()).__name__,
    )


def testing(np):
    np.testing.assert_allclose(pending(np), pending(np))
    return raised(lambda: np.testing.assert_array_equal(np.arange(3), np.array([0, 1, 3])))
