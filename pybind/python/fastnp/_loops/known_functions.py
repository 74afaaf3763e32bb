"""Functions of NumPy's, and ours in their place, under NumPy's names for them.

A program may bind such a name to a function of its own (`np.sqrt = mine`), and give that any name
of NumPy's (`functools.wraps`): so a function is known by where it was made.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeGuard

import numpy
from numpy._core import umath

# Other names of functions, by the name that they give themselves.
ALIASES = {"absolute": ("abs",), "divide": ("true_divide",), "remainder": ("mod",)}
# Modules of the classes of NumPy's functions and ours.
OWNERS = ("builtins", "numpy", "fastnp", "fastnp._fastnp")
PACKAGES = ("numpy", "fastnp")


def name_in_numpy(function: object) -> tuple[str, bool]:
    """The name under which NumPy has a function, or this package in its place, and whether it is
    ours; no name for others. Names that the program does not use are not looked up: for a hundred
    of them that takes 4 ms.
    """
    import fastnp  # the package imports this module

    if not is_of_numpy(function):
        return "", False
    own: str = getattr(function, "__name__", "")
    for module in (numpy, fastnp):
        for name in (own, *ALIASES.get(own, ())):
            if vars(module).get(name) is function:
                return name, module is fastnp
        linalg = vars(module).get("linalg")
        if linalg is not None and vars(linalg).get(own) is function:
            return f"linalg.{own}", module is fastnp
    return "", False


def is_of_numpy(function: Any) -> bool:
    """Whether a function was made by NumPy or this package."""
    class_ = type(function)
    if issubclass(class_, FunctionType):
        return is_in_packages(function.__globals__.get("__name__"))
    if class_.__module__ not in OWNERS:
        return False
    if issubclass(class_, numpy.ufunc):
        # Other packages make ufuncs of NumPy's class, some under its names.
        return ufunc(function.__name__) is function
    return is_in_packages(getattr(function, "__module__", None))


def is_in_packages(module: object) -> bool:
    return str(module).partition(".")[0] in PACKAGES


def is_ufunc(function: object) -> TypeGuard[numpy.ufunc]:
    """Whether a function is a ufunc of NumPy's or ours."""
    import fastnp  # the package imports this module

    return isinstance(function, numpy.ufunc | fastnp.ufunc) and is_of_numpy(function)


def ufunc(name: str) -> Any:
    """NumPy's ufunc of a name, whatever `numpy` has under it; `None` if there is none."""
    found = vars(umath).get(name)
    return found if type(found) is numpy.ufunc else None
