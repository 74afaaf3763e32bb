"""Floating-point error handling: `errstate`, and NumPy's warnings attributed to the user's line.

NumPy keeps the error state in a context variable; the extension reads it when an operation is
recorded. The extension calls `fp_warning` after kernels raised floating-point flags.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as _np

from fastnp._fastnp import flush
from fastnp._state import ledger

__all__ = ["errstate", "fp_warning"]

_KINDS = {
    "divide": "divide by zero",
    "over": "overflow",
    "under": "underflow",
    "invalid": "invalid value",
}


class errstate(_np.errstate):
    __doc__ = _np.errstate.__doc__

    # Leaving the block flushes, so operations recorded in it warn before it ends.

    def __exit__(self, *exc_info: Any) -> None:
        try:
            flush()
        finally:
            super().__exit__(*exc_info)

    def __call__(self, func: Any) -> Any:
        @functools.wraps(func)
        def flushed(*args: Any, **kwargs: Any) -> Any:
            try:
                return func(*args, **kwargs)
            finally:
                flush()

        return super().__call__(flushed)


errstate.__module__ = "fastnp"


def fp_warning(kinds: Iterable[tuple[str, int, str, str]]) -> None:
    """Warn, raise, print, log or call as NumPy does for the flags in `kinds`.

    An item is the flag ("divide", "over", "under", "invalid"), NumPy's status bits of all flags the
    ufunc raised, the name of the ufunc, and the error mode.
    """
    for kind, status, name, mode in kinds:
        text = _KINDS[kind]
        message = f"{text} encountered in {name}"
        if mode == "warn":
            warnings.warn(message, RuntimeWarning, stacklevel=ledger.user_frame()[1])
        elif mode == "raise":
            raise FloatingPointError(message)
        elif mode == "print":
            sys.stderr.write(f"Warning: {message}\n")
        else:
            _call_handler(mode, text, name, message, status)


def _call_handler(mode: str, text: str, name: str, message: str, status: int) -> None:
    target: Any = _np.geterrcall()
    if mode == "call":
        if target is None:
            raise NameError(
                f"python callback specified for {text} (in  {name}) but no function found."
            )
        target(text, status)
    else:
        if target is None:
            raise NameError(
                f"log specified for {text} (in {name}) but no object with write method found."
            )
        target.write(f"Warning: {message}\n")
