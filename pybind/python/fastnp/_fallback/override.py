"""Dispatch to operands that override NumPy's functions: NEP 13 and NEP 18, from the caller's side.

A class compares the function that it is handed with `np.add`, or looks it up in a table. One whose
code names fastnp is handed our function, any other NumPy's, as its library expects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as _np
from numpy._core import _internal

from fastnp._fastnp import from_numpy, ndarray, numpy_function, to_numpy, ufunc

if TYPE_CHECKING:
    from inspect import Parameter

__all__ = [
    "array_function_of",
    "as_passed",
    "dispatch_function",
    "dispatch_ufunc",
    "expects_numpys",
    "has_override",
    "names_fastnp",
    "of_override",
    "outputs",
    "overrides_ufuncs",
]

# The default implementations, which are no override. A class without the attribute has none either.
_UFUNC = (ndarray.__array_ufunc__, _np.ndarray.__array_ufunc__)
_FUNCTION = (ndarray.__array_function__, _np.ndarray.__array_function__)

# Arguments that ufunc methods take by position after their operands.
_POSITIONS = {
    "__call__": ("out",),
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("axis", "dtype", "out"),
}
# Arguments that calls take by name.
_NAMES = frozenset("out where casting order subok dtype signature sig axes axis keepdims".split())


# The class of functions of ours that run NumPy's.
_NUMPYS = type(numpy_function(_np.sort, _np.sort, None, None, None, False, None))

# What `names_fastnp` found, by the protocol and the class's `id`, while the class lives. A
# `WeakKeyDictionary` takes half a microsecond longer.
_names_fastnp: dict[tuple[str, int], tuple[bool, ref[type]]] = {}


def names_fastnp(kind: type, protocol: str) -> bool:
    """Whether the code of a class's protocol method names fastnp or a function of it: in its
    module, its closure, or an import of its own.
    """
    key = protocol, id(kind)
    known = _names_fastnp.get(key)
    if known is None:
        found = _function_names_fastnp(getattr(kind, protocol))
        known = found, ref(kind, lambda _: _names_fastnp.pop(key, None))
        _names_fastnp[key] = known
    return known[0]


def _function_names_fastnp(method: Any) -> bool:
    method = getattr(method, "__func__", method)
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    if not isinstance(method, FunctionType):
        return False
    named = [*method.__globals__.values(), *map(_contents, method.__closure__ or ())]
    return "fastnp" in method.__code__.co_names or any(map(_is_ours, named))


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _is_ours(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] == "fastnp"
    if isinstance(value, (FunctionType, BuiltinFunctionType, _NUMPYS)):
        return (value.__module__ or "").partition(".")[0] == "fastnp"
    return type(value) is ufunc


def overrides_ufuncs(value: Any) -> bool:
    """Whether an operand of a ufunc has an `__array_ufunc__` of its own, which may be None."""
    return getattr(type(value), "__array_ufunc__", _UFUNC[0]) not in _UFUNC


def has_override(original: _np.ufunc, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether an operand, `out` or `where` overrides the ufunc."""
    named = (*outputs(kwargs), kwargs.get("where")) if kwargs else ()
    return any(map(overrides_ufuncs, args)) or any(map(overrides_ufuncs, named))


