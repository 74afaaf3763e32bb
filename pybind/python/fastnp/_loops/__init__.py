"""Loops of users' programs, compiled while they run: `jit`, `install`, `python -m fastnp`.

Imports `_state` and the extension. `rewrite` makes each loop statement a site, which the program
can leave for compiled code and come back to at any statement; read `site` for what happens there,
`outcome` for the interface to the compiler. Its modules are imported on first use.
"""

from __future__ import annotations

import importlib
from types import FunctionType, MethodType
from typing import Any

from fastnp import _fastnp

__all__ = ["PUBLIC", "explain", "resolve"]

# Public names of the package, and the modules here that define them.
PUBLIC = {
    "LoopError": "site",
    "install": "install",
    "jit": "jit",
    "load_ipython_extension": "notebook",
    "parallel_for": "parallel",
    "parallel_reduce": "parallel",
    "parallel_scan": "parallel",
    "unload_ipython_extension": "notebook",
}


def resolve(name: str) -> Any:
    """A public name of `PUBLIC`."""
    return getattr(importlib.import_module(f"fastnp._loops.{PUBLIC[name]}"), name)


def explain(*arrays: Any) -> str:
    """Show pending work, how it fuses, and why not more; of a function, its loops.

    Without arguments everything that is pending is shown, or, if nothing is, the last flush. Of a
    function whose loops fastnp compiles (`jit`, `install`), each loop is shown with the types it
    was compiled for and the code made of it, or the reason why it was not compiled.

    >>> import fastnp as np
    >>> @np.jit
    ... def f(n):
    ...     for i in range(n):
    ...         pass
    >>> print(np.explain(f))  # doctest: +ELLIPSIS
    line ...
    """
    if len(arrays) == 1 and isinstance(arrays[0], (FunctionType, MethodType)):
        from fastnp._loops.report import explained

        return explained(arrays[0])
    return _fastnp.explain(*arrays)


explain.__module__ = "fastnp"
