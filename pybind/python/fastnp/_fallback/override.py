"""Dispatch to operands that override NumPy's functions: NEP 13 and NEP 18, from the caller's side.

NumPy's own dispatch would pass NumPy's function to the operand. A program that imports fastnp
compares that function with `np.add`, or looks it up in a table, so it must be ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as _np
from numpy._core import _internal

from fastnp._fastnp import ndarray

__all__ = [
    "array_function_of",
    "dispatch_function",
    "dispatch_ufunc",
    "has_override",
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


def overrides_ufuncs(value: Any) -> bool:
    """Whether an operand of a ufunc has an `__array_ufunc__` of its own, which may be None."""
    return getattr(type(value), "__array_ufunc__", _UFUNC[0]) not in _UFUNC


def has_override(original: _np.ufunc, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether an operand, `out` or `where` overrides the ufunc."""
    named = (*outputs(kwargs), kwargs.get("where")) if kwargs else ()
    return any(map(overrides_ufuncs, args)) or any(map(overrides_ufuncs, named))


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
    for value in (*inputs, *named.get("out", ()), named.get("where")):
        if not overrides_ufuncs(value) or any(type(value) is type(x) for x in candidates):
            continue
        if type(value).__array_ufunc__ is None:
            kind = type(value).__name__
            text = f"operand '{kind}' does not support ufuncs (__array_ufunc__=None)"
            raise TypeError(text)
        candidates.append(value)
    while candidates:
        value = _first(candidates)
        result = type(value).__array_ufunc__(value, ours, method, *inputs, **named)
        if result is not NotImplemented:
            return result
        candidates = [other for other in candidates if other is not value]
    raise TypeError(_internal.array_ufunc_errmsg_formatter(None, ours, method, *inputs, **named))


def _first(values: list[Any]) -> Any:
    """The operand to ask first: from left to right, but subclasses before their base classes."""
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
    ours: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """The result of the `__array_function__` of `value` for a call of our function."""
    result = type(value).__array_function__(value, ours, (type(value),), args, dict(kwargs))
    if result is NotImplemented:
        types: Any = [type(value)]
        raise TypeError(_internal.array_function_errmsg_formatter(ours, types))
    return result
