"""Functions that numba compiles, called with arrays and naming functions of the module."""

import numba
from numba import njit, prange, types
from numba.experimental import jitclass
from numba.typed import Dict, List

from tests.neighbours.survey.inputs import grid, pending, rounded


def sum_of_an_argument(np):
    f = njit(lambda a: a.sum())
    return f(np.ones(3)), f(pending(np))


def loop_over_an_argument(np):
    @njit
    def total(a):
        s = 0.0
        for v in a:
            s += v
        return s

    return total(np.arange(10.0)), total(pending(np)), total(pending(np)[::3])


@rounded(1e-14)
def function_of_the_module(np):
    f = njit(lambda a: np.sqrt(a))
    return f(np.ones(3)), f(pending(np))


def creation_inside(np):
    @njit
    def f(n):
        a = np.zeros(n)
        a[1:] = np.arange(n - 1)
        return a

    return f(5), f(100_000)


def in_place(np):
    @njit
    def f(a):
        for i in range(a.size):
            a[i] += i

    x = pending(np)
    f(x)
    x += 1
    f(x)
    return x


def in_place_through_a_view(np):
    @njit
    def f(a):
        a[:] = 7

    x = pending(np)
    f(x[10:20])
    y = x * 2
    f(x[::1000])
    return x, y


def explicit_signature(np):
    @njit("f8(f8[:])")
    def f(a):
        return a[0] + a[-1]

    return f(np.arange(4.0)), f(pending(np))


def signature_of_a_matrix(np):
    @njit("f8[:,::1](f8[:,::1], f8)")
    def f(a, k):
        return a * k

    return f(grid(np), 2.0)


def parallel(np):
    @njit(parallel=True)
    def f(a, out):
        for i in prange(a.size):
            out[i] = 2 * a[i]

    x, out = pending(np), np.empty(200_000)
    f(x, out)
    return out, out.sum()


def random_inside(np):
    @njit
    def f(n):
        np.random.seed(3)
        return np.random.random(n)

    return f(4)


@rounded(1e-12)
def linear_algebra_inside(np):
    f = njit(lambda a, b: np.linalg.solve(a, b))
    return f(np.eye(3) * 2, np.ones(3)), njit(lambda a: np.linalg.norm(a))(pending(np))


def dot_inside(np):
    f = njit(lambda a, b: np.dot(a, b))
    return f(np.arange(4.0), np.ones(4)), f(grid(np), np.ones(500))


def typed_list(np):
    held = List()
    held.append(np.arange(3.0))
    held.append(pending(np))
    f = njit(lambda arrays: arrays[0].sum() + arrays[1].sum())
    return f(held), len(held), held[0]


def typed_dict(np):
    held = Dict.empty(types.unicode_type, types.float64[::1])
    held["a"] = pending(np)
    return held["a"]


def class_with_an_array(np):
    @jitclass([("a", types.float64[:])])
    class Holder:
        def __init__(self, a):
            self.a = a

        def double(self):
            self.a *= 2

    x = pending(np)
    holder = Holder(x)
    holder.double()
    return x, holder.a


def stencil(np):
    @numba.stencil
    def f(a):
        return (a[-1] + a[1]) / 2

    return f(np.arange(8.0)), f(pending(np))


def c_function(np):
    @numba.cfunc("f8(f8)")
    def f(x):
        return np.exp(x)

    return f.ctypes(0.0)


def object_mode(np):
    @njit
    def f(a):
        with numba.objmode(out="f8"):
            out = float(a.mean())
        return out

    return f(pending(np))


def a_tuple_of_arrays(np):
    f = njit(lambda pair: pair[0] + pair[1])
    return f((np.ones(3), np.arange(3.0))), f((pending(np), pending(np)))


def returned_argument(np):
    f = njit(lambda a: a)
    x = pending(np)
    y = f(x)
    y[0] = 50
    return x, type(y)


def global_array(np):
    table = np.arange(5.0)
    f = njit(lambda i: table[i])
    return f(2)


def types_of_elements(np):
    f = njit(lambda a: a[1])
    names = "bool int8 uint16 int32 int64 float32 float64 complex64 complex128".split()
    return [f(np.arange(3).astype(name)) for name in names]