def expects_numpys(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether an operand's class overrides ufuncs and does not name fastnp."""
    return any(
        overrides_ufuncs(value)
        and type(value).__array_ufunc__ is not None
        and not names_fastnp(type(value), "__array_ufunc__")
        for value in (*args, *outputs(kwargs))
    )


def outputs(kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arrays passed as `out` in a call of a ufunc, None where there is none."""
    out = kwargs.get("out")
    return out if type(out) is tuple else (out,)


def dispatch_ufunc(
    ours: Any, original: _np.ufunc, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """The result of the first operand whose `__array_ufunc__` implements the call."""
    read = _normal(original, method, args, kwargs)
    if read is None:
        return getattr(original, method)(*args, **kwargs)
    inputs, named = read
    candidates: list[Any] = []
    given = (*inputs, *named.get("out", ()), named.get("where")) if named else inputs
    for value in given:
        if not overrides_ufuncs(value):
            continue
        if candidates and any(type(value) is type(x) for x in candidates):
            continue
        if type(value).__array_ufunc__ is None:
            kind = type(value).__name__
            text = f"operand '{kind}' does not support ufuncs (__array_ufunc__=None)"
            raise TypeError(text)
        candidates.append(value)
    while candidates:
        value = _first(candidates)
        func = ours if names_fastnp(type(value), "__array_ufunc__") else original
        result = type(value).__array_ufunc__(value, func, method, *inputs, **named)
        if result is NotImplemented and func is original:
            result = _called_on_views(value, func, method, inputs, named)
        if result is not NotImplemented:
            return _in_our_class(result, named.get("out", ()))
        candidates = [other for other in candidates if other is not value]
    raise TypeError(_internal.array_ufunc_errmsg_formatter(None, ours, method, *inputs, **named))


def _called_on_views(
    value: Any, func: _np.ufunc, method: str, inputs: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """The `__array_ufunc__` of a class that hands its operands on to NumPy, which refuses those
    that override ufuncs: called on NumPy's views of our arrays.
    """

    def view(x: Any) -> Any:
        return to_numpy(x) if type(x) is ndarray else x

    views = {name: view(x) for name, x in named.items()}
    out = named.get("out", ())
    if out:
        views["out"] = tuple(map(view, out))
    result = type(value).__array_ufunc__(value, func, method, *map(view, inputs), **views)
    for ours, theirs in zip(out, views.get("out", ())):
        if result is theirs:
            return ours
    return result


def of_override(original: _np.ufunc, value: Any, inputs: tuple[Any, ...], result: Any) -> Any:
    """What a call of a ufunc on operands returns, for what the class of `value` made of it."""
    if result is NotImplemented:
        result = _called_on_views(value, original, "__call__", inputs, {})
    if result is NotImplemented:
        raise TypeError(_internal.array_ufunc_errmsg_formatter(None, original, "__call__", *inputs))
    return _in_our_class(result)


def _in_our_class(result: Any, given: Sequence[Any] = ()) -> Any:
    """What a class returned, with arrays of ours for those of NumPy's class, but for given ones:
    a program that calls our function finds its `ndarray` (`type(q > r) is np.ndarray`).
    """
    if type(result) is tuple:
        return tuple(_in_our_class(item, given) for item in result)
    if type(result) is not _np.ndarray or any(result is known for known in given):
        return result
    try:
        return from_numpy(result)
    except TypeError:  # a type without kernels
        return result


def _first(values: list[Any]) -> Any:
    """The operand to ask first: from left to right, but subclasses before their base classes."""
    if len(values) == 1:
        return values[0]
    for i, value in enumerate(values):
        kind = type(value)
        if not any(issubclass(type(later), kind) for later in values[i + 1 :]):
            return value
    return values[0]


def _normal(
    original: _np.ufunc, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Arguments in the form of NEP 13: operands by position, everything else by name, `out` as a
    tuple. None for arguments that NumPy rejects.
    """
    if not kwargs and method == "__call__" and len(args) == original.nin:
        return tuple(args), {}  # the common call
    named = dict(kwargs)
    count, outputs = 1 + (method == "reduceat"), 1
    names = _POSITIONS.get(method, ())
    known = frozenset(names)
    if method in ("__call__", "outer"):
        count, outputs, known = original.nin, original.nout, _NAMES
        if names and len(args) > count:
            more = args[count:]
            args = (*args[:count], (*more, *[None] * (outputs - len(more))))
    elif method == "at":
        count = min(max(len(args), 2), 3)
    given = dict(zip(names, args[count:]))
    if not count <= len(args) <= count + len(names) or given.keys() & named.keys():
        return None
    if named.keys() - known or ("sig" in named and "signature" in named):
        return None
    named.update(given)
    out = named.pop("out", (None,) * outputs)
    out = out if type(out) is tuple else (out,)
    if len(out) != outputs:
        return None
    if any(part is not None for part in out):
        named["out"] = out
    if named.get("initial") is _np._NoValue:
        del named["initial"]
    if "sig" in named:
        named["signature"] = named.pop("sig")
    return tuple(args[:count]), named


def array_function_of(value: Any) -> Callable[..., Any] | None:
    """The `__array_function__` of an object that is neither an array of ours nor of NumPy's."""
    function = getattr(type(value), "__array_function__", None)
    return None if function is None or function in _FUNCTION else function


def dispatch_function(
    ours: Callable[..., Any],
    original: Callable[..., Any],
    value: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Any:
    """The result of the `__array_function__` of `value` for a call of our function."""
    func = ours if names_fastnp(type(value), "__array_function__") else original
    result = type(value).__array_function__(value, func, (type(value),), args, dict(kwargs))
    if result is NotImplemented:
        types: Any = [type(value)]
        raise TypeError(_internal.array_function_errmsg_formatter(func, types))
    return _in_our_class(result, (*args, *kwargs.values()))


def as_passed(
    original: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments for a class's own version of NumPy's function, which may not take all of them:
    those with a default in `original` by name, and none that is that default.
    """
    named, positional = dict(kwargs), len(args)
    for i, (parameter, value) in enumerate(zip(_parameters(original), args)):
        if parameter.kind is parameter.VAR_POSITIONAL:
            break
        if parameter.default is not parameter.empty:
            positional = min(positional, i)
            named[parameter.name] = value
    for parameter in _parameters(original):
        if parameter.name in named and _is_same(named[parameter.name], parameter.default):
            del named[parameter.name]
    return tuple(args[:positional]), named


def _is_same(value: Any, default: Any) -> bool:
    """Whether a value is a default: the same object, or an equal number or text."""
    if type(value) in (bool, int, float, str):
        return type(value) is type(default) and bool(value == default)
    return value is default


@cache
def _parameters(original: Callable[..., Any]) -> list[Parameter]:
    from inspect import signature  # 8 ms, too long for the import of the package

    try:
        return list(signature(original).parameters.values())
    except ValueError:  # a function in C without a signature
        return []
