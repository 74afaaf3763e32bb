"""The namespace: what each of NumPy's names and submodules resolves to, decided on first access.

A function with a native version resolves to that, a ufunc of the op table to ours, any other
function to a wrapper that runs the fallback, and a submodule to a module of ours that does the same
for its names. Classes, scalar types, constants, exceptions and functions without array arguments
resolve to NumPy's own. The exceptions are a few classes and objects whose results are arrays
(`_CLASSES`, `_fallback.objects`).
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as _np

from fastnp._fallback.call import call, uncounted, wrap
from fastnp._fallback.registry import NATIVE, native_of
from fastnp._fastnp import UFUNCS
from fastnp._interpreter import recorded_warnings

# Functions of NumPy's that take no arrays, or only look at attributes: they are not wrapped.
_NOT_WRAPPED = frozenset(
    [
        "asmatrix",
        "base_repr",
        "binary_repr",
        "bmat",
        "broadcast_shapes",
        "can_cast",
        "datetime_data",
        "format_float_positional",
        "format_float_scientific",
        "get_include",
        "get_printoptions",
        "getbufsize",
        "geterr",
        "geterrcall",
        "info",
        "isdtype",
        "isfortran",
        "isscalar",
        "issubdtype",
        "iterable",
        "min_scalar_type",
        "mintypecode",
        "nested_iters",
        "printoptions",
        "promote_types",
        "set_printoptions",
        "setbufsize",
        "seterr",
        "seterrcall",
        "show_config",
        "show_runtime",
        "test",
        "typename",
    ]
)

# NumPy's functions that print or save values. They run in NumPy by design, so they are not counted
# as fallbacks.
_UNCOUNTED = frozenset(
    ["array2string", "array_repr", "array_str", "save", "savez", "savez_compressed", "savetxt"]
)

# Parts of the names of functions in numpy.testing that call a user's function: it must get our
# arrays, so they are not wrapped.
_CALLERS = (
    "raises",
    "warn",
    "nulp_diff",
    "measure",
    "run",
    "decorate",
    "suppress",
    "temp",
    "_assert_no_gc",
)

_FUNCTIONS: frozenset[type] = frozenset(
    {FunctionType, BuiltinFunctionType, BuiltinMethodType, MethodType, type(_np.sum)}
)


_wrapped: dict[Any, Any] = {}


def adopt(value: Any, name: str, module: str = "numpy") -> Any:
    """Our version of `value`, which NumPy's `module` calls `name`."""
    kind = type(value)
    if kind is ModuleType:
        if value.__name__.partition(".")[0] == "numpy" and value is not _np:
            return importlib.import_module("fastnp" + value.__name__.removeprefix("numpy"))
        return sys.modules["fastnp"] if value is _np else value
    if kind is _np.ufunc:
        return _ufunc(value, name)
    if isinstance(value, type):
        return _class(value)
    if kind in _FUNCTIONS or kind.__name__ == "cython_function_or_method":
        return _function(value, name, module)
    if name in ("mgrid", "ogrid", "r_", "c_"):
        from fastnp._fallback.objects import IndexObject

        return _cached(value, lambda: IndexObject(value, name))
    return value


def _cached(value: Any, make: Callable[[], Any]) -> Any:
    ours = _wrapped.get(id(value))
    if ours is None:
        # NumPy's value is stored beside ours, so no other object gets its id.
        _wrapped[id(value)] = ours = (make(), value)
    return ours[0]


def _ufunc(value: _np.ufunc, name: str) -> Any:
    ours = UFUNCS.get(value.__name__)
    if ours is not None and getattr(_np, value.__name__, None) is value:
        return ours
    ours = native_of(value)
    if ours is not None:
        return ours
    from fastnp._fallback.ufunc import foreign

    return _cached(value, lambda: foreign(value))


def _class(value: type) -> Any:
    ours = NATIVE.get(value)
    if ours is not None:
        return ours
    name = (value.__module__, value.__qualname__)
    source = _CLASSES.get(name)
    return value if source is None else getattr(importlib.import_module(source), name[1])


