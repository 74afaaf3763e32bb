"""NumPy's dispatch protocols (NEP 13, NEP 18) between our functions and the classes of libraries.

A library's class knows NumPy's functions: by identity, or as keys of a table. A class whose code
names fastnp compares with `fastnp.add`.
"""

from __future__ import annotations

import gc
import pickle
import sys
import warnings
import weakref
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import both

LIBRARY = """
import {module} as np

class Quantity:
    def __init__(self):
        self.calls = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        self.calls.append((ufunc, method, len(inputs), sorted(kwargs)))
        return "ufunc"

    def __array_function__(self, func, types, args, kwargs):
        self.calls.append((func, args, kwargs))
        return "function"
"""

DERIVED = """
import numpy

class Derived(numpy.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [x.view(numpy.ndarray) if type(x) is Derived else x for x in inputs]
        return super().__array_ufunc__(ufunc, method, *plain, **kwargs)
"""


# Warns at its caller's line, and declines what is not NumPy's; and one that declines all.
WARNING = """
import warnings

class Warning:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        warnings.warn(f"{ufunc.__name__} {method}", stacklevel=2)
        kinds = [type(x).__module__.partition(".")[0] for x in inputs]
        return NotImplemented if "fastnp" in kinds else (*kinds, kwargs)

class Declining:
    def __array_ufunc__(self, *_, **__):
        return NotImplemented
"""


def quantity(module: str = "numpy") -> Any:
    """An object of a class whose module imports `module` alone."""
    names: dict[str, Any] = {}
    exec(LIBRARY.format(module=module), names)
    return names["Quantity"]()


@pytest.mark.parametrize("name", ["add", "sqrt", "multiply", "divmod", "matmul", "ldexp"])
@pytest.mark.parametrize("module", ["numpy", "fastnp"])
def test_a_class_is_handed_the_ufunc_that_its_code_names(name: str, module: str) -> None:
    asked, expected = quantity(module), getattr(sys.modules[module], name)
    inputs = [asked, fastnp.ones(3)][: expected.nin]
    assert getattr(fastnp, name)(*inputs) == "ufunc"
    assert asked.calls[0][0] is expected


@pytest.mark.parametrize("module", ["numpy", "fastnp"])
def test_operators_hand_on_the_same(module: str) -> None:
    asked = quantity(module)
    x = fastnp.ones(3)
    assert x + asked == "ufunc"
    assert x @ asked == "ufunc"
    assert (x < asked) == "ufunc"
    named = sys.modules[module]
    assert [call[0] for call in asked.calls] == [named.add, named.matmul, named.less]
    assert all(call[0] is own for call, own in zip(asked.calls, (named.add, named.matmul)))


def test_an_import_within_the_method_counts() -> None:
    begin = "self.calls.append((ufunc"
    text = LIBRARY.format(module="numpy").replace(begin, f"import fastnp; {begin}")
    names: dict[str, Any] = {}
    exec(text, names)
    asked = names["Quantity"]()
    assert fastnp.add(asked, 1) == "ufunc"
    assert asked.calls[0][0] is fastnp.add


def test_a_closure_counts() -> None:
    def library(np: Any) -> Any:
        class Quantity:
            def __array_ufunc__(self, ufunc: Any, method: str, *_: Any, **__: Any) -> bool:
                return ufunc is np.add

        return Quantity()

    # This module imports both, and so does not tell; one without fastnp does by its closure.
    assert fastnp.add(library(fastnp), 1) is True


