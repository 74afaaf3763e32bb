"""Functions of NumPy's that the libraries of a device compute, where arrays are computed on one.

A function declared here takes NumPy's arguments and gives the result, or None where they are not
for it: then, and where there is no device or no such library, NumPy runs, and the ledger tells why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp._fallback import NOT_COVERED, NOT_NATIVE, call, our_module, refused
from fastnp._fastnp import lack, on_host
from fastnp._registry import native


class Wrong(Exception):
    """What the library found wrong, which NumPy is to find and to word."""


def computed_by(
    library: str, original: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated function to be what a device's library makes of NumPy's `original`."""
    name = f"{our_module(original).removeprefix('fastnp.')}.{original.__name__}"

    def declare(computed: Callable[..., Any]) -> Callable[..., Any]:
        def function(*args: Any, **kwargs: Any) -> Any:
            if on_host():
                return call(original, args, kwargs, name, NOT_NATIVE)
            reason = lack(library)
            if reason is None:
                try:
                    result = computed(*args, **kwargs)
                except NotImplementedError as error:
                    result, reason = None, str(error)
                except Wrong:
                    return refused(original, args, kwargs, name)
                if result is not None:
                    return result
            return call(original, args, kwargs, name, reason or NOT_COVERED)

        return native(original)(function)

    return declare
