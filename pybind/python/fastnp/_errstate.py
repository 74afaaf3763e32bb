"""Floating-point error handling: NumPy's state, and its warnings at the user's line.

NumPy keeps the state in a context variable, which the extension reads where an operation is
recorded. `fp_warning` is called by the extension after kernels raised flags.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as _np

from fastnp import _ledger
from fastnp._fastnp import flush

__all__ = ["errstate", "fp_warning"]

_KINDS = {
    "divide": "divide by zero",
    "over": "overflow",
    "under": "underflow",
    "invalid": "invalid value",
}


class errstate(_np.errstate):
    __doc__ = _np.errstate.__doc__

    # What was recorded inside warns inside: a program may look for the warnings at the end.

    def __exit__(self, *exc_info: Any) -> None:
        try:
            flush()
        finally:
            super().__exit__(*exc_info)

    def __call__(self, func: Any) -> Any:
        @functools.wraps(func)
        def inside(*args: Any, **kwargs: Any) -> Any:
            try:
                return func(*args, **kwargs)
            finally:
                flush()

        return super().__call__(inside)


errstate.__module__ = "fastnp"


def fp_warning(kinds: Iterable[tuple[str, int, str, str]]) -> None:
    """Warn, raise, print, log or call as NumPy does for the flags in `kinds`.

    An item names the flag ("divide", "over", "under", "invalid"), all that the ufunc raised as
    NumPy's status bits, the ufunc, and what to do about it.
    """
    for kind, status, name, mode in kinds:
        text = _KINDS[kind]
        message = f"{text} encountered in {name}"
        if mode == "warn":
            warnings.warn(message, RuntimeWarning, stacklevel=_ledger.user_frame()[1])
        elif mode == "raise":
            raise FloatingPointError(message)
        elif mode == "print":
            sys.stderr.write(f"Warning: {message}\n")
        else:
            _hand_over(mode, text, name, message, status)


def _hand_over(mode: str, text: str, name: str, message: str, status: int) -> None:
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