CALLS = """
    np.put(q, [0], 1)
    np.put(np.ones(3), q, 1)
    np.put_along_axis(q, [0], 1, 0)
    np.place(q, [True], 1)
    np.putmask(q, [True], 1)
    np.fill_diagonal(q, 1)
    np.size(q)
    np.cross(q, q)
    np.cross(q, [1, 2, 3], axis=0)
    np.trapezoid(q, q)
    np.trapezoid(q, dx=2.0)
    np.diff(q)
    np.diff(q, n=2)
    np.ediff1d(q)
    np.gradient(q)
    np.gradient(q, 2.0, axis=0)
    np.outer(q, q)
    np.tensordot(q, q)
    np.diag(q)
    np.tril(q)
    np.linalg.norm(q)
    np.repeat(q, 2)
    np.roll(q, 1)
    np.average(q)
    np.rollaxis(q, 1)
    np.flip(q)
    np.isclose(q, q)
    np.allclose(q, q, rtol=1.0)
    np.array_equal(q, q)
    np.nan_to_num(q)
    np.angle(q)
    np.nanmean(q)
    np.compress([True], q)
    np.corrcoef(q)
    np.sum(q)
    np.sum(q, axis=0)
    np.mean(q, keepdims=True)
    np.sort(q)
    np.take(q, 1)
    np.reshape(q, (2, 2))
    np.transpose(q)
    np.argmax(q)
    np.cumsum(q)
    np.median(q)
    np.quantile(q, 0.5)
    np.broadcast_to(q, (2, 2))
    np.count_nonzero(q)
    np.ptp(q)
    np.where(True, q, q)
    np.einsum("i->", q)
    np.dot(q, q)
    np.zeros_like(q)
    np.copyto(q, 1)
    np.round(q)
    np.fft.fft(q)
    np.interp(1.0, q, q)
    np.unique(q)
    np.pad(q, 1)
    np.tile(q, 2)
    np.squeeze(q)
    np.searchsorted(q, 1)
"""


@pytest.mark.parametrize("call", [line.strip() for line in CALLS.strip().splitlines()])
def test_a_class_is_handed_what_the_user_passed(call: str) -> None:
    ours, theirs = quantity(), quantity()
    assert eval(call, {"np": fastnp, "q": ours}) == eval(call, {"np": numpy, "q": theirs})
    ((func, args, kwargs),) = ours.calls
    ((expected, their_args, their_kwargs),) = theirs.calls
    assert func is expected

    def bound(positional: Any, named: Any, own: Any) -> str:
        # By name, as our functions do not know what was passed by position.
        try:
            from inspect import signature

            named = signature(expected).bind(*positional, **named).arguments
        except ValueError:  # written in C
            named = {**dict(enumerate(positional)), **named}
        passed = {k: v for k, v in named.items() if v is not None}
        return repr(passed).replace(repr(own), "q")

    assert bound(args, kwargs, ours) == bound(their_args, their_kwargs, theirs)


@pytest.mark.parametrize("name", ["add", "sqrt", "ldexp", "matmul", "vecdot"])
def test_ufuncs_are_equal_to_numpys(name: str) -> None:
    ours, theirs = getattr(fastnp, name), getattr(numpy, name)
    assert ours == theirs and theirs == ours and hash(ours) == hash(theirs)
    assert {theirs: 1}[ours] == {ours: 1}[theirs] == 1
    assert ours != numpy.subtract and ours != 1


@pytest.mark.parametrize(
    "call",
    [
        "np.matmul(x, x)",
        "np.einsum('ij,jk->ik', x, x)",
        "np.einsum('ij,jk->ik', x, x, dtype=None, order='K', casting='safe', optimize=False)",
        "np.dot(x, x)",
        "np.concatenate([x, x])",
        "np.sum(x)",
        "np.linalg.norm(x)",
        "np.isclose(x, x)",
    ],
)
def test_numpys_functions_are_native_on_our_arrays(call: str) -> None:
    x: Any = fastnp.arange(9.0).reshape(3, 3)
    before = fastnp.stats()["fallbacks"]
    result = eval(call, {"np": numpy, "x": x})
    assert fastnp.stats()["fallbacks"] == before
    expected = eval(call, {"np": numpy, "x": x.to_numpy()})
    numpy.testing.assert_array_equal(numpy.asarray(result), expected)


class CompiledUfunc:
    """A library's ufunc of a type of its own, which asks its arguments to override it."""

    __name__ = "doubled"

    def __call__(self, x: Any) -> Any:
        if type(x) is numpy.ndarray:
            return x * 2
        return type(x).__array_ufunc__(x, self, "__call__", x)


def test_a_ufunc_of_another_type_is_called_on_views() -> None:
    result = CompiledUfunc()(fastnp.arange(3.0))
    assert type(result) is fastnp.ndarray
    assert result.tolist() == [0.0, 2.0, 4.0]


