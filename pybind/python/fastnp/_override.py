"""NEP 13 and NEP 18 from our side: handing an operation over to an operand that wants it.

NumPy's own dispatch would hand over NumPy's function, but a program that imports us compares what
it is given with `np.add` or looks it up in a table of such: it gets ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as _np
from numpy._core import _internal

from fastnp._fastnp import ndarray

__all__ = ["dispatched", "function_of", "handed_over", "outputs", "overridden", "overrides"]

# What counts as no override: the two defaults. A class without one is not asked.
_UFUNC = (ndarray.__array_ufunc__, _np.ndarray.__array_ufunc__)
_FUNCTION = (ndarray.__array_function__, _np.ndarray.__array_function__)

# What the methods of ufuncs take by position after their operands.
_POSITIONS = {
    "__call__": ("out",),
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("axis", "dtype", "out"),
}
# What calls take by name.
_NAMES = frozenset("out where casting order subok dtype signature sig axes axis keepdims".split())


def overrides(value: Any) -> bool:
    """Whether an operand of a ufunc has an `__array_ufunc__` of its own, also None."""
    return getattr(type(value), "__array_ufunc__", _UFUNC[0]) not in _UFUNC


def overridden(original: _np.ufunc, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether an operand, a destination or a mask takes the operation over."""
    named = (*outputs(kwargs), kwargs.get("where")) if kwargs else ()
    return any(map(overrides, args)) or any(map(overrides, named))


def outputs(kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The destinations that a call of a ufunc names, None where it names none."""
    out = kwargs.get("out")
    return out if type(out) is tuple else (out,)


def dispatched(
    ours: Any, original: _np.ufunc, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """What the operands make of a ufunc's call."""
    read = _normal(original, method, args, kwargs)
    if read is None:
        return getattr(original, method)(*args, **kwargs)
    inputs, named = read
    waiting: list[Any] = []
    for value in (*inputs, *named.get("out", ()), named.get("where")):
        if not overrides(value) or any(type(value) is type(known) for known in waiting):
            continue
        if type(value).__array_ufunc__ is None:
            kind = type(value).__name__
            text = f"operand '{kind}' does not support ufuncs (__array_ufunc__=None)"
            raise TypeError(text)
        waiting.append(value)
    while waiting:
        value = _first(waiting)
        result = type(value).__array_ufunc__(value, ours, method, *inputs, **named)
        if result is not NotImplemented:
            return result
        waiting = [other for other in waiting if other is not value]
    raise TypeError(_internal.array_ufunc_errmsg_formatter(None, ours, method, *inputs, **named))


def _first(values: list[Any]) -> Any:
    """The one asked first: from the left, but subclasses before what they derive from."""
    for i, value in enumerate(values):
        kind = type(value)
        if not any(issubclass(type(later), kind) for later in values[i + 1 :]):
            return value
    return values[0]


def _normal(
    original: _np.ufunc, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Operands by position and everything else by name, with destinations in a tuple; None for what
    NumPy refuses.
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


def function_of(value: Any) -> Callable[..., Any] | None:
    """The `__array_function__` of an object that is no array of ours or of NumPy's."""
    function = getattr(type(value), "__array_function__", None)
    return None if function is None or function in _FUNCTION else function


def handed_over(
    ours: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """What the class of `value` makes of a call of our function."""
    result = type(value).__array_function__(value, ours, (type(value),), args, dict(kwargs))
    if result is NotImplemented:
        types: Any = [type(value)]
        raise TypeError(_internal.array_function_errmsg_formatter(ours, types))
    return result
