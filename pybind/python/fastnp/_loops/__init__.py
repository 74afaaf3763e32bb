"""Loops of users' programs, compiled while they run: `jit`, `install`, `python -m fastnp`.

Imports `_state` and the extension. `rewrite` makes each loop statement a site, which the program
can leave for compiled code and come back to at any statement; read `site` for what happens there,
`outcome` for the interface to the compiler. Its modules are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["PUBLIC", "resolve"]

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