def test_arrays_with_metadata_are_numpys() -> None:
    dtype = numpy.dtype("f8", metadata={"unit": "m"})
    for made in (
        fastnp.arange(3.0).view(dtype),
        fastnp.zeros(3, dtype),
        fastnp.asarray(numpy.zeros(3, dtype)),
        fastnp.arange(3).astype(dtype),
    ):
        assert made.dtype.metadata == {"unit": "m"}
    x = fastnp.arange(3.0)
    x.view(dtype)[0] = 5
    assert float(x[0]) == 5.0


@pytest.mark.parametrize("name", ["random", "linalg", "fft", "ma", "random.mtrand"])
def test_modules_are_pickled_by_name(name: str) -> None:
    # As joblib and Dask pickle the globals of a function.
    cloudpickle = pytest.importorskip("cloudpickle")
    module: Any = fastnp
    for part in name.split("."):
        module = getattr(module, part)
    assert pickle.loads(cloudpickle.dumps(module)) is module


@pytest.mark.parametrize("name", ["rand", "randn", "normal", "randint", "choice", "shuffle"])
def test_functions_of_random_are_pickled_by_name(name: str) -> None:
    function = getattr(fastnp.random, name)
    assert pickle.loads(pickle.dumps(function)) is function


def derived() -> Any:
    """Of a class derived from NumPy's, whose code does not name fastnp. It hands operands on to
    NumPy's method, which declines those that override ufuncs.
    """
    names: dict[str, Any] = {}
    exec(DERIVED, names)
    return numpy.arange(3.0).view(names["Derived"])


@both
def test_a_class_derived_from_numpys_hands_on_our_arrays(np: Any) -> Any:
    d, x, out = derived(), np.arange(3.0) + 1, np.zeros(3)
    assert np.multiply(d, x, out=out) is out
    parts = np.zeros(3), np.zeros(3)
    both_parts = np.divmod(d, x, out=parts)
    assert all(part is given for part, given in zip(both_parts, parts, strict=True))
    part = np.add(d, x, out=np.ones(3), where=np.array([True, False, True]))
    total = np.zeros(())
    assert np.add.reduce(d, out=total) is total
    np.add.at(out, np.array([0, 0, 2]), d)
    return np.add(d, x), x - d, np.add.outer(d, x), x < d, out, parts, part, total


def test_numpys_own_method_takes_our_arrays() -> None:
    d, x, out = derived().view(numpy.ndarray), fastnp.arange(3.0) + 1, fastnp.zeros(3)
    call = numpy.ndarray.__array_ufunc__
    assert type(call(d, numpy.add, "__call__", d, x)) is numpy.ndarray
    assert call(d, numpy.add, "__call__", d, x, out=(out,)) is out
    assert out.tolist() == [1, 3, 5]
    assert call(d, numpy.add, "__call__", d, quantity()) is NotImplemented
    with pytest.raises(TypeError, match="from 2 to 3 positional arguments"):
        call(d, numpy.add, "__call__", x)


def test_what_a_class_returns_is_of_our_class() -> None:
    class Plain:
        made: Any = numpy.arange(4.0)

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            return kwargs["out"][0] if "out" in kwargs else (self.made, None)

        def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return self.made if func is numpy.sort else args[1]

    asked: Any = Plain()
    theirs = numpy.zeros(4)
    found, nothing = fastnp.add(asked, 1)
    assert type(found) is fastnp.ndarray and nothing is None
    found += 1
    assert asked.made.tolist() == [1, 2, 3, 4]
    assert fastnp.add(asked, 1, out=theirs) is theirs
    assert type(fastnp.sort(asked)) is fastnp.ndarray
    assert fastnp.take(asked, theirs) is theirs
    asked.made = numpy.array(["a"])
    assert fastnp.sort(asked) is asked.made


@pytest.mark.parametrize("call", ["np.sqrt(q)", "np.add(q, 1)", "np.add(2.5, q)", "np.add(q, q)"])
def test_a_class_is_called_from_the_callers_line(call: str) -> None:
    names: dict[str, Any] = {"__name__": "library"}
    exec(WARNING, names)
    found = []
    for np in (numpy, fastnp):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            code = compile("\n" * 41 + call, "users.py", "eval")
            result = eval(code, {"np": np, "q": names["Warning"]()})
        found.append((result, [(w.filename, w.lineno, str(w.message)) for w in caught]))
    assert found[0] == found[1] and found[1][1][0][:2] == ("users.py", 42)