def typeof(np):
    x = grid(np)
    return [str(numba.typeof(a)) for a in (x, x.T, x[::2], x[0], x.astype("i4"))]


def dtype_inside(np):
    @njit
    def f(n):
        return np.zeros(n, dtype=np.int32), np.float32(n)

    return f(3)


def generated_ufunc(np):
    f = numba.vectorize(["f8(f8)"])(lambda x: x + 1)
    return f(np.ones(3)), f(pending(np))


def dynamic_ufunc(np):
    f = numba.vectorize(lambda x, y: x * y)
    return f(np.ones(3), 2.0), f(pending(np), pending(np)), f.reduce(np.arange(1.0, 5))


def generalized_ufunc(np):
    @numba.guvectorize(["(f8[:], f8[:])"], "(n)->(n)")
    def f(a, out):
        s = 0.0
        for i in range(a.size):
            s += a[i]
            out[i] = s

    return f(np.ones(3)), f(grid(np))


def ufunc_with_out(np):
    f = numba.vectorize(["f8(f8)"])(lambda x: x + 1)
    x = pending(np)
    result = f(x, out=x)
    return x, result is x


def cached_dispatch(np):
    f = njit(lambda a: a.size)
    f(np.ones(2)), f(np.ones(2)), f(pending(np))
    return [str(signature) for signature in f.signatures]


def imported_names_inside(np):
    sqrt, zeros, where, solve, divmod_ = np.sqrt, np.zeros, np.where, np.linalg.solve, np.divmod

    @njit
    def f(a):
        b = zeros(a.size)
        b[:] = where(a > 1, sqrt(a), -a)
        return b, divmod_(a, 2.0)

    return f(np.arange(4.0)), njit(lambda a, b: solve(a, b))(np.eye(2), np.ones(2))


def names_of_another_module(np):
    import types as modules

    held = modules.ModuleType("held")
    held.np, held.total, held.floor = np, np.sum, np.floor
    f = njit(lambda a: held.np.cos(a).size + held.total(held.floor(a)) + held.np.pi)
    return f(np.arange(4.0))


def parallel_creation_inside(np):
    @njit(parallel=True)
    def f(n):
        a = np.ones(n) * 2
        b = np.arange(n) + a
        s = 0.0
        for i in prange(n):
            s += b[i]
        return np.sum(a), s, np.linspace(0, 1, 3)

    return f(1000)


def constants_inside(np):
    f = njit(lambda x: (np.pi * x, np.inf > x, np.nan == x, np.newaxis is None, np.e))
    return f(2.0)


def loops_over_arrays_inside(np):
    @njit
    def f(a):
        s = 0.0
        for index, v in np.ndenumerate(a):
            s += v * index[0]
        for v in np.nditer(a):
            s += v.item()
        for index in np.ndindex(2, 3):
            s += index[1]
        return s

    return f(np.arange(6.0).reshape(2, 3))


def inner_function(np):
    @njit
    def f(a):
        def g(b):
            return np.exp(b) + np.abs(b)

        return g(a) + g(-a)

    return f(np.zeros(3)), f(2.0)


def vectorized_functions_of_the_module(np):
    f = numba.vectorize(["f8(f8)"])(lambda x: np.floor(x) + np.log1p(x))
    return f(np.zeros(3)), f(pending(np)).shape


def stencil_of_the_module(np):
    @numba.stencil
    def kernel(a):
        return np.maximum(a[-1], a[1])

    f = njit(lambda a: kernel(a))
    return f(np.arange(8.0)), kernel(pending(np))


def a_function_as_an_argument(np):
    @njit
    def apply(g, x):
        return g(x)

    g = njit(lambda x: np.trunc(x))
    return apply(g, 2.5), g(np.arange(3.0) / 2)


def overloaded_method_arguments(np):
    f = njit(lambda a: (a.sum(axis=0), np.mean(a), a.T.copy(), np.sort(a[0]), np.unique(a)))
    return f(np.arange(6.0).reshape(2, 3)), f(np.ones((2, 2)))


def views_and_types_inside(np):
    f = njit(lambda a: (a.view(np.uint64), a.astype(np.float32), np.float32(1) / 3))
    return f(np.arange(3.0))
