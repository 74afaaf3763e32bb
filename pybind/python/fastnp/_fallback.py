"""Run a NumPy callable on our arrays without copying.

Arrays of ours among the arguments, also inside lists, tuples and dicts, go in as NumPy views of the
same memory and results of a native dtype come out as arrays of ours. A result that is the very view
that went in comes out as the array it was made from, so `out=` keeps its identity; what NumPy
writes into an argument is seen by its owner. NumPy's subclasses, object arrays and everything else
pass as they are.

The extension calls `method`, `ufunc` and `fp_warning` by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as _np

from fastnp import _ledger
from fastnp._errstate import fp_warning
from fastnp._fastnp import derive, from_numpy, ndarray, to_numpy

__all__ = [
    "call",
    "closed",
    "fp_warning",
    "is_ours",
    "method",
    "method_uncounted",
    "opened",
    "overridden",
    "ufunc",
    "uncounted",
    "wrap",
]

NOT_NATIVE = "not native"
NOT_COVERED = "these arguments are not native"

# NumPy's limit.
MAX_DIMENSIONS = 64

# Types that cannot hold an array, tested before anything that costs.
PLAIN: frozenset[type] = frozenset(
    {NoneType, bool, int, float, complex, str, bytes, type, slice, type(_np._NoValue)}
    | {type(...), type(_np.dtype("f8")), type(_np.dtype("i8")), _np.ndarray}
    | {_np.dtype(code).type for code in "?bBhHiIlLqQefdgFDG"}
)

SCALARS: frozenset[type] = PLAIN - {_np.ndarray}

_Seen = list[tuple[Any, Any]]


class Shadow(_np.ndarray):
    """The view of an array of a subclass of ours.

    NumPy keeps or drops it as it would the subclass, which tells of what type the result is to be.
    """

    owner: Any = None
    priority = 0.0

    @property
    def __array_priority__(self) -> float:
        return self.priority

    def __array_finalize__(self, source: Any) -> None:
        self.owner = getattr(source, "owner", None)
        self.priority = getattr(source, "priority", 0.0)

    def lifted(self, seen: _Seen) -> Any:
        """This array as one of the owner's class, or, made of nothing in particular, of the class
        that comes first among the arguments.
        """
        owners = [owner for view, owner in seen if type(view) is Shadow]
        first = max(owners, key=lambda x: x.__array_priority__, default=None)
        kind = type(first if self.owner is None else self.owner)
        plain = self.view(_np.ndarray)
        try:
            ours = from_numpy(plain)
        except TypeError:
            return plain
        return ours if kind is NoneType else derive(kind, ours, self.owner)


def is_ours(kind: type) -> bool:
    """Whether `kind` is our array class or derived from it, so that its objects are laid out so.

    Not `issubclass`, for which NumPy's class counts as derived from ours.
    """
    return ndarray in kind.__mro__


def _open(value: Any, seen: _Seen, depth: int = 0) -> Any:
    """`value` with every array of ours replaced by a NumPy view, each noted in `seen`.

    Lists are looked into as deep as NumPy's arrays have dimensions: one may contain itself.
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if is_ours(kind):
        view: Any = to_numpy(value)
        if kind is not ndarray:
            view = view.view(Shadow)
            view.owner = value
            priority = value.__array_priority__
            if priority:
                view.priority = priority
        seen.append((view, value))
        return view
    if (kind is list or kind is tuple) and depth < MAX_DIMENSIONS:
        # A long list of numbers is passed over at C speed.
        if PLAIN.issuperset(map(type, value)):
            return value
        known = len(seen)
        items = [_open(item, seen, depth + 1) for item in value]
        if len(seen) == known:
            return value
        return items if kind is list else tuple(items)
    if kind is dict:
        return {key: _open(item, seen) for key, item in value.items()}
    return _converted(value, kind, seen)


def _converted(value: Any, kind: type, seen: _Seen) -> Any:
    """A foreign object as it is, unless what it makes when NumPy asks for an array is ours."""
    convert = getattr(kind, "__array__", None)
    if convert is None or issubclass(kind, (_np.ndarray, _np.generic)):
        return value
    if hasattr(kind, "__array_ufunc__") or hasattr(kind, "__array_function__"):
        return value
    made = convert(value)
    return _open(made, seen) if is_ours(type(made)) else value


def _close(result: Any, seen: _Seen) -> Any:
    """`result` with every plain NumPy array replaced by an array of ours."""
    kind = type(result)
    if kind is _np.ndarray:
        for view, owner in seen:
            if result is view:
                return owner
        try:
            return from_numpy(result)
        except TypeError:
            return result
    if kind in PLAIN:
        return result
    if kind is Shadow:
        for view, owner in seen:
            if result is view:
                return owner
        return result.lifted(seen)
    if isinstance(result, tuple):
        items = [_close(item, seen) for item in result]
        if kind is tuple:
            return tuple(items)
        # A named tuple takes its fields one by one; other subclasses of tuple are left alone.
        return kind(*items) if hasattr(kind, "_fields") else result
    if kind is list:
        return [_close(item, seen) for item in result]
    # A NumPy subclass that went in through `out=` is itself; ours comes back for its view.
    for view, owner in seen:
        if result is view:
            return owner
    return result


