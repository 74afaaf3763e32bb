"""Arrays that other libraries have in the memory of devices, as ours, and ours as theirs.

The extension lends and borrows the memory; here are the protocols by which libraries agree on it:
who is asked for what, and what NumPy does where nothing is on a device.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._device import get_device
from fastnp._fallback import call
from fastnp._fastnp import ndarray
from fastnp._registry import native

# DLPack's types of devices whose memory the host can use: its own, that pinned for CUDA or ROCm,
# and that which CUDA moves by itself.
_HOSTS = frozenset({1, 3, 11, 13})
_CUDA = 2
_VERSION = (1, 0)

# Loans to those who were told an address and do not say when they are done with it, by the arrays
# that were asked.
_loans: dict[int, Any] = {}


@native(_np.from_dlpack)
def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    if type(x) is ndarray and device is None:
        return x.copy() if copy else x.view()
    asked = getattr(x, "__dlpack_device__", None)
    if device is not None or asked is None or not is_elsewhere(asked()):
        return call(_np.from_dlpack, (x,), {"device": device, "copy": copy})
    return _from_device(x, copy)


def is_elsewhere(place: tuple[int, int]) -> bool:
    """Whether memory there is not the host's."""
    return place[0] not in _HOSTS


def _from_device(x: Any, copy: Any) -> Any:
    """An array on the memory of `x`, which is a device's.

    Nothing is said of a stream: the device is waited for before the memory is used.
    """
    copy = None if copy is None else bool(copy)
    try:
        capsule = x.__dlpack__(max_version=_VERSION, copy=copy)
    except TypeError:
        # Older than the arguments. Where it may not copy, it does not.
        if copy:
            return _fastnp.from_capsule(x.__dlpack__(), None).copy()
        capsule = x.__dlpack__()
    return _fastnp.from_capsule(capsule, copy)


def converted(convert: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`array`, `asarray` and their kin, of an object with memory on a device."""
    rest = dict(kwargs)
    if args:
        value, *args = args
    else:
        value = rest.pop("object", None) if "object" in rest else rest.pop("a")
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        ours = _from_device(value, None)
    else:
        ours = from_cuda_interface(value, interface, _cuda_place(value))
    return convert(ours, *args, **rest)


def _cuda_place(value: Any) -> tuple[int, int]:
    """Where memory is whose interface does not say so: ask DLPack's, or take the GPU in use."""
    asked = getattr(value, "__dlpack_device__", None)
    if asked is not None:
        kind, number = asked()
        return _CUDA, int(number) if kind == _CUDA else 0
    _, _, number = get_device().partition("cuda:")
    return _CUDA, int(number or 0)


def from_cuda_interface(value: Any, interface: Mapping[str, Any], place: tuple[int, int]) -> Any:
    """An array on the memory that `value` describes by its CUDA array interface."""
    if interface.get("mask") is not None:
        raise BufferError("arrays with a mask cannot share memory on a device")
    address, read_only = interface["data"]
    dtype = _np.dtype(interface["typestr"])
    shape, strides = interface["shape"], interface.get("strides")
    ours = _fastnp.borrow(value, place, address or 0, shape, strides, dtype, not read_only, None)
    if ours is None:
        raise BufferError(f"arrays of {dtype} on a device cannot be used")
    return ours


def cuda_interface(x: ndarray) -> dict[str, Any]:
    """What `__cuda_array_interface__` of `x` is, whose memory is lent for as long as `x` lives.

    Whoever uses the address keeps `x`: so the protocol has it. Stream is None, as everything that
    the device was asked for is done.
    """
    loan = _fastnp.lend(x)
    key = id(x)
    if key not in _loans:
        weakref.finalize(x, _loans.pop, key, None).atexit = False
    _loans[key] = loan
    dense, _, writeable = _fastnp.layout_flags(x)
    return {
        "shape": x.shape,
        "typestr": x.dtype.str,
        "descr": x.dtype.descr,
        "data": (loan.address, not writeable),
        "strides": None if dense else x.strides,
        "stream": None,
        "version": 3,
    }
