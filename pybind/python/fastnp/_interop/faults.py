"""Handlers of faults beside ours.

Contents that are pending are computed when compiled code touches them: the processor faults, and
our handler computes them. It must be asked first, as others end the process, and hands on to them
what is not its own. `faulthandler.enable` replaces it, so it is installed again after that; so is
it from time to time after any other library's, when something is computed.
"""

from __future__ import annotations

import faulthandler
from functools import wraps
from typing import Any

from fastnp._fastnp import ensure_fault_handler

__all__: list[str] = []


def install() -> None:
    """Keep our handler the first after `faulthandler.enable`."""
    enable = faulthandler.enable

    @wraps(enable)
    def enable_behind_ours(*args: Any, **kwargs: Any) -> None:
        enable(*args, **kwargs)
        ensure_fault_handler()

    faulthandler.enable = enable_behind_ours


install()
