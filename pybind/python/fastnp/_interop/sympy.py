"""SymPy: `lambdify(x, expression, np)` prints for NumPy where `np` is this package.

`lambdify` finds the printer for a module by its name, `numpy`, and reads the module's dictionary,
in which our names are after their first use only. Source: `sympy.utilities.lambdify`.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["register"]


def register() -> None:
    """Let the search for a module named `numpy` find ours, with all its names."""
    lambdify: Any = sys.modules["sympy.utilities.lambdify"]
    ours: Any = sys.modules["fastnp"]
    present, namespace = lambdify._module_present, lambdify._get_namespace

    def present_or_ours(name: str, modules: Any) -> Any:
        return present(name, modules) or (name == "numpy" and any(m is ours for m in modules))

    def whole_namespace(module: Any) -> Any:
        if module is ours:
            for name in ours.__all__:
                getattr(ours, name)
        return namespace(module)

    lambdify._module_present = present_or_ours
    lambdify._get_namespace = whole_namespace
