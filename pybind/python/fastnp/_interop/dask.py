"""Dask: arrays of ours as chunks of a `dask.array.Array`.

Most of Dask asks an array by NumPy's protocols. Its tables say which classes it may wrap, how large
they are, and how chunks are computed that have no protocol. Source: `dask.array.chunk_types`,
`dask.array.dispatch`, `dask.sizeof`.
"""

from __future__ import annotations

from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Enter our class in Dask's tables."""
    from dask import array, sizeof
    from dask.array import backends, dispatch

    array.register_chunk_type(ndarray)
    dispatch.percentile_lookup.register(ndarray, backends.percentile)
    dispatch.to_numpy_dispatch.register(ndarray, _to_numpy)
    sizeof.sizeof.register(ndarray, _size)


def _to_numpy(data: Any, **_: Any) -> Any:
    return to_numpy(data)


def _size(x: Any) -> int:
    """Bytes of the elements, those of broadcast axes once, as Dask counts NumPy's arrays."""
    bytes_ = x.itemsize
    for extent, stride in zip(x.shape, x.strides):
        bytes_ *= extent if stride else min(extent, 1)
    return int(bytes_)
