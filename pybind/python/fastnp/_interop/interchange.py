"""Zero-copy exchange of device memory with other libraries: DLPack and the CUDA array interface.

The extension exports and imports the memory; this file implements the protocols, and falls back to
NumPy where the memory is the host's.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as _np

from fastnp import _fastnp
from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import ndarray
from fastnp._state.device import get_device

# DLPack's device types whose memory the host can access: CPU, pinned (CUDA and ROCm), CUDA managed.
_HOSTS = frozenset({1, 3, 11, 13})
_CUDA = 2
_VERSION = (1, 0)

# Exports by the CUDA array interface, by id of the array. The protocol has no release, so an export
# lasts as long as its array.
_exports: dict[int, Any] = {}


@native(_np.from_dlpack)
def from_dlpack(*args: Any, device: Any = None, copy: Any = None) -> Any:
    if len(args) != 1:
        # NumPy raises the error.
        return _np.from_dlpack(*args)
    (x,) = args
    if type(x) is ndarray and device is None:
        return x.copy() if copy else x.view()
    dlpack_device = getattr(x, "__dlpack_device__", None)
    if device is not None or dlpack_device is None or not is_device_memory(dlpack_device()):
        return call(_np.from_dlpack, (x,), {"device": device, "copy": copy})
    return _from_device(x, copy)


def is_device_memory(device: tuple[int, int]) -> bool:
    """Whether the host cannot access the memory of a DLPack device, (type, number)."""
    return device[0] not in _HOSTS


def _from_device(x: Any, copy: Any) -> Any:
    """An array on the device memory of `x`.

    No stream is passed: the engine waits for the device before it uses the memory.
    """
    copy = None if copy is None else bool(copy)
    try:
        capsule = x.__dlpack__(max_version=_VERSION, copy=copy)
    except TypeError:
        # An exporter older than these arguments, which never copies.
        if copy:
            return _fastnp.from_capsule(x.__dlpack__(), None).copy()
        capsule = x.__dlpack__()
    return _fastnp.from_capsule(capsule, copy)


def converted(convert: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`array`, `asarray` and similar functions of an object with device memory."""
    rest = dict(kwargs)
    if args:
        value, *args = args
    else:
        value = rest.pop("object", None) if "object" in rest else rest.pop("a")
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        ours = _from_device(value, None)
    else:
        ours = from_cuda_interface(value, interface, _cuda_device(value))
    return convert(ours, *args, **rest)


def _cuda_device(value: Any) -> tuple[int, int]:
    """The DLPack device of `value`, or else the current GPU; the CUDA interface names none."""
    dlpack_device = getattr(value, "__dlpack_device__", None)
    if dlpack_device is not None:
        kind, number = dlpack_device()
        return _CUDA, int(number) if kind == _CUDA else 0
    _, _, number = get_device().partition("cuda:")
    return _CUDA, int(number or 0)


def from_cuda_interface(value: Any, interface: Mapping[str, Any], device: tuple[int, int]) -> Any:
    """An array on the memory that `value` describes by its CUDA array interface."""
    if interface.get("mask") is not None:
        raise BufferError("arrays with a mask cannot share memory on a device")
    address, read_only = interface["data"]
    dtype = _np.dtype(interface["typestr"])
    shape, strides = interface["shape"], interface.get("strides")
    ours = _fastnp.import_device_memory(
        value, device, address or 0, shape, strides, dtype, not read_only, None
    )
    if ours is None:
        raise BufferError(f"arrays of {dtype} on a device cannot be used")
    return ours


def cuda_interface(x: ndarray) -> dict[str, Any]:
    """The `__cuda_array_interface__` of `x`; its memory stays exported as long as `x` exists.

    The protocol obliges the consumer to keep `x`. Stream is None because the device has finished
    all work on the memory.
    """
    export = _fastnp.export_on_device(x)
    key = id(x)
    if key not in _exports:
        weakref.finalize(x, _exports.pop, key, None).atexit = False
    _exports[key] = export
    dense, _, writeable = _fastnp.layout_flags(x)
    return {
        "shape": x.shape,
        "typestr": x.dtype.str,
        "descr": x.dtype.descr,
        "data": (export.address, not writeable),
        "strides": None if dense else x.strides,
        "stream": None,
        "version": 3,
    }
