"""Arrays that NumPy computes with: types without kernels, NumPy's subclasses, users' classes.

Each kind goes through each operation under both modules; type, dtype, values and errors agree. A
result of a NumPy class has that class here too; a plain array of a native dtype that a function
returns is ours. Operators and methods of such arrays are NumPy's, and so are their results.
"""

from __future__ import annotations

import abc
import collections.abc
import copy
import pickle
import typing
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._fastnp import is_native

T = typing.TypeVar("T")
Make = Callable[[Any], Any]


def masked(np: Any) -> Any:
    """A masked array of doubles."""
    return np.ma.masked_array([1.5, 2.5, 3.5, 0.5], mask=[0, 1, 0, 0])


def records(np: Any) -> Any:
    """A record array."""
    return np.rec.array([(1, 2.0), (3, 4.0), (0, 1.0)], dtype=[("a", "i4"), ("b", "f8")])


def derived(np: Any) -> type:
    """A class with attributes, kept through views and computations."""

    class Tagged(np.ndarray):
        """A user's class."""

        def __new__(cls, values: Any, tag: str = "") -> Any:
            made = np.asarray(values).view(cls)
            made.tag = tag
            return made

        def __array_finalize__(self, source: Any) -> None:
            self.tag = getattr(source, "tag", "fresh")

        def __getitem__(self, key: Any) -> Any:
            return np.ndarray.__getitem__(self, key)

    return Tagged


def wrapping(np: Any) -> type:
    """A class that records which ufunc made an object."""

    class Wrapped(np.ndarray):
        """A user's class."""

        tag = ""

        def __array_wrap__(
            self, array: Any, context: Any = None, return_scalar: Any = False
        ) -> Any:
            made = super().__array_wrap__(array, context, return_scalar)
            if isinstance(made, type(self)):
                made.tag = "" if context is None else context[0].__name__
            return made

    return Wrapped


def overriding(np: Any) -> type:
    """A class that overrides ufuncs, as in NumPy's documentation."""

    class Overriding(np.ndarray):
        """A user's class."""

        tag = ""

        def __array_ufunc__(
            self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any
        ) -> Any:
            plain = [x.view(np.ndarray) if isinstance(x, Overriding) else x for x in inputs]
            if out is not None:
                kwargs["out"] = tuple(
                    x.view(np.ndarray) if isinstance(x, Overriding) else x for x in out
                )
            result = super().__array_ufunc__(ufunc, method, *plain, **kwargs)
            if result is NotImplemented or not isinstance(result, np.ndarray):
                return result
            made = result.view(Overriding)
            made.tag = ufunc.__name__
            return made

    return Overriding


KINDS: dict[str, Make] = {
    "object": lambda np: np.array([Fraction(1, 2), Fraction(3), 2, Fraction(5, 4)], dtype=object),
    "bytes": lambda np: np.array([b"b", b"a", b"cc", b"a"]),
    "str": lambda np: np.array(["b", "a", "cc", "a"]),
    "string": lambda np: np.array(["b", "a", "cc", "a"], dtype=np.dtypes.StringDType()),
    "datetime64": lambda np: np.array(["2024-01-02", "2024-01-01", "2023-05-05"], "M8[D]"),
    "timedelta64": lambda np: np.array([3, 1, 2, 1], "m8[s]"),
    "structured": lambda np: np.array([(1, 2.0), (3, 4.0), (0, 1.0)], [("a", "i4"), ("b", "f8")]),
    "longdouble": lambda np: np.array([1.5, 2.5, -3.5, 0.5], np.longdouble),
    "clongdouble": lambda np: np.array([1.5, 2.5j, -3.5, 0.5], np.clongdouble),
    "swapped f8": lambda np: np.array([1.5, 2.5, -3.5, 0.5], ">f8"),
    "swapped i2": lambda np: np.array([3, 1, 2, 1], ">i2"),
    "matrix": lambda np: np.matrix([[1.5, 2.5], [-3.5, 0.5]]),
    "masked": masked,
    "records": records,
    "tagged": lambda np: derived(np)([1.5, 2.5, -3.5, 0.5], "mine"),
    "tagged objects": lambda np: derived(np)(np.array([1, 2, Fraction(1, 3)], object), "mine"),
    "wrapped": lambda np: np.array([1.5, 2.5, -3.5, 0.5]).view(wrapping(np)),
    "overriding": lambda np: np.array([1.5, 2.5, -3.5, 0.5]).view(overriding(np)),
}

