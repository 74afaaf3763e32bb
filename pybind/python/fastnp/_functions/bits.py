"""Truth packed into bits, and unpacked: the extension's loops work along the last axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _np

from fastnp._fallback.call import call
from fastnp._fastnp import ascontiguousarray, asfortranarray, ndarray, pack_bits, unpack_bits
from fastnp._functions.rearrange import along


def _with_axis_last(a: Any, axis: Any, run: Callable[[Any], Any]) -> Any:
    """`run` on an array with an axis moved to the end, and its result with the axis moved back;
    None for what NumPy refuses.
    """
    found = along(a, axis)
    if found is None:
        return None
    a, axis = found
    is_last = axis == a.ndim - 1
    made = run(a if is_last else a.swapaxes(axis, -1))
    if made is None or (is_last and not a.flags.fnc):
        return made
    made = made if is_last else made.swapaxes(axis, -1)
    return asfortranarray(made) if a.flags.fnc else ascontiguousarray(made)


def packbits(a: Any, /, axis: Any = None, bitorder: Any = "big") -> Any:
    """What the extension's function of this name leaves: all but a vector of ours alone."""
    if type(a) is ndarray and bitorder in ("big", "little"):
        packed = _with_axis_last(a, axis, lambda x: pack_bits(x, bitorder == "big"))
        if packed is not None:
            return packed
    return call(_np.packbits, (a, axis, bitorder), {})


def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    """As `packbits`."""
    if (
        type(a) is ndarray
        and bitorder in ("big", "little")
        and (count is None or type(count) is int)
    ):

        def unpacked(x: Any) -> Any:
            # A negative count says how many bits are left out at the end.
            wanted = 8 * x.shape[-1] + count if count is not None and count < 0 else count
            if wanted is not None and wanted < 0:
                return None
            return unpack_bits(x, bitorder == "big", wanted)

        bits = _with_axis_last(a, axis, unpacked)
        if bits is not None:
            return bits
    return call(_np.unpackbits, (a, axis, count, bitorder), {})
