"""What a name of NumPy's becomes here, decided when it is first asked for.

A function with a native version becomes that; ufuncs of the op table become ours, under every
alias; other functions are wrapped by the fallback; submodules become modules of ours that do the
same for their names. Classes, scalar types, constants, exceptions and functions that see no arrays
pass as they are, except the few classes and objects whose results are arrays a program goes on
computing with (`_iterators`, `_random`).
"""

from __future__ import annotations

import importlib
import sys
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

from fastnp._fallback import call, uncounted, wrap
from fastnp._fastnp import UFUNCS
from fastnp._registry import NATIVE

# Functions of NumPy's that see no arrays, or only ask about them: they take ours as they are,
# uncounted.
_ASIDE = frozenset(
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

# NumPy's functions that only look at values to print or check them; running them in NumPy is what
# is meant.
_LOOKING = frozenset(
    ["array2string", "array_repr", "array_str", "save", "savez", "savez_compressed", "savetxt"]
)

# Functions of numpy.testing that call the function they are given, which must get our arrays.
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
    """What stands here for `value`, which NumPy's `module` calls `name`."""
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
        from fastnp._iterators import Indexed

        return _kept(value, lambda: Indexed(value, name))
    return value


def _kept(value: Any, make: Callable[[], Any]) -> Any:
    ours = _wrapped.get(id(value))
    if ours is None:
        # NumPy's value is kept beside ours, so that its id stays its own.
        _wrapped[id(value)] = ours = (make(), value)
    return ours[0]


def _ufunc(value: _np.ufunc, name: str) -> Any:
    ours = UFUNCS.get(value.__name__)
    if ours is not None and getattr(_np, value.__name__, None) is value:
        return ours
    if value in NATIVE:
        return NATIVE[value]
    from fastnp._foreign import ForeignUfunc

    return _kept(value, lambda: ForeignUfunc(value))


def _class(value: type) -> Any:
    ours = NATIVE.get(value)
    if ours is not None:
        return ours
    place = (value.__module__, value.__qualname__)
    source = _CLASSES.get(place)
    return value if source is None else getattr(importlib.import_module(source), place[1])


_CLASSES = {
    ("numpy", "flatiter"): "fastnp._iterators",
    ("numpy", "vectorize"): "fastnp._iterators",
    ("numpy.random._generator", "Generator"): "fastnp._random",
    ("numpy.random.mtrand", "RandomState"): "fastnp._random",
}


def _function(value: Callable[..., Any], name: str, module: str) -> Any:
    if module == "numpy.fft":
        importlib.import_module("fastnp._transforms")
    try:
        ours = NATIVE.get(value)
    except TypeError:  # a method of an unhashable object
        return value
    if ours is not None:
        return ours
    if name.startswith("__") or name in _ASIDE:
        return value
    if module.startswith("numpy.testing"):
        if any(part in name for part in _CALLERS):
            return value
        return _kept(value, lambda: wrap(value, name, uncounted))
    if module.startswith("numpy.random"):
        from fastnp._random import function

        return _kept(value, lambda: function(value, name))
    run = uncounted if name in _LOOKING else call
    full = name if module == "numpy" else f"{module.removeprefix('numpy.')}.{name}"
    return _kept(value, lambda: wrap(value, full, run))


class Mirror(ModuleType):
    """A module that stands for one of NumPy's and adopts its names one by one."""

    _original: ModuleType

    def __getattr__(self, name: str) -> Any:
        original = self.__dict__["_original"]
        try:
            value = getattr(original, name)
        except AttributeError:
            message = f"module {self.__name__!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=self) from None
        if name == "__path__":
            return []
        ours = adopt(value, name, original.__name__)
        self.__dict__[name] = ours
        return ours

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.__dict__["_original"])})


# Modules whose dictionary programs go through to find every ufunc.
_LISTED = frozenset(["numpy._core.umath", "numpy.core.umath"])


class _MirrorLoader:
    # Not derived from importlib.abc, whose import alone takes 5 ms.
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        original = importlib.import_module("numpy" + spec.name.removeprefix("fastnp"))
        mirror = Mirror(spec.name, original.__doc__)
        mirror.__dict__["_original"] = original
        return mirror

    def exec_module(self, module: ModuleType) -> None:
        original = module.__dict__["_original"]
        if hasattr(original, "__all__"):
            module.__dict__["__all__"] = original.__all__
        if original.__name__ in _LISTED:
            for name in vars(original):
                if not name.startswith("__"):
                    getattr(module, name)


class MirrorFinder:
    """Finds `fastnp.linalg` and the like: what is not a file of ours but a module of NumPy's."""

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
        # Always a package: a mirror may have submodules, and says so only when one is asked for.
        return ModuleSpec(fullname, _MirrorLoader(), is_package=True)  # type: ignore[arg-type]


# First in line: a folder that holds nothing but type stubs would pass for a package without files.
sys.meta_path.insert(0, MirrorFinder())