# `x` is the array, `y` a native array of its length.
OPERATIONS = """
    np.array(x) np.array(x,subok=True) np.asarray(x) np.asanyarray(x) np.copy(x)
    np.empty_like(x).shape np.zeros_like(x) np.ones_like(x) np.full_like(x,x[0])
    np.ascontiguousarray(x) x+x x+1 1+x x-x x*2 x*y y*x y+x x/y x%2 x**2 -x abs(x) x==x x!=y x<x
    y<=x np.add(x,x) np.add(y,x) np.multiply(x,y) np.maximum(x,x) np.sqrt(abs(x)) np.equal(x,x)
    np.isnan(x) np.add.reduce(x) np.add.outer(x,x) np.add.accumulate(x) np.add(y,x,out=y) x.sum()
    np.sum(x) x.min() np.max(x,axis=0) np.mean(x) x.argmax() np.any(x) x.cumsum() np.median(x) x[0]
    x[1:] x[::-1] x[[0,1]] x[y>0] x[y.argsort()] x[...] x[None] y[x==x] len(x) list(x)
    put(x,0,x[1]) put(x,slice(1,None),x[0]) put(x,[0,1],x[0]) put(x,y>1,x[0]) put(y,0,x[0])
    put(y,slice(None),x) np.sort(x) x.argsort() np.unique(x) np.searchsorted(x,x[0]) np.flip(x)
    np.roll(x,1) np.repeat(x,2) np.concatenate([x,x]) np.concatenate([x,y]) np.concatenate([y,x])
    np.stack([x,x]) np.hstack([x,y]) np.append(x,x) np.where(y>1,x,x) np.where(x==x,y,y)
    np.take(x,[0,1]) np.tile(x,2) x.reshape(-1) x.T x.ravel() x.astype(object) x.astype(str)
    x.copy() x.view() x.tolist() len(x.tobytes()) x.dtype x.shape x.strides x.ndim x.itemsize
    x.flags.writeable x.flat[1] x.size x.nonzero() repr(x) str(x) format(x[0]) np.array2string(x)
    again(x) copy.copy(x) copy.deepcopy(x) np.array_equal(x,x) np.isin(x,x[:1]) np.dot(x,x) x@x
    np.result_type(x) isinstance(x,np.ndarray) np.split(x,[1]) np.broadcast_to(x,(2,)+x.shape)
    np.shares_memory(x,x[1:]) np.diff(x) np.clip(x,x[0],x[0]) getattr(np.square(x),'tag','')
    getattr(x[1:],'tag','') getattr(x*2,'tag','') getattr(y+x,'tag','') np.ndarray.sum(x)
    np.ndarray.__getitem__(x,0) np.ndarray.__repr__(x) np.percentile(x,50) np.nanmax(x)
    np.kron(x,y) np.kron(y,x) np.inner(y,x) np.outer(x,y) np.tensordot(x,y,0) np.vdot(x,y)
    np.cov(x) np.round(x) np.diff(x) np.ediff1d(x) np.polyval(y,x) np.select([y>1],[x])
    np.extract(y>0,x) np.nanvar(x) np.nancumsum(x) np.cumulative_sum(x) np.einsum('i,i',x,y)
    np.fix(x) np.ptp(x) np.average(x) np.allclose(x,y) np.linalg.norm(x) np.linalg.vector_norm(x)
    np.trapezoid(x) np.gradient(x) add_to(x,x) add_to(x,y)
""".split()


def put(target: Any, key: Any, value: Any) -> Any:
    """`target[key] = value`."""
    target[key] = value
    return target


def add_to(target: Any, value: Any) -> Any:
    """`target += value`."""
    target += value
    return target


def again(x: Any) -> Any:
    """Through a pickle; classes inside a function have none."""
    return None if "<locals>" in type(x).__qualname__ else pickle.loads(pickle.dumps(x))


def outcome(np: Any, kind: str, operation: str) -> Any:
    """The result of an operation, or its error."""
    x = KINDS[kind](np)
    y = np.arange(float(len(x)))
    names = {"np": np, "x": x, "y": y, "put": put, "add_to": add_to, "again": again, "copy": copy}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(operation, names)
        except Exception as error:
            return error


def described(value: Any) -> Any:
    """A value in comparable form: our arrays as NumPy's, classes by their names."""
    if isinstance(value, Exception):
        text = str(value).replace("fastnp", "numpy")
        return type(value), text.split("<locals>")[0]
    if isinstance(value, (tuple, list)):
        return type(value), [described(item) for item in value]
    if isinstance(value, numpy.ndarray) or type(value) is fastnp.ndarray:
        kind = type(value)
        plain = numpy.ma.getdata(value) if kind.__module__ == "numpy.ma" else numpy.asarray(value)
        mask = numpy.ma.getmaskarray(value).tolist() if kind.__module__ == "numpy.ma" else None
        data = plain.tolist()
        return kind.__name__, plain.dtype, plain.shape, repr(data), mask
    return type(value).__name__, repr(value)


def native(value: Any) -> bool:
    """Whether a result of NumPy's is a plain array of a type with kernels."""
    return type(value) is numpy.ndarray and is_native(value.dtype)


@pytest.mark.parametrize("kind", KINDS)
def test_passes_as_numpys(kind: str) -> None:
    wrong = []
    for operation in OPERATIONS:
        ours, theirs = outcome(fastnp, kind, operation), outcome(numpy, kind, operation)
        if described(ours) != described(theirs):
            wrong.append(f"{operation}: {described(ours)} instead of {described(theirs)}")
        elif operation.startswith("np.") and native(theirs) and type(ours) is not fastnp.ndarray:
            wrong.append(f"{operation}: an array of NumPy's")
    assert not wrong, "\n" + "\n".join(wrong)


def test_classes_derive_from_ndarray_and_others() -> None:
    class Sized(fastnp.ndarray, collections.abc.Sized):
        """With an abstract class."""

    class Generic(fastnp.ndarray, typing.Generic[T]):
        """With a generic one."""

    class Abstract(fastnp.ndarray, metaclass=abc.ABCMeta):
        """With a metaclass."""

        @abc.abstractmethod
        def missing(self) -> None:
            """Not there."""

    x: Any = fastnp.arange(3.0)
    for kind in (Sized, Generic):
        view = x.view(kind)
        assert type(view) is kind and issubclass(kind, fastnp.ndarray)
        assert id(view.base) == id(x)
        assert type(view.view(fastnp.ndarray)) is fastnp.ndarray
        view[0] = 7.0
        assert x[0] == 7.0
    assert type(Sized) is abc.ABCMeta and Abstract.__abstractmethods__ == {"missing"}


def test_elements_of_object_arrays_stay_ours() -> None:
    x: Any = fastnp.zeros((3, 2))
    y: Any = fastnp.zeros((1, 2))
    made: Any = fastnp.asarray([x, y], dtype=object)
    assert type(made) is numpy.ndarray and made[0] is x and made[1] is y
