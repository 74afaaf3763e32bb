"""A stand-in for another array library: a DLPack consumer and producer, by ctypes.

They access device memory directly. This works for the mock device, whose memory is the host's.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

# The DLPack device of the mock device: type (extension device) and number.
MOCK_DEVICE = (12, 0)


class Tensor(ctypes.Structure):
    """`DLTensor`."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    """`DLManagedTensorVersioned`."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Unversioned(ctypes.Structure):
    """`DLManagedTensor`."""

    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


KINDS: dict[bytes, Any] = {b"dltensor_versioned": Versioned, b"dltensor": Unversioned}
USED = {name: b"used_" + name for name in KINDS}

_api = ctypes.pythonapi
_api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_New.restype = ctypes.py_object


def name_of(capsule: Any) -> bytes:
    return next(name for name in KINDS if _api.PyCapsule_IsValid(capsule, name))


class Consumer:
    """Imports the memory of a capsule, as another library would."""

    def __init__(self, capsule: Any) -> None:
        name = name_of(capsule)
        pointer = _api.PyCapsule_GetPointer(capsule, name)
        self.managed = KINDS[name].from_address(pointer)
        self.pointer = pointer
        assert _api.PyCapsule_SetName(capsule, USED[name]) == 0
        tensor = self.managed.tensor
        self.device = (tensor.device_type, tensor.device_id)
        self.kind = (tensor.code, tensor.bits, tensor.lanes)
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.strides = tuple(tensor.strides[: tensor.ndim])
        self.address = (tensor.data or 0) + tensor.byte_offset

    @property
    def flags(self) -> int:
        return int(self.managed.flags)

    def view(self, dtype: Any = float) -> numpy.ndarray[Any, Any]:
        """The memory, where the strides are not negative."""
        size = numpy.dtype(dtype).itemsize
        reach = size + size * sum((n - 1) * s for n, s in zip(self.shape, self.strides))
        memory = (ctypes.c_char * reach).from_address(self.address)
        strides = [size * s for s in self.strides]
        return numpy.ndarray(self.shape, dtype, memory, strides=strides)

    def release(self) -> None:
        self.managed.deleter(self.pointer)


# Arrays whose memory is exported.
_exported: list[Any] = []


class Producer:
    """Another library's array: part of a block of device memory, which `keep` keeps alive."""

    def __init__(
        self,
        keep: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        offset: int = 0,
        kind: tuple[int, int, int] = (2, 64, 1),
        name: bytes = b"dltensor_versioned",
        flags: int = 0,
        device: tuple[int, int] = MOCK_DEVICE,
        version: int = 1,
    ) -> None:
        self.source = Consumer(keep.__dlpack__(max_version=(1, 0)))
        self.name, self.device = name, device
        # The arguments of each call of `__dlpack__`.
        self.requests: list[dict[str, Any]] = []
        self.released = 0
        tensor = Tensor(self.source.address, *device, len(shape), *kind)
        self._lists = [(ctypes.c_int64 * len(shape))(*shape)]
        tensor.shape = self._lists[0]
        if strides is not None:
            self._lists.append((ctypes.c_int64 * len(shape))(*strides))
            tensor.strides = self._lists[1]
        tensor.byte_offset = offset
        self._deleter = DELETER(self._release)
        self.managed = KINDS[name]()
        self.managed.tensor, self.managed.deleter = tensor, self._deleter
        if name == b"dltensor_versioned":
            self.managed.major, self.managed.flags = version, flags

    def _release(self, _: Any) -> None:
        self.released += 1
        _exported.remove(self)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **kwargs: Any) -> Any:
        self.requests.append(kwargs)
        _exported.append(self)
        return _api.PyCapsule_New(ctypes.addressof(self.managed), self.name, None)


class OldProducer(Producer):
    """A producer of an older protocol, whose `__dlpack__` has no arguments but `stream`."""

    def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
        return super().__dlpack__()
