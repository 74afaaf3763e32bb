"""Which of our functions stands for which of NumPy's: the one table the namespace and the protocols
look into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as _np

from fastnp import _errstate, _fastnp
from fastnp._fallback import PLAIN, SCALARS, call, closed, our_module
from fastnp._override import function_of, handed_over

NoValue = _np._NoValue

_F = TypeVar("_F", bound=Callable[..., Any])

# Functions and classes of NumPy's to ours.
NATIVE: dict[Any, Any] = {
    _np.ndarray: _fastnp.ndarray,
    _np.ufunc: _fastnp.ufunc,
    _np.errstate: _errstate.errstate,
}

_FROM_ENGINE = """
    array asarray asanyarray ascontiguousarray asfortranarray copy empty zeros ones full
    empty_like zeros_like ones_like full_like arange where dot copyto concatenate stack vstack
    hstack dstack column_stack append shares_memory may_share_memory
    """

for _name in _FROM_ENGINE.split():
    NATIVE[getattr(_np, _name)] = getattr(_fastnp, _name)


def native(original: Callable[..., Any]) -> Callable[[_F], _F]:
    """Declare the decorated function to be ours for NumPy's `original`; it takes over its names and
    doc.
    """

    def declare(function: _F) -> _F:
        NATIVE[original] = function
        function.__name__ = function.__qualname__ = original.__name__
        function.__doc__ = original.__doc__
        # `inspect.signature` then shows NumPy's own, which some programs compare.
        function.__wrapped__ = original  # type: ignore[attr-defined]
        function.__annotations__ = {}
        function.__module__ = our_module(original)
        return function

    return declare


def given(**kwargs: Any) -> dict[str, Any]:
    """The keyword arguments that were passed, without those left at NumPy's `<no value>`."""
    return {name: value for name, value in kwargs.items() if value is not NoValue}


def elsewhere(
    original: Callable[..., Any], method: str, a: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """For what has no short way: the method of an array of ours, what the first argument's class
    makes of it, else NumPy.
    """
    kind = type(a)
    if kind in SCALARS and not kwargs and PLAIN.issuperset(map(type, args)):
        # Numbers alone: nothing to replace, nothing to enter.
        return closed(original(a, *args), [])
    if kind is _fastnp.ndarray:
        if function_of(kwargs.get("where")) is not None:
            return call(original, (a, *args), kwargs)
        return getattr(a, method)(*args, **kwargs)
    if (kind is list or kind is tuple) and function_of(kwargs.get("where")) is None:
        made = _fastnp.asanyarray(a)
        if type(made) is _fastnp.ndarray:
            return getattr(made, method)(*args, **kwargs)
    if function_of(a) is not None:
        # The class is asked with what the user gave, not with every default filled in.
        return handed_over(NATIVE[original], a, (a,), {**_differing(original, args), **kwargs})
    return call(original, (a, *args), kwargs)


def _differing(original: Callable[..., Any], args: tuple[Any, ...]) -> dict[str, Any]:
    import inspect  # takes 8 ms, which the import of the package does not have

    parameters = list(inspect.signature(original).parameters.values())[1:]
    return {p.name: value for p, value in zip(parameters, args) if value is not p.default}
