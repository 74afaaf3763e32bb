"""Attributes of arrays of random layouts: strides, flags, base and dtype of views, copies and
results must be NumPy's, and so must the names of attributes.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.array.test_index_arrays import layouts, outcome

MADE: dict[str, Callable[[Any, Any], Any]] = {
    "copy": lambda np, a: a.copy(),
    "copy F": lambda np, a: a.copy("F"),
    "copy A": lambda np, a: a.copy("A"),
    "copy K": lambda np, a: a.copy("K"),
    "np.copy": lambda np, a: np.copy(a),
    "array": lambda np, a: np.array(a),
    "array C": lambda np, a: np.array(a, order="C"),
    "ascontiguous": lambda np, a: np.ascontiguousarray(a),
    "asfortran": lambda np, a: np.asfortranarray(a),
    "astype": lambda np, a: a.astype("f4"),
    "astype same": lambda np, a: a.astype(a.dtype, copy=False),
    "astype F": lambda np, a: a.astype("f8", order="F"),
    "empty_like": lambda np, a: np.empty_like(a),
    "zeros_like": lambda np, a: np.zeros_like(a),
    "ones_like C": lambda np, a: np.ones_like(a, order="C"),
    "full_like": lambda np, a: np.full_like(a, 2),
    "add": lambda np, a: a + a,
    "add one": lambda np, a: a + 1,
    "add T": lambda np, a: a + a.copy("F"),
    "add row": lambda np, a: a + a[..., :1],
    "negative": lambda np, a: -(a + 0),
    "less": lambda np, a: a < 2,
    "where": lambda np, a: np.where(a > 1, a, 0),
    "sum 0": lambda np, a: a.sum(axis=0),
    "sum last": lambda np, a: a.sum(axis=-1),
    "sum keep": lambda np, a: a.sum(axis=0, keepdims=True),
    "max": lambda np, a: a.max(axis=-1),
    "cumsum": lambda np, a: a.cumsum(axis=0),
    "ravel": lambda np, a: a.ravel(),
    "ravel F": lambda np, a: a.ravel("F"),
    "ravel K": lambda np, a: a.ravel("K"),
    "flatten": lambda np, a: a.flatten(),
    "reshape": lambda np, a: a.reshape(-1),
    "reshape F": lambda np, a: a.reshape(-1, order="F"),
    "T": lambda np, a: a.T,
    "swapaxes": lambda np, a: a.swapaxes(0, -1),
    "slice": lambda np, a: a[::2],
    "ellipsis": lambda np, a: a[...],
    "newaxis": lambda np, a: a[:, None],
    "real": lambda np, a: a.real,
    "view": lambda np, a: a.view(),
    "view type": lambda np, a: a.view(np.ndarray),
    "view dtype": lambda np, a: a.view("u1" if a.dtype.itemsize == 1 else f"i{a.dtype.itemsize}"),
    "squeeze": lambda np, a: a.squeeze(),
    "broadcast": lambda np, a: np.broadcast_to(a, (2, *a.shape)),
    "concatenate": lambda np, a: np.concatenate([a, a]),
    "stack": lambda np, a: np.stack([a, a]),
    "take": lambda np, a: a.take([0, 0], axis=-1),
    "mask": lambda np, a: a[a == a],
    "nonzero": lambda np, a: a.nonzero()[0],
    "repeat": lambda np, a: a.repeat(2, axis=0),
    "clip": lambda np, a: a.clip(0, 3),
    "round": lambda np, a: a.round(),
    "byteswap": lambda np, a: a.byteswap(),
    "diagonal": lambda np, a: a.reshape(1, -1).diagonal(),
    "getfield": lambda np, a: a.getfield("u1", 0),
    "deepcopy": lambda np, a: a.__deepcopy__({}),
    "copy.copy": lambda np, a: a.__copy__(),
    "sort": lambda np, a: np.sort(a, axis=0),
    "conj": lambda np, a: a.conj(),
}

FLAGS = "C_CONTIGUOUS F_CONTIGUOUS OWNDATA WRITEABLE ALIGNED WRITEBACKIFCOPY FNC FORC BEHAVED"
FLAGS += " CARRAY FARRAY C F O W A X B CA FA"


def surface(x: Any) -> Any:
    """The attributes of an array other than its values."""
    if not hasattr(x, "strides"):
        return repr(x)
    seen = {name: getattr(x, name) for name in "shape ndim size itemsize nbytes".split()}
    seen |= {"dtype": x.dtype.str, "flags": {name: x.flags[name] for name in FLAGS.split()}}
    seen["num"] = x.flags.num
    seen["based"] = x.base is not None
    if x.size:
        # The stride of an axis of extent one has no effect.
        seen["strides"] = [s for n, s in zip(x.shape, x.strides, strict=True) if n > 1]
    return seen


def made(np: Any, seed: int, way: str) -> Any:
    """The attributes of an array made in one of several ways from a random one."""
    rng = random.Random(seed)
    shape = tuple(rng.choice([1, 2, 3, 4]) for _ in range(rng.choice([1, 2, 2, 3])))
    a = layouts(rng, np, rng.choice(["f8", "f4", "i8", "i2", "?", "c16"]), shape)
    result = outcome(lambda: MADE[way](np, a))
    return surface(result), isinstance(result, tuple) or result is a


@pytest.mark.parametrize("way", MADE)
@pytest.mark.filterwarnings("ignore")
def test_layout(way: str) -> None:
    for seed in range(60):
        assert made(fastnp, seed, way) == made(numpy, seed, way), f"seed {seed}"


def diagonal(np: Any, seed: int) -> Any:
    """The attributes and elements of a diagonal of a random array, or the error."""
    rng = random.Random(seed)
    shape = tuple(rng.choice([0, 1, 2, 3, 4]) for _ in range(rng.choice([1, 2, 2, 3, 4])))
    a = layouts(rng, np, rng.choice(["f8", "i2", "c16"]), shape)
    axes = [rng.randrange(-3, 3) for _ in range(rng.choice([0, 1, 2, 2]))]
    args = [rng.choice([0, 0, 1, -1, 2, -3, 5, np.int64(1), True, 1.0]), *axes]
    way = rng.choice([a.diagonal, lambda *args: np.diagonal(a, *args)])
    result = outcome(lambda: way(*args))
    if isinstance(result, tuple):
        return result
    if result.size:
        a[(0,) * a.ndim] = 7
    return surface(result), result.tolist()


def test_diagonals() -> None:
    for seed in range(600):
        assert diagonal(fastnp, seed) == diagonal(numpy, seed), f"seed {seed}"


def test_every_attribute_is_there() -> None:
    assert set(dir(numpy.ndarray)) - set(dir(fastnp.ndarray)) == set()
    flags = type(numpy.empty(0).flags)
    mine = {name for name in dir(fastnp.empty(0).flags) if not name.startswith("_")}
    assert {name for name in dir(flags) if not name.startswith("_")} == mine


SET: dict[str, Callable[[Any], Any]] = {
    "shape": lambda np: setattr(np.arange(6), "shape", (2, 3)),
    "shape wrong": lambda np: setattr(np.arange(6), "shape", (4,)),
    "shape not a view": lambda np: setattr(np.arange(6).reshape(2, 3).T, "shape", (6,)),
    "strides too far": lambda np: setattr(np.arange(6), "strides", (16,)),
    "strides of too many": lambda np: setattr(np.arange(6), "strides", (8, 8)),
    "dtype": lambda np: setattr(np.arange(6), "dtype", "f4"),
    "dtype that does not fit": lambda np: setattr(np.arange(3, dtype="u1"), "dtype", "i2"),
    "flags": lambda np: np.arange(3).flags.__setitem__("WRITEABLE", False),
    "flags unknown": lambda np: np.arange(3).flags.__setitem__("NONE", False),
    "flags contiguous": lambda np: setattr(np.arange(3).flags, "c_contiguous", False),
    "item": lambda np: np.arange(6).reshape(2, 3).item(7),
    "item of two": lambda np: np.arange(6).reshape(2, 3).item(1, 3),
    "item of many": lambda np: np.arange(6).item(),
    "size": lambda np: setattr(np.arange(3), "size", 3),
    "flat deletion": lambda np: np.arange(3).flat.__delitem__(0),
    "resize": lambda np: np.arange(3).resize("hi"),
    "resize of a view": lambda np: np.arange(3)[1:].resize(5),
    "resize of a strided view": lambda np: np.arange(6)[::2].resize(3),
    "resize to a negative length": lambda np: np.arange(6).resize(-2, -3),
    "resize to no number": lambda np: np.arange(6).resize((2, 2.5)),
    "itemset": lambda np: np.arange(3).itemset(0, 1),
    "newbyteorder": lambda np: np.arange(3).newbyteorder(),
}


@pytest.mark.parametrize("what", SET)
@pytest.mark.filterwarnings("ignore")
def test_setting(what: str) -> None:
    mine, its = outcome(lambda: SET[what](fastnp)), outcome(lambda: SET[what](numpy))
    assert mine == its


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("wanted", [(2, 6), (12,), 12, (3, 1, 4), (4, 3), (1, 12)])
@pytest.mark.parametrize("length", [1, 20_000])
def test_resize_to_the_same_size_keeps_the_memory(order: str, wanted: Any, length: int) -> None:
    def program(np: Any) -> tuple[Any, ...]:
        x = np.asarray(np.arange(12.0 * length).reshape(3, 4 * length) * 2, order=order)
        y = x[:]
        last = wanted if isinstance(wanted, int) else wanted[-1]
        shape = last * length if isinstance(wanted, int) else (*wanted[:-1], last * length)
        x.resize(shape)
        x[..., 0] = -1
        y.resize(shape, refcheck=False)
        y += 1
        held = y.base is x
        return x.strides, numpy.array(x), numpy.array(y), held, np.shares_memory(x, y)

    mine, its = program(fastnp), program(numpy)
    assert mine[0] == its[0] and mine[3:] == its[3:]
    assert all(numpy.array_equal(a, b) for a, b in zip(mine[1:3], its[1:3]))


def test_strides_reach_as_far_as_the_memory() -> None:
    for np in (numpy, fastnp):
        base = np.arange(12)
        view = base[:2]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # from NumPy 2.4 on
            view.strides = (32,)
        assert view.tolist() == [0, 4]


def test_the_stride_of_an_axis_of_one_element_may_be_any() -> None:
    def program(np: Any) -> tuple[Any, ...]:
        x, one = np.arange(8).reshape(2, 1, 4), np.array([[1.0]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # from NumPy 2.4 on
            x.strides, one.strides = (32, 123, 8), (123, 432)
        flags = x.flags.c_contiguous, x.flags.aligned, one.flags.aligned
        seen = x.strides, x.T.strides, x.ravel("K").strides, one.strides, (x + 1).strides
        lent = memoryview(x).strides, numpy.from_dlpack(x).strides
        read = x.sum(), x @ x.transpose(0, 2, 1), x[[0, 1], [0, 0]], x[x > 2], x.cumsum(axis=0)
        x += one.astype(int)
        x[:, ::1] = x * 2
        return flags, seen, lent, [numpy.array(y).tolist() for y in (*read, x, one @ one)]

    assert program(fastnp) == program(numpy)