# Classes of ours in files that are imported on first use.
_CLASSES = {
    ("numpy", "flatiter"): "fastnp._array.flatiter",
    ("numpy", "vectorize"): "fastnp._loops.vectorize",
    ("numpy.random._generator", "Generator"): "fastnp._functions.random",
    ("numpy.random.mtrand", "RandomState"): "fastnp._functions.random",
}


def _function(value: Callable[..., Any], name: str, module: str) -> Any:
    try:
        ours = native_of(value)
    except TypeError:  # a method of an unhashable object
        return value
    if ours is not None:
        return ours
    if name.startswith("__") or name in _NOT_WRAPPED:
        return value
    if module.startswith("numpy.testing"):
        if any(part in name for part in _CALLERS):
            return value
        return _cached(value, lambda: wrap(value, name, uncounted))
    if module.startswith("numpy.random"):
        from fastnp._functions.random import function

        return _cached(value, lambda: function(value, name))
    run = uncounted if name in _UNCOUNTED else call
    full = name if module == "numpy" else f"{module.removeprefix('numpy.')}.{name}"
    return _cached(value, lambda: wrap(value, full, run))


def attribute_of(module: ModuleType, name: str) -> Any:
    """An attribute of a module of NumPy's. What that warns of, as of names that are to go, has the
    place of the caller's caller.
    """
    known = vars(module)
    if name in known:
        return known[name]
    with recorded_warnings() as found:
        value = getattr(module, name)
    for message, category in found:
        warnings.warn(message, category, stacklevel=3)
    return value


def mirror(name: str, original: ModuleType) -> ModuleType:
    """A module that mirrors one of NumPy's: a name resolves on first access.

    Of exactly the class of modules, whose attributes Python caches where they are read: from a
    class of its own `np.random.rand` took 60 ns longer.
    """
    module = ModuleType(name, original.__doc__)

    def resolve(attribute: str) -> Any:
        try:
            value = attribute_of(original, attribute)
        except AttributeError:
            message = f"module {name!r} has no attribute {attribute!r}"
            raise AttributeError(message, name=attribute, obj=module) from None
        if attribute == "__path__":
            return []
        ours = adopt(value, attribute, original.__name__)
        module.__dict__[attribute] = ours
        return ours

    def names() -> list[str]:
        return sorted({*module.__dict__, *dir(original)})

    module.__dict__.update(_original=original, __getattr__=resolve, __dir__=names)
    return module


# Modules whose dictionary programs search for ufuncs: all names are resolved at import.
_SEARCHED = frozenset(["numpy._core.umath", "numpy.core.umath"])

# Modules whose functions take little time and are called in loops: all names are resolved at import
# too, and then no `__getattr__` is left. Python caches no attribute of a module that has one, and
# NumPy's has none: `np.random.rand()` takes 280 instructions of 3,500 longer with it. (The import
# takes 17 ms instead of 15. For `numpy.linalg` it would take 2 ms longer too, for 2 % of a call.)
_COMPLETE = frozenset(["numpy.random"])


class _MirrorLoader:
    # Not derived from importlib.abc, whose import takes 5 ms.
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        original = importlib.import_module("numpy" + spec.name.removeprefix("fastnp"))
        return mirror(spec.name, original)

    def exec_module(self, module: ModuleType) -> None:
        original = module.__dict__["_original"]
        if hasattr(original, "__all__"):
            module.__dict__["__all__"] = original.__all__
        if original.__name__ in _SEARCHED:
            for name in vars(original):
                if not name.startswith("__"):
                    getattr(module, name)
        if original.__name__ in _COMPLETE:
            for name in dir(original):
                module.__dict__[name] = getattr(module, name)
            del module.__dict__["__getattr__"]


class MirrorFinder:
    """Import finder for `fastnp.linalg` and so on: modules of NumPy's without a file of ours."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("fastnp."):
            return None
        own = PathFinder.find_spec(fullname, path, target)
        if own is not None and own.origin is not None:
            return own
        try:
            importlib.import_module("numpy" + fullname.removeprefix("fastnp"))
        except ModuleNotFoundError:
            return None
        # Always a package: whether a mirror has submodules is not known before one is imported.
        return ModuleSpec(fullname, _MirrorLoader(), is_package=True)  # type: ignore[arg-type]


# Before Python's own finders: they would import a folder of type stubs as a namespace package.
sys.meta_path.insert(0, MirrorFinder())