def opened(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any], _Seen]:
    """Arguments as NumPy takes them, and the pairs (view, our array) among them."""
    seen: _Seen = []
    plain = []
    for value in args:
        kind = type(value)
        if kind is ndarray:
            view = to_numpy(value)
            seen.append((view, value))
            plain.append(view)
        elif kind in PLAIN:
            plain.append(value)
        else:
            plain.append(_open(value, seen))
    named = {key: _open(value, seen) for key, value in kwargs.items()} if kwargs else {}
    return plain, named, seen


def closed(result: Any, seen: _Seen) -> Any:
    """A result of NumPy's as ours."""
    return result if type(result) in SCALARS else _close(result, seen)


def call(
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    name: str | None = None,
    reason: str = NOT_COVERED,
) -> Any:
    """Run NumPy's `func` on arguments that may hold arrays of ours, and enter it in the ledger."""
    if len(args) == 1 and not kwargs and type(args[0]) is ndarray:
        # The commonest call, spelled out: 0.4 us less than the way below.
        owner = args[0]
        _ledger.enter(name or func.__name__, reason)
        view = to_numpy(owner)
        result = func(view)
        kind = type(result)
        if kind is _np.ndarray and result is not view:
            try:
                return from_numpy(result)
            except TypeError:
                return result
        return result if kind in SCALARS else _close(result, [(view, owner)])
    plain, named, seen = opened(args, kwargs)
    if seen:
        _ledger.enter(name or func.__name__, reason)
    result = func(*plain, **named)
    if type(result) in SCALARS:
        return result
    if named and type(result) is _np.ndarray and result is named.get("out"):
        return seen_as(result, seen)
    ours = _close(result, seen)
    if not seen and type(ours) is ndarray:
        # Nothing of ours was taken out of the engine, so there is nothing to object to.
        _ledger.enter(name or func.__name__, reason, objecting=False)
    return ours


def seen_as(result: Any, seen: _Seen) -> Any:
    """A result that is known to be a number or what the caller gave: that itself."""
    for view, owner in seen:
        if result is view:
            return owner
    return result


def wrap(
    func: Callable[..., Any], name: str, run: Callable[..., Any] = call, module: str | None = None
) -> Callable[..., Any]:
    """A function of ours that runs NumPy's `func`; it looks like `func`, and pickles under our
    module's name.
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return run(func, args, kwargs, name, NOT_NATIVE)

    wrapped.__name__ = getattr(func, "__name__", name)
    wrapped.__qualname__ = getattr(func, "__qualname__", wrapped.__name__)
    wrapped.__doc__ = func.__doc__
    wrapped.__module__ = module or our_module(func)
    wrapped.__wrapped__ = func  # type: ignore[attr-defined]
    return wrapped


def our_module(value: Any) -> str:
    """The name of our module that stands for the one `value` was defined in."""
    module = getattr(value, "__module__", None) or "numpy"
    return "fastnp" + module.removeprefix("numpy")


def uncounted(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], *_: str
) -> Any:
    """As `call`, without the ledger: for what runs in NumPy by design."""
    if not args and not kwargs:
        result = func()
        return result if type(result) in SCALARS else _close(result, [])
    plain, named, seen = opened(args, kwargs)
    result = func(*plain, **named)
    return result if type(result) in SCALARS else _close(result, seen)


def ufunc(name: str, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Run a method of NumPy's ufunc `name`; `method` is "__call__", "reduce", "at" and so on."""
    func = getattr(_np, name)
    run = func if method == "__call__" else getattr(func, method)
    if overridden(args) or (kwargs and overridden(_outputs(kwargs))):
        # NumPy asks whoever took the operation over, with our arrays as they are.
        return run(*args, **kwargs)
    result = call(run, args, kwargs, name if method == "__call__" else f"{name}.{method}")
    if type(result) is ndarray and method == "__call__":
        # NumPy's own array given for the result is the result.
        for out in (*_outputs(kwargs), *args[func.nin :]):
            if type(out) is _np.ndarray:
                return out
    return result


def _outputs(kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    out = kwargs.get("out", ())
    return out if type(out) is tuple else (out,)


# What counts as no override: the two defaults. A class without one is not asked.
_DEFAULTS = (ndarray.__array_ufunc__, _np.ndarray.__array_ufunc__)


def overridden(values: Sequence[Any]) -> bool:
    """Whether one of the operands of a ufunc has an `__array_ufunc__` of its own, also None."""
    for value in values:
        kind = type(value)
        if kind in PLAIN or kind is ndarray:
            continue
        if getattr(kind, "__array_ufunc__", _DEFAULTS[0]) not in _DEFAULTS:
            return True
    return False


def comparison(self: Any, name: str, other: Any) -> Any:
    """NumPy's `==` or `!=` of an array with something that is no array of ours."""
    if overridden((other,)):
        return ufunc("equal" if name == "__eq__" else "not_equal", "__call__", (self, other), {})
    return method(self, name, (other,))


def method(
    self: Any, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Any:
    """Run NumPy's method `name` of `self`."""
    return call(getattr(_np.ndarray, name), (self, *args), kwargs or {}, "ndarray." + name)


def method_uncounted(
    self: Any, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Any:
    """As `method`, for arguments the engine found wrong: NumPy finds them so too, and says how."""
    return uncounted(getattr(_np.ndarray, name), (self, *args), kwargs or {})
