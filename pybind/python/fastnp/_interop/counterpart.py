"""NumPy's counterpart of a module, function or class of ours: packages that know NumPy's objects by
identity are given it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["numpys"]


def numpys(value: Any) -> Any:
    """NumPy's module, function or class where `value` is ours of that name, else the value."""
    if isinstance(value, ModuleType):
        package, _, rest = value.__name__.partition(".")
        if package != "fastnp":
            return value
        return sys.modules.get(f"numpy.{rest}" if rest else "numpy", value)
    module = getattr(value, "__module__", None)
    name = getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return value
    if module.partition(".")[0] != "fastnp":
        return value
    # What the extension implements, and ufuncs, are of the module itself.
    for place in (module, "fastnp"):
        ours = sys.modules.get(place)
        theirs = sys.modules.get("numpy" + place.removeprefix("fastnp"))
        if getattr(ours, name, None) is value and hasattr(theirs, name):
            return getattr(theirs, name)
    return value
