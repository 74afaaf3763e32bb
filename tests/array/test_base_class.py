"""NumPy's own setters, methods and C functions, called on arrays of ours.

`numpy.ndarray.shape.__set__(x, …)` and the like change a header in place, and compiled code does
that by NumPy's C API. Afterwards the array, its header and NumPy's array agree.
"""

from __future__ import annotations

import copy
import ctypes
import pickle
import random
import weakref
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.headers import field, shape

BASE: Any = numpy.ndarray
LARGE = 40_000


# Arrays of all kinds that an object may hold: small, 0-d, computed, pending, views, NumPy's memory.
KINDS: dict[str, Callable[[Any], Any]] = {
    "small": lambda np: np.arange(12.0) - 3,
    "scalar": lambda np: np.full((), 2.5),
    "empty": lambda np: np.zeros((0, 3)),
    "pending": lambda np: np.arange(float(LARGE)) * 2 + 1,
    "computed": lambda np: (np.arange(float(LARGE)) + 0.5).copy(),
    "matrix": lambda np: (np.arange(float(LARGE)) * 3).reshape(200, 200),
    "view": lambda np: (np.arange(float(LARGE)) * 2)[10:-10:3],
    "transposed": lambda np: (np.arange(float(LARGE)) * 2).reshape(100, 400).T,
    "selected": lambda np: np.arange(float(LARGE))[np.arange(LARGE) % 3 > 1],
    "integers": lambda np: np.arange(LARGE, dtype=np.int32) * 5,
    "complex": lambda np: np.arange(24) * (1 + 2j),
    "adopted": lambda np: np.delete(np.arange(LARGE + 1.0), 3),
    "axes": lambda np: np.ones((2, 3, 4, 5, 6)) * 2,
}


def agree(x: Any, a: Any) -> None:
    """The array, its header and NumPy's array are the same."""
    assert shape(x) == x.shape == a.shape == BASE.shape.__get__(x)
    assert x.dtype == a.dtype == BASE.dtype.__get__(x)
    assert x.ndim == a.ndim == BASE.ndim.__get__(x)
    if a.size:
        assert x.strides == BASE.strides.__get__(x) == a.strides
    for flag in ("writeable", "c_contiguous", "f_contiguous", "aligned"):
        wanted = getattr(a.flags, flag)
        assert getattr(x.flags, flag) == getattr(BASE.flags.__get__(x), flag) == wanted, flag
    assert numpy.array_equal(numpy.asarray(x), a, equal_nan=True)


def both(x: Any, a: Any, act: Callable[[Any], Any]) -> None:
    """The same call with both arrays, which gives the same or fails with the same error."""
    outcomes: list[tuple[Any, Any]] = []
    for array in (x, a):
        try:
            outcomes.append((None, act(array)))
        except Exception as error:
            outcomes.append((type(error), None))
    (failed, ours), (expected, theirs) = outcomes
    assert failed is expected, (outcomes, x.shape, x.dtype, x.flags)
    if isinstance(theirs, numpy.ndarray):
        assert numpy.array_equal(numpy.asarray(ours), theirs, equal_nan=True)
    agree(x, a)


