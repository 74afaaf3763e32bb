"""Floating-point error handling: NumPy's state, told to the engine, and NumPy's warnings at the
user's line.

NumPy keeps the state in a context variable; these functions change it there and pass the outcome
on, so operations recorded from now on carry it. `fp_warning` is called by the extension after a
flush that raised flags.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as _np

from fastnp import _ledger
from fastnp._fastnp import set_errstate

__all__ = ["errstate", "fp_warning", "geterr", "geterrcall", "seterr", "seterrcall"]

# NumPy's names and status bits, in the order in which it looks at them.
_KINDS = {
    "divide": ("divide by zero", 1),
    "over": ("overflow", 2),
    "under": ("underflow", 4),
    "invalid": ("invalid value", 8),
}

geterr = _np.geterr
geterrcall = _np.geterrcall
seterrcall = _np.seterrcall


def _tell() -> None:
    set_errstate(**_np.geterr())


@functools.wraps(_np.seterr)
def seterr(
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    before = _np.seterr(all, divide, over, under, invalid)  # type: ignore[arg-type]
    _tell()
    return before  # type: ignore[return-value]


class errstate(_np.errstate):
    __doc__ = _np.errstate.__doc__

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._changes = kwargs
        self._before: dict[str, str] = {}

    def __enter__(self) -> None:
        # Asking NumPy for the state costs 0.5 us: ask before, work out after, and have both for the
        # way out.
        before = _np.geterr()
        super().__enter__()
        self._before = before  # type: ignore[assignment]
        set_errstate(**_changed(self._before, self._changes))

    def __exit__(self, *exc_info: Any) -> None:
        super().__exit__(*exc_info)
        set_errstate(**self._before)

    def __call__(self, func: Any) -> Any:
        # NumPy's own decorator enters a state of its own each call; the engine is told once inside
        # and once after.
        def inside(*args: Any, **kwargs: Any) -> Any:
            _tell()
            return func(*args, **kwargs)

        entered = super().__call__(inside)

        @functools.wraps(func)
        def outside(*args: Any, **kwargs: Any) -> Any:
            try:
                return entered(*args, **kwargs)
            finally:
                _tell()

        return outside


def _changed(before: dict[str, str], changes: dict[str, Any]) -> dict[str, str]:
    everything = changes.get("all")
    after = before.copy() if everything is None else dict.fromkeys(before, everything)
    for kind, mode in changes.items():
        if mode is not None and kind in after:
            after[kind] = mode
    return after


seterr.__module__ = errstate.__module__ = "fastnp"


def fp_warning(kinds: Iterable[tuple[str, str, str]]) -> None:
    """Warn, raise, print, log or call as NumPy does for the flags in `kinds`.

    An item names the flag ("divide", "over", "under", "invalid"), the ufunc, and what to do about
    it.
    """
    found = sorted(kinds, key=lambda item: _KINDS[item[0]][1])
    status = 0
    for kind, _, _ in found:
        status |= _KINDS[kind][1]
    for kind, name, mode in found:
        text = _KINDS[kind][0]
        message = f"{text} encountered in {name}"
        if mode == "warn":
            warnings.warn(message, RuntimeWarning, stacklevel=_ledger.user_frame()[1])
        elif mode == "raise":
            raise FloatingPointError(message)
        elif mode == "print":
            sys.stderr.write(f"Warning: {message}\n")
        elif mode in ("call", "log"):
            _hand_over(mode, text, name, message, status)


def _hand_over(mode: str, text: str, name: str, message: str, status: int) -> None:
    target: Any = _np.geterrcall()
    if mode == "call":
        if target is None:
            raise NameError(
                f"python callback specified for {text} (in {name}) but no function found."
            )
        target(text, status)
    else:
        if target is None:
            raise NameError(
                f"log specified for {text} (in {name}) but no object with write method found."
            )
        target.write(f"Warning: {message}\n")
