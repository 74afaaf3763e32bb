"""The fallback: run a NumPy callable on our arrays without copying them.

`call` and `uncounted` are the extension's (`pybind/src/fallback`). They leave to `general` and
`general_uncounted` here what holds objects of other classes.

Arguments: an array of ours, also inside a list, tuple or dict, becomes a NumPy view of the same
memory, so what NumPy writes into it is written to our array. Our class becomes `numpy.ndarray`.
Everything else, NumPy's subclasses and object arrays included, is passed unchanged.

Results: a NumPy array of a native dtype becomes an array of ours, on the same memory unless that is
new and small. A result that is one of the views becomes the array the view was made from, so `out=`
keeps its identity.

The extension calls `call`, `comparison`, `general`, `general_ufunc`, `general_uncounted`,
`method`, `method_uncounted`, `names_fastnp`, `of_override`, `operator`, `private_index`,
`restore_elements`, `ufunc`, `ufunc_attribute` and `uncounted` by name.
"""

from __future__ import annotations

import operator as operators
import sys
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as _np

from fastnp._fallback.override import (
    array_function_of,
    as_passed,
    dispatch_function,
    dispatch_ufunc,
    has_override,
    names_fastnp,
    of_override,
    outputs,
    overrides_ufuncs,
)
from fastnp._fastnp import (
    UFUNCS,
    call,
    call_numpy,
    enter_fallback,
    from_numpy,
    ndarray,
    numpy_function,
    set_plain_types,
    to_numpy,
    uncounted,
)

__all__ = [
    "call",
    "comparison",
    "from_views",
    "general",
    "general_uncounted",
    "method",
    "method_uncounted",
    "names_fastnp",
    "of_override",
    "operator",
    "private_index",
    "refused",
    "to_views",
    "ufunc",
    "uncounted",
    "wrap",
]

NOT_NATIVE = "not native"
NOT_COVERED = "these arguments are not native"

# NumPy's limit.
MAX_DIMENSIONS = 64

# Types that cannot hold an array. They are tested first, since that is one lookup in a set.
PLAIN: frozenset[type] = frozenset(
    {NoneType, bool, int, float, complex, str, bytes, type, slice, type(_np._NoValue)}
    | {type(...), type(_np.dtype("f8")), type(_np.dtype("i8")), _np.ndarray}
    | {_np.dtype(code).type for code in "?bBhHiIlLqQefdgFDG"}
)

SCALARS: frozenset[type] = PLAIN - {_np.ndarray}

set_plain_types(SCALARS)

# The NumPy views made for one call, each with the array of ours it was made from.
_Views = list[tuple[Any, Any]]


class StandIn:
    """Replaces a foreign object whose `__array__` returns an array of ours, which NumPy rejects."""

    def __init__(self, value: Any, view: Any, views: _Views) -> None:
        self.value, self.view, self.views = value, view, views
        if hasattr(value, "__array_priority__"):
            self.__array_priority__ = value.__array_priority__

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return _np.array(self.view, dtype, copy=copy)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        context = _our_context(context, self.views)
        return self.value.__array_wrap__(_from_view(array, self.views), context, return_scalar)


def _our_context(context: Any, views: _Views) -> Any:
    """The `context` NumPy passes to `__array_wrap__`, with our ufunc and our arrays."""
    if context is None:
        return None
    func, args, which = context
    return UFUNCS.get(func.__name__, func), tuple(owner_of(a, views) for a in args), which


def owner_of(value: Any, views: _Views) -> Any:
    """The array of ours that `value` is a view of, if it is one of `views`; otherwise `value`."""
    for view, owner in views:
        if value is view:
            return owner
    return value


def owners_of(result: Any, views: _Views) -> Any:
    """`owner_of` a result of NumPy's, or of each one of several."""
    if type(result) is tuple:
        return tuple(owner_of(item, views) for item in result)
    return owner_of(result, views)