def shapes(a: Any, rng: random.Random) -> Any:
    n = a.size
    return rng.choice([n, (n,), (1, n), (n, 1), (2, n // 2), (-1, 4), (n, 1, 1), (3, -1), n + 1])


def new_strides(a: Any, rng: random.Random) -> Any:
    return rng.choice([a.strides, a.strides[::-1], (1 << 40,) * a.ndim, (8,) * (a.ndim + 1)])


def setter(attribute: Any, value: Any) -> Callable[[Any], Any]:
    return lambda x: attribute.__set__(x, value)


CHANGES: dict[str, Callable[[Any, random.Random], Callable[[Any], Any]]] = {
    "shape": lambda a, r: setter(BASE.shape, shapes(a, r)),
    "strides": lambda a, r: setter(BASE.strides, new_strides(a, r)),
    "dtype": lambda a, r: setter(BASE.dtype, r.choice(["f8", "i8", "u4", "i2", "c16", "?"])),
    "real": lambda a, r: lambda x: BASE.real.__set__(x, 3),
    "imag": lambda a, r: lambda x: BASE.imag.__set__(x, 0),
    "flat": lambda a, r: lambda x: BASE.flat.__set__(x, [1, 2, 3]),
    "read_only": lambda a, r: lambda x: BASE.setflags(x, write=False),
    "bad_flag": lambda a, r: lambda x: BASE.setflags(x, uic=True),
    "byteswap": lambda a, r: lambda x: BASE.byteswap(x, inplace=True) is x,
    "sort": lambda a, r: lambda x: BASE.sort(x),
    "sort_axis": lambda a, r: lambda x: BASE.sort(x, axis=0, kind="stable"),
    "partition": lambda a, r: lambda x: BASE.partition(x, 0),
    "fill": lambda a, r: lambda x: BASE.fill(x, 7),
    "put": lambda a, r: lambda x: BASE.put(x, [0, 1], [5, 6]),
    "item": lambda a, r: lambda x: BASE.__setitem__(x, Ellipsis, 2),
    "iadd": lambda a, r: lambda x: BASE.__iadd__(x, 1) is x,
    "imul": lambda a, r: lambda x: BASE.__imul__(x, x) is x,
    "setfield": lambda a, r: lambda x: BASE.setfield(x, 1, "i2", 0),
    "view": lambda a, r: lambda x: BASE.view(x, "u1"),
    "reshape": lambda a, r: lambda x: BASE.reshape(x, -1),
    "sum": lambda a, r: lambda x: BASE.cumsum(x.copy()),
    "strided": lambda a, r: (
        lambda x: numpy.lib.stride_tricks.as_strided(x, x.shape[::-1], x.strides[::-1]) * 1
    ),
    "pickled": lambda a, r: lambda x: pickle.loads(pickle.dumps(x)),
    "reduced": lambda a, r: lambda x: BASE.__reduce__(x)[2][1],
    "state": lambda a, r: lambda x: BASE.__setstate__(x, BASE.__reduce__(x * 1)[2]),
    "wrapped": lambda a, r: lambda x: BASE.__array_wrap__(x, numpy.arange(3.0)),
    "deleted": lambda a, r: lambda x: BASE.shape.__delete__(x),
    "ours": lambda a, r: lambda x: numpy.add(x, 1, out=x, casting="unsafe") is x,
    "written": lambda a, r: lambda x: x.__setitem__(slice(None, None, 2), 3),
}
# NumPy frees the memory that views have.
ALONE = ["state"]
# As under NumPy, memory that has views is not to be reallocated.
OWNERS = [
    "small",
    "scalar",
    "pending",
    "computed",
    "matrix",
    "integers",
    "complex",
    "axes",
    "adopted",
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("change", list(CHANGES))
def test_a_setter_or_method_of_the_base_class(kind: str, change: str) -> None:
    for seed in range(6 if change in ("shape", "strides", "dtype") else 1):
        x, a = KINDS[kind](fastnp), KINDS[kind](numpy)
        act = CHANGES[change](a, random.Random(seed))
        both(x, a, act)
        both(x, a, lambda y: y * 2)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_of_them(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [(KINDS[k](fastnp), KINDS[k](numpy)) for k in rng.sample(list(KINDS), 4)]
    for _ in range(25):
        x, a = rng.choice(pairs)
        both(x, a, CHANGES[rng.choice([name for name in CHANGES if name not in ALONE])](a, rng))
        if rng.random() < 0.3 and a.ndim:
            pairs.append((x * 2, a * 2))
        if rng.random() < 0.2 and a.ndim:
            pairs.append((x[::-1], a[::-1]))
        rng.shuffle(pairs)
        del pairs[6:]
    for x, a in pairs:
        agree(x, a)


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.parametrize("wanted", [0, 1, 5, (2, 3), 60_000, (300, 300), (1,) * 7])
def test_resize(kind: str, wanted: Any) -> None:
    x, a = KINDS[kind](fastnp).copy(), KINDS[kind](numpy).copy()
    both(x, a, lambda y: BASE.resize(y, wanted, refcheck=False))
    both(x, a, lambda y: BASE.__iadd__(y, 1) is y)
    assert BASE.resize(fastnp.ones(3), 5) is None


def test_views_are_not_resized() -> None:
    x = fastnp.arange(float(LARGE)) * 2
    for view, message in ((x[1:], "does not own its data"), (x[::2], "single-segment arrays")):
        before = view.shape
        with pytest.raises(ValueError, match=message):
            BASE.resize(view, 3, refcheck=False)
        assert view.shape == shape(view) == before


class Dims(ctypes.Structure):
    _fields_ = [("ptr", ctypes.POINTER(ctypes.c_ssize_t)), ("len", ctypes.c_int)]


def api(place: int, result: Any, *arguments: Any) -> Any:
    """A function of NumPy's C API, by its place in the table that compiled code reads."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(numpy._core._multiarray_umath._ARRAY_API, None)  # type: ignore[attr-defined]
    function = ctypes.c_void_p.from_address(table + 8 * place).value
    return ctypes.PYFUNCTYPE(result, *arguments)(function or 0)


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.parametrize("wanted", [(), (0,), (1,), (7,), (2, 3), (60_000,), (300, 300)])
def test_compiled_code_resizes(kind: str, wanted: tuple[int, ...]) -> None:
    """As RDKit does, which then writes to the memory without a look at the outcome."""
    resize = api(
        80, ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_int
    )
    x, a = KINDS[kind](fastnp).copy(), KINDS[kind](numpy).copy()
    axes = (ctypes.c_ssize_t * len(wanted))(*wanted)
    dims = Dims(axes, len(wanted))
    assert resize(x, ctypes.addressof(dims), 0, 0) is None
    a.resize(wanted, refcheck=False)
    # NumPy leaves the flags of the matrix to an array without axes.
    agree(x, a if wanted else a.copy())
    if a.size:
        ctypes.memset(field(x, 2), 0, a.nbytes)
        assert not numpy.asarray(x).any()


def test_compiled_code_does_not_resize_views() -> None:
    resize = api(
        80, ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_int
    )
    axes = (ctypes.c_ssize_t * 1)(60_000)
    dims = Dims(axes, 1)
    for x in (fastnp.ones(6)[::2], numpy.asarray(fastnp.ones(6)), numpy.ones(6)[::2]):
        with pytest.raises(ValueError, match=r"does not own|single-segment"):
            resize(x, ctypes.addressof(dims), 0, 0)
        assert (x == 1).all()


def test_flags_that_compiled_code_updates() -> None:
    update = api(92, None, ctypes.py_object, ctypes.c_int)
    for kind, make in KINDS.items():
        x = make(fastnp)
        before = str(BASE.flags.__get__(x))
        update(x, 0x0001 | 0x0002 | 0x0100)
        assert str(BASE.flags.__get__(x)) == before, kind


def test_a_base_that_compiled_code_sets() -> None:
    """`PyArray_SetBaseObject` takes over a reference, which ends with the array."""

    class Owner:
        pass

    set_base = api(282, ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    ended: list[int] = []
    for kind, make in KINDS.items():
        x = make(fastnp)
        if isinstance(x, fastnp.ndarray):
            owner = Owner()
            weakref.finalize(owner, ended.append, len(ended))
            count = len(ended)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
            assert set_base(x, id(owner)) == 0, kind
            del owner
            assert len(ended) == count
            assert (x + 1).shape == x.shape
            del x
    fastnp.flush()
    assert len(ended) >= 10


def test_a_copy_that_is_written_back() -> None:
    """`PyArray_SetWritebackIfCopyBase`, by NumPy's iterator: it locks the array meanwhile."""
    for kind in ("small", "pending", "matrix", "view"):
        x, a = KINDS[kind](fastnp), KINDS[kind](numpy)
        for y in (x, a):
            with numpy.nditer(
                [y], [], [["readwrite", "updateifcopy"]], ["f4"], casting="same_kind"
            ) as it:
                for item in it:
                    value: Any = item
                    value[...] = value + 1
        agree(x, a)


class Reflected:
    """An operand that NumPy leaves operators to."""

    __array_ufunc__ = None


def test_methods_read_from_the_class() -> None:
    ours: Any = fastnp.ndarray

    class Named(fastnp.ndarray):
        total = ours.sum
        plus = ours.__add__

    x, plain = fastnp.arange(4.0), numpy.arange(4.0)
    mine = plain.view(Named)
    for method in (ours.copy, ours.__copy__, copy.copy):
        made = method(x)
        assert type(made) is fastnp.ndarray and not fastnp.shares_memory(made, x)
        assert type(method(mine)) is Named
    assert ours.sum(x) == ours.sum(plain) == mine.total() == 6.0
    assert ours.sum(x, axis=0, keepdims=True).shape == (1,)
    assert type(ours.cumsum(plain)) is fastnp.ndarray
    assert type(mine.plus(1)) is Named and mine.plus(1).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert ours.__add__(x, x).tolist() == ours.__add__(plain, x).tolist()
    assert ours.__add__(x, Reflected()) is NotImplemented
    for wrong in ((), (3,), ([1.0],), (numpy.float64(2),)):
        with pytest.raises(TypeError):
            ours.sum(*wrong)
    with pytest.raises(TypeError):
        ours.sum(a=x)
    assert pickle.loads(pickle.dumps(ours.sum)) is ours.sum
    fastnp.reset_stats()
    ours.sum(plain)
    assert not fastnp.fallbacks()
