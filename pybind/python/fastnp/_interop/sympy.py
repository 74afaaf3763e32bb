"""SymPy: `lambdify(x, expression, np)` prints for NumPy where `np` is this package.

`lambdify` finds the printer for a module by its name, `numpy`. Names that the printed function does
not find in the module given, it imports from NumPy. Source: `sympy.utilities.lambdify`.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["register"]


def register() -> None:
    """Let the search for a module named `numpy` find ours."""
    module: Any = sys.modules["sympy.utilities.lambdify"]
    present = module._module_present

    def present_or_ours(name: str, modules: Any) -> Any:
        ours = sys.modules["fastnp"]
        return present(name, modules) or (name == "numpy" and any(m is ours for m in modules))

    module._module_present = present_or_ours
