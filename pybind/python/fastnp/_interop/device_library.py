"""Native functions that run in a library of the current device (cuFFT, cuSOLVER).

A routine takes NumPy's arguments and returns the result, or None for arguments it does not support.
In that case, on the host, and where the library is missing, NumPy runs, and the ledger records the
reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp._fallback.call import NOT_COVERED, call, function_of, our_module, refused
from fastnp._fallback.registry import native
from fastnp._fastnp import why_unavailable


class LibraryError(Exception):
    """The library reported an error in the values; NumPy runs and raises its own."""


def on_device(
    library: str, original: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the decorated function, the routine of `library` for NumPy's `original`, one that runs
    NumPy where the routine does not apply.
    """
    name = f"{our_module(original).removeprefix('fastnp.')}.{original.__name__}"

    def declare(routine: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            reason = why_unavailable(library)
            if reason is None:
                try:
                    result = routine(*args, **kwargs)
                except NotImplementedError as error:
                    result, reason = None, str(error)
                except LibraryError:
                    return refused(original, args, kwargs, name)
                if result is not None:
                    return result
            return call(original, args, kwargs, name, reason or NOT_COVERED)

        return run

    return declare


def device_routine(
    library: str, original: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the routine of `library` for NumPy's `original`, which
    runs on the host.
    """
    name = f"{our_module(original).removeprefix('fastnp.')}.{original.__name__}"

    def declare(routine: Callable[..., Any]) -> Callable[..., Any]:
        run = on_device(library, original)(routine)
        function = function_of(original, name, run)
        function.on_device = run
        return native(original)(function)

    return declare