def _to_view(value: Any, views: _Views, depth: int = 0) -> Any:
    """`value` with every array of ours replaced by a NumPy view, which is added to `views`.

    The depth of nested lists is limited to NumPy's number of dimensions: a list may contain itself.
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is ndarray:
        view = to_numpy(value)
        views.append((view, value))
        return view
    if value is ndarray:
        return _np.ndarray
    if (kind is list or kind is tuple) and depth < MAX_DIMENSIONS:
        # One loop in C over a long list of numbers.
        if PLAIN.issuperset(map(type, value)):
            return value
        known = len(views)
        items = [_to_view(item, views, depth + 1) for item in value]
        if len(views) == known:
            return value
        return items if kind is list else tuple(items)
    if kind is dict:
        return {key: _to_view(item, views) for key, item in value.items()}
    return _foreign_to_view(value, kind, views)


def _foreign_to_view(value: Any, kind: type, views: _Views) -> Any:
    """A foreign object unchanged, unless its `__array__` returns an array of ours that its
    `__array_wrap__` is to be given.
    """
    if getattr(kind, "__array__", None) is None or issubclass(kind, (_np.ndarray, _np.generic)):
        return value
    if not hasattr(kind, "__array_wrap__"):
        return value
    if hasattr(kind, "__array_ufunc__") or hasattr(kind, "__array_function__"):
        return value
    made = value.__array__()
    if type(made) is not ndarray:
        return value
    view = _to_view(made, views)
    stand_in = StandIn(value, view, views)
    views.append((stand_in, value))
    return stand_in


def _from_view(result: Any, views: _Views) -> Any:
    """`result` with every plain NumPy array replaced by an array of ours."""
    kind = type(result)
    if kind is ndarray:
        return result
    if kind is _np.ndarray:
        for view, owner in views:
            if result is view:
                return owner
        try:
            return from_numpy(result)
        except TypeError:
            if result.dtype.hasobject and views:
                restore_elements(result, views)
            return result
    if kind in PLAIN:
        return result
    if isinstance(result, tuple):
        items = [_from_view(item, views) for item in result]
        if kind is tuple:
            return tuple(items)
        # A named tuple takes its fields as arguments; other subclasses of tuple are not rebuilt.
        return kind(*items) if hasattr(kind, "_fields") else result
    if kind is list:
        return [_from_view(item, views) for item in result]
    # A NumPy subclass passed as `out=` is returned itself; a stand-in becomes its object.
    return owner_of(result, views)


def restore_elements(objects: Any, views: _Views) -> None:
    """Replace views among the elements of an object array by the arrays they were made from."""
    if objects.dtype.names is not None:
        return
    owners = {id(view): owner for view, owner in views}
    # Only a new array can hold a view made for this call, and flattening a new one copies nothing.
    elements = objects.ravel(order="K")
    for i, item in enumerate(elements):
        if id(item) in owners:
            elements[i] = owners[id(item)]


def to_views(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any], _Views]:
    """Arguments for NumPy, and the pairs (view, our array) among them."""
    views: _Views = []
    plain = []
    for value in args:
        kind = type(value)
        if kind is ndarray:
            view = to_numpy(value)
            views.append((view, value))
            plain.append(view)
        elif kind in PLAIN:
            plain.append(value)
        else:
            plain.append(_to_view(value, views))
    named = {key: _to_view(value, views) for key, value in kwargs.items()} if kwargs else {}
    return plain, named, views


def from_views(result: Any, views: _Views) -> Any:
    """A result of NumPy's with arrays of ours."""
    return result if type(result) in SCALARS else _from_view(result, views)


def general(
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    name: str,
    reason: str,
) -> Any:
    """Run NumPy's `func` as `call` does, on arguments of any classes."""
    if kwargs and kwargs.get("like") is not None:
        return _create_like(func, args, kwargs)
    if hasattr(func, "_implementation") and any(map(_is_foreign, args)):
        # Native functions fill in all defaults.
        args, kwargs = as_passed(func, args, kwargs)
    plain, named, views = to_views(args, kwargs)
    if views:
        enter_fallback(name, reason)
    result = call_numpy(func, plain, named)
    if type(result) in SCALARS:
        return result
    # NumPy arrays that are given to be written are returned as they are. What follows a ufunc's
    # operands is such.
    given = (*outputs(kwargs), *args[getattr(func, "nin", len(args)) :])
    numpys = [(out, out) for out in given if type(out) is _np.ndarray]
    ours = _from_view(result, [*views, *numpys] if numpys else views)
    if not views and type(ours) is ndarray:
        # No argument was an array of ours, so strict mode does not refuse the call.
        enter_fallback(name, reason, refusable=False)
    return ours


