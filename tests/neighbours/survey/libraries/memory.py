"""Memory that two owners use: views of NumPy's, pointers, and results written in place."""

import ctypes
import multiprocessing
import threading

import numpy

from tests.neighbours.survey.inputs import grid, pending, raised

PACKAGE = "numpy"


def view_of_numpys(np):
    x = pending(np)
    v = numpy.asarray(x)
    x += 1
    first = v[0]
    v[1] = 9
    y = x * 2
    v[2] = -1
    return first, x, y


def view_of_a_view_of_numpys(np):
    x = pending(np)
    v = numpy.asarray(x[10:1000:3])
    x *= 2
    first = v[0]
    v[:] = 0
    x += 1
    return first, x, v


def buffer_of_a_view(np):
    x = grid(np)
    m = memoryview(x[5])
    x[:] = 3
    first = m[0]
    m[1] = 8
    x -= 1
    return first, x, m[1]


def address(np):
    x = pending(np)
    c = (ctypes.c_double * 3).from_address(x.__array_interface__["data"][0])
    x += 1
    first = c[0]
    c[1] = -5
    y = x * 2
    return first, x, y


def array_of_ctypes(np):
    x = pending(np)
    c = (ctypes.c_double * 200_000).from_buffer(x)
    x += 1
    first = c[0]
    c[1] = -5
    return first, x, x * 2


def data_attribute(np):
    x = pending(np)
    d = x.data
    x += 1
    return d[0], d.format, d.shape, d.nbytes, d.readonly


def array_of_a_buffer(np):
    x = pending(np)
    y = np.frombuffer(x)
    z = np.ndarray((4,), buffer=x, offset=16)
    x += 1
    z[0] = 5
    y *= 2
    return x, y, z, np.shares_memory(x, y)


def array_struct(np):
    class Held:
        def __init__(self, x):
            self.held, self.__array_struct__ = x, x.__array_struct__

    x = pending(np)
    y = np.asarray(Held(x))
    x += 1
    y[0] = 7
    return x, y


def dlpack(np):
    x = pending(np)
    y, z = np.from_dlpack(x), numpy.from_dlpack(x)
    x += 1
    return y, z, np.shares_memory(x, y)


def out_arguments_of_numpys(np):
    x, y = pending(np), pending(np)
    numpy.add(x, 1, out=x)
    numpy.copyto(y, x[::-1])
    x *= 2
    numpy.put(x, [0, 1], [-1, -2])
    numpy.sin(y, y) is y
    return x, y.shape, numpy.cumsum(x, out=x) is x


def random_into_an_array(np):
    x, y = pending(np), pending(np)
    numpy.random.default_rng(1).random(out=x)
    np.random.default_rng(2).shuffle(y)
    x *= 2
    return x, y


def swapped_in_place(np):
    x = pending(np, "int32")
    x.byteswap(inplace=True)
    x += 1
    y = pending(np)
    y.sort()
    y.partition(5)
    return x, y, y.setfield(3, np.int16, 2), y[:4]


def resized(np):
    x = np.arange(6.0)
    x.resize(3, refcheck=False)
    y = pending(np)
    y.shape = (400, 500)
    y += 1
    return x, y, y.strides


def types_changed_in_place(np):
    x = pending(np)
    v = x.view(np.int64)
    x += 1
    v[0] = 0
    y = x.view("u1")
    y[8:16] = 0
    return x, v.sum(), x.real is not None


def read_only(np):
    x = pending(np)
    x.flags.writeable = False
    y = numpy.asarray(x)
    return (
        raised(lambda: x.__setitem__(0, 1)),
        raised(lambda: y.__setitem__(0, 1)),
        y.flags.writeable,
        memoryview(x).readonly,
    )


def overlapping(np):
    x = pending(np)
    v = numpy.asarray(x)
    x[1:] = x[:-1]
    v[2:] += v[:-2]
    x[::-1] += x
    return x, v


def written_by_a_thread(np):
    x = pending(np)
    m = memoryview(x)
    ready, done = threading.Event(), threading.Event()

    def work():
        ready.wait()
        m[0] = 70
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    x += 1
    ready.set()
    done.wait()
    y = x * 2
    thread.join()
    return x, y


def written_by_a_child(np):
    context = multiprocessing.get_context("fork")
    held = context.RawArray("d", 200_000)
    x = np.frombuffer(held, dtype="f8")
    x[:] = pending(np)
    x += 1

    def work():
        x[:] = x * 2
        x[0] += 0.5
        numpy.asarray(x)[1] = 5

    child = context.Process(target=work)
    child.start()
    child.join()
    x += 1
    return x, held[0], child.exitcode


def the_parents_pending_array_in_a_child(np):
    context = multiprocessing.get_context("fork")
    x = pending(np)
    context.Pool(1).terminate()
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put((float(x.sum()), x[3:5] * 2)))
    child.start()
    found = queue.get()
    child.join()
    return found, x


def freed_while_viewed(np):
    views = [numpy.asarray(pending(np))[k : k + 3] for k in range(4)]
    others = [pending(np) * 3 for _ in range(4)]
    return views, [float(x[0]) for x in others]


def strings_and_objects(np):
    x = np.array(["a", "bb"])
    y = np.array([1, None, "x"], dtype=object)
    y[0] = pending(np)
    return memoryview(x.view("u1"))[0], y[0], y[1:], numpy.asarray(x), x.tolist()


def copies(np):
    x = pending(np)
    y, z = np.array(x), numpy.array(x, copy=None)
    x += 1
    return y, z is x, np.shares_memory(x, z), raised(lambda: np.asarray([1, 2], copy=False))