def test_a_class_that_declines_our_arrays_is_given_numpys() -> None:
    names: dict[str, Any] = {"__name__": "library"}
    exec(WARNING, names)
    a, asked, declining = fastnp.ones(3), names["Warning"](), names["Declining"]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fastnp.multiply(a, asked) == ("numpy", "library", {})
        assert a * asked == ("numpy", "library", {})
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        fastnp.multiply(a, declining)
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        fastnp.sqrt(declining)


def test_classes_end_after_they_were_asked() -> None:
    q = quantity()
    fastnp.sqrt(q)
    fastnp.sum(q)
    kind = weakref.ref(type(q))
    del q
    gc.collect()
    assert kind() is None


class Named(type):
    def __getattr__(cls, name: str) -> Any:
        if name != "__array_ufunc__":
            raise AttributeError(name)
        return lambda *_: "metaclass"


def test_protocols_of_metaclasses() -> None:
    """An attribute that only the metaclass has, or invents, counts as the class's, as in NumPy."""
    has = type("Has", (type,), {"__array_ufunc__": lambda cls, *_: "metaclass"})
    for meta in (Named, has):
        operand: Any = meta("Operand", (), {})()
        expected, found = (np.add(np.ones(2), operand) for np in (numpy, fastnp))
        assert found == expected == "metaclass"


# The first call passes NumPy's dispatch; those after it do not, where their arguments permit that.
@pytest.mark.parametrize(
    "call",
    [
        "f.ndim(a)",
        "f.atleast_1d(a)",
        "f.mean(a, axis=0, keepdims=True)",
        "f.max(a, None, None, True)",
        "f.std(a, keepdims=True)",
        "f.dot(a, a)",
        "f.dot(a, [1.0, 2.0, 3.0])",
        "f.result_type(a, 1.5)",
        "f.result_type(a, a)",
        "f.save(a, a)",
        "f.searchsorted(a, numpy.arange(3.0))",
        "f.concatenate((a, a))",
        "f.full(2, 1.5, like=a)",
        "f.full(a, 1.5)",
        "f.copyto(a, 'a')",
        "f.mean(a, nothing=1)",
        "f.atleast_1d(a, nothing=1)",
        "f.ndim(a, 1, 2)",
        "f.searchsorted(a)",
        "f.apply_along_axis(len, 0, a)",
        "f.where(a > 1, a, derived)",
        "f.append(a, derived)",
        "f.append(a, other)",
    ],
)
def test_numpys_functions_called_again_and_again(call: str) -> None:
    class Other:
        def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return func.__name__, len(args), kwargs

    class Derived(numpy.ndarray):
        pass

    def outcome(np: Any) -> Any:
        a = np.array([1.0, 2.0, 4.0])
        names = {"f": numpy, "a": a, "numpy": numpy, "other": Other()}
        names["derived"] = numpy.ones(3).view(Derived)
        try:
            found = eval(call, names)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
        name = type(found).__name__
        return (name, numpy.asarray(found).tolist()) if name != "tuple" else found

    expected = outcome(numpy)
    assert [outcome(fastnp) for _ in range(3)] == [expected] * 3


def test_views_of_numpys_with_a_type() -> None:
    a = fastnp.arange(3.0)
    types: tuple[Any, ...] = (None, float, "f8", numpy.float64, numpy.dtype("f8"), int, "f4", "S3")
    for dtype in types:
        found = numpy.asarray(a, dtype=dtype)
        assert type(found) is numpy.ndarray
        assert_same_array(found, numpy.asarray(numpy.arange(3.0), dtype=dtype))
    view = numpy.asarray(a)
    assert numpy.asarray(a, dtype=float, order="C") is view
    turned = fastnp.arange(6.0).reshape(2, 3).T
    view = numpy.asarray(turned)
    assert numpy.asarray(turned, order="C").flags.c_contiguous
    assert numpy.asarray(turned, order="K") is view
    invalid: Any = 3
    for name in ("dtype", "order"):
        with pytest.raises(TypeError):
            numpy.asarray(a, **{name: invalid})


def assert_same_array(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()