def _is_foreign(value: Any) -> bool:
    kind = type(value)
    return kind is not ndarray and kind not in PLAIN and array_function_of(value) is not None


def _create_like(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A creation function called with `like`: the class of `like` makes the array (NEP 35)."""
    rest = {key: value for key, value in kwargs.items() if key != "like"}
    ours, like = getattr(sys.modules["fastnp"], func.__name__, func), kwargs["like"]
    if array_function_of(like) is not None:
        _check(func, args, rest)
        return dispatch_function(ours, func, like, tuple(args), rest)
    if isinstance(like, (ndarray, _np.ndarray)):
        return ours(*args, **rest)
    return func(*args, **kwargs)


def _check(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise `TypeError` for arguments that do not fit the signature, before dispatch."""
    import inspect  # 8 ms, too long for the import of the package

    try:
        signature = inspect.signature(func)
    except ValueError:  # a function in C without a signature
        return
    signature.bind(*args, **kwargs)


def wrap(
    func: Callable[..., Any], name: str, run: Callable[..., Any] = call, module: str | None = None
) -> Callable[..., Any]:
    """A function that runs NumPy's `func`; it has the name, doc and signature of `func`, and is
    pickled under our module's name.
    """

    if run is call or run is uncounted:
        wrapped: Any = function_of(func, name if run is call else None)
    else:

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return run(func, args, kwargs, name, NOT_NATIVE)

    return described(wrapped, func, name, module)


def described(wrapped: Any, func: Callable[..., Any], name: str, module: str | None = None) -> Any:
    """`wrapped` with the name, doc and signature of NumPy's `func`."""
    wrapped.__name__ = getattr(func, "__name__", name)
    wrapped.__qualname__ = getattr(func, "__qualname__", wrapped.__name__)
    wrapped.__doc__ = func.__doc__
    wrapped.__module__ = module or our_module(func)
    wrapped.__wrapped__ = func
    return wrapped


def function_of(
    func: Callable[..., Any], name: str | None, on_device: Callable[..., Any] | None = None
) -> Any:
    """An object that runs NumPy's `func`, counted under `name` if there is one; while the current
    target is a device it calls `on_device` instead.
    """
    # NumPy's dispatch looks for other classes; where there is none, the function behind it does.
    direct = getattr(func, "_implementation", func)
    return numpy_function(func, direct, name, NOT_NATIVE, None, False, on_device)


def our_module(value: Any) -> str:
    """The name of our module that mirrors the one `value` was defined in."""
    module = getattr(value, "__module__", None) or "numpy"
    return "fastnp" + module.removeprefix("numpy")


def general_uncounted(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Run NumPy's `func` as `uncounted` does, on arguments of any classes."""
    plain, named, views = to_views(args, kwargs)
    result = call_numpy(func, plain, named)
    return result if type(result) in SCALARS else _from_view(result, views)


def refused(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> Any:
    """As `call`, for arguments the engine rejected: NumPy raises the error in its own words.

    The ledger records the call only if NumPy accepts the arguments.
    """
    result = uncounted(func, args, kwargs)
    enter_fallback(name, NOT_COVERED, refusable=False)
    return result


def ufunc(
    name: str, method: str, args: Sequence[Any], kwargs: Mapping[str, Any], wrong: bool = False
) -> Any:
    """Run a method of NumPy's ufunc `name`; `method` is "__call__", "reduce", "at" and so on.

    `wrong` says that the engine rejected the arguments; NumPy then raises the error.
    """
    func = getattr(_np, name)
    if has_override(func, args, kwargs):
        # Operators also call functions that have no row in the op table: `@` calls `matmul`.
        ours = UFUNCS.get(name) or getattr(sys.modules["fastnp"], name)
        return dispatch_ufunc(ours, func, method, args, kwargs)
    run = func if method == "__call__" else getattr(func, method)
    full = name if method == "__call__" else f"{name}.{method}"
    if wrong:
        return refused(run, args, kwargs, full)
    result = call(run, args, kwargs, full)
    if type(result) is ndarray and method == "__call__":
        # If `out` is a NumPy array, that array is the result.
        for out in (*outputs(kwargs), *args[func.nin :]):
            if type(out) is _np.ndarray:
                return out
    return result


def comparison(self: Any, name: str, other: Any) -> Any:
    """NumPy's `==` or `!=` of an array of ours and an object that is not one."""
    if overrides_ufuncs(other):
        return ufunc("equal" if name == "__eq__" else "not_equal", "__call__", (self, other), {})
    return method(self, name, (other,))


def general_ufunc(
    ours: Any, original: _np.ufunc, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Call a ufunc that runs in NumPy, on arguments of any classes."""
    if has_override(original, args, kwargs):
        return dispatch_ufunc(ours, original, "__call__", args, kwargs)
    return general(original, args, kwargs, original.__name__, NOT_NATIVE)


def ufunc_attribute(ours: Any, original: _np.ufunc, name: str, value: Any) -> Any:
    """An attribute of a ufunc that runs in NumPy: NumPy's, but a method takes arrays of ours."""
    if name not in _UFUNC_METHODS:
        return value

    def run(*args: Any, **kwargs: Any) -> Any:
        if has_override(original, args, kwargs):
            return dispatch_ufunc(ours, original, name, args, kwargs)
        return call(value, args, kwargs, f"{original.__name__}.{name}", NOT_NATIVE)

    return run


_UFUNC_METHODS = frozenset({"reduce", "accumulate", "reduceat", "outer", "at"})

_OPERATORS = {
    "add": operators.add,
    "subtract": operators.sub,
    "multiply": operators.mul,
    "divide": operators.truediv,
    "floor_divide": operators.floordiv,
    "remainder": operators.mod,
    "power": operators.pow,
    "bitwise_and": operators.and_,
    "bitwise_or": operators.or_,
    "bitwise_xor": operators.xor,
    "left_shift": operators.lshift,
    "right_shift": operators.rshift,
}


def operator(name: str, left: Any, right: Any) -> Any:
    """An operator for which a NumPy class returned `NotImplemented`: run again on NumPy's array,
    since classes such as `matrix` accept nothing else.
    """
    return call(_OPERATORS[name], (left, right), {}, name)


# The methods with an index as their first argument, and its name if it may be a keyword.
_INDEXED = {"__getitem__": "", "__setitem__": "", "take": "indices", "put": "indices"}


def private_index(index: Any) -> Any:
    """An index with copies of its arrays.

    NumPy checks positions, or counts a mask, and then reads them again without the GIL: an array
    that another thread writes meanwhile would make it read and write beyond its memory. A copy is
    visited in the same order, so the first wrong position and the last value written are too.
    """
    if type(index) is tuple:
        return tuple(map(private_index, index))
    if type(index) is ndarray:
        index = to_numpy(index)
    if type(index) is not _np.ndarray or index.ndim == 0:
        return index
    ordered = tuple(
        slice(0, 1) if stride == 0 else slice(None, None, -1 if stride < 0 else 1)
        for stride in index.strides
    )
    return _np.broadcast_to(index[ordered].copy("K")[ordered], index.shape)


def _method(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any] | None
) -> tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]:
    """NumPy's method of a name, and its arguments, an index among them made private."""
    kwargs = kwargs or {}
    if name in _INDEXED:
        keyword = _INDEXED[name]
        if args:
            args = (private_index(args[0]), *args[1:])
        elif keyword in kwargs:
            kwargs = {**kwargs, keyword: private_index(kwargs[keyword])}
    return getattr(_np.ndarray, name), args, kwargs


def method(
    self: Any, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Any:
    """Run NumPy's method `name` of `self`."""
    func, args, kwargs = _method(name, args, kwargs)
    return call(func, (self, *args), kwargs, "ndarray." + name)


def method_uncounted(
    self: Any, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Any:
    """As `method`, for arguments the engine rejected: NumPy raises the error in its own words."""
    func, args, kwargs = _method(name, args, kwargs)
    return uncounted(func, (self, *args), kwargs)
